"""`pecli batch`: draw every figure of a TOML file, in local processes or on a cluster."""

from __future__ import annotations

import os
import time
from collections import Counter
from collections.abc import Iterator
from concurrent.futures import Executor
from contextlib import closing, contextmanager, nullcontext
from functools import partial
from importlib import import_module
from json import dumps
from pathlib import Path
from typing import Any, TypedDict

import typer

from pecli.cli.options import argument, run_options, with_options
from pecli.cli.show import Command
from pecli.core.errors import (
    OutputError,
    PecliError,
    UnusedOptionError,
    UsageError,
    as_flags,
    as_keys,
    combined_type,
    option_text,
)
from pecli.core.json_schema import results_of
from pecli.core.progress import TRACKER, supports_animation, track, untracked
from pecli.core.terminal import Steps, TextTable, print_json, print_notes, print_results, show
from pecli.files.metadata import can_carry
from pecli.files.writer import check_target, write
from pecli.jobs.batch import EXAMPLE, STDIN, Batch, BatchHeader, read_batch
from pecli.jobs.index import page, page_path
from pecli.jobs.run import MISSING, STALE, STATES, WRITTEN, BatchAnswer, Result, differences, is_done, run
from pecli.jobs.run_options import CHECK, BatchOptions
from pecli.jobs.schema import batch_schema
from pecli.jobs.text import command

DISTRIBUTION = "position-encoding-cli"  # name of the distribution; "pecli" on PyPI is another program
TIMEOUT = 6  # seconds to wait for a cluster's answer


@contextmanager
def cluster(address: str) -> Iterator[Executor]:
    """Yield an executor for a Dask cluster; raise PecliError if there is none."""
    try:
        distributed = import_module("distributed")
    except ImportError:
        raise UsageError(f"--dask needs Dask, which is not installed: pip install '{DISTRIBUTION}[dask]'") from None
    try:
        client = distributed.Client(address, timeout=TIMEOUT)
    except (OSError, ValueError, MemoryError) as error:  # MemoryError if the server is not Dask
        why = "whatever is listening there is not a Dask scheduler" if isinstance(error, MemoryError) else error
        raise PecliError(f"no Dask scheduler answers at {address}: {why}") from None
    executor = client.get_executor(retries=0)
    executor.watch = partial(_check_workers, client, address)
    try:
        executor.watch()
        yield executor
    finally:  # do not wait for unfinished work
        executor.shutdown(wait=False)
        client.close(timeout=1)


def _check_workers(client: Any, address: str) -> None:
    """Wait for a worker of the cluster, for at most TIMEOUT seconds; raise PecliError if there is none."""
    try:
        client.wait_for_workers(1, timeout=TIMEOUT)
    except TimeoutError:
        raise PecliError(f"no Dask worker is at {address}: start one with dask worker {address}") from None
    except Exception as error:  # a lost scheduler raises various errors
        raise PecliError(f"the Dask scheduler at {address} is gone: {error}") from None


def draw(plan: Batch, *, quiet: bool, as_json: bool = False, **how: Any) -> list[Result]:
    """Draw the pictures, show progress and a summary, and return the results.

    how : arguments of `pecli.jobs.run.run`
    """
    begun, total = time.monotonic(), len(plan.jobs)
    ended: list[Result] = []
    TRACKER.set(untracked)  # show the progress over pictures, not inside each picture
    try:
        with Steps(total, quiet) as steps, closing(run(plan.jobs, **how)) as outcomes:
            for result in outcomes:
                ended.append(result)
                shown = [*result.sizes] if result.state == WRITTEN and not as_json else []
                steps.advance(f"{result.state} {' '.join(result.paths)}", [*map(as_flags, result.notes)], shown)
    except BaseException:
        print_failures(ended)
        print_notes(f"{summary(ended)} of {total}; the same command continues from there")
        raise
    if as_json:
        print_json([result.data() for result in ended])
    if not quiet:
        print_notes(f"{summary(ended)} in {time.monotonic() - begun:.1f} s")
    return ended


def finish(plan: Batch, chosen: Batch, pages: list[str], ended: list[Result]) -> None:
    """Write the index pages and exit with code 1 if a picture failed.

    plan : the batch with all figures; index pages in Markdown and HTML list them all
    chosen : the batch with only the selected figures; an index in PDF shows only these
    ended : the results of all figures that were started
    """
    failed = {result.paths: result.failure for result in ended if result.failure is not None}
    left = len(chosen.jobs) - len(ended)
    print_failures(ended)
    if left:
        print_notes(f"{left} not started")
    for target in [] if left else pages:
        data = page(chosen if target.endswith(".pdf") else plan, target, failed)
        if not (os.path.isfile(target) and Path(target).read_bytes() == data):
            write(target, data)
            print_results([target])
    if failed:
        raise typer.Exit(1)


def print_failures(ended: list[Result]) -> None:
    """Print which pictures failed and why, as a table in a terminal, otherwise one line each."""
    failed = [(item.where, " ".join(item.paths), item.failure.sentence(as_keys)) for item in ended if item.failure]
    if failed and supports_animation():
        show([TextTable(("place", "file", "why"), failed)], stderr=True)
    else:
        lines = (f"{where}: {why if paths in why else f'{paths}: {why}'}" for where, paths, why in failed)
        print_notes(*lines)


