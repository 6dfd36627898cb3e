"""Names at dots, line ends, levels and streaks, and highlights."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from math import ceil, inf, isfinite, log10, sqrt
from operator import index
from textwrap import wrap
from typing import TYPE_CHECKING, Any, NamedTuple, TypeVar

from pecli.analysis import E, View
from pecli.core.errors import UsageError, mention
from pecli.core.language import phrase
from pecli.core.lazy import Array, np
from pecli.core.numbers import number_text
from pecli.core.options import option
from pecli.core.positions import Positions
from pecli.core.values import shorten
from pecli.figures.base import Figure
from pecli.figures.canvas import Canvas
from pecli.figures.lines import Look, key
from pecli.figures.mosaic import columns_of
from pecli.figures.text import backing, ems, points_per_pixel

if TYPE_CHECKING:
    from collections.abc import Callable

    from matplotlib.axes import Axes

DOT_NAMES_GID = "dot name"
DOT_NAMES_FRAME = 0.75  # of the width that a panel has about, which its frame takes at least
MOST_BESIDE = 3  # panels that may come to stand in one row where a page is wide
WIDE = 1.5  # times as wide as high is what a panel needs there at least
DOT_NAMES_GAP = 0.8  # ems between two names
AWAY = 0.45  # ems between a dot's edge and its name
LINE = 1.4  # ems that a name takes upwards
HIGH = 0.9  # ems that its letters are high
NEAR = 1e-6  # of the axis
MARGIN, DOT_NAMES_MOST = 0.05, 0.3  # of the frame, above and below lines: where no name stands, and at most


def dots_have_room(axes: Axes, names: Sequence[str], places: Sequence[float], canvas: Canvas) -> bool:
    """Whether names can stand side by side at these places along the axis, which is as long as a panel is about."""
    drawing = axes.get_figure(root=True)
    count = len(drawing.axes) if drawing is not None else 1
    width, height = canvas.inches.width, canvas.inches.height
    beside = max(MOST_BESIDE, ceil(WIDE * width / height)) if height else MOST_BESIDE
    across = max(columns_of(count), min(count, beside))
    length = DOT_NAMES_FRAME * width / across * 72
    low, high = sorted(axes.get_xlim())
    if axes.get_xscale() == "log":
        places, low, high = [log10(max(place, low)) for place in places], log10(low), log10(high)
    wanted = [length * (place - low) / (high - low) for place in places]
    widths = _widths(names, canvas)
    inside, moved = _within(wanted, widths, length), _dot_names_beside(wanted, widths, length)
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
            gid=DOT_NAMES_GID,
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
    return [one for one in axes.texts if one.get_gid() == DOT_NAMES_GID]


def keep_dot_names_apart(axes: Axes, canvas: Canvas) -> None:
    """Moves the names sideways so that none touches another or stands beyond the frame."""
    shown, scale = _shown(axes), points_per_pixel(axes)
    left, length = axes.bbox.x0 * scale, axes.bbox.width * scale
    places = [float(axes.transData.transform(one.xy)[0]) * scale - left for one in shown]
    moved = _dot_names_beside(places, _widths([one.get_text() for one in shown], canvas), length)
    for one, place, free in zip(shown, places, moved, strict=True):
        below = _is_below(axes, one) and _has_room_below(axes, one, canvas)
        one.set_position((free - place, -_dot_names_away(canvas) if below else _dot_names_away(canvas)))
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
    return bool(room > _dot_names_away(canvas) + HIGH * canvas.small)


def _dot_names_away(canvas: Canvas) -> float:
    """Points from the middle of a dot to its name."""
    import matplotlib as mpl

    return float(AWAY * canvas.small + mpl.rcParams["lines.markersize"] / 2)


def _make_room(axes: Axes, below: bool, above: bool, canvas: Canvas) -> None:
    """Ends of the axis that leave a line of text free on these sides of the lines, where no tick stands."""
    share = (_dot_names_away(canvas) + LINE * canvas.small) / (axes.bbox.height * points_per_pixel(axes))
    low, high = axes.dataLim.intervaly
    under, over = (max(MARGIN, min(DOT_NAMES_MOST, share)) if side else MARGIN for side in (below, above))
    whole = ((high - low) or 1.0) / (1 - under - over)
    axes.set_ylim(low - under * whole, high + over * whole, auto=True)
    ticks: Any = axes.yaxis.get_major_locator()
    ticks.ends = (low - NEAR * whole if below else -inf, high + NEAR * whole if above else inf)


def _widths(names: Sequence[str], canvas: Canvas) -> list[float]:
    return [(0.9 * ems(name) + DOT_NAMES_GAP) * canvas.small for name in names]


def _dot_names_beside(places: Sequence[float], widths: Sequence[float], length: float) -> list[float]:
    """Middles of names near the places, within the axis and apart, in the order of the places given."""
    kept = _within(places, widths, length)
    order = sorted(range(len(kept)), key=lambda at: kept[at])
    apart = spaced([kept[at] for at in order], [widths[at] for at in order])
    return [middle for _, middle in sorted(zip(order, apart, strict=True))]


def _within(places: Sequence[float], widths: Sequence[float], length: float) -> list[float]:
    """Middles of names as near to the places as the ends of the axis allow."""
    return [min(max(place, width / 2), length - width / 2) for place, width in zip(places, widths, strict=True)]


T = TypeVar("T")
LINE_NAMES_GID = "line name"
LINE_NAMES_MOST = 8  # names; of more lines every second, third… is named
SHARE = 0.3  # of the width that a panel has about, that names take at most: else a key says them
LONGEST = 24  # letters of a name's line
LEADER = 8  # points from the end of a line to its name
FREE, PALE = 2.5, 0.5  # points between a line's end and what leads to its name, and how opaque that is: no part of it
HEIGHT, LINE_NAMES_GAP = 1.25, 0.6  # ems of a line of text, and between names of several


def name_lines(
    axes: Axes,
    entries: Sequence[tuple[str, Look]],
    canvas: Canvas,
    in_key: Sequence[str] | None = None,
    short: Sequence[str] | None = None,
) -> None:
    """Reserves the room for names right of the frame, or says them in a key where they are too wide for that.

    entries : the name of each line, empty where it has none, and its look
    in_key : what the key says instead, for it stands farther away
    short : what stands right of the frame where the names are too wide
    """
    looks = [look for _, look in entries]
    for given in ([name for name, _ in entries], short or []):
        names = [broken(name) for name in given]
        if names and room_for(names, axes, canvas):
            _write_names(axes, names, looks, canvas)
            return
    said = in_key or [name for name, _ in entries]
    key(axes, [(said[at], looks[at]) for at in named([at for at, (name, _) in enumerate(entries) if name])])


def room_for(names: Sequence[str], axes: Axes, canvas: Canvas) -> bool:
    """Whether names right of the frame leave enough of the width that a panel has about."""
    widest = max((ems(part) for name in names for part in name.split("\n")), default=0.0) * 0.9
    drawing = axes.get_figure(root=True)
    across = ceil(sqrt(len(drawing.axes))) if drawing is not None else 1
    return widest * canvas.small / 72 <= SHARE * canvas.inches.width / across


def _write_names(axes: Axes, names: Sequence[str], looks: Sequence[Look], canvas: Canvas) -> None:
    kept = named([at for at, name in enumerate(names) if name])
    for at, (name, look) in enumerate(zip(names, looks, strict=True)):
        shown = name if at in kept else ""
        axes.annotate(
            shown,
            (1.0, 1 - at / len(names)),
            xycoords="axes fraction",
            xytext=(LEADER * canvas.scale, 0),
            textcoords="offset points",
            va="center",
            fontsize=canvas.small,
            annotation_clip=False,
            gid=LINE_NAMES_GID,
            arrowprops=_leader(look, canvas, len(name.split("\n"))) if shown else None,
        )


def broken(name: str) -> str:
    """A name in lines that are short."""
    glued = [", ".join(part.replace(" ", "\u00a0") for part in line.split(", ")) for line in name.split("\n")]
    lines = [
        one
        for line in glued
        for one in (
            wrap(line, LONGEST, break_long_words=False) if ", " in line else wrap(line.replace("\u00a0", " "), LONGEST)
        )
    ]
    return "\n".join(lines)


def named(entries: Sequence[T]) -> list[T]:
    """Those that are named: all, or some from the first to the last."""
    count = len(entries)
    if count <= LINE_NAMES_MOST:
        return list(entries)
    return [entries[round(at * (count - 1) / (LINE_NAMES_MOST - 1))] for at in range(LINE_NAMES_MOST)]


def _leader(look: Look, canvas: Canvas, lines: int) -> dict[str, Any]:
    """What leads from the end of a line to the first line of its name."""
    return {
        "arrowstyle": "-",
        "color": look["color"],
        "alpha": PALE,
        "linewidth": 0.6 * canvas.scale,
        "shrinkA": 1,
        "shrinkB": FREE * canvas.scale,
        "relpos": (0, 1 - 0.5 / lines),
    }


def names_of(axes: Axes) -> list[Any]:
    """The names that stand at the ends of lines, those of unnamed ones empty."""
    return [one for one in axes.texts if one.get_gid() == LINE_NAMES_GID]


def texts_of(axes: Axes) -> list[str]:
    """What the lines are named, each in one line of text."""
    return [" ".join(one.get_text().split()) for one in names_of(axes)]


def put_names(axes: Axes, ends: Sequence[tuple[float, float]]) -> None:
    """Puts the names where their lines end, in the order in which they were given."""
    for one, end in zip(names_of(axes), ends, strict=False):
        one.xy, one.xycoords = end, "data"


def end_of(x: Array, values: Array) -> tuple[float, float]:
    """The last point of a line at which there is a number."""
    known = np.flatnonzero(np.isfinite(values))
    return (float(x[known[-1]]), float(values[known[-1]])) if len(known) else (float(x[-1]), 0.0)


def keep_names_apart(axes: Axes, canvas: Canvas) -> None:
    """Moves names up and down so that none touches another, each as near to the end of its line as that allows."""
    shown = [one for one in names_of(axes) if one.get_text()]
    if not shown:
        return
    axes.autoscale_view()
    points = points_per_pixel(axes)
    systems: dict[Any, Any] = {"data": axes.transData, "axes fraction": axes.transAxes}
    ends = [systems[one.xycoords].transform(one.xy) * points for one in shown]
    places, edge = [float(end[1]) for end in ends], axes.bbox.x1 * points
    lines = [len(one.get_text().split("\n")) for one in shown]
    heights = [(HEIGHT * count + (LINE_NAMES_GAP if count > 1 else 0.0)) * canvas.small for count in lines]
    order = order_of([(float(x), float(y)) for x, y in ends], heights)
    tall = [heights[at] for at in order]
    level = [places[at] - HEIGHT * (lines[at] - 1) / 2 * canvas.small for at in order]  # the first line at the end
    wanted = [max(level[: at + 1]) for at in range(len(level))]  # ascending
    middles = kept_within(spaced(wanted, tall), tall, axes.bbox.y0 * points, axes.bbox.y1 * points)
    for at, middle in zip(order, middles, strict=True):
        far = edge - float(ends[at][0])
        shown[at].set_position((far + LEADER * canvas.scale, middle - places[at]))
        shown[at].arrow_patch.set_linestyle(":" if far > 3 * LEADER * canvas.scale else "-")  # no part of the line


def order_of(ends: Sequence[tuple[float, float]], heights: Sequence[float]) -> list[int]:
    """Lines from the lowest name to the highest: by where they end, and of those that end at about one height the one
    that ends farther left above the others, so that what leads to its name passes over them."""
    piles: list[list[int]] = []
    for at in sorted(range(len(ends)), key=lambda one: ends[one][1]):
        if piles and ends[at][1] - ends[piles[-1][-1]][1] < heights[at] / 2:
            piles[-1].append(at)
        else:
            piles.append([at])
    return [at for pile in piles for at in sorted(pile, key=lambda one: (-ends[one][0], ends[one][1]))]


def kept_within(middles: Sequence[float], heights: Sequence[float], low: float, high: float) -> list[float]:
    """The boxes, which ascend, moved down as far as they stand above high and there is room for that above low."""
    if sum(heights) > high - low:
        return list(middles)
    found: list[float] = []
    for middle, height in zip(reversed(middles), reversed(heights), strict=True):
        found.append(min(middle, high - height / 2))
        high = found[-1] - height / 2
    return found[::-1]


def spaced(places: Sequence[float], heights: Sequence[float]) -> list[float]:
    """Middles of boxes of these heights near the places, which ascend, so that no two overlap.

    Boxes that would touch are put one on the other, the pile in the middle of where they wanted to be.
    """
    piles: list[tuple[float, list[float], list[float]]] = []  # bottom, heights, places
    for place, height in zip(places, heights, strict=True):
        pile = (place - height / 2, [height], [place])
        while piles and piles[-1][0] + sum(piles[-1][1]) > pile[0]:
            _, lower, wanted = piles.pop()
            pile = _piled(lower + pile[1], wanted + pile[2])
        piles.append(pile)
    return [bottom + sum(own[:at]) + own[at] / 2 for bottom, own, _ in piles for at in range(len(own))]


def _piled(heights: list[float], places: list[float]) -> tuple[float, list[float], list[float]]:
    """A pile of boxes that is as near to the places as it can be."""
    middles = [sum(heights[:at]) + height / 2 for at, height in enumerate(heights)]
    offsets = [place - middle for place, middle in zip(places, middles, strict=True)]
    return sum(offsets) / len(offsets), heights, places


LEVEL = "_level"  # how the labels of these texts begin; no legend shows them
ROW = 1.2  # ems from one name to the next below it
MIDDLE = 0.4  # of the panel's width: left of what stands at its right edge, right of where a line begins
HAIR = 0.1  # points
STEPS = 9  # along a name, at which a curve is looked at
FARTHEST = 6  # rows below its line that a name is put, at most


class Hang(NamedTuple):
    """Where a name stands: at the right end of its line or the left, below it or above, and so many rows farther.

    inward : whether it stands so far from the right end that another has room there
    """

    right: bool
    below: bool
    rows: int = 0
    inward: bool = False

    @property
    def end(self) -> float:
        """The place on the line, as a share of the panel's width, that the name begins or ends at."""
        return MIDDLE if self.inward else float(self.right)


