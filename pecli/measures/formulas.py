"""Formulas of sines and cosines, and known mistakes in them: which explain a fit, and which encoding draws it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial
from math import ceil, e, exp, floor, inf, log, log10, sqrt
from typing import Any

from pecli.core.errors import UsageError
from pecli.core.lazy import Array, np
from pecli.encodings.base import TableEncoding
from pecli.encodings.clock import Geometric
from pecli.encodings.rope import Rope
from pecli.encodings.sinusoidal import Sinusoidal
from pecli.measures.differences import Expected
from pecli.measures.fits import DOUBLE, EXACT, SHARE_RIGHT, SINGLE, Fit, shortest_decimal

FEW_WRONG = 0.05  # if a smaller share of the values differs, the angles were computed in float64
ODD = 6  # a base with at least as many digits is not round; such bases are not ranked by their digits
UNSURE = 0.02  # a base is reported only if log base is known better than this
USUAL, USUAL_RADIX = 10_000.0, 3600.0  # common bases
LARGEST = 1e12  # largest plausible base; a larger one means that the exponent was not divided


@dataclass(frozen=True)
class Formula:
    """A formula for tables of sines and cosines, possibly a known mistake.

    kind : kind of `Fit` that it can explain
    sentence : text key of its description
    divisor : function of d that returns the divisor in the exponent of the base; for kind "linear", that of the angle
    least : smallest base for which it is considered, so that other formulas are not mistaken for it
    mistake : True for a known mistake
    """

    name: str
    kind: str
    sentence: str
    divisor: Callable[[int], float]
    least: float = 0.0
    mistake: bool = True

    def base(self, fit: Fit, d: int) -> float:
        """Return the base that a fit of a table with d columns implies."""
        if self.kind == "linear":
            return 1 / sqrt(fit.rate * self.divisor(d))
        return exp(min(fit.decay * self.divisor(d), 700))

    def with_base(self, fit: Fit, d: int, base: float) -> Fit:
        """Return the fit with its rates changed to those of the given base."""
        if self.kind == "linear":
            return replace(fit, rate=1 / (base**2 * self.divisor(d)))
        return replace(fit, decay=log(base) / self.divisor(d))


UNDIVIDED = Formula("undivided", "pairs", "identify.base_exponent_not_divided", lambda d: 1, least=1.5)
PAPER = Formula("paper", "pairs", "identify.base_base", lambda d: d, mistake=False)
TENSOR2TENSOR = Formula("tensor2tensor", "pairs", "identify.base_exponent_j_d", lambda d: d - 2, mistake=False)
DOUBLED = Formula("doubled", "pairs", "identify.base_exponent_doubled_2", lambda d: d / 2, least=100)
FLOORED = Formula("floored", "pairs", "identify.exponent_floored", lambda d: 1)
OCTAVES = Formula("octaves", "octaves", "identify.octaves", lambda d: d, mistake=False)
FORMULAS = (
    PAPER,
    TENSOR2TENSOR,
    DOUBLED,
    FLOORED,
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
Name = tuple[Formula, float]  # formula and base


def expected_of(fit: Fit, level: float, number_type: str, noise: float = 0.0) -> Expected:
    """Return the values of a fit with their tolerance.

    level : relative rounding error of the formula's computation
    number_type : type to which the table was rounded
    noise : additional absolute tolerance
    """
    rates = 5 * np.abs(fit.frequencies())

    def slack(rows: Array) -> Array:
        rounding = noise + level * fit.scale * (1 + np.abs(rows + fit.start)[:, None] * rates)
        return rounding + 2 * fit.scale * fit.undecided(rows) if fit.kind == "whole" else rounding

    return Expected(fit.numbers, slack, number_type, fit.scale != 1)


def matching_formulas(table: Array, rows: Array, fit: Fit, limit: float, number_type: str) -> tuple[Name, ...]:
    """Return the formulas that explain a fit, each with its base, the simplest first; () if the table is ambiguous.

    A base is rounded to as few digits as possible: the residual must stay within `limit`, and no fewer values may match
    up to rounding.
    """
    if not is_determined(table, rows, fit):
        return ()
    d = table.shape[1]

    def wrong(fit: Fit, level: float) -> int:  # comparisons with NaN are False
        expected = expected_of(fit, level, number_type)
        return int(expected.mismatches(rows, table, expected.numbers(rows)).sum())

    level = DOUBLE if wrong(fit, DOUBLE) < FEW_WRONG * table.size else SINGLE
    least = wrong(fit, level)
    most = table.size if least > (1 - SHARE_RIGHT) * table.size else least + int(3 * sqrt(least)) + table.size // 1000

    def fits(formula: Formula, base: float) -> bool:
        close = formula.with_base(fit, d, base)
        return close.with_rms(table, rows).rms <= limit and wrong(close, level) <= most

    found = []
    for formula in (each for each in FORMULAS if each.kind == fit.kind and each.divisor(d)):
        base, digits = shortest_decimal(formula.base(fit, d), partial(fits, formula))
        if formula is FLOORED:
            base, digits = (e, 1) if abs(base / e - 1) < UNSURE and fits(formula, e) else (0.0, 0)
        if formula.least < base < LARGEST and (base == 1) == (formula.name == "integers"):
            meant = formula is DOUBLED and base == USUAL and not fit.cosine_first
            rank = (
                0
                if meant or formula is FLOORED
                else digits + (formula.name == "undivided" or 2 * (formula.mistake and fit.kind == "pairs"))
            )
            found.append((min(rank, ODD), min(digits, ODD), formula, base))
    found.sort(key=lambda item: (item[0], item[3] != USUAL, item[1]))
    usual = bool(found) and found[0][3] == USUAL  # if so, no alternative is listed

    def listed(digits: int, formula: Formula) -> bool:
        if formula.mistake:
            return formula is found[0][2] or (digits < ODD and digits <= found[0][1])
        return digits <= found[0][1] or (not usual and (digits < ODD or formula is PAPER))

    return tuple((formula, base) for _, digits, formula, base in found if listed(digits, formula))


def is_determined(table: Array, rows: Array, fit: Fit) -> bool:
    """Return True if the table determines base and start.

    This is so if any other base or start raises the residual by ten standard errors or more.
    """
    told = fit.rms * sqrt(1 + 100 / table.size) + EXACT * fit.scale
    divisor = table.shape[1] if fit.decay * table.shape[1] < log(LARGEST) else 1
    others = [replace(fit, start=fit.start + step) for step in (-1, 1)]
    for step in (-UNSURE, UNSURE):
        linear = fit.kind == "linear"
        rate, decay = (fit.rate * exp(step), 0.0) if linear else (fit.rate, fit.decay + step / divisor)
        others.append(replace(fit, rate=rate, decay=decay))
    return 2 * fit.start == round(2 * fit.start) and all(each.with_rms(table, rows).rms > told for each in others)


def encoding_of(fit: Fit, name: Name, d: int) -> tuple[TableEncoding, bool]:
    """Return the encoding of a fit, and whether it gives the same table.

    If not, it is the encoding that was probably intended.
    """
    formula, base = name if name[0] is not FLOORED else (PAPER, USUAL)
    layout = "concatenated" if fit.layout == "concatenated" else "interleaved"
    try:
        if fit.kind == "pairs" and name[0] is not FLOORED:
            return encoding_of_pairs(fit, formula, base, layout, d)
    except (UsageError, OverflowError):  # an exponent that was not divided can overflow
        pass
    return Sinusoidal(base=base, d=d, layout=layout), False


def encoding_of_pairs(fit: Fit, formula: Formula, base: float, layout: str, d: int) -> tuple[TableEncoding, bool]:
    """Return the encoding of a fit of kind "pairs", and True if it gives the same table.

    The exponent of another formula is converted to the equivalent base of the paper's formula.
    """
    if formula is UNDIVIDED and layout == "interleaved" and not fit.cosine_first and fit.rate == 1:
        return Geometric(d=d, radix=base), True
    paper = formula is not TENSOR2TENSOR
    options: dict[str, Any] = {"d": d, "base": base ** (d / formula.divisor(d)) if paper else base}
    if not fit.cosine_first:
        family = "paper" if paper else "tensor2tensor"
        return Sinusoidal(layout=layout, family=family, step=fit.rate, **options), True
    factor = shortest_decimal(1 / fit.rate, lambda x: abs(x * fit.rate - 1) < 1e-12)[0]
    rotary = paper and d % 2 == 0 and fit.scale == 1 and factor >= 1 == factor * fit.rate  # as in a runtime's cache
    if layout == "concatenated" and not rotary:
        return Sinusoidal(family="timestep", flip=True, shift=float(not paper), step=fit.rate, **options), True
    scaling: dict[str, Any] = {"scaling": "linear", "factor": factor} if factor > 1 else {}
    scaling |= {"pairing": "half"} if layout == "concatenated" else {}
    options["base"] = base ** (d / formula.divisor(d))
    return Rope(**options, **scaling), fit.rate == 1 / factor


def bases_near(center: float) -> list[tuple[int, float]]:
    """Return (digits, base) for round numbers near `center`, fewest digits first.

    Numbers with one or two digits may be up to 16 % away, others up to 1.2 %.
    """
    found: dict[float, int] = {}
    for digits in range(1, 5):
        unit = 10.0 ** (floor(log10(center)) - digits + 1)
        middle, share = round(center / unit), 0.012 if digits > 2 else 0.16
        near = (float(f"{(middle + step) * unit:.{digits}g}") for step in sorted(range(-12, 13), key=abs))
        found = {base: digits for base in near if abs(base - center) < share * center} | found
    return sorted(((digits, base) for base, digits in found.items()), key=lambda each: (each[0], abs(each[1] - center)))


def is_round(base: float) -> bool:
    """Return True if the base has at most two significant digits."""
    return float(f"{base:.2g}") == base


def equivalent_bases(table_of: Callable[[float], Array], base: float) -> tuple[float, ...]:
    """Return the smallest and largest integer base (or inf) that give the same table as `base`.

    Return () if no other round number gives the same table.

    table_of : function from a base to its table
    """
    table = table_of(base)

    def alike(other: float) -> bool:
        return np.array_equal(table_of(other), table)

    def last(inside: float, outside: float) -> float:
        while abs(outside / inside - 1) > 1e-9:
            middle = sqrt(inside * outside)
            inside, outside = (middle, outside) if alike(middle) else (inside, middle)
        return inside

    if not any(is_round(other) and alike(other) for _, other in bases_near(base) if other != base):
        return ()
    return float(ceil(last(base, 1.0))), inf if alike(LARGEST) else float(floor(last(base, LARGEST)))
