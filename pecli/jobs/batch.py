"""A TOML file of figures becomes pictures, all checked before the first is drawn."""

from __future__ import annotations

import os
import re
import stat
import sys
import tomllib
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass, field, replace
from fnmatch import fnmatchcase
from functools import cached_property
from pathlib import Path
from typing import IO, Any, NamedTuple

from pecli.analysis import Analysis
from pecli.core.errors import (
    PecliError,
    UnknownNameError,
    UnusedOptionError,
    UsageError,
    as_keys,
    failure_of,
    option_text,
    visible,
)
from pecli.core.language import by_environment
from pecli.core.options import Option, is_range, named, own_name
from pecli.core.terminal import track
from pecli.files.writer import place
from pecli.jobs.job import Job
from pecli.jobs.job_options import ANALYSES, Choice, encoding_parameters, find_command, known_options
from pecli.jobs.names import blanks, check_made_up, plain_path
from pecli.jobs.sweep import expand, group_by_file
from pecli.models.spec import parse_encoding

STDIN = ("-", "/dev/stdin", "/dev/fd/0", "/proc/self/fd/0")
OPEN_FILE = re.compile(r"/dev/fd/\d+|/proc/self/fd/\d+")  # what a shell makes of <(…)
LARGEST = 10 * 2**20  # bytes of a batch file


def is_stream(path: str) -> bool:
    """Whether the text comes from no file, so that names in it are seen from the current folder."""
    return path in STDIN or OPEN_FILE.fullmatch(path) is not None


def read_text(path: str) -> str:
    """The text of a batch file; raises UsageError for what cannot be one, and reads no more of it than one can have."""
    try:
        with _opened(path) as file:
            data = file.read(LARGEST + 1)
    except UsageError:
        raise
    except FileNotFoundError:
        raise UsageError(f"{visible(path)} does not exist; pecli batch --init writes one to start from") from None
    except (OSError, ValueError) as error:  # the latter for a NUL
        raise UsageError(f"{visible(path)} could not be read: {getattr(error, 'strerror', error)}") from None
    if len(data) > LARGEST:
        raise UsageError(f"{path} is larger than {LARGEST >> 20} MiB: not a batch file")
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise UsageError(f"{path} is not UTF-8 text: {error.reason} at byte {error.start}") from None


def _opened(path: str) -> AbstractContextManager[IO[bytes]]:
    if path in STDIN:
        if sys.stdin is None:
            raise UsageError("standard input is closed: there is no batch file to read")
        return nullcontext(sys.stdin.buffer)
    mode = Path(path).stat().st_mode
    if stat.S_ISDIR(mode):
        raise UsageError(f"{visible(path)} could not be read: it is a folder, name the batch file in it")
    if not is_stream(path) and not stat.S_ISREG(mode):  # a device may never end, a FIFO never begin
        raise UsageError(f"{path} is no file: give what it says as standard input, pecli batch - < {path}")
    return Path(path).open("rb")


STRINGS = (
    r'"""(?:\\.|[^\\])*?""""{0,2}',
    r"'''.*?''''{0,2}",
    r'"(?:\\.|[^"\\\n])*"',
    r"'[^'\n]*'",
)
TOKEN = re.compile("|".join([*STRINGS, r"#[^\n]*", r"[\[\]{}\n]"]), re.DOTALL)
NAME = r"""\s*("(?:\\.|[^"\\])*"|'[^']*'|[\w-]+)\s*"""
HEAD = re.compile(rf"\[\[?{NAME}(?:\.{NAME})?")
KEY = re.compile(rf"{NAME}[=.]")


@dataclass
class Section:
    """A table: its name, the line of its head, and the line of each key."""

    name: str
    line: int
    keys: dict[str, int] = field(default_factory=dict)


