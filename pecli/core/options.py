"""One field, one fact: the name, type, default, help, bounds and flags of an option stand in one dataclass field.

The command-line option, the TOML key, the Python keyword, the ``--help`` text, the key in a file's metadata and the
error message all come from there. `Options` is the base of everything that has options; `Option` is one of them.
"""

from __future__ import annotations

import dataclasses
import math
import re
import types
import typing
from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from numbers import Real
from typing import Any, ClassVar, Self

from pecli.core.caching import cached
from pecli.core.errors import UnknownNameError, UsageError, mention
from pecli.core.values import EXACT, READERS, write_scalar

NUMBER = r"[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?"
RANGE = re.compile(rf"\s*({NUMBER})\.\.({NUMBER})(?::(\d+))?\s*")
SPAN = re.compile(r"\s*(\d+)\s*[-:–]\s*(\d+)\s*")  # what others write for one
MOST = 100_000  # numbers of one range
DIGITS = 6  # of numbers between the ends, so that titles and file names stay readable
SOME = 5  # of an example
HOW = "a range is FIRST..LAST of whole numbers, or FIRST..LAST:COUNT, such as 2..10000:40"


def is_range(value: Any) -> bool:
    """Whether it is the text of a range."""
    return isinstance(value, str) and RANGE.fullmatch(value) is not None


def numbers_of(text: str, *, whole: bool, log: bool) -> list[str]:
    """The numbers of a range, each as text; both ends are among them.

    whole : only whole numbers, each once
    log : evenly spaced by their ratios, not their differences

    Raises
    ------
    ValueError : how many is not said, or more than there may be, or a ratio does not exist
    """
    match = RANGE.fullmatch(text)
    assert match is not None  # what the caller asks
    first, last = float(match[1]), float(match[2])
    if match[3] is None and not (whole and first.is_integer() and last.is_integer()):
        raise ValueError
    count = int(match[3]) if match[3] is not None else int(abs(last - first)) + 1
    if not 2 <= count <= MOST or (log and min(first, last) <= 0):
        raise ValueError
    inner = [_between(first, last, at / (count - 1), log) for at in range(1, count - 1)]
    written = [f"{round(value)}" if whole else f"{value:.{DIGITS}g}" for value in inner]
    return list(dict.fromkeys([match[1], *written, match[2]]))


def _between(first: float, last: float, share: float, log: bool) -> float:
    if log:
        return math.exp(math.log(first) + share * (math.log(last) - math.log(first)))
    return first + share * (last - first)


UNITS = {"in": 1.0, "cm": 1 / 2.54, "mm": 1 / 25.4, "pt": 1 / 72.27}  # inches; the points are TeX's
NAMES = "|".join(UNITS)
SIDE = rf"\s*(\d+(?:\.\d+)?)\s*({NAMES})?\s*"
SIZE = re.compile(rf"{SIDE}(?:[xX×,]{SIDE})?")


def size_text(size: tuple[float, float] | float) -> str | None:
    """The text of a width, or of a width and a height in inches; None for anything else."""
    sides = size if isinstance(size, (list, tuple)) else (size,)
    if len(sides) not in (1, 2) or not all(isinstance(side, Real) and not isinstance(side, bool) for side in sides):
        return None
    try:
        return "x".join(map(write_scalar, map(float, sides)))
    except OverflowError:  # a whole number beyond every float
        return None


def inches_of(text: str) -> tuple[float, float | None] | None:
    """Width and height in inches, the height None where one number is given; None for what is no size.

    A unit said once holds for both; without one they are inches.
    """
    match = SIZE.fullmatch(text)
    if match is None:
        return None
    width, unit, height, other = match.groups()
    across, up = UNITS[unit or other or "in"], UNITS[other or unit or "in"]
    return float(width) * across, float(height) * up if height else None


TIMES = {"k": 10**3, "m": 10**6}  # letters that people write behind a number
MULTIPLE = re.compile(r"(\d{1,6}(?:\.\d{1,3})?)([km])", re.IGNORECASE)


