"""Tests of error messages: the command line, batch files and Python each spell options in their own way."""

from __future__ import annotations

import pickle

import pytest

from pecli.core.errors import (
    MAX_LISTED,
    PecliError,
    UnknownNameError,
    UnusedOptionError,
    UsageError,
    as_flags,
    as_keys,
    as_keywords,
    option_text,
    reason_of,
    shorten,
)

SPELLINGS = [as_flags, as_keys, as_keywords]
SENTENCES = [
    (
        UsageError(option="no_title", value=5, allowed="true or false", advice="leave it out"),
        "--no-title 5 is not allowed: it takes true or false; leave it out",
        "no_title = 5 is not allowed: it takes true or false; leave it out",
        "no_title=5 is not allowed: it takes true or false; leave it out",
    ),
    (
        UsageError("--size=page is too small", advice="lower --dpi"),
        "--size page is too small: lower --dpi",
        "size = page is too small: lower dpi",
        "size=page is too small: lower dpi",
    ),
    (
        UsageError("a--b --log: pecli heatmap --d=4 shows it"),
        "a--b --log: pecli heatmap --d=4 shows it",
        "a--b log: pecli heatmap --d=4 shows it",
        "a--b log: pecli heatmap --d=4 shows it",
    ),
    (
        UsageError("run hf download a --local-dir .: then --tensor"),
        *(f"run hf download a --local-dir .: then {name}" for name in ("--tensor", "tensor", "tensor")),
    ),
    (UsageError(option="vmin", value=" "), *(f"{name}' ' is not allowed" for name in ("--vmin ", "vmin = ", "vmin="))),
]


@pytest.mark.parametrize(("error", "flags", "keys", "keywords"), SENTENCES)
def test_an_option_is_spelled_as_its_reader_writes_it(error: UsageError, flags: str, keys: str, keywords: str) -> None:
    assert [error.sentence(spelling) for spelling in SPELLINGS] == [flags, keys, keywords]
    assert str(error) == keywords


@pytest.mark.parametrize("value", ["--length", "--length=5", "length = 0", "9" * 5000, ""], ids=range(5))
def test_a_value_is_never_taken_for_an_option(value: object) -> None:
    for spelling in SPELLINGS:
        sentence = UsageError(option="title", value=value).sentence(spelling)
        assert sentence.count("title") == 1 and sentence.endswith("is not allowed") and len(sentence) < 250
        assert ("--length" in str(value)[:9]) == ("--length" in sentence)


def test_an_unknown_name_knows_the_nearest() -> None:
    error = UnknownNameError("encoding", "rop", ["rope", "clock"], option="encoding")
    assert (error.value, error.option) == ("rop", "encoding")
    assert str(error) == "unknown encoding 'rop'; did you mean 'rope'? (known: rope, clock)"
    for given, nearest in [("sinus", "sinusoidal"), ("ROPE", "rope"), ("rotary", None), ("cl", "clock"), ("c", None)]:
        text = str(UnknownNameError("encoding", given, ["sinusoidal", "rope", "clock"]))
        assert (f"did you mean '{nearest}'" in text) if nearest else "did you mean" not in text
    names = [f"n{at}" for at in range(MAX_LISTED + 1)]
    assert str(UnknownNameError("name", "?", names[:MAX_LISTED])).endswith("n38, n39)")
    assert str(UnknownNameError("name", "?", names)).endswith("n38, n39, … 41 in all)")


def test_nothing_in_a_sentence_begins_a_line_or_reaches_a_terminal() -> None:
    assert str(UsageError("a\\b\npecli: done\x1b", advice="c\n")) == "a\\b\\npecli: done\\x1b: c\\n"
    assert PecliError.combine(["one --base=5", "a\nb"]).sentence() == "one base=5\na\\nb"


@pytest.mark.parametrize(
    "error",
    [
        UsageError("a", option="b", value=3, advice="c"),
        UnknownNameError("d", "e", ["f"], option="g"),
        UnusedOptionError("d", (4, 5), "why"),
        PecliError.combine(["one", "two"]),
    ],
)
def test_an_error_comes_back_whole_from_another_process(error: PecliError) -> None:
    again = pickle.loads(pickle.dumps(error))
    assert type(again) is type(error) and vars(again) == vars(error) and str(again) == str(error)


def test_a_long_value_is_cut_in_the_middle() -> None:
    assert shorten("ab" * 20) == "ab" * 20
    assert shorten("ab" * 21) == "ab" * 10 + "…" + "ab" * 5 + " (42 characters)"
    assert option_text("grid_step", (1.0, 2.5)) == "--grid-step=1,2.5" and option_text("at", (3,)) == "--at=3"
    assert (
        option_text("base", 2.0**53) == f"--base={2.0**53}"
        and option_text("base", 2.0**53 - 1) == f"--base={2**53 - 1}"
    )
    assert option_text("eggs", 10**5000) == "--eggs=(thousands of digits)"
    assert option_text("text_size", 5.0) == "--text-size=5" and option_text("log", True) == "--log"


@pytest.mark.parametrize(
    ("error", "reason"),
    [
        (OSError(2, "No such file", "a"), "No such file"),
        (OSError("cut short"), "cut short"),
        (ValueError("NUL"), "NUL"),
    ],
)
def test_a_reason_is_given_without_number_and_path(error: Exception, reason: str) -> None:
    assert reason_of(error) == reason
