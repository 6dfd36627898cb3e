"""The only writer of files: whole or not at all."""

from __future__ import annotations

import errno
import io
import os
import stat
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from pecli.core.errors import OutputError, UsageError
from pecli.files import writer
from pecli.files.writer import check_target

OLD, NEW = b"old and whole", b"new" * 50_000


def fail(error: BaseException) -> Callable[..., Any]:
    def failing(*_: Any, **__: Any) -> Any:
        raise error

    return failing


def test_parents_are_made(tmp_path: Path) -> None:
    writer.write(str(tmp_path / "a" / "b" / "c.png"), NEW)
    assert (tmp_path / "a" / "b" / "c.png").read_bytes() == NEW


def test_nothing_but_the_file_is_left(tmp_path: Path) -> None:
    writer.write(str(tmp_path / "a.png"), NEW)
    writer.write(str(tmp_path / "a.png"), OLD)
    assert [(path.name, path.read_bytes()) for path in tmp_path.iterdir()] == [("a.png", OLD)]


@pytest.mark.parametrize(
    ("call", "error"),
    [
        ("replace", OSError(errno.ENOSPC, "No space left")),
        *((call, error) for call in ("replace", "chmod") for error in (KeyboardInterrupt(), SystemExit(143))),
    ],
)
@pytest.mark.parametrize("there", [True, False])
def test_a_failing_write_leaves_the_old_file_and_no_temporary(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, call: str, error: BaseException, there: bool
) -> None:
    target = tmp_path / "a.png"
    if there:
        target.write_bytes(OLD)
    monkeypatch.setattr(f"pecli.files.writer.os.{call}", fail(error))
    with pytest.raises(OutputError if isinstance(error, OSError) else type(error)):
        writer.write(str(target), NEW)
    monkeypatch.undo()
    assert [(path.name, path.read_bytes()) for path in tmp_path.iterdir()] == ([("a.png", OLD)] if there else [])


@pytest.mark.posix
def test_a_disk_that_is_full_half_way_leaves_the_old_file(tmp_path: Path) -> None:
    target = tmp_path / "a.png"
    target.write_bytes(OLD)
    resource = pytest.importorskip("resource")
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (4096, hard))
    try:
        with pytest.raises(OutputError) as caught:
            writer.write(str(target), NEW)
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))
    assert str(target) in str(caught.value)
    assert [(path.name, path.read_bytes()) for path in tmp_path.iterdir()] == [("a.png", OLD)]


@pytest.mark.posix
@pytest.mark.parametrize(("mask", "mode"), [(0o022, 0o644), (0o077, 0o600), (0o002, 0o664)])
def test_a_new_file_has_the_mode_of_a_plain_open(
    tmp_path: Path, umask: Callable[[int], int], mask: int, mode: int
) -> None:
    umask(mask)
    writer.write(str(tmp_path / "a.png"), NEW)
    assert stat.S_IMODE((tmp_path / "a.png").stat().st_mode) == mode
    assert umask(0o022) == mask


@pytest.mark.posix
def test_a_replaced_file_keeps_its_mode(tmp_path: Path) -> None:
    target = tmp_path / "a.png"
    target.write_bytes(OLD)
    target.chmod(0o640)
    writer.write(str(target), NEW)
    assert stat.S_IMODE(target.stat().st_mode) == 0o640


@pytest.mark.parametrize("error", [errno.EPERM, errno.ENOTSUP, errno.EINVAL])
def test_a_file_system_without_permissions_is_written_all_the_same(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, error: int
) -> None:
    monkeypatch.setattr("pecli.files.writer.os.chmod", fail(OSError(error, "no permissions here")))
    writer.write(str(tmp_path / "a.png"), NEW)
    assert [(path.name, path.read_bytes()) for path in tmp_path.iterdir()] == [("a.png", NEW)]


@pytest.mark.posix
def test_a_symlink_is_written_through(tmp_path: Path) -> None:
    (tmp_path / "there").mkdir()
    real, link = tmp_path / "there" / "real.png", tmp_path / "link.png"
    real.write_bytes(OLD)
    link.symlink_to(real)
    writer.write(str(link), NEW)
    assert link.is_symlink()
    assert real.read_bytes() == NEW


@pytest.mark.posix
def test_a_dangling_symlink_makes_its_target(tmp_path: Path) -> None:
    (tmp_path / "link.png").symlink_to("real.png")
    writer.write(str(tmp_path / "link.png"), NEW)
    assert (tmp_path / "link.png").is_symlink()
    assert (tmp_path / "real.png").read_bytes() == NEW


@pytest.mark.posix
def test_a_symlink_to_itself_is_an_error_of_ours(tmp_path: Path) -> None:
    (tmp_path / "loop.png").symlink_to("loop.png")
    with pytest.raises((OutputError, UsageError)):
        writer.write(str(tmp_path / "loop.png"), NEW)


