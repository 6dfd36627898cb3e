"""Options of a run: which pictures are made, by which processes, and what is printed. They change no picture."""

from __future__ import annotations

from dataclasses import dataclass

from pecli.core.options import Option, Options, option


@dataclass(frozen=True)
class RunOptions(Options):
    """Options for how jobs are run and reported."""

    show: bool = option(False, "show the picture in the terminal; without -o, write no file")
    jobs: int | None = option(
        None,
        "number of processes, for several pictures or a .gif, .webp or .html",
        at_least=1,
        at_most=1024,
        flags=("-j",),
        unset="one per core",
    )
    json: bool = option(False, "print the results as JSON")
    quiet: bool = option(False, "print only errors and results, such as paths", flags=("-q",))
    verbose: bool = option(False, "print more: the origin of errors, requests to a hub", flags=("-v",))


@dataclass(frozen=True)
class BatchOptions(Options):
    """Options for which pictures of a batch file are drawn, where and how, or what is done instead."""

    init: bool = option(False, "write a commented file to start from")
    schema: bool = option(False, "print the JSON Schema of batch files, for editors")
    folder: str | None = option(None, "folder for all outputs", unset="the file's folder")
    only: tuple[str, ...] = option((), "names or globs of the figures or files to draw, repeat for more", split=False)
    dry_run: bool = option(False, "print one command line per picture; up-to-date ones are commented out")
    shard: str | None = option(None, "draw only a part of the pictures: 3/16 is the third of 16 parts")
    dask: str | None = option(None, "draw on the Dask cluster with this scheduler address")
    force: bool = option(False, "also redraw files that are up to date")
    fail_fast: bool = option(False, "stop at the first failure")


CHECK = Option(  # not a field, because `Options` has a method of that name
    "report missing, stale or orphaned files without drawing (.csv and .md never count as stale); exit 1 if any",
    name="check",
    scalar=bool,
    default=False,
)
