"""Tests of the numbers and artists of heatmaps and distance matrices."""

from __future__ import annotations

import io
from pathlib import Path
from typing import Any

import matplotlib as mpl
import numpy as np
import pytest
from PIL import Image

import pecli
from pecli.core.errors import UsageError
from pecli.core.language import finding, say
from pecli.core.progress import TRACKER
from pecli.page.labels import BracketLabel, RowLabel, labels_of
from tests.drawing import axes_of, clauses, numbers_of, page_of, told


@pytest.mark.long
@pytest.mark.parametrize(("d", "length", "start"), [(7, 11, 0), (2, 1, -5), (1, 3, 1), (13, 5, 1009)])
def test_the_image_is_the_table_at_its_positions(d: int, length: int, start: int) -> None:
    axes = axes_of("heatmap", d=d, length=length, start=start)
    (image,), (bar,) = axes.images, axes.child_axes
    assert np.array_equal(image.get_array(), pecli.encode(d=d, length=length, start=start))
    assert [*image.get_extent()] == [-0.5, d - 0.5, start + length - 0.5, start - 0.5]
    assert axes.get_ylim() == (start + length - 0.5, start - 0.5)  # position down
    assert (image.get_clim(), image.get_cmap().name) == ((-1, 1), "signed")
    assert axes.figure.axes == [axes] and bar is image.colorbar.ax
    assert (axes.get_xlabel(), bar.get_ylabel()) == (say("encoding.dimension"), say("heatmap.value"))
    assert axes_of("heatmap", d=7, length=5, cmap="PiYG").images[0].get_cmap().name == "PiYG"


@pytest.mark.some(6)
@pytest.mark.parametrize(
    ("encoding", "said", "constant"),
    [
        ("sinusoidal:d=128", {"key": "heatmap.from_dimension_on", "first": 50}, {}),
        ("clock", {"key": "heatmap.of_sine_cosine_pairs", "count": 2, "all": 3}, {}),
        ("sinusoidal:d=2", {"key": "heatmap.no_sine_cosine_pair"}, {}),
        (
            "sinusoidal:d=8,base=16",
            {"key": "heatmap.even_the_slowest", "turns": "4", "first": "6.28", "last": "50.3"},  # 200 of 2π 16^(3/4)
            {},
        ),
        ("binary", {"key": "heatmap.changes_only_once", "last": "7", "position": "128"}, {}),
        (
            "binary:d=10",
            {"key": "heatmap.changes_only_once", "last": "7", "position": "128"},
            {"key": "heatmap.constant_here_and_later", "first": 8},
        ),
    ],
)
def test_a_heatmap_says_what_its_stripes_are(encoding: str, said: dict[str, Any], constant: dict[str, Any]) -> None:
    alone = numbers_of("heatmap", encoding=encoding)
    several = pecli.figure("heatmap", encoding=[encoding, "learned"]).numbers
    assert (told(alone.message(), said), told(alone.caption(), constant)) == (said, constant)
    named = finding(several.message())
    assert named["key"] == "join.with_names" and named["text"] == alone.message()
    assert named["names"].startswith(encoding.partition(":")[0])
    assert "learned" not in several.message()


def test_the_row_that_stands_out_has_its_length_beside_the_image(tmp_path: Path) -> None:
    table = np.random.default_rng(0).standard_normal((300, 8))
    table[7] *= 4
    np.save(tmp_path / "t.npy", table)
    options: dict[str, Any] = {"encoding": f"learned:file={tmp_path / 't.npy'}", "length": 300}
    lengths = np.linalg.norm(table, axis=1)
    found = pecli.figure("heatmap", **options).numbers
    assert finding(found.message())["position"] == "7" and np.array(found.lengths) == pytest.approx(lengths)
    (beside,) = page_of("heatmap", **options).axes[0].child_axes
    assert beside.lines[0].get_xydata().tolist() == [[0, 7], [pytest.approx(lengths[7]), 7]]
    assert beside.get_xlim() == (0, pytest.approx(1.05 * lengths[7]))
    assert beside.get_xticks().tolist() == [pytest.approx(np.sort(lengths)[-2])]


