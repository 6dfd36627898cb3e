"""The base class of reports (`compute` returns numbers, `show` a document), and tables that fit the terminal."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import accumulate
from typing import Any, ClassVar

from pecli.analysis import Analysis, E, Numbers, Parts, View
from pecli.core.lazy import Array, np
from pecli.core.terminal import Block, TextTable

__all__ = ["Numbers", "Parts", "Report", "View"]


@dataclass(frozen=True)
class Report(Analysis[E]):
    """Base of the reports, which are printed in the terminal or written as numbers."""

    drawn: ClassVar[bool] = False

    def cells(self) -> tuple[int, int] | None:
        """Return the largest number of rows and columns that `show` prints, or None if it needs all numbers.

        `compute` returns at most this many numbers, just as a figure computes at most one number per pixel. For a file,
        `compute` has no limit and returns every number.
        """
        return None

    @abstractmethod
    def show(self, numbers: Any, width: int) -> list[Block]:
        """Return the blocks to print, in lines of at most `width` characters."""


GAP = 2  # spaces between columns
LEFT_OUT_COLUMNS, LEFT_OUT_ROWS = "…", "⋮"


def both_ends(n: int, most: int) -> tuple[Array, int]:
    """Return the indices of the items to show, and the number of indices before the gap.

    If there are at most `most` items, all of them are shown and the second result is 0. Otherwise half of `most` are
    shown from each end.
    """
    if n <= most:
        return np.arange(n), 0
    head, tail = -(-most // 2), most // 2
    return np.append(np.arange(head), np.arange(n - tail, n)), head


def grid(
    corner: str,
    header: Sequence[str],
    labels: Sequence[str],
    values: Array,
    *,
    width: int,
    digits: int,
    gap: int = 0,
    blank: str = "",
) -> TextTable:
    """Return a table of numbers with as many columns from both ends as fit the width, at least one.

    Parameters
    ----------
    corner : header of the column of labels
    header : headers of the columns, (m,); may have several lines
    labels : label of each row, (n,)
    values : the numbers, (n, m)
    width : width of the terminal in characters
    digits : digits after the decimal point; none if all visible numbers are integers
    gap : number of rows before the omitted ones, whose place a row of dots marks; 0 if none are omitted
    blank : text in place of every number, if any
    """
    near, _ = both_ends(len(header), width)  # every column is wider than one character
    seen = values[:, near]
    decimals = 0 if (seen == seen.round()).all() else digits
    columns = [[header[at], *(blank or f"{value:z.{decimals}f}" for value in values[:, at].tolist())] for at in near]
    sizes, room = [GAP + widest(column) for column in columns], width - widest([corner, *labels])
    if sum(sizes) > room and len(columns) > 1:
        inwards = [size for pair in zip(sizes, sizes[::-1], strict=True) for size in pair][: len(sizes)]
        fitting = sum(total <= room - GAP - len(LEFT_OUT_COLUMNS) for total in accumulate(inwards))
        shown, middle = both_ends(len(columns), max(1, fitting))
        columns = [columns[at] for at in shown]
        columns.insert(middle, [LEFT_OUT_COLUMNS] * len(columns[0]))
    names, *rows = ([first, *rest] for first, *rest in zip([corner, *labels], *columns, strict=True))
    if gap:
        rows.insert(gap, [LEFT_OUT_ROWS] * len(names))
    return TextTable(names, rows, numbers=True, plain=True)


def widest(texts: Sequence[str]) -> int:
    """Return the width of the widest text in terminal columns."""
    from rich.cells import cell_len

    return max(cell_len(line) for text in texts for line in text.split("\n"))
