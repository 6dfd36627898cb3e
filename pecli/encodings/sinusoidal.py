"""The sinusoidal encoding of the first Transformer."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from pecli.core.lazy import Array, np
from pecli.core.options import option
from pecli.encodings.capabilities import Additive
from pecli.encodings.powers_of_base import PowersOfBase


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


@dataclass(frozen=True)
class Sinusoidal(SineCosineColumns, Additive):
    """PE(p, 2j) = sin(p / base^(2j/d)), PE(p, 2j+1) = cos(p / base^(2j/d)).

    An odd d has one more sine than cosines, with the true d in the exponent (DistilBERT's and Marian's rule).

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
    models: ClassVar[str] = "Transformer, Marian"
