"""Progress of work that may take long: who does it reports each item here, and a bar on stderr is one who listens."""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Callable, Iterable, Sequence
from contextvars import ContextVar
from importlib.util import find_spec
from typing import Any, TypeVar

T = TypeVar("T")
Tracker = Callable[[Sequence[Any], str], Iterable[Any]]
DELAY = 1.0  # seconds before a progress bar appears


def untracked(items: Sequence[Any], doing: str) -> Iterable[Any]:
    """Return the items, reported to nobody."""
    return items


def is_notebook() -> bool:
    """Return whether a notebook's kernel runs this."""
    ipython = sys.modules.get("IPython")
    return ipython is not None and hasattr(ipython.get_ipython(), "kernel")


def in_notebook(items: Sequence[Any], doing: str) -> Iterable[Any]:
    """Return the items, reported by a bar in a notebook that can show one; else to nobody."""
    return progress(items, doing) if is_notebook() and find_spec("ipywidgets") is not None else items


TRACKER: ContextVar[Tracker] = ContextVar("tracker", default=in_notebook)


def track(items: Sequence[T], doing: str) -> Iterable[T]:
    """Return the items one by one, reported to whoever listens."""
    return TRACKER.get()(items, doing)


def animated() -> bool:
    """Return whether stderr, or the cell of a notebook, can show something that moves."""
    return is_notebook() or (sys.stderr.isatty() and os.environ.get("TERM") != "dumb")


def progress(items: Sequence[Any], doing: str) -> Iterable[Any]:
    """Yield the items, with a bar on stderr once they take longer than a moment."""
    begun = time.monotonic()
    for at, item in enumerate(items):
        if time.monotonic() - begun >= DELAY and animated():
            from rich.console import Console
            from rich.progress import track

            yield from track(items[at:], doing, console=Console(stderr=True), transient=True)
            return
        yield item
