"""Data and texts are seen on whatever stands behind them: a style's ground, a page's, or none."""

from __future__ import annotations

from itertools import combinations
from typing import Any

import matplotlib as mpl
import numpy as np
import pytest
from matplotlib.colors import to_rgb
from matplotlib.figure import Figure as Drawing

import pecli
from pecli.figures.canvas import Canvas
from pecli.figures.colors import APART, lightness, seen_colours
from pecli.figures.style import style_context
from pecli.figures.text import Ruler


def drawn(figure: str, **options: Any) -> Any:
    """The first panel of a small picture."""
    picture = pecli.figure(figure, **{"d": 8, "length": 23, "dpi": 30, **options})
    with style_context(picture.job.canvas):
        return picture._drawing().axes[0]


def test_lightness_is_that_of_cielab() -> None:
    np.testing.assert_allclose([lightness("black"), lightness("white")], [0, 100], atol=0.01)
    np.testing.assert_allclose(lightness(np.array([[0.5, 0.5, 0.5, 1], [1, 0, 0, 1]])), [53.39, 53.24], atol=0.02)


@pytest.mark.parametrize("ground", ["white", "black", "#fdf6e3", "none"])
@pytest.mark.parametrize("cmap", ["viridis", "Greys", "RdBu_r"])
def test_colours_of_dots_keep_away_from_their_ground(ground: str, cmap: str) -> None:
    axes = Drawing().subplots()
    axes.set_facecolor(ground)
    left = lightness(mpl.colormaps.get_cmap(seen_colours(cmap, axes))(np.linspace(0, 1, 9)))
    for behind in ["white", "black"] if ground == "none" else [ground]:
        assert np.abs(left - lightness(behind)).min() > APART - 2
    assert len(np.unique(left)) == 9  # still a map


@pytest.mark.parametrize("length", [23, 2100])
def test_the_points_of_a_scatter_are_seen_on_a_dark_ground(length: int) -> None:
    axes = drawn("scatter", style="dark_background", length=length)
    shown = [one for one in (*axes.images, *axes.collections) if one.get_visible()]
    assert shown and min(lightness(one.cmap(np.linspace(0, 1, 9))).min() for one in shown) >= APART


@pytest.mark.parametrize("figure", ["curves", "spectrum"])
@pytest.mark.parametrize("clear", [{"transparent": True}, {"style": "auto"}])
def test_no_box_hides_a_text_on_a_transparent_panel(figure: str, clear: dict[str, Any]) -> None:
    axes, plain = drawn(figure, format="svg", **clear), drawn(figure)
    boxes, seen = ([one.get_bbox_patch() for one in panel.texts if one.get_bbox_patch()] for panel in (axes, plain))
    assert boxes and all(box.get_facecolor()[3] == 0 for box in boxes)
    assert seen and all(box.get_facecolor()[3] == 0.8 for box in seen)  # white, or the colour of a shade


@pytest.mark.parametrize("cmap", ["viridis", "Greys"])
@pytest.mark.parametrize("style", ["default", "dark_background"])
def test_the_mark_of_the_largest_error_is_seen_on_its_colour(cmap: str, style: str) -> None:
    axes = drawn("precision", style=style, cmap=cmap)
    (name,), ring = axes.texts, axes.lines[0].get_color()
    pairs = (ring, axes.images[0].cmap(1.0)), (name.get_color(), name.get_bbox_patch().get_facecolor())
    assert all(abs(lightness(ink) - lightness(ground)) > 2 * APART for ink, ground in pairs)


@pytest.mark.parametrize(
    ("style", "opacity"), [("dark_background", 0.3), ("classic", 0.3), ("auto", 0.3), ("ggplot", 1), ("bmh", 1)]
)
def test_grid_lines_and_the_middle_of_a_lane_are_the_styles_own_unless_they_are_strong(
    style: str, opacity: float
) -> None:
    grid = drawn("curves", style=style, format="svg").yaxis.get_gridlines()[0]
    lanes = [one for one in drawn("waves", style=style, format="svg").get_lines() if one.get_zorder() == 0]
    assert lanes and {round(one.get_alpha(), 2) for one in (grid, *lanes)} == {opacity}


@pytest.mark.parametrize("style", ["default", "dark_background"])
def test_that_nothing_changes_is_read_on_its_pale_panel_in_any_style(style: str) -> None:
    picture = pecli.figure("attention", d=4, dpi=30, style=style, no_numbers=True)
    with style_context(picture.job.canvas):
        (text,) = (one for axes in picture._drawing().axes for one in axes.texts if "nothing" in one.get_text())
    assert text.get_color() == "black"


@pytest.mark.parametrize("style", ["Solarize_Light2", "ggplot", "classic"])
def test_the_size_of_texts_follows_the_picture_and_not_the_style(style: str) -> None:
    names: Any = ("axes.titlesize", "axes.labelsize", "text.hinting")
    with style_context(Canvas()):
        plain = [mpl.rcParams[name] for name in names]
    with style_context(Canvas(style=style)):
        assert [mpl.rcParams[name] for name in names] == plain


def test_a_text_is_as_wide_at_any_resolution() -> None:
    with style_context(Canvas()):
        widths = [Ruler(dpi).width("largest spread along a diagonal: sum 7.6", 7) for dpi in (72, 90, 150, 300)]
    assert max(widths) < 1.01 * min(widths)


SEEN_BY = {  # linear RGB as it is seen with no, deuteranopic, protanopic and tritanopic cones: Machado et al. 2009
    "all": np.eye(3),
    "deutan": np.array([[0.367, 0.861, -0.228], [0.280, 0.673, 0.047], [-0.012, 0.043, 0.969]]),
    "protan": np.array([[0.152, 1.053, -0.205], [0.115, 0.786, 0.099], [-0.004, -0.048, 1.052]]),
    "tritan": np.array([[1.256, -0.077, -0.179], [-0.078, 0.931, 0.148], [0.005, 0.691, 0.304]]),
}
XYZ = np.array([[0.4124, 0.3576, 0.1805], [0.2126, 0.7152, 0.0722], [0.0193, 0.1192, 0.9505]])


@pytest.mark.parametrize("eyes", SEEN_BY)
def test_five_lines_are_seen_on_white_and_told_apart_by_all_eyes(eyes: str) -> None:
    with style_context(pecli.figure("curves").job.canvas):
        given = np.array([to_rgb(f"C{line}") for line in range(5)])
    linear = np.where(given <= 0.04045, given / 12.92, ((given + 0.055) / 1.055) ** 2.4)
    assert (1.05 / (linear @ XYZ[1] + 0.05) >= 3).all()  # the contrast that graphics want
    seen = np.cbrt(np.clip(linear @ SEEN_BY[eyes].T, 0, 1) @ XYZ.T / XYZ.sum(axis=1))
    lab = np.column_stack([116 * seen[:, 1], 500 * (seen[:, 0] - seen[:, 1]), 200 * (seen[:, 1] - seen[:, 2])])
    assert min(np.linalg.norm(one - other) for one, other in combinations(lab, 2)) > 15