def summary(ended: list[Result]) -> str:
    """Return a text with the number of pictures in each state."""
    counts = Counter(result.state for result in ended)
    return ", ".join(f"{counts[state]} {state}" for state in STATES)


WHICH = ("file", "folder", "only", "shard", "json")
INSTEAD = {  # modes that do not draw, and the options that apply to them
    "init": ("file",),
    "schema": ("file",),
    "dry_run": (*WHICH, "force", "jobs", "dask", "fail_fast", "index"),  # all that decide what would be drawn
    "check": WHICH,
}
START = "pecli.toml"  # default file of --init


def batch(
    file: str | None,
    *,
    init: bool,
    schema: bool,
    folder: str | None,
    only: tuple[str, ...],
    dry_run: bool,
    check: bool,
    shard: str | None,
    dask: str | None,
    force: bool,
    fail_fast: bool,
    index: tuple[str, ...],
    jobs: int | None,
    json: bool,
    quiet: bool,
    verbose: bool,
) -> None:
    """Draw every figure of a TOML file.

    With --init, --schema, --check or --dry-run, do what that option says instead.
    """
    given = {name: value for name, value in locals().items() if value not in (None, False, ())}
    for mode in (name for name in INSTEAD if name in given):
        for name in [name for name in given if name not in (mode, "quiet", "verbose", *INSTEAD[mode])]:
            raise UnusedOptionError(name, given[name], f"nothing is drawn with {option_text(mode)}")
    if schema or init:
        print_results([dumps(batch_schema(), ensure_ascii=False, indent=2) if schema else write_example(file or START)])
        return
    if file is None:
        raise UsageError("give a TOML file, - for standard input, or --init, which writes an example")
    if jobs and dask:
        raise UsageError("-j draws on this machine and --dask on a cluster: leave one of them out")
    plan = read_batch(file, folder, only, written=not (check or dry_run))
    chosen = plan.only(only) if only else plan
    chosen = chosen.shard(shard) if shard is not None else chosen
    try:
        pages = [page_path(plan, path, written=not (check or dry_run)) for path in plan.index]
    except PecliError as error:
        raise combined_type([error])(f"{file}: [batch]: {error.sentence(as_keys)}") from None
    pages += [page_path(plan, path) for path in index]
    if dry_run:
        print_lines(chosen, force=force, as_json=json)
    elif check:
        report_differences(plan, chosen, pages, as_json=json)
    else:
        with cluster(dask) if dask else nullcontext() as executor:
            how: dict[str, Any] = {"workers": jobs, "executor": executor, "force": force, "fail_fast": fail_fast}
            ended = draw(chosen, quiet=quiet, as_json=json, **how)
        finish(plan, chosen, pages, ended)


class Line(TypedDict):
    """The --dry-run --json output for one picture; `done` is true if it is up to date."""

    command: str
    done: bool
    paths: list[str]


class Difference(TypedDict):
    """The --check --json output for one file that is missing, stale or orphaned."""

    state: str
    path: str


def print_lines(plan: Batch, *, force: bool, as_json: bool) -> None:
    """Print the command line of each picture; pictures that are up to date are commented out with #, unless `force`."""
    jobs = track(plan.jobs, "looking")
    lines = [(command(job, job.paths), not force and is_done(job), job.paths) for job in jobs]
    if as_json:
        print_json([Line(command=line, done=done, paths=list(paths)) for line, done, paths in lines])
    else:
        print_results([("# " if done else "") + line for line, done, _ in lines])


def report_differences(plan: Batch, chosen: Batch, pages: list[str], *, as_json: bool) -> None:
    """Print missing, stale and orphaned files; raise PecliError if there are any.

    pages : index pages; a PDF is never stale
    """
    differ = list(differences(chosen.jobs, [path for job in plan.jobs for path in job.paths]))
    for target in pages:
        if not os.path.isfile(target):
            differ.append((MISSING, target))
        elif not target.endswith(".pdf") and Path(target).read_bytes() != page(plan, target):
            differ.append((STALE, target))
    unknown = [path for job in chosen.jobs for path in job.paths if os.path.isfile(path) and not can_carry(path)]
    if unknown:
        others = f" and {len(unknown) - 1} more" if len(unknown) > 1 else ""
        print_notes(f"not checked, because such files do not store what they show: {unknown[0]}{others}")
    if as_json:
        print_json([Difference(state=state, path=path) for state, path in differ])
    elif differ:
        print_results([f"{state}: {path}" for state, path in differ])
    if differ:
        count = f"{len(differ)} files are" if len(differ) > 1 else "one file is"
        raise PecliError(f"{count} missing, stale or orphaned")


def write_example(path: str) -> str:
    """Write the example batch file without replacing an existing file, and return its path; for "-" return its text."""
    if path == STDIN:
        return EXAMPLE.format(path="FILE.toml").rstrip()
    if os.path.exists(path):
        raise OutputError(f"{path} already exists: name another file, as in pecli batch --init figures.toml")
    check_target(path, option="init", example=START)
    write(path, EXAMPLE.format(path=path).encode())
    return path


COMMAND = Command(
    with_options(
        batch,
        [*BatchOptions.options().values(), CHECK, BatchHeader.options()["index"], *run_options("show")],
        argument("file", "the TOML file; - for standard input"),
    ),
    ("pecli batch figures.toml -j 2", "pecli batch --init figures.toml"),
    answer=partial(results_of, BatchAnswer, Line, Difference),
)
