"""Batch files: TOML files of figures, read into jobs that are all checked before the first is drawn."""

from __future__ import annotations

import fnmatch
import os
import re
import sys
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, ClassVar

from pecli.core.errors import (
    FileError,
    OutputError,
    PecliError,
    UnknownNameError,
    UnusedOptionError,
    UsageError,
    as_keys,
    as_pecli_error,
    combined_type,
    notice,
    option_text,
    parse_error_text,
    path_text,
    reason_of,
)
from pecli.core.language import options_from_environment
from pecli.core.options import Option, Options, canonical_name, option, with_canonical_names
from pecli.core.progress import track
from pecli.core.readable import search_folder
from pecli.files.writer import real_path, real_paths
from pecli.jobs.job import Job
from pecli.jobs.job_options import encoding_parameters, find_command, known_options, parameters_of
from pecli.jobs.names import check_generated_names, clashes, escape_placeholders
from pecli.jobs.sweep import expand, specs_in

STDIN = "-"
NEEDED = ("command", "encoding", "figure", "output")  # after an error in one of these, no other key is read


def read_text(path: str) -> str:
    """Return the text of a batch file, ``-`` for standard input; raise FileError if it cannot be read as UTF-8."""
    try:
        data = sys.stdin.buffer.read() if path == STDIN else Path(path).read_bytes()
        return data.decode("utf-8-sig")
    except FileNotFoundError:
        raise FileError(f"{path_text(path)} does not exist; pecli batch --init writes an example") from None
    except OSError as error:
        raise FileError(f"{path_text(path)} could not be read: {reason_of(error)}") from None
    except UnicodeDecodeError as error:
        raise FileError(f"{path} is not UTF-8 text: {error.reason} at byte {error.start}") from None


LONG_TEXT = re.compile(r'''"""(?:\\.|[^\\])*?""""{0,2}|\'{3}.*?\'{3,5}''', re.DOTALL)
HEAD = re.compile(r"\s*\[\[?\s*([A-Za-z][\w-]*)\s*\]")
KEY = re.compile(r"""\s*["']?([\w-]+)["']?\s*[=.]""")


def key_lines(text: str) -> dict[tuple[str, int, str], int]:
    """Return the line number of each key of a TOML text, by (table name, index of the table, key).

    The key "" stands for the table's header.
    """
    lines: dict[tuple[str, int, str], int] = {}
    table, counts = "", Counter[str]()
    short = LONG_TEXT.sub(lambda match: "\n" * match[0].count("\n"), text)
    for line, content in enumerate(short.splitlines(), 1):
        if head := HEAD.match(content):
            table = head[1]
            lines[table, counts[table], ""] = line
            counts[table] += 1
        elif key := KEY.match(content):
            lines.setdefault((table, counts[table] - 1, key[1].replace("-", "_")), line)
    return lines


EXAMPLE = """\
#:schema pecli.schema.json
# Pictures of position encodings: pecli batch {path}
# The first line lets editors complete the keys. To write its schema: pecli batch --schema > pecli.schema.json
# Keys are the names of options: pecli heatmap --help lists those of heatmap.

[batch]
title = "Position encodings"                # heading of the index
# index = ["README.md", "index.html"]       # pages that show every picture with its command

[defaults]                                  # for every figure that has the option
size = "column"

[[figure]]
command = "heatmap"
name = "heat"                               # for --only, and the heading in the index
note = "The base stretches the slow waves."
base = [10, 10000]                          # a list is a sweep: two pictures
output = "heat-{{base}}.png"                  # a name in braces is replaced by the value of that option

[[figure]]
command = "distance"
encoding = "rope:base=500000"
measure = "dot"
output = ["rope.png", "rope.svg"]
"""


@dataclass(frozen=True)
class BatchHeader(Options):
    """The keys of the table [batch]."""

    what: ClassVar[str] = "key"
    name: ClassVar[str] = "[batch]"

    title: str = option("Position encodings", "heading of the index")
    index: tuple[str, ...] = option(
        (),
        "also write this file with all pictures: an index page (.md, .html), or a .pdf with one picture per page; "
        "repeat for more",
        split=False,
        flags=("--pages",),
    )


