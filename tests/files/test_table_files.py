"""Table files: what is read, and everything that is not, in one line and before memory is taken."""

from __future__ import annotations

import hashlib
import io
import json
import os
import re
import sys
import time
import tracemalloc
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from safetensors.numpy import save_file

from pecli.core.errors import PecliError, TableFileError, UnknownNameError, UsageError
from pecli.core.lazy import Array
from pecli.files import tables as regular
from pecli.files import tables as table_files
from pecli.files.tables import open_table, read_table

DATA = Path(__file__).parents[1] / "data"
ROWS, COLUMNS = 7, 5
KINDS = [".npy", ".npz", ".csv", ".safetensors"]
HUGE = 10**6  # a side: 7.3 TiB of float64


@pytest.fixture
def table() -> Array:
    """Numbers that every kind of file keeps exactly."""
    return np.random.default_rng(17).integers(-99, 99, (ROWS, COLUMNS)) / 8


def write(path: Path, table: Array) -> str:
    """The table in a file of the kind that its name says."""
    if path.suffix == ".npy":
        np.save(path, table)
    elif path.suffix == ".npz":
        np.savez(path, table=table)
    elif path.suffix == ".csv":
        np.savetxt(path, table, delimiter=",")
    else:
        save_file({"table": np.asarray(table, order="C")}, path)
    return str(path)


def raw_safetensors(path: Path, tensors: dict[str, tuple[str, tuple[int, ...], bytes]]) -> str:
    """A .safetensors file byte by byte: dtype, shape and data of each tensor."""
    header, data = {}, b""
    for name, (dtype, shape, body) in tensors.items():
        header[name] = {"dtype": dtype, "shape": list(shape), "data_offsets": [len(data), len(data) + len(body)]}
        data += body
    text = json.dumps(header).encode()
    path.write_bytes(len(text).to_bytes(8, "little") + text + data)
    return str(path)


def npy_header(shape: tuple[int, ...], descr: str = "<f8") -> bytes:
    """The first bytes of a .npy file that declares this shape, and no data."""
    buffer = io.BytesIO()
    np.lib.format.write_array_header_1_0(buffer, {"shape": shape, "fortran_order": False, "descr": descr})
    return buffer.getvalue()


@pytest.mark.parametrize("kind", KINDS)
def test_every_kind_of_file_reads_back(kind: str, tmp_path: Path, table: Array) -> None:
    read = read_table(write(tmp_path / f"t{kind}", table))
    assert read.dtype == np.float64
    assert np.array_equal(read, table)


@pytest.mark.parametrize("kind", [".NPY", ".Csv"])
def test_the_ending_may_be_in_capitals(kind: str, tmp_path: Path, table: Array) -> None:
    path = Path(write(tmp_path / f"t{kind.lower()}", table)).rename(tmp_path / f"t{kind}")
    assert np.array_equal(read_table(str(path)), table)


@pytest.mark.parametrize("dtype", ["<f8", "<f4", "<f2", ">f4", "<i8", "<i2", "<u1"])
def test_any_real_type_becomes_float64(dtype: str, tmp_path: Path) -> None:
    whole = np.arange(ROWS * COLUMNS).reshape(ROWS, COLUMNS)
    np.save(tmp_path / "t.npy", whole.astype(dtype))
    read = read_table(str(tmp_path / "t.npy"))
    assert read.dtype == np.float64
    assert np.array_equal(read, whole)


def test_fortran_order_reads_the_same(tmp_path: Path, table: Array) -> None:
    np.save(tmp_path / "t.npy", np.asfortranarray(table))
    assert np.array_equal(read_table(str(tmp_path / "t.npy")), table)


def test_leading_ones_are_dropped(tmp_path: Path, table: Array) -> None:
    np.save(tmp_path / "t.npy", table[None, None])  # vision models keep a batch axis
    assert np.array_equal(read_table(str(tmp_path / "t.npy")), table)


def test_a_table_cannot_be_changed_behind_the_cache(tmp_path: Path, table: Array) -> None:
    with pytest.raises(ValueError, match="read-only"):
        read_table(write(tmp_path / "t.npy", table))[0, 0] = 1


