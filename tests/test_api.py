"""Tests of the Python API: its names, what importing it loads, and what it refuses."""

from __future__ import annotations

import inspect
import subprocess
from collections.abc import Callable
from dataclasses import dataclass
from decimal import Decimal
from pathlib import Path
from typing import Any, ClassVar

import numpy as np
import pytest

import pecli
from pecli import Encoding, Harmonic, UsageError, option

Process = Callable[..., subprocess.CompletedProcess[Any]]


@pytest.mark.some(8)
@pytest.mark.parametrize("name", pecli.__all__)  # type: ignore[attr-defined]
def test_what_the_api_names_is_there_and_documented(name: str) -> None:
    assert name in dir(pecli)
    text = inspect.getdoc(getattr(pecli, name)) or ""
    assert text and not text.startswith(f"{name}(")
    if inspect.isfunction(getattr(pecli, name)) and name != "option":
        assert [head for head in ("Parameters", "Returns", "Raises") if f"{head}\n---" not in text] == []


def test_a_name_that_is_none_is_an_attribute_error() -> None:
    with pytest.raises(AttributeError, match="'pecli' has no attribute 'heatmpa'"):
        pecli.heatmpa  # type: ignore[attr-defined]  # noqa: B018  # asking for it is the point


LIGHT = """
import sys, pecli
pecli.Encoding, pecli.Harmonic, pecli.option, pecli.Positions
print([name for name in sys.modules if name.startswith(("numpy.", "matplotlib", "typer", "rich"))])
"""


def test_what_a_plugin_imports_loads_no_library(process: Process, folder: Path) -> None:
    ended = process(["-c", LIGHT], folder, {})
    assert (ended.stdout, ended.stderr) == (b"[]\n", b"")


@dataclass(frozen=True)
class Octaves(Harmonic):
    """Waves an octave apart, written with nothing but what `pecli` itself names."""

    name: ClassVar[str] = "octaves"
    summary: ClassVar[str] = "waves an octave apart"
    formula: ClassVar[str] = "ω_j = 2⁻ʲ"
    source: ClassVar[str] = "a test"
    kind: ClassVar[str] = "added to the embedding"
    example: ClassVar[str] = "pecli heatmap -e octaves"

    octaves: int = option(3, "how many octaves", at_least=1, at_most=40)

    @property
    def width(self) -> int:
        return 2 * self.octaves

    def rates(self) -> list[Decimal]:
        return [Decimal(2) ** -j for j in range(self.octaves)]


def test_a_plugin_needs_no_more_than_the_api(install: Callable[[type[Encoding]], None]) -> None:
    install(Octaves)
    assert issubclass(Octaves, Encoding)
    numbers = pecli.figure("heatmap", encoding="octaves:octaves=2", length=5).numbers
    assert numbers.main[:, 2] == pytest.approx(np.sin(np.arange(5) / 2))
    with pytest.raises(UsageError) as caught:
        Octaves(octaves=0)
    assert (caught.value.option, caught.value.value) == ("octaves", 0)


STRANGE: list[tuple[Callable[[], Any], str]] = [
    (lambda: pecli.figure(8), "8"),  # type: ignore[arg-type]  # that is the point, here and below
    (lambda: pecli.figure(["heatmap"]), "heatmap"),  # type: ignore[arg-type]
    (lambda: pecli.figure("curves", at=b"12,3"), "at"),
    (lambda: pecli.figure("curves", at={1: 2}), "at"),
    (lambda: pecli.figure("curves", at=[None, 3]), "at"),
    (lambda: pecli.figure("heatmap", base=b"10"), "base"),
    (lambda: pecli.figure("heatmap", base=object()), "base"),
    (lambda: pecli.figure("heatmap", encoding=8), "encoding"),
    (lambda: pecli.heatmap([None]), "None"),  # type: ignore[list-item]
    (lambda: pecli.compare(["rope", [None]]), "None"),  # type: ignore[list-item]
    (lambda: pecli.encode(8), "8"),  # type: ignore[arg-type]
    (lambda: pecli.encode(length="many"), "length"),  # type: ignore[arg-type]
    (lambda: pecli.batch("f.toml", jobs=-1), "jobs=-1"),
    (lambda: pecli.batch("f.toml", workers="many"), "jobs=many"),  # type: ignore[arg-type]
    (lambda: pecli.batch(5), "path=5"),  # type: ignore[arg-type]
    (lambda: pecli.batch("f.toml", only=5), "only"),  # type: ignore[arg-type]
]


@pytest.mark.parametrize(("ask", "said"), STRANGE, ids=range(len(STRANGE)))
def test_strange_values_are_refused_as_those_of_the_command_line(
    ask: Callable[[], Any], said: str, folder: Path
) -> None:
    (folder / "f.toml").write_text('[[figure]]\ncommand = "heatmap"\nlength = 3\ndpi = 10\n')
    with pytest.raises(UsageError) as caught:
        ask()
    assert said in str(caught.value)
    assert "--" not in str(caught.value)


@pytest.mark.parametrize(("name", "value"), [("panels", {}), ("panels", np.array([[4]])), ("size", 10**400)])
def test_a_value_of_any_type_is_refused_by_name(name: str, value: object) -> None:
    with pytest.raises(UsageError, match=name):
        _ = pecli.figure("overview", **{name: value}).job


def test_a_number_of_numpy_is_a_list_of_one() -> None:
    assert pecli.figure("curves", at=np.array(4)).job == pecli.figure("curves", at=[4]).job
