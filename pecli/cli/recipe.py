"""`pecli recipe` and `pecli redraw`: print the command that made a file, and draw the file again with changes."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any, TypedDict, cast

import typer

from pecli.cli.app import run_words
from pecli.cli.draw import without_file
from pecli.cli.figures import SHARED, draw_command, passed_options, run_parameters, settings_of
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
from pecli.core.json_schema import results_of
from pecli.core.options import Options, option
from pecli.core.terminal import print_json, print_results
from pecli.encodings.registry import encoding_named
from pecli.encodings.spec import parse_encoding
from pecli.files.formats import FORMATS
from pecli.files.metadata import read_metadata
from pecli.files.tables import IN_MEMORY, NOT_STORED
from pecli.files.writer import ending_of, real_path
from pecli.jobs.answers import pictures_schema
from pecli.jobs.inputs import check_inputs, fingerprints, reading_beside, relocate_inputs
from pecli.jobs.job import Job, job_settings, versions
from pecli.jobs.job_options import find_analysis, known_options, parameters_of
from pecli.jobs.names import escape_placeholders
from pecli.jobs.sweep import expand, specs_in
from pecli.jobs.text import command, entry, quoted
from pecli.page.canvas import OWNED, TEXTS

FORMS = ("command", "toml")


@dataclass(frozen=True)
class RecipeOptions(Options):
    """Options for how a recipe is printed."""

    form: str | None = option(
        None, "what to print: a command line, or a batch file", choices=lambda: FORMS, unset="command for one file"
    )
    output: tuple[str, ...] = option(
        (), "the -o of the printed command", unset="the name of the file given", flags=("-o",), split=False
    )


def recipe(files: list[str], *, form: str | None, output: tuple[str, ...], json: bool, **_: object) -> None:
    """Print the command line that made a finished file; for several files, print a batch file."""
    if form and json:
        raise UnusedOptionError("form", form, "--json prints the command and the job")
    if output and len(files) > 1:
        raise UsageError(f"--output needs a single file, but {len(files)} are given", option="output")
    jobs = [read_job(path, output) for path in files]
    as_lines = form == "command" or (form is None and len(jobs) == 1)
    if json:
        print_json([recipe_data(job) for job in jobs])
        return
    figures = (entry(job, list(map(path_below_here, job.output.output))) for job in jobs)
    print_results(list(map(command, jobs)) if as_lines else ["\n\n".join(figures)])


class RecipeData(TypedDict):
    """The --json output for a finished file."""

    paths: list[str]
    command: str
    job: dict[str, Any]
    pecli: str
    matplotlib: str
    numpy: str


def recipe_data(job: Job) -> RecipeData:
    """Return a job's files, its command line, its options and the versions that draw it."""
    facts = {"paths": [*job.output.output], "command": command(job), "job": job.job()}
    return cast("RecipeData", {**facts, **versions()})


RECIPE_COMMAND = Command(
    with_options(
        recipe,
        [*RecipeOptions.options().values(), *run_options("show", "jobs")],
        argument("files", "pictures or numbers that pecli made", many=True, required=True, metavar="FILE"),
    ),
    ("pecli recipe heatmap.png", "pecli recipe one.png two.svg > figures.toml"),
    answer=partial(results_of, RecipeData),
)


def read_job(path: str, output: Sequence[str] = ()) -> Job:
    """Return the job of a finished file; its output is `output`, or by default the finished file itself.

    A notice names each input file that is not found beside the finished file.
    """
    found = read_metadata(path)
    with reading_beside(path, found, {}):
        job, lost = carried_job(path, found, output)
    for file in lost:
        lost_text = f"is not found beside {path}: its path is relative to the folder where that file was made"
        notice(f"{file} {NOT_STORED if file.startswith(IN_MEMORY) else lost_text}")
    return job


def carried_job(path: str, found: Mapping[str, Any], output: Sequence[str] = ()) -> tuple[Job, list[str]]:
    """Return the job in a finished file's metadata, and the names of its input files that are not found beside it.

    found : the metadata
    output : the job's new outputs, by default the finished file
    """
    values = job_settings(found)
    with errors_naming(path):
        name, outputs = str(values.pop("command", "")), list(output) or [escape_placeholders(path)]
        asked = expand(name, {**options_for_files(values, outputs), "output": outputs}).as_one()
    return relocate_inputs(asked, path, fingerprints(found))


