"""Pairs of columns in the plane: the circle on which each turns, where it stands first, and which way it turns."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pecli.core.lazy import Array, np
from pecli.figures.canvas import Canvas

if TYPE_CHECKING:
    from matplotlib.axes import Axes

ARROW = 0.6  # rad that an arrow beside a circle spans
WIDE = 1.8  # width over height of a panel in which a circle stands in the middle, and the key beside it
MARKS = ("o", "s", "^", "D", "v")  # of pairs


def show_round(axes: Axes, reach: float) -> None:
    """Shows a circle of that radius whole, round in a frame of any shape, with room for the key on its right."""
    shape = axes.bbox.width / axes.bbox.height
    across, up = 2 * reach * max(1.0, shape), reach * max(1.0, 1 / shape)
    left = across / 2 if shape >= WIDE else reach
    axes.set(xlim=(-left, across - left), ylim=(-up, up))


def draw_circle(axes: Axes, line: int, path: Array, radius: float, canvas: Canvas) -> None:
    """The path of a pair on the circle that guides it: a mark where it stands first, an arrow the way it turns."""
    from matplotlib.patches import Circle

    axes.add_patch(
        Circle((0, 0), radius, fill=False, edgecolor="0.5", alpha=0.5, linewidth=0.6 * canvas.scale, zorder=0)
    )
    axes.plot(path[:, 0], path[:, 1], ".", markersize=3 * canvas.scale, color=f"C{line}")
    edge = axes.xaxis.label.get_color()
    axes.plot(*path[0], color=f"C{line}", marker=mark(line), markersize=6 * canvas.scale, markeredgecolor=edge)
    outside = 1.12 if radius else 0.0
    first, last = (tuple((outside * turned(path[0], angle)).tolist()) for angle in (0.0, ARROW))
    style = {
        "arrowstyle": "->",
        "color": f"C{line}",
        "linewidth": canvas.scale,
        "connectionstyle": f"arc3,rad={ARROW / 4}",
    }
    axes.annotate("", last, first, arrowprops={**style, "shrinkA": 0, "shrinkB": 0})


def mark(line: int) -> str:
    """The mark of a pair, told from the others' in grey too."""
    return MARKS[line % len(MARKS)]


def turned(point: Array, angle: float) -> Array:
    """A point of the plane turned about 0, counterclockwise as pairs turn."""
    sin, cos = np.sin(angle), np.cos(angle)
    return np.array([cos * point[0] - sin * point[1], sin * point[0] + cos * point[1]])
