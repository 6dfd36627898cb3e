"""Tables of numbers from untrusted files: declared sizes are checked before memory is allocated."""

from __future__ import annotations

import io
import json
import os
import re
import shlex
import stat
import warnings
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
    reason_of,
    shorten,
)
from pecli.core.hub import Opener, is_hub, parse_hub_path, pin_revision, weight_files
from pecli.core.language import say
from pecli.core.lazy import Array, np
from pecli.core.memory import check_memory, format_bytes
from pecli.core.numbers import MAX_EXACT, NUMBER
from pecli.core.readable import check_readable
from pecli.files.writer import STDOUT, spool_stdin

MAGIC_NUMBERS = {b"\x93NUMPY": ".npy", b"PK": ".npz"}
GLOB = re.compile(r"[*?\[]")
MAX_BYTES = 1 << 20  # bytes of one read, of a header, and of a job in a file
MAX_HASHED = 1 << 34  # largest file hashed because a stranger's picture names it, bytes; files of weights are smaller


class BoundedFile(io.FileIO):
    """A file that returns at most MAX_BYTES per read, whatever its headers claim."""

    def read(self, size: int | None = -1, /) -> bytes:
        """Return at most `size` bytes. Raises PecliError if more than MAX_BYTES would be returned."""
        asked = MAX_BYTES + 1 if size is None or size < 0 else size
        data = super().read(min(asked, MAX_BYTES + 1)) or b""
        if len(data) > MAX_BYTES:
            raise PecliError(
                f"{path_text(str(self.name))} is not read: a part that should be small is over {MAX_BYTES >> 20} MiB"
            )
        return data


class StdinFile(str):
    """The path of a copy of standard input; messages show it as "standard input"."""

    __slots__ = ()

    def __format__(self, _: str) -> str:
        return "standard input"


def local_path(path: str) -> str:
    """Return the path of a file; ``-`` is replaced by a copy of standard input, with the extension of its content."""
    return StdinFile(spool_stdin(_ending)) if path == STDOUT else path


def file_label(path: str) -> str:
    """Return a file's name for titles: only model and tensor of a hub reference, only a few digits of a digest."""
    if path == STDOUT:
        return say("page.standard_input")
    if path.startswith(IN_MEMORY):
        return say("page.array_digits", digits=path.removeprefix(IN_MEMORY)[:6])
    item = parse_hub_path(path) if is_hub(path) else None
    return ", ".join(filter(None, (item.repo, item.tensor))) if item else Path(path).name


def _ending(head: bytes) -> str:
    if head[5:9] == b"\0\0\0{":  # a JSON header of less than a terabyte
        return ".safetensors"
    return next((ending for start, ending in MAGIC_NUMBERS.items() if head.startswith(start)), ".csv")


def expand_paths(paths: Iterable[str], *patterns: str) -> list[str]:
    """Return the files named by paths, globs and folders; in a folder, those that match one of the patterns.

    Raises FileError if a path matches nothing.
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
            folder = os.path.isdir(path)
            raise FileError(f"the folder {path} has no {', '.join(patterns)}" if folder else f"no files match {path}")
        found += matching
    return list(dict.fromkeys(found))


def open_file(path: str) -> BoundedFile:
    """Open a regular file, or standard input, for reading.

    Raises
    ------
    FileError : the file does not exist, cannot be read, or is not regular (a FIFO or a device might never end)
    UsageError : the file may not be read
    """
    if not isinstance(path, StdinFile):
        check_readable(path)
    path = local_path(path)
    try:
        if stat.S_ISREG(Path(path).stat().st_mode):
            return BoundedFile(path)
    except (FileNotFoundError, NotADirectoryError):
        raise FileError(f"{path_text(path)} does not exist") from None
    except (OSError, ValueError) as error:  # ValueError: the path contains NUL
        raise FileError(f"{path_text(path)} could not be read: {reason_of(error)}") from None
    raise FileError(f"{path} is not a regular file")


def fingerprint(path: str) -> str:
    """Return a short digest of a file's content or an array's numbers. Raises the same errors as `open_file`."""
    if path.startswith(IN_MEMORY):
        return path.removeprefix(IN_MEMORY)
    if is_hub(path):
        return (parse_hub_path(path).revision or "")[:16]
    path = local_path(path)
    open_file(path).close()
    status = Path(path).stat()
    return _digest(path, status.st_size, status.st_ino, status.st_mtime_ns)


def has_digest(path: str, digests: Collection[str]) -> bool:
    """Return True if a regular file has one of these digests; False if it is too large or cannot be read."""
    if not os.path.isfile(path) or (status := Path(path).stat()).st_size > MAX_HASHED:
        return False
    with suppress(OSError):
        return _digest(path, status.st_size, status.st_ino, status.st_mtime_ns) in digests
    return False


@lru_cache(maxsize=64)
def _digest(path: str, size: int, *version: int) -> str:
    """Return the digest of a file's first `size` bytes, because files in /proc may never end; cached by `version`."""
    import hashlib

    hashed, left = hashlib.sha256(), size
    with Path(path).open("rb") as file:
        while data := file.read(min(left, MAX_BYTES)):
            hashed.update(data)
            left -= len(data)
    return hashed.hexdigest()[:16]


