"""Labels of lines, levels and marked positions: text artists that `place_labels` keeps apart."""

from __future__ import annotations

import re
from collections.abc import Sequence
from math import ceil, inf, sqrt
from textwrap import wrap
from typing import Any, TypeVar

import numpy as np
from matplotlib.axes import Axes
from matplotlib.collections import PathCollection
from matplotlib.lines import Line2D
from matplotlib.patheffects import AbstractPathEffect, withStroke
from matplotlib.text import Annotation, Text
from matplotlib.transforms import ScaledTranslation, Transform

from pecli.core.lazy import Array
from pecli.page.canvas import Canvas
from pecli.page.colors import RULE, headline_ink, legible, note_ink
from pecli.page.limits import resolve_limits
from pecli.page.lines import MAX_LINES, Look, add_legend
from pecli.page.panels import Panel
from pecli.page.text import LEAST_DPI, Ruler, points_per_pixel
from pecli.page.words import ems

L = TypeVar("L", bound=Text)
LINE, GAP = 1.25, 0.2  # height of a line of text and gap between labels, in ems
MAX_SHARE = 0.3  # share of a panel's width: wider line labels are replaced by a legend
MAX_LETTERS = 24  # letters per line of a label
BRACKET = 5  # points between a panel and its bracket
MOVED = 0.8  # ems between a line's end and its label, beyond which a leader joins them
LEADER, FREE = 13, 5  # points between a line's end and its label, and between the line's end and the leader


class Label(Annotation):
    """A text anchored at a point of an Axes; `place_labels` moves it by an offset in points."""

    def __init__(self, axes: Axes, text: str, xy: Any, system: Transform, canvas: Canvas, **style: Any) -> None:
        place: dict[str, Any] = {"xycoords": system, "xytext": (0, 0), "textcoords": "offset points"}
        super().__init__(text, xy, **place, fontsize=canvas.small, annotation_clip=False, clip_on=False, **style)
        axes.add_artist(self)

    def set(self, **properties: Any) -> Any:  # stops matplotlib from generating a `set` per subclass
        return super().set(**properties)


class LineLabel(Label):
    """The label at the end of a line; `line` is the line's index."""

    line: int


class RowLabel(Label):
    """A label to the right of a marked row."""


class ColumnLabel(Label):
    """A label above a marked position."""


class PointLabel(Label):
    """A label beside a marked point, in the point's colour.

    sides : directions from the point to try, as (right, up)
    points : the points that the label may stand at
    needed : whether to show the label even where it covers lines
    """

    sides: Sequence[tuple[int, int]]
    points: Sequence[tuple[float, float]]
    needed: bool


class SpanLabel(Label):
    """A label above one bracket in a row of brackets.

    last : the bracket's right end; its left end is in `xy`
    texts : versions of the label from long to short; all brackets show the first version with which all labels fit
    """

    last: float
    texts: Sequence[str]


class BracketLabel(Label):
    """A label above a bracket over columns.

    last : the bracket's right end; its left end is in `xy`
    texts : versions of the label from long to short; the first that fits is shown
    """

    last: float
    texts: Sequence[str]


def _bracket_shift(axes: Axes, canvas: Canvas, right: float, up: float) -> ScaledTranslation:
    """Return the translation from a panel's frame to a bracket to its right or above it.

    right, up : 1 for the direction of the shift, 0 for the other
    """
    far = BRACKET * canvas.scale / 72
    return ScaledTranslation(right * far, up * far, axes.get_figure(root=True).dpi_scale_trans)  # type: ignore[union-attr]


def add_bracket(
    axes: Axes, first: float, last: float, texts: Sequence[str], canvas: Canvas, strong: bool = True
) -> None:
    """Draw a bracket above a panel from x = `first` to `last`, labelled with the first of `texts` that fits.

    strong : whether the headline is about this range
    """
    system = axes.get_xaxis_transform() + _bracket_shift(axes, canvas, 0, 1)
    line: dict[str, Any] = {"linewidth": 1.2 * canvas.scale, "clip_on": False, "solid_capstyle": "butt"}
    ink = headline_ink() if strong else RULE
    axes.add_artist(Line2D([first, last], [1.0, 1.0], transform=system, color=ink, **line))
    colour = headline_ink() if strong else note_ink()
    label = BracketLabel(axes, texts[0], (first, 1.0), system, canvas, ha="left", va="bottom", color=colour)
    label.last, label.texts = last, texts


