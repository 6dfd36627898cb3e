"""Tests of the figure attention: tokens, their attention in two orders, and the four terms of a score."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import matplotlib as mpl
import numpy as np
import pytest
from matplotlib.figure import Figure as Drawing

import pecli
from pecli.core.errors import PecliError, UsageError
from pecli.core.language import capitalised, say
from pecli.core.numbers import number_text
from pecli.encodings.base import Additive
from pecli.encodings.rope import Rope
from pecli.figures.attention import Attention, AttentionNumbers, weights
from pecli.figures.terms import TITLES, Terms, TermsNumbers
from pecli.figures.tokens import EXAMPLES, fit_tokens, random_vector, read_order, token_panel
from pecli.measures.pairwise import products
from pecli.page.axis_labels import put_axes
from pecli.page.canvas import Canvas
from pecli.page.labels import labels_of
from pecli.page.panels import ColorBar
from pecli.page.titles import SignLabel, TitleLabel
from tests.drawing import numbers_of, page_of, panels_of, texts, told

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
        ({"tokens": ""}, "tokens='' has no token"),
        ({"tokens": "a"}, "tokens=a has one token, but word order needs two or more"),
        ({"tokens": "a\udcff b"}, "UTF-8"),
        ({"tokens": "a b", "sentences": "like"}, "exclude each other"),
        ({"sentences": "lik"}, "did you mean 'like'"),
        ({"content_scale": -1}, "content_scale="),
        ({"content_scale": "1e300"}, "content_scale="),
        ({"content_seed": -1}, "content_seed="),
        ({"length": 12}, "one position for each token, 3 here: leave length=12 out"),
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


@pytest.mark.parametrize("text", [
    "swap:1", "swap:1,5", "swap:-1,2", "swap:0,99999999999", "revers", "the dog bites man", "the dog bites the man man"
])  # fmt: skip
def test_what_is_no_second_order_is_refused(text: str) -> None:
    with pytest.raises(UsageError, match=r"reorder=.* I and J from 0 to 4, or the same tokens in another order"):
        pecli.figure("attention", tokens="the dog bites the man", reorder=text)


def test_a_line_says_that_chinese_was_cut(ask: Ask) -> None:
    shortened, spaced = (
        ask("attention", "--tokens", text, "--reorder", order, "-o", "a.json")
        for text, order in (("我喜欢吃苹果", "苹果我喜欢吃"), ("我 喜欢 吃 苹果", "苹果 我 喜欢 吃"))
    )
    assert shortened.code == spaced.code == 0
    assert "text without spaces is split by character, into 6 tokens: put spaces between words" in shortened.err
    assert "cut" not in spaced.err


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({}, "dog bites man"),
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
        (np.ones((3, 5)), "3 × 5 numbers, but 2 × 5 are needed.* one row per different token"),
        (np.ones((2, 7)), "give d=7"),
        (np.full((2, 5), 1e200), "10 values"),
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


def labels(words: list[str], size: float) -> tuple[list[str], list[str], float]:
    axes = Drawing(figsize=(size, size), dpi=50).add_axes((0, 0, 1, 1))
    put_axes(axes, token_panel(words, ColorBar(""), "query", "key"), Canvas())
    fit_tokens(axes, 7)
    below = axes.get_xticklabels()
    return (
        [text.get_text() for text in below],
        [text.get_text() for text in axes.get_yticklabels()],
        float(below[0].get_rotation()),
    )


def test_tokens_without_room_are_turned_stacked_or_shortened_but_never_left_out() -> None:
    assert labels(["I", "like", "you"], 5) == (["I", "like", "you"], ["I", "like", "you"], 0)
    assert labels(["extraordinary"] * 7, 3)[2] == 90
    below, beside, rotation = labels(["明天"] * 11, 2.5)
    assert (set(below), set(beside), rotation) == ({"明\n天"}, {"明天"}, 0)
    assert {text[-1] for text in labels(["x" * 99] * 3, 4)[1]} == {"…"}
    numbers = [str(i) for i in range(101)]
    assert labels(numbers, 4)[:2] == (numbers, numbers)


@pytest.mark.long
@pytest.mark.parametrize("figure", ["attention", "terms"])
def test_tokens_are_drawn_as_they_are_never_as_formulas(figure: str) -> None:
    assert pecli.figure(figure, tokens="$\\foo$ $ {x}_y", dpi=20).render("png")


ADDED = ["sinusoidal:d=7", "clock", "geometric:d=8", "binary", "learned:d=5"]
EVERY = [*ADDED, "rope:d=6", "rope:d=6,pairing=half"]
LONG = "the dog bites the man while the cat watches the bird on the other side of the street"


def made(**options: Any) -> AttentionNumbers:
    numbers: AttentionNumbers = numbers_of("attention", **options)
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


@pytest.mark.long
@pytest.mark.parametrize("d", [1, 2, 7, 16, 128, 257])
@pytest.mark.parametrize("tokens", [None, LONG, "a a b"])
def test_without_the_encoding_the_second_is_exactly_the_first_permuted(d: int, tokens: str | None) -> None:
    for seed in range(3):
        numbers = made(d=d, tokens=tokens, content_seed=seed, reorder="reverse")
        order = numbers.order
        assert np.array_equal(numbers.reordered_plain, numbers.plain[np.ix_(order, order)])
        assert numbers.facts()["difference_plain"] == 0.0


def test_a_second_order_that_is_the_first_differs_nowhere() -> None:
    numbers = made(reorder="swap:2,2")
    assert (numbers.difference_plain, numbers.difference_encoded, numbers.message()) == (0, 0, "")


@pytest.mark.parametrize("encoding", ADDED)
def test_additive_encodings_are_added(encoding: str) -> None:
    numbers = made(encoding=encoding, start=4)
    item = numbers.view.encoding
    assert isinstance(item, Additive)
    x = Attention().content(item.width) + item.table(np.arange(4.0, 7.0))
    assert np.array_equal(numbers.encoded, weights(x))


@pytest.mark.parametrize("pairing", ["interleaved", "half"])
def test_rope_turns_so_that_the_start_does_not_matter(pairing: str) -> None:
    numbers, later = (made(encoding=f"rope:d=6,pairing={pairing}", start=start) for start in (0, 1009))
    assert later.encoded == pytest.approx(numbers.encoded, abs=1e-13)
    x = Rope(d=6, pairing=pairing).rotate(Attention().content(6), np.arange(3.0))
    assert np.array_equal(numbers.encoded, weights(x))
    assert np.diag(products(x, x)) == pytest.approx(np.sum(Attention().content(6) ** 2, axis=1))


def panels(**options: Any) -> tuple[AttentionNumbers, list[Any]]:
    return made(**options), panels_of("attention", **options)


@pytest.mark.long
@pytest.mark.parametrize("size", ["page", "column", "slide"])
@pytest.mark.parametrize("options", [{"tokens": "I like you"}, {"encoding": "rope:d=6"}, {"encoding": "alibi"}])
def test_rows_are_without_and_with_positions_and_the_largest_change_is_outlined(
    options: dict[str, Any], size: str
) -> None:
    numbers, drawn = panels(**options, size=size)
    orders = [" ".join(numbers.tokens), " ".join(numbers.reordered_tokens)]
    assert [item.get_title().strip() for item in drawn] == [*orders, capitalised(say("attention.change")), "", "", ""]
    changes = [item.images[0].get_array() for item in drawn[2::3]]
    masked = (numbers.plain == 0).any()
    for change, most in zip(changes, (numbers.difference_plain, numbers.difference_encoded), strict=True):
        assert np.abs(change).max() == most and (most > 0 or not change.any())
    assert (numbers.difference_plain == 0) != masked
    heads = [[label.get_text() for label in labels_of(item, TitleLabel)] for item in drawn]
    plain = say("attention.change_by_up_to" if masked else "attention.no_weight_changes", number="0.54")
    with_positions = say("attention.change_by_up_to", number=f"{numbers.difference_encoded:.2f}")
    first = say("attention.causal_mask_alone" if masked else "attention.without_positions")
    assert [heads[0], heads[3]] == [[first, plain], [say("attention.with_positions"), with_positions]]
    (box,) = (patch for patch in drawn[5].patches if not patch.get_hatch())
    query, key = numbers.most
    assert abs(numbers.change_encoded[query, key]) == numbers.difference_encoded
    assert (box.get_x() + 0.5, box.get_y() + 0.5) == (key, query)
    assert any(patch.get_hatch() for patch in drawn[0].patches) == masked


@pytest.mark.parametrize(
    ("options", "key"),
    [
        ({}, "attention.only_with_positions"),
        ({"encoding": "alibi"}, "attention.with_reordering_changes_weights"),
    ],
)
def test_the_message_is_whether_order_counts_without_positions(options: dict[str, Any], key: str) -> None:
    assert made(**options).message() == say(key, name="ALiBi", number="0.37", plain="0.54")


@pytest.mark.long
def test_tokens_stand_on_the_axes_in_the_order_given() -> None:
    _, drawn = panels(tokens="x y z", reorder="swap:0,1")
    beside = [[text.get_text() for text in item.get_yticklabels()] for item in drawn]
    below = [[text.get_text() for text in item.get_xticklabels()] for item in drawn[3:]]
    assert beside == [["x", "y", "z"], [], []] * 2  # once a row
    assert below == [["x", "y", "z"]] * 3
    shown = [item.xaxis.get_tick_params()["labelbottom"] for item in drawn]
    assert shown == [False] * 3 + [True] * 3  # those of the panels above are the same


@pytest.mark.long
def test_long_orders_have_names_as_titles_and_many_tokens_two_columns() -> None:
    _, drawn = panels(tokens=LONG)
    assert [item.get_title().strip() for item in drawn[:2]] == [say("attention.as_given"), say("attention.reordered")]
    _, drawn = panels(tokens="one two three four five six seven eight nine ten eleven", size="column")
    assert len({round(item.bbox.x0) for item in drawn}) == 2


SUMMED = ["sinusoidal:d=8", "sinusoidal:d=7", "clock", "geometric:d=8", "binary", "learned:d=5"]
INVARIANT = ["sinusoidal:d=8", "sinusoidal:d=8,layout=concatenated", "clock", "geometric:d=8"]


def terms(**options: Any) -> TermsNumbers:
    numbers: TermsNumbers = numbers_of("terms", **options)
    return numbers


@pytest.mark.parametrize("encoding", SUMMED)
def test_each_part_is_its_product_and_the_four_add_up_to_the_score(encoding: str) -> None:
    numbers = terms(encoding=encoding, start=3)
    item = numbers.view.encoding
    x, p = Terms().content(item.width), item.table(np.arange(3.0, 6.0))
    assert numbers.content_content == pytest.approx(x @ x.T, abs=1e-12)
    assert numbers.content_position == pytest.approx(x @ p.T, abs=1e-12)
    assert np.array_equal(numbers.position_content, numbers.content_position.T)
    assert numbers.position_position == pytest.approx(p @ p.T, abs=1e-12)
    assert numbers.total == pytest.approx((x + p) @ (x + p).T, abs=1e-12)
    assert numbers.facts()["error"] < 1e-12


@pytest.mark.parametrize("encoding", [*INVARIANT, "binary", "learned:d=5", "sinusoidal:d=7"])
def test_the_message_says_whether_position_with_position_depends_on_the_offset_alone(encoding: str) -> None:
    numbers = terms(encoding=encoding)
    spreads = numbers.facts()["spreads"]
    apart = max(float(np.ptp(np.diagonal(numbers.position_position, offset))) for offset in range(-2, 3))
    assert spreads["position_position"] == pytest.approx(apart, abs=1e-14)
    assert (apart < 1e-12) == (encoding in INVARIANT)
    assert min(spreads["content_position"], spreads["position_content"], spreads["content_content"]) > 0.01
    only = say("terms.only_the_position_position", offset=say("terms.offset"))
    differ = say("terms.at_equal_offset_the", number=number_text(apart, 2))
    assert numbers.message() == (only if encoding in INVARIANT else differ)


@pytest.mark.some(10)
@pytest.mark.parametrize("encoding", [*INVARIANT, "binary", "learned:d=5"])
@pytest.mark.parametrize("tokens", ["x y z", "a b c d e"])
def test_strokes_join_equal_numbers_or_two_that_differ_most_are_outlined(encoding: str, tokens: str) -> None:
    numbers, drawn = terms(encoding=encoding, tokens=tokens), panels_of("terms", encoding=encoding, tokens=tokens)
    values, named = numbers.position_position, drawn[3]
    assert [getattr(item, "named", False) for item in drawn] == [False, False, False, True, False]
    assert [label.get_text() for item in drawn for label in labels_of(item, SignLabel)] == [*"+++="]
    strokes = [item for item in named.collections if item.get_zorder() == 2]
    assert not [item for other in drawn if other is not named for item in (*other.patches, *other.collections[1:])]
    if encoding in INVARIANT:
        (middles,) = ([path.vertices.mean(axis=0) for path in item.get_paths()] for item in strokes)
        assert len(middles) == (len(values) - 1) ** 2 and not named.patches
        for q, p in np.array(middles).tolist():
            assert values[int(p), int(q)] == pytest.approx(values[int(p) + 1, int(q) + 1], abs=1e-12)
        return
    cells = [(int(box.get_y() + 0.5), int(box.get_x() + 0.5)) for box in named.patches]
    (one, other) = cells
    assert one[0] - one[1] == other[0] - other[1] and not strokes
    assert abs(values[one] - values[other]) == pytest.approx(numbers.spreads["position_position"])


@pytest.mark.long
def test_five_panels_share_limits_and_0_has_the_middle_of_the_map() -> None:
    drawn, arrays = panels_of("terms", tokens="x y z"), terms(tokens="x y z").arrays()
    images = {name: item.get_images()[0] for name, item in zip(TITLES, drawn, strict=False)}
    limits = (min(array.min() for array in arrays.values()), max(array.max() for array in arrays.values()))
    assert {image.get_clim() for image in images.values()} == {limits}
    assert images["total"].to_rgba(0.0) == pytest.approx(mpl.colormaps["signed"](0.5), abs=0.02)
    assert {image.get_cmap().name for image in images.values()} == {"signed"}
    assert all(np.array_equal(image.get_array(), arrays[name]) for name, image in images.items())
    titles = [item.get_title() for item in drawn if item.get_images()]
    assert titles == [capitalised(say(title)) for title in TITLES.values()]
    assert [text.get_text() for text in drawn[4].get_xticklabels()] == ["x", "y", "z"]


# addition


@pytest.mark.parametrize(("options", "said"), [
    ({"d": 128}, {"key": "addition.are_times_as_long", "ratio": "1.35"}),
    ({"d": 128, "scale": "none"}, {"key": "addition.position_encodings_are_times", "ratio": "8.39"}),
    ({"d": 128, "content_scale": 0.74}, {"key": "addition.and_position_encodings_are"}),
    ({"d": 128, "content_scale": 0}, {}),
])  # fmt: skip
def test_words_and_positions_are_added_and_their_lengths_compared(
    options: dict[str, Any], said: dict[str, Any]
) -> None:
    found = numbers_of("addition", **options)
    assert np.array_equal(found.total, found.words + found.positions)
    assert np.array_equal(found.positions, pecli.encode("sinusoidal", d=128, length=len(found.tokens)))
    assert told(found.message(), said) == said


@pytest.mark.long
def test_strips_stand_below_each_other_with_their_signs_and_one_scale(folder: Path) -> None:
    np.save("vectors.npy", np.arange(12.0).reshape(3, 4))
    axes = panels_of("addition", vectors="vectors.npy", tokens="a b c", d=4, scale="none", size="column", start=2)
    titles = [say("addition.word_vectors"), say("addition.position_encodings"), say("addition.input")]
    assert [ax.get_title() for ax in axes[:3]] == [capitalised(titles[0]), f"+ {titles[1]}", f"= {titles[2]}"]
    at = [say("addition.position", position=position) for position in (2, 3, 4)]
    assert [texts(ax.get_yticklabels()) for ax in axes[:3]] == [["a", "b", "c"], at, ["a", "b", "c"]]
    words, positions, total = (ax.images[0] for ax in axes[:3])
    assert np.array_equal(words.get_array(), np.load("vectors.npy"))
    assert words.get_clim() == positions.get_clim() == total.get_clim()


@pytest.mark.long
@pytest.mark.parametrize("size", ["page", "column", "slide"])
def test_bars_are_as_long_as_the_vectors_beside_them(size: str) -> None:
    found, page = numbers_of("addition", d=16), page_of("addition", d=16, size=size)
    axes = [ax for ax in page.axes if ax.get_label() != "<colorbar>"]
    lengths = [np.linalg.norm(each, axis=1) for each in (found.words, found.positions, found.total)]
    assert found.mean_lengths == pytest.approx([own.mean() for own in lengths])
    assert len({ax.get_xlim() for ax in axes[3:]}) == 1
    for strip, beside, own in zip(axes[:3], axes[3:], lengths, strict=True):
        assert [bar.get_width() for bar in beside.patches] == pytest.approx(own)
        assert " ".join(beside.get_title().split()) == say("addition.mean_length", length=f"{own.mean():.2f}")
        assert [text.get_text().strip() for text in beside.texts] == [f"{length:.2f}" for length in own]
        assert (strip.bbox.y0, strip.bbox.height) == pytest.approx((beside.bbox.y0, beside.bbox.height), abs=1)
        assert strip.bbox.x1 < beside.bbox.x0
        assert all(text.get_window_extent().x1 <= beside.bbox.x1 + 2 for text in beside.texts)
    assert [getattr(ax, "named", False) for ax in axes] == [False] * 3 + [True, True, False]


@pytest.mark.long
def test_the_note_beside_a_row_is_left_out_where_the_page_ends() -> None:
    for size, shown in (("page", [True, True]), ("beamer", [True, False])):
        drawing = page_of("attention", tokens="I like you", size=size, dpi=50)
        heads = [label for panel in drawing.axes for label in labels_of(panel, TitleLabel) if label.where == "row"]
        assert [bool(label.get_text()) for label in heads[1::2]] == shown
        assert max(label.get_window_extent().x1 for label in heads) <= drawing.bbox.x1
