"""Tests of options: reading, checking, comparing and writing values, ranges and sizes."""

from __future__ import annotations

import dataclasses
from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest

from pecli.core.errors import UsageError
from pecli.core.options import EXACT, MAX_RANGE, Option, Options, inches_of, option


@dataclass(frozen=True)
class Cake(Options):
    what = "ingredient"

    eggs: int = option(3, "how many eggs", at_least=1, at_most=97)
    heat: float = option(180.5, "degrees", above=0, flags=("-t",))
    flour: str = option("rye", "which flour", choices=lambda: ("rye", "wheat"))
    cold: bool = option(False, "not baked")
    note: str | None = option(None, "said beside it", unset="nothing")
    layers: tuple[int, ...] = option((1, 2), "thickness of each", at_least=-7)
    names: tuple[str, ...] = option((), "names, kept whole", split=False)
    salt_grains: int | None = option(None, "counted")
    rising: str = option("none", "what makes it rise", choices=lambda: ("none", "yeast", "powder"))
    hours: float = option(1.0, "how long it rises", above=0, only_with=("rising", "yeast"))
    grams: int | None = option(None, "how much of it", at_least=1, only_with=("rising", ("yeast", "powder")))


@pytest.mark.parametrize(
    ("name", "given", "value"),
    [
        *(("eggs", given, 5) for given in ("5", " +5 ", 5.0, "0.5e1", np.int64(5))),
        *(("heat", given, 2.0) for given in ("2", 2, "2e0", np.float64(2))),
        ("flour", "wheat", "wheat"),
        *(("cold", given, True) for given in ("true", "True", "yes", True)),
        *(("note", given, given) for given in (None, "a, b", "")),
        ("layers", "3,-5", (3, -5)),
        ("layers", [3, "5"], (3, 5)),
        ("layers", 3, (3,)),
        ("layers", "1..3", (1, 2, 3)),
        ("names", "a,b", ("a,b",)),
        ("names", ["a,b", "c"], ("a,b", "c")),
        *(("salt_grains", given, int(given)) for given in (-EXACT, str(EXACT))),
    ],
)
def test_every_spelling_gives_the_checked_value(name: str, given: object, value: object) -> None:
    read = getattr(Cake.make({name: given}), name)
    assert read == value and type(read) is type(value)


REFUSED: dict[str, list[Any]] = {
    "eggs": [0, 98, -5, 2.5, True, None, "", "--5", "²", "nan", "inf", "9" * 20, "9" * 5000, [3], b"5"],
    "heat": [0, -0.0, "nan", "-inf", "1e999", 10**400, "0x10", False],
    "flour": [3],
    "cold": ["maybe", 1],
    "note": ["a\0b", 5],
    "layers": ["3,,5", "3,-8", None, {3: 4}],
    "salt_grains": [EXACT + 1, "9" * 20, "2.0000000000000000001"],
}


@pytest.mark.parametrize(("name", "given"), [(name, value) for name, values in REFUSED.items() for value in values])
def test_what_is_not_allowed_is_named_with_what_is(name: str, given: object) -> None:
    with pytest.raises(UsageError) as caught:
        Cake.make({name: given})
    assert caught.value.option == name and name in str(caught.value)
    assert "it takes" in str(caught.value) and len(str(caught.value)) < 250


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({"layers": "0-7"}, "a range is FIRST..LAST"),
        ({"flour": "what"}, "did you mean 'wheat'"),
        ({"egs": 3}, "unknown ingredient of Cake: 'egs'; did you mean 'eggs'"),
        ({"heat": 3, "t": 4}, "heat is given twice, once as t"),
        ({"hours": 2}, "hours belongs to rising=yeast, but rising is none"),
        ({"hours": 2, "rising": "powder"}, "hours belongs to rising=yeast, but rising is powder"),
        ({"grams": 5}, "grams belongs to rising=yeast, powder, but rising is none"),
    ],
)
def test_a_refusal_says_what_to_do(given: dict[str, Any], said: str) -> None:
    with pytest.raises(UsageError) as caught:
        Cake.make(given)
    assert said in str(caught.value)


