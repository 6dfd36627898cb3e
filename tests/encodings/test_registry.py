"""The registry: encodings of other packages, broken ones, and the text form with lists in it."""

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
from pecli.encodings import registry as encodings
from pecli.encodings.base import Additive, TableEncoding
from pecli.encodings.clock import Clock
from pecli.encodings.registry import ENCODINGS, Encoding, all_encodings, find_encoding
from pecli.encodings.sinusoidal import Sinusoidal
from pecli.jobs.job import Job
from pecli.models.spec import parse_encoding, read_encoding, read_table_encoding

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
    "missing:Gone": ImportError("No module named 'missing'"),
    "old:Syntax": SyntaxError("invalid syntax"),
    "wrong:Object": "not a class",
    "wrong:Class": dict,
    "other:Name": Plugin,
    "no:Capability": Capable,
    "no:Table": Empty,
}


@pytest.fixture
def register(monkeypatch: pytest.MonkeyPatch) -> Iterator[Register]:
    """Installs entry points: register(powers="good:Plugin")."""
    asked: list[str] = []

    def install(**points: str) -> None:
        made = [Point(name=name, value=value, group="pecli.encodings") for name, value in points.items()]

        def found(*, group: str) -> list[Point]:
            asked.append(group)
            return made

        monkeypatch.setattr("importlib.metadata.entry_points", found)

    encodings._plugins.cache_clear()
    yield install
    encodings._plugins.cache_clear()
    assert set(asked) <= {"pecli.encodings"}


def test_every_encoding_is_registered_under_its_own_name() -> None:
    assert {name: one.name for name, one in ENCODINGS.items()} == {name: name for name in ENCODINGS}
    assert set(ENCODINGS) >= {"sinusoidal", "clock", "geometric", "binary", "learned", "relative", "rope"}


TABLES = [name for name, one in ENCODINGS.items() if issubclass(one, TableEncoding)]


@pytest.mark.parametrize("name", ENCODINGS)
def test_every_encoding_reads_back_from_its_text(name: str) -> None:
    encoding = read_encoding(name)
    assert read_encoding(encoding.spec()) == encoding


@pytest.mark.parametrize("name", TABLES)
def test_a_table_is_of_finite_numbers(name: str) -> None:
    table = pecli.encode(name, length=7)
    assert table.dtype == np.float64
    assert table.ndim == 2
    assert np.isfinite(table).all()


@pytest.mark.parametrize("name", TABLES)
def test_a_table_does_not_depend_on_what_else_is_asked_for(name: str) -> None:
    encoding = read_table_encoding("binary:d=9" if name == "binary" else name)
    positions = np.array([7.0, 3.0, 300.0, 3.0])
    rows = encoding.table(positions)
    assert np.array_equal(rows, np.vstack([encoding.table(positions[i : i + 1]) for i in range(4)]))
    assert np.array_equal(rows, np.vstack([encoding.table(position) for position in positions]))
    assert encoding.table(positions[0]).shape == (encoding.width,)
    assert np.array_equal(encoding.table(positions.reshape(2, 2)), rows.reshape(2, 2, -1))


# plugins


def test_a_plugin_is_an_encoding_like_ours(register: Register) -> None:
    register(powers="good:Plugin")
    assert find_encoding("powers") is Plugin
    assert list(all_encodings()) == ["powers", *ENCODINGS]
    assert pecli.encode("powers:count=2,scale=2", start=3, length=2).tolist() == [[1, 1.5], [1, 2]]
    assert pecli.encode("powers", count=2, scale=4, start=3, length=1).tolist() == [[1, 0.75]]


def test_a_plugins_job_reads_back(register: Register) -> None:
    register(powers="good:Plugin")
    job = Job.make("heatmap", {"encoding": "powers", "count": 5, "length": 7})
    assert job.encodings == (Plugin(count=5),)
    assert job.settings()["encoding"] == ["powers:count=5"]
    assert Job.make("heatmap", job.settings()).encodings == job.encodings


