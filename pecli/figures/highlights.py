"""Positions that a figure marks: read from its option, framed or shaded, and named."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from operator import index
from typing import TYPE_CHECKING, Any, NamedTuple

from pecli.analysis import E
from pecli.core.errors import UsageError, option_text, shorten
from pecli.core.language import phrase
from pecli.core.numbers import number_text
from pecli.core.options import option
from pecli.core.positions import Positions
from pecli.figures.base import Figure
from pecli.figures.canvas import Canvas

if TYPE_CHECKING:
    from matplotlib.axes import Axes

SPAN = re.compile(r"\s*([+-]?\d{1,15})(?::([+-]?\d{1,15}))?\s*")
LEFTWARD, DOWNWARD = 4, 7  # matplotlib's numbers of arrowheads whose tip is at their place
ARROWHEAD = 4.0  # points


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
        for text, span in zip(self.highlight or (), self.spans(), strict=True):
            if span.stop <= shown.start or span.first >= shown.stop:
                said = f"{option_text('highlight', text)} is outside what is shown, {shown.start} to {shown.stop - 1}"
                raise UsageError(said, option="highlight", value=text)


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
    """Frame rows of an image and name them at the right."""
    from pecli.figures.labels import RowLabel

    for span in spans:
        edges = edges_of(span)
        middle = _middle(edges, axes.get_ylim())
        frames = [axes.axhspan(*edges, **style) for style in _frames(canvas)]
        (head,) = axes.plot(1.0, middle, transform=axes.get_yaxis_transform(), **_arrowhead(axes, LEFTWARD, canvas))
        RowLabel(axes, span.text(position_text), middle, canvas, frames, head)


def mark_columns(axes: Axes, spans: list[Span], canvas: Canvas) -> None:
    """Frame columns of an image whose rows are named."""
    from pecli.figures.labels import ColumnLabel

    for span in spans:
        middle = _middle(span_edges(span), axes.get_xlim())
        frames = [axes.axvspan(*span_edges(span), **style) for style in _frames(canvas)]
        (head,) = axes.plot(middle, 1.0, transform=axes.get_xaxis_transform(), **_arrowhead(axes, DOWNWARD, canvas))
        ColumnLabel(axes, "", middle, canvas, frames, head)


def mark_stretch(
    axes: Axes, spans: list[Span], canvas: Canvas, position_text: Callable[[float], str] = number_text
) -> None:
    """Shade stretches of an axis along which lines run, and name them at the top."""
    from pecli.figures.labels import ColumnLabel

    for span in spans:
        first, last = span.first, span.stop - 1
        axes.axvspan(first, last, facecolor="0.5", alpha=0.25, linewidth=0, zorder=0)
        for edge in {first, last}:
            axes.axvline(edge, color="0.5", linewidth=0.8 * canvas.scale, zorder=0)
        ColumnLabel(axes, span.text(position_text), _middle((first, last), axes.get_xlim()), canvas)


def _middle(edges: tuple[float, float], window: tuple[float, float]) -> float:
    """The middle of what is seen of a span."""
    low, high = sorted(window)
    return sum(min(max(edge, low), high) for edge in edges) / 2


def _frames(canvas: Canvas) -> list[dict[str, Any]]:
    """Two outlines, light within dark, so that a frame is seen on any colour."""
    from pecli.figures.labels import FRAME

    widths = ((FRAME, "white"), (0.9, "black"))
    return [{"edgecolor": c, "linewidth": w * canvas.scale, "fill": False, "zorder": 3} for w, c in widths]


def _arrowhead(axes: Axes, marker: int, canvas: Canvas) -> dict[str, Any]:
    """An arrowhead at the edge of an image, beside cells that are too thin for a frame."""
    look = {"color": axes.xaxis.label.get_color(), "clip_on": False, "linestyle": "none"}
    return {"marker": marker, "markersize": ARROWHEAD * canvas.scale, **look}
