"""The options that the figures of `rotation` share."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

from pecli.analysis import View, chosen_indices, positions_until, refuse_unused
from pecli.core.errors import UnusedOptionError, UsageError, option_text
from pecli.core.lazy import Array, np
from pecli.core.options import EXACT, option
from pecli.core.positions import Positions
from pecli.encodings.base import Rotary
from pecli.encodings.harmonic import Harmonic
from pecli.encodings.rope import OnAxes
from pecli.figures.matrix import WithCellNumbers

BEFORE, AFTER, PLANE = "before", "after", "plane"  # names of the panels
TITLES = {
    BEFORE: "rotation.q_before_rotation",
    AFTER: "rotation.q_after_rotation",
    PLANE: "rotation.pairs_in_their_planes",
}
THIRDS = 3  # default number of positions of the key
TURN_OF_OFFSET, FRAMES = 4.8, 24  # a moving picture covers 4.8 offsets, about one turn, in at most 24 frames
PATHS = 4  # default number of pairs whose paths are drawn


@dataclass(frozen=True)
class RotationFigure(WithCellNumbers[Rotary]):
    """Base of the figures of `rotation`, with their options."""

    name: ClassVar[str] = "rotation"
    requires: ClassVar[Any] = Rotary | Harmonic
    defines: ClassVar[str] = (
        "at position p, pair j of a row of Q is rotated by ω_j p; --matrix P draws R_P, the matrix of this rotation; "
        "for sinusoids, --matrix k draws M_k, with PE(p + k) = M_k PE(p) at every p"
    )
    example: ClassVar[str] = "pecli rotation --d 32 --length 64 --pairs 0,4,8"
    copies: ClassVar[int] = 7
    examples: ClassVar[tuple[str, ...]] = (
        "pecli rotation -d 32 --matrix 8",
        "pecli rotation sinusoidal -d 16 --matrix 3",
        "pecli rotation --offset 5 -o turn.gif",
    )
    default_encoding: ClassVar[str] = "rope"
    frame_option: ClassVar[str] = "at"

    content: str = option(
        "same",
        "queries Q: same (one random vector at every position), random, or a file of length × d numbers",
        file=True,
    )
    content_seed: int = option(0, "seed of a random Q", at_least=0)
    pairs: tuple[int, ...] | None = option(
        None, "pairs whose paths are drawn", at_least=0, unset=f"{PATHS} pairs, from fast to slow"
    )
    panels: tuple[str, ...] = option(tuple(TITLES), "panels to show", choices=lambda: tuple(TITLES))
    matrix: int | None = option(
        None,
        "draw a matrix instead: R_P, the rotation at position P, or for sinusoids M_k, the shift by k positions",
        at_least=-EXACT,
        unset="the query before and after",
    )

    offset: int | None = option(
        None,
        "draw arrows instead: a key, and a query this many positions later, in the plane of one pair",
        at_least=-EXACT,
        at_most=EXACT,
        unset="no arrows",
    )
    at: tuple[int, ...] | None = option(
        None,
        "positions of the key, with --offset",
        at_least=-EXACT,
        at_most=EXACT,
        unset=f"{THIRDS} positions, spread over a turn; in an animation, about one turn in steps",
    )

    def check(self) -> None:
        super().check()
        if self.offset is None and self.at is not None:
            raise UnusedOptionError("at", self.at, "--at needs --offset")
        for name in ("content", "content_seed", "panels", "matrix", "numbers", "no_numbers"):
            if self.offset is not None and (given := self.changed().get(name)) is not None:
                why = f"{option_text('offset', self.offset)} draws only arrows, for one pair"
                raise UnusedOptionError(name, given, why)
        for name in ("content", "content_seed", "pairs", "panels"):
            if self.matrix is not None and (given := self.changed().get(name)):
                raise UnusedOptionError(name, given, matrix_alone(self.matrix))
        if self.inputs() and self.content_seed:
            raise UnusedOptionError("content_seed", self.content_seed, "a file gives Q, so nothing is random")

    @classmethod
    def moving(cls, given: Mapping[str, Any]) -> tuple[int, ...]:
        offset = given.get("offset")
        if offset is None or not str(offset).lstrip("-").isdigit():
            return ()
        turn = max(TURN_OF_OFFSET * abs(int(offset)), 1.0)
        return tuple(dict.fromkeys(round(turn * frame / FRAMES) for frame in range(FRAMES)))

    def positions_for(self, asked: Positions, in_use: bool = False) -> Positions:
        if self.offset is not None:
            last = max(0, *(at + max(self.offset, 0) for at in self.at or (0,)))
            why = f"{option_text('offset', self.offset)} and --at decide which positions are drawn"
            return positions_until(last, asked, self.default_length(None), in_use, why)
        if self.matrix is None:
            return asked
        return positions_until(self.matrix, asked, self.default_length(None), in_use, matrix_alone(self.matrix))

    def check_view(self, view: View[Rotary]) -> None:
        super().check_view(view)
        encoding: Any = view.encoding
        if not isinstance(encoding, Rotary):
            self._check_shift(encoding)
            return
        refuse_unused(view.encoding.turned, f"{self.name} rotates --content")
        self.drawn_pairs(view)
        encoding = view.encoding
        if self.offset is not None and (not isinstance(encoding, Harmonic) or encoding.sides or encoding.own_positions):
            text = "--offset needs positions on a line, and pairs with known frequencies"
            raise UsageError(text, option="offset", value=self.offset)

    def _check_shift(self, encoding: Harmonic) -> None:
        """Raise UsageError if sinusoids have no matrix that shifts positions, or if --matrix is not given."""
        if self.matrix is None:
            text = f"{encoding.name} rotates no query; its matrix M_k, PE(p + k) = M_k PE(p), can be drawn"
            raise UsageError(text, option="encoding", value=encoding.name, advice=f"give {option_text('matrix', 3)}")
        if not encoding.exact:
            text = f"M_k is exact in float64, not in {encoding.dtype}"
            raise UsageError(text, option="dtype", value=encoding.dtype, advice="leave --dtype out")
        encoding.partners()

    def drawn_pairs(self, view: View[Rotary]) -> Array:
        """Return the pairs whose paths are drawn; by default evenly spaced, or the first of each axis of a grid."""
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
