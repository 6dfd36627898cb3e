"""What makes finished files again: the command line of one, a batch file of several."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from json import dumps
from typing import Annotated, Any

import typer

from pecli.cli.commands import Command
from pecli.cli.documents import QuietOption, VerboseOption
from pecli.cli.guard import guard
from pecli.core.errors import UnusedOptionError, UsageError, mention
from pecli.core.notices import notice
from pecli.core.terminal import can_print, is_shown, json_results, results
from pecli.files.metadata import read_metadata
from pecli.jobs.command_line import command
from pecli.jobs.file_names import plain_path
from pecli.jobs.found_inputs import reading_beside, seen_from_here
from pecli.jobs.request import Request, carried, versions
from pecli.jobs.results import VERSIONS
from pecli.jobs.sheets import as_one
from pecli.jobs.sweep import requests_of

FORMS = ("command", "toml")


def recipe(
    files: Annotated[list[str], typer.Argument(help="Pictures or numbers that pecli made.", metavar="FILE…")],
    form: Annotated[
        str | None,
        typer.Option("--form", help="One of command, toml (default: command for one file).", show_default=False),
    ] = None,
    output: Annotated[
        list[str] | None,
        typer.Option(
            "--output",
            "-o",
            help="The file that the line is to write, instead of the one that carries it.",
            show_default=False,
        ),
    ] = None,
    json: Annotated[bool, typer.Option("--json", help="Print lines and jobs as JSON.")] = False,
    quiet: QuietOption = False,
    verbose: VerboseOption = False,
) -> None:
    """Prints what makes finished files again."""
    with guard(quiet, verbose):
        if form not in (None, *FORMS):
            raise UsageError(option="form", value=form, allowed=" or ".join(FORMS))
        if form and json:
            text = f"{mention('json')} prints the line and the job"
            raise UnusedOptionError("form", form, text)
        if output and len(files) > 1:
            raise UsageError(f"{mention('output')} takes the recipe of one file, {len(files)} are given")
        requests = [read_request(path, output) for path in files]
        as_lines = form == "command" or (form is None and len(requests) == 1)
        if json:
            json_results([facts(one) for one in requests])
            return
        results([command(one, sent=can_print) for one in requests] if as_lines else ["\n\n".join(map(entry, requests))])


COMMAND = Command(
    recipe,
    ("pecli recipe heatmap-sinusoidal.png", "pecli recipe one.png two.svg > figures.toml"),
    prints="a command line of one file, a batch file of several",
    keys={
        "paths": "the files that the line writes",
        "command": "the line that makes the file again",
        "job": "what was asked for: command, encoding and every option, but for those that nothing says",
        **VERSIONS,
    },
)


def read_request(path: str, output: list[str] | None = None) -> Request:
    """What a finished file was asked for with, and that file (or the output) as its output.

    A line says which files it was made from that do not lie beside it: they are not looked at.
    """
    with reading_beside(path, {}):
        seen, lost = asked_again(path, read_metadata(path), output)
    for file in lost:
        notice(f"{file} is not found beside {path}: it is named as seen from where that was made")
    return seen


def asked_again(path: str, found: Mapping[str, Any], output: list[str] | None = None) -> tuple[Request, list[str]]:
    """The request of the job that a finished file carries, and the files it was made from that are not beside it.

    Raises
    ------
    UsageError : with the file's name, for a job that is none
    """
    values, prints = carried(found), found.get("inputs")
    with named_with(path):
        name = str(values.pop("command", ""))
        asked = as_one(requests_of(name, {**values, "output": output or [plain_path(path)]}))
        if len(asked) > 1:
            raise UsageError(f"{len(asked):,} pictures that are not one")
    return seen_from_here(asked[0], path, prints if isinstance(prints, list) else [])


@contextmanager
def named_with(path: str) -> Iterator[None]:
    """Tells what is wrong with a job inside the block with the name of the file that carries it."""
    try:
        yield
    except UsageError as error:
        raise UsageError(f"{path} carries a job that cannot be asked for: {error}") from None


def facts(request: Request) -> dict[str, Any]:
    """The line that makes a file again and its job, for --json."""
    return {"paths": list(request.output.output), "command": command(request), "job": request.job(), **versions()}


def entry(request: Request) -> str:
    """The request as one figure of a batch file: all that differs from the defaults, and every value of a sweep."""
    defaults, swept = request.defaults, request.sweep()
    keys: dict[str, Any] = {"command": request.figure.name}
    if request.specs() != [request.figure.default_encoding]:
        keys["encoding"] = request.specs()
    for part in (request.figure, request.positions, request.canvas, request.language):
        keys |= part.changed(defaults)
    keys = {name: value for name, value in keys.items() if name not in swept}
    keys |= {name: values for name, values in swept.items() if values is not None}
    keys["output"] = request.output.output
    return "\n".join(["[[figure]]", *(f"{name} = {toml(value)}" for name, value in keys.items())])


def toml(value: Any) -> str:
    """A value as TOML writes it: strings as JSON's, what a terminal does not show as its code."""
    if isinstance(value, Sequence) and not isinstance(value, str):
        return "[" + ", ".join(map(toml, value)) + "]"
    text = dumps(value, ensure_ascii=False)
    return "".join(one if is_shown(one) else f"\\U{ord(one):08x}" for one in text)
