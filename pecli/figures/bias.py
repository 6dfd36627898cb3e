"""What a head adds to the score of every query and key: one matrix a head, under one scale."""

from __future__ import annotations

from dataclasses import dataclass
from math import prod
from typing import Any, ClassVar

from pecli.analysis import chosen_indices, refuse_unused
from pecli.core.errors import UsageError, option_text
from pecli.core.language import say
from pecli.core.lazy import Array, Axes, np
from pecli.core.numbers import MAX_EXACT, ROUNDING, number_text
from pecli.core.options import option
from pecli.encodings.base import BiasEncoding
from pecli.encodings.biases import T5, Alibi
from pecli.figures.base import ColouredNumbers, Numbers, View, averaging, extremes_of_offsets
from pecli.figures.highlights import WithTrained, border_beyond, border_text, mark_beyond
from pecli.figures.matrix import WithCellNumbers, show_matrix
from pecli.files.sheet import aside, over
from pecli.measures.reduce import envelope, even_edges, means_of_finite, middles
from pecli.measures.summary import summary_of_offsets
from pecli.page.axis_labels import label_positions, label_powers, label_values
from pecli.page.canvas import Canvas
from pecli.page.lines import frame_lines, key, plot_run, shades
from pecli.page.panels import ColorBar, Panel, PanelGroup, in_columns

PANELS = 8  # heads that are drawn where none are asked for
FADED = 1e5  # times the smallest weight that the axis shows is the largest
FAINT = -10.0  # lowered by so much a score keeps a 20,000th of its weight: colours are for what is above


@dataclass(frozen=True, kw_only=True)
class BiasNumbers(ColouredNumbers[BiasEncoding]):
    """The bias of heads, query down, key across."""

    bias: Array = over("head", "query", "key", across="head")  # NaN where the query does not see the key
    heads: Array = over("head")
    positions: Array = over(each=("query", "key"))  # the mean position of each row and column
    block: int = aside()  # positions a row
    apart: int  # how many of the nearest offsets have a value each, where farther ones share it, else 0
    reach: tuple[int, ...]  # of each head, how many positions back it is before the bias is below the colours
    smallest: float
    largest: float
    trained: int | None

    def message(self) -> str:
        """Return how far heads look where that grows from each to the next, or which offsets a head tells apart."""
        if isinstance(self.view.encoding, Alibi) and min(len(self.heads), self.view.positions.length) > 1:
            return say("bias.the_smaller_the_slope")
        both = "bias.each_distance_from_1"
        text = both if np.isfinite(self.view.encoding.bias(np.array([-1.0]))).any() else "bias.each_distance_up_to"
        return say(text, last=self.apart - 1, what=say(self.view.encoding.quantity)) if self.apart else ""

    def remarks(self) -> list[str]:
        shown, heads = len(self.heads), self.view.encoding.n_heads
        count = say("bias.of_heads", count=shown, all=heads) if shown < heads else ""
        return [count, averaging(self.block)]

    def marks(self) -> list[str]:
        encoding, sides = self.view.encoding, ""
        if isinstance(encoding, T5) and not encoding.known and not encoding.causal:
            each = encoding.buckets // 2
            sides = say("bias.buckets_0_to_the", half=each - 1, next=each, last=2 * each - 1)
        return [sides, border_text(self.trained)]


@dataclass(frozen=True, kw_only=True)
class WeightNumbers(Numbers[BiasEncoding]):
    """The largest and smallest weight of a key at each run of distances, a line a head."""

    weight: Array = over("line", "distance")
    heads: Array = over("line")
    low: Array = aside("line", "distance")
    distances: Array = over("distance")  # the middles of runs
    half: tuple[int, ...]  # of each head, the nearest keys that have half of the weight
    block: int = aside()

    def message(self) -> str:
        few, many = int(np.argmin(self.half)), int(np.argmax(self.half))
        if self.half[few] == self.half[many]:
            one, more = "bias.at_least_half_of_the_weight", self.half[few] > 1
            return say("bias.at_least_half_of_the" if more else one, count=self.half[few])
        ends = {"count": self.half[few], "first": self.heads[few], "many": self.half[many], "last": self.heads[many]}
        return say("bias.at_least_half_of", **ends)

    def remarks(self) -> list[str]:
        position = self.view.encoding.position_text(self.view.positions.stop - 1)
        nearer = say("bias.dots_at_least_half")
        query = say("bias.query_at_position_scores", position=position)
        return [nearer, query, extremes_of_offsets(self.block)]


