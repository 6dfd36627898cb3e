"""Tests of the comparison of needed with available memory."""

from __future__ import annotations

import tracemalloc
from math import prod
from pathlib import Path
from typing import Any

import pytest

from pecli.core import memory
from pecli.core.errors import UsageError
from pecli.jobs.job_options import ANALYSES
from pecli.jobs.sweep import make_job


def test_linux_and_every_control_group_say_how_much_is_free(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def limit(folder: Path, most: str, used: int) -> None:
        folder.mkdir(parents=True, exist_ok=True)
        for name, text in {"max": most, "current": used, "stat": "anon 5\ninactive_file 7\nactive_file 2"}.items():
            (folder / f"memory.{name}").write_text(f"{text}\n")

    assert (memory.available() or 1) > 0
    monkeypatch.setattr(memory, "PROC", tmp_path / "proc")
    monkeypatch.setattr(memory, "GROUPS", groups := tmp_path / "groups")
    assert memory.available() is None
    (tmp_path / "proc/self").mkdir(parents=True)
    (tmp_path / "proc/meminfo").write_text("MemTotal:  9000 kB\nMemFree:  10 kB\nMemAvailable:   5000 kB\n")
    (tmp_path / "proc/self/cgroup").write_text("3:cpu:/other\n0::/user.slice/run-7.scope\n")
    limit(groups / "user.slice/run-7.scope", "max", 10)
    limit(tmp_path, "20", 10)  # above the root of the groups
    assert memory.available() == 5000 * 1024
    limit(groups / "user.slice", "700", 300)
    assert memory.available() == 400 + 7  # what is only kept of files that were read can be had
    limit(groups, "350", 300)
    assert memory.available() == 50 + 7


def test_a_system_that_does_not_say_how_much_is_free_is_trusted(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(memory, "available", lambda: None)
    memory.check_memory("distance", (10**9, 10**9), "")


def slope(name: str, options: dict[str, Any], lengths: tuple[int, int], whole: bool) -> float:
    """Return bytes that computing takes more at the greater length for a byte more of the array said to be the
    largest.
    """
    peaks, sizes = [], []
    for length in lengths:
        job = make_job(name, {**options, "length": length})
        view = job.view if whole else job.display_view
        tracemalloc.start()
        job.analysis.compute(view)
        peaks.append(tracemalloc.get_traced_memory()[1])
        tracemalloc.stop()
        sizes.append(8 * prod(job.analysis.shape(view)))
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


@pytest.mark.some(8)
@pytest.mark.parametrize(("name", "options", "lengths"), MEASURED, ids=lambda value: str(value))
def test_no_figure_takes_more_memory_than_is_asked_for_beforehand(
    name: str, options: dict[str, Any], lengths: tuple[int, int]
) -> None:
    assert slope(name, options, lengths, True) <= ANALYSES[name].copies


def test_what_does_not_fit_is_refused_with_both_numbers_and_advice(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(memory, "available", lambda: 2**30)
    memory.check_memory("heatmap", (2**27 // memory.COPIES,), "")
    with pytest.raises(UsageError):
        memory.check_memory("heatmap", (2**27 // memory.COPIES + 1,), "")
    with pytest.raises(UsageError) as caught:
        memory.check_memory("distance", (10**6, 10**6), "shorten --length")
    assert "distance: 1,000,000 × 1,000,000" in str(caught.value)
    assert "7.3 TiB, 3 times" in str(caught.value) and "1.0 GiB" in str(caught.value)
    assert str(caught.value).endswith("shorten length")


def test_sizes_are_said_as_people_say_them() -> None:
    text = {0: "0 B", 1023: "1023 B", 1024: "1.0 KiB", 8 * 10**12: "7.3 TiB", 2**70: "1024.0 EiB"}
    assert {size: memory.format_bytes(size) for size in text} == text
