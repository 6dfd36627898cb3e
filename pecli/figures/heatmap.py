"""The table as an image: dimension across, position down."""

from __future__ import annotations

from dataclasses import dataclass, replace
from math import ceil, log10
from typing import Any, ClassVar, Self

from pecli.core.errors import UsageError
from pecli.core.language import template, translate
from pecli.core.lazy import Array, Axes
from pecli.core.positions import Blocks, LogBlocks
from pecli.encodings.base import TableEncoding
from pecli.encodings.harmonic import Harmonic
from pecli.figures.axis_labels import (
    NO_PLACE,
    check_log,
    label_decades,
    label_dimensions,
    label_positions,
    log_label,
    log_option,
    turn_names,
)
from pecli.figures.base import ColouredNumbers, View, averaging_cells, difference_of
from pecli.figures.canvas import Canvas
from pecli.figures.comparing import turned_text
from pecli.figures.highlights import Highlighting, mark_cells
from pecli.figures.matrix import WithCellNumbers, show_matrix
from pecli.figures.panels import ColorBar, Panel, PanelGroup
from pecli.figures.wavelengths import column_step, columns_end, columns_shown, has_known_waves, pairs_shown
from pecli.measures.waves import wavelengths


@dataclass(frozen=True, kw_only=True)
class HeatmapNumbers(ColouredNumbers[TableEncoding]):
    """table : (rows, d); positions : (rows,), the mean position of each; block : positions a row."""

    main_array: ClassVar[str] = "table"
    row_coordinates: ClassVar[tuple[str, ...]] = ("positions",)

    table: Array
    positions: Array
    block: int
    columns_block: int  # dimensions a column
    smallest: float
    largest: float
    limit: float  # the largest absolute value that there is or can be
    log: bool
    palette: str

    def remarks(self) -> list[str]:
        pairs = pairs_shown(self.view.encoding, self.columns_block)
        lost = translate(NO_PLACE["position"]) if self.lost else ""
        across = 1 if pairs else self.columns_block
        averaged = averaging_cells(self.view.encoding, self.block, across, self.log)
        return [averaged, pairs, lost, turned_text(self.view.encodings)]

    def marks(self) -> list[str]:
        encoding, changing = self.view.encoding, self._changing()
        whole = not changing or changing[-1] == encoding.width - 1
        if whole or isinstance(encoding, Harmonic) or self.view.covered.start:  # from 0 each column begins anew
            return []
        text, name = template("constant here: {dimension} {first} and later"), translate(encoding.dimension_label)
        return [translate(text, dimension=name, first=changing[-1] + 1)]

    @property
    def lost(self) -> int:
        """How many positions have no place: 1, position 0, on a logarithmic axis."""
        return int(self.log and self.view.covered.start <= 0)

    @property
    def length(self) -> int:
        """How many positions are shown."""
        return self.view.covered.length - self.lost

    def _changing(self) -> list[int]:
        """Return the columns that change over the length, of encodings whose waves are known."""
        encoding, length = self.view.encoding, self.view.covered.length
        if not has_known_waves(encoding):
            return []
        return [at for at, wave in enumerate(wavelengths(encoding, self.view.covered)) if wave // 2 < length]

    def message(self) -> str:
        """Return how many pairs have a wavelength beyond the length; of others than waves, that each dimension changes
        half as often as the one before."""
        encoding, length = self.view.encoding, self.length
        if not has_known_waves(encoding):
            return ""
        waves = wavelengths(encoding, self.view.covered)
        if isinstance(encoding, Harmonic):
            count = encoding.longer_waves(length)
            within = length_shown(encoding, length)
            one = template("1 of {all} sine–cosine pairs has a {wave} longer than the {length} shown")
            many = template("{count} of {all} sine–cosine pairs have {wave}s longer than the {length} shown")
            none = template("no sine–cosine pair has a {wave} longer than the {length} shown")
            text = many if count > 1 else one if count else none
            wave = translate("period" if encoding.position_unit else "wavelength")
            return translate(text, count=count, all=len(waves), wave=wave, length=within) if length > 1 else ""
        changing = self._changing()
        if len(waves) < 2 or (waves[1:] != 2 * waves[:-1]).any() or not changing:
            return ""
        text = template("each {dimension} changes half as often as the one before: {dimension} {last} every {length}")
        name, every = translate(encoding.dimension_label), length_shown(encoding, int(waves[changing[-1]]) // 2)
        return translate(text, dimension=name, last=changing[-1], length=every)

    def averaged(self) -> bool:
        return max(self.block, self.columns_block) > 1

    def with_limits(self, low: float, high: float) -> Self:
        palette = "diverging" if low < 0 and self.palette == "binary" else self.palette
        return replace(self, ends=(low, high), palette=palette)

    def difference(self, other: Self) -> Self:
        result = difference_of(self, other)
        return replace(result, limit=result.ends[1])


@dataclass(frozen=True)
class Heatmap(WithCellNumbers[TableEncoding], Highlighting[TableEncoding]):
    """The table of an encoding, one row a position.

    Notes
    -----
    Read it by columns: how often each changes sign, not the wave-like shapes between columns. Where there are more
    positions than pixels every row is an exact mean, so fast columns fade to 0 (white).
    """

    name: ClassVar[str] = "heatmap"
    requires: ClassVar[Any] = TableEncoding
    defines: ClassVar[str] = (
        "row p is the vector of position p, column j its number j, no unit; where positions outnumber "
        "pixels, a pixel is their exact mean"
    )
    example: ClassVar[str] = "pecli heatmap --base 10"
    examples: ClassVar[tuple[str, ...]] = (
        "pecli heatmap rope:base=500000 -d 64 -o rope.svg",
        "pecli heatmap --base 10,100 --d 64 -o heat-{base}.png",
    )

    log: bool = log_option()

    def check_view(self, view: View[TableEncoding]) -> None:
        super().check_view(view)
        self.check_spans(view.covered)
        if self.log:
            check_log(view.covered)
            if self.numbers:
                text = "--log gives a row to every pixel, and --numbers wants rows for text"
                raise UsageError(text, option="numbers", advice="give one of them")

    def bins(self, view: View[TableEncoding]) -> Blocks | LogBlocks:
        """Return what each row of the picture, or of the numbers, averages over."""
        rows = view.covered
        if not self.log:
            return rows.blocks(view.pixel_rows)
        first = max(1, rows.start)
        if view.pixel_rows is None:
            return Blocks(first, rows.stop - first, 1)
        return LogBlocks(first, rows.stop, view.pixel_rows)

    def shape(self, view: View[TableEncoding]) -> tuple[int, ...]:
        columns = ceil(view.encoding.width / column_step(view.encoding, view.pixel_columns))
        return (self.bins(view).count, columns)

    def compute(self, view: View[TableEncoding]) -> HeatmapNumbers:
        blocks = self.bins(view)
        table, across = columns_shown(view.encoding, view.encoding.mean_table(blocks), view.pixel_columns)
        smallest, largest = float(table.min()), float(table.max())
        limit = view.encoding.limit or max(-smallest, largest) or 1.0
        return HeatmapNumbers(
            view=view,
            table=table,
            positions=blocks.centres(),
            block=blocks.size,
            columns_block=across,
            smallest=smallest,
            largest=largest,
            limit=limit,
            log=self.log,
            ends=(-limit if view.encoding.signed else 0.0, limit),
            palette="diverging" if view.encoding.signed else "binary",
        )

    def panel_groups(self, view: View[TableEncoding], canvas: Canvas) -> list[PanelGroup]:
        encoding = view.encoding
        bar = ColorBar("", None if encoding.signed else (0.0, encoding.limit or 1.0))
        x, y = (encoding.dimension_label, encoding.width), (encoding.position_label, view.covered, self.log)
        return [PanelGroup((Panel(bar=bar, x=x, y=y, rows=0 if self.log else view.covered.length),))]

    def decorate(self, view: View[TableEncoding], axes: list[Axes], canvas: Canvas) -> None:
        encoding, rows = view.encoding, view.covered
        axes[0].set(xlim=(-0.5, encoding.width - 0.5), ylim=(rows.stop - 0.5, rows.start - 0.5))
        label_dimensions(axes[0].xaxis, encoding)
        label_positions(axes[0].yaxis, encoding)
        axes[0].spines[:].set_visible(not encoding.signed)  # else zeros run into the paper
        if self.log:
            top, bottom = log_ends(view)
            axes[0].set(ylim=(bottom, top), ylabel=log_label(encoding))
            label_decades(axes[0].yaxis, top, bottom)
        mark_cells(axes[0], self.spans(), canvas, encoding.position_text, self.log)

    def fit(self, view: View[TableEncoding], axes: list[Axes], canvas: Canvas) -> None:
        super().fit(view, axes, canvas)
        turn_names(axes[0].xaxis)

    def draw(self, numbers: HeatmapNumbers, axes: list[Axes], canvas: Canvas) -> list[Any]:
        rows = numbers.view.covered
        right = columns_end(numbers.view.encoding, numbers.table, numbers.columns_block)
        top, bottom = rows.start - 0.5, rows.start + len(numbers.table) * numbers.block - 0.5
        if numbers.log:
            top, bottom = log_ends(numbers.view)
        image = show_matrix(
            axes[0],
            numbers.table,
            colours=canvas.colours(numbers.palette),
            limits=numbers.ends,
            centred=numbers.palette != "binary",
            steps=numbers.palette == "binary",
            extent=(-0.5, right, bottom, top),
        )
        self.write_numbers(axes, [image], canvas)
        return [image]


def log_ends(view: View[TableEncoding]) -> tuple[float, float]:
    """Return the decimal logarithms of the first position and of the end."""
    return log10(max(1, view.covered.start)), log10(view.covered.stop)


def length_shown(encoding: TableEncoding, count: int) -> str:
    """Return what so many rows of the table are: positions with their unit, steps, offsets, tokens, or a whole grid."""
    if encoding.sides:
        return translate("{sides} grid", sides=" × ".join(map(str, encoding.sides)))
    if encoding.position_unit:
        return encoding.length_text(count)
    if encoding.spacing != 1:
        return translate("{count:,} steps of {step}", count=count, step=f"{encoding.spacing:,.15g}")
    if encoding.own_positions:
        return translate("positions of the {count:,} tokens", count=count)
    return translate(encoding.rows_counted, count=count)
