"""The tensor of relative encodings: one vector for each pair of positions."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from math import floor, isqrt, log10
from typing import Any, ClassVar

from pecli.analysis import check_indices
from pecli.core.errors import UsageError
from pecli.core.language import join_title, say
from pecli.core.lazy import Array, Axes, np
from pecli.core.numbers import minus, number_text
from pecli.core.options import option
from pecli.core.positions import Positions
from pecli.encodings.harmonic import Harmonic
from pecli.figures.base import ColouredNumbers, View, averaging_note
from pecli.figures.matrix import WithCellNumbers, show_matrix
from pecli.figures.wavelengths import short_length, wavelength_unit
from pecli.files.sheet import aside, over
from pecli.measures.summary import SAMPLE_SIZE, spread_evenly
from pecli.page.axis_labels import values_axis
from pecli.page.canvas import Canvas
from pecli.page.colors import STROKES
from pecli.page.panels import ColorBar, Panel, PanelGroup, grids_around, in_columns
from pecli.page.words import ems

SLICES = 4  # default number of dimensions, which fill a grid beside the offsets
FINEST, COARSEST = 1 / 8, 3  # multiples of the length: wavelengths whose stripes can be counted
SEEN = 1 / 100, 40  # multiples of the length: shorter waves average to 0, longer ones look flat
FEWEST = 4  # with fewer positions no offset is marked
STEPS = 25  # up to this many positions, an offset's cells are outlined; beyond, a line marks them
SHARE = 1 / 4  # share of the length: approximate size of the marked offset
FALLS = 8  # multiple of the length: the cosines of longer waves look flat


@dataclass(frozen=True, kw_only=True)
class RelativeNumbers(ColouredNumbers[Harmonic]):
    """The encoding of p − q for query p and key q."""

    tensor: Array = over("p", "q", "dimension")
    offsets: Array = over("p", "q")
    positions: Sequence[int] = over(each=("p", "q"))
    dims: Array = over("dimension")
    limit: float
    block: int = aside()  # positions per row

    def remarks(self) -> list[str]:
        shown, width = len(self.dims), self.view.encoding.width
        part = say("words.of_dimensions", count=shown, all=width) if shown < width else ""
        return [part, averaging_note(self.block)]

    def marks(self) -> list[str]:
        marked = marked_offset(self.view.positions.length)
        outlined = "relative.outlined" if self.view.positions.length <= STEPS else "relative.line"
        return [say(outlined, offset=marked) if marked else "", wavelength_unit(self.view.encoding)]

    def message(self) -> str:
        return say("relative.each_dimension_is_constant") if len(self.offsets) > 1 else ""


@dataclass(frozen=True)
class RelativeTensor(WithCellNumbers[Harmonic]):
    """Slices of the L × L × d tensor with the encoding of each offset p − q.

    Notes
    -----
    Every slice is constant along its diagonals: the tensor has L² · d numbers, but only (2L − 1) · d different ones.
    """

    name: ClassVar[str] = "relative"
    requires: ClassVar[Any] = Harmonic
    defines: ClassVar[str] = "component j of the vector for the offset p − q, query p down, key q across"
    counts_positions: ClassVar[bool] = True
    example: ClassVar[str] = "pecli relative --length 8 --d 32 --dims 0,1,8,9"
    examples: ClassVar[tuple[str, ...]] = ("pecli relative -n 6 -d 16 -o relative.svg",)
    needs: ClassVar[str] = "angles"  # a formula that also holds for negative offsets
    default_encoding: ClassVar[str] = "relative"

    offsets: bool = option(False, "add the matrix of offsets p − q")

    dims: tuple[int, ...] | None = option(
        None,
        "dimensions to show as slices",
        at_least=0,
        unset=f"up to {SLICES} that tell the offsets apart, from fast to slow",
    )

    def shape(self, view: View[Harmonic]) -> tuple[int, ...]:
        count = view.positions.blocks(view.pixel_side).count
        return (count, count, len(self.computed_dims(view)))

    def check_view(self, view: View[Harmonic]) -> None:
        if view.encoding.own_positions:
            text = f"relative shows offsets on a line, but {view.encoding.name} has positions in a grid"
            raise UsageError(text, option="grid", advice="try pecli offsets")
        super().check_view(replace(view, positions=replace(view.positions, start=0)))  # same offsets from any start
        view.encoding.covered(_offsets(view))
        check_indices("dims", self.dims, view, view.encoding.width, "dimensions")

    def computed_dims(self, view: View[Harmonic]) -> Array:
        """Return the dimensions to compute: those to draw, or all if none are chosen and there is no picture."""
        if self.dims is None and view.panels is None:
            return np.arange(view.encoding.width)
        return self.drawn_dims(view)

    def drawn_dims(self, view: View[Harmonic]) -> Array:
        """Return the dimensions that a picture shows."""
        if self.dims is not None:
            return np.array(self.dims)
        if view.encoding.width <= SLICES:
            return np.arange(view.encoding.width)
        return visible_columns(view.encoding, view.positions.length)

    def compute(self, view: View[Harmonic]) -> RelativeNumbers:
        harmonic, blocks, dims = view.encoding, view.positions.blocks(view.pixel_side), self.computed_dims(view)
        centres = blocks.centres()
        offsets = centres[:, None] - centres
        if blocks.size == 1:  # look up each offset in the table
            table = harmonic.table(_offsets(view).array())[:, dims]
            tensor = table[offsets.astype(int) + blocks.count - 1]
        else:
            tensor = np.stack([harmonic.mean_offsets(blocks, int(dim)) for dim in dims], axis=-1)
        radii = harmonic.arrange(harmonic.amplitudes[None], harmonic.amplitudes[None])[0, dims]
        limit = float(radii.max()) or 1.0
        some = spread_evenly(Positions(length=view.positions.length), isqrt(SAMPLE_SIZE // len(dims)))
        apart, places = np.unique(some[:, None] - some, return_inverse=True)
        return RelativeNumbers(
            view=view,
            tensor=tensor,
            offsets=offsets,
            positions=range(view.positions.start, view.positions.start + len(offsets)),
            dims=dims,
            limit=limit,
            block=blocks.size,
            ends=(-limit, limit),
            sample=(harmonic.table(apart)[:, dims][places],),
        )

    def panel_groups(self, view: View[Harmonic], canvas: Canvas) -> list[PanelGroup]:
        bar = ColorBar(say("heatmap.value"), redundant=self.may_show_numbers(view.positions.length))
        ends = view.positions.start - 0.5, view.positions.stop - 0.5
        x = values_axis(say("words.key_q"), whole=True, ends=ends)
        y = values_axis(say("words.query_p"), whole=True, ends=ends[::-1])
        panel = Panel(1.0, exact=True, least=(6.0, 6.0), bar=bar, x=x, y=y, small=True)
        titles = self._titles(view)
        panels, count = (
            tuple(replace(panel, title=title, right_title=right_title) for title, right_title in titles),
            len(titles),
        )
        if not self.offsets:
            columns = (2, 4, 1) if canvas.narrow else (4, 2, 1)
            return [PanelGroup(panels, in_columns(count, *columns) if count == SLICES else ())]
        strip = max(6.0, 2 * ems(number_text(-_largest_offset(view))) + 2.0)  # width of the numbers on the strip
        offsets = replace(panel, bar=None, least=(strip, 6.0), title=say("words.offset_p_minus_q"))
        return [PanelGroup((offsets, *panels), (*grids_around(0, 1 + count), *in_columns(1 + count)))]

    def _titles(self, view: View[Harmonic]) -> list[tuple[str, str]]:
        """Return the titles of each dimension's panel: its number and a value at the left, its wave at the right."""
        encoding, waves, lengths = view.encoding, view.encoding.wave_names(), view.encoding.column_wavelengths()
        marked = marked_offset(view.positions.length)
        values, found = encoding.table(np.array([float(marked)]))[0], []
        for dim in self.drawn_dims(view):
            name, value = say("relative.dim_dim", dim=dim), minus(f"{values[dim] + 0.0:.2f}")
            there = "\n" + say("relative.value_where", value=value, offset=marked) if marked else ""
            wave = join_title([waves[dim], f"λ {short_length(encoding, lengths[dim])}"])
            found.append((name + there, wave + "\n " * bool(there)))
        return found

    def decorate(self, view: View[Harmonic], axes: list[Axes], canvas: Canvas) -> None:
        from pecli.page.legends import add_strip

        if self.offsets:
            add_strip(axes[0], canvas, _largest_offset(view), canvas.colours("diverging"))

    def draw(self, numbers: RelativeNumbers, axes: list[Axes], canvas: Canvas) -> list[Any]:
        first, reach = numbers.view.positions.start - 0.5, _largest_offset(numbers.view)
        last = first + len(numbers.offsets) * numbers.block
        slices = [*[numbers.offsets] * self.offsets, *np.moveaxis(numbers.tensor, -1, 0)]
        ends = [*[(-reach, reach)] * self.offsets, *[numbers.ends] * len(numbers.dims)]
        colours, extent = canvas.colours("diverging"), (first, last, last, first)
        images = [
            show_matrix(panel, values, colours=colours, limits=limits, centred=True, extent=extent)
            for panel, values, limits in zip(axes, slices, ends, strict=False)
        ]
        self.write_numbers(axes, images, canvas)
        for panel in axes:
            self._mark_offset(panel, numbers, canvas)
        return images

    def _mark_offset(self, panel: Axes, numbers: RelativeNumbers, canvas: Canvas) -> None:
        """Mark the same offset in every panel: the one whose value is in the titles."""
        offset, rows = marked_offset(numbers.view.positions.length), numbers.view.positions
        if not offset:
            return
        look: dict[str, Any] = {
            "solid_joinstyle": "miter",
            "solid_capstyle": "butt",
            "clip_on": rows.length > STEPS,
        }
        keys = np.arange(rows.start, rows.stop - offset)
        if rows.length > STEPS:
            x, y = np.array([keys[0], keys[-1]]), np.array([keys[0], keys[-1]]) + offset
        else:  # outline of the cells: down on the left, up on the right
            steps = np.repeat(keys, 2) + np.tile([-0.5, 0.5], len(keys))
            first = np.column_stack((np.repeat(keys, 2) - 0.5, steps + offset))
            second = np.column_stack((np.repeat(keys, 2) + 0.5, steps + offset))[::-1]
            x, y = np.concatenate((first, second, first[:1])).T
        for colour, width in STROKES:
            panel.plot(x, y, color=colour, linewidth=width * canvas.scale, **look)


