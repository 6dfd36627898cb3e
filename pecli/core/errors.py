"""What can go wrong, as few kinds as the user needs to tell apart."""

from __future__ import annotations

import difflib
from collections.abc import Iterable

LISTED = 40  # names that a message still lists


class PecliError(ValueError):
    """Something that pecli could not do (exit code 1). The text is one clear line."""

    exit_code = 1


class UsageError(PecliError):
    """Something that was asked wrongly (exit code 2): what was given, what is allowed, what to try."""

    exit_code = 2


class UnknownNameError(UsageError):
    """A name that is not in a list of names; suggests the nearest one."""

    def __init__(self, what: str, given: str, known: Iterable[str]) -> None:
        names = list(known)
        near = difflib.get_close_matches(given.lower(), names, n=1, cutoff=0.5)
        hint = f"; did you mean {near[0]!r}?" if near else ""
        shown = names if len(names) <= LISTED else [*names[:LISTED], f"… {len(names)} in all"]
        super().__init__(f"unknown {what} {given[:60]!r}{hint} (known: {', '.join(shown) or 'none'})")


class OutputError(PecliError):
    """A file that could not be written."""


class TableFileError(PecliError):
    """A file of numbers that could not be read as what it should hold."""
