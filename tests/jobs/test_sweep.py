"""Several values where an option takes one: which jobs a mapping asks for."""

from __future__ import annotations

from typing import Any

import pytest

from pecli.core.errors import UsageError
from pecli.jobs.batch import check_targets
from pecli.jobs.sweep import jobs_of, make_job
from pecli.models.spec import read_encoding


def test_every_combination_is_a_job_the_last_option_running_fastest() -> None:
    jobs = jobs_of("heatmap", {"base": [10, 100], "d": [6, 7, 8], "length": 5})
    found = [(job.encodings[0].settings()["base"], job.encodings[0].settings()["d"]) for job in jobs]
    assert found == [(10, 6), (10, 7), (10, 8), (100, 6), (100, 7), (100, 8)]
    assert {job.positions.length for job in jobs} == {5}


@pytest.mark.parametrize("name", ["measure", "size", "title", "length", "dpi"])
def test_options_of_every_kind_sweep(name: str) -> None:
    values: dict[str, list[Any]] = {
        "measure": ["dot", "cos"],
        "size": ["column", "page"],
        "title": ["a,b", "c"],
        "length": [5, 7],
        "dpi": [20, 30],
    }
    jobs = jobs_of("distance", {name: values[name]})
    assert [job.settings()[name] for job in jobs] == values[name]


def test_a_list_of_an_option_that_takes_a_list_is_one_value() -> None:
    (job,) = jobs_of("waves", {"dims": [4, 5, 6]})
    assert job.figure.settings()["dims"] == (4, 5, 6)
    (job,) = jobs_of("heatmap", {"output": ["a.png", "a.svg"]})
    assert job.paths == ("a.png", "a.svg")


def test_encodings_are_pictures_where_a_figure_shows_one() -> None:
    jobs = jobs_of("heatmap", {"encoding": ["sinusoidal:d=6", "clock", "rope:d=6"], "length": [5, 7]})
    assert len(jobs) == 6
    assert [job.encodings for job in jobs[::2]] == [
        (read_encoding("sinusoidal:d=6"),),
        (read_encoding("clock"),),
        (read_encoding("rope:d=6"),),
    ]


@pytest.mark.parametrize("figure", ["spectrum", "offsets", "compare"])
def test_encodings_are_one_picture_where_a_figure_shows_several(figure: str) -> None:
    (job,) = jobs_of(figure, {"encoding": ["sinusoidal", "rope"]})
    assert [encoding.name for encoding in job.encodings] == ["sinusoidal", "rope"]
    pairs = jobs_of(figure, {"encoding": [["sinusoidal", "rope"], ["clock"]]})
    assert [len(job.encodings) for job in pairs] == [2, 1]


def test_a_value_of_a_sweep_that_is_not_allowed_is_refused() -> None:
    with pytest.raises(UsageError, match="base=0"):
        jobs_of("heatmap", {"base": [10, 0]})


@pytest.mark.parametrize("value", [[], [[]]])
def test_a_sweep_over_nothing_is_refused(value: list[Any]) -> None:
    with pytest.raises(UsageError, match="base"):
        jobs_of("heatmap", {"base": value})


def test_a_sweep_too_large_to_be_meant_is_refused_at_once() -> None:
    with pytest.raises(UsageError, match="1,000,000 pictures"):
        jobs_of("heatmap", {name: list(range(1, 101)) for name in ("base", "d", "length")})


@pytest.mark.parametrize(
    ("options", "blank"),
    [
        ({"base": [10, 100]}, "{base}"),
        ({"d": [6, 7]}, "{d}"),
        ({"encoding": ["sinusoidal:base=10", "sinusoidal:base=100"]}, "{base}"),
        ({"length": [5, 7]}, "{length}"),
        ({"layout": ["interleaved", "concatenated"]}, "{layout}"),
    ],
    ids=str,
)
def test_two_pictures_with_one_name_are_told_the_blank_that_would_tell_them_apart(
    options: dict[str, Any], blank: str
) -> None:
    with pytest.raises(UsageError) as caught:
        check_targets(jobs_of("table", {**options, "output": "x/same.json"}))
    assert "x/same.json" in str(caught.value) and blank in str(caught.value)
    check_targets(jobs_of("table", {**options, "output": f"x/{blank}.json"}))


def test_a_name_that_tells_too_little_is_refused_with_the_blank_it_lacks() -> None:
    with pytest.raises(UsageError, match=r"heat-10\.json.*\{d\}"):
        check_targets(jobs_of("table", {"base": [10, 100], "d": [6, 7], "output": "heat-{base}.json"}))


def test_two_figures_with_one_name_are_told_figure() -> None:
    with pytest.raises(UsageError, match=r"\{figure\}"):
        check_targets([make_job(name, {"output": "a.png"}) for name in ("heatmap", "distance")])


def test_the_same_picture_twice_is_called_that() -> None:
    with pytest.raises(UsageError, match="the same picture twice"):
        check_targets(jobs_of("heatmap", {"base": [10, 10], "output": "a.png"}))
