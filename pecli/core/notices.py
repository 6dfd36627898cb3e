"""What the user should know of something that went well; who shows it is decided at the edge."""

from __future__ import annotations

from collections.abc import Callable
from contextvars import ContextVar


def unheard(text: str) -> None:
    """Tells nobody."""


LISTENER: ContextVar[Callable[[str], None]] = ContextVar("listener", default=unheard)


def notice(text: str) -> None:
    """Tells one line to whoever listens."""
    LISTENER.get()(text)
