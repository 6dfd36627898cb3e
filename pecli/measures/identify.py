"""Which formula made a table: its names, its parameters, and the encoding that draws it."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from dataclasses import dataclass, replace
from decimal import Decimal
from functools import partial
from math import copysign, exp, floor, inf, log, log10, pi, prod, sqrt
from typing import Any

from pecli.core.errors import UsageError
from pecli.core.lazy import Array, np
from pecli.core.numbers import CHUNK, ROUND, chunks
from pecli.encodings.base import TableEncoding
from pecli.encodings.binary import MAX_BITS, Binary
from pecli.encodings.clock import NAMED, Clock, Geometric
from pecli.encodings.grid import SCALES
from pecli.encodings.rope import Rope
from pecli.encodings.sincos2d import SinCos2D
from pecli.encodings.sinusoidal import Sinusoidal
from pecli.measures.fits import (
    CIRCLE,
    EXACT,
    FIRST,
    NOISE,
    Fit,
    best_fit,
    median_turning,
    pairs_of,
    refined,
    rms,
    robust_fit,
    roundest,
    simplified,
    start_of,
    trimmed,
    usual_layouts,
)
from pecli.measures.rates import rope_of

FRONT = 8  # rows in front that may be something else: a class token's, padding
FEWEST = 4  # rows that tell rate, phase and radius, and what is left over
FITTED = 1 << 18  # numbers of a table that are fitted: the first rows of a larger one
SMALLEST = 1e-60  # of the largest number of a table, so that squares of squares have a place in float64
UNSURE = 0.02  # of the logarithm of a base, from which on it is not told
USUAL, USUAL_RADIX = 10_000.0, 3600.0  # bases that most have
LARGEST = 1e12  # base that a formula has; past it something was not divided
MOST = 0.5  # share of the numbers that are of the type of a table some of whose numbers are wrong
SHARE_RIGHT = 0.6  # of the numbers that a formula was fitted to, which it has to make up to rounding
SHARE_SAME, SHARE_MORE = 0.8, 0.02  # of numbers that are the same to the last bit; so much more for more digits
FEW = 0.1  # of the numbers, which may differ from a formula where no other is looked for
STRANGE = 0.01  # of the largest number, by which a row in front that is no formula's differs
MOVED = 1000  # positions that rows of a formula are looked for at
MAX_HANDS = 6  # of a clock
TYPES = ("bfloat16", "float16", "float32")
COMPUTED = ("paper", "tensor2tensor", "undivided")  # names of formulas that encodings compute in other types
SHORT = ("bfloat16", "float16")
SHARES = {"bfloat16": 2.0**-7, "float16": 2.0**-10}  # of a rate, to which it is known
SHARE = 1e-6  # to which libraries that compute in float32 agree
PLACES = 7  # after the point, from which on numbers were computed and not typed
RELATIVE = {"bfloat16": 2.0**-8, "float16": 2.0**-11, "float32": 2.0**-24, "float64": 2.0**-53}  # rounding, of a number
SINGLE = 3e-7  # of a number and of angles, to which libraries agree that compute in float32
NOWHERE = 1e30  # in place of numbers that a formula does not have
UNITS = (pi / 180, 180 / pi)  # first rates of angles in degrees


@dataclass(frozen=True)
class Formula:
    """One that makes tables, or a known mistake.

    kind : of the fits that it may be a name of
    divisor : of d columns, what the exponent of the base is divided by; in a linear one, the angle
    least : what its base has to be above, so that others are not called so
    """

    name: str
    kind: str
    sentence: str
    divisor: Callable[[int], float]
    least: float = 0.0
    mistake: bool = True

    def base(self, fit: Fit, d: int) -> float:
        """Return the base that a fit has by it."""
        if self.kind == "linear":
            return 1 / sqrt(fit.rate * self.divisor(d))
        return exp(min(fit.decay * self.divisor(d), 700))

    def with_base(self, fit: Fit, d: int, base: float) -> Fit:
        """Return the fit with that base."""
        if self.kind == "linear":
            return replace(fit, rate=1 / (base**2 * self.divisor(d)))
        return replace(fit, decay=log(base) / self.divisor(d))


UNDIVIDED = Formula("undivided", "pairs", "identify.base_exponent_not_divided", lambda d: 1, least=1.5)
PAPER = Formula("paper", "pairs", "identify.base_base", lambda d: d, mistake=False)
FORMULAS = (
    PAPER,
    Formula("tensor2tensor", "pairs", "identify.base_exponent_j_d", lambda d: d - 2, mistake=False),
    Formula("doubled", "pairs", "identify.base_exponent_doubled_2", lambda d: d / 2, least=100),
    UNDIVIDED,
    Formula("columns", "columns", "identify.base_exponent_i_d", lambda d: d),
    Formula(
        "columns", "columns",
        "identify.base_exponent_2i_d", lambda d: d / 2, least=100,
    ),
    Formula(
        "precedence", "linear",
        "identify.base_angle_position_base", lambda d: d,
    ),
    Formula(
        "precedence", "linear",
        "identify.base_angle_position_base_j", lambda d: 2 * d,
    ),
    Formula(
        "whole", "whole", "identify.base_angles_rounded_down", lambda d: d
    ),
    Formula("integers", "pairs", "identify.base_exponent_rounded_down", lambda d: d),
)  # fmt: skip


@dataclass(frozen=True)
class Change:
    """What was done to columns or rows, certain because it explains all numbers that differ.

    kind : flipped, exchanged, scaled, zero, raised (by a number) or moved (rows from one on are of later positions)
    at : the columns, or of moved rows the first
    amount : the factor, the number added, the positions
    """

    kind: str
    at: tuple[int, ...]
    amount: float = 0.0


@dataclass(frozen=True)
class Identified:
    """What a table was found to be.

    number_type : float64, or the smallest type that holds all numbers; of a known formula, most numbers
    filled : columns before those that are all zero
    fit : None where no sinusoids fit
    names : of one and the same formula, with the base that each has, the plainest first
    encoding : what draws it, row 0 at position `first`; None where there is none
    same : whether that is the formula, and not the one that was probably meant
    first : position of row 0
    unlike : rows in front that the formula does not make
    certain : whether all other numbers are the formula's, up to rounding, or a known change explains those that differ
    changes : what explains the numbers that differ; () where nothing is known to
    cells, columns, rows : how many numbers differ from the formula beyond rounding or noise, and where
    share : of all numbers, those that differ so
    noise : root mean square of what differs everywhere; 0 where most numbers are the formula's up to rounding
    difference, place : the largest, between table and formula, and its row and column
    explained, rank, periods : without a formula, the share of variance in the strongest wave of each column, principal
        components that hold 99 % of it, and the strongest periods of all columns, positions
    """

    number_type: str
    filled: int
    fit: Fit | None = None
    names: tuple[tuple[Formula, float], ...] = ()
    encoding: TableEncoding | None = None
    same: bool = False
    first: int = 0
    unlike: tuple[int, ...] = ()
    certain: bool = False
    changes: tuple[Change, ...] = ()
    cells: int = 0
    columns: tuple[int, ...] = ()
    rows: tuple[int, ...] = ()
    share: float = 0.0
    noise: float = 0.0
    difference: float = inf
    place: tuple[int, int] | None = None
    explained: float = 0.0
    rank: int = 0
    periods: tuple[float, ...] = ()

    @property
    def start(self) -> int:
        """The position of row 0; the cells of a grid begin behind what precedes them."""
        return -len(self.unlike) if self.encoding and self.encoding.sides else self.first

    @property
    def correct(self) -> bool:
        """Whether a formula that is no known mistake makes the table."""
        fit, formula = self.fit, self.names[0][0] if self.names else None
        strange = fit and (fit.layout == "permuted" or fit.rate in UNITS)
        return self.certain and not (self.changes or strange or (formula and formula.mistake))

    @property
    def standing(self) -> int:
        """How much is known: larger is more."""
        fit = self.fit
        strange = fit and (fit.layout == "permuted" or float(f"{fit.rate:.3g}") != fit.rate not in UNITS)
        certain = 4 - bool(self.changes or (strange and fit and fit.kind != "linear"))
        return certain if self.certain else (0 if self.encoding is None else 1 if self.noise else 2)

    @property
    def settled(self) -> bool:
        """Whether nearly all numbers are the formula's, or a known change explains the others."""
        return self.standing > 2 or (self.standing == 2 and self.share < FEW)


