"""Tests of learned tables: rows of a file or of an untrained table, and an error after the last row."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import pecli
from pecli.core.errors import UsageError
from pecli.core.language import listing, say
from pecli.core.lazy import Array
from pecli.encodings.learned import Learned
from pecli.jobs.sweep import make_job

MINILM = str(Path(__file__).parents[1] / "data" / "minilm_16x24.safetensors")
TABLE = np.random.default_rng(5).standard_normal((11, 6))


@pytest.fixture(autouse=True)
def file(folder: Path) -> str:
    """Return the table in a file of the current folder."""
    np.save("trained.npy", TABLE)
    return "trained.npy"


def rows(**options: Any) -> Array:
    return pecli.encode("learned", **options)


def test_a_position_is_a_row(file: str) -> None:
    assert np.array_equal(rows(file=file, start=3, length=5), TABLE[3:8])
    assert np.array_equal(rows(file=file, length=11), TABLE)
    assert rows(file=MINILM, length=16)[1, 2] == 0.02110414206981659  # found by its usual name


def test_the_first_row_may_be_another_position_and_numbers_be_divided(file: str) -> None:
    assert np.array_equal(rows(file=file, first_position=-2, divisor=4.0), TABLE[2:] / 4)
    assert np.array_equal(rows(file=file, first_position=1, start=1, length=11), TABLE)
    with pytest.raises(UsageError, match="positions -2 to 8 and no others"):
        Learned(file=file, first_position=-2).table(np.array([9.0]))
    with pytest.raises(UsageError, match="first_position is for a file without a grid"):
        Learned(file=file, first_position=1, grid="2x5")


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"start": 0, "length": 2, "first_position": 1}, "positions 1 to 11, not 0 to 1: it takes 1 to 11"),
        ({"start": 4, "length": 8}, "positions 0 to 10, not 4 to 11: .* do not extrapolate, try length=7"),
        ({"start": 11, "length": 1}, "positions 0 to 10, not 11 to 11: it takes 0 to 10"),
        ({"start": -1, "length": 3}, "positions 0 to 10, not -1 to 1"),
        ({"start": 9_999_999, "length": 2, "file": None}, "the untrained table has positions 0 to 9999999"),
    ],
)
def test_beyond_the_rows_there_is_nothing(options: dict[str, int], said: str, file: str) -> None:
    with pytest.raises(UsageError, match=said):
        rows(**{"file": file, **options})
    assert len(rows(file=file, start=10, length=1)) == 1
    with pytest.raises(UsageError, match="has positions 0 to 10 and no others"):
        Learned(file=file).table(np.array([10.0, 11.0]))


@pytest.mark.some(4)
@pytest.mark.parametrize(
    ("words", "code", "said"),
    [
        (("scatter", "--file", "trained.npy", "--length", "12"), 2, "do not extrapolate"),
        (("heatmap", "--file", "none.npy"), 1, "none.npy does not exist"),
        (("heatmap", "--tensor", "wpe"), 2, "give --file too"),
        (("heatmap", "--file", MINILM, "--seed", "3"), 2, "--seed 3 is for an untrained table"),
        (("heatmap", "--file", MINILM, "--d", "23", "--length", "5"), 2, "has 24 columns"),
        (("heatmap", "--file", MINILM, "--tensor", "wte", "--length", "5"), 2, "wte"),
        (("heatmap", "--file", "bad.npy"), 1, "row 2, column 1: nan"),
    ],
)
def test_a_mistake_is_one_line(words: tuple[str, ...], code: int, said: str, ask: Callable[..., Any]) -> None:
    bad = TABLE.copy()
    bad[2, 1] = np.nan
    np.save("bad.npy", bad)
    ended = ask(words[0], "-e", "learned", *words[1:], "-o", "never.png")
    assert (ended.code, ended.err.count("\n")) == (code, 1)
    assert said in ended.err
    assert not Path("never.png").exists()


@pytest.mark.parametrize(("figure", "name"), [("heatmap", "a.csv"), ("distance", "a.csv"), ("heatmap", "a.npy")])
def test_numbers_of_ours_are_a_table_again(figure: str, name: str, file: str) -> None:
    for options in ({"d": 6, "length": 13, "start": 4}, {"encoding": "learned", "file": file, "length": 11}):
        picture = pecli.figure(figure, **options)
        picture.save(name)
        assert np.array_equal(rows(file=name, length=options["length"]), picture.numbers.main)


# the untrained table


@pytest.mark.parametrize("start", [0, 1, 1000, 1023, 1024, 5000])
def test_a_row_does_not_depend_on_the_window(start: int) -> None:
    whole = rows(d=5, length=5100)
    assert np.array_equal(rows(d=5, start=start, length=60), whole[start : start + 60])


@pytest.mark.parametrize(
    ("position", "row"),
    [
        (1023, [-0.002502383470883109, -0.00880295077072389, 0.010806414667179643]),
        (1024, [0.002059353600287225, -0.019610543420605225, -0.01634956649844635]),
    ],
)
def test_the_untrained_numbers_stay_those_of_the_pictures_that_were_made(position: int, row: list[float]) -> None:
    assert rows(d=3, start=position, length=1)[0] == pytest.approx(row, rel=1e-12)
    assert not np.any(rows(d=3, start=position, length=1, seed=1) == row)


# what a picture says of it


def test_the_label_names_the_file_and_not_its_folder(file: str) -> None:
    assert Learned(file=str(Path(file).absolute())).title() == listing(["learned", "trained.npy", "d = 6"])
    tensor = "position_embeddings.weight"
    named = listing(["learned", "minilm_16x24.safetensors", tensor, "d = 24"])
    assert Learned(file=MINILM, tensor=tensor).title() == named
    assert Learned(d=5).title() == say("learned.untrained", encoding=listing(["learned", "d = 5"]))
    assert Learned.trained and not Learned.extrapolates


def test_without_a_length_a_table_shows_all_its_rows_and_its_recipe_tells_them(ask: Callable[..., Any]) -> None:
    count = 77
    table = np.random.default_rng(1).standard_normal((count, 5))
    np.save("own.npy", table)
    picture = pecli.figure("heatmap", encoding="learned:file=own.npy")
    assert np.array_equal(picture.numbers.main, table)
    assert np.array_equal(rows(file="own.npy", start=7), table[7:])
    assert pecli.figure("heatmap", encoding="learned:file=own.npy", start=7).job.positions.length == count - 7
    assert json.loads(picture.job.metadata)["job"]["length"] == count
    picture.save("a.json")
    Path("own.npy").unlink()  # a recipe does not look for it
    assert f"--file own.npy --length {count}" in ask("recipe", "a.json").out


def test_a_formula_has_no_inputs_and_a_file_is_one(file: str) -> None:
    assert "inputs" not in json.loads(make_job("heatmap", {"encoding": "learned"}).metadata)

    def inputs() -> tuple[list[str], str]:
        job = make_job("heatmap", {"encoding": "learned", "file": file, "length": 11})
        return json.loads(job.metadata)["inputs"], job.id_prefix()

    before = inputs()
    assert before == inputs()
    np.save(file, TABLE + 1)
    after = inputs()
    assert before[0] != after[0] and before[1] != after[1]
