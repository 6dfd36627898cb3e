"""A measure against the offset: is it a function of p − q alone?"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, ClassVar

from pecli.core.errors import UsageError, option_text
from pecli.core.language import join_and, join_clauses, listing, merge_labels, template, translate
from pecli.core.lazy import Array, np
from pecli.core.numbers import ROUNDING, bound_text
from pecli.core.options import option
from pecli.core.positions import Positions
from pecli.encodings.base import BiasEncoding, Encoding, TableEncoding, short_names
from pecli.encodings.harmonic import Harmonic
from pecli.encodings.rope_scaling import Scaled
from pecli.figures.axis_labels import label_powers, label_values
from pecli.figures.base import Numbers, View, extremes_of_offsets, tells_of_offsets
from pecli.figures.canvas import Canvas
from pecli.figures.colors import colour_map, seen_colours
from pecli.figures.highlights import Highlighting, mark_stretch
from pecli.figures.lines import MAX_LINES, Look, bound_look, frame_lines, key, look, plot_run
from pecli.figures.panels import Panel, PanelGroup
from pecli.figures.trends import Point, Trend, farthest_text, trend_of
from pecli.measures.pairwise import MEASURES, is_by_offset, measure_option, offset_runs
from pecli.measures.reduce import check_run, envelope, even_bins, even_edges, log_edges, middles

if TYPE_CHECKING:
    from matplotlib.axes import Axes

BOUND = template(
    "dashed, right axis: mean of $|S_j|$, sums of the first j turns; times the number of pairs and the largest step of "
    "$q_j k_j^*$ from pair to pair (0 after the last), it bounds the product of any q and k"
)


BOUND_LABEL = template("mean of $|S_j|$, RoFormer 3.4.3")
FARTHEST = 1e12  # an offset farther than any that is shown


@dataclass(frozen=True, kw_only=True)
class OffsetsNumbers(Numbers[TableEncoding]):
    """mean, low, high : (encodings, n), over all pairs at each of n runs of offsets; offsets : (n,), their middles;
    decay : (encodings, n), RoFormer's bound, or empty; unscaled : (scaled encodings, n), the measure without the
    scaling, or empty."""

    main_array: ClassVar[str] = "mean"
    row_coordinates: ClassVar[tuple[str, ...]] = ("encoding",)
    column_coordinates: ClassVar[str | None] = "offsets"

    mean: Array
    encoding: Array
    offsets: Array
    low: Array
    high: Array
    decay: Array
    unscaled: Array
    block: int
    measure: str
    spread: tuple[float, ...]  # the widest band of each encoding over one offset, 0 where it is a line exactly
    undefined: tuple[int, ...]  # pairs of each encoding that are left out: a row is constant or zero

    def remarks(self) -> list[str]:
        left_out = [
            translate("{encoding}: {count:,} undefined pairs left out", encoding=encoding.name, count=count)
            for encoding, count in zip(self.view.encodings, self.undefined, strict=True)
            if count
        ]
        exact = "" if any(width != 0 for width in self.spread) else translate("at each offset all pairs agree")
        return [exact, extremes_of_offsets(self.block), *left_out]

    def marks(self) -> list[str]:
        wide = any(width > 0 for width in self.spread)
        band = template("line: mean of all pairs at that offset, band: from the smallest to the largest")
        dotted = translate("dotted: without the scaling") if len(self.unscaled) else ""
        return [translate(band) if wide else "", translate(BOUND) if len(self.decay) else "", dotted]

    def _wide(self) -> list[int]:
        """Return the encodings whose pairs differ at one offset."""
        scale = ROUNDING * float(np.nanmax(np.abs(self.mean), initial=0.0))
        return [at for at, width in enumerate(self.spread) if width > scale]

    def _trend(self, line: int) -> Trend | None:
        offsets = self.offsets if self.block == 1 else None
        return trend_of(self.low[line], self.mean[line], self.high[line], offsets)

    def labelled_points(self) -> list[Point]:
        """Return the points that the message names, where one line is drawn, offset by offset."""
        alone = len(self.mean) + len(self.decay) + len(self.unscaled) == 1
        trend = self._trend(0) if alone and self.block == 1 and not self._wide() else None
        return [] if trend is None else trend.labelled_points()

    def message(self) -> str:
        names, wide = short_names(self.view.encodings), self._wide()
        known = [at for at, width in enumerate(self.spread) if width >= 0]
        if wide:
            differ, texts = template("at one offset pairs differ by up to {number}"), []
            for at in known:
                exact = translate("only the offset counts")
                texts.append([translate(differ, number=bound_text(self.spread[at], 3)) if at in wide else exact])
            return join_clauses(merge_labels([names[at] for at in known], texts))
        trends = {names[at]: trend for at in known if (trend := self._trend(at)) is not None}
        if not trends:
            return ""
        measure = MEASURES[self.measure].label
        text = next(iter(trends.values())).text(measure) if len(known) == 1 else farthest_text(trends, measure)
        if not tells_of_offsets(self.view):
            return text
        return translate("only the offset counts: {text}", text=text) if text else translate("only the offset counts")

    def facts(self) -> dict[str, Any]:
        specs = [encoding.spec() for encoding in self.view.encodings]
        by_encoding = {"spread": self.spread, "undefined": self.undefined}
        return {"block": self.block, **{n: dict(zip(specs, v, strict=True)) for n, v in by_encoding.items()}}


@dataclass(frozen=True, kw_only=True)
class BiasLinesNumbers(Numbers[BiasEncoding]):
    """bias, low : (lines, n), the largest and smallest bias at each of n runs of offsets, NaN where no key is seen;
    offsets : (n,), their middles; encoding, head : (lines,), whose line it is."""

    main_array: ClassVar[str] = "bias"
    row_coordinates: ClassVar[tuple[str, ...]] = ("encoding", "head")
    column_coordinates: ClassVar[str | None] = "offsets"

    bias: Array
    low: Array
    offsets: Array
    encoding: Array
    head: Array
    block: int
    alike_from: int | None  # the distance from which on it no longer counts

    def remarks(self) -> list[str]:
        return [extremes_of_offsets(self.block)]

    def marks(self) -> list[str]:
        many = len(self.head) > MAX_LINES
        return [translate("dark to light: heads in order")] if many else []

    def message(self) -> str:
        if self.alike_from is not None:
            return translate(
                "from {count} positions on, the distance no longer counts", count=bound_text(self.alike_from)
            )
        steps = np.diff(self.bias, axis=1) * np.sign(self.offsets[1:] + self.offsets[:-1])
        falls = (steps < 0).any(axis=1).all() and not (steps > 0).any()
        return translate("the farther the key, the lower its bias, in every head") if falls else ""


@dataclass(frozen=True)
class Offsets(Highlighting[TableEncoding | BiasEncoding]):
    """The mean of a measure over all pairs of positions at each offset p − q, with its minimum and maximum as a band.

    Of encodings that are added to the score, the bias of every head.

    Notes
    -----
    The band is a line exactly where the encoding is translation invariant, ⟨PE_p, PE_q⟩ = g(p − q) (the fifth article).
    RoFormer's bound is on the scale of a dot product of (1, 0) pairs: Su et al. 2021, section 3.4.3, arXiv:2104.09864.
    """

    name: ClassVar[str] = "offsets"
    requires: ClassVar[Any] = TableEncoding | BiasEncoding
    summary: ClassVar[str] = "A measure against the offset: is it a function of p − q alone?"
    defines: ClassVar[str] = (
        "the measure of two vectors, or the bias of a head, against p − q: the line is the mean of all pairs "
        "there, the band least to most"
    )
    counts_positions: ClassVar[bool] = True
    example: ClassVar[str] = "pecli offsets -e sinusoidal -e binary --measure cos"
    examples: ClassVar[tuple[str, ...]] = ("pecli offsets rope sinusoidal -m cos -n 256",)
    several: ClassVar[bool] = True

    measure: str = measure_option("dot")
    decay: bool = option(False, "add RoFormer's bound on the decay, dashed")
    unscaled: bool = option(False, "add each rope that is scaled without its scaling, dotted")
    log: bool = option(False, "logarithmic axis of offsets, from 1")

    def check_view(self, view: View[Any]) -> None:
        super().check_view(view)
        lacking = [e.name for e in view.encodings if not isinstance(e, Harmonic)]
        if self.decay and lacking:
            text = f"--decay needs frequencies and {lacking[0]} has none"
            raise UsageError(text, option="decay", allowed="rope, sinusoidal and such")
        if self.unscaled and not any(_without_scaling(view.encodings)):
            text = "--unscaled needs a rope that is scaled"
            raise UsageError(text, option="unscaled", allowed="rope:scaling=yarn,factor=4,original=32768 and such")
        quantities = {e.quantity if isinstance(e, BiasEncoding) else "measure" for e in view.encodings}
        if len(quantities) > 1:
            raise UsageError(
                f"{join_and(sorted(quantities))} are not on one scale: offsets takes encodings of one kind"
            )
        if _are_biases(view) and self.changed().get("measure"):
            text = f"{option_text('measure', self.measure)} compares vectors, and {view.encoding.name} is a bias"
            raise UsageError(text, option="measure", value=self.measure)
        lengths = {e.name: _length(replace(view, encodings=(e,))) for e in view.encodings}
        if len({*lengths.values()}) > 1:
            given = join_and(f"{name} has {length:,}" for name, length in lengths.items())
            raise UsageError(f"offsets overlays encodings with as many offsets: {given}", option="encoding")
        check_run(self.name, _length(view))
        if self.log and _length(view) < 2:
            raise UsageError("offsets with --log takes 2 or more positions", option="length")
        self.check_spans(self.shown(view))

    def shown(self, view: View[Any]) -> Positions:
        """Return the offsets that are drawn."""
        first = 1 if self.log else _first_offset(view) if _are_biases(view) else 0
        return Positions(start=first, length=max(1, _length(view) - first))

    def shape(self, view: View[Any]) -> tuple[int, ...]:
        if _are_biases(view):
            lines = sum(encoding.n_heads for encoding in view.encodings)
            return (3, lines, even_bins(2 * _length(view), view.pixel_columns))
        exact = all(is_by_offset(encoding, MEASURES[self.measure]) for encoding in view.encodings)
        bins = even_bins(_length(view), view.pixel_columns)
        return (3, len(view.encodings), bins if exact else bins + _length(view))

    def compute(self, view: View[Any]) -> OffsetsNumbers | BiasLinesNumbers:
        shown, columns = self.shown(view), view.pixel_columns
        edges = log_edges(_length(view), columns) if self.log else shown.start + even_edges(shown.length, columns)
        if _are_biases(view):
            return _bias_lines(view, edges)
        measure, offsets = MEASURES[self.measure], middles(edges)
        runs = [offset_runs(e, measure, e.covered(view.positions), edges) for e in view.encodings]
        low, high, mean = (np.concatenate(parts) for parts in zip(*[run.values for run in runs], strict=True))
        none = np.empty((0, len(offsets)))
        decay = [e.decay(offsets)[None] for e in view.encodings if self.decay]
        plain = [
            offset_runs(e, measure, e.covered(view.positions), edges).values.mean
            for e in _without_scaling(view.encodings)
            if e and self.unscaled
        ]
        return OffsetsNumbers(
            view=view,
            mean=mean,
            encoding=np.arange(len(mean)),
            offsets=offsets,
            low=low,
            high=high,
            decay=np.concatenate([none, *decay]),
            unscaled=np.concatenate([none, *plain]),
            block=int(np.diff(edges).max()),
            measure=self.measure,
            spread=tuple(run.widest for run in runs),
            undefined=tuple(run.undefined for run in runs),
        )

    def panel_groups(self, view: View[Any], canvas: Canvas) -> list[PanelGroup]:
        x = (_are_biases(view), self.shown(view))
        return [PanelGroup((Panel(0.55, x=x, ends=self._quantity(view), legend_below=self.decay),))]

    def decorate(self, view: View[Any], axes: list[Axes], canvas: Canvas) -> None:
        from pecli.figures.labels import label_lines

        (panel,), shown = axes, self.shown(view)
        frame_lines(panel, shown.start, shown.stop - 1, log=self.log)
        mark_stretch(panel, self.spans(), canvas)
        label = translate("offset p − q, query less key" if _are_biases(view) else "offset p − q")
        if self.log:
            label_powers(panel.xaxis, label)
        else:
            label_values(panel.xaxis, label, integer=True)
        label_values(panel.yaxis, self._quantity(view))
        if _are_biases(view):
            several, looks = len(view.encodings) > 1, _bias_looks(view, panel)
            names = [listing([e.name * several, e.head_text(n)]) for e in view.encodings for n in range(e.n_heads)]
        else:
            names = [encoding.label() for encoding in view.encodings]
            looks = [self._look(line) for line in range(len(names))]
        entries = list(zip(names, looks, strict=True))
        if self.decay:
            bounds = [translate("bound for {name}, right axis", name=name) for name in short_names(view.encodings)]
            label_values(panel.secondary_yaxis("right").yaxis, translate(BOUND_LABEL))
            key(panel, [*entries, *((text, bound_look(line)) for line, text in enumerate(bounds))])
        elif len(entries) > 1 or self.unscaled:
            label_lines(panel, entries, canvas)

    def draw(self, numbers: Any, axes: list[Axes], canvas: Canvas) -> list[Any]:
        from pecli.figures.labels import end_of, label_dots, put_line_labels

        (panel,), offsets = axes, numbers.offsets
        if isinstance(numbers, BiasLinesNumbers):
            looks = _bias_looks(numbers.view, panel)
            for line, encoding in enumerate(numbers.encoding):
                style = "default" if numbers.view.encodings[encoding].known else "steps-mid"
                plot_run(panel, offsets, numbers.low[line], numbers.bias[line], looks[line], style)
            put_line_labels(panel, [end_of(offsets, row) for row in numbers.bias])
            return [None]
        for line, (mean, low, high) in enumerate(zip(numbers.mean, numbers.low, numbers.high, strict=True)):
            panel.plot(offsets, mean, marker="o" if len(mean) == 1 else None, **self._look(line))
            panel.fill_between(offsets, low, high, color=f"C{line}", alpha=0.3, linewidth=0)
        if len(numbers.decay):
            scale = float(np.nanmax(numbers.mean) / numbers.decay.max())
            for line, decay in enumerate(numbers.decay):
                panel.plot(offsets, scale * decay, **bound_look(line))
            right: Any = panel.child_axes[0]  # the bound's own axis
            right.set_functions((lambda y: y / scale, lambda y: y * scale))
        put_line_labels(panel, [end_of(offsets, mean) for mean in numbers.mean])
        scaled = [line for line, plain in enumerate(_without_scaling(numbers.view.encodings)) if plain]
        for line, plain in zip(scaled, numbers.unscaled, strict=False):
            panel.plot(offsets, plain, ":", color=f"C{line}")
        points = {(point.offset or 0.0, point.value): point.text() for point in numbers.labelled_points()}
        for x, y in points:
            panel.plot([x], [y], marker="o", color=self._look(0)["color"], clip_on=False, zorder=3)
        label_dots(panel, points, canvas)
        return [None]

    def _look(self, line: int) -> Look:
        """Return the look of an encoding's line, without dashes beside bounds and the like, which have them."""
        return {"color": f"C{line}"} if self.decay or self.unscaled else look(line)

    def title(self, view: View[Any]) -> str:
        if len(view.encodings) == 1:
            return super().title(view)
        return join_clauses([translate("{what} by offset", what=self._quantity(view)), self.unseen(view)])

    def _quantity(self, view: View[Any]) -> str:
        """Return what is drawn upwards."""
        return translate(view.encoding.quantity) if _are_biases(view) else MEASURES[self.measure].label


