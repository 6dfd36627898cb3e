"""What two positions of an encoding say to each other: a measure of their vectors, or the bias of a head.

No array of shape (length, length, d) is ever made.
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
from pecli.measures.summary import ENOUGH, PairSummary, extremes, joined, spread_evenly, summary_of_offsets

MAX_PAIRS = 10**10  # pairs that are compared one by one at most
MAX_WHOLE = 2048  # positions, all pairs of which are held at once


def comparison_of(encoding: Encoding, measure: str, head: int = 0) -> Comparison:
    """Return the bias of that head of an encoding that is a bias, else that measure of its vectors."""
    if isinstance(encoding, BiasEncoding):
        return BiasComparison(encoding, head)
    assert isinstance(encoding, TableEncoding)  # others are compared by nobody
    return VectorComparison(encoding, measure)


class Comparison(ABC):
    """Base of what has a number for any two positions p and q.

    label : the quantity's name on an axis and in a sentence
    similarity : the larger the number, the more alike the two; else it is a distance
    is_of_offset : p − q on a line alone counts, by the formula
    symmetric : p and q may be exchanged
    sees_ahead : offsets below 0 have numbers that those above 0 do not tell
    grows : the more columns, the larger it is, so that tables of several widths are on several scales
    is_classes : the numbers are those of classes, with nothing between them
    axis_labels : what p and q are called, as templates
    head : whose bias it is, None of a measure; heads : of how many
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
        """Return the kind of colours that show its numbers from low to high."""
        return "distance" if not self.similarity else "diverging" if low < 0 < high else "amount"

    @abstractmethod
    def at_offsets(self, first: int, count: int) -> Array:
        """Return the numbers at the offsets p − q from a first one on, (count,); only where that alone counts."""

    def profile(self, length: int) -> Array:
        """Return the numbers at the offsets 1 − length … length − 1, (2 length − 1,); only where that alone counts."""
        return self.at_offsets(1 - length, 2 * length - 1)

    @abstractmethod
    def between(self, p: Array, q: Array) -> Array:
        """Return the numbers of positions p (n,) and q (m,), shape (n, m)."""

    def to_run(self, p: Array, first: int, count: int) -> Array:
        """Return the numbers of positions p (n,) and `count` positions from `first` on, shape (n, count)."""
        return self.between(p, first + np.arange(count, dtype=np.float64))

    @abstractmethod
    def means(self, blocks: Blocks) -> tuple[Array, PairSummary]:
        """Return the mean over each pair of blocks, (blocks, blocks), and what all pairs say."""


class BiasComparison(Comparison):
    """The bias of one head for a query p and a key q, NaN where the query does not see the key."""

    similarity, is_of_offset, symmetric = True, True, False
    axis_labels = "words.query_p", "words.key_q"

    def __init__(self, encoding: BiasEncoding, head: int = 0) -> None:
        self.encoding, self.head, self.heads = encoding, head, encoding.n_heads
        self.label, self.is_classes = say(encoding.quantity), not encoding.known
        self.sees_ahead = bool(np.isfinite(encoding.bias(np.array([-1.0]))).any())

    def at_offsets(self, first: int, count: int) -> Array:
        return seen_bias(self.encoding, first + np.arange(count, dtype=np.float64))[self.head]

    def between(self, p: Array, q: Array) -> Array:
        return np.stack([seen_bias(self.encoding, at - q)[self.head] for at in p])

    def means(self, blocks: Blocks) -> tuple[Array, PairSummary]:
        run = self.profile(blocks.length)
        return means_of_finite(run, blocks), replace(summary_of_offsets(run), undefined=0)


