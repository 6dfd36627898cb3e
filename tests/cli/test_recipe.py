"""Tests of `pecli recipe`: the command lines and batch files that make finished files again."""

from __future__ import annotations

import json
import os
import shlex
import tomllib
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from PIL import Image

from pecli.jobs.text import toml
from tests.conftest import Ask

SMALL = ("-d", "4", "-n", "5", "--dpi", "20")
CASES: list[tuple[str, ...]] = [
    ("heatmap", *SMALL, "-k", "10", "-o", "a.json"),
    ("curves", *SMALL, "--at", "1,-3", "--start", "-3", "--title", "位置 \"k\" = '10' & \\ $x", "-o", "b.json"),
    ("offsets", *SMALL, "-e", "rope", "-e", "sinusoidal:base=0.1", "--log", "-o", "c {{d}}.json"),
    ("compare", "rope:d=4", "clock:periods=60,3600.5", "--figure", "distance", "-m", "dot", "-n", "5", "-o", "d.json"),
    ("heatmap", "-n", "5", "--no-title", "--size", "5x3.5", "--cmap", "PiYG", "-e", "clock", "-o", "e.json"),
    ("table", "-n", "5", "-d", "4", "-o", "f.json"),
    ("waves", *SMALL, "-o", "g.json"),
    ("heatmap", *SMALL, "-k", "10,100", "-e", "rope", "-e", "sinusoidal", "-o", "h.json"),  # one file of a sweep
    ("dials", "--dpi", "20", "-e", "clock", "--at", "1", "--at", "2", "-o", "i.json"),
]
FILES = ["a.json", "b.json", "c {d}.json", "d.json", "e.json", "f.json", "g.json", "h.json", "i.json"]


@pytest.fixture
def made(ask: Ask, folder: Path) -> dict[str, bytes]:
    """Files of several jobs."""
    for words in CASES:
        ended = ask(*words)
        assert (ended.code, ended.err) == (0, "")
    assert sorted(path.name for path in folder.iterdir()) == FILES
    return {name: Path(name).read_bytes() for name in FILES}


def remove(files: list[str]) -> None:
    for name in files:
        Path(name).unlink()


def test_one_file_is_a_command_line_that_makes_it_again(ask: Ask, made: dict[str, bytes]) -> None:
    for name, data in made.items():
        ended = ask("recipe", name)
        assert (ended.code, ended.err, ended.out.count("\n")) == (0, "", 1)
        program, *words = shlex.split(ended.out)
        remove([name])
        assert program == "pecli" and ask(*words).code == 0
        assert Path(name).read_bytes() == data


@pytest.mark.long
def test_several_files_are_a_batch_file_that_skips_and_makes_them(ask: Ask, made: dict[str, bytes]) -> None:
    ended = ask("recipe", *made)
    assert (ended.code, ended.err) == (0, "")
    assert [
        figure["output"] for figure in tomllib.loads(ended.out.replace("{{", "{").replace("}}", "}"))["figure"]
    ] == [[name] for name in FILES]
    Path("figures.toml").write_text(ended.out, encoding="utf-8")
    ended = ask("batch", "figures.toml", "-j", "1")
    assert ended.code == 0
    assert f"0 written, {len(FILES)} skipped, 0 failed" in ended.err and ended.out == ""
    remove(FILES)
    assert ask("batch", "figures.toml", "-j", "1").out.splitlines() == FILES
    assert {name: Path(name).read_bytes() for name in FILES} == made


@pytest.mark.long
def test_form_gives_either_of_either(ask: Ask, made: dict[str, bytes]) -> None:
    assert ask("recipe", "a.json", "--form", "toml").out.startswith('[[figure]]\ncommand = "heatmap"\n')
    lines = ask("recipe", "a.json", "b.json", "--form", "command").out.splitlines()
    assert [line.split()[:2] for line in lines] == [["pecli", "heatmap"], ["pecli", "curves"]]
    assert ask("recipe", "a.json", "--form", "command").out == ask("recipe", "a.json").out
    assert ask("recipe", "a.json", "b.json", "--form", "toml").out == ask("recipe", "a.json", "b.json").out
    refused = ask("recipe", "a.json", "--form", "yaml")
    assert refused.code == 2 and "command, toml" in refused.err


