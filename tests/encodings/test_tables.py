"""Tests of properties of all tables: rows of any positions, some columns, and means over blocks."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np
import pytest

import pecli
from pecli.core.lazy import Array
from pecli.core.positions import Blocks
from pecli.encodings.base import TableEncoding
from pecli.encodings.registry import ENCODINGS
from pecli.encodings.sinusoidal import Sinusoidal
from pecli.encodings.spec import read_table_encoding

ROWS = {"learned": 10**7, "binary": 2**46}
TABLES = [name for name, encoding in ENCODINGS.items() if issubclass(encoding, TableEncoding)]


@dataclass(frozen=True)
class Squares(TableEncoding):
    """Two columns, p and p²: not harmonic, so only what the base class gives."""

    name: ClassVar[str] = "squares"

    @property
    def width(self) -> int:
        return 2

    def table(self, positions: Array) -> Array:
        return np.stack([positions, positions**2], axis=1)


@pytest.mark.parametrize("name", TABLES)
def test_a_table_is_of_finite_numbers_that_depend_on_nothing_else_asked_for(name: str) -> None:
    encoding = read_table_encoding({"binary": "binary:d=9", "sincos2d": "sincos2d:grid=20x16"}.get(name, name))
    positions = np.array([7.0, 3.0, 300.0, 3.0])
    rows = encoding.table(positions)
    assert rows.dtype == np.float64 and rows.shape == (4, encoding.width)
    assert np.isfinite(rows).all()
    assert np.array_equal(rows, np.vstack([encoding.table(positions[i : i + 1]) for i in range(4)]))
    assert np.array_equal(rows, np.vstack([encoding.table(position) for position in positions]))
    assert encoding.table(positions[0]).shape == (encoding.width,)
    assert np.array_equal(encoding.table(positions.reshape(2, 2)), rows.reshape(2, 2, -1))
    assert pecli.encode(name, length=None if name == "sincos2d" else 7).ndim == 2


@pytest.mark.parametrize(
    "spec",
    [
        "sinusoidal:d=7",
        "clock",
        "rope:d=8,pairing=half,query=random:3",
        "binary:order=msb,values=pm1,d=12",
        "learned:d=5",
        "sinusoidal:d=6,dtype=bfloat16",
    ],
)
def test_some_columns_are_those_of_the_table(spec: str) -> None:
    encoding, dims = read_table_encoding(spec), np.array([4, 0, 3])
    for first, count in ((0, 1), (1000, 101), (37, 20)):
        table = encoding.table(np.arange(first, first + count, dtype=np.float64))
        assert encoding.columns(dims, first, count) == pytest.approx(table[:, dims].T, abs=1e-14)


@pytest.mark.long
def test_a_table_made_in_pieces_is_the_table_made_at_once() -> None:
    positions = np.arange(100_000.0)  # more numbers than are handled at once
    for encoding in (Sinusoidal(d=13), Sinusoidal(d=13, dtype="float32")):
        table = encoding.table(positions)
        assert np.array_equal(table[-3:], encoding.table(positions[-3:]))
        assert encoding.columns(np.array([4]), 0, len(positions)) == pytest.approx(table[None, :, 4], abs=1e-14)


@pytest.mark.some(9)
@pytest.mark.parametrize(
    "encoding",
    [Squares(), *(Sinusoidal(d=d, base=base) for d in (1, 2, 7, 22) for base in (10000, 1, 0.3))]
    + [
        read_table_encoding(spec)
        for spec in (
            "clock",
            "geometric:d=6,radix=3",
            "rope:d=14",
            "rope:d=14,pairing=half,query=random:2",
            "binary:d=46",
            "binary:d=46,order=msb,values=pm1",
            "learned:d=3",
        )
    ],
    ids=lambda encoding: encoding.spec(),
)
@pytest.mark.parametrize(
    "blocks",
    [
        Blocks(-13, 101, 9),
        Blocks(5, 7, 7),
        Blocks(2, 5, 11),
        Blocks(3, 7, 1),
        Blocks(2**45 - 31, 97, 13),
    ],
    ids=str,
)
def test_the_mean_table_is_the_mean_of_the_rows(encoding: TableEncoding, blocks: Blocks) -> None:
    if encoding.name in ROWS and not 0 <= blocks.start < ROWS[encoding.name]:
        return
    table = encoding.table(np.arange(blocks.start, blocks.start + blocks.length, dtype=float))
    cuts = np.split(table, range(blocks.size, blocks.length, blocks.size))
    expected = np.array([part.mean(axis=0) for part in cuts])
    assert encoding.mean_table(blocks) == pytest.approx(expected, rel=1e-14, abs=1e-12)


@pytest.mark.parametrize(
    ("length", "text"),
    [
        *[(6.28318, "6.283"), (999.96, "1,000"), (9999.4, "9,999"), (9999.6, "10,000"), (54410.1, "54,410")],
        *[(9_999_999, "9,999,999"), (1e7, "1e+07"), (1.25e9, "1.25e+09")],
    ],
)
def test_a_length_has_no_power_of_ten_before_ten_million(length: float, text: str) -> None:
    assert Squares().length_text(length) == text


@pytest.mark.some(6)
@pytest.mark.parametrize(
    "spec",
    [
        "sinusoidal:d=7",
        "sinusoidal:d=9,family=timestep,step=3.7",
        "clock:periods=60/97.5",
        "rope:d=8,pairing=half,query=random:3,base=3",
        "relative:d=6,base=0.5",
        "binary:order=msb,values=pm1,d=12",
        "binary:d=12",
    ],
)
@pytest.mark.parametrize(
    "edges",
    [np.arange(0, 4000, 7), np.array([0, 1, 3, 700, 701, 3000]), np.arange(0, 4001, 2000)],
    ids=["even", "uneven", "long"],
)
def test_extremes_of_runs_are_those_of_all_their_rows(spec: str, edges: Array, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("pecli.encodings.harmonic.SORTED", 300)  # a long run is several pieces
    encoding = read_table_encoding(spec.replace("/", "\\,"))
    columns = encoding.table(np.arange(float(edges[-1]))).T
    found = encoding.extremes(np.arange(encoding.width)[::-1], edges)
    assert found is not None
    for ours, ufunc in zip(found, (np.minimum, np.maximum), strict=True):
        assert ours == pytest.approx(ufunc.reduceat(columns[::-1], edges[:-1], axis=1), abs=3e-15)


def test_rounding_to_a_type_of_number_and_other_tables_have_no_extremes_by_formula() -> None:
    edges = np.array([0, 9])
    assert Squares().extremes(np.arange(2), edges) is None
    assert Sinusoidal(dtype="float16").extremes(np.arange(2), edges) is None
    assert read_table_encoding("rope:d=12,sequence=4\\,1x2x3").extremes(np.arange(2), edges) is None
