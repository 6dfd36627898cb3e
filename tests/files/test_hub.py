"""Tests of models on the hub, with the real client and a local server that counts the bytes sent."""

from __future__ import annotations

import json
import os
import shlex
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from pecli.core.errors import UsageError
from pecli.core.hub import parse_hub_path
from pecli.core.language import say
from tests.files.hub_server import COMMIT, Hub, running
from tests.models.gguf_files import gguf

Process = Callable[..., Any]
pytest.importorskip("huggingface_hub")
TABLE = np.random.default_rng(0).normal(size=(683, 768)).astype("<f4")  # 2 MB
CONFIG = {"model_type": "llama", "hidden_size": 64, "num_attention_heads": 2, "rope_theta": 500000.0}
SHARDS = {"model-1.safetensors": {"a.weight": TABLE[:9, :8]}, "model-2.safetensors": {"wpe.weight": TABLE[:20, :6]}}
KEYS = {"general.architecture": "llama", "llama.context_length": 4096, "llama.embedding_length": 64,
        "llama.block_count": 2, "llama.attention.head_count": 2}  # fmt: skip
LINES = """
import json, os, sys, time
time.sleep = lambda _: None  # between tries
import huggingface_hub.constants as constants
constants.HF_HUB_ETAG_TIMEOUT = constants.HF_HUB_DOWNLOAD_TIMEOUT = 0.1
from typer.testing import CliRunner
from pecli.cli.app import app
for asked in sys.stdin:
    folder, asked = json.loads(asked)
    os.chdir(folder)
    ended = [CliRunner().invoke(app, words, prog_name="pecli") for words in asked]
    print(json.dumps([[each.exit_code, each.stdout, each.stderr] for each in ended]), flush=True)
"""


