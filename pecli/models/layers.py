"""A config while it is read: its kinds of layer, attention windows and sizes."""

from __future__ import annotations

import difflib
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import cache, cached_property
from math import isqrt
from typing import Any

from pecli.core.errors import UsageError
from pecli.core.language import ENGLISH, finding, say, texts
from pecli.models.config_file import Keys, safe_text
from pecli.models.facts import FULL, INTERVALS, KINDS, LINEAR, NO_ATTENTION, SLIDING
from pecli.models.model_types import Architecture

LEVEL_TEXTS = {"error": "models.error", "warning": "models.warning", "note": "models.note"}
LEVELS = tuple(LEVEL_TEXTS)


class BuildError(UsageError):
    """An encoding cannot be built because of one key.

    key, value : the key and its value
    text, blanks : text key of the reason, and the values for its placeholders
    """

    def __init__(self, key: str, text: str, value: Any = None, /, **blanks: Any) -> None:
        self.reason = say(text, **blanks)
        super().__init__(f"{key}: {self.reason}", option=key, value=value)


def codes() -> tuple[str, ...]:
    """Return the codes of all kinds of findings."""
    return tuple(key.partition(".")[2] for key in texts(ENGLISH) if key.startswith("findings."))


def suggestion(names: Sequence[str]) -> str:
    """Return the clause that suggests the first of the names, "; probably meant: NAME"; "" if there are none."""
    return say("models.probably_meant", word=names[0]) if names else ""


@cache
def similar_keys(key: str, known: tuple[str, ...]) -> list[str]:
    """Return the known key that `key` probably misspells, as a list of at most one.

    The cutoff is high, because similar keys, such as attn_factor, can be different keys.
    """
    return difflib.get_close_matches(key.lower(), known, n=1, cutoff=0.82)


@dataclass(frozen=True)
class Finding:
    """One finding in a file.

    key, value : the key and its value
    level : "error" (prevents the encoding from being built), "warning" (odd or ignored) or "note" (for information)
    text : one sentence
    """

    key: str
    value: Any
    level: str
    text: str

    @property
    def code(self) -> str:
        """The code by which `--ignore` can drop this kind of finding, such as ``unknown_key``."""
        return finding(self.text).get("key", "").partition(".")[2]

    def line(self) -> str:
        """Return the finding as one line, safe for a terminal."""
        value = "" if self.value is None else f" = {safe_text(self.value)}"
        return say(LEVEL_TEXTS[self.level], key=f"{self.key}{value}", text=self.text, code=self.code)


