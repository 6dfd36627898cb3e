"""Memory needed against memory there, asked before anything is allocated."""

from __future__ import annotations

import os
from collections.abc import Callable
from functools import cache
from math import prod
from pathlib import Path

from pecli.core.errors import UsageError

COPIES = 3  # arrays of the largest size that live at once: the result and what it is made from


def available() -> int | None:
    """Bytes that can be had now, or None where the system does not say."""
    free = [_meminfo(), _cgroup("memory.max", "memory.current")]
    known = [value for value in free if value is not None]
    if known:
        return min(known)
    try:
        return os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    except (AttributeError, ValueError, OSError):
        return None


def _meminfo() -> int | None:
    try:
        lines = Path("/proc/meminfo").read_text(encoding="ascii").splitlines()
    except OSError:
        return None
    return next((int(line.split()[1]) * 1024 for line in lines if line.startswith("MemAvailable:")), None)


def _cgroup(limit: str, used: str) -> int | None:
    folder = Path("/sys/fs/cgroup")
    try:
        return int((folder / limit).read_text()) - int((folder / used).read_text())
    except (OSError, ValueError):  # no such group, or "max"
        return None


Memory = Callable[[], int | None]


def memory_once() -> Memory:
    """What `available` says, asked when it is first needed and then kept: for a plan of many pictures."""
    return cache(lambda: available())  # looked up late, so that a test can put another in its place


def check_memory(what: str, shape: tuple[int, ...], advice: str, memory: Memory | None = None) -> None:
    """Refuses an array of float64 of this shape where memory does not hold it."""
    needed, free = 8 * prod(shape), (memory or available)()
    if free is not None and COPIES * needed > free:
        size = " × ".join(f"{side:,}" for side in shape)
        raise UsageError(f"{what}: {size} numbers take {human(needed)} and {human(free)} are free: {advice}")


def human(n_bytes: float) -> str:
    """A number of bytes as people say it: 7.3 TiB."""
    for unit in ("B", "KiB", "MiB", "GiB", "TiB", "PiB"):
        if n_bytes < 1024:
            return f"{n_bytes:.0f} {unit}" if unit == "B" else f"{n_bytes:.1f} {unit}"
        n_bytes /= 1024
    return f"{n_bytes:.1f} EiB"
