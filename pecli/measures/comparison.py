"""Comparisons of two positions p and q: a measure between their vectors, or the attention bias of one head.

No array of shape (length, length, d) is ever built.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import replace
from functools import cached_property, reduce
from math import isqrt, prod
from typing import NamedTuple

from pecli.core.errors import UsageError, option_text
from pecli.core.language import say
from pecli.core.lazy import Array, np
from pecli.core.numbers import ROUNDING, chunks
from pecli.core.positions import Blocks, Positions
from pecli.core.progress import track
from pecli.encodings.base import BiasEncoding, Encoding, TableEncoding
from pecli.encodings.harmonic import Harmonic
from pecli.measures.pairwise import MEASURES
from pecli.measures.reduce import Envelope, envelope, means_of_finite, means_of_offsets, means_of_pairs
from pecli.measures.summary import (
    SAMPLE_SIZE,
    PairSummary,
    extremes,
    overall_extremes,
    spread_evenly,
    summary_of_offsets,
)

MAX_PAIRS = 10**10  # largest number of pairs that are compared one by one
MAX_WHOLE = 2048  # largest length whose full (length, length) matrix is held in memory


def comparison_of(encoding: Encoding, measure: str, head: int = 0) -> Comparison:
    """Return the comparison for an encoding: for biases the bias of `head`, otherwise the `measure` between vectors."""
    if isinstance(encoding, BiasEncoding):
        return BiasComparison(encoding, head)
    assert isinstance(encoding, TableEncoding)  # no figure compares other kinds
    return VectorComparison(encoding, measure)


class Comparison(ABC):
    """Base class for functions of two positions p and q.

    label : name of the quantity, for axes and sentences
    similarity : True if larger values mean more alike, False for a distance
    is_of_offset : True if, by the formula, the value depends only on the offset p − q of 1-D positions
    symmetric : True if exchanging p and q does not change the value
    sees_ahead : True if values at negative offsets do not follow from those at positive offsets
    grows : True if values grow with the number of columns, so that tables of different widths need different scales
    is_classes : True if its values are indices of classes (T5's buckets), which must not be interpolated
    axis_labels : text keys of the axis labels for p and q
    head : index of the head for a bias, None for a measure
    heads : number of heads
    """

    label: str
    similarity: bool
    is_of_offset: bool
    symmetric = True
    sees_ahead = False
    grows = False
    is_classes = False
    axis_labels: tuple[str, str]
    head: int | None = None
    heads = 1

    def palette(self, low: float, high: float) -> str:
        """Return the kind of colour map ("distance", "diverging" or "amount") for values from `low` to `high`."""
        return "distance" if not self.similarity else "diverging" if low < 0 < high else "amount"

    @abstractmethod
    def at_offsets(self, first: int, count: int) -> Array:
        """Return the values at the offsets first … first + count − 1, shape (count,). Requires `is_of_offset`."""

    def profile(self, length: int) -> Array:
        """Return the values at the offsets 1 − length … length − 1, shape (2 length − 1,). Requires `is_of_offset`."""
        return self.at_offsets(1 - length, 2 * length - 1)

    @abstractmethod
    def between(self, p: Array, q: Array) -> Array:
        """Return the values for all pairs of positions p (n,) and q (m,), shape (n, m)."""

    def to_run(self, p: Array, first: int, count: int) -> Array:
        """Return the values for all pairs of positions p (n,) and first … first + count − 1, shape (n, count)."""
        return self.between(p, first + np.arange(count, dtype=np.float64))

    @abstractmethod
    def block_means(self, blocks: Blocks) -> tuple[Array, PairSummary]:
        """Return the mean over each pair of blocks, shape (blocks, blocks), and a summary of all pairs."""


class BiasComparison(Comparison):
    """The bias of one head for query p and key q; NaN if the key is masked."""

    similarity, is_of_offset, symmetric = True, True, False
    axis_labels = "words.query_p", "words.key_q"

    def __init__(self, encoding: BiasEncoding, head: int) -> None:
        self.encoding, self.head, self.heads = encoding, head, encoding.n_heads
        self.label, self.is_classes = say(encoding.quantity), not encoding.known
        self.sees_ahead = bool(np.isfinite(encoding.bias(np.array([-1.0]))).any())

    def at_offsets(self, first: int, count: int) -> Array:
        return unmasked_bias(self.encoding, first + np.arange(count, dtype=np.float64))[self.head]

    def between(self, p: Array, q: Array) -> Array:
        return np.stack([unmasked_bias(self.encoding, at - q)[self.head] for at in p])

    def block_means(self, blocks: Blocks) -> tuple[Array, PairSummary]:
        run = self.profile(blocks.length)
        return means_of_finite(run, blocks), replace(summary_of_offsets(run), undefined=0)


class VectorComparison(Comparison):
    """A measure between the vectors at two positions; NaN if undefined."""

    def __init__(self, encoding: TableEncoding, name: str) -> None:
        measure = MEASURES[name]
        self.encoding, self.name, self.measure = encoding, name, measure
        self.label, self.similarity, self.grows = say(measure.text), measure.similarity, measure.grows
        self.axis_labels = encoding.position_label, encoding.other_label
        invariant = isinstance(encoding, Harmonic) and encoding.invariant
        self.is_closed = invariant and measure.from_squares is not None  # a formula of the offset along each axis
        self.is_of_offset = self.is_closed and encoding.own_positions is None
        decays = isinstance(encoding, Harmonic) and bool(encoding.decay_rates.any())
        if decays and not invariant:
            raise UsageError(f"{encoding.name} compares positions only in float64", option="dtype")
        self.of_scores = decays and self.is_of_offset  # from scores, not from the table's rotated queries

    def at_offsets(self, first: int, count: int) -> Array:
        assert isinstance(self.encoding, Harmonic) and self.measure.from_squares is not None  # implied by is_of_offset
        with np.errstate(invalid="ignore"):  # rows of zeros have no direction: NaN
            squares, norm = self.encoding.squares(count, first), float(np.sum(self.encoding.amplitudes**2))
            return self.measure.from_squares(squares, norm)

    def profile(self, length: int) -> Array:
        run = self.at_offsets(0, length)
        return np.concatenate([run[:0:-1], run])

    @cached_property
    def grid_profile(self) -> Array | None:
        """The measure from the first cell to every cell, by offset in rows and columns, shape (rows, columns).

        None if the encoding has no grid or the measure is not a function of the offset.
        """
        sides = self.encoding.sides
        if not sides or not self.is_closed or getattr(self.encoding, "directions_of_pairs", None) is not None:
            return None  # with oblique directions, the signs of the offsets in rows and in columns matter
        table = self.encoding.table(np.arange(prod(sides), dtype=np.float64))
        return self.measure.between(table[:1], table).reshape(sides)

    def between(self, p: Array, q: Array) -> Array:
        if self.of_scores:
            offsets = np.abs(np.subtract.outer(p, q))
            if (offsets == np.rint(offsets)).all():
                first, last = int(offsets.min(initial=0)), int(offsets.max(initial=0))
                return self.at_offsets(first, last - first + 1)[offsets.astype(int) - first]
            raise UsageError(f"{self.encoding.name} compares whole positions", option="step")
        if self.grid_profile is None:
            return self.measure.between(self.encoding.table(p), self.encoding.table(q))
        places = zip(self.encoding.places_of(p), self.encoding.places_of(q), strict=True)
        return self.grid_profile[tuple(np.abs(np.subtract.outer(first, second)) for first, second in places)]

    def to_run(self, p: Array, first: int, count: int) -> Array:
        if self.is_of_offset:
            return np.array([self.at_offsets(first - int(at), count) for at in p])
        rows, encoding = self.encoding.table(p), self.encoding
        parts = [np.arange(c.start, c.stop, dtype=np.float64) for c in chunks(first, first + count, encoding.width)]
        return np.hstack([self.measure.between(rows, encoding.table(part)) for part in parts])

    def block_means(self, blocks: Blocks) -> tuple[Array, PairSummary]:
        """Return the block means and the cached summary. Without a closed form, one pass computes both."""
        if self.is_of_offset:
            run = self.profile(blocks.length)
            return means_of_offsets(run, blocks), summary_of_offsets(run)
        check_pairs(blocks.length)
        encoding, rows, key = self.encoding, blocks.positions, (self.name, blocks.positions)
        if key in encoding.measured:
            return means_of_pairs(self.between, blocks), encoding.measured[key]
        ends: list[tuple[float, float]] = []
        undefined, apart = 0, None

        def compare(p: Array, q: Array) -> Array:
            """Return the values of one tile of the upper triangle, and record its extremes and its number of NaNs."""
            nonlocal undefined
            values = self.between(p, q)
            ends.extend(extremes(values))
            if np.isnan(values.min()):
                undefined += int(np.isnan(values).sum()) * (1 if p[0] == q[0] else 2)
            return values

        if blocks.length <= MAX_WHOLE:
            whole = means_of_pairs(compare, rows.blocks(None))
            apart = largest_spread(whole, offset_codes(encoding, rows.array(), rows.array()))
            means = means_of_pairs(lambda p, q: whole[np.ix_(*(at.astype(int) - rows.start for at in (p, q)))], blocks)
        else:
            means = means_of_pairs(compare, blocks)
        if self.grid_profile is not None:
            apart = 0.0
        some = spread_evenly(rows, isqrt(SAMPLE_SIZE))
        summary = PairSummary(*overall_extremes(ends), self.between(some, some), undefined, apart)
        encoding.measured[key] = summary
        return means, summary

    def offset_runs(self, positions: Positions, edges: Array) -> OffsetRuns:
        """Return the minimum, maximum and mean over all pairs of positions in each range of offsets.

        edges : first offset of each range, and the offset after the last range, integers, shape (n_ranges + 1,)
        """
        if self.is_of_offset:
            exact = envelope(lambda first, count: self.at_offsets(first, count)[None], edges)
            return OffsetRuns(exact, 0.0, 0, None)
        length = positions.length
        check_pairs(length)
        low, high, total, pairs = np.full((4, length), [[np.nan], [np.nan], [0.0], [0.0]])
        for part in track(chunks(0, length, length), "comparing positions"):
            at = positions.start + np.arange(part.start, part.stop, dtype=np.float64)
            values = self.to_run(at, positions.start + part.start, length - part.start)
            for shift, row in enumerate(values):  # from the diagonal rightwards, the offsets are 0, 1, …
                stop = length - part.start - shift
                low[:stop] = np.fmin(low[:stop], row[shift:])
                high[:stop] = np.fmax(high[:stop], row[shift:])
                total[:stop] += np.nan_to_num(row[shift:])
                pairs[:stop] += ~np.isnan(row[shift:])
        widest = float(np.fmax.reduce(high - low))
        ties = np.flatnonzero(np.nan_to_num(high - low) >= widest * (1 - ROUNDING))
        middle = int(ties[np.abs(ties - length / 2).argmin()]) if len(ties) else 0
        where = middle, float(low[middle]), float(high[middle])
        starts, stop = edges[:-1], int(edges[-1])
        counts = np.add.reduceat(pairs[:stop], starts)
        mean = np.add.reduceat(total[:stop], starts) / np.where(counts, counts, np.nan)  # NaN if no value is defined
        ends = (np.fmin.reduceat(low[:stop], starts), np.fmax.reduceat(high[:stop], starts))
        runs = Envelope(*(values[None] for values in (*ends, mean)))
        return OffsetRuns(runs, widest, length * (length + 1) // 2 - int(pairs.sum()), where)

    def offset_map(self, p: Array, q: Array) -> OffsetMap:
        """Return the measure between cells p (n,) and q (m,) of a grid, summarised by offset in rows and columns."""
        encoding, profile = self.encoding, self.grid_profile
        shape = tuple(2 * side - 1 for side in encoding.sides)
        if profile is not None and np.array_equal(p, q):
            steps = [np.abs(np.arange(1 - side, side)) for side in encoding.sides]
            values = profile[np.ix_(*steps)]
            pairs = reduce(np.multiply.outer, [step.max() + 1.0 - step for step in steps])
            return OffsetMap(values, values, values, pairs)
        low, high, total, pairs = np.full((4, prod(shape)), [[np.nan], [np.nan], [0.0], [0.0]])
        for part in chunks(0, len(p), len(q)):
            some = p[part.start : part.stop]
            values, codes = self.between(some, q).ravel(), offset_codes(encoding, some, q).ravel()
            np.fmin.at(low, codes, values)
            np.fmax.at(high, codes, values)
            total += np.bincount(codes, np.nan_to_num(values), len(total))
            pairs += np.bincount(codes, ~np.isnan(values), len(total))
        mean = total / np.where(pairs, pairs, np.nan)
        return OffsetMap(*(values.reshape(shape) for values in (low, high, mean, pairs)))


class OffsetRuns(NamedTuple):
    """A measure, summarised over ranges of offsets.

    values : minimum, maximum and mean over all pairs of positions in each range, shape (1, n_ranges); NaN if undefined
    widest : largest spread (maximum − minimum) of the values at a single offset
    undefined : number of pairs without a value
    where : offset with the `widest` spread, and the minimum and maximum at it; among equal spreads, the offset nearest
        length / 2; None if the measure depends only on the offset
    """

    values: Envelope
    widest: float
    undefined: int
    where: tuple[int, float, float] | None


class OffsetMap(NamedTuple):
    """A measure by offset in a grid; all arrays have shape (2 rows − 1, 2 columns − 1).

    low, high, mean : minimum, maximum and mean over the pairs at each offset; NaN where there are no pairs
    pairs : number of pairs at each offset
    """

    low: Array
    high: Array
    mean: Array
    pairs: Array


def unmasked_bias(encoding: BiasEncoding, offsets: Array) -> Array:
    """Return the bias of every head at offsets (n,), shape (n_heads, n), with NaN for masked keys."""
    values = encoding.bias(offsets)
    return np.where(np.isfinite(values), values, np.nan)


def check_pairs(length: int) -> None:
    """Raise UsageError if `length` positions have more than MAX_PAIRS pairs, which would take too long."""
    pairs = length * (length - 1) // 2
    if pairs > MAX_PAIRS:
        text = f"{pairs:,} pairs would be compared one by one; the limit is {MAX_PAIRS:.0e}, which takes minutes"
        raise UsageError(text, option="length", value=length, advice=f"try {option_text('length', 100_000)}")


def offset_codes(encoding: Encoding, p: Array, q: Array) -> Array:
    """Return an integer code for each offset p − q of positions p (n,) and q (m,), shape (n, m).

    Two pairs have the same code exactly if their offsets are equal; in a grid, offsets are in rows and columns.
    """
    codes = np.zeros((len(p), len(q)), dtype=np.int64)
    for side, first, second in zip(encoding.sides or (1,), *map(encoding.places_of, (p, q)), strict=True):
        codes = codes * (2 * side - 1) + np.subtract.outer(first, second).astype(np.int64) + side - 1
    return codes


def largest_spread(values: Array, codes: Array) -> float:
    """Return the largest difference between values that have the same code; NaN is ignored."""
    places = (codes - codes.min()).ravel()
    low, high = np.full(places.max() + 1, np.inf), np.full(places.max() + 1, -np.inf)
    np.fmin.at(low, places, values.ravel())
    np.fmax.at(high, places, values.ravel())
    return float(np.max(high - low, initial=0.0, where=high >= low))