def name_level(axes: Axes, text: str, at: float, hang: Hang, canvas: Canvas, spare: bool = False) -> None:
    """Names the line across a panel at this value, there where it is to hang if there is room.

    spare : whether there is rather no name than one over another, or over a line
    """
    name = axes.annotate(
        text,
        (0.0, at),
        xycoords=("axes fraction", "data"),
        textcoords="offset points",
        xytext=(0.0, 0.0),
        fontsize=canvas.small,
        bbox=backing(axes),
    )
    name.set_label(f"{LEVEL} {int(hang.right)} {int(hang.below)} {int(spare)}")
    _put(name, hang, canvas)


def keep_levels_apart(axes: Axes, canvas: Canvas) -> None:
    """Puts each name where it belongs or, where another stands there, on the other side of its line or farther down;
    of places that are as near rather where no curve and no grid line runs through it."""
    names: list[Any] = [one for one in axes.texts if str(one.get_label()).startswith(LEVEL)]
    lines, courses = _lines(axes, names), _courses(axes)
    taken: list[Any] = []
    for one in sorted(names, key=lambda one: (_how(one)[2], -one.get_text().count("\n"), -float(one.xy[1]))):
        places = [_Place(hang, _box(axes, one, hang, canvas), _height(axes, one)) for hang in _places(one)]
        free = [at for at in places if _inside(at.box, axes) and not any(_touch(at.box, other) for other in taken)]
        free = [at for at in free if not (_how(one)[2] and at.crossed(lines))]
        one.set_visible(bool(free) or not _how(one)[2])
        best = min(free, key=lambda at: (at.hang.rows, at.met(courses), at.crossed(lines)), default=places[-1])
        _put(one, best.hang, canvas)
        one.get_bbox_patch().set_facecolor(_behind(axes, best))
        taken += [best.box] if one.get_visible() else []