def _are_biases(view: View[Any]) -> bool:
    return isinstance(view.encoding, BiasEncoding)


def _length(view: View[Any]) -> int:
    """Return how many positions the first encoding has, or rows its table."""
    return view.positions.length if _are_biases(view) else view.covered.length


def _without_scaling(encodings: Sequence[Encoding]) -> list[Scaled | None]:
    """Return each encoding without its scaling, None where it has none."""
    return [e.unscaled() if isinstance(e, Scaled) and e.scaling != "default" else None for e in encodings]


def _first_offset(view: View[BiasEncoding]) -> int:
    """Return the lowest offset at which a head of some encoding sees a key."""
    seen = any(np.isfinite(encoding.bias(np.array([-1.0]))).any() for encoding in view.encodings)
    return 1 - view.positions.length if seen else 0


def _biases(view: View[BiasEncoding], offsets: Array) -> Array:
    """Return the bias of every line at these offsets, (lines, n)."""
    return np.concatenate([encoding.bias(offsets) for encoding in view.encodings])


def _bias_lines(view: View[BiasEncoding], edges: Array) -> BiasLinesNumbers:
    heads = [encoding.n_heads for encoding in view.encodings]

    def values(first: int, count: int) -> Array:
        rows = _biases(view, first + np.arange(count, dtype=np.float64))
        return np.where(np.isfinite(rows), rows, np.nan)

    low, high, _ = envelope(values, edges, sum(heads))
    return BiasLinesNumbers(
        view=view,
        bias=high,
        low=low,
        offsets=middles(edges),
        encoding=np.repeat(np.arange(len(heads)), heads),
        head=np.concatenate([np.arange(count) for count in heads]),
        block=int(np.diff(edges).max()),
        alike_from=_alike_from(view),
    )


def _alike_from(view: View[BiasEncoding]) -> int | None:
    """Return the distance from which on all keys of a side have one bias, None where that is beyond the positions."""
    sides = np.array([-1.0, 1.0])
    farthest = _biases(view, FARTHEST * sides)

    def is_alike(distance: int) -> bool:
        return bool((_biases(view, distance * sides) == farthest)[np.isfinite(farthest)].all())

    last = view.positions.length - 1
    return bisect_left(range(last), True, key=is_alike) if is_alike(last) else None


def _bias_looks(view: View[BiasEncoding], axes: Axes) -> list[Look]:
    """Return the look of each line: of many, colours from dark to light by head, and dashes by encoding."""
    lines = [(at, head / max(1, e.n_heads - 1)) for at, e in enumerate(view.encodings) for head in range(e.n_heads)]
    if len(lines) <= MAX_LINES:
        return [look(line) for line in range(len(lines))]
    shades = seen_colours(colour_map("sequential", None), axes)
    return [{"color": shades(share), "linestyle": look(at)["linestyle"]} for at, share in lines]
