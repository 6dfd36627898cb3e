"""Tokens, the vectors of words, second orders, products that no order changes, and labels that fit."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from matplotlib.figure import Figure as Drawing

import pecli
from pecli.analysis import View
from pecli.core.errors import PecliError, UsageError
from pecli.core.positions import Positions
from pecli.encodings.sinusoidal import Sinusoidal
from pecli.figures.attention import Attention
from pecli.figures.canvas import Canvas
from pecli.figures.page import draw_page
from pecli.figures.terms import Terms
from pecli.figures.tokens import EXAMPLES, fit_tokens, label_tokens, random_vector, read_order
from pecli.measures.attention import products

Ask = Callable[..., Any]


@pytest.mark.parametrize(("name", "sentence", "other"), [
    ("school", "你说我明天不去上学", "你说我明天去上学不"),
    ("like", "我喜欢你", "你喜欢我"),
])  # fmt: skip
def test_the_examples_are_the_articles_sentences(name: str, sentence: str, other: str) -> None:
    tokens, reordered = EXAMPLES[name]
    assert (tokens.replace(" ", ""), reordered.replace(" ", "")) == (sentence, other)
    assert sorted(tokens.split()) == sorted(reordered.split())
    assert all(word in Attention.options()["sentences"].help for word in (name, sentence[-2:]))


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({"tokens": ""}, "tokens='' holds no token"),
        ({"tokens": "a"}, "tokens=a holds one token, and order shows with two or more"),
        ({"tokens": "a\udcff b"}, "UTF-8"),
        ({"tokens": "a b", "sentences": "like"}, "exclude each other"),
        ({"sentences": "lik"}, "did you mean 'like'"),
        ({"content_scale": -1}, "content_scale="),
        ({"content_scale": "1e300"}, "content_scale="),
        ({"content_seed": -1}, "content_seed="),
        ({"length": 12}, "one position a token, 5 here: leave length=12 out"),
    ],
)
@pytest.mark.parametrize("figure", ["attention", "terms"])
def test_mistakes_are_named(figure: str, given: dict[str, object], said: str) -> None:
    with pytest.raises(UsageError, match=said):
        pecli.figure(figure, **given)


@pytest.mark.parametrize(
    ("text", "order"),
    [
        ("reverse", [4, 3, 2, 1, 0]),
        ("swap:1,4", [0, 4, 2, 3, 1]),
        ("swap:2,2", [0, 1, 2, 3, 4]),
        ("the dog bites the man", [0, 1, 2, 3, 4]),
        ("the man bites the  dog", [0, 4, 2, 3, 1]),
        ("man dog the the bites", [4, 1, 0, 3, 2]),
    ],
)
def test_a_second_order_in_three_ways(text: str, order: list[int]) -> None:
    assert read_order(text, ["the", "dog", "bites", "the", "man"]) == order


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("swap:1", "I and J from 0 to 4"),
        ("swap:1,5", "I and J from 0 to 4"),
        ("swap:-1,2", "I and J from 0 to 4"),
        ("swap:0,99999999999", "I and J from 0 to 4"),
        ("revers", "lacks the the dog bites man and adds revers"),
        ("the dog bites man", "this one lacks the$"),
        ("the dog bites the man man", "this one adds man$"),
        ("", "lacks"),
    ],
)
def test_what_is_no_second_order_is_refused(text: str, said: str) -> None:
    with pytest.raises(UsageError, match=said):
        read_order(text, ["the", "dog", "bites", "the", "man"])
    with pytest.raises(UsageError, match="reorder"):
        pecli.figure("attention", tokens="the dog bites the man", reorder=text)


def labels(words: list[str], size: float) -> tuple[list[str], list[str], float]:
    axes = Drawing(figsize=(size, size), dpi=50).add_axes((0, 0, 1, 1))
    label_tokens(axes, words, words, "query", "key")
    fit_tokens(axes, 7)
    below = axes.get_xticklabels()
    return (
        [text.get_text() for text in below],
        [text.get_text() for text in axes.get_yticklabels()],
        float(below[0].get_rotation()),
    )


def test_a_panel_grows_with_its_tokens_and_a_size_that_cannot_hold_them_is_refused() -> None:
    words = " ".join(map(str, range(16)))
    with pytest.raises(UsageError, match=r"size.*5x3.* is too small .* it takes"):
        pecli.figure("attention", tokens=words, size="5x3", dpi=30).render("png")
    drawing, _ = draw_page(Terms(tokens=words), View((Sinusoidal(d=8),), Positions(length=16)), Canvas(dpi=30), "")
    assert drawing.get_figheight() > 9  # one panel below the other


def test_a_line_says_that_chinese_was_cut(ask: Ask) -> None:
    cut, spaced = (
        ask("attention", "--tokens", text, "--reorder", order, "--dpi", "20", "-o", "a.png")
        for text, order in (("我喜欢吃苹果", "苹果我喜欢吃"), ("我 喜欢 吃 苹果", "苹果 我 喜欢 吃"))
    )
    assert cut.code == spaced.code == 0
    assert "tokens without spaces are cut by character, 6 here: put spaces between words" in cut.err
    assert "cut" not in spaced.err


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({}, "the dog bites the man"),
        ({"sentences": "like"}, "我 喜欢 你"),
        ({"tokens": " to  be\tor　not "}, "to be or not"),
        ({"tokens": "我喜欢吃苹果"}, "我 喜 欢 吃 苹 果"),  # without spaces by character
        ({"tokens": "我喜欢GPT"}, "我 喜 欢 GPT"),
        ({"tokens": "我 喜欢 吃 苹果"}, "我 喜欢 吃 苹果"),
    ],
)
def test_words_are_those_of_an_example_or_between_blanks(options: dict[str, Any], words: str) -> None:
    assert " ".join(Terms(**options).words) == words
    assert {*words.split()} == {*Attention(**options).texts()}  # which need fonts


@pytest.mark.parametrize("figure", ["attention", "terms"])
@pytest.mark.parametrize("given", [{}, {"length": 5}, {"start": 3}, {"start": -5, "length": 5}])
def test_there_is_one_position_a_token_from_the_start_on(figure: str, given: dict[str, int]) -> None:
    picture = pecli.figure(figure, **given)
    start = given.get("start", 0)
    assert picture.job.seen_view.positions == Positions(length=5, start=start)
    assert picture.title().endswith(f"; positions {start} to {start + 4}".replace("-", "−")) == (start != 0)


def test_a_word_has_one_vector_of_its_own_whatever_stands_beside_it() -> None:
    mine, theirs = (Terms(tokens=tokens).content(11) for tokens in ("dog bites dog", "a cat sees the dog"))
    assert np.array_equal(mine[0], mine[2]) and np.array_equal(mine[0], theirs[4])
    assert not np.array_equal(mine[0], mine[1])
    assert not np.array_equal(mine, Terms(tokens="dog bites dog", content_seed=1).content(11))
    vectors = np.array([random_vector(seed, word, 4001) for seed in (0, 1) for word in ("我", "你", "ab", "ba")])
    assert products(vectors, vectors) / 4001 == pytest.approx(np.eye(8), abs=0.08)


def test_a_file_gives_a_row_for_each_different_token_in_order_of_appearance(folder: Path) -> None:
    np.save("words.npy", np.arange(10.0).reshape(2, 5))
    content = Terms(tokens="a b a", embeddings="words.npy", content_scale=2).content(5)
    assert content.tolist() == [[0, 2, 4, 6, 8], [10, 12, 14, 16, 18], [0, 2, 4, 6, 8]]


@pytest.mark.parametrize("figure", ["attention", "terms"])
@pytest.mark.parametrize(
    ("table", "said"),
    [
        (np.ones((3, 5)), "3 × 5 numbers and 2 × 5 are needed, a row for each different token"),
        (np.ones((2, 7)), "try d=7"),
        (np.full((2, 5), 1e200), "too large"),
    ],
)
def test_embeddings_that_do_not_fit_are_refused(folder: Path, figure: str, table: Any, said: str) -> None:
    np.save("words.npy", table)
    with pytest.raises(PecliError, match=said):
        _ = pecli.figure(figure, tokens="a b a", d=5, embeddings="words.npy").numbers


@pytest.mark.parametrize(("count", "width"), [(2, 1), (7, 3), (31, 17), (53, 129)])
def test_products_are_the_matrix_product_with_the_same_bits_in_any_order(count: int, width: int) -> None:
    random = np.random.default_rng(count)
    rows, order = random.standard_normal((count, width)), random.permutation(count)
    assert products(rows, rows[:2]) == pytest.approx(rows @ rows[:2].T, abs=1e-12)
    assert np.array_equal(products(rows[order], rows[order]), products(rows, rows)[np.ix_(order, order)])


def test_tokens_without_room_are_turned_stacked_or_shortened_but_never_left_out() -> None:
    assert labels(["I", "like", "you"], 5) == (["I", "like", "you"], ["I", "like", "you"], 0)
    assert labels(["extraordinary"] * 7, 3)[2] == 90
    below, beside, rotation = labels(["明天"] * 11, 2.5)
    assert (set(below), set(beside), rotation) == ({"明\n天"}, {"明天"}, 0)
    assert {text[-1] for text in labels(["x" * 99] * 3, 4)[1]} == {"…"}
    numbers = [str(i) for i in range(101)]
    assert labels(numbers, 4)[:2] == (numbers, numbers)


@pytest.mark.parametrize("figure", ["attention", "terms"])
def test_tokens_are_drawn_as_they_are_never_as_formulas(figure: str) -> None:
    assert pecli.figure(figure, tokens="$\\foo$ $ {x}_y", dpi=20).render("png")
