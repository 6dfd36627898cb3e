"""Two measures against each other, one point per pair of positions."""

from __future__ import annotations

from dataclasses import dataclass, replace
from math import prod, sqrt
from typing import Any, ClassVar

from pecli.analysis import choice_of_measure
from pecli.core.errors import UsageError, option_text
from pecli.core.language import say
from pecli.core.lazy import Array, Axes, np
from pecli.core.numbers import ROUNDING, minus, number_text
from pecli.core.options import option
from pecli.encodings.base import TableEncoding
from pecli.figures.base import Figure, Numbers, View, other_positions_text
from pecli.files.sheet import aside, over
from pecli.measures.comparison import VectorComparison, check_pairs
from pecli.measures.pairs import CLASSES, counts, merge_classes, points
from pecli.measures.pairwise import MEASURES
from pecli.page.axis_labels import put_axis, values_axis
from pecli.page.canvas import Canvas
from pecli.page.colors import note_ink, visible_colours
from pecli.page.lines import frame_by_grid
from pecli.page.panels import ColorBar, Panel, PanelGroup, in_columns
from pecli.page.text import points_per_pixel

LABELLED = 5  # most offsets to label; the pairs of an offset form a streak
APART = 0.1  # shares of the points' range: free margin around a label, and largest width of a labelled streak
TRIANGLES = {"upper": "scatter.upper_triangle_p_q", "lower": "scatter.lower_triangle_p_q"}
MAX_POINTS = 200_000  # more points are counted in cells instead of drawn
MAX_VECTOR_POINTS = 2000  # points that a vector file contains one by one
LARGE_POINTS = 500  # up to this many points are drawn larger, and not counted
HEXAGONS = 46  # number of hexagons across a panel
STRAY = 1 / 32  # share of the largest possible distance: pairs farther from the curve stray
EXCEPTIONS = 1 / 8  # largest share of positions that may cause all stray pairs
NAMED = 3  # most offsets to label beside an enlarged part
ZOOMED = 0.7  # largest share of both axes that is worth enlarging
WIDE = 40  # ems of small text: least width of a panel with an enlarged part
NAME = 0.3  # share of the points' range: room for a label to the right of a streak
SPLIT = 0.44  # width of each half, all points and the enlarged part, as a share of the panel's
MAX_CELLS = 240  # most cells along a side of a density image
FLAT = 0.55  # height over width of a panel alone in its row
MARGIN = 0.05  # space around the data, as a share of the axis
SHARED = 0.1  # ratio of distinct points to pairs up to which each dot stands for several pairs
LARGEST, SMALLEST = 14.0, 9.0  # of such dots: largest diameter in points, smallest area in square points
TINY = 1e-300  # avoids division by 0
TREND = 0.5  # least absolute rank correlation that counts as a trend


def offset_text(name: str) -> str:
    """Return advice if the user asks for the offset as a measure, otherwise ""."""
    asked = name.lower() in ("offset", "distance", "p-q", "|p-q|", "p − q")
    return "pecli offsets -m corr shows a measure against the offset p − q" if asked else ""


