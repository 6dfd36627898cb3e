"""Positions as a path along the first principal components."""

from __future__ import annotations

from dataclasses import dataclass, replace
from itertools import combinations
from math import floor, log10, sqrt
from typing import Any, ClassVar

from pecli.core.errors import UsageError, option_text
from pecli.core.language import say
from pecli.core.lazy import Array, Axes, np
from pecli.core.numbers import ROUNDING, percent_text
from pecli.core.options import option
from pecli.core.positions import Positions
from pecli.encodings.base import TableEncoding
from pecli.figures.base import Figure, Numbers, View
from pecli.figures.wavelengths import short_wave_text
from pecli.files.sheet import aside, over
from pecli.page.axis_labels import values_axis
from pecli.page.canvas import Canvas
from pecli.page.colors import headline_ink, visible_colours
from pecli.page.panels import ColorBar, Panel, PanelGroup

MARGIN = 0.1  # around the points, as a share of the longer axis
FRAME = 0.8  # height of the panel of two components over its width
NAMED = 5  # approximate number of parts between labelled positions
CROWD = 60  # with more positions the line gets thinner
DOTS = 400  # with more positions there are no dots
FAINT, THIN = 0.4, 0.6  # opacity and width in points of lines between dots
SAME = 0.9  # a path that circles has at least this share of its bends in one direction
LEAST_TURN, TURNS = 2.5, 2  # a path that circles has at least this many positions per turn, and turns
CLOSED = 0.1  # share of a turn's radius: if its ends are closer than this, only one end has a number
NUMBERED = 8  # approximate number of labelled positions on the marked turn
MAX_VECTOR_POINTS = 2000  # points that a vector file contains one by one


@dataclass(frozen=True, kw_only=True)
class PathNumbers(Numbers[TableEncoding]):
    """The coordinates of each row, minus the mean row, along principal components."""

    coordinates: Array = over("position", "component")
    positions: Array = over("position")
    components: tuple[str, ...] = over("component")
    share: Array = aside("component")  # of the variance
    in_order: bool  # whether, in the plane, the point nearest to each position is the one before or after
    tied: bool  # whether the next component has as much variance as the last
    period: float | None = None  # mean number of positions per turn of a circling path
    round_middle: bool = aside()  # whether all turns have the same centre

    def remarks(self) -> list[str]:
        return [say("path.the_next_component_has")] if self.tied else []

    def marks(self) -> list[str]:
        if (turn := self.outermost_turn()) is None:
            return []
        encoding = self.view.encoding
        first, last = (encoding.position_text(self.positions[at]) for at in (turn[0], turn[-1]))
        return [say("path.marked_turn", positions=say(encoding.range_named, first=first, last=last))]

    def outermost_turn(self) -> Array | None:
        """Return the indices of the turn that is farthest from the centre, or None if the path does not circle."""
        if self.period is None:
            return None
        count, points = round(self.period) + 1, self.coordinates
        if self.round_middle:
            angles = angles_around(points)
            angles = angles * np.sign(angles[-1] - angles[0])
            ends = np.searchsorted(np.maximum.accumulate(angles), angles + 2 * np.pi * (1 - ROUNDING))
            whole = np.flatnonzero(ends < len(points))  # starts of turns that end within the path
            sums = np.concatenate([[0.0], np.hypot(*(points - np.median(points, axis=0)).T).cumsum()])
            far = (sums[ends[whole] + 1] - sums[whole]) / (ends[whole] + 1 - whole)
            start = int(whole[(far > (1 - ROUNDING) * far.max()).argmax()])
            return np.arange(start, ends[start] + 1)
        windows = np.lib.stride_tricks.sliding_window_view(points, count, axis=0)
        far = np.hypot(*np.median(windows, axis=-1).T)  # the median ignores outliers
        return int((far > (1 - ROUNDING) * far.max()).argmax()) + np.arange(count)

    def message(self) -> str:
        if self.period is not None:
            wave = short_wave_text(self.view.encoding, float(f"{self.period:.2g}"))
            return say("path.goes_round", wave=wave)
        if self.in_order:
            return say("path.in_this_plane_each")
        blanks = {"count": len(self.share), "share": percent_text(self.share.sum())}
        some = self.share.any() and len(self.share) < self.view.encoding.width
        return say("path.the_first_principal_components", **blanks) if some else ""


