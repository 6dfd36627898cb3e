"""Forms in which programs store a table: as complex numbers, one wave of each pair, angles, with copied columns, …

A function that undoes a form returns None if the numbers do not have this form.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import product
from math import exp, inf, pi
from typing import Any

from pecli.core.lazy import Array, np
from pecli.core.numbers import ROUND
from pecli.measures.differences import RELATIVE
from pecli.measures.fits import FIRST, MAX_SINGLE, SINGLE_RATE, first_position

COPIED = 1e-6  # largest relative difference of numbers that a grid repeats
SHARP = 1e-2  # largest relative residual of a wave in one column
COMPUTED = 2e-15  # error of waves computed in float64
MANY = 50.0  # radians: angles up to here show whether they were computed in float32
EXACT_RATE = 1e-8  # relative error of a rate found from waves computed in float64
FAST = 0.2  # smallest rate, rad/position, at which a few rows of one column determine the phase of its wave
FAR_COLUMNS = 6  # least number of such columns that tell a far position; some position explains the angles of fewer
NEGATED = ("sines_negated", "cosines_negated")
FORGOTTEN = {"sines": "sines_for_cosines", "cosines": "cosines_for_sines"}  # the only waves, where both must be
MISTAKES = ("mixed_pairings", "rising_rates", *NEGATED, *FORGOTTEN.values(), "names_exchanged")
WAVES = ("cosines", "sines", "angles")
ROUNDED = ("rates", "positions", "angles")  # the numbers that a program may round to a short type


def roundings() -> Iterator[str]:
    """Yield the names of forms in which something is rounded to bfloat16 or float16, such as "bfloat16_rates"."""
    for kind in ("bfloat16", "float16"):
        for what in (*ROUNDED, "rates_and_positions", "rates_positions_and_angles"):
            yield f"{kind}_{what}"


def kept_numbers(encoding: Any, positions: Array, kept: tuple[str, ...]) -> Array:
    """Return the encoding's numbers at positions (n,) in the stored form `kept`, (n, k)."""
    wave = next((name for name in kept if name in WAVES), "")
    kind, _, what = next((name for name in kept if name.partition("_")[0] in ROUND), "float64_").partition("_")
    rising = "rising_rates" in kept
    if not (wave or what or rising):
        return np.asarray(encoding.table(positions))
    rounded = {part: ROUND[kind if part in what else "float64"] for part in ROUNDED}
    rates = rounded["rates"](1 / encoding.frequencies() if rising else encoding.frequencies())
    angles = rounded["angles"](rounded["positions"](encoding.coordinates(positions)) * rates)
    if wave == "angles":
        return angles
    if wave:
        return getattr(encoding, "attention_scaling", 1.0) * (np.cos(angles) if wave == "cosines" else np.sin(angles))
    return np.asarray(encoding.arrange(np.sin(angles), np.cos(angles)))


def flattened(array: Array) -> tuple[tuple[str, ...], Array]:
    """Return the names of an array's forms, () for a table, and its numbers as a table, (n, d).

    Complex numbers, pairs of numbers and matrices of rotation become a cosine and a sine side by side. Of several equal
    tables, as in a batch, only the first is used; the name of this form is "copies_" and their number.
    """
    array, copies = np.squeeze(np.asarray(array)), 1
    if array.ndim == 3 and (array[1:] == array[:1]).all():
        copies, array = len(array), array[0]
    kept, table = _as_table(array)
    return (*([f"copies_{copies}"] if copies > 1 else []), *([kept] if kept else [])), table


def _as_table(array: Array) -> tuple[str, Array]:
    """Return the name of an array's form, as `flattened` does, and its numbers as a table."""
    kept = ""
    if np.iscomplexobj(array):
        array = array.reshape(-1, array.shape[-1]) if array.ndim == 3 else array  # of a grid of rows and columns
        kept, array = "complex", np.stack([array.real, array.imag], axis=-1)
    elif array.ndim == 4 and array.shape[2:] == (2, 2):
        kept, array = "rotations", array[..., 0]
    elif array.ndim == 3 and array.shape[2] == 2:
        kept = "pairs"
    elif array.ndim == 3 and array.shape[0] == 2:
        kept, array = "pairs_in_front", np.moveaxis(array, 0, 2)
    elif array.ndim == 3 and array.shape[0] % 4 == 0 and array.shape[0] > max(array.shape[1:]):
        return "channels_in_front", array.reshape(len(array), -1).T
    elif array.ndim == 3:
        return "grid", array.reshape(-1, array.shape[-1])
    return kept, array.reshape(*array.shape[:-2], -1) if kept else array


