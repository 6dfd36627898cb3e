"""What a head adds to the score of every query and key: one matrix a head, under one scale."""

from __future__ import annotations

from dataclasses import dataclass
from math import isclose, log, prod
from typing import Any, ClassVar

from pecli.analysis import chosen_indices, refuse_unused
from pecli.core.errors import UsageError, option_text
from pecli.core.language import join_title, say
from pecli.core.lazy import Array, Axes, np
from pecli.core.numbers import MAX_EXACT, ROUNDING, number_text
from pecli.core.options import option
from pecli.encodings.base import BiasEncoding
from pecli.encodings.biases import T5, Alibi
from pecli.figures.base import ColouredNumbers, Numbers, View, averaging, extremes_of_offsets
from pecli.figures.highlights import WithTrained, border_beyond, border_text, mark_beyond
from pecli.figures.matrix import WithCellNumbers, hatch, show_matrix
from pecli.files.sheet import aside, over
from pecli.measures.reduce import envelope, even_edges, means_of_finite, middles
from pecli.measures.summary import summary_of_offsets
from pecli.page.axis_labels import label_positions, label_powers, label_values
from pecli.page.canvas import Canvas
from pecli.page.colors import NAMED_INK, headline_ink, text_color_on
from pecli.page.lines import frame_lines, key, plot_run, shades
from pecli.page.panels import ColorBar, Panel, PanelGroup, in_columns

PANELS = 8  # heads that are drawn where none are asked for
FADED = 1e5  # times the smallest weight that the axis shows is the largest
SLIGHT = log(100)  # lowered by so much a score has a hundredth of its weight: a key is seen where it has more
FAINT = -10.0  # lowered by so much a score keeps a 20,000th of its weight: colours are for what is above


