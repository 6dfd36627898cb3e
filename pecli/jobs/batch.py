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
from typing import IO, Any, NamedTuple, Protocol

from pecli.analysis import Analysis
from pecli.core.errors import (
    PecliError,
    UnknownNameError,
    UnusedOptionError,
    UsageError,
    as_keys,
    failure_of,
    mention,
    option_text,
    visible,
)
from pecli.core.language import by_environment
from pecli.core.memory import Memory, memory_once
from pecli.core.options import Option, Options, is_range, named, own_name
from pecli.core.terminal import track
from pecli.figures.canvas import Canvas
from pecli.files.writer import place
from pecli.jobs.job import Job, gathered
from pecli.jobs.job_options import ANALYSES, Choice, encoding_parameters, find_command, known_options
from pecli.jobs.names import blanks, check_made_up, plain_path, targets_of
from pecli.jobs.request import Request
from pecli.jobs.sweep import read_spec
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
            wrong.append(f"{lines.of('defaults', key=name)}: [defaults]: {error.sentence(as_keys)}")
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
                text = f"{option_text(key, repr(figure[key]))} is of the wrong type"
                raise UsageError(text, option=key, allowed="text")
        asked = _asked(figure, defaults)
        found = pictures_of(asked, plan.folder, plan.memory)
        if found[0].asked is None:
            _check_alone(asked)
    except PecliError as error:
        raise UsageError(f"{place(error.option)}: {error.sentence(as_keys)}", option=error.option) from None
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


STDOUT = "-"


@dataclass(frozen=True)
class Planned:
    """One picture of a batch file.

    asked : a Job where it was settled; None where nothing could be made of what is asked for
    paths : its files
    failure : why it cannot be drawn, or could not be
    where : what stands before its failure: the line of the file, the figure
    """

    asked: Request | None = None
    paths: tuple[str, ...] = ()
    failure: PecliError | None = None
    where: str = ""

    @property
    def job(self) -> Job | None:
        """What draws it, where it can be drawn."""
        return self.asked if isinstance(self.asked, Job) and self.failure is None else None


@dataclass(frozen=True)
class Asked:
    """What one figure of a file asks for, each value right by itself, and those of the file's defaults it may take."""

    analysis: type[Analysis[Any]]
    given: Mapping[str, Any]
    defaults: Mapping[str, Any]


def pictures_of(asked: Asked, folder: Path, memory: Memory) -> list[Planned]:
    """The pictures of a figure, with those of the defaults that mean something to it.

    Raises
    ------
    UsageError : an output would leave the folder
    """
    found = _pictures(asked, folder, memory)
    unused = {one.failure.option for one in found if isinstance(one.failure, UnusedOptionError)}
    left = {name: value for name, value in asked.defaults.items() if name not in unused - asked.given.keys()}
    return found if len(left) == len(asked.defaults) else pictures_of(replace(asked, defaults=left), folder, memory)


def _pictures(asked: Asked, folder: Path, memory: Memory) -> list[Planned]:
    name = asked.analysis.name
    try:
        requests = gathered(name, {**asked.defaults, **asked.given})
        targets = [targets_of(request) for request in requests]
        if not targets[0]:
            text = f"output is missing: {name} draws nothing, so name a file such as {name}.json"
            raise UsageError(text, option="output")
    except Exception as error:  # whatever it is, the other figures are drawn
        return [Planned(failure=failure_of(error))]
    places = [tuple(inside(folder, target.path) for target in each) for each in targets]
    return [_picture(one, paths, memory) for one, paths in zip(requests, places, strict=True)]


def _picture(asked: Request, paths: tuple[str, ...], memory: Memory) -> Planned:
    """The picture to those files settled, and checked for what the machine alone knows."""
    made = request = asked.written_to(list(map(plain_path, paths)))
    try:
        check_made_up(asked, paths)
        made = job = Job.settled(request, memory)
        job.check(planned=True)
    except Exception as error:
        return Planned(made, paths, failure_of(error))
    return Planned(job, job.paths)


def inside(folder: Path, path: str, option: str = "output") -> str:
    """The path in the folder; raises UsageError for one that would leave it, here or on another system."""
    said = mention(option, path)
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


MOST = 4  # places that a message names


def check_targets(jobs: Sequence[Job]) -> None:
    """Refuses two jobs that would write one file, and a name of our own for somebody else's file."""
    for job in jobs:
        check_made_up(job, job.paths)
    wrong = clashes(Planned(job, job.paths) for job in jobs)
    if wrong:
        raise UsageError.of_several(wrong, option="output")


class Asker(NamedTuple):
    """A file that a picture writes, and the picture."""

    path: str
    asked: Request
    where: str


