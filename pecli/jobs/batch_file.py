"""A TOML file of figures becomes jobs, all checked before the first is drawn."""

from __future__ import annotations

import re
import sys
import tomllib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from fnmatch import fnmatchcase
from pathlib import Path
from typing import Any

from pecli.analysis import Analysis
from pecli.core.errors import PecliError, UnknownNameError, UsageError
from pecli.core.options import Option
from pecli.core.values import shorten
from pecli.encodings import read_encoding
from pecli.jobs.command_line import plain_path
from pecli.jobs.job import Job
from pecli.jobs.job_options import ANALYSES, Choice, encoding_parameters, find_analysis, known_options, spelled_out
from pecli.jobs.sweep import jobs_of, twice
from pecli.jobs.toml_lines import Lines

STDIN = "-"
TABLES = ("batch", "defaults", "figure")
OWN = ("command", "name", "note")  # keys of a figure that are no options
LARGEST = 10 * 2**20  # bytes of a batch file

EXAMPLE = """\
# Pictures of position encodings: pecli batch {path}
# The keys are the names of the options: pecli heatmap --help lists those of heatmap.

[batch]
title = "Position encodings"                # of the index
# index = ["README.md", "index.html"]       # pages that show every picture with its command line

[defaults]                                  # for every figure that has such an option
size = "column"

[[figure]]
command = "heatmap"
name = "heat"                               # for --only, and the heading in the index
note = "The base stretches the slow waves."
base = [10, 10000]                          # a list is a sweep: two pictures
output = "heat-{{base}}.png"                  # any option's name in braces

[[figure]]
command = "distance"
encoding = "rope:base=500000"
measure = "dot"
output = ["rope.png", "rope.svg"]
"""


@dataclass(frozen=True)
class Entry:
    """One figure of the file: where it stands, what it is called, the jobs it asks for."""

    where: str
    name: str
    note: str
    jobs: tuple[Job, ...]


@dataclass(frozen=True)
class Batch:
    """A file that was read: its figures, and what stands under ``[batch]``."""

    entries: tuple[Entry, ...]
    title: str
    index: tuple[str, ...]
    folder: Path

    @property
    def jobs(self) -> list[Job]:
        """All jobs, in the order of the file."""
        return [job for entry in self.entries for job in entry.jobs]

    def only(self, patterns: Iterable[str]) -> Batch:
        """The figures whose name, or file, one of the patterns fits; raises UsageError where none does."""
        wanted = list(patterns)
        kept = []
        for entry in self.entries:
            jobs = tuple(job for job in entry.jobs if any(_fits(entry, job, pattern) for pattern in wanted))
            kept += [replace(entry, jobs=jobs)] if jobs else []
        if not kept:
            raise UnknownNameError("figure of this file", " ".join(wanted), [entry.name for entry in self.entries])
        return replace(self, entries=tuple(kept))


def _fits(entry: Entry, job: Job, pattern: str) -> bool:
    paths = [Path(path) for path in job.targets()]
    files = [name for path in paths for name in (str(path), path.name, path.stem)]
    return any(fnmatchcase(name, pattern) for name in (entry.name, job.figure.name, *files))


def read_batch(path: str, folder: str | None = None) -> Batch:
    """A batch file, read and checked as a whole.

    Parameters
    ----------
    path : the TOML file, ``-`` for standard input
    folder : where outputs go and stay; by default the file's folder

    Raises
    ------
    UsageError : names every entry that is wrong, with its line
    """
    text = _read(path)
    try:
        tables = tomllib.loads(text)
    except (tomllib.TOMLDecodeError, RecursionError, ValueError) as error:
        raise UsageError(f"{path} is not TOML: {str(error) or 'nested too deeply'}") from None
    place = Path(folder) if folder is not None else Path() if path == STDIN else Path(path).parent
    return _batch(Lines(path, text), tables, place)


