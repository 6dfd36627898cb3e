"""What reaches into Typer's insides, all of it, and for speed alone: without it everything works, only slower.

Three things are saved, 0.1 to 0.2 s a command together. The commands that are not called are not built: the list shows
a name and a line of each. The text of an option is handed on as it was typed: Typer would make a pydantic adapter for
each of forty options, although `pecli.core.options` reads the text anyway.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from typing import Any

import typer

from pecli.cli.commands import ALIASES, EXAMPLES, HELP_NAMES, PANEL, SUMMARY, register, summary_of
from pecli.cli.grammar import AllCommands, OneCommand


def make_app(*, fast: bool = True) -> typer.Typer:
    """The program with all its commands; not fast: in Typer's own ways alone."""
    app = typer.Typer(
        cls=Commands if fast else AllCommands,
        help=SUMMARY,
        epilog="\n\n".join(EXAMPLES),
        pretty_exceptions_enable=False,
        rich_markup_mode="rich",
        context_settings=HELP_NAMES,
    )
    for name in [*PANEL, *ALIASES]:
        if fast:
            panel = PANEL.get(name)
            app.command(name, help=summary_of(name), hidden=name in ALIASES, rich_help_panel=panel)(_listed)
        else:
            register(app, name)
    return app


def _listed() -> None:
    """Stands for a command in the list of commands."""


class Commands(AllCommands):
    """Lists commands by one line each; builds the one that is called."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        _take_as_typed(self)
        return super().parse_args(ctx, args)

    def resolve_command(self, ctx: Any, args: list[str]) -> tuple[str | None, Any, list[str]]:
        name, command, rest = super().resolve_command(ctx, args)
        if name:
            command = _built(name, rest)
            if ctx.resilient_parsing:  # to offer a value, no other is read
                _take_as_typed(command)
        return name, command, rest


def _built(name: str, words: list[str]) -> Any:
    """The command of that name with all its options, and those that only these words ask for."""
    single = typer.Typer(pretty_exceptions_enable=False, rich_markup_mode="rich", add_completion=False)
    registered = register(single, name, words)
    command = typer.main.get_command(single)
    if registered.reads_text:
        _take_as_typed(command)
    return command


def run_words(function: Callable[..., None], words: list[str], name: str, settings: Mapping[str, Any]) -> int:
    """Runs a function whose parameters are options with words of a command line; gives the exit code.

    settings : how Typer takes the words
    """
    app = typer.Typer(pretty_exceptions_enable=False, add_completion=False)
    app.command(name, cls=OneCommand, context_settings={**HELP_NAMES, **settings})(function)
    command = typer.main.get_command(app)
    _take_as_typed(command)
    return command(words, f"pecli {name}", standalone_mode=False) or 0


def _take_as_typed(command: Any) -> None:
    """Hands the text of each option on as it was typed."""
    for one in command.get_params(typer.Context(command, **command.context_settings)):  # with --help
        one.process_value = partial(_typed, one)


def _typed(one: Any, ctx: Any, value: Any) -> Any:
    if value is None and (getattr(one, "multiple", False) or one.nargs == -1):
        value = ()
    return value if one.callback is None else one.callback(ctx, one, value)
