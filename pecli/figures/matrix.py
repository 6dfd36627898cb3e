"""A matrix as an image whose cells are whole, and the numbers in its cells."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import floor, isclose, log10
from typing import TYPE_CHECKING, Any

from pecli.analysis import E, Limits
from pecli.core.errors import UsageError
from pecli.core.lazy import Array, np
from pecli.core.numbers import minus
from pecli.core.options import option
from pecli.figures.base import Figure
from pecli.figures.canvas import Canvas
from pecli.figures.colors import COLOURS, ink_on, is_dark
from pecli.figures.text import points_per_pixel

if TYPE_CHECKING:
    from matplotlib.axes import Axes

Extent = tuple[float, float, float, float]  # left, right, bottom, top


def show_matrix(
    axes: Axes,
    values: Array,
    *,
    colours: str,
    limits: Limits,
    centred: bool = False,
    log: bool = False,
    extent: Extent | None = None,
) -> Any:
    """A matrix as an image, one colour a number, none where it is NaN; gives what a colour bar explains.

    limits : the values at both ends of the colours
    centred : 0 has the middle of the colour map, wherever the limits are: of a map with two sides one may be unused
    log : colours are as far apart as logarithms are; both limits are above 0

    It fills its frame, and leaves the axes' limits as they are.
    """
    from matplotlib.colors import LogNorm, Normalize

    from pecli.figures.cell_image import CellImage

    rows, columns = values.shape
    sides = (-0.5, columns - 0.5, rows - 0.5, -0.5) if extent is None else extent
    image = CellImage(axes, cmap=middle_at_0(colours, limits) if centred else colours, extent=sides)
    image.set_data(np.ma.masked_invalid(values))
    image.set_norm(LogNorm(*limits) if log else Normalize(*limits))
    image.set_clip_path(axes.patch)
    axes.add_image(image)
    return image


def middle_at_0(name: str, limits: Limits) -> Any:
    """The part of a colour map that belongs to these limits where 0 has its middle."""
    import matplotlib as mpl
    from matplotlib.colors import ListedColormap

    low, high = limits
    reach = max(-low, high)
    if -low == high or reach <= 0:
        return name
    first, last = (0.5 + end / (2 * reach) for end in limits)
    return ListedColormap(mpl.colormaps[name](np.linspace(first, last, COLOURS)), name)


MOST = 12  # rows and columns that are written into
PADDING = 0.3  # ems left free in a cell
SPARE = 0.95  # of the size that fits when they are written: a frame moves by a pixel or two
WIDTHS = {".": 0.32, ",": 0.32, "−": 0.84}  # ems, of what is no digit
EASY, LOWEST = 0.75, 5.5  # of small text, and in points: numbers that nobody asked for are no smaller
ALIKE = 0.1  # of their width, by which frames of one size may differ
LEAST = 3.5  # points, of numbers that are asked for where they hardly fit: smaller ones cannot be read


@dataclass(frozen=True)
class WithCellNumbers(Figure[E]):
    """Base of the figures that can write the numbers of a matrix into its cells."""

    numbers: bool = option(False, f"numbers in the cells, up to {MOST} × {MOST}, from {LEAST:g} points on")
    no_numbers: bool = option(False, "no numbers in the cells; else where they fit")

    def check(self) -> None:
        super().check()
        if self.numbers and self.no_numbers:
            text = "--numbers and --no-numbers exclude each other"
            raise UsageError(text, option="no_numbers", advice="give one of them")

    def write_numbers(self, axes: list[Axes], images: list[Any], canvas: Canvas) -> None:
        """Writes the numbers of images into their cells: of all as large as each other, or of none of those."""
        pairs = [(one, image) for one, image in zip(axes, images, strict=False) if image is not None]
        shapes = [image.get_array().shape for _, image in pairs]
        if self.no_numbers or not pairs:
            return
        largest = max(shapes, key=max)
        if max(largest) > MOST:
            if self.numbers:
                text = f"--numbers takes matrices of up to {MOST} × {MOST} cells, not {largest[0]} × {largest[1]}"
                raise UsageError(text, option="numbers", advice="show fewer rows and columns")
            return
        texts = texts_of([image for _, image in pairs])
        sizes = text_sizes([one for one, _ in pairs], texts, canvas)
        if self.numbers and min(sizes) < LEAST:
            text = f"--numbers takes cells for text of {LEAST:g} points, and these hold {min(sizes):.1f}"
            raise UsageError(text, option="numbers", advice="give a larger --size, or show fewer rows and columns")
        least = 0.0 if self.numbers else max(LOWEST, EASY * canvas.small)
        for (one, image), written, size in zip(pairs, texts, sizes, strict=True):
            if size >= least:
                write_cells(one, image, written, size)


def texts_of(images: Sequence[Any]) -> list[list[list[str]]]:
    """The numbers of images, with as many places behind the point in all that have the same limits."""
    limits = [image.get_clim() for image in images]
    shown = [[other.get_array() for other, own in zip(images, limits, strict=True) if own == one] for one in limits]
    return [cell_texts(image.get_array(), places(alike)) for image, alike in zip(images, shown, strict=True)]


def places(matrices: Sequence[Any]) -> int:
    """The digits behind the point that the largest number of these matrices asks for."""
    known = np.concatenate([np.ma.compressed(values) for values in matrices])
    largest = float(np.abs(known).max(initial=0.0))
    if (known == np.round(known)).all() and largest < 1e4:
        return 0
    exponent = floor(log10(largest)) if largest else 0
    return max(0, 2 - exponent) if exponent >= 0 else 1 - exponent


def cell_texts(values: Any, places: int) -> list[list[str]]:
    """The numbers of a matrix with so many digits behind the point; blank where masked."""
    rows = np.ma.filled(values.astype(float), np.nan).tolist()
    return [["" if value != value else _text(value, places) for value in row] for row in rows]


def _text(value: float, places: int) -> str:
    """A number with so many places: 0 where it is exactly that, and what is rounded to it without a sign."""
    if value == 0:
        return "0"
    text = f"{value:,.{places}f}"
    return minus(text if text.strip("-0.,") else f"{0.0:.{places}f}")


def text_sizes(axes: Sequence[Axes], texts: Sequence[list[list[str]]], canvas: Canvas) -> list[float]:
    """The points in which the texts of each matrix are written, the same in frames that are as wide as each other."""
    fitting = [(one.bbox.width, size_that_fits(one, text)) for one, text in zip(axes, texts, strict=True)]
    return [
        min(canvas.small, *(size for other, size in fitting if isclose(other, width, rel_tol=ALIKE)))
        for width, _ in fitting
    ]


def size_that_fits(axes: Axes, texts: list[list[str]], shape: tuple[int, int] | None = None) -> float:
    """The points in which the widest number fits into a cell, closely, for cells have no room to spare."""
    scale = points_per_pixel(axes)
    widest = max((sum(WIDTHS.get(sign, 0.64) for sign in text) for row in texts for text in row), default=0.0)
    rows, columns = shape or (len(texts), len(texts[0]))
    high, wide = axes.bbox.height * scale / rows, axes.bbox.width * scale / columns
    return float(min(high / (1 + PADDING), wide / (widest + PADDING)))


def write_cells(axes: Axes, image: Any, texts: list[list[str]], size: float) -> None:
    """Writes texts into the cells of an image, white on dark colours and black on light ones."""
    dark = is_dark(image.cmap(image.norm(image.get_array())))
    left, right, bottom, top = image.get_extent()
    rows, columns = dark.shape
    for row, column in np.ndindex(rows, columns):
        if texts[row][column]:
            image.numbers[row, column] = axes.text(
                left + (column + 0.5) * (right - left) / columns,
                top + (row + 0.5) * (bottom - top) / rows,
                texts[row][column],
                fontsize=size,
                color="white" if dark[row, column] else "black",
                ha="center",
                va="center_baseline",
                clip_on=True,
                in_layout=False,
            )


def ink_again(image: Any) -> None:
    """Gives what is written into the cells of an image the ink for the colours that it has now."""
    for cell, text in image.numbers.items():
        text.set_color(ink_on(image, image.get_array()[cell]))
