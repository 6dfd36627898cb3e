"""Headlines about wavelengths, and their marks in pictures."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from pecli.core.language import phrase, template, templates
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
CONTEXTS = templates(
    {
        "original context": "original context {count:,.0f}",
        "scaled context": "factor × original {count:,.0f}",
    }
)


def wavelength_unit(encoding: Encoding) -> str:
    """What wavelengths are counted in, where their numbers do not say it."""
    return "" if encoding.position_unit else phrase("wavelength λ in positions")


def wave_text(encoding: Encoding, wave: float) -> str:
    """A wavelength, or a number of positions, with its unit."""
    if encoding.position_unit:
        return encoding.length_text(wave)
    count = f"{wave:,}" if isinstance(wave, int) else encoding.length_text(wave)
    return phrase("{count} positions", count=count)


def short_length(encoding: Encoding, length: float) -> str:
    """A number of positions in little room; a unit that belongs to it stays."""
    return encoding.length_text(length) if encoding.position_unit else number_text(length, 3)


def short_wave_text(encoding: Encoding, wave: float) -> str:
    """A wavelength with its unit in little room."""
    count = short_length(encoding, wave)
    return count if encoding.position_unit else phrase("{count} positions", count=count)


def waves_text(encoding: TableEncoding, dims: Array, waves: Array) -> str:
    """How the wavelengths of these dimensions (n,), in the order in which they are drawn, follow each other, and from
    what to what they go; empty where they are measured or no two differ."""
    moving = np.isfinite(waves)
    known, places = waves[moving], dims[moving]
    if len(np.unique(known)) < 2 or not (isinstance(encoding, Harmonic) or encoding.cycle(MEASURED)):
        return ""
    ends, texts = (float(known.min()), float(known.max())), [short_length, short_wave_text]
    if encoding.dimension_names() is None and is_ascending(waves[np.argsort(dims)]):
        said = template("the higher the {dimension}, the longer the wave: {low} at dim {first}, {high} at dim {last}")
        texts = texts[::-1]  # the unit is said at the first number
    elif is_ascending(waves):
        said = template("the waves get longer from top to bottom: {low} to {high}")
    else:
        said = template("the waves are {low} to {high} long")
    low, high = (text(encoding, end) for text, end in zip(texts, ends, strict=True))
    name, first, last = phrase(encoding.dimension_label), int(places.min()), int(places.max())
    return phrase(said, dimension=name, low=low, high=high, first=first, last=last)


def is_ascending(waves: Array) -> bool:
    """Whether none is shorter than the one before."""
    return bool((waves[:-1] <= waves[1:]).all())


def unfinished(encoding: Harmonic, length: int) -> str:
    """How many pairs have a wavelength beyond the length, or that none has; nothing where nothing can turn."""
    if length == 1:
        return ""
    waves, within = encoding.wavelengths(), wave_text(encoding, length)
    count = int((waves > length).sum())
    if not count:
        return phrase("every pair finishes a turn in {length}", length=within)
    said = template("{count} of {all} pairs never finish a turn in {length}")
    return phrase(said, count=count, all=len(waves), length=within)


def angle_text(turns: float) -> str:
    """How far something turns: in turns, or in degrees where it finishes none."""
    if turns < 1:
        return f"{number_text(360 * turns, 3)}°"
    count = number_text(turns, 3)
    return phrase(template("{count} turn") if count == "1" else template("{count} turns"), count=count)


def turned_apart(encoding: TableEncoding, positions: Positions) -> str:
    """How far the fastest and the slowest pair turn from the first position to the last; nothing where all do alike."""
    turns = turns_between_ends(encoding, positions) if isinstance(encoding, Harmonic) else np.zeros(0)
    if len(set(turns)) < 2:
        return ""
    fast, slow = int(turns.argmax()), int(turns.argmin())
    much, little = angle_text(turns[fast]), angle_text(turns[slow])
    first, last = (encoding.position_text(at) for at in (positions.start, positions.stop - 1))
    said = template("from position {first} to {last} pair {fast} covers {much}, pair {slow} only {little}")
    return phrase(said, first=first, last=last, fast=fast, slow=slow, much=much, little=little)


def turns_between_ends(encoding: Harmonic, positions: Positions) -> Array:
    """How often each pair turns from the first position to the last, (n_pairs,)."""
    return (positions.length - 1) / encoding.wavelengths()


def unfinished_above(encoding: TableEncoding, waves: Array, length: int, which: bool) -> str:
    """How many of an encoding's waves are longer than the length, in two lines, to stand where they are; on request
    also which, where they are one run of some."""
    pairs = template("↑ {count} of {all} pairs\nnever finish a turn")
    columns = template("↑ {count} of {all} columns\nnever finish a turn")
    run_of_pairs = template("↑ {count} of {all} pairs ({run})\nnever finish a turn")
    run_of_columns = template("↑ {count} of {all} columns ({run})\nnever finish a turn")
    longer, run = np.flatnonzero(waves > length), run_text(waves > length) if which else ""
    of_all, of_run = (pairs, run_of_pairs) if isinstance(encoding, Harmonic) else (columns, run_of_columns)
    return phrase(of_run if run else of_all, count=len(longer), all=len(waves), run=run)


def run_text(chosen: Array) -> str:
    """The numbers of those that are chosen, as the ends of their run: 25–63; nothing where all are, or not one run."""
    found = np.flatnonzero(chosen)
    if not 0 < len(found) < len(chosen) or found[-1] - found[0] >= len(found):
        return ""
    return "–".join(dict.fromkeys(f"{end:,}" for end in (found[0], found[-1])))


def ratio_text(waves: Array) -> str:
    """How many times longer each wavelength is than the one before: ×1.155, or ×12 to ×60."""
    if len(waves) < 2:
        return ""
    ratios = waves[1:] / waves[:-1]
    low, high = float(ratios.min()), float(ratios.max())
    texts = [number_text(ratio, 4) for ratio in (low, high)]
    return f"×{texts[0]}" if high - low < 1e-6 * high else phrase("×{low} to ×{high}", low=texts[0], high=texts[1])


def growth_text(encoding: Encoding, waves: Array, ratio: str) -> str:
    """How a formula's wavelengths follow each other, and from what to what they go; nothing where they are one."""
    if np.ptp(waves) <= NOTABLE * waves.max():
        return ""
    said = template("each wavelength is {ratio} the one before: {low} to {high}")
    low, high = short_length(encoding, float(waves[0])), short_wave_text(encoding, float(waves[-1]))
    return phrase(said, ratio=ratio, low=low, high=high)


