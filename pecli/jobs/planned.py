"""One figure of a batch file becomes its pictures; what one of them raises is its own failure, the others stay."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from pecli.analysis import Analysis
from pecli.core import interrupts
from pecli.core.errors import PecliError, UnusedOptionError, UsageError, failure_of, mention
from pecli.core.memory import Memory
from pecli.jobs.file_names import check_made_up, plain_path, targets_of
from pecli.jobs.job import Job, gathered
from pecli.jobs.request import Request

STDOUT = "-"


@dataclass(frozen=True)
class Planned:
    """One picture of a batch file.

    asked : a Job where it was settled; None where nothing could be made of what is asked for
    paths : its files
    failure : why it cannot be drawn, or could not be
    where : what stands before its failure: the line of the file, the figure
    """

    asked: Request | None = None
    paths: tuple[str, ...] = ()
    failure: PecliError | None = None
    where: str = ""

    @property
    def job(self) -> Job | None:
        """What draws it, where it can be drawn."""
        return self.asked if isinstance(self.asked, Job) and self.failure is None else None


@dataclass(frozen=True)
class Asked:
    """What one figure of a file asks for, each value right by itself, and those of the file's defaults it may take."""

    analysis: type[Analysis[Any]]
    given: Mapping[str, Any]
    defaults: Mapping[str, Any]


def pictures_of(asked: Asked, folder: Path, memory: Memory) -> list[Planned]:
    """The pictures of a figure, with those of the defaults that mean something to it.

    Raises
    ------
    UsageError : an output would leave the folder
    """
    found = _pictures(asked, folder, memory)
    unused = {one.failure.option for one in found if isinstance(one.failure, UnusedOptionError)}
    left = {name: value for name, value in asked.defaults.items() if name not in unused - asked.given.keys()}
    return found if len(left) == len(asked.defaults) else pictures_of(replace(asked, defaults=left), folder, memory)


def _pictures(asked: Asked, folder: Path, memory: Memory) -> list[Planned]:
    name = asked.analysis.name
    try:
        requests = gathered(name, {**asked.defaults, **asked.given})
        targets = [targets_of(request) for request in requests]
        if not targets[0]:
            text = f"output is missing: {name} draws nothing, so name a file such as {name}.json"
            raise UsageError(text, option="output")
    except Exception as error:  # whatever it is, the other figures are drawn
        return [Planned(failure=_failure(error))]
    places = [tuple(inside(folder, target.path) for target in each) for each in targets]
    return [_picture(one, paths, memory) for one, paths in zip(requests, places, strict=True)]


def _picture(asked: Request, paths: tuple[str, ...], memory: Memory) -> Planned:
    """The picture to those files settled, and checked for what the machine alone knows."""
    made = request = asked.written_to(list(map(plain_path, paths)))
    try:
        check_made_up(asked, paths)
        made = job = Job.settled(request, memory)
        job.check(planned=True)
    except Exception as error:
        return Planned(made, paths, _failure(error))
    return Planned(job, job.paths)


def _failure(error: Exception) -> PecliError:
    interrupts.check()  # an import that a signal cut in two is no failure of the picture
    return failure_of(error)


def inside(folder: Path, path: str, option: str = "output") -> str:
    """The path in the folder; raises UsageError for one that would leave it, here or on another system."""
    said = mention(option, path)
    if "\\" in path:
        text = f"{said} has a \\, which parts folders on Windows alone: write /, also there"
        raise UsageError(text, option=option, value=path)
    try:
        real = folder.resolve()
        there = (real / path).resolve()
    except (OSError, RuntimeError, ValueError) as error:  # a loop of symlinks, a NUL
        raise UsageError(f"{said} cannot be made: {error}", option=option, value=path) from None
    if path == STDOUT or not there.is_relative_to(real):
        text = f"{said} leaves the folder {folder}: name a file inside it"
        raise UsageError(text, option=option, value=path)
    return str(folder / path)
