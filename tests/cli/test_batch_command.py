"""Tests of `pecli batch`, and of sweeps in every command."""

from __future__ import annotations

import json
import os
import re
import shlex
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from PIL import Image
from typer.testing import CliRunner

from pecli.cli.app import app
from pecli.jobs.picture import Picture

Ask = Callable[..., Any]
SMALL = ("-n", "5", "--dpi", "20")
DEFAULTS = '[defaults]\nd = 4\nlength = 5\ndpi = 20\nsize = "column"\n'
FIGURES = f"""{DEFAULTS}
[[figure]]
command = "heatmap"
name = "heat"
base = [10, 100]
title = "it's \\"k\\" & 位置"
output = ["x/heat-{{base}}.json", "{{{{base}}}}-{{base}}.npz"]

[[figure]]
command = "waves"
name = "waves"
dims = [[0, 1], [2]]
start = -3
output = "w{{dims}}.json"

[[figure]]
command = "offsets"
encoding = ["sinusoidal", "rope:base=5e5"]
log = true
output = "offsets.json"
"""
FILES = [
    ["x/heat-10.json", "{base}-10.npz"],
    ["x/heat-100.json", "{base}-100.npz"],
    ["w0_1.json"],
    ["w2.json"],
    ["offsets.json"],
]
ALL = [name for names in FILES for name in names]


def left(folder: Path) -> set[str]:
    return {path.relative_to(folder).as_posix() for path in folder.rglob("*") if path.is_file()}


@pytest.fixture
def figures(folder: Path) -> Path:
    """Return a folder with a batch file of five results."""
    (folder / "figures.toml").write_text(FIGURES, encoding="utf-8")
    return folder


def counts(said: str) -> tuple[int, ...]:
    """Written, skipped, failed, as the last line says."""
    found = re.search(r"(\d+) written, (\d+) skipped, (\d+) failed", said)
    assert found is not None, said
    return tuple(map(int, found.groups()))


# Sweeps on the command line


@pytest.mark.long
def test_several_values_are_every_combination_in_one_process(ask: Ask, folder: Path) -> None:
    words = ("heatmap", "--base", "10", "--base", "100", "--d", "4,8", *SMALL, "-o", "x/heat-{base}-{d}.png")
    ended = ask(*words)
    names = [f"x/heat-{base}-{d}.png" for base in (10, 100) for d in (4, 8)]
    assert (ended.code, ended.err, sorted(ended.out.splitlines())) == (0, "", sorted(names))
    assert left(folder) == set(names)
    assert len({(folder / name).read_bytes() for name in names}) == 4


def test_a_sweep_to_standard_output_is_refused(ask: Ask) -> None:
    ended = ask("heatmap", *SMALL, "--cmap", "viridis,magma", "-o", "-")
    assert (ended.code, ended.data) == (2, b"")


# Batch files


@pytest.mark.long
def test_a_batch_makes_every_file_and_says_so(ask: Ask, figures: Path) -> None:
    ended = ask("batch", "figures.toml", "-j", "1")
    assert ended.code == 0
    assert ended.out.splitlines() == ALL
    assert left(figures) == {*ALL, "figures.toml"}
    first, *_, last = ended.err.splitlines()
    assert first == "pecli: [1/5] written x/heat-10.json {base}-10.npz"
    assert counts(last) == (5, 0, 0)


@pytest.mark.long
def test_what_is_there_already_is_skipped_and_force_draws_it(ask: Ask, figures: Path) -> None:
    ask("batch", "figures.toml", "-j", "1")
    ended = ask("batch", "figures.toml", "-j", "1")
    assert (ended.code, ended.out, counts(ended.err)) == (0, "", (0, 5, 0))
    (figures / "w2.json").unlink()
    ended = ask("batch", "figures.toml", "-j", "1")
    assert (ended.out, counts(ended.err)) == ("w2.json\n", (1, 4, 0))
    assert counts(ask("batch", "figures.toml", "-j", "1", "--force").err) == (5, 0, 0)


