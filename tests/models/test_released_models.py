"""Tests that pecli reads each type's default config of transformers as transformers does.

The types that differ are listed in released_models_apart.toml, by aspect. No type may be added to that list.
"""

from __future__ import annotations

import json
import lzma
import tomllib
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from pecli.core.errors import PecliError
from pecli.core.language import finding
from pecli.models.position_keys import READ_BY, UNUSED
from pecli.models.reader import model_of as read
from pecli.reports.model import ModelReport
from tests.models.make_released_models import row_of, variants, with_variant

DATA = Path(__file__).parents[1] / "data"
FILE = json.loads(lzma.decompress((DATA / "released_models.json.xz").read_bytes()))
TYPES: dict[str, dict[str, Any]] = FILE["types"]
APART: dict[str, dict[str, Any]] = tomllib.loads((DATA / "released_models_apart.toml").read_text(encoding="utf-8"))
VARIANTS_APART: dict[str, list[str]] = APART.pop("variants")
SAID: dict[str, str] = APART.pop("said")
ASPECTS = (
    *("kind", "pairing", "rates", "attention factor", "sections", "layers", "rows", "resized", "window"),
    *("tower kind", "tower rates"),
)
SAME = {"bias2d": "relative", "relpos2d": "relative", "sincos2d": "sinusoidal", "fourier": "sinusoidal"}  # in modules


model_of = partial(read, "config.json")


def kinds(part: dict[str, Any]) -> set[str]:
    found = {layer["kind"] for layer in part["layers"].values()}
    return {SAME.get(kind, kind) for kind in found} - {"none", "unknown"}


def ropes(parts: list[Any]) -> Iterator[dict[str, Any]]:
    return (layer for part in parts for layer in part["layers"].values() if "inv_freq" in layer)


def rates(layer: dict[str, Any]) -> list[list[float]]:
    """Return the rates of a rope; on a plane also those of one axis, as most modules keep them."""
    axes = layer["axes"] or ""
    one = [rate for rate, axis in zip(layer["inv_freq"], axes, strict=bool(axes)) if axis == axes[0]]
    return [layer["inv_freq"], one]


def alike(some: list[float], others: list[float]) -> bool:
    """Return whether rates are the same, in whatever order a module keeps them."""
    return len(some) == len(others) and np.allclose(sorted(some), sorted(others), rtol=2e-6, atol=1e-12)


def has_all(parts: list[dict[str, Any]], wanted: list[list[Any]]) -> bool:
    return all(any(alike(own, item[2]) for layer in ropes(parts) for own in rates(layer)) for item in wanted)


def agreement(data: Any, truth: dict[str, Any]) -> dict[str, bool]:
    """Return for each aspect that a type has whether what is read agrees."""
    text, tower = (set(truth["kinds"][side]) for side in ("text", "tower"))
    towers = list(data["towers"].values())
    parts, ropes_of_text = [data, *towers], truth["rates"]["text"]
    own, beside = kinds(data), {kind for part in towers for kind in kinds(part)}
    found = {"kind": own == text or own | beside == text | tower}
    if ropes_of_text:
        found["rates"] = has_all(parts, ropes_of_text)
        factors = {layer["attention_factor"] for layer in ropes(parts)}
        if found["rates"]:
            found["attention factor"] = all(
                np.isclose(item[1], list(factors), rtol=1e-6).any() for item in ropes_of_text
            )
    if sections := [item[3] for item in ropes_of_text if len(item) > 3]:
        found["sections"] = all(_sections(data, section) for section in sections)
    pairing = {layer["pairing"] for layer in ropes([data])} or {layer["pairing"] for layer in ropes(parts)}
    if "rope" in text and len(truth["pairing"]) == 1:
        found["pairing"] = pairing == set(truth["pairing"])
    if truth["layers"] and "rope" in text and own == text:
        counted = {index for layer in data["layers"].values() for index in layer["layer_indices"]}
        turned = {index for layer in ropes([data]) for index in layer["layer_indices"]}
        wanted = {index for first, last in truth["layers"]["rope"] for index in range(first, last + 1)}
        found["layers"] = counted == set(range(truth["layers"]["count"])) and turned == wanted
    tables = [layer for layer in data["layers"].values() if "length" in layer]
    if "learned" in text and own == text and truth["tables"]["text"]:
        sizes = {(layer["length"] * layer["width"], layer["width"]) for layer in tables}
        found["rows"] = any((np.prod(shape), width) in sizes for shape in truth["tables"]["text"] for width in shape)
    if tables and "rows" in found and data["architecture"] == truth["config"].get("model_type"):
        found["resized"] = {layer["resized"] for layer in tables} - {None} == set(truth["resized"]["text"])
    windows = [layer["window"] for layer in data["layers"].values() if "window" in layer]
    if windows and truth["biases"]["text"]:
        offsets = {int(np.prod(np.array(window) * 2 - 1)) for window in windows}
        offsets |= {int(np.prod(window)) for window in windows}  # by distance alone, as in LeViT
        offsets |= {count + 3 for count in offsets}  # BEiT has three more, for its class token
        found["window"] = any(offsets & set(shape) for shape in truth["biases"]["text"])
    if tower:
        found["tower kind"] = tower <= own | beside
    if truth["rates"]["tower"]:
        found["tower rates"] = has_all(towers, truth["rates"]["tower"])
    return found


