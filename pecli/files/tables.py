"""Tables of numbers from files that are not trusted: what is declared is checked before memory is taken."""

from __future__ import annotations

import io
import json
import os
import re
import shlex
import stat
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import lru_cache, partial
from itertools import islice
from math import prod
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any, NamedTuple

from pecli.core.errors import PecliError, TableFileError, UnknownNameError, UsageError, mention, notice
from pecli.core.lazy import Array, np
from pecli.core.memory import check_memory, human
from pecli.core.readable import check_readable
from pecli.core.registry import late
from pecli.core.terminal import track
from pecli.core.values import EXACT, visible

if TYPE_CHECKING:
    from zipfile import ZipFile

MOST = 1 << 20  # bytes of a job in a file, of a header, and of any single piece that is read


class Bounded(io.FileIO):
    """A file that gives no more than `MOST` bytes at once, whatever its own headers ask for."""

    def read(self, size: int | None = -1, /) -> bytes:
        """At most `size` bytes; raises PecliError for too many."""
        asked = MOST + 1 if size is None or size < 0 else size
        data = super().read(min(asked, MOST + 1)) or b""
        if len(data) > MOST:
            raise PecliError(
                f"{visible(str(self.name))} has a part of over {MOST >> 20} MiB where little is due: not read"
            )
        return data


def opened(path: str) -> Bounded:
    """A regular file to read from.

    Raises
    ------
    UsageError : nothing is there, or no regular file: a FIFO or a device might never end; it may not be read
    PecliError : the system does not let it be read
    """
    check_readable(path)
    try:
        regular = stat.S_ISREG(Path(path).stat().st_mode)
        if regular:
            return Bounded(path)
    except (FileNotFoundError, NotADirectoryError):
        raise UsageError(f"{visible(path)} does not exist") from None
    except (OSError, ValueError) as error:  # the latter for a NUL
        kind = PecliError if isinstance(error, PermissionError) else UsageError
        raise kind(f"{visible(path)} could not be read: {getattr(error, 'strerror', error)}") from None
    raise UsageError(f"{path} is not a regular file")


def fingerprint(path: str) -> str:
    """A short name of a file's content; raises as `opened` does."""
    opened(path).close()
    there = Path(path).stat()
    return _digest(path, there.st_ino, there.st_size, there.st_mtime_ns)


@lru_cache(maxsize=64)
def _digest(path: str, _: int, size: int, changed: int) -> str:
    """The digest of the file as it is now, made once for all the pictures of it."""
    import hashlib

    digest = hashlib.sha256()
    with opened(path) as file:
        for _ in track(range(0, size, MOST), "reading"):
            digest.update(file.read(MOST))
    return digest.hexdigest()[:16]


PICKLES = (".pt", ".pth", ".bin", ".ckpt")
CONVERSION = (  # of a state dict or a single tensor, by torch, which can read its own files without running them
    'import numpy, torch; t = torch.load({source}, map_location="cpu", weights_only=True); '
    't = t if isinstance(t, dict) else {{"table": t}}; '
    "numpy.savez({target}, **{{k: v.detach().float().numpy() for k, v in t.items()}})"
)


def conversion(path: str) -> str:
    """The line for a shell that makes a .npz file of what torch saved."""
    source, target = (json.dumps(one, ensure_ascii=False) for one in (path, str(Path(path).with_suffix(".npz"))))
    return f"python -c {shlex.quote(CONVERSION.format(source=source, target=target))}"


MAPPED = 1 << 26  # bytes from which an array stays in its file until it is looked at
REAL = "fiu"  # numpy's letters for real numbers
USUAL = (  # how the position table is named in released models; a name that ends so
    "wpe.weight",
    "position_embeddings.weight",
    "position_embedding.weight",
    "embed_positions.weight",
    "positions_embed.weight",
    "positional_embedding",
    "pos_embed",
)


