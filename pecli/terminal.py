"""What a person sees in the terminal: messages on stderr, results on stdout, a progress bar for long work."""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from rich.console import Console

PATIENCE = 1.0  # seconds before a progress bar appears


def console() -> Console:
    """The console on stderr. NO_COLOR, TERM=dumb and a pipe are rich's to respect."""
    from rich.console import Console

    return Console(stderr=True, highlight=False)


def say(text: str) -> None:
    """One line on stderr."""
    if sys.stderr is not None:
        print(f"pecli: {text}", file=sys.stderr)


def results(lines: Iterable[str]) -> None:
    """Results, on stdout."""
    print("\n".join(lines), flush=True)


def animated() -> bool:
    """Whether stderr can show something that moves."""
    return sys.stderr is not None and sys.stderr.isatty() and os.environ.get("TERM") != "dumb"


def progress_bar(items: Sequence[Any], doing: str) -> Iterable[Any]:
    """The items, with a bar on stderr once they take longer than a moment."""
    begun, at = time.monotonic(), 0
    while at < len(items) and time.monotonic() - begun < PATIENCE:
        yield items[at]
        at += 1
    if at < len(items):
        from rich.progress import track

        yield from track(items[at:], description=doing, console=console(), transient=True)
