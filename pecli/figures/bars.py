"""Colour bars: what they take beside a panel before and after there are numbers."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from pecli.figures.canvas import Canvas
from pecli.figures.panels import Bar
from pecli.figures.text_size import Ruler

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure as Drawing

PLACEHOLDER = "−0.00"  # about the widest tick
BEFORE, WIDTH = 0.6, 0.9  # ems between panel and bar, and of the bar
OUTLINE = 0.4  # points
STROKES = (("white", 2.6), ("black", 1.2))  # colour and points of what is seen on any colour: dark within light


def bar_width(canvas: Canvas, ruler: Ruler) -> float:
    """About what a colour bar takes beside a panel before it is drawn, in inches."""
    return (BEFORE + WIDTH + 2.4) * canvas.inches.font / 72 + ruler.width(PLACEHOLDER, canvas.small)


def add_bar(drawing: Drawing, mappable: Any, bar: Bar, canvas: Canvas, axes: Axes | None = None) -> Axes:
    """A colour bar on an Axes of its own, to be put in its place."""
    from matplotlib.colors import LogNorm

    from pecli.figures.ticks import BetweenPowers, NumberTexts, RoundTicks

    place = drawing.add_axes((0.0, 0.0, 0.05, 1.0)) if axes is None else axes
    place.set_label("<colorbar>")  # as matplotlib calls those that it makes itself
    log = isinstance(mappable.norm, LogNorm)
    ticks: Any = list(bar.ticks) if bar.ticks is not None else None if log else RoundTicks()
    drawn = drawing.colorbar(
        mappable, cax=place, ticks=ticks, label=bar.label, format=NumberTexts(), extend=_beyond(mappable)
    )
    if log:
        drawn.minorformatter = BetweenPowers()
    drawn.outline.set_linewidth(OUTLINE * canvas.scale)
    low, high = mappable.get_clim()
    if bar.level is not None and low < bar.level < high:
        for colour, width in STROKES:
            place.axhline(bar.level, color=colour, linewidth=width * canvas.scale)
    return place


def _beyond(mappable: Any) -> Any:
    """At which ends values lie beyond the colours."""
    values, (low, high) = mappable.get_array(), mappable.get_clim()
    if not values.size:
        return "neither"
    below, above = bool(values.min() < low), bool(values.max() > high)
    return {(True, True): "both", (True, False): "min", (False, True): "max"}.get((below, above), "neither")
