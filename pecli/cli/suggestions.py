"""What to type instead of a word that is no command or no option here: found in all there is, written down nowhere."""

from __future__ import annotations

import difflib
from collections.abc import Iterable, Iterator, Mapping

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
    """What to type instead of a word that is no command."""
    if word.startswith("-"):
        return f"{word} stands behind a command, as in pecli heatmap {word}: pecli --help lists the commands"
    kind = encoding_named(word.partition(":")[0])
    if kind is not None:
        return (
            f"{word} is an encoding: pecli {shown_by(kind)[0]} {word} draws it, pecli encodings {kind.name} explains it"
        )
    if word in FORMATS and not FORMATS[word].document:
        example, sweep = next(iter(ANALYSES)), f" --base {SWEPT}" if FORMATS[word].frames else ""
        return f"{word} is a format: pecli {example}{sweep} -o {example}.{word} writes it"
    near = _near(word.lower(), known)
    example = "" if near else f"pecli {next(iter(ANALYSES))} draws a table, "
    return f"there is no command {word[:60]}{_question(near)}: {example}pecli --help lists them"


def unknown_option(command: str, flag: str, known: Mapping[str, str]) -> str:
    """What to type instead of an option that the command does not have.

    known : its options, and what the help shows of each
    """
    if not command:
        return unknown_command(flag, ())
    word = flag.lstrip("-").partition("=")[0]
    if command in ANALYSES and (owners := _parameters(word)):
        fitting, (first, *_) = [kind for kind in owners if ANALYSES[command].takes(kind)], owners
        if fitting:
            return f"{flag} is said inside the encoding: pecli {command} -e {_spec(fitting[0], owners[fitting[0]])}"
        line = f"pecli {shown_by(first)[0]} -e {_spec(first, owners[first])}"
        return f"{flag} belongs to {first.name}, which {command} does not show: try {line}"
    homes = dict(_homes(word))
    if homes and command in ANALYSES:
        (one, *_), names = homes.values(), [*homes][:MAX_NAMES] + (["…"] if len(homes) > MAX_NAMES else [])
        return f"{command} has no {one.flag}, {', '.join(names)} have: pecli {command} --help lists its own options"
    if meant := _meant(command, word):
        return f"{command} has no option {flag}: try pecli {command} {meant}"
    others = canonical_names(ANALYSES[command]) if command in ANALYSES else {}
    known = {**{f"--{word}": f"--{name}" for word, name in others.items()}, **known}
    shown = list(dict.fromkeys(known[one] for one in _near(flag, known)))
    return f"{command} has no option {flag}{_question(shown)}: pecli {command} --help lists them"


def _meant(command: str, word: str) -> str:
    """What to type for the name of an encoding, or the value of one option; mostly nothing."""
    if kind := encoding_named(word):
        return kind.name
    owners = [one for one in _options_of(command) if one.choices is not None and word in one.choices()]
    return f"{owners[0].flag} {word}" if len(owners) == 1 else ""


def _options_of(command: str) -> Iterable[Option]:
    """The options of a figure or report, by whatever name that is called."""
    own = ANALYSES.aliases[command][0] if command in ANALYSES.aliases else command
    return known_options(ANALYSES[own]).values() if own in ANALYSES else ()


def _parameters(word: str) -> dict[type[Encoding], Option]:
    """The encodings with a parameter that the word spells, and that parameter."""
    spelled = {kind: own_name(kind.options(), word) for kind in all_encodings().values()}
    return {kind: kind.options()[own] for kind, own in spelled.items() if own in kind.options()}


def _homes(word: str) -> Iterator[tuple[str, Option]]:
    """The figures and reports with an option of their own that the word spells, and that option."""
    for name, analysis in ANALYSES.items():
        if (own := own_name(analysis.options(), word)) in analysis.options():
            yield name, analysis.options()[own]


def _spec(encoding: type[Encoding], one: Option) -> str:
    """The text of an encoding with a place for that parameter."""
    owner = f"{one.only_with[0]}={one.only_with[1][0]}," if one.only_with else ""
    return f"{encoding.name}:{owner}{one.name}=…"


def _near(word: str, known: Iterable[str]) -> list[str]:
    """Return the words that begin with it, else the most alike, whatever dashes they begin with."""
    typed, plain = word[:60].lstrip("-"), {one.lstrip("-"): one for one in known}
    begun = [one for one in plain if len(typed) > 2 and one.startswith(typed)]
    return [plain[one] for one in begun[:MAX_NAMES] or difflib.get_close_matches(typed, plain, n=1, cutoff=ALIKE)]


def _question(near: list[str]) -> str:
    return f", did you mean {' or '.join(near)}?" if near else ""
