"""Options: the name, type, default, help, bounds and flags of an option are defined once, in one dataclass field.

The command-line option, the TOML key, the Python keyword, the ``--help`` text, the key in a file's metadata and the
error message are all derived from it. `Options` is the base of every class with options; `Option` is one option.
"""

from __future__ import annotations

import dataclasses
import math
import os
import re
import types
import typing
from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from functools import cached_property
from numbers import Real
from typing import Any, ClassVar, Self

from pecli.core.errors import UnknownNameError, UsageError, option_text, shorten
from pecli.core.lazy import cached, np
from pecli.core.numbers import NUMBER

__all__ = [
    "REQUIRED",
    "Option",
    "Options",
    "canonical_name",
    "default_of",
    "default_values",
    "option",
    "with_canonical_names",
]

EXACT = 2**53  # every integer up to here is a float64
RANGE = re.compile(rf"\s*({NUMBER})\.\.({NUMBER})(?::(\d{{1,9}}))?\s*")
NO_LIMIT = 10**9  # larger bounds are left out of the help
REQUIRED = "required"  # `unset` of an option that must be given
MAX_RANGE = 100_000  # most numbers in one range
DIGITS = 6  # digits of numbers inside a range, so that titles and file names stay readable
RANGE_HELP = "a range is FIRST..LAST of whole numbers, or FIRST..LAST:COUNT, such as 2..10000:40"
SPAN = re.compile(r"\s*\d+\s*[-:–]\s*\d+\s*")  # a range in other notations, for advice
COMMA_IN_TEXT = r",(?!\s*[\d.]+\s*$)"  # commas that separate texts; 5,3 is one size
THOUSANDS = re.compile(r"\s*\d{1,3}(,\d{3})*,0\d\d(,\d{3})*\s*")  # 4,096 cannot be a list: no number begins with 0
INCHES = {"in": 1.0, "cm": 1 / 2.54, "mm": 1 / 25.4, "pt": 1 / 72.27}  # inches per unit; points are TeX's
PIXEL = "px"  # the unit whose inches follow from the resolution
SIDE = rf"(\d+(?:\.\d+)?)(?:\s*({'|'.join([*INCHES, PIXEL])}))?"
SIZE = rf"\s*{SIDE}(?:\s*[xX×,]\s*{SIDE})?\s*"


def size_text(size: tuple[float, float] | float) -> str | None:
    """Return the text of a width, or of a width and a height in inches; None for anything else."""
    sides = size if isinstance(size, (list, tuple)) else (size,)
    if len(sides) not in (1, 2) or not all(isinstance(side, Real) and not isinstance(side, bool) for side in sides):
        return None
    return "x".join(map(write_scalar, sides))


def inches_of(text: str, dpi: float = 150) -> tuple[float, float | None] | None:
    """Return width and height in inches, with height None if only one number is given; None if the text is not a size.

    A unit given once holds for both numbers; the default unit is the inch.

    dpi : pixels per inch, for sizes in pixels
    """
    match = re.fullmatch(SIZE, text)
    if match is None:
        return None
    width, unit, height, other = match.groups()
    units = {**INCHES, PIXEL: 1 / dpi}
    across, down = units[unit or other or "in"], units[other or unit or "in"]
    return float(width) * across, float(height) * down if height else None


def write_scalar(value: Any) -> str:
    """Return the text of a value: a number without a needless ``.0``, a boolean as in TOML."""
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, float) and value.is_integer() and abs(value) < EXACT:
        return str(int(value))
    return str(value)


def place_of(value: Any) -> str | None:
    """Return a place as text: 3x5 for row 3, column 5 of a grid (a video: frame first), or a time; else None."""
    text = re.sub("[\\s×X]", lambda found: "" if found[0].isspace() else "x", value) if isinstance(value, str) else ""
    return text if re.fullmatch(r"\d{1,9}(x\d{1,9}){1,2}|\d{1,2}(:[0-5]\d){1,2}", text, re.ASCII) else None


def seconds_of(place: int | str) -> int | None:
    """Return the seconds of a time, 3:15 or 3:15:20; a whole number as it is; None for a place in a grid."""
    if isinstance(place, int):
        return place
    hours, minutes, seconds = f"{place}:0:0".split(":")[:3]
    return 3600 * int(hours) + 60 * int(minutes) + int(seconds) if ":" in place else None


