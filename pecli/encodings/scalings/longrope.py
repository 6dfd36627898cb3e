"""LongRoPE: a divisor of its own for every pair, one list for short and one for long sequences."""

from __future__ import annotations

from collections.abc import Iterable
from decimal import Decimal
from math import log, sqrt
from typing import TYPE_CHECKING

from pecli.core.errors import UsageError
from pecli.encodings.scalings.scaling import Scaling

if TYPE_CHECKING:
    from pecli.encodings.scalings.scaled import Scaled


class LongRope(Scaling):
    """Divisors found by search. They change exactly at original + 1 tokens; without `seq_len` the short ones hold."""

    name = "longrope"
    summary = "a divisor for every pair, found by search; other ones beyond the original context"
    formula = "ω_j / long_factor_j where seq_len > original, else ω_j / short_factor_j"
    source = "Ding et al. 2024, arXiv:2402.13753"
    needs = ("original", "short_factor", "long_factor")
    takes = ("factor", "attention_factor", "seq_len")

    @classmethod
    def check(cls, rope: Scaled) -> None:
        super().check(rope)
        for name in ("short_factor", "long_factor"):
            count = len(getattr(rope, name))
            if count != rope.width // 2:
                columns = f"{rope.width} rotary dimensions are {rope.width // 2} pairs"
                raise UsageError(f"{name} has {count} numbers, and {columns}", option=name)

    @classmethod
    def rates(cls, plain: list[Decimal], rope: Scaled) -> Iterable[Decimal]:
        long = rope.seq_len is not None and rope.seq_len > (rope.original or 0)
        divisors = (rope.long_factor if long else rope.short_factor) or ()
        return [rate / Decimal(divisor) for rate, divisor in zip(plain, divisors, strict=True)]

    @classmethod
    def attention_factor(cls, rope: Scaled) -> float:
        if rope.attention_factor is not None:
            return rope.attention_factor
        factor, original = rope.factor or 1.0, rope.original or 1
        return 1.0 if factor <= 1 or original == 1 else sqrt(1 + log(factor) / log(original))
