"""Tests of the separator and the decimal sign of CSV files, which pecli and other programs read again."""

from __future__ import annotations

import csv
import io
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import pecli
from pecli.core.errors import TableFileError
from pecli.files.tables import read_table
from tests.conftest import Ask

SIGNS = [  # words, the separator and the decimal sign
    ("", ",", "."),
    ("--csv-sep ;", ";", "."),
    ("--csv-sep ; --decimal ,", ";", ","),
    ("--csv-sep semicolon --decimal comma", ";", ","),
    ("--csv-sep tab --decimal ,", "\t", ","),
    ("--csv-sep \\t", "\t", "."),
]
TABLES = [
    "heatmap -d 4 -n 5 --base 10",
    "heatmap binary -d 3 -n 4",
    "table -d 4 -n 3",
    "heatmap -d 2 -n 2 --start 123456789",
]


@pytest.mark.some(24)
@pytest.mark.parametrize(("words", "separator", "decimal"), SIGNS)
@pytest.mark.parametrize("line", TABLES)
def test_what_is_written_is_read_again(ask: Ask, words: str, separator: str, decimal: str, line: str) -> None:
    assert ask(*line.split(), *words.split(), "-o", "a.csv").code == 0
    assert ask(*line.split(), "-o", "a.npy").code == 0
    text = Path("a.csv").read_text("utf-8")
    rows = [*csv.reader(io.StringIO(text), delimiter=separator)]
    assert text.splitlines()[0].startswith(f"positions{separator}0") and len({*map(len, rows)}) == 1
    numbers = [[float(cell.replace(decimal, ".")) for cell in row[1:]] for row in rows[1:]]
    assert np.array_equal(numbers, np.load("a.npy")) and np.array_equal(read_table("a.csv"), np.load("a.npy"))


def test_text_is_quoted_where_it_has_the_separator(ask: Ask) -> None:
    line = ["curves", "sinusoidal:label=a;b", "-n", "3", "-d", "4", "--at", "0", "-o", "-", "--format", "csv"]
    assert ask(*line, "--csv-sep", ";", "--decimal", ",").out.splitlines()[1] == '"a;b";0;0;0,0'
    assert ask(*line).out.splitlines()[1] == "a;b,0,0,0.0"


def test_undefined_numbers_stay_empty(ask: Ask) -> None:
    ended = ask(
        *[
            "distance",
            "-d",
            "1",
            "-n",
            "2",
            "-m",
            "corr",
            "--csv-sep",
            ";",
            "--decimal",
            ",",
            "-o",
            "-",
            "--format",
            "csv",
        ]
    )
    assert ended.out == "positions;0;1\n0;;\n1;;\n"


READ = [  # a file, and its table or what is wrong in it
    ("1;2,5\n3;-4,25e-2\n", [[1, 2.5], [3, -0.0425]]),
    ("1\t2,5\n3\t4\n", [[1, 2.5], [3, 4]]),
    ("1;2.5\n3;4\n", [[1, 2.5], [3, 4]]),
    ("pos;a,b;c\n0;,5;1\n1;1,5;2\n", [[0.5, 1], [1.5, 2]]),
    ("1,2\n3,4\n", [[1, 2], [3, 4]]),
    ("1;1.234,5\n2;3\n", "'1.234,5' is not a number"),
    ("1;2\n3,4\n", "1 cell, but the first line has 2"),
    ("1;2\n3;\n", "(empty)"),
]


@pytest.mark.parametrize(("text", "found"), READ)
def test_the_first_line_says_how_cells_are_separated(folder: Path, text: str, found: Any) -> None:
    Path("t.csv").write_text(text, encoding="utf-8")
    if isinstance(found, list):
        assert np.array_equal(pecli.encode("t.csv"), found)
    else:
        with pytest.raises(TableFileError) as refused:
            read_table("t.csv")
        assert found in str(refused.value)


WRONG = [
    ("heatmap --decimal , -o a.csv", "give --csv-sep semicolon too"),
    ("heatmap --csv-sep ; -o a.json", "--csv-sep semicolon is for .csv files only"),
    ("heatmap --decimal , --csv-sep ; -o a.png", "is for .csv files only"),
    ("heatmap --csv-sep x -o a.csv", "(known: comma, semicolon, tab)"),
    ("heatmap --decimal ; -o a.csv", "unknown value of --decimal"),
]


@pytest.mark.parametrize(("line", "said"), WRONG)
def test_other_signs_and_other_files_are_refused(ask: Ask, line: str, said: str) -> None:
    ended = ask(*line.split())
    assert ended.code == 2 and said in ended.err


def test_a_line_and_a_batch_have_the_signs(ask: Ask) -> None:
    ended = ask(*["heatmap", "-d", "2", "-n", "2", "--csv-sep", ";", "--decimal", ",", "-o", "a.csv", "-v"])
    assert "--csv-sep semicolon --decimal comma" in ended.err
    Path("f.toml").write_text(
        '[[figure]]\ncommand = "heatmap"\nd = 2\nlength = 2\ncsv_sep = ";"\ndecimal = ","\noutput = "b.csv"\n',
        encoding="utf-8",
    )
    assert "--csv-sep semicolon --decimal comma" in ask("batch", "f.toml", "--dry-run").out
    assert ask("batch", "f.toml", "-j", "1").code == 0
    assert Path("a.csv").read_bytes() == Path("b.csv").read_bytes()