class _Place(NamedTuple):
    """Where a name may stand: its left, bottom, right and top; all in points."""

    hang: Hang
    box: tuple[float, float, float, float]
    line: float  # the height of its own line

    def crossed(self, lines: Array) -> int:
        """How many of the lines at these heights run through it, or between it and its own line."""
        low, high = (self.box[1], self.line) if self.hang.below else (self.line, self.box[3])
        return int(((lines > low + HAIR) & (lines < high - HAIR)).sum())

    def met(self, courses: Sequence[Array]) -> bool:
        """Whether one of the curves, each of shape (2, n), runs through it."""
        left, bottom, right, top = self.box
        places = np.linspace(left, right, STEPS)
        found = [np.interp(places, x, y, left=np.nan, right=np.nan) for x, y in courses]
        return any(bool((one < top).any() and (one > bottom).any()) for one in found)


def _behind(axes: Axes, place: _Place) -> Any:
    """The colour of the box behind a name: that of the field that it stands in."""
    left, bottom, right, top = np.array(place.box) / points_per_pixel(axes)
    middle = ((left + right) / 2, (bottom + top) / 2)
    fields: list[Any] = [one.get_facecolor() for one in axes.patches if one.contains_point(middle)]
    own = backing(axes)["facecolor"]
    return (*fields[-1][:3], own[3]) if fields and fields[-1][3] == 1 else own


