"""One piece of work for many things: done here, by processes of this one, or by an executor."""

from __future__ import annotations

import multiprocessing
import os
import signal
import sys
import threading
import warnings
from collections import deque
from collections.abc import Callable, Generator, Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, Executor, Future, ProcessPoolExecutor, wait
from concurrent.futures.process import BrokenProcessPool
from contextlib import contextmanager
from typing import Any, TypeVar

from pecli.core.errors import PecliError
from pecli.core.terminal import track

T = TypeVar("T")
R = TypeVar("R")
Results = Generator[tuple[int, "Future[R]"], None, None]  # as they come, each with the number of its thing

START = "fork" if sys.platform == "linux" else "spawn"  # how a worker begins: a copy of this process, or a new one
AHEAD = 256  # things that an executor holds at once, so that a large cluster is busy and memory bounded
WAITING = 8  # results for each process that may wait for their turn, so that memory is bounded

_inherited: list[Any] = []  # in a worker: what it does and for what, as copied from its parent


def in_this_process(work: Callable[[T], R], things: Sequence[T]) -> Results[R]:
    """Do the work for each thing here, one after the other."""
    for number, thing in enumerate(things):
        future: Future[R] = Future()
        try:
            future.set_result(work(thing))
        except Exception as error:
            future.set_exception(error)
        yield number, future


def in_executor(
    work: Callable[[T], R],
    things: Sequence[T],
    executor: Executor,
    numbers: deque[int] | None = None,
    ahead: int = AHEAD,
) -> Results[R]:
    """Do the work for each thing, or for those of these numbers, wherever the executor does.

    numbers : those that have not begun; emptied on the way
    ahead : how many are submitted at once

    Raises
    ------
    PecliError : it takes no more
    """
    left = deque(range(len(things))) if numbers is None else numbers
    running: dict[Future[R], int] = {}
    try:
        while left or running:
            while left and len(running) < ahead:
                try:
                    running[executor.submit(work, things[left[0]])] = left[0]
                except RuntimeError as error:  # broken, or shut down
                    if running:
                        break
                    if numbers is not None:
                        return  # begun again by the caller
                    raise PecliError(f"the executor takes no more pictures: {error}") from None
                left.popleft()
            for future in wait(running, return_when=FIRST_COMPLETED).done:
                yield running.pop(future), future
    finally:
        for future in running:
            future.cancel()


def in_processes(work: Callable[[T], R], things: Sequence[T], count: int) -> Results[R]:
    """Do the work for each thing in so many processes of this one, which end with it.

    Where a process ends over its work, what ran beside it is done again, each alone, to find out which one it was.
    """
    left = deque(range(len(things)))
    while left:
        lost = []
        with processes(count) as pool:
            for number, future in in_executor(work, things, pool, left, 2 * count):
                if isinstance(future.exception(), BrokenProcessPool):
                    lost.append(number)
                else:
                    yield number, future
        for number in lost:
            with processes(1) as pool:
                future = pool.submit(work, things[number])
                wait([future])
            yield number, future


def map_in_order(work: Callable[[T], R], things: Sequence[T], doing: str, count: int = 1) -> Iterator[R]:
    """Yield what the work gives for each thing, in order, done in so many processes; raises what it raises."""
    if min(count, len(things)) < 2 or START != "fork":  # another kind has no copy of what the work needs
        yield from map(work, track(things, doing))
        return
    with processes(count, work, things) as pool:
        coming = deque[Future[R]]()
        for number in track(range(len(things)), doing):
            first = number + len(coming)
            while len(coming) < WAITING * count and first < len(things):
                coming.append(pool.submit(_do_inherited, first))
                first += 1
            try:
                yield coming.popleft().result()
            except BrokenProcessPool:
                raise PecliError("a process that drew ended, as the system does where memory runs out") from None


def _do_inherited(number: int) -> Any:
    work, things = _inherited
    return work(things[number])


@contextmanager
def processes(count: int, *inherited: Any) -> Iterator[ProcessPoolExecutor]:
    """Yield an executor of so many processes, which are killed at the end: they have nothing to lose."""
    context: Any = multiprocessing.get_context(START)
    before = set(multiprocessing.active_children())
    pool = ProcessPoolExecutor(count, mp_context=context, initializer=_begin, initargs=inherited)
    try:
        with warnings.catch_warnings():
            warnings.filterwarnings("ignore", ".*fork", DeprecationWarning)  # numpy's threads are idle here
            yield pool
    finally:
        for child in set(multiprocessing.active_children()) - before:
            child.kill()
        pool.shutdown(cancel_futures=True)


def _begin(*inherited: Any) -> None:
    """Prepare a worker: Ctrl-C reaches the whole group, and the parent decides what becomes of it."""
    for name in ("SIGINT", "SIGHUP", "SIGQUIT"):
        if hasattr(signal, name):
            signal.signal(getattr(signal, name), signal.SIG_IGN)
    signal.signal(signal.SIGTERM, signal.SIG_DFL)
    _inherited[:] = inherited
    threading.Thread(target=_end_with_parent, daemon=True).start()


def _end_with_parent() -> None:
    """End this process as soon as its parent has ended, however that happened."""
    parent = multiprocessing.parent_process()
    if parent is not None:
        parent.join()
        os._exit(1)
