"""Pictures of biases: a matrix a head under one scale, lines against the offset, and weights with a bias."""

from __future__ import annotations

from typing import Any

import matplotlib as mpl
import numpy as np
import pytest

import pecli
from pecli.analysis import View
from pecli.core.errors import UsageError
from pecli.core.positions import Blocks, Positions
from pecli.encodings.biases import Alibi
from pecli.figures.bias import Bias, means_where_seen
from pecli.figures.canvas import Canvas
from pecli.figures.colors import APART, lightness
from pecli.figures.panels import width_of
from pecli.measures.attention import weights
from pecli.measures.reduce import means_of_offsets, means_of_signed_offsets
from tests.drawing import page_of, panels_of


def numbers(**options: Any) -> Any:
    return pecli.figure("bias", **options).numbers


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


def test_heads_are_chosen_and_spread() -> None:
    assert numbers(encoding="alibi:heads=8", length=5).heads.tolist() == list(range(8))
    assert numbers(encoding="alibi:heads=16", length=5).heads.tolist() == [0, 2, 4, 6, 9, 11, 13, 15]
    assert numbers(encoding="alibi:heads=8", length=5, head=[7, 2]).heads.tolist() == [7, 2]
    assert numbers(encoding="t5", length=5).heads.tolist() == [0]
    with pytest.raises(UsageError, match="head=8 does not exist: alibi, heads 8 has heads 0 to 7"):
        numbers(encoding="alibi:heads=8", head=[8])


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


# attention


@pytest.mark.parametrize(("heads", "grids"), [(8, (4, 2, 1, 8)), (6, (3, 2, 1, 6)), (5, (3, 2, 1, 4, 5)), (1, (1,))])
def test_heads_stand_in_full_rows_where_there_are_such(heads: int, grids: tuple[int, ...]) -> None:
    (group,) = Bias().panel_groups(View((Alibi(heads=heads),), Positions(length=9)), Canvas())
    assert tuple(map(width_of, group.grids)) == grids


def test_an_entry_is_the_bias_of_its_query_and_key_and_what_is_not_seen_is_blank() -> None:
    found = numbers(encoding="alibi:heads=4,direction=both", length=7, start=3)
    offsets = found.positions[:, None] - found.positions
    expected = Alibi(heads=4, direction="both").bias(offsets.reshape(-1)).reshape(4, 7, 7)
    assert np.array_equal(found.bias, expected)
    causal = numbers(encoding="alibi:heads=16", length=5)
    assert np.array_equal(np.isnan(causal.bias[0]), np.triu(np.ones((5, 5), dtype=bool), 1))
    assert found.caption() == ""
    assert "8 of 16 heads" in causal.caption() and "blank: keys that a query does not see" in causal.caption()


@pytest.mark.parametrize("encoding", ["alibi", "kerple"])
def test_what_is_blank_is_told_from_what_is_dark(encoding: str) -> None:
    pages = [page_of("bias", encoding=encoding, length=9, style=one, dpi=20) for one in ("default", "dark_background")]
    light, dark = (lightness(page.axes[0].images[0].cmap(np.array([0.0, 1.0]))) for page in pages)
    assert light.tolist() == lightness(mpl.colormaps["viridis"](np.array([0.0, 1.0]))).tolist()
    assert dark[0] >= APART and dark[1] == light[1]


@pytest.mark.parametrize(
    ("heads", "options", "limits"),
    [
        (2, {}, (-39 / 16, 0.0)),
        (2, {"lowest": -1}, (-1.0, 0.0)),
        (8, {}, (-10.0, 0.0)),  # lower ones all look alike to a softmax
        (8, {"lowest": -20}, (-20.0, 0.0)),
    ],
)
def test_all_panels_have_one_scale_that_can_be_cut(heads: int, options: dict[str, Any], limits: Any) -> None:
    options = {"encoding": f"alibi:heads={heads}", "length": 40, **options}
    images = [image for panel in panels_of("bias", **options) for image in panel.get_images()]
    assert len(images) == heads and {image.get_clim() for image in images} == {limits}
    cut = f"colours end at {limits[0]:g}".replace("-", "−")
    assert (cut in numbers(**options).caption()) == (limits[0] > -39 * 0.5 and limits[0] != -39 / 16)


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
        ({"encoding": "t5"}, "t5 adds what is learned: give its table, t5:file="),
        ({"encoding": "sinusoidal", "head": 0}, "chooses a head's bias, and sinusoidal has none"),
        ({"encoding": "alibi:heads=2", "head": 2}, "head=2 does not exist"),
    ],
)
def test_attention_refuses_what_has_no_bias(options: dict[str, Any], said: str) -> None:
    with pytest.raises(UsageError, match=said):
        pecli.figure("attention", tokens="a b c a", **options)
