"""`pecli` in a process of its own: what the environment, a signal or a stream does to it."""

from __future__ import annotations

import os
import signal
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

Process = Callable[..., subprocess.CompletedProcess[Any]]
PECLI = ["-m", "pecli"]
NUMBERS = ["-d", "7", "-n", "11"]  # where they will do nothing is drawn: half the time of a process
PICTURE = [
    "overview",
    *NUMBERS,
    "--dpi",
    "30",
    "--size",
    "column",
    "--panels",
    "heatmap,curves",
    "--title",
    "places & colours",
]
FILES = ["a.png", "a.svg", "a.pdf", "a.npz"]
OUTPUTS = [word for file in FILES for word in ("-o", file)]


@pytest.fixture(scope="module")
def reference(process: Process, tmp_path_factory: pytest.TempPathFactory) -> dict[str, bytes]:
    """The bytes of each file, made in a process with one hash seed."""
    folder = tmp_path_factory.mktemp("reference")
    ended = process([*PECLI, *PICTURE, *OUTPUTS], folder, {"PYTHONHASHSEED": "1"})
    assert (ended.returncode, ended.stderr) == (0, b"")
    return {name: (folder / name).read_bytes() for name in FILES}


def changed(folder: Path, reference: dict[str, bytes]) -> list[str]:
    return [name for name, data in reference.items() if (folder / name).read_bytes() != data]


SILENT = """
import atexit, sys
from pecli.__main__ import main
atexit.register(lambda: print("matplotlib.pyplot" in sys.modules))
main()
"""


def test_another_process_in_a_hostile_environment_gives_the_same_bytes_and_loads_no_pyplot(
    process: Process, folder: Path, reference: dict[str, bytes]
) -> None:
    other = {"PYTHONHASHSEED": "2", "TZ": "Asia/Tokyo", "LC_ALL": "C", "COLUMNS": "1"}
    junk = {"MPLBACKEND": "junk", "SOURCE_DATE_EPOCH": "junk", "MATPLOTLIBRC": "/dev/zero/none"}
    ended = process(["-c", SILENT, *PICTURE, *OUTPUTS], folder, {**other, **junk})
    assert (ended.returncode, ended.stderr) == (0, b"")
    assert ended.stdout.split()[-1] == b"False"
    assert changed(folder, reference) == []


@pytest.mark.posix
def test_a_matplotlibrc_in_the_folder_and_a_home_that_cannot_be_written_change_nothing(
    process: Process, folder: Path, reference: dict[str, bytes]
) -> None:
    (folder / "matplotlibrc").write_text(
        "text.usetex: True\nfigure.facecolor: red\nsavefig.bbox: tight\nlines.linewidth: 9\nbackend: junk\nno colon\n"
    )
    nowhere = {"HOME": "/dev/null/home", "XDG_CONFIG_HOME": "/dev/null/config", "XDG_CACHE_HOME": "/dev/null/cache"}
    ended = process([*PECLI, *PICTURE, *OUTPUTS], folder, {**nowhere, "MPLCONFIGDIR": ""})
    assert ended.returncode == 0
    assert b"Traceback" not in ended.stderr
    assert changed(folder, reference) == []


STALLED = """
import os, signal, sys
from pecli.__main__ import main
os.replace = lambda *_: (os.kill(os.getpid(), signal.{name}), signal.pause())
sys.argv = ["pecli", "heatmap", "-d", "7", "-n", "5", "-o", "a.npy"]
main()
"""


@pytest.mark.posix
@pytest.mark.parametrize(
    ("name", "code", "said"),
    [
        ("SIGHUP", 129, b"hung up"),
        ("SIGINT", 130, b"interrupted"),
        ("SIGQUIT", 131, b"quit"),
        ("SIGTERM", 143, b"terminated"),
    ],
)
def test_a_signal_before_the_file_is_replaced_leaves_the_old_one(
    process: Process, folder: Path, name: str, code: int, said: bytes
) -> None:
    (folder / "a.npy").write_bytes(b"old and whole")
    ended = process(["-c", STALLED.format(name=name)], folder, {})
    assert ended.returncode == code
    assert ended.stderr == b"pecli: " + said + b"\n"
    assert [(path.name, path.read_bytes()) for path in folder.iterdir()] == [("a.npy", b"old and whole")]


CUT = """
import signal, sys
import pecli.{module} as module
from pecli.__main__ import main
def imported(*_, **__):
    try:
        signal.raise_signal(signal.SIGINT)
    except BaseException:
        raise ImportError("cannot import name 'dtype' from 'numpy'")
module.{name} = imported
sys.argv = ["pecli", "heatmap", "-d", "7", "-n", "5", "--dpi", "20", "-o", "a.png"]
main()
"""


@pytest.mark.posix
@pytest.mark.parametrize(("module", "name"), [("cli", "main"), ("jobs.picture", "Picture")], ids=["outside", "inside"])
def test_a_signal_that_cuts_an_import_in_two_is_the_signal(
    process: Process, folder: Path, module: str, name: str
) -> None:
    ended = process(["-c", CUT.format(module=module, name=name)], folder, {})
    assert (ended.returncode, ended.stdout, ended.stderr) == (130, b"", b"pecli: interrupted\n")


full = pytest.mark.skipif(not Path("/dev/full").exists(), reason="only Linux has it")
TO_STDOUT = ["heatmap", *NUMBERS, "--format", "npy", "-o", "-"]
TO_FILE = ["heatmap", *NUMBERS, "-o", "a.npy"]


WORDS = [
    pytest.param(TO_STDOUT, id="bytes"),
    pytest.param(TO_FILE, id="path"),
    pytest.param(["--help"], id="help"),
    pytest.param(["--version"], id="version"),
]


