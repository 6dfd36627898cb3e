"""A finished file drawn again with some options changed, under another name."""

from __future__ import annotations

from itertools import takewhile
from pathlib import Path
from typing import Annotated, Any

import typer

from pecli.cli.commands import WRITES, Command
from pecli.cli.figures import running, values_of
from pecli.cli.guard import guard
from pecli.cli.options import given
from pecli.cli.recipe import asked_again, named_with
from pecli.cli.show import shown_alone
from pecli.cli.typer_internals import run_words
from pecli.core.errors import UsageError, mention
from pecli.files.formats import FORMATS
from pecli.files.metadata import read_metadata
from pecli.files.targets import place
from pecli.jobs.found_inputs import check_inputs, reading_beside
from pecli.jobs.job import Job, job_of, jobs_of
from pecli.jobs.job_options import find_analysis, known_options
from pecli.jobs.request import carried
from pecli.jobs.sweep import requests_of


def redraw(
    context: typer.Context,
    file: Annotated[str, typer.Argument(help="Picture or numbers that pecli made; options follow it.", metavar="FILE")],
) -> None:
    """Draws a finished file again with what is given changed; any option of its figure may stand behind the file."""
    with guard():
        if file.startswith("-"):
            raise UsageError(f"the file comes first: pecli redraw FILE {file} …")
        for word in takewhile(lambda one: not one.startswith("-"), context.args):
            if word.rpartition(".")[2].lower() in FORMATS:
                text = f"redraw takes one file, and {word} is a second one"
                raise UsageError(text, advice="a line for each; a new name stands behind " + mention("output"))
        found = read_metadata(file)
        with named_with(file):
            figure = find_analysis(str(carried(found).get("command", "")))
    raise typer.Exit(run_words(_again(file, figure, found), context.args, f"redraw {file}"))


COMMAND = Command(
    redraw,
    ("pecli redraw heatmap-sinusoidal.png --size 4x3 -o small.png", "pecli redraw far.svg --cmap Greys -o grey.svg"),
    settings={"allow_extra_args": True, "ignore_unknown_options": True, "allow_interspersed_args": False},
    prints=WRITES,
)


def _again(file: str, figure: Any, carries: dict[str, Any]) -> Any:
    """The figure's own command, with the values that the file carries where nothing is given."""

    def asked(texts: dict[str, Any], _: bool, show: bool) -> list[Job]:
        changed = values_of(known_options(figure), given(texts, figure))
        with reading_beside(file, changed):
            values = carried({"job": asked_again(file, carries)[0].job()})
            values.pop("command")
            again = _jobs(file, figure.name, values, changed)
        found = [shown_alone(job) for job in again] if show else again
        if "output" not in changed and place(file) in map(place, (path for job in found for path in job.paths)):
            raise UsageError(f"{file} would be replaced: name another file with {mention('output')}")
        return found

    return running(figure, asked)


def _jobs(file: str, name: str, values: dict[str, Any], changed: dict[str, Any]) -> list[Job]:
    """What is asked for; a file of a whole sweep gives one such file again, of its kind where that holds many."""
    for request in requests_of(name, {**values, **changed}):
        check_inputs(request, file)
    if "output" in changed or len(requests_of(name, values)) == 1:
        return jobs_of(name, {**values, **changed})
    suffix = Path(file).suffix.lower().removeprefix(".")
    kind = {"format": suffix} if FORMATS[suffix].frames else {}
    return [job_of(name, {**kind, **values, **changed})]