@pytest.mark.long
def test_the_lines_of_a_dry_run_make_what_the_batch_makes(ask: Ask, figures: Path) -> None:
    for line in ask("batch", "figures.toml", "--dry-run").out.splitlines():
        program, *words = shlex.split(line)
        assert (program, ask(*words).code) == ("pecli", 0)
    assert left(figures) == {*ALL, "figures.toml"}
    lines = {name: (figures / name).read_bytes() for name in ALL}
    assert counts(ask("batch", "figures.toml", "-j", "1").err) == (0, 5, 0)
    ask("batch", "figures.toml", "-j", "1", "--force")
    assert {name: (figures / name).read_bytes() for name in ALL} == lines


def test_outputs_stand_beside_the_file_or_in_the_folder(ask: Ask, folder: Path) -> None:
    (folder / "sub").mkdir()
    (folder / "sub/f.toml").write_text(DEFAULTS + '[[figure]]\ncommand = "heatmap"\noutput = "a.json"\n')
    assert ask("batch", "sub/f.toml", "-j", "1").out == "sub/a.json\n"
    assert ask("batch", "sub/f.toml", "-j", "1", "--folder", "new/out").out == "new/out/a.json\n"
    assert left(folder) == {"sub/f.toml", "sub/a.json", "new/out/a.json"}


@pytest.mark.long
@pytest.mark.parametrize("extra", [(), ("--dry-run",)])
def test_standard_input_is_a_file_too(extra: tuple[str, ...], folder: Path) -> None:
    ended = CliRunner().invoke(app, ["batch", "-", "-j", "1", *extra], input=FIGURES.encode())
    assert ended.exit_code == 0
    assert left(folder) == (set() if extra else set(ALL))
    assert len(ended.stdout.splitlines()) == (5 if extra else len(ALL))


@pytest.mark.long
def test_only_some_may_be_drawn(ask: Ask, figures: Path) -> None:
    assert ask("batch", "figures.toml", "-j", "1", "--only", "waves").out.splitlines() == ["w0_1.json", "w2.json"]
    ended = ask("batch", "figures.toml", "-j", "1", "--only", "heat-1?.json", "--only", "w*")
    assert (ended.out.splitlines(), counts(ended.err)) == (FILES[0], (1, 2, 0))
    assert "offsets.json" not in left(figures)


def test_shards_share_out_all_pictures(ask: Ask, figures: Path) -> None:
    parts = [ask("batch", "figures.toml", "--shard", f"{part}/3", "--dry-run").out.splitlines() for part in (1, 2, 3)]
    assert [len(part) for part in parts] == [2, 2, 1]
    assert sorted(line for part in parts for line in part) == sorted(
        ask("batch", "figures.toml", "--dry-run").out.splitlines()
    )
    assert parts[1] == ask("batch", "figures.toml", "--shard", "2/3", "--dry-run").out.splitlines()
    assert counts(ask("batch", "figures.toml", "-j", "1", "--shard", "9/9").err) == (0, 0, 0)


def test_a_wrong_file_says_everything_at_once_and_draws_nothing(ask: Ask, figures: Path) -> None:
    wrong = FIGURES + '\n[[figure]]\ncommand = "heatmpa"\n\n[[figure]]\ncommand = "heatmap"\nd = true\n'
    (figures / "figures.toml").write_text(wrong, encoding="utf-8")
    line = wrong.splitlines().index('command = "heatmpa"') + 1  # the line of the key
    ended = ask("batch", "figures.toml", "-j", "1")
    assert (ended.code, ended.out) == (2, "")
    first, second = ended.err.splitlines()
    assert first.startswith(f"pecli: figures.toml:{line}: figure 4") and "did you mean 'heatmap'" in first
    assert second.startswith(f"pecli: figures.toml:{line + 4}: figure 5") and "d is not allowed" in second
    assert left(figures) == {"figures.toml"}


@pytest.mark.some(4)
@pytest.mark.parametrize(
    ("words", "said"),
    [
        ((), "--init"),
        (("figures.toml", "-j", "0"), "jobs"),
        (("figures.toml", "-j", "2", "--dask", "tcp://127.0.0.1:9"), "leave one of them out"),
        (("figures.toml", "--only", "heta"), "'heta'; did you mean 'heat'? (known: heat, waves, offsets.json)"),
        *(
            (("figures.toml", f"--shard={part}"), "with K from 1 to N, such as 3/16")
            for part in ("0/3", "4/3", "3", "1/3/5", "a/b", "", "1e9/1e9")
        ),
        (("figures.toml", "--index", "a.txt", "--dry-run", "extra"), "extra"),
    ],
)
def test_what_is_asked_wrongly_ends_with_2(words: tuple[str, ...], said: str, ask: Ask, figures: Path) -> None:
    ended = ask("batch", *words)
    assert (ended.code, ended.out) == (2, "")
    assert said in ended.err
    assert left(figures) == {"figures.toml"}


