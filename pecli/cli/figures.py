"""A command for each figure and report: its options as Typer parameters, and values from their texts."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import typer

from pecli.analysis import Analysis
from pecli.cli.completion import offered_values
from pecli.cli.help import USED_MOST
from pecli.cli.options import keyword, parameter, run_options, value_of, values_of, with_parameters
from pecli.cli.show import Command, guard
from pecli.core.errors import UsageError, option_text
from pecli.core.json_schema import Schema
from pecli.core.language import Language, say
from pecli.core.options import Option, Options, canonical_name, default_of
from pecli.core.positions import Positions
from pecli.encodings.base import BiasEncoding
from pecli.encodings.registry import ENCODINGS, Encoding, encoding_named
from pecli.encodings.spec import encoding_of
from pecli.files.formats import FORMATS
from pecli.jobs.job_options import EncodingOption, Labels, Output, encoding_parameters, known_options
from pecli.jobs.run_options import RunOptions
from pecli.page.canvas import Canvas

if TYPE_CHECKING:
    from pecli.jobs.job import Job

Jobs = Callable[[dict[str, Any], bool], "list[Job]"]  # takes the options' texts, and whether --show is given
SPECS = "specs"  # the parameter for encodings given without --encoding
SHARED: dict[type[Options], str] = {  # options of every figure, and their heading in the help
    Positions: "Positions",
    Canvas: "Picture",
    Output: "Output",
    Language: "Output",
}
PICTURES_ALONE = ("show", "jobs")  # run options that apply only to pictures


def analysis_command(
    figure: type[Analysis[Any]], words: Sequence[str] = (), defaults: Mapping[str, str] | None = None
) -> Command:
    """Return the command of a figure or report, with its own options and those shared by all jobs and runs.

    words : words of the command line, which may name encodings
    defaults : values of options that are not given, for an alias
    """
    kinds = chosen_encodings(figure, words)  # possibly from a plugin
    options = {name: entry for kind in kinds for name, entry in kind.options().items() if not entry.in_spec}
    options |= known_options(figure)

    def jobs(values: dict[str, Any], _: bool) -> list[Job]:
        from pecli.jobs.sweep import jobs_of

        made = jobs_of(figure.name, values_of(options, {**(defaults or {}), **passed_options(values, figure)}))
        check_second(figure, made)
        return made

    def answer() -> Schema:
        from pecli.jobs.answers import pictures_schema

        return pictures_schema(figure)

    more = f"pecli {figure.name} rope --help also shows the options of rope; any encoding can be named there."
    numbers = [figure.defines, *(f"{say(name)}: {say(text)}" for name, text in figure.row_meanings.items())]
    return Command(
        draw_command(figure, jobs, words),
        (figure.example, *figure.examples),
        settings=settings_of(figure),
        answer=answer,
        notes=(more, f"The numbers: {numbers[0]}", *numbers[1:]) if figure.defines else (more,),
    )


def check_second(figure: type[Analysis[Any]], jobs: list[Job]) -> None:
    """Raise UsageError if a figure that compares encodings is given only one on the command line.

    A single encoding is allowed in Python, and in each cell of a grid.
    """
    if not figure.compares or any(len(job.cells) > 1 or len(job.encodings) > 1 for job in jobs):
        return
    encoding = jobs[0].encodings[0]
    others = ("alibi", "kerple") if isinstance(encoding, BiasEncoding) else ("sinusoidal", "rope")
    other = next(name for name in others if name != encoding.name)
    more = " --figure bias" if isinstance(encoding, BiasEncoding) else ""
    text = f"{figure.name} takes two encodings or more, but only {encoding.name} is given"
    raise UsageError(text, option="encoding", advice=f"try pecli {figure.name} {encoding.name} {other}{more}")


def draw_command(figure: type[Analysis[Any]], jobs_of: Jobs, words: Sequence[str] = ()) -> Callable[..., None]:
    """Return the function of a command that takes a figure's options and draws the jobs that `jobs_of` returns."""

    def command(
        *, json: bool, quiet: bool, verbose: bool, show: bool = False, jobs: list[str] | None = None, **values: Any
    ) -> None:
        with guard(quiet, verbose):
            from pecli.cli.draw import run_jobs

            asked, workers = jobs_of(values, show), value_of(RunOptions.options()["jobs"], jobs)
            run_jobs(asked, as_json=json, quiet=quiet, verbose=verbose, seen=show, workers=workers)

    return with_parameters(command, [*job_parameters(figure, words), *run_parameters(figure.drawn)])


