"""Chosen dimensions against position: how often each column changes."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar

from pecli.analysis import check_indices
from pecli.core.language import listing, phrase
from pecli.core.lazy import Array, np
from pecli.core.numbers import number_text
from pecli.core.options import option
from pecli.encodings.base import Encoding, TableEncoding
from pecli.encodings.harmonic import Harmonic
from pecli.figures.axis_labels import label_positions
from pecli.figures.base import Figure, Numbers, View, extremes
from pecli.figures.canvas import Canvas
from pecli.figures.lines import Look, frame_lines, grid_look, plot_run
from pecli.figures.panels import Panel, PanelGroup
from pecli.figures.wavelengths import short_length, wavelength_unit, waves_text
from pecli.measures.reduce import check_run, envelope, even_bins, even_edges, middles
from pecli.measures.waves import wavelengths

if TYPE_CHECKING:
    from matplotlib.axes import Axes

LINES = 5  # dimensions where none are asked for
LANE = 2.4  # from one lane to the next, where the largest value is 1


@dataclass(frozen=True, kw_only=True)
class WavesNumbers(Numbers[TableEncoding]):
    """values, low : (dims, n), largest and smallest value at each of n runs of positions; dims : (dims,);
    positions : (n,); wavelengths : (dims,), positions, measured where no formula gives them."""

    main_array: ClassVar[str] = "values"
    row_coordinates: ClassVar[tuple[str, ...]] = ("dims",)
    column_coordinates: ClassVar[str | None] = "positions"

    values: Array
    dims: Array
    low: Array
    positions: Array
    wavelengths: Array
    block: int
    limit: float  # the largest absolute value

    def remarks(self) -> list[str]:
        reach = phrase("each lane is ±{reach}", reach=number_text(self.limit))
        return [self._part(), reach, extremes(self.block)]

    def marks(self) -> list[str]:
        told = self.message() or not np.isfinite(self.wavelengths).any()
        return [] if told else [wavelength_unit(self.view.encoding)]

    def _part(self) -> str:
        """How many of the dimensions are shown; nothing where all are."""
        shown, every = len(self.dims), self.view.encoding.width
        return phrase("{count} of {all:,} dimensions", count=shown, all=every) if shown < every else ""

    def message(self) -> str:
        return waves_text(self.view.encoding, self.dims, self.wavelengths)


@dataclass(frozen=True)
class Waves(Figure[TableEncoding]):
    """The values of chosen dimensions, one line each, in lanes one below the other.

    Notes
    -----
    The third article's advice on the heatmap, read how often each column changes, made a picture of its own.
    """

    name: ClassVar[str] = "waves"
    requires: ClassVar[Any] = TableEncoding
    summary: ClassVar[str] = "Chosen dimensions against position: how often each column changes"
    defines: ClassVar[str] = (
        "a lane: one column of the table against position, scaled to its largest value; λ = 2π/ω, the "
        "positions that one turn takes"
    )
    counts_positions: ClassVar[bool] = True
    example: ClassVar[str] = "pecli waves --dims 4,5,6,7"
    copies: ClassVar[int] = 7
    examples: ClassVar[tuple[str, ...]] = ("pecli waves --dims 0..6 -n 60",)

    dims: tuple[int, ...] | None = option(
        None, "the dimensions", at_least=0, unset=f"{LINES} from fast to slow, those that move first"
    )

    def chosen(self, view: View[TableEncoding]) -> Array:
        """The dimensions to draw."""
        check_indices("dims", self.dims, view, view.encoding.width, "dimensions")
        if self.dims is not None:
            return np.array(list(dict.fromkeys(self.dims)))
        waves = periods(view)
        order = np.argsort(waves, kind="stable")
        moving = np.count_nonzero(waves <= 4 * view.covered.length)  # a longer wave looks like a constant
        chosen = spread(order[:moving], LINES)
        return np.concatenate([chosen, spread(order[moving:], LINES - len(chosen))])

    def check_view(self, view: View[TableEncoding]) -> None:
        super().check_view(view)
        check_run(self.name, view.covered.length)
        self.chosen(view)

    def shape(self, view: View[TableEncoding]) -> tuple[int, ...]:
        return (len(self.chosen(view)), even_bins(view.covered.length, view.pixel_columns))

    def compute(self, view: View[TableEncoding]) -> WavesNumbers:
        encoding, rows, dims = view.encoding, view.covered, self.chosen(view)
        edges = even_edges(rows.length, view.pixel_columns)

        every = int(edges[1]) == 1  # position is drawn: to the last bit

        def values(first: int, count: int) -> Array:
            columns = TableEncoding.columns if every else type(encoding).columns
            return columns(encoding, dims, rows.start + first, count)

        low, high, _ = envelope(values, edges, len(dims))
        waves = periods(view)[dims]
        centres = rows.start + middles(edges)
        limit = float(max(np.abs(low).max(), np.abs(high).max())) or 1.0
        return WavesNumbers(
            view=view,
            values=high,
            dims=dims,
            low=low,
            positions=centres,
            wavelengths=waves,
            block=int(edges[1]),
            limit=limit,
        )

    def panel_groups(self, view: View[TableEncoding], canvas: Canvas) -> list[PanelGroup]:
        lanes = ("lanes", view.encodings, tuple(self.chosen(view).tolist()))  # as high as this encoding's values
        aspect = 0.8 if canvas.narrow else 0.5  # lanes would be flat
        return [
            PanelGroup((Panel(aspect, x=("positions", view.covered), y=lanes, least=(10.0, 1.4 * len(lanes[-1]))),))
        ]

    def decorate(self, view: View[TableEncoding], axes: list[Axes], canvas: Canvas) -> None:
        encoding, dims = view.encoding, self.chosen(view)
        names = encoding.dimension_names() or [str(dim) for dim in range(encoding.width)]
        frame_lines(axes[0], view.covered.start, view.covered.stop - 1)
        axes[0].grid(False)
        label_positions(axes[0].xaxis, encoding)
        self._lanes(axes[0], view, 1.0)
        axes[0].set_ylabel(phrase(encoding.dimension_label))
        lengths = [wavelength_text(encoding, wave) for wave in periods(view)[dims]]
        kinds = self._waves(view)
        beside = [listing(both) for both in zip(kinds, lengths, strict=True)]  # the lane says the dimension
        lines = [line_text(encoding, names[dim], kind) for dim, kind in zip(dims, kinds, strict=True)]
        whole = [listing(both) for both in zip(lines, lengths, strict=True)]
        from pecli.figures.labels import label_lines

        label_lines(axes[0], list(zip(beside, self._looks(view), strict=True)), canvas, whole)

    def _waves(self, view: View[TableEncoding]) -> list[str]:
        """Whether every line is a sine or a cosine, where its name does not say it."""
        encoding, dims = view.encoding, self.chosen(view)
        if not isinstance(encoding, Harmonic) or encoding.dimension_names() is not None:
            return [""] * len(dims)
        names = encoding.wave_names()
        return [names[dim] for dim in dims]

    def _looks(self, view: View[TableEncoding]) -> list[Look]:
        """The look of every line: a colour a pair, cosines dashed."""
        encoding, dims = view.encoding, self.chosen(view)
        if not isinstance(encoding, Harmonic):
            return [{"color": f"C{lane}"} for lane in range(len(dims))]
        waves = [encoding.waves()[dim] for dim in dims]
        pairs = list(dict.fromkeys(pair for _, pair in waves))
        return [{"color": f"C{pairs.index(pair)}", "linestyle": "--" if wave == "cos" else "-"} for wave, pair in waves]

    def _lanes(self, axes: Axes, view: View[TableEncoding], limit: float) -> None:
        """Names the lanes of lines that reach so far."""
        dims = self.chosen(view)
        names = view.encoding.dimension_names()
        axes.set_ylim(LANE * limit * (0.5 - len(dims)), LANE * limit * 0.5)
        axes.set_yticks(-LANE * limit * np.arange(len(dims)), [names[dim] if names else str(dim) for dim in dims])

    def draw(self, numbers: WavesNumbers, axes: list[Axes], canvas: Canvas) -> list[Any]:
        from pecli.figures.labels import put_line_labels

        encoding, limit = numbers.view.encoding, numbers.limit
        style = "default" if encoding.continuous else "steps-mid"
        ends = (numbers.low[:, -1] + numbers.values[:, -1]) / 2
        rows = zip(numbers.low, numbers.values, self._looks(numbers.view), strict=True)
        for lane, (low, high, look) in enumerate(rows):
            middle = -LANE * limit * lane
            axes[0].axhline(middle, zorder=0, **grid_look())
            plot_run(axes[0], numbers.positions, middle + low, middle + high, look, style)
        self._lanes(axes[0], numbers.view, limit)
        last = float(numbers.positions[-1])
        put_line_labels(axes[0], [(last, end - LANE * limit * lane) for lane, end in enumerate(ends.tolist())])
        return [None]


def periods(view: View[TableEncoding]) -> Array:
    """The wavelength of every column, positions, shape (d,)."""
    encoding = view.encoding
    if isinstance(encoding, Harmonic):
        return encoding.column_wavelengths()
    return wavelengths(encoding, view.covered)


def spread(items: Array, most: int) -> Array:
    """At most so many of them, from the first to the last."""
    return items[np.unique(np.linspace(0, len(items) - 1, min(most, len(items))).astype(int))]


def line_text(encoding: TableEncoding, name: str, wave: str) -> str:
    """A dimension in a legend, and whether it is a sine or a cosine where its name does not say it."""
    label = phrase(encoding.dimension_label)
    return phrase("{label} {name} ({wave})", label=label, name=name, wave=wave) if wave else f"{label} {name}"


def wavelength_text(encoding: Encoding, wave: float) -> str:
    """A wavelength beside its line; its unit stands in the message or the caption."""
    about = "=" if isinstance(encoding, Harmonic) else "≈"
    return phrase("still") if np.isinf(wave) else f"λ {about} {short_length(encoding, wave)}"
