"""Tests of the clock, and of the alien clock, in which one factor separates the hands' speeds."""

from __future__ import annotations

from math import cos, pi, sin

import numpy as np
import pytest
from matplotlib.figure import Figure as Drawing

import pecli
from pecli.core.errors import UsageError
from pecli.core.language import finding, say
from pecli.encodings.clock import Clock, Geometric, duration
from pecli.encodings.sinusoidal import Sinusoidal
from pecli.encodings.spec import read_encoding

HALF_DAY = 43200


def apart(first: int, second: int) -> float:
    """Return how far two times are apart."""
    rows = Clock().table(np.array([first, second], dtype=float))
    return float(np.linalg.norm(rows[0] - rows[1]))


@pytest.mark.parametrize("time", [0, 1, 7, 61, 900, 3599, 9870, 43199, 86399])
def test_each_hand_gives_sine_and_cosine_of_its_angle(time: int) -> None:
    turns = [time % period / period for period in (60, 3600, HALF_DAY)]
    expected = [wave(2 * pi * turn) for turn in turns for wave in (sin, cos)]
    assert pecli.encode("clock", start=time, length=1)[0] == pytest.approx(expected, abs=1e-15)


def test_hands_are_given_by_period_or_name() -> None:
    assert Clock().wavelengths() == pytest.approx([60, 3600, HALF_DAY], rel=1e-15)
    assert read_encoding("clock:periods=minute,hour,halfday") == Clock()
    named = Clock(periods=("day", "week", "month", "year")).periods  # type: ignore[arg-type]  # text is read
    assert named == (86400, 604800, 2629746, 31556952)
    assert 12 * named[2] == named[3] == (365 + 97 / 400) * 86400  # the Gregorian year
    assert pecli.encode("clock", periods=(60, 3600, HALF_DAY, 86400, 604800), length=3).shape == (3, 10)


def test_a_period_that_cannot_be_is_refused() -> None:
    with pytest.raises(UsageError, match=r"periods=.*fortnight.* minute, hour, halfday, day, week, month, year"):
        read_encoding("clock:periods=60,fortnight")
    for period in (0, -60, "nan", "inf", "", True):
        with pytest.raises(UsageError, match="periods"):
            Clock.make({"periods": [60, period]})


def test_the_articles_formula_is_periods_1_3600_43200_whose_first_hand_points_up() -> None:
    k = 12345
    hands = [2 * pi * k, 2 * pi * k / 3600, 2 * pi * k / (3600 * 12)]
    row = pecli.encode("clock", periods=(1, 3600, HALF_DAY), start=k, length=1)[0]
    assert row == pytest.approx([wave(angle) for angle in hands for wave in (sin, cos)], abs=1e-10)
    table = pecli.encode("clock", periods=(1, 3600, HALF_DAY), length=97, start=10**9)
    assert np.array_equal(table[:, :2], np.tile([0.0, 1.0], (97, 1)))


def test_a_period_is_taken_by_its_digits_so_that_whole_turns_end_where_they_began() -> None:
    assert pecli.encode("clock", periods=(0.7, 0.1), start=7 * 10**12, length=1)[0].tolist() == [0, 1, 0, 1]


def test_times_12_hours_apart_coincide_and_no_others_within_them() -> None:
    for time in (0, 1, 12345, 43199):
        assert apart(time, time + HALF_DAY) == pytest.approx(0, abs=1e-12)
        assert apart(time, time + 1001 * HALF_DAY) == pytest.approx(0, abs=1e-12)
    squares = Clock().squares(HALF_DAY + 1)
    assert squares[[0, HALF_DAY]] == pytest.approx([0, 0], abs=1e-24)
    assert squares[1:HALF_DAY].min() > 0.01  # one second is 6 degrees of the second hand
    with_day = Clock(periods=(60, 3600, HALF_DAY, 86400))
    assert with_day.squares(HALF_DAY + 1)[HALF_DAY] == pytest.approx(4)  # opposite sides of the circle


@pytest.mark.parametrize(
    ("position", "days", "time"),
    [
        *[(0, 0, "00:00:00"), (3661, 0, "01:01:01"), (86399, 0, "23:59:59"), (59.6, 0, "00:01:00")],
        *[(86400, 1, ""), (90061, 1, "01:01:01"), (365243 * 86400, 365243, ""), (10**9, 11574, "01:46:40")],
    ],
)
def test_a_position_reads_as_a_time(position: float, days: int, time: str) -> None:
    text = say(f"clock.days_d{'_time' if time else ''}", days=days, time=time) if days else time
    assert Clock().position_text(position) == text


@pytest.mark.parametrize(
    ("seconds", "count", "unit"),
    [
        *[(1, 1, "s"), (0.5, 0.5, "s"), (60, 1, "min"), (90, 90, "s"), (43200, 12, "h"), (604800, 1, "wk")],
        *[(31556952, 1, "y"), (5400.0, 90, "min"), (43201.0, 43201, "s"), (86400 * (1 + 1e-15), 1, "d")],
    ],
)
def test_a_period_reads_in_the_largest_unit_that_divides_it(seconds: float, count: float, unit: str) -> None:
    text = Clock().length_text(seconds)
    assert finding(text) == {"key": f"clock.count_{unit}", "count": count}
    assert duration(float(f"{seconds:.12g}")) == text


@pytest.mark.long
@pytest.mark.parametrize(("length", "some"), [(3600, 1800), (7 * 86400, 2 * 86400)])
def test_the_heatmap_has_times_down_and_hands_across(length: int, some: int) -> None:
    axes = Drawing(figsize=(6.75, 4.2), dpi=20).subplots()
    pecli.figure("heatmap", encoding="clock", length=length, dpi=20).draw(axes)
    hands = [f"{wave} {duration(period)}" for period in (60, 3600, HALF_DAY) for wave in ("sin", "cos")]
    assert (axes.get_ylabel(), axes.get_xlabel()) == (say("clock.time"), say("clock.hand"))
    assert Clock().position_text(some) in [tick.get_text() for tick in axes.get_yticklabels()]
    assert [tick.get_text() for tick in axes.get_xticklabels()] == Clock().dimension_names() == hands


# the alien clock


@pytest.mark.parametrize("radix", [3600.0, 2.0, 1.0, 0.5])
def test_the_alien_clock_is_the_articles_formula(radix: float) -> None:
    angles = np.arange(-3, 20)[:, None] / radix ** (2 * np.arange(3))
    expected = np.stack([np.sin(angles), np.cos(angles)], axis=2).reshape(23, 6)
    assert pecli.encode("geometric", d=6, radix=radix, start=-3, length=23) == pytest.approx(expected, abs=1e-13)
    assert pecli.encode("geometric", d=5, radix=radix, start=-3, length=23) == pytest.approx(expected[:, :5], abs=1e-13)


@pytest.mark.some(4)
@pytest.mark.parametrize("d", [2, 6, 7, 26])
def test_with_the_division_by_d_it_is_sinusoidal_with_base_3600(d: int) -> None:
    """radix^(2j) with radix = 3600^(1/d) is 3600^(2j/d); pair by pair, ω of geometric is ω of sinusoidal to the d."""
    sinusoidal, positions = Sinusoidal(d=d, base=3600), np.arange(101, dtype=float)
    assert Geometric(d=d).frequencies() == pytest.approx(sinusoidal.frequencies() ** d, rel=1e-12)
    divided = Geometric(d=d, radix=3600 ** (1 / d))
    assert divided.table(positions) == pytest.approx(sinusoidal.table(positions), abs=1e-12)
