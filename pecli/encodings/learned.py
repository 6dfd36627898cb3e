"""A learned table from a file, or an untrained one."""

from __future__ import annotations

from collections.abc import Callable, Collection
from contextlib import suppress
from dataclasses import dataclass
from functools import cached_property, lru_cache
from math import prod
from typing import ClassVar

from pecli.core.errors import UsageError, option_text
from pecli.core.language import Join, listing, say
from pecli.core.lazy import Array, np
from pecli.core.options import option
from pecli.core.positions import Positions
from pecli.encodings.base import Additive, check_tensor, of_any_shape, tensor_option, titled_text, width_option
from pecli.encodings.grid import OnGrid, grid_option, sides_of
from pecli.files.tables import IN_MEMORY, file_label, read_table

KERNELS: dict[str, tuple[tuple[int, ...], Callable[[Array], Array]]] = {  # neighbours, and weights by distance
    "bicubic": ((-1, 0, 1, 2), lambda x: cubic(np.abs(x))),
    "bilinear": ((0, 1), lambda x: 1 - np.abs(x)),
}
MAX_PREFIX = 8  # most rows in front of a grid's cells, such as a class token's, that are left out by default
DEVIATION = 0.02  # standard deviation of the untrained table: initializer_range of BERT and GPT-2
MAX_UNTRAINED_ROWS = 10**7  # rows of the untrained table, which are drawn at random
UNTRAINED = 128  # default columns of the untrained table
RUN = 1024  # rows drawn together, so that a row does not depend on which others are requested


