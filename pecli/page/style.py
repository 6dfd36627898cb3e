"""The style of a picture: matplotlib's settings, style files, fonts, mathematical text."""

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
    """Raise UsageError if the text has mathematics that matplotlib cannot draw.

    option : the option that gave the text
    """
    if text.count("$") < 2:
        return
    from matplotlib.cbook import is_math_text
    from matplotlib.mathtext import MathTextParser

    try:
        if is_math_text(text):
            MathTextParser("path").parse(text)
    except (ValueError, RecursionError):
        message = f"'{shorten(text, 160)}' has a formula between $ signs that cannot be typeset"
        raise UsageError(message, option=option, value=text, advice=r"write \$ for a dollar sign") from None


CJK = r"[\u2e80-\u9fff\uac00-\ud7af\uf900-\ufaff\uff00-\uffef\U00020000-\U0003ffff]"
OTHERS = range(0x590, 0x1D00), range(0x2E80, 0xE0100)  # other scripts and emoji, which many fonts lack
GENERIC = ("serif", "sans-serif", "monospace", "cursive", "fantasy")  # generic families, each a list of fonts
SERIF = ("serif", "STIX Two Text", "STIXGeneral")  # families that go with STIX mathematics
COMPUTER_MODERN = re.compile("cmr10|cmti10|cmb10|LM Roman|Latin Modern Roman|CMU Serif|New ?Computer ?Modern")
TEX_FONTS = ("cmr10", "cmti10", "cmb10", "cmss10")  # come with matplotlib, in TeX's own encoding
STIX = "STIXGeneral"  # comes with matplotlib: letters and signs that other fonts with serifs lack
FALLBACK = "DejaVu Sans"  # comes with matplotlib
CJK_FONTS = ("Noto Sans CJK SC", "Noto Sans SC", "PingFang SC", "Microsoft YaHei", "SimHei", "WenQuanYi Zen Hei")


def font_families(font: str | None, texts: str, notes: list[str]) -> list[str]:
    """Return the font families for these texts, in order of preference.

    notes : list to which warnings about missing fonts are appended
    """
    import matplotlib as mpl

    rc: Any = mpl.rcParams
    members = {family: rc[f"font.{family}"] if family in GENERIC else [family] for family in rc["font.family"]}
    used = [family for family, names in members.items() if installed_families(names)] or [FALLBACK]
    if font in GENERIC and not installed_families(rc[f"font.{font}"]):
        notes.append(f"no {font} font is installed, so {used[0]} is used")
    elif font is not None:
        used.insert(0, family_of(font))
        used[1:1] = [STIX] if has_serifs(used[0]) and used[0] not in SERIF else []
        if used[0] in TEX_FONTS:
            notes.append(f"{used[0]} is a font for formulas and draws > as ¿: use a Latin Modern font for text")
    elif used[0] not in members:
        lacking = ", ".join(name for names in members.values() for name in names)
        notes.append(f"none of the style's fonts is installed ({lacking}), so {used[0]} is used")
    lost = {sign for sign in texts if any(ord(sign) in codes for codes in OTHERS)}
    if lost and (lost := lost - _characters_of(used)):
        fallback = installed_families(CJK_FONTS)
        used = fallback + used if "$" in texts else used + fallback  # a formula uses only the first family
        lost -= _characters_of(fallback)
    if lost and FALLBACK not in used:
        used, lost = [*used, FALLBACK], lost - _characters_of([FALLBACK])
    if lost and re.search(CJK, "".join(lost)):  # a warning, which is shown with -q, too
        warnings.warn("no font for Chinese is installed: install Noto Sans CJK, or give --font FILE.ttf", stacklevel=2)
    elif lost:
        notes.append(f"no font in use has {' '.join(sorted(lost)[:5])}, which are drawn as boxes; try --font FILE.ttf")
    return used


PLAIN_WEIGHTS: Any = {"medium": "normal", "semibold": "bold"}  # for fonts other than Inter
FACES = {  # font files that come with pecli: style and weight
    "Inter-Regular": ("normal", 400),
    "Inter-Italic": ("italic", 400),
    "Inter-Medium": ("normal", 500),
    "Inter-SemiBold": ("normal", 600),
}


@cache
def add_fonts() -> None:
    """Register pecli's own font with matplotlib, before an installed font of the same name."""
    from matplotlib.font_manager import FontEntry, fontManager

    folder = Path(__file__).with_name("fonts")
    for face, (style, weight) in FACES.items():
        path = str(folder / f"{face}.ttf")
        entry = FontEntry(fname=path, name="Inter", style=style, weight=weight, size="scalable")
        fontManager.ttflist.insert(0, entry)


