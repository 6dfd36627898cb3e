"""What is wrong, odd or silently ignored in a config.json, key by key."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from math import log, sqrt

from pecli.core.language import clauses, listing, phrase
from pecli.encodings.rope_scaling import SCALINGS
from pecli.models.config_file import Keys
from pecli.models.layers import FULL, HEAD, HEADS, LAYERS, WIDTH, Reading, head_dim, max_position, nearest
from pecli.models.rope import FRACTION, ORIGINAL, SLIDING_THETA, THETA, nested_kinds, original_length, scaling_object

OURS = ("original", "max_position", "seq_len")  # parameters that have another name in a config, or none
MORE = {"dynamic": ("alpha",), "longrope": ("short_mscale", "long_mscale")}  # keys that some architectures read
COMMON = ("rope_type", "type", "rope_theta", "partial_rotary_factor", "mrope_section", "mrope_interleaved", ORIGINAL)
UNUSUAL_RATIO = 2.0  # times more or less than the formula


def names_of_type(reading: Reading, inside: Keys) -> None:
    """No type, two that disagree, or one that has been renamed."""
    new, old = inside.text("rope_type"), inside.text("type")
    if new is None and old is None and "factor" in inside:
        wrong = inside.first("name", "scaling_type", "method")
        no_scaling = phrase(
            "no scaling happens: transformers 5.23 takes the default without one, 4.57 stops with a KeyError"
        )
        meant = (
            phrase("{key} = {value} probably meant: rope_type", key=wrong, value=ascii(inside.data[wrong]))
            if wrong
            else phrase("rope_type is missing")
        )
        reading.error(
            wrong or "rope_type",
            clauses([no_scaling, meant]),
            inside.data.get(wrong or "rope_type"),
        )
    if new is not None and old is not None and new != old:
        text = phrase("type says {type}: transformers 4.57 takes type, 5.23 rope_type", type=old)
        reading.error("rope_type", text, new)
    if "su" in (new, old):
        text = phrase("su is the first name of longrope: transformers renames it for Phi-3 alone")
        reading.note("rope_type", text)


def ignored_keys(reading: Reading, inside: Keys) -> None:
    """Keys that the rule does not read."""
    rule = _rule(inside)
    known = (*COMMON, *_names(rule))
    for name in inside.data:
        if name in known or rule not in SCALINGS:
            continue
        hint = nearest(name, _names(rule))
        owners = [one for one in SCALINGS if name in _names(one)]
        owner = phrase("; it belongs to {owners}", owners=listing(owners)) if owners else hint
        text = phrase(
            "ignored with rope_type {rule}, with no more than a log line in transformers 4.57 and 5.23{hint}",
            rule=rule,
            hint=owner,
        )
        (reading.warning if owner else _noted(reading))(name, text, inside.data[name])


def missing_factor(reading: Reading, inside: Keys) -> None:
    """YaRN without a factor."""
    if _rule(inside) == "yarn" and "factor" not in inside.data:
        taken = phrase(
            "is missing: transformers 4.57 and 5.23 stop with a KeyError; what is taken here, "
            "max_position_embeddings over the original context, is what null would mean"
        )
        reading.error("factor", taken)


def attention_factor(reading: Reading, inside: Keys) -> None:
    """An attention factor far from the formula's."""
    said, factor, rule = inside.number("attention_factor"), inside.number("factor"), _rule(inside)
    original = original_length(reading, inside)
    if said is None or rule not in ("yarn", "longrope") or original is None or original < 2:
        return
    factor = (max_position(reading) or original) / original if factor is None else factor
    if factor <= 0:
        return
    grown = max(factor, 1.0)
    formula = 0.1 * log(grown) + 1 if rule == "yarn" else sqrt(1 + log(grown) / log(original))
    if not formula / UNUSUAL_RATIO < said < formula * UNUSUAL_RATIO:
        text = phrase(
            "transformers multiplies cos and sin by it, so scores by {square:g}; the formula gives {formula:.6g}",
            square=said**2,
            formula=formula,
        )
        likely = said in (factor, (max_position(reading) or 0) / original)
        meant = phrase("; probably meant: {word}", word="factor") if likely else ""
        reading.warning("attention_factor", text + meant, inside.data["attention_factor"])


