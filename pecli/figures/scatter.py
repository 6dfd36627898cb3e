"""Two measures against each other, one point a pair of positions."""

from __future__ import annotations

from dataclasses import dataclass
from math import prod
from typing import Any, ClassVar

from pecli.analysis import choice_of_measure
from pecli.core.errors import UsageError
from pecli.core.language import say
from pecli.core.lazy import Array, Axes, np
from pecli.core.numbers import ROUNDING, minus
from pecli.core.options import option
from pecli.encodings.base import TableEncoding
from pecli.figures.base import Figure, Numbers, View, other_positions_text
from pecli.files.sheet import aside, over
from pecli.measures.comparison import VectorComparison, check_pairs
from pecli.measures.pairs import CLASSES, coarser, counts, points
from pecli.page.axis_labels import label_values
from pecli.page.canvas import Canvas
from pecli.page.colors import seen_colours
from pecli.page.panels import ColorBar, Panel, PanelGroup, in_columns

LABELLED = 5  # offsets whose streaks have a label, at most
APART = 0.1  # of the points' range: free of others around a label; a streak that has one is thinner
MAX_POINTS = 200_000  # that are drawn; more are counted
MAX_VECTOR_POINTS = 2000  # that a vector file carries one by one
LARGE_POINTS = 500  # fewer are drawn larger
MAX_CELLS = 240  # classes a side that a density is drawn in
FLAT = 0.55  # height over width of a panel that no other stands beside
MARGIN = 0.05  # around the counts, as a share of the axis
SHARED = 0.1  # of the pairs, or fewer, have a place of their own: then a dot stands for many
LARGEST, SMALLEST = 14.0, 9.0  # points across, of the largest such dot, and square points of the smallest
TINY = 1e-300  # so that one place is no division by 0
TREND = 0.5  # a rank correlation, without its sign, that is a trend


@dataclass(frozen=True, kw_only=True)
class CloudNumbers(Numbers[TableEncoding]):
    """Both correlations of all pairs, drawn as points or as counts."""

    pearson: float | None  # linear correlation of the cloud
    spearman: float | None  # rank correlation of the cloud
    pairs: int
    undefined: int  # pairs left out: a measure is not defined for a constant row
    measures: tuple[str, str] = aside()  # across and up

    def message(self) -> str:
        across, up = (VectorComparison(self.view.encoding, name).label for name in self.measures)
        if self.spearman is None or across == up:
            return ""
        little, rises, falls = (
            "scatter.says_little_about",
            "scatter.the_larger_the_the",
            "scatter.the_larger_the_the_smaller",
        )
        text = little if abs(self.spearman) < TREND else rises if self.spearman > 0 else falls
        return say(text, x=across, y=up, rank=_two_digits(self.spearman))

    def remarks(self) -> list[str]:
        undefined = say("scatter.of_pairs_left_out", count=self.undefined, all=self.pairs) if self.undefined else ""
        ranks = say("scatter.spearmans_rank_correlation") if self.message() else ""
        return [other_positions_text(self.view), ranks, undefined]


@dataclass(frozen=True, kw_only=True)
class ScatterNumbers(CloudNumbers):
    """Both measures of the pair p < q, in the lower triangle alone of p > q."""

    x: Array = over("pair")
    y: Array = over("pair")
    p: Array = over("pair")
    q: Array = over("pair")

    def marks(self) -> list[str]:
        if (places := self.places()) is None:
            return []
        fewest, most = int(places[1].min()), int(places[1].max())
        return [say("scatter.area_of_dot_to", fewest=fewest, most=most)]

    def remarks(self) -> list[str]:
        alone = len(self.x) and self.places() is None
        return [say("scatter.dot_pair_of_positions") if alone else "", *super().remarks()]

    def places(self) -> tuple[Array, Array, Array] | None:
        """Return where pairs lie that fall on one another, (places, 2), how many, and their mean offset; None where
        most have a place of their own."""
        if not len(self.x):
            return None
        points = np.column_stack((self.x, self.y))
        steps = np.rint((points - points.min(axis=0)) / (np.ptp(points, axis=0) * ROUNDING + TINY))
        _, first, owner, counts = np.unique(steps, axis=0, return_index=True, return_inverse=True, return_counts=True)
        if len(first) > SHARED * len(points):
            return None
        offsets = np.bincount(owner.ravel(), self.apart()) / counts
        return points[first], counts, offsets

    def apart(self) -> Array:
        """Return how far the positions of each pair are apart, (pairs,); in a grid from centre to centre."""
        places = map(self.view.encoding.places_of, (self.p, self.q))
        return np.linalg.norm(np.subtract(*places), axis=0)