def add_bracket_beside(axes: Axes, first: float, last: float, text: str, canvas: Canvas, strong: bool = True) -> None:
    """Draw a bracket to the right of a panel from y = `first` to `last`, with a text beside its middle.

    strong : whether the headline is about this range
    """
    system = axes.get_yaxis_transform() + _bracket_shift(axes, canvas, 1, 0)
    line: dict[str, Any] = {"linewidth": 1.2 * canvas.scale, "clip_on": False, "solid_capstyle": "butt"}
    ink = headline_ink() if strong else RULE
    axes.add_artist(Line2D([1.0, 1.0], [first, last], transform=system, color=ink, **line))
    look: dict[str, Any] = {"va": "center", "color": headline_ink() if strong else note_ink()}
    RowLabel(axes, text, (1.0, (first + last) / 2), system, canvas, **look)


def add_spans(axes: Axes, spans: Sequence[tuple[float, float, Sequence[str], Any]], canvas: Canvas) -> None:
    """Draw a row of brackets above a panel.

    spans : (left end, right end, texts from long to short, colour) of each bracket; the first label is flush left, the
        last flush right, the others are centred
    """
    system = axes.get_xaxis_transform() + _bracket_shift(axes, canvas, 0, 1)
    for at, (first, last, texts, colour) in enumerate(spans):
        look: dict[str, Any] = {"linewidth": 1.6 * canvas.scale, "clip_on": False, "solid_capstyle": "butt"}
        axes.add_artist(Line2D([first, last], [1.0, 1.0], transform=system, color=colour, **look))
        style = {"va": "bottom", "color": legible(colour, axes), "weight": "medium"}
        style["ha"] = "left" if at == 0 else "right" if at == len(spans) - 1 else "center"
        label = SpanLabel(axes, texts[0], (first, 1.0), system, canvas, **style)
        label.last, label.texts = last, texts


def _place_span_labels(axes: Axes, labels: Sequence[SpanLabel], canvas: Canvas) -> None:
    """Show the longest texts that fit side by side, each as close to its bracket as possible."""
    frame, ends = _frame_size(axes)[0], sorted(axes.get_xlim())
    shares = {"left": 0.0, "center": 0.5, "right": 1.0}
    for step in range(max(len(label.texts) for label in labels)):
        for label in labels:
            label.set_text(label.texts[min(step, len(label.texts) - 1)])
        sizes = [_label_width(label, canvas) + canvas.small for label in labels]
        if sum(sizes) <= frame + canvas.small:
            break
    middles, starts = [], []
    for label, size in zip(labels, sizes, strict=True):
        low, high = ((at - ends[0]) / (ends[1] - ends[0]) * frame for at in (label.xy[0], label.last))
        share = shares[label.get_horizontalalignment()]
        starts.append(low)
        middles.append(low + share * (high - low) + (0.5 - share) * (size - canvas.small))
    for label, start, size, middle in zip(labels, starts, sizes, separate_boxes(middles, sizes), strict=True):
        share = shares[label.get_horizontalalignment()]
        label.set_position((middle + (share - 0.5) * (size - canvas.small) - start, 2 * canvas.scale))


def labels_of(axes: Axes, kind: type[L]) -> list[L]:
    """Return the labels of class `kind` on an Axes in the order of their creation."""
    return [text for text in axes.texts if isinstance(text, kind)]


def end_value_axes(axes: Sequence[Axes], panels: Sequence[Panel], canvas: Canvas) -> None:
    """End the axes of values at the user's limits, if no panel has colours to which these apply."""
    if (canvas.vmin, canvas.vmax) == (None, None) or any(panel.bar for panel in panels):
        return
    for ax, panel in zip(axes, panels, strict=True):
        if panel.has_value_axis:
            ax.set_ylim(resolve_limits(canvas, ax.get_ylim(), ()))
            drop_outside(ax)


def drop_outside(axes: Axes) -> None:
    """Cut lines and dots at the frame, and remove the labels of points and levels above or below it."""
    low, high = axes.get_ylim()
    for line in axes.lines:
        values = np.asarray(line.get_ydata())
        if ((values < low) | (values > high)).any():
            line.set_clip_on(True)
    for end in labels_of(axes, LineLabel):
        end.xy = (end.xy[0], min(max(end.xy[1], low), high))
    for point in labels_of(axes, PointLabel):
        point.points = [place for place in point.points if low <= place[1] <= high]
        if not point.points:
            point.remove()
    for level in [*labels_of(axes, LevelLabel), *labels_of(axes, SlopeLabel)]:
        if not low <= level.xy[1] <= high:
            level.remove()


