"""The distance matrix's numbers and what stands on its Axes."""

from __future__ import annotations

from typing import Any

import matplotlib as mpl
import numpy as np
import pytest
from matplotlib.figure import Figure as Drawing

import pecli
from pecli.figures.distance import spread_along_diagonals
from tests.drawing import axes_of


def drawn(**options: Any) -> Any:
    return axes_of("distance", **options)


@pytest.mark.parametrize("d", [6, 7])
def test_the_image_is_the_euclidean_matrix(d: int) -> None:
    axes = drawn(d=d, length=11, start=-3)
    table = pecli.encode(d=d, length=11, start=-3)
    expected = np.linalg.norm(table[:, None] - table, axis=2)
    (image,) = axes.images
    assert np.asarray(image.get_array()) == pytest.approx(expected, abs=1e-14)
    assert [*image.get_extent()] == [-3.5, 7.5, 7.5, -3.5]
    assert image.get_clim() == (0, pytest.approx(expected.max()))
    assert image.get_cmap().name == "viridis"


@pytest.mark.parametrize("cmap", [None, "coolwarm", "viridis"])
@pytest.mark.parametrize("limits", [{}, {"vmin": -0.5}, {"vmax": 3.0}])
def test_0_has_the_middle_of_the_map_whatever_map_and_limits_are_given(
    cmap: str | None, limits: dict[str, float]
) -> None:
    (image,) = drawn(d=6, base=10000, length=5, measure="cos", cmap=cmap, **limits).images
    low, high = image.get_clim()
    assert (low, high) == (limits.get("vmin", 0.0), limits.get("vmax", 1.0))
    whole = mpl.colormaps[cmap or "RdBu_r"]
    reach = max(-low, high)
    for value in (low, 0.0, high / 2, high):
        assert image.to_rgba(value) == pytest.approx(whole(0.5 + value / (2 * reach)), abs=0.02)


@pytest.mark.parametrize("d", [6, 7])
def test_more_positions_than_pixels_are_averaged_and_the_caption_says_so(d: int) -> None:
    picture = pecli.figure("distance", d=d, base=10, length=101, start=3, dpi=10, size="3x3")
    axes: Any = picture.draw(Drawing(figsize=(3, 3), dpi=10).subplots())
    size = picture.seen.facts()["block"]
    whole = pecli.figure("distance", d=d, base=10, length=101, start=3).numbers.main
    cuts = range(0, 101, size)
    expected = [[whole[i : i + size, j : j + size].mean() for j in cuts] for i in cuts]
    assert size > 1 and 101 % size
    assert np.asarray(axes.images[0].get_array()) == pytest.approx(np.array(expected), abs=1e-12)
    assert axes.get_xlim() == axes.get_ylim()[::-1] == (2.5, 103.5)
    assert f"{size} × {size} pairs" in picture.seen.caption()


@pytest.mark.parametrize("length", [1, 2, 3, 7])
def test_ticks_of_positions_are_whole_numbers(length: int) -> None:
    axes = drawn(d=7, length=length, start=1009)
    for axis in (axes.xaxis, axes.yaxis):
        inside = [tick for tick in axis.get_majorticklocs() if 1009 <= tick < 1009 + length]
        assert inside and all(float(tick).is_integer() for tick in inside)


@pytest.mark.parametrize(("encoding", "alike"), [("sinusoidal", True), ("binary", False)])
def test_the_message_says_where_diagonals_are_the_same(encoding: str, alike: bool) -> None:
    picture = pecli.figure("distance", encoding=encoding, length=9)
    spread = max(np.ptp(np.diag(picture.seen.main, k)) for k in range(-8, 9))
    assert bool(spread < 1e-9) is alike
    apart = f"at one offset pairs differ by up to {spread:.3g}"
    assert (apart, "one value per diagonal")[alike] in picture.seen.message()
    assert picture.seen.difference(picture.seen).message().startswith("one value") is alike


def test_the_spread_along_diagonals_leaves_out_what_is_not_known() -> None:
    nothing = np.nan
    assert spread_along_diagonals(np.array([[1.0, 9.0, 7.0], [nothing, 1.0, 6.5], [5.0, nothing, 1.0]])) == 2.5
    assert spread_along_diagonals(np.full((2, 2), nothing)) == 0


@pytest.mark.parametrize("base", [10, 10000])
@pytest.mark.parametrize("measure", ["euclidean", "dot", "cos", "corr"])
def test_a_measure_has_one_palette_whatever_its_values_are(measure: str, base: int) -> None:
    (image,) = drawn(d=7, base=base, length=23, measure=measure).images
    assert image.get_cmap().name == ("viridis" if measure == "euclidean" else "RdBu_r")
    low, high = image.get_clim()
    assert measure == "euclidean" or low == -high or low == 0  # both sides of 0 alike, where there are two


@pytest.mark.parametrize(("measure", "undefined"), [("corr", 25), ("cos", 9)])
def test_undefined_entries_are_counted_and_not_drawn(measure: str, undefined: int) -> None:
    picture = pecli.figure("distance", d=1, length=5, measure=measure)  # sin(0) is a zero row
    (image,) = drawn(d=1, length=5, measure=measure).images
    masked = np.ma.getmaskarray(image.get_array())
    assert masked.sum() == undefined == picture.numbers.facts()["undefined"] and masked[0].all()
    assert f"{undefined} of 25 undefined" in picture.numbers.caption()


def test_one_position_is_a_matrix_of_one_0() -> None:
    (image,) = drawn(d=7, length=1).images
    assert (image.get_array().tolist(), image.get_clim()) == ([[0]], (0, 1))
    assert pecli.figure("distance", d=8, length=1).numbers.message() == ""


@pytest.mark.parametrize(
    ("encoding", "labels"),
    [
        ("clock", ("other time", "time")),
        ("relative", ("other offset", "offset p − q")),
        ("rope", ("position q", "position p")),
    ],
)
def test_axes_and_a_colour_bar_as_tall_as_the_panel_are_labelled(encoding: str, labels: tuple[str, str]) -> None:
    axes = drawn(encoding=encoding, length=5, measure="cityblock")
    assert (axes.get_xlabel(), axes.get_ylabel(), axes.get_box_aspect()) == (*labels, 1)
    (bar,) = axes.child_axes
    axes.figure.canvas.draw()
    panel, beside = axes.get_window_extent(), bar.get_window_extent()
    assert bar is axes.images[0].colorbar.ax and bar.get_ylabel() == "city block distance"
    assert (beside.y0, beside.y1) == pytest.approx((panel.y0, panel.y1)) and beside.x0 > panel.x1