def _sections(data: dict[str, Any], section: list[int]) -> bool:
    """Return whether the sections are read, or said to be wrong where the library's own do not fit its pairs."""
    said = any(finding["key"] == "mrope_section" and finding["level"] != "note" for finding in data["findings"])
    return said or any(layer["mrope_section"] == section for layer in ropes([data]))


def test_a_type_that_is_read_otherwise_says_so() -> None:
    rules = {name: rule for rule, names in VARIANTS_APART.items() for name in names}
    rules |= {name: "" for names in APART.values() for name in names}
    assert set(rules) == set(SAID)
    for name, rule in rules.items():
        config, pairs = TYPES[name]["config"], TYPES[name]["variants"].get("pairs", 0)
        given = with_variant(config, rule, dict(variants(config, pairs))[rule]) if rule else config
        keys = [finding(item.text)["key"] for item in model_of(given).findings]
        assert not SAID[name] or SAID[name] in keys, (name, keys)


INKLING2 = ("inkling2", "inkling2_loop", "inkling2_loop_text", "inkling2_text")
NOTED = {  # the types whose default config has a key that changes what pecli shows, and those keys
    **{name: {"log_scaling_alpha"} for name in ("inkling_mm_model", "inkling_text")},
    **{name: {"log_scaling_alpha", "log_scaling_n_floor"} for name in INKLING2},
    **{name: {"rope_scaling_layers"} for name in ("molmo2", "molmo2_text")},
    "kimi_k25_vision": {"pos_emb_time"},
    "layoutlmv3": {"has_relative_attention_bias"},
    "prophetnet": {"relative_max_distance"},
    "udop": {"relative_bias_args"},
    # these are not read by the library's own code
    **{
        name: {f"rope_parameters.{kind}_attention.partial_rotary_factor" for kind in ("indexed", "sliding")}
        for name in ("dots3_note", "dots3_note_text")
    },
    "efficientloftr": {"rope_parameters.partial_rotary_factor"},
    "pix2struct_vision_model": {"relative_attention_max_distance", "relative_attention_num_buckets"},
}


UNREAD = {*READ_BY.values(), UNUSED}


@pytest.mark.long
def test_the_layers_of_a_config_that_lists_none_are_those_of_the_library() -> None:
    """The pattern of layers that a type has where its file does not list them."""
    apart = set()
    for name, truth in TYPES.items():
        config = truth["config"]
        if "layer_types" in config and truth["kinds"]["text"] == ["rope"]:
            count = sum(kind != "mlp" for kind in config["layer_types"])  # Dory lists those one by one
            bare = {"model_type": config["model_type"], "num_hidden_layers": count}
            both = [ModelReport((model_of(each),)).data for each in (config, bare)]
            turned = [{i for layer in ropes([data]) for i in layer["layer_indices"]} for data in both]
            windows = [
                {i: layer["attention_window"] for layer in ropes([data]) for i in layer["attention_window_layers"]}
                for data in both
            ]
            apart |= {name} if turned[0] != turned[1] or windows[0] != windows[1] else set()
    assert apart == set()