def without_copies(table: Array) -> tuple[str, Array] | None:
    """Return the name of the form and the table without the copies, if columns are repeated; otherwise None."""

    def pattern(part: Array) -> tuple[str, Array] | None:
        half = part.shape[1] // 2
        ways = [("copied_halves", part[:, :half], part[:, half:]), ("copied_columns", part[:, ::2], part[:, 1::2])]
        if part.shape[1] % 4 == 0:  # a cosine and a sine side by side, each from a table of its own
            pairs = part.reshape(len(part), -1, 2, 2)
            ways.append(
                ("copied_columns", pairs[:, :, 0].reshape(len(part), half), pairs[:, :, 1].reshape(len(part), half))
            )
        for name, one, other in ways:
            if half > 1 and part.shape[1] % 2 == 0 and np.array_equal(one, other):
                alike = any(np.array_equal(one[:, 0], one[:, at]) for at in (1, 2)[: half - 1])
                return None if alike else (name, one)  # no copies if all columns have one rate
        return None

    if table.shape[1] < 4 or (whole := pattern(table)):
        return whole if table.shape[1] >= 4 else None
    for halves in (np.split(table, 2, axis=1), (table[:, ::2], table[:, 1::2])) if table.shape[1] % 4 == 0 else ():
        told = [part for part in map(pattern, halves) if part]
        if len(told) == 2:
            names = {name for name, _ in told}
            return names.pop() if len(names) == 1 else "mixed_pairings", np.hstack([part for _, part in told])
    return None


def standing_columns(table: Array) -> Array | None:
    """Return a mask, (d,), of columns that stand still: cosines that are always 1 and sines that are always 0.

    None if there are none, or if they are neither one kind alone nor as many of both.
    """
    still = (table == table[0]).all(axis=0)
    ones, zeros = still & (table[0] == 1), still & (table[0] == 0)
    alike = not ones.any() or not zeros.any() or ones.sum() == zeros.sum()
    return ones | zeros if alike and 0 < (ones | zeros).sum() < table.shape[1] - 1 else None


def without_repeated_rows(table: Array) -> tuple[str, Array] | None:
    """Return the form's name and the table with each row once if rows repeat, as on an axis of a grid; else None."""
    again = np.flatnonzero((table[1:] == table[0]).all(axis=1)) + 1
    if not len(again):
        return None
    if again[0] > 1:
        each, copies = table[: again[0]], len(table) / again[0]
        return (
            ("rows_tiled", each) if copies % 1 == 0 and np.array_equal(np.tile(each, (int(copies), 1)), table) else None
        )
    run = int(again[-1]) + 1
    each = table[::run]
    whole = run == len(again) + 1 and len(table) % run == 0 and len(each) > 1
    return ("rows_repeated", each) if whole and np.array_equal(np.repeat(each, run, axis=0), table) else None


