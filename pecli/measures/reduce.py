"""What one pixel shows of many values: means over blocks, minima and maxima over runs."""

from __future__ import annotations

from collections.abc import Callable
from itertools import combinations_with_replacement
from typing import NamedTuple

from pecli.core.errors import UsageError, option_text
from pecli.core.lazy import Array, np
from pecli.core.numbers import chunks
from pecli.core.positions import Blocks
from pecli.core.terminal import track

SIDE = 1024  # rows, and columns, of the matrix that are made at once


def means_of_offsets(run: Array, blocks: Blocks) -> Array:
    """Block means of the matrix with entries run[|p − q|]."""
    return means_of_signed_offsets(np.concatenate([run[:0:-1], run]), blocks)


def means_of_signed_offsets(run: Array, blocks: Blocks) -> Array:
    """Block means of the matrix with entries run[L − 1 + p − q], row p, column q; run : (2L − 1,), of L positions.

    The offsets of a block of n and a block of m positions occur 1, 2, …, 2, 1 times: the weights of the mean.
    """
    zero, size, last, count = blocks.length - 1, blocks.size, blocks.last, blocks.count
    steps = np.arange(count)
    result = np.empty((count, count))
    inner = np.arange(2 - count, count - 1)  # how far apart two whole blocks can stand
    if count > 1:
        means = _window_means(run, zero + inner * size, size, size)
        result[:-1, :-1] = np.lib.stride_tricks.sliding_window_view(means[::-1], count - 1)[::-1]
    result[-1, :-1] = _window_means(run, zero + (count - 1 - steps[:-1]) * size, last, size)
    result[:-1, -1] = _window_means(run, zero + (steps[:-1] - count + 1) * size, size, last)
    result[-1, -1] = _window_means(run, np.array([zero]), last, last)[0]
    return result


def _window_means(mirrored: Array, at: Array, n: int, m: int) -> Array:
    """Means over i < n, j < m of mirrored[at + i − j], for each `at`, in bounded memory."""
    steps = np.arange(1, n + m)
    weights = np.minimum(np.minimum(steps, steps[::-1]), min(n, m)) / (n * m)
    windows = np.lib.stride_tricks.sliding_window_view(mirrored, n + m - 1)
    return np.array([windows[first] @ weights for first in track((at - (m - 1)).tolist(), "averaging offsets")])