def _lines(axes: Axes, names: Sequence[Any]) -> Array:
    """The heights of all lines across a panel, points: those of its grid, and those that have names."""
    levels = np.append(axes.yaxis.get_majorticklocs(), [one.xy[1] for one in names])
    places = axes.transData.transform(np.column_stack([np.ones(len(levels)), levels]))[:, 1]
    return np.asarray(points_per_pixel(axes) * places)


def _height(axes: Axes, name: Any) -> float:
    """The height of a name's own line, points."""
    return points_per_pixel(axes) * float(axes.transData.transform((1.0, name.xy[1]))[1])


def _courses(axes: Axes) -> list[Array]:
    """The curves of a panel, points, each of shape (2, n)."""
    curves = [np.asarray(line.get_xydata()) for line in axes.lines if line.get_transform() == axes.transData]
    return [points_per_pixel(axes) * axes.transData.transform(one).T for one in curves if len(one)]


def _box(axes: Axes, name: Any, hang: Hang, canvas: Canvas) -> tuple[float, float, float, float]:
    """About where a name stands that hangs there: left, bottom, right and top in points; its font may come later."""
    points, size = points_per_pixel(axes), canvas.small
    lines, (right, up) = name.get_text().split("\n"), _levels_away(hang, canvas)
    width, height = 0.9 * max(map(ems, lines)) * size, ROW * len(lines) * size
    x = points * (axes.bbox.x0 + hang.end * axes.bbox.width) + right - width * hang.right
    y = _height(axes, name) + up - height * hang.below
    return x, y, x + width, y + height


