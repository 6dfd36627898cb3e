"""A job: a request for one picture or report, with all its options.

If an option has several values, it is swept. Each combination of values is a cell: a job whose picture becomes one
panel or one frame of the whole picture.
"""

from __future__ import annotations

import json
import shlex
from collections import ChainMap
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cache, cached_property
from math import prod
from os import PathLike
from typing import Any, Self, get_args

from pecli import __version__
from pecli.analysis import Analysis, View
from pecli.core.errors import UnusedOptionError, UsageError, option_text
from pecli.core.language import IN_ENGLISH, Language, join_title, options_set_by_environment, say, use_language
from pecli.core.memory import PIXEL, UNCHECKED, check_bytes, check_disk, check_memory
from pecli.core.options import Option, Options, canonical_name
from pecli.core.positions import Positions
from pecli.encodings.base import common_pieces, distinguishing_labels, panel_titles, title_of_several, titled_text
from pecli.encodings.registry import Encoding
from pecli.figures.base import Figure, groups_of, panels_of
from pecli.figures.composite import Cell
from pecli.figures.grid import Axis, Grid
from pecli.files.formats import FORMATS
from pecli.files.tables import fingerprint
from pecli.files.writer import check_target, place_of
from pecli.jobs.job_options import ANALYSES, EncodingOption, Output, figures_for, shared_options
from pecli.jobs.names import Target, fill_texts, targets_of
from pecli.page.canvas import LABELS, TEXTS, Canvas
from pecli.page.lines import MAX_LINES
from pecli.page.style import check_mathematics
from pecli.reports.base import Report

OPTION_TEXTS = {
    "length": "page.length",
    "start": "page.start",
    "measure": "page.measure",
    "tokens": "page.tokens",
    "reorder": "page.order",
    "head": "page.head",
    "revealed": "page.revealed",
}
MAX_FRAMES = 1000  # largest number of frames in one file
MAX_CELLS = 256  # largest number of cells in a grid; more would be too small to see
ONE_EACH = {*Canvas.options(), *Language.options()}  # options with one value per file, even if it has many pictures
SINGLE = ONE_EACH | {*Output.options()}  # options with one value per picture, even if it has many panels
FRAME_BYTES, FRAME_PIXEL = 3_000_000, 12  # bytes per frame, and per pixel of a frame (measured)
SWEPT = "10,100,1000"  # example of several values, for messages
LIBRARIES = ("matplotlib", "numpy")  # libraries whose versions change the bytes of a picture
SHORTER = "shorten --length, or zoom in with --start and --length"  # advice for messages


