"""One figure of a batch file becomes its jobs: the types of TOML are checked, defaults filled in, outputs placed."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from pecli.analysis import Analysis
from pecli.core.errors import Mention, PecliError, UnknownNameError, UnusedOptionError, UsageError, mention
from pecli.core.memory import Memory
from pecli.core.options import Option, named, own_name
from pecli.core.ranges import is_range
from pecli.encodings import parse_encoding
from pecli.jobs.file_names import plain_path
from pecli.jobs.job import Job, jobs_of
from pecli.jobs.job_options import ANALYSES, Choice, encoding_parameters, find_command, known_options
from pecli.jobs.toml_lines import Lines

OWN = ("command", "name", "note")  # keys of a figure that are no options
STDOUT = "-"


@dataclass(frozen=True)
class Plan:
    """What all figures of a file share: where they stand, where their files go, the memory that there is."""

    lines: Lines
    folder: Path
    memory: Memory


@dataclass(frozen=True)
class Entry:
    """One figure of the file: where it stands, what it is called, the jobs it asks for."""

    where: str
    name: str
    note: str
    jobs: tuple[Job, ...]


@dataclass(frozen=True)
class Defaults:
    """What stands under [defaults]: the values, and what is wrong with the others."""

    values: Mapping[str, Any]
    wrong: tuple[str, ...]


def as_key(one: Mention) -> str:
    """An option as a TOML file has it."""
    written = one.written.lower() if one.written in ("True", "False") else one.written
    return f"{one.name} = {written}" if written else one.name


def read_defaults(lines: Lines, defaults: Mapping[str, Any], figures: list[Any]) -> Defaults:
    """The defaults, each an option of some figure of the file and of the right type."""
    commands = [figure["command"] for figure in figures if _has_command(figure)]
    known: dict[str, Option] = {}
    for command in {command for command in commands if _is_command(command)}:  # another one is told with its entry
        known.update(known_options(find_command(command)[0]))
    values, wrong = {}, []
    for name, value in defaults.items():
        try:
            _check_type(_known(known, name), value)
            values[name] = value
        except UsageError as error:
            wrong.append(f"{lines.of('defaults', key=name)}: [defaults]: {error.sentence(as_key)}")
    return Defaults(values, tuple(wrong))


def _has_command(figure: Any) -> bool:
    return isinstance(figure, dict) and isinstance(figure.get("command"), str)


def _is_command(name: str) -> bool:
    return name in ANALYSES or name in ANALYSES.aliases


def read_entry(plan: Plan, number: int, figure: Any, defaults: Mapping[str, Any]) -> Entry:
    """One figure; raises UsageError with its place, the line of the key that is wrong where one is."""
    head = plan.lines.of("figure", number)
    if not _has_command(figure):
        raise UsageError(f'{head}: figure {number + 1} has no command, such as command = "heatmap"')
    name, note = figure.get("name", ""), figure.get("note", "")
    label = f"figure {number + 1}" + (f" ({name})" if name else "")
    try:
        for key in ("name", "note"):
            if not isinstance(figure.get(key, ""), str):
                raise UsageError(f"{mention(key, figure[key])} is of the wrong type", option=key, allowed="text")
        jobs = _jobs(plan, figure, defaults)
        shown = name or Path(jobs[0].paths[0]).name
        jobs = [_placed(job, plan.folder) for job in jobs]
        for job in jobs:
            job.check(planned=True)
    except PecliError as error:
        keys = _key(error.option, figure, figure), _key(error.option, defaults, figure)
        place = _place(plan.lines, number, keys)
        raise UsageError(f"{place}: {label}: {error.sentence(as_key)}", option=error.option) from None
    return Entry(f"{head}: {label}", shown, note, tuple(jobs))


def _place(lines: Lines, number: int, keys: tuple[str | None, str | None]) -> str:
    """Where the key that is wrong stands: in the figure, or under [defaults]; else where the figure begins."""
    own, default = keys
    return lines.of("defaults", key=default) if default and not own else lines.of("figure", number, own)


def _key(option: str | None, given: Mapping[str, Any], figure: Mapping[str, Any]) -> str | None:
    """The key that spells the option, if one does."""
    return next((key for key in given if option in (key, *_names(key, figure))), None)


def _names(key: str, figure: Mapping[str, Any]) -> list[str]:
    """The option that a key of the figure spells."""
    known = known_options(find_command(figure["command"])[0]) if _is_command(figure["command"]) else {}
    return list(named(known, {key: None}))


def _jobs(plan: Plan, figure: Mapping[str, Any], defaults: Mapping[str, Any]) -> list[Job]:
    analysis, meant = find_command(figure["command"])
    known = known_options(analysis)
    given = {**meant, **named(known, {key: value for key, value in figure.items() if key not in OWN})}
    spelled = named(known, defaults)
    own = _parameters(analysis, given, spelled)
    for key, value in given.items():
        _check_type(own.get(key) or _known(known, key, f" of {analysis.name}"), value)
    fitting = {n: v for n, v in spelled.items() if n in known and (n not in encoding_parameters() or n in own)}
    jobs = _jobs_with(analysis.name, fitting, given, plan.memory)
    if not jobs[0].targets:
        text = f"output is missing: {analysis.name} draws nothing, so name a file such as {analysis.name}.json"
        raise UsageError(text, option="output")
    return jobs


def _jobs_with(name: str, defaults: dict[str, Any], given: Mapping[str, Any], memory: Memory) -> list[Job]:
    """The jobs of a figure, with those of the file's defaults that mean something to it."""
    while True:
        try:
            return jobs_of(name, {**defaults, **given}, memory)
        except UnusedOptionError as error:
            if error.option in given or error.option not in defaults:
                raise
            del defaults[error.option]


