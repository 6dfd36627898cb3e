"""The pictures of a sweep as one film: what tells each, and the line that makes it alone."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import TYPE_CHECKING

from pecli.core.language import listing
from pecli.figures.canvas import FPS
from pecli.figures.grid import Axis, Grid
from pecli.files.animation import Film, Frame, SweptOption
from pecli.jobs.command_line import command
from pecli.jobs.job import Job
from pecli.jobs.names import given_title
from pecli.jobs.workers import ordered

if TYPE_CHECKING:
    from matplotlib.figure import Figure as Drawing


def titles_of(job: Job, grid: Grid, title: str) -> list[str]:
    """The title of each picture, with what tells it where the title's own blanks do not."""
    if job.canvas.no_title:
        return [""] * len(grid.labels)
    own = [given_title(cell) or title for cell in job.cells]
    if len(set(own)) == len(own):
        return own
    return [listing(both) for both in zip(own, grid.labels, strict=True)]


def film_of(job: Job, grid: Grid, drawings: Sequence[Drawing], messages: Sequence[str], workers: int) -> Film:
    """The drawings of the job's cells as one film, with what there is to see in each."""
    lines = [command(cell) for cell in job.cells]
    return Film(
        frames=tuple(Frame(*one) for one in zip(drawings, grid.labels, lines, messages, strict=True)),
        swept=tuple(map(_swept_option, grid.axes)),
        dpi=job.canvas.frame_dpi,
        seconds=1 / (job.canvas.fps or FPS),
        times=job.canvas.loops,
        map=partial(ordered, doing="drawing", count=workers),
    )


def _swept_option(axis: Axis) -> SweptOption:
    said = axis.name.replace("_", " ")
    return SweptOption(said, tuple(text.removeprefix(f"{said} ") for text in axis.texts), axis.number)
