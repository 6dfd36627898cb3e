"""The only writer of files: where an output goes, and whole or not at all."""

from __future__ import annotations

import errno
import os
import re
import select
import stat
import sys
import time
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from functools import cache, partial
from pathlib import Path

from pecli.core.errors import OutputError, PecliError, UsageError, mention, notice

TEMPORARY = ".pecli-"  # how the names of our temporary files begin
NAME = re.compile(re.escape(TEMPORARY) + r"[a-z0-9_]{8}(\.\w+)?")
OLD = 3600.0  # seconds since anything was written to one: nobody is at it any more


@cache
def remove_leftovers(folder: Path) -> None:
    """Removes what killed runs have left in a folder, once for each folder."""
    with suppress(OSError), os.scandir(folder) as entries:
        for entry in entries:
            if NAME.fullmatch(entry.name) and _abandoned(entry):
                with suppress(OSError):  # another run was faster
                    os.unlink(entry.path)


def _abandoned(entry: os.DirEntry[str]) -> bool:
    found = entry.stat(follow_symlinks=False)
    return stat.S_ISREG(found.st_mode) and time.time() - found.st_mtime > OLD


STDOUT = "-"
LINKS = 40  # that the system follows
OPEN_FILES = re.compile(rf"/dev/fd|/proc/{os.getpid()}(/task/\d+)?/fd")  # folders whose files are those that are open


def place(path: str) -> str:
    """One spelling of a path, to see whether two are the same file: links to files and to folders are followed."""
    number = descriptor(path)
    if path == STDOUT or number == 1:
        return STDOUT
    return os.path.realpath(path) if number is None else f"{STDOUT}{number}"


def is_stdout(path: str) -> bool:
    """Whether a path is standard output, by whatever name."""
    return place(path) == STDOUT


def descriptor(path: str) -> int | None:
    """The number of the open file that a path means (/dev/stdout, /dev/fd/3, what a shell's ``>(…)`` gives), or None.

    Such a name is a link to the file's own name, so that to follow it would replace the file instead of going on in it.
    """
    for _ in range(LINKS):
        folder, name = os.path.split(os.path.abspath(path))
        if name.isdigit() and OPEN_FILES.fullmatch(os.path.realpath(folder)):
            return int(name)
        if not os.path.islink(path):
            return None
        path = os.path.join(folder, os.readlink(path))
    return None


def status(path: Path) -> os.stat_result | None:
    """What the system says of what stands there; None for nothing. Raises OSError for a path that cannot be.

    Path.exists and Path.is_dir swallow that error in some versions of Python and raise it in others.
    """
    try:
        return path.stat()
    except (FileNotFoundError, NotADirectoryError):
        return None


def followed(target: Path) -> Path:
    """Where symlinks lead, also where nothing is there yet, and ``..``; raises OSError for a loop of links."""
    if not os.path.islink(target) and ".." not in target.parts:
        return target
    status(target)
    return Path(os.path.realpath(target))


def check_target(
    path: str, clobber: bool, *, text: bool = False, option: str = "output", example: str = "figure.png"
) -> None:
    """Refuses a place that cannot be written, before any work is done for it.

    Parameters
    ----------
    path : a file, or standard output
    clobber : whether a file that is there may be replaced
    text : whether what is written may be seen in a terminal
    option : what names it
    example : a file of its kind

    Raises
    ------
    UsageError : no file can be there, or one is there and must stay
    OutputError : the system does not let it be written
    """
    number = descriptor(path)
    if is_stdout(path):
        _check_stdout(path, text)
    elif number is not None:
        _check_descriptor(path, number, text)
    else:
        try:
            _check_file(path, followed(Path(path)), clobber, option, example)
        except PecliError:
            raise
        except (OSError, ValueError) as error:  # the latter for a NUL
            said = f"{mention(option, path[:60])} cannot be made: {getattr(error, 'strerror', error)}"
            raise UsageError(said, option=option, value=path) from None


def _check_stdout(path: str, text: bool) -> None:
    if sys.stdout is None:
        raise OutputError("standard output is closed: give -o FILE")
    if sys.stdout.isatty() and not text:
        raise UsageError(
            f"-o {path} would write bytes onto the terminal: redirect it (> figure.png), give -o FILE or --format svg"
        )


def _check_descriptor(path: str, number: int, text: bool) -> None:
    try:
        os.fstat(number)
    except OSError as error:
        raise OutputError(f"{mention('output', path)} cannot be written: {error.strerror}") from None
    if os.isatty(number) and not text:
        raise UsageError(f"-o {path} would write bytes onto the terminal: give -o FILE")


def _check_file(path: str, target: Path, clobber: bool, option: str, example: str) -> None:
    there = status(target)
    said = mention(option, path)
    if (there and stat.S_ISDIR(there.st_mode)) or path.endswith(os.sep):
        raise no_file(path, example, option)
    if there and not clobber:
        text = f"{said} already exists and {mention('no_clobber')} keeps it: choose another name"
        raise UsageError(text, option=option, value=path)
    if there is None and (wall := _wall(target)):
        raise UsageError(f"{said} cannot be made: {wall} is not a folder", option=option, value=path)
    reason = _obstacle(target) if there is None else _lock(target, there)
    if reason:
        raise OutputError(f"{said} cannot be written: {reason}", option=option)


def no_file(path: str, example: str, option: str = "output") -> UsageError:
    """What to say of a folder where the option names a file."""
    advice = f"name a file in it, such as {Path(path) / example}"
    return UsageError(f"{mention(option, path)} is a folder", option=option, value=path, advice=advice)


def _wall(target: Path) -> Path | None:
    """What stands where a folder above should be, if anything."""
    parent = next(folder for folder in target.absolute().parents if status(folder))
    return None if os.path.isdir(parent) else parent


def _obstacle(target: Path) -> str | None:
    """Why no file of that name can be made, or None; raises OSError for a name that no folder takes."""
    parent = next(folder for folder in target.absolute().parents if status(folder))
    for part in target.absolute().relative_to(parent).parts:
        status(parent / part)  # of folders still to be made the system says nothing: here it does, of each name
    if os.access(parent, os.W_OK | os.X_OK):
        return None
    return "the file system is read-only" if _read_only(parent) else "no permission"


def _read_only(folder: Path) -> bool:
    return hasattr(os, "statvfs") and bool(os.statvfs(folder).f_flag & os.ST_RDONLY)


def _lock(target: Path, there: os.stat_result) -> str | None:
    """Why what is there cannot be written, or None. A regular file is opened for it: the system knows best."""
    if not stat.S_ISREG(there.st_mode):
        return None if os.access(target, os.W_OK) else "no permission"
    try:
        os.close(os.open(target, os.O_WRONLY))
    except OSError as error:
        return "no permission" if error.errno == errno.EACCES else str(error.strerror)
    return None


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
