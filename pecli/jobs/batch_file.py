"""A TOML file of figures becomes jobs, all checked before the first is drawn."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from fnmatch import fnmatchcase
from pathlib import Path
from typing import Any

from pecli.core.errors import PecliError, UnknownNameError, UsageError
from pecli.core.memory import memory_once
from pecli.core.progress import track
from pecli.jobs.batch_entries import Defaults, Entry, Plan, as_key, read_defaults, read_entry
from pecli.jobs.batch_source import STDIN, is_stream, read_text
from pecli.jobs.job import Job
from pecli.jobs.same_files import clashes
from pecli.jobs.toml_lines import Lines

TABLES = ("batch", "defaults", "figure")


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
            names = [entry.name for entry in self.entries]
            raise UnknownNameError("figure of this file", " ".join(wanted), names, option="only")
        return replace(self, entries=tuple(kept))

    def shard(self, part: str) -> Batch:
        """Every n-th picture from the k-th on, for a part ``k/n``; raises UsageError for another text."""
        number, many = _part(part)
        taken = {id(job) for job in self.jobs[number - 1 :: many]}
        kept = [replace(entry, jobs=tuple(job for job in entry.jobs if id(job) in taken)) for entry in self.entries]
        return replace(self, entries=tuple(entry for entry in kept if entry.jobs))


def _part(text: str) -> tuple[int, int]:
    found = re.fullmatch(r"([0-9]{1,9})/([0-9]{1,9})", text)
    number, many = map(int, found.groups()) if found else (0, 0)
    if not 1 <= number <= many:
        raise UsageError(option="shard", value=text, allowed="one part of several, from 1/16 to 16/16")
    return number, many


def _fits(entry: Entry, job: Job, pattern: str) -> bool:
    paths = [Path(path) for path in job.paths]
    files = [name for path in paths for name in (str(path), path.name, path.stem)]
    return any(fnmatchcase(name, pattern) for name in (entry.name, job.figure.name, *files))


def read_batch(path: str, folder: str | None = None) -> Batch:
    """A batch file, read and checked as a whole.

    Parameters
    ----------
    path : the TOML file, ``-`` for standard input
    folder : where outputs go and stay; by default the file's folder, of a stream the current one

    Raises
    ------
    UsageError : names every entry that is wrong, with its line
    """
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
    entries, wrong = _entries(Plan(lines, folder, memory_once()), read_defaults(lines, defaults, figures), figures)
    if not wrong:
        wrong = clashes(((job, entry.where) for entry in entries for job in entry.jobs), [lines.path])
    if wrong:
        raise UsageError("\n".join(wrong))
    return Batch(tuple(entries), title, index, folder)


def _entries(plan: Plan, defaults: Defaults, figures: list[Any]) -> tuple[list[Entry], list[str]]:
    """Every figure of the file that is right, and what is wrong with the others."""
    entries, wrong = [], list(defaults.wrong)
    for number, figure in enumerate(track(figures, "checking")):
        try:
            entries.append(read_entry(plan, number, figure, defaults.values))
        except PecliError as error:
            wrong.append(error.sentence(as_key))
    return entries, wrong


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