def installed_families(families: Sequence[str]) -> list[str]:
    """Return the installed ones of these families; if none is known, search the system for new fonts first."""
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
    """Register system fonts that matplotlib's cached list lacks, once per process."""
    from matplotlib.font_manager import findSystemFonts, fontManager

    listed = {os.path.realpath(entry.fname) for entry in fontManager.ttflist}
    for path in findSystemFonts():
        if os.path.realpath(path) not in listed:
            with suppress(OSError, RuntimeError, ValueError):  # not a font, or unreadable for matplotlib
                fontManager.addfont(path)


def _characters_of(names: list[str]) -> set[str]:
    """Return the characters that at least one of these families has."""
    from matplotlib.ft2font import FT2Font

    return {chr(code) for name in names for code in FT2Font(_file_of(name)).get_charmap()}


def _file_of(family: str) -> str:
    """Return the font file of a family, which may be generic.

    The family is passed in a list, because matplotlib parses a string with a hyphen as a pattern.
    """
    from matplotlib.font_manager import FontProperties, findfont

    return str(findfont(FontProperties(family=[family])))


def family_of(font: str) -> str:
    """Return the family of a font, given by its name or its file.

    Raises UsageError for an unknown name, FileError for a file that is not a font.
    """
    from matplotlib.font_manager import FontProperties, fontManager

    if os.path.isfile(font) or font.lower().endswith((".ttf", *COMPACT)) or os.sep in font:
        open_file(font).close()
        try:
            fontManager.addfont(font)
            return FontProperties(fname=font).get_name()
        except (OSError, RuntimeError, ValueError) as error:
            text = f"{option_text('font', font)} is not a font file: {error}"
            raise FileError(text, option="font", value=font) from None
    if font not in GENERIC and not installed_families([font]):
        advice = "give a font file, or serif, sans-serif or monospace"
        raise UnknownNameError("font", font, sorted(fontManager.get_font_names()), option="font", advice=advice)
    return font


ENDING = ".mplstyle"


def bundled_styles() -> dict[str, Path]:
    """Return the style files that come with matplotlib, by name.

    The user's style folder is not read, because one bad file there would break all styles.
    """
    import matplotlib as mpl

    folder = Path(mpl.get_data_path(), "stylelib")
    return {path.stem: path for path in sorted(folder.iterdir()) if path.suffix == ENDING}


def read_style(style: str) -> dict[Any, Any]:
    """Return the settings of a style, given by its name in matplotlib or its file.

    Raises
    ------
    UsageError : no such style
    FileError : no such file, not a style file, or an unknown setting
    """
    if os.path.isfile(style):
        check_readable(style)
    return _read_style(style, Path(style).stat().st_mtime_ns if os.path.isfile(style) else 0)


@lru_cache(maxsize=8)
def _read_style(style: str, changed: int) -> dict[Any, Any]:
    """Return the settings of a style; cached by name and time of change."""
    import matplotlib as mpl

    bundled = bundled_styles()
    try:
        if style not in bundled:
            _check_file(style)
        path = bundled.get(style, style)
        return _without_backend(mpl.rc_params_from_file(path, fail_on_error=True, use_default_template=False))
    except (PecliError, ValueError) as error:
        if os.path.exists(style) or "/" in style or style.endswith(ENDING):
            text = textwrap.shorten(f"style file {style} cannot be used: {error}", 300, placeholder="…")
            raise FileError(text, option="style", value=style) from None
        names = [name for name in bundled if not name.startswith("_")]
        raise UnknownNameError("style", style, names, option="style") from None


def note_on_style(style: str | None) -> list[str]:
    """Return a warning about settings of a style file that pecli overrides, as a list; [] if there are none."""
    if style is None or not os.path.isfile(style):
        return []
    set_here = [name for name in read_style(style) if name in (*KEPT, *SMALL, *INSTEAD)]
    flags = dict.fromkeys(INSTEAD.get(name, "--text-size" if "size" in name else "") for name in set_here)
    use = ", ".join(filter(None, flags))
    return (
        [f"{style} sets {', '.join(set_here)}, but pecli sets that itself{use and f': use {use}'}"] if set_here else []
    )


def _check_file(style: str) -> None:
    """Raise ValueError for a line that is not a setting; matplotlib would only warn."""
    import matplotlib as mpl

    with open_file(style) as file:
        lines = file.read(MAX_BYTES).decode().splitlines()
    for line in (line.partition("#")[0].strip() for line in lines):
        if line and line.partition(":")[0].strip() not in mpl.rcParams:
            raise ValueError(f"{shorten(line, 60)!r} is not a setting of matplotlib")


