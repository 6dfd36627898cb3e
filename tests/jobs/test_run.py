"""Tests of running jobs: skipped and repeated ones, failures, processes and executors."""

from __future__ import annotations

import multiprocessing
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from concurrent.futures import Executor, Future, ThreadPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import pecli
from pecli.core.errors import PecliError
from pecli.jobs.batch import read_batch
from pecli.jobs.job import Job, versions
from pecli.jobs.run import FAILED, SKIPPED, WRITTEN, Result, is_done, run
from pecli.jobs.sweep import make_job
from pecli.jobs.workers import START, in_order, in_processes, map_in_order, process_ended

CARRIERS = ["png", "svg", "pdf", "npz", "json"]
TITLE = "位置 (a) \\ <b>"


def job(output: Any = "a.json", analysis: str = "heatmap", **options: Any) -> Job:
    return make_job(analysis, {"d": 4, "length": 5, "dpi": 20, "size": "column", **options, "output": output})


@pytest.fixture(scope="module")
def finished(tmp_path_factory: pytest.TempPathFactory) -> dict[str, bytes]:
    """Return the same job in a file of every format that carries it."""
    place = tmp_path_factory.mktemp("finished")
    paths = {format: place / f"a.{format}" for format in CARRIERS}
    assert states([job([str(path) for path in paths.values()], title=TITLE)]) == [WRITTEN]
    return {format: path.read_bytes() for format, path in paths.items()}


def states(jobs: list[Job], **how: Any) -> list[str]:
    return [outcome.state for outcome in run(jobs, **how)]


@pytest.mark.long
@pytest.mark.parametrize("format", CARRIERS)
def test_a_file_that_carries_the_job_is_not_drawn_again(format: str, finished: dict[str, bytes], folder: Path) -> None:
    item = job(f"a.{format}", title=TITLE)
    assert not is_done(item)
    (folder / f"a.{format}").write_bytes(finished[format])
    before = (folder / f"a.{format}").stat()
    assert is_done(item) and not is_done(job(f"a.{format}"))
    assert states([item]) == [SKIPPED]
    assert (folder / f"a.{format}").stat().st_mtime_ns == before.st_mtime_ns


@pytest.mark.parametrize("format", ["npy", "csv"])
def test_a_file_that_cannot_carry_its_job_is_always_made(format: str, folder: Path) -> None:
    assert states([job(f"a.{format}")]) + states([job(f"a.{format}")]) == [WRITTEN, WRITTEN]
    assert states([job(["a.json", f"a.{format}"])]) + states([job(["a.json", f"a.{format}"])]) == [WRITTEN, WRITTEN]


@pytest.mark.some(3)
@pytest.mark.parametrize(
    "change",
    [
        {"base": 10},
        {"d": 6},
        {"length": 6},
        {"start": 1},
        {"dpi": 30},
        {"title": "new"},
        {"encoding": "rope"},
        {"analysis": "distance"},
    ],
    ids=str,
)
def test_another_job_is_drawn_over_it(change: dict[str, Any], folder: Path) -> None:
    assert states([job()]) == [WRITTEN]
    assert not is_done(job(**change))
    assert states([job(**change)]) == [WRITTEN]
    assert is_done(job(**change)) and not is_done(job())


@pytest.mark.parametrize("format", CARRIERS)
def test_every_output_must_be_there(format: str, finished: dict[str, bytes], folder: Path) -> None:
    item = job(["a.json", f"b.{format}"], title=TITLE)
    (folder / "a.json").write_bytes(finished["json"])
    assert not is_done(item)
    (folder / f"b.{format}").write_bytes(finished[format])
    assert is_done(item)
    (folder / f"b.{format}").unlink()
    (folder / f"b.{format}").mkdir()
    assert not is_done(item)


