"""Long work is announced: a bar where one can be shown, else a word where it will take minutes."""

from __future__ import annotations

import pytest

from pecli.core import terminal
from pecli.core.terminal import duration, progress


@pytest.mark.parametrize(
    ("each", "count", "said"),
    [
        (0.1, 9, ""),
        (0.1, 200, ""),
        (0.5, 1000, "pecli: comparing takes about 8 minutes; Ctrl-C ends it\n"),
        (30.0, 1000, "pecli: comparing takes about 8 hours; Ctrl-C ends it\n"),
    ],
)
def test_minutes_are_announced_once(
    each: float, count: int, said: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    now = 0.0
    monkeypatch.setattr("pecli.core.terminal.time.monotonic", lambda: now)
    monkeypatch.setattr(terminal, "animated", lambda: False)
    done = []
    for item in progress(range(count), "comparing"):
        done.append(item)
        now += each
    assert done == list(range(count))
    assert capsys.readouterr().err == said


def test_what_slows_down_is_announced_when_that_is_seen(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    now = 0.0
    monkeypatch.setattr("pecli.core.terminal.time.monotonic", lambda: now)
    monkeypatch.setattr(terminal, "animated", lambda: False)
    for item in progress(range(100), "comparing"):
        now += 0.1 if item < 20 else 5
    assert capsys.readouterr().err.count("comparing takes about") == 1


@pytest.mark.parametrize(
    ("seconds", "said"),
    [(70, "70 seconds"), (125, "2 minutes"), (3 * 3600, "3 hours"), (86400 * 1000, "1,000 days")],
)
def test_a_duration_is_said_as_people_say_it(seconds: float, said: str) -> None:
    assert duration(seconds) == said