def _inside(box: tuple[float, ...], axes: Axes) -> bool:
    """Whether it reaches neither over what stands below the frame nor over what stands above."""
    points = points_per_pixel(axes)
    return box[1] >= points * axes.bbox.y0 and box[3] <= points * axes.bbox.y1


def _touch(one: tuple[float, ...], other: tuple[float, ...]) -> bool:
    return one[0] < other[2] and other[0] < one[2] and one[1] < other[3] and other[1] < one[3]


def _places(name: Any) -> Iterator[Hang]:
    """Where a name may stand, best first."""
    right, below, spare = _how(name)
    if spare:
        yield from (Hang(right, below), Hang(True, below, inward=right), Hang(right, not below), Hang(True, below))
        return
    yield from (Hang(end, side) for end in (right, not right) for side in (below, not below))
    yield from (Hang(right, True, rows) for rows in range(1, FARTHEST + 1))


def _how(name: Any) -> list[bool]:
    """Whether a name is to hang at the right and below, and whether there may be none."""
    return [bool(int(one)) for one in name.get_label().split()[1:]]


def _put(name: Any, hang: Hang, canvas: Canvas) -> None:
    name.xy = (hang.end, name.xy[1])
    name.set(ha="right" if hang.right else "left", va="top" if hang.below else "bottom")
    name.set_position(_levels_away(hang, canvas))


def _levels_away(hang: Hang, canvas: Canvas) -> tuple[float, float]:
    """How far right of its place on the line, and above it, a name stands, points."""
    across, up = 3 * canvas.scale, 2 * canvas.scale
    down = up + hang.rows * ROW * canvas.small
    return -across if hang.right else across, -down if hang.below else up


NAMED = 5  # streaks, at most: those of the smallest offsets
CLOUD, NAME = "_cloud", "_streak"  # labels of the points and of what is written; no legend shows them
THIN = 0.1  # of the frame's width or height, across a streak
STREAKS_GAP = 0.4  # ems between a streak and its name
STREAKS_APART = 0.6  # ems between two names


class Place(NamedTuple):
    """Where a text stands: its anchor and how it hangs on it, and the box that it takes; all in points."""

    x: float
    y: float
    ha: str
    va: str
    box: tuple[float, float, float, float]  # left, bottom, right, top


