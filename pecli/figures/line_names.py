"""Names of lines, written where they end: no key has to be looked up, and no colour told from another."""

from __future__ import annotations

from collections.abc import Sequence
from math import ceil, sqrt
from textwrap import wrap
from typing import TYPE_CHECKING, Any, TypeVar

from pecli.core.lazy import Array, np
from pecli.figures.canvas import Canvas
from pecli.figures.lines import Look, key
from pecli.figures.text_size import ems, points_per_pixel

if TYPE_CHECKING:
    from matplotlib.axes import Axes

T = TypeVar("T")
GID = "line name"
MOST = 8  # names; of more lines every second, third… is named
SHARE = 0.3  # of the width that a panel has about, that names take at most: else a key says them
LONGEST = 24  # letters of a name's line
LEADER = 8  # points from the end of a line to its name
FREE, PALE = 2.5, 0.5  # points between a line's end and what leads to its name, and how opaque that is: no part of it
HEIGHT, GAP = 1.25, 0.6  # ems of a line of text, and between names of several


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
            gid=GID,
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
    if count <= MOST:
        return list(entries)
    return [entries[round(at * (count - 1) / (MOST - 1))] for at in range(MOST)]


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
    return [one for one in axes.texts if one.get_gid() == GID]


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
    heights = [(HEIGHT * count + (GAP if count > 1 else 0.0)) * canvas.small for count in lines]
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
