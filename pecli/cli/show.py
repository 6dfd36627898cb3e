"""Parts shared by all commands: the `Command` type, error handling, and output of a text to terminal or files."""

from __future__ import annotations

import json
import traceback
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

import typer

from pecli.core.errors import LISTENER, UsageError, as_flags, as_pecli_error, option_text
from pecli.core.hub import VERBOSE
from pecli.core.json_schema import Schema
from pecli.core.progress import TRACKER, progress, untracked
from pecli.core.terminal import CODE, Document, Paragraph, print_notes, print_results, show
from pecli.files.documents import csv, md, tex
from pecli.files.formats import FORMATS, format_of
from pecli.files.metadata import FileMetadata
from pecli.files.writer import STDOUT, check_target, discard_stdout, is_stdout, write
from pecli.jobs.job_options import DECIMALS, SEPARATORS, Output

WRITERS = {"md": md, "tex": tex, "csv": csv}
FORMS = (*WRITERS, "json")


@dataclass(frozen=True)
class Command:
    """A command for Typer."""

    function: Callable[..., None]  # has the command's options as parameters
    examples: tuple[str, ...]  # command lines that work
    notes: tuple[str, ...] = ()  # paragraphs at the end of its help
    answer: Callable[[], Schema] | None = None  # gives the schema of the --json output, if there is --json
    settings: Mapping[str, Any] = field(default_factory=dict)  # Click's context settings


@contextmanager
def guard(quiet: bool = False, verbose: bool = False) -> Iterator[None]:
    """Run a command's body; every failure becomes a one-line message and an exit code. -v also prints the traceback."""
    TRACKER.set(untracked if quiet else progress)
    VERBOSE.set(verbose)
    LISTENER.set(None if quiet else cache(print_notes))  # print each notice once
    try:
        yield
    except KeyboardInterrupt:
        print_notes("interrupted")
        raise typer.Exit(130) from None
    except typer.Exit:
        raise
    except BrokenPipeError:  # standard output is closed
        discard_stdout()
        raise typer.Exit(1) from None
    except Exception as error:
        if verbose:
            traceback.print_exc()
        if isinstance(error, OSError):
            discard_stdout()  # its buffered text could fail again at exit
        failure = as_pecli_error(error)
        print_notes(*failure.sentence(as_flags).split("\n"))
        raise typer.Exit(failure.exit_code) from None


class Target(NamedTuple):
    """A file for a text: its path, its format, and the separator and decimal sign if it is a .csv file."""

    path: str
    form: str
    about: FileMetadata


def targets_of(run: Mapping[str, Any], pictures: bool = False) -> tuple[list[Target], list[str]]:
    """Return the files for the text ([] to print it in the terminal), and the paths for pictures.

    run : the values of the options that say where a text goes: those of `cli.options.file_options`, and --json
    pictures : whether the command can draw, too

    Raises
    ------
    UsageError : a format that cannot hold text, or a separator or decimal sign without a .csv file
    """
    outputs, format, as_json = run["output"], run["format"], run["json"]
    if as_json and (outputs or format not in (None, "json")):
        raise UsageError("--json prints JSON: leave --output and --format out", option="json")
    texts, drawn = list[Target](), list[str]()
    output = Output.make({name: run[name] for name in ("csv_sep", "decimal")})
    about = FileMetadata("", "", separator=SEPARATORS[output.csv_sep], decimal=DECIMALS[output.decimal])
    forms = [*(name for name, item in FORMATS.items() if pictures and item.picture), *FORMS]
    for path in outputs or ([STDOUT] if format or as_json else []):
        form = "json" if as_json else format_of(path, format, "md", forms)
        if pictures and outputs and form in FORMATS and FORMATS[form].picture:
            drawn.append(path)
        elif form in FORMS:
            texts.append(Target(path, form, about))
        else:
            advice = f"name a file such as {Path(path).with_suffix('.md')}" if outputs else ""
            name, given = ("format", format) if format else ("output", path)
            text = f"{option_text(name, given)} is not a format that this command writes"
            raise UsageError(text, option=name, value=given, allowed=", ".join(forms), advice=advice)
    for name, sign in output.csv_signs().items():
        if "csv" not in {target.form for target in texts}:
            text = f"{option_text(name, sign)} is for .csv files only"
            raise UsageError(
                text, option=name, value=sign, advice=f"write one with {option_text('output', 'FILE.csv')}"
            )
    return texts, drawn


def publish(document: Document, data: Any, targets: Sequence[Target], lines: Sequence[str] = ()) -> None:
    """Write a document to the target files or, without targets, print it in the terminal.

    data : plain values, written to JSON targets instead of the document
    lines : command lines to print after the document; they are not wrapped
    """
    if not targets:
        show(document)
        if lines:
            print_results(["", *lines])
    for path, form, _ in targets:
        check_target(path, text=True, example=f"text.{form}")
    for path, form, about in targets:
        encode = WRITERS.get(form)
        blocks = [*document, *(Paragraph(line, style=CODE) for line in lines)]
        plain = json.dumps(data, allow_nan=False).encode() + b"\n"
        write(path, encode(blocks, about) if encode else plain)
        if not is_stdout(path):
            print_results([path])
