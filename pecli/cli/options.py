"""Options of dataclasses as parameters of a Typer command."""

from __future__ import annotations

import inspect
import os
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Annotated, Any

import typer

from pecli.analysis import Analysis
from pecli.cli.grammar import WORDS
from pecli.cli.help_page import HELP
from pecli.core.errors import UsageError, mention
from pecli.core.language import Language
from pecli.core.options import Option, Options, default_of, own_name
from pecli.core.positions import Positions
from pecli.core.values import write_scalar
from pecli.encodings import ENCODINGS
from pecli.figures.canvas import Canvas
from pecli.files.formats import FORMATS
from pecli.jobs.job_options import ANALYSES, Choice, Output, encoding_parameters, known_options

SPECS = "specs"  # the parameter that holds encodings given without --encoding
SHORT = 26  # letters of choices that stand beside a name
FEW = 4  # choices that are one word, a|b|c, which a line cannot break
FAR = 10**9  # a limit that nobody reaches
RUN = {  # the options that do not change the picture
    "json": (("--json",), "print path, bytes, job and key numbers as JSON"),
    "quiet": (("-q", "--quiet"), "print nothing but errors"),
    "verbose": (("-v", "--verbose"), "say more, and where an error comes from"),
}
JOBS = Option(
    "processes for a .gif, .webp or .html",
    name="jobs",
    scalar=int,
    at_least=1,
    at_most=1024,
    flags=("-j",),
    optional=True,
    unset="the cores",
)
DRAWN = {"show": (("--show",), "show the picture in the terminal; alone it writes no file")}  # of figures alone
DRAWN_HELP = [*DRAWN.values(), ((*JOBS.flags, f"{JOBS.flag} N"), f"{JOBS.help} (default {JOBS.unset})")]
RUN_HELP = [*RUN.values(), HELP]
TOKENS = "tokens"  # the option of figures that are of words
NUMBERS = re.compile(r"[\d.,]+")
METAVARS = {int: "INTEGER", float: "NUMBER", str: "TEXT", bool: ""}


def parameter(one: Option, panel: str, text: str = "") -> inspect.Parameter:
    """One option as a keyword parameter. Values stay text: they are read and checked by the option itself."""
    flags = flags_of(one)
    text = text or help_text(one)
    if one.scalar is bool:
        return keyword(one.name, bool, False, typer.Option(*flags, help=text, rich_help_panel=panel))
    offered: dict[str, Any] = {"autocompletion": offering(one), "show_default": False}
    shown = typer.Option(*flags, help=text, rich_help_panel=panel, metavar=METAVARS[one.scalar], **offered)
    return keyword(one.name, list[str] | None, None, shown)


def offering(one: Option) -> Callable[..., list[tuple[str, str]]]:
    """What a shell offers for the option, as Typer asks for it: without types, which it would read for every option."""
    return lambda ctx: _offered(one, ctx)


def _offered(one: Option, ctx: typer.Context) -> list[tuple[str, str]]:
    from pecli.cli.completion import values_for

    return values_for(one, {**ctx.params, WORDS: ctx.meta.get(WORDS, ())})


def flags_of(one: Option) -> tuple[str, ...]:
    """Every spelling of an option on the command line, those that the help does not show last."""
    return (one.flag, *one.flags, *("--" + word.replace("_", "-") for word in one.aliases))


def alias_flags(command: str) -> set[str]:
    """The options that a figure or report understands under names that are shown nowhere."""
    known = known_options(ANALYSES[command]) if command in ANALYSES else {}
    return {flag for one in known.values() for flag in flags_of(one)[1 + len(one.flags) :]}


def keyword(name: str, kind: Any, default: Any, shown: Any) -> inspect.Parameter:
    """A keyword parameter of that type that Typer shows as given."""
    return inspect.Parameter(name, inspect.Parameter.KEYWORD_ONLY, default=default, annotation=Annotated[kind, shown])


def help_text(one: Option, *, beside: bool = False) -> str:
    """What an option does, what it takes and what it is by default.

    beside : few choices are told beside its name already
    """
    default = one.unset if one.default in (None, ()) else one.write(one.default)
    taken = "" if beside and choice_text(one) else range_text(one)
    between = "; " if ", " in taken else ", "
    facts = between.join(filter(None, [taken, f"default {default}" if default else ""]))
    flag = one.scalar is bool and not one.default
    return f"{one.help} ({facts})" if facts and not flag else one.help


def choice_text(one: Option) -> str:
    """The words that an option takes where they are few, ``a|b|c``."""
    words = "|".join(one.choices()) if one.choices is not None else ""
    return words if len(words) <= SHORT else ""


def range_text(one: Option) -> str:
    """What an option takes, as short as it can be said."""
    if one.choices is not None:
        words = list(one.choices())
        return ("|" if len(words) <= FEW else ", ").join(words)
    low, high = (limit is not None and abs(limit) < FAR for limit in (one.at_least, one.at_most))
    number = f"> {write_scalar(one.above)}" if one.above is not None else ""
    number = f"≥ {write_scalar(one.at_least)}" if low else number
    number = f"{write_scalar(one.at_least)} to {write_scalar(one.at_most)}" if low and high else number
    return " or ".join(filter(None, [number, "|".join(one.names)]))


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
    sections: tuple[type[Options], ...] = (Positions, Canvas, Output, Language)
    every = [(section.__name__, one) for section in sections for one in section.options().values()]
    offered = [(panel, one) for panel, one in every if one.name in known]
    return rows + [parameter(standing(one, defaults), panel) for panel, one in offered]


def specs_argument(default: str) -> inspect.Parameter:
    """The encodings as words of their own: ``pecli compare sinusoidal:base=10 rope``."""
    (one,) = Choice.options().values()
    shown = typer.Argument(
        help=help_text(replace(one, unset=default)),
        metavar="ENCODING",
        show_default=False,
        autocompletion=offering(one),
    )
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
        if advice := _meant(word, figure):
            raise UsageError(f"{word[:60]} is no encoding", option="encoding", value=word, advice=advice)
    if len(words) > 1 and not figure.several:
        several = ", ".join(name for name, one in ANALYSES.items() if one.several)
        each = " ".join(str(mention("encoding", word)) for word in words)
        grid = f"are a picture each, and with {mention('output', 'grid.png')} behind it one grid"
        advice = f"{several} take several, {each} {grid if figure.drawn else 'come one after the other'}"
        raise UsageError(f"{figure.name} shows one encoding, {len(words)} are given", option="encoding", advice=advice)


def _meant(word: str, figure: type[Analysis[Any]]) -> str:
    """What a word that stands for an encoding was meant for, and how that is typed; mostly nothing."""
    if ":" in word or os.path.exists(word):  # a spec, or the file of a model
        return ""
    name, equals, value = word.partition("=")
    known = known_options(figure)
    if equals and name.isidentifier() and (own := own_name(known, name)) in known:
        return f"write {mention(own, value)}"
    if NUMBERS.fullmatch(word):
        return "values of one option stand in one word, as in 10,20"
    if " " in word.strip() and TOKENS in known:
        return f"write {mention(TOKENS)} before it"
    return ""
