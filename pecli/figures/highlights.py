"""Positions that the reader asks to see marked: one option, and the one way in which they are drawn."""

from __future__ import annotations

import re
from dataclasses import dataclass
from operator import index
from typing import TYPE_CHECKING, Any, NamedTuple

from pecli.analysis import E, View
from pecli.core.errors import UsageError, mention
from pecli.core.language import phrase
from pecli.core.number_text import number_text
from pecli.core.options import option
from pecli.core.positions import Positions
from pecli.core.values import shorten
from pecli.figures.canvas import Canvas
from pecli.figures.figure import Figure
from pecli.figures.text_size import ems, points_per_pixel

if TYPE_CHECKING:
    from collections.abc import Callable

    from matplotlib.axes import Axes

SPAN = re.compile(r"\s*([+-]?\d{1,15})(?::([+-]?\d{1,15}))?\s*")
APART = 1.2  # ems of their text between two labels one below the other
GID = "highlight"
FRAME = "_frame"  # label of what marks cells; no legend shows it
LEFTWARD, DOWNWARD = 4, 7  # matplotlib's numbers of arrowheads whose tip is at their place
OUTLINE, HEAD = 2.2, 4.0  # points of a frame's wider line, and of an arrowhead


class Span(NamedTuple):
    """The positions from first to stop − 1."""

    first: int
    stop: int

    def text(self, position_text: Callable[[float], str]) -> str:
        """The positions, as their axis writes them."""
        first, last = position_text(self.first), position_text(self.stop - 1)
        return first if first == last else phrase("{first} to {last}", first=first, last=last)


def place_text(value: int | range) -> str | None:
    """The text of a position, or of a run of them, that Python gives as a number or a range; None for others."""
    if isinstance(value, range):
        return f"{value.start}:{value.stop}" if value.step == 1 else None
    try:
        return None if isinstance(value, bool) else str(index(value))
    except TypeError:
        return None


@dataclass(frozen=True)
class Highlighting(Figure[E]):
    """Base of the figures in which positions can be marked."""

    highlight: tuple[str, ...] | None = option(
        None, "positions to mark: 100, or 5000:5100 (to 5099)", aliases=("mark",), text_of=place_text
    )

    def check(self) -> None:
        super().check()
        if self.highlight is not None:
            self.spans()

    def spans(self) -> list[Span]:
        """The positions to mark; raises UsageError for what names none."""
        return [read_span(text) for text in self.highlight or ()]

    def check_spans(self, shown: Positions) -> None:
        """Refuses to mark positions of which none is shown (UsageError)."""
        if self.highlight is None:
            return
        for text, span in zip(self.highlight, self.spans(), strict=True):
            if span.stop <= shown.start or span.first >= shown.stop:
                said = f"{mention('highlight', text)} is outside what is shown, {shown.start} to {shown.stop - 1}"
                raise UsageError(said, option="highlight", value=text)

    def fit(self, view: View[E], axes: list[Axes], canvas: Canvas) -> None:
        super().fit(view, axes, canvas)
        for one in axes:
            keep_apart(one, canvas, frame_or_point(one, canvas))


def read_span(text: str) -> Span:
    """The positions that a text names: ``100`` or ``5000:5100``."""
    match = SPAN.fullmatch(text)
    first = int(match[1]) if match else 0
    stop = int(match[2]) if match and match[2] else first + 1
    if match is None or stop <= first:
        allowed = "a position, or FIRST:STOP as in Python: 5000:5100 is 5000 to 5099"
        raise UsageError(option="highlight", value=shorten(text), allowed=allowed)
    return Span(first, stop)


def span_edges(span: Span) -> tuple[float, float]:
    """Where a span begins and ends on an axis of cells, each one wide."""
    return span.first - 0.5, span.stop - 0.5


def mark_rows(
    axes: Axes,
    spans: list[Span],
    canvas: Canvas,
    position_text: Callable[[float], str],
    edges_of: Callable[[Span], tuple[float, float]] = span_edges,
) -> None:
    """Frames rows of an image, light within dark so that it is seen on any colour, and names them at the right."""
    for span in spans:
        edges = edges_of(span)
        for style in _frames(canvas):
            axes.axhspan(*edges, **style)
        place = _middle(edges, axes.get_ylim())
        axes.plot(1.0, place, transform=axes.get_yaxis_transform(), **_head(axes, LEFTWARD, canvas))
        _write(axes, span.text(position_text), (1.0, place), ("axes fraction", "data"), canvas)


def mark_columns(axes: Axes, spans: list[Span], canvas: Canvas) -> None:
    """Frames columns of an image whose rows are named."""
    for span in spans:
        for style in _frames(canvas):
            axes.axvspan(*span_edges(span), **style)
        place = _middle(span_edges(span), axes.get_xlim())
        axes.plot(place, 1.0, transform=axes.get_xaxis_transform(), **_head(axes, DOWNWARD, canvas))


def mark_stretch(
    axes: Axes, spans: list[Span], canvas: Canvas, position_text: Callable[[float], str] = number_text
) -> None:
    """Shades stretches of an axis along which lines run, and names them at the top."""
    for span in spans:
        first, last = span.first, span.stop - 1
        axes.axvspan(first, last, facecolor="0.5", alpha=0.25, linewidth=0, zorder=0)
        for edge in {first, last}:
            axes.axvline(edge, color="0.5", linewidth=0.8 * canvas.scale, zorder=0)
        place = _middle((first, last), axes.get_xlim())
        _write(axes, span.text(position_text), (place, 1.0), ("data", "axes fraction"), canvas)


