"""Tests of the report table: correct numbers, no line wider than the terminal, and the same numbers in files."""

from __future__ import annotations

import json
import tracemalloc
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import pecli
from pecli.core.errors import UsageError
from pecli.core.language import say
from pecli.encodings.registry import ENCODINGS
from pecli.jobs.picture import Picture
from pecli.jobs.sweep import job_of
from pecli.reports.table import Table
from tests.conftest import Ask

TAKEN = [name for name, encoding in ENCODINGS.items() if Table.takes(encoding)]


def body(text: str) -> list[list[str]]:
    """Return the cells of the rows below the rule."""
    lines = [line.split() for line in text.splitlines()]
    rule = next(at for at, line in enumerate(lines) if line and set(line[0]) <= set("─-+"))
    return lines[rule + 1 :]


def test_head_and_tail_stand_around_a_gap(ask: Ask) -> None:
    rows = body(ask("table", "--d", "2", "--length", "101", "--rows", "5").out)
    assert [row[0] for row in rows[:6]] == ["0", "1", "2", "⋮", "99", "100"]
    assert "96" in rows[6] and "101" in rows[6]
    assert "-0.0000" not in ask("table", "--d", "2", "--length", "3", "--start", "-1000000").out


@pytest.mark.some(15)
@pytest.mark.parametrize("width", [40, 80, 200])
@pytest.mark.parametrize("name", TAKEN)
def test_no_line_is_wider_than_the_terminal(ask: Ask, monkeypatch: pytest.MonkeyPatch, name: str, width: int) -> None:
    monkeypatch.setenv("COLUMNS", str(width))
    answer = ask("table", "-e", name, "--rows", "6")
    assert answer.code == 0, answer.err
    assert max(map(len, answer.out.splitlines())) <= width


def test_a_billion_positions_cost_the_rows_shown(ask: Ask) -> None:
    answer = ask("table", "--length", "1e9", "--d", "6", "--rows", "4", "--json")
    facts = json.loads(answer.out)["results"][0]["facts"]
    assert (facts["length"], facts["left_out"]) == (10**9, 10**9 - 4)
    assert [row["position"] for row in facts["rows"]] == [0, 1, 10**9 - 2, 10**9 - 1]
    expected = pecli.encode(d=6, start=10**9 - 1, length=1)[0]
    assert facts["rows"][-1]["values"] == expected.tolist()


def test_a_file_has_every_number_and_is_the_heatmaps(ask: Ask, folder: Path) -> None:
    words = ["-e", "clock", "--length", "53", "-q"]
    assert ask("table", *words, "-o", "t.csv", "-o", "t.npy", "-o", "t.npz", "-o", "t.json").code == 0
    assert ask("heatmap", *words, "-o", "h.csv", "-o", "h.npy").code == 0
    for ending in ("csv", "npy"):
        assert (folder / f"t.{ending}").read_bytes() == (folder / f"h.{ending}").read_bytes()
    assert np.load(folder / "t.npy").shape == (53, 6)
    again = ask("recipe", "t.json").out.strip()
    assert again == "pecli table --encoding clock --length 53 --output t.json"


@pytest.mark.parametrize(
    ("words", "at", "dims"),
    [
        (["rope", "--at", "5,100000"], [5, 100000], None),
        (["rope", "--dims", "7,0", "-n", "9"], range(9), [7, 0]),
        (["sinusoidal", "--at=-3,2", "--start=-5", "--dims", "1"], [-3, 2], [1]),
        (["sincos2d", "--grid", "4x6", "--at", "2x1,4", "--dims", "0"], [13, 4], [0]),
    ],
)
def test_chosen_positions_and_dimensions_are_printed_and_written(
    words: list[str], at: Iterable[int], dims: list[int] | None, ask: Ask, folder: Path
) -> None:
    if "--grid" in words:
        expected = pecli.encode("sincos2d:grid=4x6")[[*at]]
    else:
        expected = np.array([pecli.encode(words[0], start=place, length=1)[0] for place in at])
    expected = expected[:, dims or slice(None)]
    facts = json.loads(ask("table", *words, "--json").out)["results"][0]["facts"]
    assert facts["left_out"] == 0 and [row["position"] for row in facts["rows"]] == [*at]
    assert [row["values"] for row in facts["rows"]] == expected.tolist()
    assert ask("table", *words, "-o", "t.csv", "-o", "t.npz").code == 0
    header, *rows = (line.split(",") for line in Path("t.csv").read_text(encoding="utf-8").split())
    assert header == ["positions", *map(str, dims or range(expected.shape[1]))]
    assert np.array(rows, dtype=float)[:, 1:].tolist() == expected.tolist()
    with np.load("t.npz") as found:
        assert found["dims"].tolist() == (dims or [*range(expected.shape[1])])


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ("--at 5 --rows 3", "--rows 3 changes nothing here, because --at alone decides which positions are printed"),
        ("--at=-3", "--at -3 is outside the positions shown, 0 to 199"),
        ("--dims 128", "--dims 128 does not exist"),
    ],
)
def test_positions_and_dimensions_that_are_not_there_are_refused(words: str, said: str, ask: Ask) -> None:
    ended = ask("table", *words.split())
    assert ended.code == 2 and said in ended.err