@dataclass(frozen=True)
class FigureHeader(Options):
    """The keys of a [[figure]] that are not options of its command."""

    name: str = option("", "name of the figure, for --only and the index")
    note: str = option("", "text below its name in the index")


@dataclass(frozen=True)
class Entry:
    """One [[figure]] of the file: its name, its note, and the jobs that it expands to."""

    name: str
    note: str
    jobs: tuple[Job, ...]


@dataclass(frozen=True)
class Batch:
    """A batch file that was read and checked: its figures, the keys of ``[batch]``, and the folder for its outputs."""

    entries: tuple[Entry, ...]
    title: str
    index: tuple[str, ...]
    folder: Path

    @property
    def jobs(self) -> list[Job]:
        """All jobs in the order of the file."""
        return [job for entry in self.entries for job in entry.jobs]

    def only(self, patterns: Sequence[str]) -> Batch:
        """Return the batch with only the jobs whose number, name, command or file matches a pattern.

        Raises UsageError for a pattern that matches nothing.
        """
        kept: list[Job] = []
        for pattern in patterns:
            own = {pattern, real_path(pattern)}
            fitting = [job for job, names in self._selectable_names() if own & names or fnmatch.filter(names, pattern)]
            if not fitting:
                known = [entry.name for entry in self.entries]
                raise UnknownNameError("figure in this file:", pattern, known, option="only")
            kept += fitting
        return self._keep_jobs(kept)

    def _selectable_names(self) -> Iterator[tuple[Job, set[str]]]:
        """Yield each job with the set of names by which ``--only`` can select it."""
        for number, entry in enumerate(self.entries, 1):
            for job in entry.jobs:
                files = [name for path in map(Path, job.paths) for name in (str(path), path.name, path.stem)]
                files += [os.path.relpath(path, self.folder) for path in job.paths]
                yield job, {str(number), entry.name, job.figure.name, *files, *map(real_path, files)}

    def shard(self, part: str) -> Batch:
        """Return the batch with every n-th job from the k-th on, for `part` "k/n"; raise UsageError for other texts."""
        match = re.fullmatch(r"([0-9]{1,9})/([0-9]{1,9})", part)
        number, count = map(int, match.groups()) if match else (0, 0)
        if not 1 <= number <= count:
            raise UsageError(option="shard", value=part, allowed="K/N, part K of N with K from 1 to N, such as 3/16")
        return self._keep_jobs(self.jobs[number - 1 :: count])

    def _keep_jobs(self, jobs: Iterable[Job]) -> Batch:
        """Return the batch with only the given jobs, and only the figures that still have any."""
        kept = {job.paths for job in jobs}
        made = [replace(each, jobs=tuple(job for job in each.jobs if job.paths in kept)) for each in self.entries]
        return replace(self, entries=tuple(entry for entry in made if entry.jobs))


def read_batch(path: str, folder: str | None = None, only: Sequence[str] = (), *, written: bool = True) -> Batch:
    """Return a batch file, read and checked as a whole.

    Parameters
    ----------
    path : the TOML file, ``-`` for standard input
    folder : folder for all outputs; by default the file's folder, or for standard input the current one
    only : patterns for `Batch.only`; errors in figures that match none of them become notices
    written : False if the outputs will not be written

    Raises
    ------
    UsageError : some lines are wrong; all of them are listed
    PecliError : the file is not a batch file; or all wrong lines are about files: missing, or impossible to write
    """
    import tomllib

    if folder is not None and os.path.exists(folder) and not os.path.isdir(folder):
        raise OutputError(f"{option_text('folder', folder)} is not a folder", option="folder", value=folder)
    text, shown = read_text(path), "standard input" if path == STDIN else path
    try:
        tables = tomllib.loads(text)
    except (ValueError, RecursionError) as error:
        raise FileError(f"{shown} is not TOML: {parse_error_text(error)}") from None
    beside = Path(path).parent if os.path.isfile(path) else Path()  # for standard input: the current folder
    with search_folder(beside):
        return _Reader(shown, text, tables, beside if folder is None else Path(folder), written).read(only)


