"""Tests of the skill file: its length, its copy in the package, and its commands, which run."""

from __future__ import annotations

import json
import re
import shlex
import tomllib
from pathlib import Path

import numpy as np
import pytest

import pecli
from pecli.cli.app import PANEL
from pecli.cli.skill import TEXT
from tests.conftest import Ask

ROOT = Path(__file__).parents[2]
SKILL = TEXT.read_text(encoding="utf-8")
LINES = [
    *re.findall(r"`(pecli [a-z][^`]+)`", SKILL),
    *(line for line in SKILL.splitlines() if line.startswith("pecli ")),
]
CONFIG = {"model_type": "llama", "hidden_size": 64, "num_attention_heads": 4, "num_hidden_layers": 2}
CONFIG |= {"max_position_embeddings": 2048, "rope_theta": 10000.0}
BATCH = '[[figure]]\ncommand = "heatmap"\nlength = 3\nd = 4\noutput = "heat.json"\n'


@pytest.fixture
def files(folder: Path) -> None:
    """Write the files that the lines read."""
    for name in ("config.json", "other.json"):
        Path(name).write_text(json.dumps(CONFIG), encoding="utf-8")
    np.save("table.npy", pecli.encode(d=8, length=50))
    Path("figures.toml").write_text(BATCH, encoding="utf-8")


@pytest.mark.long
@pytest.mark.parametrize("line", LINES)
@pytest.mark.usefixtures("files")
def test_a_line_of_the_skill_runs(ask: Ask, line: str) -> None:
    words = shlex.split(line)[1:]
    if "--check" in words:
        assert ask(*words).code == 1  # nothing is drawn yet
        ask("batch", "figures.toml", "-j", "1")
    ended = ask(*words)
    assert ended.code == 0, ended.err
    if "--json" in words:
        json.loads(ended.out)


def test_the_skill_is_short_and_has_front_matter_and_recipes() -> None:
    lines = SKILL.splitlines()
    assert len(lines) < 60 and max(map(len, lines[4:])) <= 120
    assert (lines[0], lines[1], lines[3]) == ("---", "name: pecli", "---")
    assert lines[2].startswith("description: ") and ": " not in lines[2].removeprefix("description: ")
    assert len(re.findall(r"^# \d\. ", SKILL, re.M)) == 3
    assert {line.split()[1] for line in LINES} <= {*PANEL} and len(LINES) > 15


def test_there_is_one_text(ask: Ask) -> None:
    assert (ROOT / ".agents" / "skills" / "pecli" / "SKILL.md").read_text(encoding="utf-8") == SKILL
    ended = ask("skill")
    assert (ended.code, ended.out, ended.err) == (0, SKILL, "")
    wheel = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["tool"]["hatch"]["build"]["targets"]
    assert wheel["wheel"]["packages"] == ["pecli"] and "pecli" in TEXT.relative_to(ROOT).parts
