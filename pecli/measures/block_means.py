"""Means over blocks of a table, or in bounded memory of a matrix of all pairs of positions: what a pixel shows."""

from __future__ import annotations

from collections.abc import Callable
from itertools import combinations_with_replacement

from pecli.core.lazy import Array, np
from pecli.core.positions import Blocks
from pecli.core.progress import track

SIDE = 1024  # rows, and columns, of the matrix that are made at once


def means_of_offsets(run: Array, blocks: Blocks) -> Array:
    """Block means of the matrix with entries run[|p − q|]: one weighted mean a pair of block numbers' difference.

    The offsets of a block of n and a block of m positions occur 1, 2, …, 2, 1 times: the weights of the mean.
    """
    mirrored = np.concatenate([run[:0:-1], run])  # the offset 0 stands at len(run) − 1
    zero, size, last, count = len(run) - 1, blocks.size, blocks.last, blocks.count
    steps = np.arange(count)
    means = _window_means(mirrored, zero + steps[: count - 1] * size, size, size) if count > 1 else np.zeros(0)
    whole = np.concatenate([means, [0.0]])
    result = whole[np.abs(steps[:, None] - steps)]
    edge = _window_means(mirrored, zero + (count - 1 - steps[:-1]) * size, last, size)
    corner = _window_means(mirrored, np.array([zero]), last, last)
    result[-1, :] = result[:, -1] = np.concatenate([edge, corner])
    return result


def means_of_signed_offsets(run: Array, blocks: Blocks) -> Array:
    """Block means of the matrix with entries run[L − 1 + p − q], row p, column q; run : (2L − 1,), of L positions."""
    zero, size, last, count = blocks.length - 1, blocks.size, blocks.last, blocks.count
    steps = np.arange(count)
    result = np.empty((count, count))
    inner = np.arange(2 - count, count - 1)  # how far apart two whole blocks can stand
    if count > 1:
        means = _window_means(run, zero + inner * size, size, size)
        result[:-1, :-1] = means[steps[:-1, None] - steps[:-1] + count - 2]
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
