"""Scalings of RoPE: how its rates change for contexts longer than those of training."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from decimal import ROUND_CEILING, ROUND_FLOOR, Decimal
from math import log, sqrt
from typing import Any, ClassVar, Self

from pecli.core.errors import UsageError, option_text
from pecli.core.language import say
from pecli.core.mathematics import Formula
from pecli.core.numbers import MAX_EXACT, number_text
from pecli.core.options import option
from pecli.core.positions import Positions
from pecli.encodings.harmonic import PI, PowersOfBase, as_typed, geometric_rates, many_digits

ZERO, ONE = Decimal(0), Decimal(1)


class Scaling:
    """No scaling, and the base class of all scalings.

    A subclass defines `rates`, and lists its required parameters in `needs` and optional ones in `takes`. Parameters
    are fields of `Scaled`. λ_j is the wavelength 2π/ω_j.
    """

    name: ClassVar[str] = "default"
    summary: ClassVar[str] = "no scaling"
    formula: ClassVar[str] = "ω_j = base^(−2j/d)"
    source: ClassVar[str] = "Su et al. 2021, RoFormer, arXiv:2104.09864"
    needs: ClassVar[tuple[str, ...]] = ()
    takes: ClassVar[tuple[str, ...]] = ()
    in_configs: ClassVar[bool] = True  # whether it can be the scaling type of a config.json

    def check(self, rope: Scaled) -> None:
        """Raise UsageError if parameters are missing or invalid."""
        for name in self.needs:
            if getattr(rope, name) is None:
                raise UsageError(f"scaling={self.name} needs {name}=… ({rope.options()[name].help})", option=name)

    def extended(self, rope: Scaled, original: int) -> float | None:
        """Return the extended context, in positions, for an `original` context; None if unknown."""
        return None if rope.factor is None else original * rope.factor

    def in_training(self, rope: Scaled) -> Scaled:
        """Return the RoPE of the original training, before scaling."""
        return rope.unscaled()

    def rates(self, plain: Sequence[Decimal], rope: Scaled) -> Sequence[Decimal]:
        """Return the scaled rates ω_j, in rad/position with many digits; by default the unscaled rates `plain`."""
        return plain

    def weights(self, plain: Sequence[Decimal], rope: Scaled) -> Sequence[Decimal]:
        """Return for each pair how much the scaled rate counts: 0 is the unscaled rate, 1 the scaled one.

        Between 0 and 1, both rates are blended. Return [] if the scaling does not blend.
        """
        return []

    def attention_factor(self, rope: Scaled) -> float:
        """Return the factor of cos and sin; scores grow by its square."""
        return 1.0

    def ramp(self, rope: Scaled) -> tuple[float, float] | None:
        """Return the pair indices, not always whole, between which rates are blended; None if none are blended."""
        return None

    def first_length(self, rope: Scaled) -> int | None:
        """Return the sequence length up to which rates are constant; None if they do not depend on the length."""
        return None

    def base(self, rope: Scaled) -> float:
        """Return the base whose powers are the rates at the current sequence length; by default the RoPE's own base."""
        return rope.base

    def at_length(self, rope: Scaled) -> str:
        """Return a title's note on the rates at the current sequence length; "" if they do not depend on the length."""
        return ""

    def other_lengths(self, rope: Scaled) -> str:
        """Return a text on how the rates depend on the sequence length; "" if they are constant."""
        return ""


class Linear(Scaling):
    """Position interpolation: positions are divided by the factor."""

    name = "linear"
    summary = "position interpolation: all rates are divided by the factor"
    formula = "ω_j / factor"
    source = "Chen et al. 2023, arXiv:2306.15595"
    needs = ("factor",)

    def rates(self, plain: Sequence[Decimal], rope: Scaled) -> Sequence[Decimal]:
        return [rate / as_typed(rope.factor or 1) for rate in plain]