def _read_int(value: Any) -> int:
    """Return a value as an integer; a text is not read as a float, which would round 2.0000000000000000001."""
    if isinstance(value, bool):
        raise TypeError
    number = Decimal(value.strip()) if isinstance(value, str) else value
    if not abs(number) <= 10**30 or number != int(number):
        raise ValueError
    return int(number)


def _read_float(value: Any) -> float:
    if isinstance(value, (bool, bytes, bytearray)):
        raise TypeError
    number = float(value)
    if not math.isfinite(number):
        raise ValueError
    return number


def _read_bool(value: Any) -> bool:
    return {"true": True, "yes": True, "false": False, "no": False}[str(value).lower()]


def _read_str(value: Any) -> str:
    text = os.fspath(value)
    if not isinstance(text, str) or any(ord(character) < 32 and character not in "\n\t" for character in text):
        raise TypeError  # control characters are not allowed in names and XML
    text.encode()  # raises for bytes that are not UTF-8
    return text


READERS: dict[type, Callable[[Any], Any]] = {int: _read_int, float: _read_float, bool: _read_bool, str: _read_str}
TYPES = {int: "a whole number", float: "a finite number", bool: "true or false"}


@dataclass(frozen=True)
class Option:
    """One option: converts any spelling of a value (text, TOML, Python) to a checked value, and writes it back as text.

    Reading a value does no I/O: a file name stays as typed, and is resolved when a job is made.
    """

    help: str  # what the option does, one line, no full stop
    at_least: float | None = None  # bounds of a number, or of each number in a list
    at_most: float | None = None
    above: float | None = None
    choices: Callable[[], Iterable[str]] | None = None  # returns the allowed words
    flags: tuple[str, ...] = ()  # further spellings on the command line, ("-k",)
    unset: str = ""  # what None means, for the help
    split: bool | None = None  # whether one text may hold several values; if None, numbers, lists and choices may
    log: bool = False  # whether the values of a range are spaced geometrically
    aliases: tuple[str, ...] = ()  # names in other programs, with _; accepted everywhere, shown nowhere
    advice: Callable[[Any], str] | None = None  # returns advice for a refused value, or ""
    names: Mapping[str, float | str] = dataclasses.field(default_factory=dict)  # words accepted in place of numbers
    only_with: tuple[str, tuple[str, ...]] | None = None  # another option, and its values for which this one applies
    needed_with: tuple[str, ...] = ()  # those of these values that require this option
    common: bool = False  # whether the help lists it among the most used
    shown: bool = False  # whether titles show it even with its default value
    in_spec: bool = False  # whether it can only be set in an encoding's spec (as most options with `only_with`)
    file: bool = False  # whether it may name a file
    place: bool = False  # whether a value may be a place in a grid, 3x5, or a time, 3:15
    text_of: Callable[[Any], str | None] | None = None  # returns the text of a value; None if it knows none
    name: str = ""  # this and the following are taken from the dataclass field
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
        """All other names of the option."""
        return frozenset(flag.lstrip("-").replace("-", "_") for flag in self.flags) | {*self.aliases}

    @property
    def splits(self) -> bool:
        """Whether one text may hold several values."""
        several = self.many or self.scalar in (int, float) or self.choices is not None
        return several if self.split is None else self.split

    @property
    def bounds(self) -> str:
        """The allowed values as text."""
        if self.choices is not None:
            return "one of " + ", ".join(self.choices())
        kind = TYPES.get(self.scalar, "text in UTF-8 without control characters")
        low, above, high = (
            None if limit is None or abs(limit) == EXACT else write_scalar(limit)
            for limit in (self.at_least, self.above, self.at_most)
        )
        signs = (("≥", low), (">", above), ("≤", high))
        bounds = " and ".join(f"{sign} {limit}" for sign, limit in signs if limit is not None)
        if low is not None and high is not None:
            bounds = f"from {low} to {high}"
        kind += ", or a place in a grid (row x column), or a time on a clock" if self.place else ""
        words = f"or one of {', '.join(self.names)}" if self.names else ""
        each = "a list; each item is" if self.many and self.scalar is not str else ""
        return " ".join(filter(None, [each, kind, bounds, words]))

    @property
    def explained(self) -> str:
        """The help text with allowed values and default."""
        if self.scalar is bool and not self.default:
            return self.help
        default = self.unset if self.default in (None, ()) else self.write(self.default)
        low, high = (limit is not None and abs(limit) < NO_LIMIT for limit in (self.at_least, self.at_most))
        number = f"> {write_scalar(self.above)}" if self.above is not None else ""
        if low:
            number = f"{write_scalar(self.at_least)} to {write_scalar(self.at_most)}" if high else f"≥ {self.at_least}"
        values = ", ".join([*filter(None, [number]), *self.names] if self.choices is None else self.choices())
        facts = filter(None, [values, default if default == REQUIRED else f"default {default}" if default else ""])
        text = ("; " if ", " in values else ", ").join(facts)
        return f"{self.help} ({text})" if text else self.help

    def read(self, value: Any) -> Any:
        """Return a checked value of the option's type; raise UsageError with the given and the allowed values."""
        if value is None and self.optional:
            return None
        if not self.many:
            return self._read_scalar(self.as_text(value))
        items = self.split_items([value]) if isinstance(value, str) else value
        whole = isinstance(items, (bytes, bytearray, Mapping)) or getattr(items, "shape", None) == ()
        result = tuple(map(self._read_scalar, items if isinstance(items, Iterable) and not whole else [items]))
        if not result and self.default != ():
            raise self._refusal(value)
        return result

    def as_text(self, value: Any) -> Any:
        """Return the text form of a value, such as ``8x4`` for a size (8, 4); for several values, a list of texts.

        A value without a text form is returned unchanged.
        """
        if value is None or isinstance(value, str) or self.text_of is None:
            return value
        text = self.text_of(value)
        if text is None and isinstance(value, (list, tuple)):
            return list(map(self.as_text, value))
        return value if text is None else text

    def split_items(self, texts: Sequence[str]) -> list[str]:
        """Return the single values in texts: split at commas, with ranges expanded."""
        if not self.splits:
            return list(texts)
        for text in texts:
            if self.scalar in (int, float) and isinstance(text, str) and THOUSANDS.fullmatch(text):
                raise self._refusal(text, f"commas separate values: write {text.replace(',', '').strip()}")
        comma = COMMA_IN_TEXT if self.scalar is str and not self.many else ","
        return [value for text in texts for item in re.split(comma, text) for value in self.spread(item)]

    def spread(self, value: Any) -> list[Any]:
        """Return the numbers of a range as texts, both ends included; any other value as the only item."""
        match = RANGE.fullmatch(value) if self.scalar in (int, float) and isinstance(value, str) else None
        if match is None:
            return [value]
        first, last, whole = float(match[1]), float(match[2]), self.scalar is int
        counted = match[3] is not None or (whole and first.is_integer() and last.is_integer())
        count = int(match[3] or abs(last - first) + 1) if counted else 0
        if not 2 <= count <= MAX_RANGE or not math.isfinite(last - first) or (self.log and min(first, last) <= 0):
            raise self._refusal(value, RANGE_HELP)
        inner = (np.geomspace if self.log else np.linspace)(first, last, count)[1:-1].tolist()
        texts = [f"{round(number)}" if whole else f"{number:.{DIGITS}g}" for number in inner]
        return list(dict.fromkeys([match[1], *texts, match[2]]))

    def write(self, value: Any) -> str:
        """Return the text that `read` converts back to this value."""
        return ",".join(map(write_scalar, value)) if self.many else write_scalar(value)

    def _read_scalar(self, value: Any) -> Any:
        if self.place and (place := place_of(value)) is not None:
            return place
        number = self.names.get(value.replace("-", "_"), value) if isinstance(value, str) else value
        try:
            result: Any = READERS[self.scalar](number)
            if self.scalar in (int, float):
                limit = EXACT if self.scalar is int else math.inf
                low = -limit if self.at_least is None else self.at_least
                high = limit if self.at_most is None else self.at_most
                if not low <= result <= high or (self.above is not None and result <= self.above):
                    raise ValueError
        except (TypeError, ValueError, KeyError, ArithmeticError):
            raise self._refusal(value) from None
        if self.choices is not None and result not in self.choices():
            advice = self._advice_for(result)
            what = f"value of {self.name if self.in_spec else option_text(self.name)}:"
            raise UnknownNameError(what, result, self.choices(), option=self.name, advice=advice)
        return result

    def _refusal(self, value: Any, advice: str = "") -> UsageError:
        given = "None" if value is None else value
        text = f"{self.name}={shorten(given)} is not allowed" if self.in_spec else ""  # not an option of a command
        advice = advice or self._advice_for(value)
        return UsageError(text, option=self.name, value=given, allowed=self.bounds, advice=advice)

    def _advice_for(self, value: Any) -> str:
        """Return advice for a refused value, or "".

        This is the option's own advice, or how to write a range if the value is like 0-7.
        """
        advice = self.advice(value) if self.advice is not None and isinstance(value, Hashable) else ""
        span = isinstance(value, str) and self.scalar in (int, float) and SPAN.fullmatch(value)
        return advice or (RANGE_HELP if span else "")


