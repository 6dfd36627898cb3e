"""Options of dataclasses as parameters of a Typer command."""

from __future__ import annotations

import inspect
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Annotated, Any

import typer

from pecli.analysis import Analysis
from pecli.core.errors import UsageError, mention
from pecli.core.options import Option, Options, default_of
from pecli.core.positions import Positions
from pecli.encodings import ENCODINGS
from pecli.figures.canvas import Canvas
from pecli.files.formats import FORMATS
from pecli.jobs.job_options import ANALYSES, Choice, Output, encoding_parameters, known_options

SPECS = "specs"  # the parameter that holds encodings given without --encoding
METAVARS = {int: "INTEGER", float: "NUMBER", str: "TEXT", bool: ""}


def parameter(one: Option, panel: str, text: str = "") -> inspect.Parameter:
    """One option as a keyword parameter. Values stay text: they are read and checked by the option itself."""
    flags = flags_of(one)
    text = (text or help_text(one)).replace("[", r"\[")
    if one.scalar is bool:
        return keyword(one.name, bool, False, typer.Option(*flags, help=text, rich_help_panel=panel))
    shown = typer.Option(*flags, help=text, rich_help_panel=panel, metavar=METAVARS[one.scalar], show_default=False)
    return keyword(one.name, list[str] | None, None, shown)


def flags_of(one: Option) -> tuple[str, ...]:
    """Every spelling of an option on the command line, those that the help does not show last."""
    return (one.flag, *one.flags, *("--" + word.replace("_", "-") for word in one.aliases))


def keyword(name: str, kind: Any, default: Any, shown: Any) -> inspect.Parameter:
    """A keyword parameter of that type that Typer shows as given."""
    return inspect.Parameter(name, inspect.Parameter.KEYWORD_ONLY, default=default, annotation=Annotated[kind, shown])


def help_text(one: Option) -> str:
    """What an option does, what it takes and what it is by default."""
    bounds = one.bounds if one.choices is not None or one.above is not None or one.at_least is not None else ""
    default = one.unset if one.default in (None, ()) else one.write(one.default)
    facts = "; ".join(filter(None, [bounds, f"default: {default}" if default else ""]))
    flag = one.scalar is bool and not one.default
    return f"{one.help} ({facts})" if facts and not flag else one.help


def standing(one: Option, defaults: Mapping[str, Any]) -> Option:
    """The option with the default that stands in for its own."""
    return replace(one, default=default_of(one, defaults))


def parameter_help(name: str, figure: type[Analysis[Any]]) -> str:
    """The help of an encoding's parameter: once, where all encodings that have it say the same.

    Empty where the figure takes no encoding that has it: it is none of its options.
    """
    owners: dict[str, list[str]] = {}
    for encoding in filter(figure.takes, ENCODINGS.values()):
        one = encoding.options().get(name)
        if one is not None and one.only_with is None:
            owners.setdefault(help_text(standing(one, figure.default_options)), []).append(encoding.name)
    return "; ".join(f"{', '.join(names)}: {text}" for text, names in owners.items())


def job_parameters(figure: type[Analysis[Any]], more: Mapping[str, Option] | None = None) -> list[inspect.Parameter]:
    """All options of a figure's or report's command, in the order of the help; `more` are a plugin's."""
    known, defaults = known_options(figure), figure.default_options
    rows = [specs_argument(figure.default_encoding)]
    rows += [parameter(one, f"Options of {figure.name}") for one in figure.options().values()]
    rows += [parameter(replace(one, unset=figure.default_encoding), "Encoding") for one in Choice.options().values()]
    said = {name: parameter_help(name, figure) for name in encoding_parameters()}
    rows += [parameter(one, "Encoding", said[name]) for name, one in encoding_parameters().items() if said[name]]
    rows += [parameter(one, "Encoding") for one in (more or {}).values()]
    sections: tuple[tuple[str, type[Options]], ...] = (("Positions", Positions), ("Canvas", Canvas), ("Output", Output))
    offered = [(panel, one) for panel, section in sections for one in section.options().values() if one.name in known]
    return rows + [parameter(standing(one, defaults), panel) for panel, one in offered]


def specs_argument(default: str) -> inspect.Parameter:
    """The encodings as words of their own: ``pecli compare sinusoidal:base=10 rope``."""
    (one,) = Choice.options().values()
    shown = typer.Argument(help=help_text(replace(one, unset=default)), metavar="SPEC", show_default=False)
    return keyword(SPECS, list[str] | None, None, shown)


def given(values: Mapping[str, Any], figure: type[Analysis[Any]]) -> dict[str, Any]:
    """The options that were given; encodings given as words stand before those given with --encoding."""
    result = {name: value for name, value in values.items() if value not in (None, False, [], ())}
    if SPECS in result:
        check_words(result[SPECS], figure)
        (encoding,) = Choice.options()
        result[encoding] = [*result.pop(SPECS), *result.get(encoding, [])]
    return result


def check_words(words: Sequence[str], figure: type[Analysis[Any]]) -> None:
    """Refuses words that are no encodings but files, and more than the figure shows in one picture."""
    for word in words:
        ending = word.rpartition(".")[2].lower()
        if ending in FORMATS and not FORMATS[ending].numbers:
            advice = f"write it with {mention('output', word)}"
            raise UsageError(f"{word} is no encoding", option="encoding", value=word, advice=advice)
    if len(words) > 1 and not figure.several:
        several = ", ".join(name for name, one in ANALYSES.items() if one.several)
        each = " ".join(str(mention("encoding", word)) for word in words)
        advice = f"{several} take several, and {each} are a picture each"
        raise UsageError(f"{figure.name} shows one encoding, {len(words)} are given", option="encoding", advice=advice)
