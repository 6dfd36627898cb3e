"""Columns of the table as images over a grid of positions."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, ClassVar

from pecli.analysis import check_indices
from pecli.core.errors import UsageError
from pecli.core.language import capitalised, join_title, say
from pecli.core.lazy import Array, Axes, np
from pecli.core.numbers import number_text
from pecli.core.options import option
from pecli.core.positions import Positions
from pecli.encodings.base import TableEncoding
from pecli.encodings.grid import HarmonicOnGrid, OnGrid
from pecli.encodings.harmonic import Harmonic
from pecli.figures.base import ColouredNumbers, Figure, View
from pecli.figures.matrix import show_matrix
from pecli.figures.wavelengths import MAX_WAVELENGTH, wavelength_unit
from pecli.files.sheet import over
from pecli.page.axis_labels import values_axis
from pecli.page.canvas import Canvas
from pecli.page.panels import ColorBar, Panel, PanelGroup, in_columns

DEFAULT_MAPS = 12  # default number of dimensions, half of them for each axis of a grid
COLUMNS = 6, 3, 2, 1  # numbers of columns with which no row of panels mixes two axes
VARIES = 0.25  # least range of a dimension that counts as varying, as a share of the largest
FEW = 6  # with fewer dimensions there are no headings
CHANGES = (  # headings of dimensions that vary along an axis: for contiguous dimensions, for others
    ("maps.frames_range", "maps.frames"),
    ("maps.rows_range", "maps.rows"),
    ("maps.columns_range", "maps.columns"),
)
LONGEST = 3.0  # largest ratio of an image's sides at which cells stay square


@dataclass(frozen=True)
class OverGrid(Figure[OnGrid]):
    """Base of the figures of images over a grid; the frames of a video stand side by side."""

    requires: ClassVar[Any] = OnGrid
    default_encoding: ClassVar[str] = "sincos2d"

    def check_view(self, view: View[OnGrid]) -> None:
        super().check_view(view)
        if not view.encoding.sides:
            text = f"{self.name} shows positions in a grid, but the positions of {view.encoding.title()} form a line"
            raise UsageError(text, option="grid", advice="give --grid, such as --grid=14x14")

    def image_panel(self, view: View[OnGrid], bar: ColorBar, title: str = "", right_title: str = "") -> Panel:
        """Return a panel for an image over the grid."""
        rows, columns = to_images(view.covered.array(), view.encoding.sides).shape
        across = "words.column" if columns == view.encoding.sides[-1] else "maps.column_frame_by_frame"
        x = values_axis(say(across), whole=True, ends=(-0.5, columns - 0.5))
        y = values_axis(say("words.row"), whole=True, ends=(rows - 0.5, -0.5))
        frame: dict[str, Any] = {"exact": True, "least": (3.0, 3.0), "bar": bar, "x": x, "y": y}
        return Panel(rows / columns, title=title, right_title=right_title, **frame)


def squeezed_panel(ratio: float, bar: ColorBar) -> Panel:
    """Return a panel for an image whose height divided by its width is `ratio`; very long images are squeezed."""
    squeezed = min(max(ratio, 1 / LONGEST), LONGEST)
    return Panel(squeezed, exact=ratio == squeezed, bar=bar)


def to_images(values: Array, sides: tuple[int, ...]) -> Array:
    """Reshape values of all positions (…, n) to images (…, rows, columns), with NaN between the frames of a video."""
    images = values.reshape(*values.shape[:-1], *sides)
    if len(sides) == 2:
        return images
    frames = np.pad(np.moveaxis(images, -3, -2), [(0, 0)] * (images.ndim - 1) + [(0, 1)], constant_values=np.nan)
    return frames.reshape(*frames.shape[:-2], -1)[..., :-1]


@dataclass(frozen=True, kw_only=True)
class MapsNumbers(ColouredNumbers[OnGrid]):
    """Dimensions of the table over the positions, row by row of the grid."""

    maps: Array = over("dimension", "position")
    dims: Array = over("dimension")

    def remarks(self) -> list[str]:
        shown, width = len(self.dims), self.view.encoding.width
        return [say("words.of_dimensions", count=shown, all=width)] if shown < width else []

    def marks(self) -> list[str]:
        encoding = self.view.encoding
        if degrees_of(encoding, []) is not None:
            return [say("maps.degrees_from_the_columns")]
        return [wavelength_unit(encoding)] if isinstance(encoding, Harmonic) else []

    def message(self) -> str:
        """Return the headline if every dimension shown varies along a single axis or direction, otherwise ""."""
        degrees = degrees_of(self.view.encoding, self.dims.tolist())
        if degrees is not None:
            found = list(dict.fromkeys(degrees))
            two = "maps.along_one_of_two_directions"
            return say(two, first=found[0], second=found[1]) if len(found) == 2 else say("maps.along_its_own_direction")
        sides = self.view.encoding.sides
        images = self.maps.reshape(-1, *sides)
        near = 1e-9 * max(map(abs, self.ends))
        varies = np.stack([np.ptp(images, axis=axis).max(axis=tuple(range(1, len(sides)))) > near
                           for axis in range(1, 1 + len(sides))])  # fmt: skip
        alone = (varies.sum(axis=0) <= 1).all() and varies.any(axis=1).all()
        return say("maps.every_dimension_shown_varies") if alone else ""


@dataclass(frozen=True)
class Maps(OverGrid):
    """Chosen dimensions of the table as images over the grid of positions."""

    name: ClassVar[str] = "maps"
    defines: ClassVar[str] = (
        "each panel shows one column of the table: the value of each position is at its row and column of the grid"
    )
    example: ClassVar[str] = "pecli maps --grid 14x14"
    examples: ClassVar[tuple[str, ...]] = ("pecli maps rope --grid 16x16 --dims 0,1,64,65",)

    dims: tuple[int, ...] | None = option(
        None, "dimensions to show", at_least=0, unset=f"up to {DEFAULT_MAPS} of those that vary, spread evenly"
    )

    def drawn_dims(self, view: View[OnGrid]) -> Array:
        """Return the dimensions to draw."""
        check_indices("dims", self.dims, view, view.encoding.width, "dimensions")
        return spread_dims(view.encoding, id(view.encoding), view.covered) if self.dims is None else np.array(self.dims)

    def check_view(self, view: View[OnGrid]) -> None:
        super().check_view(view)
        self.drawn_dims(view)

    def compute(self, view: View[OnGrid]) -> MapsNumbers:
        dims = self.drawn_dims(view)
        table = view.encoding.table(view.covered.array())[:, dims].T
        limit = view.encoding.limit or float(np.abs(table).max()) or 1.0
        return MapsNumbers(view=view, maps=table, dims=dims, ends=(-limit, limit))

    def panel_groups(self, view: View[OnGrid], canvas: Canvas) -> list[PanelGroup]:
        encoding, dims, bar = view.encoding, self.drawn_dims(view).tolist(), ColorBar(say("heatmap.value"))
        named = "{number}" if (headings := self.headings(view)) else "maps.dim_number"
        right_titles = [""] * len(dims)
        if isinstance(encoding, Harmonic):
            waves, lengths = encoding.wave_names(), encoding.column_wavelengths()
            right_titles = [wave_title(waves[dim], lengths[dim]) for dim in dims]
            if (degrees := degrees_of(encoding, dims)) is not None:
                right_titles = [f"{angle}°" for angle in degrees]
        panels = tuple(
            self.image_panel(view, bar, say(named, number=dim), right_title)
            for dim, right_title in zip(dims, right_titles, strict=True)
        )
        if headings:
            each = len(dims) // len(headings)
            grids = in_columns(len(dims), *(columns for columns in range(each, 0, -1) if each % columns == 0))
            return [PanelGroup(panels, grids, headings=headings)]
        grids = in_columns(len(dims), *COLUMNS) if self.dims is None and len(dims) == DEFAULT_MAPS else ()
        return [PanelGroup(panels, grids)]

    def headings(self, view: View[OnGrid]) -> tuple[tuple[int, str], ...]:
        """Return (index of its first dimension, heading) for each axis of the grid.

        Returns () unless each axis has the same number of consecutive dimensions.
        """
        encoding, dims = view.encoding, self.drawn_dims(view)
        if not isinstance(encoding, HarmonicOnGrid) or len(dims) < FEW or encoding.directions_of_pairs is not None:
            return ()
        axes = encoding.axes_of_pairs()[[pair for _, pair in encoding.waves()]]
        starts = [0, *np.flatnonzero(np.diff(axes[dims])) + 1]
        order = [int(axis) for axis in axes[dims][starts]]
        if len({*order}) < len(order) or len(order) < 2 or len({*np.diff([*starts, len(dims)])}) > 1:
            return ()
        return tuple(
            (int(at), _axis_text(axes, axis, len(encoding.sides))) for at, axis in zip(starts, order, strict=True)
        )

    def draw(self, numbers: MapsNumbers, axes: list[Axes], canvas: Canvas) -> list[Any]:
        images = to_images(numbers.maps, numbers.view.encoding.sides)
        style: dict[str, Any] = {"colours": canvas.colours("diverging"), "limits": numbers.ends, "centred": True}
        return [show_matrix(ax, image, **style) for ax, image in zip(axes, images, strict=True)]


def degrees_of(encoding: TableEncoding, dims: Sequence[int]) -> list[int] | None:
    """Return the direction of each dimension's wave, 0° along a row, 90° down a column; None if all follow axes."""
    directions = encoding.directions_of_pairs if isinstance(encoding, HarmonicOnGrid) else None
    if directions is None:
        return None
    assert isinstance(encoding, Harmonic)
    pairs = [encoding.waves()[dim][1] for dim in dims]
    return [int(angle) % 180 for angle in np.rint(np.degrees(np.arctan2(*directions[:, pairs])))]


