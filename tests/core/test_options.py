"""One field, one fact: reading, checking and writing the values of options."""

from __future__ import annotations

import dataclasses
from dataclasses import dataclass

import numpy as np
import pytest

from pecli.core.errors import UnknownNameError, UsageError
from pecli.core.options import Options, option
from pecli.core.values import EXACT


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


def test_name_type_and_default_come_from_the_field() -> None:
    options = Cake.options()
    assert list(options) == [field.name for field in dataclasses.fields(Cake)]
    assert options["salt_grains"].flag == "--salt-grains"
    assert (options["heat"].scalar, options["heat"].default, options["heat"].many) == (float, 180.5, False)
    assert (options["layers"].scalar, options["layers"].many, options["layers"].optional) == (int, True, False)
    assert (options["note"].scalar, options["note"].optional) == (str, True)


@pytest.mark.parametrize(
    ("name", "given", "value"),
    [
        ("eggs", "5", 5),
        ("eggs", " +5 ", 5),
        ("eggs", 5.0, 5),
        ("eggs", "1e1", 10),
        ("eggs", np.int64(5), 5),
        ("heat", "2", 2.0),
        ("heat", 2, 2.0),
        ("heat", "1e-3", 0.001),
        ("heat", np.float64(2.5), 2.5),
        ("flour", "wheat", "wheat"),
        ("cold", "true", True),
        ("cold", "False", False),
        ("note", None, None),
        ("note", "a, b", "a, b"),
        ("note", "", ""),
        ("layers", "3,-5", (3, -5)),
        ("layers", [3, "5"], (3, 5)),
        ("layers", 3, (3,)),
        ("names", "a,b", ("a,b",)),
        ("names", ["a,b", "c"], ("a,b", "c")),
        ("salt_grains", -EXACT, -EXACT),
        ("salt_grains", str(EXACT), EXACT),
    ],
)
def test_every_spelling_gives_the_checked_value(name: str, given: object, value: object) -> None:
    made = getattr(Cake.make({name: given}), name)
    assert made == value
    assert type(made) is type(value)


@pytest.mark.parametrize(
    ("name", "given"),
    [
        ("eggs", 0),
        ("eggs", 98),
        ("eggs", -5),
        ("eggs", 2.5),
        ("eggs", True),
        ("eggs", None),
        ("eggs", ""),
        ("eggs", "--5"),
        ("eggs", "²"),
        ("eggs", "nan"),
        ("eggs", "inf"),
        ("eggs", "9" * 20),
        ("eggs", "9" * 5000),
        ("eggs", [3]),
        ("heat", 0),
        ("heat", -0.0),
        ("heat", "nan"),
        ("heat", "-inf"),
        ("heat", "1e999"),
        ("heat", 10**400),
        ("heat", "0x10"),
        ("heat", False),
        ("flour", 3),
        ("cold", "yes"),
        ("cold", 1),
        ("note", "a\0b"),
        ("note", 5),
        ("layers", "3,,5"),
        ("layers", "3,-8"),
        ("layers", None),
        ("salt_grains", EXACT + 1),
        ("salt_grains", "99999999999999999999"),
    ],
)
def test_what_is_not_allowed_is_named_with_what_is(name: str, given: object) -> None:
    with pytest.raises(UsageError) as caught:
        Cake.make({name: given})
    assert caught.value.option == name and name in str(caught.value)
    assert "it takes" in str(caught.value)
    assert len(str(caught.value)) < 200


def test_an_int_of_5000_digits_is_refused_as_any_other() -> None:
    with pytest.raises(UsageError):
        Cake(eggs=10**5000)


@pytest.mark.parametrize(("given", "digits"), [("4k", "4000"), ("1.5M", "1500000"), (" 10K ", "10000")])
def test_a_number_with_a_letter_gets_its_digits(given: str, digits: str) -> None:
    with pytest.raises(UsageError, match=f"write {digits}$"):
        Cake.make({"eggs": given})


def test_a_wrong_word_gets_the_nearest_one() -> None:
    with pytest.raises(UnknownNameError, match="did you mean 'wheat'"):
        Cake(flour="what")


def test_an_unknown_name_gets_the_nearest_one() -> None:
    with pytest.raises(UnknownNameError, match=r"ingredient.*'egs'.*did you mean 'eggs'"):
        Cake.make({"egs": 3})


@pytest.mark.parametrize(
    "cake",
    [
        Cake(),
        Cake(eggs=97, heat=1e300, cold=True, note="a, 'b'", layers=(-7, 0), salt_grains=0),
        Cake(heat=0.1 + 0.2),
        Cake(heat=2.0**53 * 3),
        Cake(heat=5e-324),
    ],
)
def test_what_write_writes_read_reads(cake: Cake) -> None:
    for name, value in cake.settings().items():
        one = Cake.options()[name]
        if value not in (None, ()):
            assert one.read(one.write(value)) == value


def test_numbers_are_written_as_people_write_them() -> None:
    one = Cake.options()["heat"]
    assert [one.write(value) for value in (10000.0, 0.5, 1e300)] == ["10000", "0.5", "1e+300"]


def test_bounds_are_said_in_words() -> None:
    bounds = {name: one.bounds for name, one in Cake.options().items()}
    assert "1" in bounds["eggs"] and "97" in bounds["eggs"]
    assert "> 0" in bounds["heat"]
    assert "rye, wheat" in bounds["flour"]
    assert bounds["layers"].startswith("a list")


def test_changed_holds_what_differs_from_the_defaults() -> None:
    assert Cake().changed() == {}
    assert Cake(eggs="5", heat=180.5, note="x").changed() == {"eggs": 5, "note": "x"}  # type: ignore[arg-type]  # text


def test_options_are_frozen_and_equal_by_value() -> None:
    assert Cake(eggs=5) == Cake(eggs=5) != Cake()
    with pytest.raises(dataclasses.FrozenInstanceError):
        Cake().eggs = 7  # type: ignore[misc]  # that is the point


# options that belong to another option's value


def test_an_option_is_taken_beside_the_values_that_it_belongs_to() -> None:
    assert Cake.make({"rising": "yeast", "hours": 2, "grams": 7}).hours == 2
    assert Cake.make({"rising": "powder", "grams": 7}).grams == 7


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({"hours": 2}, "hours belongs to rising=yeast, and rising is none"),
        ({"hours": 1, "rising": "powder"}, "hours belongs to rising=yeast, and rising is powder"),  # its default, said
        ({"grams": 5}, "grams belongs to rising=yeast, powder, and rising is none"),
    ],
)
def test_an_option_is_refused_beside_other_values(given: dict[str, object], said: str) -> None:
    with pytest.raises(UsageError) as refused:
        Cake.make(given)
    assert str(refused.value) == said


def test_what_belongs_to_another_value_is_refused_in_python_too() -> None:
    with pytest.raises(UsageError, match="hours belongs to rising=yeast"):
        Cake(hours=2)
    assert Cake.make({"grams": None}) == Cake()  # nothing is given


def test_settings_are_the_options_that_apply_and_read_back() -> None:
    assert not {"hours", "grams"} & set(Cake().settings())
    risen = Cake(rising="powder")
    assert "grams" in risen.settings()
    assert "hours" not in risen.settings()
    assert Cake.make(risen.settings()) == risen


def test_every_whole_number_that_a_float_holds_is_taken_and_no_larger_one() -> None:
    assert Cake(salt_grains=9007199254740992).salt_grains == 2**53 == float(2**53)
    with pytest.raises(UsageError):
        Cake(salt_grains=9007199254740993)
    assert Cake.options()["heat"].write(9007199254740991.0) == "9007199254740991"
