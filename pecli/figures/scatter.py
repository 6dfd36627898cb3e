"""Two measures against each other, one point a pair of positions."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

from pecli.errors import UsageError
from pecli.figures.canvas import Canvas, Scale
from pecli.figures.figure import Figure, Numbers, View
from pecli.lazy import Array, np
from pecli.options import option
from pecli.pairwise import MEASURES, matrix, measures

if TYPE_CHECKING:
    from matplotlib.axes import Axes

VECTOR = 2000  # points that a vector file still carries one by one


def triangles() -> tuple[str, ...]:
    """Which pairs p, q are shown."""
    return ("both", "upper", "lower")


@dataclass(frozen=True)
class ScatterNumbers(Numbers):
    """x, y, p, q : (pairs,), both measures of the pair p < q. The lower triangle is the same pairs mirrored."""

    x: Array
    y: Array
    p: Array
    q: Array
    pearson: float | None  # linear correlation of the cloud
    spearman: float | None  # rank correlation of the cloud
    pairs: int
    undefined: int  # pairs left out: a measure is not defined for a constant row

    def caption(self) -> str:
        if not self.undefined:
            return ""
        return f"{self.undefined:,} of {self.pairs:,} pairs left out: a row is constant, no correlation is defined"


@dataclass(frozen=True)
class Scatter(Figure):
    """Correlation of two positions' vectors against their distance.

    Notes
    -----
    The colour says how far apart the pair stands. Both measures are symmetric, so the two panels, the upper and the
    lower triangle of the distance matrix, show the same points.
    """

    name: ClassVar[str] = "scatter"
    example: ClassVar[str] = "pecli scatter --x corr --y euclidean"
    aspect: ClassVar[float] = 0.9

    x: str = option("corr", "measure across", choices=measures)
    y: str = option("euclidean", "measure up", choices=measures)
    triangle: str = option("both", "which pairs: p < q (upper), p > q (lower) or both", choices=triangles)

    def grid(self) -> tuple[int, int]:
        return (1, 2 if self.triangle == "both" else 1)

    def shape(self, view: View) -> tuple[int, ...]:
        length = view.covered.length
        return (6, length, length)

    def check_view(self, view: View) -> None:
        super().check_view(view)
        if view.covered.length < 2:
            raise UsageError("scatter compares pairs: --length 1 has none, it takes 2 or more")

    def compute(self, view: View) -> ScatterNumbers:
        blocks = view.covered.blocks(None)
        upper = np.triu_indices(blocks.count, 1)
        x, y = (matrix(view.encoding, MEASURES[name], blocks)[upper] for name in (self.x, self.y))
        defined = ~(np.isnan(x) | np.isnan(y))
        p, q = (i[defined] + float(blocks.start) for i in upper)
        x, y, pairs = x[defined], y[defined], len(x)
        return ScatterNumbers(view, x, y, p, q, pearson(x, y), pearson(ranks(x), ranks(y)), pairs, pairs - len(x))

    def draw(self, numbers: ScatterNumbers, axes: list[Axes], canvas: Canvas) -> Scale:
        shown = ("upper", "lower") if self.triangle == "both" else (self.triangle,)
        for one, name in zip(axes, shown, strict=True):
            points = one.scatter(
                numbers.x,
                numbers.y,
                c=numbers.q - numbers.p,
                s=4,
                linewidths=0,
                cmap=canvas.colours("sequential"),
                rasterized=len(numbers.x) > VECTOR,
            )
            pairs = f"{name} triangle, p {'<' if name == 'upper' else '>'} q"
            one.set(xlabel=MEASURES[self.x].label, title=f"{pairs}\n{correlations(numbers)}")
        axes[0].set_ylabel(MEASURES[self.y].label)
        return Scale(points, "offset |p − q|")


def correlations(numbers: ScatterNumbers) -> str:
    """Both correlations of the cloud, as the picture prints them."""

    def show(value: float | None) -> str:
        return "undefined" if value is None else f"{value:.4f}"

    return f"linear r = {show(numbers.pearson)}, rank ρ = {show(numbers.spearman)}"


def pearson(x: Array, y: Array) -> float | None:
    """Linear correlation; None where one of the two does not vary."""
    if len(x) < 2:
        return None
    x, y = x - x.mean(), y - y.mean()
    scale = float(np.linalg.norm(x) * np.linalg.norm(y))
    return None if scale == 0 else float(x @ y / scale)


def ranks(values: Array) -> Array:
    """1 for the smallest; equal values share the mean of their ranks."""
    _, group, counts = np.unique(values, return_inverse=True, return_counts=True)
    last = np.cumsum(counts)
    return (last - (counts - 1) / 2)[group]
