"""Suggestions for unknown commands and options."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from pecli.cli.figures import canonical_names
from pecli.core.errors import UsageError, as_flags, nearest
from pecli.core.options import canonical_name, with_canonical_names
from pecli.encodings.registry import all_encodings, encoding_named
from pecli.files.formats import FORMATS
from pecli.jobs.job import SWEPT
from pecli.jobs.job_options import ANALYSES, figures_for, known_options
from pecli.models.flags import KEYS, OTHERS

MAX_NAMES = 3  # most suggestions
ALIKE = 0.65  # smallest similarity of a suggestion
OF_RUNTIMES = {  # options of `pecli model`, with the names that runtimes and configs use for them
    "--override": (
        *("hf_overrides", "json_model_override_args", "rope_scaling", "rope_parameters", "rope_theta"),
        *("rope_scaling_factor", "max_position_embeddings", "rope_scaling_type"),
    ),
    "--flags": tuple(flag.replace("-", "_") for flag in (*KEYS, *OTHERS)),
    "--seq-len": ("max_model_len", "context_length", "ctx_size"),
}


def unknown_command(word: str, commands: Iterable[str]) -> str:
    """Return the message for a word that is not a command, with a suggestion."""
    if word.startswith("-"):
        if near := _nearest(word, ("--version", "--help")):
            return f"there is no {word}{_did_you_mean(near)}pecli --help lists the commands"
        return f"{word} comes after a command, as in pecli heatmap {word}: pecli --help lists the commands"
    if kind := encoding_named(word.partition(":")[0]):
        draw = f"pecli {figures_for(kind)[0]} {word} draws it"
        return f"{word} is an encoding: {draw}, pecli encodings {kind.name} explains it"
    if word in FORMATS and not FORMATS[word].document:
        sweep = f" --base {SWEPT}" if FORMATS[word].frames else ""
        return f"{word} is a format: pecli heatmap{sweep} -o heatmap.{word} writes it"
    near = _nearest(word, commands)
    example = "" if near else "pecli heatmap draws a table, "
    return f"there is no command {word[:60]}{_did_you_mean(near)}{example}pecli --help lists the commands"


def unknown_option(command: str, flag: str, flags: Mapping[str, str]) -> str:
    """Return the message for an option that the command does not have, with a suggestion.

    flags : all spellings of the command's options, and the flag that the help shows for each
    """
    if not command:
        return unknown_command(flag, ())
    figure, words = ANALYSES.aliases.get(command, (command, {}))[0], dict(flags)
    if figure in ANALYSES:
        try:
            with_canonical_names(known_options(ANALYSES[figure]), {flag.lstrip("-"): None})
        except UsageError as error:  # an ambiguous spelling
            return error.sentence(as_flags)
        if advice := _option_owner(figure, flag):
            return advice
        words |= {f"--{other}": f"--{name}" for other, name in canonical_names(ANALYSES[figure]).items()}
    near = list(dict.fromkeys(words[word] for word in _nearest(flag, words)))
    if command == "model":
        plain = flag.lstrip("-").partition("=")[0].replace("-", "_")
        near = [name for name, theirs in OF_RUNTIMES.items() if plain in theirs] or near
    return f"{command} has no option {flag}{_did_you_mean(near)}pecli {command} --help lists its options"


def _option_owner(figure: str, flag: str) -> str:
    """Return the message for an option that encodings or other figures have; "" if none has it."""
    word = flag.lstrip("-").partition("=")[0]
    for kind in sorted(all_encodings().values(), key=lambda kind: not ANALYSES[figure].takes(kind)):
        if entry := kind.options().get(canonical_name(kind.options(), word)):
            owner = f"{entry.only_with[0]}={entry.only_with[1][0]}," if entry.only_with else ""
            taken = ANALYSES[figure].takes(kind)
            shown, unfit = (figure, "") if taken else (figures_for(kind)[0], f", which {figure} cannot show")
            advice = f"try pecli {shown} -e {kind.name}:{owner}{entry.name}=…"
            return f"{flag} is a parameter of {kind.name}{unfit}: {advice}"
    figures = [name for name, other in ANALYSES.items() if canonical_name(other.options(), word) in other.options()]
    if not figures:
        return ""
    names = ", ".join(figures[:MAX_NAMES] + (["…"] if len(figures) > MAX_NAMES else []))
    return f"{figure} has no option {flag}, which belongs to {names}: pecli {figure} --help lists its own options"


def _nearest(word: str, known: Iterable[str]) -> list[str]:
    """Return the most similar known names, ignoring leading dashes."""
    plain = {name.lstrip("-"): name for name in known}
    return [plain[name] for name in nearest(word.lstrip("-"), plain, ALIKE, MAX_NAMES)]


def _did_you_mean(near: list[str]) -> str:
    return f"; did you mean {' or '.join(near)}? " if near else ": "
