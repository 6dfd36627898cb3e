"""Checks of a config.json: keys that are wrong, odd or silently ignored."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from math import isclose, log, sqrt

from pecli.core.language import listing, say
from pecli.encodings.rope_scaling import SCALINGS
from pecli.models.config_file import Keys
from pecli.models.facts import FULL, OTHER_KEYS, SLIDING_BASES
from pecli.models.layers import (
    HEAD,
    HEADS,
    LAYERS,
    WIDTH,
    Finding,
    Reading,
    max_position,
    similar_keys,
    suggestion,
    trained_length,
)
from pecli.models.position_keys import READ_BY, UNUSED, position_keys
from pecli.models.rope import (
    ORIGINAL,
    THETA,
    nested_kinds,
    original_at_top,
    original_length,
    scaling_object,
    scaling_rule,
)

ROPE_KEYS = {
    *("rope_theta", "partial_rotary_factor", *OTHER_KEYS, "rope_scaling", "rope_parameters", "rope_ratio", "rotary"),
    *("rope_interleave", "rope_interleaved", "rope_dtype", "no_rope_layers"),
}
OURS = ("original", "max_position", "seq_len")  # parameters of pecli with another name in a config, or none
MORE = {"dynamic": ("alpha", "xdrope_section")}  # further keys, read by some architectures
COMMON = (
    *("rope_type", "type", "rope_theta", "partial_rotary_factor", "mrope_section", "mrope_interleaved", ORIGINAL),
    "max_position_embeddings",  # in ministral3 and mistral4
)
COUNTING = ("dynamic", "yarn", "longrope")  # scalings whose formula contains the head dimension
WORD = re.compile(r"[\w.]*\w", re.ASCII)  # a key in a sentence; ASCII, because Chinese has no spaces
UNUSUAL_RATIO = 2.0  # ratio to the formula's value from which an attention factor is unusual


def lint(reading: Reading, positions: Iterable[str]) -> None:
    """Add the findings of all checks.

    positions : kinds of positions of the layers, such as "rope"
    """
    rope = "rope" in positions
    _check_names(reading, rope)
    _check_bases(reading, rope)
    _check_sizes(reading, rope)
    for kind in (nested_kinds(reading) or [FULL]) if rope else []:
        inside = scaling_object(reading, kind)
        if inside:
            _check_scaling(reading, inside, scaling_rule(reading, inside))


def compare_bases(reading: Reading, in_window: Sequence[float], others: Sequence[float]) -> None:
    """Add a finding if layers with an attention window have a larger base than all layers without one.

    in_window, others : the bases of both groups of layers
    """
    if in_window and others and min(in_window) > max(others):
        key = reading.keys.first(*SLIDING_BASES) or "rope_parameters"
        reading.warning(key, "findings.bases_swapped", window=min(in_window), other=max(others))


def unused(keys: Keys, findings: Iterable[Finding], undrawn: bool, part: Keys | None = None) -> Iterator[Finding]:
    """Yield a note for each key that concerns positions but was not read and is not named in a finding.

    undrawn : True if a finding already says that the model's positions are not drawn; its own keys then need no note
    part : an object among the keys that is left out
    """
    named = {word for finding in findings for word in (finding.key, *WORD.findall(finding.text))}
    for place, value in position_keys(keys, part):
        key, name = place.removeprefix(keys.place), place.rpartition(".")[2]
        if not {key, name} & named and not (undrawn and name not in READ_BY):
            yield Finding(key, value, "note", say(READ_BY.get(name, UNUSED)))


def _check_names(reading: Reading, rope: bool) -> None:
    """Check for keys that nothing reads, that look misspelt, or whose meaning differs from their name.

    rope : whether some layers have RoPE
    """
    keys, architecture = reading.keys, reading.architecture
    for name in filter(keys.first, () if rope else ("rope_theta", "rope_scaling")):
        text = "findings.unread_without_rope"
        reading.warning(name, text, name=architecture.name)
    for name, value in keys.data.items():
        other = name not in (*ROPE_KEYS, *READ_BY) and not isinstance(value, bool)
        if other and (hint := suggestion(similar_keys(name, tuple(ROPE_KEYS)))):
            reading.warning(name, "findings.unknown_key", hint=hint)
    word = keys.data.get("position_embedding_type")
    if rope and word == "absolute":
        reading.note("position_embedding_type", "findings.unread_beside_rope")
    if word == "alibi" and architecture.position.get("all") == "learned" and architecture.takes("alibi"):
        text = "findings.read_by_own_code"
        reading.warning("position_embedding_type", text)
    if "no_rope_layers" in keys:
        reading.note("no_rope_layers", "findings.layers_with_rope_are_1")


def _check_bases(reading: Reading, rope: bool) -> None:
    """Check whether some version of transformers overrides or ignores the base, or the object with the base.

    rope : whether some layers have RoPE
    """
    keys, given, item = reading.keys, reading.given, reading.architecture
    if "rope_parameters" in keys and "rope_scaling" in keys:
        text = "findings.two_objects"
        reading.warning("rope_scaling", text)
    elif "rope_parameters" in keys:
        reading.note("rope_parameters", "findings.version_5_alone")
        for name in ("rope_scaling", "rope_theta"):
            if name in keys.data and keys.data[name] is None and not (name == "rope_scaling" and item.assigned):
                reading.note(name, "findings.null_unread")
    top, inside = keys.data.get("rope_theta"), given.data.get("rope_theta")
    bases = [given.data[kind].get("rope_theta") for kind in nested_kinds(reading)] or [inside]
    if None not in (top, *bases) and top not in bases:
        text = "findings.two_bases"
        reading.warning("rope_theta", text, place=given.place or "rope_parameters.")
    elif inside is not None:
        keys.number("rope_theta")
    if rope and inside is not None and "rope_theta" not in keys and given.place.startswith("rope_scaling"):
        text, base = "findings.theta_inside", reading.architecture.theta_of(FULL)
        reading.warning(f"{given.place}rope_theta", text, inside, theta=base)
    stated = any(base is not None for base in bases) or item.base_for_all or "rope_theta" in item.unread
    if rope and "rope_theta" in keys.data and top is None and "rope_parameters" not in keys and not stated:
        text = "findings.theta_null"
        reading.error("rope_theta", text, "null", theta=reading.architecture.theta_of(FULL))
    llama3 = given.data.get("rope_type", given.data.get("type")) == "llama3"
    if rope and llama3 and not (keys.first(*THETA) or inside or nested_kinds(reading)):
        text = "findings.theta_missing"
        reading.warning("rope_theta", text)
    inner = keys.table("attn_config")
    lost = reading.architecture.name == "dbrx" and inner is not None and "rope_theta" not in keys
    if lost and inner and inner.number("rope_theta") not in (None, reading.architecture.theta_of(FULL)):
        text = "findings.theta_dropped"
        reading.warning("attn_config.rope_theta", text, inner.data["rope_theta"])


def _check_sizes(reading: Reading, rope: bool) -> None:
    """Check a model with RoPE for sizes and numbers of heads and layers that contradict each other."""
    keys = reading.keys
    if not rope:
        return
    head, width, heads = keys.whole("head_dim"), keys.whole(*WIDTH), keys.whole(*HEADS)
    names = {"width": keys.first(*WIDTH), "heads": keys.first(*HEADS)}
    if width and heads and head and width // heads != head:
        text = "findings.head_dim_wins"
        reading.note("head_dim", text, number=width // heads, **names)
    if width and heads and width % heads and reading.architecture.sizes.get("divides"):
        text = "findings.heads_must_divide"
        reading.error(names["heads"] or "", text, key=names["width"], width=width)
    elif width and heads and width % heads and not keys.first(*HEAD, "qk_rope_head_dim"):
        text = "findings.heads_do_not_divide"
        reading.warning(names["heads"] or "", text, key=names["width"], width=width)
    kinds, count = keys.words("layer_types"), keys.whole(*LAYERS)
    if kinds is not None and count is not None and len(kinds) != count:
        text = "findings.layer_types_count"
        reading.error("layer_types", text, count=len(kinds), layers=count)


def _check_scaling(reading: Reading, inside: Keys, rule: str) -> None:
    """Check one scaling object, `inside`; `rule` is the scaling's name in transformers 5."""
    _check_type(reading, inside)
    if rule in SCALINGS:
        _check_unread(reading, inside, rule)
    for name in reading.architecture.needs if rule in COUNTING else ():
        if name not in reading.keys and name not in inside:
            reading.error(name, "findings.key_needed", name=reading.architecture.name, rule=rule)
    if rule == "yarn" and "factor" not in inside.data:
        reading.error("factor", "findings.factor_missing")
    _check_attention_factor(reading, inside, rule)
    _check_ramp(reading, inside, rule)
    for name in ("mscale", "mscale_all_dim") if rule == "yarn" else ():
        if inside.data.get(name) == 0:
            reading.note(name, "findings.zero_is_absent")
    alone = "mscale_all_dim" not in inside and "attention_factor" not in inside and not reading.keys.names
    if rule == "yarn" and alone and inside.number("mscale"):
        reading.warning("mscale", "findings.mscale_alone", inside.data["mscale"])
    _check_lengths(reading, inside, rule)
    factor = inside.number("factor") if rule in ("linear", "yarn", "llama3") else None
    if factor == 1:
        reading.note("factor", "findings.factor_one")
    elif factor is not None and 0 < factor < 1:
        reading.warning("factor", "findings.factor_shortens", inside.data["factor"])


