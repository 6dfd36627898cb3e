"""Tests of `pecli redraw`: a finished file drawn again with other options under another name."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import pecli
from pecli.files.metadata import read_metadata
from pecli.files.tables import open_file
from tests.conftest import Ask


@cache
def drawn() -> bytes:
    return pecli.figure("heatmap", d=6, length=9, base=10, dpi=30).render("png")[0]


@pytest.fixture
def old(folder: Path) -> bytes:
    """Return what old.png holds: a picture."""
    (folder / "old.png").write_bytes(drawn())
    return drawn()


@pytest.mark.long
def test_what_is_given_changes_and_the_old_file_stays(ask: Ask, folder: Path, old: bytes) -> None:
    assert ask("redraw", "old.png", "--size", "4x3", "-o", "small.png").out == "small.png\n"
    assert (folder / "old.png").read_bytes() == old
    before, after = (read_metadata(name)["job"] for name in ("old.png", "small.png"))
    assert after == {**before, "size": "4x3"}


@pytest.mark.long
def test_parameters_and_sweeps_work_as_in_the_figures_own_command(ask: Ask, folder: Path, old: bytes) -> None:
    assert ask("redraw", "old.png", "--base", "10,100", "-o", "b{base}.npy").out.split() == ["b10.npy", "b100.npy"]
    assert np.array_equal(np.load("b100.npy"), pecli.encode(d=6, length=9, base=100))


@pytest.mark.parametrize("command", ["redraw", "recipe"])
def test_what_the_file_carries_is_read_once(
    ask: Ask, old: bytes, monkeypatch: pytest.MonkeyPatch, command: str
) -> None:
    paths: list[str] = []

    def counted(path: str) -> Any:
        paths.append(path)
        return open_file(path)

    monkeypatch.setattr("pecli.files.metadata.open_file", counted)
    assert ask(command, "old.png", "-o", "new.png").code == 0
    assert paths == ["old.png"]


def test_the_old_file_is_replaced_only_when_it_is_named(ask: Ask, folder: Path, old: bytes) -> None:
    (made,) = ask("heatmap", "-d", "6", "-n", "9", "--dpi", "30").out.split()
    ended = ask("redraw", made)
    assert ended.code == 2 and "would be replaced" in ended.err
    assert ask("redraw", "old.png", "--dpi", "40", "-o", "old.png").code == 0
    assert (folder / "old.png").read_bytes() != old


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["gone.png"], "does not exist"),
        (["--size", "4x3", "old.png"], "the file comes first"),
        (["old.png", "--size", "nope"], "size"),
        (["old.png", "--nope", "9"], "--nope"),
    ],
)
@pytest.mark.usefixtures("old")
def test_a_mistake_is_said(ask: Ask, words: list[str], said: str) -> None:
    ended = ask("redraw", *words)
    assert ended.code == (1 if words == ["gone.png"] else 2) and said in ended.err


def test_a_recipe_prints_another_output(ask: Ask, old: bytes) -> None:
    assert ask("recipe", "old.png", "-o", "small.png").out.endswith("--output small.png\n")
    assert 'output = ["small.png"]' in ask("recipe", "old.png", "-o", "small.png", "--form", "toml").out
    assert ask("recipe", "old.png", "old.png", "-o", "small.png").code == 2


@pytest.mark.parametrize("command", ["redraw", "recipe"])
def test_a_job_that_cannot_be_asked_for_is_told_with_its_file(command: str, ask: Ask, folder: Path) -> None:
    assert ask("heatmap", "-d", "4", "-n", "5", "-o", "a.json").code == 0
    text = Path("a.json").read_text(encoding="utf-8").replace('"length": 5', '"length": 0')
    Path("a.json").write_text(text, encoding="utf-8")
    refused = ask(command, "a.json")
    assert refused.code == 2 and "a.json stores a job that pecli cannot read: " in refused.err


def test_the_help_lists_what_all_figures_take_and_the_file_comes_first(ask: Ask, folder: Path) -> None:
    text = ask("redraw", "--help").out
    assert all(flag in text for flag in ("--json", "--quiet", "--lang", "--cmap", "--length", "redraw FILE --help"))
    assert ask("heatmap", "-d", "4", "-o", "a.json").code == 0
    for words in (["--cmap", "viridis", "a.json"], ["-q", "a.json", "-o", "b.json"]):
        ended = ask("redraw", *words)
        assert (ended.code, ended.out) == (2, "") and "the file comes first: pecli redraw FILE --" in ended.err


def test_what_other_formats_have_is_left_out(ask: Ask, folder: Path) -> None:
    assert ask("heatmap", "--base", "2,10", "-d", "4", "-n", "5", "--pages", "-o", "a.pdf", "-o", "a.json").code == 0
    assert "--pages" in ask("recipe", "a.pdf").out and "--pages" not in ask("recipe", "a.json").out
    for file in ("a.pdf", "a.json"):
        assert ask("redraw", file, "--dpi", "30", "-o", "b.json").code == 0
    assert ask("heatmap", "-d", "4", "-n", "5", "--headline", "H", "--title", "T", "-o", "c.json").code == 0
    assert ask("redraw", "c.json", "--plain", "-o", "d.json").code == 0
    assert ask("recipe", "d.json").out == "pecli heatmap --d 4 --length 5 --plain --output d.json\n"


@pytest.mark.long
def test_a_table_that_the_picture_was_drawn_from_is_read_wherever_it_lies(ask: Ask, folder: Path) -> None:
    np.save("t.npy", np.eye(4))
    assert ask("heatmap", "learned:file=t.npy", "-o", "figs/a.png").code == 0
    assert ask("redraw", "figs/a.png", "--dpi", "30", "-o", "b.png").code == 0
    np.save("t.npy", np.ones((4, 4)))  # another of the same name
    ended = ask("redraw", "figs/a.png", "--dpi", "30", "-o", "c.png")
    assert ended.code == 2 and "name it: --file t.npy" in ended.err


def test_another_encoding_keeps_the_numbers_that_it_takes(ask: Ask, old: bytes) -> None:
    for given, now in (
        (["rope"], "--encoding rope --d 6 --base 10"),
        (["rope:base=5"], "--encoding rope --d 6 --base 5"),
        (["rope", "-d", "4"], "--encoding rope --d 4 --base 10"),
        (["binary"], "--encoding binary --d 6"),
        (["clock"], "--encoding clock"),
    ):
        assert ask("redraw", "old.png", "-e", *given, "-o", "new.json").code == 0
        assert ask("recipe", "new.json").out == f"pecli heatmap {now} --length 9 --dpi 30 --output new.json\n"
