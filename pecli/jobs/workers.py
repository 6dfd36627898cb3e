"""One piece of work for many things: done by processes of this one, or by an executor."""

from __future__ import annotations

import os
import signal
import sys
from collections.abc import Callable, Generator, Iterator, Sequence
from contextlib import closing, contextmanager, suppress
from itertools import chain
from typing import TYPE_CHECKING, Any, TypeVar

from pecli.core.errors import PecliError
from pecli.core.progress import track

if TYPE_CHECKING:
    from concurrent.futures import Executor, Future, ProcessPoolExecutor

T = TypeVar("T")
R = TypeVar("R")
Results = Generator[tuple[int, "Future[R]"], None, None]  # as they come, each with the number of its thing

START = "fork" if sys.platform == "linux" else "spawn"  # how a worker begins: a copy of this process, or a new one
PATIENCE = 2.0  # seconds without a result, until somebody looks whether there is still anybody at work
WAITING = 8  # results for each process that may wait for their turn, so that memory is bounded
ENDED = "a process that drew ended, as the system does where memory runs out"

_inherited: list[Any] = []  # in a worker: what it does and for what, as copied from its parent


def cores() -> int:
    """Return how many processors this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def in_executor(work: Callable[[T], R], things: Sequence[T], executor: Executor) -> Results[R]:
    """Do the work for each thing wherever the executor does; one that has a ``watch`` is asked whether it is there
    while nothing comes of it."""
    from concurrent.futures import FIRST_COMPLETED, wait

    running: dict[Future[R], int] = {}
    watch = getattr(executor, "watch", None)
    try:
        for number, thing in enumerate(things):
            running[executor.submit(work, thing)] = number
        while running:
            done, _ = wait(running, PATIENCE if watch else None, FIRST_COMPLETED)
            for future in done:
                yield running.pop(future), future
            if watch and not done:
                watch()
    finally:
        for future in running:
            future.cancel()


def in_processes(work: Callable[[T], R], things: Sequence[T], count: int) -> Results[R]:
    """Do the work for each thing in so many processes of this one, which end with it.

    Where one of them ends over its work, what is left is done one by one, to find out which it was.
    """
    from concurrent.futures import wait
    from concurrent.futures.process import BrokenProcessPool

    left = dict(enumerate(things))
    with processes(count) as pool, suppress(BrokenProcessPool):  # it may break before all is submitted
        for number, future in in_executor(work, things, pool):
            if not isinstance(future.exception(), BrokenProcessPool):
                del left[number]
                yield number, future
    for number, thing in left.items():
        with processes(1) as pool:
            future = pool.submit(work, thing)
            wait([future])
        yield number, future


def in_order(results: Results[R]) -> Results[R]:
    """Yield the results in the order of the things: one that comes early waits for its turn."""
    waiting: dict[int, Future[R]] = {}
    due = 0
    with closing(results):
        for number, future in results:
            waiting[number] = future
            while due in waiting:
                yield due, waiting.pop(due)
                due += 1


def map_in_order(work: Callable[[T], R], things: Sequence[T], doing: str, count: int = 1) -> Iterator[R]:
    """Yield what the work gives for each thing, in order, done in so many processes; raises what it raises."""
    if min(count, len(things)) < 2 or START != "fork":  # another kind has no copy of what the work needs
        yield from map(work, track(things, doing))
        return
    from concurrent.futures.process import BrokenProcessPool

    with processes(count, work, things) as pool:
        step = WAITING * count
        parts = (range(len(things))[first : first + step] for first in range(0, len(things), step))
        results: Iterator[R] = chain.from_iterable(pool.map(_do_inherited, part) for part in parts)
        try:
            for _ in track(things, doing):
                yield next(results)
        except BrokenProcessPool:
            raise PecliError(ENDED) from None


def _do_inherited(number: int) -> Any:
    work, things = _inherited
    return work(things[number])


@contextmanager
def processes(count: int, *inherited: Any) -> Iterator[ProcessPoolExecutor]:
    """Yield an executor of so many processes, which are killed at the end: they have nothing to lose."""
    import multiprocessing
    import warnings
    from concurrent.futures import ProcessPoolExecutor

    before = set(multiprocessing.active_children())
    context: Any = multiprocessing.get_context(START)
    pool = ProcessPoolExecutor(count, mp_context=context, initializer=_begin, initargs=inherited)
    try:
        with warnings.catch_warnings():
            warnings.filterwarnings("ignore", ".*fork", DeprecationWarning)  # numpy's threads are idle here
            yield pool
    finally:
        for child in set(multiprocessing.active_children()) - before:
            child.kill()
        interrupted = isinstance(sys.exc_info()[1], (KeyboardInterrupt, SystemExit))  # perhaps with a lock held
        pool.shutdown(wait=not interrupted, cancel_futures=True)


def _begin(*inherited: Any) -> None:
    """Prepare a worker: Ctrl-C reaches the whole group, and the parent decides what becomes of it."""
    import threading

    signal.signal(signal.SIGINT, signal.SIG_IGN)
    signal.signal(signal.SIGTERM, signal.SIG_DFL)
    _inherited[:] = inherited
    threading.Thread(target=_end_with_parent, daemon=True).start()


def _end_with_parent() -> None:
    """End this process as soon as its parent has ended, however that happened."""
    import multiprocessing

    parent = multiprocessing.parent_process()
    if parent is not None:
        parent.join()
        os._exit(1)
