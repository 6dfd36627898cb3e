"""Pictures in the terminal: what it says that it has, the sequences of each protocol, and a fake terminal."""

from __future__ import annotations

import base64
import io
import os
import re
import sys
import threading
import zlib
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from PIL import Image
from rich.console import Console

from pecli.cli.draw import run_jobs
from pecli.core.errors import UsageError
from pecli.core.terminal import CHUNK, KITTY, half_blocks, heard, iterm, kitty, protocol, sixel
from pecli.jobs.job import Job

PIXELS = np.random.default_rng(0).choice([0, 255], (13, 9, 3)).astype(np.uint8)  # at most eight colours
MANY = np.random.default_rng(1).integers(0, 256, (40, 60, 3)).astype(np.uint8)  # more than one part holds
SMALL = ("heatmap", "-n", "6", "-d", "4")
PLAIN = {"TERM": "xterm-256color"}
ANSWERS = {  # as terminals give them
    "kitty": b"\x1b_Gi=31;OK\x1b\\\x1b[?62;c",
    "sixel": b"\x1b[?62;4;6;22c",
    None: b"\x1b[?1;2c",
}


def test_kitty_gets_the_pixels() -> None:
    for pixels in (PIXELS, MANY):
        parts = re.findall("\x1b_G(.*?);(.*?)\x1b\\\\", text := kitty(pixels, 7))
        assert "".join(f"\x1b_G{keys};{data}\x1b\\" for keys, data in parts) == text
        assert all(len(data) <= CHUNK for _, data in parts) and [keys[-1] for keys, _ in parts][-1] == "0"
        assert {keys[-1] for keys, _ in parts[:-1]} <= {"1"}
        keys = dict(key.split("=") for key in parts[0][0].split(","))
        assert (keys["s"], keys["v"], keys["c"]) == (str(pixels.shape[1]), str(pixels.shape[0]), "7")
        assert zlib.decompress(base64.b64decode("".join(data for _, data in parts))) == pixels.tobytes()
    assert len(parts) > 1


def test_iterm_gets_a_file_of_pixels_and_nothing_else() -> None:
    found = re.fullmatch("\x1b]1337;File=(.*?):(.*)\x07", iterm(PIXELS, 7))
    assert found is not None and "width=7;" in found[1] and "inline=1" in found[1]
    with Image.open(io.BytesIO(base64.b64decode(found[2]))) as image:
        assert np.array_equal(np.asarray(image), PIXELS) and image.info == {}


