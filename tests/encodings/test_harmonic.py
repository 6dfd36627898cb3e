"""Tests of properties of all encodings with sines and cosines, and of closed forms in 50-digit arithmetic."""

from __future__ import annotations

import math
from decimal import Decimal
from types import SimpleNamespace

import numpy as np
import pytest

from pecli.core.errors import UsageError
from pecli.core.lazy import Array
from pecli.core.positions import Blocks, Positions
from pecli.encodings.clock import Geometric
from pecli.encodings.sinusoidal import Sinusoidal
from pecli.measures.comparison import VectorComparison

CASES = [(2, 10000), (6, 10), (22, 0.3), (50, 1), (122, 10000), (254, 1e6)]
encodings = pytest.mark.parametrize(
    "encoding", [Sinusoidal(d=d, base=base) for d, base in CASES], ids=lambda encoding: encoding.spec()
)
POSITIONS = np.concatenate([np.arange(-11.0, 90), [1e5 + 3, 1e6 + 3, 1e9 + 7]])
D = 6
FAR = [1, 1_000_003, 10**9 - 1, 10**9]
SINUSOIDAL = Sinusoidal(d=D, base=10000)


def rates(encoding: Sinusoidal) -> Array:
    return np.array([encoding.base ** (-2 * j / encoding.d) for j in range((encoding.d + 1) // 2)])


@encodings
def test_every_pair_lies_on_the_unit_circle_so_every_row_has_one_norm(encoding: Sinusoidal) -> None:
    table = encoding.table(POSITIONS)
    assert np.abs(table[:, 0::2] ** 2 + table[:, 1::2] ** 2 - 1).max() < 1e-15 * 4
    assert np.abs(np.linalg.norm(table, axis=1) - math.sqrt(encoding.d / 2)).max() < 1e-13
    assert np.abs(table).max() <= 1 == encoding.limit
    assert encoding.frequencies() == pytest.approx(rates(encoding), rel=1e-14)
    assert encoding.wavelengths() * encoding.frequencies() == pytest.approx(2 * math.pi)


@pytest.mark.some(5)
@encodings
@pytest.mark.parametrize("offset", [1, -7, 97, 100_003])
def test_a_shift_by_any_offset_is_a_rotation_of_each_pair(encoding: Sinusoidal, offset: int) -> None:
    angle = offset * rates(encoding)
    before, after = encoding.table(POSITIONS), encoding.table(POSITIONS + offset)
    sines = before[:, 0::2] * np.cos(angle) + before[:, 1::2] * np.sin(angle)
    cosines = before[:, 1::2] * np.cos(angle) - before[:, 0::2] * np.sin(angle)
    rounding = 1e-14 + 1e-15 * np.abs(angle).max()  # of the angle here, not of the table
    assert np.abs(after[:, 0::2] - sines).max() < rounding
    assert np.abs(after[:, 1::2] - cosines).max() < rounding


@pytest.mark.some(4)
@encodings
@pytest.mark.parametrize("n", [1, 2, 3, 53, 1009])
def test_squares_are_the_squared_distances_from_position_0(encoding: Sinusoidal, n: int) -> None:
    table = encoding.table(np.arange(float(n)))
    assert encoding.squares(n) == pytest.approx(np.sum((table - table[0]) ** 2, axis=1), rel=1e-10, abs=1e-15)
    assert encoding.squares(n)[0] == 0


@pytest.mark.parametrize("first", [-711, -5, 700])
def test_squares_keep_their_digits_where_two_rows_nearly_coincide(first: int) -> None:
    encoding = Sinusoidal(d=2)  # 710 is nearly 113 turns
    offsets = np.arange(first, first + 20)
    expected = 4 * np.sin(encoding.angles(offsets.astype(float)) / 2)[:, 0] ** 2
    assert encoding.squares(20, first) == pytest.approx(expected, rel=1e-9, abs=1e-30)
    assert encoding.squares(711)[710] == pytest.approx(4 * math.sin(355) ** 2, rel=1e-11)


def test_the_mean_of_a_long_far_block_is_exact() -> None:
    blocks = Blocks(1_000_000_007, 2 * 10007, 10007)
    encoding = Sinusoidal(d=7)
    table = encoding.table(np.arange(blocks.start, blocks.start + blocks.length, dtype=float))
    expected = [[math.fsum(column) / 10007 for column in half.T] for half in (table[:10007], table[10007:])]
    assert encoding.mean_table(blocks) == pytest.approx(np.array(expected), abs=1e-15)


@pytest.mark.parametrize(("rate", "taken"), [(1e12, True), (-1e12, True), (1e12 + 1, False), (-1e12 - 1, False)])
def test_a_pair_turns_no_faster_than_positions_have_digits_for(rate: float, taken: bool) -> None:
    class Fast(Geometric):
        def rates(self) -> list[float]:
            return [1.0, rate]

    if taken:
        assert Fast(d=4).frequencies()[1] == rate
    else:
        with pytest.raises(UsageError, match="the limit is 1e\\+12"):
            Fast(d=4)


# in decimal arithmetic


@pytest.mark.parametrize("offset", FAR)
def test_profile_and_squares_are_the_sums_of_their_formulas(decimals: SimpleNamespace, offset: int) -> None:
    cosines = sum(decimals.sine(rate * offset, 1) for rate in decimals.rates(10000, D))
    squares = 4 * sum(decimals.sine(rate * offset / 2) ** 2 for rate in decimals.rates(10000, D))
    assert np.cos(SINUSOIDAL.angles(np.array([float(offset)]))).sum() == pytest.approx(float(cosines), abs=1e-14)
    assert SINUSOIDAL.squares(3, first=offset)[0] == pytest.approx(float(squares), abs=1e-13)


@pytest.mark.parametrize("position", [10**12, -(10**15), 10**18 + 2**27])
def test_sines_far_out_are_those_of_the_position(decimals: SimpleNamespace, position: int) -> None:
    row = SINUSOIDAL.table(np.array([float(position)]))[0]
    rates = decimals.rates(10000, D)
    exact = [float(decimals.sine(rate * position, turns)) for rate in rates for turns in (0, 1)]
    assert row == pytest.approx(exact, abs=1e-13)


@pytest.mark.parametrize(("first", "count"), [(0, 10**9), (10**9 - 999, 1000), (1_000_003, 38_134_281), (7, 2)])
def test_block_means_are_the_quotient_of_sines(decimals: SimpleNamespace, first: int, count: int) -> None:
    mean = SINUSOIDAL.mean_table(Blocks(first, count, count))[0]
    middle = Decimal(2 * first + count - 1) / 2
    for j, rate in enumerate(decimals.rates(10000, D)):
        quotient = decimals.sine(rate * count / 2) / (count * decimals.sine(rate / 2))
        exact = [float(decimals.sine(rate * middle, turns) * quotient) for turns in (0, 1)]
        assert mean[2 * j : 2 * j + 2] == pytest.approx(exact, abs=1e-15)


@pytest.mark.long
@pytest.mark.parametrize("pair", [(0, 0), (0, 70), (630, 280)])
def test_a_pixel_of_many_positions_is_the_mean_of_its_pairs(pair: tuple[int, int]) -> None:
    encoding, blocks = Sinusoidal(d=16), Positions(length=200_000).blocks(701)
    own, other = (at * blocks.size + np.arange(blocks.size, dtype=np.float64) for at in pair)
    angles = (own[:, None] - other).reshape(-1)[:, None] * 10000.0 ** (-2 * np.arange(8) / 16)
    products = np.cos(angles).sum(axis=1)
    for measure, values in (("dot", products), ("euclidean", np.sqrt(np.maximum(0, 16 - 2 * products)))):
        drawn, _ = VectorComparison(encoding, measure).block_means(blocks)
        assert abs(drawn[pair] - values.mean()) < 1e-9 * (drawn.max() - drawn.min())