@dataclass(frozen=True)
class Option:
    """One option: reads any spelling of a value (text, TOML, Python) into a checked one, and writes it back."""

    help: str
    at_least: float | None = None
    at_most: float | None = None
    above: float | None = None
    choices: Callable[[], Iterable[str]] | None = None
    flags: tuple[str, ...] = ()
    unset: str = ""  # what happens when the value is None, for the help
    split: bool | None = None  # one text may hold several values; None: numbers, lists and choices may
    separator: str = ","  # what stands between them, a regular expression
    log: bool = False  # values of a range are evenly spaced by their ratios
    aliases: tuple[str, ...] = ()  # what other programs call it, understood and not shown
    leads: tuple[str, ...] = ()  # what people look for that this option does in a way of its own
    advice: Callable[[Any], str] | None = None  # what to try instead of a value that is refused, or ""
    names: Mapping[str, float | str] = dataclasses.field(default_factory=dict)  # words that stand for values
    only_with: tuple[str, tuple[str, ...]] | None = None  # another option, and its values that this one belongs to
    shown: bool = False  # stands in titles also where nothing was changed
    moves: bool = False  # where a picture moves and nothing else is swept, each of its values is a frame
    printed: bool = False  # says how a report is printed, and nothing of a file of numbers
    in_spec: bool = False  # said inside the spec of an encoding, without an option on the command line
    text_of: Callable[[Any], str | None] | None = None  # the text of a value that Python has another type for
    name: str = ""
    default: Any = None
    scalar: type = str
    many: bool = False
    optional: bool = False

    @property
    def flag(self) -> str:
        """The long option on the command line."""
        return "--" + self.name.replace("_", "-")

    @cached_property
    def spellings(self) -> frozenset[str]:
        """Every name that means this option, besides its own."""
        return frozenset(flag.lstrip("-").replace("-", "_") for flag in self.flags) | {*self.aliases}

    @property
    def splits(self) -> bool:
        """Whether one text may hold several values."""
        if self.split is not None:
            return self.split
        return self.many or self.scalar in (int, float) or self.choices is not None

    @property
    def bounds(self) -> str:
        """What is allowed, in words."""
        if self.choices is not None:
            return "one of " + ", ".join(self.choices())
        number = {int: "a whole number", float: "a finite number", bool: "true or false"}.get(
            self.scalar, "text in UTF-8 without control characters"
        )
        low = f" ≥ {write_scalar(self.at_least)}" if self.at_least is not None else ""
        low = f" > {write_scalar(self.above)}" if self.above is not None else low
        high = f" ≤ {write_scalar(self.at_most)}" if self.at_most is not None else ""
        both = f"{low} and{high}" if low and high else low + high
        words = f" or one of {', '.join(self.names)}" if self.names else ""
        each = "a list, each " if self.many and self.scalar is not str else ""
        return each + number + both + words

    def read(self, value: Any) -> Any:
        """A checked value of the option's type; raises UsageError naming what is given, what is allowed."""
        if value is None:
            if not self.optional:
                raise UsageError(f"{mention(self.name)} has no value", option=self.name, allowed=self.bounds)
            return None
        if not self.many:
            return self._read_scalar(value)
        if isinstance(value, str):
            value = self.separated([value])
        if isinstance(value, (bytes, bytearray, Mapping)):  # they run over numbers or names that nobody meant
            raise self._refusal(value)
        items = value if isinstance(value, Iterable) and getattr(value, "shape", None) != () else [value]
        result = tuple(self._read_scalar(item) for item in items)
        if not result and self.default != ():
            raise UsageError(f"{mention(self.name)} has no value", option=self.name, value=value, allowed=self.bounds)
        return result

    def as_text(self, value: Any) -> Any:
        """The value, and each of several, as the text that means the same: ``8x4`` for a size of (8, 4)."""
        text = None if value is None or isinstance(value, str) or self.text_of is None else self.text_of(value)
        if text is not None:
            return text
        return [self.as_text(one) for one in value] if isinstance(value, (list, tuple)) else value

    def separated(self, texts: Sequence[str]) -> list[str]:
        """What was given to a repeatable option as single texts: commas separate values, and ranges are spelled out."""
        if not self.splits:
            return list(texts)
        items = [item for text in texts for item in re.split(self.separator, text)]
        return [one for item in items for one in self.spread(item)]

    def spread(self, value: Any) -> list[Any]:
        """The values of a range of numbers; anything else alone."""
        if self.scalar not in (int, float) or not is_range(value):
            return [value]
        try:
            return list(numbers_of(value, whole=self.scalar is int, log=self.log))
        except ValueError:
            raise UsageError(option=self.name, value=value, allowed=self.bounds, advice=HOW) from None

    def write(self, value: Any) -> str:
        """The text that `read` turns into this value again."""
        return ",".join(map(write_scalar, value)) if self.many else write_scalar(value)

    def _read_scalar(self, value: Any) -> Any:
        named = self.names.get(value.replace("-", "_"), value) if isinstance(value, str) else value
        try:
            result = READERS[self.scalar](named)
        except (TypeError, ValueError, OverflowError):
            raise self._refusal(value) from None
        if self.choices is not None and result not in self.choices():
            what, advice = self.name.replace("_", "-"), self._own_advice(result)
            raise UnknownNameError(what, result, self.choices(), option=self.name, advice=advice)
        if not self._within(result):
            raise self._refusal(value)
        return result

    def _within(self, value: Any) -> bool:
        if self.scalar not in (int, float):
            return True
        limit = EXACT if self.scalar is int else math.inf
        low = -limit if self.at_least is None else self.at_least
        high = limit if self.at_most is None else self.at_most
        return bool(low <= value <= high and (self.above is None or value > self.above))

    def _refusal(self, value: Any) -> UsageError:
        advice = self._own_advice(value) or self._spelled_out(value)
        given = "None" if value is None else value
        return UsageError(option=self.name, value=given, allowed=self.bounds, advice=advice)

    def _own_advice(self, value: Any) -> str:
        """What the option itself says to try instead of a value; mostly nothing."""
        return self.advice(value) if self.advice is not None and isinstance(value, Hashable) else ""

    def _spelled_out(self, value: Any) -> str:
        """What to try for 4k, the number in digits, and for 0-7 or 0:7, the range as it is written; else empty."""
        if not isinstance(value, str) or self.scalar not in (int, float):
            return ""
        found = MULTIPLE.fullmatch(value.strip())
        if found:
            return f"write {float(found[1]) * TIMES[found[2].lower()]:.0f}"
        span = SPAN.fullmatch(value)
        if not span:
            return ""
        said = ", both ends included" if self.scalar is int else f":{SOME} for {SOME} values from one to the other"
        return f"write {span[1]}..{span[2]}{said}"


