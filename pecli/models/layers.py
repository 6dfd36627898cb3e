"""A config as it is read, its kinds of layers, its widths and heads."""

from __future__ import annotations

import difflib
from collections.abc import Iterable
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

from pecli.core.errors import UsageError
from pecli.core.language import phrase, templates
from pecli.models.architectures import Architecture
from pecli.models.config_file import Keys, shown

SAID = templates({"error": "error: {key}: {text}", "warning": "warning: {key}: {text}", "note": "note: {key}: {text}"})
LEVELS = tuple(SAID)
STOPS = "transformers 4.57 and 5.23 stop with a KeyError"


def trouble(key: str, text: str) -> UsageError:
    """What keeps the encoding of a layer from being built: the key that is to blame, and why."""
    return UsageError(f"{key} {text}", option=key)


def nearest(word: str, known: Iterable[str]) -> str:
    """A suggestion, or nothing."""
    near = difflib.get_close_matches(word.lower(), list(known), n=1, cutoff=0.5)
    return phrase("; probably meant: {word}", word=near[0]) if near else ""


@dataclass(frozen=True)
class Finding:
    """What is wrong (error), odd or ignored (warning) or not in the file (note): a key, its value, one sentence."""

    key: str
    value: Any
    level: str
    text: str

    def line(self) -> str:
        """All of it on one line, safe for a terminal."""
        value = "" if self.value is None else f" = {shown(self.value)}"
        return phrase(SAID[self.level], key=f"{self.key}{value}", text=self.text)


@dataclass(frozen=True)
class Reading:
    """One config in the middle of being read; findings are added on the way, each once."""

    keys: Keys
    architecture: Architecture
    seq_len: int | None = None
    findings: list[Finding] = field(default_factory=list)

    @cached_property
    def given(self) -> Keys:
        """The object that holds the scaling, or all of rope; where there are two transformers 5 takes rope_scaling."""
        said = self.keys.table("rope_scaling") or self.keys.table("rope_parameters")
        older = self.keys.data.get("rotary")
        if said is None and isinstance(older, dict):  # InternLM
            names = {"base": "rope_theta", "type": "type", "scaling_factor": "factor"}
            return Keys(
                {"factor": 1.0} | {names[key]: value for key, value in older.items() if key in names}, "rotary."
            )
        if said is None and self.architecture.parameters:
            self.assumed("rope_parameters", shown(dict(self.architecture.parameters), most=200))
            return Keys(self.architecture.parameters)
        return said or Keys({})

    def error(self, key: str, text: str, value: Any = None) -> None:
        """Adds what keeps the model from being built."""
        self._add("error", key, text, value)

    def warning(self, key: str, text: str, value: Any = None) -> None:
        """Adds what is odd or ignored."""
        self._add("warning", key, text, value)

    def note(self, key: str, text: str) -> None:
        """Adds what is worth knowing."""
        self._add("note", key, text, None)

    def assumed(self, key: str, fact: object) -> None:
        """Adds that the file does not say a thing, and what the architecture's code takes."""
        one = self.architecture
        said = (
            phrase("the file does not say; the architecture {name} uses {fact}", name=one.name, fact=fact)
            if one.known
            else phrase("the file does not say; taken, as most models do: {fact}", fact=fact)
        )
        self.note(key, said)

    def _add(self, level: str, key: str, text: str, value: Any) -> None:
        value = self.keys.data.get(key) if value is None else value
        made = Finding(key, value, level, text)
        if made not in self.findings:
            self.findings.append(made)


FULL, SLIDING, LINEAR, NO_ATTENTION = "full_attention", "sliding_attention", "linear_attention", "no_attention"
LAYER_TYPE_NAMES = {  # what transformers 5 calls the kinds of older configs
    "attention": FULL,
    "full": FULL,
    "global": FULL,
    "mamba": LINEAR,
    "mamba2": LINEAR,
    "recurrent": LINEAR,
    "linear": LINEAR,
    "deepseek_sparse_attention": "indexed_attention",
}
MAX_LAYERS = 4096  # layers
PATTERN = {"M": LINEAR, "*": FULL, "-": "mlp", "E": "moe"}  # Nemotron-H
LAYERS = ("num_hidden_layers", "n_layer", "n_layers", "num_layers", "encoder_layers", "num_transformer_layers")


def layer_kinds(keys: Keys, architecture: Architecture) -> list[str]:
    """The kind of each layer, in order; empty where the file does not say how many there are."""
    count = keys.whole(*LAYERS)
    count = architecture.sizes.get("layers", 0) if count is None else count
    if count > MAX_LAYERS:
        raise UsageError(f"{keys.first(*LAYERS)} is {count}, and {MAX_LAYERS} layers are the most")
    kinds = _listed(keys, count)
    if kinds is None:
        kinds = _ruled(keys, architecture, count)
    return _without_rope(keys, architecture, kinds)


def _listed(keys: Keys, count: int) -> list[str] | None:
    """As the file lists them, in one of the ways that there are."""
    words = keys.words("layer_types", "layers_block_type")
    if words is not None:
        return [LAYER_TYPE_NAMES.get(word, word) for word in words]
    if "block_types" in keys:  # Recurrent Gemma: a pattern that repeats
        words = keys.words("block_types") or [FULL]
        kinds = {"recurrent": LINEAR, "attention": SLIDING}
        return [kinds.get(words[layer % len(words)], words[layer % len(words)]) for layer in range(count)]
    if isinstance(keys.data.get("block_configs"), list):  # Nemotron NAS
        return [NO_ATTENTION if _skipped(one) else FULL for one in keys.data["block_configs"]]
    if "hybrid_override_pattern" in keys:
        letters = keys.text("hybrid_override_pattern") or ""
        return [PATTERN.get(letter, FULL) for letter in letters[:MAX_LAYERS]]
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
    every = architecture.full_every
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
    place = 0 if architecture.full_first else every - 1
    return [FULL if layer % every == place else architecture.sliding for layer in range(count)]


def _without_rope(keys: Keys, architecture: Architecture, kinds: list[str]) -> list[str]:
    """The kinds with the layers told apart that have no rope; a 1 in no_rope_layers is one that has it."""
    interval = keys.whole("no_rope_layer_interval") or architecture.nope_interval
    flags = keys.flags("no_rope_layers")
    if not flags and (interval is None or architecture.nope_interval is None):
        return kinds
    flags = flags or [int((layer + 1) % (interval or 1) != 0) for layer in range(len(kinds))]
    if len(flags) != len(kinds):
        raise UsageError(f"no_rope_layers has {len(flags)} entries, and there are {len(kinds)} layers")
    return [architecture.rope_layer_type if flag else architecture.nope_layer_type for flag in flags]


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
