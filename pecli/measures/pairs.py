"""All pairs of positions under two measures: as points, or as counts where they are too many to see or to hold."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass

from pecli.core.lazy import Array, np
from pecli.core.numbers import ROUNDING, chunks
from pecli.core.positions import Positions
from pecli.core.terminal import track
from pecli.encodings.base import TableEncoding
from pecli.measures.pairwise import Measure, by_offset

CLASSES = 2160  # a side, into which the counted pairs are sorted; many numbers divide it, into cells for a picture
BAND = 64  # positions that are compared with their neighbours at a time


@dataclass(frozen=True, kw_only=True)
class Points:
    """x, y, p, q : (pairs,), both measures of every pair p < q for which both are defined."""

    x: Array
    y: Array
    p: Array
    q: Array
    pearson: float | None
    spearman: float | None
    pairs: int
    undefined: int


@dataclass(frozen=True, kw_only=True)
class Counts:
    """counts : (CLASSES, CLASSES), pairs in each class, y down and x across; x_edges, y_edges : (CLASSES + 1,)."""

    counts: Array
    x_edges: Array
    y_edges: Array
    pearson: float | None
    spearman: float | None
    pairs: int
    undefined: int


def points(encoding: TableEncoding, across: Measure, up: Measure, rows: Positions) -> Points:
    """Every pair as a point. Memory: six numbers a pair."""
    parts = _pairs(encoding, across, up, rows, "comparing positions")
    x, y = (np.concatenate(part) for part in zip(*parts, strict=True))
    p, q = (index + float(rows.start) for index in np.triu_indices(rows.length, 1))
    defined = ~(np.isnan(x) | np.isnan(y))
    left_out = int(len(x) - defined.sum())
    x, y, p, q = x[defined], y[defined], p[defined], q[defined]
    linear, rank = pearson(x, y), pearson(ranks(x), ranks(y))
    return Points(x=x, y=y, p=p, q=q, pearson=linear, spearman=rank, pairs=len(defined), undefined=left_out)


def counts(encoding: TableEncoding, across: Measure, up: Measure, rows: Positions) -> Counts:
    """Every pair counted in the class it falls into. Memory: the classes, and one block of pairs.

    Two passes: the first finds the ranges and the means, the second counts. The linear correlation is of the pairs
    themselves; the rank correlation is of their classes, each pair at the mean rank of its class.
    """
    total = rows.length * (rows.length - 1) // 2
    ends, means, number = _extents(_defined(encoding, across, up, rows, "measuring pairs"))
    edges = [np.linspace(low, high if high > low else low + 1, CLASSES + 1) for low, high in ends]
    flat, moments = np.zeros(CLASSES**2, dtype=np.int64), np.zeros(3)
    for x, y in _defined(encoding, across, up, rows, "counting pairs") if number else ():
        np.add.at(flat, _class(y, edges[1]) * CLASSES + _class(x, edges[0]), 1)  # no table of classes a block
        x, y = x - means[0], y - means[1]
        moments += x @ x, y @ y, x @ y
    scale = float(np.sqrt(moments[0] * moments[1]))
    linear = float(moments[2]) / scale if scale > 0 and (ends[:, 0] < ends[:, 1]).all() else None
    table = flat.reshape(CLASSES, CLASSES)
    return Counts(
        counts=table,
        x_edges=edges[0],
        y_edges=edges[1],
        pearson=linear,
        spearman=class_correlation(table),
        pairs=total,
        undefined=total - number,
    )


def _extents(blocks: Iterable[tuple[Array, Array]]) -> tuple[Array, Array, int]:
    """Smallest and largest x and y, shape (2, 2), their means, (2,), and how many there are; 0, 1 and 0 of none."""
    ends, sums, number = np.array([[np.inf, -np.inf]] * 2), np.zeros(2), 0
    for block in blocks:
        for which, values in enumerate(block):
            ends[which] = min(ends[which, 0], values.min()), max(ends[which, 1], values.max())
            sums[which] += values.sum()
        number += len(block[0])
    return (ends, sums / number, number) if number else (np.array([[0.0, 1.0]] * 2), sums, 0)


def streaks(encoding: TableEncoding, across: Measure, up: Measure, rows: Positions, most: int) -> Array:
    """Left, bottom, right and top of all pairs at the offsets 1, 2, …, shape (offsets, 4); undefined pairs left out."""
    offsets = np.arange(1, min(most, rows.length - 1) + 1)
    ends = np.array([[np.inf, np.inf, -np.inf, -np.inf]] * len(offsets))
    table = encoding.table(rows.array())
    prepared = [(measure, measure.prepare(table)) for measure in (across, up)]
    for first in range(0, rows.length - 1, BAND):
        last = first + BAND
        x, y = (measure.compare(of[first:last], of[first : last + most]) for measure, of in prepared)
        for row, offset in zip(ends, offsets, strict=True):
            pairs = np.array([np.diagonal(x, offset), np.diagonal(y, offset)])
            pairs = pairs[:, ~np.isnan(pairs).any(axis=0)]
            row[:2] = np.minimum(row[:2], pairs.min(axis=1, initial=np.inf))
            row[2:] = np.maximum(row[2:], pairs.max(axis=1, initial=-np.inf))
    return ends


def coarser(table: Array, edges: Array, most: int, axis: int) -> tuple[Array, Array]:
    """Counts in at most so many classes of one width along an axis, and their borders, by adding neighbours."""
    classes = len(edges) - 1
    step = next(size for size in range(1, classes + 1) if classes % size == 0 and classes // size <= max(1, most))
    return np.add.reduceat(table, np.arange(0, classes, step), axis=axis), edges[::step]


def pearson(x: Array, y: Array) -> float | None:
    """Linear correlation of x and y, both (n,); None where one of the two does not vary."""
    if len(x) < 2:
        return None
    x, y = x - x.mean(), y - y.mean()
    scale = float(np.linalg.norm(x) * np.linalg.norm(y))
    return None if scale == 0 else float(x @ y / scale)


def ranks(values: Array) -> Array:
    """The rank of each value, (n,), 1 of the smallest; equal ones, but for rounding, share the mean of their ranks."""
    reach = np.ptp(values) if len(values) else 0.0
    steps = np.rint((values - values.min()) / reach / ROUNDING) if reach > 0 else np.zeros(len(values))
    _, group, number = np.unique(steps, return_inverse=True, return_counts=True)
    last = np.cumsum(number)
    return (last - (number - 1) / 2)[group]


def class_correlation(table: Array) -> float | None:
    """Rank correlation of pairs counted in a table of classes, each with its mean rank; None where one is constant."""
    total = float(table.sum())
    across, down = (_mean_ranks(table.sum(axis=axis)) - (total + 1) / 2 for axis in (0, 1))
    spread = float((table.sum(axis=0) @ across**2) * (table.sum(axis=1) @ down**2))
    return float(down @ table @ across) / spread**0.5 if spread > 0 else None


def _mean_ranks(number: Array) -> Array:
    return np.cumsum(number) - (number - 1) / 2


def _class(values: Array, edges: Array) -> Array:
    """The class of each value; the largest value falls into the last."""
    scale = CLASSES / (edges[-1] - edges[0])
    return np.minimum(((values - edges[0]) * scale + CLASSES * ROUNDING).astype(np.int64), CLASSES - 1)


def _defined(
    encoding: TableEncoding, across: Measure, up: Measure, rows: Positions, doing: str
) -> Iterator[tuple[Array, Array]]:
    for x, y in _pairs(encoding, across, up, rows, doing):
        unknown = np.isnan(x) | np.isnan(y)
        if not unknown.all():
            yield (x[~unknown], y[~unknown]) if unknown.any() else (x, y)


def _pairs(
    encoding: TableEncoding, across: Measure, up: Measure, rows: Positions, doing: str
) -> Iterator[tuple[Array, Array]]:
    """x and y of all pairs p < q, row by row of the matrix's upper triangle, some rows at a time."""
    values = [_from(encoding, measure, rows) for measure in (across, up)]
    for part in track(chunks(0, rows.length, rows.length), doing):
        upper = np.triu(np.ones((len(part), rows.length - part.start), dtype=bool), 1)
        x, y = (value(part)[upper] for value in values)
        yield x, y


def _from(encoding: TableEncoding, measure: Measure, rows: Positions) -> Callable[[range], Array]:
    """What gives the measure between some positions and all from the first of them on: (some, rest) of a range."""
    profile = by_offset(encoding, measure, rows.length)
    if profile is None:
        table = measure.prepare(encoding.table(rows.array()))
        return lambda part: measure.compare(table[part.start : part.stop], table[part.start :])

    def by_profile(part: range) -> Array:
        rest = rows.length - part.start
        mirrored = np.concatenate([profile[len(part) - 1 : 0 : -1], profile[:rest]])
        return np.lib.stride_tricks.sliding_window_view(mirrored, rest)[::-1]  # row s begins at the offset −s

    return by_profile