def _without_backend(settings: Any) -> dict[Any, Any]:
    """Return the settings without `backend`, which belongs to the process."""
    return {name: value for name, value in dict(settings.items()).items() if name != "backend"}


KEPT: dict[Any, Any] = {  # settings that no style can change
    "pdf.fonttype": 42,
    "savefig.bbox": None,
    "savefig.dpi": "figure",
    "figure.constrained_layout.use": False,  # pecli.page makes the layout
    "figure.autolayout": False,
    "text.usetex": False,
    "text.hinting": "no_hinting",  # hinting makes letters up to 10 % wider, depending on the dpi
    **dict.fromkeys(("axes.titlesize", "axes.labelsize", "figure.titlesize"), "medium"),  # relative to font.size
    "axes.grid": False,  # would cover cells of images; line figures turn it on
    "image.interpolation": "nearest",
    "image.interpolation_stage": "data",  # "rgba" would upsample the image four times first
}
DRAWING = threading.RLock()  # one picture at a time: matplotlib's settings and free memory are global
GROUNDS: Any = ("figure.facecolor", "axes.facecolor", "savefig.facecolor", "legend.facecolor")
NUMBERS_INK: Any = ("xtick.labelcolor", "ytick.labelcolor")  # "inherit" from the ticks under the user's style
COMPACT = (".otf", ".ttc")  # suffixes of fonts that may have PostScript outlines
LENGTHS = ("width", "size", "pad")  # suffixes of settings in points, which scale with the text
LATIN, PANOSE_SERIFS = 2, range(2, 11)  # Panose numbers: Latin text, and its styles with serifs
GRID = 30.0  # lightness L* (0 to 100): largest contrast of grid lines with the background
INSTEAD = {  # settings that pecli has as options
    "figure.figsize": "--size",
    **dict.fromkeys(("figure.dpi", "savefig.dpi"), "--dpi"),
    "savefig.transparent": "--transparent",
    "savefig.format": "--output",
    "svg.fonttype": "--text",
}
SMALL: Any = ("xtick.labelsize", "ytick.labelsize", "legend.fontsize", "legend.title_fontsize", "figure.labelsize")


@contextmanager
def without_date() -> Iterator[None]:
    """Hide SOURCE_DATE_EPOCH: pictures have no date, and matplotlib fails if it is not a number."""
    epoch = os.environ.pop("SOURCE_DATE_EPOCH", None)
    try:
        yield
    finally:
        if epoch is not None:
            os.environ["SOURCE_DATE_EPOCH"] = epoch


@contextmanager
def without_font_warnings() -> Iterator[None]:
    """Silence log messages about missing font weights, and about dates in font files."""
    loggers = {logger: logger.level for logger in map(logging.getLogger, ("matplotlib.font_manager", "fontTools"))}
    for logger in loggers:
        logger.setLevel(logging.ERROR)
    try:
        yield
    finally:
        for logger, level in loggers.items():
            logger.setLevel(level)


@contextmanager
def style_context(canvas: Canvas, texts: str = "") -> Iterator[list[str]]:
    """Apply pecli's matplotlib settings, independent of the user's matplotlibrc and environment.

    The settings are restored afterwards. A lock is held, so that other threads wait.

    texts : all text that will be drawn, to find fonts for

    Yields the warnings for the user, one line each.
    """
    import matplotlib as mpl

    notes: list[str] = []
    with DRAWING, mpl.rc_context(), without_date(), without_font_warnings(), warnings.catch_warnings():
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # about deprecated settings
            mpl.rcParams.update(_without_backend(mpl.rcParamsDefault))  # `rcdefaults` would read the user's styles
        warnings.filterwarnings("ignore", message=".*[Gg]lyph .*missing|Matplotlib currently does not support")
        warnings.filterwarnings("ignore", message="cmr10 font should")  # cmr10 has no minus sign outside mathematics
        add_maps()
        add_fonts()
        _use_style(canvas)
        _use_fonts(font_families(canvas.font, texts, notes), canvas)
        notes += note_on_style(canvas.user_style)
        yield notes


def set_sizes(canvas: Canvas) -> None:
    """Apply the text and line sizes of another canvas; fonts stay the same."""
    import matplotlib as mpl

    family = list(mpl.rcParams["font.family"])
    _use_style(canvas)
    _use_fonts(family, canvas)


def make_readable(axes: Axes, canvas: Canvas, texts: str) -> None:
    """Set the fonts of all texts on the user's Axes, with fallbacks for missing characters and common font weights."""
    from matplotlib.text import Text

    plain = texts.isascii() or not re.search(CJK, texts)
    wanted = None if canvas.font is None and plain else font_families(canvas.font, texts, [])
    for text in axes.findobj(Text):
        text.set_fontweight(PLAIN_WEIGHTS.get(text.get_fontweight(), text.get_fontweight()))
        if wanted is not None:
            text.set_fontfamily(wanted)


