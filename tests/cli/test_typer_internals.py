"""What reaches into Typer buys time and nothing else: without it the same commands do the same."""

from __future__ import annotations

import inspect
from pathlib import Path
from typing import Any

import pytest
import typer
from typer.testing import CliRunner

from pecli.cli import app, commands, typer_internals
from pecli.cli.commands import ALIASES, PANEL, summary_of
from pecli.cli.typer_internals import make_app

SMALL = ["-d", "7", "-n", "11", "--dpi", "20", "--size", "column"]
LINES = [
    ["heatmap", *SMALL, "--base", "10", "-o", "a.png"],
    ["curves", *SMALL, "--at", "2,5", "--at", "7", "--no-title", "-o", "a.npz"],
    ["compare", "sinusoidal:d=6", "rope:d=6", "-n", "5", "--figure", "curves", "-o", "a.json"],
    ["table", "--length", "3"],
    ["encodings", "rope"],
    ["heatmap", "--length", "0"],
    ["heatmap", "--lenght", "5"],
    ["heatmpa"],
]


@pytest.fixture(scope="module")
def plain() -> typer.Typer:
    """The program in Typer's own ways alone."""
    return make_app(fast=False)


def ended(program: typer.Typer, words: list[str]) -> tuple[int, str, str]:
    answer = CliRunner().invoke(program, words, prog_name="pecli")
    return answer.exit_code, answer.stdout, answer.stderr


def files(folder: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in folder.iterdir()}


@pytest.mark.parametrize("words", LINES, ids=" ".join)
def test_without_it_a_command_does_the_same(words: list[str], plain: typer.Typer, folder: Path) -> None:
    fast, made = ended(app, words), files(folder)
    for path in folder.iterdir():
        path.unlink()
    assert ended(plain, words) == fast
    assert files(folder) == made


def test_without_it_the_list_has_every_command(plain: typer.Typer) -> None:
    code, shown, _ = ended(plain, ["--help"])
    assert code == 0
    assert [name for name in PANEL if name not in shown] == []
    assert [{one.name for one in made.registered_commands if one.hidden} for made in (plain, app)] == [{*ALIASES}] * 2


def test_a_command_that_is_not_called_is_not_built(monkeypatch: pytest.MonkeyPatch, folder: Path) -> None:
    built: list[str] = []
    register = commands.register

    def counted(program: typer.Typer, name: str, words: list[str]) -> Any:
        built.append(name)
        return register(program, name, words)

    monkeypatch.setattr(typer_internals, "register", counted)
    assert ended(app, ["--help"])[0] == 0
    assert built == []
    ended(app, ["heatmap", "--help"])
    assert built == ["heatmap"]


def test_typer_makes_no_adapter_for_options_that_pecli_reads(monkeypatch: pytest.MonkeyPatch, folder: Path) -> None:
    """What it buys, 0.1 to 0.2 s a command: none of some forty parameters is processed by Typer itself."""
    program = typer_internals._built("heatmap", [])
    kinds = {type(one) for one in program.params}
    processed: list[str] = []
    for kind in kinds:
        monkeypatch.setattr(kind, "process_value", lambda one, *_: processed.append(one.name))
    assert len(program.params) > 25
    assert ended(app, LINES[0])[0] == 0
    assert processed == []


def test_no_other_module_reaches_into_typer() -> None:
    root = Path(inspect.getfile(typer_internals)).parent
    inside = ("typer.main", "process_value", "get_params")
    found = {path.name for path in root.glob("*.py") if any(word in path.read_text("utf-8") for word in inside)}
    assert found == {"typer_internals.py"}


@pytest.mark.parametrize("name", PANEL)
def test_a_summary_is_one_line_without_a_full_stop(name: str) -> None:
    assert summary_of(name) and "\n" not in summary_of(name) and not summary_of(name).endswith(".")
