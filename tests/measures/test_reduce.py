"""Tests of minimum, maximum and mean per bin, and of facts on long sequences that follow from rates."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from pecli.core.errors import UsageError
from pecli.core.numbers import CHUNK
from pecli.encodings.clock import Clock
from pecli.encodings.rope import Rope
from pecli.measures.reduce import MAX_POSITIONS, check_line_length, envelope, even_edges, log_edges, mirrored_envelope
from pecli.measures.waves import first_negative_offset

LENGTHS = [1, 2, 7, 100, 1009]


@pytest.mark.some(4)
@pytest.mark.parametrize("length", LENGTHS)
@pytest.mark.parametrize("most", [1, 2, 13, 100, 5000])
def test_even_bins_cover_the_length_and_are_no_more_than_asked_for(length: int, most: int) -> None:
    edges = even_edges(length, most)
    sizes = np.diff(edges)
    assert (edges[0], edges[-1]) == (0, length)
    assert len(sizes) <= most
    assert (sizes[:-1] == sizes[0]).all() and 1 <= sizes[-1] <= sizes[0]


@pytest.mark.some(4)
@pytest.mark.parametrize("length", [2, 7, 100, 1009, 10**6])
@pytest.mark.parametrize("most", [0, 1, 2, 13, 100])
def test_log_bins_cover_1_to_the_length_and_never_get_shorter_by_more_than_rounding(length: int, most: int) -> None:
    edges = log_edges(length, most)
    sizes = np.diff(edges)
    assert (edges[0], edges[-1]) == (1, length)
    assert len(edges) <= max(most, 2)
    assert (sizes >= 1).all() and (np.diff(sizes) >= -1).all()


@pytest.mark.parametrize("length", LENGTHS)
def test_without_a_limit_every_index_is_a_bin(length: int) -> None:
    assert even_edges(length, None).tolist() == list(range(length + 1))
    assert log_edges(length, None).tolist() == list(range(1, length + 1))


@pytest.mark.some(4)
@pytest.mark.parametrize("lines", [1, 3])
@pytest.mark.parametrize(
    "edges",
    [
        even_edges(1009, 13),
        log_edges(1009, 17),
        even_edges(7, None),
        even_edges(100, 1),
        even_edges(2 * CHUNK + 5, 7),  # some bins at once
        even_edges(CHUNK + 99, 1),  # a bin is more than is held at once
    ],
    ids=str,
)
def test_every_bin_has_its_minimum_maximum_and_mean(edges: Any, lines: int) -> None:
    values = np.random.default_rng(3).normal(size=(lines, int(edges[-1])))
    asked = []

    def part(first: int, count: int) -> Any:
        asked.append(count)
        return values[:, first : first + count]

    found = envelope(part, edges, lines)
    cut = values[:, edges[0] :]
    starts = edges[:-1] - edges[0]
    assert np.array_equal(found.low, np.minimum.reduceat(cut, starts, axis=1))
    assert np.array_equal(found.high, np.maximum.reduceat(cut, starts, axis=1))
    assert found.mean == pytest.approx(np.add.reduceat(cut, starts, axis=1) / np.diff(edges), abs=1e-12)
    assert max(asked) * lines <= CHUNK  # memory stays bounded
    assert sum(asked) == edges[-1] - edges[0]  # each value is asked for once


@pytest.mark.some(2)
@pytest.mark.parametrize("length", [2, 7, 100, 1009, CHUNK + 3])
def test_lines_of_one_profile_are_that_profile_on_both_sides_of_their_index(length: int) -> None:
    values = np.random.default_rng(length).normal(size=length)
    at = np.unique([0, length // 3, length - 1])
    whole = values[np.abs(np.arange(length) - at[:, None])]
    for edges in (even_edges(length, 13), np.append(0, log_edges(length, 13))):
        low, high = mirrored_envelope(lambda first, count: values[first : first + count], at, edges)
        assert np.array_equal(low, np.minimum.reduceat(whole, edges[:-1], axis=1))
        assert np.array_equal(high, np.maximum.reduceat(whole, edges[:-1], axis=1))


def test_a_line_is_followed_up_to_the_most_positions_and_not_one_more() -> None:
    check_line_length("waves", MAX_POSITIONS)
    with pytest.raises(UsageError, match="waves computes every position, so length=10,000,000,001"):
        check_line_length("waves", MAX_POSITIONS + 1)


# long sequences


@pytest.mark.parametrize(("d", "base"), [(16, 100.0), (128, 10_000.0), (64, 500_000.0)])
def test_the_first_negative_offset_is_that_of_the_sum_and_none_lies_beyond_the_most(d: int, base: float) -> None:
    rope = Rope(d=d, base=base)
    sums = np.cos(np.outer(np.arange(20_000), rope.frequencies())).sum(axis=1)
    first = int(np.flatnonzero(sums < 0)[0])
    assert [first_negative_offset(rope, most) for most in (0, first - 1, first, 20_000)] == [None, None, first, first]


def test_a_pair_that_turns_once_within_the_length_is_not_longer() -> None:
    clock = Clock(periods=(32.0, 64.0))
    assert [clock.longer_waves(length) for length in (31, 32, 63, 64)] == [2, 1, 1, 0]
