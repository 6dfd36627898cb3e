"""Tests of input in other forms: other programs' words, ranges and sizes, also in Python and TOML."""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np
import pytest

import pecli
from pecli.core.errors import UsageError
from pecli.core.language import listing
from pecli.encodings.rope import Rope
from pecli.encodings.spec import read_encoding
from pecli.jobs.sweep import make_job
from tests.conftest import Ask

QUICK = ["-n", "5", "--dpi", "10", "-o", "a.json", "-v"]  # -v says the line in pecli's own words

SAME = [  # what is typed, and the same in pecli's own words
    ("heatmap --theta 10", "heatmap --base 10"),
    ("heatmap --rope_theta 10", "heatmap --base 10"),
    ("heatmap --head-dim 6", "heatmap --d 6"),
    ("heatmap -e sinusoidal:width=6", "heatmap --d 6"),
    ("heatmap -e rope:k=6", "heatmap --encoding rope --base 6"),
    ("heatmap -e rotary", "heatmap --encoding rope"),
    ("heatmap -e Rope", "heatmap --encoding rope"),
    ("distance --metric cos", "distance --measure cos"),
    ("distance --metric manhattan", "distance --measure cityblock"),
    ("heatmap --text_size 9", "heatmap --text-size 9"),
    ("heatmap --fontsize 9", "heatmap --text-size 9"),
    ("heatmap --figsize 5,3", "heatmap --size 5,3"),
    ("heatmap --colormap plasma", "heatmap --cmap plasma"),
    ("similarity", "distance --measure cos"),
    ("similarity -m dot", "distance --measure dot"),
    ("distance -m cosine-similarity", "distance --measure cos"),
    ("scatter --x pearson --y manhattan", "scatter --y cityblock"),
    ("bias alibi --num-heads 2", "bias --heads 2"),
    ("offsets -e rope:rope_type=linear,factor=4", "offsets --encoding rope:scaling=linear,factor=4"),
    ("heatmap --theme ggplot", "heatmap --style ggplot"),
    ("heatmap --lang cn --figsize 8cm", "heatmap --size 8cm --lang zh"),
    ("clock --at 1", "dials --encoding clock --at 1"),
    ("clock rope --at 1", "dials --encoding rope --at 1"),
    ("HEATMAP", "heatmap"),
    ("heatmap rope", "heatmap --encoding rope"),
    ("heatmap -d 6 rope:base=10", "heatmap --encoding rope --d 6 --base 10"),
    ("spectrum rope clock", "spectrum --encoding rope --encoding clock"),
    ("waves --dims 0..3", "waves --dims 0,1,2,3"),
    ("curves -n 201 --at 0..200:5", "curves --at 0,50,100,150,200 --length 201"),
]


@pytest.mark.some(10)
@pytest.mark.parametrize(("typed", "own"), SAME, ids=[typed for typed, _ in SAME])
def test_what_means_the_same_is_understood(typed: str, own: str, ask: Ask) -> None:
    quick = [word for word in QUICK if not re.search("-n|--at", typed) or word not in ("-n", "5")]
    ended = ask(*typed.split(), *quick)
    (text,) = [line for line in ended.err.splitlines() if line.startswith("pecli: pecli ")]
    text = text.removeprefix("pecli: pecli ").replace(" --length 5", "")
    assert ended.code == 0
    assert sorted(text.split()) == sorted(f"{own} --dpi 10 --output a.json".split())


@pytest.mark.long
def test_a_range_is_as_many_pictures_evenly_spaced_on_the_options_own_scale(ask: Ask, folder: Path) -> None:
    ended = ask("heatmap", "--base", "2..10000:40", "-d", "2", "-n", "2", "-o", "{base}.json")
    bases = [float(line.removesuffix(".json")) for line in ended.out.split()]
    assert bases == pytest.approx(np.geomspace(2, 10000, 40), rel=1e-5)
    (folder / "f.toml").write_text(
        '[[figure]]\ncommand = "waves"\ndims = "0..2"\nlength = "3..5"\noutput = "{length}.npz"\n'
    )
    assert ask("batch", "f.toml", "--dry-run").out.count("--dims 0,1,2 --length") == 3


