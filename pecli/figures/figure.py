"""What every figure is: options, `compute` (numbers, no Axes), `draw` (Axes, no numbers made)."""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar

from pecli.analysis import Analysis, E, Numbers, View
from pecli.core.errors import UsageError, mention
from pecli.core.lazy import Array
from pecli.figures.canvas import Canvas, ColourBar

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = [
    "Figure",
    "Numbers",
    "View",
    "averaging",
    "extremes",
    "subtract",
]


@dataclass(frozen=True)
class Figure(Analysis[E]):
    """Base of the figures. A subclass is one file: its options as fields, `compute` and `draw`."""

    aspect: ClassVar[float | None] = 0.75  # height of a panel over its width; None: square
    composed: ClassVar[bool] = False  # made of other figures

    def grid(self) -> tuple[int, int]:
        """The grid of panels: rows, columns."""
        return (1, 1)

    def grid_for(self, view: View[E]) -> tuple[int, int]:
        """The grid of panels for this view, where it depends on what is looked at."""
        return self.grid()

    def aspect_for(self, view: View[E]) -> float | None:
        """Height of a panel over its width for this view."""
        return self.aspect

    @abstractmethod
    def draw(self, numbers: Any, axes: list[Axes], canvas: Canvas) -> ColourBar | None:
        """Puts the numbers onto the axes, one a panel; gives what a colour bar has to explain."""

    def texts(self) -> list[str]:
        """The free text that is drawn besides the title, to find fonts for."""
        return []

    def title(self, view: View[E]) -> str:
        """The picture's title where the user gives none."""
        return "; ".join(encoding.label() for encoding in view.encodings)


def averaging(size: int, what: str = "positions") -> str:
    """The caption of a picture whose pixels are means."""
    return f"each pixel: mean of {size:,} {what}" if size > 1 else ""


def subtract(first: Array, second: Array) -> Array:
    """The first less the second; raises UsageError where their sizes differ."""
    if first.shape != second.shape:
        one, other = (" × ".join(map(str, array.shape)) for array in (first, second))
        text = f"{mention('difference')} takes tables of one size: these have {one} and {other} numbers"
        raise UsageError(text, option="difference")
    return first - second


def extremes(size: int, what: str = "positions") -> str:
    """The caption of a line that is drawn from the minimum to the maximum of every run of positions."""
    return f"each pixel: minimum to maximum of up to {size:,} {what}" if size > 1 else ""
