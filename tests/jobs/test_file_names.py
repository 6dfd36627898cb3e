"""Tests of file names: generated for a job, or given with placeholders."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import pytest

from pecli.core.errors import UnknownNameError
from pecli.core.language import listing, say
from pecli.figures.grid import Grid
from pecli.jobs.job import Job
from pecli.jobs.names import MAX_NAME_BYTES, fill_placeholders, name_of, placeholders
from pecli.jobs.picture import Picture, frame_titles
from pecli.jobs.sweep import jobs_of, make_job

Ask = Callable[..., Any]


def job(analysis: str = "heatmap", /, **options: Any) -> Job:
    return make_job(analysis, options)


def of(*analysis: str, **options: Any) -> dict[str, str]:
    return placeholders(job(*analysis, **options))


@pytest.mark.parametrize(
    ("template", "name"),
    [
        ("heat-{base}-{d}.png", "heat-10-64.png"),
        ("{figure}/{encoding}-{length}.svg", "heatmap/sinusoidal-200.svg"),
        ("{layout}{start}{size}{dpi}.png", "interleaved0page150.png"),
        ("{base}{base}.png", "1010.png"),
        ("{command}.{format}", "heatmap.png"),
        ("{no-title}-{no_title}.png", "false-false.png"),
        ("{{base}}-{base}.png", "{base}-10.png"),
        ("{{{base}}}.png", "{10}.png"),
        ("}}{{.png", "}{.png"),
        ("a{b.png", "a{b.png"),
        ("plain.png", "plain.png"),
    ],
)
def test_blanks_are_filled_with_the_options(template: str, name: str) -> None:
    assert fill_placeholders(template, of(base=10, d=64)) == name


@pytest.mark.parametrize(
    ("title", "drawn"),
    [
        ("base {base}, d {d_model}", "base 10, d 64"),
        ("{rope_theta} in {figure}", "10 in heatmap"),
        ("{} a{b", "{} a{b"),
        ("{{base}} {{x}}", "{base} {x}"),
        (r"$x_{d}$ {d} $\omega_{base}$", r"$x_{d}$ 64 $\omega_{base}$"),
    ],
)
def test_a_title_has_the_same_blanks(title: str, drawn: str) -> None:
    item = job(base=10, d=64, title=title)
    assert Picture(item).title() == drawn
    assert json.loads(item.metadata)["job"]["title"] == title


def test_a_title_with_blanks_tells_the_frames_of_a_film_apart() -> None:
    def titles(title: str, **swept: Any) -> list[str]:
        film = jobs_of("heatmap", {"d": 4, "length": 3, "output": "a.gif", "title": title, **swept})[0]
        assert isinstance(film.analysis, Grid)
        return frame_titles(film, film.analysis, title)

    assert titles("k {base}", base=[2, 10]) == ["k 2", "k 10"]
    assert titles("k", base=[2, 10]) == [listing(["k", f"base = {base}"]) for base in (2, 10)]
    both = listing(["k 2", "base = 2", f"{say('page.start')} = 1"])
    assert titles("k {base}", base=[2, 10], start=[0, 1])[1] == both


def test_an_unknown_blank_is_refused_when_the_job_is_made() -> None:
    with pytest.raises(UnknownNameError, match="did you mean 'base'"):
        job(output="heat-{bas}.png")


@pytest.mark.parametrize("title", ["a/b", "../a", "a\\b", "/etc/x", 'a b:c*?"<>|', "a\nb"])
def test_a_value_makes_no_folder_and_no_odd_letters(title: str) -> None:
    name = fill_placeholders("x/{title}.png", of(title=title))
    assert name.startswith("x/") and name.endswith(".png")
    assert not set(name.removeprefix("x/")) & set('/\\ :*?"<>|\n')


def test_letters_of_any_script_stay() -> None:
    assert fill_placeholders("{title}.png", of(title="位置 编码")) == "位置_编码.png"


def test_several_encodings_are_joined_and_so_are_their_parameters() -> None:
    two = job("offsets", encoding=["rope:base=5", "sinusoidal:base=7"])
    assert fill_placeholders("{encoding}-{base}.png", placeholders(two)) == "rope-sinusoidal-5_7.png"


def test_the_made_up_name_has_figure_encoding_and_what_differs() -> None:
    assert name_of(job("distance", encoding="rope", base=5e5, measure="dot")) == "distance-rope-base500000-measuredot"
    assert name_of(job()) == "heatmap-sinusoidal"
    assert name_of(job(base=10, length=5, no_title=True)) == "heatmap-sinusoidal-base10-length5-no_title"
    assert name_of(job("offsets", encoding=["rope", "clock"])) == "offsets-rope-clock"


@pytest.mark.parametrize("letter", ["a", "位"])
def test_a_made_up_name_is_no_longer_than_file_systems_take(letter: str) -> None:
    def name(letters: int) -> str:
        return name_of(job(title=letter * letters))

    room = (MAX_NAME_BYTES - len("heatmap-sinusoidal-title")) // len(letter.encode())
    assert name(room).endswith(f"-title{letter * room}")
    longer, other = name(room + 1), name(room + 2)
    assert longer != other and len(longer.encode()) <= MAX_NAME_BYTES
    assert longer[-12:] == f"-{job(title=letter * (room + 1)).id_prefix()}"


@pytest.mark.parametrize(("given", "names"), [
    ({"base": [10, 10000]}, ["heatmap-sinusoidal-base10", "heatmap-sinusoidal-base10000"]),
    ({"d": [64, 128], "base": [10000, 10]}, [
        "heatmap-sinusoidal-d64-base10000", "heatmap-sinusoidal-d64-base10",
        "heatmap-sinusoidal-d128-base10000", "heatmap-sinusoidal-d128-base10",
    ]),
    ({"length": [100, 200]}, ["heatmap-sinusoidal-length100", "heatmap-sinusoidal-length200"]),
    ({"encoding": ["sinusoidal:base=10", "sinusoidal", "rope", "clock"]}, [
        "heatmap-sinusoidal-base10", "heatmap-sinusoidal-base10000", "heatmap-rope-base10000", "heatmap-clock",
    ]),
    ({"no_title": [False, True]}, ["heatmap-sinusoidal-no_titlefalse", "heatmap-sinusoidal-no_title"]),
    ({"base": [10]}, ["heatmap-sinusoidal-base10"]),
    ({"base": 10000}, ["heatmap-sinusoidal"]),
])  # fmt: skip
def test_names_made_up_in_a_sweep_tell_all_that_is_swept(given: dict[str, Any], names: list[str]) -> None:
    assert [job.paths for job in jobs_of("heatmap", given)] == [(f"{name}.png",) for name in names]


@pytest.mark.parametrize(("count", "said"), [
    (2, "two pictures would be written to a.png: add {dpi} to the name, as in a-{dpi}.png"),
    (12, "12 pictures would be written to a.png: add {dpi} to the name, as in a-{dpi}.png"),
])  # fmt: skip
def test_pictures_in_one_name_are_said_once_with_what_to_do(ask: Ask, count: int, said: str) -> None:
    refused = ask("heatmap", "--dpi", ",".join(map(str, range(10, count + 10))), "-o", "a.png")
    assert refused.code == 2 and refused.err.strip() == f"pecli: {said}"


def test_a_name_lacks_every_option_that_is_swept(ask: Ask) -> None:
    assert "add {d}-{dpi} to the name" in ask("heatmap", "--dpi", "10,20", "-d", "4,6", "-o", "a.png").err
