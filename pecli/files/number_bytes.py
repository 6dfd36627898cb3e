"""The numbers behind a picture as the bytes of a file, piece by piece: text of any length takes little memory."""

from __future__ import annotations

import io
import json
import math
from collections.abc import Iterator
from typing import Any, Protocol

from pecli.core.lazy import Array, np
from pecli.files.about import About

PIECE = 1 << 16  # numbers that become text at once


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
    yield from (part.tobytes() for part in _parts(array))


def npz(numbers: Numbers, about: About) -> Iterator[bytes]:
    """Every array and the job; the archive ends before its comment, for which it leaves room."""
    import zipfile

    from pecli.files.metadata import seal

    buffer, room = io.BytesIO(), len(seal("npz", b""))
    arrays: dict[str, Any] = {**numbers.arrays(), "job": np.array(about.job)}
    np.savez_compressed(buffer, **arrays)
    with zipfile.ZipFile(buffer, "a") as archive:
        archive.comment = b" " * room
    yield buffer.getvalue()[:-room]


def csv(numbers: Numbers, about: About) -> Iterator[bytes]:
    """The sheet, one line a row; what is undefined is empty."""
    header, columns = numbers.sheet()
    yield (",".join(header) + "\n").encode()
    width = sum(1 if column.ndim == 1 else column.shape[1] for column in columns)
    step = max(1, PIECE // width)
    for at in range(0, len(columns[0]), step):
        yield _lines(np.column_stack([column[at : at + step] for column in columns])).encode()


def _lines(rows: Array) -> str:
    """Rows as lines; numbers as Python writes them, without a needless ``.0``."""
    if rows.dtype.kind not in "fiu":
        return "".join(",".join(map(_cell, row)) + "\n" for row in rows.tolist())
    text = repr(rows.tolist())[2:-2].replace("], [", "\n").replace(", ", ",") + "\n"
    return text.replace(".0,", ",").replace(".0\n", "\n").replace("nan", "")


def _cell(value: float | str) -> str:
    if isinstance(value, str):
        return f'"{value}"' if "," in value else value  # specs and names hold no quotation marks
    return "" if math.isnan(value) else repr(value).removesuffix(".0")


def json_(numbers: Numbers, about: About) -> Iterator[bytes]:
    """Job, facts and arrays as one object, open at its end."""
    facts = json.dumps(plain(numbers.facts()), allow_nan=False)
    yield f'{about.job[:-1]}, "facts": {facts}, "arrays": {{'.encode()
    for place, (name, array) in enumerate(numbers.arrays().items()):
        yield f"{', ' if place else ''}{json.dumps(name)}: [".encode()
        for at, part in enumerate(_parts(array)):
            yield (", " * bool(at) + _listed(part)).encode()
        yield b"]"
    yield b"}"


def _listed(part: Array) -> str:
    """Numbers as JSON lists them, without the outer brackets; finite ones Python writes just so, and faster."""
    if part.dtype.kind in "fiu" and np.isfinite(part).all():
        return repr(part.tolist())[1:-1]
    return json.dumps(plain(part.tolist()), allow_nan=False)[1:-1]


def _parts(array: Array) -> Iterator[Array]:
    """The array in runs along its first axis."""
    step = max(1, PIECE * len(array) // max(1, array.size))
    return (array[at : at + step] for at in range(0, len(array), step))


def plain(value: Any) -> Any:
    """Nested values as JSON has them: what is not a number becomes null."""
    if isinstance(value, dict):
        return {name: plain(one) for name, one in value.items()}
    if isinstance(value, (list, tuple)):
        return [plain(one) for one in value]
    return None if isinstance(value, float) and not math.isfinite(value) else value