def option(default: Any, help: str, *, only_with: tuple[str, str | tuple[str, ...]] | None = None, **facts: Any) -> Any:
    """Return a dataclass field that is an option; its name and type are those of the field.

    only_with : another option, and those of its values for which this option applies
    facts : other attributes of `Option`

    The default can be None only if the field's type allows it.
    """
    if only_with is not None:
        owner, values = only_with
        facts = {"in_spec": True, **facts, "only_with": (owner, (values,) if isinstance(values, str) else values)}
    return dataclasses.field(default=default, metadata={"option": Option(help, **facts)}, kw_only=True)


@dataclass(frozen=True)
class Options:
    """Base of frozen dataclasses whose fields are options. Every value is checked when an instance is made."""

    what: ClassVar[str] = "option"

    def __post_init__(self) -> None:
        for name, entry in self.options().items():
            if (value := getattr(self, name)) is not entry.default:
                object.__setattr__(self, name, entry.read(value))
        self._check_whole()

    def _check_whole(self) -> None:
        for name, (owner, values) in _conditions(type(self)).items():
            value = getattr(self, name)
            if value != self.options()[name].default and getattr(self, owner) not in values:
                text = f"{name} belongs to {owner}={', '.join(values)}, but {owner} is {getattr(self, owner)}"
                raise UsageError(text, option=name, value=value)
        self.check()

    def check(self) -> None:
        """Raise UsageError if values cannot be combined."""

    @classmethod
    def options(cls) -> dict[str, Option]:
        """Return the options by name, in the order of the fields."""
        owner: Any = cls
        return _options(owner)

    def inputs(self) -> tuple[str, ...]:
        """Return the files that the values name. Classes in which such a value need not be a file override this."""
        names = _files(type(self))
        return tuple(value for name in names if (value := getattr(self, name)) is not None) if names else ()

    @classmethod
    def make(cls, values: Mapping[str, Any]) -> Self:
        """Return an instance from values by option name; raise an error with a suggestion for unknown names."""
        return cls.of_read(cls.read_values(values))

    @classmethod
    def of_read(cls, values: Mapping[str, Any]) -> Self:
        """Return an instance from values that have already been checked."""
        made, fields = object.__new__(cls), _field_defaults(cls)
        vars(made).update(fields)  # the class is frozen: only here and in __post_init__ are its fields set
        vars(made).update({name: value for name, value in values.items() if name in fields})
        made._check_whole()
        return made

    def changed_to(self, **read: Any) -> Self:
        """Return a copy with some values replaced by values that have already been read.

        Unlike `dataclasses.replace`, this does not read and check every value again.
        """
        return self.of_read({**{name: getattr(self, name) for name in _field_defaults(type(self))}, **read})

    @classmethod
    def read_values(cls, values: Mapping[str, Any]) -> dict[str, Any]:
        """Return the checked values by option name; raise an error with a suggestion for unknown names."""
        options, given = cls.options(), with_canonical_names(cls.options(), values)
        for name in [name for name in given if name not in options]:
            raise UnknownNameError(f"{cls.what} of {getattr(cls, 'name', cls.__name__)}:", name, options, option=name)
        return {name: options[name].read(value) for name, value in given.items()}

    def settings(self) -> dict[str, Any]:
        """Return the values of the options that apply, in order. Those with `only_with` may not apply."""
        owners = _conditions(type(self))
        idle = {name for name, (owner, values) in owners.items() if getattr(self, owner) not in values}
        return {name: getattr(self, name) for name in self.options() if name not in idle}

    @cached_property
    def written(self) -> dict[str, str]:
        """The texts of the options that apply and have a value, by name."""
        known = self.options()
        return {name: known[name].write(value) for name, value in self.settings().items() if value is not None}

    def changed(self, defaults: Mapping[str, Any] | None = None) -> dict[str, Any]:
        """Return the values that differ from their defaults; `defaults` override the options' own."""
        others = default_values(self.options(), defaults) if defaults else {}
        return self._differing({**_defaults(type(self)), **others}) if others else dict(self._changed)

    @cached_property
    def _changed(self) -> dict[str, Any]:
        """The values that differ from the options' own defaults. Many jobs of a sweep share an instance."""
        return self._differing(_defaults(type(self)))

    def _differing(self, standing: Mapping[str, Any]) -> dict[str, Any]:
        return {name: value for name, default in standing.items() if (value := getattr(self, name)) != default}


