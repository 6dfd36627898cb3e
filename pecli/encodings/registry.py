"""The one registry of encodings: names and their classes, those of plugins too."""

from __future__ import annotations

import os
import warnings
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Any

from pecli.core.errors import UnknownNameError, UsageError, mention
from pecli.core.options import Option
from pecli.core.values import shorten
from pecli.encodings.base import Encoding
from pecli.encodings.biases import T5, Alibi, Kerple
from pecli.encodings.binary import Binary
from pecli.encodings.clock import Clock, Geometric
from pecli.encodings.learned import Learned
from pecli.encodings.rope import Rope
from pecli.encodings.sinusoidal import Relative, Sinusoidal

__all__ = [
    "ENCODINGS",
    "Encoding",
    "all_encodings",
    "find_encoding",
]

ENCODINGS: dict[str, type[Encoding]] = {
    Sinusoidal.name: Sinusoidal,
    Clock.name: Clock,
    Geometric.name: Geometric,
    Binary.name: Binary,
    Learned.name: Learned,
    Relative.name: Relative,
    Rope.name: Rope,
    Alibi.name: Alibi,
    T5.name: T5,
    Kerple.name: Kerple,
}


DESCRIBED = ("name", "summary", "formula", "source", "example", "kind")  # what every encoding says of itself
PLUGINS = "pecli.encodings"  # the entry point group in which other packages name their encodings


def find_encoding(name: str) -> type[Encoding]:
    """The class of that name, ours or a plugin's; raises UnknownNameError with a suggestion."""
    if name in ENCODINGS:
        return ENCODINGS[name]
    found = encoding_named(name)
    if found is None:
        raise _refusal(name.strip(), all_encodings())
    return found


def encoding_named(name: str) -> type[Encoding] | None:
    """The class of that name, in any case, or of that other name; None where there is none."""
    plain = name.strip().lower()
    return next((kind for kind in all_encodings().values() if plain in (kind.name, *kind.aliases)), None)


def _refusal(name: str, known: Mapping[str, type[Encoding]]) -> UsageError:
    """What to say of a name that no encoding has: whose value it is, if of a parameter, or the nearest name."""
    owners = [(kind, one) for kind in known.values() for one in kind.options().values() if name in _choices(one)]
    for kind, one in owners[:1]:
        advice = f"{mention('encoding', f'{kind.name}:{one.name}={name}')}"
        text = f"{name} is no encoding but a value of {kind.name}'s {one.name}"
        return UsageError(text, option="encoding", value=name, advice=f"give {advice}")
    if advice := table_advice(name):
        return UsageError(f"{shorten(name)} is no encoding but a file", option="encoding", value=name, advice=advice)
    if _named_as_table(name):
        return UsageError(f"{shorten(name)} is no encoding, and there is no such file", option="encoding", value=name)
    return UnknownNameError("encoding", name, known, option="encoding")


def table_advice(name: str) -> str:
    """What to write for the file of a table where that is what a name is; else nothing."""
    found = _named_as_table(name) and os.path.isfile(name)
    return f"write {mention('encoding', f'{Learned.name}:file={name}')}" if found else ""


def _named_as_table(name: str) -> bool:
    """Whether a name ends as that of a file with a table does."""
    from pecli.files.tables import READERS

    return Path(name).suffix.lower() in READERS


def _choices(one: Option) -> list[str]:
    return [] if one.choices is None else list(one.choices())


def all_encodings() -> dict[str, type[Encoding]]:
    """Ours and those of plugins; a plugin that is broken is left out with one warning that names it."""
    return {**_plugins(), **ENCODINGS}


@cache
def _plugins() -> dict[str, type[Encoding]]:
    from importlib.metadata import entry_points

    found = {}
    for point in entry_points(group=PLUGINS):
        try:
            found[point.name] = _checked(point.name, point.load())
        except Exception as error:  # a plugin can fail in any way; ours must not
            package = point.dist.name if point.dist else "an unknown package"
            warnings.warn(f"encoding plugin {point.name!r} of {package} is left out: {error}", stacklevel=2)
    return found


def _checked(name: str, plugin: Any) -> type[Encoding]:
    if not (isinstance(plugin, type) and issubclass(plugin, Encoding)):
        raise TypeError(f"{plugin!r} is not a subclass of pecli.encodings.Encoding")
    if not hasattr(plugin, "gives"):
        raise TypeError("its class can do nothing: it derives from Encoding and from none of its capabilities")
    lacking = [one for one in DESCRIBED if not hasattr(plugin, one)]
    lacking += sorted(getattr(plugin, "__abstractmethods__", ()))
    if lacking:
        raise TypeError(f"its class has no {', '.join(lacking)}")
    if plugin.name != name or name in ENCODINGS:
        raise ValueError(f"its class is named {plugin.name!r}" if plugin.name != name else "that name is pecli's own")
    return plugin