@dataclass(frozen=True, kw_only=True)
class BiasNumbers(ColouredNumbers[BiasEncoding]):
    """The bias of heads, query down, key across.

    seen : how far back each head has a key of at least a hundredth of the heaviest one's weight; ahead : and after
    the query
    """

    bias: Array = over("head", "query", "key", across="head")  # NaN where the query does not see the key
    by_colour: Array = aside("head", "query", "key")  # what colours stand for: of a bucket number that of its distance
    heads: Array = over("head")
    positions: Array = over(each=("query", "key"))  # the mean position of each row and column
    block: int = aside()  # positions a row
    apart: int  # how many of the nearest offsets have a value each, where farther ones share it, else 0
    seen: tuple[int, ...]
    ahead: tuple[int, ...] = aside()
    reach: tuple[int, ...]  # of each head, how many positions back it is before the bias is below the colours
    smallest: float
    largest: float
    trained: int | None

    def coloured(self) -> list[Array]:
        return [*self.sample] or [self.by_colour]

    @property
    def all_back(self) -> int:
        """How far back the first position is from the last."""
        return self.view.positions.length - 1

    @property
    def by_bucket(self) -> bool:
        """Whether it is shown which distances share a number; else how far back heads see, where that ends."""
        return not self.view.encoding.known or min(self.seen) == self.all_back

    def message(self) -> str:
        """Return how far heads see, or beyond which distance several share a number."""
        if self.by_bucket:
            what = say(self.view.encoding.quantity)
            return say("bias.beyond_distance_share", last=self.apart - 1, what=what) if self.apart else ""
        if ratio := self._ratio():
            twice = "bias.each_head_sees_twice" if isclose(ratio, 2) else "bias.each_head_sees_times"
            return say(twice, ratio=number_text(ratio, 3))
        heads, few, many = self.heads.tolist(), int(np.argmin(self.seen)), int(np.argmax(self.seen))
        if self.seen[few] == self.seen[many]:
            return say("bias.beyond_distance_slight", last=self.seen[few])
        ends = {"few": self.seen[few], "first": heads[few], "many": self.seen[many], "last": heads[many]}
        if self.seen[many] == self.all_back:
            return say("bias.head_sees_to_all", **ends, count=self.view.positions.length)
        return say("bias.head_sees_to", **ends)

    def _ratio(self) -> float:
        """Return how many times as far each head sees as the one before; 0 where that differs, or is less."""
        if not isinstance(self.view.encoding, Alibi) or len(self.heads) < 2 or (np.diff(self.heads) != 1).any():
            return 0.0
        slopes = self.view.encoding.slopes()[self.heads]
        ratios = slopes[:-1] / slopes[1:]
        return float(ratios[0]) if ratios[0] > 1 and np.allclose(ratios, ratios[0]) else 0.0

    def remarks(self) -> list[str]:
        shown, heads = len(self.heads), self.view.encoding.n_heads
        count = say("bias.of_heads", count=shown, all=heads) if shown < heads else ""
        return [count, averaging(self.block)]

    def marks(self) -> list[str]:
        encoding, sides = self.view.encoding, ""
        if isinstance(encoding, T5) and not encoding.known and not encoding.causal:
            sides = say("bias.bucket_of_a_key_after", more=encoding.buckets_each)
        line = "" if self.by_bucket else say("bias.line_weighs_less")
        hidden = say("bias.hatched_causal_mask") if np.isnan(self.bias).any() else ""
        return [line, hidden, sides, border_text(self.trained)]

    def reach_text(self, at: int) -> str:
        """Return how far a head of several sees, for its panel's title; nothing where all see all."""
        if self.by_bucket or self.view.encoding.n_heads == 1:
            return ""
        back, ahead = self.seen[at], self.ahead[at]
        if back == self.all_back:
            return say("bias.all")
        return say("bias.either_side" if ahead == back else "bias.back", count=back)


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
        named = self._bar_names(view)
        label = say("bias.distance" if named else view.encoding.quantity)
        bar = ColorBar(label, tuple([*named][:3]) or None, names=tuple(named.items()))
        side = 4.5 if canvas.narrow else 6.0  # ems: the ends of an axis
        several = view.encoding.known and view.encoding.n_heads > 1
        panel = Panel(1.0, exact=True, least=(side, side), bar=bar, x=shown, y=shown, said_right=several)
        grids = in_columns(count := len(self.shown_heads(view)))
        full = tuple(grid for grid in grids if len(grid[-1]) == len(grid[0]))
        return [PanelGroup((panel,) * count, full if len(full) > 2 else grids)]  # of a prime number none is full

    def _bar_names(self, view: View[BiasEncoding]) -> dict[float, str]:
        """Return the distance at the first bucket, the last that a distance has alone, the last and the last shown."""
        encoding, most = view.encoding, view.positions.length - 1
        if not isinstance(encoding, T5) or encoding.known:
            return {}
        shown = float(encoding.bucket(np.array([float(most)]))[0])
        alone, last = encoding.exact - 1, encoding.buckets_each - 1
        fixed = {0.0: "0", float(alone): f"{alone:,}", float(last): f"{encoding.last_from:,}+"}
        return {**fixed, **({shown: f"{most:,}"} if shown not in fixed else {})}

    def decorate(self, view: View[BiasEncoding], axes: list[Axes], canvas: Canvas) -> None:
        if self.softmax:
            self._decorate_weights(view, axes[0], canvas)
            return
        first, last = view.positions.start - 0.5, view.positions.stop - 0.5
        for panel, head in zip(axes, self.shown_heads(view), strict=True):
            panel.set(xlim=(first, last), ylim=(last, first))
            if view.encoding.n_heads > 1:
                _put_title(view.encoding, int(head), panel, canvas)
            label_positions(panel.xaxis, view.encoding, "words.key_q")
            label_positions(panel.yaxis, view.encoding, "words.query_p")

    def title(self, view: View[BiasEncoding]) -> str:
        encoding, slopes = view.encoding, ""
        if isinstance(encoding, Alibi) and encoding.n_heads > 1 and not self.softmax:
            order = sorted(self.shown_heads(view).tolist(), key=lambda head: -encoding.slopes()[head])
            slopes = say("bias.slopes", first=encoding.slope_text(order[0]), last=encoding.slope_text(order[-1]))
        return join_title([super().title(view), slopes])

    def fit(self, view: View[BiasEncoding], axes: list[Axes], canvas: Canvas) -> None:
        from pecli.page.bands import place_bands
        from pecli.page.titles import place_titles

        super().fit(view, axes, canvas)
        place_titles(axes, canvas)
        for panel in axes:
            place_bands(panel, canvas)

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
        coloured = distances_of_buckets(view.encoding, by_offset)
        seen = coloured[np.isfinite(coloured)]
        low, high = float(seen.min()), float(seen.max())  # before any averaging
        signed, reach = low < 0 < high, max(-low, high)
        low_end, high_end = (-reach, reach) if signed else (max(low, FAINT), high if high > low else low + 1)
        low_end = low_end if self.lowest is None else self.lowest
        if low_end >= high_end:
            allowed = f"less than the upper end of the colours, {number_text(high_end)}"
            raise UsageError(option="lowest", value=self.lowest, allowed=allowed)
        back, ahead = by_offset[:, blocks.length - 1 :], by_offset[:, blocks.length - 1 :: -1]
        heavy = by_offset.max(axis=1, keepdims=True) - SLIGHT - ROUNDING
        same = (np.diff(back, axis=1) == 0).all(axis=0)
        bias = np.stack([means_of_finite(run, blocks) for run in by_offset])
        shown = bias if coloured is by_offset else np.stack([means_of_finite(run, blocks) for run in coloured])
        return BiasNumbers(
            view=view,
            bias=bias,
            heads=heads,
            positions=blocks.centres(),
            block=blocks.size,
            by_colour=shown,
            seen=_last(back >= heavy),
            ahead=_last(ahead >= heavy),
            apart=int(same.argmax()) if same.any() else 0,
            reach=tuple(np.where(back >= low_end, np.arange(blocks.length), -1).max(axis=1).tolist()),
            smallest=low,
            largest=high,
            trained=self.trained,
            ends=(low_end, high_end),
            sample=tuple(summary_of_offsets(run).sample for run in coloured),
        )

    def draw(self, numbers: Any, axes: list[Axes], canvas: Canvas) -> list[Any]:
        if self.softmax:
            _draw_weights(numbers, axes[0], canvas)
            return [None]
        from pecli.page.titles import add_at_end_of_title

        encoding, signed = numbers.view.encoding, numbers.ends[0] < 0 < numbers.ends[1]
        first = numbers.view.positions.start - 0.5
        last = first + len(numbers.positions) * numbers.block
        kind = "diverging" if signed else "amount" if encoding.known else "distance"
        look: dict[str, Any] = {"extent": (first, last, last, first), "extremes": (numbers.smallest, numbers.largest)}
        look |= {
            "colours": canvas.colours(kind),
            "limits": numbers.ends,
            "centred": signed,
            "steps": not encoding.known,
        }
        images = [show_matrix(panel, values, **look) for panel, values in zip(axes, numbers.by_colour, strict=True)]
        for at, (panel, image) in enumerate(zip(axes, images, strict=True)):
            if np.isnan(numbers.bias[at]).any():
                hatch(panel)
            ink = headline_ink() if signed else NAMED_INK
            draw_reach(numbers, at, panel, canvas, ink)
            if text := numbers.reach_text(at):
                add_at_end_of_title(panel, text, canvas, color=NAMED_INK, weight="medium")
            if not encoding.known and not image.numbers:
                add_bands(numbers, panel, image, canvas)
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


