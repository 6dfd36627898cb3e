"""The names of a job's files, made up or given, and its title: blanks in them are filled in."""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from pecli.core.errors import OutputError, UnknownNameError, UsageError, option_text
from pecli.core.options import Option, Options, canonical_name, write_scalar
from pecli.core.positions import Positions
from pecli.files.formats import format_of
from pecli.files.metadata import can_carry, find_metadata
from pecli.files.tables import file_label
from pecli.files.writer import real_path
from pecli.jobs.job_options import encoding_parameters, known_options
from pecli.page.canvas import LABELS, TEXTS, Canvas

if TYPE_CHECKING:
    from pecli.jobs.job import Job

MAX_NAME_BYTES = 120  # bytes of a file name that we make up: file systems take 255
BLANK = re.compile(r"\{\{|\}\}|\{([^{}]*)\}")
IN_TITLE = re.compile(r"\$[^$]*\$|\{\{|\}\}|\{(\w+)\}")  # mathematics has braces of its own


class Target(NamedTuple):
    """A file to write."""

    path: str
    format: str


def targets_of(job: Job) -> tuple[Target, ...]:
    """Return the files that are asked for, each once; one with a made-up name where a picture is given none."""
    output, figure = job.output, job.figure
    paths = output.output
    if not paths and not job.shown and (figure.drawn or output.format):
        paths = (f"{name_of(job)}.{output.format or 'png'}",)
    known = blanks(job) if any("{" in path for path in output.output) else {}
    names, unsaid = (fill_blanks(path, known) for path in paths), "png" if figure.drawn else "md"
    targets = tuple(Target(name, format_of(name, output.format, unsaid)) for name in names)
    places = [real_path(path) for path, _ in targets]
    for at, (path, _) in enumerate(targets):
        if places[at] in places[:at]:
            raise UsageError(f"{option_text('output', path)} is given twice", option="output", value=path)
    return targets


def check_made_up(job: Job, paths: Iterable[str]) -> None:
    """Refuse to replace what pecli did not make where nobody gave the name: OutputError."""
    for path in () if job.output.output else paths:
        if can_carry(path) and os.path.isfile(path) and not find_metadata(path):
            text = f"{path} exists, but carries no job, so pecli did not make it"
            raise OutputError(text, advice="move it away, or name a file with --output")


def check_targets(jobs: Sequence[Job]) -> None:
    """Refuse two jobs that would write one file, and a name of our own for somebody else's file."""
    for job in jobs:
        check_made_up(job, job.paths)
    if wrong := clashes(jobs):
        raise UsageError.combine(wrong, option="output")


def clashes(jobs: Sequence[Job], read: Iterable[str] = ()) -> list[str]:
    """Return what to say of jobs that would write one file, once a file.

    read : files that no job may write, besides those that one of them is made from
    """
    kept = {real_path(path) for path in [*read, *(path for job in jobs for path in job.inputs())]}
    writing: dict[str, list[Job]] = {}
    paths: dict[str, str] = {}
    for job in jobs:
        for path in job.paths:
            paths.setdefault(real_path(path), path)
            writing.setdefault(real_path(path), []).append(job)
    wrong = []
    for at, several in writing.items():
        places = "; ".join(filter(None, dict.fromkeys(job.where for job in several)))
        shown = f"{paths[at]} ({places})" if places else paths[at]
        if at in kept:
            wrong.append(f"{shown} would replace a file that is read here: rename it")
        if len(several) > 1:
            count = "two" if len(several) == 2 else f"{len(several):,}"
            wrong.append(f"{count} pictures would be written to {shown}: {_advice(paths[at], several)}")
    return wrong


def _advice(path: str, jobs: Sequence[Job]) -> str:
    """Return what to put into the name of one file so that the jobs' names differ."""
    if all(job == jobs[0] for job in jobs):
        return "they are the same picture twice"
    known = [blanks(job) for job in jobs]
    names = [name for name in (*jobs[0].swept, "figure") if len({texts.get(name) for texts in known}) > 1]
    if not names:
        return "give each a name of its own"
    blank, shown = "-".join(f"{{{name}}}" for name in names), Path(path)
    return f"put {blank} into its name, as in {shown.with_name(f'{shown.stem}-{blank}{shown.suffix}')}"


