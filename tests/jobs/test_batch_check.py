"""Tests of the comparison of a batch file with the files on disk."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

Ask = Callable[..., Any]
FIGURES = """
[[figure]]
command = "heatmap"
d = 4
length = 5
base = [{bases}]
output = ["x/{{base}}.json", "x/{{base}}.csv"]
"""


@pytest.fixture
def drawn(ask: Ask, folder: Path) -> Path:
    """Return a folder where a batch file has been drawn."""
    (folder / "f.toml").write_text(FIGURES.format(bases="10, 20"))
    assert ask("batch", "f.toml", "-j", "1").code == 0
    return folder


def before_and_after(folder: Path) -> list[tuple[str, int]]:
    return sorted((str(path), path.stat().st_mtime_ns) for path in folder.rglob("*"))


def test_what_is_as_asked_for_is_no_difference(ask: Ask, drawn: Path) -> None:
    (drawn / "x/notes.json").write_text("{}")
    ended = ask("batch", "f.toml", "--check")
    unknown = "pecli: not checked, because such files do not store what they show: x/10.csv and 1 more\n"
    assert (ended.code, ended.out, ended.err) == (0, "", unknown)


def test_every_difference_is_listed_and_nothing_drawn(ask: Ask, drawn: Path) -> None:
    (drawn / "x/10.csv").unlink()
    (drawn / "f.toml").write_text(FIGURES.format(bases="10, 30"))
    before = before_and_after(drawn)
    ended = ask("batch", "f.toml", "--check")
    assert ended.code == 1
    assert ended.out.splitlines() == [
        "missing: x/10.csv",
        "missing: x/30.json",
        "missing: x/30.csv",
        "no longer asked for: x/20.json",
    ]
    assert ended.err == "pecli: 4 files are missing, stale or orphaned\n"
    assert before_and_after(drawn) == before


def test_what_shows_another_job_is_stale(ask: Ask, drawn: Path) -> None:
    (drawn / "f.toml").write_text(FIGURES.format(bases="10, 20").replace("length = 5", "length = 6"))
    ended = ask("batch", "f.toml", "--check")
    assert (ended.code, ended.out.splitlines()) == (1, ["stale: x/10.json", "stale: x/20.json"])
    assert ask("batch", "f.toml", "--check", "--only", "10").out.splitlines() == ["stale: x/10.json"]


def test_a_dry_run_marks_what_is_there(ask: Ask, drawn: Path) -> None:
    (drawn / "f.toml").write_text(FIGURES.format(bases="10, 20").replace(', "x/{base}.csv"', ""))
    os.unlink("x/10.json")
    first, second = ask("batch", "f.toml", "--dry-run").out.splitlines()
    assert first.startswith("pecli heatmap ") and second.startswith("# pecli heatmap ")
    assert "#" not in ask("batch", "f.toml", "--dry-run", "--force").out


def test_to_look_takes_no_right_to_write(ask: Ask, drawn: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    text = FIGURES.format(bases="10, 20")
    (drawn / "f.toml").write_text(f'[batch]\nindex = "x/index.md"\n{text}')
    before = before_and_after(drawn)
    monkeypatch.setattr("os.access", lambda *_: False)  # root may write everywhere
    assert ask("batch", "f.toml", "--check").out.split()[-1] == "x/index.md"  # missing
    assert [ask("batch", "f.toml", *words).code for words in (("--dry-run",), ())] == [0, 1]
    monkeypatch.undo()
    assert before_and_after(drawn) == before
