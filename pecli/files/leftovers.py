"""Temporary files: how they are called, and how those of a run that was killed go."""

from __future__ import annotations

import os
import re
import stat
import time
from contextlib import suppress
from functools import cache
from pathlib import Path

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
