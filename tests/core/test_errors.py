"""Errors hold facts, and each edge spells the options that they mention in its own way."""

from __future__ import annotations

import pickle

import pytest

from pecli.cli.guard import as_flag
from pecli.core.errors import LISTED, PecliError, UnknownNameError, UsageError, as_keyword, mention
from pecli.core.terminal import escaped
from pecli.jobs.batch import as_key

EDGES = [as_flag, as_key, as_keyword]


def spelled(error: PecliError) -> list[str]:
    return [error.sentence(edge) for edge in EDGES]


def test_a_sentence_is_made_of_the_facts() -> None:
    error = UsageError(option="no_title", value=5, allowed="true or false", advice="leave it out")
    assert (error.option, error.value, error.allowed, error.advice) == ("no_title", 5, "true or false", "leave it out")
    assert spelled(error) == [
        "--no-title 5 is not allowed: it takes true or false; leave it out",
        "no_title = 5 is not allowed: it takes true or false; leave it out",
        "no_title=5 is not allowed: it takes true or false; leave it out",
    ]
    assert str(error) == error.sentence()


def test_an_option_in_the_text_or_the_advice_is_spelled_too() -> None:
    error = UsageError(f"{mention('size', 'page')} is too small", advice=f"lower {mention('dpi')}")
    assert spelled(error) == [
        "--size page is too small: lower --dpi",
        "size = 'page' is too small: lower dpi",
        "size='page' is too small: lower dpi",
    ]


def test_a_truth_value_is_written_as_toml_has_it_in_toml() -> None:
    assert UsageError(option="d", value=True).sentence(as_key).startswith("d = true ")


@pytest.mark.parametrize(
    "value", ["--length", "\x02d\x1f1\x1f1\x03", "length = 0", "9" * 5000, 10**5000, ""], ids=range(6)
)
def test_a_value_is_never_taken_for_an_option(value: object) -> None:
    error = UsageError(option="title", value=value)
    for sentence in spelled(error):
        assert sentence.count("title") == 1 and sentence.endswith("is not allowed")
        assert not set(sentence) & set("\x02\x03\x1f") and len(sentence) < 250


def test_an_unknown_name_knows_the_nearest() -> None:
    error = UnknownNameError("encoding", "rop", ["rope", "clock"], option="encoding")
    assert (error.nearest, error.known, error.value, error.option) == ("rope", ["rope", "clock"], "rop", "encoding")
    assert str(error) == "unknown encoding 'rop'; did you mean 'rope'? (known: rope, clock)"
    assert UnknownNameError("encoding", "xyz", []).nearest is None


@pytest.mark.parametrize(
    ("given", "nearest"), [("sinus", "sinusoidal"), ("ROPE", "rope"), ("rotary", None), ("cl", "clock"), ("c", None)]
)
def test_the_nearest_shares_half_of_its_letters_in_either_case(given: str, nearest: str | None) -> None:
    assert UnknownNameError("encoding", given, ["sinusoidal", "rope", "clock"]).nearest == nearest


def test_forty_names_are_listed_and_of_more_the_first_forty_with_their_number() -> None:
    names = [f"n{at}" for at in range(LISTED + 1)]
    assert str(UnknownNameError("name", "?", names[:LISTED])).endswith("n38, n39)")
    assert str(UnknownNameError("name", "?", names)).endswith("n38, n39, … 41 in all)")


def test_nothing_in_a_sentence_begins_a_line_or_reaches_a_terminal_and_a_backslash_stands_once() -> None:
    hostile = UsageError("a\\b\npecli: done\x1b", advice="c\n")
    assert str(hostile) == "a\\b\\npecli: done\\x1b: c\\n"
    several = PecliError.of_several([f"one {mention('base', 5)}", "a\nb"])
    assert several.sentence() == "one base=5\na\\nb" and pickle.loads(pickle.dumps(several)).lines == several.lines


@pytest.mark.parametrize("blank", ["", " ", "  \t"])
def test_a_value_of_blanks_can_be_seen(blank: str) -> None:
    shown = escaped(repr(blank))
    assert UsageError(option="vmin", value=blank, allowed="x").sentence(as_flag) == (
        f"--vmin {shown} is not allowed: it takes x"
    )


@pytest.mark.parametrize(
    "error", [UsageError("a", option="b", value=3, advice="c"), UnknownNameError("d", "e", ["f"], option="g")]
)
def test_an_error_comes_back_whole_from_another_process(error: PecliError) -> None:
    again = pickle.loads(pickle.dumps(error))
    assert type(again) is type(error) and vars(again) == vars(error) and str(again) == str(error)