def axes_of_grid(table: Array) -> Iterator[tuple[Array, Array]]:
    """Yield the columns along the rows and along the columns of a grid whose cells are the table's rows, (n, d/2) each.

    In a grid, half of the columns are the same in each of its rows, half in each of its columns. They are the first and
    the second half, or those halves of all cosines and of all sines.
    """
    parts = np.split(table, 4, axis=1) if table.shape[1] % 4 == 0 else []
    halves = [np.split(table, 2, axis=1)] if table.shape[1] % 2 == 0 else []
    for first, second in [*halves, *([(np.hstack(parts[::2]), np.hstack(parts[1::2]))] if parts else [])]:
        for rows in (rows for rows in range(2, len(table) // 2 + 1) if len(table) % rows == 0):
            down, across = (own.reshape(rows, -1, own.shape[1]) for own in (first, second))
            near = COPIED * np.abs(table[: len(table) // rows + 1]).max()
            if all(  # two cells first, because they tell most other tables
                np.abs(down[:some, :other] - down[:some, :1]).max() <= near
                and np.abs(across[:other, :some] - across[:1, :some]).max() <= near
                for some, other in ((1, 2), (None, None))
            ):
                yield down[:, 0], across[0]


def holds_waves(table: Array) -> bool:
    """Return True if the first rows of most columns fit a single wave: x(p + 1) + x(p − 1) = 2 cos ω · x(p)."""
    part = table[:FIRST]
    near, middle = part[2:] + part[:-2], part[1:-1]
    size = np.maximum(np.square(middle).sum(axis=0), 1e-200)
    off = np.square(near - (near * middle).sum(axis=0) / size * middle).sum(axis=0)
    return len(part) > 3 and bool(np.mean(off < 1e-2 * size) > 0.6)


@dataclass(frozen=True)
class Waves:
    """One wave in each column: scale · cos(rate · (row + start)), or the sine, or only the angle.

    kind : "cosines", "sines" or "angles"
    rates : rad/position, (d,), NaN where a column does not determine its rate
    errors : absolute errors of the rates, (d,)
    """

    kind: str
    rates: Array
    errors: Array
    start: int
    scale: float


def single_waves(table: Array, rounding: float) -> Iterator[Waves]:
    """Yield cosines and sines that explain the columns.

    rounding : relative rounding error of the values
    """
    part = table[: 8 * FIRST]
    rows, first = np.arange(len(part), dtype=np.float64), part[:FIRST]
    size = np.maximum(2 * np.square(first[1:-1]).sum(axis=0), 1e-200)
    omega = np.arccos(np.clip(((first[2:] + first[:-2]) * first[1:-1]).sum(axis=0) / size, -1, 1))
    for kind, sizes in (("cosines", table[0]), ("sines", np.ones(1))):  # at position 0, also if no wave is fast
        if (sizes == sizes[0]).all() and sizes[0] > 0 and (kind == "cosines" or not table[0].any()):
            scale = float(sizes[0])
            unknown = np.full(part.shape[1], np.nan)
            yield Waves(kind, *known_waves(part / scale, rows, kind, unknown, rounding), 0, scale)
    quick = np.flatnonzero((omega > FAST) & (omega < pi - 1e-3))
    if not len(quick):
        return
    rates, parts, off = free_waves(part[:, quick], omega[quick], rows)
    scale = float(np.median(np.abs(parts)))
    good = (off < SHARP * scale) & (np.abs(np.abs(parts) - scale) < SHARP * scale)
    if np.mean(good) < 0.8:
        return
    scale = 1.0 if abs(scale - 1) < 4 * rounding + 1e-12 else scale
    known = round_rates(rates[good], quick[good], part.shape[1])
    turned = np.angle(parts[good]) + (rates[good] - known) * rows.mean()  # the middle row has the same angle
    far = MAX_SINGLE if len(known) >= FAR_COLUMNS else 0.0
    waves = ((rates[good], np.angle(parts[good]), inf), (known, turned, far))
    for (own, angles, most), (kind, shift) in product(waves, (("cosines", 0.0), ("sines", pi / 2))):
        start = first_position(own, phases := angles + shift)
        if abs(start) <= most and np.mean(np.cos(phases - own * start)) > 1 - 1e-3:
            places = np.abs(rows + start)
            signs = 1.0 if kind == "cosines" else np.where(rows + start < 0, -1.0, 1.0)[:, None]
            guesses = np.full(part.shape[1], np.nan)
            guesses[quick[good]] = own
            yield Waves(kind, *known_waves(signs * part / scale, places, kind, guesses, rounding), int(start), scale)


def round_rates(rates: Array, pairs: Array, n_pairs: int) -> Array:
    """Return the rates of the nearest base of two digits, (n,); they tell far positions if float32 rounded the angles.

    rates, pairs : estimated rates and the indices of their pairs, (n,) each
    """
    slope = np.polyfit(pairs, np.log(rates), 1)[0] if len(pairs) > 1 else 0.0
    base = float(f"{exp(min(max(-slope * n_pairs, 0.0), 700)):.2g}")
    return np.asarray(base ** (-pairs / n_pairs))


def free_waves(part: Array, omega: Array, rows: Array) -> tuple[Array, Array, Array]:
    """Return rate, complex amplitude and rms residual of one wave in each column, (d,), by Gauss-Newton steps.

    part, omega, rows : the values (n, d), guesses of the rates (d,) and row numbers (n,)
    """
    length = 0
    while length < len(rows):  # doubles the rows, because more rows need a better guess
        length = min(max(32, 2 * length), len(rows))
        own, at = part[:length].T[..., None], rows[:length]
        for _ in range(4):
            turned = omega[:, None] * at
            waves = np.stack([np.cos(turned), np.sin(turned)], axis=-1)
            sizes = np.linalg.pinv(waves) @ own
            moved = at * (sizes[:, 1] * waves[..., 0] - sizes[:, 0] * waves[..., 1])
            steps = np.linalg.pinv(np.concatenate([waves, moved[..., None]], axis=-1)) @ own
            omega = omega + np.clip(steps[:, 2, 0], -0.1 / length, 0.1 / length)
    off = np.sqrt(np.mean(np.square(own - waves @ sizes), axis=(1, 2)))
    return omega, sizes[:, 0, 0] - 1j * sizes[:, 1, 0], off


def known_waves(part: Array, places: Array, kind: str, rates: Array, rounding: float) -> tuple[Array, Array]:
    """Return the rate of each column and its error, (d,) each, assuming unit waves without a phase.

    rates : guesses, (d,); NaN where a guess is to be made from the first rows
    """
    (wave, inverse), length = (np.cos, np.arccos) if kind == "cosines" else (np.sin, np.arcsin), 8.0
    near = places <= max(length, 1 + float(places.min()))
    angles, at = np.abs(inverse(np.clip(part[near], -1, 1))), places[near]
    if len(at) and at.min() < length:  # later rows do not tell the number of whole turns
        rates = np.where(np.isfinite(rates), rates, at @ angles / max(float(at @ at), 1e-300))
    while True:
        near = places <= length
        for _ in range(4 if near.any() else 0):
            turned = places[near, None] * rates
            steep = places[near, None] * (-np.sin(turned) if kind == "cosines" else np.cos(turned))
            rest, size = part[near] - wave(turned), np.maximum(np.square(steep).sum(axis=0), 1e-300)
            rates = rates + np.clip((steep * rest).sum(axis=0) / size, -0.5 / length, 0.5 / length)
        if length >= places.max():
            break
        length *= 2
    found = np.sqrt(np.mean(np.square(rest), axis=0))
    turns = (np.abs(rates) * places.max() > MANY) & (np.abs(rates - 1) > SINGLE_RATE)  # angles at the rate 1 are exact
    level = np.maximum(found, max(2 * rounding, COMPUTED))
    exact = level < 1e3 * COMPUTED  # otherwise rates and angles may have been computed in float32
    exact |= turns.any() and found[turns].max() < rounding / 2  # only the finished numbers were rounded
    errors = 4 * level / np.sqrt(size) + np.where(exact, EXACT_RATE, SINGLE_RATE) * np.abs(rates)
    return np.where(errors < 0.05 * np.abs(rates), np.abs(rates), np.nan), errors


def angles_of(table: Array, rounding: float) -> Waves | None:
    """Return rates and start if every column is rate · (row + start); otherwise None."""
    slopes = (table[-1] - table[0]) / max(len(table) - 1, 1)
    lines = table[0] + np.arange(len(table))[:, None] * slopes
    largest = np.abs(table).max(axis=0)
    if len(table) < 4 or not np.all(slopes > 0) or np.any(np.abs(table - lines) > (4 * rounding + 1e-12) * largest):
        return None
    start = float(np.median(table[0] / slopes))
    if abs(start - round(start)) > 1e-3 + 8 * rounding * len(table):
        return None
    places = np.arange(len(table)) + float(round(start))
    rates = places @ table / (places @ places)
    share = SINGLE_RATE if rounding == RELATIVE["float32"] else 4 * rounding + 1e-12
    return Waves("angles", rates, rates * share, round(start), 1.0)


def with_forgotten(kept: tuple[str, ...], named: bool, sines_first: bool) -> tuple[str, ...]:
    """Return the forms, with a mistake at the end if an array that must hold cosines holds sines, or the reverse.

    kept : forms of the numbers
    named : whether they are two arrays named cos and sin, read in this order
    sines_first : whether sines come before cosines
    """
    twice = {"complex": "copied_columns", "rotations": "copied_columns", "copies_2": "copies_2" if named else ""}
    copies = twice.get(kept[0], "") if kept else ""
    for wave, mistake in FORGOTTEN.items():
        if wave in kept and copies in kept:
            return (*(name for name in kept if name not in (wave, copies)), mistake)
    return (*kept, "names_exchanged") if named and kept[:1] == ("pairs_in_front",) and sines_first else kept


def octaves(table: Array) -> bool:
    """Return True if each pair of columns turns twice as fast as the one before."""
    half = table.shape[1] // 2
    if table.shape[1] % 2 or half < 3:
        return False
    for one, other in ((table[:, ::2], table[:, 1::2]), (table[:, :half], table[:, half:])):
        for waves in (one + 1j * other, other + 1j * one):
            turns = np.abs(np.angle(waves[:, 0])).max() > 0.5
            if turns and np.abs(waves[:, 1:] - waves[:, :-1] ** 2).max() < 1e-4 > np.ptp(np.abs(waves)):
                return True
    return False
