"""The numbers behind a picture as the bytes of a file.

What is written is a `pecli.analysis.Numbers`.
"""

from __future__ import annotations

import io
import math
import re
from collections.abc import Iterable
from json import dumps
from typing import Any

from pecli.core.lazy import Array, np
from pecli.core.numbers import NUMBER
from pecli.core.options import EXACT
from pecli.core.terminal import track
from pecli.files.metadata import About

PIECE = 1 << 16  # numbers that become text at once
FORMULA = ("=", "+", "-", "@", "\t", "\r")  # begins of cells that spreadsheets calculate


def npy(numbers: Any, about: About) -> bytes:
    """Return the main array."""
    buffer = io.BytesIO()
    np.save(buffer, np.ascontiguousarray(numbers.main))
    return buffer.getvalue()


def npz(numbers: Any, about: About) -> bytes:
    """Return every array and the job."""
    buffer = io.BytesIO()
    arrays: dict[str, Any] = {**numbers.arrays(), "job": np.array(about.job)}
    np.savez_compressed(buffer, **arrays)
    return buffer.getvalue()


def csv(numbers: Any, about: About) -> bytes:
    """Return the sheet, one line a row; a column of whole numbers has no ``.0``; what is undefined is empty."""
    header, sheet = numbers.sheet(about.long)
    columns = [_plain_column(column) for part in sheet for column in (part.T if part.ndim == 2 else [part])]
    lines = [(",".join(map(_cell, header)) + "\n").encode()]
    for run in _runs(len(columns[0]), len(columns) * len(columns[0])):
        texts = [list(map(_cell, column[run].tolist())) for column in columns]
        lines.append("".join(",".join(row) + "\n" for row in zip(*texts, strict=True)).encode())
    return b"".join(lines)


def _plain_column(column: Array) -> Array:
    """Return a column in the type that a reader finds in its text: whole numbers are integers in all rows or none."""
    whole = column.dtype.kind == "f" and np.isfinite(column).all() and not (column % 1).any()
    return column.astype(np.int64) if whole and np.abs(column).max(initial=0) < EXACT else column


def _cell(value: float | str) -> str:
    if isinstance(value, str):
        text = text_cell(value)
        return '"' + text.replace('"', '""') + '"' if set(text) & set(',"\n') else text
    return repr(value) if value == value else ""


def text_cell(text: str) -> str:
    """Return a cell, with an apostrophe before what a spreadsheet would take for a formula; numbers stay."""
    return "'" + text if text.startswith(FORMULA) and not re.fullmatch(NUMBER, text) else text


def json(numbers: Any, about: About) -> bytes:
    """Return job, facts and arrays as one object; of points an object each, and the arrays that they do not have."""
    arrays, parts = numbers.arrays(), [f'{about.job[:-1]}, "facts": {_dumped(numbers.facts())}']
    if about.long or numbers.is_lines:
        points = {name: _plain_column(column) for name, column in numbers.points().items()}
        told = (numbers.main_array, *numbers.row_coordinates, numbers.column_coordinates, *numbers.beside)
        arrays = {name: array for name, array in arrays.items() if name not in told}
        runs = _runs(len(next(iter(points.values()))), sum(map(len, points.values())))
        values = (zip(*(column[run].tolist() for column in points.values()), strict=True) for run in runs)
        texts = [_dumped([dict(zip(points, row, strict=True)) for row in rows])[1:-1] for rows in values]
        parts.append(f'"rows": [{", ".join(texts)}]')
    texts = []
    for name, array in arrays.items():
        rows = [_dumped(array[run].tolist())[1:-1] for run in _runs(len(array), array.size)]
        texts.append(f"{dumps(name)}: [{', '.join(rows)}]")
    parts.append(f'"arrays": {{{", ".join(texts)}}}')
    return (", ".join(parts) + "}\n").encode()


def _dumped(value: Any) -> str:
    return dumps(plain(value), allow_nan=False)


def _runs(length: int, size: int) -> Iterable[slice]:
    """Return slices of so many rows, each of a few numbers: Python's objects for all of them would fill memory."""
    step = max(1, PIECE * length // max(1, size))
    return track([slice(at, at + step) for at in range(0, length, step)], "writing")


def plain(value: Any) -> Any:
    """Nested values as JSON has them: what is not a number becomes null."""
    if isinstance(value, dict):
        return {name: plain(item) for name, item in value.items()}
    if isinstance(value, (list, tuple)):
        return [plain(item) for item in value]
    return None if isinstance(value, float) and not math.isfinite(value) else value
