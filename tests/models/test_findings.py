"""What pecli reads out of small configs, most of them with a mistake or an odd key: layers and all findings.

What it finds stands in tests/data/findings.txt. After a change that is meant, write that anew and read the difference:
``python -m tests.models.test_findings``.
"""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Iterator
from dataclasses import fields
from hashlib import sha256
from pathlib import Path
from typing import Any

from pecli.core.errors import PecliError
from pecli.core.language import finding
from pecli.models.facts import INTERVALS, LAYER_KINDS, OTHER_NAMES
from pecli.models.layers import HEAD, HEADS, LAYER_TYPE_NAMES, LAYERS, MADE_FROM, PATTERN, POSITIONS, WIDTH, WINDOWS
from pecli.models.model_types import model_types, remark_on
from pecli.models.position_keys import BEGINNINGS, LEFT_OUT, NO_EFFECT, READ_BY, WORDS, WORDS_INSIDE
from pecli.models.positions import KINDS_BY_FLAG, RELATIVE_KEYS, TYPE, TYPE_NAMES
from pecli.models.reader import ENCODERS, INNER, Layer, Model, model_of
from pecli.models.rope import FRACTION, THETA
from tests.models.dialect_cases import STORED as DIALECTS

DATA = Path(__file__).parents[1] / "data"
STORED = DATA / "findings.txt"
SIZES = {"hidden_size": 32, "num_attention_heads": 4, "num_hidden_layers": 4, "max_position_embeddings": 64}
ROPE = SIZES | {"rope_theta": 10000.0}
YARN = {"rope_type": "yarn", "factor": 4.0, "original_max_position_embeddings": 16}
LLAMA3 = {"rope_type": "llama3", "factor": 4.0, "low_freq_factor": 1.0, "high_freq_factor": 4.0,
          "original_max_position_embeddings": 16}  # fmt: skip
LONG = {"rope_type": "longrope", "short_factor": [1.0] * 4, "long_factor": [2.0] * 4}
LATENT = {"qk_nope_head_dim": 8, "qk_rope_head_dim": 4}
IMAGE = {"hidden_size": 32, "num_attention_heads": 2, "num_hidden_layers": 2, "image_size": 12, "patch_size": 4}
LESS = {"max_position_embeddings": None}
FULL, SLIDING = "full_attention", "sliding_attention"
Config = dict[str, Any]


def scaled(scaling: Config, *without: str, **more: Any) -> Config:
    return {"rope_scaling": {name: value for name, value in {**scaling, **more}.items() if name not in without}}


