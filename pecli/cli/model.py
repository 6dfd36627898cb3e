"""What a model's config.json does to its position encoding, and what is wrong in the file."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

import typer

from pecli.cli.commands import Command
from pecli.cli.documents import FormatOption, JsonOption, OutputOption, QuietOption, VerboseOption, form_of, publish
from pecli.cli.guard import guard
from pecli.core.document import Paragraph
from pecli.core.errors import UsageError
from pecli.core.language import Language, language_of, speaking
from pecli.core.options import Options, option
from pecli.core.terminal import results


@dataclass(frozen=True)
class Asked(Options):
    """What is asked of a config besides its path."""

    seq_len: int | None = option(None, "the length in use", at_least=1)


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
        from pecli.encodings.configs.model import read_model
        from pecli.reports.model import lines_to_type, model_data, model_text

        if path is None:
            raise UsageError("pecli model takes the path of a config.json, or of a folder that holds one")
        used = Asked.options()["seq_len"].read(seq_len)
        form = form_of(output, format, as_json)
        with speaking(language_of(lang)):
            found = read_model(path, used)
            shown = model_text(found)
        lines = lines_to_type(found)
        document = [*shown, *(map(Paragraph, lines) if form else [])]
        publish(document, {"path": path, **model_data(found)}, output, form)
        if form is None:
            results(["", *lines])  # as they are, not broken into lines that fit


COMMAND = Command(
    model,
    ("pecli model path/to/config.json", "pecli heatmap path/to/config.json"),
    reads_text=True,
    keys={
        "path": "the file; these keys stand in the object itself, for a model is one",
        "architecture": "what kind of model it is",
        "layers": "by kind of layers: `kind`, `spec` and, of a rope, the rates (`inv_freq`) and what scaling does",
        "findings": "`key`, `value`, `level` (error, warning, note) and `text` of each thing that is wrong or odd",
    },
)