MAX_UNPACKED = 1 << 26  # most bytes that any archive may unpack to
HEADER_BYTES = 1 << 14  # bytes read for a header; numpy accepts at most 10,000
MAX_RATIO = 100  # largest ratio of unpacked to packed bytes; weights do not compress further
REAL_KINDS = "fiu"  # numpy's codes for real types
TABLE_NAMES = (  # ends of the names of position tables in released models
    "wpe.weight",
    "position_embeddings.weight",
    "position_embeddings",  # ViT, DeiT, BEiT, DINOv2
    "position_embedding.weight",
    "position_embedding",
    "embed_positions.weight",
    "positions_embed.weight",
    "positional_embedding.weight",
    "positional_embedding",
    "pos_embed.weight",
    "pos_embed",
    "pos_embedding.weight",
    "pos_embedding",
    "pos_emb.weight",
    "pos_emb",
    ".pe",  # PyTorch's tutorial, a buffer of shape (n, 1, d)
)
WORD_NAMES = ("embed_tokens.weight", "wte.weight", "word_embeddings.weight", "tok_embeddings.weight")  # word embeddings


@dataclass(frozen=True)
class StoredArray:
    """An array as its file declares it. Raises ValueError for an invalid shape.

    numbers : name of the number type in that format
    read : returns the array
    readable : whether the type is a supported real type
    """

    shape: tuple[int, ...]
    numbers: str
    read: Callable[[], Array]
    readable: bool = True

    def __post_init__(self) -> None:
        if not all(type(side) is int and side >= 0 for side in self.shape) or prod(self.shape) >= 2**63:
            raise ValueError(f"{self.shape} is not a valid shape")


def _npy_arrays(path: str) -> dict[str, StoredArray]:
    """Return the only array of a .npy file."""
    with Path(path).open("rb") as file:
        dtype = _npy_header(file.read(HEADER_BYTES))[1]
    if dtype.hasobject:
        raise TableFileError(
            f"{path} contains Python objects, not numbers: save numpy.array(table, dtype=float) instead"
        )
    with quiet_parsing():
        array = np.lib.format.open_memmap(path, mode="r")
    return {"": StoredArray(array.shape, array.dtype.name, lambda: np.array(array), array.dtype.kind in REAL_KINDS)}


