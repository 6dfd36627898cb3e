"""Tests of batch files: accepted keys and values, the resulting jobs, and errors."""

from __future__ import annotations

import io
import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from pecli.core.errors import FileError, PecliError, UsageError
from pecli.encodings.spec import read_encoding
from pecli.jobs.batch import Batch, read_batch
from pecli.jobs.sweep import make_job
from tests.conftest import Ask

FILE = "figures.toml"
HEAT = '[[figure]]\ncommand = "heatmap"\n'
WAVES = '[[figure]]\ncommand = "waves"\n'


def read(text: str | bytes, folder: str | None = None) -> Batch:
    Path(FILE).write_bytes(text.encode() if isinstance(text, str) else text)
    return read_batch(FILE, folder)


def refused(text: str | bytes) -> str:
    with pytest.raises(PecliError) as caught:
        read(text)
    return str(caught.value)


def settings(batch: Batch, name: str) -> list[Any]:
    return [job.settings()[name] for job in batch.jobs]


def test_a_job_is_the_one_of_the_command_line_with_its_outputs_in_the_folder(folder: Path) -> None:
    (folder / "sub").mkdir()
    Path("sub/figures.toml").write_text(
        f'{HEAT}base = 10\nno-title = true\noutput = ["a.png", "x/{{base}}.svg"]\n', encoding="utf-8"
    )
    (job,) = read_batch("sub/figures.toml").jobs
    assert job == make_job("heatmap", {"base": 10, "no_title": True, "output": ["sub/a.png", "sub/x/{base}.svg"]})
    assert job.paths == ("sub/a.png", "sub/x/10.svg")
    (job,) = read_batch("sub/figures.toml", "out").jobs
    assert job.paths == ("out/a.png", "out/x/10.svg")


def test_lists_sweep_and_lists_of_list_options_do_not(folder: Path) -> None:
    batch = read(HEAT + 'base = [10, 100]\nd = [6, 8, 10]\noutput = "{base}-{d}.png"\n' + WAVES + "dims = [4, 5]\n")
    assert len(batch.entries[0].jobs) == 6
    (waves,) = batch.entries[1].jobs
    assert waves.figure.settings()["dims"] == (4, 5)
    nested = read(WAVES + 'dims = [[4, 5], [6]]\noutput = "{dims}.png"\n')
    assert [job.paths for job in nested.jobs] == [("4_5.png",), ("6.png",)]


def test_defaults_go_to_every_figure_that_has_such_an_option_and_lose_against_its_own(folder: Path) -> None:
    batch = read("[defaults]\nlength = 5\nmeasure = 'dot'\nno-title = true\n" + HEAT + "length = 7\n" + HEAT + "d = 4\n"
                 '[[figure]]\ncommand = "distance"\n')  # fmt: skip
    assert settings(batch, "length") == [7, 5, 5]
    assert settings(batch, "no_title") == [True] * 3
    assert batch.jobs[2].settings()["measure"] == "dot" and "measure" not in batch.jobs[0].settings()


def test_defaults_of_parameters_go_to_the_encodings_that_have_them(folder: Path) -> None:
    batch = read("[defaults]\nbase = 10\nd = 6\n" + HEAT + HEAT + 'encoding = "clock"\n' + HEAT + 'encoding = "rope"\n')
    assert [job.encodings[0] for job in batch.jobs] == [
        read_encoding(spec) for spec in ("sinusoidal:base=10,d=6", "clock", "rope:base=10,d=6")
    ]


@pytest.mark.parametrize("start", [b"\xef\xbb\xbf", b""], ids=["with a byte order mark", "without"])
@pytest.mark.parametrize("end", [b"\r\n", b"\n"], ids=["crlf", "lf"])
def test_a_file_of_any_editor_is_read(start: bytes, end: bytes, folder: Path) -> None:
    text = (HEAT + 'title = "位置"\n').encode()
    assert settings(read(start + text.replace(b"\n", end)), "title") == ["位置"]


