"""The command line: Typer only, options in, a Job out. A command is built when it is called, not before."""

from __future__ import annotations

import gc
import logging
import os
import sys
import warnings
from collections.abc import Callable
from functools import partial
from typing import Annotated, Any

import typer
from typer.core import TyperGroup

from pecli.core.registry import Registry
from pecli.core.terminal import say
from pecli.core.version import __version__
from pecli.figures import FIGURES
from pecli.files.writer import discard_stdout
from pecli.reports import REPORTS

HELP = """What position encodings look like: pictures and numbers, one command each.

Try: pecli heatmap --base 10"""

WORDS: Registry[Callable[..., None]] = Registry({"encodings": "pecli.cli.encodings:encodings"})
FILES: Registry[Callable[..., None]] = Registry(
    {
        "batch": "pecli.cli.batch:batch",
        "recipe": "pecli.cli.recipe:recipe",
    }
)
PANELS: dict[str, Registry[Any]] = {"Figures": FIGURES, "Words and numbers": REPORTS | WORDS, "Files": FILES}
LOOK: dict[str, Any] = {
    "no_args_is_help": False,
    "context_settings": {"help_option_names": ["-h", "--help"]},
}


def built(name: str) -> Any:
    """The command of that name with all its options."""
    single = typer.Typer(pretty_exceptions_enable=False, rich_markup_mode="rich", add_completion=False)
    single.command(name, **LOOK)(_function(name))
    command = typer.main.get_command(single)
    if name in FIGURES or name in REPORTS:
        _take_as_given(command)
    return command


def _take_as_given(command: Any) -> None:
    """Hands the text of each option on as it was typed: `pecli.core.options` reads it.

    Typer would make a pydantic adapter for each of forty options, 0.1 s, a sixth of the time of a heatmap.
    """
    for one in command.get_params(typer.Context(command, **command.context_settings)):  # with --help
        one.process_value = partial(_given, one)


def _given(one: Any, ctx: Any, value: Any) -> Any:
    if value is None and (getattr(one, "multiple", False) or one.nargs == -1):
        value = ()
    return value if one.callback is None else one.callback(ctx, one, value)


def _function(name: str) -> Callable[..., None]:
    if name in (own := WORDS | FILES):
        return own[name]
    from pecli.cli.figures import analysis_command

    return analysis_command((FIGURES | REPORTS)[name])


class Commands(TyperGroup):
    """Lists commands by one line each; builds the one that is called."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        _take_as_given(self)
        return super().parse_args(ctx, args)

    def resolve_command(self, ctx: Any, args: list[str]) -> tuple[str | None, Any, list[str]]:
        name, command, rest = super().resolve_command(ctx, args)
        return name, built(name) if name else command, rest


app = typer.Typer(
    cls=Commands,
    help=HELP,
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    rich_markup_mode="rich",
    context_settings=LOOK["context_settings"],
)


def _show_version(wanted: bool) -> None:
    if wanted:
        print(f"pecli {__version__}")
        raise typer.Exit


@app.callback()
def _options(
    version: Annotated[
        bool, typer.Option("--version", help="Show the version and stop.", is_eager=True, callback=_show_version)
    ] = False,
) -> None:
    pass


def _listed() -> None:
    """Stands for a command in the list of commands."""


for _panel, _names in PANELS.items():
    for _name in _names:
        app.command(_name, help=_names.summary(_name), rich_help_panel=_panel)(_listed)


def main() -> None:
    """The program `pecli`."""
    gc.set_threshold(50_000, 20, 20)  # imports make many objects and no garbage: 0.03 s
    os.environ["MPLBACKEND"] = "agg"  # the environment's choice may not even import
    os.environ["MATPLOTLIBRC"] = os.devnull  # a matplotlibrc in the current folder is none of ours
    logging.getLogger("matplotlib").setLevel(logging.ERROR)  # what matters of its warnings pecli says itself
    for stream in (sys.stdout, sys.stderr):
        if hasattr(stream, "reconfigure"):
            stream.reconfigure(errors="backslashreplace")
    warnings.showwarning = lambda message, *_, **__: say(f"warning: {message}")
    try:
        try:
            app(prog_name="pecli")
        finally:
            if sys.stdout is not None:
                sys.stdout.flush()
    except OSError as error:  # of --help and --version; commands have a guard of their own
        say(f"the system refused: {error}")
        discard_stdout()
        sys.exit(1)
