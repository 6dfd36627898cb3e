"""One figure of several encodings: the same limits, one colour bar, the difference of two."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from matplotlib.axes import Axes
from matplotlib.figure import Figure as Drawing

import pecli
from pecli.core.errors import UsageError
from pecli.core.language import language_of, said_by_each, speaking
from pecli.figures.composite import message_of_each
from pecli.figures.labels import DotLabel, labels_of
from pecli.figures.style import style_context
from pecli.figures.text import HEADLINE

EIGHT = ["sinusoidal:d=8", "sinusoidal:d=32", "clock"]
TWO = ["sinusoidal:base=10,d=8", "sinusoidal:base=10000,d=8"]


def drawn(**options: object) -> tuple[list[Any], list[Any]]:
    """The panels, and the colour bars beside them."""
    drawing = Drawing()
    axes: Any = drawing.subplots()
    pecli.figure("compare", **{"encoding": TWO, "length": 11, **options}).draw(axes)
    panels = [axes] if axes.axison else list(axes.child_axes)
    every = [*drawing.axes, *(child for panel in panels for child in panel.child_axes)]
    return panels, [one for one in every if one is not axes and one not in panels]


def title_of(panel: Axes) -> str:
    """The panel's title, whatever lines it is broken into."""
    return " ".join(panel.get_title().split())


def test_each_panel_is_the_figure_of_its_encoding() -> None:
    panels, _ = drawn()
    assert len(panels) == 2
    for panel, spec in zip(panels, TWO, strict=True):
        assert np.array_equal(panel.images[0].get_array(), pecli.encode(spec, length=11))
    assert [title_of(panel) for panel in panels] == ["base 10", "base 10,000"]
    assert pecli.figure("compare", encoding=TWO).title() == "sinusoidal, d 8"


def test_what_all_have_in_common_stands_in_the_title_and_no_panel_is_without_a_name() -> None:
    scaled = "rope:scaling=linear,factor=4,d=8"
    for given, title, names in (
        (["rope:d=8", "sinusoidal:d=8"], "d 8, base 10,000", ["rope", "sinusoidal"]),
        (["rope:d=8", scaled], "rope, d 8, base 10,000", ["rope", "scaling linear, factor 4"]),
        (["rope:d=8", "rope:d=8"], "", ["rope, d 8, base 10,000"] * 2),
    ):
        assert pecli.figure("compare", encoding=given).title() == title
        assert [title_of(panel) for panel in drawn(encoding=given)[0]] == names
    chinese = pecli.figure("compare", encoding=["sinusoidal:base=10", "sinusoidal"], d=4, length=4, lang="zh")
    assert chinese.title() == "sinusoidal, d 4"  # as that of one encoding


@pytest.mark.parametrize("figure", ["heatmap", "distance"])
def test_images_share_limits_and_one_colour_bar(figure: str) -> None:
    panels, bars = drawn(figure=figure, encoding=EIGHT)
    limits = {panel.images[0].get_clim() for panel in panels}
    assert len(panels) == 3 and len(bars) == 1
    own = [pecli.figure(figure, encoding=spec, length=11).numbers.limits() for spec in EIGHT]
    known = np.array([one for one in own if one is not None])
    assert len(known) == 3
    assert limits == {(known.min(), known.max())}


def test_the_largest_value_of_any_sets_the_limit_of_all() -> None:
    panels, _ = drawn(encoding=["sinusoidal:d=8", "learned:d=8"])
    assert {panel.images[0].get_clim() for panel in panels} == {(-1, 1)}  # learned alone has 0.06


def test_similarities_on_both_sides_of_0_stay_symmetric() -> None:
    panels, _ = drawn(figure="distance", measure="dot", encoding=["sinusoidal:base=10,d=8", "rope:d=2"])
    (limits,) = {panel.images[0].get_clim() for panel in panels}
    assert limits[0] == -limits[1] < 0
    assert all(panel.images[0].get_cmap().name == "RdBu_r" for panel in panels)


def test_the_difference_is_the_first_less_the_second_with_a_bar_of_its_own() -> None:
    panels, bars = drawn(difference=True)
    first, second, third = (np.asarray(panel.images[0].get_array()) for panel in panels)
    assert np.array_equal(third, first - second)
    low, high = panels[2].images[0].get_clim()
    assert low == -high and high == np.abs(third).max()
    assert [bar.get_ylabel() for bar in bars] == ["value", "difference"]
    assert title_of(panels[2]) == "base 10 − base 10,000"
    (_, _, long), _ = drawn(encoding=["sinusoidal:d=8", "rope:d=8,base=500000"], difference=True)
    assert title_of(long) == "difference, first − second"


