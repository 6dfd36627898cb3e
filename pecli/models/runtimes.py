"""What inference runtimes do with a config.json of transformers, from the rules in runtimes.toml."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, replace
from functools import cache, partial
from typing import Any

from pecli.core.errors import UsageError
from pecli.core.language import say
from pecli.models.config_file import Keys
from pecli.models.dialects import as_tuples, config_of_transformers
from pecli.models.facts import FULL, KINDS, OTHER_KEYS, OTHER_NAMES, SLIDING, read_facts
from pecli.models.layers import Finding, Reading, head_dim
from pecli.models.model_types import architecture_of
from pecli.models.overrides import OBJECTS, apply_overrides
from pecli.models.position_keys import is_of_positions
from pecli.models.reader import Layer, Model, Window, model_of
from pecli.models.rope import ORIGINAL

ALL_RUNTIMES = "all"
READ = {  # scaling to its keys that the rules cover
    "default": (),
    "linear": ("factor",),
    "dynamic": ("factor",),
    "ntk": ("factor",),
    "yarn": ("factor", ORIGINAL, "attention_factor", "truncate"),
    "longrope": ("short_factor", "long_factor", ORIGINAL, "factor"),
    "llama3": ("factor", "low_freq_factor", "high_freq_factor", ORIGINAL),
}
ALL_GIVEN = ("llama3",)  # scalings that were looked up only with all of their keys
NAMES = ("rope_type", "type")
WINDOWS = ("sliding_window", "use_sliding_window", "max_window_layers")
REFUSED = ("layer_types_count", "heads_must_divide")  # findings on files that transformers 5 refuses
REFUSAL = "StrictDataclassClassValidationError"
OF_MODELS = ("head_dim", "layer_types", "no_theta", "original_max_position_embeddings", "windows_mixed")
UNNAMED = (  # conditions that a rule must name to have an effect
    *("scaled", "other_base", "type_alone", "betas", "mscales", "windows_mixed", "sections"),
)
OF_SCALINGS = (  # conditions that have no effect if the scaling is not read
    *("conflict", "no_original", "inner_original", "attention_factor", "truncate", "one_mscale", "mscales_differ"),
    *("whole_factor", *UNNAMED),
)
PART_KEYS = ("max_position_embeddings", "rope_theta", *OBJECTS, *WINDOWS)  # keys about positions that `parts` cover
SCALINGS = (*READ, "proportional")  # scalings that at least one runtime knows


@dataclass(frozen=True)
class Runtime:
    """Facts about one runtime; the fields are those of runtimes.toml."""

    name: str
    title: str
    version: str
    how: str
    type: tuple[str, ...]
    everything: bool = False
    models: tuple[str, ...] = ()
    scalings: tuple[str, ...] = ()
    read: tuple[str, ...] = ()
    alike: tuple[str, ...] = ()
    refuses: bool = False
    parts: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    override: str | None = None
    null: bool = False
    rules: tuple[Mapping[str, Any], ...] = ()

    def group_of(self, kind: Any) -> str:
        """Return the name of the entry of `parts` for a model type; "" if it has none."""
        return next((name for name, part in self.parts.items() if kind in part["models"]), "")

    def part_of(self, kind: Any) -> Mapping[str, Any]:
        """Return the entry of `parts` for a model type; {} if it has none."""
        return self.parts.get(self.group_of(kind), {})

    def same_code(self, kind: Any) -> bool:
        """Whether the rope of a model type is made by the code that makes it for `models`."""
        part = self.part_of(kind)
        return kind in self.models or bool(part and "scalings" not in part)

    def alike_for(self, kind: Any) -> set[str]:
        """Return the facts and keys of which the runtime does the same as transformers 5, for a model type."""
        part = self.part_of(kind)
        return {*part.get("alike", ()), *(self.alike if self.same_code(kind) or not part else ())}

    def rules_for(self, kind: Any, facts: set[str]) -> list[Mapping[str, Any]]:
        """Return the rules whose conditions a file of a model type meets."""
        group, same, alike = self.group_of(kind), self.same_code(kind), self.alike_for(kind)
        own = [kind in rule.get("models", ()) or group in rule.get("parts", ()) for rule in self.rules]
        shared = [
            {"models", "parts"}.isdisjoint(rule)
            and (same or group in rule.get("also", ()))
            and alike.isdisjoint(rule["when"])
            for rule in self.rules
        ]
        met = [{*rule["when"]} <= facts for rule in self.rules]
        return [rule for rule, *holds in zip(self.rules, own, shared, met, strict=True) if holds[2] and any(holds[:2])]

    @property
    def all_models(self) -> tuple[str, ...]:
        """All model types whose behaviour is known."""
        return (*self.models, *(kind for part in self.parts.values() for kind in part["models"]))

    @property
    def label(self) -> str:
        """Name and version."""
        return f"{self.title} {self.version}"


@dataclass(frozen=True)
class RuntimeResult:
    """A file as a runtime reads it.

    model : the resulting model; None if the runtime fails or its behaviour was not looked up
    error : name of the exception that the runtime raises
    unknown : the part of the file for which the runtime's behaviour was not looked up
    trouble : why the resulting model cannot be built
    untold : True if `trouble` only says which override was not looked up
    why : sentences on the differences from transformers 5
    read : True if this scaling's code was only read, although other code of the runtime was run
    """

    runtime: Runtime
    model: Model | None = None
    error: str = ""
    unknown: str = ""
    trouble: str = ""
    untold: bool = False
    why: tuple[str, ...] = ()
    read: bool = False

    @property
    def refused(self) -> bool:
        """Whether the runtime cannot use the file."""
        return bool(self.error or self.trouble) and not self.untold

    @property
    def how(self) -> str:
        """How the result was found: "ran" or "read"."""
        return "read" if self.read else self.runtime.how


@cache
def runtimes() -> dict[str, Runtime]:
    """Return all runtimes by name."""
    tables: dict[str, dict[str, Any]] = read_facts("runtimes.toml")
    return {name: Runtime(name, **as_tuples(table)) for name, table in tables.items()}


def runtimes_named(names: Iterable[str]) -> list[Runtime]:
    """Return the runtimes with these names, or all for "all"."""
    named = list(dict.fromkeys(names))
    return [*runtimes().values()] if ALL_RUNTIMES in named else [runtimes()[name] for name in named]


def without_window(kind: str) -> list[str]:
    """Return the titles of the runtimes that do not read the sliding window of a model type."""
    return [
        item.title
        for item in runtimes().values()
        if any(rule.get("window") is False for rule in item.rules_for(kind, {"window"}))
    ]


def apply_runtimes(
    path: str, asked: Iterable[Runtime], seq_len: int | None, given: Mapping[str, Any]
) -> list[RuntimeResult]:
    """Return the result of each runtime for a config.json of transformers with overrides.

    asked : the runtimes
    given : overridden keys

    Raises
    ------
    FileError : the file is of another program, or as for `read_model`
    """
    data = config_of_transformers(path, "pecli has not looked up what other runtimes do with it")
    model_of(path, data, seq_len)  # raises errors of the file itself
    return [apply_runtime(path, data, runtime, seq_len, given) for runtime in asked]


def apply_runtime(
    path: str, data: Mapping[str, Any], runtime: Runtime, seq_len: int | None, given: Mapping[str, Any]
) -> RuntimeResult:
    """Return the result of one runtime for the content of a config.json of transformers, with overrides."""
    changed, findings = dict(data), list[Finding]()
    part = runtime.part_of(data.get("model_type"))
    if given and (runtime.override is None or "scalings" in part):
        return RuntimeResult(runtime, unknown=say("runtimes.overrides_not_known"))
    removed = next((name for name in OBJECTS if name in given and given[name] is None), "")
    if removed and not runtime.null:
        return RuntimeResult(runtime, unknown=say("runtimes.null_not_known", name=removed))
    if given:
        try:
            changed, findings = apply_overrides(data, given, runtime.override or "")
        except UsageError as failure:
            return RuntimeResult(runtime, trouble=failure.text, untold=True)
    lost = tuple(item.text for item in findings)
    if any(item.level == "error" and item.key in OBJECTS for item in findings):
        return RuntimeResult(runtime, error="TypeError", why=lost)
    if not runtime.everything:
        result = _by_rules(path, runtime, changed, seq_len, lost)
        return replace(result, read=part.get("how") == "read" or _facts(changed, runtime)[0] in runtime.read)
    model = model_of(path, changed, seq_len)
    trouble = tuple(layer.trouble for layer in model.layers.values() if layer.trouble)
    error = "KeyError" if trouble and "unknown" in _facts(changed, runtime)[1] else ""
    if refused := tuple(f"{item.key}: {item.text}" for item in model.findings if item.code in REFUSED):
        error, trouble = REFUSAL, (*trouble, *refused)
    first = trouble[0] if trouble and not error else ""
    return RuntimeResult(runtime, None if trouble else model, error, trouble=first, why=(*lost, *trouble))


def _by_rules(
    path: str, runtime: Runtime, data: Mapping[str, Any], seq_len: int | None, why: tuple[str, ...]
) -> RuntimeResult:
    """Return the result of a runtime's rules for a config: an error, or the model that the changed config describes.

    why : the first sentences of the result's `why`; sentences from the rules follow
    """
    scaling, facts = _facts(data, runtime)
    kind, place = data.get("model_type"), _place(data)
    alike, rules = runtime.alike_for(kind), runtime.rules_for(kind, facts)
    inside = {"rope_type": scaling} | {key: own for key, own in data.get(place, {}).items() if key not in NAMES}
    used, narrow = seq_len, 1.0
    if runtime.refuses and (refused := _refused(path, data, scaling)):
        return refused(runtime)
    handled = alike.union(*(rule["when"] for rule in rules), OF_MODELS if kind in runtime.models else ())
    for rule in rules:
        why = (*why, say(rule["why"], scaling=scaling))
        if "error" in rule:
            return RuntimeResult(runtime, error=rule["error"], why=why)
        if rule.get("object") is False:
            rest = {key: own for key, own in data.items() if key != place}
            return _by_rules(path, runtime, rest, seq_len, why)
    if reason := _not_looked_up(runtime, data, scaling, facts - handled, alike, handled & facts):
        return RuntimeResult(runtime, unknown=reason)
    for rule in rules:
        inside = {key: own for key, own in inside.items() if key not in rule.get("drop", ())} | rule.get("set", {})
        data = {key: own for key, own in data.items() if key not in rule.get("without", ())}
        if rule.get("plain"):
            inside = {"rope_type": "default"} | {key: own for key, own in inside.items() if key == "rope_theta"}
        if "base" in rule:
            data, inside = {**data, "rope_theta": rule["base"]}, {**inside, "rope_theta": rule["base"]}
        if "does" in rule:
            data, inside = FUNCTIONS[rule["does"]](data, inside)
        used = _length(rule["seq_len"], data, inside, seq_len) if "seq_len" in rule else used
        if rule.get("partial") and "partial_rotary_factor" not in data:  # inside the object, which was not looked up
            return RuntimeResult(runtime, unknown="partial_rotary_factor")
        narrow = float(data["partial_rotary_factor"]) if rule.get("partial") else narrow
        if rule.get("window") is False:
            data = {**data, "sliding_window": None, "use_sliding_window": False, "layer_types": None}
    rest = {key: own for key, own in data.items() if key not in OBJECTS}
    model = model_of(path, {**rest, place: inside} if place else rest, used)
    every = next((Keys(data).length("sliding_window") for rule in rules if rule.get("window") is True), None)
    wider = sum(rule.get("wider", 0) for rule in rules)
    layers = {name: _with_window(_with_share(layer, narrow), every, wider) for name, layer in model.layers.items()}
    trouble = next((layer.trouble for layer in layers.values() if layer.trouble), "")
    return RuntimeResult(runtime, None if trouble else replace(model, layers=layers), trouble=trouble, why=why)


def _refused(path: str, data: Mapping[str, Any], scaling: str) -> Callable[[Runtime], RuntimeResult] | None:
    """Return a function that makes the result if transformers 5 makes no config of the file, None if it does."""
    model, item = model_of(path, data), architecture_of(Keys(data))
    if texts := tuple(f"{found.key}: {found.text}" for found in model.findings if found.code in REFUSED):
        return partial(RuntimeResult, error=REFUSAL, why=texts)
    trouble = next((layer.trouble for layer in model.layers.values() if layer.trouble), "")
    if trouble and item.scalings and scaling not in ("default", *item.scalings):
        return partial(RuntimeResult, trouble=trouble)
    return None


def _with_window(layer: Layer, every: int | None, wider: int) -> Layer:
    """Return the layer with a window of `every` keys, or with `wider` keys more in the window that it has."""
    if every:
        return replace(layer, window=Window("sliding_window", every, layer.indices))
    window = layer.window
    return replace(layer, window=replace(window, length=window.length + wider)) if window and wider else layer


def _with_share(layer: Layer, share: float) -> Layer:
    """Return the layer with only a share of its columns rotated."""
    if share == 1 or layer.parameters is None:
        return layer
    return replace(layer, parameters={**layer.parameters, "rotary_dim": int(layer.parameters["d"] * share)})


def _not_looked_up(
    runtime: Runtime, data: Mapping[str, Any], scaling: str, left: set[str], alike: set[str], handled: set[str]
) -> str:
    """Return the part of a file for which the runtime's behaviour is unknown; "" if all is known.

    left : facts of the file that no rule handles
    alike : facts, and keys that are not 0 or null, of which the runtime does what transformers 5 does
    handled : facts of the file that a rule handles: if "unknown", the runtime treats all unknown scalings alike, and if
        "scaled", all scalings
    """
    kind, place = data.get("model_type"), _place(data)
    inside: Mapping[str, Any] = data.get(place) or {}
    part = runtime.part_of(kind)
    if kind not in runtime.models and not part:
        return say("runtimes.models_looked_up", kind=kind, count=len(runtime.all_models))
    if "unknown" in handled:
        return ""
    ignored = "scaled" in handled
    if not ignored and scaling not in part.get("scalings", runtime.scalings):
        return scaling
    if part:
        left |= {name for name in data if is_of_positions(name) and name not in (*PART_KEYS, *alike)}
    missing = [key for key in READ.get(scaling, ()) if scaling in ALL_GIVEN and key not in inside]
    missing += [key for key in part.get("needs", ()) if scaling != "default" and not inside.get(key)]
    if missing and not ignored:
        return say("runtimes.without", keys=", ".join(missing))
    if ignored:
        return ", ".join(sorted(left - {*OF_SCALINGS, *SCALINGS}))
    names = {*NAMES, *READ.get(scaling, ()), *(["rope_theta"] if place == "rope_parameters" else [])}
    names |= {key for key in alike if inside.get(key)}
    return ", ".join([*sorted(left - {*UNNAMED, *SCALINGS}), *(key for key in inside if key not in names)])


def _place(data: Mapping[str, Any]) -> str:
    """Return the name of the RoPE object that is used, rope_parameters or rope_scaling; "" if there is none."""
    return next((name for name in reversed(OBJECTS) if isinstance(data.get(name), dict) and data[name]), "")


def _facts(data: Mapping[str, Any], runtime: Runtime) -> tuple[str, set[str]]:
    """Return the name of the scaling as the runtime reads it, and the conditions of its rules that the file meets."""
    place = _place(data)
    inside: Mapping[str, Any] = data.get(place) or {}
    names = {key: str(inside[key]) for key in NAMES if inside.get(key) is not None}
    word = next((names[key] for key in runtime.type if key in names), "default")
    scaling = OTHER_NAMES.get(word, word)
    share = data.get("partial_rotary_factor", inside.get("partial_rotary_factor"))
    base, yarn = data.get("rope_theta", inside.get("rope_theta")), scaling == "yarn"
    scales = [inside.get(key) or 0 for key in ("mscale", "mscale_all_dim")]
    holds = {
        scaling: True,
        "scaled": scaling != "default",
        "rope_parameters": place == "rope_parameters",
        "conflict": len({OTHER_NAMES.get(name, name) for name in names.values()}) > 1,
        "unknown": scaling not in SCALINGS or (scaling == "ntk" and "ntk" not in runtime.scalings),
        "partial": share not in (None, 1, 1.0),
        "no_original": yarn and ORIGINAL not in inside and ORIGINAL not in data,
        "inner_original": scaling == "llama3" and ORIGINAL not in data and inside.get(ORIGINAL) not in (None, 8192),
        "attention_factor": yarn and inside.get("attention_factor") is not None,
        "truncate": yarn and inside.get("truncate") is False,
        "betas": yarn and (inside.get("beta_fast") or 32, inside.get("beta_slow") or 1) != (32, 1),
        "mscales": yarn and any(scales),
        "one_mscale": yarn and any(scales) and not all(scales),
        "mscales_differ": yarn and all(scales) and scales[0] != scales[1],
        "whole_factor": scaling == "linear" and isinstance(inside.get("factor"), int),
        "sections": "mrope_section" in inside,
        "type_alone": [*names] == ["type"],
        "other_base": base not in (None, 10000),
        **{key: data.get(key) is not None for key in OTHER_KEYS},
        **_facts_of_layers(data, inside),
    }
    return scaling, {fact for fact, true in holds.items() if true}


def _facts_of_layers(data: Mapping[str, Any], inside: Mapping[str, Any]) -> dict[str, bool]:
    """Return the conditions on heads, windows and kinds of layers.

    inside : the object with the scaling
    """
    keys = Keys(data)
    width, heads, own = keys.whole("hidden_size"), keys.whole("num_attention_heads"), keys.whole("head_dim")
    item = architecture_of(keys)
    reads = item.window_opt_in or "s" in item.pattern  # the opt-in is a key, others have a window unless it is null
    listed = data.get("layer_types") or ()
    sliding, turn = SLIDING in listed, item.pattern.strip("()")
    mixed = {"f", "s"} <= {*turn}
    by_turns = "f" in turn and [*listed] == [KINDS.get(turn[at % len(turn)]) for at in range(len(listed))]
    layers = model_of("", data).layers.values()
    seen = [bool(layer.window and at in layer.window.indices) for layer in layers for at in layer.indices]
    return {
        "window": any(seen) and reads,
        "windows_mixed": any(seen) and not all(seen),
        "unread_window": not reads and not listed and bool(keys.length("sliding_window")),
        "null_window": mixed and data.get("sliding_window", 0) is None,
        "layer_types": (sliding or bool(listed and mixed)) and not item.window_opt_in and not by_turns,
        "head_dim": bool(own and width and heads and own * heads != width),
        "no_theta": "rope_theta" not in data and "rope_theta" not in inside,
        ORIGINAL: ORIGINAL in data,
    }


def _length(rule: str, data: Mapping[str, Any], inside: Mapping[str, Any], seq_len: int | None) -> int | None:
    """Return the current sequence length that a runtime assumes.

    rule : "max", "beyond", "stretched" or "position", from the runtime's rules
    inside : the object with the scaling
    """
    longest = Keys(data).length("max_position_embeddings") or 1
    original = Keys(data).length(ORIGINAL) or Keys(inside).length(ORIGINAL) or longest
    if rule == "position":  # the last position is the length minus 1
        return max(seq_len - 1, 1) if seq_len else None
    stretched = int((Keys(inside).number("factor") or 1) * longest)
    return {"max": longest, "beyond": max(longest, original) + 1, "stretched": stretched}[rule]


def ntk(data: Mapping[str, Any], inside: Mapping[str, Any]) -> tuple[dict[str, Any], dict[str, Any]]:
    """Return the config with base · factor, and a scaling object that divides every rate by factor^(2/d)."""
    keys, factor = Keys(data), Keys(inside).number("factor") or 1.0
    parameters = next(iter(model_of("", {**data, _place(data): {"rope_type": "default"}}).layers.values())).parameters
    d = int((parameters or {}).get("rotary_dim", 0)) or head_dim(Reading(keys, architecture_of(keys)), FULL)
    base = (Keys(inside).number("rope_theta") or keys.number("rope_theta") or 10000.0) * factor
    return {**data, "rope_theta": base}, {"rope_type": "linear", "factor": factor ** (2 / d)}


def four_times_original(data: Mapping[str, Any], inside: Mapping[str, Any]) -> tuple[dict[str, Any], dict[str, Any]]:
    """Return the config, and a scaling object with four times the original length."""
    return dict(data), {**inside, ORIGINAL: 4 * (Keys(inside).length(ORIGINAL) or 0)}


FUNCTIONS: Mapping[str, Callable[..., tuple[dict[str, Any], dict[str, Any]]]] = {
    rule.__name__: rule for rule in (ntk, four_times_original)
}
