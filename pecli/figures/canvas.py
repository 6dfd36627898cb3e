"""What a picture is drawn on: sizes, colours, fonts, panels. matplotlib's Figure, never pyplot: no global state."""

from __future__ import annotations

import os
import textwrap
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from pecli.core.errors import UnknownNameError, UsageError, mention
from pecli.core.lengths import inches_of
from pecli.core.options import Options, option
from pecli.figures.fonts import CJK, families, family_of
from pecli.figures.style_files import read_style, use_defaults

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure as Picture


class Size(NamedTuple):
    """Width and height in inches (height None: what the figure wants) and the text's size in points."""

    width: float
    height: float | None
    font: float


SIZES = {
    "column": Size(3.25, None, 7),
    "page": Size(6.75, None, 8),
    "blog": Size(8, None, 9),
    "slide": Size(13.33, 7.5, 18),
}
LIMITS = (0.5, 100.0)  # inches
SIDES, ENDS = 0.137, 0.017  # inches a point of text: labels and colour bar beside a square panel, labels below it
PASSES = 4  # of the layout, at most
MOST_PIXELS = 2**16 - 1  # matplotlib's own limit a side
COLOURS = {"diverging": "RdBu_r", "sequential": "viridis", "binary": "Greys"}


@dataclass(frozen=True)
class Canvas(Options):
    """Options of the picture itself, the same for every figure."""

    what = "canvas option"

    size: str = option(
        "page",
        "column (3.25 in), page (6.75 in), blog (8 in), slide (13.33 × 7.5 in), or 5x3, 8cm, 8cmx5cm, 120mm",
        split=True,
        separator=r",(?!\s*[\d.]+\s*$)",  # 5,3 is one size
        aliases=("figsize",),
    )
    dpi: int = option(150, "pixels per inch", at_least=10, at_most=2400)
    cmap: str | None = option(
        None,
        "matplotlib colour map",
        unset="by the values: signed, distance or 0/1",
        split=True,
        aliases=("colormap", "colourmap"),
    )
    title: str | None = option(None, "title of the picture", unset="the encoding's name and parameters")
    no_title: bool = option(False, "no title at all")
    style: str | None = option(
        None, "matplotlib style on top of pecli's: a name or a file", unset="pecli's own", split=True
    )
    font: str | None = option(None, "font family or font file", unset="DejaVu Sans, with a CJK font where needed")

    def check(self) -> None:
        if self.title is not None and self.no_title:
            text = f"{mention('title')} and {mention('no_title')} exclude each other"
            raise UsageError(text, option="no_title", advice="give one of them")
        size = self.inches
        for side in (size.width, size.height or size.width):
            if not LIMITS[0] <= side <= LIMITS[1]:
                advice = f"each side takes {LIMITS[0]:g} to {LIMITS[1]:g} inches"
                raise UsageError(option="size", value=self.size, advice=advice)
            if side * self.dpi > MOST_PIXELS:
                asked = f"{mention('size', self.size)} at {mention('dpi', self.dpi)}"
                advice = f"lower {mention('dpi')}"
                raise UsageError(f"{asked} is over {MOST_PIXELS} pixels a side", option="dpi", advice=advice)

    @property
    def inches(self) -> Size:
        """The size in inches."""
        if self.size in SIZES:
            return SIZES[self.size]
        sides = inches_of(self.size)
        if sides is None:
            raise UnknownNameError("size", self.size, [*SIZES, "WxH", "8cm", "8cmx5cm"], option="size")
        return Size(*sides, max(8.0, sides[0]))

    def extent(self, aspect: float | None, grid: tuple[int, int]) -> tuple[float, float]:
        """Width and height in inches of a picture with that grid of panels (rows, columns) of that height/width.

        Without an aspect panels are square, with room for labels on two sides and a colour bar.
        """
        size = self.inches
        rows, columns = grid
        if aspect is None:
            aspect = (size.width / columns - SIDES * size.font + ENDS * size.font) / (size.width / columns)
        height = size.height or min(LIMITS[1], size.width * aspect * rows / columns + 0.07 * size.font)
        return size.width, height

    def pixels(self, aspect: float | None, grid: tuple[int, int]) -> tuple[int, int]:
        """Rows and columns of pixels that one panel has for sure (three quarters of its share)."""
        width, height = self.extent(aspect, grid)
        return max(1, int(0.75 * height * self.dpi / grid[0])), max(1, int(0.75 * width * self.dpi / grid[1]))

    def colours(self, kind: str) -> str:
        """The colour map for values of that kind (diverging, sequential, binary)."""
        return self.cmap or COLOURS[kind]

    def inputs(self) -> tuple[str, ...]:
        return tuple(name for name in (self.style, self.font) if name and os.path.isfile(name))

    def wrapped(self, text: str, share: float = 1.0) -> str:
        """Text broken into lines that fit that share of the width."""
        size = self.inches
        room = max(16, int(share * size.width * 72 / (0.55 * size.font)))
        return "\n".join(textwrap.fill(line, room) for line in text.split("\n"))

    def check_names(self) -> None:
        """Refuses a colour map, a style or a font that does not exist; needs matplotlib, so it comes late."""
        if self.font is not None:
            family_of(self.font)
        if self.style is not None:
            read_style(self.style)
        if self.cmap is None:
            return
        import matplotlib as mpl

        if self.cmap is not None and self.cmap not in mpl.colormaps:
            known = sorted(c for c in mpl.colormaps if not c.endswith("_r"))
            raise UnknownNameError("colour map", self.cmap, known, option="cmap")


