"""Jobs done one after the other: what is skipped, what is drawn again, what a failure leaves."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from PIL import Image

import pecli
from pecli.core.errors import PecliError
from pecli.jobs import run as run_jobs
from pecli.jobs import workers
from pecli.jobs.job import Job
from pecli.jobs.request import versions
from pecli.jobs.run import FAILED, SKIPPED, WRITTEN, Outcome, _fitting, do, is_done, run
from pecli.jobs.workers import in_turn

CARRIERS = ["png", "svg", "pdf", "npz", "json"]
TITLE = "位置 (a) \\ <b>"


def job(output: Any = "a.json", analysis: str = "heatmap", **options: Any) -> Job:
    return Job.make(analysis, {"d": 4, "length": 5, "dpi": 20, "size": "column", **options, "output": output})


@pytest.fixture(scope="module")
def finished(tmp_path_factory: pytest.TempPathFactory) -> dict[str, bytes]:
    """The same job in a file of every format that carries it."""
    place = tmp_path_factory.mktemp("finished")
    paths = {format: place / f"a.{format}" for format in CARRIERS}
    assert do(job([str(path) for path in paths.values()], title=TITLE)).state == WRITTEN
    return {format: path.read_bytes() for format, path in paths.items()}


def states(jobs: list[Job], **how: Any) -> list[str]:
    return [outcome.state for outcome in run(jobs, **how)]


def test_an_outcome_has_the_job_its_files_and_what_to_know(folder: Path) -> None:
    one = job(["a.json", "new/b.npz"])
    assert list(run([one])) == [Outcome(one, WRITTEN, ("a.json", "new/b.npz"))]
    assert list(run([one])) == [Outcome(one, SKIPPED, ("a.json", "new/b.npz"))]
    assert (folder / "a.json").exists() and (folder / "new/b.npz").exists()


@pytest.mark.parametrize("format", CARRIERS)
def test_a_file_that_carries_the_job_is_not_drawn_again(format: str, finished: dict[str, bytes], folder: Path) -> None:
    one = job(f"a.{format}", title=TITLE)
    assert not is_done(one)
    (folder / f"a.{format}").write_bytes(finished[format])
    before = (folder / f"a.{format}").stat()
    assert is_done(one) and not is_done(job(f"a.{format}"))
    assert states([one]) == [SKIPPED]
    assert (folder / f"a.{format}").stat().st_mtime_ns == before.st_mtime_ns


@pytest.mark.parametrize("format", ["npy", "csv"])
def test_a_file_that_cannot_carry_its_job_is_always_made(format: str, folder: Path) -> None:
    assert states([job(f"a.{format}")]) + states([job(f"a.{format}")]) == [WRITTEN, WRITTEN]
    assert states([job(["a.json", f"a.{format}"])]) + states([job(["a.json", f"a.{format}"])]) == [WRITTEN, WRITTEN]


@pytest.mark.parametrize(
    "change",
    [
        {"base": 10},
        {"d": 6},
        {"length": 6},
        {"start": 1},
        {"dpi": 30},
        {"title": "new"},
        {"encoding": "rope"},
        {"analysis": "distance"},
    ],
    ids=str,
)
def test_another_job_is_drawn_over_it(change: dict[str, Any], folder: Path) -> None:
    assert states([job()]) == [WRITTEN]
    assert not is_done(job(**change))
    assert states([job(**change)]) == [WRITTEN]
    assert is_done(job(**change)) and not is_done(job())


def test_where_a_file_stands_and_how_the_job_was_spelled_does_not_matter(folder: Path) -> None:
    do(job("a.json", encoding="sinusoidal:base=10"))
    (folder / "a.json").rename(folder / "b.json")
    assert is_done(job("b.json", base=10.0, encoding="sinusoidal"))
    assert not is_done(job("a.json", base=10))


def test_time_stamps_do_not_matter(folder: Path) -> None:
    do(job())
    data = (folder / "a.json").read_bytes()
    (folder / "a.json").unlink()
    (folder / "a.json").write_bytes(data)
    assert is_done(job())


@pytest.mark.parametrize("maker", versions())
def test_what_another_version_made_is_drawn_again(maker: str, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    do(job())
    assert is_done(job())
    monkeypatch.setattr("pecli.jobs.request.versions", lambda: {**versions(), maker: "0.0.1"})
    assert not is_done(job())
    assert states([job()]) == [WRITTEN]
    assert is_done(job())


@pytest.mark.parametrize("format", CARRIERS)
def test_every_output_must_be_there(format: str, finished: dict[str, bytes], folder: Path) -> None:
    one = job(["a.json", f"b.{format}"], title=TITLE)
    (folder / "a.json").write_bytes(finished["json"])
    assert not is_done(one)
    (folder / f"b.{format}").write_bytes(finished[format])
    assert is_done(one)
    (folder / f"b.{format}").unlink()
    (folder / f"b.{format}").mkdir()
    assert not is_done(one)


@pytest.mark.parametrize("format", CARRIERS)
@pytest.mark.parametrize("left", [0, 9, 40])
def test_the_beginning_of_a_file_does_not_count(
    format: str, left: int, finished: dict[str, bytes], folder: Path
) -> None:
    (folder / f"a.{format}").write_bytes(finished[format][:left])
    assert not is_done(job(f"a.{format}", title=TITLE))


@pytest.mark.parametrize("format", ["pdf", "npz"])  # of other formats the head alone is read
@pytest.mark.parametrize("share", [0.25, 0.5, 0.9])
def test_part_of_a_file_does_not_count(format: str, share: float, finished: dict[str, bytes], folder: Path) -> None:
    data = finished[format]
    (folder / f"a.{format}").write_bytes(data[: int(share * len(data))])
    assert not is_done(job(f"a.{format}", title=TITLE))


def test_a_damaged_file_is_drawn_again(finished: dict[str, bytes], folder: Path) -> None:
    (folder / "a.json").write_bytes(finished["json"][:100])
    assert states([job(title=TITLE)]) == [WRITTEN]
    assert (folder / "a.json").read_bytes() == finished["json"]


@pytest.mark.parametrize("content", [b"{}", b"[]", b'{"job": 5}', b'{"job": {"command": "heatmap"}}', b"null", b"\xff"])
def test_a_file_of_someone_elses_is_drawn_over(content: bytes, folder: Path) -> None:
    (folder / "a.json").write_bytes(content)
    Image.new("L", (3, 3)).save(folder / "a.png")
    assert not is_done(job("a.json")) and not is_done(job("a.png"))


def test_force_draws_all(folder: Path) -> None:
    jobs = [job("a.json"), job("b.json", base=10)]
    assert states(jobs) == [WRITTEN, WRITTEN]
    assert states(jobs, force=True) == [WRITTEN, WRITTEN]


@pytest.mark.parametrize("analysis", ["heatmap", "distance"])
def test_a_table_with_new_numbers_is_drawn_again(analysis: str, folder: Path) -> None:
    def asked() -> Job:
        return job("a.json", analysis, encoding="learned", file="table.npy", d=3)

    np.save(folder / "table.npy", np.eye(5, 3))
    assert states([asked()]) + states([asked()]) == [WRITTEN, SKIPPED]
    first = (folder / "a.json").read_bytes()
    np.save(folder / "table.npy", np.eye(5, 3)[::-1])
    assert states([asked()]) == [WRITTEN]
    assert (folder / "a.json").read_bytes() != first
    (folder / "table.npy").rename(folder / "other.npy")
    np.save(folder / "table.npy", np.eye(5, 3)[::-1])
    assert states([asked()]) == [SKIPPED]  # what counts is what is in it


def test_what_is_skipped_comes_first_and_the_others_in_order(folder: Path) -> None:
    jobs = [job(f"{base}.json", base=base) for base in (1, 2, 3, 4)]
    do(jobs[2])
    found = [(outcome.state, outcome.paths[0]) for outcome in run(jobs)]
    assert found == [(SKIPPED, "3.json"), (WRITTEN, "1.json"), (WRITTEN, "2.json"), (WRITTEN, "4.json")]


@pytest.fixture
def failing(monkeypatch: pytest.MonkeyPatch) -> None:
    """Makes the writing of b.json fail, as a full disk does."""
    replace = os.replace

    def full(source: str, target: Path) -> None:
        if target.name == "b.json":
            raise OSError(28, "No space left on device")
        replace(source, target)

    monkeypatch.setattr("pecli.files.writer.os.replace", full)


@pytest.mark.usefixtures("failing")
def test_one_failure_leaves_the_others(folder: Path) -> None:
    jobs = [job(f"{name}.json", base=number) for number, name in enumerate("abc", 1)]
    first, second, third = run(jobs)
    assert [first.state, second.state, third.state] == [WRITTEN, FAILED, WRITTEN]
    assert second.paths == ("b.json",)
    assert str(second.failure) == "b.json could not be written: No space left on device"
    assert {path.name for path in folder.iterdir()} == {"a.json", "c.json"}


@pytest.mark.usefixtures("failing")
def test_failing_fast_begins_nothing_more(folder: Path) -> None:
    jobs = [job(f"{name}.json", base=number) for number, name in enumerate("abc", 1)]
    assert states(jobs, fail_fast=True) == [WRITTEN, FAILED]
    assert {path.name for path in folder.iterdir()} == {"a.json"}


def test_what_is_there_stays_where_that_is_asked_for(folder: Path) -> None:
    one = job("a.json", no_clobber=True)
    (folder / "a.json").write_text("mine")
    assert states([one], force=True) == [SKIPPED]
    assert do(one).state == FAILED  # it came while the picture was drawn
    assert (folder / "a.json").read_text() == "mine"


@pytest.mark.parametrize("error", [PecliError("said"), OSError(5, "said"), ValueError("said"), RecursionError("said")])
def test_whatever_one_picture_raises_is_its_failure(error: Exception, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*_: object) -> None:
        raise error

    monkeypatch.setattr("pecli.jobs.picture.Picture.render", fail)
    outcome = do(job())
    assert (outcome.state, outcome.paths) == (FAILED, ("a.json",))
    assert "said" in str(outcome.failure)
    assert (type(error).__name__ in str(outcome.failure)) == (type(error) in (ValueError, RecursionError))


def test_an_interruption_is_no_failure(monkeypatch: pytest.MonkeyPatch) -> None:
    def stop(*_: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr("pecli.jobs.picture.Picture.render", stop)
    with pytest.raises(KeyboardInterrupt):
        list(run([job()]))


def test_a_table_that_has_gone_fails_alone(folder: Path) -> None:
    np.save(folder / "table.npy", np.eye(5, 4))
    jobs = [job("a.json", encoding="learned", file="table.npy"), job("b.json")]
    for one in jobs:
        one.check()
    (folder / "table.npy").write_bytes(b"junk")
    with pytest.raises(PecliError, match=r"table\.npy"):
        Job.make("heatmap", {"encoding": "learned", "file": "table.npy", "length": 5}).check()
    assert (folder / "a.json").exists() is False
    assert states(jobs)[1] == WRITTEN


def test_what_is_written_is_what_the_figure_gives(folder: Path) -> None:
    do(job("a.png"))
    assert (folder / "a.png").read_bytes() == pecli.figure("heatmap", d=4, length=5, dpi=20, size="column").render(
        "png"
    )[0]


def test_there_is_at_least_one_core(monkeypatch: pytest.MonkeyPatch) -> None:
    assert run_jobs.cores() >= 1
    monkeypatch.delattr(os, "sched_getaffinity", raising=False)  # as on Windows and macOS
    for known, cores in ((6, 6), (None, 1)):
        monkeypatch.setattr(os, "cpu_count", lambda known=known: known)
        assert run_jobs.cores() == cores


def test_workers_that_begin_anew_draw_the_same(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """As they do where a process cannot be copied."""
    np.save(folder / "table.npy", np.eye(5, 4))
    tables = {"encoding": "learned", "file": "table.npy", "title": TITLE}
    jobs = [
        job("{encoding}.png", **tables),
        job("{encoding}.pdf", encoding="rope"),
        job("table.json", **tables),
    ]
    assert states(jobs) == [WRITTEN] * 3
    alone = {path.name: path.read_bytes() for path in folder.iterdir()}
    monkeypatch.setattr(workers, "START", "spawn")
    assert states(jobs, workers=2, force=True) == [WRITTEN] * 3
    assert {path.name: path.read_bytes() for path in folder.iterdir()} == alone


def test_batch_from_python_draws_the_file_and_gives_the_outcomes(folder: Path) -> None:
    (folder / "sub").mkdir()
    (folder / "sub/figures.toml").write_text(
        '[defaults]\nd = 4\nlength = 5\n[[figure]]\ncommand = "heatmap"\nbase = [10, 100]\noutput = "{base}.json"\n'
    )
    found = pecli.batch("sub/figures.toml")
    assert [(one.state, one.paths) for one in found] == [(WRITTEN, (f"sub/{base}.json",)) for base in (10, 100)]
    assert {one.state for one in pecli.batch("sub/figures.toml")} == {SKIPPED}
    assert {one.state for one in pecli.batch("sub/figures.toml", force=True)} == {WRITTEN}
    other = [one.paths for one in pecli.batch("sub/figures.toml", folder="other")]
    assert other == [("other/10.json",), ("other/100.json",)]


def test_batch_from_python_gives_what_could_not_be_drawn_with_its_place(folder: Path) -> None:
    figure = '[[figure]]\ncommand = "heatmap"\nlength = 5\n'
    Path("f.toml").write_text(f"{figure}title = '$x_$'\noutput = 'a.png'\n{figure}output = 'b.json'\n")
    lost, made = pecli.batch("f.toml")
    assert (lost.state, lost.paths, lost.where) == (FAILED, ("a.png",), "f.toml:4: figure 1")
    assert "mathematics" in str(lost.failure)
    assert (made.state, made.where) == (WRITTEN, "f.toml:6: figure 2") and Path("b.json").is_file()


def test_batch_from_python_raises_what_is_wrong_before_it_draws(folder: Path) -> None:
    (folder / "figures.toml").write_text('[[figure]]\ncommand = "heatmap"\n[[figure]]\ncommand = "heatmap"\nbsae = 3\n')
    with pytest.raises(pecli.PecliError, match="did you mean 'base'"):
        pecli.batch("figures.toml")
    assert [path.name for path in folder.iterdir()] == ["figures.toml"]


@pytest.mark.parametrize(("free", "count"), [(10**15, 3), (0, 1), (None, 3)])
def test_workers_share_memory(monkeypatch: pytest.MonkeyPatch, free: int | None, count: int) -> None:
    """As many at once as fit, the largest beside each other; in turn where only one does."""
    begun = list[int]()

    def begin(jobs: list[Job], work: Any, workers: int) -> Any:
        begun.append(workers)
        return in_turn(jobs, work)

    monkeypatch.setattr("pecli.jobs.run.available", lambda: free)
    monkeypatch.setattr("pecli.jobs.run.in_processes", begin)
    jobs = [job(f"{name}.json", base=number) for number, name in enumerate("abc", 1)]
    assert [outcome.state for outcome in run(jobs, workers=8, force=True)] == [WRITTEN] * 3
    assert begun == ([count] if count > 1 else [])


def test_two_fit_where_there_is_room_for_two(monkeypatch: pytest.MonkeyPatch) -> None:
    jobs = [job(f"{name}.json", base=number) for number, name in enumerate("abc", 1)]
    monkeypatch.setattr("pecli.jobs.run.available", lambda: 2 * jobs[0].memory + 1)
    assert _fitting(jobs) == 2 and jobs[0].memory > 0
