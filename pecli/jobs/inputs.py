"""The files that a finished picture was drawn from: where they lie as seen from here, and which of them may be read.

The picture may be a stranger's. What it names is read where it lies in the picture's folder or below, or where the user
names it too, wherever links and ``..`` lead.
"""

from __future__ import annotations

import os
from collections.abc import Collection, Iterator, Mapping
from contextlib import AbstractContextManager
from dataclasses import replace
from pathlib import Path
from typing import Any, TypeVar

from pecli.core.errors import UsageError
from pecli.core.hub import is_hub
from pecli.core.options import Options
from pecli.core.readable import is_readable, restrict_reading
from pecli.encodings.registry import Encoding
from pecli.encodings.spec import parse_encoding
from pecli.files.tables import TABLE_READERS, has_digest
from pecli.files.writer import STDOUT
from pecli.jobs.job import Job
from pecli.jobs.job_options import encoding_parameters
from pecli.jobs.sweep import specs_in
from pecli.jobs.text import quoted
from pecli.page.canvas import FILES

P = TypeVar("P", bound=Options)


def fingerprints(found: Mapping[str, Any]) -> list[str]:
    """Return the fingerprints of the files that a finished file, which carries `found`, was drawn from."""
    prints = found.get("inputs")
    return prints if isinstance(prints, list) else []


def reading_beside(made: str, found: Mapping[str, Any], given: Mapping[str, Any]) -> AbstractContextManager[None]:
    """Let no files be read inside the block but those beside the finished file, those that the values name, and those
    of a known ending whose fingerprint the finished file carries (in what was found there): it was drawn from them."""
    prints = fingerprints(found)

    def known(path: str) -> bool:
        return path.lower().endswith((*TABLE_READERS, *FILES)) and has_digest(path, prints)

    def refusal(path: str) -> UsageError:
        return _refusal(made, path, ["pecli", "redraw", made, "-e", path])

    return restrict_reading(_named(given), str(Path(os.path.realpath(made)).parent), refusal, known)


def _named(given: Mapping[str, Any]) -> Iterator[str]:
    """Yield every text among the values, those in the texts of encodings, and the config.json that one names."""
    from pecli.models.config_file import place  # reading models takes a while to load
    from pecli.models.spec import config_words

    for value in given.values():
        yield from (text for text in (value if isinstance(value, (list, tuple)) else [value]) if isinstance(text, str))
    for spec in specs_in(given):
        yield from map(str, parse_encoding(spec)[1].values())
        if found := config_words(spec):
            yield str(place(Path(found[0])))


def check_inputs(job: Job, made: str) -> None:
    """Refuse a file that the job is made from and that may not be read here: UsageError, with what to type."""
    for part in (*job.encodings, *job.parts):
        for name, value in part.settings().items():
            if value in part.inputs() and not is_readable(value):
                words = [part.options()[name].flag, value]
                if isinstance(part, Encoding) and (len(job.encodings) > 1 or name not in encoding_parameters()):
                    words = [word for spec in job.specs() for word in ("-e", spec)]
                raise _refusal(made, value, words)


def _refusal(made: str, path: str, words: list[str]) -> UsageError:
    text = f"{made} needs {path}, which is not beside it"
    return UsageError(text, advice=f"to read it in any case, name it: {' '.join(map(quoted, words))}")


def relocate_inputs(job: Job, made: str, prints: Collection[str]) -> tuple[Job, list[str]]:
    """Return the job with the files that it reads named as seen from here, and the names of those that are not found.

    Parameters
    ----------
    job : its files are named as seen from the folder in which it was drawn, which no file tells
    made : the finished file
    prints : the fingerprints of the files it was drawn from, by which they are known again
    """
    found = {name: _place(name, made, prints) for name in job.inputs()}
    moved = {name: place for name, place in found.items() if place is not None and place != name}
    return _moved(job, moved), [name for name, place in found.items() if place is None]


def seen_from(job: Job, folder: Path) -> Job:
    """Return the job with the files that it reads named as seen from a folder."""
    return _moved(job, {name: os.path.relpath(name, folder) for name in job.inputs() if os.path.exists(name)})


def _moved(job: Job, moved: dict[str, str]) -> Job:
    """Return the job with other names of the files that it reads."""
    figure, canvas = _renamed(job.figure, moved), _renamed(job.canvas, moved)
    encodings = tuple(_renamed(encoding, moved) for encoding in job.encodings)
    cells = tuple(_moved(cell, moved) for cell in job.cells)
    return replace(job, figure=figure, encodings=encodings, canvas=canvas, cells=cells)


def _place(name: str, made: str, prints: Collection[str]) -> str | None:
    """Return where a file of that name, of one of those fingerprints, may be read: beside the finished file or here."""
    if is_hub(name) or name == STDOUT:
        return name
    beside = (os.path.relpath(Path(made).parent / item) for item in (name, Path(name).name))
    for candidate in (name, *beside):
        if is_readable(candidate) and (has_digest(candidate, prints) if prints else os.path.isfile(candidate)):
            return candidate
    return None


def _renamed(part: P, moved: dict[str, str]) -> P:
    """Return the options with other names of the files they read."""
    names = {name: moved[value] for name, value in part.settings().items() if value in part.inputs() and value in moved}
    return replace(part, **names) if names else part
