"""What a head adds to the score of every query and key: one matrix a head, under one scale."""

from __future__ import annotations

from dataclasses import dataclass
from math import prod
from typing import TYPE_CHECKING, Any, ClassVar

from pecli.analysis import check_indices
from pecli.core.errors import UsageError
from pecli.core.language import phrase, template
from pecli.core.lazy import Array, np
from pecli.core.numbers import LARGEST, chunks, minus, number_text
from pecli.core.options import option
from pecli.core.positions import Blocks
from pecli.core.terminal import track
from pecli.encodings.base import BiasEncoding
from pecli.figures.axis_labels import label_positions
from pecli.figures.base import ColouredNumbers, View, averaging
from pecli.figures.canvas import Canvas
from pecli.figures.colors import colours_not_dark
from pecli.figures.matrix import WithCellNumbers, show_matrix
from pecli.figures.panels import Bar, Panel, PanelGroup, in_columns
from pecli.measures.reduce import means_of_signed_offsets

if TYPE_CHECKING:
    from matplotlib.axes import Axes

PANELS = 8  # heads that are drawn where none are asked for
FAINT = -10.0  # lowered by so much a score keeps a 20,000th of its weight: colours are for what is above


@dataclass(frozen=True, kw_only=True)
class BiasNumbers(ColouredNumbers[BiasEncoding]):
    """bias : (heads, n, n), query down, key across, NaN where the query does not see the key; heads : (heads,), their
    numbers; positions : (n,), the mean position of each row and column; block : positions a row; apart : how many of
    the nearest offsets have a value each, where farther ones share it, else 0; reach : of each head, how many positions
    back it is before the bias is below the colours."""

    main_array: ClassVar[str] = "bias"
    row_coordinates: ClassVar[tuple[str, ...]] = ("heads",)

    bias: Array
    heads: Array
    positions: Array
    block: int
    apart: int
    reach: tuple[int, ...]
    smallest: float
    largest: float

    def message(self) -> str:
        """How far heads look where it is farther from each to the next, or which offsets a head tells apart."""
        means = np.nanmean(self.bias, axis=(1, 2))
        farther = len(means) > 1 and (np.diff(self.heads) > 0).all() and (np.diff(means) > 0).all()
        last = self.view.positions.length - 1
        if farther and self.reach[0] < self.reach[-1] < last:
            said = template(
                "the higher a head's number, the farther back it looks: {first} to {last} of {count} positions"
            )
            ends = {"first": self.reach[0], "last": self.reach[-1], "count": self.view.positions.length}
            return phrase(said, **{name: number_text(number) for name, number in ends.items()})
        if farther and (self.reach[0] < self.reach[-1] or self.reach[0] >= last):  # else all look alike
            return phrase("the higher a head's number, the farther back it looks")
        what = phrase(self.view.encoding.quantity)
        said = template("each distance up to {last} has a {what} of its own, farther ones share theirs")
        return phrase(said, last=self.apart - 1, what=what) if self.apart else ""

    def remarks(self) -> list[str]:
        end = minus(f"{self.ends[0]:g}")
        lower = phrase("colours end at {number}", number=end) if self.smallest < self.ends[0] else ""
        narrow = phrase("what heads look at is narrower than a pixel: fewer positions show it")
        return [self._share(), averaging(self.block), lower, narrow if max(self.reach) < self.block > 1 else ""]

    def marks(self) -> list[str]:
        return [phrase("blank: keys that a query does not see")] if np.isnan(self.bias).any() else []

    def _share(self) -> str:
        """How many of the heads are shown; nothing where all are."""
        count, every = len(self.heads), self.view.encoding.n_heads
        return phrase("{count} of {all} heads", count=count, all=every) if count < every else ""

    def sheet(self) -> tuple[list[str], list[Array]]:
        """One row a pair of positions: query, key, then the heads."""
        places = np.indices(self.bias.shape[1:]).reshape(2, -1)
        parts = [*self.positions[places], *self.bias.reshape(len(self.heads), -1)]
        return ["query", "key", *(f"head {head}" for head in self.heads)], parts


