"""Attention with linear biases: the farther the key, the lower the score."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from pecli.core.language import phrase
from pecli.core.lazy import Array, np
from pecli.core.options import option
from pecli.encodings.directed_bias import DirectedBias


@dataclass(frozen=True)
class Alibi(DirectedBias):
    """−slope · |p − q| is added to the score of query p and key q, with a slope of its own for every head.

    The slopes of n heads, n a power of two, are 2^(−8i/n) for i = 1 … n. For other n they are those of c heads, c the
    power of two below n, then every other one of those of 2c heads.

    Notes
    -----
    Press et al. 2022, Train Short, Test Long, section 3, arXiv:2108.12409. Nothing is learned.
    """

    name: ClassVar[str] = "alibi"
    summary: ClassVar[str] = "linear biases: each head lowers a score in proportion to the distance of the key"
    formula: ClassVar[str] = "b(p, q) = −s_h · |p − q|, s_h = 2^(−8h/heads)"
    source: ClassVar[str] = "Press et al. 2022, section 3, arXiv:2108.12409"
    example: ClassVar[str] = "pecli bias -e alibi:heads=8"
    models: ClassVar[str] = "BLOOM, MPT, Baichuan-13B"

    heads: int = option(
        8,
        "attention heads",
        at_least=1,
        at_most=1024,
        shown=True,
        aliases=("num_heads", "n_heads", "num_attention_heads"),
    )

    @property
    def n_heads(self) -> int:
        return self.heads

    def slopes(self) -> Array:
        """What the distance is multiplied by in each head, shape (n_heads,)."""
        power = 2 ** (self.heads.bit_length() - 1)
        return np.concatenate([_slopes(power), _slopes(2 * power)[::2][: self.heads - power]])

    def head_text(self, head: int) -> str:
        return phrase("head {head}, slope {slope}", head=head, slope=write_ratio(self.slopes()[head]))

    def of_offsets(self, offsets: Array) -> Array:
        return 0.0 - self.slopes()[:, None] * np.abs(offsets)  # 0 at 0, not −0


def write_ratio(slope: float) -> str:
    """1/256 where a slope is one over a whole number, else its digits."""
    return f"1/{1 / slope:.0f}" if slope < 1 and (1 / slope).is_integer() else f"{slope:.3g}"


def _slopes(heads: int) -> Array:
    """2^(−8i/heads), i = 1 … heads; heads a power of two."""
    return 2.0 ** (-8 * np.arange(1, heads + 1) / heads)
