"""One figure many times, once a cell: rows and columns are the options that differ."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from math import prod
from typing import TYPE_CHECKING, Any, ClassVar, NamedTuple, Self, TypeVar

from pecli.analysis import Limits
from pecli.core.errors import UsageError, mention
from pecli.core.language import clauses, listing, said_by_each
from pecli.core.lazy import Array, np
from pecli.encodings.base import Encoding
from pecli.figures.base import Figure, Numbers, Stacked, View
from pecli.figures.canvas import Canvas
from pecli.figures.composite import (
    ComposedNumbers,
    Part,
    differing,
    limited_alike,
    marks_of,
    message_of_each,
    owned,
    through,
)
from pecli.figures.headings import Heading
from pecli.figures.legends import keep_last_legend
from pecli.figures.mosaic import Mosaic, rows_of_their_own
from pecli.figures.panels import Panel, headed
from pecli.figures.ways import most_fitting
from pecli.figures.windows import share_colours, share_windows

if TYPE_CHECKING:
    from matplotlib.axes import Axes


class Axis(NamedTuple):
    """An option that the cells differ in.

    values : what each of its values is, as an array's elements
    texts : what stands beside its cells
    number : whether the values are numbers
    """

    name: str
    values: tuple[Any, ...]
    texts: tuple[str, ...]
    number: bool


@dataclass(frozen=True, kw_only=True)
class GridNumbers(ComposedNumbers):
    """The numbers of every cell, row by row. Arrays that all cells have in one shape have an axis an option first."""

    axes: tuple[Axis, ...]
    labels: tuple[str, ...]
    kin: tuple[int, ...]  # of each cell, the first cell that it shares its colours with

    def limited(self, choose: Callable[[Limits, Sequence[Array]], Limits]) -> Self:
        """Under the limits of all cells that share their colours, chosen from those and from all their values."""
        return replace(self, parts=limited_alike(self.parts, self.kin, choose))

    def arrays(self) -> dict[str, Array]:
        every = [part.numbers.arrays() for part in self.parts]
        shapes = [{name: array.shape for name, array in own.items()} for own in every]
        if all(own == shapes[0] for own in shapes):
            found = {name: self._stacked([own[name] for own in every], name) for name in every[0]}
        else:
            found = {f"{at}.{name}": array for at, own in enumerate(every) for name, array in own.items()}
        return {f"sweep_{a.name}" if a.name in found else a.name: np.array(a.values) for a in self.axes} | found

    def _stacked(self, arrays: list[Array], name: str) -> Array:
        """The cells' arrays as one; a coordinate that they all share once."""
        first = self.parts[0].numbers
        coordinate = name in (*first.row_coordinates, first.column_coordinates)
        if coordinate and all(np.array_equal(arrays[0], one) for one in arrays):
            return arrays[0]
        return np.stack(arrays).reshape(*(len(axis.values) for axis in self.axes), *arrays[0].shape)

    def facts(self) -> dict[str, Any]:
        return {label: part.numbers.facts() for label, part in zip(self.labels, self.parts, strict=True)}

    def remarks(self) -> list[str]:
        return said_by_each(self.names(), [part.numbers.remarks() for part in self.parts])

    def marks(self) -> list[str]:
        return marks_of(self.parts)

    def names(self) -> Sequence[str]:
        return self.labels

    def messages(self) -> list[str]:
        """Once, at the top, in rows and columns where all in a column say the same."""
        said = differing(self.said())
        if said:
            said[0] = clauses([said[0], *self._common()])
        if said and len(self.axes) > 1 and 0 not in self._telling():
            across = len(said) // len(self.axes[0].values)
            said[across:] = [""] * (len(said) - across)
        return said

    def message(self) -> str:
        """What there is to see in each, by the names of the options that make a difference to it."""
        telling, places = self._telling(), np.ndindex(*(len(axis.values) for axis in self.axes))
        names = [listing(self.axes[at].texts[place[at]] for at in telling) for place in places]
        each = dict(zip(names, self.said(), strict=True))
        return clauses([message_of_each([*each], [*each.values()]), *self._common()])

    def said(self) -> list[str]:
        """What there is to see in each cell; of several figures in each what not all cells say."""
        common = self._common()
        each = [part.numbers.messages() or [part.numbers.message()] for part in self.parts]
        return [clauses(text for text in own if text not in common) for own in each]

    def _common(self) -> list[str]:
        """What one of several figures in each cell says in all of them."""
        first, *others = (part.numbers.messages() for part in self.parts)
        return [text for text in first if text and all(text in one for one in others)]

    def _telling(self) -> list[int]:
        """The axes along which cells say different things."""
        said = np.array(self.said(), dtype=object).reshape([len(axis.values) for axis in self.axes])
        return [at for at in range(said.ndim) if (said != said.take([0], axis=at)).any()]


