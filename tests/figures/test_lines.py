"""Tests of the numbers and artists of the figures curves and waves."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import numpy as np
import pytest
from matplotlib.colors import to_hex

import pecli
from pecli.core.errors import UsageError
from pecli.core.language import finding, say
from pecli.encodings.base import TableEncoding
from pecli.encodings.binary import Binary
from pecli.encodings.clock import Clock
from pecli.encodings.learned import Learned
from pecli.encodings.sinusoidal import Sinusoidal
from pecli.figures.waves import wavelength_text
from pecli.page.colors import legible
from pecli.page.labels import LineLabel, PointLabel, labels_of
from pecli.page.lines import MAX_LINES
from tests.drawing import axes_of, clauses, numbers_of, page_of, texts, told


def drawn(**options: Any) -> Any:
    return axes_of("curves", **options)


@pytest.mark.long
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


@pytest.mark.parametrize(
    ("figure", "options", "ends", "names"),
    [
        ("curves", {"at": "3,7", "vmin": 1.0, "vmax": 2.0}, (1.0, 2.0), 0),  # dots are at 0, so none has a name
        ("curves", {"at": "3,7", "vmax": 2.0}, (None, 2.0), 2),
        ("offsets", {"vmin": -9.0}, (-9.0, None), 2),
        ("spectrum", {"vmax": 100.0}, (None, 100.0), 1),  # all pairs turn
    ],
)
def test_an_axis_of_values_ends_where_it_is_asked_to(figure: str, options: Any, ends: Any, names: int) -> None:
    axes = page_of(figure, d=8, length=200, **options).axes[0]
    usual = page_of(figure, d=8, length=200).axes[0]
    assert axes.get_ylim() == tuple(
        own if end is None else end for end, own in zip(ends, usual.get_ylim(), strict=True)
    )
    assert len(labels_of(axes, PointLabel)) == names
    low, high = axes.get_ylim()
    beyond = [line for line in axes.lines if min(line.get_ydata()) < low or max(line.get_ydata()) > high]
    assert all(line.get_clip_on() for line in beyond)


@pytest.mark.long
@pytest.mark.parametrize("options", [{}, {"encoding": "binary"}, {"measure": "dot"}, {"size": "column"}])
def test_curves_are_named_at_their_dots_in_their_colours(options: dict[str, Any]) -> None:
    axes = page_of("curves", d=7, length=11, at="3,7", **options).axes[0]
    labels, dots = labels_of(axes, PointLabel), axes.lines[1::2]
    names = [say("curves.from_position_2", position=position) for position in (3, 7)]
    assert axes.get_legend() is None and texts(labels) == names
    assert [label.xy for label in labels] == [(*dot.get_xdata(), *dot.get_ydata()) for dot in dots]
    assert [to_hex(label.get_color()) for label in labels] == ["#1e5eae", "#c44327"]
    assert to_hex(legible("#c0841a", axes)) != "#c0841a"  # too pale for text
    assert [dot.get_color() for dot in dots] == ["C0", "C1"]
    boxes = [label.get_window_extent() for label in labels]
    assert not boxes[0].overlaps(boxes[1])
    assert all(axes.bbox.expanded(1.01, 1.01).fully_contains(*box.min) for box in boxes)


@pytest.mark.long
@pytest.mark.parametrize(("encoding", "lines"), [("binary", 3), ("rope", 1), ("sinusoidal", 1)])
def test_curves_that_are_one_are_one_line_without_a_name(encoding: str, lines: int) -> None:
    axes = drawn(encoding=encoding, length=20, at="3,4,11", measure="dot", against="offset")
    curves = [line for line in axes.lines if len(line.get_xdata()) > 1]
    assert len(curves) == lines and len(axes.lines) == 2 * lines
    legend = axes.get_legend()
    names = [say("curves.from_position_2", position=position) for position in (3, 4, 11)]
    assert (texts(legend.get_texts()) if legend else []) == names * (lines > 1)


def test_encodings_whose_curves_are_one_have_one_line_with_both_names() -> None:
    axes = drawn(encoding=["rope", "sinusoidal", "binary"], length=20, at=3)
    assert len(axes.lines) == 4  # two lines and their dots
    visible = [label.get_text() for label in labels_of(axes, LineLabel) if label.get_visible()]
    assert [text.count("base") for text in visible] == [2, 0]


@pytest.mark.long
def test_of_many_lines_colours_show_the_order_and_some_have_names() -> None:
    axes = drawn(d=8, length=64, at="0..63:20")
    assert len(axes.lines) == 40 and len(labels_of(axes, PointLabel)) == MAX_LINES
    assert len({to_hex(line.get_color()) for line in axes.lines}) == 20


@pytest.mark.parametrize(
    ("encoding", "at", "coincide"),
    [
        ("sinusoidal", [3, 11, 30], True),
        ("binary", [3, 11, 30], False),
        ("binary", [0, 39], None),  # the only offset of both lines is 0
        ("binary", [0, 16], None),  # bits below 16 are the same
    ],
)
def test_against_the_offset_it_says_whether_lines_coincide(encoding: str, at: Any, coincide: bool | None) -> None:
    length = 40 if at[-1] > 16 else 32
    options: dict[str, Any] = {"encoding": encoding, "length": length, "at": at}
    numbers, beside = (pecli.figure("curves", **options, against=axis).numbers for axis in ("offset", "position"))
    if coincide is None:  # these lines coincide, others do not
        assert numbers.message() == beside.message() == "" and not numbers.facts()["apart"]
        return
    table = pecli.encode(encoding, length=length)
    found: dict[int, list[float]] = {}
    for start in at:
        for p in range(40):
            found.setdefault(p - start, []).append(float(np.linalg.norm(table[p] - table[start])))
    widest = max(max(ones) - min(ones) for ones in found.values())
    assert list(numbers.facts()["apart"].values()) == pytest.approx([widest], abs=1e-9)
    differs = say("words.at_equal_offset_the", measure=say("measure.euclidean_distance"), number=f"{widest:.3g}")
    assert numbers.message() == beside.message() == (say("curves.every_curve_is_the") if coincide else differs)


@pytest.mark.some(4)
@pytest.mark.parametrize("start", [0, 5])
@pytest.mark.parametrize("encoding", ["rope", "binary"])
def test_a_log_axis_has_every_position_from_1_on(encoding: str, start: int) -> None:
    options = {"encoding": encoding, "d": 8, "length": 97, "start": start, "at": [start, 50], "log": True}
    axes, table = drawn(**options), pecli.encode(encoding, d=8, length=97, start=start)
    first = max(1, start)
    expected = np.linalg.norm(table[first - start :] - table[50 - start], axis=1)
    (line,) = [item for item in axes.lines if len(item.get_xdata()) > 1 and item.get_color() == "C1"]
    assert axes.get_xscale() == "log" and np.array_equal(line.get_xdata(), np.arange(first, start + 97))
    assert line.get_ydata() == pytest.approx(expected, abs=1e-14)
    marks = [float(item.get_xdata()[0]) for item in axes.lines if len(item.get_xdata()) == 1]
    assert marks == ([50] if start == 0 else [5, 50])  # 0 has no place on it
    low, high = axes.get_ylim()
    assert low == 0 < high


@pytest.mark.long
@pytest.mark.parametrize(("encoding", "size"), [("rope", "3x2"), ("binary", "4x3")])
def test_more_positions_than_pixels_of_a_log_axis_keep_their_extremes(encoding: str, size: str) -> None:
    options: dict[str, Any] = {"encoding": encoding, "d": 12, "length": 2000, "log": True, "at": 1000}
    numbers: Any = pecli.figure("curves", size=size, dpi=20, **options).seen
    table = pecli.encode(encoding, d=12, length=2000)
    every = np.linalg.norm(table - table[1000], axis=1)[1:]
    assert numbers.curves.shape[1] < 120 and numbers.block > 25
    assert (numbers.low.min(), numbers.curves.max()) == pytest.approx((every.min(), every.max()), abs=1e-14)
    assert numbers.curves[0, 0] == pytest.approx(every[0])
    assert (
        say("figures.each_pixel_minimum_to", positions=numbers.view.encoding.counted(numbers.block))
        in numbers.caption()
    )
    axes = page_of("curves", size=size, dpi=20, **options).axes[0]
    (line,) = [item for item in axes.lines if len(item.get_xdata()) > 1]
    assert line.get_xdata()[:3].tolist() == [1, 2, 3] and len(axes.collections) == 1
    marks = {float(item.get_xdata()[0]): float(item.get_ydata()[0]) for item in axes.lines if item is not line}
    assert marks[1000] == 0 and marks.get(1001, 1) == 1  # the nearest is named: 1001
    dots = np.isin(line.get_xdata(), [*marks])
    assert line.get_ydata()[dots].tolist() == [marks[at] for at in line.get_xdata()[dots]]  # it goes through its dots
    assert line.get_ydata()[~dots] == pytest.approx((numbers.low + numbers.curves)[0] / 2)


@pytest.mark.parametrize(
    ("options", "at"),
    [
        ({"length": 200}, [0, 100, 199]),
        ({"length": 101, "start": 7}, [7, 57, 107]),
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


@pytest.mark.long
def test_undefined_values_leave_a_gap_and_a_line_of_them_has_no_name() -> None:
    line = drawn(d=1, length=5, at=[2], measure="cos").lines[0]
    assert np.isnan(np.asarray(line.get_ydata())).tolist() == [True, False, False, False, False]
    options: dict[str, Any] = {"encoding": "binary", "measure": "corr", "length": 16, "at": [0, 5]}
    assert texts(labels_of(drawn(**options), PointLabel)) == [say("curves.from_position_2", position=5)]
    undefined = say("curves.from_undefined", positions="0", why=say("measure.constant_row"))
    assert undefined in clauses(pecli.figure("curves", **options).seen.caption())


def test_against_the_offset_every_line_starts_at_0_and_a_log_axis_at_1() -> None:
    axes = drawn(encoding="binary", length=20, at=[3, 11], against="offset")
    assert [line.get_xdata()[0] for line in axes.lines] == [-3, 0, -11, 0]
    low, high = axes.get_xlim()
    assert -12 < low <= -11 and 16 <= high < 17 and axes.get_xlabel() == say("curves.offset_from_lines_own")
    axes = drawn(d=32, length=97, start=5, at=5, log=True, against="offset")
    (line,) = [item for item in axes.lines if len(item.get_xdata()) > 1]
    assert axes.get_xscale() == "log" and np.array_equal(line.get_xdata(), np.arange(1, 97))
    assert not [item for item in axes.lines if len(item.get_xdata()) == 1]


@pytest.mark.long
@pytest.mark.parametrize(
    ("options", "noted"),
    [
        ({"log": True}, say("page.position_0_has_no")),
        ({"log": True, "at": 0, "against": "offset"}, say("page.offset_0_has_no")),
        ({"log": True, "start": 5, "at": 5, "against": "offset"}, say("page.offset_0_has_no")),
        ({"log": True, "at": 3}, ""),
        ({"log": True, "start": 5}, ""),
        ({}, ""),
    ],
)
def test_a_line_whose_dot_has_no_place_is_noted(options: dict[str, Any], noted: str) -> None:
    assert pecli.figure("curves", d=8, length=20, **options).seen.caption() == noted


MINUTE, HOUR, HOURS = say("clock.count_min", count=1), say("clock.count_h", count=1), say("clock.count_h", count=12)


def waves_on(**options: Any) -> Any:
    return axes_of("waves", **options)


def measures(axes: Any) -> list[Any]:
    """Return the lines from crest to crest."""
    return [line for line in axes.get_lines() if line.get_marker() == "|"]


def waves(axes: Any) -> list[Any]:
    """Return the lines of numbers, without dots and what measures a wavelength."""
    return [line for line in axes.get_lines() if line.get_marker() != "|" and line.get_linestyle() != "None"]


@pytest.mark.long
@pytest.mark.parametrize(("d", "start", "dims"), [(7, 0, [4, 5, 6]), (2, -3, [1]), (128, 1009, [4, 5, 6, 7])])
@pytest.mark.parametrize("encoding", ["sinusoidal", "rope:query=random:1"])
def test_every_lane_is_a_column_of_the_table_as_a_curve_with_its_dots(
    encoding: str, d: int, start: int, dims: list[int]
) -> None:
    if encoding != "sinusoidal" and d % 2:
        return
    options: dict[str, Any] = {"encoding": encoding, "d": d, "length": 23, "start": start}
    axes, table = waves_on(dims=dims, **options), pecli.encode(**options)
    largest, dots = np.abs(table[:, dims]).max(), [line for line in axes.lines if line.get_linestyle() == "None"]
    assert len(waves(axes)) == len(dots) == len(dims)
    for line, own, dim, lane in zip(waves(axes), dots, dims, axes.get_yticks(), strict=True):
        assert own.get_xdata().tolist() == list(range(start, start + 23))
        assert largest * (own.get_ydata() - lane) == pytest.approx(table[:, dim], abs=1e-14)
        curve = np.interp(own.get_xdata(), line.get_xdata(), line.get_ydata())
        assert curve == pytest.approx(own.get_ydata(), abs=1e-3) and len(line.get_xdata()) >= 2000


@pytest.mark.long
@pytest.mark.parametrize("encoding", ["sinusoidal:d=32", "rope:d=32,query=random:1", "clock"])
def test_a_wavelength_is_measured_from_crest_to_crest(encoding: str) -> None:
    axes = waves_on(encoding=encoding, length=60, start=5, dims=[0, 1])
    found: Any = pecli.figure("waves", encoding=encoding, length=60, start=5, dims=[0, 1]).numbers
    marks = measures(axes) or [None]
    for mark, line, wave in zip(marks, waves(axes), found.wavelengths, strict=False):
        if encoding == "clock":  # whose minute does not fit from a crest on
            assert mark is None or mark.get_xdata()[0] == pytest.approx(60)
            continue
        first, last = mark.get_xdata()
        crests = np.interp([first, last], line.get_xdata(), line.get_ydata())
        assert last - first == pytest.approx(wave) and crests == pytest.approx([max(line.get_ydata())] * 2, abs=1e-3)
        assert 5 <= first < 5 + wave


@pytest.mark.long
def test_lanes_go_down_and_do_not_touch() -> None:
    axes = waves_on(d=8, base=10, length=97, dims=[0, 2, 5])
    lines = [line.get_ydata() for line in waves(axes)]
    assert [label.get_text() for label in axes.get_yticklabels()] == ["0 · sin", "2 · sin", "5 · cos"]
    assert all(below.max() < above.min() for above, below in pairwise(lines))
    assert axes.get_ylabel() == say("encoding.dimension")
    still = "rope:scaling=proportional,factor=1,partial_rotary_factor=0.25"  # has no slowest
    several = ({"d": 8}, {"d": 9, "dims": [0]}, {"encoding": still})
    captions = [clauses(pecli.figure("waves", length=97, **options).seen.caption()) for options in several]
    dots = [say("waves.wavelength_in", units=say("words.positions")), say("waves.dots_values")]
    slowest = say("waves.the_slowest_not_shown", wave="22,581")
    some = [say("words.of_dimensions", count=count, all=every) for count, every in ((1, 9), (10, 128))]
    assert captions == [dots, [*dots, some[0], slowest], [*dots, some[1]]]


@pytest.mark.parametrize(
    ("encoding", "wave", "text"),
    [
        (Sinusoidal(), 6.28318, "λ = 6.28"),
        (Sinusoidal(), 54410.1, "λ = 54,410"),
        (Sinusoidal(), 1.25e9, "λ = 1.25×10⁹"),
        (Sinusoidal(), np.inf, say("words.still")),
        (Clock(), 90.0, f"λ = {say('clock.count_s', count=90)}"),
        (Clock(), 3600.0, f"λ = {HOUR}"),
        (Binary(d=5), 8.0, "λ = 8"),  # of a whole cycle
        (Learned(d=5), 8.0, "λ ≈ 8"),  # measured
        (Binary(d=5), np.inf, say("words.still")),
    ],
)
def test_a_wavelength_reads_well_at_any_size(encoding: TableEncoding, wave: float, text: str) -> None:
    assert wavelength_text(encoding, wave) == text


@pytest.mark.long
def test_without_dims_lanes_are_pairs_from_the_fastest_to_the_slowest_that_is_seen_to_repeat() -> None:
    numbers = pecli.figure("waves", length=200).numbers
    columns = Sinusoidal().column_wavelengths()
    dims = numbers.arrays()["dims"].tolist()
    assert len(dims) == 10 and dims == sorted(dims) and dims[:2] == [0, 1]
    assert 1.25 * columns[dims[-1]] <= 199 < 1.25 * columns[dims[-1] + 1]  # the second crest of the sine is shown
    axes = waves_on(length=200)
    assert texts(axes.get_yticklabels()) == [f"{dims[at]}, {dims[at + 1]}" for at in range(0, 10, 2)]
    assert [line.get_color() for line in waves(axes)] == ["C0", "C1"] * 5
    assert [text for text in texts(axes.texts) if "λ" not in text] == ["sin", "cos"]
    lanes = [(line.get_ydata().min() + line.get_ydata().max()) / 2 for line in waves(waves_on(d=4, base=10, length=60))]
    assert lanes == pytest.approx([0, 0, -3, -3], abs=0.01)


@pytest.mark.long
def test_a_long_length_is_drawn_from_minimum_to_maximum_and_the_caption_says_so() -> None:
    options = {"d": 8, "base": 10, "length": 1009, "start": 5, "dims": [0, 3], "size": "3x2", "dpi": 20}
    seen: Any = pecli.figure("waves", **options).seen
    table = pecli.encode(d=8, base=10, length=1009, start=5)[:, [0, 3]].T
    size = seen.block
    runs = [table[:, at : at + size] for at in range(0, 1009, size)]
    assert size > 1
    low, high = (np.stack([getattr(run, end)(axis=1) for run in runs], axis=1) for end in ("min", "max"))
    assert seen.arrays()["low"] == pytest.approx(low, abs=1e-14)
    assert seen.main == pytest.approx(high, abs=1e-14)
    keys = ("words.of_dimensions", "waves.the_slowest_not_shown", "figures.each_pixel_minimum_to")
    assert [finding(note)["key"] for note in clauses(seen.caption())] == ["waves.wavelength_in", *keys]
    assert len(waves_on(**options).collections) == 2  # a band each
    every = pecli.figure("waves", **options).numbers
    assert np.array_equal(every.main, table)
    points = dict(zip(*every.sheet(), strict=True))
    assert points["dimension"].tolist() == [0] * every.main.shape[1] + [3] * every.main.shape[1]
    assert points["position"].tolist()[:2] == [5, 6] and np.array_equal(points["value"], every.values.reshape(-1))
    assert pecli.figure("waves", d=4, length=10**6, dpi=20).seen.main.shape[1] <= 2 * 6.75 * 20


@pytest.mark.long
def test_waves_of_any_length_take_no_look_at_every_position() -> None:
    """One by one these take minutes; of millions of positions one is next to every crest and trough."""
    seen: Any = pecli.figure("waves", encoding="sinusoidal:d=8", length=10**10, start=3, dims=[0, 1]).seen
    assert seen.block > 10**6
    for crest in (seen.main, -seen.arrays()["low"]):
        assert (crest <= 1).all() and crest == pytest.approx(1, abs=1e-9)


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"d": 8, "base": 10, "dims": [3, 0]}, (0, "6.28", 3, "11.2")),
        ({"d": 32, "dims": [4, 5, 6, 7]}, (4, "19.9", 6, "35.3")),
        ({"d": 8, "dims": [0, 1]}, (0, "6.28")),
        ({"encoding": "binary", "length": 16}, (0, "2", 3, "16")),
    ],
)
def test_the_message_is_how_often_the_fastest_and_the_slowest_repeat(
    options: dict[str, Any], said: tuple[int | str, ...]
) -> None:
    key = "waves.repeats_and" if len(said) > 2 else "waves.repeats"
    names = {"dimension": say("binary.bit" if "encoding" in options else "encoding.dimension")}
    ends = dict(zip(("first", "low", "last", "high"), said, strict=False))
    ends["low"] = say("encoding.count_positions", count=ends["low"])
    assert pecli.figure("waves", **options).numbers.message() == say(key, **names, **ends)


def test_the_message_names_no_hand_of_a_clock_and_nothing_that_was_learned() -> None:
    said = say("waves.fastest_and_slowest", low=MINUTE, high=HOURS)
    assert pecli.figure("waves", encoding="clock", dims=[0, 5]).numbers.message() == said
    assert pecli.figure("waves", encoding="learned:d=8", length=16).numbers.message() == ""


@pytest.mark.long
@pytest.mark.parametrize(
    ("options", "lanes", "names"),
    [
        (
            {"d": 4, "base": 100, "length": 11, "dims": [0, 1, 3]},
            ["0 · sin", "1 · cos", "3 · cos"],
            ["λ = 6.28", "λ = 6.28", "λ = 62.8"],
        ),
        (
            {"encoding": "clock", "length": 61, "dims": [0, 5]},
            [f"sin {MINUTE}", f"cos {HOURS}"],
            [f"λ = {MINUTE}", f"λ = {HOURS}"],
        ),
        ({"encoding": "binary", "length": 17}, [f"{bit}" for bit in range(5)], [f"λ = {2 << bit}" for bit in range(5)]),
    ],
)
def test_lanes_are_named_and_have_their_wavelengths(
    options: dict[str, Any], lanes: list[str], names: list[str]
) -> None:
    axes = waves_on(**options)
    assert texts(axes.get_yticklabels()) == lanes and axes.get_legend() is None
    assert texts(axes.texts) == names
    heights = [text.get_position()[1] for text in axes.texts]
    assert heights == pytest.approx(np.asarray(axes.get_yticks()) + heights[0] - axes.get_yticks()[0])


def test_pairs_have_a_colour_each_bits_are_steps_and_one_position_a_point() -> None:
    assert [line.get_color() for line in waves(waves_on(d=8, length=11, dims=[0, 1, 4, 5]))] == ["C0", "C0", "C1", "C1"]
    many = waves(waves_on(d=64, length=11, dims=range(16)))
    assert len({to_hex(line.get_color()) for line in many}) == 8
    assert {line.get_linestyle() for line in many} == {"-"}
    assert {line.get_drawstyle() for line in waves(waves_on(encoding="binary", length=9))} == {"steps-mid"}
    assert {line.get_marker() for line in waves(waves_on(d=4, length=1))} == {"o"}


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"at": [100]}, {"key": "curves.nothing_is_nearer", "position": "100"}),
        (
            {"at": [0], "d": 2, "length": 100},
            {"key": "curves.nearest_to_is", "position": "0", "others": "44"},  # 7 turns are nearly 44
        ),
        (
            {"at": [50], "encoding": "binary", "length": 128, "measure": "hamming"},
            {"key": "curves.equally_near", "position": "50", "count": 7, "others": "48, 51, 54"},
        ),
        ({"at": [10], "encoding": "clock"}, {"key": "curves.nothing_is_nearer", "position": "00:00:10"}),
        ({"at": [0], "measure": "dot"}, {}),  # a similarity
        ({"at": [0], "length": 2}, {}),  # there is one other
    ],
)
def test_the_message_of_one_line_is_what_is_nearest(options: dict[str, Any], said: dict[str, Any]) -> None:
    assert told(pecli.figure("curves", **options).numbers.message(), said) == said


@pytest.mark.parametrize(
    ("measure", "name"), [("euclidean", "base = 10"), ("cos", "base = 10,000"), ("chebyshev", None)]
)
@pytest.mark.parametrize("pixels", [None, ((40, 60),)])
def test_of_two_curves_from_one_position_the_larger_is_named(measure: str, name: str | None, pixels: Any) -> None:
    encodings = ["sinusoidal", "sinusoidal:base=10"]
    message = numbers_of("curves", pixels, encoding=encodings, at=50, measure=measure).message()
    assert finding(message).get("name") == name


@pytest.mark.long
def test_waves_have_their_lengths_written_only_where_lanes_are_high_enough() -> None:
    for size, shown in (("page", 5), ("5x1.9", 0)):
        panel = page_of("waves", size=size, dpi=50).axes[0]
        assert sum("λ" in text for text in texts(panel.texts)) == shown
