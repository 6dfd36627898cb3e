"""The kind of positions in a model's layers, and the parameters of the encoding for each kind."""

from __future__ import annotations

from math import prod, sqrt
from typing import Any

from pecli.models.config_file import Keys, safe_text
from pecli.models.facts import SINCOS2D_LAYOUTS, SINUSOIDAL_LAYOUTS, UNDRAWN
from pecli.models.layers import POSITIONS, BuildError, Reading, head_dim, heads, latent, patches, width
from pecli.models.rope import grid_places, patch_grid, rope_parameters

TYPE_NAMES = {  # values of position_embedding_type and similar keys
    **dict.fromkeys(("rope", "rotary", "rope_gptj"), "rope"),
    "alibi": "alibi",
    **dict.fromkeys(("learned", "absolute", "learned_absolute"), "learned"),
    **dict.fromkeys(("sinusoidal", "sine"), "sinusoidal"),
    **dict.fromkeys(("none", "nope"), "none"),
    **{name: name for name in ("sinusoidal_halves", "sincos2d")},  # in files of other programs
}
RELATIVE_KEYS = ("relative_key", "relative_key_query")
SPEECH_TYPE = "position_embeddings_type"  # in speech encoders
SPEECH_KINDS = {None: "none", "rotary": "rope", "relative": "relative", "relative_key": "relative_key"}
TYPE = ("position_embedding_type", "pos_embedding_type", "position_encoding_type", "pe_type")
KINDS_BY_FLAG = {  # flag to the kinds of positions if it is false and if it is true
    **dict.fromkeys(("sinusoidal_pos_embds", "sinusoidal_embeddings"), ("learned", "sinusoidal")),
    **dict.fromkeys(("use_relative_position_bias", "use_shared_relative_position_bias"), ("none", "bias2d")),
    "use_rotary_embedding": ("none", "rope"),
    "use_relative_position_embeddings": ("none", "relpos2d"),
    "use_absolute_position_embeddings": ("none", "learned"),
    "use_learned_position_embeddings": ("sinusoidal_j", "learned"),
    "use_positional_embedding": ("none", "sinusoidal_j"),
}


def position_of(reading: Reading, stack: str) -> str:
    """Return the kind of positions in a stack of layers, as named in `encoding_parameters`, or "none"."""
    keys, architecture = reading.keys, reading.architecture
    default = architecture.position.get(stack) or architecture.position.get("all") or "none"
    if not architecture.also:
        default = speech_position(reading, default)
    if default == "relative_key":  # a note says which offsets its table has
        return default
    if default in UNDRAWN or keys.flag("relative_attention"):
        text = "findings.not_drawn"
        reading.note("model_type", text, name=architecture.name)
        return default if default in UNDRAWN else "relative"
    if _alibi(reading):
        return "alibi"
    if default == "rope" and (keys.flag("mla_use_nope") or (latent(reading) and keys.whole("qk_rope_head_dim") == 0)):
        return "none"
    word, key = keys.text(*TYPE), keys.first(*TYPE) or ""
    if default in SINCOS2D_LAYOUTS:
        return "learned" if word == "learned" else default
    if word in RELATIVE_KEYS and "relative_key" in architecture.words:
        return "relative_key"
    named = TYPE_NAMES.get(word) if word else None
    if named is not None and named != "learned" and not architecture.takes(named):
        reading.note(key, "findings.unread_by_model", name=architecture.name)
        named = None
    elif word is not None and named is None:
        text = "findings.unknown_kind"
        reading.warning(key, text, word=safe_text(word))
    if "use_mem_rope" in architecture.reads and keys.flag("use_mem_rope"):
        return "rope"
    if named is None or (named == "learned" and default != "learned" and architecture.known):
        return _by_flags(reading, default)
    return named


def speech_position(reading: Reading, default: str) -> str:
    """Return the kind of positions that the file selects in a speech encoder; `default` if it selects none.

    It is for the types that choose with position_embeddings_type, whose other values mean no positions.
    """
    keys, architecture = reading.keys, reading.architecture
    if not architecture.speech:
        return default
    word = keys.text(SPEECH_TYPE)
    kind = SPEECH_KINDS.get(word) if SPEECH_TYPE in keys.data else default
    if kind not in (*architecture.speech, "none"):
        reading.warning(SPEECH_TYPE, "findings.word_without_positions", name=architecture.name)
        kind = "none"
    if kind == "rope":
        reading.note(SPEECH_TYPE, "findings.rotated_before_projections", name=architecture.name)
    return kind