T = TypeVar("T")


class Cell(NamedTuple):
    """A figure that looks at something of its own."""

    figure: Figure[Any]
    view: View[Any]


@dataclass(frozen=True)
class Grid(Figure[Encoding]):
    """Cells under the same limits; one axis wraps, of several the first runs down and the others across.

    title_text : what all cells have in common
    """

    name: ClassVar[str] = "grid"
    summary: ClassVar[str] = "One figure many times"
    one_table: ClassVar[bool] = False
    several: ClassVar[bool] = True
    composed: ClassVar[bool] = True

    cells: tuple[Cell, ...]
    axes: tuple[Axis, ...]
    title_text: str

    def __post_init__(self) -> None:
        super().__post_init__()
        object.__setattr__(self, "name", self.cells[0].figure.name)  # messages are about what it shows

    def turned(self) -> Grid:
        """The same with rows for columns, of two options; else itself."""
        if len(self.axes) != 2:
            return self
        down, across = self.axes
        return replace(self, cells=_turned(self.cells, len(across.values)), axes=(across, down))

    def on_page(self, canvas: Canvas) -> Grid:
        """Itself, stacked on a narrow page, or with rows for columns where only that fits, or shows more."""
        if len(self.axes) == 1 and canvas.narrow:
            return self.laid_out_as(GridDown)
        return most_fitting([self, self.turned()], canvas)

    def put_back(self, numbers: Numbers[Any]) -> Numbers[Any]:
        assert isinstance(numbers, GridNumbers)  # what the same with rows for columns computes
        count = len(self.axes[0].values)
        parts, kin = _turned(numbers.parts, count), _turned(numbers.kin, count)
        return replace(numbers, parts=parts, kin=kin, axes=self.axes, labels=self.labels)

    @property
    def labels(self) -> tuple[str, ...]:
        """What tells each cell from the others."""
        return tuple(listing(texts) for texts in self._texts())

    def _texts(self) -> list[tuple[str, ...]]:
        counts = [len(axis.values) for axis in self.axes]
        places = np.stack(np.unravel_index(np.arange(len(self.cells)), counts), axis=-1).tolist()
        return [tuple(axis.texts[at] for axis, at in zip(self.axes, place, strict=True)) for place in places]

    def shapes(self) -> list[list[Panel]]:
        """The panels of each cell."""
        return [cell.figure.panels_for(cell.view) for cell in self.cells]

    def check_panels(self) -> None:
        """Refuses cells that make no grid (UsageError)."""
        counts, across = {len(own) for own in self.shapes()}, self._across()
        advice = f"give each a file of its own: blanks in {mention('output')}, such as {{{self.axes[0].name}}}"
        figure = self.cells[0].figure.name
        if len(counts) > 1:
            text = f"{figure} has {min(counts)} to {max(counts)} panels here, which make no grid"
            raise UsageError(text, option="output", advice=advice)
        if not all(cell.figure.grids(cell.view) for cell in self.cells):
            text = f"{figure} has rows of different lengths here, which make no grid"
            raise UsageError(text, option="output", advice=advice)
        if len(self.axes) > 1 and max(counts) > across:
            text = f"{figure} has {max(counts)} panels in rows of {across}, which make no grid of rows and columns"
            raise UsageError(text, option="output", advice=advice)

    def _across(self) -> int:
        """How many panels of a cell stand side by side."""
        first = self.cells[0]
        return min(first.figure.columns(first.view), len(first.figure.panels_for(first.view)))

    def columns(self, view: View[Any]) -> int:
        if len(self.axes) == 1:
            return super().columns(view) if self._wraps(view) else self._across()
        return self._across() * len(self.cells) // len(self.axes[0].values)

    def grids(self, view: View[Any]) -> tuple[int, ...]:
        return super().grids(view) if self._wraps(view) else (self.columns(view),) if len(self.axes) > 1 else ()

    def mosaics(self, view: View[Any]) -> tuple[Mosaic, ...]:
        """None, or where cells of several panels stand below each other, in rows of their own."""
        if len(self.axes) > 1 or self._wraps(view):
            return ()
        first, own, across = self.cells[0], self.shapes(), self._across()
        return rows_of_their_own([*map(len, own)], first.figure.grids(first.view), across)

    def _wraps(self, view: View[Any]) -> bool:
        return len(self.axes) == 1 and len(self.panels_for(view)) == len(self.cells)

    def views(self, view: View[Any]) -> Iterator[View[Any]]:
        """What each cell looks at, through its own panels."""
        first = 0
        for cell, own in zip(self.cells, self.shapes(), strict=True):
            yield through(replace(cell.view, panels=view.panels), slice(first, first + len(own)))
            first += len(own)

    def _groups(self, axes: list[Axes]) -> Iterator[tuple[Cell, list[Axes]]]:
        """Each cell with its panels."""
        size = len(axes) // len(self.cells)
        for at, cell in enumerate(self.cells):
            yield cell, axes[at * size : (at + 1) * size]

    def panels_for(self, view: View[Any]) -> list[Panel]:
        pairs = enumerate(zip(self.cells, self.shapes(), strict=True))
        return [headed(_placed(panel, at, cell), at) for at, (cell, own) in pairs for panel in own]

    def frame(self, view: View[Any], axes: list[Axes], canvas: Canvas) -> None:
        for cell, own in self._groups(axes):
            cell.figure.frame(cell.view, own, canvas)
        self._label(axes)
        keep_last_legend(axes, len(self.cells))

    def _labels(self) -> Iterator[tuple[str, str]]:
        """What stands above and beside each cell: what tells rows and columns, or every cell where they wrap."""
        wide = len(self.cells) if len(self.axes) == 1 else len(self.cells) // len(self.axes[0].values)
        for at, texts in enumerate(self._texts()):
            above, beside = (texts, "") if len(self.axes) == 1 else (texts[1:], texts[0])
            yield listing(above) if at < wide else "", beside if at % wide == 0 else ""

    def _label(self, axes: list[Axes]) -> None:
        """Tells rows and columns, or every cell where they wrap; again where a figure has titles of its own."""
        for (above, beside), (_, own) in zip(self._labels(), self._groups(axes), strict=True):
            own[0].title.set_text(_under(above, own[0].get_title()))  # as far above as it was
            own[0].set_ylabel(_under(beside, own[0].get_ylabel()))

    def headings(self, view: View[Any]) -> list[Heading]:
        size = len(self.panels_for(view)) // len(self.cells)
        return [Heading(at * size, at * size + size, name) for at, (name, _) in enumerate(self._labels())]

    def fit(self, view: View[Any], axes: list[Axes], canvas: Canvas) -> None:
        for cell, own in self._groups(axes):
            cell.figure.fit(cell.view, own, canvas)

    def shape(self, view: View[Any]) -> tuple[int, ...]:
        pairs = zip(self.cells, self.views(view), strict=True)
        return (sum(prod(cell.figure.shape(one)) for cell, one in pairs),)

    def compute(self, view: View[Any]) -> GridNumbers:
        pairs = zip(self.cells, self.views(view), strict=True)
        parts = tuple(Part(cell.figure, cell.figure.compute(one)) for cell, one in pairs)
        bars = [[panel.bar for panel in own] for own in self.shapes()]
        kin = tuple(bars.index(own) for own in bars)
        numbers = GridNumbers(view=view, parts=parts, axes=self.axes, labels=self.labels, kin=kin)
        return numbers.limited(lambda limits, values: limits)

    def draw(self, numbers: GridNumbers, axes: list[Axes], canvas: Canvas) -> list[Any]:
        drawn = []
        for part, (_, own) in zip(numbers.parts, self._groups(axes), strict=True):
            drawn += part.figure.draw(part.numbers, own, canvas)
        self._label(axes)
        share_windows(axes, self.panels_for(numbers.view))
        share_colours(drawn, self.panels_for(numbers.view))
        return drawn

    def texts(self) -> list[str]:
        return list(dict.fromkeys(text for cell in self.cells for text in cell.figure.texts()))

    def title(self, view: View[Any]) -> str:
        return self.title_text


class GridDown(Stacked[Encoding], Grid):
    """The same on a narrow page."""


def _turned(cells: tuple[T, ...], columns: int) -> tuple[T, ...]:
    """Row by row in so many columns, read column by column."""
    return tuple(cell for column in range(columns) for cell in cells[column::columns])


def _placed(panel: Panel, at: int, cell: Cell) -> Panel:
    """The panel of a cell: a bar of its own where its colours mean nothing elsewhere, lines labelled at the edge."""
    if panel.bar is not None and not cell.figure.shares_limits:
        return owned(panel, at)
    if panel.bar is None and panel.y is None and not panel.exact:  # a window of another shape would stretch it
        return replace(panel, y=(repr(cell.figure), cell.view.positions, type(cell.view.encoding)))
    return panel


def _under(head: str, text: str) -> str:
    """The text under a head of its own, once, however that was broken into lines."""
    return text if " ".join(text.split()).startswith(head) else f"{head}\n{text}".strip()
