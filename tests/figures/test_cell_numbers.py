"""Numbers in the cells of small matrices: which, how they are written, and that they can be read."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import pecli
from pecli.core.errors import UsageError, as_keywords
from pecli.figures.colors import is_dark
from pecli.figures.matrix import cell_texts, places
from pecli.figures.style import style_context


def panels(figure: str, **options: Any) -> list[Any]:
    picture = pecli.figure(figure, dpi=40, **options)
    with style_context(picture.job.canvas):
        return [axes for axes in picture._drawing().axes if axes.images]


def written(axes: Any) -> list[str]:
    return [text.get_text() for text in axes.texts if not text.get_in_layout()]  # those on a strip take room


def test_every_cell_of_a_small_matrix_says_its_number_at_its_place() -> None:
    (axes,) = panels("distance", d=6, length=5, measure="dot")
    values = axes.images[0].get_array()
    assert len(axes.texts) == 25
    for text in axes.texts:
        column, row = map(round, text.get_position())
        assert float(text.get_text().replace("−", "-")) == pytest.approx(values[row, column], abs=0.005)


@pytest.mark.parametrize(
    ("figure", "options"),
    [
        ("heatmap", {"d": 4, "length": 6}),
        ("attention", {"size": "slide", "text_size": 9}),
        ("terms", {"size": "slide", "text_size": 9}),
        ("relative", {"length": 3, "d": 4}),
        ("bias", {"encoding": "alibi:heads=1", "length": 5}),
        ("rotation", {"d": 6, "matrix": 2}),
        ("rotation", {"d": 4, "length": 5}),
    ],
)
def test_numbers_are_on_where_they_fit_and_off_where_they_are_not_wanted(figure: str, options: dict[str, Any]) -> None:
    for axes in panels(figure, **options):
        assert len(written(axes)) == axes.images[0].get_array().count()
    left = [text for axes in panels(figure, no_numbers=True, **options) for text in written(axes)]
    assert not any(sign.isdigit() for text in left for sign in text)


def test_they_are_left_out_where_they_do_not_fit_unless_they_are_asked_for() -> None:
    tight = {"d": 12, "length": 12, "size": "column"}
    assert not any(map(written, panels("heatmap", **tight)))
    (asked,) = panels("heatmap", numbers=True, **tight)
    assert len(written(asked)) == 144 and asked.texts[0].get_fontsize() < 7
    assert not any(map(written, panels("heatmap", d=4, length=13)))
    with pytest.raises(UsageError, match=r"numbers.*12 × 12"):
        panels("heatmap", d=4, length=13, numbers=True)
    with pytest.raises(UsageError, match="exclude each other"):
        pecli.figure("heatmap", numbers=True, no_numbers=True)


@pytest.mark.parametrize(
    ("values", "texts"),
    [
        ([[0.0, 0.034], [-1e-9, -0.088]], [["0", "0.034"], ["0.000", "−0.088"]]),
        ([[1.0, -2.0]], [["1", "−2"]]),
        ([[12.345, 1.0]], [["12.3", "1.0"]]),
        ([[40660.0, 2943.0]], [["40,660", "2,943"]]),
        ([[np.nan, 0.5]], [["", "0.50"]]),
    ],
)
def test_numbers_have_as_many_places_as_the_largest_asks_for(values: list[Any], texts: list[Any]) -> None:
    matrix = np.ma.masked_invalid(np.array(values))
    assert cell_texts(matrix, places([matrix])) == texts


def test_parts_have_the_places_of_their_sum_and_it_has_numbers_where_they_are_too_small() -> None:
    *parts, whole = panels("terms", size="page")
    behind = {len(text.split(".")[1]) for axes in (*parts, whole) for text in written(axes) if text != "0"}
    assert behind == {1} and len(written(parts[0])) == len(written(whole)) == 25
    assert parts[0].texts[0].get_fontsize() < whole.texts[0].get_fontsize()
    *parts, whole = panels("terms", size="5x3")
    assert len(written(whole)) == 25 and not any(map(written, parts))
    with pytest.raises(UsageError, match="hold 3"):
        panels("terms", size="4x3", numbers=True)


def test_text_is_white_on_dark_cells_and_black_on_light_ones() -> None:
    assert is_dark(np.array([[0, 0, 0], [1, 1, 1], [0, 0, 1], [1, 1, 0]])).tolist() == [True, False, True, False]
    (axes,) = panels("heatmap", encoding="binary", length=4)
    colours = {text.get_text(): text.get_color() for text in axes.texts}
    assert colours == {"0": "black", "1": "white"}


@pytest.mark.parametrize(
    ("figure", "options", "said"),
    [
        ("heatmap", {"length": 13, "d": 4}, "reduce length"),
        ("heatmap", {"length": 4, "d": 14}, "reduce d"),
        ("rotation", {"matrix": 3, "d": 14}, "reduce d"),
        ("distance", {"length": 13}, "reduce length"),
        ("attention", {"tokens": "a b c d e f g h i j k l m"}, "reduce tokens"),
        ("distance", {"length": 12, "size": "2.5x2"}, "give a larger size, or reduce length"),
    ],
)
def test_advice_names_the_options_that_make_it_small_enough(figure: str, options: dict[str, Any], said: str) -> None:
    with pytest.raises(UsageError) as refused:
        panels(figure, **options, numbers=True)
    assert as_keywords(refused.value.advice) == said


def test_a_logarithmic_axis_has_no_cells_to_write_into() -> None:
    with pytest.raises(UsageError, match=r"log gives a row to every pixel.*give one of them"):
        pecli.figure("heatmap", d=4, length=4, log=True, numbers=True)
