"""Reading of a model from its config.json: the encoding of every kind of layer, and findings on the file."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass, field, replace
from itertools import chain
from math import prod
from pathlib import Path
from typing import Any

from pecli.core.errors import FileError, UsageError, nearest, path_text, shorten
from pecli.core.language import say
from pecli.encodings.registry import Encoding, find_encoding
from pecli.encodings.rope import Rope
from pecli.models.config_file import Content, Keys, WrongTypeError, read_config, safe_text
from pecli.models.dialects import Dialect, dialect_of, dialects, translate
from pecli.models.facts import ALL as ALL, FULL, LINEAR, OTHER_KEYS, SLIDING, UNDRAWN
from pecli.models.layers import (
    LEVELS,
    BuildError,
    Finding,
    Reading,
    attention_window,
    codes as finding_codes,
    head_dim,
    layer_kinds,
    max_position,
    patches,
    trained_length,
    window,
)
from pecli.models.lint import ROPE_KEYS, compare_bases, lint, unused
from pecli.models.model_types import architecture_of, remark_on
from pecli.models.position_keys import TOWER, is_of_positions
from pecli.models.positions import (
    SPEECH_TYPE,
    encoding_parameters,
    first_row,
    first_sinusoid,
    position_of,
    rows_beside,
    speech_position,
    table_length,
)
from pecli.models.rope import ORIGINAL, nested_kinds
from pecli.models.scores import DualChunks, Temperature, dual_chunks, logn_of, softmax_factor, temperature_of

INNER = (
    *("text_config", "language_config", "llm_config", "vlm_config", "thinker_config", "language_model", "decoder"),
    *("global_config", "decoder_config"),
)
# searched only if the outer type is unknown
ENCODERS = ("encoder_config", "vision_config", "audio_config", "backbone_config")
CONFIG_KEYS = {  # parameter of an encoding to its key in a config
    "base": "rope_theta",
    "d": "head_dim",
    "original": ORIGINAL,
    "max_position": "max_position_embeddings",
    "buckets": "relative_attention_num_buckets",
    "max_distance": "relative_attention_max_distance",
}
LIBRARY_KEYS = ("rope_scaling", "rope_parameters", "transformers_version")  # keys that only transformers writes
OTHER_PROGRAMS = ("model_config", "pretrained_config")  # objects in files of MLC and TensorRT-LLM
ROPE_WORD = re.compile("rope|rotary|theta|pairing")  # findings on these keys are kept only if there is a rope
TABLES = ("learned", "sinusoidal", "sincos2d")
WITHOUT_POSITIONS = ("linear_attention", "mlp", "moe", "conv", "no_rope", "no_attention", "cross_attention")


@dataclass(frozen=True)
class Window:
    """An attention window.

    key : the key of its length, and what the code makes of the number there
    length : number of keys that a query sees up to its own position, which is included
    indices : indices of its layers
    ahead : number of keys that it sees after its own position
    each : number of all keys that a query sees in each of these layers, if they differ; then `length` and `ahead` are
        the largest
    """

    key: str
    length: int
    indices: tuple[int, ...]
    ahead: int = 0
    each: tuple[int, ...] = ()

    @property
    def seen(self) -> int:
        """The number of keys that a query sees on both sides, its own included."""
        return self.length + self.ahead

    def by_reach(self) -> dict[int, tuple[int, ...]]:
        """Return the indices of the layers by the number of keys that a query sees in them."""
        found: dict[int, tuple[int, ...]] = {}
        for at, seen in zip(self.indices, self.each or (self.seen,) * len(self.indices), strict=True):
            found[seen] = (*found.get(seen, ()), at)
        return found


@dataclass(frozen=True)
class Layer:
    """The position encoding of the layers of one kind.

    name, parameters : the encoding and its parameters; None if there is none or it cannot be built
    length, first_row : number of rows of a table, and the row of the first position
    grid : sides of the grid of patches in a table, or of the window of a bias
    window : attention window of these layers, or of some of them
    axis_names : letters of the axes that share the pairs of a RoPE encoding, in order
    resized : whether the table is interpolated for other image sizes: "always", or only if "asked"
    trouble : why the encoding cannot be built
    max_position : length of the context, if the file has it
    softmax_factor : factor of the scores, besides the square of the encoding's attention factor
    temperature : factor of the queries that depends on their position
    logn : length beyond which queries have a logarithmic factor, and number of positions that have one
    axis_lengths : number of positions along each axis, if the file has it
    dual_chunks : dual chunk attention, as in vLLM and SGLang
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
        """The encoding; None if the layers have none.

        A RoPE encoding also gets the context, and the window if all of these layers have it.
        """
        if self.name is None or self.parameters is None:
            return None
        seen: dict[str, Any] = {}
        if self.name == "rope" and "grid" not in self.parameters:
            window = self.window.length if self.window and self.window.indices == self.indices else None
            chunks = self.dual_chunks and (self.dual_chunks.length, self.dual_chunks.largest, self.dual_chunks.original)
            known = tuple(filter(None, chunks or ())) or None
            seen = {"max_position": self.max_position, "window": window, "dual_chunks": known}
        return find_encoding(self.name).make({**seen, **self.parameters})


