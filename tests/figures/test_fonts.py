"""Fonts by name: generic ones, those matplotlib has not listed yet; and nothing on stderr when all is well."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import matplotlib as mpl
import pytest
from matplotlib import font_manager
from matplotlib.figure import Figure as Drawing

import pecli
from pecli.figures import style as fonts
from pecli.figures.canvas import SIZES, Canvas
from pecli.figures.style import GENERIC, bundled_styles, families, is_postscript, set_sizes, style_context

Ask = Callable[..., Any]
WORDS = ("curves", "-d", "8", "-n", "9", "--start", "-4", "--dpi", "20", "-o", "a.png")
OURS = ("DejaVu Sans", "DejaVu Serif", "DejaVu Sans Mono", "STIXGeneral", "cmr10", "cmss10", "cmtt10")  # matplotlib's


STYLES = [*enumerate(style for style in bundled_styles() if not style.startswith("_"))]


@pytest.mark.parametrize("font", GENERIC)
def test_a_generic_family_works_or_a_line_says_what_is_used(ask: Ask, font: str) -> None:
    ended = ask(*WORDS, "--font", font)
    members: Any = f"font.{font}"
    there = set(mpl.rcParams[members]) & set(font_manager.fontManager.get_font_names())
    assert ended.code == 0
    assert ended.err == ("" if there else f"pecli: no {font} font is installed: DejaVu Sans is used\n")


@pytest.mark.parametrize("words", [
    *(("--font", font) for font in OURS),
    *(("--size", size) for size in (*SIZES, "5x3", "8cm")),
    *(pytest.param(("--style", style), marks=[] if at % 4 == 0 else pytest.mark.long) for at, style in STYLES),
], ids=lambda words: " ".join(words))  # fmt: skip
def test_nothing_is_said_when_all_is_well(ask: Ask, words: tuple[str, ...]) -> None:
    ended = ask(*WORDS, *words)
    assert (ended.code, ended.out, ended.err) == (0, "a.png\n", "")


@pytest.mark.parametrize(("title", "lost"), [("ਪ z", "ਪ"), ("\U0001f680 é λ", "\U0001f680"), ("عربي", "")])
def test_letters_that_no_font_has_are_told(title: str, lost: str) -> None:
    with style_context(Canvas(), title) as notes:
        assert notes == ([f"no font in use has {lost}: drawn as boxes; try --font FILE.ttf"] if lost else [])


@pytest.mark.parametrize(
    ("name", "start", "known"),
    [
        ("one of PostScript", b"OTTO", True),
        ("one of TrueType", b"\0\1\0\0", False),
        ("some of PostScript", b"ttcf\0\2\0\0\0\0\0\1\0\0\0\x12??OTTO", True),
        ("some of TrueType", b"ttcf\0\1\0\0\0\0\0\1\0\0\0\x10\0\1\0\0", False),
    ],
)
def test_a_font_of_postscript_outlines_is_told_by_its_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str, start: bytes, known: bool
) -> None:
    (tmp_path / "a.otf").write_bytes(start + bytes(99))
    monkeypatch.setattr(fonts, "_file_of", lambda family: tmp_path / "a.otf")
    assert is_postscript(name) is known


def test_postscript_outlines_stand_in_a_pdf_as_type_3_and_all_others_as_42(monkeypatch: pytest.MonkeyPatch) -> None:
    with style_context(Canvas()):
        assert mpl.rcParams["pdf.fonttype"] == 42
    monkeypatch.setattr("pecli.figures.style.is_postscript", lambda family: family == "DejaVu Sans")
    with style_context(Canvas()):
        set_sizes(Canvas(size="slide"))
        assert mpl.rcParams["pdf.fonttype"] == 3


def test_a_font_asked_for_holds_on_a_users_own_axes_too() -> None:
    axes = Drawing(dpi=20).subplots()
    pecli.figure("spectrum", d=4, length=5, font="DejaVu Serif").draw(axes)
    assert axes.xaxis.label.get_fontfamily()[0] == "DejaVu Serif"


@pytest.mark.parametrize(
    ("text", "first"), [("位置", "DejaVu Sans"), ("位置 $2\\pi$", "Chinese"), ("position $2\\pi$", "DejaVu Sans")]
)
def test_inside_mathematics_the_first_family_has_the_chinese_characters(
    text: str, first: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(fonts, "_cjk_families", lambda: ["Chinese"])
    with style_context(Canvas()):
        found = families(None, text, [])
    assert found[0] == first and {*found} >= {"DejaVu Sans", *(["Chinese"] if "位" in text else [])}
