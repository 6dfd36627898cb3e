"""matplotlib's settings while a picture is drawn: pecli's style, sized to the text, and nothing of the user's."""

from __future__ import annotations

import os
import sys
import threading
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pecli.core.errors import PecliError, UsageError
from pecli.figures.canvas import Canvas
from pecli.figures.fonts import CJK, families, is_postscript
from pecli.figures.ground import lightness
from pecli.figures.style_files import read_style, short_line, use_defaults
from pecli.files.picture_bytes import INK

if TYPE_CHECKING:
    from matplotlib.axes import Axes

KEPT: dict[Any, Any] = {  # what holds whatever style is used: widths, fonts inside files, colours on the map
    "pdf.fonttype": 42,
    "svg.fonttype": "path",
    "savefig.bbox": None,
    "savefig.dpi": "figure",
    "figure.constrained_layout.use": False,  # laid out by `page`
    "figure.autolayout": False,
    "text.usetex": False,
    "text.hinting": "no_hinting",  # else letters are up to a tenth wider, each dpi in its own way
    "axes.grid": False,  # over an image it hides cells; figures of lines ask for theirs
    "image.interpolation": "nearest",
    "image.interpolation_stage": "data",  # the other makes an image four times as large first
}
DRAWING = [threading.RLock()]  # one picture at a time: matplotlib's settings are the whole process's
if sys.platform != "win32":  # a copy of this process has no thread that would give back what another holds
    os.register_at_fork(after_in_child=lambda: DRAWING.__setitem__(0, threading.RLock()))
GROUNDS: Any = ("figure.facecolor", "axes.facecolor", "savefig.facecolor", "legend.facecolor")
INKED: Any = (
    "text.color",
    "axes.edgecolor",
    "axes.labelcolor",
    "axes.titlecolor",
    "xtick.color",
    "ytick.color",
    "xtick.labelcolor",
    "ytick.labelcolor",
    "legend.labelcolor",
)
SIZED: Any = ("axes.titlesize", "axes.labelsize", "figure.titlesize")  # with the picture, whatever the style
PALE = "808080"  # in place of a black line of data, which no dark page shows, and of grid lines
GRID = 30.0  # of lightness, 0 to 100: how far a style's grid lines may be from what is behind, to be fainter than data
SMALL_TEXTS: Any = (
    "xtick.labelsize",
    "ytick.labelsize",
    "legend.fontsize",
    "legend.title_fontsize",
    "figure.labelsize",
)
SCALED = {  # all lengths in points: they grow with the text
    "axes.linewidth",
    "axes.titlepad",
    "axes.labelpad",
    "grid.linewidth",
    "lines.linewidth",
    "lines.markersize",
    "lines.markeredgewidth",
    "patch.linewidth",
    *(f"{axis}tick.{kind}" for axis in "xy" for kind in ("major.width", "major.size", "major.pad")),
    *(f"{axis}tick.{kind}" for axis in "xy" for kind in ("minor.width", "minor.size", "minor.pad")),
}


@contextmanager
def style_context(canvas: Canvas, texts: str = "") -> Iterator[list[str]]:
    """matplotlib as pecli wants it, whatever the user's matplotlibrc or environment say; restored afterwards.

    Other threads wait until then.

    texts : the free text that will be drawn, to find fonts for

    Yields the warnings (one line each) that the user should see.
    """
    import matplotlib as mpl

    notes: list[str] = []
    with DRAWING[0], _blamed(canvas), _without_date(), mpl.rc_context(), warnings.catch_warnings():
        warnings.filterwarnings("ignore", message=".*[Gg]lyph .*missing")
        warnings.filterwarnings("ignore", message="cmr10 font should")  # its minus is taken from mathematics
        use_defaults()
        _use_style(canvas)
        _use_fonts(families(canvas.font, texts, notes))
        yield notes