# a type, and what its config has besides ROPE, or besides SIZES and the like where it says so
KEYS: dict[str, list[Config]] = {
    "llama": [
        {},
        *({name: value} for name, value in (("num_attention_heads", 0), ("num_attention_heads", 33))),
        *({"num_attention_heads": heads} for heads in (3, None, 32)),
        {"num_attention_heads": 3, "head_dim": 8},
        *({"hidden_size": width} for width in (None, 0, 36)),
        *({"head_dim": head} for head in (8, 16, 7)),
        *({"num_hidden_layers": layers} for layers in (None, 0)),
        *({"rope_theta": theta} for theta in (None, [10000.0, 500.0], [])),
        {"rope_theta": None, "rope_scaling": {"rope_type": "linear", "factor": 4.0, "rope_theta": 500.0}},
        *({"partial_rotary_factor": share} for share in (0, 0.5, 0.4, 1, 1.5)),
        {"rotary_dim": 4},
        *({name: flag} for name in ("rope_interleaved", "is_neox_style") for flag in (True, False)),
        {"partial_rotary_factors": [0.5, 1.0]},
        *({"layer_types": kinds} for kinds in ([FULL] * 4, [FULL] * 3, ["full", "mamba", "attention", "x"])),
        *({"no_rope_layers": flags} for flags in ([1, 0, 1, 0], [1, 0])),
        {"sliding_window": 8},
        {"sliding_window": 8, "layer_types": [FULL, SLIDING] * 2, "is_causal": False},
        {"use_logn_attn": True},
        {"attn_scale": 0.1},
        {"position_embedding_type": "absolute"},
        {"position_embedding_type": "strange"},
        {"rope_parameters": {"rope_type": "default", "rope_theta": 500.0}},
        {"rope_parameters": {"rope_theta": 500.0}, "rope_theta": None, "rope_scaling": None},
        {"rope_parameters": {"rope_theta": 500.0}, "rope_scaling": {"type": "linear", "factor": 2.0}},
        {"rope_parameters": {FULL: {"rope_theta": 500.0}}},
        {"rope_parameters": {SLIDING: {"rope_theta": 500.0}}, "layer_types": [FULL] * 4},
        {"rope_tetha": 5},
        {"my_rope_gain": 2},
        {"dual_chunk_attention_config": {"chunk_size": 16, "local_size": 4}},
        {"dual_chunk_attention_config": {"chunk_size": 16, "local_size": 16}},
        {"rotary": {"base": 500, "type": "dynamic", "scaling_factor": 2.0}, "rope_theta": None},
        {"mrope_section": [1, 1, 2]},
        LATENT,
        {**LATENT, "use_mla": False},
        *({"hybrid_layer_pattern": flags} for flags in ([0, 1, 1, 0], [0, 1, 1, 0, 1])),
        {"hybrid_override_pattern": "M*-E"},
        {"linear_attn_config": {"full_attn_layers": [1, 4]}},
        {"attn_layer_period": 2, "attn_layer_offset": 1},
        {"attn_layer_period": 3},
        *({"vision_config": part} for part in ({"model_type": "clip_vision_model", **IMAGE}, {"hidden_size": 0})),
        # scalings
        scaled({"rope_type": "linear", "factor": 2.0}),
        scaled({"type": "linear", "factor": 1.0}),
        scaled({"rope_type": "linear"}),
        scaled({"factor": 2.0}),
        scaled({"name": "linear", "factor": 2.0}),
        scaled({"rope_type": "linear", "type": "yarn", "factor": 2.0}),
        scaled({"rope_type": "linaer", "factor": 2.0}),
        scaled({"rope_type": "linear", "factor": 0.5}),
        scaled({"rope_type": "dynamic", "factor": 2.0, "alpha": 0}),
        scaled({"rope_type": "dynamic", "factor": 2.0, "original_max_position_embeddings": 16}),
        scaled({"rope_type": "dynamic", "factor": 2.0}) | LESS,
        *(scaled({"rope_type": "dynamic", "alpha": alpha}) for alpha in (4.0, -1.0)),
        scaled({"rope_type": "dynamic", "alpha": 4.0}) | {"head_dim": 2},
        scaled({"rope_type": "proportional", "partial_rotary_factor": 0.5}),
        scaled({"rope_type": "axial"}),
        scaled({"rope_type": "ntk", "factor": 2.0}),
        scaled({"rope_type": "mrope", "mrope_section": [1, 1, 2]}),
        scaled({"rope_type": "default", "mrope_section": [1, 1, 2]}),
        scaled({"rope_type": "default", "mrope_section": [1, 1, 1]}),
        scaled({"rope_type": "default", "mrope_section": [1, 1, 1], "mrope_interleaved": True}),
        scaled(YARN),
        *(scaled(YARN, name) for name in ("factor", "original_max_position_embeddings")),
        scaled(YARN, "factor") | LESS,
        scaled(YARN, "original_max_position_embeddings") | LESS,
        *(scaled(YARN, factor=factor) for factor in (0.5, 1, 2.0, 8.0)),
        *(scaled(YARN, attention_factor=factor) for factor in (0.5, 1.2, 2.0, 2.5, 4.0)),
        *(scaled(YARN, beta_fast=fast, beta_slow=slow) for fast, slow in ((32, 1), (1, 1), (1, 32), (0, 1))),
        *(scaled(YARN, mscale=one, mscale_all_dim=other) for one, other in ((0, 0), (1.0, 0.5), (0.7, None))),
        *(scaled(YARN, truncate=flag) for flag in (True, False)),
        *(scaled(YARN, attention_factor=4.0, original_max_position_embeddings=length) for length in (1, 2)),
        scaled(YARN, attn_factor=2.0, high_freq_factor=3.0, bata_fast=3, strange=1, nothing=None),
        scaled(YARN) | {"original_max_position_embeddings": 32},
        scaled(YARN) | {"max_position_embeddings": 8},
        scaled(LLAMA3),
        *(scaled(LLAMA3, name) for name in LLAMA3 if name != "rope_type"),
        *(scaled(LLAMA3, low_freq_factor=low) for low in (4.0, 5.0)),
        scaled(LLAMA3) | {"rope_theta": None},
        scaled(LLAMA3, rope_theta=500.0) | {"rope_theta": None},
        scaled(LLAMA3, rope_theta=500.0),
        scaled(LONG, original_max_position_embeddings=16),
        scaled(LONG, original_max_position_embeddings=16, factor=2.0, attention_factor=1.5),
        scaled(LONG, "long_factor", original_max_position_embeddings=16),
        scaled(LONG, original_max_position_embeddings=16, short_factor=[1.0] * 3),
        scaled(LONG),
        scaled(LONG) | LESS,
        scaled({**LONG, "rope_type": "su"}, original_max_position_embeddings=16),
    ],
    "phi3": [scaled({**LONG, "rope_type": "su"}) | {"original_max_position_embeddings": 16}, scaled(YARN)],
    "phimoe": [scaled(LONG, short_mscale=1.2, long_mscale=1.3) | {"original_max_position_embeddings": 16}],
    "qwen2": [
        *({"num_attention_heads": 3, **head} for head in ({}, {"head_dim": 8})),
        {"sliding_window": 8},
        *({"sliding_window": 8, "use_sliding_window": True, "max_window_layers": full} for full in (0, 2, 9, None)),
        {"sliding_window": 0, "use_sliding_window": True, "max_window_layers": 0},
    ],
    "qwen2_moe": [{"sliding_window": 8, "use_sliding_window": True, **most} for most in ({}, {"max_window_layers": 2})],
    "qwen": [{"use_logn_attn": True, "seq_length": length} for length in (1, 2, 16)],
    "qwen2_vl": [scaled({"type": "mrope", "mrope_section": [1, 1, 2]})],
    "qwen3_vl_text": [scaled({"rope_type": "default", "mrope_section": [1, 1, 1], "mrope_interleaved": True})],
    "ernie4_5_vl_moe_text": [{}, scaled({"rope_type": "default", "mrope_section": [1, 1, 2]}), scaled(YARN)],
    "cohere_compass_text": [{"head_dim": 8}],
    "gemma": [{"head_dim": 8, "partial_rotary_factor": 0.5}],
    "gemma2": [{"head_dim": 8, "sliding_window": 8, **every} for every in ({}, {"sliding_window_pattern": 3})],
    "gemma3_text": [
        {"head_dim": 8},
        *({"head_dim": 8, "sliding_window_pattern": every} for every in (1, 2, "LG")),
        *({"head_dim": 8, "sliding_window": 8, "use_bidirectional_attention": flag} for flag in (True, False)),
        {"head_dim": 8, "sliding_window": 8, "is_causal": False},
        {"head_dim": 8, "rope_local_base_freq": 500.0, **scaled({"rope_type": "linear", "factor": 2.0})},
        {"head_dim": 8, "rope_local_base_freq": 1000000.0, "sliding_window_pattern": 2},
        {"head_dim": 8, **scaled({"type": "linear", "factor": 2.0})},
        {"head_dim": 8, "rope_parameters": {"rope_type": "linear", "factor": 2.0}},
        {"head_dim": 8, "rope_scaling": {FULL: {"rope_theta": 7.0}, SLIDING: {"rope_theta": 5.0}}},
        {"head_dim": 8, "rope_parameters": {FULL: {"rope_theta": 7.0}, SLIDING: {**YARN, "truncate": False}}},
        {"head_dim": 8, "rope_parameters": {FULL: {"rope_theta": 7.0}}},
        {"head_dim": 8, "rope_parameters": {FULL: {"rope_theta": 7.0}, SLIDING: None}},
    ],
    "gemma4_text": [*({"head_dim": 8, "global_head_dim": 8, "sliding_window": 8, "use_bidirectional_attention": word}
                      for word in ("all", "vision")),
                    {"head_dim": 8, "global_head_dim": 16},
                    {"rope_scaling": None}, {"rope_parameters": {}}, {"rope_theta": None},
                    {"rope_parameters": {FULL: {"rope_theta": 7.0}, SLIDING: {"rope_type": "default"}}},
                    {"rope_parameters": {"rope_theta": 7.0}}],
    "modernbert": [
        scaled(YARN) | {"original_max_position_embeddings": 8},
        {"global_rope_theta": 500.0, "local_rope_theta": 50.0, "local_attention": 8},
        {"global_attn_every_n_layers": 2},
        {"rope_parameters": {FULL: {"rope_theta": 7.0}}},
        {"rope_parameters": {"rope_theta": 7.0}},
    ],
    "dots3_note_text": [{"rope_parameters": own, **more} for own, more in (
        ({"rope_theta": 7.0}, {}), ({"indexed_attention": {"rope_theta": 7.0}, SLIDING: YARN}, {"rope_theta": 5.0}))],
    "modernbert-decoder": [{}, {"local_attention": 9}, {"local_attention": 9, "sliding_window": 3}],
    "afmoe": [{"sliding_window": 8, "global_attn_every_n_layers": 2}],
    "beam": [{"layer_types": [FULL] * 4, "rope_parameters": {SLIDING: {"rope_theta": 500.0}}}],
    "lara_mini": [{}],
    "dory": [{"layer_types": [SLIDING, "mlp", FULL, "mlp"]}],
    "inkling_text": [{}, {"sliding_window_size": 8, "local_layer_ids": [1, 3]}],
    "longformer": [{"attention_window": lengths} for lengths in (8, [8, 8, 8, 8], [8, 16, 8, 16])],
    "led": [{"attention_window": [8] * 4, "decoder_layers": 2}],
    "longt5": [{"d_model": 32, "d_kv": 8, "local_radius": 7}],
    "gpt_neo": [{}, *({"attention_types": [[["global", "local"], 2]], "window_size": 8, **more}
                      for more in ({}, {"num_hidden_layers": 2})), {"attention_types": "local"}],
    "openai_privacy_filter": [{"head_dim": 8, "sliding_window": 8}],
    "unlimited_ocr_text": [{}],
    "blt_local_encoder": [{}, {"sliding_window": 8}],
    "ultrabert": [{"sliding_window": 8}, {"rope_theta": [5.0, 5.0, 7.0, 5.0]}, {"attention_windows": [8, None, 8, 0]}],
    "embedding_gemma2_text": [{"head_dim": 8, "sliding_window": 8}],
    "t5_gemma_module": [{"head_dim": 8, "sliding_window": 8, "is_decoder": flag} for flag in (True, False)],
    "t5gemma2_text": [{"head_dim": 8, "sliding_window": 9}],
    "neomme": [{"sliding_window": 8}, {"rope_theta": None, "rope_scaling": None},
               {"sliding_window": 8, "per_layer_config": {"1": {"sliding_window": 4}}}],
    "mimo_v2_flash": [{"head_dim": 8, "sliding_window_size": 8, **more} for more in ({}, {"sliding_window": 8})],
    "exaone4": [{"sliding_window": 8, "sliding_window_pattern": "LG"}, {"sliding_window": None}],
    "cohere2": [{"sliding_window": 8, "sliding_window_pattern": 2}],
    "cohere2_moe": [scaled(YARN)],
    "smollm3": [{}, {"no_rope_layer_interval": 2}, {"sliding_window": 8, "use_sliding_window": True}],
    "llama4_text": [
        *({"attention_chunk_size": 8, "is_causal": causal} for causal in (True, False)),
        *({"attn_temperature_tuning": flag} for flag in (True, False, 4, 1)),
        {"attn_scale": 0.2, "floor_scale": 8},
    ],
    "ministral": [scaled(YARN)],
    "deepseek_ocr2_text": [{"head_dim": 16}],
    "ministral3": [
        {"rope_parameters": {}},
        {"rope_parameters": {**YARN, "rope_theta": 9.0, "llama_4_scaling_beta": 0.1}},
    ],
    "muse_glimmer_text": [{"no_rope_layer_interval": 3}],
    "mixtral": [scaled(YARN), scaled(YARN) | {"head_dim": 8}, scaled({"rope_type": "linear", "factor": 2.0})],
    "minimax": [{"attn_type_list": [0, 1, 1, 0], **more} for more in ({}, {"sliding_window": 8})],
    "deepseek_v2": [LATENT, {**LATENT, "qk_rope_head_dim": 0}, LATENT | scaled(YARN, mscale=1.0, mscale_all_dim=0.5)],
    "deepseek_v3": [LATENT | scaled(YARN, mscale_all_dim=1.0), LATENT | {"qk_rope_head_dim": 3}],
    "deepseek_v4": [{**LATENT, "compress_ratios": [0, 4, 0, 4]}, LATENT | scaled(YARN)],
    "glm4_moe_lite": [{"head_dim": 128}],
    **{name: [LATENT | scaled(YARN, mscale=1.0, mscale_all_dim=1.0) | {"num_hidden_layers": 6}] for name in (
        "minicpm3", "hy_v4", "bailing_hybrid", "axk2", "glm_moe_dsa", "mistral_large4_text")},
    "hy_v4_vl_text": [{**LATENT, "qk_rope_head_dim": 64}, LATENT | scaled(YARN, mscale=1.0, mscale_all_dim=1.0)],
    "kimi_linear": [{**LATENT, "linear_attn_config": {"full_attn_layers": [1, 4]}}, {**LATENT, "mla_use_nope": True}],
    "bamba": [{"attn_layer_indices": [1, 3]}],
    "lfm2": [{"full_attn_idxs": [0]}],
    "mllama_text_model": [{"cross_attention_layers": [1]}],
    "nemotron-nas": [{"block_configs": [{"attention": {"no_op": True}}, {"attention": {}}, {}, 3]}],
    "recurrent_gemma": [{"block_types": ["recurrent", "attention"], "attention_window_size": 8}, {"block_types": []}],
    "step3p5": [{"layer_rope_theta": [10.0, 0, 10.0, 10.0]}, {"partial_rotary_factor": 0.5}],
    "chatglm": [{"rope_ratio": 50}, {"position_encoding_2d": True}, {"position_encoding_2d": False}],
    "gte": [scaled({"type": "ntk", "factor": 2.0}), scaled({"type": "ntk", "factor": 0.5})],
    "gptj": [{"rotary_dim": columns} for columns in (4, 7, 8, 10)],
    "gpt_neox": [{"rotary_pct": 0.5, "rotary_emb_base": 500}, {"partial_rotary_factor": 0.5}],
    "persimmon": [{"partial_rotary_factor": 0.3}],
    "falcon": [{}, *({"alibi": flag} for flag in (True, False))],
    "RefinedWeb": [{}, {"alibi": True}],
    "wav2vec2-bert": [{"position_embeddings_type": word} for word in ("rotary", "relative_key", "none")],
    "seamless_m4t": [{"position_embeddings_type": "rotary", "speech_encoder_attention_heads": 8}],
    "nomic_bert": [{"rotary_scaling_factor": 2.0, "max_trained_positions": 16}, {"rotary_emb_base": 50}],
    "dbrx": [{"attn_config": {"rope_theta": theta}, "rope_theta": None} for theta in (10000, 500.0)],
    "mpt": [
        {"attn_config": {"rope": True, "rope_theta": 500.0}},
        {"attn_config": {"alibi": True, "alibi_bias_max": 4}},
        {"attn_config": {"alibi": False}},
        {"attn_config": {"rope": True, "rope_impl": "hf", "rope_hf_config": {"type": "linear", "factor": 2.0}}},
        {"attn_config": {"rope": True, "rope_impl": "dail", "rope_dail_config": {"type": "xpos"}}},
        {"attn_config": {"rope": True, "rope_impl": "hf", "rope_dail_config": {"type": "original"},
                         "rope_hf_config": {"type": "no_scaling"}}},
    ],
    "baichuan": [{"rope_theta": None}, {"rope_theta": None, "hidden_size": 5120, "num_attention_heads": 40}],
    "btlm": [
        {"alibi_scaling": inside}
        for inside in ({"factor": 2.0}, {"factor": 0.5}, {"train_seq_len": 16}, {"factor": 0})
    ],
    "bloom": [{}],
    "jais": [{"position_embedding_type": "alibi"}],
    "bert": [
        {}, {"position_embedding_type": "alibi", "alibi": True},
        *({"position_embedding_type": word} for word in ("alibi", "relative_key", "rotary", "sinusoidal")),
    ],
    "esm": [{"position_embedding_type": word, "pad_token_id": 1} for word in ("rotary", "absolute", "relative_key")],
    "roberta": [{}, {"pad_token_id": 0}],
    "opt": [{}],
    "bart": [{"encoder_layers": 1, "decoder_layers": 2}],
    "prophetnet": [{}],
    "mpnet": [{"pad_token_id": 3}],
    "rembert": [{}],
    "blenderbot": [LESS],
    "whisper": [LESS, {**LESS, "max_target_positions": 16}],
    "qwen2_audio_encoder": [{**LESS, "max_source_positions": 48}],
    "fun_asr_nano_encoder": [{}],
    "canary_decoder": [{}],
    "patchtst": [{}],
    "videoprism_text_model": [{}],
    "timesfm": [{"use_positional_embedding": flag} for flag in (True, False)],
    "xglm": [{}],
    "musicgen_decoder": [{}],
    "m2m_100": [{"encoder_layers": 1, "decoder_layers": 2}, {"pad_token_id": 3}, {"max_position_embeddings": None}],
    "speech_to_text": [{"max_source_positions": 48, "max_target_positions": 16}],
    "seamless_m4t_v2": [{}],
    "pegasus_x": [{}],
    "kosmos_2_text_model": [{}, {"num_hidden_layers": None, "layers": 2}],
    "trocr": [*({"use_learned_position_embeddings": flag} for flag in (True, False)),
              {"num_hidden_layers": None, "decoder_layers": 2}],
    "pp_formulanet_text": [{"num_hidden_layers": None, f"{stack}_layers": 2} for stack in ("encoder", "decoder")],
    "albert": [{"embedding_size": 16}],
    "distilbert": [{"sinusoidal_pos_embds": flag, "dim": 32, "n_heads": 4} for flag in (True, False)],
    "deberta-v2": [{"relative_attention": True}],
    "roformer": [{"rotary_value": True}],
    "t5": [{"d_model": 32, "d_kv": 8, "relative_attention_num_buckets": 16}],
    "pix2struct_text_model": [{}],
    "molmo2_text": [{"rope_scaling_layers": [1], **scaled(YARN)}],
    "hunyuan_v1_dense": [scaled({"type": "dynamic", "alpha": 10.0, "factor": 1.0})],
    "hunyuan_vl": [scaled({"type": "xdrope", "alpha": 10.0, "factor": 1.0, "xdrope_section": [1, 1, 1, 1]})],
    "efficientloftr": [{"partial_rotary_factor": 4.0}, {"rope_parameters": {"partial_rotary_factor": 0.5}}],
    "brandnew": [
        {"transformers_version": "5"}, {"transformers_version": "5", "alibi": True}, {},
        {"model_config": {}},
        scaled({"rope_type": "dynamic", "factor": 2.0}) | LESS,
        *(scaled(YARN, name) | LESS for name in ("factor", "original_max_position_embeddings")),
        LESS | {"transformers_version": "5", "position_embedding_type": "relative_key"},
    ],
    "zamba2": [{"use_mem_rope": flag} for flag in (True, False)],
    "llava": [{"text_config": {"model_type": "llama", **ROPE}}, {"text_config": {}},
              {"vision_config": {"model_type": "llama", "no_rope_layers": [1]}}],
}  # fmt: skip
TOWERS: dict[str, list[Config]] = {  # a type, and what its config has besides IMAGE
    "vit": [{}, {"image_size": [12, 20]}, {"image_size": None}, {"image_size": 13}, {"patch_size": 13}],
    "vit_mae": [{}, {"image_size": None}],
    "clip_vision_model": [{}],
    "siglip2_vision_model": [{"num_patches": 9}, {"num_patches": 10}],
    "dinov2": [{}],
    "dinov3_vit": [{}],
    "beit": [{name: flag} for name in ("use_relative_position_bias", "use_absolute_position_embeddings")
             for flag in (True, False)],
    "sam_vision_model": [{}],
    "hiera": [{}],
    "detr": [{"d_model": 32, "position_embedding_type": word} for word in ("sine", "learned")],
    "pixtral": [{"rope_theta": 10000.0}],
    "llama4_vision_model": [{"rope_theta": 10000.0}],
    "kimi_k25_vision": [{"pos_emb_time": 4}],
    "qwen2_vl_vision": [{}],
    "gemma4_vision": [{}],
    "vivit": [{"num_frames": 4, "tubelet_size": [2, 4, 4]}],
    "audio-spectrogram-transformer": [{"num_mel_bins": 16, "max_length": 24, "frequency_stride": 4, "time_stride": 4}],
}  # fmt: skip
LITGPT = {"n_layer": 2, "n_head": 4, "n_embd": 32, "block_size": 64, "norm_class_name": "RMSNorm"}
GGUF = {f"NAME.{key}": size for key, size in (("context_length", 64), ("embedding_length", 32), ("block_count", 2),
                                              ("attention.head_count", 4))}  # fmt: skip
