"""The alien clock: a fixed radix, and why the Transformer divides the exponent by d."""

from __future__ import annotations

import numpy as np
import pytest

import pecli
from pecli.core.errors import UsageError
from pecli.core.positions import Blocks
from pecli.encodings.clock import Geometric
from pecli.encodings.sinusoidal import Sinusoidal


@pytest.mark.parametrize("radix", [3600.0, 2.0, 1.0, 0.5])
def test_the_table_is_the_articles_formula(radix: float) -> None:
    k = np.arange(-3, 20)[:, None]
    j = np.arange(3)
    expected = np.empty((23, 6))
    expected[:, 0::2] = np.sin(k / radix ** (2 * j))
    expected[:, 1::2] = np.cos(k / radix ** (2 * j))
    assert pecli.encode("geometric", d=6, radix=radix, start=-3, length=23) == pytest.approx(expected, abs=1e-13)


def test_the_radix_is_3600_by_default() -> None:
    assert Geometric(d=4).frequencies() == pytest.approx([1, 3600.0**-2], rel=1e-15)


def test_from_the_fifth_column_on_nothing_moves_in_ten_thousand_positions() -> None:
    table = pecli.encode("geometric", d=16, length=10_000)
    assert np.ptp(table[:, 4:], axis=0).max() < 1e-9
    assert np.ptp(table[:, :2], axis=0) == pytest.approx([2, 2], abs=1e-4)
    assert 1e-4 < np.ptp(table[:, 2]) < 1e-3  # the second hand of the two that still move


def test_the_transformers_columns_do_move() -> None:
    table = pecli.encode("sinusoidal", base=3600, d=16, length=10_000)
    assert np.ptp(table, axis=0).min() > 1.9


@pytest.mark.parametrize("d", [2, 6, 7, 26])
def test_with_the_division_by_d_it_is_sinusoidal_with_base_3600(d: int) -> None:
    """radix^(2j) with radix = 3600^(1/d) is 3600^(2j/d); pair by pair, ω of geometric is ω of sinusoidal to the d."""
    sinusoidal = Sinusoidal(d=d, base=3600)
    assert Geometric(d=d).frequencies() == pytest.approx(sinusoidal.frequencies() ** d, rel=1e-12)
    positions = np.arange(101, dtype=float)
    divided = Geometric(d=d, radix=3600 ** (1 / d))
    assert divided.table(positions) == pytest.approx(sinusoidal.table(positions), abs=1e-12)


def test_an_odd_d_has_one_more_sine() -> None:
    assert np.array_equal(pecli.encode("geometric", d=5, length=11), pecli.encode("geometric", d=6, length=11)[:, :5])


def test_block_means_are_the_brute_force() -> None:
    blocks = Blocks(10**6, 97, 13)
    table = Geometric(d=6, radix=3).table(np.arange(blocks.start, blocks.start + blocks.length, dtype=float))
    cuts = np.split(table, range(blocks.size, blocks.length, blocks.size))
    means = np.array([part.mean(axis=0) for part in cuts])
    assert Geometric(d=6, radix=3).mean_table(blocks) == pytest.approx(means, abs=1e-13)


@pytest.mark.parametrize("radix", [0, -1, "nan", "inf"])
def test_a_radix_that_cannot_be_is_refused(radix: object) -> None:
    with pytest.raises(UsageError, match="radix"):
        Geometric.make({"radix": radix})
