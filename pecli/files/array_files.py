"""Arrays of numpy in .npy and .npz files: headers first, large ones mapped and not loaded, nothing unpickled."""

from __future__ import annotations

import io
import os
from math import prod
from typing import IO, TYPE_CHECKING, Any, NamedTuple

from pecli.core.errors import TableFileError, UsageError, mention
from pecli.core.lazy import Array, np
from pecli.core.memory import human
from pecli.files import declared
from pecli.files.declared import Declared, choose
from pecli.files.regular import MOST, opened

if TYPE_CHECKING:
    from zipfile import ZipFile

LONGEST = 10_000  # bytes of a header: numpy reads no longer one of a stranger's
SWOLLEN = 100  # times that an archive of weights never shrinks


class Header(NamedTuple):
    """What stands before the numbers of one array, and where they begin."""

    shape: tuple[int, ...]
    columns_first: bool
    dtype: Any
    offset: int

    @property
    def size(self) -> int:
        """Bytes of the numbers."""
        return prod(self.shape) * int(self.dtype.itemsize)


def read_header(head: bytes, what: str) -> Header:
    """The header in the first bytes of an array; raises ValueError where it is none, TableFileError for a vast one."""
    file = io.BytesIO(head)
    version = np.lib.format.read_magic(file)
    length = int.from_bytes(head[file.tell() :][: 2 if version == (1, 0) else 4], "little")
    if length > LONGEST:
        raise TableFileError(f"{what} has a header of {human(length)}, and {LONGEST:,} bytes are the most")
    read = np.lib.format.read_array_header_1_0 if version == (1, 0) else np.lib.format.read_array_header_2_0
    shape, columns_first, dtype = read(file)
    return Header(tuple(shape), columns_first, dtype, file.tell())


def npy_header(path: str) -> Header:
    """The header of a .npy file; raises ValueError where the file is shorter than it says."""
    with opened(path) as file:
        header = read_header(file.read(MOST), path)
        if header.dtype.kind != "O" and header.offset + header.size > os.fstat(file.fileno()).st_size:
            raise ValueError("cut short")  # numpy's own sum of it may overflow
        return header


def npz_headers(path: str) -> dict[str, Header]:
    """The headers of all arrays in a .npz file by name."""
    headers = {}
    with opened(path) as file, archive_of(file) as archive:
        for member in archive.namelist():
            if member.endswith(".npy"):
                name = member.removesuffix(".npy")
                if name in headers:
                    raise TableFileError(f"{path} holds two arrays of the name {name}, and one of them would be lost")
                with archive.open(member) as packed:
                    headers[name] = read_header(packed.read(MOST), f"{path}: {name}")
    return headers


def archive_of(file: IO[bytes]) -> ZipFile:
    """The archive that a .npz file is."""
    from zipfile import ZipFile  # late: the shell waits for what it completes, and --help too

    return ZipFile(file)


def npy(path: str, tensor: str | None) -> Declared:
    """The array of a .npy file."""
    if tensor is not None:
        raise UsageError(f"{mention('tensor', tensor)}: a .npy file holds one table without a name")
    header = npy_header(path)

    def load() -> Array:
        order: Any = "F" if header.columns_first else "C"
        mapped: Array = np.memmap(path, header.dtype, "r", header.offset, header.shape, order)
        return mapped if stays else np.array(mapped)

    stays = header.size >= declared.MAPPED
    return Declared(header.shape, header.dtype.kind, load, stays)


def npz(path: str, tensor: str | None) -> Declared:
    """One array of a .npz file."""
    headers = npz_headers(path)
    name = choose(path, tensor, {name: header.shape for name, header in headers.items()})
    with opened(path) as file, archive_of(file) as archive:
        packed_size = archive.getinfo(f"{name}.npy").compress_size
    header = headers[name]
    if header.size > max(declared.MAPPED, SWOLLEN * packed_size):
        raise TableFileError(f"{path}: {name} unpacks from {human(packed_size)} to {human(header.size)}: no table does")

    def load() -> Array:
        with opened(path) as file, archive_of(file) as archive, archive.open(f"{name}.npy") as packed:
            return np.lib.format.read_array(packed, allow_pickle=False)

    return Declared(header.shape, header.dtype.kind, load)
