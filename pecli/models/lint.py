"""What is wrong, odd or silently ignored in a config.json, key by key."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from math import isclose, log, sqrt

from pecli.core.language import listing, template, templates, translate
from pecli.encodings.rope_scaling import SCALINGS
from pecli.models.config_file import Keys
from pecli.models.layers import FULL, HEAD, HEADS, LAYERS, WIDTH, Finding, Reading, max_position, misspelt, probably
from pecli.models.position_keys import READ_BY, UNUSED, position_keys
from pecli.models.rope import (
    FRACTION,
    ORIGINAL,
    OTHER_NAMES,
    SLIDING_THETA,
    THETA,
    nested_kinds,
    original_length,
    scaling_object,
)

ROPE_KEYS = {
    *(*THETA, *SLIDING_THETA, *FRACTION, "rope_scaling", "rope_parameters", "rotary_dim", "rope_ratio", "rotary"),
    *("global_rope_theta", "rope_interleave", "rope_interleaved", "rope_dtype", "no_rope_layers"),
    "rotary_embedding_base",  # of Conformer's rotary positions
}
OURS = ("original", "max_position", "seq_len")  # parameters that have another name in a config, or none
MORE = {"dynamic": ("alpha",)}  # keys that some architectures read
COMMON = (
    *("rope_type", "type", "rope_theta", "partial_rotary_factor", "mrope_section", "mrope_interleaved", ORIGINAL),
    "max_position_embeddings",  # ministral3 and mistral4 write it there
)
COUNTING = ("dynamic", "yarn", "longrope")  # scalings whose formula has the columns of a head in it
REMARKS = templates(  # on a model_type, whatever its config says
    {
        "turns_back": "queries and keys turn by the angle −ω · position, the other way round than in Llama: to convert "
        "weights between the two, change the sign of outputs j + d/2 of the query and key projections",
        "seconds": "a second set of rates turns the audio features by seconds, before the language model; pecli does "
        "not show it",
        "detector": "the detector beside the text model adds what position_embedding_type names, by row and column, "
        "which pecli does not show",
        "preprocessor": "positions are made in its preprocessor, Fourier features or a learned table according to the "
        "task: pecli does not know which",
        "three_parts": "three models one after the other, each with a learned table of block_size rows of its own; "
        "pecli shows the rows of none",
        "stages": "each stage has a learned table of its own size, which pecli does not show",
        "axial_tables": "two learned tables, for row and column of axial_pos_shape, are put side by side: pecli shows "
        "the rows and columns of the whole",
        "memory": "a learned table of the frames in its memory is added too; pecli does not show its size",
        "share": "transformers 5.23 counts the turning columns as partial_rotary_factor in rope_parameters says, pecli "
        "as qk_rope_head_dim does: where the two differ the model stops",
        "third": "where an object in rope_parameters gives no partial_rotary_factor, transformers 5.23 takes 0.334 if "
        "there is no scaling; pecli shows all columns turning",
    }
)
UNUSUAL_RATIO = 2.0  # times more or less than the formula


def lint(reading: Reading, positions: Iterable[str]) -> None:
    """Add all findings; `positions` are what the layers have, "rope" among them or not."""
    rope = "rope" in positions
    _check_names(reading, rope)
    _check_bases(reading, rope)
    _check_sizes(reading, rope)
    for kind in (nested_kinds(reading) or [FULL]) if rope else []:
        inside = scaling_object(reading, kind)
        if inside:
            rule = inside.text("rope_type", "type") or "default"
            _check_scaling(reading, inside, OTHER_NAMES.get(rule, rule))


def unused(keys: Keys, findings: Iterable[Finding], undrawn: bool, part: Keys | None = None) -> Iterator[Finding]:
    """Yield a note for each key of positions that nothing took and none of the findings names.

    undrawn : whether pecli says of the model that it does not draw its positions, which is enough for its own keys
    part : an object among the keys that is left out
    """
    named = {word for finding in findings for word in (finding.key, *finding.text.split())}
    for place, value in position_keys(keys, part):
        key, name = place.removeprefix(keys.place), place.rpartition(".")[2]
        if not {key, name} & named and not (undrawn and name not in READ_BY):
            yield Finding(key, value, "note", translate(READ_BY.get(name, UNUSED)))


def _check_names(reading: Reading, rope: bool) -> None:
    """Keys that nothing reads, that look like others, or that mean something else than they say."""
    keys, architecture = reading.keys, reading.architecture
    for name in filter(keys.first, () if rope else ("rope_theta", "rope_scaling")):
        text = template("nothing reads it: the layers of {name} have no rope in either version")
        reading.warning(name, text, name=architecture.name)
    for name, value in keys.data.items():
        other = name not in (*ROPE_KEYS, *READ_BY) and not isinstance(value, bool)
        if other and (hint := probably(misspelt(name, ROPE_KEYS))):
            reading.warning(name, template("pecli knows no such key{hint}"), hint=hint)
    word = keys.data.get("position_embedding_type")
    if rope and word == "absolute":
        reading.warning("position_embedding_type", template("nothing reads it: the layers have rope"))
    if word == "alibi" and architecture.position.get("all") == "learned":
        text = template("the model's own code reads it; transformers 5.23 takes a learned table")
        reading.warning("position_embedding_type", text)
    if "no_rope_layers" in keys:
        reading.note("no_rope_layers", template("a 1 is a layer that does have rope, a 0 one that has none"))


def _check_bases(reading: Reading, rope: bool) -> None:
    """A base, or the object that holds it, where another wins or one version of transformers does not read it."""
    keys, given = reading.keys, reading.given
    if "rope_parameters" in keys and "rope_scaling" in keys:
        text = template("wins over rope_parameters in transformers 5.23, and 4.57 reads nothing else")
        reading.warning("rope_scaling", text)
    elif "rope_parameters" in keys:
        reading.note("rope_parameters", template("transformers 5.23 reads it; 4.57 ignores it silently"))
        for name in ("rope_scaling", "rope_theta"):
            if name in keys.data and keys.data[name] is None:
                reading.note(name, template("null beside rope_parameters: an older key that nothing reads"))
    top, inside = keys.data.get("rope_theta"), given.data.get("rope_theta")
    if None not in (top, inside) and top != inside:
        text = template("{place}rope_theta wins in transformers 5.23, 4.57 reads the one at the top")
        reading.warning("rope_theta", text, place=given.place)
    elif inside is not None:
        keys.number("rope_theta")
    if rope and "rope_theta" in keys.data and top is None and "rope_parameters" not in keys and inside is None:
        text = template("null: transformers 5.23 stops with a TypeError; without the key it takes {theta:g}")
        reading.error("rope_theta", text, "null", theta=reading.architecture.theta)
    llama3 = given.data.get("rope_type", given.data.get("type")) == "llama3"
    if rope and llama3 and not (keys.first(*THETA) or inside or nested_kinds(reading)):
        text = template("is missing: transformers takes the architecture's base; Llama 3 models mean 500000")
        reading.warning("rope_theta", text)
    inner = keys.table("attn_config")
    if inner is not None and "rope_theta" in inner and rope and "rope_theta" not in keys:
        text = template("the model means it; transformers 4.57 reads it there, 5.23 drops it and takes 10000")
        reading.warning("attn_config.rope_theta", text, inner.data["rope_theta"])


def _check_sizes(reading: Reading, rope: bool) -> None:
    """Counts of columns, heads and layers that contradict each other."""
    keys = reading.keys
    if not rope:
        return
    head, width, heads = keys.whole("head_dim"), keys.whole(*WIDTH), keys.whole(*HEADS)
    names = {"width": keys.first(*WIDTH), "heads": keys.first(*HEADS)}
    if width and heads and head and width // heads != head:
        text = template("{width}/{heads} would be {number}: head_dim wins")
        reading.note("head_dim", text, number=width // heads, **names)
    if width and heads and width % heads and not keys.first(*HEAD, "qk_rope_head_dim"):
        text = template("does not divide {key} = {width}: transformers rounds down")
        reading.warning(names["heads"] or "", text, key=names["width"], width=width)
    kinds, count = keys.words("layer_types"), keys.whole(*LAYERS)
    if kinds is not None and count is not None and len(kinds) != count:
        text = template("has {entries} entries for {layers} layers: transformers 5.23 refuses the file")
        reading.error("layer_types", text, entries=len(kinds), layers=count)


def _check_scaling(reading: Reading, inside: Keys, rule: str) -> None:
    """One scaling, whose rule has the name that transformers 5 gives it."""
    _check_type(reading, inside)
    if rule in SCALINGS:
        _check_unread(reading, inside, rule)
    for name in reading.architecture.needs if rule in COUNTING else ():
        if name not in reading.keys and name not in inside:
            text = template("is missing: transformers 5.23 stops with a TypeError when {name} has rope_type {rule}")
            reading.error(name, text, name=reading.architecture.name, rule=rule)
    if rule == "yarn" and "factor" not in inside.data:
        reading.error("factor", template("is missing: transformers stops; max_position_embeddings/original is taken"))
    _check_attention_factor(reading, inside, rule)
    _check_ramp(reading, inside, rule)
    for name in ("mscale", "mscale_all_dim"):
        if inside.data.get(name) == 0:
            reading.note(name, template("0 counts as absent: the attention factor is that of factor alone"))
    _check_lengths(reading, inside, rule)
    if inside.data.get("factor") == 1 and rule in ("linear", "yarn", "llama3", "dynamic"):
        reading.note("factor", template("1 changes nothing"))


def _check_type(reading: Reading, inside: Keys) -> None:
    """No type, two that disagree, or one that has been renamed."""
    new, old = inside.text("rope_type"), inside.text("type")
    if new is None and old is None and "factor" in inside:
        key = inside.first("name", "scaling_type", "method") or "rope_type"
        text = template("no scaling happens without rope_type: transformers 5.23 takes the default, 4.57 stops")
        reading.error(key, text, inside.data.get(key))
    if None not in (new, old) and new != old:
        text = template("type says {type}: transformers 4.57 takes type, 5.23 rope_type")
        reading.error("rope_type", text, new, type=old)
    if "su" in (new, old):
        text = template("su is the first name of longrope: transformers renames it for Phi-3 alone")
        reading.add("note", "rope_type" if new == "su" else "type", translate(text), "su")


def _check_unread(reading: Reading, inside: Keys, rule: str) -> None:
    """Keys that the rule does not read."""
    read = {
        name: [key for key in (*scaling.needs, *scaling.takes, *MORE.get(name, ())) if key not in OURS]
        for name, scaling in SCALINGS.items()
    }
    for key, value in inside.data.items():
        if key in COMMON or key in read[rule]:
            continue
        owners = listing(name for name in read if key in read[name])
        if owners:
            text = template("ignored for {rule}, which transformers at most logs; it belongs to {owners}")
            reading.warning(key, text, value, rule=rule, owners=owners)
        elif key in READ_BY:
            reading.add("note", key, translate(READ_BY[key]), value)
        elif hint := probably(misspelt(key, [*read[rule], *COMMON])):
            reading.warning(key, template("pecli knows no such key{hint}"), value, hint=hint)
        elif value is not None:
            text = template("no parameter of rope_type {rule} that pecli knows")
            reading.add("note", key, translate(text, rule=rule), value)


def _check_attention_factor(reading: Reading, inside: Keys, rule: str) -> None:
    """An attention factor far from the formula's."""
    value, longest = inside.number("attention_factor"), max_position(reading)
    original = original_length(reading, inside)
    if value is None or rule not in ("yarn", "longrope") or original is None or original < 2:
        return
    ratio = (longest or original) / original
    factor = inside.number("factor")
    growth = log(max(ratio if factor is None else factor, 1.0))
    formula = 0.1 * growth + 1 if rule == "yarn" else sqrt(1 + growth / log(original))
    if not formula / UNUSUAL_RATIO < value < formula * UNUSUAL_RATIO:
        meant = translate("; probably meant: {word}", word="factor") if value in (factor, ratio) else ""
        text = template("scores are multiplied by its square, {square:g}; the formula gives {formula:.6g}{meant}")
        given = inside.data["attention_factor"]
        reading.warning("attention_factor", text, given, square=value**2, formula=formula, meant=meant)


