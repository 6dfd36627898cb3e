"""File names and titles of a job: generated or given, with placeholders such as {base} filled in."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from pecli.core.errors import OutputError, UnknownNameError, UsageError, option_text
from pecli.core.lazy import cached
from pecli.core.options import Option, canonical_name, write_scalar
from pecli.core.positions import Positions
from pecli.files.formats import format_of
from pecli.files.metadata import can_carry, find_metadata
from pecli.files.tables import file_label
from pecli.files.writer import place_of, real_path
from pecli.jobs.job_options import encoding_parameters, known_options
from pecli.page.canvas import LABELS, TEXTS, Canvas

if TYPE_CHECKING:
    from pecli.jobs.job import Job

MAX_NAME_BYTES = 120  # longest generated file name; file systems allow 255
PLACEHOLDER = re.compile(r"\{\{|\}\}|\{([^{}]*)\}")
UNSAFE = re.compile(r"[^\w.+-]+")  # in file names
IN_TITLE = re.compile(r"\$[^$]*\$|\{\{|\}\}|\{(\w+)\}")  # braces between dollar signs are mathematics


class Target(NamedTuple):
    """A file to write, and its format."""

    path: str
    format: str


def targets_of(job: Job) -> tuple[Target, ...]:
    """Return the files to write; a picture without an output gets a generated name.

    Raises UsageError if two files are the same.
    """
    output, figure = job.output, job.figure
    paths = output.output
    if not paths and not job.shown and (figure.drawn or output.format):
        paths = (f"{name_of(job)}.{output.format or 'png'}",)
    known = placeholders(job) if any("{" in path for path in output.output) else {}
    names, unsaid = (fill_placeholders(path, known) for path in paths), "png" if figure.drawn else "md"
    targets = tuple(Target(name, format_of(name, output.format, unsaid)) for name in names)
    if len(targets) == 1:
        return targets
    places = [place_of(path) for path, _ in targets]
    for at, (path, _) in enumerate(targets):
        if places[at] in places[:at]:
            alike = _spelled_otherwise([path, targets[places.index(places[at])].path])
            text = f"{option_text('output', path)} is {alike or 'given twice'}"
            raise UsageError(text, option="output", value=path)
    return targets


def check_generated_names(job: Job, paths: Iterable[str]) -> None:
    """Raise OutputError if a generated file name belongs to an existing file that pecli did not make."""
    for path in () if job.output.output else paths:
        if can_carry(path) and os.path.isfile(path) and not find_metadata(path):
            text = f"{path} exists, but stores no job, so pecli did not make it"
            raise OutputError(text, advice="move it away, or name a file with --output")


def check_targets(jobs: Sequence[Job]) -> None:
    """Raise an error if two jobs would write the same file, or a generated name belongs to somebody else's file."""
    for job in jobs:
        check_generated_names(job, job.paths)
    if wrong := clashes(jobs):
        raise UsageError.combine(wrong, option="output")


def clashes(jobs: Sequence[Job], read: Iterable[str] = (), real: Callable[[str], str] = real_path) -> list[str]:
    """Return an error message for each file that several jobs would write, or that is also read.

    read : further files that no job may write, besides the inputs of the jobs
    real : function that resolves the links of a path
    """
    kept = {place_of(path) for path in [*read, *(path for job in jobs for path in job.inputs)]}
    writing: dict[str, list[tuple[str, Job]]] = {}
    for job in jobs:
        for path in job.paths:
            writing.setdefault(real(path).casefold(), []).append((path, job))
    wrong = []
    for at, written in writing.items():
        if at not in kept and len(written) == 1:
            continue
        paths, several = [path for path, _ in written], [job for _, job in written]
        places = "; ".join(filter(None, dict.fromkeys(job.where for job in several)))
        path = paths[0]
        shown = f"{path} ({places})" if places else path
        if alike := _spelled_otherwise(paths):
            shown += f", {alike}"
        if at in kept:
            wrong.append(f"{shown} would replace a file that a picture is made from: choose another name")
        if len(several) > 1:
            count = "two" if len(several) == 2 else f"{len(several):,}"
            wrong.append(f"{count} pictures would be written to {shown}: {_advice(path, several)}")
    return wrong


def _spelled_otherwise(paths: Sequence[str]) -> str:
    """Return a remark if one of these paths differs from the first only in case; otherwise ""."""
    own = real_path(paths[0])
    other = next((path for path in paths if real_path(path) != own), None)
    return "" if other is None else f"the same file as {other} on Windows and macOS"


def _advice(path: str, jobs: Sequence[Job]) -> str:
    """Return advice on how to make the names of these jobs' files differ, such as adding {base}."""
    if all(job == jobs[0] for job in jobs):
        return "they are the same picture twice"
    known = [placeholders(job) for job in jobs]
    names = [
        name for name in (*jobs[0].swept, "figure") if len({(texts.get(name) or "").casefold() for texts in known}) > 1
    ]
    if not names:
        return "give each picture its own name"
    blank, shown = "-".join(f"{{{name}}}" for name in names), Path(path)
    return f"add {blank} to the name, as in {shown.with_name(f'{shown.stem}-{blank}{shown.suffix}')}"


