"""The curves' numbers and what stands on their Axes."""

from __future__ import annotations

import itertools
from typing import Any

import numpy as np
import pytest

import pecli
from pecli.core.errors import UsageError
from pecli.figures.labels import DotLabel, labels_of
from tests.drawing import axes_of, dot_labels, page_of


def drawn(**options: Any) -> Any:
    return axes_of("curves", **options)


@pytest.mark.parametrize("d", [6, 7])
def test_each_line_is_the_distance_from_its_position_with_a_mark_at_itself(d: int) -> None:
    axes = drawn(d=d, length=11, start=5, at=[7, 15])
    table = pecli.encode(d=d, length=11, start=5)
    lines, marks = axes.lines[0::2], axes.lines[1::2]
    for at, line, mark in zip([7, 15], lines, marks, strict=True):
        expected = np.linalg.norm(table - table[at - 5], axis=1)
        assert np.array_equal(line.get_xdata(), np.arange(5, 16))
        assert line.get_ydata() == pytest.approx(expected, abs=1e-14)
        assert (list(mark.get_xdata()), list(mark.get_ydata())) == ([at], [0])
        assert mark.get_color() == line.get_color()
        assert mark.get_marker() == "o"


def test_names_of_lines_stand_at_their_dots_and_in_a_key_where_there_is_no_room() -> None:
    axes = drawn(d=7, length=11, at="3,7")
    assert axes.get_legend() is None
    assert [(one.get_text(), one.xy) for one in labels_of(axes, DotLabel)] == [("from 3", (3, 0)), ("from 7", (7, 0))]
    for legend in (drawn(d=7, at="3,4", length=99), drawn(d=7, at="3,4", length=11, against="offset")):
        assert [text.get_text() for text in legend.get_legend().get_texts()] == ["from 3", "from 4"]


@pytest.mark.parametrize(("measure", "below"), [("euclidean", True), ("cos", False)])
def test_names_at_dots_stand_on_the_side_on_which_no_line_is_apart_and_inside(measure: str, below: bool) -> None:
    axes = page_of("curves", d=8, length=40, dpi=200, measure=measure, size="column").axes[0]
    boxes = [one.get_window_extent() for one in labels_of(axes, DotLabel)]
    assert len(boxes) == 5 and all(a.x1 < b.x0 for a, b in itertools.pairwise(boxes))
    ends = axes.transData.transform([(0, end) for end in axes.dataLim.intervaly])[:, 1]
    for box in boxes:
        assert axes.bbox.x0 - 0.5 <= box.x0 and box.x1 <= axes.bbox.x1 + 0.5  # half a pixel
        assert axes.bbox.y0 <= box.y0 and box.y1 < ends[0] if below else ends[1] < box.y0 and box.y1 <= axes.bbox.y1


def test_axes_are_labelled_by_the_measure() -> None:
    axes = drawn(d=7, length=5, measure="dot")
    assert (axes.get_xlabel(), axes.get_ylabel()) == ("position p", "dot product")
    table = pecli.encode(d=7, length=5)
    assert axes.lines[0].get_ydata() == pytest.approx(table @ table[0])
    assert list(axes.lines[1].get_ydata()) == [pytest.approx(table[0] @ table[0])]


@pytest.mark.parametrize(("encoding", "coincide"), [("sinusoidal", True), ("binary", False)])
def test_against_the_offset_it_says_whether_lines_coincide(encoding: str, coincide: bool) -> None:
    numbers = pecli.figure("curves", encoding=encoding, length=40, at=[3, 11, 30], against="offset").numbers
    table, at = pecli.encode(encoding, length=40), np.array([3, 11, 30])
    found: dict[int, list[float]] = {}
    for start in at:
        for p in range(40):
            found.setdefault(p - start, []).append(float(np.linalg.norm(table[p] - table[start])))
    widest = max(max(ones) - min(ones) for ones in found.values())
    assert numbers.facts()["apart"] == pytest.approx(widest, abs=1e-9)
    assert ("coincide" in numbers.message()) is coincide
    beside = pecli.figure("curves", encoding=encoding, length=40, at=[3, 11, 30]).numbers.message()
    assert ("one shape, shifted: only the offset counts" in beside) is coincide


@pytest.mark.parametrize("start", [0, 5])
@pytest.mark.parametrize("encoding", ["rope", "binary"])
def test_a_log_axis_has_every_position_from_1_on(encoding: str, start: int) -> None:
    options = {"encoding": encoding, "d": 8, "length": 97, "start": start, "at": [start, 50], "log": True}
    axes, table = drawn(**options), pecli.encode(encoding, d=8, length=97, start=start)
    first = max(1, start)
    expected = np.linalg.norm(table[first - start :] - table[50 - start], axis=1)
    (line,) = [one for one in axes.lines if len(one.get_xdata()) > 1 and one.get_color() == "C1"]
    assert axes.get_xscale() == "log" and np.array_equal(line.get_xdata(), np.arange(first, start + 97))
    assert line.get_ydata() == pytest.approx(expected, abs=1e-14)
    marks = [float(one.get_xdata()[0]) for one in axes.lines if len(one.get_xdata()) == 1]
    assert marks == ([0, 50] if start == 0 else [5, 50])
    beyond = [one.get_ydata()[0] for one in axes.lines if one.get_marker() == "<"]  # 0 has no place on it
    assert beyond == ([0] if start == 0 else [])
    low, high = axes.get_ylim()
    assert low < 0 < high


