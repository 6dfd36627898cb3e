"""Pairs of columns in the plane: the circle on which each turns, where it stands first, and which way it turns."""

from __future__ import annotations

from math import ceil, isfinite
from typing import TYPE_CHECKING

from pecli.analysis import View
from pecli.core.language import phrase
from pecli.core.lazy import Array, np
from pecli.encodings.capabilities import Rotary
from pecli.encodings.harmonic import Harmonic
from pecli.figures.canvas import Canvas
from pecli.figures.lines import key_inside
from pecli.figures.wavelength_texts import angle_text, turns_between_ends

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.legend import Legend

CIRCLE = 0.95  # the radius of the largest circle, as a share of half the side of the square that shows them
APART = 0.12  # how far inside its circle an arrow runs at most, of the largest radius
BETWEEN = 0.5  # and of the way to the next circle, or to the middle
ARROW = 0.4  # how long it is, of the largest radius, at most a quarter of a turn
HEAD = 0.1  # and at least, of the largest radius: there is little more than its head
LEAST = 0.4  # of the frame's shorter side that the circles take, however large the key
LONG = 10  # lines of a key, of more pairs than that it has two columns
ROUND, ENTRY = 4.5, (8.5, 1.6)  # ems of small text that circles take at least, and the width and height of a key's line
MARKS = ("o", "s", "^", "D", "v")  # of pairs


def frame_plane(axes: Axes, view: View[Rotary], pairs: Array) -> None:
    """Says in a key how far each pair turns; the plane has no scale, since each pair has its own."""
    axes.set_title(phrase("pairs in the plane"))
    axes.set(xticks=[], yticks=[])
    axes.spines[:].set_visible(False)
    names = [_pair_text(view, int(pair)) for pair in pairs]
    looks = [{"color": f"C{at}", "marker": mark(at), "linestyle": "none"} for at in range(len(pairs))]
    key_inside(axes, zip(names, looks, strict=True), phrase("pair j"), key_columns(len(pairs)))


def key_columns(count: int) -> int:
    """In how many columns the key says so many pairs."""
    return 1 if count <= LONG else 2


def least_plane(count: int) -> tuple[float, float]:
    """The smallest width and height of the circles of so many pairs with their key; ems of small text."""
    columns, (width, height) = key_columns(count), ENTRY
    key = height * (1 + ceil(count / columns))
    if columns == 1:
        return ROUND + width, max(ROUND + 1.5, key)
    return columns * width, 2 * ROUND + key  # below it: beside two columns there is no room


def _pair_text(view: View[Rotary], pair: int) -> str:
    (turns,) = turns_of(view, np.array([pair])).tolist()
    return f"{pair}: {angle_text(turns)}" if isfinite(turns) else str(pair)


def turns_of(view: View[Rotary], pairs: Array) -> Array:
    """How often these pairs turn from the first position to the last; infinity where no frequency says it."""
    if not isinstance(view.encoding, Harmonic) or view.covered.length == 1:
        return np.full(len(pairs), np.inf)
    return turns_between_ends(view.encoding, view.covered)[pairs]


def draw_circles(axes: Axes, paths: Array, radii: Array, turns: Array, canvas: Canvas) -> None:
    """The paths of pairs (n, length, 2), each on a circle of its own: the first is the smallest.

    turns : (n,), from the first position to the last; an arrow goes no farther than its pair, if that can be seen
    """
    rings = np.arange(1, len(paths) + 1) / len(paths)
    apart = min(APART, BETWEEN * float(rings[0]))
    for line, (path, radius, ring, turn) in enumerate(zip(paths, radii, rings.tolist(), turns, strict=True)):
        scaled = path * (ring / radius if radius else 1.0)
        _draw_circle(axes, line, scaled, ring, canvas)
        _draw_arrow(axes, line, scaled[0], (apart, 2 * np.pi * turn), canvas)
    _show_round(axes)


def refit_plane(axes: Axes) -> None:
    """Shows the same circles in a frame of another shape."""
    _show_round(axes)


