"""Tables in text, numbers parted by commas: what is a header or an index is decided by a whole row, and said."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from itertools import islice
from pathlib import Path
from typing import IO

from pecli.core.errors import TableFileError, UsageError, mention
from pecli.core.lazy import Array, np
from pecli.core.notices import notice
from pecli.files.declared import Declared
from pecli.files.regular import MOST, opened

LIKE_A_NUMBER = re.compile(r"[+\-−]?[.,]?\d")
PLAIN = re.compile(r"[0-9.e+-]+|nan|[+-]?inf(inity)?", re.IGNORECASE)  # numpy reads no 1_000 and no other digits
LONGEST = 40  # letters of a cell that a message shows
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
                f"{path}, line {number}: '{like[:LONGEST]}' is no number, and a name begins with a letter"
            )
        return True
    place = numbers.index(False)
    raise TableFileError(
        f"{path}, line {number}: '{cells[place][:LONGEST]}' in column {place} is no number and "
        f"'{cells[numbers.index(True)][:LONGEST]}' is one: a row takes numbers only, a header names only"
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
                return f"line {number}: '{wrong[0][:LONGEST]}' is no number" + ("" if wrong[0] else ", a cell is empty")
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
