"""Translation rules that dialects.toml cannot express, such as a scaling that depends on several keys.

A rule takes the translated keys, named as in transformers with nested names joined by dots, changes them in place, and
returns the names of keys that have no effect.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from math import log
from typing import Any

from pecli.core.errors import UsageError
from pecli.models.config_file import Keys, safe_text
from pecli.models.facts import FULL, SLIDING
from pecli.models.rope import ORIGINAL

PLACE = "rope_scaling."
LLAMA_CPP = ("none", "linear", "yarn", "longrope")  # scalings that llama.cpp knows
LISTS = ("divisors", "short_factor", "long_factor")


def _take_scaling(ours: dict[str, Any]) -> Keys:
    """Remove the keys of the scaling from `ours` and return them."""
    return Keys({own.removeprefix(PLACE): ours.pop(own) for own in [*ours] if own.startswith(PLACE)})


def _set_scaling(ours: dict[str, Any], scaling: Mapping[str, Any]) -> None:
    ours |= {f"{PLACE}{name}": value for name, value in scaling.items() if value is not None}


def by_layer(ours: dict[str, Any]) -> list[str]:
    """Convert per-layer lists of a GGUF file to the form used by transformers; return [].

    ours : the translated keys, changed in place
    """
    heads, pattern = ours.get("num_attention_heads"), ours.get("sliding_window_pattern")
    if isinstance(heads, list):
        ours["num_attention_heads"] = next(filter(None, heads), None)
    if isinstance(pattern, list):
        del ours["sliding_window_pattern"]
        ours |= {"hybrid_layer_pattern": [int(bool(flag)) for flag in pattern]} if ours.get("sliding_window") else {}
    if not isinstance(ours.get("attn_type_list"), list):
        ours.pop("attn_type_list", None)
    return []


def llama_cpp_scaling(ours: dict[str, Any]) -> list[str]:
    """Convert the scaling of a GGUF file to the form used by transformers; return the names of keys without effect.

    This follows llama.cpp (src/llama-model.cpp, src/llama-context.cpp): a missing type means linear; a tensor of
    divisors divides the rates whatever the type; an attention factor multiplies YaRN's own.

    ours : the translated keys, changed in place
    """
    inside = _take_scaling(ours)
    rule, factor = inside.text("rope_type") or "linear", inside.number("factor") or 1.0
    if rule not in LLAMA_CPP:
        raise UsageError(f"rope.scaling.type is {safe_text(rule)}, but llama.cpp only takes {', '.join(LLAMA_CPP)}")
    attention = inside.number("attn_factor")
    lists = {name: numbers for name in LISTS if (numbers := inside.numbers(name))}
    scaled: dict[str, Any] = {}
    if lists and rule == "yarn" and factor != 1:
        raise UsageError("the file has YaRN and a tensor of divisors, which pecli cannot show together")
    if lists:
        stretch, pairs = 1.0 if rule in ("none", "yarn") else factor, len(next(iter(lists.values())))
        wanted = LISTS[:1] if "divisors" in lists else LISTS[1:]  # "divisors" takes precedence
        scaled = {name: [stretch * number for number in lists.get(name, [1.0] * pairs)] for name in wanted}
        scaled |= {"rope_type": "divisors" if "divisors" in lists else "longrope"}
        scaled |= {"attention_factor": 1.0 if attention is None else attention}
    elif rule == "yarn":
        scaled = {"rope_type": "yarn", "factor": factor}
        scaled |= {name: inside.number(name) for name in ("beta_fast", "beta_slow", "mscale_all_dim", "softmax_mscale")}
        scaled |= _yarn_attention(scaled, inside, attention)
    elif rule != "none" and factor != 1:
        scaled = {"rope_type": "linear", "factor": factor}
    if sections := inside.numbers("mrope_section"):  # one number per axis; 0 if the last axis is unused
        scaled |= {"mrope_section": sections[:-1] if sections[-1] == 0 else sections}
    scaled |= {ORIGINAL: inside.length(ORIGINAL)}
    _set_scaling(ours, scaled)
    return [f"{PLACE}attn_factor"] if attention not in (None, 1) and not (lists or rule == "yarn") else []


def _yarn_attention(scaled: Mapping[str, Any], inside: Keys, attention: float | None) -> dict[str, Any]:
    """Return the keys for llama.cpp's two factors with YaRN: the factor of cos and sin, and that of the softmax scale.

    scaled : the keys of the scaling for transformers
    inside : the keys of the scaling in the file
    attention : the attention factor in the file, if any
    """
    growth = 0.1 * log(max(scaled["factor"], 1.0))
    if tenth := inside.number("tenth_of_mscale"):  # DeepSeek, whose cos and sin are not multiplied
        given = 1.0 if attention is None else attention
        return {"attention_factor": given, "softmax_mscale": (given * (1 + 10 * tenth * growth) - 1) / (growth or 1.0)}
    weight = scaled["mscale_all_dim"] or 0.0
    if attention is not None:
        return {"attention_factor": attention * (1 + growth) / (1 + weight * growth)}
    return {"mscale": 1.0} if weight else {}


def litgpt_adjustments(ours: dict[str, Any]) -> list[str]:
    """Set the type of scaling in `ours` as litgpt's build_rope_cache does; return [].

    litgpt's files (rope_adjustments) do not name the type. litgpt's yarn divides the rates of fast pairs and keeps
    those of slow pairs. It multiplies cos and sin only by scales that the file states.
    """
    inside, condensed = (
        _take_scaling(ours),
        Keys({"ratio": ours.pop("rope_condense_ratio", None)}).number("ratio") or 1.0,
    )
    factor, scaled = inside.number("factor"), {**inside.data}
    if inside.first("beta_fast", "beta_slow"):
        growth = 0.1 * log(max(factor or 1.0, 1.0))
        scales = [
            growth * scale + 1 if (scale := inside.number(name)) else 1.0 for name in ("mscale", "mscale_all_dim")
        ]
        attention = scales[0] / scales[1] if inside.number("mscale") else scales[1]
        scaled |= {"rope_type": "yarn", "exchanged": True, "attention_factor": attention}
    elif ORIGINAL in inside:
        scaled |= {"rope_type": "llama3"}
    elif factor is not None:
        scaled |= {"rope_type": "linear", "factor": factor * condensed}
    elif condensed != 1:
        scaled |= {"rope_type": "linear", "factor": condensed}
    if condensed != 1 and scaled.get("rope_type") in ("yarn", "llama3"):
        raise UsageError("the file has rope_condense_ratio and rope_adjustments, which pecli cannot show together")
    windows, local = ours.pop("sliding_window_indices", None), ours.pop("rope_local_base_freq", None)
    if windows is not None and ours.setdefault("hybrid_layer_pattern", windows) != windows:
        raise UsageError("sliding_window_indices and rope_indices differ; pecli only shows layers where they agree")
    if local is None:
        _set_scaling(ours, scaled)
        return []
    plain = {"rope_type": "linear", "factor": condensed} if condensed != 1 else {}
    for kind, base, scaling in ((FULL, ours.get("rope_theta"), scaled), (SLIDING, local, plain)):
        _set_scaling(ours, {f"{kind}.{name}": value for name, value in {"rope_theta": base, **scaling}.items()})
    return []


def one_scaling(ours: dict[str, Any]) -> list[str]:
    """Replace the key positions_divided_by in `ours` by linear scaling; return [].

    Raises UsageError if there is another scaling too.
    """
    divided = Keys({"by": ours.pop("positions_divided_by", None)}).number("by")
    if divided not in (None, 1.0):
        if f"{PLACE}rope_type" in ours:
            raise UsageError("the file has divided positions and a scaling, which pecli cannot show together")
        _set_scaling(ours, {"rope_type": "linear", "factor": divided})
    return []


def tensorrt_scaling(ours: dict[str, Any]) -> list[str]:
    """Change the scaling in `ours` to the one that TensorRT-LLM applies; return the names of keys without effect.

    If the file has both type and rope_type, type counts; dynamic without alpha has no effect.
    """
    inside = _take_scaling(ours)
    rule, known = inside.text("type", "rope_type"), ("linear", "llama3", "yarn", "default", "none", "mrope")
    if rule is None or (rule == "dynamic" and "alpha" not in inside):
        return [f"{PLACE}{name}" for name in inside.data]
    if rule not in (*known, "dynamic"):
        raise UsageError(f"rotary_scaling has the type {safe_text(rule)}, but pecli only knows {', '.join(known)}")
    given = {name: value for name, value in inside.data.items() if name not in ("type", "rope_type")}
    if rule == "yarn":  # TensorRT-LLM defaults to 1024 and ignores attention_factor
        given = {ORIGINAL: 1024, **given}
        given.pop("attention_factor", None)
        given.pop("truncate", None)
    _set_scaling(ours, given | {"rope_type": rule})
    return []


RULES: dict[str, Callable[[dict[str, Any]], list[str]]] = {
    rule.__name__: rule for rule in (by_layer, llama_cpp_scaling, litgpt_adjustments, one_scaling, tensorrt_scaling)
}
