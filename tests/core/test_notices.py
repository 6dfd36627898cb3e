"""What the user should know: each line once."""

from __future__ import annotations

from pecli.core.errors import LISTENER, notice, once


def test_each_line_is_told_once() -> None:
    told: list[str] = []
    listening = LISTENER.set(once(told.append))
    for text in ("one", "other", "one"):
        notice(text)
    LISTENER.reset(listening)
    assert told == ["one", "other"]
