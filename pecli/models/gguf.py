"""The header of a GGUF file: its metadata, and the few small tensors that determine a RoPE encoding.

The file is untrusted: memory is never allocated from a size that it states, but only as its bytes are read.
"""

from __future__ import annotations

import re
import struct
from collections.abc import Callable
from typing import Any, BinaryIO

from pecli.core.errors import FileError

MAGIC = b"GGUF"
STEP, MAX_HEADER = 1 << 20, 1 << 26  # bytes per read, and largest size of all metadata and tensor names
# GGUF type to struct code
NUMBERS = {**dict(enumerate(("B", "b", "H", "h", "I", "i", "f", "?"))), 10: "Q", 11: "q", 12: "d"}
TEXT, LIST, FLOAT32 = 8, 9, 6
FLOATS = {0: "f", 1: "e"}  # tensor type to struct code
MAX_KEPT = 1 << 12  # longest list or tensor that is read: one item per layer or pair
MAX_NAME = 1 << 16
# tensors of divisors of the rates
TENSORS = ("rope_freqs.weight", "rope_factors_long.weight", "rope_factors_short.weight")
TABLE = "position_embd.weight"  # position table, only its shape is read


class Header:
    """Reader of a file's header, which keeps the bytes read so far."""

    def __init__(self, file: BinaryIO) -> None:
        self.file, self.data, self.at, self.order = file, bytearray(), 0, "<"

    def skip(self, count: int) -> int:
        """Advance by `count` bytes and return the offset before them; raise FileError if the file is too short."""
        start, end = self.at, self.at + count
        if end > MAX_HEADER:
            raise FileError(f"{self.file.name} has a header of over {MAX_HEADER >> 20} MiB: not read")
        while len(self.data) < end:
            more = self.file.read(STEP)
            if not more:
                raise FileError(f"{self.file.name} is not a complete GGUF file: it ends within its header")
            self.data += more
        self.at = end
        return start

    def number(self, code: str = "Q") -> Any:
        """Return the next number, read with the format code `code` of `struct`."""
        return struct.unpack_from(self.order + code, self.data, self.skip(struct.calcsize("<" + code)))[0]

    def text(self) -> str:
        """Return the next string."""
        length = self.number()
        start = self.skip(length)
        return self.data[start : start + min(length, MAX_NAME)].decode("utf-8", "replace")

    def value(self, kind: int) -> Any:
        """Return the next value, of GGUF type `kind`.

        Return None for a list of strings, and for a list that is too long to concern positions.
        """
        if kind == TEXT:
            return self.text()
        if kind != LIST:
            number = self.number(NUMBERS[kind] if kind in NUMBERS else self._refuse(kind))
            return shortest(number) if kind == FLOAT32 else number
        kind, count = self.number("I"), self.number()
        if kind == TEXT:
            return self._skip_texts(count)
        if kind in NUMBERS and count > MAX_KEPT:
            self.skip(count * struct.calcsize("<" + NUMBERS[kind]))
            return None
        return [self.value(kind) for _ in range(min(count, MAX_KEPT))] if kind != LIST else self._refuse(kind)

    def _refuse(self, kind: int) -> Any:
        raise FileError(f"{self.file.name} is not a GGUF file that pecli reads: it has a value of type {kind}")

    def _skip_texts(self, count: int) -> None:
        """Skip `count` strings; a vocabulary has hundreds of thousands."""
        unpack = struct.Struct(self.order + "Q").unpack_from
        for _ in range(count):
            if self.at + 8 > len(self.data):
                self.skip(8)
                self.at -= 8
            (length,) = unpack(self.data, self.at)
            self.at += 8
            if self.at + length > len(self.data):
                self.skip(length)
            else:
                self.at += length


SHARD = re.compile(r"(.*-)(\d{5})-of-(\d{5})(\.gguf)", re.DOTALL)  # file name of one part of a split model
MAX_SHARDS = 1000


def whole_gguf(file: Any, path: str, opener: Callable[[str], Any]) -> dict[str, Any]:
    """Return the result of `read_gguf`; for a split model, that of its first part, with the tensors of all parts.

    opener : function that opens the other parts by path
    """
    data, shard = read_gguf(file), SHARD.fullmatch(path)
    if shard is None or not 1 < int(shard[3]) <= MAX_SHARDS:
        return data
    first = read_shard(opener, f"{shard[1]}{1:05}-of-{shard[3]}{shard[4]}") if int(shard[2]) != 1 else data
    for number in range(2, int(shard[3]) + 1):
        other = f"{shard[1]}{number:05}-of-{shard[3]}{shard[4]}"
        own = data if other == path else read_shard(opener, other)
        first |= {name: value for name, value in own.items() if name in (*TENSORS, TABLE)}
    return first


def read_shard(opener: Callable[[str], Any], path: str) -> dict[str, Any]:
    """Return the result of `read_gguf` for one part of a split model."""
    with opener(path) as file:
        return read_gguf(file)


def read_gguf(file: BinaryIO) -> dict[str, Any]:
    """Return the metadata of a file by key, with the tensors of divisors and the shape of the position table by name.

    Raises
    ------
    FileError : the file is truncated, or has an unknown version
    """
    header = Header(file)
    header.skip(len(MAGIC))
    version = header.number("I")
    if version & 0xFFFF == 0:  # big-endian file
        header.order, version = ">", version >> 24
    if version not in (2, 3):
        raise FileError(f"{file.name} is a GGUF file of version {version}; pecli reads versions 2 and 3")
    n_tensors, n_keys = header.number(), header.number()
    data: dict[str, Any] = {}
    for _ in range(n_keys):
        name = header.text()
        data[name] = header.value(header.number("I"))
    tensors = {}
    for _ in range(n_tensors):
        name, n_axes = header.text(), header.number("I")
        if n_axes > 4:
            raise FileError(f"{file.name} is not a GGUF file: a tensor has {n_axes} axes")
        shape = [header.number() for _ in range(n_axes)]
        place = (shape, header.number("I"), header.number())
        if name in TENSORS:
            tensors[name] = place
        elif name == TABLE:
            data[name] = shape
    alignment = data.get("general.alignment") or 32
    start = -(-header.at // alignment) * alignment if isinstance(alignment, int) and alignment > 0 else header.at
    return data | {name: _numbers(header, name, start, *place) for name, place in tensors.items()}


def _numbers(header: Header, name: str, start: int, shape: list[int], kind: int, offset: int) -> list[float]:
    """Return the numbers of a small tensor, which begins `offset` bytes after `start`, the start of all tensors."""
    file, count = header.file, shape[0] if len(shape) == 1 else 0
    if kind not in FLOATS or not 0 < count <= MAX_KEPT:
        raise FileError(f"{file.name}: {name} is not a list of up to {MAX_KEPT:,} numbers of float32 or float16")
    code = f"{header.order}{count}{FLOATS[kind]}"
    if start + offset >= 1 << 63:
        raise FileError(f"{file.name} is not a complete GGUF file: it ends before {name}")
    file.seek(start + offset)
    data = file.read(struct.calcsize(code))
    if len(data) < struct.calcsize(code):
        raise FileError(f"{file.name} is not a complete GGUF file: it ends before {name}")
    return [shortest(number) for number in struct.unpack(code, data)]


def shortest(number: float) -> float:
    """Return the float with the fewest digits that is the same in float32: 0.1, not 0.10000000149."""
    for digits in range(6, 10):
        short = float(f"{number:.{digits}g}")
        if abs(short) < 3.4e38 and struct.pack("f", short) == struct.pack("f", number):
            return short
    return number
