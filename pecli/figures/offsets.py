"""A measure, or a bias, against the offset: is it a function of p − q alone?"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from pecli.core.language import enumerated, say
from pecli.core.lazy import Array, Axes, np
from pecli.core.numbers import ROUNDING, number_text
from pecli.core.positions import Positions
from pecli.encodings.base import (
    Encoding,
    TableEncoding,
    short_names,
)
from pecli.encodings.harmonic import Harmonic
from pecli.figures.base import Figure, View, has_comparable_offsets
from pecli.figures.comparing import default_query_notes, differing_text
from pecli.figures.offset_figure import BandNumbers, OffsetBands, without_scaling
from pecli.files.sheet import aside, over
from pecli.measures.comparison import OffsetRuns, VectorComparison, comparison_of
from pecli.measures.pairwise import MEASURES
from pecli.measures.reduce import bin_centres, even_bins
from pecli.page.canvas import Canvas
from pecli.page.colors import SHADE
from pecli.page.lines import (
    bound_look,
    plot_dots,
)

MAX_WHOLE = 100_000  # offsets: with more, the place where a line falls to half is not computed
FEW = 4  # least number of offsets after the fall to half for a headline about it
LEVEL = 0.25  # largest range of a line that counts as level, as a share of its value at 0


@dataclass(frozen=True, kw_only=True)
class OffsetsNumbers(BandNumbers[TableEncoding]):
    """The mean, minimum and maximum of the measure over all pairs of positions in each bin of offsets."""

    decay: Array = over("line", "offset")  # RoFormer's bound on the dot product; no lines if not shown
    unscaled: Array = aside("scaled encoding", "offset")  # the measure without scaling; no lines if not shown
    block: int = aside()
    measure: str = aside()
    spread: tuple[float, ...] = over("encoding")  # largest width of the band at a single offset
    undefined: tuple[int, ...] = over("encoding")  # number of pairs left out: constant or zero vectors
    widest_at: tuple[int | None, ...] = over("encoding")  # offset of the largest width, None if it is 0
    widest_ends: tuple[tuple[float, float], ...] = aside()  # the smallest and the largest value at that offset
    peaks: bool = aside()  # whether every line has its only maximum at offset 0
    half: int | None  # first offset with less than half the value at 0, for one line
    half_value: float | None
    later: tuple[float, float] | None  # the smallest and the largest value from `half` on
    level: bool = aside()  # whether these two are close to each other

    def remarks(self) -> list[str]:
        text, why = "offsets.pairs_left_out", MEASURES[self.measure].undefined
        counts = zip(self.view.encodings, self.undefined, strict=True)
        lost = [say(text, encoding=e.called(), count=count, why=say(why)) for e, count in counts if count]
        return [say("offsets.each_pixel_mean_minimum", count=self.block) if self.block > 1 else "", *lost]

    def marks(self) -> list[str]:
        wide = any(width > 0 for width in self.spread)
        band = "offsets.line_mean_of_all"
        bound = say("offsets.bound_su_et_al") if len(self.decay) else ""
        dotted = say("offsets.dotted_without_the_scaling") if len(self.unscaled) else ""
        return [say(band) if wide else "", bound, dotted, self._coinciding(), *default_query_notes(self.view.encodings)]

    def _coinciding(self) -> str:
        """Return the note on encodings whose lines coincide with the first one's, or ""."""
        same = [np.allclose(mean, self.mean[0], rtol=ROUNDING, atol=ROUNDING) for mean in self.mean]
        names = [name for name, own in zip(short_names(self.view.encodings), same, strict=True) if own]
        return say("offsets.the_lines_of_coincide", names=enumerated(names)) if sum(same) > 1 else ""

    @property
    def tolerance(self) -> float:
        """The rounding tolerance: smaller differences count as none."""
        return ROUNDING * float(np.nanmax(np.abs(self.mean), initial=0.0))

    def message(self) -> str:
        if len(self.decay) and not any(self.spread):  # the bound holds only where the offset alone matters
            return say("offsets.the_dot_product_stays")
        label = comparison_of(self.view.encoding, self.measure).label
        differ = differing_text(self.view, label, self.spread, self.tolerance)
        if self.half is not None:
            return say(
                "offsets.falls_to_half_then" if self.level else "offsets.falls_to_half", measure=label, offset=self.half
            )
        if differ or not any(width >= 0 for width in self.spread) or not has_comparable_offsets(self.view):
            return differ
        return say("offsets.the_depends_only_on" if self.peaks else "words.the_depends_only_on", measure=label)


