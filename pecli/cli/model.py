"""What a model's config.json does to its position encoding, and what is wrong in the file."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Annotated

import typer

from pecli.cli.commands import Command
from pecli.cli.guard import guard
from pecli.core.errors import UsageError
from pecli.core.options import Options, option
from pecli.core.terminal import results, show


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
    as_json: Annotated[bool, typer.Option("--json", help="print everything as JSON, the rates too")] = False,
) -> None:
    """Prints what a config.json does to its model's position encoding, and what is wrong in the file."""
    with guard():
        from pecli.encodings.configs.model import read_model
        from pecli.reports.model import lines_to_type, model_data, model_text

        if path is None:
            raise UsageError("pecli model takes the path of a config.json, or of a folder that holds one")
        used = Asked.options()["seq_len"].read(seq_len)
        found = read_model(path, used)
        if as_json:
            results([json.dumps({"path": path, **model_data(found)}, allow_nan=False)])
        else:
            show(model_text(found))
            results(["", *lines_to_type(found)])


COMMAND = Command(
    model, examples=("pecli model path/to/config.json", "pecli heatmap path/to/config.json"), reads_text=True
)
