"""Tests of other programs' files: rates, base, pairing, scaling, factors and context as in those programs."""

from __future__ import annotations

import json
import struct
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest

import pecli
from pecli.core.errors import PecliError
from tests.conftest import Answer
from tests.models.dialect_cases import STORED, verdict, written
from tests.models.gguf_files import gguf

Ask = Callable[..., Answer]
CASES: dict[str, dict[str, Any]] = json.loads(STORED.read_text(encoding="utf-8"))
LLAMA = {"general.architecture": "llama", "llama.context_length": 4096, "llama.embedding_length": 64,
         "llama.block_count": 2, "llama.attention.head_count": 1}  # fmt: skip


def read(ask: Ask, name: str, content: dict[str, Any]) -> dict[str, Any]:
    """Return what ``pecli model --json`` says of a file of that content."""
    data = gguf(content) if name.endswith(".gguf") else json.dumps(content).encode()
    Path(name).write_bytes(data)
    answer = ask("model", name, "--json")
    assert answer.code == 0, answer.err
    given: dict[str, Any] = json.loads(answer.out)
    return given


@pytest.mark.some(12)
@pytest.mark.parametrize("name", sorted(CASES, key="gguf-gpt2-learned".__ne__))  # it alone has a table of rows
def test_a_file_of_another_program_gives_what_that_program_does(folder: Path, name: str) -> None:
    case = CASES[name]
    path = written(folder, case)
    result, why = verdict(path, case["gives"])
    assert result == "right", why
    with suppress(PecliError):  # what is refused
        assert pecli.model(path).document  # it is said in words, too


META = {"dim": 4096, "n_heads": 32, "n_layers": 2, "multiple_of": 256}
MISTRAL = {"dim": 4096, "n_heads": 32, "n_layers": 2, "hidden_dim": 14336}
YARN = {"llama.rope.scaling.type": "yarn", "llama.rope.scaling.factor": 8.0}
RULES: list[tuple[str, dict[str, Any], dict[str, Any]]] = [  # a file, its content, and what its layers have
    ("params.json", META | {"n_heads": 64}, {"head_dim": 64, "base": 10000, "max_position": None}),
    ("params.json", META | {"use_scaled_rope": False, "rope_theta": 5e5}, {"scaling": "default", "base": 500000}),
    ("params.json", MISTRAL | {"yarn": {"factor": 4, "original_max_position_embeddings": 8192}},
     {"attention_factor": pytest.approx(1.1386294), "original": 8192, "scaling": "yarn"}),
    ("params.json", MISTRAL | {"sliding_window": 4096}, {"attention_window": 4096, "base": 1000000}),
    ("model.gguf", LLAMA, {"base": 10000, "scaling": "default", "pairing": "interleaved", "max_position": 4096}),
    ("model.gguf", LLAMA | {"llama.attention.head_count": [1, 1]}, {"head_dim": 64}),
    ("model.gguf", LLAMA | {"llama.rope.scaling.type": "none", "llama.rope.scaling.factor": 8.0},
     {"scaling": "default"}),
    ("model.gguf", LLAMA | YARN, {"scaling": "yarn", "original": 4096}),
    ("model.gguf", LLAMA | YARN | {"llama.rope.scaling.attn_factor": 0.5},
     {"attention_factor": pytest.approx(0.5 * 1.2079442)}),
    ("model.gguf", LLAMA | {"rope_freqs.weight": [2.0] * 32, "llama.rope.scaling.factor": 4.0},
     {"inv_freq": pytest.approx([10000 ** (-j / 32) / 8 for j in range(32)])}),
]  # fmt: skip


@pytest.mark.some(2)
@pytest.mark.parametrize(("name", "content", "gives"), RULES)
def test_the_rules_of_each_program_hold_for_other_numbers(
    ask: Ask, name: str, content: dict[str, Any], gives: dict[str, Any]
) -> None:
    layer = read(ask, name, content)["layers"]["all"]
    assert {key: layer[key] for key in gives} == gives


@pytest.mark.parametrize(("length", "first"), [(None, 0.5), (4096, 1.0), (4097, 0.5)])
def test_longrope_of_llama_cpp_goes_by_the_size_of_the_context(ask: Ask, length: int | None, first: float) -> None:
    content = {key.replace("llama", "phi3"): value for key, value in LLAMA.items()}
    content |= {"general.architecture": "phi3", "phi3.context_length": 131072}
    content |= {"phi3.rope.scaling.original_context_length": 4096, "rope_factors_short.weight": [1.0] * 32}
    Path("model.gguf").write_bytes(gguf({**content, "rope_factors_long.weight": [2.0] * 32}))
    words = [] if length is None else ["--seq-len", str(length)]
    data = json.loads(ask("model", "model.gguf", "--json", *words).out)
    assert data["layers"]["all"]["inv_freq"][0] == first


