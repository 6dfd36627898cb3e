"""Tests with random damage to everything that is read: the result is an answer or one clear error, quickly.

A few hundred inputs per kind are tried on every run, always the same ones; many more with ``pytest -m long``.
"""

from __future__ import annotations

import io
import random
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from safetensors.numpy import save

import pecli
from pecli.core.errors import PecliError, escaped
from pecli.files.formats import FORMATS
from pecli.files.metadata import METADATA_READERS, read_metadata
from pecli.files.tables import TABLE_READERS, read_table
from pecli.jobs.batch import read_batch
from pecli.jobs.sweep import make_job

SOON, LONG = 150, 3_000
runs = pytest.mark.parametrize("count", [SOON, pytest.param(LONG, marks=pytest.mark.long)])
WORDS = ["0", "-1", "1e308", "nan", "inf", "9" * 30, "é位", "\x1b[2J", "\u202e", "$^$", "{base}", "a=b", ":", ",", ""]


def mutated(random: random.Random, data: bytes) -> bytes:
    """Return the data with some bytes changed, taken out, put in or repeated, or cut short."""
    changed = bytearray(data)
    for _ in range(random.choice([1, 1, 2, 5, 20])):
        at, length = random.randrange(len(changed) + 1), random.choice([1, 1, 4, 8, 100])
        piece = {
            "flip": bytes(byte ^ random.randrange(1, 256) for byte in changed[at : at + length]),
            "cut": b"",
            "put": random.randbytes(length),
            "again": bytes(changed[at : at + length] * 2),
            "zero": bytes(len(changed[at : at + length])),
            "word": random.choice(WORDS).encode(),
        }[random.choice(["flip", "cut", "put", "again", "zero", "word"])]
        changed[at : at + length] = piece
    return bytes(changed[: random.randrange(len(changed) + 1)] if random.random() < 0.1 else changed)


def is_one_line(error: PecliError) -> bool:
    text = str(error)
    return bool(text) and not any(word in text for word in ("Traceback", "BytesIO", "allow_pickle", "object at 0x"))


def check_survives(what: Callable[[], Any]) -> None:
    """Let it give an answer or an error of ours; anything else that it raises fails the test."""
    try:
        what()
    except PecliError as error:
        assert is_one_line(error)


@pytest.mark.some(8)
@runs
@pytest.mark.parametrize("format", METADATA_READERS)
def test_finished_files(format: str, count: int, tmp_path: Path) -> None:
    base = [10, 100] if FORMATS[format].frames else 10
    data = pecli.figure("heatmap", d=4, length=5, size="2.5x2.5", dpi=10, base=base).render(format)[0]
    path, seeded = tmp_path / f"a.{format}", random.Random(format)
    for _ in range(count):
        damaged = mutated(seeded, data)
        path.write_bytes(damaged)
        check_survives(lambda: read_metadata(str(path)))


def table_bytes(kind: str) -> bytes:
    table, buffer = np.random.default_rng(1).standard_normal((6, 4)), io.BytesIO()
    if kind == ".csv":
        return (
            "pos,a,b,c,d\n" + "".join(f"{p},{','.join(map(repr, row))}\n" for p, row in enumerate(table.tolist()))
        ).encode()
    if kind == ".safetensors":
        return save({"wpe.weight": table, "other": table[:2]})
    np.save(buffer, table) if kind == ".npy" else np.savez_compressed(buffer, a=table)
    return buffer.getvalue()


@pytest.mark.long
@runs
@pytest.mark.parametrize("kind", TABLE_READERS)
def test_tables(kind: str, count: int, tmp_path: Path) -> None:
    data, seeded = table_bytes(kind), random.Random(kind)
    for number in range(count):
        path = tmp_path / f"{number % 7}{kind}"
        path.write_bytes(mutated(seeded, data))
        check_survives(partial(read_table, str(path)))


BATCH = """\
[batch]
title = "Waves"
[defaults]
d = 4
[[figure]]
command = "heatmap"
base = [10, 100.5]
note = "n"
output = "x/{base}.png"
[[figure]]
command = "offsets"
encoding = ["rope:base=10", "binary"]
output = ["a.svg", "a.npz"]
"""


@pytest.mark.long
@runs
def test_batch_files(count: int, folder: Path) -> None:
    seeded = random.Random("batch")
    for _ in range(count):
        Path("p.toml").write_bytes(mutated(seeded, BATCH.encode()))
        check_survives(lambda: read_batch("p.toml"))


@runs
def test_texts_of_options(count: int, folder: Path) -> None:
    seeded = random.Random("options")
    names = ["base", "d", "length", "start", "size", "title", "dpi", "measure", "encoding", "output", "cmap", "nope"]
    for _ in range(count):
        texts = {name: "".join(seeded.choices(WORDS, k=seeded.randrange(1, 4))) for name in seeded.sample(names, 2)}
        check_survives(partial(make_job, seeded.choice(["heatmap", "distance", "table"]), texts))


@runs
def test_what_is_shown_does_nothing(count: int) -> None:
    seeded = random.Random("shown")
    for _ in range(count):
        text = "".join(chr(seeded.choice([seeded.randrange(0x300), seeded.randrange(0x3000)])) for _ in range(20))
        shown = escaped(text)
        assert escaped(shown) == shown and not any(ord(item) < 32 or 127 <= ord(item) < 160 for item in shown)
