"""What every report is: options, `compute` (numbers), `show` (a document); and tables that fit the terminal."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

from pecli.analysis import Analysis, E, Numbers, View
from pecli.core.lazy import Array
from pecli.core.terminal import Block, Table

__all__ = ["Numbers", "Report", "View"]


@dataclass(frozen=True)
class Report(Analysis[E]):
    """Base of the reports: what is read in the terminal, or written as numbers."""

    drawn: ClassVar[bool] = False

    def cells(self) -> tuple[int, int] | None:
        """The rows and columns that are printed at most, where `compute` makes no more than that; None: all are made.

        They take the place of a picture's pixels: without them (a file) `compute` makes every number.
        """
        return None

    @abstractmethod
    def show(self, numbers: Any, width: int) -> list[Block]:
        """What to print, one block below the other, where so many characters stand in a line."""


BETWEEN = 2  # blanks between two columns
ACROSS, DOWN = "…", "⋮"  # what stands for columns and for rows that are left out


def head_and_tail(n: int, most: int) -> tuple[int, int]:
    """How many of n are shown from the beginning and from the end where at most so many fit."""
    return (n, 0) if n <= most else (-(-most // 2), most // 2)


def number(value: float, digits: int) -> str:
    """A number with so many digits after the point; never -0."""
    text = f"{value:.{digits}f}"
    return text.removeprefix("-") if float(text) == 0 else text


def cells(values: Array, digits: int) -> list[list[str]]:
    """Numbers as text, (n, m); without digits after the point where all of them are whole."""
    shown = 0 if (values == values.round()).all() else digits
    return [[number(value, shown) for value in row] for row in values.tolist()]


def grid(
    corner: str, header: Sequence[str], labels: Sequence[str], values: Array, *, width: int, digits: int, gap: int = 0
) -> Table:
    """A table of numbers with a label before each row.

    Parameters
    ----------
    corner : the header of the labels
    header : (m,), of the columns; may have several lines
    labels : (n,)
    values : (n, m)
    width : columns of the terminal
    digits : after the point
    gap : rows before those that are left out; 0 where none are
    """
    first, last = _near(len(header), width)
    texts = cells(values[:, [*first, *last]], digits)
    widths = [widest([header[at], *(row[i] for row in texts)]) for i, at in enumerate([*first, *last])]
    room = width - widest([corner, *labels])
    head, tail = _fitting(widths, room, len(header) > len(widths))
    between = [] if head + tail == len(header) else [ACROSS]

    def line(label: str, row: Sequence[str]) -> list[str]:
        return [label, *row[:head], *between, *row[len(row) - tail :]]

    shown = [header[at] for at in (*first, *last)]
    rows = [line(label, row) for label, row in zip(labels, texts, strict=True)]
    if gap:
        rows.insert(gap, line(DOWN, [DOWN] * len(widths)))
    return Table(line(corner, shown), rows, numbers=True, plain=True)


def _near(n: int, width: int) -> tuple[range, range]:
    """The columns that may be seen at all, from both ends: one more character than there is room for."""
    return (range(n), range(n, n)) if n <= 2 * width else (range(width), range(n - width, n))


def _fitting(widths: Sequence[int], room: int, more: bool) -> tuple[int, int]:
    """How many columns fit from the left and from the right; at least the first."""
    if not more and sum(widths) + BETWEEN * len(widths) <= room:
        return len(widths), 0
    head, tail, free = 1, 0, room - BETWEEN - widths[0] - BETWEEN - len(ACROSS)
    while head + tail < len(widths) - 1:
        left = head == tail
        free -= BETWEEN + (widths[head] if left else widths[-1 - tail])
        if free < 0:
            break
        head, tail = (head + 1, tail) if left else (head, tail + 1)
    return head, tail


def widest(texts: Sequence[str]) -> int:
    """The columns of a terminal that the widest of the texts takes."""
    from rich.cells import cell_len

    return max(cell_len(line) for text in texts for line in (text.split("\n") or [""]))
