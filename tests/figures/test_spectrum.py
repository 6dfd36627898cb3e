"""The wavelength of every pair: by the formula, measured where there is none, and what is read off it."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from matplotlib.text import Text

import pecli
from pecli.core.errors import UsageError
from pecli.core.language import join_or, say
from pecli.encodings.clock import Clock
from tests.drawing import axes_of, line_labels, page_of, texts, told

LLAMA = "rope:base=500000,scaling=llama3,factor=8,low_freq_factor=1,high_freq_factor=4,original=8192"
YARN = "rope:base=1000000,scaling=yarn,factor=4,original=32768"


def drawn(**options: object) -> Any:
    return axes_of("spectrum", **options)


def numbers(**options: object) -> Any:
    return pecli.figure("spectrum", **options).numbers


@pytest.mark.parametrize(("d", "base"), [(128, 10000), (7, 10), (2, 3), (6, 0.5)])
def test_wavelengths_are_two_pi_base_to_the_two_j_over_d(d: int, base: float) -> None:
    found = numbers(d=d, base=base)
    pairs = np.arange((d + 1) // 2)
    assert found.main == pytest.approx(2 * np.pi * base ** (2 * pairs / d), rel=1e-14)
    assert found.arrays()["pair"].tolist() == pairs.tolist()


def test_the_periods_of_bits_are_measured() -> None:
    found = numbers(encoding="binary", d=6, length=64)
    assert found.main.tolist() == [2, 4, 8, 16, 32, 64]
    assert found.arrays()["pair"].tolist() == [0, 1, 2, 3, 4, 5]  # there are only columns
    labels = [drawn(encoding=[*own], length=9).get_xlabel() for own in (("binary", "learned"), ("binary", "clock"))]
    bit, dimension, pair = (say(key) for key in ("binary.bit", "encoding.dimension", "words.pair_of_dimensions_j"))
    assert labels == [join_or([bit, dimension]), join_or([bit, pair])]
    assert found.caption() == ""  # that of a whole cycle


def test_the_periods_of_a_table_are_those_of_its_strongest_waves(folder: Any) -> None:
    p = np.arange(240)[:, None]
    waves = np.sin(2 * np.pi * p / np.array([3, 10, 80])) + 0.3 * np.sin(2 * np.pi * p / 5) + 7
    np.save("table.npy", np.hstack([waves, np.full((240, 1), 2.5)]))
    found = numbers(encoding="learned", file="table.npy", length=240)
    assert found.main == pytest.approx([3, 10, 80])
    assert list(found.facts()["still"].values()) == [1]  # the constant column has no period
    np.save("table.npy", np.sin(2 * np.pi * np.arange(240)[:, None] / np.array([240 / 9.5, 31.7, 480]) + 0.5))
    *within, beyond = numbers(encoding="learned", file="table.npy", length=240).main
    assert within == pytest.approx([240 / 9.5, 31.7], rel=0.01)  # whole numbers of waves are 24 and 26.7
    assert beyond <= 240


def test_pairs_that_an_axis_has_no_room_for_are_left_out_and_the_caption_says_so() -> None:
    found = numbers(d=4, base=1e80, length=7)  # wavelengths of 2π and 2π · 10^40
    assert found.main == pytest.approx([2 * np.pi])
    assert found.arrays()["pair"].tolist() == [0]
    assert list(found.facts()["still"].values()) == [1]
    assert list(found.facts()["longer_than_length"].values()) == [1]  # the one left out is longer too
    said = {"key": "spectrum.left_out_longer_than", "encoding": "sinusoidal", "count": 1}
    assert told(found.caption(), said) == said


REACH = "spectrum.wavelengths_reach"


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"encoding": "rope", "d": 128}, {"key": "spectrum.wavelengths_grow_by_factor", "ratio": "1.155"}),
        (
            {"encoding": "clock"},
            {"key": "spectrum.wavelengths_grow_by_factor", "ratio": say("spectrum.low_to_high", low="12", high="60")},
        ),
        ({"d": 4, "base": 1}, {}),
        ({"encoding": "learned"}, {}),
        (
            {"encoding": ["sinusoidal:d=8,base=10", "clock"], "length": 20},
            {"key": REACH},
        ),
        (
            {"encoding": ["rope:d=8", "sinusoidal:d=8"]},
            {"key": "spectrum.the_wavelengths_of_and", "one": "RoPE"},
        ),
        (
            {"encoding": ["rope:d=8,base=10", "rope:d=8,base=10000"]},
            {"key": "spectrum.wavelengths_are_up_to", "ratio": "178", "name": "base = 10,000"},
        ),
        (
            {"encoding": ["rope:d=8,base=10,scaling=linear,factor=2", "rope:d=8,base=10000"]},  # some are shorter
            {"key": REACH},
        ),
        ({"base": [10, 100, 900], "d": 8}, {"key": REACH}),
        ({"encoding": ["learned", "rope", "clock"], "d": 8}, {}),  # a table has no waves of its own
        ({"base": [10, 20, 30, 40, 50], "d": 8}, {}),  # too many for a line
        ({"encoding": YARN}, {"key": "spectrum.from_pair_on_the", "pair": 24, "ratio": "4"}),
        (
            {"encoding": [YARN, "rope:d=128,base=1e6,scaling=linear,factor=4"], "ratio": True},
            {"key": "spectrum.of_pairs_keep_their", "counts": "24 (scaling = yarn) and 0 (scaling = linear)"},
        ),
        ({"encoding": [YARN, "rope:d=8"], "ratio": True}, {}),  # not of as many pairs
        ({"encoding": "geometric:d=16"}, {}),  # the longest are left out
    ],
)
def test_the_message_is_what_lines_and_levels_say(options: dict[str, Any], said: dict[str, Any]) -> None:
    assert told(numbers(**options).message(), said) == said


def test_pairs_longer_than_the_length_are_counted() -> None:
    for length, longer in ((1, 4), (6, 4), (7, 3), (62, 2), (63, 1), (199, 0)):
        found = numbers(d=8, base=100, length=length).facts()  # waves of 6.28, 19.87, 62.8 and 198.7
        assert found["longer_than_length"] == {"sinusoidal:d=8,base=100": longer}


def test_the_picture_has_wavelengths_on_a_log_axis_that_ends_with_them() -> None:
    axes = drawn(d=8, length=97)
    (wave,) = axes.get_lines()
    assert wave.get_ydata() == pytest.approx(numbers(d=8).main)
    assert not wave.get_clip_on()  # the first and the last mark stand on the frame
    assert axes.get_yscale() == "log" and not axes.texts
    assert axes.get_ylabel() == say("words.wavelength", units=say("words.positions"))
    assert axes.get_ylim()[1] < 10 * max(wave.get_ydata())
    assert 3 == max(wave.get_xdata()) < axes.get_xlim()[1] < 3.2


def test_a_scaled_rope_has_its_contexts_its_ramp_and_what_it_was() -> None:
    axes = drawn(encoding=YARN, length=100)
    lines = {float(line.get_ydata()[0]): line.get_linestyle() for line in axes.lines if len(set(line.get_ydata())) == 1}
    assert lines == {32768: ":", 131072: ":"}
    contexts = {"spectrum.extended_context": 131072, "spectrum.original_context": 32768}
    assert {*texts(axes.texts)} == {say(key, count=count) for key, count in contexts.items()}
    assert all(0 < text.get_position()[0] < abs(text.get_position()[1]) < 12 for text in axes.texts)  # inside, near
    (band,) = axes.patches
    assert (band.get_x(), band.get_x() + band.get_width()) == (23, 40)
    was = [line.get_ydata() for line in axes.lines if line.get_linestyle() == "--" and len(line.get_ydata()) == 64]
    assert was[0] == pytest.approx(2 * np.pi * 1e6 ** (2 * np.arange(64) / 128), rel=1e-12)


def test_the_numbers_of_a_scaled_rope_say_what_the_scaling_does() -> None:
    found = numbers(encoding=LLAMA)
    stretch = found.arrays()["stretch"]
    assert stretch[:29].tolist() == [1] * 29
    assert stretch[35:] == pytest.approx([8] * 29, rel=1e-12)
    assert list(found.facts()["ramp"].values()) == [(28, 35)]
    assert [*found.facts()["contexts"].values()] == [8192]
    assert found.marks() == [say("spectrum.dashed_without_the_scaling"), say("spectrum.band_pairs_scaled_in")]
    assert "ramp" not in numbers(encoding="rope").facts()


def test_the_ratio_is_that_to_the_wavelength_without_the_scaling() -> None:
    axes = drawn(encoding=["rope:scaling=linear,factor=8", LLAMA, "sinusoidal"], ratio=True)
    linear, llama, plain = (line.get_ydata() for line in axes.lines)
    assert linear == pytest.approx([8] * 64, rel=1e-12)
    assert (llama[0], llama[-1]) == (1, pytest.approx(8))
    assert plain.tolist() == [1] * 64
    assert axes.get_yscale() == "log" and len(axes.texts) == len(line_labels(axes)) == 3
    with pytest.raises(UsageError, match="ratio is of wavelengths by a formula, and binary has none"):
        numbers(encoding="binary", ratio=True)


def test_how_far_neighbours_are_apart() -> None:
    for options, ratio in (
        ({"d": 128, "base": 10000}, "1.155"),
        ({"encoding": "clock"}, say("spectrum.low_to_high", low="12", high="60")),
        ({"d": 2}, ""),
    ):
        assert [*numbers(**options).facts()["ratio"].values()] == [ratio]  # the article's 1.2 times


def test_the_title_of_several_is_what_they_have_in_common() -> None:
    titles = [pecli.figure("spectrum", encoding=given).title() for given in ("clock", [LLAMA, YARN])]
    assert titles == [Clock().title(), "RoPE, d = 128"]


def test_a_spectrum_below_an_identical_one_is_seen_on_either_side_of_it() -> None:
    for other, wider in (("sinusoidal:d=8", True), ("sinusoidal:d=8,base=9", False)):
        below, above = axes_of("spectrum", encoding=["rope:d=8", other]).get_lines()[:2]
        assert (below.get_linewidth() > 2 * above.get_linewidth()) == wider


@pytest.mark.parametrize("size", ["12cm", "page"])
def test_no_line_of_a_context_runs_through_a_label(size: str) -> None:
    llama = "scaling=llama3,factor=8,original=8192,low_freq_factor=1,high_freq_factor=4"
    specs = [f"rope:base=500000,{llama}", "rope:base=1000000,scaling=yarn,factor=4,original=32768"]
    page = page_of("spectrum", encoding=specs, size=size, dpi=100)
    page.canvas.draw()
    (panel, *_), renderer = page.axes, page.canvas.get_renderer()
    lines = [
        panel.transData.transform((0, line.get_ydata()[0]))[1] for line in panel.lines if line.get_linestyle() == ":"
    ]
    counts = (("original", 8192), ("original", 32768), ("extended", 131072), ("extended", 65536))
    contexts = {say(f"spectrum.{which}_context", count=count) for which, count in counts}
    labels = [text for text in panel.texts if text.get_text() in contexts]
    boxes = [Text.get_window_extent(text, renderer) for text in labels]  # without leaders
    assert len(lines) == len(boxes) == 3
    assert not [box for box in boxes for y in lines if box.y0 + 2 < y < box.y1 - 2]
