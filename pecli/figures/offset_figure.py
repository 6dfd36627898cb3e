"""The base of the figures over offsets: their options, lines, names and marks."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

from pecli.analysis import E_co, measure_option, refuse_unused
from pecli.core.errors import UsageError, option_text
from pecli.core.language import join_title, listing, say
from pecli.core.lazy import Array, Axes, np
from pecli.core.options import option
from pecli.core.positions import Positions
from pecli.encodings.base import (
    BiasEncoding,
    Encoding,
    TableEncoding,
    distinguishing_labels,
    panel_titles,
    short_names,
    title_of_several,
)
from pecli.encodings.harmonic import Harmonic
from pecli.encodings.rope import RotatedPairs
from pecli.encodings.rope_scaling import Scaled
from pecli.figures.base import Numbers, View, common_text
from pecli.figures.comparing import ComparingFigure
from pecli.figures.highlights import WithTrained, mark_stretch, mark_trained
from pecli.files.sheet import over
from pecli.measures.reduce import check_line_length, even_edges, log_edges
from pecli.page.axis_labels import along_lines, in_steps, powers_axis, values_axis
from pecli.page.canvas import Canvas
from pecli.page.colors import legible
from pecli.page.lines import (
    Look,
    add_legend,
    bound_look,
    share_ends,
)
from pecli.page.panels import Panel, PanelGroup, in_columns


@dataclass(frozen=True, kw_only=True)
class BandNumbers(Numbers[E_co]):
    """The line of each encoding, and the ends (`low`, `high`) of the band around it, in each bin of offsets."""

    mean: Array = over("line", "offset")
    encoding: Array = over("line")
    offsets: Array = over("offset")  # centres of the bins
    low: Array = over("line", "offset")
    high: Array = over("line", "offset")


@dataclass(frozen=True)
class OffsetFigure(ComparingFigure, WithTrained[TableEncoding | BiasEncoding]):
    """Base of the figures of `offsets`, with its options: lines over offsets, their names and marks."""

    name: ClassVar[str] = "offsets"
    defines: ClassVar[str] = (
        "the measure of two vectors, or the bias of a head, against p − q: the line is the mean of all pairs with "
        "that offset, the band goes from their minimum to their maximum"
    )
    example: ClassVar[str] = "pecli offsets -e sinusoidal -e binary --measure cos"
    examples: ClassVar[tuple[str, ...]] = ("pecli offsets rope sinusoidal -m cos -n 256",)
    several: ClassVar[bool] = True

    measure: str = measure_option("dot")
    decay: bool = option(False, "add RoFormer's bound on the decay, dashed: the sum of |S_j|, not their mean")
    random: int | None = option(
        None,
        "plot mean and spread of the scores of this many random query–key pairs instead",
        at_least=2,
        at_most=10_000,
    )
    unscaled: bool = option(False, "add each scaled rope without its scaling, dotted")
    log: bool = option(False, "logarithmic axis of offsets, which starts at 1")
    spread: bool = option(
        False, "for a grid, show by how much pairs with the same offset differ, instead of their mean"
    )

    def check_view(self, view: View[Any]) -> None:
        super().check_view(view)
        if any(encoding.sides for encoding in view.encodings):
            _refuse_on_grid(view, self.changed())
            return
        if self.spread:
            raise UsageError("--spread needs positions in a grid", option="spread", advice="give --grid too")
        lacking = [e.name for e in view.encodings if not isinstance(e, Harmonic)]
        if self.decay and lacking:
            text = f"--decay needs frequencies, but {lacking[0]} has none"
            raise UsageError(text, option="decay", allowed="encodings such as rope and sinusoidal")
        if self.decay and self.measure != "dot":
            text = f"--decay is a bound on the dot product, not on {option_text('measure', self.measure)}"
            raise UsageError(text, option="decay", advice="leave one of them out")
        if self.unscaled and not any(without_scaling(view.encodings)):
            text = "--unscaled needs a scaled rope"
            raise UsageError(
                text, option="unscaled", allowed="encodings such as rope:scaling=yarn,factor=4,original=32768"
            )
        if self.random is not None:
            lacking = [e.name for e in view.encodings if not isinstance(e, RotatedPairs)]
            if lacking:
                text = f"{option_text('random', self.random)} needs rotated queries, but {lacking[0]} rotates none"
                raise UsageError(text, option="random", value=self.random, allowed="rope or xpos")
            others = {"measure", "decay", "unscaled"} & self.changed().keys()
            refuse_unused({name: getattr(self, name) for name in others}, "--random plots scores, not a measure")
        check_line_length(self.name, view.covered.length)
        if self.log and view.covered.length < 2:
            raise UsageError("offsets with --log takes 2 or more positions", option="length")
        self.check_spans(self.shown(view))
        self.check_trained(self.shown(view))

    def shown(self, view: View[Any]) -> Positions:
        """Return the offsets to draw; they include negative ones only if a bias covers keys after the query."""
        seen = any(self.compared(encoding).sees_ahead for encoding in view.encodings)
        first = 1 if self.log else 1 - view.covered.length if seen else 0
        return Positions(start=first, length=max(1, view.covered.length - first))

    def edges(self, view: View[Any]) -> Array:
        """Return the edges of the bins of offsets, one bin per pixel, shape (bins + 1,)."""
        shown, columns = self.shown(view), view.line_points
        edges = log_edges(view.covered.length, columns) if self.log else shown.start + even_edges(shown.length, columns)
        return np.union1d(edges, [0, 1]) if shown.start <= 0 else edges  # offset 0 has a bin of its own

    def panel_groups(self, view: View[Any], canvas: Canvas) -> list[PanelGroup]:
        what, label = self.quantity(view), in_steps(self._offset_label(view), view.encodings)
        shown, scales = self.shown(view), self._scales(view)
        x = along_lines(powers_axis(label) if self.log else values_axis(label, whole=True), shown.start, shown.stop - 1)
        aspect = 0.8 if canvas.narrow != (self._panel_count(view) > 1) else 0.55
        titles = panel_titles(view.encodings) if len(scales) > 1 else [""]
        panels = []
        for scale, title in zip(scales, titles, strict=True):
            y = (powers_axis if self.decay else values_axis)(what, scale=(what, scale))
            look: dict[str, Any] = {"legend_below": self.decay, "grid": True, "ends": (what, scale)}
            panels.append(Panel(aspect, title=title, x=x, y=y, **look))
        return [PanelGroup(tuple(panels), in_columns(len(panels), *[1] * canvas.narrow))]

    def _offset_label(self, view: View[Any]) -> str:
        """Return the label of the horizontal axis."""
        return say(common_text([encoding.offset_label for encoding in view.encodings], Encoding.offset_label))

    def _scales(self, view: View[Any]) -> list[int]:
        """Return a key per panel; panels with equal keys share a scale.

        The key is the width of the encoding if there are several panels and the measure grows with the width, else 0.
        """
        count = self._panel_count(view)
        grows = count > 1 and self.compared(view.encoding).grows
        return [encoding.width if grows else 0 for encoding in view.encodings[:count]]

    def _panel_count(self, view: View[Any]) -> int:
        """Return the number of panels: one per encoding if bands would cover other lines, otherwise 1."""
        return len(view.encodings) if any(map(self.has_band, view.encodings)) and not self.decay else 1

    def decorate(self, view: View[Any], axes: list[Axes], canvas: Canvas) -> None:
        from pecli.page.labels import label_lines

        for panel in axes:
            mark_stretch(panel, self.spans(), canvas)
            mark_trained(panel, self.trained, canvas)
        names, looks = self.line_names(view), self.looks(view, axes[0], canvas)
        entries = list(zip(names, looks, strict=True))
        if self.decay:
            several, bound = len(names) > 1, say("offsets.roformers_bound")
            bounds = [listing([bound, name * several]) for name in short_names(view.encodings)]
            entries = entries if several else [(self.quantity(view), looks[0])]
            add_legend(axes[0], [*entries, *((text, bound_look(line)) for line, text in enumerate(bounds))])
        elif len(axes) > 1:
            for panel, line in zip(axes, looks, strict=True):
                panel.title.set_color(legible(line["color"], panel))
        elif len(entries) > 1:
            label_lines(axes[0], entries, canvas)

    def line_names(self, view: View[Any]) -> list[str]:
        """Return the name of each line."""
        return distinguishing_labels(view.encodings)

    def looks(self, view: View[Any], panel: Axes, canvas: Canvas) -> list[Look]:
        """Return the style of each line."""
        return [{"color": f"C{line}"} for line in range(len(view.encodings))]

    def title(self, view: View[Any]) -> str:
        if len(view.encodings) == 1:
            return super().title(view)
        return join_title([title_of_several(view.encodings), self.positions_clause(view)])

    def quantity(self, view: View[Any]) -> str:
        return say("offsets.dot_product") if self.decay else super().quantity(view)

    def has_band(self, encoding: Encoding) -> bool:
        """Return whether the encoding's line has a band, which could cover other lines."""
        return False


