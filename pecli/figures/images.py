"""Images of matrices."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from pecli.analysis import Limits
from pecli.core.lazy import Array, np

if TYPE_CHECKING:
    from matplotlib.axes import Axes

COLOURS = 256  # of a map
Extent = tuple[float, float, float, float]  # left, right, bottom, top


def show_matrix(
    axes: Axes,
    values: Array,
    *,
    colours: str,
    limits: Limits,
    centred: bool = False,
    extent: Extent | None = None,
) -> Any:
    """A matrix as an image, one colour a number, none where it is NaN; gives what a colour bar explains.

    limits : the values at both ends of the colours
    centred : 0 has the middle of the colour map, wherever the limits are: of a map with two sides one may be unused

    It fills its frame, and leaves the axes' limits as they are.
    """
    window = axes.get_xlim(), axes.get_ylim()
    image = axes.imshow(
        np.ma.masked_invalid(values),
        aspect="auto",
        interpolation="nearest",
        cmap=middle_at_0(colours, limits) if centred else colours,
        vmin=limits[0],
        vmax=limits[1],
        extent=extent,
    )
    axes.set(xlim=window[0], ylim=window[1])
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