@pytest.mark.long
@pytest.mark.parametrize(
    ("option", "values", "rest"),
    [
        ("--style", "dark_background,default", []),
        ("--size", "column,8cm", []),
        ("--cmap", "viridis,Greys", []),
        ("--measure", "dot,cos", []),
        ("--format", "png,svg", []),
    ],
)
def test_words_sweep_like_numbers(option: str, values: str, rest: list[str], ask: Ask) -> None:
    ended = ask("distance", option, values, "-n", "3", "--dpi", "20", *rest)
    assert ended.code == 0 and len(set(ended.out.split())) == 2


def test_help_is_a_word_too(ask: Ask) -> None:
    assert ask("help").out == ask("--help").out
    assert ask("help", "heatmap").out == ask("heatmap", "--help").out
    assert ask("-V").out == ask("--version").out


def test_other_words_serve_in_python_and_toml(ask: Ask, folder: Path) -> None:
    assert pecli.encode("rotary", head_dim=6, theta=10, length=3).shape == (3, 6)
    assert read_encoding("rotary:theta=10", {"head_dim": 6}) == Rope(d=6, base=10)
    assert make_job("heatmap", {"rope_theta": 10}) == make_job("heatmap", {"base": 10})
    assert make_job("heatmap", {"max_len": 10}) == make_job("heatmap", {"length": 10})
    with pytest.raises(UsageError, match="twice"):
        make_job("heatmap", {"rope_theta": 10, "base": 10})
    with pytest.raises(UsageError, match="similarity is distance with measure=cos"):
        pecli.figure("similarity")
    (folder / "f.toml").write_text('[[figure]]\ncommand = "heatmap"\nhead_dim = 4\ntheta = 5\noutput = "a.npy"\n')
    assert "--d 4 --base 5" in ask("batch", "f.toml", "--dry-run").out


def test_python_leads_on_too() -> None:
    with pytest.raises(AttributeError, match=r"pecli.distance\(measure='cos'\)"):
        getattr(pecli, "similarity")  # noqa: B009  # mypy knows that there is none
    with pytest.raises(AttributeError, match=r"pecli.heatmap\('rope'\)"):
        getattr(pecli, "rope")  # noqa: B009
    assert pecli.encode("rope", head_dim=4, max_len=3).shape == (3, 4)
    assert pecli.encode("rope:scaling=dynamic,factor=2,max_position=9", seq_len=18, length=3).shape == (3, 128)


def test_defaults_with_a_typo_are_told_real_names(ask: Ask, folder: Path) -> None:
    (folder / "f.toml").write_text('[defaults]\nsiez = "page"\n[[figure]]\ncommand = "heatmap"\noutput = "a.png"\n')
    text = ask("batch", "f.toml").err
    assert "did you mean 'size'?" in text and "_d," not in text and "_k" not in text
    (folder / "f.toml").write_text('[defaults]\nhead-dim = 4\n[[figure]]\ncommand = "heatmap"\noutput = "a.npy"\n')
    assert "--d 4" in ask("batch", "f.toml", "--dry-run").out


def test_a_report_on_standard_output_is_markdown_where_nothing_is_said(ask: Ask) -> None:
    assert "| 0 | 0.0000 | 1.0000 |" in ask("table", "-d", "2", "-n", "2", "-o", "-").out
    assert "- **name**: clock" in ask("encodings", "clock", "-o", "-").out


def test_what_stands_on_standard_input_is_called_so(ask: Ask) -> None:
    assert ask("batch", "-").err.startswith("pecli: standard input needs at least one")


@pytest.mark.parametrize(
    ("name", "own"), [("d-model", "d"), ("d_model", "d"), ("max_len", "length"), ("max-len", "length"), ("n", "length")]
)
def test_every_long_flag_is_a_key(name: str, own: str) -> None:
    assert make_job("heatmap", {name: 8}) == make_job("heatmap", {own: 8})
    with pytest.raises(pecli.PecliError, match="twice"):
        make_job("heatmap", {name: 8, own: 8})


def test_a_query_may_be_a_plain_vector(folder: Path) -> None:
    np.save(folder / "q.npy", np.arange(8.0))
    assert np.array_equal(Rope(d=8, query="q.npy").vector, np.arange(8.0))


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
    assert make_job("heatmap", {"figsize": (np.float64(8), np.int64(4))}).canvas.inches[:2] == (8, 4)


def test_a_picture_tells_in_a_few_words_what_it_is() -> None:
    name = listing(["sinusoidal", "d = 4", "base = 10,000"])
    assert repr(pecli.figure("heatmap", d=4)) == f"<pecli heatmap: {name}, length 200>"
