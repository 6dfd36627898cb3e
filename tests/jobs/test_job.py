"""Tests of `Job`, made from a command line, from a file's metadata or from Python code."""

from __future__ import annotations

import json
import shlex
from collections.abc import Callable
from typing import Any

import pytest

from pecli.core.errors import UsageError
from pecli.encodings.sinusoidal import Sinusoidal
from pecli.figures.heatmap import Heatmap
from pecli.jobs.picture import Picture
from pecli.jobs.sweep import make_job
from pecli.jobs.text import command

JOBS: list[tuple[str, dict[str, Any]]] = [
    ("heatmap", {}),
    ("heatmap", {"base": 10, "d": 7, "start": -5, "title": "位置 \"编码\" 'k' = 10, $x$ & <b>"}),
    ("heatmap", {"encoding": "sinusoidal:layout=concatenated", "no_title": True}),
    ("distance", {"measure": "dot", "length": 97, "size": "5x3.5", "dpi": 30, "cmap": "PiYG"}),
    ("scatter", {"x": "cos", "triangle": "upper", "base": 0.1}),
    ("curves", {"at": [-3, 0, 5], "start": -3, "length": 11, "font": "DejaVu Serif"}),
    ("overview", {"panels": ["curves", "heatmap"], "title": ""}),
]
jobs = pytest.mark.parametrize(("name", "options"), JOBS, ids=str)


def test_the_defaults_are_the_articles() -> None:
    job = make_job("heatmap", {})
    assert job.figure == Heatmap()
    assert job.encodings == (Sinusoidal(d=128, base=10000),)
    assert (job.positions.length, job.positions.start) == (200, 0)


@pytest.mark.parametrize(
    ("figure", "options", "words"),
    [
        ("heatmpa", {}, ["heatmpa", "did you mean 'heatmap'"]),
        ("heatmap", {"lenght": 5}, ["lenght", "did you mean 'length'"]),
        ("heatmap", {"measure": "dot"}, ["measure"]),
        ("heatmap", {"encoding": "sinusoidl"}, ["did you mean 'sinusoidal'"]),
        ("distance", {"measure": "euclid"}, ["did you mean 'euclidean'"]),
        ("heatmap", {"encoding": ["sinusoidal", "sinusoidal:base=10"]}, ["one encoding", "2 are given"]),
        ("heatmap", {"output": "a.pgn"}, ["did you mean 'png'"]),
        ("heatmap", {"output": ["a.png", "a.png"]}, ["twice"]),
        ("heatmap", {"output": "a.png", "format": "svg"}, [".png", "svg"]),
        ("heatmap", {"output": "a"}, ["a.png"]),
        ("heatmap", {"base": float("nan")}, ["base", "finite"]),
    ],
)
def test_what_cannot_be_is_refused_before_anything_is_computed(
    figure: str, options: dict[str, Any], words: list[str]
) -> None:
    with pytest.raises(UsageError) as caught:
        make_job(figure, options)
    assert [word for word in words if word not in str(caught.value)] == []


@jobs
def test_metadata_is_ascii_and_makes_the_job_again(name: str, options: dict[str, Any]) -> None:
    job = make_job(name, options)
    assert job.metadata.isascii()
    values = json.loads(job.metadata)["job"]
    assert make_job(values.pop("command"), values) == job


@pytest.mark.some(7)
@jobs
def test_the_command_line_makes_the_job_again(
    name: str, options: dict[str, Any], ask: Callable[..., Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    made = []

    def stop(picture: Picture[Any], _: list[str]) -> None:
        made.append(picture.job)
        raise KeyboardInterrupt

    monkeypatch.setattr(Picture, "pieces", stop)
    job = make_job(name, {**options, "output": ["out put.svg", "b.npz"]})
    program, *words = shlex.split(command(job))
    assert ask(*words).code == 130
    assert (program, made) == ("pecli", [job])


def test_different_jobs_have_different_salts() -> None:
    salts = {make_job(name, options).id_prefix() for name, options in JOBS}
    assert len(salts) == len(JOBS)
    assert make_job("heatmap", {}).id_prefix() == make_job("heatmap", {}).id_prefix()
    assert all(salt.isidentifier() for salt in salts)


def test_numbers_that_memory_cannot_hold_are_refused() -> None:
    with pytest.raises(UsageError, match="TiB"):
        make_job("distance", {"length": 10**6, "output": "a.npy"}).check()
    with pytest.raises(UsageError, match="EiB"):
        make_job("distance", {"length": 10**9, "output": "a.npy"}).check()
    make_job("heatmap", {"length": 10**9}).check()  # the picture needs no more than its pixels


def test_one_table_formats_refuse_several_tables() -> None:
    with pytest.raises(UsageError, match=r"\.npz"):
        make_job("overview", {"output": "a.csv"}).check()


def test_a_figure_s_own_defaults_give_way_to_a_spec_and_that_to_an_option() -> None:
    assert make_job("terms", {}).encodings[0].settings()["d"] != make_job("heatmap", {}).encodings[0].settings()["d"]
    assert make_job("terms", {"encoding": "sinusoidal:d=6"}).encodings[0].settings()["d"] == 6
    assert make_job("terms", {"encoding": "sinusoidal:d=6", "d": 10}).encodings[0].settings()["d"] == 10
