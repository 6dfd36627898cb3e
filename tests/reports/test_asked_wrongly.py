"""What is asked wrongly of a report is one line."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest


@pytest.mark.parametrize(
    "line",
    [
        "explain --entry 3",
        "explain --entry 10,0",
        "explain --entry 0,8",
        "explain --lang xx",
        "explain --embeddings none.npy",
        "explain -o x.svg",
        "stats sinusodal",
        "stats sinusoidal --radix 3",
        "stats --measure euclid",
        "stats learned --length 1e12",
        "table --rows 0",
        "table --rows 10001",
        "table --digits 18",
        "table -o t.png",
        "table --length 1e12 -o t.npy",
        "table --dpi 9",
    ],
)
def test_what_is_asked_wrongly_is_one_line(ask: Callable[..., Any], line: str) -> None:
    answer = ask(*line.split())
    assert answer.code == 2 and answer.out == ""
    assert len(answer.err.strip().splitlines()) == 1