def test_the_difference_of_distances_is_one_too() -> None:
    panels, _ = drawn(figure="distance", difference=True)
    first, second, third = (np.asarray(panel.images[0].get_array()) for panel in panels)
    assert np.array_equal(third, first - second)
    assert panels[2].images[0].get_cmap().name == "RdBu_r"


def test_an_encoding_less_itself_is_0_everywhere() -> None:
    numbers = pecli.figure("compare", encoding=["rope:d=4", "rope:d=4,base=10000"], difference=True, length=5).numbers
    assert not numbers.arrays()["2.heatmap.table"].any()


def test_tables_of_different_sizes_have_no_difference() -> None:
    with pytest.raises(UsageError, match=r"11 × 8 and 11 × 6"):
        pecli.figure("compare", encoding=["sinusoidal:d=8", "rope:d=6"], length=11, difference=True).draw(
            Drawing().subplots()
        )


@pytest.mark.parametrize("encodings", [["rope"], ["rope", "clock", "sinusoidal"]])
def test_a_difference_takes_two(encodings: list[str]) -> None:
    with pytest.raises(UsageError, match=f"two encodings, {len(encodings)} are given"):
        pecli.figure("compare", encoding=encodings, difference=True)


def test_lines_share_their_window_and_have_no_colour_bar() -> None:
    panels, bars = drawn(figure="curves", encoding=["sinusoidal:d=8", "sinusoidal:d=128"])
    assert len({panel.get_ylim() for panel in panels}) == 1 and bars == []
    low, high = panels[0].get_ylim()
    tops = [max(line.get_ydata().max() for line in panel.get_lines()) for panel in panels]
    assert tops[0] < tops[1] <= high and low <= 0


def test_lines_of_another_kind_have_a_window_and_offsets_of_their_own() -> None:
    picture = pecli.figure(
        "compare", figure="offsets", length=20, encoding=["sinusoidal", "clock", "t5"], size="column"
    )
    with style_context(picture.job.canvas):
        axes = picture._drawing().axes
    both, _, other = [one.get_ylim() for one in axes]
    assert both[1] > 60 and other[1] < 35 and axes[0].get_ylim() == axes[1].get_ylim()
    assert axes[0].get_xlim() == axes[1].get_xlim() and axes[0].get_xlim()[0] > axes[2].get_xlim()[0]
    assert [bool(one.xaxis.label.get_visible()) for one in axes] == [False, True, True]
    assert len({tuple(one.get_yticks()) for one in axes[:2]}) == 1  # though the lower has its names elsewhere
    frame = axes[1].get_window_extent()
    names = [one.get_window_extent() for one in labels_of(axes[1], DotLabel) if one.get_visible()]
    assert names and all(frame.y0 < box.y0 and box.y1 < frame.y1 for box in names)


@pytest.mark.parametrize(
    ("figure", "encoding", "shared"),
    [
        ("spectrum", ["binary", "rope"], True),
        ("spectrum", ["clock", "rope"], False),  # seconds
        ("waves", ["sinusoidal", "learned"], False),  # each has lanes of its own
        ("curves", ["clock", "binary"], True),
    ],
)
def test_what_lines_show_upwards_is_shared_where_it_is_the_same(figure: str, encoding: list[str], shared: bool) -> None:
    panels, _ = drawn(figure=figure, encoding=encoding)
    assert (len({one.get_ylim() for one in panels}) == 1) == shared
    assert figure != "curves" or all(tick >= 0 for one in panels for tick in one.get_yticks())  # names hang below 0


def test_a_figure_of_two_panels_keeps_both_for_each() -> None:
    panels, _ = drawn(figure="scatter")
    used = [panel for panel in panels if panel.has_data()]
    assert len(used) == 4
    assert [title_of(panel).partition(" upper")[0] for panel in used[::2]] == [
        "base 10",
        "base 10,000",
    ]


def test_the_measure_is_passed_on() -> None:
    numbers = pecli.figure("compare", encoding=TWO, length=7, figure="distance", measure="dot").numbers.arrays()
    table = pecli.encode(TWO[1], length=7)
    assert numbers["1.distance.matrix"] == pytest.approx(table @ table.T)


@pytest.mark.parametrize("figure", ["offsets", "curves"])
def test_a_figure_measures_what_it_does_alone(figure: str) -> None:
    whole = pecli.figure("compare", encoding=TWO, length=7, figure=figure).numbers.arrays()
    alone = pecli.figure(figure, encoding=TWO[1], length=7).numbers
    assert np.array_equal(whole[f"1.{figure}.{alone.main_array}"], alone.main)


