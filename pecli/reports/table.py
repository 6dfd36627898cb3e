"""The report table: the numbers of an encoding, in the terminal or in a file."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, ClassVar, TypedDict

from pecli.analysis import check_indices, places_option, positions_at, refuse_unused
from pecli.core.language import say
from pecli.core.lazy import Array, np
from pecli.core.options import EXACT, option
from pecli.core.positions import Positions
from pecli.core.terminal import Block, Paragraph
from pecli.encodings.base import TableEncoding
from pecli.files.numbers import PIECE
from pecli.files.sheet import over
from pecli.reports.base import Numbers, Parts, Report, View, both_ends, grid

MAX_COLUMNS = 65536  # no encoding is wider


@dataclass(frozen=True, kw_only=True)
class TableNumbers(Numbers[TableEncoding]):
    """The rows of a table: all for a file, the first and last ones for the terminal."""

    table: Array = over("position", "dimension")
    positions: Array = over("position")
    dims: Array = over("dimension")
    length: int  # number of rows of the whole table

    def position_texts(self) -> list[str]:
        """Return the positions in the encoding's notation."""
        return [self.view.encoding.position_text(position) for position in self.positions.tolist()]

    def headers(self) -> list[str]:
        """Return the names of the columns; their indices if they have no names."""
        names, dims = self.view.encoding.dimension_names(), self.dims.tolist()
        return [names[dim] for dim in dims] if names else list(map(str, dims))

    def facts(self) -> dict[str, Any]:
        facts: dict[str, Any] = {"length": self.length, "dimensions": self.table.shape[1]}
        if self.view.panels is None:
            return facts
        rows = zip(self.positions.tolist(), self.position_texts(), self.table.tolist(), strict=True)
        shown = [Row(position=position, text=text, values=values) for position, text, values in rows]
        return {**facts, "columns": self.headers(), "left_out": self.length - len(self.table), "rows": shown}

    @classmethod
    def fact_types(cls) -> dict[str, Any]:
        return super().fact_types() | {"dimensions": int, "columns": list[str], "left_out": int, "rows": list[Row]}


class Row(TypedDict):
    """One row of the table in the --json output."""

    position: float
    text: str
    values: list[float]


@dataclass(frozen=True)
class Table(Report[TableEncoding]):
    """The table of an encoding as text: the first and last positions, with as many columns as fit the terminal.

    Notes
    -----
    A file (-o table.npy, .npz, .csv, .json) has every number, like a file of the heatmap's numbers. For the terminal
    and --json, only the printed rows are computed, so any length is fast.
    """

    name: ClassVar[str] = "table"
    requires: ClassVar[Any] = TableEncoding
    defines: ClassVar[str] = "row p is the vector of position p, column j its component j"
    example: ClassVar[str] = "pecli table --d 8 --base 10"
    examples: ClassVar[tuple[str, ...]] = (
        "pecli table clock -n 4",
        "pecli table -d 8 -o table.csv",
        "pecli table rope --at 5,100000 --dims 0,1",
    )

    rows: int = option(20, "number of positions to print, half from each end", at_least=1, at_most=10_000)
    at: tuple[int, ...] | None = places_option("positions to print", at_least=-EXACT, unset="the first and the last")
    dims: tuple[int, ...] | None = option(None, "dimensions to print", at_least=0, unset="all")
    digits: int = option(4, "digits after the decimal point", at_least=0, at_most=17, aliases=("decimals", "precision"))

    def document_options(self) -> dict[str, Any]:
        return {name: value for name, value in self.changed().items() if name == "digits"}

    def cells(self) -> tuple[int, int]:
        return (self.rows, MAX_COLUMNS)

    def positions_for(self, asked: Positions, in_use: bool = False) -> Positions:
        last = max((place for place in self.at or () if isinstance(place, int)), default=asked.start)
        return replace(asked, length=max(asked.length, last + 1 - asked.start))

    def check_view(self, view: View[TableEncoding]) -> None:
        super().check_view(view)
        check_indices("dims", self.dims, view, view.encoding.width, "dimensions")
        if self.at is not None:
            positions_at(self.at, view)
            rows = {"rows": self.rows} if "rows" in self.changed() else {}
            refuse_unused(rows, "--at alone decides which positions are printed")

    def shape(self, view: View[TableEncoding]) -> tuple[int, ...]:
        length = self._count(view)
        return (length if view.pixel_rows is None else min(view.pixel_rows, length), view.encoding.width)

    def parts(self, view: View[TableEncoding]) -> Parts:
        length = self._count(view)
        step = max(1, PIECE // view.encoding.width)

        def numbers_from(row: int) -> TableNumbers:
            rows = np.arange(row, min(row + step, length))
            positions = view.covered.start + rows if self.at is None else self._positions(view, length)[rows]
            return self._numbers(view, positions)

        return Parts(numbers_from, range(0, length, step), length)

    def compute(self, view: View[TableEncoding]) -> TableNumbers:
        return self._numbers(view, self._positions(view, view.pixel_rows or view.covered.length))

    def _count(self, view: View[TableEncoding]) -> int:
        """Return the number of positions given by --at; without --at, the number of all positions."""
        return view.covered.length if self.at is None else len(self._positions(view, 0))

    def _positions(self, view: View[TableEncoding], most: int) -> Array:
        """Return the positions in --at, or at most `most` from both ends, shape (n,)."""
        if self.at is not None:
            return positions_at(self.at, view)
        return view.covered.start + both_ends(view.covered.length, most)[0]

    def _numbers(self, view: View[TableEncoding], positions: Array) -> TableNumbers:
        """Return the numbers at positions, shape (n,)."""
        dims = np.arange(view.encoding.width) if self.dims is None else np.array(self.dims)
        positions = positions.astype(np.float64)
        table = view.encoding.table(positions)[:, dims]
        return TableNumbers(view=view, table=table, positions=positions, dims=dims, length=self._count(view))

    def show(self, numbers: TableNumbers, width: int) -> list[Block]:
        encoding, shown, length = numbers.view.encoding, len(numbers.table), numbers.length
        size = say(
            "report.positions_dimensions",
            encoding=encoding.title(),
            positions=say(encoding.length_counted, count=length),
            columns=len(numbers.dims),
        )
        table = grid(
            say(encoding.position_label),
            numbers.headers(),
            numbers.position_texts(),
            numbers.table,
            width=width,
            digits=self.digits,
            gap=both_ends(length, shown)[1],
        )
        if shown == length:
            return [Paragraph(size), table]
        left_out = say(
            "report.left_out_of_positions",
            count=length - shown,
            all=length,
        )
        return [Paragraph(size), table, Paragraph(left_out)]
