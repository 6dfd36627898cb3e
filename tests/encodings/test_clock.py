"""The clock: hands that turn, and times that no hand tells apart."""

from __future__ import annotations

from math import cos, pi, sin

import numpy as np
import pytest
from matplotlib.figure import Figure as Drawing

import pecli
from pecli.core.errors import UsageError
from pecli.core.positions import Blocks, Positions
from pecli.encodings.clock import Clock, duration
from pecli.figures.labels import DotLabel, labels_of
from pecli.models.spec import read_encoding

HALF_DAY = 43200


def clock_time(text: str) -> int:
    """Seconds since midnight of hh:mm:ss."""
    hours, minutes, seconds = map(int, text.split(":"))
    return 3600 * hours + 60 * minutes + seconds


def apart(first: int, second: int) -> float:
    """How far two times are apart."""
    rows = Clock().table(np.array([first, second], dtype=float))
    return float(np.linalg.norm(rows[0] - rows[1]))


@pytest.mark.parametrize("time", [0, 1, 7, 61, 3599, 9870, 43199, 86399])
def test_each_hand_gives_sine_and_cosine_of_its_angle(time: int) -> None:
    turns = [time % period / period for period in (60, 3600, HALF_DAY)]
    expected = [wave(2 * pi * turn) for turn in turns for wave in (sin, cos)]
    assert pecli.encode("clock", start=time, length=1)[0] == pytest.approx(expected, abs=1e-15)


def test_quarter_past_is_a_quarter_turn_of_the_minute_hand() -> None:
    row = Clock().table(np.array([clock_time("00:15:00")], dtype=float))[0]
    assert row[:4] == pytest.approx([0, 1, 1, 0], abs=1e-15)


def test_the_hands_are_second_minute_and_hour_by_default() -> None:
    assert Clock().periods == (60, 3600, HALF_DAY)
    assert Clock().wavelengths() == pytest.approx([60, 3600, HALF_DAY], rel=1e-15)


def test_d_is_twice_the_number_of_hands() -> None:
    assert pecli.encode("clock", periods=(60, 3600, HALF_DAY, 86400, 604800), length=3).shape == (3, 10)


def test_periods_have_names() -> None:
    assert read_encoding("clock:periods=minute,hour,halfday") == Clock()
    named = Clock(periods=("day", "week", "month", "year")).periods  # type: ignore[arg-type]  # text is read
    assert named == (86400, 604800, 2629746, 31556952)


def test_a_gregorian_year_is_twelve_months_and_365_and_97_of_400_days() -> None:
    month, year = Clock(periods=("month", "year")).periods  # type: ignore[arg-type]  # text is read
    assert 12 * month == year == (365 + 97 / 400) * 86400


def test_an_unknown_period_is_refused_with_the_known_names() -> None:
    with pytest.raises(UsageError, match=r"periods=.*fortnight.* minute, hour, halfday, day, week, month, year"):
        read_encoding("clock:periods=60,fortnight")


@pytest.mark.parametrize("period", [0, -60, "nan", "inf", "", True])
def test_a_period_that_cannot_be_is_refused(period: object) -> None:
    with pytest.raises(UsageError, match="periods"):
        Clock.make({"periods": [60, period]})


def test_the_articles_formula_is_periods_1_3600_43200() -> None:
    k = 12345
    hands = [2 * pi * k, 2 * pi * k / 3600, 2 * pi * k / (3600 * 12)]
    row = Clock(periods=(1, 3600, HALF_DAY)).table(np.array([k], dtype=float))[0]
    assert row == pytest.approx([wave(angle) for angle in hands for wave in (sin, cos)], abs=1e-10)


def test_the_articles_first_hand_always_points_up_at_whole_seconds() -> None:
    table = pecli.encode("clock", periods=(1, 3600, HALF_DAY), length=97, start=10**9)
    assert np.array_equal(table[:, :2], np.tile([0.0, 1.0], (97, 1)))


@pytest.mark.parametrize("time", [0, 1, 12345, 43199])
def test_times_12_hours_apart_coincide(time: int) -> None:
    assert apart(time, time + HALF_DAY) == pytest.approx(0, abs=1e-12)
    assert apart(time, time + 1001 * HALF_DAY) == pytest.approx(0, abs=1e-12)


def test_no_other_two_times_within_12_hours_coincide() -> None:
    squares = Clock().squares(HALF_DAY + 1)
    assert squares[0] == 0
    assert squares[HALF_DAY] == pytest.approx(0, abs=1e-24)
    assert squares[1:HALF_DAY].min() > 0.01  # one second is 6 degrees of the second hand


def test_a_day_hand_tells_morning_from_evening() -> None:
    with_day = Clock(periods=(60, 3600, HALF_DAY, 86400))
    assert with_day.squares(HALF_DAY + 1)[HALF_DAY] == pytest.approx(4)  # opposite sides of the circle


