"""The files that a finished picture was made from: found again beside it, and read where nothing speaks against it.

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
from pecli.core.options import Options
from pecli.core.readable import is_readable, reading_only
from pecli.encodings import Encoding, all_encodings, parse_encoding
from pecli.files.regular import fingerprint
from pecli.jobs.command_line import quoted
from pecli.jobs.job_options import encoding_parameters
from pecli.jobs.request import Request
from pecli.jobs.sweep import specs_in

P = TypeVar("P", bound=Options)


def reading_beside(made: str, given: Mapping[str, Any]) -> AbstractContextManager[None]:
    """Lets no files be read inside the block but those beside the finished file and those that the values name."""

    def refusal(path: str) -> UsageError:
        return _refusal(made, path, ["pecli", "redraw", made, "-e", path])

    return reading_only(_named(given), str(Path(os.path.realpath(made)).parent), refusal)


def _named(given: Mapping[str, Any]) -> Iterator[str]:
    """Every text among the values, and those in the texts of encodings."""
    for value in given.values():
        yield from (one for one in (value if isinstance(value, (list, tuple)) else [value]) if isinstance(one, str))
    for spec in specs_in(given):
        yield from map(str, parse_encoding(spec)[1].values())
        yield from _config(spec)


def _config(spec: str) -> Iterator[str]:
    """The config.json that the text of an encoding names, if any."""
    from pecli.encodings.configs.json_file import place  # reading models takes a while to load
    from pecli.encodings.configs.spec import config_words

    if found := config_words(spec, all_encodings()):
        yield str(place(Path(found[0])))


def check_inputs(request: Request, made: str) -> None:
    """Refuses a file that the request is made from and that may not be read here: UsageError, with what to type."""
    for part in (*request.encodings, request.figure, request.canvas):
        for name, value in part.settings().items():
            if value in part.inputs() and not is_readable(value):
                words = [part.options()[name].flag, value]
                if isinstance(part, Encoding) and (len(request.encodings) > 1 or name not in encoding_parameters()):
                    words = [word for spec in request.specs() for word in ("-e", spec)]
                raise _refusal(made, value, words)


def _refusal(made: str, path: str, words: list[str]) -> UsageError:
    text = f"{made} wants {path}, which does not lie beside it"
    return UsageError(text, advice=f"to have it read all the same, name it: {' '.join(map(quoted, words))}")


def seen_from_here(request: Request, made: str, prints: Collection[str]) -> tuple[Request, list[str]]:
    """The request with the files that it reads named as seen from here, and the names of those that are not found.

    Parameters
    ----------
    request : its files are named as seen from the folder in which it was drawn, which no file tells
    made : the finished file
    prints : the fingerprints of the files it was drawn from, by which they are known again
    """
    found = {name: _place(name, made, prints) for name in request.inputs()}
    moved = {name: place for name, place in found.items() if place is not None and place != name}
    figure, canvas = _renamed(request.figure, moved), _renamed(request.canvas, moved)
    encodings = tuple(_renamed(one, moved) for one in request.encodings)
    lost = [name for name, place in found.items() if place is None]
    cells = tuple(seen_from_here(cell, made, prints)[0] for cell in request.cells)
    return replace(request, figure=figure, encodings=encodings, canvas=canvas, cells=cells), lost


def _place(name: str, made: str, prints: Collection[str]) -> str | None:
    """Where a file of that name and one of those fingerprints is that may be read: beside the finished file or here."""
    beside = (os.path.relpath(Path(made).parent / one) for one in (name, Path(name).name))
    for candidate in (name, *beside):
        if is_readable(candidate) and os.path.isfile(candidate) and (not prints or fingerprint(candidate) in prints):
            return candidate
    return None


def _renamed(part: P, moved: dict[str, str]) -> P:
    """The options with other names of the files they read."""
    names = {name: moved[value] for name, value in part.settings().items() if value in part.inputs() and value in moved}
    return replace(part, **names) if names else part
