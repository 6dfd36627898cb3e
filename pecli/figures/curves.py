"""From a few typical positions to all others: one line each."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar

from pecli.core.errors import UsageError, option_text
from pecli.core.language import listing, template, translate
from pecli.core.lazy import Array, np
from pecli.core.numbers import ROUNDING, number_text
from pecli.core.options import EXACT, option
from pecli.core.positions import Positions
from pecli.encodings.base import TableEncoding
from pecli.figures.axis_labels import check_log, label_positions, label_powers, label_values, log_label, log_option
from pecli.figures.base import Numbers, View, extremes, tells_of_offsets
from pecli.figures.canvas import Canvas
from pecli.figures.highlights import Highlighting, mark_stretch
from pecli.figures.lines import Look, frame_lines, key
from pecli.figures.panels import Panel, PanelGroup
from pecli.measures.pairwise import MEASURES, by_offset, is_by_offset, measure_option, to_all
from pecli.measures.reduce import check_run, envelope, even_bins, even_edges, log_edges, middles, mirrored_envelope

if TYPE_CHECKING:
    from matplotlib.axes import Axes

DEFAULT_LINES = 3  # lines where none are asked for
MAX_WHOLE = 100_000  # positions, all of which are looked at where a pixel stands for several


@dataclass(frozen=True, kw_only=True)
class CurvesNumbers(Numbers[TableEncoding]):
    """curves, low : (lines, n), the largest and smallest value at each of n runs of positions (one value where a run
    is one position); at : (lines,), where each starts; positions : (n,); own : (lines,), each with itself."""

    main_array: ClassVar[str] = "curves"
    row_coordinates: ClassVar[tuple[str, ...]] = ("at",)
    column_coordinates: ClassVar[str | None] = "positions"

    curves: Array
    at: Array
    low: Array
    positions: Array
    own: Array
    block: int
    apart: float | None  # how much lines differ at one offset, where they differ most; None where runs hide it
    measure: str

    def remarks(self) -> list[str]:
        lost = listing(map(self.view.encoding.position_text, self.at[np.isnan(self.own)]))
        undefined = translate("from {positions}: undefined (constant row)", positions=lost) if lost else ""
        return [undefined, extremes(self.block)]

    def message(self) -> str:
        """Return whether lines have one shape, where that is known."""
        label = MEASURES[self.measure].label
        if self.apart is None or len(self.at) == 1:
            return ""
        if self.apart > ROUNDING * float(np.nanmax(np.abs(self.curves), initial=0.0)):
            text = template("at equal offset, {measure} still differs by up to {number}")
            return translate(text, measure=label, number=number_text(self.apart, 3))
        if not tells_of_offsets(self.view):
            return ""
        return translate("every curve has the same shape: {measure} depends only on p − q", measure=label)


@dataclass(frozen=True)
class Curves(Highlighting[TableEncoding]):
    """The measure from chosen positions to all positions.

    Notes
    -----
    Lines of one shape, shifted, mean that only the offset counts. A line that comes back to 0 away from its own
    position says that two positions cannot be told apart.
    """

    name: ClassVar[str] = "curves"
    frame_option: ClassVar[str] = "at"
    requires: ClassVar[Any] = TableEncoding
    summary: ClassVar[str] = "From a few typical positions to all others: one line each"
    defines: ClassVar[str] = (
        "a line: the measure between the vector of its own position, the dot, and the vectors of all positions"
    )
    counts_positions: ClassVar[bool] = True
    example: ClassVar[str] = "pecli curves --at 0,50,100"
    copies: ClassVar[int] = 7
    examples: ClassVar[tuple[str, ...]] = ("pecli curves rope -m dot --at 0..199:3",)

    measure: str = measure_option("euclidean")
    at: tuple[int, ...] | None = option(
        None, "the positions to start from", at_least=-EXACT, unset=f"{DEFAULT_LINES} spread over the length"
    )

    log: bool = log_option()
    against: str = option(
        "position",
        "what the x axis shows: position, or offset from the line's own position",
        choices=lambda: ("position", "offset"),
    )

    def across(self, view: View[TableEncoding]) -> Positions:
        """Return the positions, or offsets from where a line starts, that the lines run over."""
        rows = view.covered
        if self.against == "position":
            return rows
        starts = self.starts(view)
        first, last = rows.start - int(starts.max()), rows.stop - 1 - int(starts.min())
        return Positions(start=first, length=last - first + 1)

    def starts(self, view: View[TableEncoding]) -> Array:
        """Return the positions to start from."""
        rows = view.covered
        if self.at is None:
            steps = np.arange(DEFAULT_LINES) * rows.length // (DEFAULT_LINES - 1)
            return np.unique(rows.start + np.minimum(steps, rows.length - 1)).astype(np.float64)
        outside = [p for p in self.at if not rows.start <= p < rows.stop]
        if outside:
            text = f"{option_text('at', outside[0])} is outside the positions shown, {rows.start} to {rows.stop - 1}"
            raise UsageError(text, option="at", value=outside[0])
        return np.array(list(dict.fromkeys(self.at)), dtype=np.float64)

    def check_view(self, view: View[TableEncoding]) -> None:
        super().check_view(view)
        check_run(self.name, view.covered.length)
        if self.log:
            if self.across(view).start < 0 <= view.covered.start:
                advice = f"start from the first position, {option_text('at', view.covered.start)}"
                raise UsageError("--log has no place for offsets below 0", option="log", advice=advice)
            check_log(self.across(view))
        self.check_spans(self.across(view))
        self.starts(view)

    def shape(self, view: View[TableEncoding]) -> tuple[int, ...]:
        return (len(self.starts(view)), even_bins(view.covered.length, view.pixel_columns))

    def compute(self, view: View[TableEncoding]) -> CurvesNumbers:
        at, rows, measure = self.starts(view), view.covered, MEASURES[self.measure]
        edges, across = even_edges(rows.length, view.pixel_columns), self.across(view)
        if self.log:
            edges = log_edges(across.stop, view.pixel_columns, max(1, across.start)) - across.start
        block = int(np.diff(edges).max())

        def values(first: int, count: int) -> Array:
            return to_all(view.encoding, measure, at, rows.start + first, count)

        def profile(first: int, count: int) -> Array:
            return np.asarray(by_offset(view.encoding, measure, count, first))

        if block > 1 and is_by_offset(view.encoding, measure):
            low, high = mirrored_envelope(profile, (at - rows.start).astype(np.int64), edges)
        else:
            low, high, _ = envelope(values, edges, len(at))
        own = np.array([values(int(p) - rows.start, 1)[line, 0] for line, p in enumerate(at)])
        centres = rows.start + middles(edges)
        apart = None  # of very many positions nobody asks
        if rows.length <= MAX_WHOLE:
            every = high if block == 1 and not self.log else values(0, rows.length)
            apart = largest_spread(every, rows.start + np.arange(rows.length) - at[:, None])
        return CurvesNumbers(
            view=view,
            curves=high,
            at=at,
            low=low,
            positions=centres,
            own=own,
            block=block,
            apart=0.0 if is_by_offset(view.encoding, measure) else apart,
            measure=self.measure,
        )

    def panel_groups(self, view: View[TableEncoding], canvas: Canvas) -> list[PanelGroup]:
        return [PanelGroup((Panel(0.55, x=(self.against, self.across(view), self.log), ends=self.measure),))]

    def decorate(self, view: View[TableEncoding], axes: list[Axes], canvas: Canvas) -> None:
        from pecli.figures.labels import label_lines

        encoding, across = view.encoding, self.across(view)
        frame_lines(axes[0], max(1, across.start) if self.log else across.start, across.stop - 1, log=self.log)
        label = translate("offset from a line's own position") if self.against == "offset" else log_label(encoding)
        if self.log:
            label_powers(axes[0].xaxis, label)
        elif self.against == "offset":
            label_values(axes[0].xaxis, label, integer=True)
        else:
            label_positions(axes[0].xaxis, encoding)
        label_values(axes[0].yaxis, MEASURES[self.measure].label)
        starts = map(encoding.position_text, self.starts(view))
        entries = [(translate("from {position}", position=at), _look(line)) for line, at in enumerate(starts)]
        if self.against == "position":
            label_lines(axes[0], entries, canvas)
        elif not is_by_offset(encoding, MEASURES[self.measure]):  # else one line lies on the other
            key(axes[0], entries)
        mark_stretch(axes[0], self.spans(), canvas)

    def draw(self, numbers: CurvesNumbers, axes: list[Axes], canvas: Canvas) -> list[Any]:
        from pecli.figures.labels import put_line_labels

        rows = zip(numbers.low, numbers.curves, numbers.at, numbers.own, strict=True)
        for line, (low, high, at, own) in enumerate(rows):
            start = at if self.against == "offset" else 0.0
            x, middle, dot = numbers.positions - start, (low + high) / 2, at - start
            has_place = dot > 0 or not self.log  # 0 has none on a logarithmic axis: an arrowhead at its edge
            if numbers.block > 1:
                axes[0].fill_between(x, low, high, color=f"C{line}", linewidth=0, alpha=0.2)
            if numbers.block > 1 and has_place:  # the line goes through its dot
                index = np.searchsorted(x, dot)
                x, middle = np.insert(x, index, dot), np.insert(middle, index, own)
            axes[0].plot(x, middle, **_look(line))
            style: dict[str, Any] = {} if has_place else {"transform": axes[0].get_yaxis_transform()}
            marker = "o" if has_place else "<"
            axes[0].plot([dot], [own], marker=marker, color=f"C{line}", clip_on=False, zorder=3, **style)
        put_line_labels(axes[0], [(numbers.positions, row) for row in (numbers.low + numbers.curves) / 2])
        return [None]


def _look(line: int) -> Look:
    """Return the colour of a line; its dot and its name tell it apart in grey."""
    return {"color": f"C{line}"}


def largest_spread(curves: Array, offsets: Array) -> float:
    """Return how much lines differ at one offset, at most; both of shape (lines, n), NaN is left out."""
    places = (offsets - offsets.min()).astype(np.int64)
    low, high = np.full(places.max() + 1, np.inf), np.full(places.max() + 1, -np.inf)
    np.fmin.at(low, places, curves)
    np.fmax.at(high, places, curves)
    return float(np.max(high - low, initial=0.0, where=high >= low))
