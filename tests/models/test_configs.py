"""Every config of the corpus gives what stands in gives.toml: layers by kind, and the findings."""

from __future__ import annotations

import tomllib
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from pecli.models.reader import read_model
from pecli.models.spec import read_encoding
from pecli.reports.model import model_data

CONFIGS = Path(__file__).parents[1] / "data" / "configs"
GIVES: dict[str, dict[str, Any]] = tomllib.loads((CONFIGS / "gives.toml").read_text(encoding="utf-8"))


def given(name: str) -> dict[str, Any]:
    """Return what is read out of a config of the corpus."""
    return model_data(read_model(CONFIGS / f"{name}.json"))


def test_every_config_has_its_numbers() -> None:
    assert {path.stem for path in CONFIGS.glob("*.json")} == set(GIVES)


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


@pytest.mark.parametrize("name", GIVES)
def test_rates_are_those_of_the_formula(name: str) -> None:
    for layer in given(name)["layers"].values():
        if layer.get("scaling") == "default":
            n = layer["rotary_dim"]
            np.testing.assert_allclose(layer["inv_freq"], layer["base"] ** (-np.arange(0, n, 2) / n), rtol=1e-12)
        if layer.get("scaling") is not None:
            assert read_encoding(layer["spec"]).spec() == layer["spec"]
