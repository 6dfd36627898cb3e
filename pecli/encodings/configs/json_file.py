"""A JSON object from a file that is not trusted: its size, depth and numbers are checked, its text never sent raw."""

from __future__ import annotations

import json
import math
import os
import stat
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from pecli.core.errors import UsageError
from pecli.core.readable import check_readable
from pecli.core.values import visible

LARGEST = 8 << 20  # bytes; the largest config of a released model has some hundred kilobytes
DEEPEST = 32  # objects and lists inside each other
LONGEST = 400  # characters of a number
NAME = "config.json"


def read_json(path: Path) -> dict[str, Any]:
    """The object in a file, or in the config.json of a folder.

    Raises
    ------
    UsageError : no such file, too large, not UTF-8, not JSON, not an object, a key twice, a number beyond float64
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
    if found.st_size > LARGEST:
        raise ValueError(f"it has {found.st_size:,} bytes, and {LARGEST:,} are the most")
    with path.open("rb") as file:
        data = file.read(LARGEST)
    if data.startswith(b"\xef\xbb\xbf"):
        raise ValueError("it begins with a byte order mark, which transformers refuses too: save it without")
    try:
        return data.decode()
    except UnicodeDecodeError as error:
        raise ValueError(f"byte {error.start} is not UTF-8") from None


def _object(text: str) -> dict[str, Any]:
    try:
        value = json.loads(text, object_pairs_hook=_unique, parse_float=_finite, parse_int=_whole)
    except json.JSONDecodeError as error:
        raise ValueError(f"line {error.lineno}, column {error.colno}: {error.msg}") from None
    if not isinstance(value, dict):
        raise ValueError(f"it holds {_kind(value)}, not an object")
    _check_depth(value)
    return value


def _unique(pairs: Iterable[tuple[str, Any]]) -> dict[str, Any]:
    result: dict[str, Any] = {}
    for key, value in pairs:
        if key in result:
            raise ValueError(f"the key {shown(key)} stands twice")
        result[key] = value
    return result


def _finite(text: str) -> float:
    number = float(text) if len(text) <= LONGEST else math.inf
    if not math.isfinite(number):
        raise ValueError(f"the number {text[:20]}… is beyond float64")
    return number


def _whole(text: str) -> int:
    if len(text) > LONGEST or not math.isfinite(float(text)):
        raise ValueError(f"the number {text[:20]}… is beyond float64")
    return int(text)


def _kind(value: Any) -> str:
    return {list: "a list", str: "text", type(None): "null", bool: "true or false"}.get(type(value), "a number")


def _check_depth(value: Any) -> None:
    level, depth = [value], 0
    while level:
        depth += 1
        if depth > DEEPEST:
            raise ValueError(f"its objects are nested deeper than {DEEPEST}")
        inner = [one.values() if isinstance(one, dict) else one for one in level]
        level = [item for items in inner for item in items if isinstance(item, (dict, list))]
