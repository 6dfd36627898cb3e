"""Sinusoids of rows and columns side by side: the encoding of patches in MAE, DETR and many others."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from decimal import Decimal
from typing import ClassVar

from pecli.core.errors import UsageError, option_text
from pecli.core.language import say
from pecli.core.lazy import Array, np
from pecli.core.options import option, write_scalar
from pecli.encodings.base import Additive
from pecli.encodings.grid import HarmonicOnGrid, grid_option
from pecli.encodings.harmonic import geometric_rates
from pecli.encodings.sinusoidal import SineCosineColumns


@dataclass(frozen=True)
class SinCos2D(HarmonicOnGrid, SineCosineColumns, Additive):
    """A sinusoidal encoding of the row, d/2 columns wide, beside one of the column; for videos d/3 columns per axis.

    Notes
    -----
    He et al. 2021, MAE, arXiv:2111.06377; diffusers and timm use the same code. This code has the concatenated layout,
    and its emb_h encodes the column, because its grid is built with the width first (``first=column``). DETR, Carion et
    al. 2020, arXiv:2005.12872, has an interleaved layout, the row first, and coordinates from 2π/n to 2π
    (``scale_grid=detr``).
    """

    name: ClassVar[str] = "sincos2d"
    term: ClassVar[str] = "2D sinusoidal"
    summary: ClassVar[str] = "sines and cosines of a patch's row and column, for images and videos"
    formula: ClassVar[str] = "sincos2d.pe_r_c_sinusoidal"
    source: ClassVar[str] = "He et al. 2021, MAE, arXiv:2111.06377; Carion et al. 2020, DETR, arXiv:2005.12872"
    example: ClassVar[str] = "pecli tiles sincos2d --grid 14x14"
    models: ClassVar[str] = "MAE, DETR, DiT"

    grid: str | None = grid_option("14x14", shown=True)
    layout: str = option("concatenated", "order of sines and cosines", choices=lambda: ("interleaved", "concatenated"))
    first: str = option(
        "column", "axis of the grid that the first half of the dimensions encodes", choices=lambda: ("column", "row")
    )

    def check(self) -> None:
        if not self.sides:
            raise UsageError(option="grid", value="None", allowed="a grid such as 14x14")
        if self.d % (2 * len(self.sides)):
            text = f"{option_text('d', self.d)} is not divisible by {2 * len(self.sides)}"
            text += f": each of {len(self.sides)} axes has sines and cosines"
            raise UsageError(text, option="d", value=self.d)
        super().check()

    def called(self) -> str:
        return say("sincos2d.of_three_sides") if len(self.sides) == 3 else super().called()

    @property
    def _width_of_axis(self) -> int:
        return self.d // len(self.sides)

    def axes_of_pairs(self) -> Array:
        order = range(len(self.sides))
        return np.repeat([*reversed(order)] if self.first == "column" else [*order], self._width_of_axis // 2)

    def rates(self) -> Iterable[Decimal | float]:
        return geometric_rates(self.base, self._width_of_axis) * len(self.sides)

    def rate_formula(self, pair: int) -> str:
        width = self._width_of_axis
        return f"{write_scalar(self.base)}^(-{2 * (pair % (width // 2))}/{width})"

    def arrange(self, sines: Array, cosines: Array) -> Array:
        parts = zip(*(np.split(each, len(self.sides), axis=1) for each in (sines, cosines)), strict=True)
        if self.layout == "interleaved":
            return np.concatenate([np.stack(part, axis=-1).reshape(len(sines), -1) for part in parts], axis=1)
        return np.concatenate([column for part in parts for column in part], axis=1)