def _alibi(reading: Reading) -> bool:
    keys, architecture = reading.keys, reading.architecture
    inner = keys.table("attn_config") or keys
    inner = inner if "alibi" in inner else keys
    flag, key = inner.flag("alibi", "use_alibi"), inner.first("alibi", "use_alibi")
    own = not architecture.known or "alibi" in architecture.position.values()
    if flag and not own and not ("alibi" in architecture.reads and key == "alibi"):
        word = keys.text(*TYPE)  # JinaBERT's files have both keys
        if word == "alibi" and architecture.takes("alibi"):
            return True
        reading.note(f"{inner.place.removeprefix(keys.place)}{key}", "findings.unread_by_model", name=architecture.name)
        flag = None
    if flag is not None or architecture.alibi_from is None:
        return bool(flag)
    large = width(reading) >= architecture.alibi_from
    text = "findings.position_by_width"
    reading.note("hidden_size", text, name=architecture.name, position="ALiBi" if large else "rope")
    return large


def _by_flags(reading: Reading, default: str) -> str:
    """Return the architecture's kind of positions, `default`, unless a flag in the file selects another."""
    keys = reading.keys
    inner = keys.table("attn_config") or Keys({})
    rope = any(part.flag("rope") for part in (inner, keys) if isinstance(part.data.get("rope"), bool))  # MPT, OLMo
    if inner.flag("alibi") is False and default == "alibi":
        reading.note("attn_config.alibi", "findings.unread_by_transformers")
    if rope:
        if default == "alibi":
            reading.note("attn_config.rope", "findings.own_class_has_alibi")
        return "rope"
    if inner.flag("alibi") is False:
        return "learned"
    for name, (off, on) in KINDS_BY_FLAG.items():
        if (flag := keys.flag(name)) is not None and default == (off if flag else on):
            return on if flag else off
    return default


def encoding_parameters(
    reading: Reading, position: str, kind: str, stack: str, layer: int
) -> tuple[str, dict[str, Any]] | None:
    """Return (name, parameters) of the encoding of layers of one kind; None if they have none that pecli draws.

    position : kind of positions, from `position_of`
    kind, stack, layer : kind of the layers, their stack, and the index of the first
    """
    if position == "rope":
        return "rope", rope_parameters(reading, kind, layer)
    if position == "alibi":  # the attention of BERT with ALiBi is bidirectional
        item = reading.architecture
        both = item.position.get("all") == "learned" and "alibi" not in item.reads
        inner = reading.keys.table("attn_config") or reading.keys
        steepest = inner.number("alibi_bias_max") or reading.keys.number("alibi_bias_max") or 8.0
        if steepest != 8 and item.in_transformers and not reading.keys.names:
            reading.note(f"{inner.place}alibi_bias_max", "findings.steepest_unread")
        made = {"heads": heads(reading), "direction": "both" if both else "causal", "bias_max": steepest}
        return "alibi", {**made, "divisor": _alibi_divisor(reading) * _score_divisor(reading), **item.alibi}
    if position == "t5":
        return "t5", _t5(reading, stack)
    if position == "learned":
        return "learned", {"d": _table_width(reading)}
    if position in SINUSOIDAL_LAYOUTS:
        return "sinusoidal", {"d": _input_width(reading), **SINUSOIDAL_LAYOUTS[position]}
    if position in SINCOS2D_LAYOUTS:
        base = reading.keys.number("positional_encoding_temperature") or 10000.0
        layout = SINCOS2D_LAYOUTS[position]
        grid = patch_grid(reading)
        return "sincos2d", {"d": width(reading), "base": base, "grid": grid, **layout, **grid_places(reading, grid)}
    if position == "timestep":
        return "sinusoidal", timestep_parameters(reading)
    return None


def timestep_parameters(reading: Reading) -> dict[str, Any]:
    """Return the parameters of the sinusoidal encoding of a diffusion model's time step, from the keys of diffusers."""
    keys = reading.keys
    flip, shift, base = keys.flag("flip_sin_to_cos"), keys.number("freq_shift"), keys.number("time_theta")
    return {
        "d": keys.whole("time_width") or reading.architecture.sizes.get("timestep", 0),
        "base": base or 10000.0,
        "family": "timestep",
        "flip": flip is not False,
        "shift": shift or 0.0,
    }


