"""`pecli recipe` and `pecli redraw`: the line that made a file, and the file drawn again."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import typer

from pecli.cli.app import run_words
from pecli.cli.draw import without_file
from pecli.cli.figures import SHARED, passed_options, run_parameters, running, settings_of
from pecli.cli.options import (
    argument,
    context_parameter,
    parameter,
    run_options,
    values_of,
    with_options,
    with_parameters,
)
from pecli.cli.show import Command, guard
from pecli.core.errors import UnusedOptionError, UsageError, notice
from pecli.core.options import Options, option
from pecli.core.terminal import print_json, print_results
from pecli.encodings.registry import encoding_named
from pecli.encodings.spec import parse_encoding
from pecli.files.formats import FORMATS
from pecli.files.metadata import read_metadata
from pecli.files.tables import IN_MEMORY, NOT_STORED
from pecli.files.writer import ending_of, real_path
from pecli.jobs.inputs import check_inputs, fingerprints, reading_beside, relocate_inputs
from pecli.jobs.job import Job, job_settings, versions
from pecli.jobs.job_options import find_analysis, known_options, parameters_of
from pecli.jobs.names import escape_blanks
from pecli.jobs.sweep import expand, specs_in
from pecli.jobs.text import command, entry, quoted
from pecli.page.canvas import OWNED, TEXTS

FORMS = ("command", "toml")


@dataclass(frozen=True)
class RecipeOptions(Options):
    """How files are told to be made again."""

    form: str | None = option(
        None, "what to print: a command line, or a batch file", choices=lambda: FORMS, unset="command for one file"
    )
    output: tuple[str, ...] = option(
        (), "file that the printed line writes", unset="the same one", flags=("-o",), split=False
    )


def recipe(files: list[str], *, form: str | None, output: tuple[str, ...], json: bool, **_: object) -> None:
    """Print what makes finished files again."""
    if form and json:
        raise UnusedOptionError("form", form, "--json prints the line and the job")
    if output and len(files) > 1:
        raise UsageError(f"--output needs a single file, but {len(files)} are given")
    jobs = [read_job(path, output) for path in files]
    as_lines = form == "command" or (form is None and len(jobs) == 1)
    if json:
        facts = [{"paths": [*job.output.output], "command": command(job), "job": job.job()} for job in jobs]
        print_json([{**each, **versions()} for each in facts])
        return
    figures = (entry(job, list(map(below, job.output.output))) for job in jobs)
    print_results(list(map(command, jobs)) if as_lines else ["\n\n".join(figures)])


RECIPE_COMMAND = Command(
    with_options(
        recipe,
        [*RecipeOptions.options().values(), *run_options("show", "jobs")],
        argument("files", "pictures or numbers that pecli made", many=True, required=True, metavar="FILE"),
    ),
    ("pecli recipe heatmap.png", "pecli recipe one.png two.svg > figures.toml"),
)


def read_job(path: str, output: Sequence[str] = ()) -> Job:
    """Return the job of a finished file, with that file (or the output) as its output.

    A notice names each file that it was made from and that does not lie beside it: those are not looked at.
    """
    found = read_metadata(path)
    with reading_beside(path, found, {}):
        job, lost = carried_job(path, found, output)
    for file in lost:
        lost_text = f"is not found beside {path}: it is named as seen from where that was made"
        notice(f"{file} {NOT_STORED if file.startswith(IN_MEMORY) else lost_text}")
    return job


def carried_job(path: str, found: Mapping[str, Any], output: Sequence[str] = ()) -> tuple[Job, list[str]]:
    """Return the job that a finished file carries, and the files it was made from that are not beside it."""
    values = job_settings(found)
    with naming(path):
        name, outputs = str(values.pop("command", "")), list(output) or [escape_blanks(path)]
        asked = expand(name, {**for_files(values, outputs), "output": outputs}).as_one()
    return relocate_inputs(asked, path, fingerprints(found))


def for_files(values: Mapping[str, Any], paths: Sequence[str]) -> dict[str, Any]:
    """Return options without those that mean something in files of other formats alone."""
    formats = [FORMATS[ending] for path in paths if (ending := ending_of(path)) in FORMATS]
    owners = {**OWNED, "long": "rows"}
    owned = {name for name, kind in owners.items() if name != "style" and not any(getattr(f, kind) for f in formats)}
    return {name: value for name, value in values.items() if name not in owned}


@contextmanager
def naming(path: str) -> Iterator[None]:
    """Add the name of the file that carries a job to what is wrong with it inside the block."""
    try:
        yield
    except UsageError as error:
        raise UsageError(f"{path} carries a job that pecli cannot read: {error}") from None


def below(path: str) -> str:
    """Return a path as one below the current folder, as tar does: a batch writes nowhere else."""
    place = os.path.relpath(path) if Path(path).is_absolute() else os.path.normpath(path)
    inside = re.sub(r"^(\.\./)+", "", place)
    if inside != place:
        notice(f"{path} is outside this folder: the batch file writes {inside}")
    return inside


def redraw(context: typer.Context, file: str, **before: Any) -> None:
    """Draw a finished file again with what is given changed; any option of its figure may stand behind the file."""
    with guard():
        early = [name.replace("_", "-") for name, value in before.items() if value not in (None, False)]
        if file.startswith("-") or early:
            given = file if file.startswith("-") else f"--{early[0]}"
            raise UsageError(f"the file comes first: pecli redraw FILE {given} …")
        found = read_metadata(file)
        with naming(file):
            figure = find_analysis(str(job_settings(found).get("command", "")))
    raise typer.Exit(
        run_words(_again(file, figure, found), context.args, f"redraw {quoted(file)}", settings_of(figure))
    )


def _redraw_with_help() -> Any:
    """Return the function with the options that all figures have, for its help: they are read behind the file."""
    shown = [parameter(entry, panel) for part, panel in SHARED.items() for entry in part.options().values()]
    words = [
        context_parameter(),
        argument("file", "picture or numbers that pecli made; options follow it", required=True, metavar="FILE"),
    ]
    return with_parameters(redraw, [*words, *shown, *run_parameters()])


REDRAW_COMMAND = Command(
    _redraw_with_help(),
    ("pecli redraw heatmap-sinusoidal.png --size 4x3 -o small.png", "pecli redraw far.svg --cmap Greys -o grey.svg"),
    notes=("Any option of the file's figure may follow the file: pecli redraw FILE --help lists them.",),
    settings={"allow_extra_args": True, "ignore_unknown_options": True, "allow_interspersed_args": False},
)


def with_numbers_of(before: Sequence[str], spec: str) -> str:
    """Return the text of an encoding with the numbers, such as d and base, that all encodings before it had and that it
    takes and does not say; a model's config says all of its own."""
    if encoding_named(spec.partition(":")[0]) is None:
        return spec
    (first, *rest), said = [parse_encoding(each)[1] for each in before], parse_encoding(spec)[1]
    taken = {name for name, entry in parameters_of([spec]).items() if entry.scalar in (int, float) and name not in said}
    kept = {name: text for name, text in first.items() if name in taken and all(has.get(name) == text for has in rest)}
    return spec + ("," if said else ":") * bool(kept) + ",".join(f"{name}={text}" for name, text in kept.items())


