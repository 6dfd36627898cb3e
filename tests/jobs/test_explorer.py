"""Tests of a figure on an interactive page: its controls, and the picture for any of their values."""

from __future__ import annotations

import base64
import io
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from PIL import Image

from pecli.core.errors import PecliError, UsageError
from pecli.figures import FIGURES
from pecli.jobs.explore import Explorer
from pecli.jobs.job_options import parameters_of
from pecli.jobs.sweep import make_job

SMALL = {"d": "8", "length": "9"}


def explorer(figure: str = "heatmap", **values: Any) -> Explorer:
    return Explorer(make_job(figure, {**SMALL, **values}))


def named(controls: list[dict[str, Any]]) -> dict[str, dict[str, Any]]:
    return {control["name"]: control for control in controls}


@pytest.mark.parametrize("figure", FIGURES)
def test_every_figure_has_its_options_as_controls(figure: str) -> None:
    made = Explorer(make_job(figure, {}))
    layout = made.layout()
    shown = {control["name"] for controls in layout["groups"].values() for control in controls}
    assert {name for name, option in FIGURES[figure].options().items() if not option.in_spec} <= shown
    assert {"cmap", "transparent"} <= shown and not {"fps", "loops"} & shown  # nothing moves on the page
    for item in (
        control for controls in layout["groups"].values() for control in controls if control["kind"] == "number"
    ):
        assert item["low"] <= float(item["value"]) <= item["high"] and (not item["log"] or item["low"] > 0)


def test_a_slider_keeps_the_bounds_and_the_scale_of_its_option() -> None:
    own = named(explorer(base="10").layout()["groups"]["encoding"])
    assert own["base"]["log"] and own["base"]["value"] == "10" and own["d"]["low"] == 1 and own["d"]["whole"]
    assert set(own) == set(parameters_of(["sinusoidal"]))


@pytest.mark.parametrize(
    ("values", "ends"),
    [  # bounds that are near, or ten times the default or the value
        ({}, {"d": (1, 1280), "base": (1.01, 1e7), "step": (0, 100), "length": (1, 2000), "start": (-10, 100),
              "dpi": (10, 1500)}),
        ({"d": 200, "step": 3}, {"d": (1, 2000), "step": (0, 100)}),
        ({"step": 20}, {"step": (0, 200)}),
        ({"base": 0.5, "start": 5000, "length": 3}, {"base": (0.5, 1e7), "start": (-5e4, 5e4), "length": (1, 2000)}),
        ({"base": 1e-9}, {"base": (1e-3, 1e7)}),
        ({"base": 1e5}, {"base": (1.01, 1e8)}),
    ],
)  # fmt: skip
def test_a_slider_ends_at_near_bounds_or_around_its_values(
    values: dict[str, Any], ends: dict[str, tuple[float, float]]
) -> None:
    groups = Explorer(make_job("heatmap", values)).layout()["groups"]
    found = {name: control for controls in groups.values() for name, control in named(controls).items()}
    assert {name: (found[name]["low"], found[name]["high"]) for name in ends} == ends


@pytest.mark.parametrize(
    ("figure", "encoding", "value", "kind", "parameters"),
    [
        ("heatmap", "rope:d=8", "rope", "choice", {"pairing", "base"}),
        ("heatmap", "rope:d=8,scaling=linear,factor=2", "rope:d=8,scaling=linear,factor=2", "choice", {"pairing"}),
        ("heatmap", "sinusoidal:family=timestep,flip=true", "sinusoidal:family=timestep,flip=true", "choice", {"d"}),
        ("heatmap", "learned:rows=300", "learned:rows=300", "choice", {"seed"}),
        ("offsets", "rope:d=8", "rope:d=8", "text", {"pairing", "base"}),
    ],
)
def test_what_only_a_text_can_set_has_no_control(
    figure: str, encoding: str, value: str, kind: str, parameters: set[str]
) -> None:
    layout = Explorer(make_job(figure, {"encoding": encoding})).layout()
    assert (layout["encoding"]["value"], layout["encoding"]["kind"]) == (value, kind)
    shown = named(layout["groups"]["encoding"])
    assert parameters <= {*shown} and not {"seq_len", "scaling", "factor", "flip"} & {*shown}
    assert shown.get("pairing", {}).get("choices", ["interleaved", "half"]) == ["interleaved", "half"]


