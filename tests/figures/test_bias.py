"""Pictures of biases: a matrix a head under one scale, lines against the offset, and weights with a bias."""

from __future__ import annotations

from typing import Any

import matplotlib as mpl
import numpy as np
import pytest
from matplotlib.axes import Axes
from matplotlib.colors import to_rgb
from matplotlib.figure import Figure as Drawing

import pecli
from pecli.analysis import View
from pecli.core.errors import UsageError
from pecli.core.positions import Blocks, Positions
from pecli.encodings.biases import T5, Alibi
from pecli.figures.bias import Bias, means_where_seen
from pecli.figures.canvas import Canvas
from pecli.figures.colors import APART, lightness
from pecli.figures.labels import LineLabel, labels_of
from pecli.figures.panels import width_of
from pecli.figures.style import style_context
from pecli.measures.attention import weights
from pecli.measures.reduce import means_of_offsets, means_of_signed_offsets


def line_labels(axes: Any) -> list[str]:
    return [" ".join(label.get_text().split()) for label in labels_of(axes, LineLabel)]


def numbers(**options: Any) -> Any:
    return pecli.figure("bias", **options).numbers


def test_an_entry_is_the_bias_of_its_query_and_key() -> None:
    found = numbers(encoding="alibi:heads=4,direction=both", length=7, start=3)
    assert found.bias.shape == (4, 7, 7)
    offsets = found.positions[:, None] - found.positions
    expected = Alibi(heads=4, direction="both").bias(offsets.reshape(-1)).reshape(4, 7, 7)
    assert np.array_equal(found.bias, expected)
    assert found.caption() == ""


def test_keys_that_are_not_seen_are_left_blank() -> None:
    found = numbers(encoding="alibi", length=5)
    assert np.array_equal(np.isnan(found.bias[0]), np.triu(np.ones((5, 5), dtype=bool), 1))
    assert "blank: keys that a query does not see" in found.caption()


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({}, True),
        ({"head": [1, 0]}, False),
        ({"head": [2]}, False),
        ({"encoding": "t5"}, False),
        ({"lowest": -0.001}, False),  # all look alike then
    ],
)
def test_heads_look_farther_where_each_does_than_the_one_before(options: dict[str, Any], said: bool) -> None:
    assert ("farther back" in numbers(**{"encoding": "alibi", "length": 9, **options}).message()) == said


def test_how_far_heads_look_is_said_where_that_is_less_than_all() -> None:
    """Where the bias is as low as the colours go: -x/4 is -10 at 40, -x/16 at 160."""
    found = {length: numbers(encoding="alibi:heads=4", length=length, head=[0, 1]) for length in (161, 162, 999)}
    assert found[999].message().endswith(": 40 to 160 of 999 positions") and found[999].reach == (40, 160)
    assert ": 40 to 160 of 162" in found[162].message() and ":" not in found[161].message()
    assert numbers(encoding="alibi:heads=4", length=99, head=[0, 1], lowest=-2).reach == (8, 32)
    tiny = pecli.figure("bias", encoding="alibi:heads=4", head=0, length=9999, size="2x2", dpi=20)
    assert "narrower than a pixel" in tiny.caption()


@pytest.mark.parametrize(("length", "said"), [(8, False), (12, True), (100, True)])
def test_buckets_say_which_offsets_they_tell_apart(length: int, said: bool) -> None:
    message = pecli.figure("bias", encoding="t5", length=length, size="2x2", dpi=30).seen.message()
    assert message.startswith("each distance up to 7 has a bucket of its own") == said


def test_it_is_said_how_many_heads_are_shown_where_not_all_are() -> None:
    assert "8 of 16 heads" in numbers(encoding="alibi:heads=16", length=5).caption()
    assert "heads" not in numbers(encoding="alibi:heads=8", length=5).caption()


@pytest.mark.parametrize("encoding", ["alibi", "kerple"])
def test_what_is_blank_is_told_from_what_is_dark(encoding: str) -> None:
    ends = []
    for style in ("default", "dark_background"):
        picture = pecli.figure("bias", encoding=encoding, length=9, style=style, dpi=20)
        with style_context(picture.job.canvas):
            image = picture._drawing().axes[0].images[0]
        ends.append(lightness(image.cmap(np.array([0.0, 1.0]))).tolist())
    assert ends[0] == lightness(mpl.colormaps["viridis"](np.array([0.0, 1.0]))).tolist()
    assert ends[1][0] >= APART and ends[1][1] == ends[0][1]


