"""The look of a picture: matplotlib's settings, style files, fonts, mathematical text."""

from __future__ import annotations

import os
import re
import sys
import textwrap
import threading
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from itertools import accumulate
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pecli.core.errors import PecliError, UnknownNameError, UsageError, option_text, shorten
from pecli.core.lazy import cached
from pecli.core.readable import check_readable
from pecli.figures.colors import lightness
from pecli.files.pictures import INK
from pecli.files.tables import MOST, opened

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from pecli.figures.canvas import Canvas

DEEPEST = 16  # braces inside each other: matplotlib goes down as deep, several calls each


def check_mathematics(text: str, option: str) -> None:
    """Refuses a text whose mathematics cannot be set, before it is drawn; `option` is what it was given as."""
    if text.count("$") > 1 and nested(text) > DEEPEST:
        said = f"a text holds mathematics in {nested(text):,} braces inside each other, not {DEEPEST}"
        raise UsageError(said, option=option, value=text)
    if text.count("$") > 1 and not _is_set(text):
        said = f"'{text}' holds mathematics between its $ that cannot be set"
        raise UsageError(said, option=option, value=text, advice=r"write \$ for a dollar sign")


def nested(text: str) -> int:
    """How many braces are open at once at the most."""
    return max(accumulate((sign == "{") - (sign == "}") for sign in text), default=0)


def _is_set(text: str) -> bool:
    from matplotlib.cbook import is_math_text
    from matplotlib.mathtext import MathTextParser

    try:
        if is_math_text(text):
            MathTextParser("path").parse(text)
    except (ValueError, RecursionError):
        return False
    return True


CJK = re.compile(r"[\u2e80-\u9fff\uac00-\ud7af\uf900-\ufaff\uff00-\uffef\U00020000-\U0003ffff]")
RARE = re.compile(r"[\u0590-\u1cff\U00010000-\U000e00ff]")  # letters of other scripts, emoji: not in every font
GENERIC = ("serif", "sans-serif", "monospace", "cursive", "fantasy")  # families that stand for others
CJK_FONTS = (
    "Noto Sans CJK SC",
    "Noto Sans CJK JP",
    "Noto Sans SC",
    "Source Han Sans SC",
    "PingFang SC",
    "Microsoft YaHei",
    "SimHei",
    "WenQuanYi Micro Hei",
    "WenQuanYi Zen Hei",
    "Droid Sans Fallback",
    "Arial Unicode MS",
)


def families(font: str | None, texts: str, notes: list[str]) -> list[str]:
    """Font families, the first wins for each character."""
    import matplotlib as mpl
    from matplotlib import font_manager

    installed = font_manager.fontManager.get_font_names()
    own = [family for family in mpl.rcParams["font.family"] if family in installed or family in GENERIC]
    members: Any = f"font.{font}"  # of a generic family, which stands for these
    if font in GENERIC and not set(mpl.rcParams[members]) & set(installed):
        notes.append(f"no {font} font is installed: {own[0]} is used")
    elif font is not None:
        own.insert(0, family_of(font))
    chinese = "".join(CJK.findall(texts))
    if chinese and not (font is not None and _draws(own[0], chinese)):
        found = _cjk_families()
        own = found + own if "$" in texts else own + found  # inside mathematics only the first family counts
        if not found:
            notes.append("no font with Chinese characters is installed: they are drawn as boxes; try --font FILE.ttf")
    notes += _boxes(own, texts)
    return own


def _boxes(used: list[str], texts: str) -> list[str]:
    """A note on rare characters that none of these families has; nothing where there are none."""
    lost = [one for one in dict.fromkeys(RARE.findall(texts)) if not any(_draws(family, one) for family in used)]
    return [f"no font in use has {' '.join(lost[:5])}: drawn as boxes; try --font FILE.ttf"] if lost else []


def _draws(family: str, text: str) -> bool:
    """Whether a font family has all these characters."""
    from matplotlib.ft2font import FT2Font

    known = FT2Font(os.fspath(_file_of(family))).get_charmap()  # matplotlib 3.10 takes no Path
    return all(ord(character) in known for character in text)


def _file_of(family: str) -> Path:
    """The file of a family, generic ones too; in a list, since a text with a hyphen would be a pattern."""
    from matplotlib.font_manager import FontProperties, findfont

    return Path(findfont(FontProperties(family=[family])))


