"""Writes all files: checks the target first, and replaces files atomically."""

from __future__ import annotations

import atexit
import ntpath
import os
import re
import shutil
import stat
import sys
import tempfile
from collections.abc import Callable, Iterable
from contextlib import AbstractContextManager, nullcontext, suppress
from functools import cache
from pathlib import Path
from typing import IO

from pecli.core.errors import FileError, OutputError, UsageError, option_text, reason_of

STDOUT = "-"
HEAD = 64  # bytes that identify a file type
WINDOWS = os.name == "nt"
IN_USE = (5, 32)  # Windows' error codes for a file that another program has open
NO_NAME = re.compile(r'[<>:"|?*]|[ .]$|^(?:(?:con|prn|aux|com\d|lpt\d)(?:\.|$)|nul\.)', re.IGNORECASE)  # on Windows


@cache
def spool_stdin(ending: Callable[[bytes], str]) -> str:
    """Return the path of a temporary copy of standard input, made once.

    ending : returns the extension for its first bytes

    Raises
    ------
    UsageError : standard input is a terminal
    FileError : standard input is empty
    """
    if sys.stdin is None or sys.stdin.isatty():
        raise UsageError("file=- reads standard input, but nothing is piped into it")
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
    """Return True if the path means standard output."""
    return path in (STDOUT, "/dev/stdout")


def ending_of(path: str) -> str:
    """Return the extension of a path without the dot, such as ``png``; "" for none and for standard output."""
    name = "" if is_stdout(path) else os.path.basename(path)
    return name.rpartition(".")[2].lower() if "." in name[1:] else ""


def real_path(path: str) -> str:
    """Return the path with links resolved, to compare two paths."""
    return STDOUT if is_stdout(path) else os.path.realpath(path)


def real_paths() -> Callable[[str], str]:
    """Return a function that does what `real_path` does, but looks at each path and each folder only once."""
    folders: dict[str, str] = {}

    @cache
    def real(path: str) -> str:
        folder, name = os.path.split(path)
        if name in ("", ".", ".."):
            folder, name = path, ""
        elif is_stdout(path) or os.path.islink(path):
            return real_path(path)
        if folder not in folders:
            folders[folder] = os.path.realpath(folder)
        return os.path.join(folders[folder], name) if name else folders[folder]

    return real


def place_of(path: str) -> str:
    """Return the path in lower case; paths with equal results are the same file on Windows and macOS."""
    return real_path(path).casefold()


def _status(path: Path) -> os.stat_result | None:
    """Return the stat result of a path, None if it does not exist. Raises OSError if the path is invalid."""
    try:
        return path.stat()
    except (FileNotFoundError, NotADirectoryError):
        return None


def _followed(path: str) -> tuple[Path, os.stat_result | None]:
    """Return the path with symlinks and ``..`` resolved, and its stat result, None if it does not exist.

    Raises OSError for a loop of links.
    """
    status = _status(Path(path))
    if status and not stat.S_ISREG(status.st_mode):
        return Path(path), status  # /dev/fd/3 and the like link to no real path
    real = Path(os.path.realpath(path))
    return real, _status(real)


def check_target(path: str, *, text: bool = False, option: str = "output", example: str = "figure.png") -> None:
    """Raise OutputError if a path cannot be written (UsageError for a terminal); called before any work is done.

    text : whether the output may be shown in a terminal
    option : option that names the path
    example : file name for the advice
    """
    if is_stdout(path):
        if sys.stdout.isatty() and not text:
            advice = "redirect it (> figure.png), give -o FILE or --format svg"
            raise UsageError(f"-o {path} would write binary data to the terminal: {advice}")
        return
    _check_name(path, option)
    try:
        target, status = _followed(path)
        folder = next((parent for parent in target.absolute().parents if _status(parent)), target.anchor)
    except (OSError, ValueError) as error:  # ValueError: the path contains NUL
        reason = f"{option_text(option, path[:60])} cannot be created: {reason_of(error)}"
        raise OutputError(reason, option=option, value=path) from None
    item = option_text(option, path)
    if (status and stat.S_ISDIR(status.st_mode)) or path.endswith(("/", os.sep)):
        raise folder_error(path, example, option)
    if not os.path.isdir(folder):
        raise OutputError(f"{item} cannot be created: {folder} is not a folder", option=option, value=path)
    replaced = status is None or stat.S_ISREG(status.st_mode)
    if (replaced and not os.access(folder, os.W_OK | os.X_OK)) or (status and not os.access(target, os.W_OK)):
        raise OutputError(f"{item} cannot be written: no permission", option=option)


def _check_name(path: str, option: str) -> None:
    """Raise UsageError for a path that Windows cannot have, or that only Windows understands."""
    if WINDOWS:
        wrong = next((name for name in re.split(r"[/\\]", ntpath.splitdrive(path)[1]) if _is_no_name(name)), None)
        if wrong is not None:
            text = f"{option_text(option, path)} cannot be written: '{wrong}' is not a file name on Windows"
            raise UsageError(text, option=option, value=path)
    elif "\\" in os.path.basename(path):
        text = f"{option_text(option, path)} has a backslash, which separates folders on Windows only"
        raise UsageError(text, option=option, value=path, advice="write /, which Windows accepts, too")


def _is_no_name(name: str) -> bool:
    return name not in (".", "..") and NO_NAME.search(name) is not None


def folder_error(path: str, example: str, option: str = "output") -> OutputError:
    """Return the error for a folder given where a file is needed; `example` is a file name for the advice."""
    advice = f"name a file in it, such as {Path(path) / example}"
    return OutputError(f"{option_text(option, path)} is a folder", option=option, value=path, advice=advice)


def write(path: str, data: bytes | Iterable[bytes]) -> int:
    """Write bytes, or an iterable of them, to a path; return their number.

    An existing file is replaced atomically; parent folders are created. A symlink's target is replaced, not the link.
    Devices, FIFOs and standard output are written to directly. Raises OutputError with the reason.
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
        held = getattr(error, "winerror", None) in IN_USE
        advice = "close it if another program has it open" if held else ""
        raise OutputError(f"{path} could not be written: {reason_of(error)}", advice=advice) from None


def _stdout() -> AbstractContextManager[IO[bytes]]:
    """Return the binary buffer of standard output."""
    sys.stdout.flush()
    try:
        return open(sys.stdout.fileno(), "wb", closefd=False)
    except OSError:  # standard output is an in-memory stream
        return nullcontext(sys.stdout.buffer)


def _replace(target: Path, pieces: Iterable[bytes], status: os.stat_result | None) -> int:
    """Write a temporary file beside the target and rename it; return the number of bytes.

    status : stat result of the existing target, whose mode is kept; None if there is no such file
    """
    target.parent.mkdir(parents=True, exist_ok=True)
    temporary = target.with_name(f".pecli-{os.urandom(6).hex()}{target.suffix}")
    try:
        with temporary.open("xb") as file:
            size = sum(map(file.write, pieces))
        if status:
            with suppress(OSError):  # the file system may have no permissions
                os.chmod(temporary, stat.S_IMODE(status.st_mode))
        os.replace(temporary, target)
        return size
    except BaseException:
        temporary.unlink(missing_ok=True)
        raise


def discard_stdout() -> None:
    """Discard further standard output, so that the interpreter's last flush cannot fail after a broken pipe."""
    with suppress(OSError, ValueError, AttributeError):
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