@pytest.mark.parametrize(("count", "grid"), [(1, (1, 1)), (3, (1, 3)), (4, (2, 2)), (5, (2, 3)), (7, (3, 3))])
def test_panels_stand_in_a_grid(count: int, grid: tuple[int, int]) -> None:
    panels, _ = drawn(encoding=[f"sinusoidal:d={d}" for d in range(2, 2 + count)])
    boxes = [panel.get_position() for panel in panels]
    assert len(panels) == count
    assert (len({round(box.y0, 6) for box in boxes}), len({round(box.x0, 6) for box in boxes})) == grid


@pytest.mark.parametrize("figure", ["dials", "rotation"])
def test_a_figure_that_cannot_show_one_of_them_is_refused(figure: str) -> None:
    with pytest.raises(UsageError, match=f"{figure} cannot show binary"):
        pecli.figure("compare", encoding=["rope", "binary"], figure=figure)


@pytest.mark.parametrize("figure", ["compare", "overview", "heatmpa"])
def test_only_figures_that_are_not_made_of_figures_are_compared(figure: str) -> None:
    with pytest.raises(UsageError, match=figure):
        pecli.figure("compare", encoding=TWO, figure=figure)


def test_one_parameter_goes_to_every_encoding_that_has_it() -> None:
    job = pecli.figure("compare", encoding=["sinusoidal", "clock", "rope"], d=6).job
    assert [encoding.settings().get("d") for encoding in job.encodings] == [6, None, 6]
    with pytest.raises(UsageError, match="bits"):
        pecli.figure("compare", encoding=["binary:d=2", "rope"], length=9)


def test_facts_are_each_encodings_own() -> None:
    facts = pecli.figure("compare", encoding=TWO, length=11, difference=True).numbers.facts()
    assert list(facts) == [
        *(spec.replace("base=10,d=8", "d=8,base=10") for spec in TWO[:1]),
        "sinusoidal:d=8",
        "difference",
    ]
    assert facts["sinusoidal:d=8"]["smallest"] == pecli.encode(TWO[1], length=11).min()


def test_facts_of_distances_stay_each_encodings_own_under_shared_colours() -> None:
    panels, _ = drawn(figure="distance", difference=True)
    facts = pecli.figure("compare", encoding=TWO, length=11, figure="distance", difference=True).numbers.facts()
    first, second, third = (np.asarray(panel.images[0].get_array()) for panel in panels)
    shown = {panel.images[0].get_clim() for panel in panels[:2]}
    assert shown == {(0, max(first.max(), second.max()))}
    for name, values in zip(facts, (first, second, third), strict=True):
        assert (facts[name]["smallest"], facts[name]["largest"]) == (values.min(), values.max())
    assert first.max() != second.max() and third.min() != -third.max()
    assert panels[2].images[0].get_clim() == (-np.abs(third).max(), np.abs(third).max())


def test_a_panel_alone_has_its_bar_beside_it() -> None:
    panels, bars = drawn(encoding=TWO[:1])
    assert [bar.get_ylabel() for bar in bars] == ["value"]
    assert panels[0].child_axes == bars


def test_dials_keep_their_own_headers_and_stay_round() -> None:
    panels, _ = drawn(figure="dials", encoding=["sinusoidal:d=4", "sinusoidal:d=8", "clock"])
    headers = [[text.get_text() for text in panel.get_xticklabels()] for panel in panels]
    assert [len(one) for one in headers] == [2, 4, 3] and "1 min hand" in headers[2]
    for panel in panels:
        (width,), (height,) = np.diff(panel.get_xlim()), np.diff(panel.get_ylim())
        assert panel.get_box_aspect() == pytest.approx(height / width)


def test_encodings_of_different_heads_have_as_many_panels_each() -> None:
    panels, _ = drawn(figure="bias", encoding=["alibi:heads=4", "t5", "alibi:heads=2"])
    titles = [title_of(panel) for panel in panels]
    assert len(panels) == 7 and [at for at, one in enumerate(titles) if "alibi" in one or "t5" in one] == [0, 4, 5]
    assert all(len(panel.images) == 1 for panel in panels)