def halving_text(encoding: TableEncoding, waves: Array) -> str:
    """That each dimension changes half as often as the one before, twice a wave; nothing where that is not so."""
    if len(waves) < 2 or (waves[1:] != 2 * waves[:-1]).any():
        return ""
    said = template("each {dimension} changes half as often as the one before: {dimension} {last} every {length}")
    name, most = phrase(encoding.dimension_label), int(waves[-1]) // 2
    return phrase(said, dimension=name, last=len(waves) - 1, length=wave_text(encoding, most))


def parting(stretch: Array) -> int | None:
    """From which pair on wavelengths are longer than others, so many times; None where that is not so of all."""
    longer = np.flatnonzero(stretch > 1 + NOTABLE)
    apart = np.flatnonzero(np.abs(stretch - 1) > NOTABLE)
    whole = len(longer) and len(longer) == len(apart) == len(stretch) - longer[0]
    return int(longer[0]) if whole else None


def scaled_text(stretch: Array) -> str:
    """What a scaling does to wavelengths, so many times as long as without it; nothing where it is not one thing."""
    first = parting(stretch)
    if first is None:
        return ""
    if np.ptp(stretch) <= NOTABLE * stretch.max():
        times = number_text(float(stretch.max()), 3)
        return phrase("every wave is {ratio} times as long as without the scaling", ratio=times)
    said = template("from pair {pair} on waves are longer than without the scaling, up to {ratio} times")
    return phrase(said, pair=first, ratio=bound_text(float(stretch.max()), 3))


def parted_text(waves: Sequence[Array], names: Sequence[str]) -> str:
    """From where on the waves of one of two encodings, with as many pairs, are longer; where most, if they cross."""
    said = template("from pair {pair} on waves are longer with {name}, up to {ratio} times")
    crossing = template("at pair {pair} the wave is {ratio} times longer with {name}")
    stretches = [own / other for own, other in zip(waves, reversed(waves), strict=True)]
    for name, stretch in zip(names, stretches, strict=True):
        if (first := parting(stretch)) is not None:
            return phrase(said, pair=first, name=name, ratio=bound_text(float(stretch.max()), 3))
    name, stretch = max(zip(names, stretches, strict=True), key=lambda one: float(one[1].max()))
    most = int(stretch.argmax())
    if stretch[most] <= 1 + NOTABLE:
        return ""
    return phrase(crossing, pair=most, ratio=number_text(float(stretch[most]), 3), name=name)


def longest_text(encodings: Sequence[Encoding], waves: Sequence[Array], names: Sequence[str]) -> str:
    """Which of several encodings has the shortest and which the longest of all their longest waves."""
    longest = [float(own.max(initial=0.0)) for own in waves]
    low, high = int(np.argmin(longest)), int(np.argmax(longest))
    if longest[high] <= longest[low] * (1 + NOTABLE):
        return ""
    short, long = (short_wave_text(encodings[at], longest[at]) for at in (low, high))
    said = template("the longest waves run from {short} with {one} to {long} with {other}")
    return phrase(said, short=short, one=names[low], long=long, other=names[high])


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
    from pecli.figures.labels import label_level

    own = phrase("length {count:,.0f}", count=length)
    named = [(phrase(CONTEXTS[name], count=at), at, ":", "left", PLACES[name]) for name, at in contexts]
    lines = [(own, length, "--", "left", "bottom"), *named]
    colour = axes.xaxis.label.get_color()
    for text, at, style, side, place in lines:
        axes.axhline(at, color=colour, linestyle=style, linewidth=0.8 * canvas.scale, alpha=0.7)
        label_level(axes, text, at, canvas, right=side == "right", below=place == "top")


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
    from pecli.figures.labels import label_level

    axes.axhline(wave, color="0.6", linestyle=":", linewidth=0.8 * canvas.scale, zorder=0)
    label_level(axes, text, wave, canvas, right=APART * wave < length, below=True, optional=True)


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
    from matplotlib.patches import Rectangle

    ground = to_rgba(axes.get_facecolor())
    share = ON_DARK if ground[3] and is_dark(ground) else ON_LIGHT
    solid = tuple(share * grey + (1 - share) * own for grey, own in zip(GREY, ground, strict=False))
    high = axes.get_ylim()[1]
    colour = (*solid, 1.0) if ground[3] == 1 else (*GREY, share)
    across = axes.get_yaxis_transform()
    shade = Rectangle((0, length), 1, BEYOND * high - length, color=colour, linewidth=0, zorder=0, transform=across)
    axes.add_artist(shade)  # no data, which would move the limits
