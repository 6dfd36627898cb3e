"""Clock faces: where every hand points, and which dials are shown."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from matplotlib.figure import Figure as Drawing

import pecli
from pecli.core.errors import UsageError


def numbers(**options: object) -> Any:
    return pecli.figure("dials", **options).numbers


def hands(**options: object) -> Any:
    """The tip of every hand from the middle of its face, in radii, shape (rows, columns, 2)."""
    picture = pecli.figure("dials", **options)
    axes: Any = picture.draw(Drawing().subplots())
    segments = np.array(axes.collections[-1].get_segments())
    rows, columns = picture.seen.main.shape
    across, down = axes.get_xticks(), axes.get_yticks()  # their texts say what stands there
    assert segments[:, 0] == pytest.approx(np.array([(x, y) for y in down for x in across]))
    assert len(across) == columns and len(down) == rows
    return ((segments[:, 1] - segments[:, 0]) / 0.4).reshape(rows, columns, 2)


@pytest.mark.parametrize("d", [6, 7])
def test_the_tip_of_a_hand_is_the_sine_and_the_cosine_of_its_pair(d: int) -> None:
    at = [0, 1, 50, -7]
    table = np.hstack([pecli.encode(d=d + d % 2, base=10 ** ((d + d % 2) / d), length=1, start=p) for p in at])
    expected = table.reshape(len(at), -1, 2)
    assert hands(d=d, base=10, at=at) == pytest.approx(expected, abs=1e-12)


def test_at_three_o_clock_the_hour_hand_is_at_a_quarter() -> None:
    seconds, minutes, hours = hands(encoding="clock", at=[3 * 3600])[0]
    assert seconds == pytest.approx([0, 1], abs=1e-12)
    assert minutes == pytest.approx([0, 1], abs=1e-12)
    assert hours == pytest.approx([1, 0], abs=1e-12)  # to the right: clockwise from the top


def test_at_half_past_the_minute_hand_points_down_and_the_row_says_the_time() -> None:
    axes: Any = pecli.figure("dials", encoding="clock", at=[10981, 1800]).draw(Drawing().subplots())
    assert [text.get_text() for text in axes.get_yticklabels()] == ["03:03:01", "00:30:00"]
    assert hands(encoding="clock", at=[1800])[0, 1] == pytest.approx([0, -1], abs=1e-12)


def test_every_dial_is_named_with_its_wavelength() -> None:
    axes: Any = pecli.figure("dials", d=4, base=100, at=[0]).draw(Drawing().subplots())
    assert [text.get_text() for text in axes.get_xticklabels()] == ["pair 0\nλ 6.28", "pair 1\nλ 62.8"]
    (width,), (height,) = (abs(np.diff(ends)) for ends in (axes.get_xlim(), axes.get_ylim()))
    assert axes.get_box_aspect() == pytest.approx(height / width) == 1 / 2.4  # so that a circle is round


@pytest.mark.parametrize(
    ("length", "start", "rows"),
    [
        (200, 0, [0, 1, 10, 100]),
        (200, 7, [7, 8, 17, 107]),
        (2, 7, [7, 8]),
        (1, -3, [-3]),
        (20, -30, [-30, -29, -20]),
        (200, -30, [0, 1, 10, 100]),
        (4, 0, [0, 1, 2, 3]),
        (100, 0, [0, 1, 10]),
        (101, 0, [0, 1, 10, 100]),
        (10**6, 0, [0, 1, 100, 10**5]),
    ],
)
def test_without_positions_four_at_most_grow_so_that_fast_and_slow_hands_turn(
    length: int, start: int, rows: list[int]
) -> None:
    assert numbers(length=length, start=start).arrays()["positions"].tolist() == rows


@pytest.mark.parametrize(("d", "count"), [(128, 8), (16, 8), (14, 7), (7, 4), (1, 1)])
def test_without_pairs_eight_at_most_are_spread_from_the_first_to_the_last(d: int, count: int) -> None:
    pairs = numbers(d=d).arrays()["pairs"].tolist()
    assert len(pairs) == count == len(set(pairs))
    assert (pairs[0], pairs[-1]) == (0, (d + 1) // 2 - 1)


def test_pairs_and_positions_are_the_users_in_their_order() -> None:
    found = numbers(d=128, pairs=[63, 0], at=[10**9, 3])
    assert found.arrays()["pairs"].tolist() == [63, 0]
    assert found.arrays()["positions"].tolist() == [10**9, 3]  # beyond the length too
    assert found.arrays()["wavelengths"] == pytest.approx([2 * np.pi * 10000 ** (63 / 64), 2 * np.pi])
    assert found.main[1, 1] == pytest.approx(3)
    assert np.abs(found.main).max() <= np.pi


@pytest.mark.parametrize(("d", "beyond"), [(8, 4), (7, 4), (1, 1)])
def test_a_pair_that_is_not_there_is_refused(d: int, beyond: int) -> None:
    with pytest.raises(UsageError, match=f"pairs={beyond}.*pairs 0 to {beyond - 1}"):
        pecli.figure("dials", d=d, pairs=[0, beyond])
    with pytest.raises(UsageError, match="pairs=-1"):
        pecli.figure("dials", d=d, pairs=[-1])


@pytest.mark.parametrize("encoding", ["binary", "learned"])
def test_what_does_not_turn_is_refused_with_figures_that_fit(encoding: str) -> None:
    with pytest.raises(UsageError, match=f"dials cannot show {encoding}.*heatmap"):
        pecli.figure("dials", encoding=encoding)


def test_numbers_are_angles_by_position_and_pair() -> None:
    header, columns = numbers(d=6, at=[0, 2]).sheet()
    rows = np.column_stack(columns)
    assert header == ["positions", "pair 0", "pair 1", "pair 2"]
    assert rows[:, 0].tolist() == [0, 2] and rows[0, 1:].tolist() == [0, 0, 0]
    assert rows[1, 1] == pytest.approx(2)


def test_the_caption_says_where_0_is_and_which_way_hands_turn() -> None:
    numbers = pecli.figure("dials", d=4, length=5).numbers
    assert numbers.caption() == "top: angle 0; hands turn clockwise; λ: positions of one turn"
    assert pecli.figure("dials", encoding="clock", length=5).numbers.caption() == "top: angle 0; hands turn clockwise"
    both = pecli.figure("compare", figure="dials", encoding=["clock", "rope"], length=5)
    assert both.caption() == "top: angle 0; hands turn clockwise; λ: positions of one turn"


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"d": 4, "base": 100}, "the fastest hand turns once in 6.28 positions, the slowest in 62.8"),
        ({"d": 4, "base": 100, "pairs": [1]}, ""),
        ({"encoding": "clock"}, "the fastest hand turns once in 1 min, the slowest in 12 h"),
        ({"encoding": "clock", "pairs": [1]}, ""),
    ],
)
def test_the_fastest_and_the_slowest_hand_are_named(options: dict[str, Any], said: str) -> None:
    assert pecli.figure("dials", length=5, **options).numbers.message() == said
