"""The page of reference is what the code gives now, and JSON has the keys that it tells."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from pecli.cli.commands import command_of
from pecli.cli.reference import exit_codes, page
from pecli.jobs.picture import OUTCOME_KEYS, RESULT_KEYS

Ask = Callable[..., Any]
PAGE = Path(__file__).parents[2] / "gallery" / "reference.md"
BATCH = '[[figure]]\ncommand = "heatmap"\nlength = 3\nd = 4\nbase = [10, 20]\noutput = "{base}.json"\n'


def test_the_page_is_what_the_code_gives_now() -> None:
    assert page() + "\n" == PAGE.read_text(encoding="utf-8"), "python -m pecli.cli.reference > gallery/reference.md"


def test_exit_codes_are_those_that_are_given(ask: Ask) -> None:
    told = dict(exit_codes())
    assert list(told)[:3] == ["0", "1", "2"] and told["130"] == "interrupted: SIGINT"
    given = [ask("heatmap", *words).code for words in (["-n", "3", "-o", "a.npz"], ["-d", "0"])]
    assert given == [0, 2]


@pytest.fixture
def site(folder: Path) -> Path:
    """A folder with a table, a batch file and a file that pecli made."""
    np.save("t.npy", np.eye(3))
    (folder / "f.toml").write_text(BATCH)
    (folder / "config.json").write_text('{"model_type": "llama", "hidden_size": 64, "num_attention_heads": 4}')
    return folder


def found(ask: Ask, *words: str) -> list[dict[str, Any]]:
    """The results that a line prints as JSON."""
    return list(json.loads(ask(*words, "--json").out)["results"])


def test_json_has_the_keys_that_are_told(ask: Ask, site: Path) -> None:
    (one,) = found(ask, "heatmap", "learned", "--file", "t.npy", "-o", "a.npz")
    assert set(one) == set(RESULT_KEYS)
    assert set(found(ask, "recipe", "a.npz")[0]) == set(command_of("recipe").keys)
    for name, word in (("encodings", "rope"), ("tensors", "t.npy")):
        assert set(found(ask, name, word)[0]) == set(command_of(name).keys)
    assert set(json.loads(ask("model", ".", "--json").out)) == set(command_of("model").keys)


def test_a_batch_says_as_json_what_it_did_and_would_do(ask: Ask, site: Path) -> None:
    assert [one["state"] for one in found(ask, "batch", "f.toml", "--check")] == ["missing", "missing"]
    assert ask("batch", "f.toml", "--check", "--json").code == 1
    assert [(one["done"], one["paths"]) for one in found(ask, "batch", "f.toml", "--dry-run")] == [
        (False, ["10.json"]), (False, ["20.json"]),
    ]  # fmt: skip
    for one in found(ask, "batch", "f.toml", "-j", "1", "-q"):
        assert set(one) == (set(RESULT_KEYS) - {"facts", "inputs"}) | set(OUTCOME_KEYS)
    assert found(ask, "batch", "f.toml", "--check") == []
    assert ask("batch", "f.toml", "--check").out == ""
