"""A config.json where an encoding is named: ``path[#kind of layer][:parameter=value,…]`` becomes a plain spec."""

from __future__ import annotations

import os
import re
from collections.abc import Container
from functools import lru_cache
from pathlib import Path

from pecli.core.errors import UnknownNameError, UsageError, notice
from pecli.encodings.registry import ENCODINGS, find_encoding
from pecli.models.config_file import NAME, place
from pecli.models.layers import FULL
from pecli.models.reader import ALL, Layer, Model, read_model

WORDS = re.compile(r"(?P<path>.+?)(?:#(?P<kind>[\w-]+))?(?::(?P<text>[A-Za-z_-]+=.*))?", re.DOTALL)
DIFFER = "{path} has layers of other kinds too: {kinds}; {chosen} is taken, name another as {path}#{other}"


def config_words(spec: str, known: Container[str]) -> tuple[str, str | None, str] | None:
    """Path, kind of layer and parameters, where a spec names a config rather than one of the known encodings."""
    found = WORDS.fullmatch(spec)
    if found is None or spec.partition(":")[0].strip() in known:
        return None
    path = found["path"]
    apart = path.endswith(".json") or "/" in path or os.sep in path
    return (path, found["kind"], found["text"] or "") if apart or os.path.isfile(Path(path, NAME)) else None


def is_also_a_model(name: str) -> bool:
    """Whether a name that is taken for an encoding's is that of a model's folder here too."""
    return os.path.isfile(Path(name, NAME)) and config_words(name, ENCODINGS) is None


def config_spec(path: str, kind: str | None) -> str:
    """The plain spec of the layers of that kind; without one of the full layers.

    Raises
    ------
    UsageError : the file cannot be read, has no such layers, or their encoding cannot be built
    """
    try:
        changed = place(Path(path)).stat().st_mtime_ns
    except (OSError, ValueError):
        changed = 0  # what is wrong reading it says
    return _spec(path, kind, changed)


@lru_cache(maxsize=64)
def _spec(path: str, kind: str | None, changed: int) -> str:
    """The spec; tells of other layers, once for a file that does not change."""
    model = read_model(path)
    name, layer = _chosen(model, kind)
    if layer.name is None or layer.parameters is None:
        said = layer.trouble or f"its layers have no position encoding that can be drawn ({layer.kind})"
        raise UsageError(f"{path}: {said}; pecli model {path} tells more")
    others = [other for other in model.layers if other != name] if kind is None else []
    if others:
        notice(DIFFER.format(path=path, kinds=", ".join(others), chosen=name, other=others[0]))
    return find_encoding(layer.name).make(layer.parameters).spec()


def _chosen(model: Model, kind: str | None) -> tuple[str, Layer]:
    if kind is not None:
        if kind not in model.layers:
            raise UnknownNameError(f"kind of layer in {model.path}", kind, model.layers)
        return kind, model.layers[kind]
    drawn = [name for name, layer in model.layers.items() if layer.parameters is not None]
    name = next(
        one for one in (ALL, FULL, *drawn, *model.layers) if one in model.layers and (one in drawn or not drawn)
    )
    return name, model.layers[name]