def name_streaks(axes: Axes, canvas: Canvas) -> None:
    """Writes 1, 2, 3… beside the streaks of the smallest offsets, as long as there is a place free of other points: all
    on that side of their streaks, left, right, below or above, where most can stand.

    Again whenever the panel's size or ends change. The points are those of its cloud, whose colours are |p − q|.
    """
    for text in [one for one in axes.texts if one.get_label() == NAME]:
        text.remove()
    for cloud in [one for one in axes.collections if one.get_label() == CLOUD]:
        _name(axes, cloud, canvas)


def _name(axes: Axes, cloud: Any, canvas: Canvas) -> None:
    """Names the streaks of the points of a cloud, whose colours are their offsets."""
    points, offsets = np.asarray(cloud.get_offsets()), np.asarray(cloud.get_array())
    if not len(points):
        return
    axes.autoscale_view()
    frame = axes.bbox
    scale = points_per_pixel(axes)
    places = (axes.transData.transform(points) - (frame.x0, frame.y0)) * scale
    room = frame.width * scale, frame.height * scale
    dot = float(max(cloud.get_sizes(), default=0.0)) ** 0.5 / 2
    around = []
    for offset in range(1, NAMED + 1):
        own = offsets == offset
        if not own.any() or not _is_streak(places[own], room):
            break
        text = phrase("offset {number}", number=offset) if offset == 1 else str(offset)
        around.append([(text, place) for place in _streaks_beside(places[own], text, room[1], canvas)])
    sides = [_free_places(list(side), room, places, dot) for side in zip(*around, strict=True)]
    for text, place in max(sides, key=len, default=[]):
        _streaks_write(axes, text, place, room, canvas)


def _is_streak(points: Array, room: tuple[float, float]) -> bool:
    """Whether points lie in a line, so that a name beside them means them."""
    return bool((np.ptp(points, axis=0) / room).min() <= THIN)


def _free_places(
    side: list[tuple[str, Place]], room: tuple[float, float], places: Array, dot: float
) -> list[tuple[str, Place]]:
    """The names on one side of their streaks, from the first on as far as all are free."""
    kept: list[tuple[str, Place]] = []
    for text, place in side:
        if not _is_free(place.box, room, places, dot, [_with_room(one.box) for _, one in kept]):
            break
        kept.append((text, place))
    return kept


def _with_room(box: tuple[float, float, float, float]) -> tuple[float, float, float, float]:
    """The box of a name of one line with what is left free around it."""
    left, bottom, right, top = box
    room = STREAKS_APART * (top - bottom)
    return left - room, bottom - room, right + room, top + room


def _streaks_beside(streak: Array, text: str, height: float, canvas: Canvas) -> list[Place]:
    """The places left of, right of, below and above a streak, the first two inside a frame of that height."""
    (left, bottom), (right, top) = streak.min(axis=0).tolist(), streak.max(axis=0).tolist()
    size, gap = canvas.small, STREAKS_GAP * canvas.small
    width, x, y = ems(text) * size, (left + right) / 2, (bottom + top) / 2
    y = min(max(y, size / 2), height - size / 2)
    return [
        Place(left - gap, y, "right", "center", (left - gap - width, y - size / 2, left - gap, y + size / 2)),
        Place(right + gap, y, "left", "center", (right + gap, y - size / 2, right + gap + width, y + size / 2)),
        Place(x, bottom - gap, "center", "top", (x - width / 2, bottom - gap - size, x + width / 2, bottom - gap)),
        Place(x, top + gap, "center", "bottom", (x - width / 2, top + gap, x + width / 2, top + gap + size)),
    ]


def _is_free(
    box: tuple[float, float, float, float], room: tuple[float, float], places: Array, dot: float, taken: list[Any]
) -> bool:
    """Whether a box lies in the frame, over no point of that radius and no other text."""
    left, bottom, right, top = box
    if left < 0 or bottom < 0 or right > room[0] or top > room[1]:
        return False
    x, y = places.T
    if ((x > left - dot) & (x < right + dot) & (y > bottom - dot) & (y < top + dot)).any():
        return False
    return not any(left < other[2] and right > other[0] and bottom < other[3] and top > other[1] for other in taken)


def _streaks_write(axes: Axes, text: str, place: Place, room: tuple[float, float], canvas: Canvas) -> None:
    """Writes a name where it belongs, in shares of the frame, which keeps it beside its points in another size."""
    axes.text(
        place.x / room[0],
        place.y / room[1],
        text,
        transform=axes.transAxes,
        ha=place.ha,
        va=place.va,
        fontsize=canvas.small,
        label=NAME,
    )


