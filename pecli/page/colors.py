"""Colour maps and inks, and the contrast between colours."""

from __future__ import annotations

from functools import cache
from typing import Any

from pecli.core.lazy import Array, Axes, np
from pecli.files.pictures import DARK_INKS

DIFFERENCE = "difference"  # the kind of values that are differences
MAPS = {  # pecli's own colour maps, from low to high
    "signed": ("#1B4B82", "#4A86C0", "#A9C8E3", "#F7F6F3", "#F3BFA3", "#DD7350", "#A8361F"),
    "distance": ("#0E2238", "#154C6B", "#1C7A88", "#5BAA98", "#B3D7BF", "#F6F7EE"),  # small distances are dark
    "amount": ("#F6F7EE", "#B3D7BF", "#5BAA98", "#1C7A88", "#154C6B", "#0E2238"),  # large amounts are dark
    "order": ("#16325C", "#5A3F8C", "#B1447B", "#E0713D"),  # for lines and points; every colour is visible on white
    "bits": ("#F6F7EE", "#154C6B"),
}
TEXT_INK, HEADLINE_INK, NOTE_INK = "#3B424A", "#16191D", "#6A727B"  # text colours of pecli's own style
NAMED_INK = "#C44327"  # marks what the headline is about
HAIRLINE, RULE = "#E7EAED", "#B9C0C7"  # outline of a panel that fades to white; rule above a panel
PALER = 0.7  # opacity of notes under the user's style
SHADE = 0.1  # opacity of a shaded region that the headline is about
DEFAULTS = {"diverging": "signed", DIFFERENCE: "signed", "binary": "bits"}  # by kind; other kinds are map names
TWO_SIDED = {
    *("PiYG", "PRGn", "BrBG", "PuOr", "RdGy", "RdBu", "RdYlBu", "RdYlGn", "Spectral", "coolwarm", "bwr", "seismic"),
    *("berlin", "managua", "vanimo", "signed"),
}
COLOURS = 256  # number of colours in a map
STROKES = (("white", 2.6), ("black", 1.2))  # colour, points: a dark line inside a light one shows on any colour


def colour_map(kind: str, given: str | None) -> str:
    """Return the name of the colour map for a kind of values: `given` if it is suitable, otherwise the default.

    A difference needs a diverging map, so other maps are ignored for it.

    given : the map that the user gave, or None
    """
    fits = kind != DIFFERENCE or (given or "").removesuffix("_r") in TWO_SIDED
    return given if given and fits else DEFAULTS.get(kind, kind)


def headline_ink() -> Any:
    """Return the colour of the headline and its marks: the text colour, if the user's style sets one."""
    own = _text_ink()
    return HEADLINE_INK if own == TEXT_INK else own


def note_ink() -> Any:
    """Return the colour of notes: a paler text colour, if the user's style sets one."""
    from matplotlib.colors import to_rgba

    own = _text_ink()
    return NOTE_INK if own == TEXT_INK else to_rgba(own, PALER)


def _text_ink() -> str:
    """Return the current text colour in hexadecimal."""
    import matplotlib as mpl
    from matplotlib.colors import to_hex

    return to_hex(mpl.rcParams["text.color"]).upper()


@cache
def add_maps() -> None:
    """Register pecli's own colour maps with matplotlib."""
    from matplotlib import colormaps
    from matplotlib.colors import LinearSegmentedColormap

    for name, colours in MAPS.items():
        if name not in colormaps:
            own = LinearSegmentedColormap.from_list(name, colours, COLOURS)
            colormaps.register(own)
            colormaps.register(own.reversed())


MIN_CONTRAST = 25.0  # least difference of lightness L* (0 to 100) between data and background
DARK = 55.0  # lightness L* below which text is white
ANY = ("white", "#121417")  # possible backgrounds of a transparent panel


def visible_colours(name: str, axes: Axes) -> Any:
    """Return the longest run of the map's colours that contrast with the panel's background.

    Return the whole map if no colours do.
    """
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
    """Return the lightness L* of CIELAB, from 0 (black) to 100 (white).

    colours : shape (..., 3 or 4), or the name of a colour
    """
    light = luminance(colours)
    return np.where(light > (6 / 29) ** 3, 116 * np.cbrt(light) - 16, light * (29 / 3) ** 3)


def luminance(colours: Any) -> Array:
    """Return the relative luminance, 0 to 1.

    colours : shape (..., 3 or 4), or the name of a colour
    """
    from matplotlib.colors import to_rgb

    given = np.asarray(to_rgb(colours) if isinstance(colours, str) else colours)[..., :3]
    linear = np.where(given <= 0.04045, given / 12.92, ((given + 0.055) / 1.055) ** 2.4)
    return np.asarray(linear @ np.array([0.2126, 0.7152, 0.0722]))


READABLE = 4.5  # least contrast ratio of text and background
READABLE_ON_BOTH = 3.0  # the same, if the background may be white or nearly black


def legible(colour: Any, axes: Axes) -> Any:
    """Return the colour, made darker or lighter until text in it is readable on the panel.

    On a transparent panel it is readable in light and dark mode.
    """
    from matplotlib.colors import to_hex, to_rgb, to_rgba

    panel, own = to_rgba(axes.get_facecolor()), np.array(to_rgb(colour))
    if not panel[3] and to_hex(colour) in DARK_INKS:  # these inks change in dark mode
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
    """Return whether text on these colours must be white; shape (...).

    colours : shape (..., 3 or 4), or the name of a colour
    """
    return np.asarray(lightness(colours) < DARK)


def text_color_on(image: Any, value: float) -> str:
    """Return the text colour, black or white, for a cell of the image with this value."""
    return "white" if is_dark(image.cmap(image.norm(value))) else "black"
