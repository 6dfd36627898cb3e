"""Tests of the figure bases: the context that each base of rope allows, and models by base and context."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import pecli
from pecli.core.errors import UsageError
from pecli.encodings.rope import Rope
from pecli.measures.bases import reach_of_base, released_models
from pecli.measures.waves import first_negative_offset
from pecli.models.reader import read_model
from pecli.page.labels import LevelLabel, PointLabel, labels_of
from tests.conftest import Ask
from tests.drawing import numbers_of, page_of, texts, told

CONFIGS = Path(__file__).parents[1] / "data" / "configs"
REACHES = {1e4: 1707, 5e5: 18_438, 1e6: 27_115, 5e6: 82_999, 1e7: 144_660}  # d = 128


@pytest.mark.long
def test_models_hold_as_far_as_their_base(ask: Ask) -> None:
    (result,) = json.loads(ask("bases", "-o", "a.svg", "--json").out)["results"]
    models = result["facts"]["models"]
    assert {(own["base"], own["holds_to"]) for own in models.values()} == {*REACHES.items()}
    assert result["finding"] == {"key": "bases.some_hold", "count": 4, "all": 8}


@pytest.mark.parametrize(("base", "d", "most"), [(1e4, 128, 5000), (5e5, 128, 20_000), (77.0, 6, 900), (3.0, 2, 9)])
def test_the_reach_is_the_first_negative_sum(base: float, d: int, most: int) -> None:
    rates = base ** (-2 * np.arange(d // 2) / d)
    below = np.flatnonzero(np.cos(np.outer(np.arange(most), rates)).sum(axis=1) < -1e-9)
    expected = int(below[0]) if len(below) else most
    assert reach_of_base(base, d, most) == expected
    assert (first_negative_offset(Rope(d=d, base=base), most - 1) or most) == expected


def test_released_models_have_a_source_and_agree_with_the_configs_that_are_here() -> None:
    models = released_models()
    assert all("https://" in model.source or "Lightning-AI" in model.source for model in models.values())
    for name, file in {"Llama 2": "llama-2", "SmolLM3": "smollm-3"}.items():
        layers = read_model(CONFIGS / f"{file}.json").layers
        rope: Any = next(layer.encoding for layer in layers.values() if layer.encoding)
        model = models[name]
        assert (rope.base, rope.max_position, rope.width) == (model.base, model.context, model.d)


def test_every_base_that_is_tried_is_in_the_file(ask: Ask, folder: Path) -> None:
    assert ask("bases", "rope:d=8", "-n", "500", "-o", "a.csv").code == 0
    header, *rows = (folder / "a.csv").read_text().splitlines()
    assert header == "reach,base" and len(rows) == 200
    reach, base = map(float, rows[0].split(","))
    assert reach == reach_of_base(base, 8, 500)


@pytest.mark.long
def test_encodings_stand_for_the_models(ask: Ask) -> None:
    words = [str(CONFIGS / f"{name}.json") for name in ("llama-2", "qwen2.5-yarn")]
    ended = ask("bases", *words, "-n", "140000", "-o", "a.npz", "--json")
    models = json.loads(ended.out)["results"][0]["facts"]["models"]
    assert ended.err == "" and models["llama"] == {"base": 10_000, "context": 4096, "holds_to": 1707}
    assert models["qwen2"]["context"] == 131_072
    ended = ask("bases", str(CONFIGS / "llama-4-scout.json"), "-n", "9000", "-o", "a.npz", "--json")
    assert json.loads(ended.out)["results"][0]["facts"]["models"]["llama4"]["context"] == 8192  # of its chunks


@pytest.mark.some(2)
@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"models": ["Llama 2"]}, {"key": "bases.one_fails", "name": "Llama 2", "holds": 1707, "context": 4096}),
        ({"models": ["Llama 3"], "length": 9000}, {"key": "bases.one_holds", "name": "Llama 3", "context": 8192}),
        ({"models": ["Llama 3", "OLMo 2"], "length": 9000}, {"key": "bases.all_hold", "all": 2}),
        ({"models": ["Llama 2", "Qwen2.5"], "length": 40_000}, {"key": "bases.none_holds", "all": 2}),
        ({"encoding": "rope:base=20000", "length": 9000}, {"key": "bases.base_holds_to", "base": 20_000}),
        ({"encoding": "rope:base=20000", "length": 100}, {"key": "bases.base_beyond", "searched": 100}),
    ],
)
def test_the_headline_counts_models_whose_base_holds(options: dict[str, Any], said: dict[str, Any]) -> None:
    assert told(numbers_of("bases", ((40, 60),), **options).message(), said) == said


@pytest.mark.long
@pytest.mark.parametrize("size", ["page", "column", "slide", "5x3"])
@pytest.mark.parametrize("lang", ["en", "zh"])
def test_dots_are_named_and_stand_at_context_and_base(size: str, lang: str) -> None:
    panel = page_of("bases", size=size, lang=lang, dpi=50).axes[0]
    dots = {tuple(line.get_xydata().tolist()[0]) for line in panel.lines if line.get_marker() == "o"}
    assert dots == {(model.context, model.base) for model in released_models().values()}
    named = " ".join(texts(labels_of(panel, PointLabel))).replace("\n", " ")
    assert all(name in named for name in released_models()) and len(labels_of(panel, LevelLabel)) == 2
    assert (panel.get_xscale(), panel.get_yscale()) == ("log", "log")


@pytest.mark.parametrize(
    ("options", "option"),
    [
        ({"encoding": ["rope:d=8", "rope:d=6"]}, "encoding"),
        ({"encoding": "rope:grid=4x4"}, "encoding"),
        ({"encoding": "rope:d=64", "models": ["Llama 2"]}, "models"),
        ({"models": ["Llama 9"]}, "models"),
        ({"start": 5}, "start"),
        ({"length": 2}, "length"),
        ({"length": 5000}, "length"),  # less than the longest context of the models
    ],
)
def test_what_cannot_be_drawn_is_refused(options: dict[str, Any], option: str) -> None:
    with pytest.raises(UsageError) as error:
        pecli.figure("bases", **options).numbers  # noqa: B018
    assert error.value.option == option
