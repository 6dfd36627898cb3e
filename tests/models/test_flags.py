"""Tests of llama.cpp's flags: they change a GGUF file's model as observed in llama.cpp."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from pecli.core.language import say
from tests.conftest import Ask
from tests.models.dialect_cases import alike
from tests.models.gguf_files import gguf

CASES: dict[str, dict[str, Any]] = json.loads(
    (Path(__file__).parents[1] / "data" / "dialects" / "flags.json").read_text(encoding="utf-8")
)
ITEMS = [(name, item) for name, case in CASES.items() for item in case["commands"] if item["flags"]]
SAID = {  # by a flag, and what is said where it stands in these cases
    ("cli-llama", "--rope-scaling yarn --rope-scale 4 --yarn-attn-factor 2"): "findings.flag_overwritten",
    ("cli-llama31-freqs", "--rope-freq-base 10000"): "findings.flag_keeps_divisors",
}


@pytest.mark.parametrize(("name", "item"), ITEMS, ids=lambda value: value if isinstance(value, str) else value["flags"])
def test_flags_change_what_llama_cpp_changes(ask: Ask, folder: Path, name: str, item: dict[str, Any]) -> None:
    Path("model.gguf").write_bytes(gguf(CASES[name]["content"]))
    ended = ask("model", "model.gguf", "--json", "--runtime", "llama.cpp", "--flags", item["flags"])
    data = json.loads(ended.out)
    (layer,) = data["layers"].values()
    assert ended.code == 0
    assert alike(layer["inv_freq"], item["inv_freq"], 2e-5)
    assert layer["attention_factor"] == pytest.approx(item["cos_sin_factor"], rel=2e-6)
    found = {finding["text"] for finding in data["findings"]}
    texts = {key: say(key) for key in ("findings.flag_overwritten", "findings.flag_keeps_divisors")}
    assert {key for key, text in texts.items() if text in found} == {*filter(None, [SAID.get((name, item["flags"]))])}


@pytest.mark.parametrize(
    ("words", "code"),
    [
        (["--runtime", "llama.cpp", "--flags", "--rope-none 3"], 2),
        (["--runtime", "llama.cpp", "--flags", "--rope-scale"], 2),
        (["--runtime", "llama.cpp", "--flags", "--rope-scale 0"], 2),
        (["--runtime", "llama.cpp", "--flags", "--rope-scaling su"], 2),
        (["--runtime", "llama.cpp", "--flags", "--yarn-ext-factor 0.5"], 2),
        (["--runtime", "llama.cpp", "--flags", "--yarn-beta-fast 8"], 2),
        (["--runtime", "llama.cpp", "--flags", "--rope-scale inf"], 2),
        (["--runtime", "llama.cpp", "--flags", "--rope-scale '4"], 2),
        (["--runtime", "vllm", "--flags", "--rope-scale 2"], 2),
        (["--flags", "--rope-scale 2"], 2),
    ],
)
def test_flags_that_cannot_be_are_refused(ask: Ask, folder: Path, words: list[str], code: int) -> None:
    Path("model.gguf").write_bytes(gguf(CASES["cli-llama"]["content"]))
    assert ask("model", "model.gguf", *words).code == code
    Path("config.json").write_text(
        '{"model_type": "llama", "hidden_size": 8, "num_attention_heads": 2}', encoding="utf-8"
    )
    assert ask("model", "config.json", "--runtime", "llama.cpp", "--flags", "--rope-scale 2").code == 1
