"""Lines of a picture, the bands that many positions make of them, and their key."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any

from pecli.core.lazy import Array, np

if TYPE_CHECKING:
    from matplotlib.axes import Axes

Look = Mapping[str, Any]  # of a line: colour, dashes, marker
DASHES = ("-", "--", "-.", (0, (1.4, 1.2)), (0, (6, 1.5, 1, 1.5, 1, 1.5)))
OUTLINE = 0.4  # of a band, as a share of a line
MAX_LINES = 8  # that have a label of their own
MARGIN = 0.01  # left and right of lines, as a share of the axis


def frame_lines(axes: Axes, first: float, last: float, log: bool = False) -> None:
    """Limits and grid of a panel whose lines run from first to last."""
    if log:
        axes.set_xscale("log")
        last = max(last, first * 1.1)
        share = (last / first) ** MARGIN
        axes.set_xlim(first / share, last * share)
    else:
        share = MARGIN * (last - first) or 0.5
        axes.set_xlim(first - share, last + share)
    axes.grid(axis="y")


def grid_look() -> Look:
    """The look of grid lines, for a line that stands for one."""
    import matplotlib as mpl

    now = mpl.rcParams
    return {"color": now["grid.color"], "linewidth": now["grid.linewidth"], "alpha": now["grid.alpha"]}


def look(line: int) -> Look:
    """Colour and dashes of a line, so that five stay apart in grey and for the colour-blind too."""
    return {"color": f"C{line}", "linestyle": DASHES[line % len(DASHES)]}


def bound_look(line: int) -> Look:
    """The look of the bound on the decay of a line: its colour, paler."""
    return {"color": f"C{line}", "linestyle": "--", "alpha": 0.6}


def band_look(line: int) -> Look:
    """The look of the band around a line."""
    return {"color": f"C{line}", "linewidth": 0, "alpha": 0.2}


def key(axes: Axes, entries: Iterable[tuple[str, Look]]) -> None:
    """The legend: a name and the look of its line each; below the panel where something else stands right of it."""
    handles, names = _samples(entries)
    axes.legend(handles=handles, labels=names, alignment="left")


def key_inside(axes: Axes, entries: Iterable[tuple[str, Look]], title: str, columns: int = 1) -> None:
    """The same in the upper right corner of the frame, where the layout leaves it, in so many columns."""
    from matplotlib.legend import Legend

    handles, names = _samples(entries)
    place: dict[str, Any] = {"loc": "upper right", "handlelength": 1.0, "borderaxespad": 0.0, "columnspacing": 1.0}
    axes.add_artist(Legend(axes, handles, names, title=title, ncols=columns, **place))


def _samples(entries: Iterable[tuple[str, Look]]) -> tuple[list[Any], list[str]]:
    """What shows the looks of lines, and their names."""
    from matplotlib.lines import Line2D

    names, looks = zip(*entries, strict=True)
    return [Line2D([], [], label=name, **one) for name, one in zip(names, looks, strict=True)], list(names)


def plot_run(axes: Axes, x: Array, low: Array, high: Array, look: Look, style: str = "default") -> None:
    """A line where low and high are one, the band between them where they are not."""
    import matplotlib as mpl

    if np.array_equal(low, high, equal_nan=True):
        marker = "o" if len(x) == 1 else None  # a line of one point has no length
        axes.plot(x, high, drawstyle=style, marker=marker, **look)
        return
    one = int(np.argmax(low != high))  # values that stand alone before the first band: so many, of a logarithmic axis
    if one > 1:
        axes.plot(x[:one], high[:one], drawstyle=style, **look)
        x, low, high = x[one - 1 :], low[one - 1 :], high[one - 1 :]
    else:
        _show_as_band(axes, look)
    width = OUTLINE * mpl.rcParams["lines.linewidth"]
    axes.plot(x, high, color=look["color"], linewidth=width)
    axes.plot(x, low, color=look["color"], linewidth=width)
    axes.fill_between(x, low, high, color=look["color"], linewidth=0, alpha=0.2)


def _show_as_band(axes: Axes, look: Look) -> None:
    """Takes the dashes from a line of the key where a band, which has none, is drawn for it."""
    legend = axes.get_legend()
    for handle in [] if legend is None else legend.get_lines():
        if handle.get_color() == look["color"]:
            handle.set_linestyle("-")
