"""Learned tables: rows of a file or of an untrained table, and none beyond the last."""

from __future__ import annotations

import json
import math
from pathlib import Path

import numpy as np
import pytest
from safetensors.numpy import save_file
from typer.testing import CliRunner

import pecli
from pecli.cli import app
from pecli.core.errors import UsageError
from pecli.core.lazy import Array
from pecli.core.positions import Blocks, Positions
from pecli.encodings.learned import MAX_UNTRAINED_ROWS, Learned
from pecli.jobs.command_line import command
from pecli.jobs.job import Job
from pecli.jobs.picture import Picture

DATA = Path(__file__).parents[1] / "data"
MINILM = str(DATA / "minilm_16x24.safetensors")


@pytest.fixture
def table() -> Array:
    """A table of 11 positions at d 6."""
    return np.random.default_rng(5).standard_normal((11, 6))


@pytest.fixture
def file(tmp_path: Path, table: Array) -> str:
    """The table in a file."""
    np.save(tmp_path / "trained.npy", table)
    return str(tmp_path / "trained.npy")


def test_a_position_is_a_row(file: str, table: Array) -> None:
    assert np.array_equal(pecli.encode("learned", file=file, start=3, length=5), table[3:8])


def test_every_row_up_to_the_last(file: str, table: Array) -> None:
    assert np.array_equal(pecli.encode("learned", file=file, length=11), table)


def test_a_trained_model_is_read_by_its_usual_name() -> None:
    rows = pecli.encode("learned", file=MINILM, length=16)
    assert rows.shape == (16, 24)
    assert rows[1, 2] == 0.02110414206981659


def test_a_tensor_is_chosen_by_name(tmp_path: Path, table: Array) -> None:
    path = tmp_path / "model.safetensors"
    save_file({"encoder.wpe.weight": table, "decoder.wpe.weight": table + 1}, path)
    rows = pecli.encode("learned", file=str(path), tensor="decoder.wpe.weight", length=11)
    assert np.array_equal(rows, table + 1)
    with pytest.raises(UsageError, match=r"decoder\.wpe\.weight, encoder\.wpe\.weight: .*tensor"):
        pecli.encode("learned", file=str(path), length=11)


def test_beyond_the_last_row_there_is_nothing(file: str) -> None:
    said = r"positions 0 to 10 and learned positions do not extrapolate: 4 to 11 is asked for, try length=7"
    with pytest.raises(UsageError, match=said):
        pecli.encode("learned", file=file, start=4, length=8)
    assert pecli.encode("learned", file=file, start=10, length=1).shape[0] == 1
    with pytest.raises(UsageError, match="extrapolate: start=11 is beyond them, try start=10 or less"):
        pecli.encode("learned", file=file, start=11)
    with pytest.raises(UsageError, match="has the positions 0 to 10 and no others"):
        Learned(file=file).table(np.array([10.0, 11.0]))


def test_before_the_first_row_there_is_nothing(file: str) -> None:
    with pytest.raises(UsageError, match="negative position -1"):
        pecli.encode("learned", file=file, start=-1, length=3)


@pytest.mark.parametrize("figure", ["heatmap", "distance", "scatter", "curves", "overview"])
def test_no_figure_extrapolates_and_each_ends_with_2(figure: str, file: str, tmp_path: Path) -> None:
    target = tmp_path / "never.png"
    ended = CliRunner().invoke(app, [figure, "-e", "learned", "--file", file, "--length", "12", "-o", str(target)])
    assert ended.exit_code == 2
    assert "do not extrapolate" in ended.stderr
    assert ended.stderr.count("\n") == 1
    assert not target.exists()


@pytest.mark.parametrize(
    ("words", "code", "said"),
    [
        (("--file", "none.npy"), 2, "none.npy does not exist"),
        (("--file", "model.pt"), 2, "model.pt does not exist"),
        (("--tensor", "wpe"), 2, "give --file too"),
        (("--file", MINILM, "--d", "23", "--length", "5"), 2, "has 24 columns"),
        (("--file", MINILM, "--tensor", "wte", "--length", "5"), 2, "wte"),
        (("--seed=-1",), 2, "--seed -1"),
        (("--d", "0"), 2, "--d 0"),
    ],
)
def test_a_mistake_is_one_line(words: tuple[str, ...], code: int, said: str, tmp_path: Path) -> None:
    target = tmp_path / "never.png"
    ended = CliRunner().invoke(app, ["heatmap", "-e", "learned", *words, "-o", str(target)])
    assert ended.exit_code == code
    assert said in ended.stderr
    assert ended.stderr.count("\n") == 1
    assert not target.exists()


