"""Ticks that adapt to the length of their axis: as many as have room for their labels."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import partial
from itertools import chain, pairwise
from typing import Any

import numpy as np
from matplotlib.ticker import Formatter, Locator, LogFormatter, MaxNLocator

from pecli.core.numbers import number_text, number_texts
from pecli.page.words import ems

STEPS = [1, 2, 2.5, 5, 10]
STEP = 0.03  # inches: lengths of axes are rounded to it
MAX_TICKS = 6
WHOLE = 9  # up to this many whole numbers, each has a tick if there is room
CLOSE = 0.6  # least distance of a tick from the end ticks, in steps
MARGIN = 0.05  # largest margin beyond the data as a share of the axis
FLUSH = 0.98  # share of an axis, from which on a number is right-aligned
NEAR = 1e-9  # tolerance for ticks at the ends, as a share of the axis
APART = 0.5  # ems between labels


def axis_length(axis: Any) -> float:
    """Return the length of an axis in inches, rounded so that a change of one pixel does not change the ticks."""
    box = axis.axes.bbox
    length = float((box.width if axis.axis_name == "x" else box.height) / axis.axes.get_figure(root=True).dpi)
    return round(length / STEP) * STEP


def is_right_aligned(axis: Any, place: float) -> bool:
    """Return whether to right-align the number at `place`.

    This is so for the last number of a horizontal axis in a picture of several panels.
    """
    low, high = axis.get_view_interval()
    return getattr(axis, "flush", False) and low < high and FLUSH < (place - low) / (high - low) <= 1


def labels_fit(axis: Any, texts: Sequence[str], spacing: float, flush: bool = False) -> bool:
    """Return whether labels at a distance of `spacing` inches do not touch each other.

    flush : whether the last label is right-aligned
    """
    size = axis.get_major_ticks(1)[0].label1.get_fontsize()
    widths = [max(map(ems, text.split("\n"))) if axis.axis_name == "x" else 0.85 for text in texts]
    pairs = [(one + other) / 2 for one, other in pairwise(widths)]
    needed = max([*pairs, *(pairs[-1] + widths[-1] / 2 for _ in pairs[-1:] if flush)], default=0.0)
    return spacing >= (needed + APART) * size / 72


class FittingTicks(Locator):
    """A locator that takes the first set of ticks whose labels fit, or the last set if none does.

    sets : returns sets of ticks between the low and the high end of the axis
    text : returns a tick's label; None: the number
    """

    def __init__(
        self, sets: Callable[[float, float], Iterable[Any]], text: Callable[[float], str] | None = None
    ) -> None:
        self.sets, self.text = sets, text
        self._known: dict[tuple[float, float, float], Any] = {}

    def __call__(self) -> Any:
        axis: Any = self.axis
        low, high = sorted(axis.get_view_interval())
        asked = (low, high, axis_length(axis))
        if asked not in self._known:
            ticks = np.zeros(0)
            for ticks in self.sets(*ends_of(axis)):
                room = asked[2] * float(np.diff(ticks).min(initial=np.inf)) / (high - low)
                texts = number_texts(ticks.tolist()) if self.text is None else [*map(self.text, ticks.tolist())]
                if len(ticks) < 2 or labels_fit(axis, texts, room, is_right_aligned(axis, ticks[-1])):
                    break
            self._known[asked] = ticks
        return self._known[asked]


class LogTicks(Locator):
    """Ticks at some places of a logarithmic axis; the last tick but one is left out if its label does not fit."""

    def __init__(self, places: Sequence[float]) -> None:
        self.places = np.array(places, dtype=np.float64)

    def __call__(self) -> Any:
        axis: Any = self.axis
        places = self.places
        if len(places) < 3:
            return places
        low, high = sorted(axis.get_view_interval())
        room = axis_length(axis) * float(np.log(places[-1] / places[-2]) / np.log(high / low))
        fits = labels_fit(axis, number_texts(places.tolist())[-2:], room, is_right_aligned(axis, high))
        return places if fits else np.delete(places, -2)


def ends_of(axis: Any) -> tuple[float, float]:
    """Return the first and last value shown on an axis, without the margins around lines."""
    low, high = sorted(axis.get_view_interval())
    first, last = getattr(axis, "shown", (low, high))
    near = MARGIN * (high - low)
    return (first, last) if 0 <= first - low <= near and 0 <= high - last <= near else (low, high)


def whole_ticks() -> FittingTicks:
    """Return a locator for the first and last whole number and a few round ones between."""
    return FittingTicks(whole_numbers)


def ticks_at(places: Sequence[float]) -> FittingTicks:
    """Return a locator for these ticks, or a few round whole numbers if their labels do not fit."""
    return FittingTicks(lambda low, high: chain([np.array(places, dtype=float)], whole_numbers(low, high)))


def whole_numbers(low: float, high: float) -> Iterator[Any]:
    """Yield ever smaller sets of ticks: the first and last whole number with round numbers between.

    If there are 2ⁿ whole numbers (8 or more), the first steps tried are a quarter and half of their count; if
    3·2ⁿ, a third.
    """
    first, last = np.ceil(low - NEAR) + 0.0, np.floor(high + NEAR) + 0.0  # no −0
    count = int(last - first) + 1
    if count <= WHOLE:
        yield np.arange(first, last + 1)
    odd = count // (count & -count) if count else 0
    parts = [count // part for part in ((4, 2) if odd == 1 else (3,))] if count >= 8 and odd in (1, 3) else []
    others = (MaxNLocator(most, steps=STEPS, integer=True).tick_values(first, last) for most in range(5, 1, -1))
    for step in dict.fromkeys([*parts, *(ticks[1] - ticks[0] for ticks in others)]):
        between = np.arange(np.ceil(first / step), np.floor(last / step) + 1) * step + 0.0
        inside = (between - first >= CLOSE * step) & (last - between >= CLOSE * step)
        yield np.array([first, *between[inside], last])
    yield np.unique([first, last])


def round_ticks(most: int = MAX_TICKS) -> FittingTicks:
    """Return a locator for round numbers, as many as fit."""
    return FittingTicks(partial(round_numbers, most))


def round_numbers(most: int, low: float, high: float) -> Iterator[Any]:
    """Yield ever smaller sets of round numbers between `low` and `high`, the first with about `most` numbers.

    Before a set of fewer than two numbers, the ends of the last larger set are yielded as a set of their own.
    """
    near, ticks = NEAR * (high - low), np.zeros(0)
    for count in range(most, 0, -1):
        locator = MaxNLocator(count, steps=STEPS, min_n_ticks=1)
        several, ticks = ticks, np.asarray(locator.tick_values(low, high))
        ticks = ticks[(ticks >= low - near) & (ticks <= high + near)]
        if len(ticks) < 2 < len(several):
            yield several[[0, -1]]
        yield ticks


def multiples(steps: Sequence[int], low: float, high: float) -> Iterator[Any]:
    """Yield the multiples of each step between `low` and `high`.

    Steps with more than MAX_TICKS multiples are skipped, except the last step.
    """
    for step in steps:
        if (high - low) / step <= MAX_TICKS or step == steps[-1]:
            yield np.arange(np.ceil(low / step), np.floor(high / step) + 1) * step + 0.0  # no −0


class NumberTexts(Formatter):
    """A formatter that writes tick labels with `text`, or as numbers with a common number of digits."""

    def __init__(self, text: Callable[[float], str] | None = None) -> None:
        self.text = text

    def __call__(self, value: float, position: int | None = None) -> str:
        return (self.text or number_text)(value)

    def format_ticks(self, values: Any) -> list[str]:
        if self.text:
            return [self.text(float(value)) for value in values]
        axis: Any = self.axis
        low, high = sorted(axis.get_view_interval())
        seen = [value for value in map(float, values) if low - NEAR * abs(low) <= value <= high + NEAR * abs(high)]
        texts = dict(zip(seen, number_texts(seen), strict=True))
        return [texts.get(float(value)) or number_text(float(value)) for value in values]


class BetweenPowers(LogFormatter):
    """A formatter for minor ticks of a logarithmic axis: 2 and 5 times powers of ten, more numbers on a short axis.

    powers : number of decades above which there are no labels
    """

    def __init__(self, powers: float = 1.0) -> None:
        super().__init__(minor_thresholds=(powers, 0.5))
        self.powers = powers

    def __call__(self, value: float, position: int | None = None) -> str:
        axis: Any = self.axis
        powers = np.log10(np.divide(*axis.get_view_interval()[::-1]))
        if powers > self.powers:
            return ""
        if powers > 0.5:
            return number_text(value) if round(value / 10 ** np.floor(np.log10(value))) in (2, 5) else ""
        return number_text(value) if super().__call__(value, position) else ""
