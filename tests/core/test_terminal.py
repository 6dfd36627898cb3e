"""Tests of terminal output: no text from a file can control the terminal."""

from __future__ import annotations

import itertools
import re
import sys

import pytest

from pecli.core import terminal
from pecli.core.errors import escaped
from pecli.core.progress import progress
from pecli.core.terminal import Facts, Paragraph, TextTable

ACTS = [*map(chr, range(32)), *map(chr, range(127, 160)), "\u2028", "\u2029", "\u202e", "\u200b", "\u2066", "\ufeff"]
SHOWN = "plain ünï 位置编码 🎓 \u00a0\u3000 − λ"


@pytest.mark.parametrize("character", ACTS, ids=ascii)
def test_what_does_something_is_shown_as_its_code(character: str) -> None:
    text = escaped(f"a{character}b")
    assert text.startswith("a\\") and text.endswith("b") and character not in text


def test_what_is_only_seen_stays() -> None:
    assert escaped(SHOWN) == SHOWN
    assert escaped("a\nb\x1b", "\n") == "a\nb\\x1b"


@pytest.mark.parametrize("colour", ["", "1"])
def test_no_line_of_a_report_ends_in_blanks(
    colour: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("FORCE_COLOR", colour)
    table, facts = (
        TextTable(["name", "wide one"], [["a", "b"], ["longer", ""]]),
        Facts({"a": "b", "longer": "word " * 40}),
    )
    terminal.show([table, facts, Paragraph("word " * 40, heading=True)])
    lines = re.sub(r"\x1b\[[\d;]*m", "", capsys.readouterr().out).splitlines()
    assert len(lines) > 8 and [line for line in lines if line != line.rstrip()] == []


HOSTILE = "x\x1b[2J\rpecli: done\u2028pecli: done\x9b1m\u202e\x85pecli: done"


def test_no_message_and_no_result_carries_it(capsys: pytest.CaptureFixture[str]) -> None:
    terminal.print_notes(HOSTILE)
    terminal.print_results([HOSTILE])
    terminal.show([TextTable(["a"], [[HOSTILE]]), Facts({HOSTILE: HOSTILE}), Paragraph(HOSTILE)])
    with terminal.Steps(1, quiet=False) as steps:
        steps.advance(HOSTILE, [HOSTILE], [HOSTILE])
    out, err = capsys.readouterr()
    assert not set(out + err) & set(ACTS) - {"\n"}
    assert err.count("\n") == 3 and all(line.startswith("pecli: ") for line in err.splitlines())
    assert out.count("\\x1b") == 6 and err.count("\\x1b") == 3


def test_colours_that_are_ours_stay(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.setenv("FORCE_COLOR", "1")
    terminal.show([Paragraph("a", style="red")])
    assert "\x1b[31m" in capsys.readouterr().out


def test_what_takes_long_has_a_bar_in_a_terminal_alone(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("FORCE_COLOR", "1")
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.setattr("time.monotonic", itertools.count().__next__)  # each look at the clock is a second later
    for moves in (True, False):
        monkeypatch.setattr(sys.stderr, "isatty", lambda moves=moves: moves)
        assert list(progress(range(9), "comparing")) == list(range(9))
        assert ("comparing" in capsys.readouterr().err) == moves
