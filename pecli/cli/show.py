"""What every command has: what Typer takes it as, how it ends, and how it shows a text or writes it to a file."""

from __future__ import annotations

import json
import traceback
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import cache
from typing import Any

import typer

from pecli.core.errors import LISTENER, UsageError, as_flags, as_pecli_error
from pecli.core.hub import VERBOSE
from pecli.core.json_schema import Schema
from pecli.core.progress import TRACKER, progress, untracked
from pecli.core.terminal import CODE, Document, Paragraph, print_notes, print_results, show
from pecli.files.documents import csv, md, tex
from pecli.files.formats import FORMATS, format_of
from pecli.files.metadata import FileMetadata
from pecli.files.writer import STDOUT, check_target, discard_stdout, is_stdout, write

WRITERS = {"md": md, "tex": tex, "csv": csv}
FORMS = (*WRITERS, "json")


@dataclass(frozen=True)
class Command:
    """A command as Typer takes it."""

    function: Callable[..., None]  # with the command's options as parameters
    examples: tuple[str, ...]  # lines that run
    notes: tuple[str, ...] = ()  # paragraphs at the end of its help
    answer: Callable[[], Schema] | None = None  # gives the schema of what --json prints, if there is --json
    settings: Mapping[str, Any] = field(default_factory=dict)  # how its words are taken, besides the names of its help


@contextmanager
def guard(quiet: bool = False, verbose: bool = False) -> Iterator[None]:
    """Run a command's body: every failure is one line and an exit code. Never a traceback, but with -v."""
    TRACKER.set(untracked if quiet else progress)
    VERBOSE.set(verbose)
    LISTENER.set(None if quiet else cache(print_notes))  # a file read again has nothing new to say
    try:
        yield
    except KeyboardInterrupt:
        print_notes("interrupted")
        raise typer.Exit(130) from None
    except typer.Exit:
        raise
    except BrokenPipeError:  # the reader has gone: nobody is left to tell
        discard_stdout()
        raise typer.Exit(1) from None
    except Exception as error:
        if verbose:
            traceback.print_exc()
        if isinstance(error, OSError):
            discard_stdout()  # it may be what failed, and holds text that would fail once more
        failure = as_pecli_error(error)
        print_notes(*failure.sentence(as_flags).split("\n"))
        raise typer.Exit(failure.exit_code) from None


Target = tuple[str, str]  # a path, and the format of what is written there


def targets_of(
    outputs: Sequence[str] | None, format: str | None, as_json: bool, pictures: bool = False
) -> tuple[list[Target], list[str]]:
    """Return what texts are to be written, none of them in a terminal, and where pictures are, if a command draws any.

    Raises
    ------
    UsageError : a format that holds no text
    """
    if as_json and (outputs or format not in (None, "json")):
        raise UsageError("--json prints JSON: leave --output and --format out")
    if as_json or not (outputs or format):
        return [(STDOUT, "json")] if as_json else [], []
    texts, drawn = [], []
    for path in outputs or [STDOUT]:
        form = format_of(path, format, "md")
        if pictures and outputs and form in FORMATS and FORMATS[form].picture:
            drawn.append(path)
        elif form in FORMS:
            texts.append((path, form))
        else:
            raise UsageError(option="format" if format else "output", value=format or path, allowed=", ".join(FORMS))
    return texts, drawn


def publish(document: Document, data: Any, targets: Sequence[Target], lines: Sequence[str] = ()) -> None:
    """Show a document, or write it, or the same as plain data, in the forms that are asked for.

    lines : to type, which stand behind it; in a terminal they are not broken into lines that fit
    """
    if not targets:
        show(document)
        if lines:
            print_results(["", *lines])
    for path, form in targets:
        check_target(path, clobber=True, text=True, example=f"text.{form}")
    for path, form in targets:
        encode = WRITERS.get(form)
        blocks = [*document, *(Paragraph(line, style=CODE) for line in lines)]
        plain = json.dumps(data, allow_nan=False).encode() + b"\n"
        write(path, encode(blocks, FileMetadata("", "")) if encode else plain)
        if not is_stdout(path):
            print_results([path])