@pytest.mark.parametrize("every", [4, pytest.param(1, marks=pytest.mark.long)])
def test_types_can_be_read_agree_with_the_library_and_have_no_key_of_positions_that_is_not_used(every: int) -> None:
    """One test, so that each config is read once."""
    assert len(TYPES) > 715
    models = {name: model_of(TYPES[name]["config"]) for name in sorted(TYPES)[::every]}
    agreements = {name: agreement(ModelReport((model,)).data, TYPES[name]) for name, model in models.items()}
    apart = {aspect: {name for name, found in agreements.items() if found.get(aspect) is False} for aspect in ASPECTS}
    assert apart == {aspect: APART[aspect].keys() & models.keys() for aspect in ASPECTS}
    told = [(name, item) for name, model in models.items() for item in model.findings]
    noted = [(name, item) for name, item in told if finding(item.text)["key"] in UNREAD]
    assert {name: {item.key for owner, item in noted if owner == name} for name, _ in noted} == {
        name: keys for name, keys in NOTED.items() if name in models
    }
    assert {item.level for _, item in noted} == {"note"}


def variant_agrees(config: dict[str, Any], wanted: list[list[Any]] | str) -> bool:
    """Return whether the ropes of a config are those of the library, which may refuse it."""
    try:
        model = model_of(config)
    except PecliError:
        return isinstance(wanted, str)
    made = [layer.encoding for layer in model.layers.values() if layer.name == "rope"]
    if isinstance(wanted, str):
        return not made or any(finding.level == "error" for finding in model.findings)
    found = [(rope.attention_scaling, rope.frequencies()) for rope in made]  # type: ignore[union-attr]
    return all(any(_alike(own, factor, rates) for own in found) for _, factor, rates in wanted)


def _alike(own: tuple[float, np.ndarray], factor: float, sample: list[float]) -> bool:
    frequencies = own[1]
    if len(frequencies) != sample[0] or not np.isclose(own[0], factor, rtol=1e-6):
        return False
    some = [frequencies[at * (len(frequencies) - 1) // 4] for at in range(5)]
    return np.allclose(some, sample[1:], rtol=5e-6, atol=1e-12)


@pytest.mark.parametrize("every", [7, pytest.param(1, marks=pytest.mark.long)])
def test_a_variant_of_a_config_agrees_with_the_library(every: int) -> None:
    names = sorted(TYPES)[::every]
    apart = variants_apart(names)
    assert apart == {rule: [name for name in listed if name in names] for rule, listed in VARIANTS_APART.items()}


def variants_apart(names: list[str]) -> dict[str, list[str]]:
    """Return the types whose config with a kind of scaling is read otherwise than the library does, by that kind."""
    apart: dict[str, list[str]] = {rule: [] for rule in VARIANTS_APART}
    for name in names:
        truth = TYPES[name]["variants"]
        if "rope" not in TYPES[name]["kinds"]["text"] or isinstance(truth.get("plain", ""), str):
            continue  # a module of another kind, or one that takes no other config than its own
        layers = model_of(TYPES[name]["config"]).layers.values()
        if any("grid" in (layer.parameters or ()) for layer in layers):
            continue  # scalings are for positions on a line
        for rule, keys in variants(TYPES[name]["config"], truth.get("pairs", 0)) if truth else []:
            if not variant_agrees(with_variant(TYPES[name]["config"], rule, keys), truth[rule]):
                apart[rule].append(name)
    return apart


@pytest.mark.long
def test_the_file_is_what_the_library_gives() -> None:
    library = pytest.importorskip("transformers")
    pytest.importorskip("torch")
    if library.__version__ != FILE["transformers"]:
        pytest.skip(f"the file is of transformers {FILE['transformers']}")
    for name in sorted(TYPES)[::25]:
        assert json.loads(json.dumps(row_of(name))) == TYPES[name], name
