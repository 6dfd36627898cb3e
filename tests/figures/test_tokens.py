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
from pecli.jobs.job import Job
from pecli.measures.attention import products

Ask = Callable[..., Any]
FILES = {"tokens": "a b a", "d": 5}


@pytest.mark.parametrize(("name", "sentence", "other"), [
    ("school", "你说我明天不去上学", "你说我明天去上学不"),
    ("like", "我喜欢你", "你喜欢我"),
])  # fmt: skip
def test_the_examples_are_the_articles_sentences(name: str, sentence: str, other: str) -> None:
    tokens, reordered = EXAMPLES[name]
    assert (tokens.replace(" ", ""), reordered.replace(" ", "")) == (sentence, other)
    assert sorted(tokens.split()) == sorted(reordered.split())
    assert all(word in Attention.options()["sentences"].help for word in (name, sentence[-2:]))


def test_the_first_articles_sentences_are_the_default() -> None:
    assert " ".join(Terms().words) == "the dog bites the man"
    assert Terms(sentences="like").words == ("我", "喜欢", "你")
    assert Terms(tokens=" to  be\tor　not ").words == ("to", "be", "or", "not")


def test_the_same_word_has_the_same_vector_whatever_stands_beside_it() -> None:
    mine = Terms(tokens="dog bites dog").content(11)
    theirs = Terms(tokens="a cat sees the dog").content(11)
    assert np.array_equal(mine[0], mine[2]) and np.array_equal(mine[0], theirs[4])
    assert not np.array_equal(mine[0], mine[1])
    assert not np.array_equal(mine, Terms(tokens="dog bites dog", content_seed=1).content(11))


def test_different_words_and_seeds_have_independent_vectors() -> None:
    vectors = [random_vector(seed, word, 4001) for seed in (0, 1) for word in ("我", "你", "ab", "ba")]
    gram = products(np.array(vectors), np.array(vectors)) / 4001
    assert gram == pytest.approx(np.eye(8), abs=0.08)


def test_an_embeddings_score_with_itself_is_about_one() -> None:
    content = Terms(tokens=" ".join(map(str, range(97)))).content(128)
    assert np.mean(np.sum(content**2, axis=1) / np.sqrt(128)) == pytest.approx(1, abs=0.05)


def test_the_scale_multiplies() -> None:
    assert Terms(content_scale=3).content(7) == pytest.approx(3 * Terms().content(7))
    assert not Terms(content_scale=0).content(7).any()


def test_a_file_gives_a_row_for_each_different_token_in_order_of_appearance(folder: Path) -> None:
    np.save("words.npy", np.arange(10.0).reshape(2, 5))
    content = Terms(tokens="a b a", embeddings="words.npy", content_scale=2).content(5)
    assert content.tolist() == [[0, 2, 4, 6, 8], [10, 12, 14, 16, 18], [0, 2, 4, 6, 8]]


@pytest.mark.parametrize("figure", ["attention", "terms"])
@pytest.mark.parametrize(
    ("shape", "said"),
    [((3, 5), "3 × 5 numbers and 2 × 5 are needed, a row for each different token"), ((2, 7), "try d=7")],
)
def test_embeddings_of_another_size_are_refused(folder: Path, figure: str, shape: tuple[int, int], said: str) -> None:
    np.save("words.npy", np.ones(shape))
    with pytest.raises(UsageError, match=said):
        _ = pecli.figure(figure, tokens="a b a", d=5, embeddings="words.npy").numbers


@pytest.mark.parametrize("file", ["", "words.npy", "words.txt"])
def test_embeddings_that_are_not_there_are_refused(folder: Path, file: str) -> None:
    with pytest.raises(UsageError):
        _ = pecli.figure("terms", embeddings=file).numbers


def test_numbers_too_large_to_multiply_are_an_error_not_nan(folder: Path) -> None:
    np.save("words.npy", np.full((2, 5), 1e150))
    with pytest.raises(PecliError, match="too large"):
        _ = pecli.figure("attention", tokens="a b a", d=5, embeddings="words.npy", content_scale=1e6).numbers


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


@pytest.mark.parametrize("figure", ["attention", "terms"])
@pytest.mark.parametrize("given", [{}, {"length": 5}, {"start": 3}, {"start": -5, "length": 5}])
def test_there_is_one_position_a_token_from_the_start_on(figure: str, given: dict[str, int]) -> None:
    positions = Job.make(figure, given).seen_view.positions
    assert positions == Positions(length=5, start=given.get("start", 0))


def test_an_encoding_that_fits_the_positions_fits_the_tokens() -> None:
    assert Job.make("terms", {"encoding": "binary"}).seen_view.encoding.width == 3
    assert Job.make("terms", {"encoding": "binary", "start": 8}).seen_view.encoding.width == 4