def test_biases_and_buckets_share_no_colours_and_the_caption_says_once_what_both_do() -> None:
    panels, bars = drawn(figure="bias", encoding=["alibi:heads=2", "t5", "alibi:heads=4"])
    assert {bar.get_ylabel() for bar in bars} == {"bias", "bucket"}
    assert "t5, 32 buckets to 128" in title_of(panels[2])
    alibi, t5, other = (panels[at].images[0].get_clim() for at in (0, 2, 3))
    assert alibi == other and alibi[1] == 0 and t5[1] > 0
    caption = pecli.figure("compare", figure="bias", encoding=["alibi", "t5"], length=900, dpi=50).seen.caption()
    assert caption.count("each pixel") == 1 and "colours end at −10 (alibi)" in caption
    assert caption.endswith("blank: keys that a query does not see")  # a mark needs no name where one is seen


HEATMAPS: Any = {"figure": "heatmap", "length": 50, "dpi": 30, "size": "9x3"}


def headlines(page: Any) -> list[Any]:
    """What there is to see, above all or above each part."""
    return [text for text in page.texts if text.get_text() and text.get_fontweight() == HEADLINE]


def test_what_there_is_to_see_in_each_is_said_with_its_name() -> None:
    picture = pecli.figure("compare", encoding=["sinusoidal:base=10", "sinusoidal"], **HEATMAPS)
    with style_context(picture.job.canvas):
        page = picture._drawing()
    counts = [(picture.job.view.encodings[at].wavelengths() > 50).sum() for at in (0, 1)]
    said = [f"{n} of 64 pairs never finish a turn in 50 positions" for n in counts]
    named = f"{said[0]} (base 10); {said[1]} (base 10,000)"
    assert picture.message() == named
    assert [" ".join(text.get_text().split()) for text in headlines(page)] == [named]
    assert [one.get_title() for one in page.axes[:2]] == ["base 10", "base 10,000"]
    untitled = pecli.figure("compare", encoding=["sinusoidal:base=10", "sinusoidal"], no_title=True, **HEATMAPS)
    assert not headlines(untitled._drawing()) and untitled.caption().startswith(named)


def test_encodings_that_share_nothing_may_have_no_title_either() -> None:
    picture = pecli.figure("compare", encoding=["clock", "binary"], no_title=True, **HEATMAPS)
    assert not headlines(picture._drawing()) and "never finish" in picture.caption()


def test_what_all_say_and_what_has_no_room_above_each_stands_above_all() -> None:
    alike = pecli.figure("compare", encoding=["sinusoidal", "rope"], difference=True, **HEATMAPS)
    (said,) = headlines(alike._drawing())
    assert "(" not in alike.message() and alike.message() in said.get_text()
    bases = [f"sinusoidal:base={base}" for base in (10, 50, 100, 500)]
    listed = pecli.figure("compare", encoding=bases, **{**HEATMAPS, "size": "5.5x2.8"})
    (said,) = headlines(listed._drawing())
    assert " ".join(said.get_text().split()) == listed.message()
    assert [part.partition("(")[2] for part in listed.message().split("; ")] == ["base 10)", "base 500)"]  # the ends


@pytest.mark.parametrize(
    ("figure", "length", "encodings", "said"),
    [
        ("distance", 9, TWO, "base 10 is larger by up to 2.12"),
        ("distance", 9, TWO[::-1], "base 10 is larger by up to 2.12"),
        ("heatmap", 30, TWO, "the two differ by up to 2"),
        ("heatmap", 900, TWO, "the means differ by up to"),
        ("heatmap", 9, ["rope:d=4", "rope:d=4,base=10000"], "no difference"),
    ],
)
def test_how_large_a_difference_is_stands_above_it_or_with_what_all_say(
    figure: str, length: int, encodings: list[str], said: str
) -> None:
    options: Any = {**HEATMAPS, "figure": figure, "length": length, "difference": True}
    page = pecli.figure("compare", encoding=encodings, **options)._drawing()
    last = " ".join(headlines(page)[-1].get_text().split())
    assert said.casefold() in last.casefold()


def test_one_alone_is_named_in_the_title_above_what_there_is_to_see() -> None:
    alone, one = (pecli.figure(name, length=9, dpi=30) for name in ("compare", "heatmap"))
    page = alone._drawing()
    assert alone.title() == one.title() == page.get_suptitle() and page.axes[0].get_title() == ""


def test_names_that_hold_commas_are_told_apart() -> None:
    assert said_by_each(["d 8, base 10", "clock", "t5"], [["x"], ["x"], ["y"]])[0] == "x (d 8, base 10; clock)"
    assert said_by_each(["rope", "base 10,000", "t5"], [["x"], ["x"], []]) == ["x (rope, base 10,000)"]


