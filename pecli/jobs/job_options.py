"""The options of a job that do not belong to its figure or report, and the registry of figures and reports."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from pecli.analysis import Analysis
from pecli.core.errors import UnknownNameError, UsageError, option_text
from pecli.core.language import Language
from pecli.core.lazy import Registry, cached
from pecli.core.options import Option, Options, option
from pecli.core.positions import Positions
from pecli.encodings.registry import ENCODINGS, Encoding
from pecli.encodings.spec import HasArray, encoding_of, spec_of
from pecli.figures import FIGURES
from pecli.files.formats import FORMATS
from pecli.page.canvas import Canvas
from pecli.reports import REPORTS

SEPARATORS = {"comma": ",", "semicolon": ";", "tab": "\t"}  # separators of CSV files
DECIMALS = {"point": ".", "comma": ","}  # decimal signs
FILE_HELP = "file to write, repeat for more; - is standard output"


@dataclass(frozen=True)
class Output(Options):
    """Options for where the results go."""

    what = "output option"

    output: tuple[str, ...] = option(
        (),
        f"{FILE_HELP}; several values of an option make a grid in one file, frames in a .gif, sliders in a .html",
        unset="a name made from the options",
        flags=("-o",),
        split=False,
        common=True,
    )
    format: str | None = option(None, "format, if the file name has none", choices=lambda: FORMATS, unset="png")
    no_clobber: bool = option(False, "keep existing files; write only the missing ones")
    long: bool = option(False, "long format of .csv and .json: one row per number (line figures always use it)")
    csv_sep: str = option(
        "comma",
        "separator in .csv",
        choices=lambda: tuple(SEPARATORS),
        names={**{sign: name for name, sign in SEPARATORS.items()}, "\\t": "tab"},
        split=False,
    )
    decimal: str = option(
        "point",
        "decimal sign in .csv",
        choices=lambda: tuple(DECIMALS),
        names={sign: name for name, sign in DECIMALS.items()},
        split=False,
    )

    def check(self) -> None:
        if self.csv_sep == self.decimal:
            text = f"{option_text('decimal', self.decimal)} needs a separator other than the {self.csv_sep}"
            raise UsageError(text, option="decimal", value=self.decimal, advice="give --csv-sep semicolon too")

    def csv_signs(self) -> dict[str, str]:
        """Return the separator and the decimal sign of .csv files by option name, without default values."""
        signs = {"csv_sep": self.csv_sep, "decimal": self.decimal}
        return {name: sign for name, sign in signs.items() if sign != self.options()[name].default}


def _spec(encoding: Encoding | HasArray) -> str | None:
    return None if isinstance(encoding, (list, tuple)) else spec_of(encoding)


@dataclass(frozen=True)
class EncodingOption(Options):
    """The option that selects the encodings."""

    what = "encoding option"

    encoding: tuple[str, ...] = option(
        (),
        "name, or name:parameter=value,… (pecli encodings lists them), or a file: mine.npy, config.json; "
        "a range or a repeated parameter gives several encodings",
        flags=("-e",),
        split=False,
        text_of=_spec,
    )


@dataclass(frozen=True)
class Labels(Options):
    """Labels of the encodings in the picture; a `Job` stores them in the encodings."""

    what = "encoding option"

    label: tuple[str, ...] = option(
        (),
        "name in the picture, repeat for each encoding",
        unset="its name and parameters",
        split=False,
        aliases=("labels",),
    )


SECTIONS: tuple[type[Options], ...] = (EncodingOption, Labels, Positions, Canvas, Output, Language)
ANALYSES: Registry[type[Analysis[Any]]] = FIGURES | REPORTS


def find_command(name: str) -> tuple[type[Analysis[Any]], Mapping[str, str]]:
    """Return the figure or report for a command name, and the options that the name implies if it is an alias."""
    own, options = ANALYSES.aliases.get(name, (name, {})) if isinstance(name, str) else (name, {})
    return find_analysis(own), options


def figures_for(encoding: type[Encoding]) -> list[str]:
    """Return the names of the figures and reports that can show this kind of encoding, without composite figures."""
    return [name for name, analysis in ANALYSES.items() if analysis.takes(encoding) and not analysis.composed]


def find_analysis(name: str) -> type[Analysis[Any]]:
    """Return the figure or report of that name; raise UnknownNameError with a suggestion."""
    if not isinstance(name, str):  # a list cannot be looked up
        raise UnknownNameError("figure or report", name, ANALYSES, option="command")
    if name in ANALYSES.aliases:
        own, options = ANALYSES.aliases[name]
        text = ", ".join(option_text(option, value) for option, value in options.items())
        raise UsageError(f"{name} is {own}" + (f" with {text}" if text else ""), option="command", value=name)
    if name not in ANALYSES:
        raise UnknownNameError("figure or report", name, ANALYSES, option="command")
    return ANALYSES[name]


@cached
def encoding_parameters() -> dict[str, Option]:
    """Return the parameters of all encodings that are command-line options, by name.

    A name used by several encodings appears once. A parameter that applies only to one value of another parameter is
    set in the encoding's spec instead: ``rope:scaling=yarn,factor=4``.
    """
    found: dict[str, Option] = {}
    for name, item in (pair for kind in ENCODINGS.values() for pair in kind.options().items()):
        if not item.in_spec:
            found.setdefault(name, item)
    return found


@cached
def shared_options(analysis: type[Analysis[Any]]) -> dict[str, Option]:
    """Return the options of a figure or report that do not belong to an encoding, by name."""
    sections = [section for section in SECTIONS if section is not Canvas or analysis.drawn]
    return {**analysis.options(), **{name: item for section in sections for name, item in section.options().items()}}


@cached
def known_options(analysis: type[Analysis[Any]]) -> dict[str, Option]:
    """Return all options of a job of this figure or report, by name."""
    return {**analysis.options(), **encoding_parameters(), **shared_options(analysis)}


def parameters_of(specs: Iterable[Any], inner: bool = False) -> dict[str, Option]:
    """Return the parameters of the encodings that the specs name, including plugins', by name.

    inner : include parameters that can only be set in a spec
    """
    kinds: list[type[Encoding]] = [encoding_of(spec) for spec in specs]
    every = ((name, item) for kind in kinds for name, item in kind.options().items())
    return {name: item for name, item in every if inner or not item.in_spec}
