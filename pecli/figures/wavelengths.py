"""Headlines about wavelengths, and their marks in pictures."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from pecli.core.language import template, translate
from pecli.core.lazy import Array, np
from pecli.core.numbers import number_text
from pecli.core.positions import Positions
from pecli.encodings.base import Encoding, TableEncoding
from pecli.encodings.harmonic import Harmonic
from pecli.figures.canvas import Canvas
from pecli.measures.waves import MEASURED

if TYPE_CHECKING:
    from matplotlib.axes import Axes

MAX_WAVELENGTH = 1e15  # positions; a longer wave stands still, and an axis has no room for it


def wavelength_unit(encoding: Encoding) -> str:
    """Return what wavelengths are counted in, where their numbers do not say it."""
    return "" if encoding.position_unit else translate("wavelength λ in positions")


def wave_text(encoding: Encoding, wave: float) -> str:
    """Return a wavelength, or a number of positions, with its unit."""
    if encoding.position_unit:
        return encoding.length_text(wave)
    count = f"{wave:,}" if isinstance(wave, int) else encoding.length_text(wave)
    return translate("{count} positions", count=count)


def short_length(encoding: Encoding, length: float) -> str:
    """Return a number of positions in little room; a unit that belongs to it stays."""
    return encoding.length_text(length) if encoding.position_unit else number_text(length, 3)


def short_wave_text(encoding: Encoding, wave: float) -> str:
    """Return a wavelength with its unit in little room."""
    count = short_length(encoding, wave)
    return count if encoding.position_unit else translate("{count} positions", count=count)


def has_known_waves(encoding: TableEncoding) -> bool:
    """Return whether wavelengths follow from a formula or are those of a whole cycle; else they are estimates."""
    return isinstance(encoding, Harmonic) or encoding.cycle(MEASURED) is not None


def waves_text(encoding: TableEncoding, waves: Array) -> str:
    """Return from what to what waves get longer, in the order in which they are drawn; empty where they do not."""
    moving = waves[np.isfinite(waves)]
    if len(np.unique(moving)) < 2 or not has_known_waves(encoding) or (waves[:-1] > waves[1:]).any():
        return ""
    low, high = short_length(encoding, float(moving.min())), short_wave_text(encoding, float(moving.max()))
    return translate("the waves get longer from top to bottom: {low} to {high}", low=low, high=high)


def unfinished(encoding: Harmonic, length: int) -> str:
    """Return how many pairs have a wavelength beyond the length, or that none has; nothing where nothing can turn."""
    if length == 1:
        return ""
    waves, within = encoding.wavelengths(), wave_text(encoding, length)
    count = int((waves > length).sum())
    if not count:
        return translate("every pair finishes a turn in {length}", length=within)
    text = template("{count} of {all} pairs never finish a turn in {length}")
    return translate(text, count=count, all=len(waves), length=within)


def angle_text(turns: float) -> str:
    """Return an angle in turns, or in degrees where it is less than one."""
    if turns < 1:
        return f"{number_text(360 * turns, 3)}°"
    count = number_text(turns, 3)
    return translate(template("{count} turn") if count == "1" else template("{count} turns"), count=count)


def relative_turns(encoding: TableEncoding, positions: Positions) -> str:
    """Return how far the fastest and the slowest pair turn over all positions; nothing where all turn alike."""
    turns = turns_between_ends(encoding, positions) if isinstance(encoding, Harmonic) else np.zeros(0)
    if len(set(turns)) < 2:
        return ""
    fast, slow = int(turns.argmax()), int(turns.argmin())
    much, little = angle_text(turns[fast]), angle_text(turns[slow])
    first, last = (encoding.position_text(at) for at in (positions.start, positions.stop - 1))
    text = template("from position {first} to {last} pair {fast} covers {much}, pair {slow} only {little}")
    return translate(text, first=first, last=last, fast=fast, slow=slow, much=much, little=little)


def turns_between_ends(encoding: Harmonic, positions: Positions) -> Array:
    """Return how often each pair turns from the first position to the last, (n_pairs,)."""
    return (positions.length - 1) / encoding.wavelengths()


def halving_text(encoding: TableEncoding, waves: Array) -> str:
    """Return that each dimension changes half as often as the one before, twice a wave, where that is so."""
    if len(waves) < 2 or (waves[1:] != 2 * waves[:-1]).any():
        return ""
    text = template("each {dimension} changes half as often as the one before: {dimension} {last} every {length}")
    name, most = translate(encoding.dimension_label), int(waves[-1]) // 2
    return translate(text, dimension=name, last=len(waves) - 1, length=wave_text(encoding, most))


ABOVE, THICK = 1.7, 1.2  # points: how far above a frame a rule stands, and how thick it is


def unfinished_runs(encoding: Encoding, length: int) -> list[tuple[int, int]]:
    """Return the first and the stop of each run of columns that never finish a turn in the length."""
    if not isinstance(encoding, Harmonic) or length == 1:
        return []
    longer = np.concatenate(([False], encoding.column_wavelengths() > length, [False]))
    edges = np.flatnonzero(longer[1:] != longer[:-1])
    return list(zip(edges[::2].tolist(), edges[1::2].tolist(), strict=True))


def rule_over(axes: Axes, runs: Sequence[tuple[int, int]], canvas: Canvas) -> None:
    """Draw rules above the frame of an image, over these runs of its columns."""
    from matplotlib.transforms import offset_copy

    above = offset_copy(axes.get_xaxis_transform(), axes.get_figure(root=True), y=ABOVE * canvas.scale, units="points")
    style: dict[str, Any] = {"color": axes.xaxis.label.get_color(), "linewidth": THICK * canvas.scale}
    for first, stop in runs:
        ends = (first - 0.5, stop - 0.5)
        axes.plot(ends, (1, 1), solid_capstyle="butt", transform=above, clip_on=False, **style)