def _parameters(
    analysis: type[Analysis[Any]], given: Mapping[str, Any], defaults: Mapping[str, Any]
) -> dict[str, Option]:
    """The parameters of the encodings that a figure names."""
    (choice,) = Choice.options()
    specs = _specs(given.get(choice, defaults.get(choice, analysis.default_encoding)))
    return {name: one for spec in specs for name, one in parse_encoding(spec)[0].options().items()}


def _specs(value: Any) -> list[str]:
    """The encodings that a value, a list or a list of lists names."""
    if isinstance(value, str):
        return [value]
    if not isinstance(value, list):
        text = f"{mention('encoding', value)} is of the wrong type"
        raise UsageError(text, option="encoding", value=value, allowed="text such as 'rope:base=500000'")
    return [spec for item in value for spec in _specs(item)]


def _known(known: Mapping[str, Option], name: str, of: str = "") -> Option:
    one = known.get(own_name(known, name))
    if one is None:
        raise UnknownNameError("option" + of, name, known, option=name)
    return one


def _check_type(one: Option, value: Any) -> None:
    """TOML has types, so text is no number there, and true is neither; raises UsageError."""
    if isinstance(value, list):
        for item in value:
            _check_type(one, item)
        return
    if one.scalar in (bool, str):
        right = isinstance(value, one.scalar)
    else:
        number = isinstance(value, (int, float)) and not isinstance(value, bool)
        right = number or is_range(value) or value in list(one.names)
    if not right:
        text = f"{mention(one.name, value)} is of the wrong type"
        raise UsageError(text, option=one.name, value=value, allowed=one.bounds)


def _placed(job: Job, folder: Path) -> Job:
    """The job with its outputs in the folder; raises UsageError for one that would leave it."""
    return job.with_output([plain_path(inside(folder, path)) for path in job.paths])


def inside(folder: Path, path: str) -> str:
    """The path in the folder; raises UsageError for one that would leave it, here or on another system."""
    if "\\" in path:
        text = f"output {path} has a \\, which parts folders on Windows alone: write /, also there"
        raise UsageError(text, option="output", value=path)
    try:
        real = folder.resolve()
        there = (real / path).resolve()
    except (OSError, RuntimeError, ValueError) as error:  # a loop of symlinks, a NUL
        raise UsageError(f"output {path!r} cannot be made: {error}", option="output", value=path) from None
    if path == STDOUT or not there.is_relative_to(real):
        text = f"output {path} leaves the folder {folder}: name a file inside it"
        raise UsageError(text, option="output", value=path)
    return str(folder / path)
