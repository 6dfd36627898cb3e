"""The report table: the numbers of an encoding, in the terminal or in a file."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar, TypedDict

from pecli.core.language import say
from pecli.core.lazy import Array, np
from pecli.core.options import option
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
    length: int  # number of rows of the whole table

    def position_texts(self) -> list[str]:
        """Return the positions in the encoding's notation."""
        return [self.view.encoding.position_text(position) for position in self.positions.tolist()]

    def headers(self) -> list[str]:
        """Return the names of the columns; their indices if they have no names."""
        return self.view.encoding.dimension_names() or [str(column) for column in range(self.table.shape[1])]

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
    A file (-o table.npy, .npz, .csv, .json) has every number, like that of the heatmap. For the terminal and --json,
    only the printed rows are computed, so any length is fast.
    """

    name: ClassVar[str] = "table"
    requires: ClassVar[Any] = TableEncoding
    defines: ClassVar[str] = "row p is the vector of position p, column j its component j, no unit"
    example: ClassVar[str] = "pecli table --d 8 --base 10"
    examples: ClassVar[tuple[str, ...]] = (
        "pecli table clock -n 4",
        "pecli table -d 8 -o table.csv",
    )

    rows: int = option(20, "number of positions to print, half from each end", at_least=1, at_most=10_000)
    digits: int = option(4, "digits after the decimal point", at_least=0, at_most=17, aliases=("decimals", "precision"))

    def cells(self) -> tuple[int, int]:
        return (self.rows, MAX_COLUMNS)

    def shape(self, view: View[TableEncoding]) -> tuple[int, ...]:
        length = view.covered.length
        return (length if view.pixel_rows is None else min(view.pixel_rows, length), view.encoding.width)

    def parts(self, view: View[TableEncoding]) -> Parts:
        length = view.covered.length
        step = max(1, PIECE // view.encoding.width)

        def numbers_from(row: int) -> TableNumbers:
            return self._numbers(view, np.arange(row, min(row + step, length)))

        return Parts(numbers_from, range(0, length, step), length)

    def compute(self, view: View[TableEncoding]) -> TableNumbers:
        length = view.covered.length
        return self._numbers(view, both_ends(length, view.pixel_rows or length)[0])

    def _numbers(self, view: View[TableEncoding], rows: Array) -> TableNumbers:
        """Return the numbers of some rows of the table.

        rows : indices of the rows, counted from 0, shape (n,)
        """
        positions = (view.covered.start + rows).astype(np.float64)
        table = view.encoding.table(positions)
        return TableNumbers(view=view, table=table, positions=positions, length=view.covered.length)

    def show(self, numbers: TableNumbers, width: int) -> list[Block]:
        encoding, (shown, dimensions) = numbers.view.encoding, numbers.table.shape
        size = say(
            "report.positions_dimensions",
            encoding=encoding.title(),
            positions=say(encoding.length_counted, count=numbers.length),
            columns=dimensions,
        )
        table = grid(
            say(encoding.position_label),
            numbers.headers(),
            numbers.position_texts(),
            numbers.table,
            width=width,
            digits=self.digits,
            gap=both_ends(numbers.length, shown)[1],
        )
        if shown == numbers.length:
            return [Paragraph(size), table]
        left_out = say(
            "report.left_out_of_positions",
            count=numbers.length - shown,
            all=numbers.length,
        )
        return [Paragraph(size), table, Paragraph(left_out)]