def _check_type(reading: Reading, inside: Keys) -> None:
    """Check a scaling object for a missing type, two different types, or a renamed type."""
    new, old = inside.text("rope_type"), inside.text("type")
    if new is None and old is None and "factor" in inside:
        key = inside.first("name", "scaling_type", "method") or "rope_type"
        text = "findings.rope_type_missing"
        reading.error(key, text, inside.data.get(key))
    if None not in (new, old) and new != old:
        text = "findings.two_types"
        reading.error("rope_type", text, new, type=old)
    if "su" in (new, old):
        text = "findings.old_name"
        reading.add("note", "rope_type" if new == "su" else "type", say(text), "su")


def _check_unread(reading: Reading, inside: Keys, rule: str) -> None:
    """Check a scaling object for keys that the scaling `rule` does not read."""
    read = {
        name: [key for key in (*scaling.needs, *scaling.takes, *MORE.get(name, ())) if key not in OURS]
        for name, scaling in SCALINGS.items()
    }
    for key, value in inside.data.items():
        warm = key == "llama_4_scaling_beta" and reading.architecture.temperature
        if key in COMMON or key in read[rule] or key in inside.names or warm:
            continue
        owners = listing(name for name in read if key in read[name])
        if owners:
            text = "findings.unread_by_scaling"
            reading.warning(key, text, value, rule=rule, owners=owners)
        elif key in READ_BY:
            reading.add("note", key, say(READ_BY[key]), value)
        elif hint := suggestion(similar_keys(key, (*read[rule], *COMMON))):
            reading.warning(key, "findings.unknown_key", value, hint=hint)
        elif value is not None:
            text = "findings.unknown_parameter"
            reading.add("note", key, say(text, rule=rule), value)


