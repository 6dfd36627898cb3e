"""The JSON Schema of batch files, made from the options of figures, reports and encodings, for use in editors."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from pecli.core.options import Option, canonical_name
from pecli.encodings.registry import ENCODINGS
from pecli.jobs.batch import BatchHeader, FigureHeader
from pecli.jobs.job_options import ANALYSES, encoding_parameters, known_options

Schema = dict[str, Any]

TEXT: Schema = {"type": "string"}
RANGE: Schema = {"type": "string", "pattern": r"\.\.|:"}  # such as 0..200:50
CLOSED: Schema = {"type": "object", "additionalProperties": False}


def batch_schema() -> Schema:
    """Return the schema of a batch file with every figure and report."""
    every = [option for kind in ENCODINGS.values() for option in kind.options().values() if not option.in_spec]
    for analysis in ANALYSES.values():
        every += [option for name, option in known_options(analysis).items() if name not in encoding_parameters()]
    same: dict[str, list[Option]] = {}  # different options with the same name
    for option in every:
        if option not in same.setdefault(option.name, []):
            same[option.name].append(option)
    known = {option.name: option for option in every}
    defaults = {key: value for option in every for key, value in _keys(option, _reference(option.name), known).items()}
    entries = [_entry(name, {each for each, options in same.items() if len(options) > 1}) for name in ANALYSES]
    return {
        "$schema": "http://json-schema.org/draft-07/schema#",
        "title": "A batch file of pecli",
        "definitions": {name: _value(*options) for name, options in same.items()},
        "properties": {
            "batch": {"properties": {name: _value(option) for name, option in BatchHeader.options().items()}, **CLOSED},
            "defaults": {"properties": defaults, **CLOSED},
            "figure": {"type": "array", "minItems": 1, "items": {"anyOf": entries}},
        },
        "required": ["figure"],
        **CLOSED,
    }


def _entry(command: str, ambiguous: set[str]) -> Schema:
    """Return the schema of a [[figure]] with that command.

    ambiguous : names that mean different options in different figures; here they mean those of this figure
    """
    words = [command, *(word for word, (own, _) in ANALYSES.aliases.items() if own == command)]
    keys: Schema = {"command": {"enum": words}, **dict.fromkeys(FigureHeader.options(), TEXT)}
    known = known_options(ANALYSES[command])
    for name, option in known.items():
        own = name in ambiguous and name not in encoding_parameters()
        keys |= _keys(option, _value(option) if own else _reference(name), known)
    summary = ANALYSES.summary(command)
    return {"title": command, "description": summary, "properties": keys, "required": ["command"], **CLOSED}


def _reference(name: str) -> Schema:
    return {"$ref": f"#/definitions/{name}"}


def _keys(option: Option, value: Schema, known: Mapping[str, Option]) -> Schema:
    """Return `value` under every spelling of the option's name, except spellings that mean another `known` option."""
    names = [option.name, *(word for word in sorted(option.spellings) if canonical_name(known, word) == option.name)]
    return {key: value for name in names for key in (name, name.replace("_", "-"))}


def _value(*same: Option) -> Schema:
    """Return the schema of a value that any of these options accepts, of a list of values, or of a list of lists."""
    kinds: list[Schema] = []
    for option in same:
        kinds += [kind for kind in _single(option) if kind not in kinds]
    many = {"type": "array", "items": {"anyOf": kinds}}
    default = same[0].default
    shown = {} if default in (None, ()) or any(option.default != default for option in same) else {"default": default}
    several = {"type": "array", "items": {"anyOf": [*kinds, many]}}
    return {"description": same[0].help, **shown, "anyOf": [*kinds, several]}


def _single(option: Option) -> list[Schema]:
    """Return the schemas that a single value of the option may have."""
    if option.scalar is bool:
        return [{"type": "boolean"}]
    if option.scalar is str:
        return [{"enum": list(option.choices())} if option.choices is not None and not option.many else TEXT]
    bounds = {"minimum": option.at_least, "maximum": option.at_most, "exclusiveMinimum": option.above}
    number = {"type": "integer" if option.scalar is int else "number", **bounds}
    names = [{"enum": list(option.names)}] if option.names else [TEXT] if option.place else []
    return [{name: each for name, each in number.items() if each is not None}, RANGE, *names]