@dataclass(frozen=True)
class Lines:
    """A file's name and its text, which is TOML."""

    path: str
    text: str

    def of(self, table: str, number: int = 0, key: str | None = None) -> str:
        """``file:line`` of a key in the table of that name (that number of an array), else of the table's head."""
        found = self._named.get(table, [])
        if number >= len(found):
            return self.path
        section = found[number]
        return f"{self.path}:{section.keys.get(_plain(key or ''), section.line)}"

    @cached_property
    def _named(self) -> dict[str, list[Section]]:
        """The tables by name, so that finding one takes no longer where there are many."""
        named: dict[str, list[Section]] = {}
        for section in self.sections:
            named.setdefault(section.name, []).append(section)
        return named

    @cached_property
    def sections(self) -> list[Section]:
        """The tables in order, the keys before the first as a table without a name."""
        result = [Section("", 1)]
        keys = result[0].keys  # of the table that the next statement stands in
        for line, statement in _statements(self.text):
            head, key = HEAD.match(statement), KEY.match(statement)
            if head and head[2] and _plain(head[1]) == result[-1].name:
                result[-1].keys.setdefault(_plain(head[2]), line)  # [figure.base] is a key of the figure above it
                keys = {}
            elif head:
                result.append(Section(_plain(head[1]), line))
                keys = result[-1].keys
            elif key:
                keys.setdefault(_plain(key[1]), line)
        return result


def _statements(text: str) -> Iterator[tuple[int, str]]:
    """The line and text of every head, and of every key with its value, however many lines that has."""
    begin, line, depth, ended = 0, 1, 0, text + "\n"
    for token in TOKEN.finditer(ended):
        mark = token[0]
        depth += (mark in "[{") - (mark in "]}")
        if mark == "\n" and depth == 0:
            yield line, ended[begin : token.start()].strip()
            line += ended.count("\n", begin, token.end())
            begin = token.end()


def _plain(name: str) -> str:
    """A name without quotation marks, with either of - and _ as one."""
    return name.strip("\"'").replace("-", "_")


