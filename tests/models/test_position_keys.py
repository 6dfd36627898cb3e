"""Tests that every config key that concerns positions is used or named; files of unknown programs are refused."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from pecli.core.language import say
from tests.conftest import Answer

Ask = Callable[..., Answer]
LLAMA = {"model_type": "llama", "hidden_size": 4096, "num_attention_heads": 32, "num_hidden_layers": 2}
YARN = {"rope_type": "yarn", "factor": 4.0, "original_max_position_embeddings": 4096}
BERT = {"model_type": "bert", "hidden_size": 768, "num_attention_heads": 12, "max_position_embeddings": 512}
WINDOWS = {
    "sliding_window": 4096,
    "use_sliding_window": True,
    "local_attention": 128,
    "sliding_window_size": 5,
    "sliding_window_pattern": 5,
}
MPT = {"model_type": "mpt", "d_model": 512, "n_heads": 4, "n_layers": 2}


def read(ask: Ask, config: dict[str, Any]) -> dict[str, Any]:
    """Return what ``pecli model --json`` says of a config."""
    Path("config.json").write_text(json.dumps(config), encoding="utf-8")
    data: dict[str, Any] = json.loads(ask("model", "config.json", "--json").out)
    return data


def levels(ask: Ask, config: dict[str, Any]) -> dict[str, str]:
    """Return the level of the finding on each key."""
    return {finding["key"]: finding["level"] for finding in read(ask, config)["findings"]}


NOTHING: tuple[Any, ...] = (None, False, [], {})
NAMED: list[tuple[dict[str, Any], dict[str, Any], list[str]]] = [  # a config, what it has besides, keys with a note
    *((LLAMA, {key: 2.5}, [key]) for key in ("my_rope_gain", "yarn_beta", "ntk_alpha", "use_xpos", "logn_list")),
    *((LLAMA, {key: 2.5}, [key]) for key in ("sub_mrope_axis", "x_pos_emb", "pre_position_embedding", "relative_gain")),
    *((LLAMA, {key: 2.5}, [key]) for key in ("attn_scale", "floor_scale", "attn_temperature_tuning", "attn_window")),
    *((LLAMA, {key: 2.5}, []) for key in ("ropes", "groped", "scale", "scaling_factor", "chunk_size", "logit_scale")),
    *((LLAMA, {key: 2.5}, []) for key in ("window", "temperature", "attn_pdrop", "max_position_embeddings_x")),
    *((LLAMA, {"my_rope_gain": nothing}, []) for nothing in NOTHING),
    *(
        (LLAMA, {key: {"rope_gain": 2, "factor": 3}}, [])
        for key in ("quantization_config", "label2id", "vision_config")
    ),
    (LLAMA, {"my_rope": {"factor": 3}}, ["my_rope"]),  # an object that nobody read is one key
    (LLAMA, {"other": {"factor": 3, "rope_gain": 2}}, ["other.rope_gain"]),
    (LLAMA, {"rope_scaling": {**YARN, "window": 3}}, ["window"]),
    (LLAMA, {"rope_scaling": {**YARN, "attn_factor": 3}}, ["attn_factor"]),
    *((kind, WINDOWS, list(WINDOWS)) for kind in (LLAMA, BERT)),
    *((kind, {name: WINDOWS[name]}, [name]) for kind in (LLAMA, BERT) for name in WINDOWS),
    ({**LLAMA, "model_type": "mistral"}, {"sliding_window": 4096}, []),
    ({**LLAMA, "model_type": "qwen2"}, {"sliding_window": 4096, "use_sliding_window": False}, []),
    ({**LLAMA, "model_type": "phi3"}, {"sliding_window": 2047}, []),
    ({**LLAMA, "model_type": "gemma3_text"}, {"sliding_window": 512, "sliding_window_pattern": 6}, []),
    ({**LLAMA, "model_type": "gemma2"}, {"_sliding_window_pattern": 6}, ["_sliding_window_pattern"]),
    ({**LLAMA, "model_type": "moshi"}, {"sliding_window": 3000}, []),
    *((LLAMA, {key: True}, [key]) for key in ("alibi", "use_alibi")),
    (LLAMA, {"position_embedding_type": "alibi"}, ["position_embedding_type"]),
    (MPT, {"attn_config": {"rope": True, "alibi": False, "rope_theta": 10000}}, ["attn_config.alibi"]),
    (LLAMA, {"rope_theta": 5e5, "rope_scaling": YARN}, []),
    (LLAMA, {"use_logn_attn": True, "use_dynamic_ntk": True}, ["use_logn_attn", "use_dynamic_ntk"]),
    (LLAMA, {"dual_chunk_attention_config": {"chunk_size": 9}}, ["dual_chunk_attention_config"]),
    (
        {**LLAMA, "model_type": "ministral3"},
        {"rope_parameters": {**YARN, "rope_theta": 1e6, "llama_4_scaling_beta": 0.1}},
        [],
    ),
    ({"model_type": "llava", "text_config": LLAMA}, {"my_rope_gain": 2}, ["my_rope_gain"]),
    ({"model_type": "llava"}, {"text_config": {**LLAMA, "my_rope_gain": 2}}, ["my_rope_gain"]),
    (
        {"model_type": "btlm", "n_embd": 512, "n_head": 4, "n_layer": 2},
        {"alibi_scaling": {"factor": 2}},
        [],
    ),
    (
        MPT,
        {"attn_config": {"rope": True, "rope_theta": 10000, "rope_hf_config": {"type": "linear", "factor": 4}}},
        ["attn_config.rope_hf_config"],
    ),
]


@pytest.mark.long
@pytest.mark.parametrize(("config", "more", "keys"), NAMED, ids=lambda value: str(value)[:40])
def test_a_key_of_positions_is_used_or_has_a_note(
    ask: Ask, config: dict[str, Any], more: dict[str, Any], keys: list[str]
) -> None:
    before, after = levels(ask, config), levels(ask, {**config, **more})
    added = {key: level for key, level in after.items() if key not in before}
    assert {key: added.get(key) for key in keys} == dict.fromkeys(keys, "note")
    if not keys:
        assert {*added} - {"model_type", "vision_config"} == set()
    text = ask("model", "config.json").out
    assert all(key in text for key in keys)


GPT2 = {"model_type": "gpt2", "n_embd": 64, "n_head": 4, "n_layer": 2, "n_positions": 128}
FALCON = {**LLAMA, "model_type": "falcon"}
ALIBI = {"position_embedding_type": "alibi"}
CONFORMER = {**BERT, "model_type": "wav2vec2-conformer"}
ROTARY = {"position_embeddings_type": "rotary", "rotary_embedding_base": 500}
KINDS = [  # a config, what it has besides, the kind of its positions
    *((kind, more, name) for kind, name in ((LLAMA, "rope"), (GPT2, "learned")) for more in (ALIBI, {"alibi": True})),
    *((kind, {"use_alibi": True}, name) for kind, name in ((LLAMA, "rope"), (GPT2, "learned"), (FALCON, "rope"))),
    *((LLAMA, {"position_embedding_type": word}, "rope") for word in ("sinusoidal", "nope", "rope", "absolute")),
    *((FALCON, {"alibi": flag}, name) for flag, name in ((True, "alibi"), (False, "rope"))),
    *((BERT, more, "alibi") for more in (ALIBI, ALIBI | {"alibi": True})),
    (BERT, {"alibi": True}, "learned"),
    ({**BERT, "model_type": "esm"}, {"position_embedding_type": "rotary"}, "rope"),
    ({**LLAMA, "model_type": "granitemoe"}, {"position_embedding_type": "nope"}, "none"),
    ({**LLAMA, "model_type": "brandnew", "rope_scaling": YARN}, {"alibi": True}, "alibi"),
    (MPT, {}, "alibi"),
    *((CONFORMER, more, "relative") for more in ({}, {"position_embeddings_type": "relative"})),
    *((CONFORMER, {"position_embeddings_type": word}, "none") for word in ("relative_key", None)),
    *(({**CONFORMER, "model_type": kind}, ROTARY, "rope") for kind in ("wav2vec2-conformer", "wav2vec2-bert")),
    (BERT, ROTARY, "learned"),
    (MPT, {"attn_config": {"alibi": False}}, "learned"),
]


@pytest.mark.parametrize(("config", "more", "kind"), KINDS, ids=lambda value: str(value)[:40])
def test_a_type_keeps_the_positions_that_its_code_has(
    ask: Ask, config: dict[str, Any], more: dict[str, Any], kind: str
) -> None:
    data = read(ask, {**config, **more})
    assert {layer["kind"] for layer in data["layers"].values()} == {kind}
    if kind == "rope":
        assert "rope_theta" not in [each["key"] for each in data["findings"] if each["level"] != "note"]


@pytest.mark.parametrize(
    ("kind", "theta", "level"),
    [("dbrx", 5e5, "warning"), ("dbrx", 10000, None), ("mpt", 10000, None), ("mpt", 5e5, None)],
)
def test_a_base_that_the_library_drops_is_dbrxs_alone(ask: Ask, kind: str, theta: float, level: str | None) -> None:
    inside = {"alibi": False, "rope": True, "rope_impl": "hf", "rope_hf_config": {"type": "linear", "factor": 2.0}}
    config = {**MPT, "model_type": kind, "attn_config": {**(inside if kind == "mpt" else {}), "rope_theta": theta}}
    assert levels(ask, config).get("attn_config.rope_theta") == level
    assert read(ask, config)["layers"]["all"]["base"] == theta


@pytest.mark.parametrize(
    ("kind", "count", "numbers"),  # rows of the table of offsets in 4.57; of that of 5.24, and those for positions
    [("bert", 512, (1023, 512, None)), ("roberta", 514, (1027, 514, 512)), ("esm", 1026, (2051, None, None))],
)
def test_rows_with_and_without_offsets(ask: Ask, kind: str, count: int, numbers: tuple[int | None, ...]) -> None:
    more = {"model_type": kind, "max_position_embeddings": count, "pad_token_id": 1}
    data = read(ask, {**BERT, **more, "position_embedding_type": "relative_key"})
    assert data["layers"]["all"]["length"] == numbers[0]
    texts = {finding["key"]: finding["text"] for finding in data["findings"]}
    table = {"rows": numbers[0], "low": 1 - count, "high": count - 1, "count": numbers[1]}
    said = say("findings.table_of_offsets" if numbers[1] else "findings.table_of_offsets_alone", **table)
    assert texts.pop("position_embedding_type") == said
    own = [say("findings.rows_after_padding", all=count, count=numbers[2], name=kind, first=2)] if numbers[2] else []
    assert [*texts.values()] == own


def test_in_no_language_is_a_key_unused_that_a_sentence_names(ask: Ask) -> None:
    config = str(Path(__file__).parents[1] / "data" / "configs" / "trap-two-objects.json")
    found = [json.loads(ask("model", config, "--json", "--lang", lang).out)["findings"] for lang in ("en", "zh")]
    assert [[item["key"] for item in own] for own in found] == [["rope_scaling"]] * 2


HINTS = {  # an object for rope, or keys of a config: the finding's key and value, and what it suggests
    '{"rope_tetha": 3}': ("rope_tetha", 3, "rope_theta"),
    '{"rope_scaling": {"type": "dynamic-yarn", "factor": 4.0}}': ("type", "dynamic-yarn", "yarn"),
    '{"rope_scaling": {"rope_type": "YaRN", "factor": 4.0}}': ("rope_type", "YaRN", "yarn"),
    '{"rope_scaling": {"type": "ntk", "factor": 4.0}}': ("type", "ntk", None),
    '{"rope_ntk_beta": 3}': ("rope_ntk_beta", 3, None),
    '{"rope_scaling": {"rope_type": "yarn", "factor": 4.0, "attn_factor": 2}}': ("attn_factor", 2, None),
}


@pytest.mark.parametrize("keys", HINTS)
def test_a_suggestion_is_what_is_meant(ask: Ask, keys: str) -> None:
    key, value, word = HINTS[keys]
    findings = [each for each in read(ask, {**LLAMA, **json.loads(keys)})["findings"] if each["key"] == key]
    assert [each["value"] for each in findings] == [value]
    assert ("" if word is None else say("models.probably_meant", word=word)) in findings[0]["text"]


def test_the_words_of_a_config_in_the_text_of_an_encoding(ask: Ask) -> None:
    yarn = "rope:scaling=yarn,factor=4"
    specs = []
    old = "rope:type=yarn,factor=4,original=4096"
    for text in (old, f"{yarn},original_max_position_embeddings=4096", f"{yarn},original=4096"):
        answer = ask("stats", text, "--json")
        assert answer.code == 0, answer.err
        specs.append(json.loads(answer.out)["results"][0]["encodings"])
    assert specs[0] == specs[1] == specs[2]
    for text, word in (("attn_factor=2", "attention_factor"), ("scaling=dynamic-yarn", "did you mean 'yarn'")):
        answer = ask("stats", f"rope:factor=4,original=4096,{text}")
        assert answer.code == 2 and word in answer.err
    assert "did you mean" not in ask("stats", f"{yarn},original=4096,attn_factor=2").err


OTHER_FILES: dict[str, dict[str, Any]] = {
    "Meta": {"dim": 4096, "n_heads": 32, "n_layers": 32, "rope_theta": 5e5, "use_scaled_rope": True},
    "Mistral": {"dim": 5120, "n_heads": 32, "head_dim": 128, "rope_theta": 1e6, "yarn": {"factor": 16, "beta": 32}},
    "DeepSeek": {"dim": 7168, "n_heads": 128, "qk_nope_head_dim": 128, "qk_rope_head_dim": 64},
    "gpt-oss": {"hidden_size": 2880, "head_dim": 64, "num_attention_heads": 64, "rope_theta": 150000.0,
                "rope_scaling_factor": 32.0, "rope_ntk_beta": 32.0},
    "TensorRT-LLM": {"architecture": "LlamaForCausalLM", "hidden_size": 5120, "num_attention_heads": 40,
                     "position_embedding_type": "rope_gpt_neox", "rotary_base": 10000.0},
    "an engine of it": {"version": "0.16", "pretrained_config": {"architecture": "LlamaForCausalLM"}},
    "diffusers": {"_class_name": "NobodysTransformer3DModel", "attention_head_dim": 64, "rope_theta": 512.0},
    "timm": {"architecture": "vit_nobodys_patch16_224", "model_args": {"img_size": 320}, "pretrained_cfg": {}},
    "open_clip": {"model_cfg": {"embed_dim": 512, "text_cfg": {"context_length": 77}}},
    "a type that nobody knows": {**LLAMA, "model_type": "transformer", "rope_theta": 5e5},
    "a class that nobody knows": {"architectures": ["Thing"], "rope_theta": 5e5, "hidden_size": 64},
}  # fmt: skip


@pytest.mark.some(3)
@pytest.mark.parametrize("program", OTHER_FILES)
def test_a_file_of_another_program_is_unknown_and_gives_no_numbers(ask: Ask, program: str) -> None:
    Path("params.json").write_text(json.dumps(OTHER_FILES[program]), encoding="utf-8")
    for words in (["model", "params.json"], ["model", "params.json", "--json"], ["heatmap", "-e", "./params.json"]):
        answer = ask(*words)
        assert (answer.code, answer.out, list(Path().glob("*.png"))) == (1, "", []), words
        assert "params.json" in answer.err and len(answer.err.splitlines()) == 1


@pytest.mark.parametrize("content", [b"GGUF\x03\xac", b"model:\n  rope: true\n", b"[]"])
def test_a_file_that_is_no_json_object_exits_1(ask: Ask, content: bytes) -> None:
    Path("model.bin").write_bytes(content)
    answer = ask("model", "./model.bin")
    assert (answer.code, answer.out) == (1, "")


@pytest.mark.parametrize("key", ["rope_scaling", "rope_parameters"])
def test_an_unknown_type_with_an_object_of_the_library_goes_by_its_keys(ask: Ask, key: str) -> None:
    data = read(ask, {**LLAMA, "model_type": "brandnew", key: {"rope_type": "linear", "factor": 4.0}})
    assert (data["known"], data["layers"]["all"]["scaling"]) == (False, "linear")


ROWS = [  # model_type, what the file has, rows, columns, the row of the first position
    ("roberta", {"max_position_embeddings": 514}, 514, 768, 2),
    ("roberta", {"max_position_embeddings": 514, "pad_token_id": 3}, 514, 768, 4),
    ("roberta", {"max_position_embeddings": 514, "pad_token_id": 0}, 514, 768, 1),
    ("camembert", {"max_position_embeddings": 518, "pad_token_id": 3}, 518, 768, 4),
    ("esm", {"max_position_embeddings": 1026, "pad_token_id": 1}, 1026, 768, 2),
    ("esm", {"max_position_embeddings": 1026, "position_embedding_type": "absolute"}, 1026, 768, 2),
    ("markuplm", {"max_position_embeddings": 512}, 512, 768, 1),
    ("opt", {"max_position_embeddings": 2048}, 2050, 768, 2),
    ("bert", {"max_position_embeddings": 512}, 512, 768, 0),
    ("bert", {"max_position_embeddings": 512, "position_embedding_type": "relative_key"}, 1023, 64, 0),
    ("bert", {"max_position_embeddings": 40, "position_embedding_type": "relative_key_query"}, 79, 64, 0),
    ("wav2vec2-bert", {"position_embeddings_type": "relative_key", "right_max_position_embeddings": 9}, 74, 64, 0),
    ("distilbert", {"max_position_embeddings": 512, "position_embedding_type": "relative_key"}, 512, 768, 0),
]


@pytest.mark.parametrize(("kind", "keys", "rows", "width", "first"), ROWS)
def test_rows_of_a_table_and_the_first_position(
    ask: Ask, kind: str, keys: dict[str, Any], rows: int, width: int, first: int
) -> None:
    data = read(ask, {"model_type": kind, "hidden_size": 768, "num_attention_heads": 12, **keys})
    layer = data["layers"]["all"]
    assert layer["kind"] == ("relative" if width == 64 else "learned")
    assert (layer["length"], layer["width"], layer["first_row"]) == (rows, width, first)
    if first and kind != "opt":
        said = say("findings.rows_after_padding", all=rows, count=rows - first, name=kind, first=first)
        assert said in [finding["text"] for finding in data["findings"]]


def test_flags_of_olmo_are_rope_alibi_or_a_table(ask: Ask) -> None:
    olmo = {"model_type": "hf_olmo", "d_model": 512, "n_heads": 4, "n_layers": 2, "max_sequence_length": 2048}
    rope = read(ask, {**olmo, "rope": True, "alibi": False, "rope_full_precision": True})
    assert rope["layers"]["all"]["spec"] == "rope:max_position=2048,pairing=half"
    assert [finding["key"] for finding in rope["findings"] if finding["key"] != "head_dim"] == ["rope_theta"]
    alibi = read(ask, {**olmo, "rope": False, "alibi": True})["layers"]["all"]
    assert (alibi["kind"], alibi["direction"], alibi["heads"]) == ("alibi", "causal", 4)
    assert read(ask, {**olmo, "rope": False, "alibi": False})["layers"]["all"]["length"] == 2048


def test_a_bert_with_alibi_looks_both_ways(ask: Ask) -> None:
    layer = read(ask, {**BERT, "position_embedding_type": "alibi", "alibi": True})["layers"]["all"]
    assert layer["direction"] == "both"


def test_the_last_bucket_of_t5_begins_before_its_max_distance(ask: Ask) -> None:
    layers = read(ask, {"model_type": "t5"})["layers"]
    assert {name: layer["last_bucket_from"] for name, layer in layers.items()} == {"encoder": 91, "decoder": 113}
    text = ask("model", "config.json").out
    assert "91" in text and "113" in text
