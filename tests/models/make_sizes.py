"""Write pecli/models/sizes.toml, the sizes in the default config of each type of transformers.

``python -m tests.models.make_sizes`` rewrites the file with the same sizes of the same types; with names of types as
arguments, it adds those types with all sizes of their default config. It needs transformers. A size is stored if
transformers has it under no key that pecli reads, or if its key has another meaning there (EXCEPT). Types with
`divides = 1` refuse a width that is not a multiple of the number of heads.
"""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

from pecli.models import facts
from pecli.models.config_file import Keys
from pecli.models.facts import WINDOW_KEYS
from pecli.models.layers import HEADS, LAYERS, POSITIONS, WIDTH

TARGET = Path(facts.__file__).with_name("sizes.toml")
KEYS = {
    "hidden": WIDTH,
    "heads": HEADS,
    "layers": LAYERS,
    "positions": (*POSITIONS, "max_source_positions", "max_encoder_position_embeddings"),
    "decoder_positions": ("max_target_positions", "max_decoder_position_embeddings"),
    "decoder_layers": ("decoder_layers", "num_decoder_layers"),
    "buckets": ("relative_attention_num_buckets", "position_bias_num_buckets"),
    "distance": ("relative_attention_max_distance", "position_bias_max_distance"),
    "embedding": ("embedding_size", "input_embedding_size"),
    "padding": ("pad_token_id",),
    "left": ("left_max_position_embeddings",),
    "right": ("right_max_position_embeddings",),
    "window": ("local_attention", "attention_window", "window_size", "local_radius", *WINDOW_KEYS),
}
COUNTS = ("num_attention_heads", "num_key_value_heads")
EXCEPT = {  # sizes that are under another key or turned off by a flag
    ("longcat_flash", "layers"),
    ("modernbert-decoder", "window"),
    *((name, "layers") for name in ("dory", "pp_formulanet_text")),
    ("fun_asr_nano_encoder", "embedding"),
    *((name, "decoder_layers") for name in ("longt5", "mt5", "pop2piano", "switch_transformers", "t5", "udop", "umt5")),
    ("qwen2_moe", "window"),
    ("qwen2_vl_vision", "hidden"),
    ("rembert", "hidden"),
}


def main() -> None:
    """Write the file."""
    import transformers
    from transformers.models.auto.configuration_auto import CONFIG_MAPPING

    rows = {**facts.read_facts("sizes.toml"), **{name: dict.fromkeys(KEYS) for name in sys.argv[1:]}}
    version = ".".join(transformers.__version__.split(".")[:2])
    lines = [
        f"# Made by tests/models/make_sizes.py from transformers {version}: the sizes that it uses if a config.json",
        "# gives none: width, heads, layers, positions, and the length of attention windows.",
        "",
    ]
    for name, sizes in rows.items():
        config = CONFIG_MAPPING[name]().to_dict()
        found = {size: size_of(name, size, value, config) for size, value in sizes.items() if size != "divides"}
        if refuses_remainders(CONFIG_MAPPING[name]):
            found["divides"] = 1
        told = ", ".join(f"{size} = {value}" for size, value in found.items() if value is not None)
        lines.append(f"{name} = {{ {told} }}" if name.isidentifier() else f'"{name}" = {{ {told} }}')
    TARGET.write_text("\n".join(lines) + "\n", encoding="utf-8")


def size_of(name: str, size: str, old: int | None, config: dict[str, Any]) -> int | None:
    """Return a size of the default config; `old` if the config has none."""
    new = None if (name, size) in EXCEPT else Keys(config).whole(*KEYS[size])
    return old if new is None else new


def refuses_remainders(config: Any) -> bool:
    """Return True if the class of a config refuses a width that its number of heads does not divide."""
    names = {name: getattr(config, "attribute_map", {}).get(name, name) for name in ("hidden_size", *COUNTS)}
    known = config().to_dict()

    def refused(width: int, heads: int) -> bool:
        counts = {names[name]: heads for name in COUNTS if names[name] in known}
        try:
            config(**{names["hidden_size"]: width}, **counts)
        except Exception:
            return True
        return False

    return refused(width := 8 * 13 * 37, 64) and not refused(width, 4 * 13)


if __name__ == "__main__":
    main()