WRONG: list[tuple[str, list[str]]] = [
    (HEAT + "\nbsae = 10\n", [f"{FILE}:4: figure 1: ", "'bsae'", "did you mean 'base'"]),
    (HEAT + 'measure = "dot"\n', [f"{FILE}:3: ", "option of heatmap", "'measure'"]),
    (HEAT + "json = true\n", [f"{FILE}:3: ", "'json'"]),  # of the command line alone
    (HEAT + "base = []\n", [f"{FILE}:3: ", "base = []", "finite number > 0"]),
    (HEAT + "d = true\n", [f"{FILE}:3: ", "d is not allowed", "whole number"]),
    (HEAT + 'base = [10, "x"]\n', [f"{FILE}:3: ", "base = x", "finite number"]),
    (HEAT + "title = 5\n", [f"{FILE}:3: ", "title = 5", "text"]),
    (HEAT + "no_title = 1\n", [f"{FILE}:3: ", "no_title = 1", "true or false"]),
    (HEAT + "base = 2024-01-01\n", [f"{FILE}:3: ", "base = 2024-01-01"]),
    (HEAT + "base = {a = 1}\n", [f"{FILE}:3: ", "base = {'a': 1}"]),
    (HEAT + "base = [10, inf]\n", [FILE, "figure 1", "base = inf", "finite"]),
    (HEAT + "length = 0\n", [f"{FILE}:3: ", "length = 0", "from 1 to"]),
    (HEAT + f"base = {'9' * 400}\n", [FILE, "figure 1", "base", "finite"]),
    ('[[figure]]\ncommand = "distance"\nmeasure = "euclid"\n', [f"{FILE}:3: ", "did you mean 'euclidean'"]),
    ('[[figure]]\ncommand = "heatmpa"\n', [f"{FILE}:2: figure 1: ", "did you mean 'heatmap'"]),
    ("[[figure]]\nbase = 10\n", [f"{FILE}:1: figure 1 has no command"]),
    ('[[figure]]\ncommand = ["heatmap"]\n', [f"{FILE}:1: figure 1 has no command"]),
    (HEAT + 'encoding = "rop"\n', [FILE, "figure 1", "did you mean 'rope'"]),
    (HEAT + "encoding = 5\n", [f"{FILE}:3: figure 1", "not 5"]),
    (HEAT + "name = 5\n", [f"{FILE}:3: figure 1", "name", "text"]),
    (HEAT + 'output = "a/../../x.png"\n', [FILE, "figure 1", "is outside the folder"]),
    (HEAT + 'output = "/etc/x.png"\n', [FILE, "figure 1", "/etc/x.png is outside the folder"]),
    (HEAT + 'output = ["a.png", "../x.png"]\n', [FILE, "figure 1", "../x.png is outside the folder"]),
    (HEAT + 'output = "link/x.png"\n', [FILE, "figure 1", "link/x.png is outside the folder"]),
    (HEAT + 'output = "linked.png"\n', [FILE, "figure 1", "linked.png is outside the folder"]),
    (HEAT + 'output = "-"\n', [FILE, "figure 1", "output = -"]),
    (HEAT + 'output = "a\\u0000.png"\n', [f"{FILE}:3: ", "output"]),
    (HEAT + 'dpi = [10, 100]\noutput = "a.png"\n', ["a.png", "{dpi}"]),
    (HEAT + 'output = "a.png"\n' + WAVES + 'output = "./a.png"\n', ["a.png", "{figure}"]),
    (HEAT + HEAT, ["heatmap-sinusoidal.png", "the same picture twice"]),
    ("[default]\nd = 4\n" + HEAT, [FILE, "'default'", "did you mean 'defaults'"]),
    ("d = 4\n" + HEAT, [FILE, "'d'", "batch, defaults, figure"]),
    ('[batch]\ntitel = "x"\n' + HEAT, [f"{FILE}:2: ", "'titel'", "did you mean 'title'"]),
    ("[batch]\ntitle = 5\n" + HEAT, [f"{FILE}:2: ", "title", "text"]),
    ("[defaults]\nbsae = 4\n" + HEAT, [f"{FILE}:2: [defaults]: ", "'bsae'", "did you mean 'base'"]),
    ('[defaults]\n"-k" = 4\n' + HEAT, [FILE, "[defaults]", "unknown option '-k'"]),
    ('[defaults]\nmeasure = "dot"\n' + HEAT, [FILE, "[defaults]", "'measure'"]),  # of other figures
    ("[defaults]\nbase = nan\n" + HEAT, [f"{FILE}:2: figure 1: sinusoidal: base = nan"]),
    ("", [FILE, "[[figure]]", "--init"]),
    ('[figure]\ncommand = "heatmap"\n', [FILE, "[[figure]]"]),
    ("defaults = [1]\n" + HEAT, [FILE, "[defaults]"]),
    ('figure = ["heatmap"]\n', [FILE, "figure 1", "command"]),
    (HEAT + "base = 1\nbase = 2\n", [FILE, "not TOML"]),
    (HEAT + f"base = {'[' * 100_000}{']' * 100_000}\n", [FILE, "not TOML"]),
    (HEAT + f"base = {'9' * 5000}\n", [FILE, "not TOML"]),
    (HEAT + f"base = {'[' * 200}1{']' * 200}\n", [FILE, "figure 1", "base"]),
    (HEAT + "periods = 5\n", [FILE, "figure 1", "periods", "sinusoidal"]),
    ('[[figure]]\ncommand = "dials"\nencoding = "binary"\n', [FILE, "cannot show binary"]),
    (HEAT + 'cmap = "virids"\n', [FILE, "figure 1", "did you mean 'viridis'"]),
    ('[[figure]]\ncommand = "distance"\nlength = 1000000000\noutput = "a.npy"\n', [FILE, "figure 1", "EiB"]),
    (HEAT + 'output = "a.tif"\n', [FILE, "figure 1", "tif", "png"]),
    (HEAT + 'output = "{bsae}.png"\n', [FILE, "figure 1", "'bsae'", "did you mean 'base'"]),
    (HEAT + 'output = ["a.png", "a.png"]\n', [FILE, "figure 1", "a.png", "twice"]),
    (HEAT + 'encoding = "rope"\nd = 7\n', [f"{FILE}:4: figure 1", "even d"]),
    (HEAT + 'd = 4\nencoding = "rope:base=0"\n', [f"{FILE}:4: figure 1: rope: base = "]),  # the line of the encoding
    (WAVES + 'cmap = "Greys"\n', [f"{FILE}:3: ", "cmap = Greys changes nothing"]),
    (HEAT + "title = '$x_$'\n", [f"{FILE}:3: figure 1", "formula", r"write \$"]),
    (HEAT + 'style = "odd.mplstyle"\n', [f"{FILE}:3: ", "odd.mplstyle", "lines.linewidth"]),
    (HEAT + 'font = "nope"\n', [f"{FILE}:3: figure 1", "unknown font 'nope'"]),
    (HEAT + 'encoding = "learned:file=no.csv"\n', [FILE, "figure 1", "no.csv does not"]),
    (HEAT + 'encoding = "learned:file=t.csv"\nlength = 9\n', [f"{FILE}:4: ", "length = 2"]),
    (HEAT + 'output = "taken.png"\n', [f"{FILE}:3: figure 1", "taken.png", "is a folder"]),
    ('[[figure]]\ncommand = "stats"\n', [f"{FILE}:1: ", "output is missing", "stats.json"]),
    ("[defaults]\nbase = -1\n" + HEAT + "base = 0\n", [f"{FILE}:5: figure 1: sinusoidal: base = "]),
    (HEAT + 'name = "big one"\nbase = 0\n', [f"{FILE}:4: figure 1 (big one): sinusoidal: base = "]),
    *((f"{HEAT}d = 4\n{key} = 0\n", [f"{FILE}:4: figure 1: "]) for key in ("max-len", "n")),  # names of length
]


