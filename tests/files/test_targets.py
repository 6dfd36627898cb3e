"""Which file a path means, and whether it can be written."""

from __future__ import annotations

import io
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from pecli.core.errors import UsageError
from pecli.files import writer as targets
from pecli.files.writer import place
from pecli.jobs.job import Job

pytestmark = pytest.mark.skipif(not Path("/dev/fd").exists(), reason="open files have no names here")
DRAW = ["-m", "pecli", "heatmap", "--length", "3", "-d", "4", "--format", "csv"]
TABLE = b"positions,0,1,2,3\n"
Process = Callable[..., subprocess.CompletedProcess[Any]]


def test_two_names_of_one_file_are_one_place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "r").mkdir()
    (tmp_path / "rl").symlink_to("r")
    (tmp_path / "r" / "l.png").symlink_to("a.png")
    spelled = ["r/a.png", "rl/a.png", "./r/../rl/l.png", str(tmp_path / "r" / "l.png")]
    assert len({place(path) for path in spelled}) == 1
    assert place("r/b.png") != place("r/a.png")
    assert place("-") == place("/dev/stdout")


def test_a_shell_goes_on_after_it(tmp_path: Path, process: Process) -> None:
    line = f"{{ echo before; {sys.executable} {' '.join(DRAW)} -o /dev/stdout; echo after; }} > f"
    assert subprocess.run(["sh", "-c", line], cwd=tmp_path, check=False).returncode == 0
    text = (tmp_path / "f").read_bytes()
    assert text.startswith(b"before\n" + TABLE) and text.endswith(b"\nafter\n")


def test_a_pipe_by_its_number_gets_the_bytes(tmp_path: Path, process: Process) -> None:
    end, begin = os.pipe()
    ended = process([*DRAW, "-o", f"/dev/fd/{begin}"], tmp_path, {}, pass_fds=(begin,))
    os.close(begin)
    with os.fdopen(end, "rb") as file:
        assert file.read().startswith(TABLE)
    assert ended.returncode == 0 and ended.stdout.decode() == f"/dev/fd/{begin}\n"


def test_text_may_go_to_a_terminal_and_bytes_may_not(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "stdout", type("Terminal", (io.StringIO,), {"isatty": lambda self: True})())
    for format in ("csv", "json", "svg"):
        Job.make("heatmap", {"output": "-", "format": format, "length": 3}).check()
    for format in ("png", "pdf", "npy", "npz"):
        with pytest.raises(UsageError, match="bytes onto the terminal"):
            Job.make("heatmap", {"output": "-", "format": format, "length": 3}).check()


def test_a_loop_of_links_is_no_place(tmp_path: Path) -> None:
    (tmp_path / "a.png").symlink_to("b.png")
    (tmp_path / "b.png").symlink_to("a.png")
    with pytest.raises(OSError, match="symbolic links"):
        targets.followed(tmp_path / "a.png")
