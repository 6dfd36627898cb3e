"""Names where lines end: apart, in order, as near as that allows; a key where there is no room for them."""

from __future__ import annotations

from itertools import combinations, pairwise

import numpy as np
import pytest
from matplotlib.text import Text

import pecli
from pecli.figures.labels import LineLabel, broken, end_of, labels_of, some, spread
from pecli.figures.style import style_context


def test_boxes_that_would_touch_are_piled_up_around_where_they_wanted_to_be() -> None:
    assert spread([0, 100, 200], [10, 10, 10]) == [0, 100, 200]
    assert spread([0, 0], [10, 10]) == [-5, 5]
    assert spread([0, 4, 100], [10, 10, 10]) == [-3, 7, 100]
    found = spread([0, 1, 8, 9, 30], [10, 10, 10, 10, 10])
    assert all(b - a >= 10 - 1e-9 for a, b in pairwise(found))


def test_of_many_some_are_named_first_and_last_among_them() -> None:
    assert some([1, 2, 3]) == [1, 2, 3]
    assert some(range(100))[0] == 0 and some(range(100))[-1] == 99 and len(some(range(100))) == 8


def test_a_name_breaks_between_its_parameters_and_not_within_one() -> None:
    assert broken("sinusoidal, d 128, base 10,000").split("\n")[-1].replace("\u00a0", " ") == "base 10,000"
    assert broken("39 of 64 pairs never finish a turn") == "39 of 64 pairs never\nfinish a turn"


def test_a_line_ends_at_its_last_number() -> None:
    assert end_of(np.arange(3.0), np.array([1.0, 2.0, np.nan])) == (1.0, 2.0)
    assert end_of(np.arange(3.0), np.full(3, np.nan)) == (2.0, 0.0)


@pytest.mark.parametrize("size", ["page", "slide"])
def test_names_stand_right_of_the_frame_and_apart(size: str) -> None:
    picture = pecli.figure("offsets", encoding="alibi:heads=8", length=20, size=size, dpi=40)
    with style_context(picture.job.canvas):
        drawing = picture._drawing()
        drawing.draw_without_rendering()
    (axes,) = drawing.axes
    boxes = [Text.get_window_extent(name) for name in labels_of(axes, LineLabel)]
    assert len(boxes) == 8
    assert all(axes.bbox.x1 < box.x0 + 30 for box in boxes)
    assert not any(one.overlaps(other) for one, other in combinations(boxes, 2))
    assert [box.y0 for box in boxes] == sorted(box.y0 for box in boxes)  # from the steepest to the flattest


def test_where_names_are_too_wide_a_key_says_them() -> None:
    picture = pecli.figure("waves", size="2.5x3", length=20, dims=[108, 127], dpi=40)
    with style_context(picture.job.canvas):
        (axes,) = picture._drawing().axes
    assert not labels_of(axes, LineLabel)
    legend = axes.get_legend()
    assert legend is not None
    texts = [" ".join(text.get_text().split()) for text in legend.get_texts()]
    assert texts[0] == "dimension 108 (sin), λ = 14,900"


def test_names_stay_within_the_frame_where_there_is_room_for_them() -> None:
    assert spread([10, 50, 99], [10, 10, 10], 0, 100) == [10, 50, 95]
    assert spread([85, 95, 105], [10, 10, 10], 0, 100) == [75, 85, 95]
    assert spread([-5, 50], [10, 10], 0, 100) == [5, 50]
    assert spread([50, 100], [60, 60], 0, 100) == [25, 75]  # there is none
