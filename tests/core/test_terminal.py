"""What reaches a terminal: text, never what a file would make the terminal do."""

from __future__ import annotations

import io
import os
import sys

import pytest

from pecli.core import terminal
from pecli.core import terminal as terminal_documents
from pecli.core.terminal import Facts, Paragraph, Table

ACTS = [*map(chr, range(32)), *map(chr, range(127, 160)), "\u2028", "\u2029", "\u202e", "\u200b", "\u2066", "\ufeff"]
SHOWN = "plain ünï 位置编码 🎓 \u00a0\u3000 − λ"


@pytest.mark.parametrize("character", ACTS, ids=ascii)
def test_what_does_something_is_shown_as_its_code(character: str) -> None:
    said = terminal.escaped(f"a{character}b")
    assert said.startswith("a\\") and said.endswith("b") and character not in said


def test_what_is_only_seen_stays() -> None:
    assert terminal.escaped(SHOWN) == SHOWN
    assert terminal.escaped("a\nb\x1b", "\n") == "a\nb\\x1b"


HOSTILE = "x\x1b[2J\rpecli: done\u2028pecli: done\x9b1m\u202e\x85pecli: done"


def test_no_message_and_no_result_carries_it(capsys: pytest.CaptureFixture[str]) -> None:
    terminal.say(HOSTILE)
    terminal.results([HOSTILE])
    terminal_documents.show([Table(["a"], [[HOSTILE]]), Facts({HOSTILE: HOSTILE}), Paragraph(HOSTILE)])
    with terminal.Steps(1, quiet=False) as steps:
        steps.advance(HOSTILE, [HOSTILE])
        steps.result([HOSTILE])
    out, err = capsys.readouterr()
    assert not set(out + err) & set(ACTS) - {"\n"}
    assert err.count("\n") == 3 and all(line.startswith("pecli: ") for line in err.splitlines())
    assert out.count("\\x1b") == 6 and err.count("\\x1b") == 3


def test_colours_that_are_ours_stay(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.setenv("FORCE_COLOR", "1")
    terminal_documents.show([Paragraph("a", style="red")])
    assert "\x1b[31m" in capsys.readouterr().out


@pytest.mark.parametrize(("encoding", "yes"), [("utf-8", True), ("ascii", False), ("cp1252", False)])
def test_stdout_says_what_can_be_printed(monkeypatch: pytest.MonkeyPatch, encoding: str, yes: bool) -> None:
    monkeypatch.setattr(sys, "stdout", io.TextIOWrapper(io.BytesIO(), encoding))
    assert terminal.can_print("位") is yes
    assert terminal.can_print("a") and not terminal.can_print("\x1b")


@pytest.mark.parametrize(("told", "width"), [("0", 80), ("1", 20), ("150", 150), ("9999999", 1000), ("-5", 20)])
def test_a_terminal_may_say_any_width(told: str, width: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("pecli.core.terminal.os.get_terminal_size", lambda *_: os.terminal_size((int(told), 0)))
    monkeypatch.delenv("COLUMNS", raising=False)
    assert terminal.columns() == width
