"""One command a figure and a report, all made here from their fields."""

from __future__ import annotations

import inspect
import math
import os
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any

import typer

from pecli.analysis import Analysis
from pecli.cli.command import SAYS, WRITES, Command
from pecli.cli.guard import guard
from pecli.cli.options import (
    DRAWN,
    JOBS,
    RUN,
    canonical_names,
    flag,
    given,
    job_parameters,
    keyword,
    with_parameters,
)
from pecli.core.options import Option
from pecli.core.terminal import say
from pecli.encodings.registry import all_encodings
from pecli.jobs.job_options import Choice, known_options, parameters_of

if TYPE_CHECKING:
    from pecli.jobs.job import Job

AskedJobs = Callable[[dict[str, Any], bool, bool], "list[Job]"]
RUN_WORDS = [word for words, _ in [*RUN.values(), *DRAWN.values()] for word in words]
RUN_FLAGS = {*RUN_WORDS, JOBS.flag, *JOBS.flags, "--help"}
GROUPED = re.compile(r"[1-9]\d{0,2}(,\d{3})+")
MILLION = 10**6  # an option that takes as much may be meant to have a comma


def run_parameters(drawn: bool = True) -> list[inspect.Parameter]:
    """The options that do not change the picture, or the report that is none."""
    every = {**(DRAWN if drawn else {}), **RUN}
    flags = [flag(name, words, text, "Output") for name, (words, text) in every.items()]
    text = f"{JOBS.help} (default {JOBS.unset})"
    shown = typer.Option(
        *JOBS.flags, JOBS.flag, help=text, show_default=False, metavar="INTEGER", rich_help_panel="Output"
    )
    return [*flags, keyword(JOBS.name, str | None, None, shown)] if drawn else flags


def analysis_command(
    figure: type[Analysis[Any]], words: Sequence[str] = (), defaults: Mapping[str, str] | None = None
) -> Command:
    """The command of a figure or report: its options, those of every job, and those of this run.

    words : those of the command line, which may ask for the parameters of a plugin's encoding
    defaults : what is done where these options are not given
    """
    more = plugin_parameters(figure, words)

    def asked(values: dict[str, Any], quiet: bool, _: bool) -> list[Job]:
        from pecli.jobs.job import jobs_of

        texts = {**(defaults or {}), **given(values, figure)}
        known = {**more, **known_options(figure)}
        for note in [] if quiet else [*doubts(known, texts), *other_options(figure, texts, defaults or {})]:
            say(note)
        return jobs_of(figure.name, values_of(known, texts))

    numbers = [figure.defines, *(f"{name}: {text}" for name, text in figure.row_meanings.items())]
    return Command(
        running(figure, asked, words, more),
        (figure.example, *figure.examples),
        reads_text=True,
        settings=settings_of(figure),
        notes=("The numbers:", *numbers) if figure.defines else (),
        prints=WRITES if figure.drawn else SAYS,
    )


def settings_of(figure: type[Analysis[Any]]) -> dict[str, Any]:
    """How Typer takes the words of a figure's command."""
    return {"token_normalize_func": partial(canonical_word, canonical_names(figure))}


def canonical_word(names: Mapping[str, str], word: str) -> str:
    """The word of an option, without its dashes, as the help has it."""
    word = word.replace("_", "-")
    return names.get(word, word)


def running(
    figure: type[Analysis[Any]],
    asked: AskedJobs,
    words: Sequence[str] = (),
    more: Mapping[str, Option] | None = None,
) -> Callable[..., None]:
    """The function of a command that draws what is asked for, with the options of a figure.

    asked : the jobs, from the texts of the options, whether to be quiet and whether the picture is to be shown
    words : those of the command line, which may name encodings
    more : options that the figure does not have by itself
    """

    def command(
        *, json: bool, quiet: bool, verbose: bool, show: bool = False, jobs: str | None = None, **values: Any
    ) -> None:
        with guard(quiet, verbose):
            from pecli.cli.draw import run_jobs

            found, workers = asked(values, quiet, show), JOBS.read(jobs) if jobs else None
            run_jobs(found, as_json=json, quiet=quiet, verbose=verbose, seen=show, workers=workers)

    return with_parameters(command, [*job_parameters(figure, words, more), *run_parameters(figure.drawn)])


def plugin_parameters(figure: type[Analysis[Any]], words: Sequence[str]) -> dict[str, Option]:
    """The parameters of plugins' encodings, where these words have an option that is none of ours."""
    ours = {f"--{name}" for name in canonical_names(figure)}
    ours |= {word for one in known_options(figure).values() for word in (one.flag, *one.flags)} | RUN_FLAGS
    asked = {word.partition("=")[0].replace("_", "-") for word in words if word.startswith("--")}
    if asked <= ours:
        return {}
    found = parameters_of(all_encodings())
    return {name: one for name, one in found.items() if name not in known_options(figure) and one.flag in asked}


def values_of(known: Mapping[str, Option], texts: Mapping[str, Any]) -> dict[str, Any]:
    """The texts given to each option as its values: several in one text are separated, lists in pieces are joined."""
    return {name: _values(known[name], text) for name, text in texts.items()}


def doubts(known: Mapping[str, Option], texts: Mapping[str, Any]) -> Iterator[str]:
    """What was done with what has two meanings: a number with a comma, 86,400, and a word that is a folder too."""
    for name in Choice.options():
        yield from _folders(texts.get(name, ()))
    for name, typed in texts.items():
        large = known[name].scalar is int and not known[name].many and (known[name].at_most or math.inf) >= MILLION
        for text in typed if large else []:
            if GROUPED.fullmatch(text):
                one, values = text.replace(",", ""), text.replace(",", " and ")
                yield f"{known[name].flag} {text} is several values, {values}: for the one number write {one}"


def other_options(figure: type[Analysis[Any]], texts: Mapping[str, Any], defaults: Mapping[str, str]) -> Iterator[str]:
    """What is not as a word says that means the figure with these options: the measure of similarity."""
    for name, value in defaults.items():
        given = texts[name] if isinstance(texts[name], str) else ",".join(texts[name])
        if given != value and (one := figure.options().get(name)):
            yield f"{one.flag} is {given}, not {value}: {one.help}"


def _folders(specs: Sequence[str]) -> Iterator[str]:
    names = [name for spec in specs if os.path.isdir(name := spec.partition(":")[0])]
    if names:
        from pecli.models.spec import is_also_a_model  # reading models takes a while to load

        for name in filter(is_also_a_model, names):
            yield f"{name} is the encoding here; the model in the folder {name} is ./{name}"


def _values(one: Option, text: Any) -> Any:
    return text if one.scalar is bool else one.separated([text] if isinstance(text, str) else text)
