"""Tests of every picture and report in another language: no English words remain, except names."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from matplotlib.figure import Figure as Drawing

import pecli
from pecli.core.language import say, use_language
from pecli.core.numbers import number_types
from pecli.encodings.registry import ENCODINGS
from pecli.figures import FIGURES
from pecli.figures.bases import Bases
from pecli.figures.ids import Ids
from pecli.figures.maps import OverGrid
from pecli.figures.tokens import TokenFigure
from pecli.jobs.picture import Picture
from pecli.measures.bases import released_models

SCALED = "rope:scaling=llama3,factor=8,original=64,low_freq_factor=1,high_freq_factor=4"
PARAMETERS = {name for kind in ENCODINGS.values() for name in kind.options()}
NAMES = {"RoPE", "LiBi", *ENCODINGS, *PARAMETERS, "sin", "cos", "RoFormer", "llama3", "div_term", "PyTorch"}
NAMES |= {*number_types(), "Pearson", "Spearman", "arXiv", "pecli", "Self-Extend", "ChunkLlama", "Qwen2-VL"}
NAMES |= {"the", "dog", "bites", "man"}  # the example's tokens
FIGURES_IN_CHINESE: list[tuple[str, dict[str, Any]]] = [
    *(
        (name, {} if issubclass(figure, (TokenFigure, OverGrid, Ids, Bases)) else {"length": 9})
        for name, figure in FIGURES.items()
    ),
    ("offsets", {"encoding": "rope:grid=3x4", "measure": "corr"}),
    ("spectrum", {"encoding": "rope:sections=16,24,24,sequence=4"}),
    ("rotation", {"encoding": "rope:grid=3x4"}),
    ("scatter", {"encoding": "sincos2d", "grid": "3x4"}),
    ("heatmap", {"length": 3000, "log": True, "robust": True}),
    ("distance", {"encoding": "binary", "length": 300, "measure": "corr"}),
    ("distance", {"length": 9, "highlight": "3:6"}),
    ("curves", {"length": 3000, "against": "offset", "encoding": "binary"}),
    ("waves", {"encoding": "clock", "length": 90}),
    ("dials", {"encoding": "clock"}),
    ("spectrum", {"encoding": [SCALED, "binary", "clock"], "length": 20}),
    ("spectrum", {"encoding": SCALED, "ratio": True}),
    ("offsets", {"encoding": [SCALED, "binary"], "length": 9, "measure": "corr"}),
    ("offsets", {"encoding": SCALED, "decay": True, "unscaled": True, "length": 9}),
    ("offsets", {"encoding": ["alibi", "kerple"], "length": 9, "log": True, "highlight": "3:6"}),
    ("offsets", {"encoding": "t5", "length": 9}),
    ("compare", {"encoding": ["learned", "learned:seed=1"], "length": 900, "difference": True}),
    ("relative", {"length": 900}),
    ("rotation", {"matrix": 3, "d": 8}),
    ("attention", {"encoding": "alibi", "tokens": "甲 乙", "start": 3}),
    ("bias", {"encoding": "t5", "length": 9}),
    ("bias", {"length": 3000, "lowest": -3}),
    ("precision", {"encoding": "sinusoidal:dtype=float16", "length": 3000}),
]


def words(text: str) -> set[str]:
    """Return the English words of a text that are no names; mathematics, units and single letters are none."""
    return set(re.findall(r"[A-Za-z][a-z][A-Za-z]+[\w-]*", re.sub(r"\$[^$]*\$", "", text))) - NAMES


def panels(axes: Any) -> Iterator[Any]:
    """Yield the axes that stand in a given one, colour bars too."""
    for ax in axes.child_axes:
        yield from panels(ax)
    yield axes


def said_on(axes: Any) -> Iterator[str]:
    """Yield all that is written on one panel but numbers."""
    legend = axes.legend_
    yield from (axes.title.get_text(), axes.xaxis.label.get_text(), axes.yaxis.label.get_text())
    yield from (text.get_text() for text in [*axes.texts, *(legend.get_texts() if legend else [])])
    ticks = [label.get_text() for label in [*axes.get_xticklabels(), *axes.get_yticklabels()]]
    yield from (text for text in ticks if any(map(str.isalpha, text)))


def written(picture: Picture[Any]) -> list[str]:
    """Return all that is written in a picture: on its panels, above and below."""
    axes = Drawing().subplots()
    picture.draw(axes)
    with use_language(picture.job.language):
        item = [picture.seen.message(), picture.seen.caption()]
    return [*item, picture.title(), *(text for panel in panels(axes) for text in said_on(panel))]


@pytest.mark.filterwarnings("ignore:Glyph")  # of texts that are measured
@pytest.mark.some(30)
@pytest.mark.parametrize(("name", "options"), FIGURES_IN_CHINESE)
def test_a_picture_in_chinese_has_no_english_words(name: str, options: dict[str, Any]) -> None:
    picture = pecli.figure(name, lang="zh", **options)
    found = written(picture)
    models = {word for name in released_models() for word in re.findall(r"\w+", name)}
    assert set().union(*map(words, found)) <= models
    assert any(not text.isascii() for text in found)
    assert words(picture.alt.split("；")[0]) <= {"RoPE"}


@pytest.mark.parametrize("line", ["stats sinusoidal clock binary -n 20", "table clock -n 40 --rows 4", "explain -d 4"])
def test_a_report_in_chinese_has_no_english_words(ask: Any, line: str) -> None:
    text = ask(*line.split(), "--lang", "zh")
    assert text.code == 0 and words(text.out) <= {"periods", "rows", "table", "csv", *FIGURES}, words(text.out)


def test_a_models_config_is_told_in_chinese(ask: Any, folder: Path, monkeypatch: Any) -> None:
    scaling = {"rope_type": "yarn", "factor": 4.0, "original_max_position_embeddings": 64, "mscale": 0, "betafast": 3}
    config = {"model_type": "llama", "hidden_size": 64, "num_attention_heads": 4, "num_hidden_layers": 2}
    Path("config.json").write_text(
        json.dumps({**config, "max_position_embeddings": 256, "rope_scaling": scaling}), encoding="utf-8"
    )
    monkeypatch.setenv("PECLI_LANG", "zh")
    facts, _, findings = ask("model", "config.json").out.partition("警告：")
    assert "Σ cos 首次 < 0" in facts and "betafast" in findings and "可能是想写 beta_fast" in " ".join(findings.split())
    names = {"yarn", "config", "json", "llama", "all"}
    assert words(facts) <= names, words(facts)
    assert say("model.first_cos_0") in ask("model", "config.json", "--lang", "en").out
