"""The numbers behind a picture as the bytes of a file, in pieces.

The input is a `pecli.analysis.Parts`: the numbers for a few rows at a time, or all at once.
"""

from __future__ import annotations

import io
import math
import re
import zipfile
from collections.abc import Iterable, Iterator, Sequence
from json import dumps
from typing import Any

from pecli.core.lazy import Array, np
from pecli.core.numbers import NUMBER
from pecli.core.options import EXACT
from pecli.core.progress import track
from pecli.files.metadata import FileMetadata
from pecli.files.sheet import Sheet

PIECE = 1 << 16  # numbers converted to text at once; as Python objects, all of them would fill the memory
FORMULA_STARTS = ("=", "+", "-", "@", "\t", "\r")  # beginnings of cells that spreadsheets evaluate
EPOCH = (1980, 1, 1, 0, 0, 0)  # earliest date that .zip can hold


def npy(parts: Any, about: FileMetadata) -> Iterator[bytes]:
    """Yield the main array as a .npy file."""
    yield from _npy(parts, parts.first.main_array)


def npz(parts: Any, about: FileMetadata) -> Iterator[bytes]:
    """Yield all arrays and the job as a .npz file."""
    written = _Buffer()
    with zipfile.ZipFile(written, mode="w", compression=zipfile.ZIP_DEFLATED) as archive:  # type: ignore[call-overload]  # _Buffer has the methods that ZipFile calls
        job = io.BytesIO()
        np.save(job, np.array(about.job))
        for name in [*parts.first.arrays(), "job"]:
            entry = zipfile.ZipInfo(f"{name}.npy", EPOCH)
            entry.compress_type, entry.external_attr = zipfile.ZIP_DEFLATED, 0o600 << 16
            with archive.open(entry, mode="w", force_zip64=True) as file:
                for piece in [job.getvalue()] if name == "job" else _npy(parts, name):
                    file.write(piece)
                    yield written.take()
    yield written.take()


class _Buffer:
    """A write-only file whose content is taken out piece by piece."""

    def __init__(self) -> None:
        self._pieces: list[bytes] = []

    def write(self, data: bytes) -> int:
        self._pieces.append(bytes(data))
        return len(data)

    def flush(self) -> None: ...

    def take(self) -> bytes:
        """Return what was written since the last call."""
        data = b"".join(self._pieces)
        self._pieces.clear()
        return data


def _npy(parts: Any, name: str) -> Iterator[bytes]:
    """Yield one array as a .npy file."""
    first, grows = parts.first.arrays()[name], parts.length is not None and not _is_common(parts, name)
    header, shape = io.BytesIO(), (parts.length, *first.shape[1:]) if grows else first.shape
    described = {"descr": np.lib.format.dtype_to_descr(first.dtype), "fortran_order": False, "shape": shape}
    np.lib.format.write_array_header_1_0(header, described)
    yield header.getvalue()
    for array in _arrays(parts, name):
        yield np.ascontiguousarray(array).tobytes()


def _arrays(parts: Any, name: str) -> Iterator[Array]:
    """Yield an array part by part, or once if all parts have it in common."""
    return (part.arrays()[name] for part in ([parts.first] if _is_common(parts, name) else parts))


def _is_common(parts: Any, name: str) -> bool:
    """Return whether several parts have the same array, because it does not vary from row to row."""
    return parts.length is not None and name in Sheet(parts.first).common


def csv(parts: Any, about: FileMetadata) -> Iterator[bytes]:
    """Yield the table as CSV; columns of whole numbers have no ``.0``, undefined values are empty."""
    header, _ = parts.first.sheet(about.long)
    yield (about.separator.join(_cell(text, about) for text in header) + "\n").encode()

    for texts in _typed_columns(parts, lambda part: part.sheet(about.long)[1]):
        yield _lines(texts, about).encode()


def _lines(columns: Sequence[list[Any]], about: FileMetadata) -> str:
    """Return rows as CSV text; if all numbers are finite, they are written in one step."""
    if len(columns) > 1 and all(map(_is_finite, columns)):
        text = repr([*zip(*columns, strict=True)])[2:-2].replace("), (", "\n").replace(", ", ",") + "\n"
        return text.translate(str.maketrans(",.", about.separator + about.decimal))
    texts = [[_cell(value, about) for value in column] for column in columns]
    return "".join(about.separator.join(row) + "\n" for row in zip(*texts, strict=True))