@contextmanager
def quiet_parsing() -> Iterator[None]:
    """Silence warnings inside the block: numpy parses a .npy header as a Python literal, which can cause some."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        yield


def _npz_arrays(path: str) -> dict[str, StoredArray]:
    """Return the arrays of a .npz file."""
    from zipfile import ZipFile  # imported late: --help and completion do not need it

    arrays = {}
    with open_file(path) as file, ZipFile(file) as archive:
        for member in archive.infolist():
            name, _, ending = member.filename.rpartition(".")
            if ending == "npy":
                with archive.open(member) as packed:
                    shape, dtype = _npy_header(packed.read(HEADER_BYTES))
                read = partial(_unpacked, path, name, prod(shape) * dtype.itemsize, member.compress_size)
                arrays[name] = StoredArray(shape, dtype.name, read, dtype.kind in REAL_KINDS)
    return arrays


def _unpacked(path: str, name: str, size: int, packed_size: int) -> Array:
    """Return an array from an archive. Raises TableFileError if it would unpack to suspiciously many bytes."""
    if size > max(MAX_UNPACKED, MAX_RATIO * packed_size):
        raise TableFileError(
            f"{path}: {name} unpacks from {format_bytes(packed_size)} to {format_bytes(size)}: too much for a table"
        )
    with np.load(path, allow_pickle=False) as arrays:
        array: Array = arrays[name]
        return array


def _npy_header(head: bytes) -> tuple[tuple[int, ...], Any]:
    """Return shape and dtype from a .npy header; numpy raises ValueError if it is too long."""
    file = io.BytesIO(head)
    first = np.lib.format.read_magic(file) == (1, 0)
    read = np.lib.format.read_array_header_1_0 if first else np.lib.format.read_array_header_2_0
    with quiet_parsing():
        shape, _, dtype = read(file)
    return tuple(shape), dtype


TYPES = {"F64": "<f8", "F32": "<f4", "F16": "<f2", "I64": "<i8", "I32": "<i4", "I16": "<i2", "I8": "<i1"}
TYPES["BF16"] = "<u2"  # the upper half of a float32
MAX_JSON = 100_000_000  # most bytes of a header, as the format itself defines


def _safetensors_arrays(path: str, opener: Opener | None = None) -> dict[str, StoredArray]:
    """Return the tensors of a .safetensors file: 8 bytes with the length of a JSON header, the header, the numbers.

    opener : opens the file if it is not local
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
                raise ValueError(name)
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
DECIMAL_COMMA = re.compile(r"^([+-]?\d*),(\d+(?:[eE][+-]?\d+)?)$")
INDEX_NAMES = ("", "positions", "position", "pos", "index", "idx")  # names of a column of row numbers


def _csv_rows(path: str) -> Iterator[tuple[int, list[str]]]:
    """Yield line number and cells of every line that is not blank.

    Cells are separated by semicolons, tabs or commas: the first of these that the first line has. With semicolons or
    tabs, a comma is the decimal sign.
    """
    separator = ""
    try:
        with Path(path).open(encoding="utf-8-sig") as file:
            for number, line in enumerate(file, 1):
                if line.strip():
                    separator = separator or next((sign for sign in ";\t" if sign in line.strip("\r\n")), ",")
                    cells = [cell.strip() for cell in line.rstrip("\r\n").split(separator)]
                    yield number, cells if separator == "," else [DECIMAL_COMMA.sub(r"\1.\2", cell) for cell in cells]
    except UnicodeDecodeError:
        raise TableFileError(f"{path} is not UTF-8 text") from None


def _csv_arrays(path: str) -> dict[str, StoredArray]:
    """Return the table of a .csv file without header and index column; its rows are only counted here."""
    lines = _csv_rows(path)
    first, cells = next(lines, (0, [""]))
    header = cells[0].lower() in INDEX_NAMES or not any(map(CELL.fullmatch, cells))
    index = header and len(cells) > 1 and cells[0].lower() in INDEX_NAMES
    row = next(lines, None) if header else (first, cells)
    if not first or row is None:
        raise TableFileError(f"{path} has no numbers")
    _numbers(path, *row, len(cells))  # raises if they are not numbers; the other lines are read later
    n_rows = 1 + sum(1 for _ in lines)

    def read() -> Array:
        begin = first + 1 if header else first
        table = np.stack([_numbers(path, at, row, len(cells)) for at, row in _csv_rows(path) if at >= begin])
        if header:
            column = f" and column '{cells[0]}' as positions" if index else ""
            notice(f"{path}: line {first} was read as a header{column}")
        return table[:, index:]

    return {"": StoredArray((n_rows, len(cells) - index), "text", read)}


def _numbers(path: str, line: int, cells: list[str], columns: int) -> Array:
    """Return the numbers of a line. Raises TableFileError if the number of cells is wrong or a cell is not a number."""
    if len(cells) != columns:
        text = f"{len(cells)} cell{'s' * (len(cells) > 1)}, but the first line has {columns}"
        raise TableFileError(f"{path}, line {line}: {text}")
    wrong = next((cell for cell in cells if not CELL.fullmatch(cell)), None)
    if wrong is not None:
        text = f"{path}, line {line}: '{wrong and shorten(wrong)}' is not a number{'' if wrong else ' (empty)'}"
        piped = isinstance(path, StdinFile)
        raise TableFileError(text, advice="pecli table writes numbers with -o - --format csv" if piped else "")
    return np.array(cells, dtype=np.float64)


