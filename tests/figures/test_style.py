"""Tests of sizes, fonts, user styles and formulas in titles; matplotlib's own settings have no effect."""

from __future__ import annotations

import io
import os
import re
import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import matplotlib as mpl
import numpy as np
import pytest
from matplotlib import font_manager
from PIL import Image

import pecli
from pecli.core.errors import FileError, PecliError, UsageError
from pecli.page import style
from pecli.page.canvas import Canvas
from pecli.page.style import (
    GENERIC,
    bundled_styles,
    line_spacing,
    read_style,
    style_context,
)
from tests.drawing import axes_of, page_of


def test_settings_hold_inside_and_come_back(tmp_path: Path) -> None:
    (style := tmp_path / "wide.mplstyle").write_text("lines.linewidth: 7\nimage.interpolation: bilinear\n")
    with mpl.rc_context({"lines.linewidth": 17, "text.usetex": True, "image.interpolation": "bilinear"}):
        before = dict(mpl.rcParams)
        for canvas, width in ((Canvas(), 1.5), (Canvas(style=str(style)), 7)):
            with style_context(canvas):
                assert mpl.rcParams["lines.linewidth"] == width
                assert not mpl.rcParams["text.usetex"] and mpl.rcParams["pdf.fonttype"] == 42
                assert mpl.rcParams["image.interpolation"] == "nearest"
        assert dict(mpl.rcParams) == before


def test_a_date_in_the_environment_is_not_read_and_stays(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SOURCE_DATE_EPOCH", "no number")
    assert pecli.figure("heatmap", d=3, length=5, dpi=30).render("svg")
    assert os.environ["SOURCE_DATE_EPOCH"] == "no number"


def test_letters_that_no_font_has_are_one_note_and_no_warning() -> None:
    picture = pecli.figure("heatmap", d=3, length=5, dpi=30, title="عربي ਪ \U0001f680 é λ ਪ")
    assert picture.render("png")[0].startswith(b"\x89PNG")
    assert picture.notes == ["no font in use has ਪ \U0001f680, which are drawn as boxes; try --font FILE.ttf"]


@pytest.mark.long
@pytest.mark.parametrize("figure", ["heatmap", "curves"])
@pytest.mark.parametrize(("style", "corner"), [(None, (255, 255, 255)), ("dark_background", (0, 0, 0))])
def test_the_canvas_has_the_colour_of_the_style(figure: str, style: str | None, corner: tuple[int, ...]) -> None:
    data = pecli.figure(figure, d=4, length=5, dpi=20, style=style).render("png")[0]
    pixels = np.asarray(Image.open(io.BytesIO(data)).convert("RGB"))
    assert {tuple(map(int, pixels[y, x])) for y in (0, -1) for x in (0, -1)} == {corner}


@pytest.mark.parametrize("figure", ["heatmap", "rotation"])
def test_no_style_draws_a_grid_over_an_image(figure: str) -> None:
    assert read_style("ggplot")["axes.grid"]
    axes = page_of(figure, d=4, length=5, dpi=20, style="ggplot").axes
    lines = [line for ax in axes if ax.images for axis in (ax.xaxis, ax.yaxis) for line in axis.get_gridlines()]
    assert lines and not any(line.get_visible() for line in lines)


@pytest.mark.parametrize(("size", "width"), [("column", 3.25), ("slide", 13.33), ("5x3", 5)])
def test_sizes_are_widths_at_final_scale_and_text_on_paper_has_7_to_9_points(size: str, width: float) -> None:
    inches = Canvas(size=size).inches
    assert inches.width == width and 7 <= inches.font <= (18 if size == "slide" else 9)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        *(({"size": size}, "size") for size in ("5x", "5x3x2", "-5x3", "0.1x3", "5x1000", "infxinf", "nanx3", "")),
        *(({"dpi": dpi}, "dpi") for dpi in (0, 9, 10**20, "nan")),
        *(
            ({"style": style}, "style")
            for style in ("no/such.mplstyle", "/dev/zero", "a" * 5000, "https://x/y.mplstyle")
        ),
        ({"size": "100x3", "dpi": 2400}, "lower dpi"),
        ({"title": "a", "no_title": True}, "no_title"),
        ({"cmap": "virids"}, "did you mean 'viridis'"),
        ({"style": "ggplott"}, "did you mean 'ggplot'"),
        ({"style": "s.mplstyle"}, "did you mean 'viridis'"),
        ({"font": "DejaVu Sanz"}, "did you mean 'DejaVu Sans'"),
        ({"font": "a" * 5000}, "font"),
        ({"font": "junk.ttf"}, "not a font"),
    ],
)
def test_what_cannot_be_is_refused_with_advice(options: dict[str, Any], message: str, folder: Path) -> None:
    (folder / "junk.ttf").write_bytes(b"junk")
    (folder / "s.mplstyle").write_text("image.cmap: virids\n")
    with pytest.raises(PecliError, match=message):
        pecli.figure("heatmap", d=4, length=5, **options).render("png")


