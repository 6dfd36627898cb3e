"""A TOML file of figures becomes pictures, all checked before the first is drawn."""

from __future__ import annotations

import os
import re
import tomllib
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from fnmatch import fnmatchcase
from pathlib import Path
from typing import Any, Protocol

from pecli.core.errors import PecliError, UnknownNameError, UsageError, mention
from pecli.core.language import by_environment
from pecli.core.memory import memory_once
from pecli.core.progress import track
from pecli.jobs.batch_entries import Defaults, Entry, Plan, as_key, read_defaults, read_entry
from pecli.jobs.batch_source import STDIN, is_stream, read_text
from pecli.jobs.job import Job
from pecli.jobs.planned import Planned
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
    reason, paths = one.failure.sentence(as_key) if one.failure else "", " ".join(one.paths)
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
            said, wrong = [*said, error.sentence(as_key)], True
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