def canonical_name(options: Mapping[str, Option], word: str) -> str:
    """Return the name of the option that a word stands for (``head_dim`` is d), or the word if it is ambiguous."""
    spelled = _matching_names(options, word)
    return spelled[0] if len(spelled) == 1 else word.replace("-", "_")


def _matching_names(options: Mapping[str, Option], word: str) -> list[str]:
    """Return the names of all options that a word can stand for; only the word itself if it is an option's name."""
    plain = word.replace("-", "_")
    return [plain] if plain in options else [name for name, entry in options.items() if plain in entry.spellings]


def with_canonical_names(options: Mapping[str, Option], values: Mapping[str, Any]) -> dict[str, Any]:
    """Return the values by the options' own names; raise UsageError for an option given twice or an ambiguous name."""
    result: dict[str, Any] = {}
    for word, value in values.items():
        name, spelled = canonical_name(options, word), _matching_names(options, word)
        if len(spelled) > 1:
            readings = " or ".join(f"{option_text(one)} ({options[one].help.partition(':')[0]})" for one in spelled)
            raise UsageError(f"{option_text(name)} may mean {readings}", option=name, advice="give the one you mean")
        if name in result:
            raise UsageError(f"{option_text(name)} is given twice, once as {word}", option=name)
        result[name] = value
    return result


