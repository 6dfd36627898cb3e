"""The sinusoidal table against the paper's formula, other people's numbers and the articles' code."""

from __future__ import annotations

import json
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

import pecli
from pecli.core.errors import UsageError
from pecli.core.lazy import Array
from pecli.encodings.sinusoidal import Sinusoidal

DATA = Path(__file__).parents[1] / "data"


def textbook(positions: Array, d: int, base: float) -> Array:
    """One number at a time, as the paper writes it; the last sine of an odd d has no cosine."""
    table = np.zeros((len(positions), d))
    for row, p in enumerate(positions):
        for i in range(d):
            angle = p / base ** ((i - i % 2) / d)
            table[row, i] = np.cos(angle) if i % 2 else np.sin(angle)
    return table


def second_article(length: int, d_model: int) -> Array:
    """exp of logarithms instead of a power, interleaved (d_model even)."""
    angles = np.arange(length)[:, None] * np.exp(-np.arange(0, d_model, 2) * np.log(10000.0) / d_model)
    return np.stack([np.sin(angles), np.cos(angles)], axis=2).reshape(length, d_model)


def third_article(length: int, d: int = 256, n: int = 10000) -> Array:
    """A row at a time, a pair at a time, divided by a power."""
    rows = []
    for position in range(length):
        row: list[float] = []
        for pair in range(d // 2):
            angle = position / np.power(n, 2 * pair / d)
            row += [np.sin(angle), np.cos(angle)]
        rows.append(row)
    return np.array(rows)


@pytest.mark.parametrize(("d", "base"), [(1, 10000), (2, 10000), (7, 10), (13, 0.5), (31, 1), (64, 1e4), (97, 7.25)])
def test_is_the_papers_formula(d: int, base: float) -> None:
    positions = np.arange(-5.0, 18)
    assert Sinusoidal(d=d, base=base).table(positions) == pytest.approx(textbook(positions, d, base), abs=2e-13)


@pytest.mark.parametrize("position", ["1", "1000000"])
def test_has_the_40_digit_numbers_to_1e_15(position: str) -> None:
    known = json.loads((DATA / "sinusoidal_40_digits.json").read_text())
    table = Sinusoidal(d=known["d"], base=float(known["base"])).table(np.array([float(position)]))
    assert np.abs(table[0] - [float(digits) for digits in known["values"][position]]).max() < 1e-15


@pytest.mark.parametrize("position", [-999_999_937, 1_000_000_007, 999_999_999_989])
def test_loses_no_digit_at_far_positions(decimals: SimpleNamespace, position: int) -> None:
    d, base = 7, 10007
    angles = [position * rate for rate in decimals.rates(base, d)]
    exact = [float(decimals.sine(angles[i // 2], i % 2)) for i in range(d)]
    table = Sinusoidal(d=d, base=base).table(np.array([float(position)]))
    assert np.abs(table[0] - exact).max() < 1e-15


@pytest.mark.parametrize("d", [16, 15])
@pytest.mark.parametrize(("model", "layout"), [("distilbert", "interleaved"), ("marian", "concatenated")])
def test_is_what_the_libraries_ship_for_even_and_odd_d(model: str, layout: str, d: int) -> None:
    with np.load(DATA / "sinusoidal_libraries.npz") as known:
        theirs = known[f"{model}_L20_d{d}"]
    ours = pecli.encode("sinusoidal", d=d, layout=layout, length=20)
    assert ours.shape == theirs.shape
    assert np.abs(ours - theirs).max() < 1e-7


def test_is_the_second_articles_code() -> None:
    assert pecli.encode(d=32, length=8) == pytest.approx(second_article(8, 32), abs=1e-14)
    assert pecli.encode(d=62, length=97) == pytest.approx(second_article(97, 62), abs=1e-13)


def test_is_the_third_articles_code_and_so_is_the_dot_matrix() -> None:
    theirs = third_article(200)
    assert pecli.encode("sinusoidal:d=256") == pytest.approx(theirs, abs=2e-13)
    ours = pecli.figure("distance", d=256, measure="dot").numbers.main
    assert ours == pytest.approx(theirs @ theirs.T, abs=1e-11)


@pytest.mark.parametrize("d", [1, 2, 7, 12])
def test_concatenated_has_all_sines_then_all_cosines(d: int) -> None:
    interleaved = pecli.encode(d=d, length=11)
    assert np.array_equal(
        pecli.encode(d=d, length=11, layout="concatenated"),
        np.hstack([interleaved[:, 0::2], interleaved[:, 1::2]]),
    )


def test_start_shifts_the_rows() -> None:
    assert np.array_equal(pecli.encode(d=7, length=5, start=3), pecli.encode(d=7, length=8)[3:])


def test_the_first_pair_has_the_period_2_pi_and_the_last_nears_base_times_it() -> None:
    wavelengths = Sinusoidal(d=128).wavelengths()
    assert wavelengths[0] == pytest.approx(2 * np.pi)
    assert wavelengths[-1] == pytest.approx(2 * np.pi * 10000 ** (126 / 128))


def test_base_1_makes_all_pairs_alike() -> None:
    table = pecli.encode(d=6, base=1, length=7)
    assert np.array_equal(table[:, :2], table[:, 4:])


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("d", 0),
        ("d", -5),
        ("d", 10**20),
        ("d", 2.5),
        ("d", True),
        ("base", 0),
        ("base", -1),
        ("base", float("nan")),
        ("base", float("inf")),
        ("base", "1e999"),
        ("layout", "diagonal"),
        ("layout", 3),
    ],
)
def test_refuses_what_has_no_meaning(name: str, value: Any) -> None:
    with pytest.raises(UsageError, match=name):
        Sinusoidal(**{name: value})


# the other family of frequencies


@pytest.mark.parametrize("d", [2, 4, 6, 128])
def test_tensor2tensors_wavelengths_reach_base_times_2_pi(d: int) -> None:
    encoding = Sinusoidal(d=d, base=1000, family="tensor2tensor")
    steps = np.arange(d // 2) / max(d // 2 - 1, 1)
    assert encoding.frequencies() == pytest.approx(1000.0**-steps, rel=1e-15)
    assert encoding.wavelengths()[-1] == pytest.approx(2 * np.pi * (1000 if d > 2 else 1))


def test_tensor2tensors_table_is_that_of_log_timescale_increments() -> None:
    """The recipe of tensor2tensor and Whisper: exp(−j · ln(base) / (d/2 − 1)), all sines and then all cosines."""
    rates = np.exp(-np.arange(8) * np.log(10000) / 7)
    angles = np.arange(50)[:, None] * rates
    expected = np.concatenate([np.sin(angles), np.cos(angles)], axis=1)
    made = Sinusoidal(d=16, family="tensor2tensor", layout="concatenated")
    assert made.table(np.arange(50.0)) == pytest.approx(expected, abs=1e-12)
    assert made.rate_formula(3) == "10000^(-6/14)"


def test_tensor2tensor_takes_an_even_d() -> None:
    with pytest.raises(UsageError, match="d=7 is not allowed with family"):
        Sinusoidal(d=7, family="tensor2tensor")
    assert Sinusoidal(d=7).width == 7