@pytest.mark.long
def test_a_picture_comes_with_the_line_that_makes_it() -> None:
    found = explorer().answer({**SMALL, "base": "10"}, 300)
    assert found["command"] == "pecli heatmap --d 8 --base 10 --length 9"
    assert found["name"] == "heatmap-sinusoidal-d8-base10-length9" and "base = 10" in found["alt"]
    with Image.open(io.BytesIO(base64.b64decode(found["image"].partition(",")[2]))) as image:
        assert abs(image.width - 300) < 10


@pytest.mark.long
def test_another_encoding_brings_its_parameters_and_drops_the_last_ones() -> None:
    found = explorer().answer({**SMALL, "base": "10", "encoding": "clock"}, 250)
    assert "error" not in found and "--base" not in found["command"]
    assert "periods" in named(found["parameters"]) and "base" not in named(found["parameters"])


@pytest.mark.long
def test_several_encodings_stand_in_one_line() -> None:
    found = explorer("offsets").answer({"length": "9", "encoding": "sinusoidal:d=8 rope:d=8"}, 250)
    assert found["command"].count("--encoding") == 2 and found["parameters"] == []


def test_a_scaled_encoding_starts_as_it_was_given() -> None:
    made = explorer("spectrum", encoding="rope:scaling=linear,factor=4")
    assert made.layout()["encoding"]["value"] == "rope:d=8,scaling=linear,factor=4"


@pytest.mark.parametrize(
    ("values", "said"),
    [
        ({"base": "-1"}, "base -1"),
        ({"base": "a\x1b[2J"}, "base"),
        ({"encoding": "nope"}, "nope"),
        ({"length": "9" * 40}, "length"),
        ({"size": "1000x1000"}, "size"),
        ({"cmap": "nope"}, "nope"),
        ({"title": "$^$"}, "formula"),
        ({"title": "x" * 60_000}, "title has 60,000 characters, but at most 2,000 are allowed"),
    ],
)
def test_what_cannot_be_drawn_is_said_in_a_line(values: dict[str, str], said: str) -> None:
    found = explorer().answer(values, 250)
    assert said in found["error"] and "\x1b" not in found["error"] and "--" not in found["error"].partition("try")[0]


@pytest.mark.parametrize(
    ("figure", "values"),
    [
        ("offsets", {"encoding": "binary", "measure": "hamming", "length": "100000"}),
        ("distance", {"encoding": "binary", "measure": "hamming", "length": "100000"}),
        ("distance", {"length": "200000000"}),
    ],
)
def test_long_work_is_refused_with_the_line_for_a_terminal(
    figure: str, values: dict[str, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("pecli.core.memory.available", lambda: None)
    monkeypatch.setattr("pecli.jobs.explore.MAX_SECONDS", 0.05)
    found = explorer(figure).answer(values, 250)
    assert found["command"].startswith(f"pecli {figure} ") and "the page " in found["error"]
    assert found["error"].endswith(f": type in a terminal: {found['command']}")
    with pytest.raises(PecliError, match=r"--format svg$"):
        explorer(figure).file(values, "svg")


def test_nothing_is_drawn_for_a_browser_that_has_gone(monkeypatch: pytest.MonkeyPatch) -> None:
    there = iter([False, False])
    assert explorer().answer(SMALL, 250, lambda: True) == {"error": "the page no longer waits for this picture"}
    values = {"encoding": "binary", "length": "3000"}
    assert "no longer waits" in explorer("offsets").answer(values, 250, lambda: next(there, True))["error"]


def test_nothing_is_read_but_what_it_was_started_with(folder: Path) -> None:
    for name in ("a", "b"):
        np.save(f"{name}.npy", np.eye(9, 8))
    Path("s.mplstyle").write_text("lines.linewidth: 3", encoding="utf-8")
    Path("config.json").write_text('{"model_type": "llama"}', encoding="utf-8")
    made = explorer(encoding="learned:file=a.npy")
    assert "image" in made.answer({"encoding": "learned", "file": "a.npy"}, 250)
    for values in (
        {"encoding": "learned", "file": "b.npy"},
        {"encoding": "learned:file=b.npy"},
        {"style": "s.mplstyle"},
        {"encoding": "config.json"},
    ):
        assert "may not be read" in made.answer(values, 250)["error"]


@pytest.mark.long
def test_nothing_is_written(folder: Path) -> None:
    found = explorer().answer({**SMALL, "output": "a.png"}, 250)
    assert "image" in found and explorer().file(SMALL, "svg").startswith(b"<?xml") and not list(folder.iterdir())


def test_a_report_is_read_and_not_explored() -> None:
    with pytest.raises(UsageError, match="report"):
        Explorer(make_job("stats", SMALL))
