"""Sizes, fonts, styles, and matplotlib's settings kept out."""

from __future__ import annotations

import io
import os
import threading
from pathlib import Path

import matplotlib as mpl
import numpy as np
import pytest
from matplotlib.figure import Figure as Drawing
from PIL import Image

import pecli
from pecli.core.errors import UnknownNameError, UsageError
from pecli.figures import style as fonts
from pecli.figures.canvas import Canvas
from pecli.figures.own_axes import split_axes
from pecli.figures.panels import Panel
from pecli.figures.style import read_style, style_context


@pytest.mark.parametrize(
    ("size", "width"), [("column", 3.25), ("page", 6.75), ("blog", 8), ("slide", 13.33), ("5x3", 5)]
)
def test_sizes_are_widths_at_final_scale(size: str, width: float) -> None:
    assert Canvas(size=size).inches.width == width


def test_text_is_7_to_9_points_on_paper() -> None:
    assert all(7 <= Canvas(size=size).inches.font <= 9 for size in ("column", "page", "blog"))


@pytest.mark.parametrize("size", ["colum", "5x", "5x3x2", "-5x3", "0.1x3", "5x1000", "infxinf", "nanx3", ""])
def test_a_size_that_cannot_be_is_refused(size: str) -> None:
    with pytest.raises(UsageError, match="size"):
        Canvas(size=size)


@pytest.mark.parametrize("dpi", [0, -5, 9, 10**20, "nan"])
def test_a_resolution_that_cannot_be_is_refused(dpi: object) -> None:
    with pytest.raises(UsageError, match="dpi"):
        Canvas.make({"dpi": dpi})


def test_more_pixels_than_matplotlib_has_are_refused() -> None:
    with pytest.raises(UsageError, match="lower dpi"):
        Canvas(size="100x3", dpi=2400)


def test_title_and_no_title_exclude_each_other() -> None:
    with pytest.raises(UsageError, match="no_title"):
        Canvas(title="a", no_title=True)


def test_settings_hold_inside_and_come_back() -> None:
    with mpl.rc_context({"lines.linewidth": 17, "text.usetex": True, "image.interpolation": "bilinear"}):
        before = dict(mpl.rcParams)
        with style_context(Canvas()):
            assert mpl.rcParams["lines.linewidth"] < 2
            assert not mpl.rcParams["text.usetex"]
            assert mpl.rcParams["image.interpolation"] == "nearest"
            assert mpl.rcParams["pdf.fonttype"] == 42
        assert dict(mpl.rcParams) == before