@dataclass(frozen=True)
class Offsets(OffsetBands):
    """The mean of a measure over all pairs of positions at each offset p − q, with its minimum and maximum as a band.

    For biases, the bias of every head.

    Notes
    -----
    The band has no width if, and only if, the encoding is translation invariant: ⟨PE_p, PE_q⟩ = g(p − q). RoFormer's
    bound is on the scale of a dot product of (1, 0) pairs: Su et al. 2021, section 3.4.3, arXiv:2104.09864.
    """

    @classmethod
    def variants(cls) -> tuple[type[Figure[Any]], ...]:
        from pecli.figures.offset_bias import BiasOffsets
        from pecli.figures.offset_map import OffsetMap
        from pecli.figures.offset_scores import RandomScores

        return (Offsets, BiasOffsets, RandomScores, OffsetMap)

    def variant(self, view: View[Any]) -> Figure[Any]:
        lines, bias, scores, grid = self.variants()
        if view.encoding.sides:
            return self.as_kind(grid)
        if self.compared(view.encoding).head is not None:
            return self.as_kind(bias)
        return self.as_kind(lines if self.random is None else scores)

    def shape(self, view: View[Any]) -> tuple[int, ...]:
        bins, every = even_bins(self.shown(view).length, view.line_points), list(map(self.compared, view.encodings))
        exact = all(compared.is_of_offset for compared in every)
        return (3, sum(compared.heads for compared in every), bins if exact else bins + view.covered.length)

    def compute(self, view: View[Any]) -> OffsetsNumbers:
        edges = self.edges(view)
        offsets, plain = bin_centres(edges), [e for e in without_scaling(view.encodings) if e and self.unscaled]
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
            peaks=(peaks := self.shown(view).start <= 0 and all(map(self._peaks_at_zero, view.encodings, runs))),
            widest_at=tuple(run.where and run.where[0] for run in runs),
            widest_ends=tuple(run.where[1:] if run.where else (np.nan, np.nan) for run in runs),
            **self._half_facts(view, peaks),
        )

    def _half_facts(self, view: View[Any], peaks: bool) -> dict[str, Any]:
        """Return the facts on the first offset at which a single encoding has less than half of its value at 0.

        The facts include the smallest and the largest value from that offset on.

        peaks : whether offset 0 is the line's only maximum; if not, there is no such offset
        """
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

    def _peaks_at_zero(self, encoding: TableEncoding, runs: OffsetRuns) -> bool:
        """Return whether the measure has its only maximum at offset 0.

        runs : the measure's mean and extremes in each bin of offsets
        """
        high, same = runs.values.high[0], encoding.covered(Positions(length=1))
        zero = VectorComparison(encoding, self.measure).offset_runs(same, np.array([0, 1])).values.low[0, 0]
        return bool(len(high) > 1 and zero >= high[0] * (1 - ROUNDING) and high[0] > np.nanmax(high[1:]))

    def has_band(self, encoding: Encoding) -> bool:
        return not self.compared(encoding).is_of_offset

    def draw_beside(self, numbers: Any, axes: list[Axes], canvas: Canvas) -> None:
        """Draw bounds and unscaled lines, and mark what the headline is about."""
        from pecli.page.labels import label_point, merge_line_labels
        from pecli.page.titles import name_panel

        offsets = numbers.offsets
        for at, decay in enumerate(numbers.decay):
            axes[at % len(axes)].plot(offsets, decay, **bound_look(at))
        scaled = [at for at, plain in enumerate(without_scaling(numbers.view.encodings)) if plain]
        for at, plain in zip(scaled, numbers.unscaled, strict=False):
            axes[at % len(axes)].plot(offsets, plain, ":", color=f"C{at}")
            if len(axes) == len(scaled) == 1:
                shares = len(plain) * np.array([6, 5, 7, 4, 3]) // 8
                places = [(float(offsets[k]), float(plain[k])) for k in shares]
                label_point(axes[0], say("spectrum.unscaled"), places[0], f"C{at}", canvas, ((0, -1),), places[1:])
        if len(axes) == 1:
            merge_line_labels(axes[0], list(numbers.mean))
        for own, width in zip(axes, numbers.spread, strict=False):
            if len(axes) > 1 and 0 <= width <= numbers.tolerance:  # the headline is about these encodings
                name_panel(own)
        _mark_widest(axes, numbers, canvas)
        if numbers.half is not None and not self.log:
            _mark_half(axes[0], numbers, canvas)


def _mark_half(panel: Axes, numbers: OffsetsNumbers, canvas: Canvas) -> None:
    """Mark the point where a line falls to half, and shade the range of its values from there on."""
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
    """Mark the largest width of each band, with its value."""
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


def dot_bound(encoding: Harmonic, offsets: Array) -> Array:
    """Return RoFormer's bound on the dot product of two rows at offsets of shape (n,).

    With h_j the squared radius of pair j and S_j the sum of the first j rotations, it is max |h_j+1 − h_j| Σ |S_j|: Su
    et al. 2021, equation 37, arXiv:2104.09864.
    """
    steps = np.abs(np.diff(encoding.amplitudes**2, append=0.0))
    return len(steps) * float(steps.max()) * encoding.decay(offsets)
