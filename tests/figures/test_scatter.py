"""Tests of the figure scatter: its points, its two correlations, and its artists."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from matplotlib.colors import to_rgba

import pecli
from pecli.core.errors import UsageError
from pecli.core.language import finding, say
from pecli.measures.pairs import pearson, ranks
from pecli.measures.pairwise import MEASURES
from tests.drawing import axes_of, clauses, frames_of, numbers_of, page_of, texts, told


def panels(**options: object) -> list[Any]:
    """Return the panels as `save` draws them."""
    return [axes for axes in page_of("scatter", **options).axes if axes.get_label() != "<colorbar>"]


@pytest.mark.long
@pytest.mark.parametrize("d", [6, 7])
def test_every_pair_is_one_point_of_correlation_and_distance(d: int) -> None:
    table = pecli.encode(d=d, base=10, length=11, start=3)
    pairs = [(p, q) for p in range(11) for q in range(p + 1, 11)]
    expected = [(np.corrcoef(table[p], table[q])[0, 1], np.linalg.norm(table[p] - table[q])) for p, q in pairs]
    left, right = panels(d=d, base=10, length=11, start=3, triangle="both")
    for axes in (left, right):
        odd, points = axes.collections
        assert not len(odd.get_offsets()) and np.all(points.get_linewidths() == 0)
        found = np.array(sorted(np.asarray(points.get_offsets()).tolist()))
        assert found == pytest.approx(np.array(sorted(expected)), abs=1e-12)
    assert "p < q" in left.get_title() and "p > q" in right.get_title()


@pytest.mark.long
def test_the_rank_correlation_is_printed_in_the_picture_and_both_are_facts() -> None:
    numbers = numbers_of("scatter", d=7, base=10, length=23)
    x, y = numbers.arrays()["x"], numbers.arrays()["y"]
    linear = np.corrcoef(x, y)[0, 1]
    rank = np.corrcoef(np.argsort(np.argsort(x)), np.argsort(np.argsort(y)))[0, 1]  # no two are equal
    assert numbers.facts()["pearson"] == pytest.approx(linear)
    assert numbers.facts()["spearman"] == pytest.approx(rank)
    assert rank < 0  # so that a sign is written
    said = [say("scatter.dot_pair_of_positions"), say("scatter.spearmans_rank_correlation")]
    assert clauses(numbers.caption()) == said
    assert numbers.exceptions is None and finding(numbers.message())["rank"] == f"−{-rank:.2f}"
    assert [axes.get_title() for axes in panels(d=7, base=10, length=23)] == [""]  # one panel, and nothing above it


@pytest.mark.long
@pytest.mark.parametrize(("x", "y"), [("corr", "euclidean"), ("euclidean", "corr")])
def test_streaks_are_named_where_no_other_point_is_near(x: str, y: str) -> None:
    options: dict[str, Any] = {"d": 64, "length": 100, "x": x, "y": y}
    axes, found = panels(**options, dpi=40)[0], numbers_of("scatter", **options)
    points, offsets = np.column_stack((found.x, found.y)), found.pair_distances()
    assert texts(axes.texts)[:2] == [say("scatter.offset_number", number=offset) for offset in (1, 2)]
    assert len(axes.texts) <= 5
    for offset, text in enumerate(axes.texts, 1):
        own, left = points[offsets == offset], y == "corr"
        assert text.xy == (own[:, 0].max() if left else own[:, 0].min(), np.median(own[:, 1]))
        assert (text.get_va(), text.get_ha()) == ("center", "left" if left else "right")
        away = np.abs(points[offsets != offset] - text.xy) / np.ptp(points, axis=0)
        assert away.max(axis=1).min() >= 0.1
    assert not panels(encoding="binary", length=100, dpi=40)[0].texts  # no streaks


def strays(found: Any, norm: float) -> Any:
    """Return how far each distance is from that of rows of mean 0."""
    return np.abs(found.y - np.sqrt(2 * norm * (1 - found.x)))


@pytest.mark.some(2)
@pytest.mark.parametrize(
    ("options", "exceptions", "key"),
    [
        ({"base": 10, "d": 128}, [0, 1, 2, 3, 4], "scatter.agree_except"),
        ({"base": 10, "d": 512, "length": 300}, [0, 1, 2, 3, 4], "scatter.agree_except"),
        ({"base": 10, "d": 128, "start": 5}, [], "scatter.agree"),
        ({"base": 10, "d": 128, "start": 4}, [4], "scatter.agree_except"),
        ({"base": 10_000, "d": 128}, None, "scatter.the_larger_the_the_smaller"),
        ({"encoding": "learned:d=64"}, None, "scatter.the_larger_the_the_smaller"),  # rows of many lengths
    ],
)
def test_exceptions_are_positions_without_which_no_pair_strays(
    options: dict[str, Any], exceptions: list[int] | None, key: str
) -> None:
    found = numbers_of("scatter", **options)
    assert finding(found.message())["key"] == key
    assert found.exceptions == (exceptions if exceptions is None else tuple(exceptions))
    if exceptions is not None:
        norm = found.view.encoding.width / 2
        odd = np.isin(found.p, exceptions) | np.isin(found.q, exceptions)
        assert found.norm == pytest.approx(norm) and np.array_equal(found.has_exception, odd)
        assert strays(found, norm)[~odd].max() <= np.sqrt(norm) / 16
        assert not exceptions or strays(found, norm)[odd].max() > np.sqrt(norm) / 16


@pytest.mark.long
def test_exceptions_are_red_and_what_is_boxed_is_enlarged_beside() -> None:
    found = numbers_of("scatter", base=10)
    (axes,) = panels(base=10)
    whole, enlarged = axes.child_axes
    assert not axes.axison and len(panels(base=10, size="column", dpi=40)[0].child_axes) == 0
    odd = np.column_stack((found.x, found.y))[found.has_exception]
    for panel in (whole, enlarged):
        assert np.array_equal(panel.collections[0].get_offsets(), odd)
        assert np.array_equal(panel.collections[0].get_facecolor()[0], to_rgba("#C44327"))
        r, distance = panel.lines[0].get_data()
        assert distance == pytest.approx(np.sqrt(128 * (1 - r)))
    (box,) = whole.patches
    assert (box.get_x(), box.get_y()) == (enlarged.get_xlim()[0], enlarged.get_ylim()[0])
    (left, right), (bottom, top) = enlarged.get_xlim(), enlarged.get_ylim()
    inside = (found.x > left) & (found.x < right) & (found.y > bottom) & (found.y < top) & ~found.has_exception
    assert np.asarray(enlarged.collections[1].get_array()).sum() == inside.sum()
    assert inside.sum() > 0.95 * (~found.has_exception).sum()
    assert {say("scatter.offset_number", number=offset) for offset in (1, 2, 3)} <= {*texts(whole.texts)}


def test_the_message_names_both_measures_and_how_one_follows_the_other() -> None:
    found = numbers_of("scatter", d=8, length=9, x="cos", y="cityblock")
    names = {"x": say(MEASURES["cos"].text), "y": say(MEASURES["cityblock"].text)}
    for rank, text, key in (
        (-0.6, "−0.60", "scatter.the_larger_the_the_smaller"),
        (0.1, "0.10", "scatter.says_little_about"),
        (0.6, "0.60", "scatter.the_larger_the_the"),
    ):
        assert finding(replace(found, spearman=rank).message()) == {"key": key, "rank": text, **names}


def test_a_measure_against_itself_is_refused() -> None:
    for name, other in (("cos", "corr"), ("corr", "euclidean")):
        with pytest.raises(UsageError, match=f"both {name}.*y={other}"):
            numbers_of("scatter", d=8, length=9, x=name, y=name)


@pytest.mark.parametrize(("length", "rasterized"), [(23, False), (100, True)])
def test_many_points_are_rasterized_inside_a_vector_file(length: int, rasterized: bool) -> None:
    whole = panels(d=64, base=10, length=length, dpi=150)[0]
    kept = (whole.child_axes or [whole])[0].collections[1]
    assert kept.get_rasterized() == rasterized


def test_measures_of_both_axes_and_the_triangle_are_chosen_and_named() -> None:
    (axes,) = panels(d=7, length=5, x="cityblock", y="dot", triangle="lower")
    assert (axes.get_xlabel(), axes.get_ylabel()) == (say(MEASURES["cityblock"].text), say(MEASURES["dot"].text))
    assert axes.get_title() == ""
    table = pecli.encode(d=7, length=5)
    pairs = [(p, q) for p in range(5) for q in range(p)]
    expected = sorted([np.abs(table[p] - table[q]).sum(), table[p] @ table[q]] for p, q in pairs)
    found = np.array(sorted(np.asarray(axes.collections[1].get_offsets()).tolist()))
    assert found == pytest.approx(np.array(expected), abs=1e-12)
    for triangle, sign in (("upper", -1), ("both", -1), ("lower", 1)):
        arrays = numbers_of("scatter", d=4, length=7, triangle=triangle).arrays()
        assert np.array_equal(np.sign(arrays["p"] - arrays["q"]), np.full(21, sign))


def test_ranks_share_their_mean_and_a_constant_has_no_correlation() -> None:
    assert ranks(np.array([5.0, 1.0, 5.0, 7.0, 5.0])).tolist() == [3, 1, 3, 5, 3]
    assert ranks(np.array([])).tolist() == []
    x = np.array([1.0, 2.0, 5.0])
    assert [pearson(x, 3 * x + 1), pearson(x, -x)] == pytest.approx([1, -1])
    assert pearson(x, np.ones(3)) is pearson(x[:1], x[:1]) is None


@pytest.mark.long
def test_undefined_pairs_are_counted_and_named_never_drawn() -> None:
    numbers = pecli.figure("scatter", d=1, length=7, dpi=30).numbers
    for axes in panels(d=1, length=7, dpi=30):
        assert len(axes.collections[0].get_offsets()) == 0
    assert (numbers.facts()["undefined"], numbers.facts()["pairs"]) == (21, 21)
    left_out = {"key": "scatter.of_pairs_left_out", "count": 21, "all": 21}
    assert numbers.message() == "" and told(numbers.caption(), left_out) == left_out
    some = pecli.figure("scatter", d=1, length=7, x="cos").numbers  # position 0 is a row of zeros
    assert some.facts()["undefined"] == 6 and 0 not in some.arrays()["p"]
    assert say("measure.row_of_zeros") in some.caption()
    counted = numbers_of("scatter", ((40, 40),), d=1, length=640, x="cos")  # 639 of 204,480 are undefined
    assert say("scatter.pairs_counted", count=203841) in counted.caption()


@pytest.mark.parametrize(("length", "said"), [(1, "length"), (141_422, r"10,000,020,331 pairs.*length")])
def test_no_pair_and_more_than_some_minutes_of_work_are_refused(length: int, said: str) -> None:
    pecli.figure("scatter", length=141_421)  # the longest of at most 10^10 pairs
    with pytest.raises(UsageError, match=said):
        pecli.figure("scatter", length=length)


@pytest.mark.long
def test_pairs_on_one_place_are_one_dot_whose_area_is_their_number() -> None:
    options: dict[str, Any] = {"encoding": "binary", "length": 32, "x": "hamming", "y": "dot"}
    found, axes = numbers_of("scatter", **options), axes_of("scatter", **options)
    (dots,) = axes.collections
    places = Counter(zip(found.x.round(9), found.y.round(9), strict=True))
    drawn = [tuple(place) for place in np.asarray(dots.get_offsets()).round(9)]
    assert sorted(drawn) == sorted(places)
    ends = {"fewest": min(places.values()), "most": max(places.values())}
    assert say("scatter.area_of_dot_to", **ends) in clauses(found.caption())
    counts = np.array([places[place] for place in drawn])
    large = dots.get_sizes() > dots.get_sizes().min()
    assert (dots.get_sizes() / counts)[large] == pytest.approx(dots.get_sizes().max() / counts.max())
    assert len(axes_of("scatter", length=32).collections[1].get_offsets()) == 32 * 31 // 2


@pytest.mark.long
def test_the_dots_of_all_frames_have_one_scale_of_colours() -> None:
    frames = frames_of("scatter", encoding="binary", x="hamming", y="dot", length=[64, 128], dpi=30)
    assert len({axes.collections[0].get_clim() for axes, _ in (frame.axes for frame in frames)}) == 1


def test_the_offset_is_no_measure_and_the_figure_that_has_it_is_named() -> None:
    with pytest.raises(UsageError, match="pecli offsets"):
        pecli.figure("scatter", x="offset")