@dataclass(frozen=True)
class Job:
    """A request to draw encodings at positions with a figure (or report), on a canvas, and to write it to an output.

    The fields state what was asked for; for instance, `binary` has no number of bits yet if it follows from the
    positions. Everything derived is computed on first use. `settle` checks the job as a whole.

    figure, encodings, positions, canvas, output, language : the options, by subject
    swept : names of swept options, whose values go into the file's name
    axes : names of the options with several values; a job without cells has one value of each
    cells : jobs drawn together as one picture, the last axis changing fastest; the other fields are those of the first
      cell
    used : current sequence length that all cells share; None if the job's own positions determine it
    shown : True if the picture is only shown, so that no file name is generated
    where : ``file:line`` in a batch file
    """

    figure: Analysis[Any]
    encodings: tuple[Encoding, ...]
    positions: Positions
    canvas: Canvas
    output: Output
    language: Language = field(default=IN_ENGLISH, kw_only=True)
    swept: tuple[str, ...] = field(default=(), compare=False, kw_only=True)
    axes: tuple[str, ...] = field(default=(), compare=False, kw_only=True)
    cells: tuple[Job, ...] = field(default=(), kw_only=True)
    used: int | None = field(default=None, kw_only=True)
    shown: bool = field(default=False, compare=False, kw_only=True)
    where: str = field(default="", compare=False, kw_only=True)

    @property
    def parts(self) -> tuple[Options, ...]:
        """The groups of options, except encodings and output, in the order of the command line."""
        return self.figure, self.positions, self.canvas, self.language

    @property
    def options(self) -> Mapping[str, Option]:
        """All options that the job has a value for, by name."""
        return ChainMap(shared_options(type(self.figure)), *(encoding.options() for encoding in self.encodings))

    def settle(self) -> Self:
        """Check the job as a whole, reading tables from their files if needed, and return it.

        Raises
        ------
        UsageError : incompatible options, a format that cannot hold the result, or too much memory
        """
        for _, format in self.targets:
            self.check_format(format)
        for cell in self.cells:
            cell._check_view()
        if not self.cells:
            self._check_view()
        if isinstance(self.analysis, Figure) and self.canvas.columns is not None:
            groups_of(self.analysis, self.view, self.canvas)
        check_bytes(*self._drawing(), "lower --dpi or --size, or give fewer values")
        if self.analysis.parts(self.view) is None:
            if self._bytes_of(self.view) > UNCHECKED:
                self.check_memory(self._needed_view)
        else:  # computed and written part by part
            for path, _ in self.targets:
                check_disk(self.figure.name, self.analysis.shape(self.view), path, SHORTER)
        return self

    @property
    def own_positions(self) -> Positions | None:
        """The positions that the first encoding defines, as a grid does; None if an encoding lets the user choose."""
        own = [encoding.own_positions for encoding in self.encodings]
        return own[0] if all(own) else None

    @cached_property
    def view(self) -> View[Any]:
        """The encodings, fitted to the positions, and the positions; with cells, the encodings of all cells."""
        if self.cells:
            encodings = dict.fromkeys(item for cell in self.cells for item in cell.view.encodings)
            return View(tuple(encodings), self.cells[0].view.positions)
        positions = self.positions_seen
        return View(tuple(encoding.fitted(positions, self.used) for encoding in self.encodings), positions)

    @property
    def positions_seen(self) -> Positions:
        """The positions that the figure uses."""
        in_use = any(encoding.context for encoding in self.encodings)
        return self.own_positions or self.figure.positions_for(self.positions, in_use)

    def alone(self) -> Self:
        """Return this cell as an independent job; its encodings then state the sequence length that the cells share."""
        fitted = zip(self.encodings, self.view.encodings, strict=True)
        return replace(self, encodings=tuple(own if plain.context else plain for plain, own in fitted), used=None)

    @cached_property
    def display_view(self) -> View[Any]:
        """The view with the size of a panel in pixels, so that only as many numbers are computed as can be seen."""
        panels: tuple[tuple[int, int], ...] | None = None
        if isinstance(self.analysis, Figure):
            panels = (self.canvas.pixels(),) * len(panels_of(self.analysis, self.view))
        elif isinstance(self.analysis, Report) and (cells := self.analysis.cells()) is not None:
            panels = (cells,)
        return replace(self.view, panels=panels)

    @cached_property
    def targets(self) -> tuple[Target, ...]:
        """The files to write."""
        return targets_of(self)

    @cached_property
    def analysis(self) -> Analysis[Any]:
        """The analysis that computes the numbers: the figure, or a grid of all cells.

        If the figure takes several encodings, and the cells differ only in the parameters of one encoding, the figure
        shows the encodings of all cells instead, up to MAX_LINES.
        """
        if not self.cells:
            return self.figure.variant(self.view)
        alike = (
            self.figure.several and len(self.encodings) == 1 and not {*self.axes} & {*shared_options(type(self.figure))}
        )
        one = alike and not self.has_frames and len(self.view.encodings) <= MAX_LINES
        return self.figure.variant(self.view) if one else self.grid

    @cached_property
    def grid(self) -> Grid:
        """The grid of all cells: panels side by side, or frames in turn."""
        figures: list[Any] = [cell.figure.variant(cell.view) for cell in self.cells]
        cells = [Cell(figure, cell.view) for figure, cell in zip(figures, self.cells, strict=True)]
        with use_language(self.language):
            return Grid(tuple(cells), tuple(map(self._axis, self.axes)), self._common_title(figures[0]))

    def _common_title(self, figure: Figure[Any]) -> str:
        """Return the title of a grid: the parameters that the encodings of all cells share, and the positions."""
        views = [cell.view for cell in self.cells]
        if len(self.encodings) > 1:  # each cell has its own title, unless the user gave labels
            encodings = [*dict.fromkeys(view.encoding for view in views)]
            return title_of_several(encodings) if any(encoding.label for encoding in encodings) else ""
        if not figure.title(views[0]):
            return ""
        common = join_title(common_pieces([view.encoding for view in views], self.axes))
        positions = {figure.positions_clause(view) for view in views}
        return join_title([common, *positions] if len(positions) == 1 else [common])

    def _axis(self, name: str) -> Axis:
        """Return the axis of the grid for an option in which the cells differ."""
        cells = self._cells_by_value(name)
        values, firsts = list(cells), list(cells.values())
        if name in EncodingOption.options():
            first = [cell.encodings[0] for cell in firsts]
            texts, titles = distinguishing_labels(first, self.axes), panel_titles(first, self.axes)
            return Axis(name, tuple(" ".join(value) for value in values), tuple(texts), tuple(titles), number=False)
        item = self.options[name]
        single = not item.many or all(len(value) == 1 for value in values)
        plain = [value[0] if item.many else value for value in values] if single else map(item.write, values)
        each = say(OPTION_TEXTS[name]) if name in OPTION_TEXTS else name.replace("_", " ")
        texts = [say("page.default") if value is None else titled_text(item, value) for value in values]
        number = single and item.scalar in (int, float)
        said = [cell.view.encoding.parameter_text(name) for cell in firsts]
        labels = tuple(own or f"{each} = {text}" for own, text in zip(said, texts, strict=True))
        return Axis(name, tuple(plain), labels, labels, number)

    @property
    def paths(self) -> tuple[str, ...]:
        """The paths of the files to write."""
        return tuple(target.path for target in self.targets)

    @property
    def needs_all_numbers(self) -> bool:
        """Whether a target file holds every number, not only as many as a picture shows."""
        return any(FORMATS[target.format].numbers for target in self.targets)

    @property
    def has_frames(self) -> bool:
        """Whether a target file holds its pictures as frames or pages."""
        return any(self.kind_of(target.format) == "frames" for target in self.targets)

    def kind_of(self, format: str) -> str:
        """Return the kind of content in a file of that format: "frames" for a sweep with pages, else `Format.kind`."""
        paged = self.canvas.pages and FORMATS[format].paged and self.cells
        return "frames" if paged else FORMATS[format].kind

    def written_to(self, paths: Sequence[str | PathLike[str]], format: str | None = None) -> Self:
        """Return the same job with other output files."""
        known, given = Output.options(), {"output": list(paths), "format": format}
        output = self.output.changed_to(**{name: known[name].read(value) for name, value in given.items()})
        return replace(self, output=output)

    @property
    def defaults(self) -> dict[str, Any]:
        """The figure's defaults, by option name.

        A default that depends on an encoding or on the environment is None here, so that command lines always state
        the value.
        """
        in_use = self.figure.length_in_use
        told = ((in_use and e.context) or (e.inputs() and not e.extrapolates) for e in self.encodings)
        free = any(told) and self.own_positions is None
        length = {"length": None if free else self.figure.default_length(None)}
        return {**self.figure.default_options, **length, **dict.fromkeys(options_set_by_environment())}

    def settings(self) -> dict[str, Any]:
        """Return the job without its output as a flat mapping of option names to values, for `sweep.jobs_of`."""
        idle = [*([self.positions] if self.own_positions else []), *([] if self.figure.drawn else [self.canvas])]
        told = {n: value for part in self.parts if part not in idle for n, value in part.settings().items()}
        return {"encoding": self.specs(), **told, **({"long": True} if self.output.long else {}), **self.sweep()}

    def sweep(self) -> dict[str, Any]:
        """Return, for each option that was given several values, the list of these; {} without cells.

        Position options that were not given several values, but differ between the cells, are included as None.
        """
        if not self.cells:
            return {}
        differing = [name for name in self.positions.settings() if len(self.values(name)) > 1]
        return {name: list(self.values(name)) if name in self.axes else None for name in (*self.axes, *differing)}

    def values(self, name: str) -> tuple[Any, ...]:
        """Return the different values of an option in the cells, in order of appearance."""
        return tuple(self._cells_by_value(name))

    def _cells_by_value(self, name: str) -> dict[Any, Job]:
        """Return the first cell with each value of an option, in order of appearance."""
        first: dict[Any, Job] = {}
        for cell in self.cells:
            first.setdefault(cell.value(name, self.axes), cell)
        return first

    def value(self, name: str, axes: Collection[str] = ()) -> Any:
        """Return the value of an option; for the encoding, a tuple of specs without the parameters in `axes`."""
        if name in EncodingOption.options():
            return tuple(self.specs(axes))
        told = (part.settings() for part in (*self.encodings, *self.parts))
        return next((settings[name] for settings in told if name in settings), None)

    @cached_property
    def metadata(self) -> str:
        """The JSON text (ASCII) for finished files: the job, and the versions of pecli and its libraries."""
        prints = [fingerprint(path) for path in self.inputs]
        inputs = {"inputs": prints} if prints else {}
        return json.dumps({"job": self.job(), **inputs, **versions()})

    def job(self) -> dict[str, Any]:
        """Return the command, and every option that has a value except the output, as a mapping. Reads no file."""
        silent = IN_ENGLISH.settings()
        given = {n: value for n, value in self.settings().items() if value is not None and value != silent.get(n)}
        return {"command": self.figure.name, **given}

    @cached_property
    def inputs(self) -> tuple[str, ...]:
        """The paths of the files that the job reads."""
        own = [path for part in (*self.encodings, *self.parts) for path in part.inputs()]
        return tuple(dict.fromkeys([*own, *(path for cell in self.cells for path in cell.inputs)]))

    def id_prefix(self) -> str:
        """Return a short identifier, unique to the job's metadata."""
        import hashlib

        return "p" + hashlib.sha256(self.metadata.encode()).hexdigest()[:10]

    def specs(self, without: Collection[str] = ()) -> list[str]:
        """Return the encodings' specs, without the parameters in `without` and those that differ between cells."""
        left = {*without, *(self.axes if self.cells else ())}
        return [encoding.spec(self.defaults, left) for encoding in self.encodings]

    def _check_view(self) -> None:
        """Raise UsageError if the figure cannot show the encodings or positions, or has no use for a colour option."""
        kind = type(self.figure)
        for encoding in self.encodings:
            if not kind.takes(type(encoding)):
                names = figures_for(type(encoding))  # first the one that is for its kind alone
                own = next((name for name in names if not get_args(ANALYSES[name].requires)), names[0])
                other = next(name for name in names if name != own)
                wanted = (
                    f"{own}, {other}, …" if kind.drawn else f"pecli {own} {shlex.quote(encoding.spec())} -o {own}.csv"
                )
                text = (
                    f"{kind.refusal(type(encoding))}: try {wanted}; pecli encodings {encoding.name} lists all figures"
                )
                raise UsageError(text, option="encoding", value=encoding.name)
        self.figure.check_view(self.view)
        figure, canvas = self.figure.variant(self.view), self.canvas
        if not isinstance(figure, Figure) or not canvas.colours_given():
            return
        panels = panels_of(figure, self.view)
        bars = [panel.bar for panel in panels if panel.bar]
        unused, why = canvas.colours_given(), f"{figure.name} has no colour scale"
        if not bars and any(panel.has_value_axis for panel in panels):
            log = any(panel.has_value_axis and panel.y.log for panel in panels)
            for name, end in (("vmin", canvas.vmin), ("vmax", canvas.vmax)):
                if log and end is not None and end <= 0:
                    raise UsageError(option=name, value=end, allowed="more than 0: the axis is logarithmic")
                unused.pop(name, None)
        elif not bars:
            why += " and no axis of values whose ends are free"
        if bars:
            fixed = all(bar.fixed for bar in bars)
            unused, why = (
                canvas.limits_given() if fixed else {},
                f"the colours of {figure.name} always end at its smallest and largest value",
            )
        for name, value in unused.items():
            raise UnusedOptionError(name, value, why)

    def check(self, written: bool = True) -> None:
        """Raise an error if files, colour maps, fonts or mathematics cannot be used. Called once before drawing.

        written : False if the files are not going to be written
        """
        read = {place_of(path) for path in self.inputs}
        for path, format in self.targets:
            if read and place_of(path) in read:
                text = f"{option_text('output', path)} is a file that the picture is made from: name another file"
                raise UsageError(text, option="output", value=path)
            if written:
                check_target(path, text=FORMATS[format].text)
        pictures = any(FORMATS[target.format].picture for target in self.targets)
        self._check_formats(self.canvas.format_specific_options() if pictures else {})
        if self.needs_all_numbers:
            given = self.figure.document_options()
            self._check_formats({name: (value, "document") for name, value in given.items()})
        if pictures:
            self.check_names()

    def _check_formats(self, given: dict[str, tuple[Any, str]]) -> None:
        """Raise UsageError for options in `given` that apply to none of the formats to be written.

        given : by option name, (value, the attribute of `Format` that a format needs for this option)
        """
        signs = {name: (sign, "separated") for name, sign in self.output.csv_signs().items()}
        for name, (value, kind) in (given | ({"long": (True, "rows")} if self.output.long else {}) | signs).items():
            formats = [format for format, item in FORMATS.items() if getattr(item, kind)]
            if not any(target.format in formats for target in self.targets):
                text = f"{option_text(name, value)} is for {', '.join(f'.{format}' for format in formats)} files only"
                advice = f"write one with {option_text('output', f'FILE.{formats[0]}')}"
                raise UsageError(text, option=name, value=value, advice=advice)

    def check_names(self) -> None:
        """Raise UsageError for a colour map, style, font or formula unknown to matplotlib. Imports matplotlib."""
        self.canvas.check_names()
        canvas = fill_texts(self)
        for name in (*TEXTS, *LABELS):
            if text := getattr(canvas, name):
                check_mathematics(text, name)
        for encoding in self.encodings:
            check_mathematics(encoding.label or "", "label")

    def check_memory(self, view: View[Any]) -> None:
        """Raise an error if the numbers of that view do not fit into memory."""
        check_memory(self.figure.name, self.analysis.shape(view), SHORTER, self.figure.copies)

    @property
    def memory(self) -> int:
        """Approximate bytes of memory needed to make the files."""
        return self._bytes_of(self._needed_view) + self._drawing()[1]

    def _bytes_of(self, view: View[Any]) -> int:
        return 8 * self.figure.copies * prod(self.analysis.shape(view))

    @property
    def _needed_view(self) -> View[Any]:
        """The view that memory must hold: all numbers if a file has them or if they are few, else those displayed."""
        every = self.needs_all_numbers or self._bytes_of(self.view) <= UNCHECKED
        return self.view if every else self.display_view

    def _drawing(self) -> tuple[str, int]:
        """Return the start of a message with the number of pixels, and the approximate bytes needed to draw them."""
        canvas, size, frames = self.canvas, self.canvas.inches, self.has_frames
        count = len(self.cells) if frames else int(any(target.format == "png" for target in self.targets))
        dpi = canvas.frame_dpi if frames else canvas.dpi
        width, height = (max(1, round(side * dpi)) for side in (size.width, size.height or size.width))
        each = FRAME_BYTES + FRAME_PIXEL * width * height if frames else PIXEL * width * height
        return f"drawing {count:,} × {width:,} × {height:,} pixels takes", count * each

    def check_format(self, format: str) -> None:
        """Raise UsageError if the format cannot hold the result."""
        item, name, drawn = FORMATS[format], self.figure.name, self.figure.drawn
        most, advice = MAX_FRAMES if self.kind_of(format) == "frames" else MAX_CELLS, ""
        if item.picture and len(self.cells) > most:
            raise too_many_in_one_file(name, len(self.cells), most)
        if item.one_table and not self.analysis.one_table:
            text = f"{name} has several tables, but .{format} has room for only one: write .npz or .json"
        elif self.output.long and item.rows and not self.analysis.one_table:
            text = f"{option_text('long')} needs a single table, but {name} has several: leave it out"
        elif item.frames and drawn and not self.cells:
            shared = ", ".join(option_text(name) for name in self.axes if name in ONE_EACH)
            text = f"a .{format} file shows a sweep, but this is one picture"
            advice = f"give several values, such as {option_text('base', SWEPT)}"
            if shared:
                text, advice = f"a .{format} file can have only one {shared}", "write one file per value"
        elif item.document if drawn else item.picture:
            fitting = (f".{kind}" for kind, each in FORMATS.items() if not (each.document if drawn else each.picture))
            text = f"{name} is {'a figure' if drawn else 'a report'}, so it cannot be a .{format} file"
            advice = f"write {', '.join(fitting)}"
        else:
            return
        raise UsageError(text, option="output", value=format, advice=advice)


def too_many_in_one_file(name: str, count: int, most: int) -> UsageError:
    """Return the error for a sweep of `count` pictures into one file that holds at most `most`."""
    text = f"{name}: {count:,} pictures in one file, but at most {most:,} are allowed"
    return UsageError(text, option="output", advice="give fewer values, as in 2..10000:40")


def job_settings(found: Mapping[str, Any]) -> dict[str, Any]:
    """Return the settings of the job in a finished file's metadata, including its language.

    Output options are dropped: the file may come from a stranger, who must not choose where files are written.
    """
    outputs = Output.options().keys() - {"long"}
    return {
        **IN_ENGLISH.settings(),
        **{k: value for k, value in found["job"].items() if canonical_name(Output.options(), k) not in outputs},
    }


@cache
def versions() -> dict[str, str]:
    """Return the versions of pecli and the libraries that determine a picture's bytes."""
    from importlib.metadata import version

    return {"pecli": __version__, **{name: version(name) for name in LIBRARIES}}
