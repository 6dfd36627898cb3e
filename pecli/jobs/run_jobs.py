"""Many jobs done: skipped where the file already shows the job, in one process or several, failures kept apart."""

from __future__ import annotations

import json
import logging
import multiprocessing
import os
import signal
import sys
import warnings
from collections.abc import Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ProcessPoolExecutor, wait
from dataclasses import dataclass, field
from importlib import import_module
from pathlib import Path

from pecli.core.errors import PecliError
from pecli.files.formats import FORMATS, read_metadata
from pecli.jobs.job import Job
from pecli.jobs.picture import Picture
from pecli.jobs.request import versions

CARRIED = ("job", "inputs", *versions())  # what a file says of how it was made; JSON files hold numbers besides
START = "fork" if sys.platform == "linux" else "spawn"  # how a worker begins: a copy of this process, or a new one
WRITTEN, SKIPPED, FAILED = "written", "skipped", "failed"


@dataclass(frozen=True)
class Outcome:
    """How one job ended: its files, and what the user should know."""

    job: Job
    state: str
    paths: tuple[str, ...] = ()
    notes: tuple[str, ...] = field(default=())


def cores() -> int:
    """The processors this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def is_done(job: Job) -> bool:
    """Whether every file of the job is there and carries the same job, made by the same versions."""
    wanted = json.loads(job.metadata())
    return bool(job.targets) and all(_carries(path, wanted) for path in job.paths)


def _carries(path: str, wanted: dict[str, object]) -> bool:
    format = FORMATS.get(Path(path).suffix.lower().removeprefix("."))
    if format is None or format.metadata is None or not os.path.isfile(path):
        return False
    try:
        found = read_metadata(path)
    except PecliError:
        return False
    return {name: value for name, value in found.items() if name in CARRIED} == wanted


def do(job: Job) -> Outcome:
    """One job, drawn and written."""
    try:
        picture = Picture(job)
        return Outcome(job, WRITTEN, tuple(picture.save()), tuple(picture.notes))
    except (PecliError, OSError, MemoryError) as error:
        return Outcome(job, FAILED, job.paths, (str(error) or type(error).__name__,))


def run(jobs: Sequence[Job], *, workers: int = 1, force: bool = False, fail_fast: bool = False) -> Iterator[Outcome]:
    """The jobs' outcomes as they come.

    Parameters
    ----------
    jobs : checked beforehand
    workers : processes
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
    workers = min(workers, len(todo))
    for outcome in map(do, todo) if workers <= 1 else _in_processes(todo, workers):
        yield outcome
        if fail_fast and outcome.state == FAILED:
            return


def _in_processes(jobs: Sequence[Job], workers: int) -> Iterator[Outcome]:
    """Never more waiting than is soon begun, so that an interruption leaves little to finish."""
    if START == "fork":
        import_module("matplotlib.figure")  # once, here, shared by the workers
    left, running = list(reversed(jobs)), set[Future[Outcome]]()
    context = multiprocessing.get_context(START)
    said = logging.getLogger("matplotlib").level  # as much in a worker as here
    with ProcessPoolExecutor(workers, context, _begin, (said,)) as pool, warnings.catch_warnings():
        warnings.filterwarnings("ignore", ".*fork", DeprecationWarning)  # numpy's threads are idle here
        try:
            while left or running:
                while left and len(running) < 2 * workers:
                    running.add(pool.submit(do, left.pop()))
                finished, running = wait(running, return_when=FIRST_COMPLETED)
                yield from (future.result() for future in finished)
        finally:
            pool.shutdown(wait=True, cancel_futures=True)


def _begin(level: int) -> None:
    """A worker's own settings: how much matplotlib logs, and what signals do.

    Ctrl-C reaches the whole group; a worker finishes its picture and the parent sends no more.
    """
    logging.getLogger("matplotlib").setLevel(level)
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    signal.signal(signal.SIGTERM, signal.SIG_DFL)
