"""The similarity of each patch of a grid to all others: a small map per patch, arranged like the grid."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import partial
from math import floor, prod
from typing import Any, ClassVar

from pecli.analysis import measure_option, places_option, positions_at
from pecli.core.errors import UsageError
from pecli.core.language import finding, say
from pecli.core.lazy import Array, Axes, np
from pecli.core.numbers import SMALL, minus, number_text
from pecli.encodings.grid import OnGrid
from pecli.figures.base import ColouredNumbers, View
from pecli.figures.maps import OverGrid, squeezed_panel, to_images
from pecli.figures.matrix import show_matrix
from pecli.files.sheet import aside, over
from pecli.measures.comparison import VectorComparison
from pecli.measures.summary import SAMPLE_SIZE
from pecli.page.axis_labels import put_axis, values_axis
from pecli.page.canvas import Canvas
from pecli.page.colors import HAIRLINE, headline_ink, note_ink
from pecli.page.limits import colour_ends
from pecli.page.panels import ColorBar, PanelGroup
from pecli.page.text import points_per_pixel

SMALLEST = 20  # pixels: least width of a legible tile
MARGIN = 0.05  # share of the colour range: smaller differences of means are not mentioned
GUTTER, SHORT = 2, 8  # cells between tiles; one cell if a side is below SHORT
TILED, ENLARGED = 0.72, 0.215  # shares of the frame's width: all tiles, the enlarged tile
CRISP = 2  # pixels per cell from which on all cells have a whole number of pixels
WHOLE = 0.88  # least share of a cell's size left after rounding down to whole pixels
NEAR = 0.01  # pixels: rounding tolerance
MEANS = {"inside": "tiles.mean_inside", "outside": "tiles.mean_outside"}  # labels of the means in the headline
MARKED = "C1"  # colour of the tile that is enlarged
WIDE = 40  # ems of small text: least width of a frame with texts beside the tiles


@dataclass(frozen=True, kw_only=True)
class TilesNumbers(ColouredNumbers[OnGrid]):
    """The measure between each shown position and all positions, row by row of the grid."""

    tiles: Array = over("p", "q")
    positions: Array = over("p")
    step: int = aside()
    in_line: float  # mean over pairs in the same row or column
    elsewhere: float  # mean over all other pairs of different positions, or NaN
    measure: str = aside()

    @property
    def compared(self) -> VectorComparison:
        """The comparison of two patches."""
        return VectorComparison(self.view.encoding, self.measure)

    def message(self) -> str:
        compared, inside, outside = self.compared, self.in_line, self.elsewhere
        more = inside - outside if compared.similarity else outside - inside
        if not more > MARGIN * (self.ends[1] - self.ends[0]):
            return ""
        means = self._mean_texts()
        return say("tiles.patches_in_the_same", **means) if means["inside"] != means["outside"] else ""

    def _mean_texts(self) -> dict[str, str]:
        """Return the texts of the means in the same row or column ("inside") and elsewhere ("outside")."""
        return {"inside": _two_digits(self.in_line), "outside": _two_digits(self.elsewhere)}

    def marks(self) -> list[str]:
        means = say("tiles.means", **self._mean_texts()) if self.message() else ""
        return [say("tiles.each_tile_of_one", measure=self.compared.label), means]

    def remarks(self) -> list[str]:
        return [say("tiles.one_patch_in_shown", count=self.step)] if self.step > 1 else []


@dataclass(frozen=True)
class Tiles(OverGrid):
    """The measure between each position of a grid and all others, as a map at the position's place.

    Notes
    -----
    Like figure 7 of Dosovitskiy et al. 2021, An Image is Worth 16x16 Words, arXiv:2010.11929, on learned positions.
    """

    name: ClassVar[str] = "tiles"
    frame_option: ClassVar[str] = "at"
    defines: ClassVar[str] = (
        "the tile in row r and column c shows the measure between the vector of that patch and those of all patches"
    )
    example: ClassVar[str] = "pecli tiles --grid 14x14"
    examples: ClassVar[tuple[str, ...]] = ("pecli tiles rope --grid 14x14 --at 0x0,3x5",)
    copies: ClassVar[int] = 4

    measure: str = measure_option("cos")
    at: tuple[int, ...] | None = places_option(
        "patches that get a tile", at_least=0, unset="all, arranged as in the grid"
    )

    def check_view(self, view: View[OnGrid]) -> None:
        super().check_view(view)
        if len(view.encoding.sides) > 2 and self.at is None:
            raise UsageError(
                "for a video, tiles shows only the patches chosen with --at",
                option="at",
                advice="give --at, such as --at=0x3x5",
            )
        positions_at(self.at or (), view)

    def shape(self, view: View[OnGrid]) -> tuple[int, ...]:
        shown = (-(-side // self._patch_step(view)) for side in view.encoding.sides)
        return (prod(shown) if self.at is None else len(self.at), view.covered.length)

    def compute(self, view: View[OnGrid]) -> TilesNumbers:
        encoding, every, compared = view.encoding, view.covered.array(), VectorComparison(view.encoding, self.measure)
        at = every if self.at is None else positions_at(self.at, view)
        low, high, mean, pairs = compared.offset_map(at, every)
        offsets = np.meshgrid(*(np.arange(1 - side, side) for side in encoding.sides), indexing="ij")
        known, apart = np.isfinite(mean), np.count_nonzero(offsets, axis=0)  # along how many axes two patches differ
        least, most = (float(low[known].min()), float(high[known].max())) if known.any() else (0.0, 1.0)
        in_line, elsewhere = (
            float(np.average(mean[kind], weights=pairs[kind])) if kind.any() else np.nan
            for kind in (known & (apart == 1), known & (apart > 1))
        )
        step = self._patch_step(view)
        shown = at if step == 1 else at.reshape(encoding.sides)[::step, ::step].ravel()
        return TilesNumbers(
            view=view,
            tiles=compared.between(shown, every),
            positions=shown,
            step=step,
            in_line=in_line,
            elsewhere=elsewhere,
            measure=self.measure,
            ends=(least, most) if 0 < least < most else colour_ends(least, most),
            sample=(compared.between(at[:: -(-len(at) * len(every) // SAMPLE_SIZE)], every),),
        )

    def _patch_step(self, view: View[OnGrid]) -> int:
        """Return n such that tiles of every n-th patch along each axis have at least one pixel per cell."""
        if self.at is not None or view.panels is None:
            return 1
        pixels = (view.pixel_rows or 1, view.pixel_columns or 1)
        sizes = (max(SMALLEST, side + gutter_width(side)) * side for side in view.encoding.sides)
        return max(-(-size // most) for size, most in zip(sizes, pixels, strict=True))

    def panel_groups(self, view: View[OnGrid], canvas: Canvas) -> list[PanelGroup]:
        bar = ColorBar(VectorComparison(view.encoding, self.measure).label)
        if self.at is not None:
            titles = map(view.encoding.position_text, positions_at(self.at, view))
            return [PanelGroup(tuple(self.image_panel(view, bar, title) for title in titles))]
        (rows, columns), panel = view.encoding.sides, self.image_panel(view, bar)
        x = replace(panel.x, label=say("tiles.column_of_the_patch"))
        y = replace(panel.y, label=say("tiles.row_of_the_patch"))
        frame = squeezed_panel((rows / columns) ** 2, bar)
        aspect = frame.aspect if canvas.narrow else TILED * frame.aspect
        return [PanelGroup((replace(frame, aspect=aspect, x=x, y=y),))]

    def draw(self, numbers: TilesNumbers, axes: list[Axes], canvas: Canvas) -> list[Any]:
        sides = numbers.view.encoding.sides
        signed = numbers.compared.similarity and numbers.ends[0] <= 0
        colours = canvas.colours(numbers.compared.palette(*numbers.ends))
        style: dict[str, Any] = {"colours": colours, "limits": numbers.ends, "centred": signed}
        images = to_images(numbers.tiles, sides)
        if self.at is not None:
            return [show_matrix(ax, image, **style) for ax, image in zip(axes, images, strict=True)]
        from pecli.page.ticks import FittingTicks, multiples

        rows, columns = (-(-side // numbers.step) for side in sides)
        down, across = map(gutter_width, sides)
        padded = np.pad(images, ((0, 0), (0, down), (0, across)), constant_values=np.nan)
        tiled = padded.reshape(rows, columns, *padded.shape[1:]).swapaxes(1, 2)
        whole = tiled.reshape(rows * padded.shape[1], -1)[:-down, :-across]
        tall, wide = (
            numbers.step * float(side) / (side + gutter_width(side)) for side in sides
        )  # size of a tile in patches
        right, bottom = (columns - 1) * numbers.step + wide / 2, (rows - 1) * numbers.step + tall / 2
        panel = axes[0] if canvas.narrow else _tiles_axes(axes[0], whole.shape, canvas)
        panel.set(xlim=(-wide / 2, right), ylim=(bottom, -tall / 2))
        if numbers.step > 1:  # put ticks at patches that are shown
            steps = [numbers.step * times for times in (1, 2, 5, 10, 20)]
            for axis in (panel.xaxis, panel.yaxis):
                axis.set_major_locator(FittingTicks(partial(multiples, steps)))
        image = show_matrix(panel, whole, extent=(-wide / 2, right, bottom, -tall / 2), **style)
        for at in np.ndindex(rows, columns) if signed else ():  # shows the edges of pale tiles
            _outline(panel, at[1] * numbers.step, at[0] * numbers.step, wide, tall, HAIRLINE, 0.5 * canvas.scale)
        if panel is not axes[0]:
            self._enlarge(numbers, axes[0], panel, (wide, tall), canvas, style)
        return [image]

    def _enlarge(
        self, numbers: TilesNumbers, axes: Axes, panel: Axes, size: tuple[float, float], canvas: Canvas, style: Any
    ) -> None:
        """Outline one tile and draw it enlarged beside the others, with the means in the headline.

        axes, panel : the frame of the whole figure, and the Axes of the tiles inside it
        size : width and height of a tile, in the units of `panel`
        style : keyword arguments of `show_matrix`
        """
        sides = numbers.view.encoding.sides
        rows, columns = (-(-side // numbers.step) for side in sides)
        row, column = rows // 4, 2 * columns // 3
        at = row * numbers.step, column * numbers.step
        high = ENLARGED * axes.bbox.width / axes.bbox.height * min(sides[0] / sides[1], 2.0)
        wide, small = axes.bbox.width * points_per_pixel(axes), canvas.small
        top = 1.0 - (4.8 * small / (axes.bbox.height * points_per_pixel(axes)) if wide > WIDE * small else 0.0)
        one = axes.inset_axes((1 - ENLARGED, top - high, ENLARGED, high))
        show_matrix(one, to_images(numbers.tiles[row * columns + column], sides), **style)
        one.set(xlim=(-0.5, sides[1] - 0.5), ylim=(sides[0] - 0.5, -0.5))
        one.set_xticks(sorted({0, at[1], sides[1] - 1}))
        one.set_yticks(sorted({0, at[0], sides[0] - 1}))
        one.tick_params(length=0)
        _outline(panel, at[1], at[0], *size, MARKED, 1.2 * canvas.scale)
        _outline(one, (sides[1] - 1) / 2, (sides[0] - 1) / 2, sides[1], sides[0], MARKED, 1.2 * canvas.scale)
        if wide <= WIDE * small:
            return
        look: dict[str, Any] = {"xycoords": "axes fraction", "textcoords": "offset points", "va": "bottom"}
        place = numbers.view.encoding.position_text(numbers.positions[row * columns + column])
        text = say("tiles.one_patch", place=place, count=numbers.tiles.shape[1])
        one.annotate(text, (0, 1), (0, 0.5 * small), fontsize=small, linespacing=1.15, **look)
        named: dict[str, Any] = {"weight": "semibold", "color": headline_ink()}
        one.annotate(say("tiles.how_to_read"), (0, 1), (0, 3.5 * small), fontsize=canvas.inches.font, **look, **named)
        found = finding(numbers.message())
        look["va"] = "top"
        for line, (name, key) in enumerate(MEANS.items() if found else ()):
            down = -(2.4 + 3.2 * line) * small
            one.annotate(found[name], (0, 0), (0, down), fontsize=canvas.headline_size, **look, **named)
            words, right = say(key), (0.6 * len(found[name]) + 0.5) * canvas.headline_size
            one.annotate(words, (0, 0), (right, down - 0.15 * small), fontsize=small, linespacing=1.2, **look)
            named["color"] = note_ink()


def gutter_width(side: int) -> int:
    """Return the number of blank cells between tiles whose side is `side` cells."""
    return GUTTER if side >= SHORT else 1


def _tiles_axes(axes: Axes, cells: tuple[int, ...], canvas: Canvas) -> Axes:
    """Return an Axes for the tiles at the left of a frame, with the frame's axis labels.

    cells : rows and columns of cells; each gets a whole number of pixels if there are enough pixels
    """
    from matplotlib.transforms import Bbox

    def place(*_: Any) -> Any:
        pixels = np.array(axes.bbox.size) * points_per_pixel(axes) / 72 * canvas.dpi  # pixels in the file
        most = min(TILED * pixels[0] / cells[1], pixels[1] / cells[0]) + NEAR
        wide, high = (
            np.array(cells[::-1]) * floor(most) / pixels if floor(most) >= max(CRISP, WHOLE * most) else (TILED, 1.0)
        )
        box = axes.get_position()
        return Bbox.from_bounds(box.x0, box.y1 - high * box.height, wide * box.width, high * box.height)

    part = axes.inset_axes((0.0, 0.0, TILED, 1.0))
    part.set_axes_locator(place)
    part.apply_aspect(place())
    for own, other in ((axes.xaxis, part.xaxis), (axes.yaxis, part.yaxis)):
        put_axis(other, values_axis(own.get_label_text(), whole=True))
    axes.set_axis_off()
    return part


def _outline(axes: Axes, x: float, y: float, wide: float, high: float, colour: str, width: float) -> None:
    """Draw a frame around a tile centred at (x, y).

    wide, high : size of the tile
    width : width of the frame's line in points
    """
    from matplotlib.patches import Rectangle

    look: dict[str, Any] = {"fill": False, "edgecolor": colour, "linewidth": width, "clip_on": False}
    axes.add_patch(Rectangle((x - wide / 2, y - high / 2), wide, high, **look))


def _two_digits(value: float) -> str:
    """Return a number as text with two digits; between 0 and 1 a final 0 is kept."""
    return minus(f"{value:#.2g}") if SMALL <= abs(value) < 1 else number_text(value, 2)
