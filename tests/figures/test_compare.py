"""Tests of the figure compare: shared limits, one colour bar, and the difference of two encodings."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from matplotlib.axes import Axes

import pecli
from pecli.core.errors import UsageError
from pecli.core.language import join_title, language_of, say, use_language
from pecli.figures.compare import MAX_WHOLE
from pecli.page.text import HEADLINE
from tests.conftest import Ask
from tests.drawing import axes_of, page_of, told

EIGHT = ["sinusoidal:d=8", "sinusoidal:d=8,base=10", "rope:d=8"]
TWO = ["sinusoidal:base=10,d=8", "sinusoidal:base=10000,d=8"]


def drawn(**options: object) -> tuple[list[Any], list[Any]]:
    """Return the panels, and the colour bars beside them."""
    axes = axes_of("compare", **{"encoding": TWO, "length": 11, **options})
    panels = [axes] if axes.axison else list(axes.child_axes)
    every = [*axes.figure.axes, *(child for panel in panels for child in panel.child_axes)]
    return panels, [item for item in every if item is not axes and item not in panels]


def title_of(panel: Axes) -> str:
    """Return the panel's title, whatever lines it is broken into."""
    return " ".join(panel.get_title().split())


@pytest.mark.long
def test_each_panel_is_the_figure_of_its_encoding() -> None:
    panels, _ = drawn()
    assert len(panels) == 2
    for panel, spec in zip(panels, TWO, strict=True):
        assert np.array_equal(panel.images[0].get_array(), pecli.encode(spec, length=11))
    assert [title_of(panel) for panel in panels] == ["base = 10", "base = 10,000"]
    assert pecli.figure("compare", encoding=TWO).title() == join_title(["sinusoidal", "d = 8"])


@pytest.mark.long
def test_what_all_have_in_common_stands_in_the_title_and_no_panel_is_without_a_name() -> None:
    scaled = "rope:scaling=linear,factor=4,d=8"
    whole = join_title(["RoPE", "d = 8", "base = 10,000"])
    for given, title, names in (
        (["rope:d=8", "sinusoidal:d=8"], join_title(["d = 8", "base = 10,000"]), ["RoPE", "Sinusoidal"]),
        (["rope:d=8", scaled], whole, ["RoPE", join_title(["scaling = linear", "factor = 4"])]),
        (["rope:d=8", "rope:d=8"], "", [whole] * 2),
    ):
        assert pecli.figure("compare", encoding=given).title() == title
        assert [title_of(panel) for panel in drawn(encoding=given)[0]] == names
    chinese = pecli.figure("compare", encoding=["sinusoidal:base=10", "sinusoidal"], d=4, length=4, lang="zh")
    assert chinese.title() == "正弦 · d = 4"  # as that of one encoding


@pytest.mark.long
@pytest.mark.parametrize(
    ("figure", "encodings", "limits"),
    [
        ("heatmap", ["sinusoidal:d=8", "rope:d=8"], (-1, 1)),
        ("distance", EIGHT, None),
    ],
)
def test_images_share_limits_and_one_colour_bar(figure: str, encodings: list[str], limits: Any) -> None:
    panels, bars = drawn(figure=figure, encoding=encodings)
    alone = np.array([pecli.figure(figure, encoding=spec, length=11).numbers.limits() for spec in encodings])
    assert len(panels) == len(encodings) and len(bars) == 1
    assert {panel.images[0].get_clim() for panel in panels} == {limits or (alone.min(), alone.max())}
    panels, bars = drawn(figure=figure, encoding=TWO[:1])
    assert panels[0].child_axes == bars  # one alone has its bar beside it


@pytest.mark.some(4)
@pytest.mark.parametrize(("measure", "bars"), [("dot", 2), ("euclidean", 2), ("cos", 1), ("hamming", 1)])
def test_what_grows_with_the_width_has_limits_of_its_own_for_each_width(measure: str, bars: int) -> None:
    encodings = ["sinusoidal:d=8", "sinusoidal:d=32", "rope:d=8"]
    panels, found = drawn(figure="distance", measure=measure, encoding=encodings)
    ends = [panel.images[0].get_clim() for panel in panels]
    assert (len(found), len({*ends})) == (bars, bars) and ends[0] == ends[2]


