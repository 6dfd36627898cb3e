"""Tests of `pecli tensors`: the list of a file's tensors, and the commands that it suggests."""

from __future__ import annotations

import json
import shlex
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from safetensors.numpy import save_file

from tests.conftest import Ask


@pytest.fixture
def files(folder: Path) -> Path:
    """Return the same table in every kind of file, beside others where it can."""
    table = np.random.default_rng(2).standard_normal((77, 6)).astype(np.float32)
    others: dict[str, Any] = {"h.0.attn.weight": np.ones((6, 18), np.float32), "ln.bias": np.ones(6, np.float32)}
    np.save("t.npy", table)
    np.savetxt("t.csv", table, delimiter=",")
    np.savez("t.npz", **{"wpe.weight": table, **others})
    save_file({"wpe.weight": table, **others}, "t.safetensors")
    return folder


@pytest.mark.some(4)
@pytest.mark.parametrize("path", ["t.npy", "t.csv", "t.npz", "t.safetensors"])
def test_the_table_is_marked_and_the_line_given_draws_it(ask: Ask, files: Path, path: str) -> None:
    text = ask("tensors", path)
    assert text.code == 0 and text.err == ""
    (row,) = [line for line in text.out.splitlines() if "the table" in line]
    assert "77 × 6" in row
    line = shlex.split(text.out.splitlines()[-1].removeprefix("try: "))
    assert ask(*line[1:], "-o", "a.npy").code == 0
    assert np.load("a.npy").shape == (77, 6)


def test_where_the_table_cannot_be_told_the_line_names_one(ask: Ask, folder: Path) -> None:
    np.savez("two.npz", a=np.ones((7, 3)), b=np.ones((5, 3)), c=np.ones(3))
    text = ask("tensors", "two.npz").out
    assert "the table" not in text
    assert text.splitlines()[-1] == "try: pecli heatmap -e learned:file=two.npz,tensor=a"


@pytest.mark.parametrize("table", [np.ones(3), np.ones((5, 3), complex), np.ones((5, 3), bool), np.ones((2, 5, 3))])
def test_what_would_be_refused_is_not_called_the_table(ask: Ask, folder: Path, table: Any) -> None:
    np.save("t.npy", table)
    text = ask("tensors", "t.npy").out
    assert "the table" not in text and "try:" not in text and "no tensor has two dimensions" in text
    assert ask("heatmap", "-e", "learned", "--file", "t.npy", "-o", "a.npy").code == 1


@pytest.mark.parametrize("path", ["no.npz", "broken.npz", "a.txt"])
def test_what_cannot_be_listed_is_one_line(ask: Ask, folder: Path, path: str) -> None:
    Path("broken.npz").write_bytes(b"PK\3\4 no archive")
    refused = ask("tensors", path)
    assert refused.code in (1, 2) and refused.out == "" and len(refused.err.splitlines()) == 1


TORCH = """
class Tensor:
    def __init__(self, value): self.value = value
    def detach(self): return self
    def is_complex(self): return False
    def float(self): return self
    def numpy(self): return self.value
def load(path, map_location, weights_only):
    import numpy
    assert (path, map_location, weights_only) == ("my model's.pt", "cpu", True)
    table = Tensor(numpy.ones((7, 3)))
    return table if SINGLE else {"wpe.weight": table}
"""


@pytest.mark.long
@pytest.mark.parametrize("single", [True, False])
@pytest.mark.posix
def test_the_line_that_converts_a_file_of_torch_makes_one_that_is_read(ask: Ask, folder: Path, single: bool) -> None:
    Path("my model's.pt").write_bytes(b"\x80\x04.")
    Path("torch.py").write_text(
        f"SINGLE = {single}\n{TORCH}", encoding="utf-8"
    )  # its load and tensors as they are used
    refused = ask("heatmap", "-e", "learned", "--file", "my model's.pt")
    assert refused.code == 1 and len(refused.err.splitlines()) == 1
    line = refused.err[refused.err.index("python -c ") :].strip()
    assert "torch.load(" in line
    subprocess.run(line.replace("python", sys.executable, 1), shell=True, check=True)
    assert ask("tensors", "my model's.npz").code == 0
    assert ask("heatmap", "-e", "learned", "--file", "my model's.npz", "-o", "a.npy").code == 0
    assert np.load("a.npy").tolist() == np.ones((7, 3)).tolist()


def test_a_name_that_would_act_on_a_terminal_is_shown_and_never_sent(ask: Ask, folder: Path) -> None:
    odd = "a\x1b[31mred\u202e\x07"
    tables: dict[str, Any] = {odd: np.ones((7, 3)), odd[1:]: np.ones((5, 3))}
    np.savez("odd.npz", **tables, b=np.ones((5, 3)))
    shown = r"a\x1b[31mred\u202e\x07"
    text = ask("tensors", "odd.npz")
    assert text.code == 0 and shown in text.out
    assert text.out.splitlines()[-1] == "try: pecli heatmap -e learned:file=odd.npz,tensor=b"
    np.savez("only.npz", **tables)
    assert "a printable name" in ask("tensors", "only.npz").out
    for form in ("md", "tex", "csv", "json"):
        assert not {"\x1b", "\u202e", "\x07"} & set(ask("tensors", "odd.npz", "--format", form).out)


def test_a_folder_or_a_glob_is_all_its_files(ask: Ask, files: Path) -> None:
    for word in (".", "t.*"):
        told = json.loads(ask("tensors", word, "--json").out)["results"]
        assert [item["file"] for item in told] == ["t.csv", "t.npy", "t.npz", "t.safetensors"]
    assert ask("tensors", "t.*").out.count("try: pecli heatmap") == 4


def test_rates_are_proposed_and_words_are_not(ask: Ask, folder: Path) -> None:
    rates = 10000.0 ** -(np.arange(16) / 16)
    words = {"model.embed_tokens.weight": np.ones((9, 4), np.float32)}
    save_file({"model.layers.0.rotary_emb.inv_freq": rates, **words}, "a.safetensors")
    save_file({"rope_freqs.weight": np.ones(16), **words}, "b.safetensors")
    for path in ("a.safetensors", "b.safetensors"):
        text = ask("tensors", path).out
        assert "the table" not in text
        line = shlex.split(text.splitlines()[-1].removeprefix("try: "))
        assert json.loads(ask(*line[1:], "--json").out)["spec"] == "rope:d=32"
