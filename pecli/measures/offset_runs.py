"""A measure over runs of offsets: what each pixel of a line against the offset shows."""

from __future__ import annotations

from typing import NamedTuple

from pecli.core.lazy import Array, np
from pecli.core.positions import Positions
from pecli.encodings.capabilities import TableEncoding
from pecli.measures.min_max import Envelope, envelope
from pecli.measures.pairwise import Measure, by_offset, is_by_offset, spread_by_offset


class OffsetRuns(NamedTuple):
    """values : (1, runs), over all pairs of positions at the offsets of each run; widest : the largest difference of
    two pairs at a single offset, 0 where the offset alone counts; undefined : pairs that are left out."""

    values: Envelope
    widest: float
    undefined: int


def offset_runs(encoding: TableEncoding, measure: Measure, positions: Positions, edges: Array) -> OffsetRuns:
    """The measure's minimum, maximum and mean over each run of offsets.

    edges : borders of the runs, whole numbers, shape (runs + 1,)
    """
    if is_by_offset(encoding, measure):
        exact = envelope(lambda first, count: np.array([by_offset(encoding, measure, count, first)]), edges)
        return OffsetRuns(exact, 0.0, 0)
    spread, pairs, undefined = spread_by_offset(encoding, measure, positions)
    starts, stop = edges[:-1], int(edges[-1])
    low, high = np.fmin.reduceat(spread.low[0, :stop], starts), np.fmax.reduceat(spread.high[0, :stop], starts)
    counts = np.add.reduceat(pairs[:stop], starts)
    sums = np.add.reduceat(np.nan_to_num(spread.mean[0, :stop]) * pairs[:stop], starts)
    mean = sums / np.where(counts, counts, np.nan)  # of all pairs: a long offset has fewer than a short one
    widest = np.fmax.reduce(spread.high - spread.low, axis=None)
    return OffsetRuns(Envelope(low[None], high[None], mean[None]), float(widest), undefined)
