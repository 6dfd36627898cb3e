"""Reports as text to paste: Markdown and LaTeX, and what may go to a terminal."""

from __future__ import annotations

import io
import json
import re
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from pecli.core.errors import UsageError
from pecli.core.terminal import Block, Facts, Paragraph, Table
from pecli.encodings.registry import ENCODINGS
from pecli.figures.style import CJK
from pecli.files.documents import md, tex
from pecli.files.formats import FORMATS
from pecli.files.metadata import About
from pecli.jobs.picture import Picture
from pecli.jobs.sweep import jobs_of, make_job

NOTHING = About("", "")
DOCUMENT: list[Block] = [
    Paragraph("A title", heading=True),
    Paragraph(),
    Facts({"name": "a_b"}),
    Table(["", "x\ny"], [["p", "-0.5"], ["⋮", "⋮"]], numbers=True),
    Paragraph("100% & $5, p−1 --rows x|y"),
]


def test_markdown_has_headings_lists_and_tables() -> None:
    assert md(DOCUMENT, NOTHING).decode().split("\n\n") == [
        "## A title",
        r"- **name**: a\_b",
        "|  | x<br>y |\n| :-- | --: |\n| p | -0.5 |\n| ⋮ | ⋮ |",
        "100% & \\$5, p−1 --rows x\\|y\n",
    ]


def test_latex_has_tables_of_booktabs_and_no_sign_of_its_own_left() -> None:
    first, *blocks = tex(DOCUMENT, NOTHING).decode().replace("booktabs}\n", "booktabs}\n\n").split("\n\n")
    assert r"\usepackage{booktabs}" in first
    assert blocks[:2] == [
        r"\subsubsection*{A title}",
        "\\noindent\\begin{tabular}{@{}ll@{}}\n\\toprule\nname & a\\_b \\\\\n\\bottomrule\n\\end{tabular}",
    ]
    assert blocks[2].splitlines()[2:5] == [r" & \shortstack{x\\y} \\", "\\midrule", r"p & $-0.5$ \\"]
    assert blocks[3] == "100\\% \\& \\$5, p$-$1 -{}-rows x\\textbar{}y\n"


@pytest.mark.parametrize("name", ENCODINGS)
@pytest.mark.parametrize("report", ["table", "stats", "explain"])
def test_latex_of_every_report_is_ascii_but_for_chinese(report: str, name: str) -> None:
    try:
        job = make_job(report, {"encoding": name, "length": 9})
    except UsageError:
        pytest.skip("it has no table")
    data = Picture(job).render("tex")[0].decode()
    assert set(CJK.sub("", data)) <= set(map(chr, range(128)))
    assert ("ctex" in data.splitlines()[0]) is (report == "explain")
    assert data.count("\\begin{tabular}") == data.count("\\end{tabular}") == data.count("\\toprule") > 0


@pytest.mark.parametrize(
    "words", [("stats", "sinusoidal", "clock", "-n", "16"), ("explain", "-d", "4"), ("encodings", "rope")]
)
@pytest.mark.parametrize("format", ["md", "tex", "csv", "json"])
def test_every_report_is_written_the_same_to_a_file_and_to_stdout(
    ask: Callable[..., Any], words: tuple[str, ...], format: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    for columns in (40, 200):  # of the terminal, which does not matter
        monkeypatch.setenv("COLUMNS", str(columns))
        written = ask(*words, "-o", f"a{columns}.{format}")
        assert (written.code, written.out, written.err) == (0, f"a{columns}.{format}\n", "")
    assert Path(f"a40.{format}").read_bytes() == Path(f"a200.{format}").read_bytes()
    printed = ask(*words, "-o", "-", "--format", format)
    assert printed.data == Path(f"a40.{format}").read_bytes()
    if format == "json":
        assert json.loads(printed.out)


def test_a_table_in_text_has_the_rows_of_the_terminal(ask: Callable[..., Any]) -> None:
    ask("table", "-d", "6", "-n", "30", "--rows", "4", "-o", "a.md")
    rows = [line.split(" | ")[0] for line in Path("a.md").read_text(encoding="utf-8").splitlines() if "|" in line]
    assert rows == ["| position p", "| :--", "| 0", "| 1", "| ⋮", "| 28", "| 29"]


@pytest.mark.parametrize("format", ["png", "svg", "gif", "html", "npz", "csv", "md"])
def test_text_may_go_to_a_terminal_and_nothing_else(format: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "stdout", type("Terminal", (io.StringIO,), {"isatty": lambda self: True})())
    analysis = "stats" if FORMATS[format].document else "heatmap"
    base = [10, 100] if FORMATS[format].frames else 10
    (job,) = jobs_of(analysis, {"output": "-", "format": format, "length": 3, "base": base})
    if format in ("png", "gif", "npz"):
        with pytest.raises(UsageError, match="bytes onto the terminal"):
            job.check()
    else:
        job.check()


def test_a_command_that_prints_refuses_what_it_has_no_form_for(ask: Callable[..., Any]) -> None:
    assert ask("encodings", "-o", "a.png").code == 2
    assert re.search("takes md, tex, csv, json", ask("encodings", "--format", "png").err)
    assert ask("encodings", "--json", "-o", "a.md").code == 2
    assert len(json.loads(ask("encodings", "--json").out)["results"]) == len(ENCODINGS)
