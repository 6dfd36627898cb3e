"""JSON Schemas made from Python types: the TypedDicts and dataclasses that describe --json output."""

from __future__ import annotations

import dataclasses
import types
from collections.abc import Iterable, Mapping
from typing import (
    Annotated,
    Any,
    Literal,
    NotRequired,
    Required,
    Union,
    get_args,
    get_origin,
    get_type_hints,
    is_typeddict,
)

Schema = dict[str, Any]

DRAFT = "http://json-schema.org/draft-07/schema#"
OPEN = "open"  # Annotated[SomeTypedDict, OPEN] may have keys beside its own
PLAIN = {bool: "boolean", int: "integer", float: "number", str: "string", type(None): "null"}


def schema_of(kind: Any, lost: bool = False) -> Schema:
    """Return the schema of a type: a TypedDict, a dataclass as a dict, a list, a union, a plain value.

    The description of a TypedDict is the first paragraph of its docstring.

    lost : whether a number may be null, which stands for NaN and infinity in JSON
    """
    origin, parts = get_origin(kind), get_args(kind)
    made = origin or kind
    if kind in PLAIN:
        return {"type": [PLAIN[kind], "null"] if lost and kind is float else PLAIN[kind]}
    if origin in (Required, NotRequired):
        return schema_of(parts[0], lost)
    if origin is Annotated:
        return schema_of(parts[0], lost) | ({"additionalProperties": True} if OPEN in parts[1:] else {})
    if origin is Literal:
        return {"enum": [*parts]}
    if origin in (Union, types.UnionType):
        return any_of(schema_of(part, lost) for part in parts)
    if is_typeddict(kind):
        hints = get_type_hints(kind, include_extras=True)
        told = {Required: True, NotRequired: False}  # __required_keys__ misses these if annotations are strings
        needed = [name for name, hint in hints.items() if told.get(get_origin(hint), name in kind.__required_keys__)]
        about = " ".join((kind.__doc__ or "").partition("\n\n")[0].replace("`", "").split())
        return {"description": about, **closed(hints, needed, lost)}
    if dataclasses.is_dataclass(kind):
        hints = get_type_hints(kind)
        return closed({field.name: hints[field.name] for field in dataclasses.fields(kind)}, [*hints], lost)
    if isinstance(made, type) and issubclass(made, Mapping):
        return {"type": "object", **({"additionalProperties": schema_of(parts[1], lost)} if parts else {})}
    if isinstance(made, type) and issubclass(made, (list, tuple)):
        each = any_of(schema_of(part, lost) for part in parts if part is not ...)
        count = {"minItems": len(parts), "maxItems": len(parts)} if made is tuple and parts and ... not in parts else {}
        return {"type": "array", "items": each, **count}
    return {}


def closed(kinds: Mapping[str, Any], required: Iterable[str] = (), lost: bool = False) -> Schema:
    """Return the schema of an object with these keys and no others; `kinds` gives the type of each key.

    required : keys that the object always has
    lost : as for `schema_of`
    """
    properties = {name: schema_of(kind, lost) for name, kind in kinds.items()}
    needed = [name for name in kinds if name in {*required}]
    return {"type": "object", "properties": properties, "required": needed, "additionalProperties": False}


def any_of(schemas: Iterable[Schema]) -> Schema:
    """Return the schema of values that fit at least one of several schemas; plain types become one list of names."""
    names: dict[str, None] = {}
    rest: list[Schema] = []
    for each in schemas:
        if each.keys() == {"type"}:
            names |= dict.fromkeys([each["type"]] if isinstance(each["type"], str) else each["type"])
        elif each not in rest:
            rest.append(each)
    if names:
        rest.append({"type": [*names] if len(names) > 1 else next(iter(names))})
    return {"anyOf": rest} if len(rest) > 1 else rest[0] if rest else {}


def results_of(*kinds: Any) -> Schema:
    """Return the schema of {"results": [...]} in which all items have the same type, one of `kinds`."""
    return any_of(results(schema_of(kind)) for kind in kinds)


def results(item: Schema) -> Schema:
    """Return the schema of {"results": [...]} whose items have the schema `item`."""
    listed = {"results": {"type": "array", "items": item}}
    return {"type": "object", "properties": listed, "required": ["results"], "additionalProperties": False}
