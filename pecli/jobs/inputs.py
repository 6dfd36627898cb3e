"""The input files of a finished picture: where to find them, and which of them may be read.

The picture may come from a stranger. A file that it names is read only if it is in the picture's folder or below it,
after resolving links and ``..``, or if the user names it too.
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
    """Return the fingerprints of a finished file's inputs from its metadata `found`."""
    prints = found.get("inputs")
    return prints if isinstance(prints, list) else []


def reading_beside(made: str, found: Mapping[str, Any], given: Mapping[str, Any]) -> AbstractContextManager[None]:
    """Return a context manager inside which only these files may be read:

    - files in the folder of the finished file `made`, or below it
    - files that the values in `given` name
    - table and style files that `made` was drawn from: their fingerprints are in its metadata `found`
    """
    prints = fingerprints(found)

    def known(path: str) -> bool:
        return path.lower().endswith((*TABLE_READERS, *FILES)) and has_digest(path, prints)

    def refusal(path: str) -> UsageError:
        return _refusal(made, path, ["pecli", "redraw", made, "-e", path])

    return restrict_reading(_texts_in(given), str(Path(os.path.realpath(made)).parent), refusal, known)


def _texts_in(given: Mapping[str, Any]) -> Iterator[str]:
    """Yield every text among the values; for the spec of an encoding, also its values and the config.json it names."""
    from pecli.models.config_file import config_path  # slow to import
    from pecli.models.spec import config_words

    for value in given.values():
        yield from (text for text in (value if isinstance(value, (list, tuple)) else [value]) if isinstance(text, str))
    for spec in specs_in(given):
        yield from map(str, parse_encoding(spec)[1].values())
        if found := config_words(spec):
            yield str(config_path(Path(found[0])))


def check_inputs(job: Job, made: str) -> None:
    """Raise UsageError, with a command that helps, if the job needs a file that may not be read here."""
    for part in (*job.encodings, *job.parts):
        for name, value in part.settings().items():
            if value in part.inputs() and not is_readable(value):
                words = [part.options()[name].flag, value]
                if isinstance(part, Encoding) and (len(job.encodings) > 1 or name not in encoding_parameters()):
                    words = [word for spec in job.specs() for word in ("-e", spec)]
                raise _refusal(made, value, words)


def _refusal(made: str, path: str, words: list[str]) -> UsageError:
    text = f"{made} needs {path}, which is not beside it"
    return UsageError(text, advice=f"to read it anyway, name it: {' '.join(map(quoted, words))}")


def relocate_inputs(job: Job, made: str, prints: Collection[str]) -> tuple[Job, list[str]]:
    """Return the job with its input files renamed to paths from the current folder, and the names of missing files.

    Parameters
    ----------
    job : job whose file names are relative to the folder where it was drawn, which is not recorded
    made : the finished file
    prints : fingerprints of the job's input files, to recognise them
    """
    found = {name: _find_input(name, made, prints) for name in job.inputs}
    moved = {name: place for name, place in found.items() if place is not None and place != name}
    return _with_renamed_inputs(job, moved), [name for name, place in found.items() if place is None]


def with_relative_inputs(job: Job, folder: Path) -> Job:
    """Return the job with the names of its input files relative to a folder."""
    return _with_renamed_inputs(
        job, {name: os.path.relpath(name, folder) for name in job.inputs if os.path.exists(name)}
    )


def _with_renamed_inputs(job: Job, moved: dict[str, str]) -> Job:
    """Return the job with its input files renamed according to `moved` (old name to new name)."""
    figure, canvas = _rename_paths(job.figure, moved), _rename_paths(job.canvas, moved)
    encodings = tuple(_rename_paths(encoding, moved) for encoding in job.encodings)
    cells = tuple(_with_renamed_inputs(cell, moved) for cell in job.cells)
    return replace(job, figure=figure, encodings=encodings, canvas=canvas, cells=cells)


def _find_input(name: str, made: str, prints: Collection[str]) -> str | None:
    """Return the path of the input file `name`, here or beside the finished file `made`; None if it is not found.

    prints : fingerprints of the input files; the file found must have one of these, or () accepts any file of that name
    """
    if is_hub(name) or name == STDOUT:
        return name
    beside = (os.path.relpath(Path(made).parent / item) for item in (name, Path(name).name))
    for candidate in (name, *beside):
        if is_readable(candidate) and (has_digest(candidate, prints) if prints else os.path.isfile(candidate)):
            return candidate
    return None


def _rename_paths(part: P, moved: dict[str, str]) -> P:
    """Return the options `part` with input files renamed according to `moved` (old name to new name)."""
    names = {name: moved[value] for name, value in part.settings().items() if value in part.inputs() and value in moved}
    return replace(part, **names) if names else part
