"""An image in which all cells are equally wide, though their edges need not be those of pixels."""

from __future__ import annotations

from typing import Any

import numpy as np
from matplotlib.image import AxesImage
from matplotlib.transforms import Affine2D, Bbox

from pecli.core.lazy import Array
from pecli.figures.frame_grid import FEW

EXACT = 9  # digits after the point that a place among the cells has


class CellImage(AxesImage):
    """A matrix as an image, one colour a number.

    Where cells have few pixels, and no whole number of them, a pixel over the edge of two shows the mean of both, each
    by its share of the pixel. Drawn otherwise, some cells are a pixel wider than others, in bands that no number has.
    """

    def make_image(self, renderer: Any, magnification: float = 1.0, unsampled: bool = False) -> Any:
        """The colours of the pixels, (rows, columns, 4) from the lowest row up, and where their first corner is."""
        image = self.get_window_extent()
        seen = Bbox.intersection(image, self.axes.bbox)
        if seen is None:
            return None, 0, 0, None
        left, bottom, right, top = (round(end * magnification) for end in seen.extents)
        rows, columns = self.get_size()
        down = cell_edges(bottom, top, (image.y1 * magnification, image.y0 * magnification), rows)
        across = cell_edges(left, right, (image.x0 * magnification, image.x1 * magnification), columns)
        colours = self._colours(down, across)
        return colours, left / magnification, bottom / magnification, Affine2D()

    def _colours(self, down: Array, across: Array) -> Array:
        """The colours of the pixels between those edges."""
        values: Array = np.ma.filled(np.ma.asarray(self.get_array()), np.nan)
        for axis, edges in enumerate((down, across)):
            if mixes(edges):
                values = mixed(values, edges, axis)
        colours = self.to_rgba(np.ma.masked_invalid(values), bytes=True)
        for axis, edges in enumerate((down, across)):
            if not mixes(edges):
                colours = colours.take(((edges[:-1] + edges[1:]) / 2).astype(int), axis)
        return colours


def cell_edges(first: int, last: int, ends: tuple[float, float], count: int) -> Array:
    """Where the edges of the pixels from first to last are among so many cells between those ends, in cells."""
    share = (np.arange(first, last + 1) - ends[0]) / (ends[1] - ends[0])
    return np.clip((count * share).round(EXACT), 0, count)


def mixes(edges: Array) -> bool:
    """Whether pixels over an edge of cells show the mean of both: cells have few of them, and no whole number."""
    pixels = (len(edges) - 1) / (abs(float(edges[-1] - edges[0])) or 1.0)
    return 1 < pixels < FEW and abs(pixels - round(pixels)) > 1e-6


def mixed(values: Array, edges: Array, axis: int) -> Array:
    """The mean of the cells under each pixel, by area; what has no number is left out where it is the smaller part.

    values : NaN where there is no number
    edges : of the pixels, in cells, which are larger: rising or falling
    """
    low, high = np.minimum(edges[:-1], edges[1:]), np.maximum(edges[:-1], edges[1:])
    first = np.minimum(low, values.shape[axis] - 1).astype(int)
    last = np.maximum(np.ceil(high).astype(int) - 1, first)
    share = np.where(last > first, (high - last) / (high - low), 0.0)
    share = np.expand_dims(share, 1 - axis)
    one, other = values.take(first, axis), values.take(last, axis)
    means = one + share * (other - one)
    return np.where(np.isnan(means), np.where(share < 0.5, one, other), means)