def _last(seen: Array) -> tuple[int, ...]:
    """Return the last distance that is seen, of each row; 0 where none is."""
    return tuple(np.where(seen, np.arange(seen.shape[1]), 0).max(axis=1).tolist())


def distances_of_buckets(encoding: BiasEncoding, by_offset: Array) -> Array:
    """Return the numbers of buckets as those of distances: those of keys after the query as of keys before it."""
    if not isinstance(encoding, T5) or encoding.known or encoding.causal:
        return by_offset
    return by_offset % encoding.buckets_each


def _put_title(encoding: BiasEncoding, head: int, panel: Axes, canvas: Canvas) -> None:
    """Put the name of a head above its panel, and behind it what makes it differ; a narrow page has a line for how far
    it sees."""
    from pecli.page.titles import add_behind_title

    name = say("encoding.head_head", head=head)
    panel.set_title(f"{name}\n " if canvas.narrow and encoding.known else name, fontsize=canvas.small)
    own = encoding.head_text(head).removeprefix(name).lstrip(",， ")
    if own:
        short = own if "=" in own else own.rpartition(" ")[2]  # 1/2 of a slope of 1/2
        add_behind_title(panel, [f" · {short}"], canvas)


def draw_reach(numbers: BiasNumbers, at: int, panel: Axes, canvas: Canvas, ink: str) -> None:
    """Draw lines from corner to corner beyond the last distance that a head sees, or that has a bucket of its own."""
    back, ahead, end = numbers.seen[at], numbers.ahead[at], numbers.all_back
    if numbers.by_bucket:
        back = numbers.apart - 1 if numbers.apart else end
        ahead = back
    hidden = np.isnan(numbers.bias[at]).any()
    low, high = numbers.view.positions.start - 0.5, numbers.view.positions.stop - 0.5
    look: dict[str, Any] = {"color": ink, "linewidth": canvas.scale, "zorder": 2, "solid_capstyle": "butt"}
    if back < end:
        panel.plot([low, high - back - 0.5], [low + back + 0.5, high], **look)
    if ahead < end and not hidden:
        panel.plot([low + ahead + 0.5, high], [low, high - ahead - 0.5], **look)


def add_bands(numbers: BiasNumbers, panel: Axes, image: Any, canvas: Canvas) -> None:
    """Name the bands of distances that share a bucket along the diagonal, and between the lines those that do not."""
    from pecli.page.bands import add_band

    encoding: Any = numbers.view.encoding
    if not numbers.apart:
        return
    reach = numbers.apart - 1
    middle = text_color_on(image, reach / 2)
    add_band(panel, 0 if encoding.causal else -reach, reach, say("bias.a_bucket_each", last=reach), middle, canvas)
    offsets = np.arange(numbers.all_back + 1.0)
    buckets = encoding.bucket(offsets)
    for bucket in range(int(buckets[reach]) + 1, int(buckets[-1]) + 1):
        first, last = np.flatnonzero(buckets == bucket)[[0, -1]].tolist()
        ink = text_color_on(image, bucket)
        beyond = bucket == encoding.buckets_each - 1
        text = say("bias.distances_from" if beyond else "words.first_to_last", first=first, last=last)
        add_band(panel, first, last, text, ink, canvas)
        if not encoding.causal:
            add_band(panel, -last, -first, say("bias.bucket", bucket=bucket + encoding.buckets_each), ink, canvas)
