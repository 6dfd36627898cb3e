"""Tests that the reference page has the exit codes, the JSON keys and the numbers of every figure."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from pecli.jobs.job_options import ANALYSES
from pecli.jobs.picture import Picture
from pecli.jobs.sweep import make_job
from tests.conftest import Ask

PAGE = (Path(__file__).parents[2] / "gallery" / "reference.md").read_text(encoding="utf-8")
BATCH = '[[figure]]\ncommand = "heatmap"\nlength = 3\nd = 4\nbase = [10, 20]\noutput = "{base}.json"\n'


@pytest.mark.some(8)
@pytest.mark.parametrize("name", ANALYSES)
def test_the_facts_and_arrays_of_every_figure_are_told(name: str) -> None:
    numbers = Picture[Any](make_job(name, {})).numbers
    facts, arrays = (", ".join(f"`{key}`" for key in keys) or "none" for keys in (numbers.facts(), numbers.arrays()))
    assert f"| `{name}` | {facts} | {arrays} |" in PAGE


TABLES: dict[str, tuple[str, dict[str, Any]]] = {
    name: (name, {}) for name, analysis in ANALYSES.items() if analysis.one_table
} | {
    "offsets -e alibi": ("offsets", {"encoding": "alibi"}),
    "offsets --decay": ("offsets", {"decay": True}),
    "bias --softmax": ("bias", {"softmax": True}),
    "rotation --matrix 5": ("rotation", {"matrix": 5}),
    "offsets sincos2d --grid 4x4": ("offsets", {"encoding": "sincos2d", "grid": "4x4"}),
}


def columns(line: str) -> str:
    """Return the row of the page on the columns of a figure's long numbers."""
    name, options = TABLES[line]
    numbers = Picture[Any](make_job(name, options)).numbers
    words = ", ".join(f"`{key}`" for key in numbers.sheet(long=True)[0])
    return f"| `{line}` | {'always' if numbers.always_long else 'with `--long`'} | {words} |"


@pytest.mark.some(12)
@pytest.mark.parametrize("line", TABLES)
def test_the_columns_of_every_figure_are_told(line: str) -> None:
    assert columns(line) in PAGE


def told(heading: str) -> set[str]:
    """Return the keys in the table below that line."""
    rows = PAGE.partition(heading)[2].partition("| --- | --- |\n")[2].partition("\n\n")[0].splitlines()
    return {row.split("`")[1] for row in rows}


def test_json_has_the_keys_that_are_told(ask: Ask, folder: Path) -> None:
    def keys(*words: str) -> set[str]:
        answer = json.loads(ask(*words, "--json").out)
        return set(answer["results"][0] if "results" in answer else answer)

    np.save("t.npy", np.eye(3))
    Path("f.toml").write_text(BATCH, encoding="utf-8")
    Path("config.json").write_text(
        '{"model_type": "llama", "hidden_size": 64, "num_attention_heads": 4}', encoding="utf-8"
    )
    picture = told("A result of a figure or report:")
    assert keys("heatmap", "learned", "--file", "t.npy", "-o", "a.npz") == picture
    assert keys("recipe", "a.npz") == told("\n`recipe`:")
    assert keys("encodings", "rope") == told("\n`encodings`:")
    assert keys("tensors", "t.npy") == told("\n`tensors`:")
    assert keys("identify", "t.npy") == told("\n`identify`:")
    assert keys("model", ".") == told("\n`model`:")
    assert keys("batch", "f.toml", "--dry-run") == {"command", "done", "paths"}
    assert keys("batch", "f.toml", "--check") == {"state", "path"}
    batch = keys("batch", "f.toml", "-j", "1", "-q")
    assert batch == (picture - {"facts", "inputs"}) | told("`batch` gives the same without `facts`")
