"""Summaries of a table, or of all pairs of its rows: extremes, and a sample for percentiles.

Colour limits and sentences use these summaries, so that they do not depend on the number of pixels in a picture.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import isqrt

from pecli.core.lazy import Array, np
from pecli.core.numbers import chunks
from pecli.core.positions import Positions
from pecli.core.progress import track
from pecli.encodings.base import TableEncoding

MAX_SCANNED = 1 << 22  # a table with known bounds and more values is not scanned for its extremes
SAMPLE_SIZE = 200_000  # size of the sample that determines percentiles


@dataclass(frozen=True)
class Summary:
    """Extremes and a sample of many values.

    smallest, largest : extremes of all values; None if there are too many values or none is defined
    sample : values at evenly spaced positions, or all values if they are few
    """

    smallest: float | None
    largest: float | None
    sample: Array


@dataclass(frozen=True)
class PairSummary(Summary):
    """Extremes and a sample of the values of all pairs of positions.

    undefined : number of NaN entries
    apart : largest spread (maximum − minimum) of the values at a single offset; None if there are too many pairs
    """

    undefined: int
    apart: float | None


def spread_evenly(rows: Positions, most: int) -> Array:
    """Return at most `most` evenly spaced positions of `rows`, (n,), float64, beginning with the first."""
    return np.arange(rows.start, rows.stop, -(-rows.length // max(1, most)), dtype=np.float64)


def summary_of_table(encoding: TableEncoding, rows: Positions, dims: Array | None) -> Summary:
    """Return the (cached) summary of a table, or of some of its columns, from one pass over its values.

    A table of more than MAX_SCANNED values with a `limit` is not scanned: its bounds are known, its extremes are not.
    """
    columns = slice(None) if dims is None else dims
    name = ("table", rows) if dims is None else ("table", rows, tuple(dims.tolist()))
    if (found := encoding.measured.get(name)) is None:
        ends: list[tuple[float, float]] = []
        if encoding.limit is None or rows.length * encoding.width <= MAX_SCANNED:
            for part in track(chunks(rows.start, rows.stop, encoding.width), "finding the extremes"):
                values = encoding.table(np.arange(part.start, part.stop, dtype=np.float64))[:, columns]
                ends += extremes(values)
        some = spread_evenly(rows, SAMPLE_SIZE // encoding.width)
        found = Summary(*overall_extremes(ends), encoding.table(some)[:, columns])
        encoding.measured[name] = found
    return found


def summary_of_offsets(run: Array) -> PairSummary:
    """Return the summary of the matrix with entries run[L − 1 + p − q]; run : (2L − 1,), NaN if undefined."""
    length = (len(run) + 1) // 2
    some = spread_evenly(Positions(length=length), isqrt(SAMPLE_SIZE)).astype(np.int64)
    undefined = (length - np.abs(np.arange(1 - length, length))) @ np.isnan(run)
    return PairSummary(*overall_extremes(extremes(run)), run[some[:, None] - some + length - 1], int(undefined), 0.0)


def extremes(values: Array) -> list[tuple[float, float]]:
    """Return [(smallest, largest)] of the values, ignoring NaN; [] if all values are NaN."""
    low, high = float(values.min()), float(values.max())
    if low != low:  # some are NaN; ignoring them takes three times as long
        low, high = float(np.fmin.reduce(values, axis=None)), float(np.fmax.reduce(values, axis=None))
    return [(low, high)] if low == low else []


def overall_extremes(ends: list[tuple[float, float]]) -> tuple[float | None, float | None]:
    """Return the overall smallest and largest value of several (smallest, largest) pairs; (None, None) for no pairs."""
    return (min(low for low, _ in ends), max(high for _, high in ends)) if ends else (None, None)