TABLE_READERS: dict[str, Callable[[str], dict[str, StoredArray]]] = {
    ".npy": _npy_arrays,
    ".npz": _npz_arrays,
    ".csv": _csv_arrays,
    ".safetensors": _safetensors_arrays,
}
CONFIG_ENDINGS = (".json", ".gguf", ".yaml", ".yml")
CONFIG_ADVICE = "a config has no table; try pecli model {path}"
PICKLES = (".pt", ".pth", ".bin", ".ckpt")
CONVERSION = (  # command that converts a state dict or tensor; torch can load these files without running their code
    'import numpy, torch; t = torch.load({source}, map_location="cpu", weights_only=True); '
    't = t if isinstance(t, dict) else {{"table": t}}; '
    "real = lambda v: torch.view_as_real(v) if v.is_complex() else v; "
    "numpy.savez({target}, **{{k: real(v.detach()).float().numpy() for k, v in t.items()}})"
)


def arrays_in_file(path: str, endings: Collection[str] = ()) -> dict[str, StoredArray]:
    """Return the arrays in a file by name; in a file without names the only array has the name "".

    endings : for a model on the hub, read only files with a tensor whose name ends in one of these, unless no file has
        one

    Raises
    ------
    FileError : the file does not exist, is damaged, or has an unknown extension; the message says how to convert it
    """
    if is_hub(path):
        with _report_damage(path):
            openers = weight_files(path, endings)
            return {name: item for each in openers for name, item in _safetensors_arrays(path, each).items()}
    path = local_path(path)
    suffix = Path(path).suffix.lower()
    if suffix not in (*TABLE_READERS, *PICKLES):
        error = UnknownNameError("kind of table file", suffix or path, TABLE_READERS, alike=0.8)
        raise TableFileError(error.text, advice=CONFIG_ADVICE.format(path=path) if suffix in CONFIG_ENDINGS else "")
    open_file(path).close()
    if suffix in PICKLES:
        source, target = (json.dumps(item, ensure_ascii=False) for item in (path, str(Path(path).with_suffix(".npz"))))
        line = f"python -c {shlex.quote(CONVERSION.format(source=source, target=target))}"
        raise TableFileError(f"{path} is a PyTorch pickle, which could run code. Convert it with this command: {line}")
    with _report_damage(path):
        return TABLE_READERS[suffix](path)


@contextmanager
def _report_damage(path: str) -> Iterator[None]:
    """Raise any error of numpy, zipfile or json inside the block as a TableFileError."""
    try:
        yield
    except (PecliError, MemoryError):
        raise
    except Exception:
        raise TableFileError(
            f"{path} could not be read: it is not a complete {Path(path).suffix.lower()} file"
        ) from None


def choose_table(path: str, tensor: str | None, arrays: Mapping[str, StoredArray]) -> str:
    """Return the name of the array that is the table: `tensor` if it is given, otherwise a name in TABLE_NAMES.

    If no array has such a name, it is the only array, or the only 2-D array if there are several.

    Raises UsageError if no name or several names fit, TableFileError if the file has no table.
    """
    fitting = candidates(arrays)
    if tensor is not None:
        if list(arrays) == [""]:
            suffix = Path(path).suffix.lower()
            text = f"{option_text('tensor', tensor)}: a {suffix} file has only one table, without a name"
            raise UsageError(text, option="tensor", value=tensor)
        fitting = [name for name in arrays if name == tensor] or [name for name in arrays if name.endswith(tensor)]
        if not fitting:
            raise UnknownNameError(f"tensor in {path}:", tensor, arrays, option="tensor")
    if not fitting:
        raise TableFileError(f"{path} contains no table")
    if len(fitting) > 1:
        names = ", ".join(fitting[:8]) + (f", … {len(fitting)} tensors" if len(fitting) > 8 else "")
        advice = f"name one, as in {path}#{fitting[0]}" if is_hub(path) else "name the table with --tensor"
        raise UsageError(f"{path} has several arrays, {names}: {advice}")
    return fitting[0]


