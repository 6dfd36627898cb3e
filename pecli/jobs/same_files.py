"""Two pictures that would be written to one file, found before anything is drawn."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from pecli.core.errors import UsageError
from pecli.files.targets import place
from pecli.jobs.file_names import blanks
from pecli.jobs.job import Job


def check_targets(jobs: Iterable[Job]) -> None:
    """Refuses two jobs that would write one file."""
    wrong = clashes((job, "") for job in jobs)
    if wrong:
        raise UsageError("\n".join(wrong), option="output")


def clashes(jobs: Iterable[tuple[Job, str]], read: Iterable[str] = ()) -> list[str]:
    """What to say of jobs (each with the place where it is asked for) that would write one file.

    read : files that no job may write, besides those that one of them is made from
    """
    planned = list(jobs)
    kept = {place(path) for path in [*read, *(path for job, _ in planned for path in job.inputs())]}
    owners: dict[str, tuple[Job, str]] = {}
    wrong = []
    for job, where in planned:
        for path in job.paths:
            at = place(path)
            if at in kept:
                wrong.append(
                    f"{path}{f' ({where})' if where else ''} would replace a file that is read here: rename it"
                )
            if at in owners:
                other, there = owners[at]
                asked = f" ({there}; {where})" if where else ""
                wrong.append(f"two pictures would be written to {path}{asked}: {_telling(other, job)}")
            owners.setdefault(at, (job, where))
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
