"""Every way a command can end: its exit code and its one line."""

from __future__ import annotations

import sys
import traceback
from collections.abc import Iterator
from contextlib import contextmanager

import typer

from pecli.core.errors import Mention, OutputError, PecliError
from pecli.core.progress import TRACKER
from pecli.core.terminal import animated, progress_bar, say
from pecli.files.writer import Terminated, discard_stdout, terminable

MEMORY = "memory ran out: shorten --length, or zoom in with --start and --length"
ENDINGS: tuple[tuple[type[BaseException], int, str], ...] = (  # the first that fits
    (BrokenPipeError, 1, ""),  # the reader has gone: nobody is left to tell
    (KeyboardInterrupt, 130, "interrupted"),
    (Terminated, 143, "terminated"),
    (MemoryError, 1, MEMORY),
    (OSError, 1, "the system refused: {error}"),
    (Exception, 1, "internal error, please report it ({kind}: {error}); -v shows where"),  # a defect of ours
)


@contextmanager
def guard(quiet: bool = False, verbose: bool = False) -> Iterator[None]:
    """Runs a command's body: a user's mistake is one line, and so is every failure. Never a traceback, but with -v."""
    try:
        if sys.stdout is None:
            raise OutputError("standard output is closed, so results have no place to go")
        if animated() and not quiet:
            TRACKER.set(progress_bar)
        with terminable():
            yield
    except (typer.Exit, SystemExit):  # the second is rich's, where the reader has gone
        raise
    except BaseException as error:
        raise typer.Exit(_report(error, verbose)) from None


def as_flag(one: Mention) -> str:
    """An option as the command line has it."""
    flag = "--" + one.name.replace("_", "-")
    return f"{flag} {one.typed}" if one.typed else flag


def _report(error: BaseException, verbose: bool) -> int:
    """Says what happened; gives the exit code."""
    if verbose:
        traceback.print_exc()
    if isinstance(error, OSError):
        discard_stdout()
    if isinstance(error, PecliError):
        say(error.sentence(as_flag))
        return error.exit_code
    code, text = next((code, text) for kind, code, text in ENDINGS if isinstance(error, kind))
    if text:
        say(text.format(kind=type(error).__name__, error=error))
    return code
