"""Reading of an untrusted YAML file as plain values, with PyYAML."""

from __future__ import annotations

import re
from typing import Any

from pecli.core.errors import PecliError

MAX_SIZE = 1 << 20  # bytes
MAX_VALUES = 1 << 16  # largest number of values, counting each alias of an anchor
MAX_DEPTH = 32
FLOAT = re.compile(r"[-+]?(\d+\.?\d*|\.\d+)[eE][-+]?\d+")  # a number in YAML 1.2 and OmegaConf, a string in YAML 1.1
REFERENCE = re.compile(r"\$\{([\w.-]+)\}")


def read_yaml(data: bytes) -> Any:
    """Return the value of a YAML file, with references ${a.b} replaced by the values that they name.

    Raises
    ------
    ValueError : the YAML is invalid, has values that are not plain, or is larger than a config
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
    """Return a copy in which aliases are separate values; raise ValueError if it is too large or recursive.

    count : number of values copied so far, as a list of one item that is increased in place
    depth : number of enclosing values
    """
    count[0] += 1
    if count[0] > MAX_VALUES or depth > MAX_DEPTH:
        raise ValueError("it contains more values than a config can have")
    if isinstance(value, dict):
        return {str(key): _plain(item, count, depth + 1) for key, item in value.items()}
    if isinstance(value, list):
        return [_plain(item, count, depth + 1) for item in value]
    if isinstance(value, str):
        return float(value) if FLOAT.fullmatch(value) else value
    return value if value is None or isinstance(value, (bool, int, float)) else str(value)


def _resolved(value: Any, top: Any) -> Any:
    """Return the value with references replaced by what they name in `top`, the value of the whole file.

    A reference that names nothing, an object or a list stays unchanged. A text that replaces a reference is not
    searched for further references.
    """
    if isinstance(value, dict):
        return {key: _resolved(item, top) for key, item in value.items()}
    match = REFERENCE.fullmatch(value) if isinstance(value, str) else None
    found = top
    for name in match[1].split(".") if match else ():
        found = found.get(name) if isinstance(found, dict) else None
    return value if match is None or found is None or isinstance(found, (dict, list)) else found
