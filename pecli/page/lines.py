"""Line styles, legends of lines, and bands that show many positions per pixel."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from pecli.core.lazy import Array, Axes, np
from pecli.page.canvas import Canvas
from pecli.page.colors import visible_colours

Look = Mapping[str, Any]  # style of a line: colour, dashes, marker
DASHES = ("-", "--", "-.", (0, (1.4, 1.2)), (0, (6, 1.5, 1, 1.5, 1, 1.5)))
OUTLINE = 0.4  # width of a band's outline as a share of a line's width
MAX_LINES = 8  # most lines with a label
MARGIN = 0.01  # left and right of lines, as a share of their extent


def frame_by_grid(axes: Axes) -> None:
    """Give a panel horizontal grid lines instead of a left spine and tick marks."""
    axes.grid(axis="y")
    axes.spines["left"].set_visible(False)
    axes.tick_params(axis="y", which="both", length=0)


def plot_dots(axes: Axes, x: Any, y: Any, colour: Any, canvas: Canvas, size: float = 5.0, **style: Any) -> None:
    """Plot dots of diameter `size` points with a rim in the background colour; they may overlap the frame."""
    panel = axes.get_facecolor()
    rim: dict[str, Any] = {"markeredgecolor": panel, "markeredgewidth": 0.2 * size * canvas.scale}
    look = {"color": colour, "markersize": size * canvas.scale, "clip_on": False, "zorder": 4, **rim, **style}
    axes.plot(x, y, linestyle="none", marker="o", **look)


def share_ends(axes: Sequence[Axes]) -> None:
    """Give all panels the same vertical limits, wide enough for everything drawn in them."""
    ends = [panel.get_ylim() for panel in axes]
    for panel in axes:
        panel.set_ylim(min(low for low, _ in ends), max(high for _, high in ends))


def line_look(line: int) -> Look:
    """Return the colour and dashes of the line with index `line`.

    Five lines are distinct in grey and for colour-blind readers.
    """
    return {"color": f"C{line}", "linestyle": DASHES[line % len(DASHES)]}


def shades(count: int, axes: Axes, canvas: Canvas) -> list[Look]:
    """Return the styles of `count` ordered lines, such as heads: from dark to light, every other one dashed."""
    colours = visible_colours(canvas.colours("order"), axes)
    shares = np.linspace(0, 1, count).tolist()
    return [{"color": colours(share), "linestyle": DASHES[line % 2]} for line, share in enumerate(shares)]


def bound_look(line: int) -> Look:
    """Return the style in which the bound on the decay of a line is drawn: the colour of this line, but paler."""
    return {"color": f"C{line}", "linestyle": "--", "alpha": 0.6}


def add_legend(axes: Axes, entries: Iterable[tuple[str, Look]]) -> None:
    """Add a legend with a name and a line style per entry; it goes below the panel if it does not fit beside it."""
    from matplotlib.lines import Line2D

    axes.legend(handles=[Line2D([], [], label=name, **look) for name, look in entries], alignment="left")


def plot_run(axes: Axes, x: Array, low: Array, high: Array, look: Look, style: str = "default") -> None:
    """Plot a line if `low` equals `high` everywhere, otherwise a band between them; `style` is the line's drawstyle."""
    import matplotlib as mpl

    if np.array_equal(low, high, equal_nan=True):
        marker = "o" if len(x) == 1 else None  # a single point needs a marker
        axes.plot(x, high, drawstyle=style, marker=marker, **look)
        return
    single = int(np.argmax(low != high))  # number of leading points without a band
    if single > 1:
        axes.plot(x[:single], high[:single], drawstyle=style, **look)
        x, low, high = x[single - 1 :], low[single - 1 :], high[single - 1 :]
    for edge in (high, low):
        axes.plot(x, edge, color=look["color"], linewidth=OUTLINE * mpl.rcParams["lines.linewidth"])
    axes.fill_between(x, low, high, color=look["color"], linewidth=0, alpha=0.2)
