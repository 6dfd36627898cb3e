"""The page gallery/reference.md, made of the code: ``python -m pecli.cli.reference`` prints it."""

from __future__ import annotations

import inspect
import signal
from collections.abc import Iterable, Iterator, Mapping, Sequence

from pecli.cli.commands import PANELS, command_of
from pecli.core.errors import PecliError, UsageError
from pecli.core.interrupts import SIGNALS, exit_code
from pecli.jobs.job import Job
from pecli.jobs.job_options import ANALYSES
from pecli.jobs.picture import OUTCOME_KEYS, RESULT_KEYS, Picture

HEAD = """\
# Reference: exit codes, streams, JSON

Made by `python -m pecli.cli.reference`; a test holds it to the code. Options stand in `pecli COMMAND --help`.

## Exit codes
"""
STREAMS = """
## What goes where

Standard output has what was asked for, and nothing else:
"""
STDERR = """
Standard error has the rest, each line begun with `pecli: `: what went wrong, notes on what was drawn, and, for work
that takes longer than a second, how far it is. `--quiet` leaves what went wrong; `--verbose` adds the whole line that
makes a picture, and where an error comes from. With `-o -` standard output has the file itself, and the names of files
are not printed.

## Keys of `--json`

"""
JSON = """\
Standard output is one object, `{"results": [...]}`, with one result a picture, whatever was asked; of a sweep that
fails half way, those that are done. Errors stay on standard error, with the exit code. A result of a figure or report:
"""
FACTS = """
`facts` and the arrays in `.npz` and `.json` (`picture.numbers` in Python), by figure and report, with the options
as they are by default:
"""

BATCH = """
`batch` gives the same without `facts`, and what came of each; with `--dry-run` the `command` of each, its `paths` and
whether it is `done`; with `--check` the `state` and `path` of each file that is not as asked for.
"""


def exit_codes() -> Iterator[tuple[str, str]]:
    """Every exit code and when it is given."""
    yield "0", "done"
    for kind in (PecliError, UsageError):
        yield str(kind.exit_code), (inspect.getdoc(kind) or "").partition(" (exit")[0].replace("Something", "something")
    for number, said in sorted(SIGNALS.items()):
        yield str(exit_code(number)), f"{said}: {signal.Signals(number).name}"


def printed() -> Iterator[tuple[str, str]]:
    """Every command and what it prints."""
    for panel in PANELS.values():
        for text, names in grouped((command_of(name).prints, f"`{name}`") for name in panel):
            yield ", ".join(names), text


def grouped(pairs: Iterable[tuple[str, str]]) -> Iterator[tuple[str, list[str]]]:
    """The second words of each first word, in the order in which these come."""
    groups: dict[str, list[str]] = {}
    for head, name in pairs:
        groups.setdefault(head, []).append(name)
    yield from groups.items()


def json_of_commands() -> Iterator[str]:
    """Paragraph and keys of every command whose JSON is its own."""
    yield BATCH
    yield from table(("key", "what it is"), keys(OUTCOME_KEYS))
    for panel in PANELS.values():
        for name in panel:
            if own := command_of(name).keys:
                yield f"\n`{name}`:\n"
                yield from table(("key", "what it is"), keys(own))


def keys(named: Mapping[str, str]) -> list[tuple[str, str]]:
    """Keys as code, and what each is."""
    return [(f"`{key}`", text) for key, text in named.items()]


def facts() -> Iterator[tuple[str, str, str]]:
    """The names of the key numbers and of the arrays of every figure and report."""
    for name in ANALYSES:
        numbers = Picture(Job.make(name, {})).numbers
        yield f"`{name}`", listed(numbers.facts()), listed(numbers.arrays())


def listed(names: Iterable[str]) -> str:
    """Names as code, or none."""
    return ", ".join(f"`{name}`" for name in names) or "none"


def table(head: Sequence[str], rows: Iterable[Sequence[str]]) -> list[str]:
    """Lines of a table in Markdown."""
    return [f"| {' | '.join(row)} |" for row in (head, ["---"] * len(head), *rows)]


def page() -> str:
    """The whole page."""
    parts = [
        HEAD, *table(("code", "when"), exit_codes()),
        STREAMS, *table(("command", "standard output"), printed()),
        STDERR + JSON, *table(("key", "what it is"), keys(RESULT_KEYS)),
        FACTS, *table(("figure or report", "facts", "arrays"), facts()),
        *json_of_commands(),
    ]  # fmt: skip
    return "\n".join(parts)


if __name__ == "__main__":
    from pecli.core.terminal import results

    results([page()])
