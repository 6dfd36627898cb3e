"""From a few typical positions to all others: one line each."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

from pecli.errors import UsageError
from pecli.figures.canvas import Canvas
from pecli.figures.figure import Figure, Numbers, View, label_positions
from pecli.lazy import Array, np
from pecli.options import EXACT, option
from pecli.pairwise import MEASURES, measures, to_all

if TYPE_CHECKING:
    from matplotlib.axes import Axes

TYPICAL = 5  # lines where none are asked for


@dataclass(frozen=True)
class CurvesNumbers(Numbers):
    """curves : (lines, n); at : (lines,), the position each starts from; positions : (n,); own : (lines,), the
    measure of each with itself."""

    curves: Array
    at: Array
    positions: Array
    own: Array

    def columns(self) -> list[str]:
        return [f"{position:g}" for position in self.positions]


@dataclass(frozen=True)
class Curves(Figure):
    """The measure from chosen positions to all positions.

    Notes
    -----
    Lines of one shape, shifted, mean that only the offset counts. A line that comes back to 0 away from its own
    position says that two positions cannot be told apart.
    """

    name: ClassVar[str] = "curves"
    summary: ClassVar[str] = "a measure from a few positions to all others, one line each"
    example: ClassVar[str] = "pecli curves --at 0,50,100"
    aspect: ClassVar[float] = 0.55

    measure: str = option("euclidean", "how two rows are compared", choices=measures, flags=("-m",))
    at: tuple[int, ...] | None = option(
        None, "the positions to start from", at_least=-EXACT, flags=(), unset=f"{TYPICAL} spread over the length"
    )

    def typical(self, view: View) -> Array:
        """The positions to start from."""
        rows = view.covered
        if self.at is None:
            steps = np.arange(TYPICAL) * rows.length // (TYPICAL - 1)
            return np.unique(rows.start + np.minimum(steps, rows.length - 1)).astype(np.float64)
        outside = [p for p in self.at if not rows.start <= p < rows.stop]
        if outside:
            raise UsageError(f"--at {outside[0]} is outside the positions shown, {rows.start} to {rows.stop - 1}")
        return np.array(list(dict.fromkeys(self.at)), dtype=np.float64)

    def check_view(self, view: View) -> None:
        super().check_view(view)
        self.typical(view)

    def shape(self, view: View) -> tuple[int, ...]:
        return (len(self.typical(view)), view.covered.length)

    def compute(self, view: View) -> CurvesNumbers:
        at, positions = self.typical(view), view.covered.array()
        measure = MEASURES[self.measure]
        curves = to_all(view.encoding, measure, at, positions)
        own = curves[np.arange(len(at)), (at - view.covered.start).astype(int)]
        return CurvesNumbers(view, curves, at, positions, own)

    def draw(self, numbers: CurvesNumbers, axes: list[Axes], canvas: Canvas) -> None:
        encoding = numbers.view.encoding
        for curve, at, own in zip(numbers.curves, numbers.at, numbers.own, strict=True):
            (line,) = axes[0].plot(numbers.positions, curve, label=f"from {encoding.position_text(at)}")
            axes[0].plot([at], [own], marker="o", color=line.get_color(), clip_on=False, zorder=3)
        label_positions(axes[0].xaxis, encoding)
        axes[0].set_ylabel(MEASURES[self.measure].label)
        axes[0].margins(x=0.01)
        axes[0].grid(axis="y")
        axes[0].legend(loc="upper left", bbox_to_anchor=(1.0, 1.0))
