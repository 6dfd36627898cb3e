"""Tests of the report explain: the fourth article's numbers, every encoding's formulas, both languages."""

from __future__ import annotations

import json
import math
import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from rich.cells import cell_len

import pecli
from pecli.core.language import languages, say
from pecli.encodings.harmonic import Harmonic
from pecli.encodings.registry import ENCODINGS
from pecli.encodings.spec import read_table_encoding
from pecli.jobs.sweep import make_job
from pecli.jobs.text import command
from pecli.reports.explain import Explain
from tests.conftest import Ask

TAKEN = [name for name, encoding in ENCODINGS.items() if Explain.takes(encoding)]
SMALL = {
    "sinusoidal": "sinusoidal:d=7,base=10,layout=concatenated",
    "rope": "rope:d=6,query=random:1,pairing=half",
    "binary": "binary:d=5,order=msb,values=pm1",
}
specs = pytest.mark.parametrize("spec", [*TAKEN, *SMALL.values()])


def facts(ask: Ask, *words: str) -> dict[str, Any]:
    answer = ask("explain", *words, "--json")
    assert answer.code == 0, answer.err
    result: dict[str, Any] = json.loads(answer.out)["results"][0]["facts"]
    return result


def evaluate(text: str) -> float:
    """Return a written-out formula with all its numbers in it, worked out by Python."""
    text = re.sub(r"\)\(", ")*(", text).replace("·", "*").replace("^", "**").replace("mod", "%").replace("2π", "2*pi")
    text = re.sub(r"⌊([^⌋]*)⌋", r"floor(\1)", text)
    return float(eval(text, {"sin": math.sin, "cos": math.cos, "pi": math.pi, "floor": math.floor}))


def test_the_articles_printed_frequencies_are_those_of_base_100(ask: Ask) -> None:
    found = facts(ask, "--base", "100")
    assert found["frequencies"] == pytest.approx([1, 0.3162, 0.1, 0.0316], abs=5e-5)
    # its printed matrix follows them, but for columns 2 and 3, which fit no frequency
    right = [0, 1, 4, 5, 6, 7]
    assert np.array(found["table"])[2, right] == pytest.approx(
        [0.9093, -0.4161, 0.1987, 0.9801, 0.0632, 0.9980], abs=5e-5
    )
    assert found["result"][0] == pytest.approx([0.1234, 0.4322, 0.9012, 0.6544, 0.7890, 0.8766, 0.5678, 0.0988])


def test_the_usual_small_case_is_exact_in_words_and_metadata() -> None:
    for given in ({}, {"d": 128}, {"length": 200}, {"encoding": "rope", "d": 8}, {"encoding": "learned", "length": 3}):
        job = make_job("explain", given)
        assert make_job("explain", job.settings()) == job
    assert command(make_job("explain", {"d": 8, "length": 10})) == "pecli explain"
    assert command(make_job("explain", {"d": 128, "length": 200})) == "pecli explain --d 128 --length 200"
    assert make_job("explain", {"encoding": "sinusoidal:d=4"}).display_view.encoding.width == 4


@pytest.mark.some(36)
@specs
@pytest.mark.parametrize("place", ["0,0", "3,1", "7,2"])
def test_the_entry_written_out_is_the_entry(ask: Ask, spec: str, place: str) -> None:
    found = facts(ask, "-e", spec, "--entry", place)
    entry, (row, column) = found["entry"], map(int, place.split(","))
    at = row - int(found["positions"][0])
    assert entry["value"] == found["table"][at][column]
    if not read_table_encoding(spec).trained:
        for step in entry["steps"]:
            if "ω" not in step:
                assert evaluate(step) == pytest.approx(entry["value"], abs=1e-8)


def test_a_smaller_type_of_number_is_refused(ask: Ask) -> None:
    refused = ask("explain", "rope", "--dtype", "float16")
    assert refused.code == 2 and "pecli precision" in refused.err


@specs
def test_every_column_has_its_formula(spec: str) -> None:
    encoding = read_table_encoding(spec)
    formulas = encoding.column_formulas()
    assert len(formulas) == encoding.width
    if isinstance(encoding, Harmonic):
        table, angles = encoding.table(np.array([3.0])), encoding.angles(np.array([3.0]))[0] + encoding.phases
        turn = {"sin": np.sin, "cos": np.cos}
        radii = encoding.amplitudes * np.exp(-3 * encoding.decay_rates)
        expected = [radii[j] * turn[wave](angles[j]) for wave, j in encoding.waves()]
        assert table[0] == pytest.approx(expected)


