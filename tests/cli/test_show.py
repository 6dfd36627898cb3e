"""Tests of pictures in the terminal: each protocol's sequences, and half-blocks for other terminals."""

from __future__ import annotations

import base64
import io
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from rich.console import Console

import pecli
from pecli.core.language import join_title
from pecli.core.terminal import CHUNK, half_blocks, iterm, kitty, protocol
from tests.conftest import Ask

PNGS = (b"a png", bytes(range(256)) * 40)  # one part holds the first alone
SMALL = ("heatmap", "-n", "6", "-d", "4")


def test_kitty_and_iterm_get_the_picture() -> None:
    for png in PNGS:
        parts = re.findall("\x1b_G(.*?);(.*?)\x1b\\\\", text := kitty(png, 7))
        assert "".join(f"\x1b_G{keys};{data}\x1b\\" for keys, data in parts) == text
        assert all(len(data) <= CHUNK for _, data in parts) and [keys[-1] for keys, _ in parts][-1] == "0"
        assert {keys[-1] for keys, _ in parts[:-1]} <= {"1"}
        assert "a=T,f=100,q=2,c=7," in parts[0][0] and base64.b64decode("".join(data for _, data in parts)) == png
        found = re.fullmatch("\x1b]1337;File=(.*?):(.*)\x07", iterm(png, 7))
        assert found is not None and "width=7;" in found[1] and "inline=1" in found[1]
        assert base64.b64decode(found[2]) == png
    assert len(parts) > 1


@pytest.mark.parametrize(("system", "code"), [("truecolor", "38;2;255;0;0;48;2;0;0;255"), ("256", "38;5;196;48;5;21")])
def test_half_blocks_hold_two_rows_in_the_colours_that_there_are(system: Any, code: str) -> None:
    screen = Console(file=io.StringIO(), force_terminal=True, color_system=system, width=9, legacy_windows=False)
    pixels = np.zeros((3, 2, 3), np.uint8)
    pixels[0, 0], pixels[1, 0] = (255, 0, 0), (0, 0, 255)
    screen.print(half_blocks(pixels), end="")
    text = screen.file.getvalue()  # type: ignore[attr-defined]  # a StringIO
    assert text.startswith(f"\x1b[{code}m▀") and [line.count("▀") for line in text.splitlines()] == [2, 2]


@pytest.mark.parametrize(
    ("environment", "has"),
    [
        ({"TERM": "xterm-256color"}, None),
        ({"TERM": "xterm-kitty"}, "kitty"),
        ({"TERM": "xterm", "KITTY_WINDOW_ID": "1"}, "kitty"),
        ({"TERM": "xterm", "LC_TERMINAL": "iTerm2"}, "iterm"),
        ({"TERM": "xterm", "TERM_PROGRAM": "WezTerm"}, "iterm"),
        ({"TERM": "tmux-256color", "KITTY_WINDOW_ID": "1"}, None),
        ({"TERM": "xterm", "LC_TERMINAL": "iTerm2", "TMUX": "1"}, None),
        ({"TERM": "dumb", "LC_TERMINAL": "iTerm2"}, None),
    ],
)
def test_the_environment_says_what_the_terminal_has(environment: dict[str, str], has: str | None) -> None:
    assert protocol(environment) == has


@pytest.fixture
def shown(ask: Ask, monkeypatch: pytest.MonkeyPatch) -> Callable[..., str]:
    """Show a heatmap in a terminal of 20 columns and 256 colours that says nothing of itself."""
    for name, value in {"TERM": "screen-256color", "COLUMNS": "20", "COLORTERM": "", "FORCE_COLOR": "1"}.items():
        monkeypatch.setenv(name, value)
    monkeypatch.delenv("NO_COLOR", raising=False)  # also empty it is one for older rich

    def run(*words: str) -> str:
        ended = ask("heatmap", "-d", "4", *words, "--show")
        return str(ended.out or ended.err)

    return run


def test_a_terminal_that_has_none_gets_half_blocks_as_wide_as_it_is(shown: Callable[..., str]) -> None:
    text = shown("--transparent")
    lines = [line.count("▀") for line in text.splitlines() if "▀" in line]
    assert set(lines) == {20} and len(lines) > 5
    assert text.startswith("\x1b[38;5;231;") and list(Path().iterdir()) == []  # white, no file


@pytest.mark.long
def test_half_blocks_have_the_texts_below_them_and_nothing_that_turns_the_terminal(shown: Callable[..., str]) -> None:
    def texts(*words: str) -> str:
        return " ".join(line.rstrip() for line in shown(*words).splitlines() if "▀" not in line)

    turning = ("--length", "7", "--base", "1")
    headline = texts(*turning, "--no-title")
    assert headline == pecli.figure("heatmap", d=4, length=7, base=1).message()
    assert texts(*turning) == f"{headline} {join_title(['sinusoidal', 'd = 4', 'base = 1'])}"
    assert " [red]a\\u202eb " in texts("--title", "[red]a\u202eb", "--length", "2000")


def test_a_terminal_without_colours_is_told_so(shown: Callable[..., str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NO_COLOR", "1")
    assert "which this terminal cannot show" in shown()


def test_it_is_refused_where_nobody_sees_it(ask: Ask, folder: Path) -> None:
    text = ask(*SMALL, "--show")
    assert text.code == 2 and "--show draws in a terminal" in text.err and "--output FILE.png" in text.err
    assert ask(*SMALL, "--show", "--json").code == 2
    assert ask("stats", "--show").code == 2
    assert list(folder.iterdir()) == []