def marked_offset(length: int) -> int:
    """Return the offset to mark, a round number, or 0 for few positions."""
    if length < FEWEST:
        return 0
    about = max(2.0, SHARE * length)
    power = 10 ** floor(log10(about))
    return int(max(step * power for step in (1, 2, 5) if step * power <= about))


def visible_columns(encoding: Harmonic, length: int) -> Array:
    """Return up to SLICES columns whose waves are visible over the length, shape (n,), from fast to slow.

    They are sines, some of them with the cosine of the same pair.
    """
    waves = encoding.wavelengths()
    order = np.argsort(waves, kind="stable")
    seen = order[(waves[order] >= SEEN[0] * length) & (waves[order] <= SEEN[1] * length)]
    order = seen if seen.size else order
    low, high = np.searchsorted(waves[order], [FINEST * length, COARSEST * length])
    first = max(0, min(low, len(order) - SLICES + 1))
    last = min(len(order) - 1, max(high, first + SLICES - 2))
    pairs = order[np.unique(np.linspace(first, last, SLICES - 1).round().astype(int))].tolist()
    middle = (SLICES - 1) // 2
    twice = [pair for pair in pairs[middle::-1] if waves[pair] <= FALLS * length][: SLICES - len(pairs)]
    columns = {wave: column for column, wave in enumerate(encoding.waves())}
    wanted = [(wave, pair) for pair in pairs for wave in ("sin", "cos")[: 1 + (pair in twice)]]
    return np.array([columns[wave] for wave in wanted if wave in columns])


def _largest_offset(view: View[Harmonic]) -> float:
    """Return the largest offset, which is the upper end of the colour scale of offsets."""
    return max(1.0, view.positions.length - 1.0)


def _offsets(view: View[Harmonic]) -> Positions:
    """Return the offsets −(L − 1) … L − 1 of the positions shown."""
    length = view.positions.length
    return Positions(start=1 - length, length=2 * length - 1)
