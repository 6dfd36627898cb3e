"""Where the colours end, and that a reader can tell lines and signs apart without colour."""

from __future__ import annotations

from typing import Any

import matplotlib as mpl
import numpy as np
import pytest

import pecli
from pecli.core.errors import UsageError, as_keywords
from pecli.figures.canvas import Canvas
from pecli.figures.limits import ends, few_colours_note, resolve_limits
from pecli.figures.style import style_context
from tests.drawing import axes_of, dot_labels, line_labels, page_of

OUTLIER = np.append(np.linspace(-1, 1, 999), 500.0)


def images(figure: str, **options: Any) -> list[Any]:
    axes = axes_of(figure, **options)
    return [one for panel in (axes, *axes.child_axes) for one in panel.images]


def test_ends_are_symmetric_where_there_are_both_signs_and_begin_at_0_where_there_is_one() -> None:
    assert ends(-2, 5) == (-5, 5)
    assert ends(-5, 2) == (-5, 5)
    assert ends(1, 5) == (0, 5)
    assert ends(-5, -1) == (-5, 0)
    assert ends(0, 0) == (0, 1)


def test_the_user_says_where_colours_end() -> None:
    assert resolve_limits(Canvas(vmin=-3.0), (-1.0, 1.0), []) == (-3, 1)
    assert resolve_limits(Canvas(vmax=2.0), (0.0, 1.0), []) == (0, 2)
    assert images("heatmap", d=8, length=5, vmin=-3.0, vmax=2.0)[0].get_clim() == (-3, 2)
    assert images("compare", encoding=["sinusoidal", "rope"], length=5, vmax=2.0)[0].get_clim() == (-1, 2)


@pytest.mark.parametrize("figure", ["heatmap", "distance", "attention", "terms", "relative", "rotation", "overview"])
def test_limits_are_obeyed_wherever_there_are_colours(figure: str) -> None:
    assert 7.5 in [one.get_clim()[1] for one in images(figure, vmax=7.5, d=8)]  # offsets have a scale of their own


def test_a_lower_end_above_the_upper_is_refused() -> None:
    with pytest.raises(UsageError, match="vmin"):
        Canvas(vmin=2.0, vmax=1.0)


def test_robust_colours_end_at_the_percentiles_and_the_caption_says_so(tmp_path: Any) -> None:
    table = np.ones((50, 4)) * np.linspace(-1, 1, 50)[:, None]
    table[0, 0] = 500
    np.save(tmp_path / "t.npy", table)
    options: Any = {"encoding": "learned", "file": str(tmp_path / "t.npy"), "length": 50, "dpi": 30}
    assert resolve_limits(Canvas(robust=True), (-500.0, 500.0), [OUTLIER]) == pytest.approx((-0.96, 0.96), abs=0.01)
    plain, robust = (pecli.figure("heatmap", **options, robust=robust) for robust in (False, True))
    assert "percentile" not in plain.caption() and "2nd to the 98th percentile" in robust.caption()
    plain.render("png"), robust.render("png")
    assert len({*plain.notes}) == 1 and "robust" in plain.notes[0] and not robust.notes


@pytest.mark.parametrize(("end", "told"), [(3.0, False), (3.3, True)])
def test_a_word_is_said_where_most_values_have_less_than_three_tenths_of_the_colours(end: float, told: bool) -> None:
    said = few_colours_note((-end, end), [np.linspace(-1, 1, 101)])  # 96 of a hundred are from −0.96 to 0.96
    assert bool(said) == told
    assert as_keywords(said).isprintable()
    assert few_colours_note(None, []) == few_colours_note((0.0, 1.0), [np.full(3, np.nan)]) == ""
    assert few_colours_note((-1.0, 1.0), [np.linspace(-1, 1, 100)]) == ""


