"""What a shell offers: values, not only names; in bash, zsh and fish themselves where they are installed."""

from __future__ import annotations

import os
import pty
import select
import shutil
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import typer

from pecli.cli.typer_internals import _built
from pecli.measures.pairwise import MEASURES

Process = Callable[..., Any]
PROGRAM = Path(sys.executable).with_name("pecli")
PATIENCE = 30.0  # seconds for a shell to answer

pytestmark = pytest.mark.posix


ASKED = """
import contextlib, io, os, sys
import typer
before = set(sys.modules)
from pecli.cli import main
lines, sys.argv = sys.argv[1:], ["pecli"]
for shell in ("zsh", "bash"):
    for line in lines:
        os.environ.update(_PECLI_COMPLETE=f"complete_{shell}", _TYPER_COMPLETE_ARGS=line)
        os.environ.update(COMP_WORDS=line, COMP_CWORD=str(len(line.split(" ")) - 1))
        with contextlib.redirect_stdout(io.StringIO()) as told, contextlib.suppress(SystemExit):
            main()
        print(*told.getvalue().split()) if shell == "bash" else None
slow = ("pecli.jobs.sweep", "pecli.jobs.picture", "pecli.figures.page")
assert not (found := [name for name in set(sys.modules) - before if name.startswith(slow)]), found
"""


def offered(process: Process, folder: Path, *lines: str) -> list[str]:
    """What bash is told for the last word of each line, which may be empty."""
    ended = process(["-c", ASKED, *lines], folder, {})
    assert (ended.returncode, ended.stderr) == (0, b"")
    return str(ended.stdout.decode()).splitlines()


def test_values_are_offered_without_what_draws_and_writes(process: Process, folder: Path) -> None:
    lines = {
        "pecli heatmap -e cl": "clock",
        "pecli heatmap --cmap vir": "viridis",
        "pecli distance -e rope --measure cos": "cosine cos",
        "pecli heatmap --style dark": "dark_background",
        "pecli heatmap learned --tens": "--tensor",
        "pecli encodings clo": "clock",
    }
    assert dict(zip(lines, offered(process, folder, *lines), strict=True)) == lines


def test_encodings_stand_as_words_and_names_of_others_are_not_offered(process: Process, folder: Path) -> None:
    lines = ("pecli heatmap ro", "pecli heatmap --th", "pecli sim")
    assert offered(process, folder, *lines) == ["rope", "", ""]


def test_every_option_with_choices_offers_them() -> None:
    command = _built("distance", [])
    (measure,) = [one for one in command.params if one.name == "measure"]
    ctx = typer.Context(command)
    assert [item.value for item in measure.shell_complete(ctx, "")] == list(MEASURES)


def script(shell: str, folder: Path) -> Path:
    """The file that a shell reads to complete pecli."""
    made = subprocess.run(
        [PROGRAM], env={**os.environ, "_PECLI_COMPLETE": f"source_{shell}"}, capture_output=True, check=True, timeout=60
    )
    path = folder / f"completion.{shell}"
    path.write_bytes(made.stdout)
    return path


def environment() -> dict[str, str]:
    return {**os.environ, "PATH": f"{PROGRAM.parent}:{os.environ['PATH']}", "TERM": "dumb"}


def needs(shell: str) -> pytest.MarkDecorator:
    return pytest.mark.skipif(shutil.which(shell) is None or not PROGRAM.exists(), reason=f"no {shell} or no pecli")


@needs("bash")
def test_bash_completes_a_value(folder: Path) -> None:
    line = "COMP_WORDS=(pecli heatmap -e cl); COMP_CWORD=3; _pecli_completion pecli; echo ${COMPREPLY[@]}"
    command = ["bash", "--norc", "-c", f"source {script('bash', folder)}; {line}"]
    assert subprocess.run(command, env=environment(), capture_output=True, check=True, timeout=60).stdout == b"clock\n"


@needs("fish")
def test_fish_completes_a_value(folder: Path) -> None:
    command = ["fish", "--no-config", "-c", f"source {script('fish', folder)}; complete -C 'pecli heatmap -e cl'"]
    environ = {**environment(), "HOME": str(folder)}
    shown = subprocess.run(command, env=environ, capture_output=True, check=True, timeout=60).stdout.decode()
    assert shown.split()[0] == "clock"


@needs("zsh")
def test_zsh_completes_a_value(folder: Path) -> None:
    path = script("zsh", folder)
    main, other = pty.openpty()
    environ = {**environment(), "HOME": str(folder), "ZDOTDIR": str(folder)}
    shell = subprocess.Popen(["zsh", "-f", "-i"], stdin=other, stdout=other, stderr=other, env=environ, cwd=folder)
    try:
        os.write(main, f"autoload -U compinit; compinit -u; source {path}; print rea''dy\n".encode())
        assert "ready" in read_until(main, "ready\r")
        os.write(main, b"pecli heatmap -e cl\t")
        assert "clock" in read_until(main, "clock")
    finally:
        shell.kill()
        shell.wait()
        os.close(main)
        os.close(other)


def read_until(terminal: int, text: str) -> str:
    """What a terminal shows until the text comes, or too much time has passed."""
    shown, end = "", time.monotonic() + PATIENCE
    while text not in shown and time.monotonic() < end:
        if select.select([terminal], [], [], 0.2)[0]:
            shown += os.read(terminal, 4096).decode(errors="replace")
    return shown