__all__ = ["Option", "Options", "default_of", "default_values", "named", "option", "own_name"]


def option(
    default: Any,
    help: str,
    *,
    at_least: float | None = None,
    at_most: float | None = None,
    above: float | None = None,
    choices: Callable[[], Iterable[str]] | None = None,
    flags: tuple[str, ...] = (),
    unset: str = "",
    split: bool | None = None,
    separator: str = ",",
    log: bool = False,
    aliases: tuple[str, ...] = (),
    leads: tuple[str, ...] = (),
    advice: Callable[[Any], str] | None = None,
    names: Mapping[str, float | str] | None = None,
    only_with: tuple[str, str | tuple[str, ...]] | None = None,
    shown: bool = False,
    moves: bool = False,
    printed: bool = False,
    in_spec: bool = False,
    text_of: Callable[[Any], str | None] | None = None,
) -> Any:
    """A dataclass field that is an option; its name and type come from the field itself.

    Parameters
    ----------
    default : the value when nothing is given; None only where the field's type allows it
    help : what the option does, one line, no full stop
    at_least, at_most, above : bounds of a number (of each number of a list)
    choices : gives the allowed words
    flags : further spellings on the command line, ``("-k",)``
    unset : what is done when the value is None
    split : whether one text may hold several values; None: numbers, lists and choices may
    separator : what stands between them, a regular expression
    log : whether the values of a range are evenly spaced by their ratios
    aliases : what other programs call the same thing, with _; understood everywhere, shown nowhere
    leads : what people look for that this option does in a way of its own; the answer to such a word names it
    advice : gives what to try instead of a value that is refused, or ""
    names : words that may stand for numbers
    only_with : another option of the class and its value, or values, without which this one means nothing
    shown : whether titles show the value also where it was not changed
    moves : whether each of its values is a frame where a picture moves and nothing else is swept
    printed : whether it says how a report is printed, and nothing of a file of numbers
    in_spec : whether it is said in an encoding's spec alone, as all with `only_with` are
    text_of : gives the text of a value that Python has another type for, that of its argument; None for others
    """
    given = {name: value for name, value in locals().items() if name != "default"}  # the fields of Option
    owner = (only_with[0], _several(only_with[1])) if only_with else None
    made = Option(**{**given, "names": names or {}, "only_with": owner, "in_spec": in_spec or owner is not None})
    return dataclasses.field(default=default, metadata={"option": made}, kw_only=True)


def _several(values: str | tuple[str, ...]) -> tuple[str, ...]:
    return (values,) if isinstance(values, str) else values


