"""The scatter's cloud, its two correlations and what stands on its Axes."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from matplotlib.transforms import Bbox

import pecli
from pecli.core.errors import UsageError
from pecli.core.positions import Positions
from pecli.figures import scatter
from pecli.figures import scatter as scatter_numbers
from pecli.figures.base import panels_of
from pecli.figures.style import style_context
from pecli.measures import pairs as pair_density
from pecli.measures.pairs import pearson, ranks
from pecli.measures.pairwise import MEASURES


def streak_labels(axes: Any) -> list[Any]:
    return [text for text in axes.texts if text.get_visible()]


def panels(**options: object) -> list[Any]:
    """The panels as `save` draws them."""
    picture = pecli.figure("scatter", **options)
    with style_context(picture.job.canvas):
        return [axes for axes in picture._drawing().axes if axes.get_label() != "<colorbar>"]


@pytest.mark.parametrize("d", [6, 7])
def test_every_pair_is_one_point_of_correlation_and_distance(d: int) -> None:
    table = pecli.encode(d=d, base=10, length=11, start=3)
    pairs = [(p, q) for p in range(11) for q in range(p + 1, 11)]
    expected = [(np.corrcoef(table[p], table[q])[0, 1], np.linalg.norm(table[p] - table[q])) for p, q in pairs]
    left, right = panels(d=d, base=10, length=11, start=3)
    for axes in (left, right):
        (points,) = axes.collections
        found = np.c_[np.asarray(points.get_offsets()), np.asarray(points.get_array())]
        both = [[*point, q - p] for point, (p, q) in zip(expected, pairs, strict=True)]
        assert np.array(sorted(found.tolist())) == pytest.approx(np.array(sorted(both)), abs=1e-12)
    assert "p < q" in left.get_title() and "p > q" in right.get_title()


def test_measures_of_both_axes_are_chosen_and_named() -> None:
    (axes,) = panels(d=7, length=5, x="cityblock", y="dot", triangle="lower")
    assert (axes.get_xlabel(), axes.get_ylabel()) == ("city block distance", "dot product")
    assert "lower" in axes.get_title()
    table = pecli.encode(d=7, length=5)
    pairs = [(p, q) for p in range(5) for q in range(p)]
    expected = sorted([np.abs(table[p] - table[q]).sum(), table[p] @ table[q]] for p, q in pairs)
    found = np.array(sorted(np.asarray(axes.collections[0].get_offsets()).tolist()))
    assert found == pytest.approx(np.array(expected), abs=1e-12)


def test_no_offset_always_lies_on_top_and_the_order_is_the_same_each_time() -> None:
    clouds: list[Any] = [axes.collections[0] for _ in range(2) for axes in panels(d=8, length=60, dpi=30)]
    offsets = [np.asarray(cloud.get_array()) for cloud in clouds]
    assert abs(np.corrcoef(np.arange(len(offsets[0])), offsets[0])[0, 1]) < 0.05  # row by row: −0.5
    assert all(np.array_equal(one, offsets[0]) for one in offsets)


@pytest.mark.parametrize("name", MEASURES)
def test_both_triangles_are_the_same_for_every_measure(name: str) -> None:
    measure, table = MEASURES[name], pecli.encode("learned", d=5, length=7)
    first, other = measure.prepare(table[:4]), measure.prepare(table[2:])
    assert measure.compare(first, other) == pytest.approx(measure.compare(other, first).T, abs=1e-12)
    captions = {
        one: pecli.figure("scatter", d=4, length=7, x=name, triangle=one, dpi=30).numbers.caption()
        for one in ("both", "upper")
    }
    assert ("p > q: the same" in captions["both"], "p > q" in captions["upper"]) == (True, False)


def test_the_colour_bar_says_offset() -> None:
    picture = pecli.figure("scatter", d=7, length=5)
    with style_context(picture.job.canvas):
        labels = [axes.get_ylabel() for axes in picture._drawing().axes]
    assert "offset |p − q|" in labels


def test_both_correlations_of_the_cloud_are_printed_in_the_picture() -> None:
    numbers = pecli.figure("scatter", d=7, base=10, length=23).numbers
    x, y = numbers.arrays()["x"], numbers.arrays()["y"]
    linear = np.corrcoef(x, y)[0, 1]
    rank = np.corrcoef(np.argsort(np.argsort(x)), np.argsort(np.argsort(y)))[0, 1]  # no two are equal
    assert numbers.facts()["pearson"] == pytest.approx(linear)
    assert numbers.facts()["spearman"] == pytest.approx(rank)
    shown = [f"{one:.4f}".replace("-", "−") for one in (linear, rank)]
    assert linear < 0 and rank < 0  # so that a sign is written
    said = "linear r = {}, rank ρ = {}; ".format(*shown)  # once, not in every panel
    assert numbers.caption().startswith(said)
    assert not any("ρ" in axes.get_title() for axes in panels(d=7, base=10, length=23))


@pytest.mark.parametrize(
    ("start", "said"),
    [(0, "1,001 positions"), (5, "positions 5 to 1,005"), (-5, "positions −5 to 995")],
)
def test_the_title_says_once_whose_pairs_they_are(start: int, said: str) -> None:
    picture = pecli.figure("scatter", d=2, length=1001, start=start, size="column", dpi=20)
    assert picture.title().endswith(f"; {said}") and "positions" not in picture.caption()
    assert pecli.figure("offsets", d=2, length=1).title().endswith("; 1 position")
    offsets = pecli.figure("scatter", encoding="relative:d=4", length=4, size="column", dpi=20)
    assert offsets.caption().startswith("positions −3 to 3; ")


def test_streaks_are_named_where_they_are_and_over_no_point() -> None:
    alone, grid = panels(d=64, length=100), panels(d=64, length=100, base=[1000, 10000], triangle="upper")
    assert grid[0].get_xlim() == grid[1].get_xlim()
    for axes in alone + grid:
        assert [text.get_text() for text in streak_labels(axes)][:3] == ["offset 1", "2", "3"]
        places = axes.transData.transform(np.asarray(axes.collections[0].get_offsets()))
        assert (
            len({text.get_ha() for text in streak_labels(axes)})
            == len({text.get_va() for text in streak_labels(axes)})
            == 1
        )
        for offset, text in enumerate(streak_labels(axes), 1):
            box = text.get_window_extent()
            assert not box.count_contains(places)
            own = places[np.asarray(axes.collections[0].get_array()) == offset]
            near = np.clip(own, (box.x0, box.y0), (box.x1, box.y1)) - own
            assert np.hypot(*near.T).min() < 1.5 * box.height


def test_names_of_streaks_stand_apart() -> None:
    axes = panels(length=200, size="slide", dpi=40)[0]
    places = [axes.transAxes.transform(text.get_position())[1] for text in streak_labels(axes)]
    assert len(places) >= 3
    assert min(np.diff(places)) * 72 / axes.figure.dpi >= 1.6 * streak_labels(axes)[0].get_fontsize()


def test_in_a_column_the_triangles_stand_below_each_other_and_are_flat() -> None:
    upper, lower = panels(d=8, length=9, size="column", dpi=40)
    assert upper.bbox.y0 > lower.bbox.y1 and upper.bbox.x0 == lower.bbox.x0
    assert upper.bbox.height == pytest.approx(0.55 * upper.bbox.width, abs=1.5)
    left, right = panels(d=8, length=9, dpi=40)
    assert left.bbox.y0 == right.bbox.y0


def test_pairs_all_over_the_cloud_are_no_streak_to_be_named() -> None:
    for axes in panels(encoding="learned", length=60):
        assert not streak_labels(axes)


def test_no_name_of_a_streak_touches_a_point_of_another() -> None:
    (axes,) = panels(d=32, length=30, base=100, triangle="upper", size="5x3")
    cloud: Any = axes.collections[0]
    places = axes.transData.transform(cloud.get_offsets())
    dot = float(cloud.get_sizes()[0]) ** 0.5 / 2 * axes.figure.dpi / 72
    for text in streak_labels(axes):
        box = text.get_window_extent()
        assert not Bbox([[box.x0 - dot, box.y0], [box.x1 + dot, box.y1]]).count_contains(places), text.get_text()


@pytest.mark.parametrize(
    ("rank", "said"),
    [
        (-0.95, "as the {x} rises, the {y} falls"),
        (-0.6, "as the {x} rises, the {y} tends to fall"),
        (0.1, "the {x} says little about the {y}"),
        (0.6, "as the {x} rises, the {y} tends to rise"),
        (1.0, "as the {x} rises, the {y} rises"),
    ],
)
def test_the_message_is_what_the_ranks_say(rank: float, said: str) -> None:
    assert scatter_numbers.trend(rank) == said


def test_the_message_names_both_measures_and_a_constant_has_none() -> None:
    found = pecli.figure("scatter", d=8, length=40, x="cos", y="cityblock").numbers
    assert found.message() == "as the cosine similarity rises, the city block distance falls"
    assert pecli.figure("scatter", d=8, length=40, x="cos", y="cos").numbers.message() == ""


def test_one_triangle_is_one_wide_panel() -> None:
    (one,) = panels(d=7, length=5, triangle="upper")
    assert one.bbox.width > 1.5 * one.bbox.height
    assert all(two.bbox.width < 1.3 * two.bbox.height for two in panels(d=7, length=5))


def test_ranks_share_their_mean_where_values_are_equal() -> None:
    assert ranks(np.array([5.0, 1.0, 5.0, 7.0, 5.0])).tolist() == [3, 1, 3, 5, 3]
    assert ranks(np.array([])).tolist() == []


def test_linear_correlation_of_a_line_is_1_and_of_a_constant_none() -> None:
    x = np.array([1.0, 2.0, 5.0])
    assert pearson(x, 3 * x + 1) == pytest.approx(1)
    assert pearson(x, -x) == pytest.approx(-1)
    assert pearson(x, np.ones(3)) is None
    assert pearson(x[:1], x[:1]) is None


def test_undefined_pairs_are_counted_and_named_never_drawn() -> None:
    picture = pecli.figure("scatter", d=1, length=7, dpi=30)
    for axes in panels(d=1, length=7, dpi=30):
        assert len(axes.collections[0].get_offsets()) == 0
    assert (picture.numbers.facts()["undefined"], picture.numbers.facts()["pairs"]) == (21, 21)
    assert "r = undefined" in picture.numbers.caption() and "21 of 21 pairs left out" in picture.numbers.caption()
    assert picture.render("png")[0].startswith(b"\x89PNG")


def test_only_the_pairs_of_the_zero_row_are_left_out() -> None:
    numbers = pecli.figure("scatter", d=1, length=7, x="cos").numbers
    assert numbers.facts()["undefined"] == 6
    assert 0 not in numbers.arrays()["p"]
    assert np.isfinite(numbers.arrays()["x"]).all()


def test_many_points_are_rasterized_inside_a_vector_file_and_few_are_not() -> None:
    assert not panels(d=3, length=23)[0].collections[0].get_rasterized()
    assert panels(d=3, length=67)[0].collections[0].get_rasterized()


def test_one_position_has_no_pair() -> None:
    with pytest.raises(UsageError, match="length"):
        pecli.figure("scatter", length=1)


def test_more_pairs_than_some_minutes_of_work_are_refused_before_they_are_counted() -> None:
    length = 141_421  # the longest of at most 10^10 pairs
    assert length * (length - 1) // 2 <= 10**10 < (length + 1) * length // 2
    pecli.figure("scatter", length=length)
    with pytest.raises(UsageError, match=r"10,000,020,331 pairs.*length"):
        pecli.figure("scatter", length=length + 1)


@pytest.mark.parametrize(("triangle", "sign"), [("upper", -1), ("both", -1), ("lower", 1)])
def test_the_pairs_are_those_of_the_triangle(triangle: str, sign: int) -> None:
    numbers = pecli.figure("scatter", d=4, length=7, triangle=triangle).numbers
    assert np.array_equal(np.sign(numbers.arrays()["p"] - numbers.arrays()["q"]), np.full(21, sign))


@pytest.mark.parametrize(("length", "label"), [(9, "offset |p − q|"), (700, "pairs a cell")])
def test_the_bar_says_what_the_colours_are(length: int, label: str) -> None:
    picture = pecli.figure("scatter", length=length)
    assert {panel.bar.label for panel in panels_of(picture.figure, picture.job.view) if panel.bar} == {label}


@pytest.mark.parametrize("encoding", ["sinusoidal", "binary"])
def test_streaks_end_where_pairs_of_their_offset_do(encoding: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pair_density, "BAND", 5)
    made: Any = pecli.figure("scatter", encoding=encoding, length=23).job.view.encoding
    rows = Positions(start=2, length=23)
    cloud = pair_density.points(made, MEASURES["cos"], MEASURES["euclidean"], rows)
    found = pair_density.streaks(made, MEASURES["cos"], MEASURES["euclidean"], rows, 4)
    for offset, (left, bottom, right, top) in enumerate(found, 1):
        own = cloud.q - cloud.p == offset
        assert (left, right) == pytest.approx((cloud.x[own].min(), cloud.x[own].max()), abs=1e-12)
        assert (bottom, top) == pytest.approx((cloud.y[own].min(), cloud.y[own].max()), abs=1e-9)


@pytest.mark.parametrize("size", ["column", "page", "5x3"])
def test_streaks_of_counted_pairs_are_named_over_no_cell(size: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(scatter, "MOST", 100)
    axes = panels(d=64, length=100, size=size)[0]
    assert [text.get_text() for text in streak_labels(axes)][:3] == ["offset 1", "2", "3"]
    image = axes.images[0]
    left, right, bottom, top = image.get_extent()
    rows, columns = np.nonzero(~np.ma.getmaskarray(image.get_array()))
    height, width = image.get_array().shape
    centres = np.c_[
        left + (columns + 0.5) * (right - left) / width,
        bottom + (rows + 0.5) * (top - bottom) / height,
    ]
    for text in streak_labels(axes):  # a line of text is higher than its digits, by how much depends on matplotlib
        digits = text.get_window_extent().padded(-2)
        assert not digits.count_contains(axes.transData.transform(centres))
