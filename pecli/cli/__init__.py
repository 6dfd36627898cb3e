"""The command line: Typer only, options in, a Job out."""

from __future__ import annotations

import gc
import logging
import os
import sys
import warnings
from typing import Annotated

import typer

from pecli.cli.commands import PANELS
from pecli.cli.typer_internals import make_app
from pecli.core.terminal import prepare_streams, say
from pecli.core.version import __version__

__all__ = ["PANELS", "app", "main"]

app = make_app()


def _show_version(wanted: bool) -> None:
    if wanted:
        print(f"pecli {__version__}")
        raise typer.Exit


@app.callback()
def options(
    version: Annotated[
        bool, typer.Option("--version", "-V", help="Show the version and stop.", is_eager=True, callback=_show_version)
    ] = False,
) -> None:
    """Declares what stands before the name of a command."""


def main() -> None:
    """Runs the command line of this process."""
    gc.set_threshold(50_000, 20, 20)  # imports make many objects and no garbage: 0.03 s
    os.environ["MPLBACKEND"] = "agg"  # the environment's choice may not even import
    os.environ["MATPLOTLIBRC"] = os.devnull  # a broken file of the user's would stop the import
    logging.getLogger("matplotlib").setLevel(logging.ERROR)  # what matters of its warnings pecli says itself
    prepare_streams()
    warnings.showwarning = lambda message, *_, **__: say(f"warning: {message}")
    if sys.stdout is None:
        say("standard output is closed, so results have no place to go")
        sys.exit(1)
    stdout = sys.stdout  # Typer puts another in its place where the reader has gone
    try:
        try:
            app(prog_name="pecli")
        finally:
            stdout.flush()
    except OSError as error:  # of --help and --version; commands have a guard of their own
        if not isinstance(error, BrokenPipeError):
            say(f"the system refused: {error}")
        from pecli.files.writer import discard_stdout

        discard_stdout()
        sys.exit(1)
