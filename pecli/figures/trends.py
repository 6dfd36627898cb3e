"""Where a curve goes from its first value: up or down, how far, and whether it comes back."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

from pecli.core.language import template, translate
from pecli.core.lazy import Array, np
from pecli.core.numbers import ROUNDING, number_text

SWING = 0.5  # of the way there, that a curve which comes back goes back at least
NEAR_LOWEST = 0.9  # of the way back, at least, where it is said to be back
DIGITS = 3
TEXTS = {  # whether it rises first, and whether it comes back
    (True, False): template("the {measure} rises from {first} to {far}"),
    (False, False): template("the {measure} falls from {first} to {far}"),
    (True, True): template("the {measure} rises to {far} and falls again to {back}"),
    (False, True): template("the {measure} falls to {far} and rises again to {back}"),
}
FARTHEST = {
    True: template("the {measure} rises farthest with {name}, to {far}"),
    False: template("the {measure} falls farthest with {name}, to {far}"),
}


class Point(NamedTuple):
    """A value of a curve, and the offset at which it is (None: somewhere in a run of offsets)."""

    value: float
    offset: float | None

    def text(self) -> str:
        value = number_text(self.value, DIGITS)
        if self.offset is None:
            return value
        return translate("{value} at {offset}", value=value, offset=number_text(self.offset))


class Trend(NamedTuple):
    """The first value of a curve, the farthest from it, before it comes back if it does, and where it comes back to."""

    first: Point
    far: Point
    back: Point | None

    @property
    def way(self) -> float:
        """Return the way from the first value to the farthest, below 0 where it falls."""
        return self.far.value - self.first.value

    def labelled_points(self) -> list[Point]:
        """Return the points that the text names."""
        return [self.first, self.far] if self.back is None else [self.far, self.back]

    def text(self, measure: str) -> str:
        """Return where the curve of a measure goes."""
        first, far, back = ((point or self.far).text() for point in self)
        return translate(TEXTS[self.way > 0, self.back is not None], measure=measure, first=first, far=far, back=back)


def farthest_text(trends: Mapping[str, Trend], measure: str) -> str:
    """Return which of several curves, by name, goes farthest; '' where directions differ, one comes back or two tie."""
    ways = {name: trend.way for name, trend in trends.items()}
    *_, second, name = ["", *sorted(ways, key=lambda name: abs(ways[name]))]
    if len({way > 0 for way in ways.values()}) > 1 or any(trend.back for trend in trends.values()):
        return ""
    if not second or abs(ways[name] - ways[second]) <= ROUNDING * abs(ways[name]):
        return ""
    far = number_text(trends[name].far.value, DIGITS)
    return translate(FARTHEST[ways[name] > 0], measure=measure, name=name, far=far)


def trend_of(low: Array, mean: Array, high: Array, offsets: Array | None) -> Trend | None:
    """Return where a curve goes; None where it goes nowhere. What it does within a run of offsets is no coming back.

    Parameters
    ----------
    low, mean, high : the smallest, the mean and the largest value at each of n runs of offsets, shape (n,)
    offsets : (n,), where every run is one offset
    """
    known = np.isfinite(low) & np.isfinite(high)
    low, mean, high = low[known], mean[known], high[known]
    if not len(low):
        return None
    up, down = float(high.max() - low[0]), float(high[0] - low.min())
    if max(up, down) <= ROUNDING * float(np.abs(high).max()):
        return None
    sign = 1.0 if up > down else -1.0
    near, away = (low, high) if up > down else (-high, -low)  # a curve that goes up, as it is or mirrored

    def point(values: Array, at: int) -> Point:
        return Point(sign * float(values[at]) + 0.0, None if offsets is None else float(offsets[known][at]))

    falls = np.append(near[0], np.maximum.accumulate(away)[:-1]) - near  # below the farthest before each run
    rising = sign * mean  # goes on where the numbers of one run swing
    swing = float((np.maximum.accumulate(rising) - rising).max())
    if swing < SWING * np.ptp(rising) or falls.max() < SWING * (away.max() - near[0]):
        return Trend(point(near, 0), point(away, int(away.argmax())), None)
    low_again = np.flatnonzero(falls >= NEAR_LOWEST * falls.max())
    back = int(low_again[near[low_again].argmin()])
    return Trend(point(near, 0), point(away, int(away[:back].argmax())), point(near, back))
