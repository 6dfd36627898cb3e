"""Tests of the figure temperature: the factor of attention scores by position."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import pecli
from pecli.core.errors import UsageError
from pecli.core.language import say
from pecli.encodings.rope import Rope
from pecli.encodings.temperature import score_factors
from pecli.page.labels import PointLabel, labels_of
from tests.conftest import Ask
from tests.drawing import axes_of, line_labels, numbers_of, page_of, texts, told

CONFIGS = Path(__file__).parents[1] / "data" / "configs"
LLAMA, MINISTRAL = "rope:temperature=0.1,8192,1,label=Llama 4", "rope:temperature=0.1,16384,label=Ministral 3"
YARN, QWEN = "rope:scaling=yarn,factor=16,original=8192", "rope:logn=8192,32767,label=Qwen-7B"
EACH = [LLAMA, MINISTRAL, YARN, QWEN]


@pytest.mark.long
@pytest.mark.parametrize(
    ("encoding", "length", "last", "factor"),
    [
        (LLAMA, 262_144, 262_143, 1.349651),
        (LLAMA, 8_191, 8_190, 1.0),
        (LLAMA, 8_192, 8_191, 1.069315),
        (MINISTRAL, 262_144, 262_143, 1.277259),
        (YARN, 262_144, 262_143, 1.631390),
        (QWEN, 262_144, 32_766, 1.153843),
        ("rope:score_factor=2", 10, 9, 2.0),
        ("rope", 10, 9, 1.0),
    ],
)
def test_factors_are_those_of_the_models_code(ask: Ask, encoding: str, length: int, last: int, factor: float) -> None:
    ended = ask("temperature", encoding, "-n", str(length), "-o", "a.svg", "--json")
    (facts,) = (result["facts"] for result in json.loads(ended.out)["results"])
    assert [*facts["last_position"].values()] == [last]
    assert [*facts["last_factor"].values()] == [pytest.approx(factor, abs=5e-7)]


@pytest.mark.long
def test_every_position_of_a_file_has_its_factor() -> None:
    found = numbers_of("temperature", encoding=EACH, length=40_000)
    assert found.positions.tolist() == [*range(40_000)]
    p = found.positions
    assert found.factor[0] == pytest.approx(1 + 0.1 * np.log(1 + (p + 1) // 8192), abs=1e-12)
    assert found.factor[1] == pytest.approx(1 + 0.1 * np.log(1 + p // 16_384), abs=1e-12)
    assert found.factor[2] == pytest.approx((0.1 * np.log(16) + 1) ** 2, abs=1e-12)
    assert np.isnan(found.factor[3]).tolist() == (p > 32_766).tolist()
    assert found.first_change == (8191, 16_384, None, 8192)
    labels = texts(axes_of("temperature", encoding=EACH, length=40_000).texts)
    assert [text for text in labels if say("temperature.ends_at", position="32,766") in text] != []
    assert score_factors(Rope(logn=(8192,)), np.array([1e6]))[0] == pytest.approx(np.log(1e6 + 1) / np.log(8192))


@pytest.mark.long
def test_pixels_change_no_fact() -> None:
    whole, seen = (numbers_of("temperature", panels, encoding=EACH) for panels in (None, ((40, 60),)))
    assert len(seen.positions) < 200 and seen.facts() == whole.facts() and seen.message() == whole.message()
    chosen = np.searchsorted(whole.positions, seen.positions)
    assert np.array_equal(whole.factor[:, chosen], seen.factor, equal_nan=True)


@pytest.mark.parametrize(
    ("encoding", "said"),
    [
        (EACH, {"key": "temperature.larger", "name": "Llama 4", "share": "35%", "position": "262,143"}),
        ([QWEN], {"key": "temperature.larger", "name": "Qwen-7B", "share": "15%", "position": "32,766"}),
        ([YARN], {"key": "temperature.all_larger", "name": "YaRN × 16", "share": "63%"}),
        (["rope:score_factor=0.5"], {"key": "temperature.all_smaller", "share": "50%"}),
        (["rope"], {"key": "temperature.none"}),
    ],
)
def test_the_headline_names_what_grows_most(encoding: list[str], said: dict[str, Any]) -> None:
    assert told(numbers_of("temperature", ((40, 60),), encoding=encoding).message(), said) == said


@pytest.mark.some(2)
@pytest.mark.parametrize(
    ("name", "last", "factor"),
    [
        ("llama-4-scout", 262_143, 1.349651),  # of its layers without rope
        ("qwen-1", 32_766, 1.153843),
        ("deepseek-v3", 262_143, (0.1 * np.log(40) + 1) ** 2),
        ("llama-3.1", 262_143, 1.0),
    ],
)
def test_a_config_says_the_factor_of_its_layers(ask: Ask, name: str, last: int, factor: float) -> None:
    ended = ask("temperature", str(CONFIGS / f"{name}.json"), "-o", "a.svg", "--json")
    assert (ended.code, ended.err) == (0, "")
    (result,) = json.loads(ended.out)["results"]
    assert [*result["facts"]["last_position"].values()] == [last]
    assert [*result["facts"]["last_factor"].values()] == [pytest.approx(factor, abs=5e-7)]
    ended = ask("temperature", *result["job"]["encoding"], "-o", "b.svg", "--json")  # as a recipe has it
    assert json.loads(ended.out)["results"][0]["facts"] == result["facts"]


def test_a_layer_that_is_named_is_taken_and_others_keep_what_they_had(ask: Ask) -> None:
    path = str(CONFIGS / "llama-4-scout.json")
    ended = ask("temperature", f"{path}#chunked_attention", "-o", "a.svg", "--json")
    assert [*json.loads(ended.out)["results"][0]["facts"]["last_factor"].values()] == [1.0]
    assert "temperature" not in json.loads(ask("stats", path, "--json").out)["results"][0]["job"]["encoding"][0]
    refused = ask("temperature", str(CONFIGS / "gpt-2.json"))
    assert refused.code != 0 and "learned" in refused.err


@pytest.mark.long
@pytest.mark.parametrize("size", ["page", "column", "slide", "5x3"])
@pytest.mark.parametrize("lang", ["en", "zh"])
def test_lines_and_dots_are_named(size: str, lang: str) -> None:
    panel = page_of("temperature", encoding=EACH, size=size, lang=lang, dpi=50).axes[0]
    dots = [line.get_xydata().tolist()[0] for line in panel.lines if line.get_marker() == "o"]
    assert [at for at, _ in dots] == [262_143, 262_143, 262_143, 32_766]
    (label,) = labels_of(panel, PointLabel)
    assert texts([label])[0].startswith("Qwen-7B") and "32,766" in label.get_text()
    named = [name for name in line_labels(panel) if name]
    assert [name.split()[0] for name in named] == ["Llama", "Ministral", "YaRN"] or len(named) == 0
    assert panel.get_xscale() == "log" and panel.get_xticks()[[0, -1]].tolist() == [1024, 262_143]


def test_names_without_a_label_say_what_the_factor_comes_from() -> None:
    found = line_labels(page_of("temperature", encoding=["rope", "rope:temperature=0.1,500"], length=9999).axes[0])
    assert found == [
        say("temperature.name_and_factor", name="RoPE", factor="1.00"),
        say("temperature.name_and_factor", name=say("temperature.steps", length=500.0), factor="1.30"),
    ]


@pytest.mark.parametrize(
    ("options", "option"),
    [
        ({"encoding": "rope:temperature=0.1"}, "temperature"),
        ({"encoding": "rope:temperature=0.1,0.5"}, "temperature"),
        ({"encoding": "rope:logn=8192,5,6"}, "logn"),
        ({"encoding": "rope", "start": -5}, "length"),
        ({"encoding": "rope", "length": 2}, "length"),
        ({"encoding": "rope:grid=4x4"}, "encoding"),
        ({"encoding": QWEN, "start": 40_000}, "start"),
    ],
)
def test_what_cannot_be_drawn_is_refused(options: dict[str, Any], option: str) -> None:
    with pytest.raises(UsageError) as error:
        pecli.figure("temperature", **options).numbers  # noqa: B018
    assert error.value.option == option


@pytest.mark.long
def test_the_first_position_counts_though_the_axis_begins_later(ask: Ask, folder: Path) -> None:
    ask("temperature", "rope:temperature=1,1", "-n", "3", "-o", "a.csv")
    assert [row.split(",")[-1][:5] for row in (folder / "a.csv").read_text().split()] == [
        "value",
        "1.0",
        "1.693",
        "2.098",
    ]
    found = numbers_of("temperature", ((40, 60),), encoding="rope:temperature=1,1", length=9999)
    assert found.first_change == (1,) and found.positions[0] == 0
    (line,) = page_of("temperature", encoding="rope:temperature=1,1", length=9999).axes[0].lines[:1]
    assert line.get_xdata()[0] == 1


def test_a_factor_that_depends_on_the_length_in_use_is_that_of_the_length() -> None:
    longrope = "rope:d=4,scaling=longrope,original=64,short_factor=1,1,long_factor=2,2,short_mscale=1,long_mscale=1.5"
    found = [numbers_of("temperature", encoding=longrope, length=length).last_factor[0] for length in (64, 65)]
    assert found == [1.0, 2.25]
