"""Tests that every config of the corpus gives the layers and findings in gives.toml."""

from __future__ import annotations

import json
import tomllib
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import pecli
from pecli.encodings.spec import read_encoding
from pecli.models.reader import model_of

CONFIGS = Path(__file__).parents[1] / "data" / "configs"
GIVES: dict[str, dict[str, Any]] = tomllib.loads((CONFIGS / "gives.toml").read_text(encoding="utf-8"))


def given(name: str) -> Any:
    """Return what is read out of a config of the corpus."""
    return pecli.model(CONFIGS / f"{name}.json").data


PLAIN = {"hidden_size": 64, "num_attention_heads": 4, "num_hidden_layers": 2, "rope_theta": 10000.0}


@pytest.mark.parametrize(
    ("keys", "key", "said"),
    [
        ({"model_type": "foo", **PLAIN}, "model_type", "pecli does not know this type"),
        ({"architectures": ["FooLM"], **PLAIN}, "architectures", "pecli does not know this type"),
        ({"model_type": "foo", "text_config": PLAIN}, "text_config", "pecli knows no type called foo;"),
        (
            {"model_type": "llama", **PLAIN, "vision_config": PLAIN},
            "vision_config",
            "pecli knows no type called llama_vision;",
        ),
        (
            {"model_type": "llama", **PLAIN, "audio_config": PLAIN},
            "audio_config",
            "pecli knows no type called llama_audio;",
        ),
        (
            {"model_type": "llama", **PLAIN, "vision_config": {"model_type": "foo", **PLAIN}},
            "vision_config.model_type",
            "pecli does not know this type",
        ),
    ],
)
def test_an_unknown_type_is_told_under_a_key_that_is_there(keys: dict[str, Any], key: str, said: str) -> None:
    found = [
        item
        for item in model_of("config.json", {**keys, "transformers_version": "5.0"}).findings
        if item.code in ("unknown_model_type", "type_not_named")
    ]
    assert [item.key for item in found] == [key]
    assert said in found[0].text


GEMMA_2 = {
    "model_type": "gemma2",
    "hidden_size": 3584,
    "num_attention_heads": 16,
    "head_dim": 256,
    "num_hidden_layers": 2,
}


@pytest.mark.parametrize(
    ("keys", "window", "unused"),
    [
        ({"sliding_window": 4096, "sliding_window_size": 4096}, 4096, []),
        ({"sliding_window": 2048, "sliding_window_size": 4096}, 2048, ["sliding_window_size"]),
    ],
)
def test_the_window_is_that_of_the_key_that_the_code_reads(
    folder: Path, keys: dict[str, int], window: int, unused: list[str]
) -> None:
    (folder / "config.json").write_text(json.dumps({**GEMMA_2, **keys}))
    data = pecli.model("config.json").data
    assert data["layers"]["all"]["attention_window"] == window
    assert [item["key"] for item in data["findings"] if "window" in item["key"]] == unused


def test_every_config_has_its_numbers() -> None:
    assert {path.stem for path in CONFIGS.glob("*.json")} == set(GIVES)


@pytest.mark.some(8)
@pytest.mark.parametrize("name", GIVES)
def test_a_config_gives_its_layers_and_findings(name: str) -> None:
    data = given(name)
    assert list(data["layers"]) == list(GIVES[name]["layers"])
    for kind, expected in GIVES[name]["layers"].items():
        layer = data["layers"][kind]
        for key, value in expected.items():
            assert (layer[key] or "nothing" if value == "nothing" else layer[key]) == value, f"{kind}.{key}"
    findings = data["findings"]
    assert {finding["key"] for finding in findings} | {
        f"{finding['level']} {finding['key']}" for finding in findings
    } >= set(GIVES[name]["findings"])
    if not GIVES[name]["findings"]:
        assert [finding for finding in findings if finding["level"] != "note"] == []


@pytest.mark.some(8)
@pytest.mark.parametrize("name", GIVES)
def test_rates_are_those_of_the_formula(name: str) -> None:
    for layer in given(name)["layers"].values():
        if layer.get("scaling") == "default":
            n = layer["rotary_dim"]
            np.testing.assert_allclose(layer["inv_freq"], layer["base"] ** (-np.arange(0, n, 2) / n), rtol=1e-12)
        if layer.get("scaling") is not None:
            assert read_encoding(layer["spec"]).spec() == layer["spec"]


@pytest.mark.parametrize(
    ("config", "reference"),
    [
        ({"model_type": "vit_mae", "hidden_size": 24, "image_size": [48, 80], "patch_size": 16}, "mae_3x5"),
        ({"model_type": "detr", "d_model": 24, "position_embedding_type": "sine"}, "detr_3x5"),
    ],
)
def test_sines_of_row_and_column_are_those_of_the_library(
    config: dict[str, Any], reference: str, tmp_path: Path
) -> None:
    path = tmp_path / "config.json"
    path.write_text(json.dumps(config))
    table = np.load(CONFIGS.parent / "grids.npz")[reference]
    wanted = table if len(table) == 15 else table.reshape(24, 15).T  # DETR has channels first
    assert pecli.encode(f"{path}:grid=3x5") == pytest.approx(wanted, abs=5e-7)


@pytest.mark.parametrize("kind", ["dinov3_vit", "sapiens2"])
def test_patches_of_dinov3_turn_by_their_centres_between_minus_1_and_1(kind: str, tmp_path: Path) -> None:
    """DINOv3's code: angles 2π · centre · base^(−4j/d), rows before columns, columns j and j + d/2 a pair."""
    path = tmp_path / "config.json"
    path.write_text(
        f'{{"model_type": "{kind}", "hidden_size": 32, "num_attention_heads": 2, "image_size": 48, "patch_size": 16}}'
    )
    centres = (np.arange(3) + 0.5) / 3 * 2 - 1
    places = np.stack(np.meshgrid(centres, centres, indexing="ij"), axis=-1).reshape(9, 2, 1)
    angles = (2 * np.pi * places * 100.0 ** -np.arange(0, 1, 4 / 16)).reshape(9, 8)
    table = np.concatenate([np.cos(angles), np.sin(angles)], axis=1)
    assert pecli.encode(str(path)) == pytest.approx(table, abs=1e-14)
