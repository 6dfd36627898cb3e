"""What is printed where something is asked that cannot be: each says what to type instead."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar

import numpy as np
import pytest

import pecli
from pecli.cli.suggestions import unknown_option
from pecli.core.errors import UsageError
from pecli.core.options import option
from pecli.encodings.registry import ENCODINGS
from pecli.encodings.sinusoidal import Sinusoidal
from pecli.jobs.job_options import ANALYSES

Ask = Callable[..., Any]


@dataclass(frozen=True)
class Beaten(Sinusoidal):
    """A plugin's encoding: sinusoidal with a parameter of its own."""

    name: ClassVar[str] = "beaten"

    beat: int = option(1, "how many times", at_least=1)


@pytest.fixture
def plugin(monkeypatch: pytest.MonkeyPatch) -> None:
    """An installed package that brings an encoding."""
    monkeypatch.setattr("pecli.encodings.registry.plugins", lambda: {"beaten": Beaten})


@pytest.mark.usefixtures("plugin")
def test_the_options_of_a_plugins_encoding_are_as_ours(ask: Ask, folder: Path) -> None:
    ended = ask("heatmap", "beaten", "--beat", "2,3", "-n", "3", "-d", "4", "-o", "{beat}.json", "-v")
    assert ended.out.split() == ["2.json", "3.json"]
    assert "--encoding beaten:d=4,beat=2" in ended.err
    assert "--beat" in ask("heatmap", "beaten", "--help").out and "--beat" not in ask("heatmap", "--help").out
    said = ask("heatmap", "rope", "--beat", "2")
    assert said.code == 2 and "-e beaten:beat=" in said.err
    assert ask("heatmap", "beaten", "--beat", "0").code == 2
    assert pecli.figure("heatmap", encoding="beaten", beat=2, length=3).job.encodings[0] == Beaten(beat=2)


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ("distance --log", ["distance has no --log, heatmap, curves, offsets have"]),
        ("heatmap --size page,slide -o -", ["takes one picture, 2 are asked for", "--output heatmap-{size}.png"]),
        ("heatmap --json -o -", ["both write to standard output"]),
        ("heatmap -o fig/{bas}.png", ["unknown blank 'bas'; did you mean 'base'?"]),
        ("heatmap -e yarn", ["yarn is no encoding but a value of rope's scaling", "--encoding rope:scaling=yarn"]),
        ("heatmap rope --scaling yarn", ["--scaling is said inside the encoding", "-e rope:scaling="]),
        ("spectrum rope --rope-type yarn", ["-e rope:scaling="]),
        ("plot --base 10", ["pecli heatmap draws a table"]),
        ("gif", ["gif is a format: pecli heatmap --base 10,100,1000 -o heatmap.gif writes it"]),
        ("pdf", ["pdf is a format: pecli heatmap -o heatmap.pdf writes it"]),
        ("wavelengths", ["did you mean spectrum?"]),
        ("matrix", ["did you mean distance?"]),
        ("heatmpa", ["did you mean heatmap?"]),
        ("heatmap --zh", ["try pecli heatmap --lang zh"]),
        ("table --rotary", ["try pecli table rope"]),
        ("clock --at 3:15:20", ["3:15:20 is 11720 s"]),
        ("heatmap --width 1200x600px", ["is in pixels", "--size 8x4,", "--dpi 150"]),
    ],
)
def test_an_answer_gives_what_to_type(line: str, said: list[str], ask: Ask) -> None:
    ended = ask(*line.split(" "))
    assert (ended.code, ended.out, ended.err.count("\n")) == (2, "", 1)
    assert [words for words in said if words not in ended.err] == []
    assert "--json" in line or "--json" not in ended.err


@pytest.mark.parametrize(
    ("line", "way", "value"),
    [
        ("bias -d 8", "heatmap -e sinusoidal:d=…", "8"),
        ("heatmap --max-distance 20", "offsets -e t5:max_distance=…", "20"),
        ("heatmap --rotary-dim 4", "heatmap -e rope:rotary_dim=…", "4"),
        ("t5", "offsets t5", ""),
    ],
)
def test_advice_works_when_followed(line: str, way: str, value: str, ask: Ask) -> None:
    assert f"pecli {way}" in ask(*line.split(" ")).err
    assert ask(*way.replace("…", value).split(" "), "-n", "6", "-o", "a.npz").code == 0


@pytest.mark.parametrize("figure", ANALYSES)
def test_whatever_parameter_is_misplaced_the_line_to_try_is_of_a_figure_that_shows_it(figure: str) -> None:
    flags = {one.flag for kind in ENCODINGS.values() for one in kind.options().values()}
    lines = [
        found for flag in flags if (found := re.search(r"pecli (\w+) -e (\w+):", unknown_option(figure, flag, {})))
    ]
    assert [one[0] for one in lines if not ANALYSES[one[1]].takes(ENCODINGS[one[2]])] == [] != lines


def test_the_encoding_that_an_option_belongs_to_comes_beside_none_or_in_place_of_another(ask: Ask) -> None:
    assert "the encoding is sinusoidal: give --encoding clock too" in ask("heatmap", "--periods", "3").err
    said = ask("heatmap", "rope", "--periods", "3").err
    assert "the encoding is rope: leave --periods out, or give --encoding clock instead" in said
    with pytest.raises(UsageError, match="leave heads out, heatmap cannot show alibi: it has no table"):
        pecli.figure("heatmap", heads=3)


