"""Encodings that are none of ours in figures: any rotary one is turned, a long average says why it takes long."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
import pytest

import pecli
from pecli.core.lazy import Array
from pecli.core.options import option
from pecli.core.terminal import TRACKER
from pecli.encodings.base import Additive, Rotary
from pecli.encodings.registry import ENCODINGS


@dataclass(frozen=True)
class Quarters(Rotary):
    """The only pair is turned by a quarter each position: no waves, no rope."""

    name: ClassVar[str] = "quarters"
    summary: ClassVar[str] = "a quarter turn each position"
    formula: ClassVar[str] = "f(x, p) = i^p x"
    source: ClassVar[str] = "a test"
    example: ClassVar[str] = "pecli rotation -e quarters"

    quarters: int = option(1, "how many quarters", at_least=1)

    @property
    def width(self) -> int:
        return 2

    def rotate(self, x: Array, positions: Array) -> Array:
        turned = (x[..., 0] + 1j * x[..., 1]) * 1j ** (self.quarters * positions)
        return np.stack([turned.real, turned.imag], axis=-1)

    def table(self, positions: Array) -> Array:
        return self.rotate(np.tile([1.0, 0.0], (len(positions), 1)), positions)

    def split(self, x: Array) -> tuple[Array, Array]:
        return x[..., :1], x[..., 1:]

    def rotation_written_out(self, x: Array, position: int, column: int) -> list[str]:
        return [f"{x[column]}"]


@dataclass(frozen=True)
class Steps(Additive):
    """Whether the position is odd: nothing but `table`."""

    name: ClassVar[str] = "steps"
    summary: ClassVar[str] = "odd or even"
    formula: ClassVar[str] = "p mod 2"
    source: ClassVar[str] = "a test"
    example: ClassVar[str] = "pecli heatmap -e steps"

    @property
    def width(self) -> int:
        return 1

    def table(self, positions: Array) -> Array:
        return np.mod(positions, 2)[:, None]


def test_rotation_takes_every_rotary(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(ENCODINGS, "quarters", Quarters)
    picture = pecli.figure("rotation", encoding="quarters", length=9, dpi=30)
    before, after = (picture.numbers.arrays()[name] for name in ("before", "after"))
    assert after[4] == pytest.approx(before[4]) and after[2] == pytest.approx(-before[2])
    assert picture.render("png")[0].startswith(b"\x89PNG")
    matrix = pecli.figure("rotation", encoding="quarters", matrix=1).numbers.arrays()["matrix"]
    assert matrix == pytest.approx(np.array([[0.0, -1.0], [1.0, 0.0]]))


def test_a_long_average_shows_a_bar_and_says_why(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(ENCODINGS, "steps", Steps)
    said: list[tuple[int, str]] = []

    def note(items: Sequence[Any], doing: str) -> Iterable[Any]:
        said.append((len(items), doing))
        return items

    before = TRACKER.set(note)
    try:
        picture = pecli.figure("heatmap", encoding="steps", length=100_000, dpi=20)
        assert picture.seen.arrays()["table"] == pytest.approx(0.5, abs=0.01)
    finally:
        TRACKER.reset(before)
    ((rows, text),) = [one for one in said if "closed form" in one[1]]
    assert rows > 10 and text == "averaging steps position by position: it has no closed form"
