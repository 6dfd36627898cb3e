"""llama.cpp's command-line flags for positions, applied to the keys of a GGUF file.

Verified by running llama.cpp as vendored in llama-cpp-python 0.3.36 (common/arg.cpp, src/llama-context.cpp).
"""

from __future__ import annotations

import shlex
from collections.abc import Mapping
from dataclasses import replace
from math import isfinite
from pathlib import Path
from typing import Any

from pecli.core.errors import FileError, UsageError
from pecli.core.language import say
from pecli.models.config_file import read_config
from pecli.models.layers import Finding
from pecli.models.reader import Layer, Model, model_of

KEYS = {  # flag to the key that it overrides, without the architecture's name
    "rope-freq-base": "rope.freq_base",
    "rope-scaling": "rope.scaling.type",
    "rope-scale": "rope.scaling.factor",
    "yarn-orig-ctx": "rope.scaling.original_context_length",
}
OTHERS = ("rope-freq-scale", "yarn-beta-fast", "yarn-beta-slow", "yarn-ext-factor", "yarn-attn-factor")
SCALINGS = ("none", "linear", "yarn")


def read_flagged(path: str, text: str, seq_len: int | None) -> Model:
    """Return the model of a GGUF file as llama.cpp reads it with the given flags.

    Raises
    ------
    UsageError : an unknown flag, or a flag without a valid value
    FileError : the file is not GGUF, or as for `read_model`
    """
    given, data = _flags(text), read_config(Path(path))
    name = data.get("general.architecture")
    if not isinstance(name, str):
        raise FileError(f"{path} is not a GGUF file, which llama.cpp's flags need")
    changed, findings = dict(data), list[Finding]()
    if "rope-freq-scale" in given:
        given["rope-scale"] = 1 / given["rope-freq-scale"]
    changed |= {f"{name}.{key}": given[flag] for flag, key in KEYS.items() if flag in given}
    rule = f"{name}.rope.scaling.type"
    yarn, whole = changed.get(rule) == "yarn", given.get("yarn-ext-factor") == 0
    if unknown := [flag for flag in given if flag.startswith("yarn-") and not yarn]:
        text = f"pecli has not looked up what --{unknown[0]} does without YaRN"
        raise UsageError(text, option="flags", advice="give --rope-scaling yarn too")
    if yarn and whole:  # then all pairs are scaled
        changed[rule] = "linear"
    if "yarn-attn-factor" in given and not whole:
        findings.append(
            Finding("--yarn-attn-factor", given["yarn-attn-factor"], "warning", say("findings.flag_overwritten"))
        )
    if "rope-freq-base" in given and "rope_freqs.weight" in data:
        findings.append(
            Finding("--rope-freq-base", given["rope-freq-base"], "warning", say("findings.flag_keeps_divisors"))
        )
    model = model_of(path, changed, seq_len)
    layers = {kind: _with_flags(layer, given, whole and yarn) for kind, layer in model.layers.items()}
    return replace(model, layers=layers, findings=(*findings, *model.findings))


def _with_flags(layer: Layer, given: Mapping[str, Any], whole: bool) -> Layer:
    """Return the layer with those flags applied that no key of a file can express.

    given : value of each flag by name
    whole : True if the flag yarn-ext-factor is 0, so that linear scaling has replaced YaRN
    """
    parameters = dict(layer.parameters or {})
    if parameters.get("scaling") == "yarn":
        betas = {"beta_fast": "yarn-beta-fast", "beta_slow": "yarn-beta-slow"}
        parameters |= {name: given[flag] for name, flag in betas.items() if flag in given}
    elif parameters.get("scaling") == "linear" and whole and "yarn-attn-factor" in given:
        pairs = parameters.get("rotary_dim", parameters["d"]) // 2
        parameters |= {"scaling": "divisors", "divisors": [parameters.pop("factor")] * pairs}
        parameters["attention_factor"] = given["yarn-attn-factor"]
    return replace(layer, parameters=parameters) if layer.parameters else layer


def _flags(text: str) -> dict[str, Any]:
    """Return the value of each flag by name."""
    given = dict[str, Any]()
    try:
        words = shlex.split(text.replace("=", " "))
    except ValueError:
        raise UsageError(option="flags", value=text, allowed="flags and values, with every quote closed") from None
    for flag, value in zip(words[::2], [*words[1::2], ""], strict=False):
        name = flag.removeprefix("--")
        if not flag.startswith("--") or name not in (*KEYS, *OTHERS):
            allowed = ", ".join(f"--{item}" for item in (*KEYS, *OTHERS))
            raise UsageError(option="flags", value=flag, allowed=allowed)
        try:
            given[name] = value if name == "rope-scaling" else float(value)
            if name != "rope-scaling" and not isfinite(given[name]):
                raise ValueError
        except ValueError:
            raise UsageError(option="flags", value=f"{flag} {value}", allowed=f"a number for {flag}") from None
        if name == "rope-scaling" and value not in SCALINGS:
            raise UsageError(option="flags", value=value, allowed=f"{', '.join(SCALINGS)} for {flag}")
        if name == "yarn-ext-factor" and given[name] != 0:
            raise UsageError(
                option="flags", value=f"{flag} {value}", allowed="only 0, because pecli has not looked up other numbers"
            )
        if name in ("rope-scale", "rope-freq-scale", "rope-freq-base") and not given[name] > 0:
            raise UsageError(option="flags", value=f"{flag} {value}", allowed="a number > 0")
    return given
