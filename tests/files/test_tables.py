"""Tests of table files: all accepted forms, and a one-line error for others before memory is allocated."""

from __future__ import annotations

import io
import json
import math
import os
import pickle
import subprocess
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from safetensors.numpy import save_file

import pecli
from pecli.core.errors import FileError, PecliError, TableFileError, UsageError
from pecli.core.lazy import Array
from pecli.files.tables import MAX_UNPACKED, read_table

Process = Callable[..., subprocess.CompletedProcess[Any]]
Ask = Callable[..., Any]

TABLE = np.random.default_rng(17).integers(-99, 99, (7, 5)) / 8  # what every kind of file keeps exactly
BINARY = [".npy", ".npz", ".safetensors"]
KINDS = [*BINARY, ".csv"]


def write(path: str, table: Any = TABLE, **others: Array) -> str:
    """Write a table, and others by name, into a file of the kind that its name says."""
    if path.endswith(".npy"):
        np.save(path, table)
    elif path.endswith(".npz"):
        np.savez(path, table=table, **others)  # type: ignore[arg-type]  # numpy reads them as its option
    elif path.endswith(".csv"):
        np.savetxt(path, table, delimiter=",")
    else:
        save_file({"table": np.asarray(table, order="C"), **others}, path)
    return path


def safetensors(dtype: str, shape: tuple[int, ...], body: bytes, declared: int | None = None) -> bytes:
    """Return a .safetensors file byte by byte, with a tensor before the table."""
    end = 12 + (len(body) if declared is None else declared)
    tensors = {
        "first": {"dtype": "F32", "shape": [3], "data_offsets": [0, 12]},
        "t": {"dtype": dtype, "shape": shape, "data_offsets": [12, end]},
    }
    header = json.dumps(tensors).encode()
    return len(header).to_bytes(8, "little") + header + bytes(12) + body


def declare(path: str, shape: tuple[int, ...]) -> None:
    """Write a file that declares numbers and holds none."""
    if path.endswith(".safetensors"):
        Path(path).write_bytes(safetensors("F64", shape, b"", 8 * int(np.prod(shape, dtype=object))))
        return
    head = io.BytesIO()
    np.lib.format.write_array_header_1_0(head, {"shape": shape, "fortran_order": False, "descr": "<f8"})
    if path.endswith(".npy"):
        Path(path).write_bytes(head.getvalue())
    else:
        with zipfile.ZipFile(path, "w") as archive:
            archive.writestr("t.npy", head.getvalue())


pytestmark = pytest.mark.usefixtures("folder")


@pytest.mark.parametrize("kind", [*KINDS, ".NPY"])
def test_every_kind_of_file_reads_back(kind: str) -> None:
    Path(write(f"a{kind.lower()}")).rename(f"t{kind}")
    read = read_table(f"t{kind}")
    assert read.dtype == np.float64 and np.array_equal(read, TABLE)
    with pytest.raises(ValueError, match="read-only"):  # the next reader would get it
        read[0, 0] = 1


def test_a_changed_file_is_read_again() -> None:
    read_table(write("t.npy"))
    write("t.npy", TABLE + 1)
    os.utime("t.npy", ns=(0, 1))
    assert np.array_equal(read_table("t.npy"), TABLE + 1)


WHOLE = np.arange(35).reshape(7, 5)


@pytest.mark.parametrize("dtype", ["<f8", "<f4", "<f2", ">f4", "<i8", "<i2", "<u1"])
def test_any_real_type_order_and_leading_sides_of_one_become_a_table(dtype: str) -> None:
    for array in (WHOLE.astype(dtype), np.asfortranarray(WHOLE.astype(dtype)), WHOLE.astype(dtype)[None, None]):
        read = read_table(write("t.npy", array))
        assert read.dtype == np.float64 and np.array_equal(read, WHOLE)


