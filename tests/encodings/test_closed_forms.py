"""The closed forms against 50-digit arithmetic, at positions and offsets up to 10⁹."""

from __future__ import annotations

from decimal import Decimal
from types import SimpleNamespace

import numpy as np
import pytest

from pecli.core.positions import Blocks, Positions
from pecli.encodings.sinusoidal import Sinusoidal
from pecli.measures.pairwise import MEASURES, matrix

D = 6
FAR = [1, 1_000_003, 10**9 - 1, 10**9]
SINUSOIDAL = Sinusoidal(d=D, base=10000)


@pytest.mark.parametrize("offset", FAR)
def test_the_profile_is_the_sum_of_cosines(decimals: SimpleNamespace, offset: int) -> None:
    exact = sum(decimals.sine(rate * offset, 1) for rate in decimals.rates(10000, D))
    assert np.cos(SINUSOIDAL.angles(np.array([float(offset)]))).sum() == pytest.approx(float(exact), abs=1e-14)


@pytest.mark.parametrize("offset", FAR)
def test_squares_are_sums_of_squared_half_angle_sines(decimals: SimpleNamespace, offset: int) -> None:
    exact = 4 * sum(decimals.sine(rate * offset / 2) ** 2 for rate in decimals.rates(10000, D))
    assert SINUSOIDAL.squares(3, first=offset)[0] == pytest.approx(float(exact), abs=1e-13)


@pytest.mark.parametrize(("first", "count"), [(0, 10**9), (10**9 - 999, 1000), (1_000_003, 38_134_281), (7, 2)])
def test_block_means_are_the_quotient_of_sines(decimals: SimpleNamespace, first: int, count: int) -> None:
    mean = SINUSOIDAL.mean_table(Blocks(first, count, count))[0]
    middle = Decimal(2 * first + count - 1) / 2
    for j, rate in enumerate(decimals.rates(10000, D)):
        quotient = decimals.sine(rate * count / 2) / (count * decimals.sine(rate / 2))
        exact = [float(decimals.sine(rate * middle, turns) * quotient) for turns in (0, 1)]
        assert mean[2 * j : 2 * j + 2] == pytest.approx(exact, abs=1e-15)


@pytest.mark.parametrize("pair", [(0, 0), (0, 70), (630, 280)])
def test_a_pixel_of_many_positions_is_the_mean_of_its_pairs(pair: tuple[int, int]) -> None:
    encoding, blocks = Sinusoidal(d=16), Positions(length=200_000).blocks(701)
    own, other = (at * blocks.size + np.arange(blocks.size, dtype=np.float64) for at in pair)
    angles = (own[:, None] - other).reshape(-1)[:, None] * 10000.0 ** (-2 * np.arange(8) / 16)
    products = np.cos(angles).sum(axis=1)
    for measure, values in (("dot", products), ("euclidean", np.sqrt(np.maximum(0, 16 - 2 * products)))):
        drawn = matrix(encoding, MEASURES[measure], blocks)
        assert abs(drawn[pair] - values.mean()) < 1e-9 * (drawn.max() - drawn.min())
