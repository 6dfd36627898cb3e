"""`pecli encodings`, `pecli model` and `pecli tensors`: what there is, and what is in a file."""

from __future__ import annotations

import inspect
import shlex
from collections.abc import Mapping
from typing import Annotated, Any

import typer

from pecli.cli.figures import help_text
from pecli.cli.show import (
    Command,
    FormatOption,
    JsonOption,
    OutputOption,
    QuietOption,
    VerboseOption,
    form_of,
    guard,
    publish,
)
from pecli.core.errors import UsageError, is_shown
from pecli.core.language import Language, language_of, speaking
from pecli.core.options import Option
from pecli.core.terminal import Block, Facts, Paragraph, Table, columns, results
from pecli.encodings.learned import Learned
from pecli.encodings.registry import Encoding, all_encodings, find_encoding
from pecli.files.tables import StoredArray, stored_arrays, table_name
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
    """Print the encodings there are, or one of them in detail."""
    with guard(quiet, verbose):
        form = form_of(output, format, as_json)
        kinds = list(all_encodings().values()) if name is None else [find_encoding(name)]
        document: list[Block] = [Table([*facts(kinds[0])], [tuple(facts(kind).values()) for kind in kinds])]
        if name is not None:
            document = detail(kinds[0])
        elif form is None and columns() < WIDE:
            document = [block for kind in kinds for block in (Facts(facts(kind)), Paragraph())]
        publish(document, {"results": [encoding_data(kind) for kind in kinds]}, output, form)


WIDE = 200  # columns of a terminal in which a table of all is no worse than a list
ENCODINGS_COMMAND = Command(encodings, ("pecli encodings", "pecli encodings rope"))


def facts(encoding: type[Encoding]) -> dict[str, str]:
    """Return what the list says of an encoding."""
    return {
        "name": encoding.name,
        "what it is": encoding.summary,
        "kind": encoding.kind,
        "numbers": "learned" if encoding.trained else "fixed formula",
        "beyond its length": "the formula goes on" if encoding.extrapolates else "has no rows",
        "used by": encoding.models,
        "source": encoding.source,
    }


def encoding_data(encoding: type[Encoding]) -> dict[str, Any]:
    """Return what there is to say of an encoding, for --json."""
    parameters = {name: {"help": one.help, "takes": one.bounds} for name, one in encoding.options().items()}
    return {**facts(encoding), "formula": encoding.formula, "parameters": parameters}


def detail(encoding: type[Encoding]) -> list[Block]:
    """Return formula, parameters, figures and an example of one encoding."""
    figures = ", ".join(name for name, figure in ANALYSES.items() if figure.takes(encoding))
    more = {"formula": encoding.formula, "figures": figures, "example": encoding.example}
    tables = [Table(head, rows) for head, rows in parameters_by_owner(encoding).items()]
    return [Facts(facts(encoding) | more), *tables, Paragraph(f"\n{plain(encoding.__doc__)}")]


def parameters_by_owner(encoding: type[Encoding]) -> dict[tuple[str, str], list[tuple[str, str]]]:
    """The parameters and what they do, under a head; those that belong to a value of another under that value's."""
    groups: dict[tuple[str, str], list[tuple[str, str]]] = {}
    for one in encoding.options().values():
        owner, values = one.only_with or ("", ())
        heads = [(f"with {owner}={value}", encoding.about(owner, value) or "what it does") for value in values]
        for head in heads or [("parameter", "what it does")]:
            groups.setdefault(head, []).append((one.name, help_text(one)))
    return groups


def plain(text: str | None) -> str:
    """A docstring without its markup."""
    lines = inspect.cleandoc(text or "").replace("``", "").replace("`", "").split("\n")
    kept = [line for line in lines if line.strip("-") or not line]
    paragraphs = "\n".join(line for line in kept if line != "Notes").split("\n\n")
    return "\n\n".join(" ".join(paragraph.split("\n")).strip() for paragraph in paragraphs if paragraph.strip())


SEQ_LEN = Option("the length in use", name="seq_len", scalar=int, at_least=1, optional=True)


def model(
    path: Annotated[
        str | None, typer.Argument(help="a config.json, or a folder that holds one", show_default=False)
    ] = None,
    seq_len: Annotated[
        str | None,
        typer.Option("--seq-len", "-n", help="the length in use, for dynamic and longrope", show_default=False),
    ] = None,
    output: OutputOption = None,
    format: FormatOption = None,
    as_json: JsonOption = False,
    lang: Annotated[
        str | None, typer.Option("--lang", help=Language.options()["lang"].help, show_default=False)
    ] = None,
    quiet: QuietOption = False,
    verbose: VerboseOption = False,
) -> None:
    """Prints what a config.json does to its model's position encoding, and what is wrong in the file."""
    with guard(quiet, verbose):
        from pecli.models.reader import read_model
        from pecli.reports.model import lines_to_type, model_data, model_text

        if path is None:
            raise UsageError("pecli model takes the path of a config.json, or of a folder that holds one")
        used = SEQ_LEN.read(seq_len)
        form = form_of(output, format, as_json)
        with speaking(language_of(lang)):
            found = read_model(path, used)
            shown = model_text(found)
        lines = lines_to_type(found)
        document = [*shown, *(map(Paragraph, lines) if form else [])]
        publish(document, {"path": path, **model_data(found)}, output, form)
        if form is None:
            results(["", *lines])  # as they are, not broken into lines that fit


MODEL_COMMAND = Command(
    model, ("pecli model path/to/config.json", "pecli heatmap path/to/config.json"), reads_text=True
)


def tensors(
    file: Annotated[str, typer.Argument(help="A file of numbers: .npy, .npz, .csv or .safetensors", metavar="FILE")],
    output: OutputOption = None,
    format: FormatOption = None,
    as_json: JsonOption = False,
    quiet: QuietOption = False,
    verbose: VerboseOption = False,
) -> None:
    """Prints what is in a file of numbers, and the line that draws its table."""
    with guard(quiet, verbose):
        form, found = form_of(output, format, as_json), stored_arrays(file)
        table = table_name(file, found)
        rows = [
            (name or "(no name)", sides(one), one.numbers, "the table" * (name == table)) for name, one in found.items()
        ]
        document: list[Block] = [Table(("tensor", "shape", "numbers", ""), rows)]
        data = [
            {"name": name or None, "shape": one.shape, "numbers": one.numbers, "table": name == table}
            for name, one in found.items()
        ]
        document += [] if quiet else [Paragraph(advice(file, found, table))]
        publish(document, {"results": [{"file": file, "tensors": data}]}, output, form)


TENSORS_COMMAND = Command(tensors, ("pecli tensors model.safetensors", "pecli tensors words.npz --json"))


def sides(one: StoredArray) -> str:
    """A shape as people write it: 512 × 384."""
    return " × ".join(f"{side:,}" for side in one.shape) or "one number"


def advice(path: str, found: Mapping[str, StoredArray], table: str | None) -> str:
    """The line that draws the table, or one of the tensors that could be it."""
    fitting = [name for name, one in found.items() if len(one.shape) == 2 and one.readable]
    if table is None and not fitting:
        return "none has real numbers in two dimensions, positions × dimensions"
    typed = [name for name in fitting if all(map(is_shown, name))]
    if table is None and not typed:
        return "none of two dimensions can be named: there are control characters in their names"
    name = None if table is not None else typed[0]
    return f"try: pecli heatmap -e {shlex.quote(Learned(file=path, tensor=name).spec())}"