def unsixel(text: str) -> np.ndarray[Any, Any]:
    """The pixels of an image in sixels, read as the VT340's manual has it."""
    head = re.fullmatch('\x1bP0;1q"1;1;(\\d+);(\\d+)((?:#\\d+;2;\\d+;\\d+;\\d+)*)(.*)\x1b\\\\', text)
    assert head is not None
    width, height = int(head[1]), int(head[2])
    colours = {n: [round(int(c) * 2.55) for c in rgb] for n, *rgb in re.findall(r"#(\d+);2;(\d+);(\d+);(\d+)", head[3])}
    pixels = np.full((-(-height // 6) * 6, width, 3), 7)
    for band, line in enumerate(head[4].split("-")):
        for colour, signs in re.findall(r"#(\d+)([^#$]*)", line):
            plain = re.sub(r"!(\d+)(.)", lambda run: int(run[1]) * run[2], signs)
            assert len(plain) == width
            for x, sign in enumerate(plain):
                for row in range(6):
                    if (ord(sign) - 63) >> row & 1:
                        pixels[6 * band + row, x] = colours[colour]
    return pixels[:height]


def test_sixels_are_the_pixels() -> None:
    assert np.array_equal(unsixel(sixel(PIXELS, 7)), PIXELS)
    assert np.abs(unsixel(sixel(MANY, 7)) - MANY).mean() < 20  # 256 colours for 2,400


@pytest.mark.parametrize(("system", "code"), [("truecolor", "38;2;255;0;0;48;2;0;0;255"), ("256", "38;5;196;48;5;21")])
def test_half_blocks_hold_two_rows_in_the_colours_that_there_are(system: Any, code: str) -> None:
    screen = Console(file=io.StringIO(), force_terminal=True, color_system=system, width=9, legacy_windows=False)
    pixels = np.zeros((3, 2, 3), np.uint8)
    pixels[0, 0], pixels[1, 0] = (255, 0, 0), (0, 0, 255)
    screen.print(half_blocks(pixels, screen), end="")
    text = screen.file.getvalue()  # type: ignore[attr-defined]  # a StringIO
    assert text.startswith(f"\x1b[{code}m▀") and [line.count("▀") for line in text.splitlines()] == [2, 2]


@pytest.mark.parametrize("has", ANSWERS)
def test_a_terminal_says_what_it_has(has: str | None) -> None:
    assert protocol(PLAIN, lambda _: ANSWERS[has]) == has


def test_iterm_says_it_in_the_environment_and_tmux_is_not_asked_for_kittys() -> None:
    asked: list[str] = []

    def ask(question: str) -> bytes:
        asked.append(question)
        return b""

    assert protocol({**PLAIN, "LC_TERMINAL": "iTerm2"}, ask) == "iterm" and asked == []
    assert protocol({"TERM": "dumb"}, ask) is None and asked == []
    assert protocol({**PLAIN, "LC_TERMINAL": "iTerm2", "TMUX": "1"}, ask) is None
    assert protocol({"TERM": "screen"}, ask) is None
    assert all(KITTY not in one for one in asked) and len(asked) == 2
    assert protocol(PLAIN, ask) is None and asked[-1].startswith(KITTY)


@pytest.mark.posix
def test_an_answer_is_heard_to_its_end_and_silence_is_none(monkeypatch: pytest.MonkeyPatch) -> None:
    read, write = os.pipe()
    os.write(write, b"\x1b_Gi=31;OK\x1b\\\x1b[?6")
    threading.Timer(0.05, os.write, (write, b"2;4c")).start()
    assert heard(read) == b"\x1b_Gi=31;OK\x1b\\\x1b[?62;4c"
    monkeypatch.setattr("pecli.core.terminal.TERMINAL_IMAGES_PATIENCE", 0.01)
    assert heard(read) == b""
    os.close(read)
    os.close(write)


@pytest.fixture
def terminal(folder: Path) -> Callable[..., str]:
    """Runs `pecli …` in a terminal of its own that gives this answer; gives all that it was sent."""
    pty = pytest.importorskip("pty")

    def run(answer: bytes, *words: str) -> str:
        try:
            child, screen = pty.fork()
        except OSError:
            pytest.skip("the system has no terminal to give")
        if child == 0:
            os.environ.update(PLAIN, COLUMNS="20", PYTHONIOENCODING="utf-8")
            for name in ("TMUX", "LC_TERMINAL", "TERM_PROGRAM", "NO_COLOR", "COLORTERM"):
                os.environ.pop(name, None)
            os.execv(sys.executable, [sys.executable, "-m", "pecli", *words])
        said = b""
        while True:
            try:
                said += (part := os.read(screen, 1 << 16))
            except OSError:  # it has ended
                break
            if b"\x1b[c" in part:
                os.write(screen, answer)
        os.close(screen)
        assert os.waitpid(child, 0)[1] == 0, said
        return said.decode()

    return run


@pytest.mark.posix
def test_a_terminal_with_sixels_gets_them_and_the_file_is_written_too(terminal: Callable[..., str]) -> None:
    said = terminal(ANSWERS["sixel"], *SMALL, "--show", "-o", "a.png")
    found = re.search("\x1bP.*?\x1b\\\\", said, re.DOTALL)
    assert found is not None and unsixel(found[0].replace("\r\n", "\n")).shape[1] == pytest.approx(200, abs=15)
    assert "a.png" in said and Path("a.png").is_file()


class Screen(io.StringIO):
    """A terminal's standard output."""

    encoding = "utf-8"

    def isatty(self) -> bool:
        return True


@pytest.fixture
def shown(folder: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[..., str]:
    """Shows a heatmap in a terminal of 20 columns and 256 colours that says nothing of itself."""
    monkeypatch.setattr("pecli.cli.draw.protocol", lambda: None)
    for name, value in {**PLAIN, "COLUMNS": "20", "COLORTERM": ""}.items():
        monkeypatch.setenv(name, value)
    monkeypatch.delenv("NO_COLOR", raising=False)  # also empty it is one for older rich

    def run(**options: Any) -> str:
        job = Job.make("heatmap", {"length": 6, "d": 4, **options})
        with monkeypatch.context() as patch:  # pytest has its own standard output for each stage of a test
            patch.setattr(sys, "stdout", screen := Screen())
            run_jobs([job], as_json=False, quiet=False, verbose=False, seen=True)
        return screen.getvalue()

    return run


def test_a_terminal_that_has_none_gets_half_blocks_as_wide_as_it_is(shown: Callable[..., str]) -> None:
    said = shown(transparent=True)
    lines = [line.count("▀") for line in said.splitlines() if "▀" in line]
    assert set(lines) == {20} and len(lines) > 5
    assert said.startswith("\x1b[38;5;231;") and list(Path().iterdir()) == []  # white, no file


def test_half_blocks_have_the_texts_below_them_and_nothing_that_turns_the_terminal(shown: Callable[..., str]) -> None:
    def texts(**options: Any) -> str:
        return " ".join(line.rstrip() for line in shown(**options).splitlines() if "▀" not in line)

    turning = {"length": 7, "base": 1}
    assert texts(**turning) == "sinusoidal, d 4, base 1 Every pair finishes a turn in 7 positions"
    assert texts(**turning, no_title=True) == "every pair finishes a turn in 7 positions"  # below
    said = texts(title="[red]a\u202eb", length=2000)
    message = "Every pair finishes a turn in 2,000 positions"
    assert re.fullmatch(rf"\[red]a\\u202eb {message} each pixel: mean of \d+ positions", said)


def test_a_terminal_without_colours_is_told_so(shown: Callable[..., str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NO_COLOR", "1")
    with pytest.raises(UsageError, match="no colours"):
        shown()


def test_it_is_refused_where_nobody_sees_it(ask: Callable[..., Any], folder: Path) -> None:
    told = ask(*SMALL, "--show")
    assert told.code == 2 and "--show draws in a terminal" in told.err and "--output FILE.png" in told.err
    assert ask(*SMALL, "--show", "--json").code == 2
    assert ask("stats", "--show").code == 2
    assert list(folder.iterdir()) == []
