"""A clock as a position encoding: hands that turn at different speeds."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from decimal import Decimal
from typing import ClassVar

from pecli.core.number_text import minus
from pecli.core.options import option
from pecli.core.values import write_scalar
from pecli.encodings.capabilities import Additive
from pecli.encodings.harmonic import PI, Harmonic, many_digits

MINUTE, HOUR, DAY = 60, 3600, 86400
NAMED = {  # seconds; month and year are the Gregorian calendar's means
    "minute": MINUTE,
    "hour": HOUR,
    "halfday": 12 * HOUR,
    "day": DAY,
    "week": 7 * DAY,
    "month": 2629746,
    "year": 31556952,
}
UNITS = (("y", 31556952), ("mo", 2629746), ("wk", 7 * DAY), ("d", DAY), ("h", HOUR), ("min", MINUTE), ("s", 1))


@dataclass(frozen=True)
class Clock(Harmonic, Additive):
    """sin and cos of every hand's angle, 2π p / period; the position p is a time in seconds.

    Two times that lie a common multiple of all periods apart coincide: with the default hands every 12 hours.

    Notes
    -----
    The third article's picture of a clock. Its own formula, hands of 2πk, 2πk/3600 and 2πk/43200, is
    ``periods=1,3600,43200``: at whole seconds its first hand always points up.
    """

    name: ClassVar[str] = "clock"
    summary: ClassVar[str] = "hands of a clock: sin and cos of each hand's angle"
    formula: ClassVar[str] = "PE(p, 2j) = sin(2π p / period_j), PE(p, 2j+1) = cos(2π p / period_j)"
    source: ClassVar[str] = "the third article: Positional Encoding, fleuria, 2023"
    example: ClassVar[str] = "pecli distance -e clock --length 86400"
    models: ClassVar[str] = "none: an intuition"
    position_label: ClassVar[str] = "time"
    other_label: ClassVar[str] = "other time"
    position_unit: ClassVar[str] = "seconds"
    dimension_label: ClassVar[str] = "hand"
    tick_steps: ClassVar[tuple[int, ...]] = (
        *(1, 2, 5, 10, 15, 30, 60, 120, 300, 600, 900, 1800, HOUR, 2 * HOUR, 3 * HOUR, 6 * HOUR, 12 * HOUR),
        *(days * DAY for days in (1, 2, 3, 7, 14, 28, 91, 182, 365, 1826, 3652, 36524, 365243)),
    )

    periods: tuple[float, ...] = option(
        (60.0, 3600.0, 43200.0), "seconds a full turn of each hand takes", above=0, names=NAMED, shown=True
    )

    @property
    def width(self) -> int:
        return 2 * len(self.periods)

    def rates(self) -> Iterable[Decimal | float]:
        with many_digits():
            return [2 * PI / Decimal(period) for period in self.periods]

    def rate_formula(self, pair: int) -> str:
        return f"2π/{write_scalar(self.periods[pair])}"

    def position_text(self, position: float) -> str:
        days, seconds = divmod(round(position), DAY)
        hours, minutes = divmod(seconds // 60, 60)
        time = f"{hours:02}:{minutes:02}:{seconds % 60:02}"
        if days == 0:
            return time
        text = f"{days:,} d" if seconds == 0 else f"{days} d {time}"
        return minus(text)

    def length_text(self, length: float) -> str:
        return duration(float(f"{length:.12g}"))

    def pair_text(self, pair: int) -> str:
        return f"{duration(self.periods[pair])} hand"

    def dimension_names(self) -> list[str]:
        return [f"{wave} {duration(period)}" for period in self.periods for wave in ("sin", "cos")]


def duration(seconds: float) -> str:
    """A period in the largest unit that divides it: 43200 is 12 h."""
    unit, size = next(((unit, size) for unit, size in UNITS if seconds % size == 0), ("s", 1))
    return f"{seconds / size:g} {unit}"