@dataclass(frozen=True)
class Model:
    """A model as its config.json describes it: architecture, layers by kind, and findings.

    known : True if pecli knows the architecture
    towers : parts besides the language model, for images, sound and so on
    """

    path: str
    architecture: str
    layers: Mapping[str, Layer]
    findings: tuple[Finding, ...]
    known: bool = True
    towers: Mapping[str, Model] = field(default_factory=dict)


def read_model(path: str | Path, seq_len: int | None = None) -> Model:
    """Return the model in a config.json, in a file of another known program, or in a folder with such a file.

    seq_len : the current sequence length, for scalings that depend on it

    Raises
    ------
    FileError : a value of the wrong type, or an unknown program or model
    """
    return model_of(str(path), read_config(Path(path)), seq_len)


def model_of(path: str, data: Mapping[str, Any], seq_len: int | None = None) -> Model:
    """Return the model that the content of a file for `read_model` describes; raise the same errors."""
    keys = Keys(data)
    try:
        if dialect := dialect_of(data):
            model = _translated_model(path, dialect, data, seq_len)
        else:
            _check_library(path, keys)
            model = _model(path, keys, seq_len)
        return replace(model, findings=(*_twice(data), *model.findings, *_length_findings(model, seq_len)))
    except UsageError as error:
        raise FileError(f"{path}: {error}") from None


def without_findings(model: Model, codes: Collection[str]) -> Model:
    """Return the model without findings that have these codes; raise UsageError for an unknown code."""
    for code in codes:
        if code not in (known := finding_codes()):
            near = nearest(code, known)
            hint = f" (did you mean {near[0]}?)" if near else ""
            text = f"no finding has the code {shorten(code)}{hint}"
            advice = "each finding in the report ends with its code; gallery/reference.md lists all codes"
            raise UsageError(text, option="ignore", value=code, advice=advice)
    return replace(model, findings=tuple(item for item in model.findings if item.code not in codes))


def _twice(data: Mapping[str, Any]) -> Iterator[Finding]:
    """Yield a warning for each key of positions that appears twice in the file."""
    for name in data.twice if isinstance(data, Content) else ():
        if name in ROPE_KEYS or is_of_positions(name, inside=True) or name in CONFIG_KEYS.values():
            yield Finding(name, data.get(name), "warning", say("findings.given_twice"))


def _length_findings(model: Model, seq_len: int | None) -> Iterator[Finding]:
    """Yield a note if the current sequence length exceeds the context of all layers."""
    contexts = []
    for layer in model.layers.values():
        rope = layer.encoding if layer.name == "rope" else None
        contexts.append(rope.contexts()[1] if isinstance(rope, Rope) else layer.max_position)
    known = [length for length in contexts if length is not None]
    if seq_len is not None and known and max(known) < seq_len:
        yield Finding("seq_len", seq_len, "note", say("findings.beyond_the_context", length=max(known)))


def _translated_model(path: str, dialect: Dialect, data: Mapping[str, Any], seq_len: int | None) -> Model:
    """Return the model in the file of another program."""
    item = translate(dialect, data)
    keys = Keys(item.data, names=item.names)
    longest = keys.length("max_position_embeddings")
    reading = Reading(keys, item.architecture, seq_len or (longest if dialect.at_longest else None), item.findings)
    layers = _merged(_layers(reading))
    layers |= {kind: _additional_layer(reading, kind) for kind in item.architecture.also}
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
    """Return the model that an object in a file describes.

    name : the dialect to use, unless the object describes a timm model or a ResNet, which have their own dialects
    """
    if isinstance(data.get("layers"), list):
        return _translated_model(path, dialects()[f"{name.partition('_vision')[0]}_resnet"], data, None)
    if "timm_model_name" in data:
        return _translated_model(path, dialects()["timm"], {**data, "architecture": data["timm_model_name"]}, None)
    return _translated_model(path, dialects()[name], data, None)