@pytest.mark.parametrize("font", ["DejaVu Serif", str(Path(mpl.get_data_path(), "fonts", "ttf", "DejaVuSansMono.ttf"))])
def test_a_font_is_used_by_name_or_file_and_a_style_may_name_a_family(font: str, folder: Path) -> None:
    with style_context(Canvas(font=font)):
        assert mpl.rcParams["font.family"][0] in ("DejaVu Serif", "DejaVu Sans Mono")
    for text, family, said in (
        ("serif", ["serif"], []),
        ("Nope, DejaVu Serif", ["DejaVu Serif"], []),
        (
            "sans-serif\nfont.sans-serif: Nope, No",
            ["DejaVu Sans"],
            ["none of the style's fonts is installed (Nope, No)"],
        ),
    ):
        (folder / "family.mplstyle").write_text(f"font.family: {text}\n")
        with style_context(Canvas(style="family.mplstyle")) as notes:
            assert mpl.rcParams["font.family"] == family
        assert [note.partition(", so ")[0] for note in notes] == said


Process = Callable[..., subprocess.CompletedProcess[Any]]
DRAW = ["-m", "pecli", "heatmap", "-d", "4", "--length", "5", "--dpi", "30", "-o", "a.png"]


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ("axes.facecolor: nocolour", "cannot be used: Key axes.facecolor"),
        ("axes.titlesizze: 3", "'axes.titlesizze: 3' is not a setting"),
        ("a line", "'a line' is not a setting"),
    ],
)
def test_a_setting_that_matplotlib_does_not_know_is_told_with_its_file(folder: Path, line: str, said: str) -> None:
    (folder / "s.mplstyle").write_text(f"axes.edgecolor: red  # a: b\n{line}\nlines.linewidth: 2\n")
    with pytest.raises(FileError) as caught:
        pecli.figure("curves", d=4, length=5, dpi=30, style="s.mplstyle").render("png")
    text = str(caught.value)
    assert "s.mplstyle" in text and said in text and "\n" not in text and len(text) < 500


@pytest.mark.parametrize(
    ("style", "options", "colours"),
    [
        ("grayscale", {}, "gray"),
        ("grayscale", {"cmap": "magma"}, "magma"),
        ("ggplot", {}, "signed"),
    ],
)
def test_a_style_that_names_its_colours_has_them(
    folder: Path, style: str | None, options: dict[str, str], colours: str
) -> None:
    (folder / "s.mplstyle").write_text("image.cmap: viridis\n")
    assert Canvas.make({"style": style, **options}).colours("diverging") == colours


@pytest.mark.parametrize("data", [b"\xff\xfe\n", b"a" * (1 << 20)])
def test_a_file_that_is_no_style_is_refused(tmp_path: Path, data: bytes) -> None:
    (tmp_path / "s.mplstyle").write_bytes(data)
    with pytest.raises(FileError, match=r"s\.mplstyle"):
        read_style(str(tmp_path / "s.mplstyle"))


@pytest.mark.long
@pytest.mark.posix
def test_the_users_own_settings_are_not_read(folder: Path, process: Process) -> None:
    """A matplotlibrc of the user's and a folder of styles with nothing good in them."""
    pecli.figure("heatmap", d=4, length=5, dpi=30).save("undisturbed.png")
    home = folder / "home"
    styles = home / "stylelib"
    styles.mkdir(parents=True)
    for known in Path(mpl.get_cachedir()).glob("fontlist-*.json"):  # half a second to find again
        shutil.copy(known, home)
    (styles / "gone.mplstyle").symlink_to("nowhere")
    (styles / "folder.mplstyle").mkdir()
    (styles / "._x.mplstyle").write_bytes(b"\x00\x05\x16\x07\xff")
    (home / "matplotlibrc").write_bytes(b"\xff")
    ended = process(DRAW, folder, {"MPLCONFIGDIR": str(home)})
    assert (ended.returncode, ended.stderr) == (0, b"")
    assert (folder / "a.png").read_bytes() == (folder / "undisturbed.png").read_bytes()


