"""Help pages as plain text: usage, examples, the most used options, then the others by groups."""

from __future__ import annotations

import os
import re
import shutil
import sys
import textwrap
from collections.abc import Iterable, Mapping
from typing import Any

import typer

MOST, LEAST = 100, 60  # largest and smallest width of a page, columns
FURTHER = 6  # indentation of the continuation lines of an entry
WHOLE: dict[str, Any] = {"break_long_words": False, "break_on_hyphens": False}
OPTIONS, USED_MOST = "Options", "Most used"  # headings


def columns() -> int:
    """Return the width of a page in characters: the terminal's width, within limits."""
    return min(max(shutil.get_terminal_size().columns, LEAST), MOST)


def command_page(command: Any, ctx: Any, examples: Iterable[str], notes: Iterable[str]) -> str:
    """Return the help page of one command.

    examples, notes : example command lines, and paragraphs at the end
    """
    groups: dict[str, list[tuple[str, str]]] = {USED_MOST: []}
    for parameter in command.get_params(ctx):
        if not getattr(parameter, "hidden", False) and parameter.name != "help":
            groups.setdefault(getattr(parameter, "rich_help_panel", None) or OPTIONS, []).append(entry(parameter))
    pieces = (re.sub("[{}]", "", piece) for piece in command.collect_usage_pieces(ctx))  # {FILE}: a required argument
    usage = " ".join(["Usage:", ctx.command_path, *pieces])
    parts = [[usage], wrapped(command.help or ""), section("Examples", ((line, "") for line in examples))]
    parts += [section(group, rows) for group, rows in groups.items() if rows]
    parts += [wrapped(note) for note in notes]
    return "\n\n".join("\n".join(part) for part in parts if part)


def commands_page(ctx: Any, summary: str, groups: Mapping[str, Mapping[str, str]], ends: Iterable[list[str]]) -> str:
    """Return the list of all commands, one line each.

    groups : for each heading, the summaries of commands by name
    ends : sections at the end, as lines
    """
    longest = max(len(name) for names in groups.values() for name in names)
    parts = [[f"Usage: {ctx.command_path} COMMAND [OPTIONS]"], [summary]]
    for heading, names in groups.items():
        short = {
            name: told if len(told) <= columns() - longest - 4 else told.partition(":")[0]
            for name, told in names.items()
        }
        rows = (f"  {coloured(name)}{' ' * (longest + 2 - len(name))}{told}" for name, told in short.items())
        parts.append([title(heading), *rows])
    return "\n\n".join("\n".join(part) for part in [*parts, *ends])


def entry(parameter: Any) -> tuple[str, str]:
    """Return (names with metavar, help text) of an option or argument."""
    if parameter.param_type_name == "argument":
        return (parameter.metavar or parameter.name).upper(), parameter.help or ""
    short = [name for name in parameter.opts if len(name) == 2]
    long = [
        name for name in parameter.opts if len(name) > 2 and not (len(name) == 3 and short)
    ]  # omit --d if there is -d
    kind = "" if parameter.is_flag else parameter.metavar or "TEXT"
    return " ".join(filter(None, [", ".join([*short, *long]), kind])), parameter.help or ""


def section(heading: str, rows: Iterable[tuple[str, str]]) -> list[str]:
    """Return a section: a heading and indented rows of a name and a text; [] if there are no rows."""
    lines = []
    for name, told in rows:
        first, *further = textwrap.wrap(
            f"{name}  {told}", columns(), initial_indent="  ", subsequent_indent=" " * FURTHER, **WHOLE
        )
        lines += [first.replace(name, coloured(name), 1) if told else first, *further]
    return [title(heading), *lines] if lines else []


def wrapped(text: str) -> list[str]:
    """Return a paragraph broken into lines of the page's width."""
    return textwrap.wrap(text, columns(), **WHOLE)


def title(text: str) -> str:
    """Return a heading, bold in a terminal."""
    return styled(f"{text}:", bold=True)


def coloured(text: str) -> str:
    """Return a name, coloured in a terminal."""
    return styled(text, fg="cyan")


def styled(text: str, **style: Any) -> str:
    """Return a text with a style if standard output is a terminal that shows it."""
    return typer.style(text, **style) if sys.stdout.isatty() and not os.environ.get("NO_COLOR") else text
