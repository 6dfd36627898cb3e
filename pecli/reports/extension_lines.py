"""Commands and config keys with which a runtime extends a context, checked against pecli's rules for that runtime."""

from __future__ import annotations

import json
import shlex
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass
from typing import Any

from pecli.core.errors import FileError
from pecli.core.language import listing, say
from pecli.core.lazy import np
from pecli.encodings.rope import Rope
from pecli.measures.extension import Extension
from pecli.models.dialects import config_of_transformers
from pecli.models.overrides import OBJECTS
from pecli.models.reader import Model
from pecli.models.rope import ORIGINAL
from pecli.models.runtimes import Runtime, apply_runtime, runtimes

STAY = ("partial_rotary_factor", "mrope_section", "mrope_interleaved")  # keys that do not belong to a scaling
SCALED = ("linear", "dynamic", "yarn")  # scalings with a factor, named as in transformers
NAMES = {  # text keys of the methods' names
    "none": "extend.none",
    "file": "extend.file",
    "linear": "extend.linear",
    "ntk": "extend.ntk",
    "dynamic": "extend.dynamic",
    "yarn": "extend.yarn",
    "longrope": "extend.longrope",
    "base": "extend.base",
}
EDITED = ("transformers5", "transformers4", "mlx")  # runtimes whose config.json is edited
OVERRIDDEN = {  # {keys}: config keys as JSON; {length}: positions
    "vllm": "vllm serve MODEL --hf-overrides {keys} --max-model-len {length}",
    "sglang": "python -m sglang.launch_server --model-path MODEL --json-model-override-args {keys} "
    "--context-length {length}",
}
AGREEMENT = 1e-9  # largest relative difference at which rates count as equal


@dataclass(frozen=True)
class Line:
    """The command or config keys for one runtime.

    runtime : name and version of the runtime
    text : the command; "" if there is none
    remark : why there is no command, or what could not be checked; "" if the command was checked
    """

    runtime: str
    text: str
    remark: str = ""


def runtime_lines(path: str, extension: Extension, length: int) -> list[Line]:
    """Return the commands for each runtime to read `length` positions with the method of `extension`.

    For a file that is not a config.json of transformers, only llama.cpp's flags are returned.
    """
    lines = []
    with suppress(FileError):
        data = config_of_transformers(path, "")
        lines = [_runtime_line(path, data, runtimes()[name], extension, length) for name in (*EDITED, *OVERRIDDEN)]
    flags, label = llama_cpp_flags(extension), runtimes()["llama.cpp"].title
    if not flags:
        text = "extend.as_it_is" if extension.method == "longrope" else "extend.no_flags"
        return [*lines, Line(label, "", say(text, method=say(NAMES[extension.method])))]
    return [*lines, Line(label, f"llama-server -m MODEL.gguf -c {length} {flags}")]


def _runtime_line(path: str, data: Mapping[str, Any], runtime: Runtime, extension: Extension, length: int) -> Line:
    """Return the command or config keys for one runtime, checked with pecli's rules for it."""
    edited = runtime.name in EDITED
    keys = config_keys(data, edited, runtime, extension)
    if not keys:
        return Line(runtime.label, "", say("extend.as_it_is"))
    found = apply_runtime(path, {**data, **keys} if edited else data, runtime, length, {} if edited else keys)
    if found.error or (found.model and not _has_rates(found.model, extension.rope)):
        why = "; ".join(found.why) or found.error or say("extend.other_rates")
        return Line(runtime.label, "", say("extend.does_not", why=why))
    remark = say("runtimes.not_looked_up", what=found.unknown) if found.unknown else found.trouble
    if edited:
        remark = listing(filter(None, [say("extend.keys_of_file"), remark]))
        return Line(runtime.label, json.dumps(keys), remark)
    typed = OVERRIDDEN[runtime.name].format(keys=shlex.quote(json.dumps(keys)), length=length)
    return Line(runtime.label, typed, remark)


def config_keys(data: Mapping[str, Any], edited: bool, runtime: Runtime, extension: Extension) -> dict[str, Any]:
    """Return the keys of a config.json that make this runtime use the RoPE of `extension`; {} if the file has them.

    edited : True if the keys are written into the file, False if they are an override
    """
    rope = extension.rope
    if extension.method == "longrope":
        return {}
    name = rope.scaling if rope.scaling in SCALED else "default"
    place = next((own for own in reversed(OBJECTS) if isinstance(data.get(own), dict)), "")
    old: Mapping[str, Any] = data[place] if place else {}
    inside: dict[str, Any] = {key: own for key in STAY if (own := old.get(key, data.get(key))) is not None}
    if name != "default":
        inside |= {"rope_type": name, "factor": rope.factor}
    if name == "yarn":
        inside[ORIGINAL] = rope.original
    beside = {"max_position_embeddings": rope.max_position} if name == "dynamic" else {}
    base = float(f"{rope.scaled_base if rope.scaling == 'ntk' else rope.base:.12g}")
    if place == "rope_parameters" if edited else runtime.override == "replaces":
        return {"rope_parameters": {"rope_type": name, **inside, "rope_theta": base}} | beside
    if name == "default":
        return {"rope_theta": base} | ({"rope_scaling": inside or None} if old and edited else {})
    return ({"rope_theta": base} if base != data.get("rope_theta", base) else {}) | {"rope_scaling": inside} | beside


def _has_rates(model: Model, rope: Rope) -> bool:
    """Return whether a kind of layer has the rates and the attention factor of `rope`."""
    made = [layer.encoding for layer in model.layers.values()]
    return any(
        isinstance(own, Rope)
        and own.width == rope.width
        and np.allclose(own.frequencies(), rope.frequencies(), rtol=AGREEMENT, atol=0)
        and np.isclose(own.attention_scaling, rope.attention_scaling, rtol=AGREEMENT, atol=0)
        for own in made
    )


def llama_cpp_flags(extension: Extension) -> str:
    """Return the flags of llama.cpp for a method; "" if it has none."""
    rope = extension.rope
    if rope.scaling == "ntk" or extension.method == "base":
        return f"--rope-freq-base {rope.scaled_base:.10g}"
    if rope.scaling == "linear":
        return f"--rope-scaling linear --rope-scale {rope.factor:.10g}"
    if rope.scaling == "yarn" and extension.method == "yarn":
        return f"--rope-scaling yarn --rope-scale {rope.factor:.10g} --yarn-orig-ctx {rope.original}"
    return ""
