"""The options that both figures of `rotation` share."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

from pecli.analysis import View, chosen_indices, positions_until, refuse_unused
from pecli.core.errors import UnusedOptionError, option_text
from pecli.core.lazy import Array, np
from pecli.core.options import EXACT, option
from pecli.core.positions import Positions
from pecli.encodings.base import Rotary
from pecli.encodings.rope import OnAxes
from pecli.figures.matrix import WithCellNumbers

BEFORE, AFTER, PLANE = "before", "after", "plane"  # names of the panels
TITLES = {
    BEFORE: "rotation.q_before_rotation",
    AFTER: "rotation.q_after_rotation",
    PLANE: "rotation.pairs_in_their_planes",
}
PATHS = 4  # default number of pairs whose paths are drawn


@dataclass(frozen=True)
class RotationFigure(WithCellNumbers[Rotary]):
    """Base of the two figures of `rotation`, with their options."""

    name: ClassVar[str] = "rotation"
    requires: ClassVar[Any] = Rotary
    defines: ClassVar[str] = (
        "pair j of a row of Q is turned by ω_j p at position p; R_P x is x turned, --matrix P draws R_P"
    )
    example: ClassVar[str] = "pecli rotation --d 32 --length 64 --pairs 0,4,8"
    copies: ClassVar[int] = 7
    examples: ClassVar[tuple[str, ...]] = ("pecli rotation -d 32 --matrix 8",)
    default_encoding: ClassVar[str] = "rope"

    content: str = option(
        "same", "Q: same (one random vector at every position), random, or a file of length × d numbers", file=True
    )
    content_seed: int = option(0, "seed of a random Q", at_least=0)
    pairs: tuple[int, ...] | None = option(
        None, "pairs whose paths are drawn", at_least=0, unset=f"{PATHS}, fast to slow"
    )
    panels: tuple[str, ...] = option(tuple(TITLES), "the panels", choices=lambda: tuple(TITLES))
    matrix: int | None = option(
        None, "draw the matrix R_P of this position instead", at_least=-EXACT, unset="the query before and after"
    )

    def check(self) -> None:
        super().check()
        for name in ("content", "content_seed", "pairs", "panels"):
            if self.matrix is not None and (given := self.changed().get(name)):
                raise UnusedOptionError(name, given, matrix_alone(self.matrix))
        if self.inputs() and self.content_seed:
            raise UnusedOptionError("content_seed", self.content_seed, "a Q from a file is not random")

    def positions_for(self, asked: Positions, in_use: bool = False) -> Positions:
        if self.matrix is None:
            return asked
        return positions_until(self.matrix, asked, self.default_length(None), in_use, matrix_alone(self.matrix))

    def check_view(self, view: View[Rotary]) -> None:
        super().check_view(view)
        refuse_unused(view.encoding.turned, f"{self.name} turns --content")
        self.drawn_pairs(view)

    def drawn_pairs(self, view: View[Rotary]) -> Array:
        """Return the pairs whose paths are drawn; by default evenly spaced, or the first pair of each axis of a
        grid."""
        if self.pairs is None and isinstance(view.encoding, OnAxes) and view.encoding.sides:
            if view.encoding.directions_of_pairs is not None:
                return np.arange(min(PATHS, view.encoding.width // 2))
            return np.unique(view.encoding.axes_of_pairs(), return_index=True)[1]
        return chosen_indices("pairs", self.pairs, view, view.encoding.width // 2, "pairs", PATHS)

    def inputs(self) -> tuple[str, ...]:
        return () if self.content in ("same", "random") else (self.content,)


def matrix_alone(position: int) -> str:
    """Return the reason why options of the query have no effect with --matrix, for an error message."""
    return f"{option_text('matrix', position)} shows the matrix of that position and no query"
