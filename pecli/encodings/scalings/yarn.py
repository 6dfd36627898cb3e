"""YaRN: fast pairs are kept, slow ones divided, with a ramp between."""

from __future__ import annotations

from collections.abc import Iterable
from decimal import ROUND_CEILING, ROUND_FLOOR, Decimal
from math import log
from typing import TYPE_CHECKING

from pecli.core.errors import UsageError
from pecli.encodings.harmonic import PI, many_digits
from pecli.encodings.scalings.scaling import Scaling, check_factor, sorted_parts

if TYPE_CHECKING:
    from pecli.encodings.scalings.scaled import Scaled

GAP = Decimal("0.001")  # the width of a ramp whose ends coincide, as transformers has it


class Yarn(Scaling):
    """Pairs of more than beta_fast turns over the original context are kept, of fewer than beta_slow divided."""

    name = "yarn"
    summary = "fast pairs kept, slow ones divided, a ramp between; scores sharpened"
    formula = (
        "ω_j (1 − ramp_j) + ω_j/factor · ramp_j; ramp_j = clip((j − low)/(high − low), 0, 1), "
        "low, high = d · ln(original/(2π r)) / (2 ln base) at r = beta_fast, beta_slow, rounded outward if truncate"
    )
    source = "Peng et al. 2023, arXiv:2309.00071"
    needs = ("factor", "original")
    takes = ("beta_fast", "beta_slow", "truncate", "attention_factor", "mscale", "mscale_all_dim")

    @classmethod
    def check(cls, rope: Scaled) -> None:
        super().check(rope)
        check_factor(cls.name, rope.factor)
        if rope.base == 1:
            raise UsageError("scaling=yarn divides by ln base, so base=1 is not allowed")

    @classmethod
    def ramp(cls, rope: Scaled) -> tuple[float, float]:
        """low and high, pairs."""
        with many_digits():
            low, high = cls._ends(rope)
        return float(low), float(high)

    @classmethod
    def rates(cls, plain: list[Decimal], rope: Scaled) -> Iterable[Decimal]:
        factor = Decimal(rope.factor or 1)
        return [rate * (1 - w) + rate / factor * w for rate, w in zip(plain, cls._weights(rope), strict=True)]

    @classmethod
    def parts(cls, plain: list[Decimal], rope: Scaled) -> dict[str, int]:
        return sorted_parts(cls._weights(rope))

    @classmethod
    def attention_factor(cls, rope: Scaled) -> float:
        if rope.attention_factor is not None:
            return rope.attention_factor
        factor = rope.factor or 1.0
        if rope.mscale and rope.mscale_all_dim:
            return _sharpening(factor, rope.mscale) / _sharpening(factor, rope.mscale_all_dim)
        return _sharpening(factor, 1.0)

    @classmethod
    def _weights(cls, rope: Scaled) -> list[Decimal]:
        """The share of the divided rate in every pair."""
        low, high = cls._ends(rope)
        if low == high:
            high += GAP
        return [min(max((j - low) / (high - low), Decimal(0)), Decimal(1)) for j in range(rope.width // 2)]

    @classmethod
    def _ends(cls, rope: Scaled) -> tuple[Decimal, Decimal]:
        low, high = cls._pair(rope, rope.beta_fast), cls._pair(rope, rope.beta_slow)
        if rope.truncate:
            low, high = low.to_integral_value(ROUND_FLOOR), high.to_integral_value(ROUND_CEILING)
        return max(low, Decimal(0)), min(high, Decimal(rope.width - 1))

    @classmethod
    def _pair(cls, rope: Scaled, turns: float) -> Decimal:
        """The pair, not whole, that makes so many turns over the original context."""
        turned = Decimal(rope.original or 1) / (2 * PI * Decimal(turns))
        return rope.width * turned.ln() / (2 * Decimal(rope.base).ln())


def _sharpening(factor: float, scale: float) -> float:
    """What YaRN multiplies cos and sin by, section 3.4: 0.1 · scale · ln factor + 1."""
    return 1.0 if factor <= 1 else 0.1 * scale * log(factor) + 1.0
