"""Tests of figures of a measure or a bias against the offset p − q, of matrices of biases, and of their weights."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import numpy as np
import pytest
from matplotlib.colors import to_rgb

import pecli
from pecli.core.errors import UsageError
from pecli.core.language import join_and, join_title, listing, say
from pecli.encodings.biases import T5, Alibi
from pecli.figures.attention import weights
from pecli.page.bands import BandLabel
from pecli.page.labels import LineLabel, PointLabel, labels_of
from pecli.page.titles import TitleLabel
from tests.drawing import axes_of, line_labels, numbers_of, page_of, panels_of, texts, told


def numbers(**options: Any) -> Any:
    return numbers_of("offsets", **options)


def drawn(**options: object) -> Any:
    return axes_of("offsets", **options)


def diagonals(matrix: Any) -> list[Any]:
    return [np.diagonal(matrix, offset) for offset in range(len(matrix))]


@pytest.mark.parametrize("encoding", ["sinusoidal:d=8,base=10", "rope:d=128", "sinusoidal:d=2,base=3"])
def test_the_dot_product_is_the_sum_of_the_cosines(encoding: str) -> None:
    found, harmonic = numbers(encoding=encoding, length=97), pecli.encoding(encoding)
    d, base = harmonic.width, harmonic.base
    rates = base ** (-2 * np.arange(d // 2) / d)
    assert found.main[0] == pytest.approx(np.cos(rates * np.arange(97)[:, None]).sum(axis=1), abs=1e-11)
    assert found.offsets.tolist() == list(range(97))
    assert found.decay.size == 0


@pytest.mark.some(3)
@pytest.mark.parametrize(
    "pair",
    [
        ("t5", "t5:direction=causal"),
        ("alibi:heads=2", "alibi:heads=2,direction=both"),
        ("alibi:heads=2", "alibi:heads=2,bias_max=4"),
        ("t5:max_distance=50", "t5"),
        ("kerple:r1=1", "kerple:r1=2"),
        ("alibi:heads=1,label=mine", "alibi:heads=1"),
    ],
)
def test_each_line_of_several_biases_has_a_name_of_its_own(pair: tuple[str, str]) -> None:
    axes = drawn(encoding=list(pair), length=50)
    names = texts(axes.get_legend().get_texts()) if axes.get_legend() else line_labels(axes)
    assert len(names) == len({*names}) == sum(pecli.encoding(spec).n_heads for spec in pair)


@pytest.mark.parametrize("encoding", ["sinusoidal:d=8", "rope:d=8", "clock", "geometric:d=4"])
@pytest.mark.parametrize("measure", ["dot", "cos", "euclidean"])
def test_the_band_is_a_line_exactly_where_only_the_offset_counts(encoding: str, measure: str) -> None:
    found = numbers(encoding=encoding, measure=measure, length=23)
    assert np.array_equal(found.low, found.high) and found.spread == (0,)


@pytest.mark.parametrize(
    ("encoding", "measure"), [("binary", "dot"), ("learned:d=5", "dot"), ("sinusoidal:d=7", "cos")]
)
@pytest.mark.parametrize("start", [0, 5])
def test_the_band_of_any_other_has_every_pair(encoding: str, measure: str, start: int) -> None:
    options: Any = {"encoding": encoding, "measure": measure, "length": 23, "start": start}
    found = numbers(**options)
    every = diagonals(numbers_of("distance", **options).main)
    for name, reduce in (("mean", np.mean), ("low", np.min), ("high", np.max)):
        assert found.arrays()[name][0] == pytest.approx([reduce(item) for item in every], abs=1e-12)
    assert found.spread == pytest.approx([max(np.ptp(item) for item in every)], abs=1e-12)


@pytest.mark.parametrize("log", [True, False])
@pytest.mark.parametrize("encoding", ["sinusoidal:d=8,base=10", "binary"])
def test_more_offsets_than_pixels_keep_their_extremes_and_means(encoding: str, log: bool) -> None:
    seen = numbers_of("offsets", ((9, 10),), encoding=encoding, length=109, log=log)
    table = pecli.encode(encoding, length=109)
    products, offsets = table @ table.T, np.arange(109)[:, None] - np.arange(109)
    every = diagonals(products)[1 if log else 0 :]
    assert seen.offsets.size <= 20
    assert say("offsets.each_pixel_mean_minimum", count=seen.block) in seen.caption()
    assert seen.low.min() == pytest.approx(min(item.min() for item in every))
    assert seen.high.max() == pytest.approx(max(item.max() for item in every))
    assert (seen.low <= seen.mean).all() and (seen.mean <= seen.high).all()
    assert log or seen.mean[0, 0] == pytest.approx(every[0].mean())  # where the line begins
    if encoding == "binary" and not log:  # of a closed form each offset counts once
        ends = [*range(0, 109, seen.block), 109]  # and offset 0 by itself
        runs = [(offsets >= first) & (offsets < stop) for first, stop in pairwise(sorted({1, *ends}))]
        assert seen.mean[0] == pytest.approx([products[run].mean() for run in runs], rel=1e-12)


def test_pairs_that_have_no_measure_are_left_out() -> None:
    found = numbers(d=1, length=9, measure="cos").arrays()  # the row of position 0, sin 0, is zero
    signs = np.sign(np.sin(np.arange(1, 9)))
    expected = [np.mean(signs[: 8 - k] * signs[k:]) for k in range(8)]
    assert found["mean"][0, :8] == pytest.approx(expected)
    assert np.isnan(found["mean"][0, 8])  # its only pair has position 0
    facts = numbers(measure="corr", encoding="learned", d=1, length=10).facts()
    assert np.isnan(facts["spread"]["learned:d=1"])


# RoFormer's bound


def test_the_decay_is_roformers() -> None:
    decay = numbers(encoding="rope", d=128, base=10000, length=257, decay=True).decay
    assert decay.shape == (1, 257)
    assert decay[0, [0, 50, 100, 256]] / 64 == pytest.approx([32.5, 12.629, 10.227, 6.543], abs=5e-4)


def test_of_an_odd_d_the_last_column_counts_as_a_pair_in_the_decay() -> None:
    decay = numbers(encoding="sinusoidal:d=5", length=9, decay=True).decay[0]
    sums = np.abs(np.cumsum(np.exp(1j * np.arange(9)[:, None] * 10000.0 ** (-2 * np.arange(3) / 5)), axis=1))
    assert decay == pytest.approx(sums.sum(axis=1), abs=1e-12) and decay[0] == 6


@pytest.mark.parametrize("offset", [0, 1, 7, 40])
def test_the_bound_with_its_factors_is_one(offset: int) -> None:
    random = np.random.default_rng(offset)
    q, k = random.standard_normal((2, 12)) + 1j * random.standard_normal((2, 12))
    encoding: Any = pecli.encoding("rope:d=24")
    product = abs((q * k.conj() * np.exp(1j * offset * encoding.frequencies())).sum())
    step = np.abs(np.diff(np.append(q * k.conj(), 0))).max()
    assert product <= 12 * step * encoding.decay(np.array([float(offset)]))[0]


@pytest.mark.long
def test_the_bound_is_dashed_in_the_colour_of_its_encoding_above_its_line() -> None:
    for specs, names in (
        (["rope:d=8", "sinusoidal:d=4"], ["RoPE", "sinusoidal"]),
        (["rope:d=8", "rope:d=8,base=2"], ["base = 10,000", "base = 2"]),
    ):
        axes = drawn(encoding=specs, length=11, decay=True)
        lines = axes.get_lines()
        assert [line.get_linestyle() for line in lines] == ["-", "-", "--", "--"]
        assert [line.get_color() for line in lines[2:]] == [line.get_color() for line in lines[:2]]
        bounds = [listing([say("offsets.roformers_bound"), name]) for name in names]
        assert texts(axes.get_legend().get_texts())[2:] == bounds
    for spec in ("rope:d=8", "rope:d=32,query=random:3", "rope:d=16,scaling=yarn,factor=8,original=64"):
        score, bound = drawn(encoding=spec, length=300, decay=True).get_lines()
        assert (bound.get_ydata() >= score.get_ydata()).all() and (score.get_ydata() >= 0).all()
    assert numbers(encoding="rope:d=8", length=30, decay=True).message().key == "offsets.the_dot_product_stays"


# axes and lines


@pytest.mark.long
def test_a_log_axis_starts_at_1() -> None:
    found, linear = numbers(d=8, length=97, log=True), numbers(d=8, length=97)
    assert found.arrays()["offsets"].tolist() == list(range(1, 97))
    assert found.main[0] == pytest.approx(linear.main[0, 1:], abs=1e-12)
    assert [drawn(d=8, length=97, log=log).get_xscale() for log in (True, False)] == ["log", "linear"]
    assert numbers(length=1).main.shape == (1, 1)


def test_the_sum_of_cosines_without_the_scaling_is_dotted_in_the_same_colour() -> None:
    scaled, plain, unscaled = drawn(encoding=["rope:scaling=linear,factor=8", "rope"], unscaled=True, length=64).lines
    assert (unscaled.get_linestyle(), unscaled.get_color()) == (":", scaled.get_color())
    assert unscaled.get_ydata() == pytest.approx(plain.get_ydata(), abs=1e-12)


OTHERS = join_and(["sinusoidal has 17", "relative sinusoidal has 33"])


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"encoding": ["rope", "binary"], "decay": True, "length": 5}, "decay"),
        ({"encoding": "rope", "unscaled": True}, "unscaled needs a scaled rope"),
        ({"encoding": "sinusoidal", "length": 1, "log": True}, "2 or more"),
        ({"encoding": "alibi", "length": 1, "log": True}, "2 or more"),
        ({"encoding": ["sinusoidal", "relative"], "length": 17}, OTHERS),
        ({"encoding": ["alibi", "rope"]}, " have different scales"),
        ({"encoding": ["alibi", "t5"]}, " have different scales"),
        ({"encoding": "alibi", "measure": "cos"}, "compares vectors, but alibi is a bias"),
        ({"encoding": "alibi", "decay": True}, "decay needs frequencies, but alibi has none"),
    ],
)
def test_what_does_not_fit_together_is_refused(options: dict[str, Any], said: str) -> None:
    with pytest.raises(UsageError, match=said) as refused:
        numbers(**options)
    assert refused.value.option in (None, *options)


# what it says


LARGEST_AT_0 = "offsets.the_depends_only_on"


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"d": 2, "base": 3, "length": 4}, {"key": LARGEST_AT_0}),
        ({"d": 128, "length": 128}, {"key": "offsets.falls_to_half_then", "offset": 46}),
        ({"d": 128, "length": 200}, {"key": "offsets.falls_to_half", "offset": 46}),  # from there on it still falls
        ({"d": 128, "length": 200, "trained": 150}, {"key": LARGEST_AT_0}),
        ({"d": 128, "length": 48}, {"key": LARGEST_AT_0}),  # too little is seen of what comes then
        ({"d": 2, "length": 8, "measure": "sqeuclidean"}, {"key": "words.the_depends_only_on"}),
        ({"length": 1}, {}),
        ({"encoding": "binary"}, {"key": "words.at_equal_offset_the", "number": "4"}),
        ({"encoding": ["rope", "binary"]}, {"key": "figures.only_with_the_offset", "names": "RoPE"}),
        ({"encoding": ["rope:d=8", "sinusoidal:d=8"], "length": 4}, {"key": LARGEST_AT_0}),
        ({"measure": "cityblock", "encoding": "binary", "length": 2}, {}),
    ],
)
def test_the_message_says_whether_the_offset_alone_counts(options: dict[str, Any], said: dict[str, Any]) -> None:
    assert told(numbers(**{"length": 16, **options}).message(), said) == said


@pytest.mark.parametrize(("start", "peaks"), [({}, True), ({"measure": "euclidean"}, False), ({"log": True}, False)])
def test_runs_of_offsets_say_where_it_is_largest(start: dict[str, Any], peaks: bool) -> None:
    seen = numbers_of("offsets", ((9, 60),), length=700, **start)
    assert seen.block > 5 and seen.peaks == peaks and (seen.half == 46) == peaks


def test_of_several_the_title_says_what_they_have_in_common() -> None:
    length = say("words.count_positions", count=4)
    for encoding, title in (
        ("rope:d=4", ["RoPE", "d = 4", "base = 10,000"]),
        (["rope:d=4", "rope:d=4,base=2"], ["RoPE", "d = 4"]),
    ):
        assert pecli.figure("offsets", length=4, encoding=encoding).title() == join_title([*title, length])


# biases


def test_a_bias_is_a_line_a_head_on_the_sides_that_it_sees() -> None:
    found = numbers(encoding=["alibi:heads=3", "kerple:r1=1,r2=1"], length=9)
    assert found.bias.shape == (4, 9)
    assert np.array_equal(found.bias[:3], Alibi(heads=3).bias(np.arange(9.0)))
    assert (found.encoding.tolist(), found.head.tolist()) == ([0, 0, 0, 1], [0, 1, 2, 0])
    found = numbers(encoding="t5", length=9)
    assert found.offsets.tolist() == list(range(-8, 9))
    assert np.array_equal(found.bias[0], T5().bucket(np.arange(-8.0, 9.0)))
    assert numbers(encoding="t5", length=9, log=True).offsets.tolist() == list(range(1, 9))
    found = numbers(encoding=["alibi:heads=1,direction=both", "kerple:r2=1"], length=4)
    assert found.offsets.tolist() == list(range(-3, 4))
    assert np.isfinite(found.bias).tolist() == [[True] * 7, [False] * 3 + [True] * 4]


@pytest.mark.long
def test_lines_are_named_by_their_heads_of_many_some() -> None:
    few = line_labels(drawn(encoding="alibi:heads=3", length=9))
    assert few == [say("encoding.head_head", head=head) for head in range(3)]
    first, last = (say("biases.head_slope", head=head, slope=slope) for head, slope in ((0, "1/16"), (2, "1/4")))
    ends = say("offsets.heads_from_to", first=first, last=last)
    assert pecli.figure("offsets", encoding="alibi:heads=3", length=9).seen.caption() == ends
    (axes,) = page_of("offsets", encoding="alibi:heads=32", length=9, dpi=40).axes
    assert [label.line for label in labels_of(axes, LineLabel)] == [0, 4, 9, 13, 18, 22, 27, 31]
    axes = drawn(encoding=["alibi:heads=8", "kerple"], length=9)
    heads = [line for line in axes.lines if len(line.get_xdata()) == 9]
    light = [sum(to_rgb(line.get_color())) for line in heads]  # shades in the order of the heads
    assert light[:8] == sorted(set(light[:8])) and light[8:] == sorted(set(light[8:]))
    assert [line.get_linestyle() for line in heads] == ["-"] * 8 + ["--"] * 4


@pytest.mark.some(4)
@pytest.mark.parametrize(
    ("encoding", "length", "said"),
    [
        ("alibi", 200, {"key": "head_sees_heads", "head": 0, "count": 9, "first": 5, "last": 7, "all": 200}),
        ("alibi", 30, {"key": "head_sees_heads", "head": 0, "count": 9, "first": 2, "last": 7, "all": 30}),
        ("alibi", 8, {"key": "every_head_sees", "count": 8}),
        ("alibi:heads=2", 5000, {"key": "head_sees_head", "head": 0, "count": 73, "far": 1, "most": 1178}),
        ("alibi:heads=3", 400, {"key": "head_sees_one", "head": 2, "count": 18, "first": 1, "all": 400}),
        ("alibi:heads=6", 30, {"key": "head_sees_some", "head": 4, "count": 9, "some": 4, "all": 30}),
        ("alibi:heads=1", 5000, {"key": "the_head_sees", "count": 1178}),
        ("kerple:r1=5,r2=1", 128, {"key": "the_head_sees", "count": 1}),
        ("t5", 40, {}),  # no bias is known
    ],
)
def test_heads_see_as_far_as_a_key_weighs_a_hundredth(encoding: str, length: int, said: dict[str, Any]) -> None:
    found, seen = numbers(encoding=encoding, length=length), 1 - np.log(100)
    said = said and {**said, "key": f"offsets.{said['key']}"}
    assert told(found.message(), said) == said
    if encoding == "t5":
        return
    bias = pecli.encoding(encoding).bias(np.arange(float(length)))
    assert found.reach == tuple(int(np.flatnonzero(own >= -np.log(100))[-1]) for own in bias)
    axes = drawn(encoding=encoding, length=length, dpi=60)
    dots = {float(line.get_xdata()[0]) for line in axes.lines if line.get_marker() == "o"}
    assert sorted(map(int, dots)) == sorted(reach for reach in found.reach if reach < length - 1)
    assert all(line.get_ydata() == pytest.approx([seen - 1]) for line in axes.lines if line.get_marker() == "o")
    numbered = {label.get_text() for label in labels_of(axes, PointLabel)}
    assert {f"{reach:,}" for reach in found.reach if reach < length - 1} <= numbered
    assert axes.get_ylim()[0] >= -10.5 or bias.min() > -10


@pytest.mark.long
@pytest.mark.parametrize("size", ["page", "column"])
def test_where_a_line_falls_to_half_has_a_dot_and_a_stem_and_what_comes_then_is_shaded(size: str) -> None:
    axes, found = page_of("offsets", length=128, measure="cos", size=size).axes[0], numbers(length=128, measure="cos")
    table = pecli.encode(length=128)
    similar = table @ table[0] / 64
    assert (found.half, found.half_value) == (46, pytest.approx(similar[46])) and similar[45] >= 0.5 > similar[46]
    assert found.later == pytest.approx((similar[46:].min(), similar[46:].max()))
    _, stem, dot = axes.lines
    assert dot.get_xydata()[0] == pytest.approx((46, similar[46]))
    assert stem.get_xydata().tolist() == [[46, 0], pytest.approx([46, similar[46]])]
    shade = axes.collections[-1].get_datalim(axes.transData)
    assert [shade.x0, shade.x1, shade.y0, shade.y1] == pytest.approx([46, 127, *found.later])
    half, later = say("offsets.half_at", offset=46, value="0.49"), say("offsets.from_here_on", low="0.36", high="0.55")
    assert texts(labels_of(axes, PointLabel)) == [half, later]


@pytest.mark.long
def test_the_widest_place_of_each_band_is_marked() -> None:
    encodings = ["sinusoidal:d=96", "binary:d=7", "learned:d=96"]
    axes = page_of("offsets", encoding=encodings, measure="cos", length=128).axes
    found = numbers(encoding=encodings, measure="cos", length=128)
    assert found.message() == say("figures.only_with_the_offset", names=say("encoding.the_encoding", name="sinusoidal"))
    assert len(axes[0].lines) == 1 and found.widest_at[0] is None
    for panel, spec, at, wide in zip(axes[1:], encodings[1:], found.widest_at[1:], found.spread[1:], strict=True):
        table = pecli.encode(spec, length=128)[1 if spec == "binary:d=7" else 0 :]
        rows = table / np.linalg.norm(table, axis=1)[:, None]
        ends = [np.diagonal(rows @ rows.T, -k) for k in range(len(rows))]
        widths = np.array([own.max() - own.min() for own in ends])
        assert (widths.max(), widths[at]) == pytest.approx((wide, wide))
        mark = panel.lines[1]
        assert [*mark.get_xdata()] == [at, at] and [*mark.get_ydata()] == pytest.approx(
            [ends[at].min(), ends[at].max()]
        )
        assert texts(labels_of(panel, PointLabel)) == [say("offsets.up_to_wide", width=f"{wide:.2g}")]


def biases(**options: Any) -> Any:
    return numbers_of("bias", **options)


@pytest.mark.some(4)
@pytest.mark.parametrize(("encoding", "options", "key", "numbers"), [
    ("alibi:heads=8", {"length": 1200}, "bias.each_head_sees_twice", {}),
    ("alibi:heads=16", {"length": 60, "head": [0, 1, 2]}, "bias.each_head_sees_times", {"ratio": "1.41"}),
    ("alibi:heads=8", {"length": 60, "head": [5, 0]}, "bias.head_sees_to_all",
     {"first": 0, "few": 9, "last": 5, "count": 60}),
    ("alibi:heads=12", {"length": 900}, "bias.head_sees_to_all",
     {"first": 8, "few": 6, "last": 7, "count": 900}),
    ("alibi:heads=2", {"length": 200}, "bias.head_sees_to_all",
     {"first": 0, "few": 73, "last": 1, "count": 200}),  # no two heads whose distances have a ratio
    ("alibi:heads=8", {"length": 60, "head": [1]}, "bias.beyond_distance_slight", {"last": 18}),
    ("alibi:heads=4", {"length": 9, "head": [2]}, "", {}),  # it sees all
    ("t5", {"length": 8}, "", {}),
    ("t5", {"length": 12}, "bias.beyond_distance_share", {"last": 7, "what": say("biases.bucket")}),
    ("t5:direction=causal", {"length": 30}, "bias.beyond_distance_share", {"last": 15, "what": say("biases.bucket")}),
])  # fmt: skip
def test_the_message_is_how_far_heads_see_or_what_distances_share(
    encoding: str, options: dict[str, Any], key: str, numbers: dict[str, Any]
) -> None:
    assert biases(encoding=encoding, **options).message() == (say(key, **numbers) if key else "")


def test_the_message_names_the_first_head_that_sees_all() -> None:
    until = say("bias.until_head_sees_all", head=3)
    assert biases(encoding="alibi:heads=8", length=60).message() == say("bias.each_head_sees_twice") + until


@pytest.mark.some(9)
@pytest.mark.parametrize(
    ("encoding", "back", "ahead"),
    [
        ("alibi:heads=8", [9, 18, 36, None], []),
        ("alibi:heads=8,direction=both", [9, 18, 36, None], [9, 18, 36, None]),
        ("t5", [7], [7]),
        ("t5:direction=causal", [15], []),
    ],
)
@pytest.mark.parametrize("size", ["page", "column"])
def test_lines_stand_beyond_the_last_distance_that_is_seen_or_has_its_bucket(
    encoding: str, back: list[int | None], ahead: list[int | None], size: str
) -> None:
    """And the title says how far, the mask is hatched."""
    options: Any = {"encoding": encoding, "length": 60, "start": 5, **({"head": [0, 1, 2, 6]} if len(back) > 1 else {})}
    page = page_of("bias", **options, size=size, dpi=40)
    panels = [axes for axes in page.axes if axes.images and axes.get_label() != "<colorbar>"]
    found = biases(**options)
    if len(back) > 1:
        assert found.seen == tuple(59 if last is None else last for last in back)
    for at, panel in enumerate(panels):
        beyond = [float(line.get_ydata()[0] - line.get_xdata()[0]) for line in panel.lines]
        wanted = [last + 0.5 for last in back[at : at + 1] if last is not None]
        assert beyond == wanted + [-(last + 0.5) for last in ahead[at : at + 1] if last is not None]
        hatched = [patch for patch in panel.patches if patch.get_hatch()]
        assert bool(hatched) == bool(np.isnan(found.bias).any())
        said = [label.get_text() for label in labels_of(panel, TitleLabel) if label.where == "end"]
        assert said == ([found.reach_text(at)] if len(back) > 1 else [])
    if len(back) > 1:
        each = np.exp(Alibi(heads=8).bias(np.arange(60.0))[[0, 1, 2, 6]])
        assert [(row >= 0.01).sum() - 1 for row in each] == list(found.seen)


@pytest.mark.long
@pytest.mark.parametrize("direction", ["both", "causal"])
def test_names_stand_in_the_bands_that_are_wide_enough(direction: str) -> None:
    page = page_of("bias", encoding=f"t5:direction={direction}", length=128, dpi=40)
    encoding = T5(direction=direction)
    labels = [label for label in labels_of(page.axes[0], BandLabel) if label.get_text()]
    assert {label.get_rotation() for label in labels} == {315.0}
    assert (len(labels) == 13) == (direction == "both") and labels
    for label in labels:
        column, row = label.xy
        between = encoding.bucket(np.arange(label.first, label.last + 1))
        assert row - column == (label.first + label.last) / 2 and row + column == 127
        if label.get_text() != say("bias.a_bucket_each", last=encoding.exact - 1):
            assert len({*between.tolist()}) == 1
    (small,) = page_of("bias", encoding="t5", length=128, size="2.6x2.6", dpi=40).axes[:1]
    assert sum(bool(label.get_text()) for label in labels_of(small, BandLabel)) < len(labels)


def test_heads_are_chosen_and_spread() -> None:
    drawn = numbers_of("bias", ((99, 99),), encoding="alibi:heads=16", length=5)
    assert drawn.heads.tolist() == [0, 2, 4, 6, 9, 11, 13, 15]
    assert biases(encoding="alibi:heads=16", length=5).heads.tolist() == list(range(16))  # for files
    assert biases(encoding="alibi:heads=8", length=5, head=[7, 2]).heads.tolist() == [7, 2]
    assert biases(encoding="t5", length=5).heads.tolist() == [0]
    with pytest.raises(UsageError, match=f"head=8 does not exist: {listing(['ALiBi', 'heads = 8'])} has heads 0 to 7"):
        biases(encoding="alibi:heads=8", head=[8])


@pytest.mark.parametrize("encoding", ["alibi:heads=2", "kerple:direction=both", "t5"])
@pytest.mark.parametrize(("length", "pixels", "size"), [(1, 9, 1), (7, 4, 2), (12, 3, 4), (13, 3, 5), (23, 4, 6)])
def test_a_pixel_is_the_mean_of_what_is_seen_in_it(encoding: str, length: int, pixels: int, size: int) -> None:
    every = biases(encoding=encoding, length=length).bias
    found = numbers_of("bias", ((pixels, 99),), encoding=encoding, length=length)
    expected, cuts = np.full(found.bias.shape, np.nan), range(0, length, size)
    for row, column in np.ndindex(expected.shape[1:]):
        block = every[:, cuts[row] : cuts[row] + size, cuts[column] : cuts[column] + size].reshape(len(every), -1)
        if not np.isnan(block).all():
            expected[:, row, column] = np.nanmean(block, axis=1)
    assert found.block == size and found.bias == pytest.approx(expected, abs=1e-12, nan_ok=True)


@pytest.mark.long
@pytest.mark.parametrize(
    ("heads", "options", "low"),
    [
        (2, {}, -39 / 16),
        (2, {"lowest": -1}, -1.0),
        (8, {}, -10.0),  # lower ones all look alike to a softmax
        (8, {"lowest": -20}, -20.0),
    ],
)
def test_all_panels_have_one_scale_that_can_be_cut(heads: int, options: dict[str, Any], low: float) -> None:
    options = {"encoding": f"alibi:heads={heads}", "length": 40, "dpi": 20, **options}
    images = [image for panel in panels_of("bias", **options) for image in panel.get_images()]
    assert len(images) == heads and {image.get_clim() for image in images} == {(low, 0.0)}


# attention


def test_a_bias_is_added_to_the_scores_and_a_causal_one_hides_later_keys() -> None:
    picture: Any = pecli.figure("attention", tokens="a b c a", encoding="alibi:heads=2,direction=both", head=1)
    positions = np.arange(4.0)
    bias = -np.abs(positions[:, None] - positions) / 256
    assert np.array_equal(picture.numbers.encoded, weights(picture.job.figure.content(16), bias))
    assert picture.numbers.difference_plain == 0
    found: Any = pecli.figure("attention", tokens="a b c a", encoding="alibi").numbers
    assert (found.encoded[np.triu_indices(4, 1)] == 0).all() and found.difference_encoded > 0


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"encoding": "t5"}, "t5 adds a learned bias; give its table: t5:file="),
        ({"encoding": "sinusoidal", "head": 0}, "selects the bias of a head, but sinusoidal has no biases"),
        ({"encoding": "alibi:heads=2", "head": 2}, "head=2 does not exist"),
    ],
)
def test_attention_refuses_what_has_no_bias(options: dict[str, Any], said: str) -> None:
    with pytest.raises(UsageError, match=said):
        pecli.figure("attention", tokens="a b c a", **options)


def test_on_a_log_axis_a_line_runs_up_to_where_its_band_begins() -> None:
    axes = page_of("offsets", encoding="alibi:heads=1", log=True, length=9000, size="3x2", dpi=40).axes[0]
    single, upper, lower = (line.get_xdata() for line in axes.lines[:3])
    assert single[:3].tolist() == [1, 2, 3] and single[-1] == upper[0] == lower[0]


def test_scores_of_random_vectors_are_drawn_of_more_offsets_than_are_compared() -> None:
    options: dict[str, Any] = {"encoding": "rope:d=4", "random": 9, "size": "3x2", "dpi": 20}
    assert page_of("offsets", length=2049, **options).axes
    assert pecli.figure("offsets", length=2049, **options).seen.message() == ""


@pytest.mark.long
def test_heads_that_see_all_positions_have_the_bias_of_the_farthest_key_in_a_corner() -> None:
    panels = page_of("bias", encoding="alibi:heads=8", lowest=-20).axes[:8]
    said = [[text.replace("−", "-") for text in texts(panel.texts)] for panel in panels]
    corners = [[float(text) for text in own if text[:1] == "-"] for own in said]
    assert corners[:5] == [[]] * 5
    assert corners[5:] == [[pytest.approx(-199 / 2**power, rel=0.05)] for power in (6, 7, 8)]


def test_the_panels_that_the_headline_names_are_marked() -> None:
    panels = page_of("offsets", encoding=["sinusoidal:d=8", "binary:d=6"], length=40).axes
    assert [getattr(panel, "named", False) for panel in panels] == [True, False]


def test_a_csv_file_of_a_learned_bias_has_no_column_for_a_reach_that_nobody_knows(ask: Any, folder: Any) -> None:
    assert ask("offsets", "t5", "-n", "9", "-o", "a.csv").code == 0
    header, first, *_ = (folder / "a.csv").read_text().splitlines()
    assert "reach" not in header and header.count(",") == first.count(",")
