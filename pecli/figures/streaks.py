"""The streaks that pairs of one offset make in a scatter, named where they are."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from pecli.core.language import phrase
from pecli.core.lazy import Array, np
from pecli.figures.canvas import Canvas
from pecli.figures.text_size import ems, points_per_pixel

if TYPE_CHECKING:
    from matplotlib.axes import Axes

NAMED = 5  # streaks, at most: those of the smallest offsets
CLOUD, NAME = "_cloud", "_streak"  # labels of the points and of what is written; no legend shows them
THIN = 0.1  # of the frame's width or height, across a streak
GAP = 0.4  # ems between a streak and its name
APART = 0.6  # ems between two names


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
        around.append([(text, place) for place in _beside(places[own], text, room[1], canvas)])
    sides = [_free_places(list(side), room, places, dot) for side in zip(*around, strict=True)]
    for text, place in max(sides, key=len, default=[]):
        _write(axes, text, place, room, canvas)


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
    room = APART * (top - bottom)
    return left - room, bottom - room, right + room, top + room


def _beside(streak: Array, text: str, height: float, canvas: Canvas) -> list[Place]:
    """The places left of, right of, below and above a streak, the first two inside a frame of that height."""
    (left, bottom), (right, top) = streak.min(axis=0).tolist(), streak.max(axis=0).tolist()
    size, gap = canvas.small, GAP * canvas.small
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


def _write(axes: Axes, text: str, place: Place, room: tuple[float, float], canvas: Canvas) -> None:
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
