"""One command a figure and a report, all made here from their fields."""

from __future__ import annotations

import inspect
import json
from collections.abc import Callable
from typing import Any

import typer

from pecli.cli.guard import guard
from pecli.cli.options import given, job_parameters, keyword, with_parameters
from pecli.errors import UsageError
from pecli.job import Job
from pecli.reports.report import Report
from pecli.sections import known_options
from pecli.study import Study
from pecli.terminal import columns, results, say, show
from pecli.words import command as command_of

RUN = "Run"


def run_parameters() -> list[inspect.Parameter]:
    """The options that do not change the picture."""
    flags = {
        "json": (("--json",), "print path, bytes, job and key numbers as JSON"),
        "quiet": (("--quiet", "-q"), "print nothing but errors"),
        "verbose": (("--verbose", "-v"), "say more, and where an error comes from"),
    }
    return [
        keyword(name, bool, False, typer.Option(*words, help=text, rich_help_panel=RUN))
        for name, (words, text) in flags.items()
    ]


def study_command(figure: type[Study]) -> Callable[..., None]:
    """The command of a figure or report, as Typer wants it: a function with the figure's options as parameters."""

    def command(*, json: bool, quiet: bool, verbose: bool, **values: Any) -> None:
        with guard(quiet, verbose):
            job = Job.make(figure.name, single(figure, given(values)))
            _run(job, as_json=json, quiet=quiet, verbose=verbose)

    command.__doc__ = f"{figure.summary}.\n\nExample: {figure.example}"
    return with_parameters(command, [*job_parameters(figure), *run_parameters()])


def single(figure: type[Study], values: dict[str, Any]) -> dict[str, Any]:
    """Options that take one value, given once; lists given in pieces, joined."""
    known = known_options(figure)
    result = {}
    for name, value in values.items():
        one = known[name]
        if one.scalar is bool:
            result[name] = value
        elif one.many:
            result[name] = [item for text in value for item in (text.split(",") if one.split else [text])]
        elif len(value) == 1:
            result[name] = value[0]
        else:
            raise UsageError(f"{one.flag} takes one value, {len(value)} are given")
    return result


def _run(job: Job, *, as_json: bool, quiet: bool, verbose: bool) -> None:
    from pecli.picture import Picture

    to_stdout = "-" in job.targets()
    if as_json and to_stdout:
        raise UsageError("--json and -o - both want standard output: give -o FILE")
    picture = Picture(job)
    paths = picture.save() if job.targets() else []
    for note in [] if quiet else picture.notes:
        say(note)
    if as_json:
        results([json.dumps(report(picture, paths), allow_nan=False)])
    elif isinstance(job.figure, Report) and not paths:
        show(job.figure.show(picture.seen, columns()))
    elif not quiet and not to_stdout:
        results(paths)
    if verbose:
        say(command_of(job))


def report(picture: Any, paths: list[str]) -> dict[str, Any]:
    """What ``--json`` prints."""
    from pathlib import Path

    from pecli.formats import FORMATS, plain

    whole = picture.job.figure.drawn and all(FORMATS[format].numbers for format in picture.job.formats())
    numbers = picture.numbers if whole else picture.seen
    files = [{"path": path, "bytes": Path(path).stat().st_size} for path in paths]
    return {"files": files, **json.loads(picture.job.metadata()), "facts": plain(numbers.facts())}