def test_the_title_names_positions_that_do_not_start_at_zero() -> None:
    assert "positions" not in pecli.figure("terms").title()
    assert pecli.figure("terms", start=5, sentences="like").title().endswith("; positions 5 to 7")


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


def test_products_are_the_matrix_product() -> None:
    first, second = np.random.default_rng(5).standard_normal((2, 7, 13))
    assert products(first, second[:5]) == pytest.approx(first @ second[:5].T, abs=1e-13)


@pytest.mark.parametrize(("count", "width"), [(2, 1), (7, 3), (31, 17), (53, 129)])
def test_products_have_the_same_bits_in_any_order(count: int, width: int) -> None:
    random = np.random.default_rng(count)
    rows, order = random.standard_normal((count, width)), random.permutation(count)
    assert np.array_equal(products(rows[order], rows[order]), products(rows, rows)[np.ix_(order, order)])


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


def test_tokens_stand_on_both_axes() -> None:
    assert labels(["I", "like", "you"], 5) == (["I", "like", "you"], ["I", "like", "you"], 0)


def test_tokens_without_room_are_turned_stacked_or_shortened_but_never_left_out() -> None:
    assert labels(["extraordinary"] * 7, 3)[2] == 90
    below, beside, rotation = labels(["明天"] * 11, 2.5)
    assert (set(below), set(beside), rotation) == ({"明\n天"}, {"明天"}, 0)
    assert {text[-1] for text in labels(["x" * 99] * 3, 4)[1]} == {"…"}
    numbers = [str(i) for i in range(101)]
    assert labels(numbers, 4)[:2] == (numbers, numbers)


def test_a_panel_grows_with_its_tokens_and_a_size_that_cannot_hold_them_is_refused() -> None:
    words = " ".join(map(str, range(16)))
    with pytest.raises(UsageError, match=r"size.*5x3.* is too small .* it takes"):
        pecli.figure("attention", tokens=words, size="5x3", dpi=30).render("png")
    drawing, _ = draw_page(Terms(tokens=words), View((Sinusoidal(d=8),), Positions(length=16)), Canvas(dpi=30), "")
    assert drawing.get_figheight() > 9  # one panel below the other


@pytest.mark.parametrize("figure", ["attention", "terms"])
def test_tokens_are_drawn_as_they_are_never_as_formulas(figure: str, folder: Path) -> None:
    picture = pecli.figure(figure, tokens="$\\foo$ $ {x}_y", dpi=20, output=["a.png"])
    assert picture.save() == ["a.png"]


def test_the_tokens_are_among_the_texts_that_need_fonts() -> None:
    assert (
        Attention(sentences="school").texts()
        == Terms(sentences="school").texts()
        == ["你", "说", "我", "明天", "不", "去", "上学"]
    )
    assert pecli.figure("compare", figure="terms", encoding=["clock", "sinusoidal"]).job.figure.texts()  # type: ignore[attr-defined]  # a figure
    assert pecli.figure("overview", panels="heatmap,terms").job.figure.texts()  # type: ignore[attr-defined]  # a figure


@pytest.mark.parametrize(("text", "words"), [
    ("我喜欢吃苹果", ("我", "喜", "欢", "吃", "苹", "果")),
    ("我喜欢GPT", ("我", "喜", "欢", "GPT")),
    ("我 喜欢 吃 苹果", ("我", "喜欢", "吃", "苹果")),
    ("to be", ("to", "be")),
])  # fmt: skip
def test_chinese_without_spaces_is_cut_by_character(text: str, words: tuple[str, ...]) -> None:
    assert Terms(tokens=text).words == words


def test_a_line_says_that_chinese_was_cut(ask: Ask) -> None:
    cut, spaced = (
        ask("attention", "--tokens", text, "--reorder", order, "--dpi", "20", "-o", "a.png")
        for text, order in (("我喜欢吃苹果", "苹果我喜欢吃"), ("我 喜欢 吃 苹果", "苹果 我 喜欢 吃"))
    )
    assert cut.code == spaced.code == 0
    assert "tokens without spaces are cut by character, 6 here: put spaces between words" in cut.err
    assert "cut" not in spaced.err


@pytest.mark.parametrize("figure", ["attention", "terms"])
@pytest.mark.parametrize("text", ["apples", "我", " "])
def test_one_token_is_refused_with_why(ask: Ask, figure: str, text: str) -> None:
    refused = ask(figure, "--tokens", text)
    assert refused.code == 2 and refused.out == ""
    assert "order shows with two or more: separate words by spaces: 'I like you'" in refused.err