def test_heads_are_chosen_and_spread() -> None:
    assert numbers(encoding="alibi:heads=8", length=5).heads.tolist() == list(range(8))
    assert numbers(encoding="alibi:heads=16", length=5).heads.tolist() == [0, 2, 4, 6, 9, 11, 13, 15]
    assert numbers(encoding="alibi:heads=8", length=5, head=[7, 2]).heads.tolist() == [7, 2]
    assert numbers(encoding="t5", length=5).heads.tolist() == [0]
    with pytest.raises(UsageError, match="head=8 does not exist: alibi, heads 8 has heads 0 to 7"):
        numbers(encoding="alibi:heads=8", head=[8])


def test_all_panels_have_one_scale_that_can_be_cut() -> None:
    picture = pecli.figure("bias", encoding="alibi:heads=2", length=40, lowest=-1)
    axes = Drawing(dpi=20).subplots()
    picture.draw(axes)
    images = [image for panel in [axes, *axes.child_axes] for image in panel.get_images()]
    assert len(images) == 2
    assert {image.get_clim() for image in images} == {(-1.0, 0.0)}
    assert "colours end at −1" in picture.numbers.caption()
    assert numbers(encoding="alibi:heads=2", length=40).limits() == (-39 / 16, 0.0)


def test_colours_are_for_what_a_softmax_can_tell_apart() -> None:
    found = numbers(encoding="alibi:heads=8", length=40)
    assert found.bias[0, 39, 0] == -19.5 and found.limits() == (-10.0, 0.0)
    assert "colours end at −10" in found.caption()
    assert numbers(encoding="alibi:heads=8", length=40, lowest=-20).limits() == (-20.0, 0.0)


def rows_of(run: np.ndarray[Any, Any], length: int) -> np.ndarray[Any, Any]:
    steps = np.arange(length)
    return run[steps[:, None] - steps + length - 1]


@pytest.mark.parametrize(("length", "size"), [(1, 1), (7, 1), (7, 2), (12, 4), (13, 5), (5, 5), (23, 7)])
def test_block_means_are_means_of_what_is_seen(length: int, size: int) -> None:
    run = np.random.default_rng(length).normal(size=2 * length - 1)
    blocks, cuts = Blocks(0, length, size), range(0, length, size)

    def brute(values: np.ndarray[Any, Any]) -> list[list[float]]:
        return [[float(np.nanmean(values[i : i + size, j : j + size])) for j in cuts] for i in cuts]

    assert means_of_signed_offsets(run, blocks) == pytest.approx(np.array(brute(rows_of(run, length))), abs=1e-13)
    symmetric = np.concatenate([run[: length - 1], run[length - 1 :: -1]])
    assert means_of_signed_offsets(symmetric, blocks) == pytest.approx(
        means_of_offsets(run[length - 1 :: -1], blocks), abs=1e-13
    )
    causal = np.where(np.arange(1 - length, length) < 0, -np.inf, run)
    found = means_where_seen(causal, blocks)
    hidden = np.triu(np.ones(found.shape, dtype=bool), 1)
    assert np.array_equal(np.isnan(found), hidden)
    seen = np.where(np.isfinite(rows_of(causal, length)), rows_of(causal, length), np.nan)
    lower = [[float(np.nanmean(seen[i : i + size, j : j + size])) for j in cuts if j <= i] for i in cuts]
    assert found[~hidden] == pytest.approx(np.concatenate(lower), abs=1e-13)


# offsets


def test_offsets_of_a_bias_is_a_line_a_head() -> None:
    found: Any = pecli.figure("offsets", encoding=["alibi:heads=3", "kerple:r1=1,r2=1"], length=9).numbers
    assert found.bias.shape == (4, 9)
    assert np.array_equal(found.bias[:3], Alibi(heads=3).bias(np.arange(9.0)))
    assert found.encoding.tolist() == [0, 0, 0, 1]
    assert found.head.tolist() == [0, 1, 2, 0]


def test_offsets_shows_both_sides_where_some_head_sees_them() -> None:
    found: Any = pecli.figure("offsets", encoding="t5", length=9).numbers
    assert found.offsets.tolist() == list(range(-8, 9))
    assert np.array_equal(found.bias[0], T5().bucket(np.arange(-8.0, 9.0)))
    found = pecli.figure("offsets", encoding="t5", length=9, log=True).numbers
    assert found.offsets.tolist() == list(range(1, 9))


