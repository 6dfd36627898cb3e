"""How numbers are written in pictures: 1,024 and 200,000, 10⁶ and 2.5×10⁶, 0.25 and −3."""

from __future__ import annotations

from collections.abc import Sequence
from math import ceil, floor, log10

from pecli.core.arithmetic import ROUNDING

POWERS = str.maketrans("-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹")
LARGE, SMALL = 1e6, 1e-3  # from here on and below this powers of ten are shorter
DIGITS = 3  # of a number before a power of ten


def minus(text: str) -> str:
    """A number's text with a minus sign where it has a hyphen."""
    return text.replace("-", "−")


def power_text(exponent: int) -> str:
    """A power of ten: 10⁶."""
    return "10" + str(exponent).translate(POWERS)


def number_text(value: float, digits: int = 4) -> str:
    """A number of any size in so many digits."""
    size = abs(float(f"{value:.6g}"))
    if value and not SMALL <= size < LARGE:
        exponent = floor(log10(float(f"{size:.{min(digits, DIGITS)}g}")) + 1e-12)
        front = f"{value / 10.0**exponent:.{min(digits, DIGITS)}g}"
        return minus(power_text(exponent) if front == "1" else f"{front}×{power_text(exponent)}")
    if float(f"{size:.{digits}g}") >= 10 ** (digits - 1):  # as it is rounded: 999.96 is 1,000
        return minus(f"{round(value):,}")
    return minus(f"{value:.{digits}g}")


def bound_text(value: float, digits: int = 4) -> str:
    """A number of any size above 0 that others do not exceed, in so many digits: rounded up, so that it is true."""
    if value <= 0:
        return number_text(value, digits)
    whole = SMALL <= value < LARGE
    place = floor(log10(value)) + 1 - (digits if whole else min(digits, DIGITS))
    step = 10.0 ** (min(place, 0) if whole else place)
    return number_text(ceil(value / step * (1 - ROUNDING)) * step, digits)


def number_texts(values: Sequence[float]) -> list[str]:
    """The ticks of one axis, all different: in full where shorter texts would not tell them apart."""
    short = [number_text(value) for value in values]
    if all(map(_is_power, values)) and not all(SMALL <= value < LARGE for value in values):
        return [power_text(round(log10(value))) for value in values]  # 10⁶ beside 10⁵, not beside 100,000
    exact = all(abs(value) < LARGE or _is_round(value) for value in values)
    if exact and len(set(short)) == len(set(values)) and not _is_across(values):
        return short
    return [minus(f"{value:,.10g}" if not float(value).is_integer() else f"{value:,.0f}") for value in values]


def _is_across(values: Sequence[float]) -> bool:
    """Whether the first powers of ten would stand beside numbers in full: 10⁶ beside 800,000, 8×10⁻⁴ beside 0.001."""
    sizes = [abs(float(f"{value:.6g}")) for value in values if value]
    return bool(sizes) and any(min(sizes) < edge <= max(sizes) < 10 * edge for edge in (SMALL, LARGE))


def _is_round(value: float) -> bool:
    """Whether so few digits say it all."""
    return abs(float(f"{value:.{DIGITS - 1}e}") - value) <= ROUNDING * abs(value)  # 1e100 / 2 is not 5e99


def _is_power(value: float) -> bool:
    """Whether it is a whole power of ten."""
    return value > 0 and abs(log10(value) - round(log10(value))) < 1e-9
