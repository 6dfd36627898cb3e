"""Powers of a base that a scaling changes: what rope's rates are in released models."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from decimal import Decimal
from typing import Any, Self

from pecli.core.arithmetic import LARGEST
from pecli.core.errors import UsageError, mention
from pecli.core.options import option
from pecli.encodings.harmonic import many_digits
from pecli.encodings.powers_of_base import PowersOfBase, geometric_rates
from pecli.encodings.scalings import SCALINGS, Scaling, having, scaling_names

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
