"""A picture in the terminal at once: --show."""

from __future__ import annotations

import io
import sys
from dataclasses import replace

from pecli.core.document import Paragraph
from pecli.core.errors import UsageError, mention
from pecli.core.lazy import Array, np
from pecli.core.terminal import columns
from pecli.core.terminal_documents import show
from pecli.core.terminal_images import PROTOCOLS, half_blocks, pixels_across, protocol
from pecli.jobs.job import Job, job_of
from pecli.jobs.picture import Picture

FINER = 4  # pixels that are drawn for each that a half-block shows
WIDEST = 4096  # pixels, whatever a terminal says


def check_show(as_json: bool) -> None:
    """Refuses to show pictures where nobody would see them."""
    if as_json:
        raise UsageError(f"{mention('show')} and {mention('json')} both write to standard output")
    if not sys.stdout.isatty():
        text = f"{mention('show')} draws in a terminal, and standard output is none"
        raise UsageError(text, option="show", advice=f"write a file: {mention('output', 'FILE.png')}")


def shown_alone(job: Job) -> Job:
    """The job without the file of a made-up name, where none is asked for."""
    return job if job.output.output or job.output.format else replace(job, targets=())


def show_picture(job: Job) -> list[str]:
    """Shows the picture as wide as the terminal, by the best that it can do; gives what the user should know of it."""
    from rich.console import Console

    width, has = columns(), protocol()
    screen = Console(highlight=False, width=width)
    if has is None and (screen.no_color or screen.color_system is None or "utf" not in screen.encoding):
        text = f"{mention('show')} draws with coloured half-blocks, and this terminal has no colours or no such signs"
        raise UsageError(text, option="show", advice=f"write a file: {mention('output', 'FILE.png')}")
    across = min(WIDEST, FINER * width if has is None else pixels_across(width))
    pixels, picture = drawn(job, across)
    if has is None:  # which is too coarse for letters
        screen.print(half_blocks(reduced(pixels, width), screen), end="")
        show([Paragraph(text) for text in (picture.title(), picture.message(), picture.caption()) if text])
    else:
        sys.stdout.write(PROTOCOLS[has](pixels, width) + "\n")
    sys.stdout.flush()
    return picture.notes


def drawn(job: Job, across: int) -> tuple[Array, Picture]:
    """The picture's pixels, about so many across, (h, w, 3), uint8, on white where it is transparent; and itself."""
    from PIL import Image

    finest = job.canvas.options()["dpi"]
    dpi = min(max(int(across / job.canvas.inches.width), int(finest.at_least or 1)), int(finest.at_most or across))
    picture = Picture(job_of(job.figure.name, {**job.settings(), "dpi": dpi}))
    with Image.open(io.BytesIO(picture.render("png")[0])) as image:
        ground = Image.new("RGBA", image.size, "white")
        whole = Image.alpha_composite(ground, image.convert("RGBA")).convert("RGB")
        return np.asarray(whole), picture


def reduced(pixels: Array, width: int) -> Array:
    """The same, so many pixels wide, each the mean of those in its place."""
    from PIL import Image

    image = Image.fromarray(pixels)
    height = max(1, round(image.height * width / image.width))
    return np.asarray(image.resize((width, height), Image.Resampling.BOX))
