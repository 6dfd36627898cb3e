"""Regular files, opened for what may be anybody's: nothing that waits or never ends, no more at once than is said."""

from __future__ import annotations

import io
import stat
from functools import lru_cache
from pathlib import Path

from pecli.core.errors import PecliError, UsageError
from pecli.core.progress import track
from pecli.core.readable import check_readable
from pecli.core.values import visible

MOST = 1 << 20  # bytes of a job in a file, of a header, and of any single piece that is read


class Bounded(io.FileIO):
    """A file that gives no more than `MOST` bytes at once, whatever its own headers ask for."""

    def read(self, size: int | None = -1, /) -> bytes:
        """At most `size` bytes; raises PecliError for too many."""
        asked = MOST + 1 if size is None or size < 0 else size
        data = super().read(min(asked, MOST + 1)) or b""
        if len(data) > MOST:
            raise PecliError(
                f"{visible(str(self.name))} has a part of over {MOST >> 20} MiB where little is due: not read"
            )
        return data


def opened(path: str) -> Bounded:
    """A regular file to read from.

    Raises
    ------
    UsageError : nothing is there, or no regular file: a FIFO or a device might never end; it may not be read
    PecliError : the system does not let it be read
    """
    check_readable(path)
    try:
        regular = stat.S_ISREG(Path(path).stat().st_mode)
        if regular:
            return Bounded(path)
    except (FileNotFoundError, NotADirectoryError):
        raise UsageError(f"{visible(path)} does not exist") from None
    except (OSError, ValueError) as error:  # the latter for a NUL
        kind = PecliError if isinstance(error, PermissionError) else UsageError
        raise kind(f"{visible(path)} could not be read: {getattr(error, 'strerror', error)}") from None
    raise UsageError(f"{path} is not a regular file")


def fingerprint(path: str) -> str:
    """A short name of a file's content; raises as `opened` does."""
    opened(path).close()
    there = Path(path).stat()
    return _digest(path, there.st_ino, there.st_size, there.st_mtime_ns)


@lru_cache(maxsize=64)
def _digest(path: str, _: int, size: int, changed: int) -> str:
    """The digest of the file as it is now, made once for all the pictures of it."""
    import hashlib

    digest = hashlib.sha256()
    with opened(path) as file:
        for _ in track(range(0, size, MOST), "reading"):
            digest.update(file.read(MOST))
    return digest.hexdigest()[:16]
