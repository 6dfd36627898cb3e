"""Tests of the figure overview, which draws several figures side by side."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import pecli
from pecli.core.errors import UsageError
from pecli.core.language import capitalised, finding, say
from tests.drawing import page_of


def panels(**options: object) -> list[Any]:
    return [axes for axes in page_of("overview", **options).axes if axes.get_label() != "<colorbar>"]


@pytest.mark.long
def test_the_measure_is_that_of_every_panel_that_has_one() -> None:
    heatmap, distance, curves = panels(d=7, length=11, panels=["heatmap", "distance", "curves"], measure="cityblock")
    table = pecli.encode(d=7, length=11)
    expected = np.abs(table[0] - table).sum(axis=1)
    assert np.asarray(distance.images[0].get_array())[0] == pytest.approx(expected)
    assert curves.lines[0].get_ydata() == pytest.approx(expected)
    assert heatmap.get_xlabel() == say("encoding.dimension")


@pytest.mark.long
@pytest.mark.parametrize(
    ("names", "grid"),
    [("heatmap", (1, 1)), ("heatmap,curves,distance", (1, 3)), ("heatmap,curves,distance,heatmap", (2, 2))],
)
def test_up_to_three_stand_in_a_row_where_there_is_room(names: str, grid: tuple[int, int]) -> None:
    boxes = [panel.get_position() for panel in panels(panels=names, length=5, size="30x20", text_size=8, dpi=20)]
    assert (len({round(box.y1, 2) for box in boxes}), len({round(box.x0, 2) for box in boxes})) == grid


@pytest.mark.parametrize("names", ["overview", "", [], "heatmap,nothing"])
def test_a_list_that_cannot_be_is_refused(names: object) -> None:
    with pytest.raises(UsageError, match="panels"):
        pecli.figure("overview", panels=names)


def test_what_a_panel_refuses_the_overview_refuses() -> None:
    with pytest.raises(UsageError, match="scatter"):
        pecli.figure("overview", panels="heatmap,scatter", length=1)


@pytest.mark.long
@pytest.mark.parametrize(
    ("encoding", "names", "counts"), [("sinusoidal", "dials,attention", (1, 6)), ("alibi", "bias,attention", (8, 6))]
)
def test_a_part_of_several_panels_has_rows_of_its_own(encoding: str, names: str, counts: tuple[int, int]) -> None:
    """No bar stands over another panel, and dials are as wide as all that is below them."""
    every = page_of("overview", encoding=encoding, panels=names, length=9, dpi=40, size="12x7", text_size=5).axes
    assert every[counts[0]].get_title().split("\n")[:-1] == [""]  # the line for the name of a row
    boxes = [item.get_window_extent() for item in every]
    first, second = boxes[: counts[0]], boxes[counts[0] : sum(counts)]
    assert min(item.y0 for item in first) > max(item.y1 for item in second)
    assert not any(box.overlaps(other) for at, box in enumerate(boxes) for other in boxes[:at])


@pytest.mark.long
@pytest.mark.parametrize(
    ("names", "key", "named"),
    [
        ("heatmap,distance", "words.the_depends_only_on", [False, True]),
        ("heatmap,curves,distance", "curves.every_curve_is_the", [False, True, False]),
        ("heatmap,scatter,spectrum", "", [False] * 3),  # they say too much for one headline
        ("heatmap", "heatmap.from_dimension_on", [False]),
    ],
)
def test_the_headline_is_a_comparison_of_positions_whose_panel_is_marked(
    names: str, key: str, named: list[bool]
) -> None:
    assert finding(pecli.figure("overview", panels=names).seen.message()).get("key", "") == key
    assert [getattr(panel, "named", False) for panel in panels(panels=names)] == named


@pytest.mark.long
def test_panels_of_one_measure_have_names_of_their_own() -> None:
    titles = [panel.get_title() for panel in panels(panels="distance,curves,offsets", measure="cos", size="slide")]
    similarity = say("measure.cosine_similarity")
    curves = say("overview.from_positions", shown=similarity, count=3)
    expected = [similarity, curves, say("overview.by_offset", shown=similarity)]
    assert titles == [capitalised(title) for title in expected]
