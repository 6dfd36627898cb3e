"""Reports as Markdown, LaTeX and CSV. They do not depend on the terminal."""

from __future__ import annotations

import csv as rows_of_csv
import io
import re
from collections.abc import Callable, Sequence

from pecli.core.errors import escaped
from pecli.core.mathematics import Formula, latex
from pecli.core.terminal import CODE, Block, Document, Facts, Paragraph, TextTable, as_text
from pecli.files.metadata import FileMetadata
from pecli.files.numbers import text_cell

WIDTH = 120  # characters in a line of a report in a notebook
NARROW = 32  # most characters of a LaTeX column that is not wrapped
NUMBER = re.compile(r"-?[\d,]+(\.\d+)?(e[+-]?\d+)?")
SIGNS = {  # signs in pecli's texts as LaTeX commands that need no package
    "−": "$-$", "×": r"$\times$", "·": r"$\cdot$", "…": r"\dots{}", "⋮": r"$\vdots$", "±": r"$\pm$", "≠": r"$\ne$",
    "≤": r"$\le$", "≥": r"$\ge$", "∞": r"$\infty$", "√": r"$\surd$", "→": r"$\to$", "⟨": r"$\langle$",
    "⟩": r"$\rangle$", "‖": r"$\|$", "Σ": r"$\Sigma$", "Δ": r"$\Delta$", "π": r"$\pi$", "ω": r"$\omega$",
    "θ": r"$\theta$", "ρ": r"$\rho$", "ζ": r"$\zeta$", "γ": r"$\gamma$",
    "λ": r"$\lambda$", "ₖ": "$_k$", "ⱼ": "$_j$", "ⱽ": "$^V$", "ᵀ": "$^T$", "⌊": r"$\lfloor$",
    "⌋": r"$\rfloor$", "²": "$^2$", "³": "$^3$", "°": r"$^\circ$", "½": r"$\frac{1}{2}$", "′": "$'$", "∑": r"$\sum$",
    "–": r"\textendash{}", "—": r"\textemdash{}",
    "\\": r"\textbackslash{}", "^": r"\textasciicircum{}", "~": r"\textasciitilde{}", "<": r"\textless{}",
    ">": r"\textgreater{}", "|": r"\textbar{}", '"': r"\textquotedbl{}", **{sign: f"\\{sign}" for sign in "&%$#_{}"},
}  # fmt: skip
SIGNS |= {sign: f"$_{digit}$" for digit, sign in enumerate("₀₁₂₃₄₅₆₇₈₉")}

INDEXED = r"[ωλθφρμζγR]_[A-Za-z0-9]+"
POWER = re.compile(  # finds formulas in a sentence: ⟨x, y⟩, 2^(−8i/n), ω_j, ω_j p
    rf"⟨[^⟩]*⟩|(?:[A-Za-z0-9_']+|{INDEXED})\^(?:\((?:[^()]|\([^()]*\))*\)|[-−]?[A-Za-z0-9]+)"
    rf"|{INDEXED}(?: [pqxy]\b)?|log_n"
)


def md(document: Document, about: FileMetadata) -> bytes:
    """Return Markdown with tables in the syntax of GitHub, Quarto and Jupyter."""
    return _blocks(document, _md).encode()


def tex(document: Document, about: FileMetadata) -> bytes:
    r"""Return LaTeX for \input: booktabs tables, and text as paragraphs."""
    blocks = _blocks(document, _tex)
    chinese = "" if blocks.isascii() else "; for Chinese \\usepackage{ctex} and xelatex"
    return f"% needs \\usepackage[T1]{{fontenc}} and \\usepackage{{booktabs}}{chinese}\n{blocks}".encode()


def for_notebook(document: Document) -> dict[str, str]:
    """Return the document by MIME type, for a notebook: plain text, Markdown and HTML."""
    from markdown_it import MarkdownIt  # already a dependency of rich

    blocks = list(document)
    text = _blocks(blocks, _md)
    html = MarkdownIt().enable("table").render(text)
    return {"text/plain": as_text(blocks, WIDTH), "text/markdown": text, "text/html": html}


def csv(document: Document, about: FileMetadata) -> bytes:
    """Return CSV with the facts and tables, separated by empty lines; text is left out."""
    file = io.StringIO()
    writer = rows_of_csv.writer(file, delimiter=about.separator, lineterminator="\n")
    tables = [item for item in document if not isinstance(item, Paragraph)]
    for place, table in enumerate(tables):
        file.write("\n" if place else "")
        rows = table.facts.items() if isinstance(table, Facts) else [table.header, *table.rows]
        cells = ([text_cell(escaped(str(cell), "\n")) for cell in row] for row in rows)
        writer.writerows([_with_decimal(cell, about.decimal) for cell in row] for row in cells)
    return file.getvalue().encode()