def candidates(arrays: Mapping[str, StoredArray]) -> list[str]:
    """Return the names of arrays that may be the table.

    These are the arrays with usual names; if there are none, 2-D arrays; if there are none, all arrays. Word embeddings
    are left out.
    """
    named = [name for name in arrays if name.endswith(TABLE_NAMES)]
    fitting = [name for name in named if is_table(arrays[name].shape)] or named
    others = {name: array for name, array in arrays.items() if not name.endswith(WORD_NAMES)}
    return fitting or [name for name, array in others.items() if is_table(array.shape)] or list(others)


def is_table(shape: Sequence[int]) -> bool:
    """Return True if the shape is that of a table, (n, d), also with axes of length 1, as in (1, n, d)."""
    return len(shape) >= 2 and len(_cells(shape[:-1])) <= 1


def _cells(sides: Sequence[int]) -> tuple[int, ...]:
    """Return the sides that are not 1."""
    return tuple(side for side in sides if side != 1)


def table_name(path: str, arrays: Mapping[str, StoredArray]) -> str | None:
    """Return the name of the array that is read as the table by default; None if there is no such array."""
    try:
        name = choose_table(path, None, arrays)
    except PecliError:
        return None
    array = arrays[name]
    return name if array.readable and is_table(array.shape) else None


def read_table(
    path: str, tensor: str | None = None, dimensions: int = 2, sides: tuple[int, ...] | None = None
) -> Array:
    """Return the table in a .npy, .npz, .csv or .safetensors file, shape (length, d), float64, finite.

    tensor : name of the table in the file, or its end; needed only if it is not one of TABLE_NAMES
    dimensions : smallest allowed number of dimensions of the array
    sides : lengths of the axes of the grid, if each row is a cell of a grid; (14, 14) also allows an array of shape
        (14, 14, d). () if the user gave no grid. None if the caller takes no grid: errors then do not suggest one

    Raises
    ------
    UsageError : the file has no table of that name
    FileError : the file does not exist, is damaged, has an unknown extension, or has no finite real table
    """
    if path.startswith(IN_MEMORY):
        if (held := _held.get(path)) is None:
            advice = "save it in that session with numpy.save('table.npy', array), and give --file=table.npy"
            raise UsageError(f"{path} {NOT_STORED}", option="file", value=path, advice=advice)
        check_shape("the array", held.shape, dimensions, sides)
        return held if held.ndim == 2 else held.reshape(-1, held.shape[-1])
    if is_hub(path):
        path = pin_revision(path)
        return _read(path, tensor or parse_hub_path(path).tensor, dimensions, sides, 0)
    open_file(path).close()
    path = local_path(path)
    return _read(path, tensor, dimensions, sides, Path(path).stat().st_mtime_ns)


def read_other(path: str, tensor: str | None = None) -> tuple[Array | None, bool]:
    """Return an array that is not a table, because it is complex or has more axes; None if it is a table.

    Of a file with two arrays named cos and sin, both are returned, (2, …), cos first. The second result is True then.

    Raises the same errors as `read_table`.
    """
    if path.startswith(IN_MEMORY):
        return None, False
    path = local_path(pin_revision(path))
    tensor = tensor or (parse_hub_path(path).tensor if is_hub(path) else None)
    arrays = arrays_in_file(path, (tensor,) if tensor else TABLE_NAMES)
    if tensor is None and (both := _cos_and_sin(arrays)):
        check_memory(path, (2, *both[0].shape), "use a smaller table")
        with _report_damage(path):
            return np.stack([each.read() for each in both]), True
    chosen = arrays[choose_table(path, tensor, arrays)]
    if chosen.readable and len(_cells(chosen.shape[:-1])) < 2:
        return None, False
    check_memory(path, chosen.shape, "use a smaller table")
    if not (chosen.readable or chosen.numbers.startswith("complex")):
        raise TableFileError(f"{path} has the type {chosen.numbers}, not a supported type")
    with _report_damage(path):
        return chosen.read(), False


