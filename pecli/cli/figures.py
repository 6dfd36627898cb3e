"""A command for each figure and report: its options as parameters that Typer takes, and values from their texts."""

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
from pecli.core.language import Language, say
from pecli.core.options import Option, Options, canonical_name, default_of
from pecli.core.positions import Positions
from pecli.encodings.registry import ENCODINGS, Encoding, encoding_named
from pecli.encodings.spec import encoding_of
from pecli.files.formats import FORMATS
from pecli.jobs.job_options import EncodingOption, Labels, Output, encoding_parameters, known_options
from pecli.jobs.run_options import RunOptions
from pecli.page.canvas import Canvas

if TYPE_CHECKING:
    from pecli.jobs.job import Job

Jobs = Callable[[dict[str, Any], bool], "list[Job]"]  # from the texts of options, and whether they are shown
SPECS = "specs"  # the parameter that holds encodings given without --encoding
SHARED: dict[type[Options], str] = {  # options of every figure, and under what the help lists them
    Positions: "Positions",
    Canvas: "Picture",
    Output: "Output",
    Language: "Output",
}
PICTURES_ALONE = ("show", "jobs")  # of the options of a run


def analysis_command(
    figure: type[Analysis[Any]], words: Sequence[str] = (), defaults: Mapping[str, str] | None = None
) -> Command:
    """Return the command of a figure or report: its options, those of every job, and those of this run.

    words : those of the command line, which may name encodings
    defaults : what is done where these options are not given
    """
    kinds = chosen_encodings(figure, words)  # which may be a plugin's
    options = {name: entry for kind in kinds for name, entry in kind.options().items() if not entry.in_spec}
    options |= known_options(figure)

    def jobs(values: dict[str, Any], _: bool) -> list[Job]:
        from pecli.jobs.sweep import jobs_of

        return jobs_of(figure.name, values_of(options, {**(defaults or {}), **passed_options(values, figure)}))

    more = f"pecli {figure.name} rope --help also shows the options of rope; any encoding can be named there."
    numbers = [figure.defines, *(f"{say(name)}: {say(text)}" for name, text in figure.row_meanings.items())]
    return Command(
        running(figure, jobs, words),
        (figure.example, *figure.examples),
        settings=settings_of(figure),
        notes=(more, f"The numbers: {numbers[0]}", *numbers[1:]) if figure.defines else (more,),
    )


def running(figure: type[Analysis[Any]], jobs_of: Jobs, words: Sequence[str] = ()) -> Callable[..., None]:
    """Return the function of a command that draws these jobs, with the options of a figure."""

    def command(
        *, json: bool, quiet: bool, verbose: bool, show: bool = False, jobs: list[str] | None = None, **values: Any
    ) -> None:
        with guard(quiet, verbose):
            from pecli.cli.draw import run_jobs

            asked, workers = jobs_of(values, show), value_of(RunOptions.options()["jobs"], jobs)
            run_jobs(asked, as_json=json, quiet=quiet, verbose=verbose, seen=show, workers=workers)

    return with_parameters(command, [*job_parameters(figure, words), *run_parameters(figure.drawn)])


def job_parameters(figure: type[Analysis[Any]], words: Sequence[str] = ()) -> list[inspect.Parameter]:
    """Return all options of a figure's or report's command; the encoding's are those of the ones that words name."""
    known = known_options(figure)
    encoding = replace(EncodingOption.options()["encoding"], unset=figure.default_encoding)
    specs = typer.Argument(
        help="an encoding, written as for --encoding",
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
        rows.append(parameter(_adapted(figure, kind.options()[name]), "Encoding", kind not in chosen))
    for part, panel in SHARED.items():
        rows += [parameter(_adapted(figure, entry), panel) for name, entry in part.options().items() if name in known]
    return rows


def chosen_encodings(figure: type[Analysis[Any]], words: Sequence[str]) -> list[type[Encoding]]:
    """Return the encodings that these words name and the figure takes, else the figure's default.

    The words are looked at before Typer reads them, as it has to know a command's options beforehand: those of a plugin
    are not known without its name, and the help of ``pecli heatmap rope --help`` shows those of rope.
    """
    heads = [word.removeprefix("--encoding=").removeprefix("-e").partition(":")[0] for word in words]
    kinds = [kind for head in heads if head.isidentifier() and (kind := encoding_named(head)) is not None]
    return list(dict.fromkeys(filter(figure.takes, kinds))) or [encoding_of(figure.default_encoding)]


def _adapted(figure: type[Analysis[Any]], entry: Option) -> Option:
    """Return the option with the figure's default, and without formats of pictures where none is drawn."""
    if entry == Output.options()["format"]:
        fitting = [name for name, form in FORMATS.items() if form.numbers or form.document != figure.drawn]
        entry = replace(entry, choices=lambda: fitting, unset="png" if figure.drawn else "text, md with -o -")
    if figure.length_help and entry == Positions.options()["length"]:
        entry = replace(entry, help=figure.length_help, default=None, at_least=None)
    return replace(entry, default=default_of(entry, figure.default_options))


def run_parameters(drawn: bool = True) -> list[inspect.Parameter]:
    """Return the options that do not change the picture, or the report that is none."""
    return [parameter(entry, "Output") for entry in run_options(*(() if drawn else PICTURES_ALONE))]


def canonical_names(figure: type[Analysis[Any]]) -> dict[str, str]:
    """Return the name of each option by every other word that means it alone: ``rope-theta`` is ``base``."""
    known = known_options(figure)
    names = {word: canonical_name(known, word) for entry in known.values() for word in entry.aliases}
    return {word.replace("_", "-"): name.replace("_", "-") for word, name in names.items() if name != word}


def settings_of(figure: type[Analysis[Any]]) -> dict[str, Any]:
    """Return how Typer takes the words of a figure's command: those of other programs are ours."""
    names = canonical_names(figure)
    return {"token_normalize_func": lambda word: names.get(word.replace("_", "-"), word.replace("_", "-"))}


def passed_options(values: Mapping[str, Any], figure: type[Analysis[Any]]) -> dict[str, Any]:
    """Return the options that were given; encodings given as words stand before those given with --encoding."""
    result = {name: value for name, value in values.items() if value not in (None, False, [], ())}
    for word in result.get(SPECS, ()):
        check_word(word, figure)
    if SPECS in result:
        result["encoding"] = [*result.pop(SPECS), *result.get("encoding", [])]
    return result


def check_word(word: str, figure: type[Analysis[Any]]) -> None:
    """Refuse a word that stands for an encoding and is a file to write, or an option without its dashes."""
    ending, (name, equals, value) = word.rpartition(".")[2].lower(), word.partition("=")
    known, advice = known_options(figure), ""
    if ending in FORMATS and not FORMATS[ending].numbers:
        advice = f"write it with {option_text('output', word)}"
    elif equals and canonical_name(known, name) in known:
        advice = f"write {option_text(canonical_name(known, name), value)}"
    if advice:
        raise UsageError(f"{word[:60]} is not an encoding", option="encoding", value=word, advice=advice)
