"""A config.json from a file that is not trusted, and typed access to its keys."""

from __future__ import annotations

import json
import os
import stat
import sys
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, TypeVar

from pecli.core.errors import UsageError, visible
from pecli.core.readable import check_readable

MAX_BYTES = 8 << 20  # bytes; the largest config of a released model has some hundred kilobytes
NAME = "config.json"
FLOAT_MAX = sys.float_info.max  # whole numbers in JSON may be larger


def read_json(path: Path) -> dict[str, Any]:
    """The object in a file, or in the config.json of a folder.

    Raises
    ------
    UsageError : no such file, too large, not UTF-8, not JSON, not an object
    """
    path = place(path)
    check_readable(path)
    try:
        return _object(_text(path))
    except FileNotFoundError:
        advice = f"name a {NAME} on this machine, or a folder that holds one"
        raise UsageError(f"{visible(path)} does not exist", advice=advice) from None
    except OSError as error:
        raise UsageError(f"{visible(path)} could not be read: {error.strerror or 'the system refused'}") from None
    except RecursionError:
        raise UsageError(f"{path} is not a config: its objects are nested too deep") from None
    except ValueError as error:
        raise UsageError(f"{path} is not a config: {error}") from None


def place(path: Path) -> Path:
    """The file, or the config.json of a folder."""
    return path / NAME if os.path.isdir(path) else path


def shown(value: Any, most: int = 60) -> str:
    """A value from a file as text that does no harm to a terminal: JSON in ASCII, cut when it is long."""
    text = json.dumps(value, default=str)
    text = text.replace("\x7f", "\\u007f")
    return text if len(text) <= most else f"{text[: most - 1]}…"


def _text(path: Path) -> str:
    found = path.stat()
    if not stat.S_ISREG(found.st_mode):
        raise ValueError("it is not a file: save what a pipe brings first")
    if found.st_size > MAX_BYTES:
        raise ValueError(f"it has {found.st_size:,} bytes, and {MAX_BYTES:,} are the most")
    with path.open("rb") as file:
        data = file.read(MAX_BYTES)
    if data.startswith(b"\xef\xbb\xbf"):
        raise ValueError("it begins with a byte order mark, which transformers refuses too: save it without")
    try:
        return data.decode()
    except UnicodeDecodeError as error:
        raise ValueError(f"byte {error.start} is not UTF-8") from None


def _object(text: str) -> dict[str, Any]:
    try:
        value = json.loads(text)
    except json.JSONDecodeError as error:
        raise ValueError(f"line {error.lineno}, column {error.colno}: {error.msg}") from None
    if not isinstance(value, dict):
        raise ValueError(f"it holds {_kind(value)}, not an object")
    return value


def _kind(value: Any) -> str:
    return {list: "a list", str: "text", type(None): "null", bool: "true or false"}.get(type(value), "a number")


T = TypeVar("T")
MAX_COUNT = 1 << 20  # of anything that is counted: layers, heads, columns


class WrongTypeError(UsageError):
    """A value of a type that its key does not take."""


class Keys:
    """The keys of one object of a config."""

    def __init__(self, data: Mapping[str, Any], place: str = "") -> None:
        self.data, self.place = data, place

    def __bool__(self) -> bool:
        return bool(self.data)

    def __contains__(self, name: str) -> bool:
        return self.data.get(name) is not None

    def first(self, *names: str) -> str | None:
        """The first of the names that has a value other than null."""
        return next((name for name in names if name in self), None)

    def number(self, *names: str) -> float | None:
        """The number under the first of the names that is there."""
        return self._typed(names, "a number", lambda value: float(value) if _is_number(value) else None)

    def whole(self, *names: str) -> int | None:
        """The whole number there, not negative."""
        return self._typed(names, f"a whole number from 0 to {MAX_COUNT:,}", _whole)

    def length(self, *names: str) -> int | None:
        """The number of positions there."""
        return self._typed(names, "a whole number ≥ 1 and < 2^53", _length)

    def flag(self, *names: str) -> bool | None:
        """The truth value there."""
        return self._typed(names, "true or false", lambda value: bool(value) if value in (0, 1) else None)

    def text(self, *names: str) -> str | None:
        """The text there."""
        return self._typed(names, "text", lambda value: value if isinstance(value, str) else None)

    def table(self, *names: str) -> Keys | None:
        """The object there; null or empty counts as absent."""
        found = self._typed(names, "an object", lambda value: value if isinstance(value, dict) else None)
        return None if not found else Keys(found, f"{self.place}{self.first(*names)}.")

    def numbers(self, *names: str) -> list[float] | None:
        """The list of numbers there."""
        return self._typed(names, "a list of numbers", lambda value: _list(value, _is_number))

    def words(self, *names: str) -> list[str] | None:
        """The list of texts there."""
        return self._typed(names, "a list of texts", lambda value: _list(value, _is_word))

    def flags(self, *names: str) -> list[int] | None:
        """The list of 0 and 1, or of truth values, there."""
        return self._typed(names, "a list of 0 and 1", lambda value: _list(value, lambda one: one in (0, 1)))

    def _typed(self, names: tuple[str, ...], kind: str, read: Callable[[Any], T | None]) -> T | None:
        name = self.first(*names)
        if name is None:
            return None
        value = read(self.data[name])
        if value is None:
            raise WrongTypeError(f"{self.place}{name} is {shown(self.data[name])}, and it takes {kind}")
        return value


def _is_number(value: Any) -> bool:
    return isinstance(value, (int, float)) and not isinstance(value, bool) and abs(value) <= FLOAT_MAX


def _is_word(value: Any) -> bool:
    return isinstance(value, str) and 0 < len(value) <= 60 and value.replace("_", "").replace("-", "").isalnum()


def _length(value: Any) -> int | None:
    return int(value) if _is_number(value) and value == int(value) and 1 <= value < 2**53 else None


def _whole(value: Any) -> int | None:
    return int(value) if _is_number(value) and value == int(value) and 0 <= value <= MAX_COUNT else None


def _list(value: Any, fits: Callable[[Any], bool]) -> list[Any] | None:
    return value if isinstance(value, list) and len(value) <= MAX_COUNT and all(map(fits, value)) else None
