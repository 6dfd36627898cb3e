"""Reductions of many values to one per pixel: means over blocks of positions; minima, maxima and means over bins."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import combinations_with_replacement
from typing import NamedTuple

from pecli.core.errors import UsageError, option_text
from pecli.core.lazy import Array, np
from pecli.core.numbers import chunks
from pecli.core.positions import Blocks
from pecli.core.progress import track

SIDE = 1024  # largest side of a tile of the matrix of pairs, in rows and columns


def means_of_offsets(run: Array, blocks: Blocks) -> Array:
    """Return the block means, (blocks, blocks), of the matrix with entries run[L − 1 + p − q] in row p and column q.

    run : values at the offsets 1 − L … L − 1, (2L − 1,)

    The mean is weighted: between two blocks, the offsets occur 1, 2, …, 2, 1 times.
    """
    zero, size, last, count = blocks.length - 1, blocks.size, blocks.last, blocks.count
    steps = np.arange(count)
    result = np.empty((count, count))
    inner = np.arange(2 - count, count - 1)  # distances between two full blocks
    if count > 1:
        means = _window_means(run, zero + inner * size, size, size)
        result[:-1, :-1] = np.lib.stride_tricks.sliding_window_view(means[::-1], count - 1)[::-1]
    result[-1, :-1] = _window_means(run, zero + (count - 1 - steps[:-1]) * size, last, size)
    result[:-1, -1] = _window_means(run, zero + (steps[:-1] - count + 1) * size, size, last)
    result[-1, -1] = _window_means(run, np.array([zero]), last, last)[0]
    return result


def means_of_finite(run: Array, blocks: Blocks) -> Array:
    """Return the same as `means_of_offsets`, but over finite entries only; NaN for a block without any."""
    seen = np.isfinite(run)
    if blocks.size == 1:
        steps = np.arange(blocks.length)
        return np.where(seen, run, np.nan)[steps[:, None] - steps + blocks.length - 1]
    share = means_of_offsets(seen.astype(np.float64), blocks)
    return means_of_offsets(np.where(seen, run, 0.0), blocks) / np.where(share > 0, share, np.nan)


def _window_means(mirrored: Array, at: Array, n: int, m: int) -> Array:
    """Return, for each item of `at`, the mean of mirrored[item + i − j] over i < n and j < m, in bounded memory."""
    steps = np.arange(1, n + m)
    weights = np.minimum(np.minimum(steps, steps[::-1]), min(n, m)) / (n * m)
    windows = np.lib.stride_tricks.sliding_window_view(mirrored, n + m - 1)
    return np.array([windows[first] @ weights for first in track((at - (m - 1)).tolist(), "averaging offsets")])


def means_of_pairs(between: Callable[[Array, Array], Array], blocks: Blocks) -> Array:
    """Return the block means, (blocks, blocks), of a symmetric matrix of all pairs of positions, computed tile by tile.

    between : function from positions (n,) and (m,) to values (n, m)
    """
    result, counts = np.empty((blocks.count, blocks.count)), blocks.counts()
    per = max(1, SIDE // blocks.size)
    groups = [np.arange(at, min(at + per, blocks.count)) for at in range(0, blocks.count, per)]
    rows = [blocks.start + np.arange(g[0] * blocks.size, min((g[-1] + 1) * blocks.size, blocks.length)) for g in groups]
    pairs = list(combinations_with_replacement(zip(groups, rows, strict=True), 2))  # upper triangle; mirrored below
    for (group, positions), (other, others) in track(pairs, "comparing positions"):
        values = between(positions.astype(np.float64), others.astype(np.float64))
        sums = np.add.reduceat(values, np.arange(len(group)) * blocks.size, axis=0)
        sums = np.add.reduceat(sums, np.arange(len(other)) * blocks.size, axis=1)
        part = sums / np.outer(counts[group], counts[other])
        result[np.ix_(group, other)] = part
        result[np.ix_(other, group)] = part.T
    return result


def averaged_columns(table: Array, most: int | None) -> tuple[Array, int]:
    """Return the table averaged to at most `most` columns, and the number of columns in each mean.

    The last mean may have fewer columns.
    """
    size = 1 if most is None else -(-table.shape[1] // most)
    return averaged_rows(table.T, size).T, size


def averaged_rows(table: Array, size: int) -> Array:
    """Return the means of every `size` rows of a table (n, d), shape (blocks, d); the last block may be shorter."""
    if size == 1:
        return table
    starts = np.arange(0, len(table), size)
    return np.add.reduceat(table, starts, axis=0) / np.diff(np.append(starts, len(table)))[:, None]


def largest_of_blocks(array: Array, rows: int, columns: int) -> Array:
    """Return, for each block of `rows` × `columns` numbers, the one with the largest absolute value.

    NaN is ignored; the last blocks may be smaller.
    """
    high, low = array, array
    for axis, size in enumerate((rows, columns)):
        starts = np.arange(0, array.shape[axis], size)
        high, low = np.fmax.reduceat(high, starts, axis=axis), np.fmin.reduceat(low, starts, axis=axis)
    return np.where(high >= -low, high, low)


MAX_POSITIONS = 10**10  # most positions at which a line is computed, which takes some minutes


def check_line_length(name: str, length: int) -> None:
    """Raise UsageError if the line `name` has more than MAX_POSITIONS positions, which would take too long."""
    if length > MAX_POSITIONS:
        text = f"{name} computes every position, so {option_text('length', f'{length:,}')} is over {MAX_POSITIONS:,}"
        advice = "shorten --length, or zoom in with --start and --length"
        raise UsageError(text, option="length", value=length, advice=advice)


class Envelope(NamedTuple):
    """Minimum, maximum and mean of each line in each bin, (lines, bins) each."""

    low: Array
    high: Array
    mean: Array


def even_edges(length: int, most: int | None) -> Array:
    """Return the edges of at most `most` bins of equal size over 0 … length, int64; the last bin may be shorter."""
    size = 1 if most is None else -(-length // max(1, most))
    return np.append(np.arange(0, length, size), length)


def even_bins(length: int, most: int | None) -> int:
    """Return the number of bins that `even_edges` makes."""
    return length if most is None else -(-length // -(-length // max(1, most)))


def log_edges(length: int, most: int | None, first: int = 1) -> Array:
    """Return the edges, int64, of at most `most` bins over first … length with geometrically growing sizes."""
    if most is None or length - first < most:
        return np.arange(first, length + 1)
    return np.unique(np.round(np.geomspace(first, length, max(2, most))).astype(np.int64))


def bin_centres(edges: Array) -> Array:
    """Return the mean index of each bin, shape (bins,)."""
    return (edges[:-1] + edges[1:] - 1) / 2


class EnvelopeBuilder:
    """Collects minimum, maximum and mean of every bin, in bounded memory, from values that arrive part by part.

    edges : edges of the bins, integers, shape (bins + 1,)
    lines : number of values at each index
    """

    def __init__(self, edges: Array, lines: int) -> None:
        self.edges, self.lines = edges, lines
        self.low, self.high, self.total = np.full((3, lines, len(edges) - 1), [[[np.inf]], [[-np.inf]], [[0.0]]])

    def parts(self) -> Iterator[range]:
        """Yield the consecutive ranges of indices to add."""
        yield from track(chunks(int(self.edges[0]), int(self.edges[-1]), self.lines), "following the line")

    def add(self, part: range, values: Array) -> None:
        """Add the values, (lines, count), at the indices of a part."""
        first, last = np.searchsorted(self.edges, (part.start, part.stop - 1), side="right") - 1
        bins, cuts = slice(first, last + 1), np.maximum(self.edges[first : last + 1] - part.start, 0)
        np.minimum(self.low[:, bins], np.minimum.reduceat(values, cuts, axis=1), out=self.low[:, bins])
        np.maximum(self.high[:, bins], np.maximum.reduceat(values, cuts, axis=1), out=self.high[:, bins])
        self.total[:, bins] += np.add.reduceat(values, cuts, axis=1)

    def envelope(self) -> Envelope:
        """Return the minimum, maximum and mean of each bin, (lines, bins) each."""
        return Envelope(self.low, self.high, self.total / np.diff(self.edges))


def envelope(values_of: Callable[[int, int], Array], edges: Array, lines: int = 1) -> Envelope:
    """Return the minimum, maximum and mean in every bin, in bounded memory.

    Parameters
    ----------
    values_of : function from (first, count) to the values at indices first … first + count − 1, shape (lines, count)
    edges, lines : as for `EnvelopeBuilder`
    """
    if len(edges) - 1 == edges[-1] - edges[0]:  # every index is a bin
        parts = track(chunks(int(edges[0]), int(edges[-1]), lines), "following the line")
        values = np.concatenate([values_of(part.start, len(part)) for part in parts], axis=1)
        return Envelope(values, values, values)
    runs = EnvelopeBuilder(edges, lines)
    for part in runs.parts():
        runs.add(part, values_of(part.start, len(part)))
    return runs.envelope()


def mirrored_envelope(profile: Callable[[int, int], Array], at: Array, edges: Array) -> tuple[Array, Array]:
    """Return minimum and maximum, (lines, bins) each, of lines that are symmetric about an index.

    Every line has the same values as a function of the distance from the index about which it is symmetric.

    Parameters
    ----------
    profile : function from (first, count) to the values at distances first … first + count − 1, shape (count,)
    at : the index about which each line is symmetric, an integer within the edges, shape (lines,)
    edges : edges of the bins, integers, shape (bins + 1,)
    """
    beyond, before = (np.maximum(way * (edges - at[:, None]) + (way < 0), 0) for way in (1, -1))
    borders = np.unique([beyond, before])  # distances of the bin edges, on either side
    parts = envelope(lambda first, count: profile(first, count)[None], borders)

    def of_bins(ufunc: np.ufunc, values: Array, empty: float) -> Array:
        sides = []
        for ends in (beyond, before[:, ::-1]):
            first, last = (np.searchsorted(borders, side) for side in (ends[:, :-1], ends[:, 1:]))
            pairs = np.stack([first, last], axis=-1).ravel()
            runs = ufunc.reduceat(np.append(values, empty), pairs)[::2].reshape(first.shape)
            sides.append(np.where(first < last, runs, empty))
        return np.asarray(ufunc(sides[0], sides[1][:, ::-1]))

    return of_bins(np.minimum, parts.low[0], np.inf), of_bins(np.maximum, parts.high[0], -np.inf)
