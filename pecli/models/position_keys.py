"""Which keys of a config have to do with positions, and what reads those that pecli does not use."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from pecli.core.language import template, templates
from pecli.models.config_file import Keys

WORDS = (  # between underscores, anywhere in a name
    *("rope", "rotary", "yarn", "ntk", "theta", "alibi", "xpos", "logn", "mrope", "pos_emb", "position_embedding"),
    *("sliding_window", "relative"),
)
WORDS_INSIDE = ("scale", "scaling", "factor", "freq", "window", "chunk", "temperature")  # those need more to go by:
BEGINNINGS = ("attn_", "floor_")  # names that begin so, or an object whose own key has one of WORDS
LEFT_OUT = ("quantization_config", "label2id", "id2label")
TOWER = re.compile(
    r"(vision|visual|image|video|audio|speech|protein)\w*_config"
)  # has no model_type of its own in older files
WINDOWS = (  # of the layers that look back over some positions alone; they change no encoding
    *("sliding_window", "use_sliding_window", "sliding_window_size", "sliding_window_pattern", "local_attention"),
    *("_sliding_window_pattern", "prefix_dense_sliding_window_pattern"),
)
NO_EFFECT = (  # on an encoding: dropout, precision, columns where nothing turns, what alone has no effect
    *("qk_rope_head_dim", "memory_attention_rope_dropout", "memory_attention_rope_k_sizes", "learned_pos_emb"),
    *("rope_full_precision", "rope_dtype", "alibi_bias_max"),
    "max_relative_positions",
)
TEMPERATURE = template(
    "with attn_temperature_tuning the code of llama4 multiplies queries in layers without rope by "
    "1 + attn_scale · ln(1 + ⌊(p + 1)/floor_scale⌋); pecli does not show that"
)
LOG_SCALING = template(
    "the code of inkling and inkling2 multiplies queries by "
    "1 + log_scaling_alpha · ln(max(1, (p + 1)/log_scaling_n_floor)); pecli does not show that"
)
FOUNDRY = template(
    "llm-foundry reads rope_hf_config where rope_impl is hf, else rope_dail_config; pecli shows no scaling of either"
)
NOMIC = template(
    "the code of nomic_bert lets the base grow in texts longer than max_trained_positions; pecli shows it before that"
)
BEYOND = template("the model's own code changes base or scores beyond the trained length")
BIASES = template("a learned bias by offset is added to scores as well; pecli does not show it")
READ_BY = templates(  # keys that those words do not find, or whose code was looked up, which stands before them
    {
        # transformers 5.23, models/llama4/modeling_llama4.py
        **dict.fromkeys(("attn_temperature_tuning", "attn_scale", "floor_scale"), TEMPERATURE),
        # transformers 5.23, models/ministral3/modeling_ministral3.py, models/mistral4/modeling_mistral4.py
        "llama_4_scaling_beta": "the code of ministral3 and mistral4 multiplies queries by "
        "1 + β · ln(1 + ⌊p/original⌋) with this β; pecli does not show that",
        # transformers 5.23, models/inkling2/modeling_inkling2.py
        **dict.fromkeys(("log_scaling_alpha", "log_scaling_n_floor"), LOG_SCALING),
        # transformers 5.23, models/modernbert, molmo2, roformer, kimi_k25
        "global_attn_every_n_layers": "one layer in so many sees all positions",
        "rope_scaling_layers": "in molmo2 the other layers have no scaling; pecli shows all layers with it",
        "rotary_value": "the code of roformer turns values as well",
        "pos_emb_time": "kimi_k25 adds sines of the frame as well; pecli does not show them",
        # transformers 5.23, models/layoutlmv3, udop, prophetnet
        **dict.fromkeys(("has_relative_attention_bias", "relative_bias_args", "relative_max_distance"), BIASES),
        # Qwen/Qwen-7B, modeling_qwen.py
        **dict.fromkeys(("use_dynamic_ntk", "use_logn_attn"), BEYOND),
        # vLLM, rotary_embedding/dual_chunk_rope.py; SGLang, rotary_embedding/rope_variant.py
        "dual_chunk_attention_config": "vLLM and SGLang alone read it: positions of keys begin anew with each chunk; "
        "pecli does not show that",
        # mosaicml/llm-foundry, models/mpt/modeling_mpt.py, gen_rotary_embedding
        **dict.fromkeys(("rope_impl", "rope_hf_config", "rope_dail_config"), FOUNDRY),
        # nomic-ai/contrastors, modeling_hf_nomic_bert.py, NomicBertDynamicNTKRotaryEmbedding
        **dict.fromkeys(("rotary_scaling_factor", "max_trained_positions"), NOMIC),
        # Dao-AILab/flash-attention, layers/rotary.py
        "rotary_emb_scale_base": "with it flash-attn turns by xPos, where scores fall with the distance; pecli does "
        "not show that",
        # cerebras/btlm-3b-8k-base, modeling_btlm.py; JAIS, modeling_jais.py
        "alibi_scaling": "the model's own code divides the slopes by factor, or by length/train_seq_len in longer "
        "texts; pecli shows them undivided",
        # jquesnelle/yarn; SGLang, rotary_embedding; no such name in transformers 4.57 and 5.23
        "attn_factor": "YaRN's own code and SGLang multiply the formula's attention factor by it, transformers does "
        "not; it is not attention_factor",
    }
)
UNUSED = template("a key of positions that pecli does not use")


def is_of_positions(name: str, inside: bool = False) -> bool:
    """Return whether a key has to do with positions; `inside` an object whose key has."""
    more = WORDS_INSIDE if inside or name.startswith(BEGINNINGS) else ()
    return name in READ_BY or bool(re.search(rf"(?:^|_)(?:{'|'.join((*WORDS, *more))})(?:_|$)", name))


def position_keys(keys: Keys, part: Keys | None = None, inside: bool = False) -> Iterator[tuple[str, Any]]:
    """Yield name and value of each key that has to do with positions, where it stands in an object with its place.

    Left out are towers, one `part`, and keys of null, false or nothing. An object that was not read is one key; of one
    that was, the keys inside are.
    """
    for name, value in keys.data.items():
        place = f"{keys.place}{name}"
        tower = isinstance(value, dict) and (value.get("model_type") or TOWER.fullmatch(name))
        left_out = name in (*LEFT_OUT, *WINDOWS, *NO_EFFECT) or tower or (part is not None and value is part.data)
        if left_out or value in (None, False) or value in ([], {}):
            continue
        ours = is_of_positions(name, inside)
        if ours and place not in keys.read:
            yield place, value
        elif isinstance(value, dict):
            yield from position_keys(Keys(value, f"{place}.", keys.read), part, inside or ours)