EXAMPLE = """\
#:schema pecli.schema.json
# Pictures of position encodings: pecli batch {path}
# By the first line editors know the keys, once there is: pecli batch --schema > pecli.schema.json
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


OWN = ("command", "name", "note")  # keys of a figure that are no options
TABLES = ("batch", "defaults", "figure")
STDOUT = "-"
MAX_PLACES = 4  # that a message names


@dataclass(frozen=True)
class Entry:
    """One figure of the file: what it is called, its command, the pictures that it asks for.

    where : its line in the file and its number or name
    """

    name: str
    note: str
    command: str
    jobs: tuple[Job, ...]
    where: str


@dataclass(frozen=True)
class Batch:
    """A file that was read and checked: its figures, and what stands under ``[batch]``."""

    entries: tuple[Entry, ...]
    title: str
    index: tuple[str, ...]
    folder: Path

    @property
    def jobs(self) -> list[Job]:
        """The jobs of all pictures, in the order of the file."""
        return [job for entry in self.entries for job in entry.jobs]

    @property
    def where(self) -> dict[tuple[str, ...], str]:
        """The place in the file of the picture of these files."""
        return {job.paths: entry.where for entry in self.entries for job in entry.jobs}

    def only(self, patterns: Iterable[str]) -> Batch:
        """Return the figures whose name, or file, one of the patterns fits; raises UsageError where none does."""
        wanted = list(patterns)
        kept = self._with(lambda entry: [job for job in entry.jobs if any(_fits(entry, job, p) for p in wanted)])
        if not kept.entries:
            names = [entry.name for entry in self.entries]
            raise UnknownNameError("figure of this file", " ".join(wanted), names, option="only")
        return kept

    def shard(self, part: str) -> Batch:
        """Return every n-th picture from the k-th on, for a part ``k/n``; raises UsageError for another text."""
        found = re.fullmatch(r"([0-9]{1,9})/([0-9]{1,9})", part)
        number, many = map(int, found.groups()) if found else (0, 0)
        if not 1 <= number <= many:
            raise UsageError(option="shard", value=part, allowed="one part of several, from 1/16 to 16/16")
        taken = {id(job) for job in self.jobs[number - 1 :: many]}
        return self._with(lambda entry: [job for job in entry.jobs if id(job) in taken])

    def _with(self, jobs: Callable[[Entry], list[Job]]) -> Batch:
        """Return the same with other pictures of each figure, without the figures that have none."""
        made = [replace(entry, jobs=tuple(jobs(entry))) for entry in self.entries]
        return replace(self, entries=tuple(entry for entry in made if entry.jobs))


def _fits(entry: Entry, job: Job, pattern: str) -> bool:
    files = [name for path in map(Path, job.paths) for name in (str(path), path.name, path.stem)]
    return any(fnmatchcase(name, pattern) for name in (entry.name, entry.command, *files))


def read_batch(path: str, folder: str | None = None) -> Batch:
    """Return a batch file, read and checked as a whole.

    Parameters
    ----------
    path : the TOML file, ``-`` for standard input
    folder : where outputs go and stay; by default the file's folder, of a stream the current one

    Raises
    ------
    UsageError : names every line that is wrong, also for a table or font that is not there; or a folder that is none
    """
    if folder is not None and os.path.exists(folder) and not os.path.isdir(folder):
        raise UsageError(f"{option_text('folder', folder)} is not a folder", option="folder", value=folder)
    text, shown = read_text(path), "standard input" if path in STDIN else path
    try:
        tables = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise UsageError(f"{shown} is not TOML: {error}") from None
    except (RecursionError, ValueError) as error:  # the second is Python's, of integers
        fault = "nested too deeply" if isinstance(error, RecursionError) else "a number has thousands of digits"
        raise UsageError(f"{shown} is not TOML that can be read: {fault}") from None
    place = Path(folder) if folder is not None else Path() if is_stream(path) else Path(path).parent
    return _Reader(Lines(shown, text), tables, place).read()


class _Reader:
    """A batch file on the way to its jobs: its text, its tables, where its files go."""

    def __init__(self, lines: Lines, tables: dict[str, Any], folder: Path) -> None:
        self.lines, self.folder = lines, folder
        for name in tables:
            if name not in TABLES:
                raise UnknownNameError(f"table of {lines.of(name)}", name, TABLES)
        self.about, self.defaults = tables.get("batch", {}), tables.get("defaults", {})
        self.figures = tables.get("figure", [])
        if not all(isinstance(one, dict) for one in (self.about, self.defaults)) or not isinstance(self.figures, list):
            raise self._malformed()
        if not self.figures:
            raise self._malformed()

    def _malformed(self) -> UsageError:
        return UsageError(
            f"{self.lines.path} is not made of [batch], [defaults] and [[figure]]: see pecli batch --init"
        )

    def read(self) -> Batch:
        """Return the file's figures; raises UsageError with all that is wrong."""
        title, index = self._about()
        if not all(isinstance(one, dict) and "lang" in {**self.defaults, **one} for one in self.figures):
            by_environment()  # what is wrong there is told once, not for every figure
        defaults, wrong = self._defaults()
        entries = []
        for number, figure in enumerate(track(self.figures, "checking")):
            try:
                entries.append(self._entry(number, figure, defaults))
            except PecliError as error:
                wrong.append(error.sentence(as_keys))
        wrong += clashes([(job, entry.where) for entry in entries for job in entry.jobs], [self.lines.path])
        if wrong:
            raise UsageError.of_several(wrong)
        return Batch(tuple(entries), title, index, self.folder)

    def _about(self) -> tuple[str, tuple[str, ...]]:
        """Return the title and the index pages that stand under [batch]."""
        known: dict[str, Any] = {"title": "Position encodings", "index": []}
        for name, value in self.about.items():
            if name not in known:
                raise UnknownNameError(f"key of [batch] in {self.lines.of('batch', key=name)}", name, known)
            known[name] = value
        title, index = known["title"], known["index"]
        index = [index] if isinstance(index, str) else index
        texts = isinstance(index, list) and all(isinstance(name, str) for name in index)
        if not isinstance(title, str) or not texts:
            raise UsageError(f"{self.lines.of('batch')}: title of [batch] is text, index is text or a list of text")
        return title, tuple(index)

    def _defaults(self) -> tuple[dict[str, Any], list[str]]:
        """Return the defaults, each an option of some figure and of the right type, and what is wrong with others."""
        commands = {figure["command"] for figure in self.figures if _has_command(figure)}
        known: dict[str, Option] = {}
        for command in filter(_is_command, commands):  # another one is told with its entry
            known.update(known_options(find_command(command)[0]))
        values, wrong = {}, []
        for name, value in self.defaults.items():
            try:
                _check_type(_known(known, name), value)
                values[name] = value
            except UsageError as error:
                wrong.append(f"{self.lines.of('defaults', key=name)}: [defaults]: {error.sentence(as_keys)}")
        return values, wrong

    def _entry(self, number: int, figure: Any, defaults: Mapping[str, Any]) -> Entry:
        """Return one figure with its pictures.

        Raises
        ------
        UsageError : what is wrong with the first picture that is, with its place: the line of the key where one is
        """
        head = self.lines.of("figure", number)
        if not _has_command(figure):
            raise UsageError(f'{head}: figure {number + 1} has no command, such as command = "heatmap"')
        name, note = figure.get("name", ""), figure.get("note", "")
        label = f"figure {number + 1}" + (f" ({name})" if name else "")
        try:
            for key in ("name", "note"):
                if not isinstance(figure.get(key, ""), str):
                    text = f"{option_text(key, repr(figure[key]))} is of the wrong type"
                    raise UsageError(text, option=key, allowed="text")
            jobs = self._jobs(figure, defaults)
        except Exception as error:
            failure = failure_of(error)
            own, default = (_key(failure.option, given, figure) for given in (figure, self.defaults))
            line = (
                self.lines.of("defaults", key=default) if default and not own else self.lines.of("figure", number, own)
            )
            text = f"{line}: {label}: {failure.sentence(as_keys)}"
            raise UsageError(text, option=failure.option) from None
        shown = name or Path(jobs[0].paths[0]).name
        return Entry(shown, note, jobs[0].figure.name, tuple(jobs), f"{head}: {label}")

    def _jobs(self, figure: Mapping[str, Any], defaults: Mapping[str, Any]) -> list[Job]:
        """Return the jobs of a figure, with those of the defaults that mean something to it."""
        analysis, meant = find_command(figure["command"])
        known = known_options(analysis)
        given = {**meant, **named(known, {key: value for key, value in figure.items() if key not in OWN})}
        spelled = named(known, defaults)
        own = _parameters(analysis, {**spelled, **given})
        for key, value in given.items():
            _check_type(own.get(key) or _known(known, key, f" of {analysis.name}"), value)
        fitting = {n: v for n, v in spelled.items() if n in known and (n not in encoding_parameters() or n in own)}
        while True:
            try:
                return [self._job(job) for job in group_by_file(expand(analysis.name, {**fitting, **given}))]
            except UnusedOptionError as error:
                if error.option not in fitting or error.option in given:
                    raise
                del fitting[error.option]

    def _job(self, asked: Job) -> Job:
        """Return the job with its files in the folder, checked for what the machine alone knows too."""
        if not asked.targets:
            text = (
                f"output is missing: {asked.figure.name} draws nothing, so name a file such as {asked.figure.name}.json"
            )
            raise UsageError(text, option="output")
        paths = [inside(self.folder, target.path) for target in asked.targets]
        check_made_up(asked, paths)
        job = asked.written_to(list(map(plain_path, paths))).settle()
        job.check(planned=True)
        return job