@full
@pytest.mark.parametrize(
    "words",
    [TO_STDOUT, TO_FILE, ["--version"], ["--help"]],
    ids=lambda words: words[0] + words[-1],
)
def test_a_full_stdout_is_one_line_and_exit_1(process: Process, folder: Path, words: list[str]) -> None:
    with Path("/dev/full").open("wb") as stdout:
        ended = process([*PECLI, *words], folder, {}, stdout=stdout)
    assert ended.returncode == 1
    assert b"No space left" in ended.stderr
    assert ended.stderr.count(b"\n") == 1


BATCH = """
[[figure]]
command = "heatmap"
d = 7
length = 11
base = [1, 2, 3]
output = "{base}.json"
"""


@pytest.mark.posix
@pytest.mark.parametrize("words", WORDS)
def test_a_reader_that_has_gone_is_no_noise(process: Process, folder: Path, words: list[str]) -> None:
    read, write = os.pipe()
    os.close(read)
    ended = process([*PECLI, *words], folder, {}, stdout=write)
    os.close(write)
    assert ended.returncode in (1, -signal.SIGPIPE)
    assert ended.stderr == b""


def test_a_terminal_without_unicode_still_gets_help_and_messages(process: Process, folder: Path) -> None:
    ascii_only = {"PYTHONIOENCODING": "ascii", "LC_ALL": "C", "PYTHONUTF8": "0"}
    shown = process([*PECLI, "heatmap", "--help"], folder, ascii_only)
    assert (shown.returncode, shown.stderr) == (0, b"")
    assert b"--base" in shown.stdout and "×".encode("ascii", "backslashreplace") in shown.stdout
    refused = process([*PECLI, "heatmap", "--size", "位置"], folder, ascii_only)
    assert refused.returncode == 2
    assert refused.stderr.startswith(b"pecli: ") and refused.stderr.isascii()


LINES = """
import sys
from pecli.cli import main
for line in sys.argv[1:]:
    sys.stdout.reconfigure(errors="strict")  # as a process begins with
    sys.stderr = sys.__stderr__
    sys.argv = ["pecli", *line.split()]
    try:
        main()
    except SystemExit as ended:
        for stream in (sys.stdout, sys.stderr):
            print("ended with", ended.code, file=stream, flush=True)
"""


@pytest.mark.parametrize(
    ("console", "lines"),
    [
        ("ascii", {"explain -d 4 --lang zh": (0, "位置"), "batch f.toml -j 1": (0, "λ")}),
        (
            "cp1252",
            {
                "encodings rope": (0, "ω"),
                "heatmap --help": (0, "×"),
                "heatmap -n 0": (2, "≥"),
                "heatmap -d 4 -n 3 -o 位置λ.npy": (0, "位置"),
            },
        ),
    ],
)
def test_what_a_console_has_no_letters_for_is_shown_otherwise(
    console: str, lines: dict[str, tuple[int, str]], process: Process, folder: Path
) -> None:
    (folder / "f.toml").write_text('[[figure]]\ncommand = "heatmap"\nlength = 3\noutput = "λ.json"\n', encoding="utf-8")
    ended = process(["-c", LINES, *lines], folder, {"PYTHONIOENCODING": console, "PYTHONUTF8": "1"})
    out, err = (stream.decode(console).split("ended with ") for stream in (ended.stdout, ended.stderr))
    assert ended.returncode == 0 and "Traceback" not in "".join(err)
    assert [int(after[0]) for after in out[1:]] == [code for code, _ in lines.values()]
    for (line, (_, said)), *shown in zip(lines.items(), out, err, strict=False):
        assert said.encode(console, "backslashreplace").decode(console) in "".join(shown), line


LIGHT = """
import sys
from pecli.cli import app, main
from pecli.jobs.job_options import ANALYSES
for words in [["--help"], ["--version"], ["recipe", "--help"], *([name, "--help"] for name in ANALYSES)]:
    sys.argv = ["pecli", *words]
    try:
        main()
    except SystemExit as end:
        assert end.code == 0, words
    heavy = [name for name in sys.modules if name.startswith(("numpy.", "matplotlib", "PIL", "safetensors"))]
    assert not heavy, (words, heavy[:3])
"""


def test_help_and_version_import_neither_numpy_nor_matplotlib(process: Process, folder: Path) -> None:
    ended = process(["-c", LIGHT], folder, {})
    assert ended.stderr == b""
    assert ended.returncode == 0


def test_completion_imports_neither_numpy_nor_matplotlib(process: Process, folder: Path) -> None:
    asked = {"_PECLI_COMPLETE": "complete_bash", "COMP_WORDS": "pecli heat", "COMP_CWORD": "1"}
    ended = process(["-X", "importtime", *PECLI], folder, asked)
    assert ended.stdout.split() == [b"heatmap"]
    assert b"numpy." not in ended.stderr and b"matplotlib" not in ended.stderr


def test_importing_pecli_loads_no_library(process: Process, folder: Path) -> None:
    code = "import sys, pecli; print([n for n in ('numpy', 'matplotlib', 'typer', 'rich') if n in sys.modules])"
    assert process(["-c", code], folder, {}).stdout == b"[]\n"


HELPED = """
import sys
from contextlib import suppress
from pecli.cli import main
for words in (["heatmap", "--help"], ["batch", "--help"], ["--help"]):
    sys.argv = ["pecli", *words]
    with suppress(SystemExit):
        main()
"""


def test_help_says_the_same_where_docstrings_are_gone(process: Process, folder: Path) -> None:
    without, usual = (process([*how, "-c", HELPED], folder, {"COLUMNS": "150"}).stdout for how in (["-OO"], []))
    assert without == usual and usual.count(b"Usage:") == 3
