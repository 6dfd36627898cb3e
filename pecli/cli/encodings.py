"""The encodings there are, or one of them in detail."""

from __future__ import annotations

import inspect
from typing import Annotated, Any

import typer

from pecli.cli.commands import Command
from pecli.cli.documents import FormatOption, JsonOption, OutputOption, QuietOption, VerboseOption, form_of, publish
from pecli.cli.guard import guard
from pecli.cli.options import help_text
from pecli.core.document import Block, Facts, Paragraph, Table
from pecli.core.terminal import columns
from pecli.encodings import Encoding, all_encodings, find_encoding
from pecli.jobs.job_options import ANALYSES


def names() -> list[tuple[str, str]]:
    """The names of encodings, for the shell."""
    return [(name, kind.summary) for name, kind in all_encodings().items()]


def encodings(
    name: Annotated[
        str | None, typer.Argument(help="The encoding to explain.", show_default=False, autocompletion=names)
    ] = None,
    output: OutputOption = None,
    format: FormatOption = None,
    as_json: JsonOption = False,
    quiet: QuietOption = False,
    verbose: VerboseOption = False,
) -> None:
    """Prints the encodings there are, or one of them in detail."""
    with guard(quiet, verbose):
        form = form_of(output, format, as_json)
        if name is None:
            rows = [row(one) for one in all_encodings().values()]
            narrow = form is None and columns() < WIDE
            document = below_each_other(rows) if narrow else [Table(HEADER, rows)]
            publish(document, {"results": [facts(kind) for kind in all_encodings().values()]}, output, form)
        else:
            found = find_encoding(name)
            publish(detail(found), {"results": [facts(found)]}, output, form)


DOES = "what it does"
WIDE = 200  # columns of a terminal in which a table of all is no worse than a list
HEADER = ("name", "what it is", "kind", "numbers", "beyond its length", "used by", "source")
COMMAND = Command(
    encodings,
    ("pecli encodings", "pecli encodings rope"),
    keys={
        **dict.fromkeys(HEADER, "as in the list"),
        "formula": "its formula",
        "parameters": "what each does (`help`) and which values it takes (`takes`)",
    },
)


def facts(encoding: type[Encoding]) -> dict[str, Any]:
    """What there is to say of an encoding, for --json."""
    parameters = {name: {"help": one.help, "takes": one.bounds} for name, one in encoding.options().items()}
    return {**dict(zip(HEADER, row(encoding), strict=True)), "formula": encoding.formula, "parameters": parameters}


def below_each_other(rows: list[tuple[str, ...]]) -> list[Block]:
    """The list for a terminal without the room for a table."""
    return [one for cells in rows for one in (Facts(dict(zip(HEADER, cells, strict=True))), Paragraph())]


def row(encoding: type[Encoding]) -> tuple[str, ...]:
    """One line of the list."""
    numbers = "learned" if encoding.trained else "fixed formula"
    beyond = "the formula goes on" if encoding.extrapolates else "has no rows"
    return (encoding.name, encoding.summary, encoding.kind, numbers, beyond, encoding.models, encoding.source)


def facts_of(encoding: type[Encoding]) -> dict[str, str]:
    """What the list says of an encoding, its formula, figures and an example."""
    figures = ", ".join(name for name, figure in ANALYSES.items() if figure.takes(encoding))
    facts = dict(zip(HEADER, row(encoding), strict=True))
    return facts | {"formula": encoding.formula, "figures": figures, "example": encoding.example}


def detail(encoding: type[Encoding]) -> list[Block]:
    """Formula, parameters, figures and an example of one encoding."""
    tables = [Table(head, rows) for head, rows in parameters_by_owner(encoding).items()]
    return [Facts(facts_of(encoding)), *tables, Paragraph(f"\n{plain(encoding.__doc__)}")]


def parameters_by_owner(encoding: type[Encoding]) -> dict[tuple[str, str], list[tuple[str, str]]]:
    """The parameters and what they do, under a head; those that belong to a value of another under that value's."""
    groups: dict[tuple[str, str], list[tuple[str, str]]] = {}
    for one in encoding.options().values():
        owner, values = one.only_with or ("", ())
        heads = [(f"with {owner}={value}", encoding.about(owner, value) or DOES) for value in values]
        for head in heads or [("parameter", DOES)]:
            groups.setdefault(head, []).append((one.name, help_text(one)))
    return groups


def plain(text: str | None) -> str:
    """A docstring without its markup."""
    lines = inspect.cleandoc(text or "").replace("``", "").replace("`", "").split("\n")
    kept = [line for line in lines if line.strip("-") or not line]
    paragraphs = "\n".join(line for line in kept if line != "Notes").split("\n\n")
    return "\n\n".join(" ".join(paragraph.split("\n")).strip() for paragraph in paragraphs if paragraph.strip())
