"""Tests of every command: options, written files, and printed output."""

from __future__ import annotations

import errno
import json
import os
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from PIL import Image

import pecli
from pecli.analysis import Analysis
from pecli.cli.figures import job_parameters
from pecli.encodings.registry import ENCODINGS
from pecli.jobs.job_options import ANALYSES, known_options
from tests.conftest import Ask

SMALL = ("-d", "7", "-n", "11", "--dpi", "30", "--size", "column")
analyses = pytest.mark.parametrize("analysis", ANALYSES.values(), ids=ANALYSES)


@pytest.mark.some(2)
@analyses
def test_every_option_of_a_study_is_an_option_of_its_command(analysis: type[Analysis[Any]]) -> None:
    names = {parameter.name for parameter in job_parameters(analysis)}
    others = {name for encoding in ENCODINGS.values() if not analysis.takes(encoding) for name in encoding.options()}
    taken = {name for encoding in ENCODINGS.values() if analysis.takes(encoding) for name in encoding.options()}
    assert names >= set(known_options(analysis)) - (others - taken)


@pytest.mark.long
def test_outputs_are_written_in_one_go_and_told(ask: Ask, folder: Path) -> None:
    (folder / "a.png").write_bytes(b"old")
    ended = ask("heatmap", *SMALL, "-o", "a.png", "--output", "new/b.svg", "-o", "c.npy")
    assert (ended.code, ended.out, ended.err) == (0, "a.png\nnew/b.svg\nc.npy\n", "")
    assert np.array_equal(np.load(folder / "c.npy"), pecli.encode(d=7, length=11))
    with Image.open(folder / "a.png") as image:
        image.load()
    assert ask("heatmap", *SMALL, "-q", "-o", "a.png")[:3] == (0, "a.png\n", "")
    ended = ask("heatmap", *SMALL, "-v", "-o", "a.png")
    assert ended.out == "a.png\n"
    assert "pecli heatmap --d 7 --length 11 --size column --dpi 30 --output a.png" in ended.err


@pytest.fixture
def second_fails(monkeypatch: pytest.MonkeyPatch) -> None:
    """The disk is full when the second file takes its place."""
    replace, done = os.replace, []

    def once(temporary: str, target: str) -> None:
        done.append(target)
        if len(done) > 1:
            raise OSError(errno.ENOSPC, "No space left on device")
        replace(temporary, target)

    monkeypatch.setattr("pecli.files.writer.os.replace", once)


@pytest.mark.usefixtures("second_fails")
def test_what_is_written_before_a_failure_is_told(ask: Ask, folder: Path) -> None:
    ended = ask("heatmap", *SMALL, "-o", "a.npy", "-o", "new/b.npy", "-o", "c.npy")
    assert (ended.code, ended.out) == (1, "a.npy\n") and "new/b.npy could not be written" in ended.err
    assert [path.name for path in folder.rglob("*.npy")] == ["a.npy"]


@pytest.mark.usefixtures("second_fails")
def test_a_sweep_that_fails_prints_the_finished_ones_as_json(ask: Ask, folder: Path) -> None:
    ended = ask("heatmap", *SMALL, "--base", "10,100,1000", "--json", "-o", "{base}.npy")
    assert ended.code == 1 and "100.npy could not be written" in ended.err
    results = json.loads(ended.out)["results"]
    assert [item["path"] for result in results for item in result["files"]] == ["10.npy"]


@pytest.mark.long
def test_a_dash_writes_the_bytes_to_stdout_and_nothing_else(ask: Ask, folder: Path) -> None:
    ended = ask("heatmap", *SMALL, "-o", "-")
    assert ended.data == pecli.figure("heatmap", d=7, length=11, dpi=30, size="column").render("png")[0]
    assert ask("heatmap", *SMALL, "-o", "-", "--format", "csv").out.startswith("positions,0,1,2,3,4,5,6\n")
    assert list(folder.iterdir()) == []


def test_json_has_path_bytes_job_and_key_numbers(ask: Ask, folder: Path) -> None:
    ended = ask("distance", *SMALL, "--json", "-o", "a.png", "-o", "b.svg")
    (found,) = json.loads(ended.out)["results"]
    assert found["files"] == [{"path": name, "bytes": (folder / name).stat().st_size} for name in ("a.png", "b.svg")]
    assert found["job"]["command"] == "distance" and ended.err == ""
    assert found["facts"]["largest"] == pecli.figure("distance", d=7, length=11).numbers.facts()["largest"]
    (found,) = json.loads(ask("scatter", "-d", "1", "-n", "5", "--dpi", "20", "--json", "-o", "a.json").out)["results"]
    assert (found["facts"]["undefined"], found["facts"].get("pearson")) == (10, None)


@pytest.mark.long
@pytest.mark.parametrize("batch", [False, True])
def test_no_clobber_writes_the_files_that_are_missing(batch: bool, ask: Ask, folder: Path) -> None:
    (folder / "a.csv").write_bytes(b"old")
    (folder / "b.toml").write_text(
        '[[figure]]\ncommand = "heatmap"\nlength = 3\noutput = ["a.csv", "b.csv"]\nno_clobber = true\n'
    )
    words = ["batch", "b.toml"] if batch else ["heatmap", "-n", "3", "--no-clobber", "-o", "a.csv", "-o", "b.csv"]
    ended = ask(*words)
    assert (ended.code, ended.out) == (0, "b.csv\n") and "a.csv exists and is kept" in ended.err
    (folder / "b.csv").write_bytes(b"old")
    again = ask(*words)
    assert (again.code, again.out, again.err.count("exists and is kept")) == (0, "", 2)
    assert {(folder / name).read_bytes() for name in ("a.csv", "b.csv")} == {b"old"}


def test_version_is_the_packages(ask: Ask) -> None:
    assert ask("--version").out == f"pecli {pecli.__version__}\n"