Ask = Callable[..., Any]
WORDS = ("curves", "-d", "8", "-n", "9", "--start", "-4", "--dpi", "20", "-o", "a.png")
OURS = ("DejaVu Serif", "STIXGeneral")  # matplotlib's


STYLES = [*enumerate(style for style in bundled_styles() if not style.startswith("_"))]


@pytest.mark.long
@pytest.mark.parametrize("font", GENERIC)
def test_a_generic_family_works_or_a_line_says_what_is_used(ask: Ask, font: str) -> None:
    ended = ask(*WORDS, "--font", font)
    members: Any = f"font.{font}"
    there = set(mpl.rcParams[members]) & set(font_manager.fontManager.get_font_names())
    assert ended.code == 0
    assert ended.err == ("" if there else f"pecli: no {font} font is installed, so Inter is used\n")


@pytest.mark.long
@pytest.mark.parametrize("words", [
    *(("--font", font) for font in OURS),
    ("--size", "8cm"),
    *(pytest.param(("--style", style), marks=[] if at % 12 == 0 else pytest.mark.long) for at, style in STYLES),
], ids=lambda words: " ".join(words))  # fmt: skip
def test_nothing_is_said_when_all_is_well(ask: Ask, words: tuple[str, ...]) -> None:
    ended = ask(*WORDS, *words)
    assert (ended.code, ended.out, ended.err) == (0, "a.png\n", "")


@pytest.mark.parametrize(("font", "spacing"), [("STIXGeneral", 1.25), ("DejaVu Sans", None)])
def test_lines_of_a_font_with_high_lines_are_as_high_as_those_of_others(font: str, spacing: float | None) -> None:
    """Height and gap of a line: 1.51 sizes of STIXGeneral, 1.16 of DejaVu Sans; matplotlib < 3.11 ignores them."""
    with mpl.rc_context({"font.family": [font]}):
        assert line_spacing(1.25) in (None, spacing)


def test_a_font_asked_for_holds_on_a_users_own_axes_too() -> None:
    assert axes_of("spectrum", d=4, length=5, font="DejaVu Serif").xaxis.label.get_fontfamily()[0] == "DejaVu Serif"


@pytest.mark.long
@pytest.mark.parametrize("text", ["$^$", r"a $\frac{1}$ b", "$\\nope$", "$$", f"${'{' * 3000}$"])
def test_mathematics_that_cannot_be_set_is_refused(ask: Ask, text: str) -> None:
    ended = ask("heatmap", "-d", "4", "-n", "3", "--title", text, "-o", "a.png")
    assert ended.code == 2 and "dollar sign" in ended.err and len(ended.err.splitlines()) == 1


@pytest.mark.long
def test_a_style_file_says_the_size_of_text_and_the_colours_of_lines_and_is_told_what_pecli_sets(folder: Path) -> None:
    Path("my.mplstyle").write_text(
        'font.size: 11\naxes.prop_cycle: cycler("color", ["ff0000", "00ff00"])\n'
        "figure.figsize: 3, 3\naxes.grid: True\n",
        encoding="utf-8",
    )
    picture = pecli.figure("curves", style="my.mplstyle", length=9, d=4, dpi=40)
    assert picture.canvas.inches.font == 11
    with Image.open(io.BytesIO(picture.render("png")[0])) as image:
        colours = {colour[:3] for _, colour in image.convert("RGB").getcolors(1 << 20)}  # type: ignore[union-attr,index]
    assert {(255, 0, 0), (0, 255, 0)} <= colours and image.size[0] == int(6.75 * 40)
    assert picture.notes == ["my.mplstyle sets axes.grid, figure.figsize, but pecli sets that itself: use --size"]
    assert pecli.figure("curves", style="my.mplstyle", text_size=9).canvas.inches.font == 9
    assert (
        pecli.figure("curves", style="fivethirtyeight").canvas.inches.font == 8
    )  # what comes with matplotlib is a look