class Declared(NamedTuple):
    """Shape and kind (numpy's letter) of an array, what reads it, and whether it stays in its file then."""

    shape: tuple[int, ...]
    kind: str
    load: Callable[[], Array]
    stays: bool = False


def choose(path: str, tensor: str | None, shapes: Mapping[str, tuple[int, ...]]) -> str:
    """The name of the table: as given, else by the usual names, else the only one, or the only one of two dimensions.

    Raises
    ------
    UsageError : no such name, or several that fit
    """
    if tensor is not None:
        fitting = [name for name in shapes if name == tensor] or [name for name in shapes if name.endswith(tensor)]
        if not fitting:
            raise UnknownNameError(f"tensor of {path}", tensor, shapes)
    else:
        fitting = [name for name in shapes if name.endswith(USUAL)] or [n for n in shapes if len(shapes[n]) == 2]
        fitting = fitting or list(shapes)
    if not fitting:
        raise UsageError(f"{path} holds no table")
    if len(fitting) != 1:
        raise UsageError(f"{path} holds {_listed(fitting)}: name the table with {mention('tensor')}")
    return fitting[0]


def _listed(names: Iterable[str]) -> str:
    shown = list(names)
    return ", ".join(shown[:8]) + (f", … {len(shown)} tensors" if len(shown) > 8 else "")


ARRAY_FILES_LONGEST = 10_000  # bytes of a header: numpy reads no longer one of a stranger's
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
    if length > ARRAY_FILES_LONGEST:
        raise TableFileError(f"{what} has a header of {human(length)}, and {ARRAY_FILES_LONGEST:,} bytes are the most")
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

    stays = header.size >= MAPPED
    return Declared(header.shape, header.dtype.kind, load, stays)


def npz(path: str, tensor: str | None) -> Declared:
    """One array of a .npz file."""
    headers = npz_headers(path)
    name = choose(path, tensor, {name: header.shape for name, header in headers.items()})
    with opened(path) as file, archive_of(file) as archive:
        packed_size = archive.getinfo(f"{name}.npy").compress_size
    header = headers[name]
    if header.size > max(MAPPED, SWOLLEN * packed_size):
        raise TableFileError(f"{path}: {name} unpacks from {human(packed_size)} to {human(header.size)}: no table does")

    def load() -> Array:
        with opened(path) as file, archive_of(file) as archive, archive.open(f"{name}.npy") as packed:
            return np.lib.format.read_array(packed, allow_pickle=False)

    return Declared(header.shape, header.dtype.kind, load)


LIKE_A_NUMBER = re.compile(r"[+\-−]?[.,]?\d")
PLAIN = re.compile(r"[0-9.e+-]+|nan|[+-]?inf(inity)?", re.IGNORECASE)  # numpy reads no 1_000 and no other digits
CSV_TABLES_LONGEST = 40  # letters of a cell that a message shows
INDEX = ("", "positions", "position", "pos", "index", "idx")  # names of a column that only counts the rows


def csv(path: str, tensor: str | None) -> Declared:
    """The table of a .csv file, its rows counted and not yet read."""
    if tensor is not None:
        raise UsageError(f"{mention('tensor', tensor)}: a .csv file holds one table without a name")
    with opened(path) as file:
        lines = 1 + sum(piece.count(b"\n") for piece in iter(lambda: file.read(MOST), b""))
    skipped, first = _first_row(path)
    headed = _is_header(path, skipped + 1, first)
    if headed and len(first) == 1 and first[0].lower() in INDEX:
        text = f"{path}: its only column is named as an index, '{first[0]}', and no numbers stand beside it"
        raise TableFileError(f"{text}; give it another name if it is a dimension")

    def load() -> Array:
        table = _rows(path, skipped + headed, len(first))
        if headed and first[0].lower() in INDEX:
            _check_counts(path, first[0], table[:, 0])
            table = table[:, 1:]
        if headed:
            index = f", column '{first[0]}' for the positions" if first[0].lower() in INDEX else ""
            notice(f"{path}: line {skipped + 1} was taken for a header{index}")
        return table

    return Declared((lines, len(first)), "f", load)


