"""A job as the command line that asks for it, with its files as seen from here.

The picture may be a stranger's. What it names is read where it lies in the picture's folder or below, or where the user
names it too, wherever links and ``..`` lead.
"""

from __future__ import annotations

import os
import shlex
from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import replace
from pathlib import Path
from typing import Any, TypeVar

from pecli.core.errors import UsageError, is_printable
from pecli.core.hub import is_hub
from pecli.core.options import Options
from pecli.core.readable import is_readable, reading_only
from pecli.encodings.registry import Encoding
from pecli.encodings.spec import parse_encoding, read_encoding
from pecli.files.metadata import find_metadata
from pecli.files.tables import READERS, has_digest
from pecli.files.writer import STDOUT
from pecli.jobs.job import Job
from pecli.jobs.job_options import EncodingOption, encoding_parameters, find_command, known_options
from pecli.jobs.names import blanks, escape_blanks, fill_blanks
from pecli.jobs.sweep import specs_in
from pecli.page.canvas import FILES


def command(job: Job, outputs: Sequence[str] | None = None) -> str:
    """Return the command line that asks for it, quoted for a POSIX shell; with these outputs in place of its own."""
    words, swept = _encoding_words(job), job.sweep()
    for part in (job.figure, job.positions, job.canvas, job.language):
        words += _words(part, job.defaults, swept)
    words += _axis_words(job)
    if outputs is None:
        known = blanks(job)
        outputs = [fill_blanks(path, known) for path in job.output.output]
    words += [word for path in outputs for word in ("--output", escape_blanks(path))]
    words += ["--format", job.output.format] if job.output.format else []
    words += ["--long"] * job.output.long
    return " ".join(map(quoted, ["pecli", job.figure.name, *words]))


def python_call(line: str) -> str:
    """Return the call in Python that does what a command line does: ``pecli.heatmap(base=10)``."""
    _, name, *words = shlex.split(line)
    analysis, aliased = find_command(name)
    options = known_options(analysis)
    flags = {flag: item for item in options.values() for flag in (item.flag, *item.flags)}
    values: dict[str, list[Any]] = {key: [options[key].read(value)] for key, value in aliased.items()}
    encodings, rest = [], iter(words)
    for word in rest:
        flag, _, text = word.partition("=") if word.startswith("--") else (word, "", "")
        if (item := flags.get(flag)) is None:
            encodings.append(word)
        elif item.scalar is bool:
            values[item.name] = [True]
        elif item.name == "encoding":
            encodings.append(text or next(rest))
        else:
            read = [item.read(value) for value in item.split_items([text or next(rest)])]
            values.setdefault(item.name, []).extend(one for own in read for one in (own if item.many else [own]))
    values = {key: [_whole(value) for value in own] for key, own in values.items()}
    shown = {key: own[0] if len(own) == 1 else own for key, own in values.items()}
    first = [repr(encodings[0] if len(encodings) == 1 else encodings)] if encodings else []
    arguments = ", ".join([*first, *(f"{key}={value!r}" for key, value in shown.items())])
    saved = ".save()" if "output" in values else ""
    return f"pecli.{analysis.name}({arguments}){saved}".replace("'", '"')


def _whole(value: Any) -> Any:
    return int(value) if isinstance(value, float) and value.is_integer() else value


def quoted(word: str) -> str:
    """Return a word for a POSIX shell; one that a terminal does not show as bytes that printf writes."""
    if all(map(is_printable, word)):
        return shlex.quote(word)
    octal = "".join(f"\\{byte:03o}" for byte in word.encode())
    return f"\"$(printf '{octal}')\""


def _encoding_words(job: Job) -> list[str]:
    figure, (choice,) = job.figure, EncodingOption.options()
    if job.cells and choice in job.axes:
        return [word for value in job.values(choice) for word in ("--encoding", *value)]
    if figure.specs_are_arguments:
        default = read_encoding(figure.default_encoding, defaults=figure.default_options)
        return [] if job.encodings == (default,) else job.specs()
    if len(job.encodings) > 1:
        return [word for spec in job.specs() for word in ("--encoding", spec)]
    (encoding,) = job.encodings
    if not set(encoding.changed()) <= set(encoding_parameters()):  # a plugin's, or one that belongs to another's value
        return ["--encoding", *job.specs()]
    chosen = [] if encoding.name == figure.default_encoding else ["--encoding", encoding.name]
    return chosen + _words(encoding, figure.default_options, job.sweep())


