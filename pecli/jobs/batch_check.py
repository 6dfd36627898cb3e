"""What a batch file asks for against what is on disk."""

from __future__ import annotations

import json
import os
from collections.abc import Collection, Iterable, Iterator
from pathlib import Path

from pecli.core.errors import PecliError
from pecli.core.terminal import track
from pecli.files.metadata import READERS, read_metadata
from pecli.files.writer import place
from pecli.jobs.job import Job
from pecli.jobs.run import carries

MISSING, STALE, UNASKED = "missing", "stale", "no longer asked for"


def differences(jobs: Iterable[Job], asked: Collection[str]) -> Iterator[tuple[str, str]]:
    """States and paths: what is missing or stale of these jobs' files, and what stands beside those that are asked for.

    A file that cannot carry its job (.csv, .npy) is there or missing; whether it is stale nobody can say.
    """
    for job in track(list(jobs), "looking"):
        wanted = json.loads(job.metadata())
        for path in job.paths:
            if not os.path.isfile(path):
                yield MISSING, path
            elif _can_tell(path) and not carries(path, wanted):
                yield STALE, path
    yield from ((UNASKED, path) for path in _unasked(asked))


def _unasked(asked: Collection[str]) -> Iterator[str]:
    """The files that pecli made in the folders of those that are asked for, and that are none of them."""
    places = {place(path) for path in asked}
    for folder in sorted({Path(path).parent for path in asked}):
        found = sorted(folder.iterdir()) if os.path.isdir(folder) else []
        yield from (str(path) for path in found if _left(path, places))


def _left(path: Path, places: set[str]) -> bool:
    return place(str(path)) not in places and _can_tell(str(path)) and os.path.isfile(path) and _is_ours(str(path))


def _can_tell(path: str) -> bool:
    """Whether a file of this kind carries its job."""
    return Path(path).suffix.lower().removeprefix(".") in READERS


def _is_ours(path: str) -> bool:
    try:
        return bool(read_metadata(path))
    except PecliError:
        return False
