"""Base of the figures that compare the rates of encodings pair by pair, over positions on a line."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

from pecli.analysis import View
from pecli.core.errors import UsageError
from pecli.core.language import join_and
from pecli.encodings.base import Encoding
from pecli.encodings.harmonic import Harmonic
from pecli.figures.base import Figure
from pecli.measures.reduce import check_line_length


@dataclass(frozen=True)
class PairwiseRates(Figure[Harmonic]):
    """Base of the figures that compare the rates ω_j of several encodings, which must have the same number of pairs."""

    requires: ClassVar[Any] = Harmonic
    several: ClassVar[bool] = True
    default_encoding: ClassVar[str] = "rope"
    length_in_use: ClassVar[bool] = True

    @classmethod
    def takes(cls, encoding: type[Encoding]) -> bool:
        return super().takes(encoding) and not _has_a_grid(encoding)

    @classmethod
    def refusal(cls, encoding: type[Encoding]) -> str:
        text = f"{cls.name} cannot show {encoding.name}, whose positions are in a grid, not on a line"
        return text if _has_a_grid(encoding) else super().refusal(encoding)

    def check_view(self, view: View[Harmonic]) -> None:
        super().check_view(view)
        check_line_length(self.name, view.positions.length)
        if any(encoding.sides or encoding.own_positions for encoding in view.encodings):
            text = f"{self.name} is over positions on a line, not in a grid or in images"
            raise UsageError(text, option="encoding", advice="leave the grid or the sequence out")
        counts = {len(encoding.frequencies()): encoding.title() for encoding in view.encodings}
        if len(counts) > 1:
            given = join_and(f"{count} ({title})" for count, title in counts.items())
            text = f"{self.name} takes encodings with equal numbers of pairs, but these have {given}"
            raise UsageError(text, option="encoding")


def _has_a_grid(encoding: type[Encoding]) -> bool:
    """Return whether encodings of that class have a grid by default."""
    item = encoding.options().get("grid")
    return item is not None and item.default is not None