@dataclass(frozen=True, kw_only=True)
class CloudNumbers(Numbers[TableEncoding]):
    """Base of the numbers of a scatter plot: the correlations over all pairs.

    Subclasses add the pairs as points or as counts.
    """

    pearson: float | None  # linear correlation of the points
    spearman: float | None  # rank correlation of the points
    pairs: int
    undefined: int  # pairs left out because a row is constant
    exceptions: tuple[int, ...] | None = None  # positions that all pairs off the curve have in common
    measures: tuple[str, str] = aside()  # horizontal, vertical

    def message(self) -> str:
        if self.exceptions is not None:
            return self._exceptions_text(self.exceptions)
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

    def _exceptions_text(self, odd: tuple[int, ...]) -> str:
        """Return the headline on the positions at which correlation and distance do not agree (`odd`)."""
        if not odd:
            return say("scatter.agree")
        if self.run_of_exceptions():
            ends = {name: self.view.encoding.position_text(odd[at]) for name, at in (("first", 0), ("last", -1))}
            return say("scatter.agree_except", positions=self.run_of_exceptions(), **ends)
        return say("scatter.agree_except_some", count=len(odd), all=self.view.covered.length)

    def run_of_exceptions(self) -> str:
        """Return the exceptions as text, such as "positions 3 to 7", if they are contiguous, otherwise ""."""
        odd, encoding = self.exceptions, self.view.encoding
        if not odd or odd[-1] - odd[0] >= len(odd) or encoding.sides:
            return ""
        first, last = encoding.position_text(odd[0]), encoding.position_text(odd[-1])
        several = len(odd) > 1
        return say(encoding.range_named, first=first, last=last) if several else encoding.named_position(odd[0])

    def remarks(self) -> list[str]:
        undefined = ""
        if self.undefined:
            reasons = sorted(filter(None, (MEASURES[name].undefined for name in self.measures)))
            why = say(reasons[0])  # a row of zeros is also constant
            undefined = say("scatter.of_pairs_left_out", count=self.undefined, all=self.pairs, why=why)
        ranks = say("scatter.spearmans_rank_correlation") if self.message() and self.exceptions is None else ""
        return [other_positions_text(self.view), ranks, undefined]


@dataclass(frozen=True, kw_only=True)
class ScatterNumbers(CloudNumbers):
    """Both measures of each pair of positions p < q, or p > q if only the lower triangle is shown."""

    x: Array = over("pair")
    y: Array = over("pair")
    p: Array = over("pair")
    q: Array = over("pair")
    norm: float | None = aside(default=None)  # squared norm of the rows, if it is the same for all

    def marks(self) -> list[str]:
        if self.exceptions is not None and self.norm:
            near, far = (number_text(off, 2) for off in (STRAY * 2 * sqrt(self.norm), float(self.deviations.max())))
            return [say("scatter.off_by", off=near, most=far, curve=self.curve_text)] if self.exceptions else []
        if (places := self.distinct_points()) is None:
            return []
        fewest, most = int(places[1].min()), int(places[1].max())
        return [say("scatter.area_of_dot_to", fewest=fewest, most=most)]

    def remarks(self) -> list[str]:
        alone = 0 < len(self.x) <= LARGE_POINTS and self.distinct_points() is None
        return [say("scatter.dot_pair_of_positions") if alone else "", *super().remarks()]

    def distinct_points(self) -> tuple[Array, Array] | None:
        """Return the distinct points, shape (places, 2), and the number of pairs at each.

        Returns None if most pairs share their point with no other pair.
        """
        if not len(self.x):
            return None
        points = np.column_stack((self.x, self.y))
        steps = np.rint((points - points.min(axis=0)) / (np.ptp(points, axis=0) * ROUNDING + TINY))
        _, first, counts = np.unique(steps, axis=0, return_index=True, return_counts=True)
        return None if len(first) > SHARED * len(points) else (points[first], counts)

    @property
    def curve_text(self) -> str:
        """The formula, as text, for the distance between two rows of mean 0 with correlation r."""
        return f"√({number_text(2 * (self.norm or 0.0), 4)} (1 − r))"

    @property
    def deviations(self) -> Array:
        """The deviation of each pair's distance from the curve, shape (pairs,)."""
        correlation, distance = (self.x, self.y) if self.measures[0] == "corr" else (self.y, self.x)
        return np.asarray(np.abs(distance - np.sqrt(np.maximum(0, 2 * (self.norm or 0.0) * (1 - correlation)))))

    @property
    def has_exception(self) -> Array:
        """The mask of pairs with a position in `exceptions`, shape (pairs,)."""
        return np.isin(self.p, self.exceptions or ()) | np.isin(self.q, self.exceptions or ())

    def enlarged_region(self) -> tuple[Array, Array] | None:
        """Return the low and high ends (horizontal, vertical) of the region with most pairs.

        Return None if the region is almost everything.
        """
        some = ~self.has_exception & (self.pair_distances() > NAMED)
        if not self.exceptions or not some.any():
            return None
        every, part = (np.array([values[0], values[1]]) for values in ((self.x, self.y), (self.x[some], self.y[some])))
        low, high = part.min(axis=1), part.max(axis=1)
        if (high - low > ZOOMED * np.ptp(every, axis=1)).any():
            return None
        margin = MARGIN * (high - low)
        return low - margin, high + margin

    def pair_distances(self) -> Array:
        """Return the distance between the positions of each pair, shape (pairs,); in a grid, the Euclidean distance."""
        places = map(self.view.encoding.places_of, (self.p, self.q))
        return np.linalg.norm(np.subtract(*places), axis=0)


