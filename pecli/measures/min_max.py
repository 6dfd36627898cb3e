"""What a long line shows at one pixel: the minimum, the maximum and the mean of all that falls there."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import NamedTuple

from pecli.core.arithmetic import at_once, chunks
from pecli.core.errors import UsageError, mention
from pecli.core.lazy import Array, np
from pecli.core.progress import track

MOST = 10**10  # positions that a line follows one by one: some minutes of work


def check_run(name: str, length: int) -> None:
    """Refuses a line that would take hours to follow."""
    if length > MOST:
        text = f"{name} follows every position: {mention('length', f'{length:,}')} is more than {MOST:,}"
        advice = f"shorten {mention('length')}, or zoom in with {mention('start')} and {mention('length')}"
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
    parts = [
        _reduced(values_of, edges, a, b, lines) for a, b in track(list(_groups(edges, lines)), "following the line")
    ]
    return Envelope(*(np.concatenate(pieces, axis=1) for pieces in zip(*parts, strict=True)))


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
                    _take_in(low[line], high[line], edges, start, run)
    return low, high


def _take_in(low: Array, high: Array, edges: Array, start: int, values: Array) -> None:
    """Lowers and raises what is known of the bins by the values from index `start` on."""
    first, last = np.searchsorted(edges, (start, start + len(values) - 1), side="right") - 1
    cuts = np.maximum(edges[first : last + 1] - start, 0)
    np.minimum(low[first : last + 1], np.minimum.reduceat(values, cuts), out=low[first : last + 1])
    np.maximum(high[first : last + 1], np.maximum.reduceat(values, cuts), out=high[first : last + 1])


def _groups(edges: Array, lines: int) -> Iterator[tuple[int, int]]:
    """Runs of bins that together hold about as many numbers as are handled at once."""
    room, first = at_once(lines), 0
    while first < len(edges) - 1:
        stop = int(np.searchsorted(edges, edges[first] + room, side="right")) - 1
        stop = max(stop, first + 1)
        yield first, stop
        first = stop


def _reduced(values_of: Callable[[int, int], Array], edges: Array, a: int, b: int, lines: int) -> Envelope:
    first, count = int(edges[a]), int(edges[b] - edges[a])
    if b == a + 1 and count > at_once(lines):
        return _one_bin(values_of, chunks(first, first + count, lines))
    values, at = values_of(first, count), edges[a:b] - first
    sums = np.add.reduceat(values, at, axis=1)
    low, high = np.minimum.reduceat(values, at, axis=1), np.maximum.reduceat(values, at, axis=1)
    return Envelope(low, high, sums / np.diff(edges[a : b + 1]))


def _one_bin(values_of: Callable[[int, int], Array], parts: list[range]) -> Envelope:
    """A bin that is itself too long to hold, piece by piece."""
    low, high, total = (np.asarray(start) for start in (np.inf, -np.inf, 0.0))
    count = sum(map(len, parts))
    for part in parts:
        values = values_of(part.start, len(part))
        low, high = np.minimum(low, values.min(axis=1)), np.maximum(high, values.max(axis=1))
        total = total + values.sum(axis=1)
    return Envelope(*(np.asarray(one)[:, None] for one in (low, high, total / count)))
