"""Specs, the text form of encodings: ``sinusoidal:base=10,d=64``.

A spec may also name a model's config.json; `pecli.models.spec` reads those, and is only imported for them.
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Mapping, Sequence
from itertools import product
from numbers import Real
from pathlib import Path
from typing import Any, Protocol

from pecli.core.errors import UsageError, shorten
from pecli.core.lazy import Array, Registry
from pecli.core.options import Option, canonical_name, default_values, with_canonical_names
from pecli.core.readable import resolve_path
from pecli.encodings.base import Encoding, TableEncoding
from pecli.encodings.learned import Learned
from pecli.encodings.registry import ENCODINGS, PLUGINS, all_encodings, find_encoding, table_advice
from pecli.files.tables import PICKLES, TABLE_READERS, hold

TEXT = r"(?::(?P<text>[A-Za-z_-]+=.*))?"
TABLE_SPEC = re.compile(rf"(?P<path>.+?\.\w+)(?:#(?P<tensor>[^#:]+))?{TEXT}", re.DOTALL)
HUB_TABLE = re.compile(rf"(?P<path>hf:[^#]+)#(?P<tensor>[^#:.]*\.[^#:]+){TEXT}", re.DOTALL)
Config = tuple[str, str, str]  # path and kind of layer as typed; spec of the encoding; parameters after the path
CONFIGS: Registry[Callable[[str], Config | None]] = Registry(
    {"config": ("pecli.models.spec:read_config_spec", "the text of a model's config.json; None of other texts")}
)


class HasArray(Protocol):
    """Objects that numpy can convert to an array: numpy arrays, torch tensors on the CPU, data frames."""

    def __array__(self) -> Array: ...


Spec = str | HasArray  # an encoding as text, or as a table with one row per position


def read_encoding(
    spec: Spec, given: Mapping[str, Any] | None = None, defaults: Mapping[str, Any] | None = None
) -> Encoding:
    """Return an encoding from its spec. Values in `given` override the spec, and both override `defaults`.

    A spec is ``name`` or ``name:parameter=value,…``, or the path of a table or of a model's config.json. A comma
    belongs to the value if no ``parameter=`` follows (``clock:periods=60,3600``) or if a backslash precedes it.
    """
    spec = spec_of(spec)  # a reference keeps the array alive
    kind, written = parse_encoding(spec)
    own = with_canonical_names(kind.options(), given or {})
    return kind.make({**default_values(kind.options(), defaults or {}), **written, **own})


def read_table_encoding(spec: Spec, given: Mapping[str, Any] | None = None) -> TableEncoding:
    """Return a table encoding from its spec; raise UsageError if the encoding has no table."""
    made = read_encoding(spec, given)
    if not isinstance(made, TableEncoding):
        raise UsageError(f"{made.name} has no table: it is {made.kind}")
    return made


def encoding_of(spec: Spec) -> type[Encoding]:
    """Return the class of the encoding that a spec names."""
    return _parts(spec_of(spec))[0]


def spec_of(encoding: Any) -> str:
    """Return the spec of an encoding given as an `Encoding`, a text or a table; raise UsageError for other objects.

    A table (any object that numpy can convert to an array) becomes a `Learned`.
    """
    if isinstance(encoding, (str, os.PathLike)):
        return os.fspath(encoding)
    if isinstance(encoding, Encoding):
        if all_encodings().get(encoding.name) is type(encoding):
            # with all parameters, because defaults differ between figures
            return encoding.spec(dict.fromkeys(encoding.settings()))
        text = f"{type(encoding).__name__} is not the encoding that pecli finds under its name, {encoding.name}"
        raise UsageError(text, option="encoding", value=encoding, advice=f"its package must list it under {PLUGINS}")
    if hasattr(encoding, "__array__") and not isinstance(encoding, Real):  # numpy scalars have __array__ too
        return hold(encoding, f"{Learned.name}:file={{}}")
    item = "an encoding is text such as 'sinusoidal:base=10', or an array of two dimensions"
    raise UsageError(f"{item}, not {shorten(repr(encoding))}", option="encoding", value=encoding)


def parse_encoding(spec: Spec) -> tuple[type[Encoding], dict[str, str]]:
    """Return the class that a spec names, and the texts of its parameters by name, not parsed yet.

    For the spec of a model's config.json, both come from the model.
    """
    kind, _, told, written = _parts(spec_of(spec))
    for name in [name for name, texts in written.items() if len(texts) > 1]:
        raise UsageError(f"encoding '{spec}' gives {name} twice", option="encoding", value=spec)
    return kind, told | {name: text for name, (text,) in written.items()}


def spread_spec(spec: str, given: Mapping[str, Sequence[str]] | None = None) -> list[str]:
    """Return one spec for each value of a range or a repeated parameter, such as ``rope:base=10,base=100``.

    given : values of parameters that replace those in the spec
    """
    kind, head, _, written = _parts(spec)
    written |= {name: list(texts) for name, texts in (given or {}).items()}
    one = {name: item for name, item in kind.options().items() if not item.many}
    values = {
        n: [v for text in texts for v in (one[n].spread(text) if n in one else [text])] for n, texts in written.items()
    }
    if not given and all(len(texts) == 1 for texts in values.values()):
        return [spec]
    made = []
    for each in product(*values.values()):
        texts = (text.replace(",", r"\,") if name in one else text for name, text in zip(values, each, strict=True))
        made.append(f"{head}:{','.join(map('='.join, zip(values, texts, strict=True)))}")
    return made


def _parts(spec: str) -> tuple[type[Encoding], str, dict[str, str], dict[str, list[str]]]:
    """Return the class, the text before the parameters, the parameters from a config, and those written in the spec."""
    name, _, text = spec.partition(":")
    known = name.strip() in ENCODINGS or name.strip() in all_encodings()  # plugins load only if needed
    if not known and (table := table_words(spec)) is not None:
        path, tensor, text = table
        head, named = ("", {}) if tensor is None else (f"#{tensor}", {"tensor": tensor})
        return Learned, path + head, {"file": path, **named}, _parameters(spec, text, Learned.options())
    if not known and (config := CONFIGS["config"](spec)) is not None:
        head, plain, text = config
        kind, told = parse_encoding(plain)
        return kind, head, told, _parameters(spec, text, kind.options())
    kind = find_encoding(name.strip())
    return kind, name, {}, _parameters(spec, text, kind.options())


def table_words(spec: str) -> tuple[str, str | None, str] | None:
    """Return (path, tensor, parameters) of a spec that names a file with a table; None for other specs.

    Pickles are included, because the error on reading one says how to convert it. In hf:org/name#NAME, a NAME with a
    dot is that of a tensor; names of layers have none.
    """
    if match := HUB_TABLE.fullmatch(spec):
        return match["path"], match["tensor"], match["text"] or ""
    match = TABLE_SPEC.fullmatch(spec)
    path = match["path"] if match else ""
    if match is None or Path(path).suffix.lower() not in (*TABLE_READERS, *PICKLES):
        return None
    return (path, match["tensor"], match["text"] or "") if os.path.isfile(resolve_path(path)) else None


def _parameters(spec: str, text: str, known: Mapping[str, Option]) -> dict[str, list[str]]:
    parameters: dict[str, list[str]] = {}
    last = ""
    for escaped in re.split(r"(?<!\\),", text) if text else []:
        piece = escaped.replace("\\,", ",")
        key, equals, value = piece.partition("=")
        if equals:
            last = canonical_name(known, key.strip())
            parameters.setdefault(last, []).append(value.strip())
        elif last:
            parameters[last][-1] += "," + piece
        else:
            text = f"encoding '{spec}' is not of the form name:parameter=value,…"
            advice = table_advice(piece) or "try sinusoidal:base=10"
            raise UsageError(text, option="encoding", value=spec, advice=advice)
    return parameters