def test_a_damaged_file_ends_with_1(tmp_path: Path, table: Array) -> None:
    table[2, 1] = np.nan
    np.save(tmp_path / "bad.npy", table)
    target = str(tmp_path / "never.png")
    ended = CliRunner().invoke(app, ["heatmap", "-e", "learned", "--file", str(tmp_path / "bad.npy"), "-o", target])
    assert ended.exit_code == 1
    assert "row 2, column 1: nan" in ended.stderr


@pytest.mark.parametrize("figure", ["heatmap", "distance"])
def test_a_csv_of_ours_is_a_table_again(figure: str, tmp_path: Path) -> None:
    path = str(tmp_path / "ours.csv")
    picture = pecli.figure(figure, d=6, length=13, start=4)
    picture.save(path)
    assert np.array_equal(pecli.encode("learned", file=path, length=13), picture.numbers.main)


@pytest.mark.parametrize("kind", ["npy", "csv"])
def test_an_exported_learned_table_is_itself(kind: str, tmp_path: Path, file: str, table: Array) -> None:
    path = str(tmp_path / f"again.{kind}")
    pecli.figure("heatmap", encoding="learned", file=file, length=11).save(path)
    assert np.array_equal(pecli.encode("learned", file=path, length=11), table)


# the untrained table


def test_the_untrained_table_is_the_same_every_time() -> None:
    first = Learned(d=7).table(np.arange(29.0))
    assert np.array_equal(first, Learned(d=7, seed=0).table(np.arange(29.0)))
    assert not np.any(first == Learned(d=7, seed=1).table(np.arange(29.0)))


@pytest.mark.parametrize("start", [0, 1, 1000, 1023, 1024, 5000])
def test_a_row_does_not_depend_on_the_window(start: int) -> None:
    whole = pecli.encode("learned", d=5, length=5100)
    assert np.array_equal(pecli.encode("learned", d=5, start=start, length=60), whole[start : start + 60])


@pytest.mark.parametrize(
    ("position", "row"),
    [
        (0, [0.002514604421867866, -0.0026420972658260378, 0.012808453008865642]),
        (512, [-0.0007929229727540495, 0.027682459882073008, -0.002153601266671476]),
        (1023, [-0.002502383470883109, -0.00880295077072389, 0.010806414667179643]),
        (1024, [0.002059353600287225, -0.019610543420605225, -0.01634956649844635]),
        (2048, [-0.011997009998889908, -0.007010350561821266, -0.020077917439957967]),
    ],
)
def test_the_untrained_numbers_stay_those_of_the_pictures_that_were_made(position: int, row: list[float]) -> None:
    assert pecli.encode("learned", d=3, start=position, length=1)[0] == pytest.approx(row, rel=1e-12)


def test_no_two_rows_of_the_untrained_table_are_alike() -> None:
    rows = pecli.encode("learned", d=3, length=3000)  # more than are drawn together
    assert len(np.unique(rows, axis=0)) == 3000


def test_the_untrained_table_is_normal_with_deviation_0_02() -> None:
    values = pecli.encode("learned", d=64, length=2048)
    spread = 0.02 / math.sqrt(values.size)
    assert abs(values.mean()) < 4 * spread
    assert values.std() == pytest.approx(0.02, abs=4 * spread)
    assert np.mean(np.abs(values) < 0.02) == pytest.approx(0.6827, abs=0.01)


def test_the_untrained_table_ends_with_its_last_row() -> None:
    last = Positions(start=MAX_UNTRAINED_ROWS - 1, length=1)
    assert Learned().covered(last) == last
    with pytest.raises(UsageError, match="at most 10,000,000 untrained rows: 10,000,001 positions"):
        Learned().covered(Positions(start=MAX_UNTRAINED_ROWS, length=1))


