"""The files that a finished picture was made from, found again from whatever folder one stands in."""

from __future__ import annotations

import os
from collections.abc import Collection
from dataclasses import replace
from pathlib import Path
from typing import TypeVar

from pecli.core.options import Options
from pecli.files.regular import fingerprint
from pecli.jobs.request import Request

P = TypeVar("P", bound=Options)


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
    """Where a file of that name and one of those fingerprints is: here, beside the finished file or above it."""
    if Path(name).is_absolute():
        return name
    above = Path(os.path.abspath(made)).parents  # noqa: PTH100  # Path.resolve would follow links
    for candidate in (name, *(os.path.relpath(folder / name) for folder in above)):
        if os.path.isfile(candidate) and (not prints or fingerprint(candidate) in prints):
            return candidate
    return None


def _renamed(part: P, moved: dict[str, str]) -> P:
    """The options with other names of the files they read."""
    names = {name: moved[value] for name, value in part.settings().items() if value in part.inputs() and value in moved}
    return replace(part, **names) if names else part
