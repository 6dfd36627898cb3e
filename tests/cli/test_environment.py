"""Tests of `pecli` in a separate process: environment variables, signals, and closed or full streams."""

from __future__ import annotations

import os
import re
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

Process = Callable[..., subprocess.CompletedProcess[Any]]
PECLI = ["-m", "pecli"]
FILES = ["a.png", "a.svg", "a.pdf", "a.npz"]
LINE = "heatmap -d 7 -n 11 --dpi 30 --size column --title places&colours"
PICTURE = [*LINE.split(), *(word for file in FILES for word in ("-o", file))]


@pytest.mark.long
def test_other_environments_give_the_same_bytes_and_load_no_pyplot(process: Process, tmp_path: Path) -> None:
    (first := tmp_path / "first").mkdir()
    (other := tmp_path / "other").mkdir()
    (other / "matplotlibrc").write_text("text.usetex: True\nfigure.facecolor: red\nbackend: junk\nno colon\n")
    code = (
        "import sys; from pecli.__main__ import main\ntry: main()\nfinally: print('matplotlib.pyplot' in sys.modules)"
    )
    junk = {"MPLBACKEND": "junk", "SOURCE_DATE_EPOCH": "junk", "MATPLOTLIBRC": "/dev/zero/none"}
    ended = process([*PECLI, *PICTURE], first, {"PYTHONHASHSEED": "1"})
    assert (ended.returncode, ended.stderr) == (0, b"")
    ended = process(["-c", code, *PICTURE], other, {"PYTHONHASHSEED": "2", "TZ": "Asia/Tokyo", "COLUMNS": "1", **junk})
    assert (ended.returncode, ended.stderr, ended.stdout.split()[-1]) == (0, b"", b"False")
    assert [name for name in FILES if (first / name).read_bytes() != (other / name).read_bytes()] == []


STALLED = """
import os, signal, sys
from pecli.__main__ import main
signal.signal(signal.{name}, signal.SIG_DFL if "{name}" != "SIGINT" else signal.default_int_handler)  # nohup ignores it
os.replace = lambda *_: (os.kill(os.getpid(), signal.{name}), signal.pause())
sys.argv = ["pecli", "heatmap", "-d", "7", "-n", "5", "-o", "a.npy"]
main()
"""


@pytest.mark.some(3)
@pytest.mark.posix
@pytest.mark.parametrize(
    ("name", "code", "said"), [("SIGHUP", 129, b""), ("SIGINT", 130, b"pecli: interrupted\n"), ("SIGTERM", 143, b"")]
)
def test_a_signal_before_the_file_is_replaced_leaves_the_old_one(
    process: Process, folder: Path, name: str, code: int, said: bytes
) -> None:
    (folder / "a.npy").write_bytes(b"old and whole")
    ended = process(["-c", STALLED.format(name=name)], folder, {})
    assert (ended.returncode, ended.stderr) == (code, said)
    assert [(path.name, path.read_bytes()) for path in folder.iterdir()] == [("a.npy", b"old and whole")]


@pytest.mark.some(3)
@pytest.mark.posix
@pytest.mark.parametrize("line", ["heatmap -d 7 -n 11 --format npy -o -", "heatmap -d 7 -n 11 -o a.npy", "--help"])
def test_a_reader_that_has_gone_is_no_noise(process: Process, folder: Path, line: str) -> None:
    read, write = os.pipe()
    os.close(read)
    ended = process([*PECLI, *line.split()], folder, {}, stdout=write)
    os.close(write)
    assert (ended.returncode, ended.stderr) == (1, b"")


@pytest.mark.some(2)
@pytest.mark.skipif(not Path("/dev/full").exists(), reason="only Linux has it")
@pytest.mark.parametrize("line", ["heatmap -d 7 -n 11 -o a.npy", "--help"])
def test_a_full_disk_is_one_line(process: Process, folder: Path, line: str) -> None:
    with Path("/dev/full").open("wb") as stdout:
        ended = process([*PECLI, *line.split()], folder, {}, stdout=stdout)
    assert ended.returncode == 1 and b"No space left" in ended.stderr and ended.stderr.count(b"\n") == 1


CLOSING = "import os, sys; os.close({}); os.execv(sys.executable, [sys.executable, *sys.argv[1:]])"