TENSORRT = {"architecture": "LlamaForCausalLM", "dtype": "float16", "position_embedding_type": "rope_gpt_neox", **SIZES}
MEGATRON = {"num_layers": 2, "hidden_size": 32, "num_attention_heads": 4, "max_position_embeddings": 64,
            "position_embedding_type": "rope", "rotary_base": 10000, "num_query_groups": 4}  # fmt: skip
MLC = {"quantization": "q4f16_1", "context_window_size": 64}
OTHERS: dict[str, tuple[Config, list[Config]]] = {  # files of other programs: what they have, and what besides
    "litgpt": (LITGPT, [
        {},
        *({"rope_condense_ratio": ratio} for ratio in (1, 2)),
        *({"rope_adjustments": {"factor": 4.0}, "rope_condense_ratio": ratio} for ratio in (1, 2)),
        *({"rope_adjustments": {"factor": 4.0, "low_freq_factor": 1.0, "high_freq_factor": 4.0,
                                "original_max_seq_len": 16}, "rope_condense_ratio": ratio} for ratio in (1, 2)),
        *({"rope_adjustments": {"factor": 4.0, "beta_fast": 32, "beta_slow": 1, "original_max_seq_len": 16, **scales}}
          for scales in ({}, {"mscale": 1.0}, {"mscale_all_dim": 0.5}, {"mscale": 1.0, "mscale_all_dim": 0.5})),
        *({"rope_local_base_freq": 50, "rope_indices": [1, 0], "sliding_window_size": 8, "rope_condense_ratio": ratio}
          for ratio in (1, 2)),
        *({"rope_indices": [1, 0], "sliding_window_indices": own, "sliding_window_size": 8}
          for own in ([1, 0], [0, 1])),
    ]),
    "llama": ({"general.architecture": "llama", **GGUF}, [
        {},
        {"NAME.attention.head_count": [0, 4]},
        {"NAME.attention.sliding_window_pattern": [True, False], "NAME.attention.sliding_window": 8},
        *({"NAME.rope.scaling.type": rule, "NAME.rope.scaling.factor": factor, "NAME.rope.scaling.attn_factor": by}
          for rule in ("none", "linear", "yarn", "strange") for factor, by in ((1.0, 1.0), (4.0, 2.0))),
        {"NAME.rope.scaling.factor": 4.0},
        *({"rope_freqs.weight": [2.0] * 4, "NAME.rope.scaling.type": rule, "NAME.rope.scaling.factor": factor}
          for rule in ("none", "linear", "yarn") for factor in (1.0, 4.0)),
        {"rope_factors_long.weight": [2.0] * 4},
        *({"NAME.rope.dimension_sections": sections} for sections in ([1, 1, 2, 0], [1, 1, 1, 1])),
    ]),
    "mpt": ({"general.architecture": "mpt", **GGUF}, [
        {}, {"position_embd.weight": [32, 64]}, *({"NAME.attention.max_alibi_bias": bias} for bias in (0.0, 4.0)),
    ]),
    **{name: ({"general.architecture": name, **GGUF}, [
        {"NAME.attention.sliding_window": 8},
        *({"NAME.attention.sliding_window_pattern": [True, False], **more}
          for more in ({}, {"NAME.attention.sliding_window": 8})),
    ]) for name in ("gemma-embedding", "modern-bert")},
    **{name: ({"general.architecture": name, **GGUF, "NAME.rope.scaling.type": "yarn", "NAME.rope.scaling.factor": 4.0,
               "NAME.rope.scaling.original_context_length": 16}, [
        {}, *({"NAME.rope.scaling.yarn_log_multiplier": 0.1, **more}
              for more in ({}, {"NAME.rope.scaling.attn_factor": 2.0})),
    ]) for name in ("deepseek2", "mistral3")},
    "flux": ({"_class_name": "FluxTransformer2DModel", "num_layers": 1, "num_single_layers": 1}, [
        {"axes_dims_rope": widths} for widths in ([4, 4, 8], [3, 5], [16])
    ]),
    "mistral": ({"dim": 32, "n_heads": 4, "n_layers": 2, "hidden_dim": 64}, [
        {}, *({"vision_encoder": {"hidden_size": size, "num_attention_heads": 4}} for size in (0, 32)),
    ]),
    "open_clip": ({"embed_dim": 32, "text_cfg": {"width": 32, "heads": 4, "layers": 2}}, [
        {"vision_cfg": {"image_size": 64, "width": 8, **more}}
        for more in ({"layers": [2, 2]}, {"layers": 2}, {"timm_model_name": "vit_base_patch16_224"})
    ]),
    "tensorrt": (TENSORRT, [
        {},
        *({"rotary_scaling": {"type": rule, "factor": 4.0}} for rule in ("linear", "dynamic", "yarn", "su", "none")),
        {"rotary_scaling": {"type": "dynamic", "alpha": 4.0}},
        {"rotary_scaling": {"type": "yarn", "rope_type": "linear", "factor": 4.0, "attention_factor": 2.0}},
    ]),
    "megatron": (MEGATRON, [
        {},
        *({"rotary_seq_len_interpolation_factor": factor} for factor in (1, 2)),
        {"rotary_seq_len_interpolation_factor": 2, "use_rope_scaling": True},
        {"multi_latent_attention": True},
        {"position_embedding_type": "strange"},
    ]),
    "mlc": (MLC, [
        {"model_type": kind, "model_config": {**SIZES, "position_embedding_base": 500, **more}}
        for kind in ("llama", "phi3", "strange") for more in ({}, scaled(LLAMA3), scaled(YARN))
    ]),
}  # fmt: skip
LENGTHS = [  # a type, what its config has, and a current sequence length
    *(("llama", {}, length) for length in (64, 65)),
    *(("llama", scaled({"rope_type": "dynamic", "factor": 2.0}), length) for length in (64, 128)),
    *(("llama", scaled(YARN), length) for length in (64, 65)),
    *(("btlm", {"alibi_scaling": {"train_seq_len": 16}}, length) for length in (8, 32)),
    *(("phi3", scaled(LONG) | {"original_max_position_embeddings": 16}, length) for length in (16, 17)),
]