@pytest.mark.long
def test_without_frequencies_changes_are_counted(ask: Ask) -> None:
    found = facts(ask, "-e", "binary", "--length", "8")
    assert (found["frequencies"], found["changes"], found["distinct"]) == ([], [7, 3, 1], [2, 2, 2])
    assert "learned" in ask("explain", "-e", "learned").out


def test_words_are_the_users_by_name_or_in_a_file(ask: Ask, folder: Path) -> None:
    vectors = np.random.default_rng(2).normal(size=(5, 6))
    np.save(folder / "words.npy", vectors)
    found = facts(ask, "--embeddings", "words.npy", "--d", "6", "--start", "3")
    assert found["result"] == pytest.approx(vectors + pecli.encode(d=6, start=3, length=5))
    for words in ((), ("--d", "6", "--length", "4")):
        answer = ask("explain", "--embeddings", "words.npy", *words)
        assert answer.code == 2 and ("--d 6" in answer.err or "--length 5" in answer.err)
    found = facts(ask, "--tokens", "the dog sees the cat", "-d", "4")
    assert found["words"] == ["the", "dog", "sees", "the", "cat"] and found["origin"] == "random"
    assert found["embeddings"][0] == found["embeddings"][3] != found["embeddings"][1]
    assert facts(ask, "--tokens", "我喜欢你", "-d", "4")["words"] == list("我喜欢你")
    for lang, example in (("en", ["I", "like"]), ("zh", ["我", "喜欢"])):
        assert facts(ask, "-d", "4", "-n", "2", "--lang", lang)["words"] == example


@pytest.mark.long
@specs
@pytest.mark.parametrize("lang", languages())
def test_no_line_is_wider_than_the_terminal(ask: Ask, monkeypatch: pytest.MonkeyPatch, spec: str, lang: str) -> None:
    monkeypatch.setenv("COLUMNS", "60")
    answer = ask("explain", "-e", spec, "--lang", lang, "--rows", "4")
    assert answer.code == 0, answer.err
    assert max(map(cell_len, answer.out.splitlines())) <= 60 and "{" not in answer.out


@pytest.mark.long
@pytest.mark.parametrize(
    ("spec", "words"), [("rope:d=4", ()), ("rope:d=8,pairing=half,base=10", ("--tokens", "a dog"))]
)
def test_rope_goes_on_to_the_product_that_depends_on_the_offset_alone(
    ask: Ask, spec: str, words: tuple[str, ...]
) -> None:
    """The first word is the query and the second the key, also where there are no more."""
    found = facts(ask, "-e", spec, *words)
    rope, rows = read_table_encoding(spec), np.array(found["products"])
    query, key = (np.array(found["embeddings"])[at][None] for at in (0, 1))
    for m, n, offset, product in rows:
        item, other = (rope.rotate(x, np.array([at])) for x, at in ((query, m), (key, n)))  # type: ignore[attr-defined]  # rope's own
        assert (offset, product) == (m - n, pytest.approx(float(np.sum(item * other))))
    by_offset = {offset: rows[rows[:, 2] == offset, 3] for offset in set(rows[:, 2])}
    assert len(by_offset) == 3 and all(np.ptp(products) < 1e-12 for products in by_offset.values())
    assert len({round(products[0], 6) for products in by_offset.values()}) == 3
    assert say("explain.the_product_of_query") in ask("explain", spec).out
    assert say("explain.the_product_of_query") not in ask("explain", "sinusoidal").out


BLANKS = [  # of a line: what is given in an exercise, and how many blanks there are
    (
        "sinusoidal -d 4 -n 2",
        ["| 0 | 10000^(-0/4) |", "PE(1, 3) = cos(1 · ω1) = ", "0.1234"],
        4 + 8 + 1 + 17 + 8 + 8 + 1,
    ),
    ("rope -d 4 -n 2", ["PE(1, 3) = sin(1 · ω1) = ", "x'(1, 3) = x3 cos(1ω1) + x2 sin(1ω1) = "], 4 + 8 + 1 + 8 + 1 + 9),
    ("binary -d 3 -n 2", ["| 0 | ", "PE(1, 2) = "], 6 + 6 + 1 + 6 + 6 + 1),
    ("learned -d 4 -n 3", ["| 0 | 0.0025 | -0.0026 |", "PE(2, 3) = W[2, 3] = 0.0008"], 8 + 12 + 1),
    ("relative -d 2 -n 2", [" | 1 | 0 |"], 2 + 6 + 1 + 5 + 6),
]


