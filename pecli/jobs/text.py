"""A job as text that reproduces it: a command line, a figure of a batch file, or a Python call."""

from __future__ import annotations

import shlex
from collections.abc import Mapping, Sequence
from json import dumps
from typing import Any

from pecli.core.errors import is_printable
from pecli.core.options import Option
from pecli.encodings.spec import read_encoding
from pecli.jobs.job import Job
from pecli.jobs.job_options import EncodingOption, encoding_parameters, find_command, known_options
from pecli.jobs.names import escape_placeholders, fill_placeholders, placeholders


def changes(job: Job) -> dict[str, Sequence[Any]]:
    """Return the values of each option that differs from its default; swept options (with several values) come last.

    Encodings are included only if they are swept (otherwise see `Job.specs`), outputs never.
    """
    defaults, swept = job.defaults, job.sweep()
    changed = {name: [value] for part in job.parts for name, value in part.changed(defaults).items()}
    single = {name: values for name, values in changed.items() if name not in swept}
    return {**single, **{name: values for name, values in swept.items() if values is not None}}


def command(job: Job, outputs: Sequence[str] | None = None) -> str:
    """Return the job's command line, quoted for a POSIX shell.

    outputs : output paths to use instead of the job's own
    """
    told = {name: values for name, values in changes(job).items() if name not in EncodingOption.options()}
    words = [*_encoding_words(job), *_option_words(job.options, told)]
    if outputs is None:
        known = placeholders(job)
        outputs = [fill_placeholders(path, known) for path in job.output.output]
    words += [word for path in outputs for word in ("--output", escape_placeholders(path))]
    words += ["--format", job.output.format] if job.output.format else []
    words += ["--long"] * job.output.long
    words += [word for name, sign in job.output.csv_signs().items() for word in (f"--{name.replace('_', '-')}", sign)]
    return " ".join(map(quoted, ["pecli", job.figure.name, *words]))


def entry(job: Job, outputs: Sequence[str]) -> str:
    """Return the job as a [[figure]] of a batch file with these outputs; options with default values are left out."""
    told: dict[str, Any] = {name: values if name in job.axes else values[0] for name, values in changes(job).items()}
    keys: dict[str, Any] = {"command": job.figure.name}
    if job.specs() != [job.figure.default_encoding] and not told.keys() & EncodingOption.options():
        keys |= {"encoding": job.specs()}
    keys |= {**told, "output": outputs, **({"long": True} if job.output.long else {})}
    keys |= job.output.csv_signs()
    return "\n".join(["[[figure]]", *(f"{name} = {toml(value)}" for name, value in keys.items())])


def toml(value: Any) -> str:
    """Return a value in TOML syntax, with unprintable characters escaped."""
    if isinstance(value, Sequence) and not isinstance(value, str):
        return "[" + ", ".join(map(toml, value)) + "]"
    text = dumps(value, ensure_ascii=False)
    return "".join(sign if is_printable(sign) else f"\\U{ord(sign):08x}" for sign in text)


def python_call(line: str) -> str:
    """Return the Python call equivalent to a command line: ``pecli.heatmap(base=10)``."""
    _, name, *words = shlex.split(line)
    analysis, aliased = find_command(name)
    options = known_options(analysis)
    flags = {flag: item for item in options.values() for flag in (item.flag, *item.flags)}
    texts: dict[str, list[str]] = {"encoding": [], **{key: [value] for key, value in aliased.items()}}
    rest = iter(words)
    for word in rest:
        flag, _, text = word.partition("=") if word.startswith("--") else (word, "", "")
        item = flags.get(flag, options["encoding"])
        text = word if flag not in flags else "true" if item.scalar is bool else text or next(rest)
        texts.setdefault(item.name, []).extend(item.split_items([text]))
    arguments = []
    for key, given in filter(lambda pair: pair[1], texts.items()):
        read = [options[key].read(value) for value in given]
        values = [_whole(one) for own in read for one in (own if options[key].many else [own])]
        value = values[0] if len(values) == 1 else values
        arguments.append(repr(value) if key == "encoding" else f"{key}={value!r}")
    saved = ".save()" if "output" in texts else ""
    return f"pecli.{analysis.name}({', '.join(arguments)}){saved}".replace("'", '"')


def _whole(value: Any) -> Any:
    return int(value) if isinstance(value, float) and value.is_integer() else value


def quoted(word: str) -> str:
    """Return a word quoted for a POSIX shell; a word with unprintable characters becomes a call of printf."""
    if word.isprintable() or all(map(is_printable, word)):
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
    if not encoding.changed().keys() <= encoding_parameters().keys():  # parameters that are not command-line options
        return ["--encoding", *job.specs()]
    chosen = [] if encoding.name == figure.default_encoding else ["--encoding", encoding.name]
    changed, swept = encoding.changed(figure.default_options), job.sweep()
    return chosen + _option_words(encoding.options(), {n: [value] for n, value in changed.items() if n not in swept})


def _option_words(options: Mapping[str, Option], told: Mapping[str, Sequence[Any]]) -> list[str]:
    """Return the command-line words that set the options to the values in `told`, by option name."""
    words = []
    for item, values in ((options[name], values) for name, values in told.items()):
        texts = [] if item.scalar is bool else list(map(item.write, values))
        if item.scalar is bool or item.splits:
            words += [item.flag, *([",".join(texts)] if texts else [])]
        else:
            words += [word for text in texts for word in (item.flag, text)]
    return words
