"""A measure against the offset p − q: its mean, its band, and RoFormer's bound."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from matplotlib.colors import to_rgb
from matplotlib.figure import Figure as Drawing

import pecli
from pecli.core.errors import UsageError
from pecli.figures.labels import DotLabel, LineLabel, labels_of
from pecli.figures.trends import Point, trend_of


def line_labels(axes: Any) -> list[str]:
    return [" ".join(label.get_text().split()) for label in labels_of(axes, LineLabel)]


def numbers(**options: object) -> Any:
    return pecli.figure("offsets", **options).numbers


def drawn(**options: object) -> Any:
    return pecli.figure("offsets", **options).draw(Drawing().subplots())


def diagonals(matrix: Any) -> list[Any]:
    return [np.diagonal(matrix, offset) for offset in range(len(matrix))]


@pytest.mark.parametrize(("encoding", "d", "base"), [("sinusoidal", 8, 10), ("rope", 128, 10000), ("sinusoidal", 2, 3)])
def test_the_dot_product_is_the_sum_of_the_cosines(encoding: str, d: int, base: float) -> None:
    found = numbers(encoding=encoding, d=d, base=base, length=97)
    rates = base ** (-2 * np.arange(d // 2) / d)
    assert found.main[0] == pytest.approx(np.cos(rates * np.arange(97)[:, None]).sum(axis=1), abs=1e-11)
    assert found.arrays()["offsets"].tolist() == list(range(97))


@pytest.mark.parametrize("encoding", ["sinusoidal:d=8", "rope:d=8", "clock", "geometric:d=4"])
@pytest.mark.parametrize("measure", ["dot", "cos", "euclidean"])
def test_the_band_is_a_line_exactly_where_only_the_offset_counts(encoding: str, measure: str) -> None:
    found = numbers(encoding=encoding, measure=measure, length=23)
    assert np.array_equal(found.arrays()["low"], found.arrays()["high"])
    assert list(found.facts()["spread"].values()) == [0]


@pytest.mark.parametrize(
    ("encoding", "measure"), [("binary", "dot"), ("learned:d=5", "dot"), ("sinusoidal:d=7", "cos")]
)
@pytest.mark.parametrize("start", [0, 5])
def test_the_band_of_any_other_has_every_pair(encoding: str, measure: str, start: int) -> None:
    options = {"encoding": encoding, "measure": measure, "length": 23, "start": start}
    found = numbers(**options)
    every = diagonals(pecli.figure("distance", **options).numbers.main)
    arrays = found.arrays()
    assert found.main[0] == pytest.approx([one.mean() for one in every], abs=1e-12)
    assert arrays["low"][0] == pytest.approx([one.min() for one in every], abs=1e-12)
    assert arrays["high"][0] == pytest.approx([one.max() for one in every], abs=1e-12)
    widest = max(float(np.ptp(one)) for one in every)
    assert list(found.facts()["spread"].values()) == [pytest.approx(widest, abs=1e-12)]
    assert widest > 0.1 or encoding != "binary"


@pytest.mark.parametrize(("offset", "bound"), [(0, 32.5), (50, 12.629), (100, 10.227), (256, 6.543)])
def test_the_decay_is_roformers(offset: int, bound: float) -> None:
    decay = numbers(encoding="rope", d=128, base=10000, length=257, decay=True).arrays()["decay"]
    assert decay.shape == (1, 257)
    assert decay[0, offset] == pytest.approx(bound, abs=5e-4)


def test_the_decay_is_only_there_when_asked_for() -> None:
    assert numbers(length=5).arrays()["decay"].size == 0
    assert len([line for line in drawn(length=5, d=8).get_lines() if len(line.get_xdata()) > 1]) == 1


def test_the_decay_is_dashed_in_the_colour_of_its_encoding() -> None:
    axes = drawn(encoding=["rope:d=8", "sinusoidal:d=4"], length=11, decay=True)
    lines = axes.get_lines()
    assert [line.get_linestyle() for line in lines] == ["-", "-", "--", "--"]
    assert [line.get_color() for line in lines[2:]] == [line.get_color() for line in lines[:2]]
    texts = [text.get_text() for text in axes.get_legend().get_texts()]
    assert texts[2:] == [f"bound for {name}, right axis" for name in ("rope", "sinusoidal")]
    bases = drawn(encoding=["rope:d=8", "rope:d=8,base=2"], length=11, decay=True).get_legend().get_texts()
    assert [text.get_text() for text in bases][2:] == [f"bound for base {base}, right axis" for base in ("10,000", "2")]


def test_the_bound_has_numbers_of_its_own_at_the_right() -> None:
    found = numbers(encoding="rope:d=8", length=11, decay=True)
    axes = drawn(encoding="rope:d=8", length=11, decay=True)
    (own,) = axes.child_axes
    axes.figure.draw_without_rendering()
    scale = axes.get_ylim()[1] / own.get_ylim()[1]
    assert axes.get_lines()[1].get_ydata() / scale == pytest.approx(found.arrays()["decay"][0])
    assert "S_j" in own.get_ylabel()


@pytest.mark.parametrize("encoding", ["binary", "learned:d=4"])
def test_the_decay_of_what_has_no_frequencies_is_refused(encoding: str) -> None:
    with pytest.raises(UsageError, match="decay"):
        pecli.figure("offsets", encoding=["rope", encoding], decay=True, length=5)


def test_a_log_axis_starts_at_1() -> None:
    found = numbers(d=8, length=97, log=True)
    linear = numbers(d=8, length=97)
    assert found.arrays()["offsets"].tolist() == list(range(1, 97))
    assert found.main[0] == pytest.approx(linear.main[0, 1:], abs=1e-12)
    assert drawn(d=8, length=97, log=True).get_xscale() == "log"
    assert drawn(d=8, length=97).get_xscale() == "linear"


@pytest.mark.parametrize("log", [True, False])
@pytest.mark.parametrize("encoding", ["sinusoidal:d=8,base=10", "binary"])
def test_more_offsets_than_pixels_keep_their_extremes_and_the_caption_says_so(encoding: str, log: bool) -> None:
    options = {"encoding": encoding, "length": 509, "log": log, "size": "3x2", "dpi": 20}
    seen = pecli.figure("offsets", **options).seen.arrays()
    table = pecli.encode(encoding, length=509)
    every = diagonals(table @ table.T)[1 if log else 0 :]
    assert seen["offsets"].size <= 60
    assert seen["low"].min() == pytest.approx(min(one.min() for one in every))
    assert seen["high"].max() == pytest.approx(max(one.max() for one in every))
    assert (seen["low"] <= seen["mean"]).all() and (seen["mean"] <= seen["high"]).all()
    assert "minimum to maximum of up to" in pecli.figure("offsets", **options).seen.caption()


def test_pairs_that_have_no_measure_are_left_out() -> None:
    found = numbers(d=1, length=9, measure="cos").arrays()  # the row of position 0, sin 0, is zero
    signs = np.sign(np.sin(np.arange(1, 9)))
    expected = [np.mean(signs[: 8 - k] * signs[k:]) for k in range(8)]
    assert found["mean"][0, :8] == pytest.approx(expected)
    assert np.isnan(found["mean"][0, 8])  # its only pair has position 0


def test_several_encodings_are_overlaid_with_their_bands() -> None:
    axes = drawn(encoding=["sinusoidal:d=8", "binary"], measure="cos", length=17)
    assert [text.partition(",")[0] for text in line_labels(axes)] == ["sinusoidal", "binary"]
    assert len(axes.get_lines()) == len(axes.collections) == 2
    assert (axes.get_xlabel(), axes.get_ylabel()) == ("offset p − q", "cosine similarity")


def test_one_encoding_needs_no_legend() -> None:
    assert drawn(d=8, length=17).get_legend() is None


def test_encodings_of_different_lengths_are_refused() -> None:
    with pytest.raises(
        UsageError, match="one length: relative has 2n − 1 offsets, here 33, and sinusoidal 17: draw rel"
    ):
        pecli.figure("offsets", encoding=["sinusoidal", "relative"], length=17)


@pytest.mark.parametrize("encoding", ["sinusoidal", "alibi"])
def test_a_log_axis_of_one_position_is_refused(encoding: str) -> None:
    with pytest.raises(UsageError, match="2 or more"):
        pecli.figure("offsets", encoding=encoding, length=1, log=True)
    assert numbers(length=1).main.shape == (1, 1)


def test_the_sum_of_cosines_without_the_scaling_is_dotted_in_the_same_colour() -> None:
    axes = drawn(encoding=["rope:scaling=linear,factor=8", "rope"], unscaled=True, length=64)
    dotted = [line for line in axes.lines if line.get_linestyle() == ":"]
    assert len(axes.lines) == 3 and len(dotted) == 1
    assert dotted[0].get_color() == axes.lines[0].get_color()
    assert dotted[0].get_ydata() == pytest.approx(axes.lines[1].get_ydata(), abs=1e-12)


def test_without_a_scaling_there_is_none_to_leave_out() -> None:
    with pytest.raises(UsageError, match="unscaled needs a rope that is scaled"):
        numbers(encoding="rope", unscaled=True)


def test_the_caption_explains_a_band_where_there_is_one_and_what_the_bound_bounds() -> None:
    band = "line: mean of all pairs at that offset, band: from the smallest to the largest"
    assert pecli.figure("offsets", encoding="binary", length=16).seen.caption() == band
    exact = "at each offset all pairs agree"
    assert pecli.figure("offsets", d=8, length=16).seen.caption() == exact
    assert pecli.figure("offsets", encoding=["rope", "binary"], length=16).seen.caption() == band
    runs = pecli.figure("offsets", d=8, length=300, size="3x2", dpi=20).seen.caption()  # a band of another kind
    assert runs.startswith(f"{exact}; each pixel: minimum to maximum")
    assert pecli.figure("offsets", encoding="learned", d=1, length=9, measure="corr").seen.caption().count(exact) == 0
    assert "bounds the product of any q and k" in pecli.figure("offsets", d=8, length=16, decay=True).seen.caption()


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"d": 2, "base": 3, "length": 4}, "only the offset counts: the dot product falls from 1 at 0 to −0.99 at 3"),
        (
            {"d": 2, "length": 8},
            "only the offset counts: the dot product falls to −0.99 at 3 and rises again to 0.96 at 6",
        ),
        (
            {"d": 2, "length": 8, "measure": "sqeuclidean"},
            "only the offset counts: the squared Euclidean distance rises to 3.98 at 3 and falls again to 0.0797 at 6",
        ),
        ({"length": 1}, ""),
        ({"encoding": "binary", "length": 16}, "more than the offset counts: pairs at one offset differ by up to 4"),
        (
            {"encoding": ["rope", "binary"], "length": 16},
            "only the offset counts (rope); at one offset pairs differ by up to 4 (binary)",
        ),
        (
            {"encoding": ["rope:d=8", "rope:d=8,base=2"], "length": 4},
            "only the offset counts: the dot product falls farthest with base 2, to −2.54",
        ),
        ({"encoding": ["rope:d=8", "sinusoidal:d=8"], "length": 4}, "only the offset counts"),
        (
            {"encoding": "binary", "measure": "cityblock", "length": 2},
            "the city block distance rises from 0 at 0 to 1 at 1",
        ),
    ],
)
def test_the_message_says_whether_only_the_offset_counts_and_where_the_line_goes(
    options: dict[str, Any], message: str
) -> None:
    assert numbers(**options).message() == message


@pytest.mark.parametrize(
    ("options", "named"),
    [
        ({"d": 2, "base": 3, "length": 4}, {(0, 1): "1 at 0", (3, np.cos(3)): "−0.99 at 3"}),
        ({"d": 2, "length": 8}, {(3, np.cos(3)): "−0.99 at 3", (6, np.cos(6)): "0.96 at 6"}),
        ({"encoding": "binary", "length": 16}, {}),
        ({"encoding": ["rope:d=8", "sinusoidal:d=8"], "length": 16}, {}),
        ({"d": 8, "length": 16, "decay": True}, {}),
        ({"d": 8, "length": 1}, {}),
        ({"d": 8, "length": 3000, "size": "3x2", "dpi": 20}, {}),
    ],
)
def test_what_the_message_names_has_a_dot_and_its_number(options: dict[str, Any], named: dict[Any, str]) -> None:
    axes = drawn(**options)
    dots = [line.get_xydata()[0].tolist() for line in axes.get_lines() if line.get_marker() == "o"]
    assert np.ravel(dots if len(axes.get_lines()[0].get_xdata()) > 1 else []) == pytest.approx(np.ravel([*named]))
    assert [text.get_text() for text in labels_of(axes, DotLabel)] == [*named.values()]
    (low, high), points = axes.get_ylim(), axes.dataLim.intervaly
    assert not named or (points[0] - low > 0.055 * (high - low) and high - points[1] > 0.055 * (high - low))


@pytest.mark.parametrize("options", [{}, {"encoding": "relative"}, {"encoding": "relative", "log": True}])
def test_the_axis_is_as_long_as_the_line(options: dict[str, Any]) -> None:
    axes = drawn(length=20, **options)
    first, last = axes.lines[0].get_xdata()[[0, -1]]
    low, high = axes.get_xlim()
    assert low < first < 0.1 * high and last < high < 1.2 * last


def test_in_runs_of_offsets_no_offset_is_named() -> None:
    seen = pecli.figure("offsets", d=8, base=10, length=500, log=True, size="3x2", dpi=20).seen
    product = np.cos(np.arange(1, 500)[:, None] * 10 ** (-np.arange(4) / 4)).sum(axis=1)
    said = f"the dot product falls to {product.min():.3g} and rises again to".replace("-", "−")
    assert said in seen.message() and " at " not in seen.message()


def test_a_run_of_offsets_does_not_come_back_within_itself() -> None:
    seen: Any = pecli.figure("offsets", measure="euclidean", length=700, size="3x2", dpi=30).seen
    assert seen.block > 5 and seen.low[0, 0] == 0 < seen.high[0, 0] / 2
    assert seen.message() == f"only the offset counts: the Euclidean distance rises from 0 to {seen.high.max():.3g}"
    low, mean, high = np.array([9.0, 1, -3, -2]), np.array([9.0, 5, 3, 2]), np.array([9.0, 8, 8, 7])
    assert trend_of(low, mean, high, None) == (Point(9, None), Point(-3, None), None)


def test_the_message_is_from_which_distance_on_it_does_not_count() -> None:
    t5 = pecli.figure("offsets", encoding="t5", length=100).numbers
    biases = pecli.figure("offsets", encoding="t5", length=100).job.view.encoding.bias(np.arange(0.0, 1e4))[0]
    start = int(np.flatnonzero(biases != biases[-1]).max()) + 1
    assert t5.message() == f"from {start} positions on, the distance no longer counts"
    assert numbers(encoding="t5", length=start).message() == ""
    for length in (3001, 10**6):  # runs of offsets, in one of which it begins
        long = pecli.figure("offsets", encoding="t5", length=length, dpi=40)
        assert long.seen.message() == t5.message()
    assert numbers(encoding=["t5", "t5:max_distance=500"], length=100).message() == ""


@pytest.mark.parametrize(
    ("encoding", "falls"), [("alibi", True), (["alibi", "kerple"], True), ("alibi:heads=1", True), ("t5", False)]
)
def test_the_message_is_that_far_keys_have_lower_biases_where_they_do(encoding: Any, falls: bool) -> None:
    found = numbers(encoding=encoding, length=30)
    assert found.message().startswith("the farther the key") is falls


def test_of_many_heads_the_first_and_the_last_are_named_and_shades_and_dashes_say_the_others() -> None:
    axes = drawn(encoding=["alibi:heads=8", "kerple"], length=20)
    assert [text.partition(",")[2].split(",")[0].strip() for text in line_labels(axes) if text] == [
        "head 0",
        "head 7",
        "head 0",
        "head 3",
    ]
    dark = [sum(to_rgb(line.get_color())) for line in axes.lines]
    assert dark[:8] == sorted(set(dark[:8])) and dark[8:] == sorted(set(dark[8:]))
    assert [line.get_linestyle() for line in axes.lines] == ["-"] * 8 + ["--"] * 4


def test_the_message_is_of_every_head() -> None:
    found = numbers(encoding="alibi:heads=2", length=30)
    for factors in ([-1, 1], [0, 1], [0, 0]):
        assert replace(found, bias=found.bias * np.array(factors)[:, None]).message() == ""


@pytest.mark.parametrize("offset", [0, 1, 7, 40])
def test_the_bound_with_its_factors_is_one(offset: int) -> None:
    random = np.random.default_rng(offset)
    q, k = random.standard_normal((2, 12)) + 1j * random.standard_normal((2, 12))
    encoding = pecli.figure("offsets", encoding="rope:d=24").job.view.encoding
    turns = np.exp(1j * offset * encoding.frequencies())
    product = abs((q * k.conj() * turns).sum())
    step = np.abs(np.diff(np.append(q * k.conj(), 0))).max()
    assert product <= 12 * step * encoding.decay(np.array([float(offset)]))[0]


def test_the_mean_over_a_run_of_offsets_is_of_all_its_pairs() -> None:
    picture = pecli.figure("offsets", encoding="binary", length=200, dpi=10, size="2x2")
    table = pecli.encode("binary", length=200)
    products = table @ table.T
    numbers = picture.seen
    block = numbers.facts()["block"]
    assert block > 1
    offsets = np.arange(200)[:, None] - np.arange(200)
    wanted = [products[(offsets >= a) & (offsets < a + block)].mean() for a in range(0, 200, block)]
    assert np.allclose(numbers.main[0], wanted, rtol=1e-12)


def test_a_spread_that_vanishes_is_undefined() -> None:
    facts = pecli.figure("offsets", measure="corr", encoding="learned", d=1, length=10).numbers.facts()
    assert np.isnan(facts["spread"]["learned:d=1"])


def test_of_an_odd_d_the_last_column_counts_as_a_pair_in_the_decay() -> None:
    decay = numbers(encoding="sinusoidal:d=5", length=9, decay=True).arrays()["decay"][0]
    rates = 10000.0 ** (-2 * np.arange(3) / 5)
    sums = np.abs(np.cumsum(np.exp(1j * np.arange(9)[:, None] * rates), axis=1))
    assert decay == pytest.approx(sums.mean(axis=1), abs=1e-12) and decay[0] == 2


@pytest.mark.parametrize(
    ("options", "title"),
    [
        ({"encoding": ["rope:d=4", "clock"], "measure": "cos"}, "cosine similarity by offset; 4 positions"),
        ({"encoding": ["alibi:heads=1", "alibi:heads=2"]}, "bias by offset; 4 positions"),
    ],
)
def test_of_several_the_title_says_what_is_drawn(options: dict[str, Any], title: str) -> None:
    assert pecli.figure("offsets", length=4, **options).title() == title