def job_parameters(figure: type[Analysis[Any]], words: Sequence[str] = ()) -> list[inspect.Parameter]:
    """Return the parameters of a figure's or report's command, with the options of the encodings that `words` name."""
    known = known_options(figure)
    encoding = replace(EncodingOption.options()["encoding"], unset=figure.default_encoding)
    specs = typer.Argument(
        help="the same as --encoding",
        metavar="ENCODING",
        rich_help_panel=USED_MOST,
        show_default=False,
        autocompletion=lambda incomplete: offered_values(encoding, incomplete),
    )
    rows = [keyword(SPECS, list[str] | None, None, specs)]
    rows += [parameter(encoding, USED_MOST), parameter(Labels.options()["label"], "Encoding")]
    rows += [parameter(entry, USED_MOST, entry.in_spec) for entry in figure.options().values()]
    chosen = chosen_encodings(figure, words)
    owners: dict[str, type[Encoding]] = {}
    for kind in [*chosen, *filter(figure.takes, ENCODINGS.values())]:
        for name, entry in kind.options().items():
            if not entry.in_spec and (name in encoding_parameters() or kind in chosen):
                owners.setdefault(name, kind)
    for name, kind in owners.items():
        rows.append(parameter(_for_figure(figure, kind.options()[name]), "Encoding", kind not in chosen))
    for part, panel in SHARED.items():
        rows += [
            parameter(_for_figure(figure, entry), panel) for name, entry in part.options().items() if name in known
        ]
    return rows


def chosen_encodings(figure: type[Analysis[Any]], words: Sequence[str]) -> list[type[Encoding]]:
    """Return the encodings that the words name and the figure takes, otherwise the figure's default encoding.

    Typer needs all options before it parses the words, and the options of RoPE or a plugin follow from its name. So the
    words are scanned first: ``pecli heatmap rope --help`` shows the options of RoPE.
    """
    heads = [word.removeprefix("--encoding=").removeprefix("-e").partition(":")[0] for word in words]
    kinds = [kind for head in heads if head.isidentifier() and (kind := encoding_named(head)) is not None]
    return list(dict.fromkeys(filter(figure.takes, kinds))) or [encoding_of(figure.default_encoding)]


def _for_figure(figure: type[Analysis[Any]], entry: Option) -> Option:
    """Return the option with the default, help text and formats of this figure or report."""
    if entry == Output.options()["format"]:
        fitting = [name for name, form in FORMATS.items() if form.numbers or form.document != figure.drawn]
        entry = replace(entry, choices=lambda: fitting, unset="png" if figure.drawn else "text, md with -o -")
    if figure.length_help and entry == Positions.options()["length"]:
        entry = replace(entry, help=figure.length_help, default=None, at_least=None)
    return replace(entry, default=default_of(entry, figure.default_options))


def run_parameters(drawn: bool = True) -> list[inspect.Parameter]:
    """Return the parameters for the options of a run; options for pictures are left out if nothing is drawn."""
    return [parameter(entry, "Output") for entry in run_options(*(() if drawn else PICTURES_ALONE))]


def canonical_names(figure: type[Analysis[Any]]) -> dict[str, str]:
    """Return the option name for each alias that is unambiguous: ``rope-theta`` is ``base``."""
    known = known_options(figure)
    names = {word: canonical_name(known, word) for entry in known.values() for word in entry.aliases}
    return {word.replace("_", "-"): name.replace("_", "-") for word, name in names.items() if name != word}


def settings_of(figure: type[Analysis[Any]]) -> dict[str, Any]:
    """Return Click's context settings for a figure's command, which replace aliases of options by their names."""
    names = canonical_names(figure)
    return {"token_normalize_func": lambda word: names.get(word.replace("_", "-"), word.replace("_", "-"))}


def passed_options(values: Mapping[str, Any], figure: type[Analysis[Any]]) -> dict[str, Any]:
    """Return the given options; encodings given as plain words come before those from --encoding."""
    result = {name: value for name, value in values.items() if value not in (None, False, [], ())}
    for word in result.get(SPECS, ()):
        check_word(word, figure)
    if SPECS in result:
        result["encoding"] = [*result.pop(SPECS), *result.get("encoding", [])]
    return result


def check_word(word: str, figure: type[Analysis[Any]]) -> None:
    """Raise UsageError if a word that should be an encoding is an output file, or an option without its dashes."""
    ending, (name, equals, value) = word.rpartition(".")[2].lower(), word.partition("=")
    known, advice = known_options(figure), ""
    if ending in FORMATS and not FORMATS[ending].numbers:
        advice = f"write it with {option_text('output', word)}"
    elif equals and canonical_name(known, name) in known:
        advice = f"write {option_text(canonical_name(known, name), value)}"
    if advice:
        raise UsageError(f"{word[:60]} is not an encoding", option="encoding", value=word, advice=advice)
