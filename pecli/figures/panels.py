"""What the layout has to know of panels: their shape, which share a colour bar, and which share labels."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass, replace
from math import ceil, sqrt
from typing import NamedTuple


@dataclass(frozen=True)
class Bar:
    """A colour bar. Neighbouring panels with equal bars share one."""

    label: str
    ticks: tuple[float, ...] | None = None  # None: some round numbers
    part: int = 0  # of which part of a composed picture, so that parts share none
    fixed: bool = False  # its colours end where the figure says, whatever ends are asked for


@dataclass(frozen=True)
class Panel:
    """What the layout has to know of a panel before there are any numbers.

    aspect : height of the frame over its width
    exact : the aspect is kept, as where cells are squares; else the panel may be stretched to fill the page
    least : the frame's width and height in ems of small text below which nothing in it can be read
    x, y : what the axes show; neighbours that show the same are labelled once, at the edge (None: each is labelled)
    head : what the title says, where it is that of the whole column: said once, at the top (None: each is titled)
    """

    aspect: float = 0.62
    exact: bool = False
    least: tuple[float, float] = (9.0, 6.0)
    bar: Bar | None = None
    x: Hashable = None
    y: Hashable = None
    head: Hashable = None


def headed(panel: Panel, part: int) -> Panel:
    """The panel with a title that it shares with its own part of a composed picture alone."""
    return panel if panel.head is None else replace(panel, head=(part, panel.head))


class Run(NamedTuple):
    """Panels that share one colour bar: the rows it stands beside, the column it is right of, the first of them."""

    first_row: int
    last_row: int
    column: int
    panel: int
    bar: Bar


def runs_of(panels: Sequence[Panel], columns: int) -> tuple[Run, ...]:
    """The colour bars of panels in a grid: one for neighbours in a row, and for rows that have it in one place."""
    rows = [panels[at : at + columns] for at in range(0, len(panels), columns)]
    found: list[Run] = []
    for row, ones in enumerate(rows):
        for first, last in _alike(ones):
            bar, whole = ones[first].bar, (first, last) == (0, len(ones) - 1)
            column = columns - 1 if whole else last
            above = [one for one in found if one.bar == bar and (one.column, one.last_row) == (column, row - 1)]
            if bar is not None and above:
                found[found.index(above[0])] = above[0]._replace(last_row=row)
            elif bar is not None:
                found.append(Run(row, row, column, row * columns + last, bar))
    return tuple(found)


def _alike(row: Sequence[Panel]) -> list[tuple[int, int]]:
    """The first and last place of every stretch of panels with one bar."""
    places = [at for at, one in enumerate(row) if at == 0 or row[at - 1].bar != one.bar]
    return [(first, stop - 1) for first, stop in zip(places, [*places[1:], len(row)], strict=True)]


class Shown(NamedTuple):
    """Which of its texts a panel has itself; the others stand at a neighbour, for both."""

    below: bool
    left: bool
    title: bool


def labelled(panels: Sequence[Panel], columns: int) -> list[Shown]:
    """Whether each panel of a grid is labelled below and on the left and has a title, or a neighbour for both.

    None stands below another in a last row that is not full: that stands in the middle.
    """
    full = len(panels) - len(panels) % columns
    below = [*panels[columns:full], *[None] * (len(panels) - max(0, full - columns))]
    left = [panels[at - 1] if at % columns else None for at in range(len(panels))]
    above = [*[None] * columns, *panels[: full - columns], *[None] * columns]
    return [
        Shown(
            one.x is None or under is None or under.x != one.x,
            one.y is None or beside is None or beside.y != one.y,
            one.head is None or over is None or over.head != one.head,
        )
        for one, under, beside, over in zip(panels, below, left, above, strict=False)
    ]


def columns_of(count: int) -> int:
    """In how many columns so many panels stand where there is room: about a square, its last row full if it can be."""
    root = ceil(sqrt(count))
    return count if count <= 3 else next((one for one in (root, root + 1) if count % one == 0), root)