@pytest.mark.some(4)
@pytest.mark.posix
@pytest.mark.parametrize(("text", "words"), WRONG, ids=range(len(WRONG)))
def test_what_is_wrong_is_named_with_its_place(text: str, words: list[str], folder: Path) -> None:
    (folder / "link").symlink_to(folder.parent)
    (folder / "linked.png").symlink_to(folder.parent / "x.png")
    (folder / "t.csv").write_text("1,2\n3,4\n")
    (folder / "odd.mplstyle").write_text("lines.linewidth: [[[\n")
    (folder / "taken.png").mkdir()
    item = refused(text)
    assert [word for word in words if word not in item] == []
    assert "\n" not in item and len(item) < 2000


def test_all_that_is_wrong_is_said_at_once_each_with_its_line(folder: Path) -> None:
    text = (
        f"{HEAT}base = 0\n\n"  # 1
        f"{HEAT}d = 4\n\n"  # 5
        f'{HEAT}name = "third"\n# a remark\nlenght = 5\n\n'  # 9
        '[[figure]]\ncommand = "dist"\n'  # 15
    )
    first, third, fourth = refused(text).splitlines()
    assert first.startswith(f"{FILE}:") and "figure 1" in first and "base = 0" in first
    assert third.startswith(f"{FILE}:13: figure 3") and "lenght" in third
    assert fourth.startswith(f"{FILE}:16: figure 4") and "'dist'" in fourth


