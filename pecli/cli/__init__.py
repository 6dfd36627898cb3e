"""The command line: Typer only, options in, a Job out."""

from __future__ import annotations

import logging
import os
import sys
import warnings
from typing import Annotated

import typer

from pecli import __version__
from pecli.cli.batch import batch
from pecli.cli.encodings import encodings
from pecli.cli.figures import study_command
from pecli.cli.recipe import recipe
from pecli.sections import STUDIES
from pecli.terminal import say

HELP = """What position encodings look like: pictures and numbers, one command each.

Try: pecli heatmap --base 10"""

app = typer.Typer(
    help=HELP,
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    rich_markup_mode="rich",
    context_settings={"help_option_names": ["-h", "--help"]},
)


def _show_version(wanted: bool) -> None:
    if wanted:
        print(f"pecli {__version__}")
        raise typer.Exit


@app.callback()
def _options(
    version: Annotated[
        bool, typer.Option("--version", help="Show the version and stop.", is_eager=True, callback=_show_version)
    ] = False,
) -> None:
    pass


for name, study in STUDIES.items():
    app.command(name, rich_help_panel="Figures" if study.drawn else "Words and numbers")(study_command(study))
app.command("encodings", rich_help_panel="Words and numbers")(encodings)
app.command("batch", rich_help_panel="Files")(batch)
app.command("recipe", rich_help_panel="Files")(recipe)


def main() -> None:
    """The program `pecli`."""
    os.environ["MPLBACKEND"] = "agg"  # the environment's choice may not even import
    os.environ["MATPLOTLIBRC"] = os.devnull  # a matplotlibrc in the current folder is none of ours
    logging.getLogger("matplotlib").setLevel(logging.ERROR)  # what matters of its warnings pecli says itself
    for stream in (sys.stdout, sys.stderr):
        if hasattr(stream, "reconfigure"):
            stream.reconfigure(errors="backslashreplace")
    warnings.showwarning = lambda message, *_, **__: say(f"warning: {message}")
    app(prog_name="pecli")
