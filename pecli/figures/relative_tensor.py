"""The tensor of relative encodings: one vector for each pair of positions."""

from __future__ import annotations

from dataclasses import dataclass
from math import ceil, sqrt
from typing import TYPE_CHECKING, ClassVar

from pecli.analysis import check_indices
from pecli.core.lazy import Array, np
from pecli.core.options import option
from pecli.core.positions import Blocks, Positions
from pecli.encodings.harmonic import Harmonic
from pecli.figures.canvas import Canvas, ColourBar
from pecli.figures.figure import Figure, Numbers, View, averaging
from pecli.figures.images import show_matrix

if TYPE_CHECKING:
    from matplotlib.axes import Axes

SLICES = 5  # dimensions shown where none are asked for


@dataclass(frozen=True, kw_only=True)
class RelativeNumbers(Numbers[Harmonic]):
    """tensor : (L, L, dims), the encoding of i − j for query i (row) and key j; offsets : (L, L); dims : (dims,)."""

    main_array: ClassVar[str] = "tensor"

    tensor: Array
    offsets: Array
    dims: Array
    limit: float
    block: int  # positions a row

    def caption(self) -> str:
        return averaging(self.block, f"× {self.block:,} pairs")

    def sheet(self) -> tuple[list[str], list[Array]]:
        """One row a pair of positions: query, key, offset, then the dimensions."""
        queries, keys = np.indices(self.offsets.shape) + self.view.positions.start
        parts = [queries, keys, self.offsets, *np.moveaxis(self.tensor, -1, 0)]
        return ["i", "j", "offset", *map(str, self.dims)], [part.reshape(-1) for part in parts]


@dataclass(frozen=True)
class RelativeTensor(Figure[Harmonic]):
    """The L × L matrix of offsets i − j, and slices of the L × L × d tensor that holds the encoding of each.

    Notes
    -----
    Every slice is constant along its diagonals: the tensor has L² · d numbers and only (2L − 1) · d different ones.
    """

    name: ClassVar[str] = "relative"
    summary: ClassVar[str] = "The tensor of relative encodings: one vector for each pair of positions"
    example: ClassVar[str] = "pecli relative --length 8 --d 32 --dims 0,1,8,9"
    aspect: ClassVar[float] = 0.9
    default_encoding: ClassVar[str] = "relative"

    dims: tuple[int, ...] | None = option(
        None, "the dimensions to slice at", at_least=0, unset="sines and cosines of the faster half"
    )

    def grid(self) -> tuple[int, int]:
        panels = 1 + (SLICES if self.dims is None else len(self.dims))
        columns = panels if panels <= 2 else 3 if panels in (3, 5, 6) else ceil(sqrt(panels))
        return (ceil(panels / columns), columns)

    def blocks(self, view: View[Harmonic]) -> Blocks:
        """The runs of positions that a row and a column stand for."""
        return view.positions.blocks(min(view.pixels) if view.pixels else None)

    def shape(self, view: View[Harmonic]) -> tuple[int, ...]:
        count = self.blocks(view).count
        return (count, count, len(self.sliced(view)))

    def check_view(self, view: View[Harmonic]) -> None:
        super().check_view(view)
        view.encoding.covered(offsets_of(view))
        self.sliced(view)

    def sliced(self, view: View[Harmonic]) -> Array:
        """The dimensions that are needed: those shown, or all."""
        width = view.encoding.width
        check_indices("dims", self.dims, view, width, "dimensions")
        if self.dims is not None:
            return np.array(self.dims)
        if view.pixels is None or width <= SLICES:
            return np.arange(width)
        return np.unique([0, 1, width // 8, width // 4, width // 4 + 1])[:SLICES]

    def compute(self, view: View[Harmonic]) -> RelativeNumbers:
        harmonic, blocks, dims = view.encoding, self.blocks(view), self.sliced(view)
        centres = blocks.centres()
        offsets = centres[:, None] - centres
        if blocks.size == 1:  # every offset has its row of the table
            table = harmonic.table(offsets_of(view).array())[:, dims]
            tensor = table[offsets.astype(int) + blocks.count - 1]
        else:
            tensor = np.stack([harmonic.mean_offsets(blocks, int(dim)) for dim in dims], axis=-1)
        limit = harmonic.limit or float(np.abs(tensor).max()) or 1.0
        return RelativeNumbers(view=view, tensor=tensor, offsets=offsets, dims=dims, limit=limit, block=blocks.size)

    def draw(self, numbers: RelativeNumbers, axes: list[Axes], canvas: Canvas) -> ColourBar:
        rows = numbers.view.positions
        reach = rows.length - 1
        first, last = rows.start - 0.5, rows.start - 0.5 + len(numbers.offsets) * numbers.block
        image = None
        titles = [f"i − j, ±{reach:,}", *(f"dim {dim}" for dim in numbers.dims)]
        slices = [numbers.offsets / max(1, reach) * numbers.limit, *np.moveaxis(numbers.tensor, -1, 0)]
        for one, title, values in zip(axes, titles, slices, strict=False):
            image = show_matrix(
                one,
                values,
                colours=canvas.colours("diverging"),
                limits=(-numbers.limit, numbers.limit),
                extent=(first, last, last, first),
                square=True,
            )
            one.set(xlim=(first, rows.stop - 0.5), ylim=(rows.stop - 0.5, first), xlabel="key j", ylabel="query i")
            one.set_title(title, fontsize="small")
        for unused in axes[len(titles) :]:
            unused.set_axis_off()
        return ColourBar(image, "value")


def offsets_of(view: View[Harmonic]) -> Positions:
    """The offsets −(L − 1) … L − 1 of the positions shown."""
    length = view.positions.length
    return Positions(start=1 - length, length=2 * length - 1)