@pytest.mark.parametrize("title", ["..", "../..", "/etc"])
def test_a_value_in_a_blank_does_not_lead_out_of_the_folder(title: str, folder: Path) -> None:
    Path("out").mkdir()
    text = HEAT + f'title = "{title}"\noutput = "{{title}}/x.png"\n'
    try:
        (job,) = read(text, "out").jobs
    except UsageError as error:
        assert "is outside the folder" in str(error)
    else:
        assert Path(job.paths[0]).resolve().is_relative_to((folder / "out").resolve())


NAMED = (
    HEAT + 'name = "one"\nbase = [10, 100]\noutput = "heat-{base}.png"\n' + WAVES + 'name = "two"\noutput = "w.svg"\n'
)


@pytest.mark.some(8)
@pytest.mark.parametrize(
    ("patterns", "files"),
    [
        (["one"], ["heat-10.png", "heat-100.png"]),
        (["two"], ["w.svg"]),
        (["t*", "one"], ["heat-10.png", "heat-100.png", "w.svg"]),
        (["heat-10.png"], ["heat-10.png"]),
        (["heat-10"], ["heat-10.png"]),
        (["*0.png"], ["heat-10.png", "heat-100.png"]),
        (["heat-1?0*"], ["heat-100.png"]),
        (["*.svg", "./w.svg"], ["w.svg"]),
    ],
)
def test_some_may_be_picked_by_name_or_file(patterns: list[str], files: list[str], folder: Path) -> None:
    assert [path for job in read(NAMED).only(patterns).jobs for path in job.paths] == files


@pytest.mark.parametrize("pattern", ["ONE", "tow", "heat", ""])  # also beside one that fits
def test_a_pattern_that_fits_none_is_refused_with_the_names(pattern: str, folder: Path) -> None:
    with pytest.raises(PecliError, match="known: one, two"):
        read(NAMED).only(["one", pattern])


WRITTEN_OTHERWISE = '''\
# [[figure]] in a remark
[batch]
title = "[defaults]"  # outside
[[figure]]  # the first
command = "heatmap"
base = [
  10,  # bse = 2
  [100],
]
"no-titel" = true
[[ figure ]]
command = 'dist#ance'
note = """
[[figure]]
bse = 1 # """""
[[figure]]
command = "heatmap"
d = { a = 1 }
sise = 1
[[figure]]
command = "waves"
last = 1'''


@pytest.mark.parametrize("end", ["\n", "\r\n"], ids=["lf", "crlf"])
def test_a_key_is_found_where_it_stands_however_it_is_written(end: str, folder: Path) -> None:
    text = refused(WRITTEN_OTHERWISE.replace("\n", end)).splitlines()
    assert [line.partition(": ")[0] for line in text] == [f"{FILE}:{line}" for line in (10, 6, 12, 19, 18, 22)]


def test_a_stream_is_seen_from_the_current_folder(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    text = io.BytesIO((HEAT + 'output = "a.json"\n').encode())
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(text, encoding="utf-8"))
    assert read_batch("-").jobs[0].paths == ("a.json",)


@pytest.mark.parametrize(("name", "said"), [(".", "could not be read"), ("none.toml", "does not exist")])
def test_what_cannot_be_read_is_refused(name: str, said: str, folder: Path) -> None:
    with pytest.raises(FileError, match=said):
        read_batch(name)


def test_all_pictures_of_one_file_are_told_at_once_with_their_places(folder: Path) -> None:
    text = refused("".join(f'{HEAT}base = {base}\noutput = "a.png"\n' for base in (10, 11, 12)))
    assert text.count("pictures would be written to") == text.count("3 pictures would be written to") == 1
    assert re.findall(r":(\d+): figure (\d)", text) == [("1", "1"), ("5", "2"), ("9", "3")]