@pytest.mark.long
@pytest.mark.parametrize(
    ("pairing", "base", "turn", "begins"),
    [("interleaved", 1e4, "2°", [0, 32, 80]), ("half", 1e6, "0.1°", [0, 16, 40, 64, 80, 104])],
)
def test_sections_words_and_images_of_a_sequence_are_named(pairing: str, base: float, turn: str, begins: Any) -> None:
    sections: dict[str, Any] = {"encoding": "rope", "sections": [16, 24, 24], "sequence": "16,1x12x12,16"}
    options: dict[str, Any] = {**sections, "base": base, "pairing": pairing}
    said = finding(pecli.figure("heatmap", **options).numbers.message())
    assert said == {"key": "heatmap.within_image", "axis": say("words.column"), "turn": turn}
    fastest = base ** (-40 / 64)  # of the columns, rad a patch
    assert 360 * 11 * fastest / (2 * np.pi) == pytest.approx(float(turn[:-1]), rel=0.2)
    axes = page_of("heatmap", **options).axes[0]
    assert axes.get_xticks().tolist() == [*begins, 127] and axes.get_yticks().tolist() == [0, 16, 160, 175]
    assert [label.xy[0] + 0.5 for label in labels_of(axes, BracketLabel)] == begins
    rows = [label.get_text() for label in labels_of(axes, RowLabel)]
    words = say("heatmap.words", count=16)
    assert rows == [words, say("heatmap.image", sides="12 × 12"), words]


@pytest.mark.parametrize(("count", "named"), [(7, 7), (8, 0)])
def test_more_than_seven_words_and_images_are_not_named(count: int, named: int) -> None:
    sequence = ",".join(("2", "1x2x2")[at % 2] for at in range(count))
    axes = axes_of("heatmap", encoding="rope:d=8", sections=[1, 1, 2], sequence=sequence)
    assert len(labels_of(axes, RowLabel)) == named


def test_a_bit_that_changes_after_the_first_position_shown_is_not_called_constant() -> None:
    assert numbers_of("heatmap", encoding="binary:d=10", start=120, length=20).caption() == ""  # bit 7 does, at 128


def test_a_heatmap_of_a_billion_positions_has_a_headline_and_one_without_stripes_has_none() -> None:
    for silent in ("sinusoidal", "binary:d=1", "learned"):
        assert numbers_of("heatmap", encoding=silent, length=1).message() == ""
    long = pecli.figure("heatmap", d=2, length=10**9, dpi=20)
    assert finding(long.seen.message())["key"] == "heatmap.no_sine_cosine_pair"


@pytest.mark.long
@pytest.mark.parametrize("length", [11, 25])
def test_every_pixel_has_the_colour_of_its_cell(length: int) -> None:
    picture = pecli.figure("heatmap", d=7, base=10, length=length, dpi=60, no_title=True, no_numbers=True)
    pixels = np.asarray(Image.open(io.BytesIO(picture.render("png")[0])).convert("RGBA"))
    drawing = page_of("heatmap", d=7, base=10, length=length, dpi=60, no_title=True, no_numbers=True)
    place = drawing.axes[0].get_window_extent()
    top, bottom = (len(pixels) - place.y1, len(pixels) - place.y0)
    inside = pixels[round(top) + 3 : round(bottom) - 3, round(place.x0) + 3 : round(place.x1) - 3]
    colours = mpl.colormaps["signed"](np.arange(256), bytes=True)
    assert inside.size > 10_000
    assert {tuple(item) for item in np.unique(inside.reshape(-1, 4), axis=0)} <= {tuple(colour) for colour in colours}
    if length == 11:
        table = pecli.encode(d=7, base=10, length=11)
        rows = (top + (np.arange(11) + 0.5) * place.height / 11).astype(int)
        columns = (place.x0 + (np.arange(7) + 0.5) * place.width / 7).astype(int)
        expected = mpl.colormaps["signed"]((table + 1) / 2, bytes=True)
        assert np.array_equal(pixels[np.ix_(rows, columns)], expected)