def equal_ends(reading: Reading, inside: Keys) -> None:
    """Both ends of a ramp at one place, or exchanged."""
    for low, high, needs in (("low_freq_factor", "high_freq_factor", "llama3"), ("beta_slow", "beta_fast", "yarn")):
        if _rule(inside) != needs or low not in inside or high not in inside:
            continue
        small, large = inside.number(low) or 0.0, inside.number(high) or 0.0
        if small == large:
            text = phrase("equal to {low}: no ramp, a step; transformers masks the 0/0 or widens it by 0.001", low=low)
            reading.note(high, text)
        if small > large:
            text = phrase(
                "below {low} = {value:g}: transformers 4.57 and 5.23 only warn; probably exchanged",
                low=low,
                value=small,
            )
            reading.error(high, text)


def zero_scale(reading: Reading, inside: Keys) -> None:
    """A scale of 0, which counts as absent."""
    for name in ("mscale", "mscale_all_dim"):
        if inside.data.get(name) == 0:
            reading.note(name, phrase("0 counts as absent: the attention factor is that of factor alone"))


def lengths(reading: Reading, inside: Keys) -> None:
    """Original and extended context that contradict the factor or each other."""
    rule, longest = _rule(inside), max_position(reading)
    if rule not in ("yarn", "longrope", "llama3"):
        if ORIGINAL in inside and rule == "dynamic":
            text = phrase("ignored: dynamic begins at max_position_embeddings in both versions")
            reading.warning(ORIGINAL, text)
        return
    top, inner = reading.keys.length(ORIGINAL), inside.length(ORIGINAL)
    if top is not None and inner is not None and top != inner:
        text = phrase(
            "the one at the top, {top:,}, wins over {inner:,} inside in transformers 5.23", top=top, inner=inner
        )
        reading.warning(ORIGINAL, text)
    if top is None and inner is None:
        text = phrase(
            "is missing: transformers takes max_position_embeddings ({longest}) in its place", longest=longest
        )
        reading.warning(ORIGINAL, text)
        return
    original, factor = top or inner or 1, inside.number("factor")
    if longest is not None and longest < original:
        text = phrase("is less than {key}, {value:,}", key=ORIGINAL, value=original)
        reading.warning("max_position_embeddings", text, longest)
    elif (
        longest and factor and rule != "llama3" and longest != original and abs(longest / original / factor - 1) > 1e-9
    ):
        text = phrase(
            "max_position_embeddings/{key} is {ratio:g}: transformers warns and takes factor",
            key=ORIGINAL,
            ratio=longest / original,
        )
        reading.warning("factor", text, inside.data["factor"])


def sections(reading: Reading, inside: Keys) -> None:
    """Multimodal rope: which pairs follow time, height and width."""
    parts = inside.numbers("mrope_section")
    if not parts:
        return
    pairs = head_dim(reading) // 2
    share = inside.number("partial_rotary_factor") or reading.keys.number("partial_rotary_factor")
    pairs = int(pairs * (share or reading.architecture.partial))
    if sum(parts) == pairs:
        text = phrase("pairs for time, height and width; text has one position for all three")
        reading.note("mrope_section", text)
    else:
        reading.error(
            "mrope_section",
            phrase("sums to {sum:g}, and there are {pairs} pairs", sum=sum(parts), pairs=pairs),
            inside.data["mrope_section"],
        )


def no_change(reading: Reading, inside: Keys) -> None:
    """A scaling by 1."""
    if inside.data.get("factor") in (1, 1.0) and _rule(inside) in ("linear", "yarn", "llama3", "dynamic"):
        reading.note("factor", phrase("1 changes nothing"))


