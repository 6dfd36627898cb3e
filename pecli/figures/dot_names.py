"""Names of lines, written at the dots that they start from: no key has to be looked up."""

from __future__ import annotations

from collections.abc import Sequence
from math import ceil, isfinite, log10, sqrt
from typing import TYPE_CHECKING, Any

from pecli.figures.canvas import Canvas
from pecli.figures.line_names import spaced
from pecli.figures.text_size import ems, points_per_pixel

if TYPE_CHECKING:
    from matplotlib.axes import Axes

GID = "dot name"
FRAME = 0.8  # of the width that a panel has about, which its frame takes at least
GAP = 0.8  # ems between two names
AWAY = 0.45  # ems between a dot's edge and its name
MARGIN = 0.05  # of the frame, above and below lines


def dots_have_room(axes: Axes, names: Sequence[str], places: Sequence[float], canvas: Canvas) -> bool:
    """Whether names can stand side by side at these places along the axis, which is as long as a panel is about."""
    drawing = axes.get_figure(root=True)
    across = ceil(sqrt(len(drawing.axes))) if drawing is not None else 1
    length = FRAME * canvas.inches.width / across * 72
    low, high = sorted(axes.get_xlim())
    if axes.get_xscale() == "log":
        places, low, high = [log10(max(place, low)) for place in places], log10(low), log10(high)
    wanted = [length * (place - low) / (high - low) for place in places]
    widths = _widths(names, canvas)
    inside, moved = _within(wanted, widths, length), _beside(wanted, widths, length)
    return all(abs(a - b) <= width / 4 for a, b, width in zip(inside, moved, widths, strict=True))


def name_dots(axes: Axes, names: Sequence[str], canvas: Canvas) -> None:
    """Makes the names; where they stand is known when the dots are."""
    for name in names:
        axes.annotate(
            name,
            (0.5, 0.5),
            xycoords="axes fraction",
            xytext=(0, 0),
            textcoords="offset points",
            ha="center",
            fontsize=canvas.small,
            annotation_clip=False,
            gid=GID,
        )


def put_dot_names(axes: Axes, dots: Sequence[tuple[float, float]]) -> None:
    """Puts the names at their dots, in the order in which they were given; a line without a dot (NaN) has no name."""
    for name, dot in zip(dot_names_of(axes), dots, strict=False):
        name.set_visible(isfinite(dot[1]))
        name.xy, name.xycoords = dot, "data"


def dot_names_of(axes: Axes) -> list[Any]:
    """The names that stand at dots."""
    return [one for one in axes.texts if one.get_gid() == GID]


def keep_dot_names_free(axes: Axes, canvas: Canvas) -> None:
    """Makes room above or below the lines for the names, and keeps them apart and within the frame."""
    shown = [one for one in dot_names_of(axes) if one.xycoords == "data" and one.get_visible()]
    if not shown:
        return
    scale = points_per_pixel(axes)
    low, high = axes.dataLim.intervaly
    below = [one.xy[1] < (low + high) / 2 for one in shown]
    away = AWAY * canvas.small + axes.lines[1].get_markersize() / 2
    _make_room(axes, any(below), not all(below), (away + 1.4 * canvas.small) / (axes.bbox.height * scale))
    left, length = axes.bbox.x0 * scale, axes.bbox.width * scale
    places = [float(axes.transData.transform(one.xy)[0]) * scale - left for one in shown]
    moved = _beside(places, _widths([one.get_text() for one in shown], canvas), length)
    for one, place, free, under in zip(shown, places, moved, below, strict=True):
        one.set_position((free - place, -away if under else away))
        one.set_verticalalignment("top" if under else "bottom")


def _make_room(axes: Axes, below: bool, above: bool, share: float) -> None:
    """Ends of the axis that leave such a share of the frame free on these sides of the lines."""
    if not axes.get_autoscaley_on():
        return
    low, high = axes.dataLim.intervaly
    under, over = (max(MARGIN, min(0.3, share)) if side else MARGIN for side in (below, above))
    inch = ((high - low) or 1.0) / (1 - under - over)
    axes.set_ylim(low - under * inch, high + over * inch, auto=True)


def _widths(names: Sequence[str], canvas: Canvas) -> list[float]:
    return [(0.9 * ems(name) + GAP) * canvas.small for name in names]


def _beside(places: Sequence[float], widths: Sequence[float], length: float) -> list[float]:
    """Middles of names near the places, within the axis and apart, in the order of the places given."""
    kept = _within(places, widths, length)
    order = sorted(range(len(kept)), key=lambda at: kept[at])
    apart = spaced([kept[at] for at in order], [widths[at] for at in order])
    return [middle for _, middle in sorted(zip(order, apart, strict=True))]


def _within(places: Sequence[float], widths: Sequence[float], length: float) -> list[float]:
    """Middles of names as near to the places as the ends of the axis allow."""
    return [min(max(place, width / 2), length - width / 2) for place, width in zip(places, widths, strict=True)]
