"""What is in a file of numbers: its tensors, their shapes, and which one is the table of positions."""

from __future__ import annotations

import shlex
from collections.abc import Mapping
from typing import Annotated, Any

import typer

from pecli.cli.commands import Command
from pecli.cli.documents import FormatOption, JsonOption, OutputOption, QuietOption, VerboseOption, form_of, publish
from pecli.cli.guard import guard
from pecli.core.document import Block, Paragraph, Table
from pecli.core.terminal import is_shown
from pecli.encodings.learned import Learned
from pecli.files.tensors import Tensor, table_name
from pecli.files.tensors import tensors as tensors_of

HEADER = ("tensor", "shape", "numbers", "")


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
        form, found = form_of(output, format, as_json), tensors_of(file)
        table = table_name(file, found)
        rows = [
            (name or "(no name)", sides(one), one.numbers, "the table" * (name == table)) for name, one in found.items()
        ]
        document: list[Block] = [Table(HEADER, rows), *([] if quiet else [Paragraph(advice(file, found, table))])]
        data = {"file": file, "tensors": [fact(name, one, table) for name, one in found.items()]}
        publish(document, {"results": [data]}, output, form)


COMMAND = Command(
    tensors,
    ("pecli tensors model.safetensors", "pecli tensors words.npz --json"),
    keys={
        "file": "the file",
        "tensors": "`name`, `shape`, type of its `numbers` and whether it is the `table`, of each",
    },
)


def fact(name: str, one: Tensor, table: str | None) -> dict[str, Any]:
    """A tensor as JSON has it."""
    return {"name": name or None, "shape": one.shape, "numbers": one.numbers, "table": name == table}


def sides(one: Tensor) -> str:
    """A shape as people write it: 512 × 384."""
    return " × ".join(f"{side:,}" for side in one.shape) or "one number"


def advice(path: str, found: Mapping[str, Tensor], table: str | None) -> str:
    """The line that draws the table, or one of the tensors that could be it."""
    fitting = [name for name, one in found.items() if len(one.shape) == 2 and one.readable]
    if table is None and not fitting:
        return "none has real numbers in two dimensions, positions × dimensions"
    typed = [name for name in fitting if all(map(is_shown, name))]
    if table is None and not typed:
        return "none of two dimensions can be named: there are control characters in their names"
    name = None if table is not None else typed[0]
    return f"try: pecli heatmap -e {shlex.quote(Learned(file=path, tensor=name).spec())}"
