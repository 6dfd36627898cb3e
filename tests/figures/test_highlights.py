"""Positions that are marked: read, refused, framed and named without touching each other."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import pecli
from pecli.core.errors import UsageError
from pecli.figures.highlights import Span, read_span
from pecli.figures.labels import MarkLabel, labels_of
from pecli.figures.style import style_context


def drawn(figure: str, /, **options: Any) -> list[Any]:
    picture = pecli.figure(figure, d=4, dpi=40, **options)
    with style_context(picture.job.canvas):
        drawing = picture._drawing()
        drawing.draw_without_rendering()
    return [axes for axes in drawing.axes if axes.get_label() != "<colorbar>"]


def names(axes: Any) -> list[str]:
    return [text.get_text() for text in labels_of(axes, MarkLabel)]


def test_a_position_and_a_slice_are_read_as_python_reads_them() -> None:
    assert read_span("100") == Span(100, 101)
    assert read_span(" 5000:5100") == Span(5000, 5100)
    assert read_span("-3:2") == Span(-3, 2)


def test_python_may_give_numbers_and_ranges() -> None:
    figure: Any = pecli.figure("heatmap", d=4, highlight=[7, np.int64(3), range(5, 9), "8:11"]).job.figure
    assert figure.highlight == ("7", "3", "5:9", "8:11")
    for wrong in (True, 2.5, range(0, 9, 2)):
        with pytest.raises(UsageError, match="highlight"):
            pecli.figure("heatmap", highlight=[wrong])


@pytest.mark.parametrize("text", ["a", "5:5", "7:3", "1:2:3", "1.5", "9" * 20])
def test_what_names_no_position_is_refused(text: str) -> None:
    with pytest.raises(UsageError, match=r"highlight.*FIRST:STOP"):
        pecli.figure("heatmap", highlight=text)


@pytest.mark.parametrize("figure", ["heatmap", "distance", "curves", "offsets", "overview", "compare"])
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
    assert names(axes) == ["20 to 29"]


def test_rows_and_columns_of_a_matrix_are_framed() -> None:
    (axes,) = drawn("distance", length=50, highlight="7")
    corners = {(round(patch.get_x(), 3), round(patch.get_y(), 3)) for patch in axes.patches}
    assert corners == {(6.5, 0.0), (0.0, 6.5)}


@pytest.mark.parametrize("figure", ["curves", "offsets"])
def test_stretches_of_lines_are_shaded_behind_them(figure: str) -> None:
    (axes,) = drawn(figure, length=50, highlight=["20:31", "3"])
    shaded = {(patch.get_x(), patch.get_x() + patch.get_width()) for patch in axes.patches}
    assert shaded == {(20, 30), (3, 3)}
    assert all(patch.get_zorder() < max(line.get_zorder() for line in axes.lines) for patch in axes.patches)
    assert names(axes) == ["20 to 30", "3"]


@pytest.mark.parametrize("figure", ["heatmap", "curves"])
def test_names_of_neighbours_do_not_touch(figure: str) -> None:
    (axes,) = drawn(figure, length=200, highlight=["100", "101", "102"])
    boxes = [text.get_window_extent() for text in axes.texts]
    for at, one in enumerate(boxes):
        assert not any(one.overlaps(other) for other in boxes[:at])


def test_the_title_of_a_panel_stands_above_what_is_named_there() -> None:
    first, *_ = drawn("compare", encoding=["sinusoidal", "rope"], figure="curves", length=50, highlight=["10", "11"])
    assert first.title.get_window_extent().y0 >= max(text.get_window_extent().y1 for text in first.texts)


def test_cells_thinner_than_a_frame_are_pointed_at_and_not_hidden() -> None:
    (axes,) = drawn("distance", length=200, highlight=["10", "11", "100:180"])
    for label, thin in zip(labels_of(axes, MarkLabel), [True, True, False] * 2, strict=True):
        assert label.head is not None and label.head.get_visible() == thin
        assert [frame.get_visible() for frame in label.frames] == [not thin] * 2
    edges = [tuple(map(float, line.get_xydata()[0])) for line in axes.lines if line.get_visible()]
    assert edges == [(10, 1), (11, 1), (1, 10), (1, 11)]
