"""Labels of dots, line ends, levels, offsets and marked positions: artists that `place_labels` keeps apart."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from math import ceil, inf, isfinite, log10, sqrt
from textwrap import wrap
from typing import TYPE_CHECKING, Any, TypeVar

import matplotlib as mpl
import numpy as np
from matplotlib.axes import Axes
from matplotlib.text import Annotation, Text
from matplotlib.transforms import Affine2D, Bbox

from pecli.core.language import phrase
from pecli.core.lazy import Array
from pecli.figures.canvas import Canvas
from pecli.figures.lines import MAX_LINES, Look, key
from pecli.figures.text import backing, ems, points_per_pixel
from pecli.figures.ticks import RoundTicks

if TYPE_CHECKING:
    from matplotlib.lines import Line2D
    from matplotlib.patches import Rectangle

T = TypeVar("T")
LINE, GAP = 1.25, 0.6  # ems of a line of text, and between two labels
MAX_SHARE = 0.3  # of a panel's width, about, that labels of lines take at most: else a legend says them
MAX_LETTERS = 24  # of a line of a label
LEADER, FREE, PALE = 8, 2.5, 0.5  # points from a line to its label, free before what leads there, and its opacity
FRAME = 2.2  # points of the wider line of a frame around cells


class Label(Annotation):
    """A text at a place on an Axes; `place_labels` moves it by points."""

    def __init__(self, axes: Axes, text: str, xy: Any, coordinates: Any, canvas: Canvas, **style: Any) -> None:
        place = {"xycoords": coordinates, "xytext": (0, 0), "textcoords": "offset points"}
        super().__init__(text, xy, **place, fontsize=canvas.small, annotation_clip=False, clip_on=False, **style)
        axes.add_artist(self)


class DotLabel(Label):
    """The label of a dot on a line, above it or below."""


class LineLabel(Label):
    """The label at the end of a line: the number of that among all lines."""

    line: int


class LevelLabel(Label):
    """The label of a line across a panel.

    right, below : the end of the line where it stands, and its side
    optional : whether it is left out rather than put over another
    """

    right: bool
    below: bool
    optional: bool


class MarkLabel(Label):
    """The label of positions that are marked, and the frame around their cells, or the arrowhead in its place."""

    def __init__(
        self, axes: Axes, text: str, xy: Any, coordinates: Any, canvas: Canvas, frames: Any, head: Any, **style: Any
    ) -> None:
        super().__init__(axes, text, xy, coordinates, canvas, **style)
        self.frames: Sequence[Rectangle] = frames
        self.head: Line2D | None = head
        self.scale = points_per_pixel(axes)

    def show_mark(self, canvas: Canvas) -> bool:
        """Show the frame or, where it would hide its cells, the arrowhead; return whether it is that."""
        if self.head is None:
            return False
        box = self.frames[0].get_window_extent()
        thin = self.scale * min(box.width, box.height) < 2 * FRAME * canvas.scale
        self.head.set_visible(thin)
        for frame in self.frames:
            frame.set_visible(not thin)
        return thin


class RowLabel(MarkLabel):
    """Right of marked rows."""

    def __init__(self, axes: Axes, text: str, y: float, canvas: Canvas, frames: Any, head: Line2D) -> None:
        super().__init__(axes, text, (1.0, y), ("axes fraction", "data"), canvas, frames, head, va="center")


class ColumnLabel(MarkLabel):
    """Above marked columns."""

    def __init__(self, axes: Axes, text: str, x: float, canvas: Canvas, frames: Any = (), head: Any = None) -> None:
        super().__init__(axes, text, (x, 1.0), ("data", "axes fraction"), canvas, frames, head, ha="center")


L = TypeVar("L", bound=Text)


def labels_of(axes: Axes, kind: type[L]) -> list[L]:
    """The labels of a kind on an Axes, in the order in which they were made."""
    return [text for text in axes.texts if isinstance(text, kind)]


def place_labels(axes: Axes, canvas: Canvas) -> None:
    """Move all labels so that none touches another; again whenever the panel's size or ends change."""
    if not any(isinstance(text, Label | OffsetLabel) for text in axes.texts):
        return
    axes.get_xlim(), axes.get_ylim()  # as the data that were drawn last need them
    _place_line_labels(axes, labels_of(axes, LineLabel), canvas)
    _place_dot_labels(axes, labels_of(axes, DotLabel), canvas)
    _place_level_labels(axes, labels_of(axes, LevelLabel), canvas)
    _place_row_labels(axes, labels_of(axes, RowLabel), canvas)
    _place_column_labels(axes, labels_of(axes, ColumnLabel), canvas)
    _place_offset_labels(axes, labels_of(axes, OffsetLabel), canvas)


