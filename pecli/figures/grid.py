"""One figure in many cells, whose rows and columns are the values of the options that differ."""

from __future__ import annotations

from dataclasses import dataclass, replace
from itertools import compress, product
from typing import Any, ClassVar, NamedTuple

from pecli.core.errors import UsageError
from pecli.core.language import join_title, listing
from pecli.core.lazy import Array, np
from pecli.figures.base import Figure, View, panels_of
from pecli.figures.composite import Cell, ComposedNumbers, Composite, longer_waves_text, message_of_each
from pecli.files.sheet import Sheet
from pecli.page.canvas import Canvas
from pecli.page.panels import PanelGroup, in_columns


class Axis(NamedTuple):
    """An option that differs between cells.

    values : its values, as elements of an array
    texts, titles : the labels of its values, in a sentence and above panels
    number : whether the values are numbers
    """

    name: str
    values: tuple[Any, ...]
    texts: tuple[str, ...]
    titles: tuple[str, ...]
    number: bool


@dataclass(frozen=True, kw_only=True)
class GridNumbers(ComposedNumbers):
    """The numbers of every cell, row by row.

    Arrays of equal shape are stacked, with one leading dimension per option.
    """

    axes: tuple[Axis, ...]

    def arrays(self) -> dict[str, Array]:
        every = [part.numbers.arrays() for part in self.parts]
        shapes = [{name: array.shape for name, array in own.items()} for own in every]
        if all(own == shapes[0] for own in shapes):
            found = {name: self._stack([own[name] for own in every], name) for name in every[0]}
        else:
            found = {f"{at}.{name}": array for at, own in enumerate(every) for name, array in own.items()}
        return {f"sweep_{a.name}" if a.name in found else a.name: np.array(a.values) for a in self.axes} | found

    def _stack(self, arrays: list[Array], name: str) -> Array:
        """Return the cells' arrays stacked into one; if all cells share a coordinate, return it unstacked."""
        first = self.parts[0].numbers
        if name in Sheet(first).coordinates() and all(np.array_equal(arrays[0], array) for array in arrays):
            return arrays[0]
        return np.stack(arrays).reshape(*(len(axis.values) for axis in self.axes), *arrays[0].shape)

    def facts(self) -> dict[str, Any]:
        return {label: part.numbers.facts() for label, part in zip(self.labels, self.parts, strict=True)}

    def message(self) -> str:
        """Return the headlines of the cells, labelled with the options that change them."""
        if waves := longer_waves_text(self.labels, self.parts):
            return waves
        text = np.array(self.messages(), dtype=object).reshape([len(axis.values) for axis in self.axes])
        telling = [(text != text.take([0], axis=at)).any() for at in range(text.ndim)]
        names = [listing(compress(texts, telling)) for texts in product(*(axis.texts for axis in self.axes))]
        each = dict(zip(names, self.messages(), strict=True))
        return message_of_each([*each], [*each.values()])


@dataclass(frozen=True)
class Grid(Composite):
    """Cells with shared limits.

    The cells of one option fill as many rows as they need. With several options, the first varies from row to row and
    the others from column to column.

    title_text : the title, which states what all cells have in common
    """

    name: ClassVar[str] = "grid"
    several: ClassVar[bool] = True

    cells: tuple[Cell, ...]
    axes: tuple[Axis, ...]
    title_text: str

    def made_of(self) -> list[Figure[Any]]:
        return [cell.figure for cell in self.cells]

    @property
    def labels(self) -> tuple[str, ...]:
        """The name of each cell."""
        return tuple(map(listing, product(*(axis.texts for axis in self.axes))))

    def _columns(self) -> int:
        """Return the number of columns if several options make a table of one-panel cells, otherwise 0."""
        single = all(len(panels_of(cell.figure, cell.view)) == 1 for cell in self.cells)
        return len(self.cells) // len(self.axes[0].values) if len(self.axes) > 1 and single else 0

    def cells_of(self, view: View[Any]) -> list[Cell]:
        """Return the cells with their labels: at the edges of a table of options, otherwise above each cell."""
        columns, cells = self._columns(), zip(self.cells, product(*(axis.titles for axis in self.axes)), strict=True)
        if not columns:
            return [cell._replace(label=join_title(titles)) for cell, titles in cells]
        return [
            cell._replace(label=join_title(titles[1:]) * (at < columns), beside=titles[0] * (at % columns == 0))
            for at, (cell, titles) in enumerate(cells)
        ]

    def panel_groups(self, view: View[Any], canvas: Canvas) -> list[PanelGroup]:
        (group,) = super().panel_groups(view, canvas)
        columns = self._columns()
        if columns and canvas.columns not in (None, columns):
            text = f"with two swept options, the values of {self.axes[-1].name} are side by side"
            raise UsageError(text, option="columns", value=canvas.columns, advice="leave --columns out")
        return [replace(group, grids=in_columns(len(self.cells), columns)) if columns else group]

    def _cell_panels(self, cell: Cell, at: int, canvas: Canvas) -> PanelGroup:
        """Return the panels of the cell with index `at`.

        A panel of lines shares the labels of its axes with the cells that show the same figure at the same positions.
        """
        group = super()._cell_panels(cell, at, canvas)
        same = (repr(cell.figure), cell.view.positions, type(cell.view.encoding))
        panels = (
            replace(panel, y=replace(panel.y, scale=same))
            if panel.bar is None and panel.y.shared is None and not panel.exact
            else panel
            for panel in group.panels
        )
        return replace(group, panels=tuple(panels))

    def composed_numbers(self, view: View[Any], **fields: Any) -> GridNumbers:
        return GridNumbers(view=view, axes=self.axes, labels=self.labels, **fields)

    def title(self, view: View[Any]) -> str:
        return self.title_text
