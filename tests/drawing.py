"""Pictures as tests look at them: a figure drawn onto a given Axes, and a whole page."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from matplotlib.axes import Axes
from matplotlib.figure import Figure as Drawing

import pecli
from pecli.core.language import finding, use_language
from pecli.figures.page import draw_frames, draw_page
from pecli.jobs.picture import titles_of
from pecli.page.labels import LineLabel, labels_of
from pecli.page.style import style_context

FIXED = {"attention": "length", "terms": "length", "addition": "length", "dials": "length", "tiles": "length",
         "maps": "length", "ids": "length", "bias": "d"}  # what a figure has of its own  # fmt: skip


def fitting(figure: str, options: dict[str, Any]) -> dict[str, Any]:
    """Return those of these options that the figure takes."""
    return {name: value for name, value in options.items() if name != FIXED.get(figure)}


def axes_of(figure: str, /, **options: Any) -> Any:
    """Return an Axes that the figure was drawn onto; its panels are the child axes."""
    return pecli.figure(figure, **options).draw(Drawing().subplots())


def panels_of(figure: str, /, **options: Any) -> list[Any]:
    """Return the panels, and colour bars, that the figure made of a given Axes; of one panel that Axes and its bar."""
    axes = axes_of(figure, **options)
    inner = [ax for ax in axes.child_axes if isinstance(ax, Axes)]
    return [axes, *inner] if axes.axison else inner


def page_of(figure: str, /, **options: Any) -> Any:
    """Return the drawing of a whole page."""
    picture = pecli.figure(figure, **options)
    with use_language(picture.job.language), style_context(picture.job.canvas, "a"):
        return draw_page(picture.figure, picture.job.view, picture.job.canvas, picture.title())[0]


def frames_of(figure: str, /, **options: Any) -> list[Any]:
    """Return the drawing of each picture of a sweep, all laid out alike."""
    picture: Any = pecli.figure(figure, **options)
    canvas, grid = picture.job.canvas, picture.job.grid
    titles = titles_of(picture.job, grid, grid.title_text)
    with use_language(picture.job.language), style_context(canvas, "a"):
        return draw_frames(grid, picture.job.view, replace(canvas, dpi=canvas.frame_dpi), titles)[0]


def numbers_of(figure: str, /, panels: tuple[tuple[int, int], ...] | None = None, **options: Any) -> Any:
    """Return all numbers of a figure, or those that panels of so many pixels (rows, columns) show."""
    job = pecli.figure(figure, **options).job
    return job.analysis.compute(replace(job.view, panels=panels))


def line_labels(axes: Any) -> list[str]:
    """Return the names at the ends of lines, each in one line."""
    return [" ".join(label.get_text().split()) for label in labels_of(axes, LineLabel)]


def told(text: str, said: dict[str, Any]) -> dict[str, Any]:
    """Return what a text, or that clause of it which has the same key, has in place of what is expected of it."""
    every = [finding(clause) for clause in clauses(text)]
    found = next((clause for clause in every if clause.get("key") == said.get("key")), every[0])
    return {name: value for name, value in found.items() if name in {"key", *said}}


def clauses(text: str) -> list[str]:
    """Return the sentences that a text joins."""
    found = finding(text)
    return [*clauses(found["one"]), *clauses(found["other"])] if found.get("key") == "join.clauses" else [text]


def texts(artists: Any) -> list[str]:
    """Return the texts of artists, such as ticks."""
    return [artist.get_text() for artist in artists]
