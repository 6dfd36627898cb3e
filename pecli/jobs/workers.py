"""Jobs drawn by this process, several processes or an executor. Nobody but the caller writes files."""

from __future__ import annotations

import logging
import multiprocessing
import os
import signal
import sys
import threading
import warnings
from collections import deque
from collections.abc import Callable, Generator, Sequence
from concurrent.futures import FIRST_COMPLETED, Executor, Future, wait
from contextlib import suppress
from dataclasses import dataclass
from itertools import islice
from multiprocessing import connection
from typing import Any, TypeVar

from pecli.core.errors import PecliError


@dataclass(frozen=True)
class Drawn:
    """What drawing a job gave: the bytes of each of its files and what the user should know, or a failure."""

    files: tuple[bytes, ...] = ()
    notes: tuple[str, ...] = ()
    failure: PecliError | None = None


T = TypeVar("T")
Tasks = tuple[Sequence[Any], Callable[[Any], Drawn]]  # what a process may be asked to do, by number, and how
Results = Generator[tuple[int, Drawn], None, None]  # in the order in which they come, each with the number of its job

START = "fork" if sys.platform == "linux" else "spawn"  # how a worker begins: a copy of this process, or a new one
AHEAD = 256  # jobs that an executor holds at once, so that a large cluster is busy and memory bounded


def in_turn(jobs: Sequence[T], work: Callable[[T], Drawn]) -> Results:
    """Do the work for each job here, one after the other."""
    yield from enumerate(map(work, jobs))


def in_executor(jobs: Sequence[T], work: Callable[[T], Drawn], executor: Executor) -> Results:
    """Do the work for each job wherever the executor does.

    Raises
    ------
    PecliError : it takes no more
    """
    left = iter(enumerate(jobs))
    running: dict[Future[Drawn], int] = {}
    try:
        while True:
            for number, job in islice(left, AHEAD - len(running)):
                running[_submitted(executor, work, job)] = number
            if not running:
                return
            for future in wait(running, return_when=FIRST_COMPLETED).done:
                yield running.pop(future), _result(future)
    finally:
        for future in running:
            future.cancel()


def _submitted(executor: Executor, work: Callable[[T], Drawn], job: T) -> Future[Drawn]:
    try:
        return executor.submit(work, job)
    except RuntimeError as error:  # broken, or shut down
        raise PecliError(f"the executor takes no more pictures: {error}") from None


def _result(future: Future[Drawn]) -> Drawn:
    try:
        return future.result()
    except Exception as error:  # the work raises none: it is the executor's
        return Drawn(failure=PecliError(f"the executor lost it: {str(error) or type(error).__name__}"))


def in_processes(jobs: Sequence[T], work: Callable[[T], Drawn], count: int, ahead: int = sys.maxsize) -> Results:
    """Do the work for each job in so many processes of this one, which end with it.

    work : raises nothing
    ahead : how many jobs begin behind one that is not done yet
    """
    waiting, team = deque(range(len(jobs))), list[_Worker]()
    try:
        while busy := _at_work(team, (jobs, work), waiting, count, ahead):
            for ready in connection.wait(busy):
                answer = busy[ready].answer()
                _begin(team, waiting, ahead)  # it goes on while the caller writes
                yield answer
    finally:
        for one in team:
            one.end()


def _at_work(team: list[_Worker], tasks: Tasks, waiting: deque[int], count: int, ahead: int) -> dict[Any, _Worker]:
    """The workers that draw, by their connections, once those that have ended are replaced and all have something."""
    team[:] = [one for one in team if one.alive]
    while len(team) < count and len(waiting) > sum(not one.busy for one in team):
        team.append(_Worker(tasks, [one.connection for one in team]))
    _begin(team, waiting, ahead)
    return {one.connection: one for one in team if one.busy}


def _begin(team: Sequence[_Worker], waiting: deque[int], ahead: int) -> None:
    """Gives the next jobs to those that have none, but for jobs too far behind one that is not done yet."""
    for one in team:
        undone = [number for other in team for number in other.busy]
        if waiting and waiting[0] - ahead <= min(undone, default=waiting[0]):
            one.begin(waiting)


class _Worker:
    """One process that has the jobs, is sent numbers and answers with what was drawn."""

    def __init__(self, tasks: Tasks, others: Sequence[Any]) -> None:
        context: Any = multiprocessing.get_context(START)
        self.connection, theirs = context.Pipe()
        try:
            inherited = [self.connection, *others] if START == "fork" else []
            said = logging.getLogger("matplotlib").level  # as much in a worker as here
            self.process = context.Process(target=_serve, args=(theirs, tasks, inherited, said), daemon=True)
            with warnings.catch_warnings():
                warnings.filterwarnings("ignore", ".*fork", DeprecationWarning)  # numpy's threads are idle here
                self.process.start()
        except BaseException:
            self.connection.close()
            raise
        finally:
            theirs.close()
        self.busy: list[int] = []  # the number of the job that it draws
        self.alive = True

    def begin(self, waiting: deque[int]) -> None:
        """Gives it the next job where it has none."""
        if waiting and self.alive and not self.busy:
            self.busy = [waiting.popleft()]
            with suppress(OSError):  # it has ended: what it answers says so
                self.connection.send(self.busy[0])

    def answer(self) -> tuple[int, Drawn]:
        """The number of the job and what was drawn; where the process has ended, that is the job's failure."""
        number = self.busy.pop()
        try:
            return number, self.connection.recv()
        except (OSError, EOFError):
            self.end()
            return number, Drawn(failure=PecliError(f"the process that drew it {_how(self.process.exitcode)}"))

    def end(self) -> None:
        """Ends it, whatever it does: it has nothing to lose."""
        self.alive = False
        self.connection.close()
        self.process.kill()
        self.process.join()


def _how(code: int | None) -> str:
    if code is None or code >= 0:
        return f"ended with exit code {code}"
    hint = ", as the system does where memory runs out" if code == -signal.SIGKILL else ""
    return f"was ended by signal {-code}{hint}"


def _serve(mine: Any, tasks: Tasks, inherited: Sequence[Any], level: int) -> None:
    """What a worker does all its life. Ctrl-C reaches the whole group; the parent decides what becomes of it."""
    for number in (signal.SIGINT, *(getattr(signal, name) for name in ("SIGHUP", "SIGQUIT") if hasattr(signal, name))):
        signal.signal(number, signal.SIG_IGN)
    signal.signal(signal.SIGTERM, signal.SIG_DFL)
    logging.getLogger("matplotlib").setLevel(level)
    for one in inherited:
        one.close()
    threading.Thread(target=_end_with_parent, daemon=True).start()
    jobs, work = tasks
    with suppress(OSError, EOFError):
        while True:
            mine.send(work(jobs[mine.recv()]))


def _end_with_parent() -> None:
    """Ends this process as soon as its parent has ended, however that happened."""
    parent = multiprocessing.parent_process()
    if parent is not None:
        parent.join()
        os._exit(1)
