"""Files of other programs in the words of transformers: each program is a table in dialects.toml."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cache
from math import log
from typing import Any

from pecli.core.errors import UsageError
from pecli.core.language import say
from pecli.models.architectures import Architecture, architecture_of, read_facts
from pecli.models.config_file import Keys, shown
from pecli.models.layers import Finding
from pecli.models.position_keys import TEMPERATURE, is_of_positions
from pecli.models.rope import ORIGINAL

Flat = Mapping[str, Any]  # values by the names of all objects around them, joined by dots
REMARKS = {"steps": "models.queries_grow_by_steps", "tuning": TEMPERATURE}
MAX_DEPTH = 4  # of objects in objects that are looked into


@dataclass(frozen=True)
class Dialect:
    """What is known of one program's file.

    title : what it is called
    needs : the keys that such a file has, one of several where | stands between, and no file of those before it
    lacks : keys that it has not
    keys : its keys, and those of transformers that mean the same; nothing where a key has no effect on an encoding
    defaults : values of its keys where the file is silent
    when : what follows from its keys: a condition, and keys of transformers with their values where there are none yet
    drop : conditions under which keys of transformers, or all of an object, are not there
    facts : fields of the `Architecture`
    unread : its keys that its code does not read
    remarks : what to say of a key that pecli does not use, by the name that `REMARKS` has
    towers : the objects that describe what is beside the language model, and the dialects of those
    at_longest : the longest length that the file names is in use unless another is given
    named_by : the key that names the class of the model; keys that begin with a dot have that name before it
    groups : what is known of some classes alone, with the same fields; a class that is in none is not known
    of_transformers : whether that class is a model_type of transformers, whose facts hold
    """

    name: str
    title: str = ""
    needs: tuple[str, ...] = ()
    lacks: tuple[str, ...] = ()
    keys: Mapping[str, str] = field(default_factory=dict)
    defaults: Mapping[str, Any] = field(default_factory=dict)
    when: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    drop: Mapping[str, str] = field(default_factory=dict)
    facts: Mapping[str, Any] = field(default_factory=dict)
    unread: tuple[str, ...] = ()
    remarks: Mapping[str, str] = field(default_factory=dict)
    towers: Mapping[str, str] = field(default_factory=dict)
    at_longest: bool = False
    named_by: str = ""
    groups: tuple[Mapping[str, Any], ...] = ()
    of_transformers: bool = False


@dataclass(frozen=True)
class Translation:
    """A file of another program in the words of transformers.

    data : keys and values as a config.json has them
    names : what the file itself calls them
    softmax_factor : what scores are multiplied by beside the square of the attention factor
    """

    dialect: Dialect
    data: dict[str, Any]
    names: Mapping[str, str]
    architecture: Architecture
    findings: list[Finding]
    softmax_factor: float = 1.0


@cache
def dialects() -> dict[str, Dialect]:
    """Return all dialects by name, in the order in which a file is tried; `like` another one has its tables too."""
    tables: dict[str, dict[str, Any]] = read_facts("dialects.toml")
    for name, table in tables.items():
        tables[name] = _with(tables[table.pop("like")], table) if "like" in table else table
    return {name: Dialect(name, **table) for name, table in tables.items()}


def _with(base: Mapping[str, Any], more: Mapping[str, Any]) -> dict[str, Any]:
    """Return the tables of one with those of another, which win where both have a key."""
    inner = {k: _with(base[k], v) for k, v in more.items() if isinstance(v, dict) and isinstance(base.get(k), dict)}
    return {**base, **more, **inner}


def dialect_of(data: Mapping[str, Any]) -> Dialect | None:
    """Return the dialect of a file's content; None for that of transformers, and for one that is not known."""
    objects = {*data, *flat(data)}
    known = "model_type" in data and architecture_of(Keys(data)).known  # DistilBERT has Mistral's keys
    for item in dialects().values():
        needed = [not objects.isdisjoint(need.split("|")) for need in item.needs]
        if needed and all(needed) and objects.isdisjoint(item.lacks) and (item.of_transformers or not known):
            return item
    return None


def flat(data: Mapping[str, Any], place: str = "") -> dict[str, Any]:
    """Return values by the names of all objects around them, joined by dots; null counts as absent."""
    found: dict[str, Any] = {}
    for key, value in data.items():
        if isinstance(value, dict) and value and place.count(".") < MAX_DEPTH:
            found |= flat(value, f"{place}{key}.")
        elif value is not None:
            found[f"{place}{key}"] = value
    return found


