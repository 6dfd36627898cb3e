"""Reading of a config.json from an untrusted file, and type-checked access to its keys."""

from __future__ import annotations

import json
import os
import re
import sys
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, TypeVar

from pecli.core.errors import FileError, UsageError, parse_error_text
from pecli.core.hub import CONFIG, download, is_hub, open_remote
from pecli.files.tables import TABLE_READERS, open_file
from pecli.models.gguf import MAGIC, whole_gguf
from pecli.models.yaml_file import read_yaml

FLOAT_MAX = sys.float_info.max  # integers in JSON may be larger


CONFIGS = (  # the first of these files in a folder is read for the folder
    *(CONFIG, "params.json", "mlc-chat-config.json", "open_clip_config.json"),
    *("model_config.yaml", "config.yaml", "config.yml"),
)
YAML, GGUF = (".yaml", ".yml"), ".gguf"
ENDINGS = (".json", GGUF, *YAML)
HUB_NAME = re.compile(r"([\w-][\w.-]*/)?[\w-][\w.-]*", re.ASCII)


def read_config(path: Path) -> dict[str, Any]:
    """Return the object in a config file, the config.json of a folder, or the metadata of a GGUF file.

    Raises
    ------
    FileError : the file is missing, not JSON, not an object, or larger than the config of any model
    """
    if is_hub(str(path)) and path.suffix == GGUF:
        with open_remote(str(path)) as remote_file:
            return whole_gguf(remote_file, str(path), open_remote)
    path = config_path(path)
    if HUB_NAME.fullmatch(str(path)) and path.suffix.lower() not in ENDINGS and not os.path.lexists(path):
        owner = "" if "/" in str(path) else "OWNER/"
        raise FileError(f"{path} does not exist", advice=f"a model on the Hugging Face hub is named hf:{owner}{path}")
    with open_file(str(path)) as file:
        beginning = file.read(len(MAGIC))
        file.seek(0)
        if beginning == MAGIC:
            return whole_gguf(file, str(path), open_file)
        data = file.read()
    twice: list[str] = []
    try:
        value = read_yaml(data) if path.suffix.lower() in YAML else json.loads(data, object_pairs_hook=_noting(twice))
    except UnicodeDecodeError as error:
        table = path.suffix.lower() in TABLE_READERS
        advice = f"try pecli tensors {path}" if table else ""
        raise FileError(f"{path} is not a config: byte {error.start} is not UTF-8 text", advice=advice) from None
    except (ValueError, RecursionError) as error:
        raise FileError(f"{path} is not a config: {parse_error_text(error)}", advice=json_advice(error)) from None
    if not isinstance(value, dict):
        raise FileError(f"{path} is not a config: it contains no JSON object")
    return Content(value, twice)


class Content(dict[str, Any]):
    """The object in a file. `twice` lists the keys that appear more than once in it or in an inner object.

    Of such a key, the last value counts. A copy of the object does not have `twice`.
    """

    def __init__(self, data: Mapping[str, Any], twice: Sequence[str] = ()) -> None:
        super().__init__(data)
        self.twice = tuple(dict.fromkeys(twice))


