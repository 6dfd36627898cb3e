"""A config.json from a file that is not trusted, and typed access to its keys."""

from __future__ import annotations

import json
import os
import re
import stat
import sys
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

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
        value = json.loads(_text(path))
    except FileNotFoundError:
        advice = f"name a {NAME} on this machine, or a folder that holds one"
        raise UsageError(f"{visible(path)} does not exist", advice=advice) from None
    except OSError as error:
        raise UsageError(f"{visible(path)} could not be read: {error.strerror or 'the system refused'}") from None
    except RecursionError:
        raise UsageError(f"{path} is not a config: its objects are nested too deep") from None
    except json.JSONDecodeError as error:
        text = f"line {error.lineno}, column {error.colno}: {error.msg}"
        raise UsageError(f"{path} is not a config: {text}") from None
    except ValueError as error:
        raise UsageError(f"{path} is not a config: {error}") from None
    if not isinstance(value, dict):
        kind = {list: "a list", str: "text", type(None): "null", bool: "true or false"}.get(type(value), "a number")
        raise UsageError(f"{path} is not a config: it holds {kind}, not an object")
    return value


def place(path: Path) -> Path:
    """The file, or the config.json of a folder."""
    return path / NAME if os.path.isdir(path) else path


def shown(value: Any, most: int = 60) -> str:
    """A value from a file as text that does no harm to a terminal: JSON in ASCII, cut when it is long."""
    text = json.dumps(value, default=str)
    text = text.replace("\x7f", "\\u007f")
    return text if len(text) <= most else f"{text[: most - 1]}…"


def _text(path: Path) -> str:
    status = path.stat()
    if not stat.S_ISREG(status.st_mode):
        raise ValueError("it is not a file: save what a pipe brings first")
    if status.st_size > MAX_BYTES:
        raise ValueError(f"it has {status.st_size:,} bytes, and {MAX_BYTES:,} are the most")
    data = path.read_bytes()
    if data.startswith(b"\xef\xbb\xbf"):
        raise ValueError("it begins with a byte order mark, which transformers refuses too: save it without")
    try:
        return data.decode()
    except UnicodeDecodeError as error:
        raise ValueError(f"byte {error.start} is not UTF-8") from None


MAX_COUNT = 1 << 20  # of anything that is counted: layers, heads, columns
WORD = re.compile(r"[\w-]{1,60}")


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
        value = self._typed(names, "a number", _is_number)
        return None if value is None else float(value)

    def whole(self, *names: str) -> int | None:
        """The whole number there, not negative."""
        value = self._typed(names, f"a whole number from 0 to {MAX_COUNT:,}", lambda one: _is_whole(one, 0, MAX_COUNT))
        return None if value is None else int(value)

    def length(self, *names: str) -> int | None:
        """The number of positions there."""
        value = self._typed(names, "a whole number ≥ 1 and < 2^53", lambda one: _is_whole(one, 1, 2**53 - 1))
        return None if value is None else int(value)

    def flag(self, *names: str) -> bool | None:
        """The truth value there."""
        value = self._typed(names, "true or false", lambda one: one in (0, 1))
        return None if value is None else bool(value)

    def text(self, *names: str) -> str | None:
        """The text there."""
        value: str | None = self._typed(names, "text", lambda one: isinstance(one, str))
        return value

    def table(self, *names: str) -> Keys | None:
        """The object there; null or empty counts as absent."""
        value = self._typed(names, "an object", lambda one: isinstance(one, dict))
        return Keys(value, f"{self.place}{self.first(*names)}.") if value else None

    def numbers(self, *names: str) -> list[float] | None:
        """The list of numbers there."""
        return self._list(names, "a list of numbers", _is_number)

    def words(self, *names: str) -> list[str] | None:
        """The list of texts there."""
        return self._list(names, "a list of texts", lambda one: isinstance(one, str) and bool(WORD.fullmatch(one)))

    def flags(self, *names: str) -> list[int] | None:
        """The list of 0 and 1, or of truth values, there."""
        return self._list(names, "a list of 0 and 1", lambda one: one in (0, 1))

    def _list(self, names: tuple[str, ...], kind: str, fits: Callable[[Any], bool]) -> list[Any] | None:
        value: list[Any] | None = self._typed(
            names, kind, lambda some: isinstance(some, list) and len(some) <= MAX_COUNT and all(map(fits, some))
        )
        return value

    def _typed(self, names: tuple[str, ...], kind: str, fits: Callable[[Any], bool]) -> Any:
        """The value under the first of the names that is there; raises WrongTypeError where it does not fit."""
        name = self.first(*names)
        if name is not None and not fits(self.data[name]):
            raise WrongTypeError(f"{self.place}{name} is {shown(self.data[name])}, and it takes {kind}")
        return None if name is None else self.data[name]


def _is_number(value: Any) -> bool:
    return isinstance(value, (int, float)) and not isinstance(value, bool) and abs(value) <= FLOAT_MAX


def _is_whole(value: Any, low: int, high: int) -> bool:
    return _is_number(value) and low <= value <= high and value == int(value)
