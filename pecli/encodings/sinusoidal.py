"""The sinusoidal encoding of the first Transformer."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from decimal import Decimal
from typing import ClassVar

from pecli.core.errors import UsageError, mention
from pecli.core.lazy import Array, np
from pecli.core.options import option
from pecli.core.values import write_scalar
from pecli.encodings.capabilities import Additive
from pecli.encodings.powers_of_base import PowersOfBase, geometric_rates


def layouts() -> tuple[str, ...]:
    """How the columns are ordered."""
    return ("interleaved", "concatenated")


@dataclass(frozen=True)
class SineCosineColumns(PowersOfBase):
    """Each pair is a sine and a cosine column, side by side or the sines first."""

    layout: str = option("interleaved", "order of sines and cosines", choices=layouts)

    def arrange(self, sines: Array, cosines: Array) -> Array:
        if self.layout == "interleaved":
            return super().arrange(sines, cosines)
        return np.concatenate([sines, cosines[:, : self.d // 2]], axis=1)


def families() -> tuple[str, ...]:
    """How the wavelengths are spread between 2π and base·2π."""
    return ("paper", "tensor2tensor")


@dataclass(frozen=True)
class Sinusoidal(SineCosineColumns, Additive):
    """PE(p, 2j) = sin(p / base^(2j/d)), PE(p, 2j+1) = cos(p / base^(2j/d)).

    The paper's exponent stops short of 1, so the last wavelength short of base·2π. That of tensor2tensor, j/(d/2 − 1),
    reaches it: Whisper, M2M100, diffusion models' time steps.

    An odd d has one more sine than cosines, with the true d in the exponent (DistilBERT's and Marian's rule). Where
    tensor2tensor fills the last column with zeros, an odd d is refused.

    Notes
    -----
    Vaswani et al. 2017, Attention Is All You Need, section 3.5, arXiv:1706.03762. The concatenated layout, all sines
    and then all cosines, is that of tensor2tensor and Marian.
    """

    name: ClassVar[str] = "sinusoidal"
    summary: ClassVar[str] = "sines and cosines, wavelengths from 2π to base·2π"
    formula: ClassVar[str] = "PE(p, 2j) = sin(p / base^(2j/d)), PE(p, 2j+1) = cos(p / base^(2j/d))"
    source: ClassVar[str] = "Vaswani et al. 2017, section 3.5, arXiv:1706.03762"
    example: ClassVar[str] = "pecli heatmap --base 10"
    models: ClassVar[str] = "Transformer, Marian, Whisper"

    family: str = option("paper", "exponent of the base: 2j/d, or j/(d/2 − 1) with tensor2tensor", choices=families)

    def check(self) -> None:
        if self.family == "tensor2tensor" and self.d % 2:
            text = f"{mention('d', self.d)} is not allowed with {mention('family', self.family)}"
            raise UsageError(text, option="d", value=self.d, allowed="an even d")
        super().check()

    @property
    def _denominator(self) -> int:
        """What 2j is divided by in the exponent of the base."""
        return self.d if self.family == "paper" else max(self.d - 2, 1)

    def rates(self) -> Iterable[Decimal | float]:
        return geometric_rates(self.base, self._denominator, (self.d + 1) // 2)

    def rate_formula(self, pair: int) -> str:
        return f"{write_scalar(self.base)}^(-{2 * pair}/{self._denominator})"
