"""Errors, which carry facts, and notices; the command line, a batch file and Python each spell the options in them."""

from __future__ import annotations

import difflib
import re
import unicodedata
from collections.abc import Callable, Iterable
from contextvars import ContextVar
from typing import Any, Self

LISTED = 40  # names that a message still lists
MAX_VALUE_LENGTH = 120  # letters of a value that a message still shows: most paths
MAX_PATH_LENGTH = 256  # letters of a path
# An option of the command line in a message, not in a whole line to type: ``--length``, ``--length=5``
OPTION = re.compile(r"pecli [a-z][^;:]*|(?<![^\s(])--([a-z][a-z0-9-]*)(=?)")

Spelling = Callable[[str], str]


def as_flags(text: str) -> str:
    """Return a message as the command line shows it: ``--text-size 5``."""
    return OPTION.sub(lambda match: f"--{match[1]} " if match[2] else match[0], text)


def as_keywords(text: str, equals: str = "=", blank: str = "_") -> str:
    """Return a message as Python shows it: ``text_size=5``."""

    def keyword(match: re.Match[str]) -> str:
        return match[1].replace("-", blank) + (equals if match[2] else "") if match[1] else match[0]

    return OPTION.sub(keyword, text)


def as_keys(text: str) -> str:
    """Return a message as a batch file's author knows the options: ``text_size = 5``."""
    return as_keywords(text, " = ")


def option_text(name: str, value: Any = None) -> str:
    """Return an option for a message, as it is typed: ``--length=5``; without a value, or with True, ``--length``."""
    flag = "--" + name.replace("_", "-")
    if value is None or value is True:
        return flag
    whole = isinstance(value, float) and value.is_integer() and abs(value) < 2**53
    return f"{flag}={shorten(int(value) if whole else value, MAX_VALUE_LENGTH)}"


def shorten(value: Any, most: int = 40) -> str:
    """Return a value as text, cut in the middle when it is long, in quotation marks where it has blanks alone."""
    try:
        text = str(value)
    except ValueError:  # Python refuses to write integers of more than 4300 digits
        return "of thousands of digits"
    if len(text) > most:
        return f"{text[: most // 2]}…{text[-most // 4 :]} ({len(text)} characters)"
    return text if text.strip() else repr(text)


def path_text(path: object) -> str:
    """Return a path for a message, cut where no system takes it."""
    return shorten(path, MAX_PATH_LENGTH)


def is_printable(character: str) -> bool:
    """Return whether a terminal shows this character and does nothing else: moves, ends no line, turns no text."""
    return character.isprintable() or unicodedata.category(character) == "Zs"


def escaped(text: str, kept: str = "") -> str:
    """Return text with each character that is not shown, nor one of those kept, as its code: ``\\x1b``, ``\\u202e``."""
    if text.isprintable():
        return text
    return "".join(sign if sign in kept or is_printable(sign) else repr(sign)[1:-1] for sign in text)


class PecliError(ValueError):
    """Something that pecli could not do (exit code 1). `sentence` is one clear line, and so is ``str``.

    Attributes
    ----------
    text : what happened; options in it are spelled as on the command line, ``--length=5``
    option : the name of the option that it is about, or None
    value : what that option was given
    allowed : what it takes, in words
    advice : what to try
    """

    exit_code = 1
    lines: tuple[str, ...] = ()  # of several failures
    owner: str = ""  # what the option belongs to, where that is not the command: an encoding

    def __init__(
        self, text: str = "", *, option: str | None = None, value: Any = None, allowed: str = "", advice: str = ""
    ) -> None:
        super().__init__(text)
        self.text = text or f"{option_text(option or 'value', value)} is not allowed"
        self.option, self.value, self.allowed, self.advice = option, value, allowed, advice

    @classmethod
    def of_several(cls, lines: Iterable[str], **more: Any) -> Self:
        """Return one failure for several, with a line for each."""
        every = tuple(lines)
        error = cls("\n".join(every), **more)
        error.lines = every
        return error

    def __reduce__(self) -> Any:  # of another process: without __init__, whose arguments differ
        return ValueError.__new__, (type(self), *self.args), self.__dict__

    def sentence(self, spelling: Spelling = as_keywords) -> str:
        """Return the message, with its options in that spelling; nothing in it breaks its line."""
        takes = f": it takes {self.allowed}" if self.allowed else ""
        advice = f"{'; ' if takes else ': '}{self.advice}" if self.advice else ""
        owner = f"{self.owner}: " if self.owner else ""
        return "\n".join(escaped(spelling(line)) for line in self.lines or [owner + self.text + takes + advice])

    def __str__(self) -> str:
        return self.sentence()


class UsageError(PecliError):
    """Something that was asked wrongly (exit code 2): what was given, what is allowed, what to try."""

    exit_code = 2


class UnusedOptionError(UsageError):
    """An option that changes nothing beside the others. As a default for many figures it is left out for this one."""

    def __init__(self, option: str, value: Any, why: str, advice: str = "") -> None:
        typed = ",".join(map(str, value)) if isinstance(value, tuple) else value
        text = f"{option_text(option, typed)} changes nothing here: {why}"
        super().__init__(text, option=option, value=value, advice=advice or f"leave {option_text(option)} out")


def nearest(word: str, names: Iterable[str], alike: float = 0.5, most: int = 1) -> list[str]:
    """Return the names that begin with a word of three letters or more, at most so many, else the one most alike.

    A name that is a whole word of it goes before one that looks alike, the last of several: yarn for dynamic-yarn.
    """
    word, every = word[:60].lower(), list(names)
    begun = sorted((name for name in every if len(word) > 2 and name.lower().startswith(word)), key=len)
    whole = [part for part in re.split("[-_ ]", word) if part in every]
    return begun[:most] or whole[-1:] or difflib.get_close_matches(word, every, n=1, cutoff=alike)


class UnknownNameError(UsageError):
    """A name that is not in a list of names; the message has the nearest name and the list."""

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
        names, word = list(known), str(given)[:60]
        near = nearest(word, names, alike)
        hint = f"; did you mean {near[0]!r}?" if near and near[0] != given else ""
        shown = names if len(names) <= LISTED else [*names[:LISTED], f"… {len(names)} in all"]
        text = f"unknown {what} '{word}'{hint} (known: {', '.join(shown) or 'none'})"
        super().__init__(text, option=option, value=given, advice=advice)


class FileError(PecliError):
    """A file that is not there, cannot be read or written, or is not what it should be (exit code 1).

    What was asked is right, and would do with another file; where it is wrong it is a UsageError.
    """


class OutputError(FileError):
    """A file that cannot be written."""


class TableFileError(FileError):
    """A file of numbers that could not be read as what it should hold."""


def failure_of(error: Exception) -> PecliError:
    """Return the error itself where it is ours, else one that says what happened."""
    if isinstance(error, PecliError):
        return error
    if isinstance(error, MemoryError):
        return PecliError("memory ran out: shorten --length, or zoom in with --start and --length")
    if isinstance(error, OSError):
        return PecliError(f"the system refused: {error}")
    return PecliError(f"internal error, please report it ({type(error).__name__}: {error}); -v shows where")


def kind_of(errors: Iterable[PecliError]) -> type[PecliError]:
    """Return the kind of an error that stands for several: a UsageError where one of them is."""
    return UsageError if any(isinstance(error, UsageError) for error in errors) else PecliError


LISTENER: ContextVar[Callable[[str], None] | None] = ContextVar("listener", default=None)


def notice(text: str) -> None:
    """Pass one line to whoever listens."""
    if listener := LISTENER.get():
        listener(text)
