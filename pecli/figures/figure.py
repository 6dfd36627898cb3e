"""What every figure is: options, `compute` (numbers, no Axes), `draw` (Axes, no numbers made)."""

from __future__ import annotations

import dataclasses
from abc import abstractmethod
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar

from pecli.encodings.encoding import Encoding
from pecli.errors import UsageError
from pecli.figures.canvas import Canvas, Scale
from pecli.lazy import Array, np
from pecli.options import Options
from pecli.positions import Positions

if TYPE_CHECKING:
    from matplotlib.axes import Axes


@dataclass(frozen=True)
class View:
    """What a figure looks at: encodings at positions, through so many pixels (rows, columns) a panel.

    Without pixels a figure computes every number; with them no more than can be seen.
    """

    encodings: tuple[Encoding, ...]
    positions: Positions
    pixels: tuple[int, int] | None = None

    @property
    def encoding(self) -> Encoding:
        """The only encoding."""
        return self.encodings[0]

    @property
    def covered(self) -> Positions:
        """The rows of the only encoding's table."""
        return self.encoding.covered(self.positions)

    @property
    def pixel_rows(self) -> int | None:
        """Pixels from top to bottom, or None for no limit."""
        return self.pixels[0] if self.pixels else None

    @property
    def pixel_columns(self) -> int | None:
        """Pixels from left to right, or None for no limit."""
        return self.pixels[1] if self.pixels else None


@dataclass(frozen=True)
class Numbers:
    """The numbers behind a picture. Array fields are the arrays, the main one first; the others are facts.

    A 2-D main array is followed by the coordinates of its rows.
    """

    view: View

    def arrays(self) -> dict[str, Array]:
        """All arrays by name, the main one first."""
        return {name: value for name, value in self._fields() if isinstance(value, np.ndarray)}

    def facts(self) -> dict[str, Any]:
        """The key numbers, for ``--json``."""
        return {name: value for name, value in self._fields() if isinstance(value, (int, float, str, tuple))}

    def caption(self) -> str:
        """What the reader has to know about how the picture was made; mostly nothing."""
        return ""

    def columns(self) -> list[Any]:
        """The headers of a 2-D main array's columns."""
        return list(range(self.main.shape[1]))

    @property
    def main(self) -> Array:
        """The main array."""
        return next(iter(self.arrays().values()))

    def sheet(self) -> tuple[list[str], Array]:
        """Header and rows of a CSV file: the main array with its coordinates, or arrays of one length side by side."""
        arrays = self.arrays()
        if self.main.ndim == 1:
            same = {name: a for name, a in arrays.items() if a.shape == self.main.shape}
            return list(same), np.column_stack(list(same.values()))
        name = list(arrays)[1]
        return [name, *map(str, self.columns())], np.column_stack([arrays[name], self.main])

    def _fields(self) -> list[tuple[str, Any]]:
        return [(f.name, getattr(self, f.name)) for f in dataclasses.fields(self) if f.name != "view"]


@dataclass(frozen=True)
class Figure(Options):
    """Base of the figures. A subclass is one file: its options as fields, `compute` and `draw`."""

    name: ClassVar[str]
    summary: ClassVar[str]
    example: ClassVar[str]
    aspect: ClassVar[float] = 0.75  # height of a panel over its width
    needs: ClassVar[str] = "table"  # the method that an encoding must have
    several: ClassVar[bool] = False  # takes more than one encoding
    usual: ClassVar[str] = "sinusoidal"  # the encoding where none is named
    one_table: ClassVar[bool] = True  # the numbers are one array with coordinates, so .npy and .csv can hold them

    def grid(self) -> tuple[int, int]:
        """The grid of panels: rows, columns."""
        return (1, 1)

    def shape(self, view: View) -> tuple[int, ...]:
        """The shape of the largest array that `compute` makes, to know its memory beforehand."""
        return (view.covered.length, view.encoding.width)

    @classmethod
    def takes(cls, encoding: type[Encoding]) -> bool:
        """Whether this figure can show encodings of that kind."""
        return hasattr(encoding, cls.needs)

    def check_view(self, view: View) -> None:
        """Refuses encodings or positions that this figure cannot show (UsageError)."""
        if len(view.encodings) > 1 and not self.several:
            raise UsageError(f"{self.name} takes one encoding, {len(view.encodings)} are given")
        for encoding in view.encodings:
            encoding.covered(view.positions)

    @abstractmethod
    def compute(self, view: View) -> Numbers:
        """The numbers to draw. Knows no Axes."""

    @abstractmethod
    def draw(self, numbers: Any, axes: list[Axes], canvas: Canvas) -> Scale | None:
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


def label_positions(axis: Any, encoding: Encoding, label: str | None = None) -> None:
    """Names an axis along which positions run, in the encoding's own terms."""
    axis.set_label_text(label or encoding.position_label)
    if encoding.tick_steps:
        from matplotlib.ticker import FuncFormatter, MultipleLocator

        low, high = sorted(axis.get_view_interval())
        most = max(1, _room(axis) / 0.8)
        step = next((step for step in encoding.tick_steps if (high - low) / step <= most), encoding.tick_steps[-1])
        axis.set_major_locator(MultipleLocator(step))
        axis.set_major_formatter(FuncFormatter(lambda value, _: encoding.position_text(value)))


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

        axis.set_major_locator(MaxNLocator(integer=True))
