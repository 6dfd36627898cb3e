"""Every command: where it stands in the list, its summary, the function that Typer calls. Built when it is called."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import typer

from pecli.cli.command import Command
from pecli.cli.grammar import OneCommand
from pecli.core.registry import Registry
from pecli.figures import FIGURES
from pecli.reports import REPORTS

WORDS: Registry[Command] = Registry(
    {
        "encodings": ("pecli.cli.info:ENCODINGS_COMMAND", "The encodings there are, or one of them in detail"),
        "explore": ("pecli.cli.explore:COMMAND", "A figure in the browser, its options as sliders and choices"),
        "model": (
            "pecli.cli.info:MODEL_COMMAND",
            "What a model's config.json does to its position encoding, and what is wrong in the file",
        ),
        "tensors": ("pecli.cli.info:TENSORS_COMMAND", "What is in a file of numbers, and which tensor is the table"),
    }
)
FILES: Registry[Command] = Registry(
    {
        "batch": (
            "pecli.cli.batch:COMMAND",
            "Every figure of a TOML file: sweeps, several processes, nothing drawn twice",
        ),
        "redraw": (
            "pecli.cli.recipe:REDRAW_COMMAND",
            "A finished file drawn again with some options changed, under another name",
        ),
        "recipe": (
            "pecli.cli.recipe:RECIPE_COMMAND",
            "What makes finished files again: the command line of one, a batch file of several",
        ),
    }
)
PANELS: dict[str, Registry[Any]] = {"Figures": FIGURES, "Words and numbers": REPORTS | WORDS, "Files": FILES}
ALIASES = FIGURES.aliases | REPORTS.aliases
PANEL = {name: panel for panel, names in PANELS.items() for name in names}  # of each command
SUMMARY = "What position encodings look like: pictures and numbers, one command each."
EXAMPLES = ("Examples:", "pecli heatmap --base 10", "pecli distance rope -o rope.svg", "pecli heatmap --help")
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
    from pecli.cli.options import plain

    command = command_of(name, words)
    settings: dict[str, Any] = {"context_settings": {**HELP_NAMES, **command.settings}, "hidden": name in ALIASES}
    paragraphs = ["Examples:", *command.examples, *map(plain, command.notes)]  # rich joins lines that no blank parts
    settings["epilog"] = "\n\n".join(paragraphs)
    app.command(name, cls=OneCommand, help=summary_of(name), **settings)(command.function)
    return command
