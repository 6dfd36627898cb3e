"""What is refused before a request becomes a job: too many pictures, encodings and options that mean nothing to it."""

from __future__ import annotations

from typing import Any

from pecli.analysis import Analysis, View
from pecli.core.errors import UnusedOptionError, UsageError
from pecli.encodings import Encoding
from pecli.figures.figure import Figure
from pecli.files.formats import FORMATS
from pecli.jobs.file_names import targets_of
from pecli.jobs.job_options import shown_by
from pecli.jobs.request import Request

MOST_FRAMES = 1000  # in one file
MOST_CELLS = 256  # of a grid: more are too small to be seen


def check_count(request: Request) -> None:
    """Refuses more pictures in one file than anybody looks at, one after the other or side by side."""
    for path, format in targets_of(request) if request.cells else ():
        one = FORMATS[format]
        most = MOST_FRAMES if one.frames else MOST_CELLS
        if one.picture and len(request.cells) > most:
            text = f"{request.figure.name}: {len(request.cells):,} pictures in one file, and {most:,} are the most"
            raise UsageError(text, option="output", value=path, advice="give fewer values, as in 2..10000:40")


def check_printed(request: Request) -> None:
    """Refuses what is said of how a report is printed where nothing but its numbers is written."""
    options, changed = request.figure.options(), request.figure.changed()
    said = {name: given for name, given in changed.items() if options[name].printed}
    targets = targets_of(request) if said else ()
    if not targets or any(FORMATS[format].document for _, format in targets):
        return
    for name, given in said.items():
        raise UnusedOptionError(name, given, f"{targets[0].path} has all numbers in full, and no text")


def check_kinds(figure: type[Analysis[Any]], encodings: tuple[Encoding, ...]) -> None:
    """Refuses an encoding without what the figure needs, naming the figures that do fit."""
    for encoding in encodings:
        if not figure.takes(type(encoding)):
            text = f"{figure.refusal(type(encoding))}; try {', '.join(shown_by(type(encoding)))}"
            raise UsageError(text, option="encoding", value=encoding.name)


def check_canvas(request: Request, view: View[Any]) -> None:
    """Refuses what is said of colours that stand for no values, or whose ends are the figure's."""
    figure, canvas = request.figure, request.canvas
    if not isinstance(figure, Figure) or not canvas.colours_given():
        return
    bars = [panel.bar for panel in figure.panels_for(view) if panel.bar]
    if not bars:
        unused, why = canvas.colours_given(), f"{figure.name} has no colours that stand for values, as heatmap has"
    elif all(bar.fixed for bar in bars):
        unused, why = canvas.limits_given(), f"the colours of {figure.name} end where its values do"
    else:
        return
    for name, value in unused.items():
        raise UnusedOptionError(name, value, why)
