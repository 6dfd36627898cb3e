"""A figure in the browser, its options as sliders and choices."""

from __future__ import annotations

import webbrowser
from collections.abc import Callable, Sequence
from contextlib import suppress
from http import HTTPStatus
from mimetypes import types_map
from typing import Annotated, Any

import typer

from pecli.analysis import Analysis
from pecli.cli.commands import Command
from pecli.cli.figure_help import figure_sections
from pecli.cli.figures import values_of
from pecli.cli.guard import guard
from pecli.cli.help_page import Section
from pecli.cli.local_server import Reply, Server, Site
from pecli.cli.options import given, job_parameters
from pecli.cli.typer_internals import run_words, with_parameters
from pecli.core.errors import PecliError, UsageError, failure_of
from pecli.core.terminal import results, say
from pecli.figures import FIGURES
from pecli.jobs.job import Job, jobs_of
from pecli.jobs.job_options import Output, find_analysis, known_options

START = "heatmap"


def explore(
    context: typer.Context,
    figure: Annotated[
        str, typer.Argument(help=f"The figure, by default {START}; its options may follow: {', '.join(FIGURES)}.")
    ] = START,
    port: Annotated[int, typer.Option(min=0, max=65535, help="The page's port; 0 is any that is free.")] = 0,
    no_browser: Annotated[bool, typer.Option("--no-browser", help="Print the address and open nothing.")] = False,
) -> None:
    """Shows a figure on a page of this machine, its options as sliders and choices, until Ctrl-C."""
    with guard():
        if figure.startswith("-"):
            named = next((word for word in context.args if word in FIGURES), START)
            raise UsageError(f"the figure comes first: pecli explore {named} {figure} …")
        kind = find_analysis(figure)
    raise typer.Exit(run_words(_served(kind, port, not no_browser), context.args, f"explore {figure}"))


def _served(kind: type[Analysis[Any]], port: int, browser: bool) -> Any:
    """The figure's own command, which opens the page in place of drawing."""

    def command(**texts: Any) -> None:
        with guard():
            jobs = jobs_of(kind.name, values_of(known_options(kind), given(texts, kind)))
            if len(jobs) > 1:
                text = f"explore starts from one picture, {len(jobs)} are asked for"
                raise UsageError(text, advice="turn the option on the page")
            serve(jobs[0], port, browser)

    return with_parameters(command, [one for one in job_parameters(kind) if one.name not in Output.options()])


def serve(job: Job, port: int, browser: bool) -> None:
    """Answers the page until a signal arrives."""
    job.check()
    try:
        server = Server(site_of(job), port)
    except OSError as error:
        raise PecliError(f"port {port} could not be used: {error.strerror}") from None
    with server:
        results([server.url])
        say("the page is for this machine alone; Ctrl-C ends it")
        if browser:
            open_window(server.url)
        server.serve_forever()


def open_window(url: str) -> None:
    """Opens a window with the page, where there is a browser that has windows: others would take the terminal."""
    with suppress(webbrowser.Error):
        found = webbrowser.get()
        if type(found) is not webbrowser.GenericBrowser:
            found.open(url)


def site_of(job: Job) -> Site:
    """The page of a job's figure, and what it may ask."""
    from pecli.jobs.explorer import Explorer, as_label

    explorer = Explorer(job)

    def picture(asked: dict[str, Any], gone: Callable[[], bool]) -> Reply:
        pixels = asked.get("pixels")
        return Reply.json(explorer.answer(_values(asked), pixels if isinstance(pixels, int) else 0, gone))

    def file(asked: dict[str, Any], gone: Callable[[], bool]) -> Reply:
        format = str(asked.get("format"))
        try:
            if format not in explorer.formats:
                raise UsageError(option="format", value=format, allowed=", ".join(explorer.formats))
            return Reply(HTTPStatus.OK, types_map[f".{format}"], explorer.file(_values(asked), format, gone))
        except Exception as error:  # whatever it is, the page says it
            return Reply.json({"error": failure_of(error).sentence(as_label)}, HTTPStatus.BAD_REQUEST)

    return Site(explorer.page, {"picture": picture, "file": file})


def _values(asked: dict[str, Any]) -> dict[str, Any]:
    values = asked.get("values")
    return values if isinstance(values, dict) else {}


def _sections(words: Sequence[str]) -> list[Section]:
    """The options of the figure among these words, but for those of files: the page has buttons."""
    named = next((word for word in words if word in FIGURES), START)
    return figure_sections(FIGURES[named], words, writes=False)


COMMAND = Command(
    explore,
    ("pecli explore heatmap", "pecli explore curves rope --length 512 --no-browser"),
    sections=_sections,
    own="Of the page:",
    settings={"allow_extra_args": True, "ignore_unknown_options": True},
)
