"""An image of a matrix whose cells look equally wide, though cell edges need not fall on pixel edges."""

from __future__ import annotations

from math import ceil, floor
from typing import Any

import numpy as np
from matplotlib.image import AxesImage
from matplotlib.text import Text
from matplotlib.transforms import Affine2D, Bbox, BboxTransform

from pecli.core.lazy import Array

EXACT = 9  # decimals of a coordinate in cells
FEW = 6  # pixels per cell: below this, a difference of one pixel between cells is visible
FEW_IN_FRAMES = 4  # the same in animations, where mixed colours nearly double the size of a GIF
FINE = 300  # least resolution in pixels per inch inside a vector file, which is printed and zoomed


class CellImage(AxesImage):
    """A matrix as an image, with one colour per number.

    If cells are smaller than pixels, each pixel shows the mean of its values. If a cell covers few pixels and not a
    whole number of them, a pixel across the edge of two cells mixes their colours by area: without mixing, some cells
    would be a pixel wider than others, which shows as bands that are not in the data. Colours are mixed, not values:
    the mean of −1 and 1 would be pale, so that edges would look like lines.

    A vector file can place an image anywhere; there every cell has a whole number of pixels.
    """

    def __init__(self, axes: Any, **options: Any) -> None:
        super().__init__(axes, interpolation="none", **options)  # not resampled, if possible
        self.numbers: dict[tuple[int, int], Text] = {}  # texts in cells, by row and column
        self.extremes: tuple[float, float] | None = None  # lowest and highest number before averaging, if known
        self.few = FEW
        self.ramp: tuple[Any, tuple[float, float]] | None = None  # for coloured classes: continuous map, limits

    def get_transform(self) -> Any:
        """Return the transform to pixels.

        All cells have the same width in pixels, also on a logarithmic axis, so that an affine transform of the image's
        edges is enough. In vector files, matplotlib leaves images unsampled only with such a transform.
        """
        transform = super().get_transform()
        if transform.is_affine:
            return transform
        left, right, bottom, top = self.get_extent()
        edges = Bbox([[left, bottom], [right, top]])
        return BboxTransform(edges, edges.transformed(transform))

    def make_image(self, renderer: Any, magnification: float = 1.0, unsampled: bool = False) -> Any:
        """Return the colours of the pixels, their lower left corner, and a transform.

        The colours have shape (rows, columns, 4), the bottom row first.

        magnification : 1 for raster files
        unsampled : whether the file takes pixels of any size; the returned transform then gives their size
        """
        image = self.get_window_extent()
        seen = Bbox.intersection(image, self.axes.bbox)
        if seen is None:
            return None, 0, 0, None
        if unsampled:
            return self._whole_cells(image, seen, max(FINE, 72 * renderer.get_image_magnification()))
        left, bottom, right, top = (round(end) for end in seen.extents)
        rows, columns = self.get_size()
        down = cell_edges(bottom, top, (image.y1, image.y0), rows)
        across = cell_edges(left, right, (image.x0, image.x1), columns)
        return self._colours(down, across), left, bottom, Affine2D()

    def _whole_cells(self, image: Bbox, seen: Bbox, resolution: float) -> Any:
        """Return the pixels of the visible cells, as `make_image` does; each cell has a whole number of pixels.

        resolution : least number of pixels per inch
        """
        colours: Array = self.to_rgba(np.ma.asarray(self.get_array()), bytes=True)
        sides = ((image.y1, image.y0), seen.intervaly), ((image.x0, image.x1), seen.intervalx)
        corner, pixel = [0.0, 0.0], [0.0, 0.0]
        for axis, ((start, stop), part) in enumerate(sides):
            cell = (stop - start) / colours.shape[axis]
            low, high = sorted(((part - start) / cell).round(EXACT))
            cells = np.arange(floor(low), ceil(high))[:: 1 if cell > 0 else -1]
            pixels = max(1, ceil(round(abs(cell) * resolution / 72, 3)))
            colours = colours.take(cells, axis).repeat(pixels, axis)
            corner[axis] = start + cell * (cells[0] + (cell < 0))
            pixel[axis] = abs(cell) / pixels
        return colours, corner[1], corner[0], Affine2D().scale(pixel[1], pixel[0])

    def _colours(self, down: Array, across: Array) -> Array:
        """Return the colours of the pixels between these pixel edges, which are given in units of cells."""
        values: Any = np.ma.asarray(self.get_array())
        sides = ((0, down), (1, across))
        finer = [len(edges) <= values.shape[axis] for axis, edges in sides]
        for axis, edges in (side for side, many in zip(sides, finer, strict=True) if many):
            values = area_means(values, edges, axis)
        colours: Array = self.to_rgba(values, bytes=True)
        for axis, edges in (side for side, many in zip(sides, finer, strict=True) if not many):
            middles = ((edges[:-1] + edges[1:]) / 2).astype(int)
            colours = (
                mix_colours(colours, edges, axis) if needs_mixing(edges, self.few) else colours.take(middles, axis)
            )
        return colours


