"""Every figure of a TOML file: sweeps, several processes, nothing drawn twice."""

from __future__ import annotations

import os
import time
from pathlib import Path
from typing import Annotated

import typer

from pecli.cli.commands import Command
from pecli.cli.guard import guard
from pecli.core.errors import PecliError, UsageError
from pecli.core.terminal import Steps, results, say
from pecli.files.writer import check_target, write
from pecli.jobs.batch_example import EXAMPLE
from pecli.jobs.batch_file import STDIN, Batch, read_batch
from pecli.jobs.command_line import command
from pecli.jobs.gallery_page import page, page_path

START = "pecli.toml"  # what --init writes where no name is given


def batch(
    file: Annotated[str | None, typer.Argument(help="the TOML file; - for standard input", show_default=False)] = None,
    init: Annotated[bool, typer.Option("--init", help="Write a commented file to start from.")] = False,
    folder: Annotated[
        str | None, typer.Option(help="Where outputs go and stay (default: the file's folder).", show_default=False)
    ] = None,
    only: Annotated[
        list[str] | None, typer.Option(help="Names or globs of figures or files.", show_default=False)
    ] = None,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Print one command line a picture, draw nothing.")] = False,
    jobs: Annotated[int | None, typer.Option("--jobs", "-j", min=1, help="Processes (default: the cores).")] = None,
    force: Annotated[bool, typer.Option("--force", help="Draw also what its file already shows.")] = False,
    fail_fast: Annotated[bool, typer.Option("--fail-fast", help="Stop at the first failure.")] = False,
    index: Annotated[
        list[str] | None, typer.Option(help="Write a page of all pictures: .md or .html.", show_default=False)
    ] = None,
    quiet: Annotated[bool, typer.Option("--quiet", "-q", help="No bar, no summary: just what was written.")] = False,
    verbose: Annotated[bool, typer.Option("--verbose", "-v", help="Show where an error comes from.")] = False,
) -> None:
    """Draws every figure of a TOML file; the options say which, how and how loudly."""
    with guard(quiet, verbose):
        if init:
            results([write_start(file or START)])
            return
        if file is None:
            raise UsageError("name a TOML file, - for standard input, or --init to start one")
        plan = read_batch(file, folder)
        chosen = plan.only(only) if only else plan
        pages = [page_path(plan, path) for path in [*plan.index, *(index or [])]]
        if dry_run:
            results([command(job, job.paths) for job in chosen.jobs])
            return
        draw(chosen, workers=jobs, force=force, fail_fast=fail_fast, quiet=quiet)
        write_pages(plan, pages)


COMMAND = Command(batch, example="pecli batch figures.toml -j 2")


def write_start(path: str) -> str:
    """Writes the starting file; an existing one stays."""
    if path == STDIN:
        return EXAMPLE.format(path="FILE.toml").rstrip()
    if os.path.exists(path):
        raise UsageError(f"{path} already exists: name another file, as in pecli batch --init figures.toml")
    check_target(path, clobber=True)
    write(path, EXAMPLE.format(path=path).encode())
    return path


def draw(plan: Batch, *, workers: int | None, force: bool, fail_fast: bool, quiet: bool) -> None:
    """Runs the jobs, shows how they go and what came of them."""
    from pecli.jobs.run_jobs import FAILED, SKIPPED, WRITTEN, cores, run

    begun, counts, failures = time.monotonic(), {WRITTEN: 0, SKIPPED: 0, FAILED: 0}, []
    try:
        with Steps(len(plan.jobs), quiet) as steps:
            for outcome in run(plan.jobs, workers=workers or cores(), force=force, fail_fast=fail_fast):
                counts[outcome.state] += 1
                text = " ".join(outcome.paths)
                steps.advance(f"{outcome.state} {text}", [] if outcome.state == FAILED else list(outcome.notes))
                if outcome.state == FAILED:
                    failures.append(f"{text}: {'; '.join(outcome.notes)}")
                elif outcome.state == WRITTEN:
                    steps.result(outcome.paths)
    except KeyboardInterrupt:
        say(f"{_summary(counts)} of {len(plan.jobs)}; the same line goes on from there")
        raise
    if not quiet:
        say(f"{_summary(counts)} in {time.monotonic() - begun:.1f} s")
    if failures:
        left = len(plan.jobs) - sum(counts.values())
        raise PecliError("\n".join([*failures, *([f"{left} not begun"] if left else [])]))


def write_pages(plan: Batch, paths: list[str]) -> None:
    """Writes the pages that show every figure of the file."""
    for target in paths:
        data = page(plan, target)
        if not (os.path.isfile(target) and Path(target).read_bytes() == data):
            write(target, data)
            results([target])


def _summary(counts: dict[str, int]) -> str:
    return ", ".join(f"{count} {state}" for state, count in counts.items())
