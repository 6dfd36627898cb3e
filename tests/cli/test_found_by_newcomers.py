"""What people met who used pecli for the first time, each mended once."""

from __future__ import annotations

import os
import shlex
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from matplotlib.figure import Figure as Drawing

import pecli
from pecli.encodings.rope import Rope
from pecli.jobs.command_line import command
from pecli.jobs.job import Job

Ask = Callable[..., Any]


@pytest.mark.parametrize(
    "words", [("curves", "-n", "1e12"), ("waves", "-n", "1e11"), ("heatmap", "-e", "learned", "-n", "1e9")]
)
def test_hours_of_work_are_refused(ask: Ask, words: tuple[str, ...]) -> None:
    ended = ask(*words)
    assert ended.code == 2 and ended.err.count("\n") == 1


def test_a_font_that_is_not_there_is_told_with_its_line_and_costs_its_own_picture(ask: Ask, folder: Path) -> None:
    (folder / "f.toml").write_text(
        '[[figure]]\ncommand = "heatmap"\nlength = 3\noutput = "good.png"\n'
        '[[figure]]\ncommand = "heatmap"\nfont = "Nope Sans"\noutput = "bad.png"\n'
    )
    ended = ask("batch", "f.toml")
    assert ended.code == 1 and "f.toml:7: figure 2" in ended.err and (folder / "good.png").exists()
    assert not (folder / "bad.png").exists()


def test_a_picture_under_a_file_of_another_is_refused(ask: Ask, folder: Path) -> None:
    (folder / "f.toml").write_text(
        '[[figure]]\ncommand = "heatmap"\noutput = "g.json"\n[[figure]]\ncommand = "curves"\noutput = "g.json/x.json"\n'
    )
    ended = ask("batch", "f.toml")
    assert ended.code == 2 and "g.json/x.json" in ended.err and not (folder / "g.json").exists()


@pytest.mark.parametrize(
    ("name", "own"), [("d-model", "d"), ("d_model", "d"), ("seq_len", "length"), ("seq-len", "length"), ("n", "length")]
)
def test_every_long_flag_is_a_key(name: str, own: str) -> None:
    assert Job.make("heatmap", {name: 8}) == Job.make("heatmap", {own: 8})
    with pytest.raises(pecli.PecliError, match="twice"):
        Job.make("heatmap", {name: 8, own: 8})


def test_long_flags_serve_in_python_and_toml(folder: Path) -> None:
    assert pecli.encode("sinusoidal", d_model=6, length=3).shape == (3, 6)
    (folder / "f.toml").write_text(
        '[defaults]\nseq-len = 5\n[[figure]]\ncommand = "heatmap"\nd_model = 4\noutput = "a.npy"\n'
    )
    assert [one.state for one in pecli.batch("f.toml")] == ["written"]
    assert np.load(folder / "a.npy").shape == (5, 4)


def test_a_recipe_needs_no_table(ask: Ask, folder: Path) -> None:
    np.save(folder / "t.npy", np.eye(5))
    assert ask("heatmap", "-e", "learned", "--file", "t.npy", "-n", "5", "-o", "l.json").code == 0
    (folder / "t.npy").unlink()
    ended = ask("recipe", "l.json")
    assert ended.code == 0 and "--file t.npy" in ended.out


def test_a_query_may_be_a_plain_vector(folder: Path) -> None:
    np.save(folder / "q.npy", np.arange(8.0))
    assert np.array_equal(Rope(d=8, query="q.npy").vector, np.arange(8.0))


def test_a_command_is_one_line_whatever_the_title() -> None:
    title = "two\nlines, 'quoted' \\ $x$"
    line = command(Job.make("heatmap", {"title": title}))
    assert "\n" not in line
    said = subprocess.run(["bash", "-c", f"printf '%s\\0' {line}"], capture_output=True, check=True).stdout.decode()
    assert title in said.split("\0")
    assert shlex.split(command(Job.make("heatmap", {"title": "it's one"})))[-1] == "it's one"


def test_paths_may_be_path_objects(folder: Path) -> None:
    assert pecli.figure("heatmap", length=3, d=4).save(folder / "a.json") == [str(folder / "a.json")]
    np.save(folder / "t.npy", np.eye(3))
    assert pecli.encode("learned", file=folder / "t.npy", length=3).shape == (3, 3)


def test_an_encoding_and_a_size_may_be_what_python_has_for_them() -> None:
    made = pecli.encoding("rope:d=128,scaling=linear,factor=8")
    assert pecli.dials(made).job.encodings == (made,)  # whose own d is 16
    assert pecli.offsets([made, "clock"]).job.specs() == ["rope:scaling=linear,factor=8", "clock"]
    assert pecli.encode(made, length=3).shape == (3, 128)
    assert [pecli.figure("heatmap", size=size).job.canvas.size for size in ((8, 4.5), [8, 4], 8)] == [
        "8x4.5",
        "8x4",
        "8",
    ]
    assert Job.make("heatmap", {"figsize": (np.float64(8), np.int64(4))}).canvas.inches[:2] == (8, 4)


