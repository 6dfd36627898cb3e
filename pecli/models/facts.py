"""Reading and checking of the fact files in this folder, such as types.toml, and the names that their tables accept."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterable, Iterator, Mapping
from difflib import get_close_matches
from pathlib import Path
from typing import Any

from pecli.core.errors import FileError

FOLDER = Path(__file__).parent
# not drawn: of images, or in attention
UNDRAWN = ("relative", "relative_key", "bias2d", "relpos2d", "conv", "sincos2d", "fourier")
SINUSOIDAL_LAYOUTS: dict[str, dict[str, str]] = {
    "sinusoidal": {},
    "sinusoidal_halves": {"layout": "concatenated"},
    "sinusoidal_j": {"layout": "concatenated", "family": "tensor2tensor"},
}
SINCOS2D_LAYOUTS: dict[str, dict[str, str]] = {  # of MAE; of DETR (coordinates 2π/n to 2π); of RT-DETR (rows first)
    "sincos2d_mae": {},
    "sincos2d_detr": {"layout": "interleaved", "first": "row", "scale_grid": "detr"},
    "sincos2d_rows": {"first": "row"},
}
POSITIONS = ("rope", "alibi", "t5", "none", "learned", *SINUSOIDAL_LAYOUTS, *SINCOS2D_LAYOUTS, *UNDRAWN)
REMARKS = {  # notes on types, whatever their config
    "turns_back": "findings.turns_backwards",
    "seconds": "findings.audio_rates_not_shown",
    "detector": "findings.detector_not_shown",
    "preprocessor": "findings.preprocessor_not_shown",
    "three_parts": "findings.three_models_not_shown",
    "stages": "findings.stages_not_shown",
    "axial_tables": "findings.axial_tables",
    "memory": "findings.memory_table_not_shown",
    "global_tokens": "findings.global_tokens",
    "summaries": "findings.summaries_of_blocks",
    "blocks": "findings.blocks_not_shown",
    "window_and_prompt": "findings.window_and_prompt",
    "cosines_first": "findings.cosines_first",
    "root": "findings.divided_by_root",
    "centred": "findings.centred",
    "rows_first": "findings.rows_first_in_new_models",
    "share": "findings.width_counted_otherwise",
    "third": "findings.share_by_default",
    "own_code": "findings.keys_of_own_code",
}
ALL = "all"  # the kind of layers if all are alike
FULL, SLIDING, LINEAR, NO_ATTENTION = "full_attention", "sliding_attention", "linear_attention", "no_attention"
OTHERS = ("conv", "hybrid", "window_attention", "indexed_attention", "no_rope")
KINDS = {kind[0]: kind for kind in (FULL, SLIDING, LINEAR, *OTHERS)}  # by letter, as in an architecture's pattern
LAYER_KINDS = (
    *(*KINDS.values(), "chunked_attention", "compressed_sparse_attention", "heavily_compressed_attention"),
    *("hybrid_sliding", "cross_attention", NO_ATTENTION, "mlp", "moe"),
)
PATTERN = re.compile(rf"-?[{''.join(KINDS)}]*\([{''.join(KINDS)}]+\)[{''.join(KINDS)}]*")
PARAMETERS = (  # keys of rope_parameters
    *("rope_type", "rope_theta", "partial_rotary_factor", "factor", "attention_factor", "truncate"),
    *("original_max_position_embeddings", "beta_fast", "beta_slow", "mscale", "mscale_all_dim"),
    *("low_freq_factor", "high_freq_factor", "short_factor", "long_factor", "mrope_section", "mrope_interleaved"),
    "llama_4_scaling_beta",
)
WINDOW_KEYS = ("sliding_window", "sliding_window_size")
INTERVALS = ("sliding_window_pattern", "full_attention_interval", "global_attn_every_n_layers", "layer_group_size")
OTHER_BASES = (
    *("rotary_emb_base", "rope_embedding_base", "rotary_embedding_base", "rotary_base", "rope_base"),
    *("rope_freq_constant", "theta"),
)
OTHER_SHARES = ("rotary_pct", "rotary_emb_fraction", "rope_pct", "rotary_percentage")
SLIDING_BASES = ("rope_local_base_freq", "local_rope_theta", "swa_rope_theta")  # bases of layers with a window
# other names of rope_theta and partial_rotary_factor; in transformers, only types read them whose `reads` has them
OTHER_KEYS = (*OTHER_BASES, *OTHER_SHARES, "rotary_dim", "global_rope_theta", *SLIDING_BASES)
# other names of scalings, likewise
OTHER_NAMES = {"su": "longrope", "mrope": "default", "none": "default", "xdrope": "dynamic"}
CHOICES = {  # allowed words of fields that are words or lists of words
    "position": POSITIONS,
    "pairing": ("half", "interleaved"),
    "by_kind": ("only", "older", "strict", "either"),
    "resized": ("always", "asked"),
    "also": (*POSITIONS, "timestep"),
    "remark": tuple(REMARKS),
    "window_keys": (
        "local_attention",
        "attention_window",
        "attention_windows",
        "window_size",
        "local_radius",
        *WINDOW_KEYS,
    ),
    "one_more": WINDOW_KEYS,
    "interval": ("", *INTERVALS),
    "both_ways": ("", "radius", "half", "half_more", "split"),
    "nope_layer_types": LAYER_KINDS,
    "windowed": LAYER_KINDS,
    "nope_kinds": ("", *LAYER_KINDS),
    "axes": ("blocks", "repeated", "alternating", "rising"),
    "scale_grid": ("index", "dinov3"),
    "grid_rule": ("middle", "reference", "base"),
    "reads": (*OTHER_KEYS, "alibi", "use_mem_rope", "short_mscale", "long_mscale", "ntk", *OTHER_NAMES),
    **dict.fromkeys(("words", "speech"), POSITIONS),
    "scalings": ("none", "linear", "dynamic", "yarn", "longrope", "llama3", "proportional"),
    "grid": (  # config keys for sizes, patches and strides; add those that a new type needs
        *("image_size", "patch_size", "patch_stride", "side", "max_image_size", "max_img_size", "pretrain_image_size"),
        *("num_frames", "tubelet_size", "seq_len", "max_length", "max_num_patches", "num_mel_bins", "time_stride"),
        *("frequency_stride", "sample_frames", "sample_height", "sample_width", "temporal_compression_ratio"),
        *("pos_emb_height", "pos_emb_width", "pos_embed_max_size", "posemb_grid_size", "position_embedding_size"),
        *("axial_pos_shape", "max_2d_position_embeddings", "memory_attention_rope_feat_sizes"),
        "window_positional_embedding_background_size",
    ),
}
BY_KIND = frozenset({"position", "theta", "partial", "head_dim"})  # fields with one value, or one per kind of layer
NAMES = {  # names allowed in the table of a field
    **dict.fromkeys(BY_KIND, ("all",)),  # the kinds of layer are allowed, too
    "position": ("all", "encoder", "decoder"),
    "temperature": ("layers", "key", "default", "scale", "length", "offset"),
    "alibi": ("family", "direction"),
    "sizes": (
        *("hidden", "heads", "layers", "decoder_layers", "positions", "window", "embedding", "padding", "buckets"),
        *("distance", "timestep", "decoder_positions", "left", "right"),
    ),
}
ITEMS: dict[str, tuple[type, ...]] = {  # field to the types of its list's items, if they are not words
    "sections": (int,),
    "both_if": (str, bool),
    **dict.fromkeys(("grid_start", "grid_step"), (int, float)),
    **dict.fromkeys(("grid", "axis_shares"), (list,)),
}
MEANT = {  # name in configs to the field, for suggestions where the spelling differs too much
    **dict.fromkeys(("base", "rope_theta", "rotary_emb_base"), "theta"),
    **dict.fromkeys(("rope_scaling", "rope_parameters", "scaling", "factor", "rope_type"), "parameters"),
    **dict.fromkeys(("partial_rotary_factor", "rotary_pct", "fraction"), "partial"),
    **dict.fromkeys(("layer_types", "sliding_window_pattern", "layers"), "pattern"),
    **dict.fromkeys(("hidden_size", "sliding_window", "window", "max_position_embeddings"), "sizes"),
    **dict.fromkeys(("position_embedding_type", "encoding", "kind"), "position"),
    **dict.fromkeys(("mrope_section", "mrope_sections"), "sections"),
    **dict.fromkeys(("inherits", "extends", "same_as"), "like"),
    **dict.fromkeys(("text_config", "language"), "text"),
}


class FactsError(FileError):
    """A mistake in a fact file; the message names the file, the type, the field and the reason."""

    def __init__(self, file: str, name: str, key: str, reason: str) -> None:
        super().__init__(f"{FOLDER / file}: {': '.join(filter(None, (name, key, reason)))}")
        self.file, self.name, self.key = file, name, key


def read_facts(name: str) -> dict[str, Any]:
    """Return the tables of a fact file in this folder; raise FactsError if it is not TOML."""
    try:
        return tomllib.loads((FOLDER / name).read_text("utf-8"))
    except ValueError as error:
        raise FactsError(name, "", "", f"is not TOML: {error}") from None


def meant(word: Any, known: Iterable[str]) -> str:
    """Return the question ", did you mean …?" with the known name most similar to a word; "" if none is similar."""
    names = [*known]
    near = [MEANT[word]] if MEANT.get(word) in names else get_close_matches(str(word), names, n=1)
    return "".join(f", did you mean {name}?" for name in near)


def faults(key: str, value: Any, kinds: tuple[type, ...], own_kinds: Iterable[str]) -> Iterator[str]:
    """Yield one message for each mistake in the value of field `key`.

    kinds : the types that the value may have; for a table by kind of layer, the types of each of its values
    own_kinds : kinds of layer that the model type itself defines, in `bases`
    """
    table = value if isinstance(value, dict) else {}
    values: Iterable[Any] = table.values() if key in BY_KIND and table else (value,)
    if wrong := [item for item in values if type(item) not in kinds]:
        yield f"{wrong[0]!r} is not {' or '.join(kind.__name__ for kind in kinds)}"
        return
    items = ITEMS.get(key, (str,))
    if isinstance(value, list) and (wrong := [item for item in value if type(item) not in items]):
        yield f"{wrong[0]!r} in its list is not {' or '.join(kind.__name__ for kind in items)}"
        return
    layer_kinds = (*LAYER_KINDS, *own_kinds)
    yield from _unknown(key, table, layer_kinds)
    if key == "pattern" and not PATTERN.fullmatch(value):
        letters = ", ".join(f"{letter} {kind}" for letter, kind in KINDS.items())
        yield f"{value!r} is not a pattern such as (sssf), with repeated layers in brackets; the letters are {letters}"
    if key == "grid":
        if not value or not all(isinstance(axis, list) and 1 <= len(axis) <= 3 for axis in value):
            yield f"{value!r} is not a list with one [size, patch, stride] per axis"
            return
        values = [word for axis in value for word in axis if type(word) is not int]
    elif isinstance(value, list):
        values = value
    yield from (_no_choice(key, word) for word in values if key in CHOICES and word not in CHOICES[key])
    for name, base in table.items() if key == "bases" else ():
        if not isinstance(base, list) or [type(item) in (str, int, float) for item in base[:2]] != [True, True]:
            yield f"{name} = {base!r} is not a list [key, base, kinds of layers]"
        else:
            yield from (
                f"{kind!r} is not a kind of layer{meant(kind, layer_kinds)}"
                for kind in base[2:]
                if kind not in layer_kinds
            )


def _unknown(key: str, table: Mapping[str, Any], layer_kinds: tuple[str, ...]) -> Iterator[str]:
    """Yield one message for each unknown name in `table`, the value of field `key`."""
    known = {name: layer_kinds if isinstance(item, dict) else PARAMETERS for name, item in table.items()}
    parts: list[tuple[str, tuple[str, ...]]] = []
    if key == "parameters":
        parts = [*known.items(), *((name, PARAMETERS) for it in table.values() if isinstance(it, dict) for name in it)]
    elif key in NAMES:
        names = (*NAMES[key], *layer_kinds) if "all" in NAMES[key] and key != "position" else NAMES[key]
        parts = [(name, names) for name in table]
    for name, allowed in parts:
        if name not in allowed:
            yield f"{name} is unknown{meant(name, allowed) or ': it takes ' + ', '.join(allowed)}"


def _no_choice(key: str, word: Any) -> str:
    more = " (a new one goes into CHOICES of pecli/models/facts.py)" if key == "grid" else ""
    return f"{word!r} is not one of {', '.join(filter(None, CHOICES[key]))}{more}{meant(word, CHOICES[key])}"