@dataclass(frozen=True)
class Options:
    """Base of the frozen dataclasses whose fields are options. Every value is checked when one is made."""

    what: ClassVar[str] = "option"

    def __post_init__(self) -> None:
        for name, one in self.options().items():
            object.__setattr__(self, name, one.read(getattr(self, name)))
        self._check_owners(self.changed())
        self.check()

    def check(self) -> None:
        """Refuses values that do not go together (UsageError)."""

    @classmethod
    def options(cls) -> dict[str, Option]:
        """The options by name, in the order of the fields."""
        owner: Any = cls
        return _options(owner)

    def inputs(self) -> tuple[str, ...]:
        """The files that are read for these values. Mostly none."""
        return ()

    @classmethod
    def make(cls, values: Mapping[str, Any]) -> Self:
        """From a mapping of option names to values; unknown names are refused with a suggestion."""
        return cls.from_read(cls.read_values(values))

    @classmethod
    def read_values(cls, values: Mapping[str, Any]) -> dict[str, Any]:
        """The values as the options read them, one by one; unknown names are refused with a suggestion."""
        known = cls.options()
        own = named(known, values)
        for name in own:
            if name not in known:
                owner = getattr(cls, "name", cls.__name__)
                raise UnknownNameError(f"{cls.what} of {owner}", name, known, option=name)
        return {name: known[name].read(value) for name, value in own.items()}

    @classmethod
    def from_read(cls, values: Mapping[str, Any]) -> Self:
        """From values that the options have read: they are not read again, only checked together."""
        made = object.__new__(cls)
        for name, value in {**_defaults(cls), **values}.items():
            object.__setattr__(made, name, value)
        made._check_owners(name for name, value in values.items() if value is not None)
        made.check()
        return made

    def settings(self) -> dict[str, Any]:
        """The options that apply and their values, in order."""
        return {name: getattr(self, name) for name in self.options() if self._applies(name)}

    def _applies(self, name: str) -> bool:
        """Whether an option means anything beside the values of the others."""
        owner = self.options()[name].only_with
        return owner is None or getattr(self, owner[0]) in owner[1]

    def _check_owners(self, given: Iterable[str]) -> None:
        """Refuses what was given although the option that it belongs to has another value."""
        for name in given:
            owner = self.options()[name].only_with
            if owner is not None and not self._applies(name):
                known = self.options()[owner[0]]
                has = known.write(getattr(self, owner[0]))
                text = f"{name} belongs to {owner[0]}={', '.join(owner[1])}, and {owner[0]} is {has}"
                raise UsageError(text, option=name, value=getattr(self, name))

    def changed(self, defaults: Mapping[str, Any] | None = None) -> dict[str, Any]:
        """The options that differ from their defaults, or from the `defaults` that stand in for them."""
        given, standing = {name: getattr(self, name) for name in self.options()}, defaults or {}
        return {name: given[name] for name, one in self.options().items() if given[name] != default_of(one, standing)}


def own_name(known: Mapping[str, Option], word: str) -> str:
    """The name of the option that a word spells, ``d-model`` or ``head_dim`` that of d; of none, the word with _."""
    plain = word.replace("-", "_")
    if plain in known:
        return plain
    return next((name for name, one in known.items() if plain in one.spellings), plain)


def named(known: Mapping[str, Option], given: Mapping[str, Any]) -> dict[str, Any]:
    """The given values under the options' own names; raises UsageError for two spellings of one."""
    result: dict[str, Any] = {}
    for name, value in given.items():
        own = own_name(known, name)
        if own in result:
            raise UsageError(f"{mention(own)} is given twice, once as {name}", option=own)
        result[own] = value
    return result


def default_of(one: Option, defaults: Mapping[str, Any]) -> Any:
    """An option's default, or what stands in for it; a default of None, which leaves a thing open, stays."""
    return None if one.default is None else defaults.get(one.name, one.default)


def default_values(known: Mapping[str, Option], defaults: Mapping[str, Any]) -> dict[str, Any]:
    """Those of the default values that these options take."""
    return {name: value for name, value in defaults.items() if name in known and known[name].default is not None}


@cached
def _defaults(cls: Any) -> dict[str, Any]:
    """The value of every option where none is given."""
    return {name: one.read(one.default) for name, one in cls.options().items()}


@cached
def _options(cls: Any) -> dict[str, Option]:
    hints = typing.get_type_hints(cls)
    fields = [f for f in dataclasses.fields(cls) if "option" in f.metadata]
    return {f.name: _bound(f, hints[f.name]) for f in fields}


def _bound(field: dataclasses.Field[Any], hint: Any) -> Option:
    """The field's Option with what the field itself says: name, default, type."""
    parts = typing.get_args(hint) if isinstance(hint, types.UnionType) else (hint,)
    inner = next(part for part in parts if part is not type(None))
    many = typing.get_origin(inner) is tuple
    made: Option = field.metadata["option"]
    return dataclasses.replace(
        made,
        name=field.name,
        default=field.default,
        scalar=typing.get_args(inner)[0] if many else inner,
        many=many,
        optional=type(None) in parts,
    )
