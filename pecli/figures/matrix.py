"""A matrix as an image, and the numbers in its cells."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import floor, isclose, log10
from typing import Any

from pecli.analysis import E, Limits
from pecli.core.errors import UsageError
from pecli.core.language import say
from pecli.core.lazy import Array, Axes, np
from pecli.core.numbers import ROUNDING, minus, number_text
from pecli.core.options import option
from pecli.figures.base import Figure
from pecli.page.canvas import Canvas
from pecli.page.colors import COLOURS, add_maps, is_dark, text_color_on
from pecli.page.text import points_per_pixel

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
    extremes: Limits | None = None,
    steps: bool = False,
) -> Any:
    """Draw a matrix as an image, with one colour per number and none for NaN; return the image.

    limits : the values at the two ends of the colour scale
    centred : whether 0 has the middle colour, whatever the limits
    log : whether colours are logarithmic; both limits must be positive
    extent : edges of the image (left, right, bottom, top), by default those of cells centred at whole numbers
    steps : whether each whole number has a colour of its own, if all numbers are whole and there are enough colours
    extremes : the smallest and the largest number before averaging; None: those of the cells

    The image fills its frame and does not change the limits of the axes.
    """
    from matplotlib.colors import LogNorm, Normalize

    from pecli.page.cell_image import CellImage

    add_maps()
    rows, columns = values.shape
    sides = (-0.5, columns - 0.5, rows - 0.5, -0.5) if extent is None else extent
    image = CellImage(axes, cmap=centred_map(colours, limits) if centred else colours, extent=sides)
    image.set_data(np.ma.masked_invalid(values))
    image.set_norm(LogNorm(*limits) if log else Normalize(*limits))
    low, high = limits
    if steps and high - low < COLOURS and not np.nansum(np.append(values, limits) % 1):
        image.ramp = image.cmap, limits
        image.set_cmap(image.cmap.resampled(int(high - low) + 1))
        image.set_clim(low - 0.5, high + 0.5)
    image.extremes = extremes
    image.set_clip_path(axes.patch)
    axes.add_image(image)
    axes.spines[:].set_visible(False)
    return image


HATCH: dict[str, Any] = {
    "hatch": "/////",
    "edgecolor": ("0.5", 0.4),
    "facecolor": "none",
}  # marks masked keys


def hatch(axes: Axes) -> None:
    """Hatch a panel behind its image, so that the hatching shows where the image has no numbers."""
    from matplotlib.patches import Rectangle

    axes.add_patch(Rectangle((0, 0), 1, 1, transform=axes.transAxes, linewidth=0, zorder=-1, **HATCH))


def centred_map(name: str, limits: Limits) -> Any:
    """Return the part of a colour map for these limits, chosen so that 0 gets the map's middle colour."""
    import matplotlib as mpl
    from matplotlib.colors import ListedColormap

    low, high = limits
    reach = max(-low, high)
    if -low == high or reach <= 0:
        return name
    first, last = (0.5 + end / (2 * reach) for end in limits)
    return ListedColormap(mpl.colormaps[name](np.linspace(first, last, COLOURS)), name)


FEW = 4  # rows: a matrix of up to this many shows its numbers in every named picture size
MAX_CELLS = 12  # most rows or columns of a matrix with numbers in its cells, without --numbers
PADDING = 0.3  # free ems in a cell
WIDTHS = {".": 0.32, ",": 0.32, "−": 0.84}  # widths of characters other than digits, in ems
ALIKE = 0.1  # relative difference up to which frames count as equally wide
SPLIT = 1.2  # points: gap between cells with numbers
MORE = 2  # most decimals added so that small numbers in cells are not written as zeros
LEAST = 3.5  # points: the smallest readable numbers, for --numbers


