"""Errors and notices.

Messages are written with options as on the command line; functions here respell them for batch files and Python."""

from __future__ import annotations

import difflib
import re
import unicodedata
from collections.abc import Callable, Iterable
from contextvars import ContextVar
from typing import Any, Self

MAX_LISTED = 40  # most names in a message
MAX_VALUE_LENGTH = 120  # most characters of a value in a message; enough for most paths
MAX_PATH_LENGTH = 256  # most characters of a path in a message
# ``--length`` or ``--length=5`` in a message, but not inside a command to type, ``pecli …`` or ``hf …``
OPTION = re.compile(r"(?:pecli|hf) [a-z][^;:]*|(?<![^\s(])--([a-z][a-z0-9-]*)(=?)")

Spelling = Callable[[str], str]


def as_flags(text: str) -> str:
    """Return a message with options spelled for the command line: ``--text-size 5``."""
    return OPTION.sub(lambda match: f"--{match[1]} " if match[2] else match[0], text)


def as_keywords(text: str, equals: str = "=", blank: str = "_") -> str:
    """Return a message with options spelled for Python: ``text_size=5``.

    equals : text between name and value
    blank : text that replaces each hyphen in a name
    """

    def keyword(match: re.Match[str]) -> str:
        return match[1].replace("-", blank) + (equals if match[2] else "") if match[1] else match[0]

    return OPTION.sub(keyword, text)


def as_keys(text: str) -> str:
    """Return a message with options spelled for a batch file: ``text_size = 5``."""
    return as_keywords(text, " = ")


def option_text(name: str, value: Any = None) -> str:
    """Return an option as a message spells it: ``--length=5``, or ``--length`` if the value is None or True."""
    flag = "--" + name.replace("_", "-")
    if value is None or value is True:
        return flag
    typed = ",".join(str(_without_point(each)) for each in value) if isinstance(value, tuple) else _without_point(value)
    return f"{flag}={shorten(typed, MAX_VALUE_LENGTH)}"


def _without_point(value: Any) -> Any:
    """Return a whole float as an integer, and any other value unchanged."""
    return int(value) if isinstance(value, float) and value.is_integer() and abs(value) < 2**53 else value


def shorten(value: Any, most: int = 40) -> str:
    """Return a value as text, with the middle cut out if it is long, and in quotes if it is blank."""
    try:
        text = str(value)
    except ValueError:  # Python refuses to write integers of more than 4300 digits
        return "(thousands of digits)"
    if len(text) > most:
        return f"{text[: most // 2]}…{text[-most // 4 :]} ({len(text)} characters)"
    return text if text.strip() else repr(text)


def path_text(path: object) -> str:
    """Return a path for a message, shortened if it is longer than any file system allows."""
    return shorten(path, MAX_PATH_LENGTH)


def is_printable(character: str) -> bool:
    """Return True if the character is printable or a space; False for control and formatting characters."""
    return character.isprintable() or unicodedata.category(character) == "Zs"


def escaped(text: str, kept: str = "") -> str:
    r"""Return text with unprintable characters as escape codes (``\x1b``, ``\u202e``), except those in `kept`."""
    if text.isprintable():
        return text
    return "".join(sign if sign in kept or is_printable(sign) else repr(sign)[1:-1] for sign in text)


class PecliError(ValueError):
    """Base of all errors that pecli raises (exit code 1). `sentence`, and ``str``, give the message as one line.

    Attributes
    ----------
    text : what happened; options in it are spelled as on the command line, ``--length=5``
    option : name of the option that the error is about, or None
    value : value that was given for that option
    allowed : values that the option accepts, in words
    advice : what to try
    """

    exit_code = 1
    lines: tuple[str, ...] = ()  # the message of each error that this one combines
    owner: str = ""  # name of the encoding that the option belongs to; empty for an option of the command

    def __init__(
        self, text: str = "", *, option: str | None = None, value: Any = None, allowed: str = "", advice: str = ""
    ) -> None:
        super().__init__(text)
        self.text = text or f"{option_text(option or 'value', value)} is not allowed"
        self.option, self.value, self.allowed, self.advice = option, value, allowed, advice

    @classmethod
    def combine(cls, lines: Iterable[str], **more: Any) -> Self:
        """Return one error that combines several; `lines` are their messages, `more` further arguments of the class."""
        every = tuple(lines)
        error = cls("\n".join(every), **more)
        error.lines = every
        return error

    def __reduce__(self) -> Any:  # unpickle without __init__, whose arguments differ from `args`
        return ValueError.__new__, (type(self), *self.args), self.__dict__

    def sentence(self, spelling: Spelling = as_keywords) -> str:
        """Return the message with options in the given spelling; line breaks inside it are escaped."""
        takes = f": it takes {self.allowed}" if self.allowed else ""
        advice = f"{'; ' if takes else ': '}{self.advice}" if self.advice else ""
        owner = f"{self.owner}: " if self.owner else ""
        return "\n".join(escaped(spelling(line)) for line in self.lines or [owner + self.text + takes + advice])

    def __str__(self) -> str:
        return self.sentence()


