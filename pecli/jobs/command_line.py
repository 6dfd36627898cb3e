"""A request as the command line that asks for it."""

from __future__ import annotations

import shlex
from collections.abc import Mapping
from typing import Any

from pecli.core.options import Options
from pecli.encodings import Encoding, read_encoding
from pecli.jobs.file_names import blanks, filled, plain_path
from pecli.jobs.job_options import encoding_parameters
from pecli.jobs.request import Request


def command(request: Request, outputs: tuple[str, ...] | None = None) -> str:
    """The command line that asks for it, quoted for a shell; with these outputs in place of its own."""
    options = [*_encoding_words(request), *_option_words(request), *_output_words(request, outputs)]
    return " ".join(map(quoted, ["pecli", request.figure.name, *options]))


def quoted(word: str) -> str:
    """A word for a shell, on one line: where it breaks itself, as bash and zsh spell that."""
    if "\n" not in word and "\t" not in word:
        return shlex.quote(word)
    escaped = word.replace("\\", "\\\\").replace("'", "\\'").replace("\n", "\\n").replace("\t", "\\t")
    return f"$'{escaped}'"


def _encoding_words(request: Request) -> list[str]:
    figure = request.figure
    if figure.specs_are_arguments:
        default = read_encoding(figure.default_encoding, defaults=figure.default_options)
        return [] if request.encodings == (default,) else request.specs()
    if len(request.encodings) > 1:
        return [word for spec in request.specs() for word in ("--encoding", spec)]
    (encoding,) = request.encodings
    chosen = [] if encoding.name == figure.default_encoding else ["--encoding", encoding.name]
    if not _has_options(encoding):
        return ["--encoding", *request.specs()]
    return chosen + _words(encoding, figure.default_options)


def _has_options(encoding: Encoding) -> bool:
    """Whether all that was changed has an option of its own: not what a plugin or a value of another brings along."""
    return set(encoding.changed()) <= set(encoding_parameters())


def _option_words(request: Request) -> list[str]:
    parts = (request.figure, request.positions, request.canvas)
    return [word for part in parts for word in _words(part, request.figure.default_options)]


def _output_words(request: Request, outputs: tuple[str, ...] | None) -> list[str]:
    known = blanks(request) if outputs is None else {}
    paths = [filled(path, known) for path in request.output.output] if outputs is None else outputs
    words = [word for path in paths for word in ("--output", plain_path(path))]
    return words + (["--format", request.output.format] if request.output.format else [])


def _words(part: Options, defaults: Mapping[str, Any]) -> list[str]:
    words = []
    for name, value in part.changed(defaults).items():
        one = part.options()[name]
        words += [one.flag] if one.scalar is bool else [one.flag, one.write(value)]
    return words
