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

from pecli.encodings import read_encoding
from pecli.errors import PecliError, UnknownNameError, UsageError
from pecli.job import Job
from pecli.options import Option
from pecli.sections import STUDIES, Choice, encoding_parameters, find_study, known_options
from pecli.study import Study
from pecli.sweep import check_targets, jobs_of
from pecli.words import plain_path

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
    files = [Path(path).name for path in job.targets()] + [Path(path).stem for path in job.targets()]
    return any(fnmatchcase(name, pattern) for name in (entry.name, *files))


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
        raise UsageError(f"{path} is not there; pecli batch --init writes one to start from") from None
    except OSError as error:
        raise UsageError(f"{path} could not be read: {error.strerror}") from None
    if len(data) > LARGEST:
        raise UsageError(f"{path} is larger than {LARGEST >> 20} MiB: not a batch file")
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise UsageError(f"{path} is not UTF-8 text: {error.reason} at byte {error.start}") from None


@dataclass(frozen=True)
class Lines:
    """Where the figures and their keys stand in the text, for messages; tomllib does not say."""

    path: str
    text: str

    def of(self, entry: int, key: str | None = None) -> str:
        """``file:line`` of the entry, or of its key."""
        rows = self.text.splitlines()
        heads = [i for i, row in enumerate(rows) if re.match(r"\s*\[\[\s*figure\s*\]\]", row)]
        if entry >= len(heads):
            return self.path
        at = heads[entry]
        stop = next((i for i in range(at + 1, len(rows)) if re.match(r"\s*\[", rows[i])), len(rows))
        spelled = re.compile(rf"\s*[\"']?{re.escape(key)}[\"']?\s*=") if key else None
        line = next((i for i in range(at, stop) if spelled and spelled.match(rows[i])), at)
        return f"{self.path}:{line + 1}"


def _batch(lines: Lines, tables: dict[str, Any], folder: Path) -> Batch:
    for name in tables:
        if name not in TABLES:
            raise UnknownNameError(f"table of {lines.path}", name, TABLES)
    about, defaults, figures = tables.get("batch", {}), tables.get("defaults", {}), tables.get("figure", [])
    if not all(isinstance(one, dict) for one in (about, defaults)) or not isinstance(figures, list) or not figures:
        raise UsageError(
            f"{lines.path} has no [[figure]] (and [batch] and [defaults] are tables): see pecli batch --init"
        )
    title, index = _about(lines.path, about)
    _check_defaults(lines.path, defaults, figures)
    entries, wrong = [], []
    for number, figure in enumerate(figures):
        try:
            entries.append(_entry(lines, number, figure, defaults, folder))
        except PecliError as error:
            wrong.append(str(error))
    if wrong:
        raise UsageError("\n".join(wrong))
    check_targets(job for entry in entries for job in entry.jobs)
    return Batch(tuple(entries), title, index, folder)


def _about(path: str, about: Mapping[str, Any]) -> tuple[str, tuple[str, ...]]:
    known: dict[str, Any] = {"title": "Position encodings", "index": []}
    for name, value in about.items():
        if name not in known:
            raise UnknownNameError(f"key of [batch] in {path}", name, known)
        known[name] = value
    index = [known["index"]] if isinstance(known["index"], str) else known["index"]
    if not isinstance(known["title"], str) or not all(isinstance(one, str) for one in index):
        raise UsageError(f"{path}: title and index of [batch] are text")
    return known["title"], tuple(index)


def _check_defaults(path: str, defaults: Mapping[str, Any], figures: list[Any]) -> None:
    """Every default must be an option of some figure of the file."""
    commands = [figure.get("command") for figure in figures if isinstance(figure, dict)]
    known: dict[str, Option] = {}
    for command in commands:
        if isinstance(command, str) and command in STUDIES:  # another one is told with its entry
            known.update(known_options(find_study(command)))
    for name, value in defaults.items():
        if name.replace("-", "_") not in known:
            raise UnknownNameError(f"option under [defaults] of {path}", name, known)
        _check_type(f"{path}: [defaults]", known[name.replace("-", "_")], value)


