"""The languages: every template has its line in every file, with the same blanks, and what is said is that line."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from string import Formatter

import pytest

import pecli
from pecli.core.language import (
    ENGLISH,
    Language,
    join_and,
    join_clauses,
    languages,
    letters,
    listing,
    texts,
    translate,
    use_language,
)
from pecli.encodings.registry import ENCODINGS
from pecli.figures import SINGLE
from pecli.jobs.job_options import ANALYSES
from pecli.jobs.picture import Picture
from pecli.jobs.sweep import make_job
from tests.conftest import Ask

ROOT = Path(pecli.__file__).parent
MARKS = ("translate", "template", "templates")
every_language = pytest.mark.parametrize("lang", [lang for lang in languages() if lang != ENGLISH])
CHINESE = Language(lang="zh")


def marked(tree: ast.AST) -> Iterator[ast.expr]:
    """Yield what is said or marked as a template: literals, also those of a conditional or a mapping."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in MARKS:
            yield from alternatives(node.args[0])


def alternatives(node: ast.expr) -> Iterator[ast.expr]:
    if isinstance(node, ast.IfExp):
        yield from [*alternatives(node.body), *alternatives(node.orelse)]
    elif isinstance(node, ast.Dict):
        for value in node.values:
            yield from alternatives(value)
    else:
        yield node


@cache
def templates_there_are() -> set[str]:
    """Return every template of the program: whole texts, since an f-string would be filled in before it could be looked
    up.
    """
    paths = [path for path in sorted(ROOT.rglob("*.py")) if path.name != "language.py"]
    marks = [(path, node) for path in paths for node in marked(ast.parse(path.read_text(encoding="utf-8")))]
    assert [f"{path}:{node.lineno}" for path, node in marks if isinstance(node, (ast.JoinedStr, ast.BinOp))] == []
    literals = {node.value for _, node in marks if isinstance(node, ast.Constant) and isinstance(node.value, str)}
    joints = {"{one}; {other}", "{one}, {other}", "{one} and {other}", "{one} or {other}", "{text} ({names})"}
    named = {kind.term or name for name, kind in ENCODINGS.items() if not kind.term or " " in kind.term}  # no acronyms
    return literals | joints | {*SINGLE} | named | {ANALYSES.summary(name) for name in ANALYSES}


def blanks(text: str) -> set[tuple[str, str]]:
    """Return the blanks of a template: their names, and how numbers are written in them."""
    return {(name, spec or "") for _, name, spec, _ in Formatter().parse(text) if name is not None}


@every_language
def test_every_template_has_its_line_and_every_line_its_template(lang: str) -> None:
    assert templates_there_are() - set(texts(lang)) == set()
    assert set(texts(lang)) - templates_there_are() == set()


@every_language
def test_a_line_has_the_blanks_of_its_template(lang: str) -> None:
    assert [text for text, item in texts(lang).items() if blanks(text) != blanks(item)] == []
    assert [text for text, item in texts(lang).items() if not item.strip()] == []


@every_language
def test_mathematics_stands_on_lines_of_its_own(lang: str) -> None:
    """Inside a line with mathematics only the first font counts, which has no Chinese."""
    lines = [line for text in texts(lang).values() for line in text.split("\n")]
    assert [line for line in lines if "$" in re.sub(r"\{\w+\}", "", line) and not line.isascii()] == []


def test_a_phrase_is_said_in_the_language_that_is_spoken() -> None:
    assert translate("positions {first} to {last}", first=0, last=9) == "positions 0 to 9"
    with use_language(CHINESE):
        assert translate("positions {first} to {last}", first=0, last=9) == "位置 0 至 9"
        assert translate("a text without a line, {n}", n=1) == "a text without a line, 1"
        with use_language(Language()):
            assert translate("positions {first} to {last}", first=0, last=9) == "positions 0 to 9"
        assert join_clauses(["一", "", "二", "三"]) == "一；二；三"
        assert {"位", "置"} <= set(letters()) and "$" not in letters()  # which fonts are looked for
    assert letters() == ""
    assert (join_clauses(["a", "", "b"]), listing(["a", "b"]), join_and(["a"]), join_clauses([])) == (
        "a; b",
        "a, b",
        "a",
        "",
    )


def test_what_is_seen_is_said_in_the_language_too() -> None:
    alt = Picture(make_job("heatmap", {"lang": "zh", "d": 4, "length": 9})).alt
    assert re.match("2 组正余弦中，1 组的波长超过.*。位置编码矩阵的热图.*。$", alt)


def test_the_language_that_is_given_wins_over_the_environment_whatever_that_says(
    ask: Ask, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PECLI_LANG", "zh")
    assert ask("heatmap", "-d", "2", "-n", "2", "-o", "a.npz").code == 0
    Path("f.toml").write_text('[[figure]]\ncommand = "heatmap"\n[[figure]]\ncommand = "waves"\nlang = "en"\n')
    monkeypatch.setenv("PECLI_LANG", "xx")
    for line in ("heatmap -o b.json", "batch f.toml", "model .", "stats"):  # once, not for each figure
        refused = ask(*line.split())
        assert refused.code == 2 and refused.err.startswith("pecli: PECLI_LANG: unknown language 'xx' (known: en, ")
        assert refused.err.count("\n") == 1
    for line in ("heatmap --lang en -n 2 -o b.json", "recipe a.npz", "redraw a.npz -o c.json"):
        assert ask(*line.split()).code == 0
