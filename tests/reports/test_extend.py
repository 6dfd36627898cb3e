"""Tests of `pecli extend`: what each method changes, and the commands, which the runtimes' rules confirm."""

from __future__ import annotations

import json
import shlex
from pathlib import Path
from typing import Any

import pytest

import pecli
from tests.conftest import Ask

CONFIGS = Path(__file__).parents[1] / "data" / "configs"


def told(ask: Ask, name: str, *words: str) -> dict[str, Any]:
    """Return what `pecli extend --json` prints."""
    ended = ask("extend", str(CONFIGS / f"{name}.json"), "--json", *words)
    assert (ended.code, ended.err) == (0, "")
    return dict(json.loads(ended.out))


@pytest.mark.long
@pytest.mark.parametrize(
    ("name", "to", "method", "expected"),  # base, pairs, pairs at new angles, first negative offset
    [
        ("llama-2", 16384, "none", (10000, (64, 0, 0), 18, 1707)),
        ("llama-2", 16384, "linear", (10000, (0, 0, 64), 0, 6825)),
        ("llama-2", 16384, "ntk", (40889.94, (1, 0, 63), 17, 4067)),
        ("llama-2", 16384, "dynamic", (40889.94, (1, 0, 63), 17, 4067)),
        ("llama-2", 16384, "yarn", (10000, (21, 25, 18), 0, 4328)),
        ("llama-2", 16384, "base", (56628, (1, 0, 63), 6, 4676)),
        ("llama-3.1", 131072, "none", (500000, (64, 0, 0), 29, 18438)),
        ("llama-3.1", 131072, "file", (500000, (29, 6, 29), 29, 85133)),
        ("phi-3.5", 131072, "longrope", (10000, (0, 0, 48), 7, 7696)),
    ],
)
def test_each_method_is_measured(ask: Ask, name: str, to: int, method: str, expected: tuple[Any, ...]) -> None:
    found = told(ask, name, "--to", str(to))["methods"][method]
    pairs = tuple(found["pairs"][part] for part in ("unchanged", "blended", "scaled"))
    assert found["base"] == pytest.approx(expected[0], rel=1e-6)
    assert (pairs, found["pairs_with_new_angles"], found["first_negative_offset"]) == expected[1:]


@pytest.mark.some(8)
@pytest.mark.parametrize("method", ["linear", "ntk", "dynamic", "yarn", "base"])
@pytest.mark.parametrize("name", ["llama-2", "llama-3.1", "v5-parameters"])
def test_runtimes_apply_what_their_lines_say(ask: Ask, folder: Path, name: str, method: str) -> None:
    report = told(ask, name, "--to", "131072", "--method", method)
    config, wanted = json.loads((CONFIGS / f"{name}.json").read_text()), report["methods"][method]
    tried = 0
    for line in report["lines"]:
        runtime = {
            "transformers 5": "transformers5",
            "transformers 4": "transformers4",
            "vLLM": "vllm",
            "SGLang": "sglang",
        }
        (key,) = [own for start, own in runtime.items() if line["runtime"].startswith(start)] or [""]
        if not (key and line["text"]) or "has not looked up" in line["remark"]:
            continue
        if line["text"].startswith("{"):
            (folder / "config.json").write_text(json.dumps(config | json.loads(line["text"])))
            words = []
        else:
            (folder / "config.json").write_text(json.dumps(config))
            typed = shlex.split(line["text"])
            words = ["--override", typed[1 + next(at for at, word in enumerate(typed) if "overrid" in word)]]
        length = ("--seq-len", "131072", "--json")
        (applied,) = json.loads(ask("model", "config.json", "--runtime", key, *words, *length).out)["runtimes"]
        (layer,) = applied["layers"].values()
        assert layer["inv_freq"] == pytest.approx(wanted["inv_freq"], rel=1e-9)
        assert layer["attention_factor"] == pytest.approx(wanted["attention_factor"], rel=1e-9)
        tried += 1
    assert tried >= 1


@pytest.mark.parametrize(
    ("name", "words", "code", "told"),
    [
        ("llama-2", (), 2, "--to"),
        ("llama-2", ("--to", "4096"), 2, "4,096"),
        ("llama-2", ("--to", "1e9"), 2, "1e9"),
        ("llama-2", ("--to", "16384", "--method", "longrope"), 2, "longrope"),
        ("llama-2", ("--to", "16384", "--method", "yam"), 2, "yarn"),
        ("gemma-3", ("--to", "262144"), 2, "--trained"),
        ("gpt-2", ("--to", "2048"), 1, "gpt-2"),
        ("missing", ("--to", "2048"), 1, "missing"),
    ],
)
def test_what_cannot_be_extended_is_told(ask: Ask, name: str, words: tuple[str, ...], code: int, told: str) -> None:
    ended = ask("extend", str(CONFIGS / f"{name}.json"), *words)
    assert (ended.code, ended.out, ended.err.count("\n")) == (code, "", 1)
    assert told in ended.err


def test_a_base_and_a_trained_length_of_ones_own_are_taken() -> None:
    report = pecli.extend(CONFIGS / "gemma-3.json", 1 << 18, trained=1 << 17, new_base=5e6, method="base")
    found = report.data["methods"]
    assert (found["base"]["base"], found["linear"]["factor"]) == (5e6, 2.0)
    assert "5,000,000" in report._repr_mimebundle_()["text/plain"]


LLAMA = {"model_type": "llama", "hidden_size": 256, "num_attention_heads": 4, "num_hidden_layers": 2,
         "max_position_embeddings": 131072}  # fmt: skip
LINEAR = LLAMA | {"rope_scaling": {"rope_type": "linear", "factor": 8.0}}
SWAPPED = {"rope_type": "llama3", "factor": 8.0, "low_freq_factor": 4.0, "high_freq_factor": 1.0,
           "original_max_position_embeddings": 8192}  # fmt: skip


def test_a_window_limits_what_is_shorter_than_training(ask: Ask, folder: Path) -> None:
    keys = {"model_type": "phi3", "hidden_size": 64, "num_attention_heads": 4, "max_position_embeddings": 4096}
    for window, code in ((1024, 1), (4096, 1), (4097, 0)):
        Path("w.json").write_text(json.dumps({**keys, "num_hidden_layers": 2, "sliding_window": window}))
        assert ask("extend", "w.json", "--to", "9000").code == code


def test_a_context_that_may_be_scaled_already_is_not_taken_for_the_original_one(ask: Ask, folder: Path) -> None:
    (folder / "config.json").write_text(json.dumps(LINEAR))
    ended = ask("extend", "config.json", "--to", "262144")
    assert ended.code == 2
    assert "--trained 16384" in ended.err
    larger = ask("extend", "config.json", "--to", "262144", "--trained", "131072").out
    total = ask("extend", "config.json", "--to", "262144", "--trained", "16384").out
    assert "factor is larger" in " ".join(larger.split())
    assert "factor is larger" not in " ".join(total.split())
    assert "the total one" in " ".join(total.split())


def test_a_file_that_cannot_be_built_gives_the_reason(ask: Ask, folder: Path) -> None:
    (folder / "config.json").write_text(json.dumps(LLAMA | {"rope_scaling": SWAPPED}))
    for words in (("extend", "config.json", "--to", "262144"), ("spectrum", "config.json", "-o", "x.png")):
        ended = ask(*words)
        assert (ended.code, "swap the two" in ended.err) == (1, True)