@dataclass(frozen=True)
class Path(Figure[TableEncoding]):
    """The rows of the table along their first principal components, joined in the order of positions.

    Notes
    -----
    The components are eigenvectors of the covariance of the d columns, the largest eigenvalue first, with signs that
    make the largest number of each positive. All axes of all panels have the same scale. A sine and a cosine of one
    frequency form a circle; waves that do not complete a turn over the length form arcs.
    """

    name: ClassVar[str] = "path"
    requires: ClassVar[Any] = TableEncoding
    defines: ClassVar[str] = (
        "row p of the table minus the mean row, along the principal components of all rows shown; axis labels state "
        "each component's share of the variance"
    )
    example: ClassVar[str] = "pecli path --base 100"
    examples: ClassVar[tuple[str, ...]] = ("pecli path learned --file model.safetensors --components 3",)
    copies: ClassVar[int] = 3
    counts_positions: ClassVar[bool] = True

    components: int = option(
        2, "number of principal components; with 3, there is one panel for each pair of them", at_least=2, at_most=3
    )

    def check_view(self, view: View[TableEncoding]) -> None:
        super().check_view(view)
        length, width = view.covered.length, view.encoding.width
        if length < 2:
            raise UsageError(
                "path connects positions, so --length=1 is not enough: it takes 2 or more", option="length", value=1
            )
        if min(length, width) < self.components:
            there_are = f"{width} columns of the table" if width <= length else f"{length} positions"
            text = f"{option_text('components', self.components)} is more than the {there_are}"
            raise UsageError(text, option="components", value=self.components)

    def compute(self, view: View[TableEncoding]) -> PathNumbers:
        drawn, sizes, largest = principal_coordinates(view.encoding, view.covered, self.components)
        total = sizes.sum()
        share = sizes[largest] / total if total > 0 else np.zeros(self.components)
        beyond = np.sort(sizes)[::-1][self.components :][:1]
        tied = bool((beyond >= (1 - ROUNDING) * sizes[largest[-1]]).any() and total > 0)
        few = self.components == 2 and total > 0 and len(drawn) <= MAX_VECTOR_POINTS
        known: dict[str, Any] = {"share": share, "tied": tied, "in_order": few and nearest_are_neighbours(drawn)}
        known["round_middle"] = False
        if self.components == 2 and not view.encoding.sides:
            known["period"], known["round_middle"] = period_of(drawn)
        names = tuple(f"component_{at + 1}" for at in range(self.components))
        return PathNumbers(view=view, coordinates=drawn, positions=view.covered.array(), components=names, **known)

    def pairs(self) -> list[tuple[int, int]]:
        """Return the components of each panel as (horizontal, vertical)."""
        return [*combinations(range(self.components), 2)]

    def panel_groups(self, view: View[TableEncoding], canvas: Canvas) -> list[PanelGroup]:
        bar = ColorBar(say(view.encoding.position_label), fixed=True)
        panel = Panel(
            FRAME if self.components == 2 else 1.0, exact=True, least=(10.0, 6.0), bar=bar, ends=view.encodings
        )
        axes = [[values_axis(say("path.pc_number", number=at + 1)) for at in pair] for pair in self.pairs()]
        return [PanelGroup(tuple(replace(panel, x=across, y=up) for across, up in axes))]

    def draw(self, numbers: PathNumbers, axes: list[Axes], canvas: Canvas) -> list[Any]:
        from matplotlib.collections import LineCollection

        from pecli.page.labels import halo, label_point

        low, high = _axis_ends(numbers.coordinates)
        many, drawn = len(numbers.positions) > MAX_VECTOR_POINTS, []
        for panel, pair in zip(axes, self.pairs(), strict=True):
            across, up = pair
            panel.set(xlim=(low[across], high[across]), ylim=(low[up], high[up]))
            own = ((panel.xaxis, canvas.xlabel), (panel.yaxis, canvas.ylabel))
            for axis, component in ((axis, at) for (axis, label), at in zip(own, pair, strict=True) if label is None):
                share = percent_text(numbers.share[component])
                text = say("path.pc_of_the_variance", number=component + 1, share=share)
                axis.set_label_text(text)
            points, colours = numbers.coordinates[:, pair], visible_colours(canvas.colours("order"), panel)
            look: dict[str, Any] = {"cmap": colours, "rasterized": many}
            dotted = len(points) <= DOTS
            width = canvas.scale * (THIN if dotted else min(1.0, sqrt(CROWD / len(points))))  # thinner with many points
            rows = numbers.view.encoding.sides[-1:] or (len(points) + 1,)  # length of a grid's rows: not joined
            joined = (numbers.positions[1:] % rows[0]).astype(bool) | (rows[0] > len(points))
            line = LineCollection(list(np.stack([points[:-1], points[1:]], 1)[joined]), linewidths=width, **look)
            line.set_array(numbers.positions[:-1][joined])
            line.set_clim(numbers.positions[0], numbers.positions[-1])
            panel.add_collection(line, autolim=False)
            shown: Any = line
            if dotted:
                line.set_alpha(FAINT)
                size = (3 * canvas.scale) ** 2
                shown = panel.scatter(
                    points[:, 0], points[:, 1], c=numbers.positions, s=size, linewidths=0, zorder=3, **look
                )
                shown.set_clim(numbers.positions[0], numbers.positions[-1])
            panel.grid(True)
            panel.spines[:].set_visible(False)
            panel.tick_params(length=0)
            turn = numbers.outermost_turn()
            if turn is not None:
                _mark_turn(panel, numbers, turn, canvas)
            for at in _labelled_positions(numbers.positions, turn):
                text, end = numbers.view.encoding.position_text(numbers.positions[at]), at in (0, len(points) - 1)
                encoding = numbers.view.encoding
                text = f"{encoding.position_letter} = {text}" if end and not encoding.position_unit else text
                ink = panel.xaxis.label.get_color()
                label = label_point(panel, text, tuple(points[at]), ink, canvas, needed=end)
                label.set(path_effects=halo(panel, canvas), zorder=6)
            drawn.append(shown)
        return drawn