def area_means(values: Any, edges: Array, axis: int) -> Any:
    """Return the mean of the cells under each pixel, weighted by area.

    values : masked array; masked cells do not count
    edges : pixel edges along `axis` in units of cells, rising or falling; pixels are larger than cells
    """
    shape = [1, 1]
    shape[axis] = -1
    whole = np.minimum(edges.astype(int), values.shape[axis] - 1)
    part = (edges - whole).reshape(shape)

    def sums(cells: Array) -> Array:
        before = np.insert(np.cumsum(cells, axis=axis), 0, 0.0, axis=axis)
        return np.diff(before.take(whole, axis) + part * cells.take(whole, axis), axis=axis)

    known = sums(1.0 - np.ma.getmaskarray(values))
    total = sums(np.ma.filled(values.astype(float), 0.0))
    return np.ma.masked_invalid(np.divide(total, known, out=np.full_like(total, np.nan), where=np.abs(known) > 1e-9))


def cell_edges(first: int, last: int, ends: tuple[float, float], count: int) -> Array:
    """Return the edges of pixels `first` to `last` in units of cells, from 0 to `count`.

    ends : pixel coordinates of the outer edges of the first and last cell
    count : number of cells
    """
    share = (np.arange(first, last + 1) - ends[0]) / (ends[1] - ends[0])
    return np.clip((count * share).round(EXACT), 0, count)


def needs_mixing(edges: Array, few: int) -> bool:
    """Return whether to mix colours at cell edges: if a cell covers fewer than `few` pixels, and no whole number."""
    pixels = (len(edges) - 1) / (abs(float(edges[-1] - edges[0])) or 1.0)
    return 1 < pixels < few and abs(pixels - round(pixels)) > 1e-6


def mix_colours(colours: Array, edges: Array, axis: int) -> Array:
    """Return the colours of the cells under each pixel, mixed by area.

    colours : the cells' colours from 0 to 255, shape (rows, columns, 4); transparent if a cell has no number
    edges : pixel edges along `axis` in units of cells, rising or falling; pixels are smaller than cells
    """
    low, high = np.minimum(edges[:-1], edges[1:]), np.maximum(edges[:-1], edges[1:])
    first = np.minimum(low, colours.shape[axis] - 1).astype(int)
    last = np.maximum(np.ceil(high).astype(int) - 1, first)
    share = np.where(last > first, (high - last) / (high - low), 0.0).astype(np.float32)
    share = share.reshape((-1, 1, 1) if axis == 0 else (1, -1, 1))
    item, other = (colours.take(at, axis).astype(np.float32) for at in (first, last))
    near, far = (1 - share) * item[..., 3:], share * other[..., 3:]
    mean = (near * item[..., :3] + far * other[..., :3]) / np.maximum(near + far, 1)
    return np.concatenate([mean, near + far], axis=-1).round().astype(np.uint8)
