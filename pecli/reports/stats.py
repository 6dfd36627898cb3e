"""What can be measured of encodings, side by side.

The three properties are those of Wang et al. 2021, On Position Embeddings in BERT, ICLR 2021, section 2: translation
invariance, monotonicity and symmetry of a proximity between position vectors. Their own indicators are taken from
attention weights; ours are taken from the vectors alone, so the numbers are not to be compared with theirs.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from math import ceil
from typing import Any, ClassVar

from pecli.core.language import both, listing, phrase, template
from pecli.core.lazy import Array, np
from pecli.core.numbers import ROUNDING, chunks
from pecli.core.positions import Positions
from pecli.core.terminal import Block, Facts, Paragraph, Table, track
from pecli.encodings.base import TableEncoding
from pecli.encodings.harmonic import Harmonic, PowersOfBase
from pecli.measures.pairs import pearson, ranks
from pecli.measures.pairwise import (
    MEASURES,
    Measure,
    by_offset,
    choice_of_measure,
    is_by_offset,
    measure_option,
    spread_by_offset,
)
from pecli.measures.reduce import Envelope
from pecli.measures.waves import critical_dimension, first_negative_offset, longer_than
from pecli.reports.base import BETWEEN, Numbers, Report, View, widest


def gram(encoding: TableEncoding, rows: Positions) -> tuple[Array, float]:
    """Products of the centred columns, (d, d), or of the rows, (L, L), whichever is smaller; Σ of the means²."""
    mean = encoding.mean_table(rows.blocks(1))[0]
    size = rows.length * float(mean @ mean)
    if rows.length < encoding.width:
        centred = encoding.table(rows.array()) - mean
        return centred @ centred.T, size
    result = np.zeros((encoding.width, encoding.width))
    for part in track(chunks(rows.start, rows.stop, encoding.width), "comparing columns"):
        centred = encoding.table(np.arange(part.start, part.stop, dtype=np.float64)) - mean
        result += centred.T @ centred
    return result, size


def participation_ratio(products: Array, size: float = 0.0) -> float | None:
    """Effective dimension: (Σ λ)² / Σ λ² over the eigenvalues λ of the covariance of the columns.

    From 1 (all rows on a line) to d (the same variance along every axis); Gao et al. 2017, doi:10.1101/214262. Taken
    from the trace and the squared entries of the products, which have those eigenvalues up to a factor. Not defined
    where no row differs from the mean row by more than rounding (`size`: of the means, as the trace is).
    """
    trace, squares = float(np.trace(products)), float(np.sum(products**2))
    return None if squares == 0 or trace <= ROUNDING**2 * size else trace**2 / squares


SAMPLE = 2000  # positions of which all pairs are compared at once; more are thinned to that many, evenly


@dataclass(frozen=True, kw_only=True)
class Indicators:
    """What is measured of one encoding; None where it is not defined.

    spread, mean_spread : `spreads`
    growing, first_fall : `growth`
    asymmetry : `asymmetry`
    smallest_distance, closest : `closest`
    effective_dimension : `participation_ratio`, of `dimensions` columns
    pearson, spearman : linear and rank correlation of two measures over all pairs, as in the scatter
    thinned : asymmetry and the correlations are of every thinned-th position
    slow_pairs : pairs whose wavelength is longer than the sequence, of `pairs`; longest_wavelength, positions
    critical_dimension : the columns whose pairs make a whole turn within the sequence, of powers of one base
    length : positions of the sequence, where waves are looked at
    first_negative : the first offset within the sequence at which Σ_j cos(ω_j Δ) is negative; None if it never is
    """

    spread: float | None
    mean_spread: float | None
    growing: float | None
    first_fall: int | None
    asymmetry: float | None
    smallest_distance: float | None
    closest: tuple[int, int] | None
    effective_dimension: float | None
    dimensions: int
    pearson: float | None
    spearman: float | None
    thinned: int
    slow_pairs: int | None = None
    pairs: int | None = None
    longest_wavelength: float | None = None
    critical_dimension: int | None = None
    first_negative: int | None = None
    length: int | None = None


def indicators(encoding: TableEncoding, asked: Positions, measure: str, against: str) -> Indicators:
    """All of them, for a sequence at these positions."""
    rows, main = encoding.covered(asked), MEASURES[measure]
    bands = by_offsets(encoding, main, rows)
    straight = bands if measure == "euclidean" else by_offsets(encoding, MEASURES["euclidean"], rows)
    distance, pair = closest(encoding, straight.low[0], rows)
    thinned = ceil(rows.length / SAMPLE)
    y, x = (pairs_of(encoding, MEASURES[name], rows, thinned) for name in (measure, against))
    linear, rank = correlations(x, y)
    spread, mean_spread = spreads(bands)
    growing, first_fall = growth(-bands.mean[0] if main.similarity else bands.mean[0])
    return Indicators(
        spread=spread,
        mean_spread=mean_spread,
        growing=growing,
        first_fall=first_fall,
        asymmetry=asymmetry(y, _range(bands)),
        smallest_distance=distance,
        closest=pair,
        effective_dimension=participation_ratio(*gram(encoding, rows)),
        dimensions=encoding.width,
        pearson=linear,
        spearman=rank,
        thinned=thinned,
        **of_waves(encoding, asked.length),
    )


def by_offsets(encoding: TableEncoding, measure: Measure, rows: Positions) -> Envelope:
    """The measure's minimum, maximum and mean over all pairs at each offset 0 … L − 1, each (1, L).

    One and the same run where the measure is a function of the offset in closed form; else from every pair.
    """
    run = by_offset(encoding, measure, rows.length)
    if run is None:
        return spread_by_offset(encoding, measure, rows).values
    return Envelope(run[None], run[None], run[None])


def spreads(bands: Envelope) -> tuple[float | None, float | None]:
    """Translation invariance: how wide g(Δ) = m(p, p + Δ) spreads over the positions p, over the range of all m.

    The widest and the mean over the offsets; 0 where the measure is a function of the offset alone, 1 where one offset
    has every value. Long offsets have few pairs, so the mean leans to 0.
    """
    widths, whole = bands.high - bands.low, _range(bands)
    if not whole or np.isnan(widths).all():
        return None, None
    return float(np.nanmax(widths)) / whole, float(np.nanmean(widths)) / whole


def _range(bands: Envelope) -> float:
    """The largest less the smallest value over all pairs; 0 where none is defined."""
    if np.isnan(bands.low).all():
        return 0.0
    return float(np.nanmax(bands.high) - np.nanmin(bands.low))


def growth(mean: Array) -> tuple[float | None, int | None]:
    """Monotonicity: the share of the steps Δ − 1 → Δ at which the mean distance grows, and the first Δ where it falls.

    For a similarity, at which it falls. The first fall is where the circle of the fastest hand has been half walked:
    from there on farther positions may look nearer (the third article's clock).
    """
    steps = np.diff(mean)
    defined = ~np.isnan(steps)
    if not defined.any():
        return None, None
    least = ROUNDING * float(np.nanmax(np.abs(mean)))
    falls = np.flatnonzero(steps < -least)
    return float((steps > least).sum() / defined.sum()), int(falls[0]) + 1 if len(falls) else None


def asymmetry(values: Array, whole: float) -> float | None:
    """Symmetry: the mean of |m(p, p + Δ) − m(p, p − Δ)| over positions and offsets, over the range of all m.

    m(p, q) = m(q, p) holds for every measure here, so what is compared is ahead and behind: 0 where a position sees
    both alike, as every translation-invariant encoding does.
    """
    total, count = 0.0, 0
    for i, row in enumerate(values):
        reach = min(i, len(values) - 1 - i)
        differences = np.abs(row[i + 1 : i + 1 + reach] - row[i - reach : i][::-1])
        defined = differences[~np.isnan(differences)]
        total, count = total + float(defined.sum()), count + len(defined)
    return total / count / whole if count and whole else None


def closest(encoding: TableEncoding, low: Array, rows: Positions) -> tuple[float | None, tuple[int, int] | None]:
    """Uniqueness: the smallest Euclidean distance of two different positions, and the first two that are so close."""
    if rows.length < 2:
        return None, None
    offset = 1 + int(np.argmin(low[1:]))
    count, best, at = rows.length - offset, np.inf, 0
    for part in chunks(0, 0 if is_by_offset(encoding, MEASURES["euclidean"]) else count, encoding.width):
        own = rows.start + np.arange(part.start, part.stop, dtype=np.float64)
        sizes = np.linalg.norm(encoding.table(own + offset) - encoding.table(own), axis=1)
        if sizes.min() < best:
            best, at = float(sizes.min()), part.start + int(sizes.argmin())
    first = rows.start + at
    return float(low[offset]), (first, first + offset)


def pairs_of(encoding: TableEncoding, measure: Measure, rows: Positions, thinned: int) -> Array:
    """The measure between every thinned-th position, (n, n)."""
    run = by_offset(encoding, measure, rows.length)
    if run is not None:
        run = run[::thinned]
        steps = np.arange(len(run))
        return run[np.abs(steps[:, None] - steps)]
    table = encoding.table(np.arange(rows.start, rows.stop, thinned, dtype=np.float64))
    return measure.between(table, table)


def correlations(x: Array, y: Array) -> tuple[float | None, float | None]:
    """Linear and rank correlation of two measures over all pairs p < q at which both are defined."""
    upper = np.triu_indices(len(x), 1)
    x, y = x[upper], y[upper]
    defined = ~(np.isnan(x) | np.isnan(y))
    x, y = x[defined], y[defined]
    return pearson(x, y), pearson(ranks(x), ranks(y))


def of_waves(encoding: TableEncoding, length: int) -> dict[str, Any]:
    """What the frequencies say of a sequence of that length; nothing where there are none."""
    if not isinstance(encoding, Harmonic):
        return {}
    wave = float(encoding.wavelengths().max())  # positions; infinite where a pair stands still
    found: dict[str, Any] = {
        "length": length,
        "slow_pairs": longer_than(encoding, length),
        "pairs": len(encoding.frequencies()),
        "longest_wavelength": wave if np.isfinite(wave) else None,
    }
    if encoding.width % 2 == 0:  # else a sine has no cosine, and the sum is none of offsets
        found["first_negative"] = first_negative_offset(encoding, length - 1)
    if isinstance(encoding, PowersOfBase):
        found["critical_dimension"] = critical_dimension(encoding, length)
    return found


ROWS: Mapping[str, str] = {  # of the report: label and meaning
    template("invariance: widest spread"): template(
        "how far the measure of p and p + Δ spreads over p, over its range: at its widest"
    ),
    template("invariance: mean spread"): template("the same, the mean over all Δ; 0 where the offset alone counts"),
    template("monotonic: steps that grow"): template(
        "the share of steps from Δ to Δ + 1 at which the mean distance grows"
    ),
    template("first fall at offset"): template("the first Δ at which the mean distance is less than at the one before"),
    template("asymmetry"): template(
        "the mean |m(p, p + Δ) − m(p, p − Δ)| over the range; 0 where ahead and behind look alike"
    ),
    template("smallest distance"): template("the least Euclidean distance of two different positions"),
    template("closest positions"): template("the two positions that have it"),
    template("effective dimension"): template(
        "participation ratio (Σλ)²/Σλ² of the covariance's eigenvalues λ: 1 to d"
    ),
    template("linear correlation"): template("Pearson's r of two measures over all pairs, as in pecli scatter"),
    template("rank correlation"): template(
        "Spearman's ρ of the same; values that are equal share the mean of their ranks"
    ),
    template("longest wavelength"): template("2π/ω of the slowest pair"),
    template("critical dimension"): template("the columns whose pairs make a whole turn within the length"),
    template("Σ cos < 0 first at offset"): template("the first Δ at which Σ cos ω_j Δ < 0 (arXiv:2405.14591)"),
    template("pairs slower than length"): template(
        "pairs whose wavelength is longer than the length: they never finish a turn"
    ),
}


def row_texts(one: Indicators, encoding: TableEncoding) -> list[str]:
    """The indicators of an encoding as text, one a row of the report, positions and lengths in its own terms."""
    undefined = phrase("undefined")

    def text(value: float | None, format: str = "{:.4g}") -> str:
        return undefined if value is None else format.format(value)

    def share(value: float | None, count: int | None, format: str = "{:,}") -> str:
        return undefined if value is None else phrase("{value} of {all:,}", value=format.format(value), all=count)

    fall, wave, critical, negative = (undefined,) * 4
    if one.growing is not None:
        fall = phrase("never") if one.first_fall is None else f"{one.first_fall:,}"
    if one.longest_wavelength is not None:
        wave = encoding.length_text(one.longest_wavelength)
    elif one.pairs is not None:
        wave = phrase("a pair stands still")
    if one.critical_dimension is not None:
        counts = {"count": one.critical_dimension, "all": one.dimensions, "length": one.length}
        critical = phrase("{count} of {all} at {length:,}", **counts)
    if one.first_negative is not None:
        negative = f"{one.first_negative:,}"
    elif one.length is not None and encoding.width % 2 == 0:
        negative = phrase("none up to offset {searched:,}", searched=one.length - 1)
    return [
        text(one.spread),
        text(one.mean_spread),
        text(one.growing, "{:.1%}"),
        fall,
        text(one.asymmetry),
        text(one.smallest_distance),
        undefined if one.closest is None else both(map(encoding.position_text, one.closest)),
        share(one.effective_dimension, one.dimensions, "{:.4g}"),
        text(one.pearson, "{:.4f}"),
        text(one.spearman, "{:.4f}"),
        wave,
        critical,
        negative,
        share(one.slow_pairs, one.pairs),
    ]


@dataclass(frozen=True, kw_only=True)
class StatsNumbers(Numbers[TableEncoding]):
    """values : (encodings, indicators), NaN where one is not defined; encoding : (encodings,), their number."""

    main_array: ClassVar[str] = "values"

    values: Array
    encoding: Array
    measured: tuple[Indicators, ...]

    def columns(self) -> list[str]:
        return list(flat(self.measured[0]))

    def sheet(self) -> tuple[list[str], list[Array]]:
        specs = np.array([encoding.spec() for encoding in self.view.encodings], dtype=object)
        return ["encoding", *self.columns()], [specs, self.values]

    def facts(self) -> dict[str, Any]:
        both = zip(self.view.encodings, self.measured, strict=True)
        return {"statistics": [{"encoding": encoding.spec(), **asdict(one)} for encoding, one in both]}


@dataclass(frozen=True)
class Stats(Report[TableEncoding]):
    """Indicators of one or several encodings at the same positions; `pecli.reports.stats` defines each.

    translation invariance : how far the measure m(p, p + Δ) spreads over the positions p, over the range of all m:
        the widest and the mean over the offsets Δ. 0 where the measure is a function of the offset alone.
    monotonicity : the share of the steps from one offset to the next at which the mean distance grows, and the first
        offset at which it falls, the wrap-around of a clock.
    symmetry : the mean of |m(p, p + Δ) − m(p, p − Δ)| over the range: 0 where ahead and behind look alike.
    uniqueness : the smallest Euclidean distance of two different positions, and which they are.
    effective dimension : participation ratio (Σ λ)² / Σ λ² of the covariance's eigenvalues, from 1 to d.
    correlation : linear and rank, of two measures over all pairs, the cloud of `pecli scatter`.
    slow pairs : those whose wavelength is longer than the sequence: they never finish a turn.
    critical dimension : the columns whose pairs make a whole turn within the sequence (of powers of one base).
    Σ cos < 0 : the first offset at which a vector has a negative product with itself moved so far. A base is large
        enough for a length where there is none (arXiv:2405.14591): not monotone, so sweep bases finely.

    Notes
    -----
    The first three properties are those of Wang et al. 2021, On Position Embeddings in BERT, ICLR 2021; the indicators
    are our own and taken from the vectors, not from attention. Where a formula proves that the measure depends on the
    offset alone (sines and cosines, even d), its spread and asymmetry are 0 and not measured. Of more than 2,000
    positions symmetry and correlation see an even choice of that many; everything else sees every pair.
    """

    name: ClassVar[str] = "stats"
    requires: ClassVar[Any] = TableEncoding
    summary: ClassVar[str] = "What can be measured of encodings, side by side"
    defines: ClassVar[str] = (
        "of all pairs of positions, or those of one position in some where there are more than 2,000; each "
        "row is defined here"
    )
    row_meanings: ClassVar[Mapping[str, str]] = ROWS
    example: ClassVar[str] = "pecli stats sinusoidal clock binary --length 512"
    examples: ClassVar[tuple[str, ...]] = ("pecli stats rope:base=500000 -n 4096",)
    several: ClassVar[bool] = True
    specs_are_arguments: ClassVar[bool] = True

    measure: str = measure_option("euclidean")
    against: str = choice_of_measure("corr", "the measure that it is correlated with")

    def shape(self, view: View[TableEncoding]) -> tuple[int, ...]:
        return max((self._largest(one, view) for one in view.encodings), key=lambda shape: float(np.prod(shape)))

    def _largest(self, encoding: TableEncoding, view: View[TableEncoding]) -> tuple[int, ...]:
        """The largest of: a row of pairs at a time, pairs of the sample, products of columns, the table by chunks."""
        length = encoding.covered(view.positions).length
        sides = min(length, SAMPLE)
        exact = is_by_offset(encoding, MEASURES[self.measure])
        shapes = [(2 if exact else 4, length), (3, sides, sides), (min(length, encoding.width), encoding.width)]
        return max([*shapes, (sides, encoding.width)], key=lambda shape: float(np.prod(shape)))

    def compute(self, view: View[TableEncoding]) -> StatsNumbers:
        measured = tuple(indicators(one, view.positions, self.measure, self.against) for one in view.encodings)
        values = np.array([list(flat(one).values()) for one in measured], dtype=np.float64)
        return StatsNumbers(view=view, values=values, encoding=np.arange(len(measured)), measured=measured)

    def show(self, numbers: StatsNumbers, width: int) -> list[Block]:
        labels = ["", *map(phrase, ROWS)]
        both = zip(numbers.view.encodings, numbers.measured, strict=True)
        columns = [[encoding.spec(), *row_texts(one, encoding)] for encoding, one in both]
        positions, thinned = numbers.view.positions, max(one.thinned for one in numbers.measured)
        first, last = f"{positions.start:,}", f"{positions.stop - 1:,}"
        where = phrase("positions {first} to {last}", first=first, last=last)
        title = listing([where, MEASURES[self.measure].label])
        note = phrase("asymmetry and correlations: of one position in {count}", count=thinned) if thinned > 1 else ""
        spaced: list[Block] = []
        for run in groups(columns, width - widest(labels)):
            header, *rows = zip(labels, *run, strict=True)
            spaced += [Paragraph(), Table(header, rows, plain=True)]
        meanings = Facts({phrase(label): phrase(meaning) for label, meaning in ROWS.items()})
        return [Paragraph(title), *spaced[1:], *([Paragraph(note)] if note else []), Paragraph(), meanings]


def groups(columns: list[list[str]], room: int) -> list[list[list[str]]]:
    """The columns in runs that stand side by side within so many characters; at least one a run."""
    runs: list[list[list[str]]] = []
    free = 0
    for column in columns:
        needed = BETWEEN + widest(column)
        if not runs or needed > free:
            runs.append([])
            free = room
        runs[-1].append(column)
        free -= needed
    return runs


def flat(one: Indicators) -> dict[str, float]:
    """The indicators as numbers: NaN where one is not defined, the closest pair as two."""
    values = asdict(one)
    pair = values.pop("closest") or (np.nan, np.nan)
    named = {**values, "closest_p": pair[0], "closest_q": pair[1]}
    return {name: np.nan if value is None else value for name, value in named.items()}