@pytest.mark.parametrize("draw", [pecli.encode, pecli.encoding, pecli.heatmap, lambda one: pecli.offsets([one, one])])
def test_an_array_is_told_the_file_that_it_belongs_in(draw: Callable[[Any], Any]) -> None:
    with pytest.raises(pecli.UsageError, match=r"array of 7 × 3 .*numpy.save\(.*'learned:file=table.npy'"):
        draw(np.ones((7, 3)))


def test_a_folder_with_the_name_of_an_encoding_is_told_of_where_it_holds_a_model(ask: Ask, folder: Path) -> None:
    words = ("offsets", "rope", "-d", "4", "-n", "3", "-o", "a.json")
    (folder / "rope").mkdir()
    assert ask(*words).err == ""
    (folder / "rope" / "config.json").write_text("{}")
    assert ask(*words).err == "pecli: rope is the encoding here; the model in the folder rope is ./rope\n"


def test_what_is_no_encoding_is_an_error_of_ours() -> None:
    with pytest.raises(pecli.PecliError, match="text such as"):
        pecli.encode(3)  # type: ignore[arg-type]


def test_chinese_on_an_axes_of_ones_own_warns_of_nothing() -> None:
    drawing = Drawing()
    pecli.figure("attention", sentences="like").draw(drawing.add_subplot())
    from pecli.figures.style import _cjk_families

    if not _cjk_families():
        pytest.skip("no font with Chinese characters is installed")
    drawing.canvas.draw()  # a warning would be an error here
    drawing.savefig(os.devnull, format="png")


def test_no_clobber_in_a_batch_keeps_what_is_there(ask: Ask, folder: Path) -> None:
    (folder / "f.toml").write_text(
        '[[figure]]\ncommand = "heatmap"\nlength = 3\nno_clobber = true\noutput = "a.json"\n'
    )
    assert ask("batch", "f.toml").code == 0
    before = (folder / "a.json").read_bytes()
    (folder / "f.toml").write_text((folder / "f.toml").read_text() + "d = 6\n")
    ended = ask("batch", "f.toml", "--force")
    assert ended.code == 0 and "1 skipped" in ended.err
    assert (folder / "a.json").read_bytes() == before


def test_only_takes_commands_and_the_paths_that_are_printed(ask: Ask, folder: Path) -> None:
    (folder / "f.toml").write_text(
        '[[figure]]\ncommand = "heatmap"\nlength = 3\noutput = "h/a.json"\n'
        '[[figure]]\ncommand = "table"\noutput = "t.json"\n'
    )
    assert ask("batch", "f.toml", "--only", "h/a.json", "--dry-run").out.count("\n") == 1
    assert ask("batch", "f.toml", "--only", "table", "--dry-run").out.startswith("pecli table")


def test_other_names_serve_in_file_names_languages_and_sizes(ask: Ask, folder: Path) -> None:
    ended = ask(
        "heatmap", "rope", "--theta", "100", "--lang", "cn", "--width", "8cm", "-n", "3", "-o", "h-{theta}.json"
    )
    assert ended.code == 0 and (folder / "h-100.json").exists()


def test_a_picture_tells_in_a_few_words_what_it_is() -> None:
    assert repr(pecli.figure("heatmap", d=4)) == "<pecli heatmap: sinusoidal, d 4, base 10,000, length 200>"


def test_an_empty_value_is_shown_as_such(ask: Ask) -> None:
    assert "''" in ask("heatmap", "--base", "").err


def test_an_encoding_is_explained_without_markup(ask: Ask) -> None:
    ended = ask("encodings", "binary")
    assert ended.code == 0 and "`" not in ended.out and "-----" not in ended.out.split("parameter")[-1]


def test_a_seed_beside_a_file_is_refused(ask: Ask, folder: Path) -> None:
    np.save(folder / "t.npy", np.eye(5))
    assert ask("heatmap", "-e", "learned:file=t.npy,seed=3", "-n", "5").code == 2


@pytest.mark.parametrize(("name", "usual"), [("relative", "relative"), ("rotation", "rope"), ("heatmap", "sinusoidal")])
def test_the_help_names_the_encoding_that_is_usual_there(ask: Ask, name: str, usual: str) -> None:
    said = " ".join(ask(name, "--help").out.replace("│", " ").split())
    assert f"lists them) (default {usual})" in said