@contextmanager
def _text(path: str) -> Iterator[IO[str]]:
    """The file as text; raises TableFileError where it is none."""
    with Path(path).open(encoding="utf-8-sig") as file:
        try:
            yield file
        except UnicodeDecodeError:
            raise TableFileError(f"{path} is not UTF-8 text") from None


def _first_row(path: str) -> tuple[int, list[str]]:
    """How many empty lines stand first, and the cells of the line after them."""
    with _text(path) as file:
        skipped = 0
        while line := file.readline(MOST):
            if len(line) == MOST:
                raise TableFileError(f"{path}, line {skipped + 1} has over {MOST >> 20} MiB: no row of a table does")
            if line.strip():
                return skipped, _cells(line)
            skipped += 1
    raise TableFileError(f"{path} holds no numbers")


def _cells(line: str) -> list[str]:
    return [cell.strip() for cell in line.split(",")]


def _is_number(cell: str) -> bool:
    try:
        float(cell)
    except ValueError:
        return False
    return True


def _is_header(path: str, number: int, cells: Sequence[str]) -> bool:
    """Whether a row holds names: each of them, or the first one those of an index and the others counting columns.

    A cell that begins as a number does is no name: 0x10, 10 %, 1 000 and a minus sign of print are numbers to a reader.
    """
    numbers = [_is_number(cell) for cell in cells]
    named = cells[0].lower() in INDEX and all(numbers[1:])
    if named and (cells[0] or list(cells[1:]) == [str(place) for place in range(len(cells) - 1)]):
        return len(cells) > 1 or bool(cells[0])
    if all(numbers):
        return False
    if not any(numbers):
        like = next((cell for cell in cells if LIKE_A_NUMBER.match(cell)), None)
        if like is not None:
            raise TableFileError(
                f"{path}, line {number}: '{like[:CSV_TABLES_LONGEST]}' is no number, and a name begins with a letter"
            )
        return True
    place = numbers.index(False)
    raise TableFileError(
        f"{path}, line {number}: '{cells[place][:CSV_TABLES_LONGEST]}' in column {place} is no number and "
        f"'{cells[numbers.index(True)][:CSV_TABLES_LONGEST]}' is one: a row takes numbers only, a header names only"
    )


def _rows(path: str, skipped: int, columns: int) -> Array:
    """The numbers behind the first lines."""
    try:
        with _text(path) as file:
            if not any(line.strip() for line in islice(file, skipped, None)):
                raise TableFileError(f"{path} holds no numbers")
            file.seek(0)
            table = np.loadtxt(file, delimiter=",", ndmin=2, skiprows=skipped, comments=None)
    except TableFileError:
        raise
    except ValueError:
        raise TableFileError(f"{path}, {_fault(path, skipped, columns)}") from None
    if table.shape[1] != columns:  # all rows are alike, and the header is not
        raise TableFileError(f"{path}, {_fault(path, skipped, columns)}")
    return table


def _fault(path: str, skipped: int, columns: int) -> str:
    """What is wrong in the first line that is no row of numbers."""
    with _text(path) as file:
        for number, line in _counted(file, skipped):
            cells = _cells(line)
            wrong = [cell for cell in cells if not (_is_number(cell) and PLAIN.fullmatch(cell))]
            if not line.strip():
                return f"line {number} holds nothing but spaces"
            if len(cells) != columns:
                return f"line {number}: {len(cells)} cell{'s' * (len(cells) > 1)} where the first line has {columns}"
            if wrong:
                return f"line {number}: '{wrong[0][:CSV_TABLES_LONGEST]}' is no number" + (
                    "" if wrong[0] else ", a cell is empty"
                )
    return "some line holds no numbers"


