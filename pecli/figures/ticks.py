"""Ticks that know how much room their axis has: as many as fit beside each other, asked anew whenever that changes."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import matplotlib as mpl
import numpy as np
from matplotlib.font_manager import FontProperties
from matplotlib.ticker import FixedLocator, Formatter, LogFormatter, MaxNLocator, MultipleLocator

from pecli.core.numbers import number_text, number_texts
from pecli.figures.text import ems

STEPS = [1, 2, 2.5, 5, 10]
STEP = 0.03  # inches
MOST = 9  # ticks on an axis
NEAR = 1e-9  # of an axis, by which a tick at its end may lie beyond
APART, CLOSE = 0.5, 0.15  # ems between labels, and where there would be a single one else


def inches(axis: Any) -> float:
    """The length of an axis, in steps so coarse that its ticks stay when the last measuring moves it by a pixel."""
    box = axis.axes.bbox
    length = float((box.width if axis.axis_name == "x" else box.height) / axis.axes.get_figure(root=True).dpi)
    return round(length / STEP) * STEP


def fit(axis: Any, texts: Sequence[str], spacing: float, apart: float = APART) -> bool:
    """Whether labels that stand so many inches from each other leave room between them, so many ems."""
    em = tick_size(axis) / 72
    widest = max(map(ems, texts), default=0.0) if axis.axis_name == "x" else 0.85
    return spacing >= (widest + apart) * em


def tick_size(axis: Any) -> float:
    """The size of tick labels, points."""
    default = mpl.rcParams["xtick.labelsize"] if axis.axis_name == "x" else mpl.rcParams["ytick.labelsize"]
    size = axis.get_tick_params().get("labelsize") or default
    return float(FontProperties(size=size).get_size_in_points())


class RoundTicks(MaxNLocator):
    """Round numbers, as many as there is room for.

    ends : the axis goes on beyond these without numbers, as where names stand there
    """

    def __init__(self, integer: bool = False) -> None:
        super().__init__(nbins=MOST, steps=STEPS, integer=integer, min_n_ticks=1)
        self.ends = (-float("inf"), float("inf"))
        self._known: dict[tuple[float, float, float], Any] = {}

    def __call__(self) -> Any:
        axis: Any = self.axis
        low, high = sorted(axis.get_view_interval())
        asked = (low, high, inches(axis))
        if asked not in self._known:
            self._known[asked] = self._fitting(*asked)
        ticks = self._known[asked]
        return ticks[(ticks >= self.ends[0]) & (ticks <= self.ends[1])]

    def _fitting(self, low: float, high: float, room: float) -> Any:
        """As many ticks between two numbers as have room in so many inches: some that stand close rather than one."""
        few = np.zeros(0)
        for count in range(MOST, 0, -1):
            self.set_params(nbins=count)
            ticks = np.asarray(self.tick_values(low, high))
            ticks = ticks[(ticks >= low - NEAR * (high - low)) & (ticks <= high + NEAR * (high - low))]
            texts = number_texts(ticks.tolist())
            if len(ticks) > 1:
                few = ticks
            if len(ticks) < 2 or fit(self.axis, texts, room * (ticks[1] - ticks[0]) / (high - low)):
                break
        if len(ticks) < 2 and len(few):
            for chosen, apart in ((few, CLOSE), (few[[0, -1]], APART)):
                if fit(
                    self.axis, number_texts(chosen.tolist()), room * float(chosen[1] - chosen[0]) / (high - low), apart
                ):
                    return chosen
        return ticks


def numbered(axis: Any) -> tuple[float, float]:
    """From where to where an axis has numbers."""
    low, high = sorted(axis.get_view_interval())
    low, high = low - NEAR * (high - low), high + NEAR * (high - low)
    ticks = axis.get_major_locator()
    return (max(low, ticks.ends[0]), min(high, ticks.ends[1])) if isinstance(ticks, RoundTicks) else (low, high)


def number_between(axis: Any, low: float, high: float) -> None:
    """Gives an axis of round numbers no numbers beyond these."""
    if isinstance(ticks := axis.get_major_locator(), RoundTicks):
        ticks.ends = low, high


class SteppedTicks(MultipleLocator):
    """Multiples of the smallest of some steps for which there is room."""

    def __init__(self, steps: Sequence[int], text: Callable[[float], str]) -> None:
        super().__init__(steps[-1])
        self.steps, self.text = steps, text

    def __call__(self) -> Any:
        axis: Any = self.axis
        low, high = sorted(axis.get_view_interval())
        room = inches(axis)
        for step in self.steps:
            if (high - low) / step > 100:
                continue
            ticks = np.arange(np.ceil(low / step), np.floor(high / step) + 1) * step
            if len(ticks) < 2 or fit(axis, [self.text(tick) for tick in ticks], room * step / (high - low)):
                break
        return ticks


class DecadeTicks(FixedLocator):
    """1, 10, 100, … (or 1, 2, 5, …) on an axis that shows decimal logarithms, each, every second, every third…"""

    def __call__(self) -> Any:
        axis: Any = self.axis
        low, high = sorted(axis.get_view_interval())
        ticks = np.asarray(self.locs)  # type: ignore[attr-defined]  # the stubs leave it out
        room = inches(axis)
        for step in range(1, len(ticks) + 1):
            some = ticks[::step]
            texts = [number_text(10**tick) for tick in some]
            if len(some) < 2 or fit(axis, texts, room * float(np.diff(some).min()) / (high - low)):
                break
        return some


class NumberTexts(Formatter):
    """Numbers in pecli's way."""

    def __init__(self, text: Callable[[float], str] | None = None) -> None:
        self.text = text

    def __call__(self, value: float, position: int | None = None) -> str:
        return (self.text or number_text)(value)

    def format_ticks(self, values: Any) -> list[str]:
        values = [float(value) for value in values]
        return [self.text(value) for value in values] if self.text else self._alike(values)

    def _alike(self, values: Sequence[float]) -> list[str]:
        """The ticks in one way, as those that are seen need it: a locator gives some beyond the ends of the axis."""
        axis: Any = self.axis
        low, high = sorted(axis.get_view_interval())
        seen = [value for value in values if low - 1e-9 * abs(low) <= value <= high + 1e-9 * abs(high)]
        texts = dict(zip(seen, number_texts(seen), strict=True))
        return [texts.get(value) or number_text(value) for value in values]


class BetweenPowers(LogFormatter):
    """Numbers between powers of ten in pecli's way, where matplotlib writes any: on an axis of few powers."""

    def __call__(self, value: float, position: int | None = None) -> str:
        return number_text(value) if super().__call__(value, position) else ""
