"""Errors, which carry facts, and notices; the edge makes sentences of them."""

from __future__ import annotations

import difflib
import re
from collections.abc import Callable, Iterable
from contextvars import ContextVar
from typing import Any, NamedTuple, Self

from pecli.core.terminal import escaped
from pecli.core.values import shorten, write_scalar

SHORT = 2  # letters with which many names begin
LISTED = 40  # names that a message still lists
LONGEST = 120  # letters of a value that a message still shows: most paths
MENTION = re.compile("\x02([^\x03]*)\x1f([^\x03]*)\x1f([^\x03]*)\x03")


class Mention(NamedTuple):
    """An option inside a message: its name, and its value as it was typed and as code writes it (empty: no value)."""

    name: str
    typed: str
    written: str


Speller = Callable[[Mention], str]


def mention(option: str, value: Any = None) -> str:
    """An option inside the text of an error, for whoever shows the error to spell: ``--length 5`` or ``length=5``."""
    if value is None:
        return f"\x02{option}\x1f\x1f\x03"
    if value is True:  # no word stands behind it on the command line
        return f"\x02{option}\x1f\x1fTrue\x03"
    plain = write_scalar(value) if isinstance(value, float) else value
    typed, written = shorten(plain, LONGEST), shorten(value, LONGEST, written=True)
    return f"\x02{option}\x1f{_unmarked(typed if typed.strip() else written)}\x1f{_unmarked(written)}\x03"


def as_keyword(one: Mention) -> str:
    """An option as Python has it."""
    return f"{one.name}={one.written}" if one.written else one.name


def spelled(text: str, spell: Speller = as_keyword) -> str:
    """A text with the options that it mentions spelled for the reader."""
    return MENTION.sub(lambda found: spell(Mention(*found.groups())), text)


def _unmarked(text: str) -> str:
    return escaped(re.sub("[\x02\x03\x1f]", "�", text))  # a line break in it begins no line of ours


class PecliError(ValueError):
    """Something that pecli could not do (exit code 1). `sentence` is one clear line, and so is ``str``.

    Attributes
    ----------
    option : the name of the option that it is about, or None
    value : what that option was given
    allowed : what it takes, in words
    advice : what to try
    """

    exit_code = 1
    lines: tuple[str, ...] = ()  # of several failures

    @classmethod
    def of_several(cls, lines: Iterable[str], **more: Any) -> Self:
        """One failure for several, with a line for each."""
        own = tuple(lines)
        made = cls("\n".join(own), **more)
        made.lines = own
        return made

    def __init__(
        self, text: str = "", *, option: str | None = None, value: Any = None, allowed: str = "", advice: str = ""
    ) -> None:
        super().__init__(text)
        self.text = text or f"{mention(option or 'value', value)} is not allowed"
        self.option, self.value, self.allowed, self.advice = option, value, allowed, advice

    def sentence(self, spell: Speller = as_keyword) -> str:
        """The message, with the options that it mentions spelled for the reader; nothing in it breaks its line."""
        takes = f": it takes {self.allowed}" if self.allowed else ""
        advice = f"{'; ' if takes else ': '}{self.advice}" if self.advice else ""
        return "\n".join(escaped(spelled(line, spell)) for line in self.lines or [self.text + takes + advice])

    def __str__(self) -> str:
        return self.sentence()


class UsageError(PecliError):
    """Something that was asked wrongly (exit code 2): what was given, what is allowed, what to try."""

    exit_code = 2


class UnusedOptionError(UsageError):
    """An option that changes nothing beside the others. As a default for many figures it is left out for this one."""

    def __init__(self, option: str, value: Any, why: str, advice: str = "") -> None:
        typed = ",".join(map(str, value)) if isinstance(value, tuple) else value
        text = f"{mention(option, typed)} changes nothing here: {why}"
        super().__init__(text, option=option, value=value, advice=advice or f"leave {mention(option)} out")

    def __reduce__(self) -> Any:
        return _restored, (type(self), self.args, self.__dict__)


class UnknownNameError(UsageError):
    """A name that is not in a list of names; suggests the nearest one.

    Attributes
    ----------
    known : the names there are
    nearest : the one that was probably meant, or None
    """

    def __init__(
        self,
        what: str,
        given: object,
        known: Iterable[str],
        *,
        option: str | None = None,
        alike: float = 0.5,
        advice: str = "",
    ) -> None:
        self.known = list(known)
        typed = str(given)[:60].lower()
        begun = [one for one in self.known if len(typed) > SHORT and one.lower().startswith(typed)]
        near = difflib.get_close_matches(typed, self.known, n=1, cutoff=alike) or begun
        self.nearest = near[0] if near and near[0] != given else None
        hint = f"; did you mean {self.nearest!r}?" if self.nearest else ""
        shown = self.known if len(self.known) <= LISTED else [*self.known[:LISTED], f"… {len(self.known)} in all"]
        text = f"unknown {what} '{_unmarked(str(given)[:60])}'{hint} (known: {', '.join(shown) or 'none'})"
        super().__init__(text, option=option, value=given, advice=advice)

    def __reduce__(self) -> Any:
        return _restored, (type(self), self.args, self.__dict__)


def _restored(kind: type[PecliError], args: tuple[Any, ...], facts: dict[str, Any]) -> PecliError:
    """The error on the other side of a process."""
    error = kind.__new__(kind, *args)
    error.__dict__.update(facts)
    return error


class OutputError(PecliError):
    """A file that could not be written."""


class TableFileError(PecliError):
    """A file of numbers that could not be read as what it should hold."""


def failure_of(error: Exception) -> PecliError:
    """What to tell of an exception that was not foreseen, or the foreseen one itself."""
    if isinstance(error, PecliError):
        return error
    if isinstance(error, MemoryError):
        length = mention("length")
        return PecliError(f"memory ran out: shorten {length}, or zoom in with {mention('start')} and {length}")
    if isinstance(error, OSError):
        return PecliError(f"the system refused: {error}")
    return PecliError(f"internal error, please report it ({type(error).__name__}: {error}); -v shows where")


def unheard(text: str) -> None:
    """Tells nobody."""


def once(tell: Callable[[str], None]) -> Callable[[str], None]:
    """Tells each line the first time alone: a file that is read again has nothing new to say."""
    said = set[str]()

    def hear(text: str) -> None:
        if text not in said:
            said.add(text)
            tell(text)

    return hear


LISTENER: ContextVar[Callable[[str], None]] = ContextVar("listener", default=unheard)


def notice(text: str) -> None:
    """Tells one line to whoever listens."""
    LISTENER.get()(text)
