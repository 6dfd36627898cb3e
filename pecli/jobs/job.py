"""One picture asked for. The command line, a TOML file, a finished file's metadata and Python code all meet here."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from math import prod
from operator import attrgetter
from os import PathLike
from typing import Any

from pecli.analysis import Analysis, View
from pecli.core.errors import UnusedOptionError, UsageError, mention
from pecli.core.language import Language, clauses, listing, phrase, speaking, templates
from pecli.core.memory import PIXEL, Memory, check_bytes, check_memory, check_pixels, memory_once
from pecli.core.options import Option
from pecli.encodings.base import apart, in_common, titled_text
from pecli.encodings.registry import Encoding
from pecli.figures.base import Figure, panels_of
from pecli.figures.canvas import Canvas
from pecli.figures.composite import Cell
from pecli.figures.grid import Axis, Grid
from pecli.figures.style import check_mathematics
from pecli.files.formats import FORMATS
from pecli.files.writer import check_target, place
from pecli.jobs.job_options import Choice, Output, known_options, shown_by
from pecli.jobs.names import Target, given_title, targets_of
from pecli.jobs.request import Request
from pecli.jobs.sweep import as_one, by_file, requests_of
from pecli.reports.base import Report

SAID = templates(  # of options that are no encoding's, in the language of the picture
    {"length": "length", "start": "start", "measure": "measure", "tokens": "tokens", "reorder": "order", "head": "head"}
)


def grid_of(request: Request, cells: Sequence[Job]) -> Grid:
    """The figure of a request with cells; raises UsageError where they make no grid."""
    drawn = [cell.figure for cell in cells if isinstance(cell.figure, Figure)]
    pairs = [Cell(figure, cell.view) for figure, cell in zip(drawn, cells, strict=True)]
    with speaking(request.language):
        return Grid(tuple(pairs), tuple(_axis(request, name) for name in request.axes), title_of(request, cells))


def view_of(cells: Sequence[Job]) -> View[Any]:
    """What all cells look at: each encoding once, at the positions of the first."""
    encodings = dict.fromkeys(one for cell in cells for one in cell.view.encodings)
    return View(tuple(encodings), cells[0].view.positions)


def title_of(request: Request, cells: Sequence[Job]) -> str:
    """What the encodings of all cells have in common, and the positions, in the figure's own words."""
    own = cells[0].figure
    if not isinstance(own, Figure) or len(request.encodings) > 1 or not own.title(cells[0].view):
        return own.title(cells[0].view) if isinstance(own, Figure) and not request.axes else ""
    common = listing(in_common([cell.view.encoding for cell in cells], request.axes))
    positions = {own.unseen(cell.view) for cell in cells}
    return clauses([common, *positions] if len(positions) == 1 else [common])


def _axis(request: Request, name: str) -> Axis:
    values, known = request.values(name), _options(request)
    if name in Choice.options():
        every = [next(one.encodings[0] for one in request.cells if one.value(name, request.axes) == v) for v in values]
        texts = apart(every, request.axes)
        return Axis(name, tuple(" ".join(value) for value in values), tuple(texts), number=False)
    one = known[name]
    single = all(len(value) == 1 for value in values) if one.many else True
    plain = tuple(value[0] if one.many else value for value in values) if single else tuple(map(one.write, values))
    said = phrase(SAID[name]) if name in SAID else name.replace("_", " ")
    return Axis(name, plain, tuple(f"{said} {_text(one, v)}" for v in values), single and one.scalar in (int, float))


def _options(request: Request) -> dict[str, Option]:
    """The options that the cells may differ in."""
    own = {name: one for encoding in request.encodings for name, one in encoding.options().items()}
    return {**own, **known_options(type(request.figure))}


def _text(one: Option, value: Any) -> str:
    return phrase("default") if value is None else titled_text(one, value)


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
    bars = [panel.bar for panel in panels_of(figure, view) if panel.bar]
    if not bars:
        unused, why = canvas.colours_given(), f"{figure.name} has no colours that stand for values, as heatmap has"
    elif all(bar.fixed for bar in bars):
        unused, why = canvas.limits_given(), f"the colours of {figure.name} end where its values do"
    else:
        return
    for name, value in unused.items():
        raise UnusedOptionError(name, value, why)


PARTS = tuple(one.name for one in fields(Request))
ONE_EACH = {*Canvas.options(), *Language.options()}  # options of which a file of many pictures has one value
FRAME_BYTES, FRAME_PIXEL = 3_000_000, 12  # that a frame takes while all are made, and each of its pixels, measured
SWEPT = "10,100,1000"  # an example of several values


