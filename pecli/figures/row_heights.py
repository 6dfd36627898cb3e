"""How high rows of frames are: none lower than its texts need where there is room for all. Lengths in inches."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from pecli.figures.panels import Run

MORE = 2.0  # times as high as wanted a row becomes at most where there is room to spare


def with_bars(least: Sequence[float], runs: Iterable[tuple[Run, float]]) -> list[float]:
    """The least heights of rows beside which colour bars stand whose labels take so much."""
    heights = list(least)
    for run, label in runs:
        rows = range(run.first_row, run.last_row + 1)
        heights = [max(height, label / len(rows)) if at in rows else height for at, height in enumerate(heights)]
    return heights


def filled(wanted: Sequence[float], least: Sequence[float], room: float) -> list[float]:
    """Heights that fill the room in the proportions wanted, but none below its least where there is room for all."""
    if sum(least) >= room:
        return [height * max(1e-3, room) / sum(wanted) for height in wanted]
    kept: set[int] = set()  # the rows that have their least
    while True:
        free = room - sum(least[at] for at in kept)
        share = free / sum(height for at, height in enumerate(wanted) if at not in kept)
        low = {at for at, height in enumerate(wanted) if at not in kept and height * share < least[at]}
        if not low:
            return [least[at] if at in kept else height * share for at, height in enumerate(wanted)]
        kept |= low


def grown(heights: Sequence[float], free: Sequence[int], room: float) -> list[float]:
    """The heights with those that are free as much larger as the room allows, to so many times their own."""
    spare = (room - sum(heights)) / (sum(heights[at] for at in free) or 1.0)
    return [height * (1 + min(MORE - 1, spare) * (at in free)) for at, height in enumerate(heights)]
