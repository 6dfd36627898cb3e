"""Tests of files with one number per row: lines, and matrices with --long, read by other programs too."""

from __future__ import annotations

import csv
import json
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import pecli
from pecli import UsageError
from tests.conftest import Ask

READERS: dict[str, Callable[[str, Any], Any]] = {
    "pandas": lambda path, lib: lib.read_csv(path) if path.endswith("csv") else lib.DataFrame(rows(path)),
    "polars": lambda path, lib: lib.read_csv(path) if path.endswith("csv") else lib.DataFrame(rows(path)),
}
FEW: dict[str, Any] = {"length": 5}
OF: dict[str, Callable[[], Any]] = {  # also names with commas and quotation marks, numbers that are not defined
    "offsets": lambda: pecli.offsets(["rope:base=10,d=4", 'clock:label=a "b"'], **FEW),
    "bias": lambda: pecli.bias("alibi", long=True, length=3),
    "curves": lambda: pecli.curves(["rope", "sinusoidal"], at=[0, 3], **FEW),
    "spectrum": lambda: pecli.spectrum(["rope:d=6", "sinusoidal:d=4"], **FEW),
    "correlation": lambda: pecli.distance(d=1, measure="cos", long=True, **FEW),
    "effective": lambda: pecli.effective(long=True, **FEW),
    "stats": lambda: pecli.stats(["rope", "clock"], long=True),
}


def rows(path: str) -> Any:
    return json.loads(Path(path).read_text(encoding="utf-8"))["rows"]


@pytest.mark.parametrize("format", ["csv", "json"])
@pytest.mark.parametrize("make", OF.values(), ids=OF)
@pytest.mark.parametrize("library", READERS)
def test_other_programs_read_the_columns_as_they_are(
    library: str, make: Callable[[], Any], format: str, folder: Path
) -> None:
    lib, picture = pytest.importorskip(library), make()
    picture.save(f"a.{format}")
    frame, columns = READERS[library](f"a.{format}", lib), picture.to_dict()
    assert list(frame.columns) == list(columns)
    for name, column in columns.items():
        found, text = frame[name].to_numpy(), column.dtype.kind == "O"
        if not text and np.isnan(column).all():  # of no type
            continue
        assert found.dtype.kind in ("O" if text else "if"), name
        assert found.tolist() == (column.tolist() if text else pytest.approx(column.tolist(), nan_ok=True)), name


@pytest.mark.some(4)
@pytest.mark.parametrize(("options", "heads"), [("", range(12)), (" --head 3,1", (3, 1))])
@pytest.mark.parametrize("kind", ["", " --softmax --long"])
def test_a_file_of_numbers_has_every_head(
    ask: Ask, folder: Path, options: str, kind: str, heads: Sequence[int]
) -> None:
    assert ask(*f"bias alibi:heads=12 -n 4 -o a.csv -o a.png --dpi 30{options}{kind}".split()).code == 0
    first, *rows = csv.reader(Path("a.csv").read_text(encoding="utf-8").splitlines())
    found = [*dict.fromkeys(row[0] for row in rows)] if kind else [name.removeprefix("head ") for name in first[2:]]
    assert found == [*map(str, heads)]


def test_a_row_is_one_number_and_says_where_it_stands() -> None:
    found: Any = pecli.offsets(["rope:d=4,label=mine", "sinusoidal:d=6"], measure="cos", length=4)
    columns, numbers = found.to_dict(), found.numbers
    assert columns["encoding"].tolist() == ["mine"] * 4 + ["sinusoidal:d=6"] * 4
    assert columns["offset"].tolist() == [0, 1, 2, 3] * 2
    for name, array in (("value", numbers.mean), ("low", numbers.low), ("high", numbers.high)):
        assert np.array_equal(columns[name].reshape(2, 4), array)
    heads: Any = pecli.bias("alibi", length=3, long=True)
    columns, (n_heads, length, _) = heads.to_dict(), heads.numbers.bias.shape
    assert (columns["query"][-1], columns["key"][-1], columns["head"][-1]) == (2, 2, n_heads - 1)
    back = columns["value"].reshape(length, length, n_heads)
    assert np.array_equal(np.moveaxis(back, -1, 0), heads.numbers.bias, equal_nan=True)
    cube = pecli.relative(d=4, length=3, long=True)
    at = {name: column[20] for name, column in cube.to_dict().items()}
    place = int(at["p"]), int(at["q"]), int(at["dimension"])
    assert at["offset"] == at["p"] - at["q"] and at["value"] == cube.numbers.tensor[place]


def test_long_is_kept_by_the_file_and_belongs_to_two_formats(ask: Ask) -> None:
    assert ask("heatmap", "-d", "3", "-n", "2", "--long", "-o", "a.json", "-o", "a.csv").code == 0
    header, *lines = csv.reader(Path("a.csv").read_text(encoding="utf-8").splitlines())
    assert header == ["position", "dimension", "value"] and [line[:2] for line in lines][2:4] == [
        ["0", "2"],
        ["1", "0"],
    ]
    before = Path("a.json").read_bytes()
    line, entry = ask("recipe", "a.json").out.strip(), ask("recipe", "a.json", "--form", "toml").out
    Path("a.json").unlink()
    assert ask(*line.split()[1:]).code == 0 and Path("a.json").read_bytes() == before
    Path("f.toml").write_text(entry, encoding="utf-8")
    assert "skipped" in ask("batch", "f.toml").err
    assert ask("redraw", "a.json", "-o", "b.png", "--dpi", "20").code == 0
    for words, said in ((["-o", "b.npy"], "--long is for .csv, .json files only"), (["-o", "b.png"], "write one with")):
        refused = ask("heatmap", "-n", "2", "--long", *words)
        assert refused.code == 2 and said in refused.err
    with pytest.raises(UsageError, match="long needs a single table, but overview has several"):
        pecli.overview(long=True, length=3, output="a.json")
