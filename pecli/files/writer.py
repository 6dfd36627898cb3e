"""The only writer of files: where an output goes, and whole or not at all."""

from __future__ import annotations

import atexit
import os
import shutil
import stat
import sys
import tempfile
from collections.abc import Callable, Iterable
from contextlib import AbstractContextManager, nullcontext, suppress
from functools import cache
from pathlib import Path
from typing import IO

from pecli.core.errors import FileError, OutputError, UsageError, option_text

STDOUT = "-"
HEAD = 64  # bytes that tell what a file is


@cache
def spool_stdin(ending: Callable[[bytes], str]) -> str:
    """Return a file with all of standard input, made once and gone with the process; its first bytes tell its ending.

    Raises
    ------
    UsageError : standard input is a terminal
    FileError : it is empty
    """
    if sys.stdin is None or sys.stdin.isatty():
        raise UsageError("file=- reads standard input, and nothing is piped into it")
    folder = tempfile.mkdtemp(prefix="pecli-")
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    head = sys.stdin.buffer.read(HEAD)
    if not head:
        raise FileError("standard input is empty", option="file", value=STDOUT)
    path = Path(folder, f"stdin{ending(head)}")
    with path.open("wb") as file:
        file.write(head)
        shutil.copyfileobj(sys.stdin.buffer, file)
    return str(path)


def is_stdout(path: str) -> bool:
    """Return whether a path is standard output."""
    return path in (STDOUT, "/dev/stdout")


def ending_of(path: str) -> str:
    """Return the ending of a path as formats are named, ``png``; empty for none and for standard output."""
    return "" if is_stdout(path) else Path(path).suffix.lower().removeprefix(".")


def real_path(path: str) -> str:
    """Return one spelling of a path, to see whether two are the same file: links are followed."""
    return STDOUT if is_stdout(path) else os.path.realpath(path)


def _status(path: Path) -> os.stat_result | None:
    """Return what the system says of what stands there, None for nothing; raises OSError for a path that cannot be."""
    try:
        return path.stat()
    except (FileNotFoundError, NotADirectoryError):
        return None


def _followed(path: str) -> tuple[Path, os.stat_result | None]:
    """Return where symlinks and ``..`` lead, also where nothing is there yet; raises OSError for a loop of links."""
    status = _status(Path(path))
    if status and not stat.S_ISREG(status.st_mode):
        return Path(path), status  # an open file's name, as in /dev/fd/3, is a link to no place
    real = Path(os.path.realpath(path))
    return real, _status(real)


def check_target(
    path: str, clobber: bool, *, text: bool = False, option: str = "output", example: str = "figure.png"
) -> None:
    """Refuse a place that cannot be written, before any work is done for it (OutputError, a terminal: UsageError).

    clobber : whether a file that is there may be replaced; text : whether what is written may be seen in a terminal;
    option : what names it; example : a file of its kind
    """
    if is_stdout(path):
        if sys.stdout.isatty() and not text:
            advice = "redirect it (> figure.png), give -o FILE or --format svg"
            raise UsageError(f"-o {path} would write bytes onto the terminal: {advice}")
        return
    try:
        target, status = _followed(path)
        folder = next(parent for parent in target.absolute().parents if _status(parent))
    except (OSError, ValueError) as error:  # the latter for a NUL
        reason = f"{option_text(option, path[:60])} cannot be made: {getattr(error, 'strerror', error)}"
        raise OutputError(reason, option=option, value=path) from None
    item = option_text(option, path)
    if (status and stat.S_ISDIR(status.st_mode)) or path.endswith(os.sep):
        raise no_file(path, example, option)
    if status and not clobber:
        reason = f"{item} already exists and --no-clobber keeps it: choose another name"
        raise OutputError(reason, option=option, value=path)
    if not os.path.isdir(folder):
        raise OutputError(f"{item} cannot be made: {folder} is not a folder", option=option, value=path)
    replaced = status is None or stat.S_ISREG(status.st_mode)
    if (replaced and not os.access(folder, os.W_OK | os.X_OK)) or (status and not os.access(target, os.W_OK)):
        raise OutputError(f"{item} cannot be written: no permission", option=option)


def no_file(path: str, example: str, option: str = "output") -> OutputError:
    """Return what to say of a folder where the option names a file."""
    advice = f"name a file in it, such as {Path(path) / example}"
    return OutputError(f"{option_text(option, path)} is a folder", option=option, value=path, advice=advice)


def write(path: str, data: bytes | Iterable[bytes]) -> int:
    """Write the bytes, or pieces of them that are made meanwhile, there; return how many they are.

    An existing file is replaced at once or stays as it is; parents are made. A symlink's target is replaced, not the
    link. What is no regular file (a device, a FIFO, standard output) is written to. Raises OutputError with the reason.
    """
    try:
        pieces = [data] if isinstance(data, bytes) else data
        if is_stdout(path):
            with _stdout() as file:
                return sum(map(file.write, pieces))
        target, status = _followed(path)
        if status and not stat.S_ISREG(status.st_mode):
            with target.open("wb") as file:
                return sum(map(file.write, pieces))
        return _replace(target, pieces, status)
    except BrokenPipeError:
        raise
    except OSError as error:
        raise OutputError(f"{path} could not be written: {error.strerror or error}") from None


def _stdout() -> AbstractContextManager[IO[bytes]]:
    """Return standard output without its text layer; buffered, else little might be taken at a time."""
    sys.stdout.flush()
    try:
        return open(sys.stdout.fileno(), "wb", closefd=False)
    except OSError:  # a stream in memory
        return nullcontext(sys.stdout.buffer)


def _replace(target: Path, pieces: Iterable[bytes], status: os.stat_result | None) -> int:
    """Write a temporary file beside the target, of the same mode, and put it in its place; return its bytes."""
    target.parent.mkdir(parents=True, exist_ok=True)
    temporary = target.with_name(f".pecli-{os.urandom(6).hex()}{target.suffix}")
    try:
        with temporary.open("xb") as file:
            size = sum(map(file.write, pieces))
        if status:
            with suppress(OSError):  # a file system may know no permissions
                os.chmod(temporary, stat.S_IMODE(status.st_mode))
        os.replace(temporary, target)
        return size
    except BaseException:
        temporary.unlink(missing_ok=True)
        raise


def discard_stdout() -> None:
    """Point standard output at nothing, so that the interpreter's last flush cannot fail after a broken pipe."""
    with suppress(OSError, ValueError, AttributeError):
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