@pytest.mark.long
@pytest.mark.parametrize("analysis", ["heatmap", "distance"])
def test_a_table_with_new_numbers_is_drawn_again(analysis: str, folder: Path) -> None:
    def asked() -> Job:
        return job("a.json", analysis, encoding="learned", file="table.npy", d=3)

    np.save(folder / "table.npy", np.eye(5, 3))
    assert states([asked()]) + states([asked()]) == [WRITTEN, SKIPPED]
    first = (folder / "a.json").read_bytes()
    np.save(folder / "table.npy", np.eye(5, 3)[::-1])
    assert states([asked()]) == [WRITTEN]
    assert (folder / "a.json").read_bytes() != first
    (folder / "table.npy").rename(folder / "other.npy")
    np.save(folder / "table.npy", np.eye(5, 3)[::-1])
    assert states([asked()]) == [SKIPPED]  # what counts is what is in it


@pytest.mark.parametrize("workers", [1, 2])
def test_a_command_takes_the_results_in_the_order_of_its_jobs_with_what_json_says(workers: int, folder: Path) -> None:
    jobs = [job(f"{base}.json", base=base) for base in (3, 1, 2)]
    results = list(run(jobs, workers=workers, ordered=True, answered=True))
    assert [result.job for result in results] == jobs
    assert [dict(result.sizes) for result in results] == [
        {path: Path(path).stat().st_size for path in item.paths} for item in jobs
    ]
    assert [result.answer and result.answer["job"] for result in results] == [
        {"command": "heatmap", **item.settings()} for item in jobs
    ]
    assert all("facts" in (result.answer or {}) for result in results)


def test_results_that_come_early_wait_for_their_turn() -> None:
    come = [(number, Future[int]()) for number in (2, 0, 3, 1)]
    assert list(in_order(each for each in come)) == sorted(come, key=lambda each: each[0])