def means_of_rows(table: Callable[[Array], Array], between: Callable[[Array, Array], Array], blocks: Blocks) -> Array:
    """Block means of the matrix that compares any two rows, some blocks against some at a time; symmetric.

    table : positions (n,) to rows (n, d)
    between : rows (n, d) and (m, d) to (n, m)
    """
    result = np.empty((blocks.count, blocks.count))
    per = max(1, SIDE // blocks.size)
    groups = [np.arange(at, min(at + per, blocks.count)) for at in range(0, blocks.count, per)]
    pairs = list(combinations_with_replacement(groups, 2))  # the upper half, mirrored
    for group, other in track(pairs, "comparing positions"):
        values = between(table(_positions(group, blocks)), table(_positions(other, blocks)))
        part = _means(values, blocks, group, other)
        result[np.ix_(group, other)] = part
        result[np.ix_(other, group)] = part.T
    return result


def _positions(group: Array, blocks: Blocks) -> Array:
    """The positions in a run of blocks."""
    first = blocks.start + int(group[0]) * blocks.size
    stop = min(blocks.start + (int(group[-1]) + 1) * blocks.size, blocks.start + blocks.length)
    return np.arange(first, stop, dtype=np.float64)


def _means(values: Array, blocks: Blocks, group: Array, other: Array) -> Array:
    """The mean over each pair of blocks of these two runs."""
    if blocks.size == 1:
        return values
    sums = np.add.reduceat(values, np.arange(len(group)) * blocks.size, axis=0)
    sums = np.add.reduceat(sums, np.arange(len(other)) * blocks.size, axis=1)
    counts = blocks.counts()
    return sums / np.outer(counts[group], counts[other])


def averaged_columns(table: Array, most: int | None) -> tuple[Array, int]:
    """The table with at most so many columns, each the mean of so many (the last perhaps of fewer)."""
    size = 1 if most is None else -(-table.shape[1] // most)
    return averaged_rows(table.T, size).T, size


def averaged_rows(table: Array, size: int) -> Array:
    """The means of so many rows of a table (n, d) each, the last perhaps of fewer, (blocks, d)."""
    if size == 1:
        return table
    starts = np.arange(0, len(table), size)
    return np.add.reduceat(table, starts, axis=0) / np.diff(np.append(starts, len(table)))[:, None]


MOST = 10**10  # positions that a line follows one by one: some minutes of work


def check_run(name: str, length: int) -> None:
    """Refuses a line that would take hours to follow."""
    if length > MOST:
        text = f"{name} follows every position: {option_text('length', f'{length:,}')} is more than {MOST:,}"
        advice = "shorten --length, or zoom in with --start and --length"
        raise UsageError(text, option="length", value=length, advice=advice)


class Envelope(NamedTuple):
    """low, high, mean : (lines, bins)."""

    low: Array
    high: Array
    mean: Array


def even_edges(length: int, most: int | None) -> Array:
    """Borders of at most `most` bins of one size over 0 … length (the last may be shorter), int64."""
    size = 1 if most is None else -(-length // max(1, most))
    return np.append(np.arange(0, length, size), length)


def even_bins(length: int, most: int | None) -> int:
    """How many bins `even_edges` makes, without making them."""
    return length if most is None else -(-length // -(-length // max(1, most)))


def log_edges(length: int, most: int | None, first: int = 1) -> Array:
    """Borders of at most `most` bins over first … length that get longer by a factor, single numbers first, int64."""
    if most is None or length - first < most:
        return np.arange(first, length + 1)
    return np.unique(np.round(np.geomspace(first, length, max(2, most))).astype(np.int64))


def middles(edges: Array) -> Array:
    """The mean index of every bin, shape (bins,)."""
    return (edges[:-1] + edges[1:] - 1) / 2


def envelope(values_of: Callable[[int, int], Array], edges: Array, lines: int = 1) -> Envelope:
    """Minimum, maximum and mean over every bin, in bounded memory.

    Parameters
    ----------
    values_of : gives the values from a first index on, so many of them, shape (lines, count)
    edges : borders of the bins, whole numbers, shape (bins + 1,)
    lines : how many values stand at each index
    """
    parts = track(chunks(int(edges[0]), int(edges[-1]), lines), "following the line")
    if len(edges) - 1 == edges[-1] - edges[0]:  # every index is a bin
        values = np.concatenate([values_of(part.start, len(part)) for part in parts], axis=1)
        return Envelope(values, values, values)
    shape = (lines, len(edges) - 1)
    low, high, total = np.full(shape, np.inf), np.full(shape, -np.inf), np.zeros(shape)
    for part in parts:
        values = values_of(part.start, len(part))
        bins, cuts = _bins_of(edges, part.start, len(part))
        np.minimum(low[:, bins], np.minimum.reduceat(values, cuts, axis=1), out=low[:, bins])
        np.maximum(high[:, bins], np.maximum.reduceat(values, cuts, axis=1), out=high[:, bins])
        total[:, bins] += np.add.reduceat(values, cuts, axis=1)
    total /= np.diff(edges)
    return Envelope(low, high, total)


def _bins_of(edges: Array, start: int, count: int) -> tuple[slice, Array]:
    """The bins that so many indices from `start` on fall into, and where in them each bin begins."""
    first, last = np.searchsorted(edges, (start, start + count - 1), side="right") - 1
    return slice(first, last + 1), np.maximum(edges[first : last + 1] - start, 0)


def mirrored_extremes(profile: Callable[[int, int], Array], at: Array, edges: Array) -> tuple[Array, Array]:
    """Minimum and maximum over every bin of lines that are one profile of the distance, each shifted to its own index.

    The profile is worked out once, however many lines there are.

    Parameters
    ----------
    profile : gives the values at the distances from a first one on, so many of them, shape (count,)
    at : the index at which each line's distance is 0, whole numbers inside the borders, shape (lines,)
    edges : borders of the bins from 0, whole numbers, shape (bins + 1,)

    Returns
    -------
    two arrays of shape (lines, bins)
    """
    length = int(edges[-1])
    low, high = np.full((len(at), len(edges) - 1), np.inf), np.full((len(at), len(edges) - 1), -np.inf)
    farthest = int(max(at.max(), length - 1 - at.min()))
    for part in track(chunks(0, farthest + 1, 1), "following the line"):
        values = profile(part.start, len(part))
        for line, own in enumerate(at.tolist()):
            above = values[: max(0, length - own - part.start)]
            below = values[: max(0, own - part.start + 1)][::-1]
            for start, run in ((own + part.start, above), (own - part.start - len(below) + 1, below)):
                if len(run):
                    bins, cuts = _bins_of(edges, start, len(run))
                    low[line, bins] = np.minimum(low[line, bins], np.minimum.reduceat(run, cuts))
                    high[line, bins] = np.maximum(high[line, bins], np.maximum.reduceat(run, cuts))
    return low, high
