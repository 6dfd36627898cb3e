"""`pecli recipe`: from a finished file back to the command line that makes it again."""

from __future__ import annotations

from typing import Annotated

import typer

from pecli.cli.guard import guard
from pecli.formats import read_metadata
from pecli.job import Job
from pecli.terminal import results
from pecli.words import command


def recipe(
    files: Annotated[list[str], typer.Argument(help="pictures or numbers that pecli made", metavar="FILE…")],
) -> None:
    """the command line that makes a finished file again.

    Example: pecli recipe heatmap-sinusoidal.png
    """
    with guard():
        results([command(read_job(path)) for path in files])


def read_job(path: str) -> Job:
    """The job inside a finished file, with that file as its output."""
    values = dict(read_metadata(path)["job"])
    return Job.make(values.pop("command", ""), {**values, "output": [path.replace("{", "{{").replace("}", "}}")]})
