"""Tests of the checks of types.toml: an error names the type and the field."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

import pecli
from pecli.core.errors import PecliError
from pecli.models.facts import FactsError, read_facts
from pecli.models.model_types import model_types, read_types

CONFIGS = Path(__file__).parents[1] / "data" / "configs"

LLAMA: dict[str, Any] = {"llama": {}}


@pytest.mark.parametrize(
    ("tables", "sizes", "name", "key", "said"),
    [
        ({"a": {"thetta": 5.0}}, {}, "a", "thetta", "did you mean theta?"),
        ({"a": {"base": 5.0}}, {}, "a", "base", "did you mean theta?"),
        ({"a": {"lik": "llama"}}, {}, "a", "lik", "did you mean like?"),
        ({"a": {"inherits": "llama"}}, {}, "a", "inherits", "did you mean like?"),
        ({"a": {"zzz": 1}}, {}, "a", "zzz", "is not a field"),
        ({"a": {"theta": "5"}}, {}, "a", "theta", "'5' is not int or float"),
        ({"a": {"partial": {"all": "half"}}}, {}, "a", "partial", "'half'"),
        ({"a": {"partial": {"foo": 0.5}}}, {}, "a", "partial", "foo is unknown: it takes all, full_attention"),
        ({"a": {"theta": {"sliding_atention": 5}}}, {}, "a", "theta", "did you mean sliding_attention?"),
        ({"a": {"position": "ropes"}}, {}, "a", "position", "did you mean rope?"),
        ({"a": {"position": {"encodr": "rope"}}}, {}, "a", "position", "did you mean encoder?"),
        ({"a": {"position": {"full_attention": "rope"}}}, {}, "a", "position", "it takes all, encoder, decoder"),
        ({"a": {"pairing": "halves"}}, {}, "a", "pairing", "did you mean half?"),
        ({"a": {"axes": "block"}}, {}, "a", "axes", "did you mean blocks?"),
        ({"a": {"nope_layer_types": ["full"]}}, {}, "a", "nope_layer_types", "'full' is not one of full_attention"),
        ({"a": {"reads": ["alib"]}}, {}, "a", "reads", "did you mean alibi?"),
        ({"a": {"scalings": ["yarnn"]}}, {}, "a", "scalings", "did you mean yarn?"),
        ({"a": {"pattern": "(ssx)"}}, {}, "a", "pattern", "s sliding_attention"),
        ({"a": {"pattern": "ssf"}}, {}, "a", "pattern", "brackets"),
        ({"a": {"grid": [["image_sise", "patch_size"]]}}, {}, "a", "grid", "did you mean image_size?"),
        ({"a": {"grid": ["image_size", "patch_size"]}}, {}, "a", "grid", "is not list"),
        ({"a": {"grid": [["a", "b", "c", "d"]]}}, {}, "a", "grid", "[size, patch, stride]"),
        ({"a": {"sections": ["a"]}}, {}, "a", "sections", "'a' in its list is not int"),
        ({"a": {"grid_step": ["a"]}}, {}, "a", "grid_step", "is not int or float"),
        ({"a": {"unread": [5]}}, {}, "a", "unread", "5 in its list is not str"),
        ({"a": {"parameters": {"rope_thetta": 5}}}, {}, "a", "parameters", "did you mean rope_theta?"),
        ({"a": {"parameters": {"full": {"factor": 5}}}}, {}, "a", "parameters", "full is unknown"),
        ({"a": {"parameters": {"hybrid": {"factr": 5}}}}, {}, "a", "parameters", "did you mean factor?"),
        ({"a": {"sizes": {"hiden": 5}}}, {}, "a", "sizes", "did you mean hidden?"),
        ({"a": {"alibi": {"famly": "geometric"}}}, {}, "a", "alibi", "did you mean family?"),
        ({"a": {"temperature": {"layer": "all"}}}, {}, "a", "temperature", "did you mean layers?"),
        ({"a": {"bases": {"main": ["rope_theta"]}}}, {}, "a", "bases", "is not a list [key, base, kinds of layers]"),
        ({"a": {"bases": {"main": ["rope_theta", 5, "sliding"]}}}, {}, "a", "bases", "'sliding' is not a kind of"),
        ({"a": {"like": "lama"}}, {}, "a", "like", "did you mean llama?"),
        ({"a": {"text": "lama"}}, {}, "a", "text", "did you mean llama?"),
        ({"a": {"like": "b"}, "b": {"like": "a"}}, {}, "a", "like", "in a circle"),
        ({"a": {"text": "llama", "theta": 5.0}}, {}, "a", "theta", "not read beside text"),
        ({"a": "llama"}, {}, "a", "", "'llama' is not a table, as a = { like = 'llama' } is"),
        ({}, {"lama": {"hidden": 64}}, "lama", "sizes", "did you mean llama?"),
    ],
)
def test_a_wrong_table_is_refused_by_name(
    tables: dict[str, Any], sizes: dict[str, Any], name: str, key: str, said: str
) -> None:
    with pytest.raises(FactsError) as refused:
        read_types({**LLAMA, **tables}, sizes)
    assert (refused.value.name, refused.value.key) == (name, key)
    file = "sizes.toml" if sizes else "types.toml"
    assert all(word in str(refused.value) for word in (file, name, key, said))


@pytest.mark.parametrize(
    "facts",
    [
        {"partial": {"main": 0.5}, "bases": {"main": ["rope_theta", 5, "sliding_attention"]}},
        {"pattern": "-ff(sssn)f", "nope_layer_types": ["no_rope"], "nope_kinds": ["", "full_attention"]},
        {"grid": [["num_frames", 2], ["image_size", "patch_size", "patch_stride"]], "sizes": {"window": 5}},
        {"parameters": {"rope_type": "yarn", "full_attention": {"rope_theta": 5}}},
        {"position": {"encoder": "sinusoidal_j", "decoder": "learned"}, "also": ["timestep"]},
    ],
)
def test_a_right_table_is_taken(facts: dict[str, Any]) -> None:
    assert read_types({"a": facts}, {})["a"] == facts


def test_a_mistake_in_the_file_is_one_line_with_its_name(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    (tmp_path / "types.toml").write_text("llama = {\n")
    monkeypatch.setattr("pecli.models.facts.FOLDER", tmp_path)
    with pytest.raises(FactsError, match=r"types\.toml: is not TOML: "):
        read_facts("types.toml")
    (tmp_path / "types.toml").write_text("llama = { thetta = 5 }\n")
    (tmp_path / "sizes.toml").write_text("")
    model_types.cache_clear()
    with pytest.raises(PecliError) as refused:
        pecli.model(CONFIGS / "llama-2.json")
    model_types.cache_clear()
    assert str(refused.value) == f"{tmp_path}/types.toml: llama: thetta: is not a field, did you mean theta?"


def test_a_type_has_the_facts_of_another_but_for_its_own() -> None:
    tables = {**LLAMA, "a": {"theta": 5e5, "partial": 0.5}, "b": {"like": "a", "theta": 1e6}, "c": {"text": "b"}}
    found = read_types(tables, {"b": {"hidden": 64}})
    assert found["b"] == {"sizes": {"hidden": 64}, "theta": 1e6, "partial": 0.5}
    assert found["c"] == {"text": "b"}
