"""Panels as the page layout sees them: shape, possible places, and what neighbours share."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass, field, replace
from math import ceil, sqrt
from typing import Any, NamedTuple

Mosaic = tuple[tuple[int, ...], ...]  # panel indices row by row; a panel that spans several places is repeated


@dataclass(frozen=True)
class ColorBar:
    """A colour bar. Panels with equal bars share one."""

    label: str
    ticks: tuple[float, ...] | None = None  # None: chosen automatically
    redundant: bool = False  # whether it is left out if every cell shows its number and a title names the quantity
    scale: int = 0  # bars of different scales are not shared
    part: int = 0  # part of a composed picture; parts do not share bars
    level: float | None = None  # value to mark on the bar, as in the picture
    trimmed: bool = False  # whether the bar ends at the smallest and the largest number
    names: tuple[tuple[float, str], ...] = field(default=(), compare=False)  # texts that replace the numbers of ticks
    percent: bool = False  # whether numbers are written as percentages
    fixed: bool = False  # whether the user's colour limits are ignored


@dataclass(frozen=True)
class Axis:
    """The horizontal or vertical axis of a panel. Neighbours with equal axes are labelled once, at the outer one.

    label : its name
    ends : its first and last value (left and right, or bottom and top); None: those of the data
    names : texts of the ticks, at 0, 1, 2, … or at `places`
    places : positions of the names, if they are not whole numbers from 0 on
    log : the base of a logarithmic axis, or 0
    scale : identifies the values of an axis without ends; None: the axis is not shared
    beside : a text above the label that neighbours do not share
    span : the first and last value of the lines, within the ends
    ticks : a function that sets the ticks of a matplotlib axis
    """

    label: str = ""
    ends: tuple[float, float] | None = None
    names: tuple[str, ...] = ()
    places: tuple[float, ...] = ()
    log: int = 0
    scale: Hashable = None
    beside: str = field(default="", compare=False)
    span: tuple[float, float] | None = field(default=None, compare=False)
    ticks: Callable[[Any], None] | None = field(default=None, compare=False)

    @property
    def shared(self) -> Axis | None:
        """This axis if a neighbour's label can replace its own, otherwise None."""
        return None if self.ends is None and self.scale is None else self


@dataclass(frozen=True)
class Panel:
    """The properties of a panel that are known before its numbers.

    title, right_title : texts above it, left and right
    small : whether the title is as small as ticks
    aspect : height of the frame divided by its width
    exact : whether the aspect is kept, as for square cells; otherwise the panel may be stretched to fill the page
    least : least readable width and height of the frame, in ems of small text
    bar : its colour bar, if any
    grid : whether horizontal grid lines replace the left spine
    ends : a key for the vertical limits: panels with equal keys share them; None: not shared
    legend_below : whether a legend goes below the panel even if it fits beside it
    rows : number of rows of an image: each gets a pixel if that takes little more height
    extra_gap : additional gap on the left, in ems
    title_end_taken : whether the right end of the title line is taken, so that no colour bar fits there
    """

    aspect: float = 0.62
    title: str = ""
    right_title: str = ""
    small: bool = False
    exact: bool = False
    least: tuple[float, float] = (9.0, 6.0)
    bar: ColorBar | None = None
    x: Axis = Axis()
    y: Axis = Axis()
    grid: bool = False
    ends: Hashable = None
    legend_below: bool = False
    rows: int = 0
    extra_gap: float = 0.0
    title_end_taken: bool = False

    @property
    def has_value_axis(self) -> bool:
        """Whether the vertical axis shows values and ends where these do."""
        return self.bar is None and not self.exact and self.y.ends is None and not self.y.names


@dataclass(frozen=True)
class PanelGroup:
    """Panels that form a grid, below the groups before it.

    grids : possible arrangements, the best first; wide ones are for pages of fixed height. Empty: any number of
        columns, preferably about the number of rows
    one_legend : whether a legend in only one of the panels serves all of them
    headings : texts above whole rows, each with the index of the row's first panel
    """

    panels: tuple[Panel, ...]
    grids: tuple[Mosaic, ...] = ()
    one_legend: bool = False
    headings: tuple[tuple[int, str], ...] = ()

    def __post_init__(self) -> None:
        if not self.grids:
            object.__setattr__(self, "grids", in_columns(len(self.panels)))


