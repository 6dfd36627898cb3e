"""Tests of shell completion, of options and their values."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import matplotlib as mpl
import pytest

from pecli.cli.completion import offered_values
from pecli.page.canvas import Canvas
from pecli.page.colors import add_maps

PROGRAM = Path(sys.executable).with_name("pecli")

ASKED = """
import contextlib, io, os, sys
from pecli.cli.app import main
slow, *lines = sys.argv[1:]
sys.argv = ["pecli"]
for line in lines:
    os.environ.update(_PECLI_COMPLETE="complete_bash", COMP_WORDS=line, COMP_CWORD=str(len(line.split(" ")) - 1))
    with contextlib.redirect_stdout(io.StringIO()) as told, contextlib.suppress(SystemExit):
        main()
    print(*told.getvalue().split())
assert not (found := [name for name in sys.modules if name.startswith(tuple(slow.split()))]), found
"""


def test_all_colour_maps_are_offered() -> None:
    add_maps()
    offered = {name for name, _ in offered_values(Canvas.options()["cmap"])}
    assert offered == {name for name in mpl.colormaps if not name.endswith("_r")}


def test_values_are_offered_without_what_draws_and_writes(process: Callable[..., Any], folder: Path) -> None:
    lines = {
        "pecli heatmap -e cl": "clock",
        "pecli heatmap ro": "rope",
        "pecli distance -e rope --measure cos": "cosine cos",
        "pecli heatmap --style dark": "dark_background",
        "pecli heatmap learned --tens": "--tensor",
        "pecli encodings clo": "clock",
        "pecli heatmap --th": "",  # names of other programs are understood, not offered
        "pecli sim": "",
        "pecli heatmap -e rope : ba": "base= base=…",
        "pecli heatmap -e rope : scaling =": "default linear ntk dynamic yarn longrope llama3 proportional divisors",
        "pecli heatmap -e rope : scaling = yarn,fac": "yarn,factor= yarn,factor=…",
        "pecli heatmap -e rope:scaling=ya": "yarn",  # a shell that splits at blanks alone
        "pecli heatmap -e learned : file = ta": "table.npy tables/",
        "pecli heatmap -e learned : file = tables/": "tables/one.csv",
        "pecli heatmap -e nothing : file = ta": "",
        "pecli heatmap --encoding = ro": "rope",
        "pecli heatmap learned --file ta": "",  # the shell knows files itself
        "pecli compare --figure heat": "heatmap",
        "pecli waves --dims 0": "0 0,1,2,3 0..7",
    }
    if mpl.__version_info__ >= (3, 11):  # whose stub file names them
        lines["pecli heatmap --cmap vir"] = "viridis"
    (folder / "tables").mkdir()
    for path in ("table.npy", "tables/one.csv", "tables/two.txt"):
        (folder / path).touch()
    slow = "pecli.jobs.sweep pecli.jobs.picture pecli.figures.page matplotlib"
    ended = process(["-c", ASKED, slow, *lines], folder, {})
    assert (ended.returncode, ended.stderr) == (0, b"")
    assert dict(zip(lines, ended.stdout.decode().splitlines(), strict=True)) == lines


@pytest.mark.long
@pytest.mark.posix
@pytest.mark.skipif(shutil.which("bash") is None or not PROGRAM.exists(), reason="no bash or no pecli")
def test_bash_completes_a_value(folder: Path) -> None:
    environment = {**os.environ, "PATH": f"{PROGRAM.parent}:{os.environ['PATH']}", "TERM": "dumb"}
    source = "source <(_PECLI_COMPLETE=source_bash pecli)"
    line = "COMP_WORDS=(pecli heatmap -e cl); COMP_CWORD=3; _pecli_completion pecli; echo ${COMPREPLY[@]}"
    shell = ["bash", "--norc", "-c", f"{source}; {line}"]
    assert subprocess.run(shell, env=environment, capture_output=True, check=True, timeout=60).stdout == b"clock\n"
