"""A measure, or a bias, against the offset: is it a function of p − q alone?"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

from pecli.analysis import E_co, measure_option, refuse_unused
from pecli.core.errors import UsageError, option_text
from pecli.core.language import enumerated, join_title, listing, say
from pecli.core.lazy import Array, Axes, np
from pecli.core.numbers import ROUNDING, chunks
from pecli.core.options import option
from pecli.core.positions import Positions
from pecli.core.progress import track
from pecli.encodings.base import (
    BiasEncoding,
    Encoding,
    TableEncoding,
    distinguishing_labels,
    full_names,
    short_names,
    title_of_several,
)
from pecli.encodings.harmonic import Harmonic
from pecli.encodings.rope import Rope
from pecli.encodings.rope_scaling import Scaled
from pecli.figures.base import Numbers, View, extremes_of_offsets, tells_of_offsets
from pecli.figures.comparing import Comparing, differing_text, turned_text
from pecli.figures.highlights import WithTrained, mark_beyond, mark_stretch
from pecli.figures.offset_map import (
    OffsetMapNumbers as OffsetMapNumbers,
    decorate_map,
    draw_map,
    map_of_offsets,
    map_panels,
    refuse_on_grid,
)
from pecli.files.sheet import aside, over
from pecli.measures.comparison import OffsetRuns, VectorComparison, comparison_of, seen_bias
from pecli.measures.reduce import check_run, envelope, even_bins, even_edges, log_edges, middles
from pecli.page.axis_labels import in_steps, label_powers, label_values
from pecli.page.canvas import Canvas
from pecli.page.lines import MAX_LINES, Look, bound_look, frame_lines, key, look, plot_run, shades, share_ends
from pecli.page.panels import Panel, PanelGroup, in_columns

MAX_COMPARED = 2048  # offsets of which all random scores are known whatever the picture's size
ALIKE = 1.25  # of these the largest standard deviation over the smallest, to say that they hardly differ


@dataclass(frozen=True, kw_only=True)
class BandNumbers(Numbers[E_co]):
    """A line an encoding and its band at each run of offsets."""

    mean: Array = over("line", "offset")
    encoding: Array = over("line")
    offsets: Array = over("offset")  # the middles of runs
    low: Array = over("line", "offset")
    high: Array = over("line", "offset")


@dataclass(frozen=True, kw_only=True)
class OffsetsNumbers(BandNumbers[TableEncoding]):
    """Mean, minimum and maximum over all pairs at the offsets of a run."""

    decay: Array = over("line", "offset")  # RoFormer's bound on the dot product, or empty
    unscaled: Array = aside("scaled encoding", "offset")  # the measure without the scaling, or empty
    block: int = aside()
    measure: str = aside()
    spread: tuple[float, ...] = over("encoding")  # the widest band over one offset, 0 where it is a line exactly
    undefined: tuple[int, ...] = over("encoding")  # pairs that are left out: a row is constant or zero
    peaks: bool = aside()  # whether every line is largest at offset 0, and nowhere else

    def remarks(self) -> list[str]:
        left_out, counts = (
            ("offsets.pairs_left_out_one" if self.measure == "cos" else "offsets.pairs_left_out_one_row"),
            zip(self.view.encodings, self.undefined, strict=True),
        )
        lost = [say(left_out, encoding=e.called(), count=count) for e, count in counts if count]
        return [say("offsets.each_pixel_mean_minimum", count=self.block) if self.block > 1 else "", *lost]

    def marks(self) -> list[str]:
        wide = any(width > 0 for width in self.spread)
        band = "offsets.line_mean_of_all"
        bound = say("offsets.bound_su_et_al") if len(self.decay) else ""
        dotted = say("offsets.dotted_without_the_scaling") if len(self.unscaled) else ""
        return [say(band) if wide else "", bound, dotted, self._coinciding(), turned_text(self.view.encodings)]

    def _coinciding(self) -> str:
        """Return which encodings have the same line; nothing where none has the first one's."""
        same = [np.allclose(mean, self.mean[0], rtol=ROUNDING, atol=ROUNDING) for mean in self.mean]
        names = [name for name, own in zip(short_names(self.view.encodings), same, strict=True) if own]
        return say("offsets.the_lines_of_coincide", names=enumerated(names)) if sum(same) > 1 else ""

    def message(self) -> str:
        if len(self.decay) and not any(self.spread):  # a theorem about what the offset alone counts for
            return say("offsets.the_dot_product_stays")
        label = comparison_of(self.view.encoding, self.measure).label
        same = ROUNDING * float(np.nanmax(np.abs(self.mean), initial=0.0))
        differ = differing_text(self.view, label, self.spread, same)
        if differ or not any(width >= 0 for width in self.spread) or not tells_of_offsets(self.view):
            return differ
        return say("offsets.the_depends_only_on" if self.peaks else "words.the_depends_only_on", measure=label)