def spread(places: Sequence[float], sizes: Sequence[float], low: float = -inf, high: float = inf) -> list[float]:
    """Middles of boxes in the order given, without overlap and as near to their places as can be (least squares).

    low, high : the ends that no box stands beyond; boxes that are too large for that overlap by equal shares
    """
    widths = np.array(sizes) * min(1.0, (high - low) / (sum(sizes) or 1.0))
    middles = np.cumsum(widths) - widths / 2  # of boxes side by side from 0
    groups: list[tuple[float, int]] = []  # where boxes that touch begin, and how many they are
    for start in (np.array(places) - middles).tolist():
        group = (start, 1)
        while groups and groups[-1][0] > group[0]:
            before, count = groups.pop()
            total = count + group[1]
            group = ((before * count + group[0] * group[1]) / total, total)
        groups.append(group)
    starts = np.repeat([start for start, _ in groups], [count for _, count in groups])
    return [float(middle) for middle in np.clip(starts, low, high - widths.sum()) + middles]


def _in_points(axes: Axes, labels: Iterable[Label]) -> list[tuple[float, float]]:
    """Where labels are anchored, points from the lower left corner of the frame."""
    systems: dict[Any, Any] = {"data": axes.transData, "axes fraction": axes.transAxes}
    scale, found = points_per_pixel(axes), []
    for label in labels:
        both: Any = label.xycoords
        kinds = (both, both) if isinstance(both, str) else both
        place = [systems[kind].transform(label.xy)[at] for at, kind in enumerate(kinds)]
        found.append((scale * float(place[0] - axes.bbox.x0), scale * float(place[1] - axes.bbox.y0)))
    return found


def _frame(axes: Axes) -> tuple[float, float]:
    """Width and height of the frame, points."""
    return axes.bbox.width * points_per_pixel(axes), axes.bbox.height * points_per_pixel(axes)


def _panel_width(axes: Axes, canvas: Canvas) -> float:
    """About how wide a panel will be, points, before the page is laid out."""
    drawing = axes.get_figure(root=True)
    count = len(drawing.axes) if drawing is not None else 1
    width, height = canvas.inches.width, canvas.inches.height
    in_a_row = max(3, ceil(1.5 * width / height)) if height else 3
    return 72 * width / max(ceil(sqrt(count)), min(count, in_a_row))


# Lines


def label_lines(
    axes: Axes,
    entries: Sequence[tuple[str, Look]],
    canvas: Canvas,
    in_key: Sequence[str] | None = None,
    short: Sequence[str] | None = None,
) -> None:
    """Label lines right of the frame or, where the labels are too wide for that, in a legend.

    entries : the label of each line, empty where it has none, and its look
    in_key : what the legend says instead, for it stands farther away
    short : what stands right of the frame where the labels are too wide
    """
    shown = some([at for at, (text, _) in enumerate(entries) if text])
    for given in ([text for text, _ in entries], short or []):
        texts = [broken(text) for text in given]
        widest = max((ems(part) for text in texts for part in text.split("\n")), default=inf)
        if 0.9 * widest * canvas.small > MAX_SHARE * _panel_width(axes, canvas):
            continue
        for at in shown:
            place = (1.0, 1 - at / len(texts))
            leader = _leader(entries[at][1], canvas, texts[at].count("\n") + 1)
            label = LineLabel(axes, texts[at], place, "axes fraction", canvas, va="center", arrowprops=leader)
            label.set_position((LEADER * canvas.scale, 0))
            label.line = at
        return
    said = in_key or [text for text, _ in entries]
    key(axes, [(said[at], entries[at][1]) for at in shown])


