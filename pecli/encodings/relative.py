"""The sinusoid of the signed offset between two positions."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from pecli.core.errors import UnusedOptionError, UsageError, mention
from pecli.core.language import template
from pecli.core.positions import LONGEST, Positions
from pecli.encodings.sinusoidal import SineCosineColumns


@dataclass(frozen=True)
class Relative(SineCosineColumns):
    """`Sinusoidal` at the offset p − q; its table runs over −(L − 1) … L − 1 for a sequence of L positions.

    Notes
    -----
    The second article's relative encoding, with the right formula. The article's code doubles the exponent (``2 * i``
    where i already steps by 2) and looks its table up with negative indices in the wrong axis; `tensor` here is what
    its text describes, shape (8, 8, 32) for a sentence of 8 at d 32.
    """

    name: ClassVar[str] = "relative"
    summary: ClassVar[str] = "the sinusoid of the signed offset between two positions"
    formula: ClassVar[str] = template("PE(p − q, 2j) = sin((p − q) / base^(2j/d)), PE(p − q, 2j+1) = cos(same)")
    source: ClassVar[str] = "the second article, after Dai et al. 2019, Transformer-XL, arXiv:1901.02860"
    example: ClassVar[str] = "pecli relative --length 8 --d 32 -o relative.npy"
    kind: ClassVar[str] = "added to the score of a pair"
    models: ClassVar[str] = "Transformer-XL (as input to a learned map)"
    position_label: ClassVar[str] = template("offset p − q")
    other_label: ClassVar[str] = template("other offset")

    def check_positions(self, positions: Positions) -> None:
        if positions.start:
            why = "the table of relative runs over the offsets between positions, wherever they start"
            raise UnusedOptionError("start", positions.start, why)
        super().check_positions(positions)

    def covered(self, positions: Positions) -> Positions:
        if 2 * positions.length > LONGEST:
            text = f"relative has two offsets a position: {mention('length', positions.length)} is too many"
            raise UsageError(text, option="length", value=positions.length)
        return super().covered(Positions(start=1 - positions.length, length=2 * positions.length - 1))