def _with_decimal(cell: str, sign: str) -> str:
    """Return the cell; a number gets the decimal sign and, if that is not a point, no commas between thousands."""
    return cell.replace(",", "").replace(".", sign) if sign != "." and NUMBER.fullmatch(cell) else cell


def _blocks(document: Document, write: Callable[[Block], str]) -> str:
    """Return the texts that `write` returns for the blocks, separated by empty lines.

    Blank paragraphs, which are only space in a terminal, are left out.
    """
    texts = [write(block) for block in document if block != Paragraph()]
    return "\n\n".join(texts) + "\n"


def _md(block: Block) -> str:
    if isinstance(block, Paragraph) and block.style == CODE:
        return f"```sh\n{escaped(block.text)}\n```"
    if isinstance(block, Paragraph):
        return ("## " if block.heading else "") + plain_md(block.text.strip())
    if isinstance(block, Facts):
        return "\n".join(f"- **{plain_md(name)}**: {plain_md(fact)}" for name, fact in block.facts.items())
    marks = [":--", *["--:" if block.numbers else ":--"] * (len(block.header) - 1)]
    rows = [[plain_md(cell).replace("\n", "<br>") for cell in row] for row in (block.header, *block.rows)]
    return "\n".join(f"| {' | '.join(row)} |" for row in [rows[0], marks, *rows[1:]])


def plain_md(text: str) -> str:
    """Return text escaped so that Markdown and a terminal show it literally, without links or images."""
    return re.sub(r"([\\`*_|<$~\[\]]|&(?=#?\w+;))", r"\\\1", escaped(text, "\n"))


def _tex(block: Block) -> str:
    if isinstance(block, Paragraph):
        return f"\\subsubsection*{{{_text_tex(block.text)}}}" if block.heading else _text_tex(block.text).strip()
    table = TextTable([], list(block.facts.items())) if isinstance(block, Facts) else block
    rows = [row for row in (table.header, *table.rows) if row]
    columns = _columns(rows, table.numbers)
    lines = [" & ".join(map(_cell_tex, row)) + r" \\" for row in rows]
    if table.header:
        lines.insert(1, "\\midrule")
    begin = f"\\noindent\\begin{{tabular}}{{@{{}}{columns}@{{}}}}"
    return "\n".join([begin, "\\toprule", *lines, "\\bottomrule", "\\end{tabular}"])


def _columns(rows: Sequence[Sequence[str]], numbers: bool) -> str:
    """Return the LaTeX column types: numbers right-aligned, long text wrapped in a share of the page's width."""
    longest = [max(len(line) for cell in column for line in cell.split("\n")) for column in zip(*rows, strict=True)]
    if numbers:
        return "l" + "r" * (len(longest) - 1)
    wide = sum(length for length in longest if length > NARROW)
    share = 0.9 - 0.01 * sum(length for length in longest if length <= NARROW)
    shares = [f"p{{{max(0.1, share * length / max(1, wide)):.2f}\\linewidth}}" for length in longest]
    return "".join("l" if length <= NARROW else item for length, item in zip(longest, shares, strict=True))


def _cell_tex(text: str) -> str:
    if text.startswith("-") and NUMBER.fullmatch(text):
        return f"${text}$"
    plain = _text_tex(text).replace("\n", r"\\")
    return f"\\shortstack{{{plain}}}" if "\n" in text else plain


def _text_tex(text: str) -> str:
    """Return text as LaTeX, with formulas as mathematics, one per line."""
    if not isinstance(text, Formula):
        return _plain_tex(text)
    before, formula, after = text.parts()
    lines = (f"${latex(escaped(line))}$" if line else "" for line in formula.split("\n"))
    return _plain_tex(before) + "\n".join(lines) + _plain_tex(after)


def _plain_tex(text: str) -> str:
    """Return text escaped so that LaTeX shows it literally, with powers as mathematics.

    Control characters are escaped too.
    """
    plain, end, text = "", 0, escaped(text, "\n")
    for found in POWER.finditer(text):
        plain += _signs_tex(text[end : found.start()]) + f"${latex(found[0])}$"
        end = found.end()
    plain += _signs_tex(text[end:])
    return re.sub(r"^(?= *[\[*])", "{}", plain, flags=re.MULTILINE)  # or \\ takes [ or * as an argument


def _signs_tex(text: str) -> str:
    """Return text with every sign escaped for LaTeX."""
    return "".join(SIGNS.get(sign, sign) for sign in text).replace("--", "-{}-")  # hyphens, not a dash