def wave_title(name: str, wave: float) -> str:
    """Return the wave of a dimension for its title, such as "sin · λ 6.28"."""
    length = f"λ {number_text(float(wave), 3)}" if wave <= MAX_WAVELENGTH else ""
    return join_title([name, length])


def _axis_text(axes: Array, axis: int, count: int) -> str:
    """Return the heading that names the dimensions that vary along an axis.

    axes : the axis of each dimension
    count : the number of axes
    """
    own = np.flatnonzero(axes == axis)
    side_by_side, apart = CHANGES[axis - count]
    if np.ptp(own) + 1 == len(own):
        return capitalised(say(side_by_side, first=int(own[0]), last=int(own[-1])))
    return capitalised(say(apart))


@lru_cache(maxsize=4)
def spread_dims(encoding: TableEncoding, _: int, covered: Positions) -> Array:
    """Return up to DEFAULT_MAPS evenly spaced dimensions among those that vary.

    The second argument is the encoding's id, so that the cache distinguishes encodings whose files differ.
    """
    ranges = np.ptp(encoding.table(covered.array()), axis=0)
    varying = np.flatnonzero(ranges >= VARIES * ranges.max())
    return varying[np.unique(np.linspace(0, len(varying) - 1, min(len(varying), DEFAULT_MAPS)).round().astype(int))]
