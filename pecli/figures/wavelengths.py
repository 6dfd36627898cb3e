"""Headlines about wavelengths, and their marks in pictures."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from pecli.core.language import phrase, template
from pecli.core.lazy import Array, np
from pecli.core.numbers import bound_text, number_text
from pecli.core.positions import Positions
from pecli.encodings.base import Encoding, TableEncoding
from pecli.encodings.harmonic import Harmonic, PowersOfBase
from pecli.figures.canvas import Canvas
from pecli.figures.colors import is_dark
from pecli.figures.text import points_per_pixel
from pecli.measures.waves import MEASURED

if TYPE_CHECKING:
    from matplotlib.axes import Axes

NOTABLE = 1e-3  # of a wavelength, by which another is a longer one
MAX_WAVELENGTH = 1e15  # positions; a longer wave stands still, and an axis has no room for it


def wavelength_unit(encoding: Encoding) -> str:
    """Return what wavelengths are counted in, where their numbers do not say it."""
    return "" if encoding.position_unit else phrase("wavelength λ in positions")


def wave_text(encoding: Encoding, wave: float) -> str:
    """Return a wavelength, or a number of positions, with its unit."""
    if encoding.position_unit:
        return encoding.length_text(wave)
    count = f"{wave:,}" if isinstance(wave, int) else encoding.length_text(wave)
    return phrase("{count} positions", count=count)


def short_length(encoding: Encoding, length: float) -> str:
    """Return a number of positions in little room; a unit that belongs to it stays."""
    return encoding.length_text(length) if encoding.position_unit else number_text(length, 3)


def short_wave_text(encoding: Encoding, wave: float) -> str:
    """Return a wavelength with its unit in little room."""
    count = short_length(encoding, wave)
    return count if encoding.position_unit else phrase("{count} positions", count=count)


def has_known_waves(encoding: TableEncoding) -> bool:
    """Return whether wavelengths follow from a formula or are those of a whole cycle; else they are estimates."""
    return isinstance(encoding, Harmonic) or encoding.cycle(MEASURED) is not None


def waves_text(encoding: TableEncoding, waves: Array) -> str:
    """Return from what to what waves get longer, in the order in which they are drawn; empty where they do not."""
    moving = waves[np.isfinite(waves)]
    if len(np.unique(moving)) < 2 or not has_known_waves(encoding) or (waves[:-1] > waves[1:]).any():
        return ""
    low, high = short_length(encoding, float(moving.min())), short_wave_text(encoding, float(moving.max()))
    return phrase("the waves get longer from top to bottom: {low} to {high}", low=low, high=high)


def unfinished(encoding: Harmonic, length: int) -> str:
    """Return how many pairs have a wavelength beyond the length, or that none has; nothing where nothing can turn."""
    if length == 1:
        return ""
    waves, within = encoding.wavelengths(), wave_text(encoding, length)
    count = int((waves > length).sum())
    if not count:
        return phrase("every pair finishes a turn in {length}", length=within)
    text = template("{count} of {all} pairs never finish a turn in {length}")
    return phrase(text, count=count, all=len(waves), length=within)


def angle_text(turns: float) -> str:
    """Return an angle in turns, or in degrees where it is less than one."""
    if turns < 1:
        return f"{number_text(360 * turns, 3)}°"
    count = number_text(turns, 3)
    return phrase(template("{count} turn") if count == "1" else template("{count} turns"), count=count)


def turned_apart(encoding: TableEncoding, positions: Positions) -> str:
    """Return how far the fastest and the slowest pair turn over all positions; nothing where all turn alike."""
    turns = turns_between_ends(encoding, positions) if isinstance(encoding, Harmonic) else np.zeros(0)
    if len(set(turns)) < 2:
        return ""
    fast, slow = int(turns.argmax()), int(turns.argmin())
    much, little = angle_text(turns[fast]), angle_text(turns[slow])
    first, last = (encoding.position_text(at) for at in (positions.start, positions.stop - 1))
    text = template("from position {first} to {last} pair {fast} covers {much}, pair {slow} only {little}")
    return phrase(text, first=first, last=last, fast=fast, slow=slow, much=much, little=little)


def turns_between_ends(encoding: Harmonic, positions: Positions) -> Array:
    """Return how often each pair turns from the first position to the last, (n_pairs,)."""
    return (positions.length - 1) / encoding.wavelengths()


def ratio_text(waves: Array) -> str:
    """Return how many times longer each wavelength is than the one before: ×1.155, or ×12 to ×60."""
    if len(waves) < 2:
        return ""
    ratios = waves[1:] / waves[:-1]
    low, high = float(ratios.min()), float(ratios.max())
    texts = [number_text(ratio, 4) for ratio in (low, high)]
    return f"×{texts[0]}" if high - low < 1e-6 * high else phrase("×{low} to ×{high}", low=texts[0], high=texts[1])


def growth_text(encoding: Encoding, waves: Array, ratio: str) -> str:
    """Return how a formula's wavelengths follow each other, and their ends; nothing where they are all alike."""
    if np.ptp(waves) <= NOTABLE * waves.max():
        return ""
    text = template("each wavelength is {ratio} the one before: {low} to {high}")
    low, high = short_length(encoding, float(waves[0])), short_wave_text(encoding, float(waves[-1]))
    return phrase(text, ratio=ratio, low=low, high=high)