CROSSED = (  # types of which each has each of these keys
    *("llama", "qwen2", "dbrx", "gemma3_text", "deepseek_v3", "phi3", "mixtral", "cohere2", "gpt_neox", "modernbert"),
    *("mpt", "falcon", "bert", "t5", "chatglm", "vit", "smollm3", "llama4_text"),
)
WITH: list[Config] = [
    *({"rope_theta": theta} for theta in (None, 500.0, -1, "1e4")),
    {"rope_parameters": {"rope_type": "default", "rope_theta": 7.0}},
    {"rope_parameters": {"rope_theta": 7.0}, "rope_scaling": None, "rope_theta": None},
    *({"rope_scaling": {"rope_type": rule, "factor": 2.0}} for rule in ("linear", "dynamic", "ntk", "default")),
    *(scaled(rule) for rule in (YARN, LLAMA3, LONG)),
    scaled(YARN) | {"original_max_position_embeddings": 8},
    {"rope_scaling": {"type": "mrope", "mrope_section": [1, 1, 2]}},
    *({"attn_config": {"rope_theta": 5.0}, "rope_theta": theta} for theta in (None, 10000.0)),
    *({"head_dim": size} for size in (6, 16)),
    *({"num_attention_heads": heads} for heads in (3, 64)),
    {"partial_rotary_factor": 0.5},
    {"sliding_window": 8},
    {"layer_types": [FULL, SLIDING] * 2},
    *({"position_embedding_type": word} for word in ("alibi", "rope", "absolute")),
    *({"alibi": flag} for flag in (True, False)),
    LESS,
    {"seq_length": 32, "pad_token_id": 2},
]