def _rule(inside: Keys) -> str:
    said = inside.text("rope_type", "type") or "default"
    return {"su": "longrope", "mrope": "default"}.get(said, said)


def _names(rule: str) -> list[str]:
    """The keys that a rule reads, besides the common ones."""
    scaling = SCALINGS.get(rule)
    own = (*scaling.needs, *scaling.takes) if scaling else ()
    return [name for name in (*own, *MORE.get(rule, ())) if name not in OURS]


def _noted(reading: Reading) -> Callable[[str, str, object], None]:
    return lambda key, text, value: reading.note(key, text)


ScalingCheck = Callable[[Reading, Keys], None]
SCALING_CHECKS: tuple[ScalingCheck, ...] = (
    names_of_type,
    ignored_keys,
    missing_factor,
    attention_factor,
    equal_ends,
    zero_scale,
    lengths,
    sections,
    no_change,
)


ROPE = (*THETA, *SLIDING_THETA, *FRACTION, "rope_scaling", "rope_parameters", "rotary_dim", "rope_ratio")
OTHER = (
    "global_rope_theta",
    "rope_interleave",
    "rope_interleaved",
    "rope_dtype",
    "no_rope_layers",
    "rotary",
    "rope_impl",
)


def lint(reading: Reading, positions: Iterable[str]) -> None:
    """Adds all findings; `positions` are what the layers have, "rope" among them or not."""
    rope = "rope" in positions
    for check in CHECKS:
        check(reading, rope)
    if not rope:
        return
    for kind in nested_kinds(reading) or [FULL]:
        inside = scaling_object(reading, kind)
        for one in SCALING_CHECKS:
            if inside:
                one(reading, inside)


def unread_theta(reading: Reading, rope: bool) -> None:
    """A base that no layer reads."""
    name = reading.keys.first("rope_theta", "rope_scaling")
    if name is not None and not rope:
        reading.warning(
            name,
            phrase(
                "nothing reads it: the layers of {name} have no rope in either version",
                name=reading.architecture.name,
            ),
        )


def misspelled(reading: Reading, rope: bool) -> None:
    """Keys that look like those of rope and are none."""
    known = {*ROPE, *OTHER}
    for name, value in reading.keys.data.items():
        if name in known or not name.startswith(("rope", "rotary")) or isinstance(value, bool):
            continue
        if hint := nearest(name, known):
            reading.warning(name, phrase("transformers 4.57 and 5.23 read no such key{hint}", hint=hint))


def two_objects(reading: Reading, rope: bool) -> None:
    """rope_parameters: unknown to transformers 4, and rope_scaling wins over it."""
    keys = reading.keys
    if "rope_parameters" not in keys:
        return
    if "rope_scaling" in keys:
        text = phrase("wins over rope_parameters in transformers 5.23, and 4.57 reads nothing else")
        reading.warning("rope_scaling", text)
        return
    text = phrase(
        "transformers 5.23 reads it; 4.57 ignores it silently."
        if "rope_theta" in keys
        else "transformers 5.23 reads it; 4.57 ignores it silently. It takes the architecture's base."
    )
    reading.warning("rope_parameters", text)
    for name in ("rope_scaling", "rope_theta"):
        if name in keys.data and keys.data[name] is None:
            reading.note(name, phrase("null beside rope_parameters: an older key that nothing reads"))


def two_bases(reading: Reading, rope: bool) -> None:
    """A base at the top and another inside."""
    given = reading.given
    top, inside = reading.keys.data.get("rope_theta"), given.data.get("rope_theta")
    if None not in (top, inside) and top != inside:
        reading.warning(
            "rope_theta",
            phrase("{place}rope_theta wins in transformers 5.23, 4.57 reads the one at the top", place=given.place),
        )


