"""Signals that end the program: raised at once, remembered where that gets lost, kept waiting where they would harm."""

from __future__ import annotations

import signal

TYPE_CHECKING = False  # what types alone need would be loaded before anybody listens
if TYPE_CHECKING:
    from types import FrameType

NAMES = {"SIGINT": "interrupted", "SIGTERM": "terminated", "SIGHUP": "hung up", "SIGQUIT": "quit"}
SIGNALS: dict[int, str] = {int(getattr(signal, name)): said for name, said in NAMES.items() if hasattr(signal, name)}


class Stopped(BaseException):
    """A signal arrived. Raised so that cleaning up runs; no Exception, so that nobody takes it for a failure."""

    def __init__(self, number: int) -> None:
        super().__init__(number)
        self.number = number


class _State:
    """What has arrived in this process, and whether it has to wait."""

    arrived: int | None = None
    holding: int = 0


def exit_code(number: int) -> int:
    """The exit code of a program that a signal ended, as shells have it: 130 for SIGINT."""
    return 128 + number


def arrived() -> int | None:
    """The signal that has arrived; also where its exception was swallowed, or became another one inside an import."""
    return _State.arrived


def number_of(error: BaseException) -> int | None:
    """The signal behind an exception: its own, or the one that arrived and that an import made something else of."""
    if isinstance(error, KeyboardInterrupt):
        return int(signal.SIGINT)
    return error.number if isinstance(error, Stopped) else _State.arrived


def check() -> None:
    """Raises Stopped where a signal has arrived."""
    if _State.arrived is not None:
        raise Stopped(_State.arrived)


class held:  # used as a function is; `contextlib` would be loaded before anybody listens
    """A signal waits while inside, for what is done and counted must be the same; raises Stopped at the end then."""

    def __enter__(self) -> None:
        _State.holding += 1

    def __exit__(self, kind: object, *_: object) -> None:
        _State.holding -= 1
        if kind is None and not _State.holding:
            check()


def listen() -> None:
    """Lets signals that end a program raise Stopped from now on; those that are ignored already stay so."""
    for number in SIGNALS:
        if signal.getsignal(number) is not signal.SIG_IGN:
            signal.signal(number, _arrive)


def ignore() -> None:
    """Lets no signal disturb the rest of the program, which is over."""
    for number in SIGNALS:
        signal.signal(number, signal.SIG_IGN)


def _arrive(number: int, frame: FrameType | None) -> None:
    if _State.arrived is None:
        _State.arrived = number
        if not _State.holding:
            raise Stopped(number)