@dataclass(frozen=True)
class Learned(OnGrid, Additive):
    """Row p of a table of parameters. There is no row beyond the last one: learned positions do not extrapolate.

    Without a file, the table is untrained: independent random numbers with mean 0 and standard deviation 0.02.

    Notes
    -----
    Gehring et al. 2017, arXiv:1705.03122; Devlin et al. 2018, BERT, arXiv:1810.04805; Radford et al. 2018, GPT.
    """

    name: ClassVar[str] = "learned"
    summary: ClassVar[str] = "a trained table from a file (.npy .npz .csv .safetensors), or an untrained one"
    formula: ClassVar[str] = "learned.pe_p_row_p"
    source: ClassVar[str] = "Gehring et al. 2017, arXiv:1705.03122; BERT, arXiv:1810.04805"
    example: ClassVar[str] = "pecli distance -e learned --file model.safetensors --length 512 --measure cos"
    models: ClassVar[str] = "BERT, GPT, GPT-2, OPT"
    trained: ClassVar[bool] = True
    extrapolates: ClassVar[bool] = False
    of_grids: ClassVar[tuple[str, ...]] = ("prefix", "resize")

    file: str | None = option(
        None, "file of the table: .npy, .npz, .csv or .safetensors", unset="the untrained table", file=True
    )
    tensor: str | None = tensor_option()
    seed: int = option(0, "seed of the untrained table", at_least=0)
    d: int | None = width_option(None, "columns of the table", unset=f"the file's; without a file, {UNTRAINED}")
    rows: int | None = option(
        None,
        "rows of the untrained table",
        at_least=1,
        at_most=MAX_UNTRAINED_ROWS,
        unset="as many as are shown",
        in_spec=True,
    )
    first_position: int = option(
        0, "position of the first row, such as -2 for the tables of BART and RoBERTa", in_spec=True
    )
    divisor: float = option(1.0, "number that all values are divided by", at_least=1e-6, at_most=1e6, in_spec=True)
    prefix: int | None = option(
        None,
        "rows before those of the grid, such as a class token's",
        at_least=0,
        unset="all that the grid does not need",
    )
    resize: str | None = grid_option(None, "interpolate a learned grid to this size", unset="no")
    resize_by: str = option("bicubic", "interpolation for --resize", choices=lambda: tuple(KERNELS))

    def check(self) -> None:
        super().check()
        if self.file is not None and self.file.startswith(IN_MEMORY):
            with suppress(UsageError):  # reported when rows are requested
                self._rows  # noqa: B018 - an array lives as long as an encoding refers to it
        check_tensor(self.file, self.tensor)
        if self.first_position and (self.file is None or self.grid is not None):
            text = "first_position is for a file without a grid; for a grid, give prefix, the number of rows before "
            text += "the first cell"
            raise UsageError(text, option="first_position", value=self.first_position)
        if self.resize is None and self.resize_by != "bicubic":
            raise UsageError("--resize-by needs --resize", option="resize_by", advice="give --resize too")
        if len({len(sides_of(name, text)) for name in ("grid", "resize") if (text := getattr(self, name))}) > 1:
            text = f"{option_text('resize', self.resize)} needs as many axes as {option_text('grid', self.grid)}"
            raise UsageError(text, option="resize", value=self.resize)
        for name in ("seed", "rows") if self.file is not None else ():
            if value := getattr(self, name):
                trained = f"{option_text('file', self.file)} is given"
                text = f"{option_text(name, value)} is for an untrained table, but {trained}"
                raise UsageError(text, option=name, value=value, advice=f"leave {option_text(name)} out")

    @property
    def width(self) -> int:
        return (self.d or UNTRAINED) if self._rows is None else int(self._rows.shape[1])

    @cached_property
    def _rows(self) -> Array | None:
        """The table in the file; None without a file."""
        if self.file is None:
            return None
        rows = read_table(self.file, self.tensor, sides=sides_of("grid", self.grid) if self.grid else ())
        if self.d not in (None, rows.shape[1]):
            text = f"{option_text('d', self.d)} does not fit {self.file}, whose table has {rows.shape[1]} columns"
            raise UsageError(text, option="d", value=self.d)
        return rows

    @property
    def _count(self) -> int | None:
        """The number of rows; None for an untrained table, which has as many rows as are requested."""
        return self.rows if self._rows is None else len(self._rows)

    @property
    def sides(self) -> tuple[int, ...]:
        return super().sides if None in (self.grid, self.resize) else sides_of("resize", self.resize or "")

    @cached_property
    def _cells(self) -> Array:
        """The rows for the cells of the grid; if another grid is requested, the rows are interpolated to that grid."""
        sides = sides_of("grid", self.grid or "")
        first = self.prefix or 0
        if self._count is not None and self.prefix is None:
            first = self._count - prod(sides)
        count = first + prod(sides) if self._count is None else self._count
        if not 0 <= first <= max(MAX_PREFIX, self.prefix or 0) or first + prod(sides) != count:
            before = f" and {first} before them" if self.prefix else ""
            table = self.file or "the untrained table"
            text = f"{option_text('grid', self.grid)} has {prod(sides)} positions{before}, but {table} has {count} rows"
            raise UsageError(text, option="grid", value=self.grid)
        rows = self._rows_at(np.arange(first, count))
        return rows if self.resize is None else resized(rows, sides, self.sides, self.resize_by)

    def rows_from(self, start: int) -> int | None:
        count = None if self.grid is not None else self._count
        return super().rows_from(start) if count is None else max(1, count + self.first_position - start)

    def covered(self, positions: Positions) -> Positions:
        if self.grid is not None:
            self._cells  # noqa: B018 - raises if the table has another length
            return super().covered(positions)
        low = self.first_position
        high = low + (self._count or MAX_UNTRAINED_ROWS) - 1
        first, last = positions.start, positions.stop - 1
        if low <= first and last <= high:
            return positions
        text = f"{self.file or 'the untrained table'} has positions {low} to {high}, not {first} to {last}"
        if not low <= first <= high:
            raise UsageError(text, option="start", value=first, allowed=f"{low} to {high}")
        advice = f"learned positions do not extrapolate, try {option_text('length', high + 1 - first)}"
        raise UsageError(text, option="length", value=positions.length, advice=advice)

    @of_any_shape
    def table(self, positions: Array) -> Array:
        whole = np.asarray(positions, dtype=np.int64)
        line = self.grid is None
        rows = self._rows_at(whole - self.first_position) if line else self._cells[self.whole_numbers(whole)]
        return rows if self.divisor == 1 else rows / self.divisor

    def _rows_at(self, whole: Array) -> Array:
        """Return the rows with the given indices (n,)."""
        if self._rows is not None:
            if len(whole) and not 0 <= whole.min() <= whole.max() < len(self._rows):
                first, last = self.first_position, self.first_position + len(self._rows) - 1
                raise UsageError(f"{self.file} has positions {first} to {last} and no others")
            return self._rows[whole]
        rows = np.empty((len(whole), self.width))
        for run in np.unique(whole // RUN).tolist():
            mine = whole // RUN == run
            rows[mine] = _untrained(self.seed, run, self.width)[whole[mine] % RUN]
        return rows

    def title_pieces(self, without: Collection[str] = ()) -> list[str]:
        pieces = [piece.removeprefix("file = ") for piece in super().title_pieces(without)]
        in_memory = self.file is not None and self.file.startswith(IN_MEMORY) and not self.label
        return pieces[in_memory:]  # without the name "learned", because an array need not be learned

    def beside_others(self) -> str:
        return say("learned.untrained", encoding=self.called()) if self.file is None else ""

    def described(self, join: Join = listing) -> str:
        if self.file is None:
            return say("learned.untrained", encoding=super().described(join))
        shown = ("grid", "resize", "first_position", "divisor")
        given = {name: value for name, value in self.changed().items() if name in shown}
        grid = [f"{name.replace('_', ' ')} = {titled_text(self.options()[name], text)}" for name, text in given.items()]
        left = len(self._rows) - prod(sides_of("grid", self.grid)) if self.grid and self._rows is not None else 0
        before = [say("learned.rows_before_it_left", count=left)] if left else []
        name = "" if self.file.startswith(IN_MEMORY) else self.called()
        pieces = [name, file_label(self.file), self.tensor, f"d = {self.width}", *grid, *before]
        return join(filter(None, pieces))


@lru_cache(maxsize=16)
def _untrained(seed: int, run: int, width: int) -> Array:
    """Return rows run · RUN … (run + 1) · RUN − 1 of the untrained table."""
    return np.random.default_rng([seed, run]).normal(0.0, DEVIATION, (RUN, width))


def cubic(x: Array) -> Array:
    """Return the weight of a neighbour at distance x ≤ 2 in cubic interpolation (Keys 1981, a = −0.75, as PyTorch)."""
    a = -0.75
    near, far = ((a + 2) * x - (a + 3)) * x * x + 1, a * (((x - 5) * x + 8) * x - 4)
    return np.where(x <= 1, near, far)


def resized(rows: Array, old: tuple[int, ...], new: tuple[int, ...], kernel: str) -> Array:
    """Return the rows of a grid's cells, (n, d), interpolated to another grid as models do.

    Pixel centres are at i + ½, edges are repeated, and there is no antialiasing: torch.nn.functional.interpolate with
    align_corners=False.

    old, new : lengths of the axes of the two grids
    kernel : name of the interpolation, a key of KERNELS
    """
    neighbours, weight = KERNELS[kernel]
    table = rows.reshape(*old, -1)
    for axis, (size, count) in enumerate(zip(old, new, strict=True)):
        at = (np.arange(count) + 0.5) * size / count - 0.5
        first = np.floor(at)
        parts = []
        for step in neighbours:
            weights = weight(at - first - step).reshape(-1, *[1] * (table.ndim - axis - 1))
            parts.append(weights * table.take(np.clip(first + step, 0, size - 1).astype(int), axis=axis))
        table = np.sum(parts, axis=0)
    return table.reshape(-1, rows.shape[1])
