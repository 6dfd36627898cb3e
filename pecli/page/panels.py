"""What the page has to know of panels: their shape, where they may stand, and what neighbours share."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass, field, replace
from math import ceil, sqrt
from typing import Any, NamedTuple

Mosaic = tuple[tuple[int, ...], ...]  # the panels of each row; one that spans several places stands in each


@dataclass(frozen=True)
class ColorBar:
    """A colour bar. Panels with equal bars share one."""

    label: str
    ticks: tuple[float, ...] | None = None  # None: some round numbers
    spare: bool = False  # left out where every cell carries its number and a title says what it is
    scale: int = 0  # numbers on several scales share no bar
    part: int = 0  # of which part of a composed picture, so that parts share none
    level: float | None = None  # where the picture has marks: what they mean is marked on the bar
    trimmed: bool = False  # shows no colours beyond the least and the largest number
    names: tuple[tuple[float, str], ...] = field(default=(), compare=False)  # of ticks that are no numbers of their own
    percent: bool = False  # numbers are shares, written as hundredths
    fixed: bool = False  # its colours end where the figure says, whatever ends are asked for


@dataclass(frozen=True)
class Axis:
    """What an axis of a panel shows. Neighbours with the same are labelled once, at the edge.

    label : its name
    ends : its first and last value, left and right or bottom and top; None: the data's
    names : of what stands along it, one a whole number from 0 on, or from the end of a sum with `places`
    places : of the names, where those are no whole numbers
    log : the base of a logarithmic axis; 0 of another
    scale : what tells values apart that have no ends; None: each axis has a label of its own
    beside : what stands before the label of one panel alone
    span : what lines reach from and to, within the ends
    ticks : puts ticks on matplotlib's axis
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
        """The axis where another may show the same, so that one of them is labelled; else None."""
        return None if self.ends is None and self.scale is None else self


@dataclass(frozen=True)
class Panel:
    """What the page has to know of a panel before there are any numbers.

    title, aside : above it, left and right
    small : the title is as small as ticks
    aspect : height of the frame over its width
    exact : the aspect is kept, as where cells are squares; else the panel may be stretched to fill the page
    least : the frame's width and height in ems of small text below which nothing in it can be read
    x, y : what the axes show
    grid : horizontal lines stand for the frame
    ends : what the vertical axis shows where it ends with the data: panels of the same end alike
    legend_below : a legend stands below the panel, wherever else there is room
    rows : of an image: where that takes little more height, each has a pixel
    apart : ems that are free left of it beside the usual gap
    said_right : something stands at the right end of the title's line, where a colour bar could
    """

    aspect: float = 0.62
    title: str = ""
    aside: str = ""
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
    apart: float = 0.0
    said_right: bool = False


@dataclass(frozen=True)
class PanelGroup:
    """Panels that make a grid of their own, below the groups before it.

    grids : where the panels may stand, the best first; wider ones are for a page of fixed height. Empty: in any number
        of columns, best about as many as rows
    one_legend : a legend that one of its panels alone has is that of all
    headings : what stands above whole rows, by the row's first panel
    """

    panels: tuple[Panel, ...]
    grids: tuple[Mosaic, ...] = ()
    one_legend: bool = False
    headings: tuple[tuple[int, str], ...] = ()

    def __post_init__(self) -> None:
        if not self.grids:
            object.__setattr__(self, "grids", in_columns(len(self.panels)))


def in_columns(count: int, *columns: int) -> tuple[Mosaic, ...]:
    """Return the grids of so many panels in each of these numbers of columns; none: the best, then fewer, then more."""
    root = ceil(sqrt(count))
    best = count if count <= 3 else next((item for item in (root, root + 1) if count % item == 0), root)
    tried = columns or (*range(best, 0, -1), *range(best + 1, count + 1))
    return tuple(tuple(tuple(range(at, min(at + item, count))) for at in range(0, count, item)) for item in tried)


def grids_around(large: int, count: int) -> tuple[Mosaic, ...]:
    """Return the first or last panel large beside a full grid of the others, then above or below it; () without such.

    The large one takes as many columns as it has rows, or half as many rows as there are columns.
    """
    first, rest = int(large == 0), count - 1
    best = in_columns(rest)[0] if rest > 1 else ()
    if not best or len(best[-1]) < len(best[0]):
        return ()
    few, many = sorted((len(best), len(best[0])))
    tall, wide = (counted_from(first, in_columns(rest, columns)[0]) for columns in (few, many))
    beside = (large,) * len(tall)
    across = ((large,) * many,) * max(1, many // 2)
    if first:
        return tuple((*beside, *row) for row in tall), (*across, *wide)
    return tuple((*row, *beside) for row in tall), (*wide, *across)


def below_each_other(parts: Sequence[Mosaic]) -> Mosaic:
    """Return the rows of several grids in one, their panels counted on."""
    rows: list[tuple[int, ...]] = []
    first = 0
    for part in parts:
        rows += counted_from(first, part)
        first += len(places_of(part))
    return tuple(rows)


def counted_from(first: int, mosaic: Mosaic) -> Mosaic:
    """Return the same places for panels counted from that one on."""
    return tuple(tuple(first + at for at in row) for row in mosaic)


class Place(NamedTuple):
    """The first and the last row and column in which a panel stands."""

    top: int
    bottom: int
    left: int
    right: int


def places_of(mosaic: Mosaic) -> list[Place]:
    """Return where each panel stands, in their order."""
    found: dict[int, Place] = {}
    for row, columns in enumerate(mosaic):
        for column, at in enumerate(columns):
            found[at] = found.get(at, Place(row, row, column, column))._replace(bottom=row, right=column)
    return [found[at] for at in sorted(found)]


def columns_of(mosaic: Mosaic) -> int:
    """Return how many columns there are."""
    return max(map(len, mosaic))


def with_own_bar(panel: Panel, part: int) -> Panel:
    """Return the panel with a colour bar that it shares with its part alone."""
    return replace(panel, bar=panel.bar and replace(panel.bar, part=part))


def unnamed(panel: Panel) -> Panel:
    """Return the panel with a colour bar that no name stands beside."""
    return replace(panel, bar=panel.bar and replace(panel.bar, label=""))


class VisibleLabels(NamedTuple):
    """Which of its texts a panel has itself; the others stand at a neighbour, for both."""

    below: bool
    left: bool


def label_outer(panels: Sequence[Panel], mosaic: Mosaic) -> list[VisibleLabels]:
    """Return whether each panel of a grid is labelled below and left, or a neighbour for both.

    A neighbour below or above has the same columns, one beside the same rows; panels that end in one row are all
    labelled below or none is. None stands below another in a last row that is not full: that stands in the middle.
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
