"""Widths and heights as people write them: ``5x3``, ``8cm``, ``8cmx5cm``, ``120mm``, ``390pt``."""

from __future__ import annotations

import re
from numbers import Real

from pecli.core.values import write_scalar

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
