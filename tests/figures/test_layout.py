"""Tests of the layout of every picture in every size: nothing is cut, overlaps or is too small."""

from __future__ import annotations

from functools import cache
from itertools import combinations
from typing import Any

import numpy as np
import pytest
from matplotlib.axes import Axes
from matplotlib.figure import Figure as Drawing
from matplotlib.text import Text
from matplotlib.transforms import Bbox

import pecli
from pecli.core.errors import UsageError
from pecli.figures import FIGURES
from pecli.figures.base import panels_of
from pecli.figures.page import draw_page
from pecli.page.canvas import Canvas
from pecli.page.panels import grids_around
from pecli.page.style import style_context
from pecli.page.text import Ruler, split_line
from pecli.page.ticks import round_ticks
from tests.drawing import fitting

SIZES = ("column", "page", "blog", "slide", "5x3", "acl")
SMALL = {"d": 8, "length": 23, "dpi": 40}
LONG = "位置编码的一个非常长的标题它没有空格所以必须在任何地方断开，而且两端都不能被切掉"


def drawn(figure: str, /, **options: Any) -> tuple[Any, Any, Any]:
    """Return the drawing at a resolution where letters have their width, its job and the numbers that it shows."""
    given = fitting(figure, {name: value for name, value in SMALL.items() if name != "d" or "encoding" not in options})
    if figure == "compare":
        options = {"encoding": ["sinusoidal:base=10", "sinusoidal"], **options}
    picture = pecli.figure(figure, **{**given, **options})
    job = picture.job
    with style_context(job.canvas, picture.title()):
        drawing, numbers = draw_page(picture.figure, job.view, job.canvas, picture.title(), 0)
        drawing.set_dpi(100)
        drawing.draw_without_rendering()
    return drawing, job, numbers


@cache
def in_size(figure: str, size: str) -> tuple[Any, Any, Any]:
    """Return what `drawn` gives of a figure as it is, once for all that look at it."""
    return drawn(figure, size=size)


def frames_of(drawing: Any) -> list[Any]:
    return [axes for axes in drawing.axes if axes.get_label() != "<colorbar>"]


def texts(drawing: Any) -> list[tuple[str, Any]]:
    """Return every text that is seen, and its box, a little within its letters' own."""
    seen = [text for text in drawing.findobj(Text) if text.get_visible() and text.get_text().strip()]
    off = [axis for axes in drawing.axes if not axes.axison for axis in (axes.xaxis, axes.yaxis)]
    hidden = unused_labels(drawing) | {id(text) for axis in off for text in axis.findobj(Text)}
    hidden |= {id(axes._right_title) for axes in drawing.axes}  # beside one line of a title that may have more
    boxes = [(text.get_text(), box_of(text)) for text in seen if id(text) not in hidden]
    return [(text, box.padded(-0.12 * min(box.width, box.height))) for text, box in boxes]


def box_of(text: Text) -> Any:
    """Return the box of a text without its leader, and without the blank lines that it begins or ends with."""
    box, lines = Text.get_window_extent(text), text.get_text().split("\n")
    first, last = (next(at for at, line in enumerate(own) if line) for own in (lines, lines[::-1]))
    y0, y1 = (end + share * box.height / len(lines) for end, share in ((box.y0, last), (box.y1, -first)))
    return Bbox.from_extents(box.x0, y0, box.x1, y1)


def unused_labels(drawing: Any) -> set[int]:
    """Return the labels of ticks that are not drawn: matplotlib keeps them for when they are."""
    axes = [axis for item in drawing.findobj(Axes) for axis in (item.xaxis, item.yaxis)]
    kept = [tick for axis in axes for tick in (*axis.majorTicks, *axis.minorTicks)]
    drawn = [tick for axis in axes for tick in axis._update_ticks()]
    return {id(label) for tick in kept if tick not in drawn for label in (tick.label1, tick.label2)}