@cached
def is_postscript(family: str) -> bool:
    """Whether the letters of a family are PostScript outlines (CFF) and not TrueType's, as those of most CJK fonts."""
    with _file_of(family).open("rb") as file:
        head = file.read(16)
        if head.startswith(b"ttcf"):  # a collection: its first font is at the offset that stands here
            file.seek(int.from_bytes(head[12:]))
            head = file.read(4)
    return head.startswith(b"OTTO")


def family_of(font: str) -> str:
    """The family of a font by its name, generic ones too, or from its file; raises UsageError for one that is none."""
    from matplotlib import font_manager

    manager = font_manager.fontManager
    if os.path.isfile(font):
        check_readable(font)
        try:
            manager.addfont(font)
            return font_manager.FontProperties(fname=font).get_name()
        except (OSError, RuntimeError, ValueError) as error:
            text = f"{option_text('font', font)} is not a font file: {error}"
            raise UsageError(text, option="font", value=font) from None
    if font not in (*manager.get_font_names(), *GENERIC):
        raise UnknownNameError("font", font, sorted(manager.get_font_names()), option="font")
    return font


def _cjk_families() -> list[str]:
    """The installed fonts with Chinese characters."""
    from matplotlib.font_manager import fontManager

    installed = fontManager.get_font_names()
    return [name for name in CJK_FONTS if name in installed]


ENDING = ".mplstyle"
LINE = "each line is one, as in lines.linewidth: 2"
ABOUT_WINDOWS = (  # settings that are of no picture, and may be of the process
    "backend",
    "backend_fallback",
    "date.epoch",
    "docstring.hardcopy",
    "figure.max_open_warning",
    "figure.raise_window",
    "interactive",
    "savefig.directory",
    "savefig.format",
    "timezone",
    "tk.window_focus",
    "toolbar",
)


def bundled_styles() -> dict[str, Path]:
    """The styles that come with matplotlib. Those of the user's own folder are files: one bad one spoils them all."""
    import matplotlib as mpl

    return {
        path.stem: path for path in sorted(Path(mpl.get_data_path(), "stylelib").iterdir()) if path.suffix == ENDING
    }


def use_defaults() -> None:
    """matplotlib's own settings, whatever the user's files say. Its `rcdefaults` would read the user's styles."""
    import matplotlib as mpl

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of settings that are to go
        mpl.rcParams.update(_of_pictures(mpl.rcParamsDefault))


def read_style(style: str) -> dict[Any, Any]:
    """The settings of a style.

    Parameters
    ----------
    style : the name of a style that comes with matplotlib, or a file

    Raises
    ------
    UsageError : no such style, a file that is none, a setting that matplotlib does not know: the message names it
    """
    bundled = bundled_styles()
    if style in bundled:
        return _settings(str(bundled[style]))
    try:
        with opened(style) as file:
            data = file.read(MOST)
    except PecliError as error:
        if "/" in style or style.endswith(ENDING):
            raise UsageError(f"style file {error}", option="style", value=style) from None
        known = [name for name in bundled if not name.startswith("_")]
        raise UnknownNameError("style", style, known, option="style") from None
    if len(data) == MOST:
        raise UsageError(f"{style} is over {MOST >> 20} MiB: no style")
    _check_lines(style, data.decode(errors="replace"))
    return _settings(style)


def _check_lines(path: str, text: str) -> None:
    """Refuse a file with a line that is no setting of matplotlib's, or without any."""
    import matplotlib as mpl

    lines = [line.partition("#")[0].strip() for line in text.splitlines()]
    wrong = [line for line in lines if line and line.partition(":")[0].strip() not in mpl.rcParams]
    if wrong or not any(lines):
        what = f": {shorten(wrong[0], 60)!r} is no setting of matplotlib's" if wrong else " has no setting"
        raise UsageError(f"style file {path}{what}", option="style", value=path, advice=LINE)


def _settings(path: str) -> dict[Any, Any]:
    import matplotlib as mpl

    try:
        read = mpl.rc_params_from_file(path, fail_on_error=True, use_default_template=False)
    except Exception as error:  # a file can be wrong in any way
        said = f"style file {path} cannot be used: {short_line(error)}"
        raise UsageError(said, option="style", value=path) from None
    return _of_pictures(read)


def _of_pictures(settings: Any) -> dict[Any, Any]:
    named = dict(settings.items())
    return {name: named[name] for name in named if name not in ABOUT_WINDOWS and not name.startswith("webagg")}


def short_line(error: Exception) -> str:
    """What an error of matplotlib's says, in one line."""
    return textwrap.shorten(str(error), 160, placeholder="…") or type(error).__name__


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
