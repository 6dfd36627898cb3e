"""Which formula made a table: its names, its parameters, and the encoding that draws it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial
from math import exp, inf, log, sqrt
from typing import Any

from pecli.core.errors import UsageError
from pecli.core.language import template
from pecli.core.lazy import Array, np
from pecli.core.numbers import ROUND, chunks
from pecli.encodings.base import TableEncoding
from pecli.encodings.grid import SCALES
from pecli.encodings.rope import Rope
from pecli.encodings.sincos2d import SinCos2D
from pecli.encodings.sinusoidal import Sinusoidal
from pecli.measures.fits import EXACT, NOISE, Fit, best_fit, refined, rms, roundest, simplified

FRONT = 8  # rows in front that may be something else: a class token's, padding
FEWEST = 4  # rows that tell rate, phase and radius, and what is left over
FITTED = 1 << 18  # numbers of a table that are fitted: the first rows of a larger one
SMALLEST = 1e-60  # of the largest number of a table, so that squares of squares have a place in float64
UNSURE = 0.02  # of the logarithm of a base, from which on it is not told
USUAL = 10_000.0  # base
LARGEST = 1e12  # base that a formula has; past it something was not divided
TYPES = ("bfloat16", "float16", "float32")


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


PAPER = Formula("paper", "pairs", template("base {base}"), lambda d: d, mistake=False)
FORMULAS = (
    PAPER,
    Formula("tensor2tensor", "pairs", template("base {base}, exponent j/(d/2 − 1)"), lambda d: d - 2, mistake=False),
    Formula("doubled", "pairs", template("base {base}, exponent doubled: 2·(2j)/d"), lambda d: d / 2, least=100),
    Formula("undivided", "pairs", template("base {base}, exponent not divided by d"), lambda d: 1, least=1.5),
    Formula("columns", "columns", template("base {base}, exponent i/d of column i in place of 2⌊i/2⌋/d"), lambda d: d),
    Formula(
        "columns", "columns",
        template("base {base}, exponent 2i/d of column i in place of 2⌊i/2⌋/d"), lambda d: d / 2, least=100,
    ),
    Formula(
        "precedence", "linear",
        template("base {base}, angle (position / base²)·i/d, as position / base ** 2*i/d is read"), lambda d: d,
    ),
    Formula(
        "precedence", "linear",
        template("base {base}, angle (position / base²)·j/d, as position / base ** 2*j/d is read"), lambda d: 2 * d,
    ),
    Formula(
        "whole", "whole", template("base {base}, angles rounded down: position // base ** (2j/d)"), lambda d: d
    ),
    Formula("integers", "pairs", template("base {base}, exponent rounded down: 2j // d"), lambda d: d),
)  # fmt: skip


@dataclass(frozen=True)
class Identified:
    """What a table was found to be.

    number_type : float64, or the smallest type that holds all numbers
    filled : columns before those that are all zero
    fit : None where no sinusoids fit
    certain : whether it leaves over no more than noise or rounding, and tells every parameter
    unlike : rows in front that the formula does not make
    names : of one and the same formula, with the base that each has, the plainest first
    encoding : what draws it, row 0 at position `start`; None where there is none
    same : whether that is the formula, and not the one that was probably meant
    difference : the largest, between table and formula
    explained, rank, periods : without a formula, the share of variance in the strongest wave of each column, principal
        components that hold 99 % of it, and the strongest periods of all columns, positions
    """

    number_type: str
    filled: int
    fit: Fit | None = None
    certain: bool = False
    unlike: tuple[int, ...] = ()
    names: tuple[tuple[Formula, float], ...] = ()
    encoding: TableEncoding | None = None
    same: bool = False
    difference: float = inf
    explained: float = 0.0
    rank: int = 0
    periods: tuple[float, ...] = ()

    @property
    def start(self) -> int:
        """The position of row 0; the cells of a grid begin behind what precedes them."""
        if self.encoding and self.encoding.sides:
            return -len(self.unlike)
        return round(self.fit.start) if self.fit else 0


def identify(table: Array) -> Identified:
    """Return which formula made a table, (length, d), finite."""
    blank = Identified(type_of(table), table.shape[1])
    if not SMALLEST < np.abs(table).max() < 1 / SMALLEST:
        return blank
    found = on_line(table, blank)
    if not found.certain:
        found = on_grid(table, blank) or found
    return found if found.fit else replace(found, **waves_of(table))


def type_of(numbers: Array) -> str:
    """Return the smallest type that holds all numbers; whole ones say nothing of it."""
    kinds = () if np.array_equal(np.rint(numbers), numbers) else TYPES
    return next((kind for kind in kinds if np.array_equal(ROUND[kind](numbers), numbers)), "float64")


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


def on_line(table: Array, blank: Identified) -> Identified:
    """Return what sines and cosines of positions one after the other a table is."""
    length, d = table.shape
    best = blank
    filled = int(np.flatnonzero(np.any(table != 0, axis=0)).max(initial=0)) + 1
    for first in dict.fromkeys([min(FRONT, length // 4), 0]) if length >= FEWEST and d > 1 else ():
        for width in dict.fromkeys([filled, d]):
            body = table[first:, :width][: max(64, FITTED // d)]
            fit = best_fit(body, np.arange(first, first + len(body), dtype=np.float64)) if body.any() else None
            found = described(table, replace(blank, filled=width), fit) if fit else blank
            if found.certain:
                return found
            best = best if best.fit else found
    return best


def described(table: Array, blank: Identified, fit: Fit) -> Identified:
    """Return a fit in its simplest parameters, its names, and how far it is from the table."""
    table, rows = table[:, : blank.filled], np.arange(len(table), dtype=np.float64)
    off = np.sqrt(np.mean(fit.left(table[:FRONT], rows[:FRONT]) ** 2, axis=1))
    unlike = np.flatnonzero(off > max(8 * fit.rms, 1e-6 * fit.scale))
    table, rows, d = np.delete(table, unlike, axis=0), np.delete(rows, unlike), table.shape[1]
    part, places = table[: max(64, FITTED // d)], rows[: max(64, FITTED // d)]
    fit = refined(part, places, fit)
    clean = fit.rms < min(NOISE * fit.scale, max(fit.rounding(places), 1.5 * fit.noise(part, places)))
    limit = 1.5 * fit.rms + EXACT * fit.scale
    fit = simplified(part, places, fit, limit)
    names = names_of(part, places, fit, limit)
    fit = names[0][0].with_base(fit, d, names[0][1]) if names else fit
    parts = (slice(each.start, each.stop) for each in chunks(0, len(table), d))
    difference = max(float(np.abs(fit.left(table[part], rows[part])).max()) for part in parts)
    certain = bool(names) and clean and fit.start == round(fit.start)
    certain &= difference <= max(8 * fit.measured(part, places).rms, fit.rounding(rows))
    encoding, same = drawn(fit, names, d)
    return replace(
        blank, fit=fit, certain=certain, unlike=tuple(unlike.tolist()), names=names, encoding=encoding, same=same,
        difference=difference,
    )  # fmt: skip


def names_of(table: Array, rows: Array, fit: Fit, limit: float) -> tuple[tuple[Formula, float], ...]:
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

    def fits(formula: Formula, base: float) -> bool:
        return formula.with_base(fit, d, base).measured(table, rows).rms <= limit

    found = []
    for formula in (each for each in FORMULAS if each.kind == fit.kind and each.divisor(d)):
        base, digits = roundest(formula.base(fit, d), partial(fits, formula))
        if formula.least < base < LARGEST and (base == 1) == (formula.name == "integers"):
            rank = digits + 2 * (formula.mistake and fit.kind == "pairs")
            found.append((rank, digits, formula, base))
    found.sort(key=lambda item: (item[0], item[3] != USUAL))
    usual = bool(found) and found[0][3] == USUAL  # and needs no other name
    return tuple(
        (formula, base) for _, digits, formula, base in found
        if digits <= found[0][1] or (not usual and not formula.mistake and (digits < 6 or formula is PAPER))
    )  # fmt: skip


def drawn(fit: Fit, names: tuple[tuple[Formula, float], ...], d: int) -> tuple[TableEncoding | None, bool]:
    """Return the encoding of a fit, and whether it draws the same; else it is what was probably meant."""
    if not names:
        return None, False
    (formula, base), same = names[0], fit.kind == "pairs" and fit.start == round(fit.start)
    layout = "concatenated" if fit.layout == "concatenated" else "interleaved"
    family = "tensor2tensor" if formula.name == "tensor2tensor" else "paper"
    options: dict[str, Any] = {"d": d, "step": fit.rate, "base": base}
    try:
        if not same:
            return Sinusoidal(base=base, d=d, layout=layout), False
        if family == "paper":
            options["base"] = base ** (d / formula.divisor(d))
        if not fit.cosine_first:
            return Sinusoidal(layout=layout, family=family, **options), True
        if layout == "interleaved":
            return Rope(base=options["base"], d=d), fit.rate == 1 and family == "paper"
        return Sinusoidal(family="timestep", flip=True, shift=float(family != "paper"), **options), True
    except (UsageError, OverflowError):  # what is past all numbers was not divided
        return Sinusoidal(base=base, d=d, layout=layout), False


def on_grid(table: Array, blank: Identified) -> Identified | None:
    """Return the sinusoids of rows and columns that a table is, one half of it of each; with up to two rows before."""
    d, half, enough = table.shape[1], table.shape[1] // 2, 0.02 * np.abs(table).max()
    for prefix in range(3 if d % 4 == 0 else 0):
        cells = table[prefix:]
        for rows in (rows for rows in range(2, len(cells) // 2 + 1) if len(cells) % rows == 0):
            grid = cells.reshape(rows, -1, d)
            down, across = (np.ptp(grid[:, :, [0, half]], axis=axis).max(axis=0) > enough for axis in (0, 1))
            if down.tolist() == (~across).tolist() in ([False, True], [True, False]):
                by_row = int(down[0])  # 1 where the first half encodes the row
                parts = grid.mean(axis=by_row)[:, :half], grid.mean(axis=1 - by_row)[:, half:]
                axis = on_line(max(parts, key=len), blank)
                found = of_grid(cells, grid.shape[:2], ("column", "row")[by_row], axis)
                return found and replace(found, filled=d, unlike=tuple(range(prefix)))
    return None


def of_grid(cells: Array, sides: tuple[int, ...], first: str, axis: Identified) -> Identified | None:
    """Return the encoding of a grid, one of whose axes is known, if it makes the cells."""
    fit, bases = axis.fit, [base for formula, base in axis.names if formula is PAPER]
    if fit is None or not bases:
        return None
    layout = "concatenated" if fit.layout == "concatenated" else "interleaved"
    options = {"grid": "x".join(map(str, sides)), "d": cells.shape[1], "layout": layout, "first": first}
    for scale_grid in SCALES:
        encoding = SinCos2D.make({**options, "base": bases[0], "scale_grid": scale_grid})
        left = cells - fit.scale * encoding.table(np.arange(len(cells), dtype=np.float64))
        difference, noise = float(np.abs(left).max()), rms(left)
        if difference <= 8 * noise + 1e-9 * fit.scale and noise < NOISE * fit.scale:
            return replace(axis, certain=True, encoding=encoding, same=True, difference=difference)
    return None
