"""The pages of help: what is asked most first, one line for what belongs to other encodings, lines that run."""

from __future__ import annotations

import shlex
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from pecli.analysis import Analysis
from pecli.cli.commands import PANEL, command_of
from pecli.cli.options import options_of
from pecli.cli.typer_internals import _built
from pecli.jobs.job_options import ANALYSES

Ask = Callable[..., Any]
LONGEST = 102  # lines of a page at 80 columns
USUAL = 86  # of heatmap
README = (Path(__file__).parents[2] / "README.md").read_text(encoding="utf-8")  # its own test runs its lines
SHOWN = [line for one in ANALYSES.values() for line in (one.example, *one.examples)]
LINES = [line for line in SHOWN if f"`{line}`" not in README and "--file" not in line]  # a file would be the reader's
analyses = pytest.mark.parametrize("analysis", ANALYSES.values(), ids=ANALYSES)


@pytest.fixture(autouse=True)
def narrow(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "80")


@pytest.mark.parametrize("name", PANEL)
def test_a_page_is_short_and_fits_the_terminal(name: str, ask: Ask) -> None:
    shown = ask(name, "--help").out
    assert len(shown.splitlines()) <= (USUAL if name == "heatmap" else LONGEST)
    assert max(map(len, shown.splitlines())) <= 80
    assert "<bool>" not in shown and "--help" in shown and "read off" not in shown


def test_a_page_is_shown_in_the_narrowest_terminal(ask: Ask, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "1")
    ended = ask("heatmap", "--help")
    assert ended.code == 0 and "Usage:" in ended.out and not ended.err


@analyses
def test_what_is_asked_most_comes_first_and_what_is_rare_last(analysis: type[Analysis[Any]], ask: Ask) -> None:
    shown = ask(analysis.name, "--help").out
    order = ["\n  -e, ", "\n  -n, ", "\n  -o, ", f"\nOf {analysis.name}:", "\n      --start", "\n      --json"]
    places = [shown.index(text) for text in order if text in shown]
    assert places == sorted(places) and len(places) >= 5


def test_the_parameters_are_those_of_the_chosen_encoding(ask: Ask) -> None:
    usual, clock, word = (ask("heatmap", *words, "--help").out for words in ([], ["-e", "clock"], ["clock:periods=60"]))
    assert "--base" in usual and "--periods" not in usual and "pecli heatmap clock --help" in usual
    assert "--periods" in clock and "--base X" not in clock and "--layout" not in clock
    assert word == clock


def test_choices_are_listed_between_bars_where_they_are_few(ask: Ask) -> None:
    assert "--layout interleaved|concatenated" in ask("heatmap", "--help").out
    many = " ".join(ask("distance", "--help").out.split())  # a line breaks between words, not inside one
    assert "(euclidean, sqeuclidean," in many and "dot, cos, corr; default euclidean)" in many
    assert "--format png|svg|pdf" not in ask("stats", "--help").out
    assert "json|md|tex" in ask("stats", "--help").out and "md" not in ask("heatmap", "--help").out.split("--format")[1]


@pytest.mark.parametrize("name", [name for name, one in ANALYSES.items() if not one.drawn])
def test_a_report_offers_no_format_that_it_refuses(name: str, ask: Ask) -> None:
    shown = ask(name, "--help").out
    assert "npy" in shown and "png" not in shown and "pdf" not in shown


@pytest.mark.parametrize("name", ["attention", "terms"])
def test_a_figure_of_tokens_offers_no_length_that_it_refuses(name: str, ask: Ask) -> None:
    said = ask(name, "--help").out
    assert "as many as there are tokens" in said and "default 200" not in said


def test_help_says_which_measure_is_a_similarity(ask: Ask) -> None:
    assert "dot, cos, corr are similarities" in " ".join(ask("distance", "--help").out.split())


def test_no_arguments_are_a_page_of_a_terminal(ask: Ask) -> None:
    ended = ask()
    assert (ended.code, ended.err) == (0, "")
    assert len(ended.out.splitlines()) < 25
    assert [name for name in PANEL if name not in ended.out] == []


@pytest.mark.parametrize("name", PANEL)
def test_a_page_has_two_or_three_lines_to_try(name: str, ask: Ask) -> None:
    examples = command_of(name).examples
    assert 2 <= len(examples) <= 3
    assert [line for line in examples if f"  {line}\n" not in ask(name, "--help").out] == []


@pytest.mark.parametrize("line", LINES)
def test_a_line_to_try_runs(line: str, ask: Ask, folder: Path) -> None:
    program, name, *words = shlex.split(line)
    assert (program, name in ANALYSES) == ("pecli", True)
    quick = ["--dpi", "20", "--size", "column"] if ANALYSES[name].drawn else []  # the size in which least fits
    ended = ask(name, *words, *quick)
    assert (ended.code, ended.err) == (0, "") and ended.out


def test_an_argument_has_its_help_where_typer_loses_it() -> None:
    (file, *_) = (command := _built("batch", [])).params
    file.help = None
    assert options_of(command)[0] == ("FILE", "The TOML file; - for standard input.")


@analyses
def test_the_last_two_lines_say_what_the_numbers_are(analysis: type[Analysis[Any]], ask: Ask) -> None:
    shown = ask(analysis.name, "--help").out
    last = shown.partition("\nThe numbers:\n")[2]
    assert " ".join(last.split()).startswith(" ".join(analysis.defines.split())) and analysis.defines
    assert len(last.splitlines()) <= 2 or analysis.row_meanings


def test_the_help_of_stats_defines_its_rows(ask: Ask) -> None:
    shown = " ".join(ask("stats", "--help").out.split())
    for meaning in (
        "participation ratio",
        "equal share the mean of their ranks",
        "one position in some",
        "over its range",
    ):
        assert meaning in shown
    said = " ".join(ask("stats", "binary", "-n", "8").out.split())
    assert "participation ratio" in said
