"""The pages of help: every option with its bounds and default, lines that run."""

from __future__ import annotations

import shlex
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from pecli.analysis import Analysis
from pecli.cli.app import PANEL, PANELS, command_of, summary_of
from pecli.jobs.job_options import ANALYSES

Ask = Callable[..., Any]
README = (Path(__file__).parents[2] / "README.md").read_text(encoding="utf-8")  # its own test runs its lines
SHOWN = [line for one in ANALYSES.values() for line in (one.example, *one.examples)]
LINES = [line for line in SHOWN if f"`{line}`" not in README and "--file" not in line]  # a file would be the reader's
analyses = pytest.mark.parametrize("analysis", ANALYSES.values(), ids=ANALYSES)


@pytest.fixture(autouse=True)
def narrow(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "80")


@pytest.mark.parametrize("name", PANEL)
def test_a_page_fits_the_terminal_and_ends_with_lines_to_try(name: str, ask: Ask) -> None:
    ended = ask(name, "--help")
    lines, examples = ended.out.splitlines(), command_of(name).examples
    assert ended.code == 0 and max(map(len, lines)) <= 80
    assert summary_of(name).split()[0] in ended.out
    assert 2 <= len(examples) <= 3
    said = " ".join(ended.out.partition("Examples:")[2].split())
    assert [line for line in examples if line not in said] == []


def test_no_words_and_help_list_every_command_with_its_line(ask: Ask) -> None:
    for words in ((), ("--help",), ("help",)):
        ended = ask(*words)
        assert (ended.code, ended.err) == (0, "")
        assert [name for name in PANEL if f" {name} " not in ended.out] == []
        assert [panel for panel in PANELS if panel not in ended.out] == []


def test_the_parameters_are_those_of_the_chosen_encoding(ask: Ask) -> None:
    usual, clock, word = (ask("heatmap", *words, "--help").out for words in ([], ["-e", "clock"], ["clock:periods=60"]))
    assert "--base" in usual and "--periods" not in usual
    assert "--periods" in clock and " -k " not in clock and "--layout" not in clock
    assert word == clock


@pytest.mark.parametrize("word", ["--theta", "--rope_theta", "--rope-theta"])
def test_an_option_is_understood_under_the_words_that_people_know_and_shown_under_one(word: str, ask: Ask) -> None:
    assert ask("heatmap", word, "7", "-n", "4", "-d", "4", "-o", "a.csv").code == 0
    assert ask("heatmap", "--base", "7", "-n", "4", "-d", "4", "-o", "b.csv").code == 0
    assert Path("a.csv").read_bytes() == Path("b.csv").read_bytes()
    assert "theta" not in ask("heatmap", "--help").out.replace("rope_theta", "")


def test_choices_and_defaults_are_said(ask: Ask) -> None:
    shown, many = (" ".join(ask(name, "--help").out.replace("│", " ").split()) for name in ("heatmap", "distance"))
    assert "(paper, tensor2tensor; default paper)" in shown and "default 128" in shown
    assert "(euclidean, sqeuclidean," in many and "dot, cos, corr; default euclidean)" in many


@analyses
def test_a_page_says_what_the_numbers_are(analysis: type[Analysis[Any]], ask: Ask) -> None:
    said = " ".join(ask(analysis.name, "--help").out.partition("The numbers:")[2].split())
    assert said.startswith(" ".join(analysis.defines.split())) and analysis.defines


@pytest.mark.parametrize("name", [name for name, one in ANALYSES.items() if not one.drawn])
def test_a_report_offers_no_format_that_it_refuses(name: str, ask: Ask) -> None:
    shown = ask(name, "--help").out
    assert "npy" in shown and "png" not in shown and "pdf" not in shown


@pytest.mark.parametrize("line", LINES)
def test_a_line_to_try_runs(line: str, ask: Ask, folder: Path) -> None:
    program, name, *words = shlex.split(line)
    assert (program, name in ANALYSES) == ("pecli", True)
    quick = ["--dpi", "20", "--size", "column"] if ANALYSES[name].drawn else []  # the size in which least fits
    ended = ask(name, *words, *quick)
    assert (ended.code, ended.err) == (0, "") and ended.out