@pytest.mark.parametrize("encoding", ["rope", "binary"])
def test_more_positions_than_pixels_of_a_log_axis_keep_their_extremes(encoding: str) -> None:
    options: dict[str, Any] = {"encoding": encoding, "d": 12, "length": 2000, "log": True, "at": 1000}
    numbers: Any = pecli.figure("curves", size="3x2", dpi=20, **options).seen
    table = pecli.encode(encoding, d=12, length=2000)
    every = np.linalg.norm(table - table[1000], axis=1)[1:]
    assert numbers.curves.shape[1] < 60 and numbers.block > 50
    assert (numbers.low.min(), numbers.curves.max()) == pytest.approx((every.min(), every.max()), abs=1e-14)
    assert numbers.curves[0, 0] == pytest.approx(every[0]) and "minimum to maximum of up to" in numbers.caption()
    axes = page_of("curves", size="3x2", dpi=20, **options).axes[0]
    (line,) = [one for one in axes.lines if len(one.get_xdata()) > 1]
    assert line.get_xdata()[:3].tolist() == [1, 2, 3] and len(axes.collections) == 1
    at = int(np.flatnonzero(line.get_xdata() == 1000)[0])
    assert line.get_ydata()[at] == 0  # it goes through its dot
    assert np.delete(line.get_ydata(), at) == pytest.approx((numbers.low + numbers.curves)[0] / 2)


@pytest.mark.parametrize("length", [30, 900])
def test_lines_have_the_dashes_that_the_key_says_with_a_band_around_them_too(length: int) -> None:
    axes = page_of("curves", d=4, length=length, against="offset", size="column", dpi=40).axes[0]
    legend = axes.get_legend()
    dashes = [line.get_linestyle() for line in axes.lines if len(line.get_xdata()) > 1]
    assert legend is not None and [line.get_linestyle() for line in legend.get_lines()] == dashes
    assert len(set(dashes)) > 1 and len(axes.collections) == (5 if length == 900 else 0)


def test_names_at_dots_are_shorter_where_whole_ones_have_no_room() -> None:
    axes = page_of("curves", length=3000, d=8, size="2.5x2", dpi=40).axes[0]
    assert dot_labels(axes) == ["from 0", "750", "1,500", "2,250", "2,999"]
    assert axes.get_ylim()[0] < axes.get_yticks().min() == 0  # no number where the names stand


@pytest.mark.parametrize(
    ("options", "at"),
    [
        ({"length": 200}, [0, 50, 100, 150, 199]),
        ({"length": 101, "start": 7}, [7, 32, 57, 82, 107]),
        ({"length": 3}, [0, 1, 2]),
        ({"length": 1, "start": -5}, [-5]),
        ({"length": 7, "at": [5, 5, 2]}, [5, 2]),
    ],
)
def test_positions_are_those_asked_for_or_spread_over_the_length(options: dict[str, Any], at: list[int]) -> None:
    assert pecli.figure("curves", d=3, **options).numbers.arrays()["at"].tolist() == at


@pytest.mark.parametrize(
    ("options", "said"),
    [
        *[({"length": 7, "at": at}, "at") for at in ([7], [-1], "0,99", [])],
        *[({"log": True, **options}, "log") for options in ({"length": 2}, {"start": -3}, {"against": "offset"})],
    ],
)
def test_what_has_no_place_is_refused(options: dict[str, Any], said: str) -> None:
    with pytest.raises(UsageError, match=said):
        pecli.figure("curves", **options)


def test_undefined_values_leave_a_gap_and_a_line_of_them_has_no_name() -> None:
    line = drawn(d=1, length=5, at=[2], measure="cos").lines[0]
    assert np.isnan(np.asarray(line.get_ydata())).tolist() == [True, False, False, False, False]
    options: dict[str, Any] = {"encoding": "binary", "measure": "corr", "length": 16, "at": [0, 5]}
    assert dot_labels(drawn(**options)) == ["from 5"]
    assert "from 0: undefined (constant row)" in pecli.figure("curves", **options).seen.caption()


def test_more_positions_than_pixels_keep_the_extremes_of_a_closed_form() -> None:
    numbers = pecli.figure("curves", d=8, length=5000, dpi=20, at=[0, 10, 4999]).seen
    table, starts = pecli.encode(d=8, length=5000), np.arange(0, 5000, numbers.facts()["block"])
    lines = np.linalg.norm(table[None] - table[[0, 10, 4999], None], axis=2)
    assert np.allclose(numbers.arrays()["curves"], np.maximum.reduceat(lines, starts, axis=1), atol=1e-12)
    assert np.allclose(numbers.arrays()["low"], np.minimum.reduceat(lines, starts, axis=1), atol=1e-7)


def test_against_the_offset_every_line_starts_at_0_and_a_log_axis_at_1() -> None:
    axes = drawn(d=6, length=20, at=[3, 11], against="offset")
    assert [line.get_xdata()[0] for line in axes.lines] == [-3, 0, -11, 0]
    low, high = axes.get_xlim()
    assert -12 < low <= -11 and 16 <= high < 17 and "offset" in axes.get_xlabel()
    axes = drawn(d=8, length=97, start=5, at=5, log=True, against="offset")
    (line,) = [one for one in axes.lines if len(one.get_xdata()) > 1]
    assert axes.get_xscale() == "log" and np.array_equal(line.get_xdata(), np.arange(1, 97))
    assert [one.get_marker() for one in axes.lines if len(one.get_xdata()) == 1] == ["<"]