def test_a_changed_file_is_read_again(tmp_path: Path, table: Array) -> None:
    path = write(tmp_path / "t.npy", table)
    read_table(path)
    write(tmp_path / "t.npy", table + 1)
    os.utime(path, ns=(0, 1))
    assert np.array_equal(read_table(path), table + 1)


# names


@pytest.mark.parametrize("kind", [".npz", ".safetensors"])
@pytest.mark.parametrize(
    "name",
    [
        "wpe.weight",
        "transformer.wpe.weight",
        "embeddings.position_embeddings.weight",
        "bert.embeddings.position_embeddings.weight",
        "model.decoder.embed_positions.weight",
        "transformer.positions_embed.weight",
        "visual.positional_embedding",
        "vit.pos_embed",
    ],
)
def test_usual_names_are_found_among_others(kind: str, name: str, tmp_path: Path, table: Array) -> None:
    path = tmp_path / f"t{kind}"
    content = {"wte.weight": table + 1, name: table, "ln.bias": table[0]}
    save_file(content, path) if kind == ".safetensors" else np.savez(path, **content)
    assert np.array_equal(read_table(str(path)), table)


def test_the_only_table_is_found_whatever_its_name(tmp_path: Path, table: Array) -> None:
    save_file({"nobody.knows": table, "bias": np.zeros(3), "steps": np.zeros((2, 2, 2))}, tmp_path / "t.safetensors")
    assert np.array_equal(read_table(str(tmp_path / "t.safetensors")), table)


@pytest.mark.parametrize("asked", ["encoder.pos.weight", "pos.weight", "r.pos.weight"])
def test_a_name_is_found_by_how_it_ends(asked: str, tmp_path: Path, table: Array) -> None:
    save_file({"encoder.pos.weight": table, "wpe.weight": table + 1}, tmp_path / "t.safetensors")
    assert np.array_equal(read_table(str(tmp_path / "t.safetensors"), asked), table)


def test_a_whole_name_wins_over_an_ending(tmp_path: Path, table: Array) -> None:
    save_file({"pos": table, "decoder.pos": table + 1}, tmp_path / "t.safetensors")
    assert np.array_equal(read_table(str(tmp_path / "t.safetensors"), "pos"), table)


@pytest.mark.parametrize("asked", [None, "wpe.weight"])
def test_an_ambiguous_name_is_refused_naming_the_candidates(asked: str | None, tmp_path: Path, table: Array) -> None:
    np.savez(tmp_path / "t.npz", **{"encoder.wpe.weight": table, "decoder.wpe.weight": table, "wte": table})  # type: ignore[arg-type]  # numpy reads them as its option
    with pytest.raises(UsageError, match=r"encoder\.wpe\.weight, decoder\.wpe\.weight: .*tensor"):
        read_table(str(tmp_path / "t.npz"), asked)


def test_many_tables_are_counted_not_all_listed(tmp_path: Path) -> None:
    np.savez(tmp_path / "t.npz", **{f"layer{i:03}": np.ones((2, 2)) for i in range(100)})  # type: ignore[arg-type]
    with pytest.raises(UsageError, match="100 tensors") as caught:
        read_table(str(tmp_path / "t.npz"))
    assert len(str(caught.value)) < 400


def test_a_name_that_is_not_there_gets_the_nearest(tmp_path: Path, table: Array) -> None:
    save_file({"wpe.weight": table}, tmp_path / "t.safetensors")
    with pytest.raises(UnknownNameError, match=r"'wpe\.wieght'; did you mean 'wpe\.weight'"):
        read_table(str(tmp_path / "t.safetensors"), "wpe.wieght")


@pytest.mark.parametrize("kind", [".npy", ".csv"])
def test_a_file_of_one_table_has_no_names(kind: str, tmp_path: Path, table: Array) -> None:
    with pytest.raises(UsageError, match=f"tensor='pos': a {kind} file holds one table"):
        read_table(write(tmp_path / f"t{kind}", table), "pos")


def test_the_cut_of_a_released_model_is_read_by_its_own_name() -> None:
    read = read_table(str(DATA / "minilm_16x24.safetensors"))
    assert read.shape == (16, 24)
    assert read[[0, 15, 1], [0, 23, 2]].tolist() == [-0.08555416762828827, -0.009586584754288197, 0.02110414206981659]


# safetensors