def test_the_end_of_a_turn_is_nearer_to_its_start_than_five_minutes_are() -> None:
    """The third article's problem. It says 12:59:59, which twelve hour hands show as 00:59:59: there it fails."""
    five_minutes = apart(clock_time("00:00:01"), clock_time("00:05:01"))
    assert apart(clock_time("11:59:59"), clock_time("00:00:01")) < five_minutes
    assert apart(clock_time("12:59:59"), clock_time("00:00:01")) > five_minutes


def test_distance_and_curves_show_the_coincidence() -> None:
    matrix = pecli.figure("distance", encoding="clock", periods=(12,), length=25).numbers.main
    assert np.argwhere(matrix[0] < 1e-12).ravel().tolist() == [0, 12, 24]
    curve = pecli.figure("curves", encoding="clock", periods=(12,), length=25, at=(1,)).numbers.main[0]
    assert np.argwhere(curve < 1e-12).ravel().tolist() == [1, 13]


@pytest.mark.parametrize("blocks", [Blocks(0, 997, 60), Blocks(10**12, 101, 13), Blocks(-50, 100, 7)], ids=str)
def test_block_means_are_the_brute_force(blocks: Blocks) -> None:
    table = Clock().table(np.arange(blocks.start, blocks.start + blocks.length, dtype=float))
    cuts = np.split(table, range(blocks.size, blocks.length, blocks.size))
    assert Clock().mean_table(blocks) == pytest.approx(np.array([part.mean(axis=0) for part in cuts]), abs=1e-13)


def test_a_whole_turn_averages_to_nothing() -> None:
    means = Clock().mean_table(Blocks(17, HALF_DAY, HALF_DAY))
    assert means == pytest.approx(np.zeros((1, 6)), abs=1e-12)


@pytest.mark.parametrize(
    ("position", "text"),
    [
        (0, "00:00:00"),
        (3661, "01:01:01"),
        (clock_time("12:59:59"), "12:59:59"),
        (86399, "23:59:59"),
        (86400, "1 d"),
        (90061, "1 d 01:01:01"),
        (365243 * 86400, "365,243 d"),
        (10**9, "11,574 d 01:46:40"),
        (59.6, "00:01:00"),
    ],
)
def test_a_position_reads_as_a_time(position: float, text: str) -> None:
    assert Clock().position_text(position) == text


@pytest.mark.parametrize(
    ("seconds", "text"),
    [(1, "1 s"), (0.5, "0.5 s"), (60, "1 min"), (90, "90 s"), (43200, "12 h"), (604800, "1 wk"), (31556952, "1 y")],
)
def test_a_period_reads_in_the_largest_unit_that_divides_it(seconds: float, text: str) -> None:
    assert duration(seconds) == text


def test_columns_are_named_by_wave_and_hand() -> None:
    assert Clock().dimension_names() == ["sin 1 min", "cos 1 min", "sin 1 h", "cos 1 h", "sin 12 h", "cos 12 h"]


@pytest.mark.parametrize(("length", "some"), [(3600, "00:30:00"), (86400, "12:00:00"), (7 * 86400, "2 d")])
def test_the_heatmap_has_times_down_and_hands_across(length: int, some: str) -> None:
    axes = Drawing(figsize=(6.75, 4.2), dpi=20).subplots()
    pecli.figure("heatmap", encoding="clock", length=length, dpi=20).draw(axes)
    times = [tick.get_text() for tick in axes.get_yticklabels()]
    assert axes.get_ylabel() == "time"
    assert axes.get_xlabel() == "hand"
    assert some in times
    assert [tick.get_text() for tick in axes.get_xticklabels()] == Clock().dimension_names()


def test_curves_name_their_lines_by_times() -> None:
    axes = Drawing(dpi=20).subplots()
    pecli.figure("curves", encoding="clock", length=86400 // 8, at=(0, 3661)).draw(axes)
    assert [name.get_text() for name in labels_of(axes, DotLabel)] == ["from 00:00:00", "from 01:01:01"]


def test_a_clock_has_a_time_before_and_after_any_length() -> None:
    assert Clock().covered(Positions(start=-5, length=10)) == Positions(start=-5, length=10)
    assert Clock.extrapolates


def test_lengths_and_hands_are_told_as_durations() -> None:
    assert [Clock().length_text(length) for length in Clock().wavelengths()] == ["1 min", "1 h", "12 h"]
    assert [Clock().pair_text(pair) for pair in range(3)] == ["1 min hand", "1 h hand", "12 h hand"]
    assert (Clock.position_label, Clock.other_label) == ("time", "other time")


@pytest.mark.parametrize(("seconds", "text"), [(5400.0, "90 min"), (43201.0, "43201 s"), (86400 * (1 + 1e-15), "1 d")])
def test_a_duration_keeps_its_seconds_and_drops_rounding(seconds: float, text: str) -> None:
    assert Clock().length_text(seconds) == text