def test_what_all_say_is_said_in_twice_the_length_before_that_of_one_alone() -> None:
    names = ["rope", "binary", "clock"]
    for length, count in ((30, 3), (55, 2), (75, 3), (120, 1), (140, 0)):
        said = message_of_each(names, [letter * length for letter in "xyz"])
        assert [name in said for name in names].count(True) == count


def test_clouds_whose_axes_are_labelled_once_have_the_same_ends() -> None:
    panels, _ = drawn(figure="scatter")
    assert len({panel.get_xlim() for panel in panels}) == len({panel.get_ylim() for panel in panels}) == 1


def test_encodings_are_named_above_their_own_attention() -> None:
    picture = pecli.figure("compare", figure="attention", encoding=["clock", "rope:d=6"])
    axes: Any = Drawing(dpi=30).subplots()
    picture.draw(axes)
    titles = [one.get_title() for one in axes.child_axes if one.title.get_visible() and "given" in one.get_title()]
    assert titles == ["clock, periods 60,3600,43200\nas given", "rope, d 6, base 10,000\nas given"]


def test_changes_beside_one_bar_have_the_same_colours_and_their_numbers_the_ink_for_it() -> None:
    axes = Drawing(figsize=(16, 24), dpi=30).subplots()
    pecli.figure("compare", encoding=["rope", "alibi"], figure="attention", dpi=30).draw(axes)
    images = [one.images[0] for one in axes.child_axes if isinstance(one, Axes) and one.images]
    changes = [one for one in images if one.get_clim()[0] < 0]
    assert len(changes) == 4
    assert {one.get_clim() for one in changes} == {changes[-1].get_clim()}
    assert max(np.abs(np.asarray(one.get_array())).max() for one in changes) == changes[0].get_clim()[1]
    faint = changes[1]  # under its own ends its largest would be dark
    assert {text.get_color() for text in faint.axes.texts} == {"black"}


@pytest.mark.parametrize(
    ("encoding", "count", "size"),
    [(["alibi:heads=6", "kerple"], 6, "page"), (["kerple", "alibi:heads=6"], 4, "12x4")],
)
def test_panels_of_each_stand_in_rows_of_their_own(encoding: list[str], count: int, size: str) -> None:
    picture = pecli.figure("compare", figure="bias", length=9, dpi=30, encoding=encoding, size=size)
    with style_context(picture.job.canvas):
        panels = [one.bbox for one in picture._drawing().axes if one.get_label() != "<colorbar>"]
    assert len(panels) == 10 and max(one.y1 for one in panels[count:]) < panels[count - 1].y0
    assert len({round(one.width) for one in panels}) == 1


def test_panels_of_no_shape_stand_below_each_other_on_a_narrow_page() -> None:
    options: dict[str, Any] = {"length": 7, "dpi": 40, "encoding": ["sinusoidal:base=10", "sinusoidal"]}
    for figure, size, columns in (("heatmap", "column", 1), ("heatmap", "page", 2), ("distance", "column", 2)):
        picture = pecli.figure("compare", figure=figure, size=size, **options)
        with style_context(picture.job.canvas):
            panels = [one for one in picture._drawing().axes if one.get_label() != "<colorbar>"]
        assert len({round(panel.bbox.x0) for panel in panels}) == columns


@pytest.mark.parametrize(
    ("one", "other", "so"),
    [
        ("sinusoidal:d=6", "rope:d=6", True),
        ("sinusoidal:d=7", "sinusoidal:d=7,layout=concatenated", True),
        ("rope:d=8", "rope:d=8,pairing=half", True),
        ("rope:d=8", "rope:d=8,base=100", False),
        ("sinusoidal:d=6", "sinusoidal:d=6", False),
        ("sinusoidal:d=6", "rope:d=6,dtype=float16", False),
        ("rope:d=6", "rope:d=6,query=random:1", False),
        ("learned:d=6", "learned:d=6,seed=1", False),
    ],
)
def test_a_difference_says_where_columns_only_have_other_places(one: str, other: str, so: bool) -> None:
    tables = [pecli.encode(spec, length=20).T.tolist() for spec in (one, other)]
    assert so == (tables[0] != tables[1] and sorted(tables[0]) == sorted(tables[1]))
    numbers = pecli.figure("compare", encoding=[one, other], difference=True, length=20).numbers
    for lang, said in (("en", "the same columns in another order"), ("zh", "各列相同，只是次序不同")):
        with speaking(language_of(lang)):
            assert (said in numbers.message()) == so
