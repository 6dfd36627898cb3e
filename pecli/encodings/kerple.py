"""Kernelized relative biases: of the logarithm, or of a power, of the distance."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from pecli.core.arithmetic import LARGEST
from pecli.core.errors import UsageError, mention
from pecli.core.language import phrase, template
from pecli.core.lazy import Array, np
from pecli.core.options import option
from pecli.encodings.directed_bias import DirectedBias


def kernels() -> tuple[str, ...]:
    """How the bias grows with the distance."""
    return ("log", "power")


@dataclass(frozen=True)
class Kerple(DirectedBias):
    """−r1 · ln(1 + r2 · |p − q|), or −r1 · |p − q|^r2, is added to the score; r1 and r2 are learned, one pair a head.

    A power with r2 = 1 is `Alibi` with the slope r1. The numbers of a trained model are given as lists, one a head.

    Notes
    -----
    Chi et al. 2022, KERPLE, section 4, equations 6 and 7, arXiv:2205.09821: r1, r2 > 0, and r2 ≤ 2 for a power.
    """

    name: ClassVar[str] = "kerple"
    summary: ClassVar[str] = "kernel biases: a score falls with the logarithm, or with a power, of the distance"
    formula: ClassVar[str] = template("b(p, q) = −r1 · ln(1 + r2 · |p − q|); with kernel=power −r1 · |p − q|^r2")
    source: ClassVar[str] = "Chi et al. 2022, section 4, arXiv:2205.09821"
    example: ClassVar[str] = "pecli bias -e kerple:r1=1,r2=2,1,0.5"
    models: ClassVar[str] = "GPT-NeoX (as trained for the paper)"
    trained: ClassVar[bool] = True

    kernel: str = option("log", "how the bias grows with the distance", choices=kernels)
    r1: tuple[float, ...] = option(
        (1.0,), "what it is multiplied by, one number for all heads or one each", above=0, at_most=LARGEST
    )
    r2: tuple[float, ...] = option(
        (2.0, 1.0, 0.5, 0.25),
        "what the distance is multiplied by, or raised to, one number for all or one each",
        above=0,
        at_most=LARGEST,
    )

    def check(self) -> None:
        if len({len(self.r1), len(self.r2)} - {1}) > 1:
            text = f"{mention('r1')} has {len(self.r1)} numbers and {mention('r2')} {len(self.r2)}"
            raise UsageError(text, option="r1", value=self.r1, advice="give one for all heads or one each")
        if self.kernel == "power" and max(self.r2) > 2:
            text = f"{mention('r2', max(self.r2))} is not allowed with {mention('kernel', self.kernel)}"
            raise UsageError(text, option="r2", value=self.r2, allowed="numbers ≤ 2")

    @property
    def n_heads(self) -> int:
        return max(len(self.r1), len(self.r2))

    def head_text(self, head: int) -> str:
        r1, r2 = (each[head % len(each)] for each in (self.r1, self.r2))
        return phrase("head {head}, r1 {r1:g}, r2 {r2:g}", head=head, r1=r1, r2=r2)

    def of_offsets(self, offsets: Array) -> Array:
        r1, r2, distance = np.array(self.r1)[:, None], np.array(self.r2)[:, None], np.abs(offsets)
        return 0.0 - r1 * (np.log1p(r2 * distance) if self.kernel == "log" else distance**r2)  # 0 at 0, not −0
