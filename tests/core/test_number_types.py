"""Tests of rounding to the number types in which models compute."""

from __future__ import annotations

import numpy as np
import pytest

from pecli.core.numbers import ROUND, number_types


@pytest.mark.parametrize(("count", "distinct"), [(257, 257), (4096, 769), (131072, 1409)])
def test_bfloat16_counts_integers_up_to_256(count: int, distinct: int) -> None:
    assert len(np.unique(ROUND["bfloat16"](np.arange(float(count))))) == distinct


@pytest.mark.parametrize(
    ("value", "rounded"),
    [(257.0, 256.0), (259.0, 260.0), (-259.0, -260.0), (1 + 2.0**-8, 1.0), (1 + 3 * 2.0**-8, 1 + 2.0**-6), (0.0, 0.0)],
)
def test_bfloat16_rounds_to_the_nearest_and_ties_to_even(value: float, rounded: float) -> None:
    assert ROUND["bfloat16"](np.array([value])).tolist() == [rounded]


def test_what_is_too_large_is_infinite() -> None:
    assert ROUND["float16"](np.array([65504.0, 65520.0])).tolist() == [65504, np.inf]
    assert ROUND["bfloat16"](np.array([3.4e38, -3.4e39])).tolist()[1] == -np.inf


@pytest.mark.parametrize("name", number_types())
def test_a_rounded_number_stays(name: str) -> None:
    values = np.random.default_rng(0).normal(size=(5, 7)) * 100
    once = ROUND[name](values)
    assert once.dtype == np.float64
    assert once.shape == values.shape
    assert np.array_equal(ROUND[name](once), once)
    reach = {"float64": 0.0, "float32": 2.0**-24, "float16": 2.0**-11, "bfloat16": 2.0**-8}[name]
    assert np.abs(once / values - 1).max() <= reach
