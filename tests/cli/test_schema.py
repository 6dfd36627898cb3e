"""Tests of `pecli schema`: the --json output of every command conforms to its schema, without further keys."""

from __future__ import annotations

import inspect
import json
import shlex
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from pecli.cli.app import ALIASES, PANEL, command_of
from pecli.cli.schema import commands
from pecli.jobs.job_options import ANALYSES
from tests.conftest import Ask

validators = pytest.importorskip("jsonschema")
CONFIGS = Path(__file__).parents[1] / "data" / "configs"
LINES = [  # a line and its commands, whose --json has the shapes that there are; that of a picture is that of an array
    *(f"{name} -o a.npz" if analysis.drawn else name for name, analysis in ANALYSES.items() if not analysis.compares),
    *(f"{name} rope clock -o a.npz" for name, analysis in ANALYSES.items() if analysis.compares),
    "heatmap --base 10,100 -n 4 -d 4 -o all.json",
    "heatmap --base 10,100 -n 4 -d 4 -o {base}.json",
    "heatmap learned --file t.npy -o a.npz",
    "heatmap rope clock -n 4 -o {encoding}.json",
    "similarity -n 4 -d 4 -o a.json",
    "compare sinusoidal rope -d 8 -n 4 --difference -o a.json",
    "offsets alibi -n 8 -o a.json",
    "offsets rope --random 5 -n 8 -d 8 -o a.json",
    "offsets sincos2d --grid 4x4 -o a.json",
    "spectrum rope --size 4x3 -o a.json",
    "spectrum rope rope:scaling=yarn,factor=4,original=2048 --ratio -o a.json",
    "precision --by stage -n 64 -o a.json",
    "rotation --offset 5 -o a.json",
    "bases rope:base=500000,max_position=8192 -n 9000 -o a.json",
    "temperature rope:temperature=0.1,8192,1 rope:logn=8192,32767 -n 9 -o a.json",
    "bias --softmax -n 8 -o a.json",
    "rotation --matrix 5 -d 8 -o a.json",
    "table rope -d 4 -n 3",
    "stats rope clock",
    "explain rope -d 4",
    "encodings",
    "encodings rope",
    "extend llama.json --to 65536",
    "identify t.npy",
    "identify sines.npy",
    "identify --rates 1,0.1,0.01,0.001",
    "identify --rates 1,0.7,0.2",
    "model llama.json",
    "model llama.json other.json",
    "model llama.json llama.json other.json",
    "model llama.json other.json --same",
    "model llama.json --runtime all",
    *(f"model {CONFIGS}/{name}.json" for name in ("t5", "mpt", "bert", "qwen2-vl", "whisper", "clip", "llama-4-scout")),
    "tensors t.npy",
    "tensors words.npz",
    "batch f.toml -j 1",
    "batch f.toml --dry-run",
    "batch g.toml --check",
    "redraw done.json -n 2 -o b.json",
    "recipe done.json",
]
LLAMA = {"model_type": "llama", "hidden_size": 64, "num_attention_heads": 4, "num_hidden_layers": 2}
LLAMA |= {"max_position_embeddings": 2048, "rope_theta": 10000.0}
BATCH = '[[figure]]\ncommand = "heatmap"\nlength = 3\nd = 4\nbase = [10, 20]\noutput = "{base}.json"\n'


@pytest.fixture(scope="module")
def schemas() -> dict[str, Any]:
    """Return a validator of each command."""
    made = {name: command.answer() for name, command in commands().items() if command.answer is not None}
    return {name: validators.Draft7Validator(json.loads(json.dumps(schema))) for name, schema in made.items()}


@pytest.fixture
def files(folder: Path, ask: Ask) -> None:
    """Write what the lines read."""
    Path("llama.json").write_text(json.dumps(LLAMA), encoding="utf-8")
    Path("other.json").write_text(json.dumps({**LLAMA, "rope_theta": 5e5}), encoding="utf-8")
    np.save("t.npy", np.arange(12.0).reshape(4, 3) % 5)
    at = np.arange(50.0)[:, None] * 10000.0 ** (-np.arange(8) / 8)
    np.save("sines.npy", np.stack([np.sin(at), np.cos(at)], axis=2).reshape(50, 16))
    np.savez("words.npz", a=np.eye(3), b=np.arange(3))
    Path("f.toml").write_text(BATCH, encoding="utf-8")
    Path("g.toml").write_text(BATCH.replace("{base}", "g-{base}"), encoding="utf-8")
    assert ask("heatmap", "-n", "3", "-d", "4", "-o", "done.json").code == 0


def test_every_command_with_json_has_a_schema(ask: Ask) -> None:
    listed = ask("schema").out.split()
    assert '"description": "A formula that gives the same table."' in ask("schema", "identify").out
    assert listed == [name for name in PANEL if "json" in {entry.name for entry in entries(name)}]
    assert {ALIASES.get(line.split()[0], (line.split()[0],))[0] for line in LINES} == {*listed}


def entries(name: str) -> list[Any]:
    """Return the parameters of a command."""
    return [*inspect.signature(command_of(name).function).parameters.values()]


@pytest.mark.some(24)
@pytest.mark.parametrize("name", [name for name in PANEL if name not in ("schema", "skill", "explore")])
def test_a_schema_is_one_and_closed_at_the_top(ask: Ask, name: str) -> None:
    printed = ask("schema", name).out
    assert printed.startswith('{\n  "$schema": ')  # indented
    schema = json.loads(printed)
    validators.Draft7Validator.check_schema(schema)
    assert schema["description"].endswith("gallery/reference.md explains the keys.")
    parts = schema.get("anyOf", [schema])
    assert all(part["additionalProperties"] is False for part in parts)
    items = [part["properties"]["results"]["items"] for part in parts if [*part["properties"]] == ["results"]]
    assert all(item["additionalProperties"] is False for item in items)


@pytest.mark.some(40)
@pytest.mark.parametrize("line", LINES)
@pytest.mark.usefixtures("files")
def test_what_is_printed_is_as_the_schema_has_it(ask: Ask, schemas: dict[str, Any], line: str) -> None:
    words = shlex.split(line)
    schema = schemas[ALIASES.get(words[0], (words[0],))[0]]
    answer = json.loads(ask(*words, "--json").out)
    assert [error.message[-300:] for error in schema.iter_errors(answer)] == []
    assert not schema.is_valid({**answer, "another key": 1})
    for item in answer.get("results", ()):
        assert not schema.is_valid({**answer, "results": [{**item, "another key": 1}]})


@pytest.mark.long
@pytest.mark.parametrize(("word", "said"), [("heatmpa", "did you mean 'heatmap'?"), ("explore", "unknown command")])
def test_a_command_without_a_schema_is_refused(ask: Ask, word: str, said: str) -> None:
    ended = ask("schema", word)
    assert (ended.code, said in ended.err) == (2, True)