def _cos_and_sin(arrays: Mapping[str, StoredArray]) -> list[StoredArray]:
    """Return the arrays with cos and sin in their names, if they are the only ones and have one shape; otherwise []."""
    waves = {("cos" in name.lower(), "sin" in name.lower()): array for name, array in arrays.items()}
    both = [waves[key] for key in ((True, False), (False, True)) if key in waves]
    same = len(arrays) == len(both) == 2 and both[0].shape == both[1].shape and all(each.readable for each in both)
    return both if same else []


def numbers_of(array: Any) -> Array:
    """Return a copy of an array, or of an object with ``__array__``. Raises UsageError if it cannot be converted."""
    try:
        return np.asarray(array.detach() if hasattr(array, "detach") else array).copy()
    except Exception as error:  # other libraries raise their own errors
        raise UsageError(f"the array cannot be converted to numpy: {error}") from None


IN_MEMORY = "array:"  # prefix of the name of a Python array, followed by a digest of its numbers
NOT_STORED = "is an array from a Python session: only its digest was stored, not its numbers"
_held: WeakValueDictionary[str, Array] = WeakValueDictionary()  # alive while a HeldSpec or an encoding refers to them


class HeldSpec(str):
    """A spec that names an array and keeps it alive."""

    table: Array


def array_name(array: Array) -> str:
    """Return a name for a Python array, made from its shape and numbers; arrays of any shape and type have one."""
    import hashlib

    numbers = array.astype(np.float64, copy=False)
    return IN_MEMORY + hashlib.sha256(repr(numbers.shape).encode() + numbers.tobytes()).hexdigest()[:16]


def hold(array: Any, spec: str) -> HeldSpec:
    """Return a spec with the array's name filled in; equal numbers have the same name, whatever their type.

    array : a numpy array, or an object with ``__array__``
    spec : a format string, such as "learned:file={}"

    Raises the same errors as `read_table`.
    """
    numbers = numbers_of(array)
    stored = StoredArray(numbers.shape, numbers.dtype.name, lambda: numbers, numbers.dtype.kind in REAL_KINDS)
    cells = _cells(stored.shape[:-1])
    table = _table_in("the array", stored, 2, cells)
    if len(cells) > 1:  # the user then has to give --grid
        table = np.array(table.reshape(*cells, -1))
        table.setflags(write=False)
    name = array_name(table)
    held = HeldSpec(spec.format(name))
    held.table = _held.setdefault(name, table)
    return held


@lru_cache(maxsize=4)
def _read(path: str, tensor: str | None, dimensions: int, sides: tuple[int, ...] | None, changed: int) -> Array:
    """Return the array as a checked float64 table, without axes of length 1.

    changed : time of the file's last change, so that a changed file is read again
    """
    arrays = arrays_in_file(path, (tensor,) if tensor else TABLE_NAMES)
    return _table_in(path, arrays[choose_table(path, tensor, arrays)], dimensions, sides)


def check_shape(path: str, shape: tuple[int, ...], dimensions: int, sides: tuple[int, ...] | None) -> None:
    """Raise TableFileError if a shape is neither a table's, such as (196, d), nor the grid's, such as (14, 14, d).

    dimensions, sides : as for `read_table`
    """
    cells = _cells(shape[:-1])
    if len(shape) < dimensions or (len(cells) > 1 and cells != _cells(sides or ())) or not prod(shape):
        text = f"{path} has shape {shape}, not that of a table (positions, dimensions)"
        grid = "" if sides is None or len(cells) not in (2, 3) else option_text("grid", "x".join(map(str, cells)))
        raise TableFileError(f"{text}: try {grid}" if grid else text)


def _table_in(path: str, chosen: StoredArray, dimensions: int, sides: tuple[int, ...] | None) -> Array:
    shape = chosen.shape
    check_shape(path, shape, dimensions, sides)
    if not chosen.readable:
        advice = ": try pecli identify" * ("complex" in str(chosen.numbers))
        raise TableFileError(f"{path} has numbers of type {chosen.numbers}; pecli reads real numbers only{advice}")
    check_memory(path, shape, "use a smaller table")
    with _report_damage(path):
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
        raise TableFileError(f"{path} has {values} {kind}, {place}")
    if 0 < largest < 1 / MAX_EXACT:
        least = f"{1 / MAX_EXACT:.0e}"
        raise TableFileError(f"{path}: the largest absolute value is {largest:.3g}; at least {least} is needed")
    table.setflags(write=False)
    return table