@pytest.mark.some(6)
@pytest.mark.parametrize("words", [["binary"], ["sinusoidal", "-d", "64", "--start=-3"], ["relative", "-d", "6"]])
@pytest.mark.parametrize("long", [[], ["--long"]], ids=["wide", "long"])
def test_rows_written_one_part_after_the_other_are_those_made_at_once(
    ask: Ask, folder: Path, monkeypatch: pytest.MonkeyPatch, words: list[str], long: list[str]
) -> None:
    once = {}
    for name, piece in (("one", 1 << 20), ("many", 200)):
        monkeypatch.setattr("pecli.reports.table.PIECE", piece)
        outputs = [word for ending in ("csv", "json") for word in ("-o", f"{name}.{ending}")]
        arrays = [] if long else ["-o", f"{name}.npy", "-o", f"{name}.npz"]
        assert ask("table", *words, "-n", "123", *long, *outputs, *arrays).code == 0
        text = (folder / f"{name}.json").read_text()
        once[name] = [(folder / f"{name}.csv").read_text(), text[text.index('"facts"') :]]
        if not long:
            with np.load(folder / f"{name}.npz") as found:
                once[name] += [found["table"].tolist(), found["positions"].tolist()]
            once[name].append(np.load(folder / f"{name}.npy").tolist())
    assert once["one"] == once["many"]
    assert (folder / "many.csv").read_text().count("\n") > 123


@pytest.mark.long
@pytest.mark.parametrize("ending", ["npz", "csv", "json", "npy"])
def test_a_table_of_any_length_is_written_in_little_memory(ask: Ask, folder: Path, ending: str) -> None:
    """Its numbers alone are 13 MB, its text 33."""
    ask("table", "-d", "64", "-n", "9", "-o", "warm.csv")
    tracemalloc.start()
    try:
        assert ask("table", "-d", "64", "-n", "26000", "-o", f"t.{ending}").code == 0
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert peak < 12e6 < (folder / f"t.{ending}").stat().st_size


def test_more_rows_than_memory_holds_may_be_written_and_not_be_held(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("pecli.core.memory.available", lambda: 1 << 22)
    job = job_of("table", {"length": 10**5, "output": "t.npy"})
    job.check()
    with pytest.raises(UsageError, match="100,000 × 128 numbers take"):
        Picture[Any](job).render("npy")


def test_as_many_columns_are_shown_as_there_is_room_for(ask: Ask, monkeypatch: pytest.MonkeyPatch) -> None:
    def columns(width: int) -> list[str]:
        monkeypatch.setenv("COLUMNS", str(width))
        return body(ask("table", "binary", "-n", "1024", "--rows", "1").out)[0][1:]

    monkeypatch.setenv("COLUMNS", "60")
    names = ask("table", "--rows", "2").out.splitlines()[2].split()[2:]
    assert names == ["0", "1", "2", "…", "126", "127"]
    room = len(say("encoding.position_p")) + 3 * 10  # two blanks before every column of one digit
    assert columns(room) == ["0"] * 10
    assert columns(room - 1) == [*["0"] * 4, "…", *["0"] * 4]
    assert columns(room - 3) == [*["0"] * 4, "…", *["0"] * 4]
    assert columns(room - 4) == [*["0"] * 4, "…", *["0"] * 3]
