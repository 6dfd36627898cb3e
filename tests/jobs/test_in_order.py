"""Many things turned into bytes by several processes: what one gives, in order, in bounded memory, and nobody stays."""

from __future__ import annotations

import multiprocessing
import time
from functools import partial
from itertools import islice
from typing import Any

import pytest

import pecli
from pecli.files import numbers as number_bytes
from pecli.files.formats import About
from pecli.files.numbers import Content, csv
from pecli.jobs.in_order import in_order
from pecli.jobs.picture import Picture
from pecli.jobs.workers import START, Drawn, in_processes

forked = pytest.mark.skipif(START != "fork", reason="a process that is started anew has no copy of what it needs")


@pytest.fixture
def pieces(monkeypatch: pytest.MonkeyPatch) -> None:
    """Small ones, that processes make all the same."""
    monkeypatch.setattr(number_bytes, "PIECE", 9)
    monkeypatch.setattr(number_bytes, "MANY", 2)


@forked
def test_long_text_is_the_same_from_several_processes(pieces: None) -> None:
    job = pecli.figure("distance", d=4, length=8).job
    assert Picture(job, workers=2).render("csv", "json") == Picture(job).render("csv", "json")
    assert multiprocessing.active_children() == []


@forked
def test_whoever_stops_writing_ends_the_processes(pieces: None) -> None:
    content = Content(pecli.figure("distance", d=4, length=20).numbers, partial(in_order, workers=2))
    text: Any = csv(content, About("{}", ""))
    assert [next(text)[:4], next(text)[:4]] == [b"posi", b"0,0,"]
    assert len(multiprocessing.active_children()) == 2
    text.close()
    assert multiprocessing.active_children() == []


def first_slowly(number: int) -> Drawn:
    time.sleep(0.2 if number == 0 else 0)
    return Drawn()


@forked
def test_nobody_runs_far_ahead_of_a_slow_one() -> None:
    order = [number for number, _ in islice(in_processes(range(40), 2, first_slowly, ahead=3), 5)]
    assert order.index(0) <= 3
