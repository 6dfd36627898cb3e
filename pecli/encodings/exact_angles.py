"""Angles right to the last bit at any position: turns as two floats, products without rounding, many digits."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from decimal import MAX_EMAX, MIN_EMIN, Decimal, localcontext

from pecli.core.lazy import Array, np

PI = Decimal("3.14159265358979323846264338327950288419716939937510582")
DIGITS = 45


def two_floats(number: Decimal) -> tuple[float, float]:
    """The nearest float64, and the nearest to what is left."""
    high = float(number)
    return high, float(number - Decimal(high))


def _halves(x: Array) -> tuple[Array, Array]:
    """x as a sum of two numbers of 26 bits (Veltkamp 1968), so that products of halves are exact."""
    big = 134217729.0 * x
    high = big - (big - x)
    return high, x - high


def reduced_product(x: Array, high: Array, low: Array) -> Array:
    """x · (high + low) less the nearest whole number, right to the last bit (Dekker's product, 1971)."""
    product = x * high
    x1, x2 = _halves(x)
    y1, y2 = _halves(high)
    error = ((x1 * y1 - product) + x1 * y2 + x2 * y1) + x2 * y2
    return (product - np.rint(product)) + (error + x * low)


@contextmanager
def many_digits() -> Iterator[None]:
    """Decimal arithmetic with enough digits for two floats, and exponents that do not run out."""
    with localcontext(prec=DIGITS, Emax=MAX_EMAX, Emin=MIN_EMIN):
        yield


def dirichlet(counts: Array, high: Array, low: Array) -> Array:
    """sin(π n f) / (n sin(π f)) for n consecutive positions at f = high + low turns a position; 1 at f = 0."""
    top = np.sin(2 * np.pi * reduced_product(counts / 2, high, low))
    # n f / 2 reduced by whole turns keeps sin(2π n f/2) = sin(π n f)
    bottom = counts * np.sin(np.pi * (high + low))
    still = np.abs(counts * high) < 1e-9  # the quotient is 1 to the last bit, and its halves may be denormal
    return np.where(still, 1.0, top / np.where(still, 1.0, bottom))
