"""One command a figure and a report, all made here from their fields."""

from __future__ import annotations

import inspect
import json
from typing import Any

import typer

from pecli.analysis import Analysis
from pecli.cli.commands import Command
from pecli.cli.guard import guard
from pecli.cli.options import given, job_parameters, keyword
from pecli.cli.typer_internals import with_parameters
from pecli.core.errors import UsageError
from pecli.core.progress import track
from pecli.core.terminal import columns, results, say, show
from pecli.files.writer import STDOUT
from pecli.jobs.command_line import command as command_of
from pecli.jobs.job import Job, jobs_of
from pecli.jobs.job_options import known_options
from pecli.jobs.same_files import check_targets
from pecli.reports.report import Report

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


def analysis_command(figure: type[Analysis[Any]]) -> Command:
    """The command of a figure or report: its options, those of every job, and those of this run."""

    def command(*, json: bool, quiet: bool, verbose: bool, **values: Any) -> None:
        with guard(quiet, verbose):
            jobs = jobs_of(figure.name, values_of(figure, given(values)))
            _run(jobs, as_json=json, quiet=quiet, verbose=verbose)

    parameters = [*job_parameters(figure), *run_parameters()]
    return Command(with_parameters(command, parameters), figure.example, reads_text=True)


def values_of(figure: type[Analysis[Any]], texts: dict[str, Any]) -> dict[str, Any]:
    """The texts given to each option as its values: numbers in one text are separated, lists in pieces are joined."""
    known = known_options(figure)
    return {name: texts[name] if known[name].scalar is bool else known[name].separated(texts[name]) for name in texts}


def _run(jobs: list[Job], *, as_json: bool, quiet: bool, verbose: bool) -> None:
    to_stdout = [path for job in jobs for path in job.paths if path == STDOUT]
    if to_stdout and (as_json or len(jobs) > 1):
        raise UsageError("-o - takes one picture and no --json: give -o FILE")
    check_targets(jobs)
    for job in jobs:
        job.check()
    reports = [one for job in track(jobs, "drawing") if (one := _do(job, as_json, quiet or bool(to_stdout), verbose))]
    if as_json:
        results([json.dumps(reports if len(jobs) > 1 else reports[0], allow_nan=False)])


def _do(job: Job, as_json: bool, silent: bool, verbose: bool) -> dict[str, Any] | None:
    from pecli.jobs.picture import Picture

    picture = Picture(job)
    paths = picture.save() if job.targets else []
    for note in [] if silent else picture.notes:
        say(note)
    if verbose:
        say(command_of(job))
    if as_json:
        return report(picture, paths)
    if isinstance(job.figure, Report) and not paths:
        show(job.figure.show(picture.seen, columns()))
    elif not silent:
        results(paths)
    return None


def report(picture: Any, paths: list[str]) -> dict[str, Any]:
    """What ``--json`` prints."""
    from pecli.files.formats import FORMATS, plain

    whole = picture.job.figure.drawn and all(FORMATS[target.format].numbers for target in picture.job.targets)
    numbers = picture.numbers if whole else picture.seen
    files = [{"path": path, "bytes": picture.sizes[path]} for path in paths]
    return {"files": files, **json.loads(picture.job.metadata()), "facts": plain(numbers.facts())}