@dataclass(frozen=True, kw_only=True)
class BiasLinesNumbers(Numbers[BiasEncoding]):
    """The largest and smallest bias at each run of offsets, NaN where no key is seen."""

    bias: Array = over("line", "offset")
    low: Array = aside("line", "offset")
    offsets: Array = over("offset")  # the middles of runs
    encoding: Array = over("line")
    head: Array = over("line")
    block: int = aside()
    falls: bool  # whether the bias of every head nowhere rises with the distance, and falls somewhere

    def remarks(self) -> list[str]:
        return [extremes_of_offsets(self.block)]

    def marks(self) -> list[str]:
        return [say("offsets.dark_to_light_heads")] if len(self.head) > MAX_LINES else []

    def message(self) -> str:
        return say("offsets.the_farther_the_key") if self.falls else ""


@dataclass(frozen=True, kw_only=True)
class RandomNumbers(BandNumbers[Rope]):
    """Mean score of so many random queries and keys at an offset, and one standard deviation below and above."""

    draws: int
    lowest_deviation: float
    highest_deviation: float

    def marks(self) -> list[str]:
        return [say("offsets.line_mean_score_of", count=self.draws), say("offsets.score_query_key_d")]

    def message(self) -> str:
        least, most = self.lowest_deviation, self.highest_deviation
        text = "offsets.scores_of_random_queries"
        return say(text, least=f"{least:.2f}", most=f"{most:.2f}") if most < ALIKE * least else ""


