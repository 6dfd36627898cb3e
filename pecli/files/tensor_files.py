"""Tensors of released models, in .safetensors files. What the format's own library finds whole is mapped."""

from __future__ import annotations

import json
from functools import partial
from math import prod

from pecli.core.errors import TableFileError, UsageError
from pecli.core.lazy import Array, np
from pecli.files import declared
from pecli.files.declared import Declared, choose
from pecli.files.regular import MOST, opened

TYPES = {
    "F64": "<f8",
    "F32": "<f4",
    "F16": "<f2",
    "BF16": "<u2",
    "I64": "<i8",
    "I32": "<i4",
    "I16": "<i2",
    "I8": "<i1",
}


def safetensors(path: str, tensor: str | None) -> Declared:
    """One tensor of a .safetensors file."""
    found = kinds_and_shapes(path)
    name = choose(path, tensor, {name: shape for name, (_, shape) in found.items()})
    kind, shape = found[name]
    if kind not in TYPES:
        raise TableFileError(f"{path}: tensor {name} is {kind}, not one of {', '.join(TYPES)}")
    stays = kind != "BF16" and prod(shape) * np.dtype(TYPES[kind]).itemsize >= declared.MAPPED
    load = partial(_tensor, path, name, kind, shape)
    return Declared(shape, "f", load if stays else lambda: np.array(load()), stays)


def kinds_and_shapes(path: str) -> dict[str, tuple[str, tuple[int, ...]]]:
    """Of every tensor the format's word for its numbers, and its shape; the format's own library finds them."""
    try:
        from safetensors import SafetensorError, safe_open
    except ImportError:
        raise UsageError(f"{path} needs a library: pip install safetensors") from None
    opened(path).close()  # else the library says of every file that cannot be read that it does not exist
    try:
        with safe_open(path, framework="np") as file:
            slices = {name: file.get_slice(name) for name in file.keys()}  # noqa: SIM118  # no mapping, only keys()
            return {name: (one.get_dtype(), tuple(one.get_shape())) for name, one in slices.items()}
    except SafetensorError as error:
        raise TableFileError(f"{path} is not a whole safetensors file: {error}") from None


def _tensor(path: str, name: str, kind: str, shape: tuple[int, ...]) -> Array:
    """The numbers of one tensor; the library hands BF16 to no numpy."""
    with opened(path) as file:
        length = int.from_bytes(file.read(8), "little")
        header = b"".join(iter(lambda: file.read(min(MOST, 8 + length - file.tell())), b""))
    begin, _ = json.loads(header)[name]["data_offsets"]
    numbers = np.memmap(path, TYPES[kind], "r", 8 + length + begin, shape)
    if kind == "BF16":  # the upper half of a float32
        return (numbers.astype(np.uint32) << 16).view(np.float32)
    return numbers
