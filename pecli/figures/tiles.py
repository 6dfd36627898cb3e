"""How alike each patch of a grid is to all others: a small map for each, tiled as the grid is."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from math import ceil, prod
from typing import Any, ClassVar

from pecli.analysis import measure_option, places_option, positions_at
from pecli.core.errors import UsageError
from pecli.core.language import say
from pecli.core.lazy import Array, Axes, np
from pecli.core.numbers import SMALL, minus, number_text
from pecli.encodings.grid import OnGrid
from pecli.figures.base import ColouredNumbers, View
from pecli.figures.maps import OverGrid, image_of, squeezed_panel
from pecli.figures.matrix import show_matrix
from pecli.files.sheet import aside, over
from pecli.measures.comparison import VectorComparison
from pecli.measures.summary import ENOUGH
from pecli.page.canvas import Canvas
from pecli.page.limits import ends
from pecli.page.panels import ColorBar, PanelGroup

SMALLEST = 20  # pixels across, of a tile in which anything can be seen
MARGIN = 0.05  # of the colours' range: means that are nearer differ by chance
GAP = 0.08  # between tiles, as a share of a tile
GAPS = "0.7"  # their colour, where a tile may be white


@dataclass(frozen=True, kw_only=True)
class TilesNumbers(ColouredNumbers[OnGrid]):
    """The measure between positions and all, row by row of the grid, a tile each."""

    tiles: Array = over("p", "q")
    positions: Array = over("p")
    step: int = aside()
    in_line: float  # the mean over pairs of one row or column
    elsewhere: float  # of all others but a position with itself; NaN where there are none
    measure: str = aside()

    @property
    def compared(self) -> VectorComparison:
        """What is shown of two patches."""
        return VectorComparison(self.view.encoding, self.measure)

    def message(self) -> str:
        compared, inside, outside = self.compared, self.in_line, self.elsewhere
        more = inside - outside if compared.similarity else outside - inside
        if not more > MARGIN * (self.ends[1] - self.ends[0]):
            return ""
        text = "tiles.patches_in_the_same"
        numbers = {name: _two_digits(value) for name, value in (("inside", inside), ("outside", outside))}
        return say(text, measure=compared.label, **numbers) if numbers["inside"] != numbers["outside"] else ""

    def marks(self) -> list[str]:
        return [say("tiles.each_tile_of_one", measure=self.compared.label)]

    def remarks(self) -> list[str]:
        return [say("tiles.one_patch_in_shown", count=self.step)] if self.step > 1 else []


@dataclass(frozen=True)
class Tiles(OverGrid):
    """The measure between each position of a grid and all others, a map each, where the position stands.

    Notes
    -----
    Dosovitskiy et al. 2021, An Image is Worth 16x16 Words, figure 7, arXiv:2010.11929, of learned positions.
    """

    name: ClassVar[str] = "tiles"
    frame_option: ClassVar[str] = "at"
    defines: ClassVar[str] = (
        "the tile in row r and column c: the measure between the vector of that patch and those of all patches"
    )
    example: ClassVar[str] = "pecli tiles --grid 14x14"
    examples: ClassVar[tuple[str, ...]] = ("pecli tiles rope --grid 14x14 --at 0x0,3x5",)
    copies: ClassVar[int] = 4

    measure: str = measure_option("cos")
    at: tuple[int, ...] | None = places_option(
        "the patches that have a map", at_least=0, unset="all, tiled as they are"
    )

    def check_view(self, view: View[OnGrid]) -> None:
        super().check_view(view)
        if len(view.encoding.sides) > 2 and self.at is None:
            raise UsageError(
                "of a video tiles shows chosen patches", option="at", advice="give --at, such as --at=0x3x5"
            )

    def shape(self, view: View[OnGrid]) -> tuple[int, ...]:
        shown = (-(-side // self._step(view)) for side in view.encoding.sides)
        return (prod(shown) if self.at is None else len(self.at), view.covered.length)

    def compute(self, view: View[OnGrid]) -> TilesNumbers:
        encoding, every, compared = view.encoding, view.covered.array(), VectorComparison(view.encoding, self.measure)
        at = every if self.at is None else positions_at(self.at, view)
        low, high, mean, pairs = compared.offset_map(at, every)
        offsets = np.meshgrid(*(np.arange(1 - side, side) for side in encoding.sides), indexing="ij")
        known, apart = np.isfinite(mean), np.count_nonzero(offsets, axis=0)  # along how many axes
        least, most = (float(low[known].min()), float(high[known].max())) if known.any() else (0.0, 1.0)
        in_line, elsewhere = (
            float(np.average(mean[kind], weights=pairs[kind])) if kind.any() else np.nan
            for kind in (known & (apart == 1), known & (apart > 1))
        )
        step = self._step(view)
        shown = at if step == 1 else at.reshape(encoding.sides)[::step, ::step].ravel()
        return TilesNumbers(
            view=view,
            tiles=compared.between(shown, every),
            positions=shown,
            step=step,
            in_line=in_line,
            elsewhere=elsewhere,
            measure=self.measure,
            ends=(least, most) if 0 < least < most else ends(least, most),
            sample=(compared.between(at[:: -(-len(at) * len(every) // ENOUGH)], every),),
        )

    def _step(self, view: View[OnGrid]) -> int:
        """Return of how many patches along each axis one has a tile, in which each cell has a pixel or more."""
        if self.at is not None or view.panels is None:
            return 1
        pixels = (view.pixel_rows or 1, view.pixel_columns or 1)
        sizes = (max(SMALLEST, side + ceil(GAP * side)) * side for side in view.encoding.sides)
        return max(-(-size // most) for size, most in zip(sizes, pixels, strict=True))

    def panel_groups(self, view: View[OnGrid], canvas: Canvas) -> list[PanelGroup]:
        bar = ColorBar(VectorComparison(view.encoding, self.measure).label)
        if self.at is not None:
            return [PanelGroup((self.image_panel(view, bar),) * len(positions_at(self.at, view)))]
        rows, columns = view.encoding.sides
        return [PanelGroup((squeezed_panel((rows / columns) ** 2, bar),))]

    def decorate(self, view: View[OnGrid], axes: list[Axes], canvas: Canvas) -> None:
        every = self.at is None
        self.label_images(
            view, axes, [""] if every else [*map(view.encoding.position_text, positions_at(self.at or (), view))]
        )
        if every:
            axes[0].set(xlabel=say("tiles.column_of_the_patch"), ylabel=say("tiles.row_of_the_patch"))

    def draw(self, numbers: TilesNumbers, axes: list[Axes], canvas: Canvas) -> list[Any]:
        sides = numbers.view.encoding.sides
        signed = numbers.compared.similarity and numbers.ends[0] <= 0
        colours = canvas.colours(numbers.compared.palette(*numbers.ends))
        style: dict[str, Any] = {"colours": colours, "limits": numbers.ends, "centred": signed}
        images = image_of(numbers.tiles, sides)
        if self.at is not None:
            return [show_matrix(ax, image, **style) for ax, image in zip(axes, images, strict=True)]
        from pecli.page.ticks import FittingTicks, multiples

        rows, columns = (-(-side // numbers.step) for side in sides)
        down, across = (ceil(GAP * side) for side in sides)
        padded = np.pad(images, ((0, 0), (0, down), (0, across)), constant_values=np.nan)
        tiled = padded.reshape(rows, columns, *padded.shape[1:]).swapaxes(1, 2)
        whole = tiled.reshape(rows * padded.shape[1], -1)[:-down, :-across]
        first, right, bottom = -numbers.step / 2, (columns - 0.5) * numbers.step, (rows - 0.5) * numbers.step
        axes[0].set(xlim=(first, right), ylim=(bottom, first))
        if numbers.step > 1:  # a tile's tick is that of its patch
            steps = [numbers.step * times for times in (1, 2, 5, 10, 20)]
            for axis in (axes[0].xaxis, axes[0].yaxis):
                axis.set_major_locator(FittingTicks(partial(multiples, steps)))
        if signed:  # whose middle is white, as the gaps are
            axes[0].set_facecolor(GAPS)
        return [show_matrix(axes[0], whole, extent=(first, right, bottom, first), **style)]


def _two_digits(value: float) -> str:
    """Return a number in two digits; below 1 the second is written though it is 0."""
    return minus(f"{value:#.2g}") if SMALL <= abs(value) < 1 else number_text(value, 2)