def clashes(pictures: Iterable[Planned], read: Iterable[str] = ()) -> list[str]:
    """What to say of pictures that would write one file, once a file.

    read : files that no picture may write, besides those that one of them is made from
    """
    asked = [(one.asked, one) for one in pictures if one.asked is not None]
    kept = {place(path) for path in [*read, *(path for request, _ in asked for path in request.inputs())]}
    askers: dict[str, list[Asker]] = {}
    for request, one in asked:
        for path in one.paths:
            askers.setdefault(place(path), []).append(Asker(path, request, one.where))
    wrong = []
    for at, several in askers.items():
        path = several[0].path
        if at in kept:
            wrong.append(f"{path}{_places(several)} would replace a file that is read here: rename it")
        if len(several) > 1:
            count = "two" if len(several) == 2 else f"{len(several):,}"
            wrong.append(f"{count} pictures would be written to {path}{_places(several)}: {_telling(several)}")
        above = next((askers[str(up)] for up in Path(at).parents if str(up) in askers), None)
        if above is not None:
            wrong.append(f"{path}{_places([*above, *several])} stands under a file of another picture")
    return wrong


def _places(several: Sequence[Asker]) -> str:
    """Where they are asked for, in brackets; nothing on the command line."""
    found = [one for one in dict.fromkeys(one.where for one in several) if one]
    return f" ({'; '.join(found[:MOST])}{'; …' if len(found) > MOST else ''})" if found else ""


def _telling(several: Sequence[Asker]) -> str:
    """What to put into the name so that they differ: blanks, each of which tells some of them apart."""
    known = [blanks(one.asked) for one in several]
    every = dict.fromkeys(name for one in known for name in one)
    names = sorted(every, key=lambda name: name != "encoding")  # which says the most
    chosen: list[str] = []
    apart = 1
    for name in names:
        now = len({tuple(one.get(each) for each in (*chosen, name)) for one in known})
        if now > apart:
            chosen, apart = [*chosen, name], now
    if len({str((one.asked.figure.name, one.asked.settings())) for one in several}) == 1:
        return "they are the same picture twice"
    if apart < len(several):
        return "give each a name of its own"
    blank = "-".join(f"{{{name}}}" for name in chosen)
    path = Path(several[0].path)
    return f"put {blank} into its name, as in {path.with_name(f'{path.stem}-{blank}{path.suffix}')}"


TABLES = ("batch", "defaults", "figure")


@dataclass(frozen=True)
class Batch:
    """A file that was read: its figures, and what stands under ``[batch]``."""

    entries: tuple[Entry, ...]
    title: str
    index: tuple[str, ...]
    folder: Path

    @property
    def pictures(self) -> list[Planned]:
        """All pictures, in the order of the file."""
        return [one for entry in self.entries for one in entry.pictures]

    @property
    def jobs(self) -> list[Job]:
        """Those of all pictures that can be drawn."""
        return [one.job for one in self.pictures if one.job is not None]

    @property
    def failures(self) -> list[str]:
        """A line for each picture that cannot be drawn, with its place and its reason."""
        return [told(one) for one in self.pictures if one.failure is not None]

    def with_failures(self, failures: Mapping[tuple[str, ...], PecliError]) -> Batch:
        """The same where drawing the pictures of these files failed too."""

        def tried(one: Planned) -> Planned:
            return replace(one, failure=one.failure or failures.get(one.paths))

        return self._with(lambda entry: [tried(one) for one in entry.pictures])

    def only(self, patterns: Iterable[str]) -> Batch:
        """The figures whose name, or file, one of the patterns fits; raises UsageError where none does."""
        wanted = list(patterns)
        kept = self._with(lambda entry: [one for one in entry.pictures if any(_fits(entry, one, p) for p in wanted)])
        if not kept.entries:
            names = [entry.name for entry in self.entries]
            raise UnknownNameError("figure of this file", " ".join(wanted), names, option="only")
        return kept

    def shard(self, part: str) -> Batch:
        """Every n-th picture from the k-th on, for a part ``k/n``; raises UsageError for another text."""
        number, many = _part(part)
        taken = {id(one) for one in self.pictures[number - 1 :: many]}
        return self._with(lambda entry: [one for one in entry.pictures if id(one) in taken])

    def _with(self, pictures: Callable[[Entry], list[Planned]]) -> Batch:
        """The same with other pictures of each figure, without the figures that have none."""
        made = [replace(entry, pictures=tuple(pictures(entry))) for entry in self.entries]
        return replace(self, entries=tuple(entry for entry in made if entry.pictures))


