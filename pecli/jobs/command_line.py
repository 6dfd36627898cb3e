"""A request as the command line that asks for it."""

from __future__ import annotations

import shlex
from collections.abc import Callable, Collection, Mapping
from itertools import takewhile
from typing import Any

from pecli.core.options import Options
from pecli.core.terminal import is_shown
from pecli.encodings import Encoding, read_encoding
from pecli.jobs.file_names import blanks, filled, plain_path
from pecli.jobs.job_options import Choice, encoding_parameters
from pecli.jobs.request import Request


def command(request: Request, outputs: tuple[str, ...] | None = None, sent: Callable[[str], bool] = is_shown) -> str:
    """The command line that asks for it, quoted for a POSIX shell; with these outputs in place of its own.

    sent : tells the characters that can stand there as they are
    """
    options = [
        *_encoding_words(request),
        *_option_words(request),
        *_axis_words(request),
        *_output_words(request, outputs),
    ]
    return " ".join(quoted(word, sent) for word in ["pecli", request.figure.name, *options])


def quoted(word: str, sent: Callable[[str], bool] = is_shown) -> str:
    """A word for a POSIX shell, on one line; what is not to be sent as it is are bytes that printf writes.

    The shell takes line breaks off the end of what printf writes, so that one character more goes with them.
    """
    if all(map(sent, word)):
        return shlex.quote(word)
    pieces, at = [], 0
    while at < len(word):
        plain = "".join(takewhile(sent, word[at:]))
        hidden = "".join(takewhile(lambda one: not sent(one), word[at + len(plain) :]))
        at += len(plain) + len(hidden)
        if hidden.endswith("\n") and at < len(word):
            hidden, at = hidden + word[at], at + 1
        text = hidden.rstrip("\n")
        pieces += [shlex.quote(plain)] if plain else []
        pieces += [_printf(text)] if text else []
        pieces += [shlex.quote(hidden[len(text) :])] if hidden != text else []
    return "".join(pieces)


def _printf(text: str) -> str:
    octal = "".join(f"\\{byte:03o}" for byte in text.encode())
    return f"\"$(printf '{octal}')\""


def _encoding_words(request: Request) -> list[str]:
    figure, (choice,) = request.figure, Choice.options()
    if request.cells and choice in request.axes:
        return [word for value in request.values(choice) for word in ("--encoding", *value)]
    if figure.specs_are_arguments:
        default = read_encoding(figure.default_encoding, defaults=figure.default_options)
        return [] if request.encodings == (default,) else request.specs()
    if len(request.encodings) > 1:
        return [word for spec in request.specs() for word in ("--encoding", spec)]
    (encoding,) = request.encodings
    chosen = [] if encoding.name == figure.default_encoding else ["--encoding", encoding.name]
    if not _has_options(encoding):
        return ["--encoding", *request.specs()]
    return chosen + _words(encoding, figure.default_options, request.sweep())


def _has_options(encoding: Encoding) -> bool:
    """Whether all that was changed has an option of its own: not what a plugin or a value of another brings along."""
    return set(encoding.changed()) <= set(encoding_parameters())


def _option_words(request: Request) -> list[str]:
    parts = (request.figure, request.positions, request.canvas, request.language)
    return [word for part in parts for word in _words(part, request.defaults, request.sweep())]


def _axis_words(request: Request) -> list[str]:
    """The options that the cells differ in, with all their values."""
    parts = (*request.encodings, request.figure, request.positions)
    known = {name: one for part in parts for name, one in part.options().items()}
    words = []
    for one in (known[name] for name in request.sweep() if name in request.axes and name in known):
        texts = [one.write(value) for value in request.values(one.name)]
        words += [one.flag, ",".join(texts)] if one.splits else [word for text in texts for word in (one.flag, text)]
    return words


def _output_words(request: Request, outputs: tuple[str, ...] | None) -> list[str]:
    known = blanks(request) if outputs is None else {}
    paths = [filled(path, known) for path in request.output.output] if outputs is None else outputs
    words = [word for path in paths for word in ("--output", plain_path(path))]
    return words + (["--format", request.output.format] if request.output.format else [])


def _words(part: Options, defaults: Mapping[str, Any], without: Collection[str] = ()) -> list[str]:
    words = []
    for name, value in part.changed(defaults).items():
        if name in without:
            continue
        one = part.options()[name]
        words += [one.flag] if one.scalar is bool else [one.flag, one.write(value)]
    return words
