"""Tests of the arrangement of a page, computed from plain numbers in inches, without matplotlib."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

import pytest

from pecli.page.layout import (
    BAR,
    GAP,
    LEAST_BAR,
    MAX_LEGEND,
    NO_BOX,
    NO_MARGINS,
    Contents,
    Layout,
    Legend,
    Margins,
    Page,
    PageTexts,
    arrange,
    choose_layout,
    columns_of_legend,
    smallest_page,
)
from pecli.page.panels import Axis, ColorBar, Mosaic, Panel, in_columns
from pecli.page.words import Piece, Words

EM = 0.125
FREE = Page(width=6.5, height=None, em=EM, small=0.1, pixel=1 / 150, edge=0.9)
SLIDE = FREE._replace(height=4.0)
AXES = Margins(NO_BOX, x=(0.1, 0.4, 0.1, 0.0), y=(0.5, 0.1, 0.0, 0.1), labels=(0.6, 0.8))
SHARED = Panel(x=Axis("positions", scale="positions"), y=Axis("values", scale="values"))
EACH = Panel()


def text(*widths: float) -> Words:
    """Return one paragraph of pieces of these widths."""
    return Words((tuple(Piece("word ", width, 0.04) for width in widths),), 0.2) if widths else Words()


def said(
    count: int, headline: Words | None = None, bars: dict[ColorBar, tuple[float, float]] | None = None
) -> PageTexts:
    return PageTexts(headline or Words(), Words(), Words(), (Words(),) * count, bars or {})


def contents(panels: Sequence[Panel], margins: Margins = AXES, bar: ColorBar | None = None) -> Contents:
    return Contents(panels, [margins] * len(panels), said(len(panels), bars={bar: (0.5, 0.2)} if bar else None))


def alone(panels: Sequence[Panel], *columns: int) -> list[tuple[Mosaic, ...]]:
    return [(grid,) for grid in in_columns(len(panels), *columns)]


def test_a_panel_has_what_margins_and_the_edge_leave() -> None:
    layout = arrange(contents([EACH]), (((0,),),), FREE)
    ((x, y, wide, high),) = layout.frames
    edge = FREE.edge * EM
    assert (x, y) == pytest.approx((edge + 0.5, edge + 0.4), abs=FREE.pixel)
    assert wide == pytest.approx(6.5 - 2 * edge - 0.5 - 0.1)
    assert (high, layout.size[1]) == pytest.approx((wide * EACH.aspect, y + high + 0.1 + edge), abs=FREE.pixel)
    assert layout.fits


@pytest.mark.parametrize(("panel", "labelled"), [(SHARED, 1), (EACH, 3)])
def test_axes_that_show_the_same_are_labelled_once(panel: Panel, labelled: int) -> None:
    layout = arrange(contents([panel] * 3), (((0, 1, 2),),), FREE)
    assert sum(shown.left for shown in layout.shown) == labelled
    assert all(shown.below for shown in layout.shown)
    gaps = [right[0] - left[0] - left[2] for left, right in pairwise(layout.frames)]
    assert gaps == pytest.approx([GAP * EM + 0.1 + (0.5 if panel is EACH else 0.1)] * 2)
    assert len({round(frame[2], 9) for frame in layout.frames}) == 1  # columns are equally wide


def test_squares_stay_square_and_a_page_of_fixed_height_keeps_its_size() -> None:
    layout = arrange(contents([Panel(1.0, exact=True)] * 2), (((0, 1),),), SLIDE)
    assert layout.size == (6.5, 4.0)
    assert [wide for _, _, wide, _ in layout.frames] == pytest.approx([high for *_, high in layout.frames])


@pytest.mark.parametrize(("page", "columns"), [
    (FREE._replace(width=2.2), 1),
    (SLIDE._replace(width=13.0), 4),
    (SLIDE._replace(width=8.0, height=6.0), 2),
])  # fmt: skip
def test_the_grid_follows_the_page(page: Page, columns: int) -> None:
    panels = [SHARED] * 4
    layout = choose_layout(contents(panels), alone(panels), page)
    assert len(layout.grids[0][0]) == columns and layout.fits


def test_a_grid_whose_labels_have_no_room_is_not_chosen() -> None:
    panels = [EACH] * 3
    wide = Margins(NO_BOX, x=NO_BOX, y=(1.5, 0.0, 0.0, 0.0))
    assert len(choose_layout(contents(panels, wide), alone(panels, 3, 1), FREE).grids[0]) == 3
    assert len(choose_layout(contents(panels), alone(panels, 3, 1), FREE._replace(width=9.0)).grids[0]) == 1


def lacks(layout: Layout) -> float:
    return max(layout.shortfall)


def test_the_smallest_page_is_one_that_holds_and_little_more() -> None:
    panels, page = [EACH] * 4, SLIDE._replace(width=1.0, height=1.0)
    every, asked = contents(panels), alone(panels)
    assert lacks(choose_layout(every, asked, page)) > 0
    enough = smallest_page(every, asked, page, largest=50.0)
    assert enough is not None and enough.height is not None
    assert choose_layout(every, asked, enough).fits
    assert not choose_layout(every, asked, enough._replace(width=enough.width - 0.5, height=enough.height - 0.5)).fits
    assert smallest_page(every, asked, page, largest=1.5) is None


def test_a_bar_of_all_panels_stands_at_the_upper_right() -> None:
    bar = ColorBar("value")
    layout = arrange(contents([Panel(bar=bar)] * 2, bar=bar), (((0, 1),),), FREE)
    right, top, length, stacked = layout.bars[bar]
    x, y, wide, high = layout.frames[1]
    assert (right, length, stacked) == pytest.approx((x + wide, BAR * EM, 0)) and top > y + high


def test_bars_stand_among_the_words_left_of_squares_where_their_names_tell_them_apart() -> None:
    one, other = ColorBar("weight"), ColorBar("change")
    page, line = SLIDE._replace(width=7.0), 0.2
    for bars, among in (((one, other), True), ((one, ColorBar("weight", scale=1)), False)):
        panels = [Panel(1.0, exact=True, bar=bar) for bar in bars]
        every = Contents(panels, [AXES] * 2, said(2, text(1.0), dict.fromkeys(bars, (0.5, line))))
        layout = arrange(every, (((0, 1),),), page, texts_left=True)
        (_, top, length, _), (right, below, _, _) = layout.bars.values()
        assert (right < layout.frames[0][0] and below < top - line) is among and length >= LEAST_BAR * EM


def test_what_squares_leave_of_the_width_is_at_both_sides() -> None:
    layout = arrange(contents([Panel(1.0, exact=True)], NO_MARGINS), (((0,),),), SLIDE)
    ((x, _, wide, _),) = layout.frames
    assert x == pytest.approx(SLIDE.width - x - wide) and wide < SLIDE.width / 2 + 1


@pytest.mark.parametrize(("count", "rows", "aside"), [(3, 1, False), (4, 2, True), (5, 2, True), (6, 2, True)])
def test_squares_on_a_slide_stand_where_they_leave_little_free(count: int, rows: int, aside: bool) -> None:
    panels, headline = [Panel(1.0, exact=True)] * count, text(*[0.4] * 8)
    every = Contents(panels, [NO_MARGINS] * count, said(count, headline))
    layout = choose_layout(every, alone(panels, count, 3, 2, 1), SLIDE._replace(width=8.0, height=4.5))
    assert (len(layout.grids[0]), layout.texts_left) == (rows, aside)


def test_a_bar_that_has_no_room_beside_its_name_stands_below_it() -> None:
    bar = ColorBar("value")
    every = Contents([Panel(bar=bar)], [NO_MARGINS], said(1, bars={bar: (1.2, 0.2)}))
    narrow = arrange(every, (((0,),),), FREE._replace(width=1.7))
    assert narrow.bars[bar][3] and narrow.bars[bar][2] >= LEAST_BAR * EM and narrow.fits
    assert not arrange(every, (((0,),),), FREE._replace(width=0.6)).fits


@pytest.mark.parametrize(("share", "below"), [(MAX_LEGEND - 0.2, False), (MAX_LEGEND + 0.3, True)])
def test_a_wide_legend_stands_below_its_panel(share: float, below: bool) -> None:
    legend = Legend(width=share * 6.5, height=0.5, entry=1.0, entries=4, line=0.2)
    layout = arrange(contents([EACH], AXES._replace(legend=legend)), (((0,),),), FREE)
    assert (layout.legends_below == {0}) is below
    assert layout.frames[0][1] > 0.5 if below else layout.frames[0][2] < 6.5 - legend.width


def test_few_entries_of_a_legend_stand_in_one_row_or_one_column() -> None:
    found = [columns_of_legend(entries, fitting) for entries, fitting in [(3, 2.5), (3, 3.0), (5, 2.5), (4, 0.5)]]
    assert found == [1, 3, 2, 1]


def test_a_headline_wraps_into_the_room_there_is() -> None:
    line, every = 0.2, Contents([EACH], [NO_MARGINS], said(1, text(*[1.0] * 10)))
    wide, narrow = (arrange(every, (((0,),),), FREE._replace(width=width)) for width in (12.0, 4.0))
    assert wide.size[1] - wide.frames[0][1] - wide.frames[0][3] == pytest.approx(
        line + (FREE.edge + 1.4) * EM, abs=0.01
    )
    assert narrow.size[1] - narrow.frames[0][1] - narrow.frames[0][3] > wide.size[1] - sum(wide.frames[0][1::2]) + line
