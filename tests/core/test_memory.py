"""Memory needed against memory there."""

from __future__ import annotations

import pytest

from pecli.core import memory
from pecli.core.errors import UsageError


def test_something_is_free() -> None:
    free = memory.available()
    assert free is None or free > 0


def test_what_does_not_fit_is_refused_with_both_numbers_and_advice(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(memory, "available", lambda: 2**30)
    memory.check_memory("heatmap", (1000, 1000), "")
    with pytest.raises(UsageError) as caught:
        memory.check_memory("distance", (10**6, 10**6), "shorten --length")
    assert "distance: 1,000,000 × 1,000,000" in str(caught.value)
    assert "7.3 TiB" in str(caught.value) and "1.0 GiB" in str(caught.value)
    assert str(caught.value).endswith("shorten --length")


def test_there_must_be_room_for_what_the_result_is_made_from(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(memory, "available", lambda: 8 * 1000 * 2)
    with pytest.raises(UsageError):
        memory.check_memory("heatmap", (1000,), "")


def test_a_system_that_does_not_say_is_trusted(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(memory, "available", lambda: None)
    memory.check_memory("distance", (10**9, 10**9), "")


@pytest.mark.parametrize(
    ("size", "text"),
    [(0, "0 B"), (1023, "1023 B"), (1024, "1.0 KiB"), (8 * 10**12, "7.3 TiB"), (2**70, "1024.0 EiB")],
)
def test_sizes_are_said_as_people_say_them(size: int, text: str) -> None:
    assert memory.human(size) == text
