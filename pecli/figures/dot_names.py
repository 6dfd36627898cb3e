"""Names of lines, written at the dots that they start from: no key has to be looked up."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import ceil, inf, isfinite, log10
from typing import TYPE_CHECKING, Any

from pecli.figures.canvas import Canvas
from pecli.figures.line_names import spaced
from pecli.figures.mosaic import columns_of
from pecli.figures.text_size import backing, ems, points_per_pixel

if TYPE_CHECKING:
    from matplotlib.axes import Axes

GID = "dot name"
FRAME = 0.75  # of the width that a panel has about, which its frame takes at least
MOST_BESIDE = 3  # panels that may come to stand in one row where a page is wide
WIDE = 1.5  # times as wide as high is what a panel needs there at least
GAP = 0.8  # ems between two names
AWAY = 0.45  # ems between a dot's edge and its name
LINE = 1.4  # ems that a name takes upwards
HIGH = 0.9  # ems that its letters are high
NEAR = 1e-6  # of the axis
MARGIN, MOST = 0.05, 0.3  # of the frame, above and below lines: where no name stands, and at most


def dots_have_room(axes: Axes, names: Sequence[str], places: Sequence[float], canvas: Canvas) -> bool:
    """Whether names can stand side by side at these places along the axis, which is as long as a panel is about."""
    drawing = axes.get_figure(root=True)
    count = len(drawing.axes) if drawing is not None else 1
    width, height = canvas.inches.width, canvas.inches.height
    beside = max(MOST_BESIDE, ceil(WIDE * width / height)) if height else MOST_BESIDE
    across = max(columns_of(count), min(count, beside))
    length = FRAME * width / across * 72
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
            bbox=backing(axes),  # over a mark
        )


def mark_dots(axes: Axes, dots: Mapping[tuple[float, float], str], colour: str, canvas: Canvas) -> None:
    """Draws dots on a line, each with its name."""
    for x, y in dots:
        axes.plot([x], [y], marker="o", color=colour, clip_on=False, zorder=3)
    name_dots(axes, list(dots.values()), canvas)
    put_dot_names(axes, list(dots), canvas)


def put_dot_names(axes: Axes, dots: Sequence[tuple[float, float]], canvas: Canvas) -> None:
    """Puts the names at their dots, in the order in which they were given, with room for them below or above all lines.

    A line without a dot (NaN) has no name.
    """
    for name, dot in zip(dot_names_of(axes), dots, strict=False):
        name.set_visible(isfinite(dot[1]))
        name.xy, name.xycoords = dot, "data"
    below = [_is_below(axes, one) for one in _shown(axes)]
    if below:
        _make_room(axes, any(below), not all(below), canvas)


def dot_names_of(axes: Axes) -> list[Any]:
    """The names that stand at dots."""
    return [one for one in axes.texts if one.get_gid() == GID]


def keep_dot_names_apart(axes: Axes, canvas: Canvas) -> None:
    """Moves the names sideways so that none touches another or stands beyond the frame."""
    shown, scale = _shown(axes), points_per_pixel(axes)
    left, length = axes.bbox.x0 * scale, axes.bbox.width * scale
    places = [float(axes.transData.transform(one.xy)[0]) * scale - left for one in shown]
    moved = _beside(places, _widths([one.get_text() for one in shown], canvas), length)
    for one, place, free in zip(shown, places, moved, strict=True):
        below = _is_below(axes, one) and _has_room_below(axes, one, canvas)
        one.set_position((free - place, -_away(canvas) if below else _away(canvas)))
        one.set_verticalalignment("top" if below else "bottom")


def _shown(axes: Axes) -> list[Any]:
    """The names whose dots are drawn."""
    return [one for one in dot_names_of(axes) if one.xycoords == "data" and one.get_visible()]


def _is_below(axes: Axes, name: Any) -> bool:
    """Whether a name hangs below its dot: where that is nearer to the lowest point of all lines than to the highest."""
    return bool(name.xy[1] < axes.dataLim.intervaly.mean())


def _has_room_below(axes: Axes, name: Any, canvas: Canvas) -> bool:
    """Whether a name stands above the lower end of the axis: it is another where panels share their limits."""
    room = (axes.transData.transform(name.xy)[1] - axes.bbox.y0) * points_per_pixel(axes)
    return bool(room > _away(canvas) + HIGH * canvas.small)


def _away(canvas: Canvas) -> float:
    """Points from the middle of a dot to its name."""
    import matplotlib as mpl

    return float(AWAY * canvas.small + mpl.rcParams["lines.markersize"] / 2)


def _make_room(axes: Axes, below: bool, above: bool, canvas: Canvas) -> None:
    """Ends of the axis that leave a line of text free on these sides of the lines, where no tick stands."""
    share = (_away(canvas) + LINE * canvas.small) / (axes.bbox.height * points_per_pixel(axes))
    low, high = axes.dataLim.intervaly
    under, over = (max(MARGIN, min(MOST, share)) if side else MARGIN for side in (below, above))
    whole = ((high - low) or 1.0) / (1 - under - over)
    axes.set_ylim(low - under * whole, high + over * whole, auto=True)
    ticks: Any = axes.yaxis.get_major_locator()
    ticks.ends = (low - NEAR * whole if below else -inf, high + NEAR * whole if above else inf)


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
