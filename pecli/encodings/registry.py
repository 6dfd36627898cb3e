"""The one registry of encodings, and the text form of an encoding: ``sinusoidal:base=10,d=64``."""

from __future__ import annotations

import os
import re
import warnings
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Any

from pecli.core.errors import UnknownNameError, UsageError, mention
from pecli.core.options import Option, default_values, named, own_name
from pecli.core.values import shorten
from pecli.encodings.base import Encoding, TableEncoding
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
    "parse_encoding",
    "read_encoding",
    "read_table_encoding",
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
    if advice := _table_advice(name):
        return UsageError(f"{shorten(name)} is no encoding but a file", option="encoding", value=name, advice=advice)
    if _named_as_table(name):
        return UsageError(f"{shorten(name)} is no encoding, and there is no such file", option="encoding", value=name)
    return UnknownNameError("encoding", name, known, option="encoding")


def _table_advice(name: str) -> str:
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


def read_encoding(
    spec: str, given: Mapping[str, Any] | None = None, defaults: Mapping[str, Any] | None = None
) -> Encoding:
    """An encoding from its text; what is `given` beside it wins over what the text says, both over the `defaults`.

    ``name`` or ``name:parameter=value,…``; a comma that no ``parameter=`` follows belongs to the value
    (``clock:periods=60,3600``), and so does one after a backslash. Or the path of a model's config.json.
    """
    kind, written = parse_encoding(spec)
    own = named(kind.options(), given or {})
    return kind.make({**default_values(kind.options(), defaults or {}), **written, **own})


def parse_encoding(spec: str) -> tuple[type[Encoding], dict[str, str]]:
    """The class that the text of an encoding names, and the parameters written there, not yet read."""
    return _read(spec)


def read_table_encoding(spec: str, given: Mapping[str, Any] | None = None) -> TableEncoding:
    """The same of an encoding that has a table; raises UsageError for others."""
    made = read_encoding(spec, given)
    if not isinstance(made, TableEncoding):
        raise UsageError(f"{made.name} has no table: it is {made.kind}")
    return made


def encoding_of(spec: str) -> type[Encoding]:
    """The class that the text of an encoding names."""
    return _read(spec)[0]


def spec_of(encoding: Any) -> str:
    """The text of an encoding that is one already, or text; raises UsageError for what is neither."""
    if isinstance(encoding, (str, os.PathLike)):
        return str(encoding)
    if isinstance(encoding, Encoding):
        if all_encodings().get(encoding.name) is type(encoding):
            return encoding.spec(dict.fromkeys(encoding.settings()))  # whatever else is the default where it is read
        text = f"{type(encoding).__name__} is no encoding that is found by its name, {encoding.name}"
        raise UsageError(text, option="encoding", value=encoding, advice=f"its package names it under {PLUGINS}")
    said = "an encoding is text such as 'sinusoidal:base=10'"
    if (shape := getattr(encoding, "shape", None)) is None:
        raise UsageError(f"{said}, not {shorten(encoding, written=True)}", option="encoding", value=encoding)
    text = f"{said}, and this is an array of {' × '.join(map(str, shape))} numbers"
    advice = f"numpy.save('table.npy', array), then '{Learned.name}:file=table.npy'"
    raise UsageError(text, option="encoding", advice=advice)


def _read(spec: str) -> tuple[type[Encoding], dict[str, str]]:
    """The class and the parameters in the text of an encoding; out of a model's config.json where it names one."""
    spec = spec_of(spec)
    name, _, text = spec.partition(":")
    if name.strip() not in ENCODINGS:
        from pecli.models.spec import config_spec, config_words

        config = config_words(spec, all_encodings())
        if config is not None:
            path, layers, text = config
            kind, values = _read(config_spec(path, layers))
            return kind, {**values, **_parameters(spec, text, kind.options())}
    kind = find_encoding(name.strip())
    return kind, _parameters(spec, text, kind.options())


def _parameters(spec: str, text: str, known: Mapping[str, Option]) -> dict[str, str]:
    parameters: dict[str, str] = {}
    last = ""
    for escaped in re.split(r"(?<!\\),", text) if text else []:
        piece = escaped.replace("\\,", ",")
        key, equals, value = piece.partition("=")
        if equals:
            last = own_name(known, key.strip())
            if last in parameters:
                raise UsageError(f"encoding '{spec}' gives {last} twice", option="encoding", value=spec)
            parameters[last] = value.strip()
        elif last:
            parameters[last] += "," + piece
        else:
            text = f"encoding '{spec}' is not of the form name:parameter=value,…"
            advice = _table_advice(piece) or "try sinusoidal:base=10"
            raise UsageError(text, option="encoding", value=spec, advice=advice)
    return parameters