def _leader(look: Look, canvas: Canvas, lines: int) -> dict[str, Any]:
    """What leads from the end of a line to the first line of its label."""
    width, free = 0.6 * canvas.scale, FREE * canvas.scale
    style = {"arrowstyle": "-", "color": look["color"], "alpha": PALE, "linewidth": width}
    return {**style, "shrinkA": 1, "shrinkB": free, "relpos": (0, 1 - 0.5 / lines)}


def broken(text: str) -> str:
    """A label in short lines, broken between its parameters."""
    lines = []
    for line in text.split("\n"):
        glued = ", ".join(part.replace(" ", "\u00a0") for part in line.split(", ")) if ", " in line else line
        lines += wrap(glued, MAX_LETTERS, break_long_words=", " not in line)
    return "\n".join(lines)


def some(items: Sequence[T]) -> list[T]:
    """All items, or as many as lines have labels, from the first to the last."""
    if len(items) <= MAX_LINES:
        return list(items)
    return [items[round(at * (len(items) - 1) / (MAX_LINES - 1))] for at in range(MAX_LINES)]


def put_line_labels(axes: Axes, ends: Sequence[tuple[float, float]]) -> None:
    """Anchor the labels where their lines end."""
    for label in labels_of(axes, LineLabel):
        label.xy, label.xycoords = ends[label.line], "data"


def end_of(x: Array, values: Array) -> tuple[float, float]:
    """The last point of a line at which there is a number."""
    known = np.flatnonzero(np.isfinite(values))
    return (float(x[known[-1]]), float(values[known[-1]])) if len(known) else (float(x[-1]), 0.0)


def _place_line_labels(axes: Axes, labels: Sequence[LineLabel], canvas: Canvas) -> None:
    """Move labels up and down; of lines that end at about one height the one that ends farther left goes above."""
    ends, (width, height), em = _in_points(axes, labels), _frame(axes), canvas.small
    order = sorted(range(len(ends)), key=lambda at: (round(ends[at][1] / (LINE * em / 2)), -ends[at][0], ends[at][1]))
    lines = [labels[at].get_text().count("\n") + 1 for at in order]
    first = [ends[at][1] - LINE * em * (count - 1) / 2 for at, count in zip(order, lines, strict=True)]
    sizes = [(LINE * count + (GAP if count > 1 else 0.0)) * em for count in lines]
    for at, middle in zip(order, spread(first, sizes, 0.0, height), strict=True):
        away = width - ends[at][0]
        labels[at].set_position((away + LEADER * canvas.scale, middle - ends[at][1]))
        leader: Any = labels[at].arrow_patch
        leader.set_linestyle(":" if away > 3 * LEADER * canvas.scale else "-")  # no part of the line


# Dots


def label_dots(axes: Axes, dots: Mapping[tuple[float, float], str], canvas: Canvas) -> None:
    """Label dots on lines, with room for the labels below or above all lines; a dot without a number has none."""
    for dot, text in dots.items():
        if isfinite(dot[1]):
            DotLabel(axes, text, dot, "data", canvas, ha="center", bbox=backing(axes))
    labels = labels_of(axes, DotLabel)
    if not labels:
        return
    below = [_is_below(axes, label) for label in labels]
    room = min(0.3, (_dot_gap(canvas) + 1.4 * canvas.small) / _frame(axes)[1])
    under, over = (max(0.05, room) if side else 0.05 for side in (any(below), not all(below)))
    low, high = axes.dataLim.intervaly
    whole = ((high - low) or 1.0) / (1 - under - over)
    axes.set_ylim(low - under * whole, high + over * whole, auto=True)
    ticks = axes.yaxis.get_major_locator()
    assert isinstance(ticks, RoundTicks)  # of an axis of values
    near = 1e-6 * whole
    ticks.ends = (low - near if any(below) else -inf, high + near if not all(below) else inf)


