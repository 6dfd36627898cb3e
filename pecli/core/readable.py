"""Which files may be read: all of them, or, where strangers ask, those that were named at the start."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from pathlib import Path

from pecli.core.errors import UsageError

_ALLOWED: ContextVar[frozenset[str] | None] = ContextVar("allowed", default=None)


@contextmanager
def reading_only(paths: Iterable[str]) -> Iterator[None]:
    """Lets `check_readable` pass for these files and no others."""
    token = _ALLOWED.set(frozenset(map(os.path.realpath, paths)))
    try:
        yield
    finally:
        _ALLOWED.reset(token)


def check_readable(path: str | Path) -> None:
    """Refuses a file that was not named at the start (UsageError)."""
    allowed = _ALLOWED.get()
    if allowed is not None and os.path.realpath(path) not in allowed:
        raise UsageError(f"{path} was not named at the start, so it is not read")
