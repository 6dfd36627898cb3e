"""Fonts by name: generic ones, those matplotlib has not listed yet; and nothing on stderr when all is well."""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import matplotlib as mpl
import pytest
from matplotlib import font_manager

from pecli.figures.canvas import SIZES
from pecli.figures.fonts import GENERIC, family_of
from pecli.figures.style_files import bundled_styles

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


def test_a_font_that_was_installed_since_is_found(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    manager = font_manager.fontManager
    new = shutil.copy(font_manager.findfont("DejaVu Serif Display"), tmp_path / "new.ttf")
    others = [one for one in manager.ttflist if one.name != "DejaVu Serif Display"]
    monkeypatch.setattr(manager, "ttflist", others)
    monkeypatch.setattr(font_manager, "findSystemFonts", lambda *_, **__: [os.fspath(new)])
    assert "DejaVu Serif Display" not in manager.get_font_names()
    assert family_of("DejaVu Serif Display") == "DejaVu Serif Display"
    assert "DejaVu Serif Display" in manager.get_font_names()
