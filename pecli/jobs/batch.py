"""A TOML file of figures becomes pictures, all checked before the first is drawn."""

from __future__ import annotations

import os
import re
import sys
import tomllib
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import nullcontext
from dataclasses import dataclass, replace
from fnmatch import fnmatchcase
from pathlib import Path
from typing import Any

from pecli.analysis import Analysis
from pecli.core.errors import (
    PecliError,
    UnknownNameError,
    UnusedOptionError,
    UsageError,
    as_keys,
    failure_of,
    option_text,
    path_text,
)
from pecli.core.language import by_environment
from pecli.core.options import Option, canonical_name, is_range, with_canonical_names
from pecli.core.terminal import track
from pecli.files.writer import real_path
from pecli.jobs.job import Job
from pecli.jobs.job_options import ANALYSES, encoding_parameters, find_command, known_options
from pecli.jobs.names import blanks, check_made_up, escape_blanks
from pecli.jobs.sweep import expand, group_by_file
from pecli.models.spec import parse_encoding

STDIN = "-"
MAX_BYTES = 10 * 2**20  # bytes of a batch file


def read_text(path: str) -> str:
    """Return the text of a batch file, ``-`` for standard input; UsageError for what cannot be one."""
    try:
        with nullcontext(sys.stdin.buffer) if path == STDIN else Path(path).open("rb") as file:
            data = file.read(MAX_BYTES + 1)
    except FileNotFoundError:
        raise UsageError(f"{path_text(path)} does not exist; pecli batch --init writes one to start from") from None
    except (OSError, ValueError) as error:  # the latter for a NUL
        raise UsageError(f"{path_text(path)} could not be read: {getattr(error, 'strerror', error)}") from None
    if len(data) > MAX_BYTES:
        raise UsageError(f"{path} is larger than {MAX_BYTES >> 20} MiB: not a batch file")
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise UsageError(f"{path} is not UTF-8 text: {error.reason} at byte {error.start}") from None


LONG_TEXT = re.compile(r'''"""(?:\\.|[^\\])*?""""{0,2}|\'{3}.*?\'{3,5}''', re.DOTALL)
HEAD = re.compile(r"\s*\[\[?\s*([A-Za-z][\w-]*)\s*(?:\.\s*([\w-]+)\s*)?\]")
KEY = re.compile(r"""\s*["']?([\w-]+)["']?\s*[=.]""")


class Lines:
    """The lines of the tables of a TOML text and of their keys, found by how a line begins."""

    def __init__(self, path: str, text: str) -> None:
        self.path, self.known = path, dict[tuple[str, int, str], int]()
        table, number, counts = "", 0, Counter[str]()
        short = LONG_TEXT.sub(lambda match: "\n" * match[0].count("\n"), text)
        for line, content in enumerate(short.splitlines(), 1):
            head, key = HEAD.match(content), KEY.match(content)
            if head and not head[2]:
                table, number = head[1], counts[head[1]]
                counts[table] += 1
                self.known[table, number, ""] = line
            elif head or key:  # [figure.base] is a key of the figure above it
                name = head[2] if head else key[1] if key else ""
                self.known.setdefault((table, number, name.replace("-", "_")), line)

    def of(self, table: str, number: int = 0, key: str | None = None) -> str:
        """Return ``file:line`` of a key in the table of that name (that number of an array), else of its head."""
        head = self.known.get((table, number, ""))
        line = self.known.get((table, number, (key or "").replace("-", "_")), head)
        return self.path if line is None else f"{self.path}:{line}"


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


ENTRY_KEYS = ("command", "name", "note")  # keys of a figure that are no options
TABLES = ("batch", "defaults", "figure")
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
    text, shown = read_text(path), "standard input" if path == STDIN else path
    try:
        tables = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise UsageError(f"{shown} is not TOML: {error}") from None
    except (RecursionError, ValueError) as error:  # the second is Python's, of integers
        fault = "nested too deeply" if isinstance(error, RecursionError) else "a number has thousands of digits"
        raise UsageError(f"{shown} is not TOML that can be read: {fault}") from None
    beside = Path(path).parent if os.path.isfile(path) else Path()  # a stream is seen from the current folder
    return _Reader(Lines(shown, text), tables, beside if folder is None else Path(folder)).read()


