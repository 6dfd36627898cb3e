"""Where the colours end, and that a reader can tell lines and signs apart without colour."""

from __future__ import annotations

from typing import Any

import matplotlib as mpl
import numpy as np
import pytest
from matplotlib.figure import Figure as Drawing

import pecli
from pecli.core.errors import UsageError, as_keywords
from pecli.figures.canvas import Canvas
from pecli.figures.labels import DotLabel, LineLabel, labels_of
from pecli.figures.limits import ends, few_colours_note, resolve_limits
from pecli.figures.style import style_context

OUTLIER = np.append(np.linspace(-1, 1, 999), 500.0)


def line_labels(axes: Any) -> list[str]:
    return [" ".join(label.get_text().split()) for label in labels_of(axes, LineLabel)]


def images(figure: str, **options: Any) -> list[Any]:
    axes: Any = pecli.figure(figure, **options).draw(Drawing().subplots())
    return [one for panel in (axes, *axes.child_axes) for one in panel.images]


def image(figure: str, **options: Any) -> Any:
    return images(figure, **options)[0]


def test_ends_are_symmetric_where_there_are_both_signs_and_begin_at_0_where_there_is_one() -> None:
    assert ends(-2, 5) == (-5, 5)
    assert ends(-5, 2) == (-5, 5)
    assert ends(1, 5) == (0, 5)
    assert ends(-5, -1) == (-5, 0)
    assert ends(0, 0) == (0, 1)


def test_the_user_says_where_colours_end() -> None:
    assert resolve_limits(Canvas(vmin=-3.0), (-1.0, 1.0), []) == (-3, 1)
    assert resolve_limits(Canvas(vmax=2.0), (0.0, 1.0), []) == (0, 2)
    assert image("heatmap", d=8, length=5, vmin=-3.0, vmax=2.0).get_clim() == (-3, 2)
    assert image("compare", encoding=["sinusoidal", "rope"], length=5, vmax=2.0).get_clim() == (-1, 2)


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
    with style_context(plain.job.canvas):
        assert "percentile" not in plain._drawing().get_supxlabel()
        assert "2nd to the 98th percentile" in robust._drawing().get_supxlabel().replace("\n", " ")
    assert len(plain.notes) == 1 and "robust" in plain.notes[0] and not robust.notes


def test_values_that_fill_the_colours_need_no_word() -> None:
    assert few_colours_note((-1.0, 1.0), [np.linspace(-1, 1, 100)]) == ""
    assert "98" in few_colours_note((-500.0, 500.0), [OUTLIER]) or "96" in few_colours_note((-500.0, 500.0), [OUTLIER])
    assert few_colours_note(None, []) == few_colours_note((0.0, 1.0), [np.full(3, np.nan)]) == ""


@pytest.mark.parametrize(("end", "told"), [(3.0, False), (3.3, True)])
def test_a_word_is_said_where_most_values_have_less_than_three_tenths_of_the_colours(end: float, told: bool) -> None:
    said = few_colours_note((-end, end), [np.linspace(-1, 1, 101)])  # 96 of a hundred are from −0.96 to 0.96
    assert bool(said) == told
    assert as_keywords(said).isprintable()


def test_panels_that_have_all_of_the_colours_are_named_by_nobody() -> None:
    even = pecli.figure("compare", encoding=["sinusoidal", "rope"], d=8, length=30, dpi=30)
    even._drawing()
    assert even.notes == []


@pytest.mark.parametrize("cmap", [None, "viridis", "PuOr"])
@pytest.mark.parametrize(("figure", "own"), [("distance", "viridis"), ("heatmap", "RdBu_r")])
def test_a_difference_has_two_sides_whatever_map_the_values_have(figure: str, own: str, cmap: str | None) -> None:
    options: Any = {"encoding": ["sinusoidal:base=10", "sinusoidal"], "figure": figure, "difference": True}
    axes: Any = pecli.figure("compare", **options, cmap=cmap, length=9).draw(Drawing().subplots())
    maps = [one.images[0].get_cmap().name for one in axes.child_axes if one.images and one.get_title()]
    assert maps == [cmap or own] * 2 + ["PuOr" if cmap == "PuOr" else "RdBu_r"]


def grey(colour: Any) -> float:
    """How light a colour is, from 0 to 1."""
    return float(np.dot(mpl.colors.to_rgb(colour), (0.299, 0.587, 0.114)))


def test_both_signs_differ_in_grey_with_the_map_that_the_help_names() -> None:
    name = next(word for word in Canvas.options()["cmap"].help.split() if word in mpl.colormaps)
    shown = image("heatmap", d=8, length=9, cmap=name)
    assert abs(grey(shown.to_rgba(1.0)[:3]) - grey(shown.to_rgba(-1.0)[:3])) > 0.5


@pytest.mark.parametrize(
    ("figure", "options"),
    [("curves", {}), ("offsets", {"encoding": ["sinusoidal", "rope", "clock", "geometric", "binary"], "length": 64})],
)
def test_five_lines_stay_apart_without_colour(figure: str, options: dict[str, Any]) -> None:
    axes: Any = pecli.figure(figure, **options).draw(Drawing().subplots())
    assert axes.get_legend() is None
    assert len([*line_labels(axes), *labels_of(axes, DotLabel)]) == 5  # named where they end or begin
    drawn = {str(line._dash_pattern) for line in axes.get_lines() if len(line.get_xdata()) > 1}
    assert len(drawn) >= 4  # a band has no dashes


@pytest.mark.parametrize("style", [None, "dark_background", "ggplot", "classic", "fivethirtyeight"])
def test_grid_lines_are_fainter_than_data(style: str | None) -> None:
    picture = pecli.figure("curves", style=style, d=8, length=23, dpi=30)
    with style_context(picture.job.canvas):
        (axes, *_) = picture._drawing().axes
        line, grid = axes.get_lines()[0], axes.yaxis.get_gridlines()[0]
        back = grey(axes.get_facecolor())
        contrasts = [abs(grey(one.get_color()) - back) * (one.get_alpha() or 1) for one in (grid, line)]
        assert contrasts[0] < 0.75 * contrasts[1]
        assert grid.get_linewidth() < line.get_linewidth()


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
        ("heatmap", {"encoding": "relative", "start": 5}, "start=5 changes nothing here: the table of relative"),
    ],
)
def test_what_would_change_nothing_is_refused(figure: str, options: Any, said: str) -> None:
    with pytest.raises(UsageError, match=said):
        pecli.figure(figure, d=8, **options).render("png") if figure != "bias" else pecli.bias(**options).render("png")


def test_robust_beside_both_ends_would_say_what_is_not_so() -> None:
    with pytest.raises(UsageError, match="robust changes nothing beside"):
        pecli.figure("heatmap", d=4, length=4, robust=True, vmin=0, vmax=1)
    pecli.figure("heatmap", d=4, length=4, robust=True, vmax=1)