def _additional_layer(reading: Reading, kind: str) -> Layer:
    """Return the layer for an encoding that the architecture has besides the encoding of its layers.

    kind : kind of positions, from the architecture's `also`
    """
    if kind == "timestep" and reading.keys.text("time_kind") == "fourier":  # random rates, stored in the weights
        return Layer("fourier", parameters={"d": 2 * (reading.keys.whole("time_width") or 0)})
    layer = _layer(reading, kind, kind, ALL, ())
    return replace(layer, kind="sinusoidal") if kind == "timestep" else layer


def _check_library(path: str, keys: Keys) -> None:
    """Raise FileError for a file that is not of transformers or does not name its model."""
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
        lacking = f"the file has none of {', '.join(LIBRARY_KEYS)}"
        reason = f"{safe_text(names[0])} is not a model type that pecli knows, and {lacking}"
    others = ", ".join(item.title for item in dialects().values() if item.needs)
    advice = f"pecli reads the config.json of transformers, and {others}"
    raise FileError(f"{path_text(path)} has an unknown format ({reason})", advice=advice)


def _model(path: str, keys: Keys, seq_len: int | None, outer: str | None = None, tower: str = "") -> Model:
    """Return the model that an object describes, or the language model if the object has several parts.

    outer, tower : the model_type of the enclosing config, and the name of this part in it
    """
    inner, name = _part(keys), keys.text("model_type") or outer
    if inner is not None:
        model = _model(path, inner, seq_len, name)
    else:
        reading = _reading(keys, seq_len, outer, tower)
        item, layers = reading.architecture, _merged(_layers(reading))
        lint(reading, [layer.kind for layer in layers.values()])
        _compare_bases(reading, layers)
        also = [speech_position(reading, kind) for kind in item.also]
        layers |= {kind: _additional_layer(reading, kind) for kind in also if kind != "none"}
        model = Model(path, item.name, layers, tuple(reading.findings), item.known)
    towers, findings = _towers(path, keys, inner, name)
    if remark := remark_on(name):
        findings.append(Finding("model_type", name, "note", say(remark)))
    findings += model.findings
    undrawn = any(layer.kind in UNDRAWN for layer in model.layers.values())
    findings += unused(keys, findings, undrawn, inner)
    found = sorted(findings, key=lambda item: LEVELS.index(item.level))
    return replace(model, towers={**model.towers, **towers}, findings=tuple(found))


def _compare_bases(reading: Reading, layers: Mapping[str, Layer]) -> None:
    """Add a finding if the bases of layers with and without an attention window look exchanged."""
    bases: dict[bool, list[float]] = {True: [], False: []}
    for layer in layers.values():
        if layer.name == "rope" and layer.parameters and "base" in layer.parameters:
            near = layer.window is not None and layer.window.indices == layer.indices
            bases[near].append(layer.parameters["base"])
    compare_bases(reading, bases[True], bases[False])


def _towers(path: str, keys: Keys, text: Keys | None, outer: str | None) -> tuple[dict[str, Model], list[Finding]]:
    """Return (models of the parts other than the language model `text`, errors and warnings in these parts)."""
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
        errors = "error" if model.known else "warning"  # errors in guessed architectures are only warnings
        levels = {"error": errors, "warning": "warning"}
        findings += [
            replace(item, key=f"{place}.{item.key}".rstrip("."), level=levels[item.level])
            for item in model.findings
            if item.level in levels
        ]
    return towers, findings


def _reading(keys: Keys, seq_len: int | None, outer: str | None, tower: str) -> Reading:
    """Return a `Reading` of a config, without the keys that its architecture's code does not read.

    outer, tower : the model_type of the enclosing config, and the name of this part in it
    """
    architecture = architecture_of(keys, outer, tower)
    few = {*OTHER_KEYS}.difference(architecture.reads) if architecture.in_transformers else ()
    unread = [name for name in keys.data if name in keys and (name in architecture.unread or name in few)]
    apart = {name.removeprefix("rope_parameters.") for name in architecture.unread if "." in name}
    kept = {name: value for name, value in keys.data.items() if name not in {*unread, *apart}}
    reading = Reading(Keys(kept, keys.place, keys.read), architecture, seq_len)
    for name in unread:
        reading.warning(name, "findings.unread_by_version_5", keys.data[name], name=architecture.name)
    if not reading.architecture.known:
        _note_unknown(reading, tower)
    return reading


