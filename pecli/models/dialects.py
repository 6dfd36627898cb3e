"""Files of other programs in the words of transformers: each program is a table in dialects.toml."""

from __future__ import annotations

import json
import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cache
from itertools import chain
from math import prod
from pathlib import Path
from typing import Any

from pecli.core.errors import FileError, UsageError
from pecli.core.language import say
from pecli.models.config_file import Keys, read_config, shown
from pecli.models.dialect_rules import RULES
from pecli.models.layers import Finding
from pecli.models.model_types import Architecture, architecture_of, check_facts, read_facts
from pecli.models.position_keys import is_of_positions

Flat = Mapping[str, Any]  # values by the names of all objects around them, joined by dots
MAX_DEPTH = 4  # of objects in objects that are looked into
BY_CLASS = ("keys", "defaults", "when", "values", "facts", "remarks", "sums", "products", "quotients", "refuse")
AT = re.compile(r"(.+)\[(\d+)\]")  # a place in a list


@dataclass(frozen=True)
class Dialect:
    """What is known of one program's file. A key is named by all objects around it, joined by dots.

    Recognition
    title : what it is called
    needs : the keys that such a file has, one of several where | stands between, and no file of those before it
    lacks : keys that it has not
    inside : objects whose keys count as if they stood at the top
    dashes : keys may have dashes where others have underscores

    Translation, in this order
    defaults : values of its keys where the file is silent
    keys : its keys, and those of transformers that mean the same, the first that is there wins; nothing where a key has
        no effect on an encoding; "key[0]" is the first of a list, and "key if condition" counts under a condition
    sums, products : keys of transformers, and those whose sum or product they are
    quotients : keys of transformers, and a key and the number or key by which it is divided; at least 1
    when : what follows from its keys: a condition, and keys of transformers with their values where there are none yet
    values : of a key each word that its code takes, and what follows likewise; other words are refused
    drop : conditions under which keys of transformers, or all of an object, are not there
    rules : what a table cannot say, by names of functions in dialect_rules.py

    Facts
    facts : fields of the `Architecture`
    refuse : conditions under which pecli knows no answer, and the text that says why
    unread : its keys that its code does not read
    remarks : what to say of a key, by the name of its text
    unsure : what to say of a default that programs do not agree on
    towers : the objects that describe what is beside the language model, and the dialects of those
    at_longest : the longest length that the file names is in use unless another is given

    Classes
    named_by : the key that names the class of the model; keys that begin with a dot have that name before it
    groups : what is known of some classes alone, with the same fields; `names` are patterns, whose named groups count
        as keys; a class that is in none is not known
    of_transformers : whether that class is a model_type of transformers, whose facts hold
    """

    name: str
    title: str = ""
    needs: tuple[str, ...] = ()
    lacks: tuple[str, ...] = ()
    inside: tuple[str, ...] = ()
    dashes: bool = False
    keys: Mapping[str, str] = field(default_factory=dict)
    defaults: Mapping[str, Any] = field(default_factory=dict)
    sums: Mapping[str, Sequence[str]] = field(default_factory=dict)
    products: Mapping[str, Sequence[str]] = field(default_factory=dict)
    quotients: Mapping[str, Sequence[Any]] = field(default_factory=dict)
    values: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    when: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    drop: Mapping[str, str] = field(default_factory=dict)
    rules: tuple[str, ...] = ()
    facts: Mapping[str, Any] = field(default_factory=dict)
    refuse: Mapping[str, str] = field(default_factory=dict)
    unread: tuple[str, ...] = ()
    remarks: Mapping[str, str] = field(default_factory=dict)
    unsure: Mapping[str, str] = field(default_factory=dict)
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
    objects : the file's content, with the objects of which keys count at the top
    """

    dialect: Dialect
    data: dict[str, Any]
    names: Mapping[str, str]
    architecture: Architecture
    findings: list[Finding]
    objects: Mapping[str, Any]


@cache
def dialects() -> dict[str, Dialect]:
    """Return all dialects by name, in the order in which a file is tried; `like` another one has its tables too."""
    tables: dict[str, dict[str, Any]] = read_facts("dialects.toml")
    for name, table in tables.items():
        tables[name] = _with(tables[table.pop("like")], table) if "like" in table else table
        for part in (tables[name], *tables[name].get("groups", ())):
            check_facts(name, part.get("facts", {}))
    return {name: Dialect(name, **as_tuples(table)) for name, table in tables.items()}


def _with(base: Mapping[str, Any], more: Mapping[str, Any]) -> dict[str, Any]:
    """Return the tables of one with those of another, which win where both have a key."""
    inner = {k: _with(base[k], v) for k, v in more.items() if isinstance(v, dict) and isinstance(base.get(k), dict)}
    return {**base, **more, **inner}


def as_tuples(table: Mapping[str, Any]) -> dict[str, Any]:
    """Return a table with tuples for lists."""
    return {key: tuple(value) if isinstance(value, list) else value for key, value in table.items()}


def dialect_of(data: Mapping[str, Any]) -> Dialect | None:
    """Return the dialect of a file's content; None for that of transformers, and for one that is not known."""
    known = "model_type" in data and architecture_of(Keys(data)).known  # DistilBERT has Mistral's keys
    for item in dialects().values():
        if not item.needs or (known and not item.of_transformers):
            continue
        hoisted = _hoisted(item, data)
        objects = {*hoisted, *data, *flat(hoisted)}
        needed = all(not objects.isdisjoint(need.split("|")) for need in item.needs)
        if needed and objects.isdisjoint(item.lacks):
            return item
    return None


