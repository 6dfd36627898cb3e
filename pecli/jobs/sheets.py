"""Requests into one file become one: a sheet, the picture of a whole sweep."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from math import prod

from pecli.core.language import Language
from pecli.figures.canvas import Canvas
from pecli.jobs.file_names import blanks, filled, plain_path
from pecli.jobs.job_options import Choice, Output, known_options
from pecli.jobs.request import Request


def by_file(requests: Sequence[Request]) -> list[Request]:
    """The requests, those that are to be written to one file as one; those that cannot be one picture stay apart."""
    first = requests[0]
    if not first.figure.drawn or any(one.output != first.output for one in requests):
        return list(requests)
    groups: dict[tuple[int, ...], list[str]] = {}
    for path in first.output.output:
        for name, members in _named(path, requests).items():
            groups.setdefault(tuple(members), []).append(name)
    if all(len(members) == 1 for members in groups):
        return list(requests)
    return [one for members, paths in groups.items() for one in _together([requests[at] for at in members], paths)]


def as_one(requests: Sequence[Request]) -> list[Request]:
    """The requests as one, whatever their output, where they can be one picture."""
    return list(requests) if len(requests) == 1 else _together(requests, requests[0].output.output)


def _named(path: str, requests: Sequence[Request]) -> dict[str, list[int]]:
    """The files that a path with blanks means, each with the places of the requests that are written to it."""
    if "{" not in path:
        return {path: list(range(len(requests)))}
    names: dict[str, list[int]] = {}
    for at, one in enumerate(requests):
        names.setdefault(plain_path(filled(path, blanks(one))), []).append(at)
    return names


def _together(requests: Sequence[Request], paths: Sequence[str]) -> list[Request]:
    """One request of all of them; themselves where they are no whole grid, or differ in what a picture has one of."""
    first = requests[0]
    output = replace(first.output, output=tuple(paths))
    here = [replace(one, output=output) for one in requests]
    axes = tuple(name for name in _order(first) if len({one.value(name, first.axes) for one in requests}) > 1)
    sheet = replace(here[0], swept=(), axes=axes, cells=tuple(here))
    values = {name: sheet.values(name) for name in axes}
    one_canvas = not {*axes} & {*Canvas.options(), *Output.options(), *Language.options()}
    one_each = {*axes} & {*Choice.options()} and first.figure.several
    whole = prod(map(len, values.values())) == len(requests)
    if len(requests) == 1 or not one_canvas or one_each or not whole:
        return here
    cells = sorted(here, key=lambda one: [values[name].index(one.value(name, axes)) for name in axes])
    return [replace(cells[0], swept=(), axes=axes, cells=tuple(cells))]


def _order(request: Request) -> list[str]:
    """The options with several values in the order of the help, whatever order they were given in."""
    known = [*request.figure.options(), *Choice.options(), *known_options(type(request.figure))]
    return [name for name in dict.fromkeys([*known, *request.axes]) if name in request.axes]
