"""Who draws many jobs: all give the same bytes, nobody but this process writes, nobody outlives it."""

from __future__ import annotations

import multiprocessing
import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from concurrent.futures import Executor, ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest

import pecli
from pecli.core.errors import PecliError
from pecli.files.writer import write
from pecli.jobs import run as run_jobs
from pecli.jobs import workers
from pecli.jobs.job import Job
from pecli.jobs.run import FAILED, WRITTEN, Outcome, draw, run
from pecli.jobs.workers import Drawn, in_executor, in_processes, in_turn

forked = pytest.mark.skipif(workers.START != "fork", reason="a process that is started anew knows no patches")


def jobs(count: int) -> list[Job]:
    return [
        Job.make("heatmap", {"d": 4, "length": 5, "dpi": 20, "base": base, "output": f"{base}.json"})
        for base in range(1, count + 1)
    ]


def test_all_ways_give_the_same(folder: Path) -> None:
    asked = jobs(5)
    expected = dict(in_turn(asked, draw))
    assert [len(expected[number].files) for number in range(5)] == [1] * 5
    assert dict(in_processes(asked, draw, 2)) == expected
    with ThreadPoolExecutor(3) as executor:
        assert dict(in_executor(asked, draw, executor)) == expected
    assert list(folder.iterdir()) == []


