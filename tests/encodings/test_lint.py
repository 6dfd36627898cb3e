"""Every check of a config finds something that no other does: without it a config of the corpus lacks a finding."""

from __future__ import annotations

import tomllib
from pathlib import Path
from typing import Any

import pytest

from pecli.models import lint
from pecli.models import lint as lint_scaling
from pecli.models.reader import read_model

CONFIGS = Path(__file__).parents[1] / "data" / "configs"
EXPECTED: dict[str, list[str]] = {
    name: one["findings"]
    for name, one in tomllib.loads((CONFIGS / "gives.toml").read_text(encoding="utf-8")).items()
    if one["findings"]
}


def lacking() -> set[str]:
    """The configs that are not told all that they should be."""
    found = {name: told(name) for name in EXPECTED}
    return {name for name, keys in EXPECTED.items() if not set(keys) <= found[name]}


def told(name: str) -> set[str]:
    """The keys of the findings, each also with its level before it."""
    findings = read_model(CONFIGS / f"{name}.json").findings
    return {one.key for one in findings} | {f"{one.level} {one.key}" for one in findings}


def test_with_all_checks_nothing_is_lacking() -> None:
    assert lacking() == set()


@pytest.mark.parametrize("check", lint.CHECKS, ids=lambda check: check.__name__)
def test_a_check_of_the_file_is_needed(check: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(lint, "CHECKS", [one for one in lint.CHECKS if one is not check])
    assert lacking()


@pytest.mark.parametrize("check", lint_scaling.SCALING_CHECKS, ids=lambda check: check.__name__)
def test_a_check_of_a_scaling_is_needed(check: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    kept = [one for one in lint_scaling.SCALING_CHECKS if one is not check]
    monkeypatch.setattr(lint_scaling, "SCALING_CHECKS", kept)
    assert lacking()


@pytest.mark.parametrize("check", [*lint.CHECKS, *lint_scaling.SCALING_CHECKS], ids=lambda check: check.__name__)
def test_a_check_says_what_it_looks_for(check: Any) -> None:
    assert check.__doc__