class VectorComparison(Comparison):
    """A measure of the vectors of two positions, NaN where it is not defined."""

    def __init__(self, encoding: TableEncoding, name: str) -> None:
        measure = MEASURES[name]
        self.encoding, self.name, self.measure = encoding, name, measure
        self.label, self.similarity, self.grows = say(measure.text), measure.similarity, measure.grows
        self.axis_labels = encoding.position_label, encoding.other_label
        invariant = isinstance(encoding, Harmonic) and encoding.invariant
        self.is_closed = invariant and measure.from_squares is not None  # by the offset along each axis
        self.is_of_offset = self.is_closed and encoding.own_positions is None

    def at_offsets(self, first: int, count: int) -> Array:
        assert isinstance(self.encoding, Harmonic) and self.measure.from_squares is not None  # nobody asks others
        with np.errstate(invalid="ignore"):  # rows of zeros have no direction: NaN, undefined
            squares, norm = self.encoding.squares(count, first), float(np.sum(self.encoding.amplitudes**2))
            return self.measure.from_squares(squares, norm)

    def profile(self, length: int) -> Array:
        run = self.at_offsets(0, length)
        return np.concatenate([run[:0:-1], run])

    @cached_property
    def of_grid_offset(self) -> Array | None:
        """The measure so many rows and columns apart, from 0 on, (rows, columns); None where that is not all that
        counts: of waves along each axis it is that of the first cell and all others."""
        sides = self.encoding.sides
        if not sides or not self.is_closed:
            return None
        table = self.encoding.table(np.arange(prod(sides), dtype=np.float64))
        return self.measure.between(table[:1], table).reshape(sides)

    def between(self, p: Array, q: Array) -> Array:
        if self.of_grid_offset is None:
            return self.measure.between(self.encoding.table(p), self.encoding.table(q))
        places = zip(self.encoding.places_of(p), self.encoding.places_of(q), strict=True)
        return self.of_grid_offset[tuple(np.abs(np.subtract.outer(first, second)) for first, second in places)]

    def to_run(self, p: Array, first: int, count: int) -> Array:
        if self.is_of_offset:
            return np.array([self.at_offsets(first - int(at), count) for at in p])
        rows, encoding = self.encoding.table(p), self.encoding
        parts = [np.arange(c.start, c.stop, dtype=np.float64) for c in chunks(first, first + count, encoding.width)]
        return np.hstack([self.measure.between(rows, encoding.table(part)) for part in parts])

    def means(self, blocks: Blocks) -> tuple[Array, PairSummary]:
        """Where no formula gives them, all pairs are compared once for both, and what they say is kept."""
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
            """Return the values of a tile of the upper half of the matrix; note what they say."""
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
        if self.of_grid_offset is not None:
            apart = 0.0
        some = spread_evenly(rows, isqrt(ENOUGH))
        summary = PairSummary(*joined(ends), self.between(some, some), undefined, apart)
        encoding.measured[key] = summary
        return means, summary

    def offset_runs(self, positions: Positions, edges: Array) -> OffsetRuns:
        """Return the minimum, maximum and mean over all pairs at each run of offsets.

        edges : borders of the runs, whole numbers, shape (runs + 1,)
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
            for shift, row in enumerate(values):  # from its diagonal on, a row stands at the offsets 0, 1, …
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
        mean = np.add.reduceat(total[:stop], starts) / np.where(counts, counts, np.nan)  # a long offset has fewer pairs
        ends = (np.fmin.reduceat(low[:stop], starts), np.fmax.reduceat(high[:stop], starts))
        runs = Envelope(*(values[None] for values in (*ends, mean)))
        return OffsetRuns(runs, widest, length * (length + 1) // 2 - int(pairs.sum()), where)

    def offset_map(self, p: Array, q: Array) -> OffsetMap:
        """Return the measure between positions p (n,) and q (m,) of a grid by their offset in rows and columns."""
        encoding, profile = self.encoding, self.of_grid_offset
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
    """values : (1, runs), over all pairs of positions at the offsets of each run, NaN where none is defined; widest :
    the largest difference of two pairs at a single offset; undefined : pairs that are left out; where : that offset, of
    several the one nearest the middle, and the smallest and the largest there, None where only the offset counts."""

    values: Envelope
    widest: float
    undefined: int
    where: tuple[int, float, float] | None


class OffsetMap(NamedTuple):
    """low, high, mean : over the pairs of a grid at each offset, (2 rows − 1, 2 columns − 1), NaN where there are none;
    pairs : how many there are."""

    low: Array
    high: Array
    mean: Array
    pairs: Array


def seen_bias(encoding: BiasEncoding, offsets: Array) -> Array:
    """Return the bias of every head at offsets (n,), (n_heads, n); NaN where no key is seen."""
    values = encoding.bias(offsets)
    return np.where(np.isfinite(values), values, np.nan)


def check_pairs(length: int) -> None:
    """Refuse to compare all pairs of so many positions one by one where that takes hours."""
    pairs = length * (length - 1) // 2
    if pairs > MAX_PAIRS:
        text = f"{pairs:,} pairs would be compared one by one and {MAX_PAIRS:.0e} are the most, some minutes of work"
        raise UsageError(text, option="length", value=length, advice=f"try {option_text('length', 100_000)}")


def offset_codes(encoding: Encoding, p: Array, q: Array) -> Array:
    """Return one whole number for each offset p − q, (n, m) of positions (n,) and (m,); in a grid for each number of
    rows and columns between them."""
    codes = np.zeros((len(p), len(q)), dtype=np.int64)
    for side, first, second in zip(encoding.sides or (1,), *map(encoding.places_of, (p, q)), strict=True):
        codes = codes * (2 * side - 1) + np.subtract.outer(first, second).astype(np.int64) + side - 1
    return codes


def largest_spread(values: Array, codes: Array) -> float:
    """Return how much values differ at one offset, at most; NaN is left out."""
    places = (codes - codes.min()).ravel()
    low, high = np.full(places.max() + 1, np.inf), np.full(places.max() + 1, -np.inf)
    np.fmin.at(low, places, values.ravel())
    np.fmax.at(high, places, values.ravel())
    return float(np.max(high - low, initial=0.0, where=high >= low))