def check_whole(drawing: Any, job: Any, numbers: Any) -> None:
    boxes = texts(drawing)
    page = drawing.bbox
    assert len(boxes) > 3
    for text, box in boxes:
        assert box.x0 >= -1 and box.y0 >= -1 and box.x1 <= page.x1 + 1 and box.y1 <= page.y1 + 1, f"{text} is cut"
    left, bottom, right, top = np.array([box.extents for _, box in boxes]).T
    over = (left <= right[:, None]) & (left[:, None] <= right) & (bottom <= top[:, None]) & (bottom[:, None] <= top)
    assert [(boxes[item][0], boxes[other][0]) for item, other in np.argwhere(np.triu(over, 1))] == []
    check_frames(drawing)
    panels = panels_of(job.analysis, job.view, job.canvas)
    frames = frames_of(drawing)
    assert len(frames) == len(panels)
    for axes, panel in zip(frames, panels, strict=True):
        least = [ems * min(7, job.canvas.small) for ems in panel.least]  # points, of text as small as it may get
        assert axes.bbox.width * 0.72 >= 0.98 * least[0] and axes.bbox.height * 0.72 >= 0.98 * least[1]
        for image in axes.images:
            rows, columns = image.get_array().shape[:2]
            share = job.canvas.dpi / 100
            assert rows <= axes.bbox.height * share + 1.5 and columns <= axes.bbox.width * share + 1.5
    assert numbers.view.panels is None or len(numbers.view.panels) == len(panels)


def check_frames(drawing: Any) -> None:
    """Frames and bars stand on the page and apart, and what is said of the whole picture stands on none of them."""
    frames = [axes.bbox.padded(-1) for axes in drawing.axes]
    for frame in frames:
        assert drawing.bbox.x0 <= frame.x0 and frame.x1 <= drawing.bbox.x1
        assert drawing.bbox.y0 <= frame.y0 and frame.y1 <= drawing.bbox.y1
    for combination, other in combinations(frames, 2):
        assert not combination.overlaps(other) or np.allclose(
            combination.extents, other.extents, atol=1
        )  # an axis of its own
    for text in (text for text in drawing.texts if text.get_text()):
        assert not any(text.get_window_extent().overlaps(frame) for frame in frames), text.get_text()


@pytest.mark.long
@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("figure", FIGURES)
def test_a_picture_is_whole_in_every_size(figure: str, size: str) -> None:
    check_whole(*in_size(figure, size))


@pytest.mark.long
@pytest.mark.parametrize(
    ("figure", "options"),
    [
        ("distance", {"length": 3001, "size": "column", "encoding": "sinusoidal"}),
        ("relative", {"length": 10**6, "size": "column"}),
        ("rotation", {"d": 28, "pairs": tuple(range(14)), "size": "column"}),
        ("relative", {"dims": (0, 1, 2, 3, 4, 5), "size": "5x3.5"}),
        ("heatmap", {"d": 512, "length": 10**9, "size": "column", "title": LONG}),
        ("heatmap", {"length": 10**9, "log": True}),
        ("compare", {"figure": "distance", "difference": True}),
        ("offsets", {"d": 1, "length": 1}),
        ("dials", {"encoding": "clock", "at": [1, 301, 46799], "size": "column"}),
        ("compare", {"figure": "curves", "encoding": ["rope", "binary"], "size": "slide"}),
        ("spectrum", {"base": 10**6, "d": 128, "length": 200, "size": "column"}),
        (
            "spectrum",
            {"encoding": ["rope:scaling=yarn,factor=8,original=8192"], "length": 8192},
        ),
        ("terms", {"encoding": "sinusoidal:d=2", "tokens": "a 1,024 c", "size": "2.5"}),  # two columns are found late
    ],
)
def test_what_was_seen_broken_is_whole(figure: str, options: dict[str, Any]) -> None:
    check_whole(*drawn(figure, **options))


@pytest.mark.parametrize("figure", ["heatmap", "precision"])
def test_lines_of_a_font_with_tall_lines_stand_apart(figure: str) -> None:
    long = "A headline of more than one line, and a title " * 2
    drawing, job, numbers = drawn(figure, size="column", font="serif", headline=long, title=long)
    with style_context(job.canvas):  # STIXGeneral asks for lines of 1.51 times its size
        check_whole(drawing, job, numbers)
        headline, title = (text.get_window_extent() for text in drawing.texts[-3:-1])
        assert headline.y0 > title.y1 - 1


@pytest.mark.long
@pytest.mark.parametrize(
    ("size", "across"),
    [("column", 2), ("12x7", 3)],
)
def test_every_token_is_labelled_and_rows_of_attention_stay_rows(size: str, across: int) -> None:
    """Without and with positions are columns where rows are too wide. Panels in a row share an axis."""
    words = ["one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven"]
    panels = frames_of(drawn("attention", tokens=" ".join(words), size=size, d=16)[0])
    top, left = max(axes.bbox.y1 for axes in panels), min(axes.bbox.x0 for axes in panels)
    first = [axes for axes in panels if axes.bbox.y1 == pytest.approx(top, abs=2)]
    assert len(first) == across
    for axes in (axes for axes in panels if axes.bbox.x0 == pytest.approx(left, abs=2)):
        assert sorted(label.get_text() for label in axes.get_yticklabels()) == sorted(words)
        assert min(label.get_fontsize() for label in axes.get_yticklabels()) >= 7  # points


