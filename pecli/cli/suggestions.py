"""What to type instead of a word that is no command or no option here: found in all there is, written down nowhere."""

from __future__ import annotations

import difflib
from collections.abc import Iterable, Mapping

from pecli.cli.figures import canonical_names
from pecli.core.options import Option, own_name
from pecli.encodings.base import Encoding
from pecli.encodings.registry import all_encodings, encoding_named
from pecli.files.formats import FORMATS
from pecli.jobs.job import SWEPT
from pecli.jobs.job_options import ANALYSES, known_options, shown_by

MAX_NAMES = 3  # suggestions
ALIKE = 0.65  # how much a suggestion is


def unknown_command(word: str, known: Iterable[str]) -> str:
    """Return what to type instead of a word that is no command."""
    if word.startswith("-"):
        return f"{word} stands behind a command, as in pecli heatmap {word}: pecli --help lists the commands"
    if kind := encoding_named(word.partition(":")[0]):
        draw = f"pecli {shown_by(kind)[0]} {word} draws it"
        return f"{word} is an encoding: {draw}, pecli encodings {kind.name} explains it"
    if word in FORMATS and not FORMATS[word].document:
        sweep = f" --base {SWEPT}" if FORMATS[word].frames else ""
        return f"{word} is a format: pecli heatmap{sweep} -o heatmap.{word} writes it"
    near = _nearest(word.lower(), known)
    example = "" if near else "pecli heatmap draws a table, "
    return f"there is no command {word[:60]}{_question(near)}: {example}pecli --help lists them"


def unknown_option(command: str, flag: str, known: Mapping[str, str]) -> str:
    """Return what to type instead of an option that the command does not have.

    known : its options, and what the help shows of each
    """
    if not command:
        return unknown_command(flag, ())
    figure, words = ANALYSES.aliases.get(command, (command, {}))[0], dict(known)
    if figure in ANALYSES:
        word = flag.lstrip("-").partition("=")[0]
        if advice := _elsewhere(figure, flag, word):
            return advice
        options = known_options(ANALYSES[figure]).values()
        owners = [one for one in options if one.choices is not None and word in one.choices()]
        if kind := encoding_named(word):
            return f"{command} has no option {flag}: try pecli {command} {kind.name}"
        if len(owners) == 1:
            return f"{command} has no option {flag}: try pecli {command} {owners[0].flag} {word}"
        words |= {f"--{other}": f"--{name}" for other, name in canonical_names(ANALYSES[figure]).items()}
    near = list(dict.fromkeys(words[one] for one in _nearest(flag, words)))
    return f"{command} has no option {flag}{_question(near)}: pecli {command} --help lists them"


def _elsewhere(figure: str, flag: str, word: str) -> str:
    """Return what to say of an option that encodings or other figures have; of none, nothing."""
    parameters = {kind: _named(kind.options(), word) for kind in all_encodings().values()}
    owners = {kind: one for kind, one in parameters.items() if one is not None}
    if fitting := [kind for kind in owners if ANALYSES[figure].takes(kind)]:
        return f"{flag} is said inside the encoding: pecli {figure} -e {_spec(fitting[0], owners[fitting[0]])}"
    for kind, one in owners.items():
        line = f"pecli {shown_by(kind)[0]} -e {_spec(kind, one)}"
        return f"{flag} belongs to {kind.name}, which {figure} does not show: try {line}"
    figures = [name for name, other in ANALYSES.items() if _named(other.options(), word)]
    if not figures:
        return ""
    names = ", ".join(figures[:MAX_NAMES] + (["…"] if len(figures) > MAX_NAMES else []))
    name = own_name(ANALYSES[figures[0]].options(), word).replace("_", "-")
    return f"{figure} has no --{name}, {names} have: pecli {figure} --help lists its own options"


def _named(options: Mapping[str, Option], word: str) -> Option | None:
    return options.get(own_name(options, word))


def _spec(encoding: type[Encoding], one: Option) -> str:
    """Return the text of an encoding with a place for that parameter."""
    owner = f"{one.only_with[0]}={one.only_with[1][0]}," if one.only_with else ""
    return f"{encoding.name}:{owner}{one.name}=…"


def _nearest(word: str, known: Iterable[str]) -> list[str]:
    """Return the words that begin with it, else the one most alike, whatever dashes they begin with."""
    typed, plain = word[:60].lstrip("-"), {one.lstrip("-"): one for one in known}
    begun = [one for one in plain if len(typed) > 2 and one.startswith(typed)]
    return [plain[one] for one in begun[:MAX_NAMES] or difflib.get_close_matches(typed, plain, n=1, cutoff=ALIKE)]


def _question(near: list[str]) -> str:
    return f", did you mean {' or '.join(near)}?" if near else ""