def _axis_ends(points: Array) -> tuple[Array, Array]:
    """Return the low and the high ends of each component's axis, shape (components,) each, for points (n, components).

    Two components get a frame around the points, three get equal axes symmetric about 0.
    """
    if points.shape[1] > 2:
        half = np.full(points.shape[1], (1 + MARGIN) * np.abs(points).max() or 1.0)
        return -half, half
    low, high = points.min(axis=0), points.max(axis=0)
    middle, (wide, tall) = (low + high) / 2, high - low
    width = (1 + 2 * MARGIN) * max(float(wide), float(tall) / FRAME) or 1.0
    half = np.array([width, FRAME * width]) / 2
    return middle - half, middle + half


def _labelled_positions(positions: Array, turn: Array | None) -> list[int]:
    """Return the indices of the positions to label: both ends, and a few round positions if no turn is marked."""
    last = len(positions) - 1
    if turn is not None:
        return [end for end in (0, last) if end not in turn]
    about = max(1.0, last / NAMED)
    power = 10 ** floor(log10(about))
    step = min(step * power for step in (1, 2, 5, 10) if step * power >= about)
    return [0, last, *np.flatnonzero(positions[1:-1] % step == 0) + 1]


def principal_coordinates(encoding: TableEncoding, covered: Positions, count: int) -> tuple[Array, Array, Array]:
    """Return the rows minus their mean along `count` principal components, shape (n, count).

    Also return all eigenvalues, and the indices of the components used.
    """
    rows = np.array(encoding.table(covered.array()))
    rows -= rows.mean(axis=0)
    if len(rows) < rows.shape[1]:
        sizes, left = np.linalg.eigh(rows @ rows.T)
        vectors = rows.T @ left / np.sqrt(np.maximum(sizes, np.finfo(float).tiny))
    else:
        sizes, vectors = np.linalg.eigh(rows.T @ rows)
    largest = np.sort(np.argsort(sizes)[-count:])[::-1]
    for size in sizes[largest]:
        if size > ROUNDING * sizes[largest[0]]:
            equal = np.flatnonzero(np.abs(sizes - size) <= ROUNDING * sizes[largest[0]])[::-1]
            vectors[:, equal] = basis_of_span(vectors[:, equal])
    axes = vectors[:, largest]
    peaks = np.abs(axes) >= (1 - ROUNDING) * np.abs(axes).max(axis=0)  # of equal peaks, the first decides the sign
    return rows @ (axes * np.sign(axes[peaks.argmax(axis=0), np.arange(count)])), np.maximum(sizes, 0.0), largest


