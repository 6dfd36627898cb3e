"""The measure between any two positions as a matrix."""

from __future__ import annotations

from dataclasses import dataclass, replace
from math import prod
from typing import Any, ClassVar, Self

from pecli.analysis import Limits
from pecli.core.language import say
from pecli.core.lazy import Array, Axes
from pecli.core.numbers import ROUNDING, number_text
from pecli.figures.base import ColouredNumbers, View, averaging_note, difference_of, has_comparable_offsets
from pecli.figures.comparing import OneHeadFigure, default_query_notes
from pecli.figures.highlights import mark_cells
from pecli.figures.matrix import WithCellNumbers, show_matrix
from pecli.files.sheet import aside, over
from pecli.measures.comparison import comparison_of
from pecli.measures.pairwise import MEASURES
from pecli.page.axis_labels import positions_axis
from pecli.page.canvas import Canvas
from pecli.page.colors import DIFFERENCE
from pecli.page.limits import colour_ends
from pecli.page.panels import ColorBar, Panel, PanelGroup


@dataclass(frozen=True, kw_only=True)
class DistanceNumbers(ColouredNumbers[Any]):
    """The measure between positions p and q, or the bias of a head."""

    matrix: Array = over("p", "q")
    positions: Array = over(each=("p", "q"))  # the mean position of each row and column
    block: int = aside()  # positions per row
    smallest: float | None
    largest: float | None
    undefined: int  # number of NaN entries, from constant or zero vectors
    by_offset: bool = aside()  # whether the matrix depends on p − q alone
    apart: float | None  # largest difference between pairs with the same offset; None if not computed
    measure: str = aside()
    palette: str = aside()

    def remarks(self) -> list[str]:
        count, size = self.undefined, self.view.covered.length**2
        why = MEASURES[self.measure].undefined
        undefined = say("distance.undefined", count=count, all=size, why=say(why)) if count else ""
        return [averaging_note(self.block), *default_query_notes(self.view.encodings), undefined]

    def with_limits(self, low: float, high: float) -> Self:
        signed = low < 0 < high and self.palette == "amount"  # possible if panels share limits
        return replace(self, ends=(low, high), palette="diverging" if signed else self.palette)

    def message(self) -> str:
        if not has_comparable_offsets(self.view) or self.palette == DIFFERENCE:
            return ""
        label = comparison_of(self.view.encoding, self.measure).label
        if self.by_offset:
            return say("words.the_depends_only_on", measure=label)
        if self.apart is None or self.apart <= ROUNDING * max(-(self.smallest or 0.0), self.largest or 0.0):
            return ""
        return say("words.at_equal_offset_the", measure=label, number=number_text(self.apart, 3))

    def limits(self) -> Limits | None:
        return None if self.undefined == self.view.covered.length**2 else self.ends

    def difference(self, other: Self, reach: Limits | None, whole: Array | None = None) -> Self:
        by_offset = self.by_offset and other.by_offset
        return difference_of(self, other, reach, whole, (self.block, self.block), by_offset=by_offset)


@dataclass(frozen=True)
class Distance(WithCellNumbers[Any], OneHeadFigure):
    """The measure between any two positions.

    Notes
    -----
    Constant diagonals mean that only the offset matters. Small distances and large similarities are dark; similarities
    of both signs have a diverging colour map.
    """

    name: ClassVar[str] = "distance"
    defines: ClassVar[str] = (
        "row p, column q is the measure between the vectors of positions p and q, over all d numbers; if there are "
        "more positions than pixels, a pixel is a mean over pairs"
    )
    example: ClassVar[str] = "pecli distance --d 256 --measure dot"
    examples: ClassVar[tuple[str, ...]] = (
        "pecli distance rope -m cos -o rope.pdf",
        "pecli distance clock -n 86400",
    )

    def check_view(self, view: View[Any]) -> None:
        super().check_view(view)
        self.check_spans(view.covered)

    def shape(self, view: View[Any]) -> tuple[int, ...]:
        rows = view.covered
        count = rows.blocks(view.pixel_side).count
        profile = (2, rows.length) if self.compared(view.encoding).is_of_offset else ()
        return max((count, count), profile, key=prod)

    def compute(self, view: View[Any]) -> DistanceNumbers:
        blocks, compared = view.covered.blocks(view.pixel_side), self.compared(view.encoding)
        values, summary = compared.block_means(blocks)
        low, high, apart = summary.smallest or 0.0, summary.largest or 0.0, summary.apart
        alone, sides = compared.is_of_offset, view.encoding.sides
        over_grid = bool(sides) and apart is not None and apart <= ROUNDING * max(abs(low), abs(high))
        return DistanceNumbers(
            view=view,
            matrix=values,
            positions=blocks.centres(),
            block=blocks.size,
            smallest=summary.smallest,
            largest=summary.largest,
            undefined=summary.undefined,
            by_offset=alone or over_grid,
            apart=None if alone else apart,
            measure=self.measure,
            ends=colour_ends(low, high),
            palette=compared.palette(low, high),
            sample=(summary.sample,),
        )

    def all_values(self, view: View[Any]) -> Array | None:
        """Return the measure or bias at every offset if only the offset matters, otherwise as the base class does."""
        compared = self.compared(view.encoding)
        return compared.profile(view.covered.length) if compared.is_of_offset else super().all_values(view)

    def panel_groups(self, view: View[Any], canvas: Canvas) -> list[PanelGroup]:
        encoding, rows, compared = view.encoding, view.covered, self.compared(view.encoding)
        scale = encoding.width if compared.grows else 0
        scale = -scale if getattr(encoding, "limit", 1.0) is None else scale  # learned values have no common scale
        bar = ColorBar(self.quantity(view), redundant=self.may_show_numbers(rows.length), scale=scale)
        ends, (down, across) = (rows.start - 0.5, rows.stop - 0.5), compared.axis_labels
        x, y = positions_axis(encoding, across, ends=ends), positions_axis(encoding, down, ends=ends[::-1])
        return [PanelGroup((Panel(1.0, exact=True, bar=bar, x=x, y=y),))]

    def decorate(self, view: View[Any], axes: list[Axes], canvas: Canvas) -> None:
        mark_cells(axes[0], self.spans(), canvas)
        mark_cells(axes[0], self.spans(), canvas, view.encoding.position_text)

    def draw(self, numbers: DistanceNumbers, axes: list[Axes], canvas: Canvas) -> list[Any]:
        rows = numbers.view.covered
        first, last = rows.start - 0.5, rows.start + len(numbers.matrix) * numbers.block - 0.5
        image = show_matrix(
            axes[0],
            numbers.matrix,
            colours=canvas.colours(numbers.palette),
            limits=numbers.ends,
            centred=numbers.palette in ("diverging", DIFFERENCE),
            extent=(first, last, last, first),
            extremes=(numbers.smallest or 0.0, numbers.largest or 0.0),
            steps=self.compared(numbers.view.encoding).is_classes,
        )
        self.write_numbers(axes, [image], canvas)
        return [image]
