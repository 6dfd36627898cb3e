"""The alien clock: every hand a fixed number of times, radix², slower than the one before."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from decimal import Decimal
from typing import ClassVar

from pecli.core.options import option
from pecli.core.values import write_scalar
from pecli.encodings.capabilities import Additive
from pecli.encodings.harmonic import Harmonic, many_digits, width_option


@dataclass(frozen=True)
class Geometric(Harmonic, Additive):
    """PE(p, 2j) = sin(p / radix^(2j)), PE(p, 2j+1) = cos(same): a fixed radix, not divided by d.

    After the first pairs a column hardly moves, which is why the Transformer divides the exponent by d; with the
    division it is `Sinusoidal` with that base. An odd d has one more sine than cosines.
    """

    name: ClassVar[str] = "geometric"
    summary: ClassVar[str] = "a clock each of whose hands turns radix² times slower than the one before, whatever d is"
    formula: ClassVar[str] = "PE(p, 2j) = sin(p / radix^(2j)), PE(p, 2j+1) = cos(p / radix^(2j))"
    source: ClassVar[str] = "the third article: Positional Encoding, fleuria, 2023"
    example: ClassVar[str] = "pecli heatmap -e geometric --d 16 --length 10000"
    models: ClassVar[str] = "none: an intuition"

    d: int = width_option()
    radix: float = option(
        3600.0, "each pair turns radix² times slower than the one before", above=0, log=True, shown=True
    )

    @property
    def width(self) -> int:
        return self.d

    def rates(self) -> Iterable[Decimal | float]:
        with many_digits():
            return [Decimal(self.radix) ** (-2 * j) for j in range((self.d + 1) // 2)]

    def rate_formula(self, pair: int) -> str:
        return f"{write_scalar(self.radix)}^(-{2 * pair})"