def _read(path: str) -> str:
    try:
        data = sys.stdin.buffer.read(LARGEST + 1) if path == STDIN else Path(path).read_bytes()
    except FileNotFoundError:
        raise UsageError(f"{path} does not exist; pecli batch --init writes one to start from") from None
    except OSError as error:
        raise UsageError(f"{path} could not be read: {error.strerror}") from None
    if len(data) > LARGEST:
        raise UsageError(f"{path} is larger than {LARGEST >> 20} MiB: not a batch file")
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise UsageError(f"{path} is not UTF-8 text: {error.reason} at byte {error.start}") from None


def _batch(lines: Lines, tables: dict[str, Any], folder: Path) -> Batch:
    for name in tables:
        if name not in TABLES:
            raise UnknownNameError(f"table of {lines.of(name)}", name, TABLES)
    about, defaults, figures = tables.get("batch", {}), tables.get("defaults", {}), tables.get("figure", [])
    if not all(isinstance(one, dict) for one in (about, defaults)) or not isinstance(figures, list) or not figures:
        raise UsageError(f"{lines.path} is not made of [batch], [defaults] and [[figure]]: see pecli batch --init")
    title, index = _about(lines, about)
    refused = _wrong_defaults(lines, defaults, figures)
    defaults = {name: value for name, value in defaults.items() if name not in refused}
    entries, wrong = [], list(refused.values())
    for number, figure in enumerate(figures):
        try:
            entries.append(_entry(lines, number, figure, defaults, folder))
        except PecliError as error:
            wrong.append(str(error))
    if not wrong:
        wrong = twice((job, entry.where) for entry in entries for job in entry.jobs)
    if wrong:
        raise UsageError("\n".join(wrong))
    return Batch(tuple(entries), title, index, folder)


def _about(lines: Lines, about: Mapping[str, Any]) -> tuple[str, tuple[str, ...]]:
    known: dict[str, Any] = {"title": "Position encodings", "index": []}
    for name, value in about.items():
        if name not in known:
            raise UnknownNameError(f"key of [batch] in {lines.of('batch', key=name)}", name, known)
        known[name] = value
    title, index = known["title"], known["index"]
    index = [index] if isinstance(index, str) else index
    if not isinstance(title, str) or not isinstance(index, list) or not all(isinstance(one, str) for one in index):
        raise UsageError(f"{lines.of('batch')}: title of [batch] is text, index is text or a list of text")
    return title, tuple(index)


def _wrong_defaults(lines: Lines, defaults: Mapping[str, Any], figures: list[Any]) -> dict[str, str]:
    """What is wrong under [defaults], by name: each must be an option of some figure here, of the right type."""
    known: dict[str, Option] = {}
    for figure in figures:
        command = figure.get("command") if isinstance(figure, dict) else None
        if isinstance(command, str) and command in ANALYSES:  # another one is told with its entry
            known.update(known_options(find_analysis(command)))
    spelled = {flag.removeprefix("--"): one for one in known.values() for flag in one.flags}
    known = {**{name.replace("-", "_"): one for name, one in spelled.items()}, **known}
    wrong = {}
    for name, value in defaults.items():
        at = f"{lines.of('defaults', key=name)}: [defaults]"
        try:
            _check_type(_known(known, name), value)
        except UsageError as error:
            wrong[name] = f"{at}: {error}"
    return wrong


def _known(known: Mapping[str, Option], name: str, of: str = "") -> Option:
    one = known.get(name.replace("-", "_"))
    if one is None:
        raise UnknownNameError("option" + of, name, known)
    return one