@dataclass(frozen=True)
class OffsetBands(OffsetFigure):
    """Base of the offset figures whose lines have bands."""

    def draw(self, numbers: Any, axes: list[Axes], canvas: Canvas) -> list[Any]:
        from pecli.page.labels import put_line_labels

        offsets, encodings = numbers.offsets, numbers.view.encodings
        looks = self.looks(numbers.view, axes[0], canvas)
        put_line_labels(axes[0], [(offsets, row) for row in numbers.main])
        for at, (mean, low, high, line) in enumerate(zip(numbers.mean, numbers.low, numbers.high, looks, strict=True)):
            own = axes[at % len(axes)]
            if len(axes) == 1 and any(np.allclose(mean, before, equal_nan=True) for before in numbers.mean[:at]):
                continue
            if self.decay:  # the bound is on absolute values
                mean, low, high = map(np.abs, (mean, low, high))
            own.plot(offsets, mean, marker="o" if len(mean) == 1 else None, **line)
            single = not isinstance(encodings[at], Harmonic) and numbers.block == 1
            band = {"color": line["color"], "alpha": 0.14, "linewidth": 0, "step": "mid" if single else None}
            own.fill_between(offsets, low, high, **band)  # in steps if only whole offsets have a value
        self.draw_beside(numbers, axes, canvas)
        scales = self._scales(numbers.view)
        for scale in dict.fromkeys(scales):
            share_ends([own for own, grown in zip(axes, scales, strict=True) if grown == scale])
        return [None] * len(axes)

    def draw_beside(self, numbers: Any, axes: list[Axes], canvas: Canvas) -> None:
        """Draw what a subclass adds to the lines and bands; nothing by default."""


def without_scaling(encodings: Sequence[Encoding]) -> list[Scaled | None]:
    """Return each encoding without its scaling, or None if it has none."""
    return [e.unscaled() if isinstance(e, Scaled) and e.scaling != "default" else None for e in encodings]


def _refuse_on_grid(view: View[Any], changed: dict[str, Any]) -> None:
    """Raise UsageError for options or encodings that a map over a grid of offsets cannot show.

    changed : the options that differ from their defaults, by name
    """
    if len(view.encoding.sides) > 2:
        raise UsageError("offsets shows a grid with two axes, but a video has three", option="grid")
    if len(view.encodings) > 1:
        raise UsageError("offsets takes only one encoding on a grid: try pecli compare", option="encoding")
    if others := changed.keys() - {"measure", "spread"}:
        name = min(others)
        text = f"offsets on a grid are drawn as a map, but --{name} is for lines"
        raise UsageError(text, option=name, advice=f"leave --{name} out")