class Failed(Protocol):
    """A picture that failed, before or while it was drawn."""

    @property
    def where(self) -> str: ...
    @property
    def paths(self) -> tuple[str, ...]: ...
    @property
    def failure(self) -> PecliError | None: ...


def told(one: Failed) -> str:
    """Why a picture failed, in a line with its place; its files are named once."""
    reason, paths = one.failure.sentence(as_keys) if one.failure else "", " ".join(one.paths)
    return f"{one.where}: {reason if paths in reason else f'{paths}: {reason}'}"


def _part(text: str) -> tuple[int, int]:
    found = re.fullmatch(r"([0-9]{1,9})/([0-9]{1,9})", text)
    number, many = map(int, found.groups()) if found else (0, 0)
    if not 1 <= number <= many:
        raise UsageError(option="shard", value=text, allowed="one part of several, from 1/16 to 16/16")
    return number, many


def _fits(entry: Entry, one: Planned, pattern: str) -> bool:
    paths = [Path(path) for path in one.paths]
    files = [name for path in paths for name in (str(path), path.name, path.stem)]
    return any(fnmatchcase(name, pattern) for name in (entry.name, entry.command, *files))


def read_batch(path: str, folder: str | None = None) -> Batch:
    """A batch file, read and checked as a whole.

    Parameters
    ----------
    path : the TOML file, ``-`` for standard input
    folder : where outputs go and stay; by default the file's folder, of a stream the current one

    Raises
    ------
    UsageError : names every entry that is wrong, with its line; or a folder that is none
    """
    if folder is not None and os.path.exists(folder) and not os.path.isdir(folder):
        raise UsageError(f"{mention('folder', folder)} is not a folder", option="folder", value=folder)
    text, shown = read_text(path), "standard input" if path in STDIN else path
    try:
        tables = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise UsageError(f"{shown} is not TOML: {error}") from None
    except (RecursionError, ValueError) as error:  # the second is Python's, of integers
        fault = "nested too deeply" if isinstance(error, RecursionError) else "a number has thousands of digits"
        raise UsageError(f"{shown} is not TOML that can be read: {fault}") from None
    place = Path(folder) if folder is not None else Path() if is_stream(path) else Path(path).parent
    return _batch(Lines(shown, text), tables, place)


def _batch(lines: Lines, tables: dict[str, Any], folder: Path) -> Batch:
    for name in tables:
        if name not in TABLES:
            raise UnknownNameError(f"table of {lines.of(name)}", name, TABLES)
    about, defaults, figures = tables.get("batch", {}), tables.get("defaults", {}), tables.get("figure", [])
    if not all(isinstance(part, dict) for part in (about, defaults)) or not isinstance(figures, list) or not figures:
        raise UsageError(f"{lines.path} is not made of [batch], [defaults] and [[figure]]: see pecli batch --init")
    title, index = _about(lines, about)
    if not all(isinstance(one, dict) and "lang" in {**defaults, **one} for one in figures):
        by_environment()  # what is wrong there is told once, not for every figure
    plan = Plan(lines, folder, memory_once())
    entries = _entries(plan, read_defaults(lines, defaults, figures), figures)
    batch = Batch(tuple(entries), title, index, folder)
    if wrong := clashes(batch.pictures, [lines.path]):
        raise UsageError.of_several([*wrong, *batch.failures])
    return batch


def _entries(plan: Plan, defaults: Defaults, figures: list[Any]) -> list[Entry]:
    """Every figure of the file; raises UsageError where the file is wrong, with all that any picture fails for."""
    entries, said, wrong = [], list(defaults.wrong), bool(defaults.wrong)
    for number, figure in enumerate(track(figures, "checking")):
        try:
            entries.append(read_entry(plan, number, figure, defaults.values))
            said += [told(one) for one in entries[-1].pictures if one.failure is not None]
        except PecliError as error:
            said, wrong = [*said, error.sentence(as_keys)], True
    if wrong:
        raise UsageError.of_several(said)
    return entries


def _about(lines: Lines, about: Mapping[str, Any]) -> tuple[str, tuple[str, ...]]:
    known: dict[str, Any] = {"title": "Position encodings", "index": []}
    for name, value in about.items():
        if name not in known:
            raise UnknownNameError(f"key of [batch] in {lines.of('batch', key=name)}", name, known)
        known[name] = value
    title, index = known["title"], known["index"]
    index = [index] if isinstance(index, str) else index
    if not isinstance(title, str) or not isinstance(index, list) or not all(isinstance(name, str) for name in index):
        raise UsageError(f"{lines.of('batch')}: title of [batch] is text, index is text or a list of text")
    return title, tuple(index)
