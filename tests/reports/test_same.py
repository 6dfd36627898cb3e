"""Tests of the comparison of two models: equality of each rate, and the drift of positions."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from pecli.core.language import say
from pecli.encodings.rope import Rope
from pecli.measures.drift import drift
from tests.conftest import Ask
from tests.models.gguf_files import gguf

LLAMA3: dict[str, Any] = {
    "scaling": "llama3",
    "factor": 8,
    "original": 8192,
    "low_freq_factor": 1,
    "high_freq_factor": 4,
}
OTHERS: dict[str, dict[str, Any]] = {
    "dropped": {"base": 500000}, "10000": {"base": 10000},
    "linear": {"base": 500000, "scaling": "linear", "factor": 8},
}  # fmt: skip


@pytest.mark.parametrize(
    ("other", "below", "first"),
    [("dropped", 0.5, 60725), ("dropped", 0.9, 1724), ("10000", 0.5, 27), ("linear", 0.5, 190)],
)
def test_the_first_position_at_which_rates_have_drifted_so_far(other: str, below: float, first: int) -> None:
    one, two = Rope(d=128, base=500000, **LLAMA3).frequencies(), Rope(d=128, **OTHERS[other]).frequencies()
    found = drift(one, two, np.arange(first + 1))
    assert np.flatnonzero(found < below).tolist() == [first]


def test_the_drift_is_the_mean_over_pairs_of_a_cosine() -> None:
    one, two = Rope(d=128, base=500000, **LLAMA3).frequencies(), Rope(d=128, base=500000).frequencies()
    assert drift(one, two, np.array([0, 8191])).tolist() == pytest.approx([1, 0.768971], abs=5e-7)
    assert drift(np.array([1.0, 0.5]), np.array([0.5, 0.5]), np.array([2 * np.pi])).tolist() == [0.0]
    with pytest.raises(ValueError, match="rates"):
        drift(one, two[1:], np.arange(3))


CONFIG: dict[str, Any] = {
    "model_type": "llama", "hidden_size": 4096, "num_attention_heads": 32, "num_hidden_layers": 2,
    "max_position_embeddings": 131072, "rope_theta": 5e5,
    "rope_scaling": {"rope_type": "llama3", "factor": 8.0, "low_freq_factor": 1.0, "high_freq_factor": 4.0,
                     "original_max_position_embeddings": 8192},
}  # fmt: skip
DIVISORS = (Rope(d=128, base=500000).frequencies() / Rope(d=128, base=500000, **LLAMA3).frequencies()).tolist()
GGUF: dict[str, Any] = {
    "general.architecture": "llama", "llama.context_length": 131072, "llama.embedding_length": 4096,
    "llama.block_count": 2, "llama.attention.head_count": 32, "llama.rope.freq_base": 5e5,
    "rope_freqs.weight": DIVISORS,
}  # fmt: skip
QWEN: dict[str, Any] = {
    "model_type": "qwen2", "hidden_size": 4096, "num_attention_heads": 32, "num_hidden_layers": 2,
    "max_position_embeddings": 32768, "rope_theta": 1e6,
    "rope_scaling": {"type": "yarn", "factor": 4.0, "original_max_position_embeddings": 32768},
}  # fmt: skip
GEMMA: dict[str, Any] = {
    "model_type": "gemma3_text", "hidden_size": 2560, "num_attention_heads": 8, "head_dim": 256,
    "num_hidden_layers": 12, "max_position_embeddings": 131072, "rope_theta": 1e6, "rope_local_base_freq": 1e4,
    "sliding_window": 1024, "sliding_window_pattern": 6,
}  # fmt: skip
YARN = QWEN["rope_scaling"]
PHI: dict[str, Any] = {
    "model_type": "phi3", "hidden_size": 256, "num_attention_heads": 4, "num_hidden_layers": 2, "pad_token_id": 0,
    "max_position_embeddings": 8192, "original_max_position_embeddings": 1024,
    "rope_scaling": {"type": "longrope", "short_factor": [1.0] * 32, "long_factor": [2.0] * 32},
}  # fmt: skip
LONGER = {**PHI, "rope_scaling": {**PHI["rope_scaling"], "long_factor": [2.0] * 31 + [4.0]}}
QWEN_GGUF: dict[str, Any] = {
    "general.architecture": "qwen2", "qwen2.context_length": 131072, "qwen2.embedding_length": 4096,
    "qwen2.block_count": 2, "qwen2.attention.head_count": 32, "qwen2.rope.freq_base": 1e6,
    "qwen2.rope.scaling.type": "yarn", "qwen2.rope.scaling.factor": 4.0,
    "qwen2.rope.scaling.original_context_length": 32768,
}  # fmt: skip
DYNAMIC = {**CONFIG, "rope_scaling": {"rope_type": "dynamic", "factor": 2.0}}
META = {"dim": 4096, "n_heads": 32, "n_layers": 2, "multiple_of": 256, "rope_theta": 5e5, "use_scaled_rope": True}
UPPER = {"model_type": "qwen2", "num_hidden_layers": 4, "rope_scaling": None, "use_sliding_window": True,
         "sliding_window": 64, "max_window_layers": 1}  # fmt: skip
FALCON = {"model_type": "falcon", "hidden_size": 2048, "num_attention_heads": 32, "num_hidden_layers": 2}
Case = tuple[dict[str, Any], dict[str, Any], bool, dict[str, Any]]
CASES: dict[str, Case] = {  # two files, whether they are the same, and what the first comparison that is not has
    "itself": (CONFIG, CONFIG, True, {"largest_relative_difference": 0.0, "pairing": None}),
    "gguf": (CONFIG, GGUF, True, {"permutation": True, "pairing": ["half", "interleaved"]}),
    "params": (META, CONFIG, True, {"pairing": ["interleaved", "half"]}),
    "yarn": (QWEN, QWEN_GGUF, True, {"differing": {}}),  # 32,768 and 131,072, the context before and after YaRN
    "lost": (GGUF, {**CONFIG, "rope_scaling": None}, False,
             {"first_pair": 29, "pairs_differing": 35, "largest_relative_difference": pytest.approx(0.875),
              "drift": pytest.approx({"1024": 0.961358, "8192": 0.768946, "32768": 0.596591, "131072": 0.501827},
                                     abs=2e-6)}),
    "base": (CONFIG, {**CONFIG, "rope_theta": 1e4}, False, {"first_pair": 1, "pairs_differing": 63}),
    "attention": (QWEN, {**QWEN, "rope_scaling": {**YARN, "attention_factor": 1.0}}, False,
                  {"first_pair": None, "differing": {"attention_factor": pytest.approx([1.1386294, 1.0])}}),
    "window": (GEMMA, {**GEMMA, "sliding_window": 512}, False, {"differing": {"attention_window": [1024, 512]}}),
    "upper": ({**CONFIG, **UPPER}, {**CONFIG, **UPPER, "max_window_layers": 2}, False,
              {"indices": [1], "differing": {"attention_window": [64, None]}}),
    "pattern": (GEMMA, {**GEMMA, "sliding_window_pattern": 4}, False,
                {"layers": ["sliding_attention", "full_attention"], "indices": [3, 7]}),
    "partial": (CONFIG, {**CONFIG, "model_type": "stablelm", "partial_rotary_factor": 0.5}, False,
                {"largest_relative_difference": None, "drift": {}}),
    "long": (PHI, LONGER, False, {"seq_len": 1025, "first_pair": 31}),
    "dynamic": (CONFIG | {"rope_scaling": None}, DYNAMIC, False, {"differing": {"extended": [131072, 262144]}}),
    "context": (QWEN | {"rope_scaling": None}, QWEN | {"rope_scaling": None, "max_position_embeddings": 4096}, False,
                {"differing": {"max_position": [32768, 4096], "original": [32768, 4096], "extended": [32768, 4096]}}),
    "kinds": (FALCON, {**FALCON, "alibi": True}, False,
              {"largest_relative_difference": None, "pairs": 0, "differing": {"kind": ["rope", "alibi"]}, "drift": {}}),
    "layers": (CONFIG, {**CONFIG, "num_hidden_layers": 3}, False, {"layers": ["", "all"], "indices": [2]}),
}  # fmt: skip


def stored(folder: Path, number: int, content: dict[str, Any]) -> str:
    """Write a file and return its path."""
    (folder / str(number)).mkdir()
    name = "model.gguf" if "general.architecture" in content else "params.json" if "dim" in content else "config.json"
    path = folder / str(number) / name
    path.write_bytes(gguf(content) if name == "model.gguf" else json.dumps(content).encode())
    return f"{number}/{name}"


@pytest.mark.some(18)
@pytest.mark.parametrize("name", CASES)
def test_two_files_are_held_against_each_other(ask: Ask, folder: Path, name: str) -> None:
    one, other, same, expected = CASES[name]
    paths = [stored(folder, 1, one), stored(folder, 2, other)]
    ended = ask("model", *paths, "--same", "--json")
    data = json.loads(ended.out)
    assert (ended.code, data["same"]) == (0 if same else 1, same)
    found = next((item for item in data["layers"] if not item["same"]), data["layers"][0])
    assert {key: found[key] for key in expected} == expected
    text = ask("model", *paths, "--same").out
    if Path(paths[0]).name == Path(paths[1]).name:
        assert say("same.same" if same else "same.differ", one="1", other="2") in text


def test_a_tolerance_is_the_largest_share_of_a_number(ask: Ask, folder: Path) -> None:
    paths = [stored(folder, 1, CONFIG), stored(folder, 2, {**CONFIG, "rope_theta": 500001.0})]
    codes = [ask("model", *paths, "--same", "--tolerance", str(share)).code for share in (1e-6, 1e-5)]
    assert codes == [1, 0]
    assert ask("model", *paths, "--same", "--tolerance", "-1").code == 2
    assert ask("model", paths[0], "--same").code == 2


@pytest.mark.long
def test_two_models_side_by_side_say_what_differs_too(ask: Ask, folder: Path) -> None:
    paths = [stored(folder, 1, CONFIG), stored(folder, 2, {**CONFIG, "rope_theta": 1e4})]
    ended = ask("model", *paths, "--json")
    assert (ended.code, json.loads(ended.out)["comparison"]["same"]) == (0, False)
    assert say("same.drift") in ask("model", *paths).out


@pytest.mark.some(6)
@pytest.mark.parametrize(
    ("paths", "names"),
    [
        ("m/a/config.json m/b/config.json", "a b"),
        ("m/a/config.json x/a/config.json", "m/a x/a"),
        ("m/a m/b", "a b"),
        ("config.json other.json", "config.json other.json"),
        ("m/b/config.json m/b/other.json", "config.json other.json"),
        ("m/b/config.json config.json", "b/config.json config.json"),
    ],
)
def test_files_have_names_that_tell_them_apart(paths: str, names: str, ask: Ask, folder: Path) -> None:
    for name in paths.split():
        path = folder / name if name.endswith(".json") else folder / name / "config.json"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(json.dumps(CONFIG))
    one, other = names.split()
    assert ask("model", *paths.split(), "--same").out.splitlines()[0] == say("same.same", one=one, other=other)
