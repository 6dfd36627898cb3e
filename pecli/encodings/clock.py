"""Two encodings: the hands of a clock, and waves whose periods differ by a fixed factor."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from dataclasses import dataclass
from decimal import Decimal
from typing import ClassVar

from pecli.core.language import say
from pecli.core.numbers import minus
from pecli.core.options import option, seconds_of, write_scalar
from pecli.encodings.base import LISTED, Additive, width_option
from pecli.encodings.harmonic import PI, Harmonic, as_typed, many_digits

MINUTE, HOUR, DAY = 60, 3600, 86400
NAMED = {  # periods in seconds; month and year are means of the Gregorian calendar
    "minute": MINUTE,
    "hour": HOUR,
    "halfday": 12 * HOUR,
    "day": DAY,
    "week": 7 * DAY,
    "month": 2629746,
    "year": 31556952,
}
HANDS: dict[float, str] = {
    MINUTE: "clock.second_hand",
    HOUR: "clock.minute_hand",
    12 * HOUR: "clock.hour_hand",
}  # by period in seconds
UNITS = (
    ("clock.count_y", 31556952),
    ("clock.count_mo", 2629746),
    ("clock.count_wk", 7 * DAY),
    ("clock.count_d", DAY),
    ("clock.count_h", HOUR),
    ("clock.count_min", MINUTE),
    ("clock.count_s", 1),
)


@dataclass(frozen=True)
class Clock(Harmonic, Additive):
    """The sine and cosine of every hand's angle, 2π p / period; the position p is a time in seconds.

    Two times coincide if they lie a common multiple of all periods apart: with the default hands, every 12 hours.

    Notes
    -----
    After fleuria 2023. The article's formula has hands at 2πk, 2πk/3600 and 2πk/43200, which is
    ``periods=1,3600,43200``: its first hand points up at every whole second.
    """

    name: ClassVar[str] = "clock"
    summary: ClassVar[str] = "hands of a clock: sin and cos of each hand's angle"
    formula: ClassVar[str] = "PE(p, 2j) = sin(2π p / period_j), PE(p, 2j+1) = cos(2π p / period_j)"
    source: ClassVar[str] = "fleuria, 2023: Positional Encoding"
    example: ClassVar[str] = "pecli distance -e clock --length 86400"
    models: ClassVar[str] = "none; only to build intuition"
    position_label: ClassVar[str] = "clock.time"
    other_label: ClassVar[str] = "clock.other_time"
    position_named: ClassVar[str] = "clock.time_at"
    position_unit: ClassVar[str] = "clock.seconds"
    dimension_label: ClassVar[str] = "clock.hand"
    tick_steps: ClassVar[tuple[int, ...]] = (
        *(1, 2, 5, 10, 15, 30, 60, 120, 300, 600, 900, 1800, HOUR, 2 * HOUR, 3 * HOUR, 6 * HOUR, 12 * HOUR),
        *(days * DAY for days in (1, 2, 3, 7, 14, 28, 91, 182, 365, 1826, 3652, 36524, 365243)),
    )

    periods: tuple[float, ...] = option(
        (60.0, 3600.0, 43200.0), "seconds per full turn of each hand", above=0, names=NAMED, shown=True
    )

    @property
    def width(self) -> int:
        return 2 * len(self.periods)

    def rates(self) -> Iterable[Decimal | float]:
        with many_digits():
            return [2 * PI / as_typed(period) for period in self.periods]

    def rate_formula(self, pair: int) -> str:
        return f"2π/{write_scalar(self.periods[pair])}"

    def title_pieces(self, without: Collection[str] = ()) -> list[str]:
        hands = f"periods = {', '.join(map(duration, self.periods[:LISTED]))}"
        few, pieces = len(self.periods) <= LISTED, super().title_pieces(without)
        return [hands if few and piece.startswith("periods = ") else piece for piece in pieces]

    def position_at(self, place: int | str) -> int:
        seconds = seconds_of(place)
        return super().position_at(place) if seconds is None else seconds

    def position_text(self, position: float) -> str:
        days, seconds = divmod(round(position), DAY)
        hours, minutes = divmod(seconds // 60, 60)
        time = f"{hours:02}:{minutes:02}:{seconds % 60:02}"
        if days == 0:
            return time
        return minus(say("clock.days_d_time", days=days, time=time) if seconds else say("clock.days_d", days=days))

    def length_text(self, length: float) -> str:
        return duration(float(f"{length:.12g}"))

    def pair_text(self, pair: int) -> str:
        period = self.periods[pair]
        return say(HANDS.get(period, "clock.hand_of"), period=duration(period))

    def dimension_names(self) -> list[str]:
        return [f"{wave} {duration(period)}" for period in self.periods for wave in ("sin", "cos")]


def duration(seconds: float) -> str:
    """Return a period in the largest unit that divides it, such as "12 h" for 43200."""
    unit, size = next(((unit, size) for unit, size in UNITS if seconds % size == 0), UNITS[-1])
    return say(unit, count=seconds / size)


@dataclass(frozen=True)
class Geometric(Harmonic, Additive):
    """PE(p, 2j) = sin(p / radix^(2j)), PE(p, 2j+1) = cos(p / radix^(2j)): the exponent is not divided by d.

    After the first pairs, columns hardly change with the position, which is why the Transformer divides the exponent by
    d; with this division the encoding is `Sinusoidal` with the base `radix`. An odd d has one more sine than cosines.
    """

    name: ClassVar[str] = "geometric"
    summary: ClassVar[str] = "a clock: each hand turns radix² times more slowly than the one before, whatever d is"
    formula: ClassVar[str] = "PE(p, 2j) = sin(p / radix^(2j)), PE(p, 2j+1) = cos(p / radix^(2j))"
    source: ClassVar[str] = "fleuria, 2023: Positional Encoding"
    example: ClassVar[str] = "pecli heatmap -e geometric --d 16 --length 10000"
    models: ClassVar[str] = "none; only to build intuition"

    d: int = width_option(128, "width of the encoding, d_model", shown=True)
    radix: float = option(
        3600.0, "each pair turns radix² times more slowly than the one before", above=0, log=True, shown=True
    )

    @property
    def width(self) -> int:
        return self.d

    def rates(self) -> Iterable[Decimal | float]:
        with many_digits():
            return [as_typed(self.radix) ** (-2 * j) for j in range((self.d + 1) // 2)]

    def rate_formula(self, pair: int) -> str:
        return f"{write_scalar(self.radix)}^(-{2 * pair})"
