"""What makes finished files again: the command line of one, a batch file of several."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Annotated, Any

import typer

from pecli.cli.guard import guard
from pecli.core.errors import UsageError
from pecli.core.terminal import results
from pecli.files.formats import read_metadata
from pecli.jobs.command_line import command, plain_path
from pecli.jobs.job import Job

FORMS = ("command", "toml")


def recipe(
    files: Annotated[list[str], typer.Argument(help="pictures or numbers that pecli made", metavar="FILE…")],
    form: Annotated[
        str | None,
        typer.Option(
            "--form", help="command or toml (default: command for one file, toml for more)", show_default=False
        ),
    ] = None,
) -> None:
    """what makes finished files again: the command line of one, a batch file of several.

    Example: pecli recipe heatmap-sinusoidal.png
    """
    with guard():
        if form not in (None, *FORMS):
            raise UsageError(f"--form {form} is not allowed: it takes {' or '.join(FORMS)}")
        jobs = [read_job(path) for path in files]
        as_lines = form == "command" or (form is None and len(jobs) == 1)
        results([command(job) for job in jobs] if as_lines else ["\n\n".join(map(entry, jobs))])


def read_job(path: str) -> Job:
    """The job inside a finished file, with that file as its output."""
    values = dict(read_metadata(path)["job"])
    return Job.make(str(values.pop("command", "")), {**values, "output": [plain_path(path)]}, checked=False)


def entry(job: Job) -> str:
    """The job as one figure of a batch file: all that differs from the defaults."""
    defaults = job.figure.default_options
    keys: dict[str, Any] = {"command": job.figure.name}
    if job.specs() != [job.figure.default_encoding]:
        keys["encoding"] = job.specs()
    for part in (job.figure, job.positions, job.canvas):
        keys |= part.changed(defaults)
    keys["output"] = job.output.output
    return "\n".join(["[[figure]]", *(f"{name} = {toml(value)}" for name, value in keys.items())])


def toml(value: Any) -> str:
    """A value as TOML writes it; JSON's strings are TOML's too, but for the escape of DEL."""
    if isinstance(value, Sequence) and not isinstance(value, str):
        return "[" + ", ".join(map(toml, value)) + "]"
    return json.dumps(value, ensure_ascii=False).replace("\x7f", "\\u007f")
