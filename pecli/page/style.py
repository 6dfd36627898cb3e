"""The look of a picture: matplotlib's settings, style files, fonts, mathematical text."""

from __future__ import annotations

import logging
import os
import re
import textwrap
import threading
import warnings
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from functools import cache, lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pecli.core.errors import FileError, PecliError, UnknownNameError, UsageError, option_text, shorten
from pecli.core.lazy import Axes
from pecli.core.readable import check_readable
from pecli.files.tables import MAX_BYTES, open_file
from pecli.page.colors import add_maps, lightness

if TYPE_CHECKING:
    from pecli.page.canvas import Canvas


def check_mathematics(text: str, option: str) -> None:
    """Refuse a text with mathematics that matplotlib cannot set; `option` is what gave it."""
    if text.count("$") < 2:
        return
    from matplotlib.cbook import is_math_text
    from matplotlib.mathtext import MathTextParser

    try:
        if is_math_text(text):
            MathTextParser("path").parse(text)
    except (ValueError, RecursionError):
        message = f"'{shorten(text, 160)}' holds mathematics between its $ that cannot be set"
        raise UsageError(message, option=option, value=text, advice=r"write \$ for a dollar sign") from None


CJK = r"[\u2e80-\u9fff\uac00-\ud7af\uf900-\ufaff\uff00-\uffef\U00020000-\U0003ffff]"
OTHERS = range(0x590, 0x1D00), range(0x2E80, 0xE0100)  # letters of other scripts, emoji: not in every font
GENERIC = ("serif", "sans-serif", "monospace", "cursive", "fantasy")  # families that stand for others
SERIF = ("serif", "STIX Two Text", "STIXGeneral")  # which the mathematics of STIX fit
FALLBACK = "DejaVu Sans"  # comes with matplotlib
CJK_FONTS = ("Noto Sans CJK SC", "Noto Sans SC", "PingFang SC", "Microsoft YaHei", "SimHei", "WenQuanYi Zen Hei")


def families(font: str | None, texts: str, notes: list[str]) -> list[str]:
    """Return the font families for these texts, the first wins for each character; add to notes what they lack."""
    import matplotlib as mpl

    rc: Any = mpl.rcParams
    members = {family: rc[f"font.{family}"] if family in GENERIC else [family] for family in rc["font.family"]}
    used = [family for family, names in members.items() if installed(names)] or [FALLBACK]
    if font in GENERIC and not installed(rc[f"font.{font}"]):
        notes.append(f"no {font} font is installed: {used[0]} is used")
    elif font is not None:
        used.insert(0, family_of(font))
    elif used[0] not in members:
        lacking = ", ".join(name for names in members.values() for name in names)
        notes.append(f"none of the style's fonts is installed ({lacking}): {used[0]} is used")
    lost = {sign for sign in texts if any(ord(sign) in codes for codes in OTHERS)}
    if lost and (lost := lost - _letters(used)):
        fallback = installed(CJK_FONTS)
        used = fallback + used if "$" in texts else used + fallback  # inside mathematics the first family alone counts
        lost -= _letters(fallback)
    if lost and FALLBACK not in used:
        used, lost = [*used, FALLBACK], lost - _letters([FALLBACK])
    if lost and re.search(CJK, "".join(lost)):  # of what is no picture without them one is told under -q as well
        warnings.warn("no font for Chinese is installed: install Noto Sans CJK, or give --font FILE.ttf", stacklevel=2)
    elif lost:
        notes.append(f"no font in use has {' '.join(sorted(lost)[:5])}: drawn as boxes; try --font FILE.ttf")
    return used


PLAIN_WEIGHTS: Any = {"medium": "normal", "semibold": "bold"}  # of others than Inter
FACES = {  # of the font that comes with pecli, in its folder
    "Inter-Regular": ("normal", 400),
    "Inter-Italic": ("italic", 400),
    "Inter-Medium": ("normal", 500),
    "Inter-SemiBold": ("normal", 600),
}