def _check_ramp(reading: Reading, inside: Keys, rule: str) -> None:
    """Both ends of a ramp at one place, or exchanged."""
    ends = {"llama3": ("low_freq_factor", "high_freq_factor"), "yarn": ("beta_slow", "beta_fast")}
    low, high = ends.get(rule, ("", ""))
    if low not in inside or high not in inside:
        return
    small, large = inside.number(low) or 0.0, inside.number(high) or 0.0
    if small == large:
        reading.note(high, template("equal to {low}: no ramp, a step"), low=low)
    if small > large:
        reading.error(high, template("below {low} = {value:g}: probably exchanged"), low=low, value=small)


def _check_lengths(reading: Reading, inside: Keys, rule: str) -> None:
    """Original and extended context that contradict the factor or each other."""
    longest, factor = max_position(reading), inside.number("factor")
    if rule == "dynamic" and ORIGINAL in inside:
        reading.warning(ORIGINAL, template("ignored: dynamic begins at max_position_embeddings in both versions"))
    if rule not in ("yarn", "longrope", "llama3"):
        return
    top, inner = reading.keys.length(ORIGINAL), inside.length(ORIGINAL)
    original = top or inner
    if top is not None and inner is not None and top != inner:
        text = template("the one at the top, {top:,}, wins over {inner:,} inside in transformers 5.23")
        reading.warning(ORIGINAL, text, top=top, inner=inner)
    if original is None:
        text = template("is missing: transformers takes max_position_embeddings ({longest}) in its place")
        reading.warning(ORIGINAL, text, longest=longest)
    elif longest is not None and longest < original:
        text = template("is less than {key}, {value:,}")
        reading.warning("max_position_embeddings", text, longest, key=ORIGINAL, value=original)
    elif longest and factor and rule != "llama3" and longest != original and not isclose(longest / original, factor):
        text = template("max_position_embeddings/{key} is {ratio:g}: transformers warns and takes factor")
        reading.warning("factor", text, inside.data["factor"], key=ORIGINAL, ratio=longest / original)
