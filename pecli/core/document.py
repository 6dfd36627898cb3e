"""What a report says, as plain data: paragraphs, named facts and tables. A terminal or a text format shows it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass


@dataclass(frozen=True)
class Paragraph:
    """Text in lines that fit; as a heading, or in a style of rich's."""

    text: str = ""
    heading: bool = False
    style: str = ""


@dataclass(frozen=True)
class Facts:
    """Names and what they are, one below the other."""

    facts: Mapping[str, str]


@dataclass(frozen=True)
class Table:
    """Rows of cells under a header, whose cells may have several lines.

    numbers : all columns but the first hold numbers, which stand at the right and are not broken
    plain : without lines around it
    """

    header: Sequence[str]
    rows: Sequence[Sequence[str]]
    numbers: bool = False
    plain: bool = False


Block = Paragraph | Facts | Table
Document = Iterable[Block]
