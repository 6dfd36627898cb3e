"""One command a figure and a report: its options as parameters that Typer takes, and what the words given mean."""

from __future__ import annotations

import inspect
import math
import os
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Annotated, Any

import typer

from pecli.analysis import Analysis
from pecli.cli.show import Command, guard
from pecli.core.errors import UsageError, option_text
from pecli.core.language import Language
from pecli.core.options import Option, Options, default_of, own_name, write_scalar
from pecli.core.positions import Positions
from pecli.core.terminal import say
from pecli.encodings.registry import ENCODINGS, Encoding, encoding_named
from pecli.figures.canvas import Canvas
from pecli.files.formats import FORMATS
from pecli.jobs.job_options import ANALYSES, Choice, Output, encoding_parameters, known_options
from pecli.models.spec import encoding_of

if TYPE_CHECKING:
    from pecli.jobs.job import Job

Jobs = Callable[[dict[str, Any], bool, bool], "list[Job]"]  # from the texts of options, whether quiet, whether shown
SPECS = "specs"  # the parameter that holds encodings given without --encoding
MARKUP = re.compile(r"\[(?=[a-z#/@])")  # what rich would take for a tag
NUMBERS = re.compile(r"[\d.,]+")
GROUPED = re.compile(r"[1-9]\d{0,2}(,\d{3})+")  # a number with commas
MILLION = 10**6  # an option that takes as much may be meant to have a comma
MAX_WORDS, MAX_WIDTH = 4, 26  # of choices that are one word, a|b|c, which a line cannot break
NO_LIMIT = 10**9  # nobody reaches it
METAVARS = {int: "INTEGER", float: "NUMBER", str: "TEXT", bool: " "}
RUN = (  # the options that do not change the picture
    Option("show the picture in the terminal; alone it writes no file", name="show", scalar=bool),
    Option(
        "processes for a .gif, .webp or .html",
        name="jobs",
        scalar=int,
        at_least=1,
        at_most=1024,
        flags=("-j",),
        unset="the cores",
    ),
    Option("print path, bytes, job and key numbers as JSON", name="json", scalar=bool),
    Option("print nothing but errors", name="quiet", flags=("-q",), scalar=bool),
    Option("say more, and where an error comes from", name="verbose", flags=("-v",), scalar=bool),
)
PICTURES_ALONE = ("show", "jobs")  # of these


def analysis_command(
    figure: type[Analysis[Any]], words: Sequence[str] = (), defaults: Mapping[str, str] | None = None
) -> Command:
    """Return the command of a figure or report: its options, those of every job, and those of this run.

    words : those of the command line, which may name encodings
    defaults : what is done where these options are not given
    """
    options = {**_plugin_options(figure, words), **known_options(figure)}

    def jobs(values: dict[str, Any], quiet: bool, _: bool) -> list[Job]:
        from pecli.jobs.sweep import jobs_of

        texts = {**(defaults or {}), **given(values, figure)}
        for note in [] if quiet else [*doubts(options, texts), *other_options(figure, texts, defaults or {})]:
            say(note)
        return jobs_of(figure.name, values_of(options, texts))

    numbers = [figure.defines, *(f"{name}: {text}" for name, text in figure.row_meanings.items())]
    return Command(
        running(figure, jobs, words),
        (figure.example, *figure.examples),
        reads_text=True,
        settings=settings_of(figure),
        notes=("The numbers:", *numbers) if figure.defines else (),
    )


def running(figure: type[Analysis[Any]], jobs_of: Jobs, words: Sequence[str] = ()) -> Callable[..., None]:
    """Return the function of a command that draws these jobs, with the options of a figure."""

    def command(
        *, json: bool, quiet: bool, verbose: bool, show: bool = False, jobs: list[str] | None = None, **values: Any
    ) -> None:
        with guard(quiet, verbose):
            from pecli.cli.draw import run_jobs

            asked, workers = jobs_of(values, quiet, show), RUN[1].read(jobs[-1]) if jobs else None
            run_jobs(asked, as_json=json, quiet=quiet, verbose=verbose, seen=show, workers=workers)

    return with_parameters(command, [*job_parameters(figure, words), *run_parameters(figure.drawn)])


def with_parameters(function: Callable[..., None], parameters: list[inspect.Parameter]) -> Callable[..., None]:
    """Return the function as Typer should see it: taking exactly these parameters, no two of one name (ValueError)."""
    signature = inspect.Signature(parameters)
    function.__signature__ = signature  # type: ignore[attr-defined]  # where inspect looks
    function.__annotations__ = {name: p.annotation for name, p in signature.parameters.items()}
    return function