@dataclass(frozen=True)
class Offsets(Comparing, WithTrained[TableEncoding | BiasEncoding]):
    """The mean of a measure over all pairs of positions at each offset p − q, with its minimum and maximum as a band.

    Of encodings that are added to the score, the bias of every head.

    Notes
    -----
    The band is a line exactly where the encoding is translation invariant, ⟨PE_p, PE_q⟩ = g(p − q) (the fifth article).
    RoFormer's bound is on the scale of a dot product of (1, 0) pairs: Su et al. 2021, section 3.4.3, arXiv:2104.09864.
    """

    name: ClassVar[str] = "offsets"
    defines: ClassVar[str] = (
        "the measure of two vectors, or the bias of a head, against p − q: the line is the mean of all pairs "
        "there, the band least to most"
    )
    example: ClassVar[str] = "pecli offsets -e sinusoidal -e binary --measure cos"
    examples: ClassVar[tuple[str, ...]] = ("pecli offsets rope sinusoidal -m cos -n 256",)
    several: ClassVar[bool] = True

    measure: str = measure_option("dot")
    decay: bool = option(False, "add RoFormer's bound on the decay, dashed")
    random: int | None = option(
        None, "instead: mean and spread of the scores of so many random queries and keys", at_least=2, at_most=10_000
    )
    unscaled: bool = option(False, "add each rope that is scaled without its scaling, dotted")
    log: bool = option(False, "logarithmic axis of offsets, from 1")
    spread: bool = option(False, "of a grid: how much pairs at one offset differ, instead of their mean")

    def check_view(self, view: View[Any]) -> None:
        super().check_view(view)
        if any(encoding.sides for encoding in view.encodings):
            refuse_on_grid(view, self.changed())
            return
        if self.spread:
            raise UsageError("--spread is for positions in a grid", option="spread", advice="give --grid too")
        lacking = [e.name for e in view.encodings if not isinstance(e, Harmonic)]
        if self.decay and lacking:
            text = f"--decay needs frequencies and {lacking[0]} has none"
            raise UsageError(text, option="decay", allowed="rope, sinusoidal and such")
        if self.decay and self.measure != "dot":
            text = f"--decay bounds the dot product, not {option_text('measure', self.measure)}"
            raise UsageError(text, option="decay", advice="leave one of them out")
        if self.unscaled and not any(_without_scaling(view.encodings)):
            text = "--unscaled needs a rope that is scaled"
            raise UsageError(text, option="unscaled", allowed="rope:scaling=yarn,factor=4,original=32768 and such")
        if self.random is not None:
            lacking = [e.name for e in view.encodings if not isinstance(e, Rope)]
            if lacking:
                text = f"{option_text('random', self.random)} turns queries and keys and {lacking[0]} turns none"
                raise UsageError(text, option="random", allowed="rope")
            others = {"measure", "decay", "unscaled"} & self.changed().keys()
            refuse_unused({name: getattr(self, name) for name in others}, "--random draws scores")
        check_run(self.name, view.covered.length)
        if self.log and view.covered.length < 2:
            raise UsageError("offsets with --log takes 2 or more positions", option="length")
        self.check_spans(self.shown(view))
        self.check_trained(self.shown(view))

    def shown(self, view: View[Any]) -> Positions:
        """Return the offsets that are drawn: of biases from the lowest at which a head sees a key."""
        seen = any(self.compared(encoding).sees_ahead for encoding in view.encodings)
        first = 1 if self.log else 1 - view.covered.length if seen else 0
        return Positions(start=first, length=max(1, view.covered.length - first))

    def shape(self, view: View[Any]) -> tuple[int, ...]:
        if view.encoding.sides:
            return (view.covered.length, view.encoding.width)
        bins = even_bins(self.shown(view).length, view.line_points)
        if self.random is not None:
            return (2, self.random, max(encoding.d for encoding in view.encodings))
        every = list(map(self.compared, view.encodings))
        exact = all(compared.is_of_offset for compared in every)
        return (3, sum(compared.heads for compared in every), bins if exact else bins + view.covered.length)

    def compute(self, view: View[Any]) -> OffsetsNumbers | BiasLinesNumbers | RandomNumbers | OffsetMapNumbers:
        if view.encoding.sides:
            return map_of_offsets(view, self.measure, self.spread)
        shown, columns = self.shown(view), view.line_points
        edges = log_edges(view.covered.length, columns) if self.log else shown.start + even_edges(shown.length, columns)
        if shown.start <= 0:
            edges = np.union1d(edges, [0, 1])  # no mean has a share of a position with itself
        if self.compared(view.encoding).head is not None:
            return _bias_lines(view, edges)
        if self.random is not None:
            return _random_scores(view, middles(edges), self.random)
        offsets, plain = middles(edges), [e for e in _without_scaling(view.encodings) if e and self.unscaled]
        runs, without = (
            [VectorComparison(e, self.measure).offset_runs(e.covered(view.positions), edges) for e in encodings]
            for encodings in (view.encodings, plain)
        )
        low, high, mean = (np.concatenate(parts) for parts in zip(*[run.values for run in runs], strict=True))
        none = np.empty((0, len(offsets)))
        return OffsetsNumbers(
            view=view,
            mean=mean,
            encoding=np.arange(len(mean)),
            offsets=offsets,
            low=low,
            high=high,
            decay=np.concatenate([none, *(dot_bound(e, offsets)[None] for e in view.encodings if self.decay)]),
            unscaled=np.concatenate([none, *(run.values.mean for run in without)]),
            block=int(np.diff(edges).max()),
            measure=self.measure,
            spread=tuple(run.widest for run in runs),
            undefined=tuple(run.undefined for run in runs),
            peaks=shown.start <= 0 and all(map(self._peaks, view.encodings, runs)),
        )

    def _peaks(self, encoding: TableEncoding, runs: OffsetRuns) -> bool:
        """Return whether the measure is larger at offset 0 than at all others."""
        high, same = runs.values.high[0], encoding.covered(Positions(length=1))
        zero = VectorComparison(encoding, self.measure).offset_runs(same, np.array([0, 1])).values.low[0, 0]
        return bool(len(high) > 1 and zero >= high[0] * (1 - ROUNDING) and high[0] > np.nanmax(high[1:]))

    def panel_groups(self, view: View[Any], canvas: Canvas) -> list[PanelGroup]:
        what = self.quantity(view)
        if view.encoding.sides:
            return map_panels(view, what)
        panel = Panel(0.55, x=self.shown(view), y=what, ends=what, legend_below=self.decay)
        count = self._panels(view)
        return [PanelGroup((panel,) * count, in_columns(count, *[1] * canvas.narrow))]

    def _panels(self, view: View[Any]) -> int:
        """Return how many panels there are: one an encoding where a band would lie over another line."""
        return len(view.encodings) if any(map(self._has_band, view.encodings)) and not self.decay else 1

    def _has_band(self, encoding: Encoding) -> bool:
        return self.random is not None or not self.compared(encoding).is_of_offset

    def decorate(self, view: View[Any], axes: list[Axes], canvas: Canvas) -> None:
        from pecli.page.labels import label_lines

        if view.encoding.sides:
            decorate_map(view, axes[0])
            return
        shown = self.shown(view)
        for panel in axes:
            frame_lines(panel, shown.start, shown.stop - 1, log=self.log)
            mark_stretch(panel, self.spans(), canvas)
            mark_beyond(panel, self.trained, canvas)
            label = in_steps(say("words.offset_p_minus_q"), view.encodings)
            if self.log:
                label_powers(panel.xaxis, label)
            else:
                label_values(panel.xaxis, label, integer=True)
            label_values(panel.yaxis, self.quantity(view))
        panel = axes[0]
        names, looks = distinguishing_labels(view.encodings), self._looks(view, panel, canvas)
        if self.compared(view.encoding).head is not None:
            names = full_names(view.encodings) if len(names) > 1 else [""]
            heads = [(name, e, n) for e, name in zip(view.encodings, names, strict=True) for n in range(e.n_heads)]
            names = [listing([name, e.head_text(head)]) for name, e, head in heads]
        entries = list(zip(names, looks, strict=True))
        if self.decay:
            several, bound = len(names) > 1, say("offsets.roformers_bound")
            bounds = [listing([bound, name * several]) for name in short_names(view.encodings)]
            entries = entries if several else [(self.quantity(view), looks[0])]
            panel.set_yscale("log")
            label_powers(panel.yaxis, self.quantity(view))
            key(panel, [*entries, *((text, bound_look(line)) for line, text in enumerate(bounds))])
        elif len(axes) > 1:
            for panel, name in zip(axes, names, strict=True):
                panel.set_title(name)
        elif len(entries) > 1 or self.unscaled:
            label_lines(panel, entries, canvas)

    def _looks(self, view: View[Any], panel: Axes, canvas: Canvas) -> list[Look]:
        """Return the look of each line: a colour; of many heads shades from dark to light, and dashes by encoding."""
        every = list(map(self.compared, view.encodings))
        heads = [compared.heads for compared in every]
        if sum(heads) <= MAX_LINES or every[0].head is None:
            alone = self.decay or self.unscaled or self._panels(view) > 1  # beside bounds and the like that have dashes
            solid = np.repeat([alone or self._has_band(encoding) for encoding in view.encodings], heads)
            return [{"color": f"C{line}"} if plain else look(line) for line, plain in enumerate(solid)]
        lines = [(at, shade) for at, count in enumerate(heads) for shade in shades(count, panel, canvas)]
        return [{**shade, "linestyle": look(at)["linestyle"]} for at, shade in lines]

    def draw(self, numbers: Any, axes: list[Axes], canvas: Canvas) -> list[Any]:
        from pecli.page.labels import put_line_labels

        if isinstance(numbers, OffsetMapNumbers):
            return [draw_map(numbers, axes[0], canvas)]
        panel, offsets, encodings = axes[0], numbers.offsets, numbers.view.encodings
        looks = self._looks(numbers.view, panel, canvas)
        put_line_labels(panel, [(offsets, row) for row in numbers.main])
        if isinstance(numbers, BiasLinesNumbers):
            for low, high, encoding, line in zip(numbers.low, numbers.bias, numbers.encoding, looks, strict=True):
                plot_run(panel, offsets, low, high, line, "default" if encodings[encoding].known else "steps-mid")
            return [None]
        for at, (mean, low, high, line) in enumerate(zip(numbers.mean, numbers.low, numbers.high, looks, strict=True)):
            if self.decay:  # a bound is one of sizes
                mean, low, high = map(np.abs, (mean, low, high))
            axes[at % len(axes)].plot(offsets, mean, marker="o" if len(mean) == 1 else None, **line)
            whole = (
                "mid" if not isinstance(encodings[at], Harmonic) and numbers.block == 1 else None
            )  # no numbers between
            look = {"color": line["color"], "alpha": 0.3, "linewidth": 0, "step": whole}
            axes[at % len(axes)].fill_between(offsets, low, high, **look)
        if isinstance(numbers, OffsetsNumbers):
            for at, decay in enumerate(numbers.decay):
                axes[at % len(axes)].plot(offsets, decay, **bound_look(at))
            scaled = [at for at, plain in enumerate(_without_scaling(encodings)) if plain]
            for at, plain in zip(scaled, numbers.unscaled, strict=False):
                axes[at % len(axes)].plot(offsets, plain, ":", color=f"C{at}")
        share_ends(axes)
        return [None] * len(axes)

    def title(self, view: View[Any]) -> str:
        if len(view.encodings) == 1:
            return super().title(view)
        return join_title([title_of_several(view.encodings), self.unseen(view)])

    def quantity(self, view: View[Any]) -> str:
        if self.random is not None:
            return say("offsets.score")
        return say("offsets.dot_product") if self.decay else super().quantity(view)