@dataclass(frozen=True, kw_only=True)
class DensityNumbers(CloudNumbers):
    """Pairs in each cell, y up and x across, and the borders of the cells."""

    counts: Array = over("row", "column")
    y_edges: Array = aside("row edge")
    x_edges: Array = aside("column edge")
    most: int = aside()  # pairs in the fullest cell

    def remarks(self) -> list[str]:
        counted = say("scatter.pairs_counted", count=self.pairs - self.undefined)
        classes = say("scatter.rank_of_classes", classes=CLASSES)
        return [*super().remarks(), counted, classes]


@dataclass(frozen=True)
class Scatter(Figure[TableEncoding]):
    """Correlation of two positions' vectors against their distance, every pair of positions.

    Notes
    -----
    The colour says how far apart the pair stands; where pairs are too many to tell apart, how many there are. Both
    measures are symmetric, so the upper and the lower triangle of the distance matrix show the same.

    The cost grows with the square of the length: a correlation depends on p and q, not on p − q alone, so each of the
    n(n − 1)/2 pairs has a point of its own, which must be worked out and counted (measured: 8 million a second).
    """

    name: ClassVar[str] = "scatter"
    requires: ClassVar[Any] = TableEncoding
    shares_limits: ClassVar[bool] = False
    counts_positions: ClassVar[bool] = True
    defines: ClassVar[str] = (
        "a point a pair of positions: one measure of its vectors across, another up; r is the linear, ρ the "
        "rank correlation of all points"
    )
    example: ClassVar[str] = "pecli scatter --x corr --y euclidean"
    examples: ClassVar[tuple[str, ...]] = ("pecli scatter -k 10 --x corr --y cityblock",)

    x: str = choice_of_measure("corr", "measure on the x axis")
    y: str = choice_of_measure("euclidean", "measure on the y axis")
    triangle: str = option(
        "upper",
        "pairs p < q (upper), p > q (lower) or both, which are the same",
        choices=lambda: ("both", "upper", "lower"),
    )

    def shown(self) -> tuple[str, ...]:
        """Return the triangles, one a panel."""
        return ("upper", "lower") if self.triangle == "both" else (self.triangle,)

    def too_many(self, view: View[TableEncoding]) -> bool:
        """Return whether the pairs are too many to draw one by one."""
        return view.covered.length * (view.covered.length - 1) // 2 > MAX_POINTS

    def shape(self, view: View[TableEncoding]) -> tuple[int, ...]:
        length = view.covered.length
        if view.panels is None or not self.too_many(view):
            return (6, length * (length - 1) // 2)
        return max((CLASSES, CLASSES), (length, view.encoding.width), key=prod)

    def check_view(self, view: View[TableEncoding]) -> None:
        super().check_view(view)
        if view.covered.length < 2:
            text = "scatter compares pairs: --length=1 has none, it takes 2 or more"
            raise UsageError(text, option="length", value=1)
        check_pairs(view.covered.length)

    def compute(self, view: View[TableEncoding]) -> CloudNumbers:
        known: dict[str, Any] = {"view": view, "measures": (self.x, self.y)}
        if view.panels is None or not self.too_many(view):
            cloud = points(view.encoding, self.x, self.y, view.covered)
            first, second = (cloud.q, cloud.p) if self.triangle == "lower" else (cloud.p, cloud.q)
            return ScatterNumbers(**known, **{**vars(cloud), "p": first, "q": second})
        cells = counts(view.encoding, self.x, self.y, view.covered)
        side = min(MAX_CELLS, view.pixel_side or MAX_CELLS)
        table, y_edges = coarser(cells.counts, cells.y_edges, side, 0)
        table, x_edges = coarser(table, cells.x_edges, side, 1)
        drawn = {"counts": table, "y_edges": y_edges, "x_edges": x_edges, "most": int(table.max())}
        return DensityNumbers(**known, **{**vars(cells), **drawn})

    def panel_groups(self, view: View[TableEncoding], canvas: Canvas) -> list[PanelGroup]:
        apart = "scatter.patches_from_p_to" if view.encoding.sides else "scatter.offset_p_minus_q"
        apart = apart if view.encoding.continuous else "scatter.mean_offset_p_minus"  # many pairs fall on one place
        bar = ColorBar(say("scatter.pairs_cell" if self.too_many(view) else apart), fixed=True)
        shown = self.shown()
        several = len(shown) > 1 and not canvas.narrow  # side by side
        panels = tuple(Panel(0.9 if several else FLAT, bar=bar, x=self.x, y=self.y) for _ in shown)
        return [PanelGroup(panels, () if several else in_columns(len(shown), 1))]

    def decorate(self, view: View[TableEncoding], axes: list[Axes], canvas: Canvas) -> None:
        for panel, name in zip(axes, self.shown(), strict=True):
            if self.triangle == "both":
                panel.set_title(say("scatter.upper_triangle_p_q" if name == "upper" else "scatter.lower_triangle_p_q"))
            label_values(panel.xaxis, VectorComparison(view.encoding, self.x).label)
            label_values(panel.yaxis, VectorComparison(view.encoding, self.y).label)

    def draw(self, numbers: Any, axes: list[Axes], canvas: Canvas) -> list[Any]:
        draw = _draw_counts if isinstance(numbers, DensityNumbers) else _draw_points
        return [draw(numbers, panel, canvas) for panel in axes]


def _two_digits(correlation: float) -> str:
    return minus(f"{round(correlation, 2) + 0.0:.2f}")  # no sign before 0.00


def _draw_points(numbers: ScatterNumbers, axes: Axes, canvas: Canvas) -> Any:
    if (places := numbers.places()) is not None:
        points, counts, offsets = places
        area = (LARGEST * canvas.scale) ** 2 * counts / counts.max()
        colours = seen_colours(canvas.colours("amount"), axes)
        return axes.scatter(
            points[:, 0], points[:, 1], c=offsets, s=np.maximum(area, SMALLEST), cmap=colours, linewidths=0
        )
    order = np.random.default_rng(0).permutation(len(numbers.x))  # so that no offset always lies on top
    offsets = numbers.apart()
    _label_offsets(axes, np.column_stack((numbers.x, numbers.y)), offsets, canvas)
    return axes.scatter(
        numbers.x[order],
        numbers.y[order],
        c=offsets[order],
        s=((2 if len(numbers.x) > LARGE_POINTS else 4) * canvas.scale) ** 2,
        linewidths=0,
        cmap=seen_colours(canvas.colours("amount"), axes),
        rasterized=len(numbers.x) > MAX_VECTOR_POINTS,
    )


def _label_offsets(axes: Axes, points: Array, offsets: Array, canvas: Canvas) -> None:
    """Name the streaks of the smallest offsets, as long as they are thin and stand apart from all other points."""
    low, high = points.min(axis=0, initial=np.inf), points.max(axis=0, initial=-np.inf)
    for offset in range(1, LABELLED + 1):
        own, others = points[offsets == offset], points[offsets != offset]
        if not len(own) or (np.ptp(own, axis=0) > APART * (high - low)).all():
            return
        right = 2 * np.median(own[:, 0]) > low[0] + high[0]
        end = own[:, 0].min() if right else own[:, 0].max(), np.median(own[:, 1])
        if (np.abs(others - end) < APART * (high - low)).all(axis=1).any():
            return
        style: dict[str, Any] = {"ha": "right" if right else "left", "va": "center", "fontsize": canvas.small}
        away = ((-5 if right else 5) * canvas.scale, 0)
        axes.annotate(say("scatter.offset_number", number=offset), end, away, textcoords="offset points", **style)


def _draw_counts(numbers: DensityNumbers, axes: Axes, canvas: Canvas) -> Any:
    from matplotlib.colors import LogNorm

    left, right, bottom, top = (float(edges[end]) for edges in (numbers.x_edges, numbers.y_edges) for end in (0, -1))
    image = axes.imshow(
        np.ma.masked_equal(numbers.counts, 0),
        origin="lower",
        aspect="auto",
        interpolation="nearest",
        cmap=seen_colours(canvas.colours("amount"), axes),
        norm=LogNorm(1, max(2, numbers.most)),
        extent=(left, right, bottom, top),
    )
    x, y = MARGIN * (right - left), MARGIN * (top - bottom)
    axes.set(xlim=(left - x, right + x), ylim=(bottom - y, top + y))
    return image