def translate(dialect: Dialect, data: Mapping[str, Any]) -> Translation:
    """Return what a file says in the words of transformers, and notes on what that leaves out.

    Raises
    ------
    UsageError : the file is of a class that is not known, or names a scaling that its program refuses
    """
    given = flat(data)
    item, architecture = _of_class(dialect, given)
    ours: dict[str, Any] = {}
    names: dict[str, str] = {}
    findings = []
    for key, value in item.defaults.items():
        if key not in given:
            given[key] = value
            text = say("models.the_file_does_not", name=architecture.name, fact=shown(value))
            findings.append(Finding(key, None, "note", text))
    for key, texts in item.keys.items():
        for own in texts.split(", ") if key in given and texts else ():
            names.setdefault(own, key)
            ours.setdefault(own, given[key])
    for condition, values in item.when.items():
        ours = {**values, **ours} if _holds(condition, given) else ours
    for condition, name in item.drop.items():
        if _holds(condition, given):
            ours = {own: value for own, value in ours.items() if not f"{own}.".startswith(f"{name}.")}
    unused = []
    if dialect.name == "gguf":
        _by_layer(ours)
        unused = _llama_cpp_scaling(ours)
    findings += _not_used(item, architecture.name, data, [names[own] for own in unused])
    ends = {own.rpartition(".")[2]: key for own, key in names.items()}  # findings on an object's keys have no place
    softmax_factor = _softmax_factor(ours)
    return Translation(item, _nested(ours), {**ends, **names}, architecture, findings, softmax_factor)


def _softmax_factor(ours: dict[str, Any]) -> float:
    """Take out what the softmax is multiplied by where it is scaled, DeepSeek's (0.1 · mscale · ln factor + 1)^2."""
    weight = Keys({"mscale": ours.pop("rope_scaling.softmax_mscale", None)}).number("mscale")
    factor = Keys({"factor": ours.get("rope_scaling.factor")}).number("factor")
    return 1.0 if weight is None or factor is None else (0.1 * weight * log(max(factor, 1.0)) + 1) ** 2


def _of_class(dialect: Dialect, given: Flat) -> tuple[Dialect, Architecture]:
    """Return the dialect with what is known of the class that a file names, and that class's facts."""
    if not dialect.named_by:
        return dialect, Architecture(dialect.title, **_facts(dialect.facts))
    name = given.get(dialect.named_by)
    if dialect.of_transformers:
        architecture = architecture_of(Keys({"model_type": name}))
        if not architecture.known:
            raise UsageError(f"{dialect.named_by} is {shown(name)}, which pecli does not know in {dialect.title}")
        return dialect, architecture
    tables: dict[str, Any] = {key: getattr(dialect, key) for key in ("keys", "defaults", "when", "facts", "remarks")}
    groups = [group for group in dialect.groups if name in group["names"]]
    if not groups:
        raise UsageError(f"{dialect.named_by} is {shown(name)}, which pecli does not know in {dialect.title}")
    for group in groups:
        tables = _with(tables, {key: value for key, value in group.items() if key != "names"})

    def whole(text: str) -> str:
        return " ".join(f"{name}{word}" if word.startswith(".") else word for word in text.split())

    named: dict[str, Any] = {
        key: {whole(own) if key != "facts" else own: value for own, value in table.items()}
        for key, table in tables.items()
    }
    unread = tuple(map(whole, dialect.unread))
    item = replace(dialect, unread=unread, groups=(), **named)
    return item, Architecture(f"{name} ({dialect.title})", **_facts(item.facts))


def _facts(facts: Mapping[str, Any]) -> dict[str, Any]:
    return {key: tuple(value) if isinstance(value, list) else value for key, value in facts.items()}


def _holds(condition: str, given: Flat) -> bool:
    """Return whether a condition holds: keys that are there, not there, equal to a JSON value, more than a number."""
    return all(_holds_one(part.split(), given) for part in condition.split(" and "))


def _holds_one(words: list[str], given: Flat) -> bool:
    if words[0] == "not":
        return not _holds_one(words[1:], given)
    value = given.get(words[0])
    if len(words) == 1:
        return bool(value) or any(key.startswith(f"{words[0]}.") for key in given)
    other = given[words[2]] if words[2] in given else json.loads(words[2])
    if words[1] == "=":
        return bool(value == other)
    return isinstance(value, (int, float)) and isinstance(other, (int, float)) and value > other


def _nested(flat_data: Flat) -> dict[str, Any]:
    data: dict[str, Any] = {}
    for key, value in flat_data.items():
        *objects, name = key.split(".")
        inside = data
        for each in objects:
            inside = inside.setdefault(each, {})
        inside[name] = value
    return data


