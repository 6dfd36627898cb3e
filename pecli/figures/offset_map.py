"""A measure over a grid of positions against the offset in rows and columns."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

from pecli.core.language import say
from pecli.core.lazy import Array, Axes, np
from pecli.core.numbers import ROUNDING, number_text
from pecli.encodings.base import TableEncoding
from pecli.figures.base import ColouredNumbers, View
from pecli.figures.comparing import default_query_notes
from pecli.figures.maps import squeezed_panel
from pecli.figures.matrix import show_matrix
from pecli.figures.offset_figure import OffsetFigure
from pecli.files.sheet import aside, over
from pecli.measures.comparison import VectorComparison
from pecli.page.axis_labels import values_axis
from pecli.page.canvas import Canvas
from pecli.page.limits import colour_ends
from pecli.page.panels import ColorBar, PanelGroup


@dataclass(frozen=True, kw_only=True)
class OffsetMapNumbers(ColouredNumbers[TableEncoding]):
    """The mean over all pairs of positions at each offset in rows and columns, and the spread of these pairs.

    The spread is the largest minus the smallest value.
    """

    mean: Array = over("row_offset", "column_offset")
    spread: Array = over("row_offset", "column_offset")
    row_offsets: Array = over("row_offset")
    column_offsets: Array = over("column_offset")
    widest: float
    measure: str = aside()
    shows_spread: bool = aside()

    def coloured(self) -> list[Array]:
        return [self.spread if self.shows_spread else self.mean]

    def marks(self) -> list[str]:
        mean, spread = (
            "offset_map.mean_of_all_pairs",
            "offset_map.largest_less_smallest_of",
        )
        told = say(spread if self.shows_spread else mean) if self._has_spread() else ""
        return [told, *default_query_notes(self.view.encodings)]

    def message(self) -> str:
        measure = VectorComparison(self.view.encoding, self.measure).label
        if not self._has_spread():
            return say("offset_map.the_depends_only_on", measure=measure)
        return say("words.at_equal_offset_the", measure=measure, number=number_text(self.widest, 3))

    def _has_spread(self) -> bool:
        """Return whether pairs with the same offset differ by more than rounding."""
        return self.widest > ROUNDING * float(np.nanmax(np.abs(self.mean), initial=0.0))


@dataclass(frozen=True)
class OffsetMap(OffsetFigure):
    """The figure of `offsets` for positions in a grid."""

    def shape(self, view: View[Any]) -> tuple[int, ...]:
        return (view.covered.length, view.encoding.width)

    def compute(self, view: View[Any]) -> OffsetMapNumbers:
        encoding, every = view.encoding, view.covered.array()
        low, high, mean, _ = VectorComparison(encoding, self.measure).offset_map(every, every)
        spread, seen = high - low, np.isfinite(mean)
        shown = spread if self.spread else mean
        least, most = (float(end(shown)) if seen.any() else 0.0 for end in (np.nanmin, np.nanmax))
        down, across = (np.arange(1 - side, side, dtype=np.float64) for side in encoding.sides)
        arrays: dict[str, Any] = {"mean": mean, "spread": spread, "row_offsets": down, "column_offsets": across}
        limits = colour_ends(least, most) if self.spread or least <= 0 or least == most else (least, most)
        widest = float(np.nanmax(spread)) if seen.any() else 0.0
        facts: dict[str, Any] = {"widest": widest, "measure": self.measure, "shows_spread": self.spread}
        return OffsetMapNumbers(view=view, **arrays, **facts, ends=limits)

    def panel_groups(self, view: View[Any], canvas: Canvas) -> list[PanelGroup]:
        down, across = (2 * side - 1 for side in view.encoding.sides)
        x = values_axis(say("offset_map.offset_in_columns"), whole=True, ends=(-across / 2, across / 2))
        y = values_axis(say("offset_map.offset_in_rows"), whole=True, ends=(down / 2, -down / 2))
        bar = ColorBar(self.quantity(view))
        return [PanelGroup((replace(squeezed_panel(down / across, bar), x=x, y=y),))]

    def decorate(self, view: View[Any], axes: list[Axes], canvas: Canvas) -> None:
        pass

    def draw(self, numbers: OffsetMapNumbers, axes: list[Axes], canvas: Canvas) -> list[Any]:
        (values,), signed = numbers.coloured(), numbers.ends[0] < 0
        across, down = numbers.column_offsets[-1] + 0.5, numbers.row_offsets[-1] + 0.5
        compared = VectorComparison(numbers.view.encoding, numbers.measure)
        colours = canvas.colours("amount" if numbers.shows_spread else compared.palette(*numbers.ends))
        look: dict[str, Any] = {"colours": colours, "limits": numbers.ends, "centred": signed}
        return [show_matrix(axes[0], values, extent=(-across, across, down, -down), **look)]
