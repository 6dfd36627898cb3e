"""The matrix that rotates a query at one position, or shifts a sinusoid by an offset."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from pecli.analysis import Numbers, View
from pecli.core.language import say
from pecli.core.lazy import Array, Axes, np
from pecli.encodings.base import Rotary
from pecli.figures.matrix import show_matrix
from pecli.figures.rotation_figure import RotationFigure
from pecli.files.sheet import over
from pecli.page.axis_labels import values_axis
from pecli.page.canvas import Canvas
from pecli.page.panels import ColorBar, Panel, PanelGroup

OUTLINED = 32  # largest matrix whose nonzero cells are outlined, in rows


@dataclass(frozen=True, kw_only=True)
class MatrixNumbers(Numbers[Rotary]):
    """The matrix R_p, or M_k of sinusoids, whose offset k is `position`; shape (width, width)."""

    matrix: Array = over("row", "column")
    dimensions: Array = over(each=("row", "column"))
    position: int

    def message(self) -> str:
        return say("rotation.of_entries_are_not", count=int(np.count_nonzero(self.matrix)), all=self.matrix.size)


@dataclass(frozen=True)
class RotationMatrix(RotationFigure):
    """The figure of `rotation --matrix P`."""

    def shape(self, view: View[Rotary]) -> tuple[int, ...]:
        return (view.encoding.width, view.encoding.width)

    def compute(self, view: View[Rotary]) -> MatrixNumbers:
        position, width = self.matrix or 0, view.encoding.width
        encoding: Any = view.encoding
        matrix = encoding.rotation_matrix(position) if self._rotates(view) else encoding.shift_matrix(position)
        return MatrixNumbers(view=view, matrix=matrix, dimensions=np.arange(width), position=position)

    def _rotates(self, view: View[Any]) -> bool:
        """Return whether the encoding rotates queries; if not, the matrix shifts its position vectors."""
        return isinstance(view.encoding, Rotary)

    def panel_groups(self, view: View[Rotary], canvas: Canvas) -> list[PanelGroup]:
        ends = (-0.5, view.encoding.width - 0.5)
        title = say("rotation.rotation_matrix_r_p", position=self.matrix)
        title = title if self._rotates(view) else say("rotation.shift_matrix_m_k", offset=self.matrix)
        x = values_axis(say("words.column"), whole=True, ends=ends)
        y = values_axis(say("words.row"), whole=True, ends=ends[::-1])
        bar = ColorBar(say("heatmap.value"), fixed=True)
        return [PanelGroup((Panel(1.0, title=title, exact=True, bar=bar, x=x, y=y),))]

    def draw(self, numbers: MatrixNumbers, axes: list[Axes], canvas: Canvas) -> list[Any]:
        from matplotlib.patches import Rectangle

        most = max(1.0, float(np.abs(numbers.matrix).max()))  # above 1 if a scaling also lengthens vectors
        colours = canvas.colours("diverging")
        image = show_matrix(axes[0], numbers.matrix, colours=colours, limits=(-most, most), centred=True)
        look: dict[str, Any] = {"edgecolor": "0.5", "linewidth": 0.5 * canvas.scale, "fill": False}
        for row, column in np.argwhere(numbers.matrix) if len(numbers.matrix) <= OUTLINED else ():  # outline pale cells
            axes[0].add_patch(Rectangle((column - 0.5, row - 0.5), 1, 1, **look))
        self.write_numbers(axes, [image], canvas)
        return [image]
