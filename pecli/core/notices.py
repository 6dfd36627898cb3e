"""What the user should know of something that went well; who shows it is decided at the edge."""

from __future__ import annotations

from collections.abc import Callable
from contextvars import ContextVar


def unheard(text: str) -> None:
    """Tells nobody."""


def once(tell: Callable[[str], None]) -> Callable[[str], None]:
    """Tells each line the first time alone: a file that is read again has nothing new to say."""
    said = set[str]()

    def hear(text: str) -> None:
        if text not in said:
            said.add(text)
            tell(text)

    return hear


LISTENER: ContextVar[Callable[[str], None]] = ContextVar("listener", default=unheard)


def notice(text: str) -> None:
    """Tells one line to whoever listens."""
    LISTENER.get()(text)
