"""Tables of numbers from files that are not trusted: sizes are checked before memory is taken, nothing is unpickled."""

from __future__ import annotations

import hashlib
import json
import os
import zipfile
from collections.abc import Callable, Iterable
from contextlib import suppress
from functools import lru_cache
from itertools import islice
from math import prod
from pathlib import Path
from typing import IO, Any

from pecli.core.errors import TableFileError, UnknownNameError, UsageError, mention
from pecli.core.lazy import Array, np
from pecli.core.memory import check_memory

USUAL = (  # how the position table is named in released models; a name that ends so
    "wpe.weight",
    "position_embeddings.weight",
    "position_embedding.weight",
    "embed_positions.weight",
    "positions_embed.weight",
    "positional_embedding",
    "pos_embed",
)
COORDINATES = ("positions", "position")  # the first column of a CSV file that pecli wrote
SMALLER = "take a smaller table"
ST_TYPES = {
    "F64": "<f8",
    "F32": "<f4",
    "F16": "<f2",
    "BF16": "<u2",
    "I64": "<i8",
    "I32": "<i4",
    "I16": "<i2",
    "I8": "<i1",
}


def read_table(path: str, tensor: str | None = None) -> Array:
    """The table in a file.

    Parameters
    ----------
    path : .npy, .npz, .csv or .safetensors
    tensor : the table's name in the file, or how it ends; needed only where the usual names do not tell

    Returns
    -------
    shape (length, d), float64, finite

    Raises
    ------
    UsageError : no such file, an ending that is not known, a name that is not in the file
    TableFileError : the file is damaged or does not hold a real, finite, two-dimensional table
    """
    suffix = Path(path).suffix.lower()
    if suffix not in READERS:
        raise UnknownNameError("kind of table file", suffix or Path(path).name, READERS)
    if not os.path.isfile(path):
        raise UsageError(f"{path} does not exist or is not a file")
    return _read(path, tensor, Path(path).stat().st_mtime_ns)


def read_vector(path: str) -> Array:
    """The numbers of a table in one row, shape (n,); a .npy file may hold them without a second dimension."""
    if Path(path).suffix.lower() == ".npy" and os.path.isfile(path):
        with suppress(ValueError, OSError):  # what is wrong with the file `read_table` says
            mapped = np.lib.format.open_memmap(path, mode="r")
            if mapped.ndim == 1:
                return _checked(path, mapped.reshape(1, -1)).reshape(-1)
    return read_table(path).reshape(-1)


@lru_cache(maxsize=4)
def _read(path: str, tensor: str | None, changed: int) -> Array:
    try:
        table = READERS[Path(path).suffix.lower()](path, tensor)
    except (TableFileError, UsageError):
        raise
    except Exception as error:  # numpy and zipfile have many kinds of damage
        raise TableFileError(f"{path} could not be read as a table: {error}") from None
    return _checked(path, table)


def fingerprint(path: str) -> str:
    """A short name of the file's content."""
    try:
        return hashlib.sha256(Path(path).read_bytes()).hexdigest()[:16]
    except OSError as error:
        raise TableFileError(f"{path} could not be read: {error.strerror}") from None


def _checked(path: str, table: Array) -> Array:
    _check_kind(path, table.shape, table.dtype.kind)
    table = table.reshape(table.shape[-2:]).astype(np.float64)
    bad = np.argwhere(~np.isfinite(table))
    if len(bad):
        row, column = bad[0]
        raise TableFileError(
            f"{path} holds {len(bad)} values that are not finite, "
            f"the first in row {row}, column {column}: {table[row, column]}"
        )
    table.setflags(write=False)
    return table


def _check_kind(path: str, shape: tuple[int, ...], kind: str) -> None:
    """Two dimensions (leading ones of 1 aside), not empty, real; then whether memory holds it."""
    if len(shape) < 2 or prod(shape[:-2]) != 1 or not prod(shape):
        raise TableFileError(f"{path} holds an array of shape {shape}, not a table of positions × dimensions")
    if kind not in "fiu":
        raise TableFileError(f"{path} does not hold real numbers (numpy kind {kind!r})")
    check_memory(path, shape, SMALLER)


def _npy(path: str, tensor: str | None) -> Array:
    if tensor is not None:
        text = f"{mention('tensor', tensor)}: a .npy file holds one table without a name"
        raise UsageError(text, option="tensor", value=tensor)
    mapped = np.lib.format.open_memmap(path, mode="r")
    _check_kind(path, mapped.shape, mapped.dtype.kind)
    return np.array(mapped)


