"""Which files may be read: all of them, or, where strangers ask, those that were named and those of one folder."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from pathlib import Path
from typing import NamedTuple

from pecli.core.errors import UsageError


class _Allowed(NamedTuple):
    files: frozenset[str]
    folder: str | None
    refusal: Callable[[str], UsageError]


_ALLOWED: ContextVar[_Allowed | None] = ContextVar("allowed", default=None)


def _not_named(path: str) -> UsageError:
    return UsageError(f"{path} was not named at the start, so it is not read")


@contextmanager
def reading_only(
    paths: Iterable[str], folder: str | None = None, refusal: Callable[[str], UsageError] = _not_named
) -> Iterator[None]:
    """Lets `check_readable` pass for these files and no others.

    folder : files in it and below may be read too
    refusal : what is said of any other file
    """
    real = None if folder is None else os.path.realpath(folder)
    token = _ALLOWED.set(_Allowed(frozenset(map(os.path.realpath, paths)), real, refusal))
    try:
        yield
    finally:
        _ALLOWED.reset(token)


def is_readable(path: str | Path) -> bool:
    """Whether a file may be read here, wherever links and ``..`` lead."""
    allowed, real = _ALLOWED.get(), os.path.realpath(path)
    if allowed is None or real in allowed.files:
        return True
    return allowed.folder is not None and Path(real).is_relative_to(allowed.folder)


def check_readable(path: str | Path) -> None:
    """Refuses a file that may not be read here (UsageError)."""
    allowed = _ALLOWED.get()
    if allowed is not None and not is_readable(path):
        raise allowed.refusal(str(path))