def dots_have_room(axes: Axes, texts: Sequence[str], places: Sequence[float], canvas: Canvas) -> bool:
    """Whether labels fit side by side at these places along an axis as long as a panel is about."""
    length = 0.75 * _panel_width(axes, canvas)
    low, high = sorted(axes.get_xlim())
    if axes.get_xscale() == "log":
        places, low, high = [log10(max(place, low)) for place in places], log10(low), log10(high)
    sizes = _widths(texts, canvas)
    wanted = [length * (place - low) / (high - low) for place in places]
    wanted = [min(max(place, size / 2), length - size / 2) for place, size in zip(wanted, sizes, strict=True)]
    order = np.argsort(wanted, kind="stable")
    moved = spread([wanted[at] for at in order], [sizes[at] for at in order])
    return all(abs(wanted[at] - middle) <= sizes[at] / 4 for at, middle in zip(order, moved, strict=True))


def _place_dot_labels(axes: Axes, labels: Sequence[DotLabel], canvas: Canvas) -> None:
    """Move labels sideways, within the frame; each stands below its dot where that is low."""
    away = _dot_gap(canvas)
    for label, (x, y), middle in _spread_across(axes, labels, canvas):
        below = _is_below(axes, label) and y > away + 0.9 * canvas.small
        label.set_position((middle - x, -away if below else away))
        label.set_verticalalignment("top" if below else "bottom")


def _spread_across(axes: Axes, labels: Sequence[L], canvas: Canvas) -> list[tuple[L, tuple[float, float], float]]:
    """Labels from left to right, each with its anchor and the place of its middle along the frame, points."""
    anchors = _in_points(axes, labels)  # type: ignore[arg-type]
    both = sorted(zip(labels, anchors, strict=True), key=lambda one: one[1][0])
    sizes = _widths([label.get_text() for label, _ in both], canvas)
    middles = spread([anchor[0] for _, anchor in both], sizes, 0.0, _frame(axes)[0])
    return [(*one, middle) for one, middle in zip(both, middles, strict=True)]


def _is_below(axes: Axes, label: Label) -> bool:
    """Whether a dot is nearer to the lowest point of all lines than to the highest."""
    return bool(label.xy[1] < axes.dataLim.intervaly.mean())


def _dot_gap(canvas: Canvas) -> float:
    """Points from the middle of a dot to its label."""
    return float(0.45 * canvas.small + mpl.rcParams["lines.markersize"] / 2)


def _widths(texts: Sequence[str], canvas: Canvas) -> list[float]:
    """About how wide labels are, with what is free between them, points."""
    return [(0.9 * ems(text) + 0.8) * canvas.small for text in texts]


# Levels


def label_level(
    axes: Axes, text: str, level: float, canvas: Canvas, *, right: bool, below: bool, optional: bool = False
) -> None:
    """Label the line across a panel at this value: at its left or right end, above or below it."""
    style = {"ha": "right" if right else "left", "bbox": backing(axes)}  # inside the frame, also when first measured
    label = LevelLabel(axes, text, (float(right), level), ("axes fraction", "data"), canvas, **style)
    label.right, label.below, label.optional = right, below, optional


@dataclass(frozen=True)
class _LevelPlace:
    """Where the label of a level may stand: at which end and side of its line, how many rows farther, its box."""

    right: bool
    below: bool
    rows: int
    box: Bbox  # points from the lower left corner of the frame