def _without_scaling(encodings: Sequence[Encoding]) -> list[Scaled | None]:
    """Return each encoding without its scaling, None where it has none."""
    return [e.unscaled() if isinstance(e, Scaled) and e.scaling != "default" else None for e in encodings]


def dot_bound(encoding: Harmonic, offsets: Array) -> Array:
    """Return RoFormer's bound on the dot product of two rows at offsets (n,): with h_j the square of pair j's radius,
    max |h_j+1 − h_j| Σ |S_j|, the sums S_j of the first j turns. Su et al. 2021, equation 37, arXiv:2104.09864."""
    steps = np.abs(np.diff(encoding.amplitudes**2, append=0.0))
    return len(steps) * float(steps.max()) * encoding.decay(offsets)


def _random_scores(view: View[Rope], offsets: Array, draws: int) -> RandomNumbers:
    """Return mean and deviation of the scores of random queries and keys at these offsets; the ends are over all
    offsets, none where they are too many: no size of the picture changes them."""
    moments = np.stack([score_moments(encoding, offsets, draws) for encoding in view.encodings])
    every, known = np.arange(float(view.covered.length)), view.covered.length <= MAX_COMPARED
    whole = not known or len(offsets) == len(every)
    ends = moments if whole else np.stack([score_moments(encoding, every, draws) for encoding in view.encodings])
    return RandomNumbers(
        view=view,
        mean=moments[:, 0],
        encoding=np.arange(len(moments)),
        offsets=offsets,
        low=moments[:, 0] - moments[:, 1],
        high=moments[:, 0] + moments[:, 1],
        draws=draws,
        lowest_deviation=float(ends[:, 1].min()) if known else np.nan,
        highest_deviation=float(ends[:, 1].max()) if known else np.nan,
    )


