"""Translation of other programs' files into the keys of transformers; each program is a table in dialects.toml."""

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
from pecli.models.config_file import Keys, read_config, safe_text
from pecli.models.dialect_rules import RULES
from pecli.models.facts import read_facts
from pecli.models.layers import Finding
from pecli.models.model_types import Architecture, architecture_of, check_facts
from pecli.models.position_keys import is_of_positions

Flat = Mapping[str, Any]  # values by full name: the names of nested objects, joined by dots
DIALECTS = "dialects.toml"
MAX_DEPTH = 4  # deepest nesting of objects that is searched
BY_CLASS = ("keys", "defaults", "when", "values", "facts", "remarks", "sums", "products", "quotients", "refuse")
AT = re.compile(r"(.+)\[(\d+)\]")  # an item of a list


@dataclass(frozen=True)
class Dialect:
    """How the files of one program are recognised and translated. Keys have full names: nested names joined by dots.

    Recognition
    title : name of the program
    needs : keys that such a file has; "a|b" means at least one of a and b. The first dialect that fits is used
    lacks : keys that such a file does not have
    inside : objects whose keys are treated as top-level keys
    dashes : True if keys may have dashes in place of underscores

    Translation, in this order
    defaults : values of the program's keys if the file does not have them
    keys : the program's keys, each with the equivalent keys of transformers; if several have the same equivalent, the
      first one listed here that the file has is used. "" means that the key has no effect on an encoding. "key[0]" is
      the first item of a list; "key if condition" applies under a condition
    sums, products : keys of transformers, each with the program's keys whose sum or product it is
    quotients : keys of transformers, each with a key of the program and a divisor (number or key); at least 1
    when : conditions, each with the values of keys of transformers that it implies if they are not set yet
    values : for a key, the words that the program accepts, each with the values that it implies; other words are
      refused
    drop : conditions under which a key of transformers, or all keys of an object, are removed
    rules : names of functions in dialect_rules.py, for what a table cannot express

    Facts
    facts : fields of the `Architecture`
    refuse : conditions under which pecli cannot tell the encoding, each with the text key of the reason
    unread : keys that the program does not read
    remarks : keys with the text key of a note on each
    unsure : keys whose default differs between programs, each with the text key of a warning
    towers : objects that describe other parts than the language model, each with its dialect
    at_longest : True if the current sequence length, unless given, is the longest length in the file

    Classes
    named_by : the key that names the model's class, such as "llama"; the key ".rope" then means "llama.rope"
    groups : facts on some classes only, in the fields of this class; `names` are patterns of class names, whose named
      groups count as keys. A class that matches no pattern is refused
    of_transformers : True if the class is a model_type of transformers, whose facts apply
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
    """A file of another program, translated to the keys of transformers.

    data : keys and values as in a config.json
    names : for each key, its name in the original file
    objects : content of the file, with the objects in `Dialect.inside` moved to the top
    """

    dialect: Dialect
    data: dict[str, Any]
    names: Mapping[str, str]
    architecture: Architecture
    findings: list[Finding]
    objects: Mapping[str, Any]


@cache
def dialects() -> dict[str, Dialect]:
    """Return all dialects by name, in the order in which they are tried.

    A table with the key `like` inherits from the dialect that it names.
    """
    tables: dict[str, dict[str, Any]] = read_facts(DIALECTS)
    for name, table in tables.items():
        tables[name] = _updated(tables[table.pop("like")], table) if "like" in table else table
        for part in (tables[name], *tables[name].get("groups", ())):
            check_facts(DIALECTS, name, part.get("facts", {}))
    return {name: Dialect(name, **as_tuples(table)) for name, table in tables.items()}


def _updated(base: Mapping[str, Any], more: Mapping[str, Any]) -> dict[str, Any]:
    """Return the tables of `base` updated with those of `more`, recursively."""
    inner = {k: _updated(base[k], v) for k, v in more.items() if isinstance(v, dict) and isinstance(base.get(k), dict)}
    return {**base, **more, **inner}


def as_tuples(table: Mapping[str, Any]) -> dict[str, Any]:
    """Return a table with its lists converted to tuples."""
    return {key: tuple(value) if isinstance(value, list) else value for key, value in table.items()}


def dialect_of(data: Mapping[str, Any]) -> Dialect | None:
    """Return the dialect of a file's content; None for transformers and for an unknown program."""
    # a known model_type counts more than the keys: DistilBERT has those of Mistral's own format
    known = "model_type" in data and architecture_of(Keys(data)).known
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
    """Return the content of a config.json of transformers; raise FileError with the reason `why` for other files."""
    data = read_config(Path(path))
    if dialect := dialect_of(data):
        raise FileError(f"{path} is a file of {dialect.title}: {why}")
    return data


