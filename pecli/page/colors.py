"""Default colour maps, and the contrast of colours."""

from __future__ import annotations

from functools import cache
from typing import Any

from pecli.core.lazy import Array, Axes, np
from pecli.files.pictures import DARK_INKS

DIFFERENCE = "difference"  # the kind of values that are one thing less another
MAPS = {  # of pecli's own, from low to high
    "signed": ("#1B4B82", "#4A86C0", "#A9C8E3", "#F7F6F3", "#F3BFA3", "#DD7350", "#A8361F"),
    "distance": ("#0E2238", "#154C6B", "#1C7A88", "#5BAA98", "#B3D7BF", "#F6F7EE"),  # near is dark
    "amount": ("#F6F7EE", "#B3D7BF", "#5BAA98", "#1C7A88", "#154C6B", "#0E2238"),  # much is dark
    "order": ("#16325C", "#5A3F8C", "#B1447B", "#E0713D"),  # of lines and points, all seen on white
    "bits": ("#F6F7EE", "#154C6B"),
}
TEXT_INK, HEADLINE_INK, NOTE_INK = "#3B424A", "#16191D", "#6A727B"  # of pecli's own style
NAMED_INK = "#C44327"  # what the headline names
HAIRLINE, RULE = "#E7EAED", "#B9C0C7"  # around what ends in white; above a panel of several
PALER = 0.7  # opacity of notes in another style
SHADE = 0.1  # opacity of a region that the headline names, of its colour
DEFAULTS = {"diverging": "signed", DIFFERENCE: "signed", "binary": "bits"}  # others have the map of their own name
TWO_SIDED = {
    *("PiYG", "PRGn", "BrBG", "PuOr", "RdGy", "RdBu", "RdYlBu", "RdYlGn", "Spectral", "coolwarm", "bwr", "seismic"),
    *("berlin", "managua", "vanimo", "signed"),
}
COLOURS = 256  # of a map
STROKES = (("white", 2.6), ("black", 1.2))  # colour and points of what is seen on any colour: dark within light


def colour_map(kind: str, given: str | None) -> str:
    """Return the name of the map for values of that kind: the one given, but a difference has two sides whatever is
    given.
    """
    fits = kind != DIFFERENCE or (given or "").removesuffix("_r") in TWO_SIDED
    return given if given and fits else DEFAULTS.get(kind, kind)


def headline_ink() -> Any:
    """Return the colour of the headline, and of what marks what it names: the text's, where the style is another."""
    own = _text_ink()
    return HEADLINE_INK if own == TEXT_INK else own


def note_ink() -> Any:
    """Return the colour of what stands beside what counts: the text's, paler, where the style is another."""
    from matplotlib.colors import to_rgba

    own = _text_ink()
    return NOTE_INK if own == TEXT_INK else to_rgba(own, PALER)


def _text_ink() -> str:
    import matplotlib as mpl
    from matplotlib.colors import to_hex

    return to_hex(mpl.rcParams["text.color"]).upper()


@cache
def add_maps() -> None:
    """Make matplotlib know pecli's own maps by their names."""
    from matplotlib import colormaps
    from matplotlib.colors import LinearSegmentedColormap

    for name, colours in MAPS.items():
        if name not in colormaps:
            own = LinearSegmentedColormap.from_list(name, colours, COLOURS)
            colormaps.register(own)
            colormaps.register(own.reversed())


MIN_CONTRAST = 25.0  # of lightness, 0 (black) to 100 (white), between data and what is behind them
DARK = 55.0  # of lightness, below which text is white
ANY = ("white", "#121417")  # what a panel without a ground of its own may come to stand on


def seen_colours(name: str, axes: Axes) -> Any:
    """Return the longest run of a colour map's colours that differ in lightness from what may be behind a panel; the
    map itself where none do."""
    import matplotlib as mpl
    from matplotlib.colors import ListedColormap, to_rgba

    panel = to_rgba(axes.get_facecolor())
    behind = np.array([lightness(color) for color in ([panel] if panel[3] else ANY)])
    colours = mpl.colormaps[name](np.linspace(0, 1, COLOURS))
    seen = (np.abs(lightness(colours)[:, None] - behind) >= MIN_CONTRAST).all(axis=1)
    ends = np.flatnonzero(np.diff(np.concatenate([[False], seen, [False]]).astype(int)))
    runs = sorted(zip(ends[::2], ends[1::2], strict=True), key=lambda run: int(run[1] - run[0]))
    first, stop = runs[-1] if runs else (0, COLOURS)
    return ListedColormap(mpl.colormaps[name](np.linspace(first, stop - 1, COLOURS) / (COLOURS - 1)), name)


def lightness(colours: Any) -> Array:
    """L* of CIELAB, 0 for black to 100 for white, shape (...,) of colours of shape (..., 3 or 4), or of a name."""
    light = luminance(colours)
    return np.where(light > (6 / 29) ** 3, 116 * np.cbrt(light) - 16, light * (29 / 3) ** 3)


def luminance(colours: Any) -> Array:
    """Return the relative luminance, 0 to 1, of the same."""
    from matplotlib.colors import to_rgb

    given = np.asarray(to_rgb(colours) if isinstance(colours, str) else colours)[..., :3]
    linear = np.where(given <= 0.04045, given / 12.92, ((given + 0.055) / 1.055) ** 2.4)
    return np.asarray(linear @ np.array([0.2126, 0.7152, 0.0722]))


READABLE = 4.5  # the least contrast of a text with what is behind it
READABLE_ON_BOTH = 3.0  # the same where that may be white or nearly black


def legible(colour: Any, axes: Axes) -> Any:
    """Return a colour, so much darker or lighter that text in it can be read on a panel; on one without a ground, in
    light and in dark."""
    from matplotlib.colors import to_hex, to_rgb, to_rgba

    panel, own = to_rgba(axes.get_facecolor()), np.array(to_rgb(colour))
    if not panel[3] and to_hex(colour) in DARK_INKS:  # which is another on a dark page
        return colour
    grounds = luminance(np.array([panel] if panel[3] else [to_rgba(name) for name in ANY]))
    least = READABLE if panel[3] else READABLE_ON_BOTH
    shares = np.linspace(0, 1, 51)[:, None]
    tried = np.concatenate([(1 - shares) * own + shares * end for end in (0.0, 1.0)])
    light = luminance(tried)[:, None]
    contrast = ((np.maximum(light, grounds) + 0.05) / (np.minimum(light, grounds) + 0.05)).min(axis=1)
    changed = np.tile(shares[:, 0], 2)
    return tuple(tried[np.where(contrast >= least, changed, np.inf).argmin()].tolist())


def is_dark(colours: Any) -> Array:
    """Return whether text on colours, shape (..., 3 or 4), or on one of that name, has to be white; shape (...)."""
    return np.asarray(lightness(colours) < DARK)


def text_color_on(image: Any, value: float) -> str:
    """Return the colour of what is written on an image where it has this value, whatever the style's own ink is."""
    return "white" if is_dark(image.cmap(image.norm(value))) else "black"
