"""One request, one way: what is asked of whom how often, from the words of a command to the file."""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from itertools import pairwise
from pathlib import Path
from types import FrameType
from typing import Any

import pytest

from pecli.core import memory, options
from pecli.encodings.sinusoidal import Sinusoidal
from pecli.files import writer
from pecli.jobs import job, picture, request
from pecli.jobs.batch_file import read_batch
from pecli.jobs.job import jobs_of

Ask = Callable[..., Any]
PLANNED = 695  # calls of ours a picture: half of what it took when everything was asked anew; 460 as written
LINE = ["heatmap", "--base", "10", "-d", "6", "-n", "5", "--dpi", "20"]


@pytest.fixture
def calls(monkeypatch: pytest.MonkeyPatch) -> Counter[str]:
    """How often what must be done once is done."""
    counts: Counter[str] = Counter()

    def count(owner: Any, name: str, what: str = "") -> None:
        whole = getattr(owner, name)

        def counted(*given: Any, **named: Any) -> Any:
            counts[what or name] += 1
            return whole(*given, **named)

        monkeypatch.setattr(owner, name, counted)

    count(memory, "available")
    count(job, "targets_of")
    count(job, "_panels")
    count(job, "check_target", "looked at before")
    count(picture, "check_target", "looked at when writing")
    count(Sinusoidal, "check", "encodings")
    count(Sinusoidal, "fitted")
    count(writer, "_replace", "written")
    return counts


ONCE = {
    "available": 1,
    "targets_of": 1,
    "_panels": 1,
    "looked at before": 1,
    "looked at when writing": 1,
    "encodings": 1,
    "fitted": 1,
    "written": 1,
}


def test_a_command_settles_everything_once(ask: Ask, calls: Counter[str]) -> None:
    assert ask(*LINE).code == 0
    assert calls == ONCE


@pytest.mark.parametrize("size", [1, 7])
def test_a_sweep_asks_once_a_picture_and_for_memory_once(size: int, ask: Ask, calls: Counter[str]) -> None:
    bases = [word for base in range(10, 10 + size) for word in ("--base", str(base))]
    assert ask("heatmap", "-d", "6", "-n", "5", "--dpi", "20", *bases).code == 0
    assert calls == {name: number if name == "available" else size for name, number in ONCE.items()}


def test_a_plan_of_many_asks_for_memory_once(folder: Path, calls: Counter[str]) -> None:
    figure = '[[figure]]\ncommand = "heatmap"\nlength = 5\noutput = "{0}.png"\n'
    Path("f.toml").write_text("".join(figure.format(number) for number in range(7)))
    assert len(read_batch("f.toml").jobs) == 7
    assert (calls["available"], calls["encodings"], calls["fitted"]) == (1, 7, 7)


def test_the_version_of_a_library_that_is_not_loaded_is_looked_up_once(monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[str] = []

    def look_up(library: str) -> str:
        asked.append(library)
        return "1.2"

    monkeypatch.setattr("importlib.metadata.version", look_up)
    assert [request._version("not_loaded") for _ in range(3)] == ["1.2"] * 3
    assert asked == ["not_loaded"]


@pytest.fixture
def read(monkeypatch: pytest.MonkeyPatch) -> Counter[tuple[str, str]]:
    """How often each value of each option is read."""
    counts: Counter[tuple[str, str]] = Counter()
    whole = options.Option.read

    def counted(one: options.Option, value: Any) -> Any:
        counts[one.name, str(value)] += 1
        return whole(one, value)

    for kind in (jobs_of("heatmap", {}), jobs_of("distance", {})):  # defaults are read once a process
        assert kind
    monkeypatch.setattr(options.Option, "read", counted)
    return counts


def test_every_value_that_is_given_is_read_once(ask: Ask, read: Counter[tuple[str, str]]) -> None:
    assert ask(*LINE, "-o", "a.png").code == 0
    assert read == {
        ("base", "['10']"[2:4]): 1,
        ("d", "6"): 1,
        ("length", "5"): 1,
        ("dpi", "20"): 1,
        ("output", "['a.png']"): 1,
    }


def test_a_value_of_a_sweep_is_read_once_whatever_it_is_combined_with(read: Counter[tuple[str, str]]) -> None:
    jobs = jobs_of("heatmap", {"base": [10, 100, 1000], "length": [5, 7], "size": ["page", "blog"]})
    assert len(jobs) == 12
    assert set(read.values()) == {1} and len(read) == 7


def test_what_combinations_share_is_built_once() -> None:
    jobs = jobs_of("heatmap", {"base": [10, 100], "length": [5, 7, 11]})
    assert len({id(one.encodings[0]) for one in jobs}) == 2
    assert len({id(one.positions) for one in jobs}) == 3
    assert len({id(one.canvas) for one in jobs}) == 1


@contextmanager
def counting(root: str) -> Iterator[list[str]]:
    """The modules whose functions are called, in order."""
    seen: list[str] = []

    def note(frame: FrameType, event: str, _: Any) -> None:
        if event == "call" and frame.f_code.co_filename.startswith(root):
            seen.append(frame.f_code.co_filename)

    sys.setprofile(note)
    try:
        yield seen
    finally:
        sys.setprofile(None)


def test_a_job_takes_few_calls_of_ours() -> None:
    jobs_of("heatmap", {"base": "10"})  # imports and caches
    with counting(str(Path(job.__file__).parents[1])) as seen:
        jobs_of("heatmap", {"base": "10"})
    switches = sum(one != other for one, other in pairwise(seen))
    assert len(seen) < 740 and switches < 205


def test_planning_many_takes_few_calls_a_picture(folder: Path) -> None:
    figure = '[[figure]]\ncommand = "{1}"\nlength = {2}\nbase = {2}\noutput = "{0}.png"\n'
    kinds = ("heatmap", "distance", "curves", "waves", "overview")
    Path("f.toml").write_text("".join(figure.format(at, kinds[at % 5], 50 + at) for at in range(50)))
    read_batch("f.toml")  # imports and caches
    with counting(str(Path(job.__file__).parents[1])) as seen:
        assert len(read_batch("f.toml").jobs) == 50
    assert len(seen) < 50 * PLANNED
