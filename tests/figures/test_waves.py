"""Chosen dimensions against position: the values of each lane, and what its legend says."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import numpy as np
import pytest

import pecli
from pecli.core.errors import UsageError
from pecli.encodings.base import Encoding
from pecli.encodings.binary import Binary
from pecli.encodings.clock import Clock
from pecli.encodings.sinusoidal import Sinusoidal
from pecli.figures.labels import LineLabel, labels_of
from pecli.figures.waves import wavelength_text
from tests.drawing import axes_of, line_labels


def drawn(**options: Any) -> Any:
    return axes_of("waves", **options)


def waves(axes: Any) -> list[Any]:
    """The lines of numbers, without those that mark the lanes."""
    return [line for line in axes.get_lines() if line.get_zorder() > 0]


@pytest.mark.parametrize(("d", "start", "dims"), [(7, 0, [4, 5, 6]), (2, -3, [1]), (128, 1009, [4, 5, 6, 7])])
def test_every_lane_is_a_column_of_the_table(d: int, start: int, dims: list[int]) -> None:
    axes = drawn(d=d, length=23, start=start, dims=dims)
    table = pecli.encode(d=d, length=23, start=start)
    assert len(waves(axes)) == len(dims)
    for line, dim, lane in zip(waves(axes), dims, axes.get_yticks(), strict=True):
        assert line.get_xdata().tolist() == list(range(start, start + 23))
        assert line.get_ydata() - lane == pytest.approx(table[:, dim], abs=1e-14)


def test_lanes_go_down_and_do_not_touch() -> None:
    axes = drawn(d=8, base=10, length=97, dims=[0, 2, 5])
    lines = [line.get_ydata() for line in waves(axes)]
    assert [label.get_text() for label in axes.get_yticklabels()] == ["0", "2", "5"]
    assert all(below.max() < above.min() for above, below in pairwise(lines))
    assert axes.get_ylabel() == "dimension"
    assert pecli.figure("waves", d=8, length=97).seen.caption() == "5 of 8 dimensions; each lane is ±1"
    assert pecli.figure("waves", d=4, length=97).seen.caption() == "each lane is ±1"


@pytest.mark.parametrize(
    ("encoding", "wave", "text"),
    [
        (Sinusoidal(), 6.28318, "λ = 6.28"),
        (Sinusoidal(), 54410.1, "λ = 54,410"),
        (Sinusoidal(), 1.25e9, "λ = 1.25×10⁹"),
        (Sinusoidal(), np.inf, "still"),
        (Clock(), 90.0, "λ = 90 s"),
        (Clock(), 3600.0, "λ = 1 h"),
        (Binary(d=5), 8.0, "λ ≈ 8"),  # measured
        (Binary(d=5), np.inf, "still"),
    ],
)
def test_a_wavelength_reads_well_at_any_size(encoding: Encoding, wave: float, text: str) -> None:
    assert wavelength_text(encoding, wave) == text


def test_without_dims_they_run_from_the_fastest_to_the_slowest_that_moves() -> None:
    numbers = pecli.figure("waves", length=200).numbers
    columns = Sinusoidal().column_wavelengths()
    dims = numbers.arrays()["dims"].tolist()
    assert len(dims) == 5 and dims == sorted(dims)
    assert dims[0] == 0
    assert columns[dims[-1]] <= 800 < columns[dims[-1] + 1]  # a quarter of a turn can still be seen


@pytest.mark.parametrize(
    ("plain", "other"), [("sinusoidal", "sinusoidal:layout=concatenated"), ("rope", "rope:pairing=half")]
)
def test_the_order_of_the_columns_does_not_change_which_waves_are_shown(plain: str, other: str) -> None:
    first, second = (pecli.figure("waves", encoding=one, length=200).numbers.arrays() for one in (plain, other))
    assert first["wavelengths"].tolist() == second["wavelengths"].tolist() == sorted(first["wavelengths"])
    assert second["wavelengths"][0] == pytest.approx(2 * np.pi) and 400 < second["wavelengths"][-1] <= 800
    assert second["dims"].tolist() != sorted(second["dims"])


def test_where_few_dimensions_move_slow_ones_fill_up() -> None:
    numbers = pecli.figure("waves", d=8, base=10**8, length=2).numbers.arrays()  # only the first pair turns in 8
    assert numbers["dims"].tolist() == [0, 1, 2, 4, 7]
    assert (numbers["wavelengths"] <= 8).tolist() == [True, True, False, False, False]


def test_a_long_length_is_drawn_from_minimum_to_maximum_and_the_caption_says_so() -> None:
    options = {"d": 8, "base": 10, "length": 1009, "start": 5, "dims": [0, 3], "size": "3x2", "dpi": 20}
    seen = pecli.figure("waves", **options).seen
    table = pecli.encode(d=8, base=10, length=1009, start=5)[:, [0, 3]].T
    size = seen.facts()["block"]
    runs = [table[:, at : at + size] for at in range(0, 1009, size)]
    assert size > 1
    low, high = (np.stack([getattr(run, end)(axis=1) for run in runs], axis=1) for end in ("min", "max"))
    assert seen.arrays()["low"] == pytest.approx(low, abs=1e-14)
    assert seen.main == pytest.approx(high, abs=1e-14)
    lanes = "2 of 8 dimensions; each lane is ±1"
    assert seen.caption() == f"{lanes}; each pixel: minimum to maximum of up to {size} positions"
    assert len(drawn(**options).collections) == 2  # a band each
    every = pecli.figure("waves", **options).numbers
    assert np.array_equal(every.main, table)
    assert every.sheet()[0][:3] == ["dims", "5", "6"] and every.sheet()[1][0].tolist() == [0, 3]
    assert pecli.figure("waves", d=4, length=10**6, dpi=20).seen.main.shape[1] <= 6.75 * 20


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (
            {"d": 8, "base": 10, "dims": [3, 0]},
            "the higher the dimension, the longer the wave: 6.28 positions at dim 0, 11.2 at dim 3",
        ),
        ({"encoding": "clock", "dims": [0, 5]}, "the waves get longer from top to bottom: 1 min to 12 h"),
        (
            {"encoding": "rope:d=8,pairing=half", "base": 10, "dims": [4, 1]},
            "the waves get longer from top to bottom: 6.28 to 11.2 positions",
        ),
        ({"encoding": "clock:periods=60,12", "dims": [0, 2]}, "the waves are 12 s to 1 min long"),
        ({"d": 8, "dims": [0, 1]}, ""),
        ({"encoding": "binary", "length": 16}, "the waves get longer from top to bottom: 2 to 16 positions"),
        ({"encoding": "learned:d=8", "length": 16}, ""),
    ],
)
def test_the_message_is_how_wavelengths_follow_each_other_where_they_are_known(
    options: dict[str, Any], said: str
) -> None:
    assert pecli.figure("waves", **options).numbers.message() == said


@pytest.mark.parametrize(
    ("options", "names"),
    [
        ({"d": 4, "base": 100, "length": 11, "dims": [0, 1, 3]}, ["sin, λ = 6.28", "cos, λ = 6.28", "cos, λ = 62.8"]),
        ({"encoding": "clock", "length": 61, "dims": [0, 5]}, ["λ = 1 min", "λ = 12 h"]),
        ({"encoding": "binary", "length": 17}, [f"λ ≈ {2 ** (bit + 1)}" for bit in range(5)]),
    ],
)
def test_lines_are_named_at_their_ends_by_their_wavelengths(options: dict[str, Any], names: list[str]) -> None:
    axes = drawn(**options)
    assert line_labels(axes) == names and axes.get_legend() is None
    ends = [line.get_ydata()[-1] for line in waves(axes)]
    labels = labels_of(axes, LineLabel)
    assert [one.xy[1] for one in labels] == pytest.approx(ends)
    for label in labels:  # what leads to a name is no part of its line
        assert label.arrow_patch is not None and label.arrow_patch.shrinkB > 2


def test_a_pair_has_a_colour_and_its_cosine_is_dashed_bits_are_steps_and_one_position_a_point() -> None:
    lines = waves(drawn(d=8, length=11, dims=[0, 1, 4, 5]))
    looks = [(line.get_color(), line.get_linestyle()) for line in lines]
    assert looks == [("C0", "-"), ("C0", "--"), ("C1", "-"), ("C1", "--")]
    assert {line.get_drawstyle() for line in lines} == {"default"}
    assert {line.get_drawstyle() for line in waves(drawn(encoding="binary", length=9))} == {"steps-mid"}
    assert [{line.get_marker() for line in waves(drawn(d=4, length=n))} for n in (1, 2)] == [{"o"}, {"None"}]


@pytest.mark.parametrize(
    ("encoding", "caption"),
    [
        ("clock", "5 of 6 dimensions; each lane is ±1"),
        ("binary", "5 of 6 dimensions; each lane is ±1"),
        ("learned:d=1", "each lane is ±0.0465; wavelength λ in positions"),
    ],
)
def test_the_caption_says_how_far_a_lane_reaches(encoding: str, caption: str) -> None:
    assert pecli.figure("waves", encoding=encoding, length=61).numbers.caption() == caption


@pytest.mark.parametrize(("encoding", "width"), [("binary", 5), ("learned:d=3", 3), ("sinusoidal:d=1", 1)])
def test_few_dimensions_are_all_shown_and_without_a_formula_waves_are_measured(encoding: str, width: int) -> None:
    numbers = pecli.figure("waves", encoding=encoding, length=17).numbers.arrays()
    measured = pecli.figure("spectrum", encoding=encoding, length=17).numbers.main
    assert sorted(numbers["dims"].tolist()) == list(range(width))
    assert numbers["wavelengths"].tolist() == measured[numbers["dims"]].tolist() == sorted(measured.tolist())


@pytest.mark.parametrize(("dims", "words"), [([7], "dims=7.*0 to 6"), ([-1], "dims=-1"), ([1.5], "dims=1.5")])
def test_dimensions_are_the_users_and_one_that_is_not_there_is_refused(dims: list[float], words: str) -> None:
    assert pecli.figure("waves", d=8, length=5, dims=[6, 2, 6]).numbers.arrays()["dims"].tolist() == [6, 2]
    with pytest.raises(UsageError, match=words):
        pecli.figure("waves", d=7, dims=dims)