def _counted(lines: Iterator[str], skipped: int) -> Iterator[tuple[int, str]]:
    return ((number, line) for number, line in enumerate(lines, 1) if number > skipped and line.rstrip("\r\n"))


def _check_counts(path: str, name: str, column: Array) -> None:
    """Refuses an index that does not rise in equal steps: it may be numbers of the table."""
    steps = np.diff(column)
    uneven = np.flatnonzero((steps <= 0) | (steps != steps[:1]))
    if len(uneven):
        row = int(uneven[0]) + 1
        raise TableFileError(
            f"{path}: column '{name}' is named as an index and does not rise in equal steps: row {row} has "
            f"{column[row]:g} after {column[row - 1]:g}; give it another name if it is a dimension"
        )


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
    stays = kind != "BF16" and prod(shape) * np.dtype(TYPES[kind]).itemsize >= MAPPED
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


__all__ = ["fingerprint", "read_table", "read_vector"]

SMALLER = "take a smaller table"
ROWS = 1 << 20  # numbers looked at together
WHOLE = "iu"  # numpy's letters for whole numbers
EXPONENT = 500  # numbers up to 2**500 have products, and sums of them, in float64, and down to 2**-500

READERS: dict[str, Callable[[str, str | None], Declared]] = {
    ".npy": late("pecli.files.tables:npy"),
    ".npz": late("pecli.files.tables:npz"),
    ".csv": late("pecli.files.tables:csv"),
    ".safetensors": late("pecli.files.tables:safetensors"),
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
    return _whole(path, tensor, 2, _changed(path))


def open_table(path: str, tensor: str | None = None) -> StoredTable:
    """The table in a file, of which a large one is read where it is looked at; takes and raises what `read_table` does.

    What is wrong in a large one is told with the rows that are looked at.
    """
    return StoredTable(path, _read(path, tensor, 2, _changed(path)))


class StoredTable:
    """A table whose rows are read when they are asked for."""

    def __init__(self, path: str, array: Array) -> None:
        self.path, self._array, self._inode = path, array, Path(path).stat().st_ino
        self.shape: tuple[int, int] = array.shape

    def __len__(self) -> int:
        return self.shape[0]

    def __getitem__(self, rows: Array | slice) -> Array:
        """These rows in float64, each number finite and of a size that can be squared; raises TableFileError."""
        if not isinstance(self._array, np.memmap):  # looked at as a whole when it was read
            return self._array[rows]
        numbers = range(len(self))[rows] if isinstance(rows, slice) else rows
        check_memory(self.path, (len(numbers), self.shape[1]), SMALLER)
        if self._is_cut(self._array.offset + self._array.nbytes):  # what is gone ends the process
            raise TableFileError(f"{self.path} has become shorter while it is read: start again when it is whole")
        return _checked(self.path, self._array[rows], numbers)

    def _is_cut(self, size: int) -> bool:
        """Whether the file has become shorter than that; one that has another in its place, or none, stays readable."""
        try:
            now = Path(self.path).stat()
        except OSError:
            return False
        return now.st_ino == self._inode and now.st_size < size


def read_vector(path: str) -> Array:
    """The numbers of a table in one row, shape (n,); the file may hold them without a second dimension."""
    return _whole(path, None, 1, _changed(path)).reshape(-1)


def _changed(path: str) -> int:
    """When the file was last changed; raises UsageError where no table can be."""
    suffix_of(path)
    return Path(path).stat().st_mtime_ns


def suffix_of(path: str) -> str:
    """The ending of a file that is there; raises UsageError for one that is not known, with what would convert it."""
    suffix = Path(path).suffix.lower()
    if suffix not in (*READERS, *PICKLES):
        raise UnknownNameError("kind of table file", suffix or path, READERS, alike=0.8)
    opened(path).close()
    if suffix in PICKLES:
        raise UsageError(f"{path} is torch's, a pickle that could run code: convert it once: {conversion(path)}")
    return suffix


@contextmanager
def damage_named(path: str) -> Iterator[None]:
    """Makes one kind of error of all that can be wrong in a file."""
    try:
        yield
    except (PecliError, MemoryError):
        raise
    except Exception:  # numpy and zipfile have many kinds of damage, and words of their own for them
        raise TableFileError(f"{path} could not be read: it is not a whole {Path(path).suffix.lower()} file") from None


@lru_cache(maxsize=4)
def _read(path: str, tensor: str | None, dimensions: int, changed: int) -> Array:
    """The table in two dimensions, looked at and in float64 where it is not one that stays in its file."""
    with damage_named(path):
        declared = READERS[Path(path).suffix.lower()](path, tensor)
        _check_declared(path, declared, dimensions)
        array = declared.load()
        table = array.reshape((1, *array.shape)[-2:])
        return table if declared.stays else _checked(path, table, range(len(table)))


@lru_cache(maxsize=4)
def _whole(path: str, tensor: str | None, dimensions: int, changed: int) -> Array:
    return StoredTable(path, _read(path, tensor, dimensions, changed))[:]


def _check_declared(path: str, declared: Declared, dimensions: int) -> None:
    """Refuses what is no table before it is read: leading sides of 1 aside two dimensions, not empty, real numbers."""
    shape = declared.shape
    if len(shape) < dimensions or prod(shape[:-2]) != 1 or not prod(shape):
        raise TableFileError(f"{path} holds an array of shape {shape}, not a table of positions × dimensions")
    if declared.kind not in REAL:
        raise TableFileError(f"{path} does not hold real numbers (numpy kind {declared.kind!r})")
    if not declared.stays:
        check_memory(path, shape, SMALLER)


def _checked(path: str, array: Array, rows: Array | range) -> Array:
    """The rows of those numbers in float64, each finite and of a size that can be squared; cannot be written to."""
    table = array.astype(np.float64, copy=False)
    largest = 0.0
    step = max(1, ROWS // table.shape[1])
    for at in range(0, len(table), step):
        if array.dtype.kind in WHOLE and array.dtype.itemsize == table.dtype.itemsize:
            _check_exact(path, array[at : at + step], rows[at : at + step])
        sizes = np.abs(table[at : at + step])
        odd = np.argwhere(~(sizes <= 2.0**EXPONENT))  # NaN is not
        if len(odd):
            raise _refused(path, table, rows, at + int(odd[0][0]), int(odd[0][1]))
        largest = max(largest, float(sizes.max()))
    if 0 < largest < 2.0**-EXPONENT:
        raise TableFileError(
            f"{path} holds no number beyond {largest:g}, and squares of such have no place in float64: "
            "multiply the table by a power of two"
        )
    table.setflags(write=False)
    return table


def _check_exact(path: str, numbers: Array, rows: Array | range) -> None:
    """Refuses whole numbers that float64 would round."""
    beyond = np.argwhere((numbers > EXACT) | (numbers < -EXACT))
    if len(beyond):
        row, column = map(int, beyond[0])
        text = f"{path} holds {numbers[row, column]} in row {int(rows[row])}, column {column}"
        raise TableFileError(f"{text}, and float64 rounds whole numbers beyond 2**53: divide the table, or round it")


def _refused(path: str, table: Array, rows: Array | range, at: int, column: int) -> TableFileError:
    value, row = table[at, column], int(rows[at])
    if np.isfinite(value):
        advice = f"its square has no place in float64: divide the table by a power of two, such as 2**{EXPONENT}"
        return TableFileError(f"{path} holds {value:g} in row {row}, column {column}, and {advice}")
    count = int(np.count_nonzero(~np.isfinite(table)))
    values = "1 value that is" if count == 1 else f"{count} values that are"
    return TableFileError(f"{path} holds {values} not finite, the first in row {row}, column {column}: {value}")


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
