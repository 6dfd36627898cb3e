"""The folder in which files are looked up, and the limits on which files may be read."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from pathlib import Path

from pecli.core.errors import UsageError

_REFUSED: ContextVar[Callable[[str], UsageError | None]] = ContextVar("refused", default=lambda _: None)


HUB = re.compile(r"hf:[\w.-]+/[\w.-]+")  # a model on the hub; either all of its files may be read, or none
_FOLDER: ContextVar[Path | None] = ContextVar("folder", default=None)


@contextmanager
def search_folder(folder: Path) -> Iterator[None]:
    """Look for files in this folder first, then in the current one."""
    token = _FOLDER.set(folder)
    try:
        yield
    finally:
        _FOLDER.reset(token)


def resolve_path(path: str) -> str:
    """Return the path inside the search folder if it exists there, otherwise the path unchanged."""
    folder = _FOLDER.get()
    place = path if folder is None else os.path.normpath(folder / path)
    return place if os.path.exists(place) else path


@contextmanager
def restrict_reading(
    paths: Iterable[str],
    folder: str | None = None,
    refusal: Callable[[str], UsageError] | None = None,
    known: Callable[[str], bool] = lambda _: False,
) -> Iterator[None]:
    """Let `check_readable` accept only these files and those in a folder, after links and ``..`` are resolved.

    refusal : returns the error for any other file
    known : returns True for a file that may be read wherever it is, because its content is known
    """
    files = frozenset(map(_real, paths))
    root = None if folder is None else os.path.realpath(folder)

    def refused(path: str) -> UsageError | None:
        real = Path(_real(path))
        if str(real) in files or (root is not None and real.is_relative_to(root)) or known(path):
            return None
        return refusal(path) if refusal else UsageError(f"{path} may not be read: only files named at the start may")

    token = _REFUSED.set(refused)
    try:
        yield
    finally:
        _REFUSED.reset(token)


def _real(path: str) -> str:
    """Return the real path of a file, or the name of a model on the hub."""
    model = HUB.match(path)
    return model[0] if model else os.path.realpath(path)


def is_readable(path: str | Path) -> bool:
    """Return True if the file may be read."""
    return _REFUSED.get()(str(path)) is None


def check_readable(path: str | Path) -> None:
    """Raise UsageError if the file may not be read."""
    if error := _REFUSED.get()(str(path)):
        raise error
