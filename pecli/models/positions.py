"""What tells positions apart in a model, and the plain spec of each kind of it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from pecli.core.language import phrase
from pecli.models.config_file import shown
from pecli.models.layers import POSITIONS, Reading, heads, latent, max_position, width
from pecli.models.rope import rope_parameters

TYPE_NAMES = {  # of position_embedding_type and its like
    "rope": "rope",
    "rotary": "rope",
    "alibi": "alibi",
    "learned": "learned",
    "absolute": "learned",
    "learned_absolute": "learned",
    "sinusoidal": "sinusoidal",
    "sine": "sinusoidal",
    "none": "none",
    "nope": "none",
    "relative_key": "none",
    "relative_key_query": "none",
}
TYPE = ("position_embedding_type", "pos_embedding_type", "position_encoding_type", "pe_type")


def position_of(reading: Reading, stack: str) -> str:
    """What tells positions apart in a stack of layers: "rope", "alibi", "learned", "sinusoidal", "t5" or "none"."""
    keys, one = reading.keys, reading.architecture
    taken = one.position.get(stack) or one.position.get("all") or "none"
    if taken == "relative":
        reading.note(
            "model_type",
            phrase(
                "the attention of {name} sees offsets in a way of its own, which pecli does not draw", name=one.name
            ),
        )
        return "none"
    if _alibi(reading):
        return "alibi"
    if taken == "rope" and (keys.flag("mla_use_nope") or (latent(reading) and keys.whole("qk_rope_head_dim") == 0)):
        return "none"
    word = keys.text(*TYPE)
    said = TYPE_NAMES.get(word) if word else None
    if one.rope_opt_in:
        asked = said == "rope" or bool(keys.flag("use_mem_rope"))
        return "rope" if asked else (said or "none")
    if word is not None and said is None:
        reading.warning(
            keys.first(*TYPE) or "", phrase("{word} is no kind of position that pecli knows", word=shown(word))
        )
    if said is None or (said == "learned" and (one.rope or one.position.get("all") != "learned") and one.known):
        return _flagged(reading, taken)
    return said


def _alibi(reading: Reading) -> bool:
    keys, one = reading.keys, reading.architecture
    inner = keys.table("attn_config")
    if inner is not None and inner.flag("alibi") is not None:
        return bool(inner.flag("alibi"))
    said = keys.flag("alibi", "use_alibi")
    if said is not None:
        return said
    if one.alibi_from is None:
        return False
    large = width(reading) >= one.alibi_from
    text = phrase(
        "the file does not say; by its width this {name} has ALiBi, as the larger models of that name"
        if large
        else "the file does not say; by its width this {name} has rope, as the smaller models of that name",
        name=one.name,
    )
    reading.note("hidden_size", text)
    return large


def _flagged(reading: Reading, taken: str) -> str:
    """The architecture's kind, unless a flag of its own says otherwise."""
    keys = reading.keys
    inner = keys.table("attn_config")
    if inner is not None and inner.flag("rope"):
        return "rope"
    if inner is not None and inner.flag("alibi") is False:
        return "learned"
    if taken == "learned" and (keys.flag("sinusoidal_pos_embds") or keys.flag("sinusoidal_embeddings")):
        return "sinusoidal"
    return taken


def spec_of(reading: Reading, position: str, kind: str, stack: str, layer: int) -> tuple[str, dict[str, Any]] | None:
    """Name and parameters of the encoding of some layers; None where there is none."""
    return MAKERS[position](reading, kind, stack, layer) if position in MAKERS else None


def _rope(reading: Reading, kind: str, stack: str, layer: int) -> tuple[str, dict[str, Any]]:
    return "rope", rope_parameters(reading, kind, layer)


def _alibi_spec(reading: Reading, kind: str, stack: str, layer: int) -> tuple[str, dict[str, Any]]:
    both = reading.architecture.position.get("all") == "learned"  # BERT with ALiBi looks both ways
    return "alibi", {"heads": heads(reading), "direction": "both" if both else "causal"}


def _t5(reading: Reading, kind: str, stack: str, layer: int) -> tuple[str, dict[str, Any]]:
    keys, sizes = reading.keys, reading.architecture.sizes
    buckets, distance = keys.whole("relative_attention_num_buckets"), keys.whole("relative_attention_max_distance")
    if distance is None:
        reading.assumed("relative_attention_max_distance", sizes.get("distance", 128))
    return "t5", {
        "buckets": buckets or sizes.get("buckets", 32),
        "max_distance": distance or sizes.get("distance", 128),
        "direction": "causal" if stack == "decoder" else "both",
    }


def _learned(reading: Reading, kind: str, stack: str, layer: int) -> tuple[str, dict[str, Any]]:
    one, key = reading.architecture, reading.keys.first(*POSITIONS)
    if one.rows_before and key:
        reading.note(
            key,
            phrase(
                "the table of {name} has {rows} rows more: positions start at row {rows}",
                name=one.name,
                rows=one.rows_before,
            ),
        )
    if one.rows_of_padding and key:
        reading.note(
            key,
            phrase(
                "rows of the table; {name} takes {rows} of them for padding, not for positions",
                name=one.name,
                rows=one.rows_of_padding,
            ),
        )
    return "learned", {"d": table_width(reading)}


def _sinusoidal(reading: Reading, kind: str, stack: str, layer: int) -> tuple[str, dict[str, Any]]:
    return "sinusoidal", {"d": width(reading)}


def _sinusoidal_halves(reading: Reading, kind: str, stack: str, layer: int) -> tuple[str, dict[str, Any]]:
    return "sinusoidal", {"d": width(reading), "layout": "concatenated"}


def _sinusoidal_j(reading: Reading, kind: str, stack: str, layer: int) -> tuple[str, dict[str, Any]]:
    return "sinusoidal", {"d": width(reading), "layout": "concatenated", "family": "tensor2tensor"}


Maker = Callable[[Reading, str, str, int], tuple[str, dict[str, Any]]]
MAKERS: Mapping[str, Maker] = {
    "rope": _rope,
    "alibi": _alibi_spec,
    "t5": _t5,
    "learned": _learned,
    "sinusoidal": _sinusoidal,
    "sinusoidal_halves": _sinusoidal_halves,
    "sinusoidal_j": _sinusoidal_j,
}


def table_width(reading: Reading) -> int:
    """The columns of a learned table: those of the embeddings, narrower than the model in ALBERT and ELECTRA."""
    if "embedding" in reading.architecture.sizes:
        return reading.keys.whole("embedding_size") or reading.architecture.sizes["embedding"]
    return width(reading)


def table_length(reading: Reading, stack: str) -> int | None:
    """The positions of a learned or sinusoidal table."""
    keys = reading.keys
    special = {
        "encoder": ("max_source_positions", "max_encoder_position_embeddings"),
        "decoder": ("max_target_positions", "max_decoder_position_embeddings"),
    }
    length = keys.length(*special.get(stack, ())) or max_position(reading) or _patches(reading)
    if length is None and "positions" in reading.architecture.sizes:
        length = reading.architecture.sizes["positions"]
        reading.assumed("max_position_embeddings", length)
    return length


def _patches(reading: Reading) -> int | None:
    """The positions of an image: its patches and one for the whole."""
    image, patch = reading.keys.data.get("image_size"), reading.keys.data.get("patch_size")
    if not (isinstance(image, int) and isinstance(patch, int) and 0 < patch <= image < 1 << 16):
        return None
    return (image // patch) ** 2 + 1
