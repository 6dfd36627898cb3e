"""Tests of wrong input to reports: the error is one line."""

from __future__ import annotations

import pytest

from tests.conftest import Ask


@pytest.mark.some(2)
@pytest.mark.parametrize(
    "line",
    [
        *(f"explain {rest}" for rest in ("--entry 3", "--entry 10,0", "-o x.svg")),
        *(f"stats {rest}" for rest in ("sinusodal", "sinusoidal --radix 3", "--measure euclid", "learned -n 1e12")),
        *(f"table {rest}" for rest in ("--rows 0", "--digits 18", "-o t.png", "--length 1e12 -o t.npy", "--dpi 9")),
    ],
)
def test_what_is_asked_wrongly_is_one_line(ask: Ask, line: str) -> None:
    answer = ask(*line.split())
    assert answer.code == 2 and answer.out == ""
    assert len(answer.err.strip().splitlines()) == 1
