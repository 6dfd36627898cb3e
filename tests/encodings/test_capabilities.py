"""Capabilities: a bias without a table is one class, and figures know by its type what they can draw of it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
import pytest
from typer.testing import CliRunner

import pecli
from pecli.analysis import Analysis, Numbers, View
from pecli.cli import app
from pecli.core.errors import UsageError
from pecli.core.lazy import Array
from pecli.core.options import option
from pecli.core.positions import Positions
from pecli.encodings.base import Additive, BiasEncoding, Rotary, TableEncoding
from pecli.encodings.harmonic import Harmonic
from pecli.encodings.registry import ENCODINGS, Encoding
from pecli.encodings.rope import Rope
from pecli.encodings.sinusoidal import Sinusoidal
from pecli.figures import FIGURES
from pecli.jobs.job_options import ANALYSES
from pecli.models.spec import read_encoding, read_table_encoding


@dataclass(frozen=True)
class Window(BiasEncoding):
    """Every head sees so many positions back: 0 inside, −inf outside."""

    name: ClassVar[str] = "window"
    summary: ClassVar[str] = "a sliding window, twice as long from one head to the next"
    formula: ClassVar[str] = "0 for 0 ≤ m − n < length · 2^h, else −∞"
    source: ClassVar[str] = "a test"
    example: ClassVar[str] = "pecli bias -e window"

    reach: int = option(4, "how far the first head sees", at_least=1)

    @property
    def n_heads(self) -> int:
        return 3

    def bias(self, offsets: Array) -> Array:
        reach = self.reach * 2 ** np.arange(self.n_heads)[:, None]
        return np.where((offsets >= 0) & (offsets < reach), 0.0, -np.inf)


@dataclass(frozen=True)
class Biases(Analysis[BiasEncoding]):
    """What an analysis of biases says: the type checker knows what view.encoding is."""

    name: ClassVar[str] = "biases"
    requires: ClassVar[Any] = BiasEncoding

    def shape(self, view: View[BiasEncoding]) -> tuple[int, ...]:
        return (view.encoding.n_heads, view.positions.length)

    def compute(self, view: View[BiasEncoding]) -> Numbers[BiasEncoding]:
        assert view.encoding.bias(view.positions.array()).shape == self.shape(view)
        return Numbers(view)


@pytest.fixture
def registered(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.setitem(ENCODINGS, "window", Window)
    yield


def test_a_bias_is_listed_like_every_encoding(registered: None) -> None:
    ended = CliRunner().invoke(app, ["encodings"], env={"COLUMNS": "400"})
    (line,) = [line for line in ended.stdout.splitlines() if line.split()[:1] == ["window"]]
    assert "twice as long from one head to the next" in line
    assert "added to the score" in line


def test_a_bias_is_refused_with_the_figures_that_fit(registered: None) -> None:
    with pytest.raises(UsageError) as refused:
        pecli.figure("distance", encoding="window:reach=2")
    assert str(refused.value).startswith("distance cannot show window: it has no table; try ")
    told = str(refused.value).partition("try ")[2].split(", ")
    assert told == [name for name, one in ANALYSES.items() if issubclass(Window, one.requires) and not one.composed]
    assert not {"heatmap", "distance", "stats", "rotation"} & set(told)


def test_a_bias_has_no_table_to_give(registered: None) -> None:
    with pytest.raises(UsageError, match="window has no table: it is added to the score"):
        pecli.encode("window")
    assert not hasattr(Window, "table")
    assert not hasattr(Window, "width")


def test_an_analysis_of_biases_takes_biases_alone() -> None:
    assert Biases.takes(Window)
    assert not Biases.takes(Sinusoidal)
    assert Biases.refusal(Sinusoidal) == "biases cannot show sinusoidal: it has no bias"
    view = View((Window(),), Positions(length=5))
    assert Biases().compute(view).view.encoding.n_heads == 3


def test_a_figure_requires_the_capability_of_its_type_parameter() -> None:
    assert FIGURES["heatmap"].requires is TableEncoding
    assert FIGURES["dials"].requires is Harmonic
    assert FIGURES["rotation"].requires is Rotary
    assert FIGURES["compare"].requires is Encoding
    assert not FIGURES["terms"].takes(Rope)
    assert FIGURES["attention"].takes(Rope)
    assert FIGURES["terms"].refusal(Rope) == "terms cannot show rope: it has no position vector to add"


def test_kinds_come_from_capabilities() -> None:
    added = [name for name, one in ENCODINGS.items() if issubclass(one, Additive)]
    assert {"sinusoidal", "learned"} <= {*added} and not {"relative", "rope", "alibi"} & {*added}
    assert {ENCODINGS[name].kind for name in added} == {"added to the embedding"}
    assert issubclass(Rope, Rotary) and issubclass(Rope, Harmonic)


def test_every_encoding_can_do_something() -> None:
    assert [name for name, one in ENCODINGS.items() if not issubclass(one, (TableEncoding, BiasEncoding))] == []


def test_a_table_is_asked_for_by_its_type() -> None:
    assert read_table_encoding("sinusoidal:d=6").width == 6
    assert read_encoding("sinusoidal:d=6") == read_table_encoding("sinusoidal", {"d": 6})


@pytest.mark.parametrize(
    "spec",
    [
        "sinusoidal:d=7",
        "clock",
        "rope:d=8,pairing=half,query=random:3",
        "binary:order=msb,values=pm1,d=12",
        "learned:d=5",
        "sinusoidal:d=6,dtype=bfloat16",
    ],
)
def test_some_columns_are_those_of_the_table(monkeypatch: pytest.MonkeyPatch, spec: str) -> None:
    monkeypatch.setattr("pecli.core.numbers.CHUNK", 64)
    encoding, dims = read_table_encoding(spec), np.array([4, 0, 3])
    for first, count in ((0, 1), (1000, 101), (37, 20)):
        table = encoding.table(np.arange(first, first + count, dtype=np.float64))
        assert encoding.columns(dims, first, count) == pytest.approx(table[:, dims].T, abs=1e-14)
