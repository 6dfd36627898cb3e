"""A measure against the offset: is it a function of p − q alone?"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar, TypeGuard

from pecli.core.errors import UsageError, option_text
from pecli.core.language import clauses, phrase, said_by_each, template
from pecli.core.lazy import Array, np
from pecli.core.numbers import ROUNDING, bound_text
from pecli.core.options import option
from pecli.core.positions import Positions
from pecli.encodings.base import BiasEncoding, Encoding, TableEncoding, short_names
from pecli.encodings.harmonic import Harmonic
from pecli.encodings.rope_scaling import Scaled
from pecli.figures.axis_labels import label_powers, label_values
from pecli.figures.base import Numbers, View, extremes_of_offsets, tells_of_offsets
from pecli.figures.bias import (
    BiasLinesNumbers,
    bias_lines,
    check_biases,
    draw_bias_lines,
    first_offset,
    looks_of_lines,
    names_of_lines,
    short_names_of_lines,
)
from pecli.figures.canvas import Canvas
from pecli.figures.highlights import Highlighting, mark_stretch
from pecli.figures.lines import Look, bound_look, frame_lines, key, look
from pecli.figures.panels import Panel, PanelGroup
from pecli.figures.trends import Point, farthest_text, point_text, trend_of
from pecli.measures.pairwise import MEASURES, OffsetRuns, is_by_offset, measure_option, offset_runs
from pecli.measures.reduce import check_run, even_bins, even_edges, log_edges, middles

if TYPE_CHECKING:
    from matplotlib.axes import Axes

BOUND = template(
    "dashed, right axis: mean of $|S_j|$, sums of the first j turns; times the number of pairs and the largest step of "
    "$q_j k_j^*$ from pair to pair (0 after the last), it bounds the product of any q and k"
)


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
        rows = zip(self.view.encodings, self.undefined, strict=True)
        left_out = [
            phrase("{encoding}: {count:,} undefined pairs left out", encoding=encoding.name, count=count)
            for encoding, count in rows
            if count
        ]
        alike = all(width == 0 for width in self.spread)
        exact = phrase("at each offset all pairs agree") if alike else ""
        return [exact, extremes_of_offsets(self.block), *left_out]

    def marks(self) -> list[str]:
        wide = any(width > 0 for width in self.spread)
        band = template("line: mean of all pairs at that offset, band: from the smallest to the largest")
        dotted = phrase("dotted: without the scaling") if len(self.unscaled) else ""
        return [phrase(band) if wide else "", phrase(BOUND) if len(self.decay) else "", dotted]

    def _wide(self) -> list[int]:
        """The encodings whose pairs differ at one offset."""
        scale = ROUNDING * float(np.nanmax(np.abs(self.mean), initial=0.0))
        return [at for at, width in enumerate(self.spread) if width > scale]

    def labelled_points(self) -> list[Point]:
        """The points that the message names, where one line is drawn, offset by offset."""
        if self.block > 1 or self._wide() or len(self.mean) + len(self.decay) + len(self.unscaled) > 1:
            return []
        trend = trend_of(self.low[0], self.mean[0], self.high[0], self.offsets)
        return [] if trend is None else trend.labelled_points()

    def message(self) -> str:
        known, wide = [at for at, width in enumerate(self.spread) if width >= 0], self._wide()
        names = short_names(self.view.encodings)
        if not wide:
            return self._trend_text([names[at] for at in known], known)
        if len(known) == 1:
            more = template("more than the offset counts: pairs at one offset differ by up to {number}")
            return phrase(more, number=bound_text(self.spread[wide[0]], 3))
        differ = template("at one offset pairs differ by up to {number}")
        said = [
            phrase(differ, number=bound_text(self.spread[at], 3)) if at in wide else phrase("only the offset counts")
            for at in known
        ]
        return clauses(said_by_each([names[at] for at in known], [[text] for text in said]))

    def _trend_text(self, names: list[str], lines: list[int]) -> str:
        """Where lines that are functions of the offset go; nothing where there is one offset alone."""
        exact, measure = self.offsets if self.block == 1 else None, MEASURES[self.measure].label
        trends = [trend_of(self.low[at], self.mean[at], self.high[at], exact) for at in lines]
        known = {name: one for name, one in zip(names, trends, strict=True) if one is not None}
        if not known:
            return ""
        one = next(iter(known.values()))
        text = one.text(measure) if len(names) == 1 else farthest_text(known, measure)
        if not tells_of_offsets(self.view):
            return text
        return phrase("only the offset counts: {text}", text=text) if text else phrase("only the offset counts")

    def facts(self) -> dict[str, Any]:
        specs = [encoding.spec() for encoding in self.view.encodings]
        by_encoding = {"spread": self.spread, "undefined": self.undefined}
        return {"block": self.block, **{n: dict(zip(specs, v, strict=True)) for n, v in by_encoding.items()}}


TOO_FEW = "offsets with {log} takes 2 or more positions"
BOUND_LABEL = template("mean of $|S_j|$, RoFormer 3.4.3")


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

    def check_view(self, view: View[TableEncoding | BiasEncoding]) -> None:
        super().check_view(view)
        check_run(self.name, view.positions.length)
        self.check_spans(self.shown(view))
        lacking = [e.name for e in view.encodings if not isinstance(e, Harmonic)]
        if self.decay and lacking:
            text = f"--decay needs frequencies and {lacking[0]} has none"
            raise UsageError(text, option="decay", allowed="rope, sinusoidal and such")
        if self.unscaled and not any(plain_of(view.encodings)):
            text = "--unscaled needs a rope that is scaled"
            raise UsageError(text, option="unscaled", allowed="rope:scaling=yarn,factor=4,original=32768 and such")
        if _all_biases(view):
            check_biases(view)
            if self.log and view.positions.length < 2:
                raise UsageError(TOO_FEW.format(log="--log"), option="length")
            if self.changed().get("measure"):
                text = f"{option_text('measure', self.measure)} compares vectors, and {view.encoding.name} is a bias"
                raise UsageError(text, option="measure", value=self.measure)
        elif _all_tables(view):
            self._check_lengths(view)
        else:
            raise UsageError("a bias and a measure of vectors are not on one scale: offsets takes one or the other")

    def shown(self, view: View[TableEncoding | BiasEncoding]) -> Positions:
        """The offsets that are drawn."""
        length = view.covered.length if _all_tables(view) else view.positions.length
        first = 1 if self.log else first_offset(view) if _all_biases(view) else 0
        return Positions(start=first, length=max(1, length - first))

    def _check_lengths(self, view: View[TableEncoding]) -> None:
        check_run(self.name, view.covered.length)
        rows = {encoding.name: encoding.covered(view.positions).length for encoding in view.encodings}
        if len({*rows.values()}) > 1:
            most, other = (of(rows, key=rows.__getitem__) for of in (max, min))
            has = f"{most} has 2n − 1 offsets, here {rows[most]:,}, and {other} {rows[other]:,}"
            text = f"offsets overlays encodings of one length: {has}"
            raise UsageError(text, option="encoding", value=most, advice=f"draw {most} alone")
        if self.log and min(rows.values()) < 2:
            raise UsageError(TOO_FEW.format(log="--log"), option="length")

    def edges(self, view: View[TableEncoding]) -> Array:
        """Borders of the runs of offsets."""
        length = view.covered.length
        if self.log:  # offsets 1 … length − 1
            return log_edges(length, view.pixel_columns)
        return even_edges(length, view.pixel_columns)

    def shape(self, view: View[TableEncoding | BiasEncoding]) -> tuple[int, ...]:
        if _all_biases(view):
            lines = sum(encoding.n_heads for encoding in view.encodings)
            return (3, lines, even_bins(2 * view.positions.length, view.pixel_columns))
        assert _all_tables(view)  # as checked
        return self._table_shape(view)

    def _table_shape(self, view: View[TableEncoding]) -> tuple[int, ...]:
        exact = all(is_by_offset(encoding, MEASURES[self.measure]) for encoding in view.encodings)
        bins = even_bins(view.covered.length, view.pixel_columns)
        return (3, len(view.encodings), bins if exact else bins + view.covered.length)

    def compute(self, view: View[TableEncoding | BiasEncoding]) -> OffsetsNumbers | BiasLinesNumbers:
        if _all_biases(view):
            return bias_lines(view, self.log)
        assert _all_tables(view)  # as checked
        return self._measured(view)

    def _measured(self, view: View[TableEncoding]) -> OffsetsNumbers:
        edges = self.edges(view)
        found = [self._runs(encoding, view, edges) for encoding in view.encodings]
        low, high, mean = (np.concatenate(parts) for parts in zip(*[one.values for one in found], strict=True))
        centres = middles(edges)
        decay = [e.decay(centres) for e in view.encodings if self.decay and isinstance(e, Harmonic)]
        plain = [self._runs(one, view, edges).values.mean for one in plain_of(view.encodings) if one and self.unscaled]
        return OffsetsNumbers(
            view=view,
            mean=mean,
            encoding=np.arange(len(mean)),
            offsets=centres,
            low=low,
            high=high,
            decay=np.array(decay) if decay else np.empty((0, len(centres))),
            unscaled=np.concatenate(plain) if plain else np.empty((0, len(centres))),
            block=int(np.diff(edges).max()),
            measure=self.measure,
            spread=tuple(one.widest for one in found),
            undefined=tuple(one.undefined for one in found),
        )

    def _runs(self, encoding: TableEncoding, view: View[TableEncoding], edges: Array) -> OffsetRuns:
        return offset_runs(encoding, MEASURES[self.measure], encoding.covered(view.positions), edges)

    def panel_groups(self, view: View[TableEncoding | BiasEncoding], canvas: Canvas) -> list[PanelGroup]:
        return [PanelGroup((Panel(0.55, x=(self._label(view), self.shown(view)), legend_below=self.decay),))]

    def _label(self, view: View[TableEncoding | BiasEncoding]) -> str:
        """What the axis of offsets shows."""
        return phrase("offset p − q, query less key" if _all_biases(view) else "offset p − q")

    def decorate(self, view: View[TableEncoding | BiasEncoding], axes: list[Axes], canvas: Canvas) -> None:
        from pecli.figures.labels import label_lines

        one, label = axes[0], self._label(view)
        names, short, bounds = [encoding.label() for encoding in view.encodings], None, []
        if _all_biases(view):
            names, short = names_of_lines(view), short_names_of_lines(view)
        elif self.decay:
            bounds = [phrase("bound for {name}, right axis", name=name) for name in short_names(view.encodings)]
        shown = self.shown(view)
        frame_lines(one, shown.start, shown.start + shown.length - 1, log=self.log)
        mark_stretch(one, self.spans(), canvas)
        if self.log:
            label_powers(one.xaxis, label)
        else:
            label_values(one.xaxis, label, integer=True)
        label_values(one.yaxis, self._quantity(view))
        looks = looks_of_lines(view, one) if _all_biases(view) else [*map(self._look, range(len(names)))]
        entries = [*zip(names, looks, strict=True), *((text, bound_look(n)) for n, text in enumerate(bounds))]
        if bounds:
            label_values(one.secondary_yaxis("right").yaxis, phrase(BOUND_LABEL))
            key(one, entries)
        elif len(entries) > 1 or self.unscaled:
            label_lines(one, entries, canvas, short=short)

    def draw(self, numbers: OffsetsNumbers | BiasLinesNumbers, axes: list[Axes], canvas: Canvas) -> list[Any]:
        from pecli.figures.labels import label_dots

        if isinstance(numbers, BiasLinesNumbers):
            draw_bias_lines(numbers, axes[0])
        else:
            self._draw_measured(numbers, axes[0])
            marks = {(at.offset or 0.0, at.value): point_text(at) for at in numbers.labelled_points()}
            for x, y in marks:
                axes[0].plot([x], [y], marker="o", color=self._look(0)["color"], clip_on=False, zorder=3)
            label_dots(axes[0], marks, canvas)
        return [None]

    def _look(self, line: int) -> Look:
        """The look of an encoding's line: without dashes beside bounds and the like, which have them."""
        return {"color": f"C{line}"} if self.decay or self.unscaled else look(line)

    def _draw_measured(self, numbers: OffsetsNumbers, axes: Axes) -> None:
        from pecli.figures.labels import end_of, put_line_labels

        for line, (mean, low, high) in enumerate(zip(numbers.mean, numbers.low, numbers.high, strict=True)):
            axes.plot(numbers.offsets, mean, marker="o" if len(mean) == 1 else None, **self._look(line))
            axes.fill_between(numbers.offsets, low, high, color=f"C{line}", alpha=0.3, linewidth=0)
        scale = float(np.nanmax(numbers.mean) / numbers.decay.max()) if len(numbers.decay) else 1.0
        for line, decay in enumerate(numbers.decay):
            axes.plot(numbers.offsets, scale * decay, **bound_look(line))
        for right in axes.child_axes:  # the bound's own axis
            right.set_functions((lambda y: y / scale, lambda y: y * scale))  # type: ignore[attr-defined]
        put_line_labels(axes, [end_of(numbers.offsets, mean) for mean in numbers.mean])
        scaled = [at for at, one in enumerate(plain_of(numbers.view.encodings)) if one]
        for line, plain in zip(scaled, numbers.unscaled, strict=False):
            axes.plot(numbers.offsets, plain, ":", color=f"C{line}")

    def title(self, view: View[TableEncoding | BiasEncoding]) -> str:
        if len(view.encodings) == 1:
            return super().title(view)
        return clauses([phrase("{what} by offset", what=self._quantity(view)), self.unseen(view)])

    def _quantity(self, view: View[TableEncoding | BiasEncoding]) -> str:
        """What is drawn upwards."""
        return phrase(view.encoding.quantity) if _all_biases(view) else MEASURES[self.measure].label


def _all_biases(view: View[TableEncoding | BiasEncoding]) -> TypeGuard[View[BiasEncoding]]:
    """Whether every encoding is a bias."""
    return all(isinstance(encoding, BiasEncoding) for encoding in view.encodings)


def _all_tables(view: View[TableEncoding | BiasEncoding]) -> TypeGuard[View[TableEncoding]]:
    """Whether every encoding has a table."""
    return all(isinstance(encoding, TableEncoding) for encoding in view.encodings)


def plain_of(encodings: Sequence[Encoding]) -> list[Scaled | None]:
    """Each encoding without its scaling, None where it has none."""
    return [one.unscaled() if isinstance(one, Scaled) and one.scaling != "default" else None for one in encodings]
