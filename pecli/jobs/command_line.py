"""A job in words: the command line that asks for it, the name of its file, the blanks of a file name filled in."""

from __future__ import annotations

import re
import shlex
from collections.abc import Mapping
from typing import Any

from pecli.core.errors import UnknownNameError
from pecli.core.options import Options
from pecli.encodings import Encoding, read_encoding
from pecli.jobs.job_options import encoding_parameters
from pecli.jobs.request import Request

LONGEST = 120  # bytes of a file name that we make up: file systems take 255
DEVICE = re.compile(r"(?<![^/\\])(?=(con|prn|aux|nul|com\d|lpt\d)([./\\]|$))", re.IGNORECASE)  # no file on Windows
BLANK = re.compile(r"\{\{|\}\}|\{([^{}]*)\}")


def command(job: Request, outputs: tuple[str, ...] | None = None) -> str:
    """The command line that asks for a job, quoted for a shell; with these outputs in place of its own."""
    options = [*_encoding_words(job), *_option_words(job), *_output_words(job, outputs)]
    return " ".join(map(quoted, ["pecli", job.figure.name, *options]))


def quoted(word: str) -> str:
    """A word for a shell, on one line: where it breaks itself, as bash and zsh spell that."""
    if "\n" not in word and "\t" not in word:
        return shlex.quote(word)
    escaped = word.replace("\\", "\\\\").replace("'", "\\'").replace("\n", "\\n").replace("\t", "\\t")
    return f"$'{escaped}'"


def name_of(job: Request) -> str:
    """A file name without its extension: figure, encoding and what differs from the defaults."""
    parts = [job.figure.name, *(job.specs() if len(job.encodings) > 1 else [job.encodings[0].name])]
    differing = {name: value for name, value in changed(job).items() if name != "encoding"}
    parts += [name if value == "true" else f"{name}{value}" for name, value in differing.items()]
    text = re.sub(r"[^\w.+-]+", "_", "-".join(parts))
    data = text.encode(errors="replace")
    return text if len(data) <= LONGEST else f"{data[: LONGEST - 12].decode(errors='ignore')}-{job.salt()}"


def changed(job: Request) -> dict[str, str]:
    """The options that differ from their defaults, as text, a single encoding's parameters one by one."""
    several = {"encoding": " ".join(job.specs())} if len(job.encodings) > 1 else {}
    single = [] if several else [job.encodings[0]]
    result = dict(several)
    for part in (*single, job.figure, job.positions, job.canvas):
        differing = part.changed(job.figure.default_options)
        result.update({name: part.options()[name].write(value) for name, value in differing.items()})
    return result


def blanks(job: Request) -> dict[str, str]:
    """What may stand in braces in the name of a file, and what goes there: every option, and three more."""
    parts: tuple[Options, ...] = (job.positions, job.canvas, *reversed(job.encodings), job.figure)
    known = {name: one for part in parts for name, one in _texts(part).items()}
    names = "-".join(encoding.name for encoding in job.encodings)
    return {"figure": job.figure.name, **known, "encoding": names, "format": job.output.format or "png"}


def filled(path: str, job: Request) -> str:
    """The path with its blanks filled in: ``heat-{base}.png`` is heat-10.png. Doubled braces stand for themselves.

    It is made a name that every system takes: _con.png, for con.png is a device on Windows.

    Raises
    ------
    UnknownNameError : a blank that no option of the job has the name of
    """
    known = blanks(job)

    def fill(match: re.Match[str]) -> str:
        if match[1] is None:
            return match[0][0]
        name = match[1].replace("-", "_")
        if name not in known:
            raise UnknownNameError(f"blank in {path}", match[1], known)
        return re.sub(r"[^\w.+-]+", "_", known[name])

    made = BLANK.sub(fill, path)
    return made if made == path else DEVICE.sub("_", made)


def plain_path(path: str) -> str:
    """A path without blanks, spelled so that `filled` gives it again."""
    return path.replace("{", "{{").replace("}", "}}")


def _texts(part: Options) -> dict[str, str]:
    return {name: part.options()[name].write(value) for name, value in part.settings().items() if value is not None}


def _encoding_words(job: Request) -> list[str]:
    figure = job.figure
    if figure.specs_are_arguments:
        default = read_encoding(figure.default_encoding, defaults=figure.default_options)
        return [] if job.encodings == (default,) else job.specs()
    if len(job.encodings) > 1:
        return [word for spec in job.specs() for word in ("--encoding", spec)]
    (encoding,) = job.encodings
    chosen = [] if encoding.name == figure.default_encoding else ["--encoding", encoding.name]
    if not _has_options(encoding):
        return ["--encoding", *job.specs()]
    return chosen + _words(encoding, figure.default_options)


def _has_options(encoding: Encoding) -> bool:
    """Whether all that was changed has an option of its own: not what a plugin or a value of another brings along."""
    return set(encoding.changed()) <= set(encoding_parameters())


def _option_words(job: Request) -> list[str]:
    parts = (job.figure, job.positions, job.canvas)
    return [word for part in parts for word in _words(part, job.figure.default_options)]


def _output_words(job: Request, outputs: tuple[str, ...] | None) -> list[str]:
    paths = [filled(path, job) for path in job.output.output] if outputs is None else outputs
    words = [word for path in paths for word in ("--output", plain_path(path))]
    return words + (["--format", job.output.format] if job.output.format else [])


def _words(part: Options, defaults: Mapping[str, Any]) -> list[str]:
    words = []
    for name, value in part.changed(defaults).items():
        one = part.options()[name]
        words += [one.flag] if one.scalar is bool else [one.flag, one.write(value)]
    return words
