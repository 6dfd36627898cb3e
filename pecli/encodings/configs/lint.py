"""What is wrong, odd or silently ignored in a config: one function a trap, each adds its findings."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from pecli.core.language import phrase
from pecli.encodings.configs import lint_scaling
from pecli.encodings.configs.layer_kinds import FULL, LAYERS
from pecli.encodings.configs.reading import Reading, nearest
from pecli.encodings.configs.rotary import FRACTION, SLIDING_THETA, THETA, nested_kinds, scaling_object
from pecli.encodings.configs.sizes import HEAD, HEADS, WIDTH

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
        for one in lint_scaling.SCALING_CHECKS:
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


Check = Callable[[Reading, bool], None]
CHECKS: tuple[Check, ...] = (
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