KEPT: dict[Any, Any] = {  # what holds whatever style is used: widths, fonts inside files, colours on the map
    "pdf.fonttype": 42,
    "svg.fonttype": "path",
    "savefig.bbox": None,
    "savefig.dpi": "figure",
    "figure.constrained_layout.use": False,  # laid out once, by `settle`
    "figure.autolayout": False,
    "text.usetex": False,
    "axes.grid": False,  # over an image it hides cells; figures of lines ask for theirs
    "image.interpolation": "nearest",
    "image.interpolation_stage": "data",  # the other makes an image four times as large first
}


@contextmanager
def style_context(canvas: Canvas, texts: str = "") -> Iterator[list[str]]:
    """matplotlib as pecli wants it, whatever the user's matplotlibrc or environment say; restored afterwards.

    texts : the free text that will be drawn, to find fonts for

    Yields the warnings (one line each) that the user should see.
    """
    import matplotlib as mpl

    epoch = os.environ.pop("SOURCE_DATE_EPOCH", None)  # a junk value crashes PDF saving; no date is written anyway
    notes: list[str] = []
    try:
        with mpl.rc_context(), warnings.catch_warnings():
            warnings.filterwarnings("ignore", message=".*[Gg]lyph .*missing")
            use_defaults()
            _use_style(canvas)
            mpl.rcParams["font.size"] = canvas.inches.font
            mpl.rcParams["font.family"] = families(canvas.font, texts, notes)
            mpl.rcParams.update(KEPT)
            yield notes
    finally:
        if epoch is not None:
            os.environ["SOURCE_DATE_EPOCH"] = epoch


def make_readable(panels: list[Axes], canvas: Canvas, texts: str) -> None:
    """Gives what stands on a user's own axes the fonts that these texts need, where those that hold there lack them."""
    from matplotlib.text import Text

    if not CJK.search(texts):
        return
    wanted = families(canvas.font, texts, [])
    for panel in panels:
        for one in panel.findobj(Text):
            one.set_fontfamily(wanted)


def _use_style(canvas: Canvas) -> None:
    import matplotlib as mpl

    ours: Any = mpl.rc_params_from_file(Path(__file__).with_name("pecli.mplstyle"), use_default_template=False)
    mpl.rcParams.update(ours)
    if canvas.style is not None:
        mpl.rcParams.update(read_style(canvas.style))


def new_picture(canvas: Canvas, aspect: float | None, grid: tuple[int, int]) -> tuple[Picture, list[Axes]]:
    """An empty matplotlib Figure with a grid of axes, row by row."""
    from matplotlib.figure import Figure as Picture

    picture = Picture(figsize=canvas.extent(aspect, grid), dpi=canvas.dpi, layout="constrained")
    return picture, list(picture.subplots(*grid, squeeze=False).flat)


def settle(picture: Picture) -> None:
    """Lays the picture out once, for every format alike; saving would do it again by a whole draw of its own.

    Square panels shrink after their labels were given room, so that one pass can leave a label outside.
    """
    engine = picture.get_layout_engine()
    if engine is None:
        return
    for _ in range(PASSES):
        engine.execute(picture)
        if _is_inside(picture):
            break
    picture.set_layout_engine(None)  # "none" would leave a placeholder, and with it the draw


def _is_inside(picture: Picture) -> bool:
    """Whether nothing is cut off at the borders."""
    found, (width, height) = picture.get_tightbbox(), picture.get_size_inches()
    return bool(found.x0 >= 0 and found.y0 >= 0 and found.x1 <= width and found.y1 <= height)


def split_axes(axes: Axes, grid: tuple[int, int]) -> list[Axes]:
    """A given Axes as a grid of panels inside it; itself where one is enough."""
    rows, columns = grid
    if rows * columns == 1:
        return [axes]
    axes.set_axis_off()
    gap = 0.08
    width, height = (1 - gap * (columns - 1)) / columns, (1 - gap * (rows - 1)) / rows
    corners = [(c * (width + gap), 1 - height - r * (height + gap)) for r in range(rows) for c in range(columns)]
    return [axes.inset_axes((x, y, width, height)) for x, y in corners]


class ColourBar(NamedTuple):
    """What a colour bar explains."""

    mappable: Any
    label: str
    ticks: list[float] | None = None
    panels: int | None = None  # how many panels, from the first, it explains; None: all


def add_colour_bar(scale: ColourBar, axes: list[Axes]) -> None:
    """One colour bar for these axes."""
    axes = axes[: scale.panels]
    picture = axes[0].get_figure(root=True)
    assert picture is not None  # an Axes that is drawn on stands in a picture
    ticks = scale.ticks if scale.ticks is not None else _few_ticks(scale.mappable)
    place: dict[str, Any] = {"ax": axes, "fraction": 0.05, "pad": 0.02, "aspect": 25}
    if len(axes) == 1:  # beside one panel it is as tall as that panel
        place = {"cax": axes[0].inset_axes((1.02, 0, 0.035, 1))}
    bar = picture.colorbar(scale.mappable, label=scale.label, ticks=ticks, **place)
    bar.outline.set_linewidth(0.4)


def _few_ticks(mappable: Any) -> Any:
    """Five or so round numbers; powers of ten as the norm has them."""
    from matplotlib.colors import LogNorm
    from matplotlib.ticker import MaxNLocator

    return None if isinstance(mappable.norm, LogNorm) else MaxNLocator(nbins=5, steps=[1, 2, 2.5, 5, 10])
