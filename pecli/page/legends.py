"""Drawing and placing of legends and colour bars. Lengths are in inches."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from itertools import chain
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.colors import LogNorm
from matplotlib.figure import Figure as Drawing
from matplotlib.image import BboxImage
from matplotlib.legend import Legend
from matplotlib.transforms import Bbox

from pecli.core.numbers import number_text
from pecli.page.canvas import Canvas
from pecli.page.colors import COLOURS, STROKES
from pecli.page.labels import LineLabel, labels_of
from pecli.page.layout import columns_of_legend
from pecli.page.panels import ColorBar
from pecli.page.text import Ruler, points_per_pixel
from pecli.page.ticks import BetweenPowers, NumberTexts

HANDLE, APART = 4.0, 1.5  # ems: width of a line sample with its gaps; gap between two entries
ARROW = 0.06  # length of an arrow end as a share of the bar
BAR_PAD = 0.25  # ems of small text between a bar and its numbers
LEAST_DECIMAL = 1e-5  # from here on, a logarithmic bar has decimal numbers, not powers of ten
GAP, HEIGHT = 0.35, 0.4  # ems of small text: gap below and above a colour strip, and its height


def legend_size(legend: Legend, ruler: Ruler) -> tuple[float, float]:
    """Return the width and height of a legend with the gap between it and its panel."""
    box, gap = legend.get_window_extent(ruler.renderer), _legend_gap(legend)
    return box.width / ruler.dpi + gap, box.height / ruler.dpi + gap


def _legend_gap(legend: Legend) -> float:
    """Return the gap between a legend and its panel."""
    return 0.6 * legend.prop.get_size_in_points() / 72


def put_legend(axes: Axes, frame: tuple[float, float], bottom: float, below: bool, ruler: Ruler) -> None:
    """Place the legend to the right of its frame or below it.

    frame : width and height of the panel's frame
    bottom : height of the axis labels below the frame
    """
    legend: Any = axes.get_legend()
    if below:
        title = legend.get_title().get_text().replace("\n", " ") or None
        legend = axes.legend(**_in_columns(legend, frame[0], ruler), title=title, alignment="left")
    legend.set_in_layout(False)
    legend.borderaxespad = legend.borderpad = 0.0
    legend.set_loc("upper left")
    gap = _legend_gap(legend)
    place = (0.0, -(bottom + gap) / frame[1]) if below else (1 + gap / frame[0], 1.0)
    legend.set_bbox_to_anchor(place, transform=axes.transAxes)


def remove_legends(every: Sequence[Axes]) -> None:
    """Remove the legends of these panels."""
    for legend in filter(None, (axes.get_legend() for axes in every)):
        legend.remove()


def move_legend(drawing: Drawing, owner: Axes, room: float, ruler: Ruler) -> Legend:
    """Move a panel's legend to the foot of the page, as the legend of all panels.

    It has as many columns as fit in width `room`.
    """
    legend: Any = owner.get_legend()
    legend.remove()
    return drawing.legend(**_in_columns(legend, room, ruler), loc="lower center", borderaxespad=0.0)


def _in_columns(legend: Legend, room: float, ruler: Ruler) -> dict[str, Any]:
    """Return arguments for `legend`: its handles, its labels wrapped to width `room`, and the number of columns."""
    size = legend.prop.get_size_in_points()
    handle = HANDLE * size / 72
    texts = [ruler.wrapped(str(item.get_label()), size, room - handle) for item in legend.legend_handles if item]
    widest = max(ruler.width(text, size) for text in texts) + handle
    columns = columns_of_legend(len(texts), (room + APART * size / 72) / widest)
    return {"handles": legend.legend_handles, "labels": texts, "ncols": columns}


def legend_entries(legend: Legend, ruler: Ruler) -> tuple[float, int, float]:
    """Return the width of the widest entry with the gap after it, the number of entries, and the height of a line."""
    size, texts = legend.prop.get_size_in_points(), [text.get_text() for text in legend.get_texts()]
    widest = max(ruler.width(text, size) for text in texts)
    return widest + (HANDLE + APART) * size / 72, len(texts), 1.7 * size / 72


def keep_last_legend(cells: Sequence[Sequence[Axes]]) -> None:
    """Keep only the last cell's legends and line labels, if all cells have the same legends and line labels.

    cells : the panels of each cell
    """
    for alike in zip(*cells, strict=False):
        legends = [legend for axes in alike if (legend := axes.get_legend()) is not None]
        texts = [[text.get_text() for text in legend.get_texts()] for legend in legends]
        labels = [labels_of(axes, LineLabel) for axes in alike]
        names = [[label.get_text() for label in own] for own in labels]
        if len(legends) == len(cells) and all(own == texts[0] for own in texts):
            for legend in legends[:-1]:
                legend.remove()
        if all(own == names[0] for own in names):
            for label in chain(*labels[:-1]):
                label.remove()


def bar_label(bar: ColorBar, canvas: Canvas) -> str:
    """Return the label of a colour bar: the user's, or the figure's."""
    return bar.label if canvas.cbar_label is None else canvas.cbar_label


def add_bar(
    drawing: Drawing, mappables: Sequence[Any], bar: ColorBar, canvas: Canvas, axes: Axes | None = None
) -> Axes:
    """Draw the colour bar of several images and return its Axes.

    An end of the bar is an arrow if numbers lie beyond it.

    axes : the Axes for an upright bar; None: a new horizontal bar, to be placed later
    """
    mappable = mappables[0]
    place = drawing.add_axes((0.0, 0.0, 1.0, 0.05)) if axes is None else axes
    place.set_label("<colorbar>")  # the label that matplotlib gives its own colour bars
    log = isinstance(mappable.norm, LogNorm)
    values = [np.ma.asarray(getattr(item, "extremes", None) or item.get_array()) for item in mappables]
    low, high = mappable.get_clim()
    below, above = any((own < low).any() for own in values), any((own > high).any() for own in values)
    extend: Any = ("both" if above else "min") if below else ("max" if above else "neither")
    seen = np.concatenate([own.compressed() for own in values])
    ends = (low, high)
    if bar.trimmed and seen.any():
        ends = max(low, float(seen.min(initial=0.0))), min(high, float(seen.max(initial=0.0)))
    first, last = mappable.ramp[1] if getattr(mappable, "ramp", None) else (low, high)  # ramp: of all classes
    marked = [first, 0.0, last] if first < 0 < last else [first, last]
    if bar.trimmed:
        marked = sorted({at for at in (*ends, 0.0) if ends[0] <= at <= ends[1]})
    if bar.ticks is not None:
        marked = sorted({min(max(at, first), last) for at in bar.ticks})
    ticks: Any = None if log and bar.ticks is None else marked
    text = decimal_text if log and low >= LEAST_DECIMAL else partial(number_text, digits=3)
    named = dict(bar.names)
    plain = (lambda value: f"{number_text(100 * value, 3)}%") if bar.percent else text
    written = (lambda value: named.get(value) or plain(value)) if named else plain
    look: dict[str, Any] = {"format": NumberTexts(written), "extend": extend}
    if axes is None:
        look |= {"orientation": "horizontal", "extendfrac": ARROW}
    else:
        look["label"] = bar_label(bar, canvas)
    drawn = drawing.colorbar(mappable, cax=place, ticks=ticks, **look)
    if axes is None:
        place.set_ylabel(bar_label(bar, canvas), fontsize=canvas.small)
        place.tick_params(which="both", length=0, pad=BAR_PAD * canvas.small)
    if log:
        drawn.minorformatter = BetweenPowers()
    drawn.outline.set_visible(False)
    if (
        axes is None and ticks and len(ticks) > 1 and ticks[0] in (first, ends[0]) and ticks[-1] in (last, ends[1])
    ):  # the outer labels are flush with the bar's ends
        first_label, *_, last_label = place.get_xticklabels()
        first_label.set_horizontalalignment("left")
        last_label.set_horizontalalignment("right")
    if ends != (low, high):
        place.set_xlim(ends) if axes is None else place.set_ylim(ends)
    if bar.level is not None and low < bar.level < high:
        for colour, width in STROKES:
            mark = place.axvline if axes is None else place.axhline
            mark(bar.level, color=colour, linewidth=width * canvas.scale)
    return place


def decimal_text(value: float) -> str:
    """Return the number as text without an exponent or power of ten, as in 0.0001."""
    return f"{value:.6f}".rstrip("0").rstrip(".") if value < 1 else number_text(value, 3)


def add_strip(axes: Axes, canvas: Canvas, reach: float, colours: str) -> None:
    """Draw a strip of the colours from −reach to reach above a panel, with its ends and 0 labelled."""

    def place(_: Any) -> Bbox:
        em, frame = canvas.small / points_per_pixel(axes), axes.bbox
        return Bbox.from_bounds(frame.x0, frame.y1 + GAP * em, frame.width, HEIGHT * em)

    strip: Any = BboxImage(place, cmap=colours, interpolation="nearest")
    strip.set_data(np.linspace(-reach, reach, COLOURS)[None, :])
    strip.set_clim(-reach, reach)
    axes.add_artist(strip)
    strip.set_clip_on(False)
    look: dict[str, Any] = {"xycoords": "axes fraction", "textcoords": "offset points", "va": "bottom"}
    up = (GAP + HEIGHT + GAP) * canvas.small
    for share, side, value in ((0.0, "left", -reach), (0.5, "center", 0.0), (1.0, "right", reach)):
        axes.annotate(number_text(value), (share, 1.0), (0.0, up), ha=side, fontsize=canvas.small, **look)