SPAN = re.compile(r"\s*([+-]?\d{1,15})(?::([+-]?\d{1,15}))?\s*")
HIGHLIGHTS_APART = 1.2  # ems of their text between two labels one below the other
HIGHLIGHTS_GID = "highlight"
HIGHLIGHTS_FRAME = "_frame"  # label of what marks cells; no legend shows it
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
        _highlights_write(axes, span.text(position_text), (1.0, place), ("axes fraction", "data"), canvas)


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
        _highlights_write(axes, span.text(position_text), (place, 1.0), ("data", "axes fraction"), canvas)


def _middle(edges: tuple[float, float], window: tuple[float, float]) -> float:
    """The middle of what is seen of a span."""
    low, high = sorted(window)
    return sum(min(max(edge, low), high) for edge in edges) / 2


def _frames(canvas: Canvas) -> list[dict[str, Any]]:
    """Two outlines, one over the other."""
    widths = ((OUTLINE, "white"), (0.9, "black"))
    look = {"fill": False, "zorder": 3, "label": HIGHLIGHTS_FRAME}
    return [{"edgecolor": colour, "linewidth": width * canvas.scale, **look} for width, colour in widths]


def _head(axes: Axes, marker: int, canvas: Canvas) -> dict[str, Any]:
    """An arrowhead at the edge of an image, beside cells that are too thin for a frame."""
    look = {"color": axes.xaxis.label.get_color(), "clip_on": False, "label": HIGHLIGHTS_FRAME}
    return {"marker": marker, "markersize": HEAD * canvas.scale, "linestyle": "none", **look}


def frame_or_point(axes: Axes, canvas: Canvas) -> float:
    """Shows a frame or, where it would hide its cells, an arrowhead; gives how far those reach, in points."""
    points, reach = points_per_pixel(axes), 0.0
    frames = [one for one in axes.patches if one.get_label() == HIGHLIGHTS_FRAME]
    heads = [one for one in axes.lines if one.get_label() == HIGHLIGHTS_FRAME]
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


def _highlights_write(axes: Axes, text: str, place: tuple[float, float], coordinates: Any, canvas: Canvas) -> None:
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
        gid=HIGHLIGHTS_GID,
    )


def keep_apart(axes: Axes, canvas: Canvas, heads: float = 0.0) -> None:
    """Moves names that would touch each other: of rows down, of stretches up, and the panel's title above those.

    heads : points that arrowheads take before the names of rows
    """
    named: list[Any] = [one for one in axes.texts if one.get_gid() == HIGHLIGHTS_GID]
    points = points_per_pixel(axes)
    places = [points * axes.transData.transform(one.xy) for one in named]
    order = sorted(range(len(named)), key=lambda at: -places[at][1])
    rows = [(named[at], -float(places[at][1])) for at in order if named[at].get_ha() == "left"]
    _keep_rows_apart(rows, canvas, heads + 3 * canvas.scale)
    order = sorted(range(len(named)), key=lambda at: float(places[at][0]))
    levels = _stack([(named[at], float(places[at][0])) for at in order if named[at].get_ha() == "center"], canvas)
    if levels and axes.get_title():
        axes.set_title(axes.get_title(), pad=(4 + HIGHLIGHTS_APART * levels * canvas.small))


def _keep_rows_apart(named: list[tuple[Any, float]], canvas: Canvas, right: float) -> None:
    """Moves names so far right, and down that would touch the one above; their places are points from the top."""
    lowest = -float("inf")
    for one, place in named:
        shift = max(0.0, lowest + HIGHLIGHTS_APART * canvas.small - place)
        lowest = place + shift
        one.set_position((right, -shift))


def _stack(named: list[tuple[Any, float]], canvas: Canvas) -> int:
    """Moves names up that would touch the one before; gives how many lines they take."""
    ends: list[float] = []  # of the last name of every line
    for one, place in named:
        half = (ems(one.get_text()) + 0.5) * canvas.small / 2
        level = next((at for at, end in enumerate(ends) if end <= place - half), len(ends))
        ends[level : level + 1] = [place + half]
        one.set_position((0.0, 2 * canvas.scale + level * HIGHLIGHTS_APART * canvas.small))
    return len(ends)
