"""Tests of overrides of a config.json: which keys count, and which are lost."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from pecli.core.language import say
from tests.conftest import Ask

CONFIG = {"model_type": "llama", "hidden_size": 256, "num_attention_heads": 4, "num_hidden_layers": 2,
          "max_position_embeddings": 4096, "rope_theta": 5e5}  # fmt: skip
YARN = {"rope_type": "yarn", "factor": 4.0, "original_max_position_embeddings": 4096}
LLAMA3 = {"rope_type": "llama3", "factor": 8.0, "low_freq_factor": 1.0, "high_freq_factor": 4.0,
          "original_max_position_embeddings": 512}  # fmt: skip
LOST = say("findings.override_loses_base", base=5e5)
CASES: list[tuple[dict[str, Any], list[str], list[float] | None, list[str]]] = [
    # the file, overrides, rates of the first, middle and last pair, and what is said of them
    ({}, [json.dumps({"rope_scaling": YARN})], None, [LOST]),
    ({}, [json.dumps({"rope_parameters": YARN})], None, [LOST]),
    ({}, ["rope_scaling=" + json.dumps(YARN)], None, [LOST]),
    ({"rope_theta": None}, [json.dumps({"rope_scaling": YARN})], None, [say("findings.override_loses_default_base")]),
    ({}, [json.dumps({"rope_parameters": {**YARN, "rope_theta": 5e5}})], [1, 0.0003535533906, 7.53464538e-07], []),
    ({}, ["rope_theta=2000000"], [1, 0.001414213562, 3.013858152e-06],
     [say("findings.override_without_effect", name="rope_theta")]),
    ({"rope_scaling": LLAMA3}, [json.dumps({"rope_scaling": {"type": "linear", "factor": 2, "rope_theta": 5e5}})],
     [0.5, 0.001414213562 / 2, 3.013858152e-06 / 2],
     [say("findings.override_loses_keys", keys="low_freq_factor, high_freq_factor, original_max_position_embeddings")]),
    ({}, [json.dumps({"rope_scaling": {**YARN, "rope_theta": 1e4}})], [1, 0.006538461538, 3.333803582e-05],
     [say("findings.two_bases", place="rope_scaling.")]),
    ({}, ["head_dim=32", "num_attention_heads=8"], [1, 0.001414213562, 4.5419e-06], []),
]  # fmt: skip


@pytest.mark.some(2)
@pytest.mark.parametrize("case", range(len(CASES)))
def test_an_override_replaces_and_loses_as_transformers_does(ask: Ask, folder: Path, case: int) -> None:
    more, overrides, rates, said = CASES[case]
    Path("config.json").write_text(json.dumps({**CONFIG, **more}), encoding="utf-8")
    ended = ask("model", "config.json", "--json", *(word for item in overrides for word in ("--override", item)))
    data = json.loads(ended.out)
    found, layer = [item["text"] for item in data["findings"]], data["layers"]["all"]
    assert [text for text in said if text not in found] == []
    assert ended.code == any(item["level"] == "error" for item in data["findings"])
    if rates is None:
        assert (layer["spec"], ended.code) == (None, 1)
    else:
        every = layer["inv_freq"]
        assert [every[0], every[len(every) // 2], every[-1]] == pytest.approx(rates, rel=1e-4)


@pytest.mark.parametrize(("override", "code"), [("[1]", 2), ("foo.bar=3", 2), ("max_position_embeddings=8192", 0)])
def test_an_override_that_cannot_be_is_refused(ask: Ask, folder: Path, override: str, code: int) -> None:
    Path("config.json").write_text(json.dumps(CONFIG), encoding="utf-8")  # others: tests/data/messages.txt
    assert ask("model", "config.json", "--override", override).code == code


def test_null_removes_the_object_where_that_was_looked_up(ask: Ask, folder: Path) -> None:
    Path("config.json").write_text(json.dumps({**CONFIG, "rope_scaling": YARN}), encoding="utf-8")
    null = ("--override", '{"rope_scaling": null}', "--json")
    alone = ask("model", "config.json", *null)
    (found,) = [item for item in json.loads(alone.out)["findings"] if item["code"] == "override_null"]
    assert (alone.code, found["level"]) == (1, "error")
    assert '"rope_theta": 500000.0' in found["text"]
    ended = json.loads(ask("model", "config.json", *null, "--runtime", "all").out)
    five, four, vllm, sglang, *_ = ended["runtimes"]
    assert five["error"] == "TypeError"
    assert (four["layers"]["all"]["scaling"], four["layers"]["all"]["base"]) == ("default", 5e5)
    assert all("null" in item["not_known"] for item in (vllm, sglang))