def write(path: Path, tensors: dict[str, Any], before: int = 0) -> None:
    """Write a .safetensors file whose tensors stand behind so many bytes of another, a hole in the file."""
    path.parent.mkdir(parents=True, exist_ok=True)
    header: dict[str, Any] = {"h.weight": {"dtype": "F32", "shape": [before // 4], "data_offsets": [0, before]}}
    at = before
    for name, array in tensors.items():
        header[name] = {"dtype": "F32", "shape": array.shape, "data_offsets": [at, at + array.nbytes]}
        at += array.nbytes
    head = json.dumps(header if before else {n: v for n, v in header.items() if n != "h.weight"}).encode()
    with path.open("wb") as file:
        file.write(len(head).to_bytes(8, "little") + head)
        file.seek(8 + len(head) + before)
        file.write(b"".join(array.tobytes() for array in tensors.values()))


@pytest.fixture(scope="module")
def hub(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Hub]:
    models = tmp_path_factory.mktemp("hub") / "models" / "org"
    write(models / "large" / "model.safetensors", {"wpe.weight": TABLE}, 2 << 30)
    for folder in (models / "large", models / "large" / "sub", models / "slow"):
        folder.mkdir(exist_ok=True)
        (folder / "config.json").write_text(json.dumps(CONFIG))
    for name, tensors in SHARDS.items():
        write(models / "shards" / name, tensors)
    weights = {tensor: name for name, tensors in SHARDS.items() for tensor in tensors}
    (models / "shards" / "model.safetensors.index.json").write_text(json.dumps({"weight_map": weights}))
    write(models / "two" / "other.safetensors", {"text.pos_embed": TABLE[:4, :4], "image.pos_embed": TABLE[:4, :4]})
    whole = gguf({**KEYS, "rope_freqs.weight": [2.0] * 16})
    (models / "gguf").mkdir()
    with (models / "gguf" / "model.gguf").open("wb") as file:
        file.write(whole)
        file.truncate(2 << 30)
    for name, content in (("1", KEYS), ("2", {"rope_freqs.weight": [2.0] * 16})):
        (models / "gguf" / f"m-0000{name}-of-00002.gguf").write_bytes(gguf(content))
    (models / "pickled").mkdir()
    (models / "pickled" / "pytorch_model.bin").write_bytes(b"\x80")
    with running(models.parent) as hub:
        yield hub


@pytest.fixture(scope="module")
def processes(hub: Hub) -> Iterator[Callable[..., subprocess.Popen[str]]]:
    """Return the process that knows this hub and has this environment, started once."""
    cache = hub.folder.parent / "cache"
    started: dict[str, subprocess.Popen[str]] = {}

    def process(**environment: str) -> subprocess.Popen[str]:
        if str(environment) not in started:
            known = {"HF_ENDPOINT": hub.address, "HF_HOME": str(cache), **environment}
            started[str(environment)] = subprocess.Popen(
                [sys.executable, "-c", LINES],
                env={**os.environ, **known},
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                text=True,
            )
        return started[str(environment)]

    yield process
    for each in started.values():
        each.communicate(timeout=60)


@pytest.fixture
def lines(hub: Hub, processes: Any, folder: Path) -> Any:
    """Run lines in a process that knows this hub, with an empty cache at first: code, output, error of each."""
    shutil.rmtree(hub.folder.parent / "cache", ignore_errors=True)

    def run(*lines: str, **environment: str) -> list[tuple[int, str, str]]:
        hub.asked, hub.sent = [], 0
        process = processes(**environment)
        process.stdin.write(json.dumps([str(folder), [shlex.split(line)[1:] for line in lines]]) + "\n")
        process.stdin.flush()
        return [tuple(each) for each in json.loads(process.stdout.readline())]

    return run


@pytest.mark.long
def test_a_config_is_one_small_file_that_is_read_from_the_cache_then(lines: Any, hub: Hub) -> None:
    model, sub, plain = lines(
        "pecli model hf:org/large -v", "pecli model hf:org/large@main/sub", "pecli explain hf:org/large:base=10"
    )
    assert (model[0], sub[0], plain[0]) == (0, 0, 0) and "500,000" in sub[1]
    assert model[1].startswith(say("model.text", path="hf:org/large", name="llama", kinds=""))
    assert hub.sent < 1000
    assert f"GET {hub.address}/org/large/resolve/main/config.json" in model[2]
    (both,) = lines("pecli model hf:org/large hf:org/large@main/sub --format md")
    assert both[0] == 0 and ": 500,000" in both[1]  # which differ in nothing
    first, other = lines("pecli model hf:org/large", "pecli model hf:org/shards", HF_HUB_OFFLINE="1")
    assert first[:2] == model[:2] and hub.asked == []
    assert other[0] == 1 and other[2].endswith("it is not in the cache, and HF_HUB_OFFLINE forbids downloads\n")


@pytest.mark.long
def test_of_a_large_file_the_table_alone_is_fetched_and_no_picture_asks_for_more(
    lines: Any, hub: Hub, folder: Path
) -> None:
    (made,) = lines("pecli heatmap -e learned:file=hf:org/large#wpe.weight --dpi 30 -o a.npy -o a.png -o a.json")
    assert made[0] == 0, made
    assert TABLE.nbytes < hub.sent < TABLE.nbytes + 10_000
    assert np.array_equal(np.load("a.npy"), TABLE[: len(np.load("a.npy"))])
    name = f"hf:org/large@{COMMIT}#wpe.weight"
    found, recipe, refused, again, twice = lines(
        f"pecli identify {name}",
        "pecli recipe a.png",
        "pecli redraw a.png -o b.png",
        f"pecli redraw a.png --file {name} -o b.png",
        f"pecli table -e learned:file={name} -n 9 -o c.npy",
    )
    said = say("identify.no_formula_the_strongest", name="org/large, wpe.weight", share=0.02)
    assert found[0] == 1 and " ".join(found[1].split()).startswith(said)
    assert recipe[1] == f"pecli heatmap --encoding learned --file '{name}' --length 683 --dpi 30 --output a.png\n"
    assert refused[0] == 2 and f"name it: --file '{name}'" in refused[2]
    assert (again[0], twice[0]) == (0, 0) and Path("b.png").is_file()
    text = Path("a.json").read_text(encoding="utf-8")  # as a stranger might have it: of no commit that is known
    Path("a.json").write_text(text.replace(f"hf:org/large@{COMMIT}", "hf:org/large"), encoding="utf-8")
    recipe, redraw = lines("pecli recipe a.json", "pecli redraw a.json -o b.json")
    assert hub.asked == [] and (recipe[0], redraw[0]) == (2, 2)


@pytest.mark.long  # tests/core/test_hub_client.py asks a client without a network
def test_of_shards_those_with_tables_are_opened(lines: Any, hub: Hub) -> None:
    (made,) = lines("pecli table -e learned:file=hf:org/shards --json")
    assert made[0] == 0 and not any("model-1" in line for line in hub.asked)
    long, bare = lines(*(f"pecli table {each}hf:org/shards#wpe.weight -o -" for each in ("learned:file=", "")))
    assert bare == long and bare[0] == 0 and bare[1]
    listed, two, several = lines(
        "pecli tensors hf:org/shards", "pecli tensors hf:org/two", "pecli table -e learned:file=hf:org/two"
    )
    assert (
        "9 × 8" in listed[1] and "20 × 6" in listed[1] and f"file=hf:org/shards@{COMMIT}" in listed[1].replace("\n", "")
    )
    assert two[1].count("try: pecli heatmap") == 2
    assert several[0] == 2 and f"name one, as in hf:org/two@{COMMIT}#text.pos_embed" in several[2]


@pytest.mark.long
def test_of_a_gguf_file_the_header_and_a_small_tensor_are_fetched(lines: Any, hub: Hub) -> None:
    (whole,) = lines("pecli model hf:org/gguf/model.gguf --json")
    assert whole[0] == 0, whole
    assert json.loads(whole[1])["layers"]["all"]["inv_freq"][0] == 0.5 and hub.sent < 4 << 20
    (shards,) = lines("pecli model hf:org/gguf/m-00002-of-00002.gguf --json")
    assert json.loads(shards[1])["layers"]["all"]["inv_freq"][0] == 0.5


FAILURES = [  # a line, its exit code, and what its message names
    ("model hf:org/missing", 1, "hf:org/missing", "hf auth login"),
    ("model hf:org/private", 1, "hf:org/private", "hf auth login"),
    ("model hf:org/gated", 1, "terms", "hf auth login"),
    ("model hf:org/large@v9", 1, "hf:org/large@v9", "revision"),
    ("model hf:org/shards", 1, "hf:org/shards", "config.json"),
    ("model hf:org/broken", 1, "hf:org/broken", "the hub"),
    ("model hf:org/gguf/no.gguf", 1, "hf:org/gguf/no.gguf", "no such file"),
    ("table -e learned:file=hf:org/missing", 1, "hf:org/missing", "hf auth login"),
    ("table -e learned:file=hf:org/pickled", 1, "pytorch_model.bin", "pecli tensors pytorch_model.bin"),
    ("table -e learned:file=hf:org/large#nothing", 2, "hf:org/large", "unknown tensor"),
    ("model hf:gpt2", 2, "hf:gpt2", "hf:org/name@revision"),
]  # fmt: skip


def test_what_cannot_be_fetched_is_one_line(lines: Any) -> None:
    ended = lines(*(f"pecli {line}" for line, *_ in FAILURES))
    for (line, code, *names), (found, out, error) in zip(FAILURES, ended, strict=True):
        assert (found, out) == (code, "") and all(name in error for name in names) and error.count("\n") == 1, line


@pytest.mark.long
def test_a_hub_that_does_not_answer_is_one_line(lines: Any) -> None:
    ((code, out, error),) = lines("pecli model hf:org/slow")
    assert (code, out, error.count("\n")) == (1, "", 1)
    assert "hf:org/slow" in error and "HF_HUB_DOWNLOAD_TIMEOUT" in error


def test_without_the_client_one_line_says_what_to_install(folder: Path, process: Process) -> None:
    code = "import sys; sys.modules['huggingface_hub'] = None; from pecli.__main__ import main; main()"
    ended = process(["-c", code, "model", "hf:org/large"], folder, {})
    assert (ended.returncode, ended.stdout) == (1, b"") and b"pip install huggingface_hub" in ended.stderr
    assert ended.stderr.count(b"\n") == 1


@pytest.mark.some(2)
@pytest.mark.parametrize("name", ["hf:a/b", "hf:a/b@v1", "hf:a/b/c/d", "hf:a/b@v1/c/model.safetensors#t.weight"])
def test_a_name_is_made_of_its_parts(name: str) -> None:
    assert str(parse_hub_path(name)) == name
    with pytest.raises(UsageError):
        parse_hub_path(name.replace("a/b", "a@b"))