UNDRAWABLE = """[defaults]
length = 5
d = 4
[[figure]]
command = "heatmap"
size = "0.6x0.6"
output = "first.svg"
[[figure]]
command = "heatmap"
name = "small"
size = "0.6x0.6"
output = ["m.png", "m.npz"]
[[figure]]
command = "heatmap"
output = "good.json"
"""
PLACES = ["undrawable.toml:4: figure 1", "undrawable.toml:8: figure 2 (small)"]


@pytest.fixture
def undrawable(folder: Path) -> Path:
    """Return a folder with a batch file of which one picture in three can be drawn: the others do not fit their
    size.
    """
    (folder / "undrawable.toml").write_text(UNDRAWABLE, encoding="utf-8")
    return folder


def places(said: str) -> list[str]:
    """Return the places of the lines that tell a failure."""
    return re.findall(r"^pecli: (undrawable.toml:\d+: figure \d(?: \(small\))?): ", said, re.M)


@pytest.mark.long
@pytest.mark.parametrize("extra", [("-j", "2"), ("-q", "-j", "1")])
def test_what_cannot_be_drawn_is_named_and_the_others_are_drawn(
    ask: Ask, undrawable: Path, extra: tuple[str, ...]
) -> None:
    ended = ask("batch", "undrawable.toml", *extra)
    assert (ended.code, ended.out) == (1, "good.json\n")
    assert sorted(places(ended.err)) == PLACES
    assert left(undrawable) == {"undrawable.toml", "good.json"}
    assert "-q" in extra or counts(ended.err) == (1, 0, 2)
    fast = ask("batch", "undrawable.toml", "--fail-fast", "-j", "1", "--force")  # what failed never looks done
    assert (fast.code, places(fast.err)) == (1, PLACES[:1]) and fast.err.endswith("pecli: 2 not started\n")


@pytest.mark.long
def test_results_have_what_could_not_be_drawn_under_the_same_keys(ask: Ask, undrawable: Path) -> None:
    ended = ask("batch", "undrawable.toml", "--json", "-j", "1")
    results = json.loads(ended.out)["results"]
    assert [result["state"] for result in results] == ["failed", "failed", "written"] and ended.code == 1
    assert {tuple(sorted(result.keys())) for result in results} == {tuple(sorted(results[2].keys()))}
    assert [result["where"] for result in results[:2]] == PLACES and results[1]["job"]["size"] == "0.6x0.6"