def test_keys_of_positions_that_are_not_used_are_named(ask: Ask) -> None:
    content = LLAMA | {"llama.rope.scaling.yarn_beta_fast": 8.0, "llama.rope.wobble": 1.0}
    found = {finding["key"]: finding["level"] for finding in read(ask, "model.gguf", content)["findings"]}
    assert found["llama.rope.scaling.yarn_beta_fast"] == "warning"  # read for other architectures
    assert found["llama.rope.wobble"] == "note"
    found = {
        finding["key"]: finding["level"] for finding in read(ask, "params.json", META | {"rope_gain": 2})["findings"]
    }
    assert (found["rope_gain"], found["rope_theta"]) == ("note", "note")


def test_a_file_of_another_program_stands_where_an_encoding_does(ask: Ask) -> None:
    Path("params.json").write_text(json.dumps(CASES["meta-llama31-8b"]["content"]), encoding="utf-8")
    Path("model.gguf").write_bytes(gguf(CASES["gguf-gemma3"]["content"]))
    for words in (["spectrum", "params.json"], ["compare", "params.json", "model.gguf#sliding_attention"]):
        answer = ask(*words, "-o", "out.json")
        assert (answer.code, Path("out.json").exists()) == (0, True), answer.err


def test_of_several_files_the_tensors_of_all_count(ask: Ask) -> None:
    files: list[dict[str, Any]] = [LLAMA, {}, {"rope_freqs.weight": [2.0] * 32}]
    for number, content in enumerate(files, 1):
        Path(f"m-{number:05}-of-00003.gguf").write_bytes(gguf(content))
    for number in (1, 3):
        answer = ask("model", f"m-{number:05}-of-00003.gguf", "--json")
        assert json.loads(answer.out)["layers"]["all"]["inv_freq"][0] == 0.5
    Path("m-00002-of-00003.gguf").unlink()
    assert ask("model", "m-00001-of-00003.gguf").code == 1


WHOLE = gguf(LLAMA | {"rope_freqs.weight": [1.0] * 32})


def test_bytes_in_the_other_order_are_read_too(ask: Ask) -> None:
    Path("model.gguf").write_bytes(gguf(LLAMA | {"rope_freqs.weight": [2.0] * 32}, order=">"))
    assert json.loads(ask("model", "model.gguf", "--json").out)["layers"]["all"]["inv_freq"][0] == 0.5


WITHIN = " is not a complete GGUF file: it ends within its header"
ODD = " is not a GGUF file that pecli reads: it has a value of type "
BROKEN: list[tuple[bytes, str]] = [  # the bytes of model.gguf, and what is said of it
    *((WHOLE[:size], WITHIN) for size in (4, 20, 60, 200)),
    (WHOLE[:-1], " is not a complete GGUF file: it ends before rope_freqs.weight"),
    (b"GGUF" + struct.pack("<IQQ", 3, 0, 1 << 60), WITHIN),
    (b"GGUF" + struct.pack("<IQQ", 3, 1 << 60, 0), WITHIN),
    (b"GGUF" + struct.pack("<IQQQ", 3, 0, 1, 1 << 62), " has a header of over 64 MiB: not read"),
    (b"GGUF" + struct.pack("<IQQQ", 3, 0, 1, 1) + b"a" + struct.pack("<IIQ", 9, 8, 1 << 50), WITHIN),
    (b"GGUF" + struct.pack("<IQQQ", 3, 0, 1, 1) + b"a" + struct.pack("<IIQ", 9, 9, 1), f"{ODD}9"),
    (b"GGUF" + struct.pack("<IQQQ", 3, 0, 1, 1) + b"a" + struct.pack("<I", 77), f"{ODD}77"),
    (gguf(LLAMA, version=9), " is a GGUF file of version 9; pecli reads versions 2 and 3"),
    (
        gguf({**LLAMA, "general.architecture": "nobody"}),
        ': general.architecture is "nobody", which pecli does not know in GGUF',
    ),
    (
        gguf({**LLAMA, "general.alignment": 0, "llama.embedding_length": "wide"}),
        ': llama.embedding_length is "wide", but it takes a whole number from 0 to 1,048,576',
    ),
    (
        gguf(LLAMA | {"llama.rope.scaling.type": "ntk", "llama.rope.scaling.factor": 2.0}),
        ': rope.scaling.type is "ntk", but llama.cpp only takes none, linear, yarn, longrope',
    ),
    (
        gguf(LLAMA | {"rope_freqs.weight": []}),
        ": rope_freqs.weight is not a list of up to 4,096 numbers of float32 or float16",
    ),
    (gguf(LLAMA | {"position_embd.weight": [2] * 5}), " is not a GGUF file: a tensor has 5 axes"),
    (gguf(LLAMA | {"tokenizer.ggml.tokens": ["a", "b"]})[:-70], WITHIN),
]


@pytest.mark.parametrize(("data", "said"), BROKEN)
def test_a_broken_or_unknown_gguf_is_one_line_and_exit_1(ask: Ask, data: bytes, said: str) -> None:
    Path("model.gguf").write_bytes(data)
    answer = ask("model", "model.gguf")
    assert (answer.code, answer.out, answer.err) == (1, "", f"pecli: model.gguf{said}\n")
