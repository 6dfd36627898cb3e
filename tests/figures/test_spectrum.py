"""The wavelength of every pair: by the formula, measured where there is none, and what is read off it."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from matplotlib.figure import Figure as Drawing

import pecli
from pecli.core.errors import UsageError
from pecli.figures.colors import lightness
from pecli.figures.labels import LineLabel, labels_of
from pecli.figures.style import style_context
from pecli.figures.wavelengths import ratio_text, run_text

LLAMA = "rope:base=500000,scaling=llama3,factor=8,low_freq_factor=1,high_freq_factor=4,original=8192"
YARN = "rope:base=1000000,scaling=yarn,factor=4,original=32768"


def line_labels(axes: Any) -> list[str]:
    return [" ".join(label.get_text().split()) for label in labels_of(axes, LineLabel)]


def numbers(**options: object) -> Any:
    return pecli.figure("spectrum", **options).numbers


def drawn(**options: object) -> Any:
    return pecli.figure("spectrum", **options).draw(Drawing().subplots())


@pytest.mark.parametrize(("d", "base"), [(128, 10000), (7, 10), (2, 3), (6, 0.5)])
def test_wavelengths_are_two_pi_base_to_the_two_j_over_d(d: int, base: float) -> None:
    found = numbers(d=d, base=base)
    pairs = np.arange((d + 1) // 2)
    assert found.main == pytest.approx(2 * np.pi * base ** (2 * pairs / d), rel=1e-14)
    assert found.arrays()["pair"].tolist() == pairs.tolist()


def test_rope_has_the_wavelengths_of_the_sinusoidal_encoding() -> None:
    assert np.array_equal(numbers(encoding="rope", d=64, base=500).main, numbers(d=64, base=500).main)


def test_llama_2_has_its_published_wavelengths() -> None:
    found = numbers(encoding="rope", d=128, base=10000, length=4096)
    assert len(found.main) == 64
    assert found.main.max() == pytest.approx(54410, abs=0.5)
    assert found.facts()["longer_than_length"] == {"rope": 18}


def test_neighbours_are_as_far_apart_as_the_article_says() -> None:
    assert numbers(d=128, base=10000).facts()["ratio"] == {"sinusoidal": "×1.155"}  # its 1.2 times
    assert numbers(encoding="geometric", d=6, radix=60).facts()["ratio"] == {"geometric:d=6,radix=60": "×3,600"}


def test_uneven_neighbours_give_the_range() -> None:
    assert numbers(encoding="clock").facts()["ratio"] == {"clock": "×12 to ×60"}
    assert ratio_text(np.array([5.0])) == ""


def test_the_clock_has_its_periods_to_the_last_digit() -> None:
    assert numbers(encoding="clock").main == pytest.approx([60, 3600, 43200], rel=1e-15)


def test_the_periods_of_bits_are_measured() -> None:
    found = numbers(encoding="binary", d=6, length=64)
    assert found.main.tolist() == [2, 4, 8, 16, 32, 64]
    assert found.arrays()["pair"].tolist() == [0, 1, 2, 3, 4, 5]  # there are only columns
    among = numbers(encoding=["binary:d=6", "sinusoidal:d=6"], length=64).arrays()["pair"]
    assert among.tolist() == [0, 0.5, 1, 1.5, 2, 2.5, 0, 1, 2]  # a column without a partner
    labels = [drawn(encoding=[*own], length=9).get_xlabel() for own in (("binary", "learned"), ("binary", "clock"))]
    assert labels == ["bit or dimension", "pair of dimensions j"]
    assert found.caption() == "binary: the dominant period of each column, measured over one cycle or the length"


@pytest.mark.parametrize(("d", "length"), [(6, 5), (6, 41), (6, 32), (16, 200), (1, 1)])
def test_bits_are_measured_over_one_whole_cycle_whatever_is_shown(d: int, length: int) -> None:
    found = numbers(encoding="binary", d=d, length=length)
    assert found.main.tolist() == [2**bit for bit in range(1, d + 1)]
    assert found.facts()["still"] == {f"binary:d={d}": 0}
    assert found.facts()["longer_than_length"] == {f"binary:d={d}": sum(2**bit > length for bit in range(1, d + 1))}


def test_the_order_of_bits_is_that_of_the_columns() -> None:
    assert numbers(encoding="binary", d=5, order="msb", length=9).main.tolist() == [32, 16, 8, 4, 2]


def test_the_periods_of_a_table_are_those_of_its_strongest_waves(folder: Any) -> None:
    p = np.arange(240)[:, None]
    waves = np.sin(2 * np.pi * p / np.array([3, 10, 80])) + 0.3 * np.sin(2 * np.pi * p / 5) + 7
    np.save("table.npy", np.hstack([waves, np.full((240, 1), 2.5)]))
    found = numbers(encoding="learned", file="table.npy", length=240)
    assert found.main == pytest.approx([3, 10, 80])
    assert list(found.facts()["still"].values()) == [1]  # the constant column has no period


def test_the_table_is_measured_from_where_it_starts(folder: Any) -> None:
    p = np.arange(96)
    wave = np.where(p < 32, np.sin(np.pi * p / 2), np.where(p < 64, np.sin(np.pi * p / 4), 2.5))
    np.save("table.npy", wave[:, None])
    first, second, third = (
        numbers(encoding="learned", file="table.npy", length=32, start=start) for start in (0, 32, 64)
    )
    assert (first.main, second.main) == (pytest.approx([4]), pytest.approx([8]))
    assert [list(found.facts()["still"].values()) for found in (first, second, third)] == [[0], [0], [1]]


def test_a_period_between_whole_numbers_of_waves_is_found_and_one_beyond_the_window_is_not(folder: Any) -> None:
    p = np.arange(240)[:, None]
    np.save("table.npy", np.sin(2 * np.pi * p / np.array([240 / 9.5, 31.7, 480]) + 0.5))
    between, odd, beyond = numbers(encoding="learned", file="table.npy", length=240).main
    assert between == pytest.approx(240 / 9.5, rel=0.01)  # whole numbers of waves are 24 and 26.7
    assert odd == pytest.approx(31.7, rel=0.01)
    assert beyond <= 240


def test_pairs_that_an_axis_has_no_room_for_are_left_out_and_the_caption_says_so() -> None:
    found = numbers(d=4, base=1e80, length=7)  # wavelengths of 2π and 2π · 10^40
    assert found.main == pytest.approx([2 * np.pi])
    assert found.arrays()["pair"].tolist() == [0]
    assert list(found.facts()["still"].values()) == [1]
    assert list(found.facts()["longer_than_length"].values()) == [1]  # the one left out is longer too
    assert found.caption() == "sinusoidal: 1 left out, longer than 10¹⁵ or still"


def test_longer_is_longer_than_the_positions_shown_not_than_the_offsets_between_them() -> None:
    found = numbers(encoding="relative", d=8, base=100, length=50)  # 62.8 is less than its 99 offsets
    assert list(found.facts()["longer_than_length"].values()) == [2]


def test_a_clock_is_measured_in_seconds() -> None:
    assert drawn(encoding="clock").get_ylabel() == "wavelength λ, seconds"
    assert drawn(encoding=["clock", "rope"]).get_ylabel() == "wavelength λ, positions or seconds"


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"d": 128}, "each wavelength is ×1.155 the one before: 6.28 to 54,410 positions"),
        ({"encoding": "clock"}, "each wavelength is ×12 to ×60 the one before: 1 min to 12 h"),
        ({"d": 2}, ""),
        ({"d": 4, "base": 1}, ""),
        ({"encoding": "binary"}, "each wavelength is ×2 the one before: 2 to 256 positions"),
        ({"encoding": "learned"}, ""),
        (
            {"encoding": ["sinusoidal:d=8,base=10", "clock", "rope:d=4,base=16"], "length": 20},
            "the longest waves run from 25.1 positions with rope to 12 h with clock",
        ),
        (
            {"encoding": ["rope:d=8,base=16", "binary:d=4"], "length": 16},
            "the longest waves run from 16 positions with binary to 50.3 positions with rope",
        ),
        (
            {"encoding": ["rope:d=8,base=16", "rope:d=8,base=256"]},
            "from pair 1 on waves are longer with base 256, up to 8 times",
        ),
        ({"encoding": ["rope:d=8", "sinusoidal:d=8"]}, ""),
        (
            {"encoding": ["rope:d=8,base=10,scaling=linear,factor=2", "rope:d=8,base=10000"]},
            "at pair 3 the wave is 88.9 times longer with base 10,000",
        ),
        (
            {"encoding": ["rope:d=8,base=10", "rope:d=8,base=10,scaling=linear,factor=8"]},
            "from pair 0 on waves are longer with scaling linear, factor 8, up to 8 times",
        ),
        *(
            (
                {"encoding": "rope:scaling=linear,factor=8", "ratio": ratio},
                "every wave is 8 times as long as without the scaling",
            )
            for ratio in (False, True)
        ),
        ({"encoding": YARN}, "from pair 24 on waves are longer than without the scaling, up to 4 times"),
        ({"encoding": [YARN, LLAMA], "ratio": True}, ""),
        ({"encoding": "geometric:d=16"}, ""),  # the longest are left out
        ({"encoding": ["clock", "geometric:d=16"]}, ""),
    ],
)
def test_the_message_is_what_lines_and_levels_say(options: dict[str, Any], said: str) -> None:
    assert numbers(**options).message() == said


def test_formulas_need_no_caption() -> None:
    assert numbers(encoding=["sinusoidal", "rope"]).caption() == ""


@pytest.mark.parametrize(("length", "longer"), [(1, 4), (6, 4), (7, 3), (20, 2), (62, 2), (63, 1), (199, 0)])
def test_pairs_longer_than_the_length_are_counted(length: int, longer: int) -> None:
    waves = 2 * np.pi * 10 ** np.array([0, 0.5, 1, 1.5])  # 6.28, 19.87, 62.8, 198.7
    assert longer == (waves > length).sum()
    assert numbers(d=8, base=100, length=length).facts()["longer_than_length"] == {"sinusoidal:d=8,base=100": longer}


def test_the_picture_has_a_line_at_the_length_on_a_log_axis() -> None:
    axes = drawn(d=8, length=97)
    wave, mark, *_ = axes.get_lines()
    assert wave.get_ydata() == pytest.approx(numbers(d=8).main)
    assert not wave.get_clip_on()  # the first and the last mark stand on the frame
    assert set(mark.get_ydata()) == {97}
    assert axes.get_yscale() == "log"
    assert axes.texts[0].get_text() == "length 97"
    assert axes.get_ylabel() == "wavelength λ, positions"


@pytest.mark.parametrize(
    ("base", "d", "marked"), [(100, 8, ["2π = 6.28", "base · 2π = 628.3"]), (0.5, 8, []), (1, 8, ["2π = 6.28"])]
)
def test_where_wavelengths_begin_and_tend_to_is_written_there(base: float, d: int, marked: list[str]) -> None:
    axes = drawn(d=d, base=base, length=20)
    (longer,) = np.nonzero([2 * np.pi * base ** (2 * j / d) > 20 for j in range(d // 2)])
    which = "–".join(dict.fromkeys(f"{end}" for end in longer[[0, -1]])) if len(longer) else ""
    assert [text.get_text() for text in axes.texts] == [
        "length 20",
        *marked,
        *([f"↑ {len(longer)} of 4 pairs ({which})\nnever finish a turn"] if which else []),
    ]
    ends = [2 * np.pi, 2 * np.pi * base][: len(marked)]
    assert [text.xy[1] for text in axes.texts[1 : 1 + len(marked)]] == pytest.approx(ends, rel=1e-9)
    assert axes.get_ylim()[1] > 2 * np.pi * base


def levels(length: int = 200, **options: object) -> tuple[Any, list[Any]]:
    """The panel as `save` draws it, and the names of its levels that are shown."""
    picture = pecli.figure("spectrum", **{"length": length, "dpi": 60, **options})
    with style_context(picture.job.canvas):
        (axes,) = picture._drawing().axes
    return axes, [text for text in axes.texts if text.get_visible()]


@pytest.mark.parametrize(("size", "named"), [("column", 4), ("5x3", 4), ("page", 4), ("slide", 4), ("2.5x2.5", 3)])
def test_names_of_levels_stand_inside_the_frame_off_the_lines_of_the_grid(size: str, named: int) -> None:
    axes, shown = levels(size=size, dpi=150)
    ticks = axes.transData.transform([(1.0, tick) for tick in axes.get_yticks()])[:, 1]
    assert len(shown) >= named
    assert any("(25–63)" in text.get_text() for text in shown) == (size in ("5x3", "page", "slide"))
    for text in shown:
        box = text.get_window_extent()
        assert axes.bbox.y0 <= box.y0 + 1 and box.y1 <= axes.bbox.y1
        assert not ((ticks > box.y0 + 1) & (ticks < box.y1 - 1)).any() or size == "2.5x2.5", text.get_text()


@pytest.mark.parametrize("length", [3, 6, 14, 200])
def test_no_other_level_stands_between_a_name_and_its_own(length: int) -> None:
    axes, shown = levels(length, size="5x3")
    heights = [float(axes.transData.transform((1.0, text.xy[1]))[1]) for text in shown]
    for text, own in zip(shown, heights, strict=True):
        box = text.get_window_extent()
        low, high = (own, box.y0) if box.y0 > own else (box.y1, own)
        assert not any(low + 0.2 < other < high - 0.2 for other in heights if other != own), text.get_text()


def test_a_name_that_nothing_crosses_stands_in_the_colour_of_its_field() -> None:
    for style in ("default", "dark_background"):
        axes, shown = levels(size="5x3", style=style)
        (shade,) = axes.patches
        inside = next(text for text in shown if text.get_text().startswith("base"))
        assert inside.get_bbox_patch().get_facecolor()[:3] == shade.get_facecolor()[:3]
        assert abs(float(lightness(shade.get_facecolor()) - lightness(axes.get_facecolor()))) > 5


@pytest.mark.parametrize("size", ["column", "blog"])
def test_the_axis_has_the_power_of_ten_that_is_near_its_upper_end(size: str) -> None:
    assert levels(size=size)[0].get_ylim()[1] == pytest.approx(1.05e5)
    assert levels(size=size, base=30000)[0].get_ylim()[1] < 5e5


@pytest.mark.parametrize(
    ("longer", "said"), [([0, 0, 1, 1], "2–3"), ([0, 0, 0, 1], "3"), ([1, 1], ""), ([1, 0, 1], ""), ([0, 0], "")]
)
def test_a_run_is_named_by_its_ends(longer: list[int], said: str) -> None:
    assert run_text(np.array(longer, dtype=bool)) == said


@pytest.mark.parametrize(("base", "side"), [(100, "left"), (10_000, "right")])
def test_how_many_never_finish_a_turn_is_written_where_no_wavelength_is(base: float, side: str) -> None:
    assert drawn(d=128, base=base, length=200).texts[-1].get_ha() == side


def test_what_is_longer_than_the_length_is_shaded() -> None:
    axes = drawn(d=8, length=97)
    (shade,) = axes.patches
    assert shade.get_y() == 97 and shade.get_y() + shade.get_height() > axes.get_ylim()[1]


def test_several_encodings_are_overlaid_and_told_apart() -> None:
    axes = drawn(encoding=["sinusoidal:d=8", "rope:d=4,base=10", "binary:d=3"], length=8)
    texts = [text.get_text() for text in axes.get_legend().get_texts()]
    assert texts == [
        "sinusoidal, d 8, base 10,000: 3 of 4 above",
        "rope, d 4, base 10: 1 of 2 above",
        "binary, d 3: 0 of 3 above",
    ]
    lines = axes.get_lines()[:3]
    assert [len(line.get_xdata()) for line in lines] == [4, 2, 3]
    assert len({line.get_color() for line in lines}) == 3


def test_lines_that_end_together_are_named_there_and_no_name_leads_across_others() -> None:
    together, apart = (drawn(encoding=["rope:d=64", f"sinusoidal:d={d}"], length=8) for d in (60, 16))
    assert len(line_labels(together)) == 2 and together.get_legend() is None
    assert not line_labels(apart) and apart.get_legend() is not None


def test_numbers_say_which_encoding_each_belongs_to() -> None:
    found = numbers(encoding=["sinusoidal:d=8", "clock"])
    assert found.arrays()["encoding"].tolist() == [0] * 4 + [1] * 3
    header, columns = found.sheet()
    assert header == ["wavelength", "pair", "encoding", "stretch"]
    assert [len(column) for column in columns] == [7] * 4


def test_a_single_position_has_no_period_to_measure() -> None:
    found = numbers(encoding="learned", d=3, length=1)
    assert len(found.main) == 0
    assert found.facts()["still"] == {"learned:d=3": 3}


def test_a_scaled_rope_has_its_contexts_its_ramp_and_what_it_was() -> None:
    axes = drawn(encoding=YARN, length=100)
    lines = {float(line.get_ydata()[0]): line.get_linestyle() for line in axes.lines if len(set(line.get_ydata())) == 1}
    assert lines == {100: "--", 32768: ":", 131072: ":"}
    assert {text.get_text() for text in axes.texts} == {
        "length 100",
        "original context 32,768",
        "factor × original 131,072",
    }
    band, shade = axes.patches
    assert shade.get_y() == 100
    assert (band.get_x(), band.get_x() + band.get_width()) == (23, 40)
    was = [line.get_ydata() for line in axes.lines if line.get_linestyle() == "--" and len(line.get_ydata()) == 64]
    assert was[0] == pytest.approx(2 * np.pi * 1e6 ** (2 * np.arange(64) / 128), rel=1e-12)


def test_the_numbers_of_a_scaled_rope_say_what_the_scaling_does() -> None:
    found = numbers(encoding=LLAMA)
    stretch = found.arrays()["stretch"]
    assert stretch[:29].tolist() == [1] * 29
    assert stretch[35:] == pytest.approx([8] * 29, rel=1e-12)
    assert list(found.facts()["ramp"].values()) == [(28, 35)]
    assert found.facts()["contexts"] == {"original context": 8192, "scaled context": 65536}
    assert found.caption() == "dashed: without the scaling; band: pairs between kept and divided"
    assert "ramp" not in numbers(encoding="rope").facts()


def test_the_ratio_is_that_to_the_wavelength_without_the_scaling() -> None:
    axes = drawn(encoding=["rope:scaling=linear,factor=8", LLAMA, "sinusoidal"], ratio=True)
    linear, llama, plain = (line.get_ydata() for line in axes.lines)
    assert linear == pytest.approx([8] * 64, rel=1e-12)
    assert (llama[0], llama[-1]) == (1, pytest.approx(8))
    assert plain.tolist() == [1] * 64
    assert axes.get_yscale() == "log" and len(axes.texts) == len(line_labels(axes)) == 3


def test_the_ratio_of_what_has_no_formula_is_refused() -> None:
    with pytest.raises(UsageError, match="ratio is of wavelengths by a formula, and binary has none"):
        numbers(encoding="binary", ratio=True)


def test_neighbours_that_are_nearly_as_far_apart_give_the_range() -> None:
    assert ratio_text(np.array([1.0, 10.0, 100.1])) == "×10 to ×10.01"
    assert ratio_text(np.array([1.0, 10.0, 100.0 * (1 + 1e-12)])) == "×10"


def test_names_of_lengths_that_are_close_do_not_touch() -> None:
    picture = pecli.figure("spectrum", encoding=[LLAMA, YARN], length=131072, size="column", dpi=100)
    with style_context(picture.job.canvas):
        (axes,) = picture._drawing().axes
    boxes = [text.get_window_extent() for text in axes.texts if text.get_text()]
    assert len(boxes) == 5 and axes.texts[0].get_text() == "length 131,072"
    for at, one in enumerate(boxes):
        assert not any(one.overlaps(other) for other in boxes[:at])


@pytest.mark.parametrize(("encoding", "last"), [("sinusoidal:d=8", 3), ("binary:d=8", 7)])
def test_the_axis_ends_with_the_last_wavelength(encoding: str, last: float) -> None:
    axes = drawn(encoding=encoding, length=16)
    assert max(axes.lines[0].get_xdata()) == last < axes.get_xlim()[1] < last + 0.2


def test_names_of_contexts_stand_over_no_wave() -> None:
    picture: Any = pecli.figure("spectrum", encoding=[LLAMA, "rope:base=10000"], length=131072, size="column")
    with style_context(picture.job.canvas):
        drawing = picture._drawing()
        drawing.canvas.draw()
        axes = drawing.axes[0]
        boxes = [
            text.get_window_extent() for text in axes.texts if text.get_text().split()[0] in ("original", "factor")
        ]
        waves = [
            line.get_transform().transform(line.get_xydata()) for line in axes.lines if len(line.get_xdata()) == 64
        ]
    assert len(boxes) == 2 and len(waves) == 3
    assert not any(box.count_contains(points) for box in boxes for points in waves)


@pytest.mark.parametrize(
    ("options", "title"),
    [
        ({"encoding": [LLAMA, YARN]}, "wavelengths"),
        ({"encoding": [LLAMA, YARN], "ratio": True}, "what scalings do to wavelengths"),
        ({"encoding": "sinusoidal:base=10"}, "sinusoidal, d 128, base 10"),
    ],
)
def test_the_title_of_several_is_what_they_have_in_common(options: dict[str, Any], title: str) -> None:
    assert pecli.figure("spectrum", **options).title() == title
