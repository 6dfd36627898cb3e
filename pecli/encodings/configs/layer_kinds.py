"""Which kind every layer is: full, sliding, chunked, linear, …"""

from __future__ import annotations

from typing import Any

from pecli.core.errors import UsageError
from pecli.encodings.configs.architecture import Architecture
from pecli.encodings.configs.keys import Keys

FULL, SLIDING, LINEAR, NO_ATTENTION = "full_attention", "sliding_attention", "linear_attention", "no_attention"
WORDS = {  # what transformers 5 calls the kinds of older configs
    "attention": FULL,
    "full": FULL,
    "global": FULL,
    "mamba": LINEAR,
    "mamba2": LINEAR,
    "recurrent": LINEAR,
    "linear": LINEAR,
    "deepseek_sparse_attention": "indexed_attention",
}
MOST = 4096  # layers
PATTERN = {"M": LINEAR, "*": FULL, "-": "mlp", "E": "moe"}  # Nemotron-H
LAYERS = ("num_hidden_layers", "n_layer", "n_layers", "num_layers", "encoder_layers", "num_transformer_layers")


def layer_kinds(keys: Keys, architecture: Architecture) -> list[str]:
    """The kind of each layer, in order; empty where the file does not say how many there are."""
    count = keys.whole(*LAYERS)
    count = architecture.sizes.get("layers", 0) if count is None else count
    if count > MOST:
        raise UsageError(f"{keys.first(*LAYERS)} is {count}, and {MOST} layers are the most")
    kinds = _listed(keys, count)
    if kinds is None:
        kinds = _ruled(keys, architecture, count)
    return _without_rope(keys, architecture, kinds)


def _listed(keys: Keys, count: int) -> list[str] | None:
    """As the file lists them, in one of the ways that there are."""
    words = keys.words("layer_types", "layers_block_type")
    if words is not None:
        return [WORDS.get(word, word) for word in words]
    if "block_types" in keys:  # Recurrent Gemma: a pattern that repeats
        words = keys.words("block_types") or [FULL]
        kinds = {"recurrent": LINEAR, "attention": SLIDING}
        return [kinds.get(words[layer % len(words)], words[layer % len(words)]) for layer in range(count)]
    if isinstance(keys.data.get("block_configs"), list):  # Nemotron NAS
        return [NO_ATTENTION if _skipped(one) else FULL for one in keys.data["block_configs"]]
    if "hybrid_override_pattern" in keys:
        letters = keys.text("hybrid_override_pattern") or ""
        return [PATTERN.get(letter, FULL) for letter in letters[:MOST]]
    for name, on, off in (("attn_type_list", FULL, LINEAR), ("hybrid_layer_pattern", SLIDING, FULL)):
        flags = keys.flags(name)
        if flags is not None:
            return [on if flag else off for flag in flags]
    return _numbered(keys, count)


def _skipped(block: Any) -> bool:
    """Whether a block of Nemotron NAS has its attention left out or replaced."""
    attention = block.get("attention") if isinstance(block, dict) else None
    return isinstance(attention, dict) and bool(attention.get("no_op") or attention.get("replace_with_linear"))


def _numbered(keys: Keys, count: int) -> list[str] | None:
    """As the file gives the numbers of the layers with attention."""
    linear = keys.table("linear_attn_config")  # Kimi Linear counts from 1
    first, inside = (1, linear) if linear is not None and "full_attn_layers" in linear else (0, keys)
    chosen = inside.numbers("full_attn_layers", "attn_layer_indices", "full_attn_idxs", "attn_layer_idxs")
    if chosen is not None:
        other = "conv" if "full_attn_idxs" in inside else LINEAR
        return [FULL if layer + first in chosen else other for layer in range(count)]
    if "attn_layer_period" in keys:
        period, offset = keys.whole("attn_layer_period") or 1, keys.whole("attn_layer_offset") or 0
        return [FULL if layer % period == offset else LINEAR for layer in range(count)]
    return None


def _ruled(keys: Keys, architecture: Architecture, count: int) -> list[str]:
    """As the file's pattern or the architecture's own rule has it."""
    every = architecture.every
    if every is None:
        return [FULL] * count
    if "sliding_window_pattern" in keys and isinstance(keys.data["sliding_window_pattern"], str):  # EXAONE 4: LLLG
        letters = keys.text("sliding_window_pattern") or "G"
        kinds = [FULL if letters[layer % len(letters)] == "G" else SLIDING for layer in range(count)]
        return [*kinds[:-1], *([FULL] if kinds else [])]
    if architecture.sliding == SLIDING and "sliding_window" in keys.data and keys.data["sliding_window"] is None:
        return [FULL] * count
    names = ("sliding_window_pattern", "full_attention_interval", "global_attn_every_n_layers")
    every = keys.whole(*names) or every
    place = 0 if architecture.first else every - 1
    return [FULL if layer % every == place else architecture.sliding for layer in range(count)]


def _without_rope(keys: Keys, architecture: Architecture, kinds: list[str]) -> list[str]:
    """The kinds with the layers told apart that have no rope; a 1 in no_rope_layers is one that has it."""
    interval = keys.whole("no_rope_layer_interval") or architecture.interval
    flags = keys.flags("no_rope_layers")
    if not flags and (interval is None or architecture.interval is None):
        return kinds
    flags = flags or [int((layer + 1) % (interval or 1) != 0) for layer in range(len(kinds))]
    if len(flags) != len(kinds):
        raise UsageError(f"no_rope_layers has {len(flags)} entries, and there are {len(kinds)} layers")
    return [architecture.with_rope if flag else architecture.without_rope for flag in flags]
