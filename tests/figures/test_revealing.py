"""Tests of chosen dimensions of a heatmap, and of figures drawn step by step, in which nothing moves."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from PIL import Image

import pecli
from pecli.core.language import finding, use_language
from pecli.encodings.spec import read_table_encoding
from pecli.figures.base import panels_of
from tests.conftest import Ask
from tests.drawing import axes_of, frames_of
from tests.figures.test_frames import places

SMALL: dict[str, Any] = {"d": 8, "length": 12, "dpi": 30}
DIMS = [  # an encoding, dimensions, their labels below the image, and the dimensions of the headline
    ("sinusoidal:d=8", "0..3", ["0", "1", "2", "3"], (0, 2)),
    ("sinusoidal:d=8,layout=concatenated", "0,4,1", ["0", "4", "1"], (0, 1)),
    ("rope:d=8", "7,1", ["7", "1"], (1, 7)),
    ("clock", "3,1", ["cos 1 h", "cos 1 min"], None),
    ("binary:d=6", "0,4", ["0", "4"], (0, 4)),
    ("learned:d=5", "4,4,2", ["4", "2"], None),
]


@pytest.mark.parametrize(("spec", "dims", "labels", "named"), DIMS)
def test_a_heatmap_shows_the_chosen_dimensions(
    spec: str, dims: str, labels: list[str], named: tuple[int, int] | None
) -> None:
    picture = pecli.figure("heatmap", encoding=spec, dims=dims, length=40)
    numbers: Any = picture.numbers
    table = read_table_encoding(spec).table(np.arange(40.0))
    assert np.array_equal(numbers.table, table[:, numbers.dims])
    assert [*picture.to_dict()] == ["positions", *map(str, numbers.dims)]
    assert (numbers.smallest, numbers.largest) == (numbers.table.min(), numbers.table.max())
    (panel,) = panels_of(picture.figure, picture.job.view)
    assert [*panel.x.names] == labels
    found = finding(numbers.message())
    assert (found.get("first"), found.get("last")) == (named or (None, None))


def test_many_dimensions_have_ticks_at_some() -> None:
    axes = axes_of("heatmap", dims="10..40", length=5)
    shown = [label.get_text() for label in axes.get_xticklabels()]
    assert set(shown) <= {*map(str, range(10, 41)), ""} and "10" in shown


WRONG = [
    ("heatmap -d 8 --dims 8", "--dims 8 does not exist"),
    ("heatmap --dims -1", "--dims"),
    ("waves --reveal --revealed 2 -o a.gif", "give one of them"),
    ("waves --revealed 0 -o a.png", "--revealed 0"),
    ("waves --revealed 99 -o a.png", "--revealed 99 is more than the 5 steps of this waves"),
    ("scatter --reveal", "--reveal"),
    ("waves --dims 3 --revealed 1 -o a.png", "is drawn in one step"),
    ("heatmap --dims 2,3 --reveal -o a.gif", "a .gif file shows a sweep"),
]


@pytest.mark.parametrize(("line", "said"), WRONG)
def test_what_cannot_be_shown_is_refused(ask: Ask, line: str, said: str) -> None:
    ended = ask(*line.split())
    assert ended.code == 2 and said in ended.err


STEPS = [  # a line, and how many columns or lanes are drawn in each frame
    ("heatmap", {}, [2, 4, 6, 8]),
    ("heatmap", {"encoding": "sinusoidal:d=8,layout=concatenated"}, [2, 4, 6, 8]),
    ("heatmap", {"dims": "0,2,3"}, [1, 3]),
    ("heatmap", {"encoding": "binary:d=4"}, [1, 2, 3, 4]),
    ("waves", {"dims": "4..7"}, [1, 2, 3, 4]),
    ("waves", {}, [2, 4, 6, 8]),
]


@pytest.mark.some(9)
@pytest.mark.parametrize(("figure", "given", "drawn"), STEPS)
def test_a_frame_has_one_more_and_the_rest_stays(figure: str, given: dict[str, Any], drawn: list[int]) -> None:
    given = {**SMALL, **given} if "binary" not in given.get("encoding", "") else {"length": 12, "dpi": 30, **given}
    picture: Any = pecli.figure(figure, **given, reveal=True)
    parts = [part.numbers for part in picture.numbers.parts]
    shown = [int(np.isfinite(own.table).all(axis=0).sum()) if figure == "heatmap" else len(own.values) for own in parts]
    assert shown == drawn
    whole: Any = pecli.figure(figure, **given).numbers
    last = parts[-1]
    assert (
        np.array_equal(last.main, whole.main) and last.message() == whole.message() and last.limits() == whole.limits()
    )
    frames = frames_of(figure, **given, reveal=True)
    first, *others = [places(frame)[3:] for frame in frames]  # headlines begin alike and may be longer
    assert len(frames) == len(drawn) and all(other == first for other in others)
    assert len({frame.get_suptitle() for frame in frames if figure == "heatmap"}) <= 2
    assert len({tuple(label.get_text() for label in frame.axes[0].get_yticklabels()) for frame in frames}) == 1


FILES = [  # what is written, and how many frames or pages a file has
    ("-o a.gif", {"a.gif": 2}),
    ("-o a.pdf", {"a.pdf": 2}),
    ("-o a.html", {"a.html": 2}),
    ("-o a-{revealed}.png", {"a-1.png": 1, "a-2.png": 1}),
    ("--base 10,100 -o {base}.gif", {"10.gif": 2, "100.gif": 2}),
]


@pytest.mark.long
@pytest.mark.parametrize("figure", ["waves", "heatmap"])
@pytest.mark.parametrize(("line", "files"), FILES)
def test_frames_and_pages_are_written(ask: Ask, folder: Path, figure: str, line: str, files: dict[str, int]) -> None:
    ended = ask(figure, "-d", "4", "-n", "6", "--dpi", "30", "--size", "column", "--reveal", *line.split())
    assert ended.code == 0, ended.err
    assert {path.name: frame_count(path) for path in folder.iterdir()} == files
    name = sorted(files)[0]
    recipe = ask("recipe", name).out
    assert re.search("--revealed 1" if name.endswith(".png") else "--revealed 1,2", recipe)


def frame_count(path: Path) -> int:
    """Return how many pictures a file has."""
    data = path.read_bytes()
    if path.suffix == ".pdf":
        return len(re.findall(rb"/Type /Page\b", data))
    if path.suffix == ".html":
        return data.count(b"data:image/png") // 2  # each in two sizes
    with Image.open(path) as image:
        return int(getattr(image, "n_frames", 1))


@pytest.mark.long
def test_a_batch_reveals_too(ask: Ask, folder: Path) -> None:
    Path("f.toml").write_text(
        '[[figure]]\ncommand = "waves"\nreveal = true\ndims = [0, 1]\noutput = "a.gif"\ndpi = 30\n', encoding="utf-8"
    )
    assert ask("batch", "f.toml", "-j", "1").out == "a.gif\n"
    assert ask("batch", "f.toml", "--check").code == 0


def test_columns_that_are_not_revealed_are_empty_in_files(ask: Ask) -> None:
    ended = ask("heatmap", "-d", "4", "-n", "2", "--revealed", "1", "-o", "-", "--format", "csv")
    assert ended.out.splitlines()[:2] == ["positions,0,1,2,3", "0,0.0,1.0,,"]
    assert ask("heatmap", "-d", "4", "-n", "2", "--revealed", "1", "-o", "a.json").code == 0
    assert json.loads(Path("a.json").read_text(encoding="utf-8"))["arrays"]["table"][0] == [0.0, 1.0, None, None]


def test_a_label_of_a_frame_is_said_in_chinese() -> None:
    job: Any = pecli.figure("waves", dims="0,1", reveal=True, lang="zh", **SMALL).job
    with use_language(job.language):
        assert job.grid.labels == ("已显示 = 1", "已显示 = 2")
