"""Tables of numbers from files that are not trusted: what is declared is checked before memory is taken."""

from __future__ import annotations

import io
import json
import os
import re
import shlex
import stat
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from functools import lru_cache, partial
from glob import glob
from math import prod
from pathlib import Path
from typing import Any
from weakref import WeakValueDictionary

from pecli.core.errors import (
    FileError,
    PecliError,
    TableFileError,
    UnknownNameError,
    UsageError,
    notice,
    option_text,
    path_text,
    shorten,
)
from pecli.core.hub import Opener, is_hub, parse, pin_revision, weight_files
from pecli.core.language import say
from pecli.core.lazy import Array, np
from pecli.core.memory import check_memory, human
from pecli.core.numbers import MAX_EXACT, NUMBER
from pecli.core.readable import check_readable
from pecli.files.writer import STDOUT, spool_stdin

BEGINNINGS = {b"\x93NUMPY": ".npy", b"PK": ".npz"}
GLOB = re.compile(r"[*?\[]")
MAX_BYTES = 1 << 20  # bytes of a job in a file, of a header, and of any single piece that is read
MAX_HASHED = 1 << 34  # bytes of a file that a stranger's picture may have read: shards of weights are smaller


class Bounded(io.FileIO):
    """A file that gives no more than `MOST` bytes at once, whatever its own headers ask for."""

    def read(self, size: int | None = -1, /) -> bytes:
        """At most `size` bytes; raises PecliError for too many."""
        asked = MAX_BYTES + 1 if size is None or size < 0 else size
        data = super().read(min(asked, MAX_BYTES + 1)) or b""
        if len(data) > MAX_BYTES:
            raise PecliError(
                f"{path_text(str(self.name))} has over {MAX_BYTES >> 20} MiB where little is expected: not read"
            )
        return data


class Spooled(str):
    """The file that holds standard input, which messages name so."""

    __slots__ = ()

    def __format__(self, _: str) -> str:
        return "standard input"


def located(path: str) -> str:
    """Return the file of that name; of - one that holds standard input, whose ending its first bytes tell."""
    return Spooled(spool_stdin(_ending)) if path == STDOUT else path


def short(path: str) -> str:
    """Return what a title says of a file: its name, or model and tensor on the hub; of an array its first digits."""
    if path == STDOUT:
        return say("page.standard_input")
    if path.startswith(IN_MEMORY):
        return say("page.array_digits", digits=path.removeprefix(IN_MEMORY)[:6])
    item = parse(path) if is_hub(path) else None
    return ", ".join(filter(None, (item.repo, item.tensor))) if item else Path(path).name


def _ending(head: bytes) -> str:
    if head[5:9] == b"\0\0\0{":  # a header of less than a terabyte, in JSON
        return ".safetensors"
    return next((ending for start, ending in BEGINNINGS.items() if head.startswith(start)), ".csv")


def files_of(paths: Iterable[str], *patterns: str) -> list[str]:
    """Return the files that are named, that a glob matches, and those below a folder that match one of the patterns.

    Raises FileError where there are none.
    """
    found: list[str] = []
    for path in paths:
        if os.path.isdir(path):
            matching = sorted({str(file) for pattern in patterns for file in Path(path).rglob(pattern)})
        elif GLOB.search(path) and not os.path.exists(path):
            matching = sorted(glob(path, recursive=True))
        else:
            matching = [path]
        if not matching:
            text = f"the folder {path} holds no {', '.join(patterns)}" if os.path.isdir(path) else f"no file is {path}"
            raise FileError(text)
        found += matching
    return list(dict.fromkeys(found))


def opened(path: str) -> Bounded:
    """Open a regular file for reading, or standard input.

    Raises
    ------
    FileError : nothing is there, or no regular file: a FIFO or a device might never end; the system refuses
    UsageError : it may not be read here
    """
    if not isinstance(path, Spooled):
        check_readable(path)
    path = located(path)
    try:
        if stat.S_ISREG(Path(path).stat().st_mode):
            return Bounded(path)
    except (FileNotFoundError, NotADirectoryError):
        raise FileError(f"{path_text(path)} does not exist") from None
    except (OSError, ValueError) as error:  # the latter for a NUL
        raise FileError(f"{path_text(path)} could not be read: {getattr(error, 'strerror', error)}") from None
    raise FileError(f"{path} is not a regular file")


