"""Sines and frequencies in decimal arithmetic with more than 50 digits, to check closed forms independently."""

from __future__ import annotations

from collections.abc import Iterator
from decimal import Decimal, localcontext
from types import SimpleNamespace

import pytest

DIGITS = 70


@pytest.fixture
def decimals() -> Iterator[SimpleNamespace]:
    """Yield `sine` and `rates` as a namespace, inside a context with enough digits."""
    with localcontext(prec=DIGITS):
        yield SimpleNamespace(sine=sine, rates=rates)


def pi() -> Decimal:
    """Return π by Machin's formula, 16 arctan(1/5) − 4 arctan(1/239)."""

    def arctan_of_inverse(n: int) -> Decimal:
        return sum((Decimal((-1) ** k) / ((2 * k + 1) * n ** (2 * k + 1)) for k in range(DIGITS)), Decimal(0))

    return 16 * arctan_of_inverse(5) - 4 * arctan_of_inverse(239)


def sine(x: Decimal, quarter_turns: int = 0) -> Decimal:
    """Return sin(x + quarter_turns · π/2) to about 50 digits."""
    turn = 2 * pi()
    x = (x + quarter_turns * turn / 4) % turn
    term = total = x
    n = 1
    while abs(term) > Decimal(10) ** -(DIGITS - 5):
        n += 2
        term *= -x * x / (n * (n - 1))
        total += term
    return total


def rates(base: int | str, d: int) -> list[Decimal]:
    """Return ω_j = base^(−2j/d) for each sine."""
    return [(Decimal(base).ln() * -2 * j / d).exp() for j in range((d + 1) // 2)]