def _noting(twice: list[str]) -> Callable[[list[tuple[str, Any]]], dict[str, Any]]:
    """Return an `object_pairs_hook` for `json` that appends keys which appear more than once to `twice`."""

    def made(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        found = dict(pairs)
        if len(found) < len(pairs):
            names = [name for name, _ in pairs]
            twice.extend(name for name in found if names.count(name) > 1)
        return found

    return made


def json_advice(error: Exception) -> str:
    """Return advice for common errors in JSON: comments, single quotes, a comma before a bracket, Python constants."""
    if not isinstance(error, json.JSONDecodeError):
        return ""
    before, rest = error.doc[: error.pos].rstrip(), error.doc[error.pos :].lstrip()
    if rest.startswith(("//", "/*", "#")):
        return "JSON has no comments"
    if rest.startswith("'"):
        return "JSON takes double quotes"
    if (before.endswith(",") and rest[:1] in ("}", "]")) or re.match(r",\s*[}\]]", rest):
        return "leave out the last comma, before the bracket"
    if re.match("True|False|None", rest):
        return "JSON has true, false and null"
    return ""


def config_path(path: Path) -> Path:
    """Return the path of the file to read: the file itself, the config of a folder, or a download from the hub."""
    if is_hub(str(path)):
        named = (path.name,) if path.suffix in YAML else ()
        return path if path.suffix == GGUF else Path(download(str(path), *named))
    if not os.path.isdir(path):
        return path
    return next((file for name in CONFIGS if os.path.isfile(file := path / name)), path / CONFIG)


def safe_text(value: Any, most: int = 60) -> str:
    """Return a value from a file as text that is safe for a terminal: ASCII JSON, cut after `most` characters."""
    text = json.dumps(value, default=str).replace("\x7f", "\\u007f")
    return text if len(text) <= most else f"{text[: most - 1]}…"


MAX_COUNT = 1 << 20  # largest number of layers, heads, columns and the like
WORD = re.compile(r"[\w-]{1,60}")
T = TypeVar("T")
Test = Callable[[Any], bool]


class WrongTypeError(UsageError):
    """A value has a type that its key does not accept."""


class Keys:
    """The keys of one object of a config.

    A method that takes names returns the value at the first of them that is present, and None if none is present.

    place : prefix of this object's keys in full names, such as "rope_scaling."
    read : full names of all keys whose value was taken
    names : names of the keys in the original file, if they differ
    """

    def __init__(
        self,
        data: Mapping[str, Any],
        place: str = "",
        read: set[str] | None = None,
        names: Mapping[str, str] | None = None,
    ) -> None:
        self.data, self.place, self.names = data, place, names or {}
        self.read = set() if read is None else read

    def __bool__(self) -> bool:
        return bool(self.data)

    def __contains__(self, name: str) -> bool:
        return self.data.get(name) is not None

    def first(self, *names: str) -> str | None:
        """Return the first of the names that has a value other than null."""
        return next((name for name in names if name in self), None)

    def settle(self) -> None:
        """Mark all keys as read, including those of nested objects."""
        for name, value in self.data.items():
            self.read.add(f"{self.place}{name}")
            if isinstance(value, dict):
                Keys(value, f"{self.place}{name}.", self.read).settle()

    def number(self, *names: str) -> float | None:
        """Return the number at the first of the names that is present."""
        return self._typed(names, "a number", _is_number, float)

    def whole(self, *names: str) -> int | None:
        """Return the integer ≥ 0 at the first of the names that is present."""
        return self._typed(names, f"a whole number from 0 to {MAX_COUNT:,}", lambda n: _is_whole(n, 0, MAX_COUNT), int)

    def length(self, *names: str) -> int | None:
        """Return the number of positions, ≥ 1, at the first of the names that is present."""
        return self._typed(names, "a whole number ≥ 1 and < 2^53", lambda n: _is_whole(n, 1, 2**53 - 1), int)

    def flag(self, *names: str) -> bool | None:
        """Return the boolean at the first of the names that is present."""
        return self._typed(names, "true or false", lambda it: it in (0, 1), bool)

    def text(self, *names: str) -> str | None:
        """Return the string at the first of the names that is present."""
        return self._typed(names, "text", lambda it: isinstance(it, str), str)

    def table(self, *names: str) -> Keys | None:
        """Return the object at the first of the names that is present; None if it is empty."""
        place = f"{self.place}{self.first(*names)}."

        def keys(value: Any) -> Keys:
            return Keys(value, place, self.read, self.names)

        return self._typed(names, "an object", lambda it: isinstance(it, dict), keys) or None

    def numbers(self, *names: str) -> list[float] | None:
        """Return the list of numbers at the first of the names that is present."""
        return self._list(names, "a list of numbers", _is_number)

    def words(self, *names: str) -> list[str] | None:
        """Return the list of strings at the first of the names that is present."""
        return self._list(names, "a list of strings", lambda it: isinstance(it, str) and bool(WORD.fullmatch(it)))

    def flags(self, *names: str) -> list[int] | None:
        """Return the list of 0 and 1, or of booleans, at the first of the names that is present."""
        return self._list(names, "a list of 0 and 1", lambda it: it in (0, 1))

    def _list(self, names: tuple[str, ...], kind: str, fits: Test) -> list[Any] | None:
        def fit(value: Any) -> bool:
            return isinstance(value, list) and len(value) <= MAX_COUNT and all(map(fits, value))

        return self._typed(names, kind, fit, list)

    def _typed(self, names: tuple[str, ...], kind: str, fits: Test, make: Callable[[Any], T]) -> T | None:
        """Return the converted value of the first name that is present; raise WrongTypeError if it does not fit.

        kind : description of accepted values, for the message
        """
        name = self.first(*names)
        if name is None:
            return None
        self.read.add(f"{self.place}{name}")
        if not fits(self.data[name]):
            place = self.names.get(f"{self.place}{name}", f"{self.place}{name}")
            raise WrongTypeError(f"{place} is {safe_text(self.data[name])}, but it takes {kind}")
        return make(self.data[name])


def _is_number(value: Any) -> bool:
    return isinstance(value, (int, float)) and not isinstance(value, bool) and abs(value) <= FLOAT_MAX


def _is_whole(value: Any, low: int, high: int) -> bool:
    return _is_number(value) and low <= value <= high and value == int(value)
