"""What came of a job as plain data: files, the whole job, key numbers, and what is seen in a sentence."""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pecli.analysis import Numbers
from pecli.core.errors import PecliError
from pecli.core.language import both, capitalised, clauses, listing, phrase, speaking
from pecli.core.values import write_scalar
from pecli.figures.figure import Figure
from pecli.files.formats import FORMATS
from pecli.files.metadata import read_metadata
from pecli.files.number_bytes import plain
from pecli.jobs.job import Job
from pecli.jobs.request import Request, versions

if TYPE_CHECKING:
    from pecli.jobs.picture import Picture
    from pecli.jobs.run_jobs import Outcome

VERSIONS = dict.fromkeys(("pecli", "matplotlib", "numpy"), "its version")
RESULT_KEYS = {  # and what each is, for the page of reference
    "files": "what was written: path and bytes of each",
    "job": "command, encoding and every option, defaults included; null where nothing is said",
    "inputs": "the files that were read: name, size and digest; not there where none was",
    **VERSIONS,
    "encodings": "name, spec and every parameter of each",
    "alt": "what is to be seen, in a sentence or two",
    "facts": "key numbers, below",
}
OUTCOME_KEYS = {
    "state": "written, skipped or failed",
    "failure": "why it failed, else null",
    "where": "its figure, with file and line",
}


def result_of(picture: Picture, paths: list[str]) -> dict[str, Any]:
    """The result of one job: "files", "alt", "job", "encodings", "facts" and the versions that drew it."""
    job = picture.job
    whole = job.figure.drawn and all(FORMATS[target.format].numbers for target in job.targets)
    numbers = picture.numbers if whole else picture.seen
    files = [{"path": path, "bytes": picture.sizes[path]} for path in paths]
    return {"files": files, **job_data(job, sentence(job, numbers)), "facts": plain(numbers.facts())}


def job_data(job: Job, alt: str) -> dict[str, Any]:
    """All that a job is of, defaults included, null where nothing is said; what its figures were drawn from."""
    return {**json.loads(job.metadata()), **_asked_data(job), "alt": alt}


def _asked_data(request: Request) -> dict[str, Any]:
    settings = {"command": request.figure.name, **request.settings()}
    encodings = [{"name": one.name, "spec": one.spec(), **one.settings()} for one in request.encodings]
    return {"job": settings, "encodings": encodings}


def sentence(job: Job, numbers: Numbers[Any] | None = None) -> str:
    """What is to be seen, for who does not see it: what the numbers show, then the figure, of what, where and how.

    numbers : none where they were not computed
    """
    with speaking(job.language):
        message = "" if numbers is None else capitalised(numbers.message())
        said = phrase("{sentence}.", sentence=clauses([phrase(job.figure.summary), *_subject(job)]))
        return phrase("{message}. {sentence}", message=message, sentence=said) if message else said


def alt_in_file(job: Job) -> str:
    """What is to be seen, as the first of the job's files says it that says anything."""
    for path in job.paths:
        try:
            return str(read_metadata(path)["alt"])
        except (PecliError, KeyError):
            continue
    return sentence(job)


def labels_of(job: Job, join: Callable[[Iterable[str]], str] = listing) -> str:
    """The encodings; of a whole sweep what all have in common, and the options that it goes through."""
    if job.cells and isinstance(job.analysis, Figure):
        through = phrase("by {options}", options=listing(name.replace("_", " ") for name in job.axes))
        return listing([job.analysis.title(job.view), through])
    return join(one.label() for one in job.view.encodings)


def _subject(job: Job) -> list[str]:
    """What a picture or report is of, where and how."""
    figure, positions = job.figure, job.view.positions
    options = figure.changed(figure.default_options).items()
    how = [f"{name.replace('_', ' ')} {figure.options()[name].write(value)}" for name, value in options]
    first, last = write_scalar(positions.start), write_scalar(positions.stop - 1)
    return [labels_of(job, both), phrase("positions {first} to {last}", first=first, last=last), *how]


def outcome_data(outcome: Outcome) -> dict[str, Any]:
    """What came of one picture of a batch: its state, why it failed, and the rest as `result_of` has it, or null."""
    there = [path for path in outcome.paths if os.path.isfile(path)]
    files = [{"path": path, "bytes": Path(path).stat().st_size} for path in there]
    failure = None if outcome.failure is None else outcome.failure.sentence()
    ended = {"state": outcome.state, "failure": failure, "where": outcome.where, "files": files}
    return {**ended, **_outcome_job(outcome.job)}


def _outcome_job(asked: Request | None) -> dict[str, Any]:
    if isinstance(asked, Job):
        return job_data(asked, alt_in_file(asked))
    known = {"job": None, "encodings": None} if asked is None else _asked_data(asked)
    return {**versions(), **known, "alt": None}
