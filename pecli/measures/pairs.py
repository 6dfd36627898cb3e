"""Compare two measures over all pairs of positions: as points, or as a 2-D histogram if there are too many pairs."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

from pecli.core.lazy import Array, np
from pecli.core.numbers import ROUNDING, chunks
from pecli.core.positions import Positions
from pecli.core.progress import track
from pecli.encodings.base import TableEncoding
from pecli.measures.comparison import VectorComparison

CLASSES = 2160  # bins along each axis; has many divisors, so that bins can be merged into a picture's cells


@dataclass(frozen=True, kw_only=True)
class Points:
    """All pairs p < q of positions for which both measures are defined.

    x, y : the two measures, (pairs,)
    p, q : the positions, (pairs,)
    pearson, spearman : linear and rank correlation of x and y; None if undefined
    pairs, undefined : number of all pairs, and of those left out because a measure is undefined
    """

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
    """A 2-D histogram of all pairs over bins of both measures.

    counts : number of pairs in each bin, (CLASSES, CLASSES), y along rows and x along columns
    x_edges, y_edges : edges of the bins, (CLASSES + 1,)
    pearson, spearman, pairs, undefined : as for `Points`
    """

    counts: Array
    x_edges: Array
    y_edges: Array
    pearson: float | None
    spearman: float | None
    pairs: int
    undefined: int


def points(encoding: TableEncoding, across: str, up: str, rows: Positions) -> Points:
    """Return every pair of positions as a point, with measure `across` as x and measure `up` as y.

    This needs memory for six numbers per pair.
    """
    parts = _all_pairs(encoding, across, up, rows, "comparing positions")
    x, y = (np.concatenate(part) for part in zip(*parts, strict=True))
    p, q = (index + float(rows.start) for index in np.triu_indices(rows.length, 1))
    defined = ~(np.isnan(x) | np.isnan(y))
    left_out = int(len(x) - defined.sum())
    x, y, p, q = x[defined], y[defined], p[defined], q[defined]
    linear, rank = pearson(x, y), pearson(ranks(x), ranks(y))
    return Points(x=x, y=y, p=p, q=q, pearson=linear, spearman=rank, pairs=len(defined), undefined=left_out)


def counts(encoding: TableEncoding, across: str, up: str, rows: Positions) -> Counts:
    """Return a histogram of all pairs over the measures `across` (x) and `up` (y), in bounded memory.

    The first pass finds ranges and means, the second counts. The linear correlation is exact; the rank correlation
    gives every pair the mean rank of its bin.
    """
    total = rows.length * (rows.length - 1) // 2
    blocks: list[tuple[float, ...]] = [
        (x.min(), y.min(), x.max(), y.max(), x.sum(), y.sum(), len(x))
        for x, y in _defined_pairs(encoding, across, up, rows, "measuring pairs")
    ]
    sums = np.array(blocks or [(0.0, 0.0, 1.0, 1.0, 0.0, 0.0, 0.0)])
    low, high, (*totals, number) = sums[:, :2].min(axis=0), sums[:, 2:4].max(axis=0), sums[:, 4:].sum(axis=0)
    x_edges, y_edges = np.linspace(low, np.where(high > low, high, low + 1), CLASSES + 1).T
    flat, moments = np.zeros(CLASSES**2, dtype=np.int64), np.zeros(3)
    for x, y in _defined_pairs(encoding, across, up, rows, "counting pairs"):
        np.add.at(flat, _class_indices(y, y_edges) * CLASSES + _class_indices(x, x_edges), 1)  # adds in place
        x, y = x - totals[0] / number, y - totals[1] / number
        moments += x @ x, y @ y, x @ y
    scale = float(np.sqrt(moments[0] * moments[1]))
    table = flat.reshape(CLASSES, CLASSES)
    return Counts(
        counts=table,
        x_edges=x_edges,
        y_edges=y_edges,
        pearson=float(moments[2]) / scale if scale > 0 and (low < high).all() else None,
        spearman=class_correlation(table),
        pairs=total,
        undefined=total - int(number),
    )


def merge_classes(table: Array, edges: Array, most: int, axis: int) -> tuple[Array, Array]:
    """Return the counts merged into at most `most` bins of equal width along an axis, and the edges of these bins."""
    classes = len(edges) - 1
    step = next(size for size in range(1, classes + 1) if classes % size == 0 and classes // size <= max(1, most))
    return np.add.reduceat(table, np.arange(0, classes, step), axis=axis), edges[::step]


def pearson(x: Array, y: Array) -> float | None:
    """Return the linear correlation of x and y, both (n,); None if one of them is constant."""
    if len(x) < 2:
        return None
    x, y = x - x.mean(), y - y.mean()
    scale = float(np.linalg.norm(x) * np.linalg.norm(y))
    return None if scale == 0 else float(x @ y / scale)


def ranks(values: Array) -> Array:
    """Return the rank of each value, (n,), from 1; values that differ only by rounding share their mean rank."""
    reach = np.ptp(values) if len(values) else 0.0
    steps = np.rint((values - values.min()) / reach / ROUNDING) if reach > 0 else np.zeros(len(values))
    _, group, number = np.unique(steps, return_inverse=True, return_counts=True)
    last = np.cumsum(number)
    return (last - (number - 1) / 2)[group]


def class_correlation(table: Array) -> float | None:
    """Return the rank correlation of pairs counted in bins; None if one measure is constant."""
    columns, rows = table.sum(axis=0), table.sum(axis=1)
    across, down = (np.cumsum(n) - n / 2 - table.sum() / 2 for n in (columns, rows))
    spread = float((columns @ across**2) * (rows @ down**2))
    return float(down @ table @ across) / spread**0.5 if spread > 0 else None


def _class_indices(values: Array, edges: Array) -> Array:
    """Return the bin index of each value, (n,); the largest value belongs to the last bin."""
    scale = CLASSES / (edges[-1] - edges[0])
    return np.minimum(((values - edges[0]) * scale + CLASSES * ROUNDING).astype(np.int64), CLASSES - 1)


def _defined_pairs(
    encoding: TableEncoding, across: str, up: str, rows: Positions, doing: str
) -> Iterator[tuple[Array, Array]]:
    """Yield (x, y) of the pairs for which both measures, `across` and `up`, are defined; `doing` is for progress."""
    for x, y in _all_pairs(encoding, across, up, rows, doing):
        defined = ~(np.isnan(x) | np.isnan(y))
        if defined.any():
            yield (x, y) if defined.all() else (x[defined], y[defined])


def _all_pairs(
    encoding: TableEncoding, across: str, up: str, rows: Positions, doing: str
) -> Iterator[tuple[Array, Array]]:
    """Yield the measures `across` and `up` of all pairs p < q as (x, y), a few rows of the upper triangle at a time."""
    values_of = [_values_between(VectorComparison(encoding, name), rows) for name in (across, up)]
    steps = np.arange(rows.length)
    for part in track(chunks(0, rows.length, rows.length), doing):
        offsets = steps[part.start :] - steps[part.start : part.stop, None]
        x, y = (values(part, offsets)[offsets > 0] for values in values_of)
        yield x, y


def _values_between(compared: VectorComparison, rows: Positions) -> Callable[[range, Array], Array]:
    """Return a function from a range of rows to the measure between these rows and all rows from the first of them on.

    The second argument of this function is the offsets of the pairs. They are all that it needs if the measure is a
    function of the offset.
    """
    if compared.is_of_offset:
        profile = compared.at_offsets(0, rows.length)
        return lambda _, offsets: profile[offsets]
    measure = compared.measure
    table = measure.prepare(compared.encoding.table(rows.array()))
    return lambda part, _: measure.compare(table[part.start : part.stop], table[part.start :])