def score_moments(encoding: Rope, offsets: Array, draws: int) -> Array:
    """Return mean and standard deviation of ⟨q, R_Δ k⟩ / √d at offsets (n,), of independent normal q and k, (2, n).

    A rotation keeps the distribution of k, so neither falls with Δ: Barbero et al. 2024, section 3, arXiv:2410.06205.
    """
    queries, keys = np.random.default_rng(0).standard_normal((2, draws, 1, encoding.d))
    queries = encoding.rotate(queries, np.zeros(1))[:, 0] / np.sqrt(encoding.d)
    parts = []
    for part in track(chunks(0, len(offsets), draws * encoding.d), "turning keys"):
        scores = np.einsum("md,mnd->mn", queries, encoding.rotate(keys, offsets[part.start : part.stop]))
        parts.append([scores.mean(axis=0), scores.std(axis=0)])
    return np.concatenate(parts, axis=1)


def _bias_lines(view: View[BiasEncoding], edges: Array) -> BiasLinesNumbers:
    heads = [encoding.n_heads for encoding in view.encodings]
    falls, rises, before = np.zeros(sum(heads), dtype=bool), False, np.full((sum(heads), 1), np.nan)

    def values(first: int, count: int) -> Array:
        """Return the biases from an offset on; note which fall, and whether one rises, with the distance."""
        nonlocal rises, before
        offsets = first + np.arange(count, dtype=np.float64)
        found = np.concatenate([seen_bias(encoding, offsets) for encoding in view.encodings])
        steps = np.diff(found, axis=1, prepend=before) * np.where(offsets > 0, 1.0, -1.0)
        falls[:] |= (steps < 0).any(axis=1)
        rises, before = rises or bool((steps > 0).any()), found[:, -1:]
        return found

    low, high, _ = envelope(values, edges, sum(heads))
    return BiasLinesNumbers(
        view=view,
        bias=high,
        low=low,
        offsets=middles(edges),
        encoding=np.repeat(np.arange(len(heads)), heads),
        head=np.concatenate([np.arange(count) for count in heads]),
        block=int(np.diff(edges).max()),
        falls=bool(falls.all()) and not rises,
    )