@pytest.mark.long
@pytest.mark.parametrize(
    ("length", "ticks"),
    [(3000, ["1", "10", "100", "1,000"]), (60, ["1", "2", "5", "10", "20", "50"])],
)
def test_a_logarithmic_axis_has_powers_of_ten_or_what_is_between(length: int, ticks: list[str]) -> None:
    axis = page_of("heatmap", d=4, length=length, log=True, size="4x4", dpi=40).axes[0].yaxis
    texts = [label.get_text() for label in axis.get_ticklabels()]
    assert texts[: len(ticks)] == ticks
    assert axis.get_ticklocs() == pytest.approx(np.log10([float(text.replace(",", "")) for text in texts]))


@pytest.mark.long
def test_an_axis_of_times_has_round_ones() -> None:
    axis = page_of("heatmap", encoding="clock", length=400, size="4x4", dpi=40).axes[0].yaxis
    assert [label.get_text() for label in axis.get_ticklabels()][:3] == ["00:00:00", "00:02:00", "00:04:00"]


def test_a_logarithmic_axis_begins_at_position_1() -> None:
    numbers = numbers_of("heatmap", log=True, d=6, length=3)
    assert numbers.positions.tolist() == [1, 2]
    assert np.array_equal(numbers.main, pecli.encode(d=6, start=1, length=2))
    assert numbers_of("heatmap", log=True, d=6, start=5, length=3).positions[0] == 5
    seen = numbers_of("heatmap", ((30, 3),), log=True, d=8, length=5000)
    assert seen.length == 4999
    assert {
        say("waves.one_pair_in_drawn", count=8),
        say("figures.each_pixel_is_the", cells=say("words.count_positions", count=1861)),
    } <= {*seen.remarks()}
    wave = numbers_of("heatmap", ((200, 2),), log=True, d=2, length=2000)
    near = np.abs(wave.positions - 82) < 8  # two pixels a wavelength: a mean over one of them flickers
    assert np.abs(wave.main[near]).max() < 0.3


@pytest.mark.parametrize(("start", "length"), [(0, 2), (0, 1), (-1, 9)])
def test_positions_that_have_no_logarithmic_axis_are_refused(start: int, length: int) -> None:
    with pytest.raises(UsageError, match="log needs positions ≥ 0"):
        pecli.figure("heatmap", log=True, start=start, length=length)


@pytest.mark.long
def test_more_positions_than_pixels_are_averaged_but_not_in_the_numbers() -> None:
    options: dict[str, Any] = {"d": 7, "base": 1e9, "length": 1009, "start": 3}
    whole, seen = numbers_of("heatmap", **options), numbers_of("heatmap", ((30, 25),), **options)
    size, table = seen.block, pecli.encode(**options)
    assert size > 1 and 1009 % size
    means = np.array([table[at : at + size].mean(axis=0) for at in range(0, 1009, size)])
    assert seen.main[:, 2:] == pytest.approx(means[:, 2:], abs=1e-14)
    assert not seen.main[:, :2].any() and seen.flat and not whole.flat  # a wave of 6 positions in pixels of 34
    keys = [finding(note)["key"] for note in clauses(seen.caption())]
    assert keys == ["figures.each_pixel_is_the_mean", "heatmap.flat_columns"]
    assert axes_of("heatmap", **options).get_ylim() == (1011.5, 2.5)  # a short last block does not stretch the axis
    assert np.array_equal(whole.main, table) and whole.caption() == ""
    assert (whole.smallest, whole.largest, whole.limit) == (table.min(), table.max(), 1)
    assert len(pecli.figure("heatmap", d=7, length=10**9, dpi=30).seen.main) < 6.75 * 30


def test_a_long_average_without_a_closed_form_shows_a_bar_and_says_why() -> None:
    text: list[str] = []

    def note(items: Any, doing: str) -> Any:
        text.append(doing)
        return items

    before = TRACKER.set(note)
    try:
        numbers_of("heatmap", ((9, 9),), encoding="sinusoidal:d=2,dtype=float16", length=3000)
    finally:
        TRACKER.reset(before)
    assert "averaging sinusoidal row by row, as it has no closed form" in text


