"""Tests of the limits of colours, and of contrast without colour and on any background."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from itertools import combinations
from typing import Any

import matplotlib as mpl
import numpy as np
import pytest
from matplotlib.colors import to_rgb
from matplotlib.figure import Figure as Drawing

import pecli
from pecli.core.errors import UsageError, as_keywords
from pecli.core.language import say
from pecli.figures.base import panels_of
from pecli.page.canvas import Canvas
from pecli.page.colors import MIN_CONTRAST, lightness, visible_colours
from pecli.page.labels import LineLabel, labels_of
from pecli.page.limits import colour_ends, few_colours_note, resolve_limits
from pecli.page.style import style_context
from tests.drawing import axes_of, page_of

OUTLIER = np.append(np.linspace(-1, 1, 999), 500.0)


def images(figure: str, **options: Any) -> list[Any]:
    axes = axes_of(figure, **options)
    return [image for panel in (axes, *axes.child_axes) for image in panel.images]


def test_ends_are_symmetric_where_there_are_both_signs_and_begin_at_0_where_there_is_one() -> None:
    assert colour_ends(-2, 5) == (-5, 5)
    assert colour_ends(-5, 2) == (-5, 5)
    assert colour_ends(1, 5) == (0, 5)
    assert colour_ends(-5, -1) == (-5, 0)
    assert colour_ends(0, 0) == (0, 1)


@pytest.mark.long
def test_the_user_says_where_colours_end() -> None:
    assert images("heatmap", d=8, length=5, vmin=-3.0, vmax=2.0)[0].get_clim() == (-3, 2)
    assert images("compare", encoding=["sinusoidal", "rope"], length=5, vmax=2.0)[0].get_clim() == (-1, 2)


@pytest.mark.long
@pytest.mark.parametrize("figure", ["heatmap", "distance", "attention", "terms", "relative", "rotation", "overview"])
def test_limits_are_obeyed_wherever_there_are_colours(figure: str) -> None:
    assert 7.5 in [image.get_clim()[1] for image in images(figure, vmax=7.5, d=8)]  # offsets have a scale of their own


@pytest.fixture(scope="module")
def tables(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    """Return a long and a wide table, and one of a grid, by name: independent numbers, in files."""
    folder, random = tmp_path_factory.mktemp("tables"), np.random.default_rng(0)
    paths = {}
    paths["biases"] = str(folder / "biases.npy")
    np.save(paths["biases"], np.where(np.arange(32)[:, None] == 12, -13.5, -np.arange(32.0)[:, None]))  # 13 is above 12
    for name, shape in {"long": (5000, 64), "wide": (30, 2000), "grid": (196, 24)}.items():
        paths[name] = str(folder / f"{name}.npy")
        np.save(paths[name], random.normal(0, 0.02, shape))
    return paths


PIXELS = [(505, 883), (203, 354), (195, 360), (1200, 300)]  # of a panel
SCALED: dict[str, Any] = {"encoding": ["sinusoidal:base=10", "sinusoidal"], "difference": True, "length": 1500}


@pytest.mark.some(12)
@pytest.mark.parametrize(
    ("figure", "options"),
    [
        ("heatmap", {"encoding": "learned:file={long}"}),
        ("heatmap", {"encoding": "learned:file={long}", "robust": True}),
        ("heatmap", {"encoding": "learned:file={wide}"}),
        ("heatmap", {"length": 3000, "log": True}),
        ("heatmap", {"length": 10**9}),
        ("heatmap", {"encoding": "sinusoidal:dtype=float16", "d": 8, "length": 3000}),
        ("heatmap", {"encoding": "sincos2d", "grid": "48x48"}),
        ("distance", {"encoding": "learned:file={long}", "length": 2100}),
        ("distance", {"encoding": "learned:file={long}", "length": 1200, "robust": True}),
        ("distance", {"encoding": "binary", "length": 2100, "measure": "cos"}),
        ("distance", {"length": 5000}),
        ("distance", {"length": 1500, "measure": "corr"}),
        ("distance", {"encoding": "alibi", "length": 1500}),
        ("distance", {"encoding": "sincos2d", "grid": "48x48"}),
        ("tiles", {"encoding": "sincos2d", "grid": "24x24", "robust": True}),
        ("maps", {"encoding": "learned:file={grid}", "grid": "14x14"}),
        ("attention", {}),
        ("bias", {"encoding": "alibi", "length": 1500, "robust": True}),
        ("precision", {"d": 8, "length": 9000, "dtype": "float32", "robust": True}),
        ("relative", {"d": 16, "length": 1500, "dims": (0, 1), "robust": True}),
        ("rotation", {"length": 2000, "robust": True}),
        ("fourier", {"encoding": "learned:file={wide}", "robust": True}),
        ("curves", {"length": 5000}),
        ("offsets", {"encoding": "rope:base=500000", "decay": True, "length": 5000}),
        ("offsets", {"encoding": "alibi", "length": 5000}),
        ("offsets", {"encoding": "t5:direction=causal,file={biases}", "length": 5000}),
        ("waves", {"length": 20000}),
        ("overview", {"encoding": "learned:file={long}", "length": 2100}),
        ("compare", SCALED),
        ("compare", {**SCALED, "figure": "distance", "length": 5000}),
        ("compare", {**SCALED, "encoding": ["learned:file={long}", "sinusoidal:d=64"]}),
    ],
    ids=str,
)
def test_limits_facts_and_headline_are_those_of_all_numbers_at_any_size(
    tables: dict[str, str], figure: str, options: dict[str, Any]
) -> None:
    given = options.get("encoding", "sinusoidal" if figure not in ("bias", "precision", "rotation") else None)
    named = [text.format(**tables) for text in ([given] if isinstance(given, str) else given or [])]
    options = {**options, "encoding": named if isinstance(given, list) else named[0]} if named else options
    picture: Any = pecli.figure(figure, **options)
    view, count = picture.job.view, len(panels_of(picture.figure, picture.job.view))
    seen = [picture.figure.compute(replace(view, panels=(pixels,) * count)) for pixels in PIXELS]
    whole = picture.numbers if view.positions.length < 10**6 else seen[0]
    choose = partial(resolve_limits, picture.job.canvas)
    ends = [[part.limits() for _, part in own.limited(choose).shown()] for own in (whole, *seen)]
    assert ends[1:] == ends[:1] * len(seen)
    assert [own.facts() for own in seen] == [whole.facts()] * len(seen)
    assert [own.message() for own in seen] == [whole.message()] * len(seen)
    assert figure != "compare" or len({own.parts[-1].numbers.ends for own in (whole, *seen)}) == 1


@pytest.mark.long
def test_a_learned_heatmap_ends_its_colours_where_98_percent_of_the_table_lie(tables: dict[str, str]) -> None:
    end = float(np.percentile(np.abs(np.load(tables["long"])), 98))
    for size in ({"size": "page"}, {"dpi": 60}, {"size": "column"}):
        image = page_of("heatmap", encoding=f"learned:file={tables['long']}", **size).axes[0].images[0]
        assert image.get_clim() == pytest.approx((-end, end), rel=1e-2) and len(image.get_array()) < 5000


def test_robust_colours_end_at_the_percentiles_and_the_caption_says_so(tmp_path: Any) -> None:
    table = np.ones((50, 4)) * np.linspace(-1, 1, 50)[:, None]
    table[0, 0] = 500
    np.save(tmp_path / "t.npy", table)
    options: Any = {"encoding": "learned", "file": str(tmp_path / "t.npy"), "length": 50, "dpi": 30}
    assert resolve_limits(Canvas(robust=True), (-500.0, 500.0), [OUTLIER]) == pytest.approx((-0.96, 0.96), abs=0.01)
    plain, robust = (pecli.figure("heatmap", **options, robust=robust) for robust in (False, True))
    ends = say("page.colours_from_the_nd", low=2, high=98)
    assert ends not in plain.caption() and ends.casefold() in robust.caption().casefold()


@pytest.mark.parametrize(("end", "told"), [(3.0, False), (3.3, True)])
def test_a_word_is_said_where_most_values_have_less_than_three_tenths_of_the_colours(end: float, told: bool) -> None:
    text = few_colours_note((-end, end), [np.linspace(-1, 1, 101)])  # 96 of a hundred are from −0.96 to 0.96
    assert bool(text) == told
    assert as_keywords(text).isprintable()
    assert few_colours_note(None, []) == few_colours_note((0.0, 1.0), [np.full(3, np.nan)]) == ""
    assert few_colours_note((-1.0, 1.0), [np.linspace(-1, 1, 100)]) == ""


@pytest.mark.long
@pytest.mark.parametrize("cmap", [None, "viridis", "PuOr"])
@pytest.mark.parametrize(("figure", "own"), [("distance", "distance"), ("heatmap", "signed")])
def test_a_difference_has_two_sides_whatever_map_the_values_have(figure: str, own: str, cmap: str | None) -> None:
    options: Any = {"encoding": ["sinusoidal:base=10", "sinusoidal"], "figure": figure, "difference": True}
    axes = axes_of("compare", **options, cmap=cmap, length=9)
    maps = [ax.images[0].get_cmap().name for ax in axes.child_axes if ax.images and ax.get_title()]
    assert maps == [cmap or own] * 2 + ["PuOr" if cmap == "PuOr" else "signed"]


@pytest.mark.long
def test_both_signs_differ_in_grey_with_the_map_that_the_help_names() -> None:
    name = next(word for word in Canvas.options()["cmap"].help.split() if word in mpl.colormaps)
    low, high = (lightness(images("heatmap", d=8, length=9, cmap=name)[0].to_rgba(end)) for end in (-1.0, 1.0))
    assert abs(high - low) > 50


@pytest.mark.long
@pytest.mark.parametrize(
    ("figure", "options"),
    [("offsets", {"encoding": ["sinusoidal", "rope", "clock", "geometric", "sinusoidal:base=10"], "length": 64})],
)
def test_five_lines_stay_apart_without_colour(figure: str, options: dict[str, Any]) -> None:
    axes = axes_of(figure, **options)
    assert axes.get_legend() is None
    ends = {tuple(line.get_xydata()[-1]) for line in axes.get_lines() if len(line.get_xdata()) > 1}
    named = [label for label in labels_of(axes, LineLabel) if label.get_visible()]
    assert {label.xy for label in named} == ends  # each is named where it ends, two that are one together
    assert {line.get_linestyle() for line in axes.get_lines()} <= {"-", "None"}


@pytest.mark.some(2)
@pytest.mark.parametrize(
    ("figure", "options", "said"),
    [
        ("heatmap", {"vmin": 2.0, "vmax": 1.0}, "vmin=2"),
        ("heatmap", {"vmin": -1e308, "vmax": 1e308}, r"a number below vmax=1e.308 \(their difference must be finite"),
        ("heatmap", {"vmin": 5}, r"vmin=5 is not allowed: it takes less than the upper end, 1"),
        ("heatmap", {"vmax": -5}, r"vmax=-5 is not allowed: it takes more than the lower end, −1"),
        ("curves", {"vmin": 30}, r"vmin=30 is not allowed: it takes less than the upper end, "),
        ("precision", {"vmin": 0, "length": 9}, r"vmin=0 is not allowed: it takes more than 0"),
        ("bias", {"lowest": 5, "length": 9}, r"lowest=5 is not allowed: it takes less than .* 0"),
        (
            "waves",
            {"cmap": "Greys"},
            "cmap=Greys changes nothing here, because waves has no colour scale",
        ),
        (
            "scatter",
            {"vmax": 3, "length": 99},
            "vmax=3 changes nothing here, because the colours of scatter always",
        ),
        ("rotation", {"matrix": 3, "start": 5}, r"start=5 changes nothing here, because matrix=3 shows the matrix"),
        ("rotation", {"matrix": 3, "pairs": [1]}, r"pairs=.* changes nothing here"),
        ("rotation", {"query": "random:1"}, "query=random:1 changes nothing here, because rotation rotates content"),
        ("compare", {"measure": "dot"}, r"measure=dot changes nothing here, because heatmap has no measure \(dist"),
        (
            "heatmap",
            {"encoding": "relative", "start": 5},
            "start=5 changes nothing here, because the table of relative",
        ),
    ],
)
def test_what_would_change_nothing_is_refused(figure: str, options: Any, said: str) -> None:
    with pytest.raises(UsageError, match=said):
        pecli.figure(figure, d=8, **options).render("png") if figure != "bias" else pecli.bias(**options).render("png")


def drawn(figure: str, **options: Any) -> Any:
    """Return the first panel of a small picture."""
    return page_of(figure, **{"d": 8, "length": 23, "dpi": 30, **options}).axes[0]


@pytest.mark.parametrize("ground", ["white", "black", "#fdf6e3", "none"])
@pytest.mark.parametrize("cmap", ["viridis", "Greys", "PuOr_r"])
def test_colours_of_dots_keep_away_from_their_ground(ground: str, cmap: str) -> None:
    axes = Drawing().subplots()
    axes.set_facecolor(ground)
    left = lightness(mpl.colormaps.get_cmap(visible_colours(cmap, axes))(np.linspace(0, 1, 9)))
    for behind in ["white", "black"] if ground == "none" else [ground]:
        assert np.abs(left - lightness(behind)).min() > MIN_CONTRAST - 2
    assert len(np.unique(left)) == 9  # still a map


@pytest.mark.long
@pytest.mark.parametrize("length", [23, 2100])
def test_the_points_of_a_scatter_are_seen_on_a_dark_ground(length: int) -> None:
    axes = drawn("scatter", style="dark_background", length=length)
    shown = [image for image in (*axes.images, *axes.collections) if image.get_visible()]
    seen = [own.get_facecolor() if own.get_array() is None else own.cmap(np.linspace(0, 1, 9)) for own in shown]
    assert shown and min(lightness(colours).min() for colours in seen) >= MIN_CONTRAST


@pytest.mark.long
def test_the_size_of_texts_follows_the_picture_and_not_the_style() -> None:
    sizes = []
    for style in (None, "Solarize_Light2", "classic"):
        axes = drawn("curves", style=style)
        sizes.append((axes.xaxis.label.get_fontsize(), axes.title.get_fontsize()))
    assert len({*sizes}) == 1


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
    assert min(np.linalg.norm(combination - other) for combination, other in combinations(lab, 2)) > 15