@pytest.mark.parametrize("name", [
    "h.wpe.weight", "bert.position_embeddings.weight", "position_embedding.weight", "decoder.embed_positions.weight",
    "positions_embed.weight", "text.positional_embedding", "vit.pos_embed",
])  # fmt: skip
def test_usual_names_are_found_among_others(name: str) -> None:
    path = write("t.npz", TABLE + 1, **{name: TABLE, "ln.bias": TABLE[0]})
    assert np.array_equal(read_table(path), TABLE)


@pytest.mark.parametrize(
    ("names", "asked", "expected"),
    [
        (["table"], None, "table"),
        (["encoder.pos.weight", "wpe.weight"], "encoder.pos.weight", "encoder.pos.weight"),
        (["encoder.pos.weight", "wpe.weight"], "r.pos.weight", "encoder.pos.weight"),
        (["pos", "decoder.pos"], "pos", "pos"),
        (["a.wpe.weight", "b.wpe.weight"], None, r"a\.wpe\.weight, b\.wpe\.weight: .*tensor"),
        (["a.wpe.weight", "b.wpe.weight"], "wpe.weight", r"a\.wpe\.weight, b\.wpe\.weight"),
        ([f"layer{i:03}" for i in range(100)], None, r"layer000, .*, layer007, … 100 tensors"),
        (["wpe.weight"], "wpe.wieght", r"'wpe\.wieght'; did you mean 'wpe\.weight'"),
        ([], None, "no table"),
    ],
)
def test_the_table_is_found_by_its_name_or_how_it_ends(names: list[str], asked: str | None, expected: str) -> None:
    tables = {name: TABLE + number for number, name in enumerate(names)}
    save_file({**tables, "bias": np.zeros(3), "steps": np.zeros((2, 2, 2))} if names else {}, "t.safetensors")
    if expected in names:
        assert np.array_equal(read_table("t.safetensors", asked), tables[expected])
    else:
        with pytest.raises(UsageError if names else TableFileError, match=expected):
            read_table("t.safetensors", asked)


def test_a_file_of_one_table_has_no_names() -> None:
    with pytest.raises(UsageError, match=r"tensor=pos: a \.npy file"):
        read_table(write("t.npy"), "pos")


@pytest.mark.parametrize(
    ("dtype", "numpy_dtype", "values", "expected"),
    [(name, f"<{name[0].lower()}{int(name[1:]) // 8}", [-17, 0, 17], [-17, 0, 17])
     for name in ("F64", "F32", "F16", "I64", "I32", "I16", "I8")]
    + [("F16", "<f2", [65504, 2.0**-24, -1], [65504, 2.0**-24, -1]),
       ("BF16", "<u2", [0x3F80, 0xC020, 0x4049], [1.0, -2.5, 3.140625])],
)  # fmt: skip
def test_every_type_of_safetensors_is_read(dtype: str, numpy_dtype: str, values: Any, expected: Any) -> None:
    Path("t.safetensors").write_bytes(safetensors(dtype, (1, 3), np.array(values, dtype=numpy_dtype).tobytes()))
    assert read_table("t.safetensors").tolist() == [expected]


@pytest.mark.parametrize(
    ("text", "line", "index"),
    [
        ("1,2\n3,4.5\n", None, None),
        ("\ufeff1,2\n3,4.5\n", None, None),
        (" 1 , 2e0 \r\n\r\n 3 ,4.5", None, None),
        ("a,b\n1,2\n3,4.5\n", "line 1", None),
        ("\ufeffposition,a,b\n0,1,2\n1,3,4.5\n", "line 1", "'position'"),
        ("Index,5,6\n-1,1,2\n3,3,4.5\n", "line 1", "'Index'"),
        ("\n,0,1\n7,1,2\n8,3,4.5\n", "line 2", "''"),
    ],
    ids=repr,
)
def test_csv_with_and_without_header(
    text: str, line: str | None, index: str | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    heard = list[str]()
    monkeypatch.setattr("pecli.files.tables.notice", heard.append)
    Path("t.csv").write_bytes(text.encode())
    assert read_table("t.csv").tolist() == [[1, 2], [3, 4.5]]
    assert len(heard) == (line is not None)
    assert all(f"t.csv: {line}" in told and (f"column {index}" in told or index is None) for told in heard)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("1,2\n3\n", "line 2: 1 cell.* 2"),
        ("1,2\n3,x\n", "line 2: 'x'"),
        ("1,2\n3,\n", "line 2: ''.*empty"),
        ("1:2\n3:4\n", "line 2: '3:4'"),
        ("a,b,7\n1,2,3\n", "line 1: 'a'"),
        ("", "no numbers"),
        ("a,b\n", "no numbers"),
        ("1,2\n−3,4\n", "line 2: '−3'"),
        ("a,b\n1,2,3\n", "line 2: 3 cells.* 2"),
        ("1,nan\n", "1 value .*row 0, column 1: nan"),
        ("1,\xff\n3,4\n", " is not UTF-8 text"),
    ],
    ids=lambda text: repr(text[:30]),
)
def test_a_csv_that_is_no_table_is_refused(text: str, said: str) -> None:
    Path("t.csv").write_bytes(text.encode("latin-1" if "\xff" in text else "utf-8"))
    with pytest.raises(TableFileError, match=rf"t\.csv.*{said}"):
        read_table("t.csv")