@pytest.mark.long
@pytest.mark.parametrize(
    ("figure", "options"),
    [
        ("heatmap", {"size": "1x1"}),
        ("precision", {"size": "1.6x1.6"}),  # its headline takes more lines than a page without numbers has
    ],
)
def test_the_size_that_is_named_is_enough(figure: str, options: dict[str, Any]) -> None:
    options = {"title": "100% of what there is", **options}
    with pytest.raises(UsageError) as refused:
        drawn(figure, **options)
    width, height = str(refused.value).partition("it needs ")[2].split(" inches")[0].split(" × ")
    assert str(refused.value).endswith(f"give size={width}x{height}")
    assert drawn(figure, **{**options, "size": f"{width}x{height}"})


@pytest.mark.long
def test_lines_markers_and_ticks_grow_with_the_text() -> None:
    page, slide = (in_size("curves", size)[0].axes[0] for size in ("page", "slide"))
    assert slide.lines[0].get_linewidth() == pytest.approx(page.lines[0].get_linewidth() * 15.2 / 8)
    assert slide.lines[1].get_markersize() == pytest.approx(page.lines[1].get_markersize() * 15.2 / 8)
    sizes = [axes.xaxis.get_major_ticks()[0]._size for axes in (page, slide)]
    assert sizes[1] == pytest.approx(sizes[0] * 15.2 / 8)


@pytest.mark.long
def test_no_text_is_smaller_than_7_points() -> None:
    assert min(text.get_fontsize() for text in in_size("overview", "column")[0].findobj(Text)) >= 7


@pytest.mark.long
@pytest.mark.parametrize("size", ["column", "page", "slide"])
def test_the_cells_of_terms_are_of_one_size(size: str) -> None:
    drawing, *_ = drawn("terms", size=size)
    assert len({(round(axes.bbox.width), round(axes.bbox.height)) for axes in frames_of(drawing)}) == 1


def test_a_title_breaks_anywhere_between_chinese_characters_and_never_inside_a_word() -> None:
    with style_context(Canvas()):
        ruler = Ruler(100)
        lines = ruler.wrapped(LONG, 7, 1.5).split("\n")
        assert "".join(lines) == LONG and len(lines) > 1
        assert all(ruler.width(line, 7) <= 1.5 for line in lines)
        short = ruler.wrapped("each pixel: mean of 4 pairs; blank: unseen keys", 7, 2.0).split("\n")
        assert short == ["each pixel: mean of 4 pairs;", "blank: unseen keys"]
        halves = ["沿每条对角线都相同：", "只取决于位置差"]
        assert ruler.wrapped("".join(halves), 7, 1.1 * ruler.width(halves[0], 7)).split("\n") == halves
        assert all(" " in line for line in ruler.wrapped("one two three four five six", 7, 0.8).split("\n"))
    assert not any(line.startswith("，") for line in lines)
    assert split_line("one two $a b$, c") == ["one ", "two ", "$a b$, ", "c"]
    assert split_line("4 × 4 of 39%") == ["4 × 4 ", "of ", "39%"]
    assert split_line("占 95% 的")[:2] == ["占 ", "95% 的"] and split_line("（甲）乙") == ["（甲）", "乙"]
    assert split_line("第 63 对") == ["第 63 对"]
    assert split_line("triangle, p > q: so") == ["triangle, ", "p > q: ", "so"]