def test_a_person_is_shown_a_table_of_what_failed(ask: Ask, undrawable: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("pecli.cli.batch.supports_animation", lambda: True)
    monkeypatch.setenv("COLUMNS", "160")
    ended = ask("batch", "undrawable.toml", "-q", "-j", "1")
    rows = [re.split("  +", line.strip())[:2] for line in ended.err.splitlines() if "   " in line.strip()]
    assert ended.code == 1 and rows == [["place", "file"], [PLACES[0], "first.svg"], [PLACES[1], "m.png m.npz"]]


def test_a_page_does_not_show_what_was_not_drawn(ask: Ask, undrawable: Path) -> None:
    assert ask("batch", "undrawable.toml", "--index", "p.md", "--index", "p.html").code == 1
    markdown, web = Path("p.md").read_text(encoding="utf-8"), Path("p.html").read_text(encoding="utf-8")
    assert markdown.count("Not drawn: ") == web.count("Not drawn: ") == 2
    assert "first.svg)" not in markdown and "<img" not in web and "(good.json)" in markdown and 'good.json"' in web
    assert "Not drawn: size = 0.6x0.6 is too small" in markdown and "## small" in markdown


@pytest.mark.long
def test_quiet_leaves_plain_lines_of_what_was_written(ask: Ask, figures: Path) -> None:
    ended = ask("batch", "figures.toml", "-j", "1", "-q", "--index", "README.md")
    assert (ended.code, ended.err) == (0, "")
    assert all(Path(line).is_file() for line in ended.out.splitlines()) and len(ended.out.splitlines()) == 8
    ended = ask("batch", "figures.toml", "-j", "1", "-q", "--index", "README.md")
    assert (ended.code, ended.out, ended.err) == (0, "", "")
    assert left(figures) == {*ALL, "figures.toml", "README.md"}


# The starting file


@pytest.mark.long
@pytest.mark.parametrize("name", ["", "new/mine.toml"])
def test_init_writes_a_file_that_works(name: str, ask: Ask, folder: Path) -> None:
    path = name or "pecli.toml"
    assert ask("batch", *([name] if name else []), "--init").out == f"{path}\n"
    text = Path(path).read_text(encoding="utf-8")
    assert f"pecli batch {path}" in text
    Path(path).write_text(
        text.replace('size = "column"', 'size = "column"\nlength = 5\nd = 4\ndpi = 20'), encoding="utf-8"
    )
    ended = ask("batch", path, "-j", "1")
    assert (ended.code, counts(ended.err)) == (0, (3, 0, 0))
    beside = Path(path).parent
    assert {(beside / item).is_file() for item in ("heat-10.png", "heat-10000.png", "rope.png", "rope.svg")} == {True}


def test_init_never_overwrites(ask: Ask, folder: Path) -> None:
    (folder / "pecli.toml").write_text("mine")
    ended = ask("batch", "--init")
    assert (ended.code, ended.out) == (1, "")
    assert "pecli.toml already exists" in ended.err
    assert (folder / "pecli.toml").read_text() == "mine"


def test_init_to_standard_output_is_a_batch_file(ask: Ask, folder: Path) -> None:
    text = ask("batch", "-", "--init").out
    assert left(folder) == set()
    (folder / "f.toml").write_text(text, encoding="utf-8")
    assert len(ask("batch", "f.toml", "--dry-run").out.splitlines()) == 3


# Failures


def test_an_interruption_says_how_many_are_done_and_the_next_run_goes_on(
    ask: Ask, figures: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    pieces, drawn = Picture.pieces, []

    def stop(picture: Picture[Any], formats: list[str]) -> Any:
        drawn.append(picture)
        if len(drawn) == 3:
            raise KeyboardInterrupt
        return pieces(picture, formats)

    with monkeypatch.context() as patch:
        patch.setattr(Picture, "pieces", stop)
        ended = ask("batch", "figures.toml", "-j", "1")
    assert ended.code == 130
    assert "2 written" in ended.err and "of 5" in ended.err
    assert left(figures) == {*FILES[0], *FILES[1], "figures.toml"}
    assert counts(ask("batch", "figures.toml", "-j", "1").err) == (3, 2, 0)


# Processes of their own

MANY = DEFAULTS + '[[figure]]\ncommand = "heatmap"\nbase = [{bases}]\noutput = "p/{{base}}.png"\n'


def many(count: int) -> str:
    return MANY.format(bases=", ".join(map(str, range(1, count + 1))))


@pytest.mark.long
@pytest.mark.posix
def test_a_signal_ends_it_at_once_and_files_are_whole_or_not_there(ask: Ask, folder: Path) -> None:
    (folder / "f.toml").write_text(many(8))
    with subprocess.Popen(
        [sys.executable, "-m", "pecli", "batch", "f.toml", "-j", "2"],
        cwd=folder,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,  # a group of its own, as a terminal gives it
    ) as running:
        until = time.monotonic() + 30
        while not list(folder.glob("p/[0-9]*.png")) and running.poll() is None and time.monotonic() < until:
            time.sleep(0.002)
        for _ in range(2):
            os.killpg(running.pid, signal.SIGTERM)
        out, text = running.communicate(timeout=30)
    found = sorted(path.name for path in (folder / "p").iterdir())
    assert running.returncode == 143
    assert "Traceback" not in text and " of 8; the same command continues from there" in text
    assert 0 < len(found) < 8
    assert all(re.fullmatch(r"\d+\.png", name) for name in found)  # no temporary file
    assert set(out.splitlines()) <= {f"p/{name}" for name in found}
    for name in found:
        with Image.open(folder / "p" / name) as image:
            image.load()
    assert counts(ask("batch", "f.toml", "-j", "1").err) == (8 - len(found), len(found), 0)