def _alibi_divisor(reading: Reading) -> float:
    """Return the divisor of the slopes in BTLM and JAIS: a factor, or current sequence length / trained length."""
    inside = reading.keys.table("alibi_scaling")
    if inside is None:
        return 1.0
    trained, factor = inside.length("train_seq_len"), inside.number("factor")
    if trained is not None and factor is None:
        reading.note("alibi_scaling", "findings.slopes_divided_beyond", trained=trained)
        return max(1.0, (reading.seq_len or trained) / trained)
    if factor is None or factor <= 0:
        raise BuildError("alibi_scaling", "findings.factor_needed")
    return factor


def _score_divisor(reading: Reading) -> float:
    """Return √head_dim if the scores are divided by it after ALiBi is added, so that the slopes are divided too."""
    if not reading.architecture.alibi_scaled:
        return 1.0
    columns = head_dim(reading)
    reading.note("alibi", "findings.alibi_before_scaling", name=reading.architecture.name, columns=columns)
    return sqrt(columns)


def _t5(reading: Reading, stack: str) -> dict[str, Any]:
    keys, sizes = reading.keys, reading.architecture.sizes
    buckets = keys.whole("relative_attention_num_buckets", "position_bias_num_buckets")
    distance = keys.whole("relative_attention_max_distance", "position_bias_max_distance")
    if distance is None:
        distance = sizes.get("distance", 128)
        reading.assumed("relative_attention_max_distance", distance)
    direction = "causal" if stack == "decoder" or reading.architecture.causal else "both"
    return {"buckets": buckets or sizes.get("buckets", 32), "max_distance": distance, "direction": direction}


def _table_width(reading: Reading) -> int:
    """Return the number of columns of the table; add a note if it begins with rows that the file does not count."""
    architecture, key = reading.architecture, reading.keys.first(*POSITIONS)
    if architecture.rows_before and key:
        reading.note(key, "findings.rows_before", name=architecture.name, rows=architecture.rows_before)
    return _input_width(reading)


def _input_width(reading: Reading) -> int:
    """Return the number of columns of the embeddings, which may be narrower or wider than the model."""
    architecture = reading.architecture
    if "embedding" in architecture.sizes:
        return reading.keys.whole(architecture.width_key or "embedding_size") or architecture.sizes["embedding"]
    return width(reading)


def first_row(reading: Reading, length: int) -> int:
    """Return the index of the first position's row in a learned table of `length` rows."""
    first, architecture = _rows_ahead(reading), reading.architecture
    if architecture.after_padding or architecture.first_row:
        count, key = max(length - first, 0), reading.keys.first(*POSITIONS) or "max_position_embeddings"
        text = "findings.rows_after_padding" if architecture.after_padding else "findings.rows_from"
        reading.note(key, text, all=length, count=count, name=architecture.name, first=first)
    return first


def first_sinusoid(reading: Reading) -> int:
    """Return the position whose sines and cosines the first position has; add a note unless it is 0."""
    first = _rows_ahead(reading)
    if first:
        key = reading.keys.first(*POSITIONS) or "max_position_embeddings"
        reading.note(key, "findings.sinusoids_begin_later", name=reading.architecture.name, first=first)
    return first


def _rows_ahead(reading: Reading) -> int:
    keys, architecture = reading.keys, reading.architecture
    if not architecture.after_padding:
        return architecture.first_row or architecture.rows_before
    padding = keys.whole("pad_token_id")
    return (architecture.sizes.get("padding", 1) if padding is None else padding) + 1


def rows_beside(reading: Reading) -> int:
    """Return the number of rows of an image's table that are not for patches."""
    count = reading.keys.whole("rows_beside") if reading.keys.names else None
    return reading.architecture.extra_rows if count is None else count


def table_length(reading: Reading, stack: str) -> int | None:
    """Return the number of rows of a learned or sinusoidal table; None if unknown."""
    keys, sizes = reading.keys, reading.architecture.sizes
    side = {"decoder": "target"}.get(stack, "source")
    own = (f"max_{side}_positions", f"max_{stack}_position_embeddings")
    names = (*own, *POSITIONS) if "decoder_positions" in sizes else (*POSITIONS, *own)
    length = keys.length(*names, "num_position_embeddings", "num_patches")
    if (grid := patches(reading)) and (length is None or reading.architecture.grid):
        return prod(grid) + rows_beside(reading)
    usual = sizes.get("decoder_positions") if stack == "decoder" else None
    usual = sizes.get("positions") if usual is None else usual
    if length is None and usual is not None:
        length = usual
        reading.assumed("max_position_embeddings", length)
    return length if length is None else length + reading.architecture.rows_before