def _hoisted(item: Dialect, data: Mapping[str, Any]) -> dict[str, Any]:
    """Return the content with the keys of objects in `item.inside` at the top, and dashes replaced by underscores."""
    found = dict(data)
    for name in item.inside:
        if isinstance(found.get(name), dict):
            found |= found.pop(name)
    return {key.replace("-", "_"): value for key, value in found.items()} if item.dashes else found


def flat(data: Mapping[str, Any], place: str = "") -> dict[str, Any]:
    """Return the values by full name, nested names joined by dots; null counts as absent.

    place : prefix of the names, for an object inside another one
    """
    found: dict[str, Any] = {}
    for key, value in data.items():
        if isinstance(value, dict) and value and place.count(".") < MAX_DEPTH:
            found |= flat(value, f"{place}{key}.")
        elif value is not None:
            found[f"{place}{key}"] = value
    return found


def translate(dialect: Dialect, data: Mapping[str, Any]) -> Translation:
    """Return the translation of a file, with findings on what it leaves out.

    Raises
    ------
    UsageError : the class of the model is unknown, or pecli cannot tell its encoding
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
        Finding(key, None, "warning", say(item.unsure[key], fact=safe_text(value)))
        if key in item.unsure
        else Finding(
            key, None, "note", say("findings.default_of_architecture", name=architecture.name, fact=safe_text(value))
        )
        for key, value in assumed.items()
        if key in named
    ]
    lost = {names[own] for own in dropped if own in names} - {*assumed}
    findings += _not_used(item, architecture.name, content, lost)
    # findings on nested keys name only the last part of a key
    ends = {own.rpartition(".")[2]: key for own, key in names.items()}
    return Translation(item, _nested(ours), {**ends, **names}, architecture, findings, content)


def _translated(item: Dialect, given: Flat) -> tuple[dict[str, Any], dict[str, str], list[str]]:
    """Return the content of a file with the keys and values of transformers.

    Also return the names of these keys in the file, and the keys that were dropped.

    given : the content of the file by full name
    """
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
    """Yield (key in the file, key of transformers, value) for each key that is only renamed."""
    computed = {*item.sums, *item.products}
    for text, owns in item.keys.items():
        key, _, condition = text.partition(" if ")
        value = _value(given, key)
        if value is not None and owns and (not condition or _holds(condition, given)):
            yield from ((key, own, value) for own in owns.split(", ") if own not in computed)


def _computed(item: Dialect, given: Flat) -> Iterator[tuple[str, str, Any]]:
    """Yield (key in the file, key of transformers, value) for each sum, product and quotient.

    The key in the file is that of the first operand.
    """
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
    """Return the value of a key in `given`, or of an item "key[n]" of a list; None if it is missing."""
    match = AT.fullmatch(key)
    if match is None:
        return given.get(key)
    values, at = given.get(match[1]), int(match[2])
    return values[at] if isinstance(values, list) and at < len(values) else None


def _by_word(key: str, value: Any, words: Mapping[str, Any]) -> Mapping[str, Any]:
    """Return the values of other keys that the word `value` of `key` implies; raise UsageError for an unknown word."""
    word = value if isinstance(value, str) else json.dumps(value, default=str)
    if word not in words:
        raise UsageError(f"{key} is {safe_text(value)}, but pecli only knows {', '.join(words)}")
    found: Mapping[str, Any] = words[word]
    return found


def _of_class(dialect: Dialect, given: dict[str, Any]) -> tuple[Dialect, Architecture]:
    """Return the dialect with facts on the class that the file names, and the architecture of that class.

    Named groups of the class's pattern are added to `given`.
    """
    if not dialect.named_by:
        return dialect, Architecture.of(dialect.title, dialect.facts)
    name = given.get(dialect.named_by)
    unknown = UsageError(f"{dialect.named_by} is {safe_text(name)}, which pecli does not know in {dialect.title}")
    if dialect.of_transformers:
        architecture = architecture_of(Keys({"model_type": name}))
        if not architecture.known:
            raise unknown
        return dialect, replace(architecture, name=f"{name} ({dialect.title})")
    tables: dict[str, Any] = {key: getattr(dialect, key) for key in BY_CLASS}
    found = [(group, match) for group in dialect.groups if (match := _match_name(group["names"], name))]
    if not found:
        raise unknown
    for group, match in found:
        tables = _updated(tables, {key: value for key, value in group.items() if key != "names"})
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


def _match_name(patterns: Sequence[str], name: Any) -> re.Match[str] | None:
    """Return the match of the first pattern that matches the whole name; None if none does."""
    if not isinstance(name, str):
        return None
    return next(filter(None, (re.fullmatch(pattern, name) for pattern in patterns)), None)


def _holds(condition: str, given: Flat) -> bool:
    """Return whether a condition holds for the keys in `given`.

    A condition says that a key is present, absent, equal to a JSON value, or above a number.
    """
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
    """Yield a finding for each key that concerns positions but is not used.

    name : name of the model's class
    lost : keys that the dialect knows but that have no effect in this file
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
