"""What a command or a call from Python says of a mistake stays as it is: exit code or class, and the whole message.

Of the error behind the message the option and the value stay too, which Python code reads. The record
stands in tests/data/messages.txt. After a change that is meant, write that anew and read the difference:
``python -m tests.cli.test_stored_messages``.
"""

from __future__ import annotations

import os
import shlex
import sys
import tempfile
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from typer.testing import CliRunner

import pecli
from pecli.cli.app import app
from pecli.core.errors import PecliError
from tests.cli.test_mistakes import furnish, furnished as furnished

STORED = Path(__file__).parents[1] / "data" / "messages.txt"


def said(line: str) -> str:
    """Return exit code, message and facts of a command line, or those of a call, in the folder of `furnish`."""
    if line.startswith("pecli."):
        try:
            return f"no mistake: {eval(line, {'pecli': pecli, 'np': np})!r}"
        except (ValueError, TypeError, AttributeError) as error:
            return f"{facts(error)}: {error}"
    shown, sentence = list[PecliError](), PecliError.sentence

    def noted(self: PecliError, *spelling: Any) -> str:
        shown.append(self)
        return sentence(self, *spelling)

    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(PecliError, "sentence", noted)
        ended = CliRunner().invoke(app, shlex.split(line), prog_name="pecli")
    told = [f"[{facts(error)}]" for error in shown if error.option is not None]
    return " ".join([str(ended.exit_code), ended.stderr.strip(), *told])


def facts(error: Exception) -> str:
    """Return the class of an error, and the option and the value that it is about."""
    named = ((name, getattr(error, name, None)) for name in ("option", "value"))
    return " ".join([type(error).__name__, *(f"{name}={value!r}" for name, value in named if value is not None)])


def stored() -> dict[str, str]:
    """Return the stored message of each line."""
    lines = STORED.read_text(encoding="utf-8").splitlines()
    return dict(zip(lines[::2], (line.strip() for line in lines[1::2]), strict=True))


def test_a_mistake_is_answered_as_it_is_stored(furnished: Path) -> None:
    before = {*furnished.rglob("*")}
    assert {line: said(line) for line in stored()} == stored()
    assert {*furnished.rglob("*")} == before


if __name__ == "__main__":  # after the names of new lines, if any
    known = [*stored(), *sys.argv[1:]] if STORED.exists() else sys.argv[1:]
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        furnish(Path(folder))
        text = "".join(f"{line}\n  {said(line)}\n" for line in dict.fromkeys(known))
    STORED.write_text(text, encoding="utf-8")
    sys.stdout.write(f"{STORED.stat().st_size:,} bytes\n")