class _Reader:
    """A batch file on the way to its jobs: its text, its tables, where its files go."""

    def __init__(self, lines: Lines, tables: dict[str, Any], folder: Path) -> None:
        self.lines, self.folder = lines, folder
        for name in tables:
            if name not in TABLES:
                raise UnknownNameError(f"table of {lines.of(name)}", name, TABLES)
        self.about, self.defaults = tables.get("batch", {}), tables.get("defaults", {})
        self.figures = tables.get("figure", [])
        kinds = isinstance(self.about, dict), isinstance(self.defaults, dict), isinstance(self.figures, list)
        if not all(kinds) or not self.figures:
            raise UsageError(f"{lines.path} is not made of [batch], [defaults] and [[figure]]: see pecli batch --init")

    def read(self) -> Batch:
        """Return the file's figures; raises UsageError with all that is wrong."""
        title, index = self._about()
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
        for name in self.about:
            if name not in known:
                raise UnknownNameError(f"key of [batch] in {self.lines.of('batch', key=name)}", name, known)
        title, index = {**known, **self.about}.values()
        pages = [index] if isinstance(index, str) else index
        if not isinstance(pages, list) or not all(isinstance(text, str) for text in [title, *pages]):
            raise UsageError(f"{self.lines.of('batch')}: title of [batch] is text, index is text or a list of text")
        return title, tuple(pages)

    def _defaults(self) -> tuple[dict[str, Any], list[str]]:
        """Return the defaults, each an option of some figure and of the right type, and what is wrong with others."""
        known: dict[str, Option] = {}
        for figure in self.figures:
            if (kind := _kind(figure)) is not None:  # another is refused with its entry
                known.update(known_options(kind))
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
        if not isinstance(figure, dict) or not isinstance(figure.get("command"), str):
            raise UsageError(f'{head}: figure {number + 1} has no command, such as command = "heatmap"')
        name, note = figure.get("name", ""), figure.get("note", "")
        label = f"figure {number + 1}" + (f" ({name})" if name else "")
        try:
            for key, value in (("name", name), ("note", note)):
                if not isinstance(value, str):
                    text = f"{option_text(key, repr(value))} is of the wrong type"
                    raise UsageError(text, option=key, allowed="text")
            jobs = self._jobs(figure, defaults)
        except Exception as error:
            failure = failure_of(error)
            known = known_options(kind) if (kind := _kind(figure)) is not None else {}
            own, default = (
                next((key for key in keys if failure.option in (key, canonical_name(known, key))), None)
                for keys in (figure, self.defaults)
            )
            line = self.lines.of("figure", number, own)
            if default and not own:
                line = self.lines.of("defaults", key=default)
            raise UsageError(f"{line}: {label}: {failure.sentence(as_keys)}", option=failure.option) from None
        shown = name or Path(jobs[0].paths[0]).name
        return Entry(shown, note, jobs[0].figure.name, tuple(jobs), f"{head}: {label}")

    def _jobs(self, figure: Mapping[str, Any], defaults: Mapping[str, Any]) -> list[Job]:
        """Return the jobs of a figure, with those of the defaults that mean something to it."""
        analysis, meant = find_command(figure["command"])
        known = known_options(analysis)
        given = {
            **meant,
            **with_canonical_names(known, {key: value for key, value in figure.items() if key not in ENTRY_KEYS}),
        }
        spelled = with_canonical_names(known, defaults)
        specs = _flat({"encoding": analysis.default_encoding, **spelled, **given}["encoding"])
        if not all(isinstance(spec, str) for spec in specs):
            text = f"{option_text('encoding', repr(specs))} is of the wrong type"
            raise UsageError(text, option="encoding", allowed="text such as 'rope:base=500000'")
        own = {name: option for spec in specs for name, option in parse_encoding(spec)[0].options().items()}
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
            name = asked.figure.name
            text = f"output is missing: {name} draws nothing, so name a file such as {name}.json"
            raise UsageError(text, option="output")
        paths = [inside(self.folder, path) for path in asked.paths]
        check_made_up(asked, paths)
        job = asked.written_to(list(map(escape_blanks, paths))).settle()
        job.check(planned=True)
        return job


def _kind(figure: Any) -> type[Analysis[Any]] | None:
    """Return the figure or report that an entry asks for; None where it names none."""
    name = figure.get("command") if isinstance(figure, dict) else None
    return find_command(name)[0] if isinstance(name, str) and (name in ANALYSES or name in ANALYSES.aliases) else None