@dataclass(frozen=True)
class Bias(WithCellNumbers[BiasEncoding], WithTrained[BiasEncoding]):
    """The bias of chosen heads, query down and key across.

    Notes
    -----
    It depends on the offset alone, so every panel is constant along its diagonals. What counts is how fast it falls:
    a score that is lowered by 5 has less than a hundredth of its weight left.
    """

    name: ClassVar[str] = "bias"
    requires: ClassVar[Any] = BiasEncoding
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
        None, "bias at which colours end", at_least=-MAX_EXACT, unset=f"the smallest shown, but not below {FAINT:g}"
    )

    softmax: bool = option(False, "the weight of keys by distance, one line a head: the softmax of the bias alone")

    def shown_heads(self, view: View[BiasEncoding]) -> Array:
        """Return the heads that are drawn."""
        return chosen_indices("head", self.head, view, view.encoding.n_heads, "heads", PANELS)

    def check_view(self, view: View[BiasEncoding]) -> None:
        super().check_view(view)
        self.shown_heads(view)
        self.check_trained(view.positions)
        if self.softmax:
            matrices = {"lowest", "numbers", "no_numbers"} & self.changed().keys()
            refuse_unused({name: getattr(self, name) for name in matrices}, "--softmax draws lines")
            if not view.encoding.known:
                text = f"--softmax needs biases, and {view.encoding.name} without a file has buckets alone"
                raise UsageError(text, option="softmax", advice=f"give {option_text('file', 'model.safetensors')}")

    def panel_groups(self, view: View[BiasEncoding], canvas: Canvas) -> list[PanelGroup]:
        shown = ("positions", view.positions)
        if self.softmax:
            return [PanelGroup((Panel(0.55, x=shown, ends="weight"),))]
        bar = ColorBar(say(view.encoding.quantity))
        panel = Panel(1.0, exact=True, least=(6.0, 6.0), bar=bar, x=shown, y=shown)
        grids = in_columns(count := len(self.shown_heads(view)))
        full = tuple(grid for grid in grids if len(grid[-1]) == len(grid[0]))
        return [PanelGroup((panel,) * count, full if len(full) > 2 else grids)]  # of a prime number none is full

    def decorate(self, view: View[BiasEncoding], axes: list[Axes], canvas: Canvas) -> None:
        if self.softmax:
            self._decorate_weights(view, axes[0], canvas)
            return
        first, last = view.positions.start - 0.5, view.positions.stop - 0.5
        for panel, head in zip(axes, self.shown_heads(view), strict=True):
            panel.set(xlim=(first, last), ylim=(last, first))
            if view.encoding.n_heads > 1:
                panel.set_title(view.encoding.head_text(int(head)), fontsize=canvas.small)
            label_positions(panel.xaxis, view.encoding, "words.key_q")
            label_positions(panel.yaxis, view.encoding, "words.query_p")

    def _decorate_weights(self, view: View[BiasEncoding], panel: Axes, canvas: Canvas) -> None:
        frame_lines(panel, 0, view.positions.length - 1)
        panel.set_yscale("log")
        label_values(panel.xaxis, say("bias.distance_of_the_key"), integer=True)
        label_powers(panel.yaxis, say("bias.attention_weight"))
        heads = self.shown_heads(view)
        key(
            panel,
            list(zip(map(view.encoding.head_text, heads.tolist()), shades(len(heads), panel, canvas), strict=True)),
        )
        mark_beyond(panel, self.trained, canvas)

    def shape(self, view: View[BiasEncoding]) -> tuple[int, ...]:
        heads, count = len(self.shown_heads(view)), view.positions.blocks(view.pixel_side).count
        return max((heads, count, count), (view.encoding.n_heads, 2 * view.positions.length), key=prod)

    def compute(self, view: View[BiasEncoding]) -> BiasNumbers | WeightNumbers:
        return self._weights(view) if self.softmax else self._biases(view)

    def _weights(self, view: View[BiasEncoding]) -> WeightNumbers:
        heads, length = self.shown_heads(view), view.positions.length
        bias = view.encoding.bias(np.arange(length, dtype=np.float64))[heads]
        weights = np.exp(bias - bias.max(axis=1, keepdims=True))
        weights /= weights.sum(axis=1, keepdims=True)
        edges = even_edges(length, view.line_points)
        low, high, _ = envelope(lambda first, count: weights[:, first : first + count], edges, len(heads))
        return WeightNumbers(
            view=view,
            weight=high,
            heads=heads,
            low=low,
            distances=middles(edges),
            half=tuple((1 + (weights.cumsum(axis=1) < 0.5 - ROUNDING).sum(axis=1)).tolist()),
            block=int(edges[1]),
        )

    def _biases(self, view: View[BiasEncoding]) -> BiasNumbers:
        blocks, heads = view.positions.blocks(view.pixel_side), self.shown_heads(view)
        by_offset = view.encoding.bias(np.arange(1 - blocks.length, blocks.length, dtype=np.float64))[heads]
        seen = by_offset[np.isfinite(by_offset)]
        low, high = float(seen.min()), float(seen.max())  # before any averaging
        signed, reach = low < 0 < high, max(-low, high)
        low_end, high_end = (-reach, reach) if signed else (max(low, FAINT), high if high > low else low + 1)
        low_end = low_end if self.lowest is None else self.lowest
        if low_end >= high_end:
            allowed = f"less than the upper end of the colours, {number_text(high_end)}"
            raise UsageError(option="lowest", value=self.lowest, allowed=allowed)
        back = by_offset[:, blocks.length - 1 :]
        same = (np.diff(back, axis=1) == 0).all(axis=0)
        return BiasNumbers(
            view=view,
            bias=np.stack([means_of_finite(run, blocks) for run in by_offset]),
            heads=heads,
            positions=blocks.centres(),
            block=blocks.size,
            apart=int(same.argmax()) if same.any() else 0,
            reach=tuple(np.where(back >= low_end, np.arange(blocks.length), -1).max(axis=1).tolist()),
            smallest=low,
            largest=high,
            trained=self.trained,
            ends=(low_end, high_end),
            sample=tuple(summary_of_offsets(run).sample for run in by_offset),
        )

    def draw(self, numbers: Any, axes: list[Axes], canvas: Canvas) -> list[Any]:
        if self.softmax:
            _draw_weights(numbers, axes[0], canvas)
            return [None]
        signed, first = numbers.ends[0] < 0 < numbers.ends[1], numbers.view.positions.start - 0.5
        last = first + len(numbers.positions) * numbers.block
        colours = canvas.colours("diverging" if signed else "sequential")
        look: dict[str, Any] = {"extent": (first, last, last, first), "extremes": (numbers.smallest, numbers.largest)}
        look["steps"] = not numbers.view.encoding.known
        images = [
            show_matrix(panel, values, colours=colours, limits=numbers.ends, centred=signed, **look)
            for panel, values in zip(axes, numbers.bias, strict=True)
        ]
        self.write_numbers(axes, images, canvas)
        if self.trained is not None:
            start = numbers.view.positions.start + self.trained - 0.5  # the first position that far from the first
            ends = numbers.view.positions.start - 0.5, numbers.view.positions.stop - 0.5
            for panel in axes:
                border_beyond(panel, (ends[0], ends[1] - self.trained), (start, ends[1]), canvas)
        return images


def _draw_weights(numbers: WeightNumbers, panel: Axes, canvas: Canvas) -> None:
    """Draw the weights; the axis ends below a 100,000th of the largest."""
    looks = shades(len(numbers.heads), panel, canvas)
    for low, high, half, look in zip(numbers.low, numbers.weight, numbers.half, looks, strict=True):
        plot_run(panel, numbers.distances, low, high, look)
        weight = float(np.interp(half - 1, numbers.distances, high))
        panel.plot(half - 1, weight, "o", color=look["color"], clip_on=False)
    largest = float(numbers.weight.max())
    panel.set_ylim(max(float(numbers.low.min()), largest / FADED) / 1.5, 1.5 * largest)
