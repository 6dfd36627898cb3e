"""Ticks that know how much room their axis has: as many as fit beside each other, counted anew when that changes."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import partial
from itertools import pairwise
from typing import Any

import numpy as np
from matplotlib.ticker import Formatter, Locator, LogFormatter, MaxNLocator

from pecli.core.numbers import number_text, number_texts
from pecli.page.words import ems

STEPS = [1, 2, 2.5, 5, 10]
STEP = 0.03  # inches
MAX_TICKS = 9
NEAR = 1e-9  # of an axis, by which a tick at its end may lie beyond
APART = 0.5  # ems between labels


def inches(axis: Any) -> float:
    """Return the length of an axis, so coarse that its ticks stay when the last measuring moves it by a pixel."""
    box = axis.axes.bbox
    length = float((box.width if axis.axis_name == "x" else box.height) / axis.axes.get_figure(root=True).dpi)
    return round(length / STEP) * STEP


def fit(axis: Any, texts: Sequence[str], spacing: float) -> bool:
    """Return whether labels so many inches from each other leave room between each and the next."""
    size = axis.get_major_ticks(1)[0].label1.get_fontsize()
    widths = [max(map(ems, text.split("\n"))) if axis.axis_name == "x" else 0.85 for text in texts]
    needed = max((one + other for one, other in pairwise(widths)), default=0.0) / 2
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
            for ticks in self.sets(low, high):
                room = asked[2] * float(np.diff(ticks).min(initial=np.inf)) / (high - low)
                texts = number_texts(ticks.tolist()) if self.text is None else [*map(self.text, ticks.tolist())]
                if len(ticks) < 2 or fit(axis, texts, room):
                    break
            self._known[asked] = ticks
        return self._known[asked]


def round_ticks(integer: bool = False, most: int = MAX_TICKS) -> FittingTicks:
    """Return ticks at round numbers, as many as there is room for."""
    return FittingTicks(partial(round_numbers, integer, most))


def round_numbers(integer: bool, most: int, low: float, high: float) -> Iterator[Any]:
    """Yield round numbers between two, fewer and fewer; before a single one the first and the last of several."""
    near, ticks = NEAR * (high - low), np.zeros(0)
    for count in range(most, 0, -1):
        locator = MaxNLocator(count, steps=STEPS, integer=integer, min_n_ticks=1)
        several, ticks = ticks, np.asarray(locator.tick_values(low, high))
        ticks = ticks[(ticks >= low - near) & (ticks <= high + near)]
        if len(ticks) < 2 < len(several):
            yield several[[0, -1]]
        yield ticks


def multiples(steps: Sequence[int], low: float, high: float) -> Iterator[Any]:
    """Yield the multiples of each of some steps, the smallest step first."""
    for step in steps:
        if (high - low) / step <= 100:
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
        if 0.5 < powers <= self.powers:
            return number_text(value) if round(value / 10 ** np.floor(np.log10(value))) in (2, 5) else ""
        return number_text(value) if super().__call__(value, position) else ""
