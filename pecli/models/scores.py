"""Factors of attention scores besides the cosines and sines of RoPE."""

from __future__ import annotations

from dataclasses import dataclass
from math import floor, log
from typing import Any

from pecli.models.layers import Reading, max_position
from pecli.models.rope import ORIGINAL, original_length, scaling_object


@dataclass(frozen=True)
class Temperature:
    """Llama 4's temperature: queries at position p are multiplied by 1 + scale · ln(1 + ⌊(p + offset)/length⌋)."""

    scale: float
    length: int
    offset: int

    def at(self, position: int) -> float:
        """Return the factor of a query at that position."""
        return 1 + self.scale * log(1 + floor((position + self.offset) / self.length))


def temperature_of(reading: Reading, turns: bool) -> Temperature | None:
    """Return the temperature of layers with RoPE (`turns`) or without; None if there is none.

    The architecture's `temperature` is a rule: the layers with a temperature ("all" or "nope"), the key that turns it
    on, and defaults.
    """
    rule = reading.architecture.temperature
    if rule:
        reading.keys.read.update(
            f"{reading.keys.place}{name}" for name in ("attn_scale", "floor_scale", rule.get("key"))
        )
    if not rule or (rule.get("layers") == "nope" and turns):
        return None
    if "key" in rule and not _is_enabled(reading, rule["key"], rule["default"]):
        return None
    keys, given = reading.keys, reading.given
    scale = keys.number("attn_scale") or given.number("llama_4_scaling_beta") or rule.get("scale")
    length = keys.length("floor_scale") or rule.get("length") or original_length(reading, given)
    return Temperature(scale, length, rule.get("offset", 0)) if scale and length else None


QWEN_TABLE = 32_767  # number of factors in the table of modeling_qwen.py


def logn_of(reading: Reading) -> tuple[int, int] | None:
    """Return the length beyond which Qwen-7B's code multiplies queries by a logarithm, and the number of such factors.

    From modeling_qwen.py of Qwen/Qwen-7B. The key still counts as unread, because the rates do not depend on it.
    """
    if reading.architecture.name != "qwen" or reading.keys.data.get("use_logn_attn") is not True:
        return None
    length = reading.keys.length("seq_length")
    return (length, QWEN_TABLE) if length and length > 1 else None


def _is_enabled(reading: Reading, key: str, default: bool) -> bool:
    """Return whether the flag `key` turns the temperature on; `default` without that key.

    Adds an error if the flag is a number, as in early Llama 4 files.
    """
    value = reading.keys.data.get(key)
    if type(value) is int and value not in (0, 1):
        reading.keys.read.add(f"{reading.keys.place}{key}")
        reading.error(key, "findings.tuning_is_number", value)
        return True
    asked = reading.keys.flag(key)
    return default if asked is None else asked


def softmax_factor(reading: Reading, kind: str) -> float:
    """Return (0.1 · mscale · ln factor + 1)², with which DeepSeek's code multiplies the scores before the softmax.

    mscale is mscale_all_dim if the architecture's code uses it, or softmax_mscale of a translated file.
    """
    given = scaling_object(reading, kind)
    weight = given.number("softmax_mscale") if reading.keys.names else None
    if weight is None and reading.architecture.softmax:
        weight = given.number("mscale_all_dim")
    factor = given.number("factor")
    scaled = given.text("rope_type", "type") not in (None, "default")
    return (0.1 * weight * log(max(factor, 1.0)) + 1) ** 2 if scaled and weight and factor else 1.0


@dataclass(frozen=True)
class DualChunks:
    """Dual chunk attention, which limits the distances that a RoPE encoding sees.

    Keys are numbered within their chunk. For keys in the chunk before the query's own, the query's number is increased
    by the length of a chunk, but to at most `largest`; for keys in earlier chunks, it is `largest`.

    length : length of a chunk
    largest : largest number of a query
    original : length beyond which scores are multiplied by 0.1 · ln(current sequence length / original) + 1
    """

    length: int
    largest: int
    original: int | None

    def data(self) -> dict[str, Any]:
        """Return the fields as plain data."""
        return {
            "chunk_length": self.length,
            "largest_distance_seen": self.largest,
            "original": self.original,
            "key_position": "position mod chunk_length",
            "query_same_chunk": "position mod chunk_length",
            "query_next_chunk": f"(position mod chunk_length) + chunk_length, at most {self.largest}",
            "query_further": self.largest,
        }


def dual_chunks(reading: Reading) -> DualChunks | None:
    """Return the chunks of vLLM and SGLang for Qwen2.5-1M's dual_chunk_attention_config.

    Return None without that key, or if its sizes are missing or contradict each other.
    """
    inside = reading.keys.table("dual_chunk_attention_config")
    if inside is None:
        return None
    size, local = inside.length("chunk_size"), inside.length("local_size")
    if size is None or local is None or local >= size:
        reading.note("dual_chunk_attention_config", "findings.unused_key")
        return None
    original = inside.length(ORIGINAL) or max_position(reading)
    return DualChunks(size - local, size, original)
