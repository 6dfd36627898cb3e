"""Images whose cells need not end where pixels do."""

from __future__ import annotations

import io
from math import ceil
from typing import Any

import numpy as np
import pytest
from matplotlib.backends.backend_svg import RendererSVG
from matplotlib.figure import Figure as Drawing
from PIL import Image

import pecli
from pecli.core.lazy import Array
from pecli.figures.cell_image import FEW, FINE
from pecli.figures.matrix import show_matrix


def pixels(values: Any, shape: tuple[int, int], **options: Any) -> Array:
    """The red of each pixel of a matrix on a picture of that many pixels, from 0 to 1; NaN where nothing is drawn."""
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


@pytest.mark.parametrize(("count", "side"), [(5, 12), (3, 4), (7, 10), (100, 102), (9, 41)])
def test_all_cells_are_equally_wide(count: int, side: int) -> None:
    for at in {0, 1, count // 2, count - 1}:
        one = np.zeros((1, count))
        one[0, at] = 1.0
        assert pixels(one, (1, side)).sum() == pytest.approx(side / count, abs=0.01)
        assert pixels(one.T, (side, 1)).sum() == pytest.approx(side / count, abs=0.01)


@pytest.mark.parametrize("side", [5, 10, 25, 5 * FEW + 2])
def test_a_pixel_within_a_cell_has_its_colour(side: int) -> None:
    row = np.array([0.0, 1.0, 0.2, 0.6, 1.0])
    middles = (np.arange(side) + 0.5) / side * len(row)
    assert pixels([row], (1, side))[0] == pytest.approx(row[middles.astype(int)], abs=0.005)


def test_the_first_row_is_at_the_top_and_the_first_column_left() -> None:
    drawn = pixels([[0.0, 0.2, 0.4], [0.6, 0.8, 1.0]], (3, 4))
    assert drawn[0] == pytest.approx([0.0, 0.4 / 3, 0.8 / 3, 0.4], abs=0.005)
    assert drawn[2] == pytest.approx([0.6, 0.6 + 0.4 / 3, 0.6 + 0.8 / 3, 1.0], abs=0.005)
    assert drawn[1] == pytest.approx((drawn[0] + drawn[2]) / 2, abs=0.005)


def test_what_has_no_number_stays_empty() -> None:
    drawn = pixels([[np.nan, 0.5, np.nan]], (1, 4))[0]
    assert drawn[1:3] == pytest.approx([0.5, 0.5], abs=0.005)
    assert np.isnan(drawn[[0, 3]]).all()


def test_cells_beyond_the_frame_are_left_out() -> None:
    drawn = pixels([[0.0, 1.0, 0.0]], (1, 6), extent=(-0.5, 5.5, 0.5, -0.5))[0]  # three cells of two: half is seen
    assert drawn == pytest.approx([0.0, 0.0, 0.0, 0.0, 1.0, 1.0])


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


def test_who_shows_an_svg_smooths_its_cells() -> None:
    svg = pecli.heatmap("sinusoidal", d=8, length=6, size="column").render("svg")[0]
    assert b"<image" in svg
    assert b"pixelated" not in svg  # else some cells are a pixel wider where a screen has fewer pixels