def _note_unknown(reading: Reading, tower: str) -> None:
    """Add a warning that pecli does not know the model type.

    It is added at the key that names the type, or at the object if no key does.
    """
    keys = reading.keys
    if named := keys.first("model_type", "architectures"):
        reading.warning(named, "findings.unknown_model_type")
    else:
        place = "" if tower else keys.place[:-1]
        reading.warning(place, "findings.type_not_named", name=reading.architecture.name)


def _part(keys: Keys) -> Keys | None:
    """Return the object of the language model inside a config; None if there is none or it is empty."""
    named = [name for name in INNER if name.endswith("_config") or isinstance(keys.data.get(name), dict)]
    named += [] if architecture_of(keys).known else ENCODERS
    return next(filter(None, map(keys.table, named)), None)


def _layers(reading: Reading) -> dict[str, Layer]:
    """Return the layers by stack or kind."""
    item = reading.architecture
    if not item.encoder_decoder:
        return _stack(reading, ALL, layer_kinds(reading.keys, item))
    layers = {}
    for stack in ("encoder", "decoder"):
        count = reading.keys.whole(f"{stack}_layers", f"num_{stack}_layers") or item.sizes.get(f"{stack}_layers")
        count = count or reading.keys.whole("num_layers", "num_hidden_layers") or item.sizes.get("layers", 0)
        near = stack == "encoder" and "s" in item.pattern
        layers[stack] = next(iter(_stack(reading, stack, [SLIDING if near else FULL] * count).values()))
    return layers


def _stack(reading: Reading, stack: str, kinds: list[str]) -> dict[str, Layer]:
    """Return the layers of one stack by kind."""
    position = position_of(reading, stack)
    nested = nested_kinds(reading) if position == "rope" else []
    places: dict[str, list[int]] = {}
    for layer, kind in enumerate(kinds):
        places.setdefault(kind, []).append(layer)
    without = _without_rope(reading)
    added = reading.architecture.adds_kinds
    if nested and not added and not set(places) & {*nested, *without}:  # rope_parameters names no kind of a layer
        return {kind: _layer(reading, position, kind, stack, ()) for kind in nested}
    result = {}
    for kind, indices in (places or {FULL: []}).items():
        null = not added and reading.given.data.get(kind, kind) is None  # rope_parameters is null for that kind
        none = position == "rope" and (kind in without or kind in WITHOUT_POSITIONS or null)
        result[kind] = _layer(reading, "none" if none else position, kind, stack, tuple(indices))
    turning = {kind for kind, layer in result.items() if layer.kind == "rope"}
    for kind in {*nested} - turning:  # kinds in rope_parameters that no layer has
        Keys({kind: reading.given.data[kind]}, reading.given.place, reading.given.read).settle()
    if not turning:
        reading.given.settle()
    return result


def _without_rope(reading: Reading) -> tuple[str, ...]:
    """Return the kinds of layer that have no RoPE in this architecture."""
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
    """Return the layers of one kind; add a finding if their encoding cannot be built.

    position : kind of positions, from `position_of`
    kind, stack, indices : kind of the layers, their stack, and their indices
    """
    longest = trained_length(reading) if position == "rope" else max_position(reading)
    plain = Layer(position.partition("_")[0], indices=indices, max_position=longest)
    plain = replace(plain, window=_window(reading, kind, indices))
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
        level = "note" if plain.kind in TABLES else "error"  # only the size of a table is unknown
        other = "findings.not_allowed" if error.allowed else "findings.not_built"
        other = say(other, allowed=error.allowed, reason=error.text)
        text = error.reason if isinstance(error, BuildError) else other
        value = error.value if isinstance(error, BuildError) else None
        value = reading.given.data.get(key, reading.keys.data.get(key)) if value is None else value
        reading.add(level, key, text, value)
        return replace(plain, trouble=f"{key}: {text}" if value is None else f"{key} = {safe_text(value)}: {text}")
    plain, item = replace(plain, name=made[0], parameters=made[1]), reading.architecture
    if position == "rope":
        lengths = tuple(map(int, reading.keys.numbers("axis_lengths") or ()))
        plain = replace(plain, softmax_factor=softmax_factor(reading, kind), dual_chunks=dual_chunks(reading))
        plain = replace(plain, temperature=temperature_of(reading, True), logn=logn_of(reading))
        return replace(plain, axis_names=item.axis_names, axis_lengths=lengths)
    return _with_table(reading, plain, stack, made[1])


