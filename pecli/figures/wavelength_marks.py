"""What stands beside wavelengths: lines at lengths and at their ends, and a shade over those that are longer."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from pecli.core.language import phrase
from pecli.core.lazy import Array, np
from pecli.core.number_text import number_text
from pecli.encodings.encoding import Encoding
from pecli.encodings.harmonic import Harmonic
from pecli.encodings.powers_of_base import PowersOfBase
from pecli.figures.canvas import Canvas
from pecli.figures.ground import is_dark
from pecli.figures.levels import Hang, name_level
from pecli.figures.text_size import points_per_pixel
from pecli.figures.wavelength_texts import CONTEXTS

if TYPE_CHECKING:
    from matplotlib.axes import Axes

PLACES = {"original context": "top", "scaled context": "bottom"}  # of the line, on which side of it the text hangs
ROOM = 1.8  # ems above or below a level that is written on
EDGE = 1.05  # times a power of ten: the end of an axis that shows the line there whole
NEAR = 3.0  # times as long, at most, is the power of ten that an axis is drawn out to
GREY = (0.5, 0.5, 0.5)
ON_LIGHT, ON_DARK = 0.12, 0.3  # how much of it a shade has on a light and on a dark panel
BEYOND = 1e9  # times the upper end: a shade still fills its panel when that is moved for others
APART = 12  # times as long, so that two lines of text fit between two wavelengths
ABOVE, THICK = 1.7, 1.2  # points: how far above a frame a rule stands, and how thick it is
STILL = 1e15  # positions; a longer wave stands still, and an axis has no room for it


def outlasts_axis(encoding: Encoding) -> bool:
    """Whether a formula has waves that an axis has no room for; those of a pair that does not turn are none."""
    waves = encoding.wavelengths() if isinstance(encoding, Harmonic) else np.zeros(0)
    return bool((np.isfinite(waves) & (waves >= STILL)).any())


def mark_lengths(axes: Axes, length: int, contexts: Sequence[tuple[str, float]], canvas: Canvas) -> None:
    """Lines at the length shown and at the contexts of models, named left, where waves are short."""
    own = phrase("length {count:,.0f}", count=length)
    named = [(phrase(CONTEXTS[name], count=at), at, ":", "left", PLACES[name]) for name, at in contexts]
    lines = [(own, length, "--", "left", "bottom"), *named]
    colour = axes.xaxis.label.get_color()
    for text, at, style, side, place in lines:
        axes.axhline(at, color=colour, linestyle=style, linewidth=0.8 * canvas.scale, alpha=0.7)
        name_level(axes, text, at, Hang(side == "right", place == "top"), canvas)


def unfinished_runs(encoding: Encoding, length: int) -> list[tuple[int, int]]:
    """The first column and the one behind the last of each run of those that never finish a turn in the length."""
    if not isinstance(encoding, Harmonic) or length == 1:
        return []
    longer = np.concatenate(([False], encoding.column_wavelengths() > length, [False]))
    edges = np.flatnonzero(longer[1:] != longer[:-1])
    return list(zip(edges[::2].tolist(), edges[1::2].tolist(), strict=True))


def rule_over(axes: Axes, runs: Sequence[tuple[int, int]], canvas: Canvas) -> None:
    """Rules above the frame of an image, over those of its columns."""
    from matplotlib.transforms import offset_copy

    above = offset_copy(axes.get_xaxis_transform(), axes.get_figure(root=True), y=ABOVE * canvas.scale, units="points")
    for first, stop in runs:
        axes.plot(
            (first - 0.5, stop - 0.5),
            (1, 1),
            color=axes.xaxis.label.get_color(),
            linewidth=THICK * canvas.scale,
            solid_capstyle="butt",
            transform=above,
            clip_on=False,
        )


def textbook_ends(encoding: Encoding, waves: Array) -> list[tuple[str, float]]:
    """Where wavelengths begin and where they tend to, of an encoding of which the textbook says so."""
    turn = 2 * np.pi
    if not (isinstance(encoding, PowersOfBase) and len(waves) and np.isclose(waves.min(), turn, rtol=1e-9)):
        return []
    last = turn * encoding.base
    whole = waves.max() <= last * (1 + 1e-9) and last < STILL
    first = [(f"2π = {number_text(turn, 3)}", turn)]
    return first + ([(f"base · 2π = {number_text(last)}", last)] if whole and last > turn else [])


def mark_wavelength(axes: Axes, text: str, wave: float, length: float, canvas: Canvas) -> None:
    """Draws a line at a wavelength and names it where there is room: left, where no line of wavelengths begins there,
    else right; below, where the next power of ten is not."""
    axes.axhline(wave, color="0.6", linestyle=":", linewidth=0.8 * canvas.scale, zorder=0)
    name_level(axes, text, wave, Hang(APART * wave < length, below=True), canvas, spare=True)


def make_room(axes: Axes, length: int, waves: Sequence[float], canvas: Canvas) -> None:
    """Ends the axis at a power of ten if one is near, with room for what is written above the length, below waves."""
    low, high = axes.get_ylim()
    share = ROOM * canvas.small / (axes.bbox.height * points_per_pixel(axes))
    high = _full(max([high, *(EDGE * wave for wave in waves)]))
    if share < 0.5:
        low = min([low, *(_beyond(wave, high, share) for wave in waves)])
        high = max(high, _beyond(length, low, share)) if length > low else high
    axes.set_ylim(low, high, auto=True)  # where data end: panels beside each other share it


def _full(end: float) -> float:
    """The next power of ten where that is near, with its line; else the end itself."""
    power = EDGE * 10.0 ** np.ceil(np.log10(end / EDGE))
    return float(power) if power <= NEAR * end else end


def _beyond(level: float, other: float, share: float) -> float:
    """The end of a logarithmic axis that leaves such a share of it beyond a level, its other end being known."""
    return float(np.exp((np.log(level) - share * np.log(other)) / (1 - share)))


def shade_longer(axes: Axes, length: int) -> None:
    """Shades what is longer than the length."""
    from matplotlib.colors import to_rgba

    ground = to_rgba(axes.get_facecolor())
    share = ON_DARK if ground[3] and is_dark(ground) else ON_LIGHT
    solid = tuple(share * grey + (1 - share) * own for grey, own in zip(GREY, ground, strict=False))
    low, high = axes.get_ylim()
    colour = (*solid, 1.0) if ground[3] == 1 else (*GREY, share)
    axes.axhspan(length, BEYOND * high, color=colour, linewidth=0, zorder=0)
    axes.set_ylim(low, high, auto=None)