def name_of(job: Job) -> str:
    """Return a file name without its extension: figure, encoding, what differs from the defaults and what is swept."""
    several, texts = len(job.encodings) > 1, dict[str, str]()
    parts = [job.figure.name, *(job.specs() if several else [job.encodings[0].name])]
    for part in (*(() if several else job.encodings), *job.parts):
        named = {*part.changed(job.defaults), *job.swept}
        texts |= {name: text for name, text in _texts(part).items() if name in named}
    texts |= {name: text for name, text in _axes(job).items() if name != "encoding"}
    parts += [name if text == "true" else f"{name}{text}" for name, text in texts.items()]
    text = _safe(re.sub("hf:|@[0-9a-f]{40}", "", "-".join(parts)))  # of a model on the hub its name says enough
    data = text.encode(errors="replace")
    begun = data[: MAX_NAME_BYTES - 12].decode(errors="ignore")
    return text if len(data) <= MAX_NAME_BYTES else f"{begun}-{job.id_prefix()}"


def _axes(job: Job) -> dict[str, str]:
    """Return the options that the cells of a job differ in, with all their values."""

    def text(value: Any) -> str:
        return " ".join(map(str, value)) if isinstance(value, tuple) else write_scalar(value)

    return {name: ",".join(map(text, job.values(name))) for name in job.axes} if job.cells else {}


def blanks(job: Job) -> dict[str, str]:
    """Return what may stand in braces in the name of a file, and what goes there: every option, and four more."""
    known = {name: text for part in (job.positions, job.canvas, job.language) for name, text in _texts(part).items()}
    values = [item for encoding in job.encodings for item in _texts(encoding).items()]
    known |= {name: ", ".join(dict.fromkeys(text for own, text in values if own == name)) for name, _ in values}
    known |= _texts(job.figure)
    names = "-".join(encoding.name for encoding in job.encodings)
    item = {"command": job.figure.name, "encoding": names, "format": job.output.format or "png"}
    return {"figure": job.figure.name, **known, **item, **_axes(job)}


def fill_blanks(path: str, known: Mapping[str, str]) -> str:
    """Return the path with its blanks filled in: ``heat-{base}.png`` is heat-10.png; doubled braces are braces.

    Raises
    ------
    UnknownNameError : a blank that no option has the name of
    """
    every = {**Positions.options(), **Canvas.options(), **encoding_parameters()}
    return _fill(BLANK, path, {name: _safe(text) for name, text in known.items()}, every, "output")


def fill_texts(job: Job) -> Canvas:
    """Return the canvas, in its texts blanks filled in as in the name of a file: ``base {base}`` is base 10.

    Mathematics stays as it is, and so do pecli's own texts, which are not known yet.

    Raises
    ------
    UnknownNameError : a blank that no option has the name of
    """
    given = {name: text for name in (*TEXTS, *LABELS) if "{" in (text := getattr(job.canvas, name) or "")}
    if not given:
        return job.canvas
    every, known = known_options(type(job.figure)), {k: text for k, text in blanks(job).items() if k not in TEXTS}
    own = {name: f"{{{name}}}" for name in TEXTS}
    known = {name: file_label(text) if name in every and every[name].file else text for name, text in known.items()}
    filled: dict[str, Any] = {
        name: _fill(IN_TITLE, text, known | own if name in TEXTS else known, every, name)
        for name, text in given.items()
    }
    return job.canvas.changed_to(**filled)


def _fill(blank: re.Pattern[str], text: str, known: Mapping[str, str], every: Mapping[str, Option], option: str) -> str:
    """Return an option's text with its blanks filled in; raises UnknownNameError for one that is not known."""

    def fill(match: re.Match[str]) -> str:
        if match[1] is None:
            return match[0][0] if match[0] in ("{{", "}}") else match[0]
        if (name := canonical_name(every, match[1])) not in known:
            raise UnknownNameError("blank", match[1], known, option=option, advice="write {{ }} for literal braces")
        return known[name]

    return blank.sub(fill, text)


def escape_blanks(path: str) -> str:
    """Return a path without blanks, spelled so that `filled` gives it again."""
    return path.replace("{", "{{").replace("}", "}}")


def _safe(text: str) -> str:
    """Return the text as part of a file's name."""
    return re.sub(r"[^\w.+-]+", "_", text)


def _texts(part: Options) -> dict[str, str]:
    known = part.options()
    return {name: known[name].write(value) for name, value in part.settings().items() if value is not None}