class Ntk(Scaling):
    """NTK-aware scaling at every length: the longest wavelength grows by the factor, the shortest does not change.

    It cannot be the scaling of a config.json: transformers does not know a type ``ntk``, and other programs use that
    name for another scaling.
    """

    name = "ntk"
    summary = "NTK-aware: a larger base, the same at every length"
    formula = "base' = base · factor^(d/(d − 2))"
    source = "bloc97 2023; Peng et al. 2023, section 3.1, arXiv:2309.00071"
    needs = ("factor",)
    takes = ("original",)
    in_configs = False

    def check(self, rope: Scaled) -> None:
        super().check(rope)
        _check_exponent(rope)

    def rates(self, plain: Sequence[Decimal], rope: Scaled) -> Sequence[Decimal]:
        return geometric_rates(as_typed(rope.base) * as_typed(rope.factor or 1) ** _exponent(rope), rope.width)

    def base(self, rope: Scaled) -> float:
        return rope.base * (rope.factor or 1.0) ** float(_exponent(rope))


class Dynamic(Scaling):
    """NTK-aware scaling that grows with the sequence length; up to `max_position` nothing changes."""

    name = "dynamic"
    summary = "dynamic NTK: a base that grows with the sequence length"
    formula = "base' = base · (factor·L/max_position − (factor − 1))^(d/(d − 2)), L = max(seq_len, max_position)"
    source = "bloc97 and emozilla 2023; Peng et al. 2023, section 3.3, arXiv:2309.00071"
    needs = ("factor", "max_position")
    takes = ("seq_len",)

    def check(self, rope: Scaled) -> None:
        super().check(rope)
        _check_exponent(rope)

    def extended(self, rope: Scaled, original: int) -> float | None:
        return rope.seq_len if rope.beyond_first else super().extended(rope, original)

    def rates(self, plain: Sequence[Decimal], rope: Scaled) -> Sequence[Decimal]:
        if (growth := self.growth(rope)) == 1:
            return plain
        return geometric_rates(as_typed(rope.base) * growth ** _exponent(rope), rope.width)

    def base(self, rope: Scaled) -> float:
        return rope.base * float(self.growth(rope)) ** float(_exponent(rope))

    def growth(self, rope: Scaled) -> Decimal:
        """Return the factor g by which the longest wavelength grows; the base grows by g to the power `_exponent`."""
        longest = Decimal(rope.max_position or 1)
        factor, used = as_typed(rope.factor or 1), max(Decimal(rope.seq_len or 0), longest)
        return factor * used / longest - (factor - 1)

    def first_length(self, rope: Scaled) -> int | None:
        return rope.max_position

    def at_length(self, rope: Scaled) -> str:
        text = "rope_scaling.wavelengths_up_to_fold" if rope.beyond_first else "rope_scaling.unscaled_at_length"
        return say(text, count=number_text(float(self.growth(rope)), 3), length=rope.used)

    def other_lengths(self, rope: Scaled) -> str:
        unscaled = "rope_scaling.unscaled_from_positions_on"
        grown = "rope_scaling.wavelengths_up_to_fold_at"
        first, count = rope.max_position or 1, number_text(float(self.growth(rope)), 3)
        return say(grown if rope.beyond_first else unscaled, next=first + 1, first=first, count=count, length=rope.used)