def config_of_transformers(path: str, why: str) -> dict[str, Any]:
    """Return the content of a config.json of transformers; raises FileError for a file of another program, and why."""
    data = read_config(Path(path))
    if dialect := dialect_of(data):
        raise FileError(f"{path} is a file of {dialect.title}: {why}")
    return data


def _hoisted(item: Dialect, data: Mapping[str, Any]) -> dict[str, Any]:
    """Return the content with the keys of some of its objects at the top, and underscores for dashes."""
    found = dict(data)
    for name in item.inside:
        inner = found.pop(name, None)
        found |= inner if isinstance(inner, dict) else {} if inner is None else {name: inner}
    return {key.replace("-", "_"): value for key, value in found.items()} if item.dashes else found


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
    UsageError : the file is of a class that is not known, or asks for what pecli knows no answer to
    """
    content = _hoisted(dialect, data)
    given = flat(content)
    item, architecture = _of_class(dialect, given)
    assumed = {key: value for key, value in item.defaults.items() if key not in given}
    given |= assumed
    for condition, text in item.refuse.items():
        if _holds(condition, given):
            raise UsageError(f"{condition}: {say(text)}")
    ours, names, dropped = _translated(item, given)
    dropped += [own for rule in item.rules for own in RULES[rule](ours)]
    named = {names[own] for own in {*ours, *dropped} if own in names}
    findings = [
        Finding(key, None, "warning", say(item.unsure[key], fact=shown(value)))
        if key in item.unsure
        else Finding(
            key, None, "note", say("findings.default_of_architecture", name=architecture.name, fact=shown(value))
        )
        for key, value in assumed.items()
        if key in named
    ]
    lost = {names[own] for own in dropped if own in names} - {*assumed}
    findings += _not_used(item, architecture.name, content, lost)
    ends = {own.rpartition(".")[2]: key for own, key in names.items()}  # findings on an object's keys have no place
    return Translation(item, _nested(ours), {**ends, **names}, architecture, findings, content)


def _translated(item: Dialect, given: Flat) -> tuple[dict[str, Any], dict[str, str], list[str]]:
    """Return keys and values of transformers, what the file calls those keys, and those that were dropped."""
    ours: dict[str, Any] = {}
    names: dict[str, str] = {}
    for key, own, value in chain(_renamed(item, given), _computed(item, given)):
        names.setdefault(own, key)
        ours.setdefault(own, value)
    for condition, values in item.when.items():
        ours = {**values, **ours} if _holds(condition, given) else ours
    for key, words in item.values.items():
        if key in given:
            more = _by_word(key, given[key], words)
            names |= {own: key for own in more if own not in ours}
            ours = {**more, **ours}
    gone = tuple(f"{name}." for condition, name in item.drop.items() if _holds(condition, given))
    dropped = [own for own in ours if f"{own}.".startswith(gone)]
    return {own: value for own, value in ours.items() if own not in dropped}, names, dropped


def _renamed(item: Dialect, given: Flat) -> Iterator[tuple[str, str, Any]]:
    """Yield each key of the file, what transformers calls it, and its value."""
    computed = {*item.sums, *item.products}
    for text, owns in item.keys.items():
        key, _, condition = text.partition(" if ")
        value = _value(given, key)
        if value is not None and owns and (not condition or _holds(condition, given)):
            yield from ((key, own, value) for own in owns.split(", ") if own not in computed)


def _computed(item: Dialect, given: Flat) -> Iterator[tuple[str, str, Any]]:
    """Yield what is a sum, a product or a quotient of keys: the first of those, what transformers calls it, a value."""
    for table, joined in ((item.sums, sum), (item.products, prod)):
        for own, keys in table.items():
            numbers = [value for key in keys if isinstance(value := given.get(key), int)]
            if numbers and (joined is sum or len(numbers) == len(keys)):
                yield keys[0], own, joined(numbers)
    for own, (key, divisor) in item.quotients.items():
        size, by = given.get(key), given.get(divisor, divisor)
        if isinstance(size, int) and isinstance(by, int) and by > 0:
            yield key, own, max(1, size // by)


def _value(given: Flat, key: str) -> Any:
    """Return the value of a key, or one of the list there."""
    match = AT.fullmatch(key)
    if match is None:
        return given.get(key)
    values, at = given.get(match[1]), int(match[2])
    return values[at] if isinstance(values, list) and at < len(values) else None


def _by_word(key: str, value: Any, words: Mapping[str, Any]) -> Mapping[str, Any]:
    """Return what follows from a word; raises UsageError for one that is not known."""
    word = value if isinstance(value, str) else json.dumps(value, default=str)
    if word not in words:
        raise UsageError(f"{key} is {shown(value)}; pecli knows {', '.join(words)} there")
    found: Mapping[str, Any] = words[word]
    return found


def _of_class(dialect: Dialect, given: dict[str, Any]) -> tuple[Dialect, Architecture]:
    """Return the dialect with what is known of the class that a file names, and that class's facts.

    What the pattern of a class says of its name is added to what is given.
    """
    if not dialect.named_by:
        return dialect, Architecture.of(dialect.title, dialect.facts)
    name = given.get(dialect.named_by)
    unknown = UsageError(f"{dialect.named_by} is {shown(name)}, which pecli does not know in {dialect.title}")
    if dialect.of_transformers:
        architecture = architecture_of(Keys({"model_type": name}))
        if not architecture.known:
            raise unknown
        return dialect, replace(architecture, name=f"{name} ({dialect.title})")
    tables: dict[str, Any] = {key: getattr(dialect, key) for key in BY_CLASS}
    found = [(group, match) for group in dialect.groups if (match := _named(group["names"], name))]
    if not found:
        raise unknown
    for group, match in found:
        tables = _with(tables, {key: value for key, value in group.items() if key != "names"})
        parts = {key: value for key, value in match.groupdict().items() if value is not None}
        given |= {key: int(value) if value.isdecimal() else value for key, value in parts.items()}

    def whole(text: str) -> str:
        return " ".join(f"{name}{word}" if word.startswith(".") else word for word in text.split())

    named: dict[str, Any] = {
        key: {whole(own) if key != "facts" else own: value for own, value in table.items()}
        for key, table in tables.items()
    }
    item = replace(dialect, unread=tuple(map(whole, dialect.unread)), groups=(), **named)
    return item, Architecture.of(f"{name} ({dialect.title})", item.facts)


def _named(patterns: Sequence[str], name: Any) -> re.Match[str] | None:
    """Return the match of the first pattern that is all of a name."""
    if not isinstance(name, str):
        return None
    return next(filter(None, (re.fullmatch(pattern, name) for pattern in patterns)), None)


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


def _not_used(item: Dialect, name: str, data: Mapping[str, Any], lost: Collection[str]) -> Iterator[Finding]:
    """Yield what there is to say of each key that has to do with positions and is not used.

    name : of the model's class
    lost : keys that have a meaning, but not in this file
    """
    texts = (*item.keys, *item.when, *item.drop, *item.values, *item.refuse)
    texts += tuple(key for table in (item.sums, item.products) for keys in table.values() for key in keys)
    used = {word.partition("[")[0] for text in texts for word in text.split()}
    for key, value in flat(data).items():
        if value is False or any(key.startswith(f"{tower}.") for tower in item.towers):
            continue
        if key in item.remarks:
            yield Finding(key, value, "note", say(item.remarks[key]))
        elif key in lost:
            yield Finding(key, value, "warning", say("findings.without_effect", name=name))
        elif key in item.unread and key not in item.keys:
            yield Finding(key, value, "warning", say("findings.unread_by_program", name=name))
        elif key not in used:
            path = key.replace("-", "_").split(".")
            around = any(map(is_of_positions, path[:-1]))
            if is_of_positions(path[-1], around) or (around and item.name == "gguf"):
                yield Finding(key, value, "note", say("findings.unused_key"))
