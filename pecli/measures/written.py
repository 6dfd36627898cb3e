"""How a list of numbers was rounded before it was written: to a number type, and to digits or decimals."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from decimal import Decimal

from pecli.core.lazy import Array, np
from pecli.core.numbers import ROUND
from pecli.measures.fits import SINGLE_RATE

EXACT_DIGITS = 7  # from this many significant digits on, printing rounds less than float32
MAX_DIGITS = 12  # numbers with more significant digits were not shortened for printing
SHARES = {"bfloat16": 2.0**-7, "float16": 2.0**-10}  # relative precision of a rate
LEAST = {"float16": 2.0**-25}  # absolute precision of a rate, rad/position: half the smallest number
SHARE_ALIKE = 0.9  # least share of printed numbers that are those of a formula, rounded in the same way
EVIDENCE = 1.5  # least precision, in powers of ten, of the numbers besides two, from which base and factor follow


@dataclass(frozen=True)
class Written:
    """A way in which numbers, (n,), may have been rounded.

    form : "digits_5" (significant digits), "decimals_4", or "" if printing rounds less than float32
    kind : number type to which they were rounded before; "float64" if they were not
    numbers : the numbers as they are written
    printed : absolute rounding error of printing, (n,)
    """

    form: str
    kind: str
    numbers: Array
    printed: Array

    @property
    def errors(self) -> Array:
        """The absolute error of each number, (n,)."""
        share, least = SHARES.get(self.kind, SINGLE_RATE), LEAST.get(self.kind, 0.0)
        return self.printed + np.maximum(least, share * self.numbers)

    @property
    def tells(self) -> bool:
        """Whether the numbers are so precise that a formula will not give them by chance; two always have a base."""
        known = self.numbers > 0
        spans = np.sort(-np.log10(np.minimum(1, 2 * self.errors[known] / self.numbers[known])))
        return (
            (not self.form and self.kind == "float64") or len(self.numbers) == 2 or bool(spans[:-2].sum() >= EVIDENCE)
        )

    def holds(self, made: Array) -> bool:
        """Return whether most numbers are the values `made`, (n,), rounded in this way."""
        if not self.form or self.kind == "float64":
            return True
        off = np.abs(ROUND[self.kind](made) - self.numbers)
        return bool(np.mean(off <= self.printed + SINGLE_RATE * self.numbers) >= SHARE_ALIKE)


def ways(numbers: Array, number_type: str) -> Iterator[Written]:
    """Yield the ways in which numbers, (n,), may have been rounded, the finest first.

    Zeros at the end of a number may not be written, so all numbers have as many digits, or as many decimals, as that
    with the most.

    number_type : smallest type that holds the numbers as they are written
    """
    digits, places = precision(numbers)
    short = number_type if number_type in SHARES else ""
    if digits >= EXACT_DIGITS or np.count_nonzero(numbers) > 2:  # two rates have an exact base, with many digits
        yield Written("", "float64", numbers, 0 * numbers)
    if short and places >= EXACT_DIGITS:
        yield Written("", short, numbers, 0 * numbers)
    if digits >= EXACT_DIGITS and places >= EXACT_DIGITS:
        return
    sizes = np.floor(np.log10(np.where(numbers > 0, numbers, 1.0)))
    printed = {
        f"digits_{digits}": np.where(numbers > 0, 0.5 * 10.0 ** (sizes - digits + 1), 0.0),
        f"decimals_{places}": np.full(len(numbers), 0.5 * 10.0**-places),
    }
    forms = sorted(printed.items(), key=lambda each: float(np.log(each[1] + 1e-300).sum()))
    yield from (Written(form, "float64", numbers, errors) for form, errors in forms)
    for kind in ("float16", "bfloat16"):
        yield from (
            Written(form, kind, numbers, errors)
            for form, errors in forms
            if np.all(np.abs(ROUND[kind](numbers) - numbers) <= errors * (1 + 1e-9))
        )


def precision(numbers: Array) -> tuple[int, int]:
    """Return the most significant digits and the most decimals of numbers, (n,), in their shortest form."""
    written = [Decimal(repr(number)).normalize().as_tuple() for number in numbers.tolist() if number]
    digits = max((len(each.digits) for each in written), default=1)
    return digits, max((-int(each.exponent) for each in written), default=0)


def rounding_of(numbers: Array, way: Written, difference: float) -> str:
    """Return how numbers, (n,), that a formula explains were rounded: as `Written.form`, a number type, or "".

    difference : largest relative difference from the formula
    """
    digits, _ = precision(numbers)
    if difference < 1e-12:
        return ""
    if way.kind != "float64" or way.form:
        return way.kind if way.kind != "float64" else way.form
    singles = [np.float32(number) for number in numbers.tolist()]
    if digits > EXACT_DIGITS and all(
        number in (float(single), float(str(single)), float(f"{single:.{digits - 1}e}"))
        for single, number in zip(singles, numbers.tolist(), strict=True)
    ):
        return "float32"
    return f"digits_{digits}" if digits <= MAX_DIGITS else ""
