"""Chosen dimensions against position: how often each column changes."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

from pecli.analysis import check_indices
from pecli.core.language import listing, say
from pecli.core.lazy import Array, Axes, np
from pecli.core.options import option
from pecli.encodings.base import TableEncoding
from pecli.encodings.harmonic import Harmonic
from pecli.figures.base import Figure, Numbers, View, extremes
from pecli.figures.wavelengths import has_known_waves, short_length, short_wave_text, wavelength_unit
from pecli.files.sheet import aside, over
from pecli.measures.reduce import check_run, envelope, even_bins, even_edges, middles
from pecli.measures.waves import wavelengths
from pecli.page.axis_labels import label_positions
from pecli.page.canvas import Canvas
from pecli.page.lines import MAX_LINES, Look, frame_lines, plot_run
from pecli.page.panels import Panel, PanelGroup

DEFAULT_LINES = 5  # dimensions where none are asked for
ROUGH, FEW = 10.0, 400  # a line of a shorter wavelength has corners, seen among so many positions
LANE = 2.4  # from one lane to the next, in which the largest value is 1


@dataclass(frozen=True, kw_only=True)
class WavesNumbers(Numbers[TableEncoding]):
    """The largest and smallest value at each run of positions, a line a dimension."""

    values: Array = over("line", "position")
    dims: Array = over("line", name="dimension")
    low: Array = aside("line", "position")
    positions: Array = over("position")
    wavelengths: Array = over("line")  # positions, measured where no formula gives them
    block: int = aside()
    limit: float  # the largest absolute value

    def remarks(self) -> list[str]:
        shown, width = len(self.dims), self.view.encoding.width
        part = say("words.of_dimensions", count=shown, all=width) if shown < width else ""
        return [part, self._slowest(), extremes(self.block)]

    def _slowest(self) -> str:
        """Return the longest wavelength of all, where it is known and none that is shown is as long."""
        encoding = self.view.encoding
        longest = float(periods(self.view).max()) if has_known_waves(encoding) else 0.0
        if not self.wavelengths.max() < longest < np.inf:
            return ""
        return say("waves.the_slowest_not_shown", wave=short_length(encoding, longest))

    def marks(self) -> list[str]:
        few = self.view.encoding.continuous and self.view.covered.length <= FEW and self.wavelengths.min() < ROUGH
        joined = say("waves.lines_join_the_values") if few else ""
        return [wavelength_unit(self.view.encoding), joined] if np.isfinite(self.wavelengths).any() else []

    def message(self) -> str:
        """Return from what to what waves get longer, in the order in which they are drawn, where they do."""
        encoding, waves = self.view.encoding, self.wavelengths
        moving = waves[np.isfinite(waves)]
        known = has_known_waves(encoding) and not encoding.sides  # by rows and by columns are not the same length
        if len(np.unique(moving)) < 2 or not known or (waves[:-1] > waves[1:]).any():
            return ""
        low, high = short_wave_text(encoding, float(moving[0])), short_length(encoding, float(moving[-1]))
        if encoding.dimension_names() is not None or (np.diff(self.dims) <= 0).any():
            return say("waves.wavelength_grows_from_top", low=low, high=high)
        first, last = int(self.dims[0]), int(self.dims[len(moving) - 1])
        text = "waves.wavelength_grows_with_at"
        if (np.diff(moving) == 0).any():  # a sine and its cosine
            text = "waves.wavelength_grows_from_pair"
        name = say(encoding.dimension_label)
        return say(text, dimension=name, low=low, first=first, high=high, last=last)


@dataclass(frozen=True)
class Waves(Figure[TableEncoding]):
    """The values of chosen dimensions, one line each, in lanes one below the other.

    Notes
    -----
    The third article's advice on the heatmap, read how often each column changes, made a picture of its own.
    """

    name: ClassVar[str] = "waves"
    requires: ClassVar[Any] = TableEncoding
    defines: ClassVar[str] = (
        "a lane: one column of the table against position, scaled to its largest value; λ = 2π/ω, the "
        "positions that one turn takes"
    )
    counts_positions: ClassVar[bool] = True
    example: ClassVar[str] = "pecli waves --dims 4,5,6,7"
    copies: ClassVar[int] = 7
    examples: ClassVar[tuple[str, ...]] = ("pecli waves --dims 0..6 -n 60",)

    dims: tuple[int, ...] | None = option(
        None, "the dimensions", at_least=0, unset=f"{DEFAULT_LINES} from fast to slow, those that move first"
    )

    def chosen(self, view: View[TableEncoding]) -> Array:
        """Return the dimensions to draw."""
        check_indices("dims", self.dims, view, view.encoding.width, "dimensions")
        if self.dims is not None:
            return np.array(list(dict.fromkeys(self.dims)))
        waves, lanes = periods(view), view.encoding.width if view.encoding.width <= MAX_LINES else DEFAULT_LINES
        order = np.argsort(waves, kind="stable")
        moving = np.count_nonzero(waves <= 4 * view.covered.length)  # a longer wave looks like a constant
        first = order[: max(moving, lanes)]
        return first[np.unique(np.linspace(0, len(first) - 1, lanes).astype(int))]

    def check_view(self, view: View[TableEncoding]) -> None:
        super().check_view(view)
        check_run(self.name, view.covered.length)
        self.chosen(view)

    def shape(self, view: View[TableEncoding]) -> tuple[int, ...]:
        return (len(self.chosen(view)), even_bins(view.covered.length, view.line_points))

    def compute(self, view: View[TableEncoding]) -> WavesNumbers:
        encoding, rows, dims = view.encoding, view.covered, self.chosen(view)
        edges = even_edges(rows.length, view.line_points)
        block = int(edges[1])
        found = encoding.extremes(dims, rows.start + edges) if block > 1 else None
        low, high = (
            found
            or envelope(lambda first, count: encoding.columns(dims, rows.start + first, count), edges, len(dims))[:2]
        )
        return WavesNumbers(
            view=view,
            values=high,
            dims=dims,
            low=low,
            positions=rows.start + middles(edges),
            wavelengths=periods(view)[dims],
            block=block,
            limit=float(max(np.abs(low).max(), np.abs(high).max())) or 1.0,
        )

    def panel_groups(self, view: View[TableEncoding], canvas: Canvas) -> list[PanelGroup]:
        lanes = ("lanes", view.encodings, tuple(self.chosen(view).tolist()))
        aspect, least = 0.8 if canvas.narrow else 0.5, (10.0, 1.4 * len(lanes[-1]))  # lanes would be flat
        return [PanelGroup((Panel(aspect, x=("positions", view.covered), y=lanes, least=least),))]

    def decorate(self, view: View[TableEncoding], axes: list[Axes], canvas: Canvas) -> None:
        encoding, dims = view.encoding, self.chosen(view)
        frame_lines(axes[0], view.covered.start, view.covered.stop - 1)
        label_positions(axes[0].xaxis, encoding)
        axes[0].set_ylabel(say(encoding.dimension_label))
        names = encoding.dimension_names()
        lanes = [names[dim] if names else str(dim) for dim in dims]
        axes[0].set_ylim(LANE * (0.5 - len(dims)), LANE * 0.5)
        axes[0].set_yticks(-LANE * np.arange(len(dims)), lanes)
        kinds = [""] * len(dims)  # whether a line is a sine or a cosine, where its lane does not say it
        if isinstance(encoding, Harmonic) and names is None:
            kinds = [encoding.wave_names()[dim] for dim in dims]
        texts = [wavelength_text(encoding, wave) for wave in periods(view)[dims]]
        right: Any = axes[0].secondary_yaxis("right")
        right.set_yticks(-LANE * np.arange(len(dims)), [listing(both) for both in zip(kinds, texts, strict=True)])
        right.tick_params(length=0)
        right.spines[:].set_visible(False)

    def _looks(self, view: View[TableEncoding]) -> list[Look]:
        """Return the look of every line: cosines are dashed."""
        encoding, dims = view.encoding, self.chosen(view)
        names = encoding.wave_names() if isinstance(encoding, Harmonic) else [""] * encoding.width
        return [{"color": "C0", "linestyle": "--" if names[dim] == "cos" else "-"} for dim in dims]

    def draw(self, numbers: WavesNumbers, axes: list[Axes], canvas: Canvas) -> list[Any]:
        style = "default" if numbers.view.encoding.continuous else "steps-mid"
        scaled = (numbers.low / numbers.limit, numbers.values / numbers.limit, self._looks(numbers.view))
        for lane, (low, high, look) in enumerate(zip(*scaled, strict=True)):
            plot_run(axes[0], numbers.positions, low - LANE * lane, high - LANE * lane, look, style)
        return [None]


def periods(view: View[TableEncoding]) -> Array:
    """Return the wavelength of every column, positions, shape (d,)."""
    encoding = view.encoding
    if isinstance(encoding, Harmonic):
        return encoding.column_wavelengths()
    return wavelengths(encoding, view.covered)


def wavelength_text(encoding: TableEncoding, wave: float) -> str:
    """Return a wavelength beside its line; its unit stands in the message or the caption."""
    about = "=" if has_known_waves(encoding) else "≈"
    return say("words.still") if np.isinf(wave) else f"λ {about} {short_length(encoding, wave)}"
