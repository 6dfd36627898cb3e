"""A page of help: sections of rows, a name on the left and what it is on the right, within the terminal's width."""

from __future__ import annotations

import inspect
import os
import sys
import textwrap
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any, get_type_hints

import typer

from pecli.core.terminal import columns

WIDEST = 100  # columns: longer lines are hard to read
LEFT = 28  # columns for names; a longer one has a line of its own
HELP = (("-h", "--help"), "Show this page and end.")
FLAGS = "-"  # what the name of an option begins with


@dataclass(frozen=True)
class Section:
    """Rows under a title.

    rows : name and text each; a row without a name is a line of text
    """

    title: str
    rows: Sequence[tuple[str, str]]

    def lines(self, width: int) -> list[str]:
        """The section as lines; nothing where it has no rows."""
        if not self.rows:
            return []
        left = min(LEFT, width // 2, 4 + max(len(name) for name, _ in self.rows))
        return ["", heading(self.title), *(line for name, text in self.rows for line in _row(name, text, width, left))]


@dataclass(frozen=True)
class Page:
    """What --help shows of a command."""

    usage: str
    summary: str
    examples: Sequence[str]
    sections: Sequence[Section]

    def text(self) -> str:
        """The whole page."""
        width = min(columns(), WIDEST)
        head = [
            f"{heading('Usage:')} {self.usage}",
            *(["", *textwrap.wrap(self.summary, width)] if self.summary else []),
        ]
        lines = [*head, *Section("Examples:", [("", line) for line in self.examples]).lines(width)]
        return sendable("\n".join([*lines, *(line for one in self.sections for line in one.lines(width))]))


def sendable(text: str) -> str:
    """The text with escapes for what standard output has no letters for."""
    encoding = getattr(sys.stdout, "encoding", None) or "utf-8"
    return text.encode(encoding, "backslashreplace").decode(encoding)


def heading(text: str) -> str:
    """A title, bold where the terminal may be sent that."""
    plain = "NO_COLOR" in os.environ or os.environ.get("TERM") == "dumb" or not sys.stdout.isatty()
    return text if plain else typer.style(text, bold=True)


def options_of(command: Any) -> list[tuple[str, str]]:
    """The arguments and options of a command that Typer made, as rows."""
    made = [(_name(one), getattr(one, "help", "") or _declared_help(command, one.name)) for one in command.params]
    return [(name, text[:1].upper() + text[1:]) for name, text in made]


def with_help(command: Any) -> list[tuple[str, str]]:
    """The same, and that of this page."""
    return [*options_of(command), (aligned(HELP[0]), HELP[1])]


def usage_word(one: Any) -> str:
    """An argument as the line of usage has it, in brackets where it may be left out; nothing for an option."""
    if any(flag.startswith(FLAGS) for flag in one.opts):
        return ""
    name = _name(one) + ("…" if one.nargs == -1 and not _name(one).endswith("…") else "")
    return name if one.required else f"[{name}]"


def _declared_help(command: Any, name: str) -> str:
    """The help of an argument where its function has it: Typer 0.16 loses it between itself and Click 8.2 and later."""
    hints = get_type_hints(inspect.unwrap(command.callback), include_extras=True)
    return next((one.help for one in getattr(hints.get(name), "__metadata__", ()) if hasattr(one, "help")), "") or ""


def _name(one: Any) -> str:
    flags = sorted(one.opts, key=lambda flag: flag.startswith("--"))
    if not any(flag.startswith(FLAGS) for flag in flags):
        return str(one.metavar or one.name.upper())
    value = "" if getattr(one, "is_flag", False) else f" {one.metavar or one.name.upper()}"
    return aligned(flags) + value


def aligned(flags: Sequence[str]) -> str:
    """The spellings of an option, the long one always in the same column."""
    short = [flag for flag in flags if not flag.startswith("--")]
    long = [flag for flag in flags if flag.startswith("--")]
    return f"{', '.join(short) + ', ' if short else '    '}{', '.join(long)}"


def _row(name: str, text: str, width: int, left: int) -> Iterable[str]:
    if not name:
        return textwrap.wrap(text, width, initial_indent="  ", subsequent_indent="  ", break_on_hyphens=False)
    texts = textwrap.wrap(text, width - left, break_on_hyphens=False) or [""]
    head = f"  {name}"
    if len(head) < left - 1:
        return [head.ljust(left) + texts[0], *(" " * left + line for line in texts[1:])]
    return [head, *(" " * left + line for line in texts)]
