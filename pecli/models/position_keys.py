"""Recognition of config keys that concern positions, and notes on those that pecli does not use."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from pecli.models.config_file import Keys

WORDS = (  # a name with one of these between underscores concerns positions
    *("rope", "rotary", "yarn", "ntk", "theta", "alibi", "xpos", "logn", "mrope", "pos_emb", "position_embedding"),
    *("sliding_window", "relative"),
)
# words that also count in names with one of BEGINNINGS, and inside an object that concerns positions
WORDS_INSIDE = ("scale", "scaling", "factor", "freq", "window", "chunk", "temperature")
BEGINNINGS = ("attn_", "floor_")  # prefixes of names in which WORDS_INSIDE count
LEFT_OUT = ("quantization_config", "label2id", "id2label", "per_layer_config")  # objects that are not searched
TOWER = re.compile(r"(vision|visual|image|video|audio|speech|protein)\w*_config")  # without a model_type in older files
NO_EFFECT = (  # keys without effect on an encoding: dropout, precision and the like
    *("qk_rope_head_dim", "memory_attention_rope_dropout", "memory_attention_rope_k_sizes", "learned_pos_emb"),
    *("rope_full_precision", "rope_dtype", "alibi_bias_max"),
    "max_relative_positions",
)
LOG_SCALING = "findings.log_scaling_not_shown"
BEYOND = "findings.own_code_beyond"
BIASES = "findings.bias_not_shown"
UNUSED = "findings.unused_key"
READ_BY = {
    # window keys that were not used
    **dict.fromkeys(("local_attention", "attention_window_size"), UNUSED),
    # scores and chunks of other architectures
    **dict.fromkeys(
        ("position_embeddings_type", "dual_chunk_attention_config", "max_trained_positions", "llama_4_scaling_beta"),
        UNUSED,
    ),
    **dict.fromkeys(("attn_temperature_tuning", "attn_scale", "floor_scale"), UNUSED),
    # transformers 5.24, models/inkling2/modeling_inkling2.py
    **dict.fromkeys(("log_scaling_alpha", "log_scaling_n_floor"), LOG_SCALING),
    # transformers 5.24, models/modernbert, molmo2, roformer, kimi_k25
    "global_attn_every_n_layers": "findings.global_layers",
    "rope_scaling_layers": "findings.scaled_layers",
    "rotary_value": "findings.values_turn",
    "pos_emb_time": "findings.frames_not_shown",
    # transformers 5.24, models/layoutlmv3, udop, prophetnet
    **dict.fromkeys(("has_relative_attention_bias", "relative_bias_args", "relative_max_distance"), BIASES),
    # Qwen/Qwen-7B, modeling_qwen.py
    **dict.fromkeys(("use_dynamic_ntk", "use_logn_attn"), BEYOND),
    # Dao-AILab/flash-attention, layers/rotary.py
    "rotary_emb_scale_base": "findings.scores_decay",
    # jquesnelle/yarn; SGLang, rotary_embedding; no such name in transformers 4.57 and 5.24
    "attn_factor": "findings.factor_on_factor",
}


def is_of_positions(name: str, inside: bool = False) -> bool:
    """Return whether the name of a key concerns positions.

    inside : True if the key is in an object whose own key concerns positions
    """
    more = WORDS_INSIDE if inside or name.startswith(BEGINNINGS) else ()
    return name in READ_BY or bool(re.search(rf"(?:^|_)(?:{'|'.join((*WORDS, *more))})(?:_|$)", name))


def position_keys(keys: Keys, part: Keys | None, inside: bool = False) -> Iterator[tuple[str, Any]]:
    """Yield the full name and value of each unread key that concerns positions.

    Towers, the object `part`, and keys that are null, false or empty are left out. An object that was not read counts
    as one key; if it was read, its keys are checked one by one.
    """
    for name, value in keys.data.items():
        place = f"{keys.place}{name}"
        tower = isinstance(value, dict) and (value.get("model_type") or TOWER.fullmatch(name))
        left_out = name in (*LEFT_OUT, *NO_EFFECT) or tower or (part is not None and value is part.data)
        if left_out or value in (None, False) or value in ([], {}) or (name == "rotary" and value is True):
            continue
        ours = is_of_positions(name, inside)
        if ours and place not in keys.read:
            yield place, value
        elif isinstance(value, dict):
            yield from position_keys(Keys(value, f"{place}.", keys.read), part, inside or ours)
