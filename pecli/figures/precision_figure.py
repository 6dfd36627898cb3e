"""The common base of the figures of `precision`, with their options."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

from pecli.core.errors import UnusedOptionError, UsageError, option_text
from pecli.core.options import option
from pecli.encodings.harmonic import Harmonic
from pecli.figures.base import View
from pecli.figures.highlights import WithTrained
from pecli.measures.reduce import check_line_length

NOTABLE = 0.1  # errors above this count as wrong: a tenth of a sine's amplitude, or a phase error in rad
APART = 0.46  # columns between a bracket's end and the centre of its last column


@dataclass(frozen=True)
class PrecisionFigure(WithTrained[Harmonic]):
    """Base of the figures of `precision`, with their options."""

    name: ClassVar[str] = "precision"
    requires: ClassVar[Any] = Harmonic
    defines: ClassVar[str] = (
        "the larger error of a pair's sine and cosine against float64; frequency, position, angle, sine and "
        "cosine are each rounded to the dtype"
    )
    example: ClassVar[str] = "pecli precision -e rope:dtype=bfloat16,d=64 --length 4096"
    examples: ClassVar[tuple[str, ...]] = ("pecli precision rope:dtype=bfloat16 -n 4096 --by stage",)
    default_encoding: ClassVar[str] = "rope"
    counts_positions: ClassVar[bool] = True
    default_options: ClassVar[Mapping[str, Any]] = {"dtype": "float16", "length": 2048}

    by: str = option(
        "position",
        "position: the error at each position with all stages rounded (frequency, position, angle, table); stage: the "
        "largest phase error with only that stage rounded",
        choices=lambda: ("position", "stage"),
    )

    def check_view(self, view: View[Harmonic]) -> None:
        super().check_view(view)
        check_line_length(self.name, view.covered.length)
        self.check_trained(view.covered)
        if self.by == "stage" and self.trained is not None:
            raise UnusedOptionError("trained", self.trained, "--by stage has no axis of positions")
        if view.encoding.exact:
            text = f"a table with {option_text('dtype', view.encoding.dtype)} has no rounding to show"
            raise UsageError(text, option="dtype", value=view.encoding.dtype, advice="try float16, bfloat16 or float32")
