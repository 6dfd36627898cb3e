"""What a command without a job says, in a terminal or as a file: Markdown, LaTeX, CSV or JSON."""

from __future__ import annotations

import json
from typing import Annotated, Any

import typer

from pecli.core.errors import UsageError, mention
from pecli.core.terminal import Document, results, show
from pecli.files.documents import csv, md, tex
from pecli.files.formats import About, format_of
from pecli.files.writer import STDOUT, check_target, is_stdout, write

WRITERS = {"md": md, "tex": tex, "csv": csv}
FORMS = (*WRITERS, "json")
OutputOption = Annotated[
    str | None, typer.Option("--output", "-o", help=f"File to write: .{', .'.join(FORMS)}; - is standard output")
]
FormatOption = Annotated[str | None, typer.Option("--format", help=f"One of {', '.join(FORMS)}")]
JsonOption = Annotated[bool, typer.Option("--json", help="Print it as JSON, as --format json does.")]
QuietOption = Annotated[bool, typer.Option("--quiet", "-q", help="Print nothing but errors and the result.")]
VerboseOption = Annotated[bool, typer.Option("--verbose", "-v", help="Show where an error comes from.")]


def form_of(output: str | None, format: str | None, as_json: bool) -> str | None:
    """The format that is asked for, None for what a terminal shows; raises UsageError for one that holds no text."""
    if as_json and (output or format not in (None, "json")):
        raise UsageError(f"{mention('json')} prints JSON: leave {mention('output')} and {mention('format')} out")
    if as_json or (output is None and format is None):
        return "json" if as_json else None
    found = format_of(STDOUT if output is None else output, format, "md")
    if found not in FORMS:
        raise UsageError(option="format" if format else "output", value=format or output, allowed=", ".join(FORMS))
    return found


def publish(document: Document, data: Any, output: str | None, form: str | None) -> None:
    """Shows a document, or writes it, or the same as plain data, in the form that is asked for."""
    if form is None:
        show(document)
        return
    path = STDOUT if output is None else output
    check_target(path, clobber=True, text=True, example=f"text.{form}")
    encode = WRITERS.get(form)
    pieces = encode(document, About("", "")) if encode else [json.dumps(data, allow_nan=False).encode() + b"\n"]
    write(path, pieces)
    if not is_stdout(path):
        results([path])
