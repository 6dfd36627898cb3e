"""Tests that no output replaces a file that is read, or another output, by any of its names."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import pecli
from pecli.core.errors import OutputError, UsageError
from pecli.jobs.batch import read_batch
from pecli.jobs.index import page, page_path

Ask = Callable[..., Any]
TABLE = "0.5,1\n1,2\n3,4\n"
LEARNED = ("-e", "learned", "--file", "t.csv")


@pytest.fixture
def table(folder: Path) -> Path:
    (folder / "t.csv").write_text(TABLE)
    (folder / "l.csv").symlink_to("t.csv")
    (folder / "r").mkdir()
    (folder / "rl").symlink_to("r")
    return folder


@pytest.mark.posix
@pytest.mark.parametrize("output", ["t.csv", "./r/../t.csv", "l.csv"])
def test_a_picture_does_not_replace_what_it_is_made_from(ask: Ask, table: Path, output: str) -> None:
    ended = ask("heatmap", *LEARNED, "--length", "3", "-o", output)
    assert (ended.code == 2 and "made from" in ended.err + ended.out) or "read here" in ended.err
    assert (table / "t.csv").read_text() == TABLE
    with pytest.raises(UsageError, match="made from"):
        pecli.figure("heatmap", encoding="learned", file="t.csv", length=3).save(output)


@pytest.mark.parametrize(
    ("figure", "options", "name"),
    [
        ("heatmap", {"style": "s.csv"}, "s.csv"),
        ("rotation", {"content": "q.csv", "d": 4, "length": 2}, "q.csv"),
        ("attention", {"embeddings": "e.csv", "tokens": "a b", "d": 2}, "e.csv"),
    ],
)
def test_every_file_that_is_read_is_known(folder: Path, figure: str, options: dict[str, Any], name: str) -> None:
    (folder / "s.csv").write_text("axes.facecolor: red\n")
    np.savetxt(folder / "q.csv", np.ones((2, 4)), delimiter=",")
    np.savetxt(folder / "e.csv", np.eye(2), delimiter=",")
    assert name in pecli.figure(figure, **options).job.inputs


@pytest.mark.posix
@pytest.mark.parametrize(
    ("first", "second"),
    [("a.png", "link.png"), ("r/a.png", "rl/a.png")],
)
def test_two_names_of_one_file_are_refused(ask: Ask, table: Path, first: str, second: str) -> None:
    (table / "link.png").symlink_to("a.png")
    ended = ask("heatmap", "-d", "4", "-n", "3", "-o", first, "-o", second)
    assert ended.code == 2 and "given twice" in ended.err
    (table / "p.toml").write_text(
        f'[[figure]]\ncommand="heatmap"\noutput="{first}"\n[[figure]]\ncommand="distance"\noutput="{second}"\n'
    )
    with pytest.raises(UsageError, match="two pictures would be written"):
        read_batch("p.toml")


@pytest.mark.some(2)
@pytest.mark.parametrize("ending", ["png", "json"])
def test_under_a_name_that_nobody_gave_no_file_of_others_is_replaced(ask: Ask, folder: Path, ending: str) -> None:
    small = ("heatmap", "-d", "4", "-n", "3", "--dpi", "20", "--format", ending)
    (name,) = ask(*small).out.split()
    assert ask(*small).code == 0  # it is ours
    (folder / name).write_text("mine")
    (folder / "p.toml").write_text(f'[[figure]]\ncommand="heatmap"\nd=4\nlength=3\ndpi=20\nformat="{ending}"\n')
    for ended in (ask(*small), ask("batch", "p.toml", "-j", "1")):
        assert ended.code in (1, 2) and f"{name} exists, but stores no job, so pecli did not make it" in ended.err
    assert (folder / name).read_text() == "mine"
    assert ask(*small, "-o", name).code == 0  # somebody gave it


def test_a_batch_does_not_replace_its_own_file_nor_another_figures_table(table: Path) -> None:
    (table / "plan.json").write_text('[[figure]]\ncommand="heatmap"\noutput="plan.json"\n')
    with pytest.raises(UsageError, match=r"plan\.json .* would replace a file that a picture is made from"):
        read_batch("plan.json")
    (table / "p.toml").write_text(
        '[[figure]]\ncommand="table"\noutput="t.csv"\n'
        '[[figure]]\ncommand="heatmap"\nencoding="learned:file=t.csv"\nlength=3\noutput="a.png"\n'
    )
    with pytest.raises(UsageError, match=r"t\.csv .* would replace a file that a picture is made from"):
        read_batch("p.toml")


@pytest.mark.parametrize("ending", [".md", ".html"])
def test_an_index_replaces_pages_of_ours_only(folder: Path, ending: str) -> None:
    (folder / "p.toml").write_text('[[figure]]\ncommand="heatmap"\noutput="a.png"\n')
    batch = read_batch("p.toml")
    place = page_path(batch, f"README{ending}")
    (folder / f"README{ending}").write_bytes(page(batch, place))
    assert page_path(batch, f"README{ending}") == place
    (folder / f"README{ending}").write_text("# My own words\n")
    with pytest.raises(OutputError, match="did not make it"):
        page_path(batch, f"README{ending}")
    (folder / f"DIR{ending}").mkdir()
    with pytest.raises(OutputError, match="is a folder"):
        page_path(batch, f"DIR{ending}")
