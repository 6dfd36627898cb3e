"""Llama 3.1's scaling: short wavelengths are kept, long ones stretched, those between blended."""

from __future__ import annotations

from collections.abc import Iterable
from decimal import Decimal
from typing import TYPE_CHECKING

from pecli.core.errors import UsageError
from pecli.encodings.harmonic import PI
from pecli.encodings.scalings.scaling import Scaling, sorted_parts

if TYPE_CHECKING:
    from pecli.encodings.scalings.scaled import Scaled


class Llama3(Scaling):
    """Pairs of more than high_freq_factor turns over the original context are kept, of fewer than low divided.

    Where the two are equal nothing lies between, and nothing is divided by their difference.
    """

    name = "llama3"
    summary = "short wavelengths kept, long ones stretched, blended between"
    formula = (
        "λ_j < original/high_freq_factor: ω_j; λ_j > original/low_freq_factor: ω_j/factor; between (1 − s)·ω_j/factor "
        "+ s·ω_j, s = (original/λ_j − low)/(high − low)"
    )
    source = "Llama Team 2024, arXiv:2407.21783; Llama 3.1's own code"
    needs = ("factor", "original", "low_freq_factor", "high_freq_factor")

    @classmethod
    def check(cls, rope: Scaled) -> None:
        super().check(rope)
        low, high = rope.low_freq_factor or 0, rope.high_freq_factor or 0
        if low > high:
            said = f"low_freq_factor={low:g} is above high_freq_factor={high:g}: the two are exchanged"
            raise UsageError(said, option="high_freq_factor", value=high)

    @classmethod
    def rates(cls, plain: list[Decimal], rope: Scaled) -> Iterable[Decimal]:
        factor = Decimal(rope.factor or 1)
        return [rate * (1 - w) + rate / factor * w for rate, w in zip(plain, cls._weights(plain, rope), strict=True)]

    @classmethod
    def parts(cls, plain: list[Decimal], rope: Scaled) -> dict[str, int]:
        return sorted_parts(cls._weights(plain, rope))

    @classmethod
    def ramp(cls, rope: Scaled) -> tuple[float, float] | None:
        """The first and last pair that is blended, a pair to either side; None where there is none."""
        between = [j for j, weight in enumerate(cls._weights(rope.plain_rates(), rope)) if 0 < weight < 1]
        return (between[0] - 1.0, between[-1] + 1.0) if between else None

    @classmethod
    def _weights(cls, plain: list[Decimal], rope: Scaled) -> list[Decimal]:
        """The share of the divided rate in every pair."""
        low, high = Decimal(rope.low_freq_factor or 0), Decimal(rope.high_freq_factor or 0)
        turns = [Decimal(rope.original or 1) * rate / (2 * PI) for rate in plain]
        if low == high:
            return [Decimal(int(one < low)) for one in turns]
        return [1 - min(max((one - low) / (high - low), Decimal(0)), Decimal(1)) for one in turns]