def halving_text(encoding: TableEncoding, waves: Array) -> str:
    """Return that each dimension changes half as often as the one before, twice a wave, where that is so."""
    if len(waves) < 2 or (waves[1:] != 2 * waves[:-1]).any():
        return ""
    text = template("each {dimension} changes half as often as the one before: {dimension} {last} every {length}")
    name, most = phrase(encoding.dimension_label), int(waves[-1]) // 2
    return phrase(text, dimension=name, last=len(waves) - 1, length=wave_text(encoding, most))


def longer_from_text(waves: Sequence[Array], names: Sequence[str]) -> str:
    """Return from which pair on one of two encodings' waves, of as many pairs, are all longer, where that is so."""
    for name, stretch in zip(names, (waves[0] / waves[1], waves[1] / waves[0]), strict=True):
        longer, alike = stretch > 1 + NOTABLE, np.abs(stretch - 1) <= NOTABLE
        first = int(longer.argmax())
        if longer[first:].all() and alike[:first].all():
            text = template("from pair {pair} on waves are longer with {name}, up to {ratio} times")
            return phrase(text, pair=first, name=name, ratio=bound_text(float(stretch.max()), 3))
    return ""


def longest_text(encodings: Sequence[Encoding], waves: Sequence[Array], names: Sequence[str]) -> str:
    """Return which of several encodings has the shortest and which the longest of their longest waves."""
    longest = [float(each.max(initial=0.0)) for each in waves]
    low, high = int(np.argmin(longest)), int(np.argmax(longest))
    if longest[high] <= longest[low] * (1 + NOTABLE):
        return ""
    short, long = (short_wave_text(encodings[at], longest[at]) for at in (low, high))
    text = template("the longest waves run from {short} with {one} to {long} with {other}")
    return phrase(text, short=short, one=names[low], long=long, other=names[high])


LEVEL_ROOM = 1.8  # ems above or below a level that is written on
EDGE = 1.05  # times a power of ten: the end of an axis that shows the line there whole
NEAR_POWER = 3.0  # times as long, at most, is the power of ten that an axis is drawn out to
ON_LIGHT, ON_DARK = 0.12, 0.3  # how much grey a shade has on a light and on a dark panel
BEYOND = 1e9  # times the upper end: a shade still fills its panel when that is moved for others
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


def textbook_ends(encoding: Encoding, waves: Array) -> list[tuple[str, float]]:
    """Return the wavelengths that the textbook names, where they begin and what they tend to, with their texts."""
    turn = 2 * np.pi
    if not (isinstance(encoding, PowersOfBase) and len(waves) and np.isclose(waves.min(), turn, rtol=1e-9)):
        return []
    last = turn * encoding.base
    whole = waves.max() <= last * (1 + 1e-9) and last < MAX_WAVELENGTH
    first = [(f"2π = {number_text(turn, 3)}", turn)]
    return first + ([(f"base · 2π = {number_text(last)}", last)] if whole and last > turn else [])


def make_room(axes: Axes, length: int, waves: Sequence[float], canvas: Canvas) -> None:
    """End the axis at a power of ten if one is near, with room for what is written above the length, below waves."""
    low, high = axes.get_ylim()
    share = LEVEL_ROOM * canvas.small / (axes.bbox.height * points_per_pixel(axes))
    high = max([high, *(EDGE * wave for wave in waves)])
    power = EDGE * 10.0 ** float(np.ceil(np.log10(high / EDGE)))
    high = power if power <= NEAR_POWER * high else high
    if share < 0.5:
        low = min([low, *(_beyond(wave, high, share) for wave in waves)])
        high = max(high, _beyond(length, low, share)) if length > low else high
    axes.set_ylim(low, high, auto=True)  # where data end: panels beside each other share it


def _beyond(level: float, other: float, share: float) -> float:
    """Return the end of a logarithmic axis that leaves such a share of it beyond a level, given its other end."""
    return float(np.exp((np.log(level) - share * np.log(other)) / (1 - share)))


def shade_longer(axes: Axes, length: int) -> None:
    """Shade what is longer than the length; opaquely on an opaque panel, so that labels take the shade's colour."""
    from matplotlib.colors import to_rgba
    from matplotlib.patches import Rectangle

    face, high = to_rgba(axes.get_facecolor()), axes.get_ylim()[1]
    share = ON_DARK if face[3] and is_dark(face) else ON_LIGHT
    mixed = [share * 0.5 + (1 - share) * level for level in face[:3]]
    color = (*mixed, 1.0) if face[3] == 1 else (0.5, 0.5, 0.5, share)
    across = axes.get_yaxis_transform()
    shade = Rectangle((0, length), 1, BEYOND * high - length, color=color, linewidth=0, zorder=0, transform=across)
    axes.add_artist(shade)  # no data, which would move the limits
