"""Typed access to the keys of a config: null counts as absent, a wrong type is an error that names the key."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from typing import Any, TypeVar

from pecli.core.errors import UsageError
from pecli.encodings.configs.json_file import shown

T = TypeVar("T")
MOST = 1 << 20  # of anything that is counted: layers, heads, columns


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
        return self._typed(names, f"a whole number from 0 to {MOST:,}", _whole)

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
    return isinstance(value, (int, float)) and not isinstance(value, bool) and math.isfinite(value)


def _is_word(value: Any) -> bool:
    return isinstance(value, str) and 0 < len(value) <= 60 and value.replace("_", "").replace("-", "").isalnum()


def _length(value: Any) -> int | None:
    return int(value) if _is_number(value) and value == int(value) and 1 <= value < 2**53 else None


def _whole(value: Any) -> int | None:
    return int(value) if _is_number(value) and value == int(value) and 0 <= value <= MOST else None


def _list(value: Any, fits: Callable[[Any], bool]) -> list[Any] | None:
    return value if isinstance(value, list) and len(value) <= MOST and all(map(fits, value)) else None