def strange() -> Iterator[tuple[str, Config]]:
    """Yield each type with each object that its configs above have, in which there is an unknown key."""
    for kind, every in KEYS.items():
        for more in {next(iter(own)): own for own in every if own}.values():
            objects = {key: {**value, "strange_key": 1} for key, value in more.items() if isinstance(value, dict)}
            if objects:
                yield kind, {**more, **objects}


def names() -> Iterator[Config]:
    """Yield a config with each name that a key may have."""
    usual = {THETA: 500.0, FRACTION: 0.5, WIDTH: 64, HEADS: 8, HEAD: 16, POSITIONS: 32, LAYERS: 2, INTERVALS: 2}
    for (first, *others), value in usual.items():
        yield from ({first: None, name: value} for name in (first, *others))


def words() -> Iterator[Config]:
    """Yield a config with each word that a value may be, and with each word that the name of a key may contain."""
    yield from ({name: word} for name in TYPE for word in ("rope", "none"))
    yield from ({TYPE[0]: word} for word in (*TYPE_NAMES, *RELATIVE_KEYS))
    yield from ({name: flag} for name in KINDS_BY_FLAG for flag in (True, False))
    yield from ({"layer_types": [word, FULL] * 2} for word in (*LAYER_TYPE_NAMES, *LAYER_KINDS))
    yield from ({"layer_types": [kind] * 4, key: 8} for kind, keys in WINDOWS.items() for key in keys)
    yield from ({"hybrid_override_pattern": letter * 4} for letter in PATTERN)
    yield from (scaled({"rope_type": word, "factor": 2.0}) for word in OTHER_NAMES)
    yield from ({name: {"model_type": "llama", **ROPE, "rope_theta": 7.0}} for name in (*INNER, *ENCODERS))
    yield from ({name: 2} for name in (*READ_BY, *NO_EFFECT, *MADE_FROM))
    yield from ({f"a_{word}_x": 2} for word in (*WORDS, *WORDS_INSIDE))
    yield from ({f"{start}{word}_x": 2} for start in BEGINNINGS for word in WORDS_INSIDE)
    yield from ({name: {"my_rope": 2}} for name in LEFT_OUT)


