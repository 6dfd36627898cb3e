"""The table as an image: dimension across, position down."""

from __future__ import annotations

from dataclasses import dataclass, replace
from math import ceil, log10
from typing import Any, ClassVar, Self

from pecli.analysis import Limits
from pecli.core.errors import UsageError
from pecli.core.language import say
from pecli.core.lazy import Array, Axes
from pecli.core.positions import Blocks, LogBlocks, Positions
from pecli.encodings.base import TableEncoding
from pecli.encodings.harmonic import Harmonic
from pecli.figures.base import ColouredNumbers, View, averaging_cells, difference_of
from pecli.figures.comparing import turned_text
from pecli.figures.highlights import Highlighting, mark_cells
from pecli.figures.matrix import WithCellNumbers, show_matrix
from pecli.figures.wavelengths import column_step, columns_end, columns_left_out, columns_shown, has_known_waves
from pecli.files.sheet import aside, over
from pecli.measures.summary import Summary, summary_of_table
from pecli.measures.waves import wavelengths
from pecli.page.axis_labels import (
    NO_PLACE,
    check_log,
    label_decades,
    label_dimensions,
    label_positions,
    log_label,
    log_option,
    turn_names,
)
from pecli.page.canvas import Canvas
from pecli.page.panels import ColorBar, Panel, PanelGroup


@dataclass(frozen=True, kw_only=True)
class HeatmapNumbers(ColouredNumbers[TableEncoding]):
    """The table, means of blocks of positions, or of a learned table the first row of each."""

    table: Array = over("position", "dimension")
    positions: Array = over("position")  # the mean position of each block, or the row's own
    block: int = aside()  # positions a row
    columns_block: int = aside()  # dimensions a column
    smallest: float | None  # of all numbers; None where they are too many to look at
    largest: float | None
    limit: float  # the largest absolute value that there is or can be
    log: bool
    palette: str = aside()

    def remarks(self) -> list[str]:
        encoding, lost = self.view.encoding, say(NO_PLACE["position"]) if self.lost else ""
        pairs = columns_left_out(encoding, self.columns_block)
        across = 1 if pairs else self.columns_block
        rows = averaging_cells(encoding, self.block, across, self.log)
        if encoding.trained and self.block > 1:
            one = "heatmap.one_row_in_up" if self.log else "heatmap.one_row_in_drawn"
            rows = say(one, count=self.block)
        return [rows, pairs, lost, turned_text(self.view.encodings)]

    def marks(self) -> list[str]:
        encoding, changing = self.view.encoding, self._changing()
        whole = not changing or changing[-1] == encoding.width - 1
        if whole or isinstance(encoding, Harmonic) or self.view.covered.start:  # from 0 each column begins anew
            return []
        text, name = "heatmap.constant_here_and_later", say(encoding.dimension_label)
        return [say(text, dimension=name, first=changing[-1] + 1)]

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
        return [at for at, wave in enumerate(wavelengths(encoding, self.view.covered)) if wave < 2 * length]

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
            none = "heatmap.no_sine_cosine_pair"
            text = "heatmap.of_sine_cosine_pairs" if count > 1 else "heatmap.1_of_sine_cosine" if count else none
            wave = say("heatmap.period" if encoding.position_unit else "heatmap.wavelength")
            return say(text, count=count, all=len(waves), wave=wave, length=within) if length > 1 else ""
        changing = self._changing()
        if len(waves) < 2 or (waves[1:] != 2 * waves[:-1]).any() or not changing:
            return ""
        text = "heatmap.each_changes_half_as"
        name, every = say(encoding.dimension_label), length_shown(encoding, int(waves[changing[-1]]) // 2)
        return say(text, dimension=name, last=changing[-1], length=every)

    def with_limits(self, low: float, high: float) -> Self:
        palette = "diverging" if low < 0 and self.palette == "binary" else self.palette
        return replace(self, ends=(low, high), palette=palette)

    def difference(self, other: Self, reach: Limits | None) -> Self:
        result = difference_of(self._rows_as_in(other), other._rows_as_in(self), reach)
        return replace(result, limit=result.ends[1])

    def _rows_as_in(self, other: Self) -> Self:
        """Return the rows that are drawn of a learned table, where these are means and those are not."""
        learned = other.view.encoding.trained and not self.view.encoding.trained
        if not learned or self.table.shape != other.table.shape:
            return self
        return replace(self, table=self.view.encoding.table(other.positions))

    @property
    def extremes(self) -> Limits:
        """The smallest and the largest number, or bounds where they are too many to know."""
        if self.smallest is None or self.largest is None:
            return (0.0 if self.palette == "binary" else -self.limit, self.limit)
        return self.smallest, self.largest


@dataclass(frozen=True)
class Heatmap(WithCellNumbers[TableEncoding], Highlighting[TableEncoding]):
    """The table of an encoding, one row a position.

    Notes
    -----
    Read it by columns: how often each changes sign, not the wave-like shapes between columns. Where there are more
    positions than pixels every row is an exact mean, so fast columns fade to 0 (white). Of a learned table every n-th
    row is drawn: the mean of many independent numbers is 0, whatever they are.
    """

    name: ClassVar[str] = "heatmap"
    requires: ClassVar[Any] = TableEncoding
    defines: ClassVar[str] = (
        "row p is the vector of position p, column j its number j, no unit; where positions outnumber "
        "pixels, a pixel is their exact mean; of a learned table every n-th row"
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
        encoding, learned, summary = view.encoding, view.encoding.trained, self.summary(view)
        rows = encoding.table(blocks.firsts()) if learned else encoding.mean_table(blocks)
        table, across = columns_shown(encoding, rows, view.pixel_columns)
        limit = encoding.limit or max(map(abs, (summary.smallest or 0.0, summary.largest or 0.0))) or 1.0
        return HeatmapNumbers(
            view=view,
            table=table,
            positions=blocks.firsts() if learned else blocks.centres(),
            block=blocks.size,
            columns_block=across,
            smallest=summary.smallest,
            largest=summary.largest,
            limit=limit,
            log=self.log,
            ends=(-limit if encoding.signed else 0.0, limit),
            palette="diverging" if encoding.signed else "binary",
            sample=(summary.sample,),
        )

    def summary(self, view: View[TableEncoding]) -> Summary:
        """Return what all numbers say that have a place, whatever panels there are."""
        rows = view.covered
        first = max(1, rows.start) if self.log else rows.start
        return summary_of_table(view.encoding, Positions(start=first, length=rows.stop - first))

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
            extremes=numbers.extremes,
        )
        self.write_numbers(axes, [image], canvas)
        return [image]


def log_ends(view: View[TableEncoding]) -> tuple[float, float]:
    """Return the decimal logarithms of the first position and of the end."""
    return log10(max(1, view.covered.start)), log10(view.covered.stop)


def length_shown(encoding: TableEncoding, count: int) -> str:
    """Return what so many rows of the table are: positions with their unit, steps, offsets, tokens, or a whole grid."""
    if encoding.sides:
        return say("heatmap.sides_grid", sides=" × ".join(map(str, encoding.sides)))
    if encoding.position_unit:
        return encoding.length_text(count)
    if encoding.spacing != 1:
        return say("heatmap.steps_of", count=count, step=f"{encoding.spacing:,.15g}")
    if encoding.own_positions:
        return say("heatmap.positions_of_the_tokens", count=count)
    return say(encoding.rows_counted, count=count)