def test_bf16_is_the_upper_half_of_float32(tmp_path: Path) -> None:
    numbers = np.array([[1.0, -2.5], [0.0078125, 3.0e38], [-0.0, 1e-38]], dtype=np.float32)
    halves = (numbers.view(np.uint32) >> 16).astype("<u2")
    kept = (halves.astype(np.uint32) << 16).view(np.float32)
    path = raw_safetensors(tmp_path / "t.safetensors", {"t": ("BF16", (3, 2), halves.tobytes())})
    assert np.array_equal(read_table(path), kept)
    assert read_table(path)[:, 0].tolist() == [1, 0.0078125, 0]


def test_bf16_bits_that_everybody_knows(tmp_path: Path) -> None:
    bits = np.array([[0x3F80, 0xC020, 0x4049]], dtype="<u2").tobytes()
    path = raw_safetensors(tmp_path / "t.safetensors", {"t": ("BF16", (1, 3), bits)})
    assert read_table(path).tolist() == [[1.0, -2.5, 3.140625]]


@pytest.mark.parametrize("dtype", ["F64", "F32", "F16", "I64", "I32", "I16", "I8"])
def test_every_type_of_safetensors_decodes(dtype: str, tmp_path: Path) -> None:
    whole = np.arange(-17, 18).reshape(ROWS, COLUMNS)
    body = whole.astype(f"<{dtype[0].lower()}{int(dtype[1:]) // 8}").tobytes()
    other = ("F32", (3,), bytes(12))  # so that the table does not begin at 0
    path = raw_safetensors(tmp_path / "t.safetensors", {"first": other, "t": (dtype, (ROWS, COLUMNS), body)})
    assert np.array_equal(read_table(path), whole)


def test_f16_decodes_its_smallest_and_largest(tmp_path: Path) -> None:
    body = np.array([[65504, 2.0**-24]], dtype="<f2").tobytes()
    path = raw_safetensors(tmp_path / "t.safetensors", {"t": ("F16", (1, 2), body)})
    assert read_table(path).tolist() == [[65504, 2.0**-24]]


@pytest.mark.parametrize(("dtype", "size"), [("BOOL", 1), ("F8_E4M3", 1)])
def test_types_that_are_no_usual_numbers_are_refused_by_name(dtype: str, size: int, tmp_path: Path) -> None:
    path = raw_safetensors(tmp_path / "t.safetensors", {"t": (dtype, (2, 2), bytes(4 * size))})
    with pytest.raises(TableFileError, match=dtype):
        read_table(path)


def test_without_safetensors_the_extra_is_named(tmp_path: Path, table: Array, monkeypatch: pytest.MonkeyPatch) -> None:
    path = write(tmp_path / "t.safetensors", table)
    monkeypatch.setitem(sys.modules, "safetensors", None)
    with pytest.raises(UsageError, match=r"pip install safetensors"):
        read_table(path)


# CSV