@pytest.mark.posix
def test_a_fifo_is_written_directly_and_stays_one(tmp_path: Path) -> None:
    fifo, read = tmp_path / "a.png", list[bytes]()
    os.mkfifo(fifo)
    reader = threading.Thread(target=lambda: read.append(fifo.read_bytes()), daemon=True)
    reader.start()
    writer.write(str(fifo), NEW)
    reader.join(10)
    assert read == [NEW]
    assert fifo.is_fifo()


@pytest.mark.posix
def test_a_device_is_written_directly_and_stays_one() -> None:
    writer.write(os.devnull, NEW)
    assert Path(os.devnull).is_char_device()


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="only Linux has it")
def test_a_full_device_is_named() -> None:
    with pytest.raises(OutputError, match="/dev/full could not be written"):
        writer.write("/dev/full", NEW)


def test_a_file_where_a_folder_should_be_is_refused(tmp_path: Path) -> None:
    (tmp_path / "file").write_bytes(OLD)
    with pytest.raises(UsageError, match="not a folder"):
        check_target(str(tmp_path / "file" / "a.png"), True)
    with pytest.raises(OutputError):
        writer.write(str(tmp_path / "file" / "a.png"), NEW)


def test_targets_that_cannot_be_are_refused_before_work_is_done(tmp_path: Path) -> None:
    (tmp_path / "a.png").write_bytes(OLD)
    check_target(str(tmp_path / "a.png"), True)
    check_target(str(tmp_path / "new" / "a.png"), False)
    with pytest.raises(UsageError, match="no_clobber"):
        check_target(str(tmp_path / "a.png"), False)
    with pytest.raises(UsageError, match="folder"):
        check_target(str(tmp_path), True)
    with pytest.raises(UsageError, match="folder"):
        check_target("new/", True)
    with pytest.raises(UsageError, match="cannot be made"):
        check_target(str(tmp_path / ("a" * 300)), True)
    assert [path.name for path in tmp_path.iterdir()] == ["a.png"]


@pytest.mark.skipif(getattr(os, "geteuid", int)() == 0, reason="root may write everywhere")
def test_a_place_without_permission_is_refused(tmp_path: Path) -> None:
    tmp_path.chmod(0o500)
    with pytest.raises(OutputError, match="permission"):
        check_target(str(tmp_path / "a.png"), True)
    tmp_path.chmod(0o700)


def test_standard_output_must_be_no_terminal(monkeypatch: pytest.MonkeyPatch) -> None:
    class Terminal(io.StringIO):
        def isatty(self) -> bool:
            return True

    monkeypatch.setattr("sys.stdout", Terminal())
    with pytest.raises(UsageError, match="terminal"):
        check_target("-", True)


def test_standard_output_gets_the_bytes_as_they_are(monkeypatch: pytest.MonkeyPatch) -> None:
    raw = io.BytesIO()
    monkeypatch.setattr("sys.stdout", io.TextIOWrapper(raw))
    writer.write("-", b"\x89PNG\r\n\n")
    assert raw.getvalue() == b"\x89PNG\r\n\n"


def test_other_threads_can_write_too(tmp_path: Path) -> None:
    def work() -> None:
        writer.write(str(tmp_path / "a.png"), NEW)

    thread = threading.Thread(target=work)
    thread.start()
    thread.join(10)
    assert (tmp_path / "a.png").read_bytes() == NEW


PIECES = [b"first", b"", b"second" * 1000]


@pytest.mark.parametrize("most", [1, 7, 10**6])
def test_all_is_written_however_little_is_taken_at_a_time(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, most: int
) -> None:
    whole = os.write
    monkeypatch.setattr("pecli.files.writer.os.write", lambda number, data: whole(number, data[:most]))
    assert writer.write(str(tmp_path / "a"), iter(PIECES)) == len(b"".join(PIECES))
    assert (tmp_path / "a").read_bytes() == b"".join(PIECES)


def test_a_standard_output_without_a_buffer_is_written_whole_or_it_is_said(
    tmp_path: Path, process: Callable[..., Any]
) -> None:
    limit = "import resource, sys; resource.setrlimit(resource.RLIMIT_FSIZE, (10240, -1)); sys.argv[0] = 'pecli';"
    draw = [f"{limit} from pecli.cli.app import main; main()", "heatmap", "--dpi", "60", "--length", "50", "-o", "-"]
    with (tmp_path / "x.png").open("wb") as out:
        ended = process(["-c", *draw], tmp_path, {"PYTHONUNBUFFERED": "1"}, stdout=out)
    assert ended.returncode == 1
    assert ended.stderr.decode() == "pecli: - could not be written: File too large\n"


def test_a_link_into_a_folder_still_to_be_made_is_followed(tmp_path: Path) -> None:
    (tmp_path / "l.png").symlink_to("miss/a.png")
    check_target(str(tmp_path / "l.png"), True)
    writer.write(str(tmp_path / "l.png"), NEW)
    assert (tmp_path / "miss" / "a.png").read_bytes() == NEW and (tmp_path / "l.png").is_symlink()
