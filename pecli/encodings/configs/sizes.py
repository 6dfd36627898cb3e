"""Widths, heads and positions of a config, under the names that they have."""

from __future__ import annotations

from pecli.core.errors import UsageError
from pecli.encodings.configs.layer_kinds import FULL
from pecli.encodings.configs.reading import Reading

WIDTH = ("hidden_size", "n_embd", "d_model", "model_dim", "dim", "emb_dim")
HEADS = ("num_attention_heads", "n_head", "n_heads", "num_heads", "encoder_attention_heads", "attention_heads")
HEAD = ("head_dim", "kv_channels", "attention_head_dim", "d_kv")
POSITIONS = (
    "max_position_embeddings",
    "n_positions",
    "max_sequence_length",
    "seq_length",
    "max_seq_len",
    "n_ctx",
    "max_context_length",
)


def max_position(reading: Reading) -> int | None:
    """How many positions the file says that the model takes."""
    return reading.keys.length(*POSITIONS, "model_max_length")


def head_dim(reading: Reading, kind: str = FULL) -> int:
    """The columns of a query or key; raises UsageError where the file does not say enough."""
    keys, one = reading.keys, reading.architecture
    if kind == FULL and (one.full_head_dim or "global_head_dim" in keys):
        return keys.whole("global_head_dim") or one.full_head_dim or 0
    if latent(reading) and "qk_nope_head_dim" in keys:
        return (keys.whole("qk_nope_head_dim") or 0) + (keys.whole("qk_rope_head_dim") or 0)
    said = keys.whole(*HEAD)
    if said:
        return said
    if one.head_dim:
        reading.assumed("head_dim", one.head_dim)
        return one.head_dim
    width, heads = width_and_heads(reading)
    if width < heads:
        raise UsageError(f"a width of {width} and {heads} heads leave no columns for a head")
    return width // heads


def latent(reading: Reading) -> bool:
    """Whether attention is DeepSeek's latent one, whose rope has columns of its own; `use_mla` turns it off."""
    return "qk_rope_head_dim" in reading.keys and reading.keys.flag("use_mla") is not False


def width_and_heads(reading: Reading) -> tuple[int, int]:
    """hidden_size and num_attention_heads."""
    return _size(reading, WIDTH, "hidden"), _size(reading, HEADS, "heads")


def heads(reading: Reading) -> int:
    """num_attention_heads."""
    return _size(reading, HEADS, "heads")


def width(reading: Reading) -> int:
    """hidden_size."""
    return _size(reading, WIDTH, "hidden")


def _size(reading: Reading, names: tuple[str, ...], size: str) -> int:
    said = reading.keys.whole(*names)
    if said is None and size in reading.architecture.sizes:
        said = reading.architecture.sizes[size]
        reading.assumed(names[0], said)
    if said is None:
        raise UsageError(f"the file does not say {names[0]}")
    if said < 1:
        raise UsageError(f"{reading.keys.first(*names)} is {said}, and it takes 1 or more")
    return said
