"""Long loops report here; who shows the progress is decided at the edge (`pecli.core.terminal`)."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from contextvars import ContextVar
from typing import Any, TypeVar

T = TypeVar("T")
Tracker = Callable[[Sequence[Any], str], Iterable[Any]]


def silent(items: Sequence[Any], doing: str) -> Iterable[Any]:
    """The items, and nobody is told."""
    return items


TRACKER: ContextVar[Tracker] = ContextVar("tracker", default=silent)


def track(items: Sequence[T], doing: str) -> Iterable[T]:
    """The items one by one, reported to whoever listens."""
    return TRACKER.get()(items, doing)
