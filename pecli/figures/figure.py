"""What every figure is: options, `compute` (numbers, no Axes), `draw` (Axes, no numbers made)."""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar

from pecli.analysis import Analysis, Numbers, View
from pecli.core.errors import UsageError
from pecli.core.lazy import Array, np
from pecli.encodings.encoding import Encoding
from pecli.figures.canvas import Canvas, ColourBar

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = [
    "Figure",
    "Numbers",
    "View",
    "averaging",
    "extremes",
    "label_decades",
    "label_dimensions",
    "label_positions",
    "plot_run",
    "subtract",
]


@dataclass(frozen=True)
class Figure(Analysis):
    """Base of the figures. A subclass is one file: its options as fields, `compute` and `draw`."""

    aspect: ClassVar[float | None] = 0.75  # height of a panel over its width; None: square
    composed: ClassVar[bool] = False  # made of other figures

    def grid(self) -> tuple[int, int]:
        """The grid of panels: rows, columns."""
        return (1, 1)

    def grid_for(self, view: View) -> tuple[int, int]:
        """The grid of panels for this view, where it depends on what is looked at."""
        return self.grid()

    def aspect_for(self, view: View) -> float | None:
        """Height of a panel over its width for this view."""
        return self.aspect

    @abstractmethod
    def draw(self, numbers: Any, axes: list[Axes], canvas: Canvas) -> ColourBar | None:
        """Puts the numbers onto the axes, one a panel; gives what a colour bar has to explain."""

    def texts(self) -> list[str]:
        """The free text that is drawn besides the title, to find fonts for."""
        return []

    def title(self, view: View) -> str:
        """The picture's title where the user gives none."""
        return "; ".join(encoding.label() for encoding in view.encodings)


def averaging(size: int, what: str = "positions") -> str:
    """The caption of a picture whose pixels are means."""
    return f"each pixel: mean of {size:,} {what}" if size > 1 else ""


def subtract(first: Array, second: Array) -> Array:
    """The first less the second; raises UsageError where their sizes differ."""
    if first.shape != second.shape:
        one, other = (" × ".join(map(str, array.shape)) for array in (first, second))
        raise UsageError(f"--difference takes tables of one size: these have {one} and {other} numbers")
    return first - second


def extremes(size: int, what: str = "positions") -> str:
    """The caption of a line that is drawn from the minimum to the maximum of every run of positions."""
    return f"each pixel: minimum to maximum of up to {size:,} {what}" if size > 1 else ""


def plot_run(axes: Axes, x: Array, low: Array, high: Array, label: str, style: str = "default") -> Any:
    """A line where low and high are one, the band between them where they are not; gives the colour."""
    if np.array_equal(low, high, equal_nan=True):
        marker = "o" if len(x) == 1 else None  # a line of one point has no length
        return axes.plot(x, high, label=label, drawstyle=style, marker=marker)[0].get_color()
    (line,) = axes.plot(x, high, linewidth=0.3)
    axes.plot(x, low, color=line.get_color(), linewidth=0.3)
    axes.fill_between(x, low, high, color=line.get_color(), linewidth=0, alpha=0.6, label=label)
    return line.get_color()


def label_positions(axis: Any, encoding: Encoding, label: str | None = None) -> None:
    """Names an axis along which positions run, in the encoding's own terms."""
    axis.set_label_text(label or encoding.position_label)
    if encoding.tick_steps:
        from matplotlib.ticker import FuncFormatter, MultipleLocator

        low, high = sorted(axis.get_view_interval())
        most = max(1, _room(axis) / (0.8 if axis.axis_name == "x" else 0.35))
        step = next((step for step in encoding.tick_steps if (high - low) / step <= most), encoding.tick_steps[-1])
        axis.set_major_locator(MultipleLocator(step))
        axis.set_major_formatter(FuncFormatter(lambda value, _: encoding.position_text(value)))
    else:
        from matplotlib.ticker import MaxNLocator

        room = max(2, min(9, int(_room(axis) / (0.45 if axis.axis_name == "x" else 0.25))))
        axis.set_major_locator(MaxNLocator(nbins=room, steps=[1, 2, 2.5, 5, 10], integer=True, min_n_ticks=1))


def label_decades(axis: Any, low: float, high: float) -> None:
    """Ticks at 1, 10, 100, … (or 1, 2, 5, …) on an axis that shows the decimal logarithms from low to high."""
    steps = [m * 10**e for e in range(int(low) - 1, int(high) + 1) for m in ((1, 2, 5) if high - low < 2.5 else (1,))]
    ticks = [step for step in steps if low - 1e-9 <= np.log10(step) <= high + 1e-9]
    names = [f"$10^{{{round(np.log10(step))}}}$" if step >= 10_000 else f"{step:g}" for step in ticks]
    axis.set_ticks([float(np.log10(step)) for step in ticks], names)


def _room(axis: Any) -> float:
    """Inches along the axis, about."""
    place, size = axis.axes.get_position(), axis.axes.get_figure(root=True).get_size_inches()
    return float(place.width * size[0] if axis.axis_name == "x" else place.height * size[1])


def label_dimensions(axis: Any, encoding: Encoding) -> None:
    """Names an axis along which the columns of the table run."""
    axis.set_label_text(encoding.dimension_label)
    names = encoding.dimension_names()
    if names is not None and len(names) <= 16:
        axis.set_ticks(range(len(names)), names, rotation=45 if max(map(len, names)) > 3 else 0)
    else:
        from matplotlib.ticker import MaxNLocator

        room = max(2, min(7, int(_room(axis) / 0.32)))
        axis.set_major_locator(MaxNLocator(nbins=room, steps=[1, 2, 5, 10], integer=True, min_n_ticks=1))