@pytest.fixture
def strange(folder: Path) -> Path:
    """Files that pecli did not make."""
    Image.new("RGB", (3, 3)).save(folder / "foreign.png")
    (folder / "text.png").write_text("no picture")
    (folder / "empty.pdf").write_bytes(b"")
    (folder / "foreign.pdf").write_bytes(b"%PDF-1.4\n%%EOF\n")
    (folder / "foreign.svg").write_text('<svg xmlns="http://www.w3.org/2000/svg"/>')
    (folder / "bomb.svg").write_text('<!DOCTYPE x [<!ENTITY a "b">]><svg>&a;</svg>')
    (folder / "foreign.json").write_text('{"job": 5}')
    (folder / "older.json").write_text('{"job": {"command": "heatmap", "lenght": 5}}')
    np.save(folder / "a.npy", np.eye(3))
    np.savez(folder / "foreign.npz", a=np.eye(3))
    np.savez(folder / "pickled.npz", job=np.array([{}], dtype=object))
    return folder


@pytest.mark.parametrize(
    ("name", "code", "words"),
    [
        ("foreign.png", 1, ["stores no job"]),
        ("text.png", 1, ["could not be read"]),
        ("empty.pdf", 1, ["could not be read"]),
        ("foreign.pdf", 1, ["stores no job"]),
        ("foreign.svg", 1, ["stores no job"]),
        ("bomb.svg", 1, ["stores no job"]),
        ("foreign.json", 1, ["stores no job"]),
        ("older.json", 2, ["lenght", "did you mean 'length'"]),
        ("foreign.npz", 1, ["stores no job"]),
        ("pickled.npz", 1, ["could not be read"]),
        ("a.npy", 1, ["stores no job", ".png", ".json"]),
        ("none.png", 1, ["not exist"]),
        ("none", 1, ["none"]),
    ],
)
def test_a_file_without_a_job_is_refused_by_name(
    name: str, code: int, words: list[str], ask: Ask, strange: Path
) -> None:
    ended = ask("recipe", name)
    assert (ended.code, ended.out) == (code, "")
    assert [word for word in words if word not in ended.err] == []
    assert name in ended.err or name == "older.json"
    assert ended.err.startswith("pecli: ") and ended.err.count("\n") == 1


@pytest.mark.parametrize(
    "value", ["\x7f", "a\tb\nc", "\\", '"', "位置", "\U0001d53c", True, 0.1, 10**15, ["a", "b,c"], []]
)
def test_what_is_written_as_toml_reads_back(value: object) -> None:
    assert tomllib.loads(f"x = {toml(value)}") == {"x": value}


@pytest.mark.long
@pytest.mark.parametrize(("made_in", "output", "table", "stands_in", "said"), [
    (".", "l.json", "own.npy", "sub", "../own.npy"),
    (".", "l.json", "tables/own.npy", "sub", "../tables/own.npy"),
    (".", "l.json", "tables/own.npy", "tables", "own.npy"),
    ("a", "../l.json", "../own.npy", ".", "own.npy"),
    (".", "l.json", "own.npy", ".", "own.npy"),
])  # fmt: skip
def test_a_recipe_names_tables_as_seen_from_here(
    ask: Ask, folder: Path, monkeypatch: pytest.MonkeyPatch, made_in: str, output: str, table: str, stands_in: str,
    said: str,
) -> None:  # fmt: skip
    for name in (made_in, stands_in, Path(table).parent):
        (folder / name).mkdir(exist_ok=True)
    monkeypatch.chdir(folder / made_in)
    np.save(table, np.ones((5, 4)))
    line = ("heatmap", "-e", "learned", "--file", table, "-o")
    assert ask(*line, output).code == 0
    picture = folder / made_in / output
    monkeypatch.chdir(folder / stands_in)
    if not os.path.exists("own.npy"):
        np.save("own.npy", np.zeros((5, 4)))  # of the same name, and another
    ended = ask("recipe", os.path.relpath(picture))
    assert f"--file {said} " in ended.out and ended.err == ""
    again = shlex.split(ended.out)[1:-1]
    assert ask(*again, "again.json").code == 0
    assert Path("again.json").stat().st_size > 0
    assert ask("redraw", os.path.relpath(picture), "-o", "once_more.json").code == 0
    assert Path("once_more.json").read_bytes() == Path("again.json").read_bytes()


