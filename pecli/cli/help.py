"""The pages of help as plain text: usage, examples, what is used most, then the other options by groups."""

from __future__ import annotations

import os
import re
import shutil
import sys
import textwrap
from collections.abc import Iterable, Mapping
from typing import Any

import typer

MOST, LEAST = 100, 60  # columns of a page
FURTHER = 6  # columns by which the further lines of an entry are set in
WHOLE: dict[str, Any] = {"break_long_words": False, "break_on_hyphens": False}
OPTIONS, USED_MOST = "Options", "Used most"  # headings


def columns() -> int:
    """Return how wide a page is: as the terminal, within limits."""
    return min(max(shutil.get_terminal_size().columns, LEAST), MOST)


def page_of(command: Any, ctx: Any, examples: Iterable[str], notes: Iterable[str]) -> str:
    """Return the help of one command.

    examples, notes : lines to try, and paragraphs at the end
    """
    groups: dict[str, list[tuple[str, str]]] = {USED_MOST: []}
    for parameter in command.get_params(ctx):
        if not getattr(parameter, "hidden", False) and parameter.name != "help":
            groups.setdefault(getattr(parameter, "rich_help_panel", None) or OPTIONS, []).append(entry(parameter))
    pieces = (re.sub("[{}]", "", piece) for piece in command.collect_usage_pieces(ctx))  # {FILE} has to be there
    usage = " ".join(["Usage:", ctx.command_path, *pieces])
    parts = [[usage], wrapped(command.help or ""), under("Examples", ((line, "") for line in examples))]
    parts += [under(group, rows) for group, rows in groups.items() if rows]
    parts += [wrapped(note) for note in notes]
    return "\n\n".join("\n".join(part) for part in parts if part)


def list_of(ctx: Any, summary: str, groups: Mapping[str, Mapping[str, str]], ends: Iterable[list[str]]) -> str:
    """Return the list of all commands, a line each.

    groups : of each heading the names of commands, and what each is for
    ends : what stands below, in parts
    """
    longest = max(len(name) for names in groups.values() for name in names)
    parts = [[f"Usage: {ctx.command_path} COMMAND [OPTIONS]"], [summary]]
    for heading, names in groups.items():
        short = {
            name: told if len(told) <= columns() - longest - 4 else told.partition(":")[0]
            for name, told in names.items()
        }
        rows = (f"  {bright(name)}{' ' * (longest + 2 - len(name))}{told}" for name, told in short.items())
        parts.append([title(heading), *rows])
    return "\n\n".join("\n".join(part) for part in [*parts, *ends])


def entry(parameter: Any) -> tuple[str, str]:
    """Return an option or argument: its names with what it takes, and what it does."""
    if parameter.param_type_name == "argument":
        return (parameter.metavar or parameter.name).upper(), parameter.help or ""
    short = [name for name in parameter.opts if len(name) == 2]
    long = [name for name in parameter.opts if len(name) > 2 and not (len(name) == 3 and short)]  # not --d beside -d
    kind = "" if parameter.is_flag else parameter.metavar or "TEXT"
    return " ".join(filter(None, [", ".join([*short, *long]), kind])), parameter.help or ""


def under(heading: str, rows: Iterable[tuple[str, str]]) -> list[str]:
    """Return a heading and rows set in below it, a name and what is told of it each; nothing without rows."""
    lines = []
    for name, told in rows:
        first, *further = textwrap.wrap(
            f"{name}  {told}", columns(), initial_indent="  ", subsequent_indent=" " * FURTHER, **WHOLE
        )
        lines += [first.replace(name, bright(name), 1) if told else first, *further]
    return [title(heading), *lines] if lines else []


def wrapped(text: str) -> list[str]:
    """Return the lines of a paragraph."""
    return textwrap.wrap(text, columns(), **WHOLE)


def title(text: str) -> str:
    """Return a heading, bold in a terminal."""
    return styled(f"{text}:", bold=True)


def bright(text: str) -> str:
    """Return a name, coloured in a terminal."""
    return styled(text, fg="cyan")


def styled(text: str, **style: Any) -> str:
    """Return a text with a style where a terminal shows it."""
    return typer.style(text, **style) if sys.stdout.isatty() and not os.environ.get("NO_COLOR") else text
