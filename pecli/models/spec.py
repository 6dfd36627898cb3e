"""Specs of a model's config.json, ``path[#kind of layer or tower][:parameter=value,…]``, converted to plain specs."""

from __future__ import annotations

import os
import re
from collections.abc import Sequence
from dataclasses import replace
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING

from pecli.core.errors import FileError, UnknownNameError, UsageError, nearest, notice
from pecli.core.hub import is_hub
from pecli.core.positions import MAX_LENGTH
from pecli.core.readable import resolve_path
from pecli.encodings.registry import Encoding, all_encodings
from pecli.encodings.spec import Config, spec_of
from pecli.models.config_file import ENDINGS, config_path

if TYPE_CHECKING:  # imported only for specs that name a config, because importing it takes long
    from pecli.models.reader import Layer, Model

CONFIG_SPEC = re.compile(r"(?P<path>.+?)(?:#(?P<kind>[\w-]+))?(?::(?P<text>[A-Za-z_-]+=.*))?", re.DOTALL)
SCORES = "scores"  # as a kind: the layers with a factor on scores, or the default layers if none has one
EVERY = "every"  # as a kind: all layers, for the figure `layers`
NAMED = "named"  # as a kind: the default layers, labelled with the model's type
OTHER_LAYERS = "{path} has several kinds of layers: {chosen} is drawn, not {kinds}; {path}#{other} selects another kind"
NO_NUMBERS = "{path} contains no trained numbers, so random ones are drawn; for the trained ones, try {typed}"


def read_config_spec(spec: str) -> Config | None:
    """Return (path and kind as typed, plain spec of the encoding, parameters); None if the spec names no config."""
    words = config_words(spec)
    if words is None:
        return None
    path, layers, text = words
    return path + (f"#{layers}" if layers else ""), config_spec(resolve_path(path), layers), text


def config_words(spec: str) -> tuple[str, str | None, str] | None:
    """Return (path, kind of layer, parameters) of a spec that names a config; None for other specs."""
    match = CONFIG_SPEC.fullmatch(spec)
    if match is None or spec.partition(":")[0].strip() in all_encodings():
        return None
    path = match["path"]
    apart = path.endswith(ENDINGS) or "/" in path or os.sep in path
    folder = Path(resolve_path(path))
    isfolder = os.path.isdir(folder) and os.path.isfile(config_path(folder))
    return (path, match["kind"], match["text"] or "") if apart or isfolder else None


def config_spec(path: str, kind: str | None) -> str:
    """Return the plain spec of the encoding of one kind of layer, by default that with full attention.

    Raises
    ------
    FileError : the encoding cannot be built from the file
    UsageError : the layers have no encoding
    """
    try:
        changed = config_path(Path(path)).stat().st_mtime_ns
    except (OSError, ValueError):
        changed = 0  # reading it will raise the error
    return _spec(path, kind, changed)


@lru_cache(maxsize=64)
def _spec(path: str, kind: str | None, changed: int) -> str:
    """Return the result of `config_spec`, and notify about other kinds of layer.

    changed : time of the file's last change, so that the cache does not return the spec of an older version
    """
    from pecli.models.reader import read_model

    model = read_model(path)
    if kind == SCORES and kind not in model.layers:
        return _spec_of_scores(model)
    named, kind = kind == NAMED and kind not in model.layers, None if kind == NAMED else kind
    name, layer = _chosen(model, kind)
    encoding = _encoding(model, layer)
    others = [other for other in model.layers if other != name] if kind is None else []
    if others:
        notice(OTHER_LAYERS.format(path=path, kinds=", ".join(others), chosen=name, other=others[0]))
    if encoding.trained and "file" in encoding.options():
        table = path if is_hub(path) else "model.safetensors"
        notice(NO_NUMBERS.format(path=path, typed=f"-e {encoding.name}:file={table}"))
    made = replace(encoding, label=encoding.label or _short_name(model)) if named else encoding
    return spec_of(made)  # always states d, because figures have different defaults


def every_layer(specs: Sequence[str]) -> dict[str, list[str]]:
    """Return the options `encoding` and `layers` of the figure `layers` for specs of model files; {} if no spec is one.

    Raises
    ------
    UsageError : a spec names parameters or a single kind of layer, or an encoding instead of a file
    """
    from pecli.models.reader import read_model

    words = [config_words(spec) for spec in specs]
    if not any(words):
        return {}
    for spec, own in zip(specs, words, strict=True):
        if own is None:
            text = f"layers takes model files or encodings, but not both, and {spec} is an encoding"
            raise UsageError(text, option="encoding", value=spec)
        if own[1] or own[2]:
            text = f"layers shows all layers of a file unchanged, but {spec} selects or changes some"
            raise UsageError(text, option="encoding", value=spec, advice=f"give {own[0]}")
    models = [read_model(resolve_path(own[0])) for own in words if own]
    names = [_short_name(model) for model in models]
    return layers_of(models, names if len({*names}) == len(names) else [own[0] for own in words if own])