@dataclass(frozen=True)
class Bias(WithCellNumbers[BiasEncoding]):
    """The bias of chosen heads, query down and key across.

    Notes
    -----
    It depends on the offset alone, so every panel is constant along its diagonals. What counts is how fast it falls:
    a score that is lowered by 5 has less than a hundredth of its weight left.
    """

    name: ClassVar[str] = "bias"
    requires: ClassVar[Any] = BiasEncoding
    summary: ClassVar[str] = "What heads add to the score of every query and key, under one scale"
    defines: ClassVar[str] = (
        "what a head adds to the score of query p and key q before the softmax, of p − q alone; blank where "
        "the query does not see the key"
    )
    counts_positions: ClassVar[bool] = True
    example: ClassVar[str] = "pecli bias -e alibi:heads=8 --lowest -20"
    examples: ClassVar[tuple[str, ...]] = ("pecli bias t5 -n 128",)
    default_encoding: ClassVar[str] = "alibi"

    head: tuple[int, ...] | None = option(
        None, "the heads, one panel each", at_least=0, unset=f"{PANELS} at most, first to last"
    )
    lowest: float | None = option(
        None,
        "the bias at which the colours end",
        at_least=-LARGEST,
        unset=f"the smallest shown, but not below {FAINT:g}",
    )

    def shown_heads(self, view: View[BiasEncoding]) -> Array:
        """The heads that are drawn."""
        count = view.encoding.n_heads
        check_indices("head", self.head, view, count, "heads")
        if self.head is not None:
            return np.array(self.head)
        return np.unique(np.linspace(0, count - 1, min(count, PANELS)).round().astype(int))

    def check_view(self, view: View[BiasEncoding]) -> None:
        super().check_view(view)
        self.shown_heads(view)

    def panel_groups(self, view: View[BiasEncoding], canvas: Canvas) -> list[PanelGroup]:
        shown = ("positions", view.positions)
        panel = Panel(1.0, exact=True, least=(6.0, 6.0), bar=Bar(phrase(view.encoding.quantity)), x=shown, y=shown)
        grids = in_columns(count := len(self.shown_heads(view)))
        full = tuple(grid for grid in grids if len(grid[-1]) == len(grid[0]))
        return [
            PanelGroup((panel,) * count, full if len(full) > 2 else grids)
        ]  # a prime number has no full rows but one

    def decorate(self, view: View[BiasEncoding], axes: list[Axes], canvas: Canvas) -> None:
        encoding, rows = view.encoding, view.positions
        first, last = rows.start - 0.5, rows.stop - 0.5
        for one, head in zip(axes, self.shown_heads(view), strict=True):
            one.set(xlim=(first, last), ylim=(last, first))
            one.set_title(encoding.head_text(int(head)), fontsize=canvas.small)
            label_positions(one.xaxis, encoding, template("key q"))
            label_positions(one.yaxis, encoding, template("query p"))

    def blocks(self, view: View[BiasEncoding]) -> Blocks:
        """The runs of positions that a row and a column stand for."""
        return view.positions.blocks(view.pixel_side)

    def shape(self, view: View[BiasEncoding]) -> tuple[int, ...]:
        heads, count = len(self.shown_heads(view)), self.blocks(view).count
        return max((heads, count, count), (view.encoding.n_heads, 2 * view.positions.length), key=prod)

    def compute(self, view: View[BiasEncoding]) -> BiasNumbers:
        blocks, heads = self.blocks(view), self.shown_heads(view)
        parts = chunks(1 - blocks.length, blocks.length, view.encoding.n_heads)
        offsets = (np.arange(part.start, part.stop, dtype=np.float64) for part in track(parts, "following offsets"))
        by_offset = np.hstack([view.encoding.bias(part)[heads] for part in offsets])
        values = np.stack([means_where_seen(one, blocks) for one in by_offset])
        seen = by_offset[np.isfinite(by_offset)]  # colours end where they do with every position in a pixel of its own
        low, high = float(seen.min()), float(seen.max())
        reach = max(-low, high) or 1.0
        low_end, high_end = (-reach, reach) if low < 0 < high else (max(low, FAINT), high if high > low else low + 1)
        ends = (low_end if self.lowest is None else self.lowest, high_end)
        if ends[0] >= high_end:
            allowed = f"less than the upper end of the colours, {number_text(high_end)}"
            raise UsageError(option="lowest", value=self.lowest, allowed=allowed)
        return BiasNumbers(
            view=view,
            bias=values,
            heads=heads,
            positions=blocks.centres(),
            block=blocks.size,
            apart=told_apart(by_offset[:, blocks.length - 1 :]),
            reach=tuple(reaches(by_offset[:, blocks.length - 1 :], ends[0])),
            smallest=low,
            largest=high,
            ends=ends,
        )

    def draw(self, numbers: BiasNumbers, axes: list[Axes], canvas: Canvas) -> list[Any]:
        rows, signed = numbers.view.positions, numbers.ends[0] < 0 < numbers.ends[1]
        first, last = rows.start - 0.5, rows.start - 0.5 + len(numbers.positions) * numbers.block
        colours: Any = canvas.colours("diverging" if signed else "sequential")
        if np.isnan(numbers.bias).any():  # what is blank shows the panel
            colours = colours_not_dark(colours, axes[0])
        look: dict[str, Any] = {"colours": colours, "centred": signed}
        images = [
            show_matrix(one, values, limits=numbers.ends, extent=(first, last, last, first), **look)
            for one, values in zip(axes, numbers.bias, strict=True)
        ]
        self.write_numbers(axes, images, canvas)
        return images


def told_apart(rows: Array) -> int:
    """How many of the first columns differ from the next, shape (heads, n); 0 where all do."""
    same = (np.diff(rows, axis=1) == 0).all(axis=0)
    return int(same.argmax()) if same.any() else 0


def reaches(rows: Array, lowest: float) -> list[int]:
    """The last column of each row that is not below that, shape (heads, n); -1 where all are."""
    columns = np.arange(rows.shape[1])
    found: list[int] = np.where(rows >= lowest, columns, -1).max(axis=1).tolist()
    return found


def means_where_seen(run: Array, blocks: Blocks) -> Array:
    """Block means of what is finite of the matrix with entries run[L − 1 + p − q]; NaN where nothing is."""
    seen = np.isfinite(run)
    values = np.where(seen, run, 0.0)
    if blocks.size == 1:
        steps = np.arange(blocks.length)
        place = steps[:, None] - steps + blocks.length - 1
        return np.where(seen, values, np.nan)[place]
    share = means_of_signed_offsets(seen.astype(np.float64), blocks)
    return means_of_signed_offsets(values, blocks) / np.where(share > 0, share, np.nan)
