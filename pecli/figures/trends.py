"""Where a curve goes from its first value: up or down, how far, and whether it comes back."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

from pecli.core.language import phrase, template
from pecli.core.lazy import Array, np
from pecli.core.numbers import ROUNDING, number_text

BACK = 0.5  # of the way there, after which a curve has come back
HIGHEST = 0.9  # of the way back, at least, where it is said to be back
DIGITS = 3
TEXTS = {  # whether it goes up first, and whether it comes back
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


class Trend(NamedTuple):
    """The first value of a curve, the farthest from it, and where it comes back to after that, if it does.

    Of a curve that comes back, far is the farthest point before it does.
    """

    first: Point
    far: Point
    back: Point | None

    @property
    def rises(self) -> bool:
        """Whether it goes up first."""
        return self.far.value > self.first.value

    def labelled_points(self) -> list[Point]:
        """The points that its text names."""
        return [self.first, self.far] if self.back is None else [self.far, self.back]

    def text(self, measure: str) -> str:
        """What there is to say of it, with the name of what is measured."""
        first, far, back = (point_text(one or self.far) for one in self)
        return phrase(TEXTS[self.rises, self.back is not None], measure=measure, first=first, far=far, back=back)


def point_text(point: Point) -> str:
    """A value, and at which offset it is where that is known."""
    value = number_text(point.value, DIGITS)
    if point.offset is None:
        return value
    return phrase("{value} at {offset}", value=value, offset=number_text(point.offset))


def farthest_text(trends: Mapping[str, Trend], measure: str) -> str:
    """Which of several curves, by name, goes farthest; nothing where they go different ways or as far as another."""
    if len({one.rises for one in trends.values()}) > 1 or any(one.back for one in trends.values()):
        return ""
    ways = {name: abs(one.far.value - one.first.value) for name, one in trends.items()}
    *_, second, name = ["", *sorted(ways, key=lambda name: ways[name])]
    if not second or ways[name] - ways[second] <= ROUNDING * ways[name]:
        return ""
    best = trends[name]
    return phrase(FARTHEST[best.rises], measure=measure, name=name, far=number_text(best.far.value, DIGITS))


def trend_of(low: Array, mean: Array, high: Array, offsets: Array | None) -> Trend | None:
    """Where a curve goes; None where it goes nowhere. What it does within a run of offsets is no coming back.

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

    before = np.append(near[0], np.maximum.accumulate(away)[:-1])  # the farthest before each run
    falls = before - near
    trend = sign * mean  # goes on where the numbers of one run swing
    swings = np.maximum.accumulate(trend) - trend
    if swings.max() < BACK * np.ptp(trend) or falls.max() < BACK * (away.max() - near[0]):
        return Trend(point(near, 0), point(away, int(away.argmax())), None)
    low_again = np.flatnonzero(falls >= HIGHEST * falls.max())
    back = int(low_again[near[low_again].argmin()])
    return Trend(point(near, 0), point(away, int(away[:back].argmax())), point(near, back))