@contextmanager
def _blamed(canvas: Canvas) -> Iterator[None]:
    """Raises UsageError where matplotlib cannot draw with the settings of a style file."""
    try:
        yield
    except (PecliError, MemoryError, OSError):
        raise
    except Exception as error:  # whatever the settings did
        if (style := canvas.own_style) is None or not os.path.isfile(style):
            raise
        text = f"style file {style}: matplotlib cannot draw with it: {short_line(error)}"
        raise UsageError(text, option="style", value=style) from error


@contextmanager
def _without_date() -> Iterator[None]:
    """No SOURCE_DATE_EPOCH in the environment: a junk value crashes PDF saving, and no date is written anyway."""
    epoch = os.environ.pop("SOURCE_DATE_EPOCH", None)
    try:
        yield
    finally:
        if epoch is not None:
            os.environ["SOURCE_DATE_EPOCH"] = epoch


def set_sizes(canvas: Canvas) -> None:
    """Goes on with text of another size, and all that goes with it; the fonts stay."""
    import matplotlib as mpl

    family = list(mpl.rcParams["font.family"])
    _use_style(canvas)
    _use_fonts(family)


def make_readable(axes: Axes, canvas: Canvas, texts: str) -> None:
    """Gives what stands on a user's own axes the font asked for, and those for letters that it lacks."""
    from matplotlib.text import Text

    if canvas.font is None and not CJK.search(texts):
        return
    wanted = families(canvas.font, texts, [])
    for one in axes.findobj(Text):
        one.set_fontfamily(wanted)


def _use_style(canvas: Canvas) -> None:
    import matplotlib as mpl

    ours = mpl.rc_params_from_file(Path(__file__).with_name("pecli.mplstyle"), use_default_template=False)
    mpl.rcParams.update({name: value * canvas.scale if name in SCALED else value for name, value in ours.items()})
    sizes: Any = {name: mpl.rcParams[name] for name in SIZED}
    if canvas.adaptive:
        mpl.rcParams.update(_inked(mpl.rcParams["axes.prop_cycle"]))
    elif canvas.own_style is not None:
        mpl.rcParams.update(read_style(canvas.own_style))
    if canvas.transparent or canvas.adaptive:
        mpl.rcParams.update(dict.fromkeys(GROUNDS, "none"))
    styled = canvas.adaptive or canvas.own_style is not None
    grid: Any = {"grid.alpha": _grid_opacity()} if styled else {}
    small: Any = dict.fromkeys(SMALL_TEXTS, canvas.small)
    mpl.rcParams.update({"font.size": canvas.inches.font, **small, **grid, **sizes, **KEPT})
    mpl.rcParams["svg.fonttype"] = "none" if canvas.text else "path"


def _use_fonts(names: list[str]) -> None:
    """Writes in these families, and a PDF so that programs that read it can show them."""
    import matplotlib as mpl

    mpl.rcParams["font.family"] = names
    if any(map(is_postscript, names)):
        mpl.rcParams["pdf.fonttype"] = 3  # matplotlib puts them into a 42 as they are: most readers show nothing


def _grid_opacity() -> float:
    """The opacity of grid lines: the style's own, unless they were as strong as data."""
    import matplotlib as mpl
    from matplotlib.colors import to_rgba

    line, ground, given = (mpl.rcParams[name] for name in ("grid.color", "axes.facecolor", "grid.alpha"))
    apart = abs(float(lightness(to_rgba(line)) - lightness(to_rgba(ground)))) if to_rgba(ground)[3] else 100.0
    return min(float(given), GRID / max(apart, GRID))


def _inked(cycle: Any) -> dict[Any, Any]:
    """Settings under which all that is neither data nor ground has the one colour that a page may turn over."""
    colours = [PALE if int(colour, 16) == 0 else colour for colour in (one["color"].lstrip("#") for one in cycle)]
    return {**dict.fromkeys(INKED, INK), "grid.color": PALE, "axes.prop_cycle": f"cycler('color', {colours})"}
