"""Chosen dimensions against position, to show how often each column changes."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

from pecli.analysis import check_indices
from pecli.core.language import join_title, say
from pecli.core.lazy import Array, Axes, np
from pecli.core.options import option
from pecli.encodings.base import TableEncoding
from pecli.encodings.harmonic import Harmonic
from pecli.figures.base import Numbers, View, extremes_note
from pecli.figures.revealing import Revealing
from pecli.figures.wavelengths import has_known_waves, repetition_text, short_length, wavelength_unit
from pecli.files.sheet import aside, over
from pecli.measures.reduce import bin_centres, check_line_length, envelope, even_bins, even_edges
from pecli.measures.waves import column_periods
from pecli.page.axis_labels import along_lines, positions_axis
from pecli.page.canvas import Canvas
from pecli.page.colors import legible
from pecli.page.lines import MAX_LINES, Look, plot_dots, plot_run, shades
from pecli.page.panels import Axis, Panel, PanelGroup
from pecli.page.text import points_per_pixel
from pecli.page.words import ems

DEFAULT_LANES = 5  # default number of lanes
ROUGH, FEW = 10.0, 400  # waves shorter than ROUGH have visible corners if drawn over up to FEW positions
TO_CREST = 1.25  # wavelengths from 0 to a sine's second crest, where it visibly repeats
LEAST = 3.5  # ems: height of a lane with room for the text of its wavelength
LANE, ABOVE, MEASURE = 3.0, 0.25, 1.4  # distance of lanes, space above the first, height of a wavelength's label
KEY = 0.7  # height of "sin" and "cos" above and below the centre of a lane
DOTTED = 120  # with more positions there are no dots
FINE = 2000  # least number of points of a curve
MANY = 6  # with more pairs, colours show their order


@dataclass(frozen=True, kw_only=True)
class WavesNumbers(Numbers[TableEncoding]):
    """The largest (`values`) and smallest (`low`) value of each dimension in each bin of positions."""

    values: Array = over("line", "position")
    dims: Array = over("line", name="dimension")
    low: Array = aside("line", "position")
    positions: Array = over("position")
    wavelengths: Array = over("line")  # in positions, estimated without a formula
    block: int = aside()
    limit: float  # the largest absolute value

    def remarks(self) -> list[str]:
        shown, width = len(self.dims), self.view.encoding.width
        part = say("words.of_dimensions", count=shown, all=width) if shown < width else ""
        return [part, self._slowest_note(), extremes_note(self.view.encoding, self.block)]

    def _slowest_note(self) -> str:
        """Return the note on the longest wavelength, if it is known and no shown wave is as long."""
        encoding = self.view.encoding
        longest = float(column_periods(encoding, self.view.covered).max()) if has_known_waves(encoding) else 0.0
        if not self.wavelengths.max() < longest < np.inf:
            return ""
        return say("waves.the_slowest_not_shown", wave=short_length(encoding, longest))

    def marks(self) -> list[str]:
        encoding = self.view.encoding
        few = encoding.continuous and self.view.covered.length <= FEW and self.wavelengths.min() < ROUGH
        joined = say("waves.lines_join_the_values") if few and not is_curve(encoding) else ""
        dots = say("waves.dots_values") if is_curve(encoding) and self.view.covered.length <= DOTTED else ""
        return [wavelength_unit(encoding), dots, joined] if np.isfinite(self.wavelengths).any() else []

    def message(self) -> str:
        """Return the headline: how often the fastest and the slowest dimension repeat."""
        return repetition_text(self.view.encoding, self.dims, self.wavelengths)


@dataclass(frozen=True)
class Waves(Revealing[TableEncoding]):
    """The values of chosen dimensions, one line each, in strips one below the other, which are called lanes.

    Notes
    -----
    A sine is drawn as a curve, with dots at the positions if they have room; one wavelength is measured from crest to
    crest. Each chosen dimension has its own lane, and a sine and its cosine have the same colour. By default, the two
    columns of a pair share a lane, and pairs are chosen that visibly repeat. In a heatmap the repetitions would have to
    be counted.
    """

    name: ClassVar[str] = "waves"
    requires: ClassVar[Any] = TableEncoding
    defines: ClassVar[str] = (
        "each lane shows one column of the table against position, or a sine and its cosine, scaled to the largest "
        "value; λ = 2π/ω is the number of positions per turn"
    )
    counts_positions: ClassVar[bool] = True
    example: ClassVar[str] = "pecli waves --dims 4,5,6,7"
    copies: ClassVar[int] = 7
    examples: ClassVar[tuple[str, ...]] = ("pecli waves --dims 0..6 -n 60",)

    dims: tuple[int, ...] | None = option(
        None, "dimensions to show", at_least=0, unset=f"{DEFAULT_LANES} columns or pairs, from fast to slow"
    )

    def lanes(self, view: View[TableEncoding]) -> list[tuple[int, ...]]:
        """Return the dimensions in each lane: the chosen ones, or by default pairs or columns, the fastest first."""
        check_indices("dims", self.dims, view, view.encoding.width, "dimensions")
        if self.dims is not None:
            return [(dim,) for dim in dict.fromkeys(self.dims)]
        found = groups_of_columns(view.encoding)
        waves = column_periods(view.encoding, view.covered)[[own[0] for own in found]]
        lanes = len(found) if len(found) <= MAX_LINES else DEFAULT_LANES
        repeated = np.count_nonzero(TO_CREST * waves <= view.covered.length - 1)
        first = np.argsort(waves, kind="stable")[: max(repeated, lanes)]
        return [found[at] for at in first[np.unique(np.linspace(0, len(first) - 1, lanes).astype(int))].tolist()]

    def drawn_dims(self, view: View[TableEncoding]) -> Array:
        """Return the dimensions to draw."""
        return np.array([dim for lane in self.lanes(view) for dim in lane])

    def steps(self, view: View[TableEncoding]) -> int:
        return len(self.lanes(view))

    def check_view(self, view: View[TableEncoding]) -> None:
        super().check_view(view)
        check_line_length(self.name, view.covered.length)
        self.drawn_dims(view)
        self.check_revealed(view)

    def shape(self, view: View[TableEncoding]) -> tuple[int, ...]:
        return (len(self.drawn_dims(view)), even_bins(view.covered.length, view.line_points))

    def compute(self, view: View[TableEncoding]) -> WavesNumbers:
        encoding, rows, dims = view.encoding, view.covered, self.drawn_dims(view)
        edges = even_edges(rows.length, view.line_points)
        block = int(edges[1])
        found = encoding.extremes(dims, rows.start + edges) if block > 1 else None
        low, high = (
            found
            or envelope(lambda first, count: encoding.columns(dims, rows.start + first, count), edges, len(dims))[:2]
        )
        shown = sum(map(len, self.lanes(view)[: self.drawn_steps(view)]))
        return WavesNumbers(
            view=view,
            values=high[:shown],
            dims=dims[:shown],
            low=low[:shown],
            positions=rows.start + bin_centres(edges),
            wavelengths=column_periods(view.encoding, view.covered)[dims[:shown]],
            block=block,
            limit=float(max(np.abs(low).max(), np.abs(high).max())) or 1.0,
        )

    def panel_groups(self, view: View[TableEncoding], canvas: Canvas) -> list[PanelGroup]:
        encoding, lanes, rows = view.encoding, self.lanes(view), view.covered
        count = len(lanes)
        ends = LANE * (0.5 - count), LANE * 0.5 + ABOVE
        places = tuple((-LANE * np.arange(count)).tolist())
        x = along_lines(positions_axis(encoding), rows.start, rows.stop - 1)
        y = Axis(say(encoding.dimension_label), ends, tuple(_lane_names(encoding, lanes)), places)
        aspect = max(0.9, 0.16 * count) if canvas.narrow else max(0.5, 0.08 * count)  # flatter ones would squeeze lanes
        return [PanelGroup((Panel(aspect, x=x, y=y, grid=True, least=(10.0, 2.2 * count)),))]

    def decorate(self, view: View[TableEncoding], axes: list[Axes], canvas: Canvas) -> None:
        encoding, lanes = view.encoding, self.lanes(view)
        joint, looks = len(lanes[0]) > 1, self._looks(view, axes[0], canvas)
        for label, look in zip(axes[0].get_yticklabels(), looks, strict=False) if not joint else ():
            label.set_color(legible(look["color"], axes[0]))
        if not joint or not isinstance(encoding, Harmonic):
            return
        if all(kinds := [encoding.wave_names()[dim] for dim in lanes[0]]):
            style: dict[str, Any] = {"fontsize": canvas.small, "weight": "medium", "va": "center"}
            style |= {"xycoords": axes[0].get_yaxis_transform(), "textcoords": "offset points"}
            for kind, look, up in zip(kinds, looks, (KEY, -KEY), strict=False):
                colour = legible(look["color"], axes[0])
                axes[0].annotate(kind, (1.0, up), (5 * canvas.scale, 0), color=colour, **style)

    def _looks(self, view: View[TableEncoding], panel: Axes, canvas: Canvas) -> list[Look]:
        """Return the style of every line.

        There is one colour per pair. If the lines of a pair are drawn in the same strip (lane), there is one colour for
        all sines and one for all cosines.
        """
        encoding, dims = view.encoding, self.drawn_dims(view)
        if not isinstance(encoding, Harmonic):
            return [{"color": "C0"}] * len(dims)
        if max(map(len, lanes := self.lanes(view))) > 1:
            return [{"color": f"C{at}"} for lane in lanes for at in range(len(lane))]
        pairs = [pair for _, pair in encoding.waves()]
        order = list(dict.fromkeys(pairs[dim] for dim in dims))
        colours = [f"C{at}" for at in range(len(order))]
        if len(order) > MANY:
            colours = [look["color"] for look in shades(len(order), panel, canvas)]
        return [{"color": colours[order.index(pairs[dim])]} for dim in dims]

    def draw(self, numbers: WavesNumbers, axes: list[Axes], canvas: Canvas) -> list[Any]:
        (panel,), encoding, rows = axes, numbers.view.encoding, numbers.view.covered
        style = "default" if encoding.continuous else "steps-mid"
        looks = self._looks(numbers.view, panel, canvas)
        crests = crests_of(encoding, numbers.dims, rows.start)
        curved = is_curve(encoding) and numbers.block == 1 and rows.length > 1
        fine = np.linspace(rows.start, rows.stop - 1, max(FINE, 4 * len(numbers.positions)))
        scaled = zip(numbers.low / numbers.limit, numbers.values / numbers.limit, looks, strict=False)
        lanes = [(lane, at) for lane, own in enumerate(self.lanes(numbers.view)) for at in range(len(own))]
        for line, ((lane, at), (low, high, look)) in enumerate(zip(lanes, scaled, strict=False)):  # lines shown so far
            base, dotted = -LANE * lane, rows.length <= DOTTED
            if curved:
                curve = sine_column(encoding, int(numbers.dims[line]), fine) / numbers.limit
                thin: Look = {"linewidth": 0.7 * canvas.scale, "alpha": 0.6} if dotted else {"linewidth": canvas.scale}
                panel.plot(fine, curve + base, **look, **thin)
            else:
                plot_run(panel, numbers.positions, low + base, high + base, look, style)
            if curved and dotted:
                rim: Look = {"markeredgewidth": 0, "zorder": 3}
                plot_dots(panel, numbers.positions, high + base, look["color"], canvas, 3.2, **rim)
            if at == 0:
                wave = float(numbers.wavelengths[line])
                text = wavelength_text(encoding, wave)
                _measure(panel, text, float(crests[line]), wave, base + MEASURE, canvas)
        return [None]


def _lane_names(encoding: TableEncoding, lanes: list[tuple[int, ...]]) -> list[str]:
    """Return the name of each lane: its dimension or dimensions, or their pair."""
    names, joint = encoding.dimension_names(), max(map(len, lanes)) > 1
    texts = [", ".join(names[dim] if names else str(dim) for dim in lane) for lane in lanes]
    if isinstance(encoding, Harmonic) and joint and names:
        pairs = encoding.waves()
        return [encoding.pair_text(pairs[lane[0]][1]) for lane in lanes]
    if isinstance(encoding, Harmonic) and not joint and names is None:
        kinds = encoding.wave_names()
        return [join_title([text, kinds[dim]]) for text, (dim,) in zip(texts, lanes, strict=True)]
    return texts


def _measure(panel: Axes, text: str, crest: float, wave: float, height: float, canvas: Canvas) -> None:
    """Write a wavelength above its lane, on a line from crest to crest if both are shown, otherwise at the left.

    Where lanes are too low for text, draw only the line.

    crest, wave : position of the first crest, and distance to the next
    height : vertical coordinate of the line and the text
    """
    (low, high), shown = panel.get_xlim(), panel.xaxis.shown  # type: ignore[attr-defined]
    ink = panel.xaxis.label.get_color()
    lane = LANE * float(panel.bbox.height) * points_per_pixel(panel) / float(np.ptp(panel.get_ylim()))
    tall = lane >= LEAST * canvas.small
    style: dict[str, Any] = {"fontsize": canvas.small, "color": ink, "va": "center", "clip_on": False, "zorder": 1.6}
    if not (np.isfinite(crest) and crest + wave <= shown[1]):
        if tall:
            panel.text(shown[0], height, text, ha="left", **style)
        return
    mark: Look = {"marker": "|", "markersize": 4 * canvas.scale, "markeredgewidth": 0.9 * canvas.scale}
    line: Look = {
        "color": ink,
        "linewidth": 0.9 * canvas.scale,
        "solid_capstyle": "butt",
        "clip_on": False,
        "zorder": 1.5,
    }
    panel.plot([crest, crest + wave], [height] * 2, **line, **mark)
    if not tall:
        return
    point = (high - low) / (float(panel.bbox.width) * points_per_pixel(panel))  # positions per point
    if wave > (ems(text) + 2) * canvas.small * point:
        ground: dict[str, Any] = {"facecolor": panel.get_facecolor(), "edgecolor": "none", "pad": 1.5 * canvas.scale}
        panel.text(crest + wave / 2, height, text, ha="center", bbox=ground, **style)
        return
    panel.text(crest + wave + canvas.small / 2 * point, height, text, ha="left", **style)


def groups_of_columns(encoding: TableEncoding) -> list[tuple[int, ...]]:
    """Return the columns of each pair, or single columns for an encoding without pairs."""
    if not isinstance(encoding, Harmonic):
        return [(dim,) for dim in range(encoding.width)]
    found: dict[int, list[int]] = {}
    for dim, (wave, pair) in enumerate(encoding.waves()):
        if wave != "0":
            found.setdefault(pair, []).append(dim)
    return [*map(tuple, found.values())]


def is_curve(encoding: TableEncoding) -> bool:
    """Return whether columns are sines that are also defined between whole positions."""
    return isinstance(encoding, Harmonic) and not encoding.sides and encoding.own_positions is None


def sine_column(encoding: TableEncoding, dim: int, positions: Array) -> Array:
    """Return the values of a column of sines at positions (n,), which need not be whole."""
    assert isinstance(encoding, Harmonic)
    wave, pair = encoding.waves()[dim]
    if wave == "0":
        return np.zeros(len(positions))
    angles = encoding.frequencies()[pair] * positions + encoding.phases[pair]
    radius = encoding.amplitudes[pair] * np.exp(-encoding.decay_rates[pair] * positions)
    return np.asarray(radius * (np.sin(angles) if wave == "sin" else np.cos(angles)))


def crests_of(encoding: TableEncoding, dims: Array, start: int) -> Array:
    """Return the first crest of each column at or after position `start`, shape (dims,); NaN if unknown."""
    found = np.full(len(dims), np.nan)
    if not is_curve(encoding):
        return found
    assert isinstance(encoding, Harmonic)
    for at, dim in enumerate(dims.tolist()):
        wave, pair = encoding.waves()[dim]
        rate = float(encoding.frequencies()[pair])
        if rate and wave != "0":
            phase = (np.pi / 2 if wave == "sin" else 0.0) - float(encoding.phases[pair]) - rate * start
            found[at] = start + phase % (2 * np.pi) / rate
    return found


def wavelength_text(encoding: TableEncoding, wave: float) -> str:
    """Return the label of a wavelength beside its line, such as "λ = 6.28"; "≈" for estimates."""
    about = "=" if has_known_waves(encoding) else "≈"
    return say("words.still") if np.isinf(wave) else f"λ {about} {short_length(encoding, wave)}"