def test_who_draws_writes_nothing(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    writers: list[int] = []

    def note(*what: Any) -> None:
        writers.append(os.getpid())
        write(*what)

    monkeypatch.setattr(run_jobs, "write", note)
    assert [outcome.state for outcome in run(jobs(4), workers=2)] == [WRITTEN] * 4
    assert writers == [os.getpid()] * 4
    assert sorted(path.name for path in folder.iterdir()) == ["1.json", "2.json", "3.json", "4.json"]


def instead(what: Callable[[float], Any]) -> Callable[[Job], Drawn]:
    """Draws, after something that depends on the base."""

    def drawing(job: Job) -> Drawn:
        what(float(Path(job.paths[0]).stem))
        return draw(job)

    return drawing


@forked
def test_a_process_that_the_system_ends_costs_its_own_picture(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def end(base: float) -> None:
        if base in (2, 5):
            os.kill(os.getpid(), signal.SIGKILL)

    monkeypatch.setattr(run_jobs, "draw", instead(end))
    outcomes = sorted(run(jobs(6), workers=2), key=lambda outcome: outcome.paths)
    assert [outcome.state for outcome in outcomes] == [WRITTEN, FAILED, WRITTEN, WRITTEN, FAILED, WRITTEN]
    assert "signal 9" in str(outcomes[1].failure) and "memory" in str(outcomes[1].failure)


@forked
def test_whoever_stops_asking_ends_the_processes(monkeypatch: pytest.MonkeyPatch) -> None:
    def slow(base: float) -> None:
        if base > 1:
            time.sleep(60)

    monkeypatch.setattr(run_jobs, "draw", instead(slow))
    begun, before = time.monotonic(), set(multiprocessing.active_children())
    results = in_processes(jobs(3), instead(slow), 2)
    assert next(results)[0] == 0
    assert len(set(multiprocessing.active_children()) - before) == 2
    results.close()
    assert set(multiprocessing.active_children()) == before  # not only where this process ends
    assert time.monotonic() - begun < 20


@forked
def test_a_worker_may_be_ended_and_leaves_ctrl_c_to_its_parent(monkeypatch: pytest.MonkeyPatch) -> None:
    def tell(_: Job) -> Drawn:
        numbers = (signal.SIGTERM, signal.SIGINT, signal.SIGHUP)
        return Drawn(notes=tuple(str(signal.getsignal(number)) for number in numbers))

    before = signal.signal(signal.SIGTERM, lambda *_: None)  # as a program that listens
    try:
        found = dict(in_processes(jobs(2), tell, 2))
    finally:
        signal.signal(signal.SIGTERM, before)
    ignored = str(signal.SIG_IGN)
    assert {drawn.notes for drawn in found.values()} == {(str(signal.SIG_DFL), ignored, ignored)}


ORPHANS = """
import os
import time
from pecli.jobs import workers
from pecli.jobs.job import Job
def slow(job):
    os.write(1, b"drawing\\n")
    time.sleep(60)
list(workers.in_processes([Job.make("heatmap", {"base": base}) for base in (1, 2)], slow, 2))
"""


@forked
def test_nobody_outlives_the_process_that_asked() -> None:
    with subprocess.Popen([sys.executable, "-c", ORPHANS], stdout=subprocess.PIPE) as asking:
        assert asking.stdout is not None
        assert [asking.stdout.readline(), asking.stdout.readline()] == [b"drawing\n"] * 2
        asking.kill()
        out, _ = asking.communicate(timeout=30)  # ends when nobody is left that could write
    assert out == b""


FIGURES = """
[defaults]
d = 4
length = 5
[[figure]]
command = "heatmap"
base = [1, 2, 3]
output = "{base}.json"
"""


@pytest.fixture
def figures(folder: Path) -> str:
    """A batch file of three pictures."""
    (folder / "f.toml").write_text(FIGURES)
    return "f.toml"


def files(outcomes: list[Outcome]) -> dict[str, bytes]:
    assert {outcome.state for outcome in outcomes} == {WRITTEN}
    return {path: Path(path).read_bytes() for outcome in outcomes for path in outcome.paths}


def test_any_executor_draws_a_batch_and_this_thread_writes(figures: str, monkeypatch: pytest.MonkeyPatch) -> None:
    drawing: list[threading.Thread] = []
    writing: list[threading.Thread] = []

    def note(*what: Any) -> None:
        writing.append(threading.current_thread())
        write(*what)

    monkeypatch.setattr(run_jobs, "write", note)
    monkeypatch.setattr(run_jobs, "draw", instead(lambda _: drawing.append(threading.current_thread())))
    with ThreadPoolExecutor(2) as executor:
        found = files(pecli.batch(figures, executor=executor))
    assert set(writing) == {threading.current_thread()} and not {*drawing} & {*writing} and len(drawing) == 3
    assert found == files(pecli.batch(figures, force=True))


class Broken(Executor):
    """Fails as one whose processes have died."""

    def submit(self, *_: Any, **__: Any) -> Any:
        raise RuntimeError("its processes have died")


def test_an_executor_that_takes_nothing_is_told(figures: str) -> None:
    with pytest.raises(PecliError, match="takes no more pictures: its processes have died"):
        pecli.batch(figures, executor=Broken())


def test_what_an_executor_loses_is_that_pictures_failure(figures: str, monkeypatch: pytest.MonkeyPatch) -> None:
    def lose(base: float) -> None:
        if base == 2:
            raise ConnectionError("the machine has gone")

    monkeypatch.setattr(run_jobs, "draw", instead(lose))
    with ThreadPoolExecutor(2) as executor:
        outcomes = sorted(pecli.batch(figures, executor=executor), key=lambda outcome: outcome.paths)
    assert [outcome.state for outcome in outcomes] == [WRITTEN, FAILED, WRITTEN]
    assert "lost it: the machine has gone" in str(outcomes[1].failure)


def test_a_dask_cluster_draws_a_batch(figures: str, ask: Any) -> None:
    distributed = pytest.importorskip("distributed")
    alone = files(pecli.batch(figures))
    how = {"n_workers": 2, "threads_per_worker": 1, "processes": False, "dashboard_address": None}
    with distributed.LocalCluster(**how) as cluster:
        ended = ask("batch", figures, "--dask", cluster.scheduler_address, "--force")
    assert (ended.code, sorted(ended.out.split())) == (0, sorted(alone))
    assert {path: Path(path).read_bytes() for path in alone} == alone


def test_a_cluster_that_does_not_answer_is_told(figures: str, ask: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("distributed")
    monkeypatch.setattr("pecli.cli.batch.PATIENCE", 0.2)
    ended = ask("batch", figures, "--dask", "tcp://127.0.0.1:9")
    assert (ended.code, ended.out) == (1, "") and "tcp://127.0.0.1:9" in ended.err
    assert ended.err.count("\n") == 1


def test_in_one_process_one_picture_is_drawn_at_a_time(monkeypatch: pytest.MonkeyPatch) -> None:
    at_work: list[int] = []
    most: list[int] = []

    def render(*_: Any) -> list[bytes]:
        at_work.append(1)
        time.sleep(0.01)
        most.append(len(at_work))
        at_work.pop()
        return [b""]

    monkeypatch.setattr("pecli.jobs.run.Picture.render", render)
    with ThreadPoolExecutor(4) as executor:
        list(in_executor(jobs(8), draw, executor))
    assert most == [1] * 8


@forked
def test_signals_of_the_whole_group_are_the_parents_to_answer(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def end(_: float) -> None:
        for number in (signal.SIGINT, signal.SIGHUP, signal.SIGQUIT):
            os.kill(os.getpid(), number)

    monkeypatch.setattr(run_jobs, "draw", instead(end))
    assert [outcome.state for outcome in run(jobs(3), workers=2)] == [WRITTEN] * 3