def _known(known: Mapping[str, Option], name: str, of: str = "") -> Option:
    option = known.get(canonical_name(known, name))
    if option is None:
        raise UnknownNameError("option" + of, name, known, option=name)
    return option


def _check_type(option: Option, value: Any) -> None:
    """Refuse text where a number belongs, and true where either does: TOML has types."""
    for each in _flat(value):
        if option.scalar in (bool, str):
            right = isinstance(each, option.scalar)
        else:
            number = isinstance(each, (int, float)) and not isinstance(each, bool)
            right = number or is_range(each) or each in list(option.names)
        if not right:
            text = f"{option_text(option.name, repr(each))} is of the wrong type"
            raise UsageError(text, option=option.name, value=each, allowed=option.bounds)


def _flat(value: Any) -> list[Any]:
    """Return the values of a list, and of lists in it; another value alone."""
    return [each for item in value for each in _flat(item)] if isinstance(value, list) else [value]


def inside(folder: Path, path: str, option: str = "output") -> str:
    """Return the path in the folder; raises UsageError for one that would leave it, here or on another system."""
    item = option_text(option, path)
    if "\\" in path:
        text = f"{item} has a \\, which separates folders on Windows only: write /, there too"
        raise UsageError(text, option=option, value=path)
    try:
        real = folder.resolve()
        there = (real / path).resolve()
    except (OSError, RuntimeError, ValueError) as error:  # a loop of symlinks, a NUL
        raise UsageError(f"{item} cannot be made: {error}", option=option, value=path) from None
    if path == STDIN or not there.is_relative_to(real):
        text = f"{item} leaves the folder {folder}: name a file inside it"
        raise UsageError(text, option=option, value=path)
    return str(folder / path)


def check_targets(jobs: Sequence[Job]) -> None:
    """Refuse two jobs that would write one file, and a name of our own for somebody else's file."""
    for job in jobs:
        check_made_up(job, job.paths)
    if wrong := clashes([(job, "") for job in jobs]):
        raise UsageError.of_several(wrong, option="output")


def clashes(jobs: Sequence[tuple[Job, str]], read: Iterable[str] = ()) -> list[str]:
    """Return what to say of jobs, each with its place in a batch file, that would write one file, once a file.

    read : files that no job may write, besides those that one of them is made from
    """
    kept = {real_path(path) for path in [*read, *(path for job, _ in jobs for path in job.inputs())]}
    writing: dict[str, list[tuple[str, Job, str]]] = {}
    for job, where in jobs:
        for path in job.paths:
            writing.setdefault(real_path(path), []).append((path, job, where))
    wrong = []
    for at, several in writing.items():
        path, places = several[0][0], _places(where for _, _, where in several)
        if at in kept:
            wrong.append(f"{path}{places} would replace a file that is read here: rename it")
        if len(several) > 1:
            count = "two" if len(several) == 2 else f"{len(several):,}"
            advice = _advice(path, [job for _, job, _ in several])
            wrong.append(f"{count} pictures would be written to {path}{places}: {advice}")
        if above := next((writing[str(up)] for up in Path(at).parents if str(up) in writing), None):
            places = _places(where for _, _, where in (*above, *several))
            wrong.append(f"{path}{places} stands under a file of another picture")
    return wrong


def _places(several: Iterable[str]) -> str:
    """Return places in a batch file, in brackets; nothing for the command line."""
    places = [real_path for real_path in dict.fromkeys(several) if real_path]
    return f" ({'; '.join(places[:MAX_PLACES])}{'; …' if len(places) > MAX_PLACES else ''})" if places else ""


def _advice(path: str, jobs: Sequence[Job]) -> str:
    """Return what to put into the name of one file so that the jobs' names differ."""
    if len({str((job.figure.name, job.settings())) for job in jobs}) == 1:
        return "they are the same picture twice"
    known = [blanks(job) for job in jobs]
    names = sorted(dict.fromkeys(name for texts in known for name in texts), key=lambda name: name != "encoding")
    chosen: list[str] = []
    apart = 1
    for name in names:  # each of which tells some of them apart
        now = len({tuple(texts.get(each) for each in (*chosen, name)) for texts in known})
        if now > apart:
            chosen, apart = [*chosen, name], now
    if apart < len(jobs):
        return "give each a name of its own"
    blank, shown = "-".join(f"{{{name}}}" for name in chosen), Path(path)
    return f"put {blank} into its name, as in {shown.with_name(f'{shown.stem}-{blank}{shown.suffix}')}"