def _place_level_labels(axes: Axes, labels: Sequence[LevelLabel], canvas: Canvas) -> None:
    """Put each label where it belongs or, where another stands, at the other side or end of its line or farther down;
    of places that are as near rather where no curve and no grid line runs through it."""
    height, scale, taken = _frame(axes)[1], points_per_pixel(axes), list[Bbox]()
    to_points = axes.transData + Affine2D().translate(-axes.bbox.x0, -axes.bbox.y0).scale(scale)
    curves = [line.get_path() for line in axes.lines if line.get_transform() == axes.transData]
    curves = [to_points.transform_path(curve) for curve in curves if np.size(curve.vertices)]
    levels = [*axes.yaxis.get_majorticklocs(), *(float(label.xy[1]) for label in labels)]
    lines = to_points.transform([(1.0, level) for level in levels])[:, 1]
    for label in sorted(labels, key=lambda one: (one.optional, -one.get_text().count("\n"), -one.xy[1])):
        level = float(to_points.transform((1.0, label.xy[1]))[1])

        def crossings(place: _LevelPlace, level: float = level) -> tuple[int, bool, int]:
            low, high = (place.box.y0, level) if place.below else (level, place.box.y1)
            met = any(curve.intersects_bbox(place.box, filled=False) for curve in curves)
            return place.rows, met, int(((lines > low + 0.1) & (lines < high - 0.1)).sum())

        places = _level_places(axes, label, level, canvas)
        free = [one for one in places if one.box.y0 >= 0 and one.box.y1 <= height]
        free = [one for one in free if not any(map(one.box.overlaps, taken))]
        if label.optional:
            free = [one for one in free if not crossings(one)[2]]
        label.set_visible(bool(free) or not label.optional)
        place = min(free, key=crossings, default=places[-1])
        _put_level(axes, label, place, place.box.y0 - level, canvas)
        taken += [place.box] if label.get_visible() else []


def _level_places(axes: Axes, label: LevelLabel, level: float, canvas: Canvas) -> list[_LevelPlace]:
    """The places beside the line of a level, best first, then those farther below it."""
    lines, em, gap = label.get_text().split("\n"), canvas.small, 2 * canvas.scale
    width, size = 0.9 * max(map(ems, lines)) * em, 1.2 * len(lines) * em
    sides = [(end, side, 0) for end in (label.right, not label.right) for side in (label.below, not label.below)]
    sides += [(label.right, True, rows) for rows in range(1, 0 if label.optional else 7)]
    places = []
    for right, below, rows in sides:
        left = _frame(axes)[0] - 1.5 * gap - width if right else 1.5 * gap
        bottom = level - gap - 1.2 * rows * em - size if below else level + gap
        places.append(_LevelPlace(right, below, rows, Bbox.from_bounds(left, bottom, width, size)))
    return places


def _put_level(axes: Axes, label: LevelLabel, place: _LevelPlace, up: float, canvas: Canvas) -> None:
    """Put a label into its place, on the colour of the field that is there."""
    away = -3 * canvas.scale if place.right else 3 * canvas.scale
    label.xy = (float(place.right), label.xy[1])
    label.set(ha="right" if place.right else "left", va="top" if place.below else "bottom")
    label.set_position((away, up + place.box.height if place.below else up))
    middle = np.array(axes.bbox.min) + place.box.get_points().mean(axis=0) / points_per_pixel(axes)
    fields: list[Any] = [patch.get_facecolor() for patch in axes.patches if patch.contains_point(tuple(middle))]
    own, box = backing(axes)["facecolor"], label.get_bbox_patch()
    assert box is not None  # made with it
    box.set_facecolor((*fields[-1][:3], own[3]) if fields and fields[-1][3] == 1 else own)


# Marked positions


def _place_row_labels(axes: Axes, labels: Sequence[RowLabel], canvas: Canvas) -> None:
    """Move labels up and down, beyond arrowheads where there are some."""
    thin = [label.show_mark(canvas) for label in labels]
    heads = max((float(label.head.get_markersize()) for label in labels if label.head), default=0.0)
    order = sorted(zip(_in_points(axes, labels), range(len(labels)), strict=True), key=lambda one: one[0][1])
    middles = spread([y for (_, y), _ in order], [1.2 * canvas.small] * len(order), 0.0, _frame(axes)[1])
    for ((_, y), at), middle in zip(order, middles, strict=True):
        labels[at].set_position((heads * any(thin) + 3 * canvas.scale, middle - y))


def _place_column_labels(axes: Axes, labels: Sequence[ColumnLabel], canvas: Canvas) -> None:
    """Move labels sideways, and the panel's title above them."""
    for label in labels:
        label.show_mark(canvas)
    named = [label for label in labels if label.get_text()]
    for label, (x, _), middle in _spread_across(axes, named, canvas):
        label.set_position((middle - x, 2 * canvas.scale))
    if named and axes.get_title():
        axes.set_title(axes.get_title(), pad=4 + 1.2 * canvas.small)


