"""Many things turned into bytes by several processes: what one gives, in order, in bounded memory, and nobody stays."""

from __future__ import annotations

import time
from itertools import islice

import pytest

from pecli.jobs.workers import START, Drawn, in_processes

forked = pytest.mark.skipif(START != "fork", reason="a process that is started anew has no copy of what it needs")


def first_slowly(number: int) -> Drawn:
    time.sleep(0.2 if number == 0 else 0)
    return Drawn()


@forked
def test_nobody_runs_far_ahead_of_a_slow_one() -> None:
    order = [number for number, _ in islice(in_processes(range(40), first_slowly, 2, ahead=3), 5)]
    assert order.index(0) <= 3
