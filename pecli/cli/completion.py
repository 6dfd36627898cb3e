"""What a shell offers where the value of an option stands, found without numpy and matplotlib: it has to be quick."""

from __future__ import annotations

import json
import os
import re
from collections.abc import Callable, Iterable, Mapping
from contextlib import suppress
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from pecli.cli.grammar import WORDS
from pecli.core.errors import UsageError
from pecli.core.options import Option
from pecli.encodings.registry import all_encodings
from pecli.figures.canvas import SIZES
from pecli.models.spec import parse_encoding

HEADER = 10**7  # bytes of a file's list of tensors that are read
TAIL = 10_000  # bytes at the end of matplotlib's modules of colour maps, where their names stand
COLOUR_MAP = re.compile(r"^ +\(?'(\w+)'[:,] (?:_\w+_data|\{'listed')", re.MULTILINE)
BROKEN = re.compile(" ([:=]) ")  # where bash takes a word apart

Given = Mapping[str, Any]  # the options that stand on the line, and all its words


def values_for(one: Option, given: Given) -> list[tuple[str, str]]:
    """The values that an option takes and what each is; none where a file or any text may stand."""
    if one.choices is not None:
        return [(value, "") for value in one.choices()]
    offered = OFFERED.get(one.name)
    return [] if offered is None else [item if isinstance(item, tuple) else (item, "") for item in offered(given)]


def encodings(given: Given) -> Iterable[tuple[str, str]]:
    """The names of encodings, plugins' too."""
    return [(name, kind.summary) for name, kind in all_encodings().items()]


def colour_maps(given: Given = {}) -> list[str]:  # noqa: B006  # it is only read
    """The names of matplotlib's colour maps, read off its files."""
    found = [name for module in ("_cm_listed.py", "_cm.py") for name in COLOUR_MAP.findall(_tail(module))]
    return sorted(found)


def styles(given: Given = {}) -> list[str]:  # noqa: B006  # it is only read
    """The names of matplotlib's styles."""
    folder = _matplotlib() / "mpl-data" / "stylelib"
    return sorted(path.stem for path in folder.glob("*.mplstyle") if not path.stem.startswith("_"))


def tensors(given: Given) -> list[str]:
    """The names of the arrays in the file that stands on the line, where its format lists them."""
    path = _text(given.get("file")) or _file_of(given)
    read = LISTED.get(Path(path).suffix)
    try:
        return read(path) if read and os.path.isfile(path) else []
    except (OSError, ValueError):  # nothing to offer of a damaged file
        return []


def _npz(path: str) -> list[str]:
    import zipfile

    try:
        with zipfile.ZipFile(path) as archive:
            return [name.removesuffix(".npy") for name in archive.namelist()]
    except zipfile.BadZipFile:
        return []


def _safetensors(path: str) -> list[str]:
    with Path(path).open("rb") as file:
        size = int.from_bytes(file.read(8), "little")
        header = json.loads(file.read(size)) if size <= HEADER else {}
    return [name for name in header if name != "__metadata__"]


def _file_of(given: Given) -> str:
    """The file that the last encoding on the line names in its text, ``learned:file=words.npz``."""
    line = BROKEN.sub(r"\1", " ".join(given.get(WORDS, ())))
    specs = [word.removeprefix("--encoding=").removeprefix("-e") for word in line.split() if "file=" in word]
    with suppress(UsageError):
        return parse_encoding(specs[-1])[1].get("file", "") if specs else ""
    return ""


def _text(value: Any) -> str:
    return str(value[-1] if isinstance(value, (list, tuple)) and value else value or "")


def _matplotlib() -> Path:
    found = find_spec("matplotlib")  # looks for it, without importing it
    return Path((found and found.origin) or ".").parent


def _tail(module: str) -> str:
    try:
        with (_matplotlib() / module).open("rb") as file:
            file.seek(-TAIL, os.SEEK_END)
            return file.read().decode(errors="replace")
    except OSError:
        return ""


LISTED: dict[str, Callable[[str], list[str]]] = {".npz": _npz, ".safetensors": _safetensors}
OFFERED: dict[str, Callable[[Given], Iterable[Any]]] = {  # of options whose values are no fixed list, by their names
    "encoding": encodings,
    "size": lambda _: SIZES,
    "cmap": colour_maps,
    "style": styles,
    "tensor": tensors,
}