def _entry(lines: Lines, number: int, figure: Any, defaults: Mapping[str, Any], folder: Path) -> Entry:
    """One figure; raises UsageError with its place, the line of the key that is wrong where the message has one."""
    if not isinstance(figure, dict) or not isinstance(figure.get("command"), str):
        raise UsageError(
            f'{lines.of("figure", number)}: figure {number + 1} has no command, such as command = "heatmap"'
        )
    name, note = figure.get("name", ""), figure.get("note", "")
    label = f"figure {number + 1}" + (f" ({name})" if name else "")
    try:
        if not isinstance(name, str) or not isinstance(note, str):
            raise UsageError("name and note are text")
        given = {key: value for key, value in figure.items() if key not in OWN}
        jobs = _jobs(find_analysis(figure["command"]), given, defaults)
        shown = name or Path(jobs[0].targets()[0]).name
        jobs = tuple(_placed(job, folder) for job in jobs)
        for job in jobs:
            job.check(planned=True)
    except PecliError as error:
        place = lines.of("figure", number, _key_of(str(error), figure))
        raise UsageError(f"{place}: {label}: {error}") from None
    return Entry(f"{lines.of('figure', number)}: {label}", shown, note, jobs)


def _key_of(message: str, figure: Mapping[str, Any]) -> str | None:
    """The key that a message is about: the first of the entry's that it names."""
    found = re.findall(r"--([a-z][a-z-]*)|'(\w[\w-]*)'|unknown (\w+)|^(\w+)", message)
    named = [word.replace("-", "_") for words in found for word in words if word]
    return next((key for word in named for key in figure if key.replace("-", "_") == word), None)


def _jobs(analysis: type[Analysis[Any]], given: Mapping[str, Any], defaults: Mapping[str, Any]) -> tuple[Job, ...]:
    known = known_options(analysis)
    given, spelled = spelled_out(known, given), spelled_out(known, defaults)
    (choice,) = Choice.options()
    specs = _specs(given.get(choice, spelled.get(choice, analysis.default_encoding)))
    own = {name: one for spec in specs for name, one in read_encoding(spec).options().items()}
    for key, value in given.items():
        _check_type(own.get(key) or _known(known, key, f" of {analysis.name}"), value)
    fitting = {n: v for n, v in spelled.items() if n in known and (n not in encoding_parameters() or n in own)}
    jobs = jobs_of(analysis.name, {**fitting, **given})
    if not jobs[0].targets():
        raise UsageError(
            f"output is missing: {analysis.name} draws nothing, so name a file such as {analysis.name}.json"
        )
    return tuple(jobs)


def _specs(value: Any) -> list[str]:
    """The encodings that a value, a list or a list of lists names."""
    if isinstance(value, str):
        return [value]
    if not isinstance(value, list):
        raise UsageError(f"encoding = {value!r} is of the wrong type: it takes text such as 'rope:base=500000'")
    return [spec for item in value for spec in _specs(item)]


def _check_type(one: Option, value: Any) -> None:
    """TOML has types, so text is no number there, and true is neither; raises UsageError."""
    if isinstance(value, list):
        for item in value:
            _check_type(one, item)
        return
    if one.scalar in (bool, str):
        right = isinstance(value, one.scalar)
    else:
        right = (isinstance(value, (int, float)) and not isinstance(value, bool)) or value in list(one.names)
    if not right:
        raise UsageError(f"{one.name} = {shorten(repr(value))} is of the wrong type: it takes {one.bounds}")


def _placed(job: Job, folder: Path) -> Job:
    """The job with its outputs in the folder; raises UsageError for one that would leave it."""
    paths = [inside(folder, path) for path in job.targets()]
    return replace(job, output=replace(job.output, output=tuple(map(plain_path, paths)), format=None))


def inside(folder: Path, path: str) -> str:
    """The path in the folder; raises UsageError for one that would leave it."""
    try:
        there = (folder.resolve() / path).resolve()
    except (OSError, RuntimeError, ValueError) as error:  # a loop of symlinks, a NUL
        raise UsageError(f"output {path!r} cannot be made: {error}") from None
    if path == STDIN or not there.is_relative_to(folder.resolve()):
        raise UsageError(f"output {path} leaves the folder {folder}: name a file inside it")
    return str(folder / path)