# Offsets


class OffsetLabel(Text):
    """The label of a streak: the points of one offset in a scatter.

    points : (n, 2), of its own, data coordinates
    cloud : (m, 2), of all offsets, over none of which it stands
    """

    points: Array
    cloud: Array


STREAK = 0.1  # of the frame's width or height, across a streak at most


@dataclass(frozen=True)
class _Place:
    """Where the label of a streak may stand: the anchor and how it hangs on it, and its box; all in points."""

    x: float
    y: float
    ha: str
    va: str
    box: Bbox


def label_offsets(axes: Axes, points: Array, offsets: Array, count: int, canvas: Canvas) -> None:
    """Label the streaks of the smallest offsets, as far as there is a place free of points.

    points : (n, 2), data coordinates; offsets : (n,), the |p − q| of each; count : labels at most
    """
    for offset in range(1, count + 1):
        own = points[offsets == offset]
        if not len(own):
            return
        text = phrase("offset {number}", number=offset) if offset == 1 else str(offset)
        label = OffsetLabel(0.0, 0.0, text, fontsize=canvas.small, clip_on=False, transform=axes.transAxes)
        label.points, label.cloud = own, points
        axes.add_artist(label)


def _place_offset_labels(axes: Axes, labels: Sequence[OffsetLabel], canvas: Canvas) -> None:
    """Put labels on that side of their streaks, left, right, below or above, where most have room."""
    if not labels:
        return
    frame = _frame(axes)
    cloud = _points_in_frame(axes, labels[0].cloud)
    streaks = [_points_in_frame(axes, label.points) for label in labels]
    thin = [bool((np.ptp(streak, axis=0) / frame).min() <= STREAK) for streak in streaks]
    around = [
        _beside_streak(streak, label.get_text(), frame[1], canvas.small)
        for label, streak in zip(labels[: [*thin, False].index(False)], streaks, strict=False)
    ]
    sides = [_free_places(side, frame, cloud, canvas) for side in zip(*around, strict=True)]
    best = max(sides, key=len, default=[])
    for label in labels[len(best) :]:
        label.set_visible(False)
    for label, place in zip(labels, best, strict=False):
        label.set(x=place.x / frame[0], y=place.y / frame[1], ha=place.ha, va=place.va, visible=True)


def _points_in_frame(axes: Axes, points: Array) -> Array:
    """Data coordinates in points from the lower left corner of the frame."""
    return np.asarray((axes.transData.transform(points) - axes.bbox.min) * points_per_pixel(axes))


def _beside_streak(streak: Array, text: str, height: float, em: float) -> list[_Place]:
    """The places left of, right of, below and above a streak, the first two inside a frame of that height."""
    (left, bottom), (right, top) = streak.min(axis=0).tolist(), streak.max(axis=0).tolist()
    gap, width, x = 0.4 * em, ems(text) * em, (left + right) / 2
    y = min(max((bottom + top) / 2, em / 2), height - em / 2)
    boxes = [(left - gap - width, y - em / 2), (right + gap, y - em / 2), (x - width / 2, bottom - gap - em)]
    boxes.append((x - width / 2, top + gap))
    anchors = [(left - gap, y, "right", "center"), (right + gap, y, "left", "center")]
    anchors += [(x, bottom - gap, "center", "top"), (x, top + gap, "center", "bottom")]
    return [_Place(*anchor, Bbox.from_bounds(*box, width, em)) for anchor, box in zip(anchors, boxes, strict=True)]


def _free_places(side: Iterable[_Place], frame: tuple[float, float], cloud: Array, canvas: Canvas) -> list[_Place]:
    """The places on one side of their streaks, from the first on as far as all are free."""
    free: list[_Place] = []
    for place in side:
        box = place.box
        inside = box.x0 >= 0 and box.y0 >= 0 and box.x1 <= frame[0] and box.y1 <= frame[1]
        over = bool(box.padded(1.5 * canvas.scale).count_contains(cloud))
        if not inside or over or any(box.overlaps(other.box.padded(0.6 * canvas.small)) for other in free):
            break
        free.append(place)
    return free
