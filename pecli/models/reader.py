"""A model out of its config.json: the encoding of every kind of layer, and what there is to say of the file."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass, field, replace
from itertools import chain
from math import prod
from pathlib import Path
from typing import Any

from pecli.core.errors import FileError, UnknownNameError, UsageError, path_text
from pecli.core.language import say
from pecli.encodings.registry import Encoding, find_encoding
from pecli.encodings.rope import Rope
from pecli.models.config_file import Keys, WrongTypeError, read_config, shown
from pecli.models.dialects import Dialect, dialect_of, dialects, translate
from pecli.models.layers import (
    FULL,
    LEVELS,
    LINEAR,
    BuildError,
    Finding,
    Reading,
    attention_window,
    codes as finding_codes,
    head_dim,
    layer_kinds,
    max_position,
    patches,
    window,
)
from pecli.models.lint import lint, unused
from pecli.models.model_types import UNDRAWN, architecture_of, remark_on
from pecli.models.position_keys import TOWER
from pecli.models.positions import encoding_parameters, first_row, position_of, rows_beside, table_length
from pecli.models.rope import ORIGINAL, nested_kinds
from pecli.models.scores import DualChunks, Temperature, dual_chunks, logn_of, softmax_factor, temperature_of

INNER = (
    *("text_config", "language_config", "llm_config", "vlm_config", "thinker_config", "language_model", "decoder"),
    *("global_config", "decoder_config"),
)
ENCODERS = ("encoder_config", "vision_config", "audio_config", "backbone_config")  # of a type that is not known itself
ALL = "all"
CONFIG_KEYS = {  # what a config calls the parameters of an encoding
    "base": "rope_theta",
    "d": "head_dim",
    "original": ORIGINAL,
    "max_position": "max_position_embeddings",
    "buckets": "relative_attention_num_buckets",
    "max_distance": "relative_attention_max_distance",
}
LIBRARY_KEYS = ("rope_scaling", "rope_parameters", "transformers_version")  # of transformers alone
OTHER_PROGRAMS = ("model_config", "pretrained_config")  # where MLC and TensorRT-LLM keep what they read
ROPE_WORD = re.compile("rope|rotary|theta|pairing")  # of what is said only where there is a rope
TABLES = ("learned", "sinusoidal", "sincos2d")
WITHOUT_POSITIONS = ("linear_attention", "mlp", "moe", "conv", "no_rope", "no_attention", "cross_attention")


@dataclass(frozen=True)
class Window:
    """How many positions some layers look back over, at most: a key of the config, and the layers that have it."""

    key: str
    length: int
    indices: tuple[int, ...]


@dataclass(frozen=True)
class Layer:
    """The position encoding of some layers of a model.

    name, parameters : the encoding and its parameters; None where there is none, or none that can be built
    length, first_row : rows of a table, and which of them the first position has
    grid : of the patches in a table, or of the window of a bias
    window : that over which these layers look back, or some of them
    axis_names : letters of the axes that share the pairs of a rope, in order
    resized : whether the table is made to fit other images, always or when that is asked for
    max_position : of the context, as far as the file says
    softmax_factor : what scores are multiplied by beside the square of the encoding's attention factor
    temperature : what queries are multiplied by, by their position
    logn : from which length on that is a logarithm, and how many positions have a factor
    axis_lengths : positions that there are along each axis, where the file says so
    dual_chunks : how two runtimes turn queries and keys by chunks
    """

    kind: str
    name: str | None = None
    parameters: Mapping[str, Any] | None = None
    indices: tuple[int, ...] = ()
    max_position: int | None = None
    length: int | None = None
    first_row: int = 0
    grid: tuple[int, ...] | None = None
    resized: str | None = None
    axis_names: str = "thw"
    trouble: str = ""
    window: Window | None = None
    softmax_factor: float = 1.0
    temperature: Temperature | None = None
    logn: tuple[int, int] | None = None
    dual_chunks: DualChunks | None = None
    axis_lengths: tuple[int, ...] = ()

    @property
    def encoding(self) -> Encoding | None:
        """The encoding, where there is one; a rope says the context, and a window that all of these layers have."""
        if self.name is None or self.parameters is None:
            return None
        seen: dict[str, Any] = {}
        if self.name == "rope" and "grid" not in self.parameters:
            window = self.window.length if self.window and self.window.indices == self.indices else None
            seen = {"max_position": self.max_position, "window": window}
        return find_encoding(self.name).make({**seen, **self.parameters})


@dataclass(frozen=True)
class Model:
    """What a config.json says: its architecture, its layers by kind, and findings.

    known : whether the architecture is one that pecli knows
    towers : what reads images, sounds and so on beside the language model
    """

    path: str
    architecture: str
    layers: Mapping[str, Layer]
    findings: tuple[Finding, ...]
    known: bool = True
    towers: Mapping[str, Model] = field(default_factory=dict)


def read_model(path: str | Path, seq_len: int | None = None) -> Model:
    """Return the model in a config.json, a file of another program that pecli knows, or a folder with one.

    Raises
    ------
    FileError : a value of the wrong type, a file of a program or of a model that is not known
    """
    return model_of(str(path), read_config(Path(path)), seq_len)


def model_of(path: str, data: Mapping[str, Any], seq_len: int | None = None) -> Model:
    """Return the model that the content of such a file describes; raises as `read_model` does."""
    keys = Keys(data)
    try:
        if dialect := dialect_of(data):
            model = _translated(path, dialect, data, seq_len)
        else:
            _check_library(path, keys)
            model = _model(path, keys, seq_len)
        return replace(model, findings=(*model.findings, *_beyond(model, seq_len)))
    except UsageError as error:
        raise FileError(f"{path}: {error}") from None


def without_findings(model: Model, codes: Collection[str]) -> Model:
    """Return the model without its findings of these codes; raises UsageError for a code that no finding has."""
    for code in codes:
        if code not in (known := finding_codes()):
            raise UnknownNameError("code", code, known, option="ignore")
    return replace(model, findings=tuple(item for item in model.findings if item.code not in codes))


def _beyond(model: Model, seq_len: int | None) -> Iterator[Finding]:
    """Yield a note where no layers have a context as long as the length in use."""
    contexts = []
    for layer in model.layers.values():
        rope = layer.encoding if layer.name == "rope" else None
        contexts.append(rope.contexts()[1] if isinstance(rope, Rope) else layer.max_position)
    known = [length for length in contexts if length is not None]
    if seq_len is not None and known and max(known) < seq_len:
        yield Finding("seq_len", seq_len, "note", say("findings.beyond_the_context", length=max(known)))


def _translated(path: str, dialect: Dialect, data: Mapping[str, Any], seq_len: int | None) -> Model:
    """Return the model that a file of another program describes."""
    item = translate(dialect, data)
    keys = Keys(item.data, names=item.names)
    longest = keys.length("max_position_embeddings")
    reading = Reading(keys, item.architecture, seq_len or (longest if dialect.at_longest else None), item.findings)
    layers = _merged(_layers(reading))
    layers |= {kind: _also(reading, kind) for kind in item.architecture.also}
    towers = {}
    for key, name in dialect.towers.items():
        if isinstance(value := item.objects.get(key), dict):
            try:
                towers[key.partition("_")[0]] = _tower_of(path, name, value)
            except UsageError as error:
                reading.add("warning", key, say("findings.not_built", reason=str(error)))
    found = sorted(reading.findings, key=lambda finding: LEVELS.index(finding.level))
    turning = any(layer.kind == "rope" for layer in layers.values())
    found = [finding for finding in found if turning or not (finding.value is None and ROPE_WORD.search(finding.key))]
    return Model(path, item.architecture.name, layers, tuple(found), towers=towers)


def _tower_of(path: str, name: str, data: Mapping[str, Any]) -> Model:
    """Return the model that an object inside of a file describes: one of timm where it names that, or a ResNet."""
    if isinstance(data.get("layers"), list):
        return _translated(path, dialects()[f"{name.partition('_vision')[0]}_resnet"], data, None)
    if "timm_model_name" in data:
        return _translated(path, dialects()["timm"], {**data, "architecture": data["timm_model_name"]}, None)
    return _translated(path, dialects()[name], data, None)


def _also(reading: Reading, kind: str) -> Layer:
    """Return what an architecture has beside the positions of its layers."""
    if kind == "timestep" and reading.keys.text("time_kind") == "fourier":  # random rates, in the weights
        return Layer("fourier", parameters={"d": 2 * (reading.keys.whole("time_width") or 0)})
    layer = _layer(reading, kind, kind, ALL, ())
    return replace(layer, kind="sinusoidal") if kind == "timestep" else layer


def _check_library(path: str, keys: Keys) -> None:
    """Raise FileError for a file that is not one of transformers, or does not say of which model it is."""
    inner = _part(keys)
    parts = [keys, *(() if inner is None else (inner, *filter(None, (_part(inner),))))]
    names = [part.data[key] for part in parts for key in ("model_type", "architectures") if key in part]
    foreign = [key for key in OTHER_PROGRAMS if "model_type" not in (keys.table(key) or {"model_type"})]
    known = any(architecture_of(part).known for part in parts)
    if not foreign and (known or (names and any(part.first(*LIBRARY_KEYS) for part in parts))):
        return
    reason = "it has neither model_type nor architectures"
    if foreign:
        reason = f"transformers has no key {foreign[0]}"
    elif names:
        reason = (
            f"{shown(names[0])} is no model type that pecli knows, and the file has none of {', '.join(LIBRARY_KEYS)}"
        )
    others = ", ".join(item.title for item in dialects().values() if item.needs)
    advice = f"pecli reads the config.json of transformers, and {others}"
    raise FileError(f"{path_text(path)} is of an unknown kind ({reason})", advice=advice)


def _model(path: str, keys: Keys, seq_len: int | None, outer: str | None = None, tower: str = "") -> Model:
    """Return the model that an object describes: that of the part for language, where there are several parts.

    outer, tower : the model_type of the config around it, and what that one calls this part
    """
    inner, name = _part(keys), keys.text("model_type") or outer
    if inner is not None:
        model = _model(path, inner, seq_len, name)
    else:
        reading = _reading(keys, seq_len, outer, tower)
        item, layers = reading.architecture, _merged(_layers(reading))
        lint(reading, [layer.kind for layer in layers.values()])
        layers |= {kind: _also(reading, kind) for kind in item.also}
        model = Model(path, item.name, layers, tuple(reading.findings), item.known)
    towers, findings = _towers(path, keys, inner, name)
    if remark := remark_on(name):
        findings.append(Finding("model_type", name, "note", say(remark)))
    findings += model.findings
    undrawn = any(layer.kind in UNDRAWN for layer in model.layers.values())
    findings += unused(keys, findings, undrawn, inner)
    found = sorted(findings, key=lambda item: LEVELS.index(item.level))
    return replace(model, towers={**model.towers, **towers}, findings=tuple(found))


def _towers(path: str, keys: Keys, text: Keys | None, outer: str | None) -> tuple[dict[str, Model], list[Finding]]:
    """Return what is beside the language model, and what is wrong or odd in it."""
    towers: dict[str, Model] = {}
    findings: list[Finding] = []
    for key, value in keys.data.items():
        inside = isinstance(value, dict) and (value.get("model_type") or TOWER.fullmatch(key))
        if not inside or not value or (text is not None and value is text.data):
            continue
        name, place = key.removesuffix("_config"), f"{keys.place}{key}"
        try:
            model = _model(path, Keys(value, f"{place}."), None, outer, name)
        except UsageError as error:
            findings.append(Finding(place, None, "warning", say("findings.not_built", reason=str(error))))
            continue
        towers |= {name: model, **model.towers}
        errors = "error" if model.known else "warning"  # of what is only guessed from keys
        levels = {"error": errors, "warning": "warning"}
        findings += [
            replace(item, key=f"{place}.{item.key}", level=levels[item.level])
            for item in model.findings
            if item.level in levels
        ]
    return towers, findings


def _reading(keys: Keys, seq_len: int | None, outer: str | None, tower: str) -> Reading:
    """Return a config without the keys that its architecture does not read."""
    architecture = architecture_of(keys, outer, tower)
    unread = [name for name in architecture.unread if name in keys]
    kept = Keys({name: value for name, value in keys.data.items() if name not in unread}, keys.place, keys.read)
    reading = Reading(kept, architecture, seq_len)
    for name in unread:
        reading.warning(name, "findings.unread_by_version_5", keys.data[name], name=architecture.name)
    if not reading.architecture.known:
        reading.warning("model_type", "findings.unknown_model_type")
    return reading


def _part(keys: Keys) -> Keys | None:
    """Return the part inside that is of the language model; None where there is none, or an empty one."""
    named = [name for name in INNER if name.endswith("_config") or isinstance(keys.data.get(name), dict)]
    named += [] if architecture_of(keys).known else ENCODERS
    return next(filter(None, map(keys.table, named)), None)


def _layers(reading: Reading) -> dict[str, Layer]:
    """Return the layers by stack and kind."""
    item = reading.architecture
    if not item.encoder_decoder:
        return _stack(reading, ALL, layer_kinds(reading.keys, item))
    layers = {}
    for stack in ("encoder", "decoder"):
        names = (f"{stack}_layers", f"num_{stack}_layers", "num_layers", "num_hidden_layers")
        count = reading.keys.whole(*names) or item.sizes.get("layers", 0)
        layers[stack] = next(iter(_stack(reading, stack, [FULL] * count).values()))
    return layers


def _stack(reading: Reading, stack: str, kinds: list[str]) -> dict[str, Layer]:
    """Return the layers of one stack by kind."""
    position = position_of(reading, stack)
    nested = nested_kinds(reading) if position == "rope" else []
    places: dict[str, list[int]] = {}
    for layer, kind in enumerate(kinds):
        places.setdefault(kind, []).append(layer)
    if nested and not set(nested) & set(places):  # the file has names of its own for its bases
        return {kind: _layer(reading, position, kind, stack, ()) for kind in nested}
    without = _without_rope(reading)
    result = {}
    for kind, indices in (places or {FULL: []}).items():
        null = reading.given.data.get(kind, kind) is None  # rope_parameters has null for that kind
        none = position == "rope" and (kind in without or kind in WITHOUT_POSITIONS or null)
        result[kind] = _layer(reading, "none" if none else position, kind, stack, tuple(indices))
    turning = {kind for kind, layer in result.items() if layer.kind == "rope"}
    for kind in {*nested} - turning:  # of which there are no layers
        Keys({kind: reading.given.data[kind]}, reading.given.place, reading.given.read).settle()
    if not turning:
        reading.given.settle()
    return result


def _without_rope(reading: Reading) -> tuple[str, ...]:
    """Return the kinds of layers that the architecture leaves without rope."""
    keys, architecture = reading.keys, reading.architecture
    without = architecture.nope_layer_types
    if architecture.nope_needs_window and keys.data.get("sliding_window", 0) is None:
        without = ()
    for kind in without:
        if kind != LINEAR:
            reading.note("layer_types", "findings.no_rope_by_default", name=architecture.name, kind=kind)
    if architecture.nope_interval or keys.first("no_rope_layers", "layer_rope_theta"):
        without = (*without, architecture.nope_kinds[1])
    return without


def _layer(reading: Reading, position: str, kind: str, stack: str, indices: tuple[int, ...]) -> Layer:
    """Return the layers of one kind; what keeps their encoding from being built is a finding."""
    plain = Layer(position.partition("_")[0], indices=indices, max_position=max_position(reading))
    if span := attention_window(reading.keys, reading.architecture, kind):
        halved = " / 2" * (span[0] in reading.architecture.halved)
        plain = replace(plain, window=Window(span[0] + halved, span[1], indices))
        if span[0] not in reading.keys:
            reading.assumed(*span)
    try:
        made = encoding_parameters(reading, position, kind, stack, indices[0] if indices else 0)
        if position == "relative_key":
            return _table_of_offsets(reading, plain)
        if made is None and position == "none":
            return replace(plain, temperature=temperature_of(reading, False))
        if made is None:
            return replace(plain, grid=window(reading) if plain.kind == "bias2d" else None)
        find_encoding(made[0]).make(made[1])
    except WrongTypeError:
        raise
    except UsageError as error:
        key = CONFIG_KEYS.get(error.option or "", error.option) or reading.given.place[:-1] or "config"
        level = "note" if plain.kind in TABLES else "error"  # a size that is not known here
        other = "findings.not_allowed" if error.allowed else "findings.not_built"
        other = say(other, allowed=error.allowed, reason=error.text)
        text = error.reason if isinstance(error, BuildError) else other
        value = error.value if isinstance(error, BuildError) else None
        value = reading.given.data.get(key, reading.keys.data.get(key)) if value is None else value
        reading.add(level, key, text, value)
        return replace(plain, trouble=f"{key}: {text}" if value is None else f"{key} = {shown(value)}: {text}")
    plain, item = replace(plain, name=made[0], parameters=made[1]), reading.architecture
    if position == "rope":
        lengths = tuple(map(int, reading.keys.numbers("axis_lengths") or ()))
        plain = replace(plain, softmax_factor=softmax_factor(reading, kind), dual_chunks=dual_chunks(reading))
        plain = replace(plain, temperature=temperature_of(reading, True), logn=logn_of(reading))
        return replace(plain, axis_names=item.axis_names, axis_lengths=lengths)
    length, grid = table_length(reading, stack) if plain.kind in TABLES else None, patches(reading)
    if length is None:
        return plain
    fits = grid is not None and length - prod(grid) in (0, rows_beside(reading))
    first = first_row(reading, length) if plain.kind == "learned" and grid is None else 0
    return replace(plain, length=length, first_row=first, grid=grid if fits else None, resized=item.resized or None)


def _table_of_offsets(reading: Reading, plain: Layer) -> Layer:
    """Return the layers of a BERT with relative_key: each has a table, of offsets from 1 − n to n − 1."""
    count = table_length(reading, ALL)
    if count is None:
        return plain
    blanks = {"rows": 2 * count - 1, "low": 1 - count, "high": count - 1, "count": count}
    alone = reading.architecture.takes("rope")  # ESM, whose table is for "absolute" in both versions
    text = "findings.table_of_offsets_alone" if alone else "findings.table_of_offsets"
    reading.warning("position_embedding_type", text, **blanks)
    if not alone:
        first_row(reading, count)  # of the table in 5.23
    return replace(plain, length=2 * count - 1, parameters={"d": head_dim(reading)})


def _merged(layers: dict[str, Layer]) -> dict[str, Layer]:
    """Return the layers under one name where their encodings are all alike."""
    first, *others = (replace(layer, indices=(), window=None) for layer in layers.values())
    if any(other != first for other in others):
        return layers
    every = [layer.indices for layer in layers.values()]
    indices = every[0] if "encoder" in layers else tuple(sorted(chain(*every)))
    window = next((layer.window for layer in layers.values() if layer.window), None)
    return {ALL: replace(first, indices=indices, window=window)}
