"""Tests of sweeps, with several values for an option that takes one: the resulting jobs."""

from __future__ import annotations

from collections import Counter
from typing import Any

import pytest

import pecli
from pecli.core.errors import UsageError
from pecli.core.options import Option
from pecli.encodings.spec import read_encoding
from pecli.figures.grid import Grid
from pecli.jobs.job import Job
from pecli.jobs.names import check_targets
from pecli.jobs.sweep import expand, job_of, jobs_of, make_job
from pecli.jobs.text import command


def test_a_name_that_only_looks_a_little_like_an_option_is_not_suggested() -> None:
    with pytest.raises(UsageError, match="unknown option of heatmap: 'trianed' \\(known") as caught:
        make_job("heatmap", {"trianed": 5})
    assert "did you mean" not in str(caught.value)


def test_every_combination_is_a_job_the_last_option_running_fastest() -> None:
    jobs = jobs_of("heatmap", {"base": [10, 100], "d": [6, 7, 8], "length": 5})
    found = [(job.encodings[0].settings()["base"], job.encodings[0].settings()["d"]) for job in jobs]
    assert found == [(10, 6), (10, 7), (10, 8), (100, 6), (100, 7), (100, 8)]
    assert {job.positions.length for job in jobs} == {5}


@pytest.mark.parametrize(
    ("given", "reads"),
    [
        ({"base": 10}, {"base": 1, "output": 1}),
        ({"base": [10, 100, 1000]}, {"base": 3, "output": 1}),
        (
            {"length": [5, 7], "dpi": 20, "encoding": "sinusoidal:d=8"},
            {"length": 2, "dpi": 1, "encoding": 1, "output": 1},
        ),
    ],
)
def test_a_value_is_read_once(given: dict[str, Any], reads: dict[str, int], monkeypatch: pytest.MonkeyPatch) -> None:
    counts, read = Counter[str](), Option.read

    def counted(option: Option, value: Any) -> Any:
        counts[option.name] += 1
        return read(option, value)

    monkeypatch.setattr(Option, "read", counted)
    jobs_of("heatmap", {**given, "output": ["a-{base}-{length}.png"]})
    assert {name: count for name, count in counts.items() if name in {*given, "output"}} == reads


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


YARN = "rope:scaling=yarn,factor={},original=4096"
INNER: list[tuple[str, dict[str, Any], list[str]]] = [
    ("heatmap", {"encoding": YARN.format("2..32:3")}, [YARN.format(factor) for factor in (2, 8, 32)]),
    ("heatmap", {"encoding": YARN.format("2,factor=8")}, [YARN.format(factor) for factor in (2, 8)]),
    ("heatmap", {"encoding": "rope:d=2..4:2,base=5,base=7"}, [f"rope:d={d},base={b}" for d in (2, 4) for b in (5, 7)]),
    ("heatmap", {"encoding": "clock:periods=60,3600,periods=24"}, ["clock:periods=60,3600", "clock:periods=24"]),
    ("heatmap", {"encoding": r"learned:label=a\,d=3,seed=0..1"}, [rf"learned:label=a\,d=3,seed={s}" for s in (0, 1)]),
    (
        "spectrum",
        {"encoding": ["clock", YARN.format("2..8:2")]},
        ["clock", *(YARN.format(factor) for factor in (2, 8))],
    ),
    (
        "heatmap",
        {"encoding": "rope", "scaling": "yarn", "original": 4096, "factor": [2, 8]},
        [YARN.format(factor) for factor in (2, 8)],
    ),
    ("heatmap", {"dtype": ["float32", "float16"]}, [f"sinusoidal:dtype={dtype}" for dtype in ("float32", "float16")]),
]


@pytest.mark.parametrize(("figure", "given", "specs"), INNER, ids=range(len(INNER)))
def test_a_range_or_a_parameter_given_twice_in_a_text_is_an_encoding_each(
    figure: str, given: dict[str, Any], specs: list[str]
) -> None:
    assert [item for job in expand(figure, given).jobs for item in job.encodings] == [*map(read_encoding, specs)]


