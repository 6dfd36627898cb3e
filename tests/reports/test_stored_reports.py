"""What the reports say of small tables, configs and encodings, each with something odd, stays as it is.

It stands in tests/data/reports.txt. After a change that is meant, write that anew and read the difference:
``python -m tests.reports.test_stored_reports``.
"""

from __future__ import annotations

import json
import os
import re
import sys
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from typer.testing import CliRunner

import pecli
from pecli.cli.app import app
from pecli.core.lazy import Array
from pecli.core.numbers import ROUND
from tests.models.test_findings import IMAGE, LATENT, LLAMA3, LONG, ROPE, SIZES, SLIDING, YARN, scaled

STORED = Path(__file__).parents[1] / "data" / "reports.txt"
PLAIN, N = "sinusoidal:d=8,base=100", 24


def changed(change: Callable[[Array], Any], spec: str = PLAIN, length: int = N, **more: Any) -> Array:
    """Return a table of an encoding after a change of it."""
    table = np.array(pecli.encode(spec, length=length, **more))
    other = change(table)
    return table if other is None else np.asarray(other)


def put(at: Any, value: Any) -> Callable[[Array], None]:
    return lambda table: table.__setitem__(at, value)


def waves(rates: Array) -> Array:
    """Return a table of a sine and a cosine of each rate."""
    return of_angles(np.arange(N)[:, None] * rates)


def of_angles(angles: Array) -> Array:
    angles = angles.astype(float)
    return np.stack([np.sin(angles), np.cos(angles)], axis=2).reshape(N, -1)


def by_column(rate: Callable[[int], float]) -> Array:
    """Return a table in which every column has its own rate."""
    return np.stack([(np.cos if i % 2 else np.sin)(np.arange(N) * rate(i)) for i in range(8)], 1)


def short(angles: Array) -> Array:
    """Return the numbers in bfloat16."""
    return ROUND["bfloat16"](angles)


def sines() -> Array:
    return changed(lambda t: t[:, ::2])


def cosines() -> Array:
    return changed(lambda t: t[:, 1::2])


