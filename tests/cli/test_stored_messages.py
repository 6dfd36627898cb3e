"""What a command says of a mistake stays as it is: exit code and the whole message.

It stands in tests/data/messages.txt. After a change that is meant, write that anew and read the difference:
``python -m tests.cli.test_stored_messages``.
"""

from __future__ import annotations

import os
import shlex
import sys
import tempfile
from pathlib import Path

from typer.testing import CliRunner

from pecli.cli.app import app

STORED = Path(__file__).parents[1] / "data" / "messages.txt"


def said(line: str) -> str:
    """Return exit code and message of a command line, in an empty folder."""
    ended = CliRunner().invoke(app, shlex.split(line), prog_name="pecli")
    return f"{ended.exit_code} {ended.stderr.strip()}"


def stored() -> dict[str, str]:
    """Return the stored message of each line."""
    lines = STORED.read_text(encoding="utf-8").splitlines()
    return dict(zip(lines[::2], (line.strip() for line in lines[1::2]), strict=True))


def test_a_mistake_is_answered_as_it_is_stored(tmp_path: Path) -> None:
    before = Path.cwd()
    os.chdir(tmp_path)
    try:
        assert {line: said(line) for line in stored()} == stored()
        assert not list(tmp_path.iterdir())
    finally:
        os.chdir(before)


if __name__ == "__main__":  # after the names of new lines, if any
    known = [*stored(), *sys.argv[1:]] if STORED.exists() else sys.argv[1:]
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        text = "".join(f"{line}\n  {said(line)}\n" for line in dict.fromkeys(known))
    STORED.write_text(text, encoding="utf-8")
    sys.stdout.write(f"{STORED.stat().st_size:,} bytes\n")
