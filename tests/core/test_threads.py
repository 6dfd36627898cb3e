"""What is done where the system gives no threads."""

from __future__ import annotations

import os
import threading
from collections.abc import Iterator

import pytest

from pecli.core import terminal, threads


@pytest.fixture(autouse=True)
def asked_anew(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Asks the system again, before and after."""
    monkeypatch.delenv("OPENBLAS_NUM_THREADS", raising=False)
    threads.threads_available.cache_clear()
    yield
    threads.threads_available.cache_clear()


def refuse(*_: object) -> None:
    raise RuntimeError("can't start new thread")


def test_with_threads_nothing_changes(monkeypatch: pytest.MonkeyPatch) -> None:
    before = threading.active_count()
    threads.do_without_threads()
    assert "OPENBLAS_NUM_THREADS" not in os.environ and threading.active_count() == before


def test_without_threads_numpy_starts_none_and_no_bar_moves(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sys.stderr.isatty", lambda: True, raising=False)
    monkeypatch.setenv("TERM", "xterm")
    assert terminal.animated()
    threads.threads_available.cache_clear()
    monkeypatch.setattr(threading.Thread, "start", refuse)
    threads.do_without_threads()
    assert os.environ["OPENBLAS_NUM_THREADS"] == "1" and not terminal.animated()