def _has_command(figure: Any) -> bool:
    return isinstance(figure, dict) and isinstance(figure.get("command"), str)


def _is_command(name: str) -> bool:
    return name in ANALYSES or name in ANALYSES.aliases


def _key(option: str | None, given: Mapping[str, Any], figure: Mapping[str, Any]) -> str | None:
    """Return the key that spells the option, if one does."""
    known = known_options(find_command(figure["command"])[0]) if _is_command(figure["command"]) else {}
    return next((key for key in given if option in (key, *named(known, {key: None}))), None)


def _parameters(analysis: type[Analysis[Any]], values: Mapping[str, Any]) -> dict[str, Option]:
    """Return the parameters of the encodings that a figure names, or of its own."""
    (choice,) = Choice.options()
    specs = _specs(values.get(choice, analysis.default_encoding))
    return {name: one for spec in specs for name, one in parse_encoding(spec)[0].options().items()}


def _specs(value: Any) -> list[str]:
    """Return the encodings that a value, a list or a list of lists names."""
    if isinstance(value, str):
        return [value]
    if not isinstance(value, list):
        text = f"{option_text('encoding', repr(value))} is of the wrong type"
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
            text = f"{option_text(one.name, repr(each))} is of the wrong type"
            raise UsageError(text, option=one.name, value=each, allowed=one.bounds)