@pytest.mark.long
def test_the_difference_is_the_first_less_the_second_with_a_bar_of_its_own() -> None:
    panels, bars = drawn(difference=True)
    first, second, third = (np.asarray(panel.images[0].get_array()) for panel in panels)
    assert np.array_equal(third, first - second)
    low, high = panels[2].images[0].get_clim()
    assert low == -high and high == np.abs(third).max()
    assert all(bar.get_ylabel() for bar in bars) and len(bars) == 2
    assert title_of(panels[2]) == "base 10 − base 10,000"
    (_, _, long), _ = drawn(encoding=["sinusoidal:d=8", "rope:d=8,base=500000"], difference=True)
    assert title_of(long) == say("compare.difference_first_minus_second")


@pytest.mark.long
@pytest.mark.parametrize(
    ("figure", "encoding", "shared"),
    [
        ("spectrum", ["binary", "rope"], True),
        ("spectrum", ["clock", "rope"], False),  # seconds
        ("curves", ["rope", "sinusoidal"], True),
        ("curves", ["clock", "binary"], False),  # of other widths
    ],
)
def test_what_lines_show_upwards_is_shared_where_it_is_the_same(figure: str, encoding: list[str], shared: bool) -> None:
    panels, _ = drawn(figure=figure, encoding=encoding)
    assert (len({panel.get_ylim() for panel in panels}) == 1) == shared
    ends = [(*panel.get_ylim(), line.get_ydata()) for panel in panels for line in panel.lines]
    assert all(low <= np.nanmin(y) and np.nanmax(y) <= high for low, high, y in ends)
    assert figure != "curves" or all(tick >= 0 for panel in panels for tick in panel.get_yticks())  # names hang below 0


@pytest.mark.long
def test_biases_and_buckets_share_no_colours_and_the_caption_says_once_what_both_do() -> None:
    panels, bars = drawn(figure="bias", encoding=["alibi:heads=2", "t5", "alibi:heads=4"])
    assert {bar.get_ylabel() for bar in bars} == {say("encoding.bias"), say("bias.distance")}
    assert say("biases.count_buckets", count=32) in title_of(panels[2])
    alibi, t5, other = (panels[at].images[0].get_clim() for at in (0, 2, 3))
    assert alibi == other and alibi[1] == 0 and t5[1] > 0
    seen: Any = pecli.figure("compare", figure="bias", encoding=["alibi", "t5"], length=900, dpi=50).seen
    side = seen.parts[0].numbers.block
    assert side > 1 and seen.caption().endswith(
        say("figures.each_pixel_is_the_mean", cells=say("figures.cells", rows=side, columns=side))
    )


@pytest.mark.some(3)
@pytest.mark.parametrize("other", ["alternating.npy", "sinusoidal:d=8"])
@pytest.mark.parametrize(("figure", "length"), [("heatmap", 900), ("distance", 400)])
def test_a_pixel_of_a_difference_is_the_largest_of_its_cells(
    figure: str, length: int, other: str, folder: Path
) -> None:
    table = pecli.encode("learned:d=8", length=length)
    np.save("table.npy", table)
    np.save("alternating.npy", np.where(np.arange(length)[:, None] % 2, table + 1, table))
    options: Any = {"encoding": ["table.npy", other], "figure": figure, "length": length, "difference": True, "dpi": 40}
    job: Any = pecli.figure("compare", **options)
    first, _, difference = (part.numbers for part in job.seen.parts)
    one, two = (pecli.figure(figure, encoding=own, length=length).numbers.main for own in options["encoding"])
    far, size = one - two, first.block
    for (row, column), shown in np.ndenumerate(difference.main[:9, :8]):
        across = slice(column * size, (column + 1) * size) if figure == "distance" else slice(column, column + 1)
        cells = far[row * size : (row + 1) * size, across].ravel()
        assert shown == pytest.approx(cells[np.abs(cells).argmax()], abs=1e-12)
    columns = size if figure == "distance" else 1
    cells = say("figures.cells", rows=size, columns=columns)
    assert size > 1 and say("compare.each_pixel_largest", cells=cells) in job.caption()
    assert difference.ends[1] == pytest.approx(np.abs(far).max(), abs=1e-12)


@pytest.mark.some(3)
@pytest.mark.parametrize(("largest", "differ"), [(1, False), (0.998, False), (0.5, True)])
def test_limits_that_look_equal_are_not_said_to_differ(largest: float, differ: bool, folder: Path) -> None:
    np.save("waves.npy", largest * np.sin(np.outer(np.arange(12), np.linspace(0.1, np.pi / 2, 8))))
    caption = pecli.figure("compare", encoding=["waves.npy", "sinusoidal:d=8"], length=12).caption()
    assert (say("compare.not_all_panels_have") in caption) == differ