@pytest.mark.parametrize(
    "text",
    [
        "1,2\n3,4.5\n",
        "a,b\n1,2\n3,4.5\n",
        "\ufeff1,2\n3,4.5\n",
        "\ufeffposition,a,b\n0,1,2\n1,3,4.5\n",
        "1,2\r\n3,4.5\r\n",
        " 1 , 2e0 \n 3 ,4.5",
        "position,0,1\n0,1,2\n1,3,4.5\n",
        "positions,sin,cos\n100,1,2\n200,3,4.5\n",
    ],
    ids=[
        "bare",
        "headed",
        "byte order mark",
        "marked and headed",
        "windows",
        "spaces",
        "position column",
        "positions column",
    ],
)
def test_csv_with_and_without_header(text: str, tmp_path: Path) -> None:
    (tmp_path / "t.csv").write_bytes(text.encode())
    assert read_table(str(tmp_path / "t.csv")).tolist() == [[1, 2], [3, 4.5]]


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("1,2\n3\n", "line 2: 1 cell where the first line has 2"),
        ("1,2\n3,x\n", "line 2: 'x' is no number"),
        ("a,b\n\nc,d\n", "line 3: 'c' is no number"),
        ("1,2\n3,1+2j\n", r"line 2: '1\+2j' is no number"),
        ("1,2\n3,\n", "line 2: '' is no number, a cell is empty"),
        ("1;2\n3;4\n", "line 1: '1;2' is no number"),
        ("0.5,,0.25\n1,2,3\n", "line 1: '' in column 1 is no number and '0.5' is one"),
        ("0.5,o.1\n1,2\n", "line 1: 'o.1' in column 1 is no number and '0.5' is one"),
        (",0.5\n1,2\n", "line 1: '' in column 0 is no number and '0.5' is one"),
        ("a,b,7\n1,2,3\n", "line 1: 'a' in column 0 is no number and '7' is one"),
        ("a,b\n", "holds no numbers"),
        ("−1,−2\n3,4\n", "line 1: '−1' is no number, and a name begins with a letter"),
        ("0x10,0x20\n3,4\n", "line 1: '0x10' is no number, and a name"),
        ("10%,.5%\n3,4\n", "line 1: '10%' is no number, and a name"),
        ("1,2\n3,\u0664\n", "line 2: '\u0664' is no number"),
        ("0.5," * (1 << 19), "line 1 has over 1 MiB"),
        ("1,2\n   \n3,4\n", "line 2 holds nothing but spaces"),
        ("1,2\n3,-\n", "line 2: '-' is no number"),
        ("index,1,2\n3\n", "line 2: 1 cell where the first line has 3"),
        ("a,b\n1,2,3\n", "line 2: 3 cells where the first line has 2"),
        ("9" * 5000 + ",x\n", "'x' in column 1 is no number and '9{40}' is one"),
        ("pos,a\n0.5,1\n0.25,2\n0.75,3\n", "column 'pos' is named as an index .* row 1 has 0.25 after 0.5"),
    ],
    ids=lambda text: repr(text[:30]),
)
def test_a_csv_that_is_no_table_is_refused(text: str, said: str, tmp_path: Path) -> None:
    (tmp_path / "t.csv").write_text(text)
    with pytest.raises(TableFileError, match=rf"t\.csv.*{said}"):
        read_table(str(tmp_path / "t.csv"))


@pytest.mark.parametrize("data", [b"1,\xff\n3,4\n", b"1,2\n" * 9000 + b"\xff"])
def test_a_csv_that_is_no_text_says_so(data: bytes, tmp_path: Path) -> None:
    (tmp_path / "t.csv").write_bytes(data)
    with pytest.raises(TableFileError, match=r"t\.csv is not UTF-8 text"):
        read_table(str(tmp_path / "t.csv"))


# what is not trusted


def test_a_side_beyond_all_numbers_is_no_warning(tmp_path: Path) -> None:
    (tmp_path / "t.npy").write_bytes(npy_header((2**32, 2**32)) + bytes(96))
    with pytest.raises(TableFileError, match="not a whole"):
        read_table(str(tmp_path / "t.npy"))


class Trap:
    """Leaves a mark where it is unpickled."""

    def __init__(self, mark: Path) -> None:
        self.mark = mark

    def __reduce__(self) -> tuple[Callable[[Path], None], tuple[Path]]:
        return Path.touch, (self.mark,)


@pytest.mark.parametrize("kind", [".npy", ".npz"])
def test_object_arrays_are_refused_and_nothing_is_unpickled(kind: str, tmp_path: Path) -> None:
    trap = np.array([[Trap(tmp_path / "sprung")]], dtype=object)
    with (tmp_path / f"t{kind}").open("wb") as file:
        np.save(file, trap, allow_pickle=True) if kind == ".npy" else np.savez(file, allow_pickle=True, t=trap)
    with pytest.raises(TableFileError, match=f"t{kind}"):
        read_table(str(tmp_path / f"t{kind}"))
    assert not (tmp_path / "sprung").exists()


@pytest.mark.parametrize("kind", KINDS)
def test_a_bare_pickle_is_refused_whatever_it_is_called(kind: str, tmp_path: Path) -> None:
    import pickle

    (tmp_path / f"t{kind}").write_bytes(pickle.dumps(Trap(tmp_path / "sprung")))
    with pytest.raises(TableFileError, match=f"t{kind}"):
        read_table(str(tmp_path / f"t{kind}"))
    assert not (tmp_path / "sprung").exists()


def declare_npy(path: Path) -> None:
    path.write_bytes(npy_header((HUGE, HUGE)))


def declare_npz(path: Path) -> None:
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("table.npy", npy_header((HUGE, HUGE)))