@dataclass(frozen=True)
class Reading:
    """One config while it is read; it collects findings, each only once."""

    keys: Keys
    architecture: Architecture
    seq_len: int | None = None
    findings: list[Finding] = field(default_factory=list)

    @cached_property
    def given(self) -> Keys:
        """The RoPE object: the scaling alone, all parameters of the RoPE, or one object per kind of layer."""
        found, bases = self._given(), self.architecture.bases
        if not bases or any(isinstance(value, dict) for value in found.data.values()):
            for key, *_ in bases.values():  # mark older keys as read
                self.keys.number(key)
            return found
        objects: dict[str, Any] = {kind: {"rope_theta": self._base(*base[:2])} for kind, base in bases.items()}
        last = [*bases][-1]  # the kind with the scaling; DeepSeek-V4's YaRN has no attention factor
        factor = {"attention_factor": 1.0} if "yarn" in (found.data.get("rope_type"), found.data.get("type")) else {}
        objects[last] = {**factor, **found.data, **objects[last]}
        return Keys(objects, found.place, found.read)

    def _base(self, key: str, default: float) -> float:
        base = self.keys.number(key)
        if base is None:
            self.assumed(key, f"{default:g}")
        return default if base is None else base

    def _given(self) -> Keys:
        """Return the RoPE object from the file, or the architecture's default.

        If it has both rope_parameters and rope_scaling, rope_scaling is used, as in transformers 5.
        """
        item = self.architecture
        table = self._scaling_or_parameters()
        if table is not None:
            read = {key: it for key, it in table.data.items() if table.place + key not in item.unread}
            return self._without_kinds(Keys(read, table.place, table.read, table.names))
        if own := self._foundry_scaling():
            return own
        empty = item.in_transformers and self.keys.data.get("rope_parameters") == {} and not item.bases
        if item.by_kind == "only" and (empty or not item.parameters):
            self.error("rope_parameters", "findings.by_kind_needed", name=item.name)
        elif empty and not item.adds_kinds:
            return Keys({}, f"{self.keys.place}rope_parameters.")  # the type's default is only for a missing object
        older = self.keys.data.get("rotary")
        if isinstance(older, dict):  # InternLM
            names = {"base": "rope_theta", "type": "type", "scaling_factor": "factor"}
            renamed = {names[key]: value for key, value in older.items() if key in names}
            self.keys.read.update(f"{self.keys.place}{key}" for key in ("rotary", *(f"rotary.{key}" for key in names)))
            return Keys({"factor": 1.0, **renamed}, "rotary.")
        if isinstance(self.keys.data.get("rope_theta"), list):  # one base per layer, as in UltraBERT
            return Keys({})
        if self.architecture.parameters:
            self.assumed("rope_parameters", safe_text(dict(self.architecture.parameters), most=200))
        return Keys(self.architecture.parameters)

    def _scaling_or_parameters(self) -> Keys | None:
        """Return the object in the file that its code reads, rope_scaling or else rope_parameters; None if none."""
        keys, item = self.keys, self.architecture
        scaling = keys.table("rope_scaling")
        if scaling is None and item.assigned and "rope_scaling" in keys.data:
            value = safe_text(keys.data["rope_scaling"])
            self.error("rope_scaling", "findings.scaling_replaces", value, name=item.name)
        kinds = scaling is not None and any(isinstance(value, dict) for value in scaling.data.values())
        if scaling is not None and kinds and item.adds_kinds and not item.assigned:
            self.warning("rope_scaling", "findings.kinds_in_scaling", name=item.name)
            scaling.settle()
            scaling = None
        return scaling or keys.table("rope_parameters")

    def _without_kinds(self, table: Keys) -> Keys:
        """Return the RoPE object without objects for kinds of layers, if this architecture's code reads only one."""
        item = self.architecture
        nested = {key: it for key, it in table.data.items() if isinstance(it, dict)}
        if not nested or not item.in_transformers or item.by_kind or item.bases:
            return table
        self.warning(table.place[:-1], "findings.one_object_read", name=item.name)
        Keys(nested, table.place, table.read).settle()
        rest = {key: it for key, it in table.data.items() if key not in nested}
        return Keys(rest, table.place, table.read, table.names)

    def _foundry_scaling(self) -> Keys | None:
        """Return the scaling object of MPT that llm-foundry's code uses; None without scaling.

        Of the two objects in attn_config, it uses the one that rope_impl selects.
        """
        inner = self.keys.table("attn_config")
        if inner is None or inner.data.get("rope") is not True:
            return None
        chosen, other = (inner.table(f"rope_{name}_config") or Keys({}) for name in ("hf", "dail"))
        if inner.text("rope_impl") != "hf":
            chosen, other = Keys({}), chosen
            kind = (inner.table("rope_dail_config") or Keys({})).text("type")
            if kind not in (None, "original"):
                raise BuildError("attn_config.rope_dail_config.type", "findings.xpos_not_shown", kind)
        if other:
            self.note(other.place[:-1], "findings.other_object_counts")
        for part in (chosen, other):
            part.settle()
        return None if chosen.text("type") in (None, "no_scaling") else chosen

    def error(self, key: str, text: str, value: Any = None, /, **blanks: Any) -> None:
        """Add a finding that prevents the encoding from being built.

        text, blanks : text key and the values for its placeholders
        value : the value of the key; by default, that of the top-level key
        """
        self.add("error", key, say(text, **blanks), value)

    def warning(self, key: str, text: str, value: Any = None, /, **blanks: Any) -> None:
        """Add a finding on something odd or ignored."""
        self.add("warning", key, say(text, **blanks), value)

    def note(self, key: str, text: str, /, **blanks: Any) -> None:
        """Add a finding for information."""
        self.add("note", key, say(text, **blanks))

    def assumed(self, key: str, fact: object) -> None:
        """Add a note that the file does not have a key, with the default that the architecture's code uses."""
        if self.architecture.known:
            self.note(key, "findings.default_of_architecture", name=self.architecture.name, fact=fact)
        else:
            self.note(key, "findings.default_of_most", fact=fact)

    def add(self, level: str, key: str, text: str, value: Any = None) -> None:
        """Add a finding unless it is there already; by default, with the value of the top-level key."""
        finding = Finding(
            self.keys.names.get(key, key), self.keys.data.get(key) if value is None else value, level, text
        )
        if finding not in self.findings:
            self.findings.append(finding)