def test_chinese_without_a_font_for_it_is_one_line_also_when_quiet(ask: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("pecli.page.style.CJK_FONTS", ())
    with pytest.warns(UserWarning, match="no font for Chinese is installed: install Noto Sans CJK"):
        pecli.figure("heatmap", d=4, length=5, lang="zh", dpi=20).render("png")


def test_a_font_that_is_newer_than_the_list_of_fonts_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    new, scans = font_manager.findfont("DejaVu Serif"), []

    def found() -> list[str]:
        scans.append(1)
        return [new, __file__]  # the latter is no font

    listed = [entry for entry in font_manager.fontManager.ttflist if entry.name != "DejaVu Serif"]
    monkeypatch.setattr(font_manager, "findSystemFonts", found)
    monkeypatch.setattr(font_manager.fontManager, "ttflist", listed)
    style._add_newer_fonts.cache_clear()
    assert pecli.figure("heatmap", d=4, length=5, dpi=20).render("png") and not scans
    assert style.installed_families(["none", "DejaVu Serif"]) == ["DejaVu Serif"]
    assert style.family_of("DejaVu Serif") == "DejaVu Serif" and scans == [1]
    with pytest.raises(UsageError):
        style.family_of("none")
    assert scans == [1]


@pytest.mark.long
@pytest.mark.some(2)
@pytest.mark.parametrize("font", ["serif", "monospace"])
def test_mathematics_is_in_the_font_that_is_asked_for(font: str) -> None:
    data = pecli.figure("rotation", encoding="rope:d=4", matrix=8, font=font).render("pdf")[0]  # its title has R_p
    fonts = {name.decode() for name in re.findall(rb"/BaseFont /(?:\w+\+)?([A-Za-z]+)", data)}
    assert fonts == ({"STIXGeneral"} if font == "serif" else {"DejaVuSansMono"})


@pytest.mark.some(2)
@pytest.mark.parametrize(
    ("font", "fontset", "italic", "fallback"),
    [
        ("serif", "stix", None, None),
        ("STIXGeneral", "stix", None, None),
        ("cmr10", "cm", None, None),
        ("DejaVu Serif", "custom", "DejaVu Serif:italic", "stix"),
        ("DejaVu Sans Mono", "custom", "DejaVu Sans Mono:italic", "stixsans"),
        ("sans-serif", "custom", r"sans\-serif:italic", "stixsans"),
        (None, "custom", "Inter:italic", "stixsans"),
    ],
)
@pytest.mark.parametrize("style", [None, "ggplot"])
def test_mathematics_is_set_in_letters_that_fit_the_font(
    style: str | None, font: str | None, fontset: str, italic: str | None, fallback: str | None
) -> None:
    with style_context(Canvas(font=font, style=style)):
        settings = mpl.rcParams
        assert settings["mathtext.fontset"] == fontset
        assert italic is None or (settings["mathtext.it"], settings["mathtext.fallback"]) == (italic, fallback)


def test_a_style_that_sets_mathematics_keeps_it(folder: Path) -> None:
    (folder / "my.mplstyle").write_text("mathtext.fontset: dejavuserif\n")
    with style_context(Canvas(font="serif", style="my.mplstyle")):
        assert mpl.rcParams["mathtext.fontset"] == "dejavuserif"


@pytest.mark.long
@pytest.mark.parametrize("font", ["serif", "sans-serif", "STIXGeneral", "cmr10", None])
@pytest.mark.parametrize("figure", ["heatmap", "rotation"])
def test_a_pdf_has_no_letters_of_dejavu_unless_asked_for(figure: str, font: str | None) -> None:
    title = r"$\theta_j = b^{-2j/d}$, $\mathbf{x} \cdot \mathcal{L}$, cos ωλ − ₖ"
    data = pecli.figure(figure, d=4, length=5, size="icml", font=font, title=title).render("pdf")[0]
    fonts = set(re.findall(rb"/BaseFont /[A-Z]{6}[+](\w+)", data))
    assert fonts and not any(name.startswith(b"DejaVu") for name in fonts)


@pytest.mark.long
def test_a_font_in_the_encoding_of_tex_is_said_to_be_no_font_for_text() -> None:
    picture = pecli.figure("heatmap", d=4, length=5, font="cmr10")
    picture.render("png")
    assert any("draws > as ¿" in note for note in picture.notes)
