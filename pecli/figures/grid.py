"""One figure many times, once a cell: rows and columns are the options that differ."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, ClassVar, NamedTuple

from pecli.core.language import listing
from pecli.core.lazy import Array, np
from pecli.figures.base import View, panels_of
from pecli.figures.canvas import Canvas
from pecli.figures.composite import Cell, ComposedNumbers, Composite, message_of_each
from pecli.figures.panels import PanelGroup, in_columns


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

    def arrays(self) -> dict[str, Array]:
        every = [part.numbers.arrays() for part in self.parts]
        shapes = [{name: array.shape for name, array in own.items()} for own in every]
        if all(own == shapes[0] for own in shapes):
            found = {name: self._stacked([own[name] for own in every], name) for name in every[0]}
        else:
            found = {f"{at}.{name}": array for at, own in enumerate(every) for name, array in own.items()}
        return {f"sweep_{a.name}" if a.name in found else a.name: np.array(a.values) for a in self.axes} | found

    def _stacked(self, arrays: list[Array], name: str) -> Array:
        """Return the cells' arrays as one; a coordinate that they all share once."""
        first = self.parts[0].numbers
        coordinate = name in (*first.row_coordinates, first.column_coordinates)
        if coordinate and all(np.array_equal(arrays[0], one) for one in arrays):
            return arrays[0]
        return np.stack(arrays).reshape(*(len(axis.values) for axis in self.axes), *arrays[0].shape)

    def facts(self) -> dict[str, Any]:
        return {label: part.numbers.facts() for label, part in zip(self.labels, self.parts, strict=True)}

    def message(self) -> str:
        """Return what there is to see in each, by the names of the options that make a difference to it."""
        counts = [len(axis.values) for axis in self.axes]
        said = np.array(self.messages(), dtype=object).reshape(counts)
        telling = [at for at in range(said.ndim) if (said != said.take([0], axis=at)).any()]
        names = [listing(self.axes[at].texts[place[at]] for at in telling) for place in np.ndindex(*counts)]
        each = dict(zip(names, self.messages(), strict=True))
        return message_of_each([*each], [*each.values()])


@dataclass(frozen=True)
class Grid(Composite):
    """Cells under the same limits; one axis wraps, of several the first runs down and the others across.

    title_text : what all cells have in common
    """

    name: ClassVar[str] = "grid"
    summary: ClassVar[str] = "One figure many times"
    several: ClassVar[bool] = True

    cells: tuple[Cell, ...]
    axes: tuple[Axis, ...]
    title_text: str

    @property
    def labels(self) -> tuple[str, ...]:
        """What tells each cell from the others."""
        return tuple(map(listing, self._texts()))

    def _texts(self) -> list[tuple[str, ...]]:
        """Return the text of each cell's value of every axis."""
        places = np.ndindex(*(len(axis.values) for axis in self.axes))
        return [tuple(axis.texts[at] for axis, at in zip(self.axes, place, strict=True)) for place in places]

    def cells_of(self, view: View[Any]) -> list[Cell]:
        """Return the cells with what tells them: above and beside those at the edges of a table, else above each."""
        table, wide = self._is_table(), len(self.cells) // len(self.axes[0].values)
        return [
            cell._replace(
                label=("" if at >= wide else listing(texts[1:])) if table else listing(texts),
                beside=texts[0] if table and at % wide == 0 else "",
            )
            for at, (cell, texts) in enumerate(zip(self.cells, self._texts(), strict=True))
        ]

    def _is_table(self) -> bool:
        """Return whether rows and columns are the options: cells of several panels have rows of their own instead."""
        return len(self.axes) > 1 and all(len(panels_of(cell.figure, cell.view)) == 1 for cell in self.cells)

    def panel_groups(self, view: View[Any], canvas: Canvas) -> list[PanelGroup]:
        (group,) = super().panel_groups(view, canvas)
        if not self._is_table():
            return [group]
        wide = len(self.cells) // len(self.axes[0].values)
        return [PanelGroup(group.panels, in_columns(len(self.cells), wide), one_legend=True)]

    def _placed(self, cell: Cell, at: int, canvas: Canvas) -> PanelGroup:
        group = super()._placed(cell, at, canvas)
        same = (repr(cell.figure), cell.view.positions, type(cell.view.encoding))  # lines labelled at the edge
        free = [panel.bar is None and panel.y is None and not panel.exact for panel in group.panels]
        pairs = zip(group.panels, free, strict=True)
        return replace(group, panels=tuple(replace(panel, y=same) if one else panel for panel, one in pairs))

    def composed_numbers(self, view: View[Any], **fields: Any) -> GridNumbers:
        return GridNumbers(view=view, axes=self.axes, labels=self.labels, **fields)

    def texts(self) -> list[str]:
        return list(dict.fromkeys(text for cell in self.cells for text in cell.figure.texts()))

    def title(self, view: View[Any]) -> str:
        return self.title_text
