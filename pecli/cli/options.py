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
from pecli.core.errors import UsageError, mention
from pecli.core.language import Language
from pecli.core.options import Option, Options, default_of, own_name
from pecli.core.positions import Positions
from pecli.core.values import write_scalar
from pecli.encodings.registry import ENCODINGS, Encoding, encoding_named
from pecli.figures.canvas import Canvas
from pecli.files.formats import FORMATS
from pecli.jobs.job_options import ANALYSES, Choice, Output, encoding_parameters, known_options
from pecli.models.spec import encoding_of

MARKUP = re.compile(r"\[(?=[a-z#/@])")  # what rich would take for a tag

SPECS = "specs"  # the parameter that holds encodings given without --encoding
FEW, SHORT = 4, 26  # choices and letters that are one word, a|b|c, which a line cannot break
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
TOKENS = "tokens"  # the option of figures that are of words
NUMBERS = re.compile(r"[\d.,]+")
METAVARS = {int: "INTEGER", float: "NUMBER", str: "TEXT", bool: ""}


def parameter(one: Option, panel: str, *, hidden: bool = False) -> inspect.Parameter:
    """One option as a keyword parameter. Values stay text: they are read and checked by the option itself."""
    flags, text = (one.flag, *one.flags), plain(help_text(one))
    if one.scalar is bool:
        return flag(one.name, flags, text, panel, hidden=hidden)
    shown = typer.Option(
        *flags,
        help=text,
        rich_help_panel=panel,
        hidden=hidden,
        metavar=METAVARS[one.scalar],
        autocompletion=offering(one),
        show_default=False,
    )
    return keyword(one.name, list[str] | None, None, shown)


def flag(name: str, flags: Sequence[str], text: str, panel: str, *, hidden: bool = False) -> inspect.Parameter:
    """An option without a value."""
    shown = typer.Option(*flags, help=text, rich_help_panel=panel, hidden=hidden, metavar=" ")  # else <bool>
    return keyword(name, bool, False, shown)


def plain(text: str) -> str:
    """The text as rich shows it without taking anything in it for a tag."""
    return MARKUP.sub(r"\\[", text)


def offering(one: Option) -> Callable[[], list[tuple[str, str]]]:
    """What a shell offers for the option, as Typer asks for it."""

    def offered() -> list[tuple[str, str]]:
        from pecli.cli.completion import values_for

        return values_for(one)

    return offered


def canonical_names(figure: type[Analysis[Any]]) -> dict[str, str]:
    """The name of each option by every other word that it is understood under: ``rope-theta`` is ``base``."""
    return {
        word.replace("_", "-"): one.flag.removeprefix("--")
        for one in known_options(figure).values()
        for word in one.aliases
    }


def keyword(name: str, kind: Any, default: Any, shown: Any) -> inspect.Parameter:
    """A keyword parameter of that type that Typer shows as given."""
    return inspect.Parameter(name, inspect.Parameter.KEYWORD_ONLY, default=default, annotation=Annotated[kind, shown])


def help_text(one: Option) -> str:
    """What an option does, what it takes and what it is by default."""
    default = one.unset if one.default in (None, ()) else one.write(one.default)
    taken = range_text(one)
    between = "; " if ", " in taken else ", "
    facts = between.join(filter(None, [taken, f"default {default}" if default else ""]))
    flag = one.scalar is bool and not one.default
    return f"{one.help} ({facts})" if facts and not flag else one.help


def range_text(one: Option) -> str:
    """What an option takes, as short as it can be said."""
    if one.choices is not None:
        words = list(one.choices())
        return ("|" if len(words) <= FEW and sum(map(len, words)) <= SHORT else ", ").join(words)
    low, high = (limit is not None and abs(limit) < FAR for limit in (one.at_least, one.at_most))
    number = f"> {write_scalar(one.above)}" if one.above is not None else ""
    number = f"≥ {write_scalar(one.at_least)}" if low else number
    number = f"{write_scalar(one.at_least)} to {write_scalar(one.at_most)}" if low and high else number
    return " or ".join(filter(None, [number, "|".join(one.names)]))


