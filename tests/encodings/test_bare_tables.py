"""Tests of a table's path in place of an encoding, and of the search for the position table by name."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from safetensors.numpy import save_file

import pecli
from pecli.core.errors import PecliError, UsageError
from pecli.encodings.spec import read_encoding, spread_spec
from tests.conftest import Ask

TABLE = np.random.default_rng(3).integers(-99, 99, (6, 4)) / 8
WORDS = np.zeros((9, 4))


@pytest.fixture
def files(folder: Path) -> None:
    """Write a table into a file of every kind, and files that are no tables."""
    for name in ("mine.npy", "sub/mine.npy", "a=b.npy", "with space.NPY"):
        Path(name).parent.mkdir(exist_ok=True)
        with Path(name).open("wb") as file:
            np.save(file, TABLE)
    np.savetxt("mine.csv", TABLE, delimiter=",")
    np.savez("two.npz", first=TABLE, second=2 * TABLE)
    save_file({"wpe.weight": TABLE, "wte.weight": WORDS, "h.0.w": WORDS}, "gpt2.safetensors")
    for name in ("model.pt", "model.bin", "model.pth"):
        Path(name).write_bytes(b"PK")


SAME = [  # a bare path, and the same as learned
    ("mine.npy", "learned:file=mine.npy"),
    ("sub/mine.npy", "learned:file=sub/mine.npy"),
    ("./mine.npy", "learned:file=./mine.npy"),
    ("with space.NPY", "learned:file=with space.NPY"),
    ("a=b.npy", "learned:file=a=b.npy"),
    ("mine.csv", "learned:file=mine.csv"),
    ("mine.npy:label=Mine", "learned:file=mine.npy,label=Mine"),
    ("mine.npy:divisor=2,grid=2x3", "learned:file=mine.npy,divisor=2,grid=2x3"),
    ("two.npz#second", "learned:file=two.npz,tensor=second"),
    ("two.npz#second:label=S", "learned:file=two.npz,tensor=second,label=S"),
    ("gpt2.safetensors", "learned:file=gpt2.safetensors"),
    ("gpt2.safetensors#wte.weight", "learned:file=gpt2.safetensors,tensor=wte.weight"),
]


@pytest.mark.parametrize(("bare", "spec"), SAME)
@pytest.mark.usefixtures("files")
def test_a_bare_path_is_a_learned_table(bare: str, spec: str) -> None:
    assert read_encoding(bare) == read_encoding(spec)
    assert spread_spec(bare) == [bare]
    assert np.array_equal(pecli.encode(bare), pecli.encode(spec))


NAMES = [  # names of position tables in released models
    "embeddings.position_embeddings",  # ViT, DeiT, BEiT, DINOv2
    "vit.embeddings.position_embeddings",
    "wpe.weight",  # GPT-2
    "transformer.wpe.weight",
    "bert.embeddings.position_embeddings.weight",
    "vision_model.embeddings.position_embedding.weight",  # CLIP, SigLIP
    "vision_model.embeddings.position_embedding",  # BLIP
    "model.decoder.embed_positions.weight",  # OPT, BART
    "visual.positional_embedding",  # OpenAI's CLIP
    "pos_embed",  # timm
    "blocks.pos_emb",
    "encoder.pos_embedding",  # torchvision
]


@pytest.mark.parametrize("name", NAMES)
def test_the_table_is_found_by_its_name(ask: Ask, folder: Path, name: str) -> None:
    others = {"wte.weight": WORDS, "h.0.attn.weight": WORDS, "embeddings.position_ids": np.arange(6)}
    save_file({name: TABLE[None], **others}, "model.safetensors")
    assert np.array_equal(pecli.encode("model.safetensors"), TABLE)
    (file,) = json.loads(ask("tensors", "model.safetensors", "--json").out)["results"]
    assert [tensor["name"] for tensor in file["tensors"] if tensor["table"]] == [name]


def test_of_two_names_the_one_with_rows_is_the_table(folder: Path) -> None:
    save_file({"a.position_embeddings": TABLE, "b.position_embeddings": np.arange(6.0)}, "m.safetensors")
    assert np.array_equal(pecli.encode("m.safetensors"), TABLE)


REFUSED = [  # a line, its exit code, and what it says
    *(
        (
            f"heatmap model.{ending}",
            1,
            [f"model.{ending} is a PyTorch pickle", "python -c", "weights_only=True", ".npz"],
        )
        for ending in ("pt", "bin", "pth")
    ),
    ("heatmap two.npz", 2, ["two.npz has several arrays, first, second"]),
    ("heatmap two.npz#third", 2, ["third"]),
    ("heatmap mine.npy#x", 2, ["only one table"]),
    ("heatmap mine.npy:bse=2", 2, ["bse"]),
    ("heatmap gone.npy", 1, ["does not exist, and it is not an encoding"]),
    ("heatmap none.npz#pos", 1, ["none.npz#pos does not exist"]),
    ("heatmap gone.pt", 2, ["gone.pt"]),
    ("bias mine.npy", 2, ["bias cannot show learned"]),
]


@pytest.mark.parametrize(("line", "code", "said"), REFUSED)
@pytest.mark.usefixtures("files")
def test_what_is_no_table_is_refused_in_one_line(ask: Ask, line: str, code: int, said: list[str]) -> None:
    ended = ask(*line.split())
    assert (ended.code, ended.err.count("\n")) == (code, 1)
    assert [words for words in said if words not in ended.err] == []


LINES = [  # where an encoding stands
    "heatmap mine.npy -o a.json",
    "heatmap -e mine.npy -o a.json",
    "heatmap mine.npy --label Mine -o a.json",
    "compare mine.npy two.npz#first -o a.json",
    "distance mine.npy mine.csv -o {encoding}-{label}.json --label a --label b",
    "stats mine.npy gpt2.safetensors",
    "tiles mine.npy --grid 2x3 -o a.json",
    "table mine.npy",
]


@pytest.mark.long
@pytest.mark.parametrize("line", LINES)
@pytest.mark.usefixtures("files")
def test_it_stands_in_every_command(ask: Ask, line: str) -> None:
    ended = ask(*line.split(), "--json")
    assert ended.code == 0, ended.err
    for result in json.loads(ended.out)["results"]:
        assert {encoding["name"] for encoding in result["encodings"]} == {"learned"}


@pytest.mark.usefixtures("files")
def test_a_file_is_looked_for_beside_the_batch_and_stored_in_pictures(ask: Ask) -> None:
    Path("sub/f.toml").write_text(
        '[[figure]]\ncommand = "heatmap"\nencoding = "mine.npy"\noutput = "a.json"\n', encoding="utf-8"
    )
    Path("mine.npy").unlink()
    assert ask("batch", "sub/f.toml", "-j", "1").out == "sub/a.json\n"
    assert "--encoding learned --file" in ask("recipe", "sub/a.json").out


def test_a_name_wins_over_a_file(folder: Path) -> None:
    np.save("rope.npy", TABLE)
    Path("rope.npy").rename("rope")
    made: Any = read_encoding("rope")
    assert made.name == "rope"
    with pytest.raises((UsageError, PecliError)):
        read_encoding("ropes")