def place_labels(axes: Axes, canvas: Canvas) -> None:
    """Move all labels so that none overlaps another; called after each change of the panel's size or limits."""
    for kind, place in PLACING.items():
        if labels := labels_of(axes, kind):
            axes.get_xlim(), axes.get_ylim()  # makes matplotlib update the limits
            place(axes, labels, canvas)


def separate_boxes(
    places: Sequence[float], sizes: Sequence[float], low: float = -inf, high: float = inf
) -> list[float]:
    """Return the centres of boxes without overlap, as close to `places` as possible (least squares).

    sizes : the boxes' lengths
    low, high : bounds of all boxes; boxes too large for them overlap by equal shares
    """
    ranks = np.argsort(places, kind="stable")
    widths = np.array(sizes)[ranks] * min(1.0, (high - low) / (sum(sizes) or 1.0))
    side_by_side = np.cumsum(widths) - widths / 2  # centres of boxes packed from 0 on
    groups: list[tuple[float, int]] = []  # (start, count) of each run of touching boxes
    for start in (np.array(places)[ranks] - side_by_side).tolist():
        group = (start, 1)
        while groups and groups[-1][0] > group[0]:
            before, count = groups.pop()
            total = count + group[1]
            group = ((before * count + group[0] * group[1]) / total, total)
        groups.append(group)
    starts = np.repeat([start for start, _ in groups], [count for _, count in groups])
    middles = np.empty(len(ranks))
    middles[ranks] = np.clip(starts, low, high - widths.sum()) + side_by_side
    return [float(middle) for middle in middles]


def _in_points(axes: Axes, pixels: Any) -> Array:
    """Convert pixel coordinates, shape (n, 2), to points from the frame's lower left corner."""
    return np.asarray((np.asarray(pixels) - axes.bbox.min) * points_per_pixel(axes))


def _anchors(axes: Axes, labels: Sequence[Any]) -> Array:
    """Return the labels' anchor points, shape (n, 2), in points from the frame's lower left corner."""
    return _in_points(axes, [label.xycoords.transform(label.xy) for label in labels])


def _frame_size(axes: Axes) -> Array:
    """Return the frame's width and height in points."""
    return np.array(axes.bbox.size) * points_per_pixel(axes)


def _panel_width(axes: Axes, canvas: Canvas) -> float:
    """Estimate the width of a panel in points, before the page is laid out."""
    count = len(axes.get_figure(root=True).axes) or 1  # type: ignore[union-attr]  # an Axes on a page has a figure
    width, height = canvas.inches.width, canvas.inches.height
    in_a_row = max(3, ceil(1.5 * width / height)) if height else 3
    return 72 * width / max(ceil(sqrt(count)), min(count, in_a_row))


def _shifts(axes: Axes, labels: Sequence[Label], along: int, sizes: Sequence[float]) -> list[float]:
    """Return the shifts, in points, along x (0) or y (1) with which labels of these sizes do not overlap."""
    places = _anchors(axes, labels)[:, along]
    return [float(shift) for shift in separate_boxes(places.tolist(), sizes, 0.0, _frame_size(axes)[along]) - places]


# Lines


def label_lines(axes: Axes, entries: Sequence[tuple[str, Look]], canvas: Canvas) -> None:
    """Label lines at their right ends, or in a legend if the labels are too wide.

    entries : (label, look) of each line; the label is "" for a line without one
    """
    labelled = [at for at, (text, _) in enumerate(entries) if text]
    if len(labelled) > MAX_LINES:  # keep MAX_LINES evenly spaced ones
        labelled = [labelled[round(at)] for at in np.linspace(0, len(labelled) - 1, MAX_LINES).tolist()]
    texts = [wrapped_label(text) for text, _ in entries]
    widest = max((ems(part) for text in texts for part in text.split("\n")), default=inf)
    if 0.9 * widest * canvas.small > MAX_SHARE * _panel_width(axes, canvas):
        add_legend(axes, [entries[at] for at in labelled])
        return
    for at in labelled:
        look = {"color": entries[at][1]["color"], "linewidth": 0.7 * canvas.scale}
        leader = {"arrowstyle": "-", "shrinkA": 3, "shrinkB": FREE * canvas.scale, "relpos": (0, 0.5), **look}
        leader["connectionstyle"] = bent_leader
        place = (1.0, 1 - at / len(texts))
        style = {"va": "center", "color": legible(look["color"], axes)}
        label = LineLabel(axes, texts[at], place, axes.transAxes, canvas, arrowprops=leader, **style)
        label.set_position((LEADER * canvas.scale, 0))
        label.line = at


