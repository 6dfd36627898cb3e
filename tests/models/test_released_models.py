"""Every type of transformers: what pecli reads in its default config is what the library builds of it.

The names of those that do not agree stand in released_models_apart.toml, by aspect; they may only become fewer.
"""

from __future__ import annotations

import json
import lzma
import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from pecli.core.errors import PecliError
from pecli.models.reader import read_model
from pecli.reports.model import model_data

DATA = Path(__file__).parents[1] / "data"
TYPES: dict[str, dict[str, Any]] = json.loads(lzma.decompress((DATA / "released_models.json.xz").read_bytes()))["types"]
APART: dict[str, list[str]] = tomllib.loads((DATA / "released_models_apart.toml").read_text(encoding="utf-8"))
ASPECTS = ("kind", "pairing", "rates", "rows", "tower kind", "tower rates")
RELATIVE = ("bias2d", "relpos2d")  # ways of being relative that the library's modules do not tell apart


def kinds(part: dict[str, Any]) -> set[str]:
    found = {layer["kind"] for layer in part["layers"].values()}
    return {"relative" if kind in RELATIVE else kind for kind in found} - {"none", "unknown"}


def rates(part: dict[str, Any]) -> Iterator[list[float]]:
    """Yield the rates of each rope; on a plane also those of one axis, as most modules keep them."""
    for layer in part["layers"].values():
        if "inv_freq" in layer:
            yield layer["inv_freq"]
            axes = layer["axes"] or ""
            yield [rate for rate, axis in zip(layer["inv_freq"], axes, strict=bool(axes)) if axis == axes[0]]


def has_all(parts: list[dict[str, Any]], wanted: list[list[float]]) -> bool:
    found = [rate for part in parts for rate in rates(part)]
    return all(any(len(f) == len(w) and np.allclose(f, w, rtol=2e-6, atol=1e-12) for f in found) for w in wanted)


def agreement(data: dict[str, Any], truth: dict[str, Any]) -> dict[str, bool]:
    """Return for each aspect that a type has whether what is read agrees."""
    text, tower = (set(truth["kinds"][side]) for side in ("text", "tower"))
    towers = list(data["towers"].values())
    own, beside = kinds(data), {kind for part in towers for kind in kinds(part)}
    found = {"kind": own == text or own | beside == text | tower}
    if truth["rates"]["text"]:
        found["rates"] = has_all([data, *towers], truth["rates"]["text"])
    pairing = {layer["pairing"] for layer in data["layers"].values() if "pairing" in layer}
    if "rope" in text and len(truth["pairing"]) == 1:
        found["pairing"] = pairing == set(truth["pairing"])
    if "learned" in text and own == text and truth["tables"]["text"]:
        sizes = {(layer["length"], layer["width"]) for layer in data["layers"].values() if "length" in layer}
        found["rows"] = any((int(np.prod(shape[:-1])), shape[-1]) in sizes for shape in truth["tables"]["text"])
    if tower:
        found["tower kind"] = tower <= beside
    if truth["rates"]["tower"]:
        found["tower rates"] = has_all(towers, truth["rates"]["tower"])
    return found


def read(name: str, folder: Path) -> dict[str, Any] | None:
    path = folder / "config.json"
    path.write_text(json.dumps(TYPES[name]["config"]))
    try:
        return model_data(read_model(path))
    except PecliError:
        return None


@pytest.fixture(scope="module")
def agreements(tmp_path_factory: pytest.TempPathFactory) -> dict[str, dict[str, bool]]:
    folder = tmp_path_factory.mktemp("released")
    data = {name: read(name, folder) for name in TYPES}
    return {name: {} if own is None else agreement(own, TYPES[name]) for name, own in data.items()}


def test_every_type_can_be_read(agreements: dict[str, dict[str, bool]]) -> None:
    assert len(TYPES) > 700
    assert [name for name, found in agreements.items() if not found] == []


@pytest.mark.parametrize("aspect", ASPECTS)
def test_a_type_agrees_with_the_library(aspect: str, agreements: dict[str, dict[str, bool]]) -> None:
    apart = sorted(name for name, found in agreements.items() if found.get(aspect) is False)
    assert apart == APART[aspect]