@dataclass(frozen=True)
class Job(Request):
    """A request with all that follows from it, settled once; whoever gets one trusts it.

    view : the encodings, fitted to the positions that the figure looks at, for every number
    seen_view : the same through as many pixels as a panel can have, for no more numbers than can be seen
    targets : the files to write
    analysis : what computes: the figure, or one of all cells
    """

    view: View[Any]
    seen_view: View[Any]
    targets: tuple[Target, ...]
    analysis: Analysis[Any]
    cells: tuple[Job, ...] = field(default=(), kw_only=True)

    @classmethod
    def make(cls, figure: str, given: Mapping[str, Any]) -> Job:
        """From a flat mapping of option names (those of the command line, ``-`` or ``_``) to text or values.

        Raises
        ------
        UsageError : an unknown name, a value that is not allowed, things that do not go together, too much memory
        """
        (request,) = requests_of(figure, given, swept=False)
        return cls.settled(request, memory_once())

    @classmethod
    def settled(cls, request: Request, memory: Memory) -> Job:
        """The request with its view and files, checked as a whole; tables are read from their files for that."""
        check_count(request)
        cells = tuple([cls.settled(replace(cell, output=Output()), memory) for cell in request.cells])
        view = view_of(cells) if cells else _view(request)
        analysis = grid_of(request, cells) if cells else request.figure
        seen = replace(view, panels=_panels(analysis, request.canvas, view))
        made = {"view": view, "seen_view": seen, "targets": targets_of(request), "analysis": analysis, "cells": cells}
        job = cls(**{**dict(zip(PARTS, attrgetter(*PARTS)(request), strict=True)), **made})
        for path, format in job.targets:
            job.check_format(format, path)
        job.check_pixels(memory)
        if cells and job.has_frames:
            job.check_frames(memory)
        job.check_memory(view if job.needs_all else seen, memory)
        return job

    @property
    def paths(self) -> tuple[str, ...]:
        """The paths of the files to write."""
        return tuple(target.path for target in self.targets)

    @property
    def needs_all(self) -> bool:
        """Whether a file holds every number, not only what can be seen."""
        return any(FORMATS[target.format].numbers for target in self.targets)

    @property
    def has_frames(self) -> bool:
        """Whether a file holds its pictures one by one."""
        return any(FORMATS[target.format].frames for target in self.targets)

    def with_output(self, paths: Sequence[str | PathLike[str]], format: str | None = None) -> Job:
        """The same job with other files to write."""
        asked = self.written_to(paths, format)
        job = replace(asked, targets=targets_of(asked))
        for path, format in job.targets:
            job.check_format(format, path)
        return job

    def check(self, planned: bool = False) -> None:
        """Asks the machine, once before anything is drawn, for what it alone knows: files, colour maps and fonts.

        planned : files that exist already are no fault yet: they may turn out to show the job
        """
        read = {place(path) for path in self.inputs()}
        for path, format in self.targets:
            if place(path) in read:
                text = f"{mention('output', path)} is a file that the picture is made from: name another"
                raise UsageError(text, option="output", value=path)
            check_target(path, planned or not self.output.no_clobber, text=FORMATS[format].text)
        if any(FORMATS[target.format].picture for target in self.targets):
            self._check_formats()
            self.check_names()

    def _check_formats(self) -> None:
        """Refuses what means something in files of some formats alone where none is written."""
        for name, (value, kind) in self.canvas.only_in().items():
            formats = [format for format, one in FORMATS.items() if getattr(one, kind)]
            if not any(target.format in formats for target in self.targets):
                text = f"{mention(name, value)} is of {', '.join(f'.{format}' for format in formats)} files alone"
                advice = f"write one: {mention('output', f'FILE.{formats[0]}')}"
                raise UsageError(text, option=name, value=value, advice=advice)

    def check_names(self) -> None:
        """Refuses a colour map, a style, a font or mathematics that matplotlib does not know; imports it."""
        self.canvas.check_names()
        check_mathematics(given_title(self) or "", "title")

    def check_memory(self, view: View[Any], memory: Memory | None = None) -> None:
        """Refuses numbers of that view that memory cannot hold."""
        advice = f"shorten {mention('length')}, or zoom in with {mention('start')} and {mention('length')}"
        check_memory(self.figure.name, self.analysis.shape(view), advice, memory, self.figure.copies)

    def check_pixels(self, memory: Memory | None = None) -> None:
        """Refuses a picture of more pixels than memory can hold."""
        check_pixels(*self.pixels, f"lower {mention('dpi')} or {mention('size')}", memory)

    def check_frames(self, memory: Memory | None = None) -> None:
        """Refuses more pictures in one file than memory holds."""
        size, count = self.canvas.inches, len(self.cells)
        side = [max(1, round(length * self.canvas.frame_dpi)) for length in (size.width, size.height or size.width)]
        advice = f"give fewer values, or lower {mention('dpi')}"
        what = f"{self.figure.name}: {count:,} pictures of {side[0]:,} × {side[1]:,} pixels take"
        check_bytes(what, count * (FRAME_BYTES + FRAME_PIXEL * prod(side)), advice, memory)

    @property
    def pixels(self) -> tuple[int, int]:
        """Width and height of the picture where it is one of pixels, about."""
        if not any(target.format == "png" for target in self.targets):
            return (0, 0)
        size = self.canvas.inches
        return round(size.width * self.canvas.dpi), round((size.height or size.width) * self.canvas.dpi)

    @property
    def memory(self) -> int:
        """Bytes that it takes to make, about."""
        shape = self.analysis.shape(self.view if self.needs_all else self.seen_view)
        return 8 * self.figure.copies * prod(shape) + PIXEL * prod(self.pixels)

    def check_format(self, format: str, path: str = "") -> None:
        """Refuses a format that cannot hold what the figure has."""
        one, name = FORMATS[format], self.figure.name
        text = ""
        if one.one_table and not self.analysis.one_table:
            text = f"{name} has several tables and .{format} holds one: write .npz or .json"
        elif one.frames and self.figure.drawn and not self.cells:
            text = f"a .{format} file is of a sweep, and here is one picture: give several values{self._swept()}"
            one_each = ", ".join(mention(name) for name in self.axes if name in ONE_EACH)
            text = f"a .{format} file has one {one_each}: give each value a file of its own" if one_each else text
        elif one.document and self.figure.drawn:
            text = f"{name} has no text for a .{format} file: it takes {self._fitting()}"
        elif one.picture and not self.figure.drawn:
            text = f"{name} draws nothing for a .{format} file: print it, or write {self._fitting()}"
        if text:
            raise UsageError(text, option="output", value=path or format)

    def _swept(self) -> str:
        """An example of several values that the first encoding takes, where it has a parameter to go far with."""
        options = type(self.view.encodings[0]).options().values()
        examples = (f", such as {mention(one.name, SWEPT)}" for one in options if one.log and not one.in_spec)
        return next(examples, " of one option")

    def _fitting(self) -> str:
        """The formats that hold what the figure has."""
        drawn = self.figure.drawn
        return ", ".join(f".{kind}" for kind, one in FORMATS.items() if not (one.document if drawn else one.picture))