def _window(reading: Reading, kind: str, indices: tuple[int, ...]) -> Window | None:
    """Return the attention window of the layers of one kind; add a note if its length is the type's default."""
    keys, item = reading.keys, reading.architecture
    span = attention_window(keys, item, kind)
    if span is None:
        return None
    if span.key not in keys:
        reading.assumed(span.key, span.number)
    own = [attention_window(keys, item, kind, *place) for place in zip(indices, range(len(indices)), strict=True)]
    spans = [each or span for each in own] or [span]
    largest = max(spans, key=lambda each: each.back)
    several = len({(each.back, each.ahead) for each in spans}) > 1
    each = tuple(one.back + one.ahead for one in spans) if several else ()
    return Window(largest.key + largest.made, largest.back, indices, largest.ahead, each)


def _with_table(reading: Reading, plain: Layer, stack: str, parameters: Mapping[str, Any]) -> Layer:
    """Return the layers with the size of their table, if they have a table of a known size.

    parameters : the parameters of their encoding
    """
    item, grid = reading.architecture, patches(reading)
    length = table_length(reading, stack) if plain.kind in TABLES else None
    if length is None:
        return plain
    fits = grid is not None and length - prod(grid) in (0, rows_beside(reading))
    first = 0
    if grid is None and plain.kind == "learned":
        first = first_row(reading, length)
    elif grid is None and plain.kind == "sinusoidal":
        first = first_sinusoid(reading)
        length += first - item.rows_before - item.first_row  # those that `table_length` has counted
    if plain.kind == "learned":
        plain = replace(plain, parameters={**parameters, "rows": length - first})
        if item.after_padding or item.first_row or (plain.max_position is None and grid is None and not item.grid):
            plain = replace(plain, max_position=length - first)  # the file may count the rows before the first position
    elif plain.max_position is None and grid is None and not item.grid:  # as in Whisper's encoder
        plain = replace(plain, max_position=length - first)
    return replace(plain, length=length, first_row=first, grid=grid if fits else None, resized=item.resized or None)


def _table_of_offsets(reading: Reading, plain: Layer) -> Layer:
    """Return the layers with relative_key, each with a table of offsets.

    In a speech encoder they reach from −left to right, in a BERT from 1 − n to n − 1.
    """
    sizes = reading.architecture.sizes
    if "left" in sizes:
        sides = [reading.keys.whole(f"{side}_max_position_embeddings") for side in ("left", "right")]
        left, right = (sizes[side] if own is None else own for side, own in zip(("left", "right"), sides, strict=True))
        blanks = {"rows": left + right + 1, "low": -left, "high": right}
        reading.note(SPEECH_TYPE, "findings.table_of_near_offsets", **blanks)
        return replace(plain, length=blanks["rows"], parameters={"d": head_dim(reading)})
    count = table_length(reading, ALL)
    if count is None:
        return plain
    blanks = {"rows": 2 * count - 1, "low": 1 - count, "high": count - 1, "count": count}
    alone = reading.architecture.takes("rope")  # ESM has no other table
    text = "findings.table_of_offsets_alone" if alone else "findings.table_of_offsets"
    reading.warning("position_embedding_type", text, **blanks)
    if not alone:
        first_row(reading, count)  # adds a note on the table
    return replace(plain, length=2 * count - 1, parameters={"d": head_dim(reading)})


def _merged(layers: dict[str, Layer]) -> dict[str, Layer]:
    """Return the layers, merged under one name if all their encodings are the same."""
    first, *others = (replace(layer, indices=(), window=None) for layer in layers.values())
    if any(other != first for other in others) or ("encoder" in layers and layers["encoder"].window):
        return layers
    every = [layer.indices for layer in layers.values()]
    indices = every[0] if "encoder" in layers else tuple(sorted(chain(*every)))
    window = next((layer.window for layer in layers.values() if layer.window), None)
    return {ALL: replace(first, indices=indices, window=window)}
