"""The scalings of RoPE: how its rates change so that a model reads more than it was trained on."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable
from dataclasses import dataclass
from decimal import ROUND_CEILING, ROUND_FLOOR, Decimal
from math import log, sqrt
from typing import Any, ClassVar, Self

from pecli.core.errors import UsageError, mention
from pecli.core.numbers import LARGEST
from pecli.core.options import option
from pecli.encodings.harmonic import PI, PowersOfBase, geometric_rates, many_digits


class Scaling(ABC):
    """Base of the scalings. A subclass names its parameters (fields of `Scaled`) and gives `rates`.

    `needs` are the parameters that must be given, `takes` those that may be. λ_j is the wavelength 2π/ω_j.
    """

    name: ClassVar[str]
    summary: ClassVar[str]
    formula: ClassVar[str]
    source: ClassVar[str]
    needs: ClassVar[tuple[str, ...]] = ()
    takes: ClassVar[tuple[str, ...]] = ()

    @classmethod
    def check(cls, rope: Scaled) -> None:
        """Refuses parameters that are missing or that the formula cannot take (UsageError)."""
        for name in cls.needs:
            if getattr(rope, name) is None:
                text = f"scaling={cls.name} needs {name}=…: {rope.options()[name].help}"
                raise UsageError(text, option=name)

    @classmethod
    @abstractmethod
    def rates(cls, plain: list[Decimal], rope: Scaled) -> Iterable[Decimal]:
        """Return ω_j, rad/position, from the unscaled ω_j; called with many digits."""

    @classmethod
    def attention_factor(cls, rope: Scaled) -> float:
        """What both cos and sin are multiplied by; scores grow by its square."""
        return 1.0

    @classmethod
    def ramp(cls, rope: Scaled) -> tuple[float, float] | None:
        """The pairs between which the rule goes over from kept to divided, or None where it has no such range."""
        return None

    @classmethod
    def parts(cls, plain: list[Decimal], rope: Scaled) -> dict[str, int]:
        """How many pairs are kept, between and divided by the factor, where the rule sorts them so."""
        return {}


class Unscaled(Scaling):
    """The rates as they are."""

    name = "default"
    summary = "no scaling"
    formula = "ω_j = base^(−2j/d)"
    source = "Su et al. 2021, RoFormer, arXiv:2104.09864"

    @classmethod
    def rates(cls, plain: list[Decimal], rope: Scaled) -> Iterable[Decimal]:
        return plain


def sorted_parts(weights: Iterable[Any]) -> dict[str, int]:
    """Pairs by their weight of the divided rate: 0 kept, 1 divided, else between."""
    known = list(weights)
    kept, divided = sum(one == 0 for one in known), sum(one == 1 for one in known)
    return {"kept": kept, "between": len(known) - kept - divided, "divided": divided}


def check_factor(name: str, factor: float | None) -> None:
    """Refuses a factor that would shorten the context."""
    if factor is not None and factor < 1:
        raise UsageError(
            f"factor={factor:g} is not allowed with scaling={name}: it takes a number ≥ 1",
            option="factor",
            value=factor,
        )


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


__all__ = ["SCALINGS", "Scaling", "having", "scaling_names"]

SCALINGS: dict[str, type[Scaling]] = {
    Unscaled.name: Unscaled,
    Linear.name: Linear,
    Dynamic.name: Dynamic,
    Yarn.name: Yarn,
    LongRope.name: LongRope,
    Llama3.name: Llama3,
    Proportional.name: Proportional,
}


def scaling_names() -> tuple[str, ...]:
    """The scalings by the word that config.json has for each."""
    return tuple(SCALINGS)


def having(parameter: str) -> tuple[str, tuple[str, ...]]:
    """What the parameter belongs to: the option `scaling` and those of its values that take it."""
    return "scaling", tuple(name for name, one in SCALINGS.items() if parameter in (*one.needs, *one.takes))


NEEDED = "must be given"


@dataclass(frozen=True)
class Scaled(PowersOfBase):
    """The first `rotary_dim` of d columns turn, by rates that the scaling makes of base^(−2j/rotary_dim).

    The parameters have the names of config.json, but for `original` (original_max_position_embeddings) and
    `max_position` (max_position_embeddings).
    """

    rotary_dim: int | None = option(
        None, "how many of the d columns turn", at_least=2, at_most=65536, unset="all", in_spec=True
    )
    scaling: str = option(
        "default", "how rates change for long contexts", choices=scaling_names, in_spec=True, aliases=("rope_type",)
    )
    factor: float | None = option(
        None,
        "how many times longer the context gets",
        above=0,
        at_most=LARGEST,
        only_with=having("factor"),
        unset="see the formula",
    )
    original: int | None = option(
        None, "positions of the first training", at_least=1, only_with=having("original"), unset=NEEDED
    )
    max_position: int | None = option(
        None, "positions up to which nothing changes", at_least=1, only_with=having("max_position"), unset=NEEDED
    )
    seq_len: int | None = option(
        None, "the length in use", at_least=1, only_with=having("seq_len"), unset="no longer than trained"
    )
    beta_fast: float = option(
        32.0, "turns over the original context from which a pair is kept", above=0, only_with=having("beta_fast")
    )
    beta_slow: float = option(
        1.0, "turns over the original context below which a pair is divided", above=0, only_with=having("beta_slow")
    )
    truncate: bool = option(True, "whether the ramp ends at whole pairs", only_with=having("truncate"))
    attention_factor: float | None = option(
        None,
        "what cos and sin are multiplied by",
        at_least=0,
        at_most=LARGEST,
        only_with=having("attention_factor"),
        unset="see the formula",
    )
    mscale: float | None = option(
        None,
        "weight of ln factor above",
        at_least=0,
        at_most=LARGEST,
        only_with=having("mscale"),
        unset="1, unless both are given",
    )
    mscale_all_dim: float | None = option(
        None,
        "weight of ln factor below",
        at_least=0,
        at_most=LARGEST,
        only_with=having("mscale_all_dim"),
        unset="none, unless both are given",
    )
    short_factor: tuple[float, ...] | None = option(
        None,
        "a divisor a pair up to the original context",
        above=0,
        at_most=LARGEST,
        only_with=having("short_factor"),
        unset=NEEDED,
    )
    long_factor: tuple[float, ...] | None = option(
        None, "a divisor a pair beyond it", above=0, at_most=LARGEST, only_with=having("long_factor"), unset=NEEDED
    )
    low_freq_factor: float | None = option(
        None, "turns below which a pair is divided", above=0, only_with=having("low_freq_factor"), unset=NEEDED
    )
    high_freq_factor: float | None = option(
        None, "turns above which a pair is kept", above=0, only_with=having("high_freq_factor"), unset=NEEDED
    )
    partial_rotary_factor: float | None = option(
        None,
        "the share of pairs that turn",
        at_least=0,
        at_most=1,
        only_with=having("partial_rotary_factor"),
        unset="1",
    )

    def check(self) -> None:
        for name, columns in (("d", self.d), ("rotary_dim", self.width)):
            if columns % 2:
                text = f"rope turns pairs of columns, so {mention(name, columns)} is not allowed"
                raise UsageError(text, option=name, value=columns, allowed=f"an even {name}")
        if self.width > self.d:
            text = f"rotary_dim {self.width} is more than the d {self.d} columns there are"
            raise UsageError(text, option="rotary_dim", value=self.width)
        if 0 < (self.attention_factor or 0) < 1 / LARGEST:
            allowed = f"0, or {1 / LARGEST:g} to {LARGEST:g}"
            raise UsageError(option="attention_factor", value=self.attention_factor, allowed=allowed)
        self.rule.check(self)
        super().check()

    @property
    def rule(self) -> type[Scaling]:
        """The scaling."""
        return SCALINGS[self.scaling]

    @property
    def width(self) -> int:
        return self.rotary_dim or self.d

    @property
    def attention_scaling(self) -> float:
        """What cos and sin are multiplied by: the attention factor, given or by the scaling's formula."""
        return self.rule.attention_factor(self)

    @classmethod
    def about(cls, parameter: str, value: str) -> str:
        one = SCALINGS.get(value) if parameter == "scaling" else None
        return f"{one.summary}: {one.formula} ({one.source})" if one else super().about(parameter, value)

    def titled(self) -> dict[str, Any]:
        """Without what every such scaling has to be given, but for the factor."""
        left_out = set(self.rule.needs) - {"factor"}
        return {name: value for name, value in super().titled().items() if name not in left_out}

    def contexts(self) -> dict[str, float]:
        """The context that the model was first trained on and factor × that, which its scaling is for, positions."""
        original = self.original or self.max_position
        if original is None:
            return {}
        factor = self.factor or 1.0
        return {"original": original, **({"scaled": original * factor} if factor > 1 else {})}

    def unscaled(self) -> Self:
        """The same without its scaling."""
        kept = {name: value for name, value in self.settings().items() if not self.options()[name].only_with}
        return self.make({**kept, "scaling": "default"})

    def plain_rates(self) -> list[Decimal]:
        """The rates without the scaling, rad/position."""
        return geometric_rates(self.base, self.width)

    def rates(self) -> Iterable[Decimal | float]:
        with many_digits():
            return list(self.rule.rates(self.plain_rates(), self))

    def rate_formula(self, pair: int) -> str:
        return super().rate_formula(pair) if self.scaling == "default" else ""
