"""Tests of the matrices M_k of sinusoids: PE(p + k) = M_k PE(p) for all positions, bases, layouts and offsets."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from pecli.core.errors import UsageError
from pecli.encodings.spec import read_encoding

POSITIONS = np.array([0.0, 1, 2, 17, 1000, 123_456])
SPECS = [
    *(f"sinusoidal:d={d},base={base}" for d in (2, 8, 64) for base in (0.5, 1, 10, 10_000, 1e9)),
    *(f"sinusoidal:d={d},base={base},layout=concatenated" for d in (2, 8, 64) for base in (0.5, 10, 10_000)),
    "sinusoidal:d=8,family=tensor2tensor",
    "sinusoidal:d=8,family=timestep,shift=0",
    "sinusoidal:d=9,family=timestep,flip=true",
    "sinusoidal:d=8,step=0.5",
    "relative:d=8",
    "clock",
    "clock:periods=7,30.5",
    "geometric:d=8",
]


@pytest.mark.some(24)
@pytest.mark.parametrize("spec", SPECS)
@pytest.mark.parametrize("offset", [0, 1, 3, -5, 1000])
def test_a_shift_is_a_matrix(spec: str, offset: int) -> None:
    encoding: Any = read_encoding(spec)
    matrix, table = encoding.shift_matrix(offset), encoding.table(POSITIONS)
    assert matrix.shape == (encoding.width, encoding.width)
    assert table @ matrix.T == pytest.approx(encoding.table(POSITIONS + offset), abs=1e-12)
    assert matrix @ matrix.T == pytest.approx(np.eye(encoding.width), abs=1e-12)
    assert matrix @ encoding.shift_matrix(2) == pytest.approx(encoding.shift_matrix(offset + 2), abs=1e-12)


def test_a_shift_stays_in_a_pair() -> None:
    encoding: Any = read_encoding("sinusoidal:d=6,layout=concatenated")
    matrix = encoding.shift_matrix(3)
    rows, columns = np.nonzero(matrix)
    assert {*zip((rows % 3).tolist(), (columns % 3).tolist(), strict=True)} == {(0, 0), (1, 1), (2, 2)}
    assert matrix[0, [0, 3]] == pytest.approx([np.cos(3), np.sin(3)])


ODD = [
    ("sinusoidal:d=7", "the sin in dimension 6 has no cos beside it"),
    ("sinusoidal:d=7,layout=concatenated", "the sin in dimension 3 has no cos beside it"),
    ("sinusoidal:d=1", "the sin in dimension 0 has no cos beside it"),
    ("relative:d=5", "give an even d"),
    ("sincos2d:d=8,grid=2x2", "positions in a grid"),
]


@pytest.mark.parametrize(("spec", "said"), ODD)
def test_without_pairs_or_one_offset_it_is_refused(spec: str, said: str) -> None:
    encoding: Any = read_encoding(spec)
    with pytest.raises(UsageError) as refused:
        encoding.shift_matrix(3)
    assert said in str(refused.value)
