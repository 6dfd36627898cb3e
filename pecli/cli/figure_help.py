"""The page of help of a figure or report, made from the fields of its options: what is asked most comes first."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import Any

from pecli.analysis import Analysis
from pecli.cli.help_page import HELP, Section, aligned
from pecli.cli.options import DRAWN_HELP, RUN_HELP, choice_text, help_text, standing
from pecli.core.language import Language
from pecli.core.options import Option, Options
from pecli.core.positions import Positions
from pecli.encodings import ENCODINGS, Encoding, encoding_named, encoding_of
from pecli.figures.canvas import Canvas
from pecli.files.formats import FORMATS
from pecli.jobs.job_options import Choice, Output

NUMBERS = {int: "N", float: "X", str: "TEXT"}
OWNED = 3  # names of an option's owners that are told


def figure_sections(figure: type[Analysis[Any]], words: Sequence[str], *, writes: bool = True) -> list[Section]:
    """The sections of its help, for the encodings among these words or its own.

    writes : whether what it draws goes to files or the terminal
    """
    kinds = chosen(figure, words)
    parameters = parameters_of_kinds(figure, kinds)
    common: list[type[Options]] = [Positions, *([Output] if writes else []), Language]
    shared = [_standing(figure, one) for section in common for one in section.options().values()]
    (encoding,) = (replace(one, unset=figure.default_encoding) for one in Choice.options().values())
    everything = [encoding, *parameters, *shared]
    first = [one for one in everything if has_letter(one)]
    drawn = list(Canvas.options().values()) if figure.drawn else []
    rare = [one for one in shared if not has_letter(one)]
    names = ", ".join(kind.name for kind in kinds)
    run = [*(DRAWN_HELP if figure.drawn else []), *RUN_HELP] if writes else [HELP]
    rest = [one for one in parameters if not has_letter(one)]
    own = [one for one in figure.options().values() if not one.in_spec]
    return [
        Section("Asked most:", rows(first)),
        Section(f"Of {figure.name}:", rows(own)),
        Section(f"Of the encoding {names}:", [*rows(rest), *_elsewhere(figure, kinds)]),
        Section("The picture:" if figure.drawn else "", rows(drawn)),
        Section("Rarely:", [*rows(rare), *((aligned(flags), text) for flags, text in run)]),
        Section("The numbers:", [("", figure.defines), *figure.row_meanings.items()] if figure.defines else []),
    ]


def chosen(figure: type[Analysis[Any]], words: Sequence[str]) -> list[type[Encoding]]:
    """The encodings that these words name, else the figure's own."""
    heads = [word.removeprefix("--encoding=").removeprefix("-e").partition(":")[0] for word in words]
    named = [kind for head in heads if head.isidentifier() and (kind := encoding_named(head)) is not None]
    return list(dict.fromkeys(named)) or [encoding_of(figure.default_encoding)]


def parameters_of_kinds(figure: type[Analysis[Any]], kinds: Iterable[type[Encoding]]) -> list[Option]:
    """The parameters of these encodings, a shared one once, but those that belong to a value of another."""
    every = {name: one for kind in kinds for name, one in kind.options().items() if not one.in_spec}
    return [_standing(figure, one) for one in every.values()]


def _standing(figure: type[Analysis[Any]], one: Option) -> Option:
    """The option as it is there: with the figure's default, and without formats of pictures where none is drawn."""
    if one == Output.options()["format"]:
        fitting = [name for name, form in FORMATS.items() if form.numbers or form.document != figure.drawn]
        one = replace(one, choices=lambda: fitting, unset="png" if figure.drawn else "text, md with -o -")
    if figure.length_help and one == Positions.options()["length"]:
        one = replace(one, help=figure.length_help, default=None, at_least=None)
    return standing(one, figure.default_options)


def has_letter(one: Option) -> bool:
    """Whether an option has a letter of its own, as those that are asked most have."""
    return any(not flag.startswith("--") for flag in one.flags)


def rows(options: Iterable[Option]) -> list[tuple[str, str]]:
    """Names and texts of options."""
    return [(f"{aligned([*_short(one), one.flag])}{_value(one)}", help_text(one, beside=True)) for one in options]


def _short(one: Option) -> list[str]:
    return [flag for flag in one.flags if not flag.startswith("--")]


def _value(one: Option) -> str:
    if one.scalar is bool:
        return ""
    return " " + (choice_text(one) or NUMBERS[one.scalar] + (",…" if one.many and one.splits else ""))


def _elsewhere(figure: type[Analysis[Any]], kinds: Sequence[type[Encoding]]) -> list[tuple[str, str]]:
    """One line for all that belongs to a value of a parameter, and one for the parameters of other encodings."""
    inner = {one.only_with[0]: kind.name for kind in kinds for one in kind.options().values() if one.only_with}
    lines = [("", f"more beside --{owner}: pecli encodings {name}") for owner, name in inner.items()]
    mine = {name for kind in kinds for name in kind.options()}
    others = [kind for kind in ENCODINGS.values() if figure.takes(kind) and set(kind.options()) - mine]
    if others:
        lines.append(("", f"of other encodings: pecli {figure.name} {others[0].name} --help"))
    return lines