def _use_style(canvas: Canvas) -> None:
    """Set pecli's own style, the user's style on top of it, and the settings that no style can change."""
    import matplotlib as mpl

    ours = mpl.rc_params_from_file(Path(__file__).with_name("pecli.mplstyle"), use_default_template=False)
    points = [name for name, value in ours.items() if name.endswith(LENGTHS) and isinstance(value, float)]
    mpl.rcParams.update({**ours, **{name: ours[name] * canvas.scale for name in points}})
    if canvas.user_style is not None:
        mpl.rcParams.update(dict.fromkeys(NUMBERS_INK, "inherit"))
        mpl.rcParams.update(read_style(canvas.user_style))
    if canvas.transparent or canvas.adaptive:
        mpl.rcParams.update(dict.fromkeys(GROUNDS, "none"))
    grid: Any = {"grid.alpha": _grid_opacity()} if canvas.user_style is not None else {}
    small: Any = dict.fromkeys(SMALL, canvas.small)
    font: Any = {"font.size": canvas.inches.font, "svg.fonttype": "none" if canvas.text else "path"}
    mpl.rcParams.update({**KEPT, **small, **grid, **font})


def _use_fonts(names: list[str], canvas: Canvas) -> None:
    """Set the font families, the matching font of mathematics, and a PDF font type that all readers support."""
    import matplotlib as mpl

    mpl.rcParams["font.family"] = names
    styled = canvas.user_style is not None and any(key.startswith("mathtext.") for key in read_style(canvas.user_style))
    if canvas.font is not None and not styled:
        mpl.rcParams.update(mathematics_of(names[0]))
    if any(_file_of(name).endswith(COMPACT) for name in names):
        mpl.rcParams["pdf.fonttype"] = 3  # most PDF readers cannot show these as type 42


def mathematics_of(family: str) -> dict[Any, Any]:
    """Return matplotlib's settings for mathematics that fits a font family.

    It is STIX or Computer Modern if the family belongs to one of them. Otherwise the family's own letters are used, and
    signs that it lacks are taken from STIX, with or without serifs.
    """
    if family in SERIF or COMPUTER_MODERN.match(family):
        return {"mathtext.fontset": "stix" if family in SERIF else "cm"}
    faces = {"rm": "", "sf": "", "it": ":italic", "bf": ":bold", "bfit": ":italic:bold"}
    escaped = re.sub(r"([-:,])", r"\\\1", family)  # for a fontconfig pattern
    own = {f"mathtext.{face}": f"{escaped}{style}" for face, style in faces.items()}
    return {**own, "mathtext.fontset": "custom", "mathtext.fallback": "stix" if has_serifs(family) else "stixsans"}


def has_serifs(family: str) -> bool:
    """Return whether the letters of a font family have serifs, by its name or the Panose numbers in its file."""
    from matplotlib.ft2font import FT2Font

    if family in SERIF or COMPUTER_MODERN.match(family):
        return True
    table = FT2Font(_file_of(family)).get_sfnt_table("OS/2")
    return table is not None and table["panose"][0] == LATIN and table["panose"][1] in PANOSE_SERIFS


def line_spacing(most: float) -> float | None:
    """Return the line spacing for texts of several lines, or None for matplotlib's, which follows the font.

    most : largest height of a line in text sizes; STIXGeneral asks for 1.51
    """
    import matplotlib as mpl
    from matplotlib.ft2font import FT2Font

    font = FT2Font(_file_of(mpl.rcParams["font.family"][0]))
    lines, head = font.get_sfnt_table("OS/2"), font.get_sfnt_table("head")
    if lines is None or head is None or "sTypoAscender" not in lines:  # matplotlib < 3.11 ignores the font
        return None
    height = (lines["sTypoAscender"] - lines["sTypoDescender"]) / head["unitsPerEm"]
    return most / height if height + lines["sTypoLineGap"] / head["unitsPerEm"] > most else None


def _grid_opacity() -> float:
    """Return the opacity of grid lines: the style's, reduced if they would be as prominent as data."""
    import matplotlib as mpl
    from matplotlib.colors import to_rgba

    line, ground, given = (mpl.rcParams[name] for name in ("grid.color", "axes.facecolor", "grid.alpha"))
    apart = abs(float(lightness(to_rgba(line)) - lightness(to_rgba(ground)))) if to_rgba(ground)[3] else 100.0
    return min(float(given), GRID / max(apart, GRID))