def _middle(edges: tuple[float, float], window: tuple[float, float]) -> float:
    """The middle of what is seen of a span."""
    low, high = sorted(window)
    return sum(min(max(edge, low), high) for edge in edges) / 2


def _frames(canvas: Canvas) -> list[dict[str, Any]]:
    """Two outlines, one over the other."""
    widths = ((OUTLINE, "white"), (0.9, "black"))
    look = {"fill": False, "zorder": 3, "label": FRAME}
    return [{"edgecolor": colour, "linewidth": width * canvas.scale, **look} for width, colour in widths]


def _head(axes: Axes, marker: int, canvas: Canvas) -> dict[str, Any]:
    """An arrowhead at the edge of an image, beside cells that are too thin for a frame."""
    look = {"color": axes.xaxis.label.get_color(), "clip_on": False, "label": FRAME}
    return {"marker": marker, "markersize": HEAD * canvas.scale, "linestyle": "none", **look}


def frame_or_point(axes: Axes, canvas: Canvas) -> float:
    """Shows a frame or, where it would hide its cells, an arrowhead; gives how far those reach, in points."""
    points, reach = points_per_pixel(axes), 0.0
    frames = [one for one in axes.patches if one.get_label() == FRAME]
    heads = [one for one in axes.lines if one.get_label() == FRAME]
    for head, *pair in zip(heads, frames[::2], frames[1::2], strict=True):
        box = pair[0].get_window_extent()
        thin = points * min(box.width, box.height) < 2 * OUTLINE * canvas.scale
        head.set_visible(thin)
        for frame in pair:
            frame.set_visible(not thin)
    size = HEAD * canvas.scale
    for down in (True, False):
        own = [one for one in heads if one.get_visible() and (one.get_marker() == LEFTWARD) == down]
        reach = max(reach, _stagger(axes, own, size / points, down) * size * down)
    return reach


def _stagger(axes: Axes, heads: list[Any], size: float, down: bool) -> int:
    """Moves arrowheads of that many pixels away from the edge that would touch another; gives how many ranks."""
    ends: list[float] = []  # of the last arrowhead of every rank
    length = axes.bbox.width if down else axes.bbox.height
    for _, head in sorted((_along(one, down), at) for at, one in enumerate(heads)):
        place = _along(heads[head], down)
        rank = next((at for at, end in enumerate(ends) if end + size <= place), len(ends))
        ends[rank : rank + 1] = [place]
        away = [1.0 + rank * size / length]
        heads[head].set(**({"xdata": away} if down else {"ydata": away}))
    return len(ends)


def _along(head: Any, down: bool) -> float:
    """Where an arrowhead stands along its edge from the left or the top, in pixels."""
    x, y = head.get_transform().transform(head.get_xydata())[0]
    return float(-y if down else x)


def _write(axes: Axes, text: str, place: tuple[float, float], coordinates: Any, canvas: Canvas) -> None:
    """A name beside a frame: right of it, or above it, as the coordinates say."""
    beside = coordinates[0] != "data"
    axes.annotate(
        text,
        place,
        xycoords=coordinates,
        xytext=(3 * canvas.scale, 0) if beside else (0, 2 * canvas.scale),
        textcoords="offset points",
        ha="left" if beside else "center",
        va="center" if beside else "bottom",
        fontsize=canvas.small,
        annotation_clip=False,
        gid=GID,
    )


def keep_apart(axes: Axes, canvas: Canvas, heads: float = 0.0) -> None:
    """Moves names that would touch each other: of rows down, of stretches up, and the panel's title above those.

    heads : points that arrowheads take before the names of rows
    """
    named: list[Any] = [one for one in axes.texts if one.get_gid() == GID]
    points = points_per_pixel(axes)
    places = [points * axes.transData.transform(one.xy) for one in named]
    order = sorted(range(len(named)), key=lambda at: -places[at][1])
    rows = [(named[at], -float(places[at][1])) for at in order if named[at].get_ha() == "left"]
    _keep_rows_apart(rows, canvas, heads + 3 * canvas.scale)
    order = sorted(range(len(named)), key=lambda at: float(places[at][0]))
    levels = _stack([(named[at], float(places[at][0])) for at in order if named[at].get_ha() == "center"], canvas)
    if levels and axes.get_title():
        axes.set_title(axes.get_title(), pad=(4 + APART * levels * canvas.small))


def _keep_rows_apart(named: list[tuple[Any, float]], canvas: Canvas, right: float) -> None:
    """Moves names so far right, and down that would touch the one above; their places are points from the top."""
    lowest = -float("inf")
    for one, place in named:
        shift = max(0.0, lowest + APART * canvas.small - place)
        lowest = place + shift
        one.set_position((right, -shift))


def _stack(named: list[tuple[Any, float]], canvas: Canvas) -> int:
    """Moves names up that would touch the one before; gives how many lines they take."""
    ends: list[float] = []  # of the last name of every line
    for one, place in named:
        half = (ems(one.get_text()) + 0.5) * canvas.small / 2
        level = next((at for at, end in enumerate(ends) if end <= place - half), len(ends))
        ends[level : level + 1] = [place + half]
        one.set_position((0.0, 2 * canvas.scale + level * APART * canvas.small))
    return len(ends)
