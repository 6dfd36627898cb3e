"""One picture asked for. The command line, a TOML file, a finished file's metadata and Python code all meet here."""

from __future__ import annotations

import hashlib
import json
import re
import shlex
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

from pecli.encodings import ENCODINGS, Encoding, read_encoding
from pecli.errors import UnknownNameError, UsageError
from pecli.figures import FIGURES
from pecli.figures.canvas import Canvas
from pecli.figures.figure import Figure
from pecli.formats import FORMATS, format_of
from pecli.memory import check_memory
from pecli.options import Option, Options, option, usual_values
from pecli.output import check_target
from pecli.positions import Positions
from pecli.reports import REPORTS
from pecli.study import Study, View

LONGEST_NAME = 120  # characters of a file name that we make up


@dataclass(frozen=True)
class Output(Options):
    """Where the results go."""

    what = "output option"

    output: tuple[str, ...] = option(
        (),
        "file to write, again for more; - is standard output; by default a name that tells the job",
        flags=("-o",),
        split=False,
    )
    format: str | None = option(None, "format where no file name says it", choices=lambda: FORMATS, unset="png")
    no_clobber: bool = option(False, "keep files that are there already")

    def check(self) -> None:
        twice = {path for path in self.output if self.output.count(path) > 1}
        if twice:
            raise UsageError(f"-o {twice.pop()} is given twice")
        for path in self.output:
            format_of(path, self.format)


@dataclass(frozen=True)
class Choice(Options):
    """Which encoding."""

    what = "encoding option"

    encoding: tuple[str, ...] = option(
        (),
        "name, or name:parameter=value,… (pecli encodings lists them)",
        flags=("-e",),
        split=False,
        unset="sinusoidal",
    )


SECTIONS: tuple[type[Options], ...] = (Choice, Positions, Canvas, Output)
STUDIES: dict[str, type[Study]] = {**FIGURES, **REPORTS}


def find_study(name: str) -> type[Study]:
    """The figure or report of that name; raises UnknownNameError with a suggestion."""
    if name not in STUDIES:
        raise UnknownNameError("figure", name, STUDIES)
    return STUDIES[name]


def encoding_parameters() -> dict[str, Option]:
    """The parameters of all encodings by name; one that several share stands once."""
    return {name: one for cls in ENCODINGS.values() for name, one in cls.options().items()}


def known_options(study: type[Study]) -> dict[str, Option]:
    """Every option that a job of this figure or report takes."""
    known = {**study.options(), **encoding_parameters()}
    for section in SECTIONS:
        if section is not Canvas or study.drawn:
            known.update(section.options())
    return known


