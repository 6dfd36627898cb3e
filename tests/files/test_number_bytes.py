"""Numbers as the bytes of a file: the same in pieces of any size."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest

from pecli.files import numbers as number_bytes
from pecli.files.formats import About
from pecli.files.numbers import csv, json_, npy


class Table:
    """A table of 7 rows and 5 columns as numbers, with a column before it."""

    def __init__(self) -> None:
        self.main = np.arange(35.0).reshape(7, 5)
        self.main[2, 1], self.main[3, 4], self.main[6, 4] = np.nan, -0.25, np.nan

    def arrays(self) -> dict[str, Any]:
        return {"main": self.main, "rows": np.arange(7)}

    def facts(self) -> dict[str, Any]:
        return {"rows": 7}

    def sheet(self) -> tuple[list[str], list[Any]]:
        return ["row", *"abcde"], [np.arange(7), self.main]


@pytest.mark.parametrize("piece", [1, 5, 6, 12, 13])  # less than a row, a row, two
@pytest.mark.parametrize("encode", [csv, json_, npy])
def test_a_file_made_in_pieces_is_the_file_made_at_once(
    encode: Callable[..., Iterator[bytes]], piece: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    whole = b"".join(encode(Table(), About("{}", "")))
    monkeypatch.setattr(number_bytes, "PIECE", piece)
    pieces = list(encode(Table(), About("{}", "")))
    assert len(pieces) > 4
    assert b"".join(pieces) == whole


def test_whole_numbers_have_no_point_wherever_they_stand_and_what_is_undefined_is_empty() -> None:
    lines = b"".join(csv(Table(), About("{}", ""))).decode().splitlines()
    assert lines[:5] == ["row,a,b,c,d,e", "0,0,1,2,3,4", "1,5,6,7,8,9", "2,10,,12,13,14", "3,15,16,17,18,-0.25"]
    assert lines[-1] == "6,30,31,32,33,"
