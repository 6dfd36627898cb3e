"""Ticks that know how much room their axis has: as many as fit beside each other, counted anew when that changes."""

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
STEP = 0.03  # inches
MAX_TICKS = 6
WHOLE = 9  # of so many whole numbers each has a tick, where there is room
CLOSE = 0.6  # of a step, nearer than which to an end there is no tick
MARGIN = 0.05  # of an axis, by which it is longer than what it shows, at most
FLUSH = 0.98  # of an axis, from where on a number may end with it
NEAR = 1e-9  # of an axis, by which a tick at its end may lie beyond
APART = 0.5  # ems between labels


def inches(axis: Any) -> float:
    """Return the length of an axis, so coarse that its ticks stay when the last measuring moves it by a pixel."""
    box = axis.axes.bbox
    length = float((box.width if axis.axis_name == "x" else box.height) / axis.axes.get_figure(root=True).dpi)
    return round(length / STEP) * STEP


def at_end(axis: Any, place: float) -> bool:
    """Return whether a number ends where its frame does: the last one below one panel of several (`Sheet`)."""
    low, high = axis.get_view_interval()
    return getattr(axis, "flush", False) and low < high and FLUSH < (place - low) / (high - low) <= 1


def fit(axis: Any, texts: Sequence[str], spacing: float, flush: bool = False) -> bool:
    """Return whether labels so many inches from each other leave room between each and the next.

    flush : the last ends at its place
    """
    size = axis.get_major_ticks(1)[0].label1.get_fontsize()
    widths = [max(map(ems, text.split("\n"))) if axis.axis_name == "x" else 0.85 for text in texts]
    pairs = [(one + other) / 2 for one, other in pairwise(widths)]
    needed = max([*pairs, *(pairs[-1] + widths[-1] / 2 for _ in pairs[-1:] if flush)], default=0.0)
    return spacing >= (needed + APART) * size / 72


class FittingTicks(Locator):
    """The first of some sets of ticks whose labels have room beside each other, else the last.

    sets : those of an axis from low to high; text : of one tick, None: as numbers are written
    """

    def __init__(
        self, sets: Callable[[float, float], Iterable[Any]], text: Callable[[float], str] | None = None
    ) -> None:
        self.sets, self.text = sets, text
        self._known: dict[tuple[float, float, float], Any] = {}

    def __call__(self) -> Any:
        axis: Any = self.axis
        low, high = sorted(axis.get_view_interval())
        asked = (low, high, inches(axis))
        if asked not in self._known:
            ticks = np.zeros(0)
            for ticks in self.sets(*ends_of(axis)):
                room = asked[2] * float(np.diff(ticks).min(initial=np.inf)) / (high - low)
                texts = number_texts(ticks.tolist()) if self.text is None else [*map(self.text, ticks.tolist())]
                if len(ticks) < 2 or fit(axis, texts, room, at_end(axis, ticks[-1])):
                    break
            self._known[asked] = ticks
        return self._known[asked]


class LogTicks(Locator):
    """Ticks at some places of a logarithmic axis; the one before the last is left out where it has no room."""

    def __init__(self, places: Sequence[float]) -> None:
        self.places = np.array(places, dtype=np.float64)

    def __call__(self) -> Any:
        axis: Any = self.axis
        places = self.places
        if len(places) < 3:
            return places
        low, high = sorted(axis.get_view_interval())
        room = inches(axis) * float(np.log(places[-1] / places[-2]) / np.log(high / low))
        fits = fit(axis, number_texts(places.tolist())[-2:], room, at_end(axis, high))
        return places if fits else np.delete(places, -2)


def ends_of(axis: Any) -> tuple[float, float]:
    """Return from where to where an axis shows something: less than its ends where lines have a margin."""
    low, high = sorted(axis.get_view_interval())
    first, last = getattr(axis, "shown", (low, high))
    near = MARGIN * (high - low)
    return (first, last) if 0 <= first - low <= near and 0 <= high - last <= near else (low, high)


def whole_ticks() -> FittingTicks:
    """Return ticks at the first and the last whole number and at a few round ones between."""
    return FittingTicks(whole_numbers)


def ticks_at(places: Sequence[float]) -> FittingTicks:
    """Return ticks at these places, where there is no room at a few round ones."""
    return FittingTicks(lambda low, high: chain([np.array(places, dtype=float)], whole_numbers(low, high)))


def whole_numbers(low: float, high: float) -> Iterator[Any]:
    """Yield the first and the last whole number with round ones between them, fewer and fewer; of powers of two, a
    quarter or a half apart, of three times one a third."""
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
    """Return ticks at round numbers, as many as there is room for."""
    return FittingTicks(partial(round_numbers, most))


def round_numbers(most: int, low: float, high: float) -> Iterator[Any]:
    """Yield round numbers between two, fewer and fewer; before a single one the first and the last of several."""
    near, ticks = NEAR * (high - low), np.zeros(0)
    for count in range(most, 0, -1):
        locator = MaxNLocator(count, steps=STEPS, min_n_ticks=1)
        several, ticks = ticks, np.asarray(locator.tick_values(low, high))
        ticks = ticks[(ticks >= low - near) & (ticks <= high + near)]
        if len(ticks) < 2 < len(several):
            yield several[[0, -1]]
        yield ticks


def multiples(steps: Sequence[int], low: float, high: float) -> Iterator[Any]:
    """Yield the multiples of each of some steps, the smallest first that has few; of the largest however many."""
    for step in steps:
        if (high - low) / step <= MAX_TICKS or step == steps[-1]:
            yield np.arange(np.ceil(low / step), np.floor(high / step) + 1) * step + 0.0  # no −0


class NumberTexts(Formatter):
    """Numbers in pecli's way, all in one way as those within the ends of the axis need it; or as `text` writes them."""

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
    """Numbers between powers of ten in pecli's way, on an axis of so few powers: 2 and 5, on a shorter one any."""

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