def lost_base(reading: Reading, rope: bool) -> None:
    """A scaling of a long-context model without that model's base."""
    given = reading.given
    said = reading.keys.first(*THETA) or given.first("rope_theta") or nested_kinds(reading)
    if rope and given.data.get("rope_type", given.data.get("type")) == "llama3" and not said:
        reading.warning(
            "rope_theta",
            phrase("is missing: transformers 4.57 and 5.23 take the architecture's base; Llama 3 models mean 500000"),
        )


def word_for_position(reading: Reading, rope: bool) -> None:
    """position_embedding_type that says something else than the code does."""
    word = reading.keys.data.get("position_embedding_type")
    if rope and word == "absolute":
        text = phrase("nothing reads it: the layers of this architecture have rope")
        reading.warning("position_embedding_type", text)
    if word == "alibi" and reading.architecture.position.get("all") == "learned":
        reading.warning(
            "position_embedding_type",
            phrase("the model's own code has ALiBi, as the file says; transformers 5.23 takes a learned table"),
        )


def hidden_base(reading: Reading, rope: bool) -> None:
    """A base inside attn_config."""
    inner = reading.keys.table("attn_config")
    if inner is not None and "rope_theta" in inner and rope and "rope_theta" not in reading.keys:
        reading.warning(
            "attn_config.rope_theta",
            phrase("transformers 4.57 reads it there; 5.23 drops it and takes 10000. The model means what stands here"),
            inner.data["rope_theta"],
        )


def layers_without_rope(reading: Reading, rope: bool) -> None:
    """no_rope_layers, whose 1 means yes."""
    if "no_rope_layers" in reading.keys:
        reading.note("no_rope_layers", phrase("a 1 is a layer that does have rope, a 0 one that has none"))


def own_head(reading: Reading, rope: bool) -> None:
    """head_dim that is not hidden_size / num_attention_heads."""
    keys = reading.keys
    head, width, heads = keys.whole("head_dim"), keys.whole(*WIDTH), keys.whole(*HEADS)
    if rope and head and width and heads and width // heads != head:
        names = {"width": keys.first(*WIDTH), "heads": keys.first(*HEADS)}
        reading.note(
            "head_dim", phrase("{width}/{heads} would be {number}: head_dim wins", number=width // heads, **names)
        )


def uneven_heads(reading: Reading, rope: bool) -> None:
    """A width that the heads do not share evenly."""
    keys = reading.keys
    width, heads = keys.whole(*WIDTH), keys.whole(*HEADS)
    if rope and width and heads and width % heads and not keys.first(*HEAD, "qk_rope_head_dim"):
        reading.warning(
            keys.first(*HEADS) or "",
            phrase("does not divide {key} = {width}: transformers rounds down", key=keys.first(*WIDTH), width=width),
        )


def count_of_layers(reading: Reading, rope: bool) -> None:
    """More or fewer kinds of layers than layers."""
    kinds, count = reading.keys.words("layer_types"), reading.keys.whole(*LAYERS)
    if kinds is not None and count is not None and len(kinds) != count:
        text = phrase(
            "has {entries} entries for {layers} layers: transformers 5.23 refuses the file",
            entries=len(kinds),
            layers=count,
        )
        reading.error("layer_types", text)


def one_code_only(reading: Reading, rope: bool) -> None:
    """Keys that only the model's own code reads."""
    for name in ("use_dynamic_ntk", "use_logn_attn"):
        if reading.keys.data.get(name) is True:
            text = phrase("the model's own code changes base or scores beyond the trained length: not shown here")
            reading.note(name, text)


ConfigCheck = Callable[[Reading, bool], None]
CHECKS: tuple[ConfigCheck, ...] = (
    unread_theta,
    misspelled,
    two_objects,
    two_bases,
    lost_base,
    word_for_position,
    hidden_base,
    layers_without_rope,
    own_head,
    uneven_heads,
    count_of_layers,
    one_code_only,
)