@pytest.mark.parametrize(
    ("line", "job"),
    [
        ("distance -n 3 -m cosine-similarity", {"measure": "cos"}),
        ("scatter -n 3 --x pearson --y manhattan", {"x": "corr", "y": "cityblock"}),
        ("bias alibi -n 3 --num-heads 2", {"encoding": ["alibi:heads=2"]}),
        ("offsets -n 3 -e rope:rope_type=linear,factor=4", {"encoding": ["rope:scaling=linear,factor=4"]}),
        ("heatmap -n 3 --theme ggplot", {"style": "ggplot"}),
    ],
)
def test_words_of_others_that_mean_the_same_are_understood(
    line: str, job: dict[str, Any], ask: Ask, folder: Path
) -> None:
    ended = ask(*line.split(), "-o", "a.json", "--json")
    asked = json.loads(ended.out)["results"][0]["job"]
    assert (ended.err, {name: asked[name] for name in job}) == ("", job)


def test_a_similarity_that_is_none_is_told(ask: Ask, folder: Path) -> None:
    assert ask("similarity", "-n", "3", "-o", "a.json").err == ""
    assert "--measure is cosine, not cos: " in ask("similarity", "-n", "3", "--metric", "cosine", "-o", "a.json").err


def test_python_leads_on_too() -> None:
    with pytest.raises(AttributeError, match=r"pecli.distance\(measure='cos'\)"):
        getattr(pecli, "similarity")  # noqa: B009  # mypy knows that there is none
    with pytest.raises(AttributeError, match=r"pecli.heatmap\('rope'\)"):
        getattr(pecli, "rope")  # noqa: B009
    assert pecli.encode("rope", head_dim=4, max_len=3).shape == (3, 4)
    assert pecli.encode("rope:scaling=dynamic,factor=2,max_position=9", seq_len=18, length=3).shape == (3, 128)


def test_defaults_with_a_typo_are_told_real_names(ask: Ask, folder: Path) -> None:
    (folder / "f.toml").write_text('[defaults]\nsiez = "page"\n[[figure]]\ncommand = "heatmap"\noutput = "a.png"\n')
    said = ask("batch", "f.toml").err
    assert "did you mean 'size'?" in said and "_d," not in said and "_k" not in said
    (folder / "f.toml").write_text('[defaults]\nhead-dim = 4\n[[figure]]\ncommand = "heatmap"\noutput = "a.npy"\n')
    assert "--d 4" in ask("batch", "f.toml", "--dry-run").out


def test_words_that_mean_a_figure_with_options_are_commands_of_a_batch_too(ask: Ask, folder: Path) -> None:
    own = ("similarity", 'metric = "corr"\n'), ("similarity", ""), ("clock", "at = 1\n")
    figures = "".join(
        f'[[figure]]\ncommand = "{word}"\n{more}output = "{at}.npz"\n' for at, (word, more) in enumerate(own)
    )
    (folder / "f.toml").write_text('[defaults]\nmeasure = "dot"\n' + figures)
    assert ask("batch", "f.toml", "--dry-run").out.splitlines() == [
        "pecli distance --measure corr --output 0.npz",
        "pecli distance --measure cos --output 1.npz",
        "pecli dials --encoding clock --at 1 --output 2.npz",
    ]


def test_a_report_on_standard_output_is_markdown_where_nothing_is_said(ask: Ask) -> None:
    assert "| 0 | 0.0000 | 1.0000 |" in ask("table", "-d", "2", "-n", "2", "-o", "-").out
    assert "- **name**: clock" in ask("encodings", "clock", "-o", "-").out


def test_what_stands_on_standard_input_is_called_so(ask: Ask, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("pecli.jobs.batch.read_text", lambda path: "")
    assert ask("batch", "-").err.startswith("pecli: standard input is not made of")


def test_batch_says_that_it_waits_for_a_file(ask: Ask, monkeypatch: pytest.MonkeyPatch) -> None:
    def waits(*_: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr("pecli.cli.batch.read_batch", waits)
    assert "waiting" not in ask("batch", "-").err
    monkeypatch.setattr("pecli.cli.batch.waited_for", lambda file: file == "-")
    assert "waiting for a TOML file" in ask("batch", "-").err and "waiting" not in ask("batch", "-", "-q").err


def test_commands_that_print_do_so_as_json(ask: Ask, folder: Path) -> None:
    (kind,) = json.loads(ask("encodings", "rotary", "--json").out)["results"]
    assert kind["name"] == "rope" and kind["parameters"]["base"]["takes"] == "a finite number > 0"
    assert len(json.loads(ask("encodings", "--json").out)["results"]) >= 10
    assert ask("heatmap", "-n", "3", "-d", "4", "-o", "a.npz").code == 0
    (made,) = json.loads(ask("recipe", "a.npz", "--json").out)["results"]
    assert made["command"] == "pecli heatmap --d 4 --length 3 --output a.npz" and made["job"]["length"] == 3
    assert np.load(folder / "a.npz")["table"].shape == (3, 4)


def test_no_help_ends_with_two_marks(ask: Ask) -> None:
    assert "?." not in ask("offsets", "--help").out