def test_rows_are_written_as_they_are_made_and_held_for_another_process(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    item = make_job("table", {"length": 2000, "output": "t.npy"})  # of 2 MB
    monkeypatch.setattr("pecli.core.memory.available", lambda: 1 << 20)
    assert states([item]) == [WRITTEN]
    with ThreadPoolExecutor(1) as executor:
        assert states([item], executor=executor) == [FAILED]


@pytest.mark.some(3)
@pytest.mark.parametrize(
    ("begin", "work"), [({}, "heatmap"), ({"workers": 2}, "heatmap"), ({"executor": ThreadPoolExecutor}, "heatmap")]
)
def test_all_ways_write_the_same_and_say_what_they_wrote(begin: dict[str, Any], work: str, folder: Path) -> None:
    jobs = [job([f"{base}.json", f"new/{base}.npz"], work, base=base) for base in (1, 2, 3)]
    how = {name: value(2) if isinstance(value, type) else value for name, value in begin.items()}
    results = sorted(run(jobs, **how), key=lambda result: result.paths)
    assert results == [Result(item, WRITTEN) for item in jobs]
    assert list(run(jobs)) == [Result(item, SKIPPED) for item in jobs]
    for item in jobs:
        assert [Path(path).read_bytes() for path in item.paths] == pecli.figure(work, **item.settings()).render(
            "json", "npz"
        )


@pytest.mark.parametrize("key", versions())
def test_what_another_version_made_is_drawn_again(key: str, folder: Path) -> None:
    states([job()])
    data = (folder / "a.json").read_text()
    (folder / "a.json").write_text(data.replace(f'"{key}": "{versions()[key]}"', f'"{key}": "0.0.1"'))
    assert not is_done(job()) and states([job()]) == [WRITTEN] and is_done(job())


def test_batch_from_python_draws_the_file_and_gives_the_outcomes(folder: Path) -> None:
    (folder / "sub").mkdir()
    (folder / "sub/figures.toml").write_text(
        '[defaults]\nd = 4\nlength = 5\n[[figure]]\ncommand = "heatmap"\nbase = [10, 100]\noutput = "{base}.json"\n'
    )
    found = pecli.batch("sub/figures.toml")
    assert [(item.state, item.paths) for item in found] == [(WRITTEN, (f"sub/{base}.json",)) for base in (10, 100)]
    assert {item.state for item in pecli.batch("sub/figures.toml")} == {SKIPPED}
    assert {item.state for item in pecli.batch("sub/figures.toml", force=True)} == {WRITTEN}
    other = [item.paths for item in pecli.batch("sub/figures.toml", folder="other")]
    assert other == [("other/10.json",), ("other/100.json",)]


# Processes

forked = pytest.mark.skipif(START != "fork", reason="a process that is started anew knows no functions of a test")


def end_some(number: int) -> int:
    if number in (2, 5):
        os.kill(os.getpid(), signal.SIGKILL)
    return number


def answer_signals(_: int) -> str:
    os.kill(os.getpid(), signal.SIGINT)
    return str(signal.getsignal(signal.SIGTERM))


def sleep_behind_the_first(number: int) -> int:
    time.sleep(60 if number else 0)
    return number


@forked
def test_a_process_that_the_system_ends_costs_its_own_work() -> None:
    ended = {number: future.exception() for number, future in in_processes(end_some, range(8), 2)}
    lost = [number for number, error in sorted(ended.items()) if isinstance(error, BrokenProcessPool)]
    assert sorted(ended) == list(range(8)) and lost == [2, 5]
    assert "memory" in str(process_ended()) and "__main__" not in str(process_ended())


@pytest.mark.long
@forked
def test_signals_of_the_whole_group_are_the_parents_to_answer() -> None:
    before = signal.signal(signal.SIGTERM, lambda *_: None)  # as a program that listens
    try:
        ((_, future),) = in_processes(answer_signals, [1], 1)
    finally:
        signal.signal(signal.SIGTERM, before)
    assert future.result() == str(signal.SIG_DFL)


@forked
def test_whoever_stops_asking_ends_the_processes() -> None:
    begun, before = time.monotonic(), set(multiprocessing.active_children())
    results = in_processes(sleep_behind_the_first, range(3), 2)
    assert next(results)[0] == 0
    results.close()
    assert set(multiprocessing.active_children()) == before  # not only where this process ends
    assert time.monotonic() - begun < 20


@forked
def test_what_is_done_in_order_raises_what_it_raises() -> None:
    assert list(map_in_order(lambda number: number**2, range(40), "squaring", 2)) == [number**2 for number in range(40)]
    with pytest.raises(PecliError, match="because memory ran out"):
        list(map_in_order(end_some, range(8), "ending", 2))
    with pytest.raises(ZeroDivisionError):
        list(map_in_order(lambda number: 1 // number, [1, 0], "dividing", 2))


ORPHANS = """
import os, time
from pecli.jobs.workers import in_processes
def slow(_):
    os.write(1, b"drawing\\n")
    time.sleep(60)
list(in_processes(slow, [1, 2], 2))
"""


@forked
def test_nobody_outlives_the_process_that_asked() -> None:
    with subprocess.Popen([sys.executable, "-c", ORPHANS], stdout=subprocess.PIPE) as asking:
        assert asking.stdout is not None
        assert [asking.stdout.readline(), asking.stdout.readline()] == [b"drawing\n"] * 2
        asking.kill()
        out, _ = asking.communicate(timeout=30)  # ends when nobody is left that could write
    assert out == b""


# Executors


@pytest.fixture
def figures(folder: Path) -> str:
    """Return a batch file of three pictures."""
    text = '[defaults]\nd = 4\nlength = 5\n[[figure]]\ncommand = "heatmap"\nbase = [1, 2, 3]\noutput = "{base}.json"\n'
    (folder / "f.toml").write_text(text)
    return "f.toml"


class Answering(Executor):
    """Answers with what this gives for the number of a picture, or raises what it raises."""

    def __init__(self, answer: Callable[[int], Future[Any] | None]) -> None:
        self.answer, self.count = answer, 0

    def submit(self, work: Any, /, *things: Any, **_: Any) -> Any:
        self.count += 1
        if (future := self.answer(self.count)) is not None:
            return future
        done: Future[Any] = Future()
        done.set_result(work(*things))
        return done


def lost(error: Exception) -> Future[Any]:
    future: Future[Any] = Future()
    future.set_exception(error)
    return future


@pytest.mark.parametrize(
    ("error", "said"),
    [
        (ConnectionError("the machine has gone"), "lost the picture: the machine has gone"),
        (BrokenProcessPool("ended"), "because memory ran out"),
        (PecliError("said"), "said"),
    ],
)
def test_what_an_executor_loses_is_that_pictures_failure(figures: str, error: Exception, said: str) -> None:
    executor = Answering(lambda number: lost(error) if number == 2 else None)
    outcomes = sorted(pecli.batch(figures, executor=executor), key=lambda outcome: outcome.paths)
    assert [outcome.state for outcome in outcomes] == [WRITTEN, FAILED, WRITTEN]
    assert said in str(outcomes[1].failure)


def test_the_first_result_comes_before_all_pictures_are_submitted(
    figures: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("pecli.jobs.workers.PENDING", 2)
    executor, submitted = Answering(lambda _: None), list[int]()
    for _ in run(read_batch(figures).jobs, executor=executor):
        submitted.append(executor.count)
    assert submitted == [2, 2, 3]


def test_a_dask_cluster_draws_a_batch(figures: str, ask: Any) -> None:
    distributed = pytest.importorskip("distributed")
    assert {item.state for item in pecli.batch(figures)} == {WRITTEN}
    alone = {path: Path(path).read_bytes() for path in ("1.json", "2.json", "3.json")}
    how = {"n_workers": 2, "threads_per_worker": 1, "processes": False, "dashboard_address": None}
    with distributed.LocalCluster(**how) as cluster:
        ended = ask("batch", figures, "--dask", cluster.scheduler_address, "--force")
    assert (ended.code, sorted(ended.out.split())) == (0, sorted(alone))
    assert {path: Path(path).read_bytes() for path in alone} == alone


def test_a_cluster_without_workers_is_told(figures: str, ask: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    distributed = pytest.importorskip("distributed")
    monkeypatch.setattr("pecli.cli.batch.TIMEOUT", 0.5)
    with distributed.LocalCluster(n_workers=0, processes=False, dashboard_address=None) as cluster:
        ended = ask("batch", figures, "--dask", cluster.scheduler_address)
        assert (ended.code, ended.out) == (1, "") and f"dask worker {cluster.scheduler_address}" in ended.err


class Silent(Executor):
    """An executor that draws one picture and then nothing; who watches it says so."""

    def __init__(self) -> None:
        self.asked = 0

    def submit(self, function: Any, /, *args: Any, **more: Any) -> Future[Any]:
        future: Future[Any] = Future()
        if not self.asked:
            future.set_result(function(*args))
        self.asked += 1
        return future

    def watch(self) -> None:
        raise PecliError("nobody is at work")


def test_what_is_done_stays_where_all_workers_end(figures: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("pecli.jobs.workers.PATIENCE", 0.1)
    with pytest.raises(PecliError, match="nobody is at work"):
        pecli.batch(figures, executor=Silent())
    assert os.path.isfile("1.json") and not os.path.isfile("2.json")


def test_a_cluster_that_does_not_answer_is_told(figures: str, ask: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("distributed")
    monkeypatch.setattr("pecli.cli.batch.TIMEOUT", 0.2)
    ended = ask("batch", figures, "--dask", "tcp://127.0.0.1:9")
    assert (ended.code, ended.out) == (1, "") and "tcp://127.0.0.1:9" in ended.err
    assert ended.err.count("\n") == 1
