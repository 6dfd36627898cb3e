"""Memory needed against memory there, asked before anything is allocated."""

from __future__ import annotations

import os
import re
from collections.abc import Callable
from functools import cache
from math import prod
from pathlib import Path

from pecli.core.errors import UsageError

COPIES = 3  # arrays of the largest size that live at once: the result and what it is made from
PIXEL = 40  # bytes that a pixel takes while it is drawn and packed, measured
PROC = Path("/proc")
GROUPS = Path("/sys/fs/cgroup")  # where Linux shows its control groups


def available() -> int | None:
    """Return the bytes that can be had now, as Linux and the control groups say; None where the system does not."""
    lines = _text(PROC / "meminfo").splitlines()
    free = [1024 * int(line.split()[1]) for line in lines if line.startswith("MemAvailable:")]
    own = next((line[3:] for line in _text(PROC / "self/cgroup").splitlines() if line.startswith("0::")), "")
    folder = Path(os.path.normpath(GROUPS / own.lstrip("/")))
    for group in (folder, *folder.parents):  # the limit of every one holds
        most, used = _text(group / "memory.max"), _text(group / "memory.current")
        if group.is_relative_to(GROUPS) and most.strip().isdigit() and used:
            kept = re.search(r"^inactive_file (\d+)$", _text(group / "memory.stat"), re.M)  # given up when asked for
            free.append(int(most) - int(used) + int(kept[1] if kept else 0))
    return min(free, default=None)


def _text(path: Path) -> str:
    """Return the text of a file of the system's; none where it is not."""
    try:
        return path.read_text(encoding="utf-8", errors="surrogateescape")
    except OSError:
        return ""


Memory = Callable[[], int | None]


def memory_once() -> Memory:
    """Return `available`, asked when it is first needed and then kept: for a plan of many pictures."""
    return cache(lambda: available())


def check_memory(
    what: str, shape: tuple[int, ...], advice: str, memory: Memory | None = None, copies: int = COPIES
) -> None:
    """Refuses an array of float64 of this shape where memory does not hold it and what it is made from.

    copies : arrays of its size that live at once
    """
    needed, free = 8 * prod(shape), (memory or available)()
    if free is not None and copies * needed > free:
        size = " × ".join(f"{side:,}" for side in shape)
        times = f", {copies} times while they are made," if copies > 1 else ""
        raise UsageError(f"{what}: {size} numbers take {human(needed)}{times} and {human(free)} are free: {advice}")


def check_pixels(width: int, height: int, advice: str, memory: Memory | None = None) -> None:
    """Refuses a picture of so many pixels where memory does not hold it."""
    check_bytes(f"a picture of {width:,} × {height:,} pixels takes", PIXEL * width * height, advice, memory)


def check_bytes(what: str, needed: int, advice: str, memory: Memory | None = None) -> None:
    """Refuses so many bytes where memory does not hold them.

    what : takes them, with its verb
    """
    free = (memory or available)()
    if free is not None and needed > free:
        raise UsageError(f"{what} {human(needed)} and {human(free)} are free: {advice}")


def human(n_bytes: float) -> str:
    """A number of bytes as people say it: 7.3 TiB."""
    for unit in ("B", "KiB", "MiB", "GiB", "TiB", "PiB"):
        if n_bytes < 1024:
            return f"{n_bytes:.0f} {unit}" if unit == "B" else f"{n_bytes:.1f} {unit}"
        n_bytes /= 1024
    return f"{n_bytes:.1f} EiB"