def _show_round(axes: Axes) -> None:
    """Shows the circles in a square below the title, and the key beside or above it, in the middle of the frame."""
    width, height = axes.bbox.size
    boxes = [key.get_window_extent() for key in _keys(axes)]
    wide, high = (max((getattr(box, name) for box in boxes), default=0.0) for name in ("width", "height"))
    side, beside = _side_by((width, height), (wide, high))
    left = max(0.0, width - side - wide * beside) / 2
    below = max(0.0, height - side - high * (not beside)) / 2
    unit = 2 / CIRCLE / side  # of the plane a pixel
    axes.set(
        xlim=(-left * unit - 1 / CIRCLE, (width - left) * unit - 1 / CIRCLE),
        ylim=(-below * unit - 1 / CIRCLE, (height - below) * unit - 1 / CIRCLE),
    )
    axes.title.set_x((left + side / 2) / width)
    corner = (left + side, (height + max(side, high)) / 2) if beside else ((width - max(side, wide)) / 2, below + side)
    for key in _keys(axes):
        key.set_alignment("left")
        key.set_loc("upper left" if beside else "lower left")
        key.set_bbox_to_anchor((corner[0] / width, corner[1] / height), axes.transAxes)


def _side_by(frame: tuple[float, float], key: tuple[float, float]) -> tuple[float, bool]:
    """The side of the largest square that leaves room for the key, in pixels, and whether that stands beside it."""
    width, height = frame
    beside, below = min(height, width - key[0]), min(width, height - key[1])
    return max(beside, below, LEAST * min(width, height)), beside >= below


def _keys(axes: Axes) -> list[Legend]:
    from matplotlib.legend import Legend

    return [one for one in axes.get_children() if isinstance(one, Legend)]


def _draw_circle(axes: Axes, line: int, path: Array, radius: float, canvas: Canvas) -> None:
    """The path of a pair on its circle, with a mark where it stands first."""
    from matplotlib.patches import Circle

    axes.add_patch(
        Circle((0, 0), radius, fill=False, edgecolor="0.5", alpha=0.5, linewidth=0.6 * canvas.scale, zorder=0)
    )
    axes.plot(path[:, 0], path[:, 1], ".", markersize=2 * canvas.scale, color=f"C{line}")
    (ring,) = axes.plot(*path[0], color=f"C{line}", marker=mark(line), markersize=4 * canvas.scale)
    ring.set(markeredgecolor=axes.xaxis.label.get_color(), markeredgewidth=0.6 * canvas.scale)


def _draw_arrow(axes: Axes, line: int, first: Array, course: tuple[float, float], canvas: Canvas) -> None:
    """An arrow inside of the mark, the way that the pair turns; none where it stands in the middle.

    course : how far inside it runs, and the angle that the pair turns
    """
    apart, all_of_it = course
    radius = float(np.hypot(*first))
    if not radius:
        return
    inside = radius - apart
    angle = min(ARROW / inside, np.pi / 2, max(all_of_it, HEAD / inside))
    start, end = (tuple((inside / radius * turned(first, one)).tolist()) for one in (0.0, angle))
    style = {
        "arrowstyle": "->,head_width=0.2,head_length=0.3",
        "color": f"C{line}",
        "linewidth": canvas.scale,
        "connectionstyle": f"arc3,rad={np.tan(angle / 2) / 2}",  # its tangents are the circle's
    }
    axes.annotate("", end, start, arrowprops={**style, "shrinkA": 0, "shrinkB": 0})


def mark(line: int) -> str:
    """The mark of a pair, told from the others' in grey too."""
    return MARKS[line % len(MARKS)]


def turned(point: Array, angle: float) -> Array:
    """A point of the plane turned about 0, counterclockwise as pairs turn."""
    sin, cos = np.sin(angle), np.cos(angle)
    return np.array([cos * point[0] - sin * point[1], sin * point[0] + cos * point[1]])
