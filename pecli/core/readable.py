"""Where files are looked for, and which may be read: all of them, or, where strangers ask, those that were named and
those of one folder."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from pathlib import Path

from pecli.core.errors import UsageError

_REFUSED: ContextVar[Callable[[str], UsageError | None]] = ContextVar("refused", default=lambda _: None)


HUB = re.compile(r"hf:[\w.-]+/[\w.-]+")  # a model on the hub, all of whose files are readable or none
_FOLDER: ContextVar[Path | None] = ContextVar("folder", default=None)


@contextmanager
def looking_in(folder: Path) -> Iterator[None]:
    """Let files be looked for in this folder first, then in the current one."""
    token = _FOLDER.set(folder)
    try:
        yield
    finally:
        _FOLDER.reset(token)


def resolve_path(path: str) -> str:
    """Return where a file of that name is in the folder that is looked in first; else the name."""
    folder = _FOLDER.get()
    place = path if folder is None else os.path.normpath(folder / path)
    return place if os.path.exists(place) else path


@contextmanager
def reading_only(
    paths: Iterable[str],
    folder: str | None = None,
    refusal: Callable[[str], UsageError] | None = None,
    known: Callable[[str], bool] = lambda _: False,
) -> Iterator[None]:
    """Let `check_readable` pass for these files and those below a folder alone, wherever links and ``..`` lead.

    refusal : gives the error of any other file
    known : whether a file may be read for what it holds, wherever it lies
    """
    files = frozenset(map(_real, paths))
    root = None if folder is None else os.path.realpath(folder)

    def refused(path: str) -> UsageError | None:
        real = Path(_real(path))
        if str(real) in files or (root is not None and real.is_relative_to(root)) or known(path):
            return None
        return refusal(path) if refusal else UsageError(f"{path} was not named at the start, so it is not read")

    token = _REFUSED.set(refused)
    try:
        yield
    finally:
        _REFUSED.reset(token)


def _real(path: str) -> str:
    """Return one name of a file, or of a model on the hub."""
    model = HUB.match(path)
    return model[0] if model else os.path.realpath(path)


def is_readable(path: str | Path) -> bool:
    """Return whether a file may be read here."""
    return _REFUSED.get()(str(path)) is None


def check_readable(path: str | Path) -> None:
    """Refuse a file that may not be read here (UsageError)."""
    if error := _REFUSED.get()(str(path)):
        raise error
