"""A few panels below each other on a narrow page, where they would be slivers side by side."""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import dataclass, fields, replace
from typing import TYPE_CHECKING, Any, ClassVar, Self, TypeVar

from pecli.analysis import Analysis, E, E_co, Limits, Numbers, View
from pecli.core.errors import UsageError, mention
from pecli.core.language import clauses, phrase, template
from pecli.core.lazy import Array
from pecli.core.numbers import minus
from pecli.core.positions import Positions
from pecli.encodings.base import TableEncoding
from pecli.figures.canvas import Canvas
from pecli.figures.headings import Heading
from pecli.figures.mosaic import Band, Mosaic, columns_of
from pecli.figures.panels import Panel

if TYPE_CHECKING:
    from matplotlib.axes import Axes

F = TypeVar("F", bound="Figure[Any]")

__all__ = [
    "ColouredNumbers",
    "Figure",
    "Numbers",
    "View",
    "all_positions_text",
    "averaging",
    "averaging_cells",
    "extremes",
    "extremes_of_offsets",
    "other_positions_text",
    "positions_text",
    "subtract",
]


@dataclass(frozen=True, kw_only=True)
class ColouredNumbers(Numbers[E_co]):
    """Numbers that colours stand for.

    ends : the values at the ends of the colours
    """

    no_facts: ClassVar[tuple[str, ...]] = ("ends", "palette")

    ends: Limits

    def limits(self) -> Limits | None:
        return self.ends

    def with_limits(self, low: float, high: float) -> Self:
        return replace(self, ends=(low, high))


@dataclass(frozen=True)
class Figure(Analysis[E]):
    """Base of the figures. A subclass is one file: its options as fields, `panels_for`, `frame`, `compute` and `draw`.

    The order is that of a page: `panels_for` says what is to be laid out, `frame` puts what does not depend on the
    numbers around the panels; that is measured; `compute` makes as many numbers as the panels have pixels; `draw` shows
    them.
    """

    shows_positions: ClassVar[bool] = True  # on an axis; else the title says where they start
    counts_positions: ClassVar[bool] = False  # in the title, for nothing else in the picture says how many there are
    shares_limits: ClassVar[bool] = True  # its numbers can be shown under the limits of others

    @abstractmethod
    def panels_for(self, view: View[E]) -> list[Panel]:
        """The panels, row by row."""

    def columns(self, view: View[E]) -> int:
        """How many panels stand side by side where there is room."""
        return columns_of(len(self.panels_for(view)))

    def grids(self, view: View[E]) -> tuple[int, ...]:
        """The numbers of columns in which panels may stand where there is no room; all, if no order is lost."""
        return tuple(range(1, len(self.panels_for(view)) + 1))

    def mosaics(self, view: View[E]) -> tuple[Mosaic, ...]:
        """Grids to be tried first, as those in which one panel stands large beside the others; mostly none."""
        return ()

    def bands(self, view: View[E]) -> list[Band]:
        """The grids of panels that stand below each other; mostly one of all."""
        return [Band(len(self.panels_for(view)), self.columns(view), self.grids(view), self.mosaics(view))]

    def on_page(self, canvas: Canvas) -> Figure[E]:
        """The figure as it is laid out on that canvas."""
        return self

    def laid_out_as(self, kind: type[F]) -> F:
        """The same options in a kind of this figure that lays them out in another way."""
        return kind(**{field.name: getattr(self, field.name) for field in fields(self)})

    def as_part(self) -> Figure[E]:
        """The figure as one of several in a picture, where no panel stands large; mostly itself."""
        return self

    def put_back(self, numbers: Numbers[E]) -> Numbers[E]:
        """The numbers of that layout in the order of this."""
        return numbers

    def headings(self, view: View[E]) -> list[Heading]:
        """The parts of a picture of several."""
        return []

    @abstractmethod
    def frame(self, view: View[E], axes: list[Axes], canvas: Canvas) -> None:
        """Titles, labels, limits and ticks: all that stands around the panels whatever the numbers are."""

    def fit(self, view: View[E], axes: list[Axes], canvas: Canvas) -> None:
        """Adapt labels to the size that the panels have now; called whenever it changes."""
        from pecli.figures.labels import place_labels

        for one in axes:
            place_labels(one, canvas)

    @abstractmethod
    def draw(self, numbers: Any, axes: list[Axes], canvas: Canvas) -> list[Any]:
        """Puts the numbers onto the axes, one a panel; gives for each what its colour bar has to explain."""

    def texts(self) -> list[str]:
        """The free text that is drawn besides the title, to find fonts for."""
        return []

    def title(self, view: View[E]) -> str:
        """The picture's title where the user gives none."""
        return clauses([*(encoding.label() for encoding in view.encodings), self.unseen(view)])

    def unseen(self, view: View[E]) -> str:
        """What a title adds where nothing else says at which positions the encodings are looked at; mostly nothing."""
        if self.counts_positions:
            return all_positions_text(view.positions)
        return "" if self.shows_positions else positions_text(view.positions.start, view.positions.length)