def name_of(job: Job) -> str:
    """Return a generated file name without extension: figure, encoding, changed options and swept options."""
    several, texts = len(job.encodings) > 1, dict[str, str]()
    parts = [job.figure.name, *(job.specs() if several else [job.encodings[0].name])]
    for part in (*(() if several else job.encodings), *job.parts):
        named = {*part.changed(job.defaults), *job.swept}
        texts |= {name: text for name, text in part.written.items() if name in named}
    texts |= {name: text for name, text in _swept_texts(job).items() if name != "encoding"}
    parts += [name if text == "true" else f"{name}{text}" for name, text in texts.items()]
    text = _safe(re.sub("hf:|@[0-9a-f]{40}", "", "-".join(parts)))  # keep only the name of a model on the hub
    data = text.encode(errors="replace")
    begun = data[: MAX_NAME_BYTES - 12].decode(errors="ignore")
    return text if len(data) <= MAX_NAME_BYTES else f"{begun}-{job.id_prefix()}"


def _swept_texts(job: Job) -> dict[str, str]:
    """Return, for each option in which the cells of a job differ, its values as one text."""

    def text(value: Any) -> str:
        return " ".join(map(str, value)) if isinstance(value, tuple) else write_scalar(value)

    return {name: ",".join(map(text, job.values(name))) for name in job.axes} if job.cells else {}


def placeholders(job: Job) -> dict[str, str]:
    """Return the text for each placeholder of file names: all options, and figure, command, encoding and format."""
    given = [encoding.written for encoding in job.encodings]
    if len(given) > 1:
        texts = {name: dict.fromkeys(own[name] for own in given if name in own) for name in chain(*given)}
        given = [{name: ", ".join(several) for name, several in texts.items()}]
    return {
        "figure": job.figure.name,
        **job.positions.written,
        **job.canvas.written,
        **job.language.written,
        **given[0],
        **job.figure.written,
        "command": job.figure.name,
        "encoding": "-".join(encoding.name for encoding in job.encodings),
        "format": job.output.format or "png",
        **_swept_texts(job),
    }


def fill_placeholders(path: str, known: Mapping[str, str]) -> str:
    """Return the path with its placeholders filled in: ``heat-{base}.png`` becomes heat-10.png, ``{{`` becomes ``{``.

    Raises
    ------
    UnknownNameError : a placeholder that is not the name of an option
    """
    plain = "{" not in path and "}" not in path
    return path if plain else _fill(PLACEHOLDER, path, known, _options_in_names(), "output", _safe)


@cached
def _options_in_names() -> dict[str, Option]:
    return {**Positions.options(), **Canvas.options(), **encoding_parameters()}


def fill_texts(job: Job) -> Canvas:
    """Return the canvas with placeholders in its texts filled in, as in file names: ``base {base}`` becomes base 10.

    Mathematics is not changed. Placeholders for pecli's own texts, such as {title}, are filled in later.

    Raises
    ------
    UnknownNameError : a placeholder that is not the name of an option
    """
    given = {name: text for name in (*TEXTS, *LABELS) if "{" in (text := getattr(job.canvas, name) or "")}
    if not given:
        return job.canvas
    every, known = known_options(type(job.figure)), {k: text for k, text in placeholders(job).items() if k not in TEXTS}
    own = {name: f"{{{name}}}" for name in TEXTS}
    known = {name: file_label(text) if name in every and every[name].file else text for name, text in known.items()}
    filled: dict[str, Any] = {
        name: _fill(IN_TITLE, text, known | own if name in TEXTS else known, every, name)
        for name, text in given.items()
    }
    return job.canvas.changed_to(**filled)


def _fill(
    blank: re.Pattern[str],
    text: str,
    known: Mapping[str, str],
    every: Mapping[str, Option],
    option: str,
    shown: Callable[[str], str] = str,
) -> str:
    """Return the text of `option` with its placeholders filled in; raise UnknownNameError for an unknown one.

    blank : matches a placeholder, with its name as the first group
    known : text of each placeholder
    every : options by name, to resolve other spellings of their names
    shown : function from the text of a placeholder to what is filled in
    """

    def fill(match: re.Match[str]) -> str:
        if match[1] is None:
            return match[0][0] if match[0] in ("{{", "}}") else match[0]
        name = match[1] if match[1] in known else canonical_name(every, match[1])
        if name not in known:
            raise UnknownNameError(
                "placeholder", match[1], known, option=option, advice="write {{ }} for literal braces"
            )
        return shown(known[name])

    return blank.sub(fill, text)


def escape_placeholders(path: str) -> str:
    """Return a path with its braces doubled, so that `fill_placeholders` gives the path back."""
    return path.replace("{", "{{").replace("}", "}}")


def _safe(text: str) -> str:
    """Return the text with characters that are unsafe in file names replaced by "_"."""
    return UNSAFE.sub("_", text)