class _Reader:
    """Reader of one batch file: turns its parsed tables into jobs, with the line of every error."""

    def __init__(self, path: str, text: str, tables: dict[str, Any], folder: Path, written: bool) -> None:
        self.path, self.lines, self.folder, self.written = path, key_lines(text), folder, written
        known: dict[str, Any] = {"batch": {}, "defaults": {}, "figure": []}
        for name in tables:
            if name not in known:
                raise UnknownNameError(f"table in {path}:", name, known)
        self.about, self.defaults, self.figures = {**known, **tables}.values()
        kinds = isinstance(self.about, dict), isinstance(self.defaults, dict), isinstance(self.figures, list)
        if not all(kinds) or not self.figures:
            parts = "at least one [[figure]]; [batch] and [defaults] must be tables"
            raise FileError(f"{path} needs {parts}: see pecli batch --init")
        self.real = real_paths()
        self.known: dict[str, Option] = {}  # options of the figures so far

    def read(self, only: Sequence[str]) -> Batch:
        """Return the batch; raise a PecliError that lists all errors in the figures that `only` selects."""
        options_from_environment()  # so that an error there is reported once, not for every figure
        try:
            about = BatchHeader.make(self.about)
        except UsageError as error:
            raise UsageError(f"{self._location('batch', key=error.option)}: {error.sentence(as_keys)}") from None
        entries, wrong = [], list[PecliError]()
        for number, figure in enumerate(track(self.figures, "checking")):
            try:
                entries.append(self._entry(number, figure))
            except PecliError as error:
                if not only or _is_selected(figure, number, only):
                    wrong.append(error)
                else:
                    notice(f"skipped: {error}")
        for name in self.defaults:
            if self.known and canonical_name(self.known, name) not in self.known:
                text = UnknownNameError("option", name, self.known)
                wrong.append(UsageError(f"{self._location('defaults', key=name)}: [defaults]: {text}"))
        jobs = [job for entry in entries for job in entry.jobs]
        wrong += map(UsageError, clashes(jobs, [self.path], self.real))
        if wrong:
            raise combined_type(wrong).combine(line for error in wrong for line in str(error).split("\n"))
        return Batch(tuple(entries), about.title, about.index, self.folder)

    def _location(self, table: str, number: int = 0, key: str | None = None) -> str:
        """Return ``file:line`` of a key in a table, or of the table's header; `number` is the index of the table."""
        head = self.lines.get((table, number, ""))
        line = self.lines.get((table, number, (key or "").replace("-", "_")), head)
        return self.path if line is None else f"{self.path}:{line}"

    def _entry(self, number: int, figure: Any) -> Entry:
        """Return one figure with its jobs.

        Raises
        ------
        PecliError : one line for each wrong key: after each error, the figure is read again without that key
        """
        wrong: list[PecliError] = []
        while True:
            try:
                entry = self._read_entry(number, figure)
            except PecliError as error:
                key = next((key for key in figure if key == error.value), None) if isinstance(figure, dict) else None
                if not wrong or key is not None:
                    wrong.append(error)
                if key is None or key in NEEDED:
                    break
                figure = {name: value for name, value in figure.items() if name != key}
            else:
                if not wrong:
                    return entry
                break
        raise combined_type(wrong).combine(map(str, wrong), option=wrong[0].option)

    def _read_entry(self, number: int, figure: Any) -> Entry:
        """Return one figure of the file with its jobs.

        Raises
        ------
        PecliError : the first error in the figure, with ``file:line`` of the key if it belongs to one; its `value` is
            that key
        """
        head = self._location("figure", number)
        if not isinstance(figure, dict) or not isinstance(figure.get("command"), str):
            raise UsageError(f'{head}: figure {number + 1} has no command; add a line such as command = "heatmap"')
        label, known = f"figure {number + 1}", dict[str, Option]()
        try:
            header = FigureHeader.make({name: figure[name] for name in FigureHeader.options() if name in figure})
            label += f" ({header.name})" if header.name else ""
            known = known_options(find_command(figure["command"])[0])
            self.known.update(known)
            jobs = self._jobs(figure, f"{head}: {label}")
        except Exception as error:
            failure = as_pecli_error(error)
            own, default = (
                next((key for key in keys if canonical_name(known, key) == failure.option), None)
                for keys in (figure, self.defaults)
            )
            in_defaults = default is not None and own is None
            place = self._location("defaults", key=default) if in_defaults else self._location("figure", number, own)
            text = f"{place}: {label}: {failure.sentence(as_keys)}"
            key = None if isinstance(failure, UnusedOptionError) else own
            raise combined_type([failure])(text, option=failure.option, value=key) from None
        return Entry(header.name or Path(jobs[0].paths[0]).name, header.note, tuple(jobs))

    def _jobs(self, figure: Mapping[str, Any], where: str) -> list[Job]:
        """Return the jobs of a figure, with those options of [defaults] that the figure has.

        where : ``file:line`` of the figure
        """
        analysis, meant = find_command(figure["command"])
        known = known_options(analysis)
        own = {key: value for key, value in figure.items() if key not in ("command", *FigureHeader.options())}
        given = {**meant, **with_canonical_names(known, own)}
        defaults = with_canonical_names(known, self.defaults)
        taken = parameters_of(specs_in({"encoding": analysis.default_encoding, **defaults, **given}))
        others = encoding_parameters().keys() - taken.keys()
        fitting = {name: value for name, value in defaults.items() if name in known.keys() - others}
        while True:
            try:
                asked = {**fitting, **given}
                placed = {**asked, "output": self._placed(asked["output"])} if "output" in asked else asked
                return [self._checked(job) for job in expand(analysis.name, placed, where=where).by_file()]
            except UnusedOptionError as error:
                if error.option not in fitting or error.option in given:
                    raise
                del fitting[error.option]

    def _placed(self, output: Any) -> Any:
        """Return output paths, which may have placeholders, with the folder before each; other values unchanged."""
        if isinstance(output, (list, tuple)):
            return list(map(self._placed, output))
        if not isinstance(output, str) or not output.strip() or output == STDIN:
            return output
        return str(Path(escape_placeholders(str(self.folder)), output)) + "/" * output.endswith("/")

    def _checked(self, job: Job) -> Job:
        """Check a job's options, files, fonts and colour maps; return it, with a generated name put in the folder."""
        if not job.targets:
            name = job.figure.name
            text = f"output is missing: {name} is a report and has no picture, so name a file such as {name}.json"
            raise UsageError(text, option="output")
        if not job.output.output:
            paths = [str(self.folder / path) for path in job.paths]
            check_generated_names(job, paths)
            job = job.written_to(list(map(escape_placeholders, paths)))
        for path in job.paths:
            check_inside(self.folder, path, "output", self.real)
        job.settle().check(written=self.written)
        return job


def _is_selected(figure: Any, number: int, patterns: Sequence[str]) -> bool:
    """Return whether a pattern matches the number, name, command or output of a figure that could not be read."""
    keys = figure if isinstance(figure, dict) else {}
    names: list[Any] = [number + 1]
    for value in map(keys.get, ("name", "command", "output")):
        names += value if isinstance(value, list) else [value]
    return any(fnmatch.filter(map(str, names), pattern) for pattern in patterns)


def path_inside(folder: Path, path: str, option: str) -> str:
    """Return the path inside the folder; raise UsageError if it would leave the folder.

    option : option that names the path
    """
    inside = str(folder / path)
    check_inside(folder, inside, option)
    return inside


def check_inside(folder: Path, path: str, option: str, real: Callable[[str], str] = real_path) -> None:
    """Raise UsageError if a path is standard output or outside the folder.

    option : option that names the path
    real : function that resolves the links of a path
    """
    root = real(str(folder)).rstrip(os.sep)
    if path == STDIN or not f"{real(path)}{os.sep}".startswith(f"{root}{os.sep}"):
        text = f"{option_text(option, path)} is outside the folder {folder}: name a file inside it"
        raise UsageError(text, option=option, value=path)
