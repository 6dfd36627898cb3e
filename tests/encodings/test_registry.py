"""Tests of the registry: the capabilities of encodings, plugins, and specs."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from importlib.metadata import EntryPoint
from types import SimpleNamespace
from typing import Any, ClassVar

import numpy as np
import pytest

import pecli
from pecli.core.errors import UnknownNameError, UsageError
from pecli.core.lazy import Array
from pecli.core.options import option
from pecli.encodings import registry
from pecli.encodings.base import Additive, BiasEncoding, Encoding, TableEncoding
from pecli.encodings.clock import Clock
from pecli.encodings.registry import ENCODINGS, all_encodings, find_encoding
from pecli.encodings.rope import Rope
from pecli.encodings.sinusoidal import Sinusoidal
from pecli.encodings.spec import parse_encoding, read_encoding
from pecli.jobs.job_options import ANALYSES
from pecli.jobs.sweep import make_job

Register = Callable[..., None]


@dataclass(frozen=True)
class Plugin(Additive):
    """Powers of the position: an encoding as another package would write it."""

    name: ClassVar[str] = "powers"
    summary: ClassVar[str] = "powers of the position"
    formula: ClassVar[str] = "PE(p, j) = (p / scale)^j"
    source: ClassVar[str] = "a test"
    example: ClassVar[str] = "pecli heatmap -e powers"

    count: int = option(3, "how many powers", at_least=1, at_most=99)
    scale: float = option(100.0, "what the position is divided by", above=0)

    @property
    def width(self) -> int:
        return self.count

    def table(self, positions: Array) -> Array:
        return (np.asarray(positions, dtype=float)[:, None] / self.scale) ** np.arange(self.count)


@dataclass(frozen=True)
class Usurper(Plugin):
    """A plugin under the name of one of ours."""

    name: ClassVar[str] = "sinusoidal"


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
class Capable(Encoding):
    """An encoding that says nothing of what it can do."""

    name: ClassVar[str] = "capable"


@dataclass(frozen=True)
class Empty(TableEncoding):
    """An encoding with a table that it does not give."""

    name: ClassVar[str] = "empty"
    summary: ClassVar[str] = "nothing"
    formula: ClassVar[str] = "none"
    source: ClassVar[str] = "a test"
    example: ClassVar[str] = "pecli heatmap -e empty"


class Point(EntryPoint):
    """An entry point of an installed package, made up."""

    def load(self) -> Any:
        loaded = LOADED[self.value]
        if isinstance(loaded, Exception):
            raise loaded
        return loaded

    dist: ClassVar[Any] = SimpleNamespace(name="someones-package")


LOADED: dict[str, Any] = {
    "good:Plugin": Plugin,
    "good:Window": Window,
    "missing:Gone": ImportError("No module named 'missing'"),
    "old:Syntax": SyntaxError("invalid syntax"),
    "wrong:Object": "not a class",
    "other:Name": Plugin,
    "no:Capability": Capable,
    "no:Table": Empty,
    "our:Name": Usurper,
}


@pytest.fixture
def register(monkeypatch: pytest.MonkeyPatch) -> Iterator[Register]:
    """Installs entry points: register(powers="good:Plugin")."""

    def install(**points: str) -> None:
        made = [Point(name=name, value=value, group="pecli.encodings") for name, value in points.items()]
        monkeypatch.setattr("importlib.metadata.entry_points", lambda *, group: made if group == made[0].group else [])

    registry.plugins.cache_clear()
    yield install
    registry.plugins.cache_clear()


def test_an_encodings_kind_is_what_it_can_do() -> None:
    assert all(issubclass(encoding, (TableEncoding, BiasEncoding)) for encoding in ENCODINGS.values())
    added = [name for name, encoding in ENCODINGS.items() if issubclass(encoding, Additive)]
    assert {"sinusoidal", "learned"} <= {*added} and not {"relative", "rope", "alibi"} & {*added}
    assert {ENCODINGS[name].kind for name in added} == {"added to the embedding"}


def test_a_bias_is_listed_like_every_encoding_and_refused_where_a_table_is_needed(
    register: Register, ask: Callable[..., Any]
) -> None:
    register(window="good:Window")
    assert "window" in ask("encodings").out
    with pytest.raises(UsageError) as refused:
        pecli.figure("heatmap", encoding="window:reach=2")
    text, _, item = str(refused.value).partition(": try ")
    assert text == "heatmap cannot show window, which has no table"
    every = [
        name for name, analysis in ANALYSES.items() if issubclass(Window, analysis.requires) and not analysis.composed
    ]
    assert item == f"bias, {every[0]}, …; pecli encodings window lists all figures"
    with pytest.raises(UsageError, match="window has no table: it is added to the score"):
        pecli.encode("window")


def test_a_plugin_is_an_encoding_like_ours(register: Register) -> None:
    register(powers="good:Plugin")
    assert find_encoding("powers") is Plugin
    assert list(all_encodings()) == ["powers", *ENCODINGS]
    assert pecli.encode("powers:count=2,scale=2", start=3, length=2).tolist() == [[1, 1.5], [1, 2]]
    assert pecli.encode("powers", count=2, scale=4, start=3, length=1).tolist() == [[1, 0.75]]
    job = make_job("heatmap", {"encoding": "powers", "count": 5, "length": 7})
    assert job.settings()["encoding"] == ["powers:count=5"]
    assert make_job("heatmap", job.settings()).encodings == (Plugin(count=5),)

    with pytest.raises(UsageError, match="count="):
        read_encoding("powers:count=100")
    with pytest.raises(UnknownNameError, match="did you mean 'count'"):
        read_encoding("powers:coun=1")
    with pytest.raises(UnknownNameError, match=r"did you mean 'powers'.*powers, sinusoidal"):
        find_encoding("powrs")


@pytest.mark.parametrize(
    ("name", "value", "why"),
    [
        ("gone", "missing:Gone", "No module named 'missing'"),
        ("older", "old:Syntax", "invalid syntax"),
        ("object", "wrong:Object", "'not a class' is not a subclass of"),
        ("capable", "no:Capability", "its class has no gives, summary"),
        ("empty", "no:Table", "its class has no kind, table, width"),
        ("other", "other:Name", "its class is named 'powers'"),
        ("sinusoidal", "our:Name", "that name is pecli's own"),
    ],
)
def test_a_broken_plugin_is_one_warning_that_names_it(name: str, value: str, why: str, register: Register) -> None:
    register(**{name: value, "powers": "good:Plugin"})
    assert find_encoding("sinusoidal") is Sinusoidal  # without asking for plugins: a warning is an error here
    with pytest.warns(UserWarning) as caught:
        known = all_encodings()
    (text,) = [str(warning.message) for warning in caught]
    assert text.startswith(f"encoding plugin '{name}' of someones-package ")
    assert why in text and "\n" not in text
    assert list(known) == ["powers", *ENCODINGS]
    with warnings.catch_warnings(action="error"):
        all_encodings()


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        *((name, kind.make({})) for name, kind in ENCODINGS.items()),
        ("sinusoidal:", Sinusoidal()),
        ("sinusoidal:base=10,d=64", Sinusoidal(base=10, d=64)),
        (" sinusoidal : base = 10 , d=1e2", Sinusoidal(base=10, d=100)),
        ("sinusoidal:d=7,base=1e22,layout=concatenated", Sinusoidal(d=7, base=1e22, layout="concatenated")),
        ("clock: periods = 60 , 3600 , 43200.5", Clock(periods=(60, 3600, 43200.5))),
        ("clock:periods=hour,1e3,day", Clock(periods=(3600, 1000, 86400))),
        ("rope:query=random:7,d=6", Rope(query="random:7", d=6)),
    ],
)
def test_a_text_is_the_encoding_and_the_encoding_that_text(text: str, expected: Encoding) -> None:
    assert read_encoding(text) == expected
    assert read_encoding(expected.spec()) == expected


def test_an_option_wins_over_the_text_and_a_list_ends_where_the_next_parameter_begins() -> None:
    assert read_encoding("sinusoidal:base=10,d=64", {"d": 6}) == Sinusoidal(base=10, d=6)
    _, written = parse_encoding("rope:long_factor=1,2,d=3,short_factor=4,5")
    assert written == {"long_factor": "1,2", "d": "3", "short_factor": "4,5"}


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("sinusoid", "did you mean 'sinusoidal'"),
        ("sinusoidal:bse=10", "did you mean 'base'"),
        ("sinusoidal:base=10,base=11", "twice"),
        ("sinusoidal:base", "name:parameter=value"),
        ("clock:60,3600", "name:parameter=value"),
        ("clock:,periods=60", "name:parameter=value"),
        ("sinusoidal:=10", "parameter"),
        ("", "unknown encoding"),
        ("zzzz", "sinusoidal, clock"),
        ("sinusoidal:d=0", "whole number from 1 to"),
    ],
)
def test_a_wrong_text_says_what_is_wrong(text: str, said: str) -> None:
    with pytest.raises(UsageError, match=said):
        read_encoding(text)
