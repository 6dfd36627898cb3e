"""Names of levels, which are lines across a panel: beside their line, and none over another."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any, NamedTuple

from pecli.figures.canvas import Canvas
from pecli.figures.text_size import backing, ems, points_per_pixel

if TYPE_CHECKING:
    from matplotlib.axes import Axes

LEVEL = "_level"  # how the labels of these texts begin; no legend shows them
ROW = 1.2  # ems from one name to the next below it
MIDDLE = 0.4  # of the panel's width: left of what stands at its right edge, right of where a line begins
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

    spare : whether there is rather no name than one over another
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
    """Puts each name where it belongs or, where another stands there, on the other side of its line or farther down."""
    names: list[Any] = [one for one in axes.texts if str(one.get_label()).startswith(LEVEL)]
    taken: list[Any] = []
    for one in sorted(names, key=lambda one: (_how(one)[2], -float(one.xy[1]))):
        free = False
        for hang in _places(one):
            _put(one, hang, canvas)
            box = _box(axes, one, hang, canvas)
            free = _inside(box, axes) and not any(_touch(box, other) for other in taken)
            if free:
                break
        one.set_visible(free or not _how(one)[2])
        taken += [box] if one.get_visible() else []


def _box(axes: Axes, name: Any, hang: Hang, canvas: Canvas) -> tuple[float, float, float, float]:
    """About where a name stands: left, bottom, right and top in points; its font may come later."""
    points, size = points_per_pixel(axes), canvas.small
    lines, (right, up) = name.get_text().split("\n"), name.get_position()
    width, height = 0.9 * max(map(ems, lines)) * size, ROW * len(lines) * size
    x = points * (axes.bbox.x0 + hang.end * axes.bbox.width) + right - width * hang.right
    y = points * float(axes.transData.transform((1.0, name.xy[1]))[1]) + up - height * hang.below
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
    down = 2 + hang.rows * ROW * canvas.small
    name.set_position((-3 if hang.right else 3, -down if hang.below else 2))