@cache
def add_fonts() -> None:
    """Make matplotlib know the font that comes with pecli, before one of that name that is installed."""
    from matplotlib.font_manager import FontEntry, fontManager

    folder = Path(__file__).with_name("fonts")
    for face, (style, weight) in FACES.items():
        path = str(folder / f"{face}.ttf")
        entry = FontEntry(fname=path, name="Inter", style=style, weight=weight, size="scalable")
        fontManager.ttflist.insert(0, entry)


def installed(families: Sequence[str]) -> list[str]:
    """Return those of the families that are installed, also where all are newer than the list that matplotlib keeps."""
    from matplotlib.font_manager import fontManager

    def known() -> list[str]:
        names = {*fontManager.get_font_names()}
        return [family for family in families if family in names]

    if not (names := known()):
        _add_newer_fonts()
        names = known()
    return names


@cache
def _add_newer_fonts() -> None:
    """Add the fonts of the system that matplotlib's list lacks to that of this process, once."""
    from matplotlib.font_manager import findSystemFonts, fontManager

    listed = {os.path.realpath(entry.fname) for entry in fontManager.ttflist}
    for path in findSystemFonts():
        if os.path.realpath(path) not in listed:
            with suppress(OSError, RuntimeError, ValueError):  # no font, or one that matplotlib cannot read
                fontManager.addfont(path)


def _letters(names: list[str]) -> set[str]:
    """Return the characters that some of these families have."""
    from matplotlib.ft2font import FT2Font

    return {chr(code) for name in names for code in FT2Font(_file_of(name)).get_charmap()}


def _file_of(family: str) -> str:
    """Return the file of a family, generic ones too; in a list, since a text with a hyphen would be a pattern."""
    from matplotlib.font_manager import FontProperties, findfont

    return str(findfont(FontProperties(family=[family])))


def family_of(font: str) -> str:
    """Return the family of a font by its name, generic ones too, or from its file; raises UsageError, FileError."""
    from matplotlib.font_manager import FontProperties, fontManager

    if os.path.isfile(font) or font.lower().endswith((".ttf", *COMPACT)) or os.sep in font:
        open_file(font).close()
        try:
            fontManager.addfont(font)
            return FontProperties(fname=font).get_name()
        except (OSError, RuntimeError, ValueError) as error:
            text = f"{option_text('font', font)} is not a font file: {error}"
            raise FileError(text, option="font", value=font) from None
    if font not in GENERIC and not installed([font]):
        raise UnknownNameError("font", font, sorted(fontManager.get_font_names()), option="font")
    return font


ENDING = ".mplstyle"


def bundled_styles() -> dict[str, Path]:
    """Return the styles that come with matplotlib; the user's folder is not read: one bad file there spoils all."""
    import matplotlib as mpl

    folder = Path(mpl.get_data_path(), "stylelib")
    return {path.stem: path for path in sorted(folder.iterdir()) if path.suffix == ENDING}


def read_style(style: str) -> dict[Any, Any]:
    """Return the settings of a style that comes with matplotlib, or of a file.

    Raises
    ------
    UsageError : no such style
    FileError : no such file, one that is none, a setting that matplotlib does not know
    """
    if os.path.isfile(style):
        check_readable(style)
    return _read_style(style, Path(style).stat().st_mtime_ns if os.path.isfile(style) else 0)


@lru_cache(maxsize=8)
def _read_style(style: str, changed: int) -> dict[Any, Any]:
    """Return the same of a file of that time, read once."""
    import matplotlib as mpl

    bundled = bundled_styles()
    try:
        if style not in bundled:
            _check_file(style)
        path = bundled.get(style, style)
        return _of_pictures(mpl.rc_params_from_file(path, fail_on_error=True, use_default_template=False))
    except (PecliError, ValueError) as error:
        if os.path.exists(style) or "/" in style or style.endswith(ENDING):
            text = textwrap.shorten(f"style file {style} cannot be used: {error}", 300, placeholder="…")
            raise FileError(text, option="style", value=style) from None
        names = [name for name in bundled if not name.startswith("_")]
        raise UnknownNameError("style", style, names, option="style") from None


