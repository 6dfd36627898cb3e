"""What all numbers of a table, or all pairs of its rows, say: extremes, and a sample that tells percentiles.

A picture shows as many numbers as it has pixels; where its colours end, and what it says, must not depend on those.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import isqrt

from pecli.core.lazy import Array, np
from pecli.core.numbers import chunks
from pecli.core.positions import Positions
from pecli.core.progress import track
from pecli.encodings.base import TableEncoding

SEEN = 1 << 22  # numbers of a table with known bounds that are looked at in the time that any picture takes
ENOUGH = 200_000  # numbers that tell the percentiles


@dataclass(frozen=True)
class Summary:
    """smallest, largest : of all numbers, None where they are too many to look at or none is defined; sample : some
    of the numbers, evenly spread, all of them where they are few."""

    smallest: float | None
    largest: float | None
    sample: Array


@dataclass(frozen=True)
class PairSummary(Summary):
    """undefined : entries of the matrix that are NaN; apart : how much pairs at one offset differ, at most; None where
    they are too many to know."""

    undefined: int
    apart: float | None


def spread_evenly(rows: Positions, most: int) -> Array:
    """Return at most so many positions, (n,), float64: the first and every so many-th after it."""
    return np.arange(rows.start, rows.stop, -(-rows.length // max(1, most)), dtype=np.float64)


def summary_of_table(encoding: TableEncoding, rows: Positions) -> Summary:
    """Return what all numbers of a table say, in one pass over it, kept for the next time.

    A table of more than SEEN numbers that has a `limit` is not passed over: its bounds are known, its extremes not.
    """
    if (found := encoding.measured.get(("table", rows))) is None:
        ends: list[tuple[float, float]] = []
        if encoding.limit is None or rows.length * encoding.width <= SEEN:
            for part in track(chunks(rows.start, rows.stop, encoding.width), "finding the extremes"):
                values = encoding.table(np.arange(part.start, part.stop, dtype=np.float64))
                ends += extremes(values)
        some = spread_evenly(rows, ENOUGH // encoding.width)
        found = Summary(*joined(ends), encoding.table(some))
        encoding.measured["table", rows] = found
    return found


def summary_of_offsets(run: Array) -> PairSummary:
    """Return what the matrix with entries run[L − 1 + p − q] says; run : (2L − 1,), NaN where nothing is defined."""
    length = (len(run) + 1) // 2
    some = spread_evenly(Positions(length=length), isqrt(ENOUGH)).astype(np.int64)
    undefined = (length - np.abs(np.arange(1 - length, length))) @ np.isnan(run)
    return PairSummary(*joined(extremes(run)), run[some[:, None] - some + length - 1], int(undefined), 0.0)


def extremes(values: Array) -> list[tuple[float, float]]:
    """Return the smallest and the largest number; nothing where all are NaN."""
    low, high = float(values.min()), float(values.max())
    if low != low:  # some are NaN; leaving them out takes three times as long
        low, high = float(np.fmin.reduce(values, axis=None)), float(np.fmax.reduce(values, axis=None))
    return [(low, high)] if low == low else []


def joined(ends: list[tuple[float, float]]) -> tuple[float | None, float | None]:
    """Return the smallest and the largest number of several parts; None where there are none."""
    return (min(low for low, _ in ends), max(high for _, high in ends)) if ends else (None, None)
