"""Every way a command can end: its exit code and its one line."""

from __future__ import annotations

import sys
import traceback
from collections.abc import Iterator
from contextlib import contextmanager

import typer

from pecli.errors import OutputError, PecliError
from pecli.output import Terminated, discard_stdout, terminable
from pecli.progress import TRACKER
from pecli.terminal import animated, progress_bar, say

INTERRUPTED = 130
TERMINATED = 143


@contextmanager
def guard(quiet: bool = False, verbose: bool = False) -> Iterator[None]:
    """Runs a command's body: a user's mistake is one line, and so is every failure. Never a traceback, but with -v."""
    code = 1
    try:
        if sys.stdout is None:
            raise OutputError("standard output is closed, so results have no place to go")
        if animated() and not quiet:
            TRACKER.set(progress_bar)
        with terminable():
            yield
        return
    except typer.Exit:
        raise
    except PecliError as error:
        code = error.exit_code
        _report(str(error), verbose)
    except BrokenPipeError:
        discard_stdout()
    except KeyboardInterrupt:
        code = INTERRUPTED
        say("interrupted")
    except Terminated:
        code = TERMINATED
        say("terminated")
    except MemoryError:
        _report("memory ran out: shorten --length, or zoom in with --start and --length", verbose)
    except OSError as error:
        _report(f"the system refused: {error}", verbose)
        discard_stdout()
    except Exception as error:  # a defect of ours: still one line
        _report(f"internal error, please report it ({type(error).__name__}: {error}); -v shows where", verbose)
    raise typer.Exit(code)


def _report(text: str, verbose: bool) -> None:
    if verbose:
        traceback.print_exc()
    say(text)
