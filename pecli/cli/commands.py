"""Every command: where it stands in the list, its summary, the function that Typer calls. Built when it is called."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import typer

from pecli.core.registry import Registry
from pecli.figures import FIGURES
from pecli.reports import REPORTS


@dataclass(frozen=True)
class Command:
    """A command as Typer takes it.

    function : with the command's options as parameters
    example : a line that runs
    reads_text : whether the function reads the text of its options itself
    """

    function: Callable[..., None]
    example: str
    reads_text: bool = False


WORDS: Registry[Command] = Registry(
    {
        "encodings": ("pecli.cli.encodings:COMMAND", "The encodings there are, or one of them in detail"),
        "model": (
            "pecli.cli.model:COMMAND",
            "What a model's config.json does to its position encoding, and what is wrong in the file",
        ),
    }
)
FILES: Registry[Command] = Registry(
    {
        "batch": (
            "pecli.cli.batch:COMMAND",
            "Every figure of a TOML file: sweeps, several processes, nothing drawn twice",
        ),
        "recipe": (
            "pecli.cli.recipe:COMMAND",
            "What makes finished files again: the command line of one, a batch file of several",
        ),
    }
)
PANELS: dict[str, Registry[Any]] = {"Figures": FIGURES, "Words and numbers": REPORTS | WORDS, "Files": FILES}
PANEL = {name: panel for panel, names in PANELS.items() for name in names}  # of each command
HELP_NAMES: dict[str, Any] = {"help_option_names": ["-h", "--help"]}


def command_of(name: str) -> Command:
    """The command of that name: its own, or that of a figure or report."""
    if name in (own := WORDS | FILES):
        return own[name]
    from pecli.cli.figures import analysis_command

    return analysis_command((FIGURES | REPORTS)[name])


def summary_of(name: str) -> str:
    """One line on what the command is for; imports nothing."""
    return PANELS[PANEL[name]].summary(name)


def register(app: typer.Typer, name: str) -> Command:
    """Adds the command with all its options."""
    command = command_of(name)
    text = f"{summary_of(name)}.\n\nExample: {command.example}"
    app.command(name, help=text, rich_help_panel=PANEL[name], context_settings=HELP_NAMES)(command.function)
    return command
