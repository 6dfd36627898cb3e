"""The table as an image: dimensions across, positions down."""

from __future__ import annotations

from dataclasses import dataclass, replace
from math import ceil, log10
from typing import Any, ClassVar, Self

from pecli.analysis import Limits, check_indices
from pecli.core.errors import UsageError
from pecli.core.language import say
from pecli.core.lazy import Array, Axes, np
from pecli.core.numbers import number_text
from pecli.core.options import option
from pecli.core.positions import Blocks, LogBlocks, Positions
from pecli.encodings.base import TableEncoding
from pecli.encodings.binary import Binary
from pecli.encodings.grid import AXES, HarmonicOnGrid
from pecli.encodings.harmonic import Harmonic
from pecli.encodings.rope import OnAxes
from pecli.figures.base import ColouredNumbers, View, cell_averaging_note, difference_of
from pecli.figures.comparing import default_query_notes
from pecli.figures.highlights import Highlighting, mark_cells
from pecli.figures.matrix import WithCellNumbers, show_matrix
from pecli.figures.revealing import Revealing
from pecli.figures.wavelengths import (
    column_step,
    columns_end,
    columns_left_out,
    columns_shown,
    has_known_waves,
    repetition_text,
)
from pecli.files.sheet import aside, over
from pecli.measures.summary import MAX_SCANNED, Summary, summary_of_table
from pecli.measures.waves import column_periods, wavelengths
from pecli.page.axis_labels import (
    NO_PLACE,
    check_log,
    decades_axis,
    dimensions_axis,
    log_label,
    log_option,
    positions_axis,
    turn_names,
    with_ticks,
)
from pecli.page.canvas import Canvas
from pecli.page.colors import DIFFERENCE, NAMED_INK, RULE
from pecli.page.panels import Axis, ColorBar, Panel, PanelGroup

MOST = 98  # per cent of a learned table's values within the ends of the colour scale
LARGER = 1.3  # colours end at the largest value if it is at most this many times the percentile of MOST
RESOLVED = 4  # pixels: shorter waves would look like a pattern that is not there
BESIDE, LENGTHS = 1.03, 0.16  # left end and width of the bars of row lengths, in widths of the image
MAX_PARTS = 7  # parts of a sequence (words and images) to label beside it
STANDS_OUT = 1.5  # least ratio of the longest row to the second longest for a headline


