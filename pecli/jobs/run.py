"""Many jobs done: skipped where the file already shows the job, in one process or several, failures kept apart."""

from __future__ import annotations

import json
import os
import threading
import time
from collections.abc import Callable, Collection, Generator, Iterable, Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass, field
from functools import partial
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pecli.core.errors import PecliError, as_pecli_error
from pecli.core.memory import available
from pecli.core.progress import track
from pecli.files.metadata import can_carry, find_metadata
from pecli.files.writer import check_target, real_path, write
from pecli.jobs.job import LIBRARIES, Job
from pecli.jobs.picture import Picture, job_data, said_in_file
from pecli.jobs.workers import ENDED, START, cores, in_executor, in_processes

if TYPE_CHECKING:
    from concurrent.futures import Executor

CARRIED = ("job", "inputs", "pecli", *LIBRARIES)  # what a file says of how it was made; JSON files hold numbers besides
STATES = WRITTEN, SKIPPED, FAILED = "written", "skipped", "failed"
MISSING, STALE, UNASKED = "missing", "stale", "no longer asked for"
ONE_AT_A_TIME = threading.Lock()  # numbers too: memory is counted for one picture a process
Rendered = tuple[tuple[bytes, ...], tuple[str, ...], float]  # the bytes of each file, the notes, seconds


@dataclass(frozen=True)
class Result:
    """How one picture ended.

    state : written, skipped or failed
    notes : what the user should know
    failure : why it failed
    seconds : that drawing took, where it was drawn
    """

    job: Job
    state: str
    notes: tuple[str, ...] = ()
    failure: PecliError | None = None
    seconds: float | None = field(default=None, compare=False)

    @property
    def paths(self) -> tuple[str, ...]:
        """Its files."""
        return self.job.paths

    @property
    def where(self) -> str:
        """Its place in a batch file."""
        return self.job.where

    def data(self) -> dict[str, Any]:
        """Return what came of it for --json: its state, why it failed, and the rest as one picture's has it."""
        files = [{"path": path, "bytes": Path(path).stat().st_size} for path in self.paths if os.path.isfile(path)]
        failure = None if self.failure is None else self.failure.sentence()
        ended = {"state": self.state, "failure": failure, "seconds": self.seconds, "where": self.where, "files": files}
        return {**ended, **job_data(self.job, said_in_file(self.job))}


def is_done(job: Job) -> bool:
    """Return whether every file of the job is there and carries the same job, made by the same versions."""
    wanted = json.loads(job.metadata)
    return bool(job.targets) and all(carries(path, wanted) for path in job.paths)


def carries(path: str, wanted: dict[str, object]) -> bool:
    """Return whether the file is there and carries that job."""
    return {name: value for name, value in find_metadata(path).items() if name in CARRIED} == wanted


def draw(job: Job) -> Rendered:
    """Return the job's files as bytes, and what the user should know; whatever goes wrong is a PecliError."""
    try:
        with ONE_AT_A_TIME:
            begun = time.monotonic()
            picture: Picture[Any] = Picture(job)
            data = picture.render(*(target.format for target in job.targets))
            return tuple(data), tuple(picture.notes), round(time.monotonic() - begun, 3)
    except Exception as error:
        raise as_pecli_error(error) from None


def _result(job: Job, rendered: Callable[[], Rendered]) -> Result:
    """Write what was drawn; return how that ended."""
    from concurrent.futures.process import BrokenProcessPool

    try:
        files, notes, seconds = rendered()
        for path, data in zip(job.paths, files, strict=True):
            check_target(path, not job.output.no_clobber)
            write(path, data)
        return Result(job, WRITTEN, notes, seconds=seconds)
    except PecliError as error:
        failure = error
    except BrokenProcessPool:
        failure = PecliError(ENDED)
    except Exception as error:  # drawing raises none: it is the executor's
        failure = PecliError(f"the executor lost the picture{f': {error}' if str(error) else ''}")
    return Result(job, FAILED, failure=failure)


def run(
    jobs: Sequence[Job],
    *,
    workers: int | None = 1,
    executor: Executor | None = None,
    force: bool = False,
    fail_fast: bool = False,
) -> Generator[Result, None, None]:
    """Yield the jobs' results as they come.

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
        kept = job.output.no_clobber and any(map(os.path.exists, job.paths))
        if kept or (not force and is_done(job)):
            yield Result(job, SKIPPED)
        else:
            todo.append(job)
    with closing(_drawn(todo, workers, executor)) as drawn:
        for job, rendered in drawn:
            result = _result(job, rendered)
            yield result
            if fail_fast and result.state == FAILED:
                return


def _drawn(
    jobs: Sequence[Job], workers: int | None, executor: Executor | None
) -> Generator[tuple[Job, Callable[[], Rendered]], None, None]:
    """Yield the jobs as they are drawn, each with what gives its files or raises why there are none."""
    free, most = available(), max((job.memory for job in jobs), default=0)  # each was checked by itself
    fitting = len(jobs) if free is None or most == 0 else max(1, free // most)
    count = min(workers or cores(), len(jobs), fitting)
    if executor is None and count <= 1:
        yield from ((job, partial(draw, job)) for job in jobs)
        return
    if executor is None and START == "fork":
        import_module("matplotlib.figure")  # once, here, shared by the workers
    results = in_processes(draw, jobs, count) if executor is None else in_executor(draw, jobs, executor)
    with closing(results):
        for number, future in results:
            yield jobs[number], future.result


def differences(jobs: Iterable[Job], asked: Collection[str]) -> Iterator[tuple[str, str]]:
    """Yield states and paths: what is missing or stale of these jobs' files, and what stands beside those asked for.

    A file that cannot carry its job (.csv, .npy) is there or missing; whether it is stale nobody can say.
    """
    for job in track(list(jobs), "looking"):
        wanted = json.loads(job.metadata)
        for path in job.paths:
            if not os.path.isfile(path):
                yield MISSING, path
            elif can_carry(path) and not carries(path, wanted):
                yield STALE, path
    places = {real_path(path) for path in asked}
    for folder in sorted({Path(path).parent for path in asked}):
        for path in map(str, sorted(folder.iterdir()) if os.path.isdir(folder) else []):
            if real_path(path) not in places and find_metadata(path):
                yield UNASKED, path