@pytest.mark.some(10)
@pytest.mark.parametrize(("line", "given", "count"), BLANKS)
@pytest.mark.parametrize("lang", languages())
def test_an_exercise_has_blanks_for_what_is_computed(
    ask: Ask, folder: Path, line: str, given: list[str], count: int, lang: str
) -> None:
    ended = ask("explain", *line.split(), "--lang", lang, "--blank", "-o", "sheet.md")
    assert (ended.code, ended.out) == (0, "sheet.md\nsheet-solved.md\n"), ended.err
    task, text = Path("sheet.md").read_text("utf-8").split("\n", 1)
    blank = r"\_\_\_\_\_\_"
    assert text.count(blank) == count and blank in task
    assert [own for own in given if own not in text.replace("\\[", "[").replace("\\]", "]")] == []
    assert ask("explain", *line.split(), "--lang", lang, "-o", "plain.md").code == 0
    solved = Path("sheet-solved.md").read_text("utf-8")
    assert solved == Path("plain.md").read_text("utf-8") and blank not in solved
    assert solved.count("\n") == text.count("\n") - 1  # an exercise has one more, after the task


def test_computed_numbers_outside_the_tables_have_as_many_digits(ask: Ask) -> None:
    text = " ".join(ask("explain", "-d", "4", "--digits", "3").out.split())
    assert "cos(0.02) = 1.000 6." in text and "10000^(-2/4) 0.01 628 Pair" in text


EXERCISES = [  # a line, its exit code, the files that it writes, and what it says
    ("--blank", 0, [], "______"),
    ("--blank -o -", 0, [], r"\_\_"),
    ("--blank -o a.tex -o b.md", 0, ["a-solved.tex", "a.tex", "b-solved.md", "b.md"], "a-solved.tex"),
    ("--blank -o {base}.md --base 10,100", 0, ["10-solved.md", "10.md", "100-solved.md", "100.md"], "100-solved.md"),
    ("--blank --format md", 0, ["explain-sinusoidal-blank.md", "explain-sinusoidal.md"], "explain-sinusoidal.md"),
    ("--blank -o a.json", 2, [], "--blank is for .md, .tex files only"),
    ("--blank -o a.md -o a-solved.md", 2, [], "a-solved.md"),
    ("-o a.md", 0, ["a.md"], "a.md"),
]


@pytest.mark.some(4)
@pytest.mark.parametrize(("line", "code", "files", "said"), EXERCISES)
def test_the_solved_exercise_stands_beside_it(
    ask: Ask, folder: Path, line: str, code: int, files: list[str], said: str
) -> None:
    ended = ask("explain", *line.split())
    assert (ended.code, sorted(path.name for path in folder.iterdir())) == (code, files)
    assert said in ended.out + ended.err


def test_a_batch_writes_the_solved_exercise_too(ask: Ask, folder: Path) -> None:
    Path("f.toml").write_text('[[figure]]\ncommand = "explain"\nblank = true\noutput = "s.md"\n', encoding="utf-8")
    assert ask("batch", "f.toml", "-j", "1").out.split() == ["s.md", "s-solved.md"]


SHIFTS = [  # a line, and whether explain shows M_3
    ("-d 4", True),
    ("sinusoidal:layout=concatenated -d 6 --entry 2,1", True),
    ("sinusoidal:family=timestep -d 5 --entry 2,4", True),
    ("clock", True),
    ("relative -d 4", True),
    ("-d 5", False),
    ("-d 130", False),
    ("rope -d 4", False),
    ("binary", False),
    ("learned", False),
    ("sincos2d --grid 2x2 -d 8", False),
]


@pytest.mark.long
@pytest.mark.parametrize(("line", "there"), SHIFTS)
def test_explain_shows_the_matrix_of_a_shift(ask: Ask, line: str, there: bool) -> None:
    found = facts(ask, *line.split())
    matrix, table, entry = np.array(found["shift"]), np.array(found["table"]), found["shift_entry"]
    assert bool(matrix.size) == there == ("M_k" in ask("explain", *line.split()).out)
    if there:
        assert table[:-3] @ matrix.T == pytest.approx(table[3:], abs=1e-12)
    if entry is not None:
        at = found["positions"].index(entry["position"])
        assert entry["value"] == pytest.approx(table[at, entry["column"]], abs=1e-12)
        assert evaluate(entry["steps"][-1]) == pytest.approx(entry["value"], abs=1e-8)
