"""Run a command's jobs: check them, draw them, print the results, show pictures in the terminal."""

from __future__ import annotations

import io
import sys
from contextlib import closing
from dataclasses import replace
from typing import Any

from pecli.core.errors import UsageError, as_flags, option_text
from pecli.core.lazy import Array, np
from pecli.core.progress import TRACKER, track, untracked
from pecli.core.terminal import (
    PROTOCOLS,
    Paragraph,
    columns,
    half_blocks,
    print_json,
    print_notes,
    print_results,
    protocol,
    show,
)
from pecli.files.writer import is_stdout
from pecli.jobs.job import Job
from pecli.jobs.job_options import Output
from pecli.jobs.names import check_targets
from pecli.jobs.picture import Picture
from pecli.jobs.run import PictureAnswer, Result, WrittenFile, run
from pecli.jobs.text import command as command_of
from pecli.jobs.workers import cores
from pecli.reports.base import Report


def run_jobs(
    jobs: list[Job], *, as_json: bool, quiet: bool, verbose: bool, seen: bool, workers: int | None = None
) -> None:
    """Check the jobs as a whole, draw them, and print the result of each in turn.

    seen : also show the pictures in the terminal
    workers : number of processes, None for the default
    """
    if seen:
        check_show(as_json)
        jobs = [without_file(job) for job in jobs]
    to_stdout = _check_jobs(jobs, as_json, workers)
    shared = workers if workers and len(jobs) > 1 and not seen else 1
    frames = 1 if shared > 1 else workers or cores()
    answers, finished = list[PictureAnswer](), False
    bar = jobs if seen else track(jobs, "drawing")  # a bar would mix with the shown pictures
    if len(jobs) > 1:  # only one progress bar at a time
        TRACKER.set(untracked)
    paths = not (as_json or to_stdout)
    how: dict[str, Any] = {"force": True, "fail_fast": True, "ordered": True, "answered": as_json}
    try:
        with closing(run(jobs, workers=shared, frames=frames, **how)) as results:
            for _, result in zip(bar, results, strict=True):
                if result.answer is not None:
                    files = [WrittenFile(path=path, bytes=size) for path, size in result.sizes.items()]
                    answers.append({"files": files, **result.answer})
                _report_result(result, as_json=as_json, paths=paths, quiet=quiet or to_stdout, verbose=verbose)
                for note in show_picture(result.job) if seen else []:
                    if not quiet and not result.job.targets:  # with targets, the notes are printed before
                        print_notes(as_flags(note))
        finished = True
    finally:  # also after a failure, for the finished pictures
        if as_json and (answers or finished):
            print_json(answers)


def _check_jobs(jobs: list[Job], as_json: bool, workers: int | None) -> bool:
    """Raise UsageError for jobs that cannot be run together; return whether one writes to standard output."""
    to_stdout = any(is_stdout(path) for job in jobs for path in job.paths)
    if to_stdout and as_json:
        raise UsageError("-o - and --json both write to standard output", option="output", advice="give -o FILE")
    if to_stdout and len(jobs) > 1:
        name = "-".join([jobs[0].figure.name, *(f"{{{axis}}}" for axis in jobs[0].axes)])
        advice = f"give {option_text('output', f'{name}.{jobs[0].targets[0].format}')}"
        raise UsageError(f"-o - takes one picture, but {len(jobs)} are asked for", option="output", advice=advice)
    check_targets(jobs)
    for job in jobs:
        for name in job.figure.document_options() if as_json else ():
            text = f"{option_text(name)} changes nothing here, because --json prints all numbers"
            raise UsageError(text, option=name, advice="leave --json out")
        job.check()
    if workers is not None and len(jobs) == 1 and not jobs[0].has_frames:
        text = f"{option_text('jobs', workers)} needs several pictures, or a .gif, .webp or .html: this is one picture"
        raise UsageError(text, option="jobs", value=workers)
    return to_stdout


def _report_result(result: Result, *, as_json: bool, paths: bool, quiet: bool, verbose: bool) -> None:
    """Print the result of a job; raise its failure, if it has one.

    paths : whether to print the paths of the files that were written
    """
    job, written = result.job, list(result.sizes)
    if result.failure is None and not quiet:
        print_notes(*map(as_flags, result.notes))
    if result.failure is None and verbose:
        print_notes(command_of(job))
    if written and paths:
        print_results(written)
    if result.failure is not None:
        raise result.failure
    if isinstance(job.figure, Report) and not job.targets and not as_json:
        show(Picture[Any](job).document(columns()))


FINER = 4  # pixels drawn for each pixel of half-blocks
COLUMN = 12  # approximate width of a terminal column, pixels


def check_show(as_json: bool) -> None:
    """Raise UsageError if pictures cannot be shown because standard output is not a terminal or is used for JSON."""
    if as_json:
        raise UsageError("--show and --json both write to standard output", option="show")
    from rich.console import Console

    if not Console().is_terminal:  # also True with FORCE_COLOR
        text = "--show draws in a terminal, but standard output is not one"
        raise UsageError(text, option="show", advice="write a file with --output=FILE.png")


def without_file(job: Job) -> Job:
    """Return the job without a generated file name, unless the user asked for an output or a format."""
    return job if job.output.output or job.output.format else replace(job, shown=True)


def show_picture(job: Job) -> list[str]:
    """Show the picture in the terminal, by the best image protocol that it supports; return notes for the user."""
    from rich.console import Console

    width, has = columns(), protocol()
    screen = Console(highlight=False, width=width)
    if has is None and (screen.no_color or screen.color_system is None or "utf" not in screen.encoding):
        text = "--show draws with coloured half-block characters, which this terminal cannot show"
        raise UsageError(text, option="show", advice="write a file with --output=FILE.png")
    across, finest = width * (FINER if has is None else COLUMN), job.canvas.options()["dpi"]
    dpi = min(max(int(across / job.canvas.inches.width), int(finest.at_least or 1)), int(finest.at_most or across))
    alone = replace(job, canvas=replace(job.canvas, dpi=dpi), output=Output(), shown=True)
    picture: Picture[Any] = Picture(alone.settle())
    png = picture.render("png")[0]
    if has is None:  # too coarse for text, which is printed below
        screen.print(half_blocks(downscaled(png, width)), end="")
        show([Paragraph(text) for text in (picture.message(), picture.title(), picture.caption()) if text])
    else:
        sys.stdout.write(PROTOCOLS[has](png, width) + "\n")
    sys.stdout.flush()
    return picture.notes


def downscaled(png: bytes, width: int) -> Array:
    """Return a PNG on white, averaged down to `width` pixels, shape (h, w, 3), uint8."""
    from PIL import Image

    with Image.open(io.BytesIO(png)) as image:
        whole = Image.alpha_composite(Image.new("RGBA", image.size, "white"), image.convert("RGBA")).convert("RGB")
    height = max(1, round(whole.height * width / whole.width))
    return np.asarray(whole.resize((width, height), Image.Resampling.BOX))