LAYER_TYPE_NAMES = {  # names in older configs to names in transformers 5
    **dict.fromkeys(("attention", "full", "global"), FULL),
    "local": SLIDING,
    **dict.fromkeys(("mamba", "mamba2", "recurrent", "linear"), LINEAR),
    "deepseek_sparse_attention": "indexed_attention",
}
WINDOW = "sliding_window"
SPANS = ("local_attention", "attention_window_size", WINDOW, "sliding_window_size")  # the first that is present is used
WINDOWS = {  # kind of layer to the keys of its attention window
    **dict.fromkeys((SLIDING, "hybrid_sliding", "main"), SPANS),
    "chunked_attention": ("attention_chunk_size",),
}
# keys from which the kinds of layer are made, unused if the file lists the kinds
MADE_FROM = (*INTERVALS, "_sliding_window_pattern", "prefix_dense_sliding_window_pattern")
PATTERN = {"M": LINEAR, "*": FULL, "-": "mlp", "E": "moe"}  # Nemotron-H
LAYERS = (
    *("num_hidden_layers", "n_layer", "n_layers", "num_layers", "encoder_layers", "num_transformer_layers"),
    *("decoder_layers", "layers"),
)


def layer_kinds(keys: Keys, architecture: Architecture) -> list[str]:
    """Return the kind of each layer, in order; [] if the file does not have the number of layers."""
    count = keys.whole(*(name for name in LAYERS if not isinstance(keys.data.get(name), (dict, list))))  # as in LXMERT
    count = architecture.sizes.get("layers", 0) if count is None else count
    if "s" in architecture.pattern:
        attention_window(keys, architecture, SLIDING)  # marks its keys as read
    listed = _listed(keys, count)
    if listed and "mlp" in listed:
        listed = listed[:: architecture.blocks]
    kinds = listed or _numbered(keys, count) or _by_pattern(keys, architecture, count)
    if architecture.last_full:
        kinds = [*kinds[:-1], FULL] if kinds else kinds
    names = {kind: name for name, (_, _, *own) in architecture.bases.items() for kind in own}
    return [names.get(kind, kind) for kind in _without_rope(keys, architecture, kinds)]


def _listed(keys: Keys, count: int) -> list[str] | None:
    """Return the kinds of the `count` layers if the file lists them, in any of the known forms; otherwise None."""
    words = keys.words("layer_types", "layers_block_type")
    if words is not None:
        keys.read.update(f"{keys.place}{name}" for name in (*MADE_FROM, *SPANS, "use_sliding_window"))
        return [LAYER_TYPE_NAMES.get(word, word) for word in words]
    if "block_types" in keys:  # Recurrent Gemma: a pattern that repeats
        kinds = {"recurrent": LINEAR, "attention": SLIDING}
        words = [kinds.get(word, word) for word in keys.words("block_types") or [FULL]]
        return [words[layer % len(words)] for layer in range(count)]
    if (words := _repeated(keys.data.get("attention_types"), count)) is not None:
        keys.read.add(f"{keys.place}attention_types")
        return [LAYER_TYPE_NAMES.get(word, FULL) for word in words]
    if isinstance(windows := keys.data.get("attention_windows"), list):  # UltraBERT: null is a layer without a window
        keys.read.add(f"{keys.place}attention_windows")
        return [SLIDING if size else FULL for size in windows[: count or None]]
    blocks = keys.data.get("block_configs")
    if isinstance(blocks, list):  # Nemotron NAS leaves attention out or replaces it
        parts = [block.get("attention") if isinstance(block, dict) else None for block in blocks]
        skipped = [isinstance(part, dict) and (part.get("no_op") or part.get("replace_with_linear")) for part in parts]
        return [NO_ATTENTION if item else FULL for item in skipped]
    letters = keys.text("hybrid_override_pattern")
    if letters is not None:
        return [PATTERN.get(letter, FULL) for letter in letters]
    lists = {
        "attn_type_list": (LINEAR, FULL),
        "hybrid_layer_pattern": (FULL, SLIDING),
        "compress_ratios": ("main", "compress"),
    }
    for name, (off, on) in lists.items():
        flags = keys.numbers(name)
        if flags is not None:
            return [on if flag else off for flag in flags][: count or None]
    return None


