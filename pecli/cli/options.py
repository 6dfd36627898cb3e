"""Options of dataclasses as parameters of a Typer command, and their page of help."""

from __future__ import annotations

import inspect
import os
import re
import sys
import textwrap
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Annotated, Any, get_type_hints

import typer

from pecli.analysis import Analysis
from pecli.cli.grammar import WORDS
from pecli.core.errors import UsageError, mention
from pecli.core.language import Language
from pecli.core.options import Option, Options, default_of, own_name
from pecli.core.positions import Positions
from pecli.core.terminal import columns
from pecli.core.values import write_scalar
from pecli.encodings.registry import ENCODINGS, Encoding, encoding_named, encoding_of
from pecli.figures.canvas import Canvas
from pecli.files.formats import FORMATS
from pecli.jobs.job_options import ANALYSES, Choice, Output, encoding_parameters, known_options

WIDEST = 100  # columns: longer lines are hard to read
LEFT = 28  # columns for names; a longer one has a line of its own
HELP = (("-h", "--help"), "Show this page and end.")
FLAGS = "-"  # what the name of an option begins with


@dataclass(frozen=True)
class Section:
    """Rows under a title.

    rows : name and text each; a row without a name is a line of text
    """

    title: str
    rows: Sequence[tuple[str, str]]

    def lines(self, width: int) -> list[str]:
        """The section as lines; nothing where it has no rows."""
        if not self.rows:
            return []
        left = min(LEFT, width // 2, 4 + max(len(name) for name, _ in self.rows))
        return ["", heading(self.title), *(line for name, text in self.rows for line in _row(name, text, width, left))]


@dataclass(frozen=True)
class Page:
    """What --help shows of a command."""

    usage: str
    summary: str
    examples: Sequence[str]
    sections: Sequence[Section]

    def text(self) -> str:
        """The whole page."""
        width = min(columns(), WIDEST)
        head = [
            f"{heading('Usage:')} {self.usage}",
            *(["", *textwrap.wrap(self.summary, width)] if self.summary else []),
        ]
        lines = [*head, *Section("Examples:", [("", line) for line in self.examples]).lines(width)]
        return sendable("\n".join([*lines, *(line for one in self.sections for line in one.lines(width))]))


def sendable(text: str) -> str:
    """The text with escapes for what standard output has no letters for."""
    encoding = getattr(sys.stdout, "encoding", None) or "utf-8"
    return text.encode(encoding, "backslashreplace").decode(encoding)


def heading(text: str) -> str:
    """A title, bold where the terminal may be sent that."""
    plain = "NO_COLOR" in os.environ or os.environ.get("TERM") == "dumb" or not sys.stdout.isatty()
    return text if plain else typer.style(text, bold=True)


def options_of(command: Any) -> list[tuple[str, str]]:
    """The arguments and options of a command that Typer made, as rows."""
    made = [(_name(one), getattr(one, "help", "") or _declared_help(command, one.name)) for one in command.params]
    return [(name, text[:1].upper() + text[1:]) for name, text in made]


def with_help(command: Any) -> list[tuple[str, str]]:
    """The same, and that of this page."""
    return [*options_of(command), (aligned(HELP[0]), HELP[1])]


def usage_word(one: Any) -> str:
    """An argument as the line of usage has it, in brackets where it may be left out; nothing for an option."""
    if any(flag.startswith(FLAGS) for flag in one.opts):
        return ""
    name = _name(one) + ("…" if one.nargs == -1 and not _name(one).endswith("…") else "")
    return name if one.required else f"[{name}]"


def _declared_help(command: Any, name: str) -> str:
    """The help of an argument where its function has it: Typer 0.16 loses it between itself and Click 8.2 and later."""
    hints = get_type_hints(inspect.unwrap(command.callback), include_extras=True)
    return next((one.help for one in getattr(hints.get(name), "__metadata__", ()) if hasattr(one, "help")), "") or ""


def _name(one: Any) -> str:
    flags = sorted(one.opts, key=lambda flag: flag.startswith("--"))
    if not any(flag.startswith(FLAGS) for flag in flags):
        return str(one.metavar or one.name.upper())
    value = "" if getattr(one, "is_flag", False) else f" {one.metavar or one.name.upper()}"
    return aligned(flags) + value


def aligned(flags: Sequence[str]) -> str:
    """The spellings of an option, the long one always in the same column."""
    short = [flag for flag in flags if not flag.startswith("--")]
    long = [flag for flag in flags if flag.startswith("--")]
    return f"{', '.join(short) + ', ' if short else '    '}{', '.join(long)}"


def _row(name: str, text: str, width: int, left: int) -> Iterable[str]:
    if not name:
        return textwrap.wrap(text, width, initial_indent="  ", subsequent_indent="  ", break_on_hyphens=False)
    texts = textwrap.wrap(text, width - left, break_on_hyphens=False) or [""]
    head = f"  {name}"
    if len(head) < left - 1:
        return [head.ljust(left) + texts[0], *(" " * left + line for line in texts[1:])]
    return [head, *(" " * left + line for line in texts)]


SPECS = "specs"  # the parameter that holds encodings given without --encoding
SHORT = 26  # letters of choices that stand beside a name
FEW = 4  # choices that are one word, a|b|c, which a line cannot break
FAR = 10**9  # a limit that nobody reaches
RUN = {  # the options that do not change the picture
    "json": (("--json",), "print path, bytes, job and key numbers as JSON"),
    "quiet": (("-q", "--quiet"), "print nothing but errors"),
    "verbose": (("-v", "--verbose"), "say more, and where an error comes from"),
}
JOBS = Option(
    "processes for a .gif, .webp or .html",
    name="jobs",
    scalar=int,
    at_least=1,
    at_most=1024,
    flags=("-j",),
    optional=True,
    unset="the cores",
)
DRAWN = {"show": (("--show",), "show the picture in the terminal; alone it writes no file")}  # of figures alone
DRAWN_HELP = [*DRAWN.values(), ((*JOBS.flags, f"{JOBS.flag} N"), f"{JOBS.help} (default {JOBS.unset})")]
RUN_HELP = [*RUN.values(), HELP]
TOKENS = "tokens"  # the option of figures that are of words
OPTIONS_NUMBERS = re.compile(r"[\d.,]+")
METAVARS = {int: "INTEGER", float: "NUMBER", str: "TEXT", bool: ""}


def parameter(one: Option, panel: str, text: str = "") -> inspect.Parameter:
    """One option as a keyword parameter. Values stay text: they are read and checked by the option itself."""
    flags = flags_of(one)
    text = text or help_text(one)
    if one.scalar is bool:
        return keyword(one.name, bool, False, typer.Option(*flags, help=text, rich_help_panel=panel))
    offered: dict[str, Any] = {"autocompletion": offering(one), "show_default": False}
    shown = typer.Option(*flags, help=text, rich_help_panel=panel, metavar=METAVARS[one.scalar], **offered)
    return keyword(one.name, list[str] | None, None, shown)


def offering(one: Option) -> Callable[..., list[tuple[str, str]]]:
    """What a shell offers for the option, as Typer asks for it: without types, which it would read for every option."""
    return lambda ctx: _offered(one, ctx)


def _offered(one: Option, ctx: typer.Context) -> list[tuple[str, str]]:
    from pecli.cli.completion import values_for

    return values_for(one, {**ctx.params, WORDS: ctx.meta.get(WORDS, ())})


def flags_of(one: Option) -> tuple[str, ...]:
    """Every spelling of an option on the command line, those that the help does not show last."""
    return (one.flag, *one.flags, *("--" + word.replace("_", "-") for word in one.aliases))


def alias_flags(command: str) -> set[str]:
    """The options that a figure or report understands under names that are shown nowhere."""
    known = known_options(ANALYSES[command]) if command in ANALYSES else {}
    return {flag for one in known.values() for flag in flags_of(one)[1 + len(one.flags) :]}


def keyword(name: str, kind: Any, default: Any, shown: Any) -> inspect.Parameter:
    """A keyword parameter of that type that Typer shows as given."""
    return inspect.Parameter(name, inspect.Parameter.KEYWORD_ONLY, default=default, annotation=Annotated[kind, shown])


def help_text(one: Option, *, beside: bool = False) -> str:
    """What an option does, what it takes and what it is by default.

    beside : few choices are told beside its name already
    """
    default = one.unset if one.default in (None, ()) else one.write(one.default)
    taken = "" if beside and choice_text(one) else range_text(one)
    between = "; " if ", " in taken else ", "
    facts = between.join(filter(None, [taken, f"default {default}" if default else ""]))
    flag = one.scalar is bool and not one.default
    return f"{one.help} ({facts})" if facts and not flag else one.help


def choice_text(one: Option) -> str:
    """The words that an option takes where they are few, ``a|b|c``."""
    words = "|".join(one.choices()) if one.choices is not None else ""
    return words if len(words) <= SHORT else ""


def range_text(one: Option) -> str:
    """What an option takes, as short as it can be said."""
    if one.choices is not None:
        words = list(one.choices())
        return ("|" if len(words) <= FEW else ", ").join(words)
    low, high = (limit is not None and abs(limit) < FAR for limit in (one.at_least, one.at_most))
    number = f"> {write_scalar(one.above)}" if one.above is not None else ""
    number = f"≥ {write_scalar(one.at_least)}" if low else number
    number = f"{write_scalar(one.at_least)} to {write_scalar(one.at_most)}" if low and high else number
    return " or ".join(filter(None, [number, "|".join(one.names)]))


def standing(one: Option, defaults: Mapping[str, Any]) -> Option:
    """The option with the default that stands in for its own."""
    return replace(one, default=default_of(one, defaults))


def parameter_help(name: str, figure: type[Analysis[Any]]) -> str:
    """The help of an encoding's parameter: once, where all encodings that have it say the same.

    Empty where the figure takes no encoding that has it: it is none of its options.
    """
    owners: dict[str, list[str]] = {}
    for encoding in filter(figure.takes, ENCODINGS.values()):
        one = encoding.options().get(name)
        if one is not None and one.only_with is None:
            owners.setdefault(help_text(standing(one, figure.default_options)), []).append(encoding.name)
    return "; ".join(f"{', '.join(names)}: {text}" for text, names in owners.items())


def job_parameters(figure: type[Analysis[Any]], more: Mapping[str, Option] | None = None) -> list[inspect.Parameter]:
    """All options of a figure's or report's command, in the order of the help; `more` are a plugin's."""
    known, defaults = known_options(figure), figure.default_options
    rows = [specs_argument(figure.default_encoding)]
    rows += [parameter(one, f"Options of {figure.name}") for one in figure.options().values()]
    rows += [parameter(replace(one, unset=figure.default_encoding), "Encoding") for one in Choice.options().values()]
    said = {name: parameter_help(name, figure) for name in encoding_parameters()}
    rows += [parameter(one, "Encoding", said[name]) for name, one in encoding_parameters().items() if said[name]]
    rows += [parameter(one, "Encoding") for one in (more or {}).values()]
    sections: tuple[type[Options], ...] = (Positions, Canvas, Output, Language)
    every = [(section.__name__, one) for section in sections for one in section.options().values()]
    offered = [(panel, one) for panel, one in every if one.name in known]
    return rows + [parameter(standing(one, defaults), panel) for panel, one in offered]


def specs_argument(default: str) -> inspect.Parameter:
    """The encodings as words of their own: ``pecli compare sinusoidal:base=10 rope``."""
    (one,) = Choice.options().values()
    shown = typer.Argument(
        help=help_text(replace(one, unset=default)),
        metavar="ENCODING",
        show_default=False,
        autocompletion=offering(one),
    )
    return keyword(SPECS, list[str] | None, None, shown)


def given(values: Mapping[str, Any], figure: type[Analysis[Any]]) -> dict[str, Any]:
    """The options that were given; encodings given as words stand before those given with --encoding."""
    result = {name: value for name, value in values.items() if value not in (None, False, [], ())}
    if SPECS in result:
        check_words(result[SPECS], figure)
        (encoding,) = Choice.options()
        result[encoding] = [*result.pop(SPECS), *result.get(encoding, [])]
    return result


def check_words(words: Sequence[str], figure: type[Analysis[Any]]) -> None:
    """Refuses words that are no encodings but files, and more than the figure shows in one picture."""
    for word in words:
        ending = word.rpartition(".")[2].lower()
        if ending in FORMATS and not FORMATS[ending].numbers:
            advice = f"write it with {mention('output', word)}"
            raise UsageError(f"{word} is no encoding", option="encoding", value=word, advice=advice)
        if advice := _meant(word, figure):
            raise UsageError(f"{word[:60]} is no encoding", option="encoding", value=word, advice=advice)
    if len(words) > 1 and not figure.several:
        several = ", ".join(name for name, one in ANALYSES.items() if one.several)
        each = " ".join(str(mention("encoding", word)) for word in words)
        grid = f"are a picture each, and with {mention('output', 'grid.png')} behind it one grid"
        advice = f"{several} take several, {each} {grid if figure.drawn else 'come one after the other'}"
        raise UsageError(f"{figure.name} shows one encoding, {len(words)} are given", option="encoding", advice=advice)


def _meant(word: str, figure: type[Analysis[Any]]) -> str:
    """What a word that stands for an encoding was meant for, and how that is typed; mostly nothing."""
    if ":" in word or os.path.exists(word):  # a spec, or the file of a model
        return ""
    name, equals, value = word.partition("=")
    known = known_options(figure)
    if equals and name.isidentifier() and (own := own_name(known, name)) in known:
        return f"write {mention(own, value)}"
    if OPTIONS_NUMBERS.fullmatch(word):
        return "values of one option stand in one word, as in 10,20"
    if " " in word.strip() and TOKENS in known:
        return f"write {mention(TOKENS)} before it"
    return ""


FIGURE_HELP_NUMBERS = {int: "N", float: "X", str: "TEXT"}
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
    return " " + (choice_text(one) or FIGURE_HELP_NUMBERS[one.scalar] + (",…" if one.many and one.splits else ""))


def _elsewhere(figure: type[Analysis[Any]], kinds: Sequence[type[Encoding]]) -> list[tuple[str, str]]:
    """One line for all that belongs to a value of a parameter, and one for the parameters of other encodings."""
    inner = {one.only_with[0]: kind.name for kind in kinds for one in kind.options().values() if one.only_with}
    lines = [("", f"more beside --{owner}: pecli encodings {name}") for owner, name in inner.items()]
    mine = {name for kind in kinds for name in kind.options()}
    others = [kind for kind in ENCODINGS.values() if figure.takes(kind) and set(kind.options()) - mine]
    if others:
        lines.append(("", f"of other encodings: pecli {figure.name} {others[0].name} --help"))
    return lines
