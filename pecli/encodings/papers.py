"""The papers behind the formulas, as BibTeX."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from pecli.core.lazy import cached
from pecli.encodings.base import Encoding


@cached
def papers() -> dict[str, dict[str, Any]]:
    """Return authors, title and year of each paper, by its arXiv number or another text that sources contain."""
    import tomllib

    return tomllib.loads(Path(__file__).with_name("papers.toml").read_text(encoding="utf-8"))


def bibtex(sources: Iterable[str]) -> list[str]:
    """Return a BibTeX entry for each paper mentioned in the texts."""
    text = "\n".join(sources)
    return [_entry(mark, **paper) for mark, paper in papers().items() if mark in text]


def sources_of(encoding: type[Encoding] | Encoding, given: Mapping[str, str] = {}) -> list[str]:
    """Return the texts that mention an encoding's papers; for a class, also those of all its parameters' values.

    given : values of a class's parameters, whose other values are left out
    """
    if isinstance(encoding, Encoding):
        chosen = [(name, str(value)) for name, value in encoding.settings().items()]
    else:
        owners = (entry.only_with or ("", ()) for entry in encoding.options().values())
        chosen = [(owner, value) for owner, values in owners for value in values if given.get(owner, value) == value]
    return [encoding.source, *(encoding.about(name, value) for name, value in chosen)]


def _entry(mark: str, *, authors: str, title: str, year: int) -> str:
    number = mark.removeprefix("arXiv:")
    fields = {"author": authors, "title": f"{{{title}}}", "year": year}
    fields |= {"eprint": number, "archivePrefix": "arXiv"} if number != mark else {}
    key = re.sub(r"\W", "", authors.partition(",")[0]).lower() + str(year)
    return "\n".join([f"@misc{{{key},", *(f"  {name} = {{{value}}}," for name, value in fields.items()), "}"])
