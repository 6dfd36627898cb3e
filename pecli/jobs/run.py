"""Many jobs done: skipped where the file already shows the job, in one process or several, failures kept apart."""

from __future__ import annotations

import json
import os
import time
from collections.abc import Callable, Collection, Generator, Iterable, Iterator, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass, field
from functools import partial
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, TypedDict, cast

from pecli.core.errors import PecliError, as_pecli_error
from pecli.core.memory import available
from pecli.core.progress import track
from pecli.files.metadata import can_carry, find_metadata
from pecli.files.writer import real_path
from pecli.jobs.job import LIBRARIES, Job
from pecli.jobs.picture import Answer, JobData, Picture, answer_of, job_data, said_in_file, write_files
from pecli.jobs.workers import ENDED, START, cores, in_executor, in_order, in_processes
from pecli.page.style import DRAWING

if TYPE_CHECKING:
    from concurrent.futures import Executor, Future

CARRIED = ("job", "inputs", "pecli", *LIBRARIES)  # what a file says of how it was made; JSON files hold numbers besides
STATES = WRITTEN, SKIPPED, FAILED = "written", "skipped", "failed"
MISSING, STALE, UNASKED = "missing", "stale", "no longer asked for"


class WrittenFile(TypedDict):
    """A file that was written."""

    path: str
    bytes: int


class PictureAnswer(Answer):
    """What --json says of a picture or report and its files."""

    files: list[WrittenFile]


class BatchAnswer(JobData):
    """What --json says of a figure of a batch file; the state is one of STATES."""

    state: Literal["written", "skipped", "failed"]
    failure: str | None
    seconds: float | None
    where: str
    files: list[WrittenFile]


class Drawn(NamedTuple):
    """What came of drawing a job.

    files : the bytes of each target, in pieces that may be made while they are written
    seconds : that it took
    answer : what --json says of it, where that was asked for
    """

    files: Sequence[Iterable[bytes]]
    notes: tuple[str, ...]
    seconds: float
    answer: Answer | None


@dataclass(frozen=True)
class Result:
    """How one picture ended.

    state : written, skipped or failed
    notes : what the user should know
    failure : why it failed
    seconds : that drawing took, where it was drawn
    sizes : bytes written to each path, also before a failure
    answer : what --json says of it, where that was asked for
    """

    job: Job
    state: str
    notes: tuple[str, ...] = ()
    failure: PecliError | None = None
    seconds: float | None = field(default=None, compare=False)
    sizes: Mapping[str, int] = field(default_factory=dict, compare=False)
    answer: Answer | None = field(default=None, compare=False)

    @property
    def paths(self) -> tuple[str, ...]:
        """Its files."""
        return self.job.paths

    @property
    def where(self) -> str:
        """Its place in a batch file."""
        return self.job.where

    def data(self) -> BatchAnswer:
        """Return what came of it for --json: its state, why it failed, and the rest as one picture's has it."""
        files = [WrittenFile(path=path, bytes=Path(path).stat().st_size) for path in self.paths if os.path.isfile(path)]
        return {
            "state": cast("Literal['written', 'skipped', 'failed']", self.state),
            "failure": None if self.failure is None else self.failure.sentence(),
            "seconds": self.seconds,
            "where": self.where,
            "files": files,
            **job_data(self.job, said_in_file(self.job)),
        }


def is_done(job: Job) -> bool:
    """Return whether every file of the job is there and carries the same job, made by the same versions."""
    wanted = json.loads(job.metadata)
    return bool(job.targets) and all(carries(path, wanted) for path in job.paths)


def carries(path: str, wanted: dict[str, object]) -> bool:
    """Return whether the file is there and carries that job."""
    return {name: value for name, value in find_metadata(path).items() if name in CARRIED} == wanted