def bent_leader(label: Any, end: Any, shrinkA: float, shrinkB: float, **_: Any) -> Any:
    """Return the path from a label to the end of its line: level at both ends, so that it meets no other label.

    shrinkA, shrinkB : distances from the label and from the end of the line, in pixels
    """
    from matplotlib.path import Path

    (right, high), (left, low) = (label[0] - shrinkA, label[1]), (end[0] + shrinkB, end[1])
    arm = (right - left) / 4
    return Path([(right, high), (right - arm, high), (left + arm, low), (left, low)])


def wrapped_label(text: str) -> str:
    """Return a label wrapped to short lines, with breaks between its parameters."""
    lines = []
    for line in text.split("\n"):
        parts = re.split(r", (?=[^,]* = )", line) if " = " in line else line.split(", ")
        glued = ", ".join(part.replace(" ", "\u00a0") for part in parts) if len(parts) > 1 else line
        lines += wrap(glued, MAX_LETTERS, break_long_words=", " not in line)
    return "\n".join(lines)


def put_line_labels(axes: Axes, lines: Sequence[tuple[Array, Array]]) -> None:
    """Anchor each line label at the last finite point of its line; hide the label if the line has no finite point.

    lines : (x, values) of each line
    """
    for label in labels_of(axes, LineLabel):
        x, values = lines[label.line]
        known = np.flatnonzero(np.isfinite(values))
        label.set_visible(len(known) > 0)
        if len(known):
            label.xy, label.xycoords = (float(x[known[-1]]), float(values[known[-1]])), axes.transData


def merge_line_labels(axes: Axes, values: Sequence[Array]) -> None:
    """Merge the labels of lines that coincide.

    values : the values of each line
    """
    labels = labels_of(axes, LineLabel)
    for at, label in enumerate(labels):
        own = values[label.line]
        same = next(
            (o for o in labels[:at] if o.get_visible() and np.allclose(own, values[o.line], equal_nan=True)), None
        )
        if same is not None:
            same.set_text(f"{same.get_text()} =\n{label.get_text()}")
            label.set_visible(False)


def _place_line_labels(axes: Axes, labels: Sequence[LineLabel], canvas: Canvas) -> None:
    """Move line labels vertically so that they do not overlap, with leaders if they move far."""
    labels = [label for label in labels if label.get_visible()]
    if not labels:
        return
    ends, (width, height) = _anchors(axes, labels), _frame_size(axes)
    sizes = [(LINE * (label.get_text().count("\n") + 1) + GAP) * canvas.small for label in labels]
    middles = separate_boxes(ends[:, 1].tolist(), sizes, 0.0, height)
    moved = np.abs(middles - ends[:, 1]).max() > MOVED * canvas.small  # whether leaders are needed
    for label, (x, y), middle in zip(labels, ends.tolist(), middles, strict=True):
        label.set_position((width - x + (LEADER if moved else BESIDE) * canvas.scale, middle - y))
        assert label.arrow_patch is not None  # the leader
        label.arrow_patch.set_visible(bool(moved))


# Levels


def label_level(
    axes: Axes, text: str, level: float, colour: Any, canvas: Canvas, *, right: bool = False, below: bool = False
) -> None:
    """Label a horizontal line across a panel at y = `level`, at its left or right end, above or below it."""
    style = {"ha": "right" if right else "left", "va": "top" if below else "bottom", "color": legible(colour, axes)}
    label = LevelLabel(axes, text, (float(right), level), axes.get_yaxis_transform(), canvas, **style)
    label.set_position(((-3 if right else 3) * canvas.scale, (-1.5 if below else 1.0) * canvas.scale))


class LevelLabel(Label):
    """The label of a horizontal line across a panel."""


def _label_box(axes: Axes, label: Label, canvas: Canvas) -> tuple[Array, Array]:
    """Return the lower left and upper right corners of a label, estimated.

    They are in points from the frame's lower left corner.
    """
    size, shares = (
        np.array([_label_width(label, canvas), canvas.small]),
        {"left": 0.0, "right": 1.0, "bottom": 0.0, "top": 1.0},
    )
    place = _anchors(axes, [label])[0] + label.get_position()
    low = place - size * [shares[label.get_horizontalalignment()], shares[label.get_verticalalignment()]]
    return low, low + size