Expected = Callable[[Array], Array]  # a formula's numbers (n, d) of rows (n,)


def identify(table: Array) -> Identified:
    """Return which formula made a table, (length, d), finite."""
    blank = Identified(type_of(table, MOST), table.shape[1])
    if not SMALLEST < np.abs(table).max() < 1 / SMALLEST:
        return blank
    found: list[Identified] = []
    for search in (bits_of, nearly_on_line, on_line, on_grid, of_rates):
        if found and found[-1].settled and search in (on_line, on_grid):
            continue
        each = search(table, blank)
        if each is not None and (each.certain or not any(one.standing > 1 for one in found)):
            found.append(each)
            if each.standing == 4 or (each.noise and not each.cells):
                break
    best = max(found, key=lambda each: (each.standing, -each.cells), default=blank)
    if best.encoding is None:
        best = next((each for each in found if each.fit), blank)
        best = replace(best, number_type=type_of(table))
    return best if best.fit or best.encoding else replace(best, **waves_of(table))


def type_of(numbers: Array, share: float = 1.0) -> str:
    """Return the smallest type that holds all numbers, or that share of them; whole ones say nothing of it."""
    broken = numbers[np.rint(numbers) != numbers]
    kinds = TYPES if broken.size else ()
    return next((kind for kind in kinds if np.mean(ROUND[kind](broken) == broken) >= share), "float64")