class UsageError(PecliError):
    """Wrong usage (exit code 2). The message says what was given, what is allowed and what to try."""

    exit_code = 2


class UnusedOptionError(UsageError):
    """Error for an option that has no effect together with the others.

    In the [defaults] of a batch file, such an option is allowed: it is ignored for figures that do not use it.
    """

    def __init__(self, option: str, value: Any, why: str, advice: str = "") -> None:
        text = f"{option_text(option, value)} changes nothing here, because {why}"
        super().__init__(text, option=option, value=value, advice=advice or f"leave {option_text(option)} out")


def nearest(word: str, names: Iterable[str], alike: float = 0.55, most: int = 1) -> list[str]:
    """Return up to `most` of the names that start with the word; if none does, the one closest name, or [].

    A name that is a complete part of the word is preferred to a similar name: yarn for dynamic-yarn. A word of one or
    two letters does not match the start of a name.

    alike : how similar a name must be at least, from 0 to 1
    """
    word, every = word[:60].lower(), list(names)
    begun = sorted((name for name in every if len(word) > 2 and name.lower().startswith(word)), key=len)
    whole = [part for part in re.split("[-_ ]", word) if part in every]
    return begun[:most] or whole[-1:] or difflib.get_close_matches(word, every, n=1, cutoff=alike)


class UnknownNameError(UsageError):
    """Error for an unknown name. The message suggests the closest known name and lists the known names."""

    def __init__(
        self,
        what: str,
        given: object,
        known: Iterable[str],
        *,
        option: str | None = None,
        alike: float = 0.55,
        advice: str = "",
    ) -> None:
        names, word = list(known), str(given)[:60]
        near = nearest(word, names, alike)
        hint = f"; did you mean {near[0]!r}?" if near and near[0] != given else ""
        shown = names if len(names) <= MAX_LISTED else [*names[:MAX_LISTED], f"… {len(names)} in all"]
        text = f"unknown {what} '{word}'{hint} (known: {', '.join(shown) or 'none'})"
        super().__init__(text, option=option, value=given, advice=advice)


class FileError(PecliError):
    """Error for a file that is missing, cannot be read or written, or has the wrong content (exit code 1).

    The command itself is right: it would work with another file.
    """


class OutputError(FileError):
    """Error for a file that cannot be written."""


class TableFileError(FileError):
    """Error for a file that cannot be read as a table of numbers."""


def parse_error_text(error: Exception) -> str:
    """Return what is wrong with a JSON, TOML or YAML text, given the error that its parser raised."""
    if isinstance(error, RecursionError):
        return "lists or objects are nested too deeply"
    if "integer string conversion" in str(error):  # Python reads no integers of more than 4300 digits
        return "a number has thousands of digits"
    if str(error).startswith(("Unescaped '\\'", "Invalid hex value")):  # TOML with "C:\data"
        return f"{error}: write a path with / or in single quotes, as in 'C:\\data\\table.npy'"
    return str(error)


def reason_of(error: Exception) -> str:
    """Return the text of an error; if the operating system raised it, without its number and path."""
    return getattr(error, "strerror", None) or str(error)


def as_pecli_error(error: Exception) -> PecliError:
    """Return the error itself if it is a PecliError, otherwise a PecliError that describes it."""
    if isinstance(error, PecliError):
        return error
    if isinstance(error, MemoryError):
        return PecliError("out of memory: shorten --length, or zoom in with --start and --length")
    if isinstance(error, OSError):
        return PecliError(f"the operating system reports: {error}")
    return PecliError(f"internal error, please report it ({type(error).__name__}: {error}); -v shows where")


def combined_type(errors: Iterable[PecliError]) -> type[PecliError]:
    """Return the class for an error that combines several, a UsageError if one of them is, otherwise a PecliError."""
    return UsageError if any(isinstance(error, UsageError) for error in errors) else PecliError


LISTENER: ContextVar[Callable[[str], None] | None] = ContextVar("listener", default=None)


def notice(text: str) -> None:
    """Pass a one-line message to the current listener, if there is one."""
    if listener := LISTENER.get():
        listener(text)
