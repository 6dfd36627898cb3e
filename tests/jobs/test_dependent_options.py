"""Options that belong to another option's value, from the spec to the recipe, with an encoding of the test's own."""

from __future__ import annotations

import shlex
from dataclasses import dataclass
from typing import ClassVar

import pytest
from typer.testing import CliRunner

from pecli.cli.app import app
from pecli.core.errors import UsageError
from pecli.core.options import option
from pecli.encodings.registry import ENCODINGS
from pecli.encodings.sinusoidal import Sinusoidal
from pecli.jobs.command_line import command
from pecli.jobs.sweep import make_job
from pecli.models.spec import read_encoding


@dataclass(frozen=True)
class Stretched(Sinusoidal):
    """Sinusoidal at positions that are divided."""

    name: ClassVar[str] = "stretched"

    stretch: str = option("none", "how positions are divided", choices=lambda: ("none", "even", "late"))
    divisor: float = option(2.0, "what they are divided by", above=0, only_with=("stretch", ("even", "late")))
    onset: int | None = option(None, "from which position on", at_least=1, only_with=("stretch", "late"))


@pytest.fixture(autouse=True)
def registered(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(ENCODINGS, "stretched", Stretched)


def ask(*words: str) -> str:
    ended = CliRunner().invoke(app, list(words), env={"COLUMNS": "300"})
    assert ended.exit_code == 0, ended.stderr
    return ended.stdout


def test_a_figures_help_does_not_list_them() -> None:
    known = make_job("heatmap", {}).figure.options()
    assert "divisor" not in known
    assert "--divisor" not in ask("heatmap", "--help")


@pytest.mark.parametrize(
    "given",
    [
        {"encoding": "stretched:stretch=late,divisor=3,onset=5"},
        {"encoding": "stretched", "stretch": "late", "divisor": 3, "onset": 5},  # TOML and Python
    ],
)
def test_they_are_reached_in_the_spec_in_toml_and_in_python(given: dict[str, object]) -> None:
    assert make_job("heatmap", given).encodings == (Stretched(stretch="late", divisor=3.0, onset=5),)


def test_they_are_refused_elsewhere() -> None:
    with pytest.raises(UsageError, match=r"onset belongs to stretch=late, and stretch is even"):
        read_encoding("stretched:stretch=even,onset=5")
    with pytest.raises(UsageError, match=r"divisor belongs to stretch=even, late, and stretch is none"):
        make_job("heatmap", {"encoding": "stretched", "divisor": 3})
    with pytest.raises(UsageError, match="divisor=3 belongs to stretched, and the encoding is rope"):
        make_job("heatmap", {"encoding": "rope", "divisor": 3})


def test_the_recipe_says_them_in_the_spec_and_reads_back() -> None:
    job = make_job("heatmap", {"encoding": "stretched:stretch=even,divisor=3,d=6"})
    words = shlex.split(command(job))
    assert words == ["pecli", "heatmap", "--encoding", "stretched:d=6,stretch=even,divisor=3"]
    assert make_job("heatmap", job.settings()).encodings == job.encodings


def test_titles_show_what_was_changed_and_what_is_marked() -> None:
    assert Stretched().label() == "stretched, d 128, base 10,000"
    assert Stretched(stretch="even", layout="concatenated").label() == (
        "stretched, d 128, base 10,000, layout concatenated, stretch even"
    )
    assert Stretched(stretch="even", divisor=3).label().endswith("stretch even, divisor 3")


def test_they_are_told_under_the_value_that_they_belong_to() -> None:
    text = ask("encodings", "stretched")
    heads = [line.split("  ")[0].strip() for line in text.splitlines() if "what it does" in line]
    assert heads == ["parameter", "with stretch=even", "with stretch=late"]
    even, late = text.partition("with stretch=even")[2].split("with stretch=late")
    assert "divisor" in even
    assert "onset" not in even
    assert "divisor" in late
    assert "onset" in late
