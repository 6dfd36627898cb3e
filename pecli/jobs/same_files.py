"""Two pictures that would be written to one file, found before anything is drawn."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import NamedTuple

from pecli.core.errors import UsageError
from pecli.files.targets import place
from pecli.jobs.file_names import blanks, check_made_up
from pecli.jobs.job import Job
from pecli.jobs.planned import Planned
from pecli.jobs.request import Request

MOST = 4  # places that a message names


def check_targets(jobs: Sequence[Job]) -> None:
    """Refuses two jobs that would write one file, and a name of our own for somebody else's file."""
    for job in jobs:
        check_made_up(job, job.paths)
    wrong = clashes(Planned(job, job.paths) for job in jobs)
    if wrong:
        raise UsageError.of_several(wrong, option="output")


class Asker(NamedTuple):
    """A file that a picture writes, and the picture."""

    path: str
    asked: Request
    where: str


def clashes(pictures: Iterable[Planned], read: Iterable[str] = ()) -> list[str]:
    """What to say of pictures that would write one file, once a file.

    read : files that no picture may write, besides those that one of them is made from
    """
    asked = [(one.asked, one) for one in pictures if one.asked is not None]
    kept = {place(path) for path in [*read, *(path for request, _ in asked for path in request.inputs())]}
    askers: dict[str, list[Asker]] = {}
    for request, one in asked:
        for path in one.paths:
            askers.setdefault(place(path), []).append(Asker(path, request, one.where))
    wrong = []
    for at, several in askers.items():
        path = several[0].path
        if at in kept:
            wrong.append(f"{path}{_places(several)} would replace a file that is read here: rename it")
        if len(several) > 1:
            count = "two" if len(several) == 2 else f"{len(several):,}"
            wrong.append(f"{count} pictures would be written to {path}{_places(several)}: {_telling(several)}")
        above = next((askers[str(up)] for up in Path(at).parents if str(up) in askers), None)
        if above is not None:
            wrong.append(f"{path}{_places([*above, *several])} stands under a file of another picture")
    return wrong


def _places(several: Sequence[Asker]) -> str:
    """Where they are asked for, in brackets; nothing on the command line."""
    found = [one for one in dict.fromkeys(one.where for one in several) if one]
    return f" ({'; '.join(found[:MOST])}{'; …' if len(found) > MOST else ''})" if found else ""


def _telling(several: Sequence[Asker]) -> str:
    """What to put into the name so that they differ: blanks, each of which tells some of them apart."""
    known = [blanks(one.asked) for one in several]
    every = dict.fromkeys(name for one in known for name in one)
    names = sorted(every, key=lambda name: name != "encoding")  # which says the most
    chosen: list[str] = []
    apart = 1
    for name in names:
        now = len({tuple(one.get(each) for each in (*chosen, name)) for one in known})
        if now > apart:
            chosen, apart = [*chosen, name], now
    if len({str((one.asked.figure.name, one.asked.settings())) for one in several}) == 1:
        return "they are the same picture twice"
    if apart < len(several):
        return "give each a name of its own"
    blank = "-".join(f"{{{name}}}" for name in chosen)
    path = Path(several[0].path)
    return f"put {blank} into its name, as in {path.with_name(f'{path.stem}-{blank}{path.suffix}')}"
