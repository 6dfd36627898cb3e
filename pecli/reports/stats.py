"""The report stats: statistics of encodings side by side.

Three properties are from Wang et al. 2021, On Position Embeddings in BERT, ICLR 2021, section 2: translation
invariance, monotonicity and symmetry of a proximity between position vectors. The paper computes them from
attention weights, pecli from the vectors alone, so the numbers are not comparable.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, make_dataclass
from math import ceil, prod
from typing import Any, ClassVar

from pecli.analysis import choice_of_measure, measure_option
from pecli.core.language import join_and, listing, say
from pecli.core.lazy import Array, np
from pecli.core.numbers import ROUNDING, chunks
from pecli.core.positions import Positions
from pecli.core.progress import track
from pecli.core.terminal import Block, Facts, Paragraph, TextTable
from pecli.encodings.base import TableEncoding, ends_of
from pecli.encodings.harmonic import Harmonic
from pecli.files.sheet import over
from pecli.measures.comparison import VectorComparison
from pecli.measures.pairs import pearson, ranks
from pecli.measures.waves import first_negative_offset, incomplete_turns
from pecli.reports.base import GAP, Numbers, Report, View, widest

SAMPLE = 2000  # most positions of which all pairs are compared; of longer sequences, every n-th position


@dataclass(frozen=True, kw_only=True)
class Indicators:
    """The statistics of one encoding; None if undefined.

    spread, mean_spread : largest and mean value, over offsets Δ, of the spread of m(p, p + Δ) over positions p,
        relative to the range of all m (translation invariance). The spread is 0 if the measure is a function of the
        offset, and 1 if the values at one offset span the whole range. Long offsets have few pairs, so the mean is
        biased towards 0
    pearson, spearman : linear and rank correlation of two measures over all pairs, as in the scatter figure
    """

    spread: float | None
    mean_spread: float | None
    growing: float | None  # growing, first_fall: see `growth`
    first_fall: int | None
    asymmetry: float | None
    smallest_distance: float | None
    closest: tuple[int, int] | None  # the first two positions at that distance
    effective_dimension: float | None
    dimensions: int
    pearson: float | None
    spearman: float | None
    thinned: int  # n: asymmetry and correlations use every n-th position
    original: int | None = None  # original context, or the sequence's length without scaling
    unscaled_slow_pairs: int | None = None  # with an unscaled wavelength longer than `original`
    extended: int | None = None  # extended context, or the sequence's length
    slow_pairs: int | None = None  # with a wavelength longer than `extended`
    window: int | None = None  # attention window in positions, if shorter than the context
    window_unscaled_slow_pairs: int | None = None  # with an unscaled wavelength longer than `window`
    window_slow_pairs: int | None = None
    pairs: int | None = None
    longest_wavelength: float | None = None  # positions
    critical_dimension: int | None = None  # in the original context, unscaled
    first_negative: int | None = None  # first offset in the sequence with Σ_j cos(ω_j Δ) < 0
    length: int | None = None  # length of the sequence, if the encoding has waves


def indicators(encoding: TableEncoding, positions: Positions, measure: str, against: str) -> Indicators:
    """Return the statistics of an encoding at these positions.

    measure : name of the measure m
    against : name of the measure that m is correlated with
    """
    rows, every = encoding.covered(positions), {measure, "euclidean", against}
    compared = {name: VectorComparison(encoding, name) for name in every}
    offsets = np.arange(rows.length + 1)
    by_name = {name: compared[name].offset_runs(rows, offsets).values for name in {measure, "euclidean"}}
    bands = by_name[measure] if not encoding.sides else compared[measure].offset_map(rows.array(), rows.array())
    whole = 0.0 if np.isnan(bands.low).all() else float(np.nanmax(bands.high) - np.nanmin(bands.low))
    distance, pair = closest(compared["euclidean"], by_name["euclidean"].low[0], rows)
    thinned = ceil(rows.length / SAMPLE)
    y, x = (sampled_pairs(compared[name], rows, thinned) for name in (measure, against))
    defined = np.triu(~(np.isnan(x) | np.isnan(y)), 1)  # pairs p < q where both are defined
    across, up = x[defined], y[defined]
    widths = (bands.high - bands.low) / whole if whole else np.full(1, np.nan)
    apart = -bands.mean[0] if compared[measure].similarity else bands.mean[0]
    growing, first_fall = growth(apart) if not encoding.sides else (None, None)
    return Indicators(
        spread=None if np.isnan(widths).all() else float(np.nanmax(widths)),
        mean_spread=None if np.isnan(widths).all() else float(np.nanmean(widths)),
        growing=growing,
        first_fall=first_fall,
        asymmetry=None if encoding.sides else asymmetry(y, whole),
        smallest_distance=distance,
        closest=pair,
        effective_dimension=effective_dimension(encoding, rows),
        dimensions=encoding.width,
        pearson=pearson(across, up),
        spearman=pearson(ranks(across), ranks(up)),
        thinned=thinned,
        **wave_statistics(encoding, positions.length),
    )


def growth(mean: Array) -> tuple[float | None, int | None]:
    """Return the share of steps Δ − 1 → Δ at which the mean distance grows, and the first Δ at which it falls.

    At the first fall, the fastest wave has made half a turn: positions farther away may then seem nearer.

    mean : mean distance by offset, or a similarity times −1
    """
    steps = np.diff(mean)
    defined = ~np.isnan(steps)
    if not defined.any():
        return None, None
    least = ROUNDING * float(np.nanmax(np.abs(mean)))
    falls = np.flatnonzero(steps < -least)
    return float((steps > least).sum() / defined.sum()), int(falls[0]) + 1 if len(falls) else None


def asymmetry(values: Array, whole: float) -> float | None:
    """Return the mean of |m(p, p + Δ) − m(p, p − Δ)| over positions and offsets, relative to the range of all m.

    The result is 0 for every translation-invariant encoding.

    values : m for all pairs, (n, n)
    whole : range of all m
    """
    differences = []
    for i, row in enumerate(values):
        reach = min(i, len(values) - 1 - i)
        differences.append(np.abs(row[i + 1 : i + 1 + reach] - row[i - reach : i][::-1]))
    every = np.concatenate(differences)
    return None if np.isnan(every).all() or not whole else float(np.nanmean(every)) / whole


def closest(distances: VectorComparison, low: Array, rows: Positions) -> tuple[float | None, tuple[int, int] | None]:
    """Return the smallest Euclidean distance between two positions, and the first two positions at that distance.

    low : smallest distance by offset
    """
    if rows.length < 2:
        return None, None
    offset = 1 + int(np.argmin(low[1:]))
    encoding, count, best, at = distances.encoding, rows.length - offset, np.inf, 0
    for part in chunks(0, 0 if distances.is_of_offset else count, encoding.width):
        positions = rows.start + np.arange(part.start, part.stop, dtype=np.float64)
        sizes = np.linalg.norm(encoding.table(positions + offset) - encoding.table(positions), axis=1)
        if sizes.min() < best:
            best, at = float(sizes.min()), part.start + int(sizes.argmin())
    first = rows.start + at
    return float(low[offset]), (first, first + offset)


def sampled_pairs(compared: VectorComparison, rows: Positions, thinned: int) -> Array:
    """Return the measure between all pairs of some of the positions, a square matrix.

    thinned : n, to use every n-th position
    """
    steps = np.arange(0, rows.length, thinned)
    if compared.is_of_offset:
        return compared.at_offsets(0, rows.length)[np.abs(steps[:, None] - steps)]
    table = compared.encoding.table(rows.start + steps.astype(np.float64))
    return compared.measure.between(table, table)


def effective_dimension(encoding: TableEncoding, rows: Positions) -> float | None:
    """Return the participation ratio (Σ λ)² / Σ λ² of the eigenvalues λ of the columns' covariance.

    The ratio ranges from 1 (all rows on a line) to d (equal variance along every axis): Gao et al. 2017,
    doi:10.1101/214262. It is computed from the trace and the squared entries of the products of the centred columns, or
    of the centred rows, whose eigenvalues are the same up to a factor. None if no row differs from the mean row by more
    than rounding.
    """
    mean = encoding.mean_table(rows.blocks(1))[0]
    if rows.length < encoding.width:
        centred = encoding.table(rows.array()) - mean
        products = centred @ centred.T
    else:
        products = np.zeros((encoding.width, encoding.width))
        for part in track(chunks(rows.start, rows.stop, encoding.width), "comparing columns"):
            centred = encoding.table(np.arange(part.start, part.stop, dtype=np.float64)) - mean
            products += centred.T @ centred
    trace, squares = float(np.trace(products)), float(np.sum(products**2))
    constant = trace <= ROUNDING**2 * rows.length * float(mean @ mean)
    return None if squares == 0 or constant else trace**2 / squares


def wave_statistics(encoding: TableEncoding, length: int) -> dict[str, Any]:
    """Return the statistics computed from the frequencies, for a sequence of this length; {} without frequencies."""
    if not isinstance(encoding, Harmonic) or encoding.sides:
        return {}
    wave = float(encoding.wavelengths().max())  # positions; infinite if a rate is 0
    found = incomplete_turns(encoding, length)
    unscaled, scaled = found.in_window or (None, None)
    facts: dict[str, Any] = {
        "length": length,
        "window": found.window,
        "window_unscaled_slow_pairs": unscaled,
        "window_slow_pairs": scaled,
        "original": found.original,
        "unscaled_slow_pairs": found.unscaled,
        "extended": found.extended,
        "slow_pairs": found.scaled,
        "pairs": len(encoding.frequencies()),
        "longest_wavelength": wave if np.isfinite(wave) else None,
        "critical_dimension": found.critical_dimension,
    }
    if encoding.width % 2 == 0:  # for odd d the last sine has no cosine
        facts["first_negative"] = first_negative_offset(encoding, length - 1)
    return facts


ROWS: Mapping[str, str] = {  # label and meaning of each row
    "stats.invariance_widest_spread": "stats.how_far_m_p",
    "stats.invariance_mean_spread": "stats.the_same_the_mean",
    "stats.monotonic_steps_that_grow": "stats.the_share_of_steps",
    "stats.first_fall_at_offset": "stats.the_first_at_which",
    "stats.asymmetry": "stats.the_mean_m_p",
    "stats.smallest_distance": "stats.the_least_euclidean_distance",
    "stats.closest_positions": "stats.the_two_positions_that",
    "stats.effective_dimension": "stats.participation_ratio_of_the",
    "stats.linear_correlation": "stats.pearsons_r_of_two",
    "stats.rank_correlation": "stats.spearmans_of_the_same",
    "stats.longest_wavelength": "stats.2_omega_of_the",
    "words.critical_dimension": "stats.columns_of_the_pairs",
    "stats.cos_0_first_at": "stats.the_first_at_which_cos",
    "stats.original_context_long_waves": "stats.pairs_that_unscaled_turn",
    "stats.extended_context_long_waves": "stats.pairs_that_scaled_turn",
}


def row_texts(found: Indicators, encoding: TableEncoding) -> list[str]:
    """Return the statistics as the texts of one column, with positions and lengths in the encoding's notation."""
    undefined = say("stats.undefined")

    def text(value: float | None, form: str = "{:.4g}", otherwise: str = undefined) -> str:
        return otherwise if value is None else form.format(value)

    def share(value: float | None, count: int | None, form: str = "{:,}") -> str:
        return undefined if value is None else say("stats.value_of_all", value=form.format(value), all=count)

    def slow(count: int | None, context: int | None, within: int | None) -> str:
        where, length = "stats.of_in", context
        if found.window is not None and (context is None or found.window < context):
            where, length, count = "stats.of_in_window", found.window, within
        return (
            undefined
            if count is None
            else say(where, count=count, all=found.pairs, length=encoding.length_text(length or 0))
        )

    never = undefined if found.growing is None else say("stats.never")
    none = say("words.none_up_to_offset", searched=found.length - 1) if found.length else undefined
    if found.longest_wavelength is not None:
        wave = encoding.length_text(found.longest_wavelength)
    else:
        wave = undefined if found.pairs is None else say("stats.pair_stands_still")
    return [
        text(found.spread),
        text(found.mean_spread),
        text(found.growing, "{:.1%}"),
        text(found.first_fall, "{:,}", never),
        text(found.asymmetry),
        text(found.smallest_distance),
        undefined if found.closest is None else join_and(map(encoding.position_text, found.closest)),
        share(found.effective_dimension, found.dimensions, "{:.4g}"),
        text(found.pearson, "{:.4f}"),
        text(found.spearman, "{:.4f}"),
        wave,
        share(found.critical_dimension, found.dimensions),
        text(found.first_negative, "{:,}", undefined if encoding.width % 2 else none),
        slow(found.unscaled_slow_pairs, found.original, found.window_unscaled_slow_pairs),
        slow(found.slow_pairs, found.extended, found.window_slow_pairs),
    ]


