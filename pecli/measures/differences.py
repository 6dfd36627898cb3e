"""Where a table differs from a formula beyond rounding, and which known change explains it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from math import copysign, inf
from typing import Any

from pecli.core.lazy import Array, np
from pecli.core.numbers import CHUNK, ROUND, chunks
from pecli.measures.fits import FRONT, SHARE_RIGHT, roundest, rows_of

RELATIVE = {"bfloat16": 2.0**-8, "float16": 2.0**-11, "float32": 2.0**-24, "float64": 2.0**-53}  # rounding error
MIN_FRONT_DIFFERENCE = 0.01  # by which a special row in front differs, as a share of the largest number
MAX_SHIFT = 1000  # positions by which rows may be shifted


@dataclass(frozen=True)
class Expected:
    """The values that a formula gives for rows (n,), and the tolerance for a table.

    numbers : (n, d)
    slack : tolerance before rounding, (n, d) or (n, 1)
    number_type : type that the values are rounded to
    scaled : whether they were also rounded before they were multiplied by the scale
    """

    numbers: Callable[[Array], Array]
    slack: Callable[[Array], Array]
    number_type: str
    scaled: bool = False

    def wrong(self, rows: Array, own: Array, made: Array, columns: Any = slice(None), changed: bool = False) -> Array:
        """Return which values differ from the expected ones, (n, k); changed : values were changed after rounding."""
        rounded, slack = ROUND[self.number_type], self.slack(rows)
        slack = slack[:, columns] if slack.shape[1] > 1 else slack
        if self.scaled or changed:
            slack = slack + RELATIVE[self.number_type] * np.abs(made).max(axis=0)
        return (own < rounded(made - slack)) | (own > rounded(made + slack))


@dataclass(frozen=True)
class Change:
    """A known change of columns or rows that explains all differing values.

    kind : flipped, exchanged, scaled, zero, raised (number added) or moved (rows from one on are of later positions)
    at : the columns; for moved the first row
    amount : the factor, the added number, or the positions
    """

    kind: str
    at: tuple[int, ...]
    amount: float = 0.0


@dataclass(frozen=True, kw_only=True)
class Differences:
    """Where a table differs from the expected values.

    unlike : special rows in front, such as a class token's
    zeros : rows of zeros (padding) that the formula does not give
    cells, columns, rows : number of values that differ beyond rounding or noise, and where; without the rows above
    difference, place : largest difference, its row and column
    changes : known changes that explain all differences; () if there are none
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
    """Return where a table (length, d) differs from the expected values; None if most values in rows `places` do."""
    tried = table[places.astype(int)]
    if expected.wrong(places, tried, expected.numbers(places)).mean() > 1 - SHARE_RIGHT:
        return None
    wrong, off = np.zeros(table.shape, dtype=bool), np.zeros(table.shape)
    for window in chunks(0, *table.shape):
        own, rows = rows_of(table, window)
        made, at = expected.numbers(rows), slice(window.start, window.stop)
        wrong[at], off[at] = expected.wrong(rows, own, made), np.abs(own - made)
    zero = np.asarray(wrong.any(axis=1) & ~table.any(axis=1))
    unlike = rows_in_front(wrong & (off > MIN_FRONT_DIFFERENCE * np.abs(table).max()), zero)
    aside = zero.copy()
    aside[unlike] = True
    wrong[aside], off[aside], kept = False, 0.0, np.flatnonzero(~aside)
    row, column = (int(at) for at in np.unravel_index(np.argmax(off), off.shape))
    rows, columns = (np.flatnonzero(wrong.any(axis=axis)) for axis in (1, 0))
    return Differences(
        unlike=tuple(unlike),
        zeros=tuple(np.flatnonzero(zero).tolist()),
        cells=int(wrong.sum()),
        columns=tuple(columns.tolist()),
        rows=tuple(rows.tolist()),
        difference=float(off.max()),
        place=(row, column),
        changes=(moved_rows(table, expected, kept[kept >= rows[0]]) or changed_columns(table, expected, columns, kept))
        if len(rows)
        else (),
    )


def rows_in_front(wrong: Array, zero: Array) -> list[int]:
    """Return the special rows in front, without rows of zeros; [] if rows further down differ as much.

    wrong : (n, d); zero : (n,)
    """
    strange = np.flatnonzero((wrong.mean(axis=1) >= 0.5) & ~zero).tolist()
    few = len(strange) <= min(FRONT, len(wrong) // 4) and strange[-1:] < [FRONT]
    return strange if few and all(zero[row] or row in strange for row in range(max(strange, default=0))) else []


def moved_rows(table: Array, expected: Expected, rows: Array) -> tuple[Change, ...]:
    """Return a "moved" change if all rows from the first differing one on, (n,), are shifted by equally many
    positions."""
    behind, first = table[rows], int(rows[0])
    most = min(len(table), MAX_SHIFT)
    steps = np.array(sorted(range(-most, most + 1), key=abs)[1:], dtype=np.float64)
    fits = ~expected.wrong(rows[:1], behind[:1], expected.numbers(first + steps)).any(axis=1)
    for step in steps[fits][:3]:
        if len(rows) > 1 and not expected.wrong(rows, behind, expected.numbers(rows + step)).any():
            return (Change("moved", (first,), float(step)),)
    return ()


def changed_columns(table: Array, expected: Expected, columns: Array, kept: Array) -> tuple[Change, ...]:
    """Return the known changes that explain all differing columns in the rows `kept` (n,); () if one is unexplained."""
    if len(columns) * len(kept) > CHUNK or len(columns) > table.shape[1] / 2:
        return ()
    table, made = table[kept], expected.numbers(kept)

    def explains(column: int, values: Array, changed: bool = True) -> bool:
        return not expected.wrong(kept, table[:, [column]], values[:, None], [column], changed).any()

    changes, left = dict[tuple[str, float], list[int]](), list[int]()
    for column in columns.tolist():
        change = change_of(table[:, column], made[:, column], partial(explains, column), expected.number_type)
        (changes.setdefault(change, []) if change else left).append(column)
    sources = set[int]()  # of exchanged columns
    for column in left:
        free = (other for other in left if other not in sources and explains(column, made[:, other], False))
        if (source := next(free, None)) is None:
            return ()
        sources.add(source)
    known = [Change(kind, tuple(at), amount) for (kind, amount), at in changes.items()]
    return (*known, *([Change("exchanged", tuple(left))] if left else []))


def change_of(own: Array, made: Array, explains: Callable[[Array], bool], number_type: str) -> tuple[str, float] | None:
    """Return kind and amount of the change of a column (n,); None if no known change explains it."""
    least = 8 * RELATIVE[number_type]  # relative change that may be rounding
    if not own.any():
        return "zero", 0.0
    if explains(-made):
        return "flipped", 0.0
    factor, digits = roundest(float(own @ made) / max(float(made @ made), 1e-300), lambda x: explains(x * made))
    if digits < 17 and abs(factor - 1) > least:
        return "scaled", factor
    center = float(np.mean(own - made))
    amount, digits = roundest(abs(center), lambda x: explains(made + copysign(x, center)))
    if digits < 17 and amount > least * np.abs(made).max():
        return "raised", copysign(amount, center)
    return None
