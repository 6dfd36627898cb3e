"""Tests of runtimes: results as observed in a run or read in the code; nothing is claimed of other cases."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from pecli.core.language import say
from pecli.languages import VERSIONS
from pecli.models.runtimes import apply_runtimes, runtimes_named
from pecli.reports.layers import layer_data
from pecli.reports.same import comparisons
from tests.conftest import Ask
from tests.models.dialect_cases import alike

CASES: dict[str, dict[str, Any]] = json.loads(
    (Path(__file__).parents[1] / "data" / "dialects" / "runtimes.json").read_text(encoding="utf-8")
)
ITEMS = [(name, at) for name, case in CASES.items() for at in range(len(case["gives"]))]
EVERY = ["transformers5", "transformers4", "vllm", "sglang", "llama.cpp", "mlx"]


def asked(ask: Ask, content: dict[str, Any], *words: str) -> dict[str, dict[str, Any]]:
    """Return what ``pecli model --runtime --json`` says, by runtime."""
    Path("config.json").write_text(json.dumps(content), encoding="utf-8")
    ended = ask("model", "config.json", "--json", *words)
    found = {item["runtime"]: item for item in json.loads(ended.out)["runtimes"]}
    assert (ended.code, ended.err) == (int(any(item["error"] for item in found.values())), "")
    return found


@pytest.mark.some(18)
@pytest.mark.parametrize(("name", "at"), ITEMS)
def test_a_runtime_does_what_was_looked_up(ask: Ask, folder: Path, name: str, at: int) -> None:
    gives = CASES[name]["gives"][at]
    words = ["--runtime", gives["runtime"]]
    words += ["--seq-len", str(gives["seq_len"])] if gives["seq_len"] else []
    words += ["--override", gives["override"]] if gives["override"] else []
    (found,) = asked(ask, CASES[name]["content"], *words).values()
    assert (found["error"], found["not_known"]) == (gives.get("error"), None)
    if "error" not in gives:
        (layer,) = found["layers"].values()
        assert alike(layer["inv_freq"], gives["inv_freq"], 2e-5)
        assert layer["attention_factor"] == pytest.approx(gives["cos_sin_factor"], rel=2e-6)


LLAMA = {"model_type": "llama", "hidden_size": 256, "num_attention_heads": 4, "num_hidden_layers": 2,
         "max_position_embeddings": 4096, "rope_theta": 1e4}  # fmt: skip
DYNAMIC: dict[str, Any] = {"rope_type": "dynamic", "factor": 4.0}
UNKNOWN: list[tuple[dict[str, Any], str, set[str]]] = [  # a file, the words, and of which runtimes nothing is known
    ({"rope_scaling": {"rope_type": "linear", "factor": 2.0}}, "", set()),
    ({"rope_scaling": {"rope_type": "llama3", "factor": 2.0, "low_freq_factor": 1.0, "high_freq_factor": 4.0,
                       "original_max_position_embeddings": 2048}}, "", set()),
    ({"rope_scaling": {"rope_type": "llama3", "factor": 2.0, "low_freq_factor": 1.0, "high_freq_factor": 4.0}}, "",
     {*EVERY} - {"transformers5"}),
    ({"model_type": "codegen"}, "", {*EVERY} - {"transformers5"}),
    ({"model_type": "gemma"}, "", {"transformers4", "mlx"}),
    ({"model_type": "qwen2"}, "", set()),
    ({"model_type": "qwen2"}, "head_dim=32", {"transformers4", "llama.cpp", "mlx"}),
    ({"model_type": "qwen2", "head_dim": 32}, "", {"transformers4", "mlx"}),
    ({"model_type": "qwen2", "rope_parameters": {"rope_theta": 1e6, "rope_type": "default"}}, "", {"mlx"}),
    ({"model_type": "qwen2", "dual_chunk_attention_config": {}}, "", {*EVERY} - {"transformers5"}),
    ({"model_type": "qwen2", "rope_scaling": DYNAMIC}, "", {"transformers4", "mlx"}),
    ({"model_type": "mistral", "head_dim": 32}, "", set()),
    ({"model_type": "mistral", "layer_types": ["sliding_attention"] * 2}, "", {*EVERY} - {"transformers5", "vllm"}),
    ({"partial_rotary_factor": 0.5}, "", {"llama.cpp"}),
    ({"rotary_pct": 0.5}, "", {*EVERY} - {"transformers5"}),
    ({"rope_parameters": {"rope_type": "default", "rope_theta": 1e4, "partial_rotary_factor": 0.5}}, "",
     {"vllm", "sglang", "llama.cpp"}),
    ({"model_type": "gemma2", "rope_parameters": {"rope_type": "proportional", "rope_theta": 1e4,
                                                  "partial_rotary_factor": 0.5}}, "", {*EVERY} - {"transformers5"}),
    ({"rope_scaling": {**DYNAMIC, "max_trained_positions": 1024}}, "", {*EVERY} - {"transformers5"}),
    ({"rope_scaling": {**DYNAMIC, "type": "linear"}}, "", {"llama.cpp"}),
    ({}, "rope_theta=3", {"sglang", "llama.cpp", "mlx"}),
    ({}, "", set()),
]  # fmt: skip


@pytest.mark.some(9)
@pytest.mark.parametrize("case", range(len(UNKNOWN)))
def test_what_was_not_looked_up_is_not_known(ask: Ask, folder: Path, case: int) -> None:
    more, override, expected = UNKNOWN[case]
    found = asked(ask, {**LLAMA, **more}, "--runtime", "all", *(["--override", override] if override else []))
    assert [*found] == EVERY
    assert {name for name, item in found.items() if item["not_known"]} == expected
    assert all(item["layers"] is None for name, item in found.items() if name in expected)


YARN = {"rope_type": "yarn", "factor": 4.0, "original_max_position_embeddings": 1024}
BETAS = {**YARN, "beta_fast": 32, "beta_slow": 1}
LATENT = {"qk_nope_head_dim": 128, "qk_rope_head_dim": 64}
BY_TRANSFORMERS = ("olmo2", "phi", "starcoder2", "gpt_neox", "smollm3", "bloom")  # classes of transformers, in vLLM too
IN_VLLM: list[tuple[dict[str, Any], str]] = [  # a file, and what of it is not known of vLLM, or "as transformers 5"
    *(({"model_type": kind}, "") for kind in (
        "qwen2", "qwen2_moe", "qwen3", "qwen3_moe", "mistral", "mixtral", "phi", "glm4", "gemma2", "gemma3_text",
        "olmo2", "starcoder2", "gpt_neox", "cohere", "falcon", "granite", "exaone4", "smollm3", "ernie4_5", "bloom")),
    *(({"model_type": kind, "rope_scaling": YARN}, "") for kind in ("qwen2", "qwen3", "qwen3_moe", "mixtral", "phi")),
    *(({"model_type": kind, "rope_scaling": {**YARN, **more}}, "") for kind in ("qwen3",) for more in (
        {"beta_fast": 1, "beta_slow": 32}, {"attention_factor": 2.0}, {"truncate": False}, {"mscale": 2.0})),
    ({"model_type": "qwen3", "rope_scaling": {**YARN, "beta_fast": 0}}, "beta_fast"),
    ({"model_type": "phi", "partial_rotary_factor": 0.25}, ""),
    ({"model_type": "mistral", "layer_types": ["sliding_attention", "full_attention"]}, ""),
    ({"model_type": "glm4", "layer_types": ["sliding_attention"] * 2}, "layer_types"),
    ({"model_type": "gemma2", "layer_types": ["sliding_attention"] * 2}, ""),
    ({"model_type": "gemma3_text", "rope_local_base_freq": 500.0, "sliding_window_pattern": 2}, ""),
    ({"model_type": "gemma3_text", "rope_scaling": {"rope_type": "linear", "factor": 8.0}}, ""),
    ({"model_type": "gpt_oss", "rope_scaling": {**BETAS, "truncate": False},
      "layer_types": ["sliding_attention", "full_attention"]}, ""),
    ({"model_type": "gpt_oss", "rope_scaling": BETAS, "layer_types": ["full_attention", "sliding_attention"]},
     "layer_types"),
    ({"model_type": "gpt_oss", "rope_scaling": YARN}, say("runtimes.without", keys="beta_fast, beta_slow")),
    ({"model_type": "deepseek_v3", **LATENT}, ""),
    ({"model_type": "qwen2_vl", "rope_scaling": {"type": "mrope", "rope_type": "default",
                                                 "mrope_section": [8, 12, 12]}}, ""),
    ({"model_type": "deepseek_v3", **LATENT, "rope_scaling": YARN}, ""),
    *(({"model_type": kind, **LATENT, "rope_scaling": {**BETAS, "mscale": 0.7, "mscale_all_dim": 1.0}}, "")
      for kind in ("deepseek_v2", "deepseek_v3")),
    ({"model_type": "deepseek_v3", **LATENT, "rope_scaling": {**YARN, "mscale": 0.7}}, "one_mscale"),
    ({"model_type": "codegen"}, say("runtimes.models_looked_up", kind="codegen", count=0)[:24]),
]  # fmt: skip


def test_vllm_does_as_transformers_5_with_the_types_whose_code_was_read(folder: Path) -> None:
    for more, unknown in IN_VLLM:
        content = {**LLAMA, "num_attention_heads": 4, **more}
        Path("config.json").write_text(json.dumps(content), encoding="utf-8")
        five, vllm = apply_runtimes("config.json", runtimes_named(["transformers5", "vllm"]), None, {})
        assert vllm.unknown.startswith(unknown) if unknown else not vllm.unknown, (more, vllm.unknown)
        if not unknown:
            assert five.model is not None and vllm.model is not None
            assert comparisons((five.model, vllm.model), 1e-9)
            assert all(item.same for item in comparisons((five.model, vllm.model), 1e-9)), more
            assert vllm.how == ("read" if more["model_type"] in BY_TRANSFORMERS else "ran") and vllm.why == (), more


LINEAR = {"rope_type": "linear", "factor": 2.0}
LLAMA3 = {"rope_type": "llama3", "factor": 2.0, "low_freq_factor": 1.0, "high_freq_factor": 4.0,
          "original_max_position_embeddings": 2048}  # fmt: skip
UNLIKE: list[tuple[str, dict[str, Any], str, Any]] = [  # a runtime, a file, the reason, and the error, the windows of
    # the layers, or a pair and its rate: from runs of the code (the constructors of vLLM and SGLang, the converter)
    ("vllm", {"model_type": "mpt"}, "type_removed", "ValueError"),
    ("vllm", {"sliding_window": 64}, "window_of_all_layers", [64, 64]),
    ("vllm", {"rope_scaling": {**LINEAR, "factor": 2}}, "factor_must_be_decimal", "TypeError"),
    ("sglang", {"rope_scaling": {**LINEAR, "factor": 2}}, "factor_must_be_decimal", "TypeError"),
    ("vllm", {"model_type": "cohere2", "sliding_window": 64}, "window_one_more", [65, 65]),
    ("sglang", {"model_type": "cohere2", "sliding_window": 64}, "window_one_more", [65, 65]),
    ("vllm", {"model_type": "qwen3", "use_sliding_window": True, "sliding_window": 64, "max_window_layers": 1},
     "windows_must_be_all", "AssertionError"),
    ("vllm", {"model_type": "qwen2_moe", "use_sliding_window": True, "sliding_window": 64,
              "layer_types": ["sliding_attention", "full_attention"]}, "mixed_window_not_applied", [None, None]),
    ("vllm", {"model_type": "qwen2", "head_dim": 32}, "head_dim_not_read", (31, 1e4 ** (-31 / 32))),
    ("vllm", {"model_type": "cohere", "rope_scaling": {
        "rope_type": "longrope", "short_factor": [1.0] * 32, "long_factor": [2.0] * 32, "factor": 4.0,
        "original_max_position_embeddings": 1024}}, "longrope_halves_only", "ValueError"),
    ("vllm", {"model_type": "qwen2_vl", "rope_scaling": {**YARN, "mrope_section": [8, 12, 12]}},
     "ramp_of_four_times_original", (12, 0.027973996)),
    ("sglang", {"partial_rotary_factor": 0.5}, "partial_applies", (15, 1e4 ** (-15 / 16))),
    ("sglang", {"model_type": "phi3", "sliding_window": 64}, "window_not_applied", [None, None]),
    ("llama.cpp", {"model_type": "phi3", "sliding_window": 64}, "window_not_applied", [None, None]),
    ("mlx", {"model_type": "phi3", "sliding_window": 64}, "window_not_applied", [None, None]),
    ("sglang", {"model_type": "gemma2", "rope_scaling": LINEAR}, "scaling_not_read", (0, 1.0)),
    ("sglang", {"model_type": "mixtral", "rope_scaling": YARN}, "scaling_not_read", (31, 1e4 ** (-31 / 32))),
    ("llama.cpp", {"model_type": "gemma", "rope_theta": 5e4, "rope_scaling": LINEAR}, "base_not_converted",
     (1, 1e4 ** (-1 / 128))),
    ("llama.cpp", {"model_type": "qwen3", "head_dim": 64, "rope_scaling": LLAMA3}, "converted_as_plain",
     (31, 1e4 ** (-31 / 32))),
    ("llama.cpp", {"rope_scaling": {**BETAS, "beta_fast": 16, "beta_slow": 2}}, "betas_not_read", (0, 1.0)),
]  # fmt: skip


@pytest.mark.parametrize(("name", "more", "why", "expected"), UNLIKE)
def test_a_runtime_differs_from_transformers_5(
    folder: Path, name: str, more: dict[str, Any], why: str, expected: Any
) -> None:
    Path("config.json").write_text(json.dumps({**LLAMA, **more}), encoding="utf-8")
    (found,) = apply_runtimes("config.json", runtimes_named([name]), None, {})
    assert say(f"runtimes.{why}", scaling="llama3") in found.why
    if isinstance(expected, str):
        assert found.error == expected
        return
    assert found.model is not None
    layers = {at: layer for layer in found.model.layers.values() for at in layer.indices}
    if isinstance(expected, list):
        windows = [layers[at].window for at in sorted(layers)]
        assert [window and window.length for window in windows] == expected
    else:
        assert layer_data(layers[0])["inv_freq"][expected[0]] == pytest.approx(expected[1], rel=1e-5)


WINDOWED = [  # a file, and the first layer with a window, None if there is none
    ({"model_type": "mistral"}, 0),
    ({"model_type": "mistral", "sliding_window": None}, None),
    ({"model_type": "qwen2", "sliding_window": 64, "max_window_layers": 1}, None),
    ({"model_type": "qwen2", "sliding_window": 64, "max_window_layers": 1, "use_sliding_window": True}, 1),
]


@pytest.mark.some(2)
@pytest.mark.parametrize(("more", "first"), WINDOWED)
def test_only_transformers_applies_the_windows_of_mistral_and_qwen2(
    ask: Ask, folder: Path, more: dict[str, Any], first: int | None
) -> None:
    found = asked(ask, {**LLAMA, **more}, "--runtime", "transformers5,transformers4,sglang,llama.cpp,mlx")
    for name, item in found.items():
        applied = first is not None and name.startswith("transformers")
        windows = [layer for layer in item["layers"].values() if layer["attention_window"]]
        assert [layer["attention_window_layers"][0] for layer in windows] == ([first] if applied else []), name
        assert (say("runtimes.window_not_applied") in item["why"]) == (first is not None and not applied), name


@pytest.mark.long
def test_runtimes_stand_side_by_side_with_what_differs_from_the_first(ask: Ask, folder: Path) -> None:
    content = {**LLAMA, "rope_scaling": DYNAMIC}
    found = asked(ask, content, "--runtime", "transformers5,sglang", "--seq-len", "1024")
    assert found["transformers5"]["comparison"] is None
    other = found["sglang"]["comparison"]
    assert (other["same"], other["layers"][0]["first_pair"], other["layers"][0]["pairs"]) == (False, 1, 32)
    assert other["layers"][0]["drift"]["1024"] < 0.9
    assert found["sglang"]["why"] == [say("runtimes.dynamic_is_constant")]
    text = " ".join(ask("model", "config.json", "--runtime", "all").out.split())
    assert say("same.drift") in text and say("runtimes.why") in text
    assert [version for version in VERSIONS.values() if f"transformers {version}." not in text] == []


@pytest.mark.parametrize(
    "words",
    [
        ["config.json", "--runtime", "none"],
        ["config.json", "b.json", "--runtime", "all"],
        ["config.json", "--runtime", "all", "--cite"],
        ["config.json", "--runtime", "all", "-o", "a.png"],
    ],
)
def test_runtimes_that_cannot_be_are_refused(ask: Ask, folder: Path, words: list[str]) -> None:
    for name in ("config.json", "b.json"):
        Path(name).write_text(json.dumps(LLAMA), encoding="utf-8")
    assert ask("model", *words).code == 2


def test_llama3_turns_in_vllm_and_sglang_as_their_code_does(ask: Ask, folder: Path) -> None:
    factor, low, high, original = 8.0, 1.0, 4.0, 2048
    scaling = {"rope_type": "llama3", "factor": factor, "low_freq_factor": low, "high_freq_factor": high,
               "original_max_position_embeddings": original}  # fmt: skip
    found = asked(ask, {**LLAMA, "rope_scaling": scaling}, "--runtime", "vllm,sglang")
    rates = 1e4 ** (-np.arange(32) / 32)
    waves = 2 * np.pi / rates
    smooth = (original / waves - low) / (high - low)
    blended = (1 - smooth) * rates / factor + smooth * rates
    wanted = np.where(waves < original / high, rates, np.where(waves > original / low, rates / factor, blended))
    for item in found.values():
        assert np.allclose(item["layers"]["all"]["inv_freq"], wanted, rtol=1e-12)
        assert (item["error"], item["not_known"], item["why"]) == (None, None, [])


@pytest.mark.long
def test_the_converter_of_llama_cpp_reads_the_original_length_in_the_scaling(ask: Ask, folder: Path) -> None:
    """Converter of llama-cpp-python 0.3.36, conversion/llama.py: `rope_params.get(..., 8192)`."""
    for inner in (2048, 8192):
        content = {**LLAMA, "rope_scaling": {**LLAMA3, "original_max_position_embeddings": inner}}
        found = asked(ask, content, "--runtime", "transformers4,llama.cpp")
        (layer,) = (each for each in found["llama.cpp"]["layers"].values())
        (other,) = (each for each in found["transformers4"]["layers"].values())
        assert layer["inv_freq"] == other["inv_freq"], inner
        assert (found["transformers4"]["how"], found["llama.cpp"]["how"]) == ("read", "read")


def test_a_runtime_that_refuses_the_file_is_an_error_and_one_that_is_not_known_is_none(ask: Ask, folder: Path) -> None:
    linear = {"rope_scaling": {"rope_type": "linear"}}
    for more, words, code in (
        ({}, ["vllm", "--override", '{"rope_scaling": {"type": "yarn", "factor": 4}}'], 1),
        ({"rope_scaling": {**DYNAMIC, "type": "linear"}}, ["vllm"], 1),
        ({"rope_scaling": {**DYNAMIC, "type": "linear"}}, ["mlx"], 0),
        (linear, ["transformers5"], 1),
        ({"model_type": "codegen"}, ["vllm"], 0),
        ({}, ["sglang", "--override", "rope_theta=3"], 0),
    ):
        Path("config.json").write_text(json.dumps({**LLAMA, **more}), encoding="utf-8")
        assert ask("model", "config.json", "--runtime", *words).code == code, (more, words)
