"""Tests of the figure spectrum: the wavelength of every pair, from the formula or measured."""

from __future__ import annotations

import json
from itertools import combinations
from typing import Any

import numpy as np
import pytest

import pecli
from pecli.core.errors import UsageError
from pecli.core.language import finding, join_and, join_or, join_title, say
from pecli.page.labels import LevelLabel, PointLabel, SlopeLabel, SpanLabel, labels_of
from tests.conftest import Ask
from tests.drawing import axes_of, page_of, texts, told

LLAMA = "rope:base=500000,scaling=llama3,factor=8,low_freq_factor=1,high_freq_factor=4,original=8192"
SCALED = "rope:scaling=linear,factor=4", "rope:scaling=ntk,factor=4"
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


@pytest.mark.long
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
GROW = "spectrum.wavelengths_grow_by_factor"
UNFINISHED = "spectrum.finish_no_turn"
SHOWN = say("words.count_positions", count=200)
LONGEST = say("encoding.count_positions", count="54,410")
MINUTE, HOUR, HOURS = say("clock.count_min", count=1), say("clock.count_h", count=1), say("clock.count_h", count=12)
SECONDS = say("clock.count_s", count=4000)
RATIOS = say("spectrum.low_to_high", low=12, high=60)
LLAMAS = say("spectrum.count_of_in", count=29, all=64, name="llama3")
YARNS = say("spectrum.count_in", count=24, name="YaRN")


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"encoding": "rope", "d": 128}, {"key": UNFINISHED, "count": 39, "all": 64, "length": SHOWN}),
        (
            {"encoding": "rope", "d": 128, "length": 60000},
            {"key": GROW, "ratio": "1.155", "low": "6.28", "high": LONGEST},
        ),
        ({"encoding": "rope", "trained": 4096}, {"key": "spectrum.never_finish", "count": 18, "all": 64}),
        ({"encoding": "rope", "trained": 60000}, {"key": "spectrum.every_finishes"}),
        ({"encoding": "clock", "length": 86400}, {"key": GROW, "ratio": RATIOS, "low": MINUTE, "high": HOURS}),
        ({"encoding": "clock", "length": 4000}, {"key": UNFINISHED, "count": 1, "all": 3, "length": SECONDS}),
        ({"encoding": [LLAMA, YARN]}, {"key": "spectrum.both_leave", "counts": f"{LLAMAS}, {YARNS}"}),
        ({"encoding": "rope:scaling=linear,factor=8"}, {"key": "spectrum.all_stretched", "all": 64, "ratio": "8"}),
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
            {"key": "spectrum.wavelengths_are_up_to", "ratio": "178", "name": "base = 10,000", "other": "base = 10"},
        ),
        (
            {"encoding": ["rope:d=8,base=10,scaling=linear,factor=2", "rope:d=8,base=10000"]},  # some are shorter
            {"key": REACH},
        ),
        ({"encoding": ["learned", "rope", "clock"], "d": 8}, {}),  # a table has no waves of its own
        ({"base": [10, 20, 30, 40, 50], "d": 8}, {}),  # too many for a line
        (
            {"encoding": [SCALED[0], YARN, SCALED[1]]},
            {"key": "spectrum.of_pairs_are_stretched", "all": 64},
        ),
        ({"encoding": ["rope", YARN], "trained": 600}, {"key": "spectrum.of_pairs_have_longer_than", "all": 64}),
        (
            {"encoding": [SCALED[0], "rope:base=10000"], "trained": 4096},
            {"key": "spectrum.of_pairs_have_longer", "count": 18},
        ),
        (
            {"encoding": YARN},
            {"key": "spectrum.kept_and_stretched", "kept": 24, "all": 64, "stretched": 24, "ratio": "4"},
        ),
        (
            {"encoding": [YARN, "rope:d=128,base=1e6,scaling=linear,factor=4"], "ratio": True},
            {
                "key": "spectrum.of_pairs_keep_their",
                "all": 64,
                "counts": join_and(["24 (YaRN × 4)", "0 (linear × 4)"]),
            },
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


def dots(axes: Any, colour: str) -> dict[int, float]:
    """Return pairs and wavelengths of the dots of a colour."""
    own = [line for line in axes.lines if line.get_marker() == "o" and line.get_color() == colour]
    return {int(x): float(y) for line in own for x, y in zip(*line.get_data(), strict=True)}


def part(name: str, count: int, ratio: int = 1) -> str:
    """Return the name of the pairs that a scaling keeps, blends or stretches."""
    return say(f"spectrum.part_{name}", count=count, ratio=ratio)


def test_the_picture_has_a_dot_a_pair_on_a_log_axis_that_ends_with_them() -> None:
    axes = drawn(d=8, length=9700)
    (wave,) = axes.get_lines()
    assert wave.get_ydata() == pytest.approx(numbers(d=8).main)
    assert not wave.get_clip_on() and wave.get_linestyle() == "None"  # the first and the last stand on the frame
    assert axes.get_yscale() == "log" and not axes.texts
    assert axes.get_ylabel() == say("words.wavelength", units=say("words.positions"))
    assert axes.get_ylim()[1] < 10 * max(wave.get_ydata())
    assert 3 == max(wave.get_xdata()) < axes.get_xlim()[1] < 3.2


@pytest.mark.long
@pytest.mark.parametrize(
    ("options", "level", "count"),
    [({}, 200, 39), ({"trained": 4096}, 4096, 18), ({"length": 3}, 3, 64), ({"length": 40000}, 40000, 3)],
)
def test_pairs_that_finish_no_turn_are_red_above_a_named_line(options: dict[str, Any], level: int, count: int) -> None:
    axes, waves = drawn(encoding="rope", **options), numbers(encoding="rope").main
    assert dots(axes, "C1") == pytest.approx({j: wave for j, wave in enumerate(waves) if wave > level})
    assert dots(axes, "C0") == pytest.approx({j: wave for j, wave in enumerate(waves) if wave <= level})
    said = finding(numbers(encoding="rope", **options).message())
    assert len(dots(axes, "C1")) == count == said["count"] and said["all"] == 64
    (line,) = [own for own in axes.lines if own.get_marker() == "None"]
    assert set(line.get_ydata()) == {level}
    (shade,) = axes.patches
    assert (shade.get_y(), shade.get_y() + shade.get_height()) == pytest.approx((level, axes.get_ylim()[1]))
    (name,) = labels_of(axes, LevelLabel)
    assert name.xy[1] == level and f"{level:,}" in name.get_text()
    named = {label.get_text(): label.xy for label in labels_of(axes, PointLabel)}
    pairs = say("spectrum.pairs_from_to", first=64 - count, last=63)
    longer = say("spectrum.pairs_longer", pairs=pairs, length=f"{level:,}")
    (beyond,) = [xy for text, xy in named.items() if text == longer]
    assert beyond in list(dots(axes, "C1").items())


@pytest.mark.long
def test_a_scaled_rope_has_its_contexts_its_parts_and_what_it_was() -> None:
    axes = drawn(encoding=YARN, length=100)
    was = 2 * np.pi * 1e6 ** (2 * np.arange(64) / 128)
    levels = {float(label.xy[1]): label.get_text() for label in labels_of(axes, LevelLabel)}
    ends = {"original": 32768, "extended": 131072}
    assert levels == {count: say(f"spectrum.{name}_context", count=count) for name, count in ends.items()}
    assert {32768, 131072} < {float(line.get_ydata()[0]) for line in axes.lines if len({*line.get_ydata()}) == 1}
    spans = [(label.get_text(), label.xy[0], label.last) for label in labels_of(axes, SpanLabel)]
    assert [text for text, *_ in spans] == [part("kept", 24), part("blended", 16), part("stretched", 24, 4)]
    assert [end for _, *ends in spans for end in ends] == pytest.approx([-0.38, 23.38, 23.62, 39.38, 39.62, 63.38])
    assert [[*dots(axes, colour)] for colour in ("C0", "C3", "C1")] == [
        [*range(24)],
        [*range(24, 40)],
        [*range(40, 64)],
    ]
    assert [*dots(axes, "C0").values()] == pytest.approx(was[:24]) and dots(axes, "C1")[63] == pytest.approx(
        4 * was[63]
    )
    (dashes,) = [line.get_ydata() for line in axes.lines if line.get_linestyle() == "--"]
    assert dashes == pytest.approx(was, rel=1e-12)
    (name,) = labels_of(axes, SlopeLabel)
    assert name.get_text() == say("spectrum.unscaled") and name.xy[1] in dashes and 0 < name.get_rotation() < 90


@pytest.mark.long
def test_several_scalings_have_a_panel_each_with_one_vertical_axis() -> None:
    for size, columns in (("page", 2), ("column", 1)):
        panels = page_of("spectrum", encoding=[LLAMA, YARN], size=size).axes
        assert texts(panel.title for panel in panels) == ["llama3 × 8 · base = 500,000", "YaRN × 4 · base = 1,000,000"]
        assert panels[0].get_ylim() == panels[1].get_ylim()
        assert len({panel.get_position().x0 for panel in panels}) == columns
        parts = [part("kept", 29), part("blended", 6), part("stretched", 29, 8)]
        assert texts(labels_of(panels[0], SpanLabel)) == parts
        boxes = [label.get_window_extent() for panel in panels for label in labels_of(panel, SpanLabel)]
        assert not any(one.overlaps(other) for one, other in combinations(boxes, 2))


@pytest.mark.long
@pytest.mark.parametrize(
    ("spec", "parts"),
    [
        ("rope:scaling=linear,factor=8", [part("stretched", 64, 8)]),
        ("rope:scaling=yarn,factor=8,original=40000000", []),
        ("rope:scaling=dynamic,factor=2,max_position=4096,seq_len=8192", [part("kept", 1), part("up_to", 63, 3)]),
        ("rope", []),
    ],
)
def test_brackets_say_what_a_scaling_does(spec: str, parts: list[str]) -> None:
    assert texts(labels_of(drawn(encoding=spec), SpanLabel)) == parts


def test_the_numbers_of_a_scaled_rope_say_what_the_scaling_does() -> None:
    found = numbers(encoding=LLAMA)
    stretch = found.arrays()["stretch"]
    assert stretch[:29].tolist() == [1] * 29
    assert stretch[35:] == pytest.approx([8] * 29, rel=1e-12)
    assert list(found.facts()["ramp"].values()) == [(28, 35)]
    assert found.facts()["contexts"] == {"original context": 8192}
    assert found.caption() == ""
    assert "ramp" not in numbers(encoding="rope").facts()


def test_the_ratio_is_that_to_the_wavelength_without_the_scaling() -> None:
    axes = page_of("spectrum", encoding=["rope:scaling=linear,factor=8", LLAMA, "sinusoidal"], ratio=True).axes[0]
    linear, llama, plain = (line.get_ydata() for line in axes.lines)
    named = [label.get_text().split(", ")[0] for label in labels_of(axes, PointLabel)]
    assert named == ["linear", "llama3", "sinusoidal"]
    assert linear == pytest.approx([8] * 64, rel=1e-12)
    assert (llama[0], llama[-1]) == (1, pytest.approx(8))
    assert plain.tolist() == [1] * 64
    assert axes.get_yscale() == "log"
    with pytest.raises(UsageError, match="ratio needs wavelengths from a formula, but binary has none"):
        numbers(encoding="binary", ratio=True)


def test_another_base_without_scaling_is_compared_with_the_base_of_the_scaled() -> None:
    found = numbers(encoding=["rope:scaling=linear,factor=8", "rope:base=500000"], ratio=True)
    assert found.stretch[found.encoding == 1] == pytest.approx(50 ** (np.arange(0, 128, 2) / 128), rel=1e-12)
    assert say("spectrum.compared_with_base", base=10000) in found.remarks()
    found = numbers(encoding=["rope:scaling=linear,factor=8", LLAMA, "rope:base=2000"], ratio=True)
    assert set(found.stretch[found.encoding == 2]) == {1} and say("spectrum.compared_with_own_base") in found.remarks()


def test_how_far_neighbours_are_apart() -> None:
    for options, ratio in (
        ({"d": 128, "base": 10000}, "1.155"),
        ({"encoding": "clock"}, say("spectrum.low_to_high", low="12", high="60")),
        ({"d": 2}, ""),
    ):
        assert [*numbers(**options).facts()["ratio"].values()] == [ratio]  # the article's 1.2 times


def test_the_title_of_several_is_what_they_have_in_common() -> None:
    titles = [pecli.figure("spectrum", encoding=given).title() for given in ("clock", [LLAMA, YARN])]
    assert titles == [join_title(["clock", f"periods = {MINUTE}, {HOUR}, {HOURS}"]), join_title(["RoPE", "d = 128"])]


def test_a_spectrum_below_another_is_rings_and_identical_ones_are_one() -> None:
    (one,) = (axes := axes_of("spectrum", encoding=["rope:d=8", "sinusoidal:d=8"])).get_lines()
    assert one.get_ydata() == pytest.approx(numbers(d=8).main)
    assert [text.get_text() for text in axes.texts if text.get_visible()] == ["RoPE =\nsinusoidal"]
    below, above = axes_of("spectrum", encoding=["rope:d=8", "rope:d=8,base=10001"]).get_lines()
    assert below.get_markersize() > 1.5 * above.get_markersize() and below.get_markerfacecolor() == "none"


@pytest.mark.long
@pytest.mark.parametrize(
    ("encoding", "said"),
    [(["clock", "binary", "rope"], ["clock.seconds", *["words.positions"] * 2]), (["binary", "rope"], [""] * 2)],
)
def test_of_two_units_each_line_says_its_own(encoding: list[str], said: list[str]) -> None:
    drawn = axes_of("spectrum", encoding=encoding).get_legend()
    assert drawn is not None
    ends = [text.get_text().replace("\n", " ") for text in drawn.get_texts()]
    for text, unit in zip(ends, said, strict=True):
        assert text.endswith(f" ({say(unit)})") if unit else "(" not in text


@pytest.mark.long
def test_a_scaled_rope_over_a_grid_has_its_lines_in_its_own_panel() -> None:
    plain = "rope:d=128,grid=8x8,sections=32,32"
    scaled = f"{plain},scaling=yarn,factor=4,original=64"
    assert pecli.figure("spectrum", encoding=scaled).render("png")
    both = page_of("spectrum", encoding=[scaled, plain]).axes
    assert len(both) == 2 and all(len(axes.lines) > 1 for axes in both)


def test_a_single_pair_is_named_with_its_wavelength() -> None:
    found = pecli.spectrum("sinusoidal:d=2").numbers.message()
    assert found == say("spectrum.the_only_pair", wave=say("encoding.count_positions", count="6.28"))


D96 = "rope:d=96,factor=32,original=4096"
BLENDED = f"{D96},scaling=yarn", f"{D96},scaling=llama3,low_freq_factor=1,high_freq_factor=4"
STEPS = ",".join(["1"] * 24 + ["40"] * 24)
SEARCHED = f"{D96},scaling=longrope,seq_len=131072,short_factor={STEPS},long_factor={STEPS}"


@pytest.mark.long
def test_the_parts_of_scalings_stand_below_their_ratios(ask: Ask) -> None:
    ended = ask("spectrum", "--ratio", *BLENDED, "-o", "a.svg", "--json")
    facts = json.loads(ended.out)["results"][0]["facts"]
    parts = [[*own.values()] for own in facts["parts"].values()]
    assert parts == [[16, 18, 14], [27, 7, 14]] and facts["needed"] == 32
    _, strip = page_of("spectrum", encoding=list(BLENDED), ratio=True).axes
    bands = [(patch.get_x() + 0.5, patch.get_width()) for patch in strip.patches]
    assert bands == [(0, 16), (16, 18), (34, 14), (0, 27), (27, 7), (34, 14)]
    assert [tick.get_text() for tick in strip.get_yticklabels()] == ["YaRN", "llama3"]
    assert say("spectrum.part_scaled", count=14) in [text.get_text() for text in strip.texts]


def test_the_headline_names_what_slows_pairs_more_than_is_needed() -> None:
    found = numbers(encoding=[*BLENDED, SEARCHED], ratio=True)
    said = {"key": "spectrum.slower_than_needed", "name": "LongRoPE", "count": 24, "all": 48, "factor": "32"}
    assert told(found.message(), said) == said
    panel, _ = page_of("spectrum", encoding=[*BLENDED, SEARCHED], ratio=True).axes
    named = [label.get_text() for label in labels_of(panel, PointLabel)]
    assert say("spectrum.pairs_above", name="LongRoPE", count=24, factor="32", most="40") in named


@pytest.mark.long
@pytest.mark.parametrize(
    ("size", "trained", "side"),
    [("column", 4096, ("left", "bottom")), ("column", 40, ("right", "bottom")), ("2.4x2.2", 200, ("right", "top"))],
)
def test_the_label_of_a_level_covers_no_dot(size: str, trained: int, side: tuple[str, str]) -> None:
    panel = page_of("spectrum", encoding="rope", trained=trained, size=size).axes[0]
    (label,) = labels_of(panel, LevelLabel)
    assert (label.get_horizontalalignment(), label.get_verticalalignment()) == side
    dots = np.concatenate([line.get_xydata() for line in panel.lines if len(line.get_xdata()) > 2])
    box, seen = label.get_window_extent(), panel.transData.transform(dots)
    assert not ((seen >= box.min) & (seen <= box.max)).all(axis=1).any()
