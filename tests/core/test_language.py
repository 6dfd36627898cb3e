"""Tests of the languages: each has a text with the same placeholders for every key, and output uses it."""

from __future__ import annotations

import ast
import re
from pathlib import Path
from string import Formatter

import pytest

import pecli
from pecli.core.language import (
    ENGLISH,
    Language,
    capitalised,
    finding,
    join_and,
    join_clauses,
    languages,
    letters,
    listing,
    say,
    texts,
    use_language,
)
from pecli.encodings.registry import ENCODINGS
from pecli.figures import SINGLE
from pecli.jobs.job_options import ANALYSES
from pecli.jobs.picture import Picture
from pecli.jobs.sweep import make_job
from tests.conftest import Ask

ROOT = Path(pecli.__file__).parent
every_language = pytest.mark.parametrize("lang", [lang for lang in languages() if lang != ENGLISH])
CHINESE = Language(lang="zh")
TOLD = r'"((?:models|findings|runtimes)\.\w+)"'  # keys of texts in tables of facts
NO_KEYS = {"model.safetensors", "runtimes.toml", "rope.freq_base"}  # names of files, a key of GGUF


def constants() -> set[str]:
    """Return every text that stands in the program outside the languages."""
    paths = [path for path in sorted(ROOT.rglob("*.py")) if path.parent.name != "languages"]
    nodes = (node for path in paths for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))))
    return {node.value for node in nodes if isinstance(node, ast.Constant) and isinstance(node.value, str)}


def names() -> set[str]:
    """Return the keys of texts whose English stands in the program: names, and summaries of commands."""
    terms = {kind.term or name for name, kind in ENCODINGS.items() if not kind.term or " " in kind.term}  # no acronyms
    return terms | {*SINGLE} | {f"summary.{name}" for name in ANALYSES}


def forms(text: str | tuple[str, str]) -> tuple[str, ...]:
    """Return the sentences of a key: one, or those for one and for several."""
    return text if isinstance(text, tuple) else (text,)


def blanks(text: str | tuple[str, str]) -> set[tuple[str, str]]:
    """Return the blanks of a text: their names, and how numbers are written in them."""
    parts = (part for form in forms(text) for part in Formatter().parse(form))
    return {(name, spec or "") for _, name, spec, _ in parts if name is not None}


@pytest.mark.long
def test_every_key_is_used_and_every_key_that_is_used_has_its_text() -> None:
    rooms = {key.split(".")[0] for key in texts(ENGLISH)}
    facts = Path(pecli.__file__).with_name("models").glob("*.toml")
    used = {*constants(), *(key for path in facts for key in re.findall(TOLD, path.read_text("utf-8")))}
    keys = {text for text in used if re.fullmatch(r"[a-z_]+\.[a-z0-9_]+", text) and text.split(".")[0] in rooms}
    assert set(texts(ENGLISH)) - used == set()
    assert keys - set(texts(ENGLISH)) - NO_KEYS == set()


@every_language
def test_a_language_has_every_text_and_no_other(lang: str) -> None:
    assert set(texts(lang)) == set(texts(ENGLISH)) | names()


@every_language
def test_a_text_has_the_same_blanks_in_every_language(lang: str) -> None:
    english = texts(ENGLISH)
    assert [key for key, text in texts(lang).items() if blanks(text) - blanks(english.get(key, key))] == []
    assert [key for key in english if blanks(english[key]) - blanks(texts(lang)[key]) - {("count", "")}] == []
    assert [key for key, text in texts(lang).items() if not all(form.strip() for form in forms(text))] == []


@every_language
def test_mathematics_stands_on_lines_of_its_own(lang: str) -> None:
    """Inside a line with mathematics only the first font counts, which has no Chinese."""
    lines = [line for text in texts(lang).values() for form in forms(text) for line in form.split("\n")]
    assert [line for line in lines if "$" in re.sub(r"\{\w+\}", "", line) and not line.isascii()] == []


def test_a_phrase_is_said_in_the_language_that_is_spoken() -> None:
    english = texts(ENGLISH)["words.positions_to"]
    assert isinstance(english, str) and say("words.positions_to", first=0, last=9) == english.format(first=0, last=9)
    assert finding(say("words.positions_to", first=0, last=9)) == {"key": "words.positions_to", "first": 0, "last": 9}
    with use_language(CHINESE):
        assert say("words.positions_to", first=0, last=9) == "位置 0 至 9"
        assert say("a text without a key, {n}", n=1) == "a text without a key, 1"
        with use_language(Language()):
            assert say("words.positions_to", first=0, last=9) == english.format(first=0, last=9)
        assert join_clauses(["一", "", "二", "三"]) == "一；二；三"
        assert {"位", "置"} <= set(letters()) and "$" not in letters()  # which fonts are looked for
    assert letters() == ""
    assert (join_clauses(["a", "", "b"]), listing(["a", "b"]), join_and(["a"]), join_clauses([])) == (
        "a; b",
        "a, b",
        "a",
        "",
    )


@pytest.mark.long
def test_what_is_seen_is_said_in_the_language_too() -> None:
    alt = Picture(make_job("heatmap", {"lang": "zh", "d": 4, "length": 9})).alt
    assert re.match("从维度 2 起，没有一列走完一个周期。位置编码矩阵的热图.*。$", alt)


def test_the_language_that_is_given_wins_over_the_environment_whatever_that_says(
    ask: Ask, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PECLI_LANG", "zh")
    assert ask("heatmap", "-d", "2", "-n", "2", "-o", "a.npz").code == 0
    Path("f.toml").write_text(
        '[[figure]]\ncommand = "heatmap"\n[[figure]]\ncommand = "waves"\nlang = "en"\n', encoding="utf-8"
    )
    monkeypatch.setenv("PECLI_LANG", "xx")
    for line in ("heatmap -o b.json", "batch f.toml", "model .", "stats"):  # once, not for each figure
        refused = ask(*line.split())
        assert refused.code == 2 and refused.err.startswith("pecli: PECLI_LANG: unknown language 'xx' (known: en, ")
        assert refused.err.count("\n") == 1
    for line in ("heatmap --lang en -n 2 -o b.json", "recipe a.npz", "redraw a.npz -o c.json"):
        assert ask(*line.split()).code == 0


@pytest.mark.parametrize("text", ["qwen.json in place of llama.json", "a/b for c", "xPos falls", "d is odd"])
def test_names_of_files_keep_their_first_letter(text: str) -> None:
    assert capitalised(text) == text and capitalised("rope in place of a.json") == "Rope in place of a.json"
    assert capitalised("a dot for each position") == "A dot for each position"
