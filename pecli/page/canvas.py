"""The canvas of a picture: its size, resolution, colours and fonts."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import reduce
from math import inf
from typing import Any, NamedTuple

from pecli.core.errors import UnknownNameError, UsageError, option_text
from pecli.core.options import PIXEL, Options, inches_of, option, size_text
from pecli.core.readable import is_readable
from pecli.page.colors import add_maps, colour_map
from pecli.page.venues import SAME_STYLE, VENUES


class Size(NamedTuple):
    """The size of a picture.

    width, height : inches; height None: the figure's own
    font : text size in points
    least : the smallest readable text size in points
    headline : the headline's size as a share of `font`
    edge : the outer margin in ems of the text
    """

    width: float
    height: float | None
    font: float
    least: float = 7.0
    headline: float = 1.375
    edge: float = 0.9


def _venue_sizes() -> dict[str, Size]:
    """Return the sizes of the venues by name, such as icml and icml-full, with headlines as large as the text."""
    return {
        f"{name}{ending}": Size(*sides, venue.text, venue.least, headline=venue.body / venue.text)
        for name, venue in VENUES.items()
        for ending, length in venue.widths.items()
        if (sides := inches_of(length)) is not None
    }


SIZES = {
    "column": Size(3.25, None, 7),
    "page": Size(6.75, None, 8),
    "blog": Size(8, None, 9),
    "slide": Size(13.33, 7.5, 15.2, 13, headline=1.7, edge=1.2),
    **_venue_sizes(),
}
SPELLINGS = ("WxH", "8cm", "8cmx5cm", "390pt", "1600x900px")  # sizes without a name
SQUARE = 4.6  # inches: width of a page with a single square panel
LIMITS = (0.5, 100.0)  # inches: smallest and largest side
PERCENTILES = (2, 98)  # of the values, at which robust colours end
FONTS = (8.0, 18.0)  # points: bounds of the text size, which is one point per inch of width
SMALL = 0.9375  # size of tick labels as a share of the text's size
NARROW = 44  # ems of small text: on narrower pages of free height, panels are stacked, not side by side
SHRUNK = (0.9, 0.8, 0.7, 0.6)  # shares of the text size to try before a picture size is refused
FRAME = 2 / 3  # resolution of a frame as a share of --dpi
FPS, FEW, SLOW = 5.0, 8, 1.0  # frames per second; up to FEW frames play at SLOW frames per second
MAX_PIXELS = 2**16 - 1  # matplotlib's limit per side
DEFAULT = "default"  # the name of pecli's own style, to compare it with others in a sweep
ADAPTIVE = "auto"  # the style of an SVG that follows the reader's light or dark mode
FILES = (".mplstyle", ".ttf", ".otf", ".ttc")  # suffixes of style and font files, whether they exist or not
TEXTS = ("headline", "title", "footnote")
LABELS = ("xlabel", "ylabel", "cbar_label")
OWNED = {  # options for some formats only, and the attribute of `pecli.files.formats.Format` that they need
    "style": "markup",  # only the adaptive style
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
        "size of the picture: column (3.25 in), page (6.75 in), blog (8 in), slide (13.33 × 7.5 in), 5x3, 8cm, 390pt, "
        "1600x900px, or a venue: icml, icml-full, … (gallery/use.md)",
        split=True,
        aliases=("figsize", "width"),
        text_of=size_text,
        common=True,
    )
    dpi: int = option(150, "pixels per inch", at_least=10, at_most=2400)
    cmap: str | None = option(
        None,
        "matplotlib colour map, such as cividis",
        unset="depends on the values",
        split=True,
        aliases=("colormap", "colourmap"),
    )
    vmin: float | None = option(None, "lowest value of colours or y axis", unset="from the values")
    vmax: float | None = option(None, "highest value of colours or y axis", unset="from the values")
    robust: bool = option(False, "end the colours at the {}nd and {}th percentile".format(*PERCENTILES))
    headline: str | None = option(None, "headline; {headline} is pecli's own", unset="the main finding")
    title: str | None = option(
        None,
        "line under the headline; {title} is pecli's own, {base} the base; $d^2$ is a formula",
        unset="the encoding's name and parameters",
        common=True,
    )
    footnote: str | None = option(
        None, "footnote; {footnote} is pecli's own", unset="how the picture was made", aliases=("caption",)
    )
    xlabel: str | None = option(None, "label of horizontal axes")
    ylabel: str | None = option(None, "label of vertical axes")
    cbar_label: str | None = option(None, "label of colour bars")
    columns: int | None = option(
        None, "columns of panels", at_least=1, at_most=256, split=False, unset="as many as fit"
    )
    letters: bool = option(False, "label the panels a, b, c")
    no_headline: bool = option(False, "no headline")
    no_title: bool = option(False, "no title")
    no_footnote: bool = option(False, "no footnote")
    plain: bool = option(False, "no headline, title or footnote except those given")
    no_colorbar: bool = option(False, "no colour bar")
    no_legend: bool = option(False, "no legend or brackets")
    style: str | None = option(
        None,
        f"matplotlib style, a name or a file; {ADAPTIVE}: an SVG that follows light and dark pages; "
        f"{DEFAULT}: pecli's own",
        split=True,
        file=True,
        aliases=("theme",),
    )
    transparent: bool = option(False, "no background")
    text: bool = option(False, "keep text in an SVG as text, not outlines")
    inline: bool = option(False, "make an SVG to embed in a web page")
    text_size: float | None = option(
        None,
        "size of the text in points",
        at_least=4,
        at_most=100,
        unset="7 to 18, by picture size",
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
    pages: bool = option(False, "in a .pdf, one page for each value of a swept option, instead of a grid")
    font: str | None = option(None, "font family or font file", unset="Inter, with a CJK font where needed", file=True)

    def check(self) -> None:
        opposites = {name: f"no_{name}" for name in TEXTS} | {"cbar_label": "no_colorbar"}
        for name, without in opposites.items():
            if getattr(self, name) is not None and getattr(self, without):
                text = f"{option_text(name)} and {option_text(without)} exclude each other"
                raise UsageError(text, option=without, advice="give one of them")
        if self.vmin is not None and self.vmax is not None and not 0 < self.vmax - self.vmin < inf:
            allowed = f"a number below {option_text('vmax', self.vmax)} (their difference must be finite)"
            raise UsageError(option="vmin", value=self.vmin, allowed=allowed)
        size = self._size
        for side in (size.width, size.height or size.width):
            if not LIMITS[0] <= side <= LIMITS[1]:
                advice = f"each side must be {LIMITS[0]:g} to {LIMITS[1]:g} inches long"
                raise UsageError(option="size", value=self.size, advice=advice)
            if side * self.dpi > MAX_PIXELS:
                asked = f"{option_text('dpi', self.dpi)} with {option_text('size', self.size)}"
                text = f"{asked} gives more than {MAX_PIXELS} pixels on a side"
                raise UsageError(text, option="dpi", value=self.dpi, advice="lower --dpi")

    @property
    def inches(self) -> Size:
        """The size in inches, with the text size that the user or a style file sets."""
        font = self.text_size or self._style_setting("font.size", files_alone=True)
        return self._size._replace(font=font) if font else self._size

    @property
    def _size(self) -> Size:
        """The size in inches, with the default text size."""
        size = SIZES.get(self.size)
        if size is None:
            sides = inches_of(self.size, self.dpi)
            if sides is None:
                same = SAME_STYLE.get(self.size.lower().removesuffix("-full").rstrip("-0123456789"))
                if same:
                    full = "-full" if self.size.lower().endswith("-full") and f"{same}-full" in SIZES else ""
                    text = f"unknown size {self.size!r}; that venue uses the style of {same}"
                    raise UsageError(text, option="size", value=self.size, advice=f"give --size {same}{full}")
                raise UnknownNameError("size", self.size, [*SIZES, *SPELLINGS], option="size")
            size = Size(*sides, min(max(FONTS[0], sides[0]), FONTS[1]))
        return size

    def shows_text(self, name: str) -> bool:
        """Return whether the picture shows this text (headline, title or footnote).

        A plain picture shows only the user's texts.
        """
        return not getattr(self, f"no_{name}") and (not self.plain or getattr(self, name) is not None)

    def final_text(self, name: str, own: Mapping[str, str]) -> str:
        """Return the headline, title or footnote to show, or "".

        own : pecli's texts by name; they also fill placeholders such as {title} in the user's text
        """
        text = getattr(self, name)
        if text is None or not self.shows_text(name):
            return own[name] if self.shows_text(name) else ""
        return reduce(lambda filled, blank: filled.replace(f"{{{blank}}}", own[blank]), own, text)

    @property
    def small(self) -> float:
        """The size of tick labels and notes in points."""
        font = self.inches.font
        return max(min(self.inches.least, font), SMALL * font)

    @property
    def headline_size(self) -> float:
        """The size of the headline in points."""
        return self.inches.headline * self.inches.font

    @property
    def narrow(self) -> bool:
        """Whether the height of the page is not fixed, and the page is too narrow for two panels side by side."""
        size = self.inches
        return size.height is None and 72 * size.width / self.small < NARROW

    def with_smaller_text(self) -> list[Canvas]:
        """Return copies with ever smaller text.

        Return [] if the user fixed the text size, or if the height is not fixed and the size is not that of a venue.
        """
        if self.text_size is not None or (self.inches.height is None and self.size.split("-")[0] not in VENUES):
            return []
        sizes = {max(self.inches.least, round(share * self.inches.font, 1)) for share in SHRUNK}
        return [replace(self, text_size=size) for size in sorted(sizes, reverse=True) if size < self.inches.font]

    @property
    def scale(self) -> float:
        """The factor for line widths and marker sizes, 1 for the size "page"."""
        return self.inches.font / SIZES["page"].font

    def pixels(self) -> tuple[int, int]:
        """Return the largest number of pixels (rows, columns) that a panel can have, before the layout is known."""
        size = self.inches
        return max(1, round((size.height or 2 * size.width) * self.dpi)), max(1, round(size.width * self.dpi))

    def colours(self, kind: str) -> str:
        """Return the name of the colour map for a kind of values.

        kind : diverging, distance, amount, order, binary or difference
        """
        add_maps()  # pecli's style is not active on the user's own axes
        return colour_map(kind, self.cmap or self._style_setting("image.cmap"))

    def inputs(self) -> tuple[str, ...]:
        names = filter(None, (self.user_style, self.font))
        return tuple(name for name in names if os.path.isfile(name) or name.lower().endswith(FILES))

    @property
    def user_style(self) -> str | None:
        """The user's matplotlib style, or None."""
        return None if self.style in (DEFAULT, ADAPTIVE) else self.style

    def _style_setting(self, setting: str, files_alone: bool = False) -> Any:
        """Return the value of a setting in the user's style, or None.

        files_alone : whether to read the style only if it is a file
        """
        style = self.user_style
        if style is None or (files_alone and not (os.path.isfile(style) and is_readable(style))):
            return None
        from pecli.page.style import read_style

        return read_style(style).get(setting)

    @property
    def adaptive(self) -> bool:
        """Whether lines and text follow the reader's light or dark mode."""
        return self.style == ADAPTIVE

    def format_specific_options(self) -> dict[str, tuple[Any, str]]:
        """Return {option: (value, required format attribute)} for the given options that only some formats support."""
        given = {name: getattr(self, name) for name in OWNED}
        given["style"] = ADAPTIVE if self.adaptive else None
        return {name: (value, OWNED[name]) for name, value in given.items() if value not in (None, False)}

    @property
    def frame_dpi(self) -> int:
        """The resolution of each picture in a file of many, in pixels per inch.

        It is lower than `dpi`, unless the size is in pixels.
        """
        return self.dpi if PIXEL in self.size else max(10, round(self.dpi * FRAME))

    def limits_given(self) -> dict[str, object]:
        """Return the given options that set the ends of the colour scale."""
        given = {"vmin": self.vmin, "vmax": self.vmax, "robust": self.robust or None}
        return {name: value for name, value in given.items() if value is not None}

    def colours_given(self) -> dict[str, object]:
        """Return the given options that concern colours."""
        return {**({"cmap": self.cmap} if self.cmap else {}), **self.limits_given()}

    def check_names(self) -> None:
        """Raise an error for a colour map, style or font that does not exist.

        This imports matplotlib, so it is called late.
        """
        if self.font is not None:
            from pecli.page.style import family_of

            family_of(self.font)
        for source, name in {"style": self._style_setting("image.cmap"), "cmap": self.cmap}.items():
            if name is not None:
                from matplotlib import colormaps

                add_maps()

                if name not in colormaps:
                    known = sorted(map for map in colormaps if not map.endswith("_r"))
                    raise UnknownNameError("colour map", name, known, option=source)
