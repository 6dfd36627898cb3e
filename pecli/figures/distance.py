"""How far any two positions are apart: a matrix."""

from __future__ import annotations

from dataclasses import dataclass, replace
from math import prod
from typing import Any, ClassVar, Self

from pecli.analysis import Limits
from pecli.core.language import say
from pecli.core.lazy import Array, Axes, np
from pecli.core.numbers import ROUNDING, number_text
from pecli.encodings.base import BiasEncoding
from pecli.figures.base import ColouredNumbers, View, averaging, difference_of
from pecli.figures.comparing import OfOneHead, is_bias, turned_text
from pecli.figures.highlights import mark_cells
from pecli.figures.matrix import WithCellNumbers, show_matrix
from pecli.files.sheet import aside, over
from pecli.measures.pairwise import (
    MEASURES,
    by_offset,
    is_of_offset,
    quantity_of,
    seen_bias,
)
from pecli.measures.reduce import means_of_finite
from pecli.measures.summary import means_and_summary, signed, summary_of_offsets
from pecli.page.axis_labels import label_positions
from pecli.page.canvas import Canvas
from pecli.page.colors import DIFFERENCE
from pecli.page.limits import ends
from pecli.page.panels import ColorBar, Panel, PanelGroup


@dataclass(frozen=True, kw_only=True)
class DistanceNumbers(ColouredNumbers[Any]):
    """The measure between positions, or the bias of a head."""

    matrix: Array = over("p", "q")
    positions: Array = over(each=("p", "q"))  # the mean position of each row and column
    block: int = aside()  # positions a row
    smallest: float | None
    largest: float | None
    undefined: int  # entries that are NaN: a row is constant or zero
    by_offset: bool = aside()  # whether p − q alone counts, by the formula
    apart: float | None  # how much pairs at one offset differ, at most; None of a formula, and where they are too many
    measure: str = aside()
    palette: str = aside()

    def remarks(self) -> list[str]:
        count, size = self.undefined, self.view.covered.length**2
        undefined = say("distance.of_undefined_constant_rows", count=count, all=size) if count else ""
        return [averaging(self.block), turned_text(self.view.encodings), undefined]

    def message(self) -> str:
        if len(self.positions) == 1 or self.palette == DIFFERENCE:
            return ""
        label = quantity_of(self.view.encoding, self.measure)
        if self.by_offset:
            return say("words.the_depends_only_on", measure=label)
        if self.apart is None or self.apart <= ROUNDING * max(-(self.smallest or 0.0), self.largest or 0.0):
            return ""
        return say("words.at_equal_offset_the", measure=label, number=number_text(self.apart, 3))

    def limits(self) -> Limits | None:
        return None if self.undefined == self.view.covered.length**2 else self.ends

    def difference(self, other: Self, reach: Limits | None) -> Self:
        return difference_of(self, other, reach, by_offset=self.by_offset and other.by_offset)


@dataclass(frozen=True)
class Distance(WithCellNumbers[Any], OfOneHead):
    """The measure between any two positions.

    Notes
    -----
    Parallel diagonals mean that only the offset counts. Distances have a sequential map, similarities a diverging one.
    """

    name: ClassVar[str] = "distance"
    defines: ClassVar[str] = (
        "row p, column q: the measure between the vectors of positions p and q, all d numbers; where they "
        "outnumber pixels, a mean over pairs"
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
        profile = (2, rows.length) if is_of_offset(view.encoding, MEASURES[self.measure]) else ()
        return max((count, count), profile, key=prod)

    def compute(self, view: View[Any]) -> DistanceNumbers:
        blocks, encoding, measure = view.covered.blocks(view.pixel_side), view.encoding, MEASURES[self.measure]
        if is_bias(encoding):
            run = self.profile(view)
            values, summary = means_of_finite(run, blocks), replace(summary_of_offsets(run), undefined=0)
        else:
            values, summary = means_and_summary(encoding, measure, blocks)
        low, high, apart = summary.smallest or 0.0, summary.largest or 0.0, summary.apart
        alone = is_of_offset(encoding, measure)
        over_grid = bool(encoding.sides) and apart is not None and apart <= ROUNDING * max(abs(low), abs(high))
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
            ends=ends(low, high),
            palette="sequential" if is_bias(encoding) and low * high >= 0 else measure.palette,
            sample=(summary.sample,),
        )

    def every(self, view: View[Any]) -> Array | None:
        """Return the measure, or the bias, at all offsets from the lowest on where no more than that counts."""
        if is_of_offset(view.encoding, MEASURES[self.measure]):
            return self.profile(view)
        return super().every(view)

    def profile(self, view: View[Any]) -> Array:
        """Return the measure, or the bias of the head, at all offsets from the lowest to the highest."""
        encoding, length = view.encoding, view.covered.length
        if is_bias(encoding):
            return seen_bias(encoding, np.arange(1 - length, length, dtype=np.float64), self.shown_head)
        run = by_offset(encoding, MEASURES[self.measure], length)
        assert run is not None  # nobody asks where it is none
        return signed(run)

    def panel_groups(self, view: View[Any], canvas: Canvas) -> list[PanelGroup]:
        shown = (view.encoding.position_label, view.covered)
        scale = 0 if is_bias(view.encoding) or not MEASURES[self.measure].grows else view.encoding.width
        bar = ColorBar(self.quantity(view), spare=self.may_be_spare(view.covered.length), scale=scale)
        return [PanelGroup((Panel(1.0, exact=True, bar=bar, x=shown, y=shown),))]

    def decorate(self, view: View[Any], axes: list[Axes], canvas: Canvas) -> None:
        encoding, rows = view.encoding, view.covered
        first, last = rows.start - 0.5, rows.stop - 0.5
        axes[0].set(xlim=(first, last), ylim=(last, first))
        of_bias = "words.query_p", "words.key_q"
        down, across = of_bias if is_bias(encoding) else (encoding.position_label, encoding.other_label)
        label_positions(axes[0].xaxis, encoding, across)
        label_positions(axes[0].yaxis, encoding, down)
        mark_cells(axes[0], self.spans(), canvas)
        mark_cells(axes[0], self.spans(), canvas, encoding.position_text)

    def draw(self, numbers: DistanceNumbers, axes: list[Axes], canvas: Canvas) -> list[Any]:
        rows = numbers.view.covered
        first, last = rows.start - 0.5, rows.start + len(numbers.matrix) * numbers.block - 0.5
        image = show_matrix(
            axes[0],
            numbers.matrix,
            colours=canvas.colours(numbers.palette),
            limits=numbers.ends,
            centred=numbers.palette != "sequential",
            extent=(first, last, last, first),
            extremes=(numbers.smallest or 0.0, numbers.largest or 0.0),
            steps=isinstance(numbers.view.encoding, BiasEncoding) and not numbers.view.encoding.known,
        )
        self.write_numbers(axes, [image], canvas)
        return [image]
