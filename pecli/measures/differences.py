"""Comparison of a table with a formula: which values differ beyond rounding, and which known change explains them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from math import copysign, inf
from typing import Any

from pecli.core.lazy import Array, np
from pecli.core.numbers import CHUNK, ROUND, chunks
from pecli.measures.fits import FRONT, SHARE_RIGHT, rows_of, shortest_decimal

RELATIVE = {"bfloat16": 2.0**-8, "float16": 2.0**-11, "float32": 2.0**-24, "float64": 2.0**-53}  # rounding error
MIN_FRONT_DIFFERENCE = 0.01  # least difference in a special row at the start, relative to the largest number
MAX_CHANGED = 12  # most changed columns
MAX_SHIFT = 1000  # largest shift of rows that is searched, in positions


@dataclass(frozen=True)
class Expected:
    """The values that a formula predicts for a table, with their tolerance.

    numbers : function from row numbers (n,) to predicted values (n, d)
    slack : function from row numbers (n,) to the tolerance before rounding, (n, d) or (n, 1)
    number_type : type to which the values were rounded
    scaled : True if the values were also rounded before they were multiplied by a scale
    """

    numbers: Callable[[Array], Array]
    slack: Callable[[Array], Array]
    number_type: str
    scaled: bool

    def mismatches(
        self, rows: Array, own: Array, made: Array, columns: Any = slice(None), changed: bool = False
    ) -> Array:
        """Return a mask, (n, k), of the table's values that differ from the predictions by more than the tolerance.

        rows : row numbers, (n,)
        own : values of the table, (n, k)
        made : predicted values, (n, k)
        columns : indices, in the whole table, of these k columns
        changed : True if the values were changed after rounding, which allows one more rounding error
        """
        rounded, slack = ROUND[self.number_type], self.slack(rows)
        slack = slack[:, columns] if slack.shape[1] > 1 else slack
        if self.scaled or changed:
            slack = slack + RELATIVE[self.number_type] * np.abs(made).max(axis=0)
        return (own < rounded(made - slack)) | (own > rounded(made + slack))


@dataclass(frozen=True)
class Change:
    """A known change of columns or rows that explains differing values.

    kind : flipped (sign), exchanged (columns swapped), copied (from another column), scaled, zero, raised (a
      constant was added), moved (from one row on, every row has the vector of a shifted position), front (the same for
      rows at the start), or heads (heads of an ALiBi with other biases)
    at : indices of the changed columns, rows at the start or heads; for moved, the index of the first moved row
    amount : factor (scaled), index of the other column (copied), added constant (raised) or shift in positions (moved,
      front)
    """

    kind: str
    at: tuple[int, ...]
    amount: float = 0.0


@dataclass(frozen=True, kw_only=True)
class Differences:
    """Differences between a table and the expected values.

    unlike : indices of special rows at the start, such as the row of a class token
    zeros : indices of rows of zeros (padding) that the formula does not predict
    cells : number of other values that differ beyond rounding or noise
    columns, rows : indices of the columns and rows in which they differ
    difference, place : largest difference, and its (row, column)
    changes : known changes that together explain all differences; () if there are none
    """

    unlike: tuple[int, ...] = ()
    zeros: tuple[int, ...] = ()
    cells: int = 0
    columns: tuple[int, ...] = ()
    rows: tuple[int, ...] = ()
    difference: float = inf
    place: tuple[int, int] | None = None
    changes: tuple[Change, ...] = ()


def differences(table: Array, expected: Expected, places: Array) -> Differences | None:
    """Return how a table (length, d) differs from the expected values, or None if most values differ.

    places : sample of row numbers, as floats; "most" is decided on these rows
    """
    tried = table[places.astype(int)]
    if expected.mismatches(places, tried, expected.numbers(places)).mean() > 1 - SHARE_RIGHT:
        return None
    mismatches, off = np.zeros(table.shape, dtype=bool), np.zeros(table.shape)
    for window in chunks(0, *table.shape):
        own, rows = rows_of(table, window)
        made, at = expected.numbers(rows), slice(window.start, window.stop)
        mismatches[at], off[at] = expected.mismatches(rows, own, made), np.abs(own - made)
    zero = np.asarray(mismatches.any(axis=1) & ~table.any(axis=1))
    unlike = rows_in_front(mismatches & (off > MIN_FRONT_DIFFERENCE * np.abs(table).max()), zero)
    front = moved_front(table, expected, np.array(unlike, dtype=int))
    aside = zero.copy()
    aside[unlike] = True
    mismatches[aside], off[aside], kept = False, 0.0, np.flatnonzero(~aside)
    row, column = (int(at) for at in np.unravel_index(np.argmax(off), off.shape))
    rows, columns = (np.flatnonzero(mismatches.any(axis=axis)) for axis in (1, 0))
    changes = front
    if len(rows):
        others = moved_rows(table, expected, kept[kept >= rows[0]]) or changed_columns(table, expected, columns, kept)
        changes = (*front, *others) if others else ()
    return Differences(
        unlike=() if front else tuple(unlike),
        zeros=tuple(np.flatnonzero(zero).tolist()),
        cells=int(mismatches.sum()),
        columns=tuple(columns.tolist()),
        rows=tuple(rows.tolist()),
        difference=float(off.max()),
        place=(row, column),
        changes=changes,
    )


def rows_in_front(mismatches: Array, zero: Array) -> list[int]:
    """Return the indices of special rows at the start, such as a class token's, without rows of zeros.

    A row is special if at least half of its values differ from the formula. Return [] if later rows differ as much.

    mismatches : mask of values that differ from the formula, (n, d)
    zero : mask of rows of zeros, (n,)
    """
    strange = np.flatnonzero((mismatches.mean(axis=1) >= 0.5) & ~zero).tolist()
    few = len(strange) <= min(FRONT, len(mismatches) // 4) and strange[-1:] < [FRONT]
    return strange if few and all(zero[row] or row in strange for row in range(max(strange, default=0))) else []


def moved_front(table: Array, expected: Expected, rows: Array) -> tuple[Change, ...]:
    """Return a "front" change if rows at the start (n,) have the vectors of later rows, as after a roll; else ()."""
    for window in chunks(0, *table.shape) if len(rows) else ():
        later = np.arange(window.start, window.stop, dtype=np.float64) + len(rows)
        own = np.broadcast_to(table[rows[0]], (len(later), table.shape[1]))
        for row in later[~expected.mismatches(later, own, expected.numbers(later)).any(axis=1)]:
            moved = rows + (row - rows[0])
            if not expected.mismatches(moved, table[rows], expected.numbers(moved)).any():
                return (Change("front", tuple(rows.tolist()), float(row - rows[0])),)
    return ()


def moved_rows(table: Array, expected: Expected, rows: Array) -> tuple[Change, ...]:
    """Return a "moved" change if one shift explains all `rows` (n,), the rows from the first wrong one on; else ()."""
    behind, first = table[rows], int(rows[0])
    most = min(len(table), MAX_SHIFT)
    steps = np.array(sorted(range(-most, most + 1), key=abs)[1:], dtype=np.float64)
    fits = ~expected.mismatches(rows[:1], behind[:1], expected.numbers(first + steps)).any(axis=1)
    for step in steps[fits][:3]:
        if len(rows) > 1 and not expected.mismatches(rows, behind, expected.numbers(rows + step)).any():
            return (Change("moved", (first,), float(step)),)
    return ()


def changed_columns(table: Array, expected: Expected, columns: Array, kept: Array) -> tuple[Change, ...]:
    """Return changes that explain all differing `columns` in the rows `kept` (n,); () if a column has none.

    Changes of many columns explain nothing: the table then probably has another formula.
    """
    if len(columns) * len(kept) > CHUNK or len(columns) > min(table.shape[1] / 2, MAX_CHANGED):
        return ()
    table, made = table[kept], expected.numbers(kept)

    def explains(column: int, values: Array, changed: bool = True) -> bool:
        return not expected.mismatches(kept, table[:, [column]], values[:, None], [column], changed).any()

    changes, left = dict[tuple[str, float], list[int]](), list[int]()
    for column in columns.tolist():
        change = change_of(table[:, column], made[:, column], partial(explains, column), expected.number_type)
        (changes.setdefault(change, []) if change else left).append(column)
    sources, exchanged = set[int](), list[int]()  # columns found in another place, and these places
    for column in left:
        free = (other for other in left if other not in sources and explains(column, made[:, other], False))
        if (source := next(free, None)) is not None:
            sources.add(source)
            exchanged.append(column)
            continue
        others = sorted(range(table.shape[1]), key=lambda other: abs(other - column))
        if (source := next((other for other in others if explains(column, made[:, other], False)), None)) is None:
            return ()
        changes.setdefault(("copied", float(source)), []).append(column)
    known = [Change(kind, tuple(at), amount) for (kind, amount), at in changes.items()]
    return (*known, *([Change("exchanged", tuple(exchanged))] if exchanged else []))


def change_of(own: Array, made: Array, explains: Callable[[Array], bool], number_type: str) -> tuple[str, float] | None:
    """Return the kind and amount of the change that turns column `made` (n,) into column `own` (n,); None if unknown.

    explains : returns True if the given values match the column within the tolerance
    number_type : type to which the values were rounded
    """
    least = 8 * RELATIVE[number_type]  # relative changes up to this may be rounding
    if not own.any():
        return "zero", 0.0
    if explains(-made):
        return "flipped", 0.0
    factor, digits = shortest_decimal(float(own @ made) / max(float(made @ made), 1e-300), lambda x: explains(x * made))
    if digits < 17 and abs(factor - 1) > least:
        return "scaled", factor
    center = float(np.mean(own - made))
    amount, digits = shortest_decimal(abs(center), lambda x: explains(made + copysign(x, center)))
    if digits < 17 and amount > least * np.abs(made).max():
        return "raised", copysign(amount, center)
    return None