def test_a_head_that_sees_one_side_has_no_line_on_the_other() -> None:
    found: Any = pecli.figure("offsets", encoding=["alibi:heads=1,direction=both", "kerple:r2=1"], length=4).numbers
    assert found.offsets.tolist() == list(range(-3, 4))
    assert np.isfinite(found.bias[0]).all()
    assert np.isnan(found.bias[1]).tolist() == [True] * 3 + [False] * 4


def test_lines_are_named_by_their_heads() -> None:
    axes = Drawing(dpi=20).subplots()
    pecli.figure("offsets", encoding="alibi:heads=3", length=9).draw(axes)
    panel = axes.child_axes[0] if axes.child_axes else axes
    assert isinstance(panel, Axes)
    assert line_labels(panel) == [
        "head 0, slope 1/16",
        "head 1, slope 1/256",
        "head 2, slope 1/4",
    ]


def test_of_many_heads_the_ends_are_named_and_colours_run_in_their_order() -> None:
    picture = pecli.figure("offsets", encoding="alibi:heads=32", length=9, dpi=40)
    with style_context(picture.job.canvas):
        (axes,) = picture._drawing().axes
    assert [label.line for label in labels_of(axes, LineLabel)] == [
        0,
        31,
    ] and "the first and the last named" in picture.caption()
    light = [sum(to_rgb(line.get_color())) for line in axes.get_lines()]
    assert len(light) == 32 and light == sorted(light)


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"encoding": ["alibi", "rope"]}, "a bias and a measure of vectors are not on one scale"),
        ({"encoding": ["alibi", "t5"]}, "a bias and a bucket are not on one scale"),
        ({"encoding": "alibi", "measure": "cos"}, "compares vectors, and alibi is a bias"),
        ({"encoding": "alibi", "decay": True}, "decay needs frequencies and alibi has none"),
    ],
)
def test_what_has_no_common_scale_is_refused(options: dict[str, Any], said: str) -> None:
    with pytest.raises(UsageError, match=said):
        pecli.figure("offsets", **options)


# attention


def attention(**options: Any) -> Any:
    return pecli.figure("attention", tokens="a b c a", **options)


def test_a_bias_is_added_to_the_scores() -> None:
    picture = attention(encoding="alibi:heads=2,direction=both", head=1)
    content = picture.job.figure.content(16)
    positions = np.arange(4.0)
    bias = -np.abs(positions[:, None] - positions) / 256
    assert np.array_equal(picture.numbers.encoded, weights(content, bias))
    assert picture.numbers.difference_plain == 0


def test_a_causal_bias_hides_the_keys_after_the_query() -> None:
    found = attention(encoding="alibi").numbers
    assert (found.encoded[np.triu_indices(4, 1)] == 0).all()
    assert found.encoded.sum(axis=1) == pytest.approx(1)
    assert found.difference_encoded > 0


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"encoding": "t5"}, "t5 adds what is learned: give its table, t5:file="),
        ({"encoding": "sinusoidal", "head": 0}, "chooses a head's bias, and sinusoidal has none"),
        ({"encoding": "alibi:heads=2", "head": 2}, "head=2 does not exist"),
    ],
)
def test_attention_refuses_what_has_no_bias(options: dict[str, Any], said: str) -> None:
    with pytest.raises(UsageError, match=said):
        attention(**options)


def test_colours_end_where_they_do_without_means() -> None:
    seen: Any = pecli.figure("bias", encoding="alibi:heads=2", length=900, dpi=30).seen
    assert seen.block > 1 and seen.ends[1] == seen.largest == 0 and np.nanmax(seen.bias) < 0


@pytest.mark.parametrize(("heads", "grids"), [(8, (4, 2, 1, 8)), (6, (3, 2, 1, 6)), (5, (3, 2, 1, 4, 5)), (1, (1,))])
def test_heads_stand_in_full_rows_where_there_are_such(heads: int, grids: tuple[int, ...]) -> None:
    (group,) = Bias().panel_groups(View((Alibi(heads=heads),), Positions(length=9)), Canvas())
    assert tuple(map(width_of, group.grids)) == grids