HEATMAPS: Any = {"figure": "heatmap", "length": 50, "dpi": 30, "size": "9x3"}


def headlines(page: Any) -> list[Any]:
    """Return what there is to see, above all or above each part."""
    return [text for text in page.texts if text.get_text() and text.get_fontweight() == HEADLINE]


@pytest.mark.some(7)
@pytest.mark.parametrize(
    ("one", "other", "so"),
    [
        ("sinusoidal:d=6", "rope:d=6", True),
        ("sinusoidal:d=7", "sinusoidal:d=7,layout=concatenated", True),
        ("rope:d=8", "rope:d=8,pairing=half", True),
        ("rope:d=8", "rope:d=8,base=100", False),
        ("sinusoidal:d=6", "sinusoidal:d=6", False),
        ("sinusoidal:d=6", "rope:d=6,dtype=float16", False),
        ("learned:d=6", "learned:d=6,seed=1", False),
    ],
)
def test_a_difference_says_where_columns_only_have_other_places(one: str, other: str, so: bool) -> None:
    tables = [pecli.encode(spec, length=20).T.tolist() for spec in (one, other)]
    assert so == (tables[0] != tables[1] and sorted(tables[0]) == sorted(tables[1]))
    numbers = pecli.figure("compare", encoding=[one, other], difference=True, length=20).numbers
    for lang in ("en", "zh"):
        with use_language(language_of(lang)):
            assert (say("compare.the_same_columns_in") in numbers.message()) == so


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"encoding": ["sinusoidal:d=8", "rope:d=6"], "length": 11, "difference": True}, "11 × 8 and 11 × 6"),
        ({"encoding": ["rope"], "difference": True}, "two encodings, not 1"),
        (
            {"encoding": ["rope", "rope:base=5"], "figure": "spectrum", "difference": True},
            "one image of the same size for each encoding",
        ),
        ({"encoding": ["rope", "clock", "sinusoidal"], "difference": True}, "two encodings, not 3"),
        ({"encoding": ["rope", "binary"], "figure": "dials"}, "dials cannot show binary"),
        ({"encoding": TWO, "figure": "overview"}, "overview"),
    ],
)
def test_what_cannot_be_compared_is_refused(options: dict[str, Any], said: str) -> None:
    with pytest.raises(UsageError, match=said):
        axes_of("compare", **options)


@pytest.mark.long
def test_lines_of_another_kind_have_a_window_and_offsets_of_their_own() -> None:
    specs = ["sinusoidal", "clock", "t5"]
    first, second, other = page_of("compare", figure="offsets", length=20, encoding=specs, size="column").axes
    assert first.get_ylim() == second.get_ylim() and first.get_ylim()[1] > 60 > other.get_ylim()[1]
    assert first.get_xlim() == second.get_xlim() and first.get_xlim()[0] > other.get_xlim()[0]
    assert [bool(item.xaxis.label.get_visible()) for item in (first, second, other)] == [False, True, True]


@pytest.mark.long
@pytest.mark.parametrize(
    ("options", "said"),
    [
        (
            {"encoding": ["sinusoidal", "sinusoidal:base=10"]},
            {"key": "figures.turn_of_two", "name": "base = 10,000", "count": 49, "other": "base = 10"},
        ),
        (
            {"encoding": ["sinusoidal:base=50", "sinusoidal", "sinusoidal:base=10"]},
            {"key": "figures.turn_of_several", "name": "base = 10,000", "count": 49, "other": "base = 10"},
        ),
        ({"encoding": ["sinusoidal", "rope"]}, {"key": "compare.the_same_columns_in"}),
        (
            {"encoding": TWO, "figure": "distance", "length": 9, "difference": True},
            {"key": "compare.the_is_larger_by", "number": "2.12", "name": "base = 10"},
        ),
        ({"encoding": TWO, "length": 30, "difference": True}, {"key": "compare.the_two_differ_by", "number": "2"}),
        ({"encoding": TWO, "length": 900, "difference": True}, {"key": "compare.the_two_differ_by", "number": "2"}),
        (
            {"encoding": ["rope:d=4", "rope:d=4,base=10000"], "length": 9, "difference": True},
            {"key": "compare.no_difference"},
        ),
    ],
)
def test_what_there_is_to_see_is_said_with_the_name_of_each_that_says_it(
    options: dict[str, Any], said: dict[str, Any]
) -> None:
    options = {**HEATMAPS, **options}
    message = pecli.figure("compare", **options).seen.message()
    (shown,) = headlines(page_of("compare", **options))[-1:]
    assert " ".join(shown.get_text().split()).casefold() == message.casefold()
    assert told(message, said) == said