class SlopeLabel(Label):
    """A label below a straight piece of a line, from `xy` to `end` in data coordinates."""

    end: tuple[float, float]


def label_slope(
    axes: Axes, text: str, ends: tuple[tuple[float, float], tuple[float, float]], colour: Any, canvas: Canvas
) -> None:
    """Write a label below a straight piece of a line, along the piece between two points."""
    style = {"ha": "right", "va": "top", "color": legible(colour, axes), "in_layout": False}
    style["rotation_mode"] = "anchor"
    SlopeLabel(axes, text, ends[1], axes.transData, canvas, **style).end = ends[0]


def _place_slope_labels(axes: Axes, labels: Sequence[SlopeLabel], canvas: Canvas) -> None:
    """Rotate labels to the slopes of their lines."""
    for label in labels:
        across, up = (
            _in_points(axes, axes.transData.transform([label.xy]))[0]
            - _in_points(axes, axes.transData.transform([label.end]))[0]
        )
        length = float(np.hypot(across, up)) or 1.0
        label.set_rotation(float(np.degrees(np.arctan2(up, across))))
        label.set_position((BESIDE * canvas.scale * up / length, -BESIDE * canvas.scale * across / length))


# Marked positions


def _place_row_labels(axes: Axes, labels: Sequence[RowLabel], canvas: Canvas) -> None:
    """Move row labels vertically so that they do not overlap."""
    for label, up in zip(labels, _shifts(axes, labels, 1, [LINE * canvas.small] * len(labels)), strict=True):
        label.set_position((3 * canvas.scale, up))


def _place_column_labels(axes: Axes, labels: Sequence[ColumnLabel], canvas: Canvas) -> None:
    """Move column labels horizontally so that they do not overlap."""
    widths = [(0.9 * ems(label.get_text()) + 0.8) * canvas.small for label in labels]  # with the gap between labels
    for label, aside in zip(labels, _shifts(axes, labels, 0, widths), strict=True):
        label.set_position((aside, 2 * canvas.scale))


def _place_bracket_labels(axes: Axes, labels: Sequence[BracketLabel], canvas: Canvas) -> None:
    """Show the longest text that fits above each bracket."""
    low, high = sorted(axes.get_xlim())
    for label in labels:
        room = (label.last - label.xy[0]) / (high - low) * _frame_size(axes)[0]
        fitting = [text for text in label.texts if 0.95 * ems(text) * canvas.small <= room]
        label.set_text(fitting[0] if fitting else "")
        label.set_position((0, 2 * canvas.scale))


# Points

SIDES = ((1, 0), (-1, 0), (1, 1), (-1, 1), (1, -1), (-1, -1), (0, 1), (0, -1))  # directions from a point, (right, up)
STEPS = (1.0, 1.8, 3.0)  # vertical shifts to try, in heights of the label
BESIDE, CLEAR = 5.0, 2.0  # points between a point and its label, and free margin around the label
DENSE = 2.0  # points between samples along lines; the costs below are in samples covered
DOT = 6  # cost of covering a dot
RANK = 0.4  # cost of a side per place in the list of directions
CROSSING = 6.0  # cost from which on an optional label is left out
FARTHER = 8.0  # cost of a shift by the label's height
HALO = 2.5  # points: halo around a text that a line crosses
TOUCHING = 30.0  # cost of touching another label


def label_point(
    axes: Axes,
    text: str,
    xy: tuple[float, float],
    colour: Any,
    canvas: Canvas,
    sides: Sequence[tuple[int, int]] = SIDES,
    others: Sequence[tuple[float, float]] = (),
    needed: bool = True,
) -> PointLabel:
    """Label a point in its colour, on the side where the label covers the fewest lines and points.

    sides : directions from the point to try, as (right, up), the preferred one first
    others : other points where the label may stand instead
    needed : whether to show the label even where it covers lines
    """
    look = {"color": legible(colour, axes), "weight": "medium", "va": "center", "in_layout": False}
    label = PointLabel(axes, text, xy, axes.transData, canvas, **look)
    label.sides, label.points, label.needed = sides, (xy, *others), needed
    return label


