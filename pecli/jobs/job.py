"""One picture asked for. The command line, a TOML file, a finished file's metadata and Python code all meet here."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

from pecli.analysis import Analysis, View
from pecli.core.errors import UnknownNameError, UsageError
from pecli.core.memory import check_memory
from pecli.core.options import Option, Options, default_values
from pecli.core.positions import Positions
from pecli.encodings import Encoding, read_encoding
from pecli.figures.canvas import Canvas
from pecli.figures.figure import Figure
from pecli.files.formats import FORMATS, format_of
from pecli.files.writer import check_target
from pecli.jobs.command_line import filled, name_of
from pecli.jobs.job_options import (
    ANALYSES,
    SECTIONS,
    Choice,
    Output,
    encoding_parameters,
    find_analysis,
    known_options,
    spelled_out,
)
from pecli.jobs.request import Request
from pecli.reports.report import Report


@dataclass(frozen=True)
class Job(Request):
    """A request whose values are all checked, that knows its view and its files."""

    @classmethod
    def make(cls, figure: str, given: Mapping[str, Any], checked: bool = True) -> Job:
        """From a flat mapping of option names (those of the command line, ``-`` or ``_``) to text or values.

        checked : whether the figure is asked too, for which tables are read from their files

        Raises
        ------
        UsageError : an unknown name, a value that is not allowed, things that do not go together
        """
        kind = find_analysis(figure)
        known = known_options(kind)
        spelled = spelled_out(known, given)
        values = {name: value for name, value in spelled.items() if value is not None}
        parameters = _pick(values, encoding_parameters())
        own = _pick(values, kind.options())
        foreign = [name for section in SECTIONS for name in section.options() if name in values and name not in known]
        if foreign:
            raise UnknownNameError(f"option of {figure}", foreign[0], known)
        choice, positions, canvas, output = (_section(section, kind, values) for section in SECTIONS)
        assert isinstance(choice, Choice) and isinstance(positions, Positions)
        assert isinstance(canvas, Canvas) and isinstance(output, Output)
        specs = choice.encoding or (kind.default_encoding,)
        encodings = _encodings(specs, parameters | _plugin_parameters(specs, values), kind.default_options)
        if values:
            raise UnknownNameError(f"option of {figure}", next(iter(values)), known)
        _check_kinds(kind, encodings)
        job = cls(kind.make(own), encodings, positions, canvas, output)
        if checked:
            job.figure.check_view(job.view())
            job.targets()
        return job

    def view(self, seen: bool = True) -> View[Any]:
        """What the figure looks at: as many numbers as pixels, or (not seen) every one."""
        positions = self.figure.positions_for(self.positions)
        view = View(tuple(e.fitted(positions) for e in self.encodings), positions)
        return replace(view, pixels=self._pixels(view)) if seen else view

    def _pixels(self, view: View[Any]) -> tuple[int, int] | None:
        figure = self.figure
        if isinstance(figure, Figure):
            return self.canvas.pixels(figure.aspect_for(view), figure.grid_for(view))
        return figure.cells() if isinstance(figure, Report) else None

    def targets(self) -> tuple[str, ...]:
        """The files to write; a made-up name where a picture is given none."""
        if not self.output.output and (self.figure.drawn or self.output.format):
            return (f"{name_of(self)}.{self.output.format or 'png'}",)
        return tuple(filled(path, self) for path in self.output.output)

    def formats(self) -> tuple[str, ...]:
        """The format of each target."""
        return tuple(format_of(path, self.output.format) for path in self.targets())

    def check(self, planned: bool = False) -> None:
        """Refuses what cannot work before any of it is computed: names, targets, memory.

        planned : files that are there already are no fault yet: they may turn out to show the job
        """
        for path, format in zip(self.targets(), self.formats(), strict=True):
            check_target(path, planned or not self.output.no_clobber)
            if FORMATS[format].one_table and not self.figure.one_table:
                raise UsageError(f"{self.figure.name} has several tables and .{format} holds one: write .npz or .json")
            if not FORMATS[format].numbers and not self.figure.drawn:
                numbers = ", ".join("." + name for name, one in FORMATS.items() if one.numbers)
                raise UsageError(f"{self.figure.name} draws nothing for a .{format} file: print it, or write {numbers}")
        self.check_memory(all(not FORMATS[format].numbers for format in self.formats()))
        if not all(FORMATS[format].numbers for format in self.formats()):
            self.canvas.check_names()

    def check_memory(self, seen: bool = True) -> None:
        """Refuses numbers that memory cannot hold."""
        advice = "shorten --length, or zoom in with --start and --length"
        check_memory(self.figure.name, self.figure.shape(self.view(seen)), advice)


def _pick(values: dict[str, Any], known: Mapping[str, Option]) -> dict[str, Any]:
    """Takes the known names out of the values."""
    return {name: values.pop(name) for name in list(values) if name in known}


def _section(section: type[Options], kind: type[Analysis[Any]], values: dict[str, Any]) -> Options:
    """That section of the options, with the figure's own defaults where nothing is given."""
    return section.make({**default_values(section.options(), kind.default_options), **_pick(values, section.options())})


def _check_kinds(figure: type[Analysis[Any]], encodings: tuple[Encoding, ...]) -> None:
    """Refuses an encoding without what the figure needs, naming the figures that do fit."""
    for encoding in encodings:
        if not figure.takes(type(encoding)):
            fitting = ", ".join(name for name, one in ANALYSES.items() if one.takes(type(encoding)))
            raise UsageError(f"{figure.refusal(type(encoding))}; try {fitting}")


def _plugin_parameters(specs: tuple[str, ...], values: dict[str, Any]) -> dict[str, Any]:
    """Parameters that only the chosen encodings know."""
    known = {name: one for spec in specs for name, one in read_encoding(spec).options().items()}
    return _pick(values, known)


def _encodings(specs: tuple[str, ...], parameters: dict[str, Any], defaults: Mapping[str, Any]) -> tuple[Encoding, ...]:
    """The encodings; each takes the parameters that it has, and every parameter must find one that has it."""
    unused = dict(parameters)
    made = []
    for spec in specs:
        known = read_encoding(spec).options()
        mine = {name: value for name, value in parameters.items() if name in known or len(specs) == 1}
        made.append(read_encoding(spec, mine, defaults))
        unused = {name: value for name, value in unused.items() if name not in known}
    if unused:
        raise UnknownNameError("parameter of " + ", ".join(e.name for e in made), next(iter(unused)), made[0].options())
    return tuple(made)
