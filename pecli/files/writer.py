"""The only writer of files: whole or not at all."""

from __future__ import annotations

import errno
import os
import select
import stat
import sys
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from functools import partial
from pathlib import Path

from pecli.core.errors import OutputError
from pecli.core.notices import notice
from pecli.files.leftovers import TEMPORARY, remove_leftovers
from pecli.files.targets import descriptor, followed, is_stdout, status

PIECE = 1 << 20  # bytes that are copied at once
FIXED = (errno.EACCES, errno.EPERM, errno.EBUSY, errno.EXDEV)  # a file that may be written and not replaced: it is
# mounted by itself, or its folder is somebody else's


def write(path: str, data: bytes | Iterable[bytes]) -> int:
    """Writes the bytes there, all at once or piece by piece; gives their number.

    An existing file is replaced at once or stays as it is; parents are made, and go again if nothing comes of it. A
    symlink's target is replaced, not the link. What is not a regular file by its own name (a device, a FIFO, standard
    output) is written to, and so is, with a notice, a file that the system lets nobody replace.

    Raises
    ------
    OutputError : the system would not; the message names the path and the reason
    """
    pieces = [data] if isinstance(data, bytes) else data
    number = descriptor(path)
    try:
        if is_stdout(path):
            return write_stdout(pieces)
        if number is not None:
            return _send(number, pieces)
        return _write_file(path, pieces)
    except BrokenPipeError:
        raise
    except OSError as error:
        raise OutputError(f"{path} could not be written: {error.strerror or error}") from None


def write_stdout(pieces: Iterable[bytes]) -> int:
    """All of it to standard output, past any text layer; gives the number of bytes."""
    sys.stdout.flush()
    try:
        number = sys.stdout.fileno()
    except (AttributeError, OSError):  # a stream in memory
        return sum(sys.stdout.buffer.write(piece) for piece in pieces)
    return _send(number, pieces)


def _send(number: int, pieces: Iterable[bytes]) -> int:
    """Writes to an open file until all is written, however little it takes at a time; gives the number of bytes."""
    size = 0
    for piece in pieces:
        left = memoryview(piece)
        while left:
            try:
                taken = os.write(number, left)
            except BlockingIOError:  # somebody has made it one that does not wait
                select.select([], [number], [])
                continue
            size, left = size + taken, left[taken:]
    return size


def _write_file(path: str, pieces: Iterable[bytes]) -> int:
    target = followed(Path(path))
    there = status(target)
    if there and not stat.S_ISREG(there.st_mode):
        with target.open("wb") as device:
            return _send(device.fileno(), pieces)
    if there and not os.access(target.parent, os.W_OK | os.X_OK):
        return _overwrite(path, target, pieces)
    with parents_made(target):
        return _replace(path, target, pieces, stat.S_IMODE(there.st_mode) if there else 0o666 & ~_umask())


def _replace(path: str, target: Path, pieces: Iterable[bytes], mode: int) -> int:
    import tempfile  # late, as it brings the modules of chance and digests along

    remove_leftovers(target.parent)
    handle, name = tempfile.mkstemp(prefix=TEMPORARY, suffix=target.suffix, dir=target.parent)
    with removed_on_failure(name):
        with os.fdopen(handle, "wb") as file:
            size = _send(file.fileno(), pieces)
        with suppress(OSError):  # a file system may know no permissions
            os.chmod(name, mode)
        try:
            os.replace(name, target)
        except OSError as error:
            if error.errno not in FIXED or status(target) is None:
                raise
            with Path(name).open("rb") as whole:
                _overwrite(path, target, iter(partial(whole.read, PIECE), b""))
            os.unlink(name)
    return size


def _overwrite(path: str, target: Path, pieces: Iterable[bytes]) -> int:
    """The file with other bytes in it, where it cannot be replaced."""
    with target.open("r+b") as file:
        size = _send(file.fileno(), pieces)
        file.truncate()
    notice(f"{path} can be written and not replaced here, so it was overwritten bit by bit, not at once")
    return size


@contextmanager
def parents_made(target: Path) -> Iterator[None]:
    """The folders above are there while inside; those made for it go again if what is inside fails."""
    missing = [folder for folder in target.absolute().parents if not status(folder)]
    try:
        target.parent.mkdir(parents=True, exist_ok=True)
        yield
    except BaseException:
        for folder in missing:
            with suppress(OSError):  # not made, or somebody else's file is in it
                folder.rmdir()
        raise


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
