"""Options for marking positions in a figure, and the frames, shades and labels that mark them."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from math import log10
from numbers import Integral

from pecli.analysis import E
from pecli.core.errors import UsageError, option_text, shorten
from pecli.core.language import say
from pecli.core.lazy import Axes
from pecli.core.numbers import number_text
from pecli.core.options import EXACT, option
from pecli.core.positions import Positions
from pecli.figures.base import Figure
from pecli.page.canvas import Canvas
from pecli.page.colors import SHADE, STROKES, legible

SPAN = re.compile(r"\s*([+-]?\d{1,15})(?::([+-]?\d{1,15}))?\s*")


def place_text(value: int | range) -> str | None:
    """Return the option text of a position or range given in Python, or None for other values."""
    if isinstance(value, range):
        return f"{value.start}:{value.stop}" if value.step == 1 else None
    return str(value) if isinstance(value, Integral) and not isinstance(value, bool) else None


@dataclass(frozen=True)
class Highlighting(Figure[E]):
    """Base of the figures that can mark positions."""

    highlight: tuple[str, ...] | None = option(
        None, "positions to mark: 100, or 5000:5100 (to 5099)", aliases=("mark",), text_of=place_text
    )

    def check(self) -> None:
        super().check()
        self.spans()

    def spans(self) -> list[range]:
        """Return the ranges of positions to mark; raise UsageError for an invalid or empty one."""
        spans = []
        for text in self.highlight or ():
            match = SPAN.fullmatch(text)
            first = int(match[1]) if match else 0
            stop = int(match[2]) if match and match[2] else first + 1
            if match is None or stop <= first:
                allowed = "a position, or FIRST:STOP as in Python: 5000:5100 is 5000 to 5099"
                raise UsageError(option="highlight", value=shorten(text), allowed=allowed)
            spans.append(range(first, stop))
        return spans

    def check_spans(self, shown: Positions) -> None:
        """Raise UsageError for a range that is not shown at all."""
        for text, span in zip(self.highlight or (), self.spans(), strict=True):
            if span.stop <= shown.start or span.start >= shown.stop:
                message = (
                    f"{option_text('highlight', text)} is outside what is shown, {shown.start} to {shown.stop - 1}"
                )
                raise UsageError(message, option="highlight", value=text)


@dataclass(frozen=True)
class WithTrained(Figure[E]):
    """Base of the figures that can mark the length that a model was trained on."""

    trained: int | None = option(
        None, "number of positions that the model was trained on; later ones are marked", at_least=1, at_most=EXACT
    )

    def check_trained(self, shown: Positions) -> None:
        """Raise UsageError if the shown positions do not extend beyond the trained length."""
        if self.trained is not None and not shown.start < self.trained < shown.stop:
            reached = f"the positions shown, {shown.start} to {shown.stop - 1}, do not reach beyond it"
            text = f"{option_text('trained', self.trained)}: {reached}"
            raise UsageError(text, option="trained", value=self.trained, advice="give more positions with --length")


def trained_text(length: int) -> str:
    """Return the label of the trained length."""
    return say("highlights.trained_length", count=length)


def mark_trained(axes: Axes, trained: int | None, canvas: Canvas) -> None:
    """Shade the part of a line plot beyond the trained length, and label its border at the top."""
    from pecli.page.labels import ColumnLabel

    if trained is not None:
        last, style = axes.get_xlim()[1], {"ha": "center", "color": legible("C1", axes)}
        axes.axvspan(trained, last, facecolor=("C1", SHADE), linewidth=0, zorder=0)
        axes.axvline(trained, color="C1", linewidth=0.8 * canvas.scale, zorder=1)
        ColumnLabel(axes, trained_text(trained), (trained, 1.0), axes.get_xaxis_transform(), canvas, **style)


def draw_trained_border(axes: Axes, x: Sequence[float], y: Sequence[float], canvas: Canvas) -> None:
    """Draw the border of the trained length in an image, a line through the points (x, y).

    It is dashed in two colours, to be visible on any colour.
    """
    for (colour, width), dashes in zip(STROKES, ("-", (0, (3, 2))), strict=True):
        axes.plot(x, y, color=colour, linestyle=dashes, linewidth=width * canvas.scale)


def trained_border_note(trained: int | None) -> str:
    """Return the footnote on the border of the trained length, or ""."""
    return "" if trained is None else say("highlights.dashed_end_of_the", count=trained)


def span_edges(span: range, log: bool) -> tuple[float, float]:
    """Return the edges of a span: half a position beyond both ends; with `log`, logarithms of start and stop."""
    if log:
        return log10(max(1, span.start)), log10(max(1, span.stop))
    return span.start - 0.5, span.stop - 0.5


def mark_cells(
    axes: Axes,
    spans: list[range],
    canvas: Canvas,
    position_text: Callable[[float], str] | None = None,
    log: bool = False,
) -> None:
    """Frame rows of an image and label them at the right; with `position_text` None, frame columns without labels.

    log : whether the vertical axis shows decimal logarithms of positions

    The frame is a dark outline within a light one, to be visible on any colour.
    """
    from pecli.page.labels import RowLabel

    for span in spans:
        edges, draw = span_edges(span, log), axes.axvspan if position_text is None else axes.axhspan
        for colour, width in STROKES:
            draw(*edges, edgecolor=colour, linewidth=width * canvas.scale, fill=False, zorder=3)
        if position_text is not None:
            place = 1.0, _visible_middle(edges, axes.get_ylim())
            RowLabel(axes, _span_text(span, position_text), place, axes.get_yaxis_transform(), canvas, va="center")


def mark_stretch(
    axes: Axes, spans: list[range], canvas: Canvas, position_text: Callable[[float], str] = number_text
) -> None:
    """Shade the position ranges `spans` of the horizontal axis in a plot of lines, and label them at the top."""
    from pecli.page.labels import ColumnLabel

    for span in spans:
        ends = span.start, span.stop - 1
        axes.axvspan(*ends, facecolor=("0.5", 0.25), edgecolor="0.5", linewidth=0.8 * canvas.scale, zorder=0)
        place, transform = (_visible_middle(ends, axes.get_xlim()), 1.0), axes.get_xaxis_transform()
        ColumnLabel(axes, _span_text(span, position_text), place, transform, canvas, ha="center")


def _span_text(span: range, position_text: Callable[[float], str]) -> str:
    """Return a span of positions as text, formatted by `position_text`."""
    first, last = position_text(span.start), position_text(span.stop - 1)
    return first if first == last else say("words.first_to_last", first=first, last=last)


def _visible_middle(edges: tuple[float, float], window: tuple[float, float]) -> float:
    """Return the middle of the part of a span (`edges`) that lies within the axis limits (`window`)."""
    low, high = sorted(window)
    return sum(min(max(edge, low), high) for edge in edges) / 2
