"""Memory needed against memory there."""

from __future__ import annotations

import os
import tracemalloc
from math import prod
from pathlib import Path
from typing import Any

import pytest

from pecli.core import memory
from pecli.core.errors import UsageError
from pecli.jobs.job import Job
from pecli.jobs.job_options import ANALYSES


def test_something_is_free() -> None:
    free = memory.available()
    assert free is None or free > 0


@pytest.fixture
def system(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with what Linux would show in /proc and /sys/fs/cgroup; nothing yet."""
    monkeypatch.setattr(memory, "PROC", tmp_path / "proc")
    monkeypatch.setattr(memory, "GROUPS", tmp_path / "groups")
    (tmp_path / "proc/self").mkdir(parents=True)
    return tmp_path


def limit(folder: Path, most: str, used: int) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "memory.max").write_text(f"{most}\n")
    (folder / "memory.current").write_text(f"{used}\n")
    (folder / "memory.stat").write_text("anon 5\ninactive_file 7\nactive_file 2\n")


def test_linux_says_how_much_is_free(system: Path) -> None:
    (system / "proc/meminfo").write_text("MemTotal:  9000 kB\nMemFree:  10 kB\nMemAvailable:   5000 kB\n")
    assert memory.available() == 5000 * 1024
    limit(system / "groups", "700", 300)
    assert memory.available() == 400 + 7  # what is only kept of files that were read can be had


@pytest.mark.parametrize(("root", "slice_", "own", "free"), [(90, 80, 70, 70), (60, 80, 70, 60), (90, 50, 70, 50)])
def test_every_control_group_above_the_process_limits_it(
    system: Path, root: int, slice_: int, own: int, free: int
) -> None:
    (system / "proc/self/cgroup").write_text("3:cpu:/other\n0::/user.slice/run-7.scope\n")
    for folder, most in (("", root), ("user.slice", slice_), ("user.slice/run-7.scope", own), ("other", 1)):
        limit(system / "groups" / folder, str(most + 1000), 1000)
    assert memory.available() == free + 7


def test_a_control_group_without_a_limit_or_out_of_sight_limits_nothing(system: Path) -> None:
    (system / "proc/meminfo").write_text("MemAvailable:   5000 kB\n")
    (system / "proc/self/cgroup").write_text("0::/../a/b\n")
    limit(system / "groups/a", "max", 10)
    limit(system, "20", 10)  # above the root of the groups
    assert memory.available() == 5000 * 1024


def test_pixels_need_memory_as_well(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(memory, "available", lambda: 40 * 10**6)
    memory.check_pixels(1000, 1000, "")
    with pytest.raises(UsageError, match=r"1,000 × 1,001 pixels takes 38\.2 MiB and 38\.1 MiB are free: lower it"):
        memory.check_pixels(1000, 1001, "lower it")
    job = {"length": 5, "d": 4, "output": ["a.png"]}
    with pytest.raises(UsageError, match="dpi"):
        Job.make("heatmap", {**job, "size": "10x10", "dpi": 200})
    Job.make("heatmap", {**job, "size": "10x10", "dpi": 100})
    Job.make("heatmap", {**job, "size": "10x10", "dpi": 200, "output": ["a.svg"]})


def slope(name: str, options: dict[str, Any], lengths: tuple[int, int], whole: bool) -> float:
    """Bytes that computing takes more at the greater length for a byte more of the array said to be the largest."""
    peaks, sizes = [], []
    for length in lengths:
        job = Job.make(name, {**options, "length": length})
        view = job.view if whole else job.seen_view
        tracemalloc.start()
        job.figure.compute(view)
        peaks.append(tracemalloc.get_traced_memory()[1])
        tracemalloc.stop()
        sizes.append(8 * prod(job.figure.shape(view)))
    return (peaks[1] - peaks[0]) / (sizes[1] - sizes[0])


MEASURED = [
    ("curves", {"d": 2}, (25_000, 50_000)),
    ("waves", {"d": 4}, (100_000, 200_000)),
    ("heatmap", {"encoding": "binary"}, (25_000, 50_000)),
    ("spectrum", {"encoding": "learned", "d": 64}, (5_000, 10_000)),
    ("spectrum", {"encoding": "binary", "d": 17}, (30_000, 60_000)),
    ("rotation", {"d": 8}, (50_000, 100_000)),
    ("distance", {"d": 4}, (500, 1000)),
    ("table", {"d": 16}, (100_000, 200_000)),
]


@pytest.mark.parametrize(("name", "options", "lengths"), MEASURED, ids=lambda value: str(value))
def test_no_figure_takes_more_memory_than_is_asked_for_beforehand(
    name: str, options: dict[str, Any], lengths: tuple[int, int]
) -> None:
    assert slope(name, options, lengths, True) <= ANALYSES[name].copies


@pytest.mark.parametrize(("has", "free"), [(True, 4096 * 100), (False, None)])
def test_another_system_says_how_much_there_is_or_nothing(
    has: bool, free: int | None, system: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delattr(os, "sysconf", raising=False)
    if has:
        monkeypatch.setattr(os, "sysconf", {"SC_PAGE_SIZE": 4096, "SC_PHYS_PAGES": 100}.__getitem__, raising=False)
    assert memory.available() == free
    memory.check_memory("heatmap", (1000,), "")


def test_what_does_not_fit_is_refused_with_both_numbers_and_advice(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(memory, "available", lambda: 2**30)
    memory.check_memory("heatmap", (1000, 1000), "")
    with pytest.raises(UsageError) as caught:
        memory.check_memory("distance", (10**6, 10**6), "shorten --length")
    assert "distance: 1,000,000 × 1,000,000" in str(caught.value)
    assert "7.3 TiB, 3 times" in str(caught.value) and "1.0 GiB" in str(caught.value)
    assert str(caught.value).endswith("shorten length")


def test_there_must_be_room_for_what_the_result_is_made_from(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(memory, "available", lambda: 8 * 1000 * 2)
    with pytest.raises(UsageError):
        memory.check_memory("heatmap", (1000,), "")


def test_what_fits_to_the_last_byte_is_made(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(memory, "available", lambda: 8 * 1000 * memory.COPIES)
    memory.check_memory("heatmap", (10, 100), "")
    with pytest.raises(UsageError):
        memory.check_memory("heatmap", (7, 11, 13), "")  # 1001 numbers


def test_a_system_that_does_not_say_is_trusted(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(memory, "available", lambda: None)
    memory.check_memory("distance", (10**9, 10**9), "")


@pytest.mark.parametrize(
    ("size", "text"),
    [(0, "0 B"), (1023, "1023 B"), (1024, "1.0 KiB"), (8 * 10**12, "7.3 TiB"), (2**70, "1024.0 EiB")],
)
def test_sizes_are_said_as_people_say_them(size: int, text: str) -> None:
    assert memory.human(size) == text