def test_a_learned_table_longer_or_wider_than_the_pixels_shows_rows_and_columns_of_it(tmp_path: Path) -> None:
    table = np.random.default_rng(0).normal(0, 0.02, (101, 13))
    np.save(tmp_path / "t.npy", table)
    options: Any = {"encoding": f"learned:file={tmp_path / 't.npy'}", "length": 101}
    seen = numbers_of("heatmap", ((30, 5),), **options)
    assert np.array_equal(seen.main, table[::4, ::3]) and seen.positions.tolist() == [*range(0, 101, 4)]
    assert [finding(note)["count"] for note in seen.remarks() if note] == [4, 3]
    log = numbers_of("heatmap", ((9, 13),), **options, log=True)
    assert np.array_equal(log.main, table[log.positions.astype(int)]) and str(log.block) in log.caption()


def test_where_numbers_are_too_many_the_extremes_are_left_out_and_the_ends_are_bounds() -> None:
    far, near = (numbers_of("heatmap", ((9, 9),), d=8, length=length) for length in (10**9, 10**5))
    assert far.ends == near.ends == (-1, 1)
    assert not {"smallest", "largest"} & far.facts().keys() and near.facts()["smallest"] < -0.999999


@pytest.mark.some(2)
@pytest.mark.parametrize("length", [40, 2500])
def test_extremes_undefined_entries_and_spread_are_those_of_all_pairs(tmp_path: Path, length: int) -> None:
    table = np.random.default_rng(0).normal(size=(length, 3))
    table[7] = 5.0  # constant: no correlation
    np.save(tmp_path / "t.npy", table)
    found = numbers_of("distance", ((20, 20),), encoding=f"learned:file={tmp_path / 't.npy'}", measure="corr")
    expected = np.corrcoef(np.delete(table, 7, axis=0))
    assert (found.smallest, found.largest) == pytest.approx((expected.min(), expected.max()), abs=1e-12)
    assert found.undefined == 2 * length - 1
    undefined = {"key": "distance.undefined", "count": 2 * length - 1, "all": length**2}
    assert told(found.caption(), undefined) == undefined
    spreads = [np.ptp(np.diag(expected, k)) for k in range(7)]  # rows 0 … 6 of those that are whole
    assert found.apart is None if length > 2048 else found.apart >= max(spreads[:1])


def drawn(**options: Any) -> Any:
    return axes_of("distance", **options)


@pytest.mark.long
@pytest.mark.parametrize("d", [6, 7])
def test_the_image_is_the_euclidean_matrix(d: int) -> None:
    axes = drawn(d=d, length=11, start=-3)
    table = pecli.encode(d=d, length=11, start=-3)
    expected = np.linalg.norm(table[:, None] - table, axis=2)
    (image,) = axes.images
    assert np.asarray(image.get_array()) == pytest.approx(expected, abs=1e-14)
    assert [*image.get_extent()] == [-3.5, 7.5, 7.5, -3.5]
    assert image.get_clim() == (0, pytest.approx(expected.max()))
    assert image.get_cmap().name == "distance"


@pytest.mark.long
@pytest.mark.parametrize("cmap", [None, "coolwarm", "viridis"])
@pytest.mark.parametrize("limits", [{"vmin": -0.5}, {"vmin": -0.5, "vmax": 3.0}])
def test_0_has_the_middle_of_the_map_whatever_map_and_limits_are_given(
    cmap: str | None, limits: dict[str, float]
) -> None:
    (image,) = drawn(d=6, base=10000, length=5, measure="cos", cmap=cmap, **limits).images
    low, high = image.get_clim()
    assert (low, high) == (limits.get("vmin", 0.0), limits.get("vmax", 1.0))
    whole = mpl.colormaps[cmap or "signed"]
    reach = max(-low, high)
    for value in (low, 0.0, high / 2, high):
        assert image.to_rgba(value) == pytest.approx(whole(0.5 + value / (2 * reach)), abs=0.02)


@pytest.mark.long
@pytest.mark.parametrize("d", [6, 7])
def test_more_positions_than_pixels_are_averaged_and_the_caption_says_so(d: int) -> None:
    numbers = numbers_of("distance", ((30, 25),), d=d, base=10, length=101, start=3)
    whole, size = numbers_of("distance", d=d, base=10, length=101, start=3).main, numbers.block
    cuts = range(0, 101, size)
    expected = [[whole[i : i + size, j : j + size].mean() for j in cuts] for i in cuts]
    assert size > 1 and 101 % size
    assert numbers.main == pytest.approx(np.array(expected), abs=1e-12)
    assert say("figures.cells", rows=size, columns=size) in numbers.caption()
    axes = drawn(d=d, length=1001, start=3)
    assert axes.get_xlim() == axes.get_ylim()[::-1] == (2.5, 1003.5)