@pytest.mark.parametrize("cmap", [None, "viridis", "PuOr"])
@pytest.mark.parametrize(("figure", "own"), [("distance", "viridis"), ("heatmap", "RdBu_r")])
def test_a_difference_has_two_sides_whatever_map_the_values_have(figure: str, own: str, cmap: str | None) -> None:
    options: Any = {"encoding": ["sinusoidal:base=10", "sinusoidal"], "figure": figure, "difference": True}
    axes = axes_of("compare", **options, cmap=cmap, length=9)
    maps = [one.images[0].get_cmap().name for one in axes.child_axes if one.images and one.get_title()]
    assert maps == [cmap or own] * 2 + ["PuOr" if cmap == "PuOr" else "RdBu_r"]


def grey(colour: Any) -> float:
    """How light a colour is, from 0 to 1."""
    return float(np.dot(mpl.colors.to_rgb(colour), (0.299, 0.587, 0.114)))


def test_both_signs_differ_in_grey_with_the_map_that_the_help_names() -> None:
    name = next(word for word in Canvas.options()["cmap"].help.split() if word in mpl.colormaps)
    shown = images("heatmap", d=8, length=9, cmap=name)[0]
    assert abs(grey(shown.to_rgba(1.0)[:3]) - grey(shown.to_rgba(-1.0)[:3])) > 0.5


@pytest.mark.parametrize(
    ("figure", "options"),
    [("curves", {}), ("offsets", {"encoding": ["sinusoidal", "rope", "clock", "geometric", "binary"], "length": 64})],
)
def test_five_lines_stay_apart_without_colour(figure: str, options: dict[str, Any]) -> None:
    axes = axes_of(figure, **options)
    assert axes.get_legend() is None
    assert len([*line_labels(axes), *dot_labels(axes)]) == 5  # named where they end or begin
    drawn = {str(line._dash_pattern) for line in axes.get_lines() if len(line.get_xdata()) > 1}
    assert len(drawn) >= 4  # a band has no dashes


@pytest.mark.parametrize("style", [None, "dark_background", "ggplot", "classic", "fivethirtyeight"])
def test_grid_lines_are_fainter_than_data(style: str | None) -> None:
    (axes, *_) = page_of("curves", style=style, d=8, length=23, dpi=30).axes
    line, grid = axes.get_lines()[0], axes.yaxis.get_gridlines()[0]
    with style_context(Canvas(style=style)):  # that says what C0 is
        back = grey(axes.get_facecolor())
        contrasts = [abs(grey(one.get_color()) - back) * (one.get_alpha() or 1) for one in (grid, line)]
    assert contrasts[0] < 0.75 * contrasts[1] and grid.get_linewidth() < line.get_linewidth()


@pytest.mark.parametrize(
    ("figure", "options", "said"),
    [
        ("heatmap", {"vmin": 5}, r"vmin=5 is not allowed: it takes less than the upper end of the colours, 1"),
        ("heatmap", {"vmax": -5}, r"vmax=-5 is not allowed: it takes more than the lower end of the colours, −1"),
        ("precision", {"vmin": 0, "length": 9}, r"vmin=0 is not allowed: it takes more than 0"),
        ("bias", {"lowest": 5, "length": 9}, r"lowest=5 is not allowed: it takes less than .* 0"),
        ("waves", {"cmap": "Greys"}, "cmap=Greys changes nothing here: waves has no colours that stand for values"),
        ("scatter", {"vmax": 3, "length": 9}, "vmax=3 changes nothing here: the colours of scatter end where"),
        ("rotation", {"matrix": 3, "start": 5}, r"start=5 changes nothing here: matrix=3 shows the matrix"),
        ("rotation", {"matrix": 3, "pairs": [1]}, r"pairs=.* changes nothing here"),
        ("rotation", {"query": "random:1"}, "query=random:1 changes nothing here: rotation turns content"),
        ("compare", {"measure": "dot"}, "measure=dot changes nothing here: heatmap has no measure, distance, "),
        ("heatmap", {"robust": True, "vmin": 0, "vmax": 1}, "robust changes nothing beside"),
        ("heatmap", {"encoding": "relative", "start": 5}, "start=5 changes nothing here: the table of relative"),
    ],
)
def test_what_would_change_nothing_is_refused(figure: str, options: Any, said: str) -> None:
    with pytest.raises(UsageError, match=said):
        pecli.figure(figure, d=8, **options).render("png") if figure != "bias" else pecli.bias(**options).render("png")