def test_a_junk_epoch_is_put_aside_and_comes_back(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SOURCE_DATE_EPOCH", "junk")
    with style_context(Canvas()):
        assert "SOURCE_DATE_EPOCH" not in os.environ
    assert os.environ["SOURCE_DATE_EPOCH"] == "junk"


def test_a_style_stands_on_top_of_ours(tmp_path: Path) -> None:
    style = tmp_path / "wide.mplstyle"
    style.write_text("lines.linewidth: 7\nimage.interpolation: bilinear\n")
    with style_context(Canvas(style=str(style))):
        assert mpl.rcParams["lines.linewidth"] == 7
        assert mpl.rcParams["image.interpolation"] == "nearest"


@pytest.mark.parametrize("family", ["serif", "monospace"])
def test_a_style_may_name_a_generic_family(tmp_path: Path, family: str) -> None:
    style = tmp_path / "family.mplstyle"
    style.write_text(f"font.family: {family}\n")
    with style_context(Canvas(style=str(style))):
        assert mpl.rcParams["font.family"] == [family]


@pytest.mark.parametrize(
    ("option", "value", "word"),
    [("cmap", "virids", "did you mean 'viridis'"), ("style", "ggplott", "did you mean 'ggplot'")],
)
def test_unknown_names_get_the_nearest_one(option: str, value: str, word: str) -> None:
    with pytest.raises(UnknownNameError) as caught:
        Canvas.make({option: value}).check_names()
    assert word in str(caught.value)


def test_a_font_is_used_by_name() -> None:
    with style_context(Canvas(font="DejaVu Serif")):
        assert mpl.rcParams["font.family"][0] == "DejaVu Serif"


def test_a_font_may_be_a_file() -> None:
    file = Path(mpl.get_data_path()) / "fonts" / "ttf" / "DejaVuSansMono.ttf"
    with style_context(Canvas(font=str(file))):
        assert mpl.rcParams["font.family"][0] == "DejaVu Sans Mono"


def test_a_font_that_is_none_is_refused(tmp_path: Path) -> None:
    (tmp_path / "junk.ttf").write_bytes(b"junk")
    with pytest.raises(UsageError, match="not a font"), style_context(Canvas(font=str(tmp_path / "junk.ttf"))):
        pass
    with pytest.raises(UnknownNameError, match="did you mean 'DejaVu Sans'"), style_context(Canvas(font="DejaVu Sanz")):
        pass


def test_chinese_without_a_font_for_it_is_one_note_and_no_warning(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(fonts, "CJK_FONTS", ())
    picture = pecli.figure("heatmap", d=3, length=5, dpi=30, title="位置编码")
    assert picture.render("png")[0].startswith(b"\x89PNG")
    assert len(picture.notes) == 1
    assert "--font" in picture.notes[0]


def test_a_font_for_chinese_is_added_behind_ours(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(fonts, "CJK_FONTS", ("DejaVu Serif",))
    with style_context(Canvas(), "位置编码") as notes:
        assert mpl.rcParams["font.family"] == ["DejaVu Sans", "DejaVu Serif"]
        assert notes == []
    with style_context(Canvas(), "plain"):
        assert mpl.rcParams["font.family"] == ["DejaVu Sans"]


def test_panels_inside_a_given_axes_do_not_overlap() -> None:
    axes = Drawing().subplots()
    assert split_axes(axes, [Panel()], ((0,),)) == [axes]
    boxes = [one.get_position() for one in split_axes(axes, [Panel()] * 4, ((0, 1), (2, 3)))]
    assert sum(a.overlaps(b) for a in boxes for b in boxes) == len(boxes)  # each with itself
    assert boxes[0].y0 > boxes[2].y1 and boxes[0].x1 < boxes[1].x0


@pytest.mark.parametrize("figure", ["heatmap", "curves", "rotation", "spectrum"])
@pytest.mark.parametrize(("style", "corner"), [(None, (255, 255, 255)), ("dark_background", (0, 0, 0))])
def test_the_canvas_has_the_colour_of_the_style(figure: str, style: str | None, corner: tuple[int, ...]) -> None:
    data = pecli.figure(figure, d=4, length=5, dpi=20, style=style).render("png")[0]
    pixels = np.asarray(Image.open(io.BytesIO(data)).convert("RGB"))
    assert {tuple(map(int, pixels[y, x])) for y in (0, -1) for x in (0, -1)} == {corner}


@pytest.mark.parametrize("figure", ["heatmap", "distance", "relative", "rotation"])
def test_no_style_draws_a_grid_over_an_image(figure: str) -> None:
    assert read_style("ggplot")["axes.grid"]
    picture = pecli.figure(figure, d=4, length=5, dpi=20, style="ggplot")
    with style_context(picture.job.canvas):
        assert not mpl.rcParams["axes.grid"]
        axes = picture._drawing().axes
        lines = [line for one in axes if one.images for axis in (one.xaxis, one.yaxis) for line in axis.get_gridlines()]
        assert lines and not any(line.get_visible() for line in lines)


def test_pictures_of_two_threads_wait_for_each_other() -> None:
    """Their styles would mix, and the settings of the one who asked would not come back."""
    before, inside = dict(mpl.rcParams), threading.Event()

    def draw() -> None:
        with style_context(Canvas(style="ggplot")):
            inside.set()

    other = threading.Thread(target=draw)
    with style_context(Canvas()):
        other.start()
        assert not inside.wait(0.05)
    other.join(10)
    assert inside.is_set() and dict(mpl.rcParams) == before