def _entry(lines: Lines, number: int, figure: Any, defaults: Mapping[str, Any], folder: Path) -> Entry:
    where = f"{lines.of(number)}: figure {number + 1}"
    if not isinstance(figure, dict) or not isinstance(figure.get("command"), str):
        raise UsageError(f'{where} has no command, such as command = "heatmap"')
    name, note = figure.get("name", ""), figure.get("note", "")
    if not isinstance(name, str) or not isinstance(note, str):
        raise UsageError(f"{where}: name and note are text")
    where += f" ({name})" if name else ""
    given = {key.replace("-", "_"): value for key, value in figure.items() if key not in OWN}
    try:
        study = find_study(figure["command"])
        _check_keys(lines, number, study, given)
        fitting = _fitting(study, given, {key.replace("-", "_"): value for key, value in defaults.items()})
        jobs = tuple(_placed(job, folder) for job in jobs_of(study.name, {**fitting, **given}))
        for job in jobs:
            job.check()
    except PecliError as error:
        raise UsageError(f"{_prefix(str(error), where)}{error}") from None
    return Entry(where, name or jobs[0].targets()[0], note, jobs)


def _prefix(text: str, where: str) -> str:
    return "" if text.startswith(where.split(":")[0] + ":") else f"{where}: "


def _check_keys(lines: Lines, number: int, study: type[Study], given: Mapping[str, Any]) -> None:
    known = known_options(study)
    for key, value in given.items():
        at = f"{lines.of(number, key)}: figure {number + 1}"
        if key not in known and not _plugin_has(given, key):
            raise UsageError(f"{at}: {UnknownNameError(f'option of {study.name}', key, known)}")
        if key in known:
            _check_type(at, known[key], value)
            _check_value(at, known[key], value)


def _check_value(at: str, one: Option, value: Any) -> None:
    """Each value alone, so that the message has the line of its key."""
    items = value if isinstance(value, list) else [value]
    try:
        for item in items:
            if one.name not in encoding_parameters():  # those differ from encoding to encoding
                one.read(item)
    except PecliError as error:
        raise UsageError(f"{at}: {error}") from None


def _plugin_has(given: Mapping[str, Any], key: str) -> bool:
    (name,) = Choice.options()
    specs = given.get(name, [])
    return any(key in read_encoding(spec).options() for spec in ([specs] if isinstance(specs, str) else specs))


def _check_type(at: str, one: Option, value: Any) -> None:
    """TOML has types, so text is no number there, and true is neither."""
    if isinstance(value, list):
        for item in value:
            _check_type(at, one, item)
        return
    if one.scalar is bool:
        right = isinstance(value, bool)
    elif one.scalar is str:
        right = isinstance(value, str)
    else:
        right = (isinstance(value, (int, float)) and not isinstance(value, bool)) or value in list(one.names)
    if not right:
        raise UsageError(f"{at}: {one.name} = {value!r} is of the wrong type: it takes {one.bounds}")


def _fitting(study: type[Study], given: Mapping[str, Any], defaults: Mapping[str, Any]) -> dict[str, Any]:
    """The defaults that this figure, with its encodings, has an option for."""
    (choice,) = Choice.options()
    specs = given.get(choice, defaults.get(choice, study.usual))
    encodings = [read_encoding(spec) for spec in ([specs] if isinstance(specs, str) else specs)]
    own = {name for encoding in encodings for name in encoding.options()}
    known = known_options(study)
    return {n: v for n, v in defaults.items() if n in known and (n not in encoding_parameters() or n in own)}


def _placed(job: Job, folder: Path) -> Job:
    """The job with its outputs in the folder; raises UsageError for one that would leave it."""
    base = folder.resolve()
    targets = job.targets()
    for path in targets:
        if path == STDIN or not (base / path).resolve().is_relative_to(base):
            raise UsageError(f"output {path} leaves the folder {folder}: name a file inside it")
    paths = tuple(plain_path(str(folder / path)) for path in targets)
    return replace(job, output=replace(job.output, output=paths, format=None))