@pytest.mark.parametrize("figure", ["heatmap", "spectrum"])  # of one encoding, and of several
def test_a_blank_for_what_a_text_sweeps_is_a_picture_each(figure: str) -> None:
    named = jobs_of(figure, {"encoding": YARN.format("2..32:3"), "output": "f-{factor}.png"})
    assert [job.paths for job in named] == [("f-2.png",), ("f-8.png",), ("f-32.png",)]  # by ratios, as bases are
    (one,) = jobs_of("spectrum", {"encoding": YARN.format("2..8:2"), "output": "f.png"})
    assert len(one.encodings) == 2
    (both,) = jobs_of("spectrum", {"encoding": ["rope:base=10", "rope:base=20"], "output": "f-{base}.png"})
    assert both.paths == ("f-10_20.png",)


def test_a_sweep_in_the_text_of_an_encoding_is_one_picture_that_its_recipe_asks_for_again() -> None:
    (job,) = jobs_of("heatmap", {"encoding": YARN.format("2..8:2"), "output": "f.png", "length": 3, "d": 4})
    assert isinstance(job.analysis, Grid) and job.analysis.labels == ("factor = 2", "factor = 8")
    (again,) = jobs_of("heatmap", {**job.settings(), "output": "f.png"})
    assert again == job and again.metadata == job.metadata and command(job).count("--encoding") == 2


def test_a_single_encoding_is_not_swept() -> None:
    with pytest.raises(UsageError, match="gives factor twice"):
        pecli.encoding(YARN.format("2,factor=4"))
    with pytest.raises(UsageError, match=r"rope with scaling=yarn: factor=2\.\.8:3 is not allowed"):
        pecli.encoding(YARN.format("2..8:3"))
    with pytest.raises(UsageError, match="label is given 1 times, for 2 encodings"):
        expand("compare", {"encoding": YARN.format("2..8:2"), "label": "mine"})


@pytest.mark.long
def test_the_work_for_a_sweep_grows_with_its_cells_not_with_their_pairs(monkeypatch: pytest.MonkeyPatch) -> None:
    value, asked = Job.value, list[str]()

    def counted(job: Job, name: str, axes: Any = ()) -> Any:
        asked.append(name)
        return value(job, name, axes)

    monkeypatch.setattr(Job, "value", counted)
    calls = []
    for count in (20, 40):
        asked.clear()
        bases = list(range(2, 2 + count))
        assert len(job_of("heatmap", {"base": bases, "d": 4, "length": 5, "output": "a.gif"}).cells) == count
        calls.append(len(asked))
    assert calls[1] == 2 * calls[0]


FILES_OF_A_SWEEP = [  # outputs of a sweep of two bases and two widths, and the files with their bases and widths
    (("all.png",), {"all.png": ([10, 20], [4, 6])}),
    (("{base}.png",), {"10.png": ([10], [4, 6]), "20.png": ([20], [4, 6])}),
    (("all.png", "{d}.png"), {"all.png": ([10, 20], [4, 6]), "4.png": ([10, 20], [4]), "6.png": ([10, 20], [6])}),
    (("all.png", "all.svg", "{base}-{d}.npy"), {
        "all.png": ([10, 20], [4, 6]), "all.svg": ([10, 20], [4, 6]),
        **{f"{base}-{d}.npy": ([base], [d]) for base in (10, 20) for d in (4, 6)}}),
    (("{base}-{d}.npy", "{base}-{d}.json"),
     {f"{base}-{d}.{ending}": ([base], [d]) for base in (10, 20) for d in (4, 6) for ending in ("npy", "json")}),
]  # fmt: skip


@pytest.mark.parametrize(("outputs", "files"), FILES_OF_A_SWEEP, ids=str)
def test_each_file_of_a_sweep_has_the_pictures_that_its_name_says(outputs: tuple[str, ...], files: Any) -> None:
    jobs = expand("heatmap", {"base": [10, 20], "d": [4, 6], "length": 5, "output": outputs}).by_file()
    found = {
        path: tuple(
            sorted({getattr(cell.encodings[0], name) for cell in job.cells or (job,)}) for name in ("base", "d")
        )
        for job in jobs
        for path in job.paths
    }
    assert found == files and sum(len(job.paths) for job in jobs) == len(files)
