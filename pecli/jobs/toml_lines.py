"""Where things stand in a TOML text, for messages; tomllib does not say."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cached_property

STRINGS = (
    r'"""(?:\\.|[^\\])*?""""{0,2}',
    r"'''.*?''''{0,2}",
    r'"(?:\\.|[^"\\\n])*"',
    r"'[^'\n]*'",
)
TOKEN = re.compile("|".join([*STRINGS, r"#[^\n]*", r"[\[\]{}\n]"]), re.DOTALL)
NAME = r"""\s*("(?:\\.|[^"\\])*"|'[^']*'|[\w-]+)\s*"""
HEAD = re.compile(rf"\[\[?{NAME}(?:\.{NAME})?")
KEY = re.compile(rf"{NAME}[=.]")


@dataclass
class Section:
    """A table: its name, the line of its head, and the line of each key."""

    name: str
    line: int
    keys: dict[str, int] = field(default_factory=dict)


@dataclass(frozen=True)
class Lines:
    """A file's name and its text, which is TOML."""

    path: str
    text: str

    def of(self, table: str, number: int = 0, key: str | None = None) -> str:
        """``file:line`` of a key in the table of that name (that number of an array), else of the table's head."""
        found = self._named.get(table, [])
        if number >= len(found):
            return self.path
        section = found[number]
        return f"{self.path}:{section.keys.get(_plain(key or ''), section.line)}"

    @cached_property
    def _named(self) -> dict[str, list[Section]]:
        """The tables by name, so that finding one takes no longer where there are many."""
        named: dict[str, list[Section]] = {}
        for section in self.sections:
            named.setdefault(section.name, []).append(section)
        return named

    @cached_property
    def sections(self) -> list[Section]:
        """The tables in order, the keys before the first as a table without a name."""
        result = [Section("", 1)]
        keys = result[0].keys  # of the table that the next statement stands in
        for line, statement in _statements(self.text):
            head, key = HEAD.match(statement), KEY.match(statement)
            if head and head[2] and _plain(head[1]) == result[-1].name:
                result[-1].keys.setdefault(_plain(head[2]), line)  # [figure.base] is a key of the figure above it
                keys = {}
            elif head:
                result.append(Section(_plain(head[1]), line))
                keys = result[-1].keys
            elif key:
                keys.setdefault(_plain(key[1]), line)
        return result


def _statements(text: str) -> Iterator[tuple[int, str]]:
    """The line and text of every head, and of every key with its value, however many lines that has."""
    begin, line, depth, ended = 0, 1, 0, text + "\n"
    for token in TOKEN.finditer(ended):
        mark = token[0]
        depth += (mark in "[{") - (mark in "]}")
        if mark == "\n" and depth == 0:
            yield line, ended[begin : token.start()].strip()
            line += ended.count("\n", begin, token.end())
            begin = token.end()


def _plain(name: str) -> str:
    """A name without quotation marks, with either of - and _ as one."""
    return name.strip("\"'").replace("-", "_")
