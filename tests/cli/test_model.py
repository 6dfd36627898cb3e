"""Tests of `pecli model`: the text and the JSON for config files."""

from __future__ import annotations

import json
import re
import shutil
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import pecli
from pecli.core.language import listing, say
from pecli.encodings.registry import ENCODINGS
from pecli.encodings.rope import Rope
from pecli.files.metadata import read_metadata
from pecli.languages.en import TEXTS
from pecli.models.layers import codes
from tests.conftest import Ask

CONFIGS = Path(__file__).parents[1] / "data" / "configs"
ROPE = ("kind", "spec", "head_dim", "rotary_dim", "pairing", "base", "scaling", "inv_freq", "attention_factor")


def told(ask: Ask, name: str, *words: str) -> dict[str, Any]:
    """Return what `pecli model --json` prints."""
    ended = ask("model", str(CONFIGS / f"{name}.json"), "--json", *words)
    assert (ended.code, ended.err) == (0, "")
    return dict(json.loads(ended.out))


BARE = {"model_type": "llama", "hidden_size": 128, "num_attention_heads": 1, "max_position_embeddings": 4096}
LINEAR = {"rope_scaling": {"rope_type": "linear", "factor": 4.0}}
DYNAMIC = {"rope_scaling": {"rope_type": "dynamic", "factor": 4.0}}
GEMMA_3_4B = {
    "model_type": "gemma3_text", "hidden_size": 2560, "num_attention_heads": 8, "head_dim": 256,
    "num_hidden_layers": 12, "max_position_embeddings": 131072, "rope_theta": 1e6, "rope_local_base_freq": 1e4,
    "sliding_window": 1024, "sliding_window_pattern": 6, "rope_scaling": {"rope_type": "linear", "factor": 8.0},
}  # fmt: skip


