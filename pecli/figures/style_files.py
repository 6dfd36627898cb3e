"""A style's settings, by its name or from a file that may be anybody's, each known to matplotlib."""

from __future__ import annotations

import textwrap
import warnings
from pathlib import Path
from typing import Any

from pecli.core.errors import PecliError, UnknownNameError, UsageError
from pecli.core.values import shorten
from pecli.files.regular import MOST, opened

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
    """Refuses a line that is no setting, one that matplotlib does not know, and a file without any."""
    import matplotlib as mpl

    lines = [line.partition("#")[0].strip() for line in text.splitlines()]
    if not any(lines):
        raise UsageError(f"style file {path} has no setting", option="style", value=path, advice=LINE)
    for number, line in enumerate(lines, 1):
        name, colon, _ = line.partition(":")
        if line and not colon:
            said = f"style file {path}, line {number}: {shorten(line, 60)!r} is no setting"
            raise UsageError(said, option="style", value=path, advice=LINE)
        if line and (name := name.strip()) not in mpl.rcParams:
            near = UnknownNameError("setting", name, mpl.rcParams).nearest
            said = f"style file {path}, line {number}: matplotlib has no setting {shorten(name, 60)!r}"
            raise UsageError(said, option="style", value=path, advice=f"did you mean {near!r}?" if near else LINE)


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
