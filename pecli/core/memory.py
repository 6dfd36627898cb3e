"""Memory needed against memory there, asked before anything is allocated."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from functools import cache
from math import prod
from pathlib import Path

from pecli.core.errors import UsageError

COPIES = 3  # arrays of the largest size that live at once: the result and what it is made from
PIXEL = 40  # bytes that a pixel takes while it is drawn and packed, measured
PROC = Path("/proc")
GROUPS = Path("/sys/fs/cgroup")  # where Linux shows its control groups


def available() -> int | None:
    """Bytes that can be had now, or None where the system does not say."""
    known = [value for value in (_meminfo(), *map(_group, _groups())) if value is not None]
    if known:
        return min(known)
    try:
        return os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    except (AttributeError, ValueError, OSError):
        return None


def _meminfo() -> int | None:
    return next((1024 * int(size.split()[0]) for name, size in _lines("meminfo") if name == "MemAvailable"), None)


def _groups() -> list[Path]:
    """The folder of the control group that this process is in, and of each above it: the limit of every one holds."""
    own = next((rest.partition(":")[2] for number, rest in _lines("self/cgroup") if number == "0"), "")
    folder = Path(os.path.normpath(GROUPS / own.lstrip("/")))
    return [GROUPS, *(one for one in (folder, *folder.parents) if GROUPS in one.parents)]


def _lines(file: str) -> Iterator[tuple[str, str]]:
    """What stands before and behind the first colon of every line of a file of the system's; none where it is not."""
    try:
        lines = (PROC / file).read_text(encoding="utf-8", errors="surrogateescape").splitlines()
    except OSError:
        return
    yield from ((name, rest) for name, _, rest in (line.partition(":") for line in lines))


def _group(folder: Path) -> int | None:
    """What a group's limit leaves; files that were read count as used there and are given up when asked for."""
    try:
        most, used, stat = ((folder / f"memory.{name}").read_text("ascii") for name in ("max", "current", "stat"))
        kept = dict(line.split() for line in stat.splitlines()).get("inactive_file", 0)
        return int(most) - int(used) + int(kept)
    except (OSError, ValueError):  # no such group, or "max"
        return None


Memory = Callable[[], int | None]


def memory_once() -> Memory:
    """What `available` says, asked when it is first needed and then kept: for a plan of many pictures."""
    return cache(lambda: available())  # looked up late, so that a test can put another in its place


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
