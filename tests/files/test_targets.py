"""Which file a path means, and whether it can be written."""

from __future__ import annotations

import errno
import io
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from pecli.core.errors import OutputError, UsageError
from pecli.files import writer as targets
from pecli.files.writer import check_target, descriptor, is_stdout, place
from pecli.jobs.job import Job

pytestmark = pytest.mark.skipif(not Path("/dev/fd").exists(), reason="open files have no names here")
DRAW = ["-m", "pecli", "heatmap", "--length", "3", "-d", "4", "--format", "csv"]
TABLE = b"positions,0,1,2,3\n"
Process = Callable[..., subprocess.CompletedProcess[Any]]


@pytest.mark.parametrize(
    ("path", "number"),
    [("/dev/stdout", 1), ("/dev/fd/7", 7), ("/proc/self/fd/7", 7), ("/dev/stderr", 2), ("a.png", None), ("7", None)],
)
def test_open_files_are_known_by_their_numbers(path: str, number: int | None) -> None:
    assert descriptor(path) == number


def test_a_link_to_an_open_file_is_that_file(tmp_path: Path) -> None:
    (tmp_path / "l.png").symlink_to("/dev/stdout")
    assert descriptor(str(tmp_path / "l.png")) == 1 and is_stdout(str(tmp_path / "l.png"))
    (tmp_path / "loop").symlink_to("loop")
    assert descriptor(str(tmp_path / "loop")) is None


def test_two_names_of_one_file_are_one_place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "r").mkdir()
    (tmp_path / "rl").symlink_to("r")
    (tmp_path / "r" / "l.png").symlink_to("a.png")
    spelled = ["r/a.png", "rl/a.png", "./r/../rl/l.png", str(tmp_path / "r" / "l.png")]
    assert len({place(path) for path in spelled}) == 1
    assert place("r/b.png") != place("r/a.png")
    assert place("-") == place("/dev/stdout") == place("/dev/fd/1") != place("/dev/fd/2")


EACH = """
import sys
from contextlib import suppress
from pecli.cli import main
*words, paths = sys.argv[1:]
for path in paths.split():
    sys.argv = ["pecli", *words, "-o", path]
    with suppress(SystemExit):
        main()
"""


def test_what_stood_in_standard_output_stays(tmp_path: Path, process: Process) -> None:
    (tmp_path / "l.csv").symlink_to("/dev/fd/1")
    out = tmp_path / "f"
    out.write_bytes(b"before\n")
    with out.open("ab") as appended:
        paths = "/dev/stdout /dev/fd/1 /proc/self/fd/1 l.csv whole.csv"
        ended = process(["-c", EACH, *DRAW[2:], paths], tmp_path, {}, stdout=appended)
    whole = (tmp_path / "whole.csv").read_bytes()
    assert ended.returncode == 0 and ended.stderr == b""
    assert whole.startswith(TABLE) and whole.count(b"\n") == 4
    assert out.read_bytes() == b"before\n" + 4 * whole + b"whole.csv\n"


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


def test_a_number_that_is_not_open_is_refused() -> None:
    with pytest.raises(OutputError, match="Bad file descriptor"):
        check_target("/dev/fd/987", True)


def test_no_terminal_is_written_to_by_any_name(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("os.isatty", lambda _: True)
    with pytest.raises(UsageError, match="terminal"):
        check_target("/dev/stderr", True)
    monkeypatch.setattr(sys, "stdout", type("Terminal", (io.StringIO,), {"isatty": lambda self: True})())
    with pytest.raises(UsageError, match="-o /dev/stdout would"):
        check_target("/dev/stdout", True)


def test_a_name_that_no_folder_takes_is_refused_also_in_a_folder_to_be_made(tmp_path: Path) -> None:
    for path in ("miss/" + "a" * 300 + ".png", "a" * 300 + "/b.png"):
        with pytest.raises(UsageError, match="too long"):
            check_target(str(tmp_path / path), True)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(("number", "said"), [(errno.EACCES, "no permission"), (errno.EROFS, "Read-only file system")])
def test_the_reason_is_the_systems(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, number: int, said: str) -> None:
    def refuse(*_: Any) -> int:
        raise OSError(number, os.strerror(number))

    (tmp_path / "a.png").write_bytes(b"")
    monkeypatch.setattr("pecli.files.writer.os.open", refuse)
    with pytest.raises(OutputError, match=said):
        check_target(str(tmp_path / "a.png"), True)


@pytest.mark.parametrize(("read_only", "said"), [(False, "no permission"), (True, "read-only")])
def test_a_folder_that_takes_no_file_says_why(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, read_only: bool, said: str
) -> None:
    monkeypatch.setattr("pecli.files.writer.os.access", lambda *_: False)
    monkeypatch.setattr(targets, "_read_only", lambda _: read_only)
    with pytest.raises(OutputError, match=said):
        check_target(str(tmp_path / "a.png"), True)


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
