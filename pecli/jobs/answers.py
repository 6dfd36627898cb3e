"""The JSON Schema of the --json output for pictures and reports, made from the dataclass fields of that output."""

from __future__ import annotations

from importlib import import_module
from typing import Any

from pecli.analysis import Analysis
from pecli.core.json_schema import PLAIN, Schema, any_of, closed, results, schema_of
from pecli.core.options import Option
from pecli.encodings.registry import ENCODINGS
from pecli.jobs.functions import numbers_of
from pecli.jobs.job_options import known_options
from pecli.jobs.run import PictureAnswer


def pictures_schema(analysis: type[Analysis[Any]] | None = None) -> Schema:
    """Return the schema of the --json output of a figure or report; by default one that fits all of them."""
    schema = schema_of(PictureAnswer)
    properties: dict[str, Any] = schema["properties"]
    options = [option for kind in ENCODINGS.values() for option in kind.options().values()]
    properties["encodings"]["items"] = _options(["name", "spec"], options)
    if analysis is not None:
        job = _options(["command"], [*known_options(analysis).values(), *options])
        job["properties"]["command"] = {"enum": [analysis.name]}
        properties |= {"job": job, "facts": _facts(analysis)}
    return results(schema)


def _options(texts: list[str], options: list[Option]) -> Schema:
    """Return the schema of an object with a string under each key in `texts` and a value under each option's name."""
    schema = closed(dict.fromkeys(texts, str), texts)
    same: dict[str, list[Schema]] = {}
    for option in options:
        same.setdefault(option.name, []).append(_value(option))
    schema["properties"] |= {name: any_of(each) for name, each in same.items() if name not in texts}
    return schema


def _value(option: Option) -> Schema:
    """Return the schema of an option's value in a job: null if it has no value, a list if it is swept."""
    names = [PLAIN[option.scalar], "null", "array"]
    word = option.names or option.text_of or option.place
    return {"type": [*names, "string"] if word and option.scalar is not str else names}


def _facts(analysis: type[Analysis[Any]]) -> Schema:
    """Return the schema of the key numbers ("facts"): one object, or one for each part of a picture with several."""
    kinds = [getattr(import_module(module), name).fact_types() for module, name in numbers_of(analysis)]
    parts: Schema = {"type": "object", "additionalProperties": {"type": "object"}}
    return any_of([*(closed(kind, lost=True) for kind in kinds if kind), *([parts] if analysis.drawn else [])])
