"""The only writer of files: whole or not at all."""

from __future__ import annotations

import os
import stat
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from pecli.core.errors import OutputError, PecliError, UsageError, mention

STDOUT = "-"
TEMPORARY = ".pecli-"  # how the names of our temporary files begin


def place(path: str) -> str:
    """One spelling of a path, to see whether two are the same file."""
    return path if path == STDOUT else os.path.abspath(path)  # noqa: PTH100  # Path.resolve would follow links


def check_target(path: str, clobber: bool) -> None:
    """Refuses a place that cannot be written, before any work is done for it."""
    if path == STDOUT:
        return _check_stdout()
    target = Path(path)
    try:
        target = _followed(target)
        there = _status(target)
        if (there and stat.S_ISDIR(there.st_mode)) or path.endswith(os.sep):
            advice = f"name a file in it, such as {target / 'figure.png'}"
            raise UsageError(f"{mention('output', path)} is a folder", option="output", value=path, advice=advice)
        if there and not clobber:
            text = f"output {path} already exists and {mention('no_clobber')} keeps it: choose another name"
            raise UsageError(text, option="output", value=path)
        parent = next(folder for folder in target.absolute().parents if _status(folder))
        if not os.path.isdir(parent):
            text = f"output {path} cannot be made: {parent} is not a folder"
            raise UsageError(text, option="output", value=path)
        if not os.access(target if there else parent, os.W_OK):
            raise OutputError(f"output {path} cannot be written: no permission")
    except PecliError:
        raise
    except (OSError, ValueError) as error:  # the latter for a NUL
        text = f"output {path[:60]!r} cannot be made: {getattr(error, 'strerror', error)}"
        raise UsageError(text, option="output", value=path) from None


def _status(path: Path) -> os.stat_result | None:
    """What the system says of what stands there; None for nothing. Raises OSError for a path that cannot be.

    Path.exists and Path.is_dir swallow that error in some versions of Python and raise it in others.
    """
    try:
        return path.stat()
    except (FileNotFoundError, NotADirectoryError):
        return None


def _check_stdout() -> None:
    if sys.stdout is None:
        raise OutputError("standard output is closed: give -o FILE")
    if sys.stdout.isatty():
        raise UsageError("-o - would write a picture onto the terminal: redirect it (> figure.png) or give -o FILE")


def write(path: str, data: bytes) -> None:
    """Writes the bytes there. An existing file is replaced at once or stays as it is; parents are made.

    A symlink's target is replaced, not the link; what is not a regular file (a device, a FIFO) is written directly.

    Raises
    ------
    OutputError : the system would not; the message names the path and the reason
    """
    try:
        if path == STDOUT:
            write_stdout(data)
        else:
            _write_file(Path(path), data)
    except BrokenPipeError:
        raise
    except OSError as error:
        raise OutputError(f"{path} could not be written: {error.strerror or error}") from None


def write_stdout(data: bytes) -> None:
    """All of it to standard output, past any text layer."""
    sys.stdout.flush()
    sys.stdout.buffer.write(data)
    sys.stdout.buffer.flush()


def _write_file(target: Path, data: bytes) -> None:
    target.parent.mkdir(parents=True, exist_ok=True)
    target = _followed(target)
    there = _status(target)
    if there and not stat.S_ISREG(there.st_mode):
        with target.open("wb") as device:
            device.write(data)
        return
    _replace(target, data, stat.S_IMODE(there.st_mode) if there else 0o666 & ~_umask())


def _followed(target: Path) -> Path:
    """Where symlinks lead, also where nothing is there yet; raises OSError for a loop of them."""
    if not os.path.islink(target):
        return target
    with suppress(FileNotFoundError):
        target.stat()
    return target.resolve()


def _replace(target: Path, data: bytes, mode: int) -> None:
    handle, name = tempfile.mkstemp(prefix=TEMPORARY, suffix=target.suffix, dir=target.parent)
    with removed_on_failure(name):
        with os.fdopen(handle, "wb") as file:
            file.write(data)
        with suppress(OSError):  # a file system may know no permissions
            os.chmod(name, mode)
        os.replace(name, target)


@contextmanager
def removed_on_failure(name: str) -> Iterator[None]:
    """Takes the temporary file away if what is inside fails or is interrupted."""
    try:
        yield
    except BaseException:
        with suppress(FileNotFoundError):
            os.unlink(name)
        raise


def _umask() -> int:
    mask = os.umask(0)
    os.umask(mask)
    return mask


def discard_stdout() -> None:
    """Points standard output at nothing, so that the interpreter's last flush cannot fail after a broken pipe."""
    with suppress(OSError, ValueError, AttributeError):
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
