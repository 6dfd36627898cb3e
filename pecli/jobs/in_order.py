"""Many things turned into bytes by several processes of this one, each a copy that has them already."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import closing
from functools import partial
from typing import TypeVar

from pecli.core.errors import failure_of
from pecli.core.terminal import track
from pecli.files.pictures import Bytes
from pecli.jobs.workers import START, Drawn, Results, in_processes

T = TypeVar("T")

WAITING = 8  # results for each process that may wait for their turn, so that memory is bounded


def in_order(work: Callable[[T], Bytes], things: Sequence[T], doing: str, workers: int = 1) -> Iterator[Bytes]:
    """What the work gives for each thing, in order, done in so many processes; raises what it raises."""
    count = min(workers, len(things)) if START == "fork" else 1  # another kind has no copy of what the work needs
    do = partial(_done, work)
    results = in_processes(things, do, count, WAITING * count) if count > 1 else _here(do, things)
    return _in_order(results, len(things), doing)


def _here(do: Callable[[T], Drawn], things: Sequence[T]) -> Results:
    yield from enumerate(map(do, things))


def _in_order(results: Results, count: int, doing: str) -> Iterator[Bytes]:
    waiting: dict[int, Drawn] = {}
    with closing(results) as coming:
        for number in track(range(count), doing):
            while number not in waiting:
                at, drawn = next(coming)
                waiting[at] = drawn
            ready = waiting.pop(number)
            if ready.failure is not None:
                raise ready.failure
            yield ready.files


def _done(work: Callable[[T], Bytes], thing: T) -> Drawn:
    try:
        return Drawn(files=work(thing))
    except Exception as error:
        return Drawn(failure=failure_of(error))
