"""What every encoding can do without a closed form, and the text that stands for one."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np
import pytest

from pecli.core.errors import UnknownNameError, UsageError
from pecli.core.lazy import Array
from pecli.core.positions import Blocks
from pecli.encodings.base import TableEncoding
from pecli.encodings.registry import Encoding
from pecli.encodings.sinusoidal import Sinusoidal
from pecli.models.spec import read_encoding


@dataclass(frozen=True)
class Squares(TableEncoding):
    """Two columns, p and p²: not harmonic, so only what the base class gives."""

    name: ClassVar[str] = "squares"

    @property
    def width(self) -> int:
        return 2

    def table(self, positions: Array) -> Array:
        return np.stack([positions, positions**2], axis=1)


@pytest.mark.parametrize("blocks", [Blocks(-3, 11, 4), Blocks(0, 7, 1), Blocks(5, 13, 13)], ids=str)
def test_block_means_need_no_closed_form(blocks: Blocks, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("pecli.core.numbers.CHUNK", 6)  # three rows at a time
    positions = np.arange(blocks.start, blocks.start + blocks.length, dtype=float)
    cuts = np.split(positions, range(blocks.size, blocks.length, blocks.size))
    expected = [[np.mean(part), np.mean(part**2)] for part in cuts]
    assert Squares().mean_table(blocks) == pytest.approx(np.array(expected), rel=1e-15)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("sinusoidal", Sinusoidal()),
        ("sinusoidal:", Sinusoidal()),
        ("sinusoidal:base=10,d=64", Sinusoidal(base=10, d=64)),
        (" sinusoidal : base = 10 , d=64", Sinusoidal(base=10, d=64)),
        ("sinusoidal:d=1e2,base=.5", Sinusoidal(d=100, base=0.5)),
        ("sinusoidal:layout=concatenated", Sinusoidal(layout="concatenated")),
    ],
)
def test_a_spec_is_the_encoding(text: str, expected: Encoding) -> None:
    assert read_encoding(text) == expected


def test_an_option_wins_over_the_spec() -> None:
    assert read_encoding("sinusoidal:base=10,d=64", {"d": 6}) == Sinusoidal(base=10, d=6)


@pytest.mark.parametrize(
    "encoding", [Sinusoidal(), Sinusoidal(d=7, base=0.1, layout="concatenated"), Sinusoidal(base=1e22)]
)
def test_spec_reads_back(encoding: Encoding) -> None:
    assert read_encoding(encoding.spec()) == encoding


@pytest.mark.parametrize(
    ("text", "word"),
    [
        ("sinusoid", "did you mean 'sinusoidal'"),
        ("sinusoidal:bse=10", "did you mean 'base'"),
        ("sinusoidal:base=10,base=11", "twice"),
        ("sinusoidal:base", "name:parameter=value"),
        ("sinusoidal:=10", "parameter"),
        ("", "unknown encoding"),
        ("sinusoidal:d=0", "whole number ≥ 1"),
    ],
)
def test_a_wrong_spec_says_what_is_wrong(text: str, word: str) -> None:
    with pytest.raises(UsageError) as caught:
        read_encoding(text)
    assert word in str(caught.value)


def test_a_name_nothing_is_like_gets_the_list_but_no_guess() -> None:
    with pytest.raises(UnknownNameError) as caught:
        read_encoding("zzzz")
    assert "did you mean" not in str(caught.value)
    assert "sinusoidal" in str(caught.value)


def test_the_label_names_numbers_always_and_words_when_they_differ() -> None:
    assert Sinusoidal(base=10).label() == "sinusoidal, d 128, base 10"
    assert Sinusoidal(layout="concatenated").label().endswith("layout concatenated")


@pytest.mark.parametrize(
    ("position", "text"), [(0, "0"), (1009, "1,009"), (-5, "−5"), (-1009, "−1,009"), (2.5, "2.5"), (-2.5, "−2.5")]
)
def test_positions_are_written_with_a_true_minus_sign(position: float, text: str) -> None:
    assert Squares().position_text(position) == text


def test_pairs_are_numbered_and_lengths_are_short() -> None:
    assert Sinusoidal().pair_text(7) == "pair 7"
    assert [Squares().length_text(one) for one in (6.28318, 54410.1, 1.25e9)] == ["6.283", "54,410", "1.25e+09"]


@pytest.mark.parametrize(
    ("length", "text"),
    [(9999.4, "9,999"), (9999.6, "10,000"), (9_999_999, "9,999,999"), (1e7, "1e+07"), (999.96, "1,000")],
)
def test_a_length_has_no_power_of_ten_before_ten_million(length: float, text: str) -> None:
    assert Squares().length_text(length) == text
