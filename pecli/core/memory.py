"""Checks that there is enough free memory, made before anything is allocated."""

from __future__ import annotations

import math
import re
import shutil
import time
from collections.abc import Callable
from functools import lru_cache
from pathlib import Path

from pecli.core.errors import UsageError

COPIES = 3  # arrays of the largest size that exist at once: the result and its inputs
UNCHECKED = 1 << 20  # bytes below which nothing is checked
PIXEL = 40  # bytes per pixel while a picture is drawn and encoded, measured
PROC = Path("/proc")
GROUPS = Path("/sys/fs/cgroup")  # Linux's control groups


def available() -> int | None:
    """Return the available bytes according to Linux and its control groups; None on other systems."""
    free = [1024 * int(size) for size in re.findall(r"^MemAvailable: *(\d+)", _text(PROC / "meminfo"), re.M)]
    group = re.search("^0::/(.*)$", _text(PROC / "self/cgroup"), re.M)
    own = GROUPS / (group[1] if group else "")
    for folder in (own, *own.parents):  # every parent's limit applies
        limit, used = _text(folder / "memory.max").strip(), _text(folder / "memory.current")
        if folder.is_relative_to(GROUPS) and limit.isdigit() and used:
            files = re.search(r"^inactive_file (\d+)$", _text(folder / "memory.stat"), re.M)  # reclaimable
            free.append(int(limit) - int(used) + int(files[1] if files else 0))
    return min(free, default=None)


def _text(path: Path) -> str:
    try:
        return path.read_text(encoding="utf-8", errors="surrogateescape")
    except OSError:
        return ""


def check_memory(what: str, shape: tuple[int, ...], advice: str, copies: int = COPIES) -> None:
    """Raise UsageError if memory cannot hold `copies` float64 arrays of this shape.

    what : name of the array, which begins the message
    advice : what to try, which ends the message
    """
    size = " × ".join(f"{side:,}" for side in shape)
    check_bytes(f"{what}: {size} numbers take", 8 * math.prod(shape), advice, copies)


def check_bytes(what: str, needed: int, advice: str, copies: int = 1) -> None:
    """Raise UsageError if memory cannot hold `needed` bytes `copies` times.

    what : start of the message, including its verb: "the picture takes"
    advice : what to try, which ends the message
    """
    free = _once_a_second(available, int(time.monotonic())) if copies * needed > UNCHECKED else None
    if free is not None and copies * needed > free:
        times = f", {copies} times over," if copies > 1 else ""
        raise UsageError(f"{what} {format_bytes(needed)}{times} but {format_bytes(free)} is free: {advice}")


@lru_cache(maxsize=1)
def _once_a_second(look: Callable[[], int | None], second: int) -> int | None:
    """Return the result of `look`, called at most once a second, because a batch checks thousands of pictures."""
    return look()


def check_disk(what: str, shape: tuple[int, ...], path: str, advice: str) -> None:
    """Raise UsageError if the disk cannot hold an array of this shape at one byte per number, the minimum.

    what : name of the array, which begins the message
    path : file to be written
    advice : what to try, which ends the message
    """
    needed, folder = math.prod(shape), Path(path).absolute().parent
    if needed > UNCHECKED:
        own = next((own for own in (folder, *folder.parents) if own.is_dir()), None)  # None: Windows has no such drive
        if own is not None and needed > (free := shutil.disk_usage(own).free):
            size = " × ".join(f"{side:,}" for side in shape)
            taken = f"at least {format_bytes(needed)} but {format_bytes(free)} is free on disk"
            raise UsageError(f"{what}: {size} numbers take {taken}: {advice}")


def format_bytes(n_bytes: float) -> str:
    """Return a number of bytes with a unit: 7.3 TiB."""
    units = ["KiB", "MiB", "GiB", "TiB", "PiB", "EiB"]
    if n_bytes < 1024:
        return f"{n_bytes:.0f} B"
    power = min(int(math.log2(n_bytes)) // 10, len(units))
    return f"{n_bytes / 1024**power:.1f} {units[power - 1]}"