def tells_of_offsets(view: View[Any]) -> bool:
    """Whether an offset other than 0 has two pairs that a symmetric measure does not make alike anyway."""
    return view.positions.length > 2


def positions_text(first: int, count: int) -> str:
    """The positions looked at, as a title says them; nothing where they are the first ones."""
    named = {name: minus(f"{at:,}") for name, at in (("first", first), ("last", first + count - 1))}
    return phrase("positions {first} to {last}", **named) if first else ""


def all_positions_text(covered: Positions) -> str:
    """The positions looked at where no axis says which is the last: how many, or from which to which."""
    said = template("{count:,} positions") if covered.length > 1 else template("{count:,} position")
    return positions_text(covered.start, covered.length) or phrase(said, count=covered.length)


def other_positions_text(view: View[TableEncoding]) -> str:
    """The rows that are looked at where they are others than the positions that the title counts: offsets."""
    return "" if view.covered == view.positions else all_positions_text(view.covered)


def averaging(size: int) -> str:
    """The caption of a picture whose pixels are means over pairs of so many positions each."""
    return phrase("each pixel: mean of {count:,} × {count:,} pairs", count=size) if size > 1 else ""


def averaging_cells(rows: int, columns: int) -> str:
    """The caption of a picture whose pixels are means over so many positions and dimensions each, one or both."""
    if rows > 1 and columns > 1:
        return phrase("each pixel: mean of {rows:,} positions × {columns:,} dimensions", rows=rows, columns=columns)
    if columns > 1:
        return phrase("each pixel: mean of {columns:,} dimensions", columns=columns)
    return phrase("each pixel: mean of {rows:,} positions", rows=rows) if rows > 1 else ""


def subtract(first: Array, second: Array) -> Array:
    """The first less the second; raises UsageError where their sizes differ."""
    if first.shape != second.shape:
        one, other = (" × ".join(map(str, array.shape)) for array in (first, second))
        text = f"{mention('difference')} takes tables of one size: these have {one} and {other} numbers"
        raise UsageError(text, option="difference")
    return first - second


def extremes(size: int) -> str:
    """The caption of a line that is drawn from the minimum to the maximum of every run of positions."""
    return phrase("each pixel: minimum to maximum of up to {count:,} positions", count=size) if size > 1 else ""


def extremes_of_offsets(size: int) -> str:
    """The same of every run of offsets."""
    return phrase("each pixel: minimum to maximum of up to {count:,} offsets", count=size) if size > 1 else ""


FEW = 3  # panels that may stand below each other


class Stacked(Figure[E]):
    """To be put before a figure of several: panels that have no shape of their own stand below each other."""

    def columns(self, view: View[E]) -> int:
        panels = self.panels_for(view)
        few = len(panels) <= FEW and not any(panel.exact for panel in panels)
        return 1 if few and 1 in super().grids(view) else super().columns(view)

    def grids(self, view: View[E]) -> tuple[int, ...]:
        return (1,) if self.columns(view) == 1 else super().grids(view)