def crossed() -> Iterator[tuple[str, str]]:
    """Yield for each type with each key a digest of what is found, and the errors and warnings by code and key."""
    bare: Config = {"transformers_version": "5", "num_attention_heads": 4}
    every = (
        *((kind, ROPE, more) for kind in CROSSED for more in WITH),
        *(("llama", ROPE, more) for more in (*names(), *words())),
        *(("brandnew", bare, more) for more in names()),
        *((kind, ROPE, {}) for kind in types_with_remarks()),
    )
    for kind, start, more in every:
        lines = found({"model_type": kind, **start, **more}, None)
        told = [" ".join(line.split()[1:3]) for line in lines if line.startswith(("  error ", "  warning "))]
        yield f"{kind} {json.dumps(more)}", f"  {sha256(repr(lines).encode()).hexdigest()[:8]} {', '.join(told)}"


def types_with_remarks() -> list[str]:
    """Return a type for each remark."""
    return [*{remark: kind for kind in sorted(model_types()) if (remark := remark_on(kind))}.values()]


def cases() -> Iterator[tuple[str, Config, int | None]]:
    """Yield a name, a config, and the current sequence length of each case."""
    for path in sorted((DATA / "configs").glob("*.json")):
        yield f"configs/{path.name}", json.loads(path.read_text(encoding="utf-8")), None
    for name, case in json.loads(DIALECTS.read_text(encoding="utf-8")).items():
        if isinstance(case["content"], dict):
            yield f"dialects/{name}".replace(" ", "_"), case["content"], None
    for kind, more in strange():
        yield f"{kind} {json.dumps(more)}", {"model_type": kind, **ROPE, **more}, None
    for start, table in ((ROPE, KEYS), (IMAGE, TOWERS)):
        for kind, every in table.items():
            for more in every:
                yield f"{kind} {json.dumps(more)}", {"model_type": kind, **start, **more}, None
    for program, (start, every) in OTHERS.items():
        for more in every:
            whole = {key.replace("NAME", program): value for key, value in {**start, **more}.items()}
            yield f"{program}, {json.dumps(more)}", whole, None
    for kind, more, length in LENGTHS:
        yield f"{kind} {json.dumps(more)} at {length}", {"model_type": kind, **ROPE, **more}, length


