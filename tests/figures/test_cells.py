"""Tests of images whose cells may end within pixels, and of numbers in the cells of small matrices."""

from __future__ import annotations

import io
from math import ceil
from typing import Any

import numpy as np
import pytest
from matplotlib.backends.backend_svg import RendererSVG
from matplotlib.figure import Figure as Drawing
from PIL import Image

from pecli.core.errors import UsageError
from pecli.core.language import capitalised, say
from pecli.core.lazy import Array
from pecli.figures.matrix import cell_texts, show_matrix
from pecli.page.cell_image import FEW, FINE
from pecli.page.colors import lightness
from pecli.page.labels import Label
from tests.drawing import frames_of, page_of


def pixels(values: Any, shape: tuple[int, int], **options: Any) -> Array:
    """Return the red of each pixel of a matrix on a picture of that many pixels, from 0 to 1; NaN where nothing is
    drawn.
    """
    drawing = Drawing(figsize=(shape[1] / 10, shape[0] / 10), dpi=10)
    axes = drawing.add_axes((0.0, 0.0, 1.0, 1.0))
    axes.set(xlim=(-0.5, len(values[0]) - 0.5), ylim=(len(values) - 0.5, -0.5))
    axes.axis("off")
    drawing.patch.set_alpha(0.0)
    show_matrix(axes, np.array(values, float), colours="gray", limits=(0.0, 1.0), **options)
    file = io.BytesIO()
    drawing.savefig(file, format="png")
    drawn = np.asarray(Image.open(file).convert("RGBA"), float)
    return np.where(drawn[..., 3] > 0, drawn[..., 0] / 255, np.nan)


