"""Overrides: keys merged into a config.json at load time, as transformers and inference servers do.

Verified by running ``config.update`` of transformers 5.24.0 and 4.57.6, and by reading the code of vLLM's
--hf-overrides and SGLang's --json-model-override-args.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from pecli.core.errors import UsageError, option_text, shorten
from pecli.core.language import say
from pecli.models.config_file import json_advice
from pecli.models.dialects import config_of_transformers
from pecli.models.layers import LEVELS, Finding
from pecli.models.reader import INNER, Model, model_of

OBJECTS = ("rope_parameters", "rope_scaling")  # two names of one object in transformers 5, which prefers the second
INSIDE = ("rope_theta", "partial_rotary_factor")  # keys that transformers 5 moves into that object
TYPES = {"rope_type", "type"}


def read_overrides(texts: Sequence[str]) -> dict[str, Any]:
    """Return the overridden keys; each text is a JSON object, or ``key=value`` with a value in JSON or plain text.

    Raises
    ------
    UsageError : a text is neither
    """
    given: dict[str, Any] = {}
    for text in texts:
        (name, equals, value), advice = text.partition("="), ""
        try:
            item = json.loads(text if text.lstrip().startswith("{") else value)
        except (ValueError, RecursionError) as error:
            advice = json_advice(error)
            item = None if text.lstrip().startswith("{") else value
        if text.lstrip().startswith("{"):
            if not isinstance(item, dict):
                takes = "a JSON object, or key=value"
                raise UsageError(option="override", value=text, allowed=takes, advice=advice)
            given |= item
        elif equals and name.strip():
            given[name.strip()] = item
        else:
            raise UsageError(option="override", value=text, allowed="a JSON object, or key=value")
    return given


def check_override(name: str, value: Any) -> None:
    """Raise UsageError if the name is a path of keys, or if the RoPE object is set to neither an object nor null."""
    outer, dot, inner = name.partition(".")
    if dot:
        text = f"{option_text('override')}: {name} is read as one key, not as {inner} inside {outer}"
        typed = json.dumps({outer: {inner: value}})
        advice = f"write --override '{typed}', with all other keys of {outer} too, because an override replaces it"
        raise UsageError(f"{text}, and no config has such a key", option="override", value=name, advice=advice)
    if name in OBJECTS and not isinstance(value, Mapping | None):
        text = f"{name} cannot be {shorten(value)}"
        raise UsageError(text, option="override", value=value, allowed="an object or null")


def read_overridden(path: str, seq_len: int | None, given: Mapping[str, Any], how: str = "replaces") -> Model:
    """Return the model of a config.json of transformers with overrides applied; for `how` see `apply_overrides`.

    Raises
    ------
    FileError : the file is of another program, or as for `read_model`
    """
    data = config_of_transformers(path, "only a config.json of transformers can be overridden")
    changed, findings = apply_overrides(data, given, how)
    return with_findings(model_of(path, changed, seq_len), findings)


def with_findings(model: Model, findings: Sequence[Finding]) -> Model:
    """Return the model with more findings; an error in the RoPE object removes the encoding of RoPE layers."""
    errors = [finding for finding in findings if finding.level == "error" and finding.key in OBJECTS]
    layers = dict(model.layers)
    if errors:
        trouble = f"{errors[0].key}: {errors[0].text}"
        layers = {
            kind: replace(layer, name=None, parameters=None, trouble=trouble) if layer.kind == "rope" else layer
            for kind, layer in layers.items()
        }
    own = [item for item in model.findings if not (errors and item.key in INSIDE)]  # drop notes on defaults
    found = sorted([*findings, *own], key=lambda item: LEVELS.index(item.level))
    return replace(model, layers=layers, findings=tuple(found))


def apply_overrides(
    data: Mapping[str, Any], given: Mapping[str, Any], how: str
) -> tuple[dict[str, Any], list[Finding]]:
    """Return a config with the overrides `given` applied, and findings on keys that were lost or have no effect.

    how : what an override of the RoPE object does. With "replaces", it replaces the object and everything in it,
        including the base (transformers 5, vLLM). With "beside", it replaces the object, but not the base, which is a
        separate key (transformers 4). With "merges", its keys are merged into the object (SGLang)

    Raises
    ------
    UsageError : the effect of such an override is unknown
    """
    inner = next((name for name in INNER if isinstance(data.get(name), dict)), None)
    if inner is not None:
        known = "in SGLang, overrides of outer keys have no effect on it (sgl-project/sglang issue 27974)"
        text = f"pecli has not looked up what an override does to a config with {inner}"
        raise UsageError(text, option="override", advice=f"write the keys into {inner} of the file; {known}")
    changed, findings = dict(data), list[Finding]()
    old = next((dict(data[name]) for name in reversed(OBJECTS) if isinstance(data.get(name), dict)), {})
    for name, value in given.items():
        if name in OBJECTS:
            findings += _override_object(changed, old, name, value, how)
        elif name in INSIDE and how != "beside":
            if how == "merges":
                raise UsageError(f"pecli has not looked up what an override of {name} alone does", option="override")
            findings.append(Finding(name, value, "error", say("findings.override_without_effect", name=name)))
        else:
            changed[name] = value
    return changed, findings


def _override_object(changed: dict[str, Any], old: dict[str, Any], name: str, value: Any, how: str) -> list[Finding]:
    """Apply an override of the RoPE object to the config, and return findings on lost keys.

    changed : the config, changed in place
    old : the RoPE object before the override
    name, value : the key of the object in the override, and its new content; None removes the object
    how : as in `apply_overrides`
    """
    items = (*old.values(), *(value or {}).values())
    if any(isinstance(item, dict) for item in items) or "rope_local_base_freq" in changed:
        text = "pecli has not looked up what an override does to a file with a base for each kind of layer"
        raise UsageError(text, option="override")
    if how == "merges":
        if value is None:
            raise UsageError(f"pecli has not looked up what an override of {name} by null does", option="override")
        for key in OBJECTS:
            changed.pop(key, None)
        changed["rope_scaling"] = {**old, **value}
        return []
    if how == "beside":
        if name == "rope_parameters":
            return [Finding(name, value, "warning", say("findings.override_not_read", name=name))]
        changed[name] = value
        return _lost_keys(name, old, value) if value is not None else []
    before = {key: changed[key] for key in INSIDE if changed.get(key) is not None} | old
    for key in (*OBJECTS, *INSIDE):
        if key not in (value or {}):  # otherwise the file's own is left for transformers 4
            changed.pop(key, None)
    changed[name] = value
    base = before.pop("rope_theta", None)
    if value is None:
        typed = json.dumps({"rope_parameters": {"rope_type": "default", "rope_theta": base or "…"}}, ensure_ascii=False)
        return [Finding(name, None, "error", say("findings.override_null", keys=typed))]
    lost = _lost_keys(name, before, value)
    if "rope_theta" in value:
        return lost
    text = "findings.override_loses_base" if base is not None else "findings.override_loses_default_base"
    return [Finding(name, value, "error", say(text, base=base)), *lost]


def _lost_keys(name: str, old: Mapping[str, Any], value: Mapping[str, Any]) -> list[Finding]:
    """Return a finding on the keys of the replaced object that the new one does not have; [] if there are none."""
    missing = [key for key in old if key not in value and not (key in TYPES and TYPES & value.keys())]
    text = say("findings.override_loses_keys", keys=", ".join(missing))
    return [Finding(name, {key: old[key] for key in missing}, "warning", text)] if missing else []
