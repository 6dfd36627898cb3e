"""A YAML file as plain values, read with PyYAML; the file is not trusted."""

from __future__ import annotations

import re
from typing import Any

from pecli.core.errors import PecliError

MAX_SIZE = 1 << 20  # bytes
MAX_VALUES = 1 << 16  # of all objects and lists, where one that is named twice counts twice
MAX_DEPTH = 32
FLOAT = re.compile(r"[-+]?(\d+\.?\d*|\.\d+)[eE][-+]?\d+")  # a number in YAML 1.2 and for OmegaConf, a text in 1.1
REFERENCE = re.compile(r"\$\{([\w.-]+)\}")


def read_yaml(data: bytes) -> Any:
    """Return what a file holds, with the references ${a.b} in it replaced by what stands there.

    Raises
    ------
    ValueError : no YAML, of other than plain values, or larger than a config
    PecliError : PyYAML is not installed
    """
    try:
        import yaml
    except ImportError:
        raise PecliError("YAML files need PyYAML: pip install 'position-encoding-cli[yaml]'") from None
    if len(data) > MAX_SIZE:
        raise ValueError(f"it is larger than {MAX_SIZE:,} bytes")
    try:
        value = yaml.load(data, getattr(yaml, "CSafeLoader", yaml.SafeLoader))
    except (yaml.YAMLError, UnicodeDecodeError) as error:
        raise ValueError(" ".join(str(error).split())) from None
    plain = _plain(value, [0], 0)
    return _resolved(plain, plain)


def _plain(value: Any, count: list[int], depth: int) -> Any:
    """Return a copy without names of one thing in several places; raises ValueError for one without an end."""
    count[0] += 1
    if count[0] > MAX_VALUES or depth > MAX_DEPTH:
        raise ValueError("it holds more values than a config can have")
    if isinstance(value, dict):
        return {str(key): _plain(item, count, depth + 1) for key, item in value.items()}
    if isinstance(value, list):
        return [_plain(item, count, depth + 1) for item in value]
    if isinstance(value, str):
        return float(value) if FLOAT.fullmatch(value) else value
    return value if value is None or isinstance(value, (bool, int, float)) else str(value)


def _resolved(value: Any, top: Any) -> Any:
    """Return a value with each text that is a reference replaced; one that leads nowhere, or on to another, stays."""
    if isinstance(value, dict):
        return {key: _resolved(item, top) for key, item in value.items()}
    match = REFERENCE.fullmatch(value) if isinstance(value, str) else None
    found = top
    for name in match[1].split(".") if match else ():
        found = found.get(name) if isinstance(found, dict) else None
    return value if match is None or found is None or isinstance(found, (dict, list)) else found