def layers_of(models: Sequence[Model], names: Sequence[str]) -> dict[str, list[str]]:
    """Return the options `encoding` and `layers` of the figure `layers`, each with one item per kind of layer.

    An encoding is labelled with the model's name, and, if layers of several kinds have the same indices, as in an
    encoder and a decoder, with its kind. An item of `layers` is the text of a `Bars`.

    Raises
    ------
    FileError : an encoding cannot be built from the file
    UsageError : no file has layers with a known reach, or they have no encoding that pecli draws
    """
    from pecli.encodings.rope import Rope
    from pecli.models.reach import Bars

    found: dict[str, list[str]] = {"encoding": [], "layers": []}
    for model, name in zip(models, names, strict=True):
        indices = [at for layer in model.layers.values() for at in layer.indices]
        stacks = len({*indices}) < len(indices)
        for kind, layer in model.layers.items():
            within = layer.window.indices if layer.window else ()
            encoding = layer.encoding
            context = (encoding.contexts()[1] if isinstance(encoding, Rope) else None) or layer.max_position
            others = tuple(at for at in layer.indices if at not in {*within})
            near = layer.window.by_reach() if layer.window else {}
            for reach, own in (*near.items(), (context, others)):
                if own:
                    label = f"{name} {kind}" if stacks else name
                    made = replace(_without_rope(layer) or _encoding(model, layer), label=label)
                    found["encoding"].append(spec_of(made))
                    found["layers"].append(Bars(kind, own, min(reach or 0, context or MAX_LENGTH)).write())
    if not any(Bars.read(text).reach for text in found["layers"]):
        raise UsageError("no file states how many layers the model has and how far each layer sees", option="encoding")
    return found


def of_layers(spec: str, layers: str) -> str:
    """Return the spec with ``#layers`` added if it is a config.json without a ``#kind``; otherwise return it unchanged.

    layers : a kind of layer
    """
    words = config_words(spec)
    return spec if words is None or words[1] else f"{words[0]}#{layers}" + (f":{words[2]}" if words[2] else "")


def _encoding(model: Model, layer: Layer) -> Encoding:
    """Return the encoding of a kind of layer.

    Raises FileError if it cannot be built from the file, UsageError if there is none or pecli does not draw it.
    """
    if layer.encoding is None:
        if layer.trouble:
            raise FileError(f"{model.path}: {layer.trouble}; see pecli model {model.path}")
        text = f"its layers have no position encoding that pecli can draw (kind: {layer.kind})"
        raise UsageError(f"{model.path}: {text}; see pecli model {model.path}")
    return layer.encoding


def _without_rope(layer: Layer) -> Encoding | None:
    """Return a RoPE encoding whose pairs do not turn for layers without positions, otherwise None."""
    from pecli.encodings.rope import Rope

    return Rope(scaling="proportional", partial_rotary_factor=0.0) if layer.kind == "none" else None


def _spec_of_scores(model: Model) -> str:
    """Return the spec of a RoPE encoding with the factors on scores, labelled with the model's type.

    The RoPE is that of the first kind of layer with such a factor. For layers without RoPE, no pair of the RoPE is
    rotated.
    """
    from pecli.encodings.rope import Rope

    found = [layer for layer in model.layers.values() if layer.temperature or layer.logn or layer.softmax_factor != 1]
    layer = found[0] if found else _chosen(model, None)[1]
    rope = layer.encoding or _without_rope(layer)
    if not isinstance(rope, Rope):
        if layer.trouble:
            raise FileError(f"{model.path}: {layer.trouble}; see pecli model {model.path}")
        text = f"pecli knows no factor on the attention scores of its layers (kind: {layer.kind})"
        raise UsageError(f"{model.path}: {text}; see pecli model {model.path}")
    warm = layer.temperature
    steps = None if warm is None else (warm.scale, float(warm.length), float(warm.offset))
    made = replace(
        rope, d=rope.width, rotary_dim=None, temperature=steps, logn=layer.logn, score_factor=layer.softmax_factor
    )
    return spec_of(replace(made, label=rope.label or _short_name(model)))


def _short_name(model: Model) -> str:
    """Return the model's type as a label, such as "llama4" or "deepseek v3"."""
    return model.architecture.removesuffix("_text").replace("_", " ")


def _chosen(model: Model, kind: str | None) -> tuple[str, Layer]:
    from pecli.models.facts import FULL
    from pecli.models.reader import ALL

    if kind is not None and kind in model.towers:
        return _chosen(model.towers[kind], None)
    if kind is not None:
        if kind not in model.layers:
            kinds = [*model.layers, *model.towers]
            near = next(iter(nearest(kind, kinds)), kinds[0])
            raise UnknownNameError("kind of layer", kind, kinds, advice=f"try {model.path}#{near}")
        return kind, model.layers[kind]
    drawn = [name for name, layer in model.layers.items() if layer.parameters is not None]
    name = next(
        item for item in (ALL, FULL, *drawn, *model.layers) if item in model.layers and (item in drawn or not drawn)
    )
    return name, model.layers[name]