def fingerprint(path: str) -> str:
    """Return a short digest of a file's content, or an array's; raises as `opened` does."""
    if path.startswith(IN_MEMORY):
        return path.removeprefix(IN_MEMORY)
    if is_hub(path):
        return (parse(path).revision or "")[:16]
    path = located(path)
    opened(path).close()
    status = Path(path).stat()
    return _digest(path, status.st_size, status.st_ino, status.st_mtime_ns)


def has_digest(path: str, digests: Collection[str]) -> bool:
    """Return whether a regular file has one of these digests; none that is too large or cannot be read has."""
    if not os.path.isfile(path) or (status := Path(path).stat()).st_size > MAX_HASHED:
        return False
    with suppress(OSError):
        return _digest(path, status.st_size, status.st_ino, status.st_mtime_ns) in digests
    return False


@lru_cache(maxsize=64)
def _digest(path: str, size: int, *version: int) -> str:
    """Return the digest of one version of the file, made once for all pictures of it; some of /proc never end."""
    import hashlib

    hashed, left = hashlib.sha256(), size
    with Path(path).open("rb") as file:
        while data := file.read(min(left, MAX_BYTES)):
            hashed.update(data)
            left -= len(data)
    return hashed.hexdigest()[:16]


MAX_UNPACKED = 1 << 26  # bytes that an archive of any size may unpack to
HEADER = 1 << 14  # bytes that hold a header of numpy's, of which it reads 10,000
MAX_RATIO = 100  # no archive of weights is compressed further
REAL = "fiu"  # numpy's letters for real numbers
TABLE_NAMES = (  # how the names of position tables in released models end
    "wpe.weight",
    "position_embeddings.weight",
    "position_embedding.weight",
    "embed_positions.weight",
    "positions_embed.weight",
    "positional_embedding",
    "pos_embed",
    "pos_embedding",
    ".pe",  # PyTorch's tutorial, a buffer of shape (n, 1, d)
)


@dataclass(frozen=True)
class StoredArray:
    """An array in a file, as the file declares it; raises ValueError for a shape that no array has.

    numbers : their type in the words of the format
    read : returns the numbers
    readable : whether they are real numbers of a type that is read
    """

    shape: tuple[int, ...]
    numbers: str
    read: Callable[[], Array]
    readable: bool = True

    def __post_init__(self) -> None:
        if not all(type(side) is int and side >= 0 for side in self.shape) or prod(self.shape) >= 2**63:
            raise ValueError(f"{self.shape} is no shape")


def _npy_arrays(path: str) -> dict[str, StoredArray]:
    """Return the only array of a .npy file."""
    array = np.lib.format.open_memmap(path, mode="r")
    return {"": StoredArray(array.shape, array.dtype.name, lambda: np.array(array), array.dtype.kind in REAL)}


def _npz_arrays(path: str) -> dict[str, StoredArray]:
    """Return the arrays of a .npz file."""
    from zipfile import ZipFile  # late: --help and completion do without

    arrays = {}
    with opened(path) as file, ZipFile(file) as archive:
        for member in archive.infolist():
            name, _, ending = member.filename.rpartition(".")
            if ending == "npy":
                with archive.open(member) as packed:
                    shape, dtype = _npy_header(packed.read(HEADER))
                read = partial(_unpacked, path, name, prod(shape) * dtype.itemsize, member.compress_size)
                arrays[name] = StoredArray(shape, dtype.name, read, dtype.kind in REAL)
    return arrays


def _unpacked(path: str, name: str, size: int, packed_size: int) -> Array:
    """Return an array of an archive; raises TableFileError for one that would fill memory out of little."""
    if size > max(MAX_UNPACKED, MAX_RATIO * packed_size):
        raise TableFileError(f"{path}: {name} unpacks from {human(packed_size)} to {human(size)}: no table does")
    with np.load(path, allow_pickle=False) as arrays:
        array: Array = arrays[name]
        return array


def _npy_header(head: bytes) -> tuple[tuple[int, ...], Any]:
    """Return shape and dtype of an array in numpy's format; numpy raises ValueError for a header that is too long."""
    file = io.BytesIO(head)
    first = np.lib.format.read_magic(file) == (1, 0)
    read = np.lib.format.read_array_header_1_0 if first else np.lib.format.read_array_header_2_0
    shape, _, dtype = read(file)
    return tuple(shape), dtype


TYPES = {"F64": "<f8", "F32": "<f4", "F16": "<f2", "I64": "<i8", "I32": "<i4", "I16": "<i2", "I8": "<i1"}
TYPES["BF16"] = "<u2"  # the upper half of a float32
MAX_JSON = 100_000_000  # bytes of a header, by the format's own definition


