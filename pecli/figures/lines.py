"""Lines of a picture, and the bands that many positions make of them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from pecli.core.lazy import Array, np

if TYPE_CHECKING:
    from matplotlib.axes import Axes

OUTLINE = 0.3  # points, of a band


def plot_run(axes: Axes, x: Array, low: Array, high: Array, label: str, style: str = "default") -> Any:
    """A line where low and high are one, the band between them where they are not; gives the colour."""
    if np.array_equal(low, high, equal_nan=True):
        marker = "o" if len(x) == 1 else None  # a line of one point has no length
        return axes.plot(x, high, label=label, drawstyle=style, marker=marker)[0].get_color()
    (line,) = axes.plot(x, high, linewidth=OUTLINE)
    axes.plot(x, low, color=line.get_color(), linewidth=OUTLINE)
    axes.fill_between(x, low, high, color=line.get_color(), linewidth=0, alpha=0.6, label=label)
    return line.get_color()