def in_columns(count: int, *columns: int) -> tuple[Mosaic, ...]:
    """Return grids of `count` panels, one for each number of columns.

    Without `columns`, the best number comes first, then smaller ones, then larger ones.
    """
    root = ceil(sqrt(count))
    best = count if count <= 3 else next((item for item in (root, root + 1) if count % item == 0), root)
    tried = columns or (*range(best, 0, -1), *range(best + 1, count + 1))
    return tuple(tuple(tuple(range(at, min(at + item, count))) for at in range(0, count, item)) for item in tried)


def grids_around(large: int, count: int) -> tuple[Mosaic, ...]:
    """Return two grids with one large panel: beside a full grid of the others, and above or below it.

    The large panel takes as many columns as rows, or half as many rows as columns. Returns () if the others do not fill
    a grid.

    large : index of the large panel, the first or the last
    count : number of all panels
    """
    first, rest = int(large == 0), count - 1
    best = in_columns(rest)[0] if rest > 1 else ()
    if not best or len(best[-1]) < len(best[0]):
        return ()
    few, many = sorted((len(best), len(best[0])))
    tall, wide = (renumbered_from(first, in_columns(rest, columns)[0]) for columns in (few, many))
    beside = (large,) * len(tall)
    across = ((large,) * many,) * max(1, many // 2)
    if first:
        return tuple((*beside, *row) for row in tall), (*across, *wide)
    return tuple((*row, *beside) for row in tall), (*wide, *across)


def stacked(parts: Sequence[Mosaic]) -> Mosaic:
    """Stack several grids into one; panel indices of each grid continue those of the one before."""
    rows: list[tuple[int, ...]] = []
    first = 0
    for part in parts:
        rows += renumbered_from(first, part)
        first += len(places_of(part))
    return tuple(rows)


def renumbered_from(first: int, mosaic: Mosaic) -> Mosaic:
    """Return the grid with its panel indices increased by `first`."""
    return tuple(tuple(first + at for at in row) for row in mosaic)


class Place(NamedTuple):
    """The first and the last row and column of a panel in its grid."""

    top: int
    bottom: int
    left: int
    right: int


def places_of(mosaic: Mosaic) -> list[Place]:
    """Return the place of each panel, in the order of the panels."""
    found: dict[int, Place] = {}
    for row, columns in enumerate(mosaic):
        for column, at in enumerate(columns):
            found[at] = found.get(at, Place(row, row, column, column))._replace(bottom=row, right=column)
    return [found[at] for at in sorted(found)]


def columns_of(mosaic: Mosaic) -> int:
    """Return the number of columns of a grid."""
    return max(map(len, mosaic))


def with_own_bar(panel: Panel, part: int) -> Panel:
    """Return the panel with a colour bar that is shared only within part `part` of a composed picture."""
    return replace(panel, bar=panel.bar and replace(panel.bar, part=part))


def without_bar_name(panel: Panel) -> Panel:
    """Return the panel with an unlabelled colour bar."""
    return replace(panel, bar=panel.bar and replace(panel.bar, label=""))


class VisibleLabels(NamedTuple):
    """Whether a panel itself shows the labels of its horizontal axis (below) and vertical axis (left).

    False if a neighbour shows them.
    """

    below: bool
    left: bool


def label_outer(panels: Sequence[Panel], mosaic: Mosaic) -> list[VisibleLabels]:
    """Return which axis labels each panel of a grid shows.

    A panel leaves out labels that a neighbour with the same axis has. A vertical neighbour has the same columns, a
    horizontal one the same rows. Of the panels that end in the same row, all are labelled below or none. An incomplete
    last row is centred, so its panels are not below others.
    """
    pairs = list(zip(panels, places_of(mosaic), strict=True))
    full = [(panel, place) for panel, place in pairs if len(mosaic[place.bottom]) == columns_of(mosaic)]
    below = {(place.top - 1, place.left, place.right): panel.x for panel, place in full}
    left = {(place.right + 1, place.top, place.bottom): panel.y for panel, place in pairs}
    own = {
        place.bottom
        for panel, place in pairs
        if panel.x.shared is None or below.get((place.bottom, place.left, place.right)) != panel.x
    }
    return [
        VisibleLabels(
            place.bottom in own,
            panel.y.shared is None or left.get((place.left, place.top, place.bottom)) != panel.y,
        )
        for panel, place in pairs
    ]