def standing(one: Option, defaults: Mapping[str, Any]) -> Option:
    """The option with the default that stands in for its own."""
    return replace(one, default=default_of(one, defaults))


def job_parameters(
    figure: type[Analysis[Any]], words: Sequence[str] = (), more: Mapping[str, Option] | None = None
) -> list[inspect.Parameter]:
    """All options of a figure's or report's command; `more` are a plugin's.

    The help shows the parameters of the encodings that the words name, or of the figure's own.
    """
    known = known_options(figure)
    rows = [specs_argument(figure.default_encoding)]
    rows += [parameter(one, f"Options of {figure.name}", hidden=one.in_spec) for one in figure.options().values()]
    rows += [parameter(replace(one, unset=figure.default_encoding), "Encoding") for one in Choice.options().values()]
    rows += _encoding_rows(figure, words)
    shown = {row.name for row in rows}
    rows += [parameter(one, "Encoding") for name, one in (more or {}).items() if name not in shown]
    sections: tuple[tuple[str, type[Options]], ...] = (
        ("Positions", Positions),
        ("Picture", Canvas),
        ("Output", Output),
        ("Output", Language),
    )
    every = [(panel, one) for panel, section in sections for one in section.options().values()]
    return rows + [parameter(_standing(figure, one), panel) for panel, one in every if one.name in known]


def _encoding_rows(figure: type[Analysis[Any]], words: Sequence[str]) -> list[inspect.Parameter]:
    """The parameters of all encodings that the figure takes; those of others than the chosen ones are not shown."""
    chosen = chosen_encodings(figure, words)
    taken = [*chosen, *(kind for kind in ENCODINGS.values() if figure.takes(kind) and kind not in chosen)]
    owners: dict[str, type[Encoding]] = {}
    for kind in taken:
        for name, one in kind.options().items():
            if one.only_with is None and (name in encoding_parameters() or (kind in chosen and not one.in_spec)):
                owners.setdefault(name, kind)
    return [
        parameter(standing(kind.options()[name], figure.default_options), "Encoding", hidden=kind not in chosen)
        for name, kind in owners.items()
    ]


def chosen_encodings(figure: type[Analysis[Any]], words: Sequence[str]) -> list[type[Encoding]]:
    """The encodings that these words name and the figure takes, else the figure's own."""
    heads = [word.removeprefix("--encoding=").removeprefix("-e").partition(":")[0] for word in words]
    named = [kind for head in heads if head.isidentifier() and (kind := encoding_named(head)) is not None]
    return list(dict.fromkeys(filter(figure.takes, named))) or [encoding_of(figure.default_encoding)]


def _standing(figure: type[Analysis[Any]], one: Option) -> Option:
    """The option as it is there: with the figure's default, and without formats of pictures where none is drawn."""
    if one == Output.options()["format"]:
        fitting = [name for name, form in FORMATS.items() if form.numbers or form.document != figure.drawn]
        one = replace(one, choices=lambda: fitting, unset="png" if figure.drawn else "text, md with -o -")
    if figure.length_help and one == Positions.options()["length"]:
        one = replace(one, help=figure.length_help, default=None, at_least=None)
    return standing(one, figure.default_options)


def specs_argument(default: str) -> inspect.Parameter:
    """The encodings as words of their own: ``pecli compare sinusoidal:base=10 rope``."""
    (one,) = Choice.options().values()
    shown = typer.Argument(
        help=plain(help_text(replace(one, unset=default))),
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


def with_parameters(function: Callable[..., None], parameters: list[inspect.Parameter]) -> Callable[..., None]:
    """The function as Typer should see it: taking exactly these parameters, no two of one name."""
    names = [one.name for one in parameters]
    twice = sorted({name for name in names if names.count(name) > 1})
    if twice:
        raise ValueError(f"option {twice[0]!r} is declared twice: by the figure, an encoding or the shared options")
    signature = inspect.Signature(parameters)
    function.__signature__ = signature  # type: ignore[attr-defined]  # where inspect looks
    function.__annotations__ = {name: p.annotation for name, p in signature.parameters.items()}
    return function