def waves_of(table: Array) -> dict[str, Any]:
    """Return what there is to say of a table that no formula makes."""
    centred = table - table.mean(axis=0)
    power = np.abs(np.fft.rfft(centred, axis=0)[1:]) ** 2
    power[: (len(table) - 1) // 2] *= 2  # each stands for its mirror image too
    parts = np.cumsum(np.linalg.svd(centred, compute_uv=False) ** 2)
    if not power.sum() > 0:
        return {}
    strongest = np.argsort(-power.sum(axis=1))[:3]
    return {
        "explained": float(power.max(axis=0).sum() / power.sum()),
        "rank": int(np.searchsorted(parts, 0.99 * parts[-1])) + 1,
        "periods": tuple((len(table) / (strongest + 1.0)).tolist()),
    }


def width_filled(table: Array) -> int:
    """Return how many columns there are before those that are all zero."""
    return int(np.flatnonzero(np.any(table != 0, axis=0)).max(initial=0)) + 1


def on_line(table: Array, blank: Identified) -> Identified:
    """Return what sines and cosines of positions one after the other a table is."""
    length, d = table.shape
    best = blank
    for first in dict.fromkeys([min(FRONT, length // 4), 0]) if length >= FEWEST and d > 1 else ():
        for width in dict.fromkeys([width_filled(table), d]):
            body = table[first:, :width][: max(64, FITTED // d)]
            fit = best_fit(body, np.arange(first, first + len(body), dtype=np.float64)) if body.any() else None
            found = described(table, replace(blank, filled=width), fit) if fit else blank
            if found.certain:
                return found
            best = max(best, found, key=lambda each: (each.standing, bool(each.fit)))
    return best


def described(table: Array, blank: Identified, fit: Fit) -> Identified:
    """Return what a fit to a table without wrong numbers says, but for rows in front that it may not make."""
    table, rows = table[:, : blank.filled], np.arange(len(table), dtype=np.float64)
    off = np.sqrt(np.mean(fit.left(table[:FRONT], rows[:FRONT]) ** 2, axis=1))
    unlike = np.flatnonzero(off > max(8 * fit.rms, 1e-6 * fit.scale))
    most = max(64, FITTED // table.shape[1])
    part, places = np.delete(table, unlike, axis=0)[:most], np.delete(rows, unlike)[:most]
    found = named(table, blank, refined(part, places, fit), part, places)
    if found.standing > 0:
        return found
    fit, part = trimmed(part, places, fit, RELATIVE[blank.number_type])  # a few wrong numbers may have moved it
    return max(found, named(table, blank, fit, part, places), key=lambda each: each.standing)


def nearly_on_line(table: Array, blank: Identified) -> Identified | None:
    """Return what sines and cosines a table is of which some columns, rows or numbers are wrong."""
    length, d = table.shape
    if length < FEWEST or d < 2:
        return None
    best: Identified | None = None
    for width in dict.fromkeys([width_filled(table), d]):
        if (found := robust_fit(table[:, :width], max(64, FITTED // 4 // d), RELATIVE[blank.number_type])) is not None:
            each = named(table[:, :width], replace(blank, filled=width), *found)
            if not each.certain and blank.number_type in SHORT:
                low = computed(table[:, :width], each, found[2])
                each = max(filter(None, (each, low)), key=lambda one: (one.standing, -one.cells))
            best = max(filter(None, (best, each)), key=lambda one: one.standing)
    return best


def named(table: Array, blank: Identified, fit: Fit, part: Array, places: Array) -> Identified:
    """Return a fit in its simplest parameters, its names, and how far it is from the table.

    part, places : what it was fitted to, (n, d), NaN where left out, and which rows these are, (n,)
    """
    clean = fit.rms < min(NOISE * fit.scale, max(fit.rounding(places), 1.5 * fit.noise(part, places)))
    unit = RELATIVE["float32" if fit.rms > 1e-10 * fit.scale else "float64"]  # of the rates, as they were computed
    turned = float(np.abs(places + fit.start).mean() * np.abs(fit.frequencies()).mean())
    limit = 1.5 * fit.rms + (EXACT + unit * turned) * fit.scale
    fit = simplified(part, places, fit, limit)
    names = names_of(part, places, fit, limit, blank.number_type) if fit.start == round(fit.start) else ()
    found = replace(blank, fit=fit, first=round(fit.start))
    plain = made_by_fit(table, found, names, part, places) if names else None
    if plain is not None and (clean or not plain.noise):
        return plain
    return found


def made_by_fit(
    table: Array, found: Identified, names: tuple[tuple[Formula, float], ...], part: Array, places: Array
) -> Identified | None:
    """Return how far a table is from its fit with the first of its names: up to rounding, else up to noise."""
    fit, d = found.fit, table.shape[1]
    assert fit is not None
    fit = names[0][0].with_base(fit, d, names[0][1])
    encoding, same = drawn(fit, names[0], d)
    found = replace(found, fit=fit, names=names, encoding=encoding, same=same)
    rates = np.abs(fit.frequencies())

    def expected(rows: Array) -> Array:
        if fit.kind != "whole":
            return fit.scale * np.sin(fit.angles(rows))
        own = table[
            np.clip(rows.astype(int), 0, len(table) - 1)
        ]  # where rounding decides a whole number, either is right
        return own - fit.left(own, rows)

    def judged(level: float, noise: float = 0.0) -> Identified | None:
        def size(rows: Array) -> Array:
            return noise + level * fit.scale * (1 + 5 * np.abs(rows + fit.start)[:, None] * rates)

        return compared(table, found, expected, size, places)

    exact = judged(1e-14) if found.number_type == "float64" else None
    if exact is not None and exact.cells <= table.size / 2:
        return exact
    if (single := judged(SINGLE)) is not None:  # as computed in float32
        return single
    noise = fit.measured(part, places).rms
    noisy = judged(SINGLE, 6 * noise)
    return noisy and replace(noisy, certain=False, changes=(), noise=noise)


def beyond(table: Array, expected: Array, size: Array, number_type: str) -> Array:
    """Return which numbers are not what is expected, give or take a size, rounded to a type."""
    rounded = ROUND[number_type]
    return (table < rounded(expected - size)) | (table > rounded(expected + size))


def compared(
    table: Array, found: Identified, expected: Expected, size: Expected, places: Array, share: float = SHARE_RIGHT
) -> Identified | None:
    """Return the found with where and by how much a table differs; None where less than a share of what it was fitted
    to is as expected.

    size : how far off numbers of rows (n,) may be before they are rounded, (n, d) or (n, 1)
    places : the rows that it was fitted to
    """
    length, width = table.shape
    kind = found.number_type
    scaled = (
        RELATIVE[kind] if found.fit and found.fit.scale != 1 else 0.0
    )  # rounded before it was multiplied, and after

    def wrong_at(rows: Array, values: Array, made: Array, factor: float = 1.0, columns: Any = slice(None)) -> Array:
        own = np.broadcast_to(size(rows), (len(rows), width))[:, columns] * factor
        twice = np.abs(made) * scaled if factor == 1 else RELATIVE[kind] * np.abs(made).max(axis=0)
        return beyond(values, made, own + twice, kind)

    wrong, off = np.zeros(table.shape, dtype=bool), np.zeros(table.shape)
    for part in chunks(0, length, width):
        rows = np.arange(part.start, part.stop, dtype=np.float64)
        made = expected(rows)
        wrong[part.start : part.stop] = wrong_at(rows, table[part.start : part.stop], made)
        off[part.start : part.stop] = np.abs(table[part.start : part.stop] - made)
    if wrong[places.astype(int)].mean() > 1 - share:
        return None
    unlike = front_of(table, wrong & (off > STRANGE * np.abs(table).max()))
    wrong[unlike], off[unlike] = False, 0.0
    row, column = (int(at) for at in np.unravel_index(np.argmax(off), off.shape))
    found = replace(
        found, unlike=tuple(unlike), certain=not wrong.any(), cells=int(wrong.sum()), share=float(wrong.mean()),
        difference=float(off.max()),
        place=(row, column), rows=tuple(np.flatnonzero(wrong.any(axis=1)).tolist()),
        columns=tuple(np.flatnonzero(wrong.any(axis=0)).tolist()),
    )  # fmt: skip
    changes = changes_of(table, found, expected, wrong_at) if found.cells else ()
    return replace(found, changes=changes, certain=found.certain or bool(changes))


def front_of(table: Array, wrong: Array) -> list[int]:
    """Return the rows in front that are of another kind, a class token's, padding; () where others are as wrong."""
    strange = np.flatnonzero(wrong.mean(axis=1) > 0.5).tolist()
    zero = [row for row in strange if not table[row].any()]
    if strange == list(range(len(strange))) or strange == zero:
        return strange if len(strange) <= min(FRONT, len(table) // 4) and strange[-1:] < [FRONT] else []
    return []


def changes_of(
    table: Array, found: Identified, expected: Expected, wrong_at: Callable[..., Array]
) -> tuple[Change, ...]:
    """Return the known changes that explain all numbers that differ; () where there are others."""
    if (moved := moved_rows(table, found, expected, wrong_at)) is not None:
        return (moved,)
    kept = np.delete(np.arange(len(table), dtype=np.float64), found.unlike)
    if len(found.columns) * len(kept) > CHUNK or len(found.columns) > table.shape[1] / 2:
        return ()
    body, made = table[kept.astype(int)], expected(kept)

    def explains(column: int, values: Array, factor: float = 1.0) -> bool:
        return not wrong_at(kept, body[:, [column]], values[:, None], factor, [column]).any()

    left, kinds = list(found.columns), dict[tuple[str, float], list[int]]()
    for column in found.columns:
        least = 8 * RELATIVE[found.number_type]
        kind, amount = change_of(body[:, column], made[:, column], partial(explains, column), least)
        if kind:
            kinds.setdefault((kind, amount), []).append(column)
            left.remove(column)
    sources: dict[int, int] = {}  # of columns that stand in each other's place
    for column in left:
        free = (k for k in left if k not in sources.values() and explains(column, made[:, k]))
        if (source := next(free, None)) is None:
            return ()
        sources[column] = source
    changes = [Change(kind, tuple(columns), amount) for (kind, amount), columns in kinds.items()]
    return (*changes, *([Change("exchanged", tuple(left))] if left else []))


def change_of(own: Array, made: Array, explains: Callable[..., bool], least: float) -> tuple[str, float]:
    """Return what was done to a column (n,) and the amount; "" for nothing that is known, or for less than the least
    share of it that is more than rounding.
    """
    if not own.any():
        return "zero", 0.0
    if explains(-made):
        return "flipped", 0.0
    factor, digits = roundest(float(own @ made) / max(float(made @ made), 1e-300), lambda x: explains(x * made, 2.0))
    if digits < 17 and abs(factor - 1) > least:
        return "scaled", factor
    amount, digits = roundest(
        abs(center := float(np.mean(own - made))), lambda x: explains(made + copysign(x, center), 2.0)
    )
    raised = digits < 17 and amount > least * np.abs(made).max()
    return ("raised", copysign(amount, center)) if raised else ("", 0.0)


def moved_rows(table: Array, found: Identified, expected: Expected, wrong_at: Callable[..., Array]) -> Change | None:
    """Return by how many positions all rows from the first that differs on are moved, if they are."""
    first, length = found.rows[0], len(table)
    steps = np.array(sorted(range(-min(length, MOVED), min(length, MOVED) + 1), key=abs)[1:], dtype=np.float64)
    rows = np.full(len(steps), float(first))
    own = np.broadcast_to(table[first], (len(steps), table.shape[1]))
    fits = ~wrong_at(rows, own, expected(rows + steps)).any(axis=1)
    behind = np.arange(first, length, dtype=np.float64)
    for step in steps[fits][:3]:
        if len(behind) > 1 and not wrong_at(behind, table[first:], expected(behind + step)).any():
            return Change("moved", (first,), float(step))
    return None


def names_of(table: Array, rows: Array, fit: Fit, limit: float, number_type: str) -> tuple[tuple[Formula, float], ...]:
    """Return the names of the formula, with the base of each, of the fewest digits that leave no more over than the
    limit; none where the table does not tell base and start, by ten standard errors.
    """
    d, told = table.shape[1], fit.rms * sqrt(1 + 100 / table.size) + EXACT * fit.scale
    divisor = d if fit.decay * d < log(LARGEST) else 1
    steps: list[dict[str, Any]] = [{"start": fit.start + step} for step in (-1, 1)]
    for step in (-UNSURE, UNSURE):
        steps.append({"rate": fit.rate * exp(step)} if fit.kind == "linear" else {"decay": fit.decay + step / divisor})
    if any(replace(fit, **step).measured(table, rows).rms <= told for step in steps):
        return ()

    def wrong(fit: Fit) -> int:  # numbers that differ by more than rounding
        if number_type not in SHORT:
            return 0  # the limit tells digits enough
        made = fit.scale * np.sin(fit.angles(rows))
        size = SINGLE * fit.scale * (1 + 5 * np.abs(rows + fit.start)[:, None] * np.abs(fit.frequencies()))
        return int(beyond(table, made, size + scaled * np.abs(made), number_type).sum())

    scaled = RELATIVE[number_type] * (fit.scale != 1)
    most = wrong(fit)
    noisy = most > (1 - SHARE_RIGHT) * table.size  # then the limit alone tells
    most += int(3 * sqrt(most)) + table.size // 1000

    def fits(formula: Formula, base: float) -> bool:
        close = formula.with_base(fit, d, base)
        return close.measured(table, rows).rms <= limit and (noisy or wrong(close) <= most)

    found = []
    for formula in (each for each in FORMULAS if each.kind == fit.kind and each.divisor(d)):
        base, digits = roundest(formula.base(fit, d), partial(fits, formula))
        if formula.least < base < LARGEST and (base == 1) == (formula.name == "integers"):
            rank = digits + (formula.name == "undivided" or 2 * (formula.mistake and fit.kind == "pairs"))
            found.append((rank, digits, formula, base))
    found.sort(key=lambda item: (item[0], item[3] != USUAL, item[1]))
    usual = bool(found) and found[0][3] == USUAL  # and needs no other name
    return tuple(
        (formula, base) for _, digits, formula, base in found
        if digits <= found[0][1] or (not usual and not formula.mistake and (digits < 6 or formula is PAPER))
    )  # fmt: skip


def drawn(fit: Fit, name: tuple[Formula, float], d: int) -> tuple[TableEncoding, bool]:
    """Return the encoding of a fit, and whether it draws the same; else it is what was probably meant."""
    (formula, base), same = name, fit.kind == "pairs" and fit.start == round(fit.start)
    layout = "concatenated" if fit.layout == "concatenated" else "interleaved"
    family = "tensor2tensor" if formula.name == "tensor2tensor" else "paper"
    options: dict[str, Any] = {"d": d, "step": fit.rate, "base": base}
    try:
        if not same:
            return Sinusoidal(base=base, d=d, layout=layout), False
        if formula.name == "undivided" and layout == "interleaved" and not fit.cosine_first and fit.rate == 1:
            return Geometric(d=d, radix=base), True
        if family == "paper":
            options["base"] = base ** (d / formula.divisor(d))
        if not fit.cosine_first:
            return Sinusoidal(layout=layout, family=family, **options), True
        if layout == "interleaved":
            factor = roundest(1 / fit.rate, lambda x: abs(x * fit.rate - 1) < 1e-12)[0]
            scaling: dict[str, Any] = {} if factor <= 1 else {"scaling": "linear", "factor": factor}
            return Rope(base=options["base"], d=d, **scaling), fit.rate == 1 / factor and family == "paper"
        return Sinusoidal(family="timestep", flip=True, shift=float(family != "paper"), **options), True
    except (UsageError, OverflowError):  # what is past all numbers was not divided
        return Sinusoidal(base=base, d=d, layout=layout), False


def computed(table: Array, found: Identified, places: Array) -> Identified | None:
    """Return the encoding that makes a table to the last bit when it is computed in the type of its numbers."""
    fit, d = found.fit, table.shape[1]
    if fit is None or fit.kind != "pairs" or fit.layout == "permuted":
        return None
    few, some = places[1:4].astype(int), places[:: max(1, len(places) // 32)].astype(int)
    formulas = [each for each in FORMULAS if each.kind == "pairs" and each.divisor(d) and each.name in COMPUTED]
    tries = [
        (digits + formula.mistake, base not in (USUAL, USUAL_RADIX), order, formula, base)
        for order, formula in enumerate(formulas)
        for digits, base in bases_near(formula.base(fit, d)) if formula.least < base < LARGEST and base != 1
    ]  # fmt: skip
    best, enough = found, SHARE_SAME
    for *_, formula, base in sorted(tries, key=lambda each: each[:3]):
        own = replace(formula.with_base(fit, d, base), start=float(found.first), scale=1.0)
        encoding: Any
        encoding, same = drawn(own, (formula, base), d)
        low: TableEncoding = replace(encoding, dtype=found.number_type)
        if same and equal_share(low, table, few, found.first) >= enough:
            share = equal_share(low, table, some, found.first)
            if share > enough + SHARE_MORE * (best is not found):
                best = replace(found, fit=own, names=((formula, base),), encoding=low, same=True, noise=0.0)
                enough = share
        if enough == 1:
            break
    return None if best is found else made_by(table, best, places)


def made_by(table: Array, found: Identified, places: Array, noise: float = 0.0) -> Identified | None:
    """Return how far a table is from its encoding's, times the scale of its fit: up to rounding, and noise."""
    encoding, first, fit = found.encoding, found.first, found.fit
    assert isinstance(encoding, TableEncoding)
    scale, exact = fit.scale if fit else 1.0, getattr(encoding, "dtype", "float64") == "float64"
    level = (
        0.0 if not exact or isinstance(encoding, Binary) else 1e-13 if found.number_type == "float64" else 1e-6
    )  # of a computation in float32
    stop = prod(encoding.sides) if encoding.sides else inf

    def expected(rows: Array) -> Array:
        made, own = np.full((len(rows), encoding.width), NOWHERE), (rows + first >= 0) & (rows + first < stop)
        own |= not (encoding.sides or isinstance(encoding, Binary))
        with suppress(UsageError):  # angles that the type cannot hold
            made[own] = scale * encoding.table(rows[own] + first)
        return made

    def size(rows: Array) -> Array:
        return 6 * noise + level * (1 + np.abs(rows + first))[:, None] * scale

    judged = compared(table, found, expected, size, places)
    return judged and replace(judged, noise=noise, certain=judged.certain and not noise)


def equal_share(encoding: TableEncoding, table: Array, rows: Array, first: int) -> float:
    """Return the share of the numbers in some rows of a table that an encoding makes to the last bit."""
    try:
        return float(np.mean(encoding.table(rows + float(first)) == table[rows]))
    except UsageError:  # angles that the type cannot hold
        return 0.0


def bases_near(center: float) -> list[tuple[int, float]]:
    """Return round numbers near one, those of one or two digits up to a sixth off, and how many digits they have."""
    found: dict[float, int] = {}
    for digits in range(1, 5):
        unit = 10.0 ** (floor(log10(center)) - digits + 1)
        middle, share = round(center / unit), 0.012 if digits > 2 else 0.16
        near = (float(f"{(middle + step) * unit:.{digits}g}") for step in sorted(range(-12, 13), key=abs))
        found = {base: digits for base in near if abs(base - center) < share * center} | found
    return sorted(((digits, base) for base, digits in found.items()), key=lambda each: (each[0], abs(each[1] - center)))


def bits_of(table: Array, blank: Identified) -> Identified | None:
    """Return the binary digits of positions that a table is."""
    values, width = np.unique(table[:, 0]), table.shape[1]
    rows = np.arange(len(table), dtype=np.float64)
    signed = bool(np.isin(values, (-1.0, 1.0)).all())
    if not (signed or np.isin(values, (0.0, 1.0)).all()) or width > MAX_BITS or len(table) < FEWEST:
        return None
    bits = table > 0
    for order, columns in (("lsb", bits), ("msb", bits[:, ::-1])):
        numbers = columns @ 2.0 ** np.arange(width)
        first = float(np.median(numbers - rows))
        if first >= 0 and first == round(first) and first + len(table) <= 2**width:
            encoding = Binary(d=width, order=order, values="pm1" if signed else "01")
            found = made_by(table, replace(blank, encoding=encoding, same=True, first=int(first)), rows)
            if found is not None:
                return found
    return None


def of_rates(table: Array, blank: Identified) -> Identified | None:
    """Return the clock, the alien clock or the scaled rope that a table is, by the rate of each of its pairs."""
    length, d = table.shape
    if d % 2 or length < FEWEST:
        return None
    best: Identified | None = None
    for count in dict.fromkeys([min(length, FIRST), min(length, 8 * FIRST)]):
        places = np.arange(count, dtype=np.float64)
        for layout, exponents, cosine in usual_layouts(d):
            sines, cosines = pairs_of(exponents, cosine)
            radius = np.hypot(table[:count, sines], table[:count, cosines])
            if np.median(np.abs(radius - np.median(radius))) > CIRCLE * np.median(radius):
                continue
            omega, phase = median_turning(table[:count], places, sines, cosines, reach=3)
            if not omega[0] > 0:
                continue
            turning = np.abs(omega) > 1e-9
            blank = replace(blank, first=int(start_of(omega[turning], phase[turning])))
            for encoding in encodings_of(omega, layout, bool(cosine[0]), blank.number_type):
                for dtype in ("float64", *([blank.number_type] if blank.number_type in SHORT else [])):
                    names: tuple[tuple[Formula, float], ...] = ()
                    if isinstance(encoding, (Rope, Geometric)):
                        names = ((PAPER, encoding.base) if isinstance(encoding, Rope) else (UNDIVIDED, encoding.radix),)
                    found = replace(blank, encoding=replace(encoding, dtype=dtype), same=True, names=names)
                    each = made_by(table, found, places)
                    if each is not None and each.standing == 4:
                        return each
                    best = max(filter(None, (best, each)), key=lambda one: (one.standing, -one.cells), default=None)
    return best if best and best.share < FEW else None


def encodings_of(omega: Array, layout: str, cosine_first: bool, number_type: str) -> Iterator[Clock | Geometric | Rope]:
    """Yield encodings whose pairs turn by such rates, rad/position, (n_pairs,), which are known to a share."""
    share = 4 * RELATIVE[number_type] + 1e-9
    if cosine_first:
        rope = rope_of(omega, np.maximum(np.abs(omega) * share, 1e-12))
        if rope is not None and rope.base >= 1:  # else its columns have another order
            yield replace(rope, pairing="half" if layout == "concatenated" else "interleaved")
    elif layout == "interleaved":
        if len(omega) > 1 and 0 < omega[1] < 0.9 and abs(omega[0] - 1) < share:
            near = bases_near(float(omega[1] ** -0.5))
            for _, radix in sorted(near, key=lambda each: (each[0], each[1] != USUAL_RADIX)):
                if len(omega) < 3 or abs(radix**-4 - omega[2]) < max(0.7 * omega[2], 1e-7):
                    yield Geometric(d=2 * len(omega), radix=radix)
        if len(omega) <= MAX_HANDS and np.all(omega > 0):
            for known in (NAMED.values(), ()):
                periods = [round_period(period, known, share) for period in (2 * np.pi / omega).tolist()]
                if all(period in NAMED.values() or float(f"{period:.4g}") == period for period in periods):
                    yield Clock(periods=tuple(periods))


def round_period(period: float, known: Iterable[float], share: float) -> float:
    """Return the one of the known periods that is as long, give or take a share, else the roundest number."""
    nearest = min(known, key=lambda each: abs(each - period), default=0)
    return nearest if abs(nearest / period - 1) < share else roundest(period, lambda x: abs(x / period - 1) < share)[0]


def on_grid(table: Array, blank: Identified) -> Identified | None:
    """Return the sinusoids of rows and columns that a table is, one half of it of each; with up to two rows before."""
    d, half, enough = table.shape[1], table.shape[1] // 2, 0.005 * np.abs(table).max()
    for prefix in range(3 if d % 4 == 0 else 0):
        cells = table[prefix:]
        for rows in (rows for rows in range(2, len(cells) // 2 + 1) if len(cells) % rows == 0):
            grid = cells.reshape(rows, -1, d)
            down, across = ([spread(grid[:, :, at], axis) > enough for at in (0, half)] for axis in (0, 1))
            if [down, across] in ([[False, True], [True, False]], [[True, False], [False, True]]):
                by_row = int(down[0])  # 1 where the first half encodes the row
                parts = np.median(grid, axis=by_row)[:, :half], np.median(grid, axis=1 - by_row)[:, half:]
                longer = max(parts, key=len)
                axes = [on_line(longer, blank), nearly_on_line(longer, blank)]
                axis = max(filter(None, axes), key=lambda each: each.standing)
                return of_grid(table, prefix, grid.shape[:2], ("column", "row")[by_row], axis)
    return None


def spread(values: Array, axis: int) -> float:
    """Return the median distance of numbers from the median along an axis, which a few wrong ones do not move."""
    return float(np.median(np.abs(values - np.median(values, axis=axis, keepdims=True))))


def of_grid(table: Array, prefix: int, sides: tuple[int, ...], first: str, axis: Identified) -> Identified | None:
    """Return the encoding of a grid, one of whose axes is known, if it makes the cells, all rows but those before."""
    fit, bases = axis.fit, [base for formula, base in axis.names if formula is PAPER]
    if fit is None or not bases:
        return None
    layout, kind = ("concatenated" if fit.layout == "concatenated" else "interleaved"), axis.number_type
    options = {"grid": "x".join(map(str, sides)), "d": table.shape[1], "layout": layout, "first": first}
    found = replace(axis, filled=table.shape[1], same=True, noise=0.0, names=((PAPER, bases[0]),), first=-prefix)
    places = np.arange(prefix, len(table), dtype=np.float64)
    best: Identified | None = None
    for scale_grid in SCALES:
        for dtype in ("float64", *([kind] if kind in SHORT else [])):
            encoding = SinCos2D.make({**options, "base": bases[0], "scale_grid": scale_grid, "dtype": dtype})
            each = made_by(table, replace(found, encoding=encoding), places)
            if each is None and dtype == "float64":
                noise = rms(table[prefix:] - fit.scale * encoding.table(places - prefix))
                each = (
                    made_by(table, replace(found, encoding=encoding), places, noise)
                    if noise < NOISE * fit.scale
                    else None
                )
            best = max(filter(None, (best, each)), key=lambda one: one.standing, default=None)
    return best


def identify_rates(rates: Array) -> Identified:
    """Return the rope whose rates these are, rad/position, (n_pairs,); `difference` is a share of the rate."""
    places = max(-int(Decimal(repr(rate)).as_tuple().exponent) for rate in rates.tolist())
    typed = 0.5 * 10.0**-places if places < PLACES else 0.0
    number_type = "float64" if typed else type_of(rates)
    blank = Identified(number_type, 2 * len(rates))
    rope = rope_of(rates, np.maximum(typed, rates * SHARES.get(number_type, SHARE)))
    if rope is None:
        return blank
    turning = rates > 0
    difference = float(np.abs(rope.frequencies()[turning] / rates[turning] - 1).max())
    return replace(blank, certain=True, encoding=rope, same=True, names=((PAPER, rope.base),), difference=difference)