@dataclass(frozen=True, kw_only=True)
class DensityNumbers(CloudNumbers):
    """The number of pairs in each cell (rows: vertical measure, columns: horizontal one), and the cells' edges."""

    counts: Array = over("row", "column")
    y_edges: Array = aside("row edge")
    x_edges: Array = aside("column edge")
    most: int = aside()  # largest count of a cell

    def remarks(self) -> list[str]:
        counted = say("scatter.pairs_counted", count=self.pairs - self.undefined)
        classes = say("scatter.rank_of_classes", classes=CLASSES)
        return [*super().remarks(), counted, classes]


@dataclass(frozen=True)
class Scatter(Figure[TableEncoding]):
    """The correlation of two positions' vectors against their distance, for every pair of positions.

    Notes
    -----
    The colour shows the number of pairs. Rows with mean 0 and the same norm ℓ have the distance √(2ℓ² (1 − r)) at
    correlation r. Pairs far from that curve are red if they all belong to a few positions. Both measures are symmetric,
    so the upper and the lower triangle of the distance matrix show the same points.

    The cost grows with the square of the length: a correlation depends on p and q, not on p − q alone, so each of the
    n(n − 1)/2 pairs has its own point, which must be computed and counted (measured: 8 million per second).
    """

    name: ClassVar[str] = "scatter"
    requires: ClassVar[Any] = TableEncoding
    shares_limits: ClassVar[bool] = False
    counts_positions: ClassVar[bool] = True
    defines: ClassVar[str] = (
        "one point per pair of positions, with one measure of the two vectors on the x axis and another on the y "
        "axis; r is the linear correlation of all points, ρ their rank correlation"
    )
    example: ClassVar[str] = "pecli scatter --x corr --y euclidean"
    examples: ClassVar[tuple[str, ...]] = ("pecli scatter -k 10 --x corr --y cityblock",)

    x: str = choice_of_measure("corr", "measure on the x axis", advice=offset_text)
    y: str = choice_of_measure("euclidean", "measure on the y axis", advice=offset_text)
    triangle: str = option(
        "upper",
        "pairs to use: p < q (upper), p > q (lower) or both; for symmetric measures, all three give the same",
        choices=lambda: ("both", "upper", "lower"),
    )

    def shown_triangles(self) -> tuple[str, ...]:
        """Return the triangles to show, one per panel."""
        return ("upper", "lower") if self.triangle == "both" else (self.triangle,)

    def too_many(self, view: View[TableEncoding]) -> bool:
        """Return whether there are too many pairs to draw one by one."""
        return view.covered.length * (view.covered.length - 1) // 2 > MAX_POINTS

    def shape(self, view: View[TableEncoding]) -> tuple[int, ...]:
        length = view.covered.length
        if view.panels is None or not self.too_many(view):
            return (6, length * (length - 1) // 2)
        return max((CLASSES, CLASSES), (length, view.encoding.width), key=prod)

    def check_view(self, view: View[TableEncoding]) -> None:
        super().check_view(view)
        if self.x == self.y:
            other = "corr" if self.x != "corr" else "euclidean"
            text = f"scatter draws two measures against each other, but --x and --y are both {self.x}"
            raise UsageError(text, option="y", value=self.y, advice=f"try {option_text('y', other)}")
        if view.covered.length < 2:
            text = "scatter compares pairs of positions, so --length=1 is not enough: it takes 2 or more"
            raise UsageError(text, option="length", value=1)
        check_pairs(view.covered.length)

    def compute(self, view: View[TableEncoding]) -> CloudNumbers:
        known: dict[str, Any] = {"view": view, "measures": (self.x, self.y)}
        if view.panels is None or not self.too_many(view):
            cloud = points(view.encoding, self.x, self.y, view.covered)
            first, second = (cloud.q, cloud.p) if self.triangle == "lower" else (cloud.p, cloud.q)
            return self._with_exceptions(ScatterNumbers(**known, **{**vars(cloud), "p": first, "q": second}))
        cells = counts(view.encoding, self.x, self.y, view.covered)
        side = min(MAX_CELLS, view.pixel_side or MAX_CELLS)
        table, y_edges = merge_classes(cells.counts, cells.y_edges, side, 0)
        table, x_edges = merge_classes(table, cells.x_edges, side, 1)
        drawn = {"counts": table, "y_edges": y_edges, "x_edges": x_edges, "most": int(table.max())}
        return DensityNumbers(**known, **{**vars(cells), **drawn})

    def _with_exceptions(self, numbers: ScatterNumbers) -> ScatterNumbers:
        """Return the numbers with `norm` and `exceptions` set.

        They stay unset unless correlation and distance are shown and all norms are equal.
        """
        view = numbers.view
        squares = (view.encoding.table(view.covered.array()) ** 2).sum(axis=1)
        norm = float(squares.mean())
        alike = norm > 0 and np.ptp(squares) <= ROUNDING * norm
        if {self.x, self.y} != {"corr", "euclidean"} or not alike or not len(numbers.x):
            return numbers
        found = replace(numbers, norm=norm)
        strays = found.deviations > STRAY * 2 * sqrt(norm)
        odd = covering_positions(numbers.p[strays], numbers.q[strays], int(EXCEPTIONS * view.covered.length))
        return replace(found, exceptions=odd)

    def panel_groups(self, view: View[TableEncoding], canvas: Canvas) -> list[PanelGroup]:
        few = view.covered.length * (view.covered.length - 1) // 2 <= LARGE_POINTS
        shown = self.shown_triangles()
        several = len(shown) > 1 and not canvas.narrow  # panels side by side
        x, y = (values_axis(VectorComparison(view.encoding, own).label, scale=own) for own in (self.x, self.y))
        bar = None if few else ColorBar(say("scatter.pairs_cell"), fixed=True)
        panel = Panel(0.9 if several else FLAT, bar=bar, x=x, y=y, grid=True)
        titles = (say(TRIANGLES[name]) if self.triangle == "both" else "" for name in shown)
        panels = tuple(replace(panel, title=title) for title in titles)
        return [PanelGroup(panels, () if several else in_columns(len(shown), 1))]

    def draw(self, numbers: Any, axes: list[Axes], canvas: Canvas) -> list[Any]:
        draw = _draw_counts if isinstance(numbers, DensityNumbers) else _draw_points
        return [draw(numbers, panel, canvas) for panel in axes]


def _two_digits(correlation: float) -> str:
    """Return a correlation as text with two decimals."""
    return minus(f"{round(correlation, 2) + 0.0:.2f}")  # avoids −0.00


def covering_positions(p: Array, q: Array, most: int) -> tuple[int, ...] | None:
    """Return positions such that each pair (p, q) contains one of them, found greedily.

    Return None if more than `most` positions are needed.
    """
    found: list[int] = []
    while len(p):
        if len(found) == most:
            return None
        positions, counts = np.unique(np.concatenate((p, q)), return_counts=True)
        found.append(int(positions[counts.argmax()]))
        rest = (p != found[-1]) & (q != found[-1])
        p, q = p[rest], q[rest]
    return tuple(sorted(found))


def _draw_points(numbers: ScatterNumbers, axes: Axes, canvas: Canvas) -> Any:
    """Draw the pairs as dots or hexagons; return the mappable.

    If most pairs are close together, the region with these pairs is also drawn enlarged.
    """
    size, few = canvas.scale, len(numbers.x) <= LARGE_POINTS
    if (places := numbers.distinct_points()) is not None:
        points, counts = places
        area = np.maximum((LARGEST * size) ** 2 * counts / counts.max(), SMALLEST)
        look: dict[str, Any] = (
            {"color": "C0"} if few else {"c": counts, "cmap": visible_colours(canvas.colours("amount"), axes)}
        )
        return axes.scatter(points[:, 0], points[:, 1], s=area, linewidths=0, **look)
    wide = axes.bbox.width * points_per_pixel(axes) > WIDE * canvas.small
    part = numbers.enlarged_region() if wide and not axes.get_title() else None
    if part is None:
        _draw_dots(numbers, axes, numbers.has_exception, "C1", canvas)
        kept = ~numbers.has_exception
        found = _draw_dots(numbers, axes, kept, "C0", canvas) if few else _draw_hexagons(numbers, axes, kept, canvas)
        _draw_curve(numbers, axes, canvas)
        _label_offsets(axes, numbers, LABELLED, canvas, few)
        return found
    whole, enlarged = (axes.inset_axes((left, 0.0, SPLIT, 1.0)) for left in (0.0, 1 - SPLIT))
    for panel in (whole, enlarged):
        frame_by_grid(panel)
        put_axis(panel.xaxis, values_axis(axes.get_xlabel()))
        put_axis(panel.yaxis, values_axis(axes.get_ylabel() if panel is whole else ""))
        _draw_dots(numbers, panel, numbers.has_exception, "C1", canvas)
    axes.set_axis_off()
    _draw_dots(numbers, whole, ~numbers.has_exception, "C0", canvas)
    _draw_curve(numbers, whole, canvas)
    _label_offsets(whole, numbers, NAMED, canvas)
    (left, bottom), (right, top) = part
    _draw_curve(numbers, enlarged, canvas, named=False)
    _draw_box(whole, part, canvas)
    inside = (numbers.x >= left) & (numbers.x <= right) & (numbers.y >= bottom) & (numbers.y <= top)
    found = _draw_hexagons(numbers, enlarged, ~numbers.has_exception & inside, canvas)
    enlarged.set(xlim=(left, right), ylim=(bottom, top))
    return found


def _draw_dots(numbers: ScatterNumbers, axes: Axes, some: Array, colour: str, canvas: Canvas) -> Any:
    """Draw the pairs in the mask `some` as dots; return the mappable."""
    size = (2 if len(numbers.x) > LARGE_POINTS else 4) * canvas.scale
    look: dict[str, Any] = {"linewidths": 0, "rasterized": int(some.sum()) > MAX_VECTOR_POINTS, "color": colour}
    return axes.scatter(numbers.x[some], numbers.y[some], s=size**2, **look)


def _draw_hexagons(numbers: ScatterNumbers, axes: Axes, some: Array, canvas: Canvas) -> Any:
    """Draw the number of pairs in each hexagon of a panel, for the pairs in the mask `some`; return the mappable."""
    from matplotlib.colors import LogNorm

    wide, high = axes.bbox.size
    across = max(1, round(HEXAGONS * wide / max(wide, high)))
    up = max(1, round(across * high / wide / sqrt(3)))
    look: dict[str, Any] = {
        "cmap": visible_colours(canvas.colours("amount"), axes),
        "linewidths": 0.2,
        "edgecolors": "face",
        "zorder": 2,
    }
    found = axes.hexbin(numbers.x[some], numbers.y[some], gridsize=(across, up), mincnt=1, **look)
    found.set_norm(LogNorm(1, max(2, float(np.asarray(found.get_array()).max(initial=0)))))
    return found


def _draw_curve(numbers: ScatterNumbers, axes: Axes, canvas: Canvas, named: bool = True) -> None:
    """Draw the curve of distance against correlation, with its label if `named`."""
    if numbers.exceptions is None or not numbers.norm:
        return
    across = numbers.measures[0] == "corr"
    low = float((numbers.x if across else numbers.y).min())
    r = np.linspace(low - MARGIN, 1, 400)
    curve = r, np.sqrt(2 * numbers.norm * (1 - r))
    ink = axes.xaxis.label.get_color()
    axes.plot(*(curve if across else curve[::-1]), color=ink, linewidth=0.7 * canvas.scale, zorder=2.5)
    if not named:
        return
    look: dict[str, Any] = {"textcoords": "axes fraction", "xycoords": "axes fraction", "fontsize": canvas.small}
    text = say("scatter.curve", curve=numbers.curve_text)
    axes.annotate(text, (0, 0), (0.99, 0.98), ha="right", va="top", color=ink, linespacing=1.25, **look)
    if numbers.exceptions:
        positions = numbers.run_of_exceptions()
        text = say("scatter.pairs_with", positions=positions) if positions else say("scatter.pairs_some")
        axes.annotate(text, (0, 0), (0.03, 0.06), va="bottom", color="C1", linespacing=1.25, **look)


def _draw_box(axes: Axes, part: tuple[Array, Array], canvas: Canvas) -> None:
    """Draw a box around the part of a panel that is enlarged to its right."""
    from matplotlib.patches import Rectangle

    (left, bottom), (right, top) = part
    look: dict[str, Any] = {"edgecolor": axes.spines["bottom"].get_edgecolor(), "linewidth": 0.6 * canvas.scale}
    axes.add_patch(Rectangle((left, bottom), right - left, top - bottom, fill=False, zorder=3, **look))
    look = {"textcoords": "offset points", "fontsize": canvas.small, "va": "top", "color": note_ink()}
    axes.annotate(say("scatter.right_panel"), (left, bottom), (0, -3 * canvas.scale), **look)


def _label_offsets(axes: Axes, numbers: ScatterNumbers, most: int, canvas: Canvas, few: bool = True) -> None:
    """Label the streaks of pairs with offsets 1, 2, … up to `most`, until one is too wide or too close to other points.

    few : whether points are drawn one by one, not as hexagons
    """
    kept, offsets = ~numbers.has_exception, numbers.pair_distances()[~numbers.has_exception]
    points = np.column_stack((numbers.x, numbers.y))[kept]
    low, high = points.min(axis=0, initial=np.inf), points.max(axis=0, initial=-np.inf)
    for offset in range(1, most + 1):
        own, others = points[offsets == offset], points[offsets != offset]
        if not len(own) or (np.ptp(own, axis=0) > APART * (high - low)).all():
            return
        right = numbers.exceptions is None and 2 * np.median(own[:, 0]) > low[0] + high[0]
        end = own[:, 0].min() if right else own[:, 0].max(), np.median(own[:, 1])
        if (np.abs(others - end) < APART * (high - low)).all(axis=1).any():
            return
        style: dict[str, Any] = {"ha": "right" if right else "left", "va": "center", "fontsize": canvas.small}
        hexagon = 0.0 if few else axes.bbox.width * points_per_pixel(axes) / HEXAGONS  # it extends beyond its point
        aside = 5 * canvas.scale + hexagon
        away = (-aside if right else aside, 0)
        style["color"] = axes.xaxis.label.get_color() if numbers.exceptions is None else "C0"
        axes.annotate(say("scatter.offset_number", number=offset), end, away, textcoords="offset points", **style)
        if not right and 2 * end[0] > low[0] + high[0]:  # make room for the label
            axes.set_xlim(right=max(axes.get_xlim()[1], end[0] + NAME * (high - low)[0]))


def _draw_counts(numbers: DensityNumbers, axes: Axes, canvas: Canvas) -> Any:
    """Draw the numbers of pairs in cells as an image; return it."""
    from matplotlib.colors import LogNorm

    left, right, bottom, top = (float(edges[end]) for edges in (numbers.x_edges, numbers.y_edges) for end in (0, -1))
    image = axes.imshow(
        np.ma.masked_equal(numbers.counts, 0),
        origin="lower",
        aspect="auto",
        interpolation="nearest",
        cmap=visible_colours(canvas.colours("amount"), axes),
        norm=LogNorm(1, max(2, numbers.most)),
        extent=(left, right, bottom, top),
        zorder=1,  # above the grid lines
    )
    x, y = MARGIN * (right - left), MARGIN * (top - bottom)
    axes.set(xlim=(left - x, right + x), ylim=(bottom - y, top + y))
    return image