def job_parameters(figure: type[Analysis[Any]], words: Sequence[str] = ()) -> list[inspect.Parameter]:
    """Return all options of a figure's or report's command; the encoding's are those of the ones that words name."""
    encoding, known = Choice.options()["encoding"], known_options(figure)
    encoding = replace(encoding, unset=figure.default_encoding)
    specs = typer.Argument(
        help=plain(help_text(encoding)), metavar="ENCODING", show_default=False, autocompletion=_offered(encoding)
    )
    rows = [_keyword(SPECS, list[str] | None, None, specs)]
    rows += [parameter(one, f"Options of {figure.name}", hidden=one.in_spec) for one in figure.options().values()]
    rows += [parameter(encoding, "Encoding"), *_encoding_parameters(figure, words)]
    for panel, part in (("Positions", Positions), ("Picture", Canvas), ("Output", Output), ("Output", Language)):
        section: type[Options] = part
        rows += [parameter(_adapted(figure, one), panel) for one in section.options().values() if one.name in known]
    return rows


def _encoding_parameters(figure: type[Analysis[Any]], words: Sequence[str]) -> list[inspect.Parameter]:
    """Return the parameters of all encodings that the figure takes; those of others than the chosen are hidden."""
    chosen = chosen_encodings(figure, words)
    owners: dict[str, type[Encoding]] = {}
    for kind in [*chosen, *filter(figure.takes, ENCODINGS.values())]:
        for name, one in kind.options().items():
            if not one.in_spec and (name in encoding_parameters() or kind in chosen):
                owners.setdefault(name, kind)
    return [
        parameter(_adapted(figure, kind.options()[name]), "Encoding", hidden=kind not in chosen)
        for name, kind in owners.items()
    ]


def chosen_encodings(figure: type[Analysis[Any]], words: Sequence[str]) -> list[type[Encoding]]:
    """Return the encodings that these words name and the figure takes, else the figure's own."""
    heads = [word.removeprefix("--encoding=").removeprefix("-e").partition(":")[0] for word in words]
    kinds = [kind for head in heads if head.isidentifier() and (kind := encoding_named(head)) is not None]
    return list(dict.fromkeys(filter(figure.takes, kinds))) or [encoding_of(figure.default_encoding)]


def _plugin_options(figure: type[Analysis[Any]], words: Sequence[str]) -> dict[str, Option]:
    """Return the options of the encodings that the words name, which may be a plugin's."""
    kinds = chosen_encodings(figure, words)
    return {name: one for kind in kinds for name, one in kind.options().items() if not one.in_spec}


def _adapted(figure: type[Analysis[Any]], one: Option) -> Option:
    """Return the option with the figure's default, and without formats of pictures where none is drawn."""
    if one == Output.options()["format"]:
        fitting = [name for name, form in FORMATS.items() if form.numbers or form.document != figure.drawn]
        one = replace(one, choices=lambda: fitting, unset="png" if figure.drawn else "text, md with -o -")
    if figure.length_help and one == Positions.options()["length"]:
        one = replace(one, help=figure.length_help, default=None, at_least=None)
    return replace(one, default=default_of(one, figure.default_options))


def run_parameters(drawn: bool = True) -> list[inspect.Parameter]:
    """Return the options that do not change the picture, or the report that is none."""
    return [parameter(one, "Output") for one in RUN if drawn or one.name not in PICTURES_ALONE]


def parameter(one: Option, panel: str, *, hidden: bool = False) -> inspect.Parameter:
    """Return one option as a keyword parameter. Values stay text: they are read and checked by the option itself."""
    switch = one.scalar is bool
    shown = typer.Option(
        *(one.flag, *one.flags),
        help=plain(help_text(one)),
        rich_help_panel=panel,
        hidden=hidden,
        metavar=METAVARS[one.scalar],
        autocompletion=None if switch else _offered(one),
        show_default=False,
    )
    return _keyword(one.name, bool, False, shown) if switch else _keyword(one.name, list[str] | None, None, shown)


def _keyword(name: str, kind: Any, default: Any, shown: Any) -> inspect.Parameter:
    return inspect.Parameter(name, inspect.Parameter.KEYWORD_ONLY, default=default, annotation=Annotated[kind, shown])


def _offered(one: Option) -> Callable[[], list[tuple[str, str]]]:
    """Return what a shell offers for the option, as Typer asks for it."""

    def offered() -> list[tuple[str, str]]:
        from pecli.cli.completion import values_for

        return values_for(one)

    return offered


def plain(text: str) -> str:
    """Return the text as rich shows it without taking anything in it for a tag."""
    return MARKUP.sub(r"\\[", text)


def help_text(one: Option) -> str:
    """Return what an option does, what it takes and what it is by default."""
    if one.scalar is bool and not one.default:
        return one.help
    default = one.unset if one.default in (None, ()) else one.write(one.default)
    values = _values_text(one)
    facts = filter(None, [values, f"default {default}" if default else ""])
    text = ("; " if ", " in values else ", ").join(facts)
    return f"{one.help} ({text})" if text else one.help


