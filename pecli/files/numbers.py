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

from pecli.core.lazy import np
from pecli.core.terminal import track
from pecli.files.metadata import About

PIECE = 1 << 16  # numbers that become text at once
NO_FRACTION = re.compile(r"\.0(?=[,\n])")


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
    """Return the sheet, one line a row, with whole numbers without ``.0``; what is undefined is empty."""
    header, columns = numbers.sheet()
    lines = [(",".join(header) + "\n").encode()]
    for run in _runs(len(columns[0]), sum(column.size for column in columns)):
        rows = np.column_stack([column[run] for column in columns])
        if rows.dtype.kind in "fiu":
            text = repr(rows.tolist()).replace("], [", "\n").replace(", ", ",").strip("[]") + "\n"
            lines.append(NO_FRACTION.sub("", text).replace("nan", "").encode())
        else:
            lines.append("".join(",".join(map(_cell, row)) + "\n" for row in rows.tolist()).encode())
    return b"".join(lines)


def _cell(value: float | str) -> str:
    if isinstance(value, str):
        return f'"{value}"' if "," in value else value  # specs and names hold no quotation marks
    return "" if math.isnan(value) else repr(value).removesuffix(".0")


def json(numbers: Any, about: About) -> bytes:
    """Return job, facts and arrays as one object."""
    arrays = []
    for name, array in numbers.arrays().items():
        rows = [_dumped(array[run].tolist())[1:-1] for run in _runs(len(array), array.size)]
        arrays.append(f"{dumps(name)}: [{', '.join(rows)}]")
    return f'{about.job[:-1]}, "facts": {_dumped(numbers.facts())}, "arrays": {{{", ".join(arrays)}}}}}\n'.encode()


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