TABLES: dict[str, Callable[[], Array]] = {
    "plain": lambda: changed(lambda t: None),
    "far": lambda: changed(lambda t: None, start=7),
    "odd": lambda: changed(lambda t: None, "sinusoidal:d=7,base=100"),
    "rope": lambda: changed(lambda t: None, "rope:d=8,base=100,pairing=half"),
    "linear": lambda: changed(lambda t: None, "rope:d=8,base=100,scaling=linear,factor=4"),
    "binary": lambda: changed(lambda t: None, "binary:d=5"),
    "binary_wrong": lambda: changed(put(([3, 9], [0, 4]), 1), "binary:d=5"),
    "msb": lambda: changed(lambda t: None, "binary:d=5,order=msb,values=pm1", start=3),
    "timestep": lambda: changed(lambda t: None, "sinusoidal:d=8,family=timestep,flip=true"),
    "tensor2tensor": lambda: changed(lambda t: None, "sinusoidal:d=8,family=tensor2tensor"),
    "grid": lambda: pecli.encode("sincos2d:d=8,grid=4x6"),
    "geometric": lambda: changed(lambda t: None, "geometric:d=8"),
    "half": lambda: changed(lambda t: t.astype(np.float16)),
    "half_of_rope": lambda: changed(lambda t: t, "rope:d=8,base=100,dtype=float16", 64),
    "digits": lambda: changed(lambda t: t.round(3)),
    "noise": lambda: changed(lambda t: t + np.random.default_rng(0).normal(scale=1e-3, size=t.shape)),
    "one": lambda: changed(put((5, 3), 0.5)),
    "two": lambda: changed(put(([5, 9], [3, 1]), 0.5)),
    "column": lambda: changed(lambda t: t * np.where(np.arange(8) == 2, -1, 1)),
    "doubled_column": lambda: changed(lambda t: t * np.where(np.arange(8) == 3, 2, 1)),
    "added_column": lambda: changed(lambda t: t + np.where(np.arange(8) == 3, 0.5, 0)),
    "copied_column": lambda: changed(lambda t: t[:, [0, 1, 2, 2, 4, 5, 6, 7]]),
    "zero_column": lambda: changed(put((slice(None), 6), 0)),
    "swapped_columns": lambda: changed(lambda t: t[:, [0, 5, 2, 3, 4, 1, 6, 7]]),
    "reversed_columns": lambda: changed(lambda t: t[:, ::-1]),
    "shuffled_columns": lambda: changed(lambda t: t[:, [3, 0, 7, 4, 1, 6, 5, 2]]),
    "reversed_pairs": lambda: changed(lambda t: t.reshape(N, 4, 2)[:, ::-1].reshape(N, 8)),
    "cosine_first": lambda: changed(lambda t: t.reshape(N, 4, 2)[:, :, ::-1].reshape(N, 8)),
    "late_rows": lambda: changed(lambda t: np.concatenate([t[:9], t[8:16]])),
    "zero_row": lambda: changed(lambda t: np.concatenate([np.zeros((1, 8)), t])),
    "zero_rows": lambda: changed(put(slice(20, None), 0)),
    "scaled": lambda: changed(lambda t: 3 * t),
    "padded": lambda: changed(lambda t: np.hstack([t, np.zeros((N, 3))])),
    "rounded_rates": lambda: waves((100.0 ** -(np.arange(4) / 4)).astype(np.float16).astype(float)),
    "degrees": lambda: waves(np.deg2rad(100.0 ** -(np.arange(4) / 4))),
    "doubled": lambda: waves(100.0 ** -(np.arange(4) / 2)),
    "undivided": lambda: waves(4.0 ** -np.arange(4)),
    "nerf": lambda: waves(0.6 * 2.0 ** np.arange(4)),
    "columns_by_two": lambda: by_column(lambda i: 100.0 ** (-i / 4)),
    "precedence": lambda: by_column(lambda i: i / 800),
    "whole_angles": lambda: of_angles(np.arange(N)[:, None] // 100.0 ** (np.arange(4) / 4)),
    "far_off": lambda: changed(lambda t: None, "sinusoidal:d=32,base=1000", 64, start=9_900_000),
    "too_far": lambda: changed(lambda t: None, "sinusoidal:d=16,base=1000", 48, start=11_000_000),
    "all_short": lambda: np.sin(short(short(np.arange(300.0))[:, None] * short(100.0 ** (-np.arange(16) / 16)))),
    "floored_e": lambda: waves(np.exp(-2.0 * np.arange(4))),
    "rising_rope": lambda: waves(5e5 ** (np.arange(16) / 16)).astype(np.float32)[:, np.arange(1, 64, 2) % 33],
    "sines_negated": lambda: changed(lambda t: t * np.where(np.arange(8) % 2, 1, -1)),
    "rows_reversed": lambda: changed(lambda t: t[::-1], "sinusoidal:d=4,base=100", 12),
    "three_digits": lambda: changed(lambda t: np.vectorize(lambda x: float(f"{x:.3g}"))(t)),
    "one_row": lambda: changed(put(7, 0.25)),
    "rounded_cosines": lambda: np.cos(np.arange(64)[:, None] * (100.0 ** -(np.arange(8) / 8)).astype(np.float16)),
    "cosines_of_tensor2tensor": lambda: changed(lambda t: t[:, 4:], "sinusoidal:d=8,family=tensor2tensor"),
    "columns": lambda: by_column(lambda i: 100.0 ** (-i / 8)),
    "cosines": cosines,
    "sines": sines,
    "angles": lambda: np.arange(N)[:, None] * 100.0 ** -(np.arange(4) / 4),
    "complex": lambda: np.exp(1j * np.arange(N)[:, None] * 100.0 ** -(np.arange(4) / 4)),
    "copied_halves": lambda: changed(lambda t: np.hstack([t[:, 1::2]] * 2)),
    "copies": lambda: changed(lambda t: np.stack([t, t])),
    "half_positions": lambda: changed(lambda t: None, "sinusoidal:d=8,base=100,step=0.5"),
    "zeros": lambda: np.zeros((5, 4)),
    "few": lambda: changed(lambda t: t[:3]),
    "four": lambda: changed(lambda t: t[:4]),
    "rotations": lambda: np.stack([np.stack([cosines(), -sines()], 2), np.stack([sines(), cosines()], 2)], 2),
    "pairs": lambda: changed(lambda t: t.reshape(N, 4, 2)),
    "pairs_in_front": lambda: np.stack([sines(), cosines()]),
    "channels_in_front": lambda: pecli.encode("sincos2d:d=8,grid=2x3").T.reshape(8, 2, 3),
    "rows_of_grid": lambda: pecli.encode("sincos2d:d=8,grid=4x6").reshape(4, 6, 8),
    "mixed": lambda: np.hstack([cosines(), cosines(), np.repeat(sines(), 2, axis=1)]),
    "rows_repeated": lambda: changed(lambda t: np.repeat(t[:6], 2, axis=0)),
    "rows_tiled": lambda: changed(lambda t: np.tile(t[:6], (2, 1))),
    "negated": lambda: -cosines(),
    "transposed": lambda: changed(lambda t: t.T),
    "yarn": lambda: changed(lambda t: None, "rope:d=8,base=100,scaling=yarn,factor=4,original=16"),
    "octaves": lambda: changed(lambda t: None, "geometric:d=8,radix=2"),
    "random": lambda: np.random.default_rng(1).normal(size=(12, 4)),
}  # fmt: skip

WINDOW = {"model_type": "mistral", **ROPE}
CONFIGS: dict[str, dict[str, Any]] = {
    "llama": {"model_type": "llama", **ROPE},
    "broad": {"model_type": "llama", "hidden_size": 512, "num_attention_heads": 4, "max_position_embeddings": 64},
    "other_base": {"model_type": "llama", **ROPE, "rope_theta": 500.0},
    "near": {"model_type": "llama", **ROPE, "rope_theta": 10001.0},
    "window": {**WINDOW, "sliding_window": 8},
    "window64": {**WINDOW, "sliding_window": 64},
    **{name: {"model_type": "llama", **ROPE, **scaled(YARN)} for name in ("yarn", "again")},
    "yarn_apart": {"model_type": "llama", **ROPE, **scaled(YARN), "max_position_embeddings": 20},
    "yarn_window": {**WINDOW, "sliding_window": 8, **scaled(YARN)},
    "llama3": {"model_type": "llama", **ROPE, **scaled(LLAMA3)},
    "linear": {"model_type": "llama", **ROPE, **scaled({"rope_type": "linear", "factor": 4.0})},
    "dynamic": {"model_type": "llama", **ROPE, **scaled({"rope_type": "dynamic", "factor": 2.0})},
    "long": {"model_type": "phi3", **ROPE, **scaled(LONG), "original_max_position_embeddings": 16},
    "both": {"model_type": "llama", **ROPE, **scaled({"type": "linear", "rope_type": "yarn", "factor": 2.0})},
    "partial": {"model_type": "llama", **ROPE, "partial_rotary_factor": 0.5},
    "version5": {"model_type": "llama", **SIZES, "rope_parameters": {"rope_type": "default", "rope_theta": 500.0}},
    "mrope": {"model_type": "qwen2_vl", **ROPE, **scaled({"type": "mrope", "mrope_section": [1, 1, 2]})},
    "latent": {"model_type": "deepseek_v3", **ROPE, **LATENT, **scaled(YARN, mscale_all_dim=1.0)},
    "temperature": {"model_type": "llama4_text", **ROPE, "head_dim": 8, "floor_scale": 8},
    "chunks": {"model_type": "qwen2", **ROPE, "dual_chunk_attention_config": {"chunk_size": 16, "local_size": 4}},
    "wrong": {"model_type": "llama", **ROPE, **scaled({"rope_type": "linear"}), "rope_tetha": 3},
    "unknown": {"model_type": "brandnew", **ROPE, "transformers_version": "5"},
    "nothing": {"model_type": "jamba", **SIZES},
    "bert": {"model_type": "bert", **SIZES},
    "relative": {"model_type": "bert", **SIZES, "position_embedding_type": "relative_key"},
    "bloom": {"model_type": "bloom", **SIZES},
    "opt": {"model_type": "opt", **SIZES},
    "t5": {"model_type": "t5", "d_model": 32, "d_kv": 8, "num_heads": 4, "num_layers": 2},
    "vit": {"model_type": "vit", **SIZES, "image_size": 12, "patch_size": 4},
    "sine": {"model_type": "distilbert", "sinusoidal_pos_embds": True, "dim": 32, "n_heads": 4, "n_layers": 2, **SIZES},
    "kinds": {"model_type": "gemma3_text", **ROPE, "head_dim": 8, "sliding_window": 8, "sliding_window_pattern": 2,
              "rope_local_base_freq": 50.0},
    "other_kinds": {"model_type": "gemma3_text", **ROPE, "head_dim": 8, "sliding_window": 8,
                    "sliding_window_pattern": 3, "rope_local_base_freq": 60.0},
    "some": {"model_type": "smollm3", **ROPE, "no_rope_layer_interval": 2},
    "swin": {"model_type": "swin", "image_size": 16, "patch_size": 4, "embed_dim": 8, "depths": [2, 2],
             "num_heads": [2, 4], "window_size": 2},
    "detr": {"model_type": "detr", "d_model": 32, "position_embedding_type": "sine", "encoder_attention_heads": 4},
    "dino": {"model_type": "dinov3_vit", **SIZES, "image_size": 12, "patch_size": 4},
    "qwen_vision": {"model_type": "qwen2_vl", **ROPE, "vision_config": {"embed_dim": 32, "num_heads": 4, "depth": 2}},
    "proportional": {"model_type": "llama", **ROPE,
                     **scaled({"rope_type": "proportional", "partial_rotary_factor": 0.5})},
    "ntk": {"model_type": "gte", **ROPE, **scaled({"rope_type": "ntk", "factor": 2.0})},
    "strange": {"model_type": "brandnew", **SIZES, "transformers_version": "5", "position_embedding_type": "strange"},
    "ahead": {"model_type": "modernbert", **ROPE, "local_attention": 16},
    "each": {"model_type": "led", **SIZES, "attention_window": [16, 32, 16, 32]},
    "one": {**WINDOW, "sliding_window": 1},
    "all_window": {"model_type": "gpt_oss", **ROPE, "head_dim": 8, "sliding_window": 8, "layer_types": [SLIDING] * 4},
    "uncounted": {"model_type": "brandnew", **ROPE, "num_hidden_layers": None, "transformers_version": "5"},
    "truncated": {"model_type": "llama", **ROPE, **scaled(YARN, truncate=False, attention_factor=2.0, mscale=1.0)},
    "no_original": {"model_type": "llama", **ROPE, **scaled(YARN, "original_max_position_embeddings")},
    "swin_tower": {"model_type": "llava", "text_config": {"model_type": "llama", **ROPE, "num_attention_heads": 16},
                   "vision_config": {"model_type": "swin", "image_size": 16, "patch_size": 4, "embed_dim": 8,
                                     "depths": [2, 2], "num_heads": [2, 4], "window_size": 2}},
    "seen_turning": {"model_type": "llava", "text_config": {"model_type": "llama", **ROPE},
                     "vision_config": {"model_type": "pixtral", **IMAGE, "rope_theta": 10000.0}},
    **{name: {"model_type": name} for name in ("ultrabert", "slanext_vision", "omniasr_audio", "lfm3", "neomme")},
    **{f"{name}/llama/config": {"model_type": "llama", **ROPE} for name in "ab"},
    "sees": {"model_type": "llava", "text_config": {"model_type": "llama", **ROPE},
             "vision_config": {"model_type": "clip_vision_model", **SIZES, "image_size": 12, "patch_size": 4}},
}  # fmt: skip
COMMANDS = (
    "encodings",
    "model",
    "identify",
    "extend",
    "tensors",
    "batch",
    "recipe",
    "redraw",
    "explore",
    "schema",
    "stats",
)
LINES = [
    *("", "--help", "help", *(f"{name} --help" for name in COMMANDS)),
    *(f"identify {name}.npy" for name in TABLES),
    *(f"identify --rates {rates}" for rates in ("1,0.1,0.01", "0.25,0.025,0.0025", "1,0.9,0.1", "0.5,0.25,0.125")),
    *(f"identify --rates 1,2,4,8 --base {base}" for base in (100, 10000)),
    *(f"model {name}.json" for name in CONFIGS if "/" not in name),
    *(f"model {name}.json --runtime all" for name in ("llama", "yarn", "llama3", "linear", "dynamic", "long", "both")),
    *(f"model {name}.json --runtime all" for name in ("partial", "version5", "unknown")),
    *(f"model dynamic.json -n {length}" for length in (64, 128)),
    *(f"model llama.json {other}.json --same" for other in ("near", "other_base", "linear", "partial", "bert")),
    *(f"model kinds.json {other}.json --same" for other in ("other_kinds", "llama", "some", "window", "t5")),
    "model bloom.json t5.json --same", "model vit.json dino.json --same",
    "extend broad.json --trained 8 --to 9000", "model yarn.json again.json --same", "extend both.json --to 256",
    *("model llama.json near.json --same --tolerance 0.01", "model yarn.json long.json bert.json"),
    *("model a/llama/config.json b/llama/config.json", "model a/llama/config.json llama.json"),
    *(f"extend {name}.json --to 256" for name in ("llama", "yarn", "linear", "long", "window")),
    *(f"extend {name}.json --to 256" for name in ("proportional", "kinds", "nothing", "all_window", "wrong")),
    *(f"extend {name}.json --to 256 --method {method}" for name, method in (
        ("llama", "base"), ("llama", "ntk"), ("version5", "ntk"), ("long", "longrope"))),
    *(f"model {name}.json {other}.json --same" for name, other in (
        ("wrong", "llama"), ("uncounted", "llama"), ("uncounted", "kinds"), ("window", "ahead"), ("each", "ahead"),
        ("chunks", "llama"), ("temperature", "llama"), ("latent", "yarn"), ("sine", "bert"), ("vit", "qwen_vision"),
        ("opt", "bert"))),
    *(f"model {name}.json --runtime all" for name in ("ntk", "strange", "truncated", "no_original", "chunks")),
    *(f"model {name}.json --runtime all" for name in ("kinds", "bert", "mrope")),
    *(f"model unknown.json uncounted.json --same{strict}" for strict in ("", " --strict")),
    "model unknown.json --strict",
    "model llama.json --runtime vllm --override rope_theta=5",
    "model llama.json --runtime transformers5 --override rope_parameters={}",
    "model sees.json --runtime vllm --override rope_theta=5",
    "model kinds.json --runtime vllm --override rope_parameters={\"rope_theta\":5}",
    "model temperature.json -n 40", "extend temperature.json --to 256",
    "explain sinusoidal:d=5,family=timestep --entry 0,4 -n 3", "explain geometric:d=4 -n 3",
    "stats sinusoidal:d=8,family=timestep -n 9", "stats sinusoidal:d=2 -n 2100",
    "stats geometric:d=200 -n 9", "explain -d 4 --tokens a", "explain -d 2 --dtype float16",
    "stats rope:d=16,scaling=llama3,factor=8,original=64,low_freq_factor=1,high_freq_factor=4,base=100 -n 600",
    *(f"stats {name}.json" for name in ("llama", "window", "window64", "yarn", "yarn_window", "dynamic", "chunks")),
    *(f"stats {spec} -n {length}" for spec, length in (
        ("rope:d=8,scaling=yarn,factor=4,original=16", 64), ("learned:d=4", 6), ("binary:d=3,values=pm1", 8),
        ("clock", 90), ("relative:d=4", 5), ("sinusoidal:d=5", 7), ("rope:d=8,rotary_dim=4", 40), ("xpos:d=4", 9),
        ("sinusoidal:d=2", 3), ("sinusoidal:d=4", 2), ("rope:d=4,base=100000", 9))),
    *("stats sincos2d:d=8 --grid 3x4", "stats binary:d=4 -n 9 --measure hamming --against cos"),
    *(f"explain {spec}" for spec in (
        "rope:d=4 -n 12", "rope:d=4 -n 10 --rows 3", "rope:d=4,pairing=half -n 3", "xpos:d=4 -n 3",
        "sinusoidal:d=5 -n 3",
        "sinusoidal:d=4,base=10 --entry 0,0 -n 3", "sinusoidal:d=4 --entry 2,3 -n 3 --digits 0",
        "sinusoidal:d=4 -n 3 --blank", "rope:d=8,scaling=linear,factor=2 -n 3", "rope:d=8,scaling=ntk,factor=2 -n 3",
        "rope:d=8,rotary_dim=4 -n 3",
        "binary:d=3 -n 4")),
    *(f"table {words}" for words in (
        "-d 4 -n 12", "-d 4 -n 3 --start 9", "clock -n 2", "binary:d=3 -n 4", "rope:d=4 -n 3", "relative:d=2 -n 2",
        "sincos2d:d=4 --grid 2x2", "rope:d=4,dtype=float16 -n 2")),
    *("tensors plain.npy complex.npy copies.npy", "tensors half.npy"),
    "table plain.npy:first_position=3,divisor=2 --start 3 -n 2",
    *(f"{line} --json" for line in (
        "identify one.npy", "identify noise.npy", "identify rope.npy", "identify --rates 1,0.1,0.01", "model yarn.json",
        "model sees.json", "model llama3.json", "model t5.json", "model window.json", "model temperature.json",
        "model latent.json", "model wrong.json", "model sine.json", "model kinds.json", "model swin.json",
        "model yarn.json long.json bert.json", "model long.json --runtime all",
        "model both.json --runtime mlx", "model relative.json", "model chunks.json llama.json --same",
        "model llama.json near.json --same", "model llama.json bert.json --same",
        "extend yarn.json --to 256", "stats window.json", "stats binary:d=3 -n 8", "explain rope:d=4 -n 3 --entry 1,2",
        "table clock -n 2", "tensors plain.npy complex.npy")),
]  # fmt: skip


@contextmanager
def furnished(folder: Path) -> Iterator[None]:
    """Make the files in a folder, the current one in the block."""
    before = Path.cwd()
    os.chdir(folder)
    try:
        for name, table in TABLES.items():
            np.save(f"{name}.npy", table())
        for name, config in CONFIGS.items():
            Path(name).parent.mkdir(parents=True, exist_ok=True)
            Path(f"{name}.json").write_text(json.dumps(config), encoding="utf-8")
        yield
    finally:
        os.chdir(before)


def printed(line: str) -> list[str]:
    """Return the lines of a report in Markdown, with numbers of few digits, and its exit code.

    What the rows of stats mean is left out.
    """
    if not line or line.endswith("help"):
        with pytest.MonkeyPatch.context() as patched:
            patched.setenv("COLUMNS", "200" if line == "--help" else "30")  # beyond the least and the most
            ended = CliRunner().invoke(app, line.split(), prog_name="pecli")
        text = ended.stdout.replace("\n\nOptions:\n  -h, --help  Show this message and exit.\n", "\n")
        text = text.partition("Options:")[0]  # these stand in declared.txt
        lines = [text for text in text.rstrip().splitlines()[1:] if not text.startswith("  ENCODING")]  # with its help
        return [f"$ {line}", *lines, f"exit {ended.exit_code}"]
    if line.endswith("--json"):
        ended = CliRunner().invoke(app, line.split(), prog_name="pecli")
        said = leaves("", json.loads(ended.stdout or "{}"))
        return [f"$ {line}", *said, *ended.stderr.splitlines(), f"exit {ended.exit_code}"]
    ended = CliRunner().invoke(app, [*line.split(), "--format", "md", "-o", "-"], prog_name="pecli")
    text = re.sub(r"\d+\.\d{7,}", lambda found: f"{float(found[0]):.5g}", ended.stdout + ended.stderr)
    text = re.sub(r"[\d.]+(×10⁻|e-)[\d⁰¹²³⁴⁵⁶⁷⁸⁹]{2}", "rounding", text)
    lines = [text for text in text.splitlines() if text and not (line.startswith("stats") and text.startswith("- **"))]
    lines = [text.replace("difference**: rounding", "difference**: 0") for text in lines]  # by numpy's version
    return [f"$ {line}", *lines, f"exit {ended.exit_code}"]


def leaves(place: str, data: Any) -> Iterator[str]:
    """Yield a line for each value of JSON, with its place; numbers have few digits, versions are left out."""
    items: list[tuple[Any, Any]] = [
        *(data.items() if isinstance(data, dict) else enumerate(data) if isinstance(data, list) else ())
    ]
    if any(isinstance(item, (dict, list)) for _, item in items) or isinstance(data, dict):
        for name, item in items:
            if name not in ("pecli", "matplotlib", "numpy"):
                yield from leaves(f"{place}.{name}".removeprefix("."), item)
    else:
        yield f"{place} = {', '.join(map(leaf, data if isinstance(data, list) else [data]))}"


def leaf(item: Any) -> str:
    return f"{round(item, 9):.5g}" if isinstance(item, float) else json.dumps(item, ensure_ascii=False)


def parts() -> dict[str, list[str]]:
    """Return the stored lines of each command."""
    lines = STORED.read_text(encoding="utf-8").splitlines()
    starts = [at for at, line in enumerate(lines) if line.startswith("$ ")]
    return {lines[at][2:]: lines[at:end] for at, end in zip(starts, [*starts[1:], len(lines)], strict=True)}


def command_of(line: str) -> str:
    return line.partition(" ")[0]


@pytest.mark.parametrize("command", dict.fromkeys(map(command_of, LINES)))
def test_reports_are_those_that_are_stored(command: str, tmp_path: Path) -> None:
    stored = parts()
    assert [*stored] == LINES
    with furnished(tmp_path):
        for line in LINES:
            if command_of(line) == command:
                assert printed(line) == stored[line]


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as made, furnished(Path(made)):
        found = [text for line in LINES for text in printed(line)]
    STORED.write_text("\n".join(found) + "\n", encoding="utf-8")
    sys.stdout.write(f"{STORED.stat().st_size:,} bytes\n")
