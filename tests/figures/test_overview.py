"""Several figures side by side."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import pecli
from pecli.core.errors import UsageError
from tests.drawing import page_of


def panels(**options: object) -> list[Any]:
    return [axes for axes in page_of("overview", **options).axes if axes.get_label() != "<colorbar>"]


def test_is_heatmap_beside_distance_matrix() -> None:
    left, right = panels(d=7, base=10, length=11)
    assert np.array_equal(left.images[0].get_array(), pecli.encode(d=7, base=10, length=11))
    expected = pecli.figure("distance", d=7, base=10, length=11).numbers.main
    assert np.array_equal(right.images[0].get_array(), expected)


def test_the_measure_is_that_of_every_panel_that_has_one() -> None:
    heatmap, distance, curves = panels(d=7, length=11, panels=["heatmap", "distance", "curves"], measure="cityblock")
    table = pecli.encode(d=7, length=11)
    expected = np.abs(table[0] - table).sum(axis=1)
    assert np.asarray(distance.images[0].get_array())[0] == pytest.approx(expected)
    assert curves.lines[0].get_ydata() == pytest.approx(expected)
    assert heatmap.get_xlabel() == "dimension"


@pytest.mark.parametrize(
    ("names", "grid"),
    [("heatmap", (1, 1)), ("heatmap,curves,distance", (1, 3)), ("heatmap,curves,distance,heatmap,curves", (2, 5))],
)
def test_up_to_three_stand_in_a_row_where_there_is_room(names: str, grid: tuple[int, int]) -> None:
    """A last row that is not full stands in the middle."""
    boxes = [panel.get_position() for panel in panels(panels=names, length=5, size="30x20", text_size=8, dpi=20)]
    assert (len({round(box.y1, 2) for box in boxes}), len({round(box.x0, 2) for box in boxes})) == grid


def test_captions_name_their_panel() -> None:
    numbers = pecli.figure("overview", d=6, length=101, dpi=10, size="5x3").seen
    assert "each pixel: mean of " in numbers.caption()
    assert "positions (heatmap)" in numbers.caption() and "pairs (distance)" in numbers.caption()


@pytest.mark.parametrize("names", ["overview", "", [], "heatmap,nothing"])
def test_a_list_that_cannot_be_is_refused(names: object) -> None:
    with pytest.raises(UsageError, match="panels"):
        pecli.figure("overview", panels=names)


def test_what_a_panel_refuses_the_overview_refuses() -> None:
    with pytest.raises(UsageError, match="scatter"):
        pecli.figure("overview", panels="heatmap,scatter", length=1)


@pytest.mark.parametrize("names", ["heatmap,distance", "curves,distance", "distance,waves,heatmap"])
def test_beside_a_square_panel_all_are_square_and_of_one_height(names: str) -> None:
    axes = panels(d=7, length=23, panels=names, size="30x11", text_size=8, dpi=20)
    boxes = [ax.get_window_extent() for ax in axes]
    square = boxes[names.split(",").index("distance")]
    assert square.width == pytest.approx(square.height, abs=1.5)  # pixels
    assert [box.height for box in boxes] == pytest.approx([square.height] * len(boxes), abs=1.5)
    assert all(box.width >= square.width - 1 for box in boxes)


@pytest.mark.parametrize(
    ("encoding", "names", "counts"), [("sinusoidal", "dials,terms", (1, 5)), ("alibi", "bias,attention", (8, 6))]
)
@pytest.mark.parametrize("size", ["page", "12x7"])
def test_a_part_of_several_panels_has_rows_of_its_own(
    encoding: str, names: str, counts: tuple[int, int], size: str
) -> None:
    """No bar stands over another panel, and dials are as wide as all that is below them."""
    every = page_of("overview", encoding=encoding, panels=names, length=9, dpi=40, size=size, text_size=5).axes
    boxes = [item.get_window_extent() for item in every]
    first, second = boxes[: counts[0]], boxes[counts[0] : sum(counts)]
    assert len(boxes) > sum(counts) and min(item.y0 for item in first) > max(item.y1 for item in second)
    assert not any(box.overlaps(other) for at, box in enumerate(boxes) for other in boxes[:at])


@pytest.mark.parametrize(("size", "rows"), [("8x8", 3), ("14x5", 1)])
def test_lines_stand_as_they_are_no_slivers(size: str, rows: int) -> None:
    boxes = [panel.get_position() for panel in panels(panels="waves,spectrum,offsets", size=size, text_size=6)]
    assert len({round(box.y0, 2) for box in boxes}) == rows
