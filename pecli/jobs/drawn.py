"""A job drawn, in whatever process or machine that happens: bytes that somebody else writes, or why there are none."""

from __future__ import annotations

import threading
from dataclasses import dataclass

from pecli.core import interrupts
from pecli.core.errors import PecliError, failure_of
from pecli.jobs.job import Job
from pecli.jobs.picture import Picture

ONE_AT_A_TIME = threading.Lock()  # numbers too: memory is counted for one picture a process


@dataclass(frozen=True)
class Drawn:
    """What drawing a job gave: the bytes of each of its files and what the user should know, or a failure."""

    files: tuple[bytes, ...] = ()
    notes: tuple[str, ...] = ()
    failure: PecliError | None = None


def draw(job: Job) -> Drawn:
    """The job's files as bytes; whatever it raises is its failure."""
    try:
        with ONE_AT_A_TIME:
            picture = Picture(job)
            data = picture.render(*(target.format for target in job.targets))
            return Drawn(tuple(data), tuple(picture.notes))
    except Exception as error:
        interrupts.check()  # an import that a signal cut in two is no failure of the job
        return Drawn(failure=failure_of(error))