class Trap:
    """Leaves a mark where it is unpickled."""

    def __reduce__(self) -> tuple[Callable[[str], None], tuple[str]]:
        return os.mkdir, ("sprung",)


def test_nothing_is_unpickled() -> None:
    trap = np.array([[Trap()]], dtype=object)
    np.save("t.npy", trap, allow_pickle=True)
    np.savez("t.npz", allow_pickle=True, t=trap)
    for kind in KINDS:
        Path(f"bare{kind}").write_bytes(pickle.dumps(Trap()))
    for path in ("t.npy", "t.npz", *(f"bare{kind}" for kind in KINDS)):
        with pytest.raises(TableFileError, match=path):
            read_table(path)
    assert not Path("sprung").exists()


@pytest.mark.parametrize("kind", BINARY)
def test_a_declared_size_beyond_memory_or_the_file_is_refused(kind: str) -> None:
    for shape in ((10**6, 10**6), (2**32, 2**32)):
        declare(f"t{kind}", shape)
        with pytest.raises(PecliError, match=f"t{kind}"):
            read_table(f"t{kind}")


@pytest.mark.long
def test_an_archive_that_swells_is_refused() -> None:
    np.savez_compressed("t.npz", a=np.zeros((MAX_UNPACKED // 80 + 1, 10)))
    with pytest.raises(TableFileError, match=r"a unpacks from .* KiB to 64\.0 MiB"):
        read_table("t.npz")


BAD = np.where(np.arange(35).reshape(7, 5) == 23, np.nan, TABLE)
BAD[6, 0] = -np.inf


@pytest.mark.parametrize(
    ("array", "said", "kinds"),
    [
        *((np.zeros(shape), rf"t\.\w+ .*{shape}", BINARY)
          for shape in ((7,), (0, 5), (5, 0), (2, 3, 4), ())),
        *((np.ones((2, 2), dtype=dtype), dtype, BINARY[:2])
          for dtype in ("complex128", "str", "bool")),
        (np.ones((2, 2), bool), "BOOL", BINARY[2:]),
        (BAD, "2 values .*row 4, column 3: nan", KINDS),
        (np.array([[np.inf, 1.0]]), "1 value .*row 0, column 0: inf", KINDS),
        (np.array([[1.0, 2.0], [-3e153, 1e307]]), r"2 values .* row 1, column 0: -3e\+153", [".npy", ".csv"]),
        (TABLE * 1e-200, "1.23e-199", [".npy", ".csv"]),
    ],
)  # fmt: skip
def test_what_is_no_table_is_refused(array: Array, said: str, kinds: list[str]) -> None:
    for kind in kinds:
        with pytest.raises(TableFileError, match=said.replace("(", r"\(").replace(")", r"\)")):
            read_table(write(f"t{kind}", array))


DAMAGE = [b"", b"PK\3\4", b"\x93NUMPY\x01\x00", b"\xff\xfe", b"\x93NUMPY\x02\x00\xff\xff\xff\x7f{", b"\x80\x04."]


@pytest.mark.parametrize("kind", KINDS)
def test_a_damaged_file_is_refused_by_name_and_in_our_words(kind: str) -> None:
    noise = np.random.default_rng(3).bytes(997)
    whole = Path(write(f"t{kind}")).read_bytes()
    for data in [*DAMAGE, noise, *([whole[:-9], whole[: len(whole) * 6 // 10]] if kind != ".csv" else [])]:
        Path(f"t{kind}").write_bytes(data)
        with pytest.raises(TableFileError, match=rf"^t{kind}.*({kind} file|UTF-8|number)"):
            read_table(f"t{kind}")


@pytest.mark.some(16)
@pytest.mark.parametrize(
    ("key", "value"),
    [
        *(("shape", value) for value in (["4", "4"], "44", [math.inf, 4], [-4, -4], [4.0, 4], [10**400, 0.5], None, 7)),
        ("dtype", 7),
        *(("data_offsets", value) for value in ([0, 32], [0, 128], [-4, 60], [0, "64"], [0], None)),
    ],
)
def test_a_header_that_contradicts_itself_is_refused(key: str, value: Any, ask: Ask) -> None:
    header = json.dumps({"t": {"shape": [4, 4], "dtype": "F32", "data_offsets": [0, 64], key: value}}).encode()
    Path("t.safetensors").write_bytes(len(header).to_bytes(8, "little") + header + bytes(64))
    for words in (("heatmap", "learned:file=t.safetensors", "-o", "a.png"), ("tensors", "t.safetensors")):
        ended = ask(*words)
        assert "internal" not in ended.err
        assert ended.code == 1 or (key == "dtype" and words[0] == "tensors")  # which lists what it cannot read
    declare("t.npz", (10**200, 10**200))
    assert ask("tensors", "t.npz").code == 1


@pytest.mark.parametrize(
    ("path", "error", "said"),
    [
        ("t.txt", TableFileError, r"kind of table file .*\.npy, \.npz, \.csv, \.safetensors"),
        ("bare", TableFileError, "kind of table file"),
        ("none.npy", FileError, r"none\.npy does not exist"),
        ("folder.npy", FileError, "is not a regular file"),
        ("t.pt", TableFileError, "python -c "),
    ],
)
def test_what_is_no_table_file_is_refused(path: str, error: type[Exception], said: str) -> None:
    Path("folder.npy").mkdir()
    for name in ("t.txt", "bare", "t.pt"):
        Path(name).write_bytes(b"\x80\x04.")
    with pytest.raises(error, match=said):
        read_table(path)


@pytest.mark.long
@pytest.mark.parametrize("form", ["npy", "npz", "csv"])
def test_a_table_comes_out_of_a_pipe(form: str, process: Process, ask: Ask, folder: Path) -> None:
    made = ask("table", "-d", "4", "-n", "7", "-o", "-", "--format", form)
    assert made.code == 0, made.err
    words = ["-m", "pecli", "heatmap", "-e", "learned:file=-", "--json", "-o", "table.npy"]
    ended = process(words, folder, {}, input=made.data)
    assert ended.returncode == 0, ended.stderr
    (result,) = json.loads(ended.stdout)["results"]
    assert np.load("table.npy") == pytest.approx(pecli.encode(d=4, length=7))
    assert result["encodings"][0]["spec"] == "learned:file=-"


@pytest.mark.some(3)
@pytest.mark.parametrize(
    ("given", "said"),
    [
        (b"", b"standard input is empty"),
        (b"no numbers here", b"no numbers"),
        (b"d = 4, 2\n1, 2", b"--format csv"),
    ],
)
def test_a_pipe_that_holds_no_table_is_refused(given: bytes, said: bytes, process: Process, folder: Path) -> None:
    ended = process(["-m", "pecli", "heatmap", "-e", "learned:file=-"], folder, {}, input=given)
    assert ended.returncode in (1, 2) and said in ended.stderr and b"Traceback" not in ended.stderr