def _again(file: str, figure: Any, metadata: dict[str, Any]) -> Any:
    """Return the figure's command, with the values that the file carries where nothing is given.

    A file of a whole sweep gives one such file again, of its format where that holds many pictures.
    """

    def jobs(texts: dict[str, Any], show: bool) -> list[Job]:
        changed = values_of(known_options(figure), passed_options(texts, figure))
        with reading_beside(file, metadata, changed):
            carried = carried_job(file, metadata)[0]
            values = for_files(job_settings({"job": carried.job()}), changed.get("output") or [file])
            name = values.pop("command")
            if "encoding" in changed:
                changed["encoding"] = [with_numbers_of([*specs_in(values)], spec) for spec in changed["encoding"]]
            for text in TEXTS:  # what is given now takes the place of its opposite
                for given, opposite in ((text, f"no_{text}"), (f"no_{text}", text), ("plain", text)):
                    values.pop(opposite if given in changed else "", None)
            whole = bool(carried.cells) and "output" not in changed
            kind = {"format": ending_of(file)} if whole and FORMATS[ending_of(file)].frames else {}
            sweep = expand(name, {**kind, **values, **changed})
            for job in sweep.jobs:
                check_inputs(job, file)
            again = [job.settle() for job in ([sweep.as_one()] if whole else sweep.by_file())]
        if show:
            again = list(map(without_file, again))
        if "output" not in changed and real_path(file) in [real_path(path) for job in again for path in job.paths]:
            raise UsageError(f"{file} would be replaced: name another file with --output")
        return again

    return running(figure, jobs)