def test_a_caption_is_a_footnote(ask: Ask, folder: Path) -> None:
    assert ask("heatmap", "-n", "3", "-d", "4", "--caption", "mine", "-o", "a.png").code == 0
    assert "--footnote mine" in ask("recipe", "a.png").out


@pytest.mark.long
@pytest.mark.parametrize("output", ["l.json", "out/l.json"])
def test_a_table_that_is_not_beside_its_picture_is_said(ask: Ask, folder: Path, output: str) -> None:
    np.save("own.npy", np.ones((5, 4)))
    assert ask("heatmap", "-e", "learned", "--file", "own.npy", "-o", output).code == 0
    Path("own.npy").unlink()
    ended = ask("recipe", output)
    assert "--file own.npy" in ended.out
    where = "its path is relative to the folder where that file was made"
    assert ended.err == f"pecli: own.npy is not found beside {output}: {where}\n"
    assert ask("recipe", output, "--json").code == 0


def test_a_table_is_taken_from_beside_its_picture_only_with_the_same_numbers(ask: Ask, folder: Path) -> None:
    np.save("own.npy", np.ones((5, 4)))
    assert ask("heatmap", "-e", "learned", "--file", "own.npy", "-o", "a.json").code == 0
    (folder / "sub").mkdir()
    Path("a.json").rename("sub/a.json")
    np.save("sub/own.npy", np.ones((5, 4)))
    np.save("own.npy", np.zeros((5, 4)))
    assert "--file sub/own.npy" in ask("recipe", "sub/a.json").out
    assert ask("redraw", "sub/a.json", "-o", "b.json").code == 0
    np.save("sub/own.npy", np.zeros((5, 4)))
    assert "own.npy is not found beside sub/a.json" in ask("recipe", "sub/a.json").err


@pytest.mark.parametrize("several", [{"encoding": ["sinusoidal", "sinusoidal"]}, {"style": ["ggplot", "classic"]}])
def test_a_job_of_several_pictures_that_are_not_one_is_refused(several: dict[str, Any], ask: Ask, folder: Path) -> None:
    (folder / "bad.json").write_text(json.dumps({"job": {"command": "heatmap", **several}, "pecli": "1"}))
    ended = ask("recipe", "bad.json")
    assert ended.code == 2 and ended.err.startswith("pecli: bad.json stores a job")
    assert next(iter(several)) in ended.err


def test_a_style_is_found_beside_its_picture_and_a_batch_file_names_nothing_above_it(
    ask: Ask, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("sub/styles", "here"):
        (folder / name).mkdir(parents=True)
    for number, style in enumerate(("my.mplstyle", "styles/own.mplstyle")):
        (folder / "sub" / style).write_text("image.cmap: Greys\n")
        monkeypatch.chdir(folder / "sub")
        assert ask("heatmap", "-d", "4", "-n", "5", "--dpi", "20", "--style", style, "-o", f"{number}.png").code == 0
        monkeypatch.chdir(folder / "here")
        assert f"--style ../sub/{style} " in ask("recipe", f"../sub/{number}.png").out
        assert ask("redraw", f"../sub/{number}.png", "-o", f"again{number}.png").code == 0
    ended = ask("recipe", "../sub/0.png", str(folder / "sub" / "1.png"))
    assert ended.err.startswith("pecli: ../sub/0.png is outside this folder: the batch file writes sub/0.png instead\n")
    Path("f.toml").write_text(ended.out, encoding="utf-8")
    assert ask("batch", "f.toml", "-q", "-j", "1").out.split() == ["sub/0.png", "sub/1.png"]
