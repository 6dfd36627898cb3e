"""How the words of a command line are understood, and what is said in one line where they are not."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any

import typer
from typer.core import TyperCommand, TyperGroup

from pecli.core.terminal import say

WRONG: Any = typer.BadParameter.__mro__[1]  # Click's UsageError, which Typer carries under several names
HELP = "help"  # as a word: pecli help heatmap


class OneCommand(TyperCommand):
    """A command: says on one line what it does not understand."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        args = ["--help"] if args == [HELP] else args
        with _refusing(ctx, str(self.name)):
            return super().parse_args(ctx, args)


class AllCommands(TyperGroup):
    """The program: finds a command also in capitals, and behind the word help."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        if not args and not ctx.resilient_parsing:
            args = ["--help"]
        if args[:1] == [HELP]:
            args = [*(word for word in args[1:2] if word != HELP), "--help"]
        with _refusing(ctx, ""):
            return super().parse_args(ctx, args)

    def resolve_command(self, ctx: Any, args: list[str]) -> tuple[str | None, Any, list[str]]:
        known = self.list_commands(ctx)
        name = args[0].lower().replace("_", "-")
        if name in known:
            return super().resolve_command(ctx, [name, *args[1:]])
        if ctx.resilient_parsing:
            return super().resolve_command(ctx, args)
        from pecli.cli.suggestions import unknown_command

        say(unknown_command(args[0], known))
        raise typer.Exit(2)


@contextmanager
def _refusing(ctx: Any, name: str) -> Iterator[None]:
    """Tells what Typer did not understand in a line of ours, and ends with 2."""
    try:
        yield
    except WRONG as error:
        if ctx.resilient_parsing:
            raise
        say(_sentence(error, name, {flag: one.opts[0] for one in ctx.command.params for flag in one.opts}))
        raise typer.Exit(2) from None


def _sentence(error: Any, name: str, known: Mapping[str, str]) -> str:
    from pecli.cli.suggestions import unknown_option

    if flag := getattr(error, "option_name", None) if hasattr(error, "possibilities") else None:
        return unknown_option(name, flag, known)
    text = error.format_message().rstrip(".")
    return f"{text[:1].lower()}{text[1:]}: {' '.join(filter(None, ['pecli', name, '--help']))} shows what there is"