def _values_text(one: Option) -> str:
    """Return what an option takes, as short as it can be said."""
    if one.choices is not None:
        words = list(one.choices())
        return ("|" if len(words) <= MAX_WORDS and sum(map(len, words)) <= MAX_WIDTH else ", ").join(words)
    low, high = (limit is not None and abs(limit) < NO_LIMIT for limit in (one.at_least, one.at_most))
    number = f"> {write_scalar(one.above)}" if one.above is not None else ""
    if low:
        number = f"{write_scalar(one.at_least)} to {write_scalar(one.at_most)}" if high else f"≥ {one.at_least}"
    return " or ".join(filter(None, [number, "|".join(one.names)]))


def canonical_names(figure: type[Analysis[Any]]) -> dict[str, str]:
    """Return the name of each option by every other word that it is understood under: ``rope-theta`` is ``base``."""
    options = known_options(figure).values()
    return {word.replace("_", "-"): one.flag.removeprefix("--") for one in options for word in one.aliases}


def settings_of(figure: type[Analysis[Any]]) -> dict[str, Any]:
    """Return how Typer takes the words of a figure's command: those of other programs are ours."""
    names = canonical_names(figure)

    def canonical(word: str) -> str:
        word = word.replace("_", "-")
        return names.get(word, word)

    return {"token_normalize_func": canonical}


def given(values: Mapping[str, Any], figure: type[Analysis[Any]]) -> dict[str, Any]:
    """Return the options that were given; encodings given as words stand before those given with --encoding."""
    result = {name: value for name, value in values.items() if value not in (None, False, [], ())}
    if SPECS in result:
        check_words(result[SPECS], figure)
        result["encoding"] = [*result.pop(SPECS), *result.get("encoding", [])]
    return result


def values_of(known: Mapping[str, Option], texts: Mapping[str, Any]) -> dict[str, Any]:
    """Return the values in the texts given to each option: several in one text are separated, pieces are joined."""

    def values(one: Option, text: Any) -> Any:
        return text if one.scalar is bool else one.separated([text] if isinstance(text, str) else text)

    return {name: values(known[name], text) for name, text in texts.items()}


def check_words(words: Sequence[str], figure: type[Analysis[Any]]) -> None:
    """Refuse words that are no encodings but files, and more than the figure shows in one picture."""
    for word in words:
        if advice := _meant(word, figure):
            raise UsageError(f"{word[:60]} is no encoding", option="encoding", value=word, advice=advice)
    if len(words) > 1 and not figure.several:
        several = ", ".join(name for name, one in ANALYSES.items() if one.several)
        each = " ".join(option_text("encoding", word) for word in words)
        grid = "are a picture each, and with --output=grid.png behind it one grid"
        advice = f"{several} take several, {each} {grid if figure.drawn else 'come one after the other'}"
        raise UsageError(f"{figure.name} shows one encoding, {len(words)} are given", option="encoding", advice=advice)


def _meant(word: str, figure: type[Analysis[Any]]) -> str:
    """Return what to type for a word that stands for an encoding and is none; mostly nothing."""
    ending = word.rpartition(".")[2].lower()
    if ending in FORMATS and not FORMATS[ending].numbers:
        return f"write it with {option_text('output', word)}"
    if ":" in word or os.path.exists(word):  # a spec, or the file of a model
        return ""
    name, equals, value = word.partition("=")
    known = known_options(figure)
    if equals and name.isidentifier() and own_name(known, name) in known:
        return f"write {option_text(own_name(known, name), value)}"
    if NUMBERS.fullmatch(word):
        return "values of one option stand in one word, as in 10,20"
    return "write --tokens before it" if " " in word.strip() and "tokens" in known else ""


def doubts(known: Mapping[str, Option], texts: Mapping[str, Any]) -> Iterator[str]:
    """Yield what was done with what has two meanings: a number with a comma, 86,400, and a word that is a folder."""
    folders = [name for spec in texts.get("encoding", ()) if os.path.isdir(name := spec.partition(":")[0])]
    if folders:
        from pecli.models.spec import is_also_a_model  # reading models takes a while to load

        for name in filter(is_also_a_model, folders):
            yield f"{name} is the encoding here; the model in the folder {name} is ./{name}"
    for one in [known[name] for name in texts]:
        if one.scalar is int and not one.many and (one.at_most or math.inf) >= MILLION:
            for text in filter(GROUPED.fullmatch, texts[one.name]):
                number, values = text.replace(",", ""), text.replace(",", " and ")
                yield f"{one.flag} {text} is several values, {values}: for the one number write {number}"


def other_options(figure: type[Analysis[Any]], texts: Mapping[str, Any], defaults: Mapping[str, str]) -> Iterator[str]:
    """Yield what is not as a word says that means the figure with these options: the measure of similarity."""
    for name, value in defaults.items():
        text = texts[name] if isinstance(texts[name], str) else ",".join(texts[name])
        if text != value and (one := figure.options().get(name)):
            yield f"{one.flag} is {text}, not {value}: {one.help}"