@pytest.mark.long
@pytest.mark.parametrize(("count", "side"), [(5, 12), (3, 4), (7, 10), (100, 102), (9, 41)])
def test_all_cells_are_equally_wide(count: int, side: int) -> None:
    for at in {0, 1, count // 2, count - 1}:
        item = np.zeros((1, count))
        item[0, at] = 1.0
        assert pixels(item, (1, side)).sum() == pytest.approx(side / count, abs=0.01)
        assert pixels(item.T, (side, 1)).sum() == pytest.approx(side / count, abs=0.01)


@pytest.mark.some(4)
@pytest.mark.parametrize("side", [5, 10, 25, 5 * FEW + 2])
def test_a_pixel_within_a_cell_has_its_colour(side: int) -> None:
    row = np.array([0.0, 1.0, 0.2, 0.6, 1.0])
    middles = (np.arange(side) + 0.5) / side * len(row)
    assert pixels([row], (1, side))[0] == pytest.approx(row[middles.astype(int)], abs=0.005)


def test_what_has_no_number_stays_empty_and_cells_beyond_the_frame_are_left_out() -> None:
    drawn = pixels([[np.nan, 0.5, np.nan]], (1, 4))[0]
    assert drawn == pytest.approx([np.nan, 0.5, 0.5, np.nan], abs=0.005, nan_ok=True)
    drawn = pixels([[np.nan, 0.5, 0.3, np.nan, 1.0, 0.0, 0.2]], (1, 2))[0]  # pixels of three and a half cells
    assert drawn == pytest.approx([0.8 / 2, 1.2 / 3], abs=0.005)
    drawn = pixels([[0.0, 1.0, 0.0]], (1, 6), extent=(-0.5, 5.5, 0.5, -0.5))[0]  # three cells of two: half is seen
    assert drawn == pytest.approx([0.0, 0.0, 0.0, 0.0, 1.0, 1.0])


@pytest.mark.long
@pytest.mark.parametrize(("dpi", "finer"), [(10, FINE), (800, 800)])
@pytest.mark.parametrize(
    ("sides", "columns"), [((-0.5, 2.5), [0, 1, 2]), ((2.5, -0.5), [2, 1, 0]), ((1.0, 2.5), [1, 2])]
)
def test_cells_are_whole_in_a_file_that_takes_pixels_of_any_size(
    dpi: int, finer: int, sides: tuple[float, float], columns: list[int]
) -> None:
    values, width, height = np.array([[0.0, 0.2, 0.4], [0.6, 0.8, 1.0]]), 27.0, 8.0
    axes = Drawing(figsize=(width / 72, height / 72), dpi=72).add_axes((0.0, 0.0, 1.0, 1.0))
    axes.set(xlim=sides, ylim=(1.5, -0.5))
    image = show_matrix(axes, values, colours="gray", limits=(0.0, 1.0))
    renderer: Any = RendererSVG(width, height, io.StringIO(), image_dpi=dpi)  # type: ignore[no-untyped-call]  # matplotlib says nothing of it
    drawn, left, bottom, place = image.make_image(renderer, unsampled=True)
    cell = width / abs(sides[1] - sides[0]), height / 2
    across, up = (ceil(side * finer / 72) for side in cell)
    assert drawn[::-1, :, 0] / 255 == pytest.approx(np.kron(values[:, columns], np.ones((up, across))), abs=0.003)
    assert (left, bottom) == pytest.approx((width - len(columns) * cell[0], 0.0))
    assert place.transform((across, up)) == pytest.approx(cell)


def panels(figure: str, **options: Any) -> list[Any]:
    return [axes for axes in page_of(figure, dpi=40, **options).axes if axes.images]


def written(axes: Any) -> list[str]:
    own = [text for text in axes.texts if not isinstance(text, Label)]
    return [text.get_text() for text in own if not text.get_in_layout()]  # those on a strip take room


@pytest.mark.long
def test_every_cell_of_a_small_matrix_says_its_number_at_its_place() -> None:
    (axes,) = panels("distance", d=6, length=5, measure="dot")
    values = axes.images[0].get_array()
    assert len(axes.texts) == 25
    for text in axes.texts:
        column, row = map(round, text.get_position())
        assert float(text.get_text().replace("−", "-")) == pytest.approx(values[row, column], abs=0.005)


@pytest.mark.some(4)
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


@pytest.mark.long
@pytest.mark.parametrize(("size", "least"), [("column", 7), ("page", 7), ("slide", 14)])
def test_numbers_that_nobody_asked_for_are_as_large_as_text_has_to_be(size: str, least: float) -> None:
    found = []
    for figure, options in (("distance", {"length": 12}), ("terms", {"tokens": "the dog bites the old man"})):
        for numbers in (False, True):
            drawn = panels(figure, size=size, numbers=numbers, **options)
            found.append([text.get_fontsize() for axes in drawn for text in axes.texts if not text.get_in_layout()])
    assert min(map(min, filter(None, found[::2]))) >= least
    assert all(found[1::2]) and min(map(min, found[1::2])) < least  # those that are asked for may be smaller


@pytest.mark.parametrize(
    ("values", "texts"),
    [
        ([[0.0, 0.034], [-1e-17, -4e-4]], [["0", "0.0340"], ["0", "−0.0004"]]),
        ([[0.0, 0.841], [-1e-9, 4e-4]], [["0", "0.84"], ["−10⁻⁹", "4×10⁻⁴"]]),
        ([[1.0, -2.0]], [["1", "−2"]]),
        ([[12.345, 1.0]], [["12.3", "1.0"]]),
        ([[40660.0, 2943.0]], [["40,660", "2,943"]]),
        ([[np.nan, 0.5]], [["", "0.50"]]),
    ],
)
def test_numbers_have_as_many_places_as_the_largest_and_the_smallest_need(values: list[Any], texts: list[Any]) -> None:
    matrix = np.ma.masked_invalid(np.array(values))
    assert cell_texts(matrix, [matrix]) == texts


def test_text_is_white_on_dark_cells_and_black_on_light_ones() -> None:
    (axes,) = panels("heatmap", encoding="binary", length=4)
    assert {text.get_text(): text.get_color() for text in axes.texts} == {"0": "black", "1": "white"}


@pytest.mark.some(2)
@pytest.mark.parametrize(
    ("figure", "options", "message"),
    [
        ("heatmap", {"length": 4, "d": 64}, "these have room for"),
        ("distance", {"length": 12, "size": "2.5x2"}, "these have room for"),
        ("heatmap", {"d": 4, "length": 130}, "numbers needs cells with room for 3.5-point text"),
        ("heatmap", {"d": 4, "length": 4, "log": True}, "log makes rows one pixel high.*give one of them"),
        ("heatmap", {"no_numbers": True}, "exclude each other"),
    ],
)
def test_numbers_that_do_not_fit_are_refused(figure: str, options: dict[str, Any], message: str) -> None:
    with pytest.raises(UsageError, match=message):
        panels(figure, **options, numbers=True)


def test_a_cell_has_the_number_of_its_bucket() -> None:
    page = page_of("bias", encoding="t5:buckets=8,max_distance=16", length=3)
    (image,) = page.axes[0].images
    assert [text.get_text() for text in image.numbers.values()] == [*"056", *"105", *"210"]


@pytest.mark.long
@pytest.mark.parametrize("size", ["column", "slide"])
@pytest.mark.parametrize(("options", "extend"), [({"lowest": -20}, "min"), ({"lowest": -99.5}, "neither"), ({}, "min")])
def test_the_arrow_of_a_bar_is_told_by_the_numbers_and_not_by_means(
    size: str, options: dict[str, Any], extend: str
) -> None:
    *_, bar = page_of("bias", head=0, size=size, dpi=30, **options).axes
    (image,) = (image for axes in bar.figure.axes for image in axes.images)
    assert image.colorbar.extend == extend


@pytest.mark.long
@pytest.mark.parametrize(("figure", "options", "colours"), [
    ("bias", {"encoding": "t5", "length": 9}, 9),  # of distances, on both sides
    ("bias", {"encoding": "t5:direction=causal", "length": 9}, 9),
    ("distance", {"encoding": "t5", "length": 9}, 25),
    ("heatmap", {"encoding": "binary", "length": 9}, 2),
    ("heatmap", {"encoding": "binary", "length": 9, "vmax": 0.7}, 256),
    ("heatmap", {"encoding": "binary", "length": 9, "vmax": 1e6}, 256),
    ("heatmap", {"encoding": "binary", "length": 999, "size": "3x2", "dpi": 30}, 256),  # means
    ("bias", {"encoding": "alibi:heads=1", "length": 9}, 256),
])  # fmt: skip
def test_classes_have_a_colour_each(figure: str, options: dict[str, Any], colours: int) -> None:
    (image,) = (image for axes in page_of(figure, **options).axes for image in axes.images)
    assert colours == image.get_cmap().N
    if colours < 256:
        found = {tuple(image.to_rgba(float(value))) for value in range(colours)}
        assert len(found) == colours and image.get_clim() == (-0.5, colours - 0.5)


def test_classes_on_both_sides_of_0_have_it_in_the_middle_of_the_colours() -> None:
    page = page_of("bias", encoding="t5", length=9, vmin=-5, vmax=24, cmap="PuOr_r", dpi=30)
    (image,) = (image for axes in page.axes for image in axes.images)
    light = lightness(image.to_rgba(np.arange(-5.0, 25.0)))
    assert len(light) == image.get_cmap().N and light.argmax() in (4, 5, 6)


@pytest.mark.long
@pytest.mark.parametrize(("figure", "options", "ends"), [
    ("heatmap", {"encoding": "binary", "length": [9, 999]}, (0, 1)),
    ("bias", {"encoding": "t5", "length": [30, 900]}, (0, 15)),
    ("heatmap", {"encoding": "binary", "length": [9, 17]}, (-0.5, 1.5)),
])  # fmt: skip
@pytest.mark.parametrize("drawings", [lambda *_, **o: [page_of(*_, **o)], frames_of])
def test_classes_beside_means_have_the_colours_of_the_means(
    drawings: Any, figure: str, options: dict[str, Any], ends: tuple[float, float]
) -> None:
    axes = [own for drawing in drawings(figure, **options, size="4x2.5", dpi=30) for own in drawing.axes]
    bars = [own for own in axes if own.get_label() == "<colorbar>"]
    images = [image for own in axes if own not in bars for image in own.images]
    assert len(images) == 2 and {image.get_clim() for image in images} == {ends}
    for value in (0.0, 1.0):
        assert len({tuple(image.to_rgba(value)) for image in images}) == 1
    assert {bar.get_xlim() for bar in bars} == {ends}


@pytest.mark.long
@pytest.mark.parametrize(("figure", "options", "bars", "title"), [
    ("distance", {"length": 6}, 0, ""),  # the headline says what they are
    ("distance", {"length": 6, "plain": True}, 0, say("measure.euclidean_distance")),
    ("distance", {"length": 6, "no_numbers": True}, 1, ""),
    ("distance", {"length": 6, "base": [10, 100]}, 1, "base = 10"),
    ("distance", {"length": 30}, 1, ""),
    ("bias", {"length": 6, "head": 0}, 1, say("encoding.head_head", head=0)),
    ("terms", {"tokens": "I like you", "size": "9x7"}, 0, capitalised(say("terms.content_content"))),
])  # fmt: skip
def test_a_bar_is_left_out_where_every_cell_carries_its_number(
    figure: str, options: dict[str, Any], bars: int, title: str
) -> None:
    axes = page_of(figure, **options).axes
    assert sum(own.get_label() == "<colorbar>" for own in axes) == bars and axes[0].get_title() == title


@pytest.mark.long
@pytest.mark.parametrize(
    ("figure", "size", "bars"),
    [
        ("terms", "7x9", 0),
        ("terms", "5x3", 1),  # the sum has numbers, its parts are too small
        ("attention", "12x8", 0),
        ("attention", "5x3", 2),
    ],
)
def test_a_bar_takes_room_only_where_cells_do_not_carry_their_numbers(figure: str, size: str, bars: int) -> None:
    axes = page_of(figure, tokens="the dog bites the man", size=size, dpi=60).axes
    bare = [ax for ax in axes if ax.images and ax.get_label() != "<colorbar>" and not ax.images[0].numbers]
    assert len([ax for ax in axes if ax.get_label() == "<colorbar>"]) == bars and bool(bare) == bool(bars)


@pytest.mark.long
def test_numbers_stay_inside_their_cells_where_more_is_said_than_was_expected() -> None:
    """Frames get smaller once notes are known: numbers that fitted before are left out then."""
    page = page_of("terms", size="5.4x3.2", footnote="said at length: " * 12, dpi=60)
    renderer = page.canvas.get_renderer()
    for ax in page.axes:
        for image in ax.images:
            width = ax.bbox.width / image.get_size()[1]
            cells = getattr(image, "numbers", {}).values()
            assert all(text.get_window_extent(renderer).width <= 1.05 * width for text in cells)
