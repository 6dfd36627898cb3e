"""The sinusoid of a signed offset, and the three exponents that the articles have between them."""

from __future__ import annotations

import numpy as np
import pytest

import pecli
from pecli.core.errors import UsageError
from pecli.core.lazy import Array
from pecli.core.positions import LONGEST, Positions
from pecli.encodings.sinusoidal import Relative, Sinusoidal


def second_articles_code(offset: int, d: int) -> Array:
    """What the second article's get_relative_positional_encoding computes: 2 · i although i steps by 2."""
    row = np.zeros(d)
    for i in range(0, d, 2):
        row[i] = np.sin(offset / (10000 ** ((2 * i) / d)))
        row[i + 1] = np.cos(offset / (10000 ** ((2 * i) / d)))
    return row


def right_formula(offset: int, d: int) -> Array:
    """The same with the exponent of its text, 2m/d for the pair m: i/d where i = 2m."""
    row = np.zeros(d)
    for i in range(0, d, 2):
        row[i] = np.sin(offset / (10000 ** (i / d)))
        row[i + 1] = np.cos(offset / (10000 ** (i / d)))
    return row


@pytest.mark.parametrize("length", [1, 2, 8, 13])
def test_the_table_runs_over_all_signed_offsets(length: int) -> None:
    rows = Relative().covered(Positions(length=length))
    assert rows.array().tolist() == list(range(1 - length, length))
    assert pecli.encode("relative", d=6, length=length).shape == (2 * length - 1, 6)


def test_half_of_the_longest_run_of_positions_still_has_all_its_offsets() -> None:
    assert Relative().covered(Positions(length=LONGEST // 2)).length == LONGEST - 1
    with pytest.raises(UsageError, match="two offsets a position"):
        Relative().covered(Positions(length=LONGEST // 2 + 1))


def test_the_start_of_a_sequence_does_not_matter_and_is_refused() -> None:
    with pytest.raises(UsageError, match="start=1000 changes nothing here"):
        pecli.encode("relative", d=6, length=7, start=1000)


def test_a_row_is_the_sinusoid_of_its_offset() -> None:
    table = pecli.encode("relative", d=10, base=100, length=11)
    assert np.array_equal(table, pecli.encode("sinusoidal", d=10, base=100, start=-10, length=21))
    assert np.array_equal(table[10:], pecli.encode("sinusoidal", d=10, base=100, length=11))


@pytest.mark.parametrize("d", [6, 7])
def test_sines_are_antisymmetric_and_cosines_symmetric(d: int) -> None:
    table = pecli.encode("relative", d=d, length=13)
    assert np.array_equal(table[::-1, 0::2], -table[:, 0::2])
    assert np.array_equal(table[::-1, 1::2], table[:, 1::2])


def test_the_offset_0_is_sine_0_cosine_1() -> None:
    table = pecli.encode("relative", d=6, length=5)
    assert table[4].tolist() == [0, 1, 0, 1, 0, 1]


@pytest.mark.parametrize("offset", [-7, -1, 0, 3, 7])
def test_the_exponent_is_the_texts_and_not_the_codes_doubled_one(offset: int) -> None:
    d, row = 32, pecli.encode("relative", d=32, length=8)[offset + 7]
    assert row == pytest.approx(right_formula(offset, d), abs=1e-15)
    assert row[:2] == pytest.approx(second_articles_code(offset, d)[:2], abs=1e-15)  # the exponent 0 doubled is 0
    if offset:
        assert np.abs(row[2:16] - second_articles_code(offset, d)[2:16]).max() > 0.2


def test_the_doubled_exponent_is_the_right_one_of_base_squared() -> None:
    """So the article's code is not garbage: it draws base 1e8 under the name of 1e4."""
    squared = Relative(d=32, base=1e8).table(np.array([5.0]))[0]
    assert squared == pytest.approx(second_articles_code(5, 32), abs=1e-12)


FOURTH_ARTICLES_DIV_TERM = [1.0, 0.3162, 0.1, 0.0316]
FOURTH_ARTICLES_ROW_1 = [0.8415, 0.5403, 0.3129, 0.9499, 0.0998, 0.9950, 0.0316, 0.9995]


def test_the_fourth_articles_div_term_is_base_to_minus_i_over_d_and_ours_is_to_minus_2i_over_d() -> None:
    """Its formula and its code (arange(0, d, 2)) say 2i/d for the pair i, so 1, 0.1, 0.01, 0.001: that is ours."""
    pair, base, d = np.arange(4), 10000.0, 8
    ours = Sinusoidal(d=d, base=base).frequencies()
    code = np.exp(np.arange(0, d, 2) * -(np.log(base) / d))
    assert ours == pytest.approx([1, 0.1, 0.01, 0.001], rel=1e-15)
    assert ours == pytest.approx(base ** (-2 * pair / d), rel=1e-14)
    assert ours == pytest.approx(code, rel=1e-14)
    assert pytest.approx(base ** (-pair / d), abs=5e-5) == FOURTH_ARTICLES_DIV_TERM


def test_the_fourth_articles_printed_rows_are_those_of_its_printed_div_term() -> None:
    """To three digits: it prints 0.3129 where sin(0.3162) is 0.3110. The half exponent is base 100 under ours."""
    row = pecli.encode("sinusoidal", d=8, base=100, start=1, length=1)[0]
    assert row == pytest.approx(FOURTH_ARTICLES_ROW_1, abs=2e-3)
    ours = pecli.encode("sinusoidal", d=8, start=1, length=1)[0]
    assert ours[2:4] == pytest.approx([0.0998, 0.9950], abs=5e-5)  # what it prints two columns later
    assert abs(ours[2] - FOURTH_ARTICLES_ROW_1[2]) > 0.2


@pytest.mark.parametrize("d", [6, 7])
def test_the_two_layouts_of_the_sinusoid_are_one_permutation_apart(d: int) -> None:
    order = np.concatenate([np.arange(0, d, 2), np.arange(1, d, 2)])
    interleaved = pecli.encode("sinusoidal", d=d, length=11)
    concatenated = pecli.encode("sinusoidal", d=d, length=11, layout="concatenated")
    assert np.array_equal(concatenated, interleaved[:, order])
    assert np.array_equal(concatenated[:, np.argsort(order)], interleaved)
    assert not np.array_equal(concatenated, interleaved)
