"""Images of matrices."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from pecli.analysis import Limits
from pecli.core.lazy import Array, np
from pecli.figures.colour_maps import COLOURS

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


def cells_seen(axes: Axes) -> tuple[float, float]:
    """How many cells of an image stand side by side in a frame, and below each other; 0 without one of cells."""
    from pecli.figures.cell_image import CellImage

    image = next((one for one in axes.images if isinstance(one, CellImage)), None)
    if image is None:
        return 0.0, 0.0
    (left, right, bottom, top), (rows, columns) = image.get_extent(), image.get_size()
    (first, last), (low, high) = axes.get_xlim(), axes.get_ylim()
    return abs(columns * (last - first) / (right - left)), abs(rows * (high - low) / (top - bottom))


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
