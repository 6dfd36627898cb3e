"""Drawings turned into bytes by several processes of this one, each a copy that has them already."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import closing
from functools import partial
from typing import TYPE_CHECKING

from pecli.core.errors import failure_of
from pecli.core.progress import track
from pecli.files.film import Bytes
from pecli.jobs.drawn import Drawn
from pecli.jobs.workers import START, Results, in_processes

if TYPE_CHECKING:
    from matplotlib.figure import Figure as Drawing

Work = Callable[["Drawing"], Bytes]


def rasters(work: Work, drawings: Sequence[Drawing], workers: int = 1) -> Iterator[Bytes]:
    """What the work gives for each drawing, in order, done in so many processes; raises what it raises."""
    count = min(workers, len(drawings)) if START == "fork" else 1  # another kind has no drawings, and no style
    do = partial(_done, work)
    return _in_order(in_processes(drawings, count, do) if count > 1 else _here(do, drawings), len(drawings))


def _here(do: Callable[[Drawing], Drawn], drawings: Sequence[Drawing]) -> Results:
    yield from enumerate(map(do, drawings))


def _in_order(results: Results, count: int) -> Iterator[Bytes]:
    waiting: dict[int, Drawn] = {}
    with closing(results) as coming:
        for number in track(range(count), "drawing"):
            while number not in waiting:
                at, drawn = next(coming)
                waiting[at] = drawn
            ready = waiting.pop(number)
            if ready.failure is not None:
                raise ready.failure
            yield ready.files


def _done(work: Work, drawing: Drawing) -> Drawn:
    try:
        return Drawn(files=work(drawing))
    except Exception as error:
        return Drawn(failure=failure_of(error))
