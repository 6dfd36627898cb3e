"""A measure, or a bias, against the offset: is it a function of p − q alone?"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import log
from typing import Any, ClassVar

from pecli.analysis import E_co, measure_option, refuse_unused
from pecli.core.errors import UsageError, option_text
from pecli.core.language import enumerated, join_and, join_title, listing, say
from pecli.core.lazy import Array, Axes, np
from pecli.core.numbers import ROUNDING, chunks, number_text
from pecli.core.options import option
from pecli.core.positions import Positions
from pecli.core.progress import track
from pecli.encodings.base import (
    BiasEncoding,
    Encoding,
    TableEncoding,
    distinguishing_labels,
    full_names,
    panel_titles,
    short_names,
    title_of_several,
)
from pecli.encodings.biases import T5
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
from pecli.page.colors import SHADE, legible
from pecli.page.lines import (
    MAX_LINES,
    Look,
    bound_look,
    frame_lines,
    key,
    look,
    plot_dots,
    plot_run,
    shades,
    share_ends,
)
from pecli.page.panels import Panel, PanelGroup, in_columns

MAX_COMPARED = 2048  # offsets of which all random scores are known whatever the picture's size
MAX_WHOLE = 100_000  # offsets, all of which are looked at for where a line falls to half
FEW = 4  # offsets, from which on nothing is said of what a line does later
LEVEL = 0.25  # of what a line starts from, within which it stays where it levels off
SLIGHT, HUNDREDTH = -log(100), 0.01  # the bias by which a key weighs a hundredth of what it would, and that share
FAINT = -10.0  # the bias at which the axis ends: what is lower weighs nothing
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
    widest_at: tuple[int | None, ...] = over("encoding")  # where that is; None where it is a line exactly
    widest_ends: tuple[tuple[float, float], ...] = aside()  # the smallest and the largest there
    peaks: bool = aside()  # whether every line is largest at offset 0, and nowhere else
    half: int | None  # of one line of a similarity, the first offset at which it is less than half of that at 0
    half_value: float | None
    later: tuple[float, float] | None  # the smallest and the largest from there on
    level: bool = aside()  # whether these are near to each other

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
        if self.half is not None:
            return say(
                "offsets.falls_to_half_then" if self.level else "offsets.falls_to_half", measure=label, offset=self.half
            )
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
    reach: tuple[int, ...] = over("line")  # how far back a head sees: where a key weighs a hundredth of the query's own
    crossing: tuple[float, ...] = aside()  # where its line passes that; NaN where it does not

    def remarks(self) -> list[str]:
        return [extremes_of_offsets(self.block)]

    def marks(self) -> list[str]:
        encodings, count = self.view.encodings, len(self.head)
        ends = [encodings[0].head_text(head) for head in (0, encodings[0].n_heads - 1)]
        named = len(encodings) == 1 < count and ends[0] != head_name(0)
        several = say("offsets.dark_to_light_heads") if count > MAX_LINES else ""
        return [*filter(None, [say("offsets.heads_from_to", first=ends[0], last=ends[1]) if named else several])]

    @property
    def sees(self) -> bool:
        """Whether it is known how far heads see."""
        return bool(self.reach)

    @property
    def last_buckets(self) -> list[int]:
        """From which distance on all share one bucket, an encoding each; none where that is not seen of all."""
        own = [e.last_from for e in self.view.encodings if isinstance(e, T5) and not e.known]
        seen = len(own) == len(self.view.encodings) and max(own) + FEW <= self.view.covered.length
        return own if seen else []

    def message(self) -> str:
        if first := self.last_buckets:
            if len(set(first)) == 1:
                causal = all(encoding.causal for encoding in self.view.encodings if isinstance(encoding, T5))
                return say("offsets.one_bucket_from" if causal else "offsets.one_bucket_a_side", distance=first[0])
            named = zip(first, short_names(self.view.encodings), strict=True)
            return say("offsets.one_bucket_each", distances=join_and(f"{at:,} ({name})" for at, name in named))
        if not self.sees or len(self.view.encodings) > 1:
            return say("offsets.the_farther_the_key") if self.falls else ""
        length, near = self.view.covered.length, int(np.argmin(self.reach))
        least, whole = self.reach[near], [at for at, reach in enumerate(self.reach) if reach >= length - 1]
        if len(whole) == len(self.reach):
            return say("offsets.every_head_sees", count=length)
        if len(self.reach) == 1:
            return say("offsets.the_head_sees", count=least)
        if not whole:
            far = int(np.argmax(self.reach))
            return say("offsets.head_sees_head", head=near, count=least, far=far, most=self.reach[far])
        run = whole[-1] - whole[0] + 1 == len(whole)
        text = "offsets.head_sees_heads" if run else "offsets.head_sees_some"
        text = "offsets.head_sees_one" if len(whole) == 1 else text
        names = {"first": whole[0], "last": whole[-1], "some": len(whole)}
        return say(text, head=near, count=least, all=length, **names)


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
            peaks=(peaks := shown.start <= 0 and all(map(self._peaks, view.encodings, runs))),
            widest_at=tuple(run.where and run.where[0] for run in runs),
            widest_ends=tuple(run.where[1:] if run.where else (np.nan, np.nan) for run in runs),
            **self._half(view, peaks),
        )

    def _half(self, view: View[Any], peaks: bool) -> dict[str, Any]:
        """Return where the line of one encoding first falls to half, and between what it stays from there on."""
        found: dict[str, Any] = {"half": None, "half_value": None, "later": None, "level": False}
        compared, length = self.compared(view.encoding), view.covered.length
        known = compared.is_of_offset and compared.similarity and peaks and length <= MAX_WHOLE
        if len(view.encodings) > 1 or self.decay or self.unscaled or self.trained or not known:
            return found
        values = compared.at_offsets(0, length)
        half = int((values < values[0] / 2).argmax())
        if not half or length - half < FEW:
            return found
        later = float(values[half:].min()), float(values[half:].max())
        level = later[1] - later[0] <= LEVEL * values[0] and length - half >= half
        return {"half": half, "half_value": float(values[half]), "later": later, "level": level}

    def _peaks(self, encoding: TableEncoding, runs: OffsetRuns) -> bool:
        """Return whether the measure is larger at offset 0 than at all others."""
        high, same = runs.values.high[0], encoding.covered(Positions(length=1))
        zero = VectorComparison(encoding, self.measure).offset_runs(same, np.array([0, 1])).values.low[0, 0]
        return bool(len(high) > 1 and zero >= high[0] * (1 - ROUNDING) and high[0] > np.nanmax(high[1:]))

    def panel_groups(self, view: View[Any], canvas: Canvas) -> list[PanelGroup]:
        what = self.quantity(view)
        if view.encoding.sides:
            return map_panels(view, what)
        aspect = 0.8 if canvas.narrow != (self._panels(view) > 1) else 0.55
        shown = [(what, scale) for scale in self._scales(view)]
        look: dict[str, Any] = {"x": self.shown(view), "legend_below": self.decay}
        panels = tuple(Panel(aspect, y=own, ends=own, **look) for own in shown)
        return [PanelGroup(panels, in_columns(len(panels), *[1] * canvas.narrow))]

    def _scales(self, view: View[Any]) -> list[int]:
        """Return what the numbers of each panel grow with: the width, where the measure grows with it; else 0."""
        count = self._panels(view)
        grows = count > 1 and self.compared(view.encoding).grows
        return [encoding.width if grows else 0 for encoding in view.encodings[:count]]

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
            one = len(view.encodings) == 1 < len(heads)  # the footnote says what makes heads differ
            texts = [head_name(head) if one else e.head_text(head) if e.known else "" for _, e, head in heads]
            names = [listing(filter(None, [name, text])) for (name, *_), text in zip(heads, texts, strict=True)]
        entries = list(zip(names, looks, strict=True))
        if self.decay:
            several, bound = len(names) > 1, say("offsets.roformers_bound")
            bounds = [listing([bound, name * several]) for name in short_names(view.encodings)]
            entries = entries if several else [(self.quantity(view), looks[0])]
            panel.set_yscale("log")
            label_powers(panel.yaxis, self.quantity(view))
            key(panel, [*entries, *((text, bound_look(line)) for line, text in enumerate(bounds))])
        elif len(axes) > 1:
            for panel, name, line in zip(axes, panel_titles(view.encodings), looks, strict=True):
                panel.set_title(name, color=legible(line["color"], panel))
        elif len(entries) > 1:
            label_lines(panel, entries, canvas)

    def _looks(self, view: View[Any], panel: Axes, canvas: Canvas) -> list[Look]:
        """Return the look of each line: a colour; of heads shades from dark to light, and dashes by encoding."""
        every = list(map(self.compared, view.encodings))
        heads = [compared.heads for compared in every]
        if max(heads) == 1:
            return [{"color": f"C{line}"} for line in range(len(heads))]
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
            _mark_last_buckets(panel, numbers, looks, canvas)
            if numbers.sees:
                _mark_reach(panel, numbers, looks, canvas)
            return [None]
        for at, (mean, low, high, line) in enumerate(zip(numbers.mean, numbers.low, numbers.high, looks, strict=True)):
            own = axes[at % len(axes)]
            if len(axes) == 1 and any(np.allclose(mean, before, equal_nan=True) for before in numbers.mean[:at]):
                continue
            if self.decay:  # a bound is one of sizes
                mean, low, high = map(np.abs, (mean, low, high))
            own.plot(offsets, mean, marker="o" if len(mean) == 1 else None, **line)
            whole = (
                "mid" if not isinstance(encodings[at], Harmonic) and numbers.block == 1 else None
            )  # no numbers between
            band = {"color": line["color"], "alpha": 0.22, "linewidth": 0, "step": whole}
            own.fill_between(offsets, low, high, **band)
        if isinstance(numbers, OffsetsNumbers):
            self._draw_beside(numbers, axes, canvas)
        scales = self._scales(numbers.view)
        for scale in dict.fromkeys(scales):
            share_ends([own for own, grown in zip(axes, scales, strict=True) if grown == scale])
        return [None] * len(axes)

    def _draw_beside(self, numbers: OffsetsNumbers, axes: list[Axes], canvas: Canvas) -> None:
        """Draw bounds and lines without a scaling, and mark what the headline names."""
        from pecli.page.labels import join_line_labels, label_point

        offsets = numbers.offsets
        for at, decay in enumerate(numbers.decay):
            axes[at % len(axes)].plot(offsets, decay, **bound_look(at))
        scaled = [at for at, plain in enumerate(_without_scaling(numbers.view.encodings)) if plain]
        for at, plain in zip(scaled, numbers.unscaled, strict=False):
            axes[at % len(axes)].plot(offsets, plain, ":", color=f"C{at}")
            if len(axes) == len(scaled) == 1:
                shares = len(plain) * np.array([6, 5, 7, 4, 3]) // 8
                places = [(float(offsets[k]), float(plain[k])) for k in shares]
                label_point(axes[0], say("spectrum.unscaled"), places[0], f"C{at}", canvas, ((0, -1),), places[1:])
        if len(axes) == 1:
            join_line_labels(axes[0], list(numbers.mean))
        _mark_widest(axes, numbers, canvas)
        if numbers.half is not None and not self.log:
            _mark_half(axes[0], numbers, canvas)

    def title(self, view: View[Any]) -> str:
        if len(view.encodings) == 1:
            return super().title(view)
        return join_title([title_of_several(view.encodings), self.unseen(view)])

    def quantity(self, view: View[Any]) -> str:
        if self.random is not None:
            return say("offsets.score")
        return say("offsets.dot_product") if self.decay else super().quantity(view)


def head_name(head: int) -> str:
    """Return what a head is called beside others of its encoding."""
    return say("encoding.head_head", head=head)


def _mark_half(panel: Axes, numbers: OffsetsNumbers, canvas: Canvas) -> None:
    """Mark where a line first falls to half, by a dot and a stem, and shade between what it stays from there on."""
    from pecli.page.labels import label_point

    assert numbers.half is not None and numbers.half_value is not None and numbers.later is not None
    (low, high), last = numbers.later, numbers.view.covered.length - 1
    panel.fill_between([numbers.half, last], low, high, facecolor=("C1", SHADE), linewidth=0, zorder=0)
    foot = min(0.0, low)
    panel.set_ylim(bottom=foot if foot == 0 else None)
    foot = panel.get_ylim()[0]
    panel.plot([numbers.half] * 2, [foot, numbers.half_value], color="C1", linewidth=0.8 * canvas.scale, zorder=2)
    plot_dots(panel, [numbers.half], [numbers.half_value], "C1", canvas)
    values = [number_text(value, 2 if abs(value) < 1 else 3) for value in (numbers.half_value, low, high)]
    sides = ((1, 0), (-1, 0))
    text = say("offsets.half_at", offset=numbers.half, value=values[0])
    label_point(panel, text, (numbers.half, foot), "C1", canvas, sides)
    later = say("offsets.from_here_on", low=values[1], high=values[2])
    label_point(panel, later, (last, high), "C1", canvas, ((-1, 1), (-1, -1)))


def _mark_widest(axes: Sequence[Axes], numbers: OffsetsNumbers, canvas: Canvas) -> None:
    """Mark where each band is widest, and how wide it is there."""
    from pecli.page.labels import label_point

    places = zip(numbers.widest_at, numbers.widest_ends, numbers.spread, strict=True)
    for at, (where, ends, wide) in enumerate(places):
        panel = axes[at % len(axes)]
        if where is None or not wide > ROUNDING * float(np.nanmax(np.abs(numbers.mean[at]), initial=0.0)):
            continue
        ink = panel.xaxis.label.get_color()
        cap: dict[str, Any] = {"marker": "_", "markersize": 5 * canvas.scale, "markeredgewidth": 1.2 * canvas.scale}
        panel.plot([where] * 2, ends, color=ink, linewidth=1.2 * canvas.scale, zorder=4, solid_capstyle="butt", **cap)
        text = say("offsets.up_to_wide", width=number_text(wide, 2 if wide < 1 else 3))
        label_point(panel, text, (where, ends[1]), ink, canvas, ((1, 1), (-1, 1), (0, 1), (1, 0), (-1, 0)))


def _mark_last_buckets(panel: Axes, numbers: BiasLinesNumbers, looks: Sequence[Look], canvas: Canvas) -> None:
    """Mark from where on distances share one bucket, and shade them where there is one line."""
    from pecli.page.labels import label_point

    low, high = float(numbers.offsets[0]), float(numbers.offsets[-1])
    for line, at in enumerate(numbers.last_buckets):
        encoding: Any = numbers.view.encodings[line]
        colour = "C1" if len(looks) == 1 else looks[line]["color"]
        for place in (at, -at):
            if place < low or (place < 0 and encoding.causal):
                continue
            value = float(encoding.of_offsets(np.array([place]))[0, 0])
            plot_dots(panel, [place], [value], colour, canvas)
            sides = ((0, -1), (1, -1), (-1, -1), (0, 1))
            label_point(panel, number_text(place), (place, value), colour, canvas, sides)
            if len(looks) == 1:
                panel.axvspan(place, high if place > 0 else low, facecolor=("C1", SHADE), linewidth=0, zorder=0)


def _mark_reach(panel: Axes, numbers: BiasLinesNumbers, looks: Sequence[Look], canvas: Canvas) -> None:
    """Shade where a key weighs less than a hundredth, and mark where each head begins not to see; the axis ends where
    keys weigh nothing, and lines that leave it there have their name there."""
    from pecli.page.labels import LineLabel, label_point, labels_of

    bottom, first = float(np.nanmin(numbers.low)), float(numbers.offsets[0])
    if bottom < FAINT:
        panel.set_ylim(FAINT, -0.02 * FAINT)
    low, last = max(bottom, FAINT), float(numbers.offsets[-1])
    if bottom < SLIGHT:
        panel.axhspan(low, SLIGHT, facecolor=("C1", SHADE), linewidth=0, zorder=0)
        panel.axhline(SLIGHT, color="C1", linewidth=0.8 * canvas.scale, zorder=1)
    crossed = [line for line, x in enumerate(numbers.crossing) if np.isfinite(x)]
    for line in crossed:
        plot_dots(panel, [numbers.crossing[line]], [SLIGHT], looks[line]["color"], canvas)
    for line in sorted(crossed, key=lambda own: -numbers.crossing[own]):
        place, colour, sides = (numbers.crossing[line], SLIGHT), looks[line]["color"], ((1, 1), (-1, 1))
        label_point(panel, f"{numbers.reach[line]:,}", place, colour, canvas, sides, needed=line == crossed[0])
    if bottom < SLIGHT:
        text = say("offsets.weighs_less", share=f"{HUNDREDTH:.0%}")
        places = [
            (first + share * (last - first), SLIGHT + y * (low - SLIGHT))
            for y in (0, 0.25, 0.5)
            for share in (1, 0.9, 0.6)
        ]
        label_point(panel, text, places[0], "C1", canvas, ((-1, -1),), places[1:])
    back, tried = numbers.offsets >= 0, (0.96 * FAINT, 0.88 * FAINT, 0.8 * FAINT, 0.7 * FAINT)
    for label in labels_of(panel, LineLabel):
        own = numbers.low[label.line]
        if np.nanmin(own) < FAINT:
            label.set_visible(False)
            places = [(float(np.interp(-level, -own[back], numbers.offsets[back])), level) for level in tried]
            name, colour = label.get_text().replace("\n", " "), looks[label.line]["color"]
            label_point(
                panel, name, places[0], colour, canvas, ((1, 1), (1, 0), (-1, 0)), places[1:], needed=label.line == 0
            )


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
    reach, crossing, zero = np.full(sum(heads), -1), np.full(sum(heads), np.nan), np.full(sum(heads), np.nan)

    def values(first: int, count: int) -> Array:
        """Return the biases from an offset on; note which fall, whether one rises, with the distance, and how far each
        head sees."""
        nonlocal rises, before
        offsets = first + np.arange(count, dtype=np.float64)
        found = np.concatenate([seen_bias(encoding, offsets) for encoding in view.encodings])
        steps = np.diff(found, axis=1, prepend=before) * np.where(offsets > 0, 1.0, -1.0)
        falls[:] |= (steps < 0).any(axis=1)
        seen = (found >= SLIGHT) & (offsets >= 0)
        last = np.where(seen.any(axis=1), count - 1 - seen[:, ::-1].argmax(axis=1), -1)
        reach[last >= 0] = first + last[last >= 0]
        for head in np.flatnonzero((found < SLIGHT).any(axis=1) & np.isnan(crossing) & (first + count > 1)).tolist():
            at = int(((found[head] < SLIGHT) & (offsets > 0)).argmax())
            earlier = found[head, at - 1] if at else before[head, 0]
            if offsets[at] > 0 and np.isfinite(earlier):
                crossing[head] = offsets[at] - (SLIGHT - found[head, at]) / (earlier - found[head, at])
        if first <= 0 < first + count:
            zero[:] = found[:, -first]
        rises, before = rises or bool((steps > 0).any()), found[:, -1:]
        return found

    low, high, _ = envelope(values, edges, sum(heads))
    falling = bool(falls.all()) and not rises
    sees = falling and bool((zero == 0).all())
    return BiasLinesNumbers(
        view=view,
        bias=high,
        low=low,
        offsets=middles(edges),
        encoding=np.repeat(np.arange(len(heads)), heads),
        head=np.concatenate([np.arange(count) for count in heads]),
        block=int(np.diff(edges).max()),
        falls=falling,
        reach=tuple(reach.tolist()) if sees else (),
        crossing=tuple(crossing.tolist()) if sees else (),
    )
