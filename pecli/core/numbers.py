"""Numbers as text in pictures (1,024, 10⁶, −3), number types, rounding, chunk sizes."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from math import isinf, log10

from pecli.core.lazy import Array, np

CHUNK = 1 << 20  # numbers processed at once
MAX_EXACT = 1e50  # largest factor of tables and biases: its fourth power is still a float64
ROUNDING = 1e-12  # relative difference that counts as rounding
NUMBER = r"[+-]?(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][+-]?\d+)?"  # no digit can match two parts, so matching takes linear time


def chunks(first: int, stop: int, width: int, most: int | None = None) -> list[range]:
    """Divide the rows first … stop − 1, of `width` numbers each, into ranges of at most `most` numbers.

    most : by default CHUNK; a range has at least one row even if that has more numbers
    """
    step = max(1, (most or CHUNK) // max(1, width))
    return [range(at, min(at + step, stop)) for at in range(first, stop, step)]


POWERS = str.maketrans("-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹")
LARGE, SMALL = 1e6, 1e-3  # from LARGE on, and below SMALL, numbers are written as powers of ten
DIGITS = 3  # digits before a power of ten


def minus(text: str) -> str:
    """Return a number's text with a minus sign in place of the hyphen."""
    return text.replace("-", "−")


def power_text(exponent: int) -> str:
    """Return a power of ten as text: 10⁶."""
    return "10" + str(exponent).translate(POWERS)


def number_text(value: float, digits: int = 4) -> str:
    """Return a number as text with at most this many significant digits."""
    size = abs(float(f"{value:.6g}"))
    if value and not SMALL <= size < LARGE:
        if isinf(value):  # a logarithmic axis may ask for a tick there
            return minus(f"{value:g}".replace("inf", "∞"))
        front, exponent = f"{value:.{min(digits, DIGITS) - 1}e}".split("e")
        front, power = f"{float(front):g}", power_text(int(exponent))
        return minus(front.replace("1", power) if front in ("1", "-1") else f"{front}×{power}")
    if float(f"{size:.{digits}g}") >= 10 ** (digits - 1):  # after rounding: 999.96 is 1,000
        return minus(f"{round(value):,}")
    return minus(f"{value:.{digits}g}")


def percent_text(share: float, digits: int = 2) -> str:
    """Return a share as text in per cent, with up to this many digits, one below 1 %.

    "0%" and "100%" mean none and all.
    """
    if 0 < share < 0.001:
        return "< 0.1%"
    text = number_text(100 * share, 1 if share < 0.01 else digits)
    return "> 99%" if text == "100" and share < 1 - ROUNDING else f"{text}%"


def number_texts(values: Sequence[float]) -> list[str]:
    """Return the labels of an axis's ticks; numbers are written in full if two shortened labels would be equal."""
    short = [number_text(value) for value in values]
    exponents = [log10(value) for value in values if value > 0]
    whole = len(exponents) == len(values) and all(abs(exponent - round(exponent)) < 1e-9 for exponent in exponents)
    if whole and not all(SMALL <= value < LARGE for value in values):
        powers = [power_text(round(exponent)) for exponent in exponents]  # so that 10⁶ is not followed by 100,000
        if len(set(powers)) == len(set(values)):
            return powers
    rounding = [abs(float(f"{value:.{DIGITS - 1}e}") - value) / abs(value) for value in values if abs(value) >= LARGE]
    sizes = [abs(float(f"{value:.6g}")) for value in values if value]
    mixed = sizes and any(min(sizes) < edge <= max(sizes) < 10 * edge for edge in (SMALL, LARGE))
    if max(rounding, default=0) <= ROUNDING and len(set(short)) == len(set(values)) and not mixed:
        return short  # not if `mixed`: 800,000 beside 10⁶, or 8×10⁻⁴ beside 0.001
    return [minus(f"{value:,.10g}" if not float(value).is_integer() else f"{value:,.0f}") for value in values]


def _through(dtype: str, x: Array) -> Array:
    with np.errstate(over="ignore"):
        return np.asarray(x, dtype=np.float64).astype(dtype).astype(np.float64)


def _bfloat16(x: Array) -> Array:
    """Return the numbers rounded to bfloat16, the upper 16 bits of a float32: to nearest, ties to even."""
    single = np.atleast_1d(_through("float32", x)).astype(np.float32)
    bits = single.view(np.uint32)
    nearest = (bits + np.uint32(0x7FFF) + ((bits >> np.uint32(16)) & np.uint32(1))) & np.uint32(0xFFFF0000)
    rounded = np.where(np.isfinite(single), nearest.view(np.float32), single).astype(np.float64)
    return rounded.reshape(np.shape(x))


ROUND: dict[str, Callable[[Array], Array]] = {
    "float64": lambda x: x,
    "float32": partial(_through, "float32"),
    "float16": partial(_through, "float16"),
    "bfloat16": _bfloat16,
}


def number_types() -> tuple[str, ...]:
    """Return the names of the number types."""
    return tuple(ROUND)
