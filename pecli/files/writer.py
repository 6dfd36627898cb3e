"""The only writer of files: where an output goes, and whole or not at all."""

from __future__ import annotations

import os
import stat
import sys
from collections.abc import Iterable
from contextlib import suppress
from pathlib import Path

from pecli.core.errors import OutputError, PecliError, UsageError, mention

STDOUT = "-"
TEMPORARY = ".pecli-"  # how the names of temporary files begin


def is_stdout(path: str) -> bool:
    """Whether a path is standard output."""
    return path in (STDOUT, "/dev/stdout")


def place(path: str) -> str:
    """One spelling of a path, to see whether two are the same file: links to files and to folders are followed."""
    return STDOUT if is_stdout(path) else os.path.realpath(path)


def status(path: Path) -> os.stat_result | None:
    """What the system says of what stands there; None for nothing. Raises OSError for a path that cannot be.

    Path.exists and Path.is_dir swallow that error in some versions of Python and raise it in others.
    """
    try:
        return path.stat()
    except (FileNotFoundError, NotADirectoryError):
        return None


def followed(target: Path) -> Path:
    """Where symlinks and ``..`` lead, also where nothing is there yet; raises OSError for a loop of links."""
    there = status(target)
    if there and not stat.S_ISREG(there.st_mode):
        return target  # an open file's name, as in /dev/fd/3, is a link to no place
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
    if is_stdout(path):
        if sys.stdout.isatty() and not text:
            advice = "redirect it (> figure.png), give -o FILE or --format svg"
            raise UsageError(f"-o {path} would write bytes onto the terminal: {advice}")
        return
    try:
        _check_file(path, followed(Path(path)), clobber, option, example)
    except PecliError:
        raise
    except (OSError, ValueError) as error:  # the latter for a NUL
        reason = getattr(error, "strerror", error)
        raise UsageError(f"{mention(option, path[:60])} cannot be made: {reason}", option=option, value=path) from None


def _check_file(path: str, target: Path, clobber: bool, option: str, example: str) -> None:
    there, said = status(target), mention(option, path)
    if (there and stat.S_ISDIR(there.st_mode)) or path.endswith(os.sep):
        raise no_file(path, example, option)
    if there and not clobber:
        text = f"{said} already exists and {mention('no_clobber')} keeps it: choose another name"
        raise UsageError(text, option=option, value=path)
    folder = next(parent for parent in target.absolute().parents if status(parent))
    if not os.path.isdir(folder):
        raise UsageError(f"{said} cannot be made: {folder} is not a folder", option=option, value=path)
    regular = there is None or stat.S_ISREG(there.st_mode)
    writable = (not regular or os.access(folder, os.W_OK | os.X_OK)) and (not there or os.access(target, os.W_OK))
    if not writable:
        raise OutputError(f"{said} cannot be written: no permission", option=option)


def no_file(path: str, example: str, option: str = "output") -> UsageError:
    """What to say of a folder where the option names a file."""
    advice = f"name a file in it, such as {Path(path) / example}"
    return UsageError(f"{mention(option, path)} is a folder", option=option, value=path, advice=advice)


def write(path: str, data: bytes | Iterable[bytes]) -> int:
    """Write the bytes there, all at once or piece by piece; return their number.

    An existing file is replaced at once or stays as it is; parents are made. A symlink's target is replaced, not the
    link. What is no regular file (a device, a FIFO, standard output) is written to.

    Raises
    ------
    OutputError : the system would not; the message names the path and the reason
    """
    pieces = [data] if isinstance(data, bytes) else data
    try:
        return write_stdout(pieces) if is_stdout(path) else _write_file(Path(path), pieces)
    except BrokenPipeError:
        raise
    except OSError as error:
        raise OutputError(f"{path} could not be written: {error.strerror or error}") from None


def write_stdout(pieces: Iterable[bytes]) -> int:
    """Write all of it to standard output, past any text layer; return the number of bytes."""
    sys.stdout.flush()
    try:
        number = sys.stdout.fileno()
    except (AttributeError, OSError):  # a stream in memory
        return sum(sys.stdout.buffer.write(piece) for piece in pieces)
    return _send(number, pieces)


def _send(number: int, pieces: Iterable[bytes]) -> int:
    """Write to an open file until all is written, however little it takes at a time; return the number of bytes."""
    size = 0
    for piece in pieces:
        left = memoryview(piece)
        while left:
            taken = os.write(number, left)
            size, left = size + taken, left[taken:]
    return size


def _write_file(path: Path, pieces: Iterable[bytes]) -> int:
    import tempfile  # late, as it brings the modules of chance and digests along

    target = followed(path)
    there = status(target)
    if there and not stat.S_ISREG(there.st_mode):
        with target.open("wb") as device:
            return _send(device.fileno(), pieces)
    target.parent.mkdir(parents=True, exist_ok=True)
    handle, name = tempfile.mkstemp(prefix=TEMPORARY, suffix=target.suffix, dir=target.parent)
    try:
        with os.fdopen(handle, "wb") as file:
            size = _send(file.fileno(), pieces)
        with suppress(OSError):  # a file system may know no permissions
            os.chmod(name, stat.S_IMODE(there.st_mode) if there else 0o666 & ~_umask())
        os.replace(name, target)
    except BaseException:
        with suppress(FileNotFoundError):
            os.unlink(name)
        raise
    return size


def _umask() -> int:
    mask = os.umask(0)
    os.umask(mask)
    return mask


def discard_stdout() -> None:
    """Point standard output at nothing, so that the interpreter's last flush cannot fail after a broken pipe."""
    with suppress(OSError, ValueError, AttributeError):
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
