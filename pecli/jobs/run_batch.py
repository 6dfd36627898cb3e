"""The pictures of a batch file drawn: what each came to, with its place in the file."""

from __future__ import annotations

from collections.abc import Generator
from concurrent.futures import Executor
from contextlib import closing
from dataclasses import replace

from pecli.jobs.batch import Batch
from pecli.jobs.run import FAILED, Outcome, run


def run_batch(
    batch: Batch,
    *,
    workers: int | None = 1,
    executor: Executor | None = None,
    force: bool = False,
    fail_fast: bool = False,
) -> Generator[Outcome, None, None]:
    """The pictures' outcomes as they come: first those that cannot be drawn, then as `run` gives them, which see."""
    for one in batch.pictures:
        if one.failure is not None:
            yield Outcome(one.asked, FAILED, one.paths, (), one.failure, one.where)
            if fail_fast:
                return
    places = {one.paths: one.where for one in batch.pictures}
    with closing(run(batch.jobs, workers=workers, executor=executor, force=force, fail_fast=fail_fast)) as outcomes:
        for outcome in outcomes:
            yield replace(outcome, where=places[outcome.paths])
