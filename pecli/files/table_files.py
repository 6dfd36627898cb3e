"""Tables of numbers from files that are not trusted: what is declared is checked before memory is taken."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import lru_cache
from math import prod
from pathlib import Path

from pecli.core.errors import PecliError, TableFileError, UnknownNameError, UsageError
from pecli.core.lazy import Array, np
from pecli.core.memory import check_memory
from pecli.core.registry import late
from pecli.core.values import EXACT
from pecli.files.declared import REAL, Declared
from pecli.files.pickles import PICKLES, conversion
from pecli.files.regular import fingerprint, opened

__all__ = ["fingerprint", "read_table", "read_vector"]

SMALLER = "take a smaller table"
ROWS = 1 << 20  # numbers looked at together
WHOLE = "iu"  # numpy's letters for whole numbers
EXPONENT = 500  # numbers up to 2**500 have products, and sums of them, in float64, and down to 2**-500

READERS: dict[str, Callable[[str, str | None], Declared]] = {
    ".npy": late("pecli.files.array_files:npy"),
    ".npz": late("pecli.files.array_files:npz"),
    ".csv": late("pecli.files.csv_tables:csv"),
    ".safetensors": late("pecli.files.tensor_files:safetensors"),
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