def jobs_of(analysis: str, given: Mapping[str, Any]) -> list[Job]:
    """The jobs that a mapping of option names to values, or lists of values, asks for (see `requests_of`)."""
    memory = memory_once()
    return [Job.settled(request, memory) for request in gathered(analysis, given)]


def gathered(analysis: str, given: Mapping[str, Any]) -> list[Request]:
    """The requests of such a mapping; those that are to be written to one file are one."""
    requests = requests_of(analysis, given)
    return by_file(requests) if len(requests) > 1 else requests


def job_of(analysis: str, given: Mapping[str, Any]) -> Job:
    """The one job that such a mapping asks for, with all its values in one picture; raises UsageError for none."""
    requests = as_one(requests_of(analysis, given))
    if len(requests) > 1:
        text = f"{analysis}: {', '.join(map(mention, requests[0].axes))} with several values are no one picture"
        raise UsageError(text, option=requests[0].axes[0], advice="ask for one after the other")
    return Job.settled(requests[0], memory_once())


def _view(request: Request) -> View[Any]:
    """What the figure looks at; refuses what it cannot."""
    figure = request.figure
    check_kinds(type(figure), request.encodings)
    positions = figure.positions_for(request.positions)
    view = View(tuple(encoding.fitted(positions) for encoding in request.encodings), positions)
    figure.check_view(view)
    check_canvas(request, view)
    return view


def _panels(figure: Analysis[Any], canvas: Canvas, view: View[Any]) -> tuple[tuple[int, int], ...] | None:
    """Rows and columns of pixels that each panel has at most, or of cells that a report prints."""
    if isinstance(figure, Figure):
        return (canvas.pixels(),) * len(panels_of(figure, view))
    cells = figure.cells() if isinstance(figure, Report) else None
    return None if cells is None else (cells,)