@pytest.mark.some(3)
@pytest.mark.posix
@pytest.mark.parametrize(
    ("stream", "line", "code"),
    [
        (0, "batch -", 1),
        (0, "identify -", 1),
        (0, "heatmap -d 7 -n 11 -o a.npy", 0),
        (1, "heatmap -d 7 -n 11 -o a.npy", 1),  # the path cannot be printed
        (1, "heatmap -d 7 -n 11 -o - --format npy", 1),
        (1, "--version", 1),
        (2, "heatmap -d 7 -n 11 -o a.npy", 0),
        (2, "heatmap --base x", 2),
    ],
)
def test_a_stream_that_is_closed_is_one_line(stream: int, line: str, code: int, process: Process, folder: Path) -> None:
    ended = process(["-c", CLOSING.format(stream), *PECLI, *line.split()], folder, {})
    assert ended.returncode == code and ended.stderr.count(b"\n") == (code > 0 and stream != 2)
    if "a.npy" in line:
        assert np.load("a.npy").shape == (11, 7)
        assert ended.stdout == (b"" if stream == 1 else b"a.npy\n")


LINES = """
import sys
from pecli.__main__ import main
for line in {lines}:
    sys.argv = ["pecli", *line.split()]
    try:
        main()
    except SystemExit as end:
        print("ended with", end.code or 0, flush=True)
"""


def test_a_terminal_without_unicode_still_gets_help_messages_and_results(process: Process, folder: Path) -> None:
    lines = ["heatmap --help", "heatmap --size 位置", "explain -d 4 --lang zh", "heatmap -d 4 -n 3 -o 位置λ.npy"]
    ended = process(["-c", LINES.format(lines=lines)], folder, {"PYTHONIOENCODING": "ascii", "PYTHONUTF8": "1"})
    page, none, facts, path, _ = re.split(rb"ended with (?:0|2)\n", ended.stdout)
    assert re.findall(rb"ended with (.)", ended.stdout) == [b"0", b"2", b"0", b"0"] and none == b""
    for said, where in (("×", page), ("位置", ended.stderr), ("位置", facts), ("位置λ.npy", path)):
        assert said.encode("ascii", "backslashreplace") in where
    assert b"Traceback" not in ended.stderr


LIGHT = """
import sys
import pecli
assert not {"numpy", "matplotlib", "typer", "rich"} & set(sys.modules)
from pecli.cli.app import main
from pecli.jobs.job_options import ANALYSES
print(len([*ANALYSES.values()]))
for words in [["--help"], ["--version"], ["recipe", "--help"], ["heatmap", "--help"], ["stats", "--help"]]:
    sys.argv = ["pecli", *words]
    try:
        main()
    except SystemExit as end:
        assert end.code == 0, words
    heavy = [name for name in sys.modules if name.startswith(("numpy.", "matplotlib", "PIL", "safetensors"))]
    assert not heavy, (words, heavy[:3])
"""


@pytest.mark.long
def test_a_picture_enters_models_for_a_config_alone(process: Process, folder: Path) -> None:
    code = "import sys, pecli; pecli.heatmap({!r}, d=4, length=5).save('a.npy'); print('pecli.models' in sys.modules)"
    (folder / "c.json").write_text('{"model_type": "llama", "hidden_size": 8, "num_attention_heads": 2}')
    for spec, entered in (("sinusoidal:base=10", b"False"), ("c.json", b"True")):
        ended = process(["-c", code.format(spec)], folder, {})
        assert ended.stdout.split()[-1:] == [entered], ended.stderr


def test_help_and_version_import_neither_numpy_nor_matplotlib(process: Process, folder: Path) -> None:
    ended = process(["-c", LIGHT], folder, {})
    assert (ended.returncode, ended.stderr) == (0, b"")
    assert process(["-OO", "-c", LIGHT], folder, {}).stdout == ended.stdout  # nor docstrings


def test_completion_imports_neither_numpy_nor_matplotlib(process: Process, folder: Path) -> None:
    asked = {"_PECLI_COMPLETE": "complete_bash", "COMP_WORDS": "pecli heat", "COMP_CWORD": "1"}
    ended = process(["-X", "importtime", *PECLI], folder, asked)
    assert ended.stdout.split() == [b"heatmap"]
    assert b"numpy." not in ended.stderr and b"matplotlib" not in ended.stderr