def note_on_style(style: str | None) -> list[str]:
    """Return the note on what a style file sets and pecli sets otherwise; what comes with matplotlib needs none."""
    if style is None or not os.path.isfile(style):
        return []
    set_here = [name for name in read_style(style) if name in (*KEPT, *SMALL, *INSTEAD)]
    flags = dict.fromkeys(INSTEAD.get(name, "--text-size" if "size" in name else "") for name in set_here)
    use = ", ".join(filter(None, flags))
    return [f"pecli sets {', '.join(set_here)} itself, not {style}{use and f': use {use}'}"] if set_here else []


def _check_file(style: str) -> None:
    """Refuse a line that is no setting, which matplotlib would only warn of (ValueError)."""
    import matplotlib as mpl

    with open_file(style) as file:
        lines = file.read(MAX_BYTES).decode().splitlines()
    for line in (line.partition("#")[0].strip() for line in lines):
        if line and line.partition(":")[0].strip() not in mpl.rcParams:
            raise ValueError(f"{shorten(line, 60)!r} is not a setting of matplotlib")


def _of_pictures(settings: Any) -> dict[Any, Any]:
    """Return settings without that of the window, which is the process's."""
    return {name: value for name, value in dict(settings.items()).items() if name != "backend"}


KEPT: dict[Any, Any] = {  # what holds whatever style is used: widths, fonts inside files, colours on the map
    "pdf.fonttype": 42,
    "savefig.bbox": None,
    "savefig.dpi": "figure",
    "figure.constrained_layout.use": False,  # laid out by `page`
    "figure.autolayout": False,
    "text.usetex": False,
    "text.hinting": "no_hinting",  # else letters are up to a tenth wider, each dpi in its own way
    **dict.fromkeys(("axes.titlesize", "axes.labelsize", "figure.titlesize"), "medium"),  # with the picture
    "axes.grid": False,  # over an image it hides cells; figures of lines ask for theirs
    "image.interpolation": "nearest",
    "image.interpolation_stage": "data",  # the other makes an image four times as large first
}
DRAWING = threading.RLock()  # one picture at a time: matplotlib's settings, and the free memory, are the process's
GROUNDS: Any = ("figure.facecolor", "axes.facecolor", "savefig.facecolor", "legend.facecolor")
NUMBERS_INK: Any = ("xtick.labelcolor", "ytick.labelcolor")  # a style gives them that of the ticks
COMPACT = (".otf", ".ttc")  # endings of fonts whose letters may be PostScript outlines
LENGTHS = ("width", "size", "pad")  # ends of the names of our settings in points: these grow with the text
GRID = 30.0  # of lightness, 0 to 100: how far a style's grid lines may be from what is behind, to be fainter than data
INSTEAD = {  # settings that are options here
    "figure.figsize": "--size",
    **dict.fromkeys(("figure.dpi", "savefig.dpi"), "--dpi"),
    "savefig.transparent": "--transparent",
    "savefig.format": "--output",
    "svg.fonttype": "--text",
}
SMALL: Any = ("xtick.labelsize", "ytick.labelsize", "legend.fontsize", "legend.title_fontsize", "figure.labelsize")


@contextmanager
def without_date() -> Iterator[None]:
    """Hide SOURCE_DATE_EPOCH: pictures have no date, and matplotlib stops at one that is no number."""
    epoch = os.environ.pop("SOURCE_DATE_EPOCH", None)
    try:
        yield
    finally:
        if epoch is not None:
            os.environ["SOURCE_DATE_EPOCH"] = epoch


@contextmanager
def without_log() -> Iterator[None]:
    """Keep matplotlib from writing to the terminal that a font has not every weight."""
    logger = logging.getLogger("matplotlib.font_manager")
    level = logger.level
    logger.setLevel(logging.ERROR)
    try:
        yield
    finally:
        logger.setLevel(level)