def draw(job: Job, *, answered: bool, held: bool, frames: int = 1) -> Drawn:
    """Return what a job's files hold; what goes wrong is a PecliError.

    answered : whether what --json says of it is wanted too
    held : whether the files are there as a whole, to be written by another process
    frames : processes that draw the pictures of one file
    """
    try:
        with DRAWING:
            begun = time.monotonic()
            picture: Picture[Any] = Picture(job, frames)
            formats = [target.format for target in job.targets]
            files = [[data] for data in picture.render(*formats)] if held else picture.pieces(formats)
            answer = answer_of(picture) if answered else None
            return Drawn(files, tuple(picture.notes), round(time.monotonic() - begun, 3), answer)
    except Exception as error:
        failure = as_pecli_error(error)
        raise failure from None if failure is error else error  # which -v shows


def _received(future: Future[Drawn]) -> Drawn:
    """Return what another process drew; PecliError where it failed, or is no longer there."""
    from concurrent.futures.process import BrokenProcessPool

    try:
        return future.result()
    except PecliError:
        raise
    except BrokenProcessPool:
        raise PecliError(ENDED) from None
    except Exception as error:  # drawing raises none: it is the executor's
        raise PecliError(f"the executor lost the picture{f': {error}' if str(error) else ''}") from None


def _result(job: Job, drawn: Callable[[], Drawn]) -> Result:
    """Write what is drawn; return how that ended."""
    sizes: dict[str, int] = {}
    try:
        files, notes, seconds, answer = drawn()
        write_files(job, files, sizes)
        return Result(job, WRITTEN, notes, None, seconds, sizes, answer)
    except BrokenPipeError:  # the reader of standard output has gone, and nothing else can be told
        raise
    except Exception as error:
        return Result(job, FAILED, failure=as_pecli_error(error), sizes=sizes)


def run(
    jobs: Sequence[Job],
    *,
    workers: int | None = 1,
    executor: Executor | None = None,
    frames: int = 1,
    force: bool = False,
    fail_fast: bool = False,
    ordered: bool = False,
    answered: bool = False,
) -> Generator[Result, None, None]:
    """Yield the jobs' results as they come: the one way of every command and of Python from many jobs to files.

    A job is skipped where its files already show it, or where one is there that --no-clobber keeps. One that fails
    costs none of the others unless `fail_fast` says so. A single command forces all and stops at the first failure,
    which is its exit code; a batch ends with 1 where any failed.

    Parameters
    ----------
    jobs : checked beforehand
    workers : processes; None for one a core
    executor : draws instead of those; what it draws is written here
    frames : processes for the pictures of one file, where the files are drawn in this one
    force : draw also what already exists
    fail_fast : start nothing new once one has failed
    ordered : yield the results in the order of the jobs
    answered : each with what --json says of it
    """
    todo = []
    for job in jobs:
        kept = job.output.no_clobber and any(map(os.path.exists, job.paths))
        if kept or (not force and is_done(job)):
            yield Result(job, SKIPPED)
        else:
            todo.append(job)
    with closing(_drawn(todo, workers, executor, frames, ordered, answered)) as drawn:
        for job, made in drawn:
            result = _result(job, made)
            yield result
            if fail_fast and result.state == FAILED:
                return


def _drawn(
    jobs: Sequence[Job], workers: int | None, executor: Executor | None, frames: int, ordered: bool, answered: bool
) -> Generator[tuple[Job, Callable[[], Drawn]], None, None]:
    """Yield the jobs as they are drawn, each with what gives its files or raises why there are none."""
    count = min(workers or cores(), len(jobs))
    if count > 1 and (free := available()) is not None:  # each was checked by itself
        count = min(count, max(1, free // max(1, *(job.memory for job in jobs))))
    if executor is None and count <= 1:
        yield from ((job, partial(draw, job, answered=answered, held=False, frames=frames)) for job in jobs)
        return
    if executor is None and START == "fork":
        import_module("matplotlib.figure")  # once, here, shared by the workers
    work = partial(draw, answered=answered, held=True)
    results = in_processes(work, jobs, count) if executor is None else in_executor(work, jobs, executor)
    with closing(in_order(results) if ordered else results) as futures:
        for number, future in futures:
            yield jobs[number], partial(_received, future)


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
