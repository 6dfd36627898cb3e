"""The scalings that treat every pair alike: all rates divided, another base, or some pairs that stand still."""

from __future__ import annotations

from collections.abc import Iterable
from decimal import Decimal
from typing import TYPE_CHECKING

from pecli.core.errors import UsageError
from pecli.encodings.powers_of_base import geometric_rates
from pecli.encodings.scalings.scaling import Scaling, check_factor

if TYPE_CHECKING:
    from pecli.encodings.scalings.scaled import Scaled


class Linear(Scaling):
    """Position interpolation: positions divided by the factor."""

    name = "linear"
    summary = "position interpolation: every rate divided"
    formula = "ω_j / factor"
    source = "Chen et al. 2023, arXiv:2306.15595"
    needs = ("factor",)

    @classmethod
    def check(cls, rope: Scaled) -> None:
        super().check(rope)
        check_factor(cls.name, rope.factor)

    @classmethod
    def rates(cls, plain: list[Decimal], rope: Scaled) -> Iterable[Decimal]:
        return [rate / Decimal(rope.factor or 1) for rate in plain]


class Dynamic(Scaling):
    """NTK-aware scaling that grows with the length in use; up to `max_position` nothing changes."""

    name = "dynamic"
    summary = "NTK-aware: a larger base, the longer the sequence in use"
    formula = "base' = base · (factor·L/max_position − (factor − 1))^(d/(d − 2)), L = max(seq_len, max_position)"
    source = "bloc97 and emozilla 2023; Peng et al. 2023, section 3.3, arXiv:2309.00071"
    needs = ("factor", "max_position")
    takes = ("seq_len",)

    @classmethod
    def check(cls, rope: Scaled) -> None:
        super().check(rope)
        if rope.width == 2:
            raise UsageError("scaling=dynamic has the exponent d/(d − 2), so it takes 4 or more rotary dimensions")
        if cls._growth(rope) <= 0:
            raise UsageError(f"scaling=dynamic with factor={rope.factor:g} gives no positive base at that seq_len")

    @classmethod
    def rates(cls, plain: list[Decimal], rope: Scaled) -> Iterable[Decimal]:
        growth = cls._growth(rope)
        if growth == 1:
            return plain
        exponent = Decimal(rope.width) / (rope.width - 2)
        return geometric_rates(Decimal(rope.base) * growth**exponent, rope.width)

    @classmethod
    def _growth(cls, rope: Scaled) -> Decimal:
        longest = Decimal(rope.max_position or 1)
        factor, used = Decimal(rope.factor or 1), max(Decimal(rope.seq_len or 0), longest)
        return factor * used / longest - (factor - 1)


class Proportional(Scaling):
    """Some pairs stand still, the others have the exponents of the whole width."""

    name = "proportional"
    summary = "the first pairs turn with exponents over the whole width, the rest stand still"
    formula = "base^(−2j/d) / factor for j < ⌊partial_rotary_factor · d / 2⌋, else 0"
    source = "Gemma 4, transformers 5"
    takes = ("factor", "partial_rotary_factor")

    @classmethod
    def rates(cls, plain: list[Decimal], rope: Scaled) -> Iterable[Decimal]:
        live = int((rope.partial_rotary_factor or 1) * rope.width // 2)
        return [rate / Decimal(rope.factor or 1) if j < live else Decimal(0) for j, rate in enumerate(plain)]