def _not_used(item: Dialect, name: str, data: Mapping[str, Any], unused: Sequence[str]) -> Iterator[Finding]:
    """Yield what there is to say of each key that has to do with positions and is not used.

    name : of the model's class
    unused : keys that have a meaning, but not in this file
    """
    used = {*item.keys, *(word for text in item.when for word in text.split())} - {*unused}
    for key, value in flat(data).items():
        if value is False or any(key.startswith(f"{tower}.") for tower in item.towers):
            continue
        if key in item.remarks:
            yield Finding(key, value, "note", say(REMARKS[item.remarks[key]]))
        elif key in item.unread and key not in item.keys:
            yield Finding(key, value, "warning", say("models.the_program_does_not", name=name))
        elif key not in used:
            path = key.replace("-", "_").split(".")
            around = any(map(is_of_positions, path[:-1]))
            if is_of_positions(path[-1], around) or (around and item.name == "gguf"):
                yield Finding(key, value, "note", say("models.key_of_positions_that"))


SCALINGS = ("none", "linear", "yarn", "longrope")  # that llama.cpp knows
LISTS = ("divisors", "short_factor", "long_factor")


def _by_layer(ours: dict[str, Any]) -> None:
    """Bring lists of a GGUF file, an entry a layer, into the form that transformers has."""
    heads, pattern = ours.get("num_attention_heads"), ours.get("sliding_window_pattern")
    if isinstance(heads, list):
        ours["num_attention_heads"] = next(filter(None, heads), None)
    if isinstance(pattern, list):
        del ours["sliding_window_pattern"]
        ours |= {"hybrid_layer_pattern": [int(bool(flag)) for flag in pattern]} if ours.get("sliding_window") else {}
    if not isinstance(ours.get("attn_type_list"), list):
        ours.pop("attn_type_list", None)


def _llama_cpp_scaling(ours: dict[str, Any]) -> list[str]:
    """Bring the scaling of a GGUF file into the form that transformers has; return the keys that have no effect in it.

    As llama.cpp does (src/llama-model.cpp, src/llama-context.cpp): no type is linear; a tensor of divisors divides the
    rates whatever the type; an attention factor multiplies that of YaRN.
    """
    place = "rope_scaling."
    inside = Keys({own.removeprefix(place): ours.pop(own) for own in [*ours] if own.startswith(place)})
    rule, factor = inside.text("rope_type") or "linear", inside.number("factor") or 1.0
    if rule not in SCALINGS:
        raise UsageError(f"rope.scaling.type is {shown(rule)}; llama.cpp takes {', '.join(SCALINGS)}")
    attention = inside.number("attn_factor")
    lists = {name: numbers for name in LISTS if (numbers := inside.numbers(name))}
    scaled: dict[str, Any] = {}
    if lists and rule == "yarn" and factor != 1:
        raise UsageError("YaRN together with a tensor of divisors is not a scaling that pecli shows")
    if lists:
        stretch, pairs = 1.0 if rule in ("none", "yarn") else factor, len(next(iter(lists.values())))
        wanted = LISTS[:1] if "divisors" in lists else LISTS[1:]  # that one wins
        scaled = {name: [stretch * number for number in lists.get(name, [1.0] * pairs)] for name in wanted}
        scaled |= {"rope_type": "divisors" if "divisors" in lists else "longrope"}
        scaled |= {"attention_factor": 1.0 if attention is None else attention}
    elif rule == "yarn":
        scaled = {"rope_type": "yarn", "factor": factor}
        scaled |= {name: inside.number(name) for name in ("beta_fast", "beta_slow", "mscale_all_dim", "softmax_mscale")}
        scaled |= _yarn_attention(scaled, inside, attention)
    elif rule != "none" and factor != 1:
        scaled = {"rope_type": "linear", "factor": factor}
    if sections := inside.numbers("mrope_section"):  # of four axes, of which a text has three
        scaled |= {"mrope_section": sections[:-1] if sections[-1] == 0 else sections}
    scaled |= {ORIGINAL: inside.length(ORIGINAL)}
    ours |= {f"{place}{name}": value for name, value in scaled.items() if value is not None}
    return [f"{place}attn_factor"] if attention not in (None, 1) and not (lists or rule == "yarn") else []


def _yarn_attention(scaled: Mapping[str, Any], inside: Keys, attention: float | None) -> dict[str, Any]:
    """Return the keys that say what YaRN's cos and sin, and the softmax, are multiplied by in llama.cpp."""
    growth = 0.1 * log(max(scaled["factor"], 1.0))
    if tenth := inside.number("tenth_of_mscale"):  # DeepSeek's, whose cos and sin stay as they are
        given = 1.0 if attention is None else attention
        return {"attention_factor": given, "softmax_mscale": (given * (1 + 10 * tenth * growth) - 1) / (growth or 1.0)}
    weight = scaled["mscale_all_dim"] or 0.0
    if attention is not None:
        return {"attention_factor": attention * (1 + growth) / (1 + weight * growth)}
    return {"mscale": 1.0} if weight else {}
