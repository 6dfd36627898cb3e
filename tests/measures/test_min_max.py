"""Minimum, maximum and mean of every bin, against the whole line cut up."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import numpy as np
import pytest

from pecli.core.errors import UsageError
from pecli.measures.reduce import MOST, Envelope, check_run, envelope, even_edges, log_edges, mirrored_extremes

Array = Any
LENGTHS = [1, 2, 7, 100, 1009]


def rough(lines: int, length: int) -> Array:
    """Numbers without any order, the same every time."""
    return np.random.default_rng(3).normal(size=(lines, length))


def by_hand(values: Array, edges: Array) -> Envelope:
    bins = [values[:, a:b] for a, b in pairwise(edges)]
    low, high, mean = (np.stack([f(one) for one in bins], axis=1) for f in (_low, _high, _mean))
    return Envelope(low, high, mean)


def _low(one: Array) -> Array:
    return one.min(axis=1)


def _high(one: Array) -> Array:
    return one.max(axis=1)


def _mean(one: Array) -> Array:
    return one.mean(axis=1)


@pytest.mark.parametrize("length", LENGTHS)
@pytest.mark.parametrize("most", [1, 2, 13, 100, 5000])
def test_even_bins_cover_the_length_and_are_no_more_than_asked_for(length: int, most: int) -> None:
    edges = even_edges(length, most)
    sizes = np.diff(edges)
    assert (edges[0], edges[-1]) == (0, length)
    assert len(sizes) <= most
    assert (sizes[:-1] == sizes[0]).all() and 1 <= sizes[-1] <= sizes[0]


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


@pytest.mark.parametrize("chunk", [1, 8, 64, 1 << 20])  # numbers held at once: less than a bin, some bins, all
@pytest.mark.parametrize("lines", [1, 3])
@pytest.mark.parametrize(
    "edges", [even_edges(1009, 13), log_edges(1009, 17), even_edges(7, None), even_edges(100, 1)], ids=len
)
def test_every_bin_has_its_minimum_maximum_and_mean(
    edges: Array, lines: int, chunk: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("pecli.core.numbers.CHUNK", chunk)
    values = rough(lines, int(edges[-1]))
    most = []

    def part(first: int, count: int) -> Array:
        most.append(count)
        return values[:, first : first + count]

    found, expected = envelope(part, edges, lines), by_hand(values, edges)
    assert np.array_equal(found.low, expected.low)
    assert np.array_equal(found.high, expected.high)
    assert found.mean == pytest.approx(expected.mean, abs=1e-13)
    assert max(most) * lines <= max(chunk, lines)  # memory stays bounded
    assert sum(most) == edges[-1] - edges[0]  # each value is asked for once


def test_low_and_high_are_one_where_a_bin_is_one_index() -> None:
    found = envelope(lambda first, count: rough(2, 7)[:, first : first + count], even_edges(7, 7), 2)
    assert np.array_equal(found.low, found.high)
    assert np.array_equal(found.low, rough(2, 7))


def test_a_line_is_followed_up_to_the_most_positions_and_not_one_more() -> None:
    check_run("waves", MOST)
    with pytest.raises(UsageError, match="waves follows every position: length='10,000,000,001'"):
        check_run("waves", MOST + 1)


@pytest.mark.parametrize("length", [1, 2, 7, 101, 1009])
@pytest.mark.parametrize("most", [None, 1, 3, 40])
def test_lines_of_one_profile_are_those_followed_one_by_one(
    length: int, most: int | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    values = np.random.default_rng(3).standard_normal(length)
    at, edges = np.unique([0, length // 3, length - 1]), even_edges(length, most)
    whole = values[np.abs(np.arange(length) - at[:, None])]
    monkeypatch.setattr(
        "pecli.measures.reduce.chunks",
        lambda first, stop, width: [range(a, min(a + 13, stop)) for a in range(first, stop, 13)],
    )
    low, high = mirrored_extremes(lambda first, count: values[first : first + count], at, edges)
    assert np.array_equal(low, np.minimum.reduceat(whole, edges[:-1], axis=1))
    assert np.array_equal(high, np.maximum.reduceat(whole, edges[:-1], axis=1))