@dataclass(frozen=True)
class Job:
    """A figure (or report) with its options, of encodings at positions, on a canvas, to an output. All is checked."""

    figure: Study
    encodings: tuple[Encoding, ...]
    positions: Positions
    canvas: Canvas
    output: Output

    @classmethod
    def make(cls, figure: str, given: Mapping[str, Any]) -> Job:
        """From a flat mapping of option names (those of the command line, ``-`` or ``_``) to text or values.

        Raises
        ------
        UsageError : an unknown name, a value that is not allowed, things that do not go together
        """
        kind = find_study(figure)
        values = {name.replace("-", "_"): value for name, value in given.items() if value is not None}
        parameters = _pick(values, encoding_parameters())
        own = _pick(values, kind.options())
        known = known_options(kind)
        foreign = [name for section in SECTIONS for name in section.options() if name in values and name not in known]
        if foreign:
            raise UnknownNameError(f"option of {figure}", foreign[0], known)
        choice, positions, canvas, output = (_section(section, kind, values) for section in SECTIONS)
        assert isinstance(choice, Choice) and isinstance(positions, Positions)
        assert isinstance(canvas, Canvas) and isinstance(output, Output)
        specs = choice.encoding or (kind.usual,)
        encodings = _encodings(specs, parameters | _plugin_parameters(specs, values), kind.usual_options)
        if values:
            raise UnknownNameError(f"option of {figure}", next(iter(values)), known_options(kind))
        _check_kinds(kind, encodings)
        job = cls(kind.make(own), encodings, positions, canvas, output)
        job.figure.check_view(job.view())
        return job

    def view(self, seen: bool = True) -> View:
        """What the figure looks at: as many numbers as pixels, or (not seen) every one."""
        figure, positions = self.figure, self.figure.positions(self.positions)
        view = View(tuple(e.fitted(positions) for e in self.encodings), positions)
        if not seen or not isinstance(figure, Figure):
            return view
        return replace(view, pixels=self.canvas.pixels(figure.aspect_for(view), figure.grid_for(view)))

    def targets(self) -> tuple[str, ...]:
        """The files to write; a made-up name where a picture is given none."""
        if not self.figure.drawn and not self.output.format:
            return self.output.output
        return self.output.output or (f"{self.name()}.{self.output.format or 'png'}",)

    def formats(self) -> tuple[str, ...]:
        """The format of each target."""
        return tuple(format_of(path, self.output.format) for path in self.targets())

    def check(self) -> None:
        """Refuses what cannot work before any of it is computed: names, targets, memory."""
        for path, format in zip(self.targets(), self.formats(), strict=True):
            check_target(path, not self.output.no_clobber)
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

    def settings(self) -> dict[str, Any]:
        """The job as a flat mapping that `make` reads: everything but the output."""
        return {
            "encoding": self._specs(),
            **self.figure.settings(),
            **self.positions.settings(),
            **self.canvas.settings(),
        }

    def metadata(self) -> str:
        """The job and the versions that draw it, as the text that finished files carry (ASCII JSON)."""
        given = {name: value for name, value in self.settings().items() if value is not None}
        prints = [encoding.fingerprint() for encoding in self.encodings]
        inputs = {"inputs": prints} if any(prints) else {}
        return json.dumps({"job": {"figure": self.figure.name, **given}, **inputs, **versions()})

    def salt(self) -> str:
        """A short name that two different jobs do not share."""
        return "p" + hashlib.sha256(self.metadata().encode()).hexdigest()[:10]

    def changed(self) -> dict[str, str]:
        """The options that differ from their defaults, as text, a single encoding's parameters one by one."""
        result = {}
        if len(self.encodings) > 1:
            result["encoding"] = " ".join(self._specs())
        for part in (*self.encodings[:1], self.figure, self.positions, self.canvas):
            if isinstance(part, Encoding) and len(self.encodings) > 1:
                continue
            changed = part.changed(self.figure.usual_options)
            result.update({name: part.options()[name].write(value) for name, value in changed.items()})
        return result

    def name(self) -> str:
        """A file name without its extension: figure, encoding and what differs from the defaults."""
        parts = [self.figure.name, "-".join(encoding.name for encoding in self.encodings)]
        parts += [f"{name}{value}" for name, value in self.changed().items()]
        text = re.sub(r"[^\w.+-]+", "_", "-".join(parts).replace("no_title" + "true", "no_title"))
        return text if len(text) <= LONGEST_NAME else f"{text[: LONGEST_NAME - 12]}-{self.salt()}"

    def words(self) -> list[str]:
        """The words of the command line that asks for this job."""
        return ["pecli", self.figure.name, *self._encoding_words(), *self._option_words(), *self._output_words()]

    def command(self) -> str:
        """The command line that asks for this job, quoted for a shell."""
        return shlex.join(self.words())

    def _specs(self) -> list[str]:
        return [encoding.spec(self.figure.usual_options) for encoding in self.encodings]

    def _encoding_words(self) -> list[str]:
        if self.figure.specs_are_arguments:
            usual = read_encoding(self.figure.usual, usual=self.figure.usual_options)
            return [] if self.encodings == (usual,) else self._specs()
        if len(self.encodings) > 1:
            return [word for spec in self._specs() for word in ("--encoding", spec)]
        (encoding,) = self.encodings
        chosen = [] if encoding.name == self.figure.usual else ["--encoding", encoding.name]
        if not set(encoding.options()) <= set(encoding_parameters()):
            return ["--encoding", *self._specs()]
        return chosen + _words(encoding, self.figure.usual_options)

    def _option_words(self) -> list[str]:
        parts = (self.figure, self.positions, self.canvas)
        return [word for part in parts for word in _words(part, self.figure.usual_options)]

    def _output_words(self) -> list[str]:
        words = [word for path in self.output.output for word in ("--output", path)]
        return words + (["--format", self.output.format] if self.output.format else [])


def versions() -> dict[str, str]:
    """What a picture's bytes depend on besides the job."""
    from importlib.metadata import version

    from pecli import __version__

    return {"pecli": __version__, "matplotlib": version("matplotlib"), "numpy": version("numpy")}


def _pick(values: dict[str, Any], known: Mapping[str, Option]) -> dict[str, Any]:
    """Takes the known names out of the values."""
    return {name: values.pop(name) for name in list(values) if name in known}


def _section(section: type[Options], kind: type[Study], values: dict[str, Any]) -> Options:
    """That section of the options, with the figure's own defaults where nothing is given."""
    return section.make({**usual_values(section.options(), kind.usual_options), **_pick(values, section.options())})


def _check_kinds(figure: type[Study], encodings: tuple[Encoding, ...]) -> None:
    """Refuses an encoding without what the figure needs, naming the figures that do fit."""
    for encoding in encodings:
        if not figure.takes(type(encoding)):
            fitting = ", ".join(name for name, one in STUDIES.items() if one.takes(type(encoding)))
            raise UsageError(f"{figure.name} cannot show {encoding.name}: it has no {figure.needs}; try {fitting}")


def _plugin_parameters(specs: tuple[str, ...], values: dict[str, Any]) -> dict[str, Any]:
    """Parameters that only the chosen encodings know."""
    known = {name: one for spec in specs for name, one in read_encoding(spec).options().items()}
    return _pick(values, known)


def _encodings(specs: tuple[str, ...], parameters: dict[str, Any], usual: Mapping[str, Any]) -> tuple[Encoding, ...]:
    """The encodings; each takes the parameters that it has, and every parameter must find one that has it."""
    unused = dict(parameters)
    made = []
    for spec in specs:
        known = read_encoding(spec).options()
        mine = {name: value for name, value in parameters.items() if name in known or len(specs) == 1}
        made.append(read_encoding(spec, mine, usual))
        unused = {name: value for name, value in unused.items() if name not in known}
    if unused:
        raise UnknownNameError("parameter of " + ", ".join(e.name for e in made), next(iter(unused)), made[0].options())
    return tuple(made)


def _words(part: Options, usual: Mapping[str, Any]) -> list[str]:
    words = []
    for name, value in part.changed(usual).items():
        one = part.options()[name]
        if one.scalar is bool:
            words += [one.flag]
        else:
            words += [one.flag, one.write(value)]
    return words
