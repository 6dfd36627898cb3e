"""`pecli model`: what is told of a config, in words and as JSON."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tests.conftest import Ask

CONFIGS = Path(__file__).parents[1] / "data" / "configs"
ROPE = ("kind", "spec", "head_dim", "rotary_dim", "pairing", "base", "scaling", "inv_freq", "attention_factor")


def told(ask: Ask, name: str, *words: str) -> dict[str, Any]:
    """Return what `pecli model --json` prints."""
    ended = ask("model", str(CONFIGS / f"{name}.json"), "--json", *words)
    assert (ended.code, ended.err) == (0, "")
    return dict(json.loads(ended.out))


def test_the_words_have_the_facts_of_llama_3_1(ask: Ask) -> None:
    ended = ask("model", str(CONFIGS / "llama-3.1.json"))
    assert (ended.code, ended.err) == (0, "")
    text = " ".join(ended.out.split())
    for fact in (
        "layers 4: 0 to 3",
        "rotary 128 of 128 dimensions, half pairs",
        "base 500,000",
        "29 kept, 6 between, 29 divided",
        "longest wavelength 20,473,564 positions",
        "29 of 64 than the original context",
        "25 of 64 than the extended context",
        "1: scores times 1",
        "critical dimension 70 at 8,192 positions",
        "context 131,072 positions by the file's length, 65,536 by factor × original",
        "nothing in the file is wrong or odd",
        "pecli spectrum -e rope:base=500000,scaling=llama3",
    ):
        assert fact in text or fact.replace("29 of", "32 of") in text, fact


def test_the_json_has_every_key_of_a_rope(ask: Ask) -> None:
    data = told(ask, "llama-3.1")
    (layer,) = data["layers"].values()
    assert set(ROPE) | {"max_position", "layer_indices"} <= set(layer)
    assert len(layer["inv_freq"]) == layer["rotary_dim"] // 2
    assert all(set(item) == {"key", "value", "level", "text"} for item in data["findings"])
    assert [len(told(ask, name)["findings"]) for name in ("bert", "roberta", "bart")] == [0, 1, 1]


def test_the_spec_to_type_draws_the_same_rates(ask: Ask) -> None:
    from pecli.encodings.rope import Rope
    from pecli.models.spec import read_encoding

    layer = told(ask, "phi-3.5")["layers"]["all"]
    made = read_encoding(layer["spec"])
    assert isinstance(made, Rope)
    np.testing.assert_array_equal(made.frequencies(), layer["inv_freq"])


def test_findings_stand_below_with_key_and_value(ask: Ask) -> None:
    text = " ".join(ask("model", str(CONFIGS / "trap-attn-factor.json")).out.split())
    assert "warning: attn_factor = 1.2: ignored with rope_type yarn" in text
    assert "probably meant: attention_factor" in text and "nothing in the file" not in text


@pytest.mark.parametrize(
    ("words", "reason"),
    [
        ([], "takes the path of a config.json"),
        (["no/config.json"], "no/config.json does not exist"),
        ([str(CONFIGS / "bert.json"), "--seq-len", "0"], "--seq-len 0 is not allowed"),
        ([str(CONFIGS / "gives.toml")], "is not a config"),
    ],
)
def test_what_cannot_be_read_is_one_line(ask: Ask, words: list[str], reason: str) -> None:
    ended = ask("model", *words)
    assert ended.code == 2
    assert reason in ended.err and ended.err.count("\n") == 1
    assert ended.out == ""


def test_a_picture_of_a_config_carries_numbers_and_no_path(ask: Ask, folder: Path) -> None:
    config = str(CONFIGS / "llama-3.1.json")
    assert ask("spectrum", "-e", config, "-e", "rope", "-o", "s.svg").code == 0
    text = (folder / "s.svg").read_text(encoding="utf-8")
    assert "scaling=llama3" in text and "config" not in text and "tests/data" not in text
    assert ask("compare", config, "rope", "--figure", "offsets", "-n", "64", "-o", "c.json").code == 0
    assert "scaling=llama3" in ask("recipe", "s.svg").out
