"""The distance matrix's numbers and what stands on its Axes."""

from __future__ import annotations

from typing import Any

import matplotlib as mpl
import numpy as np
import pytest
from matplotlib.figure import Figure as Drawing

import pecli
from pecli.figures.distance import spread_along_diagonals


def drawn(**options: object) -> Any:
    return pecli.figure("distance", **options).draw(Drawing().subplots())


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


@pytest.mark.parametrize("measure", ["dot", "cos", "corr"])
def test_values_on_both_sides_of_0_get_symmetric_colours(measure: str) -> None:
    (image,) = drawn(d=7, base=10, length=23, measure=measure).images
    low, high = image.get_clim()
    assert low == -high < 0
    assert high == np.abs(image.get_array()).max()
    assert image.get_cmap().name == "RdBu_r"


@pytest.mark.parametrize("base", [10, 10000])
@pytest.mark.parametrize("measure", ["euclidean", "cos", "corr"])
def test_a_measure_has_one_palette_whatever_its_values_are(measure: str, base: int) -> None:
    (image,) = drawn(d=6, base=base, length=9, measure=measure).images
    assert image.get_cmap().name == ("viridis" if measure == "euclidean" else "RdBu_r")


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


def test_axes_and_colour_bar_are_labelled() -> None:
    axes = drawn(d=7, length=5, measure="cityblock")
    (bar,) = axes.child_axes  # as tall as the panel
    assert axes.figure.axes == [axes] and bar is axes.images[0].colorbar.ax
    assert (axes.get_xlabel(), axes.get_ylabel()) == ("position q", "position p")
    assert bar.get_ylabel() == "city block distance"
    assert axes.get_box_aspect() == 1


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


def test_undefined_entries_are_counted_and_not_drawn() -> None:
    picture = pecli.figure("distance", d=1, length=5, measure="corr")
    axes: Any = picture.draw(Drawing().subplots())
    (image,) = axes.images
    assert np.ma.getmaskarray(image.get_array()).all()
    assert picture.seen.facts()["undefined"] == 25
    assert "25 of 25 undefined" in picture.seen.caption()
    assert picture.seen.facts().get("largest") is None


def test_one_undefined_row_leaves_the_others() -> None:
    picture = pecli.figure("distance", d=1, length=5, measure="cos")  # sin(0) is a zero row
    axes: Any = picture.draw(Drawing().subplots())
    (image,) = axes.images
    masked = np.ma.getmaskarray(image.get_array())
    assert masked[0].all() and masked[:, 0].all() and not masked[1:, 1:].any()
    assert picture.seen.facts()["undefined"] == 9


def test_one_position_is_a_matrix_of_one_0() -> None:
    (image,) = drawn(d=7, length=1).images
    assert image.get_array().tolist() == [[0]]
    assert pecli.figure("distance", d=8, length=1).numbers.message() == ""
    assert image.get_clim() == (0, 1)


def test_facts_are_the_extremes() -> None:
    numbers = pecli.figure("distance", d=7, length=11).numbers
    assert numbers.facts()["smallest"] == 0
    assert numbers.facts()["largest"] == numbers.main.max()


@pytest.mark.parametrize(
    ("encoding", "labels"),
    [
        ("clock", ("other time", "time")),
        ("relative", ("other offset", "offset p − q")),
        ("rope", ("position q", "position p")),
    ],
)
def test_two_positions_have_two_names(encoding: str, labels: tuple[str, str]) -> None:
    axes = drawn(encoding=encoding, length=5)
    assert (axes.get_xlabel(), axes.get_ylabel()) == labels


def test_the_colour_bar_is_as_tall_as_its_panel() -> None:
    axes = drawn(d=7, length=5)
    (bar,) = axes.child_axes
    axes.figure.canvas.draw()
    panel, beside = axes.get_window_extent(), bar.get_window_extent()
    assert (beside.y0, beside.y1) == pytest.approx((panel.y0, panel.y1))
    assert beside.x0 > panel.x1


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
