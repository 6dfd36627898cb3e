"""Names of levels, which are lines across a panel: beside their line, and none over another."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

from pecli.core.lazy import Array, np
from pecli.figures.canvas import Canvas
from pecli.figures.text_size import backing, ems, points_per_pixel

if TYPE_CHECKING:
    from matplotlib.axes import Axes

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
    lines, (right, up) = name.get_text().split("\n"), _away(hang, canvas)
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
    name.set_position(_away(hang, canvas))


def _away(hang: Hang, canvas: Canvas) -> tuple[float, float]:
    """How far right of its place on the line, and above it, a name stands, points."""
    across, up = 3 * canvas.scale, 2 * canvas.scale
    down = up + hang.rows * ROW * canvas.small
    return -across if hang.right else across, -down if hang.below else up