@dataclass(frozen=True, kw_only=True)
class StatsNumbers(Numbers[TableEncoding]):
    """The statistics of each encoding, NaN if undefined."""

    values: Array = over("encoding", "indicator")
    encoding: Array = over("encoding")
    indicators: tuple[str, ...] = over("indicator")
    measured: tuple[Indicators, ...]

    def facts(self) -> dict[str, Any]:
        items = zip(self.view.encodings, self.measured, strict=True)
        return {"statistics": [{"encoding": encoding.spec(), **asdict(item)} for encoding, item in items]}

    @classmethod
    def fact_types(cls) -> dict[str, Any]:
        measured = make_dataclass("Measured", [("encoding", str)], bases=(Indicators,), frozen=True)
        return {"statistics": list.__class_getitem__(measured)}


@dataclass(frozen=True)
class Stats(Report[TableEncoding]):
    """Statistics of one or more encodings at the same positions; `Indicators` defines each statistic.

    Notes
    -----
    Translation invariance, monotonicity and symmetry are properties from Wang et al. 2021, On Position Embeddings in
    BERT, ICLR 2021; pecli computes their indicators from the vectors, not from attention. If a formula proves that the
    measure depends only on the offset (sines and cosines, even d), spread and asymmetry are 0 and not measured. With
    more than 2,000 positions, symmetry and correlation use an even sample of that many; all other statistics use every
    pair. A base is large enough for a length if no sum of cosines is negative (arXiv:2405.14591). This does not change
    monotonically with the base, so sweep bases in small steps.
    """

    name: ClassVar[str] = "stats"
    requires: ClassVar[Any] = TableEncoding
    defines: ClassVar[str] = (
        "computed from all pairs of positions, or from every n-th position if there are more than 2,000; these are "
        "the definitions of the rows"
    )
    row_meanings: ClassVar[Mapping[str, str]] = ROWS
    example: ClassVar[str] = "pecli stats sinusoidal clock binary --length 512"
    examples: ClassVar[tuple[str, ...]] = ("pecli stats rope:base=500000 -n 4096",)
    several: ClassVar[bool] = True
    specs_are_arguments: ClassVar[bool] = True
    length_in_use: ClassVar[bool] = True

    measure: str = measure_option("euclidean")
    against: str = choice_of_measure("corr", "measure that --measure is correlated with")

    def shape(self, view: View[TableEncoding]) -> tuple[int, ...]:
        """Return the shape of the largest array.

        The largest array is a row of pairs, the sample's pairs, the products of columns, or the sampled table.
        """
        shapes: list[tuple[int, ...]] = []
        for encoding in view.encodings:
            length = encoding.covered(view.positions).length
            sample = min(length, SAMPLE)
            rows = 2 if VectorComparison(encoding, self.measure).is_of_offset else 4
            products = (min(length, encoding.width), encoding.width)
            shapes += [(rows, length), (3, sample, sample), products, (sample, encoding.width)]
        return max(shapes, key=prod)

    def compute(self, view: View[TableEncoding]) -> StatsNumbers:
        measured = tuple(
            indicators(encoding, view.positions, self.measure, self.against) for encoding in view.encodings
        )
        values = np.array([list(as_numbers(item).values()) for item in measured], dtype=np.float64)
        names, encoding = tuple(as_numbers(measured[0])), np.arange(len(measured))
        return StatsNumbers(view=view, values=values, encoding=encoding, indicators=names, measured=measured)

    def show(self, numbers: StatsNumbers, width: int) -> list[Block]:
        labels = ["", *map(say, ROWS)]
        items = zip(numbers.view.encodings, numbers.measured, strict=True)
        columns = [[encoding.title(), *row_texts(item, encoding)] for encoding, item in items]
        positions, thinned = numbers.view.positions, max(item.thinned for item in numbers.measured)
        first, last = (f"{at:,.15g}" for at in ends_of(numbers.view.encodings, positions))
        grids = all(encoding.own_positions for encoding in numbers.view.encodings)
        where = "" if grids else say("words.positions_to", first=first, last=last)
        said = [listing([where, VectorComparison(numbers.view.encoding, self.measure).label]), *numbers.other_lengths()]
        result: list[Block] = [*map(Paragraph, said)]
        for run in column_groups(columns, width - widest(labels)):
            header, *rows = zip(labels, *run, strict=True)
            result += [TextTable(header, rows, plain=True), Paragraph()]
        if thinned > 1:
            note = say("stats.asymmetry_and_correlations_of", count=thinned)
            result += [Paragraph(note), Paragraph()]
        return [*result, Facts({say(label): say(meaning) for label, meaning in ROWS.items()})]


def column_groups(columns: list[list[str]], room: int) -> list[list[list[str]]]:
    """Return the columns in groups that fit side by side in `room` characters, with at least one column each."""
    runs: list[list[list[str]]] = [[]]
    for column in columns:
        if runs[-1] and sum(GAP + widest(other) for other in [*runs[-1], column]) > room:
            runs.append([])
        runs[-1].append(column)
    return runs


def as_numbers(found: Indicators) -> dict[str, float]:
    """Return the statistics as numbers, NaN if undefined; the closest pair becomes two numbers."""
    values = asdict(found)
    pair = values.pop("closest") or (np.nan, np.nan)
    named = {**values, "closest_p": pair[0], "closest_q": pair[1]}
    return {name: np.nan if value is None else value for name, value in named.items()}