def _npz(path: str, tensor: str | None) -> Array:
    with zipfile.ZipFile(path) as archive:
        headers = {}
        for member in archive.namelist():
            if member.endswith(".npy"):
                with archive.open(member) as file:
                    headers[member.removesuffix(".npy")] = _npy_header(file)
        name = _choose(path, tensor, {name: shape for name, (shape, _) in headers.items()})
        shape, kind = headers[name]
        _check_kind(path, shape, kind)
    with np.load(path, allow_pickle=False) as arrays:
        return arrays[name]


def _npy_header(file: IO[bytes]) -> tuple[tuple[int, ...], str]:
    """Shape and kind as the header declares them; nothing is allocated."""
    version = np.lib.format.read_magic(file)
    read = np.lib.format.read_array_header_1_0 if version == (1, 0) else np.lib.format.read_array_header_2_0
    shape, _, dtype = read(file)
    return tuple(shape), dtype.kind


def _csv(path: str, tensor: str | None) -> Array:
    if tensor is not None:
        text = f"{mention('tensor', tensor)}: a .csv file holds one table without a name"
        raise UsageError(text, option="tensor", value=tensor)
    with Path(path).open(encoding="utf-8-sig") as file:
        first = file.readline().strip().split(",")
        try:
            [float(cell) for cell in first]
            headed = False
        except ValueError:
            headed = True
        file.seek(0)
        if not any(line.strip() for line in islice(file, int(headed), None)):
            raise TableFileError(f"{path} holds no numbers")
        file.seek(0)
        table = np.loadtxt(file, delimiter=",", ndmin=2, skiprows=int(headed), comments=None)
    return table[:, 1:] if headed and first[0].strip() in COORDINATES else table


def _safetensors(path: str, tensor: str | None) -> Array:
    try:
        from safetensors import SafetensorError, safe_open
    except ImportError:
        raise UsageError(f"{path} needs a library: pip install safetensors") from None
    try:
        with safe_open(path, framework="np") as file:
            slices = {name: file.get_slice(name) for name in file.keys()}  # noqa: SIM118  # no mapping, only keys()
            shapes = {name: tuple(one.get_shape()) for name, one in slices.items()}
            name = _choose(path, tensor, shapes)
            kind = slices[name].get_dtype()
    except SafetensorError as error:
        raise TableFileError(f"{path} is not a whole safetensors file: {error}") from None
    if kind not in ST_TYPES:
        raise TableFileError(f"{path}: tensor {name} is {kind}, not one of {', '.join(ST_TYPES)}")
    _check_kind(path, shapes[name], "f")
    return _tensor_bytes(path, name, kind).reshape(shapes[name])


def _tensor_bytes(path: str, name: str, kind: str) -> Array:
    """The numbers of one tensor of a file that safetensors has found whole; it hands BF16 to no numpy."""
    with Path(path).open("rb") as file:
        length = int.from_bytes(file.read(8), "little")
        begin, end = json.loads(file.read(length))[name]["data_offsets"]
        file.seek(8 + length + begin)
        numbers = np.frombuffer(file.read(end - begin), dtype=ST_TYPES[kind])
    if kind == "BF16":  # the upper half of a float32
        return (numbers.astype(np.uint32) << 16).view(np.float32)
    return numbers


def _choose(path: str, tensor: str | None, shapes: dict[str, tuple[int, ...]]) -> str:
    """The name of the table: as given, else by the usual names, else the only one with two dimensions."""
    if tensor is not None:
        fitting = [name for name in shapes if name == tensor] or [name for name in shapes if name.endswith(tensor)]
        if not fitting:
            raise UnknownNameError(f"tensor of {path}", tensor, shapes)
    else:
        fitting = [name for name in shapes if name.endswith(USUAL)] or [n for n in shapes if len(shapes[n]) == 2]
    if len(fitting) != 1:
        text = f"{path} holds {_listed(fitting or shapes)}: name the table with {mention('tensor')}"
        raise UsageError(text, option="file", value=path)
    return fitting[0]


def _listed(names: Iterable[str]) -> str:
    shown = list(names)
    return ", ".join(shown[:8]) + (f", … {len(shown)} tensors" if len(shown) > 8 else "") or "no table"


READERS: dict[str, Callable[[str, str | None], Any]] = {
    ".npy": _npy,
    ".npz": _npz,
    ".csv": _csv,
    ".safetensors": _safetensors,
}
