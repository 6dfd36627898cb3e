"""Tests of the only module that writes files: they are whole or absent, and bad targets are refused first."""

from __future__ import annotations

import errno
import os
import stat
import subprocess
import sys
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from pecli.core.errors import OutputError
from pecli.files.writer import check_target, write

OLD, NEW = b"old and whole", b"new" * 50_000
TABLE = b"positions,0,1,2,3\n"
DRAW = ["-m", "pecli", "heatmap", "--length", "3", "-d", "4", "--format", "csv"]
pytestmark = pytest.mark.usefixtures("folder")


def content() -> dict[str, bytes]:
    """Return what the current folder holds."""
    return {path.name: path.read_bytes() for path in Path().iterdir()}


def failing(error: BaseException) -> Callable[..., Any]:
    def fail(*_: Any, **__: Any) -> Any:
        raise error

    return fail


def test_files_are_made_with_their_folders_and_replaced_and_nothing_else_is_left() -> None:
    write("a.png", NEW)
    write("a.png", OLD)
    assert content() == {"a.png": OLD}
    write("b/c/d.png", NEW)
    assert Path("b/c/d.png").read_bytes() == NEW


@pytest.mark.parametrize("error", [OSError(errno.ENOSPC, "No space left"), KeyboardInterrupt()])
@pytest.mark.parametrize("before", [{"a.png": OLD}, {}])
def test_a_failing_write_leaves_the_old_file_and_no_temporary(
    monkeypatch: pytest.MonkeyPatch, error: BaseException, before: dict[str, bytes]
) -> None:
    for name, data in before.items():
        Path(name).write_bytes(data)
    monkeypatch.setattr("pecli.files.writer.os.replace", failing(error))
    with pytest.raises(OutputError if isinstance(error, OSError) else type(error)):
        write("a.png", NEW)
    assert content() == before


@pytest.mark.posix
@pytest.mark.parametrize(("mask", "mode"), [(0o022, 0o644), (0o077, 0o600), (0o002, 0o664)])
def test_a_new_file_has_the_mode_of_a_plain_open_and_a_replaced_one_keeps_its_own(
    umask: Callable[[int], int], mask: int, mode: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    umask(mask)
    write("a.png", NEW)
    assert stat.S_IMODE(Path("a.png").stat().st_mode) == mode
    Path("a.png").chmod(0o640)
    write("a.png", OLD)
    assert stat.S_IMODE(Path("a.png").stat().st_mode) == 0o640


@pytest.mark.posix
@pytest.mark.parametrize("real", ["there.png", "none.png", "new/a.png"])
def test_a_symlink_is_written_through(real: str) -> None:
    Path("there.png").write_bytes(OLD)
    Path("link.png").symlink_to(real)
    check_target("link.png")
    write("link.png", NEW)
    assert Path("link.png").is_symlink() and Path(real).read_bytes() == NEW


@pytest.mark.posix
def test_what_is_no_regular_file_is_written_directly_and_stays() -> None:
    os.mkfifo("a.png")
    read = list[bytes]()
    reader = threading.Thread(target=lambda: read.append(Path("a.png").read_bytes()), daemon=True)
    reader.start()
    write("a.png", NEW)
    reader.join(10)
    write(os.devnull, NEW)
    assert read == [NEW] and Path("a.png").is_fifo() and Path(os.devnull).is_char_device()
    if Path("/dev/full").exists():
        with pytest.raises(OutputError, match="/dev/full could not be written"):
            write("/dev/full", NEW)


@pytest.mark.parametrize(
    ("path", "said"),
    [
        ("a.png", ""),
        ("new/a.png", ""),
        (".", "is a folder"),
        ("new/", "is a folder"),
        ("a.png/b.png", "a.png is not a folder"),
        ("a" * 300, "File name too long"),
        ("a\0b", "null byte"),
        ("loop.png", "Too many levels of symbolic links"),
    ],
)
def test_targets_that_cannot_be_are_refused_before_work_is_done(path: str, said: str) -> None:
    Path("a.png").write_bytes(OLD)
    Path("loop.png").symlink_to("loop.png")
    if not said:
        check_target(path)
    else:
        with pytest.raises(OutputError, match=said):
            check_target(path)
    assert sorted(path.name for path in Path().iterdir()) == ["a.png", "loop.png"]
    if path in ("a.png/b.png", "loop.png"):
        with pytest.raises(OutputError):
            write(path, NEW)


@pytest.mark.long
@pytest.mark.posix
def test_a_shell_goes_on_after_it() -> None:
    line = f"{{ echo before; {sys.executable} {' '.join(DRAW)} -o /dev/stdout; echo after; }} > f"
    assert subprocess.run(["sh", "-c", line], check=False).returncode == 0
    text = Path("f").read_bytes()
    assert text.startswith(b"before\n" + TABLE) and text.endswith(b"\nafter\n")


@pytest.mark.long
@pytest.mark.posix
def test_a_standard_output_without_a_buffer_is_written_whole_or_it_is_said(
    tmp_path: Path, process: Callable[..., Any]
) -> None:
    limit = "import resource, sys; resource.setrlimit(resource.RLIMIT_FSIZE, (10240, -1)); sys.argv[0] = 'pecli';"
    run = "from pecli.__main__ import main; main()"
    words = ["-c", f"{limit} {run}", "heatmap", "--dpi", "60", "--length", "50", "-o", "-"]
    with Path("x.png").open("wb") as out:
        environment = {"PYTHONUNBUFFERED": "1", "PYTHONDONTWRITEBYTECODE": "1"}
        ended = process(words, tmp_path, environment, stdout=out)
    assert (ended.returncode, ended.stderr.decode()) == (1, "pecli: - could not be written: File too large\n")
