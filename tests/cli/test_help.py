"""Tests of the help pages: every option with bounds and default, short plain text, and examples that run."""

from __future__ import annotations

import shlex
from collections import defaultdict
from inspect import signature
from pathlib import Path

import pytest
from typer.models import OptionInfo

from pecli.cli.app import PANEL, PANELS, command_of, summary_of
from pecli.jobs.job_options import ANALYSES, encoding_parameters
from tests.conftest import Ask

README = (Path(__file__).parents[2] / "README.md").read_text(encoding="utf-8")  # its own test runs its lines
SHOWN = [line for analysis in ANALYSES.values() for line in (analysis.example, *analysis.examples)]
LINES = [line for line in SHOWN if f"`{line}`" not in README and "--file" not in line]  # a file would be the reader's
analyses = pytest.mark.parametrize("analysis", ANALYSES.values(), ids=ANALYSES)


@pytest.fixture(autouse=True)
def narrow(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "80")


@pytest.mark.some(27)
@pytest.mark.parametrize("name", PANEL)
def test_a_page_fits_the_terminal_and_ends_with_lines_to_try(name: str, ask: Ask) -> None:
    ended = ask(name, "--help")
    lines, examples = ended.out.splitlines(), command_of(name).examples
    assert ended.code == 0 and max(map(len, lines)) <= 80
    assert summary_of(name).split()[0] in ended.out
    assert 2 <= len(examples) <= 4
    text = " ".join(ended.out.partition("Examples:")[2].split())
    assert [line for line in examples if line not in text] == []
    defined = ANALYSES[name].defines if name in ANALYSES else ""
    assert " ".join(defined.split()) in text.partition("The numbers:")[2] and ("The numbers:" in text) == bool(defined)
    assert "theta" not in ended.out.replace("rope_theta", "")  # words of others are understood, not shown


OWN = {"recipe": {"output"}}  # the file that a line writes, not one to write


@pytest.mark.long
def test_an_option_has_one_help_in_every_command() -> None:
    """But for those of one figure, report or encoding; what it takes and its default, in brackets, may differ."""
    helps: dict[str, set[str]] = defaultdict(set)
    for name in PANEL:
        own = {*ANALYSES[name].options(), *encoding_parameters()} if name in ANALYSES else OWN.get(name, set())
        for parameter in signature(command_of(name).function).parameters.values():
            (shown,) = getattr(parameter.annotation, "__metadata__", (None,))
            if parameter.name not in own and isinstance(shown, OptionInfo):
                helps[parameter.name].add((shown.help or "").partition(" (")[0].partition(";")[0])
    assert {"json", "quiet", "verbose", "jobs", "show", "output", "format", "lang"} <= {*helps}
    assert [(name, told) for name, told in helps.items() if len(told) > 1 and name != "length"] == []  # of tokens


def test_no_words_and_help_list_every_command_with_its_line(ask: Ask) -> None:
    for words in ((), ("--help",), ("help",)):
        ended = ask(*words)
        assert (ended.code, ended.err) == (0, "")
        assert [name for name in PANEL if f" {name} " not in ended.out] == []
        assert [panel for panel in PANELS if panel not in ended.out] == []


@pytest.mark.parametrize(
    ("words", "lines", "size"),
    [((), 60, 3_400), (("heatmap", "--help"), 120, 5_500), (("model", "--help"), 60, 3_000)],
)
def test_a_page_is_short_plain_text_in_words_of_the_field(
    words: tuple[str, ...], lines: int, size: int, ask: Ask
) -> None:
    page = ask(*words).out
    assert len(page.splitlines()) <= lines and len(page.encode()) <= size
    assert [line for line in page.splitlines() if line != line.rstrip()] == []
    assert [word for word in ("<bool>", "<str>", "list[", "│", "\x1b") if word in page] == []


def test_what_is_used_most_stands_first(ask: Ask) -> None:
    first = ask("heatmap", "--help").out.partition("Most used:")[2].partition("\n\n")[0]
    for flag in ("-o", "-d", "-k", "-n", "--start", "--size", "--title", "--lang", "--highlight", "-e"):
        assert f"  {flag}" in first


def test_the_parameters_are_those_of_the_chosen_encoding(ask: Ask) -> None:
    usual, clock, word = (ask("heatmap", *words, "--help").out for words in ([], ["-e", "clock"], ["clock:periods=60"]))
    assert "--base" in usual and "--periods" not in usual
    assert "--periods" in clock and " -k " not in clock and "--layout" not in clock
    assert word == clock


@pytest.mark.long
@pytest.mark.parametrize("line", LINES)
def test_a_line_to_try_runs(line: str, ask: Ask, folder: Path) -> None:
    program, name, *words = shlex.split(line)
    assert (program, name in ANALYSES) == ("pecli", True)
    drawn = {"-o", "86400", "16384"} & {*words}  # of the others, the file has all numbers
    quick = ["--dpi", "20"] if drawn else ["-o", "a.npz"]
    ended = ask(name, *words, *(quick if ANALYSES[name].drawn else []))
    assert (ended.code, ended.err) == (0, "") and ended.out
