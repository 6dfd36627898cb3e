"""A style's settings, by its name or from a file that may be anybody's: tried before a picture depends on them."""

from __future__ import annotations

import io
import textwrap
import warnings
from collections.abc import Mapping
from functools import lru_cache
from pathlib import Path
from typing import Any

from pecli.core.errors import PecliError, UnknownNameError, UsageError
from pecli.files.regular import MOST, opened

ENDING = ".mplstyle"
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
    """The settings of a style, all of which matplotlib can draw with.

    Parameters
    ----------
    style : the name of a style that comes with matplotlib, or a file

    Raises
    ------
    UsageError : no such style, a file that is none, a setting that cannot be drawn: the message names it
    """
    bundled = bundled_styles()
    if style in bundled:
        return _settings(str(bundled[style]))
    try:
        with opened(style) as file:
            if len(file.read(MOST)) == MOST:
                raise UsageError(f"{style} is over {MOST >> 20} MiB: no style")
            changed = Path(style).stat().st_mtime_ns
    except PecliError as error:
        if "/" in style or style.endswith(ENDING):
            raise UsageError(f"style file {error}", option="style", value=style) from None
        known = [name for name in bundled if not name.startswith("_")]
        raise UnknownNameError("style", style, known, option="style") from None
    return dict(_tried(style, changed))


@lru_cache(maxsize=4)
def _tried(path: str, changed: int) -> dict[Any, Any]:
    """The settings of a file, after a trial of them all and, where that fails, of each by itself."""
    settings = _settings(path)
    if fault := _fault(settings):
        alone = ({name: value} for name, value in settings.items())
        odd = next(filter(_fault, alone), settings)
        fault = _fault(odd)  # another one than that of all where several are wrong
        named = ", ".join(f"{name} = {value!r}" for name, value in odd.items())
        raise UsageError(f"style file {path}: {named} cannot be drawn: {fault}", option="style", value=path)
    return settings


def _settings(path: str) -> dict[Any, Any]:
    import matplotlib as mpl

    try:
        read = mpl.rc_params_from_file(path, fail_on_error=True, use_default_template=False)
    except Exception as error:  # a file can be wrong in any way
        raise UsageError(f"style file {path} cannot be used: {_line(error)}", option="style", value=path) from None
    return _of_pictures(read)


def _of_pictures(settings: Any) -> dict[Any, Any]:
    named = dict(settings.items())
    return {name: named[name] for name in named if name not in ABOUT_WINDOWS and not name.startswith("webagg")}


def _fault(settings: Mapping[str, Any]) -> str:
    """What matplotlib says against a small picture of everything with these settings; empty for nothing."""
    import matplotlib as mpl
    from matplotlib.figure import Figure

    try:
        with mpl.rc_context(), warnings.catch_warnings():
            warnings.simplefilter("ignore")
            use_defaults()
            kept: Any = {**settings, "savefig.dpi": "figure", "text.usetex": False}
            mpl.rcParams.update(kept)
            picture = Figure(figsize=(2, 2), dpi=30)
            axes = picture.add_subplot(title="title", xlabel="x", ylabel="y")
            axes.plot([1, 2], [1, 2], label="a")
            axes.scatter([1, 2], [2, 1])
            axes.fill_between([1, 2], [1, 2])
            axes.legend(title="legend")
            axes.grid()
            picture.colorbar(axes.imshow([[1, 2]]), label="bar")
            picture.suptitle("all")
            picture.supxlabel("below")
            picture.savefig(io.BytesIO(), format="png")
    except Exception as error:  # whatever the settings did
        return _line(error) or type(error).__name__
    return ""


def _line(error: Exception) -> str:
    return textwrap.shorten(str(error), 160, placeholder="…")