def test_one_position_is_a_matrix_of_one_0() -> None:
    (image,) = drawn(d=7, length=1).images
    assert (image.get_array().tolist(), image.get_clim()) == ([[0]], (0, 1))
    assert numbers_of("distance", d=8, length=1).message() == ""
    assert numbers_of("distance", d=8, length=2).message() == ""  # no two pairs at one offset but 0


@pytest.mark.parametrize(("encoding", "alike"), [("sinusoidal", True), ("binary", False)])
def test_the_message_says_where_diagonals_are_the_same(encoding: str, alike: bool) -> None:
    numbers = numbers_of("distance", encoding=encoding, length=9)
    spread = max(np.ptp(np.diag(numbers.main, k)) for k in range(-8, 9))
    assert bool(spread < 1e-9) is alike
    apart = {"key": "words.at_equal_offset_the", "number": f"{spread:.3g}"}
    said = {"key": "words.the_depends_only_on"} if alike else apart
    assert told(numbers.message(), said) == said


@pytest.mark.long
@pytest.mark.parametrize(("measure", "undefined"), [("corr", 25), ("cos", 9)])
def test_undefined_entries_are_counted_and_not_drawn(measure: str, undefined: int) -> None:
    picture = pecli.figure("distance", d=1, length=5, measure=measure)  # sin(0) is a zero row
    (image,) = drawn(d=1, length=5, measure=measure).images
    masked = np.ma.getmaskarray(image.get_array())
    assert masked.sum() == undefined == picture.numbers.facts()["undefined"] and masked[0].all()
    assert {"count": undefined, "all": 25}.items() <= finding(picture.numbers.caption()).items()


@pytest.mark.some(3)
@pytest.mark.parametrize(
    ("encoding", "labels"),
    [
        ("clock", ("clock.other_time", "clock.time")),
        ("relative", ("sinusoidal.other_offset", "words.offset_p_minus_q")),
        ("rope", ("encoding.position_q", "encoding.position_p")),
    ],
)
def test_axes_and_a_colour_bar_as_tall_as_the_panel_are_labelled(encoding: str, labels: tuple[str, str]) -> None:
    axes = drawn(encoding=encoding, length=5, measure="cityblock")
    assert (axes.get_xlabel(), axes.get_ylabel(), axes.get_box_aspect()) == (*map(say, labels), 1)
    (bar,) = axes.child_axes
    axes.figure.canvas.draw()
    panel, beside = axes.get_window_extent(), bar.get_window_extent()
    assert bar is axes.images[0].colorbar.ax and bar.get_ylabel() == say("measure.city_block_distance")
    assert (beside.y0, beside.y1) == pytest.approx((panel.y0, panel.y1)) and beside.x0 > panel.x1


@pytest.mark.long
@pytest.mark.parametrize(("length", "block"), [(200, 1), (600, 3)])
def test_every_row_has_a_pixel_where_that_takes_little_more_height(length: int, block: int) -> None:
    found: Any = pecli.figure("heatmap", d=64, base=2, length=length, size="column", dpi=127).seen
    assert found.block == block


@pytest.mark.parametrize(("encoding", "pixels", "columns"), [
    ("rope:d=10,pairing=half", 8, [0, 3, 5, 8]), ("rope:d=10", 9, [0, 1, 6, 7]), ("sinusoidal:d=7", 8, [0, 1, 4, 5]),
])  # fmt: skip
def test_too_many_pairs_for_the_pixels_are_some_of_them_and_no_means(
    encoding: str, pixels: int, columns: list[int]
) -> None:
    seen = numbers_of("heatmap", ((9, pixels),), encoding=encoding, length=9)
    table = pecli.encode(encoding, length=9)
    assert np.array_equal(seen.table, table[:, columns])
    every = {2: "waves.every_second_pair_drawn", 3: "waves.one_pair_in_drawn"}[seen.columns_block]
    assert every in [finding(note).get("key") for note in seen.remarks()]
