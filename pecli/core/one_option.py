"""One option: reads any spelling of a value (text, TOML, Python) into a checked one, and writes it back."""

from __future__ import annotations

import dataclasses
import math
import re
from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from pecli.core.errors import UnknownNameError, UsageError, mention
from pecli.core.ranges import HOW, SOME, SPAN, is_range, numbers_of
from pecli.core.values import EXACT, READERS, write_scalar

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