def _single(value: Any) -> list[Any]:
    """Return the value, or those of a list, or of lists in it."""
    return [each for item in value for each in _single(item)] if isinstance(value, list) else [value]


def inside(folder: Path, path: str, option: str = "output") -> str:
    """The path in the folder; raises UsageError for one that would leave it, here or on another system."""
    said = option_text(option, path)
    if "\\" in path:
        text = f"{said} has a \\, which parts folders on Windows alone: write /, also there"
        raise UsageError(text, option=option, value=path)
    try:
        real = folder.resolve()
        there = (real / path).resolve()
    except (OSError, RuntimeError, ValueError) as error:  # a loop of symlinks, a NUL
        raise UsageError(f"{said} cannot be made: {error}", option=option, value=path) from None
    if path == STDOUT or not there.is_relative_to(real):
        text = f"{said} leaves the folder {folder}: name a file inside it"
        raise UsageError(text, option=option, value=path)
    return str(folder / path)


def check_targets(jobs: Sequence[Job]) -> None:
    """Refuses two jobs that would write one file, and a name of our own for somebody else's file."""
    for job in jobs:
        check_made_up(job, job.paths)
    if wrong := clashes([(job, "") for job in jobs]):
        raise UsageError.of_several(wrong, option="output")


class Writing(NamedTuple):
    """A file that a job writes, and the place of that job in a batch file."""

    path: str
    job: Job
    where: str


def clashes(jobs: Sequence[tuple[Job, str]], read: Iterable[str] = ()) -> list[str]:
    """Return what to say of jobs, each with its place in a batch file, that would write one file, once a file.

    read : files that no job may write, besides those that one of them is made from
    """
    kept = {place(path) for path in [*read, *(path for job, _ in jobs for path in job.inputs())]}
    writing: dict[str, list[Writing]] = {}
    for job, where in jobs:
        for path in job.paths:
            writing.setdefault(place(path), []).append(Writing(path, job, where))
    wrong = []
    for at, several in writing.items():
        path = several[0].path
        if at in kept:
            wrong.append(f"{path}{_places(several)} would replace a file that is read here: rename it")
        if len(several) > 1:
            count = "two" if len(several) == 2 else f"{len(several):,}"
            wrong.append(f"{count} pictures would be written to {path}{_places(several)}: {_telling(several)}")
        above = next((writing[str(up)] for up in Path(at).parents if str(up) in writing), None)
        if above is not None:
            wrong.append(f"{path}{_places([*above, *several])} stands under a file of another picture")
    return wrong


def _places(several: Sequence[Writing]) -> str:
    """Return where they are asked for, in brackets; nothing on the command line."""
    found = [one for one in dict.fromkeys(one.where for one in several) if one]
    return f" ({'; '.join(found[:MAX_PLACES])}{'; …' if len(found) > MAX_PLACES else ''})" if found else ""


def _telling(several: Sequence[Writing]) -> str:
    """Return what to put into the name so that they differ: blanks, each of which tells some of them apart."""
    known = [blanks(one.job) for one in several]
    every = dict.fromkeys(name for one in known for name in one)
    names = sorted(every, key=lambda name: name != "encoding")  # which says the most
    chosen: list[str] = []
    apart = 1
    for name in names:
        now = len({tuple(one.get(each) for each in (*chosen, name)) for one in known})
        if now > apart:
            chosen, apart = [*chosen, name], now
    if len({str((one.job.figure.name, one.job.settings())) for one in several}) == 1:
        return "they are the same picture twice"
    if apart < len(several):
        return "give each a name of its own"
    blank = "-".join(f"{{{name}}}" for name in chosen)
    path = Path(several[0].path)
    return f"put {blank} into its name, as in {path.with_name(f'{path.stem}-{blank}{path.suffix}')}"
