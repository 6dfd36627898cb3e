"""What a hand types: words of other programs, encodings as words, ranges, sizes; and what answers the rest."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import pecli
from pecli.core.errors import UsageError
from pecli.core.options import Option, inches_of
from pecli.encodings.base import Encoding
from pecli.encodings.registry import all_encodings
from pecli.encodings.rope import Rope
from pecli.jobs.job import Job
from pecli.models.spec import read_encoding

Ask = Callable[..., Any]
QUICK = ["-n", "5", "--dpi", "10", "-o", "a.json", "-v"]  # -v says the line in pecli's own words

SAME = [  # what is typed, and the same in pecli's own words
    ("heatmap --theta 10", "heatmap --base 10"),
    ("heatmap --rope_theta 10", "heatmap --base 10"),
    ("heatmap --head-dim 6", "heatmap --d 6"),
    ("heatmap --dim 6", "heatmap --d 6"),
    ("heatmap -e rope:d_model=6", "heatmap --encoding rope --d 6"),
    ("heatmap -e rope:rope_theta=6", "heatmap --encoding rope --base 6"),
    ("heatmap -e rope:k=6", "heatmap --encoding rope --base 6"),
    ("heatmap -e rotary", "heatmap --encoding rope"),
    ("heatmap -e Rope", "heatmap --encoding rope"),
    ("distance --metric cos", "distance --measure cos"),
    ("distance --metric manhattan", "distance --measure cityblock"),
    ("heatmap --fontsize 9", "heatmap --text-size 9"),
    ("heatmap --figsize 5,3", "heatmap --size 5,3"),
    ("heatmap --colormap plasma", "heatmap --cmap plasma"),
    ("similarity", "distance --measure cos"),
    ("similarity -m dot", "distance --measure dot"),
    ("clock --at 1", "dials --encoding clock --at 1"),
    ("clock rope --at 1", "dials --encoding rope --at 1"),
    ("HEATMAP", "heatmap"),
    ("heatmap rope", "heatmap --encoding rope"),
    ("heatmap -d 6 rope:base=10", "heatmap --encoding rope --d 6 --base 10"),
    ("spectrum rope clock", "spectrum --encoding rope --encoding clock"),
    ("waves --dims 0..3", "waves --dims 0,1,2,3"),
    ("curves -n 201 --at 0..200:5", "curves --at 0,50,100,150,200 --length 201"),
]


@pytest.mark.parametrize(("typed", "own"), SAME, ids=[typed for typed, _ in SAME])
def test_what_means_the_same_is_understood(typed: str, own: str, ask: Ask) -> None:
    quick = [word for word in QUICK if not re.search("-n|--at", typed) or word not in ("-n", "5")]
    ended = ask(*typed.split(), *quick)
    (said,) = [line for line in ended.err.splitlines() if line.startswith("pecli: pecli ")]
    said = said.removeprefix("pecli: pecli ").replace(" --length 5", "")
    assert ended.code == 0
    assert sorted(said.split()) == sorted(f"{own} --dpi 10 --output a.json".split())


ANSWERS = [  # what is typed, and what the one line says
    ("rope", ["rope is an encoding", "pecli heatmap rope", "pecli encodings rope"]),
    ("heatmpa", ["did you mean heatmap"]),
    ("--base 10", ["stands behind a command", "pecli heatmap --base"]),
    ("heatmap --lenght 5", ["did you mean --length?"]),
    ("heatmap --output=", ["'' is no name of a file", "figure.png"]),
    ("heatmap -o x.jpg", ["unknown output format 'jpg' (known: png", ": try x.png"]),
    ("heatmap -o fig/x.eps", [": try fig/x.pdf"]),
    ("heatmap -o x.pgf", ["unknown output format 'pgf' (known: png"]),
    ("heatmap --measure dot", ["heatmap has no --measure", "distance"]),
    ("heatmap --metric dot", ["heatmap has no --measure", "distance"]),
    ("heatmap --color viridis", ["did you mean --cmap?"]),
    ("heatmap --out x.png", ["did you mean --output?"]),
    ("heatmap --base 10 20", ["20 is no encoding", "10,20"]),
    ("heatmap sinusoidal base=10", ["base=10 is no encoding", "--base 10"]),
    ("heatmap --xyz", ["no option --xyz:", "pecli heatmap --help"]),
    ("heatmap --periods 3", ["--periods 3 belongs to clock", "give --encoding clock too"]),
    ("heatmap -n 5000:5100", ["--start 5000 --length 100"]),
    ("heatmap -e half", ["a value of rope's pairing", "--encoding rope:pairing=half"]),
    ("heatmap rope clock", ["heatmap shows one encoding", "compare", "--encoding rope --encoding clock"]),
    ("heatmap a.png", ["a.png is no encoding", "--output a.png"]),
    ("heatmap --base", ["--base", "requires an argument", "pecli heatmap --help"]),
    ("heatmap --base 2..10", ["--base 2..10", "2..10000:40"]),
    ("heatmap -d 4 --dim 5,x", ["--d x"]),
    ("heatmap -e rope:d=4,dim=5", ["gives d twice"]),
    ("recipe", ["FILE", "pecli recipe --help"]),
    ("heatmap --size 8em", ["8em", "8cmx5cm"]),
]


@pytest.mark.parametrize(("typed", "said"), ANSWERS, ids=[typed for typed, _ in ANSWERS])
def test_what_is_not_understood_is_one_line_that_leads_on(typed: str, said: list[str], ask: Ask, folder: Path) -> None:
    ended = ask(*typed.split())
    assert (ended.code, ended.out, ended.err.count("\n")) == (2, "", 1)
    assert [word for word in said if word not in ended.err] == []
    assert ended.err.count(" or --") < 3 and list(folder.iterdir()) == []


def test_a_thousands_comma_is_told_what_it_did(ask: Ask, folder: Path) -> None:
    ended = ask("heatmap", "-n", "86,400", "--dpi", "10")
    assert ended.out.count("\n") == 2
    assert "86 and 400" in ended.err and "write 86400" in ended.err and "\x02" not in ended.err
    assert "several values" not in ask("heatmap", "-n", "3", "-d", "64,128", "--dpi", "10").err  # as people mean it


def test_a_range_is_as_many_pictures_evenly_spaced_on_the_options_own_scale(ask: Ask, folder: Path) -> None:
    ended = ask("heatmap", "--base", "2..10000:40", "-d", "2", "-n", "2", "-o", "{base}.json")
    bases = [float(line.removesuffix(".json")) for line in ended.out.split()]
    assert bases == pytest.approx(np.geomspace(2, 10000, 40), rel=1e-5)
    (folder / "f.toml").write_text(
        '[[figure]]\ncommand = "waves"\ndims = "0..2"\nlength = "3..5"\noutput = "{length}.npz"\n'
    )
    assert ask("batch", "f.toml", "--dry-run").out.count("--dims 0,1,2 --length") == 3


@pytest.mark.parametrize(
    ("one", "text", "values"),
    [
        (Option("", scalar=int), "3..0", ["3", "2", "1", "0"]),
        (Option("", scalar=int, many=True), "0..2,9", ["0", "1", "2", "9"]),
        (Option("", scalar=int), "0..10:3", ["0", "5", "10"]),
        (Option("", scalar=float), "0..1:3", ["0", "0.5", "1"]),
        (Option("", scalar=float, log=True), "1..100:3", ["1", "10", "100"]),
        (Option("", scalar=float), "-1e1..1e1:2", ["-1e1", "1e1"]),
        (Option("", scalar=str, choices=lambda: ("a", "b")), "a,b", ["a", "b"]),
        (Option("", scalar=str), "0..3,b", ["0..3,b"]),
    ],
)
def test_a_text_of_several_values(one: Option, text: str, values: list[str]) -> None:
    assert one.separated([text]) == values


@pytest.mark.parametrize("text", ["0..1e12", "1..2:1", "1..5:1000000", "0..5:3"])
def test_a_range_that_is_none_is_refused(text: str) -> None:
    with pytest.raises(UsageError, match="a range is"):
        Option("", name="base", scalar=int, log=True).separated([text])


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


@pytest.mark.parametrize(
    ("text", "inches"),
    [
        ("5x3", (5, 3)),
        ("5,3", (5, 3)),
        ("8cm", (8 / 2.54, None)),
        ("8cmx5cm", (8 / 2.54, 5 / 2.54)),
        ("8x5cm", (8 / 2.54, 5 / 2.54)),
        ("120mm", (120 / 25.4, None)),
        ("4.5", (4.5, None)),
        ("4in×50mm", (4, 50 / 25.4)),
    ],
)
def test_a_size_in_the_units_of_a_thesis(text: str, inches: tuple[float, float | None]) -> None:
    assert inches_of(text) == pytest.approx(inches)
    size = Job.make("heatmap", {"size": text}).canvas.inches
    assert (size.width, size.height) == pytest.approx(inches)


def test_help_is_a_word_too(ask: Ask) -> None:
    assert ask("help").out == ask("--help").out
    assert ask("help", "heatmap").out == ask("heatmap", "--help").out
    assert ask("-V").out == ask("--version").out
    assert ask("heatmap", "help").out == ask("heatmap", "--help").out and ask("help", "help").out == ask("--help").out


def test_other_words_serve_in_python_and_toml(ask: Ask, folder: Path) -> None:
    assert pecli.encode("rotary", head_dim=6, theta=10, length=3).shape == (3, 6)
    assert read_encoding("rotary:theta=10", {"head_dim": 6}) == Rope(d=6, base=10)
    assert Job.make("heatmap", {"rope_theta": 10}) == Job.make("heatmap", {"base": 10})
    assert Job.make("heatmap", {"max_len": 10}) == Job.make("heatmap", {"length": 10})
    with pytest.raises(UsageError, match="twice"):
        Job.make("heatmap", {"rope_theta": 10, "base": 10})
    with pytest.raises(UsageError, match="similarity is distance with measure=cos"):
        pecli.figure("similarity")
    (folder / "f.toml").write_text('[[figure]]\ncommand = "heatmap"\nhead_dim = 4\ntheta = 5\noutput = "a.npy"\n')
    assert "--d 4 --base 5" in ask("batch", "f.toml", "--dry-run").out


def test_no_other_word_is_a_name_of_ours() -> None:
    kinds: list[type[Encoding]] = list(all_encodings().values())
    names = {name for kind in kinds for name in (kind.name, *kind.options())}
    assert not names & {word for kind in kinds for one in kind.options().values() for word in one.aliases}
    assert not names & {word for kind in kinds for word in kind.aliases}


def test_three_figures_that_have_an_option_are_all_named_and_of_more_the_first_three(ask: Ask) -> None:
    three, more = ask("heatmap", "--content-seed", "3").err, ask("heatmap", "--measure", "dot").err
    assert "heatmap has no --content-seed, rotation, attention, terms have:" in three
    assert "heatmap has no --measure, distance, curves, offsets, … have:" in more
