"""Tests of `Positions` and of the blocks into which it is divided."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest

from pecli.core.errors import UsageError
from pecli.core.positions import LogBlocks, Positions


def test_runs_from_start_over_length_positions() -> None:
    assert np.array_equal(Positions(length=5, start=-2).array(), [-2, -1, 0, 1, 2])
    assert Positions(length=5, start=-2).stop == 3


@pytest.mark.some(7)
@pytest.mark.parametrize("length", [1, 2, 23, 97, 101])
@pytest.mark.parametrize("most", [None, 1, 7, 23, 97, 1000])
def test_blocks_cover_every_position_once(length: int, most: int | None) -> None:
    positions = Positions(length=length, start=5)
    blocks = positions.blocks(most)
    pieces = np.split(positions.array(), np.cumsum(blocks.counts())[:-1].astype(int))
    assert blocks.count == len(pieces) <= (most or length)
    assert blocks.counts().sum() == length
    assert [len(piece) for piece in pieces] == blocks.counts().tolist()
    assert blocks.firsts().tolist() == [piece[0] for piece in pieces]
    assert blocks.centres() == pytest.approx([piece.mean() for piece in pieces])
    assert len(pieces[-1]) == blocks.last


@pytest.mark.parametrize("length", [0, -5, 10**20, "1.5", "nan", "inf", "ten", None])
def test_refuses_a_length_that_is_none(length: object) -> None:
    with pytest.raises(UsageError, match="length"):
        Positions.make({"length": length})


@pytest.mark.parametrize("start", [2**53, -(2**53), "1e999"])
def test_refuses_a_start_that_floats_cannot_count_from(start: object) -> None:
    with pytest.raises(UsageError, match="start"):
        Positions.make({"start": start})


@pytest.mark.parametrize(("start", "stop", "count"), [(1, 100, 7), (1, 5, 12), (3, 4, 3), (1, 1000, 5), (17, 1000, 40)])
def test_a_pixel_of_a_logarithmic_axis_has_the_positions_up_to_half_a_pixel_beside_it_or_the_one_before(
    start: int, stop: int, count: int
) -> None:
    blocks = LogBlocks(start, stop, count)
    borders = start * (stop / start) ** (np.arange(count + 1) / count)
    borders[-1] = stop
    whole = range(start, stop)
    wide = [(low, high, (high - low) / 2 if high - low >= 1 else 0) for low, high in pairwise(borders)]
    inside = [[p for p in whole if low - half <= p < high + half] or [int(low)] for low, high, half in wide]
    assert blocks.firsts().tolist() == [run[0] for run in inside]
    assert blocks.counts().tolist() == [len(run) for run in inside]
    assert blocks.centres() == pytest.approx([np.mean(run) for run in inside])
    assert blocks.size == max(map(len, inside))
    assert {p for run in inside for p in run} == set(whole)