def declare_safetensors(path: Path) -> None:
    size = 4 * HUGE**2
    header = {"t": {"dtype": "F32", "shape": [HUGE, HUGE], "data_offsets": [0, size]}}
    text = json.dumps(header).encode()
    path.write_bytes(len(text).to_bytes(8, "little") + text)


@pytest.mark.parametrize(
    ("name", "declare"),
    [("t.npy", declare_npy), ("t.npz", declare_npz), ("t.safetensors", declare_safetensors)],
)
def test_a_huge_declared_size_is_refused_at_once(name: str, declare: Callable[[Path], None], tmp_path: Path) -> None:
    declare(tmp_path / name)
    assert (tmp_path / name).stat().st_size < 1000
    begun = time.perf_counter()
    with pytest.raises(PecliError, match=name):
        read_table(str(tmp_path / name))
    assert time.perf_counter() - begun < 1


def test_a_zip_bomb_is_refused_by_its_header(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A file of 1 kB that truly holds what it declares: the size is asked for before it is unpacked."""
    np.savez_compressed(tmp_path / "t.npz", t=np.zeros((1000, 100)))
    monkeypatch.setattr("pecli.core.memory.available", lambda: 1000)
    monkeypatch.setattr(np, "load", lambda *_, **__: pytest.fail("unpacked"))
    with pytest.raises(UsageError, match=r"1,000 × 100 numbers take 781\.2 KiB"):
        read_table(str(tmp_path / "t.npz"))


@pytest.mark.parametrize("kind", [".npy", ".safetensors"])
def test_a_table_that_memory_does_not_hold_is_refused(
    kind: str, tmp_path: Path, table: Array, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = write(tmp_path / f"t{kind}", table)
    monkeypatch.setattr("pecli.core.memory.available", lambda: 100)
    with pytest.raises(UsageError, match="7 × 5 numbers"):
        read_table(path)


@pytest.mark.parametrize("kind", [".npy", ".npz", ".safetensors"])
@pytest.mark.parametrize("shape", [(7,), (0, 5), (5, 0), (2, 3, 4), ()], ids=str)
def test_what_is_no_table_is_refused_by_its_shape(kind: str, shape: tuple[int, ...], tmp_path: Path) -> None:
    path = write(tmp_path / f"t{kind}", np.zeros(shape))
    with pytest.raises(TableFileError) as caught:
        read_table(path, "table" if kind != ".npy" else None)
    assert f"t{kind} holds an array of shape {shape}" in str(caught.value)


@pytest.mark.parametrize(
    ("values", "said"),
    [
        (np.ones((2, 2)) * 1j, "'c'"),
        (np.array([["a", "b"]]), "'U'"),
        (np.ones((2, 2), dtype=bool), "'b'"),
        (np.zeros((2, 2), dtype="datetime64[s]"), "'M'"),
        (np.zeros((2, 2), dtype=[("x", "f8")]), "'V'"),
    ],
    ids=["complex", "text", "bool", "time", "records"],
)
@pytest.mark.parametrize("kind", [".npy", ".npz"])
def test_what_is_not_real_is_refused(kind: str, values: Array, said: str, tmp_path: Path) -> None:
    with pytest.raises(TableFileError, match=f"does not hold real numbers .numpy kind {said}"):
        read_table(write(tmp_path / f"t{kind}", values))


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("bad", [np.nan, np.inf, -np.inf])
def test_the_first_bad_value_is_named_by_row_and_column(kind: str, bad: float, tmp_path: Path, table: Array) -> None:
    table[4, 3] = table[6, 0] = bad
    with pytest.raises(TableFileError, match=f"2 values that are not finite, the first in row 4, column 3: {bad}"):
        read_table(write(tmp_path / f"t{kind}", table))


@pytest.mark.parametrize("kind", [".npy", ".npz", ".safetensors"])
@pytest.mark.parametrize("share", [0.99, 0.6])
def test_a_truncated_file_is_refused_by_name(kind: str, share: float, tmp_path: Path, table: Array) -> None:
    path = Path(write(tmp_path / f"t{kind}", table))
    data = path.read_bytes()
    path.write_bytes(data[: int(share * len(data))])
    with pytest.raises(TableFileError, match=f"t{kind}"):
        read_table(str(path))


@pytest.mark.parametrize("kind", KINDS)
def test_garbage_is_refused_by_name(kind: str, tmp_path: Path) -> None:
    path = tmp_path / f"t{kind}"
    path.write_bytes(np.random.default_rng(3).bytes(997))
    with pytest.raises(TableFileError, match=f"t{kind}"):
        read_table(str(path))


@pytest.mark.parametrize("kind", [".npy", ".npz", ".safetensors"])
def test_an_empty_file_is_refused_by_name(kind: str, tmp_path: Path) -> None:
    path = tmp_path / f"t{kind}"
    path.touch()
    with pytest.raises(TableFileError, match=f"t{kind}"):
        read_table(str(path))


def test_an_archive_without_tables_is_refused(tmp_path: Path) -> None:
    with zipfile.ZipFile(tmp_path / "t.npz", "w") as archive:
        archive.writestr("readme.txt", "nothing here")
    with pytest.raises(UsageError, match="no table"):
        read_table(str(tmp_path / "t.npz"))


@pytest.mark.parametrize("name", ["t.pkl", "t", "t.npy.gz"])
def test_another_ending_is_refused_with_the_known_ones(name: str, tmp_path: Path) -> None:
    (tmp_path / name).write_bytes(b"\x80\x04.")
    with pytest.raises(UnknownNameError, match=r"kind of table file .*\.npy, \.npz, \.csv, \.safetensors"):
        read_table(str(tmp_path / name))


@pytest.mark.parametrize("kind", KINDS)
def test_a_file_that_is_not_there_is_said_so(kind: str, tmp_path: Path) -> None:
    with pytest.raises(UsageError, match=f"none{kind} does not exist"):
        read_table(str(tmp_path / f"none{kind}"))


def test_a_folder_is_no_file(tmp_path: Path) -> None:
    (tmp_path / "t.npy").mkdir()
    with pytest.raises(UsageError, match="not a regular file"):
        read_table(str(tmp_path / "t.npy"))


def test_a_fingerprint_is_the_contents_own(tmp_path: Path, table: Array) -> None:
    first, copy = write(tmp_path / "a.npy", table), write(tmp_path / "b.npy", table)
    assert table_files.fingerprint(first) == table_files.fingerprint(copy)
    assert table_files.fingerprint(first) != table_files.fingerprint(write(tmp_path / "b.npy", table + 1))
    with pytest.raises(UsageError, match=r"none\.npy does not exist"):
        table_files.fingerprint(str(tmp_path / "none.npy"))


@pytest.mark.parametrize(
    ("text", "rows", "said"),
    [
        ("a,b\n1,2\n3,4\n", [[1, 2], [3, 4]], "line 1 was taken for a header"),
        ("pos,a\n0,2\n1,4\n", [[2], [4]], "line 1 was taken for a header, column 'pos' for the positions"),
        ("\n,0,1\n7,2,3\n8,4,5\n", [[2, 3], [4, 5]], "line 2 was taken for a header, column '' for the positions"),
        ("Index,5,6\n-1,2,3\n", [[2, 3]], "line 1 was taken for a header, column 'Index' for the positions"),
        ("0,1\n2,3\n", [[0, 1], [2, 3]], ""),
        ("0, 1.5e3\r\n\r\n2,-3\r\n", [[0, 1500], [2, -3]], ""),
    ],
    ids=repr,
)
def test_what_is_taken_for_a_header_or_an_index_is_said(
    text: str, rows: list[list[float]], said: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    heard = list[str]()
    monkeypatch.setattr("pecli.files.tables.notice", heard.append)
    (tmp_path / "t.csv").write_bytes(text.encode())
    assert read_table(str(tmp_path / "t.csv")).tolist() == rows
    assert heard == ([f"{tmp_path}/t.csv: {said}"] if said else [])


@pytest.mark.parametrize(
    ("values", "said"),
    [
        ([[1.0, 1e200]], r"holds 1e\+200 in row 0, column 1, .* divide the table by a power of two"),
        ([[0.0, 1.0], [-1.7e308, 2.0]], r"holds -1\.7e\+308 in row 1, column 0"),
        ([[0.0, 1e-200]], r"no number beyond 1e-200.* multiply the table by a power of two"),
        ([[np.inf, 1.0]], "1 value that is not finite, the first in row 0, column 0: inf"),
    ],
)
def test_numbers_whose_squares_have_no_place_are_refused(values: list[list[float]], said: str, tmp_path: Path) -> None:
    with pytest.raises(TableFileError, match=said):
        read_table(write(tmp_path / "t.npy", np.array(values)))


def test_numbers_that_can_be_squared_are_taken(tmp_path: Path) -> None:
    for values in ([[2.0**500, -(2.0**500)]], [[2.0**-500, 0.0]], [[1e-300, 1.0]], [[0.0, 0.0]]):
        assert read_table(write(tmp_path / "t.npy", np.array(values))).tolist() == values
        (tmp_path / "t.npy").unlink()


def test_a_large_table_stays_in_its_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("pecli.files.tables.MAPPED", 1)
    for order in ("C", "F"):
        table = np.asarray(np.random.default_rng(1).standard_normal((7, 5)), order=order)
        read = read_table(write(tmp_path / f"{order}.npy", table))
        assert isinstance(read, np.memmap) and np.array_equal(read, table) and not read.flags.writeable


@pytest.mark.parametrize("kind", [".npy", ".safetensors"])
def test_of_a_large_table_only_the_rows_that_are_looked_at_are_read(
    kind: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("pecli.files.tables.MAPPED", 1)
    table = np.arange(35, dtype=np.float32).reshape(7, 5)
    table[6, 1] = np.nan
    stored = open_table(write(tmp_path / f"t{kind}", table))
    rows = stored[np.array([5, 2])]
    assert (len(stored), stored.shape) == (7, (7, 5)) and rows.dtype == np.float64
    assert np.array_equal(rows, table[[5, 2]]) and isinstance(stored._array, np.memmap)
    for asked in (np.array([0, 6]), slice(5, None)):
        with pytest.raises(TableFileError, match="first in row 6, column 1: nan"):
            stored[asked]
    with pytest.raises(TableFileError, match="first in row 6, column 1: nan"):
        read_table(str(tmp_path / f"t{kind}"))


def test_a_few_rows_of_a_table_beyond_memory_are_read(folder: Path) -> None:
    declared: dict[str, Any] = {"descr": "<f4", "fortran_order": False, "shape": (2**31, 8)}
    with Path("t.npy").open("wb") as file:
        np.lib.format.write_array_header_1_0(file, declared)
        size = file.tell()
    os.truncate("t.npy", size + 2**36)
    rows = open_table("t.npy")[np.array([0, 2**31 - 1])]
    assert rows.tolist() == [[0.0] * 8] * 2


@pytest.mark.parametrize("kind", [".npy", ".npz"])
def test_a_header_that_is_too_long_is_told(kind: str, tmp_path: Path) -> None:
    data = b"\x93NUMPY\x02\x00" + (1_500_000_000).to_bytes(4, "little") + b"{'descr': '<f8', "
    path = tmp_path / f"t{kind}"
    if kind == ".npy":
        path.write_bytes(data)
    else:
        with zipfile.ZipFile(path, "w") as archive:
            archive.writestr("a.npy", data)
    with pytest.raises(TableFileError, match=r"(npy|npz: a) has a header of 1\.4 GiB, and 10,000 bytes are the most"):
        read_table(str(path))


def test_a_hole_of_gigabytes_is_not_loaded(tmp_path: Path) -> None:
    declared: dict[str, Any] = {"descr": "<f8", "fortran_order": False, "shape": (2**37, 8)}
    with (tmp_path / "t.npy").open("wb") as file:
        np.lib.format.write_array_header_1_0(file, declared)
    os.truncate(tmp_path / "t.npy", 2**43 + 2**12)
    with pytest.raises(UsageError, match="are free"):
        read_table(str(tmp_path / "t.npy"))


def test_an_archive_that_swells_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("pecli.files.tables.MAPPED", 1000)
    np.savez_compressed(tmp_path / "t.npz", a=np.zeros((1000, 100)))
    with pytest.raises(TableFileError, match=r"a unpacks from .* to 781\.2 KiB"):
        read_table(str(tmp_path / "t.npz"))


def test_the_only_array_needs_no_name(tmp_path: Path) -> None:
    np.savez(tmp_path / "t.npz", a=np.arange(3.0))
    with pytest.raises(TableFileError, match=r"array of shape \(3,\)"):
        read_table(str(tmp_path / "t.npz"))


@pytest.mark.parametrize("kind", [".npy", ".npz", ".csv", ".safetensors"])
@pytest.mark.parametrize(
    "data", [b"", b"PK\3\4", b"\x93NUMPY\x01\x00", b"\xff\xfe", b"\x93NUMPY\x02\x00\xff\xff\xff\x7f{"]
)
def test_a_message_is_ours_whatever_the_damage(kind: str, data: bytes, tmp_path: Path) -> None:
    (tmp_path / f"t{kind}").write_bytes(data)
    with pytest.raises(TableFileError) as caught:
        read_table(str(tmp_path / f"t{kind}"))
    said = str(caught.value)
    assert f"t{kind}" in said and not said.endswith(":")
    assert not re.search("pickle|BytesIO|object at|max_header|set_int_max", said)


def test_a_fingerprint_is_made_once_for_all_pictures_of_a_file(tmp_path: Path) -> None:
    path = tmp_path / "t.csv"
    path.write_bytes(b"1,2\n")
    regular._digest.cache_clear()
    first = [table_files.fingerprint(str(path)) for _ in range(3)]
    assert regular._digest.cache_info().misses == 1
    assert first == [hashlib.sha256(b"1,2\n").hexdigest()[:16]] * 3
    path.write_bytes(b"1,2,3\n")
    assert table_files.fingerprint(str(path)) == hashlib.sha256(b"1,2,3\n").hexdigest()[:16]


def test_a_fingerprint_is_made_in_pieces(tmp_path: Path) -> None:
    (tmp_path / "t.npy").touch()
    os.truncate(tmp_path / "t.npy", 100 << 20)
    tracemalloc.start()
    assert len(table_files.fingerprint(str(tmp_path / "t.npy"))) == 16
    assert tracemalloc.get_traced_memory()[1] < 8 << 20
    tracemalloc.stop()


@pytest.mark.parametrize("name", ["position", "Index", "pos"])
def test_an_only_column_that_is_named_as_an_index_says_so(name: str, tmp_path: Path) -> None:
    path = tmp_path / "one.csv"
    path.write_text(f"{name}\n0.5\n1.5\n")
    with pytest.raises(TableFileError, match=f"its only column is named as an index, '{name}', and no numbers stand"):
        read_table(str(path))
    path.write_text("height\n0.5\n1.5\n")
    assert read_table(str(path)).tolist() == [[0.5], [1.5]]


def test_a_large_table_that_is_cut_while_it_is_read_is_refused(
    tmp_path: Path, table: Array, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("pecli.files.tables.MAPPED", 1)
    stored = open_table(write(tmp_path / "t.npy", table))
    assert stored[:2].tolist() == table[:2].tolist()
    os.truncate(tmp_path / "t.npy", 200)
    with pytest.raises(TableFileError, match=r"t\.npy has become shorter"):  # else the process ends with SIGBUS
        stored[:2]
    kept = open_table(write(tmp_path / "kept.npy", table))
    Path(write(tmp_path / "other.npy", table[:1])).replace(tmp_path / "kept.npy")
    assert kept[:2].tolist() == table[:2].tolist()  # the one that it has opened
    (tmp_path / "kept.npy").unlink()
    assert kept[:2].tolist() == table[:2].tolist()


@pytest.mark.parametrize("kind", [".npy", ".npz", ".safetensors"])
def test_whole_numbers_that_float64_rounds_are_refused(kind: str, tmp_path: Path) -> None:
    numbers = np.array([[1, -(2**53)], [2**53 + 1, 3]])
    path = write(tmp_path / f"t{kind}", numbers)
    with pytest.raises(TableFileError, match=r"holds 9007199254740993 in row 1, column 0, and float64 rounds"):
        read_table(path)
    assert read_table(write(tmp_path / f"u{kind}", numbers[:1])).tolist() == numbers[:1].tolist()


@pytest.mark.filterwarnings("ignore:Duplicate name")
def test_two_arrays_of_one_name_are_refused(tmp_path: Path) -> None:
    with zipfile.ZipFile(write(tmp_path / "t.npz", np.eye(2)), "a") as archive, archive.open("table.npy", "w") as file:
        np.save(file, np.eye(3))
    with pytest.raises(TableFileError, match=r"t\.npz holds two arrays of the name table"):
        read_table(str(tmp_path / "t.npz"))
