"""Run many jobs in one or several processes; skip files that are up to date, and carry on after failures."""

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

from pecli.core.errors import PecliError, as_pecli_error, path_text
from pecli.core.memory import available
from pecli.core.progress import track
from pecli.files.metadata import can_carry, find_metadata
from pecli.files.writer import real_path
from pecli.jobs.job import LIBRARIES, Job
from pecli.jobs.picture import Answer, JobData, Picture, answer_of, job_data, kept_files, texts_in_file, write_files
from pecli.jobs.workers import START, cores, in_executor, in_order, in_processes, process_ended
from pecli.page.style import DRAWING

if TYPE_CHECKING:
    from concurrent.futures import Executor, Future

CARRIED = ("job", "inputs", "pecli", *LIBRARIES)  # keys of the metadata that state how a file was made
STATES = WRITTEN, SKIPPED, FAILED = "written", "skipped", "failed"
MISSING, STALE, UNASKED = "missing", "stale", "no longer asked for"


class WrittenFile(TypedDict):
    """A file that was written."""

    path: str
    bytes: int


class PictureAnswer(Answer):
    """The --json output for a picture or report and its files."""

    files: list[WrittenFile]


class BatchAnswer(JobData):
    """The --json output for one figure of a batch file; the state is one of STATES."""

    state: Literal["written", "skipped", "failed"]
    failure: str | None
    seconds: float | None
    where: str
    files: list[WrittenFile]


class Drawn(NamedTuple):
    """The result of drawing a job, not yet written.

    files : content of each target, in pieces that may be computed while they are written
    notes : notes for the user
    seconds : time that drawing took
    answer : the --json output, if requested
    failed : why the numbers fail a condition that the options set, "" if they do not
    """

    files: Sequence[Iterable[bytes]]
    notes: tuple[str, ...]
    seconds: float
    answer: Answer | None
    failed: str = ""


@dataclass(frozen=True)
class Result:
    """The outcome of one job.

    state : written, skipped or failed
    notes : notes for the user
    failure : the error, if it failed
    seconds : time that drawing took, if it was drawn
    sizes : bytes written to each path, including those before a failure
    answer : the --json output, if requested
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
        """The paths of the job's files."""
        return self.job.paths

    @property
    def where(self) -> str:
        """``file:line`` in a batch file."""
        return self.job.where

    def data(self) -> BatchAnswer:
        """Return the result for --json: state, failure, files, and the settings and texts of the picture."""
        files = [WrittenFile(path=path, bytes=Path(path).stat().st_size) for path in self.paths if os.path.isfile(path)]
        return {
            "state": cast("Literal['written', 'skipped', 'failed']", self.state),
            "failure": None if self.failure is None else self.failure.sentence(),
            "seconds": self.seconds,
            "where": self.where,
            "files": files,
            **job_data(self.job, texts_in_file(self.job)),
        }


def is_done(job: Job) -> bool:
    """Return whether every file of the job exists and was made from the same job by the same versions."""
    if not job.targets or not all(map(os.path.isfile, job.paths)):  # before the metadata, which take longer to make
        return False
    wanted = json.loads(job.metadata)
    return all(carries(path, wanted) for path in job.paths)


def carries(path: str, wanted: dict[str, object]) -> bool:
    """Return whether the file exists and stores the metadata `wanted`."""
    return {name: value for name, value in find_metadata(path).items() if name in CARRIED} == wanted


def draw(job: Job, *, answered: bool, held: bool, frames: int = 1) -> Drawn:
    """Draw a job and return the content of its files; every error is a PecliError.

    answered : also compute the --json output
    held : compute the files completely, because another process will write them
    frames : number of processes that draw the frames of one file
    """
    try:
        with DRAWING:
            begun = time.monotonic()
            picture: Picture[Any] = Picture(job, frames)
            formats = [target.format for target in job.targets]
            files = [[data] for data in picture.render(*formats)] if held else picture.pieces(formats)
            answer = answer_of(picture) if answered else None
            seconds, failed = round(time.monotonic() - begun, 3), picture.failure
            return Drawn(files, tuple(picture.notes), seconds, answer, failed)
    except Exception as error:
        failure = as_pecli_error(error)
        raise failure from None if failure is error else error  # the cause, shown by -v


def _received(future: Future[Drawn]) -> Drawn:
    """Return what another process drew; raise PecliError if it failed or ended."""
    from concurrent.futures.process import BrokenProcessPool

    try:
        return future.result()
    except PecliError:
        raise
    except BrokenProcessPool:
        raise process_ended() from None
    except Exception as error:  # not from `draw`, so from the executor
        raise PecliError(f"the executor lost the picture{f': {error}' if str(error) else ''}") from None


def kept_notes(job: Job) -> tuple[str, ...]:
    """Return a note on each file that is kept."""
    return tuple(f"{path_text(path)} exists and is kept" for path in kept_files(job))


def _result(job: Job, drawn: Callable[[], Drawn]) -> Result:
    """Write what `drawn` returns and return the outcome."""
    sizes: dict[str, int] = {}
    try:
        files, notes, seconds, answer, failed = drawn()
        notes = (*notes, *kept_notes(job))
        write_files(job, files, sizes)
        failure = PecliError(failed) if failed else None
        return Result(job, FAILED if failure else WRITTEN, notes, failure, seconds, sizes, answer)
    except BrokenPipeError:  # standard output is closed, so nothing can be reported
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
    """Draw and write the jobs, yielding their results as they finish. Every command uses this function.

    A job is skipped if its files are up to date, or all exist and --no-clobber is set. A failure does not affect the
    other jobs unless `fail_fast` is set.

    Parameters
    ----------
    jobs : jobs that were checked
    workers : number of processes; None for one per core
    executor : draws the jobs instead of local processes; this process still writes the files
    frames : number of processes for the frames of one file, if files are drawn in this process
    force : draw up-to-date files too
    fail_fast : start no further job after a failure
    ordered : yield the results in the order of the jobs
    answered : include the --json output in each result
    """
    todo = []
    for job in jobs:
        if (job.targets and len(kept_files(job)) == len(job.paths)) or (not force and is_done(job)):
            yield Result(job, SKIPPED, kept_notes(job))
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
    """As jobs finish drawing, yield each with a function that returns its `Drawn` or raises its error.

    The parameters are those of `run`.
    """
    count = min(workers or cores(), len(jobs))
    if count > 1 and (free := available()) is not None:  # each job alone fits, checked before
        count = min(count, max(1, free // max(1, *(job.memory for job in jobs))))
    if executor is None and count <= 1:
        yield from ((job, partial(draw, job, answered=answered, held=False, frames=frames)) for job in jobs)
        return
    if executor is None and START == "fork":
        import_module("matplotlib.figure")  # imported once and shared by the forked workers
    work = partial(draw, answered=answered, held=True)
    results = in_processes(work, jobs, count) if executor is None else in_executor(work, jobs, executor)
    with closing(in_order(results) if ordered else results) as futures:
        for number, future in futures:
            yield jobs[number], partial(_received, future)


def differences(jobs: Iterable[Job], asked: Collection[str]) -> Iterator[tuple[str, str]]:
    """Yield (state, path) for missing and stale files of these jobs, and for orphans in the folders of `asked`.

    A .csv or .npy file is never reported as stale, because it cannot store its job.
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
