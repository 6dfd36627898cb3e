"""The text that names a model's config.json, ``path[#kind of layer or tower][:parameter=value,…]``, as the plain text
of its encoding."""

from __future__ import annotations

import os
import re
from dataclasses import replace
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING

from pecli.core.errors import UnknownNameError, UsageError, notice
from pecli.core.readable import resolve_path
from pecli.encodings.registry import all_encodings
from pecli.encodings.spec import Config, spec_of
from pecli.models.config_file import ENDINGS, place

if TYPE_CHECKING:  # most texts are no config's: what reads those takes as long to load as a small picture to compute
    from pecli.models.reader import Layer, Model

CONFIG_SPEC = re.compile(r"(?P<path>.+?)(?:#(?P<kind>[\w-]+))?(?::(?P<text>[A-Za-z_-]+=.*))?", re.DOTALL)
SCORES = "scores"  # instead of a kind of layers: those whose scores are multiplied by a factor, else the usual ones
NAMED = "named"  # instead of a kind of layers: the usual ones, under the name of the model's type
OTHER_LAYERS = "{path} has layers of other kinds too: {kinds}; {chosen} is taken, name another as {path}#{other}"


def read_config_spec(spec: str) -> Config | None:
    """Return path and kind of layer as typed, the plain text, and the parameters behind it; None of other texts."""
    words = config_words(spec)
    if words is None:
        return None
    path, layers, text = words
    return path + (f"#{layers}" if layers else ""), config_spec(resolve_path(path), layers), text


def config_words(spec: str) -> tuple[str, str | None, str] | None:
    """Return path, kind of layer and parameters, where a spec names a config rather than one of the known encodings."""
    match = CONFIG_SPEC.fullmatch(spec)
    if match is None or spec.partition(":")[0].strip() in all_encodings():
        return None
    path = match["path"]
    apart = path.endswith(ENDINGS) or "/" in path or os.sep in path
    folder = Path(resolve_path(path))
    isfolder = os.path.isdir(folder) and os.path.isfile(place(folder))
    return (path, match["kind"], match["text"] or "") if apart or isfolder else None


def config_spec(path: str, kind: str | None) -> str:
    """Return the plain spec of the layers of that kind, else of the full ones; raises UsageError for what is wrong."""
    try:
        changed = place(Path(path)).stat().st_mtime_ns
    except (OSError, ValueError):
        changed = 0  # what is wrong reading it says
    return _spec(path, kind, changed)


@lru_cache(maxsize=64)
def _spec(path: str, kind: str | None, changed: int) -> str:
    """Return the spec; tells of other layers, once for a file that does not change."""
    from pecli.models.reader import read_model

    model = read_model(path)
    if kind == SCORES and kind not in model.layers:
        return _spec_of_scores(model)
    named, kind = kind == NAMED and kind not in model.layers, None if kind == NAMED else kind
    name, layer = _chosen(model, kind)
    if layer.encoding is None:
        text = layer.trouble or f"its layers have no position encoding that can be drawn ({layer.kind})"
        raise UsageError(f"{path}: {text}; pecli model {path} tells more")
    others = [other for other in model.layers if other != name] if kind is None else []
    if others:
        notice(OTHER_LAYERS.format(path=path, kinds=", ".join(others), chosen=name, other=others[0]))
    made = layer.encoding
    return spec_of(replace(made, label=made.label or _short_name(model)) if named else made)  # with d, which may differ


def of_layers(spec: str, layers: str) -> str:
    """Return a spec with the layers that are looked at, where it names a config and none of its layers."""
    words = config_words(spec)
    return spec if words is None or words[1] else f"{words[0]}#{layers}" + (f":{words[2]}" if words[2] else "")


def _spec_of_scores(model: Model) -> str:
    """Return a rope under the model's name that carries what scores are multiplied by, of the layers that have most.

    Layers without rope stand for one whose pairs do not turn.
    """
    from pecli.encodings.rope import Rope

    found = [layer for layer in model.layers.values() if layer.temperature or layer.logn or layer.softmax_factor != 1]
    layer = found[0] if found else _chosen(model, None)[1]
    rope = layer.encoding
    if rope is None and layer.kind == "none":
        rope = Rope(scaling="proportional", partial_rotary_factor=0.0)
    if not isinstance(rope, Rope):
        text = layer.trouble or f"pecli knows no factor on the scores of its layers ({layer.kind})"
        raise UsageError(f"{model.path}: {text}; pecli model {model.path} tells more")
    warm = layer.temperature
    steps = None if warm is None else (warm.scale, float(warm.length), float(warm.offset))
    made = replace(
        rope, d=rope.width, rotary_dim=None, temperature=steps, logn=layer.logn, score_factor=layer.softmax_factor
    )
    return spec_of(replace(made, label=rope.label or _short_name(model)))


def _short_name(model: Model) -> str:
    """Return the name of a model's type as a picture shows it: llama4, deepseek v3."""
    return model.architecture.removesuffix("_text").replace("_", " ")


def _chosen(model: Model, kind: str | None) -> tuple[str, Layer]:
    from pecli.models.layers import FULL
    from pecli.models.reader import ALL

    if kind is not None and kind in model.towers:
        return _chosen(model.towers[kind], None)
    if kind is not None:
        if kind not in model.layers:
            raise UnknownNameError(f"kind of layer in {model.path}", kind, [*model.layers, *model.towers])
        return kind, model.layers[kind]
    drawn = [name for name, layer in model.layers.items() if layer.parameters is not None]
    name = next(
        item for item in (ALL, FULL, *drawn, *model.layers) if item in model.layers and (item in drawn or not drawn)
    )
    return name, model.layers[name]
