"""One figure of a batch file: its keys and the types of TOML are checked, defaults filled in."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from pecli.analysis import Analysis
from pecli.core.errors import Mention, PecliError, UnknownNameError, UsageError, mention
from pecli.core.memory import Memory
from pecli.core.options import Option, Options, named, own_name
from pecli.core.ranges import is_range
from pecli.encodings import parse_encoding
from pecli.figures.canvas import Canvas
from pecli.jobs.job_options import ANALYSES, Choice, encoding_parameters, find_command, known_options
from pecli.jobs.planned import Asked, Planned, pictures_of
from pecli.jobs.sweep import read_spec
from pecli.jobs.toml_lines import Lines

OWN = ("command", "name", "note")  # keys of a figure that are no options


@dataclass(frozen=True)
class Plan:
    """What all figures of a file share: where they stand, where their files go, the memory that there is."""

    lines: Lines
    folder: Path
    memory: Memory


@dataclass(frozen=True)
class Entry:
    """One figure of the file: what it is called, its command, the pictures that it asks for."""

    name: str
    note: str
    command: str
    pictures: tuple[Planned, ...]


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
    """One figure and its pictures, with what keeps one from being drawn.

    Raises
    ------
    UsageError : the file is wrong here: no command, an unknown key, a value that no figure takes, a file that would
        leave the folder; with its place, the line of the key that is wrong where one is
    """
    head = plan.lines.of("figure", number)
    if not _has_command(figure):
        raise UsageError(f'{head}: figure {number + 1} has no command, such as command = "heatmap"')
    name, note = figure.get("name", ""), figure.get("note", "")
    label = f"figure {number + 1}" + (f" ({name})" if name else "")

    def place(option: str | None) -> str:
        keys = _key(option, figure, figure), _key(option, defaults, figure)
        return f"{_place(plan.lines, number, keys)}: {label}"

    try:
        for key in ("name", "note"):
            if not isinstance(figure.get(key, ""), str):
                raise UsageError(f"{mention(key, figure[key])} is of the wrong type", option=key, allowed="text")
        asked = _asked(figure, defaults)
        found = pictures_of(asked, plan.folder, plan.memory)
        if found[0].asked is None:
            _check_alone(asked)
    except PecliError as error:
        raise UsageError(f"{place(error.option)}: {error.sentence(as_key)}", option=error.option) from None
    where = f"{head}: {label}"
    pictures = [replace(one, where=place(one.failure.option) if one.failure else where) for one in found]
    shown = name or (Path(found[0].paths[0]).name if found[0].paths else label)
    return Entry(shown, note, asked.analysis.name, tuple(pictures))


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


def _asked(figure: Mapping[str, Any], defaults: Mapping[str, Any]) -> Asked:
    """What a figure asks for, each value read by itself."""
    analysis, meant = find_command(figure["command"])
    known = known_options(analysis)
    given = {**meant, **named(known, {key: value for key, value in figure.items() if key not in OWN})}
    spelled = named(known, defaults)
    own = _parameters(analysis, {**spelled, **given})
    for key, value in given.items():
        _check_type(own.get(key) or _known(known, key, f" of {analysis.name}"), value)
    fitting = {n: v for n, v in spelled.items() if n in known and (n not in encoding_parameters() or n in own)}
    return Asked(analysis, given, fitting)


def _parameters(analysis: type[Analysis[Any]], values: Mapping[str, Any]) -> dict[str, Option]:
    """The parameters of the encodings that a figure names."""
    specs = _encodings(analysis, values)
    return {name: one for spec in specs for name, one in parse_encoding(spec)[0].options().items()}


def _encodings(analysis: type[Analysis[Any]], values: Mapping[str, Any]) -> list[str]:
    """The encodings that a figure names, or its own."""
    (choice,) = Choice.options()
    return _specs(values.get(choice, analysis.default_encoding))


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
    for each in _single(value) if isinstance(value, list) else [value]:
        if one.scalar in (bool, str):
            right = isinstance(each, one.scalar)
        else:
            number = isinstance(each, (int, float)) and not isinstance(each, bool)
            right = number or is_range(each) or each in list(one.names)
        if not right:
            text = f"{mention(one.name, each)} is of the wrong type"
            raise UsageError(text, option=one.name, value=each, allowed=one.bounds)


def _check_alone(asked: Asked) -> None:
    """Refuses a value that is right with no other: out of its option's bounds, a word or a size that nobody knows."""
    values = {**asked.defaults, **asked.given}
    for spec in _encodings(asked.analysis, values):
        read_spec(*parse_encoding(spec))
    known = {**known_options(asked.analysis), **_parameters(asked.analysis, values)}
    for name, value in values.items():
        for each in _single(value) or [value]:
            for one in [each] if known[name].many else known[name].spread(each):
                known[name].read(one)
                _check_in([Canvas, asked.analysis], name, one)


def _check_in(parts: Sequence[type[Options]], name: str, value: Any) -> None:
    """Refuses a value that one of the parts of a job refuses whatever stands beside it."""
    for part in (one for one in parts if name in one.options()):
        try:
            part.make({name: value})
        except UsageError as error:
            if error.option == name:
                raise


def _single(value: Any) -> list[Any]:
    """The value, or those of a list, or of lists in it."""
    return [each for item in value for each in _single(item)] if isinstance(value, list) else [value]
