"""Every way a command can end: its exit code and its one line."""

from __future__ import annotations

import traceback
from collections.abc import Iterator
from contextlib import contextmanager

import typer

from pecli.core import interrupts
from pecli.core.errors import LISTENER, Mention, failure_of, once, unheard
from pecli.core.terminal import TRACKER, progress, say, silent


@contextmanager
def guard(quiet: bool = False, verbose: bool = False) -> Iterator[None]:
    """Runs a command's body: a user's mistake is one line, and so is every failure. Never a traceback, but with -v."""
    try:
        TRACKER.set(silent if quiet else progress)
        LISTENER.set(unheard if quiet else once(say))
        yield
        interrupts.check()  # a signal whose exception got lost
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
        from pecli.files.writer import discard_stdout

        discard_stdout()
    stopped = interrupts.number_of(error)
    if stopped is not None:
        say(interrupts.SIGNALS[stopped])
        return interrupts.exit_code(stopped)
    if isinstance(error, BrokenPipeError) or not isinstance(error, Exception):
        return 1  # the reader has gone: nobody is left to tell
    failure = failure_of(error)
    say(*failure.sentence(as_flag).split("\n"))
    return failure.exit_code
