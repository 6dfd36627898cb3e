"""The text form of an encoding: ``sinusoidal:base=10,d=64``. Texts that name a model's config.json are read by those
who know models, and only then is anything of them loaded.
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Mapping, Sequence
from itertools import product
from numbers import Real
from typing import Any, Protocol

from pecli.core.errors import UsageError, shorten
from pecli.core.lazy import Array, Registry
from pecli.core.options import Option, canonical_name, default_values, with_canonical_names
from pecli.encodings.base import Encoding, TableEncoding
from pecli.encodings.learned import Learned
from pecli.encodings.registry import ENCODINGS, PLUGINS, all_encodings, find_encoding, table_advice
from pecli.files.tables import hold

Config = tuple[
    str, str, str
]  # the path and kind of layer as typed, the plain text of the encoding, parameters behind it
CONFIGS: Registry[Callable[[str], Config | None]] = Registry(
    {"config": ("pecli.models.spec:read_config_spec", "the text of a model's config.json; None of other texts")}
)


class HasArray(Protocol):
    """What numpy makes an array of: its own, one of torch on the CPU, a data frame."""

    def __array__(self) -> Array: ...


Spec = str | HasArray  # what names an encoding: its text, or a table, rows for positions


def read_encoding(
    spec: Spec, given: Mapping[str, Any] | None = None, defaults: Mapping[str, Any] | None = None
) -> Encoding:
    """Return an encoding from its text; what is `given` wins over the text, both over the `defaults`.

    ``name`` or ``name:parameter=value,…``; a comma that no ``parameter=`` follows belongs to the value
    (``clock:periods=60,3600``), and so does one after a backslash. Or the path of a model's config.json.
    """
    spec = spec_of(spec)  # kept to the end, as an array is
    kind, written = parse_encoding(spec)
    own = with_canonical_names(kind.options(), given or {})
    return kind.make({**default_values(kind.options(), defaults or {}), **written, **own})


def read_table_encoding(spec: Spec, given: Mapping[str, Any] | None = None) -> TableEncoding:
    """Return the same of an encoding that has a table; raises UsageError for others."""
    made = read_encoding(spec, given)
    if not isinstance(made, TableEncoding):
        raise UsageError(f"{made.name} has no table: it is {made.kind}")
    return made


def encoding_of(spec: Spec) -> type[Encoding]:
    """Return the class that the text of an encoding names."""
    return _parts(spec_of(spec))[0]


def spec_of(encoding: Any) -> str:
    """Return the text of an encoding that is one already, text, or a table; raises UsageError for what is none.

    A table is what numpy makes an array of: it is a `Learned`.
    """
    if isinstance(encoding, (str, os.PathLike)):
        return os.fspath(encoding)
    if isinstance(encoding, Encoding):
        if all_encodings().get(encoding.name) is type(encoding):
            return encoding.spec(dict.fromkeys(encoding.settings()))  # whatever else is the default where it is read
        text = f"{type(encoding).__name__} is not the encoding that pecli finds under its name, {encoding.name}"
        raise UsageError(text, option="encoding", value=encoding, advice=f"its package must list it under {PLUGINS}")
    if hasattr(encoding, "__array__") and not isinstance(encoding, Real):  # as numpy's single numbers are
        return hold(encoding, f"{Learned.name}:file={{}}")
    item = "an encoding is text such as 'sinusoidal:base=10', or an array of two dimensions"
    raise UsageError(f"{item}, not {shorten(repr(encoding))}", option="encoding", value=encoding)


def parse_encoding(spec: Spec) -> tuple[type[Encoding], dict[str, str]]:
    """Return the class that the text of an encoding names, and the parameters written there, not yet read.

    Both come out of a model's config.json where the text names one.
    """
    kind, _, told, written = _parts(spec_of(spec))
    for name in [name for name, texts in written.items() if len(texts) > 1]:
        raise UsageError(f"encoding '{spec}' gives {name} twice", option="encoding", value=spec)
    return kind, told | {name: text for name, (text,) in written.items()}


def spread_spec(spec: str, given: Mapping[str, Sequence[str]] | None = None) -> list[str]:
    """Return the texts of the encodings that one asks for: each value of a range, and of a parameter given repeatedly.

    given : values of parameters that take the place of those written
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
    """Return the class, what stands before parameters, those of a config, and the texts of those that are written."""
    name, _, text = spec.partition(":")
    known = name.strip() in ENCODINGS or name.strip() in all_encodings()  # plugins load only if needed
    if not known and (config := CONFIGS["config"](spec)) is not None:
        head, plain, text = config
        kind, told = parse_encoding(plain)
        return kind, head, told, _parameters(spec, text, kind.options())
    kind = find_encoding(name.strip())
    return kind, name, {}, _parameters(spec, text, kind.options())


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
