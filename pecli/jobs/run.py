"""Many jobs done: skipped where the file already shows the job, in one process or several, failures kept apart."""

from __future__ import annotations

import json
import os
import threading
from collections.abc import Generator, Sequence
from concurrent.futures import Executor
from contextlib import closing
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path

from pecli.core.errors import PecliError, failure_of
from pecli.core.memory import available
from pecli.files.metadata import READERS, read_metadata
from pecli.files.writer import check_target, write
from pecli.jobs.job import Job
from pecli.jobs.picture import Picture
from pecli.jobs.request import LIBRARIES, Request
from pecli.jobs.workers import START, Drawn, Results, in_executor, in_processes, in_turn

CARRIED = ("job", "inputs", "pecli", *LIBRARIES)  # what a file says of how it was made; JSON files hold numbers besides
STATES = WRITTEN, SKIPPED, FAILED = "written", "skipped", "failed"


@dataclass(frozen=True)
class Outcome:
    """How one picture ended: its files, what the user should know, why it failed.

    job : a Job; what was asked for, or None, where it did not come to be one
    where : its place in a batch file
    """

    job: Request | None
    state: str
    paths: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()
    failure: PecliError | None = None
    where: str = ""


def cores() -> int:
    """The processors this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def is_done(job: Job) -> bool:
    """Whether every file of the job is there and carries the same job, made by the same versions."""
    wanted = json.loads(job.metadata())
    return bool(job.targets) and all(carries(path, wanted) for path in job.paths)


def carries(path: str, wanted: dict[str, object]) -> bool:
    """Whether the file is there and carries that job."""
    if Path(path).suffix.lower().removeprefix(".") not in READERS or not os.path.isfile(path):
        return False
    try:
        found = read_metadata(path)
    except PecliError:
        return False
    return {name: value for name, value in found.items() if name in CARRIED} == wanted


ONE_AT_A_TIME = threading.Lock()  # numbers too: memory is counted for one picture a process


def draw(job: Job) -> Drawn:
    """Return the job's files as bytes; whatever it raises is its failure."""
    try:
        with ONE_AT_A_TIME:
            picture = Picture(job)
            data = picture.render(*(target.format for target in job.targets))
            return Drawn(tuple(data), tuple(picture.notes))
    except Exception as error:
        return Drawn(failure=failure_of(error))


def do(job: Job) -> Outcome:
    """One job, drawn and written."""
    return _written(job, draw(job))


def _written(job: Job, drawn: Drawn) -> Outcome:
    """Writes what was drawn."""
    if drawn.failure is not None:
        return Outcome(job, FAILED, job.paths, (), drawn.failure)
    try:
        for path, data in zip(job.paths, drawn.files, strict=True):
            check_target(path, not job.output.no_clobber)
            write(path, data)
    except Exception as error:
        return Outcome(job, FAILED, job.paths, (), failure_of(error))
    return Outcome(job, WRITTEN, job.paths, drawn.notes)


def run(
    jobs: Sequence[Job],
    *,
    workers: int | None = 1,
    executor: Executor | None = None,
    force: bool = False,
    fail_fast: bool = False,
) -> Generator[Outcome, None, None]:
    """The jobs' outcomes as they come.

    Parameters
    ----------
    jobs : checked beforehand
    workers : processes; None for one a core
    executor : draws instead of those; what it draws is written here
    force : draw also what already exists
    fail_fast : start nothing new once one has failed
    """
    todo = []
    for job in jobs:
        kept = [path for path in job.paths if job.output.no_clobber and os.path.exists(path)]
        if kept or (not force and is_done(job)):
            yield Outcome(job, SKIPPED, job.paths)
        else:
            todo.append(job)
    with closing(_drawn(todo, workers, executor)) as results:
        for number, drawn in results:
            outcome = _written(todo[number], drawn)
            yield outcome
            if fail_fast and outcome.state == FAILED:
                return


def _drawn(jobs: Sequence[Job], workers: int | None, executor: Executor | None) -> Results:
    if executor is not None:
        return in_executor(jobs, draw, executor)
    count = min(workers or cores(), len(jobs), _fitting(jobs))
    if count <= 1:
        return in_turn(jobs, draw)
    if START == "fork":
        import_module("matplotlib.figure")  # once, here, shared by the workers
    return in_processes(jobs, draw, count)


def _fitting(jobs: Sequence[Job]) -> int:
    """How many of the largest of the jobs memory holds at once, at least one: each was checked by itself."""
    free, most = available(), max((job.memory for job in jobs), default=0)
    return len(jobs) if free is None or most == 0 else max(1, free // most)
