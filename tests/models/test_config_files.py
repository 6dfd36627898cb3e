"""Tests of untrusted config files: an error is one line, and texts of the file cannot do harm."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import pytest

from pecli.core.errors import LISTENER, FileError, PecliError, UnknownNameError, UsageError
from pecli.encodings.rope import Rope
from pecli.encodings.spec import encoding_of, read_encoding
from pecli.files.tables import MAX_BYTES
from pecli.models.config_file import read_config
from pecli.models.reader import INNER, read_model
from pecli.reports.model import model_data

LLAMA = {"model_type": "llama", "hidden_size": 64, "num_attention_heads": 4, "num_hidden_layers": 2}
GEMMA = {"model_type": "gemma3_text", "head_dim": 32, "num_hidden_layers": 6}


def write(folder: Path, content: bytes | dict[str, Any]) -> str:
    """Return a config.json of that content."""
    file = folder / "config.json"
    file.write_bytes(content if isinstance(content, bytes) else json.dumps(content).encode())
    return str(file)


@pytest.mark.some(6)
@pytest.mark.parametrize("empty", [{}, None])
@pytest.mark.parametrize("name", INNER)
def test_a_part_of_the_file_that_is_empty_is_as_if_absent(tmp_path: Path, name: str, empty: Any) -> None:
    layers = read_model(write(tmp_path, LLAMA)).layers
    assert read_model(write(tmp_path, {**LLAMA, name: empty})).layers == layers
    assert read_model(write(tmp_path, {INNER[0]: empty, "decoder": {**LLAMA, name: empty}})).layers == layers


def test_a_number_that_nothing_reads_may_be_infinite_and_does_not_break_the_json(tmp_path: Path) -> None:
    keys = {"time_step_limit": [0.0, float("inf")], "rope_parameters": {"rope_theta": 500.0, "odd": float("inf")}}
    model = read_model(write(tmp_path, {**LLAMA, **keys}))
    assert model.layers["all"].parameters == {"d": 16, "pairing": "half", "base": 500.0}
    assert "Infinity" not in json.dumps(model_data(model))


def test_a_config_is_an_encoding_by_its_file_or_its_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "tiny").mkdir()
    file = write(tmp_path / "tiny", LLAMA)
    monkeypatch.chdir(tmp_path)
    plain = Rope(d=16, max_position=2048, pairing="half")
    for path in (file, str(tmp_path / "tiny"), "tiny", "tiny/config.json", "./tiny"):
        assert read_encoding(path) == plain
        assert encoding_of(path) is Rope
    assert read_encoding("tiny:base=500").spec() == "rope:d=16,base=500,max_position=2048,pairing=half"
    assert read_encoding("tiny", {"d": 8}) == Rope(d=8, max_position=2048, pairing="half")
    assert "tiny" not in read_encoding("tiny").spec()


def test_a_file_that_changes_is_read_again(tmp_path: Path) -> None:
    file = write(tmp_path, LLAMA)
    assert read_encoding(file) == Rope(d=16, max_position=2048, pairing="half")
    write(tmp_path, {**LLAMA, "rope_theta": 500})
    os.utime(file, ns=(1, 1))
    assert read_encoding(file) == Rope(d=16, base=500, max_position=2048, pairing="half")


def test_kinds_of_layers_are_named_and_the_full_ones_are_taken(tmp_path: Path) -> None:
    file = write(tmp_path, GEMMA)
    heard: list[str] = []
    token = LISTENER.set(heard.append)
    try:
        assert read_encoding(file) == read_encoding(file) == Rope(d=32, base=1e6, max_position=131_072, pairing="half")
    finally:
        LISTENER.reset(token)
    (text,) = heard  # once, and as a notice: --quiet keeps it away
    assert "several kinds of layers: full_attention is drawn, not sliding_attention" in text
    assert read_encoding(f"{file}#sliding_attention") == Rope(d=32, max_position=131_072, window=4096, pairing="half")
    with pytest.raises(UnknownNameError, match="did you mean 'full_attention'"):
        read_encoding(f"{file}#full_atention")
    bases = {"near": {"rope_theta": 100.0, "rope_type": "default"}, "far": {"rope_theta": 1e6, "rope_type": "default"}}
    file = write(tmp_path, {"model_type": "aquila", "num_hidden_layers": 2, "head_dim": 32, "rope_parameters": bases})
    assert read_encoding(f"{file}#near") == Rope(d=32, base=100, pairing="half")


NO_CONFIG = {
    b"": "line 1 column 1",
    b"{": "line 1",
    b"[]": "contains no JSON object",
    b"null": "contains no JSON object",
    b"3": "contains no JSON object",
    b'{"a": "\xff"}': "byte 7 is not UTF-8 text",
    b'{"rope_theta": ' + b"9" * 5000 + b"}": "thousands of digits",
    b"[" * 200_000: "nested too deeply",
    b" " * (MAX_BYTES + 1): "1 MiB",
}


@pytest.mark.parametrize(
    ("content", "reason"),
    [
        *NO_CONFIG.items(),
        ({"rope_theta": "1e6"}, 'rope_theta is "1e6", but it takes a number'),
        ({"rope_theta": float("nan")}, "rope_theta is NaN, but it takes a number"),
        ({"rope_theta": 10**400}, "but it takes a number"),
        ({"rope_theta": True}, "rope_theta is true, but it takes a number"),
        ({"hidden_size": [64]}, "hidden_size is .*, but it takes a whole number"),
        ({"num_attention_heads": 2.5}, "num_attention_heads is 2.5"),
        ({"num_hidden_layers": -1}, "num_hidden_layers is -1"),
        ({"num_hidden_layers": 10**9}, "num_hidden_layers is 1000000000"),
        ({"rope_scaling": "linear"}, 'rope_scaling is "linear", but it takes an object'),
        ({"rope_scaling": {"rope_type": 3}}, "rope_scaling.rope_type is 3, but it takes text"),
        ({"rope_scaling": {"type": "linear", "factor": "\x1b[2J"}}, "rope_scaling.factor is"),
        ({"layer_types": ["a", "\x1b[31m"]}, "layer_types is"),
        ({"llm_config": {"text_config": [1]}}, r"llm_config.text_config is \[1\], but it takes an object"),
        ({"model_type": {}}, "model_type is"),
        ({"max_position_embeddings": 0}, "max_position_embeddings is 0"),
    ],
    ids=lambda value: repr(value)[:30],
)
def test_what_is_no_config_or_has_a_wrong_type_is_one_line(tmp_path: Path, content: Any, reason: str) -> None:
    file = write(tmp_path, content if isinstance(content, bytes) else {**LLAMA, **content})
    with pytest.raises(PecliError, match=reason) as caught:
        read_model(file)
    assert str(caught.value).isprintable()


@pytest.mark.parametrize(
    ("keys", "reason"),
    [
        ({"num_attention_heads": 0}, "see pecli model"),
        ({"hidden_size": 2}, "see pecli model"),
        ({"rope_theta": 0}, "see pecli model"),
        ({"head_dim": 7}, "see pecli model"),
        ({"partial_rotary_factor": 2}, "json: partial_rotary_factor = 2: "),
    ],
)
def test_what_cannot_be_built_is_a_finding_and_refused_as_an_encoding(
    tmp_path: Path, keys: dict[str, Any], reason: str
) -> None:
    file = write(tmp_path, {**LLAMA, **keys})
    model = read_model(file)
    assert [finding.level for finding in model.findings][:1] == ["error"]
    assert all(finding.line().isprintable() for finding in model.findings)
    with pytest.raises(FileError, match=reason):
        read_encoding(file)


def test_what_is_no_encoding_says_why(tmp_path: Path) -> None:
    with pytest.raises(FileError, match=r"no/config\.json does not exist"):
        read_encoding("no/config.json")
    with pytest.raises(UnknownNameError, match="unknown encoding 'ropes'"):
        read_encoding("ropes")
    with pytest.raises(UsageError, match="no position encoding that pecli can draw"):
        read_encoding(write(tmp_path, {"model_type": "jamba", "num_hidden_layers": 4}))


@pytest.mark.parametrize(
    ("text", "advice"),
    [
        ('{"model_type": "llama", // a rope\n "hidden_size": 64}', "JSON has no comments"),
        ('{"model_type": "llama" # a rope\n}', "JSON has no comments"),
        ('{"model_type": "llama", "hidden_size": 64,}', "leave out the last comma, before the bracket"),
        ('{"layer_types": ["full_attention",]}', "leave out the last comma, before the bracket"),
        ("{'model_type': 'llama'}", "JSON takes double quotes"),
        ('{"use_sliding_window": False}', "JSON has true, false and null"),
        ('{"rope_scaling": None}', "JSON has true, false and null"),
        ('{"model_type": "llama"', ""),
    ],
)
def test_what_json_does_not_have_is_told(folder: Path, text: str, advice: str) -> None:
    Path("config.json").write_text(text, encoding="utf-8")
    with pytest.raises(FileError) as refused:
        read_config(Path("config.json"))
    assert refused.value.advice == advice


@pytest.mark.parametrize(
    ("text", "keys"),
    [
        ('{"model_type": "llama", "rope_theta": 10000, "rope_theta": 500000}', ["rope_theta"]),
        ('{"model_type": "llama", "rope_scaling": {"rope_type": "linear", "factor": 2}, "rope_scaling": null}',
         ["rope_scaling"]),
        ('{"model_type": "llama", "rope_scaling": {"rope_type": "linear", "factor": 2, "factor": 4}}', ["factor"]),
        ('{"model_type": "llama", "vocab_size": 5, "vocab_size": 6}', []),
        ('{"model_type": "llama", "rope_theta": 10000}', []),
    ],
)  # fmt: skip
def test_a_key_of_positions_that_stands_twice_has_a_warning(folder: Path, text: str, keys: list[str]) -> None:
    Path("config.json").write_text(text, encoding="utf-8")
    found = read_model("config.json").findings
    assert [item.key for item in found if item.code == "given_twice"] == keys


@pytest.mark.parametrize(
    ("path", "advice"),
    [
        ("meta-llama/Llama-3.1-8B", "a model on the Hugging Face hub is named hf:meta-llama/Llama-3.1-8B"),
        ("models/config.json", ""),
        ("config.json", ""),
        ("/a/b", ""),
    ],
)
def test_a_name_on_the_hub_is_known_as_one(folder: Path, path: str, advice: str) -> None:
    with pytest.raises(FileError) as refused:
        read_config(Path(path))
    assert refused.value.advice == advice


PHI3 = {"model_type": "phi3", "hidden_size": 64, "num_attention_heads": 4, "max_position_embeddings": 64}


@pytest.mark.parametrize(
    ("config", "there", "not_there"),
    [
        ({**LLAMA, "max_position_embeddings": 64, "rope_scaling": {"type": "dynamic", "factor": 2.0, "mscale": 0.0}},
         "unread_by_scaling", "zero_is_absent"),
        ({**PHI3, "original_max_position_embeddings": 16,
          "rope_scaling": {"type": "longrope", "short_factor": [1.0], "long_factor": [2.0] * 8}},
         "factors_count", "unused_key"),
    ],
)  # fmt: skip
def test_a_mistake_brings_no_second_wrong_remark(
    tmp_path: Path, config: dict[str, Any], there: str, not_there: str
) -> None:
    codes = {finding.code for finding in read_model(write(tmp_path, config)).findings}
    assert there in codes and not_there not in codes
