"""Waves whose frequencies are powers of one base: what sinusoidal and rope have in common."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from decimal import Decimal

from pecli.core.options import option
from pecli.core.values import write_scalar
from pecli.encodings.harmonic import Harmonic, many_digits, width_option


@dataclass(frozen=True)
class PowersOfBase(Harmonic):
    """Pair j turns by base^(−2j/d) rad a position: wavelengths from 2π to nearly base · 2π."""

    d: int = width_option()
    base: float = option(
        10000.0,
        "base of the wavelengths, a model's rope_theta",
        above=0,
        log=True,
        flags=("-k",),
        aliases=("theta", "rope_theta"),
        shown=True,
    )

    @property
    def width(self) -> int:
        return self.d

    def rates(self) -> Iterable[Decimal | float]:
        return geometric_rates(self.base, self.width)

    def rate_formula(self, pair: int) -> str:
        return f"{write_scalar(self.base)}^(-{2 * pair}/{self.width})"


def geometric_rates(base: float | Decimal, d: int, n_pairs: int | None = None) -> list[Decimal]:
    """ω_j = base^(−2j/d) for each of so many pairs, of ⌈d/2⌉ where none are said, to 40 digits."""
    with many_digits():
        ratio = (-2 * Decimal(base).ln() / d).exp()
        rates = [Decimal(1)]
        for _ in range(((d + 1) // 2 if n_pairs is None else n_pairs) - 1):
            rates.append(rates[-1] * ratio)
    return rates
