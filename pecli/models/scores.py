"""What multiplies the scores of attention beside the cosines and sines of a rope."""

from __future__ import annotations

from dataclasses import dataclass
from math import floor, log
from typing import Any

from pecli.models.layers import Reading, max_position
from pecli.models.rope import ORIGINAL, original_length, scaling_object


@dataclass(frozen=True)
class Temperature:
    """Queries at position p are multiplied by 1 + scale · ln(1 + ⌊(p + offset)/length⌋), Llama 4's temperature."""

    scale: float
    length: int
    offset: int = 0

    def at(self, position: int) -> float:
        """Return what a query at that position is multiplied by."""
        return 1 + self.scale * log(1 + floor((position + self.offset) / self.length))


def temperature_of(reading: Reading, turns: bool) -> Temperature | None:
    """Return the temperature of layers that have rope, or have none (`turns`); None where their code has none.

    An architecture says which layers have it ("all", "nope"), the key that turns it on, and what is taken of the
    numbers that the file does not give.
    """
    rule = reading.architecture.temperature
    if rule:
        reading.keys.read.update(
            f"{reading.keys.place}{name}" for name in ("attn_scale", "floor_scale", rule.get("key"))
        )
    if not rule or (rule.get("layers") == "nope" and turns):
        return None
    if "key" in rule and not _asked(reading, rule["key"], rule["default"]):
        return None
    keys, given = reading.keys, reading.given
    scale = keys.number("attn_scale") or given.number("llama_4_scaling_beta") or rule.get("scale")
    length = keys.length("floor_scale") or rule.get("length") or original_length(reading, given)
    return Temperature(scale, length, rule.get("offset", 0)) if scale and length else None


QWEN_TABLE = 32_767  # factors in the table of modeling_qwen.py


def logn_of(reading: Reading) -> tuple[int, int] | None:
    """Return from which length on Qwen-7B's code multiplies queries by a logarithm, and how many factors it has.

    modeling_qwen.py of Qwen/Qwen-7B; the key counts as one that is not read, as the rates do not depend on it.
    """
    if reading.architecture.name != "qwen" or reading.keys.data.get("use_logn_attn") is not True:
        return None
    length = reading.keys.length("seq_length")
    return (length, QWEN_TABLE) if length and length > 1 else None


def _asked(reading: Reading, key: str, default: bool) -> bool:
    """Return whether the file asks for a temperature; early files of Llama 4 have a number there."""
    value = reading.keys.data.get(key)
    if type(value) is int and value not in (0, 1):
        reading.keys.read.add(f"{reading.keys.place}{key}")
        reading.error(key, "findings.tuning_is_number", value)
        return True
    asked = reading.keys.flag(key)
    return default if asked is None else asked


def softmax_factor(reading: Reading, kind: str) -> float:
    """Return (0.1 · mscale · ln factor + 1)^2, by which DeepSeek's code multiplies what the softmax takes.

    The weight is mscale_all_dim where the architecture's code says so, or what a dialect calls softmax_mscale.
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
    """Distances within chunks: keys are turned by their position in a chunk, queries by that or by a whole chunk more.

    length : of a chunk; a query that is two or more chunks away is turned by the position `largest`
    original : positions beyond which scores grow by 0.1 · ln(length in use / original) + 1
    """

    length: int
    largest: int
    original: int | None

    def data(self) -> dict[str, Any]:
        """Return the same as plain values."""
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
    """Return the chunks that vLLM and SGLang make of Qwen2.5-1M's dual_chunk_attention_config."""
    inside = reading.keys.table("dual_chunk_attention_config")
    if inside is None:
        return None
    size, local = inside.length("chunk_size"), inside.length("local_size")
    if size is None or local is None or local >= size:
        reading.note("dual_chunk_attention_config", "findings.unused_key")
        return None
    original = inside.length(ORIGINAL) or max_position(reading)
    return DualChunks(size - local, size, original)
