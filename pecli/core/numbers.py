"""Numbers as text in pictures (1,024, 10⁶, −3), types of numbers, rounding, sizes of chunks."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from math import isinf, log10

from pecli.core.lazy import Array, np

CHUNK = 1 << 20  # numbers handled at once where all of them would be too much
MAX_EXACT = 1e50  # of a number that tables and biases are multiplied by: its fourth power has a place in float64
ROUNDING = 1e-12  # a difference below this share of the values is rounding
NUMBER = r"[+-]?(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][+-]?\d+)?"  # no digit fits in two places: a long text takes no longer


def chunks(first: int, stop: int, width: int, most: int | None = None) -> list[range]:
    """Return the rows first … stop − 1, each of `width` numbers, in runs of at most CHUNK numbers, or `most`."""
    step = max(1, (most or CHUNK) // max(1, width))
    return [range(at, min(at + step, stop)) for at in range(first, stop, step)]


POWERS = str.maketrans("-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹")
LARGE, SMALL = 1e6, 1e-3  # from here on and below this powers of ten are shorter
DIGITS = 3  # of a number before a power of ten


def minus(text: str) -> str:
    """Return a number's text with a minus sign where it has a hyphen."""
    return text.replace("-", "−")


def power_text(exponent: int) -> str:
    """Return a power of ten: 10⁶."""
    return "10" + str(exponent).translate(POWERS)


def number_text(value: float, digits: int = 4) -> str:
    """Return a number of any size in so many digits."""
    size = abs(float(f"{value:.6g}"))
    if value and not SMALL <= size < LARGE:
        if isinf(value):  # where the ticks of a logarithmic axis run out
            return minus(f"{value:g}".replace("inf", "∞"))
        front, exponent = f"{value:.{min(digits, DIGITS) - 1}e}".split("e")
        front, power = f"{float(front):g}", power_text(int(exponent))
        return minus(front.replace("1", power) if front in ("1", "-1") else f"{front}×{power}")
    if float(f"{size:.{digits}g}") >= 10 ** (digits - 1):  # as it is rounded: 999.96 is 1,000
        return minus(f"{round(value):,}")
    return minus(f"{value:.{digits}g}")


def number_texts(values: Sequence[float]) -> list[str]:
    """Return the ticks of one axis, all different: in full where shorter texts would not tell them apart."""
    short = [number_text(value) for value in values]
    exponents = [log10(value) for value in values if value > 0]
    whole = len(exponents) == len(values) and all(abs(exponent - round(exponent)) < 1e-9 for exponent in exponents)
    if whole and not all(SMALL <= value < LARGE for value in values):
        powers = [power_text(round(exponent)) for exponent in exponents]  # 10⁶ beside 10⁵, not beside 100,000
        if len(set(powers)) == len(set(values)):
            return powers
    rounding = [abs(float(f"{value:.{DIGITS - 1}e}") - value) / abs(value) for value in values if abs(value) >= LARGE]
    sizes = [abs(float(f"{value:.6g}")) for value in values if value]
    mixed = sizes and any(min(sizes) < edge <= max(sizes) < 10 * edge for edge in (SMALL, LARGE))
    if max(rounding, default=0) <= ROUNDING and len(set(short)) == len(set(values)) and not mixed:
        return short  # with no 10⁶ beside 800,000, nor 8×10⁻⁴ beside 0.001
    return [minus(f"{value:,.10g}" if not float(value).is_integer() else f"{value:,.0f}") for value in values]


def _through(dtype: str, x: Array) -> Array:
    with np.errstate(over="ignore"):
        return np.asarray(x, dtype=np.float64).astype(dtype).astype(np.float64)


def _bfloat16(x: Array) -> Array:
    """Return the upper 16 bits of a float32, rounded to the nearest, ties to even."""
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
    """Return the names of the types."""
    return tuple(ROUND)