@dataclass(frozen=True)
class WithCellNumbers(Figure[E]):
    """Base of the figures that can write the numbers of a matrix into its cells."""

    numbers: bool = option(
        False,
        f"write numbers in the cells, if these have room for {LEAST:g}-point text; "
        f"by default for up to {MAX_CELLS} × {MAX_CELLS} cells",
    )
    no_numbers: bool = option(False, "no numbers in the cells")

    def check(self) -> None:
        super().check()
        if self.numbers and self.no_numbers:
            text = "--numbers and --no-numbers exclude each other"
            raise UsageError(text, option="no_numbers", advice="give one of them")

    def may_show_numbers(self, *sides: int) -> bool:
        """Return whether cells of a matrix with these sides may show numbers, which makes a colour bar redundant."""
        return not self.no_numbers and (self.numbers or max(sides) <= MAX_CELLS)

    def rounded_text(self, count: int) -> str:
        """Return the footnote on rounded numbers if `count` rows of numbers fit at any picture size, otherwise ""."""
        return say("matrix.values_rounded") if count <= FEW and not self.no_numbers else ""

    def write_numbers(
        self, axes: list[Axes], images: list[Any], canvas: Canvas, values: Sequence[Array] | None = None
    ) -> None:
        """Write numbers into the cells of all images, or into none if they do not fit.

        Panels of the same width have the same text size. Raises UsageError if --numbers is given but they do not fit.

        values : the numbers of each image, if they are not those that the colours show
        """
        pairs = [(ax, image) for ax, image in zip(axes, images, strict=False) if image is not None]
        if self.no_numbers or not pairs:
            return
        if not self.numbers and max(max(image.get_size()) for _, image in pairs) > MAX_CELLS:
            return
        texts, arrays = [], [image.get_array() for _, image in pairs]
        if values is not None:
            arrays = [np.ma.masked_invalid(own) for own in values]
        for (_, image), own in zip(pairs, arrays, strict=True):
            alike = [each for each, (_, o) in zip(arrays, pairs, strict=True) if o.get_clim() == image.get_clim()]
            texts.append(cell_texts(own, alike))
        fitting = [(pair.bbox.width, size_that_fits(pair, text)) for (pair, _), text in zip(pairs, texts, strict=True)]
        sizes = [
            min(canvas.small, *(size for other, size in fitting if isclose(other, width, rel_tol=ALIKE)))
            for width, _ in fitting
        ]
        if self.numbers and min(sizes) < LEAST:
            room = f"these have room for {min(sizes):.1f}-point text"
            text = f"--numbers needs cells with room for {LEAST:g}-point text; {room}"
            raise UsageError(text, option="numbers", advice="give a larger --size, or show fewer rows and columns")
        if not self.numbers and min(sizes) < min(canvas.inches.least, canvas.small):
            return
        for (pair, image), written, size in zip(pairs, texts, sizes, strict=True):
            write_cells(pair, image, written, size)
            split_cells(pair, image, canvas)


def decimal_places(matrices: Sequence[Any]) -> int:
    """Return the number of decimals that gives the largest number three digits; 0 if all numbers are whole."""
    known = np.concatenate([np.ma.compressed(values) for values in matrices])
    largest = float(np.abs(known).max(initial=0.0))
    if (known == np.round(known)).all() and largest < 1e4:
        return 0
    exponent = floor(log10(largest)) if largest else 0
    return max(0, 2 - exponent) if exponent >= 0 else 1 - exponent


def cell_texts(values: Any, alike: Sequence[Any]) -> list[list[str]]:
    """Return the numbers of a matrix as texts: "0" if zero up to rounding errors, "" where masked.

    All have the decimals with which the smallest has a digit other than 0, or powers of ten if these are too many.

    alike : the matrices whose numbers have the same format, such as those on the same colour scale
    """
    sizes = np.abs(np.concatenate([np.ma.compressed(own) for own in alike]))
    places, zero = decimal_places(alike), ROUNDING * sizes.max(initial=0.0)
    needed = max(places, -floor(log10(sizes.min(initial=1.0, where=sizes > zero))))

    def written(value: float) -> str:
        if abs(value) <= zero:
            return "0"
        return minus(f"{value:,.{needed}f}") if needed <= places + MORE else number_text(value, 2)

    rows = np.ma.filled(values.astype(float), np.nan).tolist()
    return [["" if value != value else written(value) for value in row] for row in rows]


def size_that_fits(axes: Axes, texts: list[list[str]]) -> float:
    """Return the text size in points at which the widest number just fits in a cell."""
    scale = points_per_pixel(axes)
    widest = max((sum(WIDTHS.get(sign, 0.64) for sign in text) for row in texts for text in row), default=0.0)
    high, wide = axes.bbox.height * scale / len(texts), axes.bbox.width * scale / len(texts[0])
    return float(min(high / (1 + PADDING), wide / (widest + PADDING)))


def write_cells(axes: Axes, image: Any, texts: list[list[str]], size: float) -> None:
    """Write texts into the cells of an image, white on dark colours and black on light ones."""
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


def split_cells(axes: Axes, image: Any, canvas: Canvas, columns_too: bool = True) -> None:
    """Draw gaps in the background colour between the cells of an image.

    columns_too : whether to draw gaps between columns, not only between rows
    """
    from matplotlib.collections import LineCollection

    left, right, bottom, top = image.get_extent()
    known = ~np.ma.getmaskarray(image.get_array())
    rows, columns = known.shape
    x, y = np.linspace(left, right, columns + 1), np.linspace(top, bottom, rows + 1)
    level = np.argwhere(known[1:] | known[:-1]).tolist()  # edges of cells with a number
    upright = np.argwhere(known[:, 1:] | known[:, :-1]).tolist() if columns_too else []
    edges = [[(x[column], y[row + 1]), (x[column + 1], y[row + 1])] for row, column in level]
    edges += [[(x[column + 1], y[row]), (x[column + 1], y[row + 1])] for row, column in upright]
    look: dict[str, Any] = {"colors": [axes.get_facecolor()], "linewidths": SPLIT * canvas.scale, "capstyle": "butt"}
    axes.add_collection(LineCollection(edges, zorder=1, **look), autolim=False)


def update_text_colors(image: Any) -> None:
    """Set the text colour of numbers in an image's cells to suit its current colours."""
    for cell, text in getattr(image, "numbers", {}).items():  # an image of dots has none
        text.set_color(text_color_on(image, image.get_array()[cell]))