def _axis_words(job: Job) -> list[str]:
    """Return the options that the cells differ in, with all their values."""
    parts = (*job.encodings, job.figure, job.positions)
    known = {name: option for part in parts for name, option in part.options().items()}
    words = []
    for item in (known[name] for name in job.sweep() if name in job.axes and name in known):
        texts = [item.write(value) for value in job.values(item.name)]
        words += [item.flag, ",".join(texts)] if item.splits else [word for text in texts for word in (item.flag, text)]
    return words


def _words(part: Options, defaults: Mapping[str, Any], without: Collection[str] = ()) -> list[str]:
    words = []
    for name, value in part.changed(defaults).items():
        if name in without:
            continue
        item = part.options()[name]
        words += [item.flag] if item.scalar is bool else [item.flag, item.write(value)]
    return words


P = TypeVar("P", bound=Options)


def reading_beside(made: str, given: Mapping[str, Any]) -> AbstractContextManager[None]:
    """Let no files be read inside the block but those beside the finished file, those that the values name, and those
    of a known ending whose fingerprint the finished file carries: it was drawn from them."""
    prints = find_metadata(made).get("inputs")

    def known(path: str) -> bool:
        return isinstance(prints, list) and path.lower().endswith((*READERS, *FILES)) and has_digest(path, prints)

    def refusal(path: str) -> UsageError:
        return _refusal(made, path, ["pecli", "redraw", made, "-e", path])

    return reading_only(_named(given), str(Path(os.path.realpath(made)).parent), refusal, known)


def _named(given: Mapping[str, Any]) -> Iterator[str]:
    """Yield every text among the values, those in the texts of encodings, and the config.json that one names."""
    from pecli.models.config_file import place  # reading models takes a while to load
    from pecli.models.spec import config_words

    for value in given.values():
        yield from (text for text in (value if isinstance(value, (list, tuple)) else [value]) if isinstance(text, str))
    for spec in specs_in(given):
        yield from map(str, parse_encoding(spec)[1].values())
        if found := config_words(spec):
            yield str(place(Path(found[0])))


def check_inputs(job: Job, made: str) -> None:
    """Refuse a file that the job is made from and that may not be read here: UsageError, with what to type."""
    for part in (*job.encodings, job.figure, job.canvas):
        for name, value in part.settings().items():
            if value in part.inputs() and not is_readable(value):
                words = [part.options()[name].flag, value]
                if isinstance(part, Encoding) and (len(job.encodings) > 1 or name not in encoding_parameters()):
                    words = [word for spec in job.specs() for word in ("-e", spec)]
                raise _refusal(made, value, words)


def _refusal(made: str, path: str, words: list[str]) -> UsageError:
    text = f"{made} needs {path}, which is not beside it"
    return UsageError(text, advice=f"to have it read all the same, name it: {' '.join(map(quoted, words))}")


def relocate_inputs(job: Job, made: str, prints: Collection[str]) -> tuple[Job, list[str]]:
    """Return the job with the files that it reads named as seen from here, and the names of those that are not found.

    Parameters
    ----------
    job : its files are named as seen from the folder in which it was drawn, which no file tells
    made : the finished file
    prints : the fingerprints of the files it was drawn from, by which they are known again
    """
    found = {name: _place(name, made, prints) for name in job.inputs()}
    moved = {name: place for name, place in found.items() if place is not None and place != name}
    return _moved(job, moved), [name for name, place in found.items() if place is None]


def seen_from(job: Job, folder: Path) -> Job:
    """Return the job with the files that it reads named as seen from a folder."""
    return _moved(job, {name: os.path.relpath(name, folder) for name in job.inputs() if os.path.exists(name)})


def _moved(job: Job, moved: dict[str, str]) -> Job:
    """Return the job with other names of the files that it reads."""
    figure, canvas = _renamed(job.figure, moved), _renamed(job.canvas, moved)
    encodings = tuple(_renamed(encoding, moved) for encoding in job.encodings)
    cells = tuple(_moved(cell, moved) for cell in job.cells)
    return replace(job, figure=figure, encodings=encodings, canvas=canvas, cells=cells)


def _place(name: str, made: str, prints: Collection[str]) -> str | None:
    """Return where a file of that name, of one of those fingerprints, may be read: beside the finished file or here."""
    if is_hub(name) or name == STDOUT:
        return name
    beside = (os.path.relpath(Path(made).parent / item) for item in (name, Path(name).name))
    for candidate in (name, *beside):
        if is_readable(candidate) and (has_digest(candidate, prints) if prints else os.path.isfile(candidate)):
            return candidate
    return None


def _renamed(part: P, moved: dict[str, str]) -> P:
    """Return the options with other names of the files they read."""
    names = {name: moved[value] for name, value in part.settings().items() if value in part.inputs() and value in moved}
    return replace(part, **names) if names else part
