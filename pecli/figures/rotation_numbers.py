"""The numbers of a rotation: a query before and after it, the paths of its pairs, or the matrix."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from pecli.core.language import phrase, template
from pecli.core.lazy import Array
from pecli.encodings.capabilities import Rotary
from pecli.figures.figure import ColouredNumbers, Numbers, averaging_cells
from pecli.figures.wavelength_texts import turned_apart


@dataclass(frozen=True, kw_only=True)
class RotationNumbers(ColouredNumbers[Rotary]):
    """after, before : (length, d), Q with and without the rotation, or of fewer rows and columns, the means of blocks;
    change : as they, after − before; positions : one a row, of a block its middle; pairs : (n,), those with a path;
    paths : (n, length, 2), the two columns of each pair after the rotation, never means; radii : (n,), of the largest
    circle of each pair."""

    main_array: ClassVar[str] = "after"
    row_coordinates: ClassVar[tuple[str, ...]] = ("positions",)

    after: Array
    positions: Array
    before: Array
    pairs: Array
    paths: Array
    change: Array
    radii: Array
    limit: float
    block: int
    columns_block: int  # dimensions a column
    query: str  # where it comes from

    def remarks(self) -> list[str]:
        return [self.query, averaging_cells(self.block, self.columns_block)]

    def marks(self) -> list[str]:
        first = self.view.encoding.position_text(self.view.covered.start)
        said = template("circles: pairs, each to its own scale; marks: position {position}; arrows: which way")
        return [phrase(said, position=first)]

    def message(self) -> str:
        return turned_apart(self.view.encoding, self.view.covered)

    def coloured(self) -> list[Array]:
        return [self.before, self.after]


@dataclass(frozen=True, kw_only=True)
class MatrixNumbers(Numbers[Rotary]):
    """matrix : (d, d), R_p; dimensions : (d,)."""

    main_array: ClassVar[str] = "matrix"
    row_coordinates: ClassVar[tuple[str, ...]] = ("dimensions",)

    matrix: Array
    dimensions: Array
    position: int
