"""What a picture is asked for with: the five parts of a job as plain data, and what identifies it."""

from __future__ import annotations

import json
import sys
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cache, cached_property
from os import PathLike
from typing import Any, Self

from pecli.analysis import Analysis
from pecli.core.language import IN_ENGLISH, Language, left_open
from pecli.core.options import own_name
from pecli.core.positions import Positions
from pecli.core.version import __version__
from pecli.encodings.registry import Encoding
from pecli.figures.canvas import Canvas
from pecli.files.tables import fingerprint
from pecli.jobs.job_options import Choice, Output


@dataclass(frozen=True)
class Request:
    """A figure (or report) with its options, of encodings at positions, on a canvas, to an output.

    All of it as it was asked for: an encoding that takes a size from the positions still leaves it open here.

    swept : options of which it has one of several, to be told in its name
    axes : the options with several values: of which it has one, or with cells all
    cells : the requests that are one picture of all of them, the last of the axes running fastest; its parts are those
        of the first
    """

    figure: Analysis[Any]
    encodings: tuple[Encoding, ...]
    positions: Positions
    canvas: Canvas
    output: Output
    language: Language = field(default=IN_ENGLISH, kw_only=True)
    swept: tuple[str, ...] = field(default=(), compare=False, kw_only=True)
    axes: tuple[str, ...] = field(default=(), compare=False, kw_only=True)
    cells: tuple[Request, ...] = field(default=(), kw_only=True)

    def written_to(self, paths: Sequence[str | PathLike[str]], format: str | None = None) -> Self:
        """The same with other files to write."""
        output = Output.make({"output": list(paths), "format": format, "no_clobber": self.output.no_clobber})
        return replace(self, output=output)

    @property
    def defaults(self) -> dict[str, Any]:
        """The figure's own defaults; of what depends on a file's rows or the environment none, so it is always told."""
        free = any(encoding.bounded for encoding in self.encodings)
        length = {"length": None if free else self.figure.default_length(None)}
        return {**self.figure.default_options, **length, **dict.fromkeys(left_open())}

    def settings(self) -> dict[str, Any]:
        """The request as a flat mapping that `jobs_of` reads: everything but the output."""
        single = {
            "encoding": self.specs(),
            **self.figure.settings(),
            **self.positions.settings(),
            **(self.canvas.settings() if self.figure.drawn else {}),
            **self.language.settings(),
        }
        return single | self.sweep() if self.cells else single

    def sweep(self) -> dict[str, Any]:
        """The options that its cells differ in, each with all its values; None for what each cell leaves open."""
        if not self.cells:
            return {}
        differing = [name for name in self.positions.settings() if len(self.values(name)) > 1]
        return {name: list(self.values(name)) if name in self.axes else None for name in (*self.axes, *differing)}

    def values(self, name: str) -> tuple[Any, ...]:
        """The different values that the cells have of an option, in their order."""
        return tuple(dict.fromkeys(cell.value(name, self.axes) for cell in self.cells))

    def value(self, name: str, axes: Collection[str] = ()) -> Any:
        """The value of an option; of the encodings their specs, without what the other axes say."""
        parts = (*self.encodings, self.figure, self.positions, self.canvas)
        known = {key: value for part in reversed(parts) for key, value in part.settings().items()}
        return tuple(self.specs(axes)) if name in Choice.options() else known.get(name)

    def metadata(self) -> str:
        """The request and the versions that draw it, as the text that finished files carry (ASCII JSON)."""
        return self._metadata

    @cached_property
    def _metadata(self) -> str:
        prints = [fingerprint(path) for path in self.inputs()]
        inputs = {"inputs": prints} if prints else {}
        return json.dumps({"job": self.job(), **inputs, **versions()})

    def job(self) -> dict[str, Any]:
        """The command and every option but the output, without those that nothing says. No file is read for it."""
        silent = {**dict.fromkeys(self.settings()), **IN_ENGLISH.settings()}  # English is not said
        given = {name: value for name, value in self.settings().items() if value not in (None, silent[name])}
        return {"command": self.figure.name, **given}

    def inputs(self) -> list[str]:
        """The files that it is drawn from."""
        own = [path for part in (*self.encodings, self.figure, self.canvas) for path in part.inputs()]
        return list(dict.fromkeys([*own, *(path for cell in self.cells for path in cell.inputs())]))

    def salt(self) -> str:
        """A short name that two different jobs do not share."""
        import hashlib

        return "p" + hashlib.sha256(self.metadata().encode()).hexdigest()[:10]

    def specs(self, without: Collection[str] = ()) -> list[str]:
        """The encodings as text, without what is said of these parameters, or by its cells."""
        left = {*without, *(self.axes if self.cells else ())}
        return [encoding.spec(self.defaults, left) for encoding in self.encodings]


LIBRARIES = ("matplotlib", "numpy")  # what the bytes of a picture depend on


def carried(found: Mapping[str, Any]) -> dict[str, Any]:
    """The job that a finished file carries, complete: whatever the environment says, its language is its own.

    It says what to draw, never where to: the file may be a stranger's, so that no output option is taken from it.
    """
    outputs = Output.options()
    return {
        **IN_ENGLISH.settings(),
        **{k: value for k, value in found["job"].items() if own_name(outputs, k) not in outputs},
    }


def versions() -> dict[str, str]:
    """What a picture's bytes depend on besides the job."""
    return {"pecli": __version__, **{name: _version(name) for name in LIBRARIES}}


def _version(library: str) -> str:
    """Asked of the library where it is loaded, for that costs nothing, else of its installed files."""
    if library in sys.modules and "__version__" in vars(sys.modules[library]):
        return str(sys.modules[library].__version__)
    return _installed(library)


@cache
def _installed(library: str) -> str:
    """The version that its installed files say: five milliseconds, which thousands of pictures pay once."""
    from importlib.metadata import version

    return version(library)
