"""Images of matrices."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from pecli.core.lazy import Array, np

if TYPE_CHECKING:
    from matplotlib.axes import Axes

Extent = tuple[float, float, float, float]  # left, right, bottom, top


def show_matrix(
    axes: Axes,
    values: Array,
    *,
    colours: str,
    limits: tuple[float, float],
    extent: Extent | None = None,
    square: bool = False,
) -> Any:
    """A matrix as an image, one colour a number, none where it is NaN; gives what a colour bar explains.

    limits : the values at both ends of the colours
    square : cells as high as wide
    """
    return axes.imshow(
        np.ma.masked_invalid(values),
        aspect="equal" if square else "auto",
        interpolation="nearest",
        cmap=colours,
        vmin=limits[0],
        vmax=limits[1],
        extent=extent,
    )
