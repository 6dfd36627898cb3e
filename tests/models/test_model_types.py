"""types.toml: what is wrong in it is refused by the name of the type and of the field."""

from __future__ import annotations

from typing import Any

import pytest

from pecli.models.model_types import FactsError, read_types

LLAMA: dict[str, Any] = {"llama": {}}


@pytest.mark.parametrize(
    ("tables", "sizes", "name", "key"),
    [
        ({"a": {"thetta": 5.0}}, {}, "a", "thetta"),
        ({"a": {"theta": "5"}}, {}, "a", "theta"),
        ({"a": {"partial": {"all": "half"}}}, {}, "a", "partial"),
        ({"a": {"position": "ropes"}}, {}, "a", "position"),
        ({"a": {"pairing": "halves"}}, {}, "a", "pairing"),
        ({"a": {"like": "lama"}}, {}, "a", "like"),
        ({"a": {"text": "lama"}}, {}, "a", "text"),
        ({"a": {"like": "b"}, "b": {"like": "a"}}, {}, "a", "like"),
        ({"a": {"text": "llama", "theta": 5.0}}, {}, "a", "theta"),
        ({}, {"lama": {"hidden": 64}}, "lama", "sizes"),
    ],
)
def test_a_wrong_table_is_refused_by_name(tables: dict[str, Any], sizes: dict[str, Any], name: str, key: str) -> None:
    with pytest.raises(FactsError) as refused:
        read_types({**LLAMA, **tables}, sizes)
    assert (refused.value.name, refused.value.key) == (name, key)
    assert all(word in str(refused.value) for word in (name, key))


def test_a_type_has_the_facts_of_another_but_for_its_own() -> None:
    tables = {**LLAMA, "a": {"theta": 5e5, "partial": 0.5}, "b": {"like": "a", "theta": 1e6}, "c": {"text": "b"}}
    found = read_types(tables, {"b": {"hidden": 64}})
    assert found["b"] == {"sizes": {"hidden": 64}, "theta": 1e6, "partial": 0.5}
    assert found["c"] == {"text": "b"}