def basis_of_span(vectors: Array) -> Array:
    """Return an orthonormal basis (d, m) that depends only on the span of the orthonormal `vectors` (d, m).

    It is needed because different machines find different components of equal variance. Each step projects the unit
    vectors onto the rest of the span, and adds the longest projection to the basis (the first one, if several tie).
    """
    rest, basis = vectors, []
    for _ in range(vectors.shape[1]):
        lengths = np.linalg.norm(rest, axis=1)
        first = int((lengths >= (1 - ROUNDING) * lengths.max()).argmax())
        basis.append(rest[first] / lengths[first])
        rest = rest - np.outer(rest @ basis[-1], basis[-1])
    return vectors @ np.transpose(basis)


def nearest_are_neighbours(points: Array) -> bool:
    """Return whether no points coincide and the nearest of several others is the point before or after, for each.

    points : shape (n, 2)
    """
    apart = np.hypot(*(points[:, None] - points).transpose(2, 0, 1))
    steps = np.concatenate([[np.inf], np.diagonal(apart, 1), [np.inf]])
    beside = np.minimum(steps[:-1], steps[1:])
    places = np.arange(len(points))
    apart[np.abs(places[:, None] - places) <= 1] = np.inf
    others = apart.min(axis=1)
    several = len(points) > 2
    return several and bool((beside <= others * (1 + ROUNDING)).all() and (others > ROUNDING * np.ptp(points)).all())


def period_of(points: Array) -> tuple[float | None, bool]:
    """Return the mean number of points per turn of a path (n, 2), and whether all turns have the same centre.

    Returns (None, False) if the path does not bend nearly always in one direction, or makes fewer than TURNS turns.
    """
    steps = np.diff(points, axis=0) @ [1, 1j]
    if len(steps) < 2 or not steps.all():
        return None, False
    for middle, turns in ((True, np.diff(angles_around(points))), (False, np.angle(steps[1:] / steps[:-1]))):
        turn = abs(float(turns.mean()))
        often = turn * len(points) > 2 * np.pi * TURNS * (1 - ROUNDING) and 2 * np.pi / turn >= LEAST_TURN
        if often and max((turns > 0).mean(), (turns < 0).mean()) >= SAME:
            return positions_of_turns(angles_around(points)) if middle else 2 * np.pi / turn, middle
    return None, False


def positions_of_turns(angles: Array) -> float:
    """Return the mean number of steps per turn, over complete turns only.

    angles : unwrapped angles, shape (n,), in radians
    """
    turned = np.maximum.accumulate(np.abs(angles - angles[0])) / (2 * np.pi)
    whole = max(1, int(turned[-1] * (1 + ROUNDING)))
    return float(np.interp(whole, turned, np.arange(len(turned)))) / whole


def angles_around(points: Array) -> Array:
    """Return the unwrapped angles of points (n, 2) about their median, shape (n,), in radians."""
    return np.asarray(np.unwrap(np.angle((points - np.median(points, axis=0)) @ [1, 1j])))


def _mark_turn(axes: Axes, numbers: PathNumbers, turn: Array, canvas: Canvas) -> None:
    """Draw one turn on top of the others, with labels of its positions."""
    from pecli.page.labels import halo

    points, ink = numbers.coordinates[turn], headline_ink()
    axes.plot(*points.T, color=ink, linewidth=1.4 * canvas.scale, zorder=2)
    middle, step = points.mean(axis=0), round_step(len(turn) / NUMBERED)
    closed = np.hypot(*(points[0] - points[-1])) < CLOSED * np.hypot(*(points - middle).T).max()
    for at in (at for at in np.flatnonzero(numbers.positions[turn] % step == 0).tolist() if at or not closed):
        away = points[at] - middle
        away = (-1 if at == 0 else 1) * away / (np.hypot(*away) or 1.0)  # the end's label is outside
        text = numbers.view.encoding.position_text(numbers.positions[turn[at]])
        style: dict[str, Any] = {
            "textcoords": "offset points",
            "ha": "center",
            "va": "center",
            "color": ink,
            "zorder": 6,
        }
        style |= {"fontsize": canvas.small, "weight": "medium", "path_effects": halo(axes, canvas)}
        axes.annotate(text, tuple(points[at]), tuple(9 * canvas.scale * away), **style)


def round_step(least: float) -> int:
    """Return the smallest of 1, 2, 5, 10, 20, … that is at least `least`."""
    power = 10 ** max(0, floor(log10(least)))
    return next(factor * power for factor in (1, 2, 5, 10) if factor * power >= least)
