"""Memory needed against memory free, compared before anything is allocated."""

from __future__ import annotations

import math
import re
import shutil
from pathlib import Path

from pecli.core.errors import UsageError

COPIES = 3  # arrays of the largest size that live at once: the result and what it is made from
LITTLE = 1 << 20  # bytes that are had without asking
PIXEL = 40  # bytes that a pixel takes while it is drawn and packed, measured
PROC = Path("/proc")
GROUPS = Path("/sys/fs/cgroup")  # Linux's control groups


def available() -> int | None:
    """Return the bytes that can be had now, by Linux and the limits of its control groups; None elsewhere."""
    free = [1024 * int(size) for size in re.findall(r"^MemAvailable: *(\d+)", _text(PROC / "meminfo"), re.M)]
    group = re.search("^0::/(.*)$", _text(PROC / "self/cgroup"), re.M)
    own = GROUPS / (group[1] if group else "")
    for folder in (own, *own.parents):  # the limit of every one holds
        limit, used = _text(folder / "memory.max").strip(), _text(folder / "memory.current")
        if folder.is_relative_to(GROUPS) and limit.isdigit() and used:
            files = re.search(r"^inactive_file (\d+)$", _text(folder / "memory.stat"), re.M)  # given up when asked for
            free.append(int(limit) - int(used) + int(files[1] if files else 0))
    return min(free, default=None)


def _text(path: Path) -> str:
    try:
        return path.read_text(encoding="utf-8", errors="surrogateescape")
    except OSError:
        return ""


def check_memory(what: str, shape: tuple[int, ...], advice: str, copies: int = COPIES) -> None:
    """Refuse an array of float64 of which memory does not hold so many copies (UsageError)."""
    size = " × ".join(f"{side:,}" for side in shape)
    check_bytes(f"{what}: {size} numbers take", 8 * math.prod(shape), advice, copies)


def check_bytes(what: str, needed: int, advice: str, copies: int = 1) -> None:
    """Refuse so many bytes, so many times, where memory does not hold them (UsageError).

    what : takes them, with its verb
    """
    free = available() if copies * needed > LITTLE else None
    if free is not None and copies * needed > free:
        times = f", {copies} times while they are made," if copies > 1 else ""
        raise UsageError(f"{what} {human(needed)}{times} and {human(free)} are free: {advice}")


def check_disk(what: str, shape: tuple[int, ...], path: str, advice: str) -> None:
    """Refuse to write so many numbers, a byte or more each, to a disk that does not hold them (UsageError)."""
    needed, folder = math.prod(shape), Path(path).absolute().parent
    if needed > LITTLE:
        free = shutil.disk_usage(next(own for own in (folder, *folder.parents) if own.is_dir())).free
        if needed > free:
            size = " × ".join(f"{side:,}" for side in shape)
            taken = f"{human(needed)} or more and {human(free)} are free on disk"
            raise UsageError(f"{what}: {size} numbers take {taken}: {advice}")


def human(n_bytes: float) -> str:
    """Return a number of bytes as people say it: 7.3 TiB."""
    units = ["KiB", "MiB", "GiB", "TiB", "PiB", "EiB"]
    if n_bytes < 1024:
        return f"{n_bytes:.0f} B"
    power = min(int(math.log2(n_bytes)) // 10, len(units))
    return f"{n_bytes / 1024**power:.1f} {units[power - 1]}"
