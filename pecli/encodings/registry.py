"""The registry of encodings by name, plugins included."""

from __future__ import annotations

import os
from functools import cache
from pathlib import Path

from pecli.core.errors import FileError, UnknownNameError, UsageError, option_text, shorten
from pecli.core.plugins import load_plugins
from pecli.encodings.base import Encoding
from pecli.encodings.biases import T5, Alibi, Kerple
from pecli.encodings.binary import Binary
from pecli.encodings.clock import Clock, Geometric
from pecli.encodings.learned import Learned
from pecli.encodings.rope import Rope
from pecli.encodings.sincos2d import SinCos2D
from pecli.encodings.sinusoidal import Relative, Sinusoidal
from pecli.encodings.xpos import XPos

__all__ = ["ENCODINGS", "Encoding", "all_encodings", "encoding_named", "find_encoding", "table_advice"]

_OURS = (Sinusoidal, Clock, Geometric, Binary, Learned, Relative, Rope, XPos, SinCos2D, Alibi, T5, Kerple)
ENCODINGS: dict[str, type[Encoding]] = {kind.name: kind for kind in _OURS}

PLUGINS = "pecli.encodings"  # the entry point group for encodings of other packages


def find_encoding(name: str) -> type[Encoding]:
    """Return the class of that name, pecli's or a plugin's. Raises UsageError with a suggestion."""
    found = encoding_named(name)
    if found is not None:
        return found
    for kind in all_encodings().values():
        for option in kind.options().values():
            if option.choices and name in option.choices():
                text = f"{name} is not an encoding but a value of {kind.name}'s {option.name}"
                advice = f"give {option_text('encoding', f'{kind.name}:{option.name}={name}')}"
                raise UsageError(text, option="encoding", value=name, advice=advice)
    if is_named_as_table(name) or is_named_as_table(name.rpartition("#")[0]):
        raise FileError(f"{shorten(name)} does not exist, and it is not an encoding")
    if name.strip() == "hf":
        text = "a model on the hub is named hf:org/name, such as hf:bigscience/bloom"
        raise UsageError(text, option="encoding", value=name)
    raise UnknownNameError("encoding", name.strip(), all_encodings(), option="encoding")


def encoding_named(name: str) -> type[Encoding] | None:
    """Return the class of that name or alias, ignoring case; None if there is none."""
    plain = name.strip().lower()
    known = ENCODINGS if plain in ENCODINGS else all_encodings()  # plugins are loaded only if needed
    return next((kind for kind in known.values() if plain in (kind.name, *kind.aliases)), None)


def is_named_as_table(name: str) -> bool:
    """Return True if the name has the extension of a table file."""
    from pecli.files.tables import TABLE_READERS

    return Path(name).suffix.lower() in TABLE_READERS


def table_advice(name: str) -> str:
    """Return advice on how to write a table file as an encoding; "" if `name` is not an existing table file."""
    file, tensor = name, ""
    if not os.path.isfile(name) and "#" in name:
        file, _, tensor = name.rpartition("#")
    found = is_named_as_table(file) and os.path.isfile(file)
    spec = f"{Learned.name}:file={file}" + (f",tensor={tensor}" if tensor else "")
    return f"write {option_text('encoding', spec)}" if found else ""


def all_encodings() -> dict[str, type[Encoding]]:
    """Return pecli's encodings and those of plugins; a broken plugin is skipped with a warning."""
    return {**plugins(), **ENCODINGS}


@cache
def plugins() -> dict[str, type[Encoding]]:
    """Return the encodings of other packages by name, loaded once."""
    return load_plugins(
        PLUGINS, Encoding, ("gives", "name", "summary", "formula", "source", "example", "kind"), ENCODINGS
    )
