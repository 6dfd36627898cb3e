"""An empty Typer app with as many commands as pecli. Arguments: COUNT ARGUMENTS…."""

import sys
from typing import Annotated

import typer

app = typer.Typer(no_args_is_help=True)


def show_version(wanted: bool) -> None:
    if wanted:
        print("empty 1.0")
        raise typer.Exit


@app.callback()
def options(version: Annotated[bool, typer.Option("--version", is_eager=True, callback=show_version)] = False) -> None:
    """Declare the options before a command's name."""


def command(number: int = 1) -> None:
    """Do nothing."""


for index in range(int(sys.argv.pop(1))):
    app.command(f"command-{index}")(command)

app(prog_name="empty")