@contextmanager
def style_context(canvas: Canvas, texts: str = "") -> Iterator[list[str]]:
    """Set matplotlib up as pecli wants it, whatever the user's matplotlibrc or environment say; restore it afterwards.

    Other threads wait until then.

    texts : the free text that will be drawn, to find fonts for

    Yields the warnings (one line each) that the user should see.
    """
    import matplotlib as mpl

    notes: list[str] = []
    with DRAWING, mpl.rc_context(), without_date(), without_log(), warnings.catch_warnings():
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # of settings that are to go
            mpl.rcParams.update(_of_pictures(mpl.rcParamsDefault))  # `rcdefaults` would read the user's styles
        warnings.filterwarnings("ignore", message=".*[Gg]lyph .*missing|Matplotlib currently does not support")
        warnings.filterwarnings("ignore", message="cmr10 font should")  # its minus is taken from mathematics
        add_maps()
        add_fonts()
        _use_style(canvas)
        _use_fonts(families(canvas.font, texts, notes), canvas)
        notes += note_on_style(canvas.own_style)
        yield notes


def set_sizes(canvas: Canvas) -> None:
    """Set the sizes of text, and of all that goes with it, for another canvas; the fonts stay."""
    import matplotlib as mpl

    family = list(mpl.rcParams["font.family"])
    _use_style(canvas)
    _use_fonts(family, canvas)


def make_readable(axes: Axes, canvas: Canvas, texts: str) -> None:
    """Set the fonts of texts on a user's Axes: the font of the canvas, and those for letters that it lacks; weights
    are those that any font has."""
    from matplotlib.text import Text

    plain = texts.isascii() or not re.search(CJK, texts)
    wanted = None if canvas.font is None and plain else families(canvas.font, texts, [])
    for text in axes.findobj(Text):
        text.set_fontweight(PLAIN_WEIGHTS.get(text.get_fontweight(), text.get_fontweight()))
        if wanted is not None:
            text.set_fontfamily(wanted)


def _use_style(canvas: Canvas) -> None:
    import matplotlib as mpl

    ours = mpl.rc_params_from_file(Path(__file__).with_name("pecli.mplstyle"), use_default_template=False)
    points = [name for name, value in ours.items() if name.endswith(LENGTHS) and isinstance(value, float)]
    mpl.rcParams.update({**ours, **{name: ours[name] * canvas.scale for name in points}})
    if canvas.own_style is not None:
        mpl.rcParams.update(dict.fromkeys(NUMBERS_INK, "inherit"))
        mpl.rcParams.update(read_style(canvas.own_style))
    if canvas.transparent or canvas.adaptive:
        mpl.rcParams.update(dict.fromkeys(GROUNDS, "none"))
    grid: Any = {"grid.alpha": _grid_opacity()} if canvas.own_style is not None else {}
    small: Any = dict.fromkeys(SMALL, canvas.small)
    font: Any = {"font.size": canvas.inches.font, "svg.fonttype": "none" if canvas.text else "path"}
    mpl.rcParams.update({**KEPT, **small, **grid, **font})


def _use_fonts(names: list[str], canvas: Canvas) -> None:
    """Set the font families, with mathematics in the font that is asked for, and the kind of fonts in a PDF that
    readers can show."""
    import matplotlib as mpl

    mpl.rcParams["font.family"] = names
    if canvas.font is not None and canvas.own_style is None:
        faces: Any = {"rm": "", "sf": "", "it": ":italic", "bf": ":bold", "bfit": ":italic:bold"}
        family = re.sub(r"([-:,])", r"\\\1", names[0])  # in a pattern of fonts
        own: Any = {f"mathtext.{face}": f"{family}{style}" for face, style in faces.items()}
        stix: Any = {"mathtext.fontset": "stix"}
        mpl.rcParams.update(stix if names[0] in SERIF else own)
    if any(_file_of(name).endswith(COMPACT) for name in names):
        mpl.rcParams["pdf.fonttype"] = 3  # matplotlib puts them into a 42 as they are: most readers show nothing


def _grid_opacity() -> float:
    """Return the opacity of grid lines: the style's, unless they were as strong as data."""
    import matplotlib as mpl
    from matplotlib.colors import to_rgba

    line, ground, given = (mpl.rcParams[name] for name in ("grid.color", "axes.facecolor", "grid.alpha"))
    apart = abs(float(lightness(to_rgba(line)) - lightness(to_rgba(ground)))) if to_rgba(ground)[3] else 100.0
    return min(float(given), GRID / max(apart, GRID))
