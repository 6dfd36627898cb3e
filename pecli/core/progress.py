"""Progress of long work: `track` reports each item to the current tracker, which may show a bar."""

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
    """Return the items without reporting progress; `doing` is ignored."""
    return items


def is_notebook() -> bool:
    """Return True if the code runs in a notebook kernel."""
    ipython = sys.modules.get("IPython")
    return ipython is not None and hasattr(ipython.get_ipython(), "kernel")


def in_notebook(items: Sequence[Any], doing: str) -> Iterable[Any]:
    """Return the items, with a progress bar if the notebook can show one; `doing` describes the work."""
    return progress(items, doing) if is_notebook() and find_spec("ipywidgets") is not None else items


TRACKER: ContextVar[Tracker] = ContextVar("tracker", default=in_notebook)


def track(items: Sequence[T], doing: str) -> Iterable[T]:
    """Return the items one by one and report progress to the current tracker; `doing` describes the work."""
    return TRACKER.get()(items, doing)


def supports_animation() -> bool:
    """Return True if stderr is a terminal or a notebook cell that can redraw."""
    return is_notebook() or (sys.stderr.isatty() and os.environ.get("TERM") != "dumb")


def progress(items: Sequence[Any], doing: str) -> Iterable[Any]:
    """Yield the items, with a bar on stderr if they take longer than DELAY; `doing` describes the work."""
    begun = time.monotonic()
    for at, item in enumerate(items):
        if time.monotonic() - begun >= DELAY and supports_animation():
            from rich.console import Console
            from rich.progress import track

            yield from track(items[at:], doing, console=Console(stderr=True), transient=True)
            return
        yield item
