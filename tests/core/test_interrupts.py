"""Signals that end the program: raised, remembered, made to wait."""

from __future__ import annotations

import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from pecli.core import interrupts
from pecli.core.interrupts import Stopped, arrived, check, held, number_of


@pytest.fixture(autouse=True)
def listening(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Listens as the program does; afterwards all is as it was."""
    before = {number: signal.getsignal(number) for number in interrupts.SIGNALS}
    monkeypatch.setattr(interrupts._State, "arrived", None)
    interrupts.listen()
    yield
    for number, handler in before.items():
        signal.signal(number, handler)


@pytest.mark.parametrize("number", interrupts.SIGNALS)
def test_a_signal_is_raised_and_remembered(number: int) -> None:
    check()
    with pytest.raises(Stopped) as caught:
        signal.raise_signal(number)
    assert caught.value.number == arrived() == number_of(caught.value) == number
    with pytest.raises(Stopped):
        check()


def test_what_an_import_makes_of_a_signal_is_still_the_signal() -> None:
    assert number_of(ImportError("cannot import name 'dtype' from 'numpy'")) is None
    with pytest.raises(ImportError) as caught:
        try:
            signal.raise_signal(signal.SIGTERM)
        except Stopped:
            raise ImportError("cannot import name 'dtype' from 'numpy'") from None
    assert number_of(caught.value) == signal.SIGTERM


def test_a_signal_waits_for_what_is_held() -> None:
    done = []
    with pytest.raises(Stopped), held():
        with held():
            signal.raise_signal(signal.SIGINT)
        done.append("held")
    assert done == ["held"]


def test_a_failure_of_what_is_held_is_told_and_not_the_signal() -> None:
    with pytest.raises(ZeroDivisionError), held():
        signal.raise_signal(signal.SIGINT)
        raise ZeroDivisionError
    assert interrupts._State.holding == 0


def test_what_is_ignored_stays_ignored() -> None:
    """As nohup and the background jobs of a shell have it."""
    signal.signal(signal.SIGHUP, signal.SIG_IGN)
    interrupts.listen()
    signal.raise_signal(signal.SIGHUP)
    assert arrived() is None


def test_what_is_loaded_before_signals_are_listened_for_is_little() -> None:
    root = Path(interrupts.__file__).parents[2]
    code = "import sys; before = {*sys.modules}; import pecli.core.interrupts; print(*sorted({*sys.modules} - before))"
    ended = subprocess.run([sys.executable, "-S", "-c", code], capture_output=True, text=True, check=True, cwd=root)
    loaded = set(ended.stdout.split())
    assert {one for one in loaded if one.startswith("pecli")} == {"pecli", "pecli.core", "pecli.core.interrupts"}
    assert not loaded & {"typing", "dataclasses", "inspect", "re", "typer", "numpy"}