def _safetensors_arrays(path: str, opener: Opener | None = None) -> dict[str, StoredArray]:
    """Return the tensors of a .safetensors file: 8 bytes with the length of a JSON header, the header, the numbers.

    opener : opens it where it is no file of this disk
    """
    with opener() if opener else Path(path).open("rb") as file:
        length = int.from_bytes(file.read(8), "little")
        header = json.loads(file.read(min(length, MAX_JSON)))
    arrays = {}
    for name, tensor in header.items():
        if name != "__metadata__":
            shape, kind, (begin, end) = tuple(tensor["shape"]), str(tensor["dtype"]), tensor["data_offsets"]
            read = partial(_tensor, path, kind, 8 + length + begin, shape, opener)
            arrays[name] = StoredArray(shape, kind, read, kind in TYPES)
            if begin < 0 or (kind in TYPES and end - begin != prod(shape) * np.dtype(TYPES[kind]).itemsize):
                raise ValueError(f"{name} has {end - begin} bytes")
    return arrays


def _tensor(path: str, kind: str, offset: int, shape: tuple[int, ...], opener: Opener | None) -> Array:
    if opener is None:
        numbers: Array = np.memmap(path, TYPES[kind], "r", offset, shape)
    else:
        with opener() as file:
            file.seek(offset)
            numbers = np.frombuffer(file.read(prod(shape) * np.dtype(TYPES[kind]).itemsize), TYPES[kind]).reshape(shape)
    if kind == "BF16":
        return (numbers.astype(np.uint32) << 16).view(np.float32)
    return np.array(numbers)


CELL = re.compile(rf"{NUMBER}|[+-]?(nan|inf(inity)?)", re.IGNORECASE | re.ASCII)
INDEX = ("", "positions", "position", "pos", "index", "idx")  # names of a column that only counts the rows


def _csv_rows(path: str) -> Iterator[tuple[int, list[str]]]:
    """Yield number and cells of every line that is not blank."""
    try:
        with Path(path).open(encoding="utf-8-sig") as file:
            for number, line in enumerate(file, 1):
                if line.strip():
                    yield number, [cell.strip() for cell in line.split(",")]
    except UnicodeDecodeError:
        raise TableFileError(f"{path} is not UTF-8 text") from None


def _csv_arrays(path: str) -> dict[str, StoredArray]:
    """Return the table of a .csv file without its header and its column of positions, the rows counted only."""
    lines = _csv_rows(path)
    first, cells = next(lines, (0, [""]))
    header = cells[0].lower() in INDEX or not any(map(CELL.fullmatch, cells))
    index = header and len(cells) > 1 and cells[0].lower() in INDEX
    n_rows = sum(1 for _ in lines) + (not header)
    if not (first and n_rows):
        raise TableFileError(f"{path} holds no numbers")

    def read() -> Array:
        begin = first + 1 if header else first
        table = np.stack([_numbers(path, at, row, len(cells)) for at, row in _csv_rows(path) if at >= begin])
        if header:
            column = f", column '{cells[0]}' for the positions" if index else ""
            notice(f"{path}: line {first} was taken for a header{column}")
        return table[:, index:]

    return {"": StoredArray((n_rows, len(cells) - index), "text", read)}


def _numbers(path: str, line: int, cells: list[str], columns: int) -> Array:
    """Return the numbers of a line; raises TableFileError for another count of cells, and for what is no number."""
    if len(cells) != columns:
        text = f"{len(cells)} cell{'s' * (len(cells) > 1)} where the first line has {columns}"
        raise TableFileError(f"{path}, line {line}: {text}")
    wrong = next((cell for cell in cells if not CELL.fullmatch(cell)), None)
    if wrong is not None:
        text = f"{path}, line {line}: '{wrong and shorten(wrong)}' is no number{'' if wrong else ', a cell is empty'}"
        piped = isinstance(path, Spooled)
        raise TableFileError(text, advice="pecli table writes numbers with -o - --format csv" if piped else "")
    return np.array(cells, dtype=np.float64)


READERS: dict[str, Callable[[str], dict[str, StoredArray]]] = {
    ".npy": _npy_arrays,
    ".npz": _npz_arrays,
    ".csv": _csv_arrays,
    ".safetensors": _safetensors_arrays,
}
PICKLES = (".pt", ".pth", ".bin", ".ckpt")
CONVERSION = (  # of a state dict or a single tensor, by torch, which can read its own files without running them
    'import numpy, torch; t = torch.load({source}, map_location="cpu", weights_only=True); '
    't = t if isinstance(t, dict) else {{"table": t}}; '
    "numpy.savez({target}, **{{k: v.detach().float().numpy() for k, v in t.items()}})"
)


