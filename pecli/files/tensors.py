"""What is in a file of numbers, told by its headers: names, shapes and kinds of numbers."""

from __future__ import annotations

from collections.abc import Callable
from math import prod
from typing import NamedTuple

from pecli.core.errors import UsageError
from pecli.files.array_files import Header, npy_header, npz_headers
from pecli.files.declared import REAL, choose
from pecli.files.table_files import damage_named, read_table, suffix_of
from pecli.files.tensor_files import TYPES, kinds_and_shapes


class Tensor(NamedTuple):
    """One array of a file: its shape, its kind of numbers in the words of its format, and whether they can be read."""

    shape: tuple[int, ...]
    numbers: str
    readable: bool = True


def tensors(path: str) -> dict[str, Tensor]:
    """The arrays in a file by name; the only one of a file without names has the empty one.

    Raises
    ------
    UsageError : no such file, or an ending that is not known
    TableFileError : the file is damaged
    """
    suffix = suffix_of(path)
    with damage_named(path):
        return LISTS[suffix](path)


def table_name(path: str, found: dict[str, Tensor]) -> str | None:
    """The name of the tensor that is taken for the table where none is named; None where none can be."""
    try:
        name = choose(path, None, {name: one.shape for name, one in found.items()})
    except UsageError:
        return None
    one = found[name]
    return name if one.readable and len(one.shape) >= 2 and prod(one.shape[:-2]) == 1 else None


def _array(header: Header) -> Tensor:
    return Tensor(header.shape, header.dtype.name, header.dtype.kind in REAL)


LISTS: dict[str, Callable[[str], dict[str, Tensor]]] = {
    ".npy": lambda path: {"": _array(npy_header(path))},
    ".npz": lambda path: {name: _array(header) for name, header in npz_headers(path).items()},
    ".csv": lambda path: {"": Tensor(read_table(path).shape, "text")},
    ".safetensors": lambda path: {
        name: Tensor(shape, kind, kind in TYPES) for name, (kind, shape) in kinds_and_shapes(path).items()
    },
}
