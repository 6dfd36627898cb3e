"""The program: its list of commands, each built only when called, and messages for unknown words."""

from __future__ import annotations

import gc
import io
import logging
import os
import sys
import warnings
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import TYPE_CHECKING, Annotated, Any, Never

import typer
from typer.core import TyperCommand, TyperGroup

from pecli import __version__
from pecli.cli.questions import QUESTIONS
from pecli.core.lazy import Registry
from pecli.core.terminal import print_notes, print_results
from pecli.figures import FIGURES
from pecli.files.writer import discard_stdout
from pecli.reports import REPORTS

if TYPE_CHECKING:
    from pecli.cli.show import Command

WORDS: Registry[Command] = Registry(
    {
        "encodings": ("pecli.cli.info:ENCODINGS_COMMAND", "All encodings, or some of them in detail"),
        "explore": ("pecli.cli.explore:COMMAND", "A figure in the browser, with sliders and menus for its options"),
        "extend": (
            "pecli.cli.info:EXTEND_COMMAND",
            "How a model could read longer texts, and what to type for each runtime",
        ),
        "identify": (
            "pecli.cli.info:IDENTIFY_COMMAND",
            "The formula, or the known mistake, that made a table",
        ),
        "model": (
            "pecli.cli.info:MODEL_COMMAND",
            "Which position encoding a config.json applies, and what is wrong in it",
        ),
        "schema": ("pecli.cli.schema:COMMAND", "The JSON Schema of what a command prints with --json"),
        "skill": ("pecli.cli.skill:COMMAND", "How an AI agent or a script uses pecli: a skill file, SKILL.md"),
        "tensors": ("pecli.cli.info:TENSORS_COMMAND", "The tensors in a file, and which of them is a position table"),
    }
)
FILES: Registry[Command] = Registry(
    {
        "batch": (
            "pecli.cli.batch:COMMAND",
            "All figures of a TOML file: draws in several processes, skips up-to-date files",
        ),
        "redraw": (
            "pecli.cli.recipe:REDRAW_COMMAND",
            "A finished file drawn again with some options changed",
        ),
        "recipe": (
            "pecli.cli.recipe:RECIPE_COMMAND",
            "The command that made a file, or a batch file that makes several",
        ),
    }
)
PANELS: dict[str, Registry[Any]] = {"Figures": FIGURES, "Words and numbers": REPORTS | WORDS, "Files": FILES}
PANEL = {name: panel for panel, names in PANELS.items() for name in names}  # heading of each command in the list
ALIASES = FIGURES.aliases | REPORTS.aliases
SUMMARY = "Pictures and numbers of position encodings, one command for each."
EXAMPLES = ("pecli heatmap --base 10", "pecli distance rope -o rope.svg", "pecli model config.json")
MORE = (
    "pecli COMMAND --help shows the options of a command; pecli heatmap rope --help",
    "adds those of rope; pecli --help shows which figure answers which question.",
)
USAGE_ERROR: Any = typer.BadParameter.__base__  # Click's UsageError, found through Typer
SETTINGS: dict[str, Any] = {
    "help_option_names": ["-h", "--help"],
    "token_normalize_func": lambda word: word.replace("_", "-"),  # --rope_theta becomes --rope-theta
}


def _raw_text(parameter: Any, ctx: Any, value: Any) -> Any:
    """Return the text of a parameter, unconverted; Click calls this function instead of converting the text."""
    if value is None and (getattr(parameter, "multiple", False) or parameter.nargs == -1):
        value = ()  # as in newer versions of Typer
    return value if parameter.callback is None else parameter.callback(ctx, parameter, value)


def _without_conversion(parameters: list[Any]) -> list[Any]:
    """Return the parameters, changed so that Typer does not convert the texts of optional ones.

    `pecli.core.options` parses these texts. Typer would need 0.1 s to build a pydantic adapter for each of forty
    options.
    """
    for parameter in (each for each in parameters if not each.required):
        parameter.process_value = partial(_raw_text, parameter)
    return parameters


class TextCommand(TyperCommand):
    """A Typer command whose options stay unconverted text, and whose name appears in every error about its arguments.

    examples, notes : lines and paragraphs for its help
    """

    examples: Sequence[str] = ()
    notes: Sequence[str] = ()

    def get_params(self, ctx: Any) -> list[Any]:
        return _without_conversion(super().get_params(ctx))

    def format_help(self, ctx: Any, formatter: Any) -> None:
        from pecli.cli.help import command_page

        sys.stdout.write(command_page(self, ctx, self.examples, self.notes))  # the caller adds the newline

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        try:
            return super().parse_args(ctx, args)
        except USAGE_ERROR as error:
            error.ctx = error.ctx or ctx
            raise