def default_of(entry: Option, defaults: Mapping[str, Any]) -> Any:
    """Return an option's default, or the one in `defaults`; a default of None is not overridden."""
    return None if entry.default is None else defaults.get(entry.name, entry.default)


def default_values(options: Mapping[str, Option], defaults: Mapping[str, Any]) -> dict[str, Any]:
    """Return the `defaults` for these options, without options whose default is None."""
    return {name: value for name, value in defaults.items() if name in options and options[name].default is not None}


@cached
def _defaults(cls: Any) -> dict[str, Any]:
    """Return the default of each option."""
    return {name: entry.default for name, entry in _options(cls).items()}


@cached
def _field_defaults(cls: Any) -> dict[str, Any]:
    """Return the default of each field, MISSING for a field without one."""
    return {field.name: field.default for field in dataclasses.fields(cls)}


@cached
def _files(cls: Any) -> tuple[str, ...]:
    """Return the names of the options that may name a file."""
    return tuple(name for name, entry in _options(cls).items() if entry.file)


@cached
def _conditions(cls: Any) -> dict[str, tuple[str, tuple[str, ...]]]:
    """Return `only_with` of the options that have it."""
    return {name: entry.only_with for name, entry in _options(cls).items() if entry.only_with}


@cached
def _options(cls: Any) -> dict[str, Option]:
    """Return the options of a class, completed with the name, default and type of their fields."""
    hints, options = typing.get_type_hints(cls), {}
    for field in dataclasses.fields(cls):
        if "option" in field.metadata:
            hint = hints[field.name]
            parts = typing.get_args(hint) if isinstance(hint, types.UnionType) else (hint,)
            inner = next(part for part in parts if part is not type(None))
            many = typing.get_origin(inner) is tuple
            scalar, optional = typing.get_args(inner)[0] if many else inner, type(None) in parts
            facts = {"default": field.default, "scalar": scalar, "many": many, "optional": optional}
            options[field.name] = dataclasses.replace(field.metadata["option"], name=field.name, **facts)
    return options
