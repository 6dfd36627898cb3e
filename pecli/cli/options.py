"""Options as Typer parameters, the parsing of their texts, and options that several commands share."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Annotated, Any

import typer

from pecli.cli.completion import offered_values
from pecli.cli.help import OPTIONS, USED_MOST
from pecli.cli.show import FORMS, guard
from pecli.core.language import Language
from pecli.core.options import Option, Options, option
from pecli.files.formats import FORMATS
from pecli.jobs.job_options import FILE_HELP, Output
from pecli.jobs.run_options import RunOptions

METAVARS = {int: "INTEGER", float: "NUMBER", str: "TEXT", bool: " "}


@dataclass(frozen=True)
class SharedOptions(Options):
    """Options that several commands without a figure share."""

    cite: bool = option(False, "print the papers of the formulas as BibTeX")
    strict: bool = option(False, "also exit with 1 for a warning or a known mistake")


@dataclass(frozen=True)
class ModelPicture(Options):
    """The option of ``pecli model`` for its pictures."""

    figure: str = option(
        "spectrum",
        "what the picture shows: wavelengths (spectrum), how far each layer looks back (layers), or how far the rates "
        "of the other files or runtimes drift from the first (drift)",
        choices=lambda: ("spectrum", "layers", "drift"),
    )


def run_options(*without: str) -> list[Option]:
    """Return the options of every run except those named."""
    return [entry for name, entry in RunOptions.options().items() if name not in without]


def file_options(pictures: bool = False) -> list[Option]:
    """Return the options for the output and format of a text, with picture formats if `pictures`."""
    output, format, *signs = (Output.options()[name] for name in ("output", "format", "csv_sep", "decimal"))
    fitting = [name for name, item in FORMATS.items() if name in FORMS or (pictures and item.picture)]
    return [
        replace(output, help=FILE_HELP, unset="the terminal"),
        replace(format, choices=lambda: fitting, unset="text; md with -o -"),
        *signs,
    ]


def language_option() -> Option:
    """Return the language option without a default, so that the environment can set the language."""
    return replace(Language.options()["lang"], default=None, optional=True, unset="en")


def parameter(entry: Option, panel: str, hidden: bool = False) -> inspect.Parameter:
    """Return an option as a keyword parameter for Typer.

    Its value stays text, to be parsed by the option itself.

    panel : group of the help that lists the option
    """
    switch = entry.scalar is bool
    shown = typer.Option(
        *(entry.flag, *entry.flags),
        help=entry.explained,
        rich_help_panel=USED_MOST if entry.common else panel,
        hidden=hidden,
        metavar=METAVARS[entry.scalar],
        autocompletion=None if switch else lambda incomplete: offered_values(entry, incomplete),
        show_default=False,
    )
    return keyword(entry.name, bool if switch else list[str] | None, False if switch else None, shown)


def argument(
    name: str, help: str, *, many: bool = False, required: bool = False, metavar: str | None = None, offers: Any = None
) -> inspect.Parameter:
    """Return a positional parameter for one word, or several if `many`; if not required, its default is None.

    offers : function that returns completions for a word
    """
    shown = typer.Argument(help=help, metavar=metavar or name.upper(), show_default=False, autocompletion=offers)
    kind: Any = list[str] if many else str
    return keyword(name, kind if required else kind | None, inspect.Parameter.empty if required else None, shown)


def context_parameter() -> inspect.Parameter:
    """Return the parameter for Typer's context, which holds the words after the command's own arguments."""
    return inspect.Parameter("context", inspect.Parameter.KEYWORD_ONLY, annotation=typer.Context)


def keyword(name: str, kind: Any, default: Any, shown: Any) -> inspect.Parameter:
    """Return a keyword parameter annotated for Typer.

    kind : its type
    shown : the `typer.Option` or `typer.Argument` that describes it
    """
    return inspect.Parameter(name, inspect.Parameter.KEYWORD_ONLY, default=default, annotation=Annotated[kind, shown])


def with_parameters(function: Callable[..., None], parameters: list[inspect.Parameter]) -> Callable[..., None]:
    """Return the function with its signature replaced by these parameters.

    Raises ValueError if two have the same name.
    """
    signature = inspect.Signature(parameters)
    function.__signature__ = signature  # type: ignore[attr-defined]  # read by inspect
    function.__annotations__ = {name: p.annotation for name, p in signature.parameters.items()}
    return function


def with_options(
    function: Callable[..., None], options: Iterable[Option], *arguments: inspect.Parameter
) -> Callable[..., None]:
    """Return a function with the signature that Typer needs; it parses the options and calls `function`."""
    known = {entry.name: replace(entry, common=False) for entry in options}

    def command(**texts: Any) -> None:
        with guard(texts.get("quiet", False), texts.get("verbose", False)):
            function(**{name: value_of(known[name], text) if name in known else text for name, text in texts.items()})

    return with_parameters(command, [*arguments, *(parameter(entry, OPTIONS) for entry in known.values())])


def value_of(entry: Option, texts: Any) -> Any:
    """Return the value of an option, parsed from the last of its texts.

    If the option takes several values, it is parsed from all of them.
    """
    if texts in (None, False, [], ()):
        return entry.default
    return entry.read(texts if entry.scalar is bool else entry.split_items(texts) if entry.many else texts[-1])


def values_of(known: Mapping[str, Option], texts: Mapping[str, Any]) -> dict[str, Any]:
    """Return the unparsed texts of the options' values; a text with several values is split."""

    def values(entry: Option, text: Any) -> Any:
        return text if entry.scalar is bool else entry.split_items([text] if isinstance(text, str) else text)

    return {name: values(known[name], text) for name, text in texts.items()}