class AllCommands(TyperGroup):
    """The top-level command: lists the commands, builds the one that is called, and reports usage errors."""

    def get_params(self, ctx: Any) -> list[Any]:
        return _without_conversion(super().get_params(ctx))

    def main(self, *args: Any, **options: Any) -> Never:
        try:
            code = super().main(*args, **{**options, "standalone_mode": False})
        except USAGE_ERROR as error:
            print_notes(_usage_message(error))
            code = 2
        sys.exit(code)

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        ctx.meta["pecli.questions"] = bool(args)
        if args[:1] == ["help"] or not (args or ctx.resilient_parsing):  # pecli help heatmap
            args = [*args[1:2], "--help"]
        return super().parse_args(ctx, args)

    def format_help(self, ctx: Any, formatter: Any) -> None:
        from pecli.cli.help import commands_page, section

        groups = {panel: {name: summary_of(name) for name in names} for panel, names in PANELS.items()}
        groups["Figures"] |= {name: summary_of(name) for name in FIGURES.more()}
        ends = [section("Examples", ((line, "") for line in EXAMPLES)), [*MORE]]
        if ctx.meta["pecli.questions"]:
            answers = ((f"{question} {line}", "") for question, line in QUESTIONS.items())
            ends.insert(1, section("Which figure shows what", answers))
        sys.stdout.write(commands_page(ctx, SUMMARY, groups, ends))

    def resolve_command(self, ctx: Any, args: list[str]) -> tuple[str | None, Any, list[str]]:
        name = args[0].lower().replace("_", "-")
        if name in (known := self.list_commands(ctx)) or name in FIGURES:
            return name, _build_command(name, args[1:]), args[1:]
        if ctx.resilient_parsing:
            return super().resolve_command(ctx, args)
        from pecli.cli.suggestions import unknown_command

        print_notes(unknown_command(args[0], known))
        raise typer.Exit(2)


def _usage_message(error: Any) -> str:
    """Return the message for a usage error raised by Click.

    The kind of error is recognised by its class name: Typer exports only BadParameter, and since 0.26 imports Click
    under another name.
    """
    line = error.ctx.command_path if error.ctx else "pecli"
    if type(error).__name__ == "NoSuchOption":
        from pecli.cli.suggestions import unknown_option

        flags = {flag: parameter.opts[0] for parameter in error.ctx.command.params for flag in parameter.opts}
        return unknown_option(line.partition(" ")[2], error.option_name, flags)
    text = error.format_message().rstrip(".")
    return f"{text[:1].lower()}{text[1:]}: see {line} --help"


def command_of(name: str, words: Sequence[str] = ()) -> Command:
    """Return the command of that name; a figure or report also gets the options of encodings named in `words`."""
    if name in (own := WORDS | FILES):
        return own[name]
    from pecli.cli.figures import analysis_command

    own_name, options = ALIASES.get(name, (name, {}))
    analyses: Registry[Any] = FIGURES | REPORTS
    return analysis_command(analyses[own_name], words, options)


def summary_of(name: str) -> str:
    """Return a one-line summary of the command, without importing it."""
    own = ALIASES[name][0] if name in ALIASES else name
    return PANELS[PANEL.get(own, "Figures")].summary(own)


def _build_command(name: str, words: Sequence[str]) -> Any:
    """Return the Typer command with all its options, including those of encodings named in `words`."""
    command = command_of(name, words)
    built = _typer_command(name, command.function, command.settings, help=summary_of(name))
    built.examples, built.notes = command.examples, command.notes
    return built


def _typer_command(name: str, function: Callable[..., None], settings: Mapping[str, Any], **texts: str) -> Any:
    single = typer.Typer(pretty_exceptions_enable=False, rich_markup_mode=None, add_completion=False)
    single.command(name, cls=TextCommand, context_settings={**SETTINGS, **settings}, **texts)(function)  # type: ignore[arg-type]
    return typer.main.get_command(single)


def run_words(function: Callable[..., None], words: list[str], name: str, settings: Mapping[str, Any]) -> int:
    """Run a command's function with the given command-line words, and return the exit code.

    This is a second parse, for the words after a file or figure: the file or figure decides which options exist.

    settings : Click's context settings
    """
    return _typer_command(name, function, settings)(words, f"pecli {name}", standalone_mode=False) or 0


def _version(shown: bool) -> None:
    if shown:
        print_results([f"pecli {__version__}"])
        raise typer.Exit


app = typer.Typer(
    cls=AllCommands,
    help=SUMMARY,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
    context_settings=SETTINGS,
)


@app.callback()
def options(
    version: Annotated[
        bool, typer.Option("--version", "-V", help="Show the version and stop.", is_eager=True, callback=_version)
    ] = False,
) -> None:
    """Declare the options that come before the name of a command."""


def _listed_command() -> None:
    """Do nothing: a placeholder for each command in the list, until the command is built."""


for _name in [*PANEL, *ALIASES]:
    app.command(_name, help=summary_of(_name), hidden=_name in ALIASES, rich_help_panel=PANEL.get(_name))(
        _listed_command
    )


def main() -> None:
    """Run the command line of this process."""
    gc.set_threshold(50_000, 20, 20)  # imports create many objects but no garbage; saves 0.03 s
    os.environ["MPLBACKEND"] = "agg"  # a backend from the environment may fail to import
    os.environ["MATPLOTLIBRC"] = os.devnull  # a broken matplotlibrc would stop the import
    logging.getLogger("matplotlib").setLevel(logging.ERROR)  # pecli prints its own messages instead
    warnings.showwarning = lambda message, *_, **__: print_notes(f"warning: {message}")
    stdout = sys.stdout  # Typer replaces sys.stdout after a broken pipe
    for stream in (stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")  # characters outside its encoding become escapes
    try:
        try:
            if os.environ.get("_PECLI_COMPLETE") == "complete_bash":
                from pecli.cli.completion import complete_in_bash

                complete_in_bash(lambda: app(prog_name="pecli"))
            else:
                app(prog_name="pecli", windows_expand_args=False)  # or Typer would expand the patterns of --only
        finally:
            stdout.flush()
    except OSError as error:  # from --help and --version; inside commands, `guard` handles it
        if not isinstance(error, BrokenPipeError):
            print_notes(f"the operating system reports: {error}")
        discard_stdout()
        sys.exit(1)
