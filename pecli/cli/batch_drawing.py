"""The pictures of a batch drawn, here or by a cluster: how they go is shown, what came of them is told at the end."""

from __future__ import annotations

import os
import time
from collections import Counter
from collections.abc import Iterator
from concurrent.futures import Executor
from contextlib import closing, contextmanager
from importlib import import_module
from pathlib import Path
from typing import Any

from pecli.cli.guard import as_flag
from pecli.core.errors import PecliError, UsageError, spelled
from pecli.core.progress import TRACKER, silent
from pecli.core.terminal import Steps, json_results, results, say
from pecli.core.version import DISTRIBUTION
from pecli.files.writer import write
from pecli.jobs.batch_file import Batch, told
from pecli.jobs.gallery_page import page
from pecli.jobs.results import outcome_data
from pecli.jobs.run_batch import run_batch
from pecli.jobs.run_jobs import STATES, WRITTEN, Outcome

PATIENCE = 10  # seconds for a cluster to answer


@contextmanager
def cluster(address: str) -> Iterator[Executor]:
    """A Dask cluster as an executor; raises PecliError where there is none."""
    try:
        distributed = import_module("distributed")
    except ImportError:
        raise UsageError(f"--dask needs Dask, which is not installed: pip install '{DISTRIBUTION}[dask]'") from None
    try:
        client = distributed.Client(address, timeout=PATIENCE)
    except (OSError, ValueError) as error:
        raise PecliError(f"no Dask scheduler answers at {address}: {error}") from None
    with client, client.get_executor(retries=0) as executor:
        yield executor


def draw(plan: Batch, *, quiet: bool, as_json: bool = False, **how: Any) -> list[Outcome]:
    """Draws the pictures, shows how they go and what came of them; gives that.

    how : what `pecli.jobs.run_batch.run_batch` takes
    """
    begun, total = time.monotonic(), len(plan.pictures)
    ended: list[Outcome] = []
    data: list[dict[str, Any]] = []
    TRACKER.set(silent)  # what is shown is how the pictures go
    try:
        with Steps(total, quiet) as steps, closing(run_batch(plan, **how)) as outcomes:
            for outcome in outcomes:
                ended.append(outcome)
                show_step(steps, outcome, as_json)
                data.append(outcome_data(outcome)) if as_json else None
    except BaseException:
        say(*failures_of(ended), f"{summary(ended)} of {total}; the same line goes on from there")
        raise
    if as_json:
        json_results(data)
    if not quiet:
        say(f"{summary(ended)} in {time.monotonic() - begun:.1f} s")
    return ended


def show_step(steps: Steps, outcome: Outcome, as_json: bool) -> None:
    """Shows that a picture has ended."""
    what = " ".join(outcome.paths) or outcome.where
    steps.advance(f"{outcome.state} {what}", [spelled(note, as_flag) for note in outcome.notes])
    if outcome.state == WRITTEN and not as_json:
        steps.result(outcome.paths)


def finish(plan: Batch, pages: list[str], ended: list[Outcome], total: int) -> None:
    """Writes the pages of what there is; raises PecliError where a picture failed, with what is left of so many."""
    failed = {one.paths: one.failure for one in ended if one.failure is not None}
    left, reasons = total - len(ended), failures_of(ended)
    try:
        write_pages(plan.with_failures(failed), pages if not left else [])
    except PecliError as error:
        reasons.append(error.sentence(as_flag))
    if reasons:
        raise PecliError.of_several([*reasons, *([f"{left} not begun"] if left else [])])


def write_pages(plan: Batch, paths: list[str]) -> None:
    """Writes the pages that show every figure of the file."""
    for target in paths:
        data = page(plan, target)
        if not (os.path.isfile(target) and Path(target).read_bytes() == data):
            write(target, data)
            results([target])


def failures_of(ended: list[Outcome]) -> list[str]:
    """A line for each picture that failed."""
    return [told(one) for one in ended if one.failure is not None]


def summary(ended: list[Outcome]) -> str:
    """How many pictures came to what."""
    counts = Counter(one.state for one in ended)
    return ", ".join(f"{counts[state]} {state}" for state in STATES)