def layer_line(kind: str, layer: Layer) -> str:
    facts = {field.name: getattr(layer, field.name) for field in fields(Layer)}
    told = (f"{field.name}={facts[field.name]}" for field in fields(Layer) if facts[field.name] != field.default)
    return f"  {kind}: {' '.join(told)}".replace(", ahead=0, each=()", "").replace(", each=()", "")  # the defaults


def lines_of(model: Model, part: str = "") -> Iterator[str]:
    for kind, layer in model.layers.items():
        yield layer_line(part + kind, layer)
    for each in model.findings:
        said = {name: value for name, value in finding(each.text).items() if name not in ("key", "text")}
        yield f"  {each.level} {each.code} {each.key} {json.dumps(each.value)} {json.dumps(said, default=str)}"
    for name, tower in model.towers.items():
        yield from lines_of(tower, f"{part}{name}.")


def found(config: Config, length: int | None, short: bool = False) -> list[str]:
    """Return a line for each layer and finding, or one with the error; of a short record the findings alone."""
    try:
        lines = list(lines_of(model_of("config.json", config, length)))
    except PecliError as error:
        return [f"  refused: {error}"]
    lines = [re.sub(r"\d+\.\d{9,}", lambda number: f"{float(number[0]):.9g}", line) for line in lines]
    return [line for line in lines if not short or line.startswith(("  error ", "  warning ", "  note "))]


def record() -> dict[str, list[str]]:
    made = {name: found(config, length, "/" in name.split()[0]) for name, config, length in cases()}
    return made | {f"crossed {name}": [line] for name, line in crossed()}


def stored() -> dict[str, list[str]]:
    parts = re.split(r"\n(?! )", STORED.read_text(encoding="utf-8").rstrip("\n"))
    return {name: lines for name, *lines in map(str.splitlines, parts)}


def test_layers_and_findings_are_those_that_are_stored() -> None:
    before, now = stored(), record()
    assert before.keys() == now.keys()
    for name in before:
        assert now[name] == before[name], name


if __name__ == "__main__":
    STORED.write_text("".join("\n".join([name, *lines]) + "\n" for name, lines in record().items()), encoding="utf-8")
    sys.stdout.write(f"{STORED.stat().st_size:,} bytes\n")
