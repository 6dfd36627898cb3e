"""The JSON Schema of batch files, made from the fields of figures, reports and encodings: editors complete by it."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from pecli.analysis import Analysis
from pecli.core.options import Option
from pecli.encodings.registry import ENCODINGS
from pecli.jobs.job_options import ANALYSES, encoding_parameters, known_options

Schema = dict[str, Any]

TEXT: Schema = {"type": "string"}
RANGE: Schema = {"type": "string", "pattern": r"\.\.|:"}  # 0..200:50
CLOSED: Schema = {"type": "object", "additionalProperties": False}


def batch_schema() -> Schema:
    """Return the schema of a whole file, for every figure and report that there is."""
    shared = _shared()
    entries = [_entry(analysis, shared) for analysis in ANALYSES.values()]
    about = {"title": TEXT, "index": {"anyOf": [TEXT, {"type": "array", "items": TEXT}]}}
    return {
        "$schema": "http://json-schema.org/draft-07/schema#",
        "title": "A batch file of pecli",
        "definitions": {name: _value(item) for name, item in shared.items()},
        "properties": {
            "batch": {"properties": about, **CLOSED},
            "defaults": {"properties": _defaults(entries), **CLOSED},
            "figure": {"type": "array", "minItems": 1, "items": {"anyOf": entries}},
        },
        "required": ["figure"],
        **CLOSED,
    }


def _keys(analysis: type[Analysis[Any]]) -> dict[str, Option]:
    """Return every option of a figure or report; a parameter of encodings takes what any of those takes that have
    it.
    """
    known = known_options(analysis)
    owners = {name: [kind.options().get(name) for kind in ENCODINGS.values()] for name in encoding_parameters()}
    return {**known, **{name: _widest([item for item in same if item]) for name, same in owners.items()}}


def _widest(same: list[Option]) -> Option:
    """Return the last of options of one name, with bounds that hold for all, and a default where they have one."""
    low, high, above, default = (
        [getattr(item, of) for item in same] for of in ("at_least", "at_most", "above", "default")
    )
    return replace(
        same[-1],
        at_least=None if None in low else min(low),
        at_most=None if None in high else max(high),
        above=None if None in above else min(above),
        default=default[0] if default.count(default[0]) == len(default) else None,
    )


def _shared() -> dict[str, Option]:
    """Return the options that are the same wherever they are, by name."""
    found: dict[str, list[Option]] = {}
    for analysis in ANALYSES.values():
        for name, key in _keys(analysis).items():
            found.setdefault(name, []).append(key)
    return {name: same[0] for name, same in found.items() if all(item == same[0] for item in same)}


def _entry(analysis: type[Analysis[Any]], shared: dict[str, Option]) -> Schema:
    """Return one [[figure]] of that figure or report."""
    keys: Schema = {}
    for name, key in _keys(analysis).items():
        value = {"$ref": f"#/definitions/{name}"} if name in shared else _value(key)
        for spelling in (name, *sorted(key.spellings)):
            keys |= {spelling: value, spelling.replace("_", "-"): value}
    return {
        "title": analysis.name,
        "description": analysis.summary,
        "properties": {**keys, **_about_entry(analysis.name)},
        "required": ["command"],
        **CLOSED,
    }


def _defaults(entries: list[Schema]) -> Schema:
    """Return the keys of [defaults]: what any figure takes under that name."""
    found: dict[str, list[Schema]] = {}
    for entry in entries:
        for name, value in entry["properties"].items():
            if name not in _about_entry("") and value not in found.setdefault(name, []):
                found[name].append(value)
    return {name: values[0] if len(values) == 1 else {"anyOf": values} for name, values in found.items()}


def _about_entry(command: str) -> Schema:
    """Return the keys of a figure that are no options."""
    words = [command, *(word for word, (own, _) in ANALYSES.aliases.items() if own == command)]
    return {"command": {"enum": words}, "name": TEXT, "note": TEXT}


def _value(option: Option) -> Schema:
    """Return a value, a list of them, which is a sweep or the several that the option takes, or a sweep of several."""
    single = _single(option)
    many = {"type": "array", "items": single}
    shown = {} if option.default in (None, ()) else {"default": option.default}
    return {
        "description": option.help,
        **shown,
        "anyOf": [single, {"type": "array", "items": {"anyOf": [single, many]}}],
    }


def _single(option: Option) -> Schema:
    if option.scalar is bool:
        return {"type": "boolean"}
    if option.scalar is str:
        return {"enum": list(option.choices())} if option.choices is not None and not option.many else TEXT
    bounds = {"minimum": option.at_least, "maximum": option.at_most, "exclusiveMinimum": option.above}
    number: Schema = {"type": "integer" if option.scalar is int else "number"}
    number |= {name: bound for name, bound in bounds.items() if bound is not None}
    return {"anyOf": [number, RANGE, *([{"enum": list(option.names)}] if option.names else [])]}
