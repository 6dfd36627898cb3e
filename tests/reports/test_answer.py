"""Tests that `pecli.model` returns what `pecli model` prints, takes the same options and raises the same errors."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

import pecli
from pecli.core.errors import as_flags
from pecli.models.options import ModelOptions
from pecli.reports.model import ModelReport
from pecli.reports.runtimes import RuntimesReport
from tests.conftest import Ask
from tests.models.gguf_files import gguf

LLAMA = {"model_type": "llama", "hidden_size": 64, "num_attention_heads": 4, "num_hidden_layers": 2}
LLAMA |= {"max_position_embeddings": 2048, "rope_theta": 10000.0}
GGUF = {
    "general.architecture": "llama",
    "llama.embedding_length": 64,
    "llama.attention.head_count": 4,
    "llama.block_count": 2,
    "llama.context_length": 2048,
}
YARN = '{"rope_scaling": {"rope_type": "yarn", "factor": 4.0, "rope_theta": 10000.0}}'


@pytest.fixture
def files(folder: Path) -> None:
    """Write three configs and a GGUF file."""
    Path("a.json").write_text(json.dumps(LLAMA), encoding="utf-8")
    Path("b.json").write_text(json.dumps({**LLAMA, "rope_theta": 5e5, "rope_tetha": 1}), encoding="utf-8")
    Path("c").mkdir()
    Path("c/config.json").write_text(json.dumps(LLAMA), encoding="utf-8")
    Path("wrong.json").write_text("[]", encoding="utf-8")
    Path("model.gguf").write_bytes(gguf(GGUF))


CASES: list[tuple[list[str], list[str], dict[str, Any]]] = [  # paths, words of the command line, keywords
    (["a.json"], [], {}),
    (["c"], [], {}),
    (["?.json"], [], {}),
    (["a.json"], ["--seq-len", "4096"], {"seq_len": 4096}),
    (["b.json"], ["--ignore", "unknown_key"], {"ignore": "unknown_key"}),
    (["b.json"], ["--ignore", "unknown_key,unused_key"], {"ignore": ["unknown_key", "unused_key"]}),
    (["a.json"], ["--override", "rope_theta=5e5"], {"override": {"rope_theta": 5e5}}),
    (["a.json"], ["--override", "rope_theta=5e5"], {"override": "rope_theta=5e5"}),
    (["a.json"], ["--override", YARN], {"override": json.loads(YARN)}),
    (["a.json"], ["--override", YARN, "--override", "head_dim=32"], {"override": [YARN, "head_dim=32"]}),
    (["a.json", "b.json"], ["--same"], {"same": True}),
    (["a.json", "c"], ["--same"], {"same": True}),
    (["a.json", "b.json"], ["--same", "--tolerance", "1"], {"same": True, "tolerance": 1}),
    (["a.json"], ["--runtime", "all"], {"runtime": "all"}),
    (["a.json"], ["--runtime", "vllm,sglang"], {"runtime": ["vllm", "sglang"]}),
    (["a.json"], ["--runtime", "vllm", "-n", "9000"], {"runtime": "vllm", "seq_len": 9000}),
    (["a.json"], ["--runtime", "vllm", "--override", YARN], {"runtime": "vllm", "override": YARN}),
    (
        ["model.gguf"],
        ["--runtime", "llama.cpp", "--flags", "--rope-freq-base 1e6"],
        {"runtime": "llama.cpp", "flags": "--rope-freq-base 1e6"},
    ),
]  # fmt: skip


@pytest.mark.some(5)
@pytest.mark.parametrize(("paths", "words", "options"), CASES, ids=lambda value: str(value)[:50])
@pytest.mark.usefixtures("files")
def test_python_answers_what_the_command_line_prints(
    ask: Ask, paths: list[str], words: list[str], options: dict[str, Any]
) -> None:
    report: ModelReport | RuntimesReport = pecli.model(*paths, **options)
    printed = json.loads(ask("model", *paths, *words, "--json").out)
    assert json.loads(json.dumps(report.data)) == printed
    assert isinstance(report, RuntimesReport) == ("runtimes" in printed)
    assert {"text/plain", "text/html"} <= report._repr_mimebundle_().keys() and paths[0].strip("?") in repr(report)


WRONG: list[tuple[list[str], list[str], dict[str, Any]]] = [
    (["a.json"], ["--same"], {"same": True}),
    (["a.json"], ["--runtime", "vlm"], {"runtime": "vlm"}),
    (["a.json", "b.json"], ["--runtime", "all"], {"runtime": "all"}),
    (["a.json", "b.json"], ["--runtime", "all", "--same"], {"runtime": "all", "same": True}),
    (["a.json"], ["--runtime", "all", "--ignore", "unknown_key"], {"runtime": "all", "ignore": "unknown_key"}),
    (["a.json"], ["--flags", "--rope-freq-base 5"], {"flags": "--rope-freq-base 5"}),
    (["model.gguf"], ["--runtime", "llama.cpp", "--flags", "--x 5"], {"runtime": "llama.cpp", "flags": "--x 5"}),
    (["a.json"], ["--override", "rope_theta"], {"override": "rope_theta"}),
    (["a.json"], ["--override", "rope_scaling=5"], {"override": {"rope_scaling": 5}}),
    (["a.json"], ["--ignore", "unknown_keys"], {"ignore": "unknown_keys"}),
    (["a.json", "wrong.json"], [], {}),
    (["nothing.json"], [], {}),
]


@pytest.mark.parametrize(("paths", "words", "options"), WRONG, ids=lambda value: str(value)[:50])
@pytest.mark.usefixtures("files")
def test_python_refuses_what_the_command_line_refuses(
    ask: Ask, paths: list[str], words: list[str], options: dict[str, Any]
) -> None:
    ended = ask("model", *paths, *words)
    with pytest.raises(pecli.PecliError) as refused:
        pecli.model(*paths, **options)
    assert " ".join(refused.value.sentence(as_flags).split()) in " ".join(ended.err.split())
    assert ended.code == refused.value.exit_code


def test_every_option_is_explained_in_the_docstring() -> None:
    text = pecli.model.__doc__ or ""
    assert all(f"\n    {name} : " in text for name in ModelOptions.options())