@pytest.mark.some(9)
@pytest.mark.parametrize(
    ("config", "words", "expected"),  # original context, slow pairs unscaled in it; extended context, and scaled
    [
        (BARE, [], (4096, 18, 4096, 18)),
        (BARE | DYNAMIC, [], (4096, 18, 16384, 21)),
        (BARE | DYNAMIC, ["--seq-len", "8192"], (4096, 18, 8192, 21)),
        ("llama-3.1", [], (8192, 29, 131072, 25)),
        ("qwen2.5-yarn", [], (32768, 24, 131072, 24)),
        ("gpt-oss", [], (4096, 14, 131072, 14)),
        ("deepseek-v3", [], (4096, 9, 163840, 9)),
        ("phi-3.5", [], (4096, 14, 131072, 9)),  # the long factors, which hold there
        ("trap-dynamic-original", [], (4096, 18, 16384, 21)),  # begins at max_position_embeddings
    ],
)
def test_unscaled_rates_are_judged_in_the_original_context_and_scaled_ones_in_the_extended(
    ask: Ask, folder: Path, config: Any, words: list[str], expected: tuple[int, ...]
) -> None:
    if isinstance(config, dict):
        (folder / "config.json").write_text(json.dumps(config))
    path = "config.json" if isinstance(config, dict) else str(CONFIGS / f"{config}.json")
    (layer,) = json.loads(ask("model", path, "--json", *words).out)["layers"].values()
    names = ("original", "longer_than_original", "extended", "longer_than_extended")
    assert tuple(layer[name] for name in names) == expected
    waves = 2 * np.pi * layer["base"] ** (2 * np.arange(layer["rotary_dim"] // 2) / layer["rotary_dim"])
    assert (waves > expected[0]).sum() == expected[1]
    assert layer["critical_dimension"] == layer["rotary_dim"] - 2 * expected[1]
    text = " ".join(ask("model", path, *words).out.split())
    assert (say("model.count_original", count=expected[0]) in text) == (expected[0] != expected[2])


MISTRAL = {**BARE, "model_type": "mistral", "num_hidden_layers": 4, "max_position_embeddings": 32768}
MODERNBERT = {**MISTRAL, "model_type": "modernbert-decoder", "hidden_size": 768, "num_attention_heads": 12}
QWEN2 = {**MISTRAL, "model_type": "qwen2", "sliding_window": 4096, "use_sliding_window": True, "max_window_layers": 3}


@pytest.mark.some(9)
@pytest.mark.parametrize(
    ("config", "kind", "expected"),  # the window, the layers that have it, pairs that turn less than once in it
    [
        ("gemma-3", "sliding_attention", (1024, [*range(5), *range(6, 11)], 57)),
        ("gemma-3", "full_attention", (None, [], None)),
        ("gemma-2", "all", (4096, [0, 2], 37)),
        ("gpt-oss", "all", (128, [0, 2], 23)),
        ("modernbert", "sliding_attention", (65, [1, 2, 4, 5], 23)),  # to each side half of 128, and the own key
        (MODERNBERT, "sliding_attention", (64, [1, 2], 23)),
        ({**MODERNBERT, "local_attention": 256}, "sliding_attention", (128, [1, 2], 21)),
        ({**MODERNBERT, "local_attention": 256, "sliding_window": 64}, "sliding_attention", (64, [1, 2], 23)),
        ("exaone-4-small", "all", (None, [], None)),
        ("exaone-4", "sliding_attention", (4096, [0, 1, 2, 4, 5, 6], 35)),
        ("llama-4-scout", "chunked_attention", (8192, [0, 1, 2, 4, 5, 6], 29)),
        (MISTRAL, "all", (4096, [0, 1, 2, 3], 18)),
        ({**MISTRAL, "sliding_window": 1024}, "all", (1024, [0, 1, 2, 3], 28)),
        ({**MISTRAL, "sliding_window": None}, "all", (None, [], None)),
        ({**MISTRAL, "model_type": "phi3"}, "all", (None, [], None)),
        ({**MISTRAL, "model_type": "llama", "sliding_window": 1024}, "all", (None, [], None)),
        (QWEN2, "all", (4096, [3], 18)),
        ({**QWEN2, "layer_types": ["sliding_attention"] * 2 + ["full_attention"] * 2}, "all", (4096, [0, 1], 18)),
        ({**QWEN2, "use_sliding_window": False}, "all", (None, [], None)),
        ({**QWEN2, "max_window_layers": None}, "all", (None, [], None)),  # 28 by default, and there are 4
        ({**QWEN2, "use_sliding_window": None}, "all", (None, [], None)),
        ({**QWEN2, "model_type": "qwen3_moe"}, "all", (4096, [0, 1, 2, 3], 18)),
    ],
)
def test_layers_with_a_window_and_their_pairs_within_it(
    ask: Ask, folder: Path, config: Any, kind: str, expected: tuple[int | None, list[int], int | None]
) -> None:
    if isinstance(config, dict):
        (folder / "config.json").write_text(json.dumps(config))
    path = "config.json" if isinstance(config, dict) else str(CONFIGS / f"{config}.json")
    ended = ask("model", path, "--json")
    layer = json.loads(ended.out)["layers"][kind]
    names = ("attention_window", "attention_window_layers", "longer_than_attention_window")
    assert tuple(layer[name] for name in names) == expected
    if expected[1] == layer["layer_indices"] != []:  # no query of theirs sees more
        assert layer["critical_dimension"] == layer["rotary_dim"] - 2 * layer["unscaled_longer_than_attention_window"]
        assert layer["searched_offsets"] == layer["critical_dimension_length"] - 1 == (expected[0] or 0) - 1


def test_pairs_within_a_window_are_counted_unscaled_and_scaled(ask: Ask) -> None:
    layer = told(ask, "exaone-4")["layers"]["sliding_attention"]
    assert layer["unscaled_longer_than_attention_window"] == 33 > layer["longer_than_original"]
    assert layer["critical_dimension"] == 128 - 2 * 33


@pytest.mark.long
@pytest.mark.parametrize("config", ["gte-ntk", BARE | LINEAR, GEMMA_3_4B])  # a larger base, or divided positions
def test_a_scaling_of_which_files_differ_in_the_context_claims_none(ask: Ask, folder: Path, config: Any) -> None:
    if isinstance(config, dict):
        (folder / "config.json").write_text(json.dumps(config))
    path = "config.json" if isinstance(config, dict) else str(CONFIGS / f"{config}.json")
    layers = json.loads(ask("model", path, "--json").out)["layers"]
    layer = layers.get("full_attention", layers.get("all"))
    names = ("original", "extended", "critical_dimension", "longer_than_original", "longer_than_extended")
    assert [layer[name] for name in names] == [None] * 5
    text = " ".join(ask("model", path).out.split())
    assert say("model.positions_original_or_extended", count=layer["max_position"]) in text


LLAMA_31 = {"rope_type": "llama3", "factor": 8.0, "low_freq_factor": 1.0, "high_freq_factor": 4.0}
FACTORS = {"short_factor": [1 + 0.02 * j for j in range(48)], "long_factor": [1 + 1.3 * j for j in range(48)]}
LONGROPE = {"rope_scaling": {"type": "longrope", **FACTORS}, "original_max_position_embeddings": 4096}
CONTEXTS: list[tuple[dict[str, Any], str, list[str], tuple[int | None, ...]]] = [
    # a config, the kind of its layers, words; window, original context, slow pairs, extended context, slow, critical
    (BARE, "", [], (None, 4096, 18, 4096, 18, 92)),
    (BARE | LINEAR, "", [], (None, None, None, None, None, None)),
    (BARE | {"rope_scaling": {"type": "dynamic", "factor": 8.0}}, "", [], (None, 4096, 18, 32768, 22, 92)),
    (BARE | {"rope_scaling": {"type": "dynamic", "factor": 8.0}}, "", ["-n", "2000"], (None, 4096, 18, 32768, 22, 92)),
    (BARE | {"rope_scaling": {"type": "dynamic", "factor": 8.0}}, "", ["-n", "20000"], (None, 4096, 18, 20000, 23, 92)),
    (
        BARE | {"max_position_embeddings": 131072, "rope_theta": 5e5}
        | {"rope_scaling": LLAMA_31 | {"original_max_position_embeddings": 8192}},
        "", [], (None, 8192, 29, 131072, 25, 70),
    ),
    (MISTRAL, "", [], (4096, 32768, 4, 32768, 4, 92)),
    *(
        (
            {**BARE, "model_type": "phi3", "head_dim": 96, "max_position_embeddings": 131072} | LONGROPE,
            "", words, (None, 4096, 14, 131072, 15, 68),
        )
        for words in ([], ["-n", "300"], ["-n", "5000"])
    ),
    (GEMMA_3_4B, "#full_attention", [], (None, None, None, None, None, None)),
    (GEMMA_3_4B, "#sliding_attention", [], (1024, 131072, 0, 131072, 0, 142)),
]  # fmt: skip


@pytest.mark.long
@pytest.mark.parametrize(("config", "kind", "words", "expected"), CONTEXTS)
def test_model_and_stats_count_in_the_same_contexts(
    ask: Ask, folder: Path, config: dict[str, Any], kind: str, words: list[str], expected: tuple[int | None, ...]
) -> None:
    (folder / "config.json").write_text(json.dumps(config))
    layer = json.loads(ask("model", "config.json", "--json", *words).out)["layers"][kind[1:] or "all"]
    (result,) = json.loads(ask("stats", f"config.json{kind}", "--json", *(words or ["-n", "99"])).out)["results"]
    stats = result["facts"]["statistics"][0]
    names = ("original", "longer_than_original", "extended", "longer_than_extended", "critical_dimension")
    assert (layer["attention_window"], *(layer[name] for name in names)) == expected
    within = ("unscaled_longer_than_attention_window", "longer_than_attention_window")
    assert [layer[name] for name in within] == [stats["window_unscaled_slow_pairs"], stats["window_slow_pairs"]]
    same = ("window", "original", "unscaled_slow_pairs", "extended", "slow_pairs", "critical_dimension")
    assert tuple(stats[name] for name in same) == expected
    spectrum = json.loads(ask("spectrum", f"config.json{kind}", "--json", *words, "-o", "a.svg").out)["results"][0]
    drawn = spectrum["facts"].get("contexts", {})
    scaled = layer["scaling"] != "default"
    assert [drawn.get(f"{name} context") for name in ("original", "extended")] == [
        layer[name] if scaled else None for name in ("original", "extended")
    ]
    (again,) = json.loads(ask("stats", layer["spec"], "--json", *(words or ["-n", "99"])).out)["results"]
    assert again["facts"]["statistics"][0] == stats


def test_the_json_has_every_key_of_a_rope(ask: Ask) -> None:
    data = told(ask, "llama-3.1")
    (layer,) = data["layers"].values()
    assert set(ROPE) | {"max_position", "layer_indices"} <= set(layer)
    assert len(layer["inv_freq"]) == layer["rotary_dim"] // 2
    assert all(set(item) == {"key", "value", "level", "text"} for item in data["findings"])
    assert [len(told(ask, name)["findings"]) for name in ("bert", "roberta", "bart")] == [0, 1, 1]


def test_the_spec_to_type_draws_the_same_rates(ask: Ask) -> None:
    from pecli.encodings.spec import read_encoding

    layer = told(ask, "phi-3.5")["layers"]["all"]
    made = read_encoding(layer["spec"])
    assert isinstance(made, Rope)
    np.testing.assert_array_equal(made.frequencies(), layer["inv_freq"])


@pytest.mark.parametrize(
    ("words", "code", "reason"),
    [
        ([], 2, "needs the path of a config.json"),
        (["no/config.json"], 1, "no/config.json does not exist"),
        ([str(CONFIGS / "bert.json"), "--seq-len", "0"], 2, "--seq-len 0 is not allowed"),
        ([str(CONFIGS / "gives.toml")], 1, "is not a config"),
    ],
)
def test_what_cannot_be_read_is_one_line(ask: Ask, words: list[str], code: int, reason: str) -> None:
    ended = ask("model", *words)
    assert ended.code == code
    assert reason in ended.err and ended.err.count("\n") == 1
    assert ended.out == ""


@pytest.mark.parametrize(
    ("config", "length", "context"),  # the largest that any layers have
    [("llama-3.1", 131_073, 131_072), ("qwen2.5-yarn", 131_073, 131_072), ("llama-3.1", 131_072, None)],
)
def test_a_length_beyond_the_context_is_a_note(ask: Ask, config: str, length: int, context: int | None) -> None:
    findings = told(ask, config, "--seq-len", str(length))["findings"]
    found = [item for item in findings if item["key"] == "seq_len"]
    assert [item["level"] for item in found] == ["note"] * (context is not None)
    assert all(item["value"] == length and f"{context:,}" in item["text"] for item in found)


@pytest.mark.long
def test_a_picture_of_a_config_carries_numbers_and_no_path(ask: Ask, folder: Path) -> None:
    config = str(CONFIGS / "llama-3.1.json")
    assert ask("spectrum", "-e", config, "-e", "rope", "-o", "s.svg").code == 0
    text = (folder / "s.svg").read_text(encoding="utf-8")
    assert "scaling=llama3" in text and "config" not in text and "tests/data" not in text
    assert ask("compare", config, "rope", "--figure", "offsets", "-n", "64", "-o", "c.json").code == 0
    assert "scaling=llama3" in ask("recipe", "s.svg").out


QWEN = {
    "model_type": "qwen2_5_vl",
    "hidden_size": 3584,
    "num_attention_heads": 28,
    "num_hidden_layers": 2,
    "max_position_embeddings": 128000,
    "rope_scaling": {"type": "mrope", "mrope_section": [16, 24, 24]},
    "vision_config": {"depth": 32, "hidden_size": 1280, "num_heads": 16, "patch_size": 14},
    "audio_config": {"model_type": "clip_vision_model", "hidden_size": 64, "image_size": 224, "patch_size": 14},
}


def test_towers_stand_beside_the_language_model(ask: Ask, folder: Path) -> None:
    (folder / "config.json").write_text(json.dumps(QWEN))
    data = json.loads(ask("model", "config.json", "--json").out)
    assert data["layers"]["all"]["axes"] == "t" * 16 + "h" * 24 + "w" * 24
    vision, audio = (data["towers"][name] for name in ("vision", "audio"))
    assert vision["architecture"] == "qwen2_5_vl_vision"
    assert vision["layers"]["all"]["axes"] == "h" * 20 + "w" * 20
    rates = 10000.0 ** (-np.arange(0, 40, 2) / 40)  # of each axis: 40 of the 80 columns
    np.testing.assert_allclose(vision["layers"]["all"]["inv_freq"], [*rates, *rates], rtol=1e-12)
    assert (audio["layers"]["all"]["length"], audio["layers"]["all"]["grid"]) == (257, [16, 16])
    text = " ".join(ask("model", "config.json").out.split())
    assert f"qwen2_5_vl_vision: {say('model.rope_base_pairs', base=10_000, count=40)}" in text
    table = say("model.rows_columns", rows=257, columns=64), say("model.of_patches", grid="16 × 16")
    assert listing(table) in text
    assert ask("heatmap", "-e", "config.json#vision", "-o", "v.json").code == 0
    assert "axes=blocks" in ask("recipe", "v.json").out
    unknown = ask("heatmap", "-e", "config.json#vison", "-o", "v.json")
    assert unknown.code == 2 and "did you mean 'vision'" in unknown.err


@pytest.mark.some(8)
@pytest.mark.parametrize(
    ("changes", "code", "strict", "word"),
    [
        ({}, 0, 0, say("model.nothing_in_the_file")),
        ({"rope_thetta": 5}, 0, 1, "rope_thetta"),
        ({"model_type": "llamma"}, 1, 1, '"llamma"'),
        ({"model_type": "llamma", "rope_scaling": {"type": "linear", "factor": 2}}, 0, 1, "llamma"),
        ({"rope_scaling": {"rope_type": "yarn"}}, 1, 1, "factor"),
        ({"vision_config": {"model_type": "visjon", "depth": 1}}, 0, 1, "vision_config.model_type"),
        ({"head_dim": 7}, 1, 1, say("findings.odd_columns", rotary=7, d=7)),
        ({"hidden_size": "64"}, 1, 1, "hidden_size"),
        ({"rope_theta": None}, 1, 1, "rope_theta"),
        ({"model_type": "mpt", "attn_config": {"alibi": True, "alibi_bias_max": 4}}, 0, 1, "alibi:heads=4,bias_max=4"),
        ({"rope_parameters": {"rope_type": "axial"}}, 1, 1, say("findings.refused", name="llama")),
        (
            {"model_type": "phi3", "rope_scaling": {"type": "linear", "factor": 2}},
            1,
            1,
            say("findings.refused", name="phi3"),
        ),
        (
            {"model_type": "gemma4_text", "rope_scaling": {"type": "linear", "factor": 2}},
            1,
            1,
            say("findings.by_kind_needed", name="gemma4_text"),
        ),
        (
            {"model_type": "gemma3_text", "rope_scaling": {"type": "linear", "factor": 2}},
            0,
            1,
            say("findings.type_alone", name="gemma3_text"),
        ),
        (
            {"model_type": "gemma3_text", "rope_parameters": {"rope_theta": 5.0}},
            0,
            1,
            say("findings.by_kind_ignored", name="gemma3_text"),
        ),
        ({"model_type": "glm4v_text"}, 1, 1, say("findings.sections_sum", sum=32, pairs=8)),
        (
            {"model_type": "glm4_moe", "head_dim": 42},
            0,
            1,
            say("findings.odd_share", rotary=21, name="glm4_moe"),
        ),
        (
            {"model_type": "mixtral", "rope_scaling": {"rope_type": "dynamic", "factor": 2}},
            1,
            1,
            say("findings.key_needed", name="mixtral", rule="dynamic"),
        ),
        ({"model_type": "nanochat"}, 0, 0, say("findings.turns_backwards")),
        ({"partial_rotary_factor": 0.5}, 0, 1, say("findings.share_ignored", name="llama", d=16)),
        ({"partial_rotary_factor": 0.5, "model_type": "phi"}, 0, 0, say("words.of_columns_turn", count=8, all=16)),
    ],
)
def test_the_exit_code_says_what_was_found(
    ask: Ask, folder: Path, changes: dict[str, Any], code: int, strict: int, word: str
) -> None:
    plain = {"model_type": "llama", "hidden_size": 64, "num_attention_heads": 4, "rope_theta": 10000.0}
    plain["max_position_embeddings"] = 64
    (folder / "config.json").write_text(json.dumps(plain | changes))
    ended = ask("model", "config.json")
    assert (ended.code, word in " ".join((ended.out + ended.err).split())) == (code, True)
    assert ask("model", "config.json", "--strict").code == strict


def test_of_several_models_what_differs_stands_first(ask: Ask, folder: Path) -> None:
    names = [str(CONFIGS / f"{name}.json") for name in ("llama-3.1", "llama-2", "trap-factor-one")]
    told = json.loads(ask("model", *names, "--json").out)
    assert [model["path"] for model in told["results"]] == names
    assert told["differing"][say("model.base")][:2] == ["500,000", "10,000"]
    assert say("words.encoding") not in told["differing"]
    text = ask("model", *names[:2], "--format", "md").out
    assert f"| {say('model.base')} | 500,000 | 10,000 |" in text and f"- **{say('words.encoding')}**: rope" in text
    parts = ("what_differs", "base", "scaling", "context", "what_is_the_same")
    order = [text.index(say(f"model.{part}")) for part in parts]
    scaling = listing(["llama3", "factor = 8", "original = 8,192"])
    assert order == sorted(order) and f"| {scaling} | {say('model.none')} |" in text
    kinds = ask("model", names[1], str(CONFIGS / "gemma-3.json"), "--format", "md").out
    assert "| 10,000 | sliding attention: 10,000<br>full attention: 1,000,000 |" in kinds
    assert say("model.what_differs") not in ask("model", names[0], names[0]).out  # which is one model, named twice
    assert "不同之处" in ask("model", *names[:2], "--lang", "zh").out


def test_the_worst_of_several_models_gives_the_exit_code(ask: Ask, folder: Path) -> None:
    for name, text in {"a": "{}", "b": '{"rope_scaling": {"rope_type": "yarn"}}'}.items():
        (folder / name).mkdir()
        plain = {"model_type": "llama", "hidden_size": 64, "num_attention_heads": 4}
        (folder / name / "config.json").write_text(json.dumps(plain | json.loads(text)))
    assert [ask("model", *words).code for words in (["a"], ["a", "b"], ["."], ["*/*.json"], ["a", "none"])] == [
        *(0, 1, 1, 1, 1)
    ]
    assert "a" in ask("model", ".").out.split() and "b" in ask("model", ".").out.split()


def test_a_file_that_cannot_be_read_leaves_the_others(ask: Ask, folder: Path) -> None:
    (folder / "broken.json").write_text("{")
    (folder / "text.json").write_text('{"model_type": "llama", "rope_theta": "500000"}')
    good = str(CONFIGS / "llama-2.json")
    ended = ask("model", "broken.json", good, "text.json", "--json")
    assert json.loads(ended.out)["path"] == good and ended.code == 1
    assert re.findall("^pecli: (broken|text).json.*$", ended.err, re.M) == ["broken", "text"]


@pytest.mark.long
def test_the_spectra_of_several_models_are_one_picture(ask: Ask, folder: Path) -> None:
    words = [str(CONFIGS / name) for name in ("llama-3.1.json", "bert.json", "gemma-3.json")]
    assert ask("model", *words, "-o", "a.svg").out == "a.svg\n"
    drawn = json.loads(ask("recipe", "a.svg", "--json").out)["results"][0]["job"]
    labels = [spec.partition("label=")[2].partition(",")[0] for spec in drawn["encoding"]]
    assert labels == ["llama-3.1.json", "gemma-3.json (sliding attention)", "gemma-3.json (full attention)"]
    assert "none of the layers has wavelengths" in ask("model", words[1], "-o", "a.png").err


ENTRY = re.compile(r"@misc\{(\w+),\n((?:  \w+ = \{.*\},\n)+)\}")


@pytest.mark.parametrize("words", [("encodings",), *(("encodings", name) for name in ENCODINGS), ("model",)])
def test_papers_are_bibtex(ask: Ask, words: tuple[str, ...]) -> None:
    words = (*words, str(CONFIGS / "llama-3.1.json")) if words == ("model",) else words
    text = ask(*words, "--cite").out
    entries = [(key, dict(re.findall(r"  (\w+) = \{(.*)\},\n", fields))) for key, fields in ENTRY.findall(text)]
    assert ENTRY.sub("", text).strip() == "" and entries and len(dict(entries)) == len(entries)
    for key, fields in entries:
        assert {"author", "title", "year"} <= set(fields) and key.endswith(fields["year"])
        assert all(value.count("{") == value.count("}") for value in fields.values()) and text.isascii()
    kinds = [ENCODINGS[words[1]]] if len(words) > 1 and words[1] in ENCODINGS else []
    for number in re.findall(r"arXiv:([\d.]+\d)", " ".join(kind.source for kind in kinds)):
        assert number in [fields.get("eprint") for _, fields in entries]
    if words[0] == "model":
        assert [key for key, _ in entries] == ["su2021", "llamateam2024"]


def test_findings_have_codes_that_can_be_ignored(ask: Ask) -> None:
    path = str(CONFIGS / "trap-misspelled.json")
    codes = [finding["code"] for finding in json.loads(ask("model", path, "--json").out)["findings"]]
    assert codes == ["unknown_key", "default_of_architecture"]
    assert ask("model", path, "--strict").code == 1
    ended = ask("model", path, "--strict", "--ignore", "unknown_key", "--json")
    assert (ended.code, [finding["code"] for finding in json.loads(ended.out)["findings"]]) == (0, codes[1:])
    assert pecli.model(path, ignore=codes).data["findings"] == []
    wrong = ask("model", path, "--ignore", "unknown_keys")
    assert (wrong.code, "did you mean unknown_key?" in wrong.err) == (2, True)


def test_every_finding_of_the_stored_configs_has_a_code_of_the_reference() -> None:
    page = (Path(__file__).parents[2] / "gallery" / "reference.md").read_text(encoding="utf-8")
    listed = {*re.findall(r"^\| `([a-z0-9_]+)` \|", page.split("## Codes of findings")[1].split("\n## ")[0], re.M)}
    found = {finding.code for path in CONFIGS.glob("*.json") for finding in pecli.model(path).models[0].findings}
    assert found <= listed
    assert {*codes()} == listed


def test_what_a_runtime_does_with_a_scaling_is_said_to_be_not_looked_up(ask: Ask, folder: Path) -> None:
    rope = {"rope_type": "proportional", "rope_theta": 1e6, "partial_rotary_factor": 0.5}
    (folder / "config.json").write_text(json.dumps({**BARE, "rope_scaling": rope}))
    text = ask("model", "config.json", "--runtime", "mlx", "--format", "md").out
    assert "pecli has not looked up what it does with proportional" in text
    assert say("runtimes.ran") not in text


@pytest.mark.some(6)
@pytest.mark.parametrize(
    ("line", "code", "said"),
    [
        ("heatmap gpt-2.json", 0, "gpt-2.json contains no trained numbers, so random ones are drawn"),
        ("heatmap gpt-2.json -n 1024", 0, "-e learned:file=model.safetensors"),
        ("heatmap gpt-2.json -n 1025", 2, "has positions 0 to 1023, not 0 to 1024"),
        ("stats opt.json -n 2049", 2, "try --length 2048"),
        ("heatmap seen.json#vision -n 50", 0, "random"),
        ("heatmap seen.json#vision -n 51", 2, "has positions 0 to 49"),
        ("spectrum -e gpt-2.json -n 2000", 2, "has positions 0 to 1023"),
    ],
)
def test_the_table_of_a_config_is_random_and_ends(ask: Ask, folder: Path, line: str, code: int, said: str) -> None:
    figure, *words = line.split()
    for path in CONFIGS.glob("*.json"):
        shutil.copy(path, folder)  # a file that was read before is not told of again
    vision = {"model_type": "clip_vision_model", "image_size": 224, "patch_size": 32, "hidden_size": 64}
    (folder / "seen.json").write_text(json.dumps({"model_type": "clip", "vision_config": vision, "text_config": {}}))
    ended = ask(figure, *words, *([] if figure == "stats" else ["-o", "a.npz"]))
    assert (ended.code, said in ended.err) == (code, True), ended.err


@pytest.mark.long
def test_the_title_of_a_random_table_says_so(ask: Ask, folder: Path) -> None:
    assert ask("heatmap", str(CONFIGS / "gpt-2.json"), "-n", "8", "-o", "a.svg").code == 0
    assert "untrained (random numbers)" in Path("a.svg").read_text(encoding="utf-8")


def test_the_reference_has_the_text_of_every_finding() -> None:
    page = (Path(__file__).parents[2] / "gallery" / "reference.md").read_text(encoding="utf-8")
    rows = dict(re.findall(r"^\| `([a-z0-9_]+)` \| (.*) \|$", page.split("## Codes of findings")[1], re.M))
    for code in codes():
        text = TEXTS[f"findings.{code}"]
        pieces = re.split(r"\{\w+[^}]*\}", text if isinstance(text, str) else text[-1])
        assert re.fullmatch(".+".join(map(re.escape, pieces)), rows[code]), code


@pytest.mark.long
def test_a_picture_of_how_far_files_or_runtimes_drift_apart(ask: Ask, folder: Path) -> None:
    paths = [str(CONFIGS / f"{name}.json") for name in ("llama-3.1", "llama-2")]
    ended = ask("model", *paths, "--figure", "drift", "-o", "a.svg")
    assert (ended.code, ended.out) == (0, "a.svg\n")
    job = read_metadata("a.svg")["job"]
    assert job["command"] == "drift" and [spec.partition("label=")[2].split(",")[0] for spec in job["encoding"]] == [
        "llama-3.1.json",
        "llama-2.json",
    ]
    config = {**BARE, "rope_theta": 500000.0, "rope_scaling": {"rope_type": "linear", "type": "dynamic", "factor": 4.0}}
    (folder / "config.json").write_text(json.dumps(config))
    words = ["model", "config.json", "--runtime", "transformers5,mlx", "--figure", "drift", "-o", "b.svg"]
    assert ask(*words).code == 0
    assert [("label=mlx" in spec) for spec in read_metadata("b.svg")["job"]["encoding"]] == [False, True]
    assert "two files" in ask("model", paths[0], "--figure", "drift", "-o", "c.svg").err


@pytest.mark.long
def test_a_picture_of_how_far_each_layer_sees(ask: Ask, folder: Path) -> None:
    (folder / "config.json").write_text(json.dumps(GEMMA_3_4B))
    ended = ask(
        "model", "config.json", str(CONFIGS / "llama-4-scout.json"), "--figure", "layers", "-o", "a.svg", "-o", "a.png"
    )
    assert (ended.code, ended.out) == (0, "a.svg\na.png\n") and (folder / "a.png").read_bytes()[1:4] == b"PNG"
    job = read_metadata("a.svg")["job"]
    assert (job["command"], len(job["encoding"])) == ("layers", 4)
    assert job["layers"][:2] == ["sliding_attention:0-4+6-10:1024", "full_attention:5+11:131072"]
    assert ask("redraw", "a.svg", "--size", "column", "-o", "b.svg").code == 0
    assert "how far each layer sees" in ask("model", str(CONFIGS / "t5.json"), "--figure", "layers", "-o", "b.png").err
