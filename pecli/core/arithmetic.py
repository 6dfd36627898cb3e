"""How much is worked on at once, and how near two numbers are that are the same but for rounding."""

from __future__ import annotations

CHUNK = 1 << 20  # numbers handled at once where all of them would be too much
LARGEST = 1e50  # of a number that tables and biases are multiplied by: its fourth power has a place in float64
ROUNDING = 1e-12  # a difference below this share of the values is rounding


def at_once(width: int, most: int | None = None) -> int:
    """How many rows of `width` numbers are handled at once, so that they hold no more than CHUNK numbers, or `most`."""
    return max(1, (most or CHUNK) // max(1, width))


def chunks(first: int, stop: int, width: int, most: int | None = None) -> list[range]:
    """The rows first … stop − 1, each of `width` numbers, in runs of as many as are handled `at_once`."""
    step = at_once(width, most)
    return [range(at, min(at + step, stop)) for at in range(first, stop, step)]