def test_the_untrained_table_has_128_columns_or_d() -> None:
    assert pecli.encode("learned", length=3).shape == (3, 128)
    assert pecli.encode("learned", length=3, d=5).shape == (3, 5)


def test_nothing_in_the_untrained_table_says_what_is_near() -> None:
    """Why it has to be trained: neighbours are no more alike than others."""
    rows = Learned(d=512).table(np.arange(101.0))
    rows /= np.linalg.norm(rows, axis=1, keepdims=True)
    assert np.abs(np.einsum("ij,ij->i", rows[:-1], rows[1:])).max() < 0.25


def test_block_means_are_the_brute_force(file: str, table: Array) -> None:
    means = Learned(file=file).mean_table(Blocks(0, 11, 4))
    expected = [table[:4].mean(axis=0), table[4:8].mean(axis=0), table[8:].mean(axis=0)]
    assert means == pytest.approx(np.array(expected), abs=1e-15)


# what a picture says of it


def test_the_label_names_the_file_and_not_its_folder(file: str) -> None:
    assert Learned(file=file).label() == "learned, trained.npy, d 6"
    assert Learned(file=MINILM, tensor="position_embeddings.weight").label() == (
        "learned, minilm_16x24.safetensors, position_embeddings.weight, d 24"
    )
    assert Learned(d=5).label() == "learned, d 5, untrained"


def test_inputs_in_the_metadata_follow_the_files_content(file: str, table: Array) -> None:
    def inputs() -> list[str]:
        job = Job.make("heatmap", {"encoding": "learned", "file": file, "length": 11})
        (one,) = json.loads(job.metadata())["inputs"]
        return [one, job.salt()]

    before = inputs()
    assert before == inputs()
    np.save(file, table + 1)
    after = inputs()
    assert before[0] != after[0]
    assert before[1] != after[1]


def test_a_formula_has_no_inputs() -> None:
    assert "inputs" not in json.loads(Job.make("heatmap", {"encoding": "learned"}).metadata())


def test_it_says_that_it_is_trained_and_does_not_extrapolate() -> None:
    assert Learned.trained
    assert not Learned.extrapolates


@pytest.mark.parametrize("rows", [77, 512])
def test_without_a_length_a_table_shows_all_its_rows(folder: Path, rows: int) -> None:
    table = np.random.default_rng(1).standard_normal((rows, 5))
    np.save("own.npy", table)
    picture = pecli.figure("heatmap", encoding="learned:file=own.npy")
    assert np.array_equal(picture.numbers.main, table)
    assert np.array_equal(pecli.encode("learned", file="own.npy"), table)
    assert np.array_equal(pecli.encode("learned", file="own.npy", start=7), table[7:])
    assert json.loads(picture.job.metadata())["job"]["length"] == rows
    assert pecli.figure("heatmap", encoding="learned:file=own.npy", start=7).job.positions.length == rows - 7


def test_what_is_not_a_table_from_a_file_has_the_usual_length(folder: Path) -> None:
    np.save("own.npy", np.ones((77, 5)))
    length = {
        (name, *specs): pecli.figure(name, encoding=specs).job.positions.length
        for name, specs in [
            ("heatmap", ["sinusoidal"]),
            ("heatmap", ["learned"]),
            ("explain", ["sinusoidal"]),
            ("explain", ["learned:file=own.npy"]),
            ("attention", ["learned:file=own.npy,d=5"]),
            ("offsets", ["sinusoidal", "learned:file=own.npy"]),
        ]
    }
    assert list(length.values()) == [200, 200, 10, 10, 5, 77]


@pytest.mark.parametrize("rows", [77, 200])
def test_a_recipe_of_a_table_tells_the_length_that_was_drawn(folder: Path, rows: int) -> None:
    np.save("own.npy", np.ones((rows, 5)))
    job = Job.make("heatmap", {"encoding": "learned:file=own.npy", "output": "a.json"})
    Picture(job).save()
    Path("own.npy").unlink()  # a recipe does not look for it
    ended = CliRunner().invoke(app, ["recipe", "a.json"])
    assert f"--file own.npy --length {rows}" in ended.stdout
    assert command(job) == ended.stdout.strip()