@pytest.mark.long
def test_encodings_are_named_above_their_own_attention() -> None:
    axes = axes_of("compare", figure="attention", encoding=["clock", "rope:d=6"])
    titles = [ax.get_title() for ax in axes.child_axes if "dog bites man" in ax.get_title()]
    periods = (say("clock.count_min", count=1), say("clock.count_h", count=1), say("clock.count_h", count=12))
    above = [["Clock", f"periods = {', '.join(periods)}"], ["RoPE", "d = 6", "base = 10,000"]]
    assert titles == [f"{join_title(name)}\n \ndog bites man" for name in above]


@pytest.mark.long
@pytest.mark.parametrize("other", ["learned:d=64", "rope:d=64,pairing=half"])
def test_a_difference_is_of_the_same_columns(other: str) -> None:
    """Where one table alone would have pairs left out, or others than the other one."""
    specs = ["sinusoidal:d=64", other]
    seen: Any = pecli.figure("compare", encoding=specs, difference=True, length=5, size="4x4", dpi=20).seen
    first, second = (pecli.encode(spec, length=5) for spec in specs)
    assert seen.parts[-1].numbers.main == pytest.approx(first - second)


@pytest.mark.long
@pytest.mark.parametrize("size", ["column", "page", "slide"])
def test_bars_of_two_kinds_stand_apart(size: str) -> None:
    encoding = ["sinusoidal:d=8", "rope:d=8", "clock", "binary"]
    axes = page_of("compare", encoding=encoding, length=64, size=size, dpi=40).axes
    boxes = [ax.get_tightbbox() for ax in axes if ax.get_label() == "<colorbar>"]
    assert len(boxes) == 2 and not boxes[0].overlaps(boxes[1])


@pytest.mark.long
@pytest.mark.parametrize(
    "options",
    [
        {"encoding": ["rope:d=64", "rope:d=128"], "figure": "distance", "length": 200},
        {"encoding": ["sinusoidal:d=8", "sinusoidal:d=16", "rope:d=8"], "figure": "heatmap", "length": 30},
        {"encoding": ["sinusoidal", "rope"], "figure": "curves", "length": 50},
    ],
)
def test_titles_of_one_row_stand_on_one_line(options: dict[str, Any]) -> None:
    page = page_of("compare", **options)
    page.canvas.draw()
    rows: dict[int, set[int]] = {}
    for axes in page.axes:
        if axes.get_title():
            bottom = axes.title.get_window_extent().y0
            rows.setdefault(round(axes.get_position().y1 * 1000), set()).add(round(4 * bottom))
    assert rows and all(max(line) - min(line) <= 2 for line in rows.values()), rows


def test_one_encoding_twice_is_said_to_be_the_same() -> None:
    same = pecli.compare(["rope", "rope"], figure="curves", length=9)
    assert same.numbers.message() == say("compare.the_same_encoding")
    assert pecli.compare("rope", length=9).numbers.message() != say("compare.the_same_encoding")


@pytest.mark.parametrize(("base", "code"), [(10000, 0), (20000, 1)])
def test_a_difference_beyond_the_tolerance_fails_and_says_where(base: int, code: int, ask: Ask, folder: Path) -> None:
    encodings = ["sinusoidal:d=8", f"sinusoidal:d=8,base={base}"]
    words = [*encodings, "--difference", "--tolerance=1e-6", "--dpi=30", "-o", "a.png"]
    ended = ask("compare", *words)
    assert (ended.code, Path("a.png").exists()) == (code, True)
    assert ("--tolerance" in ended.err and "dimension 3 at position 188" in ended.err) == bool(code)
    assert ask("compare", *encodings, "--tolerance=1e-6").code == code


def test_a_tolerance_that_cannot_be_checked_is_refused() -> None:
    words: Any = {"difference": True, "tolerance": 0.0, "length": MAX_WHOLE // 128 + 1}
    with pytest.raises(UsageError, match="compares at most"):
        _ = pecli.compare(["sinusoidal", "sinusoidal:base=9999"], **words).numbers
