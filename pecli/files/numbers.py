"""The numbers behind a picture as the bytes of a file, piece by piece: text of any length takes little memory."""

from __future__ import annotations

import io
import json
import math
import re
from collections.abc import Iterator, Sequence
from typing import Any, Protocol

from pecli.core.lazy import Array, np
from pecli.core.terminal import track
from pecli.files.formats import About

PIECE = 1 << 16  # numbers that become text at once
WRITING = "writing"  # what a bar says meanwhile
WHOLE = re.compile(rb"\.0(?=[,\n])")  # the end of a whole number
LINES = bytes.maketrans(b"[", b"\n")  # of rows as Python writes them


class Numbers(Protocol):
    """What a format of numbers needs to know of them."""

    @property
    def main(self) -> Array:
        """The main array."""

    def arrays(self) -> dict[str, Array]:
        """All arrays by name."""

    def facts(self) -> dict[str, Any]:
        """The key numbers."""

    def sheet(self) -> tuple[list[str], list[Array]]:
        """Header and columns of a CSV file: arrays of one length, those of two dimensions several columns each."""


def npy(numbers: Numbers, about: About) -> Iterator[bytes]:
    """The main array."""
    array = np.ascontiguousarray(numbers.main)
    head = io.BytesIO()
    np.lib.format.write_array_header_1_0(head, np.lib.format.header_data_from_array_1_0(array))
    yield head.getvalue()
    yield from (array[rows].tobytes() for rows in _runs(len(array), array.size))


def npz(numbers: Numbers, about: About) -> Iterator[bytes]:
    """Every array and the job."""
    buffer = io.BytesIO()
    arrays: dict[str, Any] = {**numbers.arrays(), "job": np.array(about.job)}
    np.savez_compressed(buffer, **arrays)
    yield buffer.getvalue()


def csv(numbers: Numbers, about: About) -> Iterator[bytes]:
    """The sheet, one line a row; what is undefined is empty."""
    header, columns = numbers.sheet()
    yield (",".join(header) + "\n").encode()
    runs = _runs(len(columns[0]), sum(column.size for column in columns))
    yield from (_lines(columns, run) for run in track(runs, WRITING))


def _lines(columns: Sequence[Array], run: slice) -> bytes:
    """Some rows of the columns as lines; numbers as Python writes them, without a needless ``.0``."""
    rows = np.column_stack([column[run] for column in columns])
    if rows.dtype.kind not in "fiu":
        return "".join(",".join(map(_cell, row)) + "\n" for row in rows.tolist()).encode()
    text = repr(rows.tolist()).encode().translate(LINES, b" ]")[2:].replace(b",\n", b"\n") + b"\n"
    return WHOLE.sub(b"", text).replace(b"nan", b"")


def _cell(value: float | str) -> str:
    if isinstance(value, str):
        return f'"{value}"' if "," in value else value  # specs and names hold no quotation marks
    return "" if math.isnan(value) else repr(value).removesuffix(".0")


def json_(numbers: Numbers, about: About) -> Iterator[bytes]:
    """Job, facts and arrays as one object."""
    facts = json.dumps(plain(numbers.facts()), allow_nan=False)
    yield f'{about.job[:-1]}, "facts": {facts}, "arrays": {{'.encode()
    for place, (name, array) in enumerate(numbers.arrays().items()):
        yield f"{', ' if place else ''}{json.dumps(name)}: [".encode()
        yield from (_listed(array, run) for run in track(_runs(len(array), array.size), WRITING))
        yield b"]"
    yield b"}}\n"


def _listed(array: Array, run: slice) -> bytes:
    """Some rows as JSON lists them behind those before; finite numbers Python writes just so, and faster."""
    part = array[run]
    write = repr if part.dtype.kind in "fiu" and np.isfinite(part).all() else _dumped
    return (", " * bool(run.start) + write(part.tolist())[1:-1]).encode()


def _dumped(values: Any) -> str:
    return json.dumps(plain(values), allow_nan=False)


def _runs(length: int, size: int) -> list[slice]:
    """The rows of so many numbers, a piece at a time."""
    step = max(1, PIECE * length // max(1, size))
    return [slice(at, at + step) for at in range(0, length, step)]


def plain(value: Any) -> Any:
    """Nested values as JSON has them: what is not a number becomes null."""
    if isinstance(value, dict):
        return {name: plain(one) for name, one in value.items()}
    if isinstance(value, (list, tuple)):
        return [plain(one) for one in value]
    return None if isinstance(value, float) and not math.isfinite(value) else value