def stored_arrays(path: str, endings: Collection[str] = ()) -> dict[str, StoredArray]:
    """Return the arrays in a file by name; the only one of a file without names has the empty one.

    endings : of a model on the hub only the files are looked at that have a tensor whose name ends so, where one has

    Raises
    ------
    FileError : no such file, or an ending that is not known, with what would convert it; the file is damaged
    """
    if is_hub(path):
        with _damage_named(path):
            openers = weight_files(path, endings)
            return {name: item for each in openers for name, item in _safetensors_arrays(path, each).items()}
    path = located(path)
    suffix = Path(path).suffix.lower()
    if suffix not in (*READERS, *PICKLES):
        raise TableFileError(UnknownNameError("kind of table file", suffix or path, READERS, alike=0.8).text)
    opened(path).close()
    if suffix in PICKLES:
        source, target = (json.dumps(item, ensure_ascii=False) for item in (path, str(Path(path).with_suffix(".npz"))))
        line = f"python -c {shlex.quote(CONVERSION.format(source=source, target=target))}"
        raise TableFileError(f"{path} is torch's, a pickle that could run code: convert it once: {line}")
    with _damage_named(path):
        return READERS[suffix](path)


@contextmanager
def _damage_named(path: str) -> Iterator[None]:
    """Make one kind of error of all that can be wrong in a file: numpy, zipfile and json have many."""
    try:
        yield
    except (PecliError, MemoryError):
        raise
    except Exception:
        raise TableFileError(f"{path} could not be read: it is not a whole {Path(path).suffix.lower()} file") from None


def choose(path: str, tensor: str | None, arrays: Mapping[str, StoredArray]) -> str:
    """Return the name of the table: as given, else a usual one, else the only one, or the only one of two dimensions.

    Raises UsageError where no name fits, or several do; TableFileError where there is none.
    """
    fitting = candidates(arrays)
    if tensor is not None:
        if list(arrays) == [""]:
            suffix = Path(path).suffix.lower()
            raise UsageError(f"{option_text('tensor', tensor)}: a {suffix} file holds one table without a name")
        fitting = [name for name in arrays if name == tensor] or [name for name in arrays if name.endswith(tensor)]
        if not fitting:
            raise UnknownNameError(f"tensor of {path}", tensor, arrays)
    if not fitting:
        raise TableFileError(f"{path} holds no table")
    if len(fitting) > 1:
        names = ", ".join(fitting[:8]) + (f", … {len(fitting)} tensors" if len(fitting) > 8 else "")
        advice = f"name one, as in {path}#{fitting[0]}" if is_hub(path) else "name the table with --tensor"
        raise UsageError(f"{path} holds {names}: {advice}")
    return fitting[0]


def candidates(arrays: Mapping[str, StoredArray]) -> list[str]:
    """Return the names of what may be the table: by the usual names, else of two dimensions, else all."""
    fitting = [name for name in arrays if name.endswith(TABLE_NAMES)]
    return fitting or [name for name, array in arrays.items() if is_table(array.shape)] or list(arrays)


def is_table(shape: Sequence[int]) -> bool:
    """Return whether numbers of that shape are rows of one axis: (n, d), also with axes of one, as in (1, n, d)."""
    return len(shape) >= 2 and len(_cells(shape[:-1])) <= 1


def _cells(sides: Sequence[int]) -> tuple[int, ...]:
    """Return the sides but those of one."""
    return tuple(side for side in sides if side != 1)


def table_name(path: str, arrays: Mapping[str, StoredArray]) -> str | None:
    """Return the name of the array that is taken for the table where none is named; None where none can be."""
    try:
        name = choose(path, None, arrays)
    except PecliError:
        return None
    array = arrays[name]
    return name if array.readable and is_table(array.shape) else None


def read_table(
    path: str, tensor: str | None = None, dimensions: int = 2, sides: tuple[int, ...] | None = None
) -> Array:
    """Return the table in a .npy, .npz, .csv or .safetensors file, shape (length, d), float64, finite.

    tensor : the table's name in the file, or how it ends; needed only where the usual names do not tell
    dimensions : the fewest that the array must have
    sides : of the grid whose cells the rows are, () of none: the array may have its axes, as in (14, 14, d)

    Raises
    ------
    UsageError : a name that is not in the file
    FileError : no such file, an ending that is not known; it is damaged or holds no real, finite, two-dimensional table
    """
    if path.startswith(IN_MEMORY):
        if (held := _held.get(path)) is None:
            advice = "save it there with numpy.save('table.npy', array), and give --file=table.npy"
            raise UsageError(f"{path} {NO_TEXT}", option="file", value=path, advice=advice)
        check_shape("the array", held.shape, dimensions, sides)
        return held if held.ndim == 2 else held.reshape(-1, held.shape[-1])
    if is_hub(path):
        path = pin_revision(path)
        return _read(path, tensor or parse(path).tensor, dimensions, sides, 0)
    opened(path).close()
    path = located(path)
    return _read(path, tensor, dimensions, sides, Path(path).stat().st_mtime_ns)