def _repeated(parts: Any, most: int) -> list[str] | None:
    """Return the words, at most `most`, of GPT-Neo's list of [words, times], such as [[["global", "local"], 12]].

    Return None for anything else.
    """
    found: list[str] = []
    for part in parts if isinstance(parts, list) else ():
        if not (isinstance(part, list) and len(part) == 2 and isinstance(part[0], list) and type(part[1]) is int):
            return None
        found += (part[0] * min(part[1], most))[:most]
    return [word if isinstance(word, str) else "" for word in found[:most]] or None


def _numbered(keys: Keys, count: int) -> list[str] | None:
    """Return the kinds of the `count` layers if the file has the indices of the layers with attention.

    Otherwise return None.
    """
    linear = keys.table("linear_attn_config")  # Kimi Linear counts from 1
    first, inside = (1, linear) if linear is not None and "full_attn_layers" in linear else (0, keys)
    if (near := keys.numbers("local_layer_ids")) is not None:  # Inkling
        return ["hybrid_sliding" if layer in near else "hybrid" for layer in range(count)]
    chosen = inside.numbers("full_attn_layers", "attn_layer_indices", "full_attn_idxs", "attn_layer_idxs")
    if chosen is not None:
        full, other = set(chosen), "conv" if "full_attn_idxs" in inside else LINEAR
        return [FULL if layer + first in full else other for layer in range(count)]
    if cross := keys.numbers("cross_attention_layers"):  # Llama 3.2 with images: layers without positions
        return ["cross_attention" if layer in cross else FULL for layer in range(count)]
    if "attn_layer_period" in keys:
        period, offset = keys.whole("attn_layer_period") or 1, keys.whole("attn_layer_offset") or 0
        return [FULL if layer % period == offset else LINEAR for layer in range(count)]
    return None


def _by_pattern(keys: Keys, architecture: Architecture, count: int) -> list[str]:
    """Return the kinds of the `count` layers from a pattern in the file, or from the architecture's own pattern."""
    first, turn, last = re.split("[()]", architecture.pattern)
    interval = architecture.interval
    if interval and isinstance(given := keys.data.get(interval), str):  # EXAONE 4: LLLG, and the last layer is full
        turn, last = "".join("f" if letter == "G" else "s" for letter in given or "G"), "f"
    elif interval and (every := keys.whole(interval)):
        turn = "f" + turn[-1] * (every - 1) if turn.startswith("f") else turn[0] * (every - 1) + turn[-1]
    start = -count % len(turn) if first == "-" else 0
    letters = (first.strip("-") + (turn * count)[start:])[:count]
    letters = letters[: count - len(last)] + last[:count]
    if architecture.full_before is not None:  # Qwen2: layers below max_window_layers see all positions
        full = keys.whole("max_window_layers")
        letters = "f" * min(architecture.full_before if full is None else full, count) + letters
    if architecture.full_from is not None:  # Qwen2-MoE: layers from max_window_layers on see all positions
        most = keys.whole("max_window_layers")
        most = architecture.full_from if most is None else most
        letters = letters[:most] + "f" * len(letters[most:])
    if "s" in letters and attention_window(keys, architecture, SLIDING) is None:
        letters = letters.replace("s", "f")
    return [KINDS[letter] for letter in letters[:count]]


@dataclass(frozen=True)
class Span:
    """How far queries see in a layer with an attention window.

    key, number : the key of the window and the number at it, or the default
    made : what the code makes of that number, such as " / 2"
    back : number of keys up to the query's own, which is included
    ahead : number of keys after it
    """

    key: str
    number: int
    made: str
    back: int
    ahead: int = 0


