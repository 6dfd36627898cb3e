"""`pecli encodings`, `pecli model` and `pecli tensors`: what there is, and what is in a file."""

from __future__ import annotations

import inspect
import re
import shlex
from typing import Annotated, Any

import typer

from pecli.cli.completion import offered_values
from pecli.cli.show import (
    FORMS,
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
from pecli.core.errors import UsageError, is_printable
from pecli.core.hub import fixed
from pecli.core.language import Language, language_of, use_language
from pecli.core.terminal import Block, Facts, Paragraph, Table, print_notes, print_results
from pecli.encodings.learned import Learned
from pecli.encodings.registry import Encoding, all_encodings, find_encoding
from pecli.files.formats import FORMATS, format_of
from pecli.files.tables import TABLE_NAMES, candidates, stored_arrays, table_name
from pecli.jobs.job_options import ANALYSES, EncodingOption

NAME = typer.Argument(
    help="The encoding to explain.",
    show_default=False,
    autocompletion=lambda: offered_values(EncodingOption.options()["encoding"]),
)
LangOption = Annotated[str | None, typer.Option("--lang", help=Language.options()["lang"].help, show_default=False)]


def encodings(
    name: Annotated[str | None, NAME] = None,
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
        elif form is None:  # no terminal is as wide as the table
            document = [block for kind in kinds for block in (Facts(facts(kind)), Paragraph())]
        publish(document, {"results": [encoding_data(kind) for kind in kinds]}, output, form)


ENCODINGS_COMMAND = Command(encodings, ("pecli encodings", "pecli encodings rope"))


def facts(encoding: type[Encoding]) -> dict[str, str]:
    """Return what the list has of an encoding."""
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
    """Return the facts, the formula and the parameters of an encoding, for --json."""
    parameters = {name: {"help": entry.help, "takes": entry.bounds} for name, entry in encoding.options().items()}
    return {**facts(encoding), "formula": encoding.formula, "parameters": parameters}


def detail(encoding: type[Encoding]) -> list[Block]:
    """Return formula, figures, an example and parameters of one encoding; those of another's value under that value."""
    figures = ", ".join(name for name, figure in ANALYSES.items() if figure.takes(encoding))
    more = {"formula": encoding.formula, "figures": figures, "example": encoding.example}
    tables: dict[tuple[str, str], list[tuple[str, str]]] = {}
    for entry in encoding.options().values():
        owner, values = entry.only_with or ("", ("",))
        for value in values:
            head = f"with {owner}={value}" if owner else "parameter"
            about = (encoding.about(owner, value) if owner else "") or "what it does"
            tables.setdefault((head, about), []).append((entry.name, entry.explained))
    text = re.sub(r"`+|^Notes\n-+$", "", inspect.cleandoc(encoding.__doc__ or ""), flags=re.M)
    paragraphs = (" ".join(paragraph.split()) for paragraph in text.split("\n\n"))
    return [
        Facts(facts(encoding) | more),
        *(Table(head, rows) for head, rows in tables.items()),
        Paragraph("\n" + "\n\n".join(filter(None, paragraphs))),
    ]


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
    strict: Annotated[bool, typer.Option("--strict", help="exit with 1 for a warning too")] = False,
    lang: LangOption = None,
    quiet: QuietOption = False,
    verbose: VerboseOption = False,
) -> None:
    """Print what a config.json does to its model's position encoding, and what is wrong in the file.

    It exits with 1 where a finding is an error.
    """
    with guard(quiet, verbose):
        from pecli.models.reader import read_model
        from pecli.reports.model import SEQ_LEN, lines_to_type, model_data, model_text

        if path is None:
            raise UsageError("pecli model takes the path of a config.json, or of a folder that holds one")
        used = SEQ_LEN.read(seq_len)
        form = form_of(output, format, as_json)
        with use_language(language_of(lang)):
            read = read_model(path, used)
            shown = model_text(read)
        lines = lines_to_type(read)
        document = [*shown, *(map(Paragraph, lines) if form else [])]
        publish(document, {"path": path, **model_data(read)}, output, form)
        if form is None:
            print_results(["", *lines])  # as they are, not broken into lines that fit
        if {finding.level for finding in read.findings} & {"error", *(["warning"] if strict else [])}:
            raise typer.Exit(1)


MODEL_COMMAND = Command(model, ("pecli model path/to/config.json", "pecli heatmap path/to/config.json"))


def identify(
    table: Annotated[
        str | None,
        typer.Argument(
            help="a .npy, .npz, .csv or .safetensors file, FILE#tensor, hf:org/name or -", show_default=False
        ),
    ] = None,
    rates: Annotated[str | None, typer.Option("--rates", help="rates in place of a table: 1,0.5,…")] = None,
    tensor: Annotated[str | None, typer.Option("--tensor", help=Learned.options()["tensor"].help)] = None,
    output: Annotated[
        str | None, typer.Option("--output", "-o", help=f"File to write: a picture, or .{', .'.join(FORMS)}")
    ] = None,
    format: FormatOption = None,
    as_json: JsonOption = False,
    seen: Annotated[bool, typer.Option("--show", help="Draw table, formula and difference in the terminal.")] = False,
    lang: LangOption = None,
    quiet: QuietOption = False,
    verbose: VerboseOption = False,
) -> None:
    """Print which formula made a table, the line that draws the same, and how far the two are apart.

    It exits with 1 where no formula did.
    """
    with guard(quiet, verbose):
        from pecli.cli.draw import run_jobs
        from pecli.jobs.sweep import job_of
        from pecli.reports.identify import read_and_identify

        kind = None if output is None or as_json else FORMATS.get(format_of(output, format, "md"))
        pictured = kind is not None and kind.picture
        form, language = None if pictured else form_of(output, format, as_json), language_of(lang)
        with use_language(language):
            report = read_and_identify(table, tensor, rates)
            document = report.blocks()
        if pictured or seen:
            figure, options = report.picture()
            files = {"output": output, "format": format} if pictured else {}
            job = job_of(figure, {**options, **language.settings(), **files})
            run_jobs([job], as_json=as_json, quiet=quiet, verbose=verbose, seen=seen)
        if not pictured:
            publish([*document, *(map(Paragraph, report.lines()) if form else [])], report.data, output, form)
        if pictured and not quiet:
            print_notes(report.sentence())
        elif form is None and not pictured:
            print_results(["", *report.lines()])
        if not report.found.certain:
            raise typer.Exit(1)


IDENTIFY_COMMAND = Command(
    identify, ("pecli identify table.npy", "pecli identify model.safetensors#embed_positions.weight -o difference.png",
               "pecli identify --rates 1,0.1,0.01,0.001"),
)  # fmt: skip


def tensors(
    file: Annotated[str, typer.Argument(help="A file of numbers: .npy, .npz, .csv or .safetensors", metavar="FILE")],
    output: OutputOption = None,
    format: FormatOption = None,
    as_json: JsonOption = False,
    quiet: QuietOption = False,
    verbose: VerboseOption = False,
) -> None:
    """Print what is in a file of numbers, and the line that draws its table, or one of the tensors that may be it."""
    with guard(quiet, verbose):
        form, arrays = form_of(output, format, as_json), stored_arrays(file)
        table = table_name(file, arrays)
        data = [
            {"name": name or None, "shape": array.shape, "numbers": array.numbers, "table": name == table}
            for name, array in arrays.items()
        ]
        rows = [
            (
                name or "(no name)",
                " × ".join(f"{side:,}" for side in array.shape) or "one number",
                array.numbers,
                "the table" * (name == table),
            )
            for name, array in arrays.items()
        ]
        fitting = [name for name in candidates(arrays) if len(arrays[name].shape) == 2 and arrays[name].readable]
        typed = [None] if table is not None else [name for name in fitting if all(map(is_printable, name))]
        several = [name for name in typed if name and name.endswith(TABLE_NAMES)] or typed[:1]
        specs = [Learned(file=fixed(file), tensor=name).spec() for name in several]
        lines = [f"try: pecli heatmap -e {shlex.quote(spec)}" for spec in specs]
        lines = lines or ["none has real numbers in two dimensions and a plain name"]
        document: list[Block] = [Table(("tensor", "shape", "numbers", ""), rows)]
        document += map(Paragraph, lines) if form and not quiet else []
        publish(document, {"results": [{"file": file, "tensors": data}]}, output, form)
        if form is None and not quiet:
            print_results(lines)  # as they are, not broken into lines that fit


TENSORS_COMMAND = Command(tensors, ("pecli tensors model.safetensors", "pecli tensors words.npz --json"))
