"""Apply a function to many items, in worker processes or an executor."""

from __future__ import annotations

import os
import signal
import sys
from collections.abc import Callable, Generator, Iterator, Sequence
from contextlib import closing, contextmanager, suppress
from itertools import chain, islice
from typing import TYPE_CHECKING, Any, TypeVar

from pecli.core.errors import PecliError
from pecli.core.progress import track

if TYPE_CHECKING:
    from concurrent.futures import Executor, Future, ProcessPoolExecutor

T = TypeVar("T")
R = TypeVar("R")
Results = Generator[tuple[int, "Future[R]"], None, None]  # (index of the item, its future), in order of completion

START = "fork" if sys.platform == "linux" else "spawn"  # start method of worker processes
PATIENCE = 2.0  # seconds without a result before checking that the workers are alive
PENDING = 512  # items submitted to an executor and not finished; more than the processes of most clusters
WAITING = 8  # most results per process that wait to be returned in order; bounds the memory
MOST = 61 if sys.platform == "win32" else sys.maxsize  # most processes of a pool on Windows

_inherited: list[Any] = []  # in a worker: the function and its items, inherited from the parent


def process_ended() -> PecliError:
    """Return the error to raise if a process ended without a result."""
    text = "a process ended while it was drawing, possibly because memory ran out"
    if START == "fork":
        return PecliError(text)
    return PecliError(f'{text}, or because a script calls pecli outside `if __name__ == "__main__":`')


def cores() -> int:
    """Return the number of processor cores that this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def in_executor(work: Callable[[T], R], items: Sequence[T], executor: Executor) -> Results[R]:
    """Submit the work for each item to the executor and yield (index, future) as they finish.

    At most PENDING items are submitted and not finished, so that the first results do not wait for the last item.
    If the executor has a method ``watch``, it is called while no result arrives, and raises if the workers are gone.
    """
    from concurrent.futures import FIRST_COMPLETED, wait

    running: dict[Future[R], int] = {}
    watch = getattr(executor, "watch", None)
    try:
        left = enumerate(items)
        while True:
            for number, item in islice(left, PENDING - len(running)):
                running[executor.submit(work, item)] = number
            if not running:
                return
            done, _ = wait(running, PATIENCE if watch else None, FIRST_COMPLETED)
            for future in done:
                yield running.pop(future), future
            if watch and not done:
                watch()
    finally:
        for future in running:
            future.cancel()


def in_processes(work: Callable[[T], R], items: Sequence[T], count: int) -> Results[R]:
    """Do the work for each item in `count` child processes and yield (index, future) as they finish.

    If a process dies, the remaining items run one by one, each in its own process, to find the item that caused it.
    """
    from concurrent.futures import wait
    from concurrent.futures.process import BrokenProcessPool

    left = dict(enumerate(items))
    with processes(count) as pool, suppress(BrokenProcessPool):  # the pool may break before all items are submitted
        for number, future in in_executor(work, items, pool):
            if not isinstance(future.exception(), BrokenProcessPool):
                del left[number]
                yield number, future
    for number, item in left.items():
        with processes(1) as pool:
            future = pool.submit(work, item)
            wait([future])
        yield number, future


def in_order(results: Results[R]) -> Results[R]:
    """Yield the results in the order of the items; a result that is early waits for its turn."""
    waiting: dict[int, Future[R]] = {}
    due = 0
    with closing(results):
        for number, future in results:
            waiting[number] = future
            while due in waiting:
                yield due, waiting.pop(due)
                due += 1


def map_in_order(work: Callable[[T], R], items: Sequence[T], doing: str, count: int) -> Iterator[R]:
    """Yield the result of the work for each item, in order, computed in `count` processes.

    An error in a process is raised here.
    """
    if min(count, len(items)) < 2 or START != "fork":  # only forked workers inherit what the work needs
        yield from map(work, track(items, doing))
        return
    from concurrent.futures.process import BrokenProcessPool

    with processes(count, work, items) as pool:
        step = WAITING * count
        parts = (range(len(items))[first : first + step] for first in range(0, len(items), step))
        results: Iterator[R] = chain.from_iterable(pool.map(_do_inherited, part) for part in parts)
        try:
            for _ in track(items, doing):
                yield next(results)
        except BrokenProcessPool:
            raise process_ended() from None


def _do_inherited(number: int) -> Any:
    work, items = _inherited
    return work(items[number])


@contextmanager
def processes(count: int, *inherited: Any) -> Iterator[ProcessPoolExecutor]:
    """Yield an executor with `count` worker processes, which are killed on exit.

    inherited : objects that each worker has from the start, in `_inherited`
    """
    import multiprocessing
    import warnings
    from concurrent.futures import ProcessPoolExecutor

    before = set(multiprocessing.active_children())
    context: Any = multiprocessing.get_context(START)
    pool = ProcessPoolExecutor(min(count, MOST), mp_context=context, initializer=_init_worker, initargs=inherited)
    try:
        with warnings.catch_warnings():
            warnings.filterwarnings("ignore", ".*fork", DeprecationWarning)  # safe: numpy's threads are idle
            yield pool
    finally:
        for child in set(multiprocessing.active_children()) - before:
            child.kill()
        interrupted = isinstance(sys.exc_info()[1], (KeyboardInterrupt, SystemExit))  # a lock may be held
        pool.shutdown(wait=not interrupted, cancel_futures=True)


def _init_worker(*inherited: Any) -> None:
    """Initialise a worker. It ignores Ctrl-C, which reaches the whole process group: the parent handles it."""
    import threading

    signal.signal(signal.SIGINT, signal.SIG_IGN)
    signal.signal(signal.SIGTERM, signal.SIG_DFL)
    _inherited[:] = inherited
    threading.Thread(target=_exit_with_parent, daemon=True).start()


def _exit_with_parent() -> None:
    """Wait for the parent process to end, however that happens, and end this process too."""
    import multiprocessing

    parent = multiprocessing.parent_process()
    if parent is not None:
        parent.join()
        os._exit(1)