IN_MEMORY = "array:"  # begins the name of an array of Python's; a digest of its numbers follows
NO_TEXT = "is an array that a Python session had in memory: no file and no text has its numbers"
_held: WeakValueDictionary[str, Array] = WeakValueDictionary()  # while a HeldSpec or an encoding has them


class HeldSpec(str):
    """A text that names an array, which is there as long as this text, or the encoding that was made of it."""

    table: Array


def hold(array: Any, spec: str) -> HeldSpec:
    """Return the text of an array, with its name in the blank: the same for the same numbers, whatever type they have.

    array : of numpy, or whatever has ``__array__``; raises as `read_table` does of a file
    """
    import hashlib

    try:
        numbers = np.asarray(array.detach() if hasattr(array, "detach") else array).copy()  # torch's without gradient
    except Exception as error:  # every library has its own
        raise UsageError(f"the array could not be read as numpy's: {error}") from None
    stored = StoredArray(numbers.shape, numbers.dtype.name, lambda: numbers, numbers.dtype.kind in REAL)
    cells = _cells(stored.shape[:-1])
    table = _table_in("the array", stored, 2, cells)
    if len(cells) > 1:  # of a grid, which is to be given too
        table = np.array(table.reshape(*cells, -1))
        table.setflags(write=False)
    name = IN_MEMORY + hashlib.sha256(repr(table.shape).encode() + table.tobytes()).hexdigest()[:16]
    held = HeldSpec(spec.format(name))
    held.table = _held.setdefault(name, table)
    return held


@lru_cache(maxsize=4)
def _read(path: str, tensor: str | None, dimensions: int, sides: tuple[int, ...] | None, changed: int) -> Array:
    """Return the array with leading sides of 1 dropped, checked, in float64."""
    arrays = stored_arrays(path, (tensor,) if tensor else TABLE_NAMES)
    return _table_in(path, arrays[choose(path, tensor, arrays)], dimensions, sides)


def check_shape(path: str, shape: tuple[int, ...], dimensions: int, sides: tuple[int, ...] | None) -> None:
    """Refuse numbers of a shape that is no table, nor the grid whose cells the rows are (TableFileError)."""
    cells = _cells(shape[:-1])
    if len(shape) < dimensions or (len(cells) > 1 and cells != _cells(sides or ())) or not prod(shape):
        text = f"{path} holds numbers of shape {shape}, not a table of positions × dimensions"
        grid = "" if sides is None or len(cells) not in (2, 3) else option_text("grid", "x".join(map(str, cells)))
        raise TableFileError(f"{text}: its cells are those of {grid}" if grid else text)


def _table_in(path: str, chosen: StoredArray, dimensions: int, sides: tuple[int, ...] | None = None) -> Array:
    shape = chosen.shape
    check_shape(path, shape, dimensions, sides)
    if not chosen.readable:
        raise TableFileError(f"{path} does not hold real numbers of a type that is read: {chosen.numbers}")
    check_memory(path, shape, "take a smaller table")
    with _damage_named(path):
        array = chosen.read()
    table = array.reshape(-1, shape[-1]).astype(np.float64, copy=False)
    largest = float(max(-table.min(), table.max()))
    if not largest <= MAX_EXACT:
        finite = bool(np.isfinite(table).all())
        bad = np.argwhere(np.abs(table) > MAX_EXACT if finite else ~np.isfinite(table))
        row, column = map(int, bad[0])
        values = "1 value that is" if len(bad) == 1 else f"{len(bad)} values that are"
        kind = f"beyond ±{MAX_EXACT:.0e}" if finite else "not finite"
        place = f"the first in row {row}, column {column}: {table[row, column]}"
        raise TableFileError(f"{path} holds {values} {kind}, {place}")
    if 0 < largest < 1 / MAX_EXACT:
        least = f"{1 / MAX_EXACT:.0e}"
        raise TableFileError(f"{path}: the largest number is {largest:.3g} in size, and {least} is the least allowed")
    table.setflags(write=False)
    return table
