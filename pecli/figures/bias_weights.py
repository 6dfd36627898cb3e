"""The attention weight of keys by distance if a score is the bias alone, one line per head."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from pecli.analysis import View
from pecli.core.language import say
from pecli.core.lazy import Array, Axes, np
from pecli.encodings.base import BiasEncoding
from pecli.figures.base import Numbers, offset_extremes_note
from pecli.figures.bias_figure import BiasFigure, nearest_with_half, weights_by_distance
from pecli.figures.highlights import mark_trained
from pecli.files.sheet import aside, over
from pecli.measures.reduce import bin_centres, envelope, even_edges
from pecli.page.axis_labels import along_lines, powers_axis, values_axis
from pecli.page.canvas import Canvas
from pecli.page.lines import Look, add_legend, plot_run, shades
from pecli.page.panels import Panel, PanelGroup

FADED = 1e5  # largest ratio of weights on the axis


@dataclass(frozen=True, kw_only=True)
class WeightNumbers(Numbers[BiasEncoding]):
    """The largest and the smallest weight of keys in each bin of distances, one line per head."""

    weight: Array = over("line", "distance")
    heads: Array = over("line")
    low: Array = aside("line", "distance")
    distances: Array = over("distance")  # centres of the bins
    half: tuple[int, ...]  # number of nearest keys with half of the weight, per head
    block: int = aside()

    def message(self) -> str:
        few, many = int(np.argmin(self.half)), int(np.argmax(self.half))
        if self.half[few] == self.half[many]:
            one, more = "bias.at_least_half_of_the_weight", self.half[few] > 1
            return say("bias.at_least_half_of_the" if more else one, count=self.half[few])
        ends = {"count": self.half[few], "first": self.heads[few], "many": self.half[many], "last": self.heads[many]}
        return say("bias.at_least_half_of", **ends)

    def remarks(self) -> list[str]:
        position = self.view.encoding.position_text(self.view.positions.stop - 1)
        nearer = say("bias.dots_at_least_half")
        query = say("bias.query_at_position_scores", position=position)
        shown, heads = len(self.heads), self.view.encoding.n_heads
        count = say("bias.of_heads", count=shown, all=heads) if shown < heads else ""
        return [count, nearer, query, offset_extremes_note(self.block)]


@dataclass(frozen=True)
class BiasWeights(BiasFigure):
    """The figure of `bias --softmax`."""

    def shape(self, view: View[BiasEncoding]) -> tuple[int, ...]:
        return (len(self.computed_heads(view)), 2 * view.positions.length)

    def compute(self, view: View[BiasEncoding]) -> WeightNumbers:
        heads, length = self.computed_heads(view), view.positions.length
        weights = weights_by_distance(view.encoding, length)[heads]
        edges = even_edges(length, view.line_points)
        low, high, _ = envelope(lambda first, count: weights[:, first : first + count], edges, len(heads))
        return WeightNumbers(
            view=view,
            weight=high,
            heads=heads,
            low=low,
            distances=bin_centres(edges),
            half=tuple(nearest_with_half(weights).tolist()),
            block=int(edges[1]),
        )

    def panel_groups(self, view: View[BiasEncoding], canvas: Canvas) -> list[PanelGroup]:
        x = along_lines(values_axis(say("bias.distance_of_the_key"), whole=True), 0, view.positions.length - 1)
        y = powers_axis(say("bias.attention_weight"))
        return [PanelGroup((Panel(0.55, x=x, y=y, ends="weight", grid=True),))]

    def decorate(self, view: View[BiasEncoding], axes: list[Axes], canvas: Canvas) -> None:
        heads, looks = self.shown_heads(view).tolist(), self._looks(view, axes[0], canvas)
        order = self._from_near_to_far(view)
        add_legend(axes[0], [(view.encoding.head_text(heads[at]), looks[at]) for at in order])
        mark_trained(axes[0], self.trained, canvas)

    def draw(self, numbers: WeightNumbers, axes: list[Axes], canvas: Canvas) -> list[Any]:
        _draw_weights(numbers, axes[0], self._looks(numbers.view, axes[0], canvas))
        return [None]

    def _from_near_to_far(self, view: View[BiasEncoding]) -> list[int]:
        """Return the indices of the heads shown, in order of the mean distance of the keys that they attend to."""
        weights = weights_by_distance(view.encoding, view.positions.length)[self.shown_heads(view)]
        order: list[int] = np.argsort(weights @ np.arange(weights.shape[1]), kind="stable").tolist()
        return order

    def _looks(self, view: View[BiasEncoding], panel: Axes, canvas: Canvas) -> list[Look]:
        """Return the colour of each head: dark for heads that attend to near keys, light for the others."""
        order = self._from_near_to_far(view)
        colours = [{"color": look["color"]} for look in shades(len(order), panel, canvas)]
        return [colours[order.index(at)] for at in range(len(order))]


def _draw_weights(numbers: WeightNumbers, panel: Axes, looks: Sequence[Look]) -> None:
    """Draw the weights on an axis that ends at 1/100,000 of the largest weight."""
    for low, high, half, look in zip(numbers.low, numbers.weight, numbers.half, looks, strict=True):
        plot_run(panel, numbers.distances, low, high, look)
        weight = float(np.interp(half - 1, numbers.distances, high))
        panel.plot(half - 1, weight, "o", color=look["color"], clip_on=False)
    largest = float(numbers.weight.max())
    panel.set_ylim(max(float(numbers.low.min()), largest / FADED) / 1.5, 1.5 * largest)
