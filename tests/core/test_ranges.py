"""Ranges in the text of numbers: which numbers they are, and which are none."""

from __future__ import annotations

import numpy as np
import pytest

from pecli.core.options import MOST, is_range, numbers_of


def spelled(text: str, *, whole: bool = False, log: bool = False) -> list[float]:
    return [float(one) for one in numbers_of(text, whole=whole, log=log)]


@pytest.mark.parametrize(("text", "numbers"), [("0..4", [0, 1, 2, 3, 4]), ("2..-1", [2, 1, 0, -1]), ("-1..0", [-1, 0])])
def test_a_range_of_whole_numbers_has_every_one_with_both_ends(text: str, numbers: list[float]) -> None:
    assert spelled(text, whole=True) == numbers


@pytest.mark.parametrize(("first", "last", "count"), [(1.0, 10000.0, 5), (0.5, 3.0, 7), (1000.0, 0.001, 2)])
def test_counted_numbers_are_evenly_spaced_by_difference_or_ratio(first: float, last: float, count: int) -> None:
    text = f"{first}..{last}:{count}"
    assert spelled(text) == pytest.approx(np.linspace(first, last, count), rel=1e-5)
    assert spelled(text, log=True) == pytest.approx(np.geomspace(first, last, count), rel=1e-5)


def test_counted_whole_numbers_are_rounded_and_each_there_once() -> None:
    assert numbers_of("1..100:5", whole=True, log=True) == ["1", "3", "10", "32", "100"]
    assert numbers_of("1..3:7", whole=True, log=False) == ["1", "2", "3"]


def test_the_ends_stay_as_they_are_written() -> None:
    assert numbers_of("1e-3..0.1234567890123:3", whole=False, log=False) == ["1e-3", "0.0622284", "0.1234567890123"]


@pytest.mark.parametrize("text", ["0..10:2", "10..0:3", "-1..10:3", "-2..-1:3"])
def test_ratios_need_two_positive_ends(text: str) -> None:
    assert len(spelled(text)) == int(text[-1])
    with pytest.raises(ValueError):
        spelled(text, log=True)


def test_a_range_has_no_more_numbers_than_the_most() -> None:
    assert len(numbers_of(f"1..{MOST}", whole=True, log=False)) == MOST
    for text in (f"0..{MOST}", f"0..1:{MOST + 1}", "1..5:1", "1..5:0", "3..3"):
        with pytest.raises(ValueError):
            numbers_of(text, whole=True, log=False)


@pytest.mark.parametrize("text", ["0.5..4", "1..2.5"])
def test_how_many_is_to_be_said_where_the_ends_do_not(text: str) -> None:
    with pytest.raises(ValueError):
        numbers_of(text, whole=True, log=False)
    with pytest.raises(ValueError):
        numbers_of("0..4", whole=False, log=False)


@pytest.mark.parametrize(("text", "known"), [("1..2", True), (" -1.5e3..+2:4 ", True), ("1..", False), ("1...2", True)])
def test_a_range_is_known_by_its_two_points(text: str, known: bool) -> None:
    assert is_range(text) == known
    assert not is_range(5)
