"""Where the text of a batch file comes from: a file, or a stream that somebody writes."""

from __future__ import annotations

import re
import stat
import sys
from contextlib import AbstractContextManager, nullcontext
from pathlib import Path
from typing import IO

from pecli.core.errors import UsageError
from pecli.core.values import visible

STDIN = ("-", "/dev/stdin", "/dev/fd/0", "/proc/self/fd/0")
OPEN_FILE = re.compile(r"/dev/fd/\d+|/proc/self/fd/\d+")  # what a shell makes of <(…)
LARGEST = 10 * 2**20  # bytes of a batch file


def is_stream(path: str) -> bool:
    """Whether the text comes from no file, so that names in it are seen from the current folder."""
    return path in STDIN or OPEN_FILE.fullmatch(path) is not None


def read_text(path: str) -> str:
    """The text of a batch file; raises UsageError for what cannot be one, and reads no more of it than one can have."""
    try:
        with _opened(path) as file:
            data = file.read(LARGEST + 1)
    except UsageError:
        raise
    except FileNotFoundError:
        raise UsageError(f"{visible(path)} does not exist; pecli batch --init writes one to start from") from None
    except (OSError, ValueError) as error:  # the latter for a NUL
        raise UsageError(f"{visible(path)} could not be read: {getattr(error, 'strerror', error)}") from None
    if len(data) > LARGEST:
        raise UsageError(f"{path} is larger than {LARGEST >> 20} MiB: not a batch file")
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise UsageError(f"{path} is not UTF-8 text: {error.reason} at byte {error.start}") from None


def _opened(path: str) -> AbstractContextManager[IO[bytes]]:
    if path in STDIN:
        if sys.stdin is None:
            raise UsageError("standard input is closed: there is no batch file to read")
        return nullcontext(sys.stdin.buffer)
    mode = Path(path).stat().st_mode
    if stat.S_ISDIR(mode):
        raise UsageError(f"{visible(path)} could not be read: it is a folder, name the batch file in it")
    if not is_stream(path) and not stat.S_ISREG(mode):  # a device may never end, a FIFO never begin
        raise UsageError(f"{path} is no file: give what it says as standard input, pecli batch - < {path}")
    return Path(path).open("rb")
