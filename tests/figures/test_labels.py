"""Tests of labels of lines and of marked positions: apart, in order, or in a key without enough room."""

from __future__ import annotations

from itertools import combinations
from typing import Any

import numpy as np
import pytest
from matplotlib.text import Text

import pecli
from pecli.core.errors import UsageError
from pecli.core.language import listing, say
from pecli.page.labels import ColumnLabel, LineLabel, RowLabel, labels_of, separate_boxes, wrapped_label
from tests.drawing import page_of, texts


def test_boxes_that_would_touch_are_piled_up_around_where_they_wanted_to_be() -> None:
    assert separate_boxes([0, 100, 200], [10, 10, 10]) == [0, 100, 200]
    assert separate_boxes([0, 0], [10, 10]) == [-5, 5]
    assert separate_boxes([0, 0, 0], [10, 10, 10]) == [-10, 0, 10]
    assert separate_boxes([5, 16, 22.5], [10, 10, 10]) == [4.5, 14.5, 24.5]  # the last two push the first
    assert separate_boxes([100, 4, 0], [10, 10, 10]) == [100, 7, -3]
    assert separate_boxes([10, 50, 99], [10, 10, 10], 0, 100) == [10, 50, 95]  # within the frame
    assert separate_boxes([50, 100], [60, 60], 0, 100) == [25, 75]  # there is no room


def test_a_name_breaks_between_its_parameters_and_not_within_one() -> None:
    assert wrapped_label("sinusoidal, d = 128, base = 10,000").split("\n")[-1].replace("\u00a0", " ") == "base = 10,000"
    assert wrapped_label("39 of 64 pairs never finish a turn") == "39 of 64 pairs never\nfinish a turn"


@pytest.mark.long
@pytest.mark.parametrize("size", ["page", "slide"])
def test_names_stand_right_of_the_frame_and_apart(size: str) -> None:
    page = page_of("offsets", encoding="alibi:heads=8", length=20, size=size, dpi=40)
    page.draw_without_rendering()
    (axes,) = page.axes
    boxes = [Text.get_window_extent(name) for name in labels_of(axes, LineLabel)]
    assert len(boxes) == 8
    assert all(axes.bbox.x1 < box.x0 + 30 for box in boxes)
    assert not any(combination.overlaps(other) for combination, other in combinations(boxes, 2))
    assert [box.y0 for box in boxes] == sorted(box.y0 for box in boxes)  # from the steepest to the flattest


def test_where_names_are_too_wide_a_key_says_them() -> None:
    (axes,) = page_of("offsets", size="2.5x3", length=20, encoding=["rope", "clock"], dpi=40).axes
    assert not labels_of(axes, LineLabel)
    whole = listing(["RoPE", "d = 128", "base = 10,000"])
    assert " ".join(texts(axes.get_legend().get_texts())[0].split()) == whole


def drawn(figure: str, /, **options: Any) -> list[Any]:
    page = page_of(figure, d=4, dpi=40, **options)
    page.draw_without_rendering()
    return [axes for axes in page.axes if axes.get_label() != "<colorbar>"]


def names(axes: Any) -> list[str]:
    return [text.get_text() for text in (*labels_of(axes, RowLabel), *labels_of(axes, ColumnLabel))]


def test_python_may_give_numbers_and_ranges() -> None:
    figure: Any = pecli.figure("heatmap", d=4, highlight=[7, np.int64(3), range(5, 9), "8:11"]).job.figure
    assert figure.highlight == ("7", "3", "5:9", "8:11")
    for wrong in (True, 2.5, range(0, 9, 2)):
        with pytest.raises(UsageError, match="highlight"):
            pecli.figure("heatmap", highlight=[wrong])


@pytest.mark.parametrize("text", ["a", "5:5", "1:2:3", "1.5", "9" * 20])
def test_what_names_no_position_is_refused(text: str) -> None:
    with pytest.raises(UsageError, match=r"highlight.*FIRST:STOP"):
        pecli.figure("heatmap", highlight=text)


@pytest.mark.parametrize("figure", ["heatmap", "distance", "curves", "offsets", "compare"])
def test_positions_that_are_not_shown_are_refused(figure: str) -> None:
    options = {"encoding": ["sinusoidal", "rope"]} if figure == "compare" else {}
    with pytest.raises(UsageError, match=r"highlight.*60.*outside what is shown, 0 to 49"):
        pecli.figure(figure, length=50, highlight="60", **options)


@pytest.mark.parametrize("panels", [["waves"], ["spectrum", "dials"]])
def test_an_overview_of_figures_without_positions_to_mark_refuses_it(panels: list[str]) -> None:
    with pytest.raises(UsageError, match="highlight"):
        pecli.figure("overview", panels=panels, highlight="1")
    with pytest.raises(UsageError, match="measure"):
        pecli.figure("overview", panels=panels, measure="cos")


@pytest.mark.long
@pytest.mark.parametrize(
    ("options", "edges"),
    [({}, (19.5, 29.5)), ({"log": True}, (1.30103, 1.47712))],
)
def test_rows_of_a_heatmap_are_framed_where_their_cells_are(options: dict[str, Any], edges: Any) -> None:
    (axes,) = drawn("heatmap", length=50, highlight="20:30", **options)
    boxes = [patch for patch in axes.patches if not patch.get_fill()]
    assert {patch.get_edgecolor()[:3] for patch in boxes} == {(0, 0, 0), (1, 1, 1)}  # seen on light and dark
    for patch in boxes:
        assert (patch.get_y(), patch.get_y() + patch.get_height()) == pytest.approx(edges, abs=1e-5)
    assert names(axes) == [say("words.first_to_last", first=20, last=29)]


@pytest.mark.parametrize("figure", ["curves", "offsets"])
def test_stretches_of_lines_are_shaded_behind_them(figure: str) -> None:
    (axes,) = drawn(figure, length=50, highlight=["20:31", "3"])
    shaded = {(patch.get_x(), patch.get_x() + patch.get_width()) for patch in axes.patches}
    assert shaded == {(20, 30), (3, 3)}
    assert all(patch.get_zorder() < max(line.get_zorder() for line in axes.lines) for patch in axes.patches)
    assert names(axes) == [say("words.first_to_last", first=20, last=30), "3"]


def test_rows_and_columns_of_a_distance_are_framed_and_its_rows_named() -> None:
    (axes,) = drawn("distance", length=200, highlight=["10", "100:180"])
    boxes = [patch.get_extents().transformed(axes.transData.inverted()) for patch in axes.patches]
    sides = [tuple(np.round(ends, 1)) for box in boxes for ends in (box.intervalx, np.sort(box.intervaly))]
    assert {*sides} == {(-0.5, 199.5), (9.5, 10.5), (99.5, 179.5)}
    assert names(axes) == ["10", say("words.first_to_last", first=100, last=179)]


@pytest.mark.long
@pytest.mark.parametrize("figure", ["heatmap", "curves"])
def test_names_of_neighbours_do_not_touch_and_the_title_stands_above_them(figure: str) -> None:
    for axes in (
        *drawn(figure, length=200, highlight=["100", "101", "102"]),
        *drawn("compare", encoding=["sinusoidal", "rope"], figure=figure, length=50, highlight=["10", "11"]),
    ):
        boxes = [text.get_window_extent() for text in axes.texts if text.get_text()]
        assert not any(combination.overlaps(other) for combination, other in combinations(boxes, 2))
        assert not axes.get_title() or axes.title.get_window_extent().y0 >= max(box.y1 for box in boxes)