def _is_finite(column: list[Any]) -> bool:
    """Return True if a column has only finite numbers."""
    return not isinstance(column[0], str) and None not in column and all(map(math.isfinite, column))


def _typed_columns(parts: Any, columns: Any) -> Iterator[list[list[Any]]]:
    """Yield the columns of a few rows at a time, as lists.

    If all defined values of a column are whole numbers, the column has int for these and None for undefined values."""
    whole: list[bool] = []
    for part in parts:
        found = columns(part)
        whole = [
            so_far and _is_whole(column) for so_far, column in zip(whole or [True] * len(found), found, strict=True)
        ]
        if not any(whole):
            break
    for part in parts:
        typed = [_as_whole(c) if own else c for c, own in zip(columns(part), whole, strict=True)]
        for run in _runs(parts, len(typed[0]), len(typed) * len(typed[0])):
            yield [column[run].tolist() for column in typed]


def _is_whole(column: Array) -> bool:
    """Return True if all values are undefined or whole numbers that float64 represents exactly."""
    if column.dtype.kind != "f" or np.isinf(column).any():
        return False
    known = column[~np.isnan(column)]
    return not (known % 1).any() and bool(np.abs(known).max(initial=0) < EXACT)


def _as_whole(column: Array) -> Array:
    """Return whole numbers as int, and None where they are undefined."""
    undefined = np.isnan(column)
    whole = np.where(undefined, 0, column).astype(np.int64)
    return np.where(undefined, None, whole) if undefined.any() else whole  # type: ignore[call-overload]


def _cell(value: float | str | None, about: FileMetadata) -> str:
    if value is None:
        return ""
    if isinstance(value, str):
        text = text_cell(value)
        return '"' + text.replace('"', '""') + '"' if set(text) & {about.separator, '"', "\n"} else text
    return repr(value).replace(".", about.decimal) if value == value else ""


def text_cell(text: str) -> str:
    """Return the text of a cell, with an apostrophe in front if a spreadsheet would read it as a formula."""
    return "'" + text if text.startswith(FORMULA_STARTS) and not re.fullmatch(NUMBER, text) else text


def json(parts: Any, about: FileMetadata) -> Iterator[bytes]:
    """Yield job, facts and arrays as one JSON object.

    In long format, the table is a list of rows, each an object; the other arrays follow.
    """
    numbers, names = parts.first, [*parts.first.arrays()]
    yield f'{about.job[:-1]}, "facts": {_dumped(numbers.facts())}'.encode()
    if about.long or numbers.always_long:
        sheet = Sheet(numbers)
        header, _ = numbers.sheet(long=True)
        told = (sheet.main.field, *sheet.coordinates(), *(own.field for own in sheet.beside))
        names = [name for name in names if name not in told]
        rows = _typed_columns(parts, lambda part: part.sheet(long=True)[1])
        texts = (_dumped([dict(zip(header, row, strict=True)) for row in zip(*run, strict=True)]) for run in rows)
        yield from _listed(', "rows": [', texts)
    yield b', "arrays": {'
    for at, name in enumerate(names):
        runs = (array[run] for array in _arrays(parts, name) for run in _runs(parts, len(array), array.size))
        yield from _listed(f"{', ' * (at > 0)}{dumps(name)}: [", (_dumped(array.tolist()) for array in runs))
    yield b"}}\n"


def _listed(begin: str, lists: Iterable[str]) -> Iterator[bytes]:
    """Yield several JSON lists as one list, preceded by `begin`."""
    yield begin.encode()
    for at, text in enumerate(lists):
        yield (", " * (at > 0) + text[1:-1]).encode()
    yield b"]"


def _dumped(value: Any) -> str:
    try:
        return dumps(value, allow_nan=False)
    except ValueError:
        return dumps(json_value(value), allow_nan=False)


def _runs(parts: Any, length: int, size: int) -> Iterable[slice]:
    """Return slices of rows with about PIECE numbers each; a single slice if the numbers come in parts."""
    if parts.length is not None:
        return [slice(None)]
    step = max(1, PIECE * length // max(1, size))
    return track([slice(at, at + step) for at in range(0, length, step)], "writing")


def json_value(value: Any) -> Any:
    """Return nested values as JSON allows them: NaN and infinity become null."""
    if isinstance(value, dict):
        return {name: json_value(item) for name, item in value.items()}
    if isinstance(value, (list, tuple)):
        return [json_value(item) for item in value]
    return None if isinstance(value, float) and not math.isfinite(value) else value
