"""Ranges in the text of numbers: ``0..32`` is every whole number, ``2..10000:40`` forty values evenly spaced."""

from __future__ import annotations

import math
import re
from typing import Any

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