def test_a_panel_is_averaged_to_the_pixels_that_it_has() -> None:
    drawing, _, numbers = drawn("relative", length=1000, size="column", dpi=60, d=128)
    _, (rows, columns), *_ = numbers.view.panels  # a slice: the offsets have more
    frame = drawing.axes[1].bbox
    real = (frame.height * 0.6, frame.width * 0.6)  # panels with another bar may be a little larger
    pairs = list(zip((rows, columns), real, strict=True))
    assert all(0.9 * there - 1 <= counted <= there + 1 for counted, there in pairs)
    assert numbers.block == -(-1000 // min(rows, columns))
    assert np.shape(drawing.axes[1].images[0].get_array())[0] <= rows


def test_a_short_bar_has_the_first_and_the_last_tick_rather_than_one() -> None:
    drawing = Drawing(figsize=(1, 0.6), dpi=100)
    axes = drawing.add_axes((0, 0, 1, 1), ylim=(-4.9, 4.9))
    axes.tick_params(labelsize=10)
    axes.yaxis.set_major_locator(round_ticks())
    assert axes.get_yticks().tolist() == [-2.5, 2.5]
    drawing.set_size_inches(1, 0.4)
    assert axes.get_yticks().tolist() == [-2.5, 2.5]
    axes.set_ylim(0.0, 9.6)
    assert axes.get_yticks().tolist() == [0.0, 5.0]


@pytest.mark.long
@pytest.mark.parametrize(
    ("size", "options", "columns"),
    [("2.6", {}, 3), ("column", {}, 3), ("12x3.2", {}, 6), ("12x7", {"text_size": 9}, 3)],
)
def test_the_grid_wraps_until_its_panels_are_wide_enough(size: str, options: dict[str, Any], columns: int) -> None:
    """On a page of fixed height panels stand as they are largest."""
    drawing, *_ = drawn("bias", encoding="alibi:heads=6", size=size, length=9, **options)
    panels = frames_of(drawing)
    assert len({round(axes.bbox.x0) for axes in panels}) == columns


def test_the_others_make_a_full_grid_or_none_is_large() -> None:
    assert grids_around(4, 5) == (((0, 1, 4, 4), (2, 3, 4, 4)), ((0, 1), (2, 3), (4, 4)))
    assert grids_around(0, 4) == (((0, 0, 0, 1), (0, 0, 0, 2), (0, 0, 0, 3)), ((0, 0, 0), (1, 2, 3)))
    assert [len(grids_around(0, count)) for count in range(1, 9)] == [0, 0, 2, 2, 2, 0, 2, 0]


@pytest.mark.parametrize(("lines", "beside"), [(3, True), (23, False)])
def test_a_legend_stands_beside_its_panel_where_there_is_room_else_below(lines: int, beside: bool) -> None:
    drawing, *_ = drawn("curves", encoding="binary", against="offset", at=tuple(range(lines)))
    (axes,) = drawing.axes
    box = axes.get_legend().get_window_extent()
    assert (box.x0 > axes.bbox.x1) == beside and (box.y1 < axes.bbox.y0) != beside


@pytest.mark.parametrize(
    ("figure", "options"),
    [("relative", {"length": 200}), ("bias", {"encoding": "alibi", "length": 200}), ("overview", {"length": 200})],
)
@pytest.mark.long
@pytest.mark.parametrize("size", SIZES)
def test_the_last_number_below_one_panel_of_several_ends_with_it(
    figure: str, options: dict[str, Any], size: str
) -> None:
    drawing, *_ = drawn(figure, size=size, **options)
    for axes in frames_of(drawing):
        labels = [label for label in axes.get_xticklabels() if label.get_visible() and label.get_text()]
        boxes = [label.get_window_extent() for label in labels]
        assert all(box.x1 <= axes.bbox.x1 + 1 for box in boxes)
        assert not any(one.overlaps(other) for one, other in combinations(boxes, 2))


@pytest.mark.long
@pytest.mark.parametrize(("size", "beside"), [("page", True), ("blog", True), ("column", False)])
def test_scales_stand_on_the_lines_of_titles_where_there_is_room(size: str, beside: bool) -> None:
    drawing, *_ = drawn("overview", size=size, d=128, length=200)
    titles = [axes.title.get_window_extent() for axes in frames_of(drawing)]
    bars = [axes for axes in drawing.axes if axes.get_label() == "<colorbar>"]
    for title, bar in zip(titles, bars, strict=True):
        assert (title.y0 < (bar.bbox.y0 + bar.bbox.y1) / 2 < title.y1) == beside
    ends = [text for text in drawing.texts if text.get_text() in ("−1", "1", "0", "9.8")]
    assert [text.get_text() for text in ends] == ["−1", "1", "0", "9.8"] * beside
    for text, (bar, side) in zip(ends, ((bar, side) for bar in bars for side in (0, 1)), strict=False):
        box = text.get_window_extent()
        assert box.x1 < bar.bbox.x0 if side == 0 else box.x0 > bar.bbox.x1