def options_for_files(values: Mapping[str, Any], paths: Sequence[str]) -> dict[str, Any]:
    """Return the options, without those that apply to none of the formats of `paths`."""
    formats = [FORMATS[ending] for path in paths if (ending := ending_of(path)) in FORMATS]
    owners = {**OWNED, "long": "rows"}
    owned = {name for name, kind in owners.items() if name != "style" and not any(getattr(f, kind) for f in formats)}
    return {name: value for name, value in values.items() if name not in owned}


@contextmanager
def errors_naming(path: str) -> Iterator[None]:
    """Add the path of the finished file to UsageErrors raised inside the block."""
    try:
        yield
    except UsageError as error:
        raise UsageError(f"{path} stores a job that pecli cannot read: {error}") from None


def path_below_here(path: str) -> str:
    """Return a path without leading "/" or "..", as tar does, because a batch file writes only below its folder."""
    place = os.path.relpath(path) if Path(path).is_absolute() else os.path.normpath(path)
    inside = re.sub(r"^(\.\./)+", "", place)
    if inside != place:
        notice(f"{path} is outside this folder: the batch file writes {inside} instead")
    return inside


def redraw(context: typer.Context, file: str | None, **before: Any) -> None:
    """Draw a finished file again with some options changed.

    before : options typed before the file, which are refused: options must follow it
    """
    with guard():
        if file is None:
            raise UsageError("pecli redraw needs a file that pecli made")
        early = [name.replace("_", "-") for name, value in before.items() if value not in (None, False)]
        if file.startswith("-") or early:
            given = file if file.startswith("-") else f"--{early[0]}"
            raise UsageError(f"the file comes first: pecli redraw FILE {given} …")
        found = read_metadata(file)
        with errors_naming(file):
            figure = find_analysis(str(job_settings(found).get("command", "")))
    raise typer.Exit(
        run_words(_redraw_command(file, figure, found), context.args, f"redraw {quoted(file)}", settings_of(figure))
    )


def _redraw_with_help() -> Any:
    """Return `redraw` with the options that all figures share, to show them in its help.

    The options of the file's figure are read later, when the file is known.
    """
    shown = [parameter(entry, panel) for part, panel in SHARED.items() for entry in part.options().values()]
    words = [
        context_parameter(),
        argument("file", "picture or numbers that pecli made; options come after it"),
    ]
    return with_parameters(redraw, [*words, *shown, *run_parameters()])


REDRAW_COMMAND = Command(
    _redraw_with_help(),
    ("pecli redraw heatmap-sinusoidal.png --size 4x3 -o small.png", "pecli redraw far.svg --cmap Greys -o grey.svg"),
    notes=("The options of its figure come after the file: pecli redraw FILE --help lists them.",),
    answer=pictures_schema,
    settings={"allow_extra_args": True, "ignore_unknown_options": True, "allow_interspersed_args": False},
)


def with_shared_numbers(before: Sequence[str], spec: str) -> str:
    """Return the spec of a new encoding, completed with the numbers (d, base, …) that all previous ones share.

    before : specs of the previous encodings
    spec : spec of the new encoding; if it names a model's file, it is returned unchanged
    """
    if encoding_named(spec.partition(":")[0]) is None:
        return spec
    (first, *rest), said = [parse_encoding(each)[1] for each in before], parse_encoding(spec)[1]
    taken = {name for name, entry in parameters_of([spec]).items() if entry.scalar in (int, float) and name not in said}
    kept = {name: text for name, text in first.items() if name in taken and all(has.get(name) == text for has in rest)}
    return spec + ("," if said else ":") * bool(kept) + ",".join(f"{name}={text}" for name, text in kept.items())


def _redraw_command(file: str, figure: Any, metadata: dict[str, Any]) -> Any:
    """Return the figure's command with defaults from the job in the file's metadata.

    A file with several pictures is drawn again as one file. It keeps its format if the format has frames.
    """

    def jobs(texts: dict[str, Any], show: bool) -> list[Job]:
        changed = values_of(known_options(figure), passed_options(texts, figure))
        with reading_beside(file, metadata, changed):
            carried = carried_job(file, metadata)[0]
            values = options_for_files(job_settings({"job": carried.job()}), changed.get("output") or [file])
            name = values.pop("command")
            if "encoding" in changed:
                changed["encoding"] = [with_shared_numbers([*specs_in(values)], spec) for spec in changed["encoding"]]
            for text in TEXTS:  # --title replaces the --no-title in the file's job, and so on
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

    return draw_command(figure, jobs)
