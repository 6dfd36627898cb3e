"""Where something is first found, counted from position 0 to both sides."""

from __future__ import annotations

from collections.abc import Callable

from pecli.core.lazy import Array, np


def first_in_runs(there: Array, edges: Array, found_in: Callable[[int], Array]) -> Array:
    """Of each of n rows the position nearest to 0, in the runs that have one, shape (n,); infinity where none has.

    there : (n, runs), whether a run has one; edges : (runs + 1,), the positions at which runs begin; found_in : of a
    run, that position of each row
    """
    up, down = np.flatnonzero(edges[1:] > 0), np.flatnonzero(edges[:-1] < 0)[::-1]
    ahead, behind = (_first_on_a_side(there[:, runs], runs, found_in) for runs in (up, down))
    return np.where(np.abs(ahead) <= np.abs(behind), ahead, behind)


def _first_on_a_side(there: Array, runs: Array, found_in: Callable[[int], Array]) -> Array:
    """The same in runs that go away from 0."""
    found = np.full(len(there), np.inf)
    some = np.flatnonzero(there.any(axis=1))
    first = runs[there[some].argmax(axis=1)] if len(some) else some
    for run in np.unique(first):
        rows = some[first == run]
        found[rows] = found_in(int(run))[rows]
    return found


def first_position(there: Array, positions: Array) -> Array:
    """Of each of n rows the position nearest to 0 that has one, shape (n,); infinity where none has.

    there : (n, positions)
    """
    order = np.argsort(np.abs(positions), kind="stable")
    return np.where(there.any(axis=1), positions[order][there[:, order].argmax(axis=1)], np.inf)


def nearest(positions: Array) -> float:
    """The one that is nearest to 0."""
    return float(positions[np.abs(positions).argmin()])