def test_a_default_that_means_nothing_to_a_figure_is_left_out_there_and_its_own_value_is_refused(folder: Path) -> None:
    defaults = '[defaults]\nlength = 9\ncmap = "Greys"\n'
    figures = (
        '[[figure]]\ncommand = "heatmap"\n[[figure]]\ncommand = "rotation"\nmatrix = 3\n[[figure]]\ncommand = "waves"\n'
    )
    Path("f.toml").write_text(defaults + figures, encoding="utf-8")
    heat, turned, waves = read_batch("f.toml").jobs
    assert (heat.canvas.cmap, heat.positions.length) == ("Greys", 9)
    assert (turned.canvas.cmap, turned.positions.length) == ("Greys", 200)
    assert (waves.canvas.cmap, waves.positions.length) == (None, 9)
    Path("f.toml").write_text(defaults + figures + 'cmap = "Greys"\n', encoding="utf-8")
    with pytest.raises(UsageError) as caught:
        read_batch("f.toml")
    text = str(caught.value)
    assert "f.toml:11: " in text and "cmap = Greys changes nothing here, because waves has no colour scale" in text


def test_files_are_looked_for_beside_the_batch_file_first_then_here(folder: Path) -> None:
    Path("sub").mkdir()
    for name, rows in (("sub/both.npy", 3), ("both.npy", 4), ("here.npy", 5)):
        np.save(name, np.arange(4.0 * rows).reshape(rows, 4))
    Path("sub/my.mplstyle").write_text("font.size: 9\n", encoding="utf-8")
    Path("sub/config.json").write_text(
        '{"model_type": "llama", "hidden_size": 8, "num_attention_heads": 2}', encoding="utf-8"
    )
    figures = [
        "encoding = 'learned:file=both.npy'\noutput = '1.json'",
        "encoding = 'learned'\nfile = 'here.npy'\noutput = '2.json'\nstyle = 'my.mplstyle'",
        "encoding = 'config.json'\noutput = '3.json'",
    ]
    Path("sub/f.toml").write_text(
        "".join(f"[[figure]]\ncommand = 'heatmap'\n{each}\n" for each in figures), encoding="utf-8"
    )
    jobs = read_batch("sub/f.toml").jobs
    assert [job.view.positions.length for job in jobs[:2]] == [3, 5]
    assert jobs[0].specs() == ["learned:file=sub/both.npy"] and jobs[1].canvas.style == "sub/my.mplstyle"
    assert jobs[2].encodings[0].name == "rope"


@pytest.mark.parametrize("which", ["2", "b.json", "sub/b.json", "b", "b.*", "{folder}/sub/b.json", "./sub/b.json"])
def test_only_takes_a_number_a_name_a_glob_and_what_was_printed(which: str, folder: Path) -> None:
    Path("sub").mkdir()
    text = "".join(f"[[figure]]\ncommand = 'heatmap'\noutput = '{name}.json'\n" for name in "abc")
    Path("sub/f.toml").write_text(text, encoding="utf-8")
    assert [job.paths for job in read_batch("sub/f.toml").only([which.format(folder=folder)]).jobs] == [("sub/b.json",)]


@pytest.mark.parametrize(("only", "refused"), [
    ("a", False), ("1", False), ("a.json", False), ("b", True), ("2", True), ("heat*", True), ("*.json", True),
])  # fmt: skip
def test_a_figure_that_is_left_out_may_be_wrong(ask: Ask, only: str, refused: bool) -> None:
    figures = (
        "name = 'a'\ncommand = 'curves'\noutput = 'a.json'",
        "name = 'b'\ncommand = 'heatmap'\noutput = ['b.json']",
    )
    Path("f.toml").write_text("".join(f"[[figure]]\n{each}\n" for each in figures) + "nope = 1\n", encoding="utf-8")
    ended = ask("batch", "f.toml", "--only", only, "--dry-run")
    assert ended.code == (2 if refused else 0) and ("pecli curves" in ended.out) is not refused
    left_out = "" if refused else "skipped: "
    assert f"pecli: {left_out}f.toml:9: figure 2 (b): unknown option of heatmap: 'nope'" in ended.err