def test_a_plugins_bounds_hold(register: Register) -> None:
    register(powers="good:Plugin")
    with pytest.raises(UsageError, match="count="):
        read_encoding("powers:count=100")
    with pytest.raises(UnknownNameError, match="did you mean 'count'"):
        read_encoding("powers:coun=1")


def test_plugins_are_known_where_a_name_is_mistyped(register: Register) -> None:
    register(powers="good:Plugin")
    with pytest.raises(UnknownNameError, match=r"did you mean 'powers'.*powers, sinusoidal"):
        find_encoding("powrs")


@pytest.mark.parametrize(
    ("name", "value", "why"),
    [
        ("gone", "missing:Gone", "No module named 'missing'"),
        ("older", "old:Syntax", "invalid syntax"),
        ("object", "wrong:Object", "'not a class' is not a subclass of"),
        ("class", "wrong:Class", "is not a subclass of"),
        ("capable", "no:Capability", "its class can do nothing: it derives from Encoding"),
        ("empty", "no:Table", "its class has no kind, table, width"),
        ("other", "other:Name", "its class is named 'powers'"),
    ],
)
def test_a_broken_plugin_is_one_warning_that_names_it(name: str, value: str, why: str, register: Register) -> None:
    register(**{name: value, "powers": "good:Plugin"})
    with pytest.warns(UserWarning) as caught:
        known = all_encodings()
    (warning,) = caught
    said = str(warning.message)
    assert said.startswith(f"encoding plugin '{name}' of someones-package is left out: ")
    assert why in said
    assert "\n" not in said
    assert list(known) == ["powers", *ENCODINGS]


def test_a_plugin_cannot_take_the_place_of_ours(register: Register, monkeypatch: pytest.MonkeyPatch) -> None:
    register(sinusoidal="good:Plugin")
    monkeypatch.setattr(Plugin, "name", "sinusoidal")
    with pytest.warns(UserWarning, match="that name is pecli's own"):
        assert all_encodings() == ENCODINGS
    assert find_encoding("sinusoidal") is Sinusoidal


def test_broken_plugins_warn_once(register: Register) -> None:
    register(gone="missing:Gone")
    with pytest.warns(UserWarning):
        all_encodings()
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        all_encodings()


def test_ours_are_found_without_asking_for_plugins(register: Register) -> None:
    register(gone="missing:Gone")
    assert find_encoding("clock") is Clock  # a warning would be an error here


# the text form


@pytest.mark.parametrize(
    ("text", "periods"),
    [
        ("clock:periods=60,3600", (60, 3600)),
        ("clock:periods=60", (60,)),
        ("clock: periods = 60 , 3600 , 43200", (60, 3600, 43200)),
        ("clock:periods=hour,1e3,day", (3600, 1000, 86400)),
    ],
)
def test_a_comma_that_no_parameter_follows_belongs_to_the_value(text: str, periods: tuple[float, ...]) -> None:
    assert read_encoding(text) == Clock(periods=periods)


def test_a_list_ends_where_the_next_parameter_begins() -> None:
    _, written = parse_encoding("rope:long_factor=1,2,d=3,short_factor=4,5")
    assert written == {"long_factor": "1,2", "d": "3", "short_factor": "4,5"}


@pytest.mark.parametrize("text", ["clock:60,3600", "clock:,periods=60", "clock:60"])
def test_a_value_without_a_parameter_is_refused(text: str) -> None:
    with pytest.raises(UsageError, match="name:parameter=value"):
        read_encoding(text)


def test_a_list_reads_back_from_its_text() -> None:
    encoding = Clock(periods=(1, 3600, 86400.5))
    assert encoding.spec() == "clock:periods=1,3600,86400.5"
    assert read_encoding(encoding.spec()) == encoding


def test_a_seed_behind_a_colon_belongs_to_the_value() -> None:
    assert read_encoding("rope:query=random:7,d=6").settings()["query"] == "random:7"
