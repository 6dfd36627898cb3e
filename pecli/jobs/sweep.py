"""Several values where an option takes one: every combination is a job."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from itertools import product
from pathlib import Path
from typing import Any

from pecli.analysis import Analysis
from pecli.core.errors import UsageError
from pecli.core.options import Option
from pecli.files.writer import place
from pecli.jobs.command_line import blanks
from pecli.jobs.job import Job
from pecli.jobs.job_options import Choice, find_analysis, known_options, spelled_out

MOST = 100_000  # pictures of one sweep


def jobs_of(analysis: str, given: Mapping[str, Any]) -> list[Job]:
    """The jobs that a mapping of option names to values, or lists of values, asks for.

    A list is several values of an option that takes one, and one value of an option that takes a list; lists of lists
    are several of the latter. Encodings are several values where the analysis looks at one.
    """
    kind = find_analysis(analysis)
    known = known_options(kind)
    spelled = spelled_out(known, given)
    names = list(spelled)
    choices = [_choices(known.get(name), value, kind) for name, value in spelled.items()]
    count = 1
    for one in choices:
        count *= len(one)
    if count > MOST:
        raise UsageError(f"this sweep asks for {count:,} pictures, and {MOST:,} are the most")
    return [Job.make(analysis, dict(zip(names, values, strict=True))) for values in product(*choices)]


def check_targets(jobs: Iterable[Job]) -> None:
    """Refuses two jobs that would write one file."""
    wrong = twice((job, "") for job in jobs)
    if wrong:
        raise UsageError("\n".join(wrong))


def twice(jobs: Iterable[tuple[Job, str]]) -> list[str]:
    """What to say of jobs (each with the place where it is asked for) that would write one file."""
    owners: dict[str, tuple[Job, str]] = {}
    wrong = []
    for job, where in jobs:
        for path in job.targets():
            if place(path) in owners:
                other, there = owners[place(path)]
                asked = f" ({there}; {where})" if where else ""
                wrong.append(f"two pictures would be written to {path}{asked}: {_telling(other, job)}")
            owners.setdefault(place(path), (job, where))
    for path, (_, where) in owners.items():
        above = next((owners[str(up)] for up in Path(path).parents if str(up) in owners), None)
        if above is not None:
            wrong.append(f"{path}{f' ({above[1]}; {where})' if where else ''} stands under a file of another picture")
    return wrong


def _telling(one: Job, other: Job) -> str:
    """What to put into the name so that the two differ."""
    first, second = blanks(one), blanks(other)
    differing = [name for name in first if name in second and first[name] != second[name]]
    if one.metadata() == other.metadata():
        return "they are the same picture twice"
    if not differing:
        return "give each a name of its own"
    return f"put {{{'encoding' if 'encoding' in differing else differing[0]}}} into its name"


def _choices(one: Option | None, value: Any, analysis: type[Analysis[Any]]) -> Sequence[Any]:
    """The values an option is given, one or more."""
    if one is None or not isinstance(value, (list, tuple)):
        return [value]
    single = not one.many or (one.name in Choice.options() and not analysis.several)
    if single or any(isinstance(item, (list, tuple)) for item in value):
        return value or [value]
    return [value]
