"""Tests that gallery.toml makes all files of the gallery and no others, and that the files are up to date."""

from __future__ import annotations

import functools
import io
import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from PIL import Image

from pecli.encodings.registry import ENCODINGS
from pecli.figures import FIGURES
from pecli.figures.compare import Compare
from pecli.files.metadata import read_metadata
from pecli.jobs.batch import Batch, Entry, read_batch
from pecli.jobs.index import page
from pecli.jobs.job import Job, versions
from pecli.jobs.picture import Picture
from pecli.jobs.sweep import make_job

ROOT = Path(__file__).parents[1]
GALLERY = ROOT / "gallery"
READ = ("README.zh", "articles", "benchmarks", "changes", "commands", "commands.zh", "plugins", "reference", "use")
PAGES = {f"{name}.md" for name in READ}
LARGEST = 7_500_000  # bytes
FEW = ("waves.png", "dials-clock.png", "distance-binary-hamming.png", "terms.png")  # numbers drawn anew
FEWER = ("dials-clock.png", "heatmap-binary.png")  # pixels too, on the same versions


@pytest.fixture
def plan(monkeypatch: pytest.MonkeyPatch) -> Batch:
    """Return the list, read from the folder in which the gallery is made."""
    monkeypatch.chdir(ROOT)
    return the_list()


@functools.cache
def the_list() -> Batch:
    return read_batch("gallery/gallery.toml")


def inputs(job: Job) -> set[str]:
    """Return the files that a job reads."""
    settings = [part.settings() for part in (*job.encodings, job.figure)]
    return {Path(setting["file"]).name for setting in settings if setting.get("file")}


def target(job: Job) -> str:
    (path,) = job.paths
    return Path(path).name


def job_of(plan: Batch, name: str) -> Job:
    (job,) = [job for job in plan.jobs if target(job) == name]
    return job


def test_every_entry_has_a_name_of_its_own_and_says_what_to_see(plan: Batch) -> None:
    def wrong(entry: Entry) -> bool:
        return not entry.note.endswith(".") or entry.name.endswith((".png", ".json"))

    assert [entry.name for entry in plan.entries if wrong(entry)] == []
    names = [entry.name for entry in plan.entries]
    assert sorted(set(names)) == sorted(names)


def test_every_file_is_there_and_carries_its_job(plan: Batch) -> None:
    for job in plan.jobs:
        found, wanted = read_metadata(job.paths[0]), json.loads(job.metadata)
        assert found["job"] == wanted["job"], target(job)
        assert found.get("inputs") == wanted.get("inputs"), target(job)


def test_nothing_else_is_there(plan: Batch) -> None:
    made = {target(job) for job in plan.jobs} | set(plan.index)
    read = {name for job in plan.jobs for name in inputs(job)}
    assert {path.name for path in GALLERY.iterdir()} == made | read | PAGES | {"gallery.toml"}


@pytest.mark.parametrize("name", ["README.md", "gallery.html"])
def test_a_page_is_what_the_list_gives_now(name: str, plan: Batch) -> None:
    assert name in plan.index
    assert (GALLERY / name).read_bytes() == page(plan, f"gallery/{name}")


def test_every_figure_every_encoding_and_a_difference_are_shown(plan: Batch) -> None:
    assert {job.figure.name for job in plan.jobs} >= set(FIGURES)
    assert {encoding.name for job in plan.jobs for encoding in job.encodings} >= set(ENCODINGS)
    assert any(isinstance(job.figure, Compare) and job.figure.difference for job in plan.jobs)


def test_it_stays_small() -> None:
    assert sum(path.stat().st_size for path in GALLERY.iterdir()) < LARGEST


def same(first: Any, second: Any) -> bool:
    """Equal up to rounding."""
    if isinstance(first, dict):
        return first.keys() == second.keys() and all(same(first[name], second[name]) for name in first)
    if isinstance(first, list):
        return len(first) == len(second) and all(map(same, first, second))
    if isinstance(first, float) and isinstance(second, (int, float)):
        return bool(first == pytest.approx(second, rel=1e-9, abs=1e-9))
    return bool(first == second)


@pytest.mark.parametrize("name", ["stats.json", "explain.json"])
def test_numbers_in_a_file_are_those_computed_now(name: str, plan: Batch) -> None:
    picture = Picture[Any](job_of(plan, name))
    now, stored = json.loads(picture.render("json")[0]), json.loads((GALLERY / name).read_bytes())
    for part in ("job", "facts", "arrays"):
        assert same(stored.get(part), now.get(part)), part


@pytest.mark.parametrize("name", FEW)
def test_the_job_in_a_file_gives_the_numbers_of_the_list(name: str, plan: Batch) -> None:
    listed = job_of(plan, name)
    carried = dict(read_metadata(str(GALLERY / name))["job"])
    anew = Picture[Any](make_job(carried.pop("command"), carried)).numbers
    drawn = Picture[Any](listed).numbers
    assert anew.arrays().keys() == drawn.arrays().keys()
    for key, array in drawn.arrays().items():
        assert np.array_equal(anew.arrays()[key], array, equal_nan=array.dtype.kind == "f"), key
    assert anew.facts() == drawn.facts()


@pytest.mark.long
@pytest.mark.parametrize("name", FEWER)
def test_pixels_are_the_same_on_the_same_versions(name: str, plan: Batch) -> None:
    stored = read_metadata(str(GALLERY / name))
    if any(stored[library] != version for library, version in versions().items()):
        pytest.skip("drawn by other versions")
    with (
        Image.open(GALLERY / name) as old,
        Image.open(io.BytesIO(Picture(job_of(plan, name)).render("png")[0])) as new,
    ):
        assert old.size == new.size
        pixels = [np.asarray(image.convert("RGB"), dtype=float) for image in (old, new)]
    assert np.sqrt(np.mean((pixels[0] - pixels[1]) ** 2)) < 1  # of 255: another processor may round otherwise
