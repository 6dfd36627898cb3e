"""What the layout has to know of panels: their shape, which share a colour bar, and which share labels."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

from pecli.figures.mosaic import Mosaic, places_of, width_of


@dataclass(frozen=True)
class Bar:
    """A colour bar. Neighbouring panels with equal bars share one."""

    label: str
    ticks: tuple[float, ...] | None = None  # None: some round numbers
    part: int = 0  # of which part of a composed picture, so that parts share none
    level: float | None = None  # where the picture has marks: what they mean is marked on the bar
    fixed: bool = False  # its colours end where the figure says, whatever ends are asked for


@dataclass(frozen=True)
class Panel:
    """What the layout has to know of a panel before there are any numbers.

    aspect : height of the frame over its width
    exact : the aspect is kept, as where cells are squares; else the panel may be stretched to fill the page
    least : the frame's width and height in ems of small text below which nothing in it can be read
    rows : of an image, how many it is made of: where that takes little more height, each has a pixel (0: no matter)
    x, y : what the axes show; neighbours that show the same are labelled once, at the edge (None: each is labelled)
    head : what the title says, where it is that of the whole column: said once, at the top (None: each is titled)
    """

    aspect: float = 0.62
    exact: bool = False
    least: tuple[float, float] = (9.0, 6.0)
    rows: int = 0
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

    def moved(self, rows: int, panels: int) -> Run:
        """The same so many rows and panels further."""
        return Run(self.first_row + rows, self.last_row + rows, self.column, self.panel + panels, self.bar)


def runs_of(panels: Sequence[Panel], mosaic: Mosaic) -> tuple[Run, ...]:
    """The colour bars of panels in a grid: one for neighbours in a row, and for rows that have it in one place."""
    found: list[Run] = []
    for row, places in enumerate(mosaic):
        ones = [panels[at] for at in places]
        for first, last in _alike(ones):
            bar, at_end, edge = ones[first].bar, last == len(ones) - 1, width_of(mosaic) - 1
            column = edge if at_end and first == 0 else last
            edges = {column, edge} if at_end else {column}  # a shorter row has the bar of the one above it too
            above = [one for one in found if one.bar == bar and one.last_row == row - 1 and one.column in edges]
            if bar is not None and above:
                found[found.index(above[0])] = above[0]._replace(last_row=row)
            elif bar is not None:
                found.append(Run(row, row, column, places[last], bar))
    return tuple(found)


def _alike(row: Sequence[Panel]) -> list[tuple[int, int]]:
    """The first and last place of every stretch of panels with one bar."""
    places = [at for at, one in enumerate(row) if at == 0 or row[at - 1].bar != one.bar]
    return [(first, stop - 1) for first, stop in zip(places, [*places[1:], len(row)], strict=True)]


def labelled_apart(panels: Sequence[Panel], mosaics: Sequence[Mosaic]) -> list[Shown]:
    """Which texts each panel has itself, of several grids below each other that share none."""
    counts = [max(map(max, mosaic)) + 1 for mosaic in mosaics]
    parts = zip([0, *counts], counts, mosaics, strict=False)
    return [shown for first, stop, mosaic in parts for shown in labelled(panels[first:stop], mosaic)]


class Shown(NamedTuple):
    """Which of its texts a panel has itself; the others stand at a neighbour, for both."""

    below: bool
    left: bool
    title: bool


def labelled(panels: Sequence[Panel], mosaic: Mosaic) -> list[Shown]:
    """Whether each panel of a grid is labelled below and on the left and has a title, or a neighbour for both.

    A neighbour below or above has the same columns, one beside the same rows. None stands below another in a last row
    that is not full: that stands in the middle.
    """
    pairs = list(zip(panels, places_of(mosaic), strict=True))
    full = [(one, place) for one, place in pairs if len(mosaic[place.bottom]) == width_of(mosaic)]
    under = {(place.top - 1, place.left, place.right): one.x for one, place in full}
    beside = {(place.right + 1, place.top, place.bottom): one.y for one, place in pairs}
    over = {(place.bottom + 1, place.left, place.right): one.head for one, place in full}
    return [
        Shown(
            one.x is None or under.get((place.bottom, place.left, place.right)) != one.x,
            one.y is None or beside.get((place.left, place.top, place.bottom)) != one.y,
            one.head is None or (one, place) not in full or over.get((place.top, place.left, place.right)) != one.head,
        )
        for one, place in pairs
    ]
