"""Single values as text: a number, a truth value or a word, read from any spelling and written back."""

from __future__ import annotations

import math
import numbers
import os
from collections.abc import Callable
from decimal import Decimal
from typing import Any

PATH = 256  # letters of a path that a message still shows
EXACT = 2**53  # every integer up to here is a float64


def shorten(value: Any, most: int = 40, *, written: bool = False) -> str:
    """A value for an error message (written: as code), cut in the middle when it is long."""
    try:
        text = repr(value) if written else str(value)
    except ValueError:  # Python refuses to write integers of more than 4300 digits
        return "of thousands of digits"
    return text if len(text) <= most else f"{text[: most // 2]}…{text[-most // 4 :]} ({len(text)} characters)"


def visible(path: object) -> str:
    """A path for a message: one of blanks alone stands in quotation marks, one that no system takes is cut."""
    text = shorten(path, PATH)
    return text if text.strip() else repr(text)


def write_scalar(value: Any) -> str:
    """A number without a needless ``.0``, a truth value in TOML's spelling, text as it is."""
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, float) and value.is_integer() and abs(value) < EXACT:
        return str(int(value))
    return str(value)


def _read_int(value: Any) -> int:
    if isinstance(value, (bool, bytes, bytearray)):
        raise TypeError
    number = _exact(value.strip()) if isinstance(value, str) else value
    if isinstance(number, numbers.Integral):
        return int(number)
    if not float(number).is_integer():
        raise ValueError
    return int(number)


def _exact(text: str) -> int:
    """The whole number that a text says, by every digit of it: a float would round 2.0000000000000000001."""
    try:
        number = Decimal(text)
    except ArithmeticError:
        raise ValueError from None
    if not number.is_finite() or abs(number) > 10**30 or number != number.to_integral_value():
        raise ValueError
    return int(number)


def _read_float(value: Any) -> float:
    if isinstance(value, (bool, bytes, bytearray)) or (isinstance(value, str) and len(value) > 400):
        raise TypeError
    number = float(value)
    if not math.isfinite(number):
        raise ValueError
    return number


def _read_bool(value: Any) -> bool:
    if not isinstance(value, bool) and str(value).lower() not in ("true", "false"):
        raise ValueError
    return str(value).lower() == "true"


def _read_str(value: Any) -> str:
    if isinstance(value, os.PathLike):
        value = os.fspath(value)
    if not isinstance(value, str) or any(ord(character) < 32 and character not in "\n\t" for character in value):
        raise TypeError  # control characters stand in no name and no XML
    value.encode()  # nor do bytes that are not UTF-8
    return value


READERS: dict[type, Callable[[Any], Any]] = {int: _read_int, float: _read_float, bool: _read_bool, str: _read_str}
