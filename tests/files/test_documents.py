"""Tests of reports as Markdown and LaTeX, and of output that a terminal may receive."""

from __future__ import annotations

import csv
import html
import io
import json
import re
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from markdown_it import MarkdownIt

import pecli
from pecli.core.errors import UsageError
from pecli.core.mathematics import latex
from pecli.core.terminal import Block, Facts, Paragraph, TextTable
from pecli.encodings.registry import ENCODINGS
from pecli.files.documents import md, tex
from pecli.files.formats import FORMATS
from pecli.files.metadata import FileMetadata
from pecli.jobs.picture import Picture
from pecli.jobs.sweep import jobs_of, make_job
from pecli.page.style import CJK

NOTHING = FileMetadata("", "")
DOCUMENT: list[Block] = [
    Paragraph("A title", heading=True),
    Paragraph(),
    Facts({"name": "a_b"}),
    TextTable(["", "x\ny"], [["p", "-0.5"], ["⋮", "⋮"]], numbers=True),
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


@pytest.mark.some(2)
@pytest.mark.parametrize("name", ENCODINGS)
@pytest.mark.parametrize(("report", "options"), [("table", {}), ("stats", {}), ("explain", {"tokens": "我 喜欢 你"})])
def test_latex_of_every_report_is_ascii_but_for_chinese(report: str, options: dict[str, str], name: str) -> None:
    try:
        job = make_job(report, {"encoding": name, "length": 9, **options})
    except UsageError:
        pytest.skip("it has no table")
    data = Picture(job).render("tex")[0].decode()
    assert set(re.sub(CJK, "", data)) <= set(map(chr, range(128)))
    assert ("ctex" in data.splitlines()[0]) is (report == "explain")
    assert data.count("\\begin{tabular}") == data.count("\\end{tabular}") == data.count("\\toprule") > 0


@pytest.mark.some(5)
@pytest.mark.parametrize(
    ("words", "formulas"),
    [
        (("encodings", "sinusoidal"), [r"\sin (p / \mathrm{base}^{2j/d})"]),
        (("encodings", "rope"), [r"$f(x, p) = R_{p} x,", r"$\omega_{j} / \mathrm{factor}$"]),
        (("encodings", "rope"), [r"by $\omega_{j} p$, ", r"query: $\langle R_{p} x, R_{q} y\rangle$ depends"]),
        (("encodings", "xpos"), [r"multiplied by $\zeta_{j}^{p/\mathrm{scale\_base}}$ and"]),
        (("encodings", "alibi"), [r"s_{h} = 2^{-8h/\mathrm{heads}}"]),
        (("explain", "-d", "4"), ["$10000^{-2/4}$", r"$\cos \omega_{1}p$", r"\cos (2 \cdot 10000^{-2/4}) = "]),
        (
            ("explain", "rope"),
            ["Rotated: $f(x, p) = R_{p} x$,", r"$\langle R_{p} x, R_{q} y\rangle$", "$x'(2, 3) = x_{3}"],
        ),
        (("explain", "rope", "--lang", "zh"), ["旋转：$f(x, p) = R_{p} x$", r"角度是 $\omega_{j}\cdot p$。"]),
        (("explain", "relative"), ["offset $i - j$"]),
        (("explain", "binary"), [r"$\lfloor p/2\rfloor \bmod 2$"]),
    ],
)
def test_formulas_are_mathematics_in_latex(
    ask: Callable[..., Any], words: tuple[str, ...], formulas: list[str]
) -> None:
    where = () if words[0] == "encodings" else ("-n", "4")
    text = ask(*words, *where, "--format", "tex", "-o", "-").out
    assert [formula for formula in formulas if formula not in text] == []
    assert not any(sign in text for sign in (r"\textasciicircum", "ω", "½", r"$\omega$\_"))
    assert all(line.count("$") % 2 == 0 for line in text.replace(r"\$", "").splitlines())


@pytest.mark.some(3)
@pytest.mark.parametrize("name", ENCODINGS)
def test_an_encoding_in_latex_is_ascii_and_json_has_its_formula_in_both_ways(
    ask: Callable[..., Any], name: str
) -> None:
    assert ask("encodings", name, "--format", "tex", "-o", "-").out.isascii()
    (data,) = json.loads(ask("encodings", name, "--json").out)["results"]
    assert latex(data["formula"]) == data["latex"]


@pytest.mark.long
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
    assert rows[1:] == ["| :--", "| 0", "| 1", "| ⋮", "| 28", "| 29"]


@pytest.mark.parametrize("format", ["png", "svg", "gif", "html", "npz", "csv", "md"])
def test_text_may_go_to_a_terminal_and_nothing_else(format: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "stdout", type("Terminal", (io.StringIO,), {"isatty": lambda self: True})())
    analysis = "stats" if FORMATS[format].document else "heatmap"
    base = [10, 100] if FORMATS[format].frames else 10
    (job,) = jobs_of(analysis, {"output": "-", "format": format, "length": 3, "base": base})
    if format in ("png", "gif", "npz"):
        with pytest.raises(UsageError, match="the terminal"):
            job.check()
    else:
        job.check()


def test_a_command_that_prints_refuses_what_it_has_no_form_for(ask: Callable[..., Any]) -> None:
    assert ask("encodings", "-o", "a.png").code == 2
    refused = ask("encodings", "--format", "png")
    assert refused.code == 2 and {"md", "tex", "csv", "json"} <= {*re.findall(r"\w+", refused.err)}
    assert ask("encodings", "--json", "-o", "a.md").code == 2
    assert len(json.loads(ask("encodings", "--json").out)["results"]) == len(ENCODINGS)


STRANGE = (
    "![x](http://e/a.png)",
    "[x](http://e)",
    "=1+1",
    "[a]",
    "*b",
    "-x",
    "+1",
    "@SUM(1)",
    "<img src=x>",
    "&lt;",
    "` \\",
)


def names_of_strangers(path: str) -> str:
    """Write a file of tensors with these names."""
    header = {name: {"dtype": "F32", "shape": [2, 2], "data_offsets": [0, 16]} for name in STRANGE}
    text = json.dumps(header).encode()
    Path(path).write_bytes(len(text).to_bytes(8, "little") + text + np.ones(4, "<f4").tobytes())
    return path


@pytest.mark.long
def test_names_out_of_a_file_stay_text(ask: Callable[..., Any]) -> None:
    names_of_strangers("m.safetensors")
    assert (
        ask("tensors", "m.safetensors", *(word for end in ("md", "csv", "tex") for word in ("-o", f"m.{end}"))).code
        == 0
    )
    page = MarkdownIt().enable("table").render(Path("m.md").read_text(encoding="utf-8"))
    assert "<img" not in page and "<a" not in page
    cells = re.findall("<td[^>]*>(.*?)</td>", page)
    assert [html.unescape(cell) for cell in cells[::4]] == list(STRANGE)
    rows = list(csv.reader(Path("m.csv").read_text(encoding="utf-8").splitlines()))
    formulas = ("=1+1", "-x", "@SUM(1)")  # +1 is a number
    assert [row[0] for row in rows[1:]] == [f"'{name}" if name in formulas else name for name in STRANGE]
    assert not re.search(r"(\\\\|rule)\s*[\[*]", Path("m.tex").read_text(encoding="utf-8"))
    assert not re.search(r"(\\\\|rule)\s*[\[*]", tex([TextTable(["[a", "*\n[b"], [["[c", "d\n*e"]])], NOTHING).decode())


def test_a_model_type_is_no_picture_in_a_notebook_or_page(ask: Callable[..., Any]) -> None:
    Path("config.json").write_text(
        json.dumps(
            {
                "model_type": STRANGE[0],
                "hidden_size": 64,
                "num_attention_heads": 4,
                "rope_theta": 1e4,
                "transformers_version": "5",
            }
        ),
        encoding="utf-8",
    )
    shown = pecli.model("config.json")._repr_mimebundle_()
    assert STRANGE[0] in shown["text/html"] and "<img" not in shown["text/html"] + MarkdownIt().render(
        shown["text/markdown"]
    )
    names_of_strangers("m.safetensors")
    Path("f.toml").write_text(
        f"""
[[figure]]
command = "heatmap"
encoding = 'learned:file=m.safetensors,tensor={STRANGE[0]}'
output = "a.png"
""",
        encoding="utf-8",
    )
    assert ask("batch", "f.toml", "--index", "index.md").code == 0
    page = MarkdownIt().render(Path("index.md").read_text(encoding="utf-8"))
    assert page.count("<img") == 1 and 'src="a.png"' in page


def test_labels_in_numbers_are_no_formulas(ask: Callable[..., Any]) -> None:
    assert ask("offsets", "sinusoidal:label==1+1", "rope:label=-5", "-n", "3", "-o", "a.csv").code == 0
    assert {row.split(",")[0] for row in Path("a.csv").read_text(encoding="utf-8").splitlines()[1:]} == {"'=1+1", "-5"}


@pytest.mark.parametrize(
    ("line", "row"),
    [
        ("extend config.json --to 131072", "linear;10000;"),
        ("identify t.npy", "scale;0,25\n"),
    ],
)
def test_reports_take_the_signs_of_csv(line: str, row: str, ask: Callable[..., Any], folder: Path) -> None:
    config = {"model_type": "llama", "hidden_size": 64, "num_attention_heads": 2, "num_hidden_layers": 1}
    (folder / "config.json").write_text(json.dumps({**config, "max_position_embeddings": 4096}))
    np.save("t.npy", 0.25 * pecli.encode("sinusoidal:d=8", length=40))
    ask(*line.split(), "--csv-sep", "semicolon", "--decimal", "comma", "-o", "a.csv")
    text = (folder / "a.csv").read_text(encoding="utf-8")
    assert row in text, text
