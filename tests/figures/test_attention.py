"""Attention in two orders: the weights are a softmax, and order is invisible without an encoding."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import pecli
from pecli.core.errors import UsageError
from pecli.core.numbers import bound_text
from pecli.encodings.base import Additive
from pecli.encodings.rope import Rope
from pecli.figures.attention import Attention, AttentionNumbers
from pecli.measures.attention import products, weights
from tests.drawing import panels_of

ADDED = ["sinusoidal:d=7", "clock", "geometric:d=8", "binary", "learned:d=5"]
EVERY = [*ADDED, "rope:d=6", "rope:d=6,pairing=half"]
LONG = "the dog bites the man while the cat watches the bird on the other side of the street"


def made(**options: object) -> AttentionNumbers:
    numbers = pecli.figure("attention", **options).numbers
    assert isinstance(numbers, AttentionNumbers)
    return numbers


def test_the_weights_are_a_softmax_of_scores() -> None:
    x = np.random.default_rng(3).standard_normal((11, 7))
    raised = np.exp(x @ x.T / np.sqrt(7))
    assert weights(x) == pytest.approx(raised / raised.sum(axis=1, keepdims=True), abs=1e-14)


@pytest.mark.parametrize("encoding", EVERY)
def test_every_row_sums_to_one_in_every_panel(encoding: str) -> None:
    arrays = made(encoding=encoding, tokens=LONG).arrays()
    for name in ("plain", "reordered_plain", "encoded", "reordered_encoded"):
        assert arrays[name].shape == (18, 18)
        assert (arrays[name] > 0).all()
        assert arrays[name].sum(axis=1) == pytest.approx(np.ones(18), abs=1e-14)


@pytest.mark.parametrize("d", [1, 2, 7, 16, 128, 257])
@pytest.mark.parametrize("tokens", [None, LONG, "a a b"])
def test_without_the_encoding_the_second_is_exactly_the_first_permuted(d: int, tokens: str | None) -> None:
    for seed in range(3):
        numbers = made(d=d, tokens=tokens, content_seed=seed, reorder="reverse")
        order = numbers.order
        assert np.array_equal(numbers.reordered_plain, numbers.plain[np.ix_(order, order)])
        assert numbers.facts()["difference_plain"] == 0.0


@pytest.mark.parametrize("encoding", EVERY)
def test_with_the_encoding_it_is_not(encoding: str) -> None:
    numbers = made(encoding=encoding)
    order = numbers.order
    largest = np.abs(numbers.reordered_encoded - numbers.encoded[np.ix_(order, order)]).max()
    assert numbers.facts()["difference_encoded"] == largest > 1e-4


def test_a_second_order_that_is_the_first_differs_nowhere() -> None:
    numbers = made(reorder="swap:2,2")
    assert (numbers.difference_plain, numbers.difference_encoded, numbers.message()) == (0, 0, "")


def test_the_examples_second_sentence_is_the_default() -> None:
    assert " ".join(made().facts()["reordered_tokens"]) == "the man bites the dog"
    assert "".join(made(sentences="school").facts()["reordered_tokens"]) == "你说我明天去上学不"
    assert made(sentences="like").reordered_tokens == ("你", "喜欢", "我")
    assert made(tokens="a b c").reordered_tokens == ("c", "b", "a")


@pytest.mark.parametrize("encoding", ADDED)
def test_additive_encodings_are_added(encoding: str) -> None:
    numbers = made(encoding=encoding, start=4)
    one = numbers.view.encoding
    assert isinstance(one, Additive)
    x = Attention().content(one.width) + one.table(np.arange(4.0, 9.0))
    assert np.array_equal(numbers.encoded, weights(x))


@pytest.mark.parametrize("pairing", ["interleaved", "half"])
def test_rope_turns_so_that_the_start_does_not_matter(pairing: str) -> None:
    numbers, later = (made(encoding=f"rope:d=6,pairing={pairing}", start=start) for start in (0, 1009))
    assert later.encoded == pytest.approx(numbers.encoded, abs=1e-13)
    x = Rope(d=6, pairing=pairing).rotate(Attention().content(6), np.arange(5.0))
    assert np.array_equal(numbers.encoded, weights(x))
    assert np.diag(products(x, x)) == pytest.approx(np.sum(Attention().content(6) ** 2, axis=1))


def test_offsets_have_no_position_to_add() -> None:
    with pytest.raises(UsageError, match=r"attention cannot show relative: .*try .*relative"):
        pecli.figure("attention", encoding="relative")


def panels(**options: object) -> tuple[AttentionNumbers, list[Any]]:
    return made(**options), panels_of("attention", **options)


def test_weights_share_limits_and_colours_and_so_do_their_changes() -> None:
    numbers, drawn = panels(sentences="like")
    images = [one.get_images()[0] for one in drawn]
    weights, changes = [images[at] for at in (0, 1, 3, 4)], [images[at] for at in (2, 5)]
    largest = max(array.max() for array in list(numbers.arrays().values())[:4])
    assert {image.get_clim() for image in weights} == {(0, largest)}
    assert {image.get_cmap().name for image in weights} == {"viridis"}
    assert {image.get_clim() for image in changes} == {(-numbers.difference_encoded, numbers.difference_encoded)}
    assert {image.get_cmap().name for image in changes} == {"RdBu_r"}


@pytest.mark.parametrize("tokens", [None, LONG])
def test_the_second_order_is_put_back_before_it_is_shown(tokens: str | None) -> None:
    numbers, drawn = panels(tokens=tokens, reorder=None if tokens is None else "swap:1,4")
    given, back, change, encoded, encoded_back, encoded_change = (
        np.asarray(one.get_images()[0].get_array()) for one in drawn
    )
    assert np.array_equal(given, numbers.plain) and np.array_equal(encoded, numbers.encoded)
    assert np.array_equal(given, back) and not change.any()
    assert np.array_equal(encoded_change, encoded_back - encoded)
    assert np.array_equal(encoded_back[np.ix_(numbers.order, numbers.order)], numbers.reordered_encoded)


def test_the_difference_is_printed_in_the_picture() -> None:
    numbers, drawn = panels(sentences="like")
    titles = [one.get_title() for one in drawn]
    assert titles[:3] == ["as given", "reordered", "no change"]
    assert [one.title.get_visible() for one in drawn] == [True] * 3 + [False] * 2 + [True]  # once a column
    assert {text.get_text() for text in drawn[2].texts} == {"0"}
    _, blank = panels(sentences="like", no_numbers=True)
    assert [text.get_text() for one in blank for text in one.texts] == ["nothing\nchanges"]
    assert titles[5] == f"|change| ≤ {bound_text(numbers.difference_encoded, 3)}"
    assert [drawn[at].get_ylabel() for at in (0, 3)] == ["no encoding\nquery p", "sinusoidal\nquery p"]
    assert numbers.caption().startswith("reordered: 你 喜欢 我, shown in the order as given")
    assert numbers.message() == "without an encoding, order does not count; with sinusoidal it does"


def test_tokens_stand_on_the_axes_in_the_order_given() -> None:
    _, drawn = panels(tokens="x y z", reorder="swap:0,1")
    beside = [[text.get_text() for text in one.get_yticklabels()] for one in drawn]
    below = [[text.get_text() for text in one.get_xticklabels()] for one in drawn[3:]]
    assert beside == [["x", "y", "z"], [], []] * 2  # once a row
    assert below == [["x", "y", "z"]] * 3
    shown = [one.xaxis.get_tick_params()["labelbottom"] for one in drawn]
    assert shown == [False] * 3 + [True] * 3  # those of the panels above are the same
