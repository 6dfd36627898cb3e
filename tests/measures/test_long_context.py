"""What the rates say of long sequences, against the sums written out."""

from __future__ import annotations

import numpy as np
import pytest

from pecli.encodings.clock import Clock
from pecli.encodings.rope import Rope
from pecli.measures import waves as long_context
from pecli.measures.waves import first_negative_offset, longer_than


@pytest.mark.parametrize("step", [5, 1 << 11])
def test_the_first_negative_offset_is_that_of_the_sum_and_none_lies_beyond_the_most(
    step: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(long_context, "STEP", step)
    rope = Rope(d=16, base=100.0)
    sums = np.cos(np.outer(np.arange(100), rope.frequencies())).sum(axis=1)
    first = int(np.flatnonzero(sums < 0)[0])
    assert first > 2 * 5 and first % 5  # some steps on, and inside of one
    assert [first_negative_offset(rope, most) for most in (0, first - 1, first, 99)] == [None, None, first, first]


def test_a_pair_that_turns_once_within_the_length_is_not_longer() -> None:
    clock = Clock(periods=(32.0, 64.0))
    assert [longer_than(clock, length) for length in (31, 32, 63, 64)] == [2, 1, 1, 0]