class Proportional(Scaling):
    """The first pairs rotate at base^(−2j/d) / factor, with the full width as d; the others do not rotate."""

    name = "proportional"
    summary = "only the first pairs rotate; their exponents are still divided by the full width d"
    formula = "base^(−2j/d) / factor for j < ⌊partial_rotary_factor · d / 2⌋, else 0"
    source = "Gemma 4, transformers 5"
    takes = ("factor", "partial_rotary_factor")

    def rates(self, plain: Sequence[Decimal], rope: Scaled) -> Sequence[Decimal]:
        share = 1.0 if rope.partial_rotary_factor is None else rope.partial_rotary_factor
        turning = int(share * rope.width // 2)
        return [rate / as_typed(rope.factor or 1) if j < turning else ZERO for j, rate in enumerate(plain)]

    def in_training(self, rope: Scaled) -> Scaled:
        return replace(rope, factor=None)  # the same pairs are not rotated in training


def _exponent(rope: Scaled) -> Decimal:
    """Return e = d/(d − 2): the longest wavelength grows by a factor g if the base grows by gᵉ."""
    return Decimal(rope.width) / (rope.width - 2)


def _check_exponent(rope: Scaled) -> None:
    """Raise UsageError if `_exponent` is undefined, that is, if only two columns are rotated."""
    if rope.width == 2:
        text = f"scaling={rope.scaling} has the exponent d/(d − 2), so it needs 4 or more rotary dimensions"
        raise UsageError(text)


def _check_count(rope: Scaled, name: str) -> None:
    """Raise UsageError if the parameter `name`, a list, does not have one number for each pair."""
    count = len(getattr(rope, name))
    if count != rope.width // 2:
        columns = f"{rope.width // 2} for {rope.width} rotary dimensions"
        raise UsageError(f"{name} needs one number for each pair, {columns}, not {count}", option=name)


class LongRope(Scaling):
    """One divisor per pair, found by search: `short_factor` up to the original context, `long_factor` beyond it.

    Without `seq_len`, `short_factor` is used.
    """

    name = "longrope"
    summary = "one divisor per pair, found by search, and another one beyond the original context"
    formula = "ω_j / long_factor_j where seq_len > original, else ω_j / short_factor_j"
    source = "Ding et al. 2024, arXiv:2402.13753"
    needs = ("original", "short_factor", "long_factor")
    takes = ("factor", "attention_factor", "short_mscale", "long_mscale", "seq_len")

    def check(self, rope: Scaled) -> None:
        super().check(rope)
        for name in ("short_factor", "long_factor"):
            _check_count(rope, name)

    def rates(self, plain: Sequence[Decimal], rope: Scaled) -> Sequence[Decimal]:
        divisors = (rope.long_factor if rope.beyond_first else rope.short_factor) or ()
        return [rate / as_typed(divisor) for rate, divisor in zip(plain, divisors, strict=True)]

    def attention_factor(self, rope: Scaled) -> float:
        for given in (rope.attention_factor, rope.long_mscale if rope.beyond_first else rope.short_mscale):
            if given is not None:
                return given
        factor, original = rope.factor or 1.0, rope.original or 1
        return 1.0 if factor <= 1 or original == 1 else sqrt(1 + log(factor) / log(original))

    def first_length(self, rope: Scaled) -> int | None:
        return rope.original

    def at_length(self, rope: Scaled) -> str:
        short, long = "rope_scaling.short_factors_at_length", "rope_scaling.long_factors_at_length"
        return say(long if rope.beyond_first else short, length=rope.used)

    def other_lengths(self, rope: Scaled) -> str:
        short = "rope_scaling.short_factors_from_positions"
        first = rope.original or 1
        return say("rope_scaling.long_factors_up_to" if rope.beyond_first else short, first=first, next=first + 1)


class Divisors(Scaling):
    """A given divisor for every pair."""

    name = "divisors"
    summary = "one divisor per pair"
    formula = "ω_j / divisors_j"
    source = "llama.cpp, the tensor rope_freqs"
    needs = ("divisors",)
    takes = ("attention_factor",)
    in_configs = False

    def check(self, rope: Scaled) -> None:
        super().check(rope)
        _check_count(rope, "divisors")

    def rates(self, plain: Sequence[Decimal], rope: Scaled) -> Sequence[Decimal]:
        return [rate / as_typed(divisor) for rate, divisor in zip(plain, rope.divisors or (), strict=True)]

    def attention_factor(self, rope: Scaled) -> float:
        return 1.0 if rope.attention_factor is None else rope.attention_factor


class Blend(Scaling):
    """Base of scalings that keep the rates of fast pairs, divide those of slow pairs, and blend the others.

    Subclasses define `weights`.
    """

    def rates(self, plain: Sequence[Decimal], rope: Scaled) -> Sequence[Decimal]:
        weights, factor = self.weights(plain, rope), as_typed(rope.factor or 1)
        return [rate * (1 - w) + rate / factor * w for rate, w in zip(plain, weights, strict=True)]


class Llama3(Blend):
    """Pairs with more than high_freq_factor turns over the original context keep their rates.

    The rates of pairs with fewer than low_freq_factor turns are divided by the factor; other pairs blend both rates.
    """

    name = "llama3"
    summary = "short wavelengths are unchanged, long ones are stretched, those between are blended"
    formula = (
        "λ_j < original/high_freq_factor: ω_j; λ_j > original/low_freq_factor: ω_j/factor; between (1 − s)·ω_j/factor "
        "+ s·ω_j, s = (original/λ_j − low)/(high − low)"
    )
    source = "Llama Team 2024, arXiv:2407.21783; Llama 3.1's own code"
    needs = ("factor", "original", "low_freq_factor", "high_freq_factor")

    def extended(self, rope: Scaled, original: int) -> float | None:
        return None  # unknown: Llama 3.1 has 16 times the original context, but the factor 8

    def check(self, rope: Scaled) -> None:
        super().check(rope)
        low, high = rope.low_freq_factor or 0, rope.high_freq_factor or 0
        if low > high:
            text = f"low_freq_factor={low:g} is above high_freq_factor={high:g}: swap the two"
            raise UsageError(text, option="high_freq_factor", value=high)

    def weights(self, plain: Sequence[Decimal], rope: Scaled) -> Sequence[Decimal]:
        low, high = as_typed(rope.low_freq_factor or 0), as_typed(rope.high_freq_factor or 0)
        turns = [Decimal(rope.original or 1) * rate / (2 * PI) for rate in plain]
        if low == high:  # no blended pairs
            return [Decimal(int(turn < low)) for turn in turns]
        return [1 - min(max((turn - low) / (high - low), ZERO), ONE) for turn in turns]

    def ramp(self, rope: Scaled) -> tuple[float, float] | None:
        between = [j for j, weight in enumerate(rope.blend()) if 0 < weight < 1]
        return (between[0] - 1.0, between[-1] + 1.0) if between else None


GAP = Decimal("0.001")  # width of a ramp with equal ends, as in transformers


class Yarn(Blend):
    """Pairs with more than beta_fast turns over the original context keep their rates.

    The rates of pairs with fewer than beta_slow turns are divided by the factor; other pairs blend both rates.
    """

    name = "yarn"
    summary = "the rates of fast pairs are unchanged, slow ones divided, with a ramp between; scores are scaled up"
    formula = (
        "ω_j (1 − ramp_j) + ω_j/factor · ramp_j; ramp_j = clip((j − low)/(high − low), 0, 1), "
        "low, high = d · ln(original/(2π r)) / (2 ln base) at r = beta_fast, beta_slow, rounded outward if truncate"
    )
    source = "Peng et al. 2023, arXiv:2309.00071"
    needs = ("factor", "original")
    takes = ("beta_fast", "beta_slow", "truncate", "exchanged", "attention_factor", "mscale", "mscale_all_dim")

    def check(self, rope: Scaled) -> None:
        super().check(rope)
        if rope.base == 1:
            raise UsageError("scaling=yarn divides by ln base, so base=1 is not allowed")

    def weights(self, plain: Sequence[Decimal], rope: Scaled) -> Sequence[Decimal]:
        low, high = self.ends(rope)
        width = high - low or GAP
        ramp = [min(max((j - low) / width, ZERO), ONE) for j in range(rope.width // 2)]
        return [1 - share for share in ramp] if rope.exchanged else ramp

    def ramp(self, rope: Scaled) -> tuple[float, float]:
        with many_digits():
            low, high = self.ends(rope)
        return float(low), float(high)

    def ends(self, rope: Scaled) -> tuple[Decimal, Decimal]:
        """Return the indices of the pairs with beta_fast and with beta_slow turns over the original context.

        With `truncate`, the first index is rounded down and the second up.
        """
        ends = map(as_typed, (rope.beta_fast, rope.beta_slow))
        turned = [Decimal(rope.original or 1) / (2 * PI * turns) for turns in ends]
        low, high = (rope.width * item.ln() / (2 * as_typed(rope.base).ln()) for item in turned)
        if rope.truncate:
            low, high = low.to_integral_value(ROUND_FLOOR), high.to_integral_value(ROUND_CEILING)
        return max(low, ZERO), min(high, Decimal(rope.width // 2 - 1 if rope.exchanged else rope.width - 1))

    def attention_factor(self, rope: Scaled) -> float:
        """Return `attention_factor` if it is given, otherwise 0.1 · ln factor + 1 (section 3.4).

        If mscale and mscale_all_dim are given, return the ratio of 0.1 · mscale · ln factor + 1 to
        0.1 · mscale_all_dim · ln factor + 1.
        """
        if rope.attention_factor is not None:
            return rope.attention_factor
        growth = 0.1 * log(max(rope.factor or 1.0, 1.0))
        if rope.mscale and rope.mscale_all_dim:
            return (growth * rope.mscale + 1.0) / (growth * rope.mscale_all_dim + 1.0)
        return growth + 1.0


SCALINGS: dict[str, Scaling] = {
    item.name: item
    for item in (Scaling(), Linear(), Ntk(), Dynamic(), Yarn(), LongRope(), Llama3(), Proportional(), Divisors())
}


def parameter(name: str, help: str, default: float | None = None, **more: Any) -> Any:
    """Return the option for the scaling parameter `name`, which applies to the scalings that need or take it.

    more : other attributes of the `Option`
    """
    owners = tuple(scaling.name for scaling in SCALINGS.values() if name in (*scaling.needs, *scaling.takes))
    needed = tuple(scaling.name for scaling in SCALINGS.values() if name in scaling.needs)
    return option(default, help, only_with=("scaling", owners), needed_with=needed, **more)


@dataclass(frozen=True)
class Scaled(PowersOfBase):
    """Base of rotary encodings in which the first `rotary_dim` of d columns rotate, at rates changed by the scaling.

    The unscaled rates are base^(−2j/rotary_dim). Parameters have the names of config.json, except `original`
    (original_max_position_embeddings) and `max_position` (max_position_embeddings).
    """

    rotary_dim: int | None = option(
        None, "how many of the d columns rotate", at_least=2, at_most=65536, unset="all", in_spec=True
    )
    scaling: str = option(
        "default",
        "how rates change for long contexts; default is no scaling",
        choices=lambda: tuple(SCALINGS),
        in_spec=True,
        aliases=("rope_type", "type"),
    )
    factor: float | None = parameter(
        "factor",
        "how many times longer the context becomes",
        above=0,
        log=True,
        at_most=MAX_EXACT,
        unset="from the formula",
    )
    original: int | None = parameter(
        "original",
        "context length before scaling, in positions",
        at_least=1,
        aliases=("original_max_position_embeddings",),
        unset="not known",
    )
    max_position: int | None = option(
        None,
        "context length of the model, in positions; scaling=dynamic begins to scale beyond it",
        at_least=1,
        aliases=("max_position_embeddings",),
        unset="not known",
        in_spec=True,
    )
    window: int | None = option(
        None,
        "number of positions that a query looks back over",
        at_least=1,
        aliases=("sliding_window",),
        unset="all",
        in_spec=True,
    )
    dual_chunks: tuple[int, ...] | None = option(
        None,
        "dual chunk attention: chunk size, largest relative position and training length, in tokens",
        at_least=1,
        unset="none",
        in_spec=True,
    )
    seq_len: int | None = parameter(
        "seq_len",
        "sequence length for which a dynamic or LongRoPE scaling computes its rates",
        at_least=1,
        unset="the end of the positions shown",
        in_spec=False,
    )
    beta_fast: float = parameter(
        "beta_fast", "pairs with more turns than this over the original context keep their rates", 32.0, above=0
    )
    beta_slow: float = parameter(
        "beta_slow",
        "the factor divides the rates of pairs that turn fewer times than this over the original context",
        1.0,
        above=0,
    )
    truncate: bool = parameter("truncate", "round the ends of the ramp to whole pairs", True)
    exchanged: bool = parameter(
        "exchanged",
        "reverse the ramp, as litgpt does: the factor divides the rates of fast pairs, not of slow ones",
        False,
    )
    attention_factor: float | None = parameter(
        "attention_factor",
        "factor that cos and sin are multiplied by",
        at_least=0,
        at_most=MAX_EXACT,
        unset="from the formula",
    )
    mscale: float | None = parameter(
        "mscale",
        "weight of 0.1 · ln factor in the numerator of the attention factor, if mscale_all_dim is given too",
        at_least=0,
        at_most=MAX_EXACT,
        unset="1",
    )
    mscale_all_dim: float | None = parameter(
        "mscale_all_dim",
        "weight of 0.1 · ln factor in the denominator of the attention factor, if mscale is given too",
        at_least=0,
        at_most=MAX_EXACT,
        unset="none",
    )
    short_factor: tuple[float, ...] | None = parameter(
        "short_factor", "divisor of each pair, up to the original context", above=0, at_most=MAX_EXACT
    )
    long_factor: tuple[float, ...] | None = parameter(
        "long_factor", "divisor of each pair, beyond the original context", above=0, at_most=MAX_EXACT
    )
    divisors: tuple[float, ...] | None = parameter("divisors", "divisor of each pair", above=0, at_most=MAX_EXACT)
    short_mscale: float | None = parameter(
        "short_mscale",
        "attention factor up to the original context",
        at_least=0,
        at_most=MAX_EXACT,
        unset="from the formula",
    )
    long_mscale: float | None = parameter(
        "long_mscale",
        "attention factor beyond the original context",
        at_least=0,
        at_most=MAX_EXACT,
        unset="from the formula",
    )
    low_freq_factor: float | None = parameter(
        "low_freq_factor",
        "the factor divides the rates of pairs that turn fewer times than this over the original context",
        above=0,
    )
    high_freq_factor: float | None = parameter(
        "high_freq_factor", "pairs with more turns than this over the original context keep their rates", above=0
    )
    partial_rotary_factor: float | None = parameter(
        "partial_rotary_factor", "share of the pairs that rotate", at_least=0, at_most=1, unset="1"
    )

    def check(self) -> None:
        for name, columns in (("d", self.d), ("rotary_dim", self.width)):
            if columns % 2:
                text = f"rope rotates pairs of columns, but {option_text(name, columns)} is odd"
                raise UsageError(text, option=name, value=columns, allowed=f"an even {name}")
        if self.width > self.d:
            text = f"rotary_dim {self.width} is more than d = {self.d}"
            raise UsageError(text, option="rotary_dim", value=self.width)
        if 0 < (self.attention_factor or 0) < 1 / MAX_EXACT:
            allowed = f"0, or {1 / MAX_EXACT:g} to {MAX_EXACT:g}"
            raise UsageError(option="attention_factor", value=self.attention_factor, allowed=allowed)
        if self.dual_chunks and (len(self.dual_chunks) not in (2, 3) or self.dual_chunks[1] < self.dual_chunks[0]):
            allowed = "three lengths in tokens (chunk size, largest relative position ≥ chunk size, training length)"
            raise UsageError(option="dual_chunks", value=self.dual_chunks, allowed=allowed)
        self.rule.check(self)
        super().check()

    @classmethod
    def read_values(cls, values: Mapping[str, Any]) -> dict[str, Any]:
        if "attn_factor" in values:  # in YaRN's code and SGLang it is not the same as attention_factor
            advice = "give the product of both as attention_factor"
            text = "attn_factor multiplies the attention factor of YaRN's formula"
            raise UsageError(text, option="attn_factor", value=values["attn_factor"], advice=advice)
        return super().read_values(values)

    @property
    def rule(self) -> Scaling:
        """The `Scaling` that the option `scaling` names."""
        return SCALINGS[self.scaling]

    @property
    def width(self) -> int:
        return self.rotary_dim or self.d

    @property
    def attention_scaling(self) -> float:
        """Factor of cos and sin: the given attention factor, or that of the scaling."""
        return self.rule.attention_factor(self)

    @property
    def scaled_base(self) -> float:
        """Base of the rates at the current sequence length."""
        return self.rule.base(self)

    @classmethod
    def about(cls, parameter: str, value: str) -> str:
        item = SCALINGS.get(value) if parameter == "scaling" else None
        if item is None:
            return super().about(parameter, value)
        return Formula(f"{item.summary}: {item.formula} ({item.source})", inside=item.formula)

    def titled(self) -> dict[str, Any]:
        """Return the parameters that a title shows, without those that change nothing in a picture.

        Of the scaling's required parameters, only the factor and the original context are shown. The current sequence
        length is not among them, because `title_pieces` describes it.
        """
        silent = ("short_mscale", "long_mscale", "seq_len", "max_position", "window", "dual_chunks")
        left_out = {*self.rule.needs, *silent} - {"factor", "original"}
        return {name: value for name, value in super().titled().items() if name not in left_out}

    def title_pieces(self, without: Collection[str] = ()) -> list[str]:
        """Return the parts of a title.

        If only some columns rotate, one part is the number of these columns. If the rates depend on the sequence
        length, one part is about the rates at this length.
        """
        used = "" if self.label or "seq_len" in without else self.parameter_text("seq_len")
        pieces = super().title_pieces(without)
        if not self.label and self.width != self.d and "rotary_dim" not in without:
            name, *rest = super().title_pieces({*without, "d", "rotary_dim"})
            pieces = [name, say("words.of_columns_turn", count=self.width, all=self.d), *rest]
        return [*pieces, *filter(None, [used])]

    def parameter_text(self, name: str) -> str:
        return self.rule.at_length(self) if name == "seq_len" and self.seq_len is not None else ""

    def fitted(self, positions: Positions, used: int | None = None) -> Self:
        if self.context is None or self.seq_len is not None:
            return self
        return replace(self, seq_len=max(1, positions.stop) if used is None else used)

    @property
    def context(self) -> int | None:
        return self.seq_len or self.first_length

    @property
    def first_length(self) -> int | None:
        """Sequence length, in positions, up to which rates are constant; None if they do not depend on the length."""
        return self.rule.first_length(self)

    @property
    def used(self) -> int:
        """Current sequence length. If it is not given, `first_length`; 1 if rates do not depend on the length."""
        return self.context or 1

    @property
    def beyond_first(self) -> bool:
        """Whether a given sequence length is larger than `first_length`."""
        return self.seq_len is not None and self.seq_len > (self.first_length or 0)

    def other_lengths(self) -> str:
        return self.rule.other_lengths(self)

    def other_base(self) -> str:
        """Return a text on the base at the current sequence length; "" if it is `base`."""
        used = self.scaled_base
        count = round(used) if used >= 1000 else used
        return "" if used == self.base else say("model.base_instead", count=count, base=self.base)

    def left_out(self) -> str:
        count = self.d - self.width
        return say("rope_scaling.columns_that_do_not", count=count, all=self.d) if count else ""

    def contexts(self, length: int | None = None) -> tuple[int | None, int | None]:
        """Return the original and the extended context, in positions; None if unknown.

        Without scaling, both are equal. For a scaling without original context, such as linear, the original context is
        None. With a `max_position`, both are None, because some files give the original context there and some the
        extended one. The extended context of YaRN is factor · original, for which its rates are made, whatever the
        `max_position`: transformers only warns if they differ, and vLLM takes factor · original as its longest context.

        length : sequence length; it is the extended context if the parameters state none, unless the original context
            is longer
        """
        longest, sequence = self.max_position, length or 0
        if self == self.in_training():
            return longest or length, longest or length
        original = longest if self.scaling == "dynamic" else self.original
        if original is None:
            return None, None if longest else length
        if longest is None or longest <= original or self.scaling == "yarn":
            longest = int(self.rule.extended(self, original) or 0) or (sequence if sequence >= original else None)
        return original, longest and max(longest, original)

    def in_training(self) -> Scaled:
        """Return the RoPE of the original training, before scaling."""
        return self.rule.in_training(self)

    def unscaled(self) -> Self:
        """Return the RoPE without its scaling."""
        known = self.options()
        kept = {n: value for n, value in self.settings().items() if (known[n].only_with or ("",))[0] != "scaling"}
        return self.make({**kept, "scaling": "default"})

    def rates(self) -> Iterable[Decimal | float]:
        with many_digits():
            return self.rule.rates(geometric_rates(self.base, self.width), self)

    def blend(self) -> Sequence[Decimal]:
        """Return for each pair how much the scaled rate counts, 0 to 1, as `Scaling.weights` does."""
        return self.rule.weights(geometric_rates(self.base, self.width), self)

    def parts(self) -> dict[str, int]:
        """Return how many pairs are unchanged ("kept"), blended ("between") and scaled ("divided").

        Return {} if the scaling does not blend.
        """
        weights = self.blend()
        kept, divided = weights.count(ZERO), weights.count(ONE)
        return {"kept": kept, "between": len(weights) - kept - divided, "divided": divided} if weights else {}

    def ramp(self) -> tuple[float, float] | None:
        """Return the pair indices, not always whole, between which rates are blended; None if none are blended."""
        return self.rule.ramp(self)

    def rate_formula(self, pair: int) -> str:
        return super().rate_formula(pair) if self.scaling == "default" else ""