@dataclass(frozen=True, kw_only=True)
class HeatmapNumbers(ColouredNumbers[TableEncoding]):
    """The rows of the table: means over blocks of positions, or the first row of each block for a learned table."""

    table: Array = over("position", "dimension")
    positions: Array = over("position")  # the mean position of each block, or that of the row shown
    dims: Array = over("dimension")  # the dimensions shown; for averaged columns, their mean
    block: int = aside()  # positions per row
    columns_block: int = aside()  # dimensions per column
    flat: bool = aside()  # whether columns with waves shorter than four pixels were set to 0
    smallest: float | None  # of all numbers, or None if there are too many
    largest: float | None
    limit: float  # upper bound of the absolute value
    log: bool
    palette: str = aside()
    inside: float | None = aside()  # share of values within the colour limits, None for all
    longest_row: tuple[int, float, float] | None = aside()  # an unusually long row: position, norm, next largest norm
    lengths: tuple[float, ...] = aside()  # norms of the rows shown, if one is unusually long
    chosen: bool = aside()  # whether the user chose the dimensions
    partial: bool = aside()  # whether some columns are NaN because they are not revealed yet

    def remarks(self) -> list[str]:
        encoding, lost = self.view.encoding, say(NO_PLACE["position"]) if self.unplaced else ""
        pairs = "" if self.chosen else columns_left_out(encoding, self.columns_block)
        across = 1 if pairs else self.columns_block
        rows = cell_averaging_note(encoding, self.block, across, self.log)
        if encoding.trained and self.block > 1:
            one = "heatmap.one_row_in_up" if self.log else "heatmap.one_row_in_drawn"
            rows = say(one, count=self.block)
        flat = say("heatmap.flat_columns") if self.flat else ""
        shown, width = len(self.dims), encoding.width
        part = say("words.of_dimensions", count=shown, all=width) if self.chosen and shown < width else ""
        return [part, rows, flat, pairs, lost, *default_query_notes(self.view.encodings)]

    def marks(self) -> list[str]:
        encoding, changing = self.view.encoding, self._changing_columns()
        if self.inside is not None:
            return [say("heatmap.colours_end", limit=number_text(self.ends[1], 3), share=round(100 * self.inside))]
        whole = not changing or changing[-1] == encoding.width - 1
        if whole or isinstance(encoding, Harmonic) or self.view.covered.start:  # no constant columns to note
            return []
        text, name = "heatmap.constant_here_and_later", say(encoding.dimension_label)
        return [say(text, dimension=name, first=changing[-1] + 1)]

    @property
    def unplaced(self) -> int:
        """The number of positions without a place on the axis: 1 (position 0) if it is logarithmic, otherwise 0."""
        return int(self.log and self.view.covered.start <= 0)

    @property
    def length(self) -> int:
        """The number of positions shown."""
        return self.view.covered.length - self.unplaced

    def _changing_columns(self) -> list[int]:
        """Return the columns that change within the length, for encodings with known waves."""
        encoding, length = self.view.encoding, self.view.covered.length
        if not has_known_waves(encoding) or self.chosen:
            return []
        return [at for at, wave in enumerate(wavelengths(encoding, self.view.covered)) if wave < 2 * length]

    def message(self) -> str:
        """Return the headline, usually on how many pairs have a wavelength longer than the positions shown.

        It may also be about how often columns change or repeat, or about an unusually long row.
        """
        encoding, length = self.view.encoding, self.length
        if self.partial:
            return ""
        if self.chosen:
            return repetition_text(encoding, self.dims, column_periods(encoding, self.view.covered)[self.dims])
        if self.longest_row is not None:
            at, long, others = self.longest_row
            numbers = {"length": number_text(long, 2), "others": number_text(others, 2)}
            return say("heatmap.position_stands_out", position=encoding.position_text(at), **numbers)
        if not has_known_waves(encoding):
            return ""
        if least := slowest_axis(self):
            text = "heatmap.within_image" if least[1] < 1 else "heatmap.within_image_times"
            return say(text, axis=least[0], turn=turn_text(least[1]))
        waves = wavelengths(encoding, self.view.covered)
        if isinstance(encoding, Harmonic):
            count = encoding.longer_waves(length)
            within = length_shown(encoding, length)
            none = "heatmap.no_sine_cosine_pair"
            text = "heatmap.of_sine_cosine_pairs" if count > 1 else "heatmap.1_of_sine_cosine" if count else none
            if length > 1 and (first := self.first_unfinished_column):
                return say("heatmap.from_dimension_on", dimension=say(encoding.dimension_label), first=first)
            if reach := self.wavelength_range:
                turns = number_text(self.length * encoding.spacing / reach[1], 2)
                return say("heatmap.even_the_slowest", turns=turns, **self.wavelength_texts(reach))
            wave = say("heatmap.period" if encoding.position_unit else "heatmap.wavelength")
            return say(text, count=count, all=len(waves), wave=wave, length=within) if length > 1 else ""
        changing = self._changing_columns()
        if once := self.single_change:
            column, at = once
            names, label = encoding.dimension_names() or [], say(encoding.dimension_label)
            ends = {"first": names[0], "last": names[column], "position": encoding.position_text(at)}
            return say("heatmap.changes_only_once", dimension=label, **ends)
        if len(waves) < 2 or (waves[1:] != 2 * waves[:-1]).any() or not changing:
            return ""
        text = "heatmap.each_changes_half_as"
        name, every = say(encoding.dimension_label), length_shown(encoding, int(waves[changing[-1]]) // 2)
        return say(text, dimension=name, last=changing[-1], length=every)

    @property
    def wavelength_range(self) -> tuple[float, float] | None:
        """The shortest and longest wavelength in positions if every pair completes a turn, otherwise None."""
        encoding = self.view.encoding
        if not self._has_plain_waves() or not isinstance(encoding, Harmonic) or encoding.longer_waves(self.length):
            return None
        waves = encoding.wavelengths()
        return (float(waves.min()), float(waves.max())) if len(waves) > 1 and not encoding.position_unit else None

    @staticmethod
    def wavelength_texts(ends: tuple[float, float]) -> dict[str, str]:
        """Return the shortest and the longest wavelength (`ends`) as texts, under the keys "first" and "last"."""
        return {"first": number_text(ends[0], 3), "last": number_text(ends[1], 3)}

    def _has_plain_waves(self) -> bool:
        """Return whether the columns are waves over positions without names; a clock's columns have names."""
        encoding = self.view.encoding
        return isinstance(encoding, Harmonic) and not encoding.own_positions and encoding.dimension_names() is None

    @property
    def first_unfinished_column(self) -> int:
        """Index of the first column from which on no wave completes a turn within the length; 0 if there is none."""
        encoding = self.view.encoding
        if not self._has_plain_waves() or not isinstance(encoding, Harmonic):
            return 0
        longer = encoding.longer_than(self.length)[[pair for _, pair in encoding.waves()]]
        first = int(longer.argmax())
        return first if longer[first:].all() else 0

    @property
    def single_change(self) -> tuple[int, int] | None:
        """The column of the slowest bit that changes, and the position of its only change.

        None if no bit changes only once, and for encodings other than binary.
        """
        encoding, rows = self.view.encoding, self.view.covered
        if not isinstance(encoding, Binary) or encoding.order != "lsb" or rows.start or self.log:
            return None
        column = (rows.stop - 1).bit_length() - 1
        return (column, 2**column) if column > 1 else None

    def with_limits(self, low: float, high: float) -> Self:
        palette = "diverging" if low < 0 and self.palette == "binary" else self.palette
        inside = self.inside if (low, high) == self.ends else None
        return replace(self, ends=(low, high), palette=palette, inside=inside)

    def difference(self, other: Self, reach: Limits | None, whole: Array | None = None) -> Self:
        first, second, block = (
            self._with_rows_like(other),
            other._with_rows_like(self),
            (self.block, self.columns_block),
        )
        result = difference_of(first, second, reach, whole, block, inside=None)
        dims = self.dims if whole is None else np.arange(0, whole.shape[1], self.columns_block)
        return replace(result, limit=result.ends[1], dims=dims)

    def _with_rows_like(self, other: Self) -> Self:
        """Return a copy without averaging if `other` is a learned table, which is not averaged; otherwise `self`."""
        learned = other.view.encoding.trained and not self.view.encoding.trained
        if not learned or self.table.shape != other.table.shape:
            return self
        return replace(self, table=self.view.encoding.table(other.positions))

    @property
    def extremes(self) -> Limits:
        """The smallest and the largest number, or bounds if there are too many numbers."""
        if self.smallest is None or self.largest is None:
            return (0.0 if self.palette == "binary" else -self.limit, self.limit)
        return self.smallest, self.largest


@dataclass(frozen=True)
class Heatmap(WithCellNumbers[TableEncoding], Highlighting[TableEncoding], Revealing[TableEncoding]):
    """The table of an encoding, one row per position.

    Notes
    -----
    Read each column by how often it changes sign; the wave-like shapes across columns mean nothing. If there
    are more positions than pixels, every row is an exact mean, so fast columns fade to 0 (white). A wave shorter than
    four pixels is drawn as 0, because its means would show a pattern that the table does not have. For a learned table
    every n-th row is drawn, because the mean of many independent numbers is always about 0.
    """

    name: ClassVar[str] = "heatmap"
    requires: ClassVar[Any] = TableEncoding
    defines: ClassVar[str] = (
        "row p is the vector of position p, column j its component j; if a pixel covers several positions, it shows "
        "their exact mean, or 0 for a wave shorter than four pixels; a learned table shows every n-th row"
    )
    example: ClassVar[str] = "pecli heatmap --base 10"
    examples: ClassVar[tuple[str, ...]] = (
        "pecli heatmap rope:base=500000 -d 64 -o rope.svg",
        "pecli heatmap --base 10,100 --d 64 -o heat-{base}.png",
    )

    log: bool = log_option()
    dims: tuple[int, ...] | None = option(None, "dimensions to show", at_least=0, unset="all")

    def check_view(self, view: View[TableEncoding]) -> None:
        super().check_view(view)
        check_indices("dims", self.dims, view, view.encoding.width, "dimensions")
        self.check_revealed(view)
        self.check_spans(view.covered)
        if self.log:
            check_log(view.covered)
            if self.numbers:
                text = "--log makes rows one pixel high, but --numbers needs rows high enough for text"
                raise UsageError(text, option="numbers", advice="give one of them")

    def bins(self, view: View[TableEncoding]) -> Blocks | LogBlocks:
        """Return the blocks of positions that the rows of the image average over."""
        rows = view.covered
        if not self.log:
            return rows.blocks(view.pixel_rows)
        first = max(1, rows.start)
        if view.pixel_rows is None:
            return Blocks(first, rows.stop - first, 1)
        return LogBlocks(first, rows.stop, view.pixel_rows)

    def shape(self, view: View[TableEncoding]) -> tuple[int, ...]:
        columns = ceil(view.encoding.width / column_step(view.encoding, view.pixel_columns))
        return (self.bins(view).count, columns if self.dims is None else len(self.shown_dims(view)))

    def shown_dims(self, view: View[TableEncoding]) -> Array:
        """Return the dimensions to show."""
        return np.arange(view.encoding.width) if self.dims is None else np.array([*dict.fromkeys(self.dims)])

    def steps(self, view: View[TableEncoding]) -> int:
        return int(self._steps_of_columns(view).max()) + 1

    def _steps_of_columns(self, view: View[TableEncoding]) -> Array:
        """Return the step, from 0, that reveals each dimension shown; a step reveals both columns of a pair."""
        encoding, dims = view.encoding, self.shown_dims(view).tolist()
        pairs = [pair for _, pair in encoding.waves()] if isinstance(encoding, Harmonic) else range(encoding.width)
        order = {pair: at for at, pair in enumerate(dict.fromkeys(pairs[dim] for dim in dims))}
        return np.array([order[pairs[dim]] for dim in dims])

    def compute(self, view: View[TableEncoding]) -> HeatmapNumbers:
        blocks, dims, chosen = self.bins(view), self.shown_dims(view), self.dims is not None
        longest = find_long_row(view) if view.encoding.trained and not chosen else None
        encoding, learned, summary = view.encoding, view.encoding.trained, self.summary(view)
        rows = encoding.table(blocks.firsts()) if learned else encoding.mean_table(blocks)
        unresolved = columns_unresolved(encoding, blocks)
        rows = np.where(unresolved, 0.0, rows) if unresolved.any() else rows
        steps, drawn = self._steps_of_columns(view), self.drawn_steps(view)
        blank = steps >= drawn
        shown = np.where(blank, np.nan, rows[:, dims]) if blank.any() else rows[:, dims]
        across = 1
        if not chosen:
            shown, across = columns_shown(encoding, shown, view.pixel_columns)
            dims = columns_shown(encoding, dims[None], view.pixel_columns)[0][0]
        limit = encoding.limit or max(map(abs, (summary.smallest or 0.0, summary.largest or 0.0))) or 1.0
        end, inside = robust_end(summary.sample) if learned else (limit, None)
        return HeatmapNumbers(
            view=view,
            table=shown,
            dims=dims,
            positions=blocks.firsts() if learned else blocks.centres(),
            block=blocks.size,
            columns_block=across,
            flat=bool(unresolved.any()),
            chosen=chosen,
            partial=bool(blank.any()),
            smallest=summary.smallest,
            largest=summary.largest,
            limit=limit,
            log=self.log,
            ends=(-end if encoding.signed else 0.0, end),
            inside=inside,
            longest_row=longest,
            lengths=tuple(np.linalg.norm(rows, axis=1).tolist()) if longest else (),
            palette="diverging" if encoding.signed else "binary",
            sample=(summary.sample,),
        )

    def summary(self, view: View[TableEncoding]) -> Summary:
        """Return the summary of all numbers shown, independent of the size of the panels."""
        rows = view.covered
        first = max(1, rows.start) if self.log else rows.start
        dims = None if self.dims is None else self.shown_dims(view)
        return summary_of_table(view.encoding, Positions(start=first, length=rows.stop - first), dims)

    def panel_groups(self, view: View[TableEncoding], canvas: Canvas) -> list[PanelGroup]:
        encoding, rows = view.encoding, view.covered
        limits = None if encoding.signed else (0.0, encoding.limit or 1.0)
        bar = ColorBar(say("heatmap.value"), limits, scale=int(encoding.limit is None))  # learned: no common scale
        x, y = self._columns_axis(view), positions_axis(encoding, ends=(rows.stop - 0.5, rows.start - 0.5))
        if 1 < len(parts := sequence_of(encoding)) <= MAX_PARTS:
            y = with_ticks(y, [*(first for _, first, _ in parts), rows.stop - 1])
        if (
            parts
            and self.dims is None
            and isinstance(encoding, HarmonicOnGrid)
            and (begins := runs_of_axes(encoding)[2])
        ):
            x = with_ticks(x, [*begins, encoding.width - 1])
        if self.log:
            y = decades_axis(log_label(encoding), *reversed(log_ends(view)))
        return [PanelGroup((Panel(bar=bar, x=x, y=y, rows=0 if self.log else rows.length),))]

    def _columns_axis(self, view: View[TableEncoding]) -> Axis:
        """Return the axis of the dimensions shown."""
        return dimensions_axis(view.encoding, None if self.dims is None else self.shown_dims(view).tolist())

    def decorate(self, view: View[TableEncoding], axes: list[Axes], canvas: Canvas) -> None:
        axes[0].spines[:].set_visible(not view.encoding.signed)  # without a frame, zeros would blend with the page
        mark_cells(axes[0], self.spans(), canvas, view.encoding.position_text, self.log)

    def fit(self, view: View[TableEncoding], axes: list[Axes], canvas: Canvas) -> None:
        super().fit(view, axes, canvas)
        turn_names(axes[0].xaxis, self._columns_axis(view).names)

    def draw(self, numbers: HeatmapNumbers, axes: list[Axes], canvas: Canvas) -> list[Any]:
        rows = numbers.view.covered
        right = columns_end(numbers.view.encoding, numbers.table, numbers.columns_block)
        right = numbers.table.shape[1] - 0.5 if numbers.chosen else right
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
        if numbers.palette != DIFFERENCE and not (numbers.chosen or numbers.partial or canvas.no_legend):
            mark_headline(numbers, axes[0], canvas)
        return [image]


def columns_unresolved(encoding: TableEncoding, blocks: Blocks | LogBlocks) -> Array:
    """Return a mask of the columns whose waves are shorter than four blocks.

    Its shape broadcasts to (blocks, d).
    """
    if blocks.size == 1 or not isinstance(encoding, Harmonic) or encoding.own_positions:
        return np.array(False)
    waves = encoding.wavelengths()[[pair for _, pair in encoding.waves()]]
    counts = blocks.counts()[:, None] / 2 if isinstance(blocks, LogBlocks) else np.array([[blocks.size]])
    return np.asarray((waves < RESOLVED * counts * encoding.spacing) & (counts > 1))


def robust_end(sample: Array) -> tuple[float, float | None]:
    """Return an absolute value that few numbers exceed, with two digits, and the share of numbers within it.

    If the largest absolute value is not much larger, return the largest and None.
    """
    sizes = np.abs(sample).ravel()
    end, largest = float(np.percentile(sizes, MOST)), float(sizes.max(initial=0.0))
    if end * LARGER >= largest:
        return largest or 1.0, None
    end = float(f"{end:.2g}")
    return end, float((sizes <= end).mean())


def find_long_row(view: View[TableEncoding]) -> tuple[int, float, float] | None:
    """Return (position, norm, next largest norm) of a row that is much longer than all others.

    Returns None if there is no such row, or if the table is too large to check.
    """
    rows, encoding = view.covered, view.encoding
    if not 2 < rows.length <= MAX_SCANNED // encoding.width:
        return None
    lengths = np.linalg.norm(encoding.table(rows.array()), axis=1)
    first = int(lengths.argmax())
    longest, second = float(lengths[first]), float(np.delete(lengths, first).max())
    return (rows.start + first, longest, second) if longest > STANDS_OUT * second > 0 else None


def mark_headline(numbers: HeatmapNumbers, axes: Axes, canvas: Canvas) -> None:
    """Mark in the image what the headline is about, and label runs of columns and parts of a sequence."""
    from pecli.page.labels import RowLabel, add_bracket, add_bracket_beside

    encoding: Any = numbers.view.encoding
    if first := numbers.first_unfinished_column:
        count, waves = encoding.longer_waves(numbers.length), encoding.wavelengths()
        within = length_shown(encoding, numbers.length)
        longer = {"count": count, "all": len(waves), "span": f"{numbers.length * encoding.spacing:,.15g}"}
        texts = [say("heatmap.pairs_longer", length=within, **longer), say("heatmap.pairs_beyond", **longer)]
        texts.append(f"λ > {longer['span']}")
        shortest = say("heatmap.waves_from", wave=number_text(float(waves.min()), 3))
        add_bracket(axes, -0.5, first - 1, [shortest], canvas, strong=False)
        add_bracket(axes, first - 0.5, encoding.width - 0.5, texts, canvas)
    if ends := numbers.wavelength_range:
        every = say("heatmap.waves_from_to", **numbers.wavelength_texts(ends))
        add_bracket(axes, -0.5, encoding.width - 0.5, [every], canvas)
    named = slowest_axis(numbers)
    for name, begin, last, turns in turns_of_axes(numbers):
        text = say("heatmap.axis_turns" if turns < 1 else "heatmap.axis_turns_times", axis=name, turn=turn_text(turns))
        text = text if turns else say("heatmap.axis_still", axis=name)
        strong = named is None or name == named[0]
        add_bracket(axes, begin - 0.5, last + 0.3, [text, name], canvas, strong=strong)
    parts = sequence_of(encoding)
    for sides, begin, stop in parts if len(parts) <= MAX_PARTS else []:
        image = " × ".join(map(str, sides[-2:] if sides[0] == 1 else sides))
        text = say("heatmap.words", count=sides[0]) if len(sides) == 1 else say("heatmap.image", sides=image)
        add_bracket_beside(axes, begin - 0.4, stop - 0.6, text, canvas, strong=len(sides) > 1)
    row = numbers.longest_row[0] if numbers.longest_row else None
    if numbers.longest_row and not (canvas.narrow or numbers.log):
        _draw_lengths(numbers, axes, canvas)
        return
    if numbers.single_change:
        column, row = numbers.single_change
        look: dict[str, Any] = {"color": NAMED_INK, "linewidth": 1.5 * canvas.scale, "clip_on": False}
        axes.plot([column - 0.5, column + 0.5], [row - 0.5] * 2, **look)
        for at, name in enumerate(f"{2**power:,}" for power in range(1, column + 2)):
            period = say("heatmap.period_of", period=name) if at == 0 else name
            add_bracket(axes, at - 0.5, at + 0.4, [period, name], canvas, strong=at in (0, column))
    if row is not None:
        place = 1.0, row if numbers.single_change is None else row - 0.5
        look = {"va": "center", "color": NAMED_INK}
        RowLabel(axes, encoding.position_text(row), place, axes.get_yaxis_transform(), canvas, **look)


def _draw_lengths(numbers: HeatmapNumbers, axes: Axes, canvas: Canvas) -> None:
    """Draw the norm of every row as a bar to the right of the image, with the longest in red."""
    assert numbers.longest_row is not None
    row, longest, others = numbers.longest_row
    beside = axes.inset_axes((BESIDE, 0.0, LENGTHS, 1.0), sharey=axes)
    beside.spines[:].set_visible(False)
    beside.spines["bottom"].set_visible(True)
    beside.tick_params(left=False, labelleft=False)
    edges = numbers.view.covered.start - 0.5 + numbers.block * np.arange(len(numbers.lengths) + 1)
    beside.stairs(numbers.lengths, edges, orientation="horizontal", fill=True, color=RULE, linewidth=0)
    look: dict[str, Any] = {"color": NAMED_INK, "linewidth": 1.5 * canvas.scale, "solid_capstyle": "butt"}
    beside.plot([0.0, longest], [row, row], **look)
    beside.set(xlim=(0.0, 1.05 * longest), xticks=[others], xlabel=say("heatmap.length_of_the_row"))
    beside.set_xticklabels([number_text(others, 2)])
    below = row - numbers.view.covered.start < numbers.view.covered.length / 2
    text: dict[str, Any] = {
        "ha": "right",
        "va": "top" if below else "bottom",
        "color": NAMED_INK,
        "fontsize": canvas.small,
    }
    gap = (-2 if below else 2) * canvas.scale
    beside.annotate(number_text(longest, 2), (longest, row), (0, gap), textcoords="offset points", **text)


def turns_of_axes(numbers: HeatmapNumbers) -> list[tuple[str, int, int, float]]:
    """Return (name, first column, last column, turns) for each run of columns that belongs to one axis of a grid.

    Turns are counted for the fastest pair, over the positions shown or over the widest image of a sequence. Returns []
    if the columns of different axes are mixed.
    """
    encoding, rows = numbers.view.encoding, numbers.view.covered
    if not isinstance(encoding, HarmonicOnGrid) or encoding.places is None or numbers.log:
        return []
    pairs, axes, begins = runs_of_axes(encoding)
    if not begins or rows.length > MAX_SCANNED // encoding.width:
        return []
    images = [(first, stop) for sides, first, stop in sequence_of(encoding) if len(sides) > 1]
    spans = images or [(rows.start, rows.stop)]
    places = [np.ptp(encoding.coordinates(np.arange(*span)), axis=0) for span in spans]
    turns = np.max(places, axis=0) * np.abs(encoding.frequencies()) / (2 * np.pi)
    names, ends = AXES[-len(encoding.places) :], [*begins[1:], len(axes)]
    parts = zip(begins, ends, strict=True)
    return [(say(names[axes[a]]), a, b - 1, float(turns[pairs[a:b]].max())) for a, b in parts]


def runs_of_axes(encoding: HarmonicOnGrid) -> tuple[Array, Array, list[int]]:
    """Return the pair and the axis of each column, and the first column of each run of one axis.

    The third result is [] if the columns of different axes are mixed.
    """
    pairs = np.array([pair for _, pair in encoding.waves()])
    axes = encoding.axes_of_pairs()[pairs]
    if encoding.directions_of_pairs is not None:
        return pairs, axes, []
    begins = [0, *(np.flatnonzero(np.diff(axes)) + 1).tolist()]
    half = len(axes) // 2  # if a pair's columns are d/2 apart, each axis has two runs
    runs = len({*axes.tolist()}) * (2 if np.array_equal(axes[:half], axes[half:]) else 1)
    return pairs, axes, begins if len(begins) == runs else []


def sequence_of(encoding: TableEncoding) -> list[tuple[tuple[int, ...], int, int]]:
    """Return the words and images of a sequence as (number of words or sides, first row, row after the last), or []."""
    return encoding.sequence_parts() if isinstance(encoding, OnAxes) else []


def slowest_axis(numbers: HeatmapNumbers) -> tuple[str, float] | None:
    """Return the name and turns of the axis whose pairs turn least in an image; None if no axis turns.

    Axes without turns are ignored.
    """
    if all(len(sides) == 1 for sides, _, _ in sequence_of(numbers.view.encoding)):
        return None
    turning = [(turns, name) for name, _, _, turns in turns_of_axes(numbers) if turns]
    least = min(turning, default=None)
    return (least[1], least[0]) if least else None


def turn_text(turns: float) -> str:
    """Return a number of turns as text: in degrees below one turn."""
    degrees = f"{360 * turns:.0f}" if 360 * turns >= 1 else number_text(360 * turns, 1)
    return f"{degrees}°" if turns < 1 else number_text(turns, 2)


def log_ends(view: View[TableEncoding]) -> tuple[float, float]:
    """Return the decimal logarithms of the first position and of the end."""
    return log10(max(1, view.covered.start)), log10(view.covered.stop)


def length_shown(encoding: TableEncoding, count: int) -> str:
    """Return a number of table rows as text, in the encoding's terms: positions, steps, offsets, tokens or a grid."""
    if encoding.sides:
        return say("heatmap.sides_grid", sides=" × ".join(map(str, encoding.sides)))
    if encoding.position_unit:
        return encoding.length_text(count)
    if encoding.spacing != 1:
        return say("heatmap.steps_of", count=count, step=f"{encoding.spacing:,.15g}")
    if encoding.own_positions:
        return say("heatmap.positions_of_the_tokens", count=count)
    return say(encoding.rows_counted, count=count)
