"""Where things stand in a TOML text, for messages; tomllib does not say."""

from __future__ import annotations

import re
from dataclasses import dataclass

HEAD = re.compile(r"\s*\[")


@dataclass(frozen=True)
class Lines:
    """A file's name and its text."""

    path: str
    text: str

    def of(self, table: str, number: int = 0, key: str | None = None) -> str:
        """``file:line`` of a key in the table of that name (the so-manieth of an array), else of the table's head."""
        rows = self.text.splitlines()
        heads = [i for i, row in enumerate(rows) if re.match(rf"\s*\[+\s*{table}\s*\]+", row)]
        if number >= len(heads):
            return self.path
        at = heads[number]
        stop = next((i for i in range(at + 1, len(rows)) if HEAD.match(rows[i])), len(rows))
        line = next((i for i in range(at, stop) if key and _spelled(key).match(rows[i])), at)
        return f"{self.path}:{line + 1}"


def _spelled(key: str) -> re.Pattern[str]:
    """A key at the begin of a line, with either of - and _, with or without quotes."""
    either = "[-_]".join(map(re.escape, re.split("[-_]", key)))
    return re.compile(rf"\s*[\"']?{either}[\"']?\s*=")
