"""The one registry of encodings, and the text form of an encoding: ``sinusoidal:base=10,d=64``."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from pecli.encodings.encoding import Encoding
from pecli.encodings.sinusoidal import Sinusoidal
from pecli.errors import UnknownNameError, UsageError

__all__ = ["ENCODINGS", "Encoding", "find_encoding", "read_encoding"]

ENCODINGS: dict[str, type[Encoding]] = {
    Sinusoidal.name: Sinusoidal,
}


def find_encoding(name: str) -> type[Encoding]:
    """The class of that name; raises UnknownNameError with a suggestion."""
    if name not in ENCODINGS:
        raise UnknownNameError("encoding", name, ENCODINGS)
    return ENCODINGS[name]


def read_encoding(spec: str, given: Mapping[str, Any] | None = None) -> Encoding:
    """An encoding from its text; what is `given` beside it wins over what the text says.

    ``name`` or ``name:parameter=value,…``; a comma that no ``parameter=`` follows belongs to the value
    (``clock:periods=60,3600``).
    """
    name, _, text = spec.partition(":")
    return find_encoding(name.strip()).make({**_parameters(spec, text), **(given or {})})


def _parameters(spec: str, text: str) -> dict[str, str]:
    parameters: dict[str, str] = {}
    last = ""
    for piece in text.split(",") if text else []:
        key, equals, value = piece.partition("=")
        if equals:
            last = key.strip().replace("-", "_")
            if last in parameters:
                raise UsageError(f"encoding {spec!r} gives {last} twice")
            parameters[last] = value.strip()
        elif last:
            parameters[last] += "," + piece.strip()
        else:
            raise UsageError(f"encoding {spec!r} is not of the form name:parameter=value,… (try sinusoidal:base=10)")
    return parameters
