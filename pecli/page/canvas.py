"""What a picture is drawn on: its size, resolution, colours and fonts."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import reduce
from math import inf
from typing import Any, NamedTuple

from pecli.core.errors import UnknownNameError, UsageError, option_text
from pecli.core.options import Options, inches_of, option, size_text
from pecli.core.readable import is_readable
from pecli.page.colors import add_maps, colour_map


class Size(NamedTuple):
    """Width and height in inches (height None: what the figure wants), the text's size in points, the least that it can
    be read at, the headline's size as a share of the text's, and the free edge in ems of the text."""

    width: float
    height: float | None
    font: float
    least: float = 7.0
    headline: float = 1.375
    edge: float = 0.9


SIZES = {
    "column": Size(3.25, None, 7),
    "page": Size(6.75, None, 8),
    "blog": Size(8, None, 9),
    "slide": Size(13.33, 7.5, 15.2, 13, headline=1.7, edge=1.2),
}
SQUARE = 4.6  # inches: width of a page with nothing but a square
LIMITS = (0.5, 100.0)  # inches
PERCENTILES = (2, 98)  # of the values, at which robust colours end
FONTS = (8.0, 18.0)  # points of text on a page of so many inches: one per inch of width, within these
SMALL = 0.9375  # tick labels: as a share of the text's size
NARROW = 44  # ems of small text: a page of free height and less width lays several figures out in another way
SHRUNK = (0.9, 0.8, 0.7, 0.6)  # of the text's size, tried before a size is refused
FRAME = 2 / 3  # of the pixels an inch, where a file has many pictures
FPS, FEW, SLOW = 5.0, 8, 1.0  # frames a second; of so many or fewer pictures, which are looked at one by one
MAX_PIXELS = 2**16 - 1  # matplotlib's own limit a side
DEFAULT = "default"  # the style that is pecli's own, to stand beside others in a sweep
ADAPTIVE = "auto"  # the style of an SVG whose lines and text follow the reader's light or dark mode
FILES = (".mplstyle", ".ttf", ".otf", ".ttc")  # endings of styles and fonts that are files, there or not
TEXTS = ("headline", "title", "footnote")
LABELS = ("xlabel", "ylabel", "cbar_label")
OWNED = {  # what some formats alone have, by the attribute of `pecli.files.formats.Format` that those have
    "style": "markup",  # of the adaptive one
    "text": "markup",
    "inline": "markup",
    "fps": "moves",
    "pages": "paged",
    "loops": "moves",
    "transparent": "clear",
}


@dataclass(frozen=True)
class Canvas(Options):
    """Options of the picture itself, the same for every figure."""

    what = "canvas option"

    size: str = option(
        "page",
        "size of the picture: column (3.25 in), page (6.75 in), blog (8 in), slide (13.33 × 7.5 in), "
        "or 5x3, 8cm, 8cmx5cm, 120mm, 390pt",
        split=True,
        aliases=("figsize", "width"),
        text_of=size_text,
        common=True,
    )
    dpi: int = option(150, "pixels per inch", at_least=10, at_most=2400)
    cmap: str | None = option(
        None,
        "matplotlib colour map; cividis can be read in grey",
        unset="by what is shown: signed, distance or 0/1",
        split=True,
        aliases=("colormap", "colourmap"),
    )
    vmin: float | None = option(None, "value at the lower end of the colour scale", unset="the values' own")
    vmax: float | None = option(None, "value at the upper end of the colour scale", unset="the values' own")
    robust: bool = option(False, "end the colours at the {}nd and {}th percentile of the values".format(*PERCENTILES))
    headline: str | None = option(None, "headline; {headline} stands for pecli's own", unset="what there is to see")
    title: str | None = option(
        None,
        "title; {title} stands for pecli's own, {base} for the base, $d^2$ for mathematics",
        unset="the encoding's name and parameters",
        common=True,
    )
    footnote: str | None = option(None, "footnote; {footnote} stands for pecli's own", unset="how it was made")
    xlabel: str | None = option(None, "label of horizontal axes", unset="what they show")
    ylabel: str | None = option(None, "label of vertical axes", unset="what they show")
    cbar_label: str | None = option(None, "label of colour bars", unset="what they show")
    columns: int | None = option(
        None, "columns of panels", at_least=1, at_most=256, split=False, unset="as many as fit"
    )
    letters: bool = option(False, "letter panels a, b, c")
    no_headline: bool = option(False, "no headline")
    no_title: bool = option(False, "no title")
    no_footnote: bool = option(False, "no footnote")
    plain: bool = option(False, "no headline, title and footnote except those given: for a picture with a caption")
    no_colorbar: bool = option(False, "no colour bar")
    no_legend: bool = option(False, "no legend")
    style: str | None = option(
        None,
        f"matplotlib style on top of pecli's: a name or a file, or {DEFAULT} for none; {ADAPTIVE} makes an SVG that "
        "follows light and dark pages",
        unset="none",
        split=True,
        file=True,
        aliases=("theme",),
    )
    transparent: bool = option(False, "no background")
    text: bool = option(False, "keep the text of an SVG as text, in the reader's fonts, not as outlines")
    inline: bool = option(False, "an SVG to embed in a web page, without the XML header")
    text_size: float | None = option(
        None,
        "size of the text in points",
        at_least=4,
        at_most=100,
        unset="7 to 18, by the size of the picture",
        aliases=("fontsize", "font_size"),
    )
    fps: float | None = option(
        None,
        "frames per second of .gif and .webp",
        above=0,
        at_most=50,
        unset=f"{FPS:g}, or {SLOW:g} for up to {FEW} pictures",
        split=False,
    )
    loops: int | None = option(None, "how many times a .gif or .webp plays", at_least=1, at_most=65535, unset="endless")
    pages: bool = option(False, "several values in one .pdf have a page each instead of a grid")
    font: str | None = option(None, "font family or font file", unset="Inter, with a CJK font where needed", file=True)

    def check(self) -> None:
        opposites = {name: f"no_{name}" for name in TEXTS} | {"cbar_label": "no_colorbar"}
        for name, without in opposites.items():
            if getattr(self, name) is not None and getattr(self, without):
                text = f"{option_text(name)} and {option_text(without)} exclude each other"
                raise UsageError(text, option=without, advice="give one of them")
        if self.vmin is not None and self.vmax is not None and not 0 < self.vmax - self.vmin < inf:
            allowed = f"less than {option_text('vmax', self.vmax)}, by a finite number"
            raise UsageError(option="vmin", value=self.vmin, allowed=allowed)
        size = self._size
        for side in (size.width, size.height or size.width):
            if not LIMITS[0] <= side <= LIMITS[1]:
                advice = f"each side takes {LIMITS[0]:g} to {LIMITS[1]:g} inches"
                raise UsageError(option="size", value=self.size, advice=advice)
            if side * self.dpi > MAX_PIXELS:
                asked = f"{option_text('size', self.size)} at {option_text('dpi', self.dpi)}"
                text = f"{asked} is more than {MAX_PIXELS} pixels on a side"
                raise UsageError(text, option="dpi", advice="lower --dpi")

    @property
    def inches(self) -> Size:
        """The size in inches, with that of the text, which a style's file may say."""
        font = self.text_size or self._styled("font.size", files_alone=True)
        return self._size._replace(font=font) if font else self._size

    @property
    def _size(self) -> Size:
        """The size in inches with the usual text."""
        size = SIZES.get(self.size)
        if size is None:
            sides = inches_of(self.size)
            if sides is None:
                raise UnknownNameError("size", self.size, [*SIZES, "WxH", "8cm", "8cmx5cm", "390pt"], option="size")
            size = Size(*sides, min(max(FONTS[0], sides[0]), FONTS[1]))
        return size

    def has(self, name: str) -> bool:
        """Return whether the picture has its headline, title or footnote; a plain one has what the author gives."""
        return not getattr(self, f"no_{name}") and (not self.plain or getattr(self, name) is not None)

    def written(self, name: str, own: Mapping[str, str]) -> str:
        """Return the headline, title or footnote: pecli's own, or the author's with those for its blanks, or none."""
        text = getattr(self, name)
        if text is None or not self.has(name):
            return own[name] if self.has(name) else ""
        return reduce(lambda filled, blank: filled.replace(f"{{{blank}}}", own[blank]), own, text)

    @property
    def small(self) -> float:
        """The size of tick labels and notes in points."""
        font = self.inches.font
        return max(min(self.inches.least, font), SMALL * font)

    @property
    def large(self) -> float:
        """The size of the headline in points."""
        return self.inches.headline * self.inches.font

    @property
    def narrow(self) -> bool:
        """Whether a page of free height is too narrow for two panels side by side."""
        size = self.inches
        return size.height is None and 72 * size.width / self.small < NARROW

    def smaller(self) -> list[Canvas]:
        """Return the same with smaller text, where the user fixed both sides of the picture but not its text."""
        if self.text_size is not None or self.inches.height is None:
            return []
        sizes = {max(self.inches.least, round(share * self.inches.font, 1)) for share in SHRUNK}
        return [replace(self, text_size=size) for size in sorted(sizes, reverse=True) if size < self.inches.font]

    @property
    def scale(self) -> float:
        """How much thicker lines and markers are than on a page."""
        return self.inches.font / SIZES["page"].font

    def pixels(self) -> tuple[int, int]:
        """Return the rows and columns of pixels that a panel has at most, before it is laid out."""
        size = self.inches
        return max(1, round((size.height or 2 * size.width) * self.dpi)), max(1, round(size.width * self.dpi))

    def colours(self, kind: str) -> str:
        """Return the colour map for values of that kind (diverging, distance, amount, order, binary, difference)."""
        add_maps()  # a picture on the user's own axes has no style of ours
        return colour_map(kind, self.cmap or self._styled("image.cmap"))

    def inputs(self) -> tuple[str, ...]:
        names = filter(None, (self.own_style, self.font))
        return tuple(name for name in names if os.path.isfile(name) or name.lower().endswith(FILES))

    @property
    def own_style(self) -> str | None:
        """The user's style, or None where there is none."""
        return None if self.style in (DEFAULT, ADAPTIVE) else self.style

    def _styled(self, setting: str, files_alone: bool = False) -> Any:
        """Return what the user's style sets, None where there is no style, or no file where others do not count."""
        from pecli.page.style import read_style

        style = self.own_style
        if style is None or (files_alone and not (os.path.isfile(style) and is_readable(style))):
            return None
        return read_style(style).get(setting)

    @property
    def adaptive(self) -> bool:
        """Whether lines and text follow the reader's light or dark mode."""
        return self.style == ADAPTIVE

    def only_in(self) -> dict[str, tuple[Any, str]]:
        """Return the value of each option given that some formats alone have, and the attribute of those formats."""
        given = {name: getattr(self, name) for name in OWNED}
        given["style"] = ADAPTIVE if self.adaptive else None
        return {name: (value, OWNED[name]) for name, value in given.items() if value not in (None, False)}

    @property
    def frame_dpi(self) -> int:
        """Pixels an inch of one picture of many: each has fewer than one that stands alone."""
        return max(10, round(self.dpi * FRAME))

    def limits_given(self) -> dict[str, object]:
        """Return the options given that say where the colours end."""
        given = {"vmin": self.vmin, "vmax": self.vmax, "robust": self.robust or None}
        return {name: value for name, value in given.items() if value is not None}

    def colours_given(self) -> dict[str, object]:
        """Return the options given about colours."""
        return {**({"cmap": self.cmap} if self.cmap else {}), **self.limits_given()}

    def check_names(self) -> None:
        """Refuse a colour map, a style or a font that does not exist; imports matplotlib, so it comes late."""
        from pecli.page.style import family_of

        if self.font is not None:
            family_of(self.font)
        for source, name in {"style": self._styled("image.cmap"), "cmap": self.cmap}.items():
            if name is not None:
                from matplotlib import colormaps

                add_maps()

                if name not in colormaps:
                    known = sorted(map for map in colormaps if not map.endswith("_r"))
                    raise UnknownNameError("colour map", name, known, option=source)