BOTH_WAYS: dict[str, tuple[str, Callable[[int], tuple[int, int]]]] = {  # what is made of a number n: text, back, ahead
    "radius": ("", lambda n: (n + 1, n)),
    "half": (" / 2", lambda n: (n // 2 + 1, n // 2)),
    "half_more": (" / 2 + 1", lambda n: (n // 2 + 2, n // 2 + 1)),
    "split": (" / 2", lambda n: ((n + 1) // 2, n // 2)),
}


def attention_window(
    keys: Keys, architecture: Architecture, kind: str, layer: int | None = None, turn: int = 0
) -> Span | None:
    """Return the attention window of layers of that kind; None if they see all positions.

    This follows transformers 5.24. A length of null or 0, or a false `use_sliding_window`, turns the window off. Qwen's
    code has a window only if `use_sliding_window` is true.

    layer : index of a layer, if layers may have different windows; without it, the largest is returned
    turn : number of layers of that kind before it
    """
    if kind not in WINDOWS and kind not in architecture.windowed:
        return None
    names = architecture.window_keys if kind == SLIDING and architecture.window_keys else WINDOWS.get(kind, SPANS)
    asked = keys.flag("use_sliding_window")
    flagged = kind == SLIDING or kind in architecture.windowed
    off = flagged and (architecture.window_opt_in if asked is None else not asked)
    given = {name: keys.data[name] for name in names if name in keys.data}
    usual = WINDOW if WINDOW in names else names[0]
    values = given or {usual: architecture.sizes.get("window")}
    listed = {name: _of_layer(value, architecture, layer) for name, value in values.items()}
    whole = (item for item in listed.items() if type(item[1]) is int and 0 < item[1] < 1 << 53)
    found = None if off else next(whole, None)
    used = [name for name, value in given.items() if found is None or name == found[0] or value == found[1]]
    keys.read.update(f"{keys.place}{name}" for name in used)
    if found is None:
        return None
    span = _span(keys, architecture, found[0], _own_number(keys, architecture, found, layer, turn))
    again = [name for name in SPANS if name in keys.data and keys.data[name] in (span.back, span.ahead)]
    keys.read.update(f"{keys.place}{name}" for name in again if architecture.window_keys)
    return span


def _of_layer(value: Any, architecture: Architecture, layer: int | None) -> Any:
    """Return the number for a layer from a list with one per layer, or the largest; other values are unchanged.

    Only for types with `window_keys` is the meaning of lists known.
    """
    numbers = [item for item in value if type(item) is int] if isinstance(value, list) else []
    if not numbers or not architecture.window_keys:
        return value
    return max(numbers) if layer is None else value[min(layer, len(value) - 1)]


def _own_number(keys: Keys, architecture: Architecture, found: tuple[str, int], layer: int | None, turn: int) -> int:
    """Return the number that counts for a layer in place of the one at the key, `found`."""
    inside = keys.data.get("per_layer_config")
    if isinstance(inside, dict):
        own = inside.get(str(layer))
        number = own.get(found[0]) if isinstance(own, dict) else None
        return number if type(number) is int and 0 < number < 1 << 53 else found[1]
    return architecture.every_other_window or found[1] if turn % 2 else found[1]


def _span(keys: Keys, architecture: Architecture, key: str, number: int) -> Span:
    """Return how far queries see with a number at the key of a window."""
    rule = architecture.both_ways
    if architecture.both_if:
        name, value = architecture.both_if
        keys.read.add(f"{keys.place}{name}")
        rule = rule if (keys.data.get(str(name)) or False) == value else ""
    if not rule and key in SPANS and architecture.in_transformers and keys.data.get("is_causal") is False:
        rule = "radius"  # masking_utils.py; chunks never reach ahead
    if rule:
        made, reach = BOTH_WAYS[rule]
        return Span(key, number, made, *reach(number))
    if key in architecture.halved:
        return Span(key, number, " / 2", number // 2)
    return Span(key, number, " + 1", number + 1) if key in architecture.one_more else Span(key, number, "", number)


def _without_rope(keys: Keys, architecture: Architecture, kinds: list[str]) -> list[str]:
    """Return the kinds of the layers, with a kind of its own for layers without RoPE.

    In no_rope_layers, 1 means that a layer has RoPE.
    """
    flags = keys.flags("no_rope_layers") or [int(base != 0) for base in keys.numbers("layer_rope_theta") or []]
    if not flags and architecture.nope_interval is None:
        return kinds
    interval = keys.whole("no_rope_layer_interval") or architecture.nope_interval or 1
    last = len(kinds) if architecture.pattern.startswith("-") else 0  # counted from the last layer backwards
    flags = flags or [int((layer + 1 - last) % interval != 0) for layer in range(len(kinds))]
    if len(flags) != len(kinds):
        key = keys.first("no_rope_layers", "layer_rope_theta")
        raise UsageError(f"{key} has {len(flags)} entries, but there are {len(kinds)} layers")
    return [architecture.nope_kinds[not flag] or kind for flag, kind in zip(flags, kinds, strict=True)]


WIDTH = ("hidden_size", "n_embd", "d_model", "model_dim", "dim", "emb_dim")
HEADS = (  # in Seamless, only the speech encoder needs them
    *("num_attention_heads", "n_head", "n_heads", "num_heads", "speech_encoder_attention_heads"),
    *("encoder_attention_heads", "attention_heads"),
)
HEAD = ("head_dim", "kv_channels", "attention_head_dim", "d_kv")
POSITIONS = (
    *("max_position_embeddings", "n_positions", "max_sequence_length", "seq_length", "max_seq_len", "n_ctx"),
    *("max_context_length", "model_max_length"),
)


def patches(reading: Reading) -> tuple[int, ...] | None:
    """Return the sides of the grid of patches in an image, video or sound; None if the file does not have them."""
    sides = _sides(reading.keys, reading.architecture.grid or (("image_size", "patch_size"),) * 2)
    count = reading.keys.whole("num_position_embeddings") or 0  # of a square grid, as in Qwen3-VL
    return sides or ((isqrt(count),) * 2 if isqrt(count) ** 2 == count > 0 else None)


def window(reading: Reading) -> tuple[int, ...] | None:
    """Return the sides of the window of patches in which offsets have a bias; None if the file does not have them."""
    return _sides(reading.keys, (("window_size",),) * 2) or patches(reading)


def _sides(keys: Keys, axes: tuple[tuple[str, ...], ...]) -> tuple[int, ...] | None:
    """Return (size − patch) // stride + 1 for each axis; None if a number is missing.

    axes : keys of size, patch and stride for each axis; the stride is the patch if not given
    """
    sides = []
    for axis, names in enumerate(axes, -len(axes)):
        values = [keys.data.get(name, name) for name in names]  # constants are used as they are
        keys.read.update(f"{keys.place}{name}" for name in names)
        sizes = [value[max(axis, -len(value))] if isinstance(value, list) and value else value for value in values]
        if not all(isinstance(size, int) and 0 < size < 1 << 16 for size in sizes):
            return None
        patch = sizes[1] if len(sizes) > 1 else 1
        sides.append((sizes[0] - patch) // sizes[-1] + 1 if len(sizes) > 1 else sizes[0])
    return tuple(sides) if min(sides) > 0 else None


def max_position(reading: Reading) -> int | None:
    """Return the number of positions that the model accepts according to the file."""
    return reading.keys.length(*POSITIONS)


def trained_length(reading: Reading) -> int | None:
    """Return the number of positions from which a scaling is computed; without it in the file, the type's default."""
    longest = max_position(reading)
    if longest is None and (longest := reading.architecture.sizes.get("positions")) is not None:
        reading.assumed(POSITIONS[0], longest)
    return longest


def head_dim(reading: Reading, kind: str = FULL) -> int:
    """Return the number of columns of a query or key; raise UsageError if the file does not determine it."""
    keys, item = reading.keys, reading.architecture
    if kind == FULL and (FULL in item.head_dim or "global_head_dim" in keys):
        return keys.whole("global_head_dim") or item.head_dim.get(FULL, 0)
    if latent(reading) and "qk_nope_head_dim" in keys:
        return (keys.whole("qk_nope_head_dim") or 0) + (keys.whole("qk_rope_head_dim") or 0)
    if columns := keys.whole(*HEAD):
        return columns
    if (columns := item.head_dim.get("all")) and "head_dim" not in keys.data:  # null is not a missing key
        reading.assumed("head_dim", columns)
        return columns
    if width(reading) < heads(reading):
        raise BuildError(keys.first(*HEADS) or HEADS[0], "findings.no_columns_for_head", width=width(reading))
    return width(reading) // heads(reading)


def latent(reading: Reading) -> bool:
    """Return whether attention is DeepSeek's latent attention, with separate columns for RoPE."""
    return "qk_rope_head_dim" in reading.keys and reading.keys.flag("use_mla") is not False


def heads(reading: Reading) -> int:
    """Return the number of attention heads; raise UsageError if it is unknown."""
    return _size(reading, HEADS, "heads")


def width(reading: Reading) -> int:
    """Return the hidden size; raise UsageError if it is unknown."""
    return _size(reading, tuple(filter(None, (reading.architecture.width_key, *WIDTH))), "hidden")


def _size(reading: Reading, names: tuple[str, ...], size: str) -> int:
    value = reading.keys.whole(*names)
    if value is None and size in reading.architecture.sizes:
        value = reading.architecture.sizes[size]
        reading.assumed(names[0], value)
    if value is None:
        raise BuildError(names[0], "findings.not_in_file")
    if value < 1:
        raise BuildError(reading.keys.first(*names) or names[0], "findings.below_one")
    return value
