"""What a command does once its jobs are known: it checks them, draws them, and prints or shows what came of it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from pecli.cli.guard import as_flag
from pecli.cli.show import check_show, show_picture, shown_alone
from pecli.core.errors import PecliError, UsageError, mention, spelled
from pecli.core.progress import TRACKER, silent, track
from pecli.core.terminal import can_print, columns, json_results, results, say
from pecli.core.terminal_documents import show
from pecli.files.targets import is_stdout
from pecli.jobs.command_line import command as command_of
from pecli.jobs.file_names import blanks
from pecli.jobs.job import Job
from pecli.jobs.picture import Picture
from pecli.jobs.results import result_of
from pecli.jobs.run_jobs import cores
from pecli.jobs.same_files import check_targets
from pecli.reports.report import Report


def run_jobs(
    jobs: list[Job], *, as_json: bool, quiet: bool, verbose: bool, seen: bool = False, workers: int | None = None
) -> None:
    """Checks the jobs as a whole, draws them one after the other and prints what came of it, or shows it (seen)."""
    if seen:
        check_show(as_json)
        jobs = [shown_alone(job) for job in jobs]
    to_stdout = _check_jobs(jobs, as_json, workers)
    reports: list[dict[str, Any]] = []
    items = jobs if seen else track(jobs, "drawing")  # a bar would run into what is shown
    if len(jobs) > 1:  # one bar at a time
        TRACKER.set(silent)
    try:
        for job in items:
            reports += filter(None, [_do(Picture(job, workers or cores()), as_json, quiet or to_stdout, verbose)])
            for note in show_picture(job) if seen else []:
                if not quiet and not job.targets:  # else it was told before
                    say(spelled(note, as_flag))
    finally:  # of a sweep that failed half way, what is done
        if as_json and reports:
            json_results(reports)


def _check_jobs(jobs: list[Job], as_json: bool, workers: int | None) -> bool:
    """Refuses jobs that cannot all be done; tells whether one goes to standard output."""
    to_stdout = any(is_stdout(path) for job in jobs for path in job.paths)
    if to_stdout and as_json:
        raise UsageError("-o - and --json both write to standard output", option="output", advice="give -o FILE")
    if to_stdout and len(jobs) > 1:
        blanks = "-".join(f"{{{name}}}" for name in differing(jobs))
        name = f"{jobs[0].figure.name}-{blanks}.{jobs[0].targets[0].format}"
        text = f"-o - takes one picture, {len(jobs)} are asked for"
        raise UsageError(text, option="output", advice=f"give {mention('output', name)}")
    check_targets(jobs)
    for job in jobs:
        job.check()
    if workers is not None and not any(job.has_frames for job in jobs):
        text = f"{mention('jobs', workers)} draws the pictures of one .gif, .webp or .html file"
        raise UsageError(text, option="jobs", value=workers, advice="pecli batch -j draws many files at once")
    return to_stdout


def differing(jobs: Sequence[Job]) -> list[str]:
    """The options that these jobs differ in."""
    every = [blanks(job) for job in jobs]
    return [name for name in every[0] if len({one.get(name) for one in every}) > 1] or ["encoding"]


def _do(picture: Picture, as_json: bool, quiet: bool, verbose: bool) -> dict[str, Any] | None:
    job = picture.job
    try:
        paths = picture.save() if job.targets else []
    except PecliError:
        if picture.sizes and not quiet and not as_json:
            results(picture.sizes)  # those that were written before
        raise
    for note in [] if quiet else picture.notes:
        say(spelled(note, as_flag))
    if verbose:
        say(command_of(job, sent=can_print))
    if as_json:
        return result_of(picture, paths)
    if isinstance(job.figure, Report) and not paths:
        show(picture.document(columns()))
    elif not quiet and paths:
        results(paths)
    return None