def _check_attention_factor(reading: Reading, inside: Keys, rule: str) -> None:
    """Check a scaling object for an attention factor far from the formula's value."""
    value, longest = inside.number("attention_factor"), max_position(reading)
    if value is None or rule not in ("yarn", "longrope"):
        return
    original = original_length(reading, inside)
    if original is None or original < 2:
        return
    ratio = (longest or original) / original
    factor = inside.number("factor")
    growth = log(max(ratio if factor is None else factor, 1.0))
    formula = 0.1 * growth + 1 if rule == "yarn" else sqrt(1 + growth / log(original))
    if not formula / UNUSUAL_RATIO < value < formula * UNUSUAL_RATIO:
        meant = say("models.probably_meant", word="factor") if value in (factor, ratio) else ""
        text = "findings.attention_factor_differs"
        given = inside.data["attention_factor"]
        reading.warning("attention_factor", text, given, square=value**2, formula=formula, meant=meant)


def _check_ramp(reading: Reading, inside: Keys, rule: str) -> None:
    """Check a scaling object for a ramp whose ends are equal or exchanged."""
    ends = {"llama3": ("low_freq_factor", "high_freq_factor"), "yarn": ("beta_slow", "beta_fast")}
    low, high = ends.get(rule, ("", ""))
    if low not in inside or high not in inside:
        return
    small, large = inside.number(low) or 0.0, inside.number(high) or 0.0
    if small == large:
        reading.note(high, "findings.no_ramp", low=low)
    if small > large:
        reading.error(high, "findings.exchanged", low=low, value=small)


def _check_lengths(reading: Reading, inside: Keys, rule: str) -> None:
    """Check a scaling object for an original and extended context that contradict the factor or each other."""
    longest, factor = max_position(reading), inside.number("factor")
    if rule == "dynamic" and ORIGINAL in inside:
        reading.warning(ORIGINAL, "findings.original_ignored")
    if rule not in ("yarn", "longrope", "llama3"):
        return
    top = None if nested_kinds(reading) else original_at_top(reading) or reading.architecture.original
    inner = inside.length(ORIGINAL)
    if reading.architecture.by_kind and reading.keys.length(ORIGINAL) not in (None, inner):
        reading.warning(ORIGINAL, "findings.unread_by_version_5", name=reading.architecture.name)
    original = top or inner
    if top is not None and inner is not None and top != inner:
        text = "findings.two_originals"
        reading.warning(ORIGINAL, text, top=top, inner=inner)
    if original is None:
        text = "findings.original_missing"
        older = say("models.older_stops") if rule == "llama3" else ""
        reading.warning(ORIGINAL, text, longest=trained_length(reading), older=older)
    elif longest is not None and longest < original:
        text = "findings.context_below_original"
        reading.warning("max_position_embeddings", text, longest, key=ORIGINAL, value=original)
    elif longest and factor and rule != "llama3" and longest != original and not isclose(longest / original, factor):
        text = "findings.factor_differs"
        more = say("models.max_model_len", length=int(factor * original)) if rule == "yarn" else ""
        reading.warning("factor", text, inside.data["factor"], key=ORIGINAL, ratio=longest / original, more=more)
