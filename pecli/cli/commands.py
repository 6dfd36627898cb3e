"""Every command: where it stands in the list, its summary, the function that Typer calls. Built when it is called."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import typer

from pecli.cli.grammar import OneCommand
from pecli.core.registry import Registry
from pecli.figures import FIGURES
from pecli.reports import REPORTS


@dataclass(frozen=True)
class Command:
    """A command as Typer takes it.

    function : with the command's options as parameters
    example : a line that runs
    reads_text : whether the function reads the text of its options itself
    settings : how its words are taken, besides the names of its help
    """

    function: Callable[..., None]
    example: str
    reads_text: bool = False
    settings: Mapping[str, Any] = field(default_factory=dict)


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
        "redraw": (
            "pecli.cli.redraw:COMMAND",
            "A finished file drawn again with some options changed, under another name",
        ),
        "recipe": (
            "pecli.cli.recipe:COMMAND",
            "What makes finished files again: the command line of one, a batch file of several",
        ),
    }
)
PANELS: dict[str, Registry[Any]] = {"Figures": FIGURES, "Words and numbers": REPORTS | WORDS, "Files": FILES}
ALIASES = FIGURES.aliases | REPORTS.aliases
PANEL = {name: panel for panel, names in PANELS.items() for name in names}  # of each command
HELP_NAMES: dict[str, Any] = {
    "help_option_names": ["-h", "--help"],
    "token_normalize_func": lambda word: word.replace("_", "-"),  # --rope_theta is --rope-theta
}


def command_of(name: str, words: Sequence[str] = ()) -> Command:
    """The command of that name: its own, or that of a figure or report, with the options that these words ask for."""
    if name in (own := WORDS | FILES):
        return own[name]
    from pecli.cli.figures import analysis_command

    own_name, options = ALIASES.get(name, (name, {}))
    analyses: Registry[Any] = FIGURES | REPORTS
    return analysis_command(analyses[own_name], words, options)


def summary_of(name: str) -> str:
    """One line on what the command is for; imports nothing."""
    own = ALIASES[name][0] if name in ALIASES else name
    return PANELS[PANEL[own]].summary(own)


def register(app: typer.Typer, name: str, words: Sequence[str] = ()) -> Command:
    """Adds the command with all its options, those that only these words ask for too."""
    command = command_of(name, words)
    text = f"{summary_of(name)}.\n\nExample: {command.example}"
    settings = {**HELP_NAMES, **command.settings}
    shown: dict[str, Any] = {"rich_help_panel": PANEL.get(name), "hidden": name in ALIASES}
    app.command(name, cls=OneCommand, help=text, context_settings=settings, **shown)(command.function)
    return command