def _line_samples(axes: Axes, dense: float) -> Array:
    """Return samples of all lines and dots of a panel, shape (n, 2), in points from the frame's lower left corner.

    dense : distance between samples along a line in points
    """
    dots = (dots for dots in axes.collections if isinstance(dots, PathCollection))
    found = [_in_points(axes, axes.transData.transform(own.get_offsets())) for own in dots]
    found.append(np.zeros((0, 2)))
    for line in axes.lines:
        ends = _in_points(axes, line.get_transform().transform(line.get_xydata()))
        ends = ends[np.isfinite(ends).all(axis=1)]
        if len(ends) < 2 or line.get_linestyle() == "None":
            found.append(np.repeat(ends, DOT, axis=0))
            continue
        steps = np.hypot(*np.diff(ends, axis=0).T)
        counts = np.clip(np.ceil(steps / dense), 1, 500).astype(int)
        share = np.concatenate([np.arange(count) / count for count in counts.tolist()])[:, None]
        first = np.repeat(np.arange(len(steps)), counts)
        found += [ends[first] * (1 - share) + ends[first + 1] * share, ends[-1:]]
    return np.concatenate(found)


def _place_point_labels(axes: Axes, labels: Sequence[PointLabel], canvas: Canvas) -> None:
    """Move each label to the side of its point where it covers the least of lines, points and other labels."""
    lines, frame, free = _line_samples(axes, DENSE * canvas.scale), _frame_size(axes), CLEAR * canvas.scale
    every = [_in_points(axes, axes.transData.transform(label.points)) for label in labels]
    points = np.array([own[0] for own in every if len(own) == 1]).reshape(-1, 2)
    taken = [_label_box(axes, level, canvas) for level in labels_of(axes, LevelLabel)]
    for label, places in zip(labels, every, strict=True):
        if _label_width(label, canvas) > frame[0]:  # it would reach into a neighbour or over the page's edge
            label.set_text(Ruler(LEAST_DPI).wrapped(label.get_text(), canvas.small, frame[0] / 72))
        size, costs = (
            np.array([_label_width(label, canvas), LINE * canvas.small * (label.get_text().count("\n") + 1)]),
            [],
        )
        tried = [(*own, step) for step in STEPS for own in label.sides if own[1] or step == 1]
        for rank, (at, (side, up, step)) in enumerate((at, own) for own in tried for at in range(len(places))):
            aside = side * (BESIDE * canvas.scale + size[0] / 2)
            wanted = places[at] + np.array([aside, up * step * size[1] * (1.0 if side == 0 else 0.8)])
            inner = np.clip(wanted, size / 2 + CLEAR * np.array([0, 1]), np.maximum(frame - size / 2, size / 2))
            low, high = inner - size / 2 - free, inner + size / 2 + free
            cost = float(((lines >= low) & (lines <= high)).all(axis=1).sum()) + rank * RANK
            cost += FARTHER * (step - 1)
            cost += TOUCHING * sum(bool((low < top).all() and (high > bottom).all()) for bottom, top in taken)
            cost += TOUCHING * int(((points >= low) & (points <= high)).all(axis=1).sum())
            costs.append((cost + 2 * TOUCHING * bool(abs(inner[0] - wanted[0]) > CLEAR), rank, at, side, inner))
        cost, _, at, side, inner = min(costs, key=lambda own: own[:2])
        label.set_visible(label.needed or cost < CROSSING)
        if not label.get_visible():
            continue
        crossed = ((lines >= inner - size / 2) & (lines <= inner + size / 2)).all(axis=1).any()
        label.set_path_effects(halo(axes, canvas) if crossed else [])
        taken.append((inner - size / 2 - free, inner + size / 2 + free))
        label.xy = label.points[at]
        label.set_horizontalalignment("center" if side == 0 else "left" if side > 0 else "right")
        label.set_position((inner[0] - side * size[0] / 2 - places[at][0], inner[1] - places[at][1]))


def halo(axes: Axes, canvas: Canvas) -> list[AbstractPathEffect]:
    """Return the path effects that separate a text from lines under it."""
    ground = axes.get_facecolor() if canvas.user_style else "white"
    return [withStroke(linewidth=HALO * canvas.scale, foreground=ground)]


def _label_width(label: Label, canvas: Canvas) -> float:
    """Estimate a label's width in points."""
    return 0.95 * canvas.small * max(map(ems, label.get_text().split("\n")))


PLACING: dict[type[Text], Any] = {
    LineLabel: _place_line_labels,
    SlopeLabel: _place_slope_labels,
    SpanLabel: _place_span_labels,
    RowLabel: _place_row_labels,
    ColumnLabel: _place_column_labels,
    BracketLabel: _place_bracket_labels,
    PointLabel: _place_point_labels,
}