@pytest.mark.parametrize(
    "cake",
    [
        Cake(),
        Cake(eggs=97, heat=1e300, cold=True, note="a, 'b'", layers=(-7, 0), salt_grains=0),
        *(Cake(heat=heat) for heat in (0.1 + 0.2, 2.0**53 * 3, 5e-324)),
    ],
)
def test_what_write_writes_read_reads(cake: Cake) -> None:
    for name, value in cake.settings().items():
        item = Cake.options()[name]
        if value not in (None, ()):
            assert item.read(item.write(value)) == value


def test_values_are_kept_and_compared() -> None:
    heat = Cake.options()["heat"]
    assert [heat.write(value) for value in (10000.0, 0.5, 1e300)] == ["10000", "0.5", "1e+300"]
    assert Cake().changed() == {}
    assert Cake(eggs="5", heat=180.5, note="x").changed() == {"eggs": 5, "note": "x"}  # type: ignore[arg-type]  # text
    assert Cake(eggs=5) == Cake(eggs=5) != Cake()
    with pytest.raises(UsageError):
        Cake(eggs=10**5000)
    with pytest.raises(dataclasses.FrozenInstanceError):
        Cake().eggs = 7  # type: ignore[misc]  # that is the point


@pytest.mark.parametrize(
    ("text", "whole", "log", "numbers"),
    [
        ("0..4", True, False, ["0", "1", "2", "3", "4"]),
        ("2..-1", True, False, ["2", "1", "0", "-1"]),
        ("1..100:5", True, True, ["1", "3", "10", "32", "100"]),
        ("1..3:7", True, False, ["1", "2", "3"]),
        ("0.5..3.5:3", False, False, ["0.5", "2", "3.5"]),
        ("1..10000:5", False, True, ["1", "10", "100", "1000", "10000"]),
        ("1e-3..0.1234567890123:3", False, False, ["1e-3", "0.0622284", "0.1234567890123"]),  # as they are written
        *((text, False, True, None) for text in ("0..10:2", "10..0:3", "-1..10:3")),  # no ratio
        *((text, True, False, None) for text in ("0.5..4", "1..5:1", "3..3", f"0..{MAX_RANGE}")),
        ("0..4", False, False, None),
    ],
)
def test_a_range_is_its_numbers(text: str, whole: bool, log: bool, numbers: list[str] | None) -> None:
    swept = Option("", name="swept", scalar=int if whole else float, log=log)
    if numbers is not None:
        assert swept.spread(text) == numbers
        return
    with pytest.raises(UsageError, match=r"a range is FIRST\.\.LAST"):
        swept.spread(text)


@pytest.mark.parametrize(
    ("one", "text", "values"),
    [
        (Option("", scalar=int), "1,2", ["1", "2"]),
        (Option("", scalar=float), "1..2:3,7", ["1", "1.5", "2", "7"]),
        (Option(""), "1,2", ["1,2"]),
        (Option("", split=True), "page,5,3", ["page", "5,3"]),
        (Option("", many=True), "heatmap,curves", ["heatmap", "curves"]),
    ],
)
def test_commas_separate_values_where_an_option_has_several(one: Option, text: str, values: list[str]) -> None:
    assert one.split_items([text]) == values


@pytest.mark.parametrize(
    ("text", "inches"),
    [
        ("5x3", (5, 3)),
        ("5.5 × 3", (5.5, 3)),
        ("2.54cm", (1, None)),
        ("254x127mm", (10, 5)),  # a unit said once holds for both
        ("254mmx127", (10, 5)),
        ("5inx25.4mm", (5, 1)),
        ("1cm,1in", (1 / 2.54, 1)),
        ("722.7pt", (10, None)),
        ("1500x750px", (10, 5)),
        ("300px", (2, None)),
        *((text, None) for text in ("", "page", "5x", "x3", "5x3x2", "-5x3", "5xpx", "5 pixels", "1e3x2", "5 x 3 ft")),
    ],
)
def test_a_size_is_inches_whatever_it_was_written_in(text: str, inches: tuple[float, float | None] | None) -> None:
    assert inches_of(text) == (None if inches is None else pytest.approx(inches))
